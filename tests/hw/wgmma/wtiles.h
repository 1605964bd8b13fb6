/*
 * wtiles.h - the inputs of a warpgroup's tile, made from the form and the tile's number alone: elements are
 * drawn as for the smaller products (../matrix/tiles.h), registers and memory are filled without regard to
 * layouts.
 */
#ifndef HW_WGMMA_TILES_H
#define HW_WGMMA_TILES_H

#include "forms.h"

enum { IMAGE_BYTES = 65536 };

/* Bytes of shared memory of one tile: A and B behind one another, or an image that all tiles share. */
static unsigned wtile_image(const Wform *f)
{
    return f->lie == LIE_PACKED ? 2048 + f->n * (f->sparse ? 64 : 32) : IMAGE_BYTES;
}

static uint64_t descriptor(unsigned start, unsigned leading, unsigned stride, unsigned base, unsigned swizzle)
{
    return (uint64_t)(start >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)base << 49 | (uint64_t)swizzle << 62;
}

static uint64_t draw_descriptor(Draw *r, Lie lie)
{
    unsigned start = below(r, 8) * 1024, leading = below(r, 256) * 16, stride = below(r, 256) * 16;
    unsigned swizzle = below(r, 4), base = 0;
    if (lie == LIE_ALIGNED && draw(r) & 1) leading &= ~1023u, stride &= ~1023u;
    if (lie == LIE_START) start = below(r, 512) * 16;
    if (lie == LIE_BASE) start = below(r, 64) * 128, base = below(r, 8);
    return descriptor(start, leading, stride, base, swizzle);
}

static void fill(Draw *r, Elem e, const Source *s, unsigned p, uint32_t *to, unsigned words)
{
    uint64_t regs[1][32];
    for (unsigned i = 0; i < words; i += 32) {
        draw_operand(r, e, 1, s, p, regs);
        for (unsigned l = 0; l < 32; l++) to[i + l] = (uint32_t)regs[0][l];
    }
}

static void fill_meta(Draw *r, const Wform *f, unsigned number, uint32_t *to)
{
    uint64_t meta[32];
    Form as = {.a = f->a};
    for (unsigned w = 0; w < 4; w++) {
        draw_meta(r, &as, number, meta);
        for (unsigned l = 0; l < 32; l++) to[w * 32 + l] = (uint32_t)meta[l];
    }
}

/* in: wform_in bytes; image: wtile_image bytes, for forms that share one: only of tile 0. */
static void wtile(const Wform *f, unsigned number, char *in, char *image)
{
    Draw r = {number * 0x2545f4914f6cdd1dull + 99};
    for (const char *c = f->name; *c; c++) r.state = (r.state ^ (unsigned char)*c) * 0x100000001b3ull;
    r.state += f->memory * 5 + f->selector * 3 + f->minus_a * 7 + f->minus_b * 11 + f->across_a * 17 +
               f->across_b * 19 + f->lie * 23;
    unsigned p = f->lie == LIE_PACKED ? number % PROFILES : 0;
    Source a = source_of(f->a), b = source_of(f->b), c = source_of(f->d);
    int wa = between(&r, -a.bias / 4, a.bias / 4), wb = between(&r, -b.bias / 4, b.bias / 4);
    profile(&r, &a, p, wa), profile(&r, &b, p, wb), profile(&r, &c, p, wa + wb + between(&r, -15, 15));
    if ((p == 6 || p == 7) && draw(&r) & 1) a.center = a.bias, a.spread = 4;
    if (p == 6 && f->d == E_F32 && draw(&r) & 1) c.center = between(&r, 100, 127), c.spread = 20;
    uint64_t *desc = (uint64_t *)(void *)in, da, db;
    uint32_t *sd = (uint32_t *)(void *)(in + 2048), *meta = sd + 128, *ra = meta + 128, *rd = ra + 512;
    const unsigned of_b = f->n * (f->sparse ? 16 : 8);
    if (f->lie == LIE_PACKED) {
        da = descriptor(0, 128, 256, 0, 0), db = descriptor(2048, 128, f->sparse ? 512 : 256, 0, 0);
    } else {
        da = draw_descriptor(&r, f->lie), db = draw_descriptor(&r, f->lie);
    }
    for (unsigned l = 0; l < 128; l++) desc[l] = da, desc[128 + l] = db, sd[l] = number % 5 != 4;
    fill_meta(&r, f, number, meta);
    fill(&r, f->a, &a, p, ra, 512);
    fill(&r, f->d, &c, p, rd, 128 * f->nd);
    if (f->lie == LIE_PACKED) {
        fill(&r, f->a, &a, p, (uint32_t *)(void *)image, 512);
        fill(&r, f->b, &b, p, (uint32_t *)(void *)(image + 2048), of_b);
    } else if (!number) {
        fill(&r, f->a, &a, p, (uint32_t *)(void *)image, IMAGE_BYTES / 4);
    }
}

#endif
