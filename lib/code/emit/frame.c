/* frame.c - where operands lie in the frame of a function: rows, scalars, temporaries, guards, and the
 * pool of its constants. */
#include "code/emit/emit.h"

/* ---- temporaries and constants ---- */

uint32_t px_emit_temp(struct px_emitter *e, uint32_t elem)
{
    for (uint32_t i = 0; i < e->temps.n; i++) {
        struct px_temp *t = &e->temps.at[i];
        if (t->elem != elem || t->used || t->held != e->held) continue;
        t->used = true;
        return t->row;
    }
    struct px_temp t = {e->frame_bytes, (uint8_t)elem, true, e->held};
    e->frame_bytes += elem * e->f->coder->width;
    px_vec_push(e->f->coder->pass, &e->temps, t);
    return t.row;
}

static uint32_t hash_of(uint64_t value, const uint64_t *high)
{
    uint64_t h = (value ^ (high ? *high * 0x9e3779b97f4a7c15u + 1 : 0)) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h >> 32);
}

static bool pool_holds(const struct px_emitter *e, uint32_t at, uint64_t value, const uint64_t *high)
{
    if (e->pool.at[at] != value) return false;
    return !high || (!(at & 1) && at + 1 < e->pool.n && e->pool.at[at + 1] == *high);
}

static void grow_hash(struct px_emitter *e)
{
    uint32_t *old = e->hash, n = e->hash_size;
    e->hash_size = n ? n * 2 : 64;
    e->hash = PX_NEW_N(e->f->coder->pass, uint32_t, e->hash_size);
    for (uint32_t i = 0; i < n; i++) {
        if (!old[i]) continue;
        uint32_t at = old[i] - 1, wide = at & PX_POOL_TAG, place = at & ~PX_POOL_TAG;
        uint32_t k = hash_of(e->pool.at[place], wide ? &e->pool.at[place + 1] : NULL);
        while (e->hash[k & (e->hash_size - 1)]) k++;
        e->hash[k & (e->hash_size - 1)] = old[i];
    }
}

/*
 * Entries of 8 bytes; a 128-bit constant takes two that are aligned. Where the pool lies is known when all
 * records are made: until then an offset in it carries PX_POOL_TAG.
 */
uint32_t px_emit_constant(struct px_emitter *e, uint64_t value, const uint64_t *high)
{
    if (e->pool.n * 2 >= e->hash_size) grow_hash(e);
    uint32_t k = hash_of(value, high);
    for (; e->hash[k & (e->hash_size - 1)]; k++) {
        uint32_t at = e->hash[k & (e->hash_size - 1)] - 1;
        if (!(at & PX_POOL_TAG) == !high && pool_holds(e, at & ~PX_POOL_TAG, value, high))
            return PX_POOL_TAG + (at & ~PX_POOL_TAG) * 8;
    }
    if (high && e->pool.n & 1) px_vec_push(e->f->coder->pass, &e->pool, 0);
    uint32_t at = e->pool.n;
    px_vec_push(e->f->coder->pass, &e->pool, value);
    if (high) px_vec_push(e->f->coder->pass, &e->pool, *high);
    e->hash[k & (e->hash_size - 1)] = (at | (high ? PX_POOL_TAG : 0)) + 1;
    return PX_POOL_TAG + at * 8;
}

/* ---- operands ---- */

uint32_t px_emit_scalar(struct px_emitter *e, const struct px_ir_operand *o)
{
    if (px_emit_is_scalar(o)) return px_emit_place(e, o);
    return px_emit_keep(e, o) == PX_IR_SCALAR ? e->f->regs.at[o->at].slot : PX_NONE32;
}

uint32_t px_emit_alone(struct px_emitter *e, const struct px_ir_operand *o)
{
    if (px_emit_keep(e, o) == PX_IR_LANES) return e->f->regs.at[o->at].slot;
    return px_emit_scalar(e, o);
}

static uint32_t place_of(struct px_emitter *e, enum px_ir_kind kind, uint32_t at, uint64_t value,
                         const uint64_t *high)
{
    const struct px_fcode *code = e->f->code;
    switch (kind) {
    case PX_IR_REG:
        if (e->f->regs.at[at].row == PX_NONE32)
            px_code_fail(e->f, e->f->origins.at[e->in->origin].inst, "reads a register that has no row");
        return e->f->regs.at[at].row;
    case PX_IR_UNIFORM: return code->uniform + at;
    case PX_IR_PARAM: return code->params + at;
    default: return px_emit_constant(e, value, high);
    }
}

uint32_t px_emit_other_place(struct px_emitter *e, const struct px_ir_operand *o)
{
    if (o->kind ==
        PX_IR_ADDRESS) /* a constant base: the place itself is the constant, the record's offset is zero */
        return place_of(e, o->base, o->at, o->value, NULL);
    const uint64_t high =
        0; /* the upper half of a 128-bit constant, of a negative one too, as in code by ptxas */
    return place_of(e, o->kind, o->at, o->value, o->kind == PX_IR_IMM && o->elem == 16 ? &high : NULL);
}

enum px_fixed px_emit_broadcast(uint32_t elem)
{
    return elem == 2   ? PX_FIX_broadcast2
           : elem == 4 ? PX_FIX_broadcast4
           : elem == 8 ? PX_FIX_broadcast8
                       : PX_FIX_broadcast16;
}

struct px_insn px_emit_sum(const struct px_emitter *e, uint32_t reg, uint32_t d)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_reg *r = &f->regs.at[reg];
    const bool lanes = r->keep == PX_IR_LANES;
    return (struct px_insn){
        .fn = f->coder->level->fixed[r->elem == 4 ? PX_FIX_offset_row4 : PX_FIX_offset_row][0],
        .d = d,
        .a = lanes ? f->code->terms[r->term].row : f->regs.at[r->base].row,
        .offset = r->slot};
}

static uint32_t kept_row(struct px_emitter *e, const struct px_ir_operand *o)
{
    const struct px_ir_reg *reg = &e->f->regs.at[o->at];
    if (reg->keep == PX_IR_LANES && reg->spread) return reg->row;
    const uint32_t row = px_emit_temp(e, reg->elem);
    struct px_insn r = {
        .fn = e->f->coder->level->fixed[px_emit_broadcast(reg->elem)][0], .d = row, .a = reg->slot};
    if (reg->keep != PX_IR_SCALAR) r = px_emit_sum(e, o->at, row);
    px_emit_record(e, r.fn, r);
    return row;
}

uint32_t px_emit_row(struct px_emitter *e, const struct px_ir_operand *o)
{
    if (px_emit_keep(e, o) != PX_IR_ROW) return kept_row(e, o);
    if (!px_emit_is_scalar(o)) return px_emit_place(e, o);
    uint32_t row = px_emit_temp(e, o->elem);
    px_emit_own(e, px_emit_broadcast(o->elem), (struct px_insn){.d = row, .a = px_emit_place(e, o)});
    return row;
}

uint32_t px_emit_survey(const struct px_emitter *e, uint32_t reg)
{
    const uint32_t number = e->f->regs.at[reg].survey;
    if (!number)
        px_code_fail(e->f, e->f->origins.at[e->in->origin].inst, "asks for a survey that nobody makes");
    return e->f->code->surveys + (number - 1) * (uint32_t)sizeof(struct px_survey);
}

/* ---- guards ---- */

/*
 * Divergent code needs the guard joined with the entry's mask, and so does memory in both versions;
 * convergent arithmetic may use the predicate itself, since lanes that do not live do not matter.
 */
void px_emit_guard(struct px_emitter *e, bool memory)
{
    const struct px_ir_inst *in = e->in;
    e->guard = 0;
    if (in->guard == PX_NONE32) return;
    const uint32_t row = e->f->regs.at[in->guard].row;
    const bool negated = in->flags & PX_IR_INST_NEGATED;
    px_handler fn = e->f->coder->level->fixed[negated ? PX_FIX_mask_andnot : PX_FIX_mask_and][0];
    e->guard = row;
    if (!negated && !memory && px_emit_together(e)) return;
    e->guard = px_emit_temp(e, 4);
    px_emit_record(e, fn, (struct px_insn){.d = e->guard, .a = 0, .b = row});
}
