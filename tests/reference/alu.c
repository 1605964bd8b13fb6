/*
 * alu.c - instructions whose meaning is a statement of the table, and the
 * approximate units.
 *
 * The statement runs in the mode of the instruction's own modifiers. A float
 * that it gives is the chip's at once: every f32 NaN of an operation is
 * 0x7fffffff. Nothing else ever changes a value's bits.
 */
#include "machine.h"

enum { NAN32 = 0x7fffffff, INF32 = 0x7f800000 };

/* ---- one statement ---- */

static ref_bits source(const struct ref_thread *t, const struct ref_inst *in, const struct ref_operand *o)
{
    ref_bits v = ref_get(t, o);
    return px_form_widens(in->match.form) ? ref_widen(v, o->type) : v;
}

/* Sources o[1..]; results in *d and *e. */
static void compute(struct ref_thread *t, const struct ref_inst *in, union ref_lane *d, union ref_lane *e)
{
    const struct ref_scalar *s = ref_scalar_of(in->handler);
    union ref_lane from[3] = {{.bits = 0}, {.bits = 0}, {.bits = 0}};
    for (unsigned i = 0; i < s->ns; i++) from[i].bits = source(t, in, &in->o[1 + i]);
    d->bits = e->bits = 0;
    if (in->mode > 0) ref_fp_set(in->mode);
    s->fn(from, d, e, &t->frame->carry);
    if (in->mode > 0) ref_fp_set(0);
    if (s->f32 && (d->u32 & 0x7fffffff) > INF32 && in->o[0].type == PX_T_F32) d->u32 = NAN32;
}

static const struct ref_operand *first_of(const struct ref_operand *o)
{
    return o->kind == REF_LIST ? &o->list[0] : o;
}

static enum ref_step run_statement(struct ref_thread *t, const struct ref_inst *in)
{
    union ref_lane d, e;
    compute(t, in, &d, &e);
    ref_put(t, first_of(&in->o[0]), d.bits);
    if (in->o[0].kind == REF_LIST) ref_put(t, &in->o[0].list[1], e.pred);
    return REF_NEXT;
}

static enum ref_step run_approx(struct ref_thread *t, const struct ref_inst *in)
{
    uint64_t a = (uint64_t)ref_get(t, &in->o[1]), b = in->n > 2 ? (uint64_t)ref_get(t, &in->o[2]) : 0;
    ref_put(t, &in->o[0], ref_approx_of(in->op, ref_has(in, PX_W_ftz))(a, b));
    return REF_NEXT;
}

/* ---- set and setp: the statement compares, here the results are made (PTX ISA 9.7.6) ---- */

static bool combine(const struct ref_inst *in, bool p, bool c)
{
    if (ref_has(in, PX_W_and)) return p && c;
    return ref_has(in, PX_W_or) ? p || c : p != c;
}

/* What set gives where the comparison holds. */
static ref_bits truth(enum px_type type)
{
    switch (type) {
    case PX_T_F32: return 0x3f800000;
    case PX_T_F16: return 0x3c00;
    case PX_T_BF16: return 0x3f80;
    case PX_T_F16X2: return 0x3c003c00;
    case PX_T_BF16X2: return 0x3f803f80;
    default: return ~(ref_bits)0;
    }
}

/* Combined with the predicate operand, where one is written. */
static enum ref_step run_compare(struct ref_thread *t, const struct ref_inst *in)
{
    union ref_lane d, e;
    bool packed = ref_scalar_of(in->handler)->nd == 2;
    compute(t, in, &d, &e);
    bool p = d.pred, q = packed ? e.pred : !p;
    if (in->n > 3) {
        bool c = ref_get(t, &in->o[3]);
        p = combine(in, p, c);
        q = combine(in, q, c);
    }
    const struct ref_operand *to = first_of(&in->o[0]);
    if (to->type == PX_T_PRED) {
        ref_put(t, to, p);
        if (in->o[0].kind == REF_LIST) ref_put(t, &in->o[0].list[1], q);
        return REF_NEXT;
    }
    ref_bits bits = truth(to->type);
    if (packed)
        bits &= (p ? 0xffffu : 0) | (q ? 0xffff0000u : 0);
    else if (!p)
        bits = 0;
    ref_put(t, to, bits);
    return REF_NEXT;
}

/* ---- binding ---- */

static enum px_type operand_type(const struct ref_inst *in, unsigned i)
{
    return px_match_opd(&in->match, i)->kind == PX_OK_PRED ? PX_T_PRED : in->match.type[i];
}

bool ref_bind_alu(const struct ref_context *x, struct ref_inst *in)
{
    if (in->handler < 0 && !ref_approx_of(in->op, false)) return false;
    in->run = in->handler < 0 ? run_approx : px_form_compares(in->match.form) ? run_compare : run_statement;
    for (unsigned i = 0; i < in->n; i++)
        in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], operand_type(in, i));
    unsigned needed = in->handler < 0 ? 1 : ref_scalar_of(in->handler)->ns;
    unsigned fewest, all = px_form_opds(in->match.form, &fewest);
    if (in->n < 1 + needed && fewest == all) ref_unsupported(x->m, in->inst, "with so few operands");
    for (unsigned i = in->n; i < 1 + needed; i++) /* an optional one that is not written */
        in->o[i] = (struct ref_operand){.kind = REF_CONST, .type = PX_T_B64, .bits = 64};
    return true;
}
