/*
 * asks.h - which loops do nothing but ask again.
 *
 * A loop that holds one instruction which looks at memory, and besides that only arithmetic and branches that
 * carry nothing from one turn to the next, may sleep until what it looks at has changed: nobody can tell.
 */
#ifndef PX_CODE_IR_ASKS_H
#define PX_CODE_IR_ASKS_H

#include "code/ir/fn.h"

/* Head of the innermost loop that the node is in; PX_FLOW_NONE. */
uint32_t px_loop_head(const struct px_irfn *f, uint32_t node);
/* The instruction of operation `op` with which that loop only asks; NULL: it does something else. */
const struct px_ir_inst *px_loop_asks(const struct px_irfn *f, uint32_t node, px_op op);
/* The same for loads, from an address that the loop does not compute. */
const struct px_ir_inst *px_loop_loads(const struct px_irfn *f, uint32_t node);

#endif
