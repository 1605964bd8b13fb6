/*
 * tex/lod.h - the level of detail of gradients, as the unit computes it: lengths by sums instead of roots, in
 * numbers of ten bits.
 *
 * The gradients are two vectors, in texels. Of them, of their sum and of their difference (these two times
 * 11/16, for 1 / sqrt(2)) the longest counts: that is about the longer axis of the ellipse which a pixel
 * covers. A vector's length is its greatest component, 11/32 of the next and 1/4 of the least. The level of
 * detail is the exponent of that and, by a table, the log2 of eight bits of its fraction.
 */
#ifndef PX_TEX_LOD_H
#define PX_TEX_LOD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern const uint8_t px_tex_log2[256]; /* image.c: 256 * log2(1 + i / 256), as the unit has it */

/* m * 2^e, not negative; m is 0 or has ten bits. */
typedef struct px_tex_short {
    int32_t m, e;
} px_tex_short;

static inline px_tex_short px_tex_short_cut(int64_t m, int32_t e)
{
    if (!m) return (px_tex_short){0, -1000};
    int drop = 54 - __builtin_clzll((uint64_t)m);
    return (px_tex_short){(int32_t)(drop > 0 ? m >> drop : m << -drop), e + drop};
}

/* |x * by|, both cut to ten bits: the rows of the product end at its sixth bit, and 7 there are added. NaN
 * and subnormal numbers are 0, infinities great. `by` is positive. */
static inline px_tex_short px_tex_short_of(float x, float by)
{
    uint32_t w, extent;
    memcpy(&w, &x, 4);
    memcpy(&extent, &by, 4);
    int32_t exponent = (int32_t)(w >> 23 & 255);
    if (!exponent || (w & 0x7FFFFFFF) > 0x7F800000) return (px_tex_short){0, -1000};
    int32_t m = (int32_t)((w & 0x7FC000) | 0x800000) >> 14,
            scale = (int32_t)((extent & 0x7FC000) | 0x800000) >> 14, sum = 448;
    for (int i = 0; i < 10; i++) sum += scale >> i & 1 ? (m << i) & ~63 : 0;
    return px_tex_short_cut(sum >> 9, exponent - 136 + (int32_t)(extent >> 23) - 127);
}

/* |a + b| or |a - b|: the smaller is aligned with one bit more than the greater has. */
static inline px_tex_short px_tex_short_add(px_tex_short a, px_tex_short b, bool subtract)
{
    if (a.e < b.e || (a.e == b.e && a.m < b.m)) {
        px_tex_short c = a;
        a = b, b = c;
    }
    int shift = a.e - b.e;
    int32_t small = shift > 30 ? 0 : (b.m << 1) >> shift, great = a.m << 1;
    return px_tex_short_cut(subtract ? great - small : great + small, a.e - 1);
}

static inline bool px_tex_short_less(px_tex_short a, px_tex_short b)
{
    int shift = b.e - a.e;
    if (!a.m || !b.m) return b.m > 0;
    if (shift > 12 || shift < -12) return shift > 0;
    return shift >= 0 ? a.m < (int64_t)b.m << shift : (int64_t)a.m << -shift < b.m;
}

/* Of a component's m: (m * by + add) / 2^down, by its rank; add is there only with m. */
typedef struct px_tex_share {
    int32_t by, add, down;
} px_tex_share;

/* In 2^-20 of 2^e; cut there. */
static inline int64_t px_tex_share_of(const px_tex_share *share, px_tex_short x, int32_t e)
{
    int shift = e - x.e + share->down;
    return !x.m || shift > 50 ? 0 : ((int64_t)(x.m * share->by + share->add) << 20) >> shift;
}

/* Length of a vector; `diagonal`: of 11/16 of it. */
static inline px_tex_short px_tex_short_length(const px_tex_short v[3], bool diagonal)
{
    static const px_tex_share shares[2][2] = {{{11, 4, 5}, {1, 0, 2}}, {{121, 32, 9}, {11, 4, 6}}};
    px_tex_short a = v[0], b = v[1], c = v[2], t;
    if (px_tex_short_less(a, b)) t = a, a = b, b = t;
    if (px_tex_short_less(b, c)) t = b, b = c, c = t;
    if (px_tex_short_less(a, b)) t = a, a = b, b = t;
    if (diagonal) a = px_tex_short_cut((a.m * 11 + (a.m ? 4 : 0)) >> 3, a.e - 1);
    int64_t rest =
        px_tex_share_of(&shares[diagonal][0], b, a.e) + px_tex_share_of(&shares[diagonal][1], c, a.e);
    return px_tex_short_cut(a.m + (rest >> 20), a.e);
}

/* The longest of two gradients, and of 11/16 of their sum and difference; `opposite`: where their signs
 * differ, NULL: of the gradients alone. */
static inline px_tex_short px_tex_longest(const px_tex_short x[3], const px_tex_short y[3],
                                          const bool opposite[3])
{
    px_tex_short a = px_tex_short_length(x, false), b = px_tex_short_length(y, false), sum[3], difference[3];
    if (px_tex_short_less(a, b)) a = b;
    if (!opposite) return a;
    for (int i = 0; i < 3; i++) {
        sum[i] = px_tex_short_add(x[i], y[i], opposite[i]);
        difference[i] = px_tex_short_add(x[i], y[i], !opposite[i]);
    }
    b = px_tex_short_length(sum, true);
    if (px_tex_short_less(a, b)) a = b;
    b = px_tex_short_length(difference, true);
    return px_tex_short_less(a, b) ? b : a;
}

/* log2 in 1/256; of 0 it is far below all levels. */
static inline int32_t px_tex_short_log2(px_tex_short x)
{
    if (!x.m) return -1000 * 256;
    return (x.e + 9) * 256 + px_tex_log2[x.m >> 1 & 255];
}

#endif
