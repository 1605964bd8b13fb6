/*
 * contract_fold.c - what ptxas simplifies before it contracts, where that shows in the bits.
 *
 * Instructions that give their source become moves, so that a NaN keeps its payload: multiplication and
 * division by 1, min and max of a value and itself, two negations. A reciprocal of a reciprocal is the value
 * itself, and that of an exponential is the exponential of the negated argument; divisions multiply by it.
 *
 * Values are numbered from label to label: a write gives its register a new number, a move hands one on. What
 * was folded away may only be read where a register still holds it.
 */
#include "match/registers.h"
#include "code/contract.h"

enum made { MADE_OTHERWISE, MADE_NEG, MADE_RCP, MADE_EX2 };

/* How a value was made of another. */
struct origin {
    enum made made;
    enum px_type type;
    uint32_t value;           /* the other */
    struct px_operand source; /* the register that held it */
    uint32_t reg;             /* that the value was made in */
};

struct fold {
    struct px_body *d;
    uint32_t *value, *label; /* by register: its value, known since that label */
    uint32_t *reads;         /* by register, in the whole function */
    uint32_t now;            /* labels so far */
    PX_VEC(struct origin) origins;
    PX_VEC(struct px_term) items;
    const struct px_term *item;
};

/* ---- values ---- */

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

/* Registers that folding made have one reader, right behind. */
static bool is_known(const struct fold *f, uint32_t reg)
{
    return reg < f->d->fn->regs.n;
}

static uint32_t value_of(struct fold *f, uint32_t reg)
{
    if (f->label[reg] != f->now) give(f, reg, new_value(f));
    return f->value[reg];
}

/* How an operand was made, when what it was made of is still there; else NULL. */
static const struct origin *origin_of(struct fold *f, const struct px_operand *o)
{
    uint32_t reg = px_contract_register(f->d, o);
    if (reg == PX_NONE32) return NULL;
    const struct origin *origin = &f->origins.at[value_of(f, reg)];
    if (origin->made == MADE_OTHERWISE || value_of(f, origin->source.symbol->index) != origin->value)
        return NULL;
    return origin;
}

static void count_read(void *user, const struct px_operand *o, bool is_def)
{
    struct fold *f = user;
    if (!is_def) f->reads[o->symbol->index]++;
}

static void write_over(void *user, const struct px_operand *o, bool is_def)
{
    struct fold *f = user;
    if (is_def && is_known(f, o->symbol->index)) give(f, o->symbol->index, new_value(f));
}

/* ---- instructions ---- */

static bool has_ftz(const struct px_term *item)
{
    return px_term_has(item, PX_W_ftz);
}

static bool is_flushing(const struct px_term *item, enum px_op op)
{
    return item->op == op && has_ftz(item);
}

static enum made made_by(const struct px_term *item)
{
    if (is_flushing(item, PX_OP_rcp_f32)) return MADE_RCP;
    if (is_flushing(item, PX_OP_ex2_f32)) return MADE_EX2;
    enum px_type type = item->match.type[0];
    bool single = type == PX_T_F32 || type == PX_T_F64 || type == PX_T_F16 || type == PX_T_BF16;
    return item->opcode == PX_W_neg && !has_ftz(item) && (single || type == PX_T_F16X2) ? MADE_NEG
                                                                                        : MADE_OTHERWISE;
}

static bool takes_floats(const struct px_term *item)
{
    enum px_type type = item->match.type[0];
    return px_type_info(type)->klass == PX_TC_FLOAT || type == PX_T_F16X2 || type == PX_T_BF16X2;
}

/* min and max of a value and itself. */
static bool chooses_itself(struct fold *f)
{
    const struct px_term *item = f->item;
    const struct px_operand *o = item->inst->opds;
    if ((item->opcode != PX_W_min && item->opcode != PX_W_max) || item->inst->nopds != 3 ||
        !takes_floats(item) || has_ftz(item) || px_term_has(item, PX_W_NaN) ||
        px_term_has(item, PX_W_xorsign))
        return false;
    uint32_t a = px_contract_register(f->d, &o[1]), b = px_contract_register(f->d, &o[2]);
    return a != PX_NONE32 && b != PX_NONE32 && value_of(f, a) == value_of(f, b);
}

/* The operand that a multiplication or division by 1 gives; 0: none. */
static unsigned kept_operand(struct fold *f)
{
    const struct px_term *item = f->item;
    unsigned source;
    if (has_ftz(item) || item->inst->guard || !takes_floats(item)) return 0;
    if (item->opcode == PX_W_mul && px_contract_role(f->d, item, f->d->constants, &source) == PX_ROLE_COPY)
        return source;
    if (item->op != PX_OP_div_f32 && item->op != PX_OP_divfull_f32) return 0;
    return px_contract_is_one(f->d, &item->inst->opds[2], PX_T_F32) ? 1 : 0;
}

/* ---- rewriting ---- */

/* Appends an instruction under the guard of the one that it stands for. */
static void add(struct fold *f, const px_word words[5], const struct px_operand *operands, uint8_t n)
{
    struct px_term item = px_contract_make(f->d, f->item, words, operands, n);
    struct px_inst *inst = (struct px_inst *)(uintptr_t)item.inst;
    inst->guard = f->item->inst->guard;
    inst->guard_negated = f->item->inst->guard_negated;
    px_vec_push(f->d->arena, &f->items, item);
}

static void add_move(struct fold *f, const struct px_operand *source)
{
    const struct px_operand o[2] = {f->item->inst->opds[0], *source};
    unsigned bits = px_type_info(px_code_reg(f->d->f, o[0].symbol->index)->type)->bits;
    add(f, (px_word[5]){PX_W_mov, bits == 64 ? PX_W_b64 : bits == 32 ? PX_W_b32 : PX_W_b16}, o, 2);
}

/* ex2 of the negated source. */
static void add_exponential(struct fold *f, const struct px_operand *to, const struct px_operand *source)
{
    const struct px_operand negated = px_contract_new_register(f->d, f->item, PX_T_F32);
    add(f, (px_word[5]){PX_W_neg, PX_W_f32}, (struct px_operand[2]){negated, *source}, 2);
    add(f, (px_word[5]){PX_W_ex2, PX_W_approx, PX_W_ftz, PX_W_f32}, (struct px_operand[2]){*to, negated}, 2);
}

static bool folds_reciprocal(struct fold *f, const struct px_operand *of)
{
    const struct origin *origin = origin_of(f, of);
    return origin && (origin->made == MADE_RCP || (origin->made == MADE_EX2 && f->reads[origin->reg] == 1));
}

static void add_reciprocal(struct fold *f)
{
    const struct px_operand *o = f->item->inst->opds;
    const struct origin origin = *origin_of(f, &o[1]);
    if (origin.made == MADE_RCP)
        add_move(f, &origin.source);
    else
        add_exponential(f, &o[0], &origin.source);
}

static void add_product(struct fold *f)
{
    const struct px_operand *o = f->item->inst->opds;
    const struct origin origin = *origin_of(f, &o[2]);
    struct px_operand factor = origin.source;
    if (origin.made == MADE_EX2) {
        factor = px_contract_new_register(f->d, f->item, PX_T_F32);
        add_exponential(f, &factor, &origin.source);
    }
    add(f, (px_word[5]){PX_W_mul, PX_W_ftz, PX_W_f32}, (struct px_operand[3]){o[0], o[1], factor}, 3);
}

/* Says whether something else was appended. */
static bool rewrite(struct fold *f)
{
    const struct px_inst *inst = f->item->inst;
    const struct origin *origin;
    unsigned kept;
    if (!inst->nopds || px_contract_register(f->d, &inst->opds[0]) == PX_NONE32) return false;
    if (chooses_itself(f)) return add_move(f, &inst->opds[1]), true;
    if ((kept = kept_operand(f)) && px_contract_register(f->d, &inst->opds[kept]) != PX_NONE32)
        return add_move(f, &inst->opds[kept]), true;
    if (made_by(f->item) == MADE_NEG && (origin = origin_of(f, &inst->opds[1])) && origin->made == MADE_NEG &&
        origin->type == f->item->match.type[0])
        return add_move(f, &origin->source), true;
    if (is_flushing(f->item, PX_OP_rcp_f32) && folds_reciprocal(f, &inst->opds[1]))
        return add_reciprocal(f), true;
    if (is_flushing(f->item, PX_OP_div_f32) && folds_reciprocal(f, &inst->opds[2]))
        return add_product(f), true;
    return false;
}

/* What the registers hold after the last item appended. */
static void note(struct fold *f, const struct px_term *item)
{
    const struct px_inst *inst = item->inst;
    enum made made = made_by(item);
    unsigned source = 1;
    bool copy = !inst->guard && item->op == PX_OP_mov &&
                px_contract_role(f->d, item, f->d->constants, &source) == PX_ROLE_COPY;
    uint32_t from = inst->nopds > 1 ? px_contract_register(f->d, &inst->opds[source]) : PX_NONE32;
    uint32_t value = (copy || made) && from != PX_NONE32 && is_known(f, from) ? value_of(f, from) : PX_NONE32;
    px_visit_registers(inst, &item->match, true, write_over, f);
    if (value == PX_NONE32 || inst->guard) return;
    uint32_t reg = px_contract_register(f->d, &inst->opds[0]);
    if (reg == PX_NONE32 || !is_known(f, reg)) return;
    if (copy)
        give(f, reg, value);
    else if (reg != from)
        f->origins.at[f->value[reg]] =
            (struct origin){made, item->match.type[0], value, inst->opds[source], reg};
}

/* ---- the function ---- */

/* Most functions have nothing of all this. */
static bool worth_it(struct px_body *d)
{
    unsigned negations = 0, reciprocals = 0;
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_term *item = &d->items.at[i];
        const struct px_operand *o = item->inst->opds;
        reciprocals += is_flushing(item, PX_OP_rcp_f32) || is_flushing(item, PX_OP_ex2_f32);
        negations += made_by(item) == MADE_NEG;
        if (negations > 1 || (reciprocals && is_flushing(item, PX_OP_div_f32)) || reciprocals > 1)
            return true;
        if ((item->opcode == PX_W_min || item->opcode == PX_W_max) && takes_floats(item)) return true;
        for (unsigned k = 1; k < 3 && item->inst->nopds == 3; k++)
            if ((item->opcode == PX_W_mul || item->opcode == PX_W_div) && takes_floats(item) &&
                px_contract_is_one(d, &o[k], item->match.type[0]))
                return true;
    }
    return false;
}

void px_contract_fold(struct px_body *d, const uint32_t *labels, uint32_t nlabels)
{
    if (d->f->coder->approx_exact || !worth_it(d)) return;
    struct px_arena *arena = d->arena;
    uint32_t n = d->fn->regs.n + 1, label = 0;
    struct fold f = {.d = d,
                     .value = PX_NEW_N(arena, uint32_t, n),
                     .label = PX_NEW_N(arena, uint32_t, n),
                     .reads = PX_NEW_N(arena, uint32_t, n),
                     .now = 1};
    bool folded = false;
    for (uint32_t i = 0; i < d->items.n; i++)
        px_visit_registers(d->items.at[i].inst, &d->items.at[i].match, false, count_read, &f);
    d->folded = PX_NEW_N(arena, uint32_t, d->items.n + 1);
    for (uint32_t i = 0; i < d->items.n; i++) {
        for (; label < nlabels && labels[label] <= i; label++) f.now++;
        uint32_t first = d->folded[i] = f.items.n;
        f.item = &d->items.at[i];
        if (rewrite(&f))
            folded = true;
        else
            px_vec_push(arena, &f.items, *f.item);
        for (uint32_t k = first; k < f.items.n; k++) note(&f, &f.items.at[k]);
    }
    d->folded[d->items.n] = f.items.n;
    if (!folded) {
        d->folded = NULL;
        return;
    }
    d->items.at = f.items.at;
    d->items.n = f.items.n;
    d->items.cap = f.items.cap;
    d->constants = px_contract_constants(d);
}
