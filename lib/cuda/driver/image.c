/*
 * image.c - from what a program gives (PTX, our objects, fat binaries, wrappers) to checked modules.
 *
 * Of several images of a fat binary one is taken: the PTX for the newest architecture that the device is no
 * older than. Machine code cannot be run and is refused with what to compile with.
 */
#define _GNU_SOURCE
#include "cuda/driver/image.h"
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/fatbin.h"

enum { EM_CUDA_NUMBER = 190, UNITS_MOST = 4096 };

/* ---- images ---- */

struct px_cu_image *px_cu_image_new(void)
{
    struct px_cu_image *image = calloc(1, sizeof *image);
    if (image) atomic_init(&image->refs, 1);
    return image;
}

struct px_cu_image *px_cu_image_again(struct px_cu_image *image)
{
    atomic_fetch_add(&image->refs, 1);
    return image;
}

void px_cu_image_give(struct px_cu_image *image)
{
    if (!image || atomic_fetch_sub(&image->refs, 1) != 1) return;
    for (size_t i = 0; i < image->count; i++) ptx_module_destroy(image->texts[i]);
    free(image->texts);
    free(image);
}

/* The image owns the text from here on, also when this fails. */
static CUresult keep(struct px_cu_image *image, ptx_module *text)
{
    ptx_module **grown = realloc(image->texts, (image->count + 1) * sizeof *grown);
    if (!grown) {
        ptx_module_destroy(text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    image->texts = grown;
    grown[image->count++] = text;
    return CUDA_SUCCESS;
}

/* ---- PTX ---- */

static void tell_diagnostics(struct px_cu_jit *jit, const ptx_module *text)
{
    static const char *const words[] = {"info    ", "warning ", "error   ", "fatal   "};
    const size_t n = ptx_module_diagnostic_count(text);
    for (size_t i = 0; i < n; i++) {
        ptx_diagnostic d = {sizeof d};
        if (ptx_module_diagnostic(text, i, &d) != PTX_OK || d.severity < PTX_ERROR) continue;
        if (d.line)
            px_cu_jit_say(jit, "ptxas %s, line %u; %s: %s", ptx_module_file_name(text), d.line,
                          words[d.severity], d.message);
        else
            px_cu_jit_say(jit, "ptxas %s: %s", words[d.severity], d.message);
    }
}

/* What JIT options ask to be told of a text without errors. */
static void tell_info(struct px_cu_jit *jit, const ptx_module *text, const char *arch)
{
    if (!jit->verbose || !jit->info || jit->info_used + 1 >= jit->info_room) return;
    for (size_t i = 0; i < ptx_module_kernel_count(text); i++) {
        ptx_kernel_info k = {sizeof k};
        const size_t room = jit->info_room - jit->info_used;
        if (ptx_module_kernel(text, i, &k) != PTX_OK) continue;
        const int wrote = snprintf(jit->info + jit->info_used, room,
                                   "ptxas info    : Compiling entry function '%s' for '%s'\n", k.name, arch);
        jit->info_used += wrote < 0 ? 0 : (size_t)wrote < room ? (size_t)wrote : room - 1;
    }
}

/* The first place of a word in [at, end); `end` when there is none. Nothing need stand behind a text. */
static const char *find(const char *at, const char *end, const char *word)
{
    const char *found = memmem(at, (size_t)(end - at), word, strlen(word));
    return found ? found : end;
}

/* The architecture to check a text for: the device's, with the letter that the text's .target has. */
static void check_arch(const char *text, size_t size, const char *device, char *arch, size_t room)
{
    const char *end = text + size, *target = find(find(text, end, ".target"), end, "sm_");
    const size_t n = strlen(device);
    const bool same = (size_t)(end - target) > n && memcmp(target, device, n) == 0;
    const char letter = same && (target[n] == 'a' || target[n] == 'f') ? target[n] : 0;
    snprintf(arch, room, letter ? "%s%c" : "%s", device, letter);
}

static CUresult refused(struct px_cu_jit *jit, ptx_module *text)
{
    const bool newer = ptx_module_isa_version(text) > PTX_ISA_VERSION;
    const bool known = newer && px_cu_settings()->profile == PTX_PROFILE_13_0;
    tell_diagnostics(jit, text);
    if (known)
        px_cu_jit_say(
            jit, "PTX of versions after %u.%u is taken with PTXVM_PROFILE=all (ptxvm --profile all --exec)",
            PTX_ISA_VERSION / 10, PTX_ISA_VERSION % 10);
    ptx_module_destroy(text);
    return newer ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_INVALID_PTX;
}

static CUresult add_text(struct px_cu_image *image, const char *text, size_t size, const char *name,
                         const char *arch, struct px_cu_jit *jit)
{
    char own[24];
    ptx_module *module = NULL;
    check_arch(text, size, arch, own, sizeof own);
    const ptx_module_options options = {.struct_size = sizeof options,
                                        .file_name = name ? name : "application ptx input",
                                        .arch = own,
                                        .fmad = jit->fmad,
                                        .profile = px_cu_settings()->profile};
    px_cu_save(options.file_name, text, size);
    const ptx_status status = ptx_module_create(&options, text, size, &module);
    if (status == PTX_ERROR_ASSEMBLY) return refused(jit, module);
    if (status != PTX_OK) return px_cu_result(NULL, status, NULL);
    tell_info(jit, module, own);
    return keep(image, module);
}

/* ---- objects ---- */

size_t px_cu_image_elf(const void *file, size_t room)
{
    const unsigned char *data = file;
    Elf64_Ehdr head;
    Elf64_Shdr section;
    if (room < sizeof head) return 0;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) return 0;
    const uint64_t table = head.e_shoff, bytes = (uint64_t)head.e_shnum * sizeof section;
    if (table > room || bytes > room - table || head.e_shentsize != sizeof section) return 0;
    uint64_t size = table + bytes;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        memcpy(&section, data + table + i * sizeof section, sizeof section);
        const uint64_t end = section.sh_offset + section.sh_size;
        if (section.sh_type == SHT_NOBITS || end < section.sh_size || end > room) continue;
        if (end > size) size = end;
    }
    return size;
}

static CUresult machine_code(struct px_cu_jit *jit, const char *what)
{
    px_cu_jit_say(jit,
                  "%s holds machine code only, which cannot be run here: compile with PTX in it "
                  "(nvcc -gencode arch=compute_90,code=compute_90, or -arch=compute_90; what NVRTC and "
                  "nvJitLink give out holds it under ptxvm --exec)",
                  what);
    px_cu_unsupported("machine code");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult add_object(struct px_cu_image *image, const void *data, size_t room, struct px_cu_jit *jit)
{
    const size_t size = px_cu_image_elf(data, room);
    const size_t count = size ? ptx_object_module_count(data, size) : 0;
    if (!count) return size ? machine_code(jit, "the object") : CUDA_ERROR_INVALID_IMAGE;
    for (size_t i = 0; i < count; i++) {
        ptx_module *module = NULL;
        const ptx_module_options options = {.struct_size = sizeof options, .fmad = jit->fmad};
        const ptx_status status = ptx_object_module(&options, data, size, i, &module);
        if (status == PTX_ERROR_ASSEMBLY) return refused(jit, module);
        if (status != PTX_OK) return px_cu_result(NULL, status, NULL);
        PX_CU_TRY(keep(image, module));
    }
    return CUDA_SUCCESS;
}

/* ---- fat binaries ---- */

struct choice {
    unsigned arch;               /* the device's */
    struct px_fatbin_image best; /* kind 0: none yet */
    struct px_fatbin_image any;  /* some PTX, whether it fits or not */
    char found[300];             /* "sm_80 machine code, compute_100 PTX" */
};

static bool is_ours(const struct px_fatbin_image *image)
{
    return image->kind == PX_FATBIN_ELF && !image->lz4 && !image->zstd &&
           ptx_object_module_count(image->payload, image->size) > 0;
}

static bool is_better(const struct px_fatbin_image *image, const struct px_fatbin_image *best)
{
    if (!best->kind || image->arch != best->arch) return image->arch > best->arch || !best->kind;
    return (image->specific || image->family) && !best->specific;
}

static void consider(void *user, const struct px_fatbin_image *image)
{
    struct choice *c = user;
    const bool ptx = image->kind == PX_FATBIN_PTX;
    const size_t used = strlen(c->found);
    snprintf(c->found + used, sizeof c->found - used, "%s%s_%u%s%s", used ? ", " : "", ptx ? "compute" : "sm",
             image->arch,
             image->specific ? "a"
             : image->family ? "f"
                             : "",
             ptx                            ? " PTX"
             : image->kind == PX_FATBIN_ELF ? " machine code"
             : image->kind == PX_FATBIN_LTO ? " LTO"
                                            : "");
    if (ptx) c->any = *image;
    if ((ptx || is_ours(image)) && px_fatbin_fits(image, c->arch) && is_better(image, &c->best))
        c->best = *image;
}

static unsigned arch_number(const char *arch)
{
    return (unsigned)atoi(arch + 3);
}

/* Whether a text defines the device runtime, which is part of the machine here and not linked. */
static bool is_device_runtime(const char *text)
{
    const char *at = strstr(text, "__cudaCDP2GetLastError");
    if (!at) return false;
    while (at > text && !strchr(";})", at[-1])) at--;
    at += strcspn(at, "(.");
    const char *end = strstr(at, "__cudaCDP2GetLastError"), *external = strstr(at, ".extern");
    return !external || external > end;
}

static CUresult refuse_choice(const struct choice *c, const char *wrong, struct px_cu_jit *jit)
{
    if (wrong) {
        px_cu_jit_say(jit, "the fat binary is damaged: %s", wrong);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    px_cu_jit_say(jit,
                  "the fat binary holds nothing that an sm_%u device can run (%s): compile with PTX in it "
                  "(nvcc -gencode arch=compute_%u,code=compute_%u, or -arch=compute_%u)",
                  c->arch, *c->found ? c->found : "it is empty", c->arch, c->arch, c->arch);
    if (strstr(c->found, "machine code")) px_cu_unsupported("machine code");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* What messages call the text of a fat binary: after its source where the fat binary or the text itself
 * (.file) names it, else after the program or library that holds it. */
static const char *name_of(const struct px_fatbin_image *image, const char *text, const void *data,
                           char *name, size_t room)
{
    static const char first[] = "\n\t.file\t1 \"";
    const char *file = image->name_size ? image->name : strstr(text, first);
    size_t n = image->name_size;
    Dl_info holder;
    if (file && !n) {
        file += sizeof first - 1;
        n = strcspn(file, "\"\n");
    }
    if (!file && dladdr(data, &holder) && holder.dli_fname) {
        file = holder.dli_fname;
        n = strlen(file);
    }
    if (!file) return NULL;
    for (size_t i = n; i > 0; i--)
        if (file[i - 1] == '/') {
            file += i;
            n -= i;
            break;
        }
    snprintf(name, room, "PTX of %.*s", (int)n, file);
    return name;
}

/* One image of the fat binary; with `unit` it is one of a program, and the device runtime's is left out. */
static CUresult add_fatbin(struct px_cu_image *image, const void *data, size_t room, bool unit,
                           const char *arch, struct px_cu_jit *jit)
{
    struct choice c = {.arch = arch_number(arch)};
    size_t size;
    const char *why;
    const char *wrong = px_fatbin_read(data, room, consider, &c);
    if (wrong || !(c.best.kind || (unit && c.any.kind))) return refuse_choice(&c, wrong, jit);
    const struct px_fatbin_image *best = c.best.kind ? &c.best : &c.any;
    char *text = px_fatbin_plain(best, &size, &why);
    if (!text) return refuse_choice(&c, why, jit);
    char name[300];
    CUresult result = CUDA_SUCCESS;
    if (best->kind == PX_FATBIN_ELF)
        result = add_object(image, text, size, jit);
    else if (!unit || !is_device_runtime(text))
        result = c.best.kind ? add_text(image, text, strlen(text),
                                        name_of(best, text, data, name, sizeof name), arch, jit)
                             : refuse_choice(&c, NULL, jit);
    free(text);
    return result;
}

static CUresult add_wrapper(struct px_cu_image *image, const struct px_fatbin_wrapper *w, const char *arch,
                            struct px_cu_jit *jit)
{
    if (w->version != 2) return add_fatbin(image, w->data, SIZE_MAX, false, arch, jit);
    for (size_t i = 0; w->units && w->units[i]; i++) {
        if (i == UNITS_MOST) return CUDA_ERROR_INVALID_IMAGE;
        PX_CU_TRY(add_fatbin(image, w->units[i], SIZE_MAX, true, arch, jit));
    }
    return CUDA_SUCCESS;
}

/* ---- telling them apart ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

CUresult px_cu_image_add(struct px_cu_image *image, const void *data, size_t room, const char *name,
                         const char *arch, struct px_cu_jit *jit)
{
    const char *text = data;
    uint32_t magic = 0;
    if (room < 4) return CUDA_ERROR_INVALID_IMAGE;
    for (size_t i = 0; i < 4 && text[i]; i++) memcpy(&magic, text, i + 1);
    if (magic == PX_FATBIN_WRAPPER_MAGIC && room == SIZE_MAX) {
        struct px_fatbin_wrapper wrapper;
        memcpy(&wrapper, data, sizeof wrapper);
        return add_wrapper(image, &wrapper, arch, jit);
    }
    if (magic == PX_FATBIN_MAGIC) return add_fatbin(image, data, room, false, arch, jit);
    if (memcmp(&magic, ELFMAG, 4) == 0) return add_object(image, data, room, jit);
    size_t at = 0;
    while (at < room && is_blank(text[at])) at++;
    const bool directive = room - at > 1 && text[at] == '.' && text[at + 1];
    if (at == room || (!directive && text[at] != '/')) {
        px_cu_jit_say(jit, "the image is neither PTX, an object of ptxas, nor a fat binary");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    return add_text(image, text, room == SIZE_MAX ? strlen(text) : strnlen(text, room), name, arch, jit);
}

CUresult px_cu_image_load(const void *data, size_t room, const char *arch, struct px_cu_jit *jit,
                          struct px_cu_image **image)
{
    struct px_cu_image *made = px_cu_image_new();
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    made->fmad = jit->fmad;
    const CUresult result = px_cu_image_add(made, data, room, NULL, arch, jit);
    if (result == CUDA_SUCCESS)
        *image = made;
    else
        px_cu_image_give(made);
    return result;
}

CUresult px_cu_file_read(const char *path, char **data, size_t *size)
{
    if (!*path) return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "rbe");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    size_t room = 1 << 16, got;
    char *bytes = malloc(room + 1);
    *size = 0;
    while (bytes && (got = fread(bytes + *size, 1, room - *size, file)) > 0) {
        *size += got;
        if (*size < room) continue;
        char *grown = realloc(bytes, room * 2 + 1);
        if (!grown) free(bytes);
        bytes = grown;
        room *= 2;
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (bytes && !failed && *size) {
        bytes[*size] = 0;
        *data = bytes;
        return CUDA_SUCCESS;
    }
    const bool empty = bytes && !failed;
    free(bytes);
    return empty ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_OUT_OF_MEMORY; /* also of a folder, as on a chip */
}
