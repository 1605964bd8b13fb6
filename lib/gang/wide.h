/*
 * wide.h - 16 bytes of kernel memory as one access (docs/engine.md, "One access").
 *
 * On a processor with AVX an aligned move of 16 bytes is one access, by its maker's manual. Where there is
 * none, and the device has several workers, such accesses take a lock.
 */
#ifndef PX_GANG_WIDE_H
#define PX_GANG_WIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Is an aligned move of 16 bytes one access on this processor? */
bool px_wide_moves(void);

/* 16 bytes in a register. */
typedef uint32_t px_quad __attribute__((vector_size(16), may_alias));

enum { PX_WIDE_LOCKS = 64 };

/* The locks of a device, by address. */
struct px_wide {
    atomic_flag at[PX_WIDE_LOCKS];
};

/* The lock of what lies at p. */
atomic_flag *px_wide_lock(struct px_wide *locks, const void *p);
void px_wide_unlock(atomic_flag *lock);
px_quad px_wide_locked_get(struct px_wide *locks, const void *p);
void px_wide_locked_put(struct px_wide *locks, void *p, px_quad v);

/* The move is written out: a compiler may load the halves of a vector one by one. */
static inline px_quad px_quad_get(const void *p)
{
    const px_quad *at = (const px_quad *)p;
    px_quad v;
#if defined(__AVX__)
    __asm__("vmovdqa %1, %0" : "=x"(v) : "m"(*at));
#elif defined(__SSE2__)
    __asm__("movdqa %1, %0" : "=x"(v) : "m"(*at));
#else
    v = *at;
#endif
    return v;
}

static inline void px_quad_put(void *p, px_quad v)
{
    px_quad *at = (px_quad *)p;
#if defined(__AVX__)
    __asm__("vmovdqa %1, %0" : "=m"(*at) : "x"(v));
#elif defined(__SSE2__)
    __asm__("movdqa %1, %0" : "=m"(*at) : "x"(v));
#else
    *at = v;
#endif
}

/* Aligned 16 bytes; locks NULL: a move is one access here, or nobody else looks. */
static inline px_quad px_wide_get(struct px_wide *locks, const void *p)
{
    return locks ? px_wide_locked_get(locks, p) : px_quad_get(p);
}
static inline void px_wide_put(struct px_wide *locks, void *p, px_quad v)
{
    if (locks)
        px_wide_locked_put(locks, p, v);
    else
        px_quad_put(p, v);
}

#endif
