/*
 * caller.c - which function of the host called: by the symbols of its file, also those that are not exported.
 *
 * The callers are those that the stack unwinder finds. Of a launch they begin with the stubs that nvcc makes
 * (__device_stub__KERNEL, and a function of the kernel's own name), which say nothing; so do libraries of
 * ours, which lie beside this one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/driver/failed.h"

enum { FRAMES = 24 };

/* ---- one address ---- */

struct image {
    const unsigned char *at;
    size_t size;
};

/* The bytes [from, from + size) of the file; NULL: they are not there. */
static const void *part(const struct image *image, uint64_t from, uint64_t size)
{
    return from <= image->size && size <= image->size - from ? image->at + from : NULL;
}

/* The function of a table of symbols that `value` is in, copied to `name`. */
static bool find_in(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *names,
                    uint64_t value, char *name, size_t room)
{
    const Elf64_Sym *symbols = part(image, table->sh_offset, table->sh_size);
    const char *texts = part(image, names->sh_offset, names->sh_size);
    for (size_t i = 0; symbols && texts && i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || value - s->st_value >= s->st_size) continue;
        if (s->st_name >= names->sh_size) continue;
        snprintf(name, room, "%.*s", (int)strnlen(texts + s->st_name, names->sh_size - s->st_name),
                 texts + s->st_name);
        return true;
    }
    return false;
}

static bool find_symbol(const struct image *image, uint64_t value, char *name, size_t room)
{
    const Elf64_Ehdr *head = part(image, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    const Elf64_Shdr *sections = part(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
    for (unsigned i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum &&
            find_in(image, &sections[i], &sections[sections[i].sh_link], value, name, room))
            return true;
    return false;
}

static bool find_in_file(const char *path, uint64_t value, char *name, size_t room)
{
    struct stat status;
    struct image image = {MAP_FAILED, 0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    if (fstat(file, &status) == 0 && status.st_size > 0)
        image = (struct image){mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0),
                               (size_t)status.st_size};
    close(file);
    if (image.at == MAP_FAILED) return false;
    const bool found = find_symbol(&image, value, name, room);
    munmap((void *)(uintptr_t)image.at, image.size);
    return found;
}

struct place {
    char path[4096], name[256];
    const void *base; /* of its file in memory */
};

/* Where an address of host code is. A return address is behind its call. */
static bool place_of(const void *address, struct place *place)
{
    Dl_info where;
    struct link_map *map = NULL;
    const char *at = (const char *)address - 1;
    if (!dladdr1(at, &where, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
    const ssize_t length =
        *map->l_name ? -1 : readlink("/proc/self/exe", place->path, sizeof place->path - 1);
    if (length > 0)
        place->path[length] = 0;
    else
        snprintf(place->path, sizeof place->path, "%s", where.dli_fname ? where.dli_fname : "");
    place->base = where.dli_fbase;
    if (!find_in_file(place->path, (uintptr_t)at - map->l_addr, place->name, sizeof place->name))
        snprintf(place->name, sizeof place->name, "%s", where.dli_sname ? where.dli_sname : "");
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- whose ---- */

/* Whether a place is in a library of ours, or, linked into the program with it, in our runtime. */
static bool is_ours(const struct place *place)
{
    Dl_info own;
    static const char *const names[] = {"libcuda.", "libcudart.", "libnvidia-ml.", "libptxvm"};
    if (!dladdr((void *)(uintptr_t)px_cu_caller, &own) || !own.dli_fname) return false;
    if (own.dli_fbase == place->base && strncmp(base_name(own.dli_fname), "libcuda.", 8) != 0)
        return strncmp(place->name, "cuda", 4) == 0 || strncmp(place->name, "px_", 3) == 0 ||
               strncmp(place->name, "__cuda", 6) == 0;
    const size_t folder = (size_t)(base_name(own.dli_fname) - own.dli_fname);
    if (strncmp(own.dli_fname, place->path, folder) != 0) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(place->path + folder, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Whether a function only launches `kernel`, or is one of the inline functions of CUDA's headers. */
static bool is_stub(const char *name, const char *kernel)
{
    const char *plain = name;
    if (strncmp(plain, "_Z", 2) == 0) {
        plain += plain[2] == 'L' ? 3 : 2;
        while (*plain >= '0' && *plain <= '9') plain++;
    }
    return strstr(name, "__device_stub__") || strncmp(plain, "__cuda", 6) == 0 ||
           (plain != name && strncmp(plain, "cuda", 4) == 0) || (kernel && strcmp(name, kernel) == 0);
}

/* A C++ name as people write it, where the program brings the library that knows how. */
static void make_plain(char *name, size_t room)
{
    typedef char *demangler(const char *, char *, size_t *, int *);
    void *found = strncmp(name, "_Z", 2) == 0 ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;
    demangler *demangle;
    memcpy(&demangle, &found, sizeof demangle);
    char *plain = found ? demangle(name, NULL, NULL, NULL) : NULL;
    if (plain) snprintf(name, room, "%s", plain);
    free(plain);
}

bool px_cu_caller(const void *from, const char *kernel, char *function, char *file, size_t room)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    int at = 0;
    struct place *place = malloc(sizeof *place);
    *function = *file = 0;
    while (at < count && frames[at] != from) at++;
    const void *where = from;
    for (bool first = true; place && place_of(where, place); first = false) {
        if (first && is_ours(place)) {
            free(place);
            return false;
        }
        snprintf(function, room, "%s", place->name);
        snprintf(file, room, "%s", base_name(place->path));
        if (!is_stub(place->name, kernel) || at + 1 >= count) break;
        where = frames[++at];
    }
    make_plain(function, room);
    free(place);
    return true;
}
