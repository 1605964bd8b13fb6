/* op_move.h - moves with a meaning of their own; the records are made by decode_mem.c and decode_move.c. */
#ifndef PX_VM_OP_MOVE_H
#define PX_VM_OP_MOVE_H

#include "vm/gang.h"

int px_move_cvta(struct px_gang *g, const struct px_insn *in);     /* state space address -> generic */
int px_move_cvta_to(struct px_gang *g, const struct px_insn *in);
int px_move_isspacep(struct px_gang *g, const struct px_insn *in);
/* d (elements of `size` bytes) gets a's low x[0] bits at bit imm; other bits stay, or are zero when imm is 0. */
int px_move_pack(struct px_gang *g, const struct px_insn *in);
/* d gets x[0] bits of a from bit imm on; a has elements of `size` bytes, d of `flags` bytes. */
int px_move_unpack(struct px_gang *g, const struct px_insn *in);
int px_move_bfi(struct px_gang *g, const struct px_insn *in);
int px_move_lop3(struct px_gang *g, const struct px_insn *in);     /* imm = table; flags 1 and, 2 or with the predicate x[0] */

#endif
