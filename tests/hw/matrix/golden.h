/* golden.h - what of the chip's answers is kept: hashes of GOLDEN_BLOCKS blocks of tiles a form, one of each
 * move. */
#ifndef HW_MATRIX_GOLDEN_H
#define HW_MATRIX_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

enum { GOLDEN_BLOCKS = 8, GOLDEN_TILES = 24 };

static uint64_t golden_hash(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3ull;
    return h ^ h >> 29;
}

#endif
