/* tensor_map.c - the bytes of tensor maps. */
#include "tex/tensor_map.h"
#include <string.h>

enum { MADE_HERE = 0x54 };

/* Little-endian; sizes are one less than they are, so that zeros are a map of one element. */
struct bytes {
    uint64_t address;
    uint8_t type, rank, zero, mode; /* bit 85 is in `zero` */
    uint8_t interleave, swizzle, atom, promotion;
    uint32_t dim[PX_TENSOR_RANK];
    uint32_t nans;
    uint64_t stride[PX_TENSOR_RANK - 1];
    uint16_t box[PX_TENSOR_RANK];
    uint8_t step[PX_TENSOR_RANK], pad;
    int16_t lower[3], upper[3];
    uint16_t channels, pixels;
    uint8_t rest[23], made_here;
};
_Static_assert(sizeof(struct bytes) == PX_TENSOR_MAP_BYTES, "a map is 128 bytes");

uint32_t px_tensor_element(enum px_tensor_type type)
{
    static const uint8_t bytes[] = {
        [PX_TENSOR_U8] = 1,      [PX_TENSOR_U16] = 2, [PX_TENSOR_U32] = 4,  [PX_TENSOR_S32] = 4,
        [PX_TENSOR_U64] = 8,     [PX_TENSOR_S64] = 8, [PX_TENSOR_F16] = 2,  [PX_TENSOR_F32] = 4,
        [PX_TENSOR_F32_FTZ] = 4, [PX_TENSOR_F64] = 8, [PX_TENSOR_BF16] = 2, [PX_TENSOR_TF32] = 4,
        [PX_TENSOR_TF32_FTZ] = 4};
    return (size_t)type < sizeof bytes ? bytes[type] : 0;
}

bool px_tensor_is_float(enum px_tensor_type type)
{
    return type >= PX_TENSOR_F16 && type <= PX_TENSOR_TF32_FTZ;
}

void px_tensor_map_pack(const struct px_tensor_map *map, uint8_t to[PX_TENSOR_MAP_BYTES])
{
    struct bytes b = {.address = map->address,
                      .type = map->type,
                      .rank = (uint8_t)(map->rank - 1),
                      .mode = map->mode,
                      .interleave = map->interleave,
                      .swizzle = map->swizzle,
                      .atom = map->atom,
                      .promotion = map->promotion,
                      .nans = map->nans,
                      .channels = (uint16_t)map->channels,
                      .pixels = (uint16_t)map->pixels,
                      .made_here = MADE_HERE};
    for (int i = 0; i < PX_TENSOR_RANK; i++) {
        b.dim[i] = (uint32_t)(map->dim[i] - 1);
        b.box[i] = (uint16_t)(map->box[i] - 1);
        b.step[i] = (uint8_t)map->step[i];
        if (i < PX_TENSOR_RANK - 1) b.stride[i] = map->stride[i];
    }
    for (int i = 0; i < 3; i++) {
        b.lower[i] = (int16_t)map->lower[i];
        b.upper[i] = (int16_t)map->upper[i];
    }
    memcpy(to, &b, sizeof b);
}

bool px_tensor_map_unpack(const uint8_t from[PX_TENSOR_MAP_BYTES], struct px_tensor_map *map)
{
    static const struct bytes zeros;
    struct bytes b;
    memcpy(&b, from, sizeof b);
    const bool mine = b.made_here == MADE_HERE || !memcmp(&b, &zeros, sizeof b);
    if (!mine) b = zeros;
    *map = (struct px_tensor_map){.address = b.address,
                                  .type = b.type,
                                  .rank = (uint8_t)(b.rank + 1),
                                  .mode = b.mode,
                                  .interleave = b.interleave,
                                  .swizzle = b.swizzle,
                                  .atom = b.atom,
                                  .promotion = b.promotion,
                                  .nans = b.nans,
                                  .channels = b.channels,
                                  .pixels = b.pixels};
    for (int i = 0; i < PX_TENSOR_RANK; i++) {
        map->dim[i] = (uint64_t)b.dim[i] + 1;
        map->box[i] = (uint32_t)b.box[i] + 1;
        map->step[i] = b.step[i];
        if (i < PX_TENSOR_RANK - 1) map->stride[i] = b.stride[i];
    }
    for (int i = 0; i < 3; i++) {
        map->lower[i] = b.lower[i];
        map->upper[i] = b.upper[i];
    }
    return mine;
}
