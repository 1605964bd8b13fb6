/* private.c - a worker's pages of pending reductions: finding, taking over and flushing them. */
#include "ops/private.h"
#include "base/alloc.h"
#include "gang/cluster.h"
#include "mem/mem.h"

/* A page that is flushed wants to have been hit so often; below, locked operations are as cheap. */
enum { HITS_A_PAGE = 128, CREDIT_MOST = 64, CREDIT_LEAST = -32, PAUSE = 1024 };

static void flush_page(struct px_private *p, struct px_private_page *page)
{
    page->flush(page->host, page->data);
    page->used = false;
    p->used--;
    p->ready = NULL;
}

/* Pages were flushed: were they worth it? */
static void settle(struct px_private *p, uint32_t pages)
{
    const uint64_t gain = p->hits / HITS_A_PAGE;
    p->hits = 0;
    p->credit += gain > CREDIT_MOST ? CREDIT_MOST : (int32_t)gain;
    p->credit -= (int32_t)pages;
    if (p->credit > CREDIT_MOST) p->credit = CREDIT_MOST;
    if (p->credit >= CREDIT_LEAST) return;
    p->credit = 0;
    p->pause = PAUSE;
}

void px_private_flush_all(struct px_private *p)
{
    const uint32_t pages = p->used;
    for (uint32_t i = 0; i < PX_PRIVATE_PAGES && p->used; i++)
        if (p->page[i].used) flush_page(p, &p->page[i]);
    p->lo = p->hi = 0;
    settle(p, pages);
}

struct px_private *px_private_of(struct px_gang *g, const struct px_insn *in)
{
    struct px_private *p = g->worker->pages;
    if (!p) {
        p = g->worker->pages = px_alloc(g->cta->alloc, sizeof *p);
        if (!p) return NULL;
        memset(p, 0, offsetof(struct px_private, data));
        for (uint32_t i = 0; i < PX_PRIVATE_PAGES; i++) p->page[i].data = p->data[i];
    }
    const bool elsewhere = px_window_of(g->seg[in->extent].lo) != PX_WIN_NONE;
    const bool awaited = g->cta->grid->workspace; /* blocks of a cooperative grid may wait for the word */
    if (!p->pause && !elsewhere && !awaited) return p;
    px_private_flush(g->worker); /* the same word may have something pending */
    p->pause -= p->pause > 0;
    return NULL;
}

/* Loads, stores and other atomics there shall ask px_gang_find first, which flushes. */
static void forget_of(const struct px_cta *cta, uint64_t lo, uint64_t hi)
{
    for (uint32_t i = 0; i < cta->ngangs; i++)
        for (uint32_t k = 0; k < PX_SLOT_SHARED; k++) {
            struct px_seg *seg = &cta->gangs[i].seg[k];
            if (seg->lo < hi && seg->lo + seg->len > lo) seg->len = 0;
        }
}

static void forget_segments(struct px_cta *cta, uint64_t lo, uint64_t hi)
{
    for (uint32_t i = 0; i < px_unit_n(cta); i++) forget_of(px_unit_at(cta, i), lo, hi);
}

/* The block that holds va, if nobody but kernels looks at it while kernels run. Where host pointers are
 * device pointers nobody knows blocks: all memory is one. */
static bool is_private(const struct px_mem *mem, uint64_t va, struct px_extent *block)
{
    enum px_mem_kind kind;
    if (px_window_of(va) != PX_WIN_NONE) return false;
    if (mem->host_mode) return *block = (struct px_extent){mem->lo, mem->len}, va - mem->lo < mem->len;
    return px_mem_block(mem, va, block, &kind) && (kind == PX_MEM_DEVICE || kind == PX_MEM_POOL);
}

/* The page is about to collect what belongs to this part of it, too. */
static void widen(struct px_gang *g, struct px_private_page *page, uint64_t lo, uint64_t hi)
{
    struct px_private *p = g->worker->pages;
    if (lo < page->lo) page->lo = lo;
    if (hi > page->hi) page->hi = hi;
    if (p->lo == p->hi || lo < p->lo) p->lo = lo;
    if (hi > p->hi) p->hi = hi;
    forget_segments(g->cta, lo, hi);
}

struct px_private_page *px_private_at(struct px_gang *g, uint64_t va, uint8_t *host,
                                      void (*flush)(uint8_t *to, uint8_t *data), void (*fill)(uint8_t *data))
{
    struct px_private *p = g->worker->pages;
    const uint64_t offset = va % PX_PRIVATE_BYTES, first = va - offset, end = first + PX_PRIVATE_BYTES;
    struct px_private_page *page = &p->page[first / PX_PRIVATE_BYTES % PX_PRIVATE_PAGES];
    const bool same = page->used && page->first == first && page->flush == flush;
    struct px_extent block;
    if (same && va >= page->lo && va < page->hi) return page;
    if (!is_private(g->cta->grid->mem, va, &block)) return NULL;
    if (page->used && !same) {
        flush_page(p, page);
        settle(p, 1);
    }
    if (page->flush != flush) fill(page->data);
    if (!page->used) {
        page->first = first;
        page->lo = end, page->hi = first; /* nothing yet */
        page->host = host - offset;
        page->flush = flush;
        page->used = true;
        p->used++;
    }
    const uint64_t block_end = block.lo + block.len;
    widen(g, page, block.lo > first ? block.lo : first, block_end < end ? block_end : end);
    return page;
}

uint8_t *px_private_row(struct px_gang *g, const struct px_seg *seg, uint64_t lo, uint64_t end,
                        void (*flush)(uint8_t *to, uint8_t *data), void (*fill)(uint8_t *data))
{
    enum { LANES_A_PAGE = 8 };
    struct px_private *p = g->worker->pages;
    if (p->ready == flush && lo - p->ready_lo <= p->ready_len && end - p->ready_lo <= p->ready_len)
        return p->data[0];
    const uint64_t first = lo - lo % PX_PRIVATE_BYTES, most = p->used + g->nactive / LANES_A_PAGE;
    if (end - first > PX_PRIVATE_WINDOW) return NULL;
    uint64_t ready_lo = 0, ready_end = 0;
    for (uint64_t at = lo; at < end; at = at - at % PX_PRIVATE_BYTES + PX_PRIVATE_BYTES) {
        const struct px_private_page *page =
            p->used <= most ? px_private_at(g, at, seg->host + (at - seg->lo), flush, fill) : NULL;
        if (!page || page->lo > at) return NULL;
        if (at == lo) ready_lo = page->lo;
        ready_end = page->hi;
    }
    if (ready_end < end) return NULL;
    p->ready = flush;
    p->ready_lo = ready_lo > seg->lo ? ready_lo : seg->lo;
    p->ready_len = (ready_end < seg->lo + seg->len ? ready_end : seg->lo + seg->len) - p->ready_lo;
    return p->data[0];
}

void px_private_between(const struct px_worker *worker, uint64_t va, uint64_t size, struct px_extent *extent)
{
    struct px_private *p = worker ? worker->pages : NULL;
    uint64_t lo = extent->lo, end = extent->lo + extent->len;
    if (!p || !p->used || p->looks) return;
    for (uint32_t i = 0; i < PX_PRIVATE_PAGES; i++) {
        const struct px_private_page *page = &p->page[i];
        if (!page->used) continue;
        if (page->hi <= va && page->hi > lo) lo = page->hi;
        if (page->hi > va && page->lo < end) end = page->lo;
    }
    if (va < end && size <= end - va)
        *extent = (struct px_extent){lo, end - lo};
    else
        px_private_flush_all(p);
}

void px_private_free(struct px_worker *worker, const struct ptx_allocator *alloc)
{
    px_free(alloc, worker->pages, sizeof *worker->pages);
    worker->pages = NULL;
}
