/* sweep.h - the inputs and the checksum that the recorder (CUDA C++) and the checker (C) share.
 *
 * A sweep walks a 32-bit index.  For a one-operand f32 unit the index is the operand; for a
 * 64-bit unit it is the upper word, and the lower word is a hash of it; for a division it names
 * a pseudo-random pair.  The 16-bit units walk 2^16 indices.  Either way the index space is cut
 * into 512 equal groups: for f32 a group is one sign and exponent.
 *
 * A group's checksum is the sum over its indices of sweep_mix(index, result), so it does not
 * depend on the order of evaluation.  The quick sweep takes one index out of every 256.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdint.h>

#ifdef __CUDACC__
#define SWEEP_FN static inline __host__ __device__
#else
#define SWEEP_FN static inline
#endif

#define SWEEP_GROUPS 512

SWEEP_FN uint64_t sweep_mix(uint32_t index, uint64_t out)
{
    uint64_t h = (index * 0x9E3779B97F4A7C15ull) ^ (out * 0xC2B2AE3D27D4EB4Full);
    h ^= h >> 32;
    h *= 0x165667B19E3779F9ull;
    return h ^ (h >> 29);
}

SWEEP_FN uint32_t sweep_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

/* The k-th index of the quick sweep, k < 2^24. */
SWEEP_FN uint32_t sweep_quick(uint32_t k)
{
    return (k << 8) | (sweep_hash(k) & 255u);
}

SWEEP_FN uint32_t sweep_special(uint32_t h)
{
    uint32_t magnitude = 0x00000000u; /* 0 */
    switch (h & 7u) {
    case 1: magnitude = 0x00000001u; break; /* least subnormal */
    case 2: magnitude = 0x007FFFFFu; break; /* greatest subnormal */
    case 3: magnitude = 0x00800000u; break; /* least normal */
    case 4: magnitude = 0x7F7FFFFFu; break; /* greatest finite */
    case 5: magnitude = 0x7F800000u; break; /* infinity */
    case 6: magnitude = 0x7FC00001u; break; /* a NaN */
    case 7: magnitude = 0x3F800000u; break; /* 1 */
    default: break;
    }
    return magnitude | ((h & 8u) << 28);
}

/* Divisor: sign and exponent are the group's, so every group sees one divisor exponent. */
SWEEP_FN uint32_t sweep_divisor(uint32_t index)
{
    uint32_t keep = (index & 0x70u) ? 0x007FFFFFu : 0x007C0000u; /* some with short fractions */
    return (index & 0xFF800000u) | (sweep_hash(index ^ 0x5BD1E995u) & keep);
}

/* Dividend: by the low bits of the index a special, one near the divisor, one whose quotient
 * lies near the subnormal or the overflow border, or any bit pattern. */
SWEEP_FN uint32_t sweep_dividend(uint32_t index)
{
    uint32_t h = sweep_hash(index + 0x9E3779B9u);
    int exponent = (int)((index >> 23) & 255u);
    switch (index & 7u) {
    case 0: return sweep_special(h);
    case 1: exponent += (int)((h >> 23) & 7u) - 3; break;
    case 2: exponent += (int)((h >> 23) & 31u) - 126 - 25; break;
    case 3: exponent += (int)((h >> 23) & 3u) + 126; break;
    default: return h;
    }
    exponent = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
    return (h & 0x807FFFFFu) | ((uint32_t)exponent << 23);
}

SWEEP_FN uint64_t sweep_f64(uint32_t index)
{
    return ((uint64_t)index << 32) | sweep_hash(index);
}

#endif
