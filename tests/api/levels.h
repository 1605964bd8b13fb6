/*
 * levels.h - a test's device at one SIMD level after the other.
 */
#ifndef API_LEVELS_H
#define API_LEVELS_H

#include "vm/device/device.h"
#include <string.h>

static const char *const level_names[] = {"portable", "avx2", "avx512"};
enum { LEVELS = sizeof level_names / sizeof *level_names };

/* Gives the device the i-th level, unless this machine has it not, or another one is `wanted` (NULL: all);
 * its name, NULL: not this one. */
static inline const char *level_of(ptx_device *at, unsigned i, const char *wanted)
{
    const struct px_level *level = px_level_named(level_names[i]);
    if (!level || (wanted && strcmp(wanted, level_names[i]))) return NULL;
    at->level = level;
    return level_names[i];
}

#endif
