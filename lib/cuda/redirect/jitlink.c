/*
 * jitlink.c - nvJitLink: PTX, objects and fat binaries go to our linker, LTO-IR to NVIDIA's.
 *
 * A session is one of theirs with what we link beside it. Theirs reads the options and, with `-lto -ptx`,
 * makes PTX of all LTO-IR that is added; that PTX and everything else is linked here, and the "cubin" is our
 * object (docs/object.md). A program that asks for PTX itself (-ptx) has theirs alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/api.h"
#include "cuda/redirect/vendor.h"

/* nvJitLinkResult, as far as it is made here. */
enum { FINE = 0, INVALID_INPUT = 3, PTX_COMPILE = 4, INTERNAL = 6, NULL_INPUT = 10, INCORRECT_TYPE = 12 };
/* nvJitLinkInputType */
enum { CUBIN = 1, PTX, LTO, FATBIN, OBJECT, LIBRARY, ANY = 10 };
enum { EM_CUDA_NUMBER = 190 };

struct session {
    unsigned copy;
    void *theirs;
    bool lto;  /* LTO-IR is taken */
    bool pass; /* -ptx: all is theirs */
    unsigned lto_inputs, inputs;
    struct px_cu_linker *linker; /* NULL: theirs alone */
    const void *image;           /* NULL: not complete */
    size_t size;
    char *note; /* our part of the log; NULL: none */
};

#define CALL(s, name, type, ...) ((type *)px_vendor_theirs[(s)->copy][PX_##name])(__VA_ARGS__)

typedef int create_fn(void **theirs, uint32_t count, const char **options);
typedef int destroy_fn(void **theirs);
typedef int data_fn(void *theirs, int type, const void *data, size_t size, const char *name);
typedef int file_fn(void *theirs, int type, const char *path);
typedef int complete_fn(void *theirs);
typedef int size_fn(void *theirs, size_t *size);
typedef int text_fn(void *theirs, char *text);

/* ---- our driver, beside this library ---- */

static const struct px_cu_tools *tools;

static void find_tools(void)
{
    static const CUuuid id = PX_CU_TOOLS_ID;
    CUresult (*get)(const void **table, const CUuuid *id);
    Dl_info here;
    char path[4096];
    const void *table = NULL;
    if (!dladdr(px_vendor_theirs, &here) || !here.dli_fname) return;
    const char *slash = strrchr(here.dli_fname, '/');
    snprintf(path, sizeof path, "%.*slibcuda.so.1", slash ? (int)(slash + 1 - here.dli_fname) : 0,
             here.dli_fname);
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    *(void **)&get = handle ? dlsym(handle, "cuGetExportTable") : NULL;
    if (get && get(&table, &id) == CUDA_SUCCESS) tools = table;
}

static const struct px_cu_tools *driver(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_tools);
    return tools;
}

/* ---- sessions ---- */

struct asked {
    bool lto, ptx;
    int contract;
    char arch[16];
};

static void read_option(struct asked *a, const char *option)
{
    if (strcmp(option, "-lto") == 0) a->lto = true;
    if (strcmp(option, "-ptx") == 0) a->ptx = true;
    if (strcmp(option, "-fma=0") == 0) a->contract = 0;
    const char *arch = strncmp(option, "-arch=", 6) == 0 ? strchr(option, '_') : NULL;
    if (arch) snprintf(a->arch, sizeof a->arch, "sm_%u", (unsigned)atoi(arch + 1));
}

/* Theirs, with what the program asked for and -ptx where LTO-IR may come. */
static int create_theirs(struct session *s, uint32_t count, const char **options)
{
    const char **more = calloc(count + 1, sizeof *more);
    if (!more) return INTERNAL;
    for (uint32_t i = 0; i < count; i++) more[i] = options[i];
    if (s->lto && !s->pass) more[count++] = "-ptx";
    const int result = CALL(s, nvJitLinkCreate, create_fn, &s->theirs, count, more);
    free(more);
    return result;
}

static void end(struct session *s)
{
    if (s->theirs) CALL(s, nvJitLinkDestroy, destroy_fn, &s->theirs);
    if (s->linker) driver()->linker_free(s->linker);
    free(s->note);
    free(s);
}

static int create(unsigned copy, void **handle, uint32_t count, const char **options)
{
    struct asked asked = {.contract = 1};
    if (!handle || (count && !options)) return NULL_INPUT;
    for (uint32_t i = 0; i < count; i++)
        if (options[i]) read_option(&asked, options[i]);
    struct session *s = calloc(1, sizeof *s);
    if (!s) return INTERNAL;
    s->copy = copy;
    s->lto = asked.lto;
    s->pass = asked.ptx;
    int result = create_theirs(s, count, options);
    if (result == FINE && !s->pass) {
        s->linker = driver() && *asked.arch ? driver()->linker_new(asked.arch, asked.contract) : NULL;
        if (!s->linker) result = INTERNAL;
    }
    if (result == FINE)
        *handle = s;
    else
        end(s);
    return result;
}

static int destroy(void **handle)
{
    if (!handle || !*handle) return NULL_INPUT;
    end(*handle);
    *handle = NULL;
    return FINE;
}

/* ---- inputs ---- */

/* The type that the bytes show; 0: none that is linked here. */
static int type_of(const char *data, size_t size)
{
    Elf64_Ehdr head = {0};
    memcpy(&head, data, size < sizeof head ? size : sizeof head);
    if (size >= 8 && memcmp(data, "!<arch>\n", 8) == 0) return LIBRARY;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) == 0) return head.e_machine == EM_CUDA_NUMBER ? CUBIN : OBJECT;
    if (memcmp(head.e_ident, "\x50\xed\x55\xba", 4) == 0) return FATBIN;
    size_t blanks = 0;
    while (blanks < size && strchr(" \t\r\n", data[blanks]) && data[blanks]) blanks++;
    return blanks < size && (data[blanks] == '.' || data[blanks] == '/') ? PTX : 0;
}

/* NVRTC's cubin is a text here (rtc.c). */
static bool fits(int said, int is)
{
    return is && (said == ANY || said == is || (said == CUBIN && is == PTX));
}

static void note(struct session *s, const char *format, const char *name)
{
    char *text = NULL;
    if (asprintf(&text, format, name ? name : "the input") < 0) return;
    free(s->note);
    s->note = text;
}

static int result_of(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS: return FINE;
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return PTX_COMPILE;
    default: return INVALID_INPUT;
    }
}

static int add_data(struct session *s, int type, const void *data, size_t size, const char *name)
{
    if (!s || !data) return NULL_INPUT;
    const bool lto = !s->pass && (type == LTO || (s->lto && driver()->linker_lto(data, size)));
    s->lto_inputs += lto;
    if (s->pass || lto) return CALL(s, nvJitLinkAddData, data_fn, s->theirs, type, data, size, name);
    if (!fits(type, type_of(data, size))) {
        note(s, "bad input: %s does not match its type\n", name);
        return INCORRECT_TYPE;
    }
    s->inputs++;
    return result_of(driver()->linker_add(s->linker, data, size, name));
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    char *data = NULL;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long end = ftell(file);
        rewind(file);
        data = end >= 0 ? malloc((size_t)end + 1) : NULL;
        *size = data ? fread(data, 1, (size_t)end, file) : 0;
    }
    fclose(file);
    return data;
}

static int add_file(struct session *s, int type, const char *path)
{
    size_t size = 0;
    if (!s || !path) return NULL_INPUT;
    char *data = s->pass ? NULL : read_file(path, &size);
    if (!data) return CALL(s, nvJitLinkAddFile, file_fn, s->theirs, type, path);
    const int result = add_data(s, type, data, size, path);
    free(data);
    return result;
}

/* ---- the image ---- */

/* The PTX of all LTO-IR becomes one more input of ours. */
static int add_lto(struct session *s)
{
    size_t size = 0;
    int result = CALL(s, nvJitLinkComplete, complete_fn, s->theirs);
    if (result == FINE) result = CALL(s, nvJitLinkGetLinkedPtxSize, size_fn, s->theirs, &size);
    char *text = result == FINE ? calloc(1, size + 1) : NULL;
    if (!text) return result == FINE ? INTERNAL : result;
    result = CALL(s, nvJitLinkGetLinkedPtx, text_fn, s->theirs, text);
    if (result == FINE) result = result_of(driver()->linker_add(s->linker, text, strlen(text), "LTO"));
    free(text);
    return result;
}

static int complete(struct session *s)
{
    if (!s) return NULL_INPUT;
    if (s->pass || (!s->lto_inputs && !s->inputs)) {
        s->pass = true; /* nothing is what theirs makes of nothing */
        return CALL(s, nvJitLinkComplete, complete_fn, s->theirs);
    }
    const int result = s->lto_inputs ? add_lto(s) : FINE;
    if (result != FINE) return result;
    if (driver()->linker_image(s->linker, &s->image, &s->size) == CUDA_SUCCESS) return FINE;
    if (s->lto_inputs && s->inputs)
        note(s, "%s: of LTO-IR that is linked to PTX, only what kernels of LTO-IR use is kept\n", "ptxvm");
    return INTERNAL;
}

static int cubin_size(struct session *s, size_t *size)
{
    if (!s || !size) return NULL_INPUT;
    if (s->pass) return CALL(s, nvJitLinkGetLinkedCubinSize, size_fn, s->theirs, size);
    *size = s->size;
    return s->image ? FINE : INTERNAL;
}

static int cubin(struct session *s, void *to)
{
    if (!s || !to) return NULL_INPUT;
    if (s->pass) return CALL(s, nvJitLinkGetLinkedCubin, text_fn, s->theirs, to);
    if (!s->image) return INTERNAL;
    memcpy(to, s->image, s->size);
    return FINE;
}

/* Only who asked for it gets PTX. */
static int ptx_size(struct session *s, size_t *size)
{
    if (!s || !size) return NULL_INPUT;
    return s->pass ? CALL(s, nvJitLinkGetLinkedPtxSize, size_fn, s->theirs, size) : INVALID_INPUT;
}

static int ptx(struct session *s, char *to)
{
    if (!s || !to) return NULL_INPUT;
    return s->pass ? CALL(s, nvJitLinkGetLinkedPtx, text_fn, s->theirs, to) : INVALID_INPUT;
}

/* ---- logs: theirs, and what ours says behind it ---- */

static size_t theirs_log(struct session *s)
{
    size_t size = 0;
    return CALL(s, nvJitLinkGetErrorLogSize, size_fn, s->theirs, &size) == FINE ? size : 0;
}

static const char *linker_log(const struct session *s)
{
    return s->linker ? driver()->linker_log(s->linker) : "";
}

static const char *note_of(const struct session *s)
{
    return s->note ? s->note : "";
}

static int error_size(struct session *s, size_t *size)
{
    if (!s || !size) return NULL_INPUT;
    const size_t theirs = theirs_log(s), ours = strlen(linker_log(s)) + strlen(note_of(s));
    *size = theirs + ours + (!theirs && ours); /* theirs has its NUL already */
    return FINE;
}

static int error_log(struct session *s, char *to)
{
    if (!s || !to) return NULL_INPUT;
    const int result =
        theirs_log(s) ? CALL(s, nvJitLinkGetErrorLog, text_fn, s->theirs, to) : (*to = 0, FINE);
    if (result == FINE) strcat(strcat(to, linker_log(s)), note_of(s));
    return result;
}

static int info_size(struct session *s, size_t *size)
{
    return s ? CALL(s, nvJitLinkGetInfoLogSize, size_fn, s->theirs, size) : NULL_INPUT;
}

static int info_log(struct session *s, char *to)
{
    return s ? CALL(s, nvJitLinkGetInfoLog, text_fn, s->theirs, to) : NULL_INPUT;
}

/* ---- of every copy ---- */

PX_VENDOR_EACH(nvJitLinkCreate, (void **handle, uint32_t count, const char **options),
               create(copy, handle, count, options))
PX_VENDOR_EACH(nvJitLinkDestroy, (void **handle), destroy(handle))
PX_VENDOR_EACH(nvJitLinkAddData, (void *s, int type, const void *data, size_t size, const char *name),
               add_data(s, type, data, size, name))
PX_VENDOR_EACH(nvJitLinkAddFile, (void *s, int type, const char *path), add_file(s, type, path))
PX_VENDOR_EACH(nvJitLinkComplete, (void *s), complete(s))
PX_VENDOR_EACH(nvJitLinkGetLinkedCubinSize, (void *s, size_t *size), cubin_size(s, size))
PX_VENDOR_EACH(nvJitLinkGetLinkedCubin, (void *s, void *to), cubin(s, to))
PX_VENDOR_EACH(nvJitLinkGetLinkedPtxSize, (void *s, size_t *size), ptx_size(s, size))
PX_VENDOR_EACH(nvJitLinkGetLinkedPtx, (void *s, char *to), ptx(s, to))
PX_VENDOR_EACH(nvJitLinkGetErrorLogSize, (void *s, size_t *size), error_size(s, size))
PX_VENDOR_EACH(nvJitLinkGetErrorLog, (void *s, char *to), error_log(s, to))
PX_VENDOR_EACH(nvJitLinkGetInfoLogSize, (void *s, size_t *size), info_size(s, size))
PX_VENDOR_EACH(nvJitLinkGetInfoLog, (void *s, char *to), info_log(s, to))
