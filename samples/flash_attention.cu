// flash_attention.cu - softmax(Q*K^T)*V without the matrix of scores: cp.async, ldmatrix and mma, by tiles of 64 keys.
//
// nvcc -arch=sm_90 -lineinfo -ptx flash_attention.cu -o flash_attention.ptx
//
// q, k, v: heads x sequence x 64 of half; o the same of float; sequence is a multiple of 64. `scale` is log2(e) / sqrt(64). A
// block of four warps does 64 queries of one head, each warp 16 of them; grid: sequence / 64, heads. While a tile of K
// and V is worked on the next one is under way. Scores live in the registers of the tensor cores: what comes out of the
// first product is, rounded to half, the left factor of the second. Row maxima and sums are kept as the tiles come, and
// sums so far are scaled down when a maximum rises.
#include <cuda_fp16.h>

constexpr int ROWS = 64, WIDTH = 64, THREADS = 128;
constexpr int PITCH = WIDTH + 8;  // rows of 144 bytes: eight of them lie in different banks

struct Tile {
    __half at[ROWS][PITCH];
};
struct Shared {
    Tile q, k[2], v[2];
};

__device__ unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Asks for 64 rows, 16 bytes at a time.
__device__ void fetch(Tile &to, const __half *from)
{
    for (int i = threadIdx.x; i < ROWS * WIDTH / 8; i += THREADS)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :
                     : "r"(shared_address(&to.at[i / 8][i % 8 * 8])), "l"(__cvta_generic_to_global(from + i * 8)));
}

__device__ void load_four(unsigned (&x)[4], const __half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(row)));
}

__device__ void load_four_across(unsigned (&x)[4], const __half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(row)));
}

__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ float power(float x)
{
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ unsigned halves(float low, float high)
{
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const unsigned *>(&pair);
}

// Of the four lanes that share a row.
__device__ float row_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}
__device__ float row_sum(float x)
{
    x += __shfl_xor_sync(0xffffffff, x, 1);
    return x + __shfl_xor_sync(0xffffffff, x, 2);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    flash_attention(const __half *q, const __half *k, const __half *v, float *o, int sequence, float scale)
{
    __shared__ __align__(16) Shared tiles;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t head = static_cast<size_t>(blockIdx.y) * sequence * WIDTH, first = head + blockIdx.x * ROWS * WIDTH;

    fetch(tiles.q, q + first);
    fetch(tiles.k[0], k + head);
    fetch(tiles.v[0], v + head);
    asm volatile("cp.async.commit_group;");

    unsigned left[WIDTH / 16][4];
    float sum[WIDTH / 8][4] = {}, most[2] = {-INFINITY, -INFINITY}, total[2] = {};
    for (int t = 0; t < sequence / ROWS; t++) {
        if (t + 1 < sequence / ROWS) {
            fetch(tiles.k[(t + 1) % 2], k + head + (t + 1) * ROWS * WIDTH);
            fetch(tiles.v[(t + 1) % 2], v + head + (t + 1) * ROWS * WIDTH);
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 1;");
        __syncthreads();
        const Tile &keys = tiles.k[t % 2], &values = tiles.v[t % 2];
        if (t == 0)
            for (int i = 0; i < WIDTH / 16; i++)
                load_four(left[i], &tiles.q.at[warp * 16 + lane % 16][i * 16 + lane / 16 * 8]);

        float score[ROWS / 8][4] = {};
        for (int n = 0; n < ROWS / 8; n += 2)
            for (int i = 0; i < WIDTH / 16; i++) {
                unsigned x[4];
                load_four(x, &keys.at[n * 8 + lane % 8 + lane / 16 * 8][i * 16 + lane / 8 % 2 * 8]);
                multiply_add(score[n], left[i], x[0], x[1]);
                multiply_add(score[n + 1], left[i], x[2], x[3]);
            }

        for (int half = 0; half < 2; half++) {  // rows lane / 4 and lane / 4 + 8
            float high = most[half], here = 0;
            for (int n = 0; n < ROWS / 8; n++)
                high = fmaxf(high, fmaxf(score[n][2 * half], score[n][2 * half + 1]));
            high = row_max(high);
            const float shrink = power((most[half] - high) * scale);
            most[half] = high;
            for (int n = 0; n < ROWS / 8; n++)
                for (int c = 2 * half; c < 2 * half + 2; c++) {
                    score[n][c] = power((score[n][c] - high) * scale);
                    here += score[n][c];
                }
            total[half] = total[half] * shrink + row_sum(here);
            for (int n = 0; n < WIDTH / 8; n++)
                for (int c = 2 * half; c < 2 * half + 2; c++) sum[n][c] *= shrink;
        }

        for (int i = 0; i < ROWS / 16; i++) {
            const unsigned weights[4] = {halves(score[2 * i][0], score[2 * i][1]), halves(score[2 * i][2], score[2 * i][3]),
                                         halves(score[2 * i + 1][0], score[2 * i + 1][1]),
                                         halves(score[2 * i + 1][2], score[2 * i + 1][3])};
            for (int n = 0; n < WIDTH / 8; n += 2) {
                unsigned x[4];
                load_four_across(x, &values.at[i * 16 + lane % 16][n * 8 + lane / 16 * 8]);
                multiply_add(sum[n], weights, x[0], x[1]);
                multiply_add(sum[n + 1], weights, x[2], x[3]);
            }
        }
        __syncthreads();
    }
    for (int n = 0; n < WIDTH / 8; n++)
        for (int c = 0; c < 4; c++)
            o[first + (warp * 16 + lane / 4 + c / 2 * 8) * WIDTH + n * 8 + lane % 4 * 2 + c % 2] = sum[n][c] / total[c / 2];
}
