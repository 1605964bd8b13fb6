/* approx_bench.c - speed of the rows of the approximate units in Gti/s (10^9 results a second of processor
 * time).
 *
 *   approx_bench [wild]
 *
 * A row of 256 operands, in cache, is done again and again at each SIMD level that this machine runs;
 * the best of many short runs counts.  The operands are ordinary (1/64 to 4), or with "wild" any bits.
 * Packed pairs count once.  Nothing here passes or fails.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gang/record.h"
#include "approx/levels.h"

enum { LANES = 256, RUNS = 40, CALLS = 200, LEVELS = 4 };

/* Operands of every type, row after row; results. */
typedef struct rows {
    uint64_t f64[LANES], f32[LANES], second[LANES], f16[LANES], bf16[LANES], out[LANES];
} rows;

static const char *const names[] = {
#define PX_UNIT(name, result, flushes) #name,
#include "approx/row_units.def"
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The upper bits of a float between 1/64 and 4, of which `exponent` bits are the exponent; or any bits. */
static uint64_t operand(uint64_t *seed, int bits, int exponent, bool wild)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t r = *seed >> (64 - bits), one = ((1ull << (exponent - 1)) - 1) << (bits - 1 - exponent);
    uint64_t binade = 1ull << (bits - 1 - exponent);
    return wild ? r : one - 6 * binade + r % (8 * binade);
}

static void fill(rows *r, bool wild)
{
    uint64_t seed = 1;
    for (int i = 0; i < LANES; i++) {
        uint64_t *to[] = {r->f32, r->second, r->f16, r->bf16};
        static const int bits[] = {32, 32, 16, 16}, exponent[] = {8, 8, 5, 8};
        r->f64[i] = operand(&seed, 64, 11, wild);
        for (int k = 0; k < 4; k++) {
            uint64_t one = operand(&seed, bits[k], exponent[k], wild);
            for (int at = 0; at < 64 / bits[k]; at++)
                memcpy((char *)&to[k][i] + at * (bits[k] / 8), &one, (size_t)bits[k] / 8);
        }
    }
}

static double speed(px_unit_row *f, const char *name, rows *r)
{
    const uint64_t *a = strstr(name, "bf16")  ? r->bf16
                        : strstr(name, "f16") ? r->f16
                        : strstr(name, "f64") ? r->f64
                                              : r->f32;
    double best = 1e9;
    for (int k = 0; k < RUNS; k++) {
        double start = now();
        for (int c = 0; c < CALLS; c++) f(r->out, a, r->second, LANES);
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    return (double)LANES * CALLS / best * 1e-9;
}

int main(int argc, char **argv)
{
    static _Alignas(64) rows r;
    static const char *const wanted[LEVELS] = {"portable", "avx2", "avx512", "avx512vbmi"};
    const struct px_units *rows_of[LEVELS] = {&px_units_portable};
#ifdef __x86_64__
    if (px_level_named("avx2")) rows_of[1] = &px_units_avx2;
    if (px_level_named("avx512")) rows_of[2] = &px_units_avx512;
    if (px_level_named("avx512") && px_level_units(px_level_best()) == &px_units_avx512vbmi)
        rows_of[3] = &px_units_avx512vbmi;
#endif
    fill(&r, argc > 1 && !strcmp(argv[1], "wild"));
    printf("%-16s", "Gti/s");
    for (int l = 0; l < LEVELS; l++) printf(" %10s", wanted[l]);
    for (int u = 0; u < PX_UNIT_COUNT; u++) {
        printf("\n%-16s", names[u]);
        for (int l = 0; l < LEVELS; l++)
            if (rows_of[l]) printf(" %10.2f", speed(rows_of[l]->row[u], names[u], &r));
    }
    printf("\n");
    return 0;
}
