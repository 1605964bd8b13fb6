/*
 * texture.c - texture and surface objects.
 *
 * An object's number is the library's handle, which kernels use as it is. What it was made of is kept here,
 * because CUDA asks it back, in an object that the number leads to by a hash table.
 */
#include "cuda/driver/texture.h"
#include <stdlib.h>
#include "cuda/driver/array.h"

/* A texture object, or (without `texture` and `view`) a surface object. */
struct made {
    struct px_cu_object head;
    ptx_device *vm;
    uint64_t number;   /* 0: the library has none */
    struct made *next; /* of its bucket; guarded by lock */
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    bool has_view;
};

enum { BUCKETS = 1024 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *buckets[BUCKETS];

/* Numbers of objects that live at once differ in the bits above the lowest three. */
static struct made **bucket_of(uint64_t number)
{
    return &buckets[(number >> 3) % BUCKETS];
}

static void enter(struct made *m)
{
    pthread_mutex_lock(&lock);
    struct made **at = bucket_of(m->number);
    m->next = *at;
    *at = m;
    pthread_mutex_unlock(&lock);
}

static void leave(struct made *m)
{
    pthread_mutex_lock(&lock);
    struct made **at = bucket_of(m->number);
    while (*at && *at != m) at = &(*at)->next;
    if (*at) *at = m->next;
    pthread_mutex_unlock(&lock);
}

/* Found by its handle, so that one that is being destroyed is none any more. */
static struct made *find(const struct px_cu_context *context, uint64_t number, enum px_cu_kind kind)
{
    struct made *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct made *m = number ? *bucket_of(number) : NULL; m && !found; m = m->next)
        if (m->number == number && m->head.context == context && m->head.kind == kind)
            found = px_cu_take(px_cu_handle(m), kind);
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- what a texture is made of ---- */

static const struct {
    ptx_format format;
    CUresourceViewFormat first; /* of one channel; two and four follow */
} views[] = {
    {PTX_FORMAT_U8, CU_RES_VIEW_FORMAT_UINT_1X8},    {PTX_FORMAT_S8, CU_RES_VIEW_FORMAT_SINT_1X8},
    {PTX_FORMAT_U16, CU_RES_VIEW_FORMAT_UINT_1X16},  {PTX_FORMAT_S16, CU_RES_VIEW_FORMAT_SINT_1X16},
    {PTX_FORMAT_U32, CU_RES_VIEW_FORMAT_UINT_1X32},  {PTX_FORMAT_S32, CU_RES_VIEW_FORMAT_SINT_1X32},
    {PTX_FORMAT_F16, CU_RES_VIEW_FORMAT_FLOAT_1X16}, {PTX_FORMAT_F32, CU_RES_VIEW_FORMAT_FLOAT_1X32},
};

/* Sizes are those of the resource; of a resource without layers no layers are chosen. */
static CUresult describe_view(const CUDA_RESOURCE_VIEW_DESC *view, const CUDA_ARRAY3D_DESCRIPTOR *made,
                              ptx_texture_config *config)
{
    const unsigned format = (unsigned)view->format;
    if (format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 && format <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7)
        return px_cu_unsupported("textures of compressed blocks");
    if (format > CU_RES_VIEW_FORMAT_FLOAT_4X32 || view->width != made->Width ||
        view->height != made->Height || view->depth != made->Depth)
        return CUDA_ERROR_INVALID_VALUE;
    const bool layered = made->Flags & CUDA_ARRAY3D_LAYERED;
    if (!layered && (view->firstLayer || view->lastLayer)) return CUDA_ERROR_INVALID_VALUE;
    config->part = PTX_PART_EXACT;
    config->format = (ptx_format)made->Format;
    config->channels = made->NumChannels;
    if (format) {
        config->format = views[(format - 1) / 3].format;
        config->channels = 1u << (format - 1) % 3;
    }
    config->first_level = view->firstMipmapLevel;
    config->last_level = view->lastMipmapLevel;
    config->first_layer = view->firstLayer;
    config->last_layer = view->lastLayer;
    if (made->Flags & CUDA_ARRAY3D_CUBEMAP && !layered) config->last_layer = 5;
    return CUDA_SUCCESS;
}

static CUresult from_made(ptx_array number, const CUDA_ARRAY3D_DESCRIPTOR *made,
                          const CUDA_RESOURCE_VIEW_DESC *view, ptx_texture_config *config)
{
    config->array = number;
    return view ? describe_view(view, made, config) : CUDA_SUCCESS;
}

static CUresult from_array(const struct px_cu_context *context, CUarray array,
                           const CUDA_RESOURCE_VIEW_DESC *view, ptx_texture_config *config)
{
    PX_CU_TAKE(px_cu_array, a, PX_CU_ARRAY, array, CUDA_ERROR_INVALID_HANDLE);
    return a->head.context == context ? from_made(a->number, &a->made, view, config)
                                      : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult from_mipmap(const struct px_cu_context *context, CUmipmappedArray array,
                            const CUDA_RESOURCE_VIEW_DESC *view, ptx_texture_config *config)
{
    PX_CU_TAKE(px_cu_mipmap, m, PX_CU_MIPMAP, array, CUDA_ERROR_INVALID_HANDLE);
    return m->head.context == context ? from_made(m->number, &m->made, view, config)
                                      : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult from_memory(const struct px_cu_context *context, CUdeviceptr address, CUarray_format format,
                            unsigned channels, ptx_texture_config *config)
{
    int alignment;
    PX_CU_TRY(px_cu_device_value(context->device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &alignment));
    if (!address || address % (unsigned)alignment || !px_cu_texel(format, channels))
        return CUDA_ERROR_INVALID_VALUE;
    config->address = address;
    config->format = (ptx_format)format;
    config->channels = channels;
    return CUDA_SUCCESS;
}

static CUresult describe_resource(const struct px_cu_context *context, const CUDA_RESOURCE_DESC *r,
                                  const CUDA_RESOURCE_VIEW_DESC *view, ptx_texture_config *config)
{
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY: return from_array(context, r->res.array.hArray, view, config);
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        return from_mipmap(context, r->res.mipmap.hMipmappedArray, view, config);
    case CU_RESOURCE_TYPE_LINEAR:
        if (view) return CUDA_ERROR_INVALID_VALUE;
        PX_CU_TRY(from_memory(context, r->res.linear.devPtr, r->res.linear.format, r->res.linear.numChannels,
                              config));
        config->width =
            r->res.linear.sizeInBytes / px_cu_texel(r->res.linear.format, r->res.linear.numChannels);
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_PITCH2D:
        if (view || !r->res.pitch2D.height) return CUDA_ERROR_INVALID_VALUE;
        config->width = r->res.pitch2D.width;
        config->height = r->res.pitch2D.height;
        config->pitch = r->res.pitch2D.pitchInBytes;
        return from_memory(context, r->res.pitch2D.devPtr, r->res.pitch2D.format, r->res.pitch2D.numChannels,
                           config);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

static ptx_sampler_config describe_sampler(const CUDA_TEXTURE_DESC *t)
{
    ptx_sampler_config s = {.struct_size = sizeof s,
                            .filter = (ptx_filter_mode)t->filterMode,
                            .mip_filter = (ptx_filter_mode)t->mipmapFilterMode,
                            .normalized = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                            .integers = (t->flags & CU_TRSF_READ_AS_INTEGER) != 0,
                            .srgb = (t->flags & CU_TRSF_SRGB) != 0,
                            .seamless = (t->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
                            .anisotropy = t->maxAnisotropy,
                            .bias = t->mipmapLevelBias,
                            .min_level = t->minMipmapLevelClamp,
                            .max_level = t->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++) s.address[i] = (ptx_address_mode)t->addressMode[i];
    for (int i = 0; i < 4; i++) s.border[i] = t->borderColor[i];
    return s;
}

CUresult px_cu_texture_describe(const struct px_cu_context *context, const CUDA_RESOURCE_DESC *resource,
                                const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view,
                                ptx_texture_config *config, ptx_sampler_config *sampler)
{
    *sampler = describe_sampler(texture);
    *config = (ptx_texture_config){.struct_size = sizeof *config, .sampler = sampler};
    return describe_resource(context, resource, view, config);
}

/* ---- objects ---- */

/* Of the context's destroyed objects, when nothing is under way that may use them; its lock is held. */
static void reap(struct px_cu_context *c, ptx_device *vm)
{
    if (!c->gone_count || ptx_device_query(vm) == PTX_ERROR_NOT_READY) return;
    for (size_t i = 0; i < c->gone_count; i++)
        if (ptx_texture_destroy(vm, c->gone[i]) != PTX_OK) ptx_surface_destroy(vm, c->gone[i]);
    c->gone_count = 0;
}

/* Launches under way go on with an object that is destroyed, so the library's goes once there are none. */
static void destroy_made(void *object)
{
    struct made *m = object;
    struct px_cu_context *c = m->head.context;
    if (!m->number) return;
    leave(m);
    pthread_mutex_lock(&c->lock);
    if (c->gone_count == c->gone_room) {
        const size_t room = c->gone_room ? 2 * c->gone_room : 16;
        uint64_t *more = realloc(c->gone, room * sizeof *more);
        if (more) {
            c->gone = more;
            c->gone_room = room;
        }
    }
    if (c->gone_count < c->gone_room)
        c->gone[c->gone_count++] = m->number; /* else it goes with the context */
    reap(c, m->vm);
    pthread_mutex_unlock(&c->lock);
}

/* The library's answer for a new object becomes CUDA's. */
static CUresult finish(struct made *m, ptx_status status, uint64_t number, unsigned long long *object)
{
    if (status == PTX_OK) {
        *object = m->number = number;
        enter(m);
        return CUDA_SUCCESS;
    }
    const CUresult result = px_cu_result(m->head.context, status, NULL);
    px_cu_drop(px_cu_handle(m), m->head.kind);
    return result;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    ptx_device *vm;
    ptx_texture_config config;
    ptx_sampler_config sampler;
    ptx_texture number = 0;
    PX_CU_CURRENT(c);
    if (!object || !resource || !texture || resource->flags) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(px_cu_texture_describe(c, resource, texture, view, &config, &sampler));
    struct made *m = px_cu_new(PX_CU_TEXTURE, sizeof *m, c, destroy_made);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    m->vm = vm;
    m->resource = *resource;
    m->texture = *texture;
    m->has_view = view != NULL;
    if (view) m->view = *view;
    pthread_mutex_lock(&c->lock);
    const ptx_status status = ptx_texture_create(vm, &config, &number);
    px_cu_note_refusal(c, "cuTexObjectCreate", status);
    pthread_mutex_unlock(&c->lock);
    return finish(m, status, number, object);
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
    ptx_device *vm;
    ptx_texture_config config = {0};
    ptx_surface number = 0;
    PX_CU_CURRENT(c);
    if (!object || !resource || resource->flags || resource->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_vm(c, &vm));
    PX_CU_TRY(from_array(c, resource->res.array.hArray, NULL, &config));
    struct made *m = px_cu_new(PX_CU_SURFACE, sizeof *m, c, destroy_made);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    m->vm = vm;
    m->resource = *resource;
    pthread_mutex_lock(&c->lock);
    const ptx_status status = ptx_surface_create(vm, config.array, &number);
    px_cu_note_refusal(c, "cuSurfObjectCreate", status);
    pthread_mutex_unlock(&c->lock);
    return finish(m, status, number, object);
}

/* The object of a number in the current context. */
#define OBJECT(name, kind, number)                                                                           \
    PX_CU_CURRENT(c_);                                                                                       \
    PX_CU_HOLD(made, name) = find(c_, number, kind);                                                         \
    if (!name) return CUDA_ERROR_INVALID_VALUE

static CUresult destroy(struct made *m)
{
    return px_cu_drop(px_cu_handle(m), m->head.kind) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    OBJECT(m, PX_CU_TEXTURE, object);
    return destroy(m);
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    OBJECT(m, PX_CU_SURFACE, object);
    return destroy(m);
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
    OBJECT(m, PX_CU_TEXTURE, object);
    return PX_CU_ANSWER(resource, m->resource);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
    OBJECT(m, PX_CU_SURFACE, object);
    return PX_CU_ANSWER(resource, m->resource);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
    OBJECT(m, PX_CU_TEXTURE, object);
    return PX_CU_ANSWER(texture, m->texture);
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    OBJECT(m, PX_CU_TEXTURE, object);
    if (!view || !m->has_view) return CUDA_ERROR_INVALID_VALUE;
    *view = m->view;
    return CUDA_SUCCESS;
}
