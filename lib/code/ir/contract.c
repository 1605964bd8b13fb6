/*
 * contract.c - finds the products and sums that ptxas makes one fma.
 *
 * Over values and not registers: a register that holds a product holds it until it
 * is written again or the block ends, and copies and negations hold the same product;
 * a product by a constant is held for good by a register that is written once. A product may be taken in
 * where every reader is a sum of its type and flushing; products with a single reader go first, then those
 * with several (packed ones all at once), each time in the order of the sums. Of a sum's two products the one
 * with fewer readers is taken, of equals the first; the other one then has a reader that needs it, and stays.
 */
#include "code/ir/contract.h"

struct product {
    uint32_t item, readers;
    uint32_t segment; /* blocks and what splits them: a reader elsewhere needs the product itself ... */
    bool constant;    /* ... but not one by a constant */
    uint8_t type;
    bool ftz, kept;      /* kept: something needs the product itself */
    bool multiplies;     /* by mul; else it is a division */
    bool scaled;         /* PX_ROLE_SCALED */
    bool kept_behind;    /* something needs its flushed copy */
    uint32_t direct;     /* readers of the product itself */
    uint32_t version[2]; /* of a multiplication's operands: how often they were written before */
    uint32_t taken;      /* how many readers took it in */
};

struct sum {
    uint32_t item;
    uint32_t product[2]; /* index of the operand's product; PX_NONE32 */
    bool minus[2], done;
    bool equal; /* adds two equal products, which ptxas makes one value first if either has one reader */
};

/* What a register holds. */
struct value {
    uint32_t product, mark;
    bool minus;
    bool behind; /* a copy or negation that flushes, which is a sum to ptxas */
    bool lasts;  /* beyond its block */
};

struct find {
    struct px_body *d;
    struct px_contract_live live;
    struct px_contracted *out;
    struct value *values; /* by register; valid when mark is the block's */
    uint32_t *version;    /* by register: how often it was written */
    bool *early;          /* by register: read while it held nothing */
    uint32_t mark, segment;
    uint32_t *held, nheld; /* registers with a value in this block */
    PX_VEC(struct product) products;
    PX_VEC(struct sum) sums;
    bool any;
    uint32_t item; /* the instruction looked at */
};

/* ---- values ---- */

static struct product *held_in(struct find *f, uint32_t reg, bool *minus)
{
    const struct value *v = &f->values[reg];
    bool holds = v->mark == f->mark || v->lasts;
    if (!holds || v->product == PX_NONE32) {
        f->early[reg] = true;
        return NULL;
    }
    *minus = v->minus;
    return &f->products.at[v->product];
}

static struct product *held_by(struct find *f, const struct px_ir_opd *o, bool *minus)
{
    return o->kind == PX_IR_REG ? held_in(f, o->at, minus) : NULL;
}

static void hold(struct find *f, uint32_t reg, struct value value)
{
    if (f->values[reg].mark != f->mark) {
        if (value.product == PX_NONE32) return;
        f->held[f->nheld++] = reg;
    }
    value.mark = f->mark;
    if (value.product != PX_NONE32 && f->d->defs[reg] == 1) {
        struct product *p = &f->products.at[value.product];
        value.lasts = p->constant;
        p->kept |= p->constant && f->early[reg]; /* around a loop */
    }
    f->values[reg] = value;
}

static bool is_behind(struct find *f, const struct px_ir_opd *o)
{
    return f->values[o->at].behind;
}

static void keep(struct product *p, bool behind)
{
    *(behind ? &p->kept_behind : &p->kept) = true;
}

/* A reader that is no sum. */
static void need(struct find *f, uint32_t reg)
{
    bool minus;
    struct product *p = held_in(f, reg, &minus);
    if (!p) return;
    const bool behind = f->values[reg].behind;
    p->readers++;
    p->direct += !behind;
    keep(p, behind);
}

static void need_all(struct find *f, const struct px_ir_inst *in)
{
    for (uint32_t k = 0; k < px_ir_nreads(in); k++) {
        const uint32_t reg = px_ir_read_reg(f->d->f, in, k);
        if (reg != PX_NONE32) need(f, reg);
    }
}

/* Under a guard the old value goes on living beside the new one. */
static void write_over(struct find *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f->d->f, in);
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG) continue;
        if (f->d->guarded[f->item]) need(f, o[k].at);
        hold(f, o[k].at, (struct value){PX_NONE32});
        f->version[o[k].at]++;
    }
}

/* ---- readers ---- */

static uint32_t version_of(struct find *f, const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG ? f->version[o->at] : 0;
}

/* Operand i of p's multiplication and operand j of q's have one value. */
static bool same_operand(struct find *f, const struct product *p, unsigned i, const struct product *q,
                         unsigned j)
{
    const struct px_irfn *fn = f->d->f;
    const struct px_ir_opd *a = &px_ir_opds(fn, &fn->insts.at[p->item])[i + 1],
                           *b = &px_ir_opds(fn, &fn->insts.at[q->item])[j + 1];
    if (a->kind != b->kind) return false;
    if (a->kind == PX_IR_REG) return a->at == b->at && p->version[i] == q->version[j];
    return fn->values.at[a->at] == fn->values.at[b->at];
}

/* Two mul of the same operands, in either order; not if they flush. */
static bool equal(struct find *f, const struct product *p, const struct product *q)
{
    if (!p->multiplies || !q->multiplies || p->type != q->type || p->ftz || q->ftz) return false;
    return (same_operand(f, p, 0, q, 0) && same_operand(f, p, 1, q, 1)) ||
           (same_operand(f, p, 0, q, 1) && same_operand(f, p, 1, q, 0));
}

static bool takes(struct find *f, const struct px_ir_inst *sum, const struct product *p)
{
    return (p->constant || p->segment == f->segment) && p->type == px_contract_type(f->d, sum) &&
           p->ftz == px_ir_flushes(sum);
}

static void read_sum(struct find *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f->d->f, in);
    struct sum sum = {.item = f->item, .product = {PX_NONE32, PX_NONE32}};
    struct product *p[2];
    for (int i = 0; i < 2; i++) p[i] = held_by(f, &o[i + 1], &sum.minus[i]);
    bool twice = p[0] && p[0] == p[1];
    sum.equal = p[0] && p[1] && px_ir_result(in) == PX_RESULT_sum && !sum.minus[0] && !sum.minus[1] &&
                equal(f, p[0], p[1]);
    for (int i = 0; i < 2; i++) {
        if (!p[i]) continue;
        p[i]->readers++;
        p[i]->direct += !is_behind(f, &o[i + 1]);
        if (twice || !takes(f, in, p[i]))
            keep(p[i], is_behind(f, &o[i + 1]));
        else
            sum.product[i] = (uint32_t)(p[i] - f->products.at);
    }
    if (sum.product[0] != PX_NONE32 || sum.product[1] != PX_NONE32) px_vec_push(f->d->arena, &f->sums, sum);
}

/* A copy or negation of a product; of flushing ones only where that changes nothing. */
static bool passes_on(struct find *f, const struct px_ir_inst *in, unsigned source, struct value *value)
{
    const struct px_ir_opd *from = &px_ir_opds(f->d->f, in)[source];
    struct product *p = held_by(f, from, &value->minus);
    const bool flushes = px_ir_flushes(in);
    if (!p || (flushes && !p->ftz)) return false;
    p->direct += flushes && !is_behind(f, from);
    value->product = (uint32_t)(p - f->products.at);
    value->behind = flushes || is_behind(f, from);
    return true;
}

static struct value new_product(struct find *f, const struct px_ir_inst *in, enum px_role role)
{
    const bool is = role == PX_ROLE_PRODUCT;
    struct product p = {.item = f->item,
                        .segment = f->segment,
                        .constant = is && px_contract_by_constant(f->d, f->item),
                        .type = (uint8_t)px_contract_type(f->d, in),
                        .ftz = px_ir_flushes(in),
                        .multiplies = px_ir_result(in) == PX_RESULT_product,
                        .scaled = !is};
    for (unsigned i = 0; is && i < 2; i++) p.version[i] = version_of(f, &px_ir_opds(f->d->f, in)[i + 1]);
    px_vec_push(f->d->arena, &f->products, p);
    return (struct value){.product = f->products.n - 1};
}

static void read_item(struct find *f, uint32_t index)
{
    const struct px_ir_inst *in = px_body_inst(f->d, f->item = index);
    struct value value = {.product = PX_NONE32};
    unsigned source;
    enum px_role role = px_contract_role(f->d, index, &source);
    if (in->flags & PX_IR_INST_SPLITS) f->segment++;
    if (role == PX_ROLE_SUM) {
        read_sum(f, in);
    } else if ((role == PX_ROLE_COPY || role == PX_ROLE_NEGATION) && passes_on(f, in, source, &value)) {
        value.minus ^= role == PX_ROLE_NEGATION;
    } else {
        need_all(f, in);
    }
    if (role == PX_ROLE_PRODUCT || role == PX_ROLE_SCALED) value = new_product(f, in, role);
    write_over(f, in);
    if (value.product != PX_NONE32) hold(f, px_ir_opds(f->d->f, in)->at, value);
}

/* ---- decisions ---- */

/* The operand whose product the sum takes in; 2: none. */
static unsigned choose(struct find *f, const struct sum *s)
{
    unsigned best = 2;
    for (unsigned i = 0; i < 2; i++) {
        if (s->product[i] == PX_NONE32 || f->products.at[s->product[i]].kept) continue;
        if (best == 2 || f->products.at[s->product[i]].readers < f->products.at[s->product[best]].readers)
            best = i;
    }
    return best;
}

static void take(struct find *f, struct sum *s, unsigned side)
{
    struct product *p = &f->products.at[s->product[side]];
    s->done = true;
    p->taken++;
    if (s->product[1 - side] != PX_NONE32) f->products.at[s->product[1 - side]].kept = true;
    if (p->scaled) return;
    f->any = true;
    f->out[s->item].product = p->item;
    f->out[s->item].second = side == 1;
    f->out[s->item].minus = s->minus[side];
}

static void decide_sum(struct find *f, struct sum *s, bool several)
{
    unsigned side = s->done ? 2 : choose(f, s);
    if (side == 2) return;
    struct product *p = &f->products.at[s->product[side]];
    if (p->readers > 1 && !several && p->type != PX_T_F16X2 && p->type != PX_T_BF16X2) return;
    if (p->readers == 1 && s->equal) {
        p->kept = true;
        if (s->product[1 - side] != PX_NONE32) f->products.at[s->product[1 - side]].kept = true;
    } else {
        take(f, s, side);
    }
}

/* A flushing copy that is the only reader takes its product in first: then it is a product itself, which
 * stays without keeping others from it. */
static void judge_copies(struct find *f)
{
    for (uint32_t i = 0; i < f->products.n; i++)
        f->products.at[i].kept |= f->products.at[i].kept_behind && f->products.at[i].direct > 1;
}

static void decide(struct find *f)
{
    judge_copies(f);
    for (int several = 0; several < 2; several++)
        for (uint32_t i = 0; i < f->sums.n; i++) decide_sum(f, &f->sums.at[i], several);
    for (uint32_t i = 0; i < f->products.n; i++) {
        const struct product *p = &f->products.at[i];
        f->out[p->item].gone =
            !p->kept && !p->kept_behind && !p->scaled && p->taken && p->taken == p->readers;
    }
}

/* ---- blocks ---- */

static void finish_block(struct find *f, uint32_t k)
{
    px_contract_behind(&f->live, k);
    for (uint32_t i = 0; i < f->nheld; i++) {
        const struct value *v = &f->values[f->held[i]];
        if (v->product != PX_NONE32 && !v->lasts && px_contract_lives(&f->live, k, f->held[i]))
            keep(&f->products.at[v->product], v->behind);
    }
    f->nheld = 0;
    f->mark++;
}

static void read_block(struct find *f, uint32_t k)
{
    const struct px_flow_block *b = &f->d->graph.blocks[k];
    for (uint32_t i = b->first; i < b->first + b->n; i++)
        if (!f->live.dead[i]) read_item(f, i);
}

/* Most functions have no sum behind a product: a compiler contracted before ptxas could. */
static bool has_both(const struct px_irfn *f)
{
    uint32_t end = f->insts.n; /* behind the last sum */
    for (; end; end--) {
        const struct px_ir_inst *in = &f->insts.at[end - 1];
        if (!(in->flags & PX_IR_INST_LOOSE)) continue;
        const enum px_result result = px_ir_result(in);
        if (result == PX_RESULT_sum || result == PX_RESULT_difference) break;
    }
    for (uint32_t i = 0; i < end; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (in->flags & PX_IR_INST_LOOSE && px_ir_result(in) == PX_RESULT_product) return true;
        if (px_contract_divides(in)) return true;
    }
    return false;
}

/* In one block, or by a constant? */
static bool worth_it(const struct px_body *d)
{
    bool product = false, constant = false;
    for (uint32_t k = 0; k < d->graph.nblocks; k++) {
        const struct px_flow_block *b = &d->graph.blocks[k];
        product &= constant || (k > 0 && px_contract_goes_on(d, k));
        for (uint32_t i = b->first; i < b->first + b->n; i++) {
            unsigned source;
            const enum px_role role = px_contract_role(d, i, &source);
            product |= role == PX_ROLE_PRODUCT;
            constant |= role == PX_ROLE_PRODUCT && px_contract_by_constant(d, i);
            if (product && role == PX_ROLE_SUM) return true;
        }
    }
    return false;
}

static const struct px_contracted *find(struct px_body *d)
{
    struct px_arena *arena = d->arena;
    const uint32_t nregs = d->f->regs.n + 1;
    struct find f = {.d = d, .mark = 1};
    px_contract_liveness(d, &f.live);
    f.values = PX_NEW_N(arena, struct value, nregs);
    f.version = PX_NEW_N(arena, uint32_t, nregs);
    f.early = PX_NEW_N(arena, bool, nregs);
    f.held = PX_NEW_N(arena, uint32_t, nregs);
    f.out = PX_NEW_N(arena, struct px_contracted, d->f->insts.n);
    for (uint32_t i = 0; i < d->f->insts.n; i++) f.out[i].product = PX_NONE32;
    for (uint32_t k = 0; k < d->graph.nblocks; k++) {
        read_block(&f, k);
        if (k + 1 == d->graph.nblocks || !px_contract_goes_on(d, k + 1)) finish_block(&f, k);
    }
    decide(&f);
    px_flow_live_end(&f.live.flow);
    return f.any ? f.out : NULL;
}

void px_ir_contract(struct px_irfn *f)
{
    struct px_body d;
    bool contracts;
    if (!px_contract_asked(f, &contracts) || !contracts || !has_both(f)) return;
    px_contract_body(&d, f, true);
    px_contract_graph(&d);
    const struct px_contracted *what = worth_it(&d) ? find(&d) : NULL;
    if (what) px_contract_apply(&d, what);
}
