/*
 * link.c - cuLink*: several texts, objects and fat binaries to one image.
 *
 * The image is an object file of ours (docs/object.md) with every text in it; modules are linked when it is
 * loaded, but what nvlink would refuse is refused by cuLinkComplete already. libcudadevrt is part of the
 * machine, so an archive with nothing else in it adds nothing.
 */
#include <ar.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/image.h"

struct link {
    struct px_cu_object head;
    pthread_mutex_t lock; /* of what follows */
    struct px_cu_image *image;
    struct px_cu_jit jit;
    char *bytes;
    size_t size, room;
};

#define LINK(name, handle) PX_CU_TAKE(link, name, PX_CU_LINK, handle, CUDA_ERROR_INVALID_HANDLE)

static void destroy(void *object)
{
    struct link *l = object;
    px_cu_image_give(l->image);
    free(l->bytes);
    pthread_mutex_destroy(&l->lock);
}

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    struct px_cu_jit jit;
    PX_CU_CURRENT(c);
    if (!state) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_jit_read(&jit, count, options, values));
    struct link *l = px_cu_new(PX_CU_LINK, sizeof *l, c, destroy);
    if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&l->lock, NULL);
    l->jit = jit; /* its buffers are the caller's until the state is destroyed */
    l->image = px_cu_image_new();
    const CUlinkState handle = px_cu_handle(l);
    if (!l->image) {
        px_cu_drop(handle, PX_CU_LINK);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *state = handle;
    return CUDA_SUCCESS;
}

/* ---- archives ---- */

static bool is_object_of(const char *data, size_t size)
{
    return size > 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* Fat binaries in the sections of the archive's host objects are what nvcc put there; a member without PTX is
 * the device runtime's or machine code, which nothing can be done with. */
static CUresult add_archive(struct link *l, const char *data, size_t size, const char *name)
{
    size_t at = SARMAG, objects = 0;
    while (size - at >= sizeof(struct ar_hdr)) {
        struct ar_hdr head;
        memcpy(&head, data + at, sizeof head);
        at += sizeof head;
        const unsigned long bytes = strtoul(head.ar_size, NULL, 10);
        if (memcmp(head.ar_fmag, ARFMAG, 2) != 0 || bytes > size - at) return CUDA_ERROR_INVALID_IMAGE;
        objects += is_object_of(data + at, bytes);
        at += bytes + (bytes & 1);
        if (at > size) break;
    }
    if (strstr(name, "cudadevrt") || !objects) return CUDA_SUCCESS;
    px_cu_jit_say(&l->jit, "%s: archives are not read; give their PTX", name);
    return px_cu_unsupported("cuLinkAddFile of an archive");
}

/* The lock is held. */
static CUresult add(struct link *l, CUjitInputType type, const void *data, size_t size, const char *name)
{
    const char *known = name ? name : "application ptx input";
    if (l->bytes) return CUDA_ERROR_INVALID_VALUE; /* complete */
    if (size >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0) return add_archive(l, data, size, known);
    switch (type) {
    case CU_JIT_INPUT_CUBIN:
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
        return px_cu_image_add(l->image, data, size, known, l->head.context->device, &l->jit);
    case CU_JIT_INPUT_NVVM: return px_cu_unsupported("CU_JIT_INPUT_NVVM");
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* Options of an input are read for their errors; what they could change is the same for all inputs here. */
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                          unsigned count, CUjit_option *options, void **values)
{
    struct px_cu_jit jit;
    LINK(l, state);
    if (!data || !size) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_jit_read(&jit, count, options, values));
    pthread_mutex_lock(&l->lock);
    const CUresult result = add(l, type, data, size, name);
    px_cu_jit_end(&l->jit);
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values)
{
    char *data;
    size_t size;
    PX_CU_TRY(px_cu_ready());
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_file_read(path, &data, &size));
    const CUresult result = cuLinkAddData_v2(state, type, data, size, path, count, options, values);
    free(data);
    return result;
}

/* ---- the image ---- */

static int write_bytes(void *user, const char *text, size_t size)
{
    struct link *l = user;
    if (l->size + size > l->room) {
        const size_t room = (l->size + size) * 2;
        char *grown = realloc(l->bytes, room);
        if (!grown) return 1;
        l->bytes = grown;
        l->room = room;
    }
    memcpy(l->bytes + l->size, text, size);
    l->size += size;
    return 0;
}

static void tell(struct link *l, const ptx_link *made)
{
    for (size_t i = 0; i < ptx_link_diagnostic_count(made); i++) {
        ptx_link_diagnostic d = {sizeof d};
        if (ptx_link_diagnostic_get(made, i, &d) == PTX_OK && d.severity >= PTX_ERROR)
            px_cu_jit_say(&l->jit, "error   : %s%s%s", d.message, d.file ? " in " : "", d.file ? d.file : "");
    }
}

/* The lock is held. */
static CUresult complete(struct link *l)
{
    ptx_link *made = NULL;
    const ptx_module *const *texts = (const ptx_module *const *)l->image->texts;
    if (l->bytes) return CUDA_SUCCESS;
    if (!l->image->count) return CUDA_ERROR_INVALID_VALUE;
    const ptx_status status = ptx_link_create(texts, l->image->count, NULL, &made);
    if (status == PTX_ERROR_LINK) tell(l, made);
    ptx_link_destroy(made);
    if (status != PTX_OK) return status == PTX_ERROR_LINK ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_UNKNOWN;
    if (ptx_object_write(texts, l->image->count, write_bytes, l) == PTX_OK) return CUDA_SUCCESS;
    free(l->bytes);
    l->bytes = NULL;
    l->size = l->room = 0;
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    LINK(l, state);
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&l->lock);
    const CUresult result = complete(l);
    if (result == CUDA_SUCCESS) {
        *image = l->bytes;
        if (size) *size = l->size;
    }
    px_cu_jit_end(&l->jit);
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(state, PX_CU_LINK) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
