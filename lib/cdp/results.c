/*
 * results.c - memory that a child writes and its parent reads with nothing between that orders the two.
 *
 * A table has the last writer and the last reader of each word, of grids that kernels launched and of grids
 * that have launched some. A block may read what its child wrote once a thread of it has waited
 * (cudaDeviceSynchronize) after the child was complete; in the second generation it never may. Accesses that
 * the memory model calls strong are left alone: they may be a protocol of the program's own.
 */
#include "cdp/found.h"
#include <inttypes.h>

enum { WORDS = 1 << 20, WAITS = 1024 };

struct word {
    uint64_t address; /* divided by 4; 0: free */
    const struct px_launch *writer, *reader;
    uint64_t reader_block, launched; /* which block reads, and how many launches there were then */
    const ptx_trace_place *write_at, *read_at;
    uint32_t reader_cta[3], reader_thread[3];
    uint32_t writer_cta[3], writer_thread[3];
    uint8_t written, read; /* a bit for each of its bytes */
};

/* When a block waited last: the place in the order of begins and ends. */
struct wait {
    const struct px_launch *launch;
    uint64_t block, moment;
};

struct cdp_results {
    struct word words[WORDS];
    uint32_t nwords;
    struct wait waits[WAITS];
};

void cdp_results_free(struct px_mistakes *m)
{
    px_free(&m->alloc, m->results, sizeof *m->results);
    m->results = NULL;
}

static struct cdp_results *results_of(struct px_mistakes *m)
{
    if (!m->results) m->results = px_zalloc(&m->alloc, sizeof *m->results);
    m->lost |= !m->results;
    return m->results;
}

static struct word *word_at(struct cdp_results *r, uint64_t address, bool make)
{
    uint32_t i = (uint32_t)(address * 0x9e3779b97f4a7c15u >> 40) % WORDS;
    while (r->words[i].address && r->words[i].address != address) i = (i + 1) % WORDS;
    if (r->words[i].address) return &r->words[i];
    if (!make || r->nwords == WORDS / 4 * 3) return NULL;
    r->nwords++;
    r->words[i].address = address;
    return &r->words[i];
}

static struct wait *wait_of(struct cdp_results *r, const struct px_launch *launch, uint64_t block)
{
    return &r->waits[((uintptr_t)launch / 64 + block * 31) % WAITS];
}

static uint64_t waited(struct cdp_results *r, const struct px_launch *launch, uint64_t block)
{
    const struct wait *w = wait_of(r, launch, block);
    return w->launch == launch && w->block == block ? w->moment : 0;
}

void cdp_mistake_waited(const struct px_call *call)
{
    struct ptx_device *device = call->grid->device;
    struct px_mistakes *m = device->mistakes;
    if (!m || !call->grid->launch) return;
    pthread_mutex_lock(&m->lock);
    struct cdp_results *r = results_of(m);
    if (r)
        *wait_of(r, call->grid->launch, call->cta->number) =
            (struct wait){call->grid->launch, call->cta->number, device->launches->moments};
    pthread_mutex_unlock(&m->lock);
}

/* The child of `parent` that `launch` is, or descends from; NULL: it does not. */
static const struct px_launch *child_of(const struct px_launch *parent, const struct px_launch *launch)
{
    while (launch && launch->parent != parent) launch = launch->parent;
    return launch;
}

static bool launched_by(const struct px_launch *child, const uint32_t cta[3])
{
    return child->place && memcmp(child->cta, cta, sizeof child->cta) == 0;
}

static struct cdp_origin origin(const struct px_launch *launch, const ptx_trace_place *at, const char *what,
                                const uint32_t cta[3], const uint32_t thread[3])
{
    struct cdp_origin o = {.at = at, .what = what, .kernel = launch->kernel->name, .grid = launch->grid};
    memcpy(o.cta, cta, sizeof o.cta);
    memcpy(o.thread, thread, sizeof o.thread);
    return o;
}

static void complain(struct px_mistakes *m, const struct px_launch *child, const struct cdp_origin *read,
                     const struct cdp_origin *write)
{
    static const struct cdp_saying first = {"result-not-ordered",
                                            "cudaDeviceSynchronize between the launch and the read orders "
                                            "them",
                                            false},
                                   second = {
                                       "result-not-ordered",
                                       "a kernel cannot wait for its children: what reads the result is "
                                       "a tail launch (stream 3), or a launch of the host",
                                       false};
    const bool cdp2 = strncmp(child->place->call, "__cudaCDP2", 10) == 0;
    cdp_found(m, cdp2 ? &second : &first, read, write,
              "%s reads what its child %s writes, and nothing orders the read behind the write (launched at "
              "line %u)",
              read->kernel, child->kernel->name, child->place->line);
}

/* What an access has of a word: a bit for each byte. */
struct part {
    uint64_t word;
    uint8_t bytes;
};

static struct part part_of(const ptx_trace_lane *lane, uint64_t word)
{
    struct part p = {word, 0};
    for (unsigned i = 0; i < 4; i++)
        if (4 * word + i - lane->address < lane->bytes) p.bytes |= (uint8_t)(1u << i);
    return p;
}

static void on_read(struct px_mistakes *m, struct cdp_results *r, const struct px_cta *cta,
                    const ptx_trace_access *a, const struct part *p, const struct cdp_origin *here)
{
    const struct px_launch *self = cta->grid->launch;
    struct word *w = word_at(r, p->word, true);
    if (!w) return;
    const struct px_launch *child = w->writer && w->writer != self ? child_of(self, w->writer) : NULL;
    if (child && launched_by(child, cta->ctaid) && (w->written & p->bytes) &&
        (!child->ended || child->ended > waited(r, self, cta->number))) {
        const struct cdp_origin write =
            origin(w->writer, w->write_at, "write", w->writer_cta, w->writer_thread);
        complain(m, child, here, &write);
    }
    w->read = (uint8_t)(p->bytes | (w->reader == self ? w->read : 0));
    w->reader = self;
    w->reader_block = cta->number;
    w->launched = cta->grid->device->launches->n;
    w->read_at = a->at;
    memcpy(w->reader_cta, here->cta, sizeof w->reader_cta);
    memcpy(w->reader_thread, here->thread, sizeof w->reader_thread);
}

static void on_write(struct px_mistakes *m, struct cdp_results *r, const struct px_cta *cta,
                     const ptx_trace_access *a, const struct part *p, const struct cdp_origin *here)
{
    enum { TAIL = 3 };
    const struct px_launch *self = cta->grid->launch;
    struct word *w = word_at(r, p->word, self->depth > 0);
    if (!w) return;
    const struct px_launch *child = w->reader && w->reader != self ? child_of(w->reader, self) : NULL;
    if (child && launched_by(child, w->reader_cta) && child->stream != TAIL && child->number < w->launched &&
        (w->read & p->bytes)) {
        const struct cdp_origin read = origin(w->reader, w->read_at, "read", w->reader_cta, w->reader_thread);
        complain(m, child, &read, here);
    }
    w->written = (uint8_t)(p->bytes | (w->writer == self ? w->written : 0));
    w->writer = self;
    w->write_at = a->at;
    memcpy(w->writer_cta, here->cta, sizeof w->writer_cta);
    memcpy(w->writer_thread, here->thread, sizeof w->writer_thread);
}

void cdp_result(struct px_mistakes *m, const struct px_cta *cta, const ptx_trace_access *a,
                const ptx_trace_lane *lane, const struct cdp_origin *here)
{
    const struct px_launch *self = cta->grid->launch;
    if (!self || (a->how & PTX_TRACE_ATOMIC) || (!self->children && !self->depth)) return;
    struct cdp_results *r = results_of(m);
    const uint64_t last = (lane->address + lane->bytes - 1) / 4;
    for (uint64_t at = lane->address / 4; r && at <= last; at++) {
        const struct part p = part_of(lane, at);
        if (a->how & PTX_TRACE_WRITE)
            on_write(m, r, cta, a, &p, here);
        else if (self->children)
            on_read(m, r, cta, a, &p, here);
    }
}
