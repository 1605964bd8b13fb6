/*
 * contract_role.c - what an instruction is to the contraction of products and sums.
 *
 * Everything here is a fact about ptxas 13.0 for sm_90, found by reading the code
 * that it makes of small texts (tests/hw/fmad, docs/fidelity.md).
 */
#include "code/ir/contract.h"

bool px_contract_divides(const struct px_ir_inst *in)
{
    const enum px_result result = px_ir_result(in);
    return result == PX_RESULT_quotient || result == PX_RESULT_full_quotient;
}

/* ---- constants ---- */

static bool constant(const struct px_body *d, const struct px_ir_opd *o, enum px_type type, uint64_t *value)
{
    const uint32_t at = o->kind == PX_IR_IMM ? o->at : o->kind == PX_IR_REG ? d->constants[o->at] : PX_NONE32;
    if (at == PX_NONE32) return false;
    *value = d->f->values.at[at] & UINT64_MAX >> (64 - px_type_info(type)->bits);
    return true;
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

bool px_contract_is_one(const struct px_body *d, const struct px_ir_opd *o, enum px_type type)
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

/* It rounds, or clamps: by one of the words that its statement is told by. */
static bool rounds(const struct px_ir_inst *in)
{
    static const px_word words[] = {PX_W_rn,  PX_W_rz,  PX_W_rm,  PX_W_rp, PX_W_rni,
                                    PX_W_rzi, PX_W_rmi, PX_W_rpi, PX_W_sat};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) found |= px_ir_has(in, words[i]);
    return found;
}

/* One result, n sources, all of one type; constants are of 32 or 64 bits. */
static bool uniform(const struct px_body *d, const struct px_ir_inst *in, unsigned n)
{
    const struct px_ir_opd *o = px_ir_opds(d->f, in);
    if (in->ndst != 1 || in->nopds != n + 1 || o->kind != PX_IR_REG) return false;
    if (!contractible((enum px_type)o->type)) return false;
    const bool numbers = o->type == PX_T_F32 || o->type == PX_T_F64;
    for (unsigned i = 1; i <= n; i++)
        if (o[i].type != o->type || !(o[i].kind == PX_IR_REG || (numbers && o[i].kind == PX_IR_IMM)))
            return false;
    return true;
}

/* A multiplication: of two constants it is folded, by 1 it is a copy. */
static enum px_role role_of_mul(const struct px_body *d, const struct px_ir_inst *in, unsigned *source)
{
    const struct px_ir_opd *o = px_ir_opds(d->f, in);
    const enum px_type type = (enum px_type)o->type;
    uint64_t value[2];
    bool is[2], minus;
    if (px_ir_has(in, PX_W_sat)) return PX_ROLE_OTHER;
    for (unsigned i = 0; i < 2; i++) is[i] = constant(d, &o[i + 1], type, &value[i]);
    if (is[0] && is[1]) return PX_ROLE_OTHER;
    for (unsigned i = 0; i < 2; i++) {
        if (!is[i] || !is_one(type, value[i], &minus)) continue;
        *source = 2 - i;
        return minus ? PX_ROLE_NEGATION : PX_ROLE_COPY;
    }
    return PX_ROLE_PRODUCT;
}

static bool is_copy(const struct px_body *d, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(d->f, in);
    if (in->ndst != 1 || in->nopds != 2 || o[0].kind != PX_IR_REG || o[1].kind != PX_IR_REG) return false;
    if (in->op == PX_IR_COPY) return o[0].elem == o[1].elem;
    return px_ir_result(in) == PX_RESULT_conversion && o[0].type == o[1].type &&
           contractible((enum px_type)o->type) && !rounds(in);
}

bool px_contract_by_constant(const struct px_body *d, uint32_t i)
{
    const struct px_ir_inst *in = px_body_inst(d, i);
    const struct px_ir_opd *o = px_ir_opds(d->f, in);
    uint64_t value;
    return constant(d, &o[2], (enum px_type)o->type, &value) ||
           (px_ir_result(in) == PX_RESULT_product && constant(d, &o[1], (enum px_type)o->type, &value));
}

enum px_role px_contract_role(const struct px_body *d, uint32_t i, unsigned *source)
{
    const struct px_ir_inst *in = px_body_inst(d, i);
    const bool loose = in->flags & PX_IR_INST_LOOSE, units = !d->f->coder->wishes.approx_exact;
    const enum px_result result = px_ir_result(in);
    *source = 1;
    if (result == PX_RESULT_sum || result == PX_RESULT_difference)
        return loose && uniform(d, in, 2) ? PX_ROLE_SUM : PX_ROLE_OTHER;
    if (d->guarded[i]) return PX_ROLE_OTHER;
    switch (result) {
    case PX_RESULT_product: return loose && uniform(d, in, 2) ? role_of_mul(d, in, source) : PX_ROLE_OTHER;
    case PX_RESULT_quotient:
    case PX_RESULT_full_quotient: return units && uniform(d, in, 2) ? PX_ROLE_PRODUCT : PX_ROLE_OTHER;
    case PX_RESULT_reciprocal:
        return uniform(d, in, 1) && !px_ir_flushes(in) ? PX_ROLE_SCALED : PX_ROLE_OTHER;
    case PX_RESULT_negation:
        return uniform(d, in, 1) && px_contract_type(d, in) != PX_T_BF16X2 ? PX_ROLE_NEGATION : PX_ROLE_OTHER;
    default: return is_copy(d, in) ? PX_ROLE_COPY : PX_ROLE_OTHER;
    }
}
