/* model.c - see model.h. MODEL_ROWS names the functions to ask, px_tex_rows_portable where nothing else is
 * said. */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include "tex/levels.h"

enum { LANES = 256 };

static bool image_of(const struct tex_case *c, struct px_image *image)
{
    memset(image, 0, sizeof *image);
    uint32_t w = (uint32_t)c->width, h = (uint32_t)c->height, texel;
    image->kind = (uint8_t)c->kind, image->format = (uint8_t)c->format,
    image->channels = (uint8_t)c->channels;
    image->levels = (uint8_t)c->levels, image->layers = (uint32_t)c->layers;
    texel = px_image_texel(image);
    if (c->linear || c->pitched) {
        uint32_t pitch = (w * texel + 511) / 512 * 512;
        if (!px_image_linear(image, c->format, (uint32_t)c->channels, w, c->pitched ? h : 0, pitch))
            return false;
    } else if (!px_image_layout(image, w, h, (uint32_t)c->depth)) {
        return false;
    }
    image->data = calloc(1, image->bytes + 64);
    if (!image->data) return false;
    for (uint32_t i = 0; i < image->levels; i++) {
        uint8_t *bytes = malloc(case_level_bytes(c, (int)i)), *from = bytes;
        if (!bytes) return false;
        case_texels(c, (int)i, bytes);
        const struct px_image_level *l = &image->level[i];
        uint32_t planes = l->depth > 1 ? l->depth : image->layers;
        for (uint32_t z = 0; z < planes; z++)
            for (uint32_t y = 0; y < l->height; y++, from += l->width * texel)
                memcpy(px_image_at(image, i, 0, y, z), from, l->width * texel);
        free(bytes);
    }
    return true;
}

static struct px_sampler sampler_of(const struct tex_case *c)
{
    struct px_sampler s = {.filter = (uint8_t)c->filter,
                           .mip_filter = (uint8_t)c->mip,
                           .normalized = c->normalized,
                           .read_normalized = c->read_normalized,
                           .srgb = c->srgb,
                           .seamless = c->seamless,
                           .anisotropy = (uint8_t)c->anisotropy,
                           .bias = c->bias,
                           .min_level = c->min_level,
                           .max_level = c->max_level};
    for (int i = 0; i < 3; i++) s.address[i] = (uint8_t)c->address[i];
    memcpy(s.border, c->border, sizeof s.border);
    return s;
}

struct rows {
    uint32_t coord[3][LANES], layer[LANES], level[LANES], dx[3][LANES], dy[3][LANES], offset[3][LANES],
        d[4][LANES];
};

static bool gathers(const struct tex_case *c)
{
    return c->op == OP_GATHER || c->op == OP_GATHER_OFFSET || c->op == OP_GATHER_COMPARE;
}

static struct px_tex_request request_of(const struct tex_case *c, struct rows *rows)
{
    static const int axes[] = {1, 2, 3, 1, 2, 3, 3};
    struct px_tex_request r = {.integer = c->op == OP_INT || c->op == OP_INT_LEVEL,
                               .halves = c->op == OP_HALVES};
    for (int i = 0; i < axes[c->kind]; i++) {
        r.coord[i] = rows->coord[i];
        if (c->op == OP_GRAD) r.dx[i] = rows->dx[i], r.dy[i] = rows->dy[i], r.lod = PX_TEX_LOD_GRAD;
        if (c->op == OP_OFFSET || c->op == OP_GATHER_OFFSET) r.offset[i] = rows->offset[i];
    }
    r.gather = gathers(c);
    if (c->op == OP_LEVEL || c->op == OP_INT_LEVEL) r.level = rows->level, r.lod = PX_TEX_LOD_LEVEL;
    if (c->kind == PX_IMAGE_A1D || c->kind == PX_IMAGE_A2D || c->kind == PX_IMAGE_ACUBE)
        r.layer = rows->layer;
    return r;
}

static void take(const struct tex_case *c, struct rows *rows, uint32_t index, int i)
{
    struct tex_operands o;
    case_operands(c, index, &o);
    for (int k = 0; k < 3; k++) {
        rows->coord[k][i] = o.coord[k], rows->offset[k][i] = o.offset[k];
        rows->dx[k][i] = o.dx[k], rows->dy[k][i] = o.dy[k];
    }
    rows->layer[i] = o.layer, rows->level[i] = o.level;
}

bool model_run(const struct tex_case *c, const struct px_tex_rows *ask, uint32_t first, uint32_t n,
               uint32_t (*words)[4])
{
    struct px_image image;
    struct px_sampler sampler = sampler_of(c);
    struct rows *rows = calloc(1, sizeof *rows);
    bool ok = rows && image_of(c, &image);
    for (uint32_t k = 0; ok && k < n; k += LANES) {
        for (int i = 0; i < LANES; i++) take(c, rows, first + k + (uint32_t)i, i);
        struct px_tex_request r = request_of(c, rows);
        uint32_t *d[4] = {rows->d[0], rows->d[1], rows->d[2], rows->d[3]};
        if (r.gather)
            ask->gather(&image, &sampler, &r, (uint32_t)c->component, d, LANES);
        else
            ask->sample(&image, &sampler, &r, d, LANES);
        for (int i = 0; i < LANES; i++)
            for (int e = 0; e < 4; e++)
                words[k + (uint32_t)i][e] = c->op == OP_HALVES && e > 1 ? 0 : rows->d[e][i];
    }
    if (rows) free(image.data);
    free(rows);
    return ok;
}
