/*
 * fuse.c - convergent records that do the work of several.
 *
 * Looks at the record that was just made and the ones before it, of the same block. Statements, each of
 * which is the only reader of what the one before it computes, become one loop (`fuse` lines of the table);
 * the fused record takes the place of the first and steps over the others. Two loads and the fma that
 * multiplies what they find become one pass over memory; when not all lanes are plainly there, it is the
 * first load that runs, and the records behind it follow. A load from a scalar plus a row of numbers times
 * its size, where nobody else wants the product or the sum, takes the numbers themselves. What makes NaNs the
 * chip's before a store does so while it stores, unless lanes do not name neighbours. In divergent code
 * nothing changes.
 */
#include "code/emit/emit.h"
#include "gen/handlers.h"

bool px_fuse_dies(const struct px_irfn *f, const struct px_ir_opd *d, const struct px_ir_inst *in,
                  uint32_t place)
{
    const struct px_ir_opd *o = px_ir_opds(f, in);
    const struct px_ir_reg *r = &f->regs.at[d->at];
    const uint32_t late = px_ir_in_place(in) ? 0 : 2; /* rows.c, too */
    uint32_t reads = 0;
    if (r->temp || r->last != place * PX_IR_STEP + late) return false;
    for (uint32_t k = in->ndst; k < in->nopds; k++) reads += px_ir_register(&o[k]) == d->at;
    return reads == 1;
}

/* Is the instruction that was just emitted the last reader of the register, and reads it once? */
static bool dies(const struct px_emitter *e, const struct px_ir_opd *d)
{
    if (d->kind != PX_IR_REG) return false;
    const struct px_ir_reg *r = &e->f->regs.at[d->at];
    return r->keep == PX_IR_ROW && !r->survey && px_fuse_dies(e->f, d, e->in, e->placed - 1);
}

/*
 * The instruction behind which the record at pc follows, when it made one record, at pc - 1, in this block.
 * Those without a record are passed over. `in` and *place are of the instruction at pc, then of the one
 * found.
 */
static const struct px_ir_inst *before(const struct px_emitter *e, const struct px_ir_inst *in,
                                       uint32_t *place, uint32_t pc)
{
    while (*place && pc > e->block_pc) {
        --*place, in--;
        if (e->pc_at[*place] == pc) continue;
        return e->pc_at[*place] == pc - 1 ? in : NULL;
    }
    return NULL;
}

bool px_fuse_next(const struct px_level *level, struct px_insn *head, uint32_t n)
{
    const struct px_insn *next = head + n;
    uint32_t *const places[] = {&head->a, &head->b, &head->c, &head->x[0], &head->x[1], &head->e};
    for (const struct px_fused *x = level->fused; x->fn; x++) {
        const uint32_t from[3] = {next->a, next->b, next->c};
        const bool masked = x->masked && next->fn == x->second_masked;
        if (x->first != head->fn || (x->second != next->fn && !masked) || from[x->at] != head->d) continue;
        for (uint32_t i = 0, to = x->before; i < x->nsources; i++)
            if (i != x->at) *places[to++] = from[i];
        head->fn = masked ? x->masked : x->fn;
        head->m = next->m;
        head->d = next->d;
        head->ord = next->ord;
        return true;
    }
    return false;
}

/* The record that was just made goes with the one before it, or with the fused one that ends there. */
static void fuse_statements(struct px_emitter *e)
{
    const uint32_t last = e->n - 1;
    uint32_t place = e->placed - 1;
    const struct px_ir_inst *in = before(e, e->in, &place, last);
    if (!in || px_ir_kind_of(in->op) != PX_IR_STATEMENT || !dies(e, px_ir_opds(e->f, in))) return;
    const bool goes_on = e->fused.n && e->fused_end == last;
    const uint32_t head = goes_on ? e->fused.at[e->fused.n - 1] : last - 1;
    if (!px_fuse_next(e->f->coder->level, &e->f->code->conv[head], last - head)) return;
    if (!goes_on) px_vec_push(e->f->coder->pass, &e->fused, head);
    e->fused_end = e->n;
}

/* d = a * b + c where both factors were loaded for this. */
static void fuse_loads(struct px_emitter *e, enum px_fixed load, enum px_fixed fused)
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    const struct px_insn *fma = &e->f->code->conv[e->n - 1];
    struct px_insn *first = &e->f->code->conv[e->n - 1] - 2;
    uint32_t place = e->placed - 1;
    const struct px_ir_inst *y = before(e, e->in, &place, e->n - 1);
    const struct px_ir_inst *x = y ? before(e, y, &place, e->n - 2) : NULL;
    if (!x || !px_ir_loads(x) || !px_ir_loads(y)) return;
    if (first->fn != fixed[load][PX_SURVEYED] || first[1].fn != fixed[load][PX_SURVEYED]) return;
    if (!dies(e, px_ir_opds(e->f, x)) || !dies(e, px_ir_opds(e->f, y))) return;
    const bool straight = fma->a == first->d && fma->b == first[1].d,
               crossed = fma->b == first->d && fma->a == first[1].d;
    if (!straight && !crossed) return;
    struct px_insn *kept = px_arena_alloc(e->f->coder->keep, sizeof *kept);
    *kept = *first;
    px_vec_push(e->f->coder->pass, &e->replaced, kept);
    first->fn = fixed[fused][0];
    first->aux = kept;
    px_vec_push(e->f->coder->pass, &e->fused, e->n - 3);
    e->fused_end = e->n;
}

void px_fuse(struct px_emitter *e)
{
    const struct px_level *level = e->f->coder->level;
    if (!(e->f->coder->wishes.engine & PX_ENGINE_fusion) || e->pc_at[e->placed - 1] != e->n - 1) return;
    const px_handler fn = e->f->code->conv[e->n - 1].fn;
    fuse_statements(e);
    if (fn == level->sets[PX_H_fma_f32].fn[0][0]) fuse_loads(e, PX_FIX_ld_u32_4, PX_FIX_ldldfma_f32);
    if (fn == level->sets[PX_H_fma_f64].fn[0][0]) fuse_loads(e, PX_FIX_ld_u64_8, PX_FIX_ldldfma_f64);
}

/* Floats that are stored: what the row holds need not be the chip's NaNs when nobody reads it any more. */
void px_fuse_store(struct px_emitter *e)
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    const struct px_ir_opd *o = px_ir_opds(e->f, e->in);
    struct px_insn *store = &e->f->code->conv[e->n - 1], *canon = store - 1;
    uint32_t place = e->placed - 1;
    if (!(e->f->coder->wishes.engine & PX_ENGINE_fusion) || e->pc_at[place] != e->n - 1) return;
    const struct px_ir_inst *in = before(e, e->in, &place, e->n - 1);
    if (!in || in->op != PX_IR_CANON || !dies(e, &o[1])) return;
    if (store->fn == fixed[PX_FIX_st_32_4][PX_SURVEYED] && canon->fn == fixed[PX_FIX_canon_f32][0] &&
        canon->d == store->b)
        canon->fn = fixed[PX_FIX_canon_st][0];
}

/* Is the record's work done by one before it? */
static bool is_done(const struct px_emitter *e, uint32_t pc)
{
    return e->fused.n && e->fused.at[e->fused.n - 1] < pc && pc < e->fused_end;
}

/* Which of the gathers: by the bytes of an element, and whether numbers have a sign. */
static enum px_fixed gather_of(const struct px_emitter *e, const struct px_insn *load, bool sign,
                               uint32_t bytes)
{
    const px_handler(*fixed)[4] = e->f->coder->level->fixed;
    if (bytes == 4 && load->fn == fixed[PX_FIX_ld_u32_4][PX_SURVEYED])
        return sign ? PX_FIX_gather_s32_4 : PX_FIX_gather_u32_4;
    if (bytes == 8 && load->fn == fixed[PX_FIX_ld_u64_8][PX_SURVEYED])
        return sign ? PX_FIX_gather_s32_8 : PX_FIX_gather_u32_8;
    return PX_FIX_COUNT;
}

/*
 * mul.wide p, n, size; add q, p, scalar; ld d, [q]: the load looks at n, and the product, whose row and
 * survey nobody wants, is made only where that is not enough. Nothing between the three can leave convergent
 * code.
 */
void px_fuse_gather(struct px_emitter *e)
{
    const struct px_irfn *f = e->f;
    const uint32_t place = e->placed - 1, pc = e->n - 1;
    if (!(f->coder->wishes.engine & PX_ENGINE_fusion) || f->coder->wishes.shuffles || place < 2 ||
        e->pc_at[place] != pc || pc < e->block_pc + 3 || e->pc_at[place - 1] != pc - 1 ||
        e->pc_at[place - 2] != pc - 3)
        return;
    const struct px_ir_inst *add = e->in - 1, *mul = e->in - 2;
    const struct px_ir_opd *o = px_ir_opds(f, e->in), *sum = px_ir_opds(f, add),
                           *product = px_ir_opds(f, mul);
    const bool sign = mul->op == (PX_IR_STATEMENT | PX_H_mul_wide_s32);
    if (!sign && mul->op != (PX_IR_STATEMENT | PX_H_mul_wide_u32)) return;
    if (o[1].kind != PX_IR_ADDRESS || o[1].base != PX_IR_REG || add->ndst != 1 || sum[0].at != o[1].at ||
        product[2].kind != PX_IR_IMM || px_ir_stepped(f, add) != product[0].at)
        return;
    const struct px_ir_reg *q = &f->regs.at[o[1].at], *p = &f->regs.at[product[0].at];
    struct px_insn *load = &f->code->conv[pc], *first = load - 3;
    const uint32_t number = sign ? PX_H_mul_wide_s32 : PX_H_mul_wide_u32, end = place * PX_IR_STEP;
    const enum px_fixed gather = gather_of(e, load, sign, (uint32_t)*px_ir_value(f, mul, &product[2]));
    if (gather == PX_FIX_COUNT || q->keep != PX_IR_OFFSET || q->base != product[0].at || q->last > end + 2 ||
        p->last > end + 2 || q->first < end - PX_IR_STEP || p->first < end - 2 * PX_IR_STEP ||
        first->fn != f->coder->level->sets[number].fn[0][2])
        return;
    if (is_done(e, pc - 3)) return;
    load->fn = f->coder->level->fixed[gather][0];
    load->b = number;
    load->c = 3;
    first[0].fn = first[1].fn = px_emit_no_record;
}
