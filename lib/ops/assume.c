/* assume.c - scalars and terms: what holds for all lanes (see assume.h). */
#include "ops/assume.h"
#include "gang/gang.h"

/* Where the sums lie, as signed numbers of 64 bits. False: some are beyond. */
static bool range(int64_t scalar, const struct px_lane_facts *facts, int64_t *least, int64_t *most)
{
    return !__builtin_add_overflow(scalar, facts->least, least) &&
           !__builtin_add_overflow(scalar, facts->most, most);
}

static bool fits(const struct px_gang *g, const struct px_insn *in, bool sign, int64_t *least, int64_t *most)
{
    const uint32_t word = *PX_ROW(g, uint32_t, in->a);
    const struct px_lane_facts *facts = PX_ROW(g, struct px_lane_facts, in->facts);
    if (!range(sign ? (int64_t)(int32_t)word : (int64_t)word, facts, least, most)) return false;
    return sign ? *least >= INT32_MIN && *most <= INT32_MAX : *least >= 0 && *most <= UINT32_MAX;
}

int px_assume_fits_s32(struct px_gang *g, const struct px_insn *in)
{
    int64_t least, most;
    return fits(g, in, true, &least, &most) ? PX_STEP_NEXT : PX_STEP_ROWS;
}

int px_assume_fits_u32(struct px_gang *g, const struct px_insn *in)
{
    int64_t least, most;
    return fits(g, in, false, &least, &most) ? PX_STEP_NEXT : PX_STEP_ROWS;
}

/* The range of the sums and the other side, as signed numbers. */
static bool sides(const struct px_gang *g, const struct px_insn *in, int64_t *least, int64_t *most,
                  int64_t *other)
{
    const bool sign = in->imm & PX_ASSUME_SIGNED;
    if (!(in->imm & PX_ASSUME_WIDE)) {
        const uint32_t word = *PX_ROW(g, uint32_t, in->b);
        *other = sign ? (int64_t)(int32_t)word : (int64_t)word;
        return fits(g, in, sign, least, most);
    }
    const int64_t scalar = *PX_ROW(g, int64_t, in->a);
    *other = *PX_ROW(g, int64_t, in->b);
    if (!range(scalar, PX_ROW(g, struct px_lane_facts, in->facts), least, most)) return false;
    return sign || (scalar >= 0 && *least >= 0 && *other >= 0);
}

int px_assume_compare(struct px_gang *g, const struct px_insn *in)
{
    int64_t least, most, other;
    bool all, none;
    if (!sides(g, in, &least, &most, &other)) return PX_STEP_ROWS;
    switch ((enum px_assume_cmp)(in->imm & 7)) {
    case PX_ASSUME_LT: all = most < other, none = least >= other; break;
    case PX_ASSUME_LE: all = most <= other, none = least > other; break;
    case PX_ASSUME_GT: all = least > other, none = most <= other; break;
    case PX_ASSUME_GE: all = least >= other, none = most < other; break;
    case PX_ASSUME_EQ: all = least == other && most == other, none = least > other || most < other; break;
    default: all = least > other || most < other, none = least == other && most == other; break;
    }
    if (!all && !none) return PX_STEP_ROWS;
    *PX_ROW(g, uint32_t, in->d) = all ? 0xffffffffu : 0;
    return PX_STEP_NEXT;
}
