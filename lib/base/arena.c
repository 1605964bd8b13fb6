/*
 * arena.c - bump allocation in chunks that grow with the arena.
 *
 * A chunk is a header followed by its bytes. `next` and `end` bound the free
 * part of the newest chunk; what is left of an older one is given up. A chunk
 * is as large as an eighth of those before it, within CHUNK_MIN and CHUNK_MAX,
 * so a small module costs one or two calls of the allocator and a large one
 * wastes little. A request larger than a quarter of a chunk gets a chunk of its
 * own, put behind the newest one; such a block can grow, shrink and go.
 */
#include "base/arena.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#ifndef PX_ARENA_CHUNKS /* a test makes nearly every request an allocation */
#define PX_ARENA_CHUNKS CHUNK_MIN = 4 << 10, CHUNK_MAX = 16 << 20
#endif
enum { PX_ARENA_CHUNKS, HUGE_PAGE = 2 << 20 };

struct px_arena_chunk {
    _Alignas(16) struct px_arena_chunk *older;
    size_t size; /* of the whole block, header included */
    bool alone;  /* one large request has it for itself */
};

void px_arena_init(struct px_arena *arena, const ptx_allocator *alloc, jmp_buf *on_failure)
{
    *arena = (struct px_arena){.alloc = px_alloc_or_default(alloc), .on_failure = on_failure};
}

void px_arena_free(struct px_arena *arena)
{
    struct px_arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct px_arena_chunk *older = chunk->older;
        px_free(&arena->alloc, chunk, chunk->size);
        chunk = older;
    }
    arena->chunks = NULL;
    arena->next = arena->end = NULL;
    arena->total = arena->shared = 0;
}

void px_arena_clear(struct px_arena *arena)
{
    struct px_arena_chunk *kept = NULL, *older;
    for (struct px_arena_chunk *chunk = arena->chunks; chunk; chunk = older) {
        older = chunk->older;
        if (kept || chunk->alone || chunk->size > CHUNK_MIN)
            px_free(&arena->alloc, chunk, chunk->size);
        else
            kept = chunk;
    }
    if (kept) kept->older = NULL;
    arena->chunks = kept;
    arena->next = (char *)(kept ? kept + 1 : NULL);
    arena->end = kept ? (char *)kept + kept->size : NULL;
    arena->total = arena->shared = kept ? kept->size : 0;
}

struct px_arena_mark px_arena_mark(const struct px_arena *arena)
{
    return (struct px_arena_mark){arena->chunks, arena->chunks ? arena->chunks->older : NULL, arena->next,
                                  arena->end};
}

/* Frees the chunks from *at on, up to `last`, which stays. */
static void free_until(struct px_arena *arena, struct px_arena_chunk **at, const struct px_arena_chunk *last)
{
    while (*at != last) {
        struct px_arena_chunk *chunk = *at;
        *at = chunk->older;
        arena->total -= chunk->size;
        if (!chunk->alone) arena->shared -= chunk->size;
        px_free(&arena->alloc, chunk, chunk->size);
    }
}

/* Large blocks went behind the chunk that was the newest one. */
void px_arena_rewind(struct px_arena *arena, const struct px_arena_mark *mark)
{
    free_until(arena, &arena->chunks, mark->chunk);
    if (mark->chunk) free_until(arena, &mark->chunk->older, mark->older);
    arena->next = mark->next;
    arena->end = mark->end;
}

static size_t round_up(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static _Noreturn void fail(struct px_arena *arena)
{
    longjmp(*arena->on_failure, 1);
}

/* The first touch of a page costs more than filling it; a large chunk asks for large pages, where there are
 * such. */
static void ask_huge_pages(struct px_arena_chunk *chunk)
{
#ifdef MADV_HUGEPAGE
    uintptr_t start = ((uintptr_t)chunk + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)chunk + chunk->size) / HUGE_PAGE * HUGE_PAGE;
    if (end > start) madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)chunk;
#endif
}

static struct px_arena_chunk *chunk_new(struct px_arena *arena, size_t room)
{
    if (room > SIZE_MAX - sizeof(struct px_arena_chunk)) fail(arena);
    size_t size = sizeof(struct px_arena_chunk) + room;
    struct px_arena_chunk *chunk = px_alloc(&arena->alloc, size);
    if (!chunk) fail(arena);
    chunk->size = size;
    chunk->alone = false;
    arena->total += size;
    if (size >= 2 * HUGE_PAGE) ask_huge_pages(chunk);
    return chunk;
}

/* A block of its own for a large request; the newest chunk stays the one that is filled. */
static void *alloc_alone(struct px_arena *arena, size_t size)
{
    struct px_arena_chunk *chunk = chunk_new(arena, size);
    struct px_arena_chunk **at = arena->chunks ? &arena->chunks->older : &arena->chunks;
    chunk->alone = true;
    chunk->older = *at;
    *at = chunk;
    return chunk + 1;
}

static void *alloc_slow(struct px_arena *arena, size_t size)
{
    size_t room = arena->shared / 8;
    room = room < CHUNK_MIN ? CHUNK_MIN : room > CHUNK_MAX ? CHUNK_MAX : room;
    if (size > room / 4) return alloc_alone(arena, size);
    struct px_arena_chunk *chunk = chunk_new(arena, room - sizeof *chunk);
    chunk->older = arena->chunks;
    arena->chunks = chunk;
    arena->shared += chunk->size;
    arena->next = (char *)(chunk + 1) + size;
    arena->end = (char *)chunk + chunk->size;
    return chunk + 1;
}

/* The link to the chunk that this block has for itself; NULL: it shares one. */
static struct px_arena_chunk **link_of(struct px_arena *arena, const void *block)
{
    for (struct px_arena_chunk **at = &arena->chunks; *at; at = &(*at)->older)
        if (*at + 1 == block) return (*at)->alone ? at : NULL;
    return NULL;
}

/* NULL: there is no memory, and nothing has changed. */
static void *resize(struct px_arena *arena, struct px_arena_chunk **at, size_t size)
{
    const size_t whole = sizeof(struct px_arena_chunk) + size;
    struct px_arena_chunk *chunk = px_realloc(&arena->alloc, *at, (*at)->size, whole);
    if (!chunk) return NULL;
    arena->total += whole - chunk->size;
    chunk->size = whole;
    *at = chunk;
    return chunk + 1;
}

void *px_arena_trim(struct px_arena *arena, void *block, size_t size)
{
    struct px_arena_chunk **at = block ? link_of(arena, block) : NULL;
    void *smaller = at ? resize(arena, at, size) : NULL;
    return smaller ? smaller : block;
}

/* Does the block end where the free part begins, and is there room behind it? Then it is larger now. */
static bool extend(struct px_arena *arena, char *block, size_t before, size_t size)
{
    const size_t had = round_up(before), wanted = round_up(size);
    if (!block || before <= 8 || block + had != arena->next) return false;
    if (wanted < had || (size_t)(arena->end - arena->next) < wanted - had) return false;
    arena->next = block + wanted;
    return true;
}

void *px_arena_grow(struct px_arena *arena, void *block, size_t before, size_t size)
{
    if (size < SIZE_MAX / 2 && extend(arena, block, before, size)) return block;
    struct px_arena_chunk **at = before >= CHUNK_MIN / 4 ? link_of(arena, block) : NULL;
    void *larger = at ? resize(arena, at, size) : px_arena_alloc(arena, size);
    if (!larger) fail(arena);
    if (!at && before) memcpy(larger, block, before);
    return larger;
}

void px_arena_drop(struct px_arena *arena, void *block)
{
    struct px_arena_chunk **at = block ? link_of(arena, block) : NULL;
    if (!at) return;
    struct px_arena_chunk *chunk = *at;
    *at = chunk->older;
    arena->total -= chunk->size;
    px_free(&arena->alloc, chunk, chunk->size);
}

void *px_arena_move(struct px_arena *to, struct px_arena *from, void *block, size_t size)
{
    struct px_arena_chunk **at = block ? link_of(from, block) : NULL;
    if (!at) return size ? memcpy(px_arena_alloc(to, size), block, size) : NULL;
    block = px_arena_trim(from, block, size);
    struct px_arena_chunk *chunk = *at, **behind = to->chunks ? &to->chunks->older : &to->chunks;
    *at = chunk->older;
    from->total -= chunk->size;
    chunk->older = *behind;
    *behind = chunk;
    to->total += chunk->size;
    return block;
}

void *px_arena_alloc(struct px_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) fail(arena);
    size_t rounded = round_up(size);
    char *p = arena->next;
    if (size > 8) p += -(uintptr_t)p & 15;
    if (p && p <= arena->end && (size_t)(arena->end - p) >= rounded) {
        arena->next = p + rounded;
        return p;
    }
    return alloc_slow(arena, rounded);
}

void *px_arena_node(struct px_arena *arena, size_t size)
{
    size_t rounded = round_up(size);
    char *p = arena->next;
    if (!p || (size_t)(arena->end - p) < rounded) return memset(alloc_slow(arena, rounded), 0, rounded);
    arena->next = p + rounded;
    return memset(p, 0, rounded);
}

void *px_arena_zalloc(struct px_arena *arena, size_t size)
{
    return memset(px_arena_alloc(arena, size), 0, size);
}

char *px_arena_text(struct px_arena *arena, const char *s, size_t n)
{
    char *copy = px_arena_alloc(arena, n + 1);
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}

char *px_arena_printf(struct px_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = px_arena_vprintf(arena, format, args);
    va_end(args);
    return s;
}

char *px_arena_vprintf(struct px_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0) return px_arena_text(arena, "", 0);
    char *s = px_arena_alloc(arena, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, args);
    return s;
}
