/*
 * canon.c - where the host's NaNs become the chip's.
 *
 * f32 arithmetic of the chip gives one NaN, 0x7fffffff; the host's gives others, and to look for them behind
 * every instruction would cost more than many instructions do. So a register is one of two kinds. A *lazy*
 * one holds nothing but results of f32 arithmetic, copies of lazy registers, and constants that are no NaN:
 * every NaN in it stands for the chip's, and is made that one when an instruction looks at its bits. All
 * others are *exact*: they may hold words that other instructions made or that were loaded, and of those no
 * bit may change, whatever they look like. Arithmetic that defines an exact register is made canonical there,
 * and what is copied into one is before.
 */
#include "code/ir/edit.h"

static bool lazy_source(const struct px_irfn *f, const struct px_ir_opd *o)
{
    if (o->kind == PX_IR_REG) return o->base == PX_IR_COPIED && f->regs.at[o->at].lazy;
    return o->kind == PX_IR_IMM && (f->values.at[o->at] & 0x7fffffffu) <= 0x7f800000u;
}

/* Are all NaNs of the result the chip's, or standing for it? */
static bool makes_lazy(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    const uint32_t copied = in->op == PX_IR_COPY ? 1 : in->flags & PX_IR_INST_COPIES ? 2 : 0;
    if (in->flags & PX_IR_INST_NUMBER) return true;
    for (uint32_t k = in->ndst; k < in->ndst + copied; k++)
        if (o[k].elem != 4 || !lazy_source(f, &o[k])) return false;
    return copied > 0;
}

struct lazy {
    struct px_irfn *f;
    struct px_flow_lists copiers; /* by register: instructions that copy it */
    uint32_t *work, n;            /* registers that became exact */
};

static void make_exact(struct lazy *l, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(l->f, in);
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG || !l->f->regs.at[o[k].at].lazy) continue;
        l->f->regs.at[o[k].at].lazy = false;
        l->work[l->n++] = o[k].at;
    }
}

static bool is_copied(const struct px_ir_opd *o)
{
    return o->kind == PX_IR_REG && o->base == PX_IR_COPIED;
}

/* Counts the registers that the instruction copies, or adds the instruction to their lists. */
static void list_copier(struct lazy *l, uint32_t i, bool adding)
{
    const struct px_ir_inst *in = &l->f->insts.at[i];
    const struct px_ir_opd *o = px_ir_opds(l->f, in);
    for (uint32_t k = in->ndst; k < in->nopds; k++) {
        if (!is_copied(&o[k])) continue;
        if (adding)
            px_flow_lists_add(&l->copiers, o[k].at, i);
        else
            px_flow_lists_count(&l->copiers, o[k].at);
    }
}

static void list_copiers(struct lazy *l)
{
    px_flow_lists_place(&l->copiers, l->f->coder->pass, l->f->regs.n);
    for (uint32_t i = 0; i < l->f->insts.n; i++) list_copier(l, i, true);
}

/* The greatest set of lazy registers. */
static void find_lazy(struct px_irfn *f)
{
    struct px_arena *pass = f->coder->pass;
    struct lazy l = {f, px_flow_lists_begin(pass, f->regs.n), PX_NEW_N(pass, uint32_t, f->regs.n + 1), 0};
    for (uint32_t r = 0; r < f->regs.n; r++) {
        struct px_ir_reg *reg = &f->regs.at[r];
        reg->lazy = reg->elem == 4 && reg->type != PX_T_PRED && reg->type != PX_T_NONE;
    }
    for (uint32_t i = 0; i < f->insts.n; i++) {
        if (!makes_lazy(f, &f->insts.at[i])) make_exact(&l, &f->insts.at[i]);
        list_copier(&l, i, false);
    }
    if (l.n) list_copiers(&l);
    while (l.n) {
        uint32_t r = l.work[--l.n];
        for (uint32_t k = l.copiers.first[r]; k < l.copiers.first[r + 1]; k++) {
            const struct px_ir_inst *in = &f->insts.at[l.copiers.to[k]];
            if (!makes_lazy(f, in)) make_exact(&l, in);
        }
    }
}

/* ---- records ---- */

struct rewrite {
    struct px_irfn *f;
    struct px_ir_edit edit;
    uint32_t *clean; /* by register: block + 1 in which it was made canonical and not written since */
    uint32_t block;
};

static void canonical(struct rewrite *w, const struct px_ir_inst *like, struct px_ir_opd o, bool guarded)
{
    o.elem = 4;
    o.base = PX_IR_BITS;
    const struct px_ir_opd opds[2] = {o, o};
    struct px_ir_inst *in = px_ir_edit_add(&w->edit, like, PX_IR_CANON, opds, 2);
    if (!guarded) return;
    in->guard = like->guard;
    in->flags |= like->flags & PX_IR_INST_NEGATED;
}

/* Lazy sources whose bits count become canonical first, in place: once a block, unless written again. */
static void sources(struct rewrite *w, const struct px_ir_inst *in)
{
    const struct px_irfn *f = w->f;
    bool to_lazy = in->ndst && px_ir_opds(f, in)->kind == PX_IR_REG && f->regs.at[px_ir_opds(f, in)->at].lazy;
    for (uint32_t k = in->ndst; k < in->nopds; k++) {
        const struct px_ir_opd o = px_ir_opds(f, in)[k];
        if (o.kind != PX_IR_REG || !f->regs.at[o.at].lazy) continue;
        if (o.base == PX_IR_NUMBER || (o.base == PX_IR_COPIED && to_lazy) || w->clean[o.at] == w->block)
            continue;
        w->clean[o.at] = w->block;
        canonical(w, in, o, false);
    }
}

static void results(struct rewrite *w, const struct px_ir_inst *in)
{
    const struct px_irfn *f = w->f;
    for (uint32_t k = 0; k < in->ndst; k++) {
        const struct px_ir_opd o = px_ir_opds(f, in)[k];
        if (o.kind != PX_IR_REG) continue;
        w->clean[o.at] = 0;
        if (k == 0 && in->flags & PX_IR_INST_HOST && !f->regs.at[o.at].lazy) canonical(w, in, o, true);
    }
}

static bool *find_starts(const struct px_irfn *f)
{
    bool *starts = PX_NEW_N(f->coder->pass, bool, f->insts.n + 1);
    for (uint32_t i = 0; i < f->labels.n; i++) starts[f->labels.at[i]] = true;
    return starts;
}

void px_ir_canon(struct px_irfn *f)
{
    find_lazy(f);
    struct rewrite w = {.f = f, .clean = PX_NEW_N(f->coder->pass, uint32_t, f->regs.n + 1), .block = 1};
    const bool *starts = find_starts(f);
    px_ir_edit_begin(&w.edit, f);
    for (uint32_t i = 0; i < f->insts.n; i++) {
        const struct px_ir_inst in = *px_ir_edit_at(&w.edit, i);
        if (starts[i]) w.block++;
        sources(&w, &in);
        px_ir_edit_keep(&w.edit, &in);
        results(&w, &in);
        if (!px_ir_falls(&in) || in.op == PX_IR_BRANCH) w.block++;
    }
    px_ir_edit_end(&w.edit);
}
