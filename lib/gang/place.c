/*
 * place.c - where an instruction stands, in words.
 *
 * An instruction has a place in the PTX text. Where the PTX was made with line
 * information, .loc directives before it tell the line of the source, and the
 * calls that were inlined there. A frame remembers the call that made it, so
 * following the frames gives the chain of calls. Texts go to buffers of the
 * caller and are cut off where those end; nothing is allocated.
 */
#include "gang/place.h"
#include "link/link.h"
#include "gang/gang.h"
#include <stdarg.h>
#include <stdio.h>

enum { INLINE_DEPTH = 16 };

/* ---- text ---- */

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    const size_t step = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += step;
    t->left -= step;
}

/* ---- .loc ---- */

struct search {
    const struct px_inst *inst;
    const struct px_loc *last;  /* before inst */
    const struct px_loc *match; /* with the file, line and column of `of`, inlined itself */
    const struct px_loc *of;
    bool found;
};

static bool same_place(const struct px_loc *l, const struct px_loc *of)
{
    return l != of && l->inlined_line && l->file == of->inlined_file && l->line == of->inlined_line &&
           l->column == of->inlined_column;
}

static void search_locs(const struct px_block *block, struct search *s)
{
    for (uint32_t i = 0; i < block->n && !s->found; i++) {
        const struct px_stmt *st = block->list[i];
        if (st->kind == PX_S_BLOCK) search_locs(&st->u.block, s);
        if (st->kind == PX_S_LOC && !st->u.loc.intermediate && !s->of) s->last = &st->u.loc;
        if (st->kind == PX_S_LOC && !st->u.loc.intermediate && s->of && same_place(&st->u.loc, s->of)) {
            s->match = &st->u.loc;
            s->found = true;
        }
        if (st->kind == PX_S_INST && &st->u.inst == s->inst) s->found = true;
    }
}

const char *px_place_file(const struct ptx_module *module, uint32_t index)
{
    for (uint32_t i = 0; i < module->tree.nitems; i++) {
        const struct px_item *item = &module->tree.items[i];
        if (item->kind == PX_I_FILE && item->u.file->index == index) return item->u.file->name;
    }
    return "?";
}

static void add_source(struct text *t, const struct px_lfunc *func, const struct px_inst *inst)
{
    struct search s = {.inst = inst};
    const struct px_block *body = func->fn ? func->fn->func->body : NULL;
    if (!body || !inst) return;
    search_locs(body, &s);
    const struct px_loc *at = s.found ? s.last : NULL;
    if (at) add(t, "%s:%u", px_place_file(func->module, at->file), at->line);
    for (int depth = 0; at && at->inlined_line && depth < INLINE_DEPTH; depth++) {
        add(t, " (inlined at %s:%u)", px_place_file(func->module, at->inlined_file), at->inlined_line);
        struct search outer = {.of = at};
        search_locs(body, &outer);
        at = outer.match;
    }
}

void px_place_source(const struct px_lfunc *func, const struct px_inst *inst, char *buf, size_t size)
{
    struct text t = {buf, size};
    *buf = 0;
    add_source(&t, func, inst);
}

static void add_line(struct text *t, const struct px_lfunc *func, const struct px_inst *inst)
{
    struct px_source source = func->module->source; /* its line table is complete: nothing is built here */
    char loc[300];
    add(t, "%s%s%u", source.file, px_source_mark_line(source.file),
        inst ? px_source_place(&source, inst->pos).line : 0);
    px_place_source(func, inst, loc, sizeof loc);
    if (*loc) add(t, " (%s)", loc);
}

void px_place_line(const struct px_lfunc *func, const struct px_inst *inst, char *buf, size_t size)
{
    struct text t = {buf, size};
    add_line(&t, func, inst);
}

/* ---- calls ---- */

uint32_t px_place_calls(const struct px_frame *frame, struct px_call_at calls[PX_CALLS_TOLD])
{
    const uint32_t depth = frame->depth;
    for (uint32_t i = 0; i < PX_CALLS_TOLD && frame->parent; i++, frame = frame->parent) {
        const struct px_fcode *code = frame->parent->code;
        const uint32_t call =
            frame->ret_pc ? frame->ret_pc - 1 : 0; /* the record before the one to return to */
        calls[i] = (struct px_call_at){code->func, code->src[code->conv[call].src].inst};
    }
    return depth;
}

void px_place_chain(const struct px_call_at calls[PX_CALLS_TOLD], uint32_t depth, char *buf, size_t size)
{
    struct text t = {buf, size};
    *buf = 0;
    for (uint32_t i = 0; i < depth && i < PX_CALLS_TOLD; i++) {
        add(&t, "%scalled from %s at ", i ? ", " : "", calls[i].caller->name);
        add_line(&t, calls[i].caller, calls[i].inst);
    }
    if (depth > PX_CALLS_TOLD) add(&t, ", and %u calls more", depth - PX_CALLS_TOLD);
}
