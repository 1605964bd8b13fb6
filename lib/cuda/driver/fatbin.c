/*
 * fatbin.c - the reader of fat binaries.
 *
 * Every offset is held against what is left of the fat binary before it is used, and nothing is allocated on
 * the word of a header beyond PLAIN_MOST bytes. Numbers are little-endian and may lie anywhere.
 */
#include "cuda/driver/fatbin.h"
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEADER = 16, ENTRY = 0x40, PLAIN_MOST = 256 << 20 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_SPECIFIC = 0x100000, FLAG_FAMILY = 0x200000 };

static uint64_t number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i--;) value = value << 8 | at[i];
    return value;
}

/* What is in the entry at `at`; `left` bytes may be read. NULL, or what is wrong. */
static const char *read_entry(const unsigned char *at, uint64_t left, struct px_fatbin_image *image,
                              uint64_t *bytes)
{
    if (left < ENTRY) return "an entry is cut off";
    const uint64_t head = number(at + 4, 4), payload = number(at + 8, 8), flags = number(at + 0x28, 8);
    const uint64_t packed = number(at + 0x10, 4), plain = number(at + 0x38, 8);
    const uint64_t name = number(at + 0x20, 4), name_size = number(at + 0x24, 4);
    if (head < ENTRY || head > left || payload > left - head) return "an entry reaches beyond the end";
    *bytes = head + payload;
    *image = (struct px_fatbin_image){.kind = (unsigned)number(at, 2),
                                      .arch = (unsigned)number(at + 0x1c, 4),
                                      .specific = flags & FLAG_SPECIFIC,
                                      .family = flags & FLAG_FAMILY,
                                      .lz4 = flags & FLAG_LZ4,
                                      .zstd = flags & FLAG_ZSTD,
                                      .payload = at + head,
                                      .size = payload,
                                      .plain_size = payload};
    if (image->lz4 || image->zstd) {
        if (image->lz4 && image->zstd) return "an entry is compressed in two ways";
        if (packed > payload) return "a compressed image is larger than its entry";
        image->size = packed;
        image->plain_size = plain;
    }
    if (name && name < head && name_size <= head - name) {
        image->name = (const char *)at + name;
        image->name_size = name_size;
    }
    return NULL;
}

/* One fat binary: *bytes becomes its size with its header. */
static const char *read_one(const unsigned char *at, uint64_t left, uint64_t *bytes,
                            void (*tell)(void *user, const struct px_fatbin_image *), void *user)
{
    struct px_fatbin_image image;
    if (left < HEADER) return "the header is cut off";
    const uint64_t head = number(at + 6, 2), size = number(at + 8, 8);
    if (number(at, 4) != PX_FATBIN_MAGIC) return "it is no fat binary";
    if (number(at + 4, 2) != 1) return "its version is not 1";
    if (head < HEADER || head > left || size > left - head) return "it reaches beyond its end";
    *bytes = head + size;
    for (uint64_t done = 0, entry; done < size; done += entry) {
        const char *wrong = read_entry(at + head + done, size - done, &image, &entry);
        if (wrong) return wrong;
        tell(user, &image);
    }
    return NULL;
}

const char *px_fatbin_read(const void *data, size_t room,
                           void (*tell)(void *user, const struct px_fatbin_image *), void *user)
{
    const unsigned char *at = data;
    uint64_t left = room, bytes = 0;
    const char *wrong = read_one(at, left, &bytes, tell, user);
    while (!wrong && room != SIZE_MAX) {
        bytes = (bytes + 7) & ~7ull; /* others follow at multiples of 8 */
        if (bytes >= left || left - bytes < HEADER) break;
        at += bytes;
        left -= bytes;
        if (number(at, 4) != PX_FATBIN_MAGIC) break;
        wrong = read_one(at, left, &bytes, tell, user);
    }
    return wrong;
}

static bool unpack(const struct px_fatbin_image *image, char *to)
{
    if (image->lz4) {
        const int got =
            LZ4_decompress_safe((const char *)image->payload, to, (int)image->size, (int)image->plain_size);
        return got >= 0 && (size_t)got == image->plain_size;
    }
    if (image->zstd)
        return ZSTD_decompress(to, image->plain_size, image->payload, image->size) == image->plain_size;
    memcpy(to, image->payload, image->size);
    return true;
}

char *px_fatbin_plain(const struct px_fatbin_image *image, size_t *size, const char **wrong)
{
    *wrong = "an image has more than 256 MiB";
    if (image->size > PLAIN_MOST || image->plain_size > PLAIN_MOST) return NULL;
    char *text = malloc(image->plain_size + 1);
    *wrong = "out of memory";
    if (!text) return NULL;
    if (!unpack(image, text)) {
        *wrong = "a compressed image is damaged";
        free(text);
        return NULL;
    }
    text[image->plain_size] = 0;
    *size = image->plain_size;
    return text;
}

bool px_fatbin_fits(const struct px_fatbin_image *image, unsigned arch)
{
    if (image->specific) return image->arch == arch;
    if (image->family) return image->arch <= arch && image->arch / 10 == arch / 10;
    return image->arch <= arch;
}
