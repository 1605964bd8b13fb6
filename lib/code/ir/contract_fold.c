/*
 * contract_fold.c - what ptxas simplifies before it contracts, where that shows in the bits.
 *
 * Instructions that give their source become moves, so that a NaN keeps its payload: multiplication and
 * division by 1, min and max of a value and itself, two negations. A reciprocal of a reciprocal is the value
 * itself, and that of an exponential with no other reader is the exponential of the negated argument;
 * divisions multiply by it. Selections take signs off and turn them by themselves, and conversions to f64 do
 * it behind them, so that abs and neg in front of them leave a NaN its payload.
 *
 * Values are numbered from label to label: a write gives its register a new number, a move hands one on.
 * Behind a label only registers with a single definition are known. The body is walked twice: first to find
 * out who reads the exponentials and which sources are written again too early, then to rewrite; such a
 * source is kept in a register of its own, written where the value is made of it, so that it fits whatever
 * way control took.
 */
#include "match/registers.h"
#include "code/ir/contract.h"

enum made { MADE_OTHERWISE, MADE_NEG, MADE_ABS, MADE_RCP, MADE_EX2 };

/* How a value was made of another. */
struct origin {
    enum made made;
    enum px_type type;
    uint32_t value;                  /* the other */
    const struct px_operand *source; /* the register that held it */
    uint32_t item, label;            /* where */
    uint32_t exponential, at; /* the last value made of this one as MADE_EX2, and at which label; 0: none */
};

/* What the first walk found out about an item of the text. */
struct found {
    bool save;                      /* keep its source */
    uint8_t reads;                  /* of the exponential that it makes; 2: several */
    const struct px_operand *saved; /* in this register; NULL */
};

struct fold {
    struct px_body *d;
    uint32_t *value, *label; /* by register: its value, known since that label */
    struct found *found;     /* by item of the text */
    uint32_t now, index;     /* labels so far; the item */
    bool rewriting;
    PX_VEC(struct origin) origins; /* by value */
    PX_VEC(uint32_t) exponentials; /* values since the last label */
    PX_VEC(struct px_term) items;
    const struct px_term *item;
};

/* ---- values ---- */

/* Registers that folding makes have no value: their one reader stands behind. */
static bool is_known(const struct fold *f, uint32_t reg)
{
    return reg < f->d->fn->regs.n;
}

static uint32_t new_value(struct fold *f)
{
    px_vec_push(f->d->arena, &f->origins, (struct origin){MADE_OTHERWISE});
    return f->origins.n - 1;
}

static void give(struct fold *f, uint32_t reg, uint32_t value)
{
    f->value[reg] = value;
    f->label[reg] = f->now;
}

static uint32_t value_of(struct fold *f, uint32_t reg)
{
    bool lasts = f->label[reg] && f->d->defs[reg] == 1;
    if (f->label[reg] != f->now && !lasts) give(f, reg, new_value(f));
    return f->value[reg];
}

/* How an operand was made; made is MADE_OTHERWISE where that is not known. */
static struct origin origin_of(struct fold *f, const struct px_operand *o)
{
    const uint32_t reg = px_contract_register(f->d, o);
    if (reg == PX_NONE32 || !is_known(f, reg)) return (struct origin){MADE_OTHERWISE};
    const uint32_t value = value_of(f, reg);
    return f->origins.at[value];
}

/* The register that holds what a value was made of. */
static struct px_operand source_of(struct fold *f, const struct origin *origin)
{
    struct found *found = &f->found[origin->item];
    found->save |= origin->label != f->now || value_of(f, origin->source->symbol->index) != origin->value;
    return found->saved ? *found->saved : *origin->source;
}

static void count_read(void *user, const struct px_operand *o, bool is_def)
{
    struct fold *f = user;
    if (is_def) return;
    const struct origin origin = origin_of(f, o);
    if (origin.made != MADE_EX2) return;
    uint8_t *n = &f->found[origin.item].reads;
    *n = *n ? 2 : 1;
}

static void write_over(void *user, const struct px_operand *o, bool is_def)
{
    struct fold *f = user;
    if (is_def && is_known(f, o->symbol->index)) give(f, o->symbol->index, new_value(f));
}

/* Nobody knows who reads a register behind a label, unless it is written once. */
static void pass_label(struct fold *f)
{
    for (uint32_t i = 0; i < f->exponentials.n; i++) {
        const struct origin *origin = &f->origins.at[f->exponentials.at[i]];
        const struct px_operand *result = &f->d->items.at[origin->item].inst->opds[0];
        if (f->d->defs[result->symbol->index] > 1) f->found[origin->item].reads = 2;
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

static bool has_ftz(const struct px_term *item)
{
    return px_term_has(item, PX_W_ftz);
}

static bool is_flushing(const struct px_term *item, enum px_result result)
{
    return item->kind->result == result && has_ftz(item);
}

static bool is_single(enum px_type type)
{
    return type == PX_T_F32 || type == PX_T_F64 || type == PX_T_F16;
}

static enum made made_by(const struct px_term *item)
{
    enum px_type type = item->kind->match.type[0];
    if (is_flushing(item, PX_RESULT_reciprocal)) return MADE_RCP;
    if (is_flushing(item, PX_RESULT_exponential)) return MADE_EX2;
    if (item->kind->result == PX_RESULT_magnitude && type == PX_T_F32 && !has_ftz(item)) return MADE_ABS;
    if (item->kind->result != PX_RESULT_negation || has_ftz(item)) return MADE_OTHERWISE;
    return is_single(type) || type == PX_T_BF16 || type == PX_T_F16X2 ? MADE_NEG : MADE_OTHERWISE;
}

static bool is_choice(const struct px_term *item)
{
    return (item->kind->result == PX_RESULT_minimum || item->kind->result == PX_RESULT_maximum) &&
           is_single(item->kind->match.type[0]) && item->inst->nopds == 3 && !has_ftz(item) &&
           !px_term_has(item, PX_W_NaN) && !px_term_has(item, PX_W_xorsign);
}

/* min and max of a value and itself. */
static bool chooses_itself(struct fold *f)
{
    if (!is_choice(f->item)) return false;
    const struct px_operand *o = f->item->inst->opds;
    uint32_t a = px_contract_register(f->d, &o[1]), b = px_contract_register(f->d, &o[2]);
    if (a == PX_NONE32 || b == PX_NONE32) return false;
    return a == b || (f->label[a] == f->now && f->label[b] == f->now && value_of(f, a) == value_of(f, b));
}

/* The operand that a multiplication or division by 1 gives; 0: none. */
static unsigned kept_operand(struct px_body *d, const struct px_term *item)
{
    unsigned source;
    if (!d->contracts || has_ftz(item) || item->inst->guard || !is_single(item->kind->match.type[0]))
        return 0;
    if (item->kind->result == PX_RESULT_product && px_contract_role(d, item, &source) == PX_ROLE_COPY)
        return source;
    if (!px_contract_divides(item)) return 0;
    return px_contract_is_one(d, &item->inst->opds[2], PX_T_F32) ? 1 : 0;
}

/* ---- rewriting ---- */

/* Appends an instruction under the guard of the one that it stands for. */
static void add(struct fold *f, const px_word words[5], const struct px_operand *operands, uint8_t n)
{
    if (!f->rewriting) return;
    struct px_term item = px_contract_make(f->d, f->item, words, operands, n);
    struct px_inst *inst = (struct px_inst *)(uintptr_t)item.inst;
    inst->guard = f->item->inst->guard;
    inst->guard_negated = f->item->inst->guard_negated;
    px_vec_push(f->d->arena, &f->items, item);
}

static struct px_operand new_register(struct fold *f, enum px_type type)
{
    return f->rewriting ? px_make_register(f->d->f, f->item->inst, type) : f->item->inst->opds[0];
}

static void add_move(struct fold *f, const struct px_operand *to, const struct px_operand *source)
{
    unsigned bits = px_type_info(px_code_reg(f->d->f, to->symbol->index)->type)->bits;
    add(f,
        (px_word[5]){PX_W_mov, bits == 64   ? PX_W_b64
                               : bits == 32 ? PX_W_b32
                                            : PX_W_b16},
        (struct px_operand[2]){*to, *source}, 2);
}

/* ex2 of the negated source. */
static void add_exponential(struct fold *f, const struct px_operand *to, const struct px_operand *source)
{
    const struct px_operand negated = new_register(f, PX_T_F32);
    add(f, (px_word[5]){PX_W_neg, PX_W_f32}, (struct px_operand[2]){negated, *source}, 2);
    add(f, (px_word[5]){PX_W_ex2, PX_W_approx, PX_W_ftz, PX_W_f32}, (struct px_operand[2]){*to, negated}, 2);
}

/* A reciprocal, or the one in a division, whose argument was made by one or by an exponential. */
static bool fold_reciprocal(struct fold *f, unsigned of)
{
    const struct px_operand *o = f->item->inst->opds;
    const struct origin origin = origin_of(f, &o[of]);
    bool exponential = origin.made == MADE_EX2;
    if (origin.made != MADE_RCP && !exponential) return false;
    if (exponential && (!f->rewriting || f->found[origin.item].reads > 1)) {
        if (!f->rewriting) (void)source_of(f, &origin);
        return false;
    }
    struct px_operand factor = source_of(f, &origin);
    if (of == 1) {
        if (exponential)
            add_exponential(f, &o[0], &factor);
        else
            add_move(f, &o[0], &factor);
        return true;
    }
    if (exponential) {
        const struct px_operand source = factor;
        factor = new_register(f, PX_T_F32);
        add_exponential(f, &factor, &source);
    }
    add(f, (px_word[5]){PX_W_mul, PX_W_ftz, PX_W_f32}, (struct px_operand[3]){o[0], o[1], factor}, 3);
    return true;
}

static bool fold_negation(struct fold *f)
{
    const struct px_operand *o = f->item->inst->opds;
    const struct origin origin = origin_of(f, &o[1]);
    if (origin.made != MADE_NEG || origin.type != f->item->kind->match.type[0]) return false;
    const struct px_operand source = source_of(f, &origin);
    add_move(f, &o[0], &source);
    return true;
}

/* What abs and neg do to a value: first the magnitude, then its negation. */
struct signs {
    bool magnitude, negation;
};

/* Does abs or neg of f32 make the operand, or several? Of what, and which signs. */
static bool made_by_signs(struct fold *f, const struct px_operand *o, struct px_operand *source,
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
    if (last.made) *source = source_of(f, &last);
    return last.made;
}

static struct px_operand number(uint32_t value)
{
    return (struct px_operand){.kind = PX_O_INT, .u.i = value};
}

/* The source with its sign bit as it is to be, whatever the other bits say. */
static struct px_operand with_signs(struct fold *f, const struct px_operand *source, struct signs signs)
{
    if (!signs.magnitude && !signs.negation) return *source;
    const struct px_operand to = new_register(f, PX_T_F32);
    const px_word word = !signs.magnitude ? PX_W_xor : signs.negation ? PX_W_or : PX_W_and;
    add(f, (px_word[5]){word, PX_W_b32},
        (struct px_operand[3]){to, *source, number(word == PX_W_and ? 0x7fffffff : 0x80000000)}, 3);
    return to;
}

/* The item with other sources. */
static void add_again(struct fold *f, const struct px_operand *sources, unsigned n)
{
    struct px_term item = *f->item;
    struct px_inst *inst = px_copy_inst(f->d->f->coder->found, item.inst);
    memcpy(inst->opds + 1, sources, n * sizeof *sources);
    item.inst = inst;
    px_vec_push(f->d->arena, &f->items, item);
}

static bool chooses_floats(const struct px_term *item)
{
    return item->kind->result == PX_RESULT_choice && item->kind->match.type[0] == PX_T_F32;
}

static bool fold_choice(struct fold *f)
{
    bool any = false;
    struct px_operand sources[2];
    for (unsigned k = 0; k < 2; k++) {
        struct signs signs;
        sources[k] = f->item->inst->opds[k + 1];
        if (!made_by_signs(f, &f->item->inst->opds[k + 1], &sources[k], &signs)) continue;
        sources[k] = with_signs(f, &sources[k], signs);
        any = true;
    }
    if (any && f->rewriting) add_again(f, sources, 2);
    return any;
}

static bool widens(const struct px_term *item)
{
    const struct px_match *match = &item->kind->match;
    return item->kind->result == PX_RESULT_conversion && item->inst->nopds == 2 &&
           match->type[0] == PX_T_F64 && match->type[1] == PX_T_F32 && !has_ftz(item) &&
           !px_term_has(item, PX_W_sat);
}

/* One of the steps to the result, which the last one writes. */
static struct px_operand add_step(struct fold *f, const px_word words[5], const struct px_operand *source,
                                  bool last)
{
    const struct px_operand to = last ? f->item->inst->opds[0] : new_register(f, PX_T_F64);
    add(f, words, (struct px_operand[2]){to, *source}, 2);
    return to;
}

/* abs and neg of f64 leave a NaN as it is, with its sign. */
static bool fold_widening(struct fold *f)
{
    struct px_operand at;
    struct signs signs;
    if (!made_by_signs(f, &f->item->inst->opds[1], &at, &signs)) return false;
    at = add_step(f, (px_word[5]){PX_W_cvt, PX_W_f64, PX_W_f32}, &at, !signs.magnitude && !signs.negation);
    if (signs.magnitude) at = add_step(f, (px_word[5]){PX_W_abs, PX_W_f64}, &at, !signs.negation);
    if (signs.negation) add_step(f, (px_word[5]){PX_W_neg, PX_W_f64}, &at, true);
    return true;
}

/* Says whether something else was appended. */
static bool rewrite(struct fold *f)
{
    const struct px_operand *o = f->item->inst->opds;
    unsigned kept;
    if (!f->item->inst->nopds || px_contract_register(f->d, &o[0]) == PX_NONE32) return false;
    if (chooses_itself(f)) return add_move(f, &o[0], &o[1]), true;
    if ((kept = kept_operand(f->d, f->item)) && px_contract_register(f->d, &o[kept]) != PX_NONE32)
        return add_move(f, &o[0], &o[kept]), true;
    if (made_by(f->item) == MADE_NEG) return fold_negation(f);
    if (chooses_floats(f->item)) return fold_choice(f);
    if (widens(f->item)) return fold_widening(f);
    if (is_flushing(f->item, PX_RESULT_reciprocal)) return fold_reciprocal(f, 1);
    return is_flushing(f->item, PX_RESULT_quotient) && fold_reciprocal(f, 2);
}

/* The operand that the item gives on; 0: none. */
static unsigned copied_operand(struct fold *f)
{
    unsigned source;
    if (f->item->inst->guard) return 0;
    if (chooses_itself(f)) return 1;
    bool move = px_contract_moves(f->item) && px_contract_role(f->d, f->item, &source) == PX_ROLE_COPY;
    return move ? source : kept_operand(f->d, f->item);
}

/* What the registers hold behind this item, as written or as it was rewritten. */
static void note(struct fold *f, bool folded)
{
    const struct px_term *item = f->item;
    const struct px_inst *inst = item->inst;
    enum made made = folded ? MADE_OTHERWISE : made_by(item);
    unsigned copied = copied_operand(f), source = copied ? copied : 1;
    uint32_t from = inst->nopds > source ? px_contract_register(f->d, &inst->opds[source]) : PX_NONE32;
    uint32_t value = (copied || made) && from != PX_NONE32 ? value_of(f, from) : PX_NONE32;
    px_visit_registers(inst, &item->kind->match, true, write_over, f);
    if (value == PX_NONE32 || inst->guard) return;
    uint32_t to = px_contract_register(f->d, &inst->opds[0]);
    if (to == PX_NONE32) return;
    if (copied) {
        give(f, to, value);
        return;
    }
    f->origins.at[f->value[to]] =
        (struct origin){made, item->kind->match.type[0], value, &inst->opds[source], f->index, f->now, 0, 0};
    if (made == MADE_EX2) note_exponential(f, f->value[to]);
}

static void save_source(struct fold *f)
{
    struct found *found = &f->found[f->index];
    if (!found->save || f->item->inst->guard) return;
    struct px_operand *saved = PX_NEW(f->d->arena, struct px_operand);
    *saved = new_register(f, f->item->kind->match.type[0]);
    found->saved = saved;
    add_move(f, saved, &f->item->inst->opds[1]);
}

/* ---- the function ---- */

/* Most functions have nothing of all this. */
static bool worth_it(struct px_body *d)
{
    unsigned negations = 0, magnitudes = 0, reciprocals = 0;
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_term *item = &d->items.at[i];
        bool divides = is_flushing(item, PX_RESULT_quotient);
        if (divides && reciprocals) return true;
        reciprocals += is_flushing(item, PX_RESULT_reciprocal) || is_flushing(item, PX_RESULT_exponential);
        negations += made_by(item) == MADE_NEG;
        magnitudes += made_by(item) == MADE_ABS;
        if ((negations || magnitudes) && (chooses_floats(item) || widens(item))) return true;
        if (negations > 1 || reciprocals > 1 || is_choice(item) || kept_operand(d, item)) return true;
    }
    return false;
}

static bool walk(struct fold *f, const uint32_t *labels, uint32_t nlabels, bool rewriting)
{
    uint32_t label = 0;
    bool folded = false;
    f->rewriting = rewriting;
    f->now = 1;
    f->origins.n = f->exponentials.n = 0;
    memset(f->label, 0, (f->d->fn->regs.n + 1) * sizeof *f->label);
    for (uint32_t i = 0; i < f->d->items.n; i++) {
        for (; label < nlabels && labels[label] <= i; label++) pass_label(f);
        f->index = i;
        f->item = &f->d->items.at[i];
        f->d->folded[i] = f->items.n;
        if (rewriting) save_source(f);
        if (!rewriting && !copied_operand(f))
            px_visit_registers(f->item->inst, &f->item->kind->match, false, count_read, f);
        bool other = rewrite(f);
        folded |= other;
        if (rewriting && !other) px_vec_push(f->d->arena, &f->items, *f->item);
        note(f, other);
    }
    f->d->folded[f->d->items.n] = f->items.n;
    return folded;
}

void px_contract_fold(struct px_body *d, const uint32_t *labels, uint32_t nlabels)
{
    if (d->f->coder->wishes.approx_exact || !worth_it(d)) return;
    struct px_arena *arena = d->arena;
    uint32_t n = d->fn->regs.n + 1;
    struct fold f = {.d = d,
                     .value = PX_NEW_N(arena, uint32_t, n),
                     .label = PX_NEW_N(arena, uint32_t, n),
                     .found = PX_NEW_N(arena, struct found, d->items.n)};
    d->folded = PX_NEW_N(arena, uint32_t, d->items.n + 1);
    walk(&f, labels, nlabels, false);
    const bool folded = walk(&f, labels, nlabels, true);
    px_arena_drop(arena, f.found);
    px_arena_drop(arena, f.origins.at);
    px_arena_drop(arena, folded ? d->items.at : f.items.at);
    if (!folded) {
        d->folded = NULL;
        return;
    }
    d->items.at = f.items.at;
    d->items.n = f.items.n;
    d->items.cap = f.items.cap;
    px_contract_name(d);
}
