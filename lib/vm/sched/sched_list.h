/* sched_list.h - parked CTAs, slots, and the coming and going of workers (workers.c), for sched.c and run.c.
 */
#ifndef PX_VM_SCHED_SCHED_LIST_H
#define PX_VM_SCHED_SCHED_LIST_H

#include "base/queue.h"
#include "vm/sched/sched.h"
#include <time.h>

struct px_parked *px_parked_new(struct px_sched *s); /* NULL when out of memory; the lock is held */
void px_parked_free(struct px_sched *s, struct px_parked *p);

/* Owner numbers of live CTAs, from 1. A worker keeps one; take gives 0 when out of memory. */
uint32_t px_slot_take(struct px_helper *h);
void px_slot_give(struct px_helper *h, uint32_t slot);

/* ---- sched.c, with the lock held ---- */

/* Does one piece of work; false when there is none. */
bool px_sched_step(struct px_helper *h);
/* A run whose last worker has left may be over, or stand still. */
void px_run_settle(struct px_run *run);
uint64_t px_now_ns(void);
struct timespec px_deadline(uint64_t ns); /* so long from now, for pthread_cond_timedwait */

/* ---- workers.c, with the lock held ---- */

/* A place for the calling thread, a helper or a thread of the host (PX_HELPER_WORKS, PX_CALLER_WORKS). NULL:
 * all are taken. */
struct px_helper *px_sched_enter(struct px_sched *s, enum px_where where);
void px_sched_leave(struct px_helper *h);

/* ---- run.c, with the lock held ---- */

/* Puts a run behind those of its priority, or takes it out of the list. */
void px_run_append(struct px_run *run);
void px_run_remove(struct px_run *run);

#endif
