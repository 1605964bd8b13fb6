/*
 * mma_form.h - a matrix product as PTX has it: which registers of which lanes hold which elements.
 *
 * The layouts are those of the figures in PTX ISA 9.7.14, which for wmma say nothing: there they are what a
 * chip was found to do (tests/hw/matrix). All of them but m8n8k4 follow one rule. A lane l has g = l/4, t =
 * l%4. Register r of a factor is a word: base[r] + g*(words of a row) + t of the packed rows. Element q of an
 * accumulator is base[q] + g*group + t*thread.
 */
#ifndef PX_OPS_MMA_FORM_H
#define PX_OPS_MMA_FORM_H

#include "gang/lanes.h"
#include "ops/mma.h"

enum { PX_MMA_REGS_MAX = 8 };

struct px_mma_factor {
    uint16_t regs, words, base[PX_MMA_REGS_MAX];
};
struct px_mma_accumulator {
    uint16_t elements, group, thread, base[PX_MMA_REGS_MAX];
};

struct px_mma_form {
    struct px_mma op;
    struct px_mma_factor x, y;
    struct px_mma_accumulator acc;
    uint8_t a, b, c, d; /* types of the registers; op works in f32 where c and d differ */
    bool a_is_x;        /* x is A, else B */
    bool quads;         /* m8n8k4 of f16: see mma_quads.c */
    bool a_col, b_row;  /* layouts of m8n8k4 */
    bool sparse;
    bool repeats; /* wmma of f16: A and B have 8 registers, of which the last repeat the first */
    uint8_t selector;
};

/* What the words of an instruction say. */
struct px_mma_words {
    uint16_t m, n, k;
    uint8_t a, b, c, d; /* enum px_mma_type */
    uint8_t flags;      /* enum px_mma_flag, without HALVES */
    bool sparse, a_col, b_row;
    uint8_t selector;
    uint8_t rounding; /* enum px_fp_mode, which forms do not look at */
};
_Static_assert(sizeof(struct px_mma_words) == 16, "no padding: they are compared as bytes");

void px_mma_form_make(struct px_mma_form *f, const struct px_mma_words *w);

/* Registers that the operands have in PTX: 32-bit ones, f64: 64-bit ones. */
uint32_t px_mma_form_regs(const struct px_mma_form *f, char operand);

/* The operands of one warp: of each register the lane 0's place; the other lanes follow. e: the metadata, or
 * NULL. */
struct px_mma_warp {
    const void *a[PX_MMA_REGS_MAX], *b[PX_MMA_REGS_MAX], *c[PX_MMA_REGS_MAX];
    void *d[PX_MMA_REGS_MAX];
    const uint32_t *e;
};

/* Computes d; a register of d may be one of a, b or c. Environment: as px_mma_function. */
void px_mma_form_run(const struct px_mma_form *f, px_mma_function *product, const struct px_mma_warp *warp);

/* The elements of y that the 16 rows of x in a warp meet (PTX ISA 9.7.14, sparse mma): at[row * op->k + j]
 * for element j. e: the metadata of 32 lanes. */
void px_mma_places(const struct px_mma *op, uint32_t selector, const uint32_t *e, uint8_t *at);

/* mma_quads.c: m8n8k4 of f16, four products of 8x8x4, each of eight lanes. */
void px_mma_quads(const struct px_mma_form *f, const struct px_mma_warp *warp);

#endif
