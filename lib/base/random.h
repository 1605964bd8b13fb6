/* random.h - reproducible numbers (splitmix64): the same state gives the same ones. */
#ifndef PX_BASE_RANDOM_H
#define PX_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t px_random_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The next number; any state will do. */
static inline uint64_t px_random_next(uint64_t *state)
{
    return px_random_mix(*state += 0x9e3779b97f4a7c15u);
}

#endif
