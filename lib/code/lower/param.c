/*
 * lower/param.c - .param variables and formal parameters of functions, and .local variables.
 *
 * A .param variable has no address: each of its 4-byte words is a register, so
 * that constant places in it are moves. One whose address is taken lies in local
 * memory like a .local variable. The caller writes the words of all formal
 * parameters (PX_IR_ARGUMENTS), and those of the results are read by every return.
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "mem/mem.h"
#include <inttypes.h>

static const struct px_ir_operand none;

/* ---- places ---- */

struct px_param *px_lower_param(const struct px_irfn *f, const struct px_symbol *symbol)
{
    if ((symbol->kind != PX_SYM_VAR && symbol->kind != PX_SYM_PARAM) || symbol->index >= f->fn->vars.n ||
        f->fn->vars.at[symbol->index] != symbol)
        return NULL;
    uint32_t i = f->param_of[symbol->index];
    return i == PX_NONE32 ? NULL : &f->params.at[i];
}

static void place_local(struct px_irfn *f, struct px_param *p)
{
    uint32_t align = p->symbol->align > 4 ? p->symbol->align : 4;
    if (align > f->local_align) f->local_align = align;
    f->local_bytes = (f->local_bytes + align - 1) & ~(uint64_t)(align - 1);
    if (p->symbol->size > PX_LOCAL_MAX || f->local_bytes + p->symbol->size > PX_LOCAL_MAX)
        px_code_fail(
            f, NULL,
            "with '%s', of %" PRIu64 " bytes, the local memory of a thread exceeds %" PRIu64 " bytes",
            p->symbol->name ? p->symbol->name->text : "_", (uint64_t)p->symbol->size, (uint64_t)PX_LOCAL_MAX);
    p->local = (uint32_t)f->local_bytes;
    f->local_bytes += (p->symbol->size + 3) & ~3ull;
}

void px_lower_params(struct px_irfn *f)
{
    const struct px_function *fn = f->fn;
    f->param_of = PX_NEW_N(f->coder->draft, uint32_t, fn->vars.n + 1);
    for (uint32_t i = 0; i < fn->vars.n; i++) {
        const struct px_symbol *s = fn->vars.at[i];
        f->param_of[i] = PX_NONE32;
        if ((s->space != PX_SPACE_PARAM && s->space != PX_SPACE_LOCAL) || s->is_entry_param) continue;
        struct px_param p = {.symbol = s, .bytes = (uint32_t)s->size, .reg = PX_NONE32, .local = PX_NONE32};
        if (s->space == PX_SPACE_LOCAL) place_local(f, &p);
        f->param_of[i] = f->params.n;
        px_vec_push(f->coder->draft, &f->params, p);
    }
}

void px_lower_taken(struct px_irfn *f, const struct px_inst *inst)
{
    if (inst->opcode->word == PX_W_call) return;
    for (uint32_t k = 0; k < inst->nopds; k++) {
        const struct px_operand *o = &inst->opds[k];
        bool element = o->kind == PX_O_INDEX;
        if (element &&
            (px_opcode_in(inst->opcode->word, PX_SET_param_address) || px_lower_is_register(&o->u.list[1])))
            o = &o->u.list[0];
        if (o->kind != PX_O_NAME || !o->symbol || o->symbol->space != PX_SPACE_PARAM) continue;
        struct px_param *p = px_lower_param(f, o->symbol);
        if (p && p->local == PX_NONE32) place_local(f, p);
    }
}

static uint32_t words_of(uint32_t bytes)
{
    return (bytes + 3) / 4;
}

/* The words of a variable get registers when they are first needed. */
static uint32_t first_word(struct px_irfn *f, struct px_param *p)
{
    if (p->reg == PX_NONE32) {
        p->reg = f->regs.n;
        for (uint32_t i = 0; i < words_of(p->bytes); i++) px_lower_register(f, 4, PX_T_NONE);
    }
    return p->reg;
}

static struct px_ir_operand word(uint32_t reg)
{
    return (struct px_ir_operand){.kind = PX_IR_REG, .elem = 4, .type = PX_T_B32, .at = reg};
}

/* ---- between words and registers ---- */

static void move(struct px_irfn *f, const struct px_bound *b, px_irop op, struct px_ir_operand d,
                 struct px_ir_operand s, struct px_ir_operand t, uint32_t imm)
{
    const struct px_ir_operand opds[3] = {d, s, t};
    uint32_t n = t.kind == PX_IR_NONE ? 2 : 3;
    struct px_ir_inst *in = b ? px_lower_guarded(f, b, op, opds, 1, n) : px_lower_inst(f, op, opds, 1, n);
    in->aux = imm;
}

/* d, of 4 bytes or more, from the words that begin at reg. */
static void from_words(struct px_irfn *f, const struct px_bound *b, struct px_ir_operand d, uint32_t reg)
{
    if (d.elem == 16) {
        struct px_ir_operand low = px_lower_fixed(f, PX_FIX_join8, 8, word(reg), word(reg + 1), 0);
        struct px_ir_operand high = px_lower_fixed(f, PX_FIX_join8, 8, word(reg + 2), word(reg + 3), 0);
        move(f, b, PX_IR_FIXED | PX_FIX_pack16, d, low, high, 0);
    } else if (d.elem == 8) {
        move(f, b, PX_IR_FIXED | PX_FIX_join8, d, word(reg), word(reg + 1), 0);
    } else {
        move(f, b, PX_IR_COPY, d, word(reg), none, 0); /* cut when d is narrower */
    }
}

/* The words that begin at reg from s, of 4 bytes or more. */
static void to_words(struct px_irfn *f, const struct px_bound *b, uint32_t reg, struct px_ir_operand s)
{
    if (s.elem == 16) {
        s = px_lower_row(f, s);
        to_words(f, b, reg, px_lower_fixed(f, PX_FIX_trunc16_8, 8, s, none, 0));
        to_words(f, b, reg + 2, px_lower_fixed(f, PX_FIX_high16, 8, s, none, 0));
    } else if (s.elem == 8) {
        s = px_lower_row(f, s);
        move(f, b, PX_IR_FIXED | PX_FIX_trunc8_4, word(reg), s, none, 0);
        move(f, b, PX_IR_FIXED | PX_FIX_high8, word(reg + 1), s, none, 0);
    } else {
        move(f, b, PX_IR_COPY, word(reg), s, none, 0);
    }
}

/* 1, 2 or 4 bytes of a word as elements of 4 bytes, extended. */
static struct px_ir_operand field(struct px_irfn *f, uint32_t reg, uint64_t at, uint32_t bytes, bool sign)
{
    struct px_ir_operand s = word(reg);
    if (bytes == 4) return s;
    if (at & 3) s = px_lower_fixed(f, PX_FIX_shr4, 4, s, none, (uint32_t)(at & 3) * 8);
    enum px_fixed fix = bytes == 1 ? sign ? PX_FIX_sext_byte4 : PX_FIX_zext_byte4
                        : sign     ? PX_FIX_sext_half4
                                   : PX_FIX_zext_half4;
    return px_lower_fixed(f, fix, 4, s, none, 0);
}

/* ---- ld.param and st.param ---- */

static void load_words(struct px_irfn *f, const struct px_bound *b, uint32_t reg, uint64_t at,
                       const struct px_parts *p, const struct px_operand *o)
{
    struct px_ir_operand d = {
        .kind = PX_IR_REG, .elem = (uint8_t)px_lower_reg_bytes(f, o, p->bytes), .type = (uint8_t)p->type};
    d.at = px_lower_is_register(o) ? px_lower_reg(f, o, 0) : px_lower_temp(f, d.elem, p->type).at;
    if (p->bytes >= 8) {
        from_words(f, b, d, reg);
        return;
    }
    const struct px_ir_operand opds[2] = {d, field(f, reg, at, p->bytes, p->sign)};
    px_lower_guarded(f, b, PX_IR_COPY, opds, 1, 2)->fact = p->sign;
}

static void store_words(struct px_irfn *f, const struct px_bound *b, const struct px_param *v, uint32_t reg,
                        uint64_t at, const struct px_parts *p, const struct px_operand *o)
{
    struct px_ir_operand s = px_lower_stored(f, b, o, p);
    if (p->bytes >= 8) {
        to_words(f, b, reg, px_lower_resize(f, s, p->bytes, p->sign));
        return;
    }
    s = px_lower_row(f, px_lower_resize(f, s, 4, false));
    if (p->bytes == 4) {
        to_words(f, b, reg, s);
    } else if (v->bytes == p->bytes) { /* the word holds nothing else */
        move(f, b, PX_IR_FIXED | (p->bytes == 1 ? PX_FIX_zext_byte4 : PX_FIX_zext_half4), word(reg), s, none,
             0);
    } else {
        enum px_fixed fix = p->bytes == 1 ? PX_FIX_insert_byte4 : PX_FIX_insert_half4;
        move(f, b, (px_irop)(PX_IR_FIXED | fix), word(reg), word(reg), s, (uint32_t)(at & 3) * 8);
    }
}

void px_lower_param_access(struct px_irfn *f, const struct px_bound *b, const struct px_param *v, bool store)
{
    struct px_parts p = px_lower_parts(f, b, store ? 1 : 0);
    uint64_t at = (uint64_t)b->inst->opds[store ? 0 : 1].u.list[0].offset;
    for (uint32_t i = 0; i < p.n; i++, at += p.bytes) {
        if (at > v->bytes || v->bytes - at < p.bytes)
            px_code_fail(f, b->inst, "is outside of '%s'", v->symbol->name->text);
        uint32_t reg = first_word(f, (struct px_param *)v) + (uint32_t)(at / 4);
        if (store)
            store_words(f, b, v, reg, at, &p, &p.value[i]);
        else
            load_words(f, b, reg, at, &p, &p.value[i]);
    }
}

/* ---- words of parameters: at call sites, at the start of a function, and where it returns ---- */

static void add_word(struct px_irfn *f, uint32_t reg)
{
    px_vec_push(f->coder->scratch, &f->words, reg);
}

static struct px_words fresh_words(struct px_irfn *f, uint32_t bytes)
{
    const struct px_words w = {bytes, f->words.n};
    for (uint32_t i = 0; i < px_words_n(&w); i++) add_word(f, px_lower_register(f, 4, PX_T_NONE));
    return w;
}

/* A register that is passed, or the `n` registers of a vector. */
struct passed_register {
    uint32_t reg, n;
};

static struct passed_register formal_register(const struct px_irfn *f, const struct px_symbol *s)
{
    const uint32_t n = px_code_reg(f, s->index)->vec;
    return (struct passed_register){f->reg_base[s->index], n ? n : 1};
}

static struct passed_register actual_register(const struct px_irfn *f, const struct px_operand *o)
{
    const uint32_t n = px_lower_components(f, o);
    return (struct passed_register){px_lower_reg(f, o, 0), n ? n : 1};
}

/* Bytes of one register among the words: those of a vector lie as in memory. */
static uint32_t passed_bytes(const struct px_irfn *f, struct passed_register r)
{
    const struct px_ir_reg *reg = &f->regs.at[r.reg];
    return r.n > 1 ? px_type_info((enum px_type)reg->type)->bits / 8 : reg->elem;
}

/* Registers for the words of a register: itself where it is a word. */
static struct px_words register_words(struct px_irfn *f, struct passed_register r)
{
    const struct px_words w = {4 * r.n, f->words.n};
    if (f->regs.at[r.reg].elem != 4) return fresh_words(f, r.n * passed_bytes(f, r));
    for (uint32_t i = 0; i < r.n; i++) add_word(f, r.reg + i);
    return w;
}

static struct px_words variable_words(struct px_irfn *f, struct px_param *p)
{
    const struct px_words w = {p->bytes, f->words.n};
    if (p->local != PX_NONE32) return fresh_words(f, p->bytes);
    const uint32_t first = first_word(f, p);
    for (uint32_t i = 0; i < px_words_n(&w); i++) add_word(f, first + i);
    return w;
}

/* Words that are not the thing itself, to or from it: a register, or a variable in local memory. */
static void move_local(struct px_irfn *f, const struct px_param *p, struct px_words w, bool store)
{
    for (uint32_t i = 0; i < px_words_n(&w); i++) {
        const struct px_ir_operand address = {.kind = PX_IR_ADDRESS,
                                              .elem = 4,
                                              .type = PX_SPACE_LOCAL,
                                              .base = PX_IR_UNIFORM,
                                              .at = offsetof(struct px_uniform, local_base),
                                              .value = p->local + i * 4};
        const struct px_ir_operand value = word(f->words.at[w.first + i]);
        const struct px_ir_operand opds[2] = {store ? address : value, store ? value : address};
        px_irop op = (px_irop)(PX_IR_TABLE | (store ? PX_OP_st : PX_OP_ld));
        px_lower_inst(f, op, opds, !store, 2)->fact = 4;
    }
}

static struct px_ir_operand register_opd(const struct px_irfn *f, uint32_t reg)
{
    return (struct px_ir_operand){
        .kind = PX_IR_REG, .elem = f->regs.at[reg].elem, .type = f->regs.at[reg].type, .at = reg};
}

/* Elements of 1 or 2 bytes of a vector, between registers of 2 bytes and words that hold several. */
static void move_small(struct px_irfn *f, struct passed_register r, struct px_words w, bool store)
{
    const uint32_t bytes = passed_bytes(f, r);
    const bool sign = px_type_info((enum px_type)f->regs.at[r.reg].type)->klass == PX_TC_SIGNED;
    const enum px_fixed extend = bytes == 1 ? PX_FIX_zext_byte4 : PX_FIX_zext_half4;
    const enum px_fixed insert = bytes == 1 ? PX_FIX_insert_byte4 : PX_FIX_insert_half4;
    for (uint32_t i = 0; i < r.n; i++) {
        const uint32_t at = i * bytes, reg = f->words.at[w.first + at / 4], shift = (at & 3) * 8;
        const struct px_ir_operand element = register_opd(f, r.reg + i);
        if (store)
            move(f, NULL, PX_IR_COPY, element, field(f, reg, at, bytes, sign), none, 0);
        else if (shift)
            move(f, NULL, (px_irop)(PX_IR_FIXED | insert), word(reg), word(reg),
                 px_lower_resize(f, element, 4, false), shift);
        else
            move(f, NULL, (px_irop)(PX_IR_FIXED | extend), word(reg), px_lower_resize(f, element, 4, false),
                 none, 0);
    }
}

static void move_register(struct px_irfn *f, struct passed_register r, struct px_words w, bool store)
{
    const uint32_t elem = f->regs.at[r.reg].elem;
    if (elem == 4) return;
    if (elem == 2 && r.n > 1) {
        move_small(f, r, w, store);
        return;
    }
    for (uint32_t i = 0; i < r.n; i++) {
        const uint32_t first = f->words.at[w.first + i * elem / 4];
        if (store)
            from_words(f, NULL, register_opd(f, r.reg + i), first);
        else
            to_words(f, NULL, first, register_opd(f, r.reg + i));
    }
}

static bool is_register_symbol(const struct px_symbol *s)
{
    return s->space == PX_SPACE_REG || s->kind == PX_SYM_REG;
}

static void pass(struct px_irfn *f, struct px_words w)
{
    px_vec_push(f->coder->scratch, &f->passed, w);
}

/* More than 65,535 would be more than 256 KiB, which words_inst refuses anyway. */
static uint16_t count_of(struct px_irfn *f, const struct px_inst *inst, uint32_t n)
{
    if (n > UINT16_MAX) px_code_fail(f, inst, "passes more than 65,535 parameters");
    return (uint16_t)n;
}

static void formals(struct px_irfn *f, struct px_symbol *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (is_register_symbol(list[i]))
            pass(f, register_words(f, formal_register(f, list[i])));
        else if (px_lower_param(f, list[i]))
            pass(f, variable_words(f, px_lower_param(f, list[i])));
        else
            pass(f, (struct px_words){0});
    }
}

/* `first`: in f->passed. */
static void move_formals(struct px_irfn *f, struct px_symbol *const *list, uint32_t first, uint32_t n,
                         bool store)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct px_words w = f->passed.at[first + i];
        const struct px_param *p = is_register_symbol(list[i]) ? NULL : px_lower_param(f, list[i]);
        if (is_register_symbol(list[i]))
            move_register(f, formal_register(f, list[i]), w, store);
        else if (p && p->local != PX_NONE32)
            move_local(f, p, w, store);
    }
}

static void push_words(struct px_irfn *f, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++)
        for (uint32_t k = 0; k < px_words_n(&f->passed.at[i]); k++)
            px_lower_add(f, word(f->words.at[f->passed.at[i].first + k]));
}

/* The operands from in->first on are those of the instruction: all that have been added. */
static void count_opds(struct px_irfn *f, const struct px_inst *inst, struct px_ir_inst *in)
{
    if (f->opds.n - in->first > UINT16_MAX) px_code_fail(f, inst, "passes more than 256 KiB of parameters");
    in->nopds = (uint16_t)(f->opds.n - in->first);
}

void px_lower_prologue(struct px_irfn *f)
{
    const struct px_func *func = f->fn->func;
    struct px_call_site *own = &f->code->formals;
    if (f->func->is_entry) return;
    own->nargs = count_of(f, NULL, func->nparams);
    own->nrets = count_of(f, NULL, func->nrets);
    formals(f, f->fn->params, own->nargs);
    formals(f, f->fn->rets, own->nrets);
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_ARGUMENTS, NULL, 0, 0);
    push_words(f, own->args, own->nargs);
    count_opds(f, NULL, in);
    in->ndst = in->nopds;
    move_formals(f, f->fn->params, own->args, own->nargs, true);
}

void px_lower_return(struct px_irfn *f, px_irop op)
{
    const struct px_call_site *own = &f->code->formals;
    const uint32_t rets = own->args + own->nargs;
    if (!f->func->is_entry) move_formals(f, f->fn->rets, rets, own->nrets, false);
    struct px_ir_inst *in = px_lower_inst(f, op, NULL, 0, 0);
    push_words(f, rets, own->nrets);
    count_opds(f, NULL, in);
}

/* ---- calls ---- */

/* Operands of call: [(results),] callee [, (arguments)] [, prototype]. */
struct call_parts {
    const struct px_operand *rets, *callee, *args;
};

static struct call_parts call_parts_of(const struct px_inst *inst)
{
    struct call_parts p = {0};
    uint32_t i = 0;
    if (inst->opds[0].kind == PX_O_LIST) p.rets = &inst->opds[i++];
    p.callee = &inst->opds[i++];
    if (i < inst->nopds && inst->opds[i].kind == PX_O_LIST) p.args = &inst->opds[i];
    return p;
}

static const struct px_symbol *direct_callee(const struct px_operand *o)
{
    const struct px_symbol *s = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (s && s->kind == PX_SYM_FUNC && s->alias_of) s = s->alias_of;
    return s && s->kind == PX_SYM_FUNC ? s : NULL;
}

static struct px_words actual(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                              bool result)
{
    uint64_t value;
    if (o->kind == PX_O_SINK) return (struct px_words){0};
    if (px_lower_is_register(o)) return register_words(f, actual_register(f, o));
    struct px_param *p = o->kind == PX_O_NAME && o->symbol ? px_lower_param(f, o->symbol) : NULL;
    if (p) return variable_words(f, p);
    if (!result && px_lower_value(f, o, PX_T_B64, &value)) return fresh_words(f, 8);
    px_code_fail(f, b->inst, "has a parameter that cannot be passed");
}

static uint16_t actuals(struct px_irfn *f, const struct px_bound *b, const struct px_operand *list,
                        bool result)
{
    const uint16_t n = list ? count_of(f, b->inst, list->n) : 0;
    for (uint32_t i = 0; i < n; i++) pass(f, actual(f, b, &list->u.list[i], result));
    return n;
}

static void move_actuals(struct px_irfn *f, const struct px_operand *list, uint32_t first, uint32_t n,
                         bool result)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct px_operand *o = &list->u.list[i];
        struct px_ir_operand s = {.kind = PX_IR_IMM, .elem = 8, .type = PX_T_B64};
        const struct px_words w = f->passed.at[first + i];
        if (o->kind == PX_O_SINK) continue;
        const struct px_param *p = o->kind == PX_O_NAME && o->symbol ? px_lower_param(f, o->symbol) : NULL;
        if (px_lower_is_register(o))
            move_register(f, actual_register(f, o), w, result);
        else if (p && p->local != PX_NONE32)
            move_local(f, p, w, result);
        else if (!p && px_lower_value(f, o, PX_T_B64, &s.value))
            to_words(f, NULL, f->words.at[w.first], s);
    }
}

static void resolve_callee(struct px_irfn *f, const struct px_bound *b, const struct px_symbol *callee,
                           struct px_call_site *site)
{
    site->callee = px_link_func(f->coder->linked, callee);
    if (!site->callee) px_code_fail(f, b->inst, "calls '%s', which is not linked", callee->name->text);
    if (site->callee->kind == PX_FUNCTION_CODE) px_code_function(f->coder, site->callee);
}

/* A call by address may reach any function whose address is taken. */
static void reach_all(struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->coder->linked->nfuncs; i++) {
        const struct px_lfunc *func = &f->coder->linked->funcs[i];
        if (func->kind == PX_FUNCTION_CODE && func->taken && !func->is_entry)
            px_code_function(f->coder, func);
    }
}

/*
 * The words of arguments and results are registers like others, no temporaries: lanes that wait in the call
 * (in an extern function, behind another target of an indirect one) read their arguments again, and results
 * are written when lanes return.
 */
void px_lower_call(struct px_irfn *f, const struct px_bound *b)
{
    struct call_parts p = call_parts_of(b->inst);
    struct px_call_site site = {0};
    const struct px_symbol *callee = direct_callee(p.callee);
    uint32_t around = px_lower_around(f, b);
    struct px_ir_operand target = none;
    if (callee) {
        resolve_callee(f, b, callee, &site);
    } else {
        reach_all(f);
        target = px_lower_resize(f, px_lower_src(f, b, p.callee, PX_T_U64), 8, false);
        if (f->regs.n && target.kind == PX_IR_REG && f->regs.at[target.at].temp) {
            uint32_t kept = px_lower_register(f, 8, PX_T_U64);
            move(f, NULL, PX_IR_COPY, register_opd(f, kept), target, none, 0);
            target = register_opd(f, kept);
        }
    }
    site.args = f->passed.n;
    site.nargs = actuals(f, b, p.args, false);
    site.nrets = actuals(f, b, p.rets, true);
    const uint32_t rets = site.args + site.nargs;
    move_actuals(f, p.args, site.args, site.nargs, false);
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_TABLE | PX_OP_call, NULL, 0, 0);
    push_words(f, rets, site.nrets);
    count_opds(f, b->inst, in);
    in->ndst = in->nopds;
    px_lower_add(f, target);
    push_words(f, site.args, site.nargs);
    count_opds(f, b->inst, in);
    in->aux = f->sites.n;
    px_vec_push(f->coder->scratch, &f->sites, site);
    move_actuals(f, p.rets, rets, site.nrets, true);
    px_lower_around_end(f, around);
}
