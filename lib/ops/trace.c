/* trace.c - reports accesses to memory, and what orders them. */
#include "ops/trace.h"
#include "gang/cluster.h"
#include "ops/mem.h"

enum { WARP = 32 };

/* ---- accesses ---- */

/* Where line `line` of a matrix begins, from its first one. */
static uint64_t line_at(const struct px_gang *g, const struct px_insn *in, const struct px_traced *t,
                        uint32_t lane, uint32_t line)
{
    if (t->apart) return (uint64_t)line * t->apart;
    return (uint64_t)line * px_element(g, in->b, in->flags & PX_INSN_NEGATE, lane) * t->bits / 8;
}

static bool takes_part(const struct px_traced *t, uint32_t of_warp)
{
    return t->lines ? of_warp < t->lines : !t->first || of_warp < t->first;
}

ptx_count_space px_trace_reached(const struct px_cta *cta, uint32_t thread, uint64_t *va)
{
    const struct px_uniform *u = &cta->uniform;
    const uint64_t local = px_local_base(cta->local_owner, thread), offset = (uint32_t)*va,
                   window = *va - offset;
    switch (px_window_of(*va)) {
    case PX_WIN_NONE: return PTX_COUNT_GLOBAL;
    case PX_WIN_LOCAL:
        if (*va - local >= PX_LOCAL_MAX) return PTX_COUNT_GENERIC;
        *va -= local;
        return PTX_COUNT_LOCAL;
    case PX_WIN_SHARED:
        if (window != u->shared_window) return PTX_COUNT_GENERIC;
        *va = offset;
        return PTX_COUNT_SHARED;
    case PX_WIN_CONST: *va = offset; return PTX_COUNT_CONST;
    case PX_WIN_PARAM: *va = offset; return PTX_COUNT_PARAM;
    default: return PTX_COUNT_GENERIC;
    }
}

/* Lanes as the instruction has them; which space each reaches, and of which block of the cluster. */
struct reach {
    ptx_trace_lane lane[PX_LANES_MAX];
    struct reached {
        uint8_t space, rank;
    } of[PX_LANES_MAX];
    uint32_t n;
};

/* The block whose shared memory is reached: an address in a cluster says which. */
static uint8_t take_rank(const struct px_cta *cta, uint8_t space, uint64_t *va)
{
    const uint64_t rank = *va >> PX_RANK_SHIFT & 0xff;
    if (!cta->cluster || space != PTX_COUNT_SHARED || rank >= cta->cluster->n) return (uint8_t)cta->rank;
    *va &= (1u << PX_RANK_SHIFT) - 1;
    return (uint8_t)rank;
}

static void gather(struct px_gang *g, const struct px_insn *in, struct reach *r)
{
    const struct px_traced *t = in->aux;
    const struct px_lanes who = px_gang_lanes(g, in);
    const uint64_t *address = PX_ROW(g, uint64_t, in->a);
    uint32_t lane;
    r->n = 0;
    PX_FOR_LANES(lane, who)
    {
        const uint32_t of_warp = lane % WARP, bytes = t->bytes ? t->bytes : PX_ROW(g, uint32_t, in->b)[lane];
        uint64_t at = address[in->flags & PX_INSN_SCALAR_A ? 0 : lane] + t->offset;
        if (!bytes || !takes_part(t, of_warp)) continue;
        if (t->lines) at += line_at(g, in, t, lane, of_warp);
        at = px_space_address(in->space, at);
        struct reached *of = &r->of[r->n];
        of->space = (uint8_t)(t->space == PTX_COUNT_GENERIC ? px_trace_reached(g->cta, g->first + lane, &at)
                                                            : t->space);
        of->rank = take_rank(g->cta, of->space, &at);
        r->lane[r->n++] = (ptx_trace_lane){at, g->first + lane, bytes};
    }
}

/* What ptx_trace_access.engine leads to. */
struct context {
    struct px_gang *g;
    const struct px_insn *in;
};

/* Those of the first one's space and block; the others move to the front of what is left. */
static uint32_t take_alike(struct reach *r, ptx_trace_lane *lanes)
{
    const struct reached of = r->of[0];
    uint32_t n = 0, left = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->of[i].space == of.space && r->of[i].rank == of.rank) {
            lanes[n++] = r->lane[i];
            continue;
        }
        r->of[left] = r->of[i];
        r->lane[left++] = r->lane[i];
    }
    r->n = left;
    return n;
}

/* Whether all that take part are sure to reach the space, by addresses that need no change. */
static bool is_plain(const struct px_gang *g, const struct px_insn *in, const struct px_traced *t)
{
    const uint64_t *address = PX_ROW(g, uint64_t, in->a);
    if (t->lines || !t->bytes || t->first || g->cta->cluster || g->narrow) return false;
    if (t->space == PTX_COUNT_SHARED || t->space == PTX_COUNT_GLOBAL) return true;
    if (t->space != PTX_COUNT_GENERIC) return false;
    uint64_t any = 0;
    for (uint32_t i = 0; i < (in->flags & PX_INSN_SCALAR_A ? 1 : g->n); i++) any |= address[i] + t->offset;
    return px_window_of(any) == PX_WIN_NONE;
}

static void tell_rows(struct px_gang *g, const struct px_insn *in, const struct px_traced *t)
{
    const struct px_lanes active = px_gang_lanes(g, in);
    const ptx_trace_rows rows = {.struct_size = sizeof rows,
                                 .how = t->how,
                                 .reached = t->space == PTX_COUNT_GENERIC ? PTX_COUNT_GLOBAL : t->space,
                                 .at = t->at,
                                 .worker = g->worker->index,
                                 .bytes = t->bytes,
                                 .nlanes = g->n,
                                 .address = PX_ROW(g, uint64_t, in->a),
                                 .same = (in->flags & PX_INSN_SCALAR_A) != 0,
                                 .offset = t->offset,
                                 .active = active.w};
    g->worker->trace_rows(g->worker->trace_user, &rows);
}

int px_trace_access(struct px_gang *g, const struct px_insn *in)
{
    const struct px_traced *t = in->aux;
    const struct px_worker *worker = g->worker;
    if (worker->trace_rows && is_plain(g, in, t)) {
        tell_rows(g, in, t);
        return PX_STEP_NEXT;
    }
    const struct context context = {g, in};
    struct reach r;
    ptx_trace_lane lanes[PX_LANES_MAX];
    gather(g, in, &r);
    while (r.n) {
        const ptx_count_space space = (ptx_count_space)r.of[0].space;
        const bool remote = r.of[0].rank != g->cta->rank;
        const uint32_t *c = (remote ? g->cta->cluster->cta[r.of[0].rank] : g->cta)->ctaid;
        const uint32_t n = take_alike(&r, lanes);
        for (uint32_t i = 0; remote && i < n; i++) lanes[i].thread = 0;
        const ptx_trace_access access = {.struct_size = sizeof access,
                                         .how = t->how | (remote ? PTX_TRACE_REMOTE : 0u),
                                         .space = t->space,
                                         .reached = space,
                                         .order = t->order,
                                         .scope = t->scope,
                                         .at = t->at,
                                         .grid = g->cta->grid->id,
                                         .cta = {c[0], c[1], c[2]},
                                         .worker = worker->index,
                                         .nlanes = n,
                                         .lanes = lanes,
                                         .engine = &context,
                                         .variable = t->base.address,
                                         .variable_bytes = t->base.space == space ? t->base.bytes : 0,
                                         .variable_name = t->base.name};
        worker->trace(worker->trace_user, &access);
    }
    return PX_STEP_NEXT;
}

void px_trace_product(struct px_gang *g, const struct px_insn *in, const ptx_trace_place *at,
                      const ptx_trace_lane *lanes, unsigned n)
{
    const struct px_worker *worker = g->worker;
    const uint32_t *c = g->cta->ctaid;
    const struct context context = {g, in};
    const ptx_trace_access access = {.struct_size = sizeof access,
                                     .how = PTX_TRACE_READ | PTX_TRACE_ASYNC | PTX_TRACE_PRODUCT,
                                     .space = PTX_COUNT_SHARED,
                                     .reached = PTX_COUNT_SHARED,
                                     .at = at,
                                     .grid = g->cta->grid->id,
                                     .cta = {c[0], c[1], c[2]},
                                     .worker = worker->index,
                                     .nlanes = n,
                                     .lanes = lanes,
                                     .engine = &context};
    if (n) worker->trace(worker->trace_user, &access);
}

void px_trace_bulk(struct px_gang *g, const struct px_insn *in, const struct px_cta *cta,
                   const ptx_trace_place *at, ptx_count_space space, unsigned how, const ptx_trace_lane *lane)
{
    const struct px_worker *worker = g->worker;
    const uint32_t *c = cta->ctaid;
    const struct context context = {g, in};
    const ptx_trace_access access = {.struct_size = sizeof access,
                                     .how = how,
                                     .space = space,
                                     .reached = space,
                                     .at = at,
                                     .grid = cta->grid->id,
                                     .cta = {c[0], c[1], c[2]},
                                     .worker = worker->index,
                                     .nlanes = 1,
                                     .lanes = lane,
                                     .engine = &context};
    worker->trace(worker->trace_user, &access);
}

/* A line of a matrix whose elements lie in the warp's lanes, two each. */
static void get_line(const struct px_gang *g, const struct px_traced *t, const uint32_t rows[4],
                     uint32_t lane, uint16_t line[8])
{
    const uint16_t *halves = PX_ROW(g, uint16_t, rows[lane % WARP / 8 % t->parts]) + lane / WARP * WARP * 2;
    const uint32_t i = lane % 8;
    for (uint32_t k = 0; k < 8; k++)
        line[k] = t->fragment == PX_FRAGMENT_ROWS ? halves[i * 8 + k] : halves[k * 8 + i];
}

const struct px_cta *px_trace_cta(const ptx_trace_access *access)
{
    return ((const struct context *)access->engine)->g->cta;
}

const struct px_grid *px_trace_grid(const ptx_trace_access *access)
{
    return px_trace_cta(access)->grid;
}

bool px_trace_stored(const ptx_trace_access *access, unsigned lane, void *value, void *memory)
{
    static const uint8_t spaces[PTX_COUNT_SPACES] = {
        [PTX_COUNT_GLOBAL] = PX_SPACE_GLOBAL, [PTX_COUNT_SHARED] = PX_SPACE_SHARED};
    const struct context *context = access->engine;
    const struct px_gang *g = context->g;
    const struct px_traced *t = context->in->aux;
    const ptx_trace_lane *l = &access->lanes[lane];
    const uint32_t of_gang = l->thread - g->first;
    const struct px_insn *in = context->in;
    const uint32_t rows[] = {in->c, in->d, in->e, in->source4}, part = t->parts ? l->bytes / t->parts : 0;
    if (!t->parts || !spaces[access->reached]) return false;
    struct px_place_of p = px_gang_find(context->g, spaces[access->reached], of_gang, l->address, l->bytes);
    if (!p.host) return false;
    if (t->fragment) get_line(g, t, rows, of_gang, value);
    for (uint32_t i = 0; i < t->parts && !t->fragment; i++)
        memcpy((uint8_t *)value + i * part, g->frame + rows[i] + (size_t)of_gang * t->stored, part);
    px_lane_get(memory, p.host, l->bytes, p.stride, l->address);
    return true;
}

/* ---- what orders accesses ---- */

static void tell(const struct px_cta *cta, const struct px_worker *worker, ptx_trace_event *event)
{
    event->struct_size = sizeof *event;
    event->grid = cta->grid->id;
    memcpy(event->cta, cta->ctaid, sizeof event->cta);
    event->worker = worker->index;
    worker->trace_event(worker->trace_user, event);
}

int px_trace_event(struct px_gang *g, const struct px_insn *in)
{
    const struct px_ordered *t = in->aux;
    const bool scalar_a = in->flags & PX_INSN_SCALAR_A;
    struct px_lanes left = px_gang_lanes(g, in);
    unsigned threads[PX_LANES_MAX];
    while (!px_lanes_empty(&left)) {
        const uint32_t first = px_lanes_first(&left);
        struct px_lanes done = {{0}};
        uint32_t lane;
        ptx_trace_event event = t->is;
        if (in->a) event.number = px_element(g, in->a, scalar_a, first);
        if (in->b) event.count = px_element(g, in->b, in->one_count, first);
        PX_FOR_LANES(lane, left)
        {
            if (t->by_warp && lane / WARP != first / WARP) continue;
            if (in->a && px_element(g, in->a, scalar_a, lane) != event.number) continue;
            px_lanes_set(&done, lane);
            threads[event.nthreads++] = g->first + lane;
        }
        event.threads = threads;
        tell(g->cta, g->worker, &event);
        left = px_lanes_minus(left, done);
    }
    return PX_STEP_NEXT;
}

void px_trace_block(const struct px_cta *cta, const struct px_worker *worker, ptx_trace_kind kind)
{
    ptx_trace_event event = {.kind = kind, .nthreads = cta->threads};
    tell(cta, worker, &event);
}

void px_trace_thread(const struct px_cta *cta, const struct px_worker *worker, ptx_trace_kind kind,
                     uint32_t thread)
{
    ptx_trace_event event = {.kind = kind, .nthreads = 1, .threads = &thread};
    if (worker->trace_event) tell(cta, worker, &event);
}
