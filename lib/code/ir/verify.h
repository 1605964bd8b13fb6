/* verify.h - is the IR what passes may rely on? */
#ifndef PX_CODE_IR_VERIFY_H
#define PX_CODE_IR_VERIFY_H

#include "code/ir/fn.h"

/* What holds behind a pass (passes.def), and is tested. */
enum px_ir_fact {
    PX_FACT_INSTS = 1,  /* instructions are well formed; docs/ir.md, invariants 2, 3, 5 */
    PX_FACT_CANON = 2,  /* no instruction sees a NaN that only stands for the chip's */
    PX_FACT_GRAPH = 4,  /* blocks, and their weak topological order */
    PX_FACT_KEEPS = 8,  /* convergent code keeps as one value what all lanes share */
    PX_FACT_ROWS = 16,  /* live ranges hold every life, and rows that are live together share no byte */
    PX_FACT_FORKS = 32, /* ways of forks are straight, and meet */
    PX_FACT_LOOPS = 64, /* loops that run aside hold nothing that depends on where a lane stands */
    PX_FACT_FUSED = 128 /* one handler does what is fused, in the mode of its first, and nobody misses what is
                           passed on */
};

/* NULL, or the first thing that is wrong, in words that lie in the arena. */
const char *px_ir_verify(const struct px_irfn *f, uint32_t facts, struct px_arena *arena);

#endif
