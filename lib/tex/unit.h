/*
 * tex/unit.h - the texture unit, one lane at a time: coordinates to texels, texels to words, blending.
 */
#ifndef PX_TEX_UNIT_H
#define PX_TEX_UNIT_H

#include <math.h>
#include <string.h>
#include "approx/approx.h"
#include "tex/lod.h"
#include "tex/texture.h"

extern const uint16_t px_tex_srgb[256]; /* image.c: linear halves */

typedef struct px_texel {
    uint32_t c[4];
} px_texel;

static inline float px_tex_float(uint32_t w)
{
    float f;
    memcpy(&f, &w, 4);
    return f;
}

static inline uint32_t px_tex_bits(float f)
{
    uint32_t w;
    memcpy(&w, &f, 4);
    return w;
}

/* ---- formats ---- */

static inline uint32_t px_tex_f16_to_f32(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, magnitude = h & 0x7FFF;
    if (magnitude >= 0x7C00) return sign | 0x7F800000 | (magnitude & 0x3FF) << 13;
    return sign | px_tex_bits(px_tex_float(magnitude << 13) * 0x1p112f);
}

/* Nearest even. */
static inline uint32_t px_tex_f32_to_f16(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000, magnitude = x & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return 0x7FFF;
    if (magnitude >= 0x477FF000) return sign | 0x7C00;
    if (magnitude < 0x38800000) return sign | (px_tex_bits(px_tex_float(magnitude) + 0.5f) - 0x3F000000);
    return sign | ((magnitude - 0x38000000 + 0xFFF + (magnitude >> 13 & 1)) >> 13);
}

/* Towards zero; NaNs keep their upper bits. */
static inline uint32_t px_tex_f32_to_f16_cut(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000, magnitude = x & 0x7FFFFFFF;
    if (magnitude >= 0x7F800000) return sign | 0x7C00 | (magnitude >> 13 & 0x3FF);
    if (magnitude >= 0x47800000) return sign | 0x7BFF;
    if (magnitude >= 0x38800000) return sign | (magnitude - 0x38000000) >> 13;
    uint32_t shift = 126 - (magnitude >> 23);
    return sign | (shift > 31 ? 0 : ((magnitude & 0x7FFFFF) | 0x800000) >> shift);
}

/* Channel `c` of the texel at `at`: the bits of a float, or an integer extended to a word. */
static inline uint32_t px_tex_raw(enum px_image_format format, const uint8_t *at, uint32_t c)
{
    uint16_t half;
    uint32_t word;
    switch (format) {
    case PX_IMAGE_U8: return at[c];
    case PX_IMAGE_S8: return (uint32_t)(int8_t)at[c];
    case PX_IMAGE_U16: memcpy(&half, at + 2 * c, 2); return half;
    case PX_IMAGE_S16: memcpy(&half, at + 2 * c, 2); return (uint32_t)(int16_t)half;
    case PX_IMAGE_F16: memcpy(&half, at + 2 * c, 2); return px_tex_f16_to_f32(half);
    default: memcpy(&word, at + 4 * c, 4); return word;
    }
}

static inline uint32_t px_tex_clamp_word(uint32_t value, bool is_signed, int64_t low, int64_t high)
{
    int64_t v = is_signed ? (int64_t)(int32_t)value : (int64_t)value;
    return (uint32_t)(v < low ? low : v > high ? high : v);
}

/* Stores channel `c` (sust.p). */
static inline void px_tex_encode(enum px_image_format format, uint8_t *at, uint32_t c, uint32_t value)
{
    uint16_t half;
    switch (format) {
    case PX_IMAGE_U8: at[c] = (uint8_t)px_tex_clamp_word(value, false, 0, 255); return;
    case PX_IMAGE_S8: at[c] = (uint8_t)px_tex_clamp_word(value, true, -128, 127); return;
    case PX_IMAGE_U16: half = (uint16_t)px_tex_clamp_word(value, false, 0, 65535); break;
    case PX_IMAGE_S16: half = (uint16_t)px_tex_clamp_word(value, true, -32768, 32767); break;
    case PX_IMAGE_F16: half = (uint16_t)px_tex_f32_to_f16_cut(value); break;
    default: memcpy(at + 4 * c, &value, 4); return;
    }
    memcpy(at + 2 * c, &half, 2);
}

/* Whether channel c is looked up in the table. */
static inline bool px_tex_is_srgb(const struct px_image *image, const struct px_sampler *s, uint32_t c)
{
    return s->srgb && s->read_normalized && image->format == PX_IMAGE_U8 && c < 3;
}

/* What a raw channel counts as. */
static inline uint32_t px_tex_value(enum px_image_format format, bool normalized, bool srgb, uint32_t raw)
{
    if (!normalized) return raw;
    if (srgb) return px_tex_f16_to_f32(px_tex_srgb[raw & 255]);
    float v;
    switch (format) {
    case PX_IMAGE_U8: return px_tex_bits((float)raw / 255.0f);
    case PX_IMAGE_U16: return px_tex_bits((float)raw / 65535.0f);
    case PX_IMAGE_S8: v = (float)(int32_t)raw / 127.0f; return px_tex_bits(v < -1 ? -1 : v);
    case PX_IMAGE_S16: v = (float)(int32_t)raw / 32767.0f; return px_tex_bits(v < -1 ? -1 : v);
    default: return raw;
    }
}

/* ---- coordinates ---- */

/* Where linear filtering looks along one axis: texels i and i + 1 as the address mode sees them (-1: the
 * border), the second of which weighs `weight` / 256. Point filtering: i alone. */
typedef struct px_tex_tap {
    int32_t i[2];
    uint32_t weight;
} px_tex_tap;

/* Texel number i of an axis of n texels as its mode sees it, or -1: the border. */
static inline int32_t px_tex_wrapped(int64_t i, int32_t n, enum px_tex_address mode)
{
    int64_t m;
    switch (mode) {
    case PX_TEX_WRAP: m = i % n; return (int32_t)(m < 0 ? m + n : m);
    case PX_TEX_MIRROR:
        m = i % (2 * (int64_t)n);
        m = m < 0 ? m + 2 * (int64_t)n : m;
        return (int32_t)(m < n ? m : 2 * (int64_t)n - 1 - m);
    case PX_TEX_BORDER: return i < 0 || i >= n ? -1 : (int32_t)i;
    default: return (int32_t)(i < 0 ? 0 : i >= n ? n - 1 : i);
    }
}

/* Whether the sampler's coordinates are normalised, as f32 ones. */
static inline bool px_tex_normalized(const struct px_sampler *s, const struct px_tex_request *r)
{
    return s->normalized && !s->unnormalized && !r->integer;
}

static inline enum px_tex_address px_tex_mode(const struct px_sampler *s, int axis, bool normalized)
{
    enum px_tex_address mode = s->address[axis];
    return normalized || mode == PX_TEX_BORDER ? mode : PX_TEX_CLAMP;
}

/* An f32 coordinate along n texels in 1/256 texel, rounded half up if `linear`, else down. Subnormal numbers
 * and NaNs are 0. A normalised one is first cut to fixed point, then multiplied. */
static inline int64_t px_tex_fixed(uint32_t word, int32_t n, bool normalized, bool linear)
{
    uint32_t magnitude = word & 0x7FFFFFFF;
    if (magnitude < 0x00800000 || magnitude > 0x7F800000) return 0;
    double x = (double)px_tex_float(word), half = linear ? 0.5 : 0;
    if (!normalized) {
        if (magnitude >= 0x4F000000) return word >> 31 ? INT64_MIN / 4 : INT64_MAX / 4;
        return (int64_t)floor(x * 256 + half);
    }
    if (magnitude >= 0x4C000000) return word >> 31 ? INT64_MIN / 4 : INT64_MAX / 4;
    int bits = n > 65536 ? 23 : n > 8192 ? 22 : 21;
    double fixed = floor(x * (double)(1 << bits)) / (double)(1 << bits);
    return (int64_t)floor(fixed * n * 256 + half);
}

/* What is looked at for a place in 1/256 texel. */
static inline px_tex_tap px_tex_tap_at(int64_t at, int32_t n, enum px_tex_address mode, bool linear)
{
    if (!linear) {
        int32_t i = px_tex_wrapped(at >> 8, n, mode);
        return (px_tex_tap){{i, i}, 0};
    }
    at -= 128;
    bool beyond = mode == PX_TEX_CLAMP && (at < 0 || at > (int64_t)(n - 1) * 256);
    return (px_tex_tap){{px_tex_wrapped(at >> 8, n, mode), px_tex_wrapped((at >> 8) + 1, n, mode)},
                        beyond ? 0 : at & 255};
}

static inline px_tex_tap px_tex_axis(const struct px_sampler *s, const struct px_tex_request *r, int axis,
                                     int32_t n, bool linear, uint32_t lane)
{
    uint32_t word = r->coord[axis][lane];
    bool normalized = px_tex_normalized(s, r);
    enum px_tex_address mode = px_tex_mode(s, axis, normalized);
    int unused = r->gather ? 26 : 28;
    int64_t offset =
        r->offset[axis] && r->coord[1] ? (int32_t)(r->offset[axis][lane] << unused) >> unused : 0;
    if (r->integer) {
        int32_t i = px_tex_wrapped((int64_t)(int32_t)word + offset, n,
                                   r->lod == PX_TEX_LOD_LEVEL ? PX_TEX_CLAMP : PX_TEX_BORDER);
        return (px_tex_tap){{i, i}, 0};
    }
    int64_t at = px_tex_fixed(word, n, normalized, linear);
    if (at >= INT64_MAX / 8 || at <= INT64_MIN / 8)
        at = mode == PX_TEX_WRAP || mode == PX_TEX_MIRROR ? 0 : at;
    at += offset * 256;
    return px_tex_tap_at(at, n, mode, linear);
}

/* ---- blending ---- */

/* Rounded product of two weights. */
static inline uint32_t px_tex_product(uint32_t a, uint32_t b)
{
    return (a * b + 128) >> 8;
}

/* Weights of the texels (0,0) (1,0) (0,1) (1,1) of a slice that weighs `whole`: the sum is `whole`. */
static inline void px_tex_weights(uint32_t a, uint32_t b, uint32_t whole, uint32_t w[4])
{
    uint32_t right = px_tex_product(a, whole), left = whole - right;
    w[0] = px_tex_product(left, 256 - b);
    w[2] = left - w[0];
    w[3] = px_tex_product(right, b);
    w[1] = right - w[3];
}

/* How the values of a format are blended. */
enum px_tex_blend {
    PX_TEX_FLOAT,
    PX_TEX_HALF,
    PX_TEX_SRGB,
    PX_TEX_UNORM,
    PX_TEX_SNORM,
    PX_TEX_BYTE,
    PX_TEX_WORDS
};

static inline enum px_tex_blend px_tex_blend_of(const struct px_image *image, const struct px_sampler *s,
                                                uint32_t c)
{
    switch (image->format) {
    case PX_IMAGE_F16: return PX_TEX_HALF;
    case PX_IMAGE_F32: return PX_TEX_FLOAT;
    case PX_IMAGE_U8:
        if (px_tex_is_srgb(image, s, c)) return PX_TEX_SRGB; /* fallthrough */
    case PX_IMAGE_U16: return s->read_normalized ? PX_TEX_UNORM : PX_TEX_WORDS;
    case PX_IMAGE_S8: return s->read_normalized ? PX_TEX_BYTE : PX_TEX_WORDS;
    case PX_IMAGE_S16: return s->read_normalized ? PX_TEX_SNORM : PX_TEX_WORDS;
    default: return PX_TEX_WORDS;
    }
}

/* A sum of floats: value * 2^unit; NaN and infinities apart, as bits of an f32; negative if all its terms
 * are. */
typedef struct px_tex_sum {
    int64_t value;
    int32_t unit;
    uint32_t special;
    bool negative;
} px_tex_sum;

static inline uint32_t px_tex_special(uint32_t a, uint32_t b)
{
    return !a || a == b ? b : !b ? a : 0x7FFFFFFF;
}

/* How the floats of a format are cut before they are added: a value keeps `bits` bits, counted from the
 * exponent of the greatest value, and its last `spare` bits are none of the format's. */
static inline int px_tex_bits_kept(enum px_tex_blend blend)
{
    return blend == PX_TEX_SRGB ? 8 : blend == PX_TEX_HALF ? 15 : 28;
}

/* Four floats t of weights w. The greatest exponent of those with a weight says where the others are cut:
 * `top`, which is the exponent but for sRGB bytes, that count as the last of 8 codes. `heard`: texels whose
 * weight is not 0 before rounding, too, which decide about NaNs, infinities, and the sign of 0. Subnormal f32
 * are 0. */
static inline px_tex_sum px_tex_block(enum px_tex_blend blend, const uint32_t t[4], const uint32_t top[4],
                                      const uint32_t w[4], const bool heard[4])
{
    uint32_t most = blend == PX_TEX_HALF ? 113 : 1, kept = (uint32_t)px_tex_bits_kept(blend);
    px_tex_sum sum = {.negative = true};
    for (int i = 0; i < 4; i++) {
        if (!heard[i]) continue;
        uint32_t exponent = t[i] >> 23 & 255;
        if (exponent == 255) sum.special = px_tex_special(sum.special, t[i] & 0x7FFFFF ? 0x7FFFFFFF : t[i]);
        if (w[i] && top[i] > most) most = top[i];
        sum.negative &= t[i] >> 31 && !(exponent && !w[i]);
    }
    for (int i = 0; i < 4; i++) {
        uint32_t exponent = t[i] >> 23 & 255;
        if (!exponent || !w[i] || most - exponent > 27) continue;
        uint64_t m = (uint64_t)((t[i] & 0x7FFFFF) | 0x800000) << 4 >> (28 - kept) >> (most - exponent);
        sum.value += t[i] >> 31 ? -(int64_t)(m * w[i]) : (int64_t)(m * w[i]);
    }
    sum.unit = (int32_t)(most + 28 - kept) - 150 - 12;
    return sum;
}

/* The sum of smaller exponents is cut, downwards, where the other's would end if its exponent were a multiple
 * of 4. */
static inline px_tex_sum px_tex_sum_of(enum px_tex_blend blend, px_tex_sum a, px_tex_sum b)
{
    bool negative = a.negative && b.negative;
    uint32_t special = px_tex_special(a.special, b.special);
    if (!a.value || (b.value && a.unit < b.unit)) {
        px_tex_sum c = a;
        a = b, b = c;
    }
    if (b.value) {
        int32_t keep = (a.unit + 134 + px_tex_bits_kept(blend)) & 3, shift = a.unit - b.unit - keep;
        a.value = a.value * ((int64_t)1 << keep) + (shift > 62  ? b.value >> 62
                                                    : shift > 0 ? b.value >> shift
                                                                : b.value * ((int64_t)1 << -shift));
        a.unit -= keep;
    }
    a.special = special, a.negative = negative;
    return a;
}

/* The float nearest to a sum, half away from 0: an f32, subnormal ones 0; or an f16 in the bits of an f32. */
static inline uint32_t px_tex_round(px_tex_sum sum, bool half)
{
    if (sum.special) return half && sum.special == 0x7FFFFFFF ? 0x7FFFE000 : sum.special;
    if (!sum.value) return sum.negative ? 0x80000000 : 0;
    uint32_t sign = sum.value < 0 ? 0x80000000 : 0;
    uint64_t v = sign ? -(uint64_t)sum.value : (uint64_t)sum.value;
    int drop = 64 - __builtin_clzll(v) - (half ? 11 : 24), least = -24 - sum.unit;
    if (half && drop < least) drop = least;
    if (drop > 0) v = drop > 62 ? 0 : (v + ((uint64_t)1 << (drop - 1))) >> drop << drop;
    double exact = ldexp((double)v, sum.unit);
    if (!half && exact < 0x1p-126) return sign;
    if (half && exact >= 65536) return sign | 0x7F800000;
    return sign | px_tex_bits((float)exact);
}

/* An integer channel as it is blended: a u8 as 16 bits. */
static inline int32_t px_tex_wide(enum px_image_format format, uint32_t raw)
{
    return (int32_t)(format == PX_IMAGE_U8 ? raw * 257 : raw);
}

/* The float of a weighted sum: 16 bits, the nearest, half up. */
static inline uint32_t px_tex_from_wide(enum px_tex_blend blend, int32_t sum)
{
    if (blend == PX_TEX_UNORM) return px_tex_bits((float)((sum + 128) >> 8) / 65535.0f);
    int32_t v = blend == PX_TEX_BYTE ? sum + ((sum + 64 + (sum >> 12) * 16) >> 7) : (sum + 128) >> 8;
    return px_tex_bits((float)(v < -32767 ? -32767 : v) / 32767.0f);
}

/* ---- cubes ---- */

/* Face (+x -x +y -y +z -z) of a direction, and the place on it from 0 to 1, cut to 21 bits. The direction is
 * first multiplied by the approximate reciprocal of its greatest component, by instructions of its own. What
 * is a NaN then, or subnormal, is the middle; a NaN is no greatest component. */
static inline uint32_t px_tex_face(const uint32_t direction[3], double place[2])
{
    uint32_t most = 0;
    float v[3], a[3];
    for (int i = 0; i < 3; i++) {
        uint32_t magnitude = direction[i] & 0x7FFFFFFF;
        if (magnitude <= 0x7F800000 && magnitude > most) most = magnitude;
    }
    float scale = px_tex_float(px_approx_rcp_f32(most, true));
    for (int i = 0; i < 3; i++) {
        v[i] = px_tex_float(direction[i]) * scale;
        a[i] = v[i] == v[i] ? fabsf(v[i]) : -1;
        if (a[i] < 0x1p-126f) v[i] = 0;
        if (a[i] > 1) v[i] = v[i] < 0 ? -1 : 1;
    }
    float x = v[0], y = v[1], z = v[2], sc, tc;
    uint32_t face;
    if (a[2] >= a[0] && a[2] >= a[1])
        face = z < 0 ? 5 : 4, sc = z < 0 ? -x : x, tc = -y;
    else if (a[1] >= a[0])
        face = y < 0 ? 3 : 2, sc = x, tc = y < 0 ? -z : z;
    else
        face = x < 0 ? 1 : 0, sc = x < 0 ? z : -z, tc = -y;
    place[0] = (floor((double)sc * 0x1p20) + 0x1p20) * 0x1p-21;
    place[1] = (floor((double)tc * 0x1p20) + 0x1p20) * 0x1p-21;
    return face;
}

/* An address mode of our own: texels -1 and n are meant. */
enum { PX_TEX_ON = PX_TEX_BORDER + 1 };

static inline px_tex_tap px_tex_on_face(double place, int32_t n, uint32_t mode, bool linear)
{
    int64_t at = (int64_t)floor(place * n * 256 + (linear ? 0.5 : 0));
    if (mode != PX_TEX_ON) return px_tex_tap_at(at, n, (enum px_tex_address)mode, linear);
    at = at < 0 ? 0 : at > n * (int64_t)256 ? n * (int64_t)256 : at;
    int32_t first = (int32_t)((at - 128) >> 8);
    return (px_tex_tap){{first, first + 1}, (at - 128) & 255};
}

/* Three faces meet at a corner: a texel beyond two edges is none, and the other three share its weight. */
static inline void px_tex_corner(const px_tex_tap *x, const px_tex_tap *y, int32_t n, uint32_t w[4])
{
    int none = (x->i[1] >= n) | (y->i[1] >= n) << 1, over_x = x->i[0] < 0 || x->i[1] >= n;
    if (!over_x || (y->i[0] >= 0 && y->i[1] < n)) return;
    uint32_t third = (w[none] + 1) / 3;
    w[none ^ 1] += third;
    w[none ^ 2] += third;
    w[none ^ 3] += w[none] - 2 * third;
    w[none] = 0;
}

/* The texel beyond one edge of a face is one at the edge of the next. */
static inline void px_tex_across(int32_t *face, int32_t *x, int32_t *y, int32_t n)
{
    static const int8_t s_axis[6] = {2, 2, 0, 0, 0, 0}, s_sign[6] = {-1, 1, 1, 1, 1, -1};
    static const int8_t t_axis[6] = {1, 1, 2, 2, 1, 1}, t_sign[6] = {-1, -1, 1, -1, -1, -1};
    if (*x >= 0 && *x < n && *y >= 0 && *y < n) return;
    int32_t d[3], f = *face % 6, u = 2 * *x + 1 - n, v = 2 * *y + 1 - n;
    bool over_x = *x < 0 || *x >= n;
    d[f / 2] = f & 1 ? 1 - n : n - 1;
    d[s_axis[f]] = s_sign[f] * u;
    d[t_axis[f]] = t_sign[f] * v;
    int32_t major = over_x ? s_axis[f] : t_axis[f], next = 2 * major + (d[major] < 0);
    *face += next - f;
    *x = (s_sign[next] * d[s_axis[next]] + n - 1) / 2;
    *y = (t_sign[next] * d[t_axis[next]] + n - 1) / 2;
}

/* ---- a lane ---- */

/* Where a lane looks in one level. */
typedef struct px_tex_place {
    px_tex_tap x, y, z;
    int32_t layer;
} px_tex_place;

static inline uint32_t px_tex_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The layer that a lane asks for. */
static inline int32_t px_tex_layer(const struct px_image *image, const struct px_tex_request *r,
                                   uint32_t lane)
{
    uint32_t each = image->kind == PX_IMAGE_ACUBE ? 6 : image->samples, count = image->layers / each;
    uint32_t layer = r->layer ? px_tex_min(r->layer[lane], count - 1) * each : 0;
    return (int32_t)(layer + (r->sample ? px_tex_min(r->sample[lane], image->samples - 1u) : 0));
}

/* The border of an sRGB channel is linear: its byte. */
static inline uint32_t px_tex_border_srgb(float v)
{
    double code = v <= 0.0031308f ? 12.92 * (double)v : 1.055 * pow((double)v, 1 / 2.4) - 0.055;
    return v > 0 ? v < 1 ? (uint32_t)(code * 255 + 0.502) : 255 : 0;
}

/* Raw channel of the border. */
static inline uint32_t px_tex_border_raw(const struct px_image *image, const struct px_sampler *s, uint32_t c)
{
    enum px_image_format format = image->format;
    float v = s->border[c];
    if (px_tex_is_srgb(image, s, c)) return px_tex_border_srgb(v);
    uint32_t word = px_tex_bits(v);
    if (format == PX_IMAGE_F32 || format == PX_IMAGE_U32 || format == PX_IMAGE_S32) return word;
    if (format == PX_IMAGE_F16) return word & ~0x1FFFu;
    if (!s->read_normalized) {
        if (format == PX_IMAGE_U8) return word & 0xFF;
        if (format == PX_IMAGE_S8) return (uint32_t)(int8_t)word;
        return format == PX_IMAGE_U16 ? word & 0xFFFF : (uint32_t)(int16_t)word;
    }
    bool is_signed = format == PX_IMAGE_S8 || format == PX_IMAGE_S16;
    float most = format == PX_IMAGE_U8    ? 255
                 : format == PX_IMAGE_U16 ? 65535
                 : format == PX_IMAGE_S8  ? 127
                                          : 32767;
    int32_t magnitude = (int32_t)((fabsf(v) > 1 ? 1 : fabsf(v)) * most + 0.4f);
    return (uint32_t)(v >= 0 ? magnitude : is_signed ? -magnitude : 0);
}

/* Raw channel c of a texel; a negative number is the border's. */
static inline uint32_t px_tex_texel(const struct px_image *image, const struct px_sampler *s, uint32_t level,
                                    int32_t x, int32_t y, int32_t z, uint32_t c)
{
    if ((x | y | z) < 0) return px_tex_border_raw(image, s, c);
    return px_tex_raw(image->format, px_image_at(image, level, (uint32_t)x, (uint32_t)y, (uint32_t)z), c);
}

static inline px_tex_place px_tex_place_of(const struct px_image *image, const struct px_sampler *s,
                                           const struct px_tex_request *r, uint32_t level, bool linear,
                                           uint32_t lane)
{
    const struct px_image_level *l = &image->level[level];
    int32_t layer = px_tex_layer(image, r, lane);
    px_tex_place p = {.layer = layer};
    if (image->linear) {
        int64_t x =
            r->integer ? (int32_t)r->coord[0][lane] : px_tex_fixed(r->coord[0][lane], 0, false, false) >> 8;
        enum px_tex_address mode = r->integer && r->lod == PX_TEX_LOD_LEVEL ? PX_TEX_CLAMP : PX_TEX_BORDER;
        p.x.i[0] = p.x.i[1] = px_tex_wrapped(x, (int32_t)l->width, mode);
        return p;
    }
    if (image->kind == PX_IMAGE_CUBE || image->kind == PX_IMAGE_ACUBE) {
        const uint32_t direction[3] = {r->coord[0][lane], r->coord[1][lane], r->coord[2][lane]};
        double place[2];
        p.layer += (int32_t)px_tex_face(direction, place);
        uint32_t seamless = linear ? PX_TEX_ON : PX_TEX_CLAMP;
        p.x = px_tex_on_face(place[0], (int32_t)l->width, s->seamless ? seamless : s->address[0], linear);
        p.y = px_tex_on_face(place[1], (int32_t)l->width, s->seamless ? seamless : s->address[1], linear);
        return p;
    }
    p.x = px_tex_axis(s, r, 0, (int32_t)l->width, linear, lane);
    if (r->coord[1])
        p.y = px_tex_axis(s, r, 1, (int32_t)l->height, linear, lane);
    else if (linear && image->kind == PX_IMAGE_1D) /* a row at y = 0: half of it is beyond the edge */
        p.y = (px_tex_tap){{s->address[1] == PX_TEX_BORDER ? -1 : 0, 0}, 128};
    if (r->coord[2]) p.z = px_tex_axis(s, r, 2, (int32_t)l->depth, linear, lane);
    return p;
}

/* The greatest component of a direction: z before y before x. */
static inline int px_tex_major(const float p[3])
{
    float x = fabsf(p[0]), y = fabsf(p[1]), z = fabsf(p[2]);
    return z >= x && z >= y ? 2 : y >= x;
}

/* Where a direction lies along the other axes of the face of greatest component `axis` and that sign; beyond
 * an edge the next face is folded into the plane. True: it is. */
static inline bool px_tex_unfold(const float p[3], int axis, float sign, float place[2])
{
    int own = px_tex_major(p);
    float scale = 1.0f / fabsf(p[own]);
    for (int i = 0, k = 0; i < 3; i++) {
        if (i == axis) continue;
        float beyond = 2 - sign * p[axis] * scale;
        place[k++] = i == own ? (p[i] < 0 ? -beyond : beyond) : p[i] * scale;
    }
    return own != axis;
}

/* The gradients of a cube: by how much the place on the face changes. True: one of them leaves the face. */
static inline bool px_tex_cube_gradients(const float c[3], float d[2][3])
{
    int axis = px_tex_major(c);
    float sign = c[axis] < 0 ? -1 : 1, here[2], there[2];
    bool leaves = false;
    px_tex_unfold(c, axis, sign, here);
    for (int k = 0; k < 2; k++) {
        float next[3] = {c[0] + d[k][0], c[1] + d[k][1], c[2] + d[k][2]};
        leaves |= px_tex_unfold(next, axis, sign, there);
        d[k][0] = there[0] - here[0], d[k][1] = there[1] - here[1], d[k][2] = 0;
    }
    return leaves;
}

/* The level of detail of gradients, in 1/256. In 3D and on cubes they are differences of coordinates. */
static inline int32_t px_tex_gradient(const struct px_image *image, const struct px_sampler *s,
                                      const struct px_tex_request *r, uint32_t lane)
{
    const struct px_image_level *l = &image->level[0];
    const float extent[3] = {(float)l->width, (float)l->height, (float)l->depth};
    bool cube = image->kind == PX_IMAGE_CUBE || image->kind == PX_IMAGE_ACUBE, opposite[3];
    float d[2][3] = {{0}}, c[3] = {0};
    for (int i = 0; i < 3 && r->dx[i]; i++) {
        c[i] = px_tex_float(r->coord[i][lane]);
        d[0][i] = px_tex_float(r->dx[i][lane]), d[1][i] = px_tex_float(r->dy[i][lane]);
        for (int k = 0; k < 2 && image->kind == PX_IMAGE_3D; k++) d[k][i] = (c[i] + d[k][i]) - c[i];
    }
    bool leaves = cube && px_tex_cube_gradients(c, d);
    px_tex_short v[2][3];
    for (int i = 0; i < 3; i++) {
        float scale = cube ? extent[0] / 2 : px_tex_normalized(s, r) ? extent[i] : 1;
        for (int k = 0; k < 2; k++) v[k][i] = px_tex_short_of(d[k][i], scale);
        opposite[i] = signbit(d[0][i]) != signbit(d[1][i]);
    }
    return px_tex_short_log2(px_tex_longest(v[0], v[1], leaves ? NULL : opposite));
}

/* The level of detail that a lane asks for, in 1/256, between the first and last level. */
static inline uint32_t px_tex_lod(const struct px_image *image, const struct px_sampler *s,
                                  const struct px_tex_request *r, uint32_t lane)
{
    int32_t last = (image->levels - 1) * 256, low = (int32_t)(s->min_level * 256),
            high = (int32_t)(s->max_level * 256);
    if (r->integer)
        return r->lod == PX_TEX_LOD_LEVEL ? px_tex_min(r->level[lane], image->levels - 1u) * 256 : 0;
    int64_t lod = -32 * 256;
    if (r->lod == PX_TEX_LOD_GRAD) {
        lod = px_tex_gradient(image, s, r, lane);
    } else if (r->lod == PX_TEX_LOD_LEVEL) {
        float l = px_tex_float(r->level[lane]);
        lod = l != l ? 0 : l > 32 ? 32 * 256 : l < -32 ? -32 * 256 : (int64_t)(l * 256);
    }
    lod += (int32_t)((s->bias < -15 ? -15 : s->bias > 15 ? 15 : s->bias) * 256);
    lod = lod < low ? low : lod > high ? high : lod;
    return (uint32_t)(lod < 0 ? 0 : lod > last ? last : lod);
}

/* Channel c, blended: places[1], of the next level, weighs `fraction` / 256. */
static inline uint32_t px_tex_channel(const struct px_image *image, const struct px_sampler *s,
                                      const px_tex_place p[2], uint32_t level, uint32_t fraction, uint32_t c)
{
    enum px_tex_blend blend = px_tex_blend_of(image, s, c);
    bool seamless = s->seamless && (image->kind == PX_IMAGE_CUBE || image->kind == PX_IMAGE_ACUBE);
    px_tex_sum sum = {.negative = true};
    int32_t wide = 0;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t share = k ? fraction : 256 - fraction, near = px_tex_product(share, 256 - p[k].z.weight);
        for (uint32_t z = 0; z < 2; z++) {
            uint32_t w[4], t[4], top[4], whole = z ? share - near : near;
            bool heard[4];
            if (!share || (z && !p[k].z.weight)) continue;
            px_tex_weights(p[k].x.weight, p[k].y.weight, whole, w);
            if (seamless) px_tex_corner(&p[k].x, &p[k].y, (int32_t)image->level[level + k].width, w);
            for (uint32_t q = 0; q < 4; q++) {
                heard[q] = (p[k].x.weight || !(q & 1)) && (p[k].y.weight || q < 2);
                int32_t x = p[k].x.i[q & 1], y = p[k].y.i[q >> 1];
                int32_t layer = image->kind == PX_IMAGE_3D ? p[k].z.i[z] : p[k].layer;
                if (seamless && w[q]) px_tex_across(&layer, &x, &y, (int32_t)image->level[level + k].width);
                t[q] = seamless && !w[q] ? 0 : px_tex_texel(image, s, level + k, x, y, layer, c);
                top[q] = t[q] >> 23 & 255;
                if (blend == PX_TEX_SRGB) {
                    top[q] = px_tex_f16_to_f32(px_tex_srgb[(t[q] & 255) | 7]) >> 23;
                    t[q] = px_tex_f16_to_f32(px_tex_srgb[t[q] & 255]);
                }
                wide += (int32_t)w[q] * px_tex_wide(image->format, t[q]);
            }
            if (blend <= PX_TEX_SRGB) sum = px_tex_sum_of(blend, sum, px_tex_block(blend, t, top, w, heard));
        }
    }
    return blend <= PX_TEX_SRGB ? px_tex_round(sum, blend != PX_TEX_FLOAT) : px_tex_from_wide(blend, wide);
}

/* Whether a fetch by texel numbers is of a level or layer that is not there, or of a 1D array by tex.1d or
 * tex.level.1d, which are for linear memory. With a level the layer is clamped. */
static inline bool px_tex_outside(const struct px_image *image, const struct px_tex_request *r, uint32_t lane)
{
    if (image->kind == PX_IMAGE_1D) return !image->linear;
    if (r->lod == PX_TEX_LOD_LEVEL) return r->level[lane] >= image->levels;
    return r->layer && r->layer[lane] >= image->layers / image->samples;
}

static inline px_texel px_tex_lane(const struct px_image *image, const struct px_sampler *s,
                                   const struct px_tex_request *r, uint32_t lane)
{
    if (r->integer && px_tex_outside(image, r, lane)) return (px_texel){{0}};
    uint32_t lod = px_tex_lod(image, s, r, lane);
    bool linear = s->filter == PX_TEX_LINEAR && !r->integer && !image->linear &&
                  px_tex_blend_of(image, s, 3) != PX_TEX_WORDS;
    bool trilinear = s->mip_filter == PX_TEX_LINEAR && image->levels > 1 && !r->integer &&
                     px_tex_blend_of(image, s, 3) != PX_TEX_WORDS;
    uint32_t level = trilinear ? lod >> 8 : (lod + 128) >> 8;
    px_tex_place p[2] = {px_tex_place_of(image, s, r, level, linear, lane)};
    if (trilinear && lod & 255) p[1] = px_tex_place_of(image, s, r, level + 1, linear, lane);
    px_texel t = {{0}};
    for (uint32_t c = 0; c < image->channels; c++) {
        if (linear || trilinear) {
            t.c[c] = px_tex_channel(image, s, p, level, trilinear ? lod & 255 : 0, c);
        } else {
            int32_t z = image->kind == PX_IMAGE_3D ? p[0].z.i[0] : p[0].layer;
            if ((r->integer || image->linear) && (p[0].x.i[0] | p[0].y.i[0] | z) < 0) return (px_texel){{0}};
            uint32_t raw = px_tex_texel(image, s, level, p[0].x.i[0], p[0].y.i[0], z, c);
            t.c[c] = px_tex_value(image->format, s->read_normalized, px_tex_is_srgb(image, s, c), raw);
        }
    }
    if (r->halves) {
        t.c[0] = px_tex_f32_to_f16(t.c[0]) | px_tex_f32_to_f16(t.c[1]) << 16;
        t.c[1] = px_tex_f32_to_f16(t.c[2]) | px_tex_f32_to_f16(t.c[3]) << 16;
    }
    return t;
}

/* tld4. */
static inline px_texel px_tex_gather_lane(const struct px_image *image, const struct px_sampler *s,
                                          const struct px_tex_request *r, uint32_t channel, uint32_t lane)
{
    static const uint8_t dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
    px_tex_place p = px_tex_place_of(image, s, r, 0, true, lane);
    px_texel t = {{0}};
    for (int q = 0; channel < image->channels && q < 4; q++) {
        uint32_t raw = px_tex_texel(image, s, 0, p.x.i[dx[q]], p.y.i[dy[q]], p.layer, channel);
        t.c[q] = px_tex_value(image->format, s->read_normalized, px_tex_is_srgb(image, s, channel), raw);
    }
    return t;
}

#endif
