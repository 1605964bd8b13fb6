/*
 * texture.h - images, samplers, and the texture unit of sm_90 over rows of lanes.
 *
 * An image is memory with a shape and a format: a CUDA array (1D, 2D, 3D, layered, cube, with levels), linear
 * memory, or a pitched 2D piece of it. A sampler says how coordinates become texels. Both are plain structs
 * that the caller fills; nothing here allocates, locks or keeps state. The functions that kernels run (struct
 * px_tex_rows) come once a SIMD level (tex/levels.h); all levels give the same bits.
 *
 * Layout. Texels lie row after row: x fastest, then y, then z or layer (for cubes layer = 6 * cube + face,
 * faces +x -x +y -y +z -z); level after level. A row starts at a multiple of PX_IMAGE_ALIGN bytes
 * (px_image_layout; a pitched image brings its own pitch). Channels of a texel lie together, little-endian.
 * That is also how copies to and from arrays see it: a copy is rows of memcpy. The unit reads whole aligned
 * words, so `data` is aligned to 4, and the word in which the last texel ends is readable. No offset exceeds
 * PX_IMAGE_BYTES_MAX.
 *
 * Threads. Any number may sample and load; stores by surface race as the kernel's do, and no element is torn.
 *
 * Results are a chip's bits (docs/fidelity-texture.md), with these exceptions: anisotropy is not there (one
 * sample is taken), and a few more that docs/fidelity.md lists.
 */
#ifndef PX_TEX_TEXTURE_H
#define PX_TEX_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- images ---- */

/* Shapes, of images and of instructions. */
enum px_image_kind {
    PX_IMAGE_1D,
    PX_IMAGE_2D,
    PX_IMAGE_3D,
    PX_IMAGE_A1D,  /* layered 1D */
    PX_IMAGE_A2D,  /* layered 2D */
    PX_IMAGE_CUBE, /* 6 layers */
    PX_IMAGE_ACUBE,
    PX_IMAGE_2DMS,  /* several samples a texel: layers = samples, in PTX only */
    PX_IMAGE_A2DMS, /* layer = array layer * samples + sample */
    PX_IMAGE_KINDS
};

/* Format of a channel. */
enum px_image_format {
    PX_IMAGE_U8,
    PX_IMAGE_U16,
    PX_IMAGE_U32,
    PX_IMAGE_S8,
    PX_IMAGE_S16,
    PX_IMAGE_S32,
    PX_IMAGE_F16,
    PX_IMAGE_F32,
    PX_IMAGE_FORMATS
};

enum {
    PX_IMAGE_LEVELS = 17, /* most mip levels: 65,536 to 1 */
    PX_IMAGE_ALIGN = 64,  /* bytes: rows of arrays start at multiples of it */
    PX_IMAGE_PITCH_ALIGN =
        32 /* bytes: of the pitch of pitched memory (cudaDeviceProp.texturePitchAlignment) */
};
#define PX_IMAGE_BYTES_MAX (1ull << 33)

struct px_image_level {
    uint64_t offset;               /* bytes from `data` to the level's first texel */
    uint64_t slice;                /* bytes from a layer, or a z, to the next */
    uint32_t pitch;                /* bytes from a row to the next */
    uint32_t width, height, depth; /* texels; 1 where the kind has no such dimension */
};

struct px_image {
    uint8_t *data;                  /* host memory, owned by the caller; see Layout above */
    uint8_t kind, format, channels; /* enum px_image_kind, enum px_image_format; 1, 2 or 4 */
    uint8_t levels;                 /* at least 1 */
    uint8_t samples;                /* of multisample kinds, else 1 */
    bool linear;     /* linear memory bound as 1D: by whole texel numbers alone, 0 beyond (tex1Dfetch) */
    bool pitched;    /* pitched linear memory bound as 2D: one level */
    uint32_t layers; /* of arrays: layers; of cubes: faces, 6 a cube; multisample: as above; else 1 */
    uint64_t bytes;  /* of all levels */
    uint32_t channel_type, channel_order; /* what the queries of these names answer; the binding's business */
    struct px_image_level level[PX_IMAGE_LEVELS];
};

/* Bytes of a texel. */
static inline uint32_t px_image_texel(const struct px_image *image)
{
    static const uint8_t size[PX_IMAGE_FORMATS] = {1, 2, 4, 1, 2, 4, 2, 4};
    return (uint32_t)size[image->format] * image->channels;
}

/*
 * Fills in level[], `bytes`, and 1 for what the kind does not have, from kind, format, channels, levels,
 * layers, samples and the extent of level 0; each level has half the texels of the one before it in x, y and
 * z, rounded down, at least 1. False: the extent is 0, a cube is not square, levels are more than the extent
 * has, the number of layers does not fit the kind, or the image is larger than PX_IMAGE_BYTES_MAX. `data` is
 * left alone.
 */
bool px_image_layout(struct px_image *image, uint32_t width, uint32_t height, uint32_t depth);

/* An image of one level in linear memory: `texels` in a row (height 0, for tex1Dfetch), or 2D with `pitch`
 * bytes a row. Fills in everything but `data` and the channel_ words. False: a limit as above, or a pitch too
 * small or not a multiple of PX_IMAGE_PITCH_ALIGN. */
bool px_image_linear(struct px_image *image, enum px_image_format format, uint32_t channels, uint32_t width,
                     uint32_t height, uint32_t pitch);

/* Host address of a texel of a level; z is the z, or the layer. All in range. */
static inline uint8_t *px_image_at(const struct px_image *image, uint32_t level, uint32_t x, uint32_t y,
                                   uint32_t z)
{
    const struct px_image_level *l = &image->level[level];
    return image->data + l->offset + z * l->slice + (uint64_t)y * l->pitch +
           (uint64_t)x * px_image_texel(image);
}

/* ---- samplers ---- */

enum px_tex_address { PX_TEX_WRAP, PX_TEX_CLAMP, PX_TEX_MIRROR, PX_TEX_BORDER }; /* CUDA's numbers */
enum px_tex_filter { PX_TEX_POINT, PX_TEX_LINEAR };

struct px_sampler {
    uint8_t address[3]; /* enum px_tex_address, of x y z; wrap and mirror act as clamp without `normalized` */
    uint8_t filter, mip_filter; /* enum px_tex_filter: between texels; between levels */
    bool normalized;            /* f32 coordinates are from 0 to 1 */
    bool unnormalized;    /* .samplerref force_unnormalized_coords: whatever the image or `normalized` says */
    bool read_normalized; /* 8 and 16 bit integers come as floats from 0 or -1 to 1; 32 bit and floats as they
                             are */
    bool srgb;            /* u8 with read_normalized: channels 0 to 2 are taken from sRGB to linear */
    bool seamless;        /* cubes: linear filtering crosses the edges of faces */
    uint8_t anisotropy;   /* most samples along the longer axis of a footprint: 1 to 16, without effect */
    float bias, min_level, max_level; /* added to every level of detail; then clamped to these */
    float border[4]; /* colour outside with PX_TEX_BORDER; of unconverted integers: the words */
};

/* ---- sampling ---- */

enum px_tex_lod {
    PX_TEX_LOD_BASE,  /* level of detail 0 */
    PX_TEX_LOD_LEVEL, /* a row of levels of detail */
    PX_TEX_LOD_GRAD   /* rows of gradients */
};

/*
 * What an instruction gives. Rows have a word a lane; rows that the kind or the mode does not need may be
 * NULL, rows named `optional` mean 0 when NULL. n is a multiple of 32 in all functions.
 */
struct px_tex_request {
    const uint32_t *mask; /* lanes that take part: ~0, others 0; NULL: all */
    const uint32_t
        *coord[3]; /* x y z: f32, or with `integer` s32 texel numbers (never filtered or normalised) */
    bool integer;  /* outside is 0; with LOD_LEVEL clamped, and 0 for a level that is not there */
    uint8_t lod;   /* enum px_tex_lod */
    const uint32_t *layer;  /* u32 array index (cubes: of the cube), clamped to the last; array kinds */
    const uint32_t *sample; /* u32, multisample kinds */
    const uint32_t *level;  /* f32; with `integer` s32 */
    const uint32_t *dx[3], *dy[3]; /* f32: change of each coordinate towards x and y */
    const uint32_t *offset[3];     /* optional: s32 texels, their low 4 bits signed, of tld4 6; not for cubes,
                                      nothing in 1D */
    bool gather;                   /* tld4 */
    bool halves;                   /* results are f16 pairs: d[0] has channels 0 and 1, d[1] has 2 and 3 */
};

/*
 * The four channels go to d[0] to d[3] (any may be NULL), a word each: floats as f32, integers sign- or
 * zero-extended. Channels that the image lacks are 0. Lanes outside the mask keep what they have. d may not
 * overlap the request's rows. A texture whose kind is not the instruction's is the caller's error to find.
 */
typedef void px_tex_sample(const struct px_image *image, const struct px_sampler *sampler,
                           const struct px_tex_request *request, uint32_t *const d[4], uint32_t n);

/* tld4: channel `channel` of the four texels that linear filtering would take, in the manual's order: (0,1)
 * (1,1) (1,0) (0,0). 2D, layered 2D, cubes; f32 coordinates. */
typedef void px_tex_gather(const struct px_image *image, const struct px_sampler *sampler,
                           const struct px_tex_request *request, uint32_t channel, uint32_t *const d[4],
                           uint32_t n);

/* ---- surfaces ---- */

enum px_surf_clamp {
    PX_SURF_TRAP,
    PX_SURF_CLAMP,
    PX_SURF_ZERO
}; /* outside: fault; nearest texel; read 0, drop stores */

enum px_surf_op { PX_SURF_ADD, PX_SURF_MIN, PX_SURF_MAX, PX_SURF_AND, PX_SURF_OR };

/* Surfaces are level 0 of an image, or a view of one level: an image whose level[0] is that level. */
struct px_surf_request {
    const uint32_t *mask;     /* as above */
    const uint32_t *coord[3]; /* s32: y, z in texels; x in bytes, with `formatted` in texels */
    const uint32_t *layer;    /* u32 array index (cubes: layer-face); array kinds */
    uint8_t clamp;            /* enum px_surf_clamp */
    bool formatted;           /* .p: the image's format decides */
    uint8_t elements;         /* 1, 2, 4: of the vector */
    uint8_t size;             /* bytes of an element in memory: 1, 2, 4, 8; formatted: 4 */
    uint8_t row;              /* bytes of an element of the rows d, s: at least `size`; loads zero-extend */
};

/*
 * suld.b, sust.b, sust.p: rows d[i] or s[i], i < elements. The result is n, or in trap mode the first lane
 * that lies outside; then nothing was stored or loaded for any lane. An access is as wide as elements * size,
 * and lies outside when one of its bytes does. Clamped is to the last
 * aligned place of the row where the access fits; if none does it is as with zero. Formatted stores take
 * floats for float formats (halves are cut), else integers, which clamp to the format; elements that the
 * vector lacks are 0.
 */
typedef uint32_t px_surf_load(const struct px_image *image, const struct px_surf_request *request,
                              void *const d[4], uint32_t n);
typedef uint32_t px_surf_store(const struct px_image *image, const struct px_surf_request *request,
                               const void *const s[4], uint32_t n);

/* sured: atomically memory = memory op s. `size` 4 or 8; min and max compare as `is_signed` says. Result as
 * above. */
uint32_t px_surf_reduce(const struct px_image *image, const struct px_surf_request *request,
                        enum px_surf_op op, bool is_signed, const void *s, uint32_t n);

/* The functions of one SIMD level. */
struct px_tex_rows {
    px_tex_sample *sample;
    px_tex_gather *gather;
    px_surf_load *load;
    px_surf_store *store;
};

/* ---- queries: txq, suq ---- */

enum px_tex_query {
    PX_TEX_QUERY_WIDTH, /* of `level` */
    PX_TEX_QUERY_HEIGHT,
    PX_TEX_QUERY_DEPTH,
    PX_TEX_QUERY_CHANNEL_DATA_TYPE,
    PX_TEX_QUERY_CHANNEL_ORDER,
    PX_TEX_QUERY_NORMALIZED_COORDS,
    PX_TEX_QUERY_FORCE_UNNORMALIZED_COORDS,
    PX_TEX_QUERY_FILTER_MODE,
    PX_TEX_QUERY_ADDR_MODE_0,
    PX_TEX_QUERY_ADDR_MODE_1,
    PX_TEX_QUERY_ADDR_MODE_2,
    PX_TEX_QUERY_ARRAY_SIZE, /* cubes: cubes */
    PX_TEX_QUERY_NUM_MIPMAP_LEVELS,
    PX_TEX_QUERY_NUM_SAMPLES,
    PX_TEX_QUERY_MEMORY_LAYOUT /* 1 of linear and pitched memory, 0 of arrays */
};

/* A dimension that the kind lacks, or a level beyond the last, is 0. The sampler may be NULL for what is the
 * image's. */
uint32_t px_tex_answer(const struct px_image *image, const struct px_sampler *sampler,
                       enum px_tex_query query, uint32_t level);

#endif
