/* approx_check.c - compares lib/vm/approx.h with the recordings of a real chip.
 *
 *   approx_check [--quick] [--scalar] [--ftz-mode] [--threads N] GOLDEN_DIR [UNIT...]
 *
 * For every unit, all 2^32 indices of the sweep (approx/sweep.h), or one in 256 with --quick, go
 * through our function; the checksum of each of the 512 groups must equal the recorded one in
 * GOLDEN_DIR/<unit>.sum.  --scalar takes the one-value functions instead of the row functions,
 * --ftz-mode sets FTZ and DAZ in MXCSR, which must change nothing.  The work is split over threads
 * by groups.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "vm/approx.h"
#include "approx/sweep.h"

enum { BATCH = 256 };

typedef struct unit {
    const char *name;
    int log2_group;
    void (*row)(const uint32_t *index, uint64_t *out, int n);
    void (*lane)(const uint32_t *index, uint64_t *out, int n);
} unit;

/* Units with a row function: one operand, or the pair of a division. */
#define ROW(label, name, ftz) \
    static void row_##label(const uint32_t *index, uint64_t *out, int n) \
    { \
        uint32_t y[BATCH]; \
        px_approx_##name##_f32_row(y, index, n, ftz); \
        for (int i = 0; i < n; i++) out[i] = y[i]; \
    } \
    LANE(label, uint32_t, index[i], px_approx_##name##_f32(x, ftz))
#define PAIR(label, name, ftz) \
    static void row_##label(const uint32_t *index, uint64_t *out, int n) \
    { \
        uint32_t y[BATCH], a[BATCH], b[BATCH]; \
        for (int i = 0; i < n; i++) { a[i] = sweep_dividend(index[i]); b[i] = sweep_divisor(index[i]); } \
        px_approx_##name##_f32_row(y, a, b, n, ftz); \
        for (int i = 0; i < n; i++) out[i] = y[i]; \
    } \
    LANE(label, uint32_t, index[i], px_approx_##name##_f32(sweep_dividend(x), sweep_divisor(x), ftz))
#define LANE(label, type, operand, expr) \
    static void lane_##label(const uint32_t *index, uint64_t *out, int n) \
    { \
        for (int i = 0; i < n; i++) { type x = operand; out[i] = (expr); } \
    }

#define PACKED(label, f) \
    LANE(label, uint32_t, index[i], f((uint16_t)x) | (uint32_t)f((uint16_t)(x >> 16)) << 16)

ROW(rcp, rcp, false)
ROW(rcp_ftz, rcp, true)
ROW(rsqrt, rsqrt, false)
ROW(rsqrt_ftz, rsqrt, true)
ROW(sqrt, sqrt, false)
ROW(sqrt_ftz, sqrt, true)
ROW(ex2, ex2, false)
ROW(ex2_ftz, ex2, true)
ROW(lg2, lg2, false)
ROW(lg2_ftz, lg2, true)
ROW(sin, sin, false)
ROW(sin_ftz, sin, true)
ROW(cos, cos, false)
ROW(cos_ftz, cos, true)
ROW(tanh, tanh, false)
PAIR(div, div, false)
PAIR(div_ftz, div, true)
PAIR(divfull, divfull, false)
PAIR(divfull_ftz, divfull, true)
LANE(rcp_ftz_f64, uint64_t, sweep_f64(index[i]), px_approx_rcp_ftz_f64(x))
LANE(rsqrt_f64, uint64_t, sweep_f64(index[i]), px_approx_rsqrt_f64(x, false))
LANE(rsqrt_ftz_f64, uint64_t, sweep_f64(index[i]), px_approx_rsqrt_f64(x, true))
PACKED(ex2_f16x2, px_approx_ex2_f16)
PACKED(tanh_f16x2, px_approx_tanh_f16)
PACKED(ex2_ftz_bf16x2, px_approx_ex2_bf16)
PACKED(tanh_bf16x2, px_approx_tanh_bf16)
LANE(ex2_f16, uint16_t, (uint16_t)index[i], px_approx_ex2_f16(x))
LANE(tanh_f16, uint16_t, (uint16_t)index[i], px_approx_tanh_f16(x))
LANE(ex2_ftz_bf16, uint16_t, (uint16_t)index[i], px_approx_ex2_bf16(x))
LANE(tanh_bf16, uint16_t, (uint16_t)index[i], px_approx_tanh_bf16(x))

#define F32(name) { #name, 23, row_##name, lane_##name }
#define LONG(name) { #name, 23, lane_##name, lane_##name }
#define H16(name) { #name, 7, lane_##name, lane_##name }
static const unit units[] = {
    F32(rcp), F32(rcp_ftz), F32(rsqrt), F32(rsqrt_ftz), F32(sqrt), F32(sqrt_ftz), F32(ex2), F32(ex2_ftz),
    F32(lg2), F32(lg2_ftz), F32(sin), F32(sin_ftz), F32(cos), F32(cos_ftz), F32(tanh), F32(div), F32(div_ftz),
    F32(divfull), F32(divfull_ftz), LONG(rcp_ftz_f64), LONG(rsqrt_f64), LONG(rsqrt_ftz_f64),
    LONG(ex2_f16x2), LONG(tanh_f16x2), LONG(ex2_ftz_bf16x2), LONG(tanh_bf16x2),
    H16(ex2_f16), H16(tanh_f16), H16(ex2_ftz_bf16), H16(tanh_bf16),
};

typedef struct options {
    bool quick, scalar, ftz_mode;
    int threads;
    const char *dir;
} options;

typedef struct job {
    const unit *u;
    const options *o;
    int first, step;                    /* the groups first, first + step, ... */
    uint32_t sums[SWEEP_GROUPS];
    pthread_t thread;
} job;

static uint64_t sum_batch(const unit *u, const options *o, const uint32_t *index, int n)
{
    uint64_t out[BATCH], sum = 0;
    (o->scalar ? u->lane : u->row)(index, out, n);
    for (int i = 0; i < n; i++) sum += sweep_mix(index[i], out[i]);
    return sum;
}

static uint32_t group_sum(const unit *u, const options *o, uint32_t group)
{
    uint64_t sum = 0;
    uint32_t index[BATCH];
    bool thin = o->quick && u->log2_group > 8;
    int log2_size = u->log2_group - (thin ? 8 : 0);
    uint32_t size = 1u << log2_size, first = group << log2_size;
    int batch = size < BATCH ? (int)size : BATCH;
    for (uint32_t k = 0; k < size; k += (uint32_t)batch) {
        for (int i = 0; i < batch; i++) {
            uint32_t j = first + k + (uint32_t)i;
            index[i] = thin ? sweep_quick(j) : j;
        }
        sum += sum_batch(u, o, index, batch);
    }
    return (uint32_t)(sum >> 32);
}

static void *run_job(void *arg)
{
    job *j = arg;
#ifdef __SSE2__
    if (j->o->ftz_mode) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    for (int g = j->first; g < SWEEP_GROUPS; g += j->step)
        j->sums[g] = group_sum(j->u, j->o, (uint32_t)g);
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

/* All groups; returns the seconds taken. */
static double run_jobs(const unit *u, const options *o, uint32_t *sums)
{
    job *jobs = calloc((size_t)o->threads, sizeof *jobs);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int t = 0; t < o->threads; t++) {
        jobs[t] = (job){ .u = u, .o = o, .first = t, .step = o->threads };
        pthread_create(&jobs[t].thread, NULL, run_job, &jobs[t]);
    }
    for (int t = 0; t < o->threads; t++) pthread_join(jobs[t].thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    for (int g = 0; g < SWEEP_GROUPS; g++) sums[g] = jobs[g % o->threads].sums[g];
    free(jobs);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

static int check_unit(const unit *u, const options *o)
{
    uint32_t golden[SWEEP_GROUPS];
    if (!read_golden(o->dir, u->name, o->quick, golden)) return 1;
    uint32_t sums[SWEEP_GROUPS];
    double seconds = run_jobs(u, o, sums);
    int bad = 0;
    char groups[200] = "";
    for (int g = 0; g < SWEEP_GROUPS; g++) {
        if (sums[g] == golden[g]) continue;
        size_t used = strlen(groups);
        if (bad++ < 24) snprintf(groups + used, sizeof groups - used, " %d", g);
    }
    if (bad) printf("FAIL %-14s %d of 512 groups differ:%s (%.1f s)\n", u->name, bad, groups, seconds);
    else printf("ok   %-14s %s (%.1f s)\n", u->name, o->quick ? "quick" : "all inputs", seconds);
    fflush(stdout);
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
    options o = { .threads = 2 };
    int i = 1, bad = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quick")) o.quick = true;
        else if (!strcmp(argv[i], "--scalar")) o.scalar = true;
        else if (!strcmp(argv[i], "--ftz-mode")) o.ftz_mode = true;
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc) o.threads = atoi(argv[++i]);
        else break;
    }
    if (i >= argc || argv[i][0] == '-' || o.threads < 1) {
        fprintf(stderr, "use: approx_check [--quick] [--scalar] [--ftz-mode] [--threads N] GOLDEN_DIR [UNIT...]\n");
        return 2;
    }
    o.dir = argv[i++];
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (wanted(units[k].name, argc, argv, i)) bad += check_unit(&units[k], &o);
    return bad ? 1 : 0;
}
