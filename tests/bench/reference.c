/* reference.c - what each kernel of kernels.ptx computes, in plain C.
 *
 * Every function does the float operations of the PTX (not of kernels.c, which clang reordered in places) in
 * the same order with the same rounding: fmaf where the PTX has fma.rn, separate operations elsewhere.
 * Compile with -ffp-contract=off. The hashes are those of the output buffers on an H200; selfcheck.c shows
 * that this file agrees with them. */
#include "reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The arguments, numbered as in the table. */
static const void *input(const struct bench_workload *w, int i)
{
    return w->args[i].data;
}

static void *output(struct bench_workload *w, int i)
{
    return w->args[i].expected;
}

static int scalar(const struct bench_workload *w, int i)
{
    return *(const int32_t *)w->args[i].data;
}

/* ---- the kernels ---- */

static void vecadd(struct bench_workload *w)
{
    const float *a = input(w, 0), *b = input(w, 1);
    float *c = output(w, 2);
    for (int i = 0; i < scalar(w, 3); i++) c[i] = a[i] + b[i];
}

/* Thread i runs the chains that start at i .. i+7; a chain is determined by its start, so each is run once.
 */
static void fma_loop(struct bench_workload *w)
{
    const int iterations = scalar(w, 1);
    const float factor = *(const float *)input(w, 2);
    float *out = output(w, 0), chains[8];
    for (size_t start = 0; start < w->args[0].count + 7; start++) {
        float chain = (float)start;
        for (int k = 0; k < iterations; k++) chain = fmaf(chain, factor, 1.0f);
        chains[start % 8] = chain;
        if (start < 7) continue;
        float sum = chains[(start - 7) % 8];
        for (size_t k = 1; k < 8; k++) sum += chains[(start - 7 + k) % 8];
        out[start - 7] = sum;
    }
}

static int escape_time(float cx, float cy, int limit)
{
    float x = 0, y = 0;
    for (int k = 0; k < limit; k++) {
        const float xx = x * x, yy = y * y;
        if (!(xx + yy < 4.0f)) return k;
        y = cy + (x + x) * y;
        x = cx + (xx - yy);
    }
    return limit;
}

static void mandelbrot(struct bench_workload *w)
{
    int32_t *out = output(w, 0);
    const int width = scalar(w, 1), height = scalar(w, 2), limit = scalar(w, 3);
    for (int i = 0; i < width * height; i++) {
        const float column = (float)(i % width), row = (float)(i / width);
        out[i] =
            escape_time(column * 3.0f / (float)width + -2.0f, (row + row) / (float)height + -1.0f, limit);
    }
}

/* For sgemm_tiled too: its tiles change where the numbers are read, not the order of the sum. */
static void sgemm(struct bench_workload *w)
{
    const float *a = input(w, 0), *b = input(w, 1);
    float *c = output(w, 2);
    const int n = scalar(w, 3);
    for (int row = 0; row < n; row++)
        for (int k = 0; k < n; k++)
            for (int column = 0; column < n; column++)
                c[row * n + column] = fmaf(a[row * n + k], b[k * n + column], c[row * n + column]);
}

static float block_sum(const float *in, int n, int first, int stride)
{
    float sums[256];
    for (int t = 0; t < 256; t++) {
        sums[t] = 0;
        for (int i = first + t; i < n; i += stride) sums[t] += in[i];
    }
    for (int distance = 128; distance > 0; distance /= 2)
        for (int t = 0; t < distance; t++) sums[t] = sums[t + distance] + sums[t];
    return sums[0];
}

static void reduce(struct bench_workload *w)
{
    float *out = output(w, 1);
    const int blocks = (int)w->grid[0];
    for (int block = 0; block < blocks; block++)
        out[block] = block_sum(input(w, 0), scalar(w, 2), block * 256, blocks * 256);
}

static void histogram(struct bench_workload *w)
{
    const uint32_t *in = input(w, 0);
    uint32_t *bins = output(w, 1);
    for (int i = 0; i < scalar(w, 2); i++) bins[in[i] & 255]++;
}

static void transpose(struct bench_workload *w)
{
    const float *in = input(w, 0);
    float *out = output(w, 1);
    const int n = scalar(w, 2);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) out[x * n + y] = in[y * n + x];
}

static void collatz(struct bench_workload *w)
{
    uint32_t *out = output(w, 0);
    for (int i = 0; i < scalar(w, 1); i++) {
        uint64_t v = (uint64_t)i + 1;
        uint32_t steps = 0;
        for (; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v >> 1;
        out[i] = steps;
    }
}

static void hashrounds(struct bench_workload *w)
{
    uint32_t *out = output(w, 0);
    const uint32_t rounds = (uint32_t)scalar(w, 1);
    for (uint32_t i = 0; i < w->args[0].count; i++) {
        uint32_t h = i * 2654435761u;
        for (uint32_t k = 0; k < rounds; k++) {
            h = (h ^ h >> 16) * 0x85ebca6bu;
            h = (h ^ h >> 13) * 0xc2b2ae35u;
            h = (h ^ h >> 16) + k;
            h = h << 7 | h >> 25;
        }
        out[i] = h;
    }
}

static void spmv(struct bench_workload *w)
{
    const int32_t *starts = input(w, 0), *columns = input(w, 1);
    const float *values = input(w, 2), *x = input(w, 3);
    float *y = output(w, 4);
    for (int row = 0; row < scalar(w, 5); row++)
        for (int k = starts[row]; k < starts[row + 1]; k++) y[row] = fmaf(values[k], x[columns[k]], y[row]);
}

static void jacobi(struct bench_workload *w)
{
    const double *in = input(w, 0);
    double *out = output(w, 1);
    const int n = scalar(w, 2);
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            const double *at = in + y * n + x;
            out[y * n + x] = 0.25 * (at[-1] + at[1] + at[-n] + at[n]);
        }
}

/* ---- all of them ---- */

struct kernel {
    const char *name;
    void (*run)(struct bench_workload *w);
    int approximate;
    uint64_t hashes[2]; /* of the output buffers, in order */
};

static const struct kernel kernels[] = {
    {"vecadd", vecadd, 0, {0xc0384916f7380103}},
    {"fma_loop", fma_loop, 0, {0x7c3287a5945f7c9f}},
    {"mandelbrot", mandelbrot, 0, {0x79262aed63a742ee}},
    {"sgemm_naive", sgemm, 0, {0x9ca524efd10ad943}},
    {"sgemm_tiled", sgemm, 0, {0x9ca524efd10ad943}},
    {"reduce", reduce, 0, {0x9d61d405780a2f6f}},
    {"nbody", bench_nbody, 1, {0xbbd8f8fbae33aea7}},
    {"histogram", histogram, 0, {0x484ac7ee43e90f83}},
    {"transpose", transpose, 0, {0x9d8289544b85bc03}},
    {"collatz", collatz, 0, {0x3aacbeada77fcf40}},
    {"hashrounds", hashrounds, 0, {0x30b1fe8a902ffe60}},
    {"spmv", spmv, 0, {0x3afe929ab361eeff}},
    {"jacobi", jacobi, 0, {0xde963d0ad889678b}},
    {"fma_loop_debug", fma_loop, 0, {0x7c3287a5945f7c9f}},
    {"sgemm_naive_debug", sgemm, 0, {0x9ca524efd10ad943}},
    {"hashrounds_debug", hashrounds, 0, {0x30b1fe8a902ffe60}},
    {"blackscholes", bench_blackscholes, 1, {0xd1c1cd076e6f6e6d, 0x2271d3a19a54d2e7}},
};

static const struct kernel *find_kernel(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
    errno = EINVAL;
    return NULL;
}

static int allocate_output(struct bench_arg *arg, const struct kernel *kernel, uint64_t hash)
{
    free(arg->expected);
    free(arg->tolerance);
    arg->tolerance = NULL;
    arg->chip_hash = hash;
    arg->expected = calloc(arg->count, kernel->approximate ? sizeof(double) : bench_element_size(arg->type));
    if (arg->expected && kernel->approximate) arg->tolerance = calloc(arg->count, sizeof(double));
    return arg->expected && (arg->tolerance || !kernel->approximate) ? 0 : -1;
}

int bench_reference(struct bench_workload *w)
{
    const struct kernel *kernel = find_kernel(w->kernel);
    int outputs = 0;
    if (!kernel) return -1;
    for (int a = 0; a < w->nargs; a++)
        if (w->args[a].role == BENCH_OUT && allocate_output(&w->args[a], kernel, kernel->hashes[outputs++]))
            return -1;
    kernel->run(w);
    return 0;
}

/* ---- judging ---- */

uint64_t bench_hash(const void *data, size_t words)
{
    const unsigned char *at = data;
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < words; i++) {
        uint32_t word;
        memcpy(&word, at + 4 * i, 4);
        hash = (hash ^ word) * 1099511628211u;
    }
    return hash;
}

static double element(char type, const void *data, size_t i)
{
    switch (type) {
    case 'f': return (double)((const float *)data)[i];
    case 'd': return ((const double *)data)[i];
    case 'i': return ((const int32_t *)data)[i];
    default: return ((const uint32_t *)data)[i];
    }
}

/* NaNs are right only where bits are compared. */
static int is_right(const struct bench_arg *output, const void *actual, size_t i)
{
    const size_t size = bench_element_size(output->type);
    if (!output->tolerance)
        return memcmp((const char *)actual + i * size, (const char *)output->expected + i * size, size) == 0;
    return fabs(element(output->type, actual, i) - ((const double *)output->expected)[i]) <=
           output->tolerance[i];
}

int bench_compare(const struct bench_arg *output, const void *actual, struct bench_mismatch *mismatch)
{
    memset(mismatch, 0, sizeof *mismatch);
    for (size_t i = 0; i < output->count; i++) {
        if (is_right(output, actual, i) || mismatch->count++ > 0) continue;
        mismatch->first = i;
        mismatch->actual = element(output->type, actual, i);
        mismatch->expected = element(output->tolerance ? 'd' : output->type, output->expected, i);
        mismatch->tolerance = output->tolerance ? output->tolerance[i] : 0;
    }
    return mismatch->count == 0;
}
