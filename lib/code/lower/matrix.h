/* lower/matrix.h - what lower/matrix.c and lower/wgmma.c share: words and fragments of matrix instructions.
 */
#ifndef PX_CODE_LOWER_MATRIX_H
#define PX_CODE_LOWER_MATRIX_H

#include "code/lower/lower.h"
#include "ops/mma_form.h"

/* What the modifiers say in their order: "m16n8k16", types, layouts. */
struct px_matrix_words {
    uint16_t m, n, k;
    uint8_t types[4], ntypes; /* enum px_mma_type */
    bool col[2];
    uint8_t nlayouts;
};
struct px_matrix_words px_matrix_words(const struct px_match *match);

/* Registers of a fragment of elements of `type`, at most `most`; their number. */
uint32_t px_matrix_sources(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                           uint8_t type, uint32_t most, struct px_ir_operand *to);
uint32_t px_matrix_results(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                           uint8_t type, uint32_t most, struct px_ir_operand *to);
void px_matrix_results_done(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                            const struct px_ir_operand *d);

#endif
