/*
 * user.c - user objects: counted things of a program that graphs keep until they go.
 */
#include <stdlib.h>
#include "cuda/driver/graph.h"

struct user_object {
    struct px_cu_object head;
    void *user;
    CUhostFn fn;
    atomic_uint refs;
};

struct px_cu_user_hold {
    struct px_cu_user_hold *next;
    CUuserObject object;
    unsigned count;
};

#define USER(name, handle) PX_CU_TAKE(user_object, name, PX_CU_USER_OBJECT, handle, CUDA_ERROR_INVALID_VALUE)

static CUresult release(CUuserObject handle, unsigned count)
{
    USER(o, handle);
    unsigned refs = atomic_load(&o->refs);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    do
        if (count > refs) return CUDA_ERROR_INVALID_VALUE;
    while (!atomic_compare_exchange_weak(&o->refs, &refs, refs - count));
    if (refs > count || !px_cu_drop(handle, PX_CU_USER_OBJECT)) return CUDA_SUCCESS;
    o->fn(o->user);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectCreate(CUuserObject *object, void *user, CUhostFn fn, unsigned count, unsigned flags)
{
    PX_CU_TRY(px_cu_ready());
    if (!object || !fn || !count || count > INT32_MAX || flags != 1) return CUDA_ERROR_INVALID_VALUE;
    struct user_object *o = px_cu_new(PX_CU_USER_OBJECT, sizeof *o, NULL, NULL);
    if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
    o->user = user;
    o->fn = fn;
    atomic_init(&o->refs, count);
    *object = px_cu_handle(o);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    USER(o, object);
    if (!count || count > INT32_MAX) return CUDA_ERROR_INVALID_VALUE;
    atomic_fetch_add(&o->refs, count);
    return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    PX_CU_TRY(px_cu_ready());
    return release(object, count);
}

/* Flag 1: the caller's references become the graph's. */
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    PX_CU_TAKE(px_cu_graph, g, PX_CU_GRAPH, graph, CUDA_ERROR_INVALID_VALUE);
    USER(o, object);
    if (!count || count > INT32_MAX || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_user_hold *hold = malloc(sizeof *hold);
    if (!hold) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!flags) atomic_fetch_add(&o->refs, count);
    pthread_mutex_lock(&g->lock);
    *hold = (struct px_cu_user_hold){g->held, object, count};
    g->held = hold;
    pthread_mutex_unlock(&g->lock);
    return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    PX_CU_TAKE(px_cu_graph, g, PX_CU_GRAPH, graph, CUDA_ERROR_INVALID_VALUE);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&g->lock);
    struct px_cu_user_hold *hold = g->held;
    while (hold && (hold->object != object || hold->count < count)) hold = hold->next;
    if (hold) hold->count -= count;
    pthread_mutex_unlock(&g->lock);
    return hold ? release(object, count) : CUDA_ERROR_INVALID_VALUE;
}

void px_cu_user_give_all(struct px_cu_user_hold *list)
{
    for (struct px_cu_user_hold *next; list; list = next) {
        next = list->next;
        if (list->count) release(list->object, list->count);
        free(list);
    }
}
