/*
 * tex/rows.c - the texture unit over rows, for one SIMD level.
 *
 * Compiled once a level (-DPX_LEVEL=portable|avx2|avx512 and the matching machine flags); each object exports
 * one table, px_tex_rows_<level>. All levels give the same bits.
 */
#include "tex/levels.h"
#include "tex/fast.h"
#include "tex/surface.h"

static bool active(const uint32_t *mask, uint32_t i)
{
    return !mask || mask[i];
}

static void one(const struct px_image *image, const struct px_sampler *sampler,
                const struct px_tex_request *r, uint32_t *const d[4], uint32_t i)
{
    px_texel t = px_tex_lane(image, sampler, r, i);
    for (int c = 0; c < 4; c++)
        if (d[c]) d[c][i] = t.c[c];
}

/* d = s in the lanes of the mask. */
static void put(uint32_t *d, const uint32_t *s, const uint32_t *mask, uint32_t n)
{
    if (!d) return;
    if (!mask)
        PX_TEX_LOOP d[i] = s[i];
    else
        PX_TEX_LOOP d[i] = mask[i] ? s[i] : d[i];
}

/* Where the fetch is a common one: all lanes in vectors, then those that were too hard. */
static void quick(const struct px_image *image, const struct px_sampler *s, const struct px_tex_request *r,
                  uint32_t *const d[4], uint32_t n)
{
    px_tex_scratch k;
    uint32_t out[PX_TEX_ROW];
    enum px_tex_blend blend = px_tex_blend_of(image, s, 3);
    bool linear = s->filter == PX_TEX_LINEAR && blend != PX_TEX_WORDS;
    int slices = image->kind == PX_IMAGE_3D && linear ? 2 : 1;
    PX_TEX_LOOP k.slow[i] = r->mask ? !r->mask[i] : 0;
    px_tex_fast_axes(&k, image, s, r, linear, n);
    for (int slice = 0; linear && slice < slices; slice++) px_tex_fast_weights(&k, slice, slices, n);
    if (slices == 1) px_tex_fast_at(&k, image, r, 0, n);
    for (uint32_t c = 0; c < 4; c++) {
        if (c >= image->channels)
            PX_TEX_LOOP out[i] = 0;
        else if (!linear)
            px_tex_fast_nearest(&k, image, s, c, out, n);
        else {
            for (int slice = 0; slice < slices; slice++) {
                if (slices == 2) px_tex_fast_at(&k, image, r, slice, n);
                px_tex_fast_blend(&k, image, blend, slice, c, n);
            }
            if (blend == PX_TEX_FLOAT)
                px_tex_fast_round(&k, slices, out, n);
            else
                px_tex_fast_from_wide(&k, blend, out, n);
        }
        put(d[c], out, r->mask, n);
    }
    for (uint32_t i = 0; i < n; i++)
        if (k.slow[i] && active(r->mask, i)) one(image, s, r, d, i);
}

static void sample(const struct px_image *image, const struct px_sampler *s, const struct px_tex_request *r,
                   uint32_t *const d[4], uint32_t n)
{
    if (px_tex_fast_knows(image, s, r, n)) {
        quick(image, s, r, d, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (active(r->mask, i)) one(image, s, r, d, i);
}

/* tld4 of 2D: as quick(). */
static void quick_gather(const struct px_image *image, const struct px_sampler *s,
                         const struct px_tex_request *r, uint32_t channel, uint32_t *const d[4],
                         uint32_t *slow, uint32_t n)
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    px_tex_scratch k;
    uint32_t out[PX_TEX_ROW];
    PX_TEX_LOOP k.slow[i] = r->mask ? !r->mask[i] : 0;
    px_tex_fast_axes(&k, image, s, r, true, n);
    px_tex_fast_at(&k, image, r, 0, n);
    for (int q = 0; q < 4; q++) {
        px_tex_fast_fetch(&k, image, order[q], channel, out, n);
        px_tex_fast_value(image->format, s->read_normalized, out, n);
        put(d[q], out, r->mask, n);
    }
    PX_TEX_LOOP slow[i] = k.slow[i];
}

static void gather(const struct px_image *image, const struct px_sampler *sampler,
                   const struct px_tex_request *r, uint32_t channel, uint32_t *const d[4], uint32_t n)
{
    uint32_t slow[PX_TEX_ROW];
    const bool flat = image->kind == PX_IMAGE_2D || image->kind == PX_IMAGE_A2D;
    const bool fast = flat && channel < image->channels && px_tex_fast_plain(image, sampler, r, n);
    if (fast) quick_gather(image, sampler, r, channel, d, slow, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!active(r->mask, i) || (fast && !slow[i])) continue;
        px_texel t = px_tex_gather_lane(image, sampler, r, channel, i);
        for (int c = 0; c < 4; c++) d[c][i] = t.c[c];
    }
}

/* ---- surfaces ---- */

enum { RUN = 16 };

/* The bits in which v[i] differs from v[0] + i * step anywhere. */
static uint32_t uneven(const uint32_t *v, uint32_t step, uint32_t count)
{
    uint32_t other = 0;
    if (v)
        for (uint32_t i = 0; i < count; i++) other |= v[i] - v[0] - i * step;
    return other;
}

/* The host address of the first of `count` lanes from i on that access one run of bytes inside the image;
 * NULL when they do not, or are not all active, or their row has wider elements. */
static uint8_t *run_of(const struct px_image *image, const struct px_surf_request *r, uint32_t i,
                       uint32_t count)
{
    if (r->formatted || r->elements != 1 || r->row != r->size) return NULL;
    const uint32_t *y = r->coord[1] ? r->coord[1] + i : NULL, *z = r->coord[2] ? r->coord[2] + i : NULL;
    uint32_t other = uneven(r->coord[0] + i, r->size, count) | uneven(y, 0, count) | uneven(z, 0, count) |
                     uneven(r->layer ? r->layer + i : NULL, 0, count);
    if (r->mask) other |= uneven(r->mask + i, 0, count) | ~r->mask[i];
    uint8_t *first = other ? NULL : px_surf_place(image, r, i);
    uint32_t last = (count - 1) * r->size;
    return first && px_surf_place(image, r, i + count - 1) == first + last ? first : NULL;
}

static uint32_t first_outside(const struct px_image *image, const struct px_surf_request *r, uint32_t n)
{
    if (r->clamp != PX_SURF_TRAP) return n;
    for (uint32_t i = 0; i < n; i++) {
        if (i % RUN == 0 && run_of(image, r, i, RUN))
            i += RUN - 1;
        else if (active(r->mask, i) && !px_surf_place(image, r, i))
            return i;
    }
    return n;
}

static void load_one(const struct px_image *image, const struct px_surf_request *r, void *const d[4],
                     uint32_t i)
{
    const uint8_t *at = px_surf_place(image, r, i);
    for (uint32_t e = 0; e < r->elements; e++) {
        uint64_t value = 0;
        if (at) memcpy(&value, at + e * r->size, r->size);
        memcpy((uint8_t *)d[e] + (size_t)i * r->row, &value, r->row);
    }
}

static uint32_t load(const struct px_image *image, const struct px_surf_request *r, void *const d[4],
                     uint32_t n)
{
    const uint8_t *all = run_of(image, r, 0, n);
    if (all) {
        memcpy(d[0], all, (size_t)n * r->size);
        return n;
    }
    uint32_t outside = first_outside(image, r, n);
    if (outside < n) return outside;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *run = i % RUN == 0 ? run_of(image, r, i, RUN) : NULL;
        if (run) {
            memcpy((uint8_t *)d[0] + (size_t)i * r->row, run, (size_t)RUN * r->size);
            i += RUN - 1;
        } else if (active(r->mask, i)) {
            load_one(image, r, d, i);
        }
    }
    return n;
}

static void store_one(const struct px_image *image, const struct px_surf_request *r, const void *const s[4],
                      uint32_t i)
{
    uint8_t *at = px_surf_place(image, r, i);
    if (!at) return;
    for (uint32_t e = 0; e < (r->formatted ? image->channels : r->elements); e++) {
        uint64_t value = 0;
        if (e < r->elements) memcpy(&value, (const uint8_t *)s[e] + (size_t)i * r->row, r->size);
        if (r->formatted)
            px_tex_encode(image->format, at, e, (uint32_t)value);
        else
            memcpy(at + e * r->size, &value, r->size);
    }
}

static uint32_t store(const struct px_image *image, const struct px_surf_request *r, const void *const s[4],
                      uint32_t n)
{
    uint8_t *all = run_of(image, r, 0, n);
    if (all) {
        memcpy(all, s[0], (size_t)n * r->size);
        return n;
    }
    uint32_t outside = first_outside(image, r, n);
    if (outside < n) return outside;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *run = i % RUN == 0 ? run_of(image, r, i, RUN) : NULL;
        if (run) {
            memcpy(run, (const uint8_t *)s[0] + (size_t)i * r->row, (size_t)RUN * r->size);
            i += RUN - 1;
        } else if (active(r->mask, i)) {
            store_one(image, r, s, i);
        }
    }
    return n;
}

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

const struct px_tex_rows PASTE(px_tex_rows_, PX_LEVEL) = {sample, gather, load, store};
