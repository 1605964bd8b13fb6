/*
 * inst_opds.c - operands against the types that the form gives them.
 *
 * Registers match by class and width: integer types take any integer or bit
 * register of their width, bit types any register, floating-point types their
 * own or a bit register. Loads, stores and conversions take wider ones. Half
 * and packed formats live in bit registers.
 */
#include "check/inst.h"
#include <string.h>

struct state {
    const struct ptx_module *module;
    const struct px_match *match;
    const struct px_inst *inst;
    struct px_fault *fault;
    unsigned argument;
};

static bool fail(struct state *s, enum px_fault_kind kind, const struct px_operand *operand, const struct px_opd *opd)
{
    *s->fault = (struct px_fault){kind, s->argument, operand, opd};
    return false;
}

/* ---- registers ---- */

static bool is_integer(enum px_type_class klass)
{
    return klass == PX_TC_UNSIGNED || klass == PX_TC_SIGNED;
}

/* May a register of type `reg` hold a value of `type`? `flags` are those of the operand. */
static bool register_fits(enum px_type type, enum px_type reg, uint32_t flags, bool element)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(reg);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED)
        return t->klass == r->klass;
    if (reg == type)
        return true;
    bool wide = flags & PX_OF_WIDER && r->bits > t->bits;
    if (r->bits != t->bits && !wide)
        return false;
    if (t->klass == PX_TC_BITS && t->declarable)
        return true;
    if (is_integer((enum px_type_class)t->klass) && t->declarable)
        return r->klass == PX_TC_BITS || is_integer((enum px_type_class)r->klass) || reg == PX_T_F16X2;
    if (type == PX_T_U16X2 || type == PX_T_S16X2)
        return reg == PX_T_B32 || reg == PX_T_F16X2;
    if (t->declarable && element && flags & PX_OF_WIDER && !wide && is_integer((enum px_type_class)r->klass))
        return true;
    return r->klass == PX_TC_BITS && (t->declarable || reg == t->reg);
}

static bool reads_special(const struct px_match *match)
{
    for (unsigned i = 0; i < px_form_opds(match->form, NULL); i++)
        if (px_form_opd(match->form, i)->flags & PX_OF_SREG)
            return true;
    return false;
}

static bool special_register(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type,
                             const struct px_sreg *sreg)
{
    const struct px_type_info *t = px_type_info(type), *r = px_type_info(sreg->type);
    if (opd->flags & PX_OF_DST)
        return fail(s, reads_special(s->match) ? PX_FAULT_SREG_WRITE : PX_FAULT_SREG, o, opd);
    if (!(opd->flags & PX_OF_SREG) || t->klass == PX_TC_FLOAT)
        return fail(s, PX_FAULT_SREG, o, opd);
    if (sreg->components > 1 && !o->has_selector)
        return fail(s, PX_FAULT_SIZE, o, opd);
    if (t->klass == PX_TC_PRED || r->klass == PX_TC_PRED)
        return t->klass == r->klass || fail(s, PX_FAULT_MISMATCH, o, opd);
    bool narrow = sreg->components > 1 ? t->bits == 16 : sreg->op == PX_SR_gridid && t->bits < 64;
    return t->bits == r->bits || narrow || fail(s, PX_FAULT_MISMATCH, o, opd);
}

/* ---- names ---- */

static bool register_name(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element)
{
    const struct px_symbol *symbol = o->symbol;
    bool component = o->has_selector && symbol->vec > 1;
    bool foreign = o->has_selector && !component && !o->selector; /* selector.c has complained */
    if (o->has_selector && !component && !foreign && !(opd->flags & PX_OF_SELECTOR))
        return fail(s, PX_FAULT_SELECTOR, o, opd);
    if (o->has_selector && !component && !foreign && !px_selector_fits(o->selector, opd->step))
        return fail(s, PX_FAULT_SELECTOR_VIDEO, o, opd);
    if (symbol->vec > 1 && !component)
        return fail(s, PX_FAULT_VECTOR, o, opd);
    if (opd->flags & PX_OF_WIDTH3264 && px_type_info(symbol->type)->bits == 32 && register_fits(PX_T_U32, symbol->type, 0, element))
        return true;
    return register_fits(type, symbol->type, opd->flags, element) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

/* The address of a variable or function as a value. */
static bool address_name(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (opd->flags & PX_OF_VAR && px_type_info(o->symbol ? o->symbol->type : 0)->klass == PX_TC_OPAQUE && t->bits < 64)
        return fail(s, PX_FAULT_HANDLE, o, opd);
    if (!(opd->flags & PX_OF_VAR))
        return fail(s, PX_FAULT_MUST_REGISTER, o, opd);
    if (t->klass != PX_TC_BITS && !is_integer((enum px_type_class)t->klass))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return t->bits >= 16 || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool constant(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type);

static bool name_operand(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element)
{
    const struct px_sreg *sreg = o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (o->symbol) {
        switch (o->symbol->kind) {
        case PX_SYM_REG: return register_name(s, opd, o, type, element);
        case PX_SYM_VAR: case PX_SYM_PARAM: case PX_SYM_FUNC: case PX_SYM_ENTRY: return address_name(s, opd, o, type);
        default: return fail(s, PX_FAULT_ILLEGAL, o, opd);
        }
    }
    if (sreg)
        return special_register(s, opd, o, type, sreg);
    if (o->u.name->word == PX_W_WARP_SZ)
        return constant(s, opd, o, type);
    return fail(s, PX_FAULT_MISMATCH, o, opd);
}

/* ---- constants ---- */

static bool in_range(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    int64_t v = (int64_t)o->u.i;
    if (!(opd->flags & PX_OF_RANGE) || o->kind != PX_O_INT)
        return true;
    if (opd->step < 0 && (v <= 0 || v & (v - 1)))
        return fail(s, PX_FAULT_POWER, o, opd);
    if (v < opd->lo || v > opd->hi)
        return fail(s, PX_FAULT_RANGE, o, opd);
    return opd->step <= 1 || (v - opd->lo) % opd->step == 0 || fail(s, PX_FAULT_MULTIPLE, o, opd);
}

double px_operand_value(const struct px_operand *o)
{
    double d;
    float f;
    uint32_t bits = (uint32_t)o->u.i;
    memcpy(&d, &o->u.i, sizeof d);
    memcpy(&f, &bits, sizeof f);
    return o->kind == PX_O_F32 ? f : d;
}

static bool constant(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (opd->flags & PX_OF_DST)
        return fail(s, PX_FAULT_RESULT, o, opd);
    if (type != PX_T_NONE && (!(opd->flags & PX_OF_IMM) || !px_type_takes_constant(type)))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (o->kind == PX_O_F32 || o->kind == PX_O_F64) {
        double x = px_operand_value(o);
        if (opd->flags & PX_OF_RANGE && !(x > (double)opd->lo && x <= (double)opd->hi))
            return fail(s, PX_FAULT_RANGE, o, opd);
        unsigned bits = o->kind == PX_O_F32 ? 32 : 64;
        bool fits = type == PX_T_F32 || type == PX_T_F64 || (t->klass == PX_TC_BITS && t->bits == bits);
        return fits || fail(s, PX_FAULT_MISMATCH, o, opd);
    }
    if (t->klass == PX_TC_FLOAT)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return in_range(s, opd, o);
}

/* ---- scalars and vectors ---- */

static bool scalar(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type, bool element)
{
    if (o->negated && (type != PX_T_PRED || !(opd->flags & PX_OF_NEG)))
        return fail(s, PX_FAULT_NOT, o, opd);
    if (o->minus && !(opd->flags & PX_OF_MINUS))
        return fail(s, PX_FAULT_MINUS, o, opd);
    switch (o->kind) {
    case PX_O_NAME: return name_operand(s, opd, o, type, element);
    case PX_O_INT: case PX_O_F32: case PX_O_F64: case PX_O_EXPR:
        if (element && o->kind == PX_O_INT && !(opd->flags & PX_OF_DST) && !px_type_takes_constant(type))
            return true; /* a packed format's bits, in braces */
        return constant(s, opd, o, type);
    case PX_O_SINK:
        return (opd->flags & PX_OF_SINK && (element || !opd->by_vec || !(opd->flags & PX_OF_WIDER))) || fail(s, PX_FAULT_SINK, o, opd);
    case PX_O_VEC:
        if (o->n == 1 && (opd->by_vec || opd->tkind == 3) && s->inst->opcode->word != PX_W_multimem)
            return scalar(s, opd, &o->u.list[0], type, true);
        return fail(s, opd->by_vec ? PX_FAULT_SIZE : PX_FAULT_VECTOR, o, opd);
    case PX_O_PAIR: return fail(s, PX_FAULT_PAIR, o, opd);
    case PX_O_ADDR: return fail(s, PX_FAULT_MUST_REGISTER, o, opd);
    case PX_O_INDEX: return address_name(s, opd, o, type);
    default: return fail(s, PX_FAULT_MISMATCH, o, opd);
    }
}

/* ptxas's complaint about registers that do not go together in one vector; NONE when they do. */
static enum px_fault_kind mixture(const struct px_operand *o)
{
    const struct px_type_info *first = NULL;
    for (uint16_t i = 0; i < o->n; i++) {
        const struct px_symbol *r = o->u.list[i].symbol;
        if (!r || r->kind != PX_SYM_REG)
            continue;
        const struct px_type_info *t = px_type_info(r->type);
        if (!first)
            first = t;
        else if (t->bits != first->bits)
            return PX_FAULT_WIDTHS;
        else if ((t->klass == PX_TC_FLOAT) != (first->klass == PX_TC_FLOAT) && t->klass != PX_TC_BITS && first->klass != PX_TC_BITS)
            return PX_FAULT_CLASSES;
    }
    return PX_FAULT_NONE;
}

/* Do all elements have one type (an array index differs from the coordinates)? */
static bool uniform(const struct state *s, const struct px_opd *opd, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (px_match_elem(s->match, opd, i) != px_match_elem(s->match, opd, 0))
            return false;
    return true;
}

static bool all_sinks(const struct px_operand *o)
{
    for (uint16_t i = 0; i < o->n; i++)
        if (o->u.list[i].kind != PX_O_SINK)
            return false;
    return o->n > 0;
}

static bool vector_register(struct state *s, const struct px_opd *opd, const struct px_operand *o, unsigned count)
{
    const struct px_symbol *r = o->symbol;
    enum px_type type = px_match_elem(s->match, opd, 0);
    if (r->vec != count)
        return fail(s, PX_FAULT_SIZE, o, opd);
    return register_fits(type, r->type, opd->flags, true) || fail(s, PX_FAULT_MISMATCH, o, opd);
}

static bool vector(struct state *s, const struct px_opd *opd, const struct px_operand *o, unsigned count)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG && o->symbol->vec > 1 && !o->has_selector)
        return vector_register(s, opd, o, count);
    if (o->kind == PX_O_NAME && !o->symbol && opd->flags & PX_OF_SREG && !o->has_selector) {
        const struct px_sreg *sreg = px_sreg_of_word(o->u.name->word);
        return (sreg && sreg->components == count) || fail(s, PX_FAULT_SIZE, o, opd);
    }
    if (o->kind != PX_O_VEC) {
        bool by_vec = opd->by_vec && opd->flags & PX_OF_DST;
        return fail(s, by_vec ? PX_FAULT_RESULT_VECTOR : opd->by_vec ? PX_FAULT_MISMATCH : PX_FAULT_VECTOR_NEEDED, o, opd);
    }
    if (o->n != count)
        return fail(s, o->n == 3 ? PX_FAULT_ILLEGAL_SIZE : PX_FAULT_SIZE, o, opd);
    enum px_fault_kind mixed = uniform(s, opd, count) ? mixture(o) : PX_FAULT_NONE;
    if (all_sinks(o) || mixed)
        return fail(s, mixed ? mixed : PX_FAULT_SINKS, o, opd);
    for (uint16_t i = 0; i < o->n; i++)
        if (!scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

static bool value(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (!px_match_opd_type(s->match, opd, &type, &count))
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return count ? vector(s, opd, o, count) : scalar(s, opd, o, type, false);
}

/* ---- addresses ---- */

static bool base_register(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type_class klass = (enum px_type_class)px_type_info(o->symbol->type)->klass;
    if (klass != PX_TC_BITS && !is_integer(klass))
        return fail(s, PX_FAULT_ADDRESS_TYPE, o, opd);
    return px_type_info(o->symbol->type)->bits <= 64 || fail(s, PX_FAULT_ADDRESS_WIDTH, o, opd);
}

static bool base_variable(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = px_match_space(s->match, opd);
    if (px_type_info(o->symbol->type)->klass == PX_TC_OPAQUE)
        return fail(s, PX_FAULT_ILLEGAL, o, opd);
    if (space != PX_SPACE_NONE && o->symbol->space != space)
        return fail(s, PX_FAULT_ADDRESS_SPACE, o, opd);
    return true;
}

static bool address_base(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (o->kind) {
    case PX_O_NAME:
        if (!o->symbol)
            return fail(s, PX_FAULT_ILLEGAL, o, opd);
        if (o->symbol->kind == PX_SYM_REG)
            return base_register(s, opd, o);
        if (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM)
            return base_variable(s, opd, o);
        return fail(s, PX_FAULT_ILLEGAL, o, opd);
    case PX_O_INT:
        return px_match_space(s->match, opd) == PX_SPACE_LOCAL || fail(s, PX_FAULT_ADDRESS_IMM, o, opd);
    case PX_O_INDEX:
        return address_base(s, opd, &o->u.list[0]);
    default:
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    }
}

static bool address(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_space space = px_match_space(s->match, opd);
    if (o->unified && !(opd->flags & PX_OF_UNIFIED && (space == PX_SPACE_NONE || space == PX_SPACE_GLOBAL)))
        return fail(s, PX_FAULT_UNIFIED, o, opd);
    if (o->kind == PX_O_INDEX)
        return address_base(s, opd, o);
    if (o->kind != PX_O_ADDR || o->n != 1)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    return address_base(s, opd, &o->u.list[0]);
}

/* A texture, sampler or surface: an opaque variable, or a 64-bit register that holds its handle. */
static bool opaque(struct state *s, const struct px_opd *opd, const struct px_operand *o, enum px_type type)
{
    const struct px_symbol *symbol = o->symbol;
    enum px_fault_kind fault = type == PX_T_SAMPLERREF ? PX_FAULT_SAMPLER : PX_FAULT_TEX;
    if (o->kind != PX_O_NAME || !symbol)
        return fail(s, fault, o, opd);
    if (symbol->kind == PX_SYM_REG)
        return register_fits(PX_T_U64, symbol->type, 0, false) || fail(s, PX_FAULT_MISMATCH, o, opd);
    return symbol->type == type || symbol->space == PX_SPACE_TEX || fail(s, fault, o, opd);
}

static bool independent_mode(const struct ptx_module *module)
{
    return module && module->texmode_independent;
}

/* Coordinates may always be four; what the geometry does not use is ignored. */
static bool coordinates(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    enum px_type type;
    unsigned count;
    if (opd->tkind != 3 || o->kind != PX_O_VEC || o->n != 4 || !px_match_opd_type(s->match, opd, &type, &count) || count >= 4)
        return value(s, opd, o);
    for (uint16_t i = 0; i < 4; i++)
        if (!scalar(s, opd, &o->u.list[i], px_match_elem(s->match, opd, i), true))
            return false;
    return true;
}

/* [map, {c}], [tex, c], [tex, sampler, c]: a name or handle, then the parts. */
static bool tuple(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    unsigned sampler = opd->flags & PX_OF_SAMPLER && o->n == opd->nparts + 2u;
    enum px_type type = opd->kind == PX_OK_TEXADDR ? px_match_elem(s->match, opd, 0) : PX_T_NONE;
    if (o->kind == PX_O_INDEX && !opd->nparts)
        return opaque(s, opd, &o->u.list[0], type);
    if (o->kind != PX_O_ADDR || o->n != opd->nparts + 1u + sampler)
        return fail(s, PX_FAULT_MISMATCH, o, opd);
    if (opd->kind == PX_OK_TENSOR ? !address_base(s, opd, &o->u.list[0]) : !opaque(s, opd, &o->u.list[0], type))
        return false;
    if (sampler && !opaque(s, opd, &o->u.list[1], PX_T_SAMPLERREF))
        return false;
    if (opd->flags & PX_OF_SAMPLER && !sampler && independent_mode(s->module))
        return fail(s, PX_FAULT_SAMPLER, o, opd);
    for (unsigned i = 0; i < opd->nparts; i++) {
        const struct px_opd *part = px_form_part(s->match->form, (unsigned)opd->part_first + i);
        if (!coordinates(s, part, &o->u.list[i + 1 + sampler]))
            return false;
    }
    return true;
}

/* ---- labels ---- */

static bool label(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->negated || o->minus)
        return fail(s, o->negated ? PX_FAULT_NOT : PX_FAULT_MINUS_LABEL, o, opd);
    if (o->kind != PX_O_NAME)
        return fail(s, PX_FAULT_LABEL, o, opd);
    if (!o->symbol) /* an unknown name is reported elsewhere */
        return o->u.name->text[0] != '%' || !px_sreg_of_word(o->u.name->word) || fail(s, PX_FAULT_SREG, o, opd);
    switch (o->symbol->kind) {
    case PX_SYM_LABEL:
        return (opd->lo == 0 && !o->has_offset) || fail(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    case PX_SYM_BRANCH_TARGETS:
        return opd->lo == 1 || fail(s, PX_FAULT_LABEL, o, opd);
    case PX_SYM_PROTO: case PX_SYM_CALL_TARGETS:
        return opd->lo == 2 || fail(s, opd->lo ? PX_FAULT_TABLE : PX_FAULT_LABEL, o, opd);
    default:
        return fail(s, PX_FAULT_LABEL, o, opd);
    }
}

/* ---- all operands ---- */

static bool pair(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    if (o->kind != PX_O_PAIR)
        return opd->flags & PX_OF_PAIR_OPTIONAL ? value(s, opd, o) : fail(s, PX_FAULT_PAIR_NEEDED, o, opd);
    const struct px_opd *partner = px_form_part(s->match->form, (unsigned)opd->partner);
    return value(s, opd, &o->u.list[0]) && value(s, partner, &o->u.list[1]);
}

static bool one(struct state *s, const struct px_opd *opd, const struct px_operand *o)
{
    switch (opd->kind) {
    case PX_OK_ADDR: return address(s, opd, o);
    case PX_OK_TEXADDR: case PX_OK_TENSOR: return tuple(s, opd, o);
    case PX_OK_LABEL: return label(s, opd, o);
    case PX_OK_FUNC: return o->kind == PX_O_NAME || fail(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_LIST: return o->kind == PX_O_LIST || fail(s, PX_FAULT_MISMATCH, o, opd);
    case PX_OK_OTHER: return o->kind == PX_O_SINK || fail(s, PX_FAULT_SINK_NEEDED, o, opd);
    case PX_OK_IMM:
        if (o->kind != PX_O_INT && o->kind != PX_O_EXPR && (o->kind != PX_O_NAME || o->u.name->word != PX_W_WARP_SZ))
            return fail(s, PX_FAULT_MISMATCH, o, opd);
        return value(s, opd, o);
    default:
        return opd->flags & PX_OF_PAIR ? pair(s, opd, o) : value(s, opd, o);
    }
}

bool px_inst_operands(const struct ptx_module *module, const struct px_match *match, const struct px_inst *inst,
                      struct px_fault *fault)
{
    struct state s = {module, match, inst, fault, 0};
    for (; s.argument < inst->nopds; s.argument++)
        if (!one(&s, px_match_opd(match, s.argument), &inst->opds[s.argument]))
            return false;
    return true;
}
