/*
 * tensor.h - tensor copies (PTX ISA 9.7.9.27): from the box that a map and coordinates describe to shared
 * memory and back (docs/tensor-maps.md).
 *
 * A copy is rows of side-by-side elements of dimension 0. In shared memory rows follow each other without
 * gaps, but for the swizzle; in global memory each has an address, and may lie partly or wholly outside.
 */
#ifndef PX_OPS_TENSOR_H
#define PX_OPS_TENSOR_H

#include "gang/gang.h"
#include "tex/tensor_map.h"

enum px_tensor_shape { PX_SHAPE_TILE, PX_SHAPE_IM2COL, PX_SHAPE_ROWS /* tile::gather4, tile::scatter4 */ };

struct px_tensor {
    struct px_tensor_map map;
    enum px_tensor_shape shape;
    int32_t at[PX_TENSOR_RANK]; /* coordinates as written */
    uint32_t offset[3];         /* im2col: of width, height, depth */
    uint32_t element;           /* bytes */
    uint32_t row;               /* bytes of a row */
    uint32_t rows;
    uint64_t first;      /* address of the least byte that is inside, */
    const uint8_t *host; /* and where it lies */
};

/* A row of a copy. */
struct px_tensor_row {
    uint32_t at;       /* bytes from the first row, before the swizzle */
    uint64_t address;  /* of the first element that is inside */
    uint32_t from, to; /* elements that are: none when they are equal */
};

/* Rows in the order of shared memory. */
struct px_tensor_walk {
    const struct px_tensor *t;
    uint32_t row;
    uint32_t index[PX_TENSOR_RANK]; /* tile: steps of each dimension */
    int64_t pixel[PX_TENSOR_RANK];  /* im2col: where the walk is */
};
void px_tensor_begin(struct px_tensor_walk *w, const struct px_tensor *t);
bool px_tensor_next(struct px_tensor_walk *w, struct px_tensor_row *row);

void px_tensor_free(const struct ptx_allocator *alloc, struct px_tensor *t); /* NULL: nothing */

#endif
