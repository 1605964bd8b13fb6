/*
 * copy.h - copies and sets that the host asks for, of any shape, between any memories.
 */
#ifndef PX_VM_QUEUE_COPY_H
#define PX_VM_QUEUE_COPY_H

#include "gang/grid.h"
#include "ptx_texture.h"

/* One end of a copy that is an array: from this byte, row and slice on. */
struct px_copy_array {
    struct ptx_device *device; /* whose array it is */
    uint64_t number;           /* 0: the end is a place */
    uint64_t x, y, z;
};

/* `depth` slices of `height` rows of `width` bytes. */
struct px_copy {
    ptx_place to, from; /* devices are set where the place is a device's; from: not of a fill */
    struct px_copy_array to_array, from_array;
    uint64_t width, height, depth;
    uint32_t value; /* of a fill, */
    uint8_t fill;   /* and bytes of an element; 0: a copy */
};

/* From what the embedder says; PTX_ERROR_INVALID_ARGUMENT with the device's message. */
ptx_status px_copy_take(struct ptx_device *device, const ptx_copy *copy, struct px_copy *out);
ptx_status px_array_copy_take(struct ptx_device *device, const ptx_array_copy *copy, struct px_copy *out);
ptx_status px_fill_take(struct ptx_device *device, const ptx_fill *fill, struct px_copy *out);
/* At once. The same statuses. */
ptx_status px_copy_now(struct ptx_device *device, const struct px_copy *copy);
/* A grid that does it; NULL: no memory. */
struct px_grid *px_copy_grid(struct ptx_device *device, const struct px_copy *copy);
uint64_t px_copy_bytes(const struct px_copy *copy);

#endif
