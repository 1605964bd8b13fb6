/* live_joins.h - liveness of registers whose writes meet at joins; a part of live_tree.c. */
#ifndef PX_FLOW_LIVE_JOINS_H
#define PX_FLOW_LIVE_JOINS_H

#include "flow/live.h"

/* A place of a register, with what is asked of its node again and again. */
struct px_flow_visit {
    uint32_t start, size;       /* the node's subtree */
    uint32_t at : 28, uses : 4; /* the node's place in the order */
    uint32_t place;             /* number in live->places, plus 1 */
};

/* What happens to a register, in the order of the tree of dominators. */
enum px_flow_event_kind { PX_FLOW_JOIN, PX_FLOW_PLACE, PX_FLOW_BEFORE_JOIN };
struct px_flow_event {
    uint32_t start; /* of the node, in the tree */
    enum px_flow_event_kind kind;
    uint32_t node;
    uint32_t what; /* a join: its first source; a place: its number, plus 1; before a join: which source */
};

/* A write, a join, or the start. */
struct px_flow_meeting {
    uint32_t start, size; /* its subtree */
    uint32_t at;          /* place in the order */
    uint32_t up;          /* the nearest that dominates it */
    uint32_t place;       /* number in live->places, plus 1; 0: a join or the start */
    uint32_t source;      /* of a join: its first */
    uint32_t node;
    bool read;
};

/* A way into a join. */
struct px_flow_source {
    uint32_t node, write, join; /* predecessor; what is there behind it; node of the join */
};

struct px_flow_joins {
    struct px_flow_live *live;
    const struct px_flow_loops *loops;
    const uint32_t *latch; /* by node: PX_FLOW_NONE: it heads no loop */
    uint32_t *out;         /* by node: the only node of its dominance frontier */
    uint32_t *met;         /* by node: the last register that has a join there, plus 1 */
    PX_VEC(struct px_flow_event) events;
    PX_VEC(struct px_flow_meeting) writes;
    PX_VEC(struct px_flow_source) sources;
    PX_VEC(uint32_t) todo;
};

/* live->tree and live->loops are used; `latch` stays the caller's. */
void px_flow_joins_begin(struct px_flow_joins *joins, struct px_flow_live *live, const uint32_t *latch);

/* Solves a register with these n places, as px_flow_live says. False: it is not like this, and nothing has
 * changed. */
bool px_flow_joins_solve(struct px_flow_joins *joins, uint32_t reg, const struct px_flow_visit *visits,
                         uint32_t n);

void px_flow_joins_end(struct px_flow_joins *joins);

#endif
