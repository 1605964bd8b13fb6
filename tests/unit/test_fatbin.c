/*
 * test_fatbin.c - the reader of fat binaries (lib/cuda/driver/fatbin.c): every kind of entry, and an enemy's
 * files: cut anywhere, every byte changed, sizes that lie.
 */
#include <lz4.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "cuda/driver/fatbin.h"
#include "suite.h"

enum { ROOM = 4096 };
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n// ........................................\n";

struct file {
    unsigned char bytes[ROOM];
    size_t size;
};

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static void begin(struct file *f)
{
    memset(f, 0, sizeof *f);
    put(f->bytes, PX_FATBIN_MAGIC, 4);
    put(f->bytes + 4, 1, 2);
    put(f->bytes + 6, 16, 2);
    f->size = 16;
}

/* An entry, by the layout of the format; `name` may be NULL. */
static void add(struct file *f, unsigned kind, unsigned arch, uint64_t flags, const void *data, size_t size,
                size_t plain, const char *name)
{
    unsigned char *e = f->bytes + f->size;
    const size_t named = name ? (strlen(name) + 8) / 8 * 8 : 0, head = 0x40 + named,
                 padded = (size + 7) / 8 * 8;
    put(e, kind, 2);
    put(e + 2, 0x0101, 2);
    put(e + 4, head, 4);
    put(e + 8, padded, 8);
    put(e + 0x10, flags & 0xa000 ? size : 0, 4);
    put(e + 0x1c, arch, 4);
    put(e + 0x20, name ? 0x40 : 0, 4);
    put(e + 0x24, name ? strlen(name) : 0, 4);
    put(e + 0x28, flags | 0x11, 8);
    put(e + 0x38, flags & 0xa000 ? plain : 0, 8);
    if (name) memcpy(e + 0x40, name, strlen(name));
    memcpy(e + head, data, size);
    f->size += head + padded;
    put(f->bytes + 8, f->size - 16, 8);
}

/* One of each kind. */
static void fill(struct file *f)
{
    char packed[512];
    begin(f);
    add(f, PX_FATBIN_ELF, 80, 0, "\177ELF machine code", 17, 0, NULL);
    add(f, PX_FATBIN_PTX, 80, 0, text, sizeof text, 0, "a.cu");
    const int lz4 = LZ4_compress_default(text, packed, sizeof text, sizeof packed);
    assert_true(lz4 > 0);
    add(f, PX_FATBIN_PTX, 90, 0x2000 | 0x100000, packed, (size_t)lz4, sizeof text, NULL);
    const size_t zstd = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    assert_false(ZSTD_isError(zstd));
    add(f, PX_FATBIN_PTX, 100, 0x8000 | 0x200000, packed, zstd, sizeof text, NULL);
    add(f, PX_FATBIN_LTO, 90, 0x10000, "scrambled", 9, 0, NULL);
}

struct seen {
    struct px_fatbin_image images[16];
    size_t n;
};

static void note(void *user, const struct px_fatbin_image *image)
{
    struct seen *seen = user;
    if (seen->n < 16) seen->images[seen->n] = *image;
    seen->n++;
}

TEST(reads_every_kind)
{
    struct file f;
    struct seen seen = {.n = 0};
    fill(&f);
    assert_null(px_fatbin_read(f.bytes, f.size, note, &seen));
    assert_int_equal(seen.n, 5);
    assert_int_equal(seen.images[0].kind, PX_FATBIN_ELF);
    assert_int_equal(seen.images[1].name_size, 4);
    assert_memory_equal(seen.images[1].name, "a.cu", 4);
    for (int i = 1; i < 4; i++) {
        size_t size;
        const char *wrong;
        char *plain = px_fatbin_plain(&seen.images[i], &size, &wrong);
        assert_non_null(plain);
        assert_memory_equal(plain, text, sizeof text);
        assert_true(size >= sizeof text && plain[size] == 0);
        free(plain);
    }
    assert_true(seen.images[2].specific && seen.images[3].family);
}

TEST(fits)
{
    const struct px_fatbin_image plain = {.arch = 80}, specific = {.arch = 90, .specific = true},
                                 family = {.arch = 100, .family = true};
    assert_true(px_fatbin_fits(&plain, 80) && px_fatbin_fits(&plain, 90) && !px_fatbin_fits(&plain, 75));
    assert_true(px_fatbin_fits(&specific, 90) && !px_fatbin_fits(&specific, 100));
    assert_true(px_fatbin_fits(&family, 100) && px_fatbin_fits(&family, 103) &&
                !px_fatbin_fits(&family, 120));
}

TEST(several_in_a_row)
{
    struct file f, g;
    unsigned char both[2 * ROOM] = {0};
    struct seen seen = {.n = 0};
    fill(&f);
    begin(&g);
    add(&g, PX_FATBIN_PTX, 75, 0, text, sizeof text, 0, NULL);
    memcpy(both, f.bytes, f.size);
    const size_t at = (f.size + 7) / 8 * 8;
    memcpy(both + at, g.bytes, g.size);
    assert_null(px_fatbin_read(both, at + g.size, note, &seen));
    assert_int_equal(seen.n, 6);
    assert_int_equal(seen.images[5].arch, 75);
}

/* Everything in a copy that ends where the file does, so that a sanitizer sees what is read beyond it. */
static void read_all(const unsigned char *bytes, size_t size)
{
    struct seen seen = {.n = 0};
    unsigned char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    px_fatbin_read(copy, size, note, &seen);
    for (size_t i = 0; i < seen.n && i < 16; i++) {
        size_t plain_size;
        const char *wrong;
        if (seen.images[i].plain_size < 1 << 16) free(px_fatbin_plain(&seen.images[i], &plain_size, &wrong));
    }
    free(copy);
}

TEST(cut_anywhere)
{
    struct file f;
    struct seen seen = {.n = 0};
    fill(&f);
    for (size_t size = 0; size < f.size; size++) {
        assert_non_null(px_fatbin_read(f.bytes, size, note, &seen));
        read_all(f.bytes, size);
    }
}

TEST(every_byte_changed)
{
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct file f;
    fill(&f);
    for (size_t at = 0; at < f.size; at++)
        for (size_t v = 0; v < sizeof values; v++) {
            const unsigned char had = f.bytes[at];
            f.bytes[at] = values[v];
            read_all(f.bytes, f.size);
            f.bytes[at] = had;
        }
}

TEST(sizes_that_lie)
{
    struct file f;
    struct seen seen = {.n = 0};
    size_t size;
    const char *wrong;
    begin(&f);
    add(&f, PX_FATBIN_PTX, 80, 0x2000, "xx", 2, (size_t)1 << 62, NULL);
    assert_null(px_fatbin_read(f.bytes, f.size, note, &seen));
    assert_null(px_fatbin_plain(&seen.images[0], &size, &wrong));
    assert_non_null(wrong);
    begin(&f);
    add(&f, PX_FATBIN_PTX, 80, 0, text, sizeof text, 0, NULL);
    put(f.bytes + 16 + 8, UINT64_MAX - 7, 8); /* a payload that wraps */
    assert_non_null(px_fatbin_read(f.bytes, f.size, note, &seen));
    put(f.bytes + 16 + 8, 0, 8);
    put(f.bytes + 16 + 4, 0, 4); /* an entry of no size */
    assert_non_null(px_fatbin_read(f.bytes, f.size, note, &seen));
    assert_non_null(px_fatbin_read("", 0, note, &seen));
}

int main(void)
{
    return run_suite();
}
