/* emit/operands.c - records of operations that are one function: what lower/operands.c made, with rows for
 * registers. */
#include "code/emit/emit.h"
#include "code/emit/op_handlers.h"
#include "ops/operands.h"
#include "ops/trace.h"

static const px_handler handlers[] = {
#define PX_NAMED_HANDLER(number, name) [number] = px_op_##name,
#include "gen/op_handlers.inc"
#undef PX_NAMED_HANDLER
};

/* Of a fragment's n matrices each is 8 rows, whose addresses 8 lanes of the warp have. */
static void tell(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *address,
                 const struct px_ir_operand *values, uint32_t n)
{
    struct px_traced t = {.how = in->fact, .bytes = address->elem};
    if (!in->fact) return;
    if (px_ir_flags(in->op) & PX_OPERATION_fragment) t.first = 8 * n;
    if (t.first && in->fact & PTX_TRACE_WRITE)
        px_emit_trace_matrix(e, address, &t, values, n);
    else
        px_emit_trace_as(e, address, &t, NULL);
}

void px_emit_operands(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_ir_operand *address = NULL;
    for (uint32_t i = 0; i < in->nopds; i++)
        if (o[i].kind == PX_IR_ADDRESS) address = &o[i];
    const uint32_t n = in->nopds - (address != NULL);
    const size_t size = sizeof(struct px_operands) + n * sizeof(uint32_t);
    struct px_operands *rows = px_emit_node(e, size);
    struct px_insn r = {0};
    rows->match = e->f->matches.at[in->aux];
    rows->ndst = in->ndst;
    rows->told = px_emit_trace_place(e);
    px_emit_guard(e, true);
    if (address) tell(e, in, address, address == o ? o + 1 : o, n);
    if (address) r = px_emit_access(e, address, address->elem);
    for (uint32_t i = 0; i < in->nopds; i++)
        if (&o[i] != address) rows->row[rows->n++] = px_emit_row(e, &o[i]);
    if (px_ir_flags(in->op) & PX_OPERATION_waits) r.group = PX_WARP;
    r.c = px_emit_constant(e, (uint64_t)(uintptr_t)px_emit_kept(e, rows, size), NULL);
    r.m = e->guard;
    px_emit_record(e, handlers[in->op & ~PX_IR_KIND], r);
    if (handlers[in->op & ~PX_IR_KIND] == px_op_cp_async_commit)
        px_emit_trace_order(e, PTX_TRACE_COMMIT, 0, 0);
}
