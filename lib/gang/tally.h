/*
 * tally.h - how often the instructions of a kernel ran.
 *
 * Decoding numbers the instructions of the text in the order of the code (px_insn.ord), and what the engine
 * counts anyway are ranges of these numbers: from where an entry began to run to where it branched, and for
 * how many lanes. So a counter holds differences: a range adds to its first instruction and takes from the
 * one behind its last, whatever its length, and sums from the first counter on are what each instruction was
 * executed (vm/run/tally.c). Only what a range cannot tell costs by itself: divided branches, waits, and the
 * lanes for which an access to memory under a guard takes place.
 *
 * Counters belong to a kernel's code and a worker, so nothing here locks. They exist when the device counts
 * (ptx_device_config.counts); px_worker.tally is NULL otherwise.
 */
#ifndef PX_GANG_TALLY_H
#define PX_GANG_TALLY_H

#include "base/source.h"
#include "gang/record.h"
#include "isa/isa.h"
#include "ptx_counts.h"

struct px_loc;

/* The space under which accesses are told and counted. */
static inline ptx_count_space px_count_space(enum px_space space)
{
    switch (space) {
    case PX_SPACE_GLOBAL: return PTX_COUNT_GLOBAL;
    case PX_SPACE_SHARED:
    case PX_SPACE_CLUSTER: return PTX_COUNT_SHARED;
    case PX_SPACE_LOCAL: return PTX_COUNT_LOCAL;
    case PX_SPACE_CONST: return PTX_COUNT_CONST;
    case PX_SPACE_PARAM: return PTX_COUNT_PARAM;
    default: return PTX_COUNT_GENERIC;
    }
}

/* One instruction of the text. Counters of a function: one each, and one behind the last. */
struct px_tally {
    uint64_t threads, warps; /* differences */
    uint64_t lanes;          /* of an access under a guard: for which it held */
    uint64_t divided;        /* warps whose lanes went different ways here */
    uint64_t waits;          /* warps that were put aside here */
};

struct px_counted {
    const char *opcode; /* with its modifiers */
    px_pos pos;
    const struct px_loc *loc; /* the .loc that it stands under; NULL */
    uint32_t bytes[2];        /* of memory that a thread reads, and writes */
    uint8_t space[2];         /* enum px_space of them; none: by generic addresses */
    bool guarded;             /* they are counted by px_tally.lanes */
};

#endif
