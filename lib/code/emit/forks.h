/* forks.h - what the emission tells exec.c about branches and loops that need not go through the set of
 * entries. */
#ifndef PX_CODE_EMIT_FORKS_H
#define PX_CODE_EMIT_FORKS_H

#include "code/emit/emit.h"

/* Branches of forks inside loops name them; what stops lanes at the end of what they run aside. */
void px_forks_name(const struct px_fcode *code, struct px_insn *div);
int px_forks_leave(struct px_gang *g, const struct px_insn *in);

/* Before the first block; before the records of the block at this place of the order, and behind them, when
 * all are packed. */
void px_forks_begin(struct px_emitter *e);
void px_forks_enter(struct px_emitter *e, uint32_t place);
void px_forks_end(struct px_emitter *e, uint32_t place);
/* `end_of`: by node, the pc behind its records. Places are known: what ir/forks.c and ir/loops.c have found.
 */
void px_forks_make(struct px_emitter *e, const uint32_t *end_of);

#endif
