/* approx_bench.c - speed of the approximate units in Gti/s (10^9 results a second, one thread).
 *
 *   approx_bench [wild]
 *
 * A row of 256 operands, in cache, is done again and again; the best of many short runs counts.
 * The operands are positive and ordinary (the quick way of approx.h), or with "wild" any bits.
 * Nothing here passes or fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm/approx.h"

enum { LANES = 256, RUNS = 200, CALLS = 400 };

typedef struct rows {
    uint32_t d32[LANES], a[LANES], b[LANES];
    uint64_t d64[LANES], wide[LANES];
    uint16_t d16[LANES], half[LANES];
    int n;
} rows;

#define KERNEL(label, body) \
    static __attribute__((noinline)) void run_##label(rows *r) { int n = r->n; body }
#define UNIT(label, name, ftz) KERNEL(label, px_approx_##name##_f32_row(r->d32, r->a, n, ftz);)
#define PAIR(label, name, ftz) KERNEL(label, px_approx_##name##_f32_row(r->d32, r->a, r->b, n, ftz);)
#define EACH(label, d, expr) KERNEL(label, PX_APPROX_LOOP for (int i = 0; i < n; i++) r->d[i] = expr;)

UNIT(rcp, rcp, false)
UNIT(rcp_ftz, rcp, true)
UNIT(rsqrt, rsqrt, false)
UNIT(rsqrt_ftz, rsqrt, true)
UNIT(sqrt, sqrt, false)
UNIT(sqrt_ftz, sqrt, true)
UNIT(ex2, ex2, false)
UNIT(ex2_ftz, ex2, true)
UNIT(lg2, lg2, false)
UNIT(lg2_ftz, lg2, true)
UNIT(sin, sin, false)
UNIT(cos, cos, false)
UNIT(tanh, tanh, false)
PAIR(div, div, false)
PAIR(div_ftz, div, true)
PAIR(divfull, divfull, false)
PAIR(divfull_ftz, divfull, true)
EACH(rcp_ftz_f64, d64, px_approx_rcp_ftz_f64(r->wide[i]))
EACH(rsqrt_f64, d64, px_approx_rsqrt_f64(r->wide[i], false))
EACH(rsqrt_ftz_f64, d64, px_approx_rsqrt_f64(r->wide[i], true))
EACH(ex2_f16, d16, px_approx_ex2_f16(r->half[i]))
EACH(tanh_f16, d16, px_approx_tanh_f16(r->half[i]))
EACH(ex2_bf16, d16, px_approx_ex2_bf16(r->half[i]))
EACH(tanh_bf16, d16, px_approx_tanh_bf16(r->half[i]))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *name, void (*kernel)(rows *), rows *r)
{
    double best = 1e9;
    for (int k = 0; k < RUNS; k++) {
        double start = now();
        for (int c = 0; c < CALLS; c++) kernel(r);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    printf("%-14s %.2f Gti/s\n", name, (double)r->n * CALLS / best * 1e-9);
}

static rows *make_rows(bool wild)
{
    size_t size = (sizeof(rows) + 63) / 64 * 64;
    rows *r = aligned_alloc(64, size);
    if (!r) exit(1);
    memset(r, 0, size);
    r->n = LANES;
    uint64_t x = 1;
    for (int i = 0; i < LANES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t bits = (uint32_t)(x >> 32);
        r->a[i] = wild ? bits : 0x3C000000u + bits % 0x05000000u;
        r->b[i] = wild ? ~bits * 7u : 0x3C000000u + ~bits % 0x05000000u;
        r->wide[i] = ((uint64_t)(wild ? bits : 0x3E000000u + bits % 0x03000000u) << 32) | bits;
        r->half[i] = (uint16_t)(r->a[i] >> 16);
    }
    return r;
}

int main(int argc, char **argv)
{
    rows *r = make_rows(argc > 1 && !strcmp(argv[1], "wild"));
#define M(label) measure(#label, run_##label, r);
    M(rcp) M(rcp_ftz) M(rsqrt) M(rsqrt_ftz) M(sqrt) M(sqrt_ftz) M(ex2) M(ex2_ftz) M(lg2) M(lg2_ftz) M(sin) M(cos)
    M(tanh) M(div) M(div_ftz) M(divfull) M(divfull_ftz) M(rcp_ftz_f64) M(rsqrt_f64) M(rsqrt_ftz_f64) M(ex2_f16)
    M(tanh_f16) M(ex2_bf16) M(tanh_bf16)
    free(r);
    return 0;
}
