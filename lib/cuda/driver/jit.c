/*
 * jit.c - the options of a load (CU_JIT_*), and the two logs that go with them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "cuda/driver/failed.h"
#include "cuda/driver/image.h"

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* What a chip's compiler is told about registers, optimisation, caches and debugging has no meaning here: any
 * kernel has all the registers it names, and lines are always known. */
static CUresult take(struct px_cu_jit *jit, CUjit_option name, void **value)
{
    switch (name) {
    case CU_JIT_WALL_TIME: jit->wall = (float *)value; break;
    case CU_JIT_INFO_LOG_BUFFER: jit->info = *value; break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        jit->info_room = (unsigned)(uintptr_t)*value;
        jit->info_size = value;
        break;
    case CU_JIT_ERROR_LOG_BUFFER: jit->error = *value; break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        jit->error_room = (unsigned)(uintptr_t)*value;
        jit->error_size = value;
        break;
    case CU_JIT_LOG_VERBOSE: jit->verbose = *value != NULL; break;
    case CU_JIT_FMA: jit->fmad = *value ? PTX_FMAD_ON : PTX_FMAD_OFF; break;
    case CU_JIT_GLOBAL_SYMBOL_NAMES: jit->symbols = *value; break;
    case CU_JIT_GLOBAL_SYMBOL_ADDRESSES: jit->addresses = *value; break;
    case CU_JIT_GLOBAL_SYMBOL_COUNT: jit->symbol_count = (unsigned)(uintptr_t)*value; break;
    default: return (unsigned)name < CU_JIT_NUM_OPTIONS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult px_cu_jit_read(struct px_cu_jit *jit, unsigned count, const CUjit_option *names, void **values)
{
    *jit = (struct px_cu_jit){.fmad = px_cu_settings()->fmad, .begun = count ? milliseconds() : 0};
    if (count && (!names || !values)) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) PX_CU_TRY(take(jit, names[i], &values[i]));
    if (jit->symbol_count) return px_cu_unsupported("CU_JIT_GLOBAL_SYMBOL_NAMES");
    if (jit->info && jit->info_room) *jit->info = 0;
    if (jit->error && jit->error_room) *jit->error = 0;
    return CUDA_SUCCESS;
}

void px_cu_jit_end(struct px_cu_jit *jit)
{
    if (jit->info_size) *jit->info_size = (void *)(uintptr_t)jit->info_used;
    if (jit->error_size) *jit->error_size = (void *)(uintptr_t)jit->error_used;
    if (jit->wall) *jit->wall = (float)(milliseconds() - jit->begun);
}

void px_cu_jit_say(struct px_cu_jit *jit, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    px_cu_failed_why(line);
    if (!jit->error) px_cu_say("%s", line);
    if (!jit->error || jit->error_used + 1 >= jit->error_room) return;
    const size_t room = jit->error_room - jit->error_used;
    const int wrote = snprintf(jit->error + jit->error_used, room, "%s\n", line);
    jit->error_used += wrote < 0 ? 0 : (size_t)wrote < room ? (size_t)wrote : room - 1;
}
