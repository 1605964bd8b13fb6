/* emit/alu.c - records of statements, moves between rows, approximate units. */
#include "code/emit/emit.h"
#include "code/emit/names.h"
#include "code/ir/terms.h"
#include "ops/sreg.h"
#include "approx/levels.h"

/* ---- statements ---- */

/* One version's operands: which are scalars, which shape takes them, whether the first two change places. */
struct shape {
    uint32_t scalar[3]; /* where the operand is a scalar; PX_NONE32: it is a row */
    struct px_ir_shape is;
};

/* Does convergent code keep it as something plus a scalar, and no row? */
static bool is_sum(const struct px_emitter *e, const struct px_ir_operand *o)
{
    const enum px_ir_keep keep = px_emit_keep(e, o);
    return keep == PX_IR_OFFSET || (keep == PX_IR_LANES && !e->f->regs.at[o->at].spread);
}

/* Spreads the scalars that the shapes do not take, in either version. */
static void spread_rest(struct px_emitter *e, const struct px_ir_operand *o, const struct shape *conv,
                        const struct shape *div, unsigned i, uint32_t at[2])
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    const struct shape *both[2] = {conv, div};
    struct px_insn r[2] = {{.fn = px_emit_no_record}, {.fn = px_emit_no_record}};
    uint32_t temp = 0;
    for (unsigned v = 0; v < 2; v++) {
        const bool taken = both[v]->is.bits >> px_ir_shape_place(both[v]->is, i) & 1;
        if (both[v]->scalar[i] == PX_NONE32)
            at[v] = v == 0 && is_sum(e, o) ? PX_NONE32 : px_emit_place(e, o);
        else
            at[v] = taken ? both[v]->scalar[i] : PX_NONE32;
        if (at[v] != PX_NONE32) continue;
        if (!temp) temp = px_emit_temp(e, o->elem);
        at[v] = temp;
        r[v] =
            (struct px_insn){.fn = fixed[px_emit_broadcast(o->elem)][0], .d = temp, .a = both[v]->scalar[i]};
        if (both[v]->scalar[i] == PX_NONE32) r[v] = px_emit_sum(e, o->at, temp);
    }
    if (temp) px_emit_versions(e, &r[0], &r[1]);
}

static void set_sources(struct px_insn *r, const struct shape *s, uint32_t at[3])
{
    r->a = at[s->is.swapped];
    r->b = at[!s->is.swapped];
    r->c = at[2];
}

/* The statement for one value, in convergent code. */
static struct px_insn alone(struct px_emitter *e, const struct px_handler_set *set,
                            const struct px_ir_inst *in, const struct px_ir_operand *o, const struct shape *s)
{
    struct px_insn r = {.fn = set->alone, .d = px_emit_alone(e, &o[0])};
    uint32_t *at[3] = {&r.a, &r.b, &r.c};
    if (px_terms_guard(e->f, in) == PX_TERMS_COMPARE) return (struct px_insn){.fn = px_emit_no_record};
    for (unsigned i = 0; i < 3; i++)
        if (s->scalar[i] != PX_NONE32) *at[i] = s->scalar[i];
    if (set->pair) r.e = px_emit_scalar(e, &o[1]);
    return r;
}

void px_emit_statement(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_handler_set *set = &e->f->coder->level->sets[in->op & ~PX_IR_KIND];
    const struct px_ir_operand *s = o + in->ndst;
    const unsigned n = px_ir_sources(e->f, in);
    const bool is_alone = px_ir_is_alone(e->f, in);
    struct shape conv = {.scalar = {PX_NONE32, PX_NONE32, PX_NONE32}}, div = conv;
    uint32_t at[2][3] = {{0}};
    for (unsigned i = 0; i < n; i++) {
        conv.scalar[i] = is_alone ? px_emit_alone(e, &s[i]) : px_emit_scalar(e, &s[i]);
        if (px_emit_is_scalar(&s[i])) div.scalar[i] = conv.scalar[i];
    }
    conv.is = px_ir_shape_of(e->f, in, PX_IR_CONVERGENT);
    div.is = px_ir_shape_of(e->f, in, PX_IR_DIVERGENT);
    px_handler fn = set->fn[0][conv.is.bits], masked = set->fn[1][div.is.bits];
    if (!fn || !set->fn[0][div.is.bits])
        px_code_fail(e->f, e->f->origins.at[in->origin].inst, "has no handler");
    px_emit_guard(e, false);
    struct px_insn alone_record = alone(e, set, in, o, &conv);
    if (is_alone) conv.is.bits = 7, conv.is.swapped = false;
    for (unsigned i = 0; i < n; i++) {
        uint32_t place[2];
        spread_rest(e, &s[i], &conv, &div, i, place);
        at[0][i] = place[0];
        at[1][i] = place[1];
    }
    struct px_insn r = {.fn = fn, .d = px_emit_place(e, &o[0])};
    if (set->pair) r.e = px_emit_place(e, &o[1]);
    if (set->carry) r.carry = px_emit_place(e, &o[in->ndst - 1]);
    struct px_insn d = r;
    set_sources(&r, &conv, at[0]);
    set_sources(&d, &div, at[1]);
    d.fn = set->fn[0][div.is.bits];
    if (!px_emit_is_own(e)) {
        for (unsigned v = 0; v < 2; v++) {
            struct px_insn *to = v ? &d : &r;
            if (v == 0 && !e->guard) continue; /* convergent and unguarded: whole rows */
            to->m = v ? e->guard : e->conv_guard;
            px_handler other = v ? masked : set->fn[1][conv.is.bits];
            if (other) {
                to->fn = other;
                continue;
            }
            to->inner = to->fn;
            to->fn = e->f->coder->level->fixed[PX_FIX_blend][1];
            to->bytes = set->elem;
            to->flags = (uint8_t)((set->pair ? PX_IF_PAIR : 0) | (set->carry ? PX_IF_CARRY : 0));
        }
    }
    px_emit_versions(e, is_alone ? &alone_record : &r, &d);
    px_emit_whole(e, set->fn[0][div.is.bits]);
}

/* d = x + scalar, where d is an offset: the scalar of x, or none when x is the base itself, and what is
 * added. */
void px_emit_step(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_reg *d = &f->regs.at[o[0].at];
    const uint32_t from = px_ir_stepped(f, in);
    const bool kept = f->regs.at[from].keep == PX_IR_OFFSET, sum = in->op != PX_IR_COPY;
    const uint32_t added =
        !sum ? px_emit_constant(e, 0, NULL) : px_emit_scalar(e, &o[px_ir_register(&o[1].is) == from ? 2 : 1]);
    struct px_insn conv = {.fn = f->coder->level->fixed[PX_FIX_copy8][PX_ALONE], .d = d->slot, .a = added};
    if (kept && sum) {
        conv.fn = f->coder->level->sets[in->op].alone;
        conv.b = f->regs.at[from].slot;
    } else if (kept) {
        conv.a = f->regs.at[from].slot;
    }
    if (!sum) {
        struct px_insn div = {
            .fn = f->coder->level->fixed[PX_FIX_copy8][1], .d = d->row, .a = f->regs.at[from].row};
        px_emit_versions(e, &conv, &div);
        return;
    }
    const uint32_t n = e->n;
    px_emit_statement(e, in, o);
    for (uint32_t pc = n; pc < e->n; pc++) f->code->conv[pc].fn = px_emit_no_record;
    struct px_insn *last = &f->code->conv[e->n - 1];
    conv.src = last->src, conv.ord = last->ord;
    *last = conv;
}

/* ---- moves ---- */

/* The move that makes `to` bytes of `from` bytes; upper bits are cut, or extended. */
static enum px_fixed resize(uint32_t from, uint32_t to, bool sign)
{
    switch (from * 100 + to) {
    case 202: return PX_FIX_copy2;
    case 404: return PX_FIX_copy4;
    case 808: return PX_FIX_copy8;
    case 1616: return PX_FIX_copy16;
    case 402: return PX_FIX_trunc4_2;
    case 802: return PX_FIX_trunc8_2;
    case 804: return PX_FIX_trunc8_4;
    case 1608: return PX_FIX_trunc16_8;
    case 1604: return PX_FIX_trunc16_4;
    case 204: return sign ? PX_FIX_sext2_4 : PX_FIX_zext2_4;
    case 208: return sign ? PX_FIX_sext2_8 : PX_FIX_zext2_8;
    case 408: return sign ? PX_FIX_sext4_8 : PX_FIX_zext4_8;
    case 416: return PX_FIX_zext4_16;
    case 816: return PX_FIX_zext8_16;
    default: return PX_FIX_COUNT;
    }
}

static const enum px_fixed broadcasts[17] = {
    [2] = PX_FIX_broadcast2, [4] = PX_FIX_broadcast4, [8] = PX_FIX_broadcast8, [16] = PX_FIX_broadcast16};

/* A move into a kept scalar: `fix` for one value, in divergent code `row` into the register's row. */
static void move_alone(struct px_emitter *e, enum px_fixed fix, enum px_fixed row,
                       const struct px_ir_operand *o, unsigned n, uint64_t imm)
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    struct px_insn conv = {.fn = fixed[fix][PX_ALONE], .d = px_emit_alone(e, &o[0]), .imm = imm};
    struct px_insn div = {.fn = fixed[row][!px_emit_is_own(e)], .d = px_emit_place(e, &o[0]), .imm = imm};
    uint32_t *at[2][4] = {{&conv.a, &conv.b, &conv.c, &conv.source4}, {&div.a, &div.b, &div.c, &div.source4}};
    for (unsigned i = 1; i < n; i++) {
        if (o[i].kind == PX_IR_NONE) continue;
        *at[0][i - 1] = px_emit_alone(e, &o[i]);
        *at[1][i - 1] =
            row == fix && px_emit_is_scalar(&o[i]) ? px_emit_row(e, &o[i]) : px_emit_place(e, &o[i]);
    }
    px_emit_versions(e, &conv, &div);
    px_emit_whole(e, fixed[row][0]);
}

void px_emit_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    enum px_fixed fix = resize(o[1].elem, o[0].elem, in->fact);
    if (fix == PX_FIX_COUNT)
        px_code_fail(e->f, e->f->origins.at[in->origin].inst,
                     "has an operand of %u bytes where %u are needed", o[1].elem, o[0].elem);
    px_emit_guard(e, false);
    bool spread = px_emit_is_scalar(&o[1]) && o[1].elem == o[0].elem;
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR || px_emit_keep(e, &o[0]) == PX_IR_LANES) {
        move_alone(e, fix, spread ? broadcasts[o[0].elem] : fix, o, 2, 0);
        return;
    }
    struct px_insn r = {.d = px_emit_place(e, &o[0])};
    if (px_emit_keep(e, &o[1]) == PX_IR_SCALAR && o[1].elem == o[0].elem) { /* a row of what was one value */
        struct px_insn conv = r, div = r;
        conv.fn = e->f->coder->level->fixed[broadcasts[o[0].elem]][e->guard != 0];
        conv.a = px_emit_scalar(e, &o[1]);
        conv.m = e->conv_guard;
        div.fn = e->f->coder->level->fixed[fix][!px_emit_is_own(e)];
        div.a = px_emit_place(e, &o[1]);
        div.m = e->guard;
        px_emit_versions(e, &conv, &div);
        px_emit_whole(e, e->f->coder->level->fixed[fix][0]);
        return;
    }
    r.a = spread ? px_emit_place(e, &o[1]) : px_emit_row(e, &o[1]);
    px_emit_fixed(e, spread ? broadcasts[o[0].elem] : fix, r);
}

void px_emit_canon(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in;
    uint32_t row = px_emit_place(e, &o[0]);
    px_emit_guard(e, false);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) {
        move_alone(e, PX_FIX_canon_f32, PX_FIX_canon_f32, o, 2, 0);
        return;
    }
    px_emit_fixed(e, PX_FIX_canon_f32, (struct px_insn){.d = row, .a = row});
}

void px_emit_move(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, false);
    enum px_fixed fix = (enum px_fixed)(in->op & ~PX_IR_KIND);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) {
        move_alone(e, fix, fix, o, in->nopds, in->aux);
        return;
    }
    struct px_insn r = {.a = px_emit_row(e, &o[1]), .imm = in->aux};
    if (in->nopds > 2) r.b = px_emit_row(e, &o[2]);
    if (in->nopds > 3) r.c = px_emit_row(e, &o[3]);
    if (in->nopds > 4) r.source4 = px_emit_row(e, &o[4]);
    r.d = px_emit_place(e, &o[0]);
    px_emit_fixed(e, fix, r);
}

/* ---- into temporaries ---- */

void px_emit_sreg(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    struct px_insn div = {
        .fn = px_sreg_read, .d = px_emit_place(e, &o[0]), .imm = in->fact, .bytes = o[0].elem};
    struct px_insn conv = div;
    if (px_emit_keep(e, &o[0]) == PX_IR_LANES) /* the term, and nothing else */
        conv = (struct px_insn){.fn = e->f->coder->level->fixed[PX_FIX_copy4][PX_ALONE],
                                .d = px_emit_alone(e, &o[0]),
                                .a = px_emit_constant(e, 0, NULL)};
    px_emit_versions(e, &conv, &div);
}

/* ---- approximate units ---- */

/* What a record needs at run time (px_insn.aux). */
struct call {
    px_unit_row *row;
    enum px_fixed copy; /* of one row of results under a mask */
};

static int run(struct px_gang *g, const struct px_insn *in)
{
    const struct call *c = in->aux;
    c->row(g->frame + in->d, g->frame + in->a, g->frame + in->b, g->n);
    return PX_STEP_NEXT;
}

/* The functions do the whole row; where lanes are masked the result goes through a scratch row. */
static int run_masked(struct px_gang *g, const struct px_insn *in)
{
    const struct call *c = in->aux;
    const struct px_insn copy = {.d = in->d, .a = PX_SCRATCH_D, .m = in->m};
    c->row(g->frame + PX_SCRATCH_D, g->frame + in->a, g->frame + in->b, g->n);
    return g->level->fixed[c->copy][1](g, &copy);
}

const struct px_handler_name px_emit_alu_names[] = {{run, "unit"}, {run_masked, "unit.masked"}, {0}};

void px_emit_unit(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    /* A device made with approx_exact wants the mathematics instead of the chip's interpolation tables. */
    const struct px_units *units =
        e->f->coder->wishes.approx_exact ? &px_units_exact : px_level_units(e->f->coder->level);
    struct call *c = px_arena_alloc(e->f->coder->keep, sizeof *c);
    c->row = units->row[in->fact];
    c->copy = o[0].elem == 2 ? PX_FIX_copy2 : o[0].elem == 4 ? PX_FIX_copy4 : PX_FIX_copy8;
    px_emit_guard(e, false);
    struct px_insn r = {.aux = c, .a = px_emit_row(e, &o[1])};
    r.b = in->nopds > 2 ? px_emit_row(e, &o[2]) : r.a;
    r.d = px_emit_place(e, &o[0]);
    px_emit_guarded(e, (const px_handler[2]){run, run_masked}, r);
}
