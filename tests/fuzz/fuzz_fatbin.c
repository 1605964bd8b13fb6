/*
 * fuzz_fatbin.c - libFuzzer target: the reader of fat binaries.
 *
 * Any bytes must be read or refused, without a look beyond their end, and every image found must unpack or be
 * refused. Images that say they are larger than 16 MiB are left packed: the time would go into memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include "cuda/driver/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(void *user, const struct px_fatbin_image *image)
{
    size_t size;
    const char *wrong;
    unsigned *images = user;
    if (image->plain_size > 16 << 20 || ++*images > 64) return;
    free(px_fatbin_plain(image, &size, &wrong));
    px_fatbin_fits(image, 90);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned images = 0;
    px_fatbin_read(data, size, unpack, &images);
    return 0;
}
