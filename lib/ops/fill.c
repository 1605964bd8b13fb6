/*
 * fill.c - st.bulk (PTX ISA 9.7.9.13): zeros over a piece of shared memory.
 *
 * Words are stored one after the other, as other lanes may look at them.
 */
#include "ops/mem.h"
#include "ops/operands.h"
#include "ops/row.h"

enum { UNIT = 8 };

static int refused(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint64_t size,
                   const char *why)
{
    return px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, va, "st.bulk of %llu bytes at 0x%llx: %s",
                        (unsigned long long)size, (unsigned long long)va, why);
}

PX_RACY static int fill(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t size)
{
    const uint64_t va = px_address(g, in, lane);
    const struct px_place_of p = px_gang_find(g, in->space, lane, va, size ? size : 1);
    const uint8_t *shared = g->cta->shared;
    if (va % UNIT || size % UNIT)
        return px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                            "st.bulk of %llu bytes at 0x%llx: neither may be other than a multiple of 8",
                            (unsigned long long)size, (unsigned long long)va);
    if (!p.host) return refused(g, in, lane, va, size, p.why);
    if (p.stride != 4 || p.host < shared || p.host >= shared + g->cta->shared_bytes)
        return refused(g, in, lane, va, size, "that is not in shared memory");
    for (uint64_t at = 0; at < size; at += UNIT)
        __atomic_store_n((uint64_t *)(void *)(p.host + at), 0, __ATOMIC_RELAXED);
    return PX_STEP_NEXT;
}

PX_NAMED_HANDLER_OF(st_bulk)
{
    const uint64_t *size = PX_ROW(g, uint64_t, px_operands(g, in)->row[0]);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    if (size[lane] && fill(g, in, lane, size[lane]) != PX_STEP_NEXT) return PX_STEP_TRAP;
    return PX_STEP_NEXT;
}
