/* x86.c - see x86.h. */
#include "code/region/x86.h"

const struct px_x86_info px_x86_infos[PX_X86_COUNT] = {
#define X86(name, form, map, prefix, w, opcode, wide, elem, imm)                                             \
    {#name, PX_X86_##form, map, prefix, w, opcode, elem, wide, imm},
#include "code/region/x86.def"
#undef X86
};

static void byte(struct px_x86 *x, unsigned value)
{
    px_vec_push(x->arena, &x->bytes, (uint8_t)value);
}

static void word(struct px_x86 *x, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) byte(x, value >> 8 * i);
}

/* ModRM, SIB and distance; `unit`: what a distance of one byte counts in, 0: there is none so short. */
static void operand(struct px_x86 *x, unsigned reg, struct px_x86_rm m, int32_t unit)
{
    const unsigned low = m.reg & 7;
    if (!m.memory) {
        byte(x, 0xc0 | (reg & 7) << 3 | low);
        return;
    }
    const bool brief = unit && m.at % unit == 0 && m.at / unit >= -128 && m.at / unit <= 127;
    byte(x, (brief ? 0x40u : 0x80u) | (reg & 7) << 3 | low);
    if (low == PX_RSP) byte(x, 0x24);
    if (brief)
        byte(x, (unsigned)(m.at / unit));
    else
        word(x, (uint32_t)m.at);
}

/* ---- vectors ---- */

static void evex(struct px_x86 *x, const struct px_x86_info *info, unsigned length, unsigned reg,
                 const struct px_x86_vector *v)
{
    const unsigned high = v->m.memory ? 1 : ~v->m.reg >> 4 & 1;
    byte(x, 0x62);
    byte(x, (~reg >> 3 & 1) << 7 | high << 6 | (~(unsigned)v->m.reg >> 3 & 1) << 5 | (~reg >> 4 & 1) << 4 |
                info->map);
    byte(x, (unsigned)info->w << 7 | (~v->v & 15) << 3 | 4 | info->prefix);
    byte(x, (unsigned)v->zero << 7 | length << 5 | (unsigned)v->m.broadcast << 4 | (~v->v >> 4 & 1) << 3 |
                v->mask);
    byte(x, info->opcode);
}

void px_x86_vector(struct px_x86 *x, const struct px_x86_vector *v)
{
    const struct px_x86_info *info = &px_x86_infos[v->insn];
    const unsigned bytes = v->lanes * (info->wide ? 8 : 4);
    const bool half =
        info->wide && !info->elem && !info->w; /* memory has 32 bits for each 64 of the register */
    const bool one = v->m.broadcast || v->insn == PX_X86_vpbroadcastd || v->insn == PX_X86_vpbroadcastq;
    const int32_t unit = one ? info->elem : half ? (int32_t)bytes / 2 : (int32_t)bytes;
    evex(x, info, bytes == 64 ? 2 : 1, v->d, v);
    operand(x, v->d, v->m, unit);
    if (info->imm) byte(x, v->imm);
}

/* ---- mask registers ---- */

/* Three bytes of VEX, and the opcode. */
static void vex(struct px_x86 *x, unsigned length, unsigned prefix, unsigned w, unsigned v, unsigned base,
                unsigned opcode)
{
    byte(x, 0xc4);
    byte(x, 0xc0 | (~base >> 3 & 1) << 5 | 1);
    byte(x, w << 7 | (~v & 15) << 3 | length << 2 | prefix);
    byte(x, opcode);
}

void px_x86_mask(struct px_x86 *x, enum px_x86_insn insn, unsigned d, unsigned a, unsigned b)
{
    const bool two = px_x86_infos[insn].form == PX_X86_KK;
    vex(x, !two, 0, 0, two ? 0 : a, 0, px_x86_infos[insn].opcode);
    operand(x, d, px_x86_reg(two ? a : b), 0);
}

void px_x86_mask_test(struct px_x86 *x, unsigned lanes, unsigned a, unsigned b)
{
    vex(x, 0, lanes == 8, 0, 0, 0, 0x98);
    operand(x, a, px_x86_reg(b), 0);
}

void px_x86_mask_move(struct px_x86 *x, unsigned d, unsigned a)
{
    if (d == a) return;
    vex(x, 0, 0, 0, 0, 0, 0x90);
    operand(x, d, px_x86_reg(a), 0);
}

void px_x86_mask_load(struct px_x86 *x, unsigned lanes, unsigned d, unsigned base, int32_t at)
{
    vex(x, 0, lanes == 8, 0, 0, base, 0x90);
    operand(x, d, px_x86_mem(base, at), 1);
}

void px_x86_mask_store(struct px_x86 *x, unsigned lanes, unsigned a, unsigned base, int32_t at)
{
    vex(x, 0, lanes == 8, 0, 0, base, 0x91);
    operand(x, a, px_x86_mem(base, at), 1);
}

void px_x86_mask_read(struct px_x86 *x, unsigned lanes, unsigned gpr, unsigned a)
{
    vex(x, 0, lanes == 8, 0, 0, 0, 0x93);
    operand(x, gpr, px_x86_reg(a), 0);
}

/* ---- general registers ---- */

static void rex(struct px_x86 *x, unsigned w, unsigned reg, unsigned base)
{
    byte(x, 0x40 | w << 3 | (reg >> 3 & 1) << 2 | (base >> 3 & 1));
}

static void wide(struct px_x86 *x, unsigned opcode, unsigned reg, struct px_x86_rm m)
{
    rex(x, 1, reg, m.reg);
    byte(x, opcode);
    operand(x, reg, m, 1);
}

void px_x86_load(struct px_x86 *x, unsigned d, unsigned base, int32_t at)
{
    wide(x, 0x8b, d, px_x86_mem(base, at));
}

void px_x86_store(struct px_x86 *x, unsigned a, unsigned base, int32_t at)
{
    wide(x, 0x89, a, px_x86_mem(base, at));
}

void px_x86_store_word(struct px_x86 *x, uint32_t value, unsigned base, int32_t at)
{
    rex(x, 0, 0, base);
    byte(x, 0xc7);
    operand(x, 0, px_x86_mem(base, at), 1);
    word(x, value);
}

void px_x86_alu(struct px_x86 *x, enum px_x86_alu op, unsigned d, unsigned a)
{
    wide(x, op, a, px_x86_reg(d));
}

void px_x86_alu_to(struct px_x86 *x, enum px_x86_alu op, unsigned base, int32_t at, unsigned a)
{
    wide(x, op, a, px_x86_mem(base, at));
}

void px_x86_alu_const(struct px_x86 *x, enum px_x86_alu op, unsigned d, int32_t value)
{
    wide(x, 0x81, op >> 3, px_x86_reg(d));
    word(x, (uint32_t)value);
}

void px_x86_is_zero(struct px_x86 *x, unsigned bytes, unsigned base, int32_t at)
{
    if (bytes == 2) byte(x, 0x66);
    rex(x, bytes == 8, 0, base);
    byte(x, bytes == 1 ? 0x80 : 0x83);
    operand(x, 7, px_x86_mem(base, at), 1);
    byte(x, 0);
}

void px_x86_shift_left(struct px_x86 *x, unsigned d, unsigned n)
{
    wide(x, 0xc1, 4, px_x86_reg(d));
    byte(x, n);
}

void px_x86_popcount(struct px_x86 *x, unsigned d, unsigned a)
{
    byte(x, 0xf3);
    rex(x, 1, d, a);
    byte(x, 0x0f);
    byte(x, 0xb8);
    operand(x, d, px_x86_reg(a), 0);
}

void px_x86_count_some(struct px_x86 *x, unsigned a, unsigned base, int32_t at)
{
    rex(x, 0, 0, a); /* cmp a, 1: a carry where it is 0 */
    byte(x, 0x83);
    operand(x, 7, px_x86_reg(a), 0);
    byte(x, 1);
    rex(x, 1, 0, base); /* sbb memory, -1 */
    byte(x, 0x83);
    operand(x, 3, px_x86_mem(base, at), 1);
    byte(x, 0xff);
}

void px_x86_push(struct px_x86 *x, unsigned reg)
{
    rex(x, 0, 0, reg);
    byte(x, 0x50 | (reg & 7));
}

void px_x86_pop(struct px_x86 *x, unsigned reg)
{
    rex(x, 0, 0, reg);
    byte(x, 0x58 | (reg & 7));
}

void px_x86_return(struct px_x86 *x)
{
    byte(x, 0xc5), byte(x, 0xf8), byte(x, 0x77);
    byte(x, 0xc3);
}

/* ---- jumps ---- */

uint32_t px_x86_jump(struct px_x86 *x, enum px_x86_if when)
{
    if (when == PX_X86_ALWAYS)
        byte(x, 0xe9);
    else
        byte(x, 0x0f), byte(x, 0x80u | when);
    word(x, 0);
    return x->bytes.n;
}

void px_x86_land(struct px_x86 *x, uint32_t jump, uint32_t target)
{
    const uint32_t distance = target - jump;
    for (unsigned i = 0; i < 4; i++) x->bytes.at[jump - 4 + i] = (uint8_t)(distance >> 8 * i);
}
