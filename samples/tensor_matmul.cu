// tensor_matmul.cu - C = A*B on tensor cores: ldmatrix and mma, by 32x32 tiles of C.
//
// nvcc -arch=sm_90 -lineinfo -ptx tensor_matmul.cu -o tensor_matmul.ptx
//
// A is rows x inner and B inner x columns, of float, row-major; rows and columns are multiples of 32, inner of 16. Factors
// are rounded to half on their way to shared memory, sums are kept in float by the tensor cores. A block of four
// warps makes a tile; each warp a quarter of it, 16x16, as two products of 16x8. For every 16 of inner an element of
// C goes through one step of a tensor core, whose arithmetic is the chip's own (docs/fidelity.md).
#include <cuda_fp16.h>

constexpr int TILE = 32, STEP = 16;
constexpr int PAD = 8;  // elements behind each row, so that the eight rows of a matrix lie in different banks

struct Tiles {
    __half a[TILE][STEP + PAD];
    __half b[STEP][TILE + PAD];
};

__device__ unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Each thread brings four elements of each factor.
__device__ void fill(Tiles &tiles, const float *a, const float *b, int inner, int columns, int row, int column, int k)
{
    for (int i = threadIdx.x; i < TILE * STEP; i += blockDim.x) {
        tiles.a[i / STEP][i % STEP] = __float2half_rn(a[(row + i / STEP) * inner + k + i % STEP]);
        tiles.b[i / TILE][i % TILE] = __float2half_rn(b[(k + i / TILE) * columns + column + i % TILE]);
    }
}

// d += a*b for one 16x8 tile of C.
__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(128) tensor_matmul(const float *a, const float *b, float *c, int inner, int columns)
{
    __shared__ __align__(16) Tiles tiles;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;   // of the block's tile
    const int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;  // of the warp's part in it

    float sum[2][4] = {};
    for (int k = 0; k < inner; k += STEP) {
        fill(tiles, a, b, inner, columns, row, column, k);
        __syncthreads();
        unsigned x[4], y[4];  // of y, two registers for each product
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(shared_address(&tiles.a[warp_row + lane % 16][lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                     : "r"(shared_address(&tiles.b[lane % 16][warp_column + lane / 16 * 8])));
        multiply_add(sum[0], x, y[0], y[1]);
        multiply_add(sum[1], x, y[2], y[3]);
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int q = 0; q < 4; q++) {
            const int r = row + warp_row + lane / 4 + q / 2 * 8, at = column + warp_column + i * 8 + lane % 4 * 2 + q % 2;
            c[r * columns + at] = sum[i][q];
        }
}
