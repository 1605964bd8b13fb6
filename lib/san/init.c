/*
 * init.c - which bytes were written: a bit for each, of allocations, of a block's shared memory, of a
 * thread's local memory.
 *
 * A read of bytes that nobody wrote is a finding. Bits are kept in pages that exist once something in them
 * was written. Copies carry the bits of what they copy. What the host does to pinned and managed memory by
 * its own pointers is not heard of, so that memory counts as written.
 */
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

enum { PAGE_SHIFT = 12, PAGE = 1 << PAGE_SHIFT, WORDS = PAGE / 64 };

/* ---- bits ---- */

static bool make_room(struct px_san *san, struct px_bits *bits, uint32_t page)
{
    if (page < bits->npages) return true;
    uint32_t more = bits->npages ? bits->npages : 1;
    while (more <= page) more *= 2;
    uint64_t **grown =
        px_realloc(san->clocks.alloc, bits->page, bits->npages * sizeof *grown, more * sizeof *grown);
    if (!grown) return san->clocks.lost = true, false;
    memset(grown + bits->npages, 0, (more - bits->npages) * sizeof *grown);
    bits->page = grown;
    bits->npages = more;
    return true;
}

/* The page of the offset, which is made when it is asked for; NULL: there is none. */
static uint64_t *page_of(struct px_san *san, struct px_bits *bits, uint64_t offset, bool make)
{
    const uint32_t i = (uint32_t)(offset >> PAGE_SHIFT);
    if (i < bits->npages && bits->page[i]) return bits->page[i];
    if (!make || !make_room(san, bits, i)) return NULL;
    bits->page[i] = px_zalloc(san->clocks.alloc, WORDS * sizeof **bits->page);
    if (!bits->page[i]) san->clocks.lost = true;
    return bits->page[i];
}

void px_bits_free(struct px_san *san, struct px_bits *bits)
{
    for (uint32_t i = 0; i < bits->npages; i++)
        px_free(san->clocks.alloc, bits->page[i], WORDS * sizeof **bits->page);
    px_free(san->clocks.alloc, bits->page, bits->npages * sizeof *bits->page);
    *bits = (struct px_bits){0};
}

/* n bits from bit `at` of a word on; n is 1 to 64. */
static uint64_t mask_of(uint32_t at, uint64_t n)
{
    return (n == 64 ? UINT64_MAX : (1ull << n) - 1) << at;
}

/* Calls of the body have the words that [offset, offset+bytes) touches, and the bits of each. */
#define FOR_WORDS(at, left, n)                                                                               \
    for (uint64_t at = offset, left = bytes, n; left && (n = 64 - at % 64, n = n < left ? n : left);         \
         at += n, left -= n)

static void set(struct px_san *san, struct px_bits *bits, uint64_t offset, uint64_t bytes)
{
    FOR_WORDS(at, left, n)
    {
        uint64_t *page = page_of(san, bits, at, true);
        if (!page) return;
        page[at / 64 % WORDS] |= mask_of((uint32_t)(at % 64), n);
    }
}

static void unset(struct px_san *san, struct px_bits *bits, uint64_t offset, uint64_t bytes)
{
    FOR_WORDS(at, left, n)
    {
        uint64_t *page = page_of(san, bits, at, false);
        if (page) page[at / 64 % WORDS] &= ~mask_of((uint32_t)(at % 64), n);
    }
}

/* Are all of them set, and in one word? */
static bool are_set(const struct px_bits *bits, uint64_t offset, uint64_t bytes)
{
    const uint64_t page = offset >> PAGE_SHIFT, at = offset % 64;
    if (page >= bits->npages || !bits->page[page] || at + bytes > 64) return false;
    return !(mask_of((uint32_t)at, bytes) & ~bits->page[page][offset / 64 % WORDS]);
}

/* How many of them are unset; *first is the first such. */
static uint64_t missing(struct px_san *san, struct px_bits *bits, uint64_t offset, uint64_t bytes,
                        uint64_t *first)
{
    uint64_t count = 0;
    if (are_set(bits, offset, bytes)) return 0;
    FOR_WORDS(at, left, n)
    {
        const uint64_t *page = page_of(san, bits, at, false), mask = mask_of((uint32_t)(at % 64), n);
        const uint64_t none = mask & ~(page ? page[at / 64 % WORDS] : 0);
        if (!none) continue;
        if (!count) *first = at / 64 * 64 + (uint64_t)__builtin_ctzll(none);
        count += (uint64_t)__builtin_popcountll(none);
    }
    return count;
}

/* ---- whose bits ---- */

static bool is_kept(ptx_count_space space)
{
    return space == PTX_COUNT_SHARED || space == PTX_COUNT_LOCAL || space == PTX_COUNT_GLOBAL;
}

static bool is_heard(const struct px_memory *a)
{
    return a->owner != PTX_TRACE_PINNED && a->owner != PTX_TRACE_MANAGED;
}

static struct px_bits *bits_of(struct px_san *san, struct px_blk *b, ptx_count_space reached,
                               const ptx_trace_lane *l, uint64_t *offset)
{
    *offset = l->address;
    if (reached == PTX_COUNT_SHARED) return &b->written;
    if (reached == PTX_COUNT_LOCAL) return &b->thread[l->thread].written;
    struct px_memory *m = san->foreign ? NULL : px_memory_at(san, l->address);
    if (!m || !is_heard(m)) return NULL;
    *offset -= m->address;
    return l->bytes <= m->bytes - *offset ? &m->written : NULL;
}

/* ---- accesses ---- */

static void find(struct px_san *san, struct px_blk *b, const ptx_trace_access *a, const ptx_trace_lane *l,
                 uint64_t address, bool part)
{
    struct px_found f = {.kind = PTX_FOUND_UNWRITTEN,
                         .mild = part,
                         .shared = a->reached == PTX_COUNT_SHARED,
                         .global = a->reached == PTX_COUNT_GLOBAL,
                         .address = address,
                         .count = 1,
                         .thread = {l->thread, l->thread},
                         .block = {san->block[b->id], san->block[b->id]}};
    f.place[0] = f.place[1] = px_san_place_of(san, a->at);
    f.side[0] = f.side[1] = (struct px_side){.place = f.place[0],
                                             .block = b->id,
                                             .how = (uint8_t)a->how,
                                             .bytes = (uint8_t)(l->bytes < 255 ? l->bytes : 255),
                                             .order = (uint8_t)a->order,
                                             .scope = (uint8_t)a->scope};
    px_found_where(san, px_found_add(san, &f), a);
}

void px_init_access(struct px_san *san, struct px_blk *b, const ptx_trace_access *a)
{
    if (!is_kept(a->reached)) return;
    for (unsigned i = 0; i < a->nlanes; i++) {
        const ptx_trace_lane *l = &a->lanes[i];
        uint64_t offset, first = 0;
        struct px_bits *bits = bits_of(san, b, a->reached, l, &offset);
        if (!bits) continue;
        const bool reads = a->how & PTX_TRACE_READ && !(a->how & PTX_TRACE_MBARRIER);
        const uint64_t none = reads ? missing(san, bits, offset, l->bytes, &first) : 0;
        if (none) find(san, b, a, l, l->address + (first - offset), none < l->bytes);
        if (a->how & PTX_TRACE_WRITE && !are_set(bits, offset, l->bytes)) set(san, bits, offset, l->bytes);
    }
}

void px_init_end(struct px_san *san, struct px_blk *b)
{
    px_bits_free(san, &b->written);
    for (uint32_t i = 0; i < b->nthreads; i++) px_bits_free(san, &b->thread[i].written);
}

/* ---- copies and fills ---- */

/* Its part of [address, address+bytes); NULL: it is none that is kept. */
static struct px_memory *memory_of(struct px_san *san, uint64_t address, uint64_t bytes)
{
    struct px_memory *m = px_memory_at(san, address);
    return m && is_heard(m) && bytes <= m->bytes - (address - m->address) ? m : NULL;
}

/* The host gets what nobody wrote. */
static void read_back(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_memory *m = memory_of(san, e->address, e->bytes);
    uint64_t first = 0;
    const uint64_t none = m ? missing(san, &m->written, e->address - m->address, e->bytes, &first) : 0;
    if (!none) return;
    struct px_found f = {.kind = PTX_FOUND_HOST_READ,
                         .mild = none < e->bytes,
                         .global = true,
                         .address = m->address + first,
                         .count = 1,
                         .place = {PX_NO_PLACE, PX_NO_PLACE}};
    f.here.stack = px_stack_here(san);
    f.bytes = none;
    px_found_memory(san, px_found_add(san, &f));
}

static void carry(struct px_san *san, struct px_bits *to, uint64_t offset, struct px_bits *from, uint64_t at,
                  uint64_t bytes)
{
    uint64_t first;
    if (!missing(san, from, at, bytes, &first)) {
        set(san, to, offset, bytes);
        return;
    }
    const bool down = at < offset; /* overlapping memory */
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t k = down ? bytes - 1 - i : i;
        if (missing(san, from, at + k, 1, &first))
            unset(san, to, offset + k, 1);
        else
            set(san, to, offset + k, 1);
    }
}

static void copy(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_memory *to = memory_of(san, e->address, e->bytes), *from = memory_of(san, e->from, e->bytes);
    if (!to) return;
    if (from)
        carry(san, &to->written, e->address - to->address, &from->written, e->from - from->address, e->bytes);
    else
        set(san, &to->written, e->address - to->address, e->bytes);
}

/* A function that a kernel called wrote it. */
static void call_write(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_blk *b = is_kept(e->space) ? px_san_block(san, e->grid, e->cta, 0) : NULL;
    if (!b) return;
    const uint32_t *shape = san->block[b->id].shape;
    const ptx_trace_lane lane = {
        e->address, e->thread[0] + shape[0] * (e->thread[1] + shape[1] * e->thread[2]), (unsigned)e->bytes};
    uint64_t offset;
    struct px_bits *bits = bits_of(san, b, e->space, &lane, &offset);
    if (bits) set(san, bits, offset, e->bytes);
}

void px_init_copy(struct px_san *san, const ptx_trace_memory *e)
{
    if (!(san->checks & PTX_CHECK_INIT)) return;
    if (e->kind == PTX_TRACE_CALL_WRITE) call_write(san, e);
    if (e->kind == PTX_TRACE_HOST_WRITE && e->bytes == UINT64_MAX) san->foreign = true;
    if (san->foreign) return;
    struct px_memory *m = e->kind == PTX_TRACE_HOST_WRITE ? memory_of(san, e->address, e->bytes) : NULL;
    if (m) set(san, &m->written, e->address - m->address, e->bytes);
    if (e->kind == PTX_TRACE_HOST_READ) read_back(san, e);
    if (e->kind == PTX_TRACE_COPY) copy(san, e);
}
