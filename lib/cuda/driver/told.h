/*
 * told.h - the arguments of a call in words, for the report of calls that failed (failed.c).
 *
 * PX_TOLD(argument) adds one by its type; told.awk lists the arguments of each function. The driver's are
 * called a, b, c, and stand without names.
 */
#ifndef PX_CUDA_DRIVER_TOLD_H
#define PX_CUDA_DRIVER_TOLD_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

struct px_told {
    char text[400];
    size_t used;
};

__attribute__((format(printf, 3, 4), unused)) static void px_told_add(struct px_told *to, const char *name,
                                                                      const char *format, ...)
{
    va_list args;
    const size_t room = sizeof to->text - to->used;
    int n = snprintf(to->text + to->used, room, "%s%s%s", to->used ? ", " : "", name[1] ? name : "",
                     name[1] ? "=" : "");
    if (n < 0 || (size_t)n >= room) return;
    va_start(args, format);
    const int more = vsnprintf(to->text + to->used + n, room - (size_t)n, format, args);
    va_end(args);
    to->used += (size_t)n + (more > 0 ? (size_t)more : 0);
    if (to->used >= sizeof to->text) to->used = sizeof to->text - 1;
}

#define PX_TOLD_AS(word, type, ...)                                                                          \
    __attribute__((unused)) static void px_told_##word(struct px_told *to, const char *name, type value)     \
    {                                                                                                        \
        px_told_add(to, name, __VA_ARGS__);                                                                  \
    }
#define PX_TOLD_ADDRESS(value)                                                                               \
    "%s%.*llx", (value) ? "0x" : "NULL", (value) ? 1 : 0, (unsigned long long)(uintptr_t)(value)
PX_TOLD_AS(int, int, "%d", value)
PX_TOLD_AS(unsigned, unsigned, "%u", value)
PX_TOLD_AS(size, size_t, "%zu", value)
PX_TOLD_AS(bits, unsigned long long, "0x%llx", value)
PX_TOLD_AS(float, double, "%g", value)
PX_TOLD_AS(location, CUmemLocation, "{type %d, id %d}", (int)value.type, value.id)
PX_TOLD_AS(pointer, const volatile void *, PX_TOLD_ADDRESS(value))
PX_TOLD_AS(host_function, CUhostFn, PX_TOLD_ADDRESS(value))
PX_TOLD_AS(stream_function, CUstreamCallback, PX_TOLD_ADDRESS(value))
PX_TOLD_AS(async_function, CUasyncCallback, PX_TOLD_ADDRESS(value))
PX_TOLD_AS(size_function, CUoccupancyB2DSize, PX_TOLD_ADDRESS(value))
PX_TOLD_AS(logs_function, CUlogsCallback, PX_TOLD_ADDRESS(value))
/* 64 bytes that mean nothing to a reader. */
PX_TOLD_AS(memory_handle, CUipcMemHandle, "{%x...}", ((void)value, 0u))
PX_TOLD_AS(event_handle, CUipcEventHandle, "{%x...}", ((void)value, 0u))

/* A text of the caller's, which may be no address at all: the kernel reads it. */
__attribute__((unused)) static void px_told_text(struct px_told *to, const char *name, const char *value)
{
    char text[81] = "";
    struct iovec own = {text, sizeof text - 1};
    /* Up to the end of a page: what is behind it may not be there. */
    const size_t rest = 4096 - ((uintptr_t)value & 4095);
    struct iovec theirs = {(void *)(uintptr_t)value, rest < own.iov_len ? rest : own.iov_len};
    if (!value || process_vm_readv(getpid(), &own, 1, &theirs, 1, 0) <= 0) {
        px_told_pointer(to, name, value);
        return;
    }
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == '"') *c = '?';
    px_told_add(to, name, "\"%s\"", text);
}

#ifdef PX_CUDA_RUNTIME_ABI_H
PX_TOLD_AS(dim3, dim3, "%ux%ux%u", value.x, value.y, value.z)
PX_TOLD_AS(extent, struct cudaExtent, "%zux%zux%zu", value.width, value.height, value.depth)
PX_TOLD_AS(pitched, struct cudaPitchedPtr, "{0x%llx, pitch %zu}", (unsigned long long)(uintptr_t)value.ptr,
           value.pitch)
#define PX_TOLD_RUNTIME                                                                                      \
    dim3:                                                                                                    \
    px_told_dim3, struct cudaExtent : px_told_extent, struct cudaPitchedPtr : px_told_pitched,
#else
#define PX_TOLD_RUNTIME
#endif

/* clang-format off */
#define PX_TOLD(argument)                                                                                    \
    _Generic((argument), PX_TOLD_RUNTIME                                                                     \
        char: px_told_int, signed char: px_told_int, unsigned char: px_told_unsigned, short: px_told_int,    \
        unsigned short: px_told_unsigned, int: px_told_int, unsigned: px_told_unsigned, long: px_told_int,   \
        unsigned long: px_told_size, unsigned long long: px_told_bits, float: px_told_float,                 \
        double: px_told_float, CUmemLocation: px_told_location, CUhostFn: px_told_host_function,             \
        CUstreamCallback: px_told_stream_function, CUasyncCallback: px_told_async_function,                  \
        CUoccupancyB2DSize: px_told_size_function, CUlogsCallback: px_told_logs_function,                    \
        CUipcMemHandle: px_told_memory_handle,                        \
        CUipcEventHandle: px_told_event_handle, char *: px_told_pointer, const char *: px_told_text,         \
        default: px_told_pointer)(&told, #argument, argument);
/* clang-format on */

#endif
