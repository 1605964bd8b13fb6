/*
 * clock.h - what a thread knows of others: vector clocks in three parts (docs/checks.md).
 *
 * A vector is shared by all who know the same and copied when one of them learns more. Functions that
 * allocate set *lost when there is no memory; what was known stays known.
 */
#ifndef PX_SAN_CLOCK_H
#define PX_SAN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "ptx.h"

/* Clocks of the threads of one block. */
struct px_near {
    uint32_t refs, n;
    uint32_t clock[];
};

struct px_far;

/* What one thread knew when it released; of `block`: `floor` of all threads, `near`, and its own clock. */
struct px_knowledge {
    uint32_t block, threads; /* threads: of the block */
    uint32_t thread, clock, floor;
    struct px_near *near; /* NULL: nothing beyond the floor */
    struct px_far *far;   /* other blocks; NULL: nothing. NULL within a px_far */
};

/* By block, rising. Those with equal sums and numbers are equal. */
struct px_far {
    uint32_t refs, n, cap;
    uint64_t sum; /* of the entries' hashes */
    struct px_knowledge at[];
};

struct px_clocks {
    const ptx_allocator *alloc;
    bool lost; /* there was no memory */
};

struct px_near *px_near_share(struct px_near *near); /* NULL is allowed here and below */
void px_near_drop(struct px_clocks *c, struct px_near *near);
void px_near_join(struct px_clocks *c, struct px_near **to, struct px_near *from);
/* The clock of one of `n` threads becomes at least this. */
void px_near_raise(struct px_clocks *c, struct px_near **to, uint32_t n, uint32_t thread, uint32_t clock);

struct px_far *px_far_share(struct px_far *far);
void px_far_drop(struct px_clocks *c, struct px_far *far);
void px_far_join(struct px_clocks *c, struct px_far **to, struct px_far *from);
/* Takes in what `k` says of its own block. */
void px_far_put(struct px_clocks *c, struct px_far **to, const struct px_knowledge *k);
const struct px_knowledge *px_far_find(const struct px_far *far, uint32_t block);

struct px_knowledge px_known_share(const struct px_knowledge *k);
void px_known_drop(struct px_clocks *c, struct px_knowledge *k);
/* The clock up to which `k` knows a thread of its block. */
uint32_t px_known_clock(const struct px_knowledge *k, uint32_t thread);
/* `to` learns what `from` knows; its own clock stays. Or only what `far` says of its own block. */
void px_known_join_own(struct px_clocks *c, struct px_knowledge *to, const struct px_far *far);
void px_known_join(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from);
/* The same where `to` is a record of what threads knew, not the knowledge of a thread that runs. */
void px_known_merge(struct px_clocks *c, struct px_knowledge *to, const struct px_knowledge *from);

#endif
