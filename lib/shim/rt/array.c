/*
 * array.c - CUDA arrays, texture and surface objects: the runtime's descriptions as the driver's.
 *
 * A channel of the runtime is so many bits of a kind; of the driver it is a format and a number of channels.
 * `formats` is the one list of both.
 */
#include "shim/rt/array.h"
#include <string.h>

static const struct {
    int kind, bits;
    CUarray_format format;
} formats[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};
enum { FORMATS = sizeof formats / sizeof *formats };

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* Channels are as wide as the first, or absent, and there are 1, 2 or 4. */
static cudaError_t channels_of(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                               unsigned *channels)
{
    const int bits[] = {desc->x, desc->y, desc->z, desc->w};
    unsigned n = 0;
    while (n < 4 && bits[n] == bits[0] && bits[0]) n++;
    for (unsigned i = n; i < 4; i++)
        if (bits[i]) return cudaErrorInvalidChannelDescriptor;
    if (n != 1 && n != 2 && n != 4) return cudaErrorInvalidChannelDescriptor;
    for (unsigned i = 0; i < FORMATS; i++) {
        if (formats[i].kind != desc->f || formats[i].bits != bits[0]) continue;
        *format = formats[i].format;
        *channels = n;
        return cudaSuccess;
    }
    return cudaErrorInvalidChannelDescriptor;
}

static cudaError_t desc_of(CUarray_format format, unsigned channels, struct cudaChannelFormatDesc *desc)
{
    for (unsigned i = 0; i < FORMATS; i++) {
        if (formats[i].format != format) continue;
        const int bits = formats[i].bits;
        *desc = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                               channels > 3 ? bits : 0, formats[i].kind};
        return cudaSuccess;
    }
    return cudaErrorInvalidChannelDescriptor;
}

/* ---- arrays ---- */

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *descriptor, const struct cudaChannelFormatDesc *desc,
                            struct cudaExtent extent, unsigned flags)
{
    if (!desc) return cudaErrorInvalidValue;
    *descriptor = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return channels_of(desc, &descriptor->Format, &descriptor->NumChannels);
}

cudaError_t px_rt_array_create(CUarray *array, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    if (!array) return cudaErrorInvalidValue;
    RT_TRY(describe(&descriptor, desc, extent, flags));
    return (cudaError_t)cuArray3DCreate_v2(array, &descriptor);
}

cudaError_t px_rt_mipmap_create(CUmipmappedArray *array, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned levels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    if (!array) return cudaErrorInvalidValue;
    RT_TRY(describe(&descriptor, desc, extent, flags));
    return (cudaError_t)cuMipmappedArrayCreate(array, &descriptor, levels);
}

cudaError_t px_rt_array_info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    RT_TRY(cuArray3DGetDescriptor_v2(&descriptor, array));
    if (extent) *extent = (struct cudaExtent){descriptor.Width, descriptor.Height, descriptor.Depth};
    if (flags) *flags = descriptor.Flags;
    return desc ? desc_of(descriptor.Format, descriptor.NumChannels, desc) : cudaSuccess;
}

cudaError_t px_rt_array_element(CUarray array, size_t *bytes)
{
    struct cudaChannelFormatDesc desc;
    RT_TRY(px_rt_array_info(&desc, NULL, NULL, array));
    *bytes = (size_t)(desc.x + desc.y + desc.z + desc.w) / 8;
    return cudaSuccess;
}

/* ---- objects ---- */

static cudaError_t resource_to_driver(const struct cudaResourceDesc *from, struct px_rt_resource *to)
{
    CUarray_format format;
    unsigned channels;
    if (!from) return cudaErrorInvalidValue;
    memset(to, 0, sizeof *to);
    to->resType = (unsigned)from->resType; /* the same numbers */
    switch (from->resType) {
    case cudaResourceTypeArray:
    case cudaResourceTypeMipmappedArray: to->res.handle = from->res.handle; return cudaSuccess;
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
        RT_TRY(channels_of(&from->res.range.desc, &format, &channels));
        to->res.range.devPtr = (CUdeviceptr)from->res.range.devPtr;
        to->res.range.format = format;
        to->res.range.numChannels = channels;
        to->res.range.width = from->res.range.width;
        if (from->resType == cudaResourceTypeLinear) return cudaSuccess;
        to->res.range.height = from->res.range.height;
        to->res.range.pitchInBytes = from->res.range.pitchInBytes;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t resource_to_runtime(const struct px_rt_resource *from, struct cudaResourceDesc *to)
{
    if (!to) return cudaErrorInvalidValue;
    memset(to, 0, sizeof *to);
    to->resType = (int)from->resType;
    if (to->resType == cudaResourceTypeArray || to->resType == cudaResourceTypeMipmappedArray) {
        to->res.handle = from->res.handle;
        return cudaSuccess;
    }
    to->res.range.devPtr = (void *)from->res.range.devPtr;
    to->res.range.width = from->res.range.width;
    if (to->resType == cudaResourceTypePitch2D) {
        to->res.range.height = from->res.range.height;
        to->res.range.pitchInBytes = from->res.range.pitchInBytes;
    }
    return desc_of((CUarray_format)from->res.range.format, from->res.range.numChannels, &to->res.range.desc);
}

/* Flags of CUDA_TEXTURE_DESC. */
enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16, NO_TRILINEAR = 32, SEAMLESS = 64 };
enum { READ_ELEMENT, READ_NORMALIZED_FLOAT };

/* Integers are read as they are where the runtime says element; of floats and halves there is no other way.
 */
static unsigned read_flag(const struct cudaResourceDesc *resource, const struct cudaTextureDesc *texture)
{
    struct cudaChannelFormatDesc desc = resource->res.range.desc;
    if (texture->readMode != READ_ELEMENT) return 0;
    if (resource->resType == cudaResourceTypeArray &&
        px_rt_array_info(&desc, NULL, NULL, resource->res.handle) != cudaSuccess)
        return READ_AS_INTEGER;
    if (resource->resType == cudaResourceTypeMipmappedArray) {
        CUarray level;
        if (cuMipmappedArrayGetLevel(&level, resource->res.handle, 0) != 0 ||
            px_rt_array_info(&desc, NULL, NULL, level) != cudaSuccess)
            return READ_AS_INTEGER;
    }
    return desc.f == cudaChannelFormatKindFloat ? 0 : READ_AS_INTEGER;
}

cudaError_t px_rt_texture_create(unsigned long long *object, const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *texture, const void *view)
{
    struct px_rt_resource where;
    struct px_rt_sampling how = {0};
    if (!object || !texture) return cudaErrorInvalidValue;
    RT_TRY(resource_to_driver(resource, &where));
    for (int i = 0; i < 3; i++) how.addressMode[i] = (unsigned)texture->addressMode[i];
    how.filterMode = (unsigned)texture->filterMode;
    how.flags = read_flag(resource, texture) | (texture->normalizedCoords ? NORMALIZED : 0u) |
                (texture->sRGB ? SRGB : 0u) | (texture->disableTrilinearOptimization ? NO_TRILINEAR : 0u) |
                (texture->seamlessCubemap ? SEAMLESS : 0u);
    how.maxAnisotropy = texture->maxAnisotropy;
    how.mipmapFilterMode = (unsigned)texture->mipmapFilterMode;
    how.mipmapLevelBias = texture->mipmapLevelBias;
    how.minMipmapLevelClamp = texture->minMipmapLevelClamp;
    how.maxMipmapLevelClamp = texture->maxMipmapLevelClamp;
    memcpy(how.borderColor, texture->borderColor, sizeof how.borderColor);
    return (cudaError_t)cuTexObjectCreate(object, (void *)&where, (void *)&how, view);
}

cudaError_t px_rt_texture_resource(struct cudaResourceDesc *resource, unsigned long long object)
{
    struct px_rt_resource where;
    RT_TRY(cuTexObjectGetResourceDesc((void *)&where, object));
    return resource_to_runtime(&where, resource);
}

cudaError_t px_rt_texture_desc(struct cudaTextureDesc *texture, unsigned long long object)
{
    struct px_rt_sampling how;
    if (!texture) return cudaErrorInvalidValue;
    RT_TRY(cuTexObjectGetTextureDesc((void *)&how, object));
    *texture = (struct cudaTextureDesc){
        .filterMode = (int)how.filterMode,
        .readMode = how.flags & READ_AS_INTEGER ? READ_ELEMENT : READ_NORMALIZED_FLOAT,
        .sRGB = (how.flags & SRGB) != 0,
        .normalizedCoords = (how.flags & NORMALIZED) != 0,
        .maxAnisotropy = how.maxAnisotropy,
        .mipmapFilterMode = (int)how.mipmapFilterMode,
        .mipmapLevelBias = how.mipmapLevelBias,
        .minMipmapLevelClamp = how.minMipmapLevelClamp,
        .maxMipmapLevelClamp = how.maxMipmapLevelClamp,
        .disableTrilinearOptimization = (how.flags & NO_TRILINEAR) != 0,
        .seamlessCubemap = (how.flags & SEAMLESS) != 0,
    };
    for (int i = 0; i < 3; i++) texture->addressMode[i] = (int)how.addressMode[i];
    memcpy(texture->borderColor, how.borderColor, sizeof texture->borderColor);
    return cudaSuccess;
}

cudaError_t px_rt_surface_create(unsigned long long *object, const struct cudaResourceDesc *resource)
{
    struct px_rt_resource where;
    if (!object) return cudaErrorInvalidValue;
    RT_TRY(resource_to_driver(resource, &where));
    return (cudaError_t)cuSurfObjectCreate(object, (void *)&where);
}

cudaError_t px_rt_surface_resource(struct cudaResourceDesc *resource, unsigned long long object)
{
    struct px_rt_resource where;
    RT_TRY(cuSurfObjectGetResourceDesc((void *)&where, object));
    return resource_to_runtime(&where, resource);
}

cudaError_t px_rt_texture_width(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    CUarray_format format;
    unsigned channels;
    if (!width || !desc) return cudaErrorInvalidValue;
    RT_TRY(px_rt_device(device));
    RT_TRY(channels_of(desc, &format, &channels));
    return (cudaError_t)cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, device);
}
