/*
 * contract_role.c - what an instruction is to the contraction of products and sums.
 *
 * Everything here is a fact about ptxas 13.0 for sm_90, found by reading the code
 * that it makes of small texts (tests/hw/fmad, docs/fidelity.md).
 */
#include "code/ir/contract.h"

uint32_t px_contract_register(const struct px_body *d, const struct px_operand *o)
{
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG || o->has_selector)
        return PX_NONE32;
    return px_code_reg(d->f, o->symbol->index)->vec > 1 ? PX_NONE32 : o->symbol->index;
}

/* ---- constants ---- */

static bool is_number(const struct px_operand *o)
{
    return o->kind == PX_O_F32 || o->kind == PX_O_F64;
}

static bool is_literal(const struct px_operand *o)
{
    return is_number(o) || o->kind == PX_O_INT;
}

bool px_contract_moves(const struct px_term *item)
{
    return item->kind->result == PX_RESULT_copy && px_op_flags(item->kind->op) & PX_OPF_plain;
}

bool px_contract_divides(const struct px_term *item)
{
    return item->kind->result == PX_RESULT_quotient || item->kind->result == PX_RESULT_full_quotient;
}

static bool plain_move(const struct px_term *item)
{
    return px_contract_moves(item) && item->inst->nopds == 2 && !item->inst->guard;
}

void px_contract_constants(struct px_body *d)
{
    uint32_t n = px_body_registers(d) + 1;
    d->defs = PX_NEW_N(d->arena, uint8_t, n);
    d->constants = PX_NEW_N(d->arena, const struct px_operand *, n);
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_named_list writes = px_term_writes(d, i);
        for (const struct px_named *w = writes.at; w < writes.end; w++)
            d->defs[w->reg] = d->defs[w->reg] || d->names.traits[i] & PX_TRAIT_GUARD ? 2 : 1;
    }
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_term *item = &d->items.at[i];
        if (!plain_move(item) || !is_literal(&item->inst->opds[1])) continue;
        uint32_t reg = px_contract_register(d, &item->inst->opds[0]);
        if (reg != PX_NONE32 && d->defs[reg] == 1) d->constants[reg] = &item->inst->opds[1];
    }
}

static bool constant(struct px_body *d, const struct px_operand *o, enum px_type type, uint64_t *value)
{
    const struct px_type_info *info = px_type_info(type);
    uint32_t reg = px_contract_register(d, o);
    if (reg != PX_NONE32) o = d->constants[reg];
    if (!o || !is_literal(o)) return false;
    return px_lower_value(d->f, o, info->bits == 16 ? PX_T_B16 : type, value);
}

/* 1 or -1 in a type's bits. */
static bool is_one(enum px_type type, uint64_t value, bool *minus)
{
    static const uint64_t ones[PX_T_COUNT][2] = {
        [PX_T_F32] = {0x3f800000, 0xbf800000},   [PX_T_F64] = {0x3ff0000000000000, 0xbff0000000000000},
        [PX_T_F16] = {0x3c00, 0xbc00},           [PX_T_BF16] = {0x3f80, 0xbf80},
        [PX_T_F16X2] = {0x3c003c00, 0xbc00bc00}, [PX_T_BF16X2] = {0x3f803f80, 0xbf80bf80}};
    *minus = value == ones[type][1];
    return ones[type][0] && (value == ones[type][0] || *minus);
}

bool px_contract_is_one(struct px_body *d, const struct px_operand *o, enum px_type type)
{
    uint64_t value;
    bool minus;
    return constant(d, o, type, &value) && is_one(type, value, &minus) && !minus;
}

/* ---- roles ---- */

static bool contractible(enum px_type type)
{
    return type == PX_T_F32 || type == PX_T_F64 || type == PX_T_F16 || type == PX_T_F16X2 ||
           type == PX_T_BF16 || type == PX_T_BF16X2;
}

static bool names_rounding(const struct px_term *item)
{
    return px_term_has(item, PX_W_rn) || px_term_has(item, PX_W_rz) || px_term_has(item, PX_W_rm) ||
           px_term_has(item, PX_W_rp);
}

static bool rounds_to_integer(const struct px_term *item)
{
    return px_term_has(item, PX_W_rni) || px_term_has(item, PX_W_rzi) || px_term_has(item, PX_W_rmi) ||
           px_term_has(item, PX_W_rpi);
}

/* Operands 1 to n have the type of operand 0, which is a register. */
static bool uniform(const struct px_body *d, const struct px_term *item, unsigned n)
{
    const struct px_inst *inst = item->inst;
    if (inst->nopds != n + 1 || !contractible(item->kind->match.type[0])) return false;
    if (px_contract_register(d, &inst->opds[0]) == PX_NONE32) return false;
    for (unsigned i = 1; i <= n; i++) {
        const struct px_operand *o = &inst->opds[i];
        if (item->kind->match.type[i] != item->kind->match.type[0]) return false;
        if (px_contract_register(d, o) == PX_NONE32 &&
            (px_type_info(item->kind->match.type[0])->bits == 16 || !is_number(o)))
            return false;
    }
    return true;
}

/* A multiplication: of two constants it is folded, by 1 it is a copy. */
static enum px_role role_of_mul(struct px_body *d, const struct px_term *item, unsigned *source)
{
    uint64_t value[2];
    bool is[2], minus;
    if (px_term_has(item, PX_W_sat)) return PX_ROLE_OTHER;
    for (unsigned i = 0; i < 2; i++)
        is[i] = constant(d, &item->inst->opds[i + 1], item->kind->match.type[0], &value[i]);
    if (is[0] && is[1]) return PX_ROLE_OTHER;
    for (unsigned i = 0; i < 2; i++) {
        if (!is[i] || !is_one(item->kind->match.type[0], value[i], &minus)) continue;
        *source = 2 - i;
        return minus ? PX_ROLE_NEGATION : PX_ROLE_COPY;
    }
    return PX_ROLE_PRODUCT;
}

static bool is_copy(const struct px_body *d, const struct px_term *item)
{
    const struct px_inst *inst = item->inst;
    if (inst->nopds != 2 || px_contract_register(d, &inst->opds[0]) == PX_NONE32) return false;
    uint32_t from = px_contract_register(d, &inst->opds[1]);
    if (from == PX_NONE32) return false;
    if (px_contract_moves(item))
        return px_type_info(px_code_reg(d->f, from)->type)->bits ==
               px_type_info(px_code_reg(d->f, inst->opds[0].symbol->index)->type)->bits;
    if (item->kind->result != PX_RESULT_conversion || item->kind->match.type[0] != item->kind->match.type[1])
        return false;
    return contractible(item->kind->match.type[0]) && !names_rounding(item) && !rounds_to_integer(item) &&
           !px_term_has(item, PX_W_sat);
}

bool px_contract_by_constant(struct px_body *d, const struct px_term *item)
{
    uint64_t value;
    enum px_type type = item->kind->match.type[0];
    return constant(d, &item->inst->opds[2], type, &value) ||
           (item->kind->result == PX_RESULT_product && constant(d, &item->inst->opds[1], type, &value));
}

enum px_role px_contract_role(struct px_body *d, const struct px_term *item, unsigned *source)
{
    *source = 1;
    if (item->kind->result == PX_RESULT_sum || item->kind->result == PX_RESULT_difference)
        return uniform(d, item, 2) && !names_rounding(item) ? PX_ROLE_SUM : PX_ROLE_OTHER;
    if (item->inst->guard) return PX_ROLE_OTHER;
    if (item->kind->result == PX_RESULT_product)
        return uniform(d, item, 2) && !names_rounding(item) ? role_of_mul(d, item, source) : PX_ROLE_OTHER;
    if (px_contract_divides(item) && !d->f->coder->wishes.approx_exact)
        return uniform(d, item, 2) ? PX_ROLE_PRODUCT : PX_ROLE_OTHER;
    if (item->kind->result == PX_RESULT_reciprocal)
        return uniform(d, item, 1) && !px_term_has(item, PX_W_ftz) ? PX_ROLE_SCALED : PX_ROLE_OTHER;
    if (item->kind->result == PX_RESULT_negation && uniform(d, item, 1) &&
        item->kind->match.type[0] != PX_T_BF16X2)
        return PX_ROLE_NEGATION;
    return is_copy(d, item) ? PX_ROLE_COPY : PX_ROLE_OTHER;
}

/* ---- kinds ---- */

void px_contract_facts(struct px_kind *kind)
{
    const struct px_match *match = &kind->match;
    const bool statement = px_match_handler(match) >= 0;
    kind->op = px_match_op(match);
    kind->result = px_match_result(match);
    const unsigned flags = px_op_flags(kind->op);
    kind->pure =
        flags & (PX_OPF_plain | PX_OPF_pure | PX_OPF_unit) || (statement && !px_match_has(match, PX_W_cc));
    kind->effect = !kind->pure && !px_op_loads(flags);
    kind->splits = px_match_in(match, PX_SET_routine, NULL) || px_match_in(match, PX_SET_ends_block, NULL);
}

bool px_contract_splits(const struct px_term *item)
{
    return (item->inst->guard && !item->kind->pure) || item->kind->splits;
}
