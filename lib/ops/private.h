/*
 * private.h - reductions that a worker keeps to itself for a while.
 *
 * `red`, and `atom` whose result nobody reads, on integers with relaxed semantics
 * need not reach memory at once: until their thread synchronises nobody can tell
 * when they are performed. They are collected in pages that belong to the worker,
 * each a copy of 4 KiB of device memory in which every word holds what is still to be
 * added (or and-ed ...) there; flushing a page performs one locked operation a word
 * that is not the identity. docs/engine.md says why that is sound, and who flushes.
 */
#ifndef PX_OPS_PRIVATE_H
#define PX_OPS_PRIVATE_H

#include "gang/cta.h"

struct px_extent;
struct px_gang;
struct px_insn;
struct px_seg;
struct ptx_allocator;

enum { PX_PRIVATE_PAGES = 64, PX_PRIVATE_BYTES = 4096 };

struct px_private_page {
    uint64_t first;  /* address of the page */
    uint64_t lo, hi; /* the part of it that may have something pending: whole blocks, cut at its ends */
    uint8_t *host;   /* where the page lies */
    bool used;       /* else all of `data` is the identity of `flush`'s operation */
    void (*flush)(uint8_t *to, uint8_t *data); /* performs what is pending; also says which operation it is */
    uint8_t *data;
};

struct px_private {
    uint64_t lo, hi; /* what is pending lies between; both 0 when nothing is */
    /* All of these addresses have pages in use, of this operation; NULL: of none. */
    uint64_t ready_lo, ready_len;
    void (*ready)(uint8_t *to, uint8_t *data);
    uint32_t used;  /* pages in use */
    uint32_t pause; /* records that go to memory at once before pages are tried again */
    int32_t credit; /* falls with each page that few reductions hit, and rises with hits */
    uint64_t hits;  /* reductions since the last flush */
    bool looks;     /* a reduction looks an address up: no reason to flush */
    struct px_private_page page[PX_PRIVATE_PAGES]; /* by address */
    uint8_t data[PX_PRIVATE_PAGES][PX_PRIVATE_BYTES];
};

/* Performs all that is pending. */
void px_private_flush_all(struct px_private *p);
static inline void px_private_flush(const struct px_worker *worker)
{
    if (worker && worker->pages && worker->pages->used) px_private_flush_all(worker->pages);
}
/* The worker is about to touch device memory at [lo, lo+len) by other means. */
static inline void px_private_touch(const struct px_worker *worker, uint64_t lo, uint64_t len)
{
    struct px_private *p = worker ? worker->pages : NULL;
    if (p && p->used && !p->looks && lo < p->hi && lo + len > p->lo) px_private_flush_all(p);
}
/*
 * Likewise at [va, va+size), where all memory is one block (host pointers as device pointers): cuts *extent,
 * in which it lies, to what has nothing pending. What is pending at the bytes themselves is performed.
 */
void px_private_between(const struct px_worker *worker, uint64_t va, uint64_t size, struct px_extent *extent);
void px_private_free(struct px_worker *worker, const struct ptx_allocator *alloc);

/* ---- for the handlers of atom.c ---- */

/* The worker's pages, made when there are none; NULL when reductions are to go to memory now. They go to
 * shared memory where the record's did before. */
struct px_private *px_private_of(struct px_gang *g, const struct px_insn *in);
/*
 * The page of the operation that `flush` performs at va, whose place in memory is `host`; `fill` writes the
 * identity everywhere. NULL where memory must be written at once: it is not the device's own.
 */
struct px_private_page *px_private_at(struct px_gang *g, uint64_t va, uint8_t *host,
                                      void (*flush)(uint8_t *to, uint8_t *data), void (*fill)(uint8_t *data));
/*
 * The same for the words of all active lanes, which lie in [lo, end) inside the record's segment: where word
 * va % PX_PRIVATE_WINDOW is that of va. NULL: they need more pages than there are, or than so few lanes are
 * worth.
 */
enum { PX_PRIVATE_WINDOW = PX_PRIVATE_PAGES * PX_PRIVATE_BYTES };
uint8_t *px_private_row(struct px_gang *g, const struct px_seg *seg, uint64_t lo, uint64_t end,
                        void (*flush)(uint8_t *to, uint8_t *data), void (*fill)(uint8_t *data));

#endif
