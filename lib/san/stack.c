/*
 * stack.c - who of the host called: return addresses, kept once each, and their words.
 *
 * Frames of the library itself, and of libcuda and libcudart, are left out at the top of a stack.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "san/state.h"
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
static int backtrace(void **at, int n)
{
    (void)at, (void)n;
    return 0;
}
#endif

uint32_t px_stack_here(struct px_san *san)
{
    struct px_stack s = {0};
    const int n = backtrace(s.at, PX_STACK_DEPTH);
    s.n = n > 0 ? (uint32_t)n : 0;
    for (uint32_t i = 0; i < san->nstacks; i++)
        if (san->stack[i].n == s.n && memcmp(san->stack[i].at, s.at, s.n * sizeof *s.at) == 0) return i + 1;
    if (!s.n || san->nstacks >= PX_STACKS_MOST) return 0;
    if (!px_san_room(san, &san->stack, san->nstacks, &san->stacks_cap, sizeof s)) return 0;
    san->stack[san->nstacks] = s;
    return ++san->nstacks;
}

/* The file's name without its folder; "?" for none. */
static const char *file_of(const Dl_info *info)
{
    const char *name = info->dli_fname ? info->dli_fname : "?", *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static bool begins(const char *text, const char *with)
{
    return text && strncmp(text, with, strlen(with)) == 0;
}

/* Is it a frame of the machinery, above which the program's own begin? */
static bool is_ours(const Dl_info *info)
{
    static const char *const files[] = {"libptx", "libcuda"}, *const names[] = {"px_", "ptx_", "cu"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (begins(file_of(info), files[i])) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(info->dli_sname, names[i])) return true;
    return false;
}

void px_stack_text(const struct px_san *san, uint32_t number, char *buf, size_t size)
{
    const struct px_stack *s = number ? &san->stack[number - 1] : NULL;
    bool top = true;
    size_t used = 0;
    *buf = 0;
    for (uint32_t i = 0; s && i < s->n && used < size; i++) {
        Dl_info info = {0};
        const uintptr_t at = (uintptr_t)s->at[i] - 1; /* within the call */
        if (!dladdr((void *)at, &info)) continue;
        if (top && (is_ours(&info) || !i)) continue;
        if (begins(file_of(&info), "libc.so")) break; /* who calls main */
        const char *name = info.dli_sname;
        const uintptr_t from = (uintptr_t)(name ? info.dli_saddr : info.dli_fbase);
        const int n = snprintf(buf + used, size - used, "%s%s+0x%" PRIxPTR " (%s)", top ? "" : " <- ",
                               name ? name : "", at + 1 - from, file_of(&info));
        top = false;
        used += n > 0 ? (size_t)n : 0;
        if (name && strcmp(name, "main") == 0) break;
    }
}
