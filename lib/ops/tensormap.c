/* tensormap.c - tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.7.9.28, 9.7.13.14). */
#include "ops/bulk.h"
#include "ops/tensor.h"

enum { MAP_ALIGN = 64 };

static uint8_t space_of(const struct px_match *match)
{
    return (uint8_t)px_match_space(match, px_match_opd(match, 0));
}

/* The n-th of a dimension's fields becomes `value`. */
static void set_of_dimension(struct px_tensor_map *m, px_word field, uint32_t n, uint64_t value)
{
    switch (field) {
    case PX_W_box_dim: m->box[n] = (uint32_t)value; break;
    case PX_W_global_dim: m->dim[n] = value ? (uint32_t)value : 1ull << 32; break;
    case PX_W_element_stride: m->step[n] = (uint32_t)value; break;
    case PX_W_global_stride:
        if (n + 1 < PX_TENSOR_RANK) m->stride[n] = value;
        break;
    default: break;
    }
}

/* Fields that a map has once, and what a value becomes there: .rank counts from zero. */
static bool set_one(struct px_tensor_map *m, const struct px_match *match, uint64_t value)
{
    const struct {
        px_word word;
        uint8_t *to;
        uint32_t more;
    } fields[] = {{PX_W_rank, &m->rank, 1},
                  {PX_W_elemtype, &m->type, 0},
                  {PX_W_interleave_layout, &m->interleave, 0},
                  {PX_W_swizzle_mode, &m->swizzle, 0},
                  {PX_W_swizzle_atomicity, &m->atom, 0}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (px_match_has(match, fields[i].word))
            return *fields[i].to = (uint8_t)(value + fields[i].more), true;
    if (px_match_has(match, PX_W_global_address)) return m->address = value, true;
    if (px_match_has(match, PX_W_fill_mode)) return m->nans = value & 1, true;
    return false;
}

static uint64_t value_of(const struct px_bulk_lane *l, uint32_t operand)
{
    const px_word type = px_match_slot(l->match, PX_W_type);
    return type == PX_W_b64 ? px_bulk_word(l, operand) : px_bulk_size(l, operand);
}

/* [a], value; or [a], dimension, value. */
static bool replace(const struct px_bulk_lane *l)
{
    const uint32_t last = px_operands(l->g, l->in)->n - 1;
    const uint64_t va = px_space_address(space_of(l->match), px_bulk_word(l, 0));
    uint8_t *host, bytes[PX_TENSOR_MAP_BYTES];
    struct px_tensor_map map;
    if (!px_bulk_find(l, space_of(l->match), va, sizeof bytes, MAP_ALIGN, &host)) return false;
    px_bulk_get(bytes, host, sizeof bytes);
    if (!px_tensor_map_unpack(bytes, &map)) {
        px_gang_trap(l->g, l->in, l->lane, PX_CUDA_ILLEGAL_INSTRUCTION, va,
                     "tensor map at 0x%llx: nothing of this library made it", (unsigned long long)va);
        return false;
    }
    const uint64_t value = value_of(l, last);
    if (!set_one(&map, l->match, value))
        set_of_dimension(&map, px_match_slot(l->match, PX_W_field), px_bulk_size(l, 1), value);
    px_tensor_map_pack(&map, bytes);
    px_bulk_put(host, bytes, sizeof bytes);
    return true;
}

PX_NAMED_HANDLER_OF(tensormap_replace)
{
    struct px_bulk_lane l = {g, in, px_operands(g, in)->match, "tensor map", 0};
    const struct px_lanes lanes = px_gang_lanes(g, in);
    PX_FOR_LANES(l.lane, lanes) if (!replace(&l)) return PX_STEP_TRAP;
    return PX_STEP_NEXT;
}

/* All lanes copy the same 128 bytes; the fence orders nothing here that is not in order already. */
PX_NAMED_HANDLER_OF(tensormap_copy)
{
    struct px_bulk_lane l = {g, in, px_operands(g, in)->match, "tensor map", 0};
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint8_t *to, *from;
    PX_FOR_LANES(l.lane, lanes)
    {
        const uint64_t at = px_space_address(PX_SPACE_SHARED, px_bulk_word(&l, 1));
        if (!px_bulk_find(&l, PX_SPACE_GLOBAL, px_bulk_word(&l, 0), PX_TENSOR_MAP_BYTES, MAP_ALIGN, &to) ||
            !px_bulk_find(&l, PX_SPACE_SHARED, at, PX_TENSOR_MAP_BYTES, MAP_ALIGN, &from))
            return PX_STEP_TRAP;
        px_bulk_put(to, from, PX_TENSOR_MAP_BYTES);
    }
    return PX_STEP_NEXT;
}
