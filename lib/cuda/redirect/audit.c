/*
 * audit.c - libptxvm_audit.so: sees every object before anything in it runs.
 *
 * `ptxvm --exec` names it in LD_AUDIT (rtld-audit(7)). It does three things:
 *
 * - Whoever asks for libcuda or libcudart, by whatever path, gets the one beside this library.
 * - An object that has CUDA's runtime linked in gets jumps to ours written over the entries of that runtime,
 *   as soon as it is mapped: its constructors register its kernels. The entries are found by name in .symtab,
 *   for most are local; every name of runtime.def counts, also those that we do not implement, for one left
 *   over would call the vendor's half of the process.
 * - libnvrtc and libnvJitLink get addresses of ours in their tables of symbols, for the functions that give
 *   out machine code (vendor.h).
 *
 * An auditing library lives in a namespace of its own, with a C library of its own, so it only writes jumps;
 * what they lead to is libptxvm_redirect.so, in the program's namespace (redirect.c). Nothing is relocated
 * yet when objects are seen, nor need be. x86-64.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cuda/redirect/names.h"
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

/* ---- the file of an object ---- */

struct file {
    const unsigned char *data; /* mapped */
    size_t size;
    const Elf64_Shdr *sections;
    unsigned count;
    const char *names; /* of sections */
    size_t names_size;
    const Elf64_Phdr *segments;
    unsigned nsegments;
};

static const void *at(const struct file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

/* A table of strings that ends as it should; NULL otherwise. */
static const char *strings(const struct file *file, unsigned section, size_t *size)
{
    if (section >= file->count) return NULL;
    const Elf64_Shdr *s = &file->sections[section];
    const char *text = at(file, s->sh_offset, s->sh_size);
    if (!text || !s->sh_size || text[s->sh_size - 1]) return NULL;
    *size = s->sh_size;
    return text;
}

static bool file_open(struct file *file, const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct file){0};
    if (fd < 0) return false;
    if (fstat(fd, &status) == 0 && status.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        file->size = (size_t)status.st_size;
        void *data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        file->data = data == MAP_FAILED ? NULL : data;
    }
    close(fd);
    if (!file->data) return false;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->data;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_machine != EM_X86_64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    file->sections = at(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
    file->count = file->sections ? head->e_shnum : 0;
    file->names = strings(file, head->e_shstrndx, &file->names_size);
    file->segments = at(file, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr));
    file->nsegments = file->segments ? head->e_phnum : 0;
    return file->names != NULL;
}

static void file_close(struct file *file)
{
    if (file->data) munmap((void *)file->data, file->size);
}

static const Elf64_Shdr *section(const struct file *file, unsigned type, const char *name)
{
    for (unsigned i = 0; i < file->count; i++) {
        const Elf64_Shdr *s = &file->sections[i];
        if (s->sh_type != type) continue;
        if (!name || (s->sh_name < file->names_size && strcmp(file->names + s->sh_name, name) == 0)) return s;
    }
    return NULL;
}

/* Is that code which the loader has mapped? */
static bool is_code(const struct file *file, const Elf64_Sym *symbol)
{
    for (unsigned i = 0; i < file->nsegments; i++) {
        const Elf64_Phdr *s = &file->segments[i];
        const uint64_t at = symbol->st_value - s->p_vaddr;
        if (s->p_type == PT_LOAD && (s->p_flags & PF_X) && at < s->p_filesz &&
            symbol->st_size <= s->p_filesz - at)
            return true;
    }
    return false;
}

struct symbols {
    const Elf64_Sym *at;
    size_t count;
    const char *names;
    size_t names_size;
};

static struct symbols symbols_of(const struct file *file, unsigned type)
{
    struct symbols symbols = {0};
    const Elf64_Shdr *s = section(file, type, NULL);
    if (!s || !(symbols.names = strings(file, s->sh_link, &symbols.names_size))) return symbols;
    symbols.at = at(file, s->sh_offset, s->sh_size);
    symbols.count = symbols.at ? s->sh_size / sizeof(Elf64_Sym) : 0;
    return symbols;
}

/* The name of what is defined here, of one type; "" for anything else. */
static const char *symbol_name(const struct symbols *symbols, size_t i, unsigned type)
{
    const Elf64_Sym *symbol = &symbols->at[i];
    const bool here = ELF64_ST_TYPE(symbol->st_info) == type && symbol->st_shndx != SHN_UNDEF &&
                      symbol->st_name < symbols->names_size;
    return here ? symbols->names + symbol->st_name : "";
}

static const char *function_name(const struct symbols *symbols, size_t i)
{
    return symbol_name(symbols, i, STT_FUNC);
}

/* ---- names ---- */

enum { BUCKETS = 2048 };
static short table[BUCKETS]; /* number of a name + 1, by open addressing; made at the first question */
_Static_assert(PX_NAMES < BUCKETS / 2, "a table with room");

static unsigned hash(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h % BUCKETS;
}

static short *place(const char *name)
{
    unsigned i = hash(name);
    while (table[i] && strcmp(px_names[table[i] - 1], name) != 0) i = (i + 1) % BUCKETS;
    return &table[i];
}

/* The number of a name of the runtime, or -1. */
static int name_number(const char *name)
{
    const char *plain = name[0] == '_' && name[1] == '_' ? name + 2 : name;
    if (strncmp(plain, "cuda", 4) != 0) return -1;
    if (!table[hash(px_names[0])])
        for (int i = 0; i < PX_NAMES; i++) {
            short *slot = place(px_names[i]);
            if (!*slot) *slot = (short)(i + 1);
        }
    return *place(name) - 1;
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
    unsigned left;              /* entries over which no jump fits */
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

static bool has(const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (strcmp(function_name(symbols, i), name) == 0) return true;
    return false;
}

/* Which release's runtime is linked in, by names that only some have. */
static unsigned release_of(const struct symbols *symbols)
{
    return has(symbols, "cudaGetDeviceProperties_v2") ? 1 : has(symbols, "cudaThreadSynchronize") ? 0 : 2;
}

/* Whether it asks the loader for a runtime, so that none is linked in. */
static bool needs_runtime(const struct file *file)
{
    size_t size;
    const Elf64_Shdr *s = section(file, SHT_DYNAMIC, NULL);
    const Elf64_Dyn *d = s ? at(file, s->sh_offset, s->sh_size) : NULL;
    const char *names = d ? strings(file, s->sh_link, &size) : NULL;
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
static bool has_stubs(const struct symbols *symbols)
{
    bool resolver = false, addresses = false;
    for (size_t i = 0; i < symbols->count; i++) {
        resolver |= of_stubs(function_name(symbols, i), "_tramp_resolve");
        addresses |= of_stubs(symbol_name(symbols, i, STT_OBJECT), "_tramp_table");
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
            "ptxvm: %s: this library of NVIDIA's %s: what the program calls in it fails. It cannot be had "
            "in another form; build the program without it (docs/dropin.md)\n",
            patch->name, why);
    else
        fprintf(stderr,
                "ptxvm: %s: %s; link it with 'nvcc -cudart shared', or with libptxcudart_static.a in the "
                "place of libcudart_static.a (docs/dropin.md)\n",
                patch->name, why);
}

/* Calls `visit` with every entry of the runtime in the object; how many there are. */
static unsigned each_entry(struct patch *patch, const struct file *file, const struct symbols *symbols,
                           void (*visit)(struct patch *, int number, uintptr_t entry, size_t size))
{
    unsigned entries = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const int number = name_number(function_name(symbols, i));
        if (number < 0 || !is_code(file, &symbols->at[i])) continue;
        visit(patch, number, patch->base + symbols->at[i].st_value, symbols->at[i].st_size);
        entries++;
    }
    return entries;
}

static void measure(struct patch *patch, int number, uintptr_t entry, size_t size)
{
    (void)number, (void)size;
    if (!patch->first || entry < patch->first) patch->first = entry;
    if (entry > patch->last) patch->last = entry;
}

static void write_jump(struct patch *patch, int number, uintptr_t entry, size_t size)
{
    if (!redirect(patch, number, entry, size) && !patch->left++)
        fprintf(stderr, "ptxvm: %s: no jump fits over %s; it stays the vendor's\n", patch->name,
                px_names[number]);
}

/* NULL, or why the runtime that is linked into an object cannot be replaced. */
static const char *redirect_file(struct patch *patch, const struct file *file)
{
    const struct symbols symbols = symbols_of(file, SHT_SYMTAB);
    if (!each_entry(patch, file, &symbols, measure)) {
        if (!section(file, SHT_PROGBITS, ".nvFatBinSegment") || needs_runtime(file)) return NULL;
        return symbols.count ? "has kernels and no runtime that is known"
                             : "is stripped, so the runtime in it cannot be found and replaced";
    }
    if (has_stubs(&symbols)) return NULL;
    if (!protect(patch, PROT_READ | PROT_WRITE | PROT_EXEC) && !protect(patch, PROT_READ | PROT_WRITE))
        return "the code of the runtime in it cannot be written to, so it cannot be replaced";
    patch->release = release_of(&symbols);
    each_entry(patch, file, &symbols, write_jump);
    protect(patch, PROT_READ | PROT_EXEC);
    return NULL;
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
static void replace_symbols(const struct link_map *map, const struct file *file)
{
    const struct symbols symbols = symbols_of(file, SHT_DYNSYM);
    const Elf64_Shdr *s = section(file, SHT_DYNSYM, NULL);
    if (!symbols.count || !vendor_theirs || vendor_copies == PX_COPIES) return;
    Elf64_Sym *entries = (Elf64_Sym *)(map->l_addr + s->sh_addr);
    const uintptr_t first = (uintptr_t)entries & ~(uintptr_t)4095;
    const size_t bytes = (uintptr_t)entries + s->sh_size - first;
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE) != 0) return;
    const unsigned copy = vendor_copies++;
    for (size_t i = 0; i < symbols.count; i++) {
        const int number = vendor_number_of(function_name(&symbols, i));
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
    struct file file;
    struct patch patch = {.name = program && realpath(path, name) ? name : path, .base = map->l_addr};
    if (file_open(&file, path)) {
        wrong = redirect_file(&patch, &file);
        if (is_vendor(path)) replace_symbols(map, &file);
    }
    file_close(&file);
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
    struct file file;
    if (file_open(&file, map->l_name)) {
        const struct symbols symbols = symbols_of(&file, SHT_DYNSYM);
        for (size_t i = 0; i < symbols.count; i++) {
            const uintptr_t at = map->l_addr + symbols.at[i].st_value;
            know_vendor(function_name(&symbols, i), at);
            if (strcmp(symbol_name(&symbols, i, STT_OBJECT), "px_vendor_theirs") == 0) vendor_theirs = at;
            if (strcmp(function_name(&symbols, i), "px_redirect_thunks") == 0) thunks = at;
        }
    }
    file_close(&file);
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
                                        "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};
    static char path[sizeof folder + 32];
    (void)cookie;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (flag != LA_SER_ORIG || strncmp(base, "libcuda", 7) != 0) return (char *)name;
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
