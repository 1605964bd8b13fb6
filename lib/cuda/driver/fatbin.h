/*
 * fatbin.h - reading CUDA's fat binaries: several images of one program behind one header.
 */
#ifndef PX_CUDA_DRIVER_FATBIN_H
#define PX_CUDA_DRIVER_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PX_FATBIN_PTX = 1, PX_FATBIN_ELF = 2, PX_FATBIN_LTO = 8 };
#define PX_FATBIN_MAGIC 0xba55ed50u
#define PX_FATBIN_WRAPPER_MAGIC 0x466243b1u

/* Where fat binaries are pointed at from a program (24 bytes, section .nvFatBinSegment). */
struct px_fatbin_wrapper {
    uint32_t magic, version; /* version 2: a device-linked program */
    const void *data;
    const void *const *units; /* version 2: a fat binary of each translation unit, NULL behind the last */
};

/* One image. Pointers are into the fat binary. */
struct px_fatbin_image {
    unsigned kind;         /* PX_FATBIN_... or another number */
    unsigned arch;         /* 90 */
    bool specific, family; /* sm_90a, sm_100f */
    bool lz4, zstd;        /* how the payload is compressed; neither: it is not */
    const unsigned char *payload;
    size_t size;       /* of the payload */
    size_t plain_size; /* uncompressed */
    const char *name;  /* of the source file, not ended by NUL; NULL: none */
    size_t name_size;
};

/*
 * Calls `tell` for each image of the fat binary at `data`, of which `room` bytes may be read (SIZE_MAX: as
 * many as its header says). Fat binaries that follow it within `room` are read, too. NULL, or what is wrong;
 * images before that place have been told.
 */
const char *px_fatbin_read(const void *data, size_t room,
                           void (*tell)(void *user, const struct px_fatbin_image *), void *user);

/* The payload, uncompressed, with a NUL behind it, to be freed; NULL: *wrong says why. */
char *px_fatbin_plain(const struct px_fatbin_image *image, size_t *size, const char **wrong);

/* Whether a device of architecture `arch` can run what the image was made for. */
bool px_fatbin_fits(const struct px_fatbin_image *image, unsigned arch);

#endif
