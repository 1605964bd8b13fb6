/*
 * tensor.c - tensor maps: cuTensorMapEncode*, checked as CUDA's header says.
 *
 * The 128 bytes are this library's own (tex/tensor_map.h): only its copies understand them.
 */
#include <string.h>
#include "cuda/driver/driver.h"
#include "tex/tensor_map.h"

enum {
    MAP_ALIGN = 64,
    LINE = 16,
    BOX_MOST = 256,
    STEP_MOST = 8,
    PIXELS_MOST = 1024,
    PACKED_ALIGN = 32,
    PACKED_BOX = 128
};

/* What both kinds of maps say of the tensor. */
struct tensor {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *dims, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static const uint8_t types[] = {
    PX_TENSOR_U8,       PX_TENSOR_U16,   PX_TENSOR_U32,       PX_TENSOR_S32,
    PX_TENSOR_U64,      PX_TENSOR_S64,   PX_TENSOR_F16,       PX_TENSOR_F32,
    PX_TENSOR_F64,      PX_TENSOR_BF16,  PX_TENSOR_F32_FTZ,   PX_TENSOR_TF32,
    PX_TENSOR_TF32_FTZ, PX_TENSOR_B4X16, PX_TENSOR_B4X16_P64, PX_TENSOR_B6X16_P32};

static bool is_padded(const struct tensor *t)
{
    return types[t->type] == PX_TENSOR_B4X16_P64 || types[t->type] == PX_TENSOR_B6X16_P32;
}

/* Multiples of it are the address and the strides. */
static unsigned unit_of(const struct tensor *t)
{
    return t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B || is_padded(t) ? PACKED_ALIGN : LINE;
}

static bool dims_fit(const struct tensor *t)
{
    const uint64_t multiple = is_padded(t) ? PACKED_BOX : types[t->type] == PX_TENSOR_B4X16 ? 2 : 1;
    for (unsigned i = 0; i < t->rank; i++) {
        if (!t->dims[i] || t->dims[i] > 1ull << 32) return false;
        if (i + 1 < t->rank && (t->strides[i] % unit_of(t) || t->strides[i] >> 40)) return false;
        const bool counts = i || t->interleave;
        if (counts && (!t->steps[i] || t->steps[i] > STEP_MOST)) return false;
    }
    return t->dims[0] % multiple == 0;
}

/* Those that depend on each other. */
static bool modes_fit(const struct tensor *t)
{
    if ((unsigned)t->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (unsigned)t->swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        (unsigned)t->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        (unsigned)t->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return false;
    if (t->interleave && t->rank < 3) return false;
    if (t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B && t->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
        return false;
    if (t->interleave && types[t->type] == PX_TENSOR_B6X16_P32) return false;
    return !t->fill || px_tensor_is_float((enum px_tensor_type)types[t->type]);
}

static bool fits(const struct tensor *t)
{
    return (size_t)t->type < sizeof types && t->rank && t->rank <= PX_TENSOR_RANK && t->dims && t->steps &&
           (t->strides || t->rank == 1) && !((uintptr_t)t->address % unit_of(t)) && modes_fit(t) &&
           dims_fit(t);
}

/* The inner row of what a copy writes: so many elements. */
static bool row_fits(const struct tensor *t, cuuint32_t n)
{
    static const uint16_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    const unsigned bytes = n * px_tensor_element((enum px_tensor_type)types[t->type]);
    if (!n || n > BOX_MOST || (is_padded(t) && n != PACKED_BOX)) return false;
    if (t->interleave) return true;
    return bytes % LINE == 0 && (!spans[t->swizzle] || bytes <= spans[t->swizzle]);
}

static struct px_tensor_map map_of(const struct tensor *t)
{
    static const uint8_t swizzles[] = {PX_SWIZZLE_NONE, PX_SWIZZLE_32,  PX_SWIZZLE_64, PX_SWIZZLE_128,
                                       PX_SWIZZLE_128,  PX_SWIZZLE_128, PX_SWIZZLE_128};
    static const uint8_t atoms[] = {0, 0, 0, PX_ATOM_16, PX_ATOM_32, PX_ATOM_32_FLIP, PX_ATOM_64};
    struct px_tensor_map m = {.address = (uint64_t)(uintptr_t)t->address,
                              .rank = (uint8_t)t->rank,
                              .type = types[t->type],
                              .interleave = (uint8_t)t->interleave,
                              .swizzle = swizzles[t->swizzle],
                              .atom = atoms[t->swizzle],
                              .promotion = (uint8_t)t->promotion,
                              .nans = t->fill != 0};
    for (unsigned i = 0; i < PX_TENSOR_RANK; i++) {
        m.dim[i] = i < t->rank ? t->dims[i] : 1;
        m.step[i] = i < t->rank ? t->steps[i] : 1;
        m.box[i] = 1;
        if (i + 1 < t->rank) m.stride[i] = t->strides[i];
    }
    return m;
}

static CUresult give(const struct px_tensor_map *m, CUtensorMap *to)
{
    px_tensor_map_pack(m, (uint8_t *)to);
    return CUDA_SUCCESS;
}

static bool is_place(const CUtensorMap *map)
{
    return map && !((uintptr_t)map % MAP_ALIGN);
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill)
{
    const struct tensor t = {type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill};
    PX_CU_CURRENT(c);
    if (!is_place(map) || !fits(&t) || !box || !row_fits(&t, box[0])) return CUDA_ERROR_INVALID_VALUE;
    struct px_tensor_map m = map_of(&t);
    for (unsigned i = 0; i < rank; i++) {
        if (!box[i] || box[i] > BOX_MOST) return CUDA_ERROR_INVALID_VALUE;
        m.box[i] = box[i];
    }
    return give(&m, map);
}

/* The corners' bits are shared by as many dimensions as there are: [-limit, limit). */
static bool corners_fit(const int *lower, const int *upper, unsigned n)
{
    const int limit = n == 1 ? 32768 : n == 2 ? 128 : 16;
    for (unsigned i = 0; i < n; i++)
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit) return false;
    return true;
}

static bool has_pixels(const struct tensor *t, const int *lower, const int *upper, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if ((int64_t)t->dims[i + 1] + upper[i] - lower[i] <= 0) return false;
    return true;
}

/* n corners are given. */
static CUresult encode_pixels(CUtensorMap *map, const struct tensor *t, enum px_tensor_mode mode,
                              const int *lower, const int *upper, unsigned n, cuuint32_t channels,
                              cuuint32_t pixels)
{
    if (!is_place(map) || !fits(t) || t->rank < 3 || !lower || !upper || !row_fits(t, channels))
        return CUDA_ERROR_INVALID_VALUE;
    if (!pixels || pixels > PIXELS_MOST || !corners_fit(lower, upper, n) || !has_pixels(t, lower, upper, n))
        return CUDA_ERROR_INVALID_VALUE;
    struct px_tensor_map m = map_of(t);
    m.mode = (uint8_t)mode;
    m.channels = channels;
    m.pixels = pixels;
    for (unsigned i = 0; i < n; i++) {
        m.lower[i] = lower[i];
        m.upper[i] = upper[i];
    }
    return give(&m, map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
                                 const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                 const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                 CUtensorMapFloatOOBfill fill)
{
    const struct tensor t = {type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill};
    PX_CU_CURRENT(c);
    return encode_pixels(map, &t, PX_TENSOR_IM2COL, lower, upper, rank - 2, channels, pixels);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                     void *address, const cuuint64_t *dims, const cuuint64_t *strides,
                                     int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                                     const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const struct tensor t = {type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill};
    PX_CU_CURRENT(c);
    if ((unsigned)mode > CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 || interleave) return CUDA_ERROR_INVALID_VALUE;
    return encode_pixels(map, &t, PX_TENSOR_IM2COL_WIDE, &lower, &upper, 1, channels, pixels);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct px_tensor_map m;
    PX_CU_CURRENT(c);
    if (!is_place(map) || (uintptr_t)address % LINE || !px_tensor_map_unpack((const uint8_t *)map, &m))
        return CUDA_ERROR_INVALID_VALUE;
    m.address = (uint64_t)(uintptr_t)address;
    return give(&m, map);
}
