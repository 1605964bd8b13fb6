/*
 * pictures.c - the folded tree of launches for graphviz and as SVG.
 *
 * The SVG has a row a node, further to the right the deeper it is. Each kernel has a colour; the bar in a
 * node is its part of all instructions.
 */
#include <inttypes.h>
#include <string.h>
#include "launches/launches.h"

enum { BOX_WIDTH = 700, BOX_HEIGHT = 66, INDENT = 28, GAP_Y = 10, MARGIN = 16, LINE_CHARS = 105 };
enum { NODES_DRAWN = 300 };

/* The node behind n in the order parent, child, sibling, and how much deeper that is; NULL: the end. */
static const struct px_launch_node *walk(const struct px_launch_node *n, int *deeper)
{
    *deeper = 1;
    if (n->children) return n->children;
    for (*deeper = 0; n && !n->next; n = n->parent) --*deeper;
    return n ? n->next : NULL;
}

static uint64_t all_instructions(const struct px_launches *l)
{
    uint64_t sum = 0;
    for (const struct px_launch *r = l->first; r; r = r->next)
        sum += atomic_load_explicit(&r->instructions, memory_order_relaxed);
    return sum ? sum : 1;
}

/* ---- graphviz ---- */

static void dot_text(struct px_out *out, const char *text)
{
    for (; *text; text++) {
        const char one[3] = {*text == '"' || *text == '\\' ? '\\' : *text,
                             *text == '"' || *text == '\\' ? *text : 0, 0};
        px_out_text(out, one);
    }
}

void px_launches_dot(struct px_arena *arena, const struct px_launches *l, struct px_out *out)
{
    const struct px_launch_node *root = px_launch_tree(arena, l);
    int deeper;
    unsigned drawn = 0;
    px_out_text(out, "digraph launches {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for (const struct px_launch_node *n = root->children; n; n = walk(n, &deeper)) {
        if (++drawn > NODES_DRAWN) break;
        px_out(out, "  n%" PRIu64 " [label=\"", n->first->number);
        dot_text(out, px_launch_node_title(arena, n));
        px_out_text(out, "\\n");
        dot_text(out, px_launch_node_numbers(arena, n));
        px_out_text(out, n->first->error ? "\", style=dashed];\n" : "\"];\n");
        if (n->parent == root) continue;
        px_out(out, "  n%" PRIu64 " -> n%" PRIu64 " [label=\"", n->parent->first->number, n->first->number);
        dot_text(out, px_launch_node_from(arena, n));
        px_out_text(out, "\"];\n");
    }
    px_out_text(out, "}\n");
}

/* ---- SVG ---- */

struct picture {
    struct px_arena *arena;
    struct px_out *out;
    const struct px_launch_node *root;
    uint64_t instructions; /* of all */
    unsigned *rows;        /* by number of a node's first launch */
};

static void xml_text(struct px_out *out, const char *text)
{
    for (; *text; text++) {
        const char one[2] = {*text, 0};
        px_out_text(out, *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                         : *text == '"' ? "&quot;"
                                        : one);
    }
}

static unsigned hue_of(const struct px_launch *r)
{
    uint32_t hash = 0x811c9dc5u;
    for (const char *at = r->kernel ? r->kernel->name : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x01000193u;
    return (hash >> 8) % 360;
}

static void svg_line(struct picture *p, int x, int y, const char *kind, const char *text)
{
    const size_t length = strlen(text);
    px_out(p->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, kind);
    xml_text(p->out, length > LINE_CHARS ? px_arena_printf(p->arena, "%.*s...", LINE_CHARS - 3, text) : text);
    px_out_text(p->out, "</text>\n");
}

static const char *short_title(struct px_arena *arena, const struct px_launch_node *n)
{
    const char *title = px_launch_node_title(arena, n), *open = strstr(title, ">>>"),
               *close = strrchr(title, ')');
    if (!open) return title;
    return px_arena_printf(arena, "%.*s%s", (int)(open + 3 - title), title,
                           close && close > open ? close + 1 : open + 3);
}

static void svg_node(struct picture *p, const struct px_launch_node *n, unsigned depth, unsigned row)
{
    const int x = MARGIN + (int)depth * INDENT, y = MARGIN + (int)row * (BOX_HEIGHT + GAP_Y);
    const char *from = px_launch_node_from(p->arena, n), *numbers = px_launch_node_numbers(p->arena, n);
    const double part = (double)n->instructions / (double)p->instructions;
    px_out_text(p->out, "<g><title>");
    xml_text(p->out, px_launch_node_title(p->arena, n));
    px_out_text(p->out, "\n");
    xml_text(p->out, px_launch_node_from(p->arena, n));
    px_out_text(p->out, "</title>\n");
    px_out(p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" class=\"%s\" ", x, y,
           BOX_WIDTH, BOX_HEIGHT, n->first->error ? "refused" : "grid");
    px_out(p->out, "fill=\"hsl(%u,60%%,94%%)\" stroke=\"hsl(%u,45%%,45%%)\"/>\n", hue_of(n->first),
           hue_of(n->first));
    if (!n->first->error)
        px_out(p->out,
               "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"4\" rx=\"2\" fill=\"hsl(%u,45%%,45%%)\"/>\n",
               x + 8, y + BOX_HEIGHT - 8, part * (BOX_WIDTH - 16), hue_of(n->first));
    svg_line(p, x + 10, y + 18, "title", short_title(p->arena, n));
    svg_line(p, x + 10, y + 35, "small", px_launch_node_params(p->arena, n));
    if (*from) numbers = px_arena_printf(p->arena, "%s, at %s", numbers, from);
    svg_line(p, x + 10, y + 51, "small", numbers);
    px_out_text(p->out, "</g>\n");
}

static void svg_edge(struct picture *p, unsigned depth, unsigned from, unsigned to)
{
    const int x = MARGIN + (int)(depth - 1) * INDENT + INDENT / 2,
              y = MARGIN + (int)from * (BOX_HEIGHT + GAP_Y) + BOX_HEIGHT,
              below = MARGIN + (int)to * (BOX_HEIGHT + GAP_Y) + BOX_HEIGHT / 2;
    px_out(p->out, "<path d=\"M%d %dV%dH%d\" class=\"edge\"/>\n", x, y, below, x + INDENT / 2);
}

/* Calls `draw` for each node with its place; the rows and columns that there are. */
static void lay_out(struct picture *p,
                    void (*draw)(struct picture *p, const struct px_launch_node *n, unsigned depth,
                                 unsigned row),
                    unsigned *rows, unsigned *columns)
{
    int depth = 0, deeper;
    unsigned row = 0, drawn = 0;
    *rows = *columns = 0;
    for (const struct px_launch_node *n = p->root->children; n && drawn < NODES_DRAWN; drawn++) {
        p->rows[n->first->number] = row;
        draw(p, n, (unsigned)depth, row);
        if (row + 1 > *rows) *rows = row + 1;
        if ((unsigned)depth + 1 > *columns) *columns = (unsigned)depth + 1;
        n = walk(n, &deeper);
        depth += deeper;
        row++;
    }
}

static void skip(struct picture *p, const struct px_launch_node *n, unsigned depth, unsigned row)
{
    (void)p, (void)n, (void)depth, (void)row;
}

static void draw(struct picture *p, const struct px_launch_node *n, unsigned depth, unsigned row)
{
    if (n->parent != p->root) svg_edge(p, depth, p->rows[n->parent->first->number], row);
    svg_node(p, n, depth, row);
}

static const char style[] =
    "<style>text{font-family:ui-monospace,Menlo,Consolas,monospace;fill:#222}.title{font-size:12px;"
    "font-weight:bold}.small{font-size:10.5px;fill:#444}.edge{fill:none;stroke:#888;stroke-width:1.5}"
    ".refused{stroke-dasharray:5 3}</style>\n";

void px_launches_svg(struct px_arena *arena, const struct px_launches *l, struct px_out *out)
{
    struct picture p = {arena, out, px_launch_tree(arena, l), all_instructions(l), NULL};
    unsigned rows, columns;
    p.rows = PX_NEW_N(arena, unsigned, l->n + 1);
    lay_out(&p, skip, &rows, &columns);
    const unsigned width = (columns - 1) * INDENT + BOX_WIDTH + 2 * MARGIN,
                   height = rows * (BOX_HEIGHT + GAP_Y) + 2 * MARGIN - GAP_Y;
    px_out(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
           width, height, width, height);
    px_out_text(out, style);
    px_out_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    lay_out(&p, draw, &rows, &columns);
    px_out_text(out, "</svg>\n");
}
