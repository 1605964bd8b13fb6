/* terms.c - what of a grid's values depends on the lane's place in its block alone (px_lane_term): made once
 * for each frame of a gang, kept from block to block. */
#include "vm/run/kept.h"

#define PX_ROW_OF(f, offset) ((uint64_t *)(void *)((f)->base + (offset)))

static int64_t factor_of(const struct px_frame *f, const struct px_lane_term *t)
{
    const void *at = f->base + t->b;
    if (t->elem == 8) return *(const int64_t *)at;
    return t->sign ? *(const int32_t *)at : (int64_t) * (const uint32_t *)at;
}

/* Modulo 2^64. */
static void fill_row(const struct px_gang *g, const struct px_frame *f, const struct px_lane_term *t,
                     uint64_t *d)
{
    static const uint64_t zeros[PX_LANES_MAX];
    const struct px_lane_term *terms = f->code->terms;
    const bool made = t->op >= PX_TERM_ADD, two = t->op == PX_TERM_ADD || t->op == PX_TERM_SUB;
    const uint64_t *a = made && t->a != PX_TERM_ZERO ? PX_ROW_OF(f, terms[t->a].row) : zeros;
    const uint64_t *b = two ? PX_ROW_OF(f, terms[t->b].row) : zeros;
    const uint64_t factor = t->op == PX_TERM_SCALE ? (uint64_t)factor_of(f, t) : 0;
    for (uint32_t i = 0; i < g->width; i++) switch ((enum px_term_op)t->op) {
        case PX_TERM_ADD: d[i] = a[i] + b[i]; break;
        case PX_TERM_SUB: d[i] = a[i] - b[i]; break;
        case PX_TERM_SCALE: d[i] = a[i] * factor; break;
        default: d[i] = g->tid[t->op - PX_TERM_TID_X][i]; break;
        }
}

void px_terms_fill(const struct px_gang *g, struct px_frame *f)
{
    const struct px_fcode *code = f->code;
    const uint32_t left = (g->cta->threads - g->first + 31) & ~31u, n = left < g->width ? left : g->width;
    if (f->grid == g->cta->grid->id) return;
    f->grid = g->cta->grid->id;
    for (uint32_t k = 0; k < code->nterms; k++) {
        uint64_t *row = PX_ROW_OF(f, code->terms[k].row);
        struct px_lane_facts *facts = (struct px_lane_facts *)(void *)(f->base + code->terms[k].facts);
        fill_row(g, f, &code->terms[k], row);
        facts->least = facts->most = (int64_t)row[0];
        for (uint32_t i = 1; i < n; i++) {
            const int64_t x = (int64_t)row[i];
            if (x < facts->least) facts->least = x;
            if (x > facts->most) facts->most = x;
        }
        g->level->survey(&facts->survey, row, n, g->tiles);
        facts->survey.least = (uint64_t)facts->least;
        facts->survey.spread = (uint64_t)facts->most - (uint64_t)facts->least;
    }
}
