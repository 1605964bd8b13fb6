/*
 * strict.h - an allocator that catches what the library does wrong with its memory: blocks that come back
 * with another size, and writes to blocks that were given back. What is given back is filled and kept for
 * that.
 */
#ifndef API_STRICT_H
#define API_STRICT_H

#include <pthread.h>
#include <string.h>
#include "ptx.h"
#include "suite.h"

enum { STRICT_KEPT = 1 << 15, STRICT_FILL = 0xaa, STRICT_KEEP_BELOW = 1 << 16 };

struct strict_block {
    size_t size, line; /* line: keeps the bytes behind it aligned */
    uint8_t bytes[];
};

static struct {
    pthread_mutex_t lock;
    struct strict_block *kept[STRICT_KEPT];
    unsigned next, wrong_sizes, written;
    long live;
} strict = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline struct strict_block *strict_block_of(void *p)
{
    return (struct strict_block *)(void *)((uint8_t *)p - offsetof(struct strict_block, bytes));
}

static inline void strict_look(const struct strict_block *b)
{
    for (size_t i = 0; i < b->size; i++)
        if (b->bytes[i] != STRICT_FILL) {
            strict.written++;
            return;
        }
}

static inline void strict_keep(struct strict_block *b, size_t size)
{
    strict.wrong_sizes += b->size != size;
    if (b->size >= STRICT_KEEP_BELOW) {
        free(b);
        return;
    }
    memset(b->bytes, STRICT_FILL, b->size);
    struct strict_block **place = &strict.kept[strict.next++ % STRICT_KEPT];
    if (*place) strict_look(*place);
    free(*place);
    *place = b;
}

static inline void *strict_realloc(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    struct strict_block *b = size ? malloc(sizeof *b + size) : NULL;
    if (size && !b) return NULL;
    if (b) b->size = size;
    if (b && old) memcpy(b->bytes, old, old_size < size ? old_size : size);
    pthread_mutex_lock(&strict.lock);
    strict.live += (b != NULL) - (old != NULL);
    if (old) strict_keep(strict_block_of(old), old_size);
    pthread_mutex_unlock(&strict.lock);
    return b ? b->bytes : NULL;
}

/* Ends the watch: everything was given back, as it should be, and nobody wrote to it afterwards. */
static inline void strict_check(void)
{
    pthread_mutex_lock(&strict.lock);
    for (unsigned i = 0; i < STRICT_KEPT; i++) {
        if (strict.kept[i]) strict_look(strict.kept[i]);
        free(strict.kept[i]);
        strict.kept[i] = NULL;
    }
    pthread_mutex_unlock(&strict.lock);
    assert_int_equal(strict.live, 0);
    assert_int_equal(strict.wrong_sizes, 0);
    assert_int_equal(strict.written, 0);
}

#endif
