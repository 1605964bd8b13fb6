/*
 * batch.c - many copies, prefetches or discards in one call, in stream order. What is wrong with one of
 * them is found before the first is done.
 */
#include "cuda/driver/copy.h"
#include "cuda/driver/memory.h"

/* The legacy stream is refused, as the manual says. */
static bool is_legacy(CUstream stream)
{
    return !stream || stream == CU_STREAM_LEGACY;
}

/* ---- copies ---- */

struct end {
    CUdeviceptr address;
    size_t pitch, height;
};

static CUresult end_of(const CUmemcpy3DOperand *o, const CUextent3D *extent, struct end *end)
{
    if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) return px_cu_unsupported("arrays in a batch of copies");
    if (o->type != CU_MEMCPY_OPERAND_TYPE_POINTER || !o->op.ptr.ptr) return CUDA_ERROR_INVALID_VALUE;
    const size_t row = o->op.ptr.rowLength, layer = o->op.ptr.layerHeight;
    if ((row && row < extent->width) || (layer && layer < extent->height)) return CUDA_ERROR_INVALID_VALUE;
    *end = (struct end){o->op.ptr.ptr, row ? row : extent->width, layer ? layer : extent->height};
    return CUDA_SUCCESS;
}

static CUresult copy_of(const CUDA_MEMCPY3D_BATCH_OP *op, CUDA_MEMCPY3D_PEER *copy)
{
    struct end from, to;
    if (!op->extent.width || !op->extent.height || !op->extent.depth) return CUDA_ERROR_INVALID_VALUE;
    if (op->srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        op->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(end_of(&op->src, &op->extent, &from));
    PX_CU_TRY(end_of(&op->dst, &op->extent, &to));
    *copy = (CUDA_MEMCPY3D_PEER){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                                 .srcDevice = from.address,
                                 .srcPitch = from.pitch,
                                 .srcHeight = from.height,
                                 .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                                 .dstDevice = to.address,
                                 .dstPitch = to.pitch,
                                 .dstHeight = to.height,
                                 .WidthInBytes = op->extent.width,
                                 .Height = op->extent.height,
                                 .Depth = op->extent.depth};
    return CUDA_SUCCESS;
}

CUresult px_cu_copy_3d_batch(size_t count, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t *failed,
                             unsigned long long flags, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    CUDA_MEMCPY3D_PEER copy;
    PX_CU_TRY(px_cu_ready());
    if (failed) *failed = SIZE_MAX;
    if (!count || !ops || flags || is_legacy(stream)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < 2 * count; i++) { /* looked at, then done */
        result = copy_of(&ops[i % count], &copy);
        if (result == CUDA_SUCCESS && i >= count) result = px_cu_copy_peer_3d(&copy, stream, false);
        if (result == CUDA_SUCCESS) continue;
        if (failed) *failed = i % count;
        return result;
    }
    return result;
}

/* ---- managed memory ---- */

struct ranges {
    const CUdeviceptr *addresses;
    const size_t *sizes;
    size_t count;
};

static CUresult check_ranges(const struct ranges *r, unsigned long long flags, CUstream stream)
{
    ptx_memory_info info;
    PX_CU_TRY(px_cu_ready());
    if (!r->addresses || !r->sizes || !r->count || flags || is_legacy(stream))
        return CUDA_ERROR_INVALID_VALUE;
    PX_CU_WAY(way, stream);
    for (size_t i = 0; i < r->count; i++) {
        PX_CU_HOLD(px_cu_context, owner) = px_cu_owner(r->addresses[i], way.context, &info);
        if (!owner || info.kind != PTX_MEMORY_MANAGED || !r->sizes[i] ||
            r->sizes[i] > info.size - (r->addresses[i] - info.base))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult prefetch(const struct ranges *r, const CUmemLocation *places, const size_t *firsts, size_t n,
                         CUstream stream)
{
    if (!places || !firsts || !n || n > r->count || firsts[0]) return CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 1; k < n; k++)
        if (firsts[k] <= firsts[k - 1] || firsts[k] >= r->count) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0, k = 0; i < r->count; i++) {
        if (k + 1 < n && firsts[k + 1] == i) k++;
        PX_CU_TRY(cuMemPrefetchAsync_v2(r->addresses[i], r->sizes[i], places[k], 0, stream));
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, CUmemLocation *places,
                                 size_t *firsts, size_t n, unsigned long long flags, CUstream stream)
{
    const struct ranges r = {addresses, sizes, count};
    PX_CU_TRY(check_ranges(&r, flags, stream));
    return prefetch(&r, places, firsts, n, stream);
}

/* What is discarded may keep its contents, and does. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream stream)
{
    const struct ranges r = {addresses, sizes, count};
    return check_ranges(&r, flags, stream);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
                                           CUmemLocation *places, size_t *firsts, size_t n,
                                           unsigned long long flags, CUstream stream)
{
    return cuMemPrefetchBatchAsync(addresses, sizes, count, places, firsts, n, flags, stream);
}
