/*
 * bits.h - the bits of floating-point numbers, and the numbers that have them.
 */
#ifndef PX_BASE_BITS_H
#define PX_BASE_BITS_H

#include <stdint.h>
#include <string.h>

/* Loops over rows must see through every call, or they are not vectorised. */
#define PX_BIT_CAST(name, to, from)                                                                          \
    static inline __attribute__((always_inline)) to name(from x)                                             \
    {                                                                                                        \
        to y;                                                                                                \
        memcpy(&y, &x, sizeof y);                                                                            \
        return y;                                                                                            \
    }
PX_BIT_CAST(px_bits_f32, uint32_t, float)
PX_BIT_CAST(px_float_b32, float, uint32_t)
PX_BIT_CAST(px_bits_f64, uint64_t, double)
PX_BIT_CAST(px_float_b64, double, uint64_t)

#endif
