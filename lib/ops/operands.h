/*
 * operands.h - what the handler of an operation finds that is one function (`handler` on its `op` line in
 * grammar/isa.tbl): px_op_NAME, a px_handler.
 *
 * All values are rows of elements, constants too; px_insn.m is the row of the guard (px_gang_lanes: the lanes
 * to do it for). Where there is an address, px_address gives a lane's, and px_insn.space, .extent and .bytes
 * are as for a load of as many bytes; of an operation with `waits`, .group is a warp instead, the lanes that
 * meet (px_gang_met), and a guard is a branch around the record. Of an operation with `several` addresses
 * each is a row of 64 bits among the values. A row may be that of a source and of a result: sources are read
 * first.
 */
#ifndef PX_OPS_OPERANDS_H
#define PX_OPS_OPERANDS_H

#include "gang/gang.h"
#include "isa/isa.h"
#include "ptx_trace.h"

struct px_operands {
    const struct px_match *match; /* the words: px_match_has */
    const ptx_trace_place *told;  /* NULL: nobody hears of accesses */
    uint32_t n, ndst;             /* rows; the first ndst are results */
    /* Offsets in the frame, in the order of the operands, each element of a vector its own; of a result that
     * is not named (`_`), a row that nobody reads. */
    uint32_t row[];
};

static inline const struct px_operands *px_operands(const struct px_gang *g, const struct px_insn *in)
{
    return *PX_ROW(g, const struct px_operands *, in->c);
}

/* The head of such a handler. Its file needs no list of all of them, so that a new one compiles no other's.
 */
#define PX_NAMED_HANDLER_OF(name)                                                                            \
    px_handler_function px_op_##name;                                                                        \
    int px_op_##name(struct px_gang *g, const struct px_insn *in)

#endif
