/* op_move.h - conversions of addresses between state spaces; lib/code/emit_mem.c makes the records. */
#ifndef PX_VM_OP_MOVE_H
#define PX_VM_OP_MOVE_H

#include "vm/gang.h"

int px_move_cvta(struct px_gang *g, const struct px_insn *in);     /* state space address -> generic */
int px_move_cvta_to(struct px_gang *g, const struct px_insn *in);
int px_move_isspacep(struct px_gang *g, const struct px_insn *in);

#endif
