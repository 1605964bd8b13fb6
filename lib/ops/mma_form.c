/*
 * mma_form.c - fragments to packed matrices and back (mma_form.h).
 */
#include <string.h>
#include "ops/mma_form.h"
#include "ops/mma_number.h"

/* Rows of the packed matrices: 16x128 bits of A, 8x256 of B; wmma has 32x16 halves. d: 16x16 or 32x8 words,
 * 16x8 of 64 bits. */
enum { FACTOR_BYTES = 2048, D_BYTES = 1024, PLACES = 16 * 64 };

/* ---- making ---- */

/* Registers go over `together` groups of 8 rows, then along k, then to the next rows. */
static void make_factor(struct px_mma_factor *f, enum px_mma_type type, uint32_t rows, uint32_t k,
                        uint32_t together)
{
    uint32_t words = type == PX_MMA_F64 ? k : px_mma_words(type, k), chunks = words / 4,
             block = together * chunks;
    f->regs = (uint16_t)(rows / 8 * chunks);
    f->words = (uint16_t)words;
    for (uint32_t r = 0; r < f->regs; r++) {
        uint32_t q = r % block, row = (r / block * together + q % together) * 8;
        f->base[r] = (uint16_t)(row * words + q / together * 4);
    }
}

static void make_accumulator(struct px_mma_form *f)
{
    struct px_mma_accumulator *a = &f->acc;
    uint32_t rows = f->op.rows, cols = f->op.cols;
    a->elements = (uint16_t)(rows * cols / PX_WARP);
    a->group = (uint16_t)(f->sparse ? cols : 1);
    a->thread = (uint16_t)(f->sparse ? 2 : 2 * cols);
    for (uint32_t q = 0; q < a->elements; q++) {
        uint32_t odd = q & 1, eight = q >> 1 & 1, block = q >> 2;
        if (f->sparse)
            a->base[q] = (uint16_t)(8 * eight * cols + odd);
        else if (cols == 32)
            a->base[q] = (uint16_t)(odd * cols + 8 * eight + 16 * block);
        else
            a->base[q] = (uint16_t)((odd + 8 * block) * cols + 8 * eight);
    }
}

void px_mma_form_make(struct px_mma_form *f, const struct px_mma_words *w)
{
    bool fp8 = w->a == PX_MMA_E4M3 || w->a == PX_MMA_E5M2, wmma = w->n > 8 || w->m > 16;
    memset(f, 0, sizeof *f);
    f->sparse = w->sparse, f->selector = w->selector;
    f->a_is_x = w->sparse || w->n == 32;
    f->quads = w->k == 4 && w->a == PX_MMA_F16;
    f->a_col = w->a_col, f->b_row = w->b_row;
    f->a = w->a, f->b = w->b, f->c = w->c, f->d = w->d;
    f->op.rows = f->a_is_x ? w->m : w->n;
    f->op.cols = f->a_is_x ? w->n : w->m;
    f->op.ky = w->k;
    f->op.k = (uint16_t)(w->sparse ? w->k / 2 : w->k);
    f->op.x = f->a_is_x ? w->a : w->b;
    f->op.y = f->a_is_x ? w->b : w->a;
    f->op.c = f->op.d = w->c == w->d ? w->d : PX_MMA_F32;
    f->op.flags = (uint8_t)(w->flags | (fp8 ? PX_MMA_HALVES : 0));
    if (wmma && w->a == PX_MMA_TF32) f->op.step = 4;
    f->repeats = wmma && w->a == PX_MMA_F16;
    if (f->quads) return;
    make_factor(&f->x, (enum px_mma_type)f->op.x, f->op.rows, f->op.k, w->sparse ? 2 : 1);
    make_factor(&f->y, (enum px_mma_type)f->op.y, f->op.cols, f->op.ky, f->op.cols >= 16 ? 2 : 1);
    make_accumulator(f);
}

static uint32_t accumulator_regs(const struct px_mma_form *f, enum px_mma_type type)
{
    uint32_t elements = f->quads ? 8 : f->acc.elements;
    return type == PX_MMA_F16 ? elements / 2 : elements;
}

uint32_t px_mma_form_regs(const struct px_mma_form *f, char operand)
{
    if (operand == 'c' || operand == 'd')
        return accumulator_regs(f, (enum px_mma_type)(operand == 'c' ? f->c : f->d));
    if (f->quads) return 2;
    if (f->repeats) return PX_MMA_REGS_MAX;
    return (operand == 'a') == f->a_is_x ? f->x.regs : f->y.regs;
}

/* ---- moving ---- */

static void gather_factor(const struct px_mma_factor *f, uint32_t bytes, const void *const *regs, uint8_t *to)
{
    for (uint32_t r = 0; r < f->regs; r++) {
        const uint8_t *from = regs[r];
        for (uint32_t g = 0; g < 8; g++)
            memcpy(to + (f->base[r] + g * f->words) * bytes, from + g * 4 * bytes, 4 * bytes);
    }
}

/* Element q of each lane: `lane` counts lanes, `at` is its place in the packed matrix. */
#define EACH_LANE(acc, q)                                                                                    \
    for (uint32_t g = 0, lane = 0; g < 8; g++)                                                               \
        for (uint32_t at = (acc)->base[q] + g * (acc)->group, t = 0; t < 4; t++, lane++, at += (acc)->thread)

static void gather_accumulator(const struct px_mma_form *f, const void *const *regs, void *to)
{
    const struct px_mma_accumulator *a = &f->acc;
    for (uint32_t q = 0; q < a->elements; q++)
        if (f->c == PX_MMA_F64)
            EACH_LANE(a, q)((uint64_t *)to)[at] = ((const uint64_t *)regs[q])[lane];
        else if (f->c != PX_MMA_F16)
            EACH_LANE(a, q)((uint32_t *)to)[at] = ((const uint32_t *)regs[q])[lane];
        else if (f->op.c == PX_MMA_F16)
            EACH_LANE(a, q)((uint16_t *)to)[at] = ((const uint16_t *)regs[q >> 1])[2 * lane + (q & 1)];
        else
            EACH_LANE(a, q)
    ((float *)to)[at] = px_mma_f32_of_f16(((const uint16_t *)regs[q >> 1])[2 * lane + (q & 1)]);
}

/* .satfinite clamps what the rounding would make infinite, and leaves infinities. */
static uint16_t narrowed(const struct px_mma_form *f, uint32_t bits)
{
    const uint16_t half = (uint16_t)px_mma_f16_of_f32(bits);
    const bool over = (half & 0x7fff) == 0x7c00 && (bits & 0x7fffffff) != 0x7f800000;
    return (uint16_t)(over && f->op.flags & PX_MMA_SATURATE ? half - 1 : half);
}

static void scatter_accumulator(const struct px_mma_form *f, const void *from, void *const *regs)
{
    const struct px_mma_accumulator *a = &f->acc;
    for (uint32_t q = 0; q < a->elements; q++)
        if (f->d == PX_MMA_F64)
            EACH_LANE(a, q)((uint64_t *)regs[q])[lane] = ((const uint64_t *)from)[at];
        else if (f->d != PX_MMA_F16)
            EACH_LANE(a, q)((uint32_t *)regs[q])[lane] = ((const uint32_t *)from)[at];
        else if (f->op.d == PX_MMA_F16)
            EACH_LANE(a, q)((uint16_t *)regs[q >> 1])[2 * lane + (q & 1)] = ((const uint16_t *)from)[at];
        else
            EACH_LANE(a, q)
    ((uint16_t *)regs[q >> 1])[2 * lane + (q & 1)] = narrowed(f, ((const uint32_t *)from)[at]);
}

/* A nibble of the metadata is for four neighbours in k, of which two are there, tf32: for two, of which one
 * is, 4 bits: for eight in pairs. */
void px_mma_places(const struct px_mma *op, uint32_t selector, const uint32_t *e, uint8_t *at)
{
    uint32_t bits = px_mma_bits((enum px_mma_type)op->x), per = bits == 32 ? 1 : bits == 4 ? 4 : 2;
    uint32_t groups = op->k / per;
    bool by_row = bits <= 8;
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t q = 0; q < groups; q++) {
            uint32_t g = row & 7, half = row >> 3, lane, shift;
            if (groups == 4)
                lane = selector, shift = half * 4 + q;
            else if (groups == 8)
                lane = 2u * selector + (by_row ? half : q >> 2), shift = by_row ? q : half * 4 + (q & 3);
            else
                lane = half + 2 * (q >> 3), shift = q & 7;
            uint32_t nibble = e[g * 4 + (lane & 3)] >> shift * 4 & 15;
            uint8_t *to = at + row * op->k + q * per;
            if (per == 1)
                to[0] = (uint8_t)(2 * q + (nibble >> 1 & 1));
            else
                for (uint32_t i = 0; i < per; i++) {
                    uint32_t pick = nibble >> (i * 2 / per) * 2 & 3;
                    to[i] = (uint8_t)(per == 2 ? 4 * q + pick : 8 * q + 2 * pick + (i & 1));
                }
        }
}

void px_mma_form_run(const struct px_mma_form *f, px_mma_function *product, const struct px_mma_warp *warp)
{
    uint64_t x[FACTOR_BYTES / 8], y[FACTOR_BYTES / 8], cd[D_BYTES / 8];
    uint8_t at[PLACES];
    uint32_t bytes = f->op.x == PX_MMA_F64 ? 8 : 4;
    if (f->quads) {
        px_mma_quads(f, warp);
        return;
    }
    gather_factor(&f->x, bytes, f->a_is_x ? warp->a : warp->b, (uint8_t *)x);
    gather_factor(&f->y, bytes, f->a_is_x ? warp->b : warp->a, (uint8_t *)y);
    gather_accumulator(f, warp->c, cd);
    if (f->sparse) px_mma_places(&f->op, f->selector, warp->e, at);
    product(&f->op, &(struct px_mma_data){x, y, cd, cd, f->sparse ? at : NULL});
    scatter_accumulator(f, cd, warp->d);
}
