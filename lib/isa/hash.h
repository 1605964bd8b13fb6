/* hash.h - the hash of words: isagen finds them by it, and makes the perfect hash of it that names.c looks
 * up. */
#ifndef PX_ISA_HASH_H
#define PX_ISA_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t px_word_hash(const char *s, size_t n, uint32_t seed)
{
    uint32_t h = 2166136261u ^ seed;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

#endif
