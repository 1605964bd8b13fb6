/*
 * frame.c - activations of functions: allocation, reuse, local memory.
 *
 * A frame's rows, scalars and constants are one block. Finished frames wait in
 * the CTA's spare list, those of the kernel with their gangs, and are used again
 * without rewriting the constants; the steady state allocates nothing. Rows that code
 * may read before writing are zeroed at each activation, so no result depends
 * on what ran before.
 */
#include "vm/device/device.h"
#include "vm/run/exec.h"
#include "vm/run/kept.h"
#include "base/alloc.h"

enum { PX_DEPTH_MAX = 20000, CLEAR_PART = 4 << 20, LOCAL_ALIGN = 16 };
#define PX_FRAMES_MAX (1ull << 30)

static struct px_frame *spare_frame(struct px_cta *cta, const struct px_fcode *code)
{
    for (struct px_frame **at = &cta->spare, *f; (f = *at); at = &f->parent) {
        if (f->code != code) continue;
        *at = f->parent;
        f->whole_mask = false; /* it may have been another gang's */
        return f;
    }
    return NULL;
}

/* The kernel's frame, which stays with the gang. */
static struct px_frame *root_frame(struct px_gang *g)
{
    struct px_frame *f = g->root;
    g->root = NULL;
    return f;
}

static struct px_frame *new_frame(struct px_cta *cta, const struct px_fcode *code)
{
    size_t bytes = sizeof(struct px_frame) + 64 + code->frame_bytes;
    if (cta->frame_bytes + bytes > PX_FRAMES_MAX) return NULL;
    struct px_frame *f = px_alloc(cta->alloc, bytes);
    if (!f) return NULL;
    cta->frame_bytes += bytes;
    *f = (struct px_frame){.code = code, .bytes = bytes};
    f->base = (uint8_t *)(((uintptr_t)(f + 1) + 63) & ~(uintptr_t)63);
    memset(f->base, 0, code->frame_bytes);
    if (code->pool_bytes) memcpy(f->base + code->pool, code->pool_image, code->pool_bytes);
    return f;
}

/* It may be a gigabyte, so the limits are looked at on the way. */
bool px_local_clear(struct px_gang *g, uint64_t from)
{
    const uint64_t end = g->local_bytes * g->width;
    for (uint64_t at = from * g->width, n; at < end; at += n) {
        n = end - at < CLEAR_PART ? end - at : CLEAR_PART;
        memset(g->local + at, g->cta->grid->device->config.poison & 255, n);
        if (n == CLEAR_PART && px_sched_due(g->cta->grid->run)) return false;
    }
    return true;
}

bool px_frame_local(struct px_gang *g, uint64_t bytes)
{
    if (bytes <= g->local_bytes) return true;
    if (bytes > PX_LOCAL_MAX) return false;
    uint64_t want = g->local_bytes * 2 > bytes ? g->local_bytes * 2 : (bytes + 255) & ~255ull;
    if (want > PX_LOCAL_MAX) want = PX_LOCAL_MAX;
    const uint64_t had = g->local_bytes;
    uint8_t *p = px_realloc(g->cta->alloc, g->local, had * g->width, want * g->width);
    if (!p) return false;
    g->local = p;
    g->local_bytes = want;
    return px_local_clear(g, had);
}

/* Of a frame that was of a CTA of this grid most is there. */
static void fill_uniform(struct px_gang *g, struct px_frame *f, uint64_t local_base)
{
    struct px_uniform *u = (struct px_uniform *)(f->base + f->code->uniform);
    const struct px_uniform *now = &g->cta->uniform;
    if (u->gridid == now->gridid && u->shared_window == now->shared_window) {
        for (int i = 0; i < 3; i++) u->ctaid[i] = now->ctaid[i];
        u->smid = now->smid;
        if (g->cta->cluster) memcpy(u->clusterid, now->clusterid, sizeof u->clusterid);
    } else {
        *u = *now;
        if (f->code->param_bytes)
            memcpy(f->base + f->code->params, g->cta->grid->params, f->code->param_bytes);
    }
    u->local_base = local_base;
}

/* Where the local memory of an activation begins. What alloca took of its caller's may end anywhere. */
static uint64_t place_local(const struct px_frame *parent, const struct px_fcode *code)
{
    const uint64_t align = code->local_align > LOCAL_ALIGN ? code->local_align : LOCAL_ALIGN;
    return parent ? (parent->local_top + align - 1) & ~(align - 1) : 0;
}

struct px_frame *px_frame_push(struct px_gang *g, struct px_frame *parent, const struct px_fcode *code)
{
    const uint64_t local_base = place_local(parent, code);
    if (parent && parent->depth >= PX_DEPTH_MAX) return NULL;
    const uint64_t local = local_base + code->local_bytes;
    if (local > g->local_bytes && !px_frame_local(g, local)) return NULL;
    struct px_frame *f = parent ? spare_frame(g->cta, code) : root_frame(g);
    if (!f) f = new_frame(g->cta, code);
    if (!f) return NULL;
    f->parent = parent;
    f->depth = parent ? parent->depth + 1 : 0;
    f->rank = PX_FRAME_RANK(f->depth, ++g->frames);
    f->local_top = local;
    fill_uniform(g, f, local_base);
    if (code->zero_to > code->zero_from)
        memset(f->base + code->zero_from, 0, code->zero_to - code->zero_from);
    f->rows = false;
    if (code->nsurveys) px_kept_forget(f);
    if (code->nterms) px_terms_fill(g, f);
    return f;
}

void px_frame_pop(struct px_gang *g, struct px_frame *frame)
{
    if (!frame->parent) {
        g->root = frame;
        return;
    }
    frame->parent = g->cta->spare;
    g->cta->spare = frame;
}
