/* emit/alu.c - records of statements, moves between rows, approximate units. */
#include "code/emit/emit.h"
#include "code/emit/names.h"
#include "code/ir/terms.h"
#include "ops/sreg.h"
#include "approx/levels.h"

/* ---- statements ---- */

/* The operands: where each is a scalar (PX_NONE32: it is a row), and which handler takes them. */
struct shape {
    uint32_t scalar[3];
    struct px_ir_shape is;
};

/* Does this version keep it as something plus a scalar, and no row? */
static bool is_sum(const struct px_emitter *e, const struct px_ir_operand *o)
{
    const enum px_ir_keep keep = px_emit_keep(e, o);
    return keep == PX_IR_OFFSET || (keep == PX_IR_LANES && !e->f->regs.at[o->at].spread);
}

/* The place of source i. What the handler does not take as it is becomes a row. */
static uint32_t source(struct px_emitter *e, const struct px_ir_operand *o, const struct shape *s, unsigned i)
{
    const bool scalar = s->scalar[i] != PX_NONE32, sum = !scalar && is_sum(e, o);
    if (scalar && s->is.bits >> px_ir_shape_place(s->is, i) & 1) return s->scalar[i];
    if (!scalar && !sum) return px_emit_place(e, o);
    const uint32_t temp = px_emit_temp(e, o->elem);
    struct px_insn r = {
        .fn = e->f->coder->level->fixed[px_emit_broadcast(o->elem)][0], .d = temp, .a = s->scalar[i]};
    if (sum) r = px_emit_sum(e, o->at, temp);
    px_emit_record_of(e, r.fn, &r);
    return temp;
}

/* The statement for one value, in convergent code. */
static void emit_alone(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_handler_set *set = &e->f->coder->level->sets[in->op];
    struct px_insn r = {.d = px_emit_alone(e, &o[0])};
    uint32_t *at[3] = {&r.a, &r.b, &r.c};
    if (px_terms_guard(e->f, in) == PX_TERMS_COMPARE) return; /* the question has answered it */
    for (unsigned i = 0; i < px_ir_sources(e->f, in); i++) *at[i] = px_emit_alone(e, &o[in->ndst + i]);
    if (set->pair) r.e = px_emit_scalar(e, &o[1]);
    px_emit_record_of(e, set->alone, &r);
}

static void set_sources(struct px_insn *r, struct px_ir_shape shape, const uint32_t at[3])
{
    r->a = at[shape.swapped];
    r->b = at[!shape.swapped];
    r->c = at[2];
}

/* Under the mask: where no handler looks at one, `blend` does. */
static void emit_masked(struct px_emitter *e, const struct px_handler_set *set, unsigned bits,
                        struct px_insn r)
{
    r.m = e->guard;
    if (set->fn[1][bits]) {
        px_emit_record_of(e, set->fn[1][bits], &r);
        return;
    }
    r.inner = set->fn[0][bits];
    r.bytes = set->elem;
    r.flags = (uint8_t)((set->pair ? PX_INSN_PAIR : 0) | (set->carry ? PX_INSN_CARRY : 0));
    px_emit_record_of(e, e->f->coder->level->fixed[PX_FIX_blend][1], &r);
}

void px_emit_statement(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    const struct px_handler_set *set = &e->f->coder->level->sets[in->op];
    const struct px_ir_operand *s = o + in->ndst;
    const unsigned n = px_ir_sources(e->f, in);
    struct shape shape = {.is = px_ir_shape_of(in, e->version)};
    uint32_t at[3] = {0};
    if (px_emit_together(e) && px_ir_is_alone(e->f, in)) {
        emit_alone(e, in, o);
        return;
    }
    if (!set->fn[0][shape.is.bits]) px_code_fail(e->f, e->f->origins.at[in->origin].inst, "has no handler");
    px_emit_guard(e, false);
    for (unsigned i = 0; i < n; i++) {
        shape.scalar[i] = px_emit_scalar(e, &s[i]);
        at[i] = source(e, &s[i], &shape, i);
    }
    struct px_insn r = {.d = px_emit_place(e, &o[0])};
    if (set->pair) r.e = px_emit_place(e, &o[1]);
    if (set->carry) r.carry = px_emit_place(e, &o[in->ndst - 1]);
    set_sources(&r, shape.is, at);
    if (px_emit_is_own(e) || !px_emit_is_masked(e))
        px_emit_record_of(e, set->fn[0][shape.is.bits], &r);
    else
        emit_masked(e, set, shape.is.bits, r);
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
    struct px_insn r = {.fn = f->coder->level->fixed[PX_FIX_copy8][PX_ALONE], .d = d->slot, .a = added};
    if (kept && sum) {
        r.fn = f->coder->level->sets[in->op].alone;
        r.b = f->regs.at[from].slot;
    } else if (kept) {
        r.a = f->regs.at[from].slot;
    }
    px_emit_record_of(e, r.fn, &r);
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

/* A move into a kept scalar: `fix` for one value. */
static void move_alone(struct px_emitter *e, enum px_fixed fix, const struct px_ir_operand *o, unsigned n,
                       uint64_t imm)
{
    struct px_insn r = {.d = px_emit_alone(e, &o[0]), .imm = imm};
    uint32_t *at[4] = {&r.a, &r.b, &r.c, &r.source4};
    for (unsigned i = 1; i < n; i++)
        if (o[i].kind != PX_IR_NONE) *at[i - 1] = px_emit_alone(e, &o[i]);
    px_emit_record_of(e, e->f->coder->level->fixed[fix][PX_ALONE], &r);
}

void px_emit_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    enum px_fixed fix = resize(o[1].elem, o[0].elem, in->fact);
    if (fix == PX_FIX_COUNT)
        px_code_fail(e->f, e->f->origins.at[in->origin].inst,
                     "has an operand of %u bytes where %u are needed", o[1].elem, o[0].elem);
    px_emit_guard(e, false);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR || px_emit_keep(e, &o[0]) == PX_IR_LANES) {
        move_alone(e, fix, o, 2, 0);
        return;
    }
    const uint32_t scalar = o[1].elem == o[0].elem ? px_emit_scalar(e, &o[1]) : PX_NONE32;
    struct px_insn r = {.d = px_emit_place(e, &o[0])};
    r.a = scalar != PX_NONE32 ? scalar : px_emit_row(e, &o[1]);
    px_emit_fixed(e, scalar != PX_NONE32 ? px_emit_broadcast(o[0].elem) : fix, r);
}

void px_emit_canon(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    (void)in;
    uint32_t row = px_emit_place(e, &o[0]);
    px_emit_guard(e, false);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) {
        move_alone(e, PX_FIX_canon_f32, o, 2, 0);
        return;
    }
    px_emit_fixed(e, PX_FIX_canon_f32, (struct px_insn){.d = row, .a = row});
}

void px_emit_move(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o)
{
    px_emit_guard(e, false);
    enum px_fixed fix = (enum px_fixed)(in->op & ~PX_IR_KIND);
    if (px_emit_keep(e, &o[0]) == PX_IR_SCALAR) {
        move_alone(e, fix, o, in->nopds, in->aux);
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
    if (px_emit_keep(e, &o[0]) == PX_IR_LANES) /* the term, and nothing else */
        px_emit_record(e, e->f->coder->level->fixed[PX_FIX_copy4][PX_ALONE],
                       (struct px_insn){.d = px_emit_alone(e, &o[0]), .a = px_emit_constant(e, 0, NULL)});
    else
        px_emit_record(e, px_sreg_read,
                       (struct px_insn){.d = px_emit_place(e, &o[0]), .imm = in->fact, .bytes = o[0].elem});
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
    struct call *c = px_emit_node(e, sizeof *c);
    c->row = units->row[in->fact];
    c->copy = o[0].elem == 2 ? PX_FIX_copy2 : o[0].elem == 4 ? PX_FIX_copy4 : PX_FIX_copy8;
    px_emit_guard(e, false);
    struct px_insn r = {.aux = px_emit_kept(e, c, sizeof *c), .a = px_emit_row(e, &o[1])};
    r.b = in->nopds > 2 ? px_emit_row(e, &o[2]) : r.a;
    r.d = px_emit_place(e, &o[0]);
    px_emit_guarded(e, (const px_handler[2]){run, run_masked}, r);
}
