/*
 * contract_body.c - the function as ptxas sees it when it contracts.
 *
 * Lowering branches around what may wait and has a guard. To ptxas that is one instruction under a guard,
 * whose block goes on; so these branches are left out of the graph.
 */
#include "code/ir/contract.h"

bool px_contract_asked(const struct px_irfn *f, bool *contracts)
{
    const ptx_fmad wished = f->coder->wishes.fmad;
    const ptx_fmad fmad = wished || !f->module ? wished : (ptx_fmad)f->module->fmad;
    *contracts = fmad != PTX_FMAD_OFF;
    return !f->module || !f->module->target_debug || fmad == PTX_FMAD_ON;
}

/* Where the branch is one around the rest of its instruction of the text: where that ends; else PX_NONE32. */
static uint32_t end_of_around(const struct px_irfn *f, uint32_t i)
{
    const struct px_ir_inst *in = &f->insts.at[i];
    if (in->op != PX_IR_BRANCH || !in->origin || in[1].origin != in->origin) return PX_NONE32;
    return f->labels.at[in->target];
}

static bool switches(const struct px_ir_inst *in)
{
    return px_ir_flags(in->op) & PX_OPERATION_switches;
}

static void find_guarded(struct px_body *d)
{
    const struct px_irfn *f = d->f;
    for (uint32_t i = 0, end = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const uint32_t around = end_of_around(f, i);
        d->guarded[i] = i < end || in->guard != PX_NONE32;
        if (around != PX_NONE32)
            end = around;
        else if (in->op == PX_IR_BRANCH || in->op == PX_IR_JUMP)
            d->targets[f->labels.at[in->target]] = true;
        const struct px_ir_switch *s = switches(in) ? &f->switches.at[in->aux] : NULL;
        for (uint32_t k = 0; s && k < s->n; k++) d->targets[f->labels.at[s->targets[k]]] = true;
    }
}

static void find_constants(struct px_body *d)
{
    const struct px_irfn *f = d->f;
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        for (uint32_t k = 0; k < in->ndst; k++)
            if (o[k].kind == PX_IR_REG) d->defs[o[k].at] = d->defs[o[k].at] || d->guarded[i] ? 2 : 1;
    }
    memset(d->constants, 0xff, f->regs.n * sizeof *d->constants);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst *in = &f->insts.at[i];
        const struct px_ir_opd *o = px_ir_opds(f, in);
        if (in->op == PX_IR_COPY && o[1].kind == PX_IR_IMM && d->defs[o[0].at] == 1)
            d->constants[o[0].at] = o[1].at;
    }
}

void px_contract_body(struct px_body *d, struct px_irfn *f, bool contracts)
{
    struct px_arena *a = f->coder->pass;
    *d = (struct px_body){.f = f,
                          .arena = a,
                          .contracts = contracts,
                          .guarded = PX_NEW_N(a, bool, f->insts.n + 1),
                          .targets = PX_NEW_N(a, bool, f->insts.n + 1),
                          .defs = PX_NEW_N(a, uint8_t, f->regs.n + 1),
                          .constants = px_arena_alloc(a, (f->regs.n + 1) * sizeof *d->constants)};
    find_guarded(d);
    find_constants(d);
}

/* ---- the graph ---- */

static void add_end(const struct px_body *d, uint32_t i, px_flow_ends *ends)
{
    const struct px_irfn *f = d->f;
    const struct px_ir_inst *in = &f->insts.at[i];
    struct px_flow_end end = {
        .at = i, .target = PX_FLOW_NONE, .table = PX_FLOW_NONE, .falls = px_ir_falls(in) || d->guarded[i]};
    if (end_of_around(f, i) != PX_NONE32) return;
    if (in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH)
        end.target = f->labels.at[in->target];
    else if (switches(in))
        end.table = in->aux;
    else if (!px_ir_falls(in))
        end.leaves = true;
    else
        return;
    px_vec_push(d->arena, ends, end);
}

static void add_table(const struct px_body *d, const struct px_ir_switch *s, px_flow_tables *tables)
{
    uint32_t *targets = PX_NEW_N(d->arena, uint32_t, s->n + 1);
    for (uint32_t k = 0; k < s->n; k++) targets[k] = d->f->labels.at[s->targets[k]];
    const struct px_flow_table table = {targets, s->n};
    px_vec_push(d->arena, tables, table);
}

void px_contract_graph(struct px_body *d)
{
    const struct px_irfn *f = d->f;
    struct px_flow_code code = {.n = f->insts.n};
    for (uint32_t i = 0; i < f->insts.n; i++) add_end(d, i, &code.ends);
    for (uint32_t i = 0; i < f->switches.n; i++) add_table(d, &f->switches.at[i], &code.tables);
    px_flow_graph(&d->graph, d->arena, &code);
}

bool px_contract_goes_on(const struct px_body *d, uint32_t k)
{
    const struct px_flow_lists *succ = &d->graph.succ, *pred = &d->graph.pred;
    return succ->first[k] - succ->first[k - 1] == 1 && succ->to[succ->first[k - 1]] == k &&
           pred->first[k + 1] - pred->first[k] == 1;
}
