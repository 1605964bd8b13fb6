/*
 * stochastic.c - cvt.rs of four numbers at once (PTX ISA 9.7.9.22): five sources, so no statement of a lane.
 *
 * The numbers go from the highest bits down. Of the random bits the upper 16 belong to the first two and the
 * lower 16 to the others, and two numbers share their 16. Of e2m1 each number has eight: the first two the
 * upper bytes of both halves, the others the lower ones.
 */
#include "ops/lane.h"
#include "ops/operands.h"
#include "ops/row.h"

struct layout {
    struct px_small format;
    uint32_t shift, bits; /* from one number to the next; random bits of each */
};

static struct layout layout_of(const struct px_match *m)
{
    if (px_match_has(m, PX_W_e2m1x4)) return (struct layout){PX_SMALL_e2m1, 4, 8};
    if (px_match_has(m, PX_W_e2m3x4)) return (struct layout){PX_SMALL_e2m3, 8, 16};
    if (px_match_has(m, PX_W_e3m2x4)) return (struct layout){PX_SMALL_e3m2, 8, 16};
    return px_match_has(m, PX_W_e4m3x4) ? (struct layout){PX_SMALL_e4m3, 8, 16}
                                        : (struct layout){PX_SMALL_e5m2, 8, 16};
}

/* The random bits of number i. */
static uint32_t part_of(uint32_t random, uint32_t bits, uint32_t i)
{
    static const uint8_t byte_at[] = {24, 8, 16, 0};
    return bits == 8 ? random >> byte_at[i] & 0xff : random >> (i < 2 ? 16 : 0) & 0xffff;
}

PX_NAMED_HANDLER_OF(cvt_rs)
{
    enum { NUMBERS = 4 };
    const struct px_operands *o = px_operands(g, in);
    const struct layout l = layout_of(o->match);
    const bool relu = px_match_has(o->match, PX_W_relu);
    const uint32_t *random = PX_ROW(g, uint32_t, o->row[1 + NUMBERS]);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        uint32_t d = 0;
        for (uint32_t i = 0; i < NUMBERS; i++) {
            const uint32_t a = PX_ROW(g, uint32_t, o->row[1 + i])[lane];
            d = d << l.shift | px_small_rs(a, l.format, part_of(random[lane], l.bits, i), l.bits, relu);
        }
        if (l.shift == 4)
            PX_ROW(g, uint16_t, o->row[0])[lane] = (uint16_t)d;
        else
            PX_ROW(g, uint32_t, o->row[0])[lane] = d;
    }
    return PX_STEP_NEXT;
}
