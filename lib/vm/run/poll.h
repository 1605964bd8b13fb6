/* poll.h - lanes that wait at mbarriers: asleep, awake, out of time. */
#ifndef PX_VM_RUN_POLL_H
#define PX_VM_RUN_POLL_H

#include "gang/gang.h"

/* The running entry stands before a wait that is not over for all of its lanes: these sleep, the others go
 * on. */
void px_poll_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in);
/*
 * Nothing in the CTA can run. Pending copies happen, and if that wakes nobody the time of every try_wait is
 * up but of those whose loop would only ask again. False: still nothing can run.
 */
bool px_poll_unblock(struct px_cta *cta);

#endif
