/*
 * decode_opnd.c - operands of an instruction as offsets in the frame.
 *
 * A source becomes a row or a scalar of the element size that the handler
 * reads; whatever does not fit (a wider register, a negated predicate, a lane's
 * special register) is first moved into a temporary row. Temporaries live for
 * one instruction, own their rows, and are therefore written unmasked even in
 * divergent code.
 */
#include "vm/decode.h"
#include "vm/device.h"
#include "vm/op_sreg.h"

uint32_t px_dec_elem(enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    if (t->klass == PX_TC_PRED) return 4;
    return t->bits <= 16 ? 2 : t->bits / 8;
}

uint32_t px_dec_temp(struct px_fn_dec *d, uint32_t elem)
{
    for (uint32_t i = 0; i < d->temps.n; i++) {
        struct px_temp *t = &d->temps.at[i];
        if (t->elem != elem || t->used) continue;
        t->used = true;
        return t->row;
    }
    struct px_temp t = {d->frame_bytes, (uint8_t)elem, true};
    d->frame_bytes += elem * d->dec->width;
    px_vec_push(d->dec->arena, &d->temps, t);
    return t.row;
}

uint32_t px_dec_constant(struct px_fn_dec *d, uint64_t value, const uint64_t *high)
{
    /*
     * Entries of 8 bytes; a 128-bit constant takes two that are aligned. Where the pool lies is known when
     * all records are made: until then an offset in it carries PX_POOL_TAG.
     */
    for (uint32_t i = 0; i < d->pool.n; i += high ? 2 : 1)
        if (d->pool.at[i] == value && (!high || (i + 1 < d->pool.n && d->pool.at[i + 1] == *high)))
            return PX_POOL_TAG + i * 8;
    if (high && d->pool.n & 1) px_vec_push(d->dec->arena, &d->pool, 0);
    uint32_t at = PX_POOL_TAG + d->pool.n * 8;
    px_vec_push(d->dec->arena, &d->pool, value);
    if (high) px_vec_push(d->dec->arena, &d->pool, *high);
    return at;
}

/* ---- constants ---- */

bool px_dec_symbol_address(struct px_fn_dec *d, const struct px_symbol *symbol, uint64_t *value, bool *local)
{
    *local = false;
    if (symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY) {
        const struct px_lfunc *f = px_link_func(d->dec->linked, d->module, symbol);
        if (f) *value = f->address;
        return f != NULL;
    }
    if (symbol->kind == PX_SYM_PARAM && symbol->is_entry_param) return *value = symbol->offset, true;
    const struct px_pvar *p = px_dec_pvar(d, symbol);
    if (p && p->local) return *local = true, *value = p->row, true;
    if (symbol->kind != PX_SYM_VAR || symbol->space == PX_SPACE_PARAM || symbol->space == PX_SPACE_LOCAL)
        return false;
    const struct px_lvar *v = px_link_var(d->dec->linked, d->module, symbol);
    if (!v) return false;
    *value = v->space == PX_SPACE_CONST ? v->address & 0xffffffffu : v->address;
    return true;
}

static uint64_t float_bits(const struct px_operand *o, enum px_type type)
{
    const struct px_type_info *t = px_type_info(type);
    double wide;
    float narrow;
    uint64_t bits = o->u.i;
    if (t->klass != PX_TC_FLOAT) return bits;
    if (o->kind == PX_O_F64 && t->bits == 32) {
        memcpy(&wide, &bits, 8);
        narrow = (float)wide;
        uint32_t low;
        memcpy(&low, &narrow, 4);
        return low;
    }
    if (o->kind == PX_O_F32 && t->bits == 64) {
        uint32_t low = (uint32_t)bits;
        memcpy(&narrow, &low, 4);
        wide = narrow;
        memcpy(&bits, &wide, 8);
    }
    return bits;
}

static bool expr_value(struct px_fn_dec *d, const struct px_expr *e, uint64_t *value)
{
    uint64_t a, b;
    bool local;
    switch (e->kind) {
    case PX_E_INT:
        return *value = e->u.i, true;
    case PX_E_NAME:
    case PX_E_GENERIC:
        if (e->symbol) return px_dec_symbol_address(d, e->symbol, value, &local) && !local;
        return *value = 32, true; /* WARP_SZ is the only name without a symbol */
    case PX_E_CAST:
        return expr_value(d, e->u.a, value);
    case PX_E_UNARY:
        if (!expr_value(d, e->u.a, &a)) return false;
        *value = e->op == '-' ? 0 - a : e->op == '~' ? ~a : e->op == '!' ? !a : a;
        return true;
    case PX_E_BINARY:
        if (!expr_value(d, e->u.a, &a) || !expr_value(d, e->u.b, &b)) return false;
        switch (e->op) {
        case '+':
            *value = a + b;
            return true;
        case '-':
            *value = a - b;
            return true;
        case '*':
            *value = a * b;
            return true;
        case '&':
            *value = a & b;
            return true;
        case '|':
            *value = a | b;
            return true;
        case '^':
            *value = a ^ b;
            return true;
        case '/':
            *value = b ? a / b : 0;
            return b != 0;
        case '%':
            *value = b ? a % b : 0;
            return b != 0;
        case PX_EOP_SHL:
            *value = b < 64 ? a << b : 0;
            return true;
        case PX_EOP_SHR:
            *value = b < 64 ? a >> b : 0;
            return true;
        default:
            return false;
        }
    default:
        return false;
    }
}

bool px_dec_value(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, uint64_t *value)
{
    bool local = false;
    if (type == PX_T_BF16) return false; /* ptxas accepts integers here, and nothing says what they mean */
    switch (o->kind) {
    case PX_O_INT:
        return *value = o->u.i, true;
    case PX_O_F32:
    case PX_O_F64:
        return *value = float_bits(o, type), true;
    case PX_O_EXPR:
        return expr_value(d, o->u.expr, value);
    case PX_O_NAME:
        if (!o->symbol) {
            if (o->u.name->word != PX_W_WARP_SZ) return false;
            *value = 32 + (uint64_t)o->offset;
            return true;
        }
        if (o->symbol->kind == PX_SYM_REG || !px_dec_symbol_address(d, o->symbol, value, &local) || local)
            return false;
        *value += (uint64_t)o->offset;
        return true;
    default:
        return false;
    }
}

/* ---- sources ---- */

static enum px_fixed broadcast(uint32_t elem)
{
    return elem == 2   ? PX_FIX_broadcast2
           : elem == 4 ? PX_FIX_broadcast4
           : elem == 8 ? PX_FIX_broadcast8
                       : PX_FIX_broadcast16;
}

uint32_t px_dec_as_row(struct px_fn_dec *d, struct px_src s, uint32_t elem)
{
    if (!s.scalar) return s.at;
    uint32_t row = px_dec_temp(d, elem);
    px_dec_temp_fixed(d, broadcast(elem), (struct px_insn){.d = row, .a = s.at});
    return row;
}

/* The move that makes `to` bytes of `from` bytes; upper bits are cut, or extended. */
static enum px_fixed resize(uint32_t from, uint32_t to, bool sign)
{
    if (from == to)
        return from == 2 ? PX_FIX_copy2 : from == 4 ? PX_FIX_copy4 : from == 8 ? PX_FIX_copy8 : PX_FIX_copy16;
    switch (from * 100 + to) {
    case 402:
        return PX_FIX_trunc4_2;
    case 802:
        return PX_FIX_trunc8_2;
    case 804:
        return PX_FIX_trunc8_4;
    case 1608:
        return PX_FIX_trunc16_8;
    case 1604:
        return PX_FIX_trunc16_4;
    case 204:
        return sign ? PX_FIX_sext2_4 : PX_FIX_zext2_4;
    case 208:
        return sign ? PX_FIX_sext2_8 : PX_FIX_zext2_8;
    case 408:
        return sign ? PX_FIX_sext4_8 : PX_FIX_zext4_8;
    case 416:
        return PX_FIX_zext4_16;
    case 816:
        return PX_FIX_zext8_16;
    default:
        return PX_FIX_COUNT;
    }
}

struct px_src px_dec_vreg_src(struct px_fn_dec *d, uint32_t vreg, uint32_t elem)
{
    const struct px_vreg *v = &d->vregs[vreg];
    if (v->scalar != PX_NONE32 && elem <= 8) {
        /* Scalars are little-endian 8-byte constants or fields at least as wide as the register. */
        if (elem <= v->elem) return (struct px_src){v->scalar, true};
    }
    uint32_t row = v->row;
    if (v->scalar != PX_NONE32) row = px_dec_as_row(d, (struct px_src){v->scalar, true}, v->elem);
    if (row == PX_NONE32) px_dec_fail(d, d->item->inst, "reads a register that has no row");
    if (v->elem == elem) return (struct px_src){row, false};
    enum px_fixed fix = resize(v->elem, elem, false);
    if (fix == PX_FIX_COUNT)
        px_dec_fail(d, d->item->inst, "has an operand of %u bytes where %u are needed", v->elem, elem);
    uint32_t temp = px_dec_temp(d, elem);
    px_dec_temp_fixed(d, fix, (struct px_insn){.d = temp, .a = row});
    return (struct px_src){temp, false};
}

/* A special register that differs from lane to lane, read into a temporary. */
static struct px_src lane_sreg(struct px_fn_dec *d, const struct px_operand *o, const struct px_sreg *sreg,
                               uint32_t component, uint32_t elem)
{
    uint64_t what;
    switch (sreg->op) {
    case PX_SR_tid:
        what = PX_LV_TID_X + component;
        break;
    case PX_SR_laneid:
        what = PX_LV_LANEID;
        break;
    case PX_SR_warpid:
        what = PX_LV_WARPID;
        break;
    case PX_SR_lanemask_eq:
        what = PX_LV_MASK_EQ;
        break;
    case PX_SR_lanemask_le:
        what = PX_LV_MASK_LE;
        break;
    case PX_SR_lanemask_lt:
        what = PX_LV_MASK_LT;
        break;
    case PX_SR_lanemask_ge:
        what = PX_LV_MASK_GE;
        break;
    case PX_SR_lanemask_gt:
        what = PX_LV_MASK_GT;
        break;
    case PX_SR_clock:
        what = PX_LV_CLOCK;
        break;
    case PX_SR_clock_hi:
        what = PX_LV_CLOCK_HI;
        break;
    case PX_SR_clock64:
        what = PX_LV_CLOCK64;
        break;
    case PX_SR_globaltimer:
        what = PX_LV_TIMER;
        break;
    case PX_SR_globaltimer_lo:
        what = PX_LV_TIMER_LO;
        break;
    case PX_SR_globaltimer_hi:
        what = PX_LV_TIMER_HI;
        break;
    default:
        px_dec_fail(d, d->item->inst, "reads %%%s, which this VM has not", px_word_text(o->u.name->word));
    }
    if (sreg->op == PX_SR_tid && component == 3) return (struct px_src){px_dec_constant(d, 0, NULL), true};
    uint32_t row = px_dec_temp(d, elem);
    px_dec_other(d, px_sreg_read, (struct px_insn){.d = row, .imm = what, .size = (uint8_t)elem});
    return (struct px_src){row, false};
}

static struct px_src sreg_src(struct px_fn_dec *d, const struct px_operand *o, uint32_t elem)
{
    uint32_t component, bytes = 0, at = px_dec_uniform(d, o, &bytes);
    uint64_t fixed;
    const struct px_sreg *sreg = px_dec_sreg(o, &component);
    if (at != PX_NONE32 && bytes >= elem) return (struct px_src){at, true};
    if (px_dec_fixed_sreg(sreg->op, &fixed)) return (struct px_src){px_dec_constant(d, fixed, NULL), true};
    if (at != PX_NONE32) { /* a 32-bit register read as 64 bits */
        uint32_t row = px_dec_as_row(d, (struct px_src){at, true}, bytes), temp = px_dec_temp(d, elem);
        px_dec_temp_fixed(d, resize(bytes, elem, false), (struct px_insn){.d = temp, .a = row});
        return (struct px_src){temp, false};
    }
    return lane_sreg(d, o, sreg, component, elem);
}

/* Special registers whose value never changes here: no clusters, no graphs, no performance counters. */
bool px_dec_fixed_sreg(uint32_t id, uint64_t *value)
{
    switch (id) {
    case PX_SR_nclusterid:
    case PX_SR_cluster_nctaid:
    case PX_SR_cluster_nctarank:
        *value = 1;
        return true;
    case PX_SR_clusterid:
    case PX_SR_cluster_ctaid:
    case PX_SR_cluster_ctarank:
    case PX_SR_is_explicit_cluster:
    case PX_SR_current_graph_exec:
    case PX_SR_reserved_smem_offset_begin:
    case PX_SR_reserved_smem_offset_end:
    case PX_SR_reserved_smem_offset_cap:
    case PX_SR_reserved_smem_offset_0:
    case PX_SR_reserved_smem_offset_1:
        *value = 0;
        return true;
    default:
        *value = 0;
        return (id >= PX_SR_pm0 && id <= PX_SR_pm7_64) || (id >= PX_SR_envreg0 && id <= PX_SR_envreg31);
    }
}

/* Address of a .local variable of this frame, as a row: base of the frame's variables + offset. */
static struct px_src local_src(struct px_fn_dec *d, uint64_t offset)
{
    uint32_t base = d->code->uniform + (uint32_t)offsetof(struct px_uniform, local_base);
    uint32_t row = px_dec_as_row(d, (struct px_src){base, true}, 8), temp = px_dec_temp(d, 8);
    px_dec_temp_fixed(d, PX_FIX_add_imm8, (struct px_insn){.d = temp, .a = row, .imm = offset});
    return (struct px_src){temp, false};
}

static struct px_src negate(struct px_fn_dec *d, struct px_src s)
{
    uint32_t temp = px_dec_temp(d, 4);
    px_dec_temp_fixed(d, PX_FIX_mask_not, (struct px_insn){.d = temp, .a = px_dec_as_row(d, s, 4)});
    return (struct px_src){temp, false};
}

static struct px_src name_src(struct px_fn_dec *d, const struct px_operand *o, uint32_t elem)
{
    uint64_t value;
    bool local;
    if (!o->symbol) return sreg_src(d, o, elem);
    if (o->symbol->kind == PX_SYM_REG) return px_dec_vreg_src(d, px_dec_vreg(d, o, 0), elem);
    if (!px_dec_symbol_address(d, o->symbol, &value, &local))
        px_dec_fail(d, d->item->inst, "names '%s', which has no address here", o->symbol->name->text);
    value += (uint64_t)o->offset;
    if (!local) return (struct px_src){px_dec_constant(d, value, NULL), true};
    struct px_src s = local_src(d, value);
    if (elem == 8) return s;
    uint32_t temp = px_dec_temp(d, elem);
    px_dec_temp_fixed(d, resize(8, elem, false), (struct px_insn){.d = temp, .a = s.at});
    return (struct px_src){temp, false};
}

struct px_src px_dec_src(struct px_fn_dec *d, const struct px_operand *o, enum px_type type)
{
    uint32_t elem = px_dec_elem(type);
    uint64_t value;
    if (o->minus && o->kind == PX_O_NAME)
        px_dec_fail(d, d->item->inst, "has a negated operand, which cannot be run yet");
    if (px_dec_value(d, o, type, &value)) {
        if (type == PX_T_PRED) value = (value != 0) != o->negated ? 0xffffffffu : 0;
        uint64_t high = elem == 16 && (int64_t)value < 0 && o->kind == PX_O_INT ? ~0ull : 0;
        return (struct px_src){px_dec_constant(d, value, elem == 16 ? &high : NULL), true};
    }
    if (o->kind != PX_O_NAME) px_dec_fail(d, d->item->inst, "has an operand that cannot be run yet");
    struct px_src s = name_src(d, o, elem);
    return type == PX_T_PRED && o->negated ? negate(d, s) : s;
}

uint32_t px_dec_row(struct px_fn_dec *d, const struct px_operand *o, enum px_type type)
{
    return px_dec_as_row(d, px_dec_src(d, o, type), px_dec_elem(type));
}

/* ---- destinations ---- */

uint32_t px_dec_dst(struct px_fn_dec *d, const struct px_operand *o, enum px_type type)
{
    uint32_t elem = px_dec_elem(type);
    if (o->kind == PX_O_SINK) return px_dec_temp(d, elem);
    if (o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG)
        px_dec_fail(d, d->item->inst, "has a destination that cannot be run yet");
    const struct px_vreg *v = &d->vregs[px_dec_vreg(d, o, 0)];
    /* A scalar needs no register, unless its definition was not what it seemed. */
    if (v->row == PX_NONE32 || v->elem != elem) return px_dec_temp(d, elem);
    return v->row;
}

void px_dec_dst_done(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, uint32_t row)
{
    if (o->kind != PX_O_NAME) return;
    const struct px_vreg *v = &d->vregs[px_dec_vreg(d, o, 0)];
    uint32_t elem = px_dec_elem(type);
    if (v->row == PX_NONE32 || v->row == row) return;
    bool sign = px_type_info(type)->klass == PX_TC_SIGNED;
    enum px_fixed fix = resize(elem, v->elem, sign);
    if (fix == PX_FIX_COUNT)
        px_dec_fail(d, d->item->inst, "has a destination of %u bytes for a result of %u", v->elem, elem);
    px_dec_fixed(d, fix, (struct px_insn){.d = v->row, .a = row});
}

/* ---- addresses ---- */

struct px_src px_dec_address(struct px_fn_dec *d, const struct px_operand *o, enum px_space space,
                             int64_t *offset)
{
    const struct px_operand *base = o->kind == PX_O_ADDR ? &o->u.list[0] : o;
    uint64_t value;
    bool local;
    *offset = base->offset;
    if (base->kind == PX_O_NAME && base->symbol && base->symbol->kind == PX_SYM_REG) {
        uint32_t vreg = px_dec_vreg(d, base, 0), elem = d->vregs[vreg].elem;
        struct px_src s = px_dec_vreg_src(d, vreg, elem);
        if (elem == 8) return s;
        uint32_t temp = px_dec_temp(d, 8);
        px_dec_temp_fixed(d, resize(elem, 8, false),
                          (struct px_insn){.d = temp, .a = px_dec_as_row(d, s, elem)});
        return (struct px_src){temp, false};
    }
    *offset = 0;
    if (base->kind == PX_O_NAME && base->symbol && px_dec_symbol_address(d, base->symbol, &value, &local) &&
        local) {
        *offset = base->offset + (int64_t)value;
        if (space != PX_SPACE_NONE) /* the offset is the address */
            return (struct px_src){d->code->uniform + (uint32_t)offsetof(struct px_uniform, local_base),
                                   true};
        px_dec_fail(d, d->item->inst, "addresses a .local variable without .local");
    }
    if (!px_dec_value(d, base, PX_T_U64, &value))
        px_dec_fail(d, d->item->inst, "has an address that cannot be run yet");
    if (base->kind == PX_O_NAME && base->symbol && space == PX_SPACE_NONE)
        value = px_dec_generic(d, base->symbol, value);
    return (struct px_src){px_dec_constant(d, value, NULL), true};
}

/* A state space address of a variable as a generic one, where that is a constant. */
uint64_t px_dec_generic(struct px_fn_dec *d, const struct px_symbol *symbol, uint64_t value)
{
    if (symbol->space == PX_SPACE_CONST) return px_window_base(PX_WIN_CONST, d->dec->program) + value;
    if (symbol->space == PX_SPACE_SHARED || symbol->space == PX_SPACE_PARAM)
        px_dec_fail(d, d->item->inst, "addresses '%s' without its state space", symbol->name->text);
    return value;
}
