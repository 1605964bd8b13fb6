/*
 * starve_malloc.c - a library to preload: the STARVE_AT-th allocation of the process fails, and all after it
 * when STARVE_ALL is set. STARVE_COUNT names a file that gets the number of allocations at the end.
 *
 * tests/cli/test_starve.py runs the tools under it.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *at, size_t size);

static atomic_long done, fails_at;
static atomic_int state; /* 0: not asked yet; 1: some fail; 2: one fails */

static void ask(void)
{
    const char *at = getenv("STARVE_AT");
    fails_at = at ? atol(at) : 0;
    state = getenv("STARVE_ALL") ? 1 : 2;
}

static int fails(void)
{
    if (!state) ask();
    const long now = ++done;
    return fails_at && (state == 1 ? now >= fails_at : now == fails_at);
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
    return fails() ? NULL : __libc_realloc(at, size);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("STARVE_COUNT");
    const long total = done;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}
