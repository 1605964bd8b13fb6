/*
 * places.c - where libcudart_static.a of the user's own toolkits lies, and which of them an object has.
 *
 * PTXVM_CUDART names a file or a folder. Without it: the object's own folder, the one beside it that wheels
 * have, the toolkits of CUDA_HOME, CUDA_PATH and of every nvcc on PATH, and the folders of LD_LIBRARY_PATH.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cuda/redirect/places.h"

enum { TRIED = 16 };

struct visit {
    const struct px_elf *file;
    struct px_redirect_entries *entries;
    char tried[TRIED][4096]; /* real paths of archives */
    unsigned count;
    bool found;
};

static void try_archive(struct visit *visit, const char *path)
{
    char real[4096];
    if (visit->found || visit->count == TRIED || !realpath(path, real) || access(real, R_OK) != 0) return;
    for (unsigned i = 0; i < visit->count; i++)
        if (strcmp(visit->tried[i], real) == 0) return;
    memcpy(visit->tried[visit->count++], real, sizeof real);
    visit->found = px_redirect_archive(real, visit->file, visit->entries);
}

/* The archive in FOLDER/BELOW. */
__attribute__((format(printf, 2, 3))) static void try_folder(struct visit *visit, const char *format, ...)
{
    char path[4096];
    va_list words;
    va_start(words, format);
    const int used = vsnprintf(path, sizeof path, format, words);
    va_end(words);
    if (used <= 0 || (size_t)used + sizeof "/libcudart_static.a" > sizeof path) return;
    strcpy(path + used, "/libcudart_static.a");
    try_archive(visit, path);
}

static void try_toolkit(struct visit *visit, const char *home)
{
    try_folder(visit, "%s/lib64", home);
    try_folder(visit, "%s/lib", home);
    try_folder(visit, "%s/targets/x86_64-linux/lib", home);
}

/* Calls `each` with every folder of a list with colons. */
static void each_folder(struct visit *visit, const char *list, void (*each)(struct visit *, const char *))
{
    char folder[4096];
    for (size_t n; list && *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if (!n || n >= sizeof folder) continue;
        memcpy(folder, list, n);
        folder[n] = 0;
        each(visit, folder);
    }
}

static void try_library_folder(struct visit *visit, const char *folder)
{
    try_folder(visit, "%s", folder);
}

/* The toolkit of an nvcc, which may be a link. */
static void try_program_folder(struct visit *visit, const char *folder)
{
    char path[4096 + 8], real[4096];
    snprintf(path, sizeof path, "%s/nvcc", folder);
    if (!realpath(path, real)) return;
    for (int up = 0; up < 2 && strrchr(real, '/'); up++) *strrchr(real, '/') = 0;
    try_toolkit(visit, real);
}

static void try_beside(struct visit *visit, const char *object)
{
    char real[4096];
    if (!realpath(object, real) || !strrchr(real, '/')) return;
    *strrchr(real, '/') = 0;
    try_folder(visit, "%s", real);
    try_folder(visit, "%s/../../cuda_runtime/lib", real);
}

static void try_all(struct visit *visit, const char *object)
{
    const char *given = getenv("PTXVM_CUDART"), *home = getenv("CUDA_HOME"), *path = getenv("CUDA_PATH");
    if (given && *given) {
        try_archive(visit, given);
        try_folder(visit, "%s", given);
        return;
    }
    try_beside(visit, object);
    if (home && *home) try_toolkit(visit, home);
    if (path && *path) try_toolkit(visit, path);
    each_folder(visit, getenv("PATH"), try_program_folder);
    each_folder(visit, getenv("LD_LIBRARY_PATH"), try_library_folder);
}

enum px_redirect_search px_redirect_search(const char *object, const struct px_elf *file,
                                           struct px_redirect_entries *entries)
{
    if (px_redirect_cache_read(file, entries)) return PX_SEARCH_FOUND;
    struct visit *visit = malloc(sizeof *visit);
    if (!visit) return PX_SEARCH_OTHER;
    visit->file = file;
    visit->entries = entries;
    visit->count = 0;
    visit->found = false;
    try_all(visit, object);
    const enum px_redirect_search result = visit->found   ? PX_SEARCH_FOUND
                                           : visit->count ? PX_SEARCH_OTHER
                                                          : PX_SEARCH_NO_ARCHIVE;
    free(visit);
    if (result == PX_SEARCH_FOUND) px_redirect_cache_write(file, entries);
    return result;
}
