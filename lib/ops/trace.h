/*
 * trace.h - accesses to memory of which somebody wants to hear (ptx_trace.h).
 *
 * Where ptx_device_config.trace is set, decoding puts a record before each that touches memory. Such code
 * does without what would hide who makes an access (PX_ENGINE_UNTRACED); other code has no such records.
 * Instructions with such a record before them are not fused with others.
 */
#ifndef PX_OPS_TRACE_H
#define PX_OPS_TRACE_H

#include "gang/engine.h"
#include "gang/gang.h"
#include "ptx_trace.h"

/* Off: loops aside, whose lanes are elsewhere than they seem. */
enum { PX_ENGINE_UNTRACED = PX_ENGINE_narrow };

enum { PX_TRACE_ATOMIC = PTX_TRACE_READ | PTX_TRACE_WRITE | PTX_TRACE_ATOMIC };

/* What the record at hand tells (px_insn.aux). The address is px_insn.a (PX_IF_SCALAR_A) and the offset. */
struct px_traced {
    ptx_trace_access is; /* but for the block and the lanes */
    uint64_t offset;
    uint32_t bytes; /* of each lane; 0: the row px_insn.b says */
    uint32_t first; /* of each warp only the first so many lanes; 0: all of them */
    /* A matrix: that many lines of `bytes`, line i told of lane i of the warp. They are so many bytes apart,
     * or 0: so many elements of `bits` bits as px_insn.b says, a row or (PX_IF_NEGATE) a scalar. */
    uint32_t lines, apart, bits;
};

int px_trace_access(struct px_gang *g, const struct px_insn *in);

#endif
