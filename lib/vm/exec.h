/* exec.h - what exec.c and the files of blocking operations (calls, barriers, .sync) tell each other. */
#ifndef PX_VM_EXEC_H
#define PX_VM_EXEC_H

#include "vm/gang.h"

/* Puts the entry to sleep until px_gang_wake(state, key). */
void px_gang_wait(struct px_gang *g, struct px_entry *e, enum px_entry_state state, uint8_t key);
/* `e` has spent what `from` has: it is a part of that. */
void px_entry_inherit(struct px_entry *e, const struct px_entry *from);
/* `e` waits no longer. It owes nothing for the rounds that it slept through, and is owed nothing. */
void px_entry_resume(struct px_gang *g, struct px_entry *e);

/*
 * op_call.c: the running entry calls in->aux. NEXT: the call is done (extern function); JUMP: entries have
 * changed (a frame was pushed, lanes wait); TRAP.
 */
int px_call_enter(struct px_gang *g, struct px_entry *e, const struct px_insn *in, uint32_t next);
/* Copies the return values of `lanes` from frame f into its caller's frame. */
void px_call_results(struct px_gang *g, struct px_frame *f, const struct px_lanes *lanes);

#endif
