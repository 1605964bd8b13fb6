/*
 * operands.c - operands of the checked tree as registers, constants, special
 * registers and places; reading and writing them.
 *
 * A register holds its bits, the rest of its 16 bytes is 0. A source of a
 * narrower type sees the low bits; a result of a narrower type is extended to
 * the register by the sign of its type (PTX ISA 9.4.1).
 */
#include "machine.h"
#include <string.h>

enum { WARP_SIZE = 32 };

static ref_bits low(ref_bits v, unsigned bits)
{
    return bits >= 128 ? v : v & (((ref_bits)1 << bits) - 1);
}

/* ---- running ---- */

ref_bits ref_get(const struct ref_thread *t, const struct ref_operand *o)
{
    ref_bits v = 0;
    switch (o->kind) {
    case REF_REG: v = t->frame->regs[o->reg] + o->value; break;
    case REF_CONST: v = o->value; break;
    case REF_SREG: v = ref_sreg(t, o->reg, (uint32_t)o->value); break;
    case REF_FRAME: v = t->frame->local_base + o->value; break;
    default: break;
    }
    if (o->type == PX_T_PRED) return (v != 0) != o->negated;
    return low(v, o->bits);
}

void ref_put(struct ref_thread *t, const struct ref_operand *o, ref_bits v)
{
    if (o->kind != REF_REG) return;
    v = low(v, o->bits);
    if (o->bits < o->width && px_type_info(o->type)->klass == PX_TC_SIGNED && v >> (o->bits - 1))
        v |= ~(ref_bits)0 << o->bits;
    t->frame->regs[o->reg] = low(v, o->width);
}

/* ---- names ---- */

const struct ref_variable *ref_variable_of(const struct ref_code *code, const struct px_symbol *symbol)
{
    for (uint32_t i = 0; i < code->vars.n; i++)
        if (code->vars.at[i].symbol == symbol) return &code->vars.at[i];
    return NULL;
}

static uint32_t component_of(px_word selector)
{
    switch (selector) {
    case PX_W_y:
    case PX_W_g: return 1;
    case PX_W_z:
    case PX_W_b: return 2;
    case PX_W_w:
    case PX_W_a: return 3;
    default: return 0;
    }
}

static struct ref_operand of_type(enum ref_kind kind, enum px_type type)
{
    return (struct ref_operand){
        .kind = (uint8_t)kind, .type = (uint8_t)type, .bits = px_type_info(type)->bits};
}

struct ref_operand ref_register(const struct ref_code *code, const struct px_function *fn, uint32_t index,
                                uint32_t component, enum px_type type)
{
    struct ref_operand r = of_type(REF_REG, type);
    r.width = px_type_info(fn->regs.at[index].type)->bits;
    r.reg = code->reg_base[index] + component;
    return r;
}

struct ref_operand ref_register_whole(const struct ref_context *x, uint32_t index, enum px_type type)
{
    const uint32_t n = x->fn->regs.at[index].vec;
    if (n <= 1) return ref_register(x->code, x->fn, index, 0, type);
    struct ref_operand r = of_type(REF_LIST, type);
    r.n = n;
    r.list = PX_NEW_N(&x->m->arena, struct ref_operand, n);
    for (uint32_t i = 0; i < n; i++) r.list[i] = ref_register(x->code, x->fn, index, i, type);
    return r;
}

/* A register; a vector register without a selector is the list of its components. */
static struct ref_operand name_register(const struct ref_context *x, const struct px_operand *o,
                                        enum px_type type)
{
    const uint32_t index = o->symbol->index;
    const bool component = o->selector && x->fn->regs.at[index].vec > 1;
    if (component) return ref_register(x->code, x->fn, index, component_of(o->selector), type);
    return ref_register_whole(x, index, type);
}

static struct ref_operand name_sreg(const struct ref_context *x, const struct px_inst *inst,
                                    const struct px_operand *o, enum px_type type)
{
    const struct px_sreg *sreg = px_sreg_of_word(o->u.name->word);
    struct ref_operand r = of_type(REF_SREG, type);
    char why[64];
    snprintf(why, sizeof why, "with %%%s", o->u.name->text);
    if (!sreg || !ref_sreg_known(sreg->op)) ref_unsupported(x->m, inst, why);
    r.reg = sreg->op;
    r.value = component_of(o->selector);
    return r;
}

/* State space address of what is no variable of the frame; false when it has none. */
static bool symbol_address(const struct ref_context *x, const struct px_symbol *s, uint64_t *value)
{
    if (s->kind == PX_SYM_FUNC || s->kind == PX_SYM_ENTRY) {
        const struct px_lfunc *f = px_link_func(&x->m->linked, s);
        if (f) *value = f->address;
        return f != NULL;
    }
    if (s->is_entry_param) return *value = s->offset, true;
    const struct px_lvar *v = s->kind == PX_SYM_VAR ? px_link_var(&x->m->linked, s) : NULL;
    if (v) *value = v->address;
    return v != NULL;
}

static struct ref_operand name_symbol(const struct ref_context *x, const struct px_inst *inst,
                                      const struct px_operand *o, enum px_type type)
{
    const struct ref_variable *v = ref_variable_of(x->code, o->symbol);
    uint64_t address = 0;
    struct ref_operand r = of_type(v ? REF_FRAME : REF_CONST, type);
    if (!v && !symbol_address(x, o->symbol, &address)) ref_unsupported(x->m, inst, "with this name");
    r.size = v ? v->size : 0;
    r.value = (v ? v->offset : address) + (uint64_t)o->offset;
    return r;
}

/* name[i]: the address of that element (PTX ISA 9.7.9.1, mov); ptxas counts scalars of vectors and of inner
 * dimensions. */
static struct ref_operand indexed(const struct ref_context *x, const struct px_inst *inst,
                                  const struct px_operand *o, enum px_type type)
{
    const struct px_operand *base = &o->u.list[0], *index = &o->u.list[1];
    bool is_variable =
        base->symbol && (base->symbol->kind == PX_SYM_VAR || base->symbol->kind == PX_SYM_PARAM);
    if (!is_variable || index->kind != PX_O_INT) ref_unsupported(x->m, inst, "with such an element");
    struct ref_operand r = name_symbol(x, inst, base, type);
    r.value += index->u.i * (px_type_info(base->symbol->type)->bits / 8u);
    return r;
}

/* ---- constants ---- */

static uint64_t float_constant(const struct ref_context *x, const struct px_inst *inst, bool is_double,
                               uint64_t bits, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    union {
        uint64_t u;
        double d;
    } wide = {bits};
    union {
        uint32_t u;
        float f;
    } narrow = {(uint32_t)bits};
    if (t->bits == 64) {
        if (!is_double && t->klass == PX_TC_FLOAT) wide.d = narrow.f;
        return wide.u;
    }
    if (t->bits != 32 || (is_double && t->klass != PX_TC_FLOAT))
        ref_unsupported(x->m, inst, "with a floating-point constant of that type");
    if (is_double) narrow.f = (float)wide.d;
    return narrow.u;
}

static uint64_t evaluate(const struct ref_context *x, const struct px_inst *inst, const struct px_expr *e);

static uint64_t evaluate_binary(const struct ref_context *x, const struct px_inst *inst,
                                const struct px_expr *e)
{
    uint64_t a = evaluate(x, inst, e->u.a), b = evaluate(x, inst, e->u.b);
    switch (e->op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case PX_EOP_SHL: return b < 64 ? a << b : 0;
    default: ref_unsupported(x->m, inst, "with this constant expression");
    }
}

static uint64_t evaluate(const struct ref_context *x, const struct px_inst *inst, const struct px_expr *e)
{
    uint64_t v;
    switch (e->kind) {
    case PX_E_INT: return e->u.i;
    case PX_E_CAST: return evaluate(x, inst, e->u.a);
    case PX_E_BINARY: return evaluate_binary(x, inst, e);
    case PX_E_NAME:
        if (!e->symbol) return WARP_SIZE;
        if (symbol_address(x, e->symbol, &v)) return v;
        break;
    case PX_E_UNARY:
        v = evaluate(x, inst, e->u.a);
        if (e->op == '-') return 0 - v;
        if (e->op == '~') return ~v;
        if (e->op == '+') return v;
        break;
    default: break;
    }
    ref_unsupported(x->m, inst, "with this constant expression");
}

/* The upper half of a 128-bit constant is zero, of a negative one too, as ptxas has it. */
static struct ref_operand constant(enum px_type type, uint64_t value, bool negated)
{
    struct ref_operand r = of_type(REF_CONST, type);
    r.value = value;
    r.negated = negated;
    return r;
}

/* ---- one operand ---- */

static struct ref_operand list(const struct ref_context *x, const struct px_inst *inst,
                               const struct px_operand *o, enum px_type type)
{
    struct ref_operand r = of_type(REF_LIST, type);
    r.n = o->n;
    r.list = PX_NEW_N(&x->m->arena, struct ref_operand, o->n + 1u);
    for (uint32_t i = 0; i < o->n; i++) {
        bool second = o->kind == PX_O_PAIR && i; /* d|p */
        r.list[i] = ref_resolve(x, inst, &o->u.list[i], second ? PX_T_PRED : type);
    }
    return r;
}

static struct ref_operand name(const struct ref_context *x, const struct px_inst *inst,
                               const struct px_operand *o, enum px_type type)
{
    struct ref_operand r;
    if (o->symbol && o->symbol->kind == PX_SYM_REG) {
        r = name_register(x, o, type);
        r.value = (uint64_t)o->offset; /* `%r+1` as a source is a sum, as ptxas has it */
    } else if (o->symbol) {
        r = name_symbol(x, inst, o, type);
    } else if (o->u.name->word == PX_W_WARP_SZ) {
        r = constant(type, WARP_SIZE + (uint64_t)o->offset, false);
    } else {
        r = name_sreg(x, inst, o, type);
    }
    r.negated = o->negated;
    return r;
}

struct ref_operand ref_resolve(const struct ref_context *x, const struct px_inst *inst,
                               const struct px_operand *o, enum px_type type)
{
    bool floating = o->kind == PX_O_F32 || o->kind == PX_O_F64;
    if (o->minus && o->kind == PX_O_NAME) ref_unsupported(x->m, inst, "with a minus");
    if (type == PX_T_BF16 && (floating || o->kind == PX_O_INT))
        ref_unsupported(x->m, inst, "with a bf16 constant");
    switch (o->kind) {
    case PX_O_SINK: return of_type(REF_SINK, type);
    case PX_O_NAME: return name(x, inst, o, type);
    case PX_O_INDEX: return indexed(x, inst, o, type);
    case PX_O_INT: return constant(type, o->u.i, o->negated);
    case PX_O_F32:
    case PX_O_F64: return constant(type, float_constant(x, inst, o->kind == PX_O_F64, o->u.i, type), false);
    case PX_O_EXPR: return constant(type, evaluate(x, inst, o->u.expr), o->negated);
    case PX_O_VEC:
    case PX_O_PAIR: return list(x, inst, o, type);
    default: ref_unsupported(x->m, inst, "with such an operand");
    }
}

/* [base + offset]. A variable of the frame lies in local memory, whatever space was written. */
struct ref_operand ref_resolve_address(const struct ref_context *x, const struct px_inst *inst,
                                       const struct px_operand *o, enum px_space *space)
{
    const struct px_operand *base = o->kind == PX_O_ADDR ? &o->u.list[0] : o;
    if (o->kind == PX_O_ADDR && o->n != 1) ref_unsupported(x->m, inst, "with such an address");
    bool is_register = base->kind == PX_O_NAME && base->symbol && base->symbol->kind == PX_SYM_REG;
    struct ref_operand r =
        is_register ? name_register(x, base, PX_T_U64) : ref_resolve(x, inst, base, PX_T_U64);
    if (is_register) r.offset = base->offset; /* of a name it is in the value */
    if (is_register && *space == PX_SPACE_PARAM && !x->code->func->is_entry)
        ref_unsupported(x->m, inst, "with a parameter's address in a function");
    if (base->kind == PX_O_NAME && base->symbol && r.kind == REF_CONST && *space == PX_SPACE_NONE)
        *space = (enum px_space)base->symbol->space;
    if (r.kind == REF_FRAME) *space = PX_SPACE_LOCAL;
    return r;
}
