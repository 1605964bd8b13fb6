/*
 * inst_vector.c - the type of a vector in braces.
 *
 * ptxas gives a vector expression one type before it looks at the instruction:
 * registers, special registers and constants that stand next to each other must
 * be of one class, where bits go with everything, and all must be equally wide.
 * One element of a bit type makes the vector a vector of bits; predicates
 * count as 32 bits wide and constants have no width of their own. A variable that
 * is no array passes for a register of its type.
 */
#include "check/inst.h"

enum { PREDICATE_BITS = 32 };

struct element { enum px_type type; unsigned bits; /* 0: as wide as the others */ };

static enum px_type bits_type(unsigned bits)
{
    switch (bits) {
    case 8: return PX_T_B8;
    case 16: return PX_T_B16;
    case 32: return PX_T_B32;
    case 64: return PX_T_B64;
    default: return PX_T_B128;
    }
}

bool px_vector_variable(const struct px_operand *o)
{
    const struct px_symbol *symbol = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (!symbol || (symbol->kind != PX_SYM_VAR && symbol->kind != PX_SYM_PARAM) || o->has_offset || o->has_selector)
        return false;
    return symbol->u.var && !symbol->u.var->ndims && symbol->vec <= 1 && px_type_info(symbol->type)->klass != PX_TC_OPAQUE;
}

/* False for sinks and for what is no value of a register's kind. */
static bool element_of(const struct px_operand *o, struct element *e)
{
    const struct px_sreg *sreg;
    switch (o->kind) {
    case PX_O_INT: case PX_O_EXPR: *e = (struct element){PX_T_S32, 0}; return true;
    case PX_O_F32: *e = (struct element){PX_T_F32, 0}; return true;
    case PX_O_F64: *e = (struct element){PX_T_F64, 0}; return true;
    case PX_O_NAME: break;
    default: return false;
    }
    if (o->symbol && o->symbol->kind != PX_SYM_REG && !px_vector_variable(o))
        return false;
    if (o->symbol) {
        enum px_type type = (enum px_type)o->symbol->type;
        *e = (struct element){type, type == PX_T_PRED ? PREDICATE_BITS : px_type_info(type)->bits};
        return true;
    }
    if (o->u.name->word == PX_W_WARP_SZ) {
        *e = (struct element){PX_T_S32, 0};
        return true;
    }
    sreg = o->u.name->text[0] == '%' ? px_sreg_of_word(o->u.name->word) : NULL;
    if (!sreg)
        return false;
    e->bits = px_type_info((enum px_type)sreg->type)->bits;
    e->type = bits_type(e->bits);
    return true;
}

static enum px_type_class class_of(enum px_type type)
{
    enum px_type_class klass = (enum px_type_class)px_type_info(type)->klass;
    return klass == PX_TC_SIGNED ? PX_TC_UNSIGNED : klass;
}

static bool neighbours(enum px_type a, enum px_type b)
{
    enum px_type_class x = class_of(a), y = class_of(b);
    if (x == PX_TC_BITS || y == PX_TC_BITS)
        return true;
    return x == y && (a == PX_T_F16X2) == (b == PX_T_F16X2);
}

enum px_fault_kind px_vector_type(const struct px_operand *o, enum px_type *type)
{
    struct element e, last = {PX_T_NONE, 0};
    unsigned bits = 0;
    bool weak = false;
    *type = PX_T_NONE;
    for (uint16_t i = 0; i < o->n; i++) {
        if (!element_of(&o->u.list[i], &e))
            continue;
        if (e.bits && bits && e.bits != bits)
            return PX_FAULT_WIDTHS;
        if (last.type && !neighbours(last.type, e.type))
            return PX_FAULT_CLASSES;
        bits = e.bits ? e.bits : bits;
        weak |= class_of(e.type) == PX_TC_BITS;
        *type = *type && px_type_info(*type)->klass != PX_TC_PRED && !(e.bits && !last.bits) ? *type : e.type;
        last = e;
    }
    if (weak)
        *type = bits_type(bits);
    return PX_FAULT_NONE;
}

/* ---- video instructions ---- */

/* Two and four lane video instructions have a mask on their result. */
bool px_is_simd_video(const struct px_match *match)
{
    const struct px_opd *result = px_form_opds(match->form, NULL) ? px_form_opd(match->form, 0) : NULL;
    return result && result->flags & PX_OF_SELECTOR && result->step > 1;
}

bool px_is_video(const struct px_match *match)
{
    for (unsigned i = 0; i < px_form_opds(match->form, NULL); i++)
        if (px_form_opd(match->form, i)->flags & PX_OF_SELECTOR)
            return true;
    return false;
}
