/*
 * exports.c - the functions that programs call, made of the rows of runtime.def.
 *
 * Each gives the thread a context where the row asks for one, works out the row's expression, keeps an error
 * as the thread's last one, and tells the report of it with the arguments and who called.
 */
#define _GNU_SOURCE
#include "cuda/runtime/rt.h"
#include "cuda/driver/told.h"
#include "gen/cudart_told.h"

/* Which rows are of this release. */
#define IN_ALL(...) __VA_ARGS__
#define NOT_IN(...)
#if RT_RELEASE == 11
#define IN_R11(...) __VA_ARGS__
#define IN_R11_12(...) __VA_ARGS__
#define IN_R12 NOT_IN
#define IN_R12_13 NOT_IN
#define IN_R13 NOT_IN
#elif RT_RELEASE == 12
#define IN_R11 NOT_IN
#define IN_R11_12(...) __VA_ARGS__
#define IN_R12(...) __VA_ARGS__
#define IN_R12_13(...) __VA_ARGS__
#define IN_R13 NOT_IN
#elif RT_RELEASE == 13
#define IN_R11 NOT_IN
#define IN_R11_12 NOT_IN
#define IN_R12 NOT_IN
#define IN_R12_13(...) __VA_ARGS__
#define IN_R13(...) __VA_ARGS__
#else
#error RT_RELEASE must be 11, 12 or 13
#endif

#define ON(stream) ((stream) ? (stream) : own)
#define FIRST(a, b) (__extension__((cudaError_t)(a) ?: (cudaError_t)(b)))

#define FUNCTION(name, default_stream, words, params, ...)                                                   \
    RT_PUBLIC cudaError_t name params;                                                                       \
    RT_PUBLIC cudaError_t name params                                                                        \
    {                                                                                                        \
        const CUstream own = default_stream;                                                                 \
        (void)own;                                                                                           \
        const cudaError_t error_ = px_rt_end((cudaError_t)(__VA_ARGS__));                                    \
        if (error_ == cudaSuccess) return error_;                                                            \
        struct px_told told = {.used = 0};                                                                   \
        const char *shadow_ = NULL;                                                                          \
        words px_rt_failed(__func__, error_, told.text, shadow_, __builtin_return_address(0));               \
        return error_;                                                                                       \
    }
#define TWIN_ONE(name, words, params, ...) FUNCTION(name, NULL, words, params, __VA_ARGS__)
#define TWIN_PTSZ(name, words, params, ...)                                                                  \
    FUNCTION(name, NULL, words, params, __VA_ARGS__)                                                         \
    FUNCTION(name##_ptsz, CU_STREAM_PER_THREAD, words, params, __VA_ARGS__)
#define TWIN_PTDS(name, words, params, ...)                                                                  \
    FUNCTION(name, NULL, words, params, __VA_ARGS__)                                                         \
    FUNCTION(name##_ptds, CU_STREAM_PER_THREAD, words, params, __VA_ARGS__)

/* The shadow of a kernel or a variable, by its name. */
#define PX_TOLD_SHADOW(argument)                                                                             \
    shadow_ = px_rt_shadow(argument);                                                                        \
    if (shadow_)                                                                                             \
        px_told_add(&told, #argument, "%s", shadow_);                                                        \
    else                                                                                                     \
        PX_TOLD(argument)

#define HAND(in, name)
#define CALL(in, twin, name, params, ...)                                                                    \
    IN_##in(TWIN_##twin(name, PX_TELL_##in##_##name, params, FIRST(px_rt_ready(), (__VA_ARGS__))))
#define FREE(in, twin, name, params, ...)                                                                    \
    IN_##in(TWIN_##twin(name, PX_TELL_##in##_##name, params, __VA_ARGS__))
#define NONE(in, twin, name) IN_##in(TWIN_##twin(name, , (void), px_rt_unsupported(__func__)))

#include "cuda/runtime/runtime.def"
