/* shape.c - see shape.h. What emission makes of an instruction, as passes before it may know it. */
#include "code/ir/shape.h"
#include "code/ir/terms.h"
#include "gang/fpmode.h"

/* ---- shapes ---- */

static unsigned count(unsigned bits)
{
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1);
}

static unsigned best_shape(const struct px_handler_set *set, unsigned want, unsigned most)
{
    unsigned best = 0;
    if (!want || (count(want) <= most && set->fn[0][want])) return want;
    for (unsigned shape = 1; shape < PX_SHAPES; shape++) {
        if (shape & ~want || !set->fn[0][shape]) continue;
        const unsigned bits = count(shape);
        if (bits <= most && bits > count(best)) best = shape;
    }
    return best;
}

enum { SWAPPED = 8 };

/* The shape with the most scalars of those wanted that is there. */
static unsigned choose_shape(const struct px_irfn *f, const struct px_handler_set *set, unsigned want)
{
    const bool plain = !(f->coder->wishes.engine & PX_ENGINE_shapes);
    const unsigned bits = best_shape(set, want, plain ? 1 : 3);
    if (!set->swaps || plain || !want) return bits;
    const unsigned swapped = best_shape(set, (want & 4) | (want & 1) << 1 | (want & 2) >> 1, 3);
    return count(swapped) > count(bits) ? swapped | SWAPPED : bits;
}

static const struct px_handler_set *set_of(const struct px_irfn *f, const struct px_ir_inst *in)
{
    return &f->coder->level->sets[in->op & ~PX_IR_KIND];
}

unsigned px_ir_sources(const struct px_irfn *f, const struct px_ir_inst *in)
{
    return in->nopds - in->ndst - (unsigned)set_of(f, in)->carry;
}

static enum px_ir_keep keep_of(const struct px_irfn *f, const struct px_ir_opd *o)
{
    const uint32_t reg = px_ir_register(o);
    return reg == PX_NONE32 ? PX_IR_ROW : (enum px_ir_keep)f->regs.at[reg].keep;
}

static bool is_scalar(const struct px_irfn *f, const struct px_ir_opd *o, enum px_ir_version version,
                      bool alone)
{
    const enum px_ir_keep keep = keep_of(f, o);
    if (o->kind == PX_IR_UNIFORM || o->kind == PX_IR_PARAM || o->kind == PX_IR_IMM) return true;
    return version == PX_IR_CONVERGENT && (keep == PX_IR_SCALAR || (alone && keep == PX_IR_LANES));
}

uint8_t px_ir_shapes_of(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *s = px_ir_opds(f, in) + in->ndst;
    const unsigned n = px_ir_sources(f, in);
    const bool alone = px_ir_is_alone(f, in);
    unsigned convergent = 0, divergent = 0;
    for (unsigned i = 0; i < n; i++) {
        convergent |= (unsigned)is_scalar(f, &s[i], PX_IR_CONVERGENT, alone) << i;
        divergent |= (unsigned)is_scalar(f, &s[i], PX_IR_DIVERGENT, alone) << i;
    }
    if (!convergent) return 0; /* what is one in divergent code is one in both */
    const struct px_handler_set *set = set_of(f, in);
    const unsigned shape = choose_shape(f, set, convergent);
    return (uint8_t)(shape << 4 | (divergent == convergent ? shape : choose_shape(f, set, divergent)));
}

void px_ir_shapes(struct px_irfn *f)
{
    for (uint32_t i = 0; i < f->insts.n; i++)
        if (px_ir_kind_of(f->insts.at[i].op) == PX_IR_STATEMENT)
            f->insts.at[i].shapes = px_ir_shapes_of(f, &f->insts.at[i]);
}

/* ---- versions ---- */

bool px_ir_is_alone(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const enum px_ir_keep keep = keep_of(f, px_ir_opds(f, in));
    return keep == PX_IR_SCALAR || keep == PX_IR_LANES;
}

bool px_ir_is_step(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    if (in->ndst != 1 || keep_of(f, o) != PX_IR_OFFSET) return false;
    return f->regs.at[o->at].base != o->at || px_ir_stepped(f, in) == o->at;
}

bool px_ir_is_surveyed(const struct px_irfn *f, const struct px_ir_inst *in, const struct px_ir_opd *address)
{
    if (!px_ir_is_served(in, address)) return false;
    const struct px_ir_reg *r = &f->regs.at[address->at];
    if (r->keep == PX_IR_SCALAR || r->keep == PX_IR_LANES) return r->keep == PX_IR_LANES;
    return f->regs.at[r->keep == PX_IR_OFFSET ? r->base : address->at].survey;
}

bool px_ir_begins(const struct px_irfn *f, const struct px_ir_inst *in, unsigned flags)
{
    const struct px_ir_inst *end = f->insts.at + f->insts.n;
    for (const uint32_t origin = in->origin; in < end && in->origin == origin; in++)
        if (px_ir_flags(in->op) & flags) return true;
    return false;
}

uint32_t px_ir_mode_asked(uint32_t mode, const struct px_ir_inst *in)
{
    switch (in->fp) {
    case PX_IR_FP_HOME: return PX_FP_HOME;
    case PX_IR_FP_NEAREST: return (mode & 3) == PX_FP_RN ? mode : PX_FP_RN;
    default: return in->fp;
    }
}

/* ---- records ---- */

/* Do its sources go to the handler as they are? */
static bool fits(const struct px_irfn *f, const struct px_ir_inst *in, enum px_ir_version version)
{
    const struct px_ir_opd *s = px_ir_opds(f, in) + in->ndst;
    const struct px_ir_shape shape = px_ir_shape_of(in, version);
    const unsigned n = px_ir_sources(f, in);
    if (version == PX_IR_CONVERGENT && px_ir_is_alone(f, in)) return true;
    for (unsigned i = 0; i < n; i++) {
        const enum px_ir_keep keep = keep_of(f, &s[i]);
        const bool taken = shape.bits >> px_ir_shape_place(shape, i) & 1;
        const bool lanes = keep == PX_IR_LANES && !f->regs.at[s[i].at].spread;
        if (is_scalar(f, &s[i], version, false)
                ? !taken
                : version == PX_IR_CONVERGENT && (keep == PX_IR_OFFSET || lanes))
            return false;
    }
    return true;
}

/* Convergent code has a survey, or what is added to a row, forget what the row was; or it makes a row. */
static bool tells(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    for (uint32_t k = 0; k < in->ndst; k++) {
        if (o[k].kind != PX_IR_REG) continue;
        const struct px_ir_reg *r = &f->regs.at[o[k].at];
        if (r->survey || r->keep == PX_IR_OFFSET || (r->keep == PX_IR_LANES && r->spread)) return true;
    }
    return false;
}

static enum px_ir_size size_of_statement(const struct px_irfn *f, const struct px_ir_inst *in)
{
    if (px_terms_guard(f, in) != PX_TERMS_NONE || !fits(f, in, PX_IR_CONVERGENT) ||
        !fits(f, in, PX_IR_DIVERGENT))
        return PX_IR_MORE;
    return !px_ir_is_step(f, in) && tells(f, in) ? PX_IR_ONE_AND_MORE : PX_IR_ONE;
}

/* A load or store of one element as wide as its register, by a survey that is known. */
static enum px_ir_size size_of_access(const struct px_irfn *f, const struct px_ir_inst *in)
{
    const struct px_code_wishes *wishes = &f->coder->wishes;
    const struct px_ir_opd *o = px_ir_opds(f, in), *address = &o[in->ndst], *value = &o[!in->ndst];
    if (in->nopds != 2 || wishes->traces || (wishes->counters && f->counted.at[in->origin].guarded) ||
        !px_ir_is_surveyed(f, in, address) || value->kind != PX_IR_REG || keep_of(f, value) != PX_IR_ROW ||
        value->elem != address->elem)
        return PX_IR_MORE;
    return tells(f, in) ? PX_IR_ONE_AND_MORE : PX_IR_ONE;
}

enum px_ir_size px_ir_size_of(const struct px_irfn *f, const struct px_ir_inst *in)
{
    if (px_ir_makes_none(in)) return PX_IR_NO_RECORD;
    if (in->guard != PX_NONE32) return PX_IR_MORE;
    if (px_ir_kind_of(in->op) == PX_IR_STATEMENT) return size_of_statement(f, in);
    if (in->op == PX_IR_CANON) return tells(f, in) ? PX_IR_ONE_AND_MORE : PX_IR_ONE;
    return px_ir_flags(in->op) & PX_OPERATION_offsets ? size_of_access(f, in) : PX_IR_MORE;
}
