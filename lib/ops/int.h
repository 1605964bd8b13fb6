/*
 * int.h - integer operations of one lane (PTX ISA 9.7.1, 9.7.8), as the
 * statements of the instruction table call them.
 *
 * Written without branches where a vector form exists, because these bodies are
 * inlined into loops over rows. Division never traps: by zero quotient and
 * remainder are all ones, as on the chip; MIN / -1 wraps.
 */
#ifndef PX_OPS_INT_H
#define PX_OPS_INT_H

#include <stdint.h>

#define PX_DIVISION(T, type)                                                                                 \
    static inline type px_div_##T(type a, type b)                                                            \
    {                                                                                                        \
        type z = b == 0, v = (type)(a / (type)(b + z));                                                      \
        return z ? (type)-1 : v;                                                                             \
    }                                                                                                        \
    static inline type px_rem_##T(type a, type b)                                                            \
    {                                                                                                        \
        type z = b == 0, v = (type)(a % (type)(b + z));                                                      \
        return z ? (type)-1 : v;                                                                             \
    }
/* b = -1 is done apart: MIN / -1 would trap on the host. */
#define PX_SIGNED_DIVISION(T, type, utype)                                                                   \
    static inline type px_div_##T(type a, type b)                                                            \
    {                                                                                                        \
        type odd = (b == 0) | (b == -1), v = (type)(a / (type)(odd ? 1 : b));                                \
        return b == 0 ? (type)-1 : b == -1 ? (type)(0 - (utype)a) : v;                                       \
    }                                                                                                        \
    static inline type px_rem_##T(type a, type b)                                                            \
    {                                                                                                        \
        type odd = (b == 0) | (b == -1), v = (type)(a % (type)(odd ? 1 : b));                                \
        return b == 0 ? (type)-1 : b == -1 ? 0 : v;                                                          \
    }
PX_DIVISION(u16, uint16_t)
PX_DIVISION(u32, uint32_t)
PX_DIVISION(u64, uint64_t)
PX_SIGNED_DIVISION(s16, int16_t, uint16_t)
PX_SIGNED_DIVISION(s32, int32_t, uint32_t)
PX_SIGNED_DIVISION(s64, int64_t, uint64_t)

static inline uint64_t px_mulhi_u64(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, mid = ah * bl + (low >> 32), cross = al * bh + (uint32_t)mid;
    return ah * bh + (mid >> 32) + (cross >> 32);
}
static inline int64_t px_mulhi_s64(int64_t a, int64_t b)
{
    uint64_t h = px_mulhi_u64((uint64_t)a, (uint64_t)b);
    h -= a < 0 ? (uint64_t)b : 0;
    h -= b < 0 ? (uint64_t)a : 0;
    return (int64_t)h;
}

/* Where the result's sign is neither operand's (of a difference: b's counts the other way), it passed the
 * end. */
static inline int32_t px_saturated(uint32_t a, uint32_t r, uint32_t passed)
{
    return (int32_t)(passed >> 31 ? (a >> 31) + INT32_MAX : r);
}
static inline int32_t px_add_sat_s32(int32_t a, int32_t b)
{
    const uint32_t r = (uint32_t)a + (uint32_t)b;
    return px_saturated((uint32_t)a, r, ((uint32_t)a ^ r) & ((uint32_t)b ^ r));
}
static inline int32_t px_sub_sat_s32(int32_t a, int32_t b)
{
    const uint32_t r = (uint32_t)a - (uint32_t)b;
    return px_saturated((uint32_t)a, r, ((uint32_t)a ^ (uint32_t)b) & ((uint32_t)a ^ r));
}

/* ---- packed halves ---- */

static inline uint32_t px_min_u16x2(uint32_t a, uint32_t b)
{
    uint32_t al = a & 0xffff, bl = b & 0xffff, ah = a >> 16, bh = b >> 16;
    return (al < bl ? al : bl) | (ah < bh ? ah : bh) << 16;
}
static inline uint32_t px_max_u16x2(uint32_t a, uint32_t b)
{
    uint32_t al = a & 0xffff, bl = b & 0xffff, ah = a >> 16, bh = b >> 16;
    return (al > bl ? al : bl) | (ah > bh ? ah : bh) << 16;
}
static inline uint32_t px_join_s16x2(int32_t low, int32_t high, int relu)
{
    low = relu && low < 0 ? 0 : low;
    high = relu && high < 0 ? 0 : high;
    return ((uint32_t)low & 0xffffu) | (uint32_t)high << 16;
}
static inline uint32_t px_min_s16x2(uint32_t a, uint32_t b, int relu)
{
    int32_t al = (int16_t)a, bl = (int16_t)b, ah = (int32_t)a >> 16, bh = (int32_t)b >> 16;
    return px_join_s16x2(al < bl ? al : bl, ah < bh ? ah : bh, relu);
}
static inline uint32_t px_max_s16x2(uint32_t a, uint32_t b, int relu)
{
    int32_t al = (int16_t)a, bl = (int16_t)b, ah = (int32_t)a >> 16, bh = (int32_t)b >> 16;
    return px_join_s16x2(al > bl ? al : bl, ah > bh ? ah : bh, relu);
}

/* ---- bits ---- */

static inline uint32_t px_brev_b32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(a);
}
static inline uint64_t px_brev_b64(uint64_t a)
{
    a = (a >> 1 & 0x5555555555555555u) | (a & 0x5555555555555555u) << 1;
    a = (a >> 2 & 0x3333333333333333u) | (a & 0x3333333333333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0f0f0f0f0fu) | (a & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(a);
}

static inline uint32_t px_popc_b32(uint32_t a)
{
    return (uint32_t)__builtin_popcount(a);
}
/* Sums of neighbouring bits, pairs, nibbles, bytes: few machines count the bits of vectors. */
static inline uint32_t px_popc_b64(uint64_t a)
{
    a -= a >> 1 & 0x5555555555555555u;
    a = (a & 0x3333333333333333u) + (a >> 2 & 0x3333333333333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    a += a >> 8;
    a += a >> 16;
    return (uint32_t)(a + (a >> 32)) & 0x7f;
}
static inline uint32_t px_clz_b32(uint32_t a)
{
    return a ? (uint32_t)__builtin_clz(a) : 32;
}
static inline uint32_t px_clz_b64(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

/* Position of the most significant bit that is not a sign bit; all ones when there is none. */
static inline uint32_t px_bfind_u64(uint64_t a, int shiftamt)
{
    uint32_t clz = px_clz_b64(a);
    return !a ? 0xffffffffu : shiftamt ? clz : 63 - clz;
}
static inline uint32_t px_bfind_u32(uint32_t a, int shiftamt)
{
    uint32_t clz = px_clz_b32(a);
    return !a ? 0xffffffffu : shiftamt ? clz : 31 - clz;
}
static inline uint32_t px_bfind_s32(int32_t a, int shiftamt)
{
    return px_bfind_u32((uint32_t)(a < 0 ? ~a : a), shiftamt);
}
static inline uint32_t px_bfind_s64(int64_t a, int shiftamt)
{
    return px_bfind_u64((uint64_t)(a < 0 ? ~a : a), shiftamt);
}

/*
 * Find n-th set bit from `base` on: up for offset > 0, down for offset < 0 (PTX ISA 9.7.1, fns). The chip
 * gives 0 for the offset that has no magnitude.
 */
static inline uint32_t px_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == INT32_MIN) return 0;
    int32_t step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : 0xffffffffu;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return (uint32_t)at;
    return 0xffffffffu;
}

/*
 * Bit field extract; beyond the top the sign (or zero) goes on. Position and length count modulo 256 for 32
 * bits; for 64 bits the chip takes all of them, so that 256 is past the end.
 */
#define PX_BFE(width, utype, type)                                                                           \
    static inline utype px_bfe_count_##width(uint32_t n)                                                     \
    {                                                                                                        \
        return width == 64 ? (n < 64 ? n : 64) : n & 255;                                                    \
    }                                                                                                        \
    /* Left until the field's top is the word's, then back; nothing is left of a field past the end. */      \
    static inline utype px_bfe_u##width(utype a, uint32_t pos, uint32_t len)                                 \
    {                                                                                                        \
        const utype p = px_bfe_count_##width(pos), n = px_bfe_count_##width(len);                            \
        const utype left = p + n < width ? width - p - n : 0, right = left + p;                              \
        return (a << (left & (width - 1)) >> (right & (width - 1))) &                                        \
               (0 - (utype)((right < width) & (n > 0)));                                                     \
    }                                                                                                        \
    static inline type px_bfe_s##width(type a, uint32_t pos, uint32_t len)                                   \
    {                                                                                                        \
        const utype p = px_bfe_count_##width(pos), n = px_bfe_count_##width(len);                            \
        const utype left = p + n < width ? width - p - n : 0, right = left + p;                              \
        const type up = (type)((utype)a << (left & (width - 1)));                                            \
        return n ? up >> (right < width ? right : width - 1) : 0;                                            \
    }
PX_BFE(32, uint32_t, int32_t)
PX_BFE(64, uint64_t, int64_t)

static inline int32_t px_clamp_s32(int64_t a)
{
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

/* Sign or zero extension of the low n bits; clamp: n above 31 keeps the value; wrap: n modulo 32. */
static inline uint32_t px_szext_keep(uint32_t a, uint32_t n)
{
    return n >= 32 ? a : a & ((1u << (n & 31)) - 1);
}
static inline uint32_t px_szext_clamp_u32(uint32_t a, uint32_t n)
{
    return px_szext_keep(a, n);
}
static inline uint32_t px_szext_wrap_u32(uint32_t a, uint32_t n)
{
    return px_szext_keep(a, n & 31);
}
static inline int32_t px_szext_clamp_s32(int32_t a, uint32_t n)
{
    uint32_t shift = n >= 32 ? 0 : 32 - n;
    return n == 0 ? 0 : (int32_t)((uint32_t)a << (shift & 31)) >> (shift & 31);
}
static inline int32_t px_szext_wrap_s32(int32_t a, uint32_t n)
{
    return px_szext_clamp_s32(a, n & 31);
}

/* b ones from bit a on. */
static inline uint32_t px_bmsk_clamp(uint32_t a, uint32_t b)
{
    uint32_t ones = b >= 32 ? ~0u : (1u << (b & 31)) - 1;
    return a >= 32 ? 0 : ones << (a & 31);
}
static inline uint32_t px_bmsk_wrap(uint32_t a, uint32_t b)
{
    return ((1u << (b & 31)) - 1) << (a & 31);
}

/* Funnel shifts of hi:lo = b:a. */
static inline uint32_t px_shf_l_wrap(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)b << 32 | a) << (c & 31) >> 32);
}
static inline uint32_t px_shf_r_wrap(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)(((uint64_t)b << 32 | a) >> (c & 31));
}
static inline uint32_t px_shf_l_clamp(uint32_t a, uint32_t b, uint32_t c)
{
    c = c > 32 ? 32 : c;
    return (uint32_t)(((uint64_t)b << 32 | a) << c >> 32);
}
static inline uint32_t px_shf_r_clamp(uint32_t a, uint32_t b, uint32_t c)
{
    c = c > 32 ? 32 : c;
    return (uint32_t)(((uint64_t)b << 32 | a) >> c);
}

/* ---- byte permutation ---- */

/* One byte of a (0..3) and b (4..7) by the low 3 bits of a selector nibble; bit 3 asks for its sign. */
static inline uint32_t px_prmt_byte(uint64_t ab, uint32_t nibble)
{
    uint32_t v = (uint32_t)(ab >> (nibble & 7) * 8) & 0xff;
    uint32_t sign = v & 0x80 ? 0xff : 0;
    return nibble & 8 ? sign : v;
}
static inline uint32_t px_prmt(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t ab = (uint64_t)b << 32 | a;
    return px_prmt_byte(ab, c & 15) | px_prmt_byte(ab, c >> 4 & 15) << 8 |
           px_prmt_byte(ab, c >> 8 & 15) << 16 | px_prmt_byte(ab, c >> 12 & 15) << 24;
}
static inline uint32_t px_prmt_f4e(uint32_t a, uint32_t b, uint32_t c)
{
    return px_shf_r_wrap(a, b, (c & 3) * 8);
}
/* The selectors of these modes: bytes k, k-1, k-2, k-3 modulo 8; i or k, the larger, and the smaller one. */
#define PX_PRMT_B4E(k) ((0x5670 + (k)*0x1111) & 0x7777)
#define PX_PRMT_ECL(k) (0x3210 + ((k | k >> 1) & 1) + (k >> 1) * 0x11 + (k & k >> 1) * 0x111)
#define PX_PRMT_ECR(k) (((k | k >> 1) & 1) * 0x1110 + (k >> 1) * 0x1100 + (k & k >> 1) * 0x1000)
static inline uint32_t px_prmt_b4e(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t k = c & 3;
    return px_prmt(a, b, PX_PRMT_B4E(k));
}
static inline uint32_t px_prmt_ecl(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t k = c & 3;
    (void)b;
    return px_prmt(a, a, PX_PRMT_ECL(k));
}
static inline uint32_t px_prmt_ecr(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t k = c & 3;
    (void)b;
    return px_prmt(a, a, PX_PRMT_ECR(k));
}
static inline uint32_t px_prmt_rc8(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b;
    return (a >> (c & 3) * 8 & 0xff) * 0x01010101u;
}
static inline uint32_t px_prmt_rc16(uint32_t a, uint32_t b, uint32_t c)
{
    (void)b;
    return (c & 1 ? a >> 16 : a & 0xffff) * 0x00010001u;
}

/* ---- dot products ---- */

#define PX_BYTE_u32(x, i) (int32_t)((uint32_t)(x) >> (i)*8 & 0xff)
#define PX_BYTE_s32(x, i) (int32_t)(int8_t)((uint32_t)(x) >> (i)*8)
#define PX_HALF_u32(x, i) (int32_t)((uint32_t)(x) >> (i)*16 & 0xffff)
#define PX_HALF_s32(x, i) (int32_t)(int16_t)((uint32_t)(x) >> (i)*16)
#define PX_DOT(A, B)                                                                                         \
    static inline uint32_t px_dp4a_##A##B(uint32_t a, uint32_t b, uint32_t c)                                \
    {                                                                                                        \
        return c +                                                                                           \
               (uint32_t)(PX_BYTE_##A(a, 0) * PX_BYTE_##B(b, 0) + PX_BYTE_##A(a, 1) * PX_BYTE_##B(b, 1) +    \
                          PX_BYTE_##A(a, 2) * PX_BYTE_##B(b, 2) + PX_BYTE_##A(a, 3) * PX_BYTE_##B(b, 3));    \
    }                                                                                                        \
    static inline uint32_t px_dp2a_lo_##A##B(uint32_t a, uint32_t b, uint32_t c)                             \
    {                                                                                                        \
        return c +                                                                                           \
               (uint32_t)(PX_HALF_##A(a, 0) * PX_BYTE_##B(b, 0) + PX_HALF_##A(a, 1) * PX_BYTE_##B(b, 1));    \
    }                                                                                                        \
    static inline uint32_t px_dp2a_hi_##A##B(uint32_t a, uint32_t b, uint32_t c)                             \
    {                                                                                                        \
        return c +                                                                                           \
               (uint32_t)(PX_HALF_##A(a, 0) * PX_BYTE_##B(b, 2) + PX_HALF_##A(a, 1) * PX_BYTE_##B(b, 3));    \
    }
PX_DOT(u32, u32)
PX_DOT(u32, s32)
PX_DOT(s32, u32)
PX_DOT(s32, s32)

/* ---- with four sources ---- */

/*
 * Inserts the low `len` bits of a into b at `pos` (PTX ISA 9.7.1.20); what goes past the end is lost. Both
 * count modulo 256 with 32 bits; with 64 the chip takes all of them, so that 256 is past the end. No
 * branches: loops of it become vector code.
 */
static inline uint32_t px_bfi_b32(uint32_t a, uint32_t b, uint32_t pos, uint32_t len)
{
    pos &= 255, len &= 255;
    uint32_t ones = len < 32 ? (1u << (len & 31)) - 1 : ~0u, mask = pos < 32 ? ones << (pos & 31) : 0;
    return (b & ~mask) | (a << (pos & 31) & mask);
}
static inline uint64_t px_bfi_b64(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
    const uint64_t p = pos, n = len, ones = ((1ull << (n & 63)) - 1) | (0 - (uint64_t)(n > 63));
    const uint64_t mask = ones << (p & 63) & (0 - (uint64_t)(p < 64));
    return (b & ~mask) | (a << (p & 63) & mask);
}

/* Whether the number of ones among some entries of the table is odd, as a whole word. */
static inline uint32_t px_table_parity(uint32_t table, uint32_t entries)
{
    uint32_t x = table & entries;
    x ^= x >> 4;
    x ^= x >> 2;
    return 0u - ((x ^ x >> 1) & 1);
}

/*
 * Bit i of the result is the table's bit a_i*4 + b_i*2 + c_i, as a sum modulo 2 of products of a, b and c: a
 * product counts if the entries within its factors are odd in number. A loop computes those once.
 */
static inline uint32_t px_lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    const uint32_t one = px_table_parity(table, 0x01), kc = px_table_parity(table, 0x03);
    const uint32_t kb = px_table_parity(table, 0x05), kbc = px_table_parity(table, 0x0f);
    const uint32_t ka = px_table_parity(table, 0x11), kac = px_table_parity(table, 0x33);
    const uint32_t kab = px_table_parity(table, 0x55), kabc = px_table_parity(table, 0xff);
    const uint32_t without = one ^ (c & kc) ^ (b & (kb ^ (c & kbc)));
    return without ^ (a & (ka ^ (c & kac) ^ (b & (kab ^ (c & kabc)))));
}

#endif
