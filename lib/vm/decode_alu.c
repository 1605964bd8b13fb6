/*
 * decode_alu.c - records of the instructions whose meaning is a statement.
 *
 * The handler comes from the table (px_match_handler); here its operands are
 * found, scalars that no instance takes are spread into rows, and NaNs are made
 * canonical for statements that look at bits. Comparisons ([compare] rows: set,
 * setp) give mask rows, which further records combine with a predicate and turn
 * into the destination's type: so that operators, types and destinations add up
 * instead of multiplying.
 */
#include "vm/decode.h"

/* ---- sources ---- */

/* Makes a register's NaN canonical before its bits are looked at. */
void px_dec_canonical(struct px_fn_dec *d, const struct px_operand *o)
{
    if (o->kind >= PX_O_VEC && o->kind <= PX_O_INDEX)
        for (uint32_t i = 0; i < o->n; i++) px_dec_canonical(d, &o->u.list[i]);
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG) return;
    for (uint32_t i = 0, n = px_dec_components(d, o); i < n; i++) {
        const struct px_vreg *v = &d->vregs[px_dec_vreg(d, o, i)];
        if (!v->dirty || v->row == PX_NONE32) continue;
        const px_handler *fn = d->dec->level->fixed[PX_FIX_canon_f32];
        px_dec_emit(d, fn[0], fn[1], &(struct px_insn){.d = v->row, .a = v->row});
    }
}

/* mov, selp or slct whose result is as dirty as its sources. */
static bool keeps_dirt(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    if (item->op != PX_OP_mov && item->opcode != PX_W_selp && item->opcode != PX_W_slct) return false;
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG) return false;
    return px_dec_components(d, o) == 1 && d->vregs[px_dec_vreg(d, o, 0)].dirty;
}

/*
 * Sources whose bits this instruction looks at: all that are not read as numbers. Of the statements on bits
 * only copies, copysign and cvt can tell one NaN from another.
 */
void px_dec_canonical_sources(struct px_fn_dec *d, const struct px_dinst *item, unsigned first)
{
    if (keeps_dirt(d, item)) return;
    bool handler = item->handler >= 0, floats = handler && d->dec->level->sets[item->handler].f32_sources;
    bool tells = item->opcode == PX_W_copysign || item->opcode == PX_W_cvt || item->opcode == PX_W_selp ||
                 item->opcode == PX_W_slct;
    for (unsigned i = first; i < item->inst->nopds; i++) {
        bool number = handler && item->match.type[i] == PX_T_F32 && (floats || !tells);
        if (!number) px_dec_canonical(d, &item->inst->opds[i]);
    }
}

/* The predicate that a comparison is combined with (setp.lt.and ...); NULL when there is none. */
static const struct px_operand *combined(const struct px_dinst *item)
{
    const struct px_inst *inst = item->inst;
    unsigned last = inst->nopds - 1u;
    bool has = px_form_compares(item->match.form) && inst->nopds > 3 && item->match.type[last] == PX_T_PRED;
    return has ? &inst->opds[last] : NULL;
}

/* The source of a [wide] row: a half as f32, an integer as f64 (beyond 2^53 with a sticky last bit). */
static struct px_src widened(struct px_fn_dec *d, struct px_src s, enum px_type *type)
{
    static const uint8_t fix[PX_T_COUNT] = {
        [PX_T_U8] = PX_FIX_f64_of_u8,   [PX_T_S8] = PX_FIX_f64_of_s8,   [PX_T_U16] = PX_FIX_f64_of_u16,
        [PX_T_S16] = PX_FIX_f64_of_s16, [PX_T_U32] = PX_FIX_f64_of_u32, [PX_T_S32] = PX_FIX_f64_of_s32,
        [PX_T_U64] = PX_FIX_f64_of_u64, [PX_T_S64] = PX_FIX_f64_of_s64, [PX_T_F16] = PX_FIX_f32_of_f16,
        [PX_T_BF16] = PX_FIX_f32_of_bf16};
    enum px_fixed widen = fix[*type];
    if (!widen) return s; /* f32 and f64 stay */
    uint32_t row = px_dec_as_row(d, s, px_dec_elem(*type));
    *type = px_type_info(*type)->klass == PX_TC_FLOAT ? PX_T_F32 : PX_T_F64;
    uint32_t temp = px_dec_temp(d, px_dec_elem(*type));
    px_dec_temp_fixed(d, widen, (struct px_insn){.d = temp, .a = row});
    return (struct px_src){temp, false};
}

/* The sources that the statement reads, in order. */
static unsigned arithmetic_sources(struct px_fn_dec *d, const struct px_dinst *item, struct px_src s[3],
                                   enum px_type t[3])
{
    unsigned min, n = px_form_opds(item->match.form, &min), k = 0;
    for (unsigned i = 0; i < n && i < item->inst->nopds; i++) {
        if (px_form_opd(item->match.form, i)->flags & PX_OF_DST || &item->inst->opds[i] == combined(item)) continue;
        if (k == 3) px_dec_fail(d, item->inst, "has more sources than a handler takes");
        t[k] = item->match.type[i];
        // cppcheck-suppress arrayIndexOutOfBoundsCond ; px_dec_fail does not return
        s[k] = px_dec_src(d, &item->inst->opds[i], t[k]);
        if (px_form_widens(item->match.form)) s[k] = widened(d, s[k], &t[k]);
        k++;
    }
    return k;
}

/* The shape with the most scalars that is there; other scalars are spread into rows. */
static unsigned choose_shape(struct px_fn_dec *d, const struct px_handler_set *set, struct px_src s[3],
                             const enum px_type t[3], unsigned n)
{
    unsigned want = 0, best = 0, most = 0;
    for (unsigned i = 0; i < n; i++) want |= (unsigned)s[i].scalar << i;
    for (unsigned shape = 0; shape < PX_SHAPES; shape++) {
        unsigned bits = (unsigned)__builtin_popcount(shape);
        if (shape & ~want || !set->fn[0][shape] || (shape && bits <= most)) continue;
        best = shape;
        most = bits;
    }
    for (unsigned i = 0; i < n; i++)
        if (s[i].scalar && !(best >> i & 1)) {
            s[i].at = px_dec_as_row(d, s[i], px_dec_elem(t[i]));
            s[i].scalar = false;
        }
    return best;
}

static uint32_t carry_row(struct px_fn_dec *d)
{
    if (!d->carry) {
        d->carry = d->frame_bytes;
        d->frame_bytes += 4 * d->dec->width;
    }
    return d->carry;
}

static bool destination(const struct px_dinst *item, const struct px_operand **d, const struct px_operand **e)
{
    const struct px_operand *o = item->inst->opds;
    *d = o;
    *e = NULL;
    if (!item->inst->nopds) return false;
    if (o->kind == PX_O_PAIR) {
        *d = &o->u.list[0];
        *e = &o->u.list[1];
    }
    return true;
}

/* The definition of a register that is a scalar leaves no record. */
bool px_dec_is_scalar(struct px_fn_dec *d, const struct px_operand *o)
{
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG || px_dec_components(d, o) != 1)
        return false;
    return d->vregs[px_dec_vreg(d, o, 0)].scalar != PX_NONE32;
}

/* One record of the statement: under the guard, or into temporaries. */
static void emit_statement(struct px_fn_dec *d, const struct px_handler_set *set, unsigned shape,
                           struct px_insn in, bool temporary)
{
    px_handler fn = set->fn[0][shape], masked = set->fn[1][shape];
    if (!fn) px_dec_fail(d, d->item->inst, "has no handler");
    if (temporary) {
        px_dec_other(d, fn, in);
        return;
    }
    if (!masked) {
        masked = d->dec->level->fixed[PX_FIX_blend][1];
        in.inner = fn;
        in.size = set->elem;
        in.flags |= (uint8_t)((set->pair ? PX_IF_PAIR : 0) | (set->carry ? PX_IF_CARRY : 0));
    }
    px_dec_guarded(d, (px_handler[2]){fn, masked}, in);
}

/* ---- comparisons ---- */

/* What a comparison that holds gives: 1.0 for floats, in each half of packed ones; all bits for integers. */
static uint32_t truth(enum px_type type)
{
    switch (type) {
    case PX_T_F32: return 0x3f800000;
    case PX_T_F16: return 0x3c00;
    case PX_T_BF16: return 0x3f80;
    case PX_T_F16X2: return 0x3c003c00;
    case PX_T_BF16X2: return 0x3f803f80;
    default: return 0xffffffff;
    }
}

static uint32_t combine(struct px_fn_dec *d, enum px_fixed fix, uint32_t a, uint32_t b)
{
    uint32_t temp = px_dec_temp(d, 4);
    px_dec_temp_fixed(d, fix, (struct px_insn){.d = temp, .a = a, .b = b});
    return temp;
}

static uint32_t keep_bits(struct px_fn_dec *d, uint32_t row, uint32_t bits)
{
    if (bits == 0xffffffff) return row;
    return combine(d, PX_FIX_mask_and, row, px_dec_as_row(d, (struct px_src){px_dec_constant(d, bits, NULL), true}, 4));
}

/* The result of set from the comparison's mask row; with `high`, that of the upper halves. */
static void deliver(struct px_fn_dec *d, const struct px_operand *od, enum px_type type, uint32_t p, uint32_t high)
{
    uint32_t bits = truth(type);
    if (high) {
        p = keep_bits(d, p, bits & 0x0000ffff);
        p = combine(d, PX_FIX_mask_or, p, keep_bits(d, high, bits & 0xffff0000));
    } else {
        p = keep_bits(d, p, bits);
    }
    if (px_dec_elem(type) == 2) {
        uint32_t narrow = px_dec_temp(d, 2);
        px_dec_temp_fixed(d, PX_FIX_trunc4_2, (struct px_insn){.d = narrow, .a = p});
        p = narrow;
    }
    px_dec_assign(d, od, type, (struct px_src){p, false});
}

/*
 * A comparison whose result is more than one predicate. The statement's mask rows (p, and e or its opposite for a
 * second one) are combined with the predicate `c` under setp's and set's BoolOp, then made what the destination wants.
 */
static void finish_compare(struct px_fn_dec *d, const struct px_dinst *item, const struct px_handler_set *set,
                           unsigned shape, struct px_insn in)
{
    const struct px_operand *od, *oe, *oc = combined(item);
    enum px_type td = item->match.type[0];
    destination(item, &od, &oe);
    in.d = px_dec_temp(d, 4);
    in.e = set->pair ? px_dec_temp(d, 4) : 0;
    emit_statement(d, set, shape, in, true);
    uint32_t p = in.d, q = in.e;
    if (oe && !q) q = combine(d, PX_FIX_mask_not, p, 0);
    if (oc) {
        uint32_t c = px_dec_row(d, oc, PX_T_PRED);
        enum px_fixed fix = px_dec_has(item, PX_W_and)  ? PX_FIX_mask_and
                            : px_dec_has(item, PX_W_or) ? PX_FIX_mask_or
                                                        : PX_FIX_mask_xor;
        p = combine(d, fix, p, c);
        if (q) q = combine(d, fix, q, c);
    }
    deliver(d, od, td, p, oe ? 0 : q);
    if (oe) px_dec_assign(d, oe, PX_T_PRED, (struct px_src){q, false});
}

/* ---- one instruction ---- */

void px_dec_arithmetic(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *od, *oe;
    struct px_src s[3] = {{0}};
    enum px_type t[3] = {0}, td = item->match.type[0];
    const struct px_handler_set *set = &d->dec->level->sets[item->handler];
    if (!destination(item, &od, &oe)) px_dec_fail(d, item->inst, "has no destination");
    if (px_dec_is_scalar(d, od)) return;
    int mode = px_match_fp_mode(&item->match);
    px_dec_canonical_sources(d, item, 1);
    px_dec_guard(d, item, false);
    unsigned n = arithmetic_sources(d, item, s, t), shape = choose_shape(d, set, s, t, n);
    if (mode >= 0) px_dec_fp(d, (uint32_t)mode);
    struct px_insn in = {.a = s[0].at, .b = s[1].at, .c = s[2].at, .x = {carry_row(d), 0}};
    if (px_form_compares(item->match.form) && (oe || set->pair || combined(item) || truth(td) != 0xffffffff ||
                                               px_dec_elem(td) != 4)) {
        finish_compare(d, item, set, shape, in);
        return;
    }
    in.d = px_dec_dst(d, od, td);
    if (oe) in.e = px_dec_dst(d, oe, PX_T_PRED);
    emit_statement(d, set, shape, in, false);
    px_dec_dst_done(d, od, td, in.d);
    if (oe) px_dec_dst_done(d, oe, PX_T_PRED, in.e);
}
