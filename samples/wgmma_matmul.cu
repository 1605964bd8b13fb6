// wgmma_matmul.cu - C = A*B by warpgroups: wgmma with both factors in shared memory, by 64x64 tiles of C.
//
// nvcc -arch=sm_90a -lineinfo -ptx wgmma_matmul.cu -o wgmma_matmul.ptx
//
// A is rows x inner and B inner x columns, of float, row-major; all are multiples of 64. Factors are rounded to half on
// their way to shared memory. There a row of 64 halves has 128 bytes, in pieces of 16 that are swizzled as the tensor cores
// expect it: the piece's number is xored with the row's. A lies along inner (K-major), B along columns (MN-major), as they
// lie in global memory. A block of four warps, one warpgroup, makes a tile in four products of 64x64x16 for every 64 of
// inner; they run asynchronously, as one group.
#include <cuda_fp16.h>

constexpr int TILE = 64;

struct alignas(1024) Tile {
    __half at[TILE][TILE];  // swizzled
};

__device__ void fill(Tile &tile, const float *from, int stride, int row, int column)
{
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
        const int r = i / TILE, c = i % TILE;
        tile.at[r][(c / 8 ^ r % 8) * 8 + c % 8] = __float2half_rn(from[(row + r) * stride + column + c]);
    }
}

// A matrix in shared memory from p on: swizzled by 128 bytes, groups of eight rows 1024 bytes apart.
__device__ unsigned long long descriptor(const void *p)
{
    const unsigned long long start = __cvta_generic_to_shared(p);
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

extern "C" __global__ void __launch_bounds__(128)
    wgmma_matmul(const float *a, const float *b, float *c, int inner, int columns)
{
    __shared__ Tile x, y;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;

    float sum[32] = {};
    for (int k = 0; k < inner; k += TILE) {
        fill(x, a, inner, row, k);
        fill(y, b, columns, k, column);
        asm volatile("fence.proxy.async;" ::: "memory");  // what was stored is for the tensor cores
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < TILE; step += 16) multiply_add(sum, descriptor(&x.at[0][step]), descriptor(&y.at[step][0]));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int q = 0; q < 32; q++) {
        const int r = row + warp * 16 + lane / 4 + q / 2 % 2 * 8, at = column + q / 4 * 8 + lane % 4 * 2 + q % 2;
        c[r * columns + at] = sum[q];
    }
}
