/*
 * work.c - what the host submits, and what is promised to come before what: streams, events, graphs, waits.
 *
 * Works form chains: one that comes after the last of a chain goes on with it, another begins one. Each knows
 * of each chain how much of it comes before (a vector clock), and so does the host, from what it waited for;
 * what the host submits then comes after all that. A number tells a work; those below `first` are forgotten,
 * because they come before everything.
 */
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

enum { WORKS_MOST = 1 << 20, CHAINS_MOST = 4096 };

/* ---- what is known ---- */

static uint32_t known_of(const struct px_known_works *k, uint32_t chain)
{
    return chain < k->n ? k->seq[chain] : 0;
}

static bool raise(struct px_san *san, struct px_known_works *k, uint32_t chain, uint32_t seq)
{
    while (k->n <= chain) {
        if (!px_san_room(san, &k->seq, k->n, &k->cap, sizeof *k->seq)) return false;
        k->seq[k->n++] = 0;
    }
    if (k->seq[chain] < seq) k->seq[chain] = seq;
    return true;
}

static void join(struct px_san *san, struct px_known_works *k, const struct px_known_works *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        if (from->seq[i]) raise(san, k, i, from->seq[i]);
}

static void drop(struct px_san *san, struct px_known_works *k)
{
    px_free(san->clocks.alloc, k->seq, k->cap * sizeof *k->seq);
    *k = (struct px_known_works){0};
}

/* ---- works ---- */

static struct px_work *work_at(struct px_san *san, uint64_t number)
{
    const struct px_works *w = &san->works;
    return number >= w->first && number - w->first < w->n ? &w->at[number - w->first] : NULL;
}

/* The last of its chain from now on; one of its own when nothing gave it one. */
static void settle(struct px_san *san, struct px_work *work)
{
    struct px_works *w = &san->works;
    if (work->seq) return;
    if (!px_san_room(san, &w->tail, w->nchains, &w->chains_cap, sizeof *w->tail)) return;
    work->chain = w->nchains;
    work->seq = w->tail[w->nchains++] = 1;
}

static void begin(struct px_san *san, uint64_t number)
{
    struct px_works *w = &san->works;
    if (w->n) settle(san, &w->at[w->n - 1]);
    if (!w->n) w->first = number;
    if (number != w->first + w->n || !px_san_room(san, &w->at, w->n, &w->cap, sizeof *w->at)) return;
    struct px_work *work = &w->at[w->n++];
    *work = (struct px_work){0};
    join(san, &work->knows, &w->host);
}

static void follow(struct px_san *san, const ptx_trace_memory *e)
{
    struct px_works *w = &san->works;
    struct px_work *later = work_at(san, e->address), *earlier = work_at(san, e->from);
    if (!later || !earlier) return;
    if (e->bytes) {
        later->overlaps = true;
        return;
    }
    settle(san, earlier);
    join(san, &later->knows, &earlier->knows);
    raise(san, &later->knows, earlier->chain, earlier->seq);
    if (later->seq || w->tail[earlier->chain] != earlier->seq) return;
    later->chain = earlier->chain;
    later->seq = ++w->tail[earlier->chain];
}

static void waited(struct px_san *san, uint64_t number)
{
    struct px_works *w = &san->works;
    struct px_work *work = work_at(san, number);
    if (!number) {
        for (uint32_t i = 0; i < w->n; i++) settle(san, &w->at[i]);
        for (uint32_t i = 0; i < w->nchains; i++) raise(san, &w->host, i, w->tail[i]);
    } else if (work) {
        settle(san, work);
        join(san, &w->host, &work->knows);
        raise(san, &w->host, work->chain, work->seq);
    }
}

void px_work_event(struct px_san *san, const ptx_trace_memory *e)
{
    if (e->kind == PTX_TRACE_HOST_WAITED)
        waited(san, e->address);
    else if (e->from)
        follow(san, e);
    else
        begin(san, e->address);
}

bool px_works_known(const struct px_san *san)
{
    const struct px_works *w = &san->works;
    if (w->n > WORKS_MOST || w->nchains > CHAINS_MOST) return true;
    if (w->n && !w->at[w->n - 1].seq) return false;
    for (uint32_t i = 0; i < w->nchains; i++)
        if (known_of(&w->host, i) < w->tail[i]) return false;
    return true;
}

enum px_works_order px_works_order(struct px_san *san, uint64_t first, uint64_t second)
{
    struct px_work *a = work_at(san, first), *b = work_at(san, second);
    if (first == second) return PX_WORKS_SAME;
    if (!a || !b) return PX_WORKS_BEFORE;
    if (b->overlaps) return PX_WORKS_UNKNOWN;
    settle(san, a);
    return known_of(&b->knows, a->chain) >= a->seq ? PX_WORKS_BEFORE : PX_WORKS_APART;
}

void px_works_forget(struct px_san *san)
{
    struct px_works *w = &san->works;
    for (uint32_t i = 0; i < w->n; i++) drop(san, &w->at[i].knows);
    drop(san, &w->host);
    w->first += w->n;
    w->n = w->nchains = 0;
}

void px_works_end(struct px_san *san)
{
    struct px_works *w = &san->works;
    px_works_forget(san);
    px_free(san->clocks.alloc, w->at, w->cap * sizeof *w->at);
    px_free(san->clocks.alloc, w->tail, w->chains_cap * sizeof *w->tail);
}
