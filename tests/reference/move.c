/*
 * move.c - mov in its meanings, bfi, lop3, and what has no effect that a
 * program can see.
 */
#include "machine.h"
#include "gen/isa_handler_ops.h"
#include "gen/isa_ops.h"

static enum ref_step run_mov(struct ref_thread *t, const struct ref_inst *in)
{
    ref_put(t, &in->o[0], ref_get(t, &in->o[1]));
    return REF_NEXT;
}

/* d = {a, b, ...}, lowest first. */
static enum ref_step run_pack(struct ref_thread *t, const struct ref_inst *in)
{
    const struct ref_operand *v = &in->o[1];
    ref_bits sum = 0;
    for (uint32_t i = 0; i < v->n; i++) sum |= ref_get(t, &v->list[i]) << i * v->bits;
    ref_put(t, &in->o[0], sum);
    return REF_NEXT;
}

static enum ref_step run_unpack(struct ref_thread *t, const struct ref_inst *in)
{
    const struct ref_operand *v = &in->o[0];
    ref_bits sum = ref_get(t, &in->o[1]);
    for (uint32_t i = 0; i < v->n; i++) ref_put(t, &v->list[i], sum >> i * v->bits);
    return REF_NEXT;
}

static const struct ref_operand *elements(const struct ref_operand *o, uint32_t *n)
{
    *n = o->kind == REF_LIST ? o->n : 1;
    return o->kind == REF_LIST ? o->list : o;
}

/* All elements are read before the first is written. */
static enum ref_step run_mov_vector(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t n;
    ref_bits v[4] = {0};
    const struct ref_operand *from = elements(&in->o[1], &n);
    for (uint32_t i = 0; i < n; i++) v[i] = ref_get(t, &from[i]);
    const struct ref_operand *to = elements(&in->o[0], &n);
    for (uint32_t i = 0; i < n; i++) ref_put(t, &to[i], v[i]);
    return REF_NEXT;
}

/* One value where a vector is wanted, as an H200 answered: its bits are cut into as many parts, if they have
 * a byte at least; otherwise the first element is the value and the others are zero. */
static enum ref_step run_cut(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t n;
    const struct ref_operand *to = elements(&in->o[0], &n);
    const ref_bits value = ref_get(t, &in->o[1]), one = 1;
    const unsigned bits = to[0].bits / n;
    for (uint32_t i = 0; i < n; i++)
        ref_put(t, &to[i], bits >= 8 ? value >> i * bits & ((one << bits) - 1) : i ? 0 : value);
    return REF_NEXT;
}

static void bind_mov_vector(const struct ref_context *x, struct ref_inst *in)
{
    uint32_t to, from;
    for (unsigned i = 0; i < 2; i++)
        in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], in->match.type[i]);
    elements(&in->o[0], &to);
    elements(&in->o[1], &from);
    if ((to != from && from != 1) || to > 4) ref_unsupported(x->m, in->inst, "");
    in->run = to == from ? run_mov_vector : run_cut;
}

/* Positions and lengths count modulo 256 with 32 bits; with 64 the chip takes all of them. */
static enum ref_step run_bfi(struct ref_thread *t, const struct ref_inst *in)
{
    uint64_t a = (uint64_t)ref_get(t, &in->o[1]), r = (uint64_t)ref_get(t, &in->o[2]);
    uint64_t at = (uint64_t)ref_get(t, &in->o[3]), length = (uint64_t)ref_get(t, &in->o[4]);
    unsigned width = in->o[0].bits;
    if (width == 32) at &= 255, length &= 255;
    for (uint64_t i = 0; i < length && at + i < width; i++)
        r = (r & ~(1ull << (at + i))) | (a >> i & 1) << (at + i);
    ref_put(t, &in->o[0], r);
    return REF_NEXT;
}

/* Bit i of the result is the table's bit a_i b_i c_i. */
static enum ref_step run_lop3(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t a = (uint32_t)ref_get(t, &in->o[1]), b = (uint32_t)ref_get(t, &in->o[2]);
    uint32_t c = (uint32_t)ref_get(t, &in->o[3]), table = (uint32_t)ref_get(t, &in->o[4]), r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    bool q = in->op == PX_OP_lop3_bool && ref_get(t, &in->o[5]);
    const struct ref_operand *d = &in->o[0];
    if (d->kind != REF_LIST) {
        ref_put(t, d, r);
        return REF_NEXT;
    }
    ref_put(t, &d->list[0], r);
    ref_put(t, &d->list[1], ref_has(in, PX_W_and) ? (r != 0) && q : (r != 0) || q);
    return REF_NEXT;
}

static enum ref_step run_nothing(struct ref_thread *t, const struct ref_inst *in)
{
    (void)t, (void)in;
    return REF_NEXT;
}

static enum px_type bits_type(uint32_t bits)
{
    return bits == 8    ? PX_T_B8
           : bits == 16 ? PX_T_B16
           : bits == 32 ? PX_T_B32
           : bits == 64 ? PX_T_B64
                        : PX_T_B128;
}

static enum ref_step run_policy(struct ref_thread *t, const struct ref_inst *in)
{
    ref_put(t, &in->o[0], 0);
    return REF_NEXT;
}

/* Operand `vector` is in braces or a whole vector register, the other one has all the bits. */
static void bind_parts(const struct ref_context *x, struct ref_inst *in, unsigned vector)
{
    const struct px_operand *o = in->inst->opds;
    const uint32_t bits = px_type_info(in->type)->bits;
    const uint32_t n = o[vector].n ? o[vector].n : x->fn->regs.at[o[vector].symbol->index].vec;
    in->o[vector] = ref_resolve(x, in->inst, &o[vector], bits_type(bits / n));
    in->o[1 - vector] = ref_resolve(x, in->inst, &o[1 - vector], bits_type(bits));
}

static void bind(const struct ref_context *x, struct ref_inst *in, ref_run_fn *run,
                 const enum px_type types[])
{
    in->run = run;
    for (unsigned i = 0; i < in->n; i++) in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], types[i]);
}

bool ref_bind_move(const struct ref_context *x, struct ref_inst *in)
{
    const enum px_type t = in->match.type[0];
    switch (in->op) {
    case PX_OP_mov: bind(x, in, run_mov, (const enum px_type[]){t, t}); return true;
    case PX_OP_pack:
        bind_parts(x, in, 1);
        in->run = run_pack;
        return true;
    case PX_OP_unpack:
        bind_parts(x, in, 0);
        in->run = run_unpack;
        return true;
    case PX_OP_mov_vector: bind_mov_vector(x, in); return true;
    case PX_OP_bfi: bind(x, in, run_bfi, (const enum px_type[]){t, t, t, PX_T_U32, PX_T_U32}); return true;
    case PX_OP_lop3:
    case PX_OP_lop3_bool:
        bind(x, in, run_lop3,
             (const enum px_type[]){PX_T_B32, PX_T_B32, PX_T_B32, PX_T_B32, PX_T_B32, PX_T_PRED});
        return true;
    case PX_OP_fence: /* one thread runs at a time, and memory is in order */
    case PX_OP_hint:
    case PX_OP_setmaxnreg:
    case PX_OP_wgmma_sync: /* products are done at once */
    case PX_OP_griddepcontrol: in->run = run_nothing; return true;
    case PX_OP_policy_fraction:
    case PX_OP_policy_range:
    case PX_OP_policy_cvt: /* nothing tells one policy from another */
        in->o[0] = ref_resolve(x, in->inst, &in->inst->opds[0], PX_T_U64);
        in->run = run_policy;
        return true;
    default: return false;
    }
}
