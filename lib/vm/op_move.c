/*
 * op_move.c - conversions of addresses, packing of vectors into registers, and
 * instructions with four sources. Results go to temporaries or are masked by
 * the caller's guard; decode says which.
 */
#include "vm/op_move.h"
#include "vm/device.h"
#include "vm/op_row.h"

/* ---- addresses ---- */

static uint64_t window_base(const struct px_gang *g, uint8_t space, uint32_t lane)
{
    const struct px_cta *cta = g->cta;
    switch (space) {
    case PX_SPACE_SHARED:
        return cta->uniform.shared_window;
    case PX_SPACE_LOCAL:
        return px_local_base(cta->slot, g->first + lane);
    case PX_SPACE_CONST:
        return px_window_base(PX_WIN_CONST, cta->grid->program->number);
    case PX_SPACE_PARAM:
        return cta->uniform.param_window;
    default:
        return 0; /* global addresses are generic addresses */
    }
}

int px_move_cvta(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes) d[lane] = a[lane] + window_base(g, in->space, lane);
    return PX_STEP_NEXT;
}

int px_move_cvta_to(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes) d[lane] = a[lane] - window_base(g, in->space, lane);
    return PX_STEP_NEXT;
}

static bool in_space(uint64_t va, uint8_t space)
{
    enum px_window w = px_window_of(va);
    switch (space) {
    case PX_SPACE_SHARED:
        return w == PX_WIN_SHARED;
    case PX_SPACE_LOCAL:
        return w == PX_WIN_LOCAL;
    case PX_SPACE_CONST:
        return w == PX_WIN_CONST;
    case PX_SPACE_PARAM:
        return w == PX_WIN_PARAM;
    default:
        return w == PX_WIN_NONE;
    }
}

int px_move_isspacep(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint32_t *d = PX_ROW(g, uint32_t, in->d), lane;
    const struct px_lanes lanes = px_gang_lanes(g, in);
    PX_FOR_LANES(lane, lanes) d[lane] = 0u - (uint32_t)in_space(a[lane], in->space);
    return PX_STEP_NEXT;
}

/* ---- packing ---- */

static px_b128 read_element(const uint8_t *row, uint32_t lane, uint32_t size)
{
    px_b128 v = 0;
    memcpy(&v, row + (size_t)lane * size, size);
    return v;
}

static px_b128 low_bits(px_b128 v, uint32_t bits)
{
    return bits >= 128 ? v : v & (((px_b128)1 << bits) - 1);
}

int px_move_pack(struct px_gang *g, const struct px_insn *in)
{
    uint8_t *d = g->frame + in->d;
    const uint8_t *a = g->frame + in->a;
    for (uint32_t i = 0; i < g->n; i++) {
        px_b128 v = in->imm ? read_element(d, i, in->size) : 0;
        v |= low_bits(read_element(a, i, in->flags), in->x[0]) << in->imm;
        memcpy(d + (size_t)i * in->size, &v, in->size);
    }
    return PX_STEP_NEXT;
}

int px_move_unpack(struct px_gang *g, const struct px_insn *in)
{
    uint8_t *d = g->frame + in->d;
    const uint8_t *a = g->frame + in->a;
    for (uint32_t i = 0; i < g->n; i++) {
        px_b128 v = low_bits(read_element(a, i, in->size) >> in->imm, in->x[0]);
        memcpy(d + (size_t)i * in->flags, &v, in->flags);
    }
    return PX_STEP_NEXT;
}

/* ---- four sources ---- */

/*
 * Inserts the low `len` bits of a into b at `pos` (PTX ISA 9.7.1.20). Both count modulo 256 with 32 bits;
 * with 64 the chip takes all of them, so that 256 is past the end.
 */
static uint64_t insert_bits(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width)
{
    if (width == 32) pos &= 255, len &= 255;
    if (pos >= width || !len) return b;
    if (len > width - pos) len = width - pos;
    uint64_t mask = (len == 64 ? ~0ull : (1ull << len) - 1) << pos;
    return (b & ~mask) | (a << pos & mask);
}

int px_move_bfi(struct px_gang *g, const struct px_insn *in)
{
    const uint32_t *pos = PX_ROW(g, uint32_t, in->c), *len = PX_ROW(g, uint32_t, in->x[0]);
    for (uint32_t i = 0; i < g->n; i++)
        if (in->size == 4)
            PX_ROW(g, uint32_t, in->d)
            [i] = (uint32_t)insert_bits(PX_ROW(g, uint32_t, in->a)[i], PX_ROW(g, uint32_t, in->b)[i], pos[i],
                                        len[i], 32);
        else
            PX_ROW(g, uint64_t, in->d)
            [i] =
                insert_bits(PX_ROW(g, uint64_t, in->a)[i], PX_ROW(g, uint64_t, in->b)[i], pos[i], len[i], 64);
    return PX_STEP_NEXT;
}

/* Bit i of the result is the table's bit a_i*4 + b_i*2 + c_i: the table as a sum of its eight products. */
static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 8; k++)
        if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return r;
}

int px_move_lop3(struct px_gang *g, const struct px_insn *in)
{
    const uint32_t *a = PX_ROW(g, uint32_t, in->a), *b = PX_ROW(g, uint32_t, in->b),
                   *c = PX_ROW(g, uint32_t, in->c);
    uint32_t *d = PX_ROW(g, uint32_t, in->d), table = (uint32_t)in->imm;
    for (uint32_t i = 0; i < g->n; i++) d[i] = lop3(a[i], b[i], c[i], table);
    if (!in->flags) return PX_STEP_NEXT;
    const uint32_t *q = PX_ROW(g, uint32_t, in->x[0]);
    uint32_t *e = PX_ROW(g, uint32_t, in->e);
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t nonzero = 0u - (uint32_t)(d[i] != 0);
        e[i] = in->flags == 1 ? nonzero & q[i] : nonzero | q[i];
    }
    return PX_STEP_NEXT;
}
