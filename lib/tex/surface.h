/* tex/surface.h - where a lane's surface access lies. */
#ifndef PX_TEX_SURFACE_H
#define PX_TEX_SURFACE_H

#include "tex/texture.h"

/* The nearest legal value, or whether `at` is one. */
static inline bool px_surf_axis(int64_t *at, int64_t most, bool clamp)
{
    if (*at >= 0 && *at <= most) return true;
    *at = *at < 0 ? 0 : most;
    return clamp;
}

/* Host address of what lane i accesses; NULL when that lies outside and is not clamped. */
static inline uint8_t *px_surf_place(const struct px_image *image, const struct px_surf_request *r,
                                     uint32_t i)
{
    const struct px_image_level *l = &image->level[0];
    uint32_t texel = px_image_texel(image), access = r->formatted ? texel : (uint32_t)r->elements * r->size;
    bool clamp = r->clamp == PX_SURF_CLAMP, inside = true;
    int64_t x = (int32_t)r->coord[0][i], y = 0, z = 0;
    if (r->formatted) x *= texel;
    /* Clamped to the last aligned place where the access fits. */
    int64_t row = (int64_t)l->width * texel;
    if (x < 0 || x + access > row) {
        inside = clamp;
        x = row < access ? -1 : x < 0 ? 0 : (row - access) / access * access;
    }
    if (r->coord[1]) {
        y = (int32_t)r->coord[1][i];
        inside &= px_surf_axis(&y, (int64_t)l->height - 1, clamp);
    }
    if (r->coord[2]) {
        z = (int32_t)r->coord[2][i];
        inside &= px_surf_axis(&z, (int64_t)l->depth - 1, clamp);
    }
    if (r->layer) {
        z = r->layer[i];
        inside &= px_surf_axis(&z, (int64_t)image->layers - 1, clamp);
    }
    return inside && x >= 0 ? image->data + l->offset + (uint64_t)z * l->slice + (uint64_t)y * l->pitch + x
                            : NULL;
}

#endif
