/* control.c - kernels.c as plain C: each kernel a function of the place of its thread, called in loops over
 * all threads of a block. The two that synchronise are written out, a loop over the threads for each phase.
 * Built with -O3 -march=native. */
#include "control.h"
#include <stdbool.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct at {
    unsigned tx, ty, bx, by, nx, gx;
};

#define KERNEL static inline __attribute__((always_inline)) void
#define SHARED
#define GLOBAL
#define TX (int)at.tx
#define TY (int)at.ty
#define BX (int)at.bx
#define BY (int)at.by
#define NX (int)at.nx
#define GX (int)at.gx
#define SYNC (void)0
#define __nvvm_fma_rn_f(a, b, c) fmaf(a, b, c)
#define __nvvm_rsqrt_approx_f(a) (1.f / sqrtf(a))
#define __nvvm_sqrt_rn_f(a) sqrtf(a)
#define __nvvm_fabs_f(a) fabsf(a)
#define __nvvm_ex2_approx_f(a) exp2f(a)
#define __nvvm_lg2_approx_f(a) log2f(a)
#define __nvvm_atom_add_gen_i(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define HERE const struct at at
#define vecadd(...) vecadd(HERE, __VA_ARGS__)
#define fma_loop(...) fma_loop(HERE, __VA_ARGS__)
#define mandelbrot(...) mandelbrot(HERE, __VA_ARGS__)
#define sgemm_naive(...) sgemm_naive(HERE, __VA_ARGS__)
#define sgemm_tiled(...) unused_sgemm_tiled(HERE, __VA_ARGS__)
#define reduce(...) unused_reduce(HERE, __VA_ARGS__)
#define nbody(...) nbody(HERE, __VA_ARGS__)
#define histogram(...) histogram(HERE, __VA_ARGS__)
#define transpose(...) transpose(HERE, __VA_ARGS__)
#define collatz(...) collatz(HERE, __VA_ARGS__)
#define hashrounds(...) hashrounds(HERE, __VA_ARGS__)
#define spmv(...) spmv(HERE, __VA_ARGS__)
#define jacobi(...) jacobi(HERE, __VA_ARGS__)
#define blackscholes(...) blackscholes(HERE, __VA_ARGS__)
#include "kernels.c"
#undef TX
#undef TY
#undef vecadd
#undef fma_loop
#undef mandelbrot
#undef sgemm_naive
#undef sgemm_tiled
#undef reduce
#undef nbody
#undef histogram
#undef transpose
#undef collatz
#undef hashrounds
#undef spmv
#undef jacobi
#undef blackscholes

/* ---- a block: loops over its threads ---- */

typedef void block_function(const struct bench_workload *w, struct at at);

#define BUFFER(T, i) ((T *)w->args[i].data)
#define SCALAR(T, i) (*(const T *)w->args[i].data)

#define BLOCK(name, ...)                                                                                     \
    static void block_##name(const struct bench_workload *w, struct at at)                                   \
    {                                                                                                        \
        for (at.ty = 0; at.ty < w->block[1]; at.ty++)                                                        \
            for (at.tx = 0; at.tx < w->block[0]; at.tx++) name(at, __VA_ARGS__);                             \
    }
BLOCK(vecadd, BUFFER(float, 0), BUFFER(float, 1), BUFFER(float, 2), SCALAR(int, 3))
BLOCK(fma_loop, BUFFER(float, 0), SCALAR(int, 1), SCALAR(float, 2))
BLOCK(mandelbrot, BUFFER(int, 0), SCALAR(int, 1), SCALAR(int, 2), SCALAR(int, 3))
BLOCK(sgemm_naive, BUFFER(float, 0), BUFFER(float, 1), BUFFER(float, 2), SCALAR(int, 3))
BLOCK(nbody, BUFFER(float, 0), BUFFER(float, 1), SCALAR(int, 2))
BLOCK(histogram, BUFFER(u32, 0), BUFFER(u32, 1), SCALAR(int, 2))
BLOCK(transpose, BUFFER(float, 0), BUFFER(float, 1), SCALAR(int, 2))
BLOCK(collatz, BUFFER(u32, 0), SCALAR(int, 1))
BLOCK(hashrounds, BUFFER(u32, 0), SCALAR(int, 1))
BLOCK(spmv, BUFFER(int, 0), BUFFER(int, 1), BUFFER(float, 2), BUFFER(float, 3), BUFFER(float, 4),
      SCALAR(int, 5))
BLOCK(jacobi, BUFFER(double, 0), BUFFER(double, 1), SCALAR(int, 2))
BLOCK(blackscholes, BUFFER(float, 0), BUFFER(float, 1), BUFFER(float, 2), BUFFER(float, 3), BUFFER(float, 4),
      SCALAR(int, 5))

static void block_sgemm_tiled(const struct bench_workload *w, struct at at)
{
    const float *a = BUFFER(float, 0), *b = BUFFER(float, 1);
    const int n = SCALAR(int, 3);
    float as[16][16], bs[16][16], s[16][16] = {{0}};
    for (int m = 0; m < n; m += 16) {
        for (int ty = 0; ty < 16; ty++)
            for (int tx = 0; tx < 16; tx++) {
                as[ty][tx] = a[(BY * 16 + ty) * n + m + tx];
                bs[ty][tx] = b[(m + ty) * n + BX * 16 + tx];
            }
        for (int ty = 0; ty < 16; ty++)
            for (int k = 0; k < 16; k++)
                for (int tx = 0; tx < 16; tx++) s[ty][tx] = fmaf(as[ty][k], bs[k][tx], s[ty][tx]);
    }
    for (int ty = 0; ty < 16; ty++)
        memcpy(&BUFFER(float, 2)[(BY * 16 + ty) * n + BX * 16], s[ty], sizeof s[ty]);
}

static void block_reduce(const struct bench_workload *w, struct at at)
{
    const float *in = BUFFER(float, 0);
    const int n = SCALAR(int, 2);
    float red[256] = {0};
    for (int base = BX * 256; base < n; base += GX * 256)
        for (int t = 0; t < 256 && base + t < n; t++) red[t] += in[base + t];
    for (int d = 128; d > 0; d >>= 1)
        for (int t = 0; t < d; t++) red[t] += red[t + d];
    BUFFER(float, 1)[BX] = red[0];
}

/* ---- all blocks ---- */

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, block_##name                                                                                  \
    }
static const struct {
    const char *name;
    block_function *run;
} blocks[] = {ROW(vecadd),     ROW(fma_loop), ROW(mandelbrot), ROW(sgemm_naive), ROW(sgemm_tiled),
              ROW(reduce),     ROW(nbody),    ROW(histogram),  ROW(transpose),   ROW(collatz),
              ROW(hashrounds), ROW(spmv),     ROW(jacobi),     ROW(blackscholes)};

enum { MOST_THREADS = 256, CHUNK = 8 };

struct work {
    const struct bench_workload *w;
    block_function *run;
    atomic_uint next;
};

static void *work_on(void *argument)
{
    struct work *work = argument;
    const struct bench_workload *w = work->w;
    const unsigned n = w->grid[0] * w->grid[1];
    for (unsigned first; (first = atomic_fetch_add(&work->next, CHUNK)) < n;)
        for (unsigned i = first; i < first + CHUNK && i < n; i++)
            work->run(
                w,
                (struct at){.bx = i % w->grid[0], .by = i / w->grid[0], .nx = w->block[0], .gx = w->grid[0]});
    return NULL;
}

/* A debug build, NAME_debug, computes what NAME computes. */
static bool is_kernel(const char *kernel, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(kernel, name, n) == 0 && (!kernel[n] || strcmp(kernel + n, "_debug") == 0);
}

int control_run(const struct bench_workload *w, unsigned threads)
{
    struct work work = {.w = w};
    pthread_t others[MOST_THREADS];
    unsigned n = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (is_kernel(w->kernel, blocks[i].name)) work.run = blocks[i].run;
    if (!work.run) return -1;
    while (n + 1 < threads && n < MOST_THREADS && pthread_create(&others[n], NULL, work_on, &work) == 0) n++;
    work_on(&work);
    while (n) pthread_join(others[--n], NULL);
    return 0;
}
