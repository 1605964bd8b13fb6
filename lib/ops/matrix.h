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
#include "ptx_trace.h"

/* What all instructions of a function share that say the same words. */
struct px_matrix_form {
    struct px_mma_form is;
    px_mma_function *product;
    uint8_t fp;             /* enum px_fp_mode: of the product alone, as lanes may wait before it */
    uint8_t na, nb, nc, nd; /* registers of the operands of mma */
};

/* mma and wmma.mma: offsets of rows in the frame, those of d, a, b, and from px_insn.c on c, which may be
 * those of d. px_insn.metadata: the row of the metadata, 0 without. */
struct px_matrix_mma {
    const struct px_matrix_form *form;
    uint32_t row[];
};

/*
 * Moves of wmma's fragments. The address is px_insn.a (PX_INSN_SCALAR_A) and offset.
 */
struct px_matrix_move {
    const struct px_matrix_form *form;
    uint64_t offset;
    uint8_t regs;       /* that the operand has; those of f16 repeat the real ones */
    uint8_t what;       /* 'a', 'b', 'c' or 'd' */
    bool col;           /* the matrix lies by columns */
    uint8_t unit;       /* what its address has to be aligned to */
    bool stride_scalar; /* px_insn.b, elements from a row (column) to the next, is a scalar */
    uint32_t between;   /* the same where the instruction says none, else 0 */
    uint32_t row[];     /* offsets in the frame */
};

/* wgmma.mma_async: offsets of rows in the frame, those of d, of a where it has registers, and from px_insn.d
 * on c, which may be those of d; px_insn.a and .b: descriptors, .c: scale-d, .metadata. */
struct px_matrix_wgmma {
    struct px_wgmma_form form;
    const ptx_trace_place *at; /* who reads, for the trace; NULL: nobody hears of it */
    px_mma_function *product;
    uint32_t row[];
};

enum { PX_MATRIX_BY_COLUMNS = 256 }; /* with `what`, a fact of the IR */

int px_matrix_mma(struct px_gang *g, const struct px_insn *in);
int px_matrix_wmma(struct px_gang *g, const struct px_insn *in); /* wmma.load, wmma.store */
int px_matrix_wgmma(struct px_gang *g, const struct px_insn *in);

#endif
