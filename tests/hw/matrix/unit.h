/*
 * unit.h - a form's tile through the library's unit (lib/ops/mma_form.h).
 */
#ifndef HW_MATRIX_UNIT_H
#define HW_MATRIX_UNIT_H

#include "ops/mma_form.h"
#include "tiles.h"

static const uint8_t unit_type[] = {
    [E_F16] = PX_MMA_F16,   [E_BF16] = PX_MMA_BF16, [E_TF32] = PX_MMA_TF32, [E_E4M3] = PX_MMA_E4M3,
    [E_E5M2] = PX_MMA_E5M2, [E_F32] = PX_MMA_F32,   [E_F64] = PX_MMA_F64,   [E_S8] = PX_MMA_S8,
    [E_U8] = PX_MMA_U8,     [E_S4] = PX_MMA_S4,     [E_U4] = PX_MMA_U4,     [E_B1] = PX_MMA_B1,
    [E_S32] = PX_MMA_S32};

static void unit_form(const Form *f, struct px_mma_form *to)
{
    struct px_mma_words w = {.m = (uint16_t)f->m,
                             .n = (uint16_t)f->n,
                             .k = (uint16_t)f->k,
                             .a = unit_type[f->a],
                             .b = unit_type[f->b],
                             .c = unit_type[f->c],
                             .d = unit_type[f->d],
                             .sparse = f->sparse != 0,
                             .a_col = !f->arow,
                             .b_row = f->brow != 0,
                             .selector = (uint8_t)f->selector};
    w.flags = (uint8_t)((f->sat ? PX_MMA_SATURATE : 0) | (f->xor ? PX_MMA_XOR : 0));
    px_mma_form_make(to, &w);
}

/* in and out as the kernel of form_emit has them: [register][lane] of 4 bytes, f64: 8. */
static void unit_run(const Form *f, const struct px_mma_form *form, px_mma_function *product, const void *in,
                     void *out)
{
    struct px_mma_warp w = {0};
    unsigned bytes = f->wide ? 8 : 4;
    const char *from = in;
    for (unsigned i = 0; i < f->na; i++, from += 32 * bytes) w.a[i] = from;
    for (unsigned i = 0; i < f->nb; i++, from += 32 * bytes) w.b[i] = from;
    for (unsigned i = 0; i < f->nc; i++, from += 32 * bytes) w.c[i] = from;
    if (f->ne) w.e = (const uint32_t *)(const void *)from;
    for (unsigned i = 0; i < f->nd; i++) w.d[i] = (char *)out + i * 32 * bytes;
    px_mma_form_run(form, product, &w);
}

#endif
