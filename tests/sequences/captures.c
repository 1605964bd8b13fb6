/*
 * captures.c - streams whose work becomes a graph.
 *
 * What a captured stream is given comes after its front: the model keeps all nodes that are known to come
 * before.
 */
#include "sequences/model.h"

struct graph_ops *capture_ops(struct model *m, int capture)
{
    struct capture *c = &m->captures[capture];
    return c->given ? &m->graphs[c->graph].ops : &c->ops;
}

void break_capture(struct model *m, int capture)
{
    m->captures[capture].broken = true;
}

static void over(struct model *m, int capture)
{
    struct capture *c = &m->captures[capture];
    for (unsigned i = 0; i < STREAMS; i++)
        if (m->streams[i].live && m->streams[i].capture == capture) m->streams[i].capture = -1;
    if (c->given) m->graphs[c->graph].captured = false;
    c->live = false;
}

void capture_leave(struct model *m, struct stream *s)
{
    const int capture = s->capture;
    if (capture < 0) return;
    s->capture = -1;
    if (&m->streams[m->captures[capture].origin] != s) return;
    over(m, capture);
    if (!m->captures[capture].given) ops_free(&m->captures[capture].ops);
}

/* The numbers of the nodes, which the model knows in the same order. */
static void learn_nodes(struct model *m, struct graph *g)
{
    ptx_node nodes[4 * NODES];
    size_t n = 4 * NODES;
    if (CALL(m, OK, ptx_graph_nodes(m->device, g->number, nodes, &n), "graph_nodes") != PTX_OK) return;
    if (n != g->ops.n) wrong(m, "the captured graph has %zu nodes, not %u", n, g->ops.n);
    for (unsigned i = 0; i < g->ops.n && i < n; i++) g->ops.at[i].number = g->ops.at[i].last = nodes[i];
}

bool capture_op(struct model *m, struct stream *s, const struct op *op)
{
    struct capture *c = &m->captures[s->capture];
    struct graph_ops *ops = capture_ops(m, s->capture);
    const uint64_t cells = op_cells(op);
    if (c->broken) {
        CALL(m, CAPTURED, op_submit(m, op, s->number), "%s in a stream whose capture is broken",
             op_name(op->kind));
        return false;
    }
    if (ops->n == NODES || (ops_last(ops, cells) & ~s->front) || op->kind == OP_EMPTY) return false;
    if (CALL(m, OK, op_submit(m, op, s->number), "%s, captured in stream %llx", op_name(op->kind),
             (unsigned long long)s->number) != PTX_OK)
        return false;
    struct node *node = &ops->at[ops->n];
    *node = (struct node){.op = *op, .before = s->front};
    s->front |= 1ull << ops->n;
    c->nodes |= 1ull << ops->n++;
    if (c->given) {
        m->graphs[c->graph].shape = ++m->shapes;
        learn_nodes(m, &m->graphs[c->graph]);
    }
    for (unsigned i = 0; i < CELLS; i++)
        if (cells >> i & 1) m->cells[i].kept = true;
    return true;
}

static int room_for_capture(const struct model *m)
{
    for (int i = 0; i < CAPTURES; i++)
        if (!m->captures[i].live) return i;
    return -1;
}

static void begin(struct model *m, struct stream *s)
{
    const int place = room_for_capture(m);
    const bool can = s->capture < 0 && s != &m->streams[0];
    if (place < 0) return;
    if (CALL(m, can ? OK : CAPTURED, ptx_capture_begin(m->device, s->number), "capture_begin(%llx)",
             (unsigned long long)s->number) != PTX_OK)
        return;
    m->captures[place] =
        (struct capture){.live = true, .id = (int)++m->captures_begun, .origin = (int)(s - m->streams)};
    s->capture = place;
    s->front = 0;
}

static void begin_to(struct model *m, struct stream *s, uint32_t pick)
{
    const int place = room_for_capture(m), at = (int)(pick % GRAPHS);
    struct graph *g = &m->graphs[at];
    if (place < 0 || !g->live || g->ops.single) return;
    const bool after = g->ops.n && pick % 3;
    const unsigned i = after ? pick / 8 % g->ops.n : 0;
    const ptx_node node = after ? g->ops.at[i].last : 0;
    const unsigned allowed = g->captured ? INVALID : s->capture >= 0 || s == &m->streams[0] ? CAPTURED : OK;
    if (CALL(m, allowed, ptx_capture_begin_to(m->device, s->number, g->number, &node, after),
             "capture_begin_to(%llx, graph %llx)", (unsigned long long)s->number,
             (unsigned long long)g->number) != PTX_OK)
        return;
    m->captures[place] = (struct capture){.live = true,
                                          .given = true,
                                          .id = (int)++m->captures_begun,
                                          .graph = at,
                                          .origin = (int)(s - m->streams)};
    g->captured = true;
    s->capture = place;
    s->front = after ? 1ull << i | g->ops.at[i].before : 0;
}

static void end(struct model *m, struct stream *s)
{
    const int place = s->capture;
    struct capture *c = place < 0 ? NULL : &m->captures[place];
    const bool first = c && &m->streams[c->origin] == s, joined = first && !(c->nodes & ~s->front);
    struct graph *g = NULL;
    ptx_graph number;
    for (unsigned i = 0; i < GRAPHS && !g; i++)
        if (!m->graphs[i].live) g = &m->graphs[i];
    if (c && c->given) g = &m->graphs[c->graph];
    if (!g) return;
    const bool fine = joined && !c->broken;
    const ptx_status status = CALL(m, fine ? OK : CAPTURED, ptx_capture_end(m->device, s->number, &number),
                                   "capture_end(%llx)", (unsigned long long)s->number);
    if (c && !first) break_capture(m, place);
    if (!first) return;
    over(m, place);
    if (status == PTX_OK && !c->given) {
        *g = (struct graph){.live = true, .number = number, .shape = ++m->shapes, .ops = c->ops};
        c->ops = (struct graph_ops){0};
    }
    if (status != PTX_OK && !c->given) ops_free(&c->ops);
    if (c->given || status == PTX_OK) learn_nodes(m, g);
}

static void info(struct model *m, struct stream *s)
{
    ptx_capture_info told = {.struct_size = sizeof told};
    size_t n = 0;
    if (CALL(m, OK, ptx_capture_info_get(m->device, s->number, &told, NULL, &n), "capture_info_get(%llx)",
             (unsigned long long)s->number) != PTX_OK)
        return;
    const struct capture *c = s->capture < 0 ? NULL : &m->captures[s->capture];
    if (told.active != (c != NULL) || (c && told.broken != c->broken))
        wrong(m, "active %d, broken %d", told.active, told.broken);
    if (c && told.first != (&m->streams[c->origin] == s)) wrong(m, "first %d", told.first);
}

void capture_step(struct model *m, unsigned what, const uint32_t pick[PICKS])
{
    struct stream *s = stream_of(m, pick[0]);
    if (what == 0) begin(m, s);
    if (what == 1) begin_to(m, s, pick[1]);
    if (what == 2) end(m, s);
    if (what == 3) info(m, s);
}
