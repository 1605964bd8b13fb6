/* tensor_walk.c - the rows of tensor copies (PTX ISA 5.5). */
#include "ops/tensor.h"
#include <string.h>

void px_tensor_begin(struct px_tensor_walk *w, const struct px_tensor *t)
{
    *w = (struct px_tensor_walk){.t = t};
    for (uint32_t i = 0; i < PX_TENSOR_RANK; i++) w->pixel[i] = t->at[i];
}

static uint32_t step_of(const struct px_tensor_map *map, uint32_t i)
{
    return map->step[i] ? map->step[i] : 1;
}

static uint32_t steps(const struct px_tensor_map *map, uint32_t i)
{
    return (map->box[i] + step_of(map, i) - 1) / step_of(map, i);
}

/* Coordinates of the row but for dimension 0. */
static void coordinates(const struct px_tensor_walk *w, int64_t at[PX_TENSOR_RANK])
{
    const struct px_tensor *t = w->t;
    const uint32_t rank = t->map.rank;
    for (uint32_t i = 1; i < rank; i++) {
        if (t->shape == PX_SHAPE_ROWS)
            at[i] = t->at[1 + w->row];
        else if (t->shape == PX_SHAPE_TILE)
            at[i] = t->at[i] + (int64_t)w->index[i] * step_of(&t->map, i);
        else
            at[i] = w->pixel[i] + (i + 1 < rank ? t->offset[i - 1] : 0);
    }
}

/* im2col: the next pixel of the box, by width, height, depth and then the next image. */
static void next_pixel(struct px_tensor_walk *w)
{
    const struct px_tensor_map *map = &w->t->map;
    uint32_t i = 1;
    for (; i + 1u < map->rank; i++) {
        w->pixel[i] += step_of(map, i);
        if (w->pixel[i] <= (int64_t)map->dim[i] - 1 + map->upper[i - 1]) return;
        w->pixel[i] = map->lower[i - 1];
    }
    w->pixel[i]++;
}

static void next_of_box(struct px_tensor_walk *w)
{
    const struct px_tensor_map *map = &w->t->map;
    for (uint32_t i = 1; i < map->rank; i++) {
        if (++w->index[i] < steps(map, i)) return;
        w->index[i] = 0;
    }
}

static uint32_t clamped(int64_t x, uint32_t most)
{
    return x < 0 ? 0 : x > most ? most : (uint32_t)x;
}

bool px_tensor_next(struct px_tensor_walk *w, struct px_tensor_row *row)
{
    const struct px_tensor *t = w->t;
    const struct px_tensor_map *map = &t->map;
    const uint32_t n = t->row / t->element;
    int64_t at[PX_TENSOR_RANK] = {0};
    if (w->row == t->rows) return false;
    coordinates(w, at);
    *row = (struct px_tensor_row){.at = w->row * t->row,
                                  .address = map->address,
                                  .from = clamped(-(int64_t)t->at[0], n),
                                  .to = clamped((int64_t)map->dim[0] - t->at[0], n)};
    for (uint32_t i = 1; i < map->rank; i++) {
        if (at[i] < 0 || (uint64_t)at[i] >= map->dim[i]) row->to = row->from;
        row->address += (uint64_t)at[i] * map->stride[i - 1];
    }
    if (row->to < row->from) row->to = row->from;
    row->address += (uint64_t)(t->at[0] + (int64_t)row->from) * t->element;
    w->row++;
    if (t->shape == PX_SHAPE_IM2COL)
        next_pixel(w);
    else if (t->shape == PX_SHAPE_TILE)
        next_of_box(w);
    return true;
}
