// Matrix fragments (wmma): half and float sums, bytes, another shape, row and column layouts.
#include "words.h"
#include <mma.h>
using namespace nvcuda;

__device__ int at(int i) { return (int)(mix(i, 3) % 17) - 8; }

extern "C" __global__ void test(word *out)
{
    __shared__ __align__(32) half a[512], b[256];
    __shared__ __align__(32) signed char c[256], d[256];
    __shared__ __align__(32) float f[256];
    __shared__ __align__(32) half g[256];
    __shared__ __align__(32) int n[256];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 32)
        a[i] = __float2half(at(i) * 0.25f);
    for (int i = t; i < 256; i += 32) {
        b[i] = __float2half(at(i + 1000) * 0.5f);
        c[i] = at(i + 2000);
        d[i] = at(i + 3000) * 3;
        g[i] = __float2half(0);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::fill_fragment(fc, 1.5f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(f, fc, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> ga;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> gb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, half> gc;
    wmma::load_matrix_sync(ga, a, 32);
    wmma::load_matrix_sync(gb, b, 8);
    wmma::load_matrix_sync(gc, g, 8, wmma::mem_row_major);
    wmma::mma_sync(gc, ga, gb, gc);
    for (int i = 0; i < gc.num_elements; i++)
        gc.x[i] = __hadd(gc.x[i], __float2half(1));
    wmma::store_matrix_sync(g, gc, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> ia;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> ib;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> ic;
    wmma::load_matrix_sync(ia, c, 16);
    wmma::load_matrix_sync(ib, d, 16);
    wmma::fill_fragment(ic, 5);
    wmma::mma_sync(ic, ia, ib, ic);
    wmma::store_matrix_sync(n, ic, 16, wmma::mem_col_major);
    __syncwarp();
    for (int i = t; i < 256; i += 32)
        out[i] = __float_as_uint(f[i]) | (word)(n[i] & 0xffff) << 32 | (word)__half_as_ushort(g[i]) << 48;
}

WORDS_MAIN(1, 32, 0, 256)
