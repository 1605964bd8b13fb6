/* exec.h - what exec.c and the files of blocking operations (calls, barriers, .sync) tell each other. */
#ifndef PX_VM_EXEC_H
#define PX_VM_EXEC_H

#include "vm/gang.h"

/*
 * op_call.c: the running entry calls in->aux. NEXT: the call is done (extern function); JUMP: entries have
 * changed (a frame was pushed, lanes wait); TRAP.
 */
int px_call_enter(struct px_gang *g, struct px_entry *e, const struct px_insn *in, uint32_t next);
/* Copies the return values of `lanes` from frame f into its caller's frame. */
void px_call_results(struct px_gang *g, struct px_frame *f, const struct px_lanes *lanes);

#endif
