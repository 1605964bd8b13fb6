/* emit.c - the records of a function, block by block, and what they share. */
#include "code/emit/emit.h"
#include <string.h>
#include "code/emit/forks.h"
#include "code/emit/names.h"
#include "code/ir/forks.h"
#include "code/ir/terms.h"
#include "code/region/region.h"
#include "gang/fpmode.h"
#include "ops/assume.h"

/* ---- records ---- */

/* Convergent records of an open group may still be fused; of all others they are what they will be. */
static void pack(struct px_emitter *e)
{
    const struct px_insn *conv = e->f->code->conv + e->packed;
    for (uint32_t i = 0; i < e->div.n; i++) px_pack_add(&e->pack, &conv[i], &e->div.at[i]);
    e->packed += e->div.n;
    e->div.n = 0;
}

/* ---- floating-point mode ---- */

static int set_fp_mode(struct px_gang *g, const struct px_insn *in)
{
    px_fp_set(g->worker, (uint32_t)in->imm);
    return PX_STEP_NEXT;
}

const struct px_handler_name px_emit_mode_names[] = {{set_fp_mode, "set_fp_mode"}, {0}};

static void set_mode(struct px_emitter *e, uint32_t mode)
{
    if (e->fp == mode) return;
    e->fp = mode;
    px_emit_record(e, set_fp_mode, (struct px_insn){.imm = mode});
}

/* Between instructions. */
static void go_home(struct px_emitter *e)
{
    const uint32_t home = e->f->code->home_fp;
    if (e->fp != home) px_emit_in_all(e, set_fp_mode, set_fp_mode, (struct px_insn){.imm = home});
    e->fp = home;
}

/* ---- instructions ---- */

bool px_emit_has_alone(const struct px_irfn *f, px_irop op)
{
    const struct px_level *level = f->coder->level;
    if (px_ir_kind_of(op) == PX_IR_STATEMENT) return level->sets[op].alone;
    return level->fixed[op & ~PX_IR_KIND][PX_ALONE];
}

static px_emission *const own[] = {
    [PX_IR_NOTHING - PX_IR_OWN] = px_emit_nothing,   [PX_IR_COPY - PX_IR_OWN] = px_emit_copy,
    [PX_IR_CANON - PX_IR_OWN] = px_emit_canon,       [PX_IR_JUMP - PX_IR_OWN] = px_emit_jump,
    [PX_IR_BRANCH - PX_IR_OWN] = px_emit_branch,     [PX_IR_END - PX_IR_OWN] = px_emit_ret,
    [PX_IR_ARGUMENTS - PX_IR_OWN] = px_emit_nothing, [PX_IR_SREG - PX_IR_OWN] = px_emit_sreg,
    [PX_IR_UNIT - PX_IR_OWN] = px_emit_unit,         [PX_IR_ACQUIRE - PX_IR_OWN] = px_emit_acquire,
    [PX_IR_RELEASE - PX_IR_OWN] = px_emit_release};

/* Operations that the table names; those that lowering turns into others have none. */
static px_emission *const named[] = {
#define PX_EMISSION(number, name, function) [number] = px_emit_##function,
#include "gen/emissions.inc"
#define PX_NAMED_HANDLER(number, name) [number] = px_emit_operands,
#include "gen/op_handlers.inc"
};

static px_emission *emission_of(px_irop op)
{
    switch (px_ir_kind_of(op)) {
    case PX_IR_STATEMENT: return px_emit_statement;
    case PX_IR_FIXED: return px_emit_move;
    case PX_IR_TABLE: return named[op & ~PX_IR_KIND];
    default: return own[op - PX_IR_OWN];
    }
}

/* What convergent code knows of a row holds no longer once the row was written: its survey, and the scalar of
 * an offset, which is zero then. A register has either, both, or none: loads and stores through it make the
 * survey, steps make the scalar. */
static void forget(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG) continue;
        const struct px_ir_reg *r = &e->f->regs.at[o[k].at];
        const uint32_t slot = r->keep == PX_IR_OFFSET ? r->slot : 0;
        if (r->survey)
            px_emit_record(e, fixed[PX_FIX_forget][0],
                           (struct px_insn){.d = slot, .survey = px_emit_survey(e, o[k].at)});
        else if (slot)
            px_emit_record(e, fixed[PX_FIX_copy8][PX_ALONE],
                           (struct px_insn){.d = slot, .a = px_emit_constant(e, 0, NULL)});
    }
}

/* What convergent code takes for granted of a term is asked before all else: the divergent version begins the
 * instruction anew where it does not hold. A comparison is done with the question. */
static void emit_assumption(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_irfn *f = e->f;
    const enum px_terms_guard what = px_terms_guard(f, in);
    struct px_terms_compare c = {0};
    if (what == PX_TERMS_NONE) return;
    const struct px_ir_reg *lanes = &f->regs.at[px_emit_keep(e, &o[1]) == PX_IR_LANES ? o[1].at : o[2].at];
    struct px_insn r = {.fn = what == PX_TERMS_FITS_S32 ? px_assume_fits_s32 : px_assume_fits_u32,
                        .a = lanes->slot,
                        .facts = f->code->terms[lanes->term].facts};
    if (what == PX_TERMS_COMPARE && px_terms_compare(f, in, &c)) {
        r.fn = px_assume_compare;
        r.d = px_emit_alone(e, &o[0]);
        r.b = px_emit_scalar(e, &o[c.other]);
        r.imm = c.what;
    }
    px_emit_record_of(e, r.fn, &r);
}

/* Its row is read, too. */
static void emit_spread(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    if (in->ndst != 1 || px_emit_keep(e, &o[0]) != PX_IR_LANES || !e->f->regs.at[o[0].at].spread) return;
    const struct px_insn r = px_emit_sum(e, o[0].at, e->f->regs.at[o[0].at].row);
    px_emit_record_of(e, r.fn, &r);
}

/* The operands with their values; until the next instruction. */
static const struct px_ir_operand *operands_of(struct px_emitter *e, const struct px_ir_inst *in)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_opd *o = px_ir_opds(f, in);
    const uint64_t *place = f->values.at + in->values;
    if (e->operands.cap < in->nopds) px_vec_reserve(f->coder->pass, &e->operands, in->nopds + 8u);
    for (uint32_t k = 0; k < in->nopds; k++) {
        struct px_ir_operand *to = &e->operands.at[k];
        to->is = o[k];
        to->value = o[k].kind == PX_IR_IMM ? f->values.at[o[k].at] : 0;
        if (o[k].kind == PX_IR_ADDRESS) to->value = *place++;
    }
    return e->operands.at;
}

/* What all versions of an instruction begin with. */
struct beginning {
    uint32_t at, fp, slots, lanes_counted;
};

/* The records of a version: n of them, of which `before` make its operands rows, or ask; then comes what the
 * instruction does (`does`), in the last of those that it makes; what follows tells of its results. */
struct part {
    uint32_t before, n;
    bool does;
};

static struct part part_of(const struct px_emitter *e, const struct beginning *was, uint32_t first,
                           uint32_t end)
{
    return (struct part){end - was->at - (end > first), px_emit_next(e) - was->at, end > first};
}

/* What is masked of divergent code writes rows whole where nobody else has anything in them: all rows while
 * lanes stand aside, those that end in it in the way of a fork there. */
static bool is_masked(const struct px_emitter *e, const struct px_ir_inst *in)
{
    if (e->version == PX_IR_CONVERGENT || e->version == PX_IR_DIVERGENT) return !px_emit_together(e);
    const bool whole =
        e->version == PX_IR_LOOP || px_ir_is_local(e->f, e->is_base, in, e->way_place, e->way_end);
    return !whole || !(e->f->coder->wishes.engine & PX_ENGINE_loops) || px_ir_kind_of(in->op) == PX_IR_TABLE;
}

static void begin_version(struct px_emitter *e, enum px_ir_version version, const struct px_ir_inst *in,
                          const struct beginning *was)
{
    e->version = version;
    e->masked = is_masked(e, in);
    e->guard = 0;
    e->fp = was->fp, e->slots = was->slots, e->lanes_counted = was->lanes_counted;
    for (uint32_t i = 0; i < e->temps.n; i++) e->temps.at[i].used = false;
}

/* The records of the version that were made, where one handler does more than them. */
static void fuse(struct px_emitter *e, bool made)
{
    if (e->in->fuse || e->groups[e->version].first) px_fuse(e, made);
}

static struct part emit_convergent(struct px_emitter *e, const struct px_ir_inst *in,
                                   const struct px_ir_operand *o, const struct beginning *was)
{
    const bool step = px_ir_is_step(e->f, in);
    begin_version(e, PX_IR_CONVERGENT, in, was);
    emit_assumption(e, in, o);
    set_mode(e, px_ir_mode(e->fp, in));
    if (e->f->coder->wishes.counters) px_counted_lanes(e, in);
    const uint32_t first = e->n;
    (step ? px_emit_step : emission_of(in->op))(e, in, o);
    const uint32_t end = e->n;
    fuse(e, end > was->at);
    if (!step) {
        forget(e, in, o);
        emit_spread(e, in, o);
    }
    return part_of(e, was, first, end);
}

/* Where every register is a row. The first record of what the instruction does. */
static uint32_t emit_rows(struct px_emitter *e, enum px_ir_version version, const struct px_ir_inst *in,
                          const struct px_ir_operand *o, const struct beginning *was)
{
    begin_version(e, version, in, was);
    set_mode(e, px_ir_mode(e->fp, in));
    if (e->f->coder->wishes.counters) px_counted_lanes(e, in);
    const uint32_t first = px_emit_next(e);
    emission_of(in->op)(e, in, o);
    if (version != PX_IR_DIVERGENT) fuse(e, px_emit_next(e) > was->at);
    return first;
}

/* The versions of what runs aside have as many records as the divergent one. */
static struct part emit_divergent(struct px_emitter *e, const struct px_ir_inst *in,
                                  const struct px_ir_operand *o, const struct beginning *was)
{
    const uint32_t first = emit_rows(e, PX_IR_DIVERGENT, in, o, was);
    const struct part part = part_of(e, was, first, px_emit_next(e));
    if (e->loop.open) emit_rows(e, PX_IR_LOOP, in, o, was);
    if (e->way.open) emit_rows(e, PX_IR_WAY, in, o, was);
    return part;
}

/* So many records of the version that do nothing, behind those before pc. */
static void fill(struct px_emitter *e, enum px_ir_version version, uint32_t pc, uint32_t n)
{
    e->version = version;
    for (uint32_t i = 0; i < n; i++) px_emit_record(e, px_emit_no_record, (struct px_insn){0});
    struct px_insn *at = px_emit_at(e, pc);
    const uint32_t moved = px_emit_next(e) - n - pc;
    if (!moved) return;
    const struct px_insn nothing = at[moved];
    memmove(at + n, at, moved * sizeof *at);
    for (uint32_t i = 0; i < n; i++) at[i] = nothing;
}

static void fill_rows(struct px_emitter *e, uint32_t pc, uint32_t n)
{
    fill(e, PX_IR_DIVERGENT, pc, n);
    if (e->loop.open) fill(e, PX_IR_LOOP, pc, n);
    if (e->way.open) fill(e, PX_IR_WAY, pc, n);
}

/* A record that does nothing may say what the other says: then they are packed with fewer words. */
static void liken(struct px_insn *a, const struct px_insn *b)
{
    if (a->fn == px_emit_no_record) *a = *b, a->fn = px_emit_no_record;
}

static void liken_all(struct px_emitter *e, uint32_t pc)
{
    struct px_insn *conv = e->f->code->conv + pc, *div = e->div.at + (pc - e->packed);
    liken(conv, div);
    liken(div, conv);
    if (e->loop.open) liken(&e->loop.code.at[pc - e->loop.from], div);
    if (e->way.open) liken(&e->way.code.at[pc - e->way.from], div);
}

/*
 * What the instruction does stands at one pc in all versions: lanes that leave, wait or are resumed there
 * find it, and the one is packed with few words of the other. What asks stands at the beginning of both:
 * where the answer is no, divergent code begins the instruction anew.
 */
static void fill_up(struct px_emitter *e, uint32_t at, struct part conv, struct part div)
{
    uint32_t before = conv.before > div.before ? conv.before : div.before;
    if (conv.does && div.does) {
        if (before > conv.before) fill(e, PX_IR_CONVERGENT, at + conv.before, before - conv.before);
        if (before > div.before) fill_rows(e, at + div.before, before - div.before);
        conv.n += before - conv.before, div.n += before - div.before;
    }
    if (div.n > conv.n) fill(e, PX_IR_CONVERGENT, at + conv.n, div.n - conv.n);
    if (conv.n > div.n) fill_rows(e, at + div.n, conv.n - div.n);
    for (uint32_t pc = at; pc < e->n; pc++) liken_all(e, pc);
}

static void align(struct px_emitter *e, uint32_t at, struct part conv, struct part div)
{
    const bool same = conv.before == div.before || !conv.does || !div.does;
    if (conv.n != div.n || !same) fill_up(e, at, conv, div);
}

/* Operations that lanes may leave or wait in take rows alone (values.c): both versions have the same records.
 */
static bool is_alike(const struct px_ir_inst *in)
{
    return px_ir_kind_of(in->op) == PX_IR_TABLE && !px_ir_is_straight(in);
}

static struct part copy_convergent(struct px_emitter *e, uint32_t at, struct part conv)
{
    const struct part div = {conv.before, conv.before + conv.does, conv.does};
    for (uint32_t i = 0; i < div.n; i++) px_vec_push(e->f->coder->pass, &e->div, e->f->code->conv[at + i]);
    return div;
}

static void emit_versions(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct beginning was = {e->n, e->fp, e->slots, e->lanes_counted};
    const bool convergent = e->f->coder->wishes.engine & PX_ENGINE_convergent;
    struct part conv = {0};
    e->nodes.n = 0;
    if (convergent) {
        conv = emit_convergent(e, in, o, &was);
        if (is_alike(in)) {
            align(e, was.at, conv, copy_convergent(e, was.at, conv));
            return;
        }
    }
    const struct part div = emit_divergent(e, in, o, &was);
    if (convergent)
        align(e, was.at, conv, div);
    else
        for (uint32_t i = e->div.n - div.n; i < e->div.n; i++) px_emit_convergent(e, &e->div.at[i]);
}

static void emit_inst(struct px_emitter *e, const struct px_ir_inst *in)
{
    const struct px_ir_operand *o = operands_of(e, in);
    e->in = in;
    if (in->flags & PX_IR_INST_FIRST) e->held = px_ir_begins(e->f, in, PX_OPERATION_waits);
    /* where others can see in which order lanes run */
    if (e->f->coder->wishes.shuffles && in->flags & PX_IR_INST_FIRST &&
        px_ir_begins(e->f, in, PX_OPERATION_memory | PX_OPERATION_waits)) {
        go_home(e); /* others may run then */
        px_emit_shuffle(e);
    }
    e->pc_at[e->placed++] = e->n;
    if (in->flags & PX_IR_INST_FIRST) e->ord++;
    emit_versions(e, in, o);
    if (!e->groups[PX_IR_CONVERGENT].first) pack(e);
}

/* ---- blocks ---- */

static uint32_t count_preds(const struct px_irfn *f, uint32_t node)
{
    return f->graph.pred.first[node + 1] - f->graph.pred.first[node];
}

/*
 * May lanes stand at the block after `node`, into which it falls? They do when another way leads there, too;
 * and when this is the way out of a loop, which they left in an earlier turn.
 */
static bool may_meet(const struct px_irfn *f, uint32_t node)
{
    const struct px_flow_block b = f->graph.blocks[node];
    const struct px_ir_inst *last = &f->insts.at[b.first + b.n - 1];
    if (!px_ir_falls(last)) return false;
    if (count_preds(f, node + 1) > 1) return true;
    return last->op == PX_IR_BRANCH &&
           f->loops.place[f->graph.node_of[f->labels.at[last->target]]] <= f->loops.place[node];
}

/* Goes on to the block that follows in the text. */
static void fall_through(struct px_emitter *e, uint32_t node, uint32_t next)
{
    const struct px_irfn *f = e->f;
    const struct px_flow_block b = f->graph.blocks[node];
    if (!px_ir_falls(&f->insts.at[b.first + b.n - 1])) return;
    if (node + 1 != next)
        px_emit_to(e, node + 1);
    else if (px_regions_wanted(f->coder) && px_ir_loop_blocks(f, f->loops.place[next]))
        px_emit_enter(e);
    else if (may_meet(f, node))
        px_emit_join(e);
}

/* Instructions without a record at the end of a block are counted by one that does nothing: a branch to what
 * follows must not count them. */
static void finish_ord(struct px_emitter *e)
{
    const uint32_t done = e->n ? e->f->code->conv[e->n - 1].ord : 0;
    if (done != e->ord) px_emit_in_all(e, px_emit_no_record, px_emit_no_record, (struct px_insn){0});
}

static void enter_loop(struct px_emitter *e, uint32_t place)
{
    const uint32_t end = place + px_ir_loop_blocks(e->f, place);
    if (place >= e->loop_until) e->loop_until = 0;
    if (end > place && end > e->loop_until) e->loop_until = end;
}

static void emit_block(struct px_emitter *e, uint32_t place)
{
    const struct px_irfn *f = e->f;
    uint32_t node = f->loops.order[place], next = PX_NONE32;
    if (node >= f->graph.nblocks) return;
    for (uint32_t p = place + 1; p < f->loops.n && next == PX_NONE32; p++)
        if (f->loops.order[p] < f->graph.nblocks) next = f->loops.order[p];
    const struct px_flow_block b = f->graph.blocks[node];
    e->pc_of[node] = e->n;
    e->fp = f->code->home_fp;
    enter_loop(e, place);
    px_forks_enter(e, place);
    for (uint32_t i = b.first; i < b.first + b.n; i++) emit_inst(e, &f->insts.at[i]);
    go_home(e); /* a block that does not end in a branch */
    finish_ord(e);
    fall_through(e, node, next);
    pack(e);
    px_forks_end(e, place);
}

/* ---- the end: places that were not known ---- */

static uint32_t final_place(const struct px_emitter *e, uint32_t offset)
{
    return offset & PX_POOL_TAG && offset != PX_NONE32 ? e->f->code->pool + (offset & ~PX_POOL_TAG) : offset;
}

static void finish_record(const void *emitter, struct px_insn *to)
{
    const struct px_emitter *e = emitter;
    if (to->flags & PX_INSN_BLOCK) {
        to->target = e->pc_of[to->target];
        to->flags &= (uint8_t)~PX_INSN_BLOCK;
    }
    to->a = final_place(e, to->a);
    to->b = final_place(e, to->b);
    to->c = final_place(e, to->c);
    to->source4 = final_place(e, to->source4);
}

/* Of those that run aside what one handler does together has six places (distances and the like are of
 * records that no loop aside has). */
static void finish_aside(const void *emitter, struct px_insn *to)
{
    finish_record(emitter, to);
    to->source5 = final_place(emitter, to->source5);
    to->source6 = final_place(emitter, to->source6);
}

/* What the IR had is the code's now. */
#define KEEP(f, v) px_arena_move((f)->coder->keep, (f)->coder->scratch, (v)->at, (v)->n * sizeof *(v)->at)

/* Where the words of parameters lie, at call sites and in the function itself. */
static void tell_words(struct px_irfn *f)
{
    struct px_fcode *code = f->code;
    for (uint32_t i = 0; i < f->words.n; i++) f->words.at[i] = f->regs.at[f->words.at[i]].row;
    code->word_rows = KEEP(f, &f->words);
}

/* Where the kept registers matter: see the positions in rows.c. */
static void tell_kept(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    code->nsurveys = f->nsurveys;
    code->kept = PX_NEW_N(f->coder->keep, struct px_kept, f->nkept);
    for (uint32_t r = 0; r < f->regs.n; r++) {
        const struct px_ir_reg *reg = &f->regs.at[r];
        if (reg->keep == PX_IR_ROW || reg->temp || reg->first > reg->last) continue;
        uint32_t first = reg->first / PX_IR_STEP, last = reg->last / PX_IR_STEP;
        code->kept[code->nkept++] =
            (struct px_kept){.slot = reg->slot,
                             .row = reg->row,
                             .base = reg->keep == PX_IR_SCALAR  ? 0
                                     : reg->keep == PX_IR_LANES ? code->terms[reg->term].row
                                                                : f->regs.at[reg->base].row,
                             .made = reg->keep == PX_IR_LANES && reg->spread,
                             .first_pc = e->pc_at[first] + (reg->first % PX_IR_STEP != 0),
                             .last_pc = reg->last % PX_IR_STEP == 0 ? e->pc_at[last] : e->pc_at[last + 1] - 1,
                             .elem = reg->elem};
    }
}

static void finish_tables(const struct px_emitter *e)
{
    for (uint32_t i = 0; i < e->f->switches.n; i++) {
        const struct px_table *t = e->f->switches.at[i].table;
        for (uint32_t k = 0; t && k < t->n; k++) t->targets[k] = e->pc_of[t->targets[k]];
    }
}

static void finish(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    code->pool = (e->frame_bytes + 15) & ~15u;
    code->pool_bytes = e->pool.n * 8;
    code->pool_image = px_arena_move(f->coder->keep, f->coder->pass, e->pool.at, code->pool_bytes);
    code->frame_bytes = code->pool + code->pool_bytes + 64;
    px_emit_room(e, e->n);
    px_pack_finish_aside(&e->pack, code->conv, finish_aside, e);
    px_pack_finish(&e->pack, code->conv, e->n, finish_record, e);
    for (uint32_t i = 0; i < e->replaced.n; i++) finish_record(e, e->replaced.at[i]);
    for (uint32_t i = 0; i < e->fused.n; i++) {
        struct px_insn *r = &code->conv[e->fused.at[i]];
        r->source5 = final_place(e, r->source5);
        r->source6 = final_place(e, r->source6);
    }
    for (uint32_t i = 0; i < code->nterms; i++)
        if (code->terms[i].op == PX_TERM_SCALE) code->terms[i].b = final_place(e, code->terms[i].b);
    finish_tables(e);
    code->src = f->origins.at = KEEP(f, &f->origins);
    tell_words(f);
}

/* Rows were bytes a lane; now they become offsets in the frame. */
static void place_rows(struct px_irfn *f)
{
    uint32_t width = f->coder->width, base = f->code->rows;
    const uint32_t slots = f->code->surveys + f->nsurveys * (uint32_t)sizeof(struct px_survey);
    for (uint32_t i = 0; i < f->regs.n; i++)
        if (f->regs.at[i].row != PX_NONE32) f->regs.at[i].row = base + f->regs.at[i].row * width;
    for (uint32_t i = 0; i < f->regs.n; i++)
        if (f->regs.at[i].keep != PX_IR_ROW) f->regs.at[i].slot = slots + f->regs.at[i].slot * 8;
    f->code->zero_from = slots;
    f->code->zero_to = base + f->zero_to * width;
    f->code->width = width;
    f->code->local_bytes = (uint32_t)((f->local_bytes + 15) & ~15ull);
    f->code->local_align = f->local_align;
}

/*
 * Which rows lanes take along when activations become one (vm/run/meet.c): those of registers, and those
 * behind them in which operands lie spread while lanes wait.
 */
static void tell_rows(struct px_emitter *e)
{
    const struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    if (code->func->is_entry) return;
    uint8_t *elems = PX_NEW_N(f->coder->pass, uint8_t, f->row_bytes + 1);
    uint32_t n = e->temps.n;
    for (uint32_t i = 0; i < f->regs.n; i++)
        if (f->regs.at[i].row != PX_NONE32)
            elems[(f->regs.at[i].row - code->rows) / code->width] = (uint8_t)f->regs.at[i].elem;
    for (uint32_t at = 0; at < f->row_bytes; at += elems[at]) n++;
    code->row_elems = PX_NEW_N(f->coder->keep, uint8_t, n);
    for (uint32_t at = 0; at < f->row_bytes; at += elems[at]) code->row_elems[code->nrows++] = elems[at];
    for (uint32_t i = 0; i < e->temps.n; i++) code->row_elems[code->nrows++] = e->temps.at[i].elem;
}

/* Names for what lies in local memory, for messages. */
static void tell_locals(struct px_irfn *f)
{
    struct px_fcode *code = f->code;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->params.n; i++) n += f->params.at[i].local != PX_NONE32;
    code->locals = PX_NEW_N(f->coder->keep, struct px_local_at, n);
    for (uint32_t i = 0; i < f->params.n; i++)
        if (f->params.at[i].local != PX_NONE32)
            code->locals[code->nlocals++] =
                (struct px_local_at){f->params.at[i].symbol, f->params.at[i].local};
}

/* Rows of terms, and what is known of them, lie behind all others: they stay from block to block. */
static void place_terms(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    struct px_fcode *code = f->code;
    uint32_t facts = e->frame_bytes, rows;
    code->nterms = f->terms.n;
    code->terms = PX_NEW_N(f->coder->keep, struct px_lane_term, f->terms.n);
    rows = (facts + f->terms.n * (uint32_t)sizeof(struct px_lane_facts) + 63) & ~63u;
    for (uint32_t i = 0; i < f->terms.n; i++) {
        const struct px_ir_operand *factor = &f->terms.at[i].factor;
        struct px_lane_term *t = &code->terms[i];
        *t = f->terms.at[i].is;
        if (t->op == PX_TERM_SCALE) t->b = px_emit_place(e, factor);
        t->facts = facts + i * (uint32_t)sizeof(struct px_lane_facts);
        t->row = rows + i * 8 * f->coder->width;
    }
    if (f->terms.n) e->frame_bytes = rows + f->terms.n * 8 * f->coder->width;
}

/* One for each instruction, and one where lanes that fall into a block look for others. */
static uint32_t expected_records(const struct px_irfn *f)
{
    uint32_t n = f->insts.n;
    for (uint32_t node = 0; node + 1 < f->graph.nblocks; node++)
        n += f->graph.blocks[node].n && may_meet(f, node);
    return n;
}

void px_emit(struct px_irfn *f)
{
    f->code->rows =
        (f->code->surveys + f->nsurveys * (uint32_t)sizeof(struct px_survey) + f->nkept * 8 + 63) & ~63u;
    struct px_emitter e = {.f = f, .frame_bytes = f->code->rows + f->row_bytes * f->coder->width};
    tell_locals(f);
    place_rows(f);
    place_terms(&e);
    f->code->sites = f->sites.at = KEEP(f, &f->sites);
    f->code->passed = f->passed.at = KEEP(f, &f->passed);
    px_emit_room(&e, expected_records(f));
    px_pack_begin(&e.pack, f->coder->pass, e.cap);
    px_forks_begin(&e);
    e.pc_at = PX_NEW_N(f->coder->pass, uint32_t, f->insts.n + 2);
    e.pc_of = PX_NEW_N(f->coder->pass, uint32_t, f->graph.n + 1);
    uint32_t *end_of = PX_NEW_N(f->coder->pass, uint32_t, f->graph.n + 1);
    for (uint32_t p = 0; p < f->loops.n; p++) {
        emit_block(&e, p);
        end_of[f->loops.order[p]] = e.n;
    }
    e.pc_at[e.placed] = e.pc_at[e.placed + 1] = e.n;
    tell_kept(&e);
    tell_rows(&e);
    if (f->coder->wishes.counters) px_counted_keep(&e);
    finish(&e);
    px_forks_make(&e, end_of);
    px_pack_keep(&e.pack, f->coder->keep, f->code);
    px_regions_make(&e, end_of);
}
