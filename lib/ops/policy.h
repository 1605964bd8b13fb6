/*
 * policy.h - createpolicy (PTX ISA 9.7.9.18): the words that an H100 makes of cache policies.
 *
 * Nothing here has a cache; but programs may store a policy or compare two.
 */
#ifndef PX_OPS_POLICY_H
#define PX_OPS_POLICY_H

#include "gang/gang.h"

/* Bits 63..56 of a fractional policy. */
enum {
    PX_POLICY = 0x10,
    PX_POLICY_RANGE = 8,
    PX_POLICY_FIRST = 2, /* primary priorities; unchanged is zero */
    PX_POLICY_LAST = 4,
    PX_POLICY_NORMAL = 6,
    PX_POLICY_SECOND_FIRST = 1
};

uint64_t px_policy_fraction(uint32_t kind, float fraction);
uint64_t px_policy_range(uint32_t kind, uint64_t address, uint32_t primary, uint32_t total);

/* d = row of policies, a = row of fractions (f32), or of addresses to which imm is added, b and c = rows of
 * primary and total bytes; policy = kind. */
int px_policy_fractions(struct px_gang *g, const struct px_insn *in);
int px_policy_ranges(struct px_gang *g, const struct px_insn *in);

#endif
