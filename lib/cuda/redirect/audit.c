/*
 * audit.c - libptxvm_audit.so: sees every object before anything in it runs.
 *
 * `ptxvm --exec` names it in LD_AUDIT (rtld-audit(7)). It does three things:
 *
 * - Whoever asks for libcuda, libcudart or libnvidia-ml, by whatever path, gets the one beside this library.
 * - An object that has CUDA's runtime linked in gets jumps to ours written over the entries of that runtime,
 *   as soon as it is mapped: its constructors register its kernels. The entries are found by name in .symtab,
 *   for most are local, and in a stripped object by comparing it with the archive that the runtime is from
 *   (entries.h). Every name of runtime.def counts, also those that we do not implement, for one left over
 *   would call the vendor's half of the process.
 * - libnvrtc and libnvJitLink get addresses of ours in their tables of symbols, for the functions that give
 *   out machine code (vendor.h).
 *
 * An auditing library lives in a namespace of its own, with a C library of its own, so it only writes jumps;
 * what they lead to is libptxvm_redirect.so, in the program's namespace (redirect.c). Nothing is relocated
 * yet when objects are seen, nor need be. x86-64.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cuda/redirect/names.h"
#include "cuda/redirect/places.h"
#include "cuda/redirect/vendor.h"

#define AUDIT __attribute__((visibility("default")))

enum {
    NEAR_JUMP = 5,
    FAR_JUMP = 14,
    FAR_BYTES = PX_NAMES * PX_THUNK_BYTES,
    WAITING = 64,
    EXIT_UNSUPPORTED = 3
};

AUDIT unsigned la_version(unsigned version);
AUDIT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
AUDIT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);

static char folder[4096];                 /* of this library, with a slash */
static uintptr_t thunks;                  /* in the program; 0: not mapped yet */
static struct link_map *waiting[WAITING]; /* objects seen before */
static unsigned n_waiting;
static char *left_text; /* px_redirect_left in the program; NULL: not mapped yet */

/* ---- the file of an object ---- */

/* Is that code which the loader has mapped? */
static bool is_code(const struct px_elf *file, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < file->nsegments; i++) {
        const Elf64_Phdr *s = &file->segments[i];
        const uint64_t at = address - s->p_vaddr;
        if (s->p_type == PT_LOAD && (s->p_flags & PF_X) && at < s->p_filesz && size <= s->p_filesz - at)
            return true;
    }
    return false;
}

/* ---- jumps ---- */

/* The bytes of one instruction that fills up between functions; 0 when it is none. */
static size_t filler(const unsigned char *code)
{
    static const unsigned char more[8] = {3, 4, 5, 0, 7, 8, 0, 0}; /* 0f 1f with this ModRM, by kind */
    size_t n = 0;
    if (*code == 0xcc) return 1;
    while (code[n] == 0x66 || code[n] == 0x2e) n++;
    if (code[n] == 0x90) return n + 1;
    if (code[n] != 0x0f || code[n + 1] != 0x1f) return 0;
    switch (code[n + 2]) {
    case 0x00: return n + more[0];
    case 0x40: return n + more[1];
    case 0x44: return n + more[2];
    case 0x80: return n + more[4];
    case 0x84: return n + more[5];
    default: return 0;
    }
}

/* Bytes that may be written over at a function's entry: its own, and fillers up to the next boundary of 16.
 */
static size_t room_at(const unsigned char *code, size_t size)
{
    const size_t end = (((uintptr_t)code + size + 15) & ~(uintptr_t)15) - (uintptr_t)code;
    size_t room = size;
    while (room < end) {
        const size_t n = filler(code + room);
        if (!n) break;
        room += n;
    }
    return room < end ? room : end;
}

static void far_jump(unsigned char *code, uintptr_t to)
{
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *0(%rip), and the address */
    memcpy(code, jump, sizeof jump);
    memcpy(code + sizeof jump, &to, sizeof to);
}

static void near_jump(unsigned char *code, uintptr_t to)
{
    const int32_t distance = (int32_t)(to - ((uintptr_t)code + NEAR_JUMP));
    code[0] = 0xe9;
    memcpy(code + 1, &distance, sizeof distance);
}

/* Room for far jumps within reach of near ones from `code`: every 64 KiB is tried, below and above. */
static unsigned char *room_near(uintptr_t code)
{
    const uintptr_t step = 1 << 16, reach = 0x7f000000;
    for (uintptr_t i = 1; i < reach / step; i++)
        for (int above = 0; above < 2; above++) {
            const uintptr_t wanted = ((above ? code + i * step : code - i * step) & ~(step - 1));
            void *page = mmap((void *)wanted, FAR_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (page == MAP_FAILED) continue;
            if ((uintptr_t)page == wanted) return page;
            munmap(page, FAR_BYTES); /* a kernel that does not know the flag */
        }
    return NULL;
}

/* An object whose entries are being written over. */
struct patch {
    const char *name; /* of the object */
    uintptr_t base;
    unsigned release;
    uintptr_t first, last;      /* where its entries are */
    unsigned char *page, *next; /* far jumps within reach of its near ones; NULL: none yet */
};

/* Changes what may be done with the code from the first entry to the last. */
static bool protect(const struct patch *patch, int protection)
{
    const uintptr_t first = patch->first & ~(uintptr_t)4095,
                    last = (patch->last + FAR_JUMP + 4095) & ~(uintptr_t)4095;
    return mprotect((void *)first, last - first, protection) == 0;
}

/* False: there is no room for a jump. */
static bool redirect(struct patch *patch, int number, uintptr_t entry, size_t size)
{
    const uintptr_t to = thunks + (uintptr_t)(patch->release * PX_NAMES + (unsigned)number) * PX_THUNK_BYTES;
    unsigned char *code = (unsigned char *)entry;
    const size_t room = room_at(code, size);
    if (room >= FAR_JUMP) {
        far_jump(code, to);
        return true;
    }
    if (room < NEAR_JUMP) return false;
    if (!patch->page) patch->page = patch->next = room_near(entry);
    if (!patch->page) return false;
    far_jump(patch->next, to);
    near_jump(code, (uintptr_t)patch->next);
    patch->next += PX_THUNK_BYTES;
    return true;
}

/* ---- objects ---- */

/* Whether it asks the loader for a runtime, by library or by function, so that none is linked in. */
static bool needs_runtime(const struct px_elf *file)
{
    const struct px_symbols dynamic = px_elf_symbols(file, SHT_DYNSYM);
    for (size_t i = 0; i < dynamic.count; i++)
        if (dynamic.at[i].st_shndx == SHN_UNDEF && dynamic.at[i].st_name < dynamic.names_size &&
            strcmp(dynamic.names + dynamic.at[i].st_name, "__cudaRegisterFatBinary") == 0)
            return true;
    size_t size;
    const Elf64_Shdr *s = px_elf_section(file, SHT_DYNAMIC, NULL);
    const Elf64_Dyn *d = s ? px_elf_at(file, s->sh_offset, s->sh_size) : NULL;
    const char *names = d ? px_elf_strings(file, s->sh_link, &size) : NULL;
    for (size_t i = 0; names && i < s->sh_size / sizeof *d && d[i].d_tag != DT_NULL; i++)
        if (d[i].d_tag == DT_NEEDED && d[i].d_un.d_val < size &&
            strncmp(names + d[i].d_un.d_val, "libcudart", 9) == 0)
            return true;
    return false;
}

/* Whether a name is _..cudart.._tramp_WHAT, as the generator of stubs implib writes it. */
static bool of_stubs(const char *name, const char *what)
{
    const char *cudart = name[0] == '_' ? strstr(name, "cudart") : NULL;
    const char *end = cudart ? strstr(cudart, what) : NULL;
    return end && !end[strlen(what)];
}

/* Whether the entries are stubs that open a runtime by name when one is first called. The loader asks
 * la_objsearch for that, so there is nothing to write over. */
static bool has_stubs(const struct px_symbols *symbols)
{
    bool resolver = false, addresses = false;
    for (size_t i = 0; i < symbols->count; i++) {
        resolver |= of_stubs(px_symbol_function(symbols, i), "_tramp_resolve");
        addresses |= of_stubs(px_symbol_name(symbols, i, STT_OBJECT), "_tramp_table");
    }
    return resolver && addresses;
}

/* Libraries that NVIDIA ships stripped and with a runtime linked in. */
static bool is_nvidias(const char *path)
{
    static const char *const names[] = {"libcublas",   "libcudnn",    "libcufft",    "libcurand",
                                        "libcusparse", "libcusolver", "libnccl",     "libnvblas",
                                        "libnpp",      "libnvjpeg",   "libcutensor", "libcudss",
                                        "libnvinfer",  "libcufile",   "libnvshmem",  "libcupti"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static void complain(const struct patch *patch, const char *why)
{
    if (is_nvidias(patch->name))
        fprintf(
            stderr,
            "ptxvm: %s: this library of NVIDIA's %s: what the program calls in it fails (docs/dropin.md)\n",
            patch->name, why);
    else
        fprintf(stderr,
                "ptxvm: %s: %s; or link it with 'nvcc -cudart shared', or with libptxcudart_static.a in the "
                "place of libcudart_static.a (docs/dropin.md)\n",
                patch->name, why);
}

/* Every entry of the runtime that an object's symbols name. */
static void named_entries(const struct px_elf *file, const struct px_symbols *symbols,
                          struct px_redirect_entries *entries)
{
    entries->release = px_redirect_release_of(symbols);
    for (size_t i = 0; i < symbols->count; i++) {
        const int number = px_redirect_name_number(px_symbol_function(symbols, i));
        const Elf64_Sym *s = &symbols->at[i];
        if (number >= 0 && is_code(file, s->st_value, s->st_size))
            px_redirect_entry_add(entries, number, s->st_value, s->st_size);
    }
}

/* NULL, or why the runtime in a stripped object is not found. */
static const char *find_entries(const struct patch *patch, const struct px_elf *file,
                                struct px_redirect_entries *entries)
{
    if (!px_redirect_holds_runtime(file))
        return px_elf_section(file, SHT_PROGBITS, ".nvFatBinSegment")
                   ? "has kernels and no runtime that is known"
                   : NULL;
    switch (px_redirect_search(patch->name, file, entries)) {
    case PX_SEARCH_NO_ARCHIVE:
        return "is stripped, and the runtime in it is found only with libcudart_static.a of the release that "
               "it was built with: install the package cuda-cudart-dev of that release, or name the file in "
               "PTXVM_CUDART";
    case PX_SEARCH_OTHER:
        return "is stripped, and the runtime in it is none of the libcudart_static.a that are there: install "
               "the package cuda-cudart-dev of the release that it was built with, or name the file in "
               "PTXVM_CUDART";
    default: break;
    }
    for (size_t i = 0; i < entries->count; i++)
        if (!is_code(file, entries->at[i].address, entries->at[i].size))
            return "is not what its build id says";
    return NULL;
}

/* Tells of entries that stay the vendor's; --strict hears of them, too (redirect.c). */
static void tell_left(const struct patch *patch, unsigned left, int name, const char *why)
{
    const char *slash = strrchr(patch->name, '/');
    fprintf(stderr, "ptxvm: %s: %s %s; it stays the vendor's", patch->name, why, px_names[name]);
    fprintf(stderr, left > 1 ? " (and %u more)\n" : "\n", left - 1);
    if (left_text)
        snprintf(left_text, PX_LEFT_BYTES, "the runtime that is linked into %s: %s",
                 slash ? slash + 1 : patch->name, px_names[name]);
}

static void measure(struct patch *patch, const struct px_redirect_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const uintptr_t entry = patch->base + entries->at[i].address;
        if (!patch->first || entry < patch->first) patch->first = entry;
        if (entry > patch->last) patch->last = entry;
    }
}

static void write_jumps(struct patch *patch, const struct px_redirect_entries *entries)
{
    int name = 0;
    unsigned left = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const struct px_redirect_entry *e = &entries->at[i];
        if (redirect(patch, e->number, patch->base + e->address, e->size) || left++) continue;
        name = e->number;
    }
    if (left) tell_left(patch, left, name, "no jump fits over");
    if (entries->left)
        tell_left(patch, entries->left, entries->left_name, "there is more than one place for");
}

/* NULL, or why the runtime that is linked into an object cannot be replaced. */
static const char *redirect_entries(struct patch *patch, const struct px_redirect_entries *entries)
{
    measure(patch, entries);
    if (!protect(patch, PROT_READ | PROT_WRITE | PROT_EXEC) && !protect(patch, PROT_READ | PROT_WRITE))
        return "the code of the runtime in it cannot be written to, so it cannot be replaced";
    patch->release = entries->release;
    write_jumps(patch, entries);
    protect(patch, PROT_READ | PROT_EXEC);
    return NULL;
}

static const char *redirect_file(struct patch *patch, const struct px_elf *file)
{
    const struct px_symbols symbols = px_elf_symbols(file, SHT_SYMTAB);
    struct px_redirect_entries entries = {0};
    const char *wrong = NULL;
    named_entries(file, &symbols, &entries);
    if (!entries.count && !needs_runtime(file)) wrong = find_entries(patch, file, &entries);
    if (!wrong && entries.count && !has_stubs(&symbols)) wrong = redirect_entries(patch, &entries);
    px_redirect_entries_free(&entries);
    return wrong;
}

/* ---- NVIDIA's compilers (vendor.h) ---- */

static uintptr_t vendor_ours[PX_COPIES][PX_VENDORS]; /* 0: that function stays theirs */
static uintptr_t vendor_theirs;                      /* px_vendor_theirs in the program */
static unsigned vendor_copies;                       /* seen */

static int vendor_number(const char *name, size_t length)
{
#define OURS(name) #name,
#define THEIRS(name) #name,
    static const char *const names[] = {PX_VENDOR_NAMES};
#undef OURS
#undef THEIRS
    for (int i = 0; i < PX_VENDORS; i++)
        if (strncmp(names[i], name, length) == 0 && !names[i][length]) return i;
    return -1;
}

/* Of nvJitLinkCreate and of __nvJitLinkCreate_13_0 alike. */
static int vendor_number_of(const char *name)
{
    if (name[0] == '_' && name[1] == '_') name += 2;
    if (strncmp(name, "nv", 2) != 0) return -1;
    return vendor_number(name, strcspn(name, "_"));
}

/* px_vendor_NAME_COPY */
static void know_vendor(const char *name, uintptr_t at)
{
    static const char prefix[] = "px_vendor_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return;
    name += sizeof prefix - 1;
    const size_t length = strcspn(name, "_");
    const int number = vendor_number(name, length), copy = name[length] ? atoi(name + length + 1) : 0;
    if (number >= 0 && copy >= 0 && copy < PX_COPIES) vendor_ours[copy][number] = at;
}

static bool is_vendor(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return (strncmp(base, "libnvrtc", 8) == 0 && strncmp(base, "libnvrtc-builtins", 17) != 0) ||
           strncmp(base, "libnvJitLink", 12) == 0;
}

/* Nothing is bound to the object yet: whoever looks a name up finds what its table of symbols says. */
static void replace_symbols(const struct link_map *map, const struct px_elf *file)
{
    const struct px_symbols symbols = px_elf_symbols(file, SHT_DYNSYM);
    const Elf64_Shdr *s = px_elf_section(file, SHT_DYNSYM, NULL);
    if (!symbols.count || !vendor_theirs || vendor_copies == PX_COPIES) return;
    Elf64_Sym *entries = (Elf64_Sym *)(map->l_addr + s->sh_addr);
    const uintptr_t first = (uintptr_t)entries & ~(uintptr_t)4095;
    const size_t bytes = (uintptr_t)entries + s->sh_size - first;
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE) != 0) return;
    const unsigned copy = vendor_copies++;
    for (size_t i = 0; i < symbols.count; i++) {
        const int number = vendor_number_of(px_symbol_function(&symbols, i));
        if (number < 0) continue;
        ((uintptr_t *)vendor_theirs)[copy * PX_VENDORS + (unsigned)number] =
            map->l_addr + entries[i].st_value;
        if (vendor_ours[copy][number]) entries[i].st_value = vendor_ours[copy][number] - map->l_addr;
    }
    mprotect((void *)first, bytes, PROT_READ);
}

static void redirect_object(const struct link_map *map)
{
    const bool program = !map->l_name || !*map->l_name;
    const char *path = program ? "/proc/self/exe" : map->l_name, *wrong = NULL;
    char name[4096];
    struct px_elf file;
    struct patch patch = {.name = program && realpath(path, name) ? name : path, .base = map->l_addr};
    if (px_elf_open(&file, path)) {
        wrong = redirect_file(&patch, &file);
        if (is_vendor(path)) replace_symbols(map, &file);
    }
    px_elf_close(&file);
    if (!wrong) return;
    complain(&patch, wrong);
    if (program) _exit(EXIT_UNSUPPORTED);
}

/* Ours hold the names themselves. */
static bool ours(const struct link_map *map)
{
    return map->l_name && strncmp(map->l_name, folder, strlen(folder)) == 0;
}

static void find_thunks(const struct link_map *map)
{
    struct px_elf file;
    if (px_elf_open(&file, map->l_name)) {
        const struct px_symbols symbols = px_elf_symbols(&file, SHT_DYNSYM);
        for (size_t i = 0; i < symbols.count; i++) {
            const uintptr_t at = map->l_addr + symbols.at[i].st_value;
            know_vendor(px_symbol_function(&symbols, i), at);
            if (strcmp(px_symbol_name(&symbols, i, STT_OBJECT), "px_vendor_theirs") == 0) vendor_theirs = at;
            if (strcmp(px_symbol_name(&symbols, i, STT_OBJECT), "px_redirect_left") == 0)
                left_text = (char *)at;
            if (strcmp(px_symbol_function(&symbols, i), "px_redirect_thunks") == 0) thunks = at;
        }
    }
    px_elf_close(&file);
}

/* ---- what the loader calls ---- */

unsigned la_version(unsigned version)
{
    Dl_info here;
    if (!dladdr(folder, &here) || !here.dli_fname || !strrchr(here.dli_fname, '/')) return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(here.dli_fname, '/') + 1 - here.dli_fname),
             here.dli_fname);
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    static const char *const names[] = {"libcuda.so.1",      "libcuda.so",      "libcudart.so",
                                        "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13",
                                        "libnvidia-ml.so.1"};
    static char path[sizeof folder + 32];
    (void)cookie;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (flag != LA_SER_ORIG || strncmp(base, "lib", 3) != 0) return (char *)name;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(base, names[i]) != 0) continue;
        snprintf(path, sizeof path, "%s%s", folder, base);
        return access(path, R_OK) == 0 ? path : (char *)name;
    }
    return (char *)name;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)cookie;
    if (space != LM_ID_BASE) return 0;
    if (ours(map)) {
        if (!thunks && strstr(map->l_name, "/libptxvm_redirect.so")) find_thunks(map);
    } else if (thunks)
        redirect_object(map);
    else if (n_waiting < WAITING)
        waiting[n_waiting++] = map;
    for (; thunks && n_waiting; n_waiting--) redirect_object(waiting[n_waiting - 1]);
    return 0;
}
