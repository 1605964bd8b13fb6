/*
 * quota.c - the allocator that counts.
 */
#include "vm/device/quota.h"
#include "vm/sched/sched.h"

/* Counts `more` bytes; false when a launch may not have them. */
static bool take(struct px_quota *q, uint64_t more)
{
    const uint64_t before = atomic_fetch_add_explicit(&q->used, more, memory_order_relaxed);
    if (before <= q->limit && more <= q->limit - before) return true;
    struct px_run *run = q->sched ? px_sched_mine(q->sched) : NULL;
    if (!run) return true;
    atomic_fetch_sub_explicit(&q->used, more, memory_order_relaxed);
    px_run_stop(run, PX_STOP_HOST);
    return false;
}

static void give(struct px_quota *q, uint64_t less)
{
    atomic_fetch_sub_explicit(&q->used, less, memory_order_relaxed);
}

static void *quota_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    struct px_quota *q = user;
    const size_t old = ptr ? old_size : 0;
    if (size > old && !take(q, size - old)) return NULL;
    void *p = q->inner.realloc(q->inner.user, ptr, old_size, size);
    if (size > old && !p) give(q, size - old);
    if (size < old && (p || !size)) give(q, old - size);
    return p;
}

ptx_allocator px_quota_allocator(struct px_quota *quota)
{
    return (ptx_allocator){.realloc = quota_realloc, .user = quota};
}
