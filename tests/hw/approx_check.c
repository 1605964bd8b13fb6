/* approx_check.c - compares the approximate units with the recordings of a real chip.
 *
 *   approx_check [--quick] [--level NAME] [--scalar] [--ftz-mode] [--sweep] [--threads N] GOLDEN_DIR
 * [UNIT...]
 *
 * For every unit, all 2^32 indices of the sweep (approx/sweep.h), or one in 256 with --quick, go
 * through the row function that kernels run (approx/levels.h); the checksum of each of the 512 groups must
 * equal the recorded one in GOLDEN_DIR/<unit>.sum.  That is done for each SIMD level that this machine
 * runs, or for the one that --level names.  --scalar takes the one-value functions of approx/approx.h
 * instead, --ftz-mode sets FTZ and DAZ in MXCSR, which must change nothing.  --sweep does all of that:
 * the one-value functions and every level, without and with --ftz-mode; it prints a line for each of
 * these passes and for each failing unit.
 *
 * The threads, as many as there are processors unless --threads says otherwise, share out the groups of
 * all units of a pass.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "approx/approx.h"
#include "approx/levels.h"
#include "approx/sweep.h"

enum { BATCH = 256 };

/* Most of the time of a sweep goes into making operands and mixing results; this does it in vectors. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) &&                           \
    !defined(__SANITIZE_ADDRESS__)
#define IN_VECTORS __attribute__((target_clones("arch=x86-64-v4", "default"), optimize("O3")))
#else
#define IN_VECTORS
#endif

/* How indices become operands, and results 64-bit words. */
typedef enum kind { F32, PAIR, F64, PACKED, HALF } kind;

typedef struct unit {
    const char *name;
    enum px_unit unit;
    kind kind;
    void (*lane)(const uint32_t *index, uint64_t *out, int n);
} unit;

/* One value after the other. */
#define LANE(label, type, operand, expr)                                                                     \
    static void lane_##label(const uint32_t *index, uint64_t *out, int n)                                    \
    {                                                                                                        \
        for (int i = 0; i < n; i++) {                                                                        \
            type x = operand;                                                                                \
            out[i] = (expr);                                                                                 \
        }                                                                                                    \
    }
#define LANE_F32(label, name, ftz) LANE(label, uint32_t, index[i], px_approx_##name##_f32(x, ftz))
#define LANE_PAIR(label, name, ftz)                                                                          \
    LANE(label, uint32_t, index[i], px_approx_##name##_f32(sweep_dividend(x), sweep_divisor(x), ftz))
#define LANE_PACKED(label, f)                                                                                \
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

#define S(name)                                                                                              \
    {                                                                                                        \
#name, PX_UNIT_##name##_f32, F32, lane_##name                                                        \
    }
#define D(name)                                                                                              \
    {                                                                                                        \
#name, PX_UNIT_##name##_f32, PAIR, lane_##name                                                       \
    }
#define U(name, kind)                                                                                        \
    {                                                                                                        \
#name, PX_UNIT_##name, kind, lane_##name                                                             \
    }
static const unit units[] = {
    S(rcp),
    S(rcp_ftz),
    S(rsqrt),
    S(rsqrt_ftz),
    S(sqrt),
    S(sqrt_ftz),
    S(ex2),
    S(ex2_ftz),
    S(lg2),
    S(lg2_ftz),
    S(sin),
    S(sin_ftz),
    S(cos),
    S(cos_ftz),
    S(tanh),
    D(div),
    D(div_ftz),
    D(divfull),
    D(divfull_ftz),
    U(rcp_ftz_f64, F64),
    U(rsqrt_f64, F64),
    U(rsqrt_ftz_f64, F64),
    U(ex2_f16x2, PACKED),
    U(tanh_f16x2, PACKED),
    U(ex2_ftz_bf16x2, PACKED),
    U(tanh_bf16x2, PACKED),
    U(ex2_f16, HALF),
    U(tanh_f16, HALF),
    U(ex2_ftz_bf16, HALF),
    U(tanh_bf16, HALF),
};

enum { UNITS = sizeof units / sizeof *units };

static int log2_group(const unit *u)
{
    return u->kind == HALF ? 7 : 23;
}

/* Every index through a row function; n is a multiple of 32. */
IN_VECTORS static void row(px_unit_row *f, kind k, const uint32_t *index, uint64_t *out, uint32_t n)
{
    if (k == F64) {
        uint64_t a[BATCH] = {0};
        for (uint32_t i = 0; i < n; i++) a[i] = sweep_f64(index[i]);
        f(out, a, a, n);
    } else if (k == HALF) {
        uint16_t a[BATCH] = {0}, d[BATCH];
        for (uint32_t i = 0; i < n; i++) a[i] = (uint16_t)index[i];
        f(d, a, a, n);
        for (uint32_t i = 0; i < n; i++) out[i] = d[i];
    } else {
        uint32_t a[BATCH] = {0}, b[BATCH] = {0}, d[BATCH];
        for (uint32_t i = 0; i < n && k == PAIR; i++)
            a[i] = sweep_dividend(index[i]), b[i] = sweep_divisor(index[i]);
        f(d, k == PAIR ? a : index, b, n);
        for (uint32_t i = 0; i < n; i++) out[i] = d[i];
    }
}

typedef struct options {
    bool quick, ftz_mode, brief;  /* brief: no line for a unit that passes */
    const struct px_units *level; /* NULL: the one-value functions */
    const char *level_name;
    int threads;
    const char *dir;
    const unit *units[UNITS]; /* those wanted */
    int count;
} options;

/* One pass over the wanted units, and what the threads share.  A task is one group of one unit. */
typedef struct pass {
    const options *o;
    struct timespec start;
    atomic_int next, done[UNITS], bad;
    uint32_t sums[UNITS][SWEEP_GROUPS], golden[UNITS][SWEEP_GROUPS];
} pass;

IN_VECTORS static uint64_t mix_batch(const uint32_t *index, const uint64_t *out, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += sweep_mix(index[i], out[i]);
    return sum;
}

static uint64_t sum_batch(const unit *u, const options *o, const uint32_t *index, uint32_t n)
{
    uint64_t out[BATCH];
    if (o->level)
        row(o->level->row[u->unit], u->kind, index, out, n);
    else
        u->lane(index, out, (int)n);
    return mix_batch(index, out, n);
}

IN_VECTORS static void fill_batch(uint32_t *index, uint32_t first, uint32_t n, bool thin)
{
    for (uint32_t i = 0; i < n; i++) index[i] = thin ? sweep_quick(first + i) : first + i;
}

static uint32_t group_sum(const unit *u, const options *o, uint32_t group)
{
    uint64_t sum = 0;
    uint32_t index[BATCH];
    bool thin = o->quick && log2_group(u) > 8;
    int log2_size = log2_group(u) - (thin ? 8 : 0);
    uint32_t size = 1u << log2_size, first = group << log2_size, batch = size < BATCH ? size : BATCH;
    for (uint32_t k = 0; k < size; k += batch) {
        fill_batch(index, first + k, batch, thin);
        sum += sum_batch(u, o, index, batch);
    }
    return (uint32_t)(sum >> 32);
}

static bool read_golden(const char *dir, const char *name, bool quick, uint32_t *sums)
{
    char path[512], line[128];
    snprintf(path, sizeof path, "%s/%s.sum", dir, name);
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return false;
    }
    int n = 0;
    while (n < SWEEP_GROUPS && fgets(line, sizeof line, f)) {
        unsigned full, thin;
        if (line[0] != '#' && sscanf(line, "%x %x", &full, &thin) == 2) sums[n++] = quick ? thin : full;
    }
    fclose(f);
    if (n != SWEEP_GROUPS) fprintf(stderr, "%s: not %d checksums\n", path, SWEEP_GROUPS);
    return n == SWEEP_GROUPS;
}

static double seconds_since(const struct timespec *start)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - start->tv_sec) + (double)(t.tv_nsec - start->tv_nsec) * 1e-9;
}

/* The verdict on a unit whose groups are all done; the time is that since the pass began. */
static void judge(pass *p, int which)
{
    const options *o = p->o;
    char groups[200] = "";
    int bad = 0;
    for (int g = 0; g < SWEEP_GROUPS; g++) {
        if (p->sums[which][g] == p->golden[which][g]) continue;
        size_t used = strlen(groups);
        if (bad++ < 24) snprintf(groups + used, sizeof groups - used, " %d", g);
    }
    const char *name = o->units[which]->name, *mode = o->ftz_mode ? " ftz mode" : "";
    double seconds = seconds_since(&p->start);
    if (bad)
        printf("FAIL %s%s %s: %d of 512 groups differ:%s\n", o->level_name, mode, name, bad, groups);
    else if (!o->brief)
        printf("ok   %-10s%s %-14s %s (after %.1f s)\n", o->level_name, mode, name,
               o->quick ? "quick" : "all inputs", seconds);
    fflush(stdout);
    p->bad += bad != 0;
}

static void *work(void *arg)
{
    pass *p = arg;
#ifdef __SSE2__
    unsigned before = _mm_getcsr();
    if (p->o->ftz_mode) _mm_setcsr(before | 0x8040);
#endif
    for (int task; (task = p->next++) < p->o->count * SWEEP_GROUPS;) {
        int which = task / SWEEP_GROUPS, group = task % SWEEP_GROUPS;
        p->sums[which][group] = group_sum(p->o->units[which], p->o, (uint32_t)group);
        if (++p->done[which] == SWEEP_GROUPS) judge(p, which);
    }
#ifdef __SSE2__
    _mm_setcsr(before);
#endif
    return NULL;
}

/* All groups of all wanted units; how many units failed. */
static int run_pass(const options *o)
{
    static pass p;
    pthread_t *threads = calloc((size_t)o->threads, sizeof *threads);
    int started = 0;
    p.o = o;
    p.next = p.bad = 0;
    for (int u = 0; u < o->count; u++) {
        p.done[u] = 0;
        if (!read_golden(o->dir, o->units[u]->name, o->quick, p.golden[u])) exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &p.start);
    while (threads && started < o->threads - 1 && !pthread_create(&threads[started], NULL, work, &p))
        started++;
    work(&p);
    for (int t = 0; t < started; t++) pthread_join(threads[t], NULL);
    free(threads);
    if (o->brief)
        printf("%s %-10s%s: %d units, %s, %d failed (%.1f s, %d threads)\n", p.bad ? "FAIL" : "ok  ",
               o->level_name, o->ftz_mode ? " ftz mode" : "", o->count, o->quick ? "quick" : "all inputs",
               p.bad, seconds_since(&p.start), started + 1);
    fflush(stdout);
    return p.bad;
}

/* ---- levels ---- */

typedef struct level {
    const char *name;
    const struct px_units *rows;
} level;

/* Those that this machine runs, behind the one-value functions; returns how many. */
static int find_levels(level *to)
{
    int n = 0;
    to[n++] = (level){"scalar", NULL};
    to[n++] = (level){"portable", &px_units_portable};
#ifdef __x86_64__
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    bool more = avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    if (avx2) to[n++] = (level){"avx2", &px_units_avx2};
    if (avx512) to[n++] = (level){"avx512", &px_units_avx512};
    if (more) to[n++] = (level){"avx512vbmi", &px_units_avx512vbmi};
#endif
    return n;
}

static int check_level(options *o, level l)
{
    o->level_name = l.name;
    o->level = l.rows;
    return run_pass(o);
}

/* The units named, or all; false if one is not known. */
static bool choose_units(options *o, char **names, int n)
{
    for (size_t k = 0; k < UNITS; k++) {
        bool found = !n;
        for (int i = 0; i < n; i++) found |= !strcmp(names[i], units[k].name);
        if (found) o->units[o->count++] = &units[k];
    }
    return o->count >= (n ? n : 1);
}

static int usage(void)
{
    fprintf(stderr,
            "use: approx_check [--quick] [--level NAME] [--scalar] [--ftz-mode] [--sweep] [--threads N] "
            "GOLDEN_DIR [UNIT...]\n");
    return 2;
}

int main(int argc, char **argv)
{
    options o = {.threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    level levels[5];
    const char *only = NULL;
    bool sweep = false;
    int i = 1, bad = 0, done = 0, n = find_levels(levels);
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quick"))
            o.quick = true;
        else if (!strcmp(argv[i], "--scalar"))
            only = "scalar";
        else if (!strcmp(argv[i], "--ftz-mode"))
            o.ftz_mode = true;
        else if (!strcmp(argv[i], "--sweep"))
            sweep = o.brief = true;
        else if (!strcmp(argv[i], "--level") && i + 1 < argc)
            only = argv[++i];
        else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
            o.threads = atoi(argv[++i]);
        else
            return usage();
    }
    if (i >= argc || o.threads < 1) return usage();
    o.dir = argv[i++];
    if (!choose_units(&o, argv + i, argc - i)) return usage();
    for (int k = n - 1; k >= 0; k--) {
        if (only ? strcmp(only, levels[k].name) : !sweep && k == 0) continue;
        bad += check_level(&o, levels[k]);
        done++;
        if (!sweep || o.ftz_mode) continue;
        o.ftz_mode = true;
        bad += check_level(&o, levels[k]);
        o.ftz_mode = false;
    }
    if (!done) fprintf(stderr, "approx_check: this machine does not run level %s\n", only);
    if (sweep) printf("%s\n", bad || !done ? "FAILED" : "all passes agree with the recordings");
    return bad || !done ? 1 : 0;
}
