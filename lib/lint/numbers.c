/*
 * numbers.c - follows constants and addresses of variables through the arithmetic that makes addresses.
 *
 * What is known of a node only ever gets less: another write of the register joins, which leaves the low bits
 * that both have in common. So each node changes at most as often as there are bits, and a counter in a loop
 * ends as a multiple of its step.
 */
#include "lint/numbers.h"
#include "match/match.h"

struct solver {
    struct px_lint_numbers *n;
    uint32_t *queue, nqueue; /* items to look at again */
    bool *queued;
};

static const struct px_lint_number anything = {.seen = true};

/* ---- values ---- */

static uint64_t low_mask(unsigned bits)
{
    return bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

static unsigned zeros(uint64_t value)
{
    return value ? (unsigned)__builtin_ctzll(value) : 64;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static struct px_lint_number make(const struct px_symbol *symbol, uint64_t value, unsigned bits)
{
    if (bits > 64) bits = 64;
    return (struct px_lint_number){symbol, value & low_mask(bits), (uint8_t)bits, true};
}

static struct px_lint_number join(struct px_lint_number a, struct px_lint_number b)
{
    if (!a.seen) return b;
    if (!b.seen) return a;
    if (a.symbol != b.symbol) return anything;
    return make(a.symbol, a.value, least(least(a.bits, b.bits), zeros(a.value ^ b.value)));
}

static uint64_t sign_extend(uint64_t value, unsigned width)
{
    const uint64_t sign = 1ull << (width - 1);
    return ((value & low_mask(width)) ^ sign) - sign;
}

/* The value in a register of `width` bits. The distance in an address may be negative. */
static struct px_lint_number cut(struct px_lint_number a, unsigned width, bool is_signed)
{
    if (!a.seen || width >= 64 || a.bits < width) return a;
    a.value = a.symbol || is_signed ? sign_extend(a.value, width) : a.value & low_mask(width);
    a.bits = PX_LINT_EXACT;
    return a;
}

/* ---- arithmetic ---- */

static struct px_lint_number add(struct px_lint_number a, struct px_lint_number b)
{
    if (a.symbol && b.symbol) return anything;
    return make(a.symbol ? a.symbol : b.symbol, a.value + b.value, least(a.bits, b.bits));
}

static struct px_lint_number subtract(struct px_lint_number a, struct px_lint_number b)
{
    if (b.symbol && a.symbol != b.symbol) return anything;
    return make(b.symbol ? NULL : a.symbol, a.value - b.value, least(a.bits, b.bits));
}

static struct px_lint_number multiply(struct px_lint_number a, struct px_lint_number b)
{
    if (a.symbol || b.symbol) return anything;
    unsigned bits = 64;
    if (a.bits < 64) bits = least(bits, a.bits + zeros(b.value));
    if (b.bits < 64) bits = least(bits, b.bits + zeros(a.value));
    if (a.bits < 64 && b.bits < 64) bits = least(bits, a.bits + b.bits);
    return make(NULL, a.value * b.value, bits);
}

static struct px_lint_number shift_left(struct px_lint_number a, struct px_lint_number by)
{
    if (a.symbol || !px_lint_is_constant(by) || by.value > 63) return anything;
    return make(NULL, a.value << by.value, a.bits + (unsigned)by.value);
}

/* Not of negative numbers, whose upper bits the type decides. */
static struct px_lint_number shift_right(struct px_lint_number a, struct px_lint_number by)
{
    if (a.symbol || !px_lint_is_constant(by) || by.value >= a.bits) return anything;
    if (a.bits == PX_LINT_EXACT && a.value >> 63) return anything;
    const unsigned lost = a.bits == PX_LINT_EXACT ? 0 : (unsigned)by.value;
    return make(NULL, a.value >> by.value, a.bits - lost);
}

static struct px_lint_number exclude(struct px_lint_number a, struct px_lint_number b)
{
    if (a.symbol || b.symbol) return anything;
    return make(NULL, a.value ^ b.value, least(a.bits, b.bits));
}

/* Bits that a constant clears are known whatever the other operand is. */
static struct px_lint_number mask(struct px_lint_number a, struct px_lint_number b)
{
    if (a.symbol || b.symbol) return anything;
    const uint64_t from_a = b.bits == 64 ? zeros(b.value & ~low_mask(a.bits)) : least(a.bits, b.bits);
    const uint64_t from_b = a.bits == 64 ? zeros(a.value & ~low_mask(b.bits)) : least(a.bits, b.bits);
    return make(NULL, a.value & b.value, (unsigned)(from_a > from_b ? from_a : from_b));
}

/* Compilers add by `or` what fits into the zeros below the alignment of a variable. */
static struct px_lint_number unite(struct px_lint_number a, struct px_lint_number b)
{
    const struct px_symbol *symbol = a.symbol ? a.symbol : b.symbol;
    const uint64_t added = a.symbol ? b.value : a.value;
    if (!symbol) return make(NULL, a.value | b.value, least(a.bits, b.bits));
    const bool fits = (a.bits == 64 && b.bits == 64 && !(a.value & b.value) && added < symbol->align);
    return fits ? add(a, b) : anything;
}

/* ---- what an instruction makes ---- */

static const struct px_type_info *type_word(const struct px_inst *inst, unsigned i)
{
    return px_type_info(px_type_of_word(inst->mods[i].name->word));
}

static bool is_integer(const struct px_type_info *type)
{
    return type->bits >= 16 && (px_type_is_integer(type) || type->klass == PX_TC_BITS);
}

static struct px_lint_number two_operands(enum px_result result, struct px_lint_number a,
                                          struct px_lint_number b)
{
    switch (result) {
    case PX_RESULT_sum: return add(a, b);
    case PX_RESULT_difference: return subtract(a, b);
    case PX_RESULT_product:
    case PX_RESULT_product_sum: return multiply(a, b);
    case PX_RESULT_left_shift: return shift_left(a, b);
    case PX_RESULT_right_shift: return shift_right(a, b);
    case PX_RESULT_intersection: return mask(a, b);
    case PX_RESULT_exclusion: return exclude(a, b);
    case PX_RESULT_union: return unite(a, b);
    case PX_RESULT_choice: return join(a, b);
    default: return anything;
    }
}

/* Operand i as the operands of .wide multiplications and sources of conversions are read. */
static struct px_lint_number read(const struct px_lint_numbers *n, uint32_t item, unsigned i,
                                  const struct px_type_info *type)
{
    const struct px_operand *operand = &n->flow->items[item].inst->opds[i];
    return cut(px_lint_number_of(n, item, operand), type->bits, type->klass == PX_TC_SIGNED);
}

static struct px_lint_number convert(const struct px_lint_numbers *n, uint32_t item)
{
    const struct px_inst *inst = n->flow->items[item].inst;
    if (inst->nmods != 2) return anything;
    const struct px_type_info *to = type_word(inst, 0), *from = type_word(inst, 1);
    if (!is_integer(to) || !is_integer(from)) return anything;
    struct px_lint_number a = read(n, item, 1, from);
    if (a.seen && from->bits < to->bits) a.bits = (uint8_t)(a.bits == 64 ? 64 : least(a.bits, from->bits));
    return cut(a, to->bits, to->klass == PX_TC_SIGNED);
}

static struct px_lint_number arithmetic(const struct px_lint_numbers *n, uint32_t item)
{
    const struct px_inst *inst = n->flow->items[item].inst;
    const enum px_result made = (enum px_result)n->flow->items[item].result;
    const bool product = made == PX_RESULT_product || made == PX_RESULT_product_sum;
    const bool wide = product && inst->nmods && inst->mods[0].name->word == PX_W_wide;
    if (inst->nopds < 3 || inst->nmods != 1u + product) return anything;
    const struct px_type_info *type = type_word(inst, product);
    if (!is_integer(type) || (product && !wide && inst->mods[0].name->word != PX_W_lo)) return anything;
    const struct px_lint_number a = read(n, item, 1, type), b = read(n, item, 2, type);
    if (!a.seen || !b.seen) return (struct px_lint_number){0};
    struct px_lint_number result = two_operands(made, a, b);
    if (made == PX_RESULT_product_sum) {
        const struct px_lint_number c = px_lint_number_of(n, item, &inst->opds[3]);
        if (!c.seen) return c;
        result = add(result, c);
    }
    return cut(result, wide ? type->bits * 2u : type->bits, type->klass == PX_TC_SIGNED);
}

static struct px_lint_number result(const struct px_lint_numbers *n, uint32_t item)
{
    const struct px_inst *inst = n->flow->items[item].inst;
    switch ((enum px_result)n->flow->items[item].result) {
    case PX_RESULT_copy: {
        if (!(px_lint_flags(&n->flow->items[item]) & PX_OPERATION_plain)) return anything;
        const struct px_type_info *type = type_word(inst, inst->nmods - 1u);
        return is_integer(type) ? read(n, item, 1, type) : anything;
    }
    case PX_RESULT_generic:
    case PX_RESULT_window: {
        const struct px_lint_number a = px_lint_number_of(n, item, &inst->opds[1]);
        return a.symbol || !a.seen ? a : anything;
    }
    case PX_RESULT_conversion: return convert(n, item);
    default: return arithmetic(n, item);
    }
}

struct px_lint_number px_lint_number_of(const struct px_lint_numbers *numbers, uint32_t item,
                                        const struct px_operand *operand)
{
    const struct px_lint_item *at = &numbers->flow->items[item];
    const struct px_symbol *symbol = operand->symbol;
    if (operand->kind == PX_O_INT) return make(NULL, operand->u.i, 64);
    if (operand->kind != PX_O_NAME || operand->minus || operand->negated) return anything;
    const uint64_t offset = (uint64_t)operand->offset;
    if (symbol && (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM))
        return make(symbol, offset, 64);
    for (uint32_t r = at->first; r < at[1].first; r++) {
        const struct px_lint_ref *ref = &numbers->flow->refs[r];
        if (ref->operand != operand || ref->is_def) continue;
        const struct px_lint_number base = numbers->of[numbers->values->source[r]];
        return base.seen ? add(base, make(NULL, offset, 64)) : base;
    }
    return anything;
}

/* ---- to the fixed point ---- */

static void set(struct solver *s, uint32_t node, struct px_lint_number number)
{
    const struct px_lint_flow *flow = s->n->flow;
    const struct px_lint_values *values = s->n->values;
    struct px_lint_number *old = &s->n->of[node];
    const struct px_lint_number joined = join(*old, number);
    if (joined.seen == old->seen && joined.symbol == old->symbol && joined.bits == old->bits &&
        joined.value == old->value)
        return;
    *old = joined;
    for (uint32_t i = values->readers.first[node]; i < values->readers.first[node + 1]; i++) {
        const uint32_t item = flow->refs[values->readers.to[i]].item;
        if (!s->queued[item]) s->queue[s->nqueue++] = item;
        s->queued[item] = true;
    }
    if (node < flow->nrefs && values->last[node]) set(s, px_lint_node(flow, flow->refs[node].reg), joined);
}

static void look_at(struct solver *s, uint32_t item)
{
    const struct px_lint_flow *flow = s->n->flow;
    const struct px_lint_item *at = &flow->items[item];
    uint32_t results = 0;
    for (uint32_t r = at->first; r < at[1].first; r++) results += flow->refs[r].is_def;
    if (!results) return;
    const struct px_lint_number number = results == 1 ? result(s->n, item) : anything;
    for (uint32_t r = at->first; r < at[1].first; r++) {
        if (!flow->refs[r].is_def) continue;
        set(s, r, number);
        if (s->n->values->source[r] != PX_FLOW_NONE) set(s, r, s->n->of[s->n->values->source[r]]);
    }
}

void px_lint_numbers(struct px_lint_numbers *numbers, const struct px_lint_flow *flow,
                     const struct px_lint_values *values)
{
    struct solver s = {.n = numbers};
    const struct px_function *function = flow->function;
    *numbers = (struct px_lint_numbers){flow, values,
                                        PX_NEW_N(flow->arena, struct px_lint_number, values->nnodes + 1)};
    s.queue = PX_NEW_N(flow->arena, uint32_t, flow->nitems);
    s.queued = PX_NEW_N(flow->arena, bool, flow->nitems);
    for (unsigned i = 0; i < function->func->nparams; i++) {
        if (function->params[i]->kind != PX_SYM_REG) continue;
        const uint32_t symbol = function->params[i]->index;
        for (uint32_t r = flow->reg_base[symbol]; r < flow->reg_base[symbol + 1]; r++)
            set(&s, px_lint_node(flow, r), anything);
    }
    for (uint32_t i = 0; i < flow->nitems; i++) look_at(&s, i);
    while (s.nqueue) {
        const uint32_t item = s.queue[--s.nqueue];
        s.queued[item] = false;
        look_at(&s, item);
    }
}
