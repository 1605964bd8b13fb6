// matmul.cu - C = A*B for row-major matrices of any size, by 16x16 tiles in shared memory.
//
// nvcc -arch=sm_90 -lineinfo -ptx matmul.cu -o matmul.ptx
//
// A is rows x inner, B is inner x columns. A block makes one tile of C; its threads load a tile of A and one
// of B, wait, and add up. Tiles that hang over an edge are padded with zeros, which leave a sum unchanged, so
// every element of C is the chain sum = fma(A[r][k], B[k][c], sum) for k = 0, 1, ...

constexpr int TILE = 16;

__device__ float element_or_zero(const float *matrix, int rows, int columns, int r, int c)
{
    return r < rows && c < columns ? matrix[r * columns + c] : 0.0f;
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;

    float sum = 0.0f;
    for (int k = 0; k < inner; k += TILE) {
        tile_a[y][x] = element_or_zero(a, rows, inner, row, k + x);
        tile_b[y][x] = element_or_zero(b, inner, columns, k + y, column);
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum = __fmaf_rn(tile_a[y][i], tile_b[i][x], sum);
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
