/*
 * wgmma_form.h - wgmma.mma_async (PTX ISA 9.7.15): a product of 64 rows by n columns that four warps hold
 * together, with B, and perhaps A, in shared memory where a descriptor says.
 *
 * Proved by recordings (tests/hw/wgmma):
 *   - each warp has 16 rows, in the layouts of mma's m16n8: register r of A is word base + g*8 + t of the
 *     rows, whatever the type; element q of the accumulator is column 8*(q/4) + 2*t + q%2 of row g +
 * 8*(q/2%2)
 *   - a step is all of k, on top of d; sums keep 25 bits as mma's do, those of fp8 13
 *   - memory is read in pieces of 16 bytes, whose places px_wgmma_place says
 */
#ifndef PX_OPS_WGMMA_FORM_H
#define PX_OPS_WGMMA_FORM_H

#include "ops/mma_form.h"

enum { PX_WGMMA_M = 64, PX_WGMMA_N_MAX = 256, PX_WGMMA_REGS_MAX = 128, PX_WARPGROUP = 128 };

/* What the words and constants of an instruction say. */
struct px_wgmma_words {
    uint16_t n, k;
    uint8_t a, b, d; /* enum px_mma_type */
    uint8_t flags;   /* PX_MMA_SATURATE */
    uint8_t selector;
    bool sparse, a_memory;
    bool a_across, b_across; /* neighbours in memory are along m or n, not along k */
    bool a_minus, b_minus;   /* negated */
};

struct px_wgmma_form {
    struct px_mma op;        /* of 64 rows: x is A, y is B */
    struct px_wgmma_words w; /* as given */
    uint32_t regs;           /* of the accumulator, a lane */
};

/* A descriptor (PTX ISA 9.7.15.5.1), in bytes. */
struct px_wgmma_descriptor {
    uint32_t start, leading, stride;
    uint8_t base;    /* base offset */
    uint8_t swizzle; /* bytes: 0, 32, 64, 128 */
};

/* The operands of a warpgroup: of each register the first lane's place; 127 lanes follow. */
struct px_wgmma_group {
    const uint32_t *a[4];
    const uint32_t *c[PX_WGMMA_REGS_MAX]; /* d before */
    uint32_t *d[PX_WGMMA_REGS_MAX];
    const uint32_t *e; /* metadata, or NULL */
    uint64_t desc_a, desc_b;
    bool add; /* scale-d: else d counts as 0 */
};

/* Copies 16 bytes at `at` of shared memory; false: there are none. */
typedef bool px_wgmma_fetch(void *memory, uint32_t at, void *to);

void px_wgmma_form_make(struct px_wgmma_form *f, const struct px_wgmma_words *w);
struct px_wgmma_descriptor px_wgmma_decode(uint64_t descriptor);

/* Place in shared memory of a piece. Along k: 16 bytes of row (column) i, the j-th of it. Across: eight
 * neighbours i*8 and on of k = j. */
uint32_t px_wgmma_place(const struct px_wgmma_descriptor *d, bool across, uint32_t i, uint32_t j);

/* Computes d; false: a piece could not be fetched, *at is its place and nothing was written. Environment: as
 * px_mma_function. */
bool px_wgmma_run(const struct px_wgmma_form *f, px_mma_function *product, const struct px_wgmma_group *group,
                  px_wgmma_fetch *fetch, void *memory, uint32_t *at);

#endif
