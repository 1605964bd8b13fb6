/*
 * code.c - the code of a function: its checked tree as a list of instructions
 * with their operands resolved, in text order.
 *
 * Variables of the function (.local, and .param of calls and formals) get
 * places in the frame's part of local memory.
 */
#include "machine.h"
#include "gen/isa_ops.h"

enum { FRAME_ALIGN = 128 };

/* ---- registers and variables ---- */

static void number_registers(const struct ref_context *x)
{
    struct ref_code *c = x->code;
    c->reg_base = PX_NEW_N(&x->m->arena, uint32_t, x->fn->regs.n + 1);
    for (uint32_t i = 0; i < x->fn->regs.n; i++) {
        c->reg_base[i] = c->nregs;
        c->nregs += x->fn->regs.at[i].vec ? x->fn->regs.at[i].vec : 1;
    }
}

static void add_variable(const struct ref_context *x, const struct px_symbol *s)
{
    struct ref_code *c = x->code;
    uint32_t align = s->align > 16 ? s->align : 16;
    if ((s->space != PX_SPACE_PARAM && s->space != PX_SPACE_LOCAL) || s->is_entry_param ||
        ref_variable_of(c, s))
        return;
    uint64_t at = (c->local_bytes + (uint64_t)align - 1) / align * align;
    if (align > FRAME_ALIGN || at + s->size > 1u << 20)
        ref_fail(x->m, "the reference has no room for '%s'", s->name->text);
    struct ref_variable v = {s, (uint32_t)at, (uint32_t)s->size};
    c->local_bytes = (uint32_t)(at + s->size);
    px_vec_push(&x->m->arena, &c->vars, v);
}

static struct ref_operand formal(const struct ref_context *x, const struct px_symbol *s)
{
    if (s->kind == PX_SYM_REG) return ref_register_whole(x, s->index, x->fn->regs.at[s->index].type);
    const struct ref_variable *v = ref_variable_of(x->code, s);
    return (struct ref_operand){.kind = REF_FRAME, .value = v->offset, .size = v->size};
}

static void declare(const struct ref_context *x)
{
    const struct px_func *f = x->fn->func;
    struct ref_code *c = x->code;
    number_registers(x);
    for (uint32_t i = 0; i < f->nparams; i++) add_variable(x, x->fn->params[i]);
    for (uint32_t i = 0; i < f->nrets; i++) add_variable(x, x->fn->rets[i]);
    for (uint32_t i = 0; i < x->fn->vars.n; i++) add_variable(x, x->fn->vars.at[i]);
    if (c->func->is_entry) return;
    c->params = PX_NEW_N(&x->m->arena, struct ref_operand, f->nparams + 1u);
    c->rets = PX_NEW_N(&x->m->arena, struct ref_operand, f->nrets + 1u);
    for (uint32_t i = 0; i < f->nparams; i++) c->params[i] = formal(x, x->fn->params[i]);
    for (uint32_t i = 0; i < f->nrets; i++) c->rets[i] = formal(x, x->fn->rets[i]);
}

/* ---- instructions ---- */

struct label {
    const struct px_stmt *stmt;
    uint32_t at;
};

struct flat {
    PX_VEC(const struct px_inst *) insts;
    PX_VEC(struct label) labels;
};

static void flatten(const struct ref_context *x, struct flat *f, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *s = block->list[i];
        struct label label = {s, f->insts.n};
        if (s->kind == PX_S_INST)
            px_vec_push(&x->m->arena, &f->insts, &s->u.inst);
        else if (s->kind == PX_S_LABEL)
            px_vec_push(&x->m->arena, &f->labels, label);
        else if (s->kind == PX_S_BLOCK)
            flatten(x, f, &s->u.block);
    }
}

static uint32_t label_place(const struct ref_context *x, const struct flat *f, const struct px_inst *inst,
                            const struct px_symbol *s)
{
    for (uint32_t i = 0; s && i < f->labels.n; i++)
        if (f->labels.at[i].stmt == s->u.stmt) return f->labels.at[i].at;
    ref_unsupported(x->m, inst, "with this target");
}

static void bind_targets(const struct ref_context *x, const struct flat *f, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    if (in->op == PX_OP_bra) in->target = label_place(x, f, in->inst, o[0].symbol);
    if (in->op != PX_OP_brx) return;
    const struct px_stmt *table = o[1].symbol->u.stmt;
    in->ntargets = table->u.targets.n;
    in->targets = PX_NEW_N(&x->m->arena, uint32_t, in->ntargets + 1);
    for (uint32_t i = 0; i < in->ntargets; i++)
        in->targets[i] = label_place(x, f, in->inst, table->u.targets.list[i].symbol);
}

static enum px_type first_type(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++) {
        enum px_type t = px_type_of_word(inst->mods[i].name->word);
        if (t != PX_T_NONE) return t;
    }
    return PX_T_B32;
}

static enum px_space first_space(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++) {
        enum px_space s = px_space_of_word(inst->mods[i].name->word);
        if (s != PX_SPACE_NONE) return s;
    }
    return PX_SPACE_NONE;
}

static void bind_guard(const struct ref_context *x, struct ref_inst *in)
{
    if (!in->inst->guard) return;
    in->guarded = true;
    in->guard = ref_resolve(x, in->inst, in->inst->guard, PX_T_PRED);
    in->guard.negated = in->inst->guard_negated;
}

static void bind(const struct ref_context *x, const struct flat *f, struct ref_inst *in,
                 const struct px_inst *inst)
{
    in->inst = inst;
    if (!px_match_inst(inst, &in->match) || !px_form_executable(in->match.form))
        ref_unsupported(x->m, inst, "");
    in->opcode = inst->opcode->word;
    in->op = px_match_op(&in->match);
    in->handler = px_match_handler(&in->match);
    in->mode = px_match_fp_mode(&in->match);
    in->type = first_type(inst);
    in->space = first_space(inst);
    in->n = inst->nopds;
    if (in->n > REF_OPERANDS) ref_unsupported(x->m, inst, "with so many operands");
    bind_guard(x, in);
    bind_targets(x, f, in);
    if (!ref_bind_video(x, in) && !ref_bind_alu(x, in) && !ref_bind_move(x, in) && !ref_bind_memory(x, in) &&
        !ref_bind_atomic(x, in) && !ref_bind_control(x, in) && !ref_bind_barrier(x, in) &&
        !ref_bind_async(x, in) && !ref_bind_warp(x, in) && !ref_bind_matrix(x, in))
        ref_unsupported(x->m, inst, "");
}

/* Past the last instruction stands a return. */
static void fill(const struct ref_context *x)
{
    struct flat f = {0};
    struct ref_code *c = x->code;
    flatten(x, &f, x->fn->func->body);
    c->n = f.insts.n;
    c->insts = PX_NEW_N(&x->m->arena, struct ref_inst, c->n + 1);
    for (uint32_t i = 0; i < c->n; i++) bind(x, &f, &c->insts[i], f.insts.at[i]);
    c->insts[c->n].run = ref_run_ret;
}

const struct ref_code *ref_code_of(struct ref_machine *m, const struct px_lfunc *func)
{
    if (m->code[func->id]) return m->code[func->id];
    if (func->kind != PX_FUNCTION_CODE || !func->fn->func->body)
        ref_fail(m, "the reference does not run calls of '%s'", func->name);
    struct ref_code *c = PX_NEW(&m->arena, struct ref_code);
    struct ref_context x = {m, c, func->fn};
    c->func = func;
    declare(&x);
    fill(&x);
    m->code[func->id] = c;
    return c;
}
