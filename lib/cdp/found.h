/*
 * found.h - what the check of launches remembers: buffers, stores, results of children, findings.
 */
#ifndef PX_CDP_FOUND_H
#define PX_CDP_FOUND_H

#include "base/arena.h"
#include "cdp/mistakes.h"
#include "front/print.h"
#include "gang/gang.h"
#include "ops/trace.h"

/* Who did something, and where. */
struct cdp_origin {
    const ptx_trace_place *at;  /* of an access; NULL: a call, */
    const struct px_inst *inst; /* and where it stands */
    const struct px_lfunc *func;
    const char *what;   /* "write of 4 bytes"; the function that is called */
    const char *kernel; /* that was launched */
    uint64_t grid;
    uint32_t cta[3], thread[3];
};
struct cdp_origin cdp_origin_of(const struct px_call *call);

/* Words of a finding that are always the same. */
struct cdp_saying {
    const char *code, *help;
    bool warning;
};

struct cdp_found {
    struct cdp_found *next;
    const void *key; /* of the place: findings of one place and message are one */
    ptx_check_finding is;
};

/* The store that wrote a byte of a buffer last; bytes 0: none did. */
struct cdp_store {
    uint16_t from, bytes;
};

/* A parameter buffer, until its memory is used again. */
struct cdp_watched {
    struct cdp_watched *next;
    uint64_t va, size, alignment;
    const struct px_lfunc *kernel; /* that it is for; NULL: the first generation */
    struct cdp_origin got, used;
    bool launched, tried; /* tried: its launch was refused */
    uint32_t tracked;     /* bytes of which `stores` tells */
    struct cdp_store *stores;
};

enum { CDP_WATCHED_BUCKETS = 4096, CDP_GHOSTS = 1024 };

struct cdp_results;

struct px_mistakes {
    ptx_allocator alloc;
    struct px_mistakes_next next;
    pthread_mutex_t lock;
    struct px_arena arena; /* of the findings */
    struct cdp_found *found, *last;
    uint32_t nfound;
    bool lost; /* there was no memory for something */
    struct cdp_watched *watched[CDP_WATCHED_BUCKETS];
    uint64_t ghosts[CDP_GHOSTS]; /* buffers that were launched, and are not released yet */
    uint64_t nghosts;
    struct cdp_results *results; /* NULL: none yet */
};

/* The lock is held. */
void cdp_found(struct px_mistakes *m, const struct cdp_saying *s, const struct cdp_origin *first,
               const struct cdp_origin *second, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- results.c: what children write and parents read; the lock is held ---- */

void cdp_result(struct px_mistakes *m, const struct px_cta *cta, const ptx_trace_access *access,
                const ptx_trace_lane *lane, const struct cdp_origin *here);
void cdp_results_free(struct px_mistakes *m);

#endif
