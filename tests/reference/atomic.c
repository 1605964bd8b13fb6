/*
 * atomic.c - atom and red (PTX ISA 9.7.13.5, 9.7.13.7). One thread runs at a
 * time, so the operations are plain.
 *
 * Sums of floats are as recordings of a chip have them: f32 in global memory
 * flushes subnormal operands and results and its NaN is 0x7fffffff; f64 in
 * global memory gives the operand if that is the NaN, else memory's, as it is,
 * and in shared memory memory's first, made quiet.
 */
#include "machine.h"
#include "gen/isa_ops.h"
#include "ops/half.h"
#include <string.h>

enum what { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC, COUNT };

static const px_word names[COUNT] = {PX_W_add, PX_W_min,  PX_W_max, PX_W_and, PX_W_or,
                                     PX_W_xor, PX_W_exch, PX_W_cas, PX_W_inc, PX_W_dec};

/* ---- sums of floats ---- */

static uint32_t flush(uint32_t v)
{
    return v & 0x7f800000 ? v : v & 0x80000000;
}

static uint32_t add_f32(uint32_t old, uint32_t b, bool global)
{
    union {
        uint32_t u;
        float f;
    } x = {global ? flush(old) : old}, y = {global ? flush(b) : b};
    x.f += y.f;
    if (x.f != x.f) return 0x7fffffff;
    return global ? flush(x.u) : x.u;
}

static uint64_t add_f64(uint64_t old, uint64_t b, bool global)
{
    const uint64_t quiet = 1ull << 51;
    union {
        uint64_t u;
        double f;
    } x = {old}, y = {b};
    if (global && y.f != y.f) return b;
    if (x.f != x.f) return global ? old : old | quiet;
    if (y.f != y.f) return b | quiet;
    x.f += y.f;
    return x.u;
}

static ref_bits add(enum px_type type, uint64_t old, uint64_t b, bool global)
{
    switch (type) {
    case PX_T_F32: return add_f32((uint32_t)old, (uint32_t)b, global);
    case PX_T_F64: return add_f64(old, b, global);
    case PX_T_F16: return px_add_f16((uint16_t)old, (uint16_t)b, 0, 0);
    case PX_T_F16X2: return px_add_f16x2((uint32_t)old, (uint32_t)b, 0, 0);
    case PX_T_BF16: return px_add_bf16((uint16_t)old, (uint16_t)b);
    case PX_T_BF16X2: return px_add_bf16x2((uint32_t)old, (uint32_t)b);
    default: return old + b;
    }
}

/* The lesser or greater of two halves; of a half and a NaN the half. Minus zero is less than zero. */
static uint64_t extreme_half(enum px_type type, uint64_t o, uint64_t v, bool max)
{
    switch (type) {
    case PX_T_F16: return (max ? px_max_f16 : px_min_f16)((uint16_t)o, (uint16_t)v, 0, 0, 0);
    case PX_T_BF16: return (max ? px_max_bf16 : px_min_bf16)((uint16_t)o, (uint16_t)v, 0, 0, 0);
    case PX_T_F16X2: return (max ? px_max_f16x2 : px_min_f16x2)((uint32_t)o, (uint32_t)v, 0, 0, 0);
    default: return (max ? px_max_bf16x2 : px_min_bf16x2)((uint32_t)o, (uint32_t)v, 0, 0, 0);
    }
}

/* ---- all operations ---- */

static bool less(enum px_type type, uint64_t a, uint64_t b)
{
    const struct px_type_info *t = px_type_info(type);
    if (t->klass != PX_TC_SIGNED) return a < b;
    return t->bits == 64 ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
}

static ref_bits apply(const struct ref_inst *in, ref_bits old, ref_bits b, ref_bits c, bool global)
{
    uint64_t o = (uint64_t)old, v = (uint64_t)b;
    if ((in->what == MIN || in->what == MAX) && px_type_info(in->type)->klass == PX_TC_FLOAT)
        return extreme_half(in->type, o, v, in->what == MAX);
    switch (in->what) {
    case ADD: return add(in->type, o, v, global);
    case MIN: return less(in->type, v, o) ? b : old;
    case MAX: return less(in->type, o, v) ? b : old;
    case AND: return old & b;
    case OR: return old | b;
    case XOR: return old ^ b;
    case EXCH: return b;
    case CAS: return old == b ? c : old;
    case INC: return o >= v ? 0 : o + 1;
    default: return o == 0 || o > v ? v : o - 1;
    }
}

/* o[0] result, o[1] address, o[2] and o[3] operands. */
static enum ref_step run_atomic(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t bytes = in->o[2].bits / 8u;
    enum px_space space = in->space;
    uint8_t *p = ref_place(t, &space, ref_address(t, &in->o[1], bytes), bytes, true);
    if (space == PX_SPACE_LOCAL) ref_fail(t->machine, "fault 717: atomic operation on local memory");
    ref_bits old = 0, b = ref_get(t, &in->o[2]), c = ref_get(t, &in->o[3]);
    memcpy(&old, p, bytes);
    ref_bits v = apply(in, old, b, c, space == PX_SPACE_GLOBAL);
    memcpy(p, &v, bytes);
    ref_put(t, &in->o[0], old);
    return REF_NEXT;
}

/* The same for each element of the vectors o[0] and o[2]; elements are atomic by themselves. */
static enum ref_step run_vector(struct ref_thread *t, const struct ref_inst *in)
{
    const struct ref_operand *d = &in->o[0], *b = &in->o[2];
    const uint32_t bytes = b->bits / 8u, n = b->n;
    enum px_space space = in->space;
    uint8_t *p =
        ref_place(t, &space, ref_address(t, &in->o[1], (uint64_t)bytes * n), (uint64_t)bytes * n, true);
    ref_bits operand[8];
    for (uint32_t i = 0; i < n; i++) operand[i] = ref_get(t, &b->list[i]);
    for (uint32_t i = 0; i < n; i++) {
        ref_bits old = 0;
        memcpy(&old, p + i * bytes, bytes);
        ref_bits v = apply(in, old, operand[i], 0, space == PX_SPACE_GLOBAL);
        memcpy(p + i * bytes, &v, bytes);
        if (d->kind == REF_LIST) ref_put(t, &d->list[i], old);
    }
    return REF_NEXT;
}

/* The last type that is written: one before it means nothing. */
static enum px_type last_type(const struct px_inst *inst)
{
    enum px_type type = PX_T_NONE;
    for (unsigned i = 0; i < inst->nmods; i++) {
        const enum px_type found = px_type_of_word(inst->mods[i].name->word);
        if (found) type = found;
    }
    return type;
}

bool ref_bind_atomic(const struct ref_context *x, struct ref_inst *in)
{
    const bool vector = in->op == PX_OP_atom_vector || in->op == PX_OP_red_vector;
    if (in->op != PX_OP_atom && in->op != PX_OP_red && !vector) return false;
    bool red = in->op == PX_OP_red || in->op == PX_OP_red_vector;
    const struct px_operand *o = in->inst->opds + !red;
    in->type = last_type(in->inst);
    while (in->what < COUNT && !ref_has(in, names[in->what])) in->what++;
    bool is_float = px_type_info(in->type)->klass == PX_TC_FLOAT;
    if (in->what == COUNT || (is_float && in->what != ADD && !vector) || (o[1].kind == PX_O_VEC) != vector)
        ref_unsupported(x->m, in->inst, "");
    in->o[0] =
        red ? (struct ref_operand){.kind = REF_SINK} : ref_resolve(x, in->inst, &in->inst->opds[0], in->type);
    in->o[1] = ref_resolve_address(x, in->inst, &o[0], &in->space);
    in->o[2] = ref_resolve(x, in->inst, &o[1], in->type);
    in->o[3] =
        in->what == CAS ? ref_resolve(x, in->inst, &o[2], in->type) : (struct ref_operand){.kind = REF_SINK};
    in->run = vector ? run_vector : run_atomic;
    return true;
}
