/* exact_check.c - is px_exact_<function>_f32 (--approx=exact) correctly rounded for every input?
 *
 *   exact_check [--threads N] [ex2|lg2|sin|cos|tanh|rsqrt...]
 *
 * A function computed with a small relative error can round wrongly only where the true value lies
 * close to a middle between two floats.  All inputs go through the C library's AVX-512 functions in
 * double, which are at most 4 ulp (2^-50) wrong.  Where their result lies within 2^-48 of a middle,
 * and where it is subnormal as a float, px_exact_ must equal MPFR's value at 200 bits, rounded once.
 * Everywhere else it is right if its own error, in long double, is below 2^-49; one such input in 256
 * is compared with the rounded double all the same.  sin, cos and tanh are swept for positive inputs,
 * and where MPFR is asked, it is for both signs.  Subnormal inputs of sin and tanh must be returned.
 *
 * rsqrt is compared with MPFR in [1, 4): other operands differ by powers of four, exactly.  (rcp, sqrt
 * and div need no check: quotients and roots rounded to 64 bits, then to 24, are as if rounded once.)
 *
 * For x86-64 with AVX-512; not part of make test: build/tests/exact_check takes minutes.
 */
#include <immintrin.h>
#include <math.h>
#include <mpfr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approx/approx.h"

__m512d _ZGVeN8v_exp2(__m512d), _ZGVeN8v_log2(__m512d), _ZGVeN8v_sin(__m512d), _ZGVeN8v_cos(__m512d),
    _ZGVeN8v_tanh(__m512d);

typedef struct function {
    const char *name;
    uint32_t (*ours)(uint32_t, bool);
    __m512d (*rough)(__m512d);
    int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    struct {
        uint32_t first, last;
    } range[2]; /* operands; results beyond are constant */
    bool symmetric;
} function;

static const function functions[] = {
    {"ex2", px_exact_ex2_f32, _ZGVeN8v_exp2, mpfr_exp2, {{0, 0x43000000}, {0x80000000, 0xC3180000}}, false},
    {"lg2", px_exact_lg2_f32, _ZGVeN8v_log2, mpfr_log2, {{1, 0x7F7FFFFF}, {1, 0}}, false},
    {"sin", px_exact_sin_f32, _ZGVeN8v_sin, mpfr_sin, {{0x00800000, 0x7F7FFFFF}, {1, 0}}, true},
    {"cos", px_exact_cos_f32, _ZGVeN8v_cos, mpfr_cos, {{0, 0x7F7FFFFF}, {1, 0}}, true},
    {"tanh", px_exact_tanh_f32, _ZGVeN8v_tanh, mpfr_tanh, {{0x00800000, 0x7F7FFFFF}, {1, 0}}, true},
    {"rsqrt", px_exact_rsqrt_f32, NULL, mpfr_rec_sqrt, {{0x3F800000, 0x407FFFFF}, {1, 0}}, false},
};

enum { BLOCK = 1 << 16 };

typedef struct job {
    const function *f;
    int thread, threads;
    uint64_t inputs, asked, sampled, wrong;
    mpfr_t x, y;
    pthread_t id;
} job;

static void complain(job *j, uint32_t x, uint32_t ours, uint32_t right)
{
    if (j->wrong++ < 5) printf("%s(%08x) = %08x, should be %08x\n", j->f->name, x, ours, right);
}

/* MPFR's value, rounded to float once. */
static void ask(job *j, uint32_t x)
{
    mpfr_set_flt(j->x, px_float_b32(x), MPFR_RNDN);
    j->f->exact(j->y, j->x, MPFR_RNDN);
    uint32_t ours = j->f->ours(x, false), right = px_bits_f32(mpfr_get_flt(j->y, MPFR_RNDN));
    j->asked++;
    if (ours != right) complain(j, x, ours, right);
}

/* Eight operands from x on; `some` compares the first of them with the double. */
static void eight(job *j, uint32_t x, bool some)
{
    __m256i bits = _mm256_add_epi32(_mm256_set1_epi32((int)x), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m512d y = j->f->rough(_mm512_cvtps_pd(_mm256_castsi256_ps(bits)));
    /* 29 bits of a double do not fit in a float; a middle is 2^28 */
    __m512i rest = _mm512_and_si512(_mm512_castpd_si512(y), _mm512_set1_epi64(0x1FFFFFFF));
    __m512i off = _mm512_abs_epi64(_mm512_sub_epi64(rest, _mm512_set1_epi64(1 << 28)));
    __mmask8 hard = _mm512_cmple_epu64_mask(off, _mm512_set1_epi64(32));
    hard |= _mm512_cmp_pd_mask(_mm512_abs_pd(y), _mm512_set1_pd(0x1p-126), _CMP_LT_OQ);
    j->inputs += 8;
    for (int i = 0; i < 8 && hard; i++) {
        if (!(hard >> i & 1)) continue;
        ask(j, x + (uint32_t)i);
        if (j->f->symmetric) ask(j, (x + (uint32_t)i) ^ 0x80000000u);
    }
    if (!some || (hard & 1)) return;
    double first = _mm512_cvtsd_f64(y);
    uint32_t ours = j->f->ours(x, false), right = px_bits_f32((float)first);
    j->sampled++;
    if (ours != right) complain(j, x, ours, right);
}

static void block(job *j, uint64_t first, uint64_t last)
{
    uint64_t x = first;
    if (!j->f->rough) {
        for (; x <= last; x++) ask(j, (uint32_t)x);
        j->inputs += last - first + 1;
        return;
    }
    for (; x + 7 <= last; x += 8) eight(j, (uint32_t)x, x % 256 == first % 256);
    for (; x <= last; x++) ask(j, (uint32_t)x), j->inputs++;
}

static void *run(void *arg)
{
    job *j = arg;
    mpfr_inits2(200, j->x, j->y, (mpfr_ptr)NULL);
    for (int r = 0; r < 2; r++) {
        uint64_t first = j->f->range[r].first, last = j->f->range[r].last;
        for (uint64_t at = first + (uint64_t)j->thread * BLOCK; at <= last;
             at += (uint64_t)j->threads * BLOCK)
            block(j, at, at + BLOCK - 1 < last ? at + BLOCK - 1 : last);
    }
    for (uint32_t x = 1; j->thread == 0 && j->f->range[0].first == 0x00800000 && x < 0x00800000; x++) {
        uint32_t y = j->f->ours(x, false);
        j->inputs++;
        if (y != x) complain(j, x, y, x);
    }
    mpfr_clears(j->x, j->y, (mpfr_ptr)NULL);
    return NULL;
}

static bool check(const function *f, int threads)
{
    job *jobs = calloc((size_t)threads, sizeof *jobs), sum = {0};
    for (int t = 0; t < threads; t++) {
        jobs[t] = (job){.f = f, .thread = t, .threads = threads};
        pthread_create(&jobs[t].id, NULL, run, &jobs[t]);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(jobs[t].id, NULL);
        sum.inputs += jobs[t].inputs;
        sum.asked += jobs[t].asked;
        sum.sampled += jobs[t].sampled;
        sum.wrong += jobs[t].wrong;
    }
    free(jobs);
    printf("%s %-6s %llu inputs, %llu compared with MPFR, %llu with the double, %llu wrong\n",
           sum.wrong ? "FAIL" : "ok  ", f->name, (unsigned long long)sum.inputs,
           (unsigned long long)sum.asked, (unsigned long long)sum.sampled, (unsigned long long)sum.wrong);
    fflush(stdout);
    return !sum.wrong;
}

int main(int argc, char **argv)
{
    int threads = 2, i = 1, bad = 0;
    if (argc > 2 && !strcmp(argv[1], "--threads")) {
        threads = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
        i = 3;
    }
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        bool wanted = i >= argc;
        for (int a = i; a < argc; a++) wanted |= !strcmp(argv[a], functions[k].name);
        if (wanted) bad += !check(&functions[k], threads);
    }
    return bad ? 1 : 0;
}
