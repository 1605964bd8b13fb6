/*
 * copy.h - copies and sets, which the many spellings of cuda.def call.
 *
 * `waits`: the call returns when the copy is done.
 */
#ifndef PX_CUDA_DRIVER_COPY_H
#define PX_CUDA_DRIVER_COPY_H

#include "cuda/driver/driver.h"

CUresult px_cu_copy_up(CUdeviceptr to, const void *from, size_t size, CUstream stream, bool waits);
CUresult px_cu_copy_down(void *to, CUdeviceptr from, size_t size, CUstream stream, bool waits);
CUresult px_cu_copy_across(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
/* Addresses of either side. */
CUresult px_cu_copy_any(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream, bool waits);
CUresult px_cu_copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                         size_t size, CUstream stream, bool waits);
CUresult px_cu_copy_2d(const CUDA_MEMCPY2D *copy, CUstream stream, bool waits);
CUresult px_cu_copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, bool waits);
CUresult px_cu_copy_peer_3d(const CUDA_MEMCPY3D_PEER *copy, CUstream stream, bool waits);
CUresult px_cu_copy_2d_old(const CUDA_MEMCPY2D_v1 *copy, CUstream stream, bool waits);
CUresult px_cu_copy_3d_old(const CUDA_MEMCPY3D_v1 *copy, CUstream stream, bool waits);
CUresult px_cu_copy_batch(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, size_t *failed,
                          CUstream stream);
CUresult px_cu_copy_3d_batch(size_t count, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed,
                             unsigned long long flags, CUstream stream);
/* One that waits does so for memory that the host sees as well; device memory is set in the stream's order.
 */
CUresult px_cu_fill(CUdeviceptr to, size_t pitch, uint32_t value, unsigned element, size_t width,
                    size_t height, CUstream stream, bool waits);

/* For graphs: what a description means in a context. */
CUresult px_cu_copy_describe(const struct px_cu_way *way, const CUDA_MEMCPY3D_PEER *c, ptx_array_copy *copy);
CUDA_MEMCPY3D_PEER px_cu_copy_of_3d(const CUDA_MEMCPY3D *copy);
CUresult px_cu_copy(const struct px_cu_way *way, const ptx_array_copy *copy, bool waits);

#endif
