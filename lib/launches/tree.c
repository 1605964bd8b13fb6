/*
 * tree.c - launches folded into a tree.
 *
 * Siblings become one node when they were launched from one place as grids of one kernel and shape, or were
 * refused there for one reason; their children are children of that node. A chain of such nodes, each the
 * only child of the one before it and all of one kernel and shape, becomes one node.
 */
#include <inttypes.h>
#include <string.h>
#include "launches/launches.h"

/* ---- nodes ---- */

struct making {
    struct px_arena *arena;
    struct px_launch_node **table; /* by a hash of parent and launch; a power of two */
    uint64_t mask;
    struct px_launch_node **of; /* by number of the launch */
};

static bool same_shape(const struct px_launch *a, const struct px_launch *b)
{
    return a->kernel == b->kernel && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           memcmp(&a->block, &b->block, sizeof a->block) == 0 && a->shared == b->shared &&
           a->error == b->error;
}

static bool is_like(const struct px_launch *a, const struct px_launch *b)
{
    if (!same_shape(a, b) || a->place != b->place || a->api != b->api || a->graph != b->graph) return false;
    if (a->place ? (a->stream < 8 || b->stream < 8) && a->stream != b->stream : a->stream != b->stream)
        return false;
    return !a->error || strcmp(a->reason, b->reason) == 0;
}

static uint64_t hash_of(const struct px_launch_node *parent, const struct px_launch *r)
{
    const uint64_t words[] = {(uintptr_t)parent, (uintptr_t)r->kernel, (uintptr_t)r->place, r->shape.x,
                              r->shape.y,        r->block.x,           r->block.y,          r->graph};
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) hash = (hash ^ words[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

static struct px_launch_node *node_for(struct making *m, struct px_launch_node *parent,
                                       const struct px_launch *r)
{
    struct px_launch_node **bucket = &m->table[hash_of(parent, r) & m->mask], *n = *bucket;
    while (n && (n->parent != parent || !is_like(n->first, r))) n = n->same;
    if (n) return n;
    n = PX_NEW(m->arena, struct px_launch_node);
    *n = (struct px_launch_node){.parent = parent, .same = *bucket, .first = r, .chain = 1};
    *bucket = n;
    if (r->params) n->spans = PX_NEW_N(m->arena, struct px_launch_span, r->kernel->nparams + 1);
    for (uint32_t i = 0; n->spans && i < r->kernel->nparams; i++) n->spans[i] = (struct px_launch_span){r, r};
    if (parent->last)
        parent->last->next = n;
    else
        parent->children = n;
    return parent->last = n;
}

/* Is the value of a parameter smaller in `a`? Bytes that are no number have an order, too. */
static bool is_less(const struct px_launch *a, const struct px_launch *b, uint32_t param)
{
    const struct px_launched_param *p = &a->kernel->params[param];
    int64_t x, y;
    double f, g;
    if (px_launch_number(a, param, &x) && px_launch_number(b, param, &y)) return x < y;
    if (px_launch_real(a, param, &f) && px_launch_real(b, param, &g)) return f < g;
    return memcmp(a->params + p->offset, b->params + p->offset, p->size) < 0;
}

static void widen(struct px_launch_node *n, const struct px_launch *r)
{
    for (uint32_t i = 0; n->spans && i < r->kernel->nparams; i++) {
        struct px_launch_span *s = &n->spans[i];
        if (is_less(r, s->least, i)) s->least = r;
        if (s->least != r && is_less(s->most, r, i)) s->most = r;
    }
}

static void add(struct px_launch_node *n, const struct px_launch *r)
{
    n->count++;
    n->latest = r;
    if (r->error) return;
    widen(n, r);
    n->blocks += px_launch_blocks(r);
    n->instructions += atomic_load_explicit(&r->instructions, memory_order_relaxed);
    n->ns += r->ended ? r->end_ns - r->begin_ns : 0;
    if (!n->begun || r->begun < n->begun) n->begun = r->begun;
    if (r->ended > n->ended) n->ended = r->ended;
}

/* ---- chains ---- */

static bool goes_on(const struct px_launch_node *top, const struct px_launch_node *child)
{
    return child && !child->next && child->count == top->count && same_shape(top->first, child->first) &&
           !child->first->error;
}

/* Takes the only child, which is of its kind, into the node. */
static void take_in(struct px_launch_node *n)
{
    struct px_launch_node *child = n->children;
    n->chain++;
    n->latest = child->latest;
    n->blocks += child->blocks;
    n->instructions += child->instructions;
    if (child->ended > n->ended) n->ended = child->ended;
    n->children = child->children;
    n->last = child->last;
    for (struct px_launch_node *c = n->children; c; c = c->next) c->parent = n;
}

/* The node behind n in the order parent, child, sibling. */
static struct px_launch_node *behind(struct px_launch_node *n)
{
    if (n->children) return n->children;
    while (n && !n->next) n = n->parent;
    return n ? n->next : NULL;
}

static void fold_chains(struct px_launch_node *root)
{
    for (struct px_launch_node *n = root->children; n; n = behind(n)) {
        const struct px_launch_place *place = n->children ? n->children->first->place : NULL;
        while (goes_on(n, n->children) && n->children->first->place == place) take_in(n);
    }
}

struct px_launch_node *px_launch_tree(struct px_arena *arena, const struct px_launches *l)
{
    struct px_launch_node *root = PX_NEW(arena, struct px_launch_node);
    struct making m = {.arena = arena, .mask = 15};
    while (m.mask < l->n) m.mask = 2 * m.mask + 1;
    m.table = PX_NEW_N(arena, struct px_launch_node *, m.mask + 1);
    m.of = PX_NEW_N(arena, struct px_launch_node *, l->n + 1);
    for (const struct px_launch *r = l->first; r; r = r->next) {
        struct px_launch_node *n = node_for(&m, r->parent ? m.of[r->parent->number] : root, r);
        m.of[r->number] = n;
        add(n, r);
    }
    fold_chains(root);
    return root;
}

struct ptx_launch_totals px_launch_totals(const struct px_launches *l)
{
    ptx_launch_totals t = {.lost = l->lost};
    for (const struct px_launch *r = l->first; r; r = r->next) {
        t.grids += !r->error;
        t.by_kernels += r->place && !r->error;
        t.refused += r->error != 0;
        if (!r->error && r->depth > t.depth) t.depth = r->depth;
    }
    return t;
}

/* ---- words ---- */

static uint64_t block_of(const struct px_launch *r, uint32_t param)
{
    return r->pointers ? r->pointers[param].block : 0;
}

/* From the smallest value to the largest; of a chain from the first to the last. */
static const char *range_text(struct px_arena *arena, const struct px_launch_node *n, uint32_t param)
{
    const bool chain = n->chain > 1 && n->count == 1;
    const struct px_launch *a = chain ? n->first : n->spans[param].least,
                           *z = chain ? n->latest : n->spans[param].most;
    const struct px_launched_param *p = &a->kernel->params[param];
    const char *first = px_launch_value(arena, a, param);
    int64_t to;
    if (!memcmp(a->params + p->offset, z->params + p->offset, p->size)) return first;
    if (block_of(a, param) && block_of(a, param) == block_of(z, param) && px_launch_number(z, param, &to))
        return px_arena_printf(arena, "%s..+%" PRId64, first, to);
    return px_arena_printf(arena, "%s..%s", first, px_launch_value(arena, z, param));
}

const char *px_launch_node_params(struct px_arena *arena, const struct px_launch_node *n)
{
    const char *text = "";
    const struct px_launched_kernel *k = n->first->kernel;
    for (uint32_t i = 0; k && n->first->params && i < k->nparams; i++)
        text = px_arena_printf(arena, "%s%s%s=%s", text, i ? ", " : "", px_launch_param_name(n->first, i),
                               range_text(arena, n, i));
    return text;
}

const char *px_launch_node_title(struct px_arena *arena, const struct px_launch_node *n)
{
    const struct px_launch *r = n->first;
    const char *times = n->count > 1 ? px_arena_printf(arena, "%" PRIu64 " x ", n->count) : "",
               *deep = n->chain > 1 ? px_arena_printf(arena, " x %" PRIu64, n->chain) : "",
               *params = r->params ? px_arena_printf(arena, "(%s)", px_launch_node_params(arena, n)) : "";
    return px_arena_printf(arena, "%s%s%s%s%s", times, px_launch_kernel_name(arena, r),
                           px_launch_shape(arena, r), params, deep);
}

const char *px_launch_node_numbers(struct px_arena *arena, const struct px_launch_node *n)
{
    const struct px_launch *r = n->first;
    if (r->error) return px_arena_printf(arena, "refused, error %d: %s", r->error, r->reason);
    return px_arena_printf(arena, "%" PRIu64 " block%s, %" PRIu64 " instructions, %.3f ms", n->blocks,
                           n->blocks == 1 ? "" : "s", n->instructions, (double)n->ns / 1e6);
}

const char *px_launch_node_from(struct px_arena *arena, const struct px_launch_node *n)
{
    const struct px_launch *r = n->first;
    const char *stream = px_launch_stream(arena, r), *text = px_launch_place_text(arena, r);
    if (r->api) text = r->api;
    if (r->graph) text = px_arena_printf(arena, "%s%sgraph %" PRIu64, text, *text ? ", " : "", r->graph);
    if (!*stream) return text;
    const char *word = strncmp(stream, "stream", 6) == 0 || r->stream >= 3 ? "" : " stream";
    return px_arena_printf(arena, "%s%s%s%s", text, *text ? ", " : "", stream, word);
}
