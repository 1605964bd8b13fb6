/* warp.h - what a record of a warp operation says; see warp.c. */
#ifndef PX_OPS_WARP_H
#define PX_OPS_WARP_H

#include "gang/gang.h"

/* What lanes meet for; warp.c has a row for each. */
enum px_sync_what {
    PX_MEET_SHFL,
    PX_MEET_VOTE,
    PX_MEET_MATCH,
    PX_MEET_REDUX,
    PX_MEET_REDUX_F32,
    PX_MEET_ELECT,
    PX_MEET_WARPSYNC,
    PX_MEET_COUNT
};
/* Its modes. */
enum { PX_SHFL_UP, PX_SHFL_DOWN, PX_SHFL_BFLY, PX_SHFL_IDX };
enum { PX_VOTE_ALL, PX_VOTE_ANY, PX_VOTE_UNI, PX_VOTE_BALLOT };
enum { PX_MATCH_ANY, PX_MATCH_ALL };
enum {
    PX_REDUX_ADD,
    PX_REDUX_UMIN,
    PX_REDUX_UMAX,
    PX_REDUX_SMIN,
    PX_REDUX_SMAX,
    PX_REDUX_AND,
    PX_REDUX_OR,
    PX_REDUX_XOR
};
enum { PX_REDUX_FMIN, PX_REDUX_FMAX };

/* px_insn.imm: what, its mode, and qualifiers. Lanes meet where all of it is the same. */
#define PX_SYNC(what, mode) ((uint32_t)((what) << 4 | (mode)))
#define PX_SYNC_WHAT(imm) ((enum px_sync_what)((imm) >> 4 & 15))
#define PX_SYNC_MODE(imm) ((uint32_t)((imm)&15))
enum {
    PX_SYNC_ABS = 256,
    PX_SYNC_NAN = 512,
    PX_SYNC_ACTIVE = 1024, /* old forms: whoever is here */
    PX_SYNC_CHIP = 2048    /* PTX_UB_CHIP: masks need not name the lane itself */
};

/* px_insn.flags of these records, besides PX_INSN_NEGATE */
enum { PX_SYNC_SCALAR_B = 16, PX_SYNC_SCALAR_C = 32, PX_SYNC_SCALAR_M = 64 };

int px_warp_sync(struct px_gang *g, const struct px_insn *in);

/* redux of two integers. */
static inline __attribute__((always_inline)) uint32_t px_redux_pair(uint32_t mode, uint32_t x, uint32_t y)
{
    switch (mode) {
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
