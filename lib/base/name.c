/*
 * name.c - interning: an open hash table with chained names.
 *
 * Buckets are a power of two, never fewer than the names. The hash reads eight
 * bytes at a time, because interning every identifier of a large module is a
 * good part of the time that reading it takes.
 */
#include "base/name.h"
#include <string.h>

enum { BUCKETS_MIN = 256 };

static inline uint64_t load64(const char *s)
{
    uint64_t x;
    memcpy(&x, s, 8);
    return x;
}

static inline uint64_t load32(const char *s)
{
    uint32_t x;
    memcpy(&x, s, 4);
    return x;
}

/* The last (or only) 1 to 8 bytes, overlapping reads instead of a loop. */
static inline uint64_t load_tail(const char *s, size_t n)
{
    if (n == 8) return load64(s);
    if (n >= 4) return load32(s) << 32 | load32(s + n - 4);
    if (n == 0) return 0;
    return (uint64_t)(unsigned char)s[0] << 16 | (uint64_t)(unsigned char)s[n / 2] << 8 |
           (unsigned char)s[n - 1];
}

static inline uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static inline uint32_t hash_text(const char *s, size_t n)
{
    uint64_t h = n;
    size_t left = n;
    for (; left > 8; s += 8, left -= 8) h = mix(h, load64(s));
    h = mix(h, load_tail(s, left));
    return (uint32_t)(h ^ h >> 32);
}

/* Up to eight bytes are told apart by load_tail alone, given the length. */
static inline bool same_text(const char *a, const char *b, size_t n)
{
    for (; n > 8; a += 8, b += 8, n -= 8)
        if (load64(a) != load64(b)) return false;
    return load_tail(a, n) == load_tail(b, n);
}

void px_names_init(struct px_names *names, struct px_arena *arena, uint16_t (*word_of)(const char *, size_t))
{
    *names = (struct px_names){.arena = arena, .mask = BUCKETS_MIN - 1, .word_of = word_of};
    names->buckets = PX_NEW_N(arena, struct px_name *, BUCKETS_MIN);
}

static inline struct px_name *find(const struct px_names *names, const char *s, size_t n, uint32_t hash)
{
    struct px_name *name = names->buckets[hash & names->mask];
    while (name && (name->hash != hash || name->len != n || !same_text(name->text, s, n))) name = name->next;
    return name;
}

static void rehash(struct px_names *names)
{
    uint32_t mask = names->mask * 2 + 1;
    struct px_name **buckets = PX_NEW_N(names->arena, struct px_name *, (size_t)mask + 1);
    for (uint32_t i = 0; i <= names->mask; i++)
        for (struct px_name *name = names->buckets[i], *next; name; name = next) {
            next = name->next;
            name->next = buckets[name->hash & mask];
            buckets[name->hash & mask] = name;
        }
    names->buckets = buckets;
    names->mask = mask;
}

static struct px_name *add(struct px_names *names, const char *s, size_t n, uint32_t hash)
{
    if (names->n > names->mask) rehash(names);
    struct px_name *name = px_arena_node(names->arena, offsetof(struct px_name, text) + n + 1);
    *name = (struct px_name){.next = names->buckets[hash & names->mask], .hash = hash, .len = (uint32_t)n};
    name->word = names->word_of ? names->word_of(s, n) : 0;
    memcpy(name->text, s, n);
    name->text[n] = 0;
    names->buckets[hash & names->mask] = name;
    names->n++;
    return name;
}

struct px_name *px_names_intern(struct px_names *names, const char *s, size_t n)
{
    uint32_t hash = hash_text(s, n);
    struct px_name *name = find(names, s, n, hash);
    return name ? name : add(names, s, n, hash);
}

struct px_name *px_names_find(const struct px_names *names, const char *s, size_t n)
{
    return find(names, s, n, hash_text(s, n));
}
