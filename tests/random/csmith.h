/* csmith.h - what a program made by csmith(1) needs, on the host and as device code; found before the
 * package's own.
 *
 * Arithmetic comes from the package (safe_math.h). Instead of printing a checksum the program hands it to
 * take(). PLACE is __device__ where functions and variables need the word, and empty elsewhere. */
#ifndef PTXVM_TESTS_RANDOM_CSMITH_H
#define PTXVM_TESTS_RANDOM_CSMITH_H

#include <float.h>
#include <limits.h>
#include <stdint.h>

#define STATIC static PLACE
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name) (safe_##name)
#define fabs __builtin_fabs
#define fabsf __builtin_fabsf
#include <csmith/safe_math.h>

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    PLACE void
    take(uint32_t checksum);

static PLACE uint32_t crc32_context = 2166136261u;

static PLACE void platform_main_begin(void) {}
static PLACE void crc32_gentab(void) {}

/* FNV-1a over the bytes of a variable. */
static PLACE void transparent_crc(uint64_t value, const char *name, int flag)
{
    (void)name;
    (void)flag;
    for (int i = 0; i < 8; i++) crc32_context = (crc32_context ^ (uint8_t)(value >> 8 * i)) * 16777619u;
}

static PLACE void platform_main_end(uint32_t checksum, int flag)
{
    (void)flag;
    take(checksum);
}

/* Called with flag 0 only, so never. */
#define printf(...) ((void)0)

#endif
