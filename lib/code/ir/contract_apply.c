/*
 * contract_apply.c - rewrites the list as contract.c decided.
 *
 * A sum becomes `fma.rn` of the operands of its product, which it reads as they
 * were at the product: an operand that is written in between is first moved into
 * a register of its own, and so is a negated one. A division leaves its dividend
 * and the reciprocal of its divisor. A product that is gone is left out.
 */
#include "code/ir/contract.h"
#include "code/ir/edit.h"
#include "gang/fpmode.h"

/* What a product must leave for the sums that take it in. */
struct parts {
    bool minus;          /* some sum takes it in negated */
    bool moved[2];       /* the operand is written before a sum reads it */
    uint32_t version[2]; /* of the operands' registers at the product */
    struct px_ir_opd operand[2], negated[2];
};

struct apply {
    struct px_body *d;
    const struct px_contracted *what;
    uint32_t *parts_of; /* by instruction that is taken in: its number in `parts` + 1; 0: none */
    PX_VEC(struct parts) parts;
    uint32_t *version; /* by register: writes so far */
    struct px_ir_edit edit;
};

/* ---- what has to be kept ---- */

static void count_writes(struct apply *a, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(a->d->f, in);
    for (uint32_t k = 0; k < in->ndst; k++)
        if (o[k].kind == PX_IR_REG) a->version[o[k].at]++;
}

static uint32_t version_of(const struct apply *a, const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG ? a->version[o->at] : 0;
}

/* It holds one value wherever its product is read; temporaries are read by one instruction of the text only.
 */
static bool lasts(const struct apply *a, const struct px_ir_opd *o)
{
    return o->kind != PX_IR_REG || a->d->defs[o->at] < 2;
}

static bool is_temp(const struct apply *a, const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG && a->d->f->regs.at[o->at].temp;
}

static bool subtracts(const struct px_ir_inst *in)
{
    return px_ir_result(in) == PX_RESULT_difference;
}

/* Whether the sum takes its product in with a minus. */
static bool negative(const struct apply *a, uint32_t sum)
{
    const struct px_contracted *c = &a->what[sum];
    return c->minus != (c->second && subtracts(px_body_inst(a->d, sum)));
}

static struct parts *parts_of(const struct apply *a, uint32_t item)
{
    return a->parts_of[item] ? &a->parts.at[a->parts_of[item] - 1] : NULL;
}

static void number_parts(struct apply *a)
{
    for (uint32_t i = 0; i < a->d->f->insts.n; i++) {
        const uint32_t product = a->what[i].product;
        if (product == PX_NONE32 || a->parts_of[product]) continue;
        px_vec_push(a->d->arena, &a->parts, (struct parts){0});
        a->parts_of[product] = a->parts.n;
    }
}

/* Sum i takes in the product: does that keep its operands until then? */
static void plan_sum(struct apply *a, uint32_t i, uint32_t product)
{
    struct parts *p = parts_of(a, product);
    const struct px_ir_opd *o = px_ir_opds(a->d->f, px_body_inst(a->d, product));
    const bool near = a->d->graph.node_of[product] == a->d->graph.node_of[i];
    p->minus |= negative(a, i);
    for (int k = 0; k < 2; k++)
        p->moved[k] |= is_temp(a, &o[k + 1]) || version_of(a, &o[k + 1]) != p->version[k] ||
                       !(near || lasts(a, &o[k + 1]));
}

static void plan(struct apply *a)
{
    for (uint32_t i = 0; i < a->d->f->insts.n; i++) {
        const struct px_ir_inst *in = px_body_inst(a->d, i);
        if (a->what[i].product != PX_NONE32) plan_sum(a, i, a->what[i].product);
        for (unsigned k = 0; k < 2 && a->parts_of[i]; k++)
            parts_of(a, i)->version[k] = version_of(a, &px_ir_opds(a->d->f, in)[k + 1]);
        if (!a->what[i].gone) count_writes(a, in);
    }
}

/* ---- new instructions ---- */

static struct px_ir_opd moved(struct apply *a, const struct px_ir_inst *like, struct px_ir_opd from)
{
    struct px_ir_opd o[2] = {px_ir_edit_register(a->d->f, (enum px_type)from.type, false), from};
    o[1].base = PX_IR_COPIED;
    px_ir_edit_add(&a->edit, like, PX_IR_COPY, o, 2);
    return o[0];
}

/* A constant with the other sign, or a register that is written here. */
static struct px_ir_opd negated(struct apply *a, const struct px_ir_inst *like, struct px_ir_opd from,
                                bool temp)
{
    struct px_irfn *f = a->d->f;
    const enum px_type type = (enum px_type)from.type;
    struct px_ir_opd o[2] = {from, from};
    if (from.kind == PX_IR_IMM) {
        o[0].at = f->values.n;
        px_vec_push(f->coder->draft, &f->values,
                    f->values.at[from.at] ^ 1ull << (px_type_info(type)->bits - 1));
        return o[0];
    }
    o[0] = px_ir_edit_register(f, type, temp);
    o[1].base = type == PX_T_F32 ? PX_IR_NUMBER : PX_IR_BITS;
    px_ir_edit_add(&a->edit, like, (px_irop)px_statement_find(PX_RESULT_negation, type, type, NULL), o, 2)
        ->flags |= type == PX_T_F32 ? PX_IR_INST_NUMBER : 0;
    return o[0];
}

/* One of the two factors that a division is the product of; its multiplications see the mode. */
static struct px_ir_opd factor(struct apply *a, const struct px_ir_inst *division, uint16_t unit)
{
    const struct px_ir_opd *from = px_ir_opds(a->d->f, division);
    const struct px_ir_opd o[3] = {px_ir_edit_register(a->d->f, PX_T_F32, false), from[1], from[2]};
    struct px_ir_inst *in = px_ir_edit_add(&a->edit, division, PX_IR_UNIT, o, 3);
    in->fact = unit;
    in->fp = px_ir_flushes(division) ? PX_FP_RN | PX_FP_FTZ : PX_FP_RN;
    in->flags |= PX_IR_INST_HOST;
    return o[0];
}

/* ---- products and sums ---- */

static void prepare(struct apply *a, uint32_t index)
{
    struct parts *p = parts_of(a, index);
    const struct px_ir_inst *in = px_body_inst(a->d, index);
    const struct px_ir_factors factors = px_ir_factors(in);
    for (unsigned k = 0; k < 2; k++) {
        const struct px_ir_opd from = px_ir_opds(a->d->f, in)[k + 1];
        if (px_contract_divides(in))
            p->operand[k] = factor(a, in, k ? factors.reciprocal : factors.dividend);
        else
            p->operand[k] = p->moved[k] ? moved(a, in, from) : from;
        p->negated[k] = p->operand[k];
    }
    if (!p->minus) return;
    const unsigned side = p->operand[1].kind == PX_IR_IMM;
    p->negated[side] = negated(a, in, p->operand[side], false);
}

/* What is counted of the sum is an fma. */
static void count(const struct apply *a, const struct px_ir_inst *sum)
{
    struct px_irfn *f = a->d->f;
    if (!f->counted.n) return;
    const struct px_type_info *type = px_type_info(px_contract_type(a->d, sum));
    const px_irop fma = (px_irop)a->edit.out.at[a->edit.out.n - 1].op;
    f->counted.at[sum->origin].opcode =
        px_arena_printf(f->coder->keep, "%s.rn%s%s.%s", px_word_text(px_statement(fma)->opcode),
                        px_ir_flushes(sum) ? ".ftz" : "", px_ir_has(sum, PX_W_sat) ? ".sat" : "", type->name);
}

static void fuse(struct apply *a, uint32_t index)
{
    const struct px_contracted *c = &a->what[index];
    const struct px_ir_inst *sum = px_body_inst(a->d, index);
    const struct parts *p = parts_of(a, c->product);
    const struct px_ir_opd *factors = negative(a, index) ? p->negated : p->operand;
    const enum px_type type = px_contract_type(a->d, sum);
    struct px_ir_opd addend = px_ir_opds(a->d->f, sum)[c->second ? 1 : 2];
    if (subtracts(sum) && !c->second) addend = negated(a, sum, addend, true);
    struct px_ir_opd o[4] = {*px_ir_opds(a->d->f, sum), factors[0], factors[1], addend};
    for (unsigned k = 1; k < 4; k++)
        if (o[k].kind == PX_IR_REG) o[k].base = type == PX_T_F32 ? PX_IR_NUMBER : PX_IR_BITS;
    const int fma = px_statement_find(PX_RESULT_fusion, type, type, px_statement(sum->op));
    struct px_ir_inst *in = px_ir_edit_add(&a->edit, sum, (px_irop)fma, o, 4);
    in->flags |= sum->flags & (PX_IR_INST_NEGATED | PX_IR_INST_NUMBER | PX_IR_INST_HOST);
    in->guard = sum->guard;
    in->fp = sum->fp;
    count(a, sum);
}

static void rewrite(struct apply *a)
{
    px_ir_edit_begin(&a->edit, a->d->f);
    for (uint32_t i = 0; i < a->d->f->insts.n; i++) {
        const struct px_ir_inst *in = px_ir_edit_at(&a->edit, i);
        if (a->parts_of[i]) prepare(a, i);
        if (a->what[i].product != PX_NONE32)
            fuse(a, i);
        else if (!a->what[i].gone)
            px_ir_edit_keep(&a->edit, in);
    }
    px_ir_edit_end(&a->edit);
}

void px_contract_apply(struct px_body *d, const struct px_contracted *what)
{
    const uint32_t n = d->f->insts.n;
    struct apply a = {.d = d,
                      .what = what,
                      .parts_of = PX_NEW_N(d->arena, uint32_t, n + 1),
                      .version = PX_NEW_N(d->arena, uint32_t, d->f->regs.n + 1)};
    number_parts(&a);
    plan(&a);
    rewrite(&a);
}
