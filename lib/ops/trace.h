/*
 * trace.h - records that report accesses to memory, and what orders them (ptx_trace.h).
 *
 * Where ptx_device_config.trace or .trace_event is set, decoding puts a record before each that touches
 * memory or orders accesses. Such code does without what would hide who makes an access
 * (PX_ENGINE_UNTRACED); other code has no such records. Instructions with such a record before them are not
 * fused with others.
 */
#ifndef PX_OPS_TRACE_H
#define PX_OPS_TRACE_H

#include "gang/engine.h"
#include "gang/gang.h"
#include "ptx_trace.h"

/* Off: loops aside, whose lanes are elsewhere than they seem. */
enum { PX_ENGINE_UNTRACED = PX_ENGINE_narrow };

enum { PX_TRACE_ATOMIC = PTX_TRACE_READ | PTX_TRACE_WRITE | PTX_TRACE_ATOMIC };

/* What the record at hand reports (px_insn.aux). The address is px_insn.a (PX_INSN_SCALAR_A) and the offset.
 */
struct px_traced {
    const ptx_trace_place *at;
    unsigned how; /* PTX_TRACE_ */
    ptx_count_space space;
    ptx_trace_order order;
    ptx_trace_scope scope;
    uint64_t offset;
    struct px_traced_base { /* the variable that the address is computed from; bytes 0: none is known */
        uint64_t address, bytes;
        const char *name;
        ptx_count_space space;
    } base;
    uint32_t bytes; /* of each lane; 0: the row px_insn.b says */
    uint32_t first; /* of each warp only the first so many lanes; 0: all of them */
    /* A matrix: that many lines of `bytes`, line i told of lane i of the warp. They are so many bytes apart,
     * or 0: so many elements of `bits` bits as px_insn.b says, a row or (PX_INSN_NEGATE) a scalar. */
    uint32_t lines, apart, bits;
    uint32_t masked; /* mask row of the threads that take part; 0: the entry's, or that of the guard */
    /* A store of at most four elements, 16 bytes: px_insn.c, d, e, source4 are their rows, `stored` bytes a
     * lane. */
    uint8_t parts, stored;
    /* The same of stmatrix: each row holds an 8x8 matrix of 16-bit elements, whose line i lane i of eight
     * stores. */
    enum px_traced_fragment { PX_FRAGMENT_NONE, PX_FRAGMENT_ROWS, PX_FRAGMENT_COLUMNS } fragment;
};

/* The space that a generic address of a thread leads to; *va becomes the address there. GENERIC: to none. */
ptx_count_space px_trace_reached(const struct px_cta *cta, uint32_t thread, uint64_t *va);
int px_trace_access(struct px_gang *g, const struct px_insn *in);
/* Reports what a record reads of shared memory by descriptors. */
void px_trace_product(struct px_gang *g, const struct px_insn *in, const ptx_trace_place *at,
                      const ptx_trace_lane *lanes, unsigned n);
/* Reports what a lane's bulk copy reads or writes, as an access of block `cta`. */
void px_trace_bulk(struct px_gang *g, const struct px_insn *in, const struct px_cta *cta,
                   const ptx_trace_place *at, ptx_count_space space, unsigned how,
                   const ptx_trace_lane *lane);
/* Whose access it is, while a trace function hears of it. */
const struct px_cta *px_trace_cta(const ptx_trace_access *access);
const struct px_grid *px_trace_grid(const ptx_trace_access *access);
/* ptx_trace_stored. */
bool px_trace_stored(const ptx_trace_access *access, unsigned lane, void *value, void *memory);

/* The same of what orders accesses. px_insn.a is the number, px_insn.b the count (one_count: a scalar); 0
 * of those that are `number` or 0. Threads with other numbers, or by_warp of other warps, are other events.
 */
struct px_ordered {
    ptx_trace_event is; /* but for the block and the threads */
    bool by_warp;
};

int px_trace_event(struct px_gang *g, const struct px_insn *in);

/* Of a block: BLOCK_BEGIN, BLOCK_END. */
/* Of one thread, when somebody hears of it: GRID_ARRIVE, GRID_LEAVE. */
void px_trace_thread(const struct px_cta *cta, const struct px_worker *worker, ptx_trace_kind kind,
                     uint32_t thread);
void px_trace_block(const struct px_cta *cta, const struct px_worker *worker, ptx_trace_kind kind);

#endif
