/*
 * ptx_texture.h - arrays, textures, samplers, surfaces, and what is bound to the references of a program.
 *
 * CUDA's programming guide, "Texture and Surface Memory", is the model; numbers of formats, modes and flags
 * are those of CUDA's driver API, limits those of an H100. What a kernel is given is a handle of 64 bits: of
 * a texture, a surface, a sampler, passed by value (.u64, or .texref and its kin), on to functions and child
 * kernels too. Arrays are numbers, which only the host uses. A handle or number that was destroyed, or is
 * another object's, is found out: PTX_ERROR_INVALID_ARGUMENT here, a fault of the launch there.
 * docs/textures.md has more.
 *
 * Failures leave words in ptx_device_message. Any thread may call.
 */
#ifndef PTX_TEXTURE_H
#define PTX_TEXTURE_H

#include "ptx_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ptx_array;   /* a number */
typedef uint64_t ptx_texture; /* handles */
typedef uint64_t ptx_surface;
typedef uint64_t ptx_sampler;
typedef uint64_t ptx_reference; /* of an opaque variable: its address, which is a handle as well */

/* ---- arrays --------------------------------------------------------- */

/* Format of a channel (CUarray_format). */
typedef enum ptx_format {
    PTX_FORMAT_U8 = 0x01,
    PTX_FORMAT_U16 = 0x02,
    PTX_FORMAT_U32 = 0x03,
    PTX_FORMAT_S8 = 0x08,
    PTX_FORMAT_S16 = 0x09,
    PTX_FORMAT_S32 = 0x0a,
    PTX_FORMAT_F16 = 0x10,
    PTX_FORMAT_F32 = 0x20
} ptx_format;

/* CUDA_ARRAY3D_ flags. Whether surfaces and gathers were announced is kept for who asks, and not insisted on.
 */
enum { PTX_ARRAY_LAYERED = 1, PTX_ARRAY_SURFACE = 2, PTX_ARRAY_CUBE = 4, PTX_ARRAY_GATHER = 8 };

/*
 * Texels of the first level: width alone is 1D, width and height 2D, with depth 3D. With PTX_ARRAY_LAYERED
 * the depth is the number of layers (of cubes: of their faces, 6 each); a cube is square, of depth 6.
 * `samples` above 1 makes a 2D array, layered or not, one of several samples a texel, which CUDA cannot make
 * (tex.2dms).
 */
typedef struct ptx_array_config {
    size_t struct_size;
    uint64_t width, height, depth;
    ptx_format format;
    unsigned channels; /* 1, 2 or 4 */
    unsigned flags;
    unsigned levels;  /* mip levels; 0 counts as 1, and more than there can be as all */
    unsigned samples; /* 2, 4, 8, 16; 0 counts as 1 */
} ptx_array_config;

/* Texels are 0. PTX_ERROR_INVALID_ARGUMENT: a limit is exceeded (the message says which), or a flag does not
 * fit; PTX_ERROR_OUT_OF_MEMORY. Its memory is the host's (max_host). */
PTX_API ptx_status ptx_array_create(ptx_device *device, const ptx_array_config *config, ptx_array *array);
/* Textures and surfaces of it fault from now on. Its levels go with it; a level is not destroyed by itself.
 * Work that copies it and has not begun fails. */
PTX_API ptx_status ptx_array_destroy(ptx_device *device, ptx_array array);
/* What it was made with: sizes of a level are its own, `levels` what there is. */
PTX_API ptx_status ptx_array_config_get(ptx_device *device, ptx_array array, ptx_array_config *config);
/* Level `level` as an array; the same number each time. PTX_ERROR_NOT_FOUND: there are not so many. */
PTX_API ptx_status ptx_array_level(ptx_device *device, ptx_array array, unsigned level, ptx_array *out);

/* One end of a copy: `array` not 0: from byte x of row y of slice (or layer, or face) z on, of place.device
 * (NULL: the device that is asked); else `place`. */
typedef struct ptx_array_place {
    ptx_array array;
    uint64_t x, y, z;
    ptx_place place;
} ptx_array_place;

/* As ptx_copy: `width` in bytes. An array is copied at its first level; samples are slices. */
typedef struct ptx_array_copy {
    size_t struct_size;
    ptx_array_place to, from;
    uint64_t width, height, depth; /* 0 in height or depth counts as 1 */
} ptx_array_copy;

/* At once, in the calling thread, and behind nothing; in stream order. PTX_ERROR_INVALID_ARGUMENT when a row
 * leaves the array or its allocation now. */
PTX_API ptx_status ptx_array_copy_now(ptx_device *device, const ptx_array_copy *copy);
PTX_API ptx_status ptx_stream_copy_array(ptx_device *device, const ptx_array_copy *copy, ptx_stream stream);

/* ---- samplers ------------------------------------------------------- */

/* CUaddress_mode, CUfilter_mode. */
typedef enum ptx_address_mode {
    PTX_ADDRESS_WRAP = 0,
    PTX_ADDRESS_CLAMP = 1,
    PTX_ADDRESS_MIRROR = 2,
    PTX_ADDRESS_BORDER = 3
} ptx_address_mode;
typedef enum ptx_filter_mode { PTX_FILTER_POINT = 0, PTX_FILTER_LINEAR = 1 } ptx_filter_mode;

/* Zeros are CUDA's defaults but for the addresses, which wrap. Without `normalized` wrap and mirror act as
 * clamp. */
typedef struct ptx_sampler_config {
    size_t struct_size;
    ptx_address_mode address[3]; /* of x y z */
    ptx_filter_mode filter, mip_filter;
    int normalized;      /* coordinates of type .f32 are from 0 to 1 */
    int integers;        /* 8 and 16 bit integers come as integers, not as floats from 0 or -1 to 1 */
    int srgb;            /* 8 bit unsigned that come as floats are taken from sRGB to linear */
    int seamless;        /* filtering crosses the edges of a cube's faces */
    unsigned anisotropy; /* most samples of a footprint, 1 to 16 (more counts as 16); 0 counts as 1 */
    float bias, min_level, max_level; /* of the level of detail */
    float border[4];
} ptx_sampler_config;

/* A sampler by itself, for modules in texmode_independent. */
PTX_API ptx_status ptx_sampler_create(ptx_device *device, const ptx_sampler_config *config,
                                      ptx_sampler *sampler);
PTX_API ptx_status ptx_sampler_destroy(ptx_device *device, ptx_sampler sampler);

/* ---- textures and surfaces ------------------------------------------ */

/*
 * What is sampled: an array with all its levels (array not 0), or device memory, linear (height 0: `width`
 * texels at `address`, a multiple of 16, which only whole texel numbers reach) or rows of `pitch` bytes, a
 * multiple of 32. With `part` of an array these levels and layers alone, read as `format` and `channels`,
 * whose texels are as large; PTX_PART takes 0, 0 for all, PTX_PART_EXACT for the first alone.
 */
enum { PTX_PART = 1, PTX_PART_EXACT = 2 };
typedef struct ptx_texture_config {
    size_t struct_size;
    ptx_array array;
    ptx_address address;
    uint64_t width, height, pitch;
    ptx_format format; /* of device memory; of a part */
    unsigned channels;
    int part; /* 0, PTX_PART, PTX_PART_EXACT */
    unsigned first_level, last_level, first_layer, last_layer;
    const ptx_sampler_config *sampler; /* NULL: all zeros */
} ptx_texture_config;

/* The memory must stay as long as the texture is used; what is freed faults. PTX_ERROR_INVALID_ARGUMENT: the
 * message says why. */
PTX_API ptx_status ptx_texture_create(ptx_device *device, const ptx_texture_config *config,
                                      ptx_texture *texture);
PTX_API ptx_status ptx_texture_destroy(ptx_device *device, ptx_texture texture);
/* What a texture was made of; `sampler` may be NULL, and config->sampler becomes NULL. */
PTX_API ptx_status ptx_texture_config_get(ptx_device *device, ptx_texture texture, ptx_texture_config *config,
                                          ptx_sampler_config *sampler);

/* Of the first level of an array that is not mipmapped, or of a level. */
PTX_API ptx_status ptx_surface_create(ptx_device *device, ptx_array array, ptx_surface *surface);
PTX_API ptx_status ptx_surface_destroy(ptx_device *device, ptx_surface surface);
PTX_API ptx_status ptx_surface_array(ptx_device *device, ptx_surface surface, ptx_array *array);

/* ---- references of a program ---------------------------------------- */

typedef enum ptx_reference_kind {
    PTX_REFERENCE_TEXTURE = 1, /* .texref */
    PTX_REFERENCE_SAMPLER = 2, /* .samplerref */
    PTX_REFERENCE_SURFACE = 3  /* .surfref */
} ptx_reference_kind;

typedef struct ptx_reference_info {
    size_t struct_size;
    ptx_reference_kind kind;
    unsigned count;          /* of elements; more than 1 for an array */
    ptx_reference reference; /* of element 0; element i is 8 * i further */
} ptx_reference_info;

/*
 * A variable of type .texref, .samplerref or .surfref at module scope. In `sampler` (may be NULL), what its
 * initialiser says (PTX ISA 5.3): filter_mode, addr_mode_0 to _2, normalized_coords; the fields about the
 * image are for compilers and say nothing here. PTX_ERROR_NOT_FOUND. A .samplerref begins bound to what it
 * says.
 */
PTX_API ptx_status ptx_program_reference(ptx_program *program, const char *name, ptx_reference_info *info,
                                         ptx_sampler_config *sampler);
/* Binds anew, in place of what was bound, at once; launches that are under way see it. A sampler to a .texref
 * is refused, and so on: PTX_ERROR_INVALID_ARGUMENT. */
PTX_API ptx_status ptx_reference_bind_texture(ptx_device *device, ptx_reference reference,
                                              const ptx_texture_config *config);
PTX_API ptx_status ptx_reference_bind_sampler(ptx_device *device, ptx_reference reference,
                                              const ptx_sampler_config *config);
PTX_API ptx_status ptx_reference_bind_surface(ptx_device *device, ptx_reference reference, ptx_array array);
/* Instructions that use it fault. */
PTX_API ptx_status ptx_reference_unbind(ptx_device *device, ptx_reference reference);

#ifdef __cplusplus
}
#endif
#endif
