/*
 * lower/mem.c - loads, stores, atomics, addresses of state spaces.
 *
 * A vector access is one instruction whatever its length. A kernel's parameters
 * at constant places are scalars; the .param variables of functions have no
 * address, their words are rows (lower/param.c).
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"

/* ---- the pieces of an access ---- */

const struct px_operand *px_lower_component_list(struct px_irfn *f, const struct px_operand *o, uint32_t n)
{
    static const px_word selectors[4] = {PX_W_x, PX_W_y, PX_W_z, PX_W_w};
    struct px_operand *list = PX_NEW_N(f->coder->pass, struct px_operand, n);
    for (uint32_t i = 0; i < n && i < 4; i++) {
        list[i] = *o;
        list[i].selector = selectors[i];
    }
    return list;
}

struct px_parts px_lower_parts(struct px_irfn *f, const struct px_bound *b, unsigned operand)
{
    const struct px_operand *value = &b->inst->opds[operand];
    struct px_parts p = {.type = b->match.type[operand], .n = 1, .value = value};
    p.bytes = px_type_info(p.type)->bits / 8;
    p.sign = px_type_info(p.type)->klass == PX_TC_SIGNED;
    if (value->kind == PX_O_VEC) {
        p.n = value->n;
        p.value = value->u.list;
    } else if (px_lower_is_register(value)) {
        p.n = px_lower_components(f, value);
        if (p.n > 1) p.value = px_lower_component_list(f, value, p.n);
    }
    return p;
}

uint32_t px_lower_reg_bytes(const struct px_irfn *f, const struct px_operand *o, uint32_t bytes)
{
    if (px_lower_is_register(o)) return f->regs.at[px_lower_reg(f, o, 0)].elem;
    return bytes < 2 ? 2 : bytes;
}

/* The register as it is, whatever its width. */
static struct px_ir_operand loaded(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                   const struct px_parts *p)
{
    uint32_t elem = px_lower_reg_bytes(f, o, p->bytes);
    if (o->kind == PX_O_SINK) return px_lower_temp(f, elem, p->type);
    if (!px_lower_is_register(o)) px_code_fail(f, b->inst, "has a destination that cannot be run yet");
    return (struct px_ir_operand){
        .kind = PX_IR_REG, .elem = (uint8_t)elem, .type = (uint8_t)p->type, .at = px_lower_reg(f, o, 0)};
}

struct px_ir_operand px_lower_stored(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                     const struct px_parts *p)
{
    uint32_t elem = px_lower_reg_bytes(f, o, p->bytes);
    struct px_ir_operand s = {.kind = PX_IR_REG, .elem = (uint8_t)elem, .type = (uint8_t)p->type};
    if (px_lower_is_register(o)) {
        s.at = px_lower_reg(f, o, 0);
        return px_lower_sum(f, b, o, s);
    }
    return px_lower_resize(f, px_lower_src(f, b, o, p->type), elem, false);
}

/* A base that one of the results overwrites is copied before the first element is loaded. */
static void keep_base(struct px_irfn *f, struct px_ir_operand *address, const struct px_ir_operand *d,
                      uint32_t n)
{
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        if (address->base != PX_IR_REG || d[i].at != address->at) continue;
        struct px_ir_operand copy[2] = {px_lower_temp(f, 8, PX_T_U64),
                                        {.kind = PX_IR_REG, .elem = 8, .type = PX_T_U64, .at = address->at}};
        px_lower_inst(f, PX_IR_COPY, copy, 1, 2);
        address->at = copy[0].at;
        return;
    }
}

/* ---- kernel parameters ---- */

/* A kernel's parameters at a constant place inside them, into registers of the same width: they are scalars.
 */
static bool scalar_params(struct px_irfn *f, const struct px_bound *b, const struct px_parts *p,
                          const struct px_ir_operand *address)
{
    uint64_t at = address->value;
    if (!f->func->is_entry || address->base != PX_IR_IMM) return false;
    if (at > f->fn->param_bytes || f->fn->param_bytes - at < (uint64_t)p->n * p->bytes ||
        at % ((uint64_t)p->n * p->bytes))
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->bytes > 8 || px_lower_reg_bytes(f, &p->value[i], p->bytes) != p->bytes) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        struct px_ir_operand opds[2] = {loaded(f, b, &p->value[i], p),
                                        {.kind = PX_IR_PARAM,
                                         .elem = (uint8_t)p->bytes,
                                         .type = (uint8_t)p->type,
                                         .at = (uint32_t)at + i * p->bytes}};
        px_lower_guarded(f, b, PX_IR_COPY, opds, 1, 2);
    }
    return true;
}

/* ---- loads and stores ---- */

enum { PARTS_MAX = 8 };

static bool is_strong(const struct px_bound *b)
{
    static const px_word words[] = {PX_W_relaxed, PX_W_acquire, PX_W_release, PX_W_volatile, PX_W_mmio};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (px_bound_has(b, words[i])) return true;
    return false;
}

static void mark_access(struct px_ir_inst *in, const struct px_bound *b, uint32_t bytes)
{
    in->fact = (uint16_t)bytes;
    if (is_strong(b)) in->flags |= PX_IR_INST_STRONG;
}

/* `st.v8.b32 [a], {b, _, ...}`: elements that are there are stored one by one. The first of the list finds a
 * misaligned vector; where it is a sink, only the alignment of elements is asked. */
static bool store_around_sinks(struct px_irfn *f, const struct px_bound *b, const struct px_parts *p,
                               struct px_ir_operand address)
{
    bool sinks = false;
    for (uint32_t i = 0; i < p->n; i++) sinks |= p->value[i].kind == PX_O_SINK;
    for (uint32_t i = 0; sinks && i < p->n; i++, address.value += p->bytes) {
        if (p->value[i].kind == PX_O_SINK) continue;
        const struct px_ir_operand opds[2] = {address, px_lower_stored(f, b, &p->value[i], p)};
        mark_access(px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | PX_OP_st), opds, 0, 2), b,
                    i ? p->bytes : p->bytes * p->n);
    }
    return sinks;
}

/*
 * Does a .param address in a register lie in the frame, that is, in local memory? mov yields such an address
 * of a function's parameters. In a function .param without a word means them, in a kernel the kernel's own;
 * an element of an array lies where the array does.
 */
static bool in_frame(const struct px_irfn *f, const struct px_bound *b, const struct px_operand *base)
{
    if (!px_lower_is_register(base)) return false;
    if (f->element && base->symbol == f->element[0].symbol) return f->element_framed;
    return !f->func->is_entry && !px_bound_has(b, PX_W_param__entry);
}

static void access(struct px_irfn *f, const struct px_bound *b, bool store)
{
    unsigned value = store ? 1 : 0, where = store ? 0 : 1;
    enum px_space space = px_lower_space(b, where);
    const struct px_operand *o = &b->inst->opds[where], *base = o->kind == PX_O_ADDR ? &o->u.list[0] : o;
    struct px_parts p = px_lower_parts(f, b, value);
    const struct px_param *v = base->kind == PX_O_NAME && base->symbol && space == PX_SPACE_PARAM
                                   ? px_lower_param(f, base->symbol)
                                   : NULL;
    if (v && v->local == PX_NONE32) {
        px_lower_param_access(f, b, v, store);
        return;
    }
    if (v || (space == PX_SPACE_PARAM && in_frame(f, b, base))) space = PX_SPACE_LOCAL;
    if (store && space == PX_SPACE_PARAM) px_code_fail(f, b->inst, "writes a kernel's parameters");
    struct px_ir_operand opds[PARTS_MAX + 1], address = px_lower_address(f, b, o, space, p.bytes);
    if (p.n > PARTS_MAX) px_code_fail(f, b->inst, "has more elements than an access takes");
    if (!store && space == PX_SPACE_PARAM && scalar_params(f, b, &p, &address)) return;
    if (store && store_around_sinks(f, b, &p, address)) return;
    for (uint32_t i = 0; i < p.n; i++)
        opds[store + i] = store ? px_lower_stored(f, b, &p.value[i], &p) : loaded(f, b, &p.value[i], &p);
    if (!store) keep_base(f, &address, opds, p.n);
    opds[store ? 0 : p.n] = address;
    struct px_ir_inst *in = px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | (store ? PX_OP_st : PX_OP_ld)),
                                             opds, store ? 0 : p.n, p.n + 1);
    mark_access(in, b, p.bytes * p.n);
    in->aux = p.sign;
}

void px_lower_ld(struct px_irfn *f, const struct px_bound *b)
{
    access(f, b, false);
    if (px_bound_has(b, PX_W_acquire)) px_lower_inst(f, PX_IR_ACQUIRE, NULL, 0, 0);
}

void px_lower_st(struct px_irfn *f, const struct px_bound *b)
{
    if (px_bound_has(b, PX_W_release)) px_lower_inst(f, PX_IR_RELEASE, NULL, 0, 0);
    access(f, b, true);
}

/* ---- atomics ---- */

/* The operation: the word in the slot `op`, or the literal of a row of its own. */
static px_word atom_op(const struct px_bound *b)
{
    static const px_word literal[] = {PX_W_add, PX_W_cas, PX_W_exch, PX_W_inc, PX_W_dec};
    px_word op = px_match_slot(&b->match, PX_W_op);
    for (size_t i = 0; !op && i < sizeof literal / sizeof *literal; i++)
        if (px_bound_has(b, literal[i])) op = literal[i];
    return op;
}

/* May it be performed later, as long as its thread does not synchronise? Does a sum of f32 keep subnormals?
 */
static uint32_t atom_flags(const struct px_bound *b)
{
    const uint32_t keeps = px_bound_has(b, PX_W_noftz) ? PX_IR_ATOM_NOFTZ : 0;
    static const px_word orders[] = {PX_W_acquire, PX_W_release, PX_W_acq_rel, PX_W_sys};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (px_bound_has(b, orders[i])) return keeps;
    return keeps | PX_IR_ATOM_WAITS;
}

static void atomic(struct px_irfn *f, const struct px_bound *b, bool red)
{
    const bool releases = px_bound_has(b, PX_W_release) || px_bound_has(b, PX_W_acq_rel);
    if (releases) px_lower_inst(f, PX_IR_RELEASE, NULL, 0, 0);
    const unsigned where = !red;
    const struct px_operand *o = b->inst->opds + where;
    const enum px_type type = b->match.type[where + 1];
    const px_word op = atom_op(b);
    const bool cas = op == PX_W_cas;
    struct px_ir_operand opds[4];
    opds[0] = red ? px_lower_temp(f, px_lower_elem(type), type) : px_lower_dst(f, b, &b->inst->opds[0], type);
    opds[1] = px_lower_address(f, b, &o[0], px_lower_space(b, where), px_type_info(type)->bits / 8);
    opds[2] = px_lower_row(f, px_lower_src(f, b, &o[1], type));
    if (cas) opds[3] = px_lower_row(f, px_lower_src(f, b, &o[2], type));
    struct px_ir_inst *in =
        px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | (red ? PX_OP_red : PX_OP_atom)), opds, 1, 3u + cas);
    in->fact = op;
    in->aux = atom_flags(b);
    if (!red) px_lower_done(f, b, &b->inst->opds[0], opds[0]);
}

void px_lower_atom(struct px_irfn *f, const struct px_bound *b)
{
    atomic(f, b, false);
}

/* A source that one of the results overwrites is copied before the first element is done. */
static void keep_source(struct px_irfn *f, struct px_ir_operand *s, const struct px_ir_operand *d, uint32_t n)
{
    bool overwritten = false;
    for (uint32_t i = 0; i < n; i++) overwritten |= d[i].kind == PX_IR_REG && d[i].at == s->at;
    if (!overwritten) return;
    struct px_ir_operand copy[2] = {px_lower_temp(f, s->elem, (enum px_type)s->type), *s};
    px_lower_inst(f, PX_IR_COPY, copy, 1, 2);
    *s = copy[0];
}

/* The elements one after the other: each is atomic by itself (PTX ISA 9.7.13.5). The first finds misaligned
 * vectors. */
static void atomic_vector(struct px_irfn *f, const struct px_bound *b, bool red)
{
    const unsigned where = !red;
    const struct px_parts p = px_lower_parts(f, b, where + 1);
    struct px_parts result = p;
    struct px_ir_operand d[PARTS_MAX], s[PARTS_MAX], opds[3];
    struct px_ir_operand address =
        px_lower_address(f, b, &b->inst->opds[where], px_lower_space(b, where), p.bytes);
    const bool sink = !red && b->inst->opds[0].kind == PX_O_SINK;
    memset(d, 0, sizeof d);
    if (!red && !sink) result = px_lower_parts(f, b, 0);
    if (p.n > PARTS_MAX || result.n != p.n) px_code_fail(f, b->inst, "has vectors that cannot be run yet");
    for (uint32_t i = 0; i < p.n; i++)
        d[i] = red || sink ? px_lower_temp(f, px_lower_elem(p.type), p.type)
                           : px_lower_dst(f, b, &result.value[i], p.type);
    for (uint32_t i = 0; i < p.n; i++) {
        s[i] = px_lower_row(f, px_lower_src(f, b, &p.value[i], p.type));
        keep_source(f, &s[i], d, p.n);
    }
    keep_base(f, &address, d, p.n);
    for (uint32_t i = 0; i < p.n; i++, address.value += p.bytes) {
        opds[0] = d[i], opds[1] = address, opds[2] = s[i];
        opds[1].elem = (uint8_t)(i ? p.bytes : p.bytes * p.n);
        struct px_ir_inst *in =
            px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | (red ? PX_OP_red : PX_OP_atom)), opds, 1, 3);
        in->fact = atom_op(b);
        in->aux = atom_flags(b) & PX_IR_ATOM_NOFTZ;
    }
    for (uint32_t i = 0; !red && !sink && i < p.n; i++) px_lower_done(f, b, &result.value[i], d[i]);
}

void px_lower_atom_vector(struct px_irfn *f, const struct px_bound *b)
{
    atomic_vector(f, b, false);
}

void px_lower_red_vector(struct px_irfn *f, const struct px_bound *b)
{
    atomic_vector(f, b, true);
}

void px_lower_red(struct px_irfn *f, const struct px_bound *b)
{
    atomic(f, b, true);
}

/* ---- addresses ---- */

/* A function's parameters lie in local memory, and cvta.param means the kernel's: on a chip it yields the
 * address of one of those, whichever is there. */
static void refuse_no_kernels(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o)
{
    if (o->kind == PX_O_NAME && o->symbol && px_lower_param(f, o->symbol))
        px_code_fail(f, b->inst,
                     "asks for the generic address of what is no kernel's parameter; cvta.local "
                     "gives a function's own");
}

static void convert(struct px_irfn *f, const struct px_bound *b, px_op op)
{
    const struct px_operand *o = b->inst->opds;
    const enum px_space space = px_space_of_word(px_match_slot(&b->match, PX_W_space));
    if (space == PX_SPACE_PARAM && op == PX_OP_cvta) refuse_no_kernels(f, b, &o[1]);
    struct px_ir_operand s = px_lower_src(f, b, &o[1], PX_T_U64);
    if (space == PX_SPACE_GLOBAL) { /* global addresses are generic addresses */
        px_lower_assign(f, b, &o[0], PX_T_U64, s);
        return;
    }
    struct px_ir_operand opds[2] = {px_lower_dst(f, b, &o[0], PX_T_U64), px_lower_row(f, s)};
    px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | op), opds, 1, 2)->fact = space;
    px_lower_done(f, b, &o[0], opds[0]);
}

void px_lower_cvta(struct px_irfn *f, const struct px_bound *b)
{
    convert(f, b, PX_OP_cvta);
}

void px_lower_cvta_to(struct px_irfn *f, const struct px_bound *b)
{
    convert(f, b, PX_OP_cvta_to);
}

void px_lower_question(struct px_irfn *f, const struct px_bound *b, px_op op, uint16_t fact)
{
    const struct px_operand *o = b->inst->opds;
    struct px_ir_operand opds[2] = {px_lower_dst(f, b, &o[0], PX_T_PRED),
                                    px_lower_row(f, px_lower_src(f, b, &o[1], PX_T_U64))};
    px_lower_guarded(f, b, (px_irop)(PX_IR_TABLE | op), opds, 1, 2)->fact = fact;
    px_lower_done(f, b, &o[0], opds[0]);
}

void px_lower_isspacep(struct px_irfn *f, const struct px_bound *b)
{
    const px_word word = px_match_slot(&b->match, PX_W_space);
    const bool cluster = word == PX_W_shared__cluster && f->coder->wishes.clustered;
    px_lower_question(f, b, PX_OP_isspacep, cluster ? PX_SPACE_CLUSTER : px_space_of_word(word));
}
