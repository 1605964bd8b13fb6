/*
 * linker.h - several texts, objects and fat binaries to one image: what cuLink* and nvJitLink stand on.
 */
#ifndef PX_CUDA_DRIVER_LINKER_H
#define PX_CUDA_DRIVER_LINKER_H

#include "cuda/driver/image.h"

struct px_cu_linker {
    char arch[16]; /* sm_90: what the image will run on */
    struct px_cu_image *image;
    struct px_cu_jit jit;
    char *bytes; /* the image, when it is complete */
    size_t size, room;
};

/* False: out of memory. */
bool px_cu_linker_begin(struct px_cu_linker *linker, const char *arch, const struct px_cu_jit *jit);
void px_cu_linker_end(struct px_cu_linker *linker);
/* What an input is shows in its bytes. `name` may be NULL. */
CUresult px_cu_linker_add(struct px_cu_linker *linker, const void *data, size_t size, const char *name);
/* Makes `bytes`; inputs can be added no more. */
CUresult px_cu_linker_complete(struct px_cu_linker *linker);

/* The same for those who have no context (px_cu_tools): with a log of its own. */
struct px_cu_linker *px_cu_linker_new(const char *arch, int contract);
void px_cu_linker_free(struct px_cu_linker *linker);
const char *px_cu_linker_log(const struct px_cu_linker *linker);
CUresult px_cu_linker_image(struct px_cu_linker *linker, const void **image, size_t *size);
/* Whether an input has LTO-IR in it, which NVIDIA's linker alone can read. */
bool px_cu_linker_lto(const void *data, size_t size);

#endif
