/*
 * inst_address.c - what stands in brackets: addresses, tensor maps, textures with their coordinates.
 *
 * ptxas takes integer and bit registers of any width as addresses and looks at
 * their widths only when the module is otherwise right (address.c), but for
 * instructions that it writes out as others: there the row gives the base a type.
 */
#include "match/inst_opds.h"

/* ---- addresses ---- */

/*
 * The type that the row gives the register with the address, PX_T_NONE when it gives none (an address without
 * a mark has the type of what is in memory).
 */
static enum px_type base_type(const struct px_held *s, const struct px_opd *opd)
{
    enum px_type type;
    unsigned count;
    bool typed =
        opd->flags & (PX_OPERAND_EXACT | PX_OPERAND_WIDER) && px_match_opd_type(s->match, opd, &type, &count);
    return typed ? type : PX_T_NONE;
}

/* Any integer register of the width, but of bits only .b32 itself; `~`: or a wider one. */
static bool base_fits(const struct px_opd *opd, enum px_type type, enum px_type reg)
{
    if (px_type_info(type)->klass == PX_TC_BITS) return reg == type;
    return px_register_fits(type, reg, opd->flags);
}

static bool base_register(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type want = base_type(s, opd), reg = (enum px_type)o->symbol->type;
    const struct px_type_info *type = px_type_info(reg);
    if (o->symbol->vec > 1 && !o->has_selector)
        return px_unfit(s, type->bits == 64 ? PX_FAULT_ADDRESS_WIDTH : PX_FAULT_ADDRESS_TYPE, o, opd);
    bool packed = reg == PX_T_F16X2 && opd->flags & PX_OPERAND_EXACT &&
                  px_type_info(want)->bits == 32; /* as in an addition */
    if (type->klass != PX_TC_BITS && !px_type_is_integer(type) && !packed)
        return px_unfit(s, PX_FAULT_ADDRESS_TYPE, o, opd);
    if (type->bits > 64) return px_unfit(s, PX_FAULT_ADDRESS_WIDTH, o, opd);
    return want == PX_T_NONE || base_fits(opd, want, reg) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
}

/* Constants and parameters have no generic address that an instruction could use; barriers are in shared
 * memory. */
static bool generic_variable(const struct px_held *s, const struct px_symbol *variable)
{
    if (px_held_quirk(s, PX_Q_barrier_address, NULL)) return variable->space == PX_SPACE_SHARED;
    return variable->space != PX_SPACE_CONST && variable->space != PX_SPACE_PARAM;
}

/* Where ptxas lets a surface's name pass for an address, or in a row that gives the address a type any
 * handle's. */
static bool takes_handle(const struct px_held *s, const struct px_opd *opd, const struct px_symbol *variable)
{
    if (variable->type != PX_T_SURFREF && !(opd->flags & (PX_OPERAND_EXACT | PX_OPERAND_WIDER)) &&
        opd->kind != PX_OK_TENSOR)
        return false;
    return px_held_quirk(s, PX_Q_handle_address, NULL);
}

static bool base_variable(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = px_match_space(s->match, opd);
    if (px_type_info(o->symbol->type)->klass == PX_TC_OPAQUE &&
        o->symbol->space != PX_SPACE_SHARED) /* an array there is memory */
        return takes_handle(s, opd, o->symbol) || px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
    if (space == PX_SPACE_NONE && !generic_variable(s, o->symbol))
        return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    if (opd->flags & PX_OPERAND_EXACT && px_type_info(base_type(s, opd))->bits < 64)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (space != PX_SPACE_NONE && o->symbol->space != space)
        return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return true;
}

static bool address_base(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME:
        if (!o->symbol) return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
        if (o->symbol->kind == PX_SYM_REG) return base_register(s, opd, o);
        if (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM) return base_variable(s, opd, o);
        return px_unfit(s, PX_FAULT_ILLEGAL, o, opd);
    case PX_O_INT:
        return px_match_space(s->match, opd) == PX_SPACE_LOCAL || px_unfit(s, PX_FAULT_ADDRESS_IMM, o, opd);
    case PX_O_INDEX: return address_base(s, opd, &o->u.list[0]);
    default: return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    }
}

/* The tensor map that a fence names: ptxas takes whatever can stand for 64 bits or less, and no array
 * element. */
static bool map_address(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_operand *base = o->kind == PX_O_ADDR && o->n == 1 ? &o->u.list[0] : NULL;
    if (!base || (base->kind != PX_O_NAME && base->kind != PX_O_INT))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    const struct px_symbol *symbol = base->symbol;
    if (symbol && symbol->kind == PX_SYM_REG)
        return (px_type_info(symbol->type)->bits <= 64 && symbol->vec <= 1) ||
               px_unfit(s, PX_FAULT_ADDRESS_WIDTH, base, opd);
    if (symbol && (symbol->kind == PX_SYM_VAR || symbol->kind == PX_SYM_PARAM))
        return base_variable(s, opd, base);
    return !symbol || !base->has_offset || px_unfit(s, PX_FAULT_LABEL, o, opd);
}

/*
 * `[a].unified`: an address in a register where the row says so or in second place, and the first state space
 * among the modifiers, if any, is .global.
 */
static bool unified_address(const struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = PX_SPACE_NONE;
    for (unsigned i = 0; i < px_form_slots(s->match->form) && space == PX_SPACE_NONE; i++)
        space = px_space_of_word(s->match->value[i]);
    const struct px_symbol *base = o->kind == PX_O_ADDR && o->n ? o->u.list[0].symbol : NULL;
    bool variable = base && (base->kind == PX_SYM_VAR || base->kind == PX_SYM_PARAM);
    bool second = s->argument == 1 && !px_held_quirk(s, PX_Q_first_unified, NULL);
    return (opd->flags & PX_OPERAND_UNIFIED || second) &&
           (space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL) && !variable;
}

/* `red.shared.add.u32 _, b`: ptxas takes it (and dies of it in other spaces). */
static bool takes_sink(const struct px_held *s, const struct px_opd *opd)
{
    bool shared = px_match_space(s->match, opd) == PX_SPACE_SHARED;
    return shared && px_held_quirk(s, PX_Q_sink_address, NULL);
}

/* Other bulk copies take the place of their barrier as a value of 64 bits. */
static bool barrier_value(const struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_symbol *reg =
        o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG ? o->symbol : NULL;
    if (!px_held_quirk(s, PX_Q_value_address, opd)) return false;
    return o->kind == PX_O_INT ||
           (reg && reg->vec <= 1 && px_register_fits(PX_T_U64, (enum px_type)reg->type, 0));
}

static bool bare(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->minus || o->negated) return px_unfit(s, o->minus ? PX_FAULT_MINUS : PX_FAULT_NOT, o, opd);
    bool constant = o->kind == PX_O_F32 || o->kind == PX_O_F64;
    const struct px_symbol *reg =
        o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG ? o->symbol : NULL;
    if (reg && reg->type != PX_T_PRED && (reg->vec <= 1 || o->has_selector)) return true;
    return constant || (!reg && address_base(s, opd, o)) || (reg && px_unfit(s, PX_FAULT_MISMATCH, o, opd));
}

bool px_held_address(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (!o->unified && px_held_quirk(s, PX_Q_loose_map, NULL)) return map_address(s, opd, o);
    if (o->unified && !unified_address(s, opd, o)) return px_unfit(s, PX_FAULT_UNIFIED, o, opd);
    if (o->kind == PX_O_INDEX)
        return px_held_quirk(s, PX_Q_index_address, NULL) ? address_base(s, opd, o)
                                                          : px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->kind == PX_O_SINK && takes_sink(s, opd)) return true;
    if (o->kind != PX_O_ADDR && px_held_quirk(s, PX_Q_bare_address, NULL)) /* without its brackets */
        return bare(s, opd, o);
    if (barrier_value(s, opd, o)) return true;
    if (o->kind != PX_O_ADDR || o->n != 1) return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return address_base(s, opd, &o->u.list[0]);
}

/* A texture, sampler or surface: an opaque variable, or a 64-bit register that holds its handle. */
static bool opaque(struct px_held *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    enum px_fault_kind fault = type == PX_T_SAMPLERREF ? PX_FAULT_SAMPLER : PX_FAULT_TEX;
    if (o->kind != PX_O_NAME || !symbol) return px_unfit(s, fault, o, opd);
    if (symbol->kind == PX_SYM_REG && symbol->vec > 1 && !o->has_selector)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (symbol->kind == PX_SYM_REG)
        return px_register_fits(PX_T_U64, symbol->type, 0) || px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    return symbol->type == type || symbol->space == PX_SPACE_TEX || px_unfit(s, fault, o, opd);
}

static bool is_array(const struct px_symbol *symbol)
{
    return symbol && symbol->kind == PX_SYM_VAR && symbol->u.var && symbol->u.var->ndims;
}

static bool independent_mode(const struct ptx_module *module)
{
    return module && module->texmode_independent;
}

static bool is_first_tex(const struct px_held *s)
{
    unsigned version = s->module ? s->module->tree.version : 0;
    return version && version < 12;
}

/* Coordinates of a texture may always be four; what the geometry does not use is ignored. PTX 1.0 and 1.1 ask
 * for four. */
static bool coordinates(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (s->tensor) return px_held_value(s, opd, o);
    bool function = o->symbol && (o->symbol->kind == PX_SYM_FUNC || o->symbol->kind == PX_SYM_ENTRY);
    bool packed =
        o->symbol && o->symbol->kind == PX_SYM_REG && o->symbol->type == PX_T_F16X2 && o->kind == PX_O_NAME;
    bool part = o->kind == PX_O_NAME && o->has_selector;
    if (o->kind == PX_O_INT || o->kind == PX_O_F32 || o->kind == PX_O_F64 || function || packed || part)
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (o->kind == PX_O_VEC && o->n != 4 && is_first_tex(s))
        return px_unfit(s, o->n == 1 || o->n == 2 ? PX_FAULT_SIZE : PX_FAULT_ILLEGAL_SIZE, o, opd);
    if (opd->tkind != 3 || o->kind != PX_O_VEC || o->n != 4 ||
        !px_match_opd_type(s->match, opd, &type, &count) || count >= 4)
        return px_held_value(s, opd, o);
    return px_held_vector(s, opd, o, 4);
}

/* A tensor map: ptxas takes any register, and no variable in shared or local memory. `:u32=`: of that width.
 */
static bool tensor_base(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    const struct px_symbol *base = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (base && base->kind == PX_SYM_REG && base->vec > 1 && !o->has_selector)
        return px_unfit(s, PX_FAULT_VECTOR, o, opd);
    if (base && base->kind == PX_SYM_REG)
        return !(opd->flags & PX_OPERAND_EXACT) ||
               px_held_scalar(s, opd, o, px_match_elem(s->match, opd, 0), true);
    if (base && (base->space == PX_SPACE_SHARED || base->space == PX_SPACE_LOCAL))
        return px_unfit(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return address_base(s, opd, o);
}

/* [map, {c}], [tex, c], [tex, sampler, c]: a name or handle, then the parts. */
bool px_held_tuple(struct px_held *s, const struct px_opd *opd, const struct px_operand *o)
{
    unsigned sampler = opd->flags & PX_OPERAND_SAMPLER && o->n == opd->nparts + 2u;
    enum px_type type = opd->kind == PX_OK_TEXADDR ? px_match_elem(s->match, opd, 0) : PX_T_NONE;
    if (o->kind == PX_O_INDEX && !opd->nparts) return opaque(s, opd, &o->u.list[0], type);
    if (o->kind != PX_O_ADDR || o->n != opd->nparts + 1u + sampler || (o->unified && opd->nparts))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TEXADDR && o->u.list[0].has_offset && !opd->nparts)
        return px_unfit(s,
                        o->u.list[0].symbol && o->u.list[0].symbol->kind == PX_SYM_REG ? PX_FAULT_TEX
                                                                                       : PX_FAULT_MISMATCH,
                        o, opd);
    if (opd->kind == PX_OK_TEXADDR && is_array(o->u.list[0].symbol))
        return px_unfit(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TENSOR ? !tensor_base(s, opd, &o->u.list[0])
                                  : !opaque(s, opd, &o->u.list[0], type))
        return false;
    if (sampler && !opaque(s, opd, &o->u.list[1], PX_T_SAMPLERREF)) return false;
    if (opd->flags & PX_OPERAND_SAMPLER && !sampler && independent_mode(s->module))
        return px_unfit(s, PX_FAULT_SAMPLER, o, opd);
    for (unsigned i = 0; i < opd->nparts; i++) {
        const struct px_opd *part = px_form_part(s->match->form, (unsigned)opd->part_first + i);
        s->coordinates = true;
        s->tensor = opd->kind == PX_OK_TENSOR;
        if (!coordinates(s, part, &o->u.list[i + 1 + sampler])) return false;
    }
    s->coordinates = false;
    return true;
}
