/*
 * memory.h - whose an address is.
 */
#ifndef PX_CUDA_DRIVER_MEMORY_H
#define PX_CUDA_DRIVER_MEMORY_H

#include "cuda/driver/driver.h"

/*
 * The context that has an allocation at the address, taken, `preferred` (may be NULL) before others; NULL:
 * none has. *info says what it is.
 */
struct px_cu_context *px_cu_owner(CUdeviceptr address, struct px_cu_context *preferred,
                                  ptx_memory_info *info);

/* May kernels of the context use the byte there? */
bool px_cu_reaches(const struct px_cu_context *context, CUdeviceptr address);

/* The mapping that holds an address of mapped memory (cuMemMap), which neighbours may be one block with. */
bool px_cu_mapping_at(CUdeviceptr address, ptx_memory_info *info);

/* Waits for the work that may use memory that is to be freed. */
CUresult px_cu_settle(struct px_cu_context *owner);

/* PTXVM_CHECK: an address is freed that is none of an allocation. */
void px_cu_bad_free(CUdeviceptr address);

/* Memory is freed, and what was advised for it goes; all of a context's with a size of 0. */
void px_cu_advice_forget(struct px_cu_context *context, CUdeviceptr address, size_t size);

/* The pool that stream-ordered memory of a context came from; NULL: none is known. */
CUmemoryPool px_cu_pool_of(const struct px_cu_context *context, const ptx_memory_info *info);

#endif
