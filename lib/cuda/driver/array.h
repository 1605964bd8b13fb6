/*
 * array.h - arrays and mipmapped arrays, as copies, textures and surfaces see them.
 */
#ifndef PX_CUDA_DRIVER_ARRAY_H
#define PX_CUDA_DRIVER_ARRAY_H

#include "cuda/driver/driver.h"

/* An array, or a level of a mipmapped one. */
struct px_cu_array {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_array number;
    bool level;                   /* it goes with its mipmapped array */
    CUDA_ARRAY3D_DESCRIPTOR made; /* of a level: its own sizes */
};

enum { PX_CU_LEVELS = 32 };

struct px_cu_mipmap {
    struct px_cu_object head;
    ptx_device *vm;
    ptx_array number;
    unsigned count;
    CUDA_ARRAY3D_DESCRIPTOR made;
    pthread_mutex_t lock; /* of what follows */
    CUarray levels[PX_CU_LEVELS];
};

/* Bytes of a texel; 0: there is no such format. */
unsigned px_cu_texel(CUarray_format format, unsigned channels);
/* The array of the library's number; NULL: it is gone. */
CUarray px_cu_array_at(const ptx_device *vm, ptx_array number);
/* What the library says of a refusal into the log, under the name of the call. The context's lock is held. */
void px_cu_note_refusal(const struct px_cu_context *context, const char *name, ptx_status status);

/* Bytes of one row from an offset on; `waits`: the call returns when it is done. */
CUresult px_cu_copy_a_to_a(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size,
                           CUstream stream, bool waits);
CUresult px_cu_copy_a_to_d(CUdeviceptr to, CUarray from, size_t offset, size_t size, CUstream stream,
                           bool waits);
CUresult px_cu_copy_d_to_a(CUarray to, size_t offset, CUdeviceptr from, size_t size, CUstream stream,
                           bool waits);
CUresult px_cu_copy_a_to_h(void *to, CUarray from, size_t offset, size_t size, CUstream stream, bool waits);
CUresult px_cu_copy_h_to_a(CUarray to, size_t offset, const void *from, size_t size, CUstream stream,
                           bool waits);

/* As programs from before CUDA 3.2 describe arrays. */
CUresult px_cu_old_array_create(CUarray *array, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor);
CUresult px_cu_old_array_get(CUDA_ARRAY_DESCRIPTOR_v1 *descriptor, CUarray array);
CUresult px_cu_old_array_create_3d(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor);
CUresult px_cu_old_array_get_3d(CUDA_ARRAY3D_DESCRIPTOR_v1 *descriptor, CUarray array);

#endif
