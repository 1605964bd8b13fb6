/* draw.c - the graph of a function for dot: a box for each block, with its instructions. */
#include "code/ir/text.h"

/* The instructions of a block, quoted: \l ends a line that begins at the left. */
static void add_quoted(struct px_ir_text *t, const char *line, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        px_ir_text_add(t, line[i] == '"' || line[i] == '\\' ? "\\%c" : "%c", line[i]);
    px_ir_text_add(t, "\\l");
}

static void add_box(struct px_ir_text *t, const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_block b = f->graph.blocks[node];
    px_ir_text_add(t, "  b%u [label=\"block %u\\l", node, node);
    for (uint32_t i = b.first; i < b.first + b.n; i++) {
        struct px_ir_text line = {.arena = t->arena};
        px_ir_print_inst(&line, f, &f->insts.at[i]);
        add_quoted(t, line.out.at, line.out.n);
    }
    px_ir_text_add(t, "\"%s];\n", f->loops.size[node] > 1 ? " style=bold" : "");
}

/* Edges back to the head of a loop are dashed. */
static void add_edges(struct px_ir_text *t, const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_lists *pred = &f->graph.pred;
    for (uint32_t k = pred->first[node]; k < pred->first[node + 1]; k++) {
        const uint32_t from = pred->to[k];
        const bool back = f->loops.place[node] <= f->loops.place[from];
        px_ir_text_add(t, "  b%u -> b%u%s;\n", from, node, back ? " [style=dashed]" : "");
    }
}

void px_ir_draw(struct px_ir_text *t, const struct px_irfn *f, const char *after)
{
    px_ir_text_add(t, "digraph \"%s after %s\" {\n  node [shape=box fontname=monospace];\n", f->func->name,
                   after);
    for (uint32_t p = 0; f->graph.blocks && p < f->loops.n; p++) {
        const uint32_t node = f->loops.order[p];
        if (node < f->graph.nblocks)
            add_box(t, f, node);
        else
            px_ir_text_add(t, "  b%u [label=\"%s\"];\n", node, node == f->graph.end ? "end" : "table");
        add_edges(t, f, node);
    }
    px_ir_text_add(t, "}\n");
}
