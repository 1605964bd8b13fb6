/* wunit.h - a form's tile through the library's unit (lib/ops/wgmma_form.h). */
#ifndef HW_WGMMA_UNIT_H
#define HW_WGMMA_UNIT_H

#include "../matrix/unit.h"
#include "ops/wgmma_form.h"
#include "wtiles.h"

static void wunit_form(const Wform *f, struct px_wgmma_form *to)
{
    struct px_wgmma_words w = {.n = (uint16_t)f->n,
                               .k = (uint16_t)f->k,
                               .a = unit_type[f->a],
                               .b = unit_type[f->b],
                               .d = unit_type[f->d],
                               .flags = f->sat ? PX_MMA_SATURATE : 0,
                               .selector = (uint8_t)f->selector,
                               .sparse = f->sparse != 0,
                               .a_memory = f->memory != 0,
                               .a_across = f->across_a != 0,
                               .b_across = f->across_b != 0,
                               .a_minus = f->minus_a != 0,
                               .b_minus = f->minus_b != 0};
    px_wgmma_form_make(to, &w);
}

typedef struct Image {
    const char *bytes;
    unsigned n, base; /* base: address of the first one */
} Image;

static bool image_fetch(void *memory, uint32_t at, void *to)
{
    const Image *m = memory;
    uint32_t from = at - m->base;
    if (from >= m->n || m->n - from < 16) return false;
    memcpy(to, m->bytes + from, 16);
    return true;
}

/* out: wform_out bytes. False: a piece was outside. */
static bool wunit_run(const struct px_wgmma_form *form, px_mma_function *product, const char *in,
                      const Image *image, char *out)
{
    struct px_wgmma_group g = {.add = *(const uint32_t *)(const void *)(in + 2048) != 0};
    memcpy(&g.desc_a, in, 8), memcpy(&g.desc_b, in + 1024, 8);
    g.desc_a += image->base >> 4, g.desc_b += image->base >> 4;
    g.e = (const uint32_t *)(const void *)(in + 2560);
    for (unsigned i = 0; i < 4; i++) g.a[i] = (const uint32_t *)(const void *)(in + 3072 + i * 512);
    memcpy(out, in + 5120, form->regs * 512);
    for (unsigned i = 0; i < form->regs; i++) g.c[i] = g.d[i] = (uint32_t *)(void *)(out + i * 512);
    uint32_t at;
    return px_wgmma_run(form, product, &g, image_fetch, (void *)image, &at);
}

#endif
