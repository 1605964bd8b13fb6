/*
 * policy.c - createpolicy: what an H100 gave for each kind, many fractions, sizes and addresses
 * (tests/hw/async, cases policy_*), as formulas.
 */
#include "ops/policy.h"

/* Sixteenths, rounded up unless the rest is tiny, less one. */
uint64_t px_policy_fraction(uint32_t kind, float fraction)
{
    const double x = 16.0 * (double)fraction - 1e-6;
    const uint64_t sixteenths = x >= 15 ? 15 : x >= 1 ? (uint64_t)x : 0;
    return (uint64_t)(PX_POLICY | kind) << 56 | sixteenths << 52;
}

/* Blocks of 4 KiB and up, 128 of which hold `total`: where the primary range begins, and how many blocks it
 * touches. */
uint64_t px_policy_range(uint32_t kind, uint64_t address, uint32_t primary, uint32_t total)
{
    uint32_t grown = 0;
    while ((uint64_t)total > 1ull << (19 + grown)) grown++;
    const uint64_t block = 4096ull << grown, start = address >> (12 + grown);
    const uint64_t blocks = ((address & (block - 1)) + primary + block - 1) >> (12 + grown);
    if (!primary) return (uint64_t)(PX_POLICY | PX_POLICY_RANGE) << 56;
    return (uint64_t)(PX_POLICY | PX_POLICY_RANGE | kind) << 56 | (uint64_t)grown << 52 |
           (start & 127) << 44 | (blocks & 127) << 37;
}

int px_policy_fractions(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    PX_ROW(g, uint64_t, in->d)[lane] = px_policy_fraction(in->policy, PX_ROW(g, float, in->a)[lane]);
    return PX_STEP_NEXT;
}

int px_policy_ranges(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    PX_ROW(g, uint64_t, in->d)
    [lane] = px_policy_range(in->policy, PX_ROW(g, uint64_t, in->a)[lane] + in->imm,
                             PX_ROW(g, uint32_t, in->b)[lane], PX_ROW(g, uint32_t, in->c)[lane]);
    return PX_STEP_NEXT;
}
