/*
 * terms.c - registers that are a scalar plus a term.
 *
 * A term depends on the lane's place in its block and on nothing else that changes while a grid runs
 * (px_lane_term): thread indices, their sums, their multiples by constants, parameters and sizes. Integer
 * sums, differences, products by scalars and shifts of such registers are such registers, modulo the width,
 * whatever wraps. Only where 32 bits are extended it matters whether the sum fits; there a record asks, and
 * likewise whether a comparison says the same for all lanes (ops/assume.h). Where it does not hold the
 * divergent version goes on, for which all of this is rows; so nothing here has to be proved, only worth it.
 *
 * A register has a term when all its definitions have that one. This is found optimistically: what has not
 * been looked at agrees with everything. values.c goes on from there: what is made of rows is a row.
 */
#include "code/ir/terms.h"
#include "code/ir/facts.h"
#include "flow/dominators.h"
#include "ops/assume.h"
#include "ops/sreg.h"

enum { TERMS_MOST = 32, DEPTH_MOST = 8 };

/* What a register may be: not seen yet, a number of a term, a scalar, or neither. */
#define UNSEEN 0xfffffffdu
#define NEITHER 0xfffffffeu
#define SCALAR PX_TERM_ZERO

struct terms {
    struct px_irfn *f;
    const struct px_ir_uses *uses;
    uint32_t *class;   /* by register */
    uint32_t *work, n; /* instructions to look at */
    bool *waits;       /* by instruction: is in `work` */
};

/* ---- terms by what they are ---- */

static bool same_factor(const struct px_ir_operand *a, const struct px_ir_operand *b)
{
    return a->kind == b->kind && (a->kind == PX_IR_IMM ? a->value == b->value : a->at == b->at);
}

static uint32_t make(struct px_irfn *f, struct px_lane_term is, const struct px_ir_operand *factor)
{
    for (uint32_t i = 0; i < f->terms.n; i++) {
        const struct px_ir_term *t = &f->terms.at[i];
        if (t->is.op == is.op && t->is.elem == is.elem && t->is.sign == is.sign && t->is.a == is.a &&
            t->is.b == is.b && same_factor(&t->factor, factor))
            return i;
    }
    if (f->terms.n == TERMS_MOST) return NEITHER;
    const struct px_ir_term t = {is, *factor};
    px_vec_push(f->coder->scratch, &f->terms, t);
    return f->terms.n - 1;
}

static uint32_t sum(struct px_irfn *f, enum px_term_op op, uint32_t a, uint32_t b)
{
    const struct px_ir_operand none = {0};
    if (b == PX_TERM_ZERO) return a;
    if (a == PX_TERM_ZERO && op == PX_TERM_ADD) return b;
    if (a == b && op == PX_TERM_SUB) return SCALAR;
    return make(f, (struct px_lane_term){.op = (uint8_t)op, .a = a, .b = b}, &none);
}

/* Scalars that stay the same in all blocks of a grid. */
static bool is_lasting(const struct px_ir_operand *o)
{
    return o->kind == PX_IR_IMM || o->kind == PX_IR_PARAM ||
           (o->kind == PX_IR_UNIFORM && (o->at - offsetof(struct px_uniform, ntid) < 16 ||
                                         o->at - offsetof(struct px_uniform, nctaid) < 16));
}

static uint32_t scale(struct px_irfn *f, uint32_t a, struct px_ir_operand factor, bool sign)
{
    if (a == PX_TERM_ZERO) return SCALAR;
    if (!is_lasting(&factor) || (factor.elem != 4 && factor.elem != 8)) return NEITHER;
    return make(f, (struct px_lane_term){.op = PX_TERM_SCALE, .a = a, .elem = factor.elem, .sign = sign},
                &factor);
}

/* ---- one instruction ---- */

static uint32_t class_of(const struct terms *t, const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG ? t->class[o->at] : SCALAR;
}

/* a * b, one of which is a scalar. */
static uint32_t product(struct terms *t, const struct px_ir_opd *a, const struct px_ir_opd *b, bool sign)
{
    const uint32_t x = class_of(t, a), y = class_of(t, b);
    if (x == SCALAR && y == SCALAR) return SCALAR;
    if (x != SCALAR && y != SCALAR) return NEITHER;
    return x == SCALAR ? scale(t->f, y, px_ir_plain(t->f, a), sign)
                       : scale(t->f, x, px_ir_plain(t->f, b), sign);
}

static uint32_t product_and_sum(struct terms *t, const struct px_ir_opd *o, bool sign)
{
    const uint32_t x = product(t, &o[1], &o[2], sign), y = class_of(t, &o[3]);
    return x == NEITHER ? x : sum(t->f, PX_TERM_ADD, x, y);
}

static uint32_t shifted(struct terms *t, const struct px_ir_opd *o, unsigned bits)
{
    const uint32_t x = class_of(t, &o[1]);
    if (x == SCALAR) return SCALAR;
    const uint32_t by = (uint32_t)px_ir_plain(t->f, &o[2]).value;
    if (o[2].kind != PX_IR_IMM || by >= bits) return NEITHER;
    return scale(t->f, x, (struct px_ir_operand){.kind = PX_IR_IMM, .elem = 8, .value = 1ull << by}, false);
}

static bool is_copy(const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    return in->op == PX_IR_COPY && (o[0].elem == 4 || o[0].elem == 8) && (o[1].elem == 4 || o[1].elem == 8);
}

enum extension { EXTENDS_NOT, EXTENDS_S32, EXTENDS_U32 };

/* Is it 64 bits of what its sources of 32 bits say? */
static bool widens(const struct px_ir_inst *in)
{
    return px_ir_wraps(in) == 64 && px_ir_whole(in, 1) == 32;
}

/* Is the result 64 bits of what 32 bits say, one way or the other? */
static enum extension extends(const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    switch (px_ir_result(in)) {
    case PX_RESULT_copy:
        if (!is_copy(in, o) || o[0].elem != 8 || o[1].elem != 4) return EXTENDS_NOT;
        return in->fact ? EXTENDS_S32 : EXTENDS_U32;
    case PX_RESULT_conversion:
    case PX_RESULT_product:
    case PX_RESULT_product_sum:
        if (!widens(in)) return EXTENDS_NOT;
        return px_ir_signed(in, 1) ? EXTENDS_S32 : EXTENDS_U32;
    default: return EXTENDS_NOT;
    }
}

/* A lower half does not ask whether the factors are signed. */
static bool extends_sign(const struct px_ir_inst *in)
{
    return !widens(in) || px_ir_signed(in, 1);
}

/* The same of a statement whose result is one number modulo 2^32 or 2^64. */
static uint32_t result_of_statement(struct terms *t, const struct px_ir_inst *in, unsigned bits)
{
    const struct px_ir_opd *o = px_ir_opds(t->f, in);
    const bool even = px_ir_whole(in, 1) == bits, fits = even || widens(in);
    switch (px_ir_result(in)) {
    case PX_RESULT_conversion: return widens(in) ? class_of(t, &o[1]) : NEITHER;
    case PX_RESULT_sum: return sum(t->f, PX_TERM_ADD, class_of(t, &o[1]), class_of(t, &o[2]));
    case PX_RESULT_difference: return sum(t->f, PX_TERM_SUB, class_of(t, &o[1]), class_of(t, &o[2]));
    case PX_RESULT_product: return fits ? product(t, &o[1], &o[2], extends_sign(in)) : NEITHER;
    case PX_RESULT_product_sum: return fits ? product_and_sum(t, o, extends_sign(in)) : NEITHER;
    case PX_RESULT_left_shift: return shifted(t, o, bits);
    default: return NEITHER;
    }
}

/* The term of what the instruction computes, when its sources are what they seem to be. */
static uint32_t result_of(struct terms *t, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(t->f, in);
    const struct px_ir_operand none = {0};
    if (in->op == PX_IR_SREG) {
        if (in->fact > PX_LV_TID_Z || o[0].elem != 4) return NEITHER;
        return make(t->f, (struct px_lane_term){.op = (uint8_t)(in->fact - PX_LV_TID_X)}, &none);
    }
    if (in->op == PX_IR_COPY) return is_copy(in, o) ? class_of(t, &o[1]) : NEITHER;
    const unsigned bits = px_ir_wraps(in);
    return bits == 32 || bits == 64 ? result_of_statement(t, in, bits) : NEITHER;
}

/* Anything else may be a scalar, which values.c will see; of a term it makes a row. */
static uint32_t look(struct terms *t, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(t->f, in);
    bool terms = in->op == PX_IR_SREG;
    if (in->guard != PX_NONE32) return NEITHER;
    for (uint32_t k = in->ndst; k < in->nopds; k++) {
        const uint32_t reg = px_ir_register(&o[k]), x = reg == PX_NONE32 ? SCALAR : t->class[reg];
        if (x == UNSEEN || x == NEITHER) return x;
        terms |= x != SCALAR;
    }
    if (!terms) return SCALAR;
    if (in->ndst != 1) return NEITHER;
    const uint32_t term = result_of(t, in);
    const bool assumes = extends(in, o) != EXTENDS_NOT;
    /* What is taken for granted is asked before anything of the instruction of the text is done. */
    return assumes && !(in->flags & PX_IR_INST_FIRST) ? NEITHER : term;
}

/* ---- all of them ---- */

static void push(struct terms *t, uint32_t inst)
{
    if (t->waits[inst]) return;
    t->waits[inst] = true;
    t->work[t->n++] = inst;
}

static void meet(struct terms *t, uint32_t reg, uint32_t x)
{
    const uint32_t had = t->class[reg], now = had == UNSEEN || had == x ? x : NEITHER;
    if (x == UNSEEN || now == had) return;
    t->class[reg] = now;
    for (uint32_t k = t->uses->uses->first[reg]; k < t->uses->uses->first[reg + 1]; k++)
        push(t, t->uses->uses->to[k]);
}

static void settle(struct terms *t)
{
    while (t->n) {
        const uint32_t i = t->work[--t->n];
        const struct px_ir_inst *in = &t->f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(t->f, in);
        t->waits[i] = false;
        const uint32_t x = look(t, in);
        for (uint32_t k = 0; k < in->ndst; k++)
            if (o[k].kind == PX_IR_REG) meet(t, o[k].at, x);
    }
}

/* Is it written before it is read, on every way? Else it is zero there, not its term. */
static bool is_written_first(const struct terms *t, uint32_t reg)
{
    const struct px_flow_lists *defs = t->uses->defs, *exposed = t->uses->exposed;
    const uint32_t *node_of = t->f->graph.node_of;
    for (uint32_t k = exposed->first[reg]; k < exposed->first[reg + 1]; k++) {
        bool found = false;
        for (uint32_t d = defs->first[reg]; d < defs->first[reg + 1] && !found; d++)
            found = node_of[defs->to[d]] != exposed->to[k] &&
                    px_flow_dominates(&t->f->dominators, node_of[defs->to[d]], exposed->to[k]);
        if (!found) return false;
    }
    return true;
}

static bool may_have_one(const struct terms *t, uint32_t reg)
{
    const struct px_ir_reg *r = &t->f->regs.at[reg];
    const uint32_t defs = t->uses->defs->first[reg + 1] - t->uses->defs->first[reg];
    const bool number =
        r->type != PX_T_NONE && r->type != PX_T_PRED && r->type != PX_T_F32 && r->type != PX_T_F64;
    return number && (r->elem == 4 || r->elem == 8) && defs > 0 && defs <= DEPTH_MOST;
}

static struct terms begin(struct px_irfn *f, const struct px_ir_uses *uses)
{
    struct px_arena *a = f->coder->pass;
    struct terms t = {.f = f,
                      .uses = uses,
                      .class = PX_NEW_N(a, uint32_t, f->regs.n + 1),
                      .work = PX_NEW_N(a, uint32_t, f->insts.n + 1),
                      .waits = PX_NEW_N(a, bool, f->insts.n + 1)};
    for (uint32_t r = 0; r < f->regs.n; r++)
        t.class[r] = uses->defs->first[r] == uses->defs->first[r + 1] ? SCALAR : UNSEEN;
    return t;
}

static bool reads_indices(const struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (f->insts.at[i].op == PX_IR_SREG && f->insts.at[i].fact <= PX_LV_TID_Z) return true;
    return false;
}

void px_terms_find(struct px_irfn *f, const struct px_ir_uses *uses)
{
    if (!f->func->is_entry || !reads_indices(f)) return;
    struct terms t = begin(f, uses);
    for (uint32_t i = f->insts.n; i-- > 0;) push(&t, i);
    settle(&t);
    for (uint32_t r = 0; r < f->regs.n; r++) /* made of nothing but themselves: zero */
        if (t.class[r] == UNSEEN) meet(&t, r, SCALAR);
    settle(&t);
    for (uint32_t r = 0; r < f->regs.n; r++) {
        if (t.class[r] >= f->terms.n || !may_have_one(&t, r) || !is_written_first(&t, r)) continue;
        f->regs.at[r].keep = PX_IR_LANES;
        f->regs.at[r].term = t.class[r];
    }
}

/* ---- comparisons ---- */

/* Comparisons by their words, as px_assume_compare takes them. */
static const struct {
    px_word word;
    enum px_assume_cmp what;
} comparisons[] = {{PX_W_lt, PX_ASSUME_LT}, {PX_W_le, PX_ASSUME_LE}, {PX_W_gt, PX_ASSUME_GT},
                   {PX_W_ge, PX_ASSUME_GE}, {PX_W_eq, PX_ASSUME_EQ}, {PX_W_ne, PX_ASSUME_NE}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

/* PX_ASSUME_ of a comparison of whole numbers; whether two are equal, the sign does not say. */
static bool compares(const struct px_ir_inst *in, uint8_t *what)
{
    const unsigned bits = px_ir_whole(in, 1);
    if (px_ir_result(in) != PX_RESULT_comparison || (bits != 32 && bits != 64)) return false;
    for (uint32_t i = 0; i < COMPARISONS; i++) {
        if (!px_ir_has(in, comparisons[i].word)) continue;
        const bool equal = comparisons[i].what == PX_ASSUME_EQ || comparisons[i].what == PX_ASSUME_NE;
        *what = (uint8_t)(comparisons[i].what | (equal || px_ir_signed(in, 1) ? PX_ASSUME_SIGNED : 0) |
                          (bits == 64 ? PX_ASSUME_WIDE : 0));
        return true;
    }
    return false;
}

/* The same with the sides exchanged. */
static uint8_t mirrored(uint8_t what)
{
    static const uint8_t of[] = {PX_ASSUME_GT, PX_ASSUME_GE, PX_ASSUME_LT,
                                 PX_ASSUME_LE, PX_ASSUME_EQ, PX_ASSUME_NE};
    return (uint8_t)(of[what & 7] | (what & ~7));
}

static bool is_lanes(const struct px_irfn *f, const struct px_ir_opd *o)
{
    const uint32_t reg = px_ir_register(o);
    return reg != PX_NONE32 && f->regs.at[reg].keep == PX_IR_LANES;
}

bool px_terms_compare(const struct px_irfn *f, const struct px_ir_inst *in, struct px_terms_compare *c)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (px_ir_kind_of(in->op) != PX_IR_STATEMENT || in->guard != PX_NONE32 || in->ndst != 1 || in->nopds != 3)
        return false;
    if (!(in->flags & PX_IR_INST_FIRST) || is_lanes(f, &o[1]) == is_lanes(f, &o[2])) return false;
    if (!compares(in, &c->what)) return false;
    const bool first = is_lanes(f, &o[1]);
    c->lanes = first ? 1 : 2, c->other = first ? 2 : 1;
    if (!first) c->what = mirrored(c->what);
    return true;
}

bool px_terms_alone(const struct px_irfn *f, const struct px_ir_inst *in)
{
    struct px_terms_compare c;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->ndst == 1 && o[0].kind == PX_IR_REG && is_lanes(f, &o[0])) return true;
    return px_terms_compare(f, in, &c) && f->regs.at[o[0].at].branches;
}

enum px_terms_guard px_terms_guard(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    struct px_terms_compare c;
    if (in->ndst != 1 || o[0].kind != PX_IR_REG) return PX_TERMS_NONE;
    if (f->regs.at[o[0].at].keep == PX_IR_SCALAR)
        return px_terms_compare(f, in, &c) ? PX_TERMS_COMPARE : PX_TERMS_NONE;
    if (!is_lanes(f, &o[0])) return PX_TERMS_NONE;
    if (!is_lanes(f, &o[1]) && (in->nopds < 3 || !is_lanes(f, &o[2]))) return PX_TERMS_NONE;
    switch (extends(in, o)) {
    case EXTENDS_S32: return PX_TERMS_FITS_S32;
    case EXTENDS_U32: return PX_TERMS_FITS_U32;
    default: return PX_TERMS_NONE;
    }
}

/* Predicates that nothing but branches read, perhaps by way of others: the only ones worth a guess, because
 * where lanes differ they are about to part. */
static bool is_logic(const struct px_ir_inst *in)
{
    const enum px_result result = px_ir_result(in);
    return result == PX_RESULT_intersection || result == PX_RESULT_union || result == PX_RESULT_exclusion ||
           result == PX_RESULT_complement || result == PX_RESULT_copy;
}

static bool only_branches(const struct px_irfn *f, const struct px_ir_uses *uses, uint32_t reg)
{
    for (uint32_t k = uses->uses->first[reg]; k < uses->uses->first[reg + 1]; k++) {
        const struct px_ir_inst *in = &f->insts.at[uses->uses->to[k]];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (in->op == PX_IR_BRANCH) continue;
        if (!is_logic(in) || in->guard != PX_NONE32 || o[0].kind != PX_IR_REG ||
            !f->regs.at[o[0].at].branches)
            return false;
    }
    return true;
}

void px_terms_branches(struct px_irfn *f, const struct px_ir_uses *uses)
{
    bool changed = true;
    for (uint32_t r = 0; r < f->regs.n; r++) f->regs.at[r].branches = f->regs.at[r].type == PX_T_PRED;
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (f->insts.at[i].guard != PX_NONE32) f->regs.at[f->insts.at[i].guard].branches = false;
    for (uint32_t pass = 0; changed; pass++) {
        changed = false;
        for (uint32_t r = 0; r < f->regs.n; r++) {
            struct px_ir_reg *reg = &f->regs.at[r];
            if (!reg->branches || (pass < DEPTH_MOST && only_branches(f, uses, r))) continue;
            reg->branches = false;
            changed = true;
        }
    }
}

/* ---- which are worth it ---- */

/* Does the operand of the instruction ask for the scalar, the row being a term's? */
static bool takes_scalar(const struct px_irfn *f, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    const struct px_ir_opd *d = px_ir_opds(f, in);
    if (o->kind == PX_IR_ADDRESS) return px_ir_is_served(in, o);
    return in->ndst == 1 && d->kind == PX_IR_REG && f->regs.at[d->at].keep != PX_IR_ROW &&
           px_terms_alone(f, in);
}

/* How the register is read: as a scalar and a term, as a row. */
static void ask(const struct px_irfn *f, const struct px_ir_uses *uses, uint32_t reg, bool *scalar, bool *row)
{
    *scalar = *row = false;
    for (uint32_t k = uses->uses->first[reg]; k < uses->uses->first[reg + 1]; k++) {
        const struct px_ir_inst *in = &f->insts.at[uses->uses->to[k]];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t i = in->ndst; i < in->nopds; i++)
            if (px_ir_register(&o[i]) == reg) *(takes_scalar(f, in, &o[i]) ? scalar : row) = true;
    }
}

/* Terms that registers have, or that those are made of; their numbers change. */
static void drop_terms(struct px_irfn *f)
{
    bool needed[TERMS_MOST] = {false};
    uint32_t number[TERMS_MOST] = {0}, n = 0;
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep == PX_IR_LANES) needed[f->regs.at[r].term] = true;
    for (uint32_t i = f->terms.n; i-- > 0;) {
        const struct px_lane_term *t = &f->terms.at[i].is;
        if (!needed[i] || t->op < PX_TERM_ADD) continue;
        if (t->a != PX_TERM_ZERO) needed[t->a] = true;
        if (t->op != PX_TERM_SCALE) needed[t->b] = true;
    }
    for (uint32_t i = 0; i < f->terms.n; i++) {
        struct px_ir_term t = f->terms.at[i];
        if (!needed[i]) continue;
        if (t.is.op >= PX_TERM_ADD && t.is.a != PX_TERM_ZERO) t.is.a = number[t.is.a];
        if (t.is.op == PX_TERM_ADD || t.is.op == PX_TERM_SUB) t.is.b = number[t.is.b];
        number[i] = n;
        f->terms.at[n++] = t;
    }
    f->terms.n = n;
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].keep == PX_IR_LANES) f->regs.at[r].term = number[f->regs.at[r].term];
}

void px_terms_prune(struct px_irfn *f, const struct px_ir_uses *uses)
{
    bool scalar, row, changed = true;
    for (uint32_t pass = 0; changed; pass++) {
        changed = false;
        for (uint32_t r = f->regs.n; r-- > 0;) {
            struct px_ir_reg *reg = &f->regs.at[r];
            if (reg->keep != PX_IR_LANES) continue;
            ask(f, uses, r, &scalar, &row);
            reg->spread = row;
            if (scalar) continue;
            reg->keep = PX_IR_ROW;
            changed = pass < DEPTH_MOST; /* what is left is only not worth it */
        }
    }
    drop_terms(f);
}
