/* emit/matrix.c - records of matrix instructions: what lower/matrix.c made, with rows for registers. */
#include "code/emit/emit.h"
#include "ops/matrix.h"
#include "ops/trace.h"

static void rows(struct px_emitter *e, const struct px_ir_operand *o, uint32_t n, uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++) to[i] = px_emit_row(e, &o[i]);
}

/* Are the registers of c, which is read, those of d? */
static bool in_place(const struct px_ir_operand *c, const struct px_ir_operand *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (px_ir_register(&c[i].is) != px_ir_register(&d[i].is)) return false;
    return true;
}

void px_emit_mma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_matrix_form *f = e->f->matrices.at[in->aux].form;
    const uint32_t read = in->ndst + f->na + f->nb;
    const bool same = f->nc == in->ndst && in_place(&o[read], o, f->nc);
    const uint32_t n = read + (same ? 0 : f->nc);
    const size_t size = sizeof(struct px_matrix_mma) + n * sizeof(uint32_t);
    struct px_matrix_mma *m = px_emit_node(e, size);
    struct px_insn r = {.c = same ? 0 : read, .group = PX_WARP};
    m->form = f;
    rows(e, o, n, m->row);
    if (f->is.sparse) r.metadata = px_emit_row(e, &o[read + f->nc]);
    r.aux = px_emit_kept(e, m, size);
    px_emit_record(e, px_matrix_mma, r);
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
    const struct px_mma_form *f = &m->form->is;
    if (m->what == 'a') return m->col ? rows_of_a(f) : f->op.k;
    if (m->what == 'b') return m->col ? f->op.k : cols_of_b(f);
    return m->col ? rows_of_a(f) : cols_of_b(f);
}

static uint32_t elements_of(const struct px_matrix_move *m)
{
    const struct px_mma_form *f = &m->form->is;
    if (m->what == 'a') return rows_of_a(f) * f->op.k;
    return (m->what == 'b' ? f->op.k : rows_of_a(f)) * cols_of_b(f);
}

static void tell_tile(struct px_emitter *e, const struct px_ir_operand *address,
                      const struct px_matrix_move *m, uint32_t bits, const struct px_ir_operand *stride)
{
    const uint32_t line = own_stride(m), elements = elements_of(m), bytes = line * bits / 8;
    const struct px_traced t = {.how = m->what == 'd' ? PTX_TRACE_WRITE : PTX_TRACE_READ,
                                .bytes = bytes,
                                .lines = elements / line,
                                .apart = stride ? 0 : bytes,
                                .bits = bits};
    px_emit_trace_as(e, address, &t, stride);
}

void px_emit_wmma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_matrix_form *f = e->f->matrices.at[in->aux].form;
    const bool store = !in->ndst;
    const struct px_ir_operand *address = &o[in->ndst], *stride = NULL;
    const uint32_t n = store ? f->nd : in->ndst, used = 1 + n;
    const size_t size = sizeof(struct px_matrix_move) + n * sizeof(uint32_t);
    struct px_matrix_move *m = px_emit_node(e, size);
    struct px_insn r = {.a = px_emit_place(e, address), .group = PX_WARP, .space = address->type};
    m->form = f;
    m->what = (uint8_t)in->fact;
    m->col = in->fact & PX_MATRIX_BY_COLUMNS;
    if (in->nopds > used) stride = &o[used];
    if (address->base != PX_IR_IMM) m->offset = address->value;
    if (address->base != PX_IR_REG) r.flags |= PX_INSN_SCALAR_A;
    m->regs = (uint8_t)n;
    rows(e, store ? o + 1 : o, n, m->row);
    const uint32_t bits =
        px_mma_bits((enum px_mma_type)(m->what == 'a' || m->what == 'b' ? f->is.a : f->is.d));
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
    r.aux = px_emit_kept(e, m, size);
    px_emit_record(e, px_matrix_wmma, r);
}

void px_emit_wgmma(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_wgmma_words *w = &e->f->wgmmas.at[in->aux];
    const uint32_t n = in->ndst, na = w->a_memory ? 0 : 4;
    const struct px_ir_operand *scale = o + n, *a = scale + 1, *b = a + (na ? na : 1), *c = b + 1 + w->sparse;
    const bool same = in_place(c, o, n);
    const size_t size = sizeof(struct px_matrix_wgmma) + (n + na + (same ? 0 : n)) * sizeof(uint32_t);
    struct px_matrix_wgmma *m = px_emit_node(e, size);
    struct px_insn r = {.group = PX_WARPGROUP, .space = PX_SPACE_SHARED};
    px_wgmma_form_make(&m->form, w);
    m->product = px_level_product(e->f->coder->level);
    m->at = px_emit_trace_place(e);
    rows(e, o, n, m->row);
    r.c = px_emit_row(e, scale);
    if (w->a_memory) r.a = px_emit_row(e, a);
    rows(e, a, na, m->row + n);
    r.b = px_emit_row(e, b);
    if (w->sparse) r.metadata = px_emit_row(e, b + 1);
    if (!same) {
        r.d = n + na;
        rows(e, c, n, m->row + r.d);
    }
    r.aux = px_emit_kept(e, m, size);
    px_emit_record(e, px_matrix_wgmma, r);
}
