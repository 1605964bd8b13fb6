/* approx_check.c - compares the approximate units with the recordings of a real chip.
 *
 *   approx_check [--quick] [--level NAME] [--scalar] [--ftz-mode] [--threads N] GOLDEN_DIR [UNIT...]
 *
 * For every unit, all 2^32 indices of the sweep (approx/sweep.h), or one in 256 with --quick, go
 * through the row function that kernels run (vm/units.h); the checksum of each of the 512 groups must
 * equal the recorded one in GOLDEN_DIR/<unit>.sum.  That is done for each SIMD level that this machine
 * runs, or for the one that --level names.  --scalar takes the one-value functions of vm/approx.h
 * instead, --ftz-mode sets FTZ and DAZ in MXCSR, which must change nothing.  The work is split over
 * threads by groups.
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
#include "vm/units.h"
#include "approx/sweep.h"

enum { BATCH = 256 };

/* How indices become operands, and results 64-bit words. */
typedef enum kind { F32, PAIR, F64, PACKED, HALF } kind;

typedef struct unit {
    const char *name;
    enum px_unit unit;
    kind kind;
    void (*lane)(const uint32_t *index, uint64_t *out, int n);
} unit;

/* One value after the other. */
#define LANE(label, type, operand, expr) \
    static void lane_##label(const uint32_t *index, uint64_t *out, int n) \
    { \
        for (int i = 0; i < n; i++) { type x = operand; out[i] = (expr); } \
    }
#define LANE_F32(label, name, ftz) LANE(label, uint32_t, index[i], px_approx_##name##_f32(x, ftz))
#define LANE_PAIR(label, name, ftz) \
    LANE(label, uint32_t, index[i], px_approx_##name##_f32(sweep_dividend(x), sweep_divisor(x), ftz))
#define LANE_PACKED(label, f) \
    LANE(label, uint32_t, index[i], f((uint16_t)x) | (uint32_t)f((uint16_t)(x >> 16)) << 16)

LANE_F32(rcp, rcp, false)
LANE_F32(rcp_ftz, rcp, true)
LANE_F32(rsqrt, rsqrt, false)
LANE_F32(rsqrt_ftz, rsqrt, true)
LANE_F32(sqrt, sqrt, false)
LANE_F32(sqrt_ftz, sqrt, true)
LANE_F32(ex2, ex2, false)
LANE_F32(ex2_ftz, ex2, true)
LANE_F32(lg2, lg2, false)
LANE_F32(lg2_ftz, lg2, true)
LANE_F32(sin, sin, false)
LANE_F32(sin_ftz, sin, true)
LANE_F32(cos, cos, false)
LANE_F32(cos_ftz, cos, true)
LANE_F32(tanh, tanh, false)
LANE_PAIR(div, div, false)
LANE_PAIR(div_ftz, div, true)
LANE_PAIR(divfull, divfull, false)
LANE_PAIR(divfull_ftz, divfull, true)
LANE(rcp_ftz_f64, uint64_t, sweep_f64(index[i]), px_approx_rcp_ftz_f64(x))
LANE(rsqrt_f64, uint64_t, sweep_f64(index[i]), px_approx_rsqrt_f64(x, false))
LANE(rsqrt_ftz_f64, uint64_t, sweep_f64(index[i]), px_approx_rsqrt_f64(x, true))
LANE_PACKED(ex2_f16x2, px_approx_ex2_f16)
LANE_PACKED(tanh_f16x2, px_approx_tanh_f16)
LANE_PACKED(ex2_ftz_bf16x2, px_approx_ex2_bf16)
LANE_PACKED(tanh_bf16x2, px_approx_tanh_bf16)
LANE(ex2_f16, uint16_t, (uint16_t)index[i], px_approx_ex2_f16(x))
LANE(tanh_f16, uint16_t, (uint16_t)index[i], px_approx_tanh_f16(x))
LANE(ex2_ftz_bf16, uint16_t, (uint16_t)index[i], px_approx_ex2_bf16(x))
LANE(tanh_bf16, uint16_t, (uint16_t)index[i], px_approx_tanh_bf16(x))

#define S(name) { #name, PX_UNIT_##name##_f32, F32, lane_##name }
#define D(name) { #name, PX_UNIT_##name##_f32, PAIR, lane_##name }
#define U(name, kind) { #name, PX_UNIT_##name, kind, lane_##name }
static const unit units[] = {
    S(rcp), S(rcp_ftz), S(rsqrt), S(rsqrt_ftz), S(sqrt), S(sqrt_ftz), S(ex2), S(ex2_ftz), S(lg2), S(lg2_ftz),
    S(sin), S(sin_ftz), S(cos), S(cos_ftz), S(tanh), D(div), D(div_ftz), D(divfull), D(divfull_ftz),
    U(rcp_ftz_f64, F64), U(rsqrt_f64, F64), U(rsqrt_ftz_f64, F64),
    U(ex2_f16x2, PACKED), U(tanh_f16x2, PACKED), U(ex2_ftz_bf16x2, PACKED), U(tanh_bf16x2, PACKED),
    U(ex2_f16, HALF), U(tanh_f16, HALF), U(ex2_ftz_bf16, HALF), U(tanh_bf16, HALF),
};

static int log2_group(const unit *u) { return u->kind == HALF ? 7 : 23; }

/* Every index through a row function; n is a multiple of 32. */
static void row(px_unit_row *f, kind k, const uint32_t *index, uint64_t *out, int n)
{
    uint32_t a[BATCH], b[BATCH], d[BATCH];
    uint64_t a64[BATCH];
    uint16_t a16[BATCH], d16[BATCH];
    if (k == F64) {
        for (int i = 0; i < n; i++) a64[i] = sweep_f64(index[i]);
        f(out, a64, a64, (uint32_t)n);
    } else if (k == HALF) {
        for (int i = 0; i < n; i++) a16[i] = (uint16_t)index[i];
        f(d16, a16, a16, (uint32_t)n);
        for (int i = 0; i < n; i++) out[i] = d16[i];
    } else {
        for (int i = 0; i < n; i++) {
            a[i] = k == PAIR ? sweep_dividend(index[i]) : index[i];
            b[i] = k == PAIR ? sweep_divisor(index[i]) : 0;
        }
        f(d, a, b, (uint32_t)n);
        for (int i = 0; i < n; i++) out[i] = d[i];
    }
}

typedef struct options {
    bool quick, ftz_mode;
    const struct px_units *level;       /* NULL: the one-value functions */
    const char *level_name;
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
    if (o->level) row(o->level->row[u->unit], u->kind, index, out, n);
    else u->lane(index, out, n);
    for (int i = 0; i < n; i++) sum += sweep_mix(index[i], out[i]);
    return sum;
}

static uint32_t group_sum(const unit *u, const options *o, uint32_t group)
{
    uint64_t sum = 0;
    uint32_t index[BATCH];
    bool thin = o->quick && log2_group(u) > 8;
    int log2_size = log2_group(u) - (thin ? 8 : 0);
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
    if (bad) printf("FAIL %-10s %-14s %d of 512 groups differ:%s (%.1f s)\n", o->level_name, u->name, bad, groups, seconds);
    else printf("ok   %-10s %-14s %s (%.1f s)\n", o->level_name, u->name, o->quick ? "quick" : "all inputs", seconds);
    fflush(stdout);
    return bad != 0;
}

static bool wanted(const char *name, int argc, char **argv, int first)
{
    bool found = first >= argc;
    for (int i = first; i < argc; i++) found |= !strcmp(argv[i], name);
    return found;
}

/* ---- levels ---- */

typedef struct level { const char *name; const struct px_units *rows; } level;

/* Those that this machine runs; returns how many. */
static int find_levels(level *to)
{
    int n = 0;
    to[n++] = (level){ "portable", &px_units_portable };
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")
                && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                  && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    bool more = avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    if (avx2) to[n++] = (level){ "avx2", &px_units_avx2 };
    if (avx512) to[n++] = (level){ "avx512", &px_units_avx512 };
    if (more) to[n++] = (level){ "avx512vbmi", &px_units_avx512vbmi };
#endif
    return n;
}

static int check_level(options *o, level l, int argc, char **argv, int first)
{
    int bad = 0;
    o->level_name = l.name;
    o->level = l.rows;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (wanted(units[k].name, argc, argv, first)) bad += check_unit(&units[k], o);
    return bad;
}

int main(int argc, char **argv)
{
    options o = { .threads = 2 };
    level levels[4];
    const char *only = NULL;
    bool scalar = false;
    int i = 1, bad = 0, done = 0, n = find_levels(levels);
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quick")) o.quick = true;
        else if (!strcmp(argv[i], "--scalar")) scalar = true;
        else if (!strcmp(argv[i], "--ftz-mode")) o.ftz_mode = true;
        else if (!strcmp(argv[i], "--level") && i + 1 < argc) only = argv[++i];
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc) o.threads = atoi(argv[++i]);
        else break;
    }
    if (i >= argc || argv[i][0] == '-' || o.threads < 1) {
        fprintf(stderr, "use: approx_check [--quick] [--level NAME] [--scalar] [--ftz-mode] [--threads N] GOLDEN_DIR [UNIT...]\n");
        return 2;
    }
    o.dir = argv[i++];
    if (scalar) return check_level(&o, (level){ "scalar", NULL }, argc, argv, i) != 0;
    for (int k = 0; k < n; k++) {
        if (only && strcmp(only, levels[k].name)) continue;
        bad += check_level(&o, levels[k], argc, argv, i);
        done++;
    }
    if (!done) fprintf(stderr, "approx_check: this machine does not run level %s\n", only);
    return bad || !done ? 1 : 0;
}
