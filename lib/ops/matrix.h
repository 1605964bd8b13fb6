/*
 * matrix.h - instructions on matrices that a warp holds together (PTX ISA 9.7.14): mma, wmma, ldmatrix,
 * stmatrix, movmatrix; and wgmma.mma_async (9.7.15), which a warpgroup executes together.
 *
 * All are `.aligned`: a record runs when every live lane of a warp has come to it (px_gang_met), and a warp
 * that lacks lanes for good, because they have exited or never were, is a fault. Fragments are vectors of
 * rows, so a record says them in a struct of their own (px_insn.aux).
 */
#ifndef PX_OPS_MATRIX_H
#define PX_OPS_MATRIX_H

#include "gang/gang.h"
#include "ops/wgmma_form.h"

/* mma and wmma.mma: offsets of rows in the frame; e: of the metadata, 0 without. */
struct px_matrix_mma {
    struct px_mma_form form;
    uint32_t a[PX_MMA_REGS_MAX], b[PX_MMA_REGS_MAX], c[PX_MMA_REGS_MAX], d[PX_MMA_REGS_MAX], e;
    px_mma_function *product;
    uint32_t fp; /* enum px_fp_mode: of the product alone, as lanes may wait before it */
};

/*
 * Moves of fragments: of wmma, and of ldmatrix and stmatrix, which use regs, trans, row and offset alone. The
 * address is px_insn.a (PX_IF_SCALAR_A) and offset.
 */
struct px_matrix_move {
    struct px_mma_form form;
    uint32_t row[PX_MMA_REGS_MAX];
    uint64_t offset;
    uint8_t regs;       /* that the operand has; wmma of f16 repeats the real ones */
    uint8_t what;       /* wmma: 'a', 'b', 'c' or 'd' */
    bool col;           /* wmma: the matrix lies by columns */
    bool trans;         /* ldmatrix, stmatrix */
    uint8_t unit;       /* wmma: what its address has to be aligned to */
    bool stride_scalar; /* wmma: px_insn.b, elements from a row (column) to the next, is a scalar */
    uint32_t between;   /* the same where the instruction says none, else 0 */
};

/* wgmma.mma_async: offsets of rows in the frame; px_insn.a and .b: descriptors, .c: scale-d. */
struct px_matrix_wgmma {
    struct px_wgmma_form form;
    uint32_t a[4], c[PX_WGMMA_REGS_MAX], d[PX_WGMMA_REGS_MAX], e;
    px_mma_function *product;
};

enum { PX_MATRIX_BY_COLUMNS = 256 }; /* with `what`, a fact of the IR */

int px_matrix_mma(struct px_gang *g, const struct px_insn *in);
int px_matrix_wmma(struct px_gang *g, const struct px_insn *in); /* wmma.load, wmma.store */
int px_matrix_ldmatrix(struct px_gang *g, const struct px_insn *in);
int px_matrix_stmatrix(struct px_gang *g, const struct px_insn *in);
int px_matrix_meet(struct px_gang *g, const struct px_insn *in);      /* only that: setmaxnreg */
int px_matrix_movmatrix(struct px_gang *g, const struct px_insn *in); /* d, a: rows */
int px_matrix_wgmma(struct px_gang *g, const struct px_insn *in);

#endif
