/* reference.h - the benchmark's workloads: their data, and what the kernels must compute, in plain C.
 *
 * bench_load reads workloads.tsv; bench_fill gives a workload its input data; bench_reference computes what
 * each output buffer must hold after the launch; bench_compare judges what a machine produced. Nothing here
 * depends on the machine under test. Twelve workloads are exact to the bit. nbody and blackscholes use
 * .approx instructions; for them the expected values come in double precision, with a bound for each element
 * (approx.c).
 *
 * Functions that can fail return 0, or -1 with errno set. No state is kept: any number of threads may work on
 * different workloads. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_MAX_ARGS = 10 };

enum bench_role {
    BENCH_IN,      /* input buffer of pseudo-random numbers */
    BENCH_CSR_PTR, /* input buffer: where each row of a sparse matrix starts */
    BENCH_CSR_COL, /* input buffer: the column of each entry */
    BENCH_OUT,     /* output buffer, zero before the launch */
    BENCH_SCALAR
};

struct bench_arg {
    enum bench_role role;
    char type;          /* 'f' f32, 'd' f64, 'i' i32, 'u' u32 */
    size_t count;       /* elements; 1 for a scalar */
    void *data;         /* what the launch starts from; a scalar's value from bench_load on */
    void *expected;     /* output: `count` elements of `type`; double if tolerance is set */
    double *tolerance;  /* approximate output: the most that |actual - expected| may be, an element each */
    uint64_t chip_hash; /* output: bench_hash of what an H200 computed */
};

/* One line of the table. Owns all pointers of its args. */
struct bench_workload {
    char kernel[32];
    unsigned grid[3], block[3];
    int nargs;
    struct bench_arg args[BENCH_MAX_ARGS];
};

struct bench_mismatch {
    size_t count; /* how many elements are wrong */
    size_t first; /* the first wrong one */
    double actual, expected, tolerance;
};

/* Reads the table. The caller frees *list with bench_free. EINVAL: a line is not understood. */
int bench_load(const char *tsv_path, struct bench_workload **list, size_t *n);
void bench_free(struct bench_workload *list, size_t n);

/* Allocates and fills the inputs, allocates and zeroes the outputs. */
int bench_fill(struct bench_workload *w);

/* Fills `expected` (and `tolerance`) of every output, from filled inputs. EINVAL: no such kernel. */
int bench_reference(struct bench_workload *w);

/* Frees the buffers, all but the scalars. bench_fill may be called again. */
void bench_empty(struct bench_workload *w);

/* Compares an output buffer with its reference: 1 if right, else 0 with the particulars in *mismatch. */
int bench_compare(const struct bench_arg *output, const void *actual, struct bench_mismatch *mismatch);

/* FNV-1a over 32-bit words. */
uint64_t bench_hash(const void *data, size_t words);

size_t bench_element_size(char type);
static inline size_t bench_words(const struct bench_arg *arg)
{
    return arg->count * bench_element_size(arg->type) / 4;
}

/* approx.c: the two workloads that are not exact. Called by bench_reference, with outputs allocated. */
void bench_nbody(struct bench_workload *w);
void bench_blackscholes(struct bench_workload *w);

#endif
