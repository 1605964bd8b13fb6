/* lower/const.c - operands that are constants: literals, addresses of symbols. The parser has folded
 * expressions. */
#include "code/lower/lower.h"

bool px_lower_symbol(struct px_irfn *f, const struct px_symbol *symbol, uint64_t *value, bool *local)
{
    *local = false;
    if (symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY) {
        const struct px_lfunc *func = px_link_func(f->coder->linked, symbol);
        if (func) *value = func->address;
        return func != NULL;
    }
    if (symbol->kind == PX_SYM_PARAM && symbol->is_entry_param) return *value = symbol->offset, true;
    const struct px_param *p = px_lower_param(f, symbol);
    if (p && p->local != PX_NONE32) return *local = true, *value = p->local, true;
    if (symbol->kind != PX_SYM_VAR || symbol->space == PX_SPACE_PARAM || symbol->space == PX_SPACE_LOCAL)
        return false;
    const struct px_lvar *v = px_link_var(f->coder->linked, symbol);
    if (!v) return false;
    *value = v->space == PX_SPACE_CONST ? v->address & 0xffffffffu : v->address;
    return true;
}

bool px_lower_is_ranked(const struct px_irfn *f, const struct px_symbol *symbol)
{
    return f->coder->wishes.clustered && symbol->kind == PX_SYM_VAR && symbol->space == PX_SPACE_SHARED;
}

static uint64_t float_bits(const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    double wide;
    float narrow;
    uint64_t bits = o->u.i;
    if (t->klass != PX_TC_FLOAT) return bits;
    if (o->kind == PX_O_F64 && t->bits == 32) {
        memcpy(&wide, &bits, 8);
        narrow = (float)wide;
        uint32_t low;
        memcpy(&low, &narrow, 4);
        return low;
    }
    if (o->kind == PX_O_F32 && t->bits == 64) {
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, 4);
        wide = narrow;
        memcpy(&bits, &wide, 8);
    }
    return bits;
}

static bool name_value(struct px_irfn *f, const struct px_operand *o, uint64_t *value)
{
    bool local = false;
    if (!o->symbol) {
        if (o->u.name->word != PX_W_WARP_SZ) return false;
        *value = 32 + (uint64_t)o->offset;
        return true;
    }
    if (o->symbol->kind == PX_SYM_REG || px_lower_is_opaque(o->symbol)) return false;
    if (px_lower_is_ranked(f, o->symbol)) return false;
    if (!px_lower_symbol(f, o->symbol, value, &local) || local) return false;
    *value += (uint64_t)o->offset;
    return true;
}

bool px_lower_value(struct px_irfn *f, const struct px_operand *o, enum px_type type, uint64_t *value)
{
    if (type == PX_T_BF16) return false; /* ptxas accepts integers here, and nothing says what they mean */
    switch (o->kind) {
    case PX_O_INT: return *value = o->u.i, true;
    case PX_O_F32:
    case PX_O_F64: return *value = float_bits(o, type), true;
    case PX_O_NAME: return name_value(f, o, value);
    default: return false;
    }
}
