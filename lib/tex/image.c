/*
 * image.c - where the texels of an image lie, what queries say of it, and reductions on surfaces.
 */
#include "tex/texture.h"
#include "tex/surface.h"

static bool has_height(enum px_image_kind kind)
{
    return kind != PX_IMAGE_1D && kind != PX_IMAGE_A1D;
}

static bool is_cube(enum px_image_kind kind)
{
    return kind == PX_IMAGE_CUBE || kind == PX_IMAGE_ACUBE;
}

static bool is_multisample(enum px_image_kind kind)
{
    return kind == PX_IMAGE_2DMS || kind == PX_IMAGE_A2DMS;
}

static uint32_t halved(uint32_t extent, uint32_t times)
{
    return extent >> times ? extent >> times : 1;
}

/* How many layers the kind may have, 0 for as many as are said. */
static bool layers_fit(struct px_image *image)
{
    if (!image->samples || !is_multisample(image->kind)) image->samples = 1;
    switch (image->kind) {
    case PX_IMAGE_1D:
    case PX_IMAGE_2D:
    case PX_IMAGE_3D: image->layers = 1; return true;
    case PX_IMAGE_CUBE: image->layers = 6; return true;
    case PX_IMAGE_ACUBE: return image->layers && image->layers % 6 == 0;
    case PX_IMAGE_2DMS: image->layers = image->samples; return true;
    default: return image->layers && image->layers % image->samples == 0;
    }
}

/* Places one level at `offset`; the bytes it takes. */
static uint64_t place(struct px_image_level *level, uint64_t offset, uint64_t row, uint32_t layers)
{
    level->offset = offset;
    level->pitch = (uint32_t)row;
    level->slice = row * level->height;
    return level->slice * (level->depth > 1 ? level->depth : layers);
}

bool px_image_layout(struct px_image *image, uint32_t width, uint32_t height, uint32_t depth)
{
    enum px_image_kind kind = image->kind;
    if (!has_height(kind)) height = 1;
    if (kind != PX_IMAGE_3D) depth = 1;
    if (!width || !height || !depth || (is_cube(kind) && width != height) || !layers_fit(image)) return false;
    uint32_t most = width > height ? width : height, levels = 1;
    for (most = most > depth ? most : depth; most > 1; most /= 2) levels++;
    if (!image->levels) image->levels = 1;
    if (image->levels > levels || image->levels > PX_IMAGE_LEVELS) return false;
    if ((uint64_t)width * px_image_texel(image) > UINT32_MAX - PX_IMAGE_ALIGN) return false;
    image->linear = image->pitched = false;
    image->bytes = 0;
    for (uint32_t i = 0; i < image->levels; i++) {
        struct px_image_level *level = &image->level[i];
        *level = (struct px_image_level){
            .width = halved(width, i), .height = halved(height, i), .depth = halved(depth, i)};
        uint64_t row = (uint64_t)level->width * px_image_texel(image);
        row = (row + PX_IMAGE_ALIGN - 1) / PX_IMAGE_ALIGN * PX_IMAGE_ALIGN;
        if (row * level->height >
            PX_IMAGE_BYTES_MAX / (level->depth > image->layers ? level->depth : image->layers))
            return false;
        image->bytes += place(level, image->bytes, row, image->layers);
        if (image->bytes > PX_IMAGE_BYTES_MAX) return false;
    }
    return true;
}

bool px_image_linear(struct px_image *image, enum px_image_format format, uint32_t channels, uint32_t width,
                     uint32_t height, uint32_t pitch)
{
    uint8_t *data = image->data;
    *image = (struct px_image){.data = data,
                               .kind = height ? PX_IMAGE_2D : PX_IMAGE_1D,
                               .format = (uint8_t)format,
                               .channels = (uint8_t)channels,
                               .levels = 1,
                               .samples = 1,
                               .layers = 1,
                               .linear = !height,
                               .pitched = height != 0};
    uint64_t row = (uint64_t)width * px_image_texel(image);
    if (!width || row > PX_IMAGE_BYTES_MAX) return false;
    if (height && (pitch < row || pitch % PX_IMAGE_PITCH_ALIGN || pitch > PX_IMAGE_BYTES_MAX / height))
        return false;
    image->level[0] = (struct px_image_level){.width = width, .height = height ? height : 1, .depth = 1};
    image->bytes = height ? place(&image->level[0], 0, pitch, 1) : row;
    return true;
}

static uint32_t of_level(const struct px_image *image, enum px_tex_query query, uint32_t level)
{
    if (level >= image->levels) return 0;
    const struct px_image_level *l = &image->level[level];
    if (query == PX_TEX_QUERY_WIDTH) return l->width;
    if (query == PX_TEX_QUERY_HEIGHT) return has_height(image->kind) ? l->height : 0;
    return image->kind == PX_IMAGE_3D ? l->depth : 0;
}

static uint32_t array_size(const struct px_image *image)
{
    switch (image->kind) {
    case PX_IMAGE_A1D:
    case PX_IMAGE_A2D: return image->layers;
    case PX_IMAGE_A2DMS: return image->layers / image->samples;
    case PX_IMAGE_ACUBE: return image->layers / 6;
    default: return 0;
    }
}

uint32_t px_tex_answer(const struct px_image *image, const struct px_sampler *sampler,
                       enum px_tex_query query, uint32_t level)
{
    static const struct px_sampler none;
    if (!sampler) sampler = &none;
    switch (query) {
    case PX_TEX_QUERY_CHANNEL_DATA_TYPE: return image->channel_type;
    case PX_TEX_QUERY_CHANNEL_ORDER: return image->channel_order;
    case PX_TEX_QUERY_NORMALIZED_COORDS: return sampler->normalized;
    case PX_TEX_QUERY_FORCE_UNNORMALIZED_COORDS: return sampler->unnormalized;
    case PX_TEX_QUERY_FILTER_MODE: return sampler->filter;
    case PX_TEX_QUERY_ADDR_MODE_0:
    case PX_TEX_QUERY_ADDR_MODE_1:
    case PX_TEX_QUERY_ADDR_MODE_2: return sampler->address[query - PX_TEX_QUERY_ADDR_MODE_0];
    case PX_TEX_QUERY_ARRAY_SIZE: return array_size(image);
    case PX_TEX_QUERY_NUM_MIPMAP_LEVELS: return image->levels;
    case PX_TEX_QUERY_NUM_SAMPLES: return image->samples;
    case PX_TEX_QUERY_MEMORY_LAYOUT: return image->linear || image->pitched;
    default: return of_level(image, query, level);
    }
}

/* ---- sured ---- */

/* One element, atomically: a loop of compare and exchange, since min and max have no instruction. */
#define REDUCE(bits)                                                                                         \
    static uint##bits##_t combine##bits(uint##bits##_t a, uint##bits##_t b, enum px_surf_op op,              \
                                        bool is_signed)                                                      \
    {                                                                                                        \
        bool less = is_signed ? (int##bits##_t)a < (int##bits##_t)b : a < b;                                 \
        switch (op) {                                                                                        \
        case PX_SURF_ADD: return a + b;                                                                      \
        case PX_SURF_MIN: return less ? a : b;                                                               \
        case PX_SURF_MAX: return less ? b : a;                                                               \
        case PX_SURF_AND: return a & b;                                                                      \
        default: return a | b;                                                                               \
        }                                                                                                    \
    }                                                                                                        \
    static void reduce##bits(void *at, uint##bits##_t b, enum px_surf_op op, bool is_signed)                 \
    {                                                                                                        \
        uint##bits##_t *p = at, was = __atomic_load_n(p, __ATOMIC_RELAXED);                                  \
        while (!__atomic_compare_exchange_n(p, &was, combine##bits(was, b, op, is_signed), true,             \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {                           \
        }                                                                                                    \
    }

REDUCE(32)
REDUCE(64)

uint32_t px_surf_reduce(const struct px_image *image, const struct px_surf_request *request,
                        enum px_surf_op op, bool is_signed, const void *s, uint32_t n)
{
    if (request->clamp == PX_SURF_TRAP)
        for (uint32_t i = 0; i < n; i++)
            if ((!request->mask || request->mask[i]) && !px_surf_place(image, request, i)) return i;
    for (uint32_t i = 0; i < n; i++) {
        if (request->mask && !request->mask[i]) continue;
        uint8_t *at = px_surf_place(image, request, i);
        if (!at) continue;
        const uint8_t *value = (const uint8_t *)s + (size_t)i * request->row;
        if (request->size == 8)
            reduce64(at, *(const uint64_t *)value, op, is_signed);
        else
            reduce32(at, *(const uint32_t *)value, op, is_signed);
    }
    return n;
}
