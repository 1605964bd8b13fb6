// wmma_types.cu - matrix fragments of the other types: bfloat16, tf32, double, sub-byte. from: 80
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

/* What one product takes; columns of b lie as B says. */
template <int M, int N, int K, typename T, typename C, typename B = wmma::col_major> struct Product {
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> b;
    wmma::fragment<wmma::accumulator, M, N, K, C> c;
    template <typename S> __device__ Product(const S *from_a, unsigned a_stride, const S *from_b, unsigned b_stride)
    {
        wmma::load_matrix_sync(a, from_a, a_stride);
        wmma::load_matrix_sync(b, from_b, b_stride);
    }
};

extern "C" __global__ void bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    Product<16, 16, 16, __nv_bfloat16, float> p(a, 16, b, 16);
    wmma::load_matrix_sync(p.c, c, 16, wmma::mem_row_major);
    wmma::mma_sync(p.c, p.a, p.b, p.c);
    wmma::store_matrix_sync(c, p.c, 16, wmma::mem_col_major);
}

extern "C" __global__ void tf32(const float *a, const float *b, float *c)
{
    Product<16, 16, 8, wmma::precision::tf32, float, wmma::row_major> p(a, 8, b, 16);
    for (int i = 0; i < p.a.num_elements; i++) p.a.x[i] = wmma::__float_to_tf32(p.a.x[i]);
    wmma::fill_fragment(p.c, 1.0f);
    wmma::mma_sync(p.c, p.a, p.b, p.c);
    wmma::store_matrix_sync(c, p.c, 16, wmma::mem_row_major);
}

extern "C" __global__ void f64(const double *a, const double *b, double *c)
{
    Product<8, 8, 4, double, double> p(a, 4, b, 4);
    wmma::fill_fragment(p.c, 0.0);
    wmma::mma_sync(p.c, p.a, p.b, p.c);
    wmma::store_matrix_sync(c, p.c, 8, wmma::mem_row_major);
}

extern "C" __global__ void bits(const unsigned *a, const unsigned *b, int *c)
{
    Product<8, 8, 128, wmma::experimental::precision::b1, int> p(a, 128, b, 128);
    wmma::fill_fragment(p.c, 0);
    wmma::bmma_sync(p.c, p.a, p.b, p.c, wmma::experimental::bmmaBitOpXOR);
    wmma::store_matrix_sync(c, p.c, 8, wmma::mem_row_major);
}
