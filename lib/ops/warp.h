/* warp.h - what a record of a warp operation says; see warp.c. */
#ifndef PX_OPS_WARP_H
#define PX_OPS_WARP_H

#include "gang/gang.h"

enum px_sync_op {
    PX_SHFL_UP,
    PX_SHFL_DOWN,
    PX_SHFL_BFLY,
    PX_SHFL_IDX,
    PX_VOTE_ALL,
    PX_VOTE_ANY,
    PX_VOTE_UNI,
    PX_VOTE_BALLOT,
    PX_MATCH_ANY,
    PX_MATCH_ALL,
    PX_REDUX_ADD,
    PX_REDUX_UMIN,
    PX_REDUX_UMAX,
    PX_REDUX_SMIN,
    PX_REDUX_SMAX,
    PX_REDUX_AND,
    PX_REDUX_OR,
    PX_REDUX_XOR,
    PX_REDUX_FMIN,
    PX_REDUX_FMAX,
    PX_ELECT,
    PX_WARPSYNC
};
#define PX_SYNC_OP(imm) ((uint32_t)((imm)&255))
enum { PX_SYNC_ABS = 256, PX_SYNC_NAN = 512, PX_SYNC_ACTIVE = 1024 /* old forms: whoever is here */ };

/* px_insn.flags of these records, besides PX_IF_NEGATE */
enum { PX_SYNC_SCALAR_B = 16, PX_SYNC_SCALAR_C = 32, PX_SYNC_SCALAR_M = 64 };

int px_warp_sync(struct px_gang *g, const struct px_insn *in);
int px_warp_activemask(struct px_gang *g, const struct px_insn *in);

/* redux of two integers. */
static inline __attribute__((always_inline)) uint32_t px_redux_pair(uint32_t op, uint32_t x, uint32_t y)
{
    switch (op) {
    case PX_REDUX_ADD: return x + y;
    case PX_REDUX_UMIN: return x < y ? x : y;
    case PX_REDUX_UMAX: return x > y ? x : y;
    case PX_REDUX_SMIN: return (int32_t)x < (int32_t)y ? x : y;
    case PX_REDUX_SMAX: return (int32_t)x > (int32_t)y ? x : y;
    case PX_REDUX_AND: return x & y;
    case PX_REDUX_OR: return x | y;
    default: return x ^ y;
    }
}

/* Waiting: what the loop asks of it. */
void px_sync_exited(struct px_gang *g);
bool px_sync_wait(struct px_gang *g, struct px_entry *e, const struct px_insn *in);

#endif
