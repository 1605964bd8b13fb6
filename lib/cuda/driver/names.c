/*
 * names.c - the exports of libcuda.so.1 made from cuda.def, and cuGetProcAddress.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "cuda/driver/array.h"
#include "cuda/driver/copy.h"
#include "cuda/driver/graph.h"
#include "cuda/driver/image.h"
#include "cuda/driver/linker.h"
#include "cuda/driver/old.h"
#include "cuda/driver/value.h"
#include "cuda/driver/texture.h"

/* ---- other spellings, and what is not served ---- */

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)
#define EXPORT __attribute__((visibility("default")))

#define CU(name, since, symbol, parameters)
#define VIA(name, since, symbol, parameters, call)                                                           \
    CUresult symbol parameters                                                                               \
    {                                                                                                        \
        return call;                                                                                         \
    }
#define NO(name, since, symbol)                                                                              \
    EXPORT CUresult symbol(void);                                                                            \
    CUresult symbol(void)                                                                                    \
    {                                                                                                        \
        return px_cu_unsupported(#symbol);                                                                   \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* older spellings take what has no meaning any more */
#include "cuda/driver/cuda.def"
#pragma GCC diagnostic pop
#undef CU
#undef VIA
#undef NO

/* ---- names and versions ---- */

typedef void (*any_function)(void);

struct entry {
    const char *name;
    int since;
    const char *symbol;
    any_function function;
};

static const struct entry entries[] = {
#define CU(name, since, symbol, parameters) {#name, since, #symbol, (any_function)symbol},
#define VIA(name, since, symbol, parameters, call) {#name, since, #symbol, (any_function)symbol},
#define NO(name, since, symbol) {#name, since, #symbol, (any_function)symbol},
#include "cuda/driver/cuda.def"
#undef CU
#undef VIA
#undef NO
};

static bool is_own(const struct entry *e)
{
    const size_t n = strlen(e->symbol);
    return n > 5 && (strcmp(e->symbol + n - 5, "_ptsz") == 0 || strcmp(e->symbol + n - 5, "_ptds") == 0);
}

/* The newest that is no newer than `version`. A name that has spellings for the thread's own stream is looked
 * for among those alone, when they are asked for. *known: there is the name in some version. */
static const struct entry *find(const char *name, int version, bool own, bool *known)
{
    const struct entry *best = NULL;
    bool has_own = false;
    *known = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *e = &entries[i];
        if (strcmp(e->name, name) != 0) continue;
        *known = true;
        if (is_own(e) && !own) continue;
        if (is_own(e) && !has_own) {
            has_own = true;
            best = NULL;
        }
        if (e->since > version || is_own(e) != has_own) continue;
        if (!best || e->since > best->since) best = e;
    }
    return best;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    const cuuint64_t both = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    bool known;
    if (!name || !function || flags & ~both) return CUDA_ERROR_INVALID_VALUE;
    const struct entry *e =
        find(name, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &known);
    *function = e ? (void *)(uintptr_t)e->function : NULL;
    if (status)
        *status = e       ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS; /* who wants to know why there is none asks for the status */
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    PX_CU_TRY(cuGetProcAddress_v2(name, function, version, flags, NULL));
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* ---- tables ---- */

/* The file that an address is in. */
static const char *file_of(const void *address)
{
    Dl_info where;
    const bool known = dladdr(address, &where) && where.dli_fname;
    const char *slash = known ? strrchr(where.dli_fname, '/') : NULL;
    return slash ? slash + 1 : known ? where.dli_fname : "the program";
}

/* A library of NVIDIA's that goes on without the table, or says that it cannot. */
static void tell_asked(const void *caller)
{
    char line[200];
    snprintf(line, sizeof line, "a private table of NVIDIA's driver, which %s asks for,", file_of(caller));
    px_cu_unsupported(line);
}

static const struct px_cu_tools tools = {
    .size = sizeof tools,
    .unsupported = px_cu_unsupported,
    .image = px_cu_image_seen,
    .linker_new = px_cu_linker_new,
    .linker_add = px_cu_linker_add,
    .linker_image = px_cu_linker_image,
    .linker_log = px_cu_linker_log,
    .linker_free = px_cu_linker_free,
    .linker_lto = px_cu_linker_lto,
    .calling = px_cu_calling,
    .asked = tell_asked,
};

/* NVIDIA's compilers ask for a table that they can do without. A library that speaks to the driver itself
 * (cuFFT) says what it cannot do. Anybody else is a runtime that was linked in and could not be replaced, and
 * will fail: the report tells so. It asks before it initialises. */
static void tell_caller(const void *caller)
{
    char line[200];
    const char *name = file_of(caller);
    if (strncmp(name, "libnv", 5) == 0) return;
    cuInit(0);
    if (strncmp(name, "libcufft", 8) == 0) {
        tell_asked(caller);
        return;
    }
    snprintf(line, sizeof line, "the runtime that is linked into %s", name);
    px_cu_unsupported(line);
}

/* The tables of NVIDIA's own libraries are none of ours. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static const CUuuid own = PX_CU_TOOLS_ID;
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = memcmp(id, &own, sizeof own) == 0 ? &tools : NULL;
    if (*table) return CUDA_SUCCESS;
    tell_caller(__builtin_return_address(0));
    return CUDA_ERROR_NOT_FOUND;
}
