/*
 * parts.h - whole numbers side by side in 32 bits: four of 8 or two of 16 (PTX ISA 9.7.1 and 9.7.7, packed
 * integer types), and products without carries.
 *
 * `top` has the highest bit of each part set: PX_TOP8 or PX_TOP16. All parts are done at once.
 */
#ifndef PX_OPS_PARTS_H
#define PX_OPS_PARTS_H

#include <stdint.h>

#define PX_TOP8 0x80808080u
#define PX_TOP16 0x80008000u

/* Parts whose highest bit is set in `tops`, as ones. */
static inline uint32_t px_parts_mask(uint32_t tops, uint32_t top)
{
    return (tops << 1) - (tops >> (top == PX_TOP8 ? 7 : 15));
}
static inline uint32_t px_parts_choose(uint32_t mask, uint32_t yes, uint32_t no)
{
    return (mask & yes) | (~mask & no);
}
static inline uint32_t px_add_parts(uint32_t a, uint32_t b, uint32_t top)
{
    return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}
static inline uint32_t px_sub_parts(uint32_t a, uint32_t b, uint32_t top)
{
    return ((a | top) - (b & ~top)) ^ ((a ^ ~b) & top);
}

/* ---- clamped ---- */

static inline uint32_t px_add_sat_u(uint32_t a, uint32_t b, uint32_t top)
{
    const uint32_t s = px_add_parts(a, b, top), carries = ((a & b) | ((a | b) & ~s)) & top;
    return s | px_parts_mask(carries, top);
}
static inline uint32_t px_less_parts(uint32_t a, uint32_t b, uint32_t top)
{
    const uint32_t d = px_sub_parts(a, b, top);
    return px_parts_mask(((~a & b) | (~(a ^ b) & d)) & top, top);
}
static inline uint32_t px_sub_sat_u(uint32_t a, uint32_t b, uint32_t top)
{
    return px_sub_parts(a, b, top) & ~px_less_parts(a, b, top);
}
/* The largest number of the sign of a. */
static inline uint32_t px_parts_bound(uint32_t a, uint32_t top)
{
    return ~top ^ px_parts_mask(a & top, top);
}
static inline uint32_t px_add_sat_s(uint32_t a, uint32_t b, uint32_t top)
{
    const uint32_t s = px_add_parts(a, b, top), over = ~(a ^ b) & (a ^ s) & top;
    return px_parts_choose(px_parts_mask(over, top), px_parts_bound(a, top), s);
}
static inline uint32_t px_sub_sat_s(uint32_t a, uint32_t b, uint32_t top)
{
    const uint32_t d = px_sub_parts(a, b, top), over = (a ^ b) & (a ^ d) & top;
    return px_parts_choose(px_parts_mask(over, top), px_parts_bound(a, top), d);
}
static inline uint32_t px_add_sat_u32(uint32_t a, uint32_t b)
{
    const uint32_t s = a + b;
    return s < a ? UINT32_MAX : s;
}

/* ---- order: parts are ones where it holds ---- */

static inline uint32_t px_lt_u(uint32_t a, uint32_t b, uint32_t top)
{
    return px_less_parts(a, b, top);
}
static inline uint32_t px_lt_s(uint32_t a, uint32_t b, uint32_t top)
{
    return px_less_parts(a ^ top, b ^ top, top);
}
static inline uint32_t px_eq_parts(uint32_t a, uint32_t b, uint32_t top)
{
    const uint32_t x = a ^ b;
    return px_parts_mask(~(((x & ~top) + ~top) | x) & top, top);
}
static inline uint32_t px_min_u8x4(uint32_t a, uint32_t b)
{
    return px_parts_choose(px_lt_u(a, b, PX_TOP8), a, b);
}
static inline uint32_t px_max_u8x4(uint32_t a, uint32_t b)
{
    return px_parts_choose(px_lt_u(a, b, PX_TOP8), b, a);
}
static inline uint32_t px_relu_s8x4(uint32_t a, int relu)
{
    return relu ? a & ~px_parts_mask(a & PX_TOP8, PX_TOP8) : a;
}
static inline uint32_t px_min_s8x4(uint32_t a, uint32_t b, int relu)
{
    return px_relu_s8x4(px_parts_choose(px_lt_s(a, b, PX_TOP8), a, b), relu);
}
static inline uint32_t px_max_s8x4(uint32_t a, uint32_t b, int relu)
{
    return px_relu_s8x4(px_parts_choose(px_lt_s(a, b, PX_TOP8), b, a), relu);
}

/* ---- the product of polynomials over GF(2) ---- */

static inline uint64_t px_clmul_lo(uint64_t a, uint64_t b)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 64; i++) r ^= (0 - (b >> i & 1)) & a << i;
    return r;
}
static inline uint64_t px_clmul_hi(uint64_t a, uint64_t b)
{
    uint64_t r = 0;
    for (unsigned i = 1; i < 64; i++) r ^= (0 - (b >> i & 1)) & a >> (64 - i);
    return r;
}

#endif
