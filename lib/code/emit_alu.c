/* emit_alu.c - records of statements, moves between rows, approximate units. */
#include "code/emit.h"
#include "ops/sreg.h"
#include "approx/levels.h"

/* ---- statements ---- */

/* The shape with the most scalars that is there; other scalars are spread into rows. */
static unsigned choose_shape(const struct px_handler_set *set, const struct px_ir_opd *s, unsigned n)
{
    unsigned want = 0, best = 0, most = 0;
    for (unsigned i = 0; i < n; i++) want |= (unsigned)px_emit_is_scalar(&s[i]) << i;
    for (unsigned shape = 0; shape < PX_SHAPES; shape++) {
        unsigned bits = (unsigned)__builtin_popcount(shape);
        if (shape & ~want || !set->fn[0][shape] || (shape && bits <= most)) continue;
        best = shape;
        most = bits;
    }
    return best;
}

void px_emit_statement(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    const struct px_handler_set *set = &e->f->coder->level->sets[in->op & ~PX_IR_KIND];
    const struct px_ir_opd *s = o + in->ndst;
    unsigned n = in->nopds - in->ndst - set->carry, shape = choose_shape(set, s, n);
    uint32_t at[3] = {0};
    px_handler fn = set->fn[0][shape], masked = set->fn[1][shape];
    if (!fn) px_code_fail(e->f, e->f->origins.at[in->origin].inst, "has no handler");
    px_emit_guard(e, false);
    for (unsigned i = 0; i < n; i++) at[i] = shape >> i & 1 ? px_emit_place(e, &s[i]) : px_emit_row(e, &s[i]);
    struct px_insn r = {.d = px_emit_place(e, &o[0]), .a = at[0], .b = at[1], .c = at[2]};
    if (set->pair) r.e = px_emit_place(e, &o[1]);
    if (set->carry) r.x[0] = px_emit_place(e, &o[in->ndst - 1]);
    if (px_emit_is_own(e)) {
        px_emit_both(e, fn, r);
        return;
    }
    if (!masked) {
        masked = e->f->coder->level->fixed[PX_FIX_blend][1];
        r.inner = fn;
        r.size = set->elem;
        r.flags = (uint8_t)((set->pair ? PX_IF_PAIR : 0) | (set->carry ? PX_IF_CARRY : 0));
    }
    px_emit_guarded(e, (px_handler[2]){fn, masked}, r);
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

void px_emit_copy(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    enum px_fixed fix = resize(o[1].elem, o[0].elem, in->fact);
    if (fix == PX_FIX_COUNT)
        px_code_fail(e->f, e->f->origins.at[in->origin].inst,
                     "has an operand of %u bytes where %u are needed", o[1].elem, o[0].elem);
    px_emit_guard(e, false);
    bool spread = px_emit_is_scalar(&o[1]) && o[1].elem == o[0].elem;
    struct px_insn r = {.a = spread ? px_emit_place(e, &o[1]) : px_emit_row(e, &o[1])};
    r.d = px_emit_place(e, &o[0]);
    px_emit_fixed(e, spread ? broadcasts[o[0].elem] : fix, r);
}

void px_emit_canon(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    (void)in;
    uint32_t row = px_emit_place(e, &o[0]);
    px_emit_guard(e, false);
    px_emit_fixed(e, PX_FIX_canon_f32, (struct px_insn){.d = row, .a = row});
}

void px_emit_move(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    px_emit_guard(e, false);
    struct px_insn r = {.a = px_emit_row(e, &o[1]), .imm = in->aux};
    if (in->nopds > 2) r.b = px_emit_row(e, &o[2]);
    if (in->nopds > 3) r.c = px_emit_row(e, &o[3]);
    if (in->nopds > 4) r.x[0] = px_emit_row(e, &o[4]);
    r.d = px_emit_place(e, &o[0]);
    px_emit_fixed(e, (enum px_fixed)(in->op & ~PX_IR_KIND), r);
}

/* ---- into temporaries ---- */

void px_emit_sreg(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    px_emit_both(e, px_sreg_read,
                 (struct px_insn){.d = px_emit_place(e, &o[0]), .imm = in->fact, .size = o[0].elem});
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

void px_emit_unit(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_opd *o)
{
    /* A device made with approx_exact wants the mathematics instead of the chip's interpolation tables. */
    const struct px_units *units =
        e->f->coder->approx_exact ? &px_units_exact : px_level_units(e->f->coder->level);
    struct call *c = px_arena_alloc(e->f->coder->keep, sizeof *c);
    c->row = units->row[in->fact];
    c->copy = o[0].elem == 2 ? PX_FIX_copy2 : o[0].elem == 4 ? PX_FIX_copy4 : PX_FIX_copy8;
    px_emit_guard(e, false);
    struct px_insn r = {.aux = c, .a = px_emit_row(e, &o[1])};
    r.b = in->nopds > 2 ? px_emit_row(e, &o[2]) : r.a;
    r.d = px_emit_place(e, &o[0]);
    px_emit_guarded(e, (const px_handler[2]){run, run_masked}, r);
}
