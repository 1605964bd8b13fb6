/* emit/tex.c - records of textures and surfaces: what lower/tex.c made, with rows for registers. */
#include "code/emit/emit.h"
#include "ops/texture.h"
#include "tex/levels.h"

/* The operands of an instruction, taken one after the other. */
struct operands {
    struct px_emitter *e;
    const struct px_ir_operand *next;
};

static uint32_t take(struct operands *o)
{
    return px_emit_row(o->e, o->next++);
}

static void take_all(struct operands *o, uint32_t n, uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++) to[i] = take(o);
}

/* Handles go into the record itself, where constants are found. */
static void take_handles(struct operands *o, bool sampler, struct px_insn *r)
{
    r->handles = px_emit_is_scalar(o->next) ? PX_TEX_SCALAR_A : 0;
    r->a = px_emit_place(o->e, o->next++);
    if (!sampler || px_emit_is_scalar(o->next)) r->handles |= PX_TEX_SCALAR_B;
    if (sampler) r->b = px_emit_place(o->e, o->next++);
}

static struct px_tex_words words_of(const struct px_ir_inst *in)
{
    struct px_tex_words w;
    memcpy(&w, &in->aux, sizeof w);
    return w;
}

/* Is one of these rows among the sources? */
static bool overlap(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    for (uint32_t d = 0; d < in->ndst; d++)
        for (uint32_t s = in->ndst; s < in->nopds; s++)
            if (!px_emit_is_scalar(&o[s]) && px_emit_place(e, &o[s]) == px_emit_place(e, &o[d])) return true;
    return false;
}

void px_emit_tex(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_tex_sampling *t = px_emit_node(e, sizeof *t);
    struct operands all = {e, o};
    px_emit_guard(e, true);
    struct px_insn r = {.m = e->guard};
    t->words = words_of(in);
    t->unit = px_level_tex(e->f->coder->level);
    t->apart = overlap(e, in, o);
    t->nd = in->ndst;
    const enum px_image_kind kind = (enum px_image_kind)t->words.kind;
    const uint32_t n = px_tex_coordinates(kind);
    take_all(&all, in->ndst, t->d);
    take_handles(&all, t->words.sampler, &r);
    if (px_tex_layered(kind)) t->layer = take(&all);
    if (px_tex_multisample(kind)) t->sample = take(&all);
    take_all(&all, n, t->coord);
    if (t->words.lod == PX_TEX_LOD_LEVEL) t->level = take(&all);
    if (t->words.lod == PX_TEX_LOD_GRAD) take_all(&all, n, t->dx), take_all(&all, n, t->dy);
    if (t->words.offsets) take_all(&all, n, t->offset);
    r.aux = px_emit_kept(e, t, sizeof *t);
    px_emit_record(e, px_texture_sample, r);
}

void px_emit_surface(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_tex_surface *s = px_emit_node(e, sizeof *s);
    struct operands all = {e, o};
    px_emit_guard(e, true);
    struct px_insn r = {.m = e->guard};
    s->words = words_of(in);
    s->unit = px_level_tex(e->f->coder->level);
    s->apart = overlap(e, in, o);
    s->nvalues = in->ndst ? in->ndst : in->fact;
    s->row = o->elem;
    take_all(&all, s->nvalues, s->value);
    take_handles(&all, false, &r);
    if (px_tex_layered((enum px_image_kind)s->words.kind)) s->layer = take(&all);
    take_all(&all, px_tex_coordinates((enum px_image_kind)s->words.kind), s->coord);
    r.aux = px_emit_kept(e, s, sizeof *s);
    px_emit_record(e, px_texture_surface, r);
}

void px_emit_query(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_tex_question *q = px_emit_node(e, sizeof *q);
    struct operands all = {e, o + 1};
    px_emit_guard(e, true);
    struct px_insn r = {.d = px_emit_row(e, &o[0]), .m = e->guard};
    take_handles(&all, false, &r);
    q->kind = (uint8_t)in->fact;
    q->query = (enum px_tex_query)in->aux;
    if (in->nopds > 2) q->level = take(&all);
    r.aux = px_emit_kept(e, q, sizeof *q);
    px_emit_record(e, px_texture_query, r);
}

void px_emit_istypep(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, true);
    px_emit_record(e, px_texture_istypep,
                   (struct px_insn){.d = px_emit_row(e, &o[0]),
                                    .a = px_emit_row(e, &o[1]),
                                    .opaque = (uint8_t)in->fact,
                                    .m = e->guard});
}
