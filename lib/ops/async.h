/* async.h - cp.async: what issues asynchronous copies, and what makes them happen (gang/async.h). */
#ifndef PX_OPS_ASYNC_H
#define PX_OPS_ASYNC_H

#include "gang/gang.h"

/*
 * cp.async: a = destination in shared memory, b = row of source addresses, distance is added to them, c = row
 * of bytes to read, bytes = bytes to write.
 */
int px_async_copy(struct px_gang *g, const struct px_insn *in);
enum { PX_ASYNC_ALL = 1 }; /* px_insn.wait: of the lane's copies none may be left, */
int px_async_wait(struct px_gang *g, const struct px_insn *in); /* or of all groups but the imm last ones */

/* Makes one pending arrival at this mbarrier happen, the copies before it included, or one bulk copy that
 * completes there. False: there is none. */
bool px_async_arrive_one(struct px_cta *cta, uint32_t at);
/* Is a copy or an arrival of the gang pending? */
bool px_async_pending(const struct px_gang *g);
/* Everything that is pending in the CTA happens. False: nothing was. */
bool px_async_finish(struct px_cta *cta);
/* Forgets what is pending; the memory stays for the next CTA, or goes. */
void px_async_reset(struct px_gang *g);
void px_async_free(struct px_gang *g);

/* What is pending in the gang; made when there is none yet. NULL: the host has no memory left. */
struct px_async *px_async_of(struct px_gang *g);
int px_async_no_memory(struct px_gang *g, const struct px_insn *in); /* sets the trap */
/* PTX_ASYNC_RANDOM: asynchronous instructions until the copy that is issued now happens by itself. */
uint8_t px_async_draw(struct px_gang *g);
/* An asynchronous instruction has run: with a random choice copies come nearer to happening. */
void px_async_tick(struct px_gang *g);

#endif
