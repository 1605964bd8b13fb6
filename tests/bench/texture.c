/*
 * texture.c - how fast the texture unit's row functions are, beside a plain C sampler.
 *
 * Workloads over rows of 256 random coordinates into images that fit the second cache: nearest, bilinear and
 * tld4 in 2D, trilinear in 3D (f32, wrap, normalised), and a copy by surface loads and stores of rows of
 * texels. The plain sampler has the same arithmetic for that one case alone, texel by texel, compiled as the
 * rest of the tests; what both give is compared. Prints 10^6 texels a second of processor time on one core,
 * for each SIMD level of this machine.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gang/record.h"
#include "tex/levels.h"

enum { LANES = 256, RUNS = 15, CALLS = 300, FLAT = 256, DEEP = 32 };

struct bench {
    struct px_image image, target;
    struct px_sampler sampler;
    struct px_tex_request request;
    uint32_t coord[3][LANES], out[4][LANES], plain[4][LANES];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float as_float(uint32_t w)
{
    float f;
    memcpy(&f, &w, 4);
    return f;
}

/* ---- the plain sampler ---- */

/* Texels and weight along an axis of n texels that repeats. */
static void plain_axis(uint32_t word, int n, int linear, int i[2], int *weight)
{
    double x = floor((double)as_float(word) * 0x1p21) * 0x1p-21 * n * 256;
    int at = (int)floor(linear ? x + 0.5 : x) - (linear ? 128 : 0);
    i[0] = ((at >> 8) % n + n) % n;
    i[1] = (i[0] + 1) % n;
    *weight = at & 255;
}

static float plain_texel(const struct px_image *image, int x, int y, int z)
{
    float f;
    memcpy(&f, px_image_at(image, 0, (uint32_t)x, (uint32_t)y, (uint32_t)z), 4);
    return f;
}

static float plain_point(const struct px_image *image, const uint32_t *x, const uint32_t *y)
{
    int i[2], j[2], w;
    plain_axis(*x, FLAT, 0, i, &w);
    plain_axis(*y, FLAT, 0, j, &w);
    return plain_texel(image, i[0], j[0], 0);
}

/* Four floats of one slice, cut to 28 bits of the greatest, weighed: the exact sum, and the greatest
 * exponent. */
static double plain_block(const float t[4], int a, int b, int whole, int *most)
{
    int right = (a * whole + 128) >> 8, left = whole - right, exponent;
    int w0 = (left * (256 - b) + 128) >> 8, w3 = (right * b + 128) >> 8;
    const int w[4] = {w0, right - w3, left - w0, w3};
    double sum = 0;
    *most = -126;
    for (int q = 0; q < 4; q++)
        if (w[q] && t[q] != 0) {
            frexpf(t[q], &exponent);
            *most = exponent - 1 > *most ? exponent - 1 : *most;
        }
    double unit = ldexp(1, *most - 27);
    for (int q = 0; q < 4; q++) sum += trunc((double)t[q] / unit) * unit * w[q];
    return sum;
}

static float plain_linear(const struct px_image *image, const uint32_t *x, const uint32_t *y)
{
    int i[2], j[2], a, b, most;
    plain_axis(*x, FLAT, 1, i, &a);
    plain_axis(*y, FLAT, 1, j, &b);
    float t[4];
    for (int q = 0; q < 4; q++) t[q] = plain_texel(image, i[q & 1], j[q >> 1], 0);
    return (float)(plain_block(t, a, b, 256, &most) * ((1 + 0x1p-40) / 256));
}

static float plain_volume(const struct px_image *image, const uint32_t *x, const uint32_t *y,
                          const uint32_t *z)
{
    int i[2], j[2], k[2], a, b, c, most[2];
    double sum[2];
    plain_axis(*x, DEEP, 1, i, &a);
    plain_axis(*y, DEEP, 1, j, &b);
    plain_axis(*z, DEEP, 1, k, &c);
    for (int s = 0; s < 2; s++) {
        float t[4];
        for (int q = 0; q < 4; q++) t[q] = plain_texel(image, i[q & 1], j[q >> 1], k[s]);
        sum[s] = plain_block(t, a, b, s ? c : 256 - c, &most[s]);
    }
    int small = most[0] < most[1] ? 0 : 1;
    if (most[0] != most[1] && sum[!small] != 0) {
        double unit = ldexp(1, ((most[!small] + 127) & ~3) - 154);
        sum[small] = floor(sum[small] / unit) * unit;
    }
    return (float)((sum[0] + sum[1]) * ((1 + 0x1p-40) / 256));
}

static void plain_gather(struct bench *b, int lane)
{
    int i[2], j[2], w;
    plain_axis(b->coord[0][lane], FLAT, 1, i, &w);
    plain_axis(b->coord[1][lane], FLAT, 1, j, &w);
    for (int q = 0; q < 4; q++) {
        float f = plain_texel(&b->image, i[q == 1 || q == 2], j[q < 2], 0);
        memcpy(&b->plain[q][lane], &f, 4);
    }
}

/* ---- the workloads ---- */

enum { POINT, LINEAR, GATHER, VOLUME, COPY, WORKLOADS };
static const char *const names[] = {"point 2D", "bilinear 2D", "tld4 2D", "trilinear 3D", "surface copy"};

static void plain(struct bench *b, int workload)
{
    for (int i = 0; i < LANES; i++) {
        float f = 0;
        const uint32_t *x = &b->coord[0][i], *y = &b->coord[1][i], *z = &b->coord[2][i];
        if (workload == POINT) f = plain_point(&b->image, x, y);
        if (workload == LINEAR) f = plain_linear(&b->image, x, y);
        if (workload == VOLUME) f = plain_volume(&b->image, x, y, z);
        if (workload == COPY) {
            if (*x + 4 > FLAT * 4 || *y >= FLAT) continue;
            memcpy(&b->plain[0][i], px_image_at(&b->image, 0, 0, *y, 0) + *x, 4);
            memcpy(px_image_at(&b->target, 0, 0, *y, 0) + *x, &b->plain[0][i], 4);
        } else if (workload == GATHER) {
            plain_gather(b, i);
        } else {
            memcpy(&b->plain[0][i], &f, 4);
        }
    }
}

static void rows(struct bench *b, int workload, const struct px_tex_rows *level)
{
    uint32_t *d[4] = {b->out[0], NULL, NULL, NULL};
    if (workload == GATHER) {
        uint32_t *const all[4] = {b->out[0], b->out[1], b->out[2], b->out[3]};
        level->gather(&b->image, &b->sampler, &b->request, 0, all, LANES);
        return;
    }
    if (workload != COPY) {
        level->sample(&b->image, &b->sampler, &b->request, d, LANES);
        return;
    }
    struct px_surf_request r = {.coord = {b->coord[0], b->coord[1]}, .clamp = PX_SURF_ZERO, .elements = 1};
    r.size = r.row = 4;
    void *to[4] = {b->out[0]};
    const void *from[4] = {b->out[0]};
    level->load(&b->image, &r, to, LANES);
    level->store(&b->target, &r, from, LANES);
}

static void image_of(struct px_image *image, int deep)
{
    *image = (struct px_image){
        .kind = deep ? PX_IMAGE_3D : PX_IMAGE_2D, .format = PX_IMAGE_F32, .channels = 1, .levels = 1};
    uint32_t edge = deep ? DEEP : FLAT;
    if (!px_image_layout(image, edge, edge, edge) ||
        !(image->data = calloc(1, image->bytes + PX_IMAGE_ALIGN)))
        exit(2);
    for (uint64_t i = 0; i < image->bytes; i += 4) {
        float f = (float)(i * 2654435761u >> 8 & 0xFFFF) / 65536 + 0.5f;
        memcpy(image->data + i, &f, 4);
    }
}

static void prepare(struct bench *b, int workload)
{
    memset(b, 0, sizeof *b);
    image_of(&b->image, workload == VOLUME);
    image_of(&b->target, 0);
    b->sampler =
        (struct px_sampler){.filter = workload == POINT ? PX_TEX_POINT : PX_TEX_LINEAR, .normalized = true};
    for (uint32_t i = 0; i < LANES; i++)
        for (uint32_t k = 0; k < 3; k++) {
            float f = (float)((i * 3 + k + 1) * 2654435761u >> 8) / 16777216.0f;
            memcpy(&b->coord[k][i], &f, 4);
            if (workload == COPY) b->coord[k][i] = k ? 7 : i * 4;
        }
    for (int k = 0; k < (workload == VOLUME ? 3 : 2); k++) b->request.coord[k] = b->coord[k];
}

/* 10^6 texels a second; level NULL: the plain sampler. */
static double speed(struct bench *b, int workload, const struct px_tex_rows *level)
{
    double best = 1e9;
    for (int k = 0; k < RUNS; k++) {
        double start = now();
        for (int c = 0; c < CALLS; c++) level ? rows(b, workload, level) : plain(b, workload);
        double seconds = now() - start;
        best = seconds < best ? seconds : best;
    }
    return LANES * CALLS / best * 1e-6;
}

int main(void)
{
    static const char *const levels[] = {"portable", "avx2", "avx512"};
    static struct bench b;
    int wrong = 0;
    printf("%-14s %8s %9s %9s %9s  best/plain   (10^6 texels/s)\n", "textures", "plain", levels[0], levels[1],
           levels[2]);
    for (int w = 0; w < WORKLOADS; w++) {
        prepare(&b, w);
        double simple = speed(&b, w, NULL), best = 0;
        printf("%-14s %8.0f", names[w], simple);
        for (int l = 0; l < 3; l++) {
            const struct px_level *level = px_level_named(levels[l]);
            double fast = level ? speed(&b, w, px_level_tex(level)) : 0;
            if (level && memcmp(b.out, b.plain, sizeof b.plain)) wrong++;
            best = fast > best ? fast : best;
            printf(" %9.0f", fast);
        }
        printf("  %5.1f\n", best / simple);
        free(b.image.data);
        free(b.target.data);
    }
    if (wrong) printf("%d results differ from the plain sampler's\n", wrong);
    return wrong != 0;
}
