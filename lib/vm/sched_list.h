/* sched_list.h - lists, slots, and the coming and going of workers (workers.c); only sched.c includes it. */
#ifndef PX_VM_SCHED_LIST_H
#define PX_VM_SCHED_LIST_H

#include "vm/sched.h"

void px_grids_append(struct px_grid_list *list, struct px_grid *grid);
struct px_grid *px_grids_pop(struct px_grid_list *list);
void px_parked_append(struct px_parked_list *list, struct px_parked *p);
struct px_parked *px_parked_pop(struct px_parked_list *list);
struct px_parked *px_parked_new(struct px_sched *s); /* NULL when out of memory; the lock is held */
void px_parked_free(struct px_sched *s, struct px_parked *p);

/* Owner numbers of live CTAs, from 1. A worker keeps one; take gives 0 when out of memory. */
uint32_t px_slot_take(struct px_helper *h);
void px_slot_give(struct px_helper *h, uint32_t slot);

/* All with the lock held. */
void px_sched_begin(struct px_sched *s); /* counters and rotation as a launch finds them */
void px_sched_open(struct px_sched *s);  /* helpers may join; makes their threads when there are none */
void px_sched_join(struct px_helper *h);
void px_sched_leave(struct px_helper *h);
void px_sched_work(struct px_helper *h);

#endif
