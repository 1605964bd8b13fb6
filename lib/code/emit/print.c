/*
 * print.c - records as text, one line each: pc, handler, and what it names in the frame.
 *
 * Places in the frame are told as what lies there, so that the text is the same for every width: "row 8" is
 * the row that begins at byte 8 of those of a lane, as the IR says it (docs/ir.md). A record of the divergent
 * version follows where it is another one.
 */
#include "code/emit/names.h"
#include "code/emit/emit.h"
#include "code/code.h"
#include "front/print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_constant(struct px_ir_text *t, const struct px_fcode *code, uint32_t at)
{
    uint64_t value;
    memcpy(&value, code->pool_image + at, sizeof value);
    px_ir_text_add(t, "0x%" PRIx64, value);
}

static bool add_term(struct px_ir_text *t, const struct px_fcode *code, uint32_t at)
{
    for (uint32_t i = 0; i < code->nterms; i++) {
        const bool row = at == code->terms[i].row;
        if (!row && at - code->terms[i].facts >= sizeof(struct px_lane_facts)) continue;
        px_ir_text_add(t, row ? "term %u" : "facts %u", i);
        return true;
    }
    return false;
}

static void add_place(struct px_ir_text *t, const struct px_irfn *f, uint32_t at)
{
    const struct px_fcode *code = f->code;
    char name[32];
    const uint32_t slots = code->surveys + code->nsurveys * (uint32_t)sizeof(struct px_survey);
    if (at == 0)
        px_ir_text_add(t, "mask");
    else if (at < PX_FRAME_HEAD)
        px_ir_text_add(t, "scratch");
    else if (at < code->uniform + sizeof(struct px_uniform))
        px_ir_text_add(t, "{%s}", px_ir_uniform_name(at - code->uniform, name, sizeof name));
    else if (at < code->surveys)
        px_ir_text_add(t, "{param+%u}", at - code->params);
    else if (at < slots)
        px_ir_text_add(t, "survey %u", 1 + (at - code->surveys) / (uint32_t)sizeof(struct px_survey));
    else if (at < code->rows)
        px_ir_text_add(t, "slot %u", (at - slots) / 8);
    else if (at >= code->pool && at + 8 <= code->pool + code->pool_bytes)
        add_constant(t, code, at - code->pool);
    else if (!add_term(t, code, at))
        px_ir_text_add(t, at < code->rows + f->row_bytes * code->width ? "row %u" : "own %u",
                       (at - code->rows) / code->width);
}

static void add_field(struct px_ir_text *t, const struct px_irfn *f, const char *name, uint32_t at)
{
    if (!at) return;
    px_ir_text_add(t, " %s=", name);
    add_place(t, f, at);
}

/* A place, or one of the small numbers that records have there instead (gang/record.h). */
static void add_more(struct px_ir_text *t, const struct px_irfn *f, const char *name, uint32_t value)
{
    if (value >= PX_FRAME_HEAD)
        add_field(t, f, name, value);
    else if (value)
        px_ir_text_add(t, " %s=%u", name, value);
}

/* Addresses of the host's are other ones each time: they are not told. */
static bool is_number(uint64_t value)
{
    return value < 1ull << 32 || value >= 1ull << 47;
}

static void add_handler(struct px_ir_text *t, const struct px_irfn *f, px_handler fn, uint32_t src)
{
    const struct px_inst *inst = f->code->src[src].inst;
    char name[300];
    if (px_handler_name(f->coder->level, fn, name, sizeof name))
        px_ir_text_add(t, "%s", name);
    else
        px_ir_text_add(t, "(%s)", inst ? inst->opcode->text : "none");
}

static bool is_branch(const struct px_level *level, px_handler fn)
{
    bool is = false;
    for (unsigned v = 0; v < 4; v++)
        is |= fn == level->fixed[PX_FIX_branch][v] || fn == level->fixed[PX_FIX_branch_not][v];
    return is;
}

/* Of a branch a pc, of others a place. */
static void add_target(struct px_ir_text *t, const struct px_irfn *f, const struct px_insn *r, bool branches)
{
    if (branches)
        px_ir_text_add(t, " to %u", r->target);
    else
        add_field(t, f, "knows", r->survey);
}

static void add_numbers(struct px_ir_text *t, const struct px_insn *r)
{
    if (r->bytes) px_ir_text_add(t, " bytes=%u", r->bytes);
    if (r->space) px_ir_text_add(t, " %s", px_ir_space_name(r->space));
    if (r->extent) px_ir_text_add(t, " extent=%u", r->extent);
    if (r->flags) px_ir_text_add(t, " flags=%u", r->flags);
}

static void add_record(struct px_ir_text *t, const struct px_irfn *f, const struct px_insn *r)
{
    const struct px_level *level = f->coder->level;
    const bool blends = r->fn == level->fixed[PX_FIX_blend][1];
    const bool branches = is_branch(level, r->fn) || px_emit_targets(r);
    add_handler(t, f, r->fn, r->src);
    if (r->fn == px_emit_no_record) {
        px_ir_text_add(t, "\n");
        return;
    }
    if (blends) {
        px_ir_text_add(t, " ");
        add_handler(t, f, r->inner, r->src);
    }
    add_field(t, f, "d", r->d);
    add_field(t, f, "e", r->e);
    add_field(t, f, "a", r->a);
    add_field(t, f, "b", r->b);
    add_field(t, f, "c", r->c);
    add_field(t, f, "m", r->m);
    add_more(t, f, branches || !r->survey ? "source4" : "offset", r->source4);
    add_more(t, f, "source5", r->source5);
    if (r->imm && !blends && is_number(r->imm)) px_ir_text_add(t, " imm=0x%" PRIx64, r->imm);
    add_target(t, f, r, branches);
    add_numbers(t, r);
    px_ir_text_add(t, "\n");
}

static bool is_same(const struct px_insn *a, const struct px_insn *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static void add_aside(struct px_ir_text *t, const struct px_irfn *f, const struct px_insn *div)
{
    const struct px_fcode *code = f->code;
    uint32_t at = code->n;
    for (uint32_t i = 0; i < code->naside; i++) {
        const struct px_aside *a = &code->aside[i];
        px_ir_text_add(t, "aside %u..%u\n", a->from, a->from + a->n - 1);
        for (uint32_t k = 0; k < a->n; k++, at++) {
            px_ir_text_add(t, "%6u ", a->from + k);
            add_record(t, f, &div[at]);
        }
        at++; /* what stops */
    }
}

static void add_forks(struct px_ir_text *t, const struct px_fcode *code)
{
    for (uint32_t i = 0; i < code->nforks; i++) {
        const struct px_fork *k = &code->forks[i];
        px_ir_text_add(t, "fork at %u", k->at);
        if (k->other.insts) px_ir_text_add(t, " other %u..%u", k->other.first, k->other.end - 1);
        if (k->taken.insts) px_ir_text_add(t, " taken %u..%u", k->taken.first, k->taken.end - 1);
        px_ir_text_add(t, " join %u%s\n", k->join, k->inside ? " inside" : "");
    }
    for (uint32_t i = 0; i < code->nloops; i++) {
        const struct px_loop *l = &code->loops[i];
        px_ir_text_add(t, "loop %u..%u%s%s\n", l->head, l->end - 1, l->whole ? " whole" : "",
                       l->masked ? " masked" : "");
    }
}

void px_emit_print(struct px_ir_text *t, const struct px_irfn *f)
{
    const struct px_fcode *code = f->code;
    const struct ptx_allocator *alloc = &f->coder->keep->alloc;
    struct px_insn *div = px_div_make(code, alloc);
    uint32_t src = PX_NONE32;
    px_ir_text_add(t, "%s %s after records\n", f->func->is_entry ? "kernel" : "function", f->func->name);
    add_forks(t, code);
    for (uint32_t pc = 0; pc < code->n; pc++) {
        const struct px_insn *r = &code->conv[pc];
        if (r->src != src) px_ir_print_origin(t, f, src = r->src);
        px_ir_text_add(t, "%6u ", pc);
        add_record(t, f, r);
        if (!div || is_same(r, &div[pc])) continue;
        px_ir_text_add(t, "     / ");
        add_record(t, f, &div[pc]);
    }
    if (div) add_aside(t, f, div);
    px_free(alloc, div, code->ndiv * sizeof *div);
}
