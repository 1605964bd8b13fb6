/*
 * names.c - the rows of cuda.def that are another spelling, and the tables of cuGetExportTable.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "cuda/driver/array.h"
#include "cuda/driver/copy.h"
#include "cuda/driver/failed.h"
#include "cuda/driver/graph.h"
#include "cuda/driver/image.h"
#include "cuda/driver/linker.h"
#include "cuda/driver/old.h"
#include "cuda/driver/value.h"
#include "cuda/driver/texture.h"

/* ---- other spellings ---- */

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)

#define CU(name, since, symbol, parameters)
#define VIA(name, since, symbol, parameters, call)                                                           \
    CUresult symbol parameters                                                                               \
    {                                                                                                        \
        return call;                                                                                         \
    }
#define NO(name, since, symbol)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* older spellings take what has no meaning any more */
#include "cuda/driver/cuda.def"
#pragma GCC diagnostic pop
#undef CU
#undef VIA
#undef NO

/* ---- tables ---- */

/* The file that an address is in. */
static const char *file_of(const void *address)
{
    Dl_info where;
    const bool known = dladdr(address, &where) && where.dli_fname;
    const char *slash = known ? strrchr(where.dli_fname, '/') : NULL;
    return slash ? slash + 1 : known ? where.dli_fname : "the program";
}

/* `before` and `behind` stand around the caller's file. */
static void tell_refused(const char *before, const void *caller, const char *behind)
{
    char line[200];
    snprintf(line, sizeof line, "%s %s%s", before, file_of(caller), behind);
    px_cu_unsupported(line);
    px_cu_failed(&(struct px_cu_failure){.function = "cuGetExportTable",
                                         .code = CUDA_ERROR_NOT_FOUND,
                                         .arguments = "",
                                         .reason = line,
                                         .from = caller});
}

/* A library of NVIDIA's that goes on without the table, or says that it cannot. */
static void tell_asked(const void *caller)
{
    tell_refused("a private table of NVIDIA's driver, which", caller, " asks for,");
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
    .failed = px_cu_failed,
    .failed_asked = px_cu_failed_asked,
};

/* The tables of NVIDIA's own libraries are none of ours. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static const CUuuid own = PX_CU_TOOLS_ID;
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    *table = memcmp(id, &own, sizeof own) == 0 ? &tools : NULL;
    return *table ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* NVIDIA's compilers ask for a table that they can do without. A library that speaks to the driver itself
 * (cuFFT) says what it cannot do. Anybody else is a runtime that was linked in and could not be replaced, and
 * will fail: the report tells so. It asks before it initialises. */
void px_cu_table_refused(const void *caller)
{
    const char *name = file_of(caller);
    if (strncmp(name, "libnv", 5) == 0) return;
    cuInit(0);
    if (strncmp(name, "libcufft", 8) == 0)
        tell_asked(caller);
    else
        tell_refused("the runtime that is linked into", caller, "");
}
