/* move.h - conversions of addresses between state spaces; lib/code/emit/mem.c makes the records. */
#ifndef PX_OPS_MOVE_H
#define PX_OPS_MOVE_H

#include "gang/gang.h"

int px_move_cvta(struct px_gang *g, const struct px_insn *in); /* state space address -> generic */
int px_move_cvta_to(struct px_gang *g, const struct px_insn *in);
int px_move_isspacep(struct px_gang *g, const struct px_insn *in);

#endif
