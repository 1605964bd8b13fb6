/*
 * divergent.c - the divergent version of a function, from its emission to the first time that lanes part
 * there.
 *
 * Its records are kept as what they differ in from the convergent ones (gang/changes.h), those of lanes that
 * stand aside as what they differ in from the divergent ones: a few bytes instead of 64. Emission holds the
 * newest ones as they are, since a convergent record may still be fused with others.
 */
#include "code/emit/forks.h"
#include "base/alloc.h"
#include "gang/changes.h"

static void push(struct px_emitter *e, const struct px_insn *from, const struct px_insn *to, uint32_t also)
{
    struct px_arena *pass = e->f->coder->pass;
    const uint32_t mark = px_changes_mark(from, to) | also;
    uint32_t words[PX_INSN_WORDS];
    const uint32_t *end = px_changes_take(mark, words, to);
    for (const uint32_t *word = words; word < end; word++) px_vec_push(pass, &e->changes, *word);
    px_vec_push(pass, &e->marks, (uint16_t)mark);
}

/* The words that may become different ones when places are known, although they are the same now: what only
 * one version takes for a block, or fused records for a constant. */
static uint32_t may_change(const struct px_insn *conv, const struct px_insn *div)
{
    const uint32_t target = (conv->flags ^ div->flags) & PX_IF_BLOCK;
    return (target ? 1u << offsetof(struct px_insn, target) / 4 : 0) |
           (conv->source6 & PX_POOL_TAG ? 1u << offsetof(struct px_insn, source6) / 4 : 0) |
           (conv->source5 & PX_POOL_TAG ? 1u << offsetof(struct px_insn, source5) / 4 : 0);
}

void px_emit_pack(struct px_emitter *e, uint32_t pc)
{
    struct px_insn *code = e->f->code->conv;
    const bool convergent = e->f->coder->wishes.engine & PX_ENGINE_convergent;
    for (; e->packed < pc; e->packed++) {
        struct px_insn *conv = &code[e->packed], *div = &e->div[e->packed % PX_EMIT_NEW];
        if (e->packed % PX_EMIT_NEWEST == 0) px_vec_push(e->f->coder->pass, &e->change_at, e->changes.n);
        if (!convergent) *conv = *div;
        push(e, conv, div, may_change(conv, div));
    }
}

void px_emit_packed(struct px_emitter *e, void (*place)(const struct px_emitter *e, struct px_insn *record))
{
    uint32_t *words = e->changes.at;
    for (uint32_t pc = 0; pc < e->n; pc++) {
        struct px_insn *conv = &e->f->code->conv[pc], div = *conv;
        px_changes_apply(e->marks.at[pc], words, &div);
        place(e, conv);
        place(e, &div);
        words = px_changes_take(e->marks.at[pc], words, &div);
    }
}

void px_emit_unpack(const struct px_emitter *e, uint32_t pc, uint32_t n, struct px_insn *to)
{
    const struct px_insn *conv = e->f->code->conv + pc;
    const uint32_t near = pc - pc % PX_EMIT_NEWEST;
    const uint32_t *words = e->changes.at + e->change_at.at[pc / PX_EMIT_NEWEST];
    for (uint32_t i = near; i < pc; i++) words += __builtin_popcount(e->marks.at[i]);
    memcpy(to, conv, n * sizeof *to);
    for (uint32_t i = 0; i < n; i++) words = px_changes_apply(e->marks.at[pc + i], words, &to[i]);
}

struct px_insn px_emit_div(const struct px_emitter *e, uint32_t pc)
{
    struct px_insn record;
    px_emit_unpack(e, pc, 1, &record);
    return record;
}

uint32_t px_emit_aside(struct px_emitter *e, uint32_t first, uint32_t n, const struct px_insn *code)
{
    struct px_fcode *f = e->f->code;
    const uint32_t at = f->ndiv;
    for (uint32_t i = 0; i < n; i++) {
        const struct px_insn div = px_emit_div(e, first + i);
        push(e, &div, &code[i], 0);
    }
    px_vec_push(e->f->coder->pass, &e->aside, ((struct px_aside){first, n}));
    f->ndiv += n + 1;
    return at;
}

void px_emit_keep_div(struct px_emitter *e)
{
    struct px_fcode *code = e->f->code;
    struct px_arena *keep = e->f->coder->keep, *pass = e->f->coder->pass;
    px_vec_move(keep, pass, &e->marks);
    px_vec_move(keep, pass, &e->changes);
    px_vec_move(keep, pass, &e->aside);
    code->marks = e->marks.at;
    code->changes = e->changes.at;
    code->aside = e->aside.at;
    code->naside = e->aside.n;
}

/* ---- when lanes part ---- */

struct px_insn *px_div_make(const struct px_fcode *code, const struct ptx_allocator *alloc)
{
    struct px_insn *div = px_alloc(alloc, code->ndiv * sizeof *div), *to = div;
    const uint32_t *words = code->changes;
    const uint16_t *mark = code->marks;
    if (!div) return NULL;
    for (uint32_t pc = 0; pc < code->n; pc++, to++) {
        *to = code->conv[pc];
        words = px_changes_apply(*mark++, words, to);
    }
    for (uint32_t i = 0; i < code->naside; i++) {
        const struct px_aside *a = &code->aside[i];
        for (uint32_t k = 0; k < a->n; k++, to++) {
            *to = div[a->from + k];
            words = px_changes_apply(*mark++, words, to);
        }
        *to++ = (struct px_insn){.fn = px_forks_leave};
    }
    px_forks_name(code, div);
    return div;
}
