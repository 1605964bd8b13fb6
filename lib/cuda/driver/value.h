/*
 * value.h - values that streams wait for and write, which the many spellings of cuda.def call.
 */
#ifndef PX_CUDA_DRIVER_VALUE_H
#define PX_CUDA_DRIVER_VALUE_H

#include "cuda/driver/driver.h"

/* `bytes`: 4 or 8. */
CUresult px_cu_wait_value(CUstream stream, unsigned bytes, CUdeviceptr address, uint64_t value,
                          unsigned flags);
CUresult px_cu_write_value(CUstream stream, unsigned bytes, CUdeviceptr address, uint64_t value,
                           unsigned flags);
/* The operations of a batch into `list`, which has room for `count`; *n: how many there are. */
CUresult px_cu_values(const CUstreamBatchMemOpParams *params, unsigned count, ptx_value *list, size_t *n);

#endif
