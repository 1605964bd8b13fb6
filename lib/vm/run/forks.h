/*
 * forks.h - lanes that part for a moment, without entries of their own (code/ir/forks.c, loops.c).
 *
 * A fork runs both of its ways one after the other, each under the mask of its lanes, and goes on where they
 * meet. A loop in which few lanes are left goes on in a frame of its own, where they stand side by side.
 */
#ifndef PX_VM_RUN_FORKS_H
#define PX_VM_RUN_FORKS_H

#include "gang/gang.h"
#include "vm/run/tally.h"

/* The fork whose branch is at pc, the loop that begins there; NULL when there is none. */
const struct px_fork *px_fork_at(const struct px_fcode *code, uint32_t pc);
const struct px_loop *px_loop_at(const struct px_fcode *code, uint32_t pc);

/* Where lanes of a fork stand that could not be run to its end: `lanes` at pc, the other active ones at rest.
 */
struct px_fork_stop {
    struct px_lanes lanes;
    uint32_t pc, rest;
};
/*
 * The lanes of g->taken run one way of the fork, the other active ones the other. PX_STEP_NEXT: all stand at
 * its end. PX_STEP_TRAP: one has trapped. PX_STEP_WIDEN: they stand as *stop says.
 */
int px_fork_run(struct px_gang *g, const struct px_fork *fork, struct px_fork_stop *stop);

/* The same in a narrowed loop, of a fork whose ways have records of their own: nothing can go wrong there. */
void px_fork_inside(struct px_gang *g, const struct px_fork *fork, const struct px_loop *loop,
                    struct px_laps *laps);

/*
 * The active lanes move into the worker's spare frame, which is the running one from now on; together, when
 * that pays. False: they are too many for a loop without records of its own, or there is no memory, and
 * nothing has changed.
 */
bool px_narrow_begin(struct px_gang *g, const struct px_loop *loop);
/* Have so many lanes left that the others should move together? */
bool px_narrow_pays(const struct px_gang *g, const struct px_loop *loop);
void px_narrow_again(struct px_gang *g, const struct px_loop *loop);
/* These lanes (as they stand now) go on at pc: they get back what the loop has written and matters there, and
 * are not active any more. Where they stand elsewhere. */
struct px_lanes px_narrow_leave(struct px_gang *g, const struct px_loop *loop, struct px_lanes lanes,
                                uint32_t pc);
/* The gang is as wide as it was. The mask row and what goes with it are those of no entry. */
void px_narrow_end(struct px_gang *g);

/* The lanes that are active from now on: mask row, set and count. */
void px_gang_activate(struct px_gang *g, struct px_lanes lanes);

#endif
