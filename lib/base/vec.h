/*
 * vec.h - growing arrays in an arena.
 *
 * PX_VEC(T) declares { T *at; uint32_t n, cap; }. Small ones grow by copying and leave
 * the old block to the arena, large ones by px_arena_grow. Pointers into a
 * vector die at the next push.
 */
#ifndef PX_BASE_VEC_H
#define PX_BASE_VEC_H

#include "base/arena.h"

#define PX_VEC(T)                                                                                            \
    struct {                                                                                                 \
        T *at;                                                                                               \
        uint32_t n, cap;                                                                                     \
    }

void *px_vec_grow(struct px_arena *arena, void *at, uint32_t n, uint32_t *cap, size_t elem);

/* Room for `wanted` elements from the beginning, where their number is known: no growth, no waste. */
#define px_vec_reserve(arena, v, wanted)                                                                     \
    do {                                                                                                     \
        (v)->at = px_arena_alloc((arena), (size_t)(wanted) * sizeof *(v)->at);                               \
        (v)->n = 0;                                                                                          \
        (v)->cap = (wanted);                                                                                 \
    } while (0)

/* A vector to which nothing is pushed any more goes to another arena; what a large one does not use is given
 * back. */
#define px_vec_move(to, from, v)                                                                             \
    do {                                                                                                     \
        (v)->at = px_arena_move((to), (from), (v)->at, (size_t)(v)->n * sizeof *(v)->at);                    \
        (v)->cap = (v)->n;                                                                                   \
    } while (0)

#define px_vec_push(arena, v, value)                                                                         \
    do {                                                                                                     \
        if ((v)->n == (v)->cap) (v)->at = px_vec_grow((arena), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at); \
        (v)->at[(v)->n++] = (value);                                                                         \
    } while (0)

#endif
