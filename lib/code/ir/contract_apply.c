/*
 * contract_apply.c - rewrites the items as contract.c decided.
 *
 * A sum becomes `fma.rn` of the operands of its product, which it reads as they
 * were at the product: an operand that is written in between is first moved into
 * a register of its own, and so is a negated one. A division leaves its dividend
 * and the reciprocal of its divisor. A product that is gone is left out.
 */
#include "code/ir/contract.h"

/* What a product must leave for the sums that take it in. */
struct parts {
    bool minus;          /* some sum takes it in negated */
    bool moved[2];       /* the operand is written before a sum reads it */
    uint32_t version[2]; /* of the operands' registers at the product */
    const struct px_operand *operand[2], *negated[2];
};

struct apply {
    struct px_body *d;
    const struct px_contracted *what;
    struct px_arena *found;
    uint32_t *parts_of; /* by item that is taken in: its number in `parts` + 1; 0: none */
    PX_VEC(struct parts) parts;
    uint32_t *version; /* by register: writes so far */
    uint32_t *place;   /* by old item: the new one */
    PX_VEC(struct px_contract_item) items;
    const struct px_term *like; /* the item that new ones stand for */
};

/* ---- what has to be kept ---- */

static void count_writes(struct apply *a, uint32_t item)
{
    const struct px_named_list writes = px_term_writes(a->d, item);
    for (const struct px_named *w = writes.at; w < writes.end; w++) a->version[w->reg]++;
}

static uint32_t version_of(const struct apply *a, const struct px_operand *o)
{
    uint32_t reg = px_contract_register(a->d, o);
    return reg == PX_NONE32 ? 0 : a->version[reg];
}

static bool is_written_once(const struct apply *a, const struct px_operand *o)
{
    uint32_t reg = px_contract_register(a->d, o);
    return reg == PX_NONE32 || a->d->defs[reg] < 2;
}

/* Whether the sum takes its product in with a minus. */
static bool negative(const struct apply *a, uint32_t sum)
{
    const struct px_contracted *c = &a->what[sum];
    return c->minus != (c->second && a->d->items.at[sum].kind->result == PX_RESULT_difference);
}

static struct parts *parts_of(const struct apply *a, uint32_t item)
{
    return a->parts_of[item] ? &a->parts.at[a->parts_of[item] - 1] : NULL;
}

static void number_parts(struct apply *a)
{
    for (uint32_t i = 0; i < a->d->items.n; i++) {
        const uint32_t product = a->what[i].product;
        if (product == PX_NONE32 || a->parts_of[product]) continue;
        px_vec_push(a->d->arena, &a->parts, (struct parts){0});
        a->parts_of[product] = a->parts.n;
    }
}

static void plan(struct apply *a)
{
    for (uint32_t i = 0; i < a->d->items.n; i++) {
        const struct px_term *item = &a->d->items.at[i];
        uint32_t product = a->what[i].product;
        if (product != PX_NONE32) {
            struct parts *p = parts_of(a, product);
            const struct px_operand *o = a->d->items.at[product].inst->opds;
            p->minus |= negative(a, i);
            bool near = a->d->items.at[product].block == item->block;
            for (int k = 0; k < 2; k++)
                p->moved[k] |=
                    version_of(a, &o[k + 1]) != p->version[k] || !(near || is_written_once(a, &o[k + 1]));
        }
        for (unsigned k = 0; k < 2 && a->parts_of[i]; k++)
            parts_of(a, i)->version[k] = version_of(a, &item->inst->opds[k + 1]);
        if (!a->what[i].gone) count_writes(a, i);
    }
}

/* ---- new instructions ---- */

static enum px_type type_of(const struct apply *a)
{
    return a->like->kind->match.type[0];
}

static struct px_operand new_register(struct apply *a, enum px_type type)
{
    return px_make_register(a->d->f, a->like->inst, type);
}

static void append(struct apply *a, const struct px_inst *inst, enum px_lower_part part)
{
    const struct px_contract_item item = {inst, part};
    px_vec_push(a->found, &a->items, item);
}

/* Appends an instruction of `words` and n operands. */
static struct px_inst *add(struct apply *a, const px_word words[5], const struct px_operand *operands,
                           uint8_t n)
{
    struct px_inst *inst = px_make_inst(a->d->f, a->found, a->like->inst, words, operands, n);
    append(a, inst, PX_LOWER_WHOLE);
    return inst;
}

static const struct px_operand *copy(struct apply *a, struct px_operand o)
{
    struct px_operand *copied = PX_NEW(a->d->arena, struct px_operand);
    *copied = o;
    return copied;
}

static struct px_operand moved(struct apply *a, const struct px_operand *from)
{
    const struct px_operand o[2] = {new_register(a, type_of(a)), *from};
    enum px_type type = a->d->f->more_regs.at[a->d->f->more_regs.n - 1].type;
    add(a, (px_word[5]){PX_W_mov, px_type_info(type)->word}, o, 2);
    return o[0];
}

static bool is_literal(const struct px_operand *o)
{
    return o->kind == PX_O_F32 || o->kind == PX_O_F64;
}

static struct px_operand negated(struct apply *a, const struct px_operand *from)
{
    struct px_operand o[2] = {*from, *from};
    if (is_literal(from)) {
        o[0].u.i ^= from->kind == PX_O_F32 ? 0x80000000u : 1ull << 63;
        return o[0];
    }
    o[0] = new_register(a, type_of(a));
    add(a, (px_word[5]){PX_W_neg, px_type_info(type_of(a))->word}, o, 2);
    return o[0];
}

/* One of the two factors that a division is the product of. */
static struct px_operand factor(struct apply *a, enum px_lower_part part)
{
    struct px_inst *inst = px_copy_inst(a->found, a->like->inst);
    inst->opds[0] = new_register(a, PX_T_F32);
    append(a, inst, part);
    return inst->opds[0];
}

/* ---- products and sums ---- */

static void prepare(struct apply *a, uint32_t index)
{
    struct parts *p = parts_of(a, index);
    const struct px_operand *o = a->like->inst->opds;
    bool division = px_contract_divides(a->like);
    for (unsigned k = 0; k < 2; k++) {
        if (division)
            p->operand[k] = copy(a, factor(a, k ? PX_LOWER_RECIPROCAL : PX_LOWER_DIVIDEND));
        else
            p->operand[k] = p->moved[k] ? copy(a, moved(a, &o[k + 1])) : &o[k + 1];
        p->negated[k] = p->operand[k];
    }
    if (!p->minus) return;
    unsigned side = is_literal(p->operand[1]);
    p->negated[side] = copy(a, negated(a, p->operand[side]));
}

static void fuse(struct apply *a, uint32_t index)
{
    const struct px_contracted *c = &a->what[index];
    const struct px_inst *sum = a->like->inst;
    const struct parts *p = parts_of(a, c->product);
    const struct px_operand *const *factors = negative(a, index) ? p->negated : p->operand;
    const struct px_operand *addend = &sum->opds[c->second ? 1 : 2];
    bool minus = a->like->kind->result == PX_RESULT_difference && !c->second;
    const struct px_operand o[4] = {sum->opds[0], *factors[0], *factors[1],
                                    minus ? negated(a, addend) : *addend};
    struct px_inst *inst =
        add(a,
            (px_word[5]){PX_W_fma, PX_W_rn, px_term_has(a->like, PX_W_ftz) ? PX_W_ftz : 0,
                         px_term_has(a->like, PX_W_sat) ? PX_W_sat : 0, px_type_info(type_of(a))->word},
            o, 4);
    inst->guard = sum->guard;
    inst->guard_negated = sum->guard_negated;
}

/* ---- the function ---- */

static void rewrite(struct apply *a)
{
    struct px_body *d = a->d;
    for (uint32_t i = 0; i < d->items.n; i++) {
        a->like = &d->items.at[i];
        a->place[i] = a->items.n;
        if (a->parts_of[i]) prepare(a, i);
        if (a->what[i].product != PX_NONE32)
            fuse(a, i);
        else if (!a->what[i].gone)
            append(a, a->like->inst, (enum px_lower_part)a->like->part);
    }
    a->place[d->items.n] = a->items.n;
}

/* By instruction of the text instead of by item of a folded list. */
static void by_text(struct px_body *d, uint32_t **place)
{
    if (!d->folded) return;
    uint32_t *of = PX_NEW_N(d->f->coder->found, uint32_t, d->ntext + 1);
    for (uint32_t i = 0; i <= d->ntext; i++) of[i] = (*place)[d->folded[i]];
    *place = of;
}

static const struct px_contracted *nothing(struct px_body *d)
{
    struct px_contracted *what = PX_NEW_N(d->arena, struct px_contracted, d->items.n);
    for (uint32_t i = 0; i < d->items.n; i++) what[i].product = PX_NONE32;
    return what;
}

void px_contract_apply(struct px_body *d, const struct px_contracted *what, struct px_contract *out)
{
    struct px_arena *arena = d->arena;
    if (!what) what = nothing(d);
    struct apply a = {.d = d,
                      .what = what,
                      .found = d->f->coder->found,
                      .parts_of = PX_NEW_N(arena, uint32_t, d->items.n + 1),
                      .version = PX_NEW_N(arena, uint32_t, px_body_registers(d) + 1),
                      .place = PX_NEW_N(d->f->coder->found, uint32_t, d->items.n + 1)};
    number_parts(&a);
    plan(&a);
    px_vec_reserve(a.found, &a.items, d->items.n);
    rewrite(&a);
    by_text(d, &a.place);
    px_vec_trim(a.found, &a.items);
    *out = (struct px_contract){a.place, a.items.at, 0};
}
