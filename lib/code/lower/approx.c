/*
 * lower/approx.c - the approximate instructions: approx/levels.h's functions over rows.
 *
 * The table's row names the operation; with .ftz, or in the forms before PTX
 * 1.4 (which flush without saying so), the flushing function is taken.
 */
#include "code/lower/lower.h"
#include "approx/levels.h"
#include "gen/isa_ops.h"

static void unit(struct px_irfn *f, const struct px_bound *b, enum px_unit plain, enum px_unit ftz)
{
    const struct px_operand *o = b->inst->opds;
    enum px_type type = b->match.type[0];
    struct px_ir_operand opds[3] = {px_lower_dst(f, b, &o[0], type)};
    for (unsigned i = 1; i < b->inst->nopds && i < 3; i++) {
        opds[i] = px_lower_row(f, px_lower_src(f, b, &o[i], type));
        if (type == PX_T_F32) opds[i].base = PX_IR_NUMBER;
    }
    struct px_ir_inst *in = px_lower_guarded(f, b, PX_IR_UNIT, opds, 1, b->inst->nopds);
    in->fact = (uint16_t)(px_bound_has(b, PX_W_ftz) ? ftz : plain);
    in->fp = PX_IR_FP_NEAREST;
    if (type == PX_T_F32) in->flags |= PX_IR_INST_NUMBER;
    px_lower_done(f, b, &o[0], opds[0]);
}

#define UNIT(name, plain, ftz)                                                                               \
    void px_lower_##name(struct px_irfn *f, const struct px_bound *b)                                        \
    {                                                                                                        \
        unit(f, b, PX_UNIT_##plain, PX_UNIT_##ftz);                                                          \
    }
#define F32(name)                                                                                            \
    UNIT(name##_f32, name##_f32, name##_ftz_f32)                                                             \
    UNIT(name##_ftz_f32, name##_ftz_f32, name##_ftz_f32)
#define ONLY(name) UNIT(name, name, name)

F32(rcp)
F32(rsqrt)
F32(sqrt)
F32(ex2)
F32(lg2)
F32(sin)
F32(cos)
F32(div)
UNIT(divfull_f32, divfull_f32, divfull_ftz_f32)
UNIT(rsqrt_f64, rsqrt_f64, rsqrt_ftz_f64)
ONLY(tanh_f32)
ONLY(rcp_ftz_f64)
ONLY(ex2_f16)
ONLY(ex2_f16x2)
ONLY(ex2_ftz_bf16)
ONLY(ex2_ftz_bf16x2)
ONLY(tanh_f16)
ONLY(tanh_f16x2)
ONLY(tanh_bf16)
ONLY(tanh_bf16x2)
