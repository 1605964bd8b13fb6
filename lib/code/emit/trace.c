/* trace.c - records that tell of accesses to memory (ops/trace.h). */
#include "code/emit/emit.h"
#include "front/print.h"
#include "gang/tally.h"
#include "link/link.h"
#include "ops/trace.h"
#include <string.h>

static const char *as_written(struct px_irfn *f, const struct px_inst *inst)
{
    char text[600];
    px_print_inst(inst, text, sizeof text);
    return px_arena_text(f->coder->keep, text, strlen(text));
}

static void fill(struct px_emitter *e, const struct px_ir_operand *address, ptx_trace_access *is)
{
    struct px_irfn *f = e->f;
    const struct px_inst *inst = f->origins.at[e->in->origin].inst;
    struct px_source source = f->func->module->source; /* its line table is complete: nothing is built here */
    is->struct_size = sizeof *is;
    is->space = px_count_space((enum px_space)address->type);
    is->kernel = f->coder->kernel->name;
    is->function = f->func->name;
    is->instruction = "";
    is->file = source.file;
    if (!inst) return;
    const struct px_place place = px_source_place(&source, inst->pos);
    is->instruction = as_written(f, inst);
    is->line = place.line;
    is->column = place.column;
}

void px_emit_trace_as(struct px_emitter *e, const struct px_ir_operand *address, const struct px_traced *told,
                      const struct px_ir_operand *sizes)
{
    if (!e->f->coder->wishes.traces) return;
    struct px_traced *t = PX_NEW(e->f->coder->keep, struct px_traced);
    struct px_insn r = px_emit_access(e, address, 0);
    *t = *told;
    t->offset = r.imm;
    fill(e, address, &t->is);
    r.aux = t;
    r.m = e->guard;
    if (sizes && t->lines && px_emit_is_scalar(sizes)) {
        r.flags |= PX_IF_NEGATE;
        r.b = px_emit_place(e, sizes);
    } else if (sizes) {
        r.b = px_emit_row(e, sizes);
    }
    px_emit_both(e, px_trace_access, r);
}

void px_emit_trace(struct px_emitter *e, const struct px_ir_operand *address, unsigned how, uint32_t bytes)
{
    px_emit_trace_as(e, address, &(struct px_traced){.is.how = how, .bytes = bytes}, NULL);
}
