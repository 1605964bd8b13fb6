/*
 * race.c - races: each access against the last ones of the bytes that it reaches.
 *
 * A cell keeps its last write and two reads behind it. A read that a later one is ordered behind makes room
 * for it.
 */
#include <string.h>
#include "base/alloc.h"
#include "ops/trace.h"
#include "san/state.h"

/* A side, and which threads it happens before: its own, and those whose floor is `clock` or more. */
struct px_old {
    uint32_t side, clock, warp; /* side 0: none yet */
};

/* One thread's access, as it is held against cells. */
struct by {
    struct px_san *san;
    struct px_blk *block;
    const ptx_trace_access *access;
    unsigned lane; /* of access->lanes */
    uint32_t thread;
    px_side_id id;
    uint32_t side, warp, clock, bytes; /* made for the lane before; side 0: none */
    uint32_t floor;                    /* what the thread knows of its block; */
    struct px_old old[2];              /* sides that were asked about last: of a write, of a read; */
    uint32_t kept[2], kept_floor;      /* two sides of reads that both stay, for threads of that floor */
    bool quick;                        /* side, warp, clock, bytes and floor are those of the warp's lanes */
};

/* ---- sides ---- */

/* To make an mbarrier, or to end it, is a weak write of its word to all that use it. */
static unsigned how_of(const struct by *by)
{
    const ptx_trace_access *a = by->access;
    const bool makes = a->how & PTX_TRACE_MBARRIER && strstr(a->at->instruction, "mbarrier.in");
    return makes ? a->how & ~(unsigned)PTX_TRACE_ATOMIC : a->how;
}

static struct px_side side_of(const struct by *by, uint32_t place)
{
    const ptx_trace_access *a = by->access;
    const struct px_thread *t = &by->block->thread[by->thread];
    const struct px_grd *grid = px_san_grid(by->san, by->block->grid);
    const uint32_t bytes = a->lanes[by->lane].bytes;
    return (struct px_side){.place = place,
                            .block = by->block->id,
                            .clock = t->knows.clock,
                            .era = grid ? grid->era : 0,
                            .group =
                                a->how & PTX_TRACE_ASYNC ? t->groups[(a->how & PTX_TRACE_PRODUCT) != 0].n : 0,
                            .warp = (uint16_t)(by->thread / PX_SAN_WARP),
                            .how = (uint8_t)how_of(by),
                            .bytes = (uint8_t)(bytes < 255 ? bytes : 255),
                            .order = (uint8_t)a->order,
                            .scope = (uint8_t)a->scope};
}

static bool same_side(const struct px_side *a, const struct px_side *b)
{
    return a->place == b->place && a->block == b->block && a->clock == b->clock && a->era == b->era &&
           a->group == b->group && a->warp == b->warp && a->how == b->how && a->bytes == b->bytes;
}

/* The number of this thread's access; 0: there is no memory. */
static px_side_id make_number(const struct by *by, uint32_t place)
{
    struct px_san *san = by->san;
    const struct px_side side = side_of(by, place);
    uint32_t *last = &san->place[place].last[side.warp % PX_PLACE_SIDES];
    const uint32_t lane = by->thread % PX_SAN_WARP;
    if (!*last || !same_side(&san->side[*last], &side)) {
        enum { MOST = 1u << 27 };
        if (san->nsides >= MOST) san->clocks.lost = true;
        if (san->clocks.lost) return 0;
        if (!px_san_room(san, &san->side, san->nsides, &san->sides_cap, sizeof *san->side)) return 0;
        san->side[san->nsides] = side;
        *last = san->nsides++;
    }
    return *last * PX_SAN_WARP + lane;
}

/* Lanes of a warp have one side as a rule. */
static px_side_id number_of(struct by *by, uint32_t place)
{
    const uint32_t warp = by->thread / PX_SAN_WARP, bytes = by->access->lanes[by->lane].bytes;
    const uint32_t clock = by->block->thread[by->thread].knows.clock;
    if (!by->side || by->warp != warp || by->clock != clock || by->bytes != bytes ||
        by->access->how & PTX_TRACE_ASYNC) {
        by->side = make_number(by, place) / PX_SAN_WARP;
        by->warp = warp;
        by->clock = clock;
        by->bytes = bytes;
    }
    return by->side ? by->side * PX_SAN_WARP + by->thread % PX_SAN_WARP : 0;
}

static const struct px_side *side_at(const struct px_san *san, px_side_id id)
{
    return &san->side[id / PX_SAN_WARP];
}

/* The usual cases first: its own, and what a barrier of the block lies behind. */
static bool is_ordered(const struct by *by, px_side_id id)
{
    const struct px_side *side = side_at(by->san, id);
    if (side->block == by->block->id && !(side->how & PTX_TRACE_ASYNC) &&
        (side->clock <= by->block->thread[by->thread].knows.floor ||
         side->warp * PX_SAN_WARP + id % PX_SAN_WARP == by->thread))
        return true;
    return px_order_before(by->san, by->block, by->thread, side_at(by->san, id), id % PX_SAN_WARP);
}

/* ---- findings ---- */

static bool is_inside(const struct px_side *a, ptx_trace_scope scope, const struct px_side *b)
{
    return scope >= PTX_TRACE_GPU || a->block == b->block;
}

/* Both strong, of the same bytes, each in the other's scope: they do not race. */
static bool morally_strong(const struct px_side *a, const struct px_side *b)
{
    return a->how & b->how & PTX_TRACE_ATOMIC && a->bytes == b->bytes &&
           is_inside(a, (ptx_trace_scope)a->scope, b) && is_inside(b, (ptx_trace_scope)b->scope, a);
}

/* What another thread writes there by this very access; false: it does not. */
static bool stored_by(const struct by *by, uint32_t thread, void *value)
{
    const ptx_trace_access *a = by->access;
    uint8_t memory[16];
    for (unsigned i = 0; i < by->lane; i++)
        if (a->lanes[i].thread == thread && a->lanes[i].address == a->lanes[by->lane].address)
            return px_trace_stored(a, i, value, memory);
    return false;
}

/* Do both write the same? What the other one wrote lies there, or is about to. */
static bool same_value(const struct by *by, const struct px_side *old, uint32_t thread, bool alike)
{
    uint8_t value[16] = {0}, other[16] = {0};
    if (!(old->how & by->access->how & PTX_TRACE_WRITE)) return false;
    if (!px_trace_stored(by->access, by->lane, value, other)) return false;
    if (alike) stored_by(by, thread, other);
    return memcmp(value, other, by->access->lanes[by->lane].bytes) == 0;
}

static enum px_apart apart_of(const struct by *by, const struct px_side *old, uint32_t thread)
{
    const struct px_blk *b = by->block;
    if (by->san->block[old->block].grid != b->grid) return PX_APART_GRIDS;
    if (old->block != b->id) return PX_APART_GRID;
    if (thread == by->thread) return PX_APART_SELF;
    return thread / PX_SAN_WARP == by->thread / PX_SAN_WARP ? PX_APART_WARP : PX_APART_BLOCK;
}

/* ---- shared memory that two threads wrote at once, and that nobody may ever read ---- */

static void add_raced(const struct by *by, struct px_found *f, uint64_t address)
{
    enum { MOST = 4096 };
    struct px_raced_list *list = &by->block->raced;
    struct px_page *page = px_shadow_page(&by->block->shared, address);
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].address == address && list->at[i].found == f) return;
    if (!page || list->n >= MOST || !px_san_room(by->san, &list->at, list->n, &list->cap, sizeof *list->at)) {
        f->mild = false;
        return;
    }
    page->raced = true;
    list->at[list->n++] = (struct px_raced){address, f};
}

/* Somebody reads what lies there, or another write takes its place. */
static void end_raced(const struct by *by, uint64_t address, bool read)
{
    struct px_raced_list *list = &by->block->raced;
    for (uint32_t i = 0; i < list->n;) {
        struct px_raced *r = &list->at[i];
        if (read ? r->address >> 2 != address >> 2 : r->address != address) { /* a page may be split since */
            i++;
            continue;
        }
        if (read) r->found->mild = false;
        *r = list->at[--list->n];
    }
}

void px_race_end(struct px_san *san, struct px_blk *b)
{
    px_free(san->clocks.alloc, b->raced.at, b->raced.cap * sizeof *b->raced.at);
}

static bool is_unread(const struct by *by, ptx_check_kind kind)
{
    return kind == PTX_FOUND_WRITE_WRITE && by->access->reached == PTX_COUNT_SHARED &&
           by->access->how == PTX_TRACE_WRITE;
}

static void find(const struct by *by, px_side_id id, ptx_check_kind kind, uint64_t address)
{
    struct px_san *san = by->san;
    const struct px_side *old = side_at(san, id), *mine = side_at(san, by->id);
    const uint32_t thread = old->warp * PX_SAN_WARP + id % PX_SAN_WARP;
    if (!(san->checks & PTX_CHECK_RACE) || morally_strong(old, mine)) return;
    const bool values = same_value(by, old, thread, old->place == mine->place && old->block == mine->block);
    if (values && !(san->checks & PTX_CHECK_RACE_VALUES)) return;
    const bool unread = !values && is_unread(by, kind);
    const bool relaxed =
        kind == PTX_FOUND_READ_WRITE && px_order_relaxed(by->block, by->thread, old, id % PX_SAN_WARP);
    struct px_found f = {.kind = kind,
                         .place = {old->place, mine->place},
                         .mild = values || unread || relaxed,
                         .why = values   ? PX_MILD_VALUES
                                : unread ? PX_MILD_UNREAD
                                         : PX_MILD_RELAXED,
                         .shared = by->access->reached == PTX_COUNT_SHARED,
                         .global = by->access->reached == PTX_COUNT_GLOBAL,
                         .address = address,
                         .count = 1,
                         .side = {*old, *mine},
                         .block = {san->block[old->block], san->block[mine->block]},
                         .thread = {thread, by->thread},
                         .apart = apart_of(by, old, thread),
                         .async = (old->how | mine->how) & PTX_TRACE_ASYNC,
                         .scopes = old->how & mine->how & PTX_TRACE_ATOMIC};
    px_found_where(san, px_found_add(san, &f), by->access);
    struct px_found *known = unread ? px_found_known(san, &f) : NULL;
    if (known && known->mild) add_raced(by, known, address);
}

/* ---- cells ---- */

/* A thread's own accesses are ordered; what it reads again later stands for both. */
static void keep_read(const struct by *by, struct px_cell *cell)
{
    const uint32_t side = by->id / PX_SAN_WARP, first_side = cell->read[0] / PX_SAN_WARP,
                   second_side = cell->read[1] / PX_SAN_WARP;
    if (second_side && (first_side == side || second_side == side)) return; /* two are kept already */
    for (int i = 0; i < 2; i++)
        if (!cell->read[i] || cell->read[i] == by->id || is_ordered(by, cell->read[i])) {
            cell->read[i] = by->id;
            if (!i && cell->read[1] && is_ordered(by, cell->read[1])) cell->read[1] = 0;
            return;
        }
    const struct px_side *first = side_at(by->san, cell->read[0]), *second = side_at(by->san, cell->read[1]);
    const bool alike = first->warp == second->warp && first->block == second->block;
    if (alike) cell->read[1] = by->id; /* of another warp, rather */
}

static bool reads_the_same(const struct by *by, const struct px_cell *cell)
{
    return cell->read[0] == by->id || cell->read[1] == by->id;
}

static bool is_plain_write(const struct by *by, px_side_id id)
{
    return id && (side_at(by->san, id)->how & (PTX_TRACE_WRITE | PTX_TRACE_ATOMIC)) == PTX_TRACE_WRITE;
}

/* wgmma reads by another proxy than the one that wrote. */
static void check_proxy(const struct by *by, const struct px_cell *cell, uint64_t address)
{
    if (cell->write && is_ordered(by, cell->write) &&
        !px_order_proxied(by->block, by->thread, side_at(by->san, cell->write), cell->write % PX_SAN_WARP))
        find(by, cell->write, PTX_FOUND_PROXY, address);
}

static void read_cell(const struct by *by, struct px_cell *cell, uint64_t address)
{
    if (reads_the_same(by, cell)) return;
    if (cell->write && !is_ordered(by, cell->write)) find(by, cell->write, PTX_FOUND_WRITE_READ, address);
    for (int i = 0; i < 2; i++)
        if (is_plain_write(by, cell->read[i]) && !is_ordered(by, cell->read[i]))
            find(by, cell->read[i], PTX_FOUND_WRITE_READ, address);
    if (by->access->how & PTX_TRACE_PRODUCT) check_proxy(by, cell, address);
    keep_read(by, cell);
}

/* Is it behind all threads that can reach the memory? */
static bool is_over(const struct by *by, px_side_id id)
{
    const struct px_side *side = side_at(by->san, id);
    return by->access->reached == PTX_COUNT_SHARED &&
           side->clock <= by->block->thread[by->thread].knows.floor;
}

/* The weak write that an atomic operation may hide from later ones, which do not race with each other. */
static px_side_id hidden_write(const struct by *by, const struct px_cell *cell)
{
    px_side_id id = 0;
    if (!(how_of(by) & PTX_TRACE_ATOMIC)) return 0;
    for (int i = 0; i < 2 && !id; i++)
        if (is_plain_write(by, cell->read[i])) id = cell->read[i];
    if (is_plain_write(by, cell->write)) id = cell->write;
    return id && !is_over(by, id) ? id : 0;
}

static void write_cell(const struct by *by, struct px_cell *cell, uint64_t address)
{
    if (cell->write == by->id && !cell->read[0]) return;
    const px_side_id hidden = hidden_write(by, cell);
    if (cell->write && !is_ordered(by, cell->write)) find(by, cell->write, PTX_FOUND_WRITE_WRITE, address);
    for (int i = 0; i < 2; i++)
        if (cell->read[i] && !is_ordered(by, cell->read[i]))
            find(by, cell->read[i],
                 is_plain_write(by, cell->read[i]) ? PTX_FOUND_WRITE_WRITE : PTX_FOUND_READ_WRITE, address);
    *cell = (struct px_cell){.write = by->id, .read = {hidden}};
}

/* What bulk copies and other blocks of the cluster do to shared memory is not held against other accesses:
 * their writes forget who was there before. */
static void forget(struct px_cell *cell)
{
    *cell = (struct px_cell){0};
}

/* The part of an access that lies in one page. */
static void reach(struct by *by, struct px_shadow *s, struct px_page *page, uint64_t at, uint32_t bytes)
{
    const bool write = by->access->how & PTX_TRACE_WRITE;
    if (page->shift && (at | bytes) & ((1u << page->shift) - 1) && !px_page_split(s, page)) {
        by->san->clocks.lost = true;
        return;
    }
    const uint32_t first = (uint32_t)(at & (PX_PAGE_BYTES - 1)) >> page->shift, n = bytes >> page->shift;
    for (uint32_t i = first; i < first + n; i++) {
        const uint64_t address = (at & ~(uint64_t)(PX_PAGE_BYTES - 1)) + ((uint64_t)i << page->shift);
        if (page->raced) end_raced(by, address, by->access->how & PTX_TRACE_READ);
        if (by->access->how & PTX_TRACE_REMOTE)
            forget(&page->cell[i]);
        else if (write)
            write_cell(by, &page->cell[i], address);
        else
            read_cell(by, &page->cell[i], address);
    }
}

/* ---- the usual case ---- */

/* Does the side happen before the access, as far as that is cheap to tell? False: it may. */
static bool is_behind(struct by *by, struct px_old *old, px_side_id id)
{
    if (id / PX_SAN_WARP != old->side) {
        const struct px_side *side = side_at(by->san, id);
        const uint64_t grid = by->san->block[side->block].grid;
        if (side->how & PTX_TRACE_ASYNC) return false;
        *old = (struct px_old){id / PX_SAN_WARP, side->clock, side->warp};
        if (side->block != by->block->id) {
            old->warp = UINT32_MAX;
            const bool before =
                grid != by->block->grid && px_grid_before(by->san, grid, side->era, by->block->grid);
            old->clock = before ? 0 : UINT32_MAX;
        }
    }
    return old->clock <= by->floor || (old->warp == by->warp && (id ^ by->thread) % PX_SAN_WARP == 0);
}

/* Is the side surely not before the access, but of another warp? */
static bool is_beside(const struct by *by, const struct px_side *side)
{
    const struct px_knowledge *k = &by->block->thread[by->thread].knows;
    if (side->how & PTX_TRACE_ASYNC) return false;
    if (side->block == by->block->id) return side->clock > by->floor && side->warp != by->warp && !k->near;
    return !k->far && by->san->block[side->block].grid == by->block->grid;
}

/* Two reads of other warps stand there that this one is not behind: both stay. */
static bool both_stay(struct by *by, const struct px_cell *cell)
{
    const uint32_t first = cell->read[0] / PX_SAN_WARP, second = cell->read[1] / PX_SAN_WARP;
    if (first == by->side || second == by->side) return true;
    if (first == by->kept[0] && second == by->kept[1] && by->floor <= by->kept_floor) return true;
    const struct px_side *a = &by->san->side[first], *b = &by->san->side[second];
    if ((a->warp == b->warp && a->block == b->block) || !is_beside(by, a) || !is_beside(by, b)) return false;
    by->kept[0] = first;
    by->kept[1] = second;
    by->kept_floor = by->floor;
    return true;
}

static bool quick_read(struct by *by, struct px_cell *cell)
{
    if (cell->read[0] == by->id || cell->read[1] == by->id) return true;
    if (cell->write && !is_behind(by, &by->old[0], cell->write)) return false;
    if (cell->read[1]) return both_stay(by, cell);
    if (!cell->read[0]) {
        cell->read[0] = by->id;
    } else if (is_plain_write(by, cell->read[0])) {
        return false;
    } else if (cell->read[0] / PX_SAN_WARP == by->side) {
        cell->read[1] = by->id;
    } else {
        if (!is_behind(by, &by->old[1], cell->read[0])) return false;
        cell->read[0] = by->id;
    }
    return true;
}

static bool quick_write(struct by *by, struct px_cell *cell)
{
    if (cell->write == by->id && !cell->read[0]) return true;
    if (cell->write && !is_behind(by, &by->old[0], cell->write)) return false;
    for (int i = 0; i < 2; i++)
        if (cell->read[i] && !is_behind(by, &by->old[1], cell->read[i])) return false;
    *cell = (struct px_cell){.write = by->id};
    return true;
}

/* What the threads of a warp know of their block now, when they know the same. */
static const struct px_warp_now *warp_now(struct px_blk *b, uint32_t warp)
{
    struct px_warp_now *now = &b->now[warp];
    const struct px_thread *t = &b->thread[warp * PX_SAN_WARP];
    if (now->changes == b->changes) return now;
    *now = (struct px_warp_now){b->changes, t->knows.clock, t->knows.floor, true};
    const uint32_t left = b->nthreads - warp * PX_SAN_WARP, n = left < PX_SAN_WARP ? left : PX_SAN_WARP;
    for (uint32_t i = 1; i < n; i++)
        now->alike &= t[i].knows.clock == now->clock && t[i].knows.floor == now->floor;
    return now;
}

/* The warp's side of this access is at hand, for lanes of so many bytes. */
static bool begin_warp(struct by *by, const ptx_trace_lane *l, uint32_t place)
{
    const uint32_t warp = l->thread / PX_SAN_WARP;
    if (by->quick && by->warp == warp && by->bytes == l->bytes) return true;
    const struct px_warp_now *now = warp_now(by->block, warp);
    by->quick = false;
    by->thread = l->thread;
    by->kept[0] = by->kept[1] = 0;
    if (!now->alike || !number_of(by, place)) return false;
    by->floor = now->floor;
    return by->quick = true;
}

/* A weak access of whole words in one page to which nobody released, behind everything that it meets. False:
 * it is not known to be that, and to be looked at again. */
static bool is_quick(struct by *by, struct px_shadow *s, uint32_t place)
{
    const ptx_trace_lane *l = &by->access->lanes[by->lane];
    const uint32_t at = (uint32_t)(l->address & (PX_PAGE_BYTES - 1));
    if ((at | l->bytes) & 3 || at + l->bytes > PX_PAGE_BYTES || !begin_warp(by, l, place)) return false;
    struct px_page *page = px_shadow_page(s, l->address);
    if (!page || page->shift != 2 || page->syncs || page->raced) return false;
    by->thread = l->thread;
    by->id = by->side * PX_SAN_WARP + l->thread % PX_SAN_WARP;
    struct px_cell *cell = &page->cell[at / 4], *end = cell + l->bytes / 4;
    if (by->access->how == PTX_TRACE_READ)
        while (cell < end && quick_read(by, cell)) cell++;
    else
        while (cell < end && quick_write(by, cell)) cell++;
    return cell == end;
}

/* A warp's third read of one word, and what follows, changes nothing: two of its lanes stand for it. */
static bool is_third(const ptx_trace_access *a, unsigned lane)
{
    const ptx_trace_lane *l = &a->lanes[lane];
    if (a->how != PTX_TRACE_READ || lane < 2 || l[-1].address != l->address || l[-2].address != l->address)
        return false;
    return l[-2].thread / PX_SAN_WARP == l->thread / PX_SAN_WARP && l[-1].bytes == l->bytes &&
           l[-2].bytes == l->bytes;
}

/* cp.async.mbarrier.arrive happens later, and orders more than it touches. */
static bool is_copies_arrival(const ptx_trace_access *a)
{
    return a->how & PTX_TRACE_MBARRIER && a->how & PTX_TRACE_ASYNC;
}

static void check_lane(struct by *by, struct px_shadow *s, uint32_t place)
{
    const ptx_trace_lane *l = &by->access->lanes[by->lane];
    uint64_t at = l->address;
    by->thread = l->thread;
    if (by->block->waiting >> l->thread / PX_SAN_WARP & 1) px_sync_alive(by->block, l->thread);
    if (!(by->id = number_of(by, place))) return;
    for (uint32_t left = l->bytes, n; left; left -= n, at += n) {
        struct px_page *page = px_shadow_page(s, at);
        if (!page) {
            by->san->clocks.lost = true;
            return;
        }
        const uint32_t room = PX_PAGE_BYTES - (uint32_t)(at & (PX_PAGE_BYTES - 1));
        n = left < room ? left : room;
        if (at == l->address) px_order_access(by->san, by->block, by->access, l, page);
        if (by->san->checks & PTX_CHECK_RACE && !is_copies_arrival(by->access)) reach(by, s, page, at, n);
    }
}

void px_race_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a)
{
    struct by by = {.san = san, .block = b, .access = a};
    struct px_shadow *s = a->reached == PTX_COUNT_SHARED ? &b->shared : &san->global;
    if (a->reached != PTX_COUNT_SHARED && a->reached != PTX_COUNT_GLOBAL) return;
    if ((a->how & (PTX_TRACE_REMOTE | PTX_TRACE_WRITE)) == PTX_TRACE_REMOTE) return;
    const uint32_t place = px_san_place_of(san, a->at);
    const bool arrives = is_copies_arrival(a);
    const bool weak = (a->how == PTX_TRACE_READ || a->how == PTX_TRACE_WRITE) && !b->waiting &&
                      san->checks & PTX_CHECK_RACE;
    for (by.lane = 0; by.lane < a->nlanes && !san->clocks.lost; by.lane++) {
        if (weak && (is_third(a, by.lane) || is_quick(&by, s, place))) continue;
        by.quick = false;
        if (arrives) px_order_copies(san, b, a->lanes[by.lane].thread);
        check_lane(&by, s, place);
    }
}
