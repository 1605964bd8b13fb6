/* vec.c - growth of arena arrays: small ones double, large ones become half as large again. */
#include "base/vec.h"

enum { LARGE = 64 << 10 };

void *px_vec_grow(struct px_arena *arena, void *at, uint32_t n, uint32_t *cap, size_t elem)
{
    if (n > UINT32_MAX / 2) longjmp(*arena->on_failure, 1);
    const uint32_t wider = !n ? 4 : n * elem < LARGE ? n * 2 : n + n / 2;
    void *block = px_arena_grow(arena, at, n * elem, wider * elem);
    *cap = wider;
    return block;
}
