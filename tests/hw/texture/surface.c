/*
 * surface.c - the accesses of surface.cu by our own unit, compared with what that printed on a real chip
 * (tests/hw/golden/surface.txt). Prints the first differences; exit code 1 when there are any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gang/record.h"
#include "tex/levels.h"

enum { WIDTH = 5, HEIGHT = 3, LANES = 32 };

static const char *const formats[] = {"u8", "u16", "u32", "s8", "s16", "s32", "f16", "f32"};
static const int bits[] = {8, 16, 32, 8, 16, 32, 16, 32};
static const uint32_t values[][4] = {{0, 1, 127, 128},
                                     {255, 256, 32767, 32768},
                                     {65535, 65536, 0x7FFFFFFF, 0x80000000},
                                     {0xFFFFFFFF, 0xFFFFFF80, 0xFFFF8000, 0xFFFFFF7F},
                                     {0x3F800000, 0xBF800000, 0x3F000000, 0x477FE000},
                                     {0x477FF000, 0x7F800000, 0x7FC00000, 0x33800000},
                                     {0x33000001, 0x387FE000, 0x3F801000, 0x3F803000}};

struct check {
    FILE *golden;
    long lines, differ;
    struct px_image image;
    uint8_t now[WIDTH * HEIGHT * 16];
    int row;
};

/* The unit without vectors, where that level was built. */
static const struct px_tex_rows *portable(void)
{
    const struct px_level *level = px_level_named("portable");
    return px_level_tex(level ? level : px_level_best());
}

static void expect(struct check *c, const char *line)
{
    char want[256];
    if (!fgets(want, sizeof want, c->golden)) strcpy(want, "(nothing)\n");
    c->lines++;
    if (!strcmp(want, line)) return;
    if (c->differ++ < 20) printf("recorded: %sours:     %s", want, line);
}

static void reset(struct check *c)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < c->row; x++)
            c->image.data[(uint32_t)y * c->image.level[0].pitch + (uint32_t)x] =
                (uint8_t)((y * c->row + x) * 37 + 11);
}

/* The array's bytes, hashed as text. */
static unsigned long long hash(struct check *c)
{
    unsigned long long h = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < c->row; x++)
            h = h * 1099511628211ull + c->image.data[(uint32_t)y * c->image.level[0].pitch + (uint32_t)x] + 1;
    return h;
}

/* One lane's access: op 0 load, 1 store, 2 formatted store. */
static void access_one(struct check *c, int op, int size, int clamp, int x, int y, uint32_t v[4])
{
    static const uint32_t all[LANES] = {~0u};
    uint32_t coord[2][LANES] = {{(uint32_t)x}, {(uint32_t)y}}, rows[4][LANES];
    struct px_surf_request r = {
        .mask = all, .coord = {coord[0], coord[1]}, .clamp = (uint8_t)clamp, .row = 4};
    r.size = (uint8_t)(size < 4 ? size : 4), r.elements = (uint8_t)(size < 4 ? 1 : size / 4);
    if ((r.formatted = op == 2)) r.elements = 4;
    for (int e = 0; e < 4; e++) rows[e][0] = op ? v[e] : 0;
    void *d[4] = {rows[0], rows[1], rows[2], rows[3]};
    const void *s[4] = {rows[0], rows[1], rows[2], rows[3]};
    if (op)
        portable()->store(&c->image, &r, s, LANES);
    else
        portable()->load(&c->image, &r, d, LANES);
    for (int e = 0; e < 4; e++) v[e] = rows[e][0];
}

static void around(struct check *c, const char *name, int size, int clamp)
{
    static const int xs[] = {-1000000, -2, -1, 0, 1, 2, 3, 4, 5, 6, 1000000};
    char line[256];
    for (int i = 0; i < 11; i++) {
        uint32_t d[4] = {0};
        access_one(c, 0, size, clamp, xs[i] * size, 1, d);
        snprintf(line, sizeof line, "%s load %d %d %d 1: %08x %08x %08x %08x\n", name, size, clamp,
                 xs[i] * size, d[0], d[1], d[2], d[3]);
        expect(c, line);
    }
    for (int y = -1; y <= 3; y += 2) {
        uint32_t d[4] = {0};
        access_one(c, 0, size, clamp, 0, y, d);
        snprintf(line, sizeof line, "%s load %d %d 0 %d: %08x %08x %08x %08x\n", name, size, clamp, y, d[0],
                 d[1], d[2], d[3]);
        expect(c, line);
    }
    for (int i = 0; i < 11; i++) {
        uint32_t v[4] = {0xA1A2A3A4, 0xB1B2B3B4, 0xC1C2C3C4, 0xD1D2D3D4};
        int y = xs[i] & 1 ? 3 : 1;
        reset(c);
        access_one(c, 1, size, clamp, xs[i] * size, y, v);
        snprintf(line, sizeof line, "%s store %d %d %d %d: %016llx\n", name, size, clamp, xs[i] * size, y,
                 hash(c));
        expect(c, line);
    }
}

static void format_of(struct check *c, int format, int channels)
{
    char name[32], line[256];
    int texel = bits[format] / 8 * channels;
    c->image = (struct px_image){.kind = PX_IMAGE_2D,
                                 .format = (uint8_t)format,
                                 .channels = (uint8_t)channels,
                                 .levels = 1,
                                 .layers = 1};
    c->row = WIDTH * texel;
    if (!px_image_layout(&c->image, WIDTH, HEIGHT, 1) || !(c->image.data = calloc(1, c->image.bytes + 64)))
        exit(2);
    snprintf(name, sizeof name, "%s %d", formats[format], channels);
    reset(c);
    for (int size = 1; size <= 16; size *= 2)
        for (int clamp = 1; clamp <= 2; clamp++) around(c, name, size, clamp);
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
        reset(c);
        for (int clamp = 1; clamp <= 2; clamp++) {
            uint32_t v[4];
            memcpy(v, values[i], sizeof v);
            access_one(c, 2, 4, clamp, clamp == 1 ? 1 : WIDTH, 1, v);
            int at = snprintf(line, sizeof line, "%s put %u %d:", name, i, clamp);
            for (int k = 0; k < texel; k++)
                at += snprintf(line + at, sizeof line - (size_t)at, " %02x",
                               c->image.data[c->image.level[0].pitch + (uint32_t)(texel + k)]);
            snprintf(line + at, sizeof line - (size_t)at, " %016llx\n", hash(c));
            expect(c, line);
        }
    }
    free(c->image.data);
}

/* Rows of texels, whole, in part and across the edge, against lane after lane: the same bytes. */
static void runs(struct check *c)
{
    enum { N = 64 };
    static uint32_t x[N], y[N], mask[N], one[N], got[N], want[N];
    struct px_image *image = &c->image;
    *image = (struct px_image){
        .kind = PX_IMAGE_2D, .format = PX_IMAGE_F32, .channels = 1, .levels = 1, .layers = 1};
    if (!px_image_layout(image, N + 8, 2, 1) || !(image->data = calloc(1, image->bytes + 64))) exit(2);
    for (uint64_t i = 0; i < image->bytes; i++) image->data[i] = (uint8_t)(i * 29 + 3);
    for (int shape = 0; shape < 6; shape++) {
        struct px_surf_request r = {
            .coord = {x, y}, .clamp = PX_SURF_ZERO, .elements = 1, .size = 4, .row = 4};
        for (uint32_t i = 0; i < N; i++) {
            x[i] = (i + (shape == 1 ? 16 : 0)) * 4, y[i] = shape == 2 ? i / 16 & 1 : 1;
            if (shape == 3) x[i] = (N - i) * 4;
            mask[i] = shape == 4 && i % 20 == 7 ? 0 : ~0u, got[i] = want[i] = 0x5A5A5A5A;
        }
        r.mask = shape >= 4 ? mask : NULL;
        void *to[4] = {got}, *expected[4] = {want};
        px_level_tex(px_level_best())->load(image, &r, to, N);
        r.mask = one;
        for (uint32_t i = 0; i < N; i++) {
            if (shape == 4 && !mask[i]) continue;
            one[i] = ~0u;
            portable()->load(image, &r, expected, N);
            one[i] = 0;
        }
        c->lines++;
        if (memcmp(got, want, sizeof got) && ++c->differ) printf("a row's load differs, shape %d\n", shape);
    }
    free(image->data);
}

int main(void)
{
    struct check c = {.golden = fopen("tests/hw/golden/surface.txt", "r")};
    if (!c.golden) return perror("tests/hw/golden/surface.txt"), 2;
    for (int format = 0; format < 8; format++)
        for (int channels = 1; channels <= 4; channels *= 2) format_of(&c, format, channels);
    fclose(c.golden);
    runs(&c);
    printf("%ld accesses to surfaces, %ld differ\n", c.lines, c.differ);
    return c.differ != 0;
}
