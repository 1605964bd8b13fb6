/*
 * external.c - memory of other interfaces. There are none here, so what can be imported is what
 * cuMemExportToShareableHandle gave, of this process or another.
 */
#include <fcntl.h>
#include <unistd.h>
#include "cuda/driver/ipc.h"

struct external {
    struct px_cu_object head;
    int file; /* owned: an import takes the program's descriptor */
    uint64_t size;
};

static void destroy(void *object)
{
    const struct external *e = object;
    close(e->file);
}

/* Whether a descriptor is of such memory with so many bytes: imported once, and given back. */
static CUresult check(struct px_cu_context *c, int file, uint64_t size)
{
    ptx_device *vm;
    ptx_physical number;
    uint64_t all = 0;
    PX_CU_TRY(px_cu_vm(c, &vm));
    const ptx_status status = ptx_physical_import(vm, file, &number, &all);
    if (status == PTX_ERROR_INVALID_ARGUMENT) return CUDA_ERROR_UNKNOWN; /* another file, or none */
    PX_CU_TRY(px_cu_result(c, status, NULL));
    ptx_physical_release(vm, number);
    return size && size <= all ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuImportExternalMemory(CUexternalMemory *memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *d)
{
    PX_CU_CURRENT(c);
    if (!memory || !d || d->type < CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD ||
        d->type > CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
        return px_cu_unsupported("cuImportExternalMemory of what is no opaque file descriptor");
    PX_CU_TRY(check(c, d->handle.fd, d->size));
    struct external *e = px_cu_new(PX_CU_EXTERNAL, sizeof *e, c, destroy);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    e->file = d->handle.fd;
    e->size = d->size;
    *memory = px_cu_handle(e);
    return CUDA_SUCCESS;
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory memory,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *d)
{
    PX_CU_TAKE(external, e, PX_CU_EXTERNAL, memory, CUDA_ERROR_INVALID_HANDLE);
    if (!address || !d || d->flags || !d->size || d->offset > e->size || d->size > e->size - d->offset)
        return CUDA_ERROR_INVALID_VALUE;
    return px_cu_open(e->head.context, PX_CU_FROM_EXTERNAL, e->file, d->offset, d->size, address);
}

/* Buffers that are mapped stay until they are freed. */
CUresult cuDestroyExternalMemory(CUexternalMemory memory)
{
    PX_CU_TRY(px_cu_ready());
    return px_cu_drop(memory, PX_CU_EXTERNAL) ? CUDA_SUCCESS
           : memory                           ? CUDA_ERROR_INVALID_HANDLE
                                              : CUDA_ERROR_INVALID_VALUE;
}
