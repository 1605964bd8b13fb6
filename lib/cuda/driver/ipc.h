/*
 * ipc.h - what processes share: places of memory that another one can open, and the words of an event.
 */
#ifndef PX_CUDA_DRIVER_IPC_H
#define PX_CUDA_DRIVER_IPC_H

#include "cuda/driver/driver.h"

struct px_cu_ipc_event;

/* With the file of another process's event, which is taken; -1: a new one. */
CUresult px_cu_ipc_event_make(struct px_cu_context *context, int file, struct px_cu_ipc_event **event);
void px_cu_ipc_event_free(struct px_cu_context *context, struct px_cu_ipc_event *event); /* NULL is allowed */
CUresult px_cu_ipc_event_record(struct px_cu_ipc_event *event, const struct px_cu_way *way);
/* The stream waits for it as it was recorded last. */
CUresult px_cu_ipc_event_follow(struct px_cu_ipc_event *event, const struct px_cu_way *way);
CUresult px_cu_ipc_event_query(struct px_cu_context *context, struct px_cu_ipc_event *event);
CUresult px_cu_ipc_event_wait(struct px_cu_context *context, struct px_cu_ipc_event *event);
CUresult px_cu_ipc_event_handle(const struct px_cu_ipc_event *event, CUipcEventHandle *handle);
/* A descriptor of the file that a handle means, to be closed; -1: there is none. */
int px_cu_ipc_event_file(const CUipcEventHandle *handle);

/* How memory of another process came here. */
enum px_cu_origin { PX_CU_FROM_HANDLE, PX_CU_FROM_POOL, PX_CU_FROM_EXTERNAL };

/* Opens [offset, offset+size) of a file in the context; with a handle or pool, once more where it is open. */
CUresult px_cu_open(struct px_cu_context *context, enum px_cu_origin origin, int file, uint64_t offset,
                    uint64_t size, CUdeviceptr *address);
/* The end of what came so (CUDA_ERROR_INVALID_VALUE: it did not); it goes with its last user. */
CUresult px_cu_close(CUdeviceptr address, enum px_cu_origin origin);
/* What cuMemFree means for memory of kind PTX_MEMORY_OPENED. */
CUresult px_cu_close_freed(CUdeviceptr address);

/* A file that stands for a pool: a new one (-1: the system has none), whether a descriptor is of one, and
 * memory of that pool, by a handle that only goes with it. */
int px_cu_token_make(void);
bool px_cu_token_is(int file);
CUresult px_cu_pointer_export(struct px_cu_context *owner, const ptx_memory_info *info, int token,
                              CUmemPoolPtrExportData *data);
CUresult px_cu_pointer_import(struct px_cu_context *context, int token, const CUmemPoolPtrExportData *data,
                              CUdeviceptr *address);

#endif
