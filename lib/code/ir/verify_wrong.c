/* verify_wrong.c - the first thing that is wrong, with the instruction that is to blame. */
#include "code/ir/verify_own.h"
#include <stdarg.h>

void px_verify_wrong(struct px_verify *v, const struct px_ir_inst *in, const char *format, ...)
{
    va_list list;
    if (v->why) return;
    va_start(list, format);
    v->why = px_arena_vprintf(v->arena, format, list);
    va_end(list);
    if (!in) return;
    struct px_ir_text text = {.arena = v->arena};
    const bool fit = in->first <= v->f->opds.n && in->nopds <= v->f->opds.n - in->first;
    if (fit && !v->broken) px_ir_print_inst(&text, v->f, in);
    v->why = px_arena_printf(v->arena, "%s: instruction %u, %s", v->why, (uint32_t)(in - v->f->insts.at),
                             text.out.at ? text.out.at + 2 : "whose operands are none");
}
