/*
 * level.c - which of the handler levels this machine runs.
 *
 * The functions of approx/levels.h have one level more than the handlers: their speed
 * rests on instructions (VBMI, VNNI) that would do nothing for the others.
 */
#include "gang/record.h"
#include <string.h>
#include "approx/levels.h"
#include "ops/mma.h"

#if defined(__x86_64__) && !defined(PX_ONLY_PORTABLE) /* tests/random/plant.py builds no other level */
#define MORE_LEVELS 1
#else
#define MORE_LEVELS 0
#endif

#if MORE_LEVELS
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
}
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

static const struct px_level *level_at(unsigned i)
{
#if MORE_LEVELS
    if (i == 0) return has_avx512() ? &px_level_avx512 : NULL;
    if (i == 1) return has_avx2() ? &px_level_avx2 : NULL;
#endif
    return i <= 2 ? &px_level_portable : NULL;
}

const struct px_level *px_level_best(void)
{
    for (unsigned i = 0; i < 2; i++)
        if (level_at(i)) return level_at(i);
    return &px_level_portable;
}

const struct px_level *px_level_named(const char *name)
{
    for (unsigned i = 0; i < 3; i++) {
        const struct px_level *l = level_at(i);
        if (l && !strcmp(l->name, name)) return l;
    }
    return NULL;
}

const struct px_units *px_level_units(const struct px_level *level)
{
#if MORE_LEVELS
    bool more = __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    if (level == &px_level_avx512) return more ? &px_units_avx512vbmi : &px_units_avx512;
    if (level == &px_level_avx2) return &px_units_avx2;
#endif
    (void)level;
    return &px_units_portable;
}

px_mma_function *px_level_product(const struct px_level *level)
{
#if MORE_LEVELS
    if (level == &px_level_avx512) return px_mma_product_avx512;
    if (level == &px_level_avx2) return px_mma_product_avx2;
#endif
    (void)level;
    return px_mma_product_portable;
}
