/*
 * mma_number.h - elements of packed rows, and what a floating-point one says: shared by the exact and the
 * vector code.
 */
#ifndef PX_OPS_MMA_NUMBER_H
#define PX_OPS_MMA_NUMBER_H

#include <string.h>
#include "ops/mma.h"

/* Bits of element i of a packed row of at most 32 bits each. */
static inline uint32_t px_mma_element(const void *row, uint32_t bits, uint32_t i)
{
    uint32_t word;
    memcpy(&word, (const uint8_t *)row + i * bits / 32 * 4, 4);
    return bits == 32 ? word : word >> i * bits % 32 & ((1u << bits) - 1);
}

static inline int32_t px_mma_integer(enum px_mma_type type, uint32_t v)
{
    return type == PX_MMA_S8 ? (int8_t)v : type == PX_MMA_S4 ? (int32_t)(v ^ 8) - 8 : (int32_t)v;
}

/* e4m3 as f16, where each has its normal exponent. */
static inline uint32_t px_mma_f16_of_e4m3(uint32_t v)
{
    uint32_t sign = (v & 0x80) << 8, m = v & 7;
    if ((v & 0x7f) == 0x7f) return sign | 0x7fff;
    if (v & 0x78) return sign | (((v & 0x7f) << 7) + (8 << 10));
    if (!m) return sign;
    uint32_t top = m >> 2 ? 2 : m >> 1; /* m * 2^-9 */
    return sign | (6 + top) << 10 | (m << (10 - top) & 0x3ff);
}

/* The format in which an element takes part, and its bits there. */
static inline uint32_t px_mma_widened(enum px_mma_type *type, uint32_t v)
{
    if (*type == PX_MMA_E4M3) return *type = PX_MMA_F16, px_mma_f16_of_e4m3(v);
    if (*type == PX_MMA_E5M2) return *type = PX_MMA_F16, v << 8;
    return *type == PX_MMA_TF32 ? v >> 13 : v;
}

/* Bits of the fraction, and of the exponent. */
static inline uint32_t px_mma_fraction(enum px_mma_type type)
{
    return type == PX_MMA_BF16 ? 7 : type == PX_MMA_F32 ? 23 : 10;
}
static inline uint32_t px_mma_exponent(enum px_mma_type type)
{
    return type == PX_MMA_F16 ? 5 : 8;
}

/* f16 and f32 into each other, to nearest even; NaNs become canonical. */
static inline float px_mma_f32_of_f16(uint32_t h)
{
    uint32_t m = h & 0x7fff, bits;
    float f = (float)(int32_t)m * 0x1p-24f;
    memcpy(&bits, &f, 4);
    bits = m > 0x7c00 ? 0x7fffffff : m == 0x7c00 ? 0x7f800000 : m >= 0x400 ? (m << 13) + (112u << 23) : bits;
    bits |= (h & 0x8000) << 16;
    memcpy(&f, &bits, 4);
    return f;
}
static inline uint32_t px_mma_f16_of_f32(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff, m = (magnitude & 0x7fffff) | 0x800000;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x47800000) return sign | 0x7c00;
    if (magnitude < 0x33000000) return sign;
    uint32_t e = magnitude >> 23, sub = e < 113, down = sub ? 126 - e : 13;
    uint32_t q = m >> down, rest = m & ((1u << down) - 1), tie = 1u << (down - 1);
    q += rest > tie || (rest == tie && (q & 1));
    return sign | (sub ? q : ((e - 113) << 10) + q);
}

/* Bits of a sum that are kept behind its largest exponent, unless the product says otherwise. */
enum { PX_MMA_KEPT = 25, PX_MMA_F16_LAST = -46 };
static inline int32_t px_mma_kept(const struct px_mma *op)
{
    return op->kept ? op->kept : PX_MMA_KEPT;
}
/* Bits of an f32 result that has at most `kept` of its fraction. */
static inline uint32_t px_mma_mask(int32_t kept)
{
    return kept < 23 ? ~0u << (23 - kept) : ~0u;
}
/* The least exponent that a step aligns to. */
static inline int32_t px_mma_least(const struct px_mma *op)
{
    return op->flags & PX_MMA_FLOOR && op->d == PX_MMA_F16 ? PX_MMA_F16_LAST + px_mma_kept(op) : -512;
}
/* Exponent of the least normal e4m3. */
enum { PX_MMA_E4M3_LEAST = -6 };
/* Exponent of zero: so small that it decides nothing. */
enum { PX_MMA_NOTHING = -0x100000 };

#endif
