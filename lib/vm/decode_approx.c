/*
 * decode_approx.c - the approximate instructions: records that run a function of units.h over rows.
 *
 * The table's row names the operation; with .ftz, or in the forms before
 * PTX 1.4 (which flush without saying so), the flushing function is taken.
 * A device made with approx_exact wants the mathematics instead of the chip's
 * interpolation tables: then the functions come from another set. The functions
 * do the whole row; where lanes are masked the result goes through a scratch row.
 */
#include "vm/decode.h"
#include "vm/op_fpmode.h"
#include "vm/units.h"

/* What a record needs at run time (px_insn.aux). */
struct call {
    px_unit_row *row;
    enum px_fixed copy; /* of one row of results under a mask */
};

static int run(struct px_gang *g, const struct px_insn *in)
{
    const struct call *c = in->aux;
    c->row(g->frame + in->d, g->frame + in->a, g->frame + in->b, g->n);
    return PX_STEP_NEXT;
}

static int run_masked(struct px_gang *g, const struct px_insn *in)
{
    const struct call *c = in->aux;
    const struct px_insn copy = {.d = in->d, .a = PX_SCRATCH_D, .m = in->m};
    c->row(g->frame + PX_SCRATCH_D, g->frame + in->a, g->frame + in->b, g->n);
    return g->level->fixed[c->copy][1](g, &copy);
}

/* The operations of the table: which function, plain and with .ftz. Those named _ftz flush always. */
struct operation { enum px_op op; uint8_t plain, ftz; };

#define F32(name)                                                                                           \
    {PX_OP_##name##_f32, PX_UNIT_##name##_f32, PX_UNIT_##name##_ftz_f32},                                   \
    {PX_OP_##name##_ftz_f32, PX_UNIT_##name##_ftz_f32, PX_UNIT_##name##_ftz_f32}
#define ONLY(name) {PX_OP_##name, PX_UNIT_##name, PX_UNIT_##name}
static const struct operation operations[] = {
    F32(rcp), F32(rsqrt), F32(sqrt), F32(ex2), F32(lg2), F32(sin), F32(cos), F32(div),
    {PX_OP_divfull_f32, PX_UNIT_divfull_f32, PX_UNIT_divfull_ftz_f32},
    {PX_OP_rsqrt_f64, PX_UNIT_rsqrt_f64, PX_UNIT_rsqrt_ftz_f64},
    ONLY(tanh_f32), ONLY(rcp_ftz_f64), ONLY(ex2_f16), ONLY(ex2_f16x2), ONLY(ex2_ftz_bf16), ONLY(ex2_ftz_bf16x2),
    ONLY(tanh_f16), ONLY(tanh_f16x2), ONLY(tanh_bf16), ONLY(tanh_bf16x2),
};

static const struct operation *operation_of(enum px_op op)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op) return &operations[i];
    return NULL;
}

static const struct call *call_of(struct px_fn_dec *d, const struct px_dinst *item, const struct operation *op,
                                  enum px_type type)
{
    const struct px_units *units = d->dec->approx_exact ? &px_units_exact : px_level_units(d->dec->level);
    uint32_t elem = px_dec_elem(type);
    struct call *c = px_arena_alloc(d->dec->arena, sizeof *c);
    c->row = units->row[px_dec_has(item, PX_W_ftz) ? op->ftz : op->plain];
    c->copy = elem == 2 ? PX_FIX_copy2 : elem == 4 ? PX_FIX_copy4 : PX_FIX_copy8;
    return c;
}

bool px_dec_approx(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct operation *op = operation_of(item->op);
    if (!op) return false;
    const struct px_operand *o = item->inst->opds;
    enum px_type type = item->match.type[0];
    px_dec_guard(d, item, false);
    struct px_insn in = {.aux = call_of(d, item, op, type)};
    in.a = in.b = px_dec_row(d, &o[1], type);
    if (item->inst->nopds > 2) in.b = px_dec_row(d, &o[2], type);
    in.d = px_dec_dst(d, &o[0], type);
    if ((d->fp & 3) != PX_FP_RN) px_dec_fp(d, PX_FP_RN); /* flushing changes nothing in them */
    px_dec_guarded(d, (const px_handler[2]){run, run_masked}, in);
    px_dec_dst_done(d, &o[0], type, in.d);
    return true;
}
