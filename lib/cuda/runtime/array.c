/*
 * array.c - CUDA arrays, texture and surface objects: the runtime's descriptions as the driver's.
 *
 * A channel of the runtime is so many bits of a kind; of the driver it is a format and a number of channels.
 * `formats` is the one list of both.
 */
#include "cuda/runtime/array.h"
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
cudaError_t px_rt_channels(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
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
    return px_rt_channels(desc, &descriptor->Format, &descriptor->NumChannels);
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

static cudaError_t resource_to_driver(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
    if (!from) return cudaErrorInvalidValue;
    _Static_assert(offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes) ==
                       offsetof(CUDA_RESOURCE_DESC, res.pitch2D.width),
                   "pitched memory is described as linear memory, and more");
    memset(to, 0, sizeof *to);
    to->resType = (CUresourcetype)from->resType; /* the same numbers */
    switch (from->resType) {
    case cudaResourceTypeArray: to->res.array.hArray = from->res.handle; return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = from->res.handle;
        return cudaSuccess;
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
        RT_TRY(px_rt_channels(&from->res.range.desc, &to->res.linear.format, &to->res.linear.numChannels));
        to->res.linear.devPtr = (CUdeviceptr)from->res.range.devPtr;
        to->res.linear.sizeInBytes = from->res.range.width;
        if (from->resType == cudaResourceTypeLinear) return cudaSuccess;
        to->res.pitch2D.height = from->res.range.height;
        to->res.pitch2D.pitchInBytes = from->res.range.pitchInBytes;
        return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t resource_to_runtime(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    if (!to) return cudaErrorInvalidValue;
    memset(to, 0, sizeof *to);
    to->resType = (int)from->resType;
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY: to->res.handle = from->res.array.hArray; return cudaSuccess;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.handle = from->res.mipmap.hMipmappedArray;
        return cudaSuccess;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.range.devPtr = (void *)from->res.linear.devPtr;
        to->res.range.width = from->res.linear.sizeInBytes;
        return desc_of(from->res.linear.format, from->res.linear.numChannels, &to->res.range.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
        to->res.range.devPtr = (void *)from->res.pitch2D.devPtr;
        to->res.range.width = from->res.pitch2D.width;
        to->res.range.height = from->res.pitch2D.height;
        to->res.range.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return desc_of(from->res.pitch2D.format, from->res.pitch2D.numChannels, &to->res.range.desc);
    }
    return cudaErrorInvalidValue;
}

enum { READ_ELEMENT, READ_NORMALIZED_FLOAT };
enum { FILTER_LINEAR = 1 };

/* The channels of a resource. */
static cudaError_t channels_in(const struct cudaResourceDesc *resource, struct cudaChannelFormatDesc *desc)
{
    CUarray array = resource->res.handle;
    if (resource->resType == cudaResourceTypeMipmappedArray)
        RT_TRY(cuMipmappedArrayGetLevel(&array, resource->res.handle, 0));
    if (resource->resType <= cudaResourceTypeMipmappedArray) return px_rt_array_info(desc, NULL, NULL, array);
    *desc = resource->res.range.desc;
    return cudaSuccess;
}

unsigned px_rt_sampling_flags(const struct cudaChannelFormatDesc *desc, bool elements, bool normalized,
                              bool srgb, bool no_trilinear)
{
    /* Integers are read as they are where the runtime says element; of floats there is no other way. */
    return (elements && desc->f != cudaChannelFormatKindFloat ? CU_TRSF_READ_AS_INTEGER : 0u) |
           (normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) | (srgb ? CU_TRSF_SRGB : 0u) |
           (no_trilinear ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u);
}

/* `newer`: the description has what CUDA 11.8 added to it. */
cudaError_t px_rt_texture_create(unsigned long long *object, const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *texture, const void *view, bool newer)
{
    CUDA_RESOURCE_DESC where;
    struct cudaChannelFormatDesc desc;
    if (!object || !texture) return cudaErrorInvalidValue;
    RT_TRY(resource_to_driver(resource, &where));
    RT_TRY(channels_in(resource, &desc));
    const bool elements = texture->readMode == READ_ELEMENT;
    if (elements && texture->filterMode == FILTER_LINEAR && desc.f != cudaChannelFormatKindFloat &&
        resource->resType != cudaResourceTypeLinear)
        return cudaErrorInvalidFilterSetting;
    CUDA_TEXTURE_DESC how = {
        .filterMode = (CUfilter_mode)texture->filterMode,
        .flags = px_rt_sampling_flags(&desc, elements, texture->normalizedCoords, texture->sRGB,
                                      texture->disableTrilinearOptimization) |
                 (newer && texture->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u),
        .maxAnisotropy = texture->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)texture->mipmapFilterMode,
        .mipmapLevelBias = texture->mipmapLevelBias,
        .minMipmapLevelClamp = texture->minMipmapLevelClamp,
        .maxMipmapLevelClamp = texture->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++) how.addressMode[i] = (CUaddress_mode)texture->addressMode[i];
    memcpy(how.borderColor, texture->borderColor, sizeof how.borderColor);
    return (cudaError_t)cuTexObjectCreate(object, &where, &how, view);
}

cudaError_t px_rt_texture_resource(struct cudaResourceDesc *resource, unsigned long long object)
{
    CUDA_RESOURCE_DESC where;
    RT_TRY(cuTexObjectGetResourceDesc(&where, object));
    return resource_to_runtime(&where, resource);
}

cudaError_t px_rt_texture_desc(struct cudaTextureDesc *texture, unsigned long long object, bool newer)
{
    CUDA_TEXTURE_DESC how;
    CUDA_RESOURCE_DESC where;
    struct cudaResourceDesc resource;
    struct cudaChannelFormatDesc desc;
    if (!texture) return cudaErrorInvalidValue;
    RT_TRY(cuTexObjectGetTextureDesc(&how, object));
    RT_TRY(cuTexObjectGetResourceDesc(&where, object));
    RT_TRY(resource_to_runtime(&where, &resource));
    RT_TRY(channels_in(&resource, &desc));
    const bool elements = how.flags & CU_TRSF_READ_AS_INTEGER || desc.f == cudaChannelFormatKindFloat;
    for (int i = 0; i < 3; i++) texture->addressMode[i] = (int)how.addressMode[i];
    texture->filterMode = (int)how.filterMode;
    texture->readMode = elements ? READ_ELEMENT : READ_NORMALIZED_FLOAT;
    texture->sRGB = (how.flags & CU_TRSF_SRGB) != 0;
    memcpy(texture->borderColor, how.borderColor, sizeof texture->borderColor);
    texture->normalizedCoords = (how.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    texture->maxAnisotropy = how.maxAnisotropy;
    texture->mipmapFilterMode = (int)how.mipmapFilterMode;
    texture->mipmapLevelBias = how.mipmapLevelBias;
    texture->minMipmapLevelClamp = how.minMipmapLevelClamp;
    texture->maxMipmapLevelClamp = how.maxMipmapLevelClamp;
    texture->disableTrilinearOptimization = (how.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
    if (newer) texture->seamlessCubemap = (how.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    return cudaSuccess;
}

cudaError_t px_rt_surface_create(unsigned long long *object, const struct cudaResourceDesc *resource)
{
    CUDA_RESOURCE_DESC where;
    if (!object) return cudaErrorInvalidValue;
    RT_TRY(resource_to_driver(resource, &where));
    return (cudaError_t)cuSurfObjectCreate(object, &where);
}

cudaError_t px_rt_surface_resource(struct cudaResourceDesc *resource, unsigned long long object)
{
    CUDA_RESOURCE_DESC where;
    RT_TRY(cuSurfObjectGetResourceDesc(&where, object));
    return resource_to_runtime(&where, resource);
}

cudaError_t px_rt_texture_width(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
    CUarray_format format;
    unsigned channels;
    if (!width || !desc) return cudaErrorInvalidValue;
    RT_TRY(px_rt_device(device));
    RT_TRY(px_rt_channels(desc, &format, &channels));
    return (cudaError_t)cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, device);
}
