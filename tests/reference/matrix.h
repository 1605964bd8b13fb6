/*
 * matrix.h - what the files of the matrix instructions share: matrix.c (registers, mma and wmma.mma),
 * tensor.c (arithmetic), tiles.c (moves between memory and registers) and wgmma.c.
 */
#ifndef REF_MATRIX_H
#define REF_MATRIX_H

#include "machine.h"

enum { REF_K_MAX = 256 };

struct ref_matrix {
    unsigned m, n, k;
    const char *d, *a, *b, *c; /* types, as written */
    bool saturate, xor, sparse, quads, wmma, group;
    bool a_col, b_row; /* layouts of m8n8k4; of a tile in memory a_col says that columns lie together */
    unsigned selector;
    int mode; /* rounding of f64 */
    /* wgmma: */
    bool a_memory, a_across, b_across, a_minus, b_minus;
    /* tiles of wmma: */
    char what; /* 'a' 'b' 'c' 'd' */
};

/* ---- matrix.c: elements in registers ---- */

/* m8n32 is m32n8 with the factors' parts exchanged: the left one, whose rows go in pairs of eight, is B. */
static inline bool ref_turned(const struct ref_matrix *x)
{
    return x->n == 32 && !x->group;
}

struct ref_spot {
    unsigned lane, reg, shift;
};
/* Where element k of row i of A (of column i of B) lies. */
struct ref_spot ref_factor_spot(const struct ref_matrix *x, bool is_b, unsigned i, unsigned k);
/* Where element (i, j) of an accumulator of elements of `bits` bits lies. */
struct ref_spot ref_accumulator_spot(const struct ref_matrix *x, unsigned bits, unsigned i, unsigned j);

/* Register `reg` of list `o` in lane `lane`. */
uint64_t ref_matrix_register(const struct ref_thread *warp, const struct ref_operand *o, unsigned lane,
                             unsigned reg);
/* Sparse: which column of A's k the t-th kept element of row i stands for; e: the metadata. */
unsigned ref_kept_column(const struct ref_matrix *x, const struct ref_thread *warp,
                         const struct ref_operand *e, unsigned i, unsigned t);
/* Reads shape, types and layouts from the words; the number of types, which go into `types`. */
unsigned ref_matrix_words(const struct ref_inst *in, struct ref_matrix *m, const char *types[4]);

/* ---- tensor.c: arithmetic ---- */

struct ref_row_and_column {
    uint64_t a[REF_K_MAX], b[REF_K_MAX], c;
};

unsigned ref_element_bits(const char *type);
/* One element of the product: of a sparse one, the factors that are kept, k / 2 of them. */
uint64_t ref_element(const struct ref_matrix *x, const struct ref_row_and_column *v);
/* One of m8n8k4 of f16, which the scalar units do. */
uint64_t ref_quad_element(const struct ref_matrix *x, const uint64_t a[4], const uint64_t b[4], uint64_t c);

/* ---- tiles.c, wgmma.c ---- */
bool ref_bind_tile(const struct ref_context *x, struct ref_inst *in);
void ref_tile_run(struct ref_thread *warp, const struct ref_inst *in);
void ref_bind_wgmma(const struct ref_context *x, struct ref_inst *in);

#endif
