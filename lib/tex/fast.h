/*
 * tex/fast.h - the common fetches as loops over a row that compilers turn into vectors.
 *
 * Coordinates in f32, no offsets: images of one level, 1D, 2D, 3D and layers, by the nearest
 * texel or linearly; tld4 of 2D and its layers. The stages are axes (coordinates to texel numbers and
 * weights), places (to byte offsets), words (gathers), and blending by tex/unit.h's rules. A lane that needs
 * more (the border, a NaN, an infinity, a huge coordinate, a zero of doubtful sign) is marked slow and left
 * to px_tex_lane, which does everything.
 */
#ifndef PX_TEX_FAST_H
#define PX_TEX_FAST_H

#include "tex/unit.h"

enum { PX_TEX_ROW = 256 };

/* A stage works on a whole row: it is there once, and calls cost nothing beside it. */
#define PX_TEX_STAGE static __attribute__((noinline))

#define PX_TEX_LOOP _Pragma("GCC ivdep") for (uint32_t i = 0; i < n; i++)

/* Weights and texel numbers of a row along an axis; scratch of a row. */
typedef struct px_tex_axis_row {
    int32_t first[PX_TEX_ROW], second[PX_TEX_ROW], weight[PX_TEX_ROW];
} px_tex_axis_row;

typedef struct px_tex_scratch {
    px_tex_axis_row axis[3];
    uint32_t slow[PX_TEX_ROW];
    uint32_t at[4][PX_TEX_ROW];   /* byte offsets of the texels of a slice */
    uint32_t word[4][PX_TEX_ROW]; /* their words */
    uint32_t t[4][PX_TEX_ROW];    /* one channel of them */
    int32_t w[2][4][PX_TEX_ROW];  /* weights, by slice */
    int32_t most[2][PX_TEX_ROW];  /* greatest exponents */
    double sum[2][PX_TEX_ROW];
    int32_t wide[PX_TEX_ROW];
} px_tex_scratch;

/* ---- axes ---- */

/* Places in 1/256 texel, of coordinates that are neither huge nor NaN: into `first`. A normalised one is
 * taken into [0, `period`) first, which `period` turns of the texture are, 0 for none. */
PX_TEX_STAGE void px_tex_fast_places(px_tex_scratch *k, px_tex_axis_row *a, const uint32_t *coord,
                                     int32_t extent, bool normalized, int period, bool linear, uint32_t n)
{
    double half = linear ? 0.5 : 0;
    if (!normalized) {
        PX_TEX_LOOP
        {
            float x = px_tex_float(coord[i]);
            bool far = !(fabsf(x) < 0x1p21f);
            double y = far || fabsf(x) < 0x1p-126f ? half : (double)x * 256 + half;
            int32_t down = (int32_t)y;
            a->first[i] = down - ((double)down > y);
            k->slow[i] |= far;
        }
        return;
    }
    int bits = extent > 65536 ? 23 : extent > 8192 ? 22 : 21;
    float one = (float)(1 << bits), limit = period ? 0x1p8f : 0x1p5f;
    int32_t turn = period ? (period << bits) - 1 : -1;
    double scale = (double)extent * 256 / one;
    PX_TEX_LOOP
    {
        float x = px_tex_float(coord[i]);
        bool far = !(fabsf(x) < limit);
        float y = far || fabsf(x) < 0x1p-126f ? 0 : x * one;
        int32_t down = (int32_t)y;
        down -= (float)down > y;
        double place = (double)(down & turn) * scale + half;
        int32_t whole = (int32_t)place;
        a->first[i] = whole - ((double)whole > place);
        k->slow[i] |= far;
    }
}

/* Texel numbers and weights of the places in `first`. */
PX_TEX_STAGE void px_tex_fast_axis(px_tex_scratch *k, px_tex_axis_row *a, int32_t extent,
                                   enum px_tex_address mode, bool linear, uint32_t n)
{
    int32_t back = linear ? 128 : 0, next = linear ? 1 : 0;
#define PX_TEX_AXIS(...)                                                                                     \
    PX_TEX_LOOP                                                                                              \
    {                                                                                                        \
        int32_t at = a->first[i] - back, p = at >> 8, q = p + next, w = linear ? at & 255 : 0;               \
        __VA_ARGS__                                                                                          \
        a->first[i] = p, a->second[i] = q, a->weight[i] = w;                                                 \
    }
    switch (mode) {
    case PX_TEX_WRAP: PX_TEX_AXIS(p = p < 0 ? p + extent : p; q = q >= extent ? q - extent : q;) break;
    case PX_TEX_MIRROR:
        PX_TEX_AXIS(p = p >= extent ? 2 * extent - 1 - p : p; p = p < 0 ? ~p : p;
                    q = q >= extent ? 2 * extent - 1 - q : q; q = q < 0 ? ~q : q;)
        break;
    case PX_TEX_BORDER:
        PX_TEX_AXIS(bool out = p < 0 || q >= extent; k->slow[i] |= out; p = out ? 0 : p; q = out ? 0 : q;)
        break;
    default:
        PX_TEX_AXIS(w = linear && (at < 0 || at > (extent - 1) * 256) ? 0 : w; p = p < 0 ? 0 : p;
                    q = q < 0 ? 0 : q; p = p < extent ? p : extent - 1; q = q < extent ? q : extent - 1;)
    }
#undef PX_TEX_AXIS
}

/* ---- words ---- */

PX_TEX_STAGE void px_tex_fast_gather(uint32_t *d, const uint8_t *data, const uint32_t *at, uint32_t add,
                                     uint32_t n)
{
    const uint32_t *words = (const uint32_t *)(const void *)data;
    PX_TEX_LOOP d[i] = words[(at[i] + add) >> 2];
}

/* Channel `c` of texels whose word is given (that of the channel): raw, as px_tex_raw. */
PX_TEX_STAGE void px_tex_fast_raw(enum px_image_format format, uint32_t *d, const uint32_t *word,
                                  const uint32_t *at, uint32_t add, uint32_t n)
{
    switch (format) {
    case PX_IMAGE_U8: PX_TEX_LOOP d[i] = word[i] >> ((at[i] + add) & 3) * 8 & 255; break;
    case PX_IMAGE_S8: PX_TEX_LOOP d[i] = (uint32_t)(int8_t)(word[i] >> ((at[i] + add) & 3) * 8); break;
    case PX_IMAGE_U16: PX_TEX_LOOP d[i] = word[i] >> ((at[i] + add) & 2) * 8 & 65535; break;
    case PX_IMAGE_S16: PX_TEX_LOOP d[i] = (uint32_t)(int16_t)(word[i] >> ((at[i] + add) & 2) * 8); break;
    case PX_IMAGE_F16:
        PX_TEX_LOOP d[i] = px_tex_f16_to_f32(word[i] >> ((at[i] + add) & 2) * 8 & 65535);
        break;
    default: PX_TEX_LOOP d[i] = word[i];
    }
}

/* ---- blending ---- */

/* px_tex_block of f32 for a row. */
PX_TEX_STAGE void px_tex_fast_block(px_tex_scratch *k, int slice, uint32_t n)
{
    int32_t(*w)[PX_TEX_ROW] = k->w[slice];
    uint32_t(*t)[PX_TEX_ROW] = k->t;
    PX_TEX_LOOP
    {
        int32_t most = 1, signs = 0;
        int32_t e[4];
        for (int q = 0; q < 4; q++) {
            e[q] = (int32_t)(t[q][i] >> 23 & 255);
            signs |= (int32_t)t[q][i];
            k->slow[i] |= e[q] == 255;
            most = w[q][i] && e[q] > most ? e[q] : most;
        }
        double sum = 0;
        for (int q = 0; q < 4; q++) {
            int32_t cut = most - e[q], drop = cut - 4 < 0 ? 0 : cut - 4;
            uint32_t kept = cut > 27 || !e[q] ? 0 : t[q][i] & (0xFFFFFFFFu << (drop & 31));
            sum += w[q][i] ? (double)px_tex_float(kept) * (double)w[q][i] : 0;
        }
        k->slow[i] |= (sum == 0 && signs < 0) || (sum != 0 && most < 40);
        k->most[slice][i] = most;
        k->sum[slice][i] = sum;
    }
}

/* px_tex_sum_of and px_tex_round. */
PX_TEX_STAGE void px_tex_fast_round(px_tex_scratch *k, int slices, uint32_t *d, uint32_t n)
{
    if (slices == 2) {
        PX_TEX_LOOP
        {
            double a = k->sum[0][i], b = k->sum[1][i];
            bool swap = k->most[0][i] < k->most[1][i];
            int32_t most = swap ? k->most[1][i] : k->most[0][i];
            uint64_t bits = (uint64_t)(uint32_t)(1023 + (most & ~3) - 154) << 52;
            double unit, great = swap ? b : a, small = swap ? a : b;
            memcpy(&unit, &bits, 8);
            double cut = floor(small / unit) * unit;
            bool same = k->most[0][i] == k->most[1][i] || great == 0;
            k->sum[0][i] = great + (same ? small : cut);
            k->slow[i] |= k->sum[0][i] == 0;
        }
    }
    PX_TEX_LOOP d[i] = px_tex_bits((float)(k->sum[0][i] * ((1 + 0x1p-40) / 256)));
}

PX_TEX_STAGE void px_tex_fast_wide(px_tex_scratch *k, enum px_image_format format, int slice, uint32_t n)
{
    int32_t(*w)[PX_TEX_ROW] = k->w[slice], by = format == PX_IMAGE_U8 ? 257 : 1;
    uint32_t(*t)[PX_TEX_ROW] = k->t;
    PX_TEX_LOOP
    {
        int32_t sum = w[0][i] * (int32_t)t[0][i] + w[1][i] * (int32_t)t[1][i] + w[2][i] * (int32_t)t[2][i] +
                      w[3][i] * (int32_t)t[3][i];
        k->wide[i] = (slice ? k->wide[i] : 0) + sum * by;
    }
}

PX_TEX_STAGE void px_tex_fast_from_wide(px_tex_scratch *k, enum px_tex_blend blend, uint32_t *d, uint32_t n)
{
    if (blend == PX_TEX_UNORM)
        PX_TEX_LOOP d[i] = px_tex_from_wide(PX_TEX_UNORM, k->wide[i]);
    else if (blend == PX_TEX_BYTE)
        PX_TEX_LOOP d[i] = px_tex_from_wide(PX_TEX_BYTE, k->wide[i]);
    else
        PX_TEX_LOOP d[i] = px_tex_from_wide(PX_TEX_SNORM, k->wide[i]);
}

/* px_tex_value of a row. */
PX_TEX_STAGE void px_tex_fast_value(enum px_image_format format, bool normalized, uint32_t *d, uint32_t n)
{
    if (!normalized) return;
    switch (format) {
    case PX_IMAGE_U8: PX_TEX_LOOP d[i] = px_tex_value(PX_IMAGE_U8, true, false, d[i]); break;
    case PX_IMAGE_S8: PX_TEX_LOOP d[i] = px_tex_value(PX_IMAGE_S8, true, false, d[i]); break;
    case PX_IMAGE_U16: PX_TEX_LOOP d[i] = px_tex_value(PX_IMAGE_U16, true, false, d[i]); break;
    case PX_IMAGE_S16: PX_TEX_LOOP d[i] = px_tex_value(PX_IMAGE_S16, true, false, d[i]); break;
    default: break;
    }
}

/* ---- a row ---- */

static inline bool px_tex_fast_plain(const struct px_image *image, const struct px_sampler *s,
                                     const struct px_tex_request *r, uint32_t n)
{
    return !(image->bytes >> 31) && n <= PX_TEX_ROW && !r->offset[0] && !r->offset[1] && !r->offset[2] &&
           !s->srgb;
}

/* Whether the row functions below know the fetch. */
static inline bool px_tex_fast_knows(const struct px_image *image, const struct px_sampler *s,
                                     const struct px_tex_request *r, uint32_t n)
{
    if (!px_tex_fast_plain(image, s, r, n) || image->kind > PX_IMAGE_A2D || image->levels > 1) return false;
    if (r->integer || r->halves || image->linear) return false;
    if (image->kind == PX_IMAGE_1D && s->address[1] == PX_TEX_BORDER) return false;
    return s->filter == PX_TEX_POINT || image->format != PX_IMAGE_F16;
}

/* Weights of both slices. */
PX_TEX_STAGE void px_tex_fast_weights(px_tex_scratch *k, int slice, int slices, uint32_t n)
{
    const int32_t *x = k->axis[0].weight, *y = k->axis[1].weight, *z = k->axis[2].weight;
    PX_TEX_LOOP
    {
        int32_t whole = slices == 1 ? 256 : slice ? z[i] : 256 - z[i];
        int32_t right = (x[i] * whole + 128) >> 8, left = whole - right;
        int32_t w0 = (left * (256 - y[i]) + 128) >> 8, w3 = (right * y[i] + 128) >> 8;
        k->w[slice][0][i] = w0, k->w[slice][1][i] = right - w3;
        k->w[slice][2][i] = left - w0, k->w[slice][3][i] = w3;
    }
}

/* Byte offsets of the four texels of a slice; inactive and slow lanes read the first texel. */
PX_TEX_STAGE void px_tex_fast_at(px_tex_scratch *k, const struct px_image *image,
                                 const struct px_tex_request *r, int slice, uint32_t n)
{
    const struct px_image_level *l = &image->level[0];
    const px_tex_axis_row *x = &k->axis[0], *y = &k->axis[1], *z = &k->axis[2];
    uint32_t texel = px_image_texel(image), pitch = l->pitch, deep = (uint32_t)l->slice,
             last = image->layers - 1;
    uint32_t base[PX_TEX_ROW];
    if (image->kind == PX_IMAGE_3D)
        PX_TEX_LOOP base[i] = (uint32_t)(slice ? z->second[i] : z->first[i]) * deep;
    else if (r->layer)
        PX_TEX_LOOP base[i] = (r->layer[i] < last ? r->layer[i] : last) * deep;
    else
        PX_TEX_LOOP base[i] = 0;
    PX_TEX_LOOP
    {
        uint32_t on = k->slow[i] ? 0 : ~0u;
        uint32_t low = base[i] + (uint32_t)y->first[i] * pitch,
                 high = base[i] + (uint32_t)y->second[i] * pitch;
        uint32_t left = (uint32_t)x->first[i] * texel, right = (uint32_t)x->second[i] * texel;
        k->at[0][i] = (low + left) & on, k->at[1][i] = (low + right) & on;
        k->at[2][i] = (high + left) & on, k->at[3][i] = (high + right) & on;
    }
}

/* The axes of a row. An axis that the kind lacks is texel 0. */
static inline void px_tex_fast_axes(px_tex_scratch *k, const struct px_image *image,
                                    const struct px_sampler *s, const struct px_tex_request *r, bool linear,
                                    uint32_t n)
{
    const struct px_image_level *l = &image->level[0];
    const int32_t extent[3] = {(int32_t)l->width, (int32_t)l->height, (int32_t)l->depth};
    bool normalized = px_tex_normalized(s, r);
    for (int axis = 0; axis < 3; axis++) {
        px_tex_axis_row *a = &k->axis[axis];
        if (!r->coord[axis]) {
            memset(a, 0, sizeof *a);
            if (axis == 1 && linear && image->kind == PX_IMAGE_1D)
                for (uint32_t i = 0; i < n; i++) a->weight[i] = 128;
            continue;
        }
        enum px_tex_address mode = px_tex_mode(s, axis, normalized);
        int period = mode == PX_TEX_WRAP ? 1 : mode == PX_TEX_MIRROR ? 2 : 0;
        px_tex_fast_places(k, a, r->coord[axis], extent[axis], normalized, period, linear, n);
        px_tex_fast_axis(k, a, extent[axis], mode, linear, n);
    }
}

/* One channel of the nearest texels, which lie at k->at[0]. */
static inline void px_tex_fast_nearest(px_tex_scratch *k, const struct px_image *image,
                                       const struct px_sampler *s, uint32_t c, uint32_t *d, uint32_t n)
{
    uint32_t size = px_image_texel(image) / image->channels, add = c * size;
    if (!c || px_image_texel(image) > 4) px_tex_fast_gather(k->word[0], image->data, k->at[0], add, n);
    px_tex_fast_raw(image->format, d, k->word[0], k->at[0], add, n);
    px_tex_fast_value(image->format, s->read_normalized, d, n);
}

/* One channel of the texels that lie at k->at[q]. */
static inline void px_tex_fast_fetch(px_tex_scratch *k, const struct px_image *image, int q, uint32_t c,
                                     uint32_t *d, uint32_t n)
{
    uint32_t add = c * (px_image_texel(image) / image->channels);
    px_tex_fast_gather(k->word[q], image->data, k->at[q], add, n);
    px_tex_fast_raw(image->format, d, k->word[q], k->at[q], add, n);
}

/* One channel of a slice, blended into the sums; its texels lie at k->at. */
static inline void px_tex_fast_blend(px_tex_scratch *k, const struct px_image *image, enum px_tex_blend blend,
                                     int slice, uint32_t c, uint32_t n)
{
    for (int q = 0; q < 4; q++) px_tex_fast_fetch(k, image, q, c, k->t[q], n);
    if (blend == PX_TEX_FLOAT)
        px_tex_fast_block(k, slice, n);
    else
        px_tex_fast_wide(k, image->format, slice, n);
}

#endif
