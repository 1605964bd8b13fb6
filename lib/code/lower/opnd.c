/*
 * lower/opnd.c - operands of the text as operands of the IR.
 *
 * An operation takes elements of one size; what does not fit (a wider register,
 * a negated predicate, a special register of the lane) goes through a
 * temporary. Scalars and constants stay what they are: whether a handler takes
 * them is for emission to decide.
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "mem/mem.h"

/* ---- registers ---- */

uint32_t px_lower_elem(enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (t->klass == PX_TC_PRED) return 4;
    return t->bits <= 16 ? 2 : t->bits / 8;
}

uint32_t px_lower_register(struct px_irfn *f, uint32_t elem, enum px_type type)
{
    struct px_ir_reg r = {.elem = (uint8_t)elem, .type = (uint8_t)type, .row = PX_NONE32};
    px_vec_push(f->coder->draft, &f->regs, r);
    return f->regs.n - 1;
}

struct px_ir_operand px_lower_temp(struct px_irfn *f, uint32_t elem, enum px_type type)
{
    uint32_t reg = px_lower_register(f, elem, type);
    f->regs.at[reg].temp = true;
    return (struct px_ir_operand){.kind = PX_IR_REG, .elem = (uint8_t)elem, .type = (uint8_t)type, .at = reg};
}

bool px_lower_is_register(const struct px_operand *o)
{
    return o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG;
}

uint32_t px_lower_components(const struct px_irfn *f, const struct px_operand *o)
{
    return o->selector ? 1 : px_code_reg(f, o->symbol->index)->vec;
}

uint32_t px_lower_reg(const struct px_irfn *f, const struct px_operand *o, uint32_t component)
{
    bool vector = px_code_reg(f, o->symbol->index)->vec > 1;
    return f->reg_base[o->symbol->index] +
           (vector && o->selector ? px_selector_component(o->selector) : component);
}

/* ---- sources ---- */

struct px_ir_operand px_lower_resize(struct px_irfn *f, struct px_ir_operand s, uint32_t elem, bool sign)
{
    if (s.elem == elem) return s;
    if (s.kind != PX_IR_REG && (s.kind == PX_IR_IMM || elem < s.elem)) {
        s.elem = (uint8_t)elem; /* scalars are little-endian */
        return s;
    }
    struct px_ir_operand opds[2] = {px_lower_temp(f, elem, s.type), s};
    px_lower_inst(f, PX_IR_COPY, opds, 1, 2)->fact = sign;
    return opds[0];
}

struct px_ir_operand px_lower_row(struct px_irfn *f, struct px_ir_operand s)
{
    if (s.kind == PX_IR_REG) return s;
    struct px_ir_operand opds[2] = {px_lower_temp(f, s.elem, s.type), s};
    px_lower_inst(f, PX_IR_COPY, opds, 1, 2);
    return opds[0];
}

struct px_ir_operand px_lower_fixed(struct px_irfn *f, enum px_fixed fix, uint32_t elem,
                                    struct px_ir_operand a, struct px_ir_operand b, uint32_t imm)
{
    struct px_ir_operand opds[3] = {px_lower_temp(f, elem, a.type), a, b};
    px_lower_inst(f, (px_irop)(PX_IR_FIXED | fix), opds, 1, b.kind == PX_IR_NONE ? 2 : 3)->aux = imm;
    return opds[0];
}

static struct px_ir_operand sum_of(struct px_irfn *f, struct px_ir_operand s, uint64_t offset)
{
    static const enum px_type sums[9] = {[2] = PX_T_U16, [4] = PX_T_U32, [8] = PX_T_U64};
    struct px_ir_operand opds[3] = {px_lower_temp(f, s.elem, s.type),
                                    s,
                                    {.kind = PX_IR_IMM, .elem = s.elem, .type = s.type, .value = offset}};
    px_lower_result(f, PX_RESULT_sum, sums[s.elem], opds, 3);
    return opds[0];
}

struct px_ir_operand px_lower_sum(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  struct px_ir_operand s)
{
    const struct px_type_info *t = px_type_info(s.type);
    if (!o->offset) return s;
    if (t->klass == PX_TC_FLOAT || t->klass == PX_TC_PRED || s.elem > 8)
        px_code_fail(f, b->inst, "adds an offset to a register that is no integer, which cannot be run yet");
    return sum_of(f, s, (uint64_t)o->offset);
}

/* Where the block's shared memory begins in that of its cluster. */
static struct px_ir_operand shared_first(uint32_t elem, enum px_type type)
{
    return (struct px_ir_operand){.kind = PX_IR_UNIFORM,
                                  .elem = (uint8_t)elem,
                                  .type = (uint8_t)type,
                                  .at = offsetof(struct px_uniform, shared_first)};
}

/* Address of a .local variable of this frame among the lane's local memory. */
static struct px_ir_operand local_src(struct px_irfn *f, uint64_t offset)
{
    struct px_ir_operand base = {
        .kind = PX_IR_UNIFORM, .elem = 8, .type = PX_T_U64, .at = offsetof(struct px_uniform, local_base)};
    const struct px_ir_operand none = {0};
    return px_lower_fixed(f, PX_FIX_add_imm8, 8, px_lower_row(f, base), none, (uint32_t)offset);
}

bool px_lower_is_opaque(const struct px_symbol *symbol)
{
    const bool opaque = px_type_info((enum px_type)symbol->type)->klass == PX_TC_OPAQUE;
    return symbol->space == PX_SPACE_TEX || (opaque && symbol->space != PX_SPACE_SHARED);
}

/* A parameter of type .texref and its kin holds a handle. */
static struct px_ir_operand opaque_param(const struct px_symbol *symbol)
{
    return (struct px_ir_operand){
        .kind = PX_IR_PARAM, .elem = 8, .type = PX_T_U64, .at = (uint32_t)symbol->offset};
}

static struct px_ir_operand name_src(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                     enum px_type type)
{
    uint32_t elem = px_lower_elem(type);
    uint64_t value;
    bool local;
    if (!o->symbol) return px_lower_sreg_src(f, b, o, elem);
    if (o->symbol->kind == PX_SYM_REG) {
        uint32_t reg = px_lower_reg(f, o, 0);
        struct px_ir_operand s = {
            .kind = PX_IR_REG, .elem = f->regs.at[reg].elem, .type = (uint8_t)type, .at = reg};
        return px_lower_resize(f, px_lower_sum(f, b, o, s), elem, false);
    }
    if (px_lower_is_opaque(o->symbol)) {
        if (o->symbol->is_entry_param) return opaque_param(o->symbol);
        f->code->references |= o->symbol->type == PX_T_SURFREF ? PX_REFERS_SURFACE : PX_REFERS_TEXTURE;
    }
    if (!px_lower_symbol(f, o->symbol, &value, &local))
        px_code_fail(f, b->inst, "names '%s', which has no address here", o->symbol->name->text);
    value += (uint64_t)o->offset;
    if (local) return px_lower_resize(f, local_src(f, value), elem, false);
    if (px_lower_is_ranked(f, o->symbol)) return sum_of(f, shared_first(elem, type), value);
    return (struct px_ir_operand){
        .kind = PX_IR_IMM, .elem = (uint8_t)elem, .type = (uint8_t)type, .value = value};
}

struct px_ir_operand px_lower_src(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  enum px_type type)
{
    struct px_ir_operand s = {.kind = PX_IR_IMM, .elem = (uint8_t)px_lower_elem(type), .type = (uint8_t)type};
    if (o->minus && o->kind == PX_O_NAME)
        px_code_fail(f, b->inst, "has a negated operand, which cannot be run yet");
    if (!px_lower_is_register(o) && px_lower_value(f, o, type, &s.value)) {
        if (type == PX_T_PRED) s.value = (s.value != 0) != o->negated ? 0xffffffffu : 0;
        return s;
    }
    if (o->kind != PX_O_NAME) px_code_fail(f, b->inst, "has an operand that cannot be run yet");
    s = name_src(f, b, o, type);
    if (type != PX_T_PRED || !o->negated) return s;
    const struct px_ir_operand none = {0};
    return px_lower_fixed(f, PX_FIX_mask_not, 4, s, none, 0);
}

/* ---- destinations ---- */

struct px_ir_operand px_lower_dst(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  enum px_type type)
{
    uint32_t elem = px_lower_elem(type);
    if (o->kind == PX_O_SINK) return px_lower_temp(f, elem, type);
    if (!px_lower_is_register(o)) px_code_fail(f, b->inst, "has a destination that cannot be run yet");
    uint32_t reg = px_lower_reg(f, o, 0);
    if (f->regs.at[reg].elem != elem) return px_lower_temp(f, elem, type);
    return (struct px_ir_operand){.kind = PX_IR_REG, .elem = (uint8_t)elem, .type = (uint8_t)type, .at = reg};
}

void px_lower_done(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                   struct px_ir_operand d)
{
    if (!px_lower_is_register(o)) return;
    uint32_t reg = px_lower_reg(f, o, 0);
    if (reg == d.at) return;
    if (d.elem == f->regs.at[reg].elem) d.base = PX_IR_COPIED;
    const struct px_ir_operand opds[2] = {
        {.kind = PX_IR_REG, .elem = f->regs.at[reg].elem, .type = f->regs.at[reg].type, .at = reg}, d};
    px_lower_guarded(f, b, PX_IR_COPY, opds, 1, 2)->fact = px_type_info(d.type)->klass == PX_TC_SIGNED;
}

void px_lower_assign(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                     enum px_type type, struct px_ir_operand s)
{
    if (s.kind == PX_IR_REG) s.base = PX_IR_COPIED;
    const struct px_ir_operand opds[2] = {px_lower_dst(f, b, o, type), s};
    px_lower_guarded(f, b, PX_IR_COPY, opds, 1, 2);
    px_lower_done(f, b, o, opds[0]);
}

/* ---- addresses ---- */

/* A variable in a window, addressed without its state space: the window's base and its place there. */
static struct px_ir_operand generic_place(struct px_irfn *f, const struct px_symbol *symbol,
                                          struct px_ir_operand a)
{
    a.base = PX_IR_UNIFORM;
    switch (symbol->space) {
    case PX_SPACE_SHARED:
        a.at = px_lower_is_ranked(f, symbol) ? offsetof(struct px_uniform, shared_place)
                                             : offsetof(struct px_uniform, shared_window);
        return a;
    case PX_SPACE_PARAM: a.at = offsetof(struct px_uniform, param_window); return a;
    default:
        a.base = PX_IR_IMM;
        if (symbol->space == PX_SPACE_CONST) a.value += px_window_base(PX_WIN_CONST, f->coder->program);
        return a;
    }
}

/* A .local variable: its place in the frame, or the generic address of that. */
static struct px_ir_operand local_place(struct px_irfn *f, struct px_ir_operand a, uint64_t place)
{
    a.value = place;
    a.base = PX_IR_UNIFORM;
    a.at = offsetof(struct px_uniform, local_base);
    if (a.type != PX_SPACE_NONE) return a;
    struct px_ir_operand opds[2] = {px_lower_temp(f, 8, PX_T_U64), local_src(f, place)};
    px_lower_inst(f, PX_IR_TABLE | PX_OP_cvta, opds, 1, 2)->fact = PX_SPACE_LOCAL;
    a.base = PX_IR_REG;
    a.at = opds[0].at;
    a.value = 0;
    return a;
}

struct px_ir_operand px_lower_address(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                      enum px_space space, uint32_t bytes)
{
    const struct px_operand *base = o->kind == PX_O_ADDR ? &o->u.list[0] : o;
    struct px_ir_operand a = {
        .kind = PX_IR_ADDRESS, .elem = (uint8_t)bytes, .type = (uint8_t)space, .base = PX_IR_IMM};
    bool local;
    const bool clustered = space == PX_SPACE_SHARED && f->coder->wishes.clustered;
    if (clustered && px_bound_has(b, PX_W_shared__cluster)) a.type = PX_SPACE_CLUSTER;
    if (px_lower_is_register(base)) {
        uint32_t reg = px_lower_reg(f, base, 0);
        struct px_ir_operand s = {
            .kind = PX_IR_REG, .elem = f->regs.at[reg].elem, .type = PX_T_U64, .at = reg};
        a.base = PX_IR_REG;
        a.at = px_lower_resize(f, s, 8, false).at;
        a.value = (uint64_t)(px_space_is_narrow(a.type) ? (int32_t)base->offset : base->offset);
        return a;
    }
    const struct px_symbol *symbol = base->kind == PX_O_NAME ? base->symbol : NULL;
    if (symbol && px_lower_symbol(f, symbol, &a.value, &local) && local)
        return local_place(f, a, a.value + (uint64_t)base->offset);
    const bool ranked =
        symbol && px_lower_is_ranked(f, symbol) && px_lower_symbol(f, symbol, &a.value, &local);
    if (ranked)
        a.value += (uint64_t)base->offset;
    else if (!px_lower_value(f, base, PX_T_U64, &a.value))
        px_code_fail(f, b->inst, "has an address that cannot be run yet");
    a.value = px_space_address(a.type, a.value);
    if (symbol && space == PX_SPACE_NONE) return generic_place(f, symbol, a);
    if (!ranked) return a;
    a.base = PX_IR_UNIFORM;
    a.at = offsetof(struct px_uniform, shared_first);
    return a;
}

struct px_ir_operand px_lower_address_row(struct px_irfn *f, struct px_ir_operand address, uint32_t *offset)
{
    struct px_ir_operand base = {
        .kind = address.base, .elem = 8, .type = PX_T_U64, .at = address.at, .value = address.value};
    *offset = 0;
    if (address.base == PX_IR_IMM) return px_lower_row(f, base);
    base.value = 0;
    *offset = (uint32_t)address.value;
    return px_lower_row(f, base);
}

struct px_ir_operand px_lower_whole_address(struct px_irfn *f, struct px_ir_operand address)
{
    struct px_ir_operand base = {
        .kind = address.base, .elem = 8, .type = PX_T_U64, .at = address.at, .value = address.value};
    if (address.base == PX_IR_IMM) return px_lower_row(f, base);
    base.value = 0;
    base = px_lower_row(f, base);
    return address.value ? sum_of(f, base, address.value) : base;
}
