/* wide.c - accesses of 16 bytes on processors whose moves of 16 bytes may be two. */
#include "gang/wide.h"
#include <sched.h>

bool px_wide_moves(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

atomic_flag *px_wide_lock(struct px_wide *locks, const void *p)
{
    enum { LOOKS = 100 };
    atomic_flag *lock = &locks->at[((uintptr_t)p >> 4) % PX_WIDE_LOCKS];
    for (unsigned looks = 0; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); looks++)
        if (looks % LOOKS == LOOKS - 1) sched_yield(); /* who holds it may not be running */
    return lock;
}

void px_wide_unlock(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* Halves may be accessed without the lock, each as one. */
__attribute__((no_sanitize("thread"))) px_quad px_wide_locked_get(struct px_wide *locks, const void *p)
{
    const uint64_t *half = p;
    atomic_flag *lock = px_wide_lock(locks, p);
    const union {
        uint64_t half[2];
        px_quad v;
    } u = {{__atomic_load_n(&half[0], __ATOMIC_RELAXED), __atomic_load_n(&half[1], __ATOMIC_RELAXED)}};
    px_wide_unlock(lock);
    return u.v;
}

__attribute__((no_sanitize("thread"))) void px_wide_locked_put(struct px_wide *locks, void *p, px_quad v)
{
    const union {
        px_quad v;
        uint64_t half[2];
    } u = {v};
    uint64_t *half = p;
    atomic_flag *lock = px_wide_lock(locks, p);
    __atomic_store_n(&half[0], u.half[0], __ATOMIC_RELAXED);
    __atomic_store_n(&half[1], u.half[1], __ATOMIC_RELAXED);
    px_wide_unlock(lock);
}
