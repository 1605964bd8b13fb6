/*
 * value.c - values that streams wait for and write (the manual's "Stream Memory Operations"), one by one
 * and in batches. The first version of these functions does what the second does: memory here has one order.
 */
#include "cuda/driver/value.h"
#include <stdlib.h>

enum { BATCH_MOST = 256 /* as the driver has it */ };

static CUresult wait_of(ptx_value *v, unsigned bytes, CUdeviceptr address, uint64_t value, unsigned flags)
{
    static const ptx_value_op ops[] = {[CU_STREAM_WAIT_VALUE_GEQ] = PTX_VALUE_WAIT_GEQ,
                                       [CU_STREAM_WAIT_VALUE_EQ] = PTX_VALUE_WAIT_EQ,
                                       [CU_STREAM_WAIT_VALUE_AND] = PTX_VALUE_WAIT_AND,
                                       [CU_STREAM_WAIT_VALUE_NOR] = PTX_VALUE_WAIT_NOR};
    const unsigned which = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH; /* nothing is held back */
    if (which >= sizeof ops / sizeof *ops) return CUDA_ERROR_INVALID_VALUE;
    *v = (ptx_value){ops[which], bytes, address, value};
    return CUDA_SUCCESS;
}

static CUresult write_of(ptx_value *v, unsigned bytes, CUdeviceptr address, uint64_t value, unsigned flags)
{
    if (flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) return CUDA_ERROR_INVALID_VALUE;
    *v = (ptx_value){PTX_VALUE_WRITE, bytes, address, value};
    return CUDA_SUCCESS;
}

static CUresult submit(CUstream stream, const ptx_value *values, size_t count)
{
    PX_CU_WAY(way, stream);
    return px_cu_result(way.context, ptx_stream_values(way.vm, values, count, way.stream), NULL);
}

CUresult px_cu_wait_value(CUstream stream, unsigned bytes, CUdeviceptr address, uint64_t value,
                          unsigned flags)
{
    ptx_value v;
    PX_CU_TRY(wait_of(&v, bytes, address, value, flags));
    return submit(stream, &v, 1);
}

CUresult px_cu_write_value(CUstream stream, unsigned bytes, CUdeviceptr address, uint64_t value,
                           unsigned flags)
{
    ptx_value v;
    PX_CU_TRY(write_of(&v, bytes, address, value, flags));
    return submit(stream, &v, 1);
}

/* *n grows by 1, or by nothing for a barrier: every access here is already in order. */
static CUresult value_of(const CUstreamBatchMemOpParams *p, ptx_value *list, size_t *n)
{
    ptx_value *v = &list[*n];
    const struct CUstreamMemOpWaitValueParams_st *w = &p->waitValue; /* writes are described alike */
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: return ++*n, wait_of(v, 4, w->address, w->value, w->flags);
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: return ++*n, wait_of(v, 8, w->address, w->value64, w->flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: return ++*n, write_of(v, 4, w->address, w->value, w->flags);
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: return ++*n, write_of(v, 8, w->address, w->value64, w->flags);
    case CU_STREAM_MEM_OP_BARRIER:
        return p->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE
                                                                          : CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return p->flushRemoteWrites.flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult px_cu_values(const CUstreamBatchMemOpParams *params, unsigned count, ptx_value *list, size_t *n)
{
    *n = 0;
    if (!params || !count || count > BATCH_MOST) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) PX_CU_TRY(value_of(&params[i], list, n));
    return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count, CUstreamBatchMemOpParams *params,
                               unsigned flags)
{
    ptx_value list[BATCH_MOST];
    size_t n;
    PX_CU_TRY(px_cu_ready());
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (!count) return CUDA_SUCCESS;
    PX_CU_TRY(px_cu_values(params, count, list, &n));
    return n ? submit(stream, list, n) : CUDA_SUCCESS;
}
