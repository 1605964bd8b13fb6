/*
 * arena.h - memory that is freed all at once.
 *
 * A module's text, AST, symbols and tables live in one arena. Allocation never
 * returns NULL: when the allocator fails (or the optional limit is passed) the
 * arena unwinds by longjmp to `*on_failure`, which the library call that owns
 * the arena has set. Never unwind across a worker thread or a host call.
 */
#ifndef PX_BASE_ARENA_H
#define PX_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "base/alloc.h"

struct px_arena_chunk;

struct px_arena {
    ptx_allocator alloc;
    struct px_arena_chunk *chunks; /* newest first */
    char *next, *end;              /* free part of the newest chunk */
    size_t total;                  /* bytes obtained from the allocator, */
    size_t shared;                 /* and in chunks that small requests share */
    jmp_buf *on_failure;           /* must be set while anything allocates */
};

void px_arena_init(struct px_arena *arena, const ptx_allocator *alloc, jmp_buf *on_failure);
void px_arena_free(struct px_arena *arena);
/* The same, but what it needs for small things stays: for the next one who uses it. */
void px_arena_clear(struct px_arena *arena);

/* A place to come back to: all that was allocated since is freed. Large blocks from before must not have been
 * trimmed, grown, dropped or moved meanwhile; later marks are void then. */
struct px_arena_mark {
    struct px_arena_chunk *chunk, *older;
    char *next, *end;
};
struct px_arena_mark px_arena_mark(const struct px_arena *arena);
void px_arena_rewind(struct px_arena *arena, const struct px_arena_mark *mark);

/* A large block that is to be this much smaller; a small one stays as it is. Where it lies now. */
void *px_arena_trim(struct px_arena *arena, void *block, size_t size);
/* A block of `before` bytes that is to be larger: a large one grows where it lies, if the allocator can do
 * that, and is given back if not; so does the one that was made last, if there is room behind it; any other
 * small one stays as it is, beside the new one. Where it lies now. */
void *px_arena_grow(struct px_arena *arena, void *block, size_t before, size_t size);
/* Gives back a large block before the arena ends; a small one stays. */
void px_arena_drop(struct px_arena *arena, void *block);
/* The first `size` bytes of a block of `from`, which both arenas' allocators must be able to free: a large
 * one changes its owner, a small one is copied. Where they lie now; NULL where there are none. */
void *px_arena_move(struct px_arena *to, struct px_arena *from, void *block, size_t size);

void *px_arena_alloc(struct px_arena *arena,
                     size_t size); /* 16-byte aligned above 8 bytes, else 8; not zeroed */
void *px_arena_zalloc(struct px_arena *arena, size_t size); /* zeroed */
void *px_arena_node(struct px_arena *arena,
                    size_t size); /* zeroed, 8-byte aligned: for small nodes in great numbers */
char *px_arena_text(struct px_arena *arena, const char *s, size_t n); /* NUL-terminated copy */
char *px_arena_printf(struct px_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

char *px_arena_vprintf(struct px_arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

#define PX_NEW(arena, type) ((type *)px_arena_zalloc((arena), sizeof(type)))
#define PX_NEW_N(arena, type, n) ((type *)px_arena_zalloc((arena), sizeof(type) * (size_t)(n)))

#endif
