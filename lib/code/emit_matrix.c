/* emit_matrix.c - records of matrix instructions: what lower_matrix.c made, with rows for registers. */
#include "code/emit.h"
#include "ops/matrix.h"
#include "ops/trace.h"

static void rows(struct px_emitter *e, const struct px_ir_opd *o, uint32_t n, uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++) to[i] = px_emit_row(e, &o[i]);
}

void px_emit_mma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_matrix_mma *m = PX_NEW(e->f->coder->keep, struct px_matrix_mma);
    m->form = e->f->matrices.at[in->aux];
    m->product = px_level_product(e->f->coder->level);
    m->fp = in->fact;
    uint32_t na = px_mma_form_regs(&m->form, 'a'), nb = px_mma_form_regs(&m->form, 'b'),
             nc = px_mma_form_regs(&m->form, 'c');
    rows(e, o, in->ndst, m->d), o += in->ndst;
    rows(e, o, na, m->a), o += na;
    rows(e, o, nb, m->b), o += nb;
    rows(e, o, nc, m->c), o += nc;
    if (m->form.sparse) rows(e, o, 1, &m->e);
    px_emit_both(e, px_matrix_mma, (struct px_insn){.aux = m, .size = PX_WARP});
}

/* The record that is common to all moves: its address, and the rows of its registers. */
static struct px_insn move(struct px_emitter *e, const struct px_ir_opd *address,
                           const struct px_ir_opd *values, uint32_t n, struct px_matrix_move *m)
{
    struct px_insn r = {.aux = m, .a = px_emit_place(e, address), .size = PX_WARP, .space = address->type};
    if (address->base != PX_IR_IMM) m->offset = address->value;
    if (address->base != PX_IR_REG) r.flags |= PX_IF_SCALAR_A;
    m->regs = (uint8_t)n;
    rows(e, values, n, m->row);
    return r;
}

/* Each matrix is 8 rows of 16 bytes, whose addresses 8 lanes of the warp have. */
static void tell_rows(struct px_emitter *e, const struct px_ir_opd *address, unsigned how, uint32_t matrices)
{
    const struct px_traced t = {.is.how = how, .bytes = 16, .first = 8 * matrices};
    px_emit_trace_as(e, address, &t, NULL);
}

void px_emit_ldmatrix(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_matrix_move *m = PX_NEW(e->f->coder->keep, struct px_matrix_move);
    m->trans = in->fact;
    tell_rows(e, &o[in->ndst], PTX_TRACE_READ, in->ndst);
    px_emit_both(e, px_matrix_ldmatrix, move(e, &o[in->ndst], o, in->ndst, m));
}

void px_emit_stmatrix(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_matrix_move *m = PX_NEW(e->f->coder->keep, struct px_matrix_move);
    m->trans = in->fact;
    tell_rows(e, &o[0], PTX_TRACE_WRITE, in->nopds - 1u);
    px_emit_both(e, px_matrix_stmatrix, move(e, &o[0], o + 1, in->nopds - 1u, m));
}

void px_emit_setmaxnreg(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    (void)in, (void)o;
    px_emit_both(e, px_matrix_meet, (struct px_insn){.size = PX_WARP});
}

void px_emit_movmatrix(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    (void)in;
    px_emit_both(e, px_matrix_movmatrix,
                 (struct px_insn){.d = px_emit_row(e, &o[0]), .a = px_emit_row(e, &o[1]), .size = PX_WARP});
}

/* Rows of A, columns of B, which the form may have exchanged. */
static uint32_t rows_of_a(const struct px_mma_form *f)
{
    return f->a_is_x ? f->op.rows : f->op.cols;
}
static uint32_t cols_of_b(const struct px_mma_form *f)
{
    return f->a_is_x ? f->op.cols : f->op.rows;
}

/* Where no stride is written, rows (columns) follow one another. */
static uint32_t own_stride(const struct px_matrix_move *m)
{
    const struct px_mma_form *f = &m->form;
    if (m->what == 'a') return m->col ? rows_of_a(f) : f->op.k;
    if (m->what == 'b') return m->col ? f->op.k : cols_of_b(f);
    return m->col ? rows_of_a(f) : cols_of_b(f);
}

static uint32_t elements_of(const struct px_matrix_move *m)
{
    const struct px_mma_form *f = &m->form;
    if (m->what == 'a') return rows_of_a(f) * f->op.k;
    return (m->what == 'b' ? f->op.k : rows_of_a(f)) * cols_of_b(f);
}

static void tell_tile(struct px_emitter *e, const struct px_ir_opd *address, const struct px_matrix_move *m,
                      uint32_t bits, const struct px_ir_opd *stride)
{
    const uint32_t line = own_stride(m), elements = elements_of(m), bytes = line * bits / 8;
    const struct px_traced t = {.is.how = m->what == 'd' ? PTX_TRACE_WRITE : PTX_TRACE_READ,
                                .bytes = bytes,
                                .lines = elements / line,
                                .apart = stride ? 0 : bytes,
                                .bits = bits};
    px_emit_trace_as(e, address, &t, stride);
}

void px_emit_wmma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_matrix_move *m = PX_NEW(e->f->coder->keep, struct px_matrix_move);
    const bool store = !in->ndst;
    const struct px_ir_opd *address = &o[in->ndst], *stride = NULL;
    m->form = e->f->matrices.at[in->aux];
    m->what = (uint8_t)in->fact;
    m->col = in->fact & PX_MATRIX_BY_COLUMNS;
    uint32_t n = store ? px_mma_form_regs(&m->form, 'd') : in->ndst, used = 1 + n;
    if (in->nopds > used) stride = &o[used];
    struct px_insn r = move(e, address, store ? o + 1 : o, n, m);
    const uint32_t bits =
        px_mma_bits((enum px_mma_type)(m->what == 'a' || m->what == 'b' ? m->form.a : m->form.d));
    m->unit =
        (uint8_t)(bits == 64                                                                             ? 8
                  : bits == 16 && address->type == PX_SPACE_SHARED && (m->what == 'a' || m->what == 'b') ? 16
                                                                                                         : 4);
    tell_tile(e, address, m, bits, stride);
    if (stride) {
        m->stride_scalar = px_emit_is_scalar(stride);
        r.b = px_emit_place(e, stride);
    } else {
        m->between = own_stride(m);
    }
    px_emit_both(e, px_matrix_wmma, r);
}

void px_emit_wgmma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    struct px_matrix_wgmma *m = PX_NEW(e->f->coder->keep, struct px_matrix_wgmma);
    const struct px_wgmma_words *w = &e->f->wgmmas.at[in->aux];
    struct px_insn r = {.aux = m, .size = PX_WARPGROUP, .space = PX_SPACE_SHARED};
    px_wgmma_form_make(&m->form, w);
    m->product = px_level_product(e->f->coder->level);
    rows(e, o, in->ndst, m->d), o += in->ndst;
    r.c = px_emit_row(e, o++);
    if (w->a_memory)
        r.a = px_emit_row(e, o++);
    else
        rows(e, o, 4, m->a), o += 4;
    r.b = px_emit_row(e, o++);
    if (w->sparse) rows(e, o++, 1, &m->e);
    rows(e, o, in->ndst, m->c);
    px_emit_both(e, px_matrix_wgmma, r);
}
