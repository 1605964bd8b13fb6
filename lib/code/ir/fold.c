/*
 * fold.c - what ptxas simplifies before it contracts, where that shows in the bits.
 *
 * Instructions that give their source become moves, so that a NaN keeps its payload: multiplication and
 * division by 1, min and max of a value and itself, two negations. A reciprocal of a reciprocal is the value
 * itself, and that of an exponential with no other reader is the exponential of the negated argument;
 * divisions multiply by it. Selections take signs off and turn them by themselves, and conversions to f64 do
 * it behind them, so that abs and neg in front of them leave a NaN its payload.
 *
 * Values are numbered from branch target to branch target: a write gives its register a new number, a move
 * hands one on. Behind a target only registers with a single definition are known. The list is walked twice:
 * first to find out who reads the exponentials and which sources are written again too early, then to
 * rewrite; such a source is kept in a register of its own, written where the value is made of it, so that it
 * fits whatever way control took.
 */
#include "code/ir/contract.h"
#include "code/ir/edit.h"
#include "gang/fpmode.h"

enum made { MADE_OTHERWISE, MADE_NEG, MADE_ABS, MADE_RCP, MADE_EX2 };

/* How a value was made of another. */
struct origin {
    enum made made;
    enum px_type type;
    uint32_t value;        /* the other */
    uint32_t source;       /* the register that held it */
    uint32_t item, target; /* where */
    uint32_t exponential,
        at; /* the last value made of this one as MADE_EX2, and behind which target; 0: none */
};

/* What the first walk found out about an instruction. */
struct found {
    bool save;      /* keep its source */
    uint8_t reads;  /* of the exponential that it makes; 2: several */
    uint32_t saved; /* in this register; 0: in none */
};

struct fold {
    struct px_body *d;
    struct px_irfn *f;
    uint32_t nregs;                /* without those that folding makes */
    uint32_t *value, *target;      /* by register: its value, known since that target */
    struct found *found;           /* by instruction */
    uint32_t now, index;           /* targets so far; the instruction */
    bool rewriting, any;           /* any: something may be rewritten */
    PX_VEC(struct origin) origins; /* by value */
    PX_VEC(uint32_t) exponentials; /* values since the last target */
    struct px_ir_edit edit;
    struct px_ir_inst in;      /* the instruction, */
    struct px_ir_opd o[4];     /* and its operands */
    struct px_ir_inst nothing; /* what the first walk makes */
};

/* ---- values ---- */

/* A register whose value is known by a number: those that folding makes have one reader, which stands behind.
 */
static bool is_known(const struct fold *f, const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG && o->at < f->nregs;
}

static uint32_t new_value(struct fold *f)
{
    px_vec_push(f->d->arena, &f->origins, (struct origin){MADE_OTHERWISE});
    return f->origins.n - 1;
}

static void give(struct fold *f, uint32_t reg, uint32_t value)
{
    f->value[reg] = value;
    f->target[reg] = f->now;
}

static uint32_t value_of(struct fold *f, uint32_t reg)
{
    const bool lasts = f->target[reg] && f->d->defs[reg] == 1;
    if (f->target[reg] != f->now && !lasts) give(f, reg, new_value(f));
    return f->value[reg];
}

/* How an operand was made; made is MADE_OTHERWISE where that is not known. */
static struct origin origin_of(struct fold *f, const struct px_ir_opd *o)
{
    if (!is_known(f, o)) return (struct origin){MADE_OTHERWISE};
    const uint32_t value = value_of(f, o->at);
    return f->origins.at[value];
}

static struct px_ir_opd as_register(const struct fold *f, uint32_t reg, struct px_ir_opd like)
{
    like.kind = PX_IR_REG;
    like.elem = f->f->regs.at[reg].elem;
    like.at = reg;
    return like;
}

/* The register that holds what a value was made of, read as `like` is. */
static struct px_ir_opd source_of(struct fold *f, const struct origin *origin, struct px_ir_opd like)
{
    struct found *found = &f->found[origin->item];
    const bool temp = f->f->regs.at[origin->source].temp;
    found->save |= temp || origin->target != f->now || value_of(f, origin->source) != origin->value;
    return as_register(f, found->saved ? found->saved : origin->source, like);
}

static void count_read(struct fold *f, const struct px_ir_opd *o)
{
    const struct origin origin = origin_of(f, o);
    if (origin.made != MADE_EX2) return;
    uint8_t *n = &f->found[origin.item].reads;
    *n = *n ? 2 : 1;
}

static void count_reads(struct fold *f)
{
    const struct px_ir_opd *o = px_ir_opds(f->f, &f->in);
    for (uint32_t k = f->in.ndst; k < f->in.nopds; k++) count_read(f, &o[k]);
}

static void write_over(struct fold *f)
{
    const struct px_ir_opd *o = px_ir_opds(f->f, &f->in);
    for (uint32_t k = 0; k < f->in.ndst; k++)
        if (is_known(f, &o[k])) give(f, o[k].at, new_value(f));
}

/* Nobody knows who reads a register behind a target, unless it is written once. */
static void pass_target(struct fold *f)
{
    for (uint32_t i = 0; i < f->exponentials.n; i++) {
        const struct origin *origin = &f->origins.at[f->exponentials.at[i]];
        const struct px_ir_opd *result = px_ir_opds(f->f, px_body_inst(f->d, origin->item));
        if (f->d->defs[result->at] > 1) f->found[origin->item].reads = 2;
    }
    f->exponentials.n = 0;
    f->now++;
}

/* Two exponentials of one value are one to ptxas, with the readers of both. */
static void note_exponential(struct fold *f, uint32_t value)
{
    const struct origin *made = &f->origins.at[value];
    struct origin *of = &f->origins.at[made->value];
    if (of->at == f->now)
        f->found[f->origins.at[of->exponential].item].reads = f->found[made->item].reads = 2;
    of->exponential = value;
    of->at = f->now;
    px_vec_push(f->d->arena, &f->exponentials, value);
}

/* ---- instructions ---- */

static bool is_flushing(const struct px_ir_inst *in, enum px_result result)
{
    return px_ir_result(in) == result && px_ir_flushes(in);
}

static bool is_single(enum px_type type)
{
    return type == PX_T_F32 || type == PX_T_F64 || type == PX_T_F16;
}

static enum made made_by(const struct px_body *d, const struct px_ir_inst *in)
{
    const enum px_type type = px_contract_type(d, in);
    switch (px_ir_result(in)) {
    case PX_RESULT_reciprocal: return px_ir_flushes(in) ? MADE_RCP : MADE_OTHERWISE;
    case PX_RESULT_exponential: return px_ir_flushes(in) ? MADE_EX2 : MADE_OTHERWISE;
    case PX_RESULT_magnitude: return type == PX_T_F32 && !px_ir_flushes(in) ? MADE_ABS : MADE_OTHERWISE;
    case PX_RESULT_negation:
        if (px_ir_flushes(in)) return MADE_OTHERWISE;
        return is_single(type) || type == PX_T_BF16 || type == PX_T_F16X2 ? MADE_NEG : MADE_OTHERWISE;
    default: return MADE_OTHERWISE;
    }
}

/* min or max of two values, of which a NaN is not given. */
static bool is_choice(const struct px_body *d, const struct px_ir_inst *in)
{
    const enum px_result result = px_ir_result(in);
    return (result == PX_RESULT_minimum || result == PX_RESULT_maximum) && in->nopds == 3 &&
           is_single(px_contract_type(d, in)) && !px_ir_flushes(in) && !px_ir_has(in, PX_W_NaN) &&
           !px_ir_has(in, PX_W_xorsign);
}

/* min and max of a value and itself. */
static bool chooses_itself(struct fold *f)
{
    if (!is_choice(f->d, &f->in) || !is_known(f, &f->o[1]) || !is_known(f, &f->o[2])) return false;
    const uint32_t a = f->o[1].at, b = f->o[2].at;
    return a == b || (f->target[a] == f->now && f->target[b] == f->now && value_of(f, a) == value_of(f, b));
}

/* The operand that a multiplication or division by 1 gives; 0: none. */
static unsigned kept_operand(const struct px_body *d, uint32_t i)
{
    const struct px_ir_inst *in = px_body_inst(d, i);
    unsigned source;
    if (!d->contracts || px_ir_flushes(in) || d->guarded[i] || !is_single(px_contract_type(d, in))) return 0;
    if (px_ir_result(in) == PX_RESULT_product)
        return px_contract_role(d, i, &source) == PX_ROLE_COPY ? source : 0;
    if (!px_contract_divides(in)) return 0;
    return px_contract_is_one(d, &px_ir_opds(d->f, in)[2], PX_T_F32) ? 1 : 0;
}

static bool chooses_floats(const struct px_body *d, const struct px_ir_inst *in)
{
    return px_ir_result(in) == PX_RESULT_choice && px_contract_type(d, in) == PX_T_F32;
}

static bool widens(const struct px_body *d, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(d->f, in);
    return px_ir_result(in) == PX_RESULT_conversion && in->nopds == 2 && o[0].type == PX_T_F64 &&
           o[1].type == PX_T_F32 && !px_ir_flushes(in) && !px_ir_has(in, PX_W_sat);
}

/* ---- rewriting ---- */

/* An instruction under the guard of the one that it stands for. */
static struct px_ir_inst *add(struct fold *f, px_irop op, const struct px_ir_opd *opds, uint32_t n)
{
    if (!f->rewriting) return &f->nothing;
    struct px_ir_inst *in = px_ir_edit_add(&f->edit, &f->in, op, opds, n);
    in->guard = f->in.guard;
    in->flags |= f->in.flags & PX_IR_INST_NEGATED;
    return in;
}

/* A statement by what its result is, of operands of one type. */
static struct px_ir_inst *add_statement(struct fold *f, enum px_result result, enum px_type type,
                                        const struct px_ir_opd *opds, uint32_t n)
{
    return add(f, (px_irop)px_statement_find(result, type, type, NULL), opds, n);
}

static struct px_ir_opd new_temp(struct fold *f, enum px_type type)
{
    return f->rewriting ? px_ir_edit_register(f->f, type, true) : f->o[0];
}

static struct px_ir_opd read_as(struct px_ir_opd o, enum px_ir_reading reading)
{
    if (o.kind == PX_IR_REG) o.base = (uint8_t)reading;
    return o;
}

static void add_move(struct fold *f, struct px_ir_opd to, struct px_ir_opd source)
{
    const struct px_ir_opd o[2] = {to, read_as(source, PX_IR_COPIED)};
    add(f, PX_IR_COPY, o, 2);
}

/* ex2 of the negated source. */
static void add_exponential(struct fold *f, struct px_ir_opd to, struct px_ir_opd source)
{
    struct px_ir_opd o[2] = {new_temp(f, PX_T_F32), read_as(source, PX_IR_NUMBER)};
    add_statement(f, PX_RESULT_negation, PX_T_F32, o, 2)->flags |= PX_IR_INST_NUMBER;
    o[1] = read_as(o[0], PX_IR_NUMBER);
    o[0] = to;
    struct px_ir_inst *in = add(f, PX_IR_UNIT, o, 2);
    in->fact = px_ir_unit_find(PX_RESULT_exponential, true);
    in->fp = PX_IR_FP_NEAREST;
    in->flags |= PX_IR_INST_NUMBER;
}

static void add_product(struct fold *f, struct px_ir_opd factor)
{
    const struct px_ir_opd o[3] = {f->o[0], f->o[1], read_as(factor, PX_IR_NUMBER)};
    struct px_ir_inst *in = add_statement(f, PX_RESULT_product, PX_T_F32, o, 3);
    in->fp = PX_FP_RN | PX_FP_FTZ;
    in->flags |= PX_IR_INST_NUMBER | PX_IR_INST_HOST | PX_IR_INST_LOOSE;
}

/* A reciprocal, or the one in a division, whose argument was made by one or by an exponential. */
static bool fold_reciprocal(struct fold *f, unsigned of)
{
    const struct origin origin = origin_of(f, &f->o[of]);
    const bool exponential = origin.made == MADE_EX2;
    if (origin.made != MADE_RCP && !exponential) return false;
    if (exponential && (!f->rewriting || f->found[origin.item].reads > 1)) {
        if (!f->rewriting) (void)source_of(f, &origin, f->o[of]);
        f->any = true;
        return false;
    }
    struct px_ir_opd factor = source_of(f, &origin, f->o[of]);
    if (of == 1 && exponential)
        add_exponential(f, f->o[0], factor);
    else if (of == 1)
        add_move(f, f->o[0], factor);
    if (of == 1) return true;
    if (exponential) {
        const struct px_ir_opd source = factor;
        factor = new_temp(f, PX_T_F32);
        add_exponential(f, factor, source);
    }
    add_product(f, factor);
    return true;
}

static bool fold_negation(struct fold *f)
{
    const struct origin origin = origin_of(f, &f->o[1]);
    if (origin.made != MADE_NEG || origin.type != px_contract_type(f->d, &f->in)) return false;
    add_move(f, f->o[0], source_of(f, &origin, f->o[1]));
    return true;
}

/* What abs and neg do to a value: first the magnitude, then its negation. */
struct signs {
    bool magnitude, negation;
};

/* Does abs or neg of f32 make the operand, or several? Of what, and which signs. */
static bool made_by_signs(struct fold *f, const struct px_ir_opd *o, struct px_ir_opd *source,
                          struct signs *signs)
{
    enum { CHAIN = 8 }; /* longer ones nobody writes, and each of their readers would walk all of it */
    struct origin last = {MADE_OTHERWISE}, origin = origin_of(f, o);
    *signs = (struct signs){0};
    for (unsigned i = 0; i < CHAIN && origin.type == PX_T_F32; i++) {
        if (origin.made != MADE_NEG && origin.made != MADE_ABS) break;
        signs->negation ^= origin.made == MADE_NEG && !signs->magnitude;
        signs->magnitude |= origin.made == MADE_ABS;
        last = origin;
        origin = f->origins.at[origin.value];
    }
    if (last.made) *source = source_of(f, &last, *o);
    return last.made;
}

static struct px_ir_opd number(struct fold *f, uint32_t value)
{
    px_vec_push(f->f->coder->draft, &f->f->values, value);
    return (struct px_ir_opd){.kind = PX_IR_IMM, .elem = 4, .type = PX_T_B32, .at = f->f->values.n - 1};
}

/* The source with its sign bit as it is to be, whatever the other bits say. */
static struct px_ir_opd with_signs(struct fold *f, struct px_ir_opd source, struct signs signs)
{
    if (!f->rewriting || (!signs.magnitude && !signs.negation)) return source;
    const enum px_result result = !signs.magnitude ? PX_RESULT_exclusion
                                  : signs.negation ? PX_RESULT_union
                                                   : PX_RESULT_intersection;
    struct px_ir_opd o[3] = {new_temp(f, PX_T_B32), read_as(source, PX_IR_BITS)};
    o[1].type = PX_T_B32;
    o[2] = number(f, result == PX_RESULT_intersection ? 0x7fffffff : 0x80000000);
    add_statement(f, result, PX_T_B32, o, 3);
    o[0].type = source.type;
    return o[0];
}

/* The instruction with other sources. */
static void add_again(struct fold *f, const struct px_ir_opd *sources, unsigned n)
{
    struct px_ir_opd o[4];
    memcpy(o, f->o, sizeof o);
    memcpy(o + 1, sources, n * sizeof *sources);
    struct px_ir_inst *in = add(f, f->in.op, o, f->in.nopds);
    in->flags |= f->in.flags & (uint8_t)~PX_IR_INST_FIRST;
    in->fp = f->in.fp;
}

static bool fold_choice(struct fold *f)
{
    bool any = false;
    struct px_ir_opd sources[2];
    for (unsigned k = 0; k < 2; k++) {
        struct signs signs;
        sources[k] = f->o[k + 1];
        if (!made_by_signs(f, &f->o[k + 1], &sources[k], &signs)) continue;
        sources[k] = read_as(with_signs(f, sources[k], signs), PX_IR_COPIED);
        any = true;
    }
    if (any) add_again(f, sources, 2);
    return any;
}

/* The sign of f64 as abs or neg sets it. */
static struct px_ir_opd add_sign(struct fold *f, enum px_result result, struct px_ir_opd source, bool last)
{
    const struct px_ir_opd o[2] = {last ? f->o[0] : new_temp(f, PX_T_F64), read_as(source, PX_IR_BITS)};
    add_statement(f, result, PX_T_F64, o, 2);
    return o[0];
}

/* abs and neg of f64 leave a NaN as it is, with its sign. */
static bool fold_widening(struct fold *f)
{
    struct px_ir_opd at;
    struct signs signs;
    if (!made_by_signs(f, &f->o[1], &at, &signs)) return false;
    const struct px_ir_opd to = f->o[0];
    if (signs.magnitude || signs.negation) f->o[0] = new_temp(f, PX_T_F64);
    const struct px_ir_opd wide = f->o[0];
    add_again(f, &at, 1);
    f->o[0] = to;
    at = wide;
    if (signs.magnitude) at = add_sign(f, PX_RESULT_magnitude, at, !signs.negation);
    if (signs.negation) add_sign(f, PX_RESULT_negation, at, true);
    return true;
}

/* A scalar was put into a row for the instruction that goes: that goes, too, unless it is what is kept. */
static void drop_rows(struct fold *f, unsigned kept)
{
    while (f->rewriting && f->edit.out.n) {
        const struct px_ir_inst *last = &f->edit.out.at[f->edit.out.n - 1];
        const struct px_ir_opd *to = px_ir_opds(f->f, last);
        const bool row = last->op == PX_IR_COPY && last->origin == f->in.origin && f->f->regs.at[to->at].temp;
        if (!row || to->at == f->o[kept].at) return;
        px_ir_edit_drop(&f->edit);
    }
}

/* Says whether something else was appended. */
static bool rewrite(struct fold *f)
{
    const unsigned kept = kept_operand(f->d, f->index);
    if (f->in.ndst != 1 || f->in.nopds > 4 || f->o[0].kind != PX_IR_REG) return false;
    if (chooses_itself(f)) return add_move(f, f->o[0], f->o[1]), true;
    if (kept && f->o[kept].kind == PX_IR_REG) {
        drop_rows(f, kept);
        return add_move(f, f->o[0], f->o[kept]), true;
    }
    if (made_by(f->d, &f->in) == MADE_NEG) return fold_negation(f);
    if (chooses_floats(f->d, &f->in)) return fold_choice(f);
    if (widens(f->d, &f->in)) return fold_widening(f);
    if (is_flushing(&f->in, PX_RESULT_reciprocal)) return fold_reciprocal(f, 1);
    return is_flushing(&f->in, PX_RESULT_quotient) && fold_reciprocal(f, 2);
}

/* The operand that the instruction gives on; 0: none. */
static unsigned copied_operand(struct fold *f)
{
    unsigned source;
    if (f->d->guarded[f->index]) return 0;
    if (chooses_itself(f)) return 1;
    const bool move = f->in.op == PX_IR_COPY && px_contract_role(f->d, f->index, &source) == PX_ROLE_COPY;
    return move ? source : kept_operand(f->d, f->index);
}

/* What the registers hold behind this instruction, as written or as it was rewritten. */
static void note(struct fold *f, bool folded)
{
    const enum made made = folded ? MADE_OTHERWISE : made_by(f->d, &f->in);
    const unsigned copied = copied_operand(f), source = copied ? copied : 1;
    const struct px_ir_opd *from = &f->o[source], *to = &f->o[0];
    const bool has = (copied || made) && f->in.nopds > source && is_known(f, from);
    const uint32_t value = has ? value_of(f, from->at) : PX_NONE32;
    write_over(f);
    if (value == PX_NONE32 || f->d->guarded[f->index] || !is_known(f, to)) return;
    if (copied) {
        give(f, to->at, value);
        return;
    }
    f->origins.at[f->value[to->at]] =
        (struct origin){made, (enum px_type)to->type, value, from->at, f->index, f->now, 0, 0};
    if (made == MADE_EX2) note_exponential(f, f->value[to->at]);
}

static void save_source(struct fold *f)
{
    struct found *found = &f->found[f->index];
    if (!found->save || f->d->guarded[f->index]) return;
    const struct px_ir_opd saved = px_ir_edit_register(f->f, px_contract_type(f->d, &f->in), false);
    found->saved = saved.at;
    add_move(f, saved, f->o[1]);
}

/* ---- the function ---- */

/* Most functions have nothing of all this. */
static bool worth_it(const struct px_body *d)
{
    unsigned negations = 0, magnitudes = 0, reciprocals = 0;
    for (uint32_t i = 0; i < d->f->insts.n; i++) {
        const struct px_ir_inst *in = px_body_inst(d, i);
        const enum made made = made_by(d, in);
        if (is_flushing(in, PX_RESULT_quotient) && reciprocals) return true;
        reciprocals += made == MADE_RCP || made == MADE_EX2;
        negations += made == MADE_NEG;
        magnitudes += made == MADE_ABS;
        if ((negations || magnitudes) && (chooses_floats(d, in) || widens(d, in))) return true;
        if (negations > 1 || reciprocals > 1 || is_choice(d, in) || kept_operand(d, i)) return true;
    }
    return false;
}

static void look(struct fold *f, uint32_t i)
{
    const struct px_ir_inst *in = px_body_inst(f->d, i);
    f->index = i;
    f->in = *in;
    memset(f->o, 0, sizeof f->o);
    memcpy(f->o, px_ir_opds(f->f, in), (in->nopds < 4 ? in->nopds : 4) * sizeof *f->o);
}

static void walk(struct fold *f, bool rewriting)
{
    f->rewriting = rewriting;
    f->now = 1;
    f->origins.n = f->exponentials.n = 0;
    memset(f->target, 0, (f->nregs + 1) * sizeof *f->target);
    if (rewriting) px_ir_edit_begin(&f->edit, f->f);
    for (uint32_t i = 0; i < f->f->insts.n; i++) {
        if (f->d->targets[i]) pass_target(f);
        look(f, i);
        if (rewriting) px_ir_edit_at(&f->edit, i), save_source(f);
        if (!rewriting && !copied_operand(f)) count_reads(f);
        const bool other = rewrite(f);
        f->any |= other;
        if (rewriting && !other) px_ir_edit_keep(&f->edit, &f->in);
        note(f, other);
    }
    if (rewriting) px_ir_edit_end(&f->edit);
}

/* Is there an instruction of floats with a result that any of this asks for? */
static bool concerns(const struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        if (px_ir_kind_of(in->op) != PX_IR_STATEMENT && in->op != PX_IR_UNIT) continue;
        switch (px_ir_result(in)) {
        case PX_RESULT_product:
        case PX_RESULT_quotient:
        case PX_RESULT_full_quotient:
        case PX_RESULT_reciprocal:
        case PX_RESULT_exponential:
        case PX_RESULT_negation:
        case PX_RESULT_magnitude:
        case PX_RESULT_minimum:
        case PX_RESULT_maximum:
            if (px_type_info((enum px_type)px_ir_opds(f, in)->type)->klass == PX_TC_FLOAT) return true;
            break;
        default: break;
        }
    }
    return false;
}

void px_ir_fold(struct px_irfn *f)
{
    struct px_body d;
    bool contracts;
    if (f->coder->wishes.approx_exact || !px_contract_asked(f, &contracts) || !concerns(f)) return;
    px_contract_body(&d, f, contracts);
    if (!worth_it(&d)) return;
    struct fold fold = {.d = &d,
                        .f = f,
                        .nregs = f->regs.n,
                        .value = PX_NEW_N(d.arena, uint32_t, f->regs.n + 1),
                        .target = PX_NEW_N(d.arena, uint32_t, f->regs.n + 1),
                        .found = PX_NEW_N(d.arena, struct found, f->insts.n + 1)};
    walk(&fold, false);
    if (fold.any) walk(&fold, true);
}
