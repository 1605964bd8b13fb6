/*
 * emit/async.c - records of cp.async and mbarrier.
 *
 * A wait in a loop that only asks again may sleep as long as it likes: nobody
 * can tell (docs/async.md).
 */
#include "code/emit/emit.h"
#include "code/ir/asks.h"
#include "gen/isa_ops.h"
#include "ops/async.h"
#include "ops/mbarrier.h"
#include "ops/trace.h"

/* What is read, by the row of sizes, then what is written. */
static void tell_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand from = {.kind = PX_IR_ADDRESS,
                                       .type = PX_SPACE_GLOBAL,
                                       .base = o[1].kind,
                                       .at = o[1].at,
                                       .value = o[1].kind == PX_IR_IMM ? o[1].value + in->aux : in->aux};
    px_emit_trace_as(e, &from, &(struct px_traced){.how = PTX_TRACE_READ | PTX_TRACE_ASYNC}, &o[2]);
    px_emit_trace(e, &o[0], PTX_TRACE_WRITE | PTX_TRACE_ASYNC, o[0].elem);
}

void px_emit_async_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    tell_copy(e, in, o);
    struct px_insn r = px_emit_access(e, &o[0], o[0].elem);
    r.extent = (uint8_t)(e->slots++ % 7); /* of what it reads: global memory */
    r.b = px_emit_row(e, &o[1]);
    r.c = px_emit_row(e, &o[2]);
    r.m = e->guard;
    r.distance = (uint32_t)in->aux;
    px_emit_record(e, px_async_copy, r);
}

void px_emit_cp_async_wait(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)o;
    px_emit_guard(e, true);
    px_emit_record(e, px_async_wait, (struct px_insn){.m = e->guard, .imm = in->aux, .wait = in->fact});
    px_emit_trace_order(e, PTX_TRACE_WAIT, in->aux, in->fact & PX_ASYNC_ALL);
}

void px_emit_mbarrier_wait(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_insn r = px_emit_access(e, &o[1], 8);
    r.d = px_emit_place(e, &o[0]);
    r.b = px_emit_place(e, &o[2]);
    r.wait = in->fact | (px_emit_is_scalar(&o[2]) ? PX_WAIT_SCALAR : 0);
    if (px_loop_asks(e->f, e->f->graph.node_of[in - e->f->insts.at], PX_OP_mbarrier_wait) == in)
        r.flags |= PX_INSN_ALONE;
    px_emit_record(e, px_mbarrier_wait, r);
    const struct px_traced t = {.how = PTX_TRACE_READ | PTX_TRACE_ATOMIC, .bytes = 8, .masked = r.d};
    px_emit_trace_as(e, &o[1], &t, NULL);
}
