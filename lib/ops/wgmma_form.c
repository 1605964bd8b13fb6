/*
 * wgmma_form.c - a warpgroup's product (wgmma_form.h): factors are fetched from shared memory into packed
 * rows, accumulators gathered into a matrix of 64 rows, and the unit of mma.h does the rest.
 */
#include <string.h>
#include "ops/wgmma_form.h"
#include "ops/mma_number.h"

/* A row of a factor has 32 bytes whatever the type, of B in a sparse product twice as many. */
enum { ROW_WORDS = 8, PIECE = 16, FP8_KEPT = 13 };

void px_wgmma_form_make(struct px_wgmma_form *f, const struct px_wgmma_words *w)
{
    bool fp8 = w->a == PX_MMA_E4M3 || w->a == PX_MMA_E5M2;
    memset(f, 0, sizeof *f);
    f->w = *w;
    f->op.rows = PX_WGMMA_M;
    f->op.cols = w->n;
    f->op.ky = w->k;
    f->op.k = (uint16_t)(w->sparse ? w->k / 2 : w->k);
    f->op.x = w->a, f->op.y = w->b;
    f->op.c = f->op.d = w->d;
    f->op.flags = (uint8_t)(w->flags | PX_MMA_FLOOR | (fp8 ? PX_MMA_NATIVE : 0));
    f->op.kept = fp8 ? FP8_KEPT : 0;
    f->regs = w->d == PX_MMA_F16 ? w->n / 4u : w->n / 2u;
}

/* ---- descriptors ---- */

struct px_wgmma_descriptor px_wgmma_decode(uint64_t v)
{
    static const uint8_t swizzles[4] = {0, 128, 64, 32};
    return (struct px_wgmma_descriptor){.start = (uint32_t)(v & 0x3fff) << 4,
                                        .leading = (uint32_t)(v >> 16 & 0x3fff) << 4,
                                        .stride = (uint32_t)(v >> 32 & 0x3fff) << 4,
                                        .base = (uint8_t)(v >> 49 & 7),
                                        .swizzle = swizzles[v >> 62]};
}

/* Bits 4 to 6 of a place are mixed with those above: one, two or all three of them. */
static uint32_t swizzled(const struct px_wgmma_descriptor *d, uint32_t at)
{
    uint32_t phase = (at >> 7) - d->base, mask = d->swizzle / 16u - 1;
    return d->swizzle ? at ^ (phase & mask) << 4 : at;
}

uint32_t px_wgmma_place(const struct px_wgmma_descriptor *d, bool across, uint32_t i, uint32_t j)
{
    const uint32_t pieces = d->swizzle / PIECE, wide = d->swizzle ? d->swizzle : PIECE;
    uint32_t at;
    if (!across)
        at = i % 8 * wide + i / 8 * d->stride +
             (d->swizzle ? j % pieces * PIECE + j / pieces * d->leading : j * d->leading);
    else if (!d->swizzle)
        at = j % 8 * PIECE + j / 8 * d->leading + i * d->stride;
    else
        at = i % pieces * PIECE + i / pieces * d->leading + j % 8 * wide + j / 8 * d->stride;
    return swizzled(d, d->start + at) & 0x3ffff;
}

/* ---- factors ---- */

struct source {
    struct px_wgmma_descriptor desc;
    px_wgmma_fetch *fetch;
    void *memory;
    uint32_t *at; /* where a fetch failed */
};

static bool fetch(const struct source *s, bool across, uint32_t i, uint32_t j, void *to)
{
    uint32_t at = px_wgmma_place(&s->desc, across, i, j);
    if (s->fetch(s->memory, at, to)) return true;
    *s->at = at;
    return false;
}

/* rows of `words` 32-bit words each. */
static bool fetch_along(const struct source *s, uint32_t rows, uint32_t words, uint32_t *to)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < words / 4; j++)
            if (!fetch(s, false, i, j, to + i * words + j * 4)) return false;
    return true;
}

/* The same of 16-bit elements whose neighbours in memory are those of other rows. */
static bool fetch_across(const struct source *s, uint32_t rows, uint32_t words, uint32_t *to)
{
    const uint32_t k = words * 2;
    uint16_t *elements = (uint16_t *)(void *)to, piece[PIECE / 2];
    for (uint32_t i = 0; i < rows / 8; i++)
        for (uint32_t j = 0; j < k; j++) {
            if (!fetch(s, true, i, j, piece)) return false;
            for (uint32_t q = 0; q < 8; q++) elements[(i * 8 + q) * k + j] = piece[q];
        }
    return true;
}

static void negate(enum px_mma_type type, uint32_t *words, uint32_t n)
{
    uint32_t bits = px_mma_bits(type), signs = bits == 8 ? 0x80808080 : bits == 16 ? 0x80008000 : 0x80000000;
    for (uint32_t i = 0; i < n; i++) words[i] ^= signs;
}

/* The row that a register of four lanes is of: `q` counts groups of four lanes. */
#define ROW_OF(q, half) ((q) / 8 * 16 + (half)*8 + (q) % 8)

static void gather_a(const uint32_t *const *regs, uint32_t *to)
{
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t q = 0; q < PX_WARPGROUP / 4; q++) /* four lanes are a row */
            memcpy(to + ROW_OF(q, r % 2) * ROW_WORDS + r / 2 * 4, regs[r] + q * 4, 16);
}

/* ---- accumulators ---- */

/* Eight columns of a row, of which four lanes have two each. */
#define EACH_PIECE(n, block, half, q)                                                                        \
    for (uint32_t block = 0; block < (n) / 8; block++)                                                       \
        for (uint32_t half = 0; half < 2; half++)                                                            \
            for (uint32_t q = 0; q < PX_WARPGROUP / 4; q++)

static void gather(const struct px_wgmma_form *f, const uint32_t *const *c, uint8_t *to)
{
    const uint32_t n = f->w.n;
    EACH_PIECE(n, block, half, q)
    {
        const size_t at = (size_t)ROW_OF(q, half) * n + block * 8;
        if (f->w.d == PX_MMA_F16) {
            memcpy(to + at * 2, c[block * 2 + half] + q * 4, 16);
            continue;
        }
        const uint32_t *even = c[block * 4 + half * 2] + q * 4, *odd = c[block * 4 + half * 2 + 1] + q * 4;
        uint32_t *row = (uint32_t *)(void *)to + at;
        for (uint32_t t = 0; t < 4; t++) row[2 * t] = even[t], row[2 * t + 1] = odd[t];
    }
}

static void scatter(const struct px_wgmma_form *f, const uint8_t *from, uint32_t *const *d)
{
    const uint32_t n = f->w.n;
    EACH_PIECE(n, block, half, q)
    {
        const size_t at = (size_t)ROW_OF(q, half) * n + block * 8;
        if (f->w.d == PX_MMA_F16) {
            memcpy(d[block * 2 + half] + q * 4, from + at * 2, 16);
            continue;
        }
        uint32_t *even = d[block * 4 + half * 2] + q * 4, *odd = d[block * 4 + half * 2 + 1] + q * 4;
        const uint32_t *row = (const uint32_t *)(const void *)from + at;
        for (uint32_t t = 0; t < 4; t++) even[t] = row[2 * t], odd[t] = row[2 * t + 1];
    }
}

bool px_wgmma_run(const struct px_wgmma_form *f, px_mma_function *product, const struct px_wgmma_group *group,
                  px_wgmma_fetch *fetch_piece, void *memory, uint32_t *at)
{
    uint32_t x[PX_WGMMA_M * ROW_WORDS], y[PX_WGMMA_N_MAX * ROW_WORDS * 2], cd[PX_WGMMA_M * PX_WGMMA_N_MAX];
    uint8_t places[PX_WGMMA_M * 32];
    const struct px_wgmma_words *w = &f->w;
    const uint32_t words = w->sparse ? ROW_WORDS * 2 : ROW_WORDS;
    const struct source a = {px_wgmma_decode(group->desc_a), fetch_piece, memory, at};
    const struct source b = {px_wgmma_decode(group->desc_b), fetch_piece, memory, at};
    if (!w->a_memory)
        gather_a(group->a, x);
    else if (!(w->a_across ? fetch_across : fetch_along)(&a, PX_WGMMA_M, ROW_WORDS, x))
        return false;
    if (!(w->b_across ? fetch_across : fetch_along)(&b, w->n, words, y)) return false;
    if (w->a_minus) negate((enum px_mma_type)w->a, x, PX_WGMMA_M * ROW_WORDS);
    if (w->b_minus) negate((enum px_mma_type)w->b, y, w->n * words);
    if (group->add)
        gather(f, group->c, (uint8_t *)cd);
    else
        memset(cd, 0, (size_t)PX_WGMMA_M * w->n * (w->d == PX_MMA_F16 ? 2 : 4));
    for (uint32_t warp = 0; w->sparse && warp < 4; warp++)
        px_mma_places(&f->op, w->selector, group->e + warp * PX_WARP, places + warp * 16 * f->op.k);
    product(&f->op, &(struct px_mma_data){x, y, cd, cd, w->sparse ? places : NULL});
    scatter(f, (const uint8_t *)cd, group->d);
    return true;
}
