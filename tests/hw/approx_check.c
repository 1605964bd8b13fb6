/* approx_check.c - compares lib/vm/approx.h with the recordings of a real chip.
 *
 *   approx_check [--quick] [--threads N] GOLDEN_DIR [UNIT...]
 *
 * For every unit, all 2^32 indices of the sweep (approx/sweep.h), or one in 256 with --quick, go
 * through our function; the checksum of each of the 512 groups must equal the recorded one in
 * GOLDEN_DIR/<unit>.sum.  The work is split over threads by groups; results do not depend on it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmmintrin.h>

#include "../../lib/vm/approx.h"
#include "approx/sweep.h"

enum { BATCH = 256 };

typedef struct unit {
    const char *name;
    int log2_group;
    void (*eval)(const uint32_t *index, uint64_t *out, int n);
} unit;

#define ONE(name, expr) \
    static void eval_##name(const uint32_t *index, uint64_t *out, int n) \
    { \
        uint32_t y[BATCH]; \
        for (int i = 0; i < n; i++) { uint32_t x = index[i]; y[i] = (expr); } \
        for (int i = 0; i < n; i++) out[i] = y[i]; \
    }
#define WIDE(name, expr) \
    static void eval_##name(const uint32_t *index, uint64_t *out, int n) \
    { \
        for (int i = 0; i < n; i++) { uint64_t x = sweep_f64(index[i]); out[i] = (expr); } \
    }

ONE(rcp, px_approx_rcp_f32(x, false))
ONE(rcp_ftz, px_approx_rcp_f32(x, true))
ONE(rsqrt, px_approx_rsqrt_f32(x, false))
ONE(rsqrt_ftz, px_approx_rsqrt_f32(x, true))
ONE(sqrt, px_approx_sqrt_f32(x, false))
ONE(sqrt_ftz, px_approx_sqrt_f32(x, true))
ONE(ex2, px_approx_ex2_f32(x, false))
ONE(ex2_ftz, px_approx_ex2_f32(x, true))
ONE(lg2, px_approx_lg2_f32(x, false))
ONE(lg2_ftz, px_approx_lg2_f32(x, true))
ONE(sin, px_approx_sin_f32(x, false))
ONE(sin_ftz, px_approx_sin_f32(x, true))
ONE(cos, px_approx_cos_f32(x, false))
ONE(cos_ftz, px_approx_cos_f32(x, true))
ONE(tanh, px_approx_tanh_f32(x, false))
ONE(div, px_approx_div_f32(sweep_dividend(x), sweep_divisor(x), false))
ONE(div_ftz, px_approx_div_f32(sweep_dividend(x), sweep_divisor(x), true))
ONE(divfull, px_approx_divfull_f32(sweep_dividend(x), sweep_divisor(x), false))
ONE(divfull_ftz, px_approx_divfull_f32(sweep_dividend(x), sweep_divisor(x), true))
ONE(ex2_f16, px_approx_ex2_f16((uint16_t)x))
ONE(tanh_f16, px_approx_tanh_f16((uint16_t)x))
ONE(ex2_ftz_bf16, px_approx_ex2_bf16((uint16_t)x))
ONE(tanh_bf16, px_approx_tanh_bf16((uint16_t)x))
WIDE(rcp_ftz_f64, px_approx_rcp_ftz_f64(x))
WIDE(rsqrt_f64, px_approx_rsqrt_f64(x, false))
WIDE(rsqrt_ftz_f64, px_approx_rsqrt_f64(x, true))

#define F32(name) { #name, 23, eval_##name }
#define H16(name) { #name, 7, eval_##name }
static const unit units[] = {
    F32(rcp), F32(rcp_ftz), F32(rsqrt), F32(rsqrt_ftz), F32(sqrt), F32(sqrt_ftz), F32(ex2), F32(ex2_ftz),
    F32(lg2), F32(lg2_ftz), F32(sin), F32(sin_ftz), F32(cos), F32(cos_ftz), F32(tanh), F32(div), F32(div_ftz),
    F32(divfull), F32(divfull_ftz),
    F32(rcp_ftz_f64), F32(rsqrt_f64), F32(rsqrt_ftz_f64),
    H16(ex2_f16), H16(tanh_f16), H16(ex2_ftz_bf16), H16(tanh_bf16),
};

typedef struct job {
    const unit *u;
    bool quick;
    int first, step;                    /* the groups first, first + step, ... */
    uint32_t sums[SWEEP_GROUPS];
    pthread_t thread;
} job;

static uint64_t sum_batch(const unit *u, const uint32_t *index, int n)
{
    uint64_t out[BATCH], sum = 0;
    u->eval(index, out, n);
    for (int i = 0; i < n; i++) sum += sweep_mix(index[i], out[i]);
    return sum;
}

static uint32_t group_sum(const unit *u, uint32_t group, bool quick)
{
    uint64_t sum = 0;
    uint32_t index[BATCH];
    bool thin = quick && u->log2_group > 8;
    int log2_size = u->log2_group - (thin ? 8 : 0);
    uint32_t size = 1u << log2_size, first = group << log2_size;
    int batch = size < BATCH ? (int)size : BATCH;
    for (uint32_t k = 0; k < size; k += (uint32_t)batch) {
        for (int i = 0; i < batch; i++) {
            uint32_t j = first + k + (uint32_t)i;
            index[i] = thin ? sweep_quick(j) : j;
        }
        sum += sum_batch(u, index, batch);
    }
    return (uint32_t)(sum >> 32);
}

static void *run_job(void *arg)
{
    job *j = arg;
    if (getenv("APPROX_CHECK_FTZ")) _mm_setcsr(_mm_getcsr() | 0x8040);   /* FTZ and DAZ */
    for (int g = j->first; g < SWEEP_GROUPS; g += j->step)
        j->sums[g] = group_sum(j->u, (uint32_t)g, j->quick);
    return NULL;
}

static bool read_golden(const char *dir, const char *name, bool quick, uint32_t *sums)
{
    char path[512], line[128];
    snprintf(path, sizeof path, "%s/%s.sum", dir, name);
    FILE *f = fopen(path, "r");
    if (!f) { perror(path); return false; }
    int n = 0;
    while (n < SWEEP_GROUPS && fgets(line, sizeof line, f)) {
        unsigned full, thin;
        if (line[0] != '#' && sscanf(line, "%x %x", &full, &thin) == 2) sums[n++] = quick ? thin : full;
    }
    fclose(f);
    return n == SWEEP_GROUPS;
}

static int check_unit(const unit *u, const char *dir, bool quick, int threads)
{
    uint32_t golden[SWEEP_GROUPS];
    if (!read_golden(dir, u->name, quick, golden)) return 1;
    job *jobs = calloc((size_t)threads, sizeof *jobs);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int t = 0; t < threads; t++) {
        jobs[t] = (job){ .u = u, .quick = quick, .first = t, .step = threads };
        pthread_create(&jobs[t].thread, NULL, run_job, &jobs[t]);
    }
    for (int t = 0; t < threads; t++) pthread_join(jobs[t].thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    int bad = 0;
    char groups[200] = "";
    for (int g = 0; g < SWEEP_GROUPS; g++) {
        if (jobs[g % threads].sums[g] == golden[g]) continue;
        size_t used = strlen(groups);
        if (bad++ < 24) snprintf(groups + used, sizeof groups - used, " %d", g);
    }
    double seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
    if (bad) printf("FAIL %-14s %d of 512 groups differ:%s (%.1f s)\n", u->name, bad, groups, seconds);
    else printf("ok   %-14s %s (%.1f s)\n", u->name, quick ? "quick" : "all inputs", seconds);
    fflush(stdout);
    free(jobs);
    return bad != 0;
}

static bool wanted(const char *name, int argc, char **argv, int first)
{
    bool found = first >= argc;
    for (int i = first; i < argc; i++) found |= !strcmp(argv[i], name);
    return found;
}

int main(int argc, char **argv)
{
    bool quick = false;
    int threads = 2, i = 1, bad = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quick")) quick = true;
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc) threads = atoi(argv[++i]);
    }
    if (i >= argc || threads < 1) {
        fprintf(stderr, "use: approx_check [--quick] [--threads N] GOLDEN_DIR [UNIT...]\n");
        return 2;
    }
    const char *dir = argv[i++];
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (wanted(units[k].name, argc, argv, i)) bad += check_unit(&units[k], dir, quick, threads);
    return bad ? 1 : 0;
}
