/*
 * lower/wgmma.c - wgmma (PTX ISA 9.7.15).
 *
 * The operands of the IR are the registers of d, scale-d, the descriptor of A or its four registers, the
 * descriptor of B, the metadata of a sparse product, and the registers of d again, which are read; `aux` is
 * the index in px_irfn.wgmmas. The operands of the text are found from their ends: what stands behind scale-d
 * depends on the types.
 */
#include "code/lower/lower.h"
#include "code/lower/matrix.h"
#include "gang/fpmode.h"
#include "gen/isa_ops.h"
#include "ops/matrix.h"

enum { OPERANDS_MAX = 2 * PX_WGMMA_REGS_MAX + 8 };

/* A constant operand of the text: what PTX calls an immediate. */
static int64_t constant(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o)
{
    uint64_t v = 0;
    if (!px_lower_value(f, o, PX_T_S32, &v)) px_code_fail(f, b->inst, "has an operand that is no constant");
    return (int32_t)v;
}

/* The factors' signs and majors, behind scale-d: [a, b [, [a,] b]]. */
static void read_constants(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                           uint32_t n, struct px_wgmma_words *w)
{
    if (n < 2) return;
    w->a_minus = constant(f, b, &o[0]) < 0, w->b_minus = constant(f, b, &o[1]) < 0;
    if (n == 4) w->a_across = constant(f, b, &o[2]) != 0;
    if (n > 2) w->b_across = constant(f, b, &o[n - 1]) != 0;
}

static struct px_wgmma_words read_words(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_inst *inst = b->inst;
    struct px_matrix_words said = px_matrix_words(&b->match);
    struct px_wgmma_words w = {
        .n = said.n, .k = said.k, .d = said.types[0], .a = said.types[1], .b = said.types[2]};
    w.sparse = px_bound_has(b, PX_W_sp);
    w.a_memory = inst->opds[1].kind != PX_O_VEC;
    if (px_bound_has(b, PX_W_satfinite)) w.flags |= PX_MMA_SATURATE;
    if (w.sparse) w.selector = (uint8_t)constant(f, b, &inst->opds[4]);
    uint32_t behind = w.sparse ? 6 : 4;
    read_constants(f, b, inst->opds + behind, inst->nopds - behind, &w);
    return w;
}

static void product(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_operand *o = b->inst->opds;
    const struct px_wgmma_words w = read_words(f, b);
    struct px_ir_operand opds[OPERANDS_MAX];
    uint32_t n = px_matrix_results(f, b, &o[0], w.d, PX_WGMMA_REGS_MAX, opds), ndst = n;
    opds[n++] = px_lower_row(f, px_lower_src(f, b, &o[w.sparse ? 5 : 3], PX_T_PRED));
    if (w.a_memory)
        opds[n++] = px_lower_row(f, px_lower_src(f, b, &o[1], PX_T_U64));
    else
        n += px_matrix_sources(f, b, &o[1], w.a, 4, opds + n);
    opds[n++] = px_lower_row(f, px_lower_src(f, b, &o[2], PX_T_U64));
    if (w.sparse) opds[n++] = px_lower_row(f, px_lower_src(f, b, &o[3], PX_T_B32));
    n += px_matrix_sources(f, b, &o[0], w.d, PX_WGMMA_REGS_MAX, opds + n);
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_TABLE | PX_OP_wgmma, opds, ndst, n);
    in->fp = PX_FP_RN;
    if (w.d == PX_MMA_F32) in->flags |= PX_IR_INST_NUMBER;
    in->aux = f->wgmmas.n;
    px_vec_push(f->coder->scratch, &f->wgmmas, w);
    px_matrix_results_done(f, b, &o[0], opds);
}

void px_lower_wgmma(struct px_irfn *f, const struct px_bound *bound)
{
    struct px_bound b = *bound;
    uint32_t around = px_lower_around(f, bound);
    b.guard = PX_NONE32;
    f->coder->least_width = PX_WARPGROUP;
    product(f, &b);
    px_lower_around_end(f, around);
}

/* wgmma.fence, commit_group, wait_group: products are done when they are issued, so these are only reported.
 */
void px_lower_wgmma_sync(struct px_irfn *f, const struct px_bound *b)
{
    uint64_t n = 0;
    if (!f->coder->wishes.traces) return;
    if (b->inst->nopds) px_lower_value(f, &b->inst->opds[0], PX_T_U32, &n);
    px_lower_inst(f, PX_IR_TABLE | PX_OP_fence, NULL, 0, 0)->aux = (uint32_t)n;
}
