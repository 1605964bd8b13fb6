/*
 * tensor_map.h - tensor maps: the 128 bytes that describe a tensor of global memory to tensor copies.
 *
 * NVIDIA publishes no layout, so the bytes are this library's own (docs/tensor-maps.md). They are made by
 * cuTensorMapEncode* and tensormap.replace, and read by copies; bytes that something else made are told from
 * them by their last one. Bit 85 is always zero: compilers clear it for older drivers.
 */
#ifndef PX_TEX_TENSOR_MAP_H
#define PX_TEX_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { PX_TENSOR_RANK = 5, PX_TENSOR_MAP_BYTES = 128 };

/* Elements, by the numbers of tensormap.replace. */
enum px_tensor_type {
    PX_TENSOR_U8,
    PX_TENSOR_U16,
    PX_TENSOR_U32,
    PX_TENSOR_S32,
    PX_TENSOR_U64,
    PX_TENSOR_S64,
    PX_TENSOR_F16,
    PX_TENSOR_F32,
    PX_TENSOR_F32_FTZ,
    PX_TENSOR_F64,
    PX_TENSOR_BF16,
    PX_TENSOR_TF32,
    PX_TENSOR_TF32_FTZ,
    PX_TENSOR_B4X16,
    PX_TENSOR_B4X16_P64,
    PX_TENSOR_B6X16_P32
};
enum px_tensor_swizzle { PX_SWIZZLE_NONE, PX_SWIZZLE_32, PX_SWIZZLE_64, PX_SWIZZLE_128, PX_SWIZZLE_96 };
/* What a swizzle moves as one. */
enum px_tensor_atom { PX_ATOM_16, PX_ATOM_32, PX_ATOM_32_FLIP, PX_ATOM_64 };
enum px_tensor_mode { PX_TENSOR_TILED, PX_TENSOR_IM2COL, PX_TENSOR_IM2COL_WIDE };

struct px_tensor_map {
    uint64_t address;
    uint64_t dim[PX_TENSOR_RANK];        /* elements, dimension 0 side by side */
    uint64_t stride[PX_TENSOR_RANK - 1]; /* bytes, of dimensions 1 to 4 */
    uint32_t box[PX_TENSOR_RANK];        /* tiled: elements that a copy walks over, */
    uint32_t step[PX_TENSOR_RANK];       /* taking one in so many; 0 counts as 1 */
    int32_t lower[3], upper[3];          /* im2col: corners of the box of pixels, by width, height, depth */
    uint32_t channels, pixels;           /* im2col: of a copy */
    uint8_t rank, type, mode, interleave, swizzle, atom, promotion;
    bool nans; /* what lies outside is the special NaN, not zero */
};

/* Bytes of an element; 0: of packed ones. */
uint32_t px_tensor_element(enum px_tensor_type type);
bool px_tensor_is_float(enum px_tensor_type type);
void px_tensor_map_pack(const struct px_tensor_map *map, uint8_t to[PX_TENSOR_MAP_BYTES]);
/* False: the bytes are not of this library, nor zero; then *map is one of zeros. */
bool px_tensor_map_unpack(const uint8_t from[PX_TENSOR_MAP_BYTES], struct px_tensor_map *map);

#endif
