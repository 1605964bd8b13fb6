/*
 * peer.c - what contexts see of each other's memory.
 *
 * As on a chip: contexts of one device see everything of each other. A context sees pinned, registered and
 * managed memory of other devices, memory that was opened for its device (cuMemPoolSetAccess,
 * cuMemSetAccess), and their device memory after cuCtxEnablePeerAccess.
 *
 * A context keeps those that it sees. When one ends, the others see it no longer at once, but a kernel of
 * theirs may be reading its memory: who is not idle then keeps it until it is.
 */
#include "cuda/driver/peer.h"
#include <stdlib.h>

struct px_cu_peer {
    struct px_cu_peer *next;
    struct px_cu_context *context; /* taken */
    bool enabled;                  /* by cuCtxEnablePeerAccess */
    bool ended;                    /* seen no more, kept for what is under way */
};

/* Of all lists. Whoever holds it may ask virtual devices, whose locks come behind it; who gives a context
 * back holds it not, as that may destroy a device and come here again. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct px_cu_peer *find(const struct px_cu_context *c, const struct px_cu_context *other)
{
    struct px_cu_peer *p = c->peers;
    while (p && p->context != other) p = p->next;
    return p;
}

static ptx_status see(const struct px_cu_context *c, const struct px_cu_peer *p)
{
    const bool own = c->device == p->context->device;
    const unsigned what = own ? PTX_SEE_ALL : p->enabled ? PTX_SEE_HOST | PTX_SEE_DEVICE : PTX_SEE_HOST;
    return ptx_peer_see(atomic_load(&c->vm), atomic_load(&p->context->vm), what);
}

/* The lock is held. Where there is no memory for it, or addresses differ from the host's, nothing is seen. */
static void look_at(struct px_cu_context *c, struct px_cu_context *other)
{
    struct px_cu_peer *p = find(c, other) ? NULL : calloc(1, sizeof *p);
    if (!p) return;
    *p = (struct px_cu_peer){c->peers, px_cu_again(other), false, false};
    c->peers = p;
    see(c, p);
}

static void meet(void *object, void *user)
{
    struct px_cu_context *other = object, *c = user;
    if (other == c || !atomic_load(&other->vm)) return;
    pthread_mutex_lock(&lock);
    if (!c->parted && !other->parted) {
        look_at(c, other);
        look_at(other, c);
    }
    pthread_mutex_unlock(&lock);
}

void px_cu_peers_meet(struct px_cu_context *context)
{
    px_cu_each(PX_CU_CONTEXT, NULL, meet, context);
}

/* ---- the end ---- */

/* Moves to `gone` what has ended, if the context has nothing under way that may use it. The lock is held. */
static void release(struct px_cu_context *c, struct px_cu_peer **gone)
{
    const bool busy = ptx_device_query(atomic_load(&c->vm)) == PTX_ERROR_NOT_READY;
    for (struct px_cu_peer **at = &c->peers, *p; !busy && (p = *at);) {
        if (!p->ended) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = *gone;
        *gone = p;
    }
}

/* Without the lock: the last who gives a context back destroys its virtual device. */
static void give_all(struct px_cu_peer *gone)
{
    for (struct px_cu_peer *next; gone; gone = next) {
        next = gone->next;
        px_cu_give(gone->context);
        free(gone);
    }
}

static void forget(void *object, void *user)
{
    struct px_cu_context *c = object, *ended = user;
    struct px_cu_peer *gone = NULL;
    pthread_mutex_lock(&lock);
    struct px_cu_peer *p = find(c, ended);
    if (p) {
        ptx_peer_see(atomic_load(&c->vm), atomic_load(&ended->vm), 0);
        p->ended = true;
    }
    if (c->peers) release(c, &gone);
    pthread_mutex_unlock(&lock);
    give_all(gone);
}

void px_cu_peers_part(struct px_cu_context *context)
{
    pthread_mutex_lock(&lock);
    context->parted = true;
    struct px_cu_peer *own = context->peers;
    context->peers = NULL;
    pthread_mutex_unlock(&lock);
    px_cu_each(PX_CU_CONTEXT, NULL, forget, context);
    ptx_device *vm = atomic_load(&context->vm);
    if (own) ptx_device_wait(vm, NULL); /* its kernels may use what they have seen */
    for (const struct px_cu_peer *p = own; p; p = p->next)
        ptx_peer_see(vm, atomic_load(&p->context->vm), 0); /* others may keep the context for longer */
    give_all(own);
}

static void tidy(void *object, void *user)
{
    struct px_cu_context *c = object;
    struct px_cu_peer *gone = NULL;
    (void)user;
    pthread_mutex_lock(&lock);
    if (c->peers) release(c, &gone);
    pthread_mutex_unlock(&lock);
    give_all(gone);
}

void px_cu_peers_tidy(void)
{
    px_cu_each(PX_CU_CONTEXT, NULL, tidy, NULL);
}

/* ---- on request ---- */

/* The lock is held. */
static CUresult enable(struct px_cu_context *c, struct px_cu_context *other)
{
    look_at(c, other);
    struct px_cu_peer *p = find(c, other);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    if (p->enabled) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    p->enabled = true;
    const CUresult result = px_cu_result(c, see(c, p), NULL);
    p->enabled = result == CUDA_SUCCESS;
    return result;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    ptx_device *own, *other;
    PX_CU_CURRENT(c);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TAKE(px_cu_context, p, PX_CU_CONTEXT, peer, CUDA_ERROR_INVALID_CONTEXT);
    if (p == c || p->device == c->device) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    PX_CU_TRY(px_cu_vm(c, &own));
    PX_CU_TRY(px_cu_vm(p, &other));
    pthread_mutex_lock(&lock);
    const CUresult result = p->parted ? CUDA_ERROR_INVALID_CONTEXT : enable(c, p);
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    PX_CU_CURRENT(c);
    PX_CU_TAKE(px_cu_context, other, PX_CU_CONTEXT, peer, CUDA_ERROR_INVALID_CONTEXT);
    pthread_mutex_lock(&lock);
    struct px_cu_peer *p = find(c, other);
    const bool had = p && p->enabled;
    if (had) {
        p->enabled = false;
        see(c, p);
    }
    pthread_mutex_unlock(&lock);
    return had ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
