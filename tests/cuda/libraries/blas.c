/*
 * blas.c - cuBLAS, levels 1 to 3, in f32 and f64, against plain C. Matrices hold small integers, so that
 * every product and sum is exact in any order.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <float.h>
#include "verdict.h"

enum { N = 64, WORKSPACE = 32 << 20 };

#define REAL float
#define EPSILON FLT_EPSILON
#define FN(x) s_##x
#define BLAS(x) cublasS##x
#define MOST cublasIsamax
#define NAME(x) "cublasS" x
#include "blas_real.h"

#define REAL double
#define EPSILON DBL_EPSILON
#define FN(x) d_##x
#define BLAS(x) cublasD##x
#define MOST cublasIdamax
#define NAME(x) "cublasD" x
#include "blas_real.h"

int main(int argc, char **argv)
{
    cublasHandle_t h;
    void *workspace = NULL;
    const int status = cublasCreate(&h);
    say("cublasCreate", status, 0, 0);
    if (status) return 0;
    /* Without a workspace of the caller's the library asks NVIDIA's driver for private tables. */
    if (argc < 2 || strcmp(argv[1], "own") != 0) {
        cudaMalloc(&workspace, WORKSPACE);
        say("cublasSetWorkspace", cublasSetWorkspace(h, workspace, WORKSPACE), 0, 0);
    }
    s_levels(h);
    d_levels(h);
    say("cublasDestroy", cublasDestroy(h), 0, 0);
    return 0;
}
