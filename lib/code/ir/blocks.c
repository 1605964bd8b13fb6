/* blocks.c - the graph of the IR, its dominators, and the weak topological order in which its blocks become
 * code. */
#include "code/ir/fn.h"

static void add_end(struct px_irfn *f, uint32_t i, px_flow_ends *ends)
{
    const struct px_ir_inst *in = &f->insts.at[i];
    struct px_flow_end end = {
        .at = i, .target = PX_FLOW_NONE, .table = PX_FLOW_NONE, .falls = px_ir_falls(in)};
    if (in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH)
        end.target = f->labels.at[in->target];
    else if (px_ir_flags(in->op) & PX_OPERATION_switches)
        end.table = in->aux;
    else if (!end.falls)
        end.leaves = true;
    else
        return;
    px_vec_push(f->coder->pass, ends, end);
}

/* Targets of switches become instructions. */
static void add_tables(struct px_irfn *f, px_flow_tables *tables)
{
    for (uint32_t i = 0; i < f->switches.n; i++) {
        struct px_ir_switch *s = &f->switches.at[i];
        for (uint32_t k = 0; k < s->n; k++) s->targets[k] = f->labels.at[s->targets[k]];
        struct px_flow_table table = {s->targets, s->n};
        px_vec_push(f->coder->pass, tables, table);
    }
}

void px_ir_blocks(struct px_irfn *f)
{
    struct px_flow_code code = {.n = f->insts.n};
    for (uint32_t i = 0; i < f->insts.n; i++) add_end(f, i, &code.ends);
    add_tables(f, &code.tables);
    px_flow_graph(&f->graph, f->coder->scratch, &code);
    px_flow_loops(&f->loops, f->coder->scratch, f->coder->pass, &f->graph);
    f->dominators =
        px_flow_dominators(f->coder->scratch, f->coder->pass, f->graph.n, &f->graph.succ, &f->graph.pred, 0);
}
