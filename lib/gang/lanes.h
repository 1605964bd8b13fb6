/* lanes.h - sets of lanes of a gang: 256 bits. */
#ifndef PX_GANG_LANES_H
#define PX_GANG_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include "gang/record.h"

enum { PX_MASK_WORDS = PX_LANES_MAX / 64, PX_WARP = 32 };

struct px_lanes {
    uint64_t w[PX_MASK_WORDS];
}; /* bit i: lane i */

static inline bool px_lanes_empty(const struct px_lanes *a)
{
    return !(a->w[0] | a->w[1] | a->w[2] | a->w[3]);
}
static inline bool px_lanes_equal(const struct px_lanes *a, const struct px_lanes *b)
{
    return !((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]) | (a->w[2] ^ b->w[2]) | (a->w[3] ^ b->w[3]));
}
/* How many of 8 bits are set, in each byte. */
static inline uint64_t px_lanes_bytes(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}
/* Not every x86-64 has an instruction for it, so the compiler would call a function for each word. */
static inline uint32_t px_lanes_count(const struct px_lanes *a)
{
    const uint64_t low = px_lanes_bytes(a->w[0]) + px_lanes_bytes(a->w[1]);
    const uint64_t high = px_lanes_bytes(a->w[2]) + px_lanes_bytes(a->w[3]);
    return (uint32_t)((low * 0x0101010101010101u >> 56) + (high * 0x0101010101010101u >> 56));
}
static inline struct px_lanes px_lanes_and(struct px_lanes a, struct px_lanes b)
{
    for (int i = 0; i < PX_MASK_WORDS; i++) a.w[i] &= b.w[i];
    return a;
}
static inline struct px_lanes px_lanes_or(struct px_lanes a, struct px_lanes b)
{
    for (int i = 0; i < PX_MASK_WORDS; i++) a.w[i] |= b.w[i];
    return a;
}
static inline struct px_lanes px_lanes_minus(struct px_lanes a, struct px_lanes b)
{
    for (int i = 0; i < PX_MASK_WORDS; i++) a.w[i] &= ~b.w[i];
    return a;
}
static inline bool px_lanes_has(const struct px_lanes *a, uint32_t lane)
{
    return a->w[lane >> 6] >> (lane & 63) & 1;
}
static inline void px_lanes_set(struct px_lanes *a, uint32_t lane)
{
    a->w[lane >> 6] |= 1ull << (lane & 63);
}
/* Lowest lane; the set is not empty. */
static inline uint32_t px_lanes_first(const struct px_lanes *a)
{
    uint32_t i = 0;
    while (!a->w[i]) i++;
    return i * 64 + (uint32_t)__builtin_ctzll(a->w[i]);
}
static inline struct px_lanes px_lanes_below(uint32_t n)
{
    struct px_lanes a = {{0}};
    for (uint32_t i = 0; i < PX_MASK_WORDS && n > i * 64; i++)
        a.w[i] = n >= (i + 1) * 64 ? ~0ull : (1ull << (n & 63)) - 1;
    return a;
}
/* The 32 lanes of warp `w` of the gang, as bits. */
static inline uint32_t px_lanes_warp(const struct px_lanes *a, uint32_t w)
{
    return (uint32_t)(a->w[w >> 1] >> (w & 1) * 32);
}
/* for (each lane of a set) */
#define PX_FOR_LANES(lane, set)                                                                              \
    for (uint32_t w_ = 0; w_ < PX_MASK_WORDS; w_++)                                                          \
        for (uint64_t m_ = (set).w[w_]; m_ && (lane = w_ * 64 + (uint32_t)__builtin_ctzll(m_), 1);           \
             m_ &= m_ - 1)

#endif
