/*
 * tex/rows.c - the texture unit over rows, for one SIMD level.
 *
 * Compiled once a level (-DPX_LEVEL=portable|avx2|avx512 and the matching machine flags); each object exports
 * one table, px_tex_rows_<level>. All levels give the same bits.
 */
#include "tex/levels.h"
#include "tex/unit.h"
#include "tex/surface.h"

static bool active(const uint32_t *mask, uint32_t i)
{
    return !mask || mask[i];
}

static void sample(const struct px_image *image, const struct px_sampler *sampler,
                   const struct px_tex_request *r, uint32_t *const d[4], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!active(r->mask, i)) continue;
        px_texel t = px_tex_lane(image, sampler, r, i);
        for (int c = 0; c < 4; c++)
            if (d[c]) d[c][i] = t.c[c];
    }
}

static void gather(const struct px_image *image, const struct px_sampler *sampler,
                   const struct px_tex_request *r, uint32_t channel, uint32_t *const d[4], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!active(r->mask, i)) continue;
        px_texel t = px_tex_gather_lane(image, sampler, r, channel, i);
        for (int c = 0; c < 4; c++) d[c][i] = t.c[c];
    }
}

static uint32_t first_outside(const struct px_image *image, const struct px_surf_request *r, uint32_t n)
{
    if (r->clamp != PX_SURF_TRAP) return n;
    for (uint32_t i = 0; i < n; i++)
        if (active(r->mask, i) && !px_surf_place(image, r, i)) return i;
    return n;
}

static uint32_t load(const struct px_image *image, const struct px_surf_request *r, void *const d[4],
                     uint32_t n)
{
    uint32_t outside = first_outside(image, r, n);
    if (outside < n) return outside;
    for (uint32_t i = 0; i < n; i++) {
        if (!active(r->mask, i)) continue;
        const uint8_t *at = px_surf_place(image, r, i);
        for (uint32_t e = 0; e < r->elements; e++) {
            uint64_t value = 0;
            if (at) memcpy(&value, at + e * r->size, r->size);
            memcpy((uint8_t *)d[e] + (size_t)i * r->row, &value, r->row);
        }
    }
    return n;
}

static uint32_t store(const struct px_image *image, const struct px_surf_request *r, const void *const s[4],
                      uint32_t n)
{
    uint32_t outside = first_outside(image, r, n);
    if (outside < n) return outside;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *at = active(r->mask, i) ? px_surf_place(image, r, i) : NULL;
        if (!at) continue;
        for (uint32_t e = 0; e < (r->formatted ? image->channels : r->elements); e++) {
            uint64_t value = 0;
            if (e < r->elements) memcpy(&value, (const uint8_t *)s[e] + (size_t)i * r->row, r->size);
            if (r->formatted)
                px_tex_encode(image->format, at, e, (uint32_t)value);
            else
                memcpy(at + e * r->size, &value, r->size);
        }
    }
    return n;
}

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

const struct px_tex_rows PASTE(px_tex_rows_, PX_LEVEL) = {sample, gather, load, store};
