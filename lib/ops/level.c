/*
 * level.c - which of the handler levels this machine runs.
 *
 * The Makefile says with -DPX_HAVE_<level> which levels are built (all that the processor's family has,
 * unless LEVELS= leaves some out to build faster). The functions of approx/levels.h have one level more than
 * the handlers: their speed rests on instructions (VBMI, VNNI) that would do nothing for the others.
 */
#include "gang/record.h"
#include <string.h>
#include "approx/levels.h"
#include "ops/mma.h"
#include "tex/levels.h"

typedef struct built {
    const struct px_level *level;
    const struct px_units *units, *more_units; /* more_units, where the machine can: NULL or faster ones */
    px_mma_function *product;
    const struct px_tex_rows *tex;
    bool (*can)(void);
} built;

#ifdef __x86_64__
#define MAYBE static bool __attribute__((unused)) /* with the levels that are built */
MAYBE has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
}
MAYBE has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd");
}
MAYBE has_more(void)
{
    return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
}
#endif
#ifdef PX_HAVE_portable
static bool always(void)
{
    return true;
}
#endif

/* Best first. */
static const built all[] = {
#ifdef PX_HAVE_avx512
    {&px_level_avx512, &px_units_avx512, &px_units_avx512vbmi, px_mma_product_avx512, &px_tex_rows_avx512,
     has_avx512},
#endif
#ifdef PX_HAVE_avx2
    {&px_level_avx2, &px_units_avx2, NULL, px_mma_product_avx2, &px_tex_rows_avx2, has_avx2},
#endif
#ifdef PX_HAVE_portable
    {&px_level_portable, &px_units_portable, NULL, px_mma_product_portable, &px_tex_rows_portable, always},
#endif
};
enum { N_BUILT = sizeof all / sizeof *all };

static const built *built_of(const struct px_level *level)
{
    for (unsigned i = 0; i < N_BUILT; i++)
        if (all[i].level == level) return &all[i];
    return &all[N_BUILT - 1];
}

const struct px_level *px_level_best(void)
{
    for (unsigned i = 0; i < N_BUILT; i++)
        if (all[i].can()) return all[i].level;
    return all[N_BUILT - 1].level;
}

const struct px_level *px_level_named(const char *name)
{
    for (unsigned i = 0; i < N_BUILT; i++)
        if (all[i].can() && !strcmp(all[i].level->name, name)) return all[i].level;
    return NULL;
}

const struct px_units *px_level_units(const struct px_level *level)
{
    const built *b = built_of(level);
#ifdef __x86_64__
    if (b->more_units && has_more()) return b->more_units;
#endif
    return b->units;
}

px_mma_function *px_level_product(const struct px_level *level)
{
    return built_of(level)->product;
}

const struct px_tex_rows *px_level_tex(const struct px_level *level)
{
    return built_of(level)->tex;
}
