/*
 * array.c - CUDA arrays and mipmapped arrays, and copies of their rows.
 *
 * The texels are the library's; an object here keeps what the array was made with, because CUDA asks it back.
 * A level has a handle of its own, the same each time, which ends with its mipmapped array's.
 */
#include "cuda/driver/array.h"
#include <string.h>
#include "cuda/driver/copy.h"
#include "cuda/driver/memory.h"

/* ---- formats ---- */

unsigned px_cu_texel(CUarray_format format, unsigned channels)
{
    const unsigned n = channels == 1 || channels == 2 || channels == 4 ? channels : 0;
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return n;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 2 * n;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4 * n;
    }
    return 0;
}

void px_cu_note_refusal(const struct px_cu_context *context, const char *name, ptx_status status)
{
    if (status == PTX_ERROR_INVALID_ARGUMENT || status == PTX_ERROR_OUT_OF_MEMORY)
        px_cu_note("%s: %s", name, ptx_device_message(atomic_load(&context->vm)));
}

/* ---- arrays ---- */

static void destroy_array(void *object)
{
    struct px_cu_array *a = object;
    if (!a->level) ptx_array_destroy(a->vm, a->number);
}

static void destroy_mipmap(void *object)
{
    struct px_cu_mipmap *m = object;
    for (unsigned i = 0; i < PX_CU_LEVELS; i++)
        if (m->levels[i]) px_cu_drop(m->levels[i], PX_CU_ARRAY);
    ptx_array_destroy(m->vm, m->number);
    pthread_mutex_destroy(&m->lock);
}

/* What neither the library nor a chip has is refused by the former; here what a chip has. */
static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    enum { ABSENT = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE };
    enum { FIRST_PACKED = 0x50 }; /* block-compressed, planar, and those that say their channels */
    if (d->Flags & ABSENT) return px_cu_unsupported("arrays that are sparse, mapped later, or for video");
    if ((unsigned)d->Format >= FIRST_PACKED && (unsigned)d->Format <= 0xff)
        return px_cu_unsupported("arrays of compressed, planar and normalised formats");
    return CUDA_SUCCESS;
}

static CUresult create(const char *name, struct px_cu_context *c, const CUDA_ARRAY3D_DESCRIPTOR *d,
                       unsigned levels, ptx_device **vm, ptx_array *number)
{
    const ptx_array_config config = {sizeof config,  d->Width, d->Height, d->Depth, (ptx_format)d->Format,
                                     d->NumChannels, d->Flags, levels,    0};
    PX_CU_TRY(check(d));
    PX_CU_TRY(px_cu_vm(c, vm));
    pthread_mutex_lock(&c->lock);
    const ptx_status status = ptx_array_create(*vm, &config, number);
    px_cu_note_refusal(c, name, status);
    pthread_mutex_unlock(&c->lock);
    return px_cu_result(c, status, NULL);
}

static struct px_cu_array *make(struct px_cu_context *c, ptx_device *vm, ptx_array number, bool level,
                                const CUDA_ARRAY3D_DESCRIPTOR *made)
{
    struct px_cu_array *a = px_cu_new(PX_CU_ARRAY, sizeof *a, c, destroy_array);
    if (!a) return NULL;
    a->vm = vm;
    a->number = number;
    a->level = level;
    a->made = *made;
    return a;
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor)
{
    ptx_device *vm;
    ptx_array number;
    PX_CU_CURRENT(c);
    if (!array || !descriptor) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(create("cuArray3DCreate", c, descriptor, 1, &vm, &number));
    struct px_cu_array *a = make(c, vm, number, false, descriptor);
    if (a) {
        *array = px_cu_handle(a);
        return CUDA_SUCCESS;
    }
    ptx_array_destroy(vm, number);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor)
{
    PX_CU_TRY(px_cu_ready());
    if (!descriptor) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR deep = {.Width = descriptor->Width,
                                          .Height = descriptor->Height,
                                          .Format = descriptor->Format,
                                          .NumChannels = descriptor->NumChannels};
    return cuArray3DCreate_v2(array, &deep);
}

#define ARRAY(name, handle) PX_CU_TAKE(px_cu_array, name, PX_CU_ARRAY, handle, CUDA_ERROR_INVALID_HANDLE)
#define MIPMAP(name, handle) PX_CU_TAKE(px_cu_mipmap, name, PX_CU_MIPMAP, handle, CUDA_ERROR_INVALID_HANDLE)

CUresult cuArrayDestroy(CUarray array)
{
    ARRAY(a, array);
    if (a->level) return CUDA_ERROR_INVALID_HANDLE;
    PX_CU_TRY(px_cu_settle(a->head.context));
    return px_cu_drop(array, PX_CU_ARRAY) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array)
{
    ARRAY(a, array);
    return PX_CU_ANSWER(descriptor, a->made);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array)
{
    ARRAY(a, array);
    return PX_CU_ANSWER(descriptor, (CUDA_ARRAY_DESCRIPTOR){a->made.Width, a->made.Height, a->made.Format,
                                                            a->made.NumChannels});
}

/* ---- mipmapped arrays ---- */

CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned levels)
{
    ptx_device *vm;
    ptx_array number;
    ptx_array_config made = {sizeof made};
    PX_CU_CURRENT(c);
    if (!array || !descriptor) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(create("cuMipmappedArrayCreate", c, descriptor, levels ? levels : 1, &vm, &number));
    struct px_cu_mipmap *m = ptx_array_config_get(vm, number, &made) == PTX_OK
                                 ? px_cu_new(PX_CU_MIPMAP, sizeof *m, c, destroy_mipmap)
                                 : NULL;
    if (!m) return ptx_array_destroy(vm, number), CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&m->lock, NULL);
    m->vm = vm;
    m->number = number;
    m->count = made.levels;
    m->made = *descriptor;
    *array = px_cu_handle(m);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
    MIPMAP(m, array);
    PX_CU_TRY(px_cu_settle(m->head.context));
    return px_cu_drop(array, PX_CU_MIPMAP) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* The lock is held. */
static CUresult make_level(struct px_cu_mipmap *m, unsigned level)
{
    ptx_array number;
    ptx_array_config size = {sizeof size};
    CUDA_ARRAY3D_DESCRIPTOR made = m->made;
    ptx_status status = ptx_array_level(m->vm, m->number, level, &number);
    if (status == PTX_OK) status = ptx_array_config_get(m->vm, number, &size);
    if (status != PTX_OK) return px_cu_result(m->head.context, status, NULL);
    made.Width = size.width;
    made.Height = size.height;
    made.Depth = size.depth;
    const struct px_cu_array *a = make(m->head.context, m->vm, number, true, &made);
    if (!a) return CUDA_ERROR_OUT_OF_MEMORY;
    m->levels[level] = px_cu_handle(a);
    return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned index)
{
    MIPMAP(m, array);
    if (!level || index >= m->count || index >= PX_CU_LEVELS) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&m->lock);
    const CUresult result = m->levels[index] ? CUDA_SUCCESS : make_level(m, index);
    if (result == CUDA_SUCCESS) *level = m->levels[index];
    pthread_mutex_unlock(&m->lock);
    return result;
}

/* ---- what only other kinds of arrays have ---- */

/* There are no arrays without memory, */
CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUarray array, CUdevice device)
{
    ARRAY(a, array);
    (void)needs;
    return px_cu_device(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *needs, CUmipmappedArray array,
                                               CUdevice device)
{
    MIPMAP(m, array);
    (void)needs;
    return px_cu_device(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
}

/* sparse ones, */
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array)
{
    ARRAY(a, array);
    (void)properties;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUmipmappedArray array)
{
    MIPMAP(m, array);
    (void)properties;
    return CUDA_ERROR_INVALID_VALUE;
}

/* or such with planes. */
CUresult cuArrayGetPlane(CUarray *plane, CUarray array, unsigned index)
{
    ARRAY(a, array);
    (void)plane, (void)index;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format format, unsigned channels,
                                            CUdevice device)
{
    int most;
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!width || !px_cu_texel(format, channels)) return CUDA_ERROR_INVALID_VALUE;
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    PX_CU_TRY(px_cu_device_value(d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, &most));
    *width = (size_t)most;
    return CUDA_SUCCESS;
}

/* ---- by the library's number ---- */

struct search {
    const ptx_device *vm;
    ptx_array number;
    CUarray found;
};

static void match(void *object, void *user)
{
    const struct px_cu_array *a = object;
    struct search *s = user;
    if (a->vm == s->vm && a->number == s->number) s->found = px_cu_handle(a);
}

CUarray px_cu_array_at(const ptx_device *vm, ptx_array number)
{
    struct search s = {.vm = vm, .number = number};
    px_cu_each(PX_CU_ARRAY, NULL, match, &s);
    return s.found;
}

/* ---- copies of rows ---- */

/* The members that say one side of a copy, src or dst. */
/* clang-format off */
#define IN_ARRAY(side, array, x) \
    .side##MemoryType = CU_MEMORYTYPE_ARRAY, .side##Array = (array), .side##XInBytes = (x)
#define IN_DEVICE(side, at) .side##MemoryType = CU_MEMORYTYPE_DEVICE, .side##Device = (at)
#define IN_HOST(side, at) .side##MemoryType = CU_MEMORYTYPE_HOST, .side##Host = (at)
/* clang-format on */

static CUresult copy_row(CUDA_MEMCPY3D copy, size_t size, CUstream stream, bool waits)
{
    copy.WidthInBytes = size;
    copy.Height = copy.Depth = 1;
    return px_cu_copy_3d(&copy, stream, waits);
}

CUresult px_cu_copy_a_to_a(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size,
                           CUstream stream, bool waits)
{
    const CUDA_MEMCPY3D copy = {IN_ARRAY(src, from, from_offset), IN_ARRAY(dst, to, to_offset)};
    return copy_row(copy, size, stream, waits);
}

CUresult px_cu_copy_a_to_d(CUdeviceptr to, CUarray from, size_t offset, size_t size, CUstream stream,
                           bool waits)
{
    const CUDA_MEMCPY3D copy = {IN_ARRAY(src, from, offset), IN_DEVICE(dst, to)};
    return copy_row(copy, size, stream, waits);
}

CUresult px_cu_copy_d_to_a(CUarray to, size_t offset, CUdeviceptr from, size_t size, CUstream stream,
                           bool waits)
{
    const CUDA_MEMCPY3D copy = {IN_DEVICE(src, from), IN_ARRAY(dst, to, offset)};
    return copy_row(copy, size, stream, waits);
}

CUresult px_cu_copy_a_to_h(void *to, CUarray from, size_t offset, size_t size, CUstream stream, bool waits)
{
    const CUDA_MEMCPY3D copy = {IN_ARRAY(src, from, offset), IN_HOST(dst, to)};
    return copy_row(copy, size, stream, waits);
}

CUresult px_cu_copy_h_to_a(CUarray to, size_t offset, const void *from, size_t size, CUstream stream,
                           bool waits)
{
    const CUDA_MEMCPY3D copy = {IN_HOST(src, from), IN_ARRAY(dst, to, offset)};
    return copy_row(copy, size, stream, waits);
}

/* ---- before CUDA 3.2 ---- */

CUresult px_cu_old_array_create(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *d)
{
    if (!d) return cuArrayCreate_v2(array, NULL);
    const CUDA_ARRAY_DESCRIPTOR now = {d->Width, d->Height, d->Format, d->NumChannels};
    return cuArrayCreate_v2(array, &now);
}

CUresult px_cu_old_array_create_3d(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *d)
{
    if (!d) return cuArray3DCreate_v2(array, NULL);
    const CUDA_ARRAY3D_DESCRIPTOR now = {d->Width, d->Height, d->Depth, d->Format, d->NumChannels, d->Flags};
    return cuArray3DCreate_v2(array, &now);
}

/* No array has more than 32 bits of texels in a dimension. */
CUresult px_cu_old_array_get_3d(CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor, CUarray array)
{
    ARRAY(a, array);
    return PX_CU_ANSWER(descriptor,
                        (CUDA_ARRAY3D_DESCRIPTOR_v1){(unsigned)a->made.Width, (unsigned)a->made.Height,
                                                     (unsigned)a->made.Depth, a->made.Format,
                                                     a->made.NumChannels, a->made.Flags});
}

CUresult px_cu_old_array_get(CUDA_ARRAY_DESCRIPTOR_v1 *descriptor, CUarray array)
{
    ARRAY(a, array);
    return PX_CU_ANSWER(descriptor,
                        (CUDA_ARRAY_DESCRIPTOR_v1){(unsigned)a->made.Width, (unsigned)a->made.Height,
                                                   a->made.Format, a->made.NumChannels});
}
