/* vec.c - growth of arena arrays: doubling, the old block is left behind. */
#include "base/vec.h"
#include <string.h>

void *px_vec_grow(struct px_arena *arena, void *at, uint32_t n, uint32_t *cap, size_t elem)
{
    if (n > UINT32_MAX / 2) longjmp(*arena->on_failure, 1);
    uint32_t wider = n ? n * 2 : 4;
    void *block = px_arena_alloc(arena, wider * elem);
    if (n) memcpy(block, at, n * elem);
    *cap = wider;
    return block;
}
