/*
 * tex/unit.h - the texture unit, one lane at a time: coordinates to texels, texels to words, blending.
 */
#ifndef PX_TEX_UNIT_H
#define PX_TEX_UNIT_H

#include <math.h>
#include <string.h>
#include "tex/texture.h"

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
    case PX_IMAGE_F16: half = (uint16_t)px_tex_f32_to_f16(value); break;
    default: memcpy(at + 4 * c, &value, 4); return;
    }
    memcpy(at + 2 * c, &half, 2);
}

/* What a raw channel counts as. */
static inline uint32_t px_tex_value(enum px_image_format format, bool normalized, uint32_t raw)
{
    if (!normalized) return raw;
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

/* The texel that a coordinate lies in. */
static inline int32_t px_tex_point(const struct px_sampler *s, const struct px_tex_request *r, int axis,
                                   int32_t n, uint32_t lane)
{
    uint32_t word = r->coord[axis][lane];
    bool normalized = px_tex_normalized(s, r);
    int64_t i = (int32_t)word;
    if (!r->integer) {
        double x = (double)px_tex_float(word);
        if (!(fabs(x) < 0x1p40)) x = x > 0 ? 0x1p40 : x < 0 ? -0x1p40 : 0;
        i = (int64_t)floor(normalized ? x * n : x);
    }
    if (r->offset[axis]) i += (int32_t)(r->offset[axis][lane] << 28) >> 28;
    return px_tex_wrapped(i, n, px_tex_mode(s, axis, normalized));
}

/* Face (+x -x +y -y +z -z), and place on it from 0 to 1, of a direction. */
static inline uint32_t px_tex_face(float x, float y, float z, float *s, float *t)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), sc, tc, ma;
    uint32_t face;
    if (az >= ax && az >= ay) {
        face = z < 0 ? 5 : 4, ma = az, sc = z < 0 ? -x : x, tc = -y;
    } else if (ay >= ax) {
        face = y < 0 ? 3 : 2, ma = ay, sc = x, tc = y < 0 ? -z : z;
    } else {
        face = x < 0 ? 1 : 0, ma = ax, sc = x < 0 ? z : -z, tc = -y;
    }
    *s = (sc / ma + 1) / 2;
    *t = (tc / ma + 1) / 2;
    return face;
}

/* ---- a lane ---- */

static inline px_texel px_tex_border(const struct px_image *image, const struct px_sampler *s)
{
    px_texel t;
    memcpy(t.c, s->border, sizeof t.c);
    for (uint32_t c = image->channels; c < 4; c++) t.c[c] = 0;
    return t;
}

static inline px_texel px_tex_fetch(const struct px_image *image, const struct px_sampler *s, uint32_t level,
                                    int32_t x, int32_t y, int32_t z)
{
    if (x < 0 || y < 0 || z < 0) return px_tex_border(image, s);
    const uint8_t *at = px_image_at(image, level, (uint32_t)x, (uint32_t)y, (uint32_t)z);
    px_texel t = {{0}};
    for (uint32_t c = 0; c < image->channels; c++)
        t.c[c] = px_tex_value(image->format, s->read_normalized, px_tex_raw(image->format, at, c));
    return t;
}

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

static inline px_texel px_tex_at_level(const struct px_image *image, const struct px_sampler *s,
                                       const struct px_tex_request *r, uint32_t level, uint32_t lane)
{
    const struct px_image_level *l = &image->level[level];
    int32_t at[3] = {0, 0, px_tex_layer(image, r, lane)};
    if (image->linear) {
        int32_t x = (int32_t)r->coord[0][lane];
        if (!r->integer) x = px_tex_point(s, r, 0, INT32_MAX, lane);
        return px_tex_fetch(image, s, 0, x >= 0 && (uint32_t)x < l->width ? x : -1, 0, 0);
    }
    if (image->kind == PX_IMAGE_CUBE || image->kind == PX_IMAGE_ACUBE) {
        float u, v;
        at[2] += (int32_t)px_tex_face(px_tex_float(r->coord[0][lane]), px_tex_float(r->coord[1][lane]),
                                      px_tex_float(r->coord[2][lane]), &u, &v);
        at[0] = px_tex_wrapped((int64_t)floorf(u * (float)l->width), (int32_t)l->width, PX_TEX_CLAMP);
        at[1] = px_tex_wrapped((int64_t)floorf(v * (float)l->height), (int32_t)l->height, PX_TEX_CLAMP);
        return px_tex_fetch(image, s, level, at[0], at[1], at[2]);
    }
    at[0] = px_tex_point(s, r, 0, (int32_t)l->width, lane);
    if (r->coord[1]) at[1] = px_tex_point(s, r, 1, (int32_t)l->height, lane);
    if (r->coord[2]) at[2] = px_tex_point(s, r, 2, (int32_t)l->depth, lane);
    return px_tex_fetch(image, s, level, at[0], at[1], at[2]);
}

/* The level of detail that a lane asks for. */
static inline uint32_t px_tex_level(const struct px_image *image, const struct px_sampler *s,
                                    const struct px_tex_request *r, uint32_t lane)
{
    if (r->lod != PX_TEX_LOD_LEVEL) return 0;
    if (r->integer) return px_tex_min((uint32_t)r->level[lane], image->levels - 1u);
    float lod = px_tex_float(r->level[lane]) + s->bias;
    lod = lod < s->min_level ? s->min_level : lod > s->max_level ? s->max_level : lod;
    return lod > 0 ? px_tex_min((uint32_t)(lod + 0.5f), image->levels - 1u) : 0;
}

static inline px_texel px_tex_lane(const struct px_image *image, const struct px_sampler *s,
                                   const struct px_tex_request *r, uint32_t lane)
{
    px_texel t = px_tex_at_level(image, s, r, px_tex_level(image, s, r, lane), lane);
    if (r->compare) t.c[0] = px_tex_float(r->compare[lane]) <= px_tex_float(t.c[0]) ? 0x3F800000 : 0;
    if (r->halves) {
        t.c[0] = px_tex_f32_to_f16(t.c[0]) | px_tex_f32_to_f16(t.c[1]) << 16;
        t.c[1] = px_tex_f32_to_f16(t.c[2]) | px_tex_f32_to_f16(t.c[3]) << 16;
    }
    return t;
}

/* Not there yet: tld4. The point under the coordinate stands for the four. */
static inline px_texel px_tex_gather_lane(const struct px_image *image, const struct px_sampler *s,
                                          const struct px_tex_request *r, uint32_t channel, uint32_t lane)
{
    px_texel t = px_tex_at_level(image, s, r, 0, lane);
    return (px_texel){{t.c[channel], t.c[channel], t.c[channel], t.c[channel]}};
}

#endif
