/*
 * image.c - where the texels of an image lie, what queries say of it, and reductions on surfaces.
 */
#include "tex/lod.h"
#include "tex/texture.h"
#include "tex/surface.h"
#include "tex/unit.h"

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

/* ---- sRGB ---- */

/* tex/lod.h, as recorded: 256 * log2(1 + (i + 1/2) / 256), rounded. */
const uint8_t px_tex_log2[256] = {
    0,   2,   4,   5,   6,   8,   9,   11,  12,  13,  15,  16,  18,  19,  20,  22,  23,  24,  26,  27,
    28,  30,  31,  32,  34,  35,  36,  38,  39,  40,  42,  43,  44,  45,  47,  48,  49,  50,  52,  53,
    54,  55,  57,  58,  59,  60,  62,  63,  64,  65,  66,  68,  69,  70,  71,  72,  74,  75,  76,  77,
    78,  79,  81,  82,  83,  84,  85,  86,  88,  89,  90,  91,  92,  93,  94,  95,  97,  98,  99,  100,
    101, 102, 103, 104, 105, 106, 107, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121,
    122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 135, 136, 137, 137, 138, 139, 140, 141,
    142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161,
    162, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 173, 174, 175, 176, 177, 178, 179,
    180, 181, 181, 182, 183, 184, 185, 186, 187, 188, 188, 189, 190, 191, 192, 193, 194, 195, 195, 196,
    197, 198, 199, 200, 200, 201, 202, 203, 204, 205, 205, 206, 207, 208, 209, 210, 210, 211, 212, 213,
    214, 214, 215, 216, 217, 218, 218, 219, 220, 221, 222, 222, 223, 224, 225, 226, 226, 227, 228, 229,
    229, 230, 231, 232, 233, 233, 234, 235, 236, 236, 237, 238, 239, 239, 240, 241, 242, 242, 243, 244,
    245, 245, 246, 247, 248, 248, 249, 250, 251, 251, 252, 253, 253, 254, 255, 255};

/* As recorded: the chip's own table, of 8 significant bits. */
const uint16_t px_tex_srgb[256] = {
    0x0000, 0x0D00, 0x1100, 0x1380, 0x1500, 0x1640, 0x1780, 0x1860, 0x1900, 0x19A0, 0x1A40, 0x1AE0, 0x1B80,
    0x1C20, 0x1C80, 0x1CE0, 0x1D50, 0x1DC0, 0x1E30, 0x1EB0, 0x1F30, 0x1FB0, 0x2018, 0x2060, 0x20B0, 0x20F8,
    0x2148, 0x21A0, 0x21F0, 0x2248, 0x22A8, 0x2300, 0x2360, 0x23D0, 0x2418, 0x2450, 0x2488, 0x24C0, 0x24F8,
    0x2530, 0x2570, 0x25B0, 0x25F0, 0x2630, 0x2670, 0x26B8, 0x2700, 0x2748, 0x2790, 0x27E0, 0x2818, 0x2840,
    0x2868, 0x2890, 0x28B8, 0x28E0, 0x2910, 0x2940, 0x2968, 0x2998, 0x29C8, 0x29F8, 0x2A28, 0x2A60, 0x2A90,
    0x2AC0, 0x2B00, 0x2B30, 0x2B60, 0x2BA0, 0x2BD0, 0x2C08, 0x2C28, 0x2C40, 0x2C60, 0x2C80, 0x2CA0, 0x2CC0,
    0x2CE0, 0x2D00, 0x2D20, 0x2D48, 0x2D68, 0x2D88, 0x2DB0, 0x2DD0, 0x2DF8, 0x2E18, 0x2E40, 0x2E68, 0x2E88,
    0x2EB0, 0x2ED8, 0x2F00, 0x2F28, 0x2F50, 0x2F80, 0x2FA0, 0x2FD0, 0x3000, 0x3010, 0x3028, 0x3040, 0x3058,
    0x3070, 0x3088, 0x30A0, 0x30B8, 0x30D0, 0x30E8, 0x3100, 0x3118, 0x3130, 0x3148, 0x3160, 0x3180, 0x3198,
    0x31B0, 0x31D0, 0x31E8, 0x3200, 0x3220, 0x3238, 0x3258, 0x3270, 0x3290, 0x32B0, 0x32C8, 0x32E8, 0x3308,
    0x3328, 0x3340, 0x3360, 0x3380, 0x33A0, 0x33C0, 0x33E0, 0x3400, 0x3410, 0x3420, 0x3430, 0x3440, 0x3450,
    0x3468, 0x3478, 0x3488, 0x3498, 0x34A8, 0x34C0, 0x34D0, 0x34E0, 0x34F0, 0x3508, 0x3518, 0x3528, 0x3540,
    0x3550, 0x3568, 0x3578, 0x3590, 0x35A0, 0x35B0, 0x35C8, 0x35E0, 0x35F0, 0x3608, 0x3618, 0x3630, 0x3640,
    0x3658, 0x3670, 0x3688, 0x3698, 0x36B0, 0x36C8, 0x36D8, 0x36F0, 0x3708, 0x3720, 0x3738, 0x3750, 0x3768,
    0x3780, 0x3790, 0x37B0, 0x37C0, 0x37E0, 0x37F0, 0x3808, 0x3810, 0x3820, 0x3828, 0x3838, 0x3848, 0x3850,
    0x3860, 0x3868, 0x3878, 0x3888, 0x3890, 0x38A0, 0x38B0, 0x38B8, 0x38C8, 0x38D8, 0x38E0, 0x38F0, 0x3900,
    0x3908, 0x3918, 0x3928, 0x3938, 0x3948, 0x3950, 0x3960, 0x3970, 0x3980, 0x3990, 0x3998, 0x39A8, 0x39B8,
    0x39C8, 0x39D8, 0x39E8, 0x39F8, 0x3A08, 0x3A18, 0x3A28, 0x3A38, 0x3A48, 0x3A58, 0x3A68, 0x3A78, 0x3A88,
    0x3A98, 0x3AA8, 0x3AB8, 0x3AC8, 0x3AD8, 0x3AE8, 0x3AF8, 0x3B08, 0x3B18, 0x3B28, 0x3B40, 0x3B50, 0x3B60,
    0x3B70, 0x3B80, 0x3B90, 0x3BA0, 0x3BB0, 0x3BD0, 0x3BE0, 0x3BF0, 0x3C00,
};

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
