/*
 * image.h - what a program gives to be loaded: PTX, our objects, fat binaries.
 */
#ifndef PX_CUDA_DRIVER_IMAGE_H
#define PX_CUDA_DRIVER_IMAGE_H

#include "cuda/driver/driver.h"

/* Checked texts that make one program. Shared by those who loaded it; counted. */
struct px_cu_image {
    atomic_uint refs;
    size_t count;
    ptx_module **texts;
    ptx_fmad fmad;
};

/* What CU_JIT_* asks for. */
struct px_cu_jit {
    ptx_fmad fmad;
    bool verbose;
    char *info, *error; /* the caller's buffers; NULL: none */
    size_t info_room, error_room, info_used, error_used;
    void **info_size, **error_size; /* where their used sizes are told */
    float *wall;                    /* where milliseconds go */
    double begun;                   /* when */
    const char *const *symbols;     /* names that the caller gives addresses to */
    const uint64_t *addresses;
    size_t symbol_count;
};

/* `names` and `values` are those of cuModuleLoadDataEx. */
CUresult px_cu_jit_read(struct px_cu_jit *jit, unsigned count, const CUjit_option *names, void **values);
/* Tells the caller how much of its buffers was used. */
void px_cu_jit_end(struct px_cu_jit *jit);
/* Text for the buffer of errors, and for the log. */
__attribute__((format(printf, 2, 3))) void px_cu_jit_say(struct px_cu_jit *jit, const char *format, ...);

/* An image at `data`, of which `room` bytes may be read (SIZE_MAX: as many as it says), for devices of
 * an architecture (sm_90). */
CUresult px_cu_image_load(const void *data, size_t room, const char *arch, struct px_cu_jit *jit,
                          struct px_cu_image **image);
/* Texts to an image that is being made (cuLink*); `kind` is a CUjitInputType. */
CUresult px_cu_image_add(struct px_cu_image *image, const void *data, size_t room, const char *name,
                         const char *arch, struct px_cu_jit *jit);
/* PTXVM_SAVE_PTX: a text, by the name that messages call it by. */
void px_cu_save(const char *of, const char *text, size_t size);
/* Bytes of an ELF file, of which `room` may be read, by its own word; 0: it is none. */
size_t px_cu_image_elf(const void *data, size_t room);
struct px_cu_image *px_cu_image_new(void);
struct px_cu_image *px_cu_image_again(struct px_cu_image *image);
void px_cu_image_give(struct px_cu_image *image);
/* The whole file, with a NUL behind it, to be freed. */
CUresult px_cu_file_read(const char *path, char **data, size_t *size);

/* PTXVM_ARCH=auto: the newest architecture that the images of the process's own files are for (sm_90 without
 * any). */
const char *px_cu_image_arch(void);
/* An image that the process will load; counts for that when it is told before. */
void px_cu_image_seen(const void *data);

#endif
