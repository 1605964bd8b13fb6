/* san.c - the checks as an object: which grids and blocks there are, and whose event it is. */
#include "san/san.h"
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

bool px_san_room(struct px_san *san, void *list, uint32_t n, uint32_t *cap, size_t bytes)
{
    void **at = list;
    if (n < *cap) return true;
    const uint32_t more = *cap ? 2 * *cap : 16;
    void *grown = px_realloc(san->clocks.alloc, *at, *cap * bytes, more * bytes);
    if (!grown) return san->clocks.lost = true, false;
    *at = grown;
    *cap = more;
    return true;
}

/* ---- grids ---- */

struct px_grd *px_san_grid(struct px_san *san, uint64_t id)
{
    uint32_t i = san->grids[id % PX_GRID_BUCKETS];
    while (i && san->grid[i - 1].id != id) i = san->grid[i - 1].next;
    return i ? &san->grid[i - 1] : NULL;
}

/* Those whose kernels led to the launch of `g` go into another era. */
static void end_eras(struct px_san *san, uint64_t parent)
{
    for (struct px_grd *p; parent && (p = px_san_grid(san, parent)); parent = p->parent) p->era++;
}

static void begin_grid(struct px_san *san, const ptx_trace_event *e)
{
    const uint64_t id = e->grid, parent = e->parent;
    if (px_san_grid(san, id)) return;
    const struct px_grd *p = parent ? px_san_grid(san, parent) : NULL;
    const uint32_t era = p ? p->era : 0;
    const uint64_t work = p ? p->work : e->number;
    if (!px_san_room(san, &san->grid, san->ngrids, &san->grids_cap, sizeof *san->grid)) return;
    uint32_t *bucket = &san->grids[id % PX_GRID_BUCKETS];
    san->grid[san->ngrids++] = (struct px_grd){.id = id,
                                               .parent = parent,
                                               .work = work,
                                               .next = *bucket,
                                               .block = {e->block[0], e->block[1], e->block[2]},
                                               .parent_era = era};
    *bucket = san->ngrids;
    san->under_way++;
    end_eras(san, parent);
}

/* Nothing is under way: what comes is behind all that was. */
static void forget(struct px_san *san)
{
    px_shadow_clear(&san->global);
    px_syncs_clear(&san->clocks, &san->syncs);
    memset(san->grids, 0, sizeof san->grids);
    px_works_forget(san);
    san->ngrids = san->nblocks = 0;
    san->nsides = 1;
    for (uint32_t i = 0; i < san->nplaces; i++) memset(san->place[i].last, 0, sizeof san->place[i].last);
}

static void end_grid(struct px_san *san, uint64_t id)
{
    struct px_grd *g = px_san_grid(san, id);
    if (!g || g->ended) return;
    g->ended = true;
    px_order_grid_end(san, g);
    if (--san->under_way) return;
    memset(san->key, 0, sizeof san->key);
    px_san_tidy(san);
}

void px_san_tidy(struct px_san *san)
{
    enum { MOST = 1 << 22 };
    const bool much = san->nsides > MOST || san->nblocks > MOST || san->ngrids > MOST;
    if (!san->under_way && san->ngrids && (much || px_works_known(san))) forget(san);
}

bool px_grid_before(struct px_san *san, uint64_t of, uint32_t era, uint64_t grid)
{
    const struct px_grd *g = px_san_grid(san, of);
    const struct px_grd *mine = px_san_grid(san, grid);
    if (!g) return true;
    const enum px_works_order order =
        g->work && mine && mine->work ? px_works_order(san, g->work, mine->work) : PX_WORKS_UNKNOWN;
    if (order == PX_WORKS_BEFORE || order == PX_WORKS_APART) return order == PX_WORKS_BEFORE;
    if (g->ended) return true;
    while (mine && mine->parent && mine->parent != of) mine = px_san_grid(san, mine->parent);
    return mine && mine->parent == of && era <= mine->parent_era;
}

/* ---- blocks ---- */

static uint32_t bucket_of(uint64_t grid, const unsigned cta[3])
{
    return (uint32_t)((grid * 31 + cta[0] + cta[1] * 7u + cta[2] * 13u) % PX_LIVE_BUCKETS);
}

static bool is_block(const struct px_blk *b, uint64_t grid, const unsigned cta[3])
{
    return b->grid == grid && b->cta[0] == cta[0] && b->cta[1] == cta[1] && b->cta[2] == cta[2];
}

static void free_block(struct px_san *san, struct px_blk *b)
{
    const ptx_allocator *a = san->clocks.alloc;
    px_init_end(san, b);
    px_race_end(san, b);
    px_order_end(san, b);
    px_sync_end(san, b);
    px_shadow_clear(&b->shared);
    if (b->thread && !san->spare) {
        san->spare = b->thread;
        san->nspare = b->nthreads;
    } else {
        px_free(a, b->thread, b->nthreads * sizeof *b->thread);
    }
    px_free(a, b, sizeof *b);
}

static struct px_thread *new_threads(struct px_san *san, unsigned n)
{
    struct px_thread *t = san->spare;
    if (!t || san->nspare != n) return px_zalloc(san->clocks.alloc, n * sizeof *t);
    san->spare = NULL;
    memset(t, 0, n * sizeof *t);
    return t;
}

static bool name_block(struct px_san *san, struct px_blk *b)
{
    if (!px_san_room(san, &san->block, san->nblocks, &san->blocks_cap, sizeof *san->block)) return false;
    b->id = san->nblocks++;
    const struct px_grd *g = px_san_grid(san, b->grid);
    struct px_blk_name *name = &san->block[b->id];
    *name = (struct px_blk_name){.grid = b->grid, .shape = {b->nthreads, 1, 1}};
    memcpy(name->cta, b->cta, sizeof name->cta);
    if (g) memcpy(name->shape, g->block, sizeof name->shape);
    return true;
}

static void start_threads(struct px_blk *b)
{
    for (uint32_t i = 0; i < b->nthreads; i++)
        b->thread[i] =
            (struct px_thread){.knows = {.block = b->id, .threads = b->nthreads, .thread = i, .clock = 1}};
    b->clock = 1;
}

static struct px_blk *new_block(struct px_san *san, uint64_t grid, const unsigned cta[3], unsigned nthreads)
{
    struct px_blk *b = px_zalloc(san->clocks.alloc, sizeof *b);
    if (b) b->thread = new_threads(san, nthreads);
    if (!b || !b->thread) {
        san->clocks.lost = true;
        px_free(san->clocks.alloc, b, sizeof *b);
        return NULL;
    }
    b->nthreads = nthreads;
    b->changes = 1;
    b->grid = grid;
    memcpy(b->cta, cta, sizeof b->cta);
    px_shadow_init(&b->shared, san->clocks.alloc);
    if (!name_block(san, b)) {
        free_block(san, b);
        return NULL;
    }
    start_threads(b);
    struct px_blk **to = &san->live[bucket_of(grid, cta)];
    b->next = *to;
    return *to = b;
}

struct px_blk *px_san_block(struct px_san *san, uint64_t grid, const unsigned cta[3], unsigned nthreads)
{
    struct px_blk *b = san->current;
    if (b && is_block(b, grid, cta)) return b;
    b = san->live[bucket_of(grid, cta)];
    while (b && !is_block(b, grid, cta)) b = b->next;
    if (!b && nthreads) b = new_block(san, grid, cta, nthreads);
    return san->current = b;
}

static void end_block(struct px_san *san, struct px_blk *b)
{
    struct px_blk **link = &san->live[bucket_of(b->grid, b->cta)];
    while (*link != b) link = &(*link)->next;
    *link = b->next;
    san->current = NULL;
    free_block(san, b);
}

/* A launch that was stopped leaves blocks behind. */
static void end_blocks_of(struct px_san *san, uint64_t grid)
{
    for (uint32_t i = 0; i < PX_LIVE_BUCKETS; i++)
        for (struct px_blk *b = san->live[i], *next; b; b = next) {
            next = b->next;
            if (!grid || b->grid == grid) end_block(san, b);
        }
}

/* ---- events ---- */

static void pass_event(struct px_san *san, struct px_blk *b, const ptx_trace_event *e)
{
    if (san->checks & PTX_CHECK_SYNC) px_sync_event(san, b, e);
    px_order_event(san, b, e);
}

static void block_event(struct px_san *san, const ptx_trace_event *e)
{
    struct px_blk *b = px_san_block(san, e->grid, e->cta, e->kind == PTX_TRACE_BLOCK_BEGIN ? e->nthreads : 0);
    if (!b) return;
    if (e->kind == PTX_TRACE_BLOCK_END)
        end_block(san, b);
    else if (e->kind != PTX_TRACE_BLOCK_BEGIN)
        pass_event(san, b, e);
}

void px_san_event(void *user, const ptx_trace_event *e)
{
    struct px_san *san = user;
    pthread_mutex_lock(&san->lock);
    if (!san->clocks.lost) {
        if (e->kind == PTX_TRACE_GRID_BEGIN) {
            begin_grid(san, e);
        } else if (e->kind == PTX_TRACE_GRID_END) {
            end_blocks_of(san, e->grid);
            end_grid(san, e->grid);
        } else {
            block_event(san, e);
        }
    }
    pthread_mutex_unlock(&san->lock);
    if (san->next.event) san->next.event(san->next.user, e);
}

void px_san_access(void *user, const ptx_trace_access *a)
{
    struct px_san *san = user;
    pthread_mutex_lock(&san->lock);
    struct px_blk *b = san->clocks.lost ? NULL : px_san_block(san, a->grid, a->cta, 0);
    if (b && san->checks & PTX_CHECK_MEMORY) px_memory_access(san, b, a);
    if (b && san->checks & PTX_CHECK_INIT) px_init_access(san, b, a);
    if (b && san->checks & (PTX_CHECK_RACE | PTX_CHECK_SYNC)) px_race_access(san, b, a);
    pthread_mutex_unlock(&san->lock);
    if (san->next.trace) san->next.trace(san->next.user, a);
}

/* ---- the object ---- */

struct px_san *px_san_new(const ptx_allocator *alloc, unsigned checks, const struct px_san_next *next,
                          px_san_where_fn where)
{
    struct px_san *san = px_zalloc(alloc, sizeof *san);
    if (!san) return NULL;
    san->alloc = *alloc;
    san->next = *next;
    san->clocks.alloc = alloc = &san->alloc;
    san->checks = checks;
    san->where = where;
    px_shadow_init(&san->global, alloc);
    san->nsides = 1;
    if (px_san_room(san, &san->side, 1, &san->sides_cap, sizeof *san->side) &&
        pthread_mutex_init(&san->lock, NULL) == 0)
        return san;
    px_free(alloc, san->side, san->sides_cap * sizeof *san->side);
    px_free(alloc, san, sizeof *san);
    return NULL;
}

void px_san_free(struct px_san *san)
{
    if (!san) return;
    const ptx_allocator own = san->alloc, *a = &own;
    end_blocks_of(san, 0);
    for (uint32_t i = 0; i < san->ngrids; i++) px_order_grid_end(san, &san->grid[i]);
    forget(san);
    px_memory_end(san);
    px_works_end(san);
    px_found_free(san);
    px_free(a, san->spare, san->nspare * sizeof *san->spare);
    px_free(a, san->block, san->blocks_cap * sizeof *san->block);
    px_free(a, san->grid, san->grids_cap * sizeof *san->grid);
    px_free(a, san->side, san->sides_cap * sizeof *san->side);
    pthread_mutex_destroy(&san->lock);
    px_free(a, san, sizeof *san);
}
