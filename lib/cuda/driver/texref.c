/*
 * texref.c - texture and surface references: the opaque variables of a module, bound from the host.
 *
 * A reference keeps what was said of it, in the words of texture objects, and is bound anew whenever that
 * changes and it has something to read. What was bound and is gone by then is bound no longer: kernels that
 * use it fault. A module has one reference for a name; cuTexRefCreate makes one that is no variable's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/array.h"
#include "cuda/driver/module.h"
#include "cuda/driver/texture.h"

struct px_cu_reference {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_reference number;         /* 0: no variable's */
    char *name;                   /* NULL likewise */
    struct px_cu_reference *next; /* of its module; guarded by that one's lock */
    pthread_mutex_t lock;         /* of what follows */
    bool bound;                   /* `resource` says to what */
    CUDA_RESOURCE_DESC resource;  /* of a surface: an array */
    CUDA_TEXTURE_DESC texture;
    CUarray_format format; /* of memory; of an array once it is bound */
    unsigned channels;
};

static void destroy(void *object)
{
    struct px_cu_reference *r = object;
    free(r->name);
    pthread_mutex_destroy(&r->lock);
}

static struct px_cu_reference *make(enum px_cu_kind kind, struct px_cu_context *context, ptx_device *vm,
                                    const char *name)
{
    struct px_cu_reference *r = px_cu_new(kind, sizeof *r, context, destroy);
    if (!r) return NULL;
    pthread_mutex_init(&r->lock, NULL);
    r->vm = vm;
    r->format = CU_AD_FORMAT_FLOAT;
    r->channels = 1;
    r->name = name ? strdup(name) : NULL;
    if (!name || r->name) return r;
    px_cu_drop(px_cu_handle(r), kind);
    return NULL;
}

/* ---- of a module ---- */

/* What the variable's initialiser says (PTX ISA 5.3). */
static void begin(struct px_cu_reference *r, const ptx_sampler_config *initial)
{
    for (int i = 0; i < 3; i++) r->texture.addressMode[i] = (CUaddress_mode)initial->address[i];
    r->texture.filterMode = (CUfilter_mode)initial->filter;
    if (initial->normalized) r->texture.flags |= CU_TRSF_NORMALIZED_COORDINATES;
}

/* The module's lock is held. */
static CUresult make_for(struct px_cu_module *m, const char *name, enum px_cu_kind kind,
                         struct px_cu_reference **reference)
{
    ptx_reference_info info = {sizeof info};
    ptx_sampler_config initial = {sizeof initial};
    const ptx_reference_kind wanted = kind == PX_CU_TEXREF ? PTX_REFERENCE_TEXTURE : PTX_REFERENCE_SURFACE;
    const ptx_status status =
        m->program ? ptx_program_reference(m->program, name, &info, &initial) : PTX_ERROR_NOT_FOUND;
    if (status != PTX_OK) return px_cu_result(m->head.context, status, NULL);
    if (info.kind != wanted) return CUDA_ERROR_NOT_FOUND;
    struct px_cu_reference *r = make(kind, m->head.context, atomic_load(&m->head.context->vm), name);
    if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
    r->number = info.reference;
    begin(r, &initial);
    r->next = m->references;
    m->references = *reference = px_cu_again(r);
    return CUDA_SUCCESS;
}

static CUresult of_module(CUmodule module, const char *name, enum px_cu_kind kind, void **handle)
{
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    if (!handle || !name) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&m->lock);
    struct px_cu_reference *r = m->references;
    while (r && (r->head.kind != kind || strcmp(r->name, name) != 0)) r = r->next;
    const CUresult result = r ? CUDA_SUCCESS : make_for(m, name, kind, &r);
    if (result == CUDA_SUCCESS) *handle = px_cu_handle(r);
    pthread_mutex_unlock(&m->lock);
    return result;
}

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name)
{
    return of_module(module, name, PX_CU_TEXREF, (void **)reference);
}

CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name)
{
    return of_module(module, name, PX_CU_SURFREF, (void **)reference);
}

void px_cu_references_end(struct px_cu_module *m)
{
    pthread_mutex_lock(&m->lock);
    struct px_cu_reference *r = m->references;
    m->references = NULL;
    pthread_mutex_unlock(&m->lock);
    PX_CU_DROP_LIST(px_cu_reference, r, px_cu_give(each))
}

/* ---- of nobody ---- */

CUresult cuTexRefCreate(CUtexref *reference)
{
    ptx_device *vm;
    PX_CU_CURRENT(c);
    if (!reference) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    const struct px_cu_reference *r = make(PX_CU_TEXREF, c, vm, NULL);
    if (!r) return CUDA_ERROR_OUT_OF_MEMORY;
    *reference = px_cu_handle(r);
    return CUDA_SUCCESS;
}

#define TEXREF(name, handle) PX_CU_TAKE(px_cu_reference, name, PX_CU_TEXREF, handle, CUDA_ERROR_INVALID_VALUE)

CUresult cuTexRefDestroy(CUtexref reference)
{
    TEXREF(r, reference);
    if (r->number) return CUDA_ERROR_INVALID_VALUE; /* it is its module's */
    return px_cu_drop(reference, PX_CU_TEXREF) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Every kernel has all textures of its module at hand. */
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    TEXREF(r, reference);
    return unit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- binding; the reference's lock is held ---- */

static ptx_status bind_now(struct px_cu_reference *r, const ptx_texture_config *config)
{
    struct px_cu_context *c = r->head.context;
    pthread_mutex_lock(&c->lock);
    const ptx_status status = r->head.kind == PX_CU_SURFREF
                                  ? ptx_reference_bind_surface(r->vm, r->number, config->array)
                                  : ptx_reference_bind_texture(r->vm, r->number, config);
    px_cu_note_refusal(c, "binding a reference", status);
    pthread_mutex_unlock(&c->lock);
    return status;
}

static CUresult bind(struct px_cu_reference *r)
{
    ptx_texture_config config;
    ptx_sampler_config sampler;
    PX_CU_TRY(px_cu_texture_describe(r->head.context, &r->resource, &r->texture, NULL, &config, &sampler));
    return r->number ? px_cu_result(r->head.context, bind_now(r, &config), NULL) : CUDA_SUCCESS;
}

static void unbind(struct px_cu_reference *r)
{
    r->bound = false;
    if (r->number) ptx_reference_unbind(r->vm, r->number);
}

/* To another resource; one that cannot be bound leaves what was. */
static CUresult bind_to(struct px_cu_reference *r, const CUDA_RESOURCE_DESC *resource)
{
    const CUDA_RESOURCE_DESC was = r->resource;
    r->resource = *resource;
    const CUresult result = bind(r);
    if (result == CUDA_SUCCESS)
        r->bound = true;
    else
        r->resource = was;
    return result;
}

/* After a change to how it is read. */
static CUresult bind_again(struct px_cu_reference *r)
{
    if (r->bound && bind(r) != CUDA_SUCCESS) unbind(r);
    return CUDA_SUCCESS;
}

/* ---- what is read ---- */

static CUresult array_format(CUarray array, CUarray_format *format, unsigned *channels)
{
    CUDA_ARRAY_DESCRIPTOR d;
    PX_CU_TRY(cuArrayGetDescriptor_v2(&d, array));
    *format = d.Format;
    *channels = d.NumChannels;
    return CUDA_SUCCESS;
}

/* A reference reads what the array has, so its format is taken. */
static CUresult bind_array(struct px_cu_reference *r, CUarray array, const CUDA_RESOURCE_DESC *resource)
{
    CUarray_format format;
    unsigned channels;
    PX_CU_TRY(array_format(array, &format, &channels));
    pthread_mutex_lock(&r->lock);
    const CUresult result = bind_to(r, resource);
    if (result == CUDA_SUCCESS) {
        r->format = format;
        r->channels = channels;
    }
    pthread_mutex_unlock(&r->lock);
    return result;
}

CUresult cuTexRefSetArray(CUtexref reference, CUarray array, unsigned flags)
{
    TEXREF(r, reference);
    if (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    return bind_array(r, array, &resource);
}

CUresult cuTexRefSetMipmappedArray(CUtexref reference, CUmipmappedArray array, unsigned flags)
{
    CUarray level;
    TEXREF(r, reference);
    if (flags & ~(unsigned)CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuMipmappedArrayGetLevel(&level, array, 0));
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                         .res.mipmap.hMipmappedArray = array};
    return bind_array(r, level, &resource);
}

/* Textures begin at multiples of an alignment: what is beyond one is told as an offset. */
static CUresult set_linear(struct px_cu_reference *r, size_t *offset, CUdeviceptr address, size_t size)
{
    int alignment;
    const int attribute = CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT;
    PX_CU_TRY(px_cu_device_value(r->head.context->device, attribute, &alignment));
    const size_t beyond = address % (unsigned)alignment;
    if (beyond && !offset) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                         .res.linear = {.devPtr = address - beyond,
                                                        .format = r->format,
                                                        .numChannels = r->channels,
                                                        .sizeInBytes = size + beyond}};
    PX_CU_TRY(bind_to(r, &resource));
    if (offset) *offset = beyond;
    return CUDA_SUCCESS;
}

CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref reference, CUdeviceptr address, size_t size)
{
    CUresult result = CUDA_SUCCESS;
    TEXREF(r, reference);
    pthread_mutex_lock(&r->lock);
    if (address && size)
        result = set_linear(r, offset, address, size);
    else
        unbind(r);
    pthread_mutex_unlock(&r->lock);
    return result;
}

CUresult cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR *descriptor,
                                 CUdeviceptr address, size_t pitch)
{
    TEXREF(r, reference);
    if (!descriptor) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                                         .res.pitch2D = {.devPtr = address,
                                                         .format = descriptor->Format,
                                                         .numChannels = descriptor->NumChannels,
                                                         .width = descriptor->Width,
                                                         .height = descriptor->Height,
                                                         .pitchInBytes = pitch}};
    pthread_mutex_lock(&r->lock);
    const CUresult result = bind_to(r, &resource);
    if (result == CUDA_SUCCESS) {
        r->format = descriptor->Format;
        r->channels = descriptor->NumChannels;
    }
    pthread_mutex_unlock(&r->lock);
    return result;
}

CUresult cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned flags)
{
    PX_CU_TAKE(px_cu_reference, r, PX_CU_SURFREF, reference, CUDA_ERROR_INVALID_VALUE);
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    pthread_mutex_lock(&r->lock);
    const CUresult result = bind_to(r, &resource);
    pthread_mutex_unlock(&r->lock);
    return result;
}

/* ---- how it is read ---- */

/* A field takes a value, under the lock. */
#define SET(reference, wrong, assignment)                                                                    \
    do {                                                                                                     \
        TEXREF(r, reference);                                                                                \
        if (wrong) return CUDA_ERROR_INVALID_VALUE;                                                          \
        pthread_mutex_lock(&r->lock);                                                                        \
        assignment;                                                                                          \
        const CUresult result_ = bind_again(r);                                                              \
        pthread_mutex_unlock(&r->lock);                                                                      \
        return result_;                                                                                      \
    } while (0)

/* For the memory that is bound next. */
CUresult cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels)
{
    SET(reference, !px_cu_texel(format, (unsigned)channels),
        (r->format = format, r->channels = (unsigned)channels));
}

CUresult cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode)
{
    SET(reference, dimension < 0 || dimension > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER,
        r->texture.addressMode[dimension] = mode);
}

CUresult cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode)
{
    SET(reference, (unsigned)mode > CU_TR_FILTER_MODE_LINEAR, r->texture.filterMode = mode);
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode)
{
    SET(reference, (unsigned)mode > CU_TR_FILTER_MODE_LINEAR, r->texture.mipmapFilterMode = mode);
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref reference, float bias)
{
    SET(reference, isnan(bias), r->texture.mipmapLevelBias = bias);
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float most)
{
    SET(reference, isnan(least) || isnan(most),
        (r->texture.minMipmapLevelClamp = least, r->texture.maxMipmapLevelClamp = most));
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most)
{
    SET(reference, false, r->texture.maxAnisotropy = most);
}

CUresult cuTexRefSetBorderColor(CUtexref reference, float *colour)
{
    SET(reference, !colour, memcpy(r->texture.borderColor, colour, sizeof r->texture.borderColor));
}

CUresult cuTexRefSetFlags(CUtexref reference, unsigned flags)
{
    enum {
        KNOWN = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP
    };
    SET(reference, flags & ~(unsigned)KNOWN, r->texture.flags = flags);
}

/* ---- questions ---- */

/* A value goes where the caller wants it, under the lock; `known`: there is one. */
/* Returns from the function, having done `what` under the lock of the reference, r. */
#define GET_ALL(given, reference, what)                                                                      \
    do {                                                                                                     \
        TEXREF(r, reference);                                                                                \
        if (!(given)) return CUDA_ERROR_INVALID_VALUE;                                                       \
        pthread_mutex_lock(&r->lock);                                                                        \
        what;                                                                                                \
        pthread_mutex_unlock(&r->lock);                                                                      \
        return CUDA_SUCCESS;                                                                                 \
    } while (0)

#define GET(to, reference, known, value)                                                                     \
    do {                                                                                                     \
        TEXREF(r, reference);                                                                                \
        if (!(to)) return CUDA_ERROR_INVALID_VALUE;                                                          \
        pthread_mutex_lock(&r->lock);                                                                        \
        const bool known_ = (known);                                                                         \
        if (known_) *(to) = (value);                                                                         \
        pthread_mutex_unlock(&r->lock);                                                                      \
        return known_ ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;                                             \
    } while (0)

CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref reference)
{
    GET(address, reference,
        r->bound && (r->resource.resType == CU_RESOURCE_TYPE_LINEAR ||
                     r->resource.resType == CU_RESOURCE_TYPE_PITCH2D),
        r->resource.resType == CU_RESOURCE_TYPE_LINEAR ? r->resource.res.linear.devPtr
                                                       : r->resource.res.pitch2D.devPtr);
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref reference)
{
    GET(array, reference, r->bound && r->resource.resType == CU_RESOURCE_TYPE_ARRAY,
        r->resource.res.array.hArray);
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref reference)
{
    GET(array, reference, r->bound && r->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
        r->resource.res.mipmap.hMipmappedArray);
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref reference)
{
    PX_CU_TAKE(px_cu_reference, r, PX_CU_SURFREF, reference, CUDA_ERROR_INVALID_VALUE);
    if (!array) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&r->lock);
    const bool bound = r->bound;
    if (bound) *array = r->resource.res.array.hArray;
    pthread_mutex_unlock(&r->lock);
    return bound ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref reference, int dimension)
{
    if (dimension < 0 || dimension > 2) return px_cu_ready() ? px_cu_ready() : CUDA_ERROR_INVALID_VALUE;
    GET(mode, reference, true, r->texture.addressMode[dimension]);
}

CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref reference)
{
    GET(mode, reference, true, r->texture.filterMode);
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref reference)
{
    GET(mode, reference, true, r->texture.mipmapFilterMode);
}

CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref reference)
{
    GET(bias, reference, true, r->texture.mipmapLevelBias);
}

CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref reference)
{
    GET(most, reference, true, (int)r->texture.maxAnisotropy);
}

CUresult cuTexRefGetFlags(unsigned *flags, CUtexref reference)
{
    GET(flags, reference, true, r->texture.flags);
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref reference)
{
    GET_ALL(least && most, reference,
            (*least = r->texture.minMipmapLevelClamp, *most = r->texture.maxMipmapLevelClamp));
}

CUresult cuTexRefGetBorderColor(float *colour, CUtexref reference)
{
    GET_ALL(colour, reference, memcpy(colour, r->texture.borderColor, sizeof r->texture.borderColor));
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref reference)
{
    GET_ALL(format && channels, reference, (*format = r->format, *channels = (int)r->channels));
}

/* ---- before CUDA 3.2 ---- */

CUresult px_cu_old_texref_set(unsigned *offset, CUtexref reference, CUdeviceptr_v1 address, unsigned size)
{
    size_t wide = 0;
    PX_CU_TRY(cuTexRefSetAddress_v2(offset ? &wide : NULL, reference, address, size));
    if (offset) *offset = (unsigned)wide;
    return CUDA_SUCCESS;
}

CUresult px_cu_old_texref_set_2d(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR_v1 *d,
                                 CUdeviceptr_v1 address, unsigned pitch)
{
    if (!d) return cuTexRefSetAddress2D_v3(reference, NULL, address, pitch);
    const CUDA_ARRAY_DESCRIPTOR now = {d->Width, d->Height, d->Format, d->NumChannels};
    return cuTexRefSetAddress2D_v3(reference, &now, address, pitch);
}

CUresult px_cu_old_texref_address(CUdeviceptr_v1 *address, CUtexref reference)
{
    CUdeviceptr wide;
    if (!address) return cuTexRefGetAddress_v2(NULL, reference);
    PX_CU_TRY(cuTexRefGetAddress_v2(&wide, reference));
    if (wide > UINT32_MAX) return CUDA_ERROR_INVALID_VALUE;
    *address = (unsigned)wide;
    return CUDA_SUCCESS;
}
