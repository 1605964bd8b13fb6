/* selfcheck.c - does the reference agree with the chip? Prints, for every output buffer, the workload, the
 * hash of the expected contents, and whether an H200 computed the same; for approximate outputs, the chip's
 * hash and the width of the bounds.
 *
 * usage: selfcheck TABLE. Exits 1 if an exact hash differs. */
#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The largest tolerance, relative to the largest expected magnitude. */
static double widest_bound(const struct bench_arg *output)
{
    double bound = 0, magnitude = 0;
    for (size_t i = 0; i < output->count; i++) {
        bound = fmax(bound, output->tolerance[i]);
        magnitude = fmax(magnitude, fabs(((const double *)output->expected)[i]));
    }
    return bound / magnitude;
}

/* 1 if the hash differs. */
static int report(const char *kernel, const struct bench_arg *output)
{
    if (output->tolerance) {
        printf("%-13s chip's hash %016" PRIx64 ", expected within %.2e of the largest value\n", kernel,
               output->chip_hash, widest_bound(output));
        return 0;
    }
    const uint64_t hash = bench_hash(output->expected, bench_words(output));
    const int differs = hash != output->chip_hash;
    printf("%-13s %016" PRIx64 " %s\n", kernel, hash, differs ? "DIFFERS FROM THE CHIP" : "as on the chip");
    return differs;
}

/* How many outputs differ, or -1. */
static int check(struct bench_workload *w)
{
    int differing = 0;
    if (bench_fill(w) || bench_reference(w)) {
        perror(w->kernel);
        return -1;
    }
    for (int a = 0; a < w->nargs; a++)
        if (w->args[a].role == BENCH_OUT) differing += report(w->kernel, &w->args[a]);
    bench_empty(w);
    return differing;
}

int main(int argc, char **argv)
{
    struct bench_workload *list;
    size_t n;
    int failed = 0;
    if (argc != 2) {
        fputs("usage: selfcheck TABLE\n", stderr);
        return 2;
    }
    if (bench_load(argv[1], &list, &n)) {
        perror(argv[1]);
        return 1;
    }
    for (size_t i = 0; i < n; i++) failed |= check(&list[i]) != 0;
    bench_free(list, n);
    return failed;
}
