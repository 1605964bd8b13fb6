/*
 * texture.c - texture and surface references, which CUDA had until release 12.
 *
 * Host code has a variable for each, whose fields say how the texture is read; they count from when something
 * is bound. The driver's reference of the same name is bound; offsets of linear memory are kept with what was
 * registered.
 */
#include "cuda/runtime/rt.h"
#if RT_RELEASE == 11
#include <pthread.h>

enum { FILTER_LINEAR = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of offsets */

static void keep_offset(struct px_rt_reference *reference, size_t offset, size_t *told)
{
    pthread_mutex_lock(&lock);
    reference->offset = offset;
    pthread_mutex_unlock(&lock);
    if (told) *told = offset;
}

/* The driver's reference of a variable. */
static cudaError_t find(const struct textureReference *texture, struct px_rt_reference **reference,
                        CUtexref *found)
{
    CUmodule module;
    RT_TRY(px_rt_reference(texture, false, reference, &module));
    const CUresult result = cuModuleGetTexRef(found, module, (*reference)->name);
    return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidTexture : (cudaError_t)result;
}

/* How it is read, of what has these channels. */
static cudaError_t prepare(const struct textureReference *t, const struct px_rt_reference *reference,
                           CUtexref to, const struct cudaChannelFormatDesc *desc, bool line)
{
    if (!line && t->filterMode == FILTER_LINEAR && !reference->normalized &&
        desc->f != cudaChannelFormatKindFloat)
        return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; i++) RT_TRY(cuTexRefSetAddressMode(to, i, (CUaddress_mode)t->addressMode[i]));
    RT_TRY(cuTexRefSetFilterMode(to, (CUfilter_mode)t->filterMode));
    RT_TRY(cuTexRefSetMipmapFilterMode(to, (CUfilter_mode)t->mipmapFilterMode));
    RT_TRY(cuTexRefSetMipmapLevelBias(to, t->mipmapLevelBias));
    RT_TRY(cuTexRefSetMipmapLevelClamp(to, t->minMipmapLevelClamp, t->maxMipmapLevelClamp));
    RT_TRY(cuTexRefSetMaxAnisotropy(to, t->maxAnisotropy));
    return (cudaError_t)cuTexRefSetFlags(to, px_rt_sampling_flags(desc, !reference->normalized, t->normalized,
                                                                  t->sRGB, t->disableTrilinearOptimization));
}

/* What is in the allocation from an address on. */
static cudaError_t room_at(CUdeviceptr address, size_t *room)
{
    CUdeviceptr base;
    size_t size;
    RT_TRY(cuMemGetAddressRange_v2(&base, &size, address));
    *room = (size_t)(base + size - address);
    return cudaSuccess;
}

/* `size` may be larger than the allocation: its default is all that there could be. */
cudaError_t px_rt_bind_linear(size_t *offset, const struct textureReference *texture, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t size)
{
    struct px_rt_reference *reference;
    CUtexref to;
    CUarray_format format;
    unsigned channels;
    size_t room, beyond = 0, most;
    if (!desc) return cudaErrorInvalidValue;
    RT_TRY(find(texture, &reference, &to));
    RT_TRY(px_rt_channels(desc, &format, &channels));
    RT_TRY(room_at((CUdeviceptr)pointer, &room));
    RT_TRY(px_rt_texture_width(&most, desc, 0));
    most *= (size_t)(desc->x + desc->y + desc->z + desc->w) / 8;
    if (room > most) room = most;
    RT_TRY(prepare(texture, reference, to, desc, true));
    RT_TRY(cuTexRefSetFormat(to, format, (int)channels));
    RT_TRY(
        cuTexRefSetAddress_v2(offset ? &beyond : NULL, to, (CUdeviceptr)pointer, size < room ? size : room));
    keep_offset(reference, beyond, offset);
    return cudaSuccess;
}

/* Rows begin where the alignment of textures lets them; a place beyond that is an offset, and they are longer
 * by it. */
cudaError_t px_rt_bind_rows(size_t *offset, const struct textureReference *texture, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            size_t pitch)
{
    struct px_rt_reference *reference;
    CUtexref to;
    CUDA_ARRAY_DESCRIPTOR rows = {.Width = width, .Height = height};
    CUdevice device;
    int alignment;
    if (!desc) return cudaErrorInvalidValue;
    RT_TRY(find(texture, &reference, &to));
    RT_TRY(px_rt_channels(desc, &rows.Format, &rows.NumChannels));
    RT_TRY(cuCtxGetDevice(&device));
    RT_TRY(cuDeviceGetAttribute(&alignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device));
    const size_t beyond = (uintptr_t)pointer % (unsigned)alignment;
    if (beyond && !offset) return cudaErrorInvalidValue;
    rows.Width += beyond * 8 / (size_t)(desc->x + desc->y + desc->z + desc->w);
    RT_TRY(prepare(texture, reference, to, desc, false));
    RT_TRY(cuTexRefSetAddress2D_v3(to, &rows, (CUdeviceptr)pointer - beyond, pitch));
    keep_offset(reference, beyond, offset);
    return cudaSuccess;
}

cudaError_t px_rt_bind_array(const struct textureReference *texture, CUarray array)
{
    struct px_rt_reference *reference;
    struct cudaChannelFormatDesc desc;
    CUtexref to;
    RT_TRY(find(texture, &reference, &to));
    RT_TRY(px_rt_array_info(&desc, NULL, NULL, array));
    RT_TRY(prepare(texture, reference, to, &desc, false));
    RT_TRY(cuTexRefSetArray(to, array, CU_TRSA_OVERRIDE_FORMAT));
    keep_offset(reference, 0, NULL);
    return cudaSuccess;
}

cudaError_t px_rt_bind_mipmap(const struct textureReference *texture, CUmipmappedArray array)
{
    struct px_rt_reference *reference;
    struct cudaChannelFormatDesc desc;
    CUtexref to;
    CUarray level;
    RT_TRY(find(texture, &reference, &to));
    RT_TRY(cuMipmappedArrayGetLevel(&level, array, 0));
    RT_TRY(px_rt_array_info(&desc, NULL, NULL, level));
    RT_TRY(prepare(texture, reference, to, &desc, false));
    RT_TRY(cuTexRefSetMipmappedArray(to, array, CU_TRSA_OVERRIDE_FORMAT));
    keep_offset(reference, 0, NULL);
    return cudaSuccess;
}

cudaError_t px_rt_unbind(const struct textureReference *texture)
{
    struct px_rt_reference *reference;
    CUtexref to;
    RT_TRY(find(texture, &reference, &to));
    keep_offset(reference, 0, NULL);
    return (cudaError_t)cuTexRefSetAddress_v2(NULL, to, 0, 0);
}

cudaError_t px_rt_texture_offset(size_t *offset, const struct textureReference *texture)
{
    struct px_rt_reference *reference;
    CUtexref from;
    CUdeviceptr address;
    CUarray array;
    CUmipmappedArray mipmap;
    if (!offset) return cudaErrorInvalidValue;
    RT_TRY(find(texture, &reference, &from));
    if (cuTexRefGetAddress_v2(&address, from) != CUDA_SUCCESS &&
        cuTexRefGetArray(&array, from) != CUDA_SUCCESS &&
        cuTexRefGetMipmappedArray(&mipmap, from) != CUDA_SUCCESS)
        return cudaErrorInvalidTextureBinding;
    pthread_mutex_lock(&lock);
    *offset = reference->offset;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t px_rt_bind_surface(const void *surface, CUarray array)
{
    struct px_rt_reference *reference;
    CUmodule module;
    CUsurfref to;
    RT_TRY(px_rt_reference(surface, true, &reference, &module));
    const CUresult result = cuModuleGetSurfRef(&to, module, reference->name);
    if (result == CUDA_ERROR_NOT_FOUND) return cudaErrorInvalidSurface;
    RT_TRY(result);
    return (cudaError_t)cuSurfRefSetArray(to, array, 0);
}

cudaError_t px_rt_reference_of(const void **told, const void *symbol, bool surface)
{
    struct px_rt_reference *reference;
    CUmodule module;
    if (!told) return cudaErrorInvalidValue;
    RT_TRY(px_rt_reference(symbol, surface, &reference, &module));
    *told = symbol;
    return cudaSuccess;
}
#else
typedef int px_rt_no_references; /* a file has something in it */
#endif
