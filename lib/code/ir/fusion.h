/* fusion.h - which instructions one handler does together. */
#ifndef PX_CODE_IR_FUSION_H
#define PX_CODE_IR_FUSION_H

#include "code/ir/shape.h"

/* Statements one after the other, each of which reads what the one before it computes. */
struct px_ir_chain {
    uint16_t op[PX_FUSED_MOST];
    uint8_t shape[PX_FUSED_MOST], at[PX_FUSED_MOST];
    uint32_t n;
};

/* The statement as the next of the chain: it reads the register there. In a chain of none `reg` does not
 * matter. */
void px_ir_chain_add(const struct px_irfn *f, struct px_ir_chain *chain, const struct px_ir_inst *in,
                     uint32_t reg, enum px_ir_version version);
/* The handler that does them all; NULL: there is none. */
const struct px_fused *px_ir_chain_row(const struct px_level *level, const struct px_ir_chain *chain);

/* The handler of gang/fused.def that does these three, or two with `first` NULL; PX_FIX_COUNT: there is none.
 * `bytes`: those of an element in memory. */
enum px_fixed px_ir_fused_fixed(const struct px_ir_inst *first, const struct px_ir_inst *second,
                                const struct px_ir_inst *third, uint32_t bytes);

#endif
