/*
 * fail.c - preloaded into a test program: the n-th allocation of libptxvm fails (FAIL_AT; 0: none). The
 * library asks for all its memory with realloc, and the programs are linked with libptxvm.a, so what calls
 * realloc from the program's own text is the library. At the end a line "allocations N failed M" goes to the
 * file FAIL_REPORT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long asked;
static atomic_int failed;
static long fail_at;
static uintptr_t text_begin, text_end;
static void *(*real)(void *, size_t);

/* The first object that the linker tells of is the program. */
static int find_text(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        text_begin = info->dlpi_addr + p->p_vaddr;
        text_end = text_begin + p->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtol(at, NULL, 10) : 0;
    *(void **)&real = dlsym(RTLD_NEXT, "realloc");
    dl_iterate_phdr(find_text, NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("FAIL_REPORT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file) return;
    fprintf(file, "allocations %ld failed %d\n", (long)atomic_load(&asked), atomic_load(&failed));
    fclose(file);
}

__attribute__((visibility("default"))) void *realloc(void *ptr, size_t size)
{
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (size && caller >= text_begin && caller < text_end && atomic_fetch_add(&asked, 1) + 1 == fail_at) {
        atomic_store(&failed, 1);
        return NULL;
    }
    return real ? real(ptr, size) : NULL;
}
