/* emit/record.c - records, each behind those of the version that is made. */
#include "code/emit/emit.h"
#include <string.h>

/* Records have memory of their own, no arena's: it grows in place where the host can do that. */
void px_emit_room(struct px_emitter *e, uint32_t cap)
{
    const ptx_allocator *alloc = &e->f->coder->keep->alloc;
    struct px_fcode *code = e->f->code;
    const size_t at = code->records ? (size_t)((char *)code->conv - (char *)code->records) : 0;
    void *block = px_realloc(alloc, code->records, px_records_bytes(code->n), px_records_bytes(cap));
    if (!block) px_code_no_memory(e->f);
    code->records = block;
    code->conv = px_records_in(block);
    char *before = (char *)code->records + at; /* a block that moved may begin elsewhere in a line */
    if ((char *)code->conv != before) memmove(code->conv, before, e->n * sizeof *code->conv);
    code->n = e->cap = cap;
}

uint32_t px_emit_next(const struct px_emitter *e)
{
    switch (e->version) {
    case PX_IR_CONVERGENT: return e->n;
    case PX_IR_LOOP: return e->loop.from + e->loop.code.n;
    case PX_IR_WAY: return e->way.from + e->way.code.n;
    default: return e->packed + e->div.n;
    }
}

struct px_insn *px_emit_at(const struct px_emitter *e, uint32_t pc)
{
    switch (e->version) {
    case PX_IR_CONVERGENT: return &e->f->code->conv[pc];
    case PX_IR_LOOP: return &e->loop.code.at[pc - e->loop.from];
    case PX_IR_WAY: return &e->way.code.at[pc - e->way.from];
    default: return &e->div.at[pc - e->packed];
    }
}

struct px_insn *px_emit_convergent(struct px_emitter *e, const struct px_insn *in)
{
    if (e->n == e->cap) px_emit_room(e, e->cap + e->cap / 8 + 8);
    struct px_insn *to = &e->f->code->conv[e->n++];
    *to = *in;
    return to;
}

/* Behind the last record of the version. */
static struct px_insn *push(struct px_emitter *e, const struct px_insn *in)
{
    struct px_arena *pass = e->f->coder->pass;
    switch (e->version) {
    case PX_IR_CONVERGENT: return px_emit_convergent(e, in);
    case PX_IR_LOOP: px_vec_push(pass, &e->loop.code, *in); return &e->loop.code.at[e->loop.code.n - 1];
    case PX_IR_WAY: px_vec_push(pass, &e->way.code, *in); return &e->way.code.at[e->way.code.n - 1];
    default: px_vec_push(pass, &e->div, *in); return &e->div.at[e->div.n - 1];
    }
}

void px_emit_record_of(struct px_emitter *e, px_handler fn, const struct px_insn *in)
{
    struct px_insn *to = push(e, in);
    to->fn = fn;
    to->src = e->in ? e->in->origin : 0;
    to->ord = e->ord;
    if (e->version == PX_IR_WAY && !to->m) to->m = e->way_mask;
}

/* Is code of the version made here? */
static bool is_made(const struct px_emitter *e, enum px_ir_version version)
{
    return version == PX_IR_LOOP ? e->loop.open : version == PX_IR_WAY ? e->way.open : true;
}

void px_emit_in_all(struct px_emitter *e, px_handler conv, px_handler div, struct px_insn in)
{
    e->version = PX_IR_CONVERGENT;
    px_emit_record(e, e->f->coder->wishes.engine & PX_ENGINE_convergent ? conv : div, in);
    for (enum px_ir_version v = 0; v < PX_IR_VERSIONS; v++) {
        if (v == PX_IR_CONVERGENT || !is_made(e, v)) continue;
        e->version = v;
        px_emit_record(e, div, in);
    }
}

void *px_emit_node(struct px_emitter *e, size_t size)
{
    for (uint32_t i = 0; i < e->drafts.n; i++) {
        struct px_draft *d = &e->drafts.at[i];
        if (d->used || d->size < size) continue;
        d->used = true;
        return memset(d->at, 0, size);
    }
    const struct px_draft d = {px_arena_node(e->f->coder->pass, size), size, true};
    px_vec_push(e->f->coder->pass, &e->drafts, d);
    return d.at;
}

const void *px_emit_kept(struct px_emitter *e, const void *node, size_t size)
{
    for (uint32_t i = 0; i < e->drafts.n; i++)
        if (e->drafts.at[i].at == node) e->drafts.at[i].used = false;
    for (uint32_t i = 0; i < e->nodes.n; i++)
        if (e->nodes.at[i].size == size && memcmp(e->nodes.at[i].kept, node, size) == 0)
            return e->nodes.at[i].kept;
    void *kept = px_arena_node(e->f->coder->keep, size);
    memcpy(kept, node, size);
    px_vec_push(e->f->coder->pass, &e->nodes, ((struct px_emit_node){kept, size}));
    return kept;
}

static void emit_own(struct px_emitter *e, enum px_fixed fix, const struct px_insn *in)
{
    px_emit_record_of(e, e->f->coder->level->fixed[fix][e->held], in);
}

static void emit_guarded(struct px_emitter *e, const px_handler fn[2], struct px_insn *in)
{
    in->m = e->guard;
    px_emit_record_of(e, fn[px_emit_is_masked(e)], in);
}

void px_emit_guarded(struct px_emitter *e, const px_handler fn[2], struct px_insn in)
{
    emit_guarded(e, fn, &in);
}

void px_emit_own(struct px_emitter *e, enum px_fixed fix, struct px_insn in)
{
    emit_own(e, fix, &in);
}

void px_emit_fixed(struct px_emitter *e, enum px_fixed fix, struct px_insn in)
{
    if (px_emit_is_own(e))
        emit_own(e, fix, &in);
    else
        emit_guarded(e, e->f->coder->level->fixed[fix], &in);
}

int px_emit_no_record(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_NEXT;
}

bool px_emit_is_own(const struct px_emitter *e)
{
    const struct px_ir_opd *o = px_ir_opds(e->f, e->in);
    if (e->in->guard != PX_NONE32 || !e->in->ndst) return false;
    for (uint32_t k = 0; k < e->in->ndst; k++)
        if (o[k].kind == PX_IR_REG && !e->f->regs.at[o[k].at].temp) return false;
    return true;
}
