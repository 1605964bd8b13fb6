/*
 * region.h - a loop as machine code (docs/regions.md): what the engine knows of one.
 *
 * A region runs an innermost loop for lanes that stand at its head, a pass of so many lanes after the other,
 * each to its end. It reads rows and slots of the frame, and writes back what matters where lanes leave. It
 * calls nothing, touches no memory but the frame and its px_region_call, and cannot fault.
 */
#ifndef PX_GANG_REGION_H
#define PX_GANG_REGION_H

#include "gang/lanes.h"

enum {
    PX_REGION_SITES = 8,   /* branches out of the loop */
    PX_REGION_BLOCKS = 16, /* of the loop */
    PX_REGION_SAME = 16    /* values that all lanes share, read or written */
};

/* What the code does in a turn, and what it counts. */
struct px_region_count {
    uint64_t threads, warps; /* lanes, and passes of which some lane runs the block */
    uint64_t ways;           /* at its branch: passes with lanes that take it, and with others */
};

/* One call of a region. */
struct px_region_call {
    uint64_t fuel;      /* turns that each pass may begin */
    uint64_t passes;    /* from lane 0 on */
    struct px_lanes in; /* lanes that are inside */
    /* What it did: */
    uint64_t turns, sum;                      /* the most of a pass, and of all */
    uint64_t site;                            /* where all left together, from 1 on; 0: fuel is spent */
    struct px_lanes out[PX_REGION_SITES + 1]; /* lanes by site; 0: at the head, fuel is spent */
    uint32_t weight[16];                      /* their sum: see px_region.weighs */
    struct px_region_count count[PX_REGION_BLOCKS];
    uint8_t same[PX_REGION_SAME][64]; /* their new values, for the lanes of a group */
};
typedef void px_region_function(uint8_t *frame, struct px_region_call *call, const uint64_t *constants);

/* A branch out. */
struct px_region_site {
    uint32_t pc;    /* where it leads */
    uint32_t block; /* where it stands */
    uint32_t insts; /* instructions of a turn that all lanes inside run, up to there */
};

/* A register that all lanes inside share. */
struct px_region_same {
    uint32_t slot, row; /* offsets in the frame */
    uint8_t elem;
    bool in, written; /* it has a value when the loop begins; the loop writes it */
};

/* Instructions of the text that a block counts. */
struct px_region_block {
    uint32_t before, insts; /* px_insn.ord of what comes before it; how many */
    bool all;               /* all lanes inside run it */
    bool divides;           /* it ends in a branch by lanes */
};

struct px_region {
    uint32_t head, end; /* records of the loop */
    uint32_t lanes;     /* of a pass */
    uint32_t fp;        /* floating-point mode */
    bool parts;         /* lanes leave in different turns, or go different ways inside */
    bool rows;          /* convergent code has to hold all in rows when it runs, and goes on so */
    bool forgets;       /* it writes rows that are surveyed */
    bool counts;        /* it fills in px_region_call.count */
    uint32_t insts;     /* of a turn, those that all lanes inside run */
    uint32_t rest;      /* site from 1 on whose lanes are those that are nowhere else; 0: none */
    uint32_t nsites, nsame, nblocks;
    struct px_region_site site[PX_REGION_SITES];
    struct px_region_same same[PX_REGION_SAME];
    struct px_region_block block[PX_REGION_BLOCKS];
    const uint64_t *constants;
    px_region_function *run; /* NULL: there is no memory for it that can be run */
    uint32_t at, bytes;      /* of the code, in that of its kernel */
};

#endif
