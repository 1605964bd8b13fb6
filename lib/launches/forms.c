/*
 * forms.c - the list of launches as text and as JSON.
 */
#include <inttypes.h>
#include <string.h>
#include "launches/launches.h"

enum { NODES_SHOWN = 1000, DEPTH_SHOWN = 100 };

/* ---- text ---- */

static void headline(const ptx_launch_totals *t, struct px_out *out)
{
    px_out(out, "launches: %" PRIu64 " grid%s, %" PRIu64 " launched by kernels, deepest nesting %u", t->grids,
           t->grids == 1 ? "" : "s", t->by_kernels, t->depth);
    if (t->refused) px_out(out, ", %" PRIu64 " refused", t->refused);
    if (t->lost) px_out(out, ", %" PRIu64 " more without a record", t->lost);
    px_out_text(out, "\n");
}

static void print_node(struct px_arena *arena, const struct px_launch_node *n, unsigned depth,
                       struct px_out *out)
{
    const char *from = px_launch_node_from(arena, n);
    px_out(out, "%*s", (int)(2 * depth), "");
    px_out_text(out, px_launch_node_title(arena, n));
    if (n->begun) px_out(out, "  [%" PRIu64 "..%" PRIu64 "]", n->begun, n->ended);
    px_out_text(out, "  ");
    px_out_text(out, px_launch_node_numbers(arena, n));
    if (*from) px_out_text(out, "  at ");
    px_out_text(out, from);
    px_out_text(out, "\n");
}

void px_launches_text(struct px_arena *arena, const struct px_launches *l, struct px_out *out)
{
    const ptx_launch_totals totals = px_launch_totals(l);
    const struct px_launch_node *root = px_launch_tree(arena, l), *n = root->children;
    unsigned depth = 1, shown = 0;
    headline(&totals, out);
    while (n && n != root && !out->stopped) {
        if (depth <= DEPTH_SHOWN && shown < NODES_SHOWN) print_node(arena, n, depth, out);
        shown++;
        if (n->children) {
            n = n->children;
            depth++;
            continue;
        }
        while (n != root && !n->next) n = n->parent, depth--;
        if (n != root) n = n->next;
    }
    if (shown > NODES_SHOWN) px_out(out, "  ... and %u more nodes\n", shown - NODES_SHOWN);
}

/* ---- JSON ---- */

static void json_string(struct px_out *out, const char *text)
{
    px_out_text(out, "\"");
    for (const char *at = text; *at; at++) {
        const char one[2] = {*at, 0};
        if ((unsigned char)*at < 32 || *at == '"' || *at == '\\')
            px_out(out, "\\u%04x", (unsigned char)*at);
        else
            px_out_text(out, one);
    }
    px_out_text(out, "\"");
}

static void json_member(struct px_out *out, const char *name, const char *text)
{
    if (!text || !*text) return;
    px_out(out, ", \"%s\": ", name);
    json_string(out, text);
}

static void json_three(struct px_out *out, const char *name, const uint32_t v[3])
{
    px_out(out, ", \"%s\": [%u, %u, %u]", name, v[0], v[1], v[2]);
}

static void json_param(struct px_arena *arena, const struct px_launch *r, uint32_t i, struct px_out *out)
{
    const struct px_launched_param *p = &r->kernel->params[i];
    const struct px_launched_pointer *pointer = r->pointers ? &r->pointers[i] : NULL;
    px_out_text(out, i ? ", {\"name\": " : "{\"name\": ");
    json_string(out, p->name);
    px_out(out, ", \"type\": \"%s\", \"count\": %u, \"value\": ", p->type, p->count);
    json_string(out, px_launch_value(arena, r, i));
    if (pointer && pointer->bytes) {
        px_out(out, ", \"block\": %" PRIu64 ", \"block_bytes\": %" PRIu64, pointer->block, pointer->bytes);
        json_member(out, "variable", pointer->variable);
    }
    px_out_text(out, "}");
}

static void json_place(const struct px_launch *r, struct px_out *out)
{
    const struct px_launch_place *p = r->place;
    json_member(out, "call", p->call);
    json_member(out, "function", p->function);
    json_member(out, "file", p->file);
    px_out(out, ", \"line\": %u, \"column\": %u", p->line, p->column);
    json_member(out, "source", p->source);
    json_three(out, "by_block", r->cta);
    json_three(out, "by_thread", r->thread);
}

static void json_times(const struct px_launch *r, struct px_out *out)
{
    px_out(out, ", \"begin\": %" PRIu64 ", \"end\": %" PRIu64, r->begun, r->ended);
    px_out(out, ", \"begin_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64, r->begin_ns, r->end_ns);
    px_out(out, ", \"blocks\": %" PRIu64 ", \"instructions\": %" PRIu64, px_launch_blocks(r),
           (uint64_t)atomic_load_explicit(&r->instructions, memory_order_relaxed));
}

static void json_launch(struct px_arena *arena, const struct px_launch *r, struct px_out *out)
{
    const uint32_t shape[3] = {r->shape.x, r->shape.y, r->shape.z},
                   block[3] = {r->block.x, r->block.y, r->block.z};
    px_out(out, "%s\n  {\"number\": %" PRIu64, r->number ? "," : "", r->number);
    if (r->parent) px_out(out, ", \"parent\": %" PRIu64, r->parent->number);
    json_member(out, "kernel", r->kernel ? r->kernel->name : "");
    json_three(out, "grid", shape);
    json_three(out, "block", block);
    px_out(out, ", \"shared\": %u, \"depth\": %u", r->shared, r->depth);
    json_member(out, "stream", px_launch_stream(arena, r));
    json_member(out, "api", r->api);
    if (r->graph) px_out(out, ", \"graph\": %" PRIu64, r->graph);
    if (r->place) json_place(r, out);
    if (r->error) {
        px_out(out, ", \"error\": %d", r->error);
        json_member(out, "reason", r->reason);
    } else {
        json_times(r, out);
    }
    px_out_text(out, ", \"params\": [");
    for (uint32_t i = 0; r->params && i < r->kernel->nparams; i++) json_param(arena, r, i, out);
    px_out_text(out, "]}");
}

void px_launches_json(struct px_arena *arena, const struct px_launches *l, struct px_out *out)
{
    const ptx_launch_totals t = px_launch_totals(l);
    px_out(out, "{\"grids\": %" PRIu64 ", \"by_kernels\": %" PRIu64 ", \"refused\": %" PRIu64, t.grids,
           t.by_kernels, t.refused);
    px_out(out, ", \"lost\": %" PRIu64 ", \"depth\": %u, \"launches\": [", t.lost, t.depth);
    for (const struct px_launch *r = l->first; r && !out->stopped; r = r->next) json_launch(arena, r, out);
    px_out_text(out, "]}\n");
}
