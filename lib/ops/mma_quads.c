/*
 * mma_quads.c - mma.m8n8k4 of f16 (PTX ISA 9.7.14.5.1): four products of 8x8x4, lanes l and l+16 of four
 * together.
 *
 * Chips after sm_70 do it with shuffles and scalar fused multiply-adds in f32, and so does this: with an f32
 * result the products are a chain that starts at 0, and c is added last; with an f16 result two pairs are
 * summed apart and added to c one after the other, and the sum is rounded to f16 once.
 */
#include <math.h>
#include <string.h>
#include "ops/mma_form.h"
#include "ops/mma_number.h"

static uint32_t half_of(const void *const *regs, uint32_t lane, uint32_t i)
{
    return ((const uint16_t *)regs[i >> 1])[2 * lane + (i & 1)];
}

/* Element (i, k) of a matrix of 8 rows whose rows are lanes, or whose columns are (`col`). */
static float factor(const void *const *regs, uint32_t quad, uint32_t i, uint32_t k, bool col)
{
    uint32_t lane = quad * 4 + (i >> 2) * 16;
    return px_mma_f32_of_f16(col ? half_of(regs, lane + k, i & 3) : half_of(regs, lane + (i & 3), k));
}

/* Lane and element of c or d that are (i, j). */
static uint32_t owner(uint32_t quad, uint32_t i, uint32_t j, bool half, uint32_t *element)
{
    uint32_t lane = quad * 4 + (i >> 2) * 16;
    if (half) return *element = j, lane + (i & 3);
    *element = (j & 4) | (i & 2) | (j & 1);
    return lane + (i & 1) + (j & 2);
}

static float taken(const struct px_mma_form *f, const struct px_mma_warp *w, uint32_t quad, uint32_t i,
                   uint32_t j)
{
    uint32_t e, lane = owner(quad, i, j, f->c == PX_MMA_F16, &e);
    float v;
    if (f->c == PX_MMA_F16) return px_mma_f32_of_f16(half_of(w->c, lane, e));
    memcpy(&v, (const float *)w->c[e] + lane, 4);
    return v;
}

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return f != f ? 0x7fffffff : u;
}

void px_mma_quads(const struct px_mma_form *f, const struct px_mma_warp *w)
{
    uint32_t d[4][8][8];
    for (uint32_t at = 0; at < 256; at++) {
        uint32_t quad = at >> 6, i = at >> 3 & 7, j = at & 7;
        float a[4], b[4], c = taken(f, w, quad, i, j);
        for (uint32_t k = 0; k < 4; k++) {
            a[k] = factor(w->a, quad, i, k, f->a_col);
            b[k] = factor(w->b, quad, j, k, f->b_row);
        }
        if (f->d == PX_MMA_F16) {
            float low = fmaf(a[1], b[1], a[0] * b[0]), high = fmaf(a[3], b[3], a[2] * b[2]);
            d[quad][i][j] = px_mma_f16_of_f32(bits_of((c + low) + high));
        } else {
            float sum = fmaf(a[0], b[0], 0.0f);
            for (uint32_t k = 1; k < 4; k++) sum = fmaf(a[k], b[k], sum);
            d[quad][i][j] = bits_of(c + sum);
        }
    }
    for (uint32_t at = 0; at < 256; at++) {
        uint32_t quad = at >> 6, i = at >> 3 & 7, j = at & 7, e,
                 lane = owner(quad, i, j, f->d == PX_MMA_F16, &e);
        if (f->d == PX_MMA_F16)
            ((uint16_t *)w->d[e >> 1])[2 * lane + (e & 1)] = (uint16_t)d[quad][i][j];
        else
            ((uint32_t *)w->d[e])[lane] = d[quad][i][j];
    }
}
