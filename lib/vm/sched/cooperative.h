/*
 * cooperative.h - grids whose CTAs wait for each other.
 *
 * A cooperative grid has a workspace of two words in device memory: its size and a barrier. Cooperative
 * groups find its address in %envreg1 (upper half) and %envreg2, add to the barrier atomically, and load it
 * until its highest bit has changed. A lane that only loads it again sleeps (PX_ENTRY_GRID), its CTA is put
 * aside once nothing else of it can run, and whoever turns the highest bit wakes the run's CTAs. Whatever
 * else changes the word wakes them before the run would be called a deadlock.
 *
 * Older compilers call cudaCGSynchronize in every thread instead. The last thread of a CTA that comes adds to
 * the same word; all of them are asked again when CTAs are woken.
 */
#ifndef PX_VM_SCHED_COOPERATIVE_H
#define PX_VM_SCHED_COOPERATIVE_H

#include "vm/sched/sched.h"

struct px_cta;
struct px_gang;
struct px_insn;

/* Gives the grid its workspace. False: out of memory. */
bool px_cooperative_begin(struct px_grid *grid);
void px_cooperative_end(struct px_grid *grid);
/* The barrier word may have changed. A worker, without the lock. */
void px_cooperative_arrived(struct px_grid *grid);
/* Would the running entry, at a branch with PX_INSN_ALONE, only look at the barrier word again? */
bool px_cooperative_waits(const struct px_gang *g, const struct px_insn *in);
/* A thread comes to the barrier by a call, and calls again until this is true. *token is 0 the first time. */
bool px_cooperative_meet(struct px_cta *cta, uint64_t *token);
/* Nothing of the run can go on: did a barrier word change, or did threads come there, since its CTAs were
 * last woken? Then they are. The lock is held. */
bool px_cooperative_moved(struct px_run *run);
/* "wait at the grid's barrier, where 2 of 4 blocks are" */
void px_cooperative_text(const struct px_grid *grid, char *buf, size_t size);

#endif
