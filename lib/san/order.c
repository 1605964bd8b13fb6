/*
 * order.c - happens-before: what barriers, fences, strong accesses and waits for copies teach each thread.
 *
 * A thread's clock advances whenever others may learn of it: what it does later has another epoch.
 */
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

static void advance(struct px_blk *b, struct px_thread *t)
{
    if (++t->knows.clock > b->clock) b->clock = t->knows.clock;
}

/* ---- phases of barriers ---- */

static void drop_phase(struct px_san *san, struct px_phase *p)
{
    if (!p || --p->refs) return;
    px_known_drop(&san->clocks, &p->knows);
    px_known_drop(&san->clocks, &p->proxied);
    px_fenced_drop(&san->clocks, p->fenced);
    px_free(san->clocks.alloc, p, sizeof *p);
}

/* Held by whoever lists it. */
static struct px_phase *new_phase(struct px_san *san, const struct px_blk *b)
{
    struct px_phase *p = px_zalloc(san->clocks.alloc, sizeof *p);
    if (!p) {
        san->clocks.lost = true;
        return NULL;
    }
    p->refs = 1;
    p->knows = (struct px_knowledge){.block = b->id, .threads = b->nthreads};
    return p;
}

/* What one thread's proxy fence has made visible is so for whoever it meets. */
static void bring_proxied(struct px_san *san, struct px_phase *p, const struct px_thread *t)
{
    if (!t->proxied.threads) return;
    if (!p->proxied.threads)
        p->proxied = px_known_share(&t->proxied);
    else
        px_known_merge(&san->clocks, &p->proxied, &t->proxied);
}

static void take_proxied(struct px_san *san, const struct px_phase *p, struct px_thread *t)
{
    if (!p->proxied.threads) return;
    px_known_drop(&san->clocks, &t->proxied);
    t->proxied = px_known_share(&p->proxied);
}

static void come(struct px_san *san, struct px_blk *b, struct px_phase *p, uint32_t thread)
{
    struct px_thread *t = &b->thread[thread];
    struct px_knowledge *k = &p->knows;
    drop_phase(san, t->phase);
    t->phase = p;
    p->refs++;
    p->arrived++;
    if (t->knows.far != p->joined) px_far_join(&san->clocks, &k->far, t->knows.far);
    p->joined = t->knows.far;
    bring_proxied(san, p, t);
    px_fenced_join(&san->clocks, &p->fenced, t->fenced, b->id);
    if (p->whole) return;
    if (t->knows.floor > k->floor) k->floor = t->knows.floor;
    px_near_join(&san->clocks, &k->near, t->knows.near);
    px_near_raise(&san->clocks, &k->near, b->nthreads, thread, t->knows.clock);
    advance(b, t);
}

/* Everybody who counts has come: what all threads of the block did is known. */
static void close_phase(struct px_blk *b, struct px_phase *p)
{
    if (p->closed) return;
    p->closed = true;
    if (p->whole) p->knows.floor = b->clock++;
}

static void leave(struct px_san *san, struct px_blk *b, struct px_thread *t)
{
    struct px_phase *p = t->phase;
    if (!p) return;
    close_phase(b, p);
    px_near_drop(&san->clocks, t->knows.near);
    px_far_drop(&san->clocks, t->knows.far);
    t->knows.near = px_near_share(p->knows.near);
    t->knows.far = px_far_share(p->knows.far);
    t->knows.floor = p->knows.floor;
    if (p->whole) t->knows.clock = p->knows.floor + 1;
    take_proxied(san, p, t);
    px_fenced_join(&san->clocks, &t->fenced, p->fenced, b->id);
    t->phase = NULL;
    drop_phase(san, p);
}

static bool is_complete(const struct px_phase *p)
{
    return p->closed || (p->count && p->arrived >= p->count);
}

static void barrier_arrive(struct px_san *san, struct px_blk *b, const ptx_trace_event *e)
{
    if (e->number >= PX_SAN_BARRIERS) return;
    struct px_phase **at = &b->barrier[e->number];
    if (*at && is_complete(*at)) {
        drop_phase(san, *at);
        *at = NULL;
    }
    if (!*at && !(*at = new_phase(san, b))) return;
    (*at)->count = e->count;
    (*at)->whole = !e->count;
    for (unsigned i = 0; i < e->nthreads; i++) come(san, b, *at, e->threads[i]);
}

static struct px_phase *warp_phase(struct px_san *san, struct px_blk *b, uint64_t mask)
{
    struct px_phase **link = &b->warps;
    while (*link && (*link)->mask != mask) link = &(*link)->next;
    struct px_phase *old = *link;
    if (old && !old->closed) return old;
    if (old) {
        *link = old->next;
        drop_phase(san, old);
    }
    struct px_phase *p = new_phase(san, b);
    if (!p) return NULL;
    p->mask = mask;
    p->next = b->warps;
    return b->warps = p;
}

static void warp_arrive(struct px_san *san, struct px_blk *b, const ptx_trace_event *e)
{
    const uint64_t mask = (uint64_t)(e->threads[0] / PX_SAN_WARP) << 32 | (uint32_t)e->number;
    struct px_phase *p = warp_phase(san, b, mask);
    for (unsigned i = 0; p && i < e->nthreads; i++) come(san, b, p, e->threads[i]);
}

/* ---- releases and acquires ---- */

static bool is_wide(ptx_trace_scope scope)
{
    return scope >= PTX_TRACE_GPU;
}

static void drop_released(struct px_clocks *c, struct px_released *list)
{
    if (!list || --list->refs) return;
    for (uint32_t i = 0; i < list->n; i++) {
        px_known_drop(c, &list->at[i].knows);
        px_fenced_drop(c, list->at[i].fenced);
    }
    px_free(c->alloc, list->at, list->cap * sizeof *list->at);
    px_free(c->alloc, list, sizeof *list);
}

void px_syncs_clear(struct px_clocks *c, struct px_syncs *syncs)
{
    for (uint32_t i = 0; i < PX_SYNC_BUCKETS; i++)
        for (struct px_sync_at *s = syncs->bucket[i], *next; s; s = next) {
            next = s->next;
            drop_released(c, s->list);
            px_fenced_drop(c, s->fenced);
            px_free(c->alloc, s, sizeof *s);
        }
    memset(syncs, 0, sizeof *syncs);
}

static struct px_sync_at *sync_at(struct px_san *san, struct px_syncs *syncs, uint64_t address, bool make)
{
    struct px_sync_at **to = &syncs->bucket[(address >> 2) * 0x9e3779b1u >> 7 & (PX_SYNC_BUCKETS - 1)];
    struct px_sync_at *s = *to;
    while (s && s->address != address) s = s->next;
    if (s || !make) return s;
    if (!(s = px_zalloc(san->clocks.alloc, sizeof *s))) {
        san->clocks.lost = true;
        return NULL;
    }
    s->address = address;
    s->next = *to;
    return *to = s;
}

/* Who knows a thread's clock knows all that the thread knew then. */
static bool has_learned(const struct px_knowledge *to, const struct px_knowledge *k)
{
    if (k->block == to->block) return px_known_clock(to, k->thread) >= k->clock;
    const struct px_knowledge *far = px_far_find(to->far, k->block);
    return far && px_known_clock(far, k->thread) >= k->clock;
}

/* The part of a list that somebody in `block` may take: each in the scope of the other. */
static void learn(struct px_san *san, struct px_thread *t, const struct px_released *list, uint32_t from,
                  uint32_t end, bool wide)
{
    struct px_knowledge *to = &t->knows;
    for (uint32_t i = end; i-- > from;) {
        const struct px_release *r = &list->at[i];
        const bool both = r->wide && wide;
        if ((r->knows.block != to->block && !both) || (!r->many && has_learned(to, &r->knows))) continue;
        px_known_join(&san->clocks, to, &r->knows);
        px_fenced_join(&san->clocks, &t->fenced, r->fenced, to->block);
        if (both)
            px_far_put(&san->clocks, &to->far, &r->knows); /* its own block, too: px_far_join compares */
    }
}

/* What is new of a list since the thread looked at it last. */
static void learn_new(struct px_san *san, struct px_thread *t, struct px_released *list, uint32_t n,
                      bool wide)
{
    const bool again = t->seen == list && t->seen_wide == wide;
    if (again && t->seen_n >= n) return;
    learn(san, t, list, again ? t->seen_n : 0, n, wide);
    if (t->seen != list) {
        drop_released(&san->clocks, t->seen);
        t->seen = list;
        list->refs++;
    }
    t->seen_n = n;
    t->seen_wide = wide;
}

static void acquire(struct px_san *san, struct px_thread *t, struct px_released *list, bool wide)
{
    if (list && san->current) san->current->acquired = true;
    if (list) learn_new(san, t, list, list->n, wide);
}

/* A fence may follow. */
static void note(struct px_san *san, struct px_thread *t, struct px_released *list, bool wide)
{
    if (!list) return;
    for (uint32_t i = 0; i < t->npending; i++) {
        struct px_pending *p = &t->pending[i];
        if (p->list != list || p->wide != wide) continue;
        p->n = list->n;
        return;
    }
    if (!px_san_room(san, &t->pending, t->npending, &t->pending_cap, sizeof *t->pending)) return;
    t->pending[t->npending++] = (struct px_pending){list, list->n, wide};
    list->refs++;
}

/* The releaser's scope or the fence's may be too narrow for what was read. */
static void fence(struct px_san *san, struct px_blk *b, struct px_thread *t, const ptx_trace_event *e)
{
    const bool wide = is_wide(e->scope);
    if (e->order != PTX_TRACE_RELEASE) {
        for (uint32_t i = 0; i < t->npending; i++) {
            struct px_pending *p = &t->pending[i];
            learn_new(san, t, p->list, p->n, p->wide && wide);
            b->acquired = true;
            drop_released(&san->clocks, p->list);
        }
        t->npending = 0;
    }
    if (e->order == PTX_TRACE_ACQUIRE) return;
    if (e->order == PTX_TRACE_SC) b->acquired |= px_fenced_fence(&san->clocks, &t->fenced, &t->knows, wide);
    for (int i = 0; i < (wide ? 2 : 1); i++) {
        px_known_drop(&san->clocks, &t->fence[i]);
        t->fence[i] = px_known_share(&t->knows);
        px_fenced_drop(&san->clocks, t->before[i]);
        t->before[i] = px_fenced_share(t->fenced);
    }
    advance(b, t);
}

/* What a thread releases by a write; knows NULL: nothing. */
struct given {
    const struct px_knowledge *knows;
    struct px_fenced *fenced;
    bool wide;
};

static void append(struct px_san *san, struct px_released *list, const struct given *g)
{
    const struct px_knowledge *k = g->knows;
    enum { LOOK_BACK = 4 };
    for (uint32_t i = list->n; i-- > 0 && i + LOOK_BACK >= list->n && list->refs == 1;) {
        struct px_release *r = &list->at[i];
        if (r->many || r->wide != g->wide || r->knows.block != k->block || r->knows.thread != k->thread)
            continue;
        px_known_drop(&san->clocks, &r->knows);
        r->knows = px_known_share(k);
        px_fenced_drop(&san->clocks, r->fenced);
        r->fenced = px_fenced_share(g->fenced);
        return;
    }
    if (!px_san_room(san, &list->at, list->n, &list->cap, sizeof *list->at)) return;
    list->at[list->n++] = (struct px_release){px_known_share(k), px_fenced_share(g->fenced), g->wide};
}

/* All wide releases of a long list become one: who takes one of them takes all. In a list of its own, because
 * threads remember how much of this one they have learned. */
static struct px_released *shortened(struct px_san *san, struct px_released *list)
{
    enum { LONG = 256 };
    struct px_released *fresh = list->n < LONG ? NULL : px_zalloc(san->clocks.alloc, sizeof *fresh);
    uint32_t first = UINT32_MAX;
    if (!fresh) return list;
    fresh->refs = 1;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct px_release *r = &list->at[i];
        if (r->wide && first != UINT32_MAX) {
            struct px_release *all = &fresh->at[first];
            px_known_join(&san->clocks, &all->knows, &r->knows);
            px_far_put(&san->clocks, &all->knows.far, &r->knows);
            px_fenced_join(&san->clocks, &all->fenced, r->fenced, all->knows.block);
            all->many = true;
            continue;
        }
        if (!px_san_room(san, &fresh->at, fresh->n, &fresh->cap, sizeof *fresh->at)) break;
        fresh->at[fresh->n] =
            (struct px_release){px_known_share(&r->knows), px_fenced_share(r->fenced), r->wide, r->many};
        if (r->wide) first = fresh->n;
        fresh->n++;
    }
    drop_released(&san->clocks, list);
    return fresh;
}

/* A read-modify-write goes on with the list of the write before. */
static void release(struct px_san *san, struct px_sync_at *s, const struct given *g, bool rmw)
{
    if (!rmw) {
        drop_released(&san->clocks, s->list);
        s->list = NULL;
    }
    if (!g->knows) return;
    if (!s->list && !(s->list = px_zalloc(san->clocks.alloc, sizeof *s->list))) {
        san->clocks.lost = true;
        return;
    }
    if (!s->list->refs) s->list->refs = 1;
    s->list = shortened(san, s->list);
    append(san, s->list, g);
}

/* A strong write of a thread, or (NULL) a weak one. */
static void put_fenced(struct px_san *san, struct px_sync_at *s, const struct px_thread *t, bool wide,
                       bool rmw, bool tells)
{
    struct px_clocks *c = &san->clocks;
    struct px_fenced *own = t ? px_fenced_share(t->fenced) : NULL;
    if (!wide) px_fenced_narrow(c, &own);
    if (tells) px_fenced_tell(c, &own, &t->knows);
    if (!rmw) {
        px_fenced_drop(c, s->fenced);
        s->fenced = NULL;
    }
    if (own) px_fenced_join(c, &s->fenced, own, t->knows.block);
    px_fenced_drop(c, own);
}

/* Threads that wait for a word read it again and again. */
static void read_fenced(struct px_san *san, struct px_thread *t, const struct px_sync_at *s, bool wide)
{
    if (!s->fenced || s->fenced == t->looked) return;
    px_fenced_observe(&san->clocks, &t->fenced, s->fenced, t->knows.block, wide);
    if (!wide) return;
    px_fenced_drop(&san->clocks, t->looked);
    t->looked = px_fenced_share(s->fenced);
}

static bool acquires(ptx_trace_order order)
{
    return order == PTX_TRACE_ACQUIRE || order >= PTX_TRACE_ACQ_REL;
}

static void read_strong(struct px_san *san, struct px_thread *t, const struct px_sync_at *s,
                        const ptx_trace_access *a)
{
    if (!s) return;
    if (a->order != PTX_TRACE_WEAK) read_fenced(san, t, s, is_wide(a->scope));
    if (acquires(a->order))
        acquire(san, t, s->list, is_wide(a->scope));
    else
        note(san, t, s->list, is_wide(a->scope));
}

static struct given given_by(const struct px_thread *t, const ptx_trace_access *a)
{
    const bool wide = is_wide(a->scope);
    if (!(a->how & PTX_TRACE_WRITE) || a->order == PTX_TRACE_WEAK) return (struct given){0};
    if (a->order >= PTX_TRACE_RELEASE) return (struct given){&t->knows, t->fenced, wide};
    if (wide && t->fence[1].threads) return (struct given){&t->fence[1], t->before[1], true};
    return (struct given){t->fence[0].threads ? &t->fence[0] : NULL, t->before[0], false};
}

void px_order_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a, const ptx_trace_lane *l,
                     struct px_page *page)
{
    struct px_thread *t = &b->thread[l->thread];
    struct px_syncs *syncs = a->reached == PTX_COUNT_SHARED ? &b->syncs : &san->syncs;
    const bool strong = a->order != PTX_TRACE_WEAK, rmw = a->how & PTX_TRACE_READ;
    const struct given given = given_by(t, a);
    const bool tells = strong && !rmw && a->reached == PTX_COUNT_GLOBAL && is_wide(a->scope);
    const bool gives = a->how & PTX_TRACE_WRITE && (given.knows || tells || (strong && t->fenced));
    if (!page->syncs && !gives) return;
    b->changes++;
    struct px_sync_at *s = sync_at(san, syncs, l->address, gives);
    page->syncs |= gives;
    if (a->how & PTX_TRACE_READ) read_strong(san, t, s, a);
    if (!s || !(a->how & PTX_TRACE_WRITE)) return;
    put_fenced(san, s, strong ? t : NULL, is_wide(a->scope), rmw, tells);
    release(san, s, &given, rmw);
    if (given.knows == &t->knows) advance(b, t);
}

/* ---- barriers of cooperative grids, by calls ---- */

/* The phase is of no block: all that it knows is far. */
static struct px_phase *grid_phase(struct px_san *san, struct px_grd *g)
{
    if (g->phase && g->phase->closed) {
        drop_phase(san, g->phase);
        g->phase = NULL;
    }
    if (!g->phase) g->phase = new_phase(san, &(struct px_blk){.id = UINT32_MAX});
    return g->phase;
}

static void grid_arrive(struct px_san *san, struct px_blk *b, struct px_thread *t)
{
    struct px_grd *g = px_san_grid(san, b->grid);
    struct px_phase *p = g ? grid_phase(san, g) : NULL;
    if (!p) return;
    drop_phase(san, t->phase);
    t->phase = p;
    p->refs++;
    if (t->knows.far != p->joined) px_far_join(&san->clocks, &p->knows.far, t->knows.far);
    p->joined = t->knows.far;
    px_far_put(&san->clocks, &p->knows.far, &t->knows);
    px_fenced_join(&san->clocks, &p->fenced, t->fenced, UINT32_MAX);
    advance(b, t);
}

static void grid_leave(struct px_san *san, struct px_thread *t)
{
    struct px_phase *p = t->phase;
    if (!p) return;
    p->closed = true;
    px_known_join_own(&san->clocks, &t->knows, p->knows.far);
    px_far_drop(&san->clocks, t->knows.far);
    t->knows.far = px_far_share(p->knows.far);
    px_fenced_join(&san->clocks, &t->fenced, p->fenced, t->knows.block);
    t->phase = NULL;
    drop_phase(san, p);
}

void px_order_grid_end(struct px_san *san, struct px_grd *g)
{
    drop_phase(san, g->phase);
    g->phase = NULL;
}

/* ---- copies ---- */

enum { WAITED_MOST = 4096 };

/* The older half becomes one: complete from the thread's beginning on. */
static void forget_waits(struct px_groups *t)
{
    const uint32_t half = WAITED_MOST / 2;
    memmove(&t->waited[1], &t->waited[half + 1], (WAITED_MOST - half - 1) * sizeof *t->waited);
    t->nwaited = WAITED_MOST - half;
    t->waited[0] = (struct px_waited){t->waited[1].groups - 1, 1};
}

/* All groups before `groups` are complete. */
static void complete(struct px_san *san, struct px_groups *t, uint32_t clock, uint32_t groups)
{
    if (t->nwaited && t->waited[t->nwaited - 1].groups >= groups) return;
    if (t->nwaited == WAITED_MOST) forget_waits(t);
    if (!groups || !px_san_room(san, &t->waited, t->nwaited, &t->waited_cap, sizeof *t->waited)) return;
    t->waited[t->nwaited++] = (struct px_waited){groups, clock};
}

static void wait_groups(struct px_san *san, struct px_thread *t, struct px_groups *g,
                        const ptx_trace_event *e)
{
    if (e->count) {
        g->n++; /* as if what is not committed were */
        complete(san, g, t->knows.clock, g->n);
    } else if (g->n > e->number) {
        complete(san, g, t->knows.clock, g->n - (uint32_t)e->number);
    }
}

void px_order_copies(struct px_san *san, struct px_blk *b, uint32_t thread)
{
    struct px_thread *t = &b->thread[thread];
    complete(san, &t->groups[0], t->knows.clock, ++t->groups[0].n);
}

/* The thread's clock when the group was complete for it; 0: it is not yet. */
static uint32_t waited_at(const struct px_groups *g, uint32_t group)
{
    uint32_t low = 0, high = g->nwaited;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (g->waited[middle].groups > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low < g->nwaited ? g->waited[low].clock : 0;
}

/* From which clock of its thread on the access is over; 0: it is not yet. */
static uint32_t over_at(const struct px_thread *t, const struct px_side *side)
{
    if (!(side->how & PTX_TRACE_ASYNC)) return side->clock;
    return waited_at(&t->groups[(side->how & PTX_TRACE_PRODUCT) != 0], side->group);
}

static void proxy_fence(struct px_san *san, struct px_blk *b, struct px_thread *t)
{
    px_known_drop(&san->clocks, &t->proxied);
    t->proxied = px_known_share(&t->knows);
    advance(b, t);
}

bool px_order_proxied(const struct px_blk *b, uint32_t thread, const struct px_side *side, uint32_t lane)
{
    const struct px_thread *t = &b->thread[thread];
    const uint32_t other = side->warp * PX_SAN_WARP + lane;
    if (b->acquired || side->block != b->id || side->how & PTX_TRACE_ASYNC) return true;
    return t->proxied.threads && px_known_clock(&t->proxied, other) >= over_at(&b->thread[other], side);
}

/* ---- all of it ---- */

void px_order_event(struct px_san *san, struct px_blk *b, const ptx_trace_event *e)
{
    b->changes++;
    if (e->kind == PTX_TRACE_BARRIER_ARRIVE) {
        barrier_arrive(san, b, e);
        return;
    }
    if (e->kind == PTX_TRACE_WARP_ARRIVE) {
        warp_arrive(san, b, e);
        return;
    }
    for (unsigned i = 0; i < e->nthreads; i++) {
        struct px_thread *t = &b->thread[e->threads[i]];
        switch (e->kind) {
        case PTX_TRACE_BARRIER_LEAVE:
        case PTX_TRACE_WARP_LEAVE: leave(san, b, t); break;
        case PTX_TRACE_FENCE:
            if (e->order) fence(san, b, t, e);
            break;
        case PTX_TRACE_GRID_ARRIVE: grid_arrive(san, b, t); break;
        case PTX_TRACE_GRID_LEAVE: grid_leave(san, t); break;
        case PTX_TRACE_COMMIT: t->groups[0].n++; break;
        case PTX_TRACE_WAIT: wait_groups(san, t, &t->groups[0], e); break;
        case PTX_TRACE_PRODUCT_COMMIT: t->groups[1].n++; break;
        case PTX_TRACE_PRODUCT_WAIT: wait_groups(san, t, &t->groups[1], e); break;
        case PTX_TRACE_PROXY_FENCE: proxy_fence(san, b, t); break;
        default: break;
        }
    }
}

bool px_order_before(struct px_san *san, const struct px_blk *b, uint32_t thread, const struct px_side *side,
                     uint32_t lane)
{
    const struct px_thread *t = &b->thread[thread];
    const uint32_t other = side->warp * PX_SAN_WARP + lane;
    if (side->block == b->id) {
        const uint32_t clock = over_at(&b->thread[other], side);
        if (!clock) return false;
        return other == thread || px_known_clock(&t->knows, other) >= clock;
    }
    const struct px_blk_name *of = &san->block[side->block];
    if (of->grid != b->grid && px_grid_before(san, of->grid, side->era, b->grid)) return true;
    const struct px_knowledge *k = px_far_find(t->knows.far, side->block);
    return k && px_known_clock(k, other) >= side->clock;
}

bool px_order_relaxed(const struct px_blk *b, uint32_t thread, const struct px_side *side, uint32_t lane)
{
    const struct px_fenced *f = b->thread[thread].fenced;
    if (!f || !f->told.threads || side->how & PTX_TRACE_ASYNC) return false;
    const struct px_knowledge *k =
        f->told.block == side->block ? &f->told : px_far_find(f->told.far, side->block);
    return k && px_known_clock(k, side->warp * PX_SAN_WARP + lane) >= side->clock;
}

static void end_thread(struct px_san *san, struct px_thread *t)
{
    struct px_clocks *c = &san->clocks;
    px_known_drop(c, &t->knows);
    for (int i = 0; i < 2; i++) {
        px_known_drop(c, &t->fence[i]);
        px_fenced_drop(c, t->before[i]);
    }
    px_fenced_drop(c, t->fenced);
    px_fenced_drop(c, t->looked);
    for (uint32_t i = 0; i < t->npending; i++) drop_released(c, t->pending[i].list);
    drop_phase(san, t->phase);
    drop_released(c, t->seen);
    px_free(c->alloc, t->pending, t->pending_cap * sizeof *t->pending);
    px_known_drop(c, &t->proxied);
    for (int i = 0; i < 2; i++)
        px_free(c->alloc, t->groups[i].waited, t->groups[i].waited_cap * sizeof *t->groups[i].waited);
}

void px_order_end(struct px_san *san, struct px_blk *b)
{
    for (uint32_t i = 0; i < b->nthreads; i++) end_thread(san, &b->thread[i]);
    for (uint32_t i = 0; i < PX_SAN_BARRIERS; i++) drop_phase(san, b->barrier[i]);
    for (struct px_phase *p = b->warps, *next; p; p = next) {
        next = p->next;
        drop_phase(san, p);
    }
    px_syncs_clear(&san->clocks, &b->syncs);
}
