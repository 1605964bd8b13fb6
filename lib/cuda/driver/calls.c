/*
 * calls.c - the functions that libcuda.so.1 exports, made of the rows of cuda.def, and cuGetProcAddress.
 *
 * Each calls the function of its name inside (api.h), and tells failed.c of an answer that is an error: with
 * the arguments and who called. The driver's own files call each other inside, so that one call of a program
 * is one error.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "cuda/driver/api.h"
#include "cuda/driver/failed.h"
#include "cuda/driver/told.h"
#include "gen/cuda_told.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- what is inside ---- */

#define CU(name, since, symbol, parameters) CUresult px_in_##symbol parameters __asm__("px_in_" #symbol);
#define VIA(name, since, symbol, parameters, call) CU(name, since, symbol, parameters)
#define NO(name, since, symbol) EXPORT CUresult symbol(void);
#include "cuda/driver/cuda.def"
#undef CU
#undef VIA
#undef NO

/* ---- what programs call ---- */

#define FAILED(symbol, result, words)                                                                        \
    px_cu_failed(&(struct px_cu_failure){.function = #symbol,                                                \
                                         .code = (int)(result),                                              \
                                         .arguments = (words),                                               \
                                         .from = __builtin_return_address(0)})

#define CU(name, since, symbol, parameters)                                                                  \
    CUresult symbol parameters                                                                               \
    {                                                                                                        \
        const CUresult result = px_in_##symbol(PX_PASS_##symbol);                                            \
        if (result == CUDA_SUCCESS) return result;                                                           \
        struct px_told told = {.used = 0};                                                                   \
        PX_TELL_##symbol FAILED(symbol, result, told.text);                                                  \
        return result;                                                                                       \
    }
#define VIA(name, since, symbol, parameters, call) CU(name, since, symbol, parameters)
#define NO(name, since, symbol)                                                                              \
    CUresult symbol(void)                                                                                    \
    {                                                                                                        \
        const CUresult result = px_cu_unsupported(#symbol);                                                  \
        FAILED(symbol, result, "");                                                                          \
        return result;                                                                                       \
    }
#include "cuda/driver/cuda.def"
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

CUresult px_in_cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
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

CUresult px_in_cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
    const CUresult result = px_in_cuGetProcAddress_v2(name, function, version, flags, NULL);
    if (result != CUDA_SUCCESS) return result;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
