/* exec.h - what the files that run a gang tell each other: the loop, calls, frames, barriers. */
#ifndef PX_VM_RUN_EXEC_H
#define PX_VM_RUN_EXEC_H

#include "gang/gang.h"

/*
 * call.c: the running entry calls in->aux. NEXT: the call is done (extern function); JUMP: entries have
 * changed (a frame was pushed, lanes wait); TRAP.
 */
int px_call_enter(struct px_gang *g, struct px_entry *e, const struct px_insn *in, uint32_t next);
/* Copies the return values of `lanes` from frame f into its caller's frame. */
void px_call_results(struct px_gang *g, struct px_frame *f, const struct px_lanes *lanes);

/* ---- exec.c ---- */

/* Runs until nothing of the gang can run or *budget backward branches, calls and returns are spent. */
enum px_gang_status { PX_GANG_WAIT, PX_GANG_DONE, PX_GANG_BUDGET, PX_GANG_TRAP, PX_GANG_STOP };
enum px_gang_status px_gang_run(struct px_gang *g, struct px_worker *worker, uint64_t *budget);

/* ---- frames (frame.c) ---- */
struct px_frame *px_frame_push(struct px_gang *g, struct px_frame *parent, const struct px_fcode *code);
void px_frame_pop(struct px_gang *g, struct px_frame *frame);
/* Makes local memory at least this large. False: out of memory, or the launch is to stop. */
bool px_frame_local(struct px_gang *g, uint64_t bytes);
/* Local memory reads as zero from byte `from` of each lane on. False: the launch is to stop. */
bool px_local_clear(struct px_gang *g, uint64_t from);

/* ---- barrier.c ---- */
/* The running entry arrives. True: it goes on at once; false: it waits. */
bool px_barrier_arrive(struct px_gang *g, struct px_entry *e, const struct px_insn *in);
void px_barrier_exited(struct px_cta *cta); /* lanes have exited: barriers may be complete now */

/* ---- meet.c ---- */
/* The running entry stands before an instruction that groups of `group` lanes execute together: lanes of its
 * groups that wait there in an activation of their own, called in the same way, come into its frame. */
void px_frames_meet(struct px_gang *g, struct px_entry *e, uint32_t group);

#endif
