// tma_matmul.cu - C = A*B as Hopper's own kernels do it: one warp fetches tiles by tensor maps, a warpgroup multiplies them.
//
// nvcc -arch=sm_90a -lineinfo -ptx tma_matmul.cu -o tma_matmul.ptx
//
// A is rows x inner and B inner x columns, of half, row-major; all are multiples of 64. Both maps have boxes of 64x64 with
// a swizzle of 128 bytes, which is how the tensor cores expect their factors in shared memory. Two mbarriers a stage say
// when a tile has come (by its bytes) and when all threads of the warpgroup are done with it.

constexpr int TILE = 64, STAGES = 2, CONSUMERS = 128;

struct alignas(64) Map {
    unsigned long long opaque[16];
};
struct alignas(1024) Tile {
    unsigned short at[TILE][TILE];  // halves, swizzled
};

__device__ unsigned address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(unsigned long long &barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(count) : "memory");
}

__device__ void expect(unsigned long long &barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&barrier)), "r"(bytes) : "memory");
}

__device__ void arrive(unsigned long long &barrier)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&barrier)) : "memory");
}

__device__ void wait(unsigned long long &barrier, int parity)
{
    asm volatile(
        "{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again%=;\n}" ::"r"(
            address(&barrier)),
        "r"(parity)
        : "memory");
}

// The tile at element (x, y) of the map's matrix; x counts along its rows.
__device__ void fetch(Tile &to, const Map &map, int x, int y, unsigned long long &barrier)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
            "r"(address(&to)),
        "l"(&map), "r"(x), "r"(y), "r"(address(&barrier))
        : "memory");
}

// A matrix in shared memory from p on: swizzled by 128 bytes, groups of eight rows 1024 bytes apart.
__device__ unsigned long long descriptor(const void *p)
{
    const unsigned long long start = address(p);
    return (start & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// d += a*b for 64x64x16; the last constant says that b lies along its columns.
__device__ void multiply_add(float (&d)[32], unsigned long long a, unsigned long long b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 1;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(CONSUMERS + 32)
    tma_matmul(const __grid_constant__ Map a, const __grid_constant__ Map b, float *c, int inner, int columns)
{
    __shared__ Tile x[STAGES], y[STAGES];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, steps = inner / TILE;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            init(full[s], 1);
            init(empty[s], CONSUMERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x > CONSUMERS) return;
        for (int i = 0; i < steps; i++) {
            const int s = i % STAGES;
            wait(empty[s], i / STAGES % 2 ^ 1);
            expect(full[s], 2 * sizeof(Tile));
            fetch(x[s], a, i * TILE, row, full[s]);
            fetch(y[s], b, column, i * TILE, full[s]);
        }
        return;
    }
    float sum[32] = {};
    for (int i = 0; i < steps; i++) {
        const int s = i % STAGES;
        wait(full[s], i / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < TILE; step += 16)
            multiply_add(sum, descriptor(&x[s].at[0][step]), descriptor(&y[s].at[step][0]));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        arrive(empty[s]);
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int q = 0; q < 32; q++) {
        const int r = row + warp * 16 + lane / 4 + q / 2 % 2 * 8, at = column + q / 4 * 8 + lane % 4 * 2 + q % 2;
        c[r * columns + at] = sum[q];
    }
}
