/*
 * counted.c - what is remembered of the instructions of a kernel whose executions are counted (gang/tally.h):
 * opcode, place, and the memory that a thread accesses.
 */
#include "code/emit/emit.h"
#include "code/lower/lower.h"
#include "gang/tally.h"

/* "ld.global.v4.f32" */
static const char *opcode_of(struct px_irfn *f, const struct px_inst *inst)
{
    size_t n = strlen(inst->opcode->text) + 1;
    for (unsigned i = 0; i < inst->nmods; i++) n += strlen(inst->mods[i].name->text) + 1;
    char *text = px_arena_alloc(f->coder->keep, n), *at = stpcpy(text, inst->opcode->text);
    for (unsigned i = 0; i < inst->nmods; i++) {
        *at++ = '.';
        at = stpcpy(at, inst->mods[i].name->text);
    }
    return text;
}

enum { READ, WRITTEN };

static void touch(struct px_counted *c, int way, enum px_space space, uint64_t bytes)
{
    c->space[way] = (uint8_t)space;
    c->bytes[way] = (uint32_t)bytes;
}

/* A statement's operand `value` is loaded from, or stored to, what `where` addresses. */
static void touch_value(struct px_irfn *f, const struct px_bound *b, struct px_counted *c, int way,
                        unsigned value, unsigned where)
{
    const struct px_parts p = px_lower_parts(f, b, value);
    touch(c, way, px_lower_space(b, where), (uint64_t)p.bytes * p.n);
}

static void touch_copy(struct px_irfn *f, const struct px_bound *b, struct px_counted *c)
{
    const struct px_copy_rule *copy = px_form_copy(b->match.form);
    uint64_t size = 0;
    if (!px_lower_value(f, &b->inst->opds[px_match_written(&b->match, copy->size)], PX_T_U32, &size)) return;
    touch(c, READ, (enum px_space)copy->from_space, size);
    touch(c, WRITTEN, (enum px_space)copy->to_space, size);
}

/* Rows of 16 bytes, of which each lane gets, or gives, 4 for each matrix. */
static void touch_rows(const struct px_bound *b, struct px_counted *c, int way, unsigned value)
{
    const struct px_operand *o = &b->inst->opds[value];
    touch(c, way, PX_SPACE_SHARED, o->kind == PX_O_VEC ? o->n * 4u : 4);
}

/* The value of a load stands before its address, of all others behind it. */
static void touch_memory(struct px_irfn *f, const struct px_bound *b, struct px_counted *c)
{
    const unsigned flags = px_op_flags(px_match_op(&b->match));
    const bool loads = !(flags & PX_OPERATION_writes);
    const unsigned where = px_match_opd(&b->match, 0)->flags & PX_OPERAND_RESULT ? 1 : 0,
                   value = loads ? 0 : where + 1;
    if (px_form_copy(b->match.form)) touch_copy(f, b, c);
    for (int way = READ; way <= WRITTEN; way++) {
        if (!(flags & (way == READ ? PX_OPERATION_reads : PX_OPERATION_writes))) continue;
        if (flags & PX_OPERATION_fragment)
            touch_rows(b, c, way, value);
        else
            touch_value(f, b, c, way, value, where);
    }
}

void px_counted_note(struct px_irfn *f, const struct px_bound *b)
{
    struct px_counted c = {.opcode = opcode_of(f, b->inst), .pos = b->inst->pos, .loc = f->loc};
    touch_memory(f, b, &c);
    c.guarded = b->inst->guard && (c.bytes[READ] || c.bytes[WRITTEN]);
    px_vec_push(f->coder->scratch, &f->counted, c);
}

void px_counted_refused(struct px_irfn *f, const struct px_inst *inst)
{
    const struct px_counted c = {.opcode = opcode_of(f, inst), .pos = inst->pos, .loc = f->loc};
    px_vec_push(f->coder->scratch, &f->counted, c);
}

/* ---- emission ---- */

static int count_lanes(struct px_gang *g, const struct px_insn *in)
{
    struct px_lanes holds = {{0}};
    g->level->to_bits(PX_ROW(g, uint32_t, in->a), g->n, holds.w);
    if (in->flags & PX_INSN_NEGATE)
        holds = px_lanes_minus(g->active, holds);
    else
        holds = px_lanes_and(holds, g->active);
    g->worker->tally[g->running->code->tally_at + in->ord - 1].lanes += px_lanes_count(&holds);
    return PX_STEP_NEXT;
}

static bool is_access(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    bool address = in->guard != PX_NONE32;
    for (uint32_t k = 0; k < in->nopds && !address; k++) address = o[k].kind == PX_IR_ADDRESS;
    return address;
}

/* The lanes that have come here, less those that the guard, if it still is one, holds back. */
void px_counted_lanes(struct px_emitter *e, const struct px_ir_inst *in)
{
    const struct px_irfn *f = e->f;
    if (!f->counted.at[in->origin].guarded || e->lanes_counted == e->ord || !is_access(f, in)) return;
    e->lanes_counted = e->ord;
    struct px_insn r = {.a = in->guard == PX_NONE32 ? 0 : f->regs.at[in->guard].row};
    if (in->guard != PX_NONE32 && in->flags & PX_IR_INST_NEGATED) r.flags = PX_INSN_NEGATE;
    px_emit_record(e, count_lanes, r);
}

/* The numbers of px_insn.ord are known: what stands at each. */
void px_counted_keep(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    uint32_t n = 0;
    struct px_counted *list = PX_NEW_N(f->coder->keep, struct px_counted, e->ord + 1);
    for (uint32_t p = 0; p < f->loops.n; p++) {
        if (f->loops.order[p] >= f->graph.nblocks) continue;
        const struct px_flow_block b = f->graph.blocks[f->loops.order[p]];
        for (uint32_t i = b.first; i < b.first + b.n; i++)
            if (f->insts.at[i].flags & PX_IR_INST_FIRST) list[n++] = f->counted.at[f->insts.at[i].origin];
    }
    f->code->counted = list;
    f->code->ncounted = n;
    f->code->tally_at = f->coder->ntallies;
    f->coder->ntallies += n + 1;
}
