/*
 * inst_address.c - what stands in brackets: addresses, tensor maps, textures with their coordinates.
 *
 * ptxas takes integer and bit registers of any width as addresses and looks at
 * their widths only when the module is otherwise right (address.c), but for
 * instructions that it writes out as others: there the row gives the base a type.
 */
#include "check/inst_opds.h"

/* ---- addresses ---- */

/*
 * The type that the row gives the register with the address, PX_T_NONE when it gives none (an address without a mark has
 * the type of what is in memory).
 */
static enum px_type base_type(const struct px_held *s, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    bool typed = opd->flags & (PX_OF_EXACT | PX_OF_WIDER) && px_match_opd_type(s->match, opd, &type, &count);
    return typed ? type : PX_T_NONE;
}

/* Any integer register of the width, but of bits only .b32 itself; `~`: or a wider one. */
static bool base_fits(const struct px_opd *opd, enum px_type type, enum px_type reg)
{
    if (px_type_info(type)->klass == PX_TC_BITS)
        return reg == type;
    return px_register_fits(type, reg, opd->flags);
}

static bool base_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type want = base_type(s, opd), reg = (enum px_type)o->symbol->type;
    const struct px_type_info *type = px_type_info(reg);
    bool packed = reg == PX_T_F16X2 && opd->flags & PX_OF_EXACT && px_type_info(want)->bits == 32; /* as in an addition */
    if (type->klass != PX_TC_BITS && !px_is_integer((enum px_type_class)type->klass) && !packed)
        return px_unfit(s, PX_FAULT_ADDRESS_TYPE, o, opd);
    if (type->bits > 64)
        return px_unfit(s, PX_FAULT_ADDRESS_WIDTH, o, opd);
    return want == PX_T_NONE || base_fits(opd, want, reg) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

static bool base_variable(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = px_match_space(s->match, opd);
    if (px_type_info(o->symbol->type)->klass == PX_TC_OPAQUE)
        return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
    if (opd->flags & PX_OF_EXACT && px_type_info(base_type(s, opd))->bits < 64)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (space != PX_SPACE_NONE && o->symbol->space != space)
        return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return true;
}

static bool address_base(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME:
        if (!o->symbol)
            return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
        if (o->symbol->kind == PX_SYM_REG)
            return base_register(s, opd, o);
        if (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM)
            return base_variable(s, opd, o);
        return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
    case PX_O_INT:
        return px_match_space(s->match, opd) == PX_SPACE_LOCAL || px_unfit(s, PX_FAULT_ADDRESS_IMM, o, opd);
    case PX_O_INDEX:
        return address_base(s, opd, &o->u.list[0]);
    default:
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    }
}

/* The tensor map that a fence names: ptxas takes whatever can stand for 64 bits or less, and no array element. */
static bool map_address(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_operand *base = o->kind == PX_O_ADDR && o->n == 1 ? &o->u.list[0] : NULL;
    if (!base || (base->kind != PX_O_NAME && base->kind != PX_O_INT))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    const struct px_symbol *symbol = base->symbol;
    if (symbol && symbol->kind == PX_SYM_REG)
        return (px_type_info(symbol->type)->bits <= 64 && symbol->vec <= 1) || px_unfit(s, PX_FAULT_ADDRESS_WIDTH, base, opd);
    if (symbol && (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM))
        return base_variable(s, opd, base);
    return !symbol || !base->has_offset || px_unfit(s, PX_FAULT_LABEL, o, opd);
}

bool px_held_address(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (s->inst->opcode->word == PX_W_fence && px_match_has(s->match, PX_W_tensormap__generic))
        return map_address(s, opd, o);
    enum px_space space = px_match_space(s->match, opd);
    if (o->unified && !(opd->flags & PX_OF_UNIFIED && (space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL)))
        return px_unfit(s, PX_FAULT_UNIFIED, o, opd);
    if (o->kind == PX_O_INDEX)
        return address_base(s, opd, o);
    if (o->kind != PX_O_ADDR || o->n != 1)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return address_base(s, opd, &o->u.list[0]);
}

/* A texture, sampler or surface: an opaque variable, or a 64-bit register that holds its handle. */
static bool opaque(struct px_held *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    enum px_fault_kind fault = type == PX_T_SAMPLERREF ? PX_FAULT_SAMPLER : PX_FAULT_TEX;
    if (o->kind != PX_O_NAME || !symbol)
        return px_unfit(s, fault, o, opd);
    if (symbol->kind == PX_SYM_REG)
        return px_register_fits(PX_T_U64, symbol->type, 0) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return symbol->type == type || symbol->space == PX_SPACE_TEX || px_unfit(s, fault, o, opd);
}

static bool independent_mode(const struct ptx_module *module)
{
    return module && module->texmode_independent;
}

/* Coordinates may always be four; what the geometry does not use is ignored. */
static bool coordinates(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (opd->tkind != 3 || o->kind != PX_O_VEC || o->n != 4 || !px_match_opd_type(s->match, opd, &type, &count) || count >= 4)
        return px_held_value(s, opd, o);
    for (uint16_t i = 0; i < 4; i++)
        if (!px_held_scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

/* A tensor map: ptxas takes any register, and no variable in shared or local memory. `:u32=`: of that width. */
static bool tensor_base(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_symbol *base = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (base && base->kind == PX_SYM_REG)
        return !(opd->flags & PX_OF_EXACT) || px_held_scalar(s, opd, o, px_match_elem(s->match, opd, 0), true);
    if (base && (base->space == PX_SPACE_SHARED || base->space == PX_SPACE_LOCAL))
        return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return address_base(s, opd, o);
}

/* [map, {c}], [tex, c], [tex, sampler, c]: a name or handle, then the parts. */
bool px_held_tuple(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    unsigned sampler = opd->flags & PX_OF_SAMPLER && o->n == opd->nparts + 2u;
    enum px_type type = opd->kind == PX_OK_TEXADDR ? px_match_elem(s->match, opd, 0) : PX_T_NONE;
    if (o->kind == PX_O_INDEX && !opd->nparts)
        return opaque(s, opd, &o->u.list[0], type);
    if (o->kind != PX_O_ADDR || o->n != opd->nparts + 1u + sampler)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TEXADDR && o->u.list[0].has_offset && !opd->nparts)
        return px_unfit(s, o->u.list[0].symbol && o->u.list[0].symbol->kind == PX_SYM_REG ? PX_FAULT_TEX : PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TENSOR ? !tensor_base(s, opd, &o->u.list[0]) : !opaque(s, opd, &o->u.list[0], type))
        return false;
    if (sampler && !opaque(s, opd, &o->u.list[1], PX_T_SAMPLERREF))
        return false;
    if (opd->flags & PX_OF_SAMPLER && !sampler && independent_mode(s->module))
        return px_unfit(s, PX_FAULT_SAMPLER, o, opd);
    for (unsigned i = 0; i < opd->nparts; i++) {
        const struct px_opd *part = px_form_part(s->match->form, (unsigned)opd->part_first + i);
        s->coordinates = true;
        if (!coordinates(s, part, &o->u.list[i + 1 + sampler]))
            return false;
    }
    s->coordinates = false;
    return true;
}
