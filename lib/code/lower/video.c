/*
 * lower/video.c - video instructions: rows marked [video], whose statement computes one part over s64.
 *
 * Selectors, masks, .sat, the secondary operation and the merge into c are done here, once for all of them
 * (PTX ISA 9.7.18): the parts of the sources that the selectors name are extended by their types to s64, the
 * statement runs, its result is clamped, then combined with c. A SIMD instruction does so part by part.
 *
 * Where the chip (whose code is an emulation by ptxas) and the manual differ, the chip is right; its answers
 * are recorded (alu_video of tests/hw/golden). What differs is said where it is done.
 */
#include "code/lower/lower.h"
#include <string.h>

static const struct px_ir_operand none;

/* An instruction being lowered: operands of the text as rows of 32 bits. */
struct video {
    struct px_irfn *f;
    const struct px_bound *b;
    px_irop statement;
    struct px_ir_operand a, b2, c; /* c: none where it is not written */
    bool dst_signed, a_signed, b_signed, sat;
};

static bool is_signed(const struct px_bound *b, unsigned i)
{
    return px_type_info(b->match.type[i])->klass == PX_TC_SIGNED;
}

/* The selector or mask of operand i, "" when it has none. */
static const char *selector(const struct px_bound *b, unsigned i)
{
    const struct px_opd *opd = px_match_opd(&b->match, i);
    px_word word = b->inst->opds[i].selector;
    bool has = word && opd->flags & PX_OPERAND_SELECTOR && px_selector_fits(word, opd->step);
    return has ? px_word_text(word) : "";
}

/* Operand i as a row; a minus before it is the caller's. */
static struct px_ir_operand row(struct px_irfn *f, const struct px_bound *b, unsigned i)
{
    struct px_operand o = b->inst->opds[i];
    if (o.kind == PX_O_NAME) o.minus = false;
    return px_lower_row(f, px_lower_src(f, b, &o, b->match.type[i]));
}

/* ---- elements of s64 ---- */

static struct px_ir_operand move(struct px_irfn *f, enum px_fixed fix, struct px_ir_operand a, uint32_t imm)
{
    struct px_ir_operand d = px_lower_fixed(f, fix, 8, a, none, imm);
    d.type = PX_T_S64;
    return d;
}

static struct px_ir_operand binary(struct px_irfn *f, enum px_result result, enum px_type type,
                                   struct px_ir_operand a, struct px_ir_operand b)
{
    struct px_ir_operand opds[3] = {px_lower_temp(f, a.elem, a.type), a, b};
    px_lower_result(f, result, type, opds, 3);
    return opds[0];
}

/* `bits` bits of the row from bit `at` on, extended. */
static struct px_ir_operand part(struct px_irfn *f, struct px_ir_operand r, uint32_t at, uint32_t bits,
                                 bool sign)
{
    return move(f, sign ? PX_FIX_part_sext8 : PX_FIX_part_zext8, r, (32 - bits - at) | (32 - bits) << 8);
}

static struct px_ir_operand low(struct px_irfn *f, struct px_ir_operand t)
{
    return px_lower_resize(f, t, 4, false);
}

static struct px_ir_operand compute(const struct video *v, const struct px_ir_operand *s, uint32_t n)
{
    struct px_ir_operand opds[4] = {px_lower_temp(v->f, 8, PX_T_S64)};
    memcpy(opds + 1, s, n * sizeof *s);
    px_lower_inst(v->f, v->statement, opds, 1, 1 + n);
    return opds[0];
}

/* ---- scalar ---- */

static uint32_t selected_bits(const char *text)
{
    return !*text ? 32 : *text == 'b' ? 8 : 16;
}

static uint32_t selected_at(const char *text)
{
    return *text ? (uint32_t)(text[1] - '0') * selected_bits(text) : 0;
}

/* A source; of a product with signed or negated factors the chip takes a whole register as signed, whatever
 * its type. */
static struct px_ir_operand scalar_source(const struct video *v, unsigned i, struct px_ir_operand r,
                                          bool sign, bool product)
{
    const char *text = selector(v->b, i);
    return part(v->f, r, selected_at(text), selected_bits(text), sign || (product && !*text));
}

static bool is_minus(const struct px_bound *b, unsigned i)
{
    return b->inst->opds[i].kind == PX_O_NAME && b->inst->opds[i].minus;
}

static struct px_ir_operand negated(struct px_irfn *f, struct px_ir_operand s)
{
    struct px_ir_operand opds[2] = {px_lower_temp(f, 8, PX_T_S64), s};
    px_lower_result(f, PX_RESULT_negation, PX_T_S64, opds, 2);
    return opds[0];
}

/*
 * vmad: -a * b is -(a * b), and c is always signed. Products of unsigned numbers are clamped to u32, without
 * .scale as signed numbers (below 0: 0), with it as unsigned ones (below 0: all bits).
 */
static struct px_ir_operand product(const struct video *v)
{
    struct px_irfn *f = v->f;
    const struct px_bound *b = v->b;
    bool minus = is_minus(b, 1) != is_minus(b, 2);
    bool sign = v->a_signed || v->b_signed || minus || is_minus(b, 3);
    struct px_ir_operand s[3] = {scalar_source(v, 1, v->a, v->a_signed, sign),
                                 scalar_source(v, 2, v->b2, v->b_signed, sign), part(f, v->c, 0, 32, true)};
    if (minus) s[0] = negated(f, s[0]);
    if (is_minus(b, 3)) s[2] = negated(f, s[2]);
    struct px_ir_operand t = compute(v, s, 3);
    if (!v->sat) return t;
    enum px_fixed unsigned_clamp =
        px_match_slot(&b->match, PX_W_scale) ? PX_FIX_clamp_bits8 : PX_FIX_clamp_unsigned8;
    return sign ? move(f, PX_FIX_clamp_signed8, t, 32) : move(f, unsigned_clamp, t, 32);
}

static bool is_sum(const struct video *v)
{
    const px_word word = v->b->inst->opcode->word;
    return word == PX_W_vadd || word == PX_W_vsub;
}

/*
 * .sat into `bits` bits. Into a part of d the chip compares as unsigned: what is below 0 becomes the highest
 * value. A shift wraps to 34 bits before. Of a u32 from sources of different signs, or with a second
 * operation, only values below 0 are clamped.
 */
static struct px_ir_operand saturated(const struct video *v, struct px_ir_operand t, uint32_t bits,
                                      bool shift, bool second)
{
    struct px_irfn *f = v->f;
    if (bits < 32) return move(f, PX_FIX_clamp_bits8, t, bits - v->dst_signed);
    if (shift) t = move(f, PX_FIX_wrap8, t, 34);
    if (v->dst_signed) return move(f, PX_FIX_clamp_signed8, t, 32);
    bool below = !shift && (second || v->a_signed != v->b_signed);
    return move(f, below ? PX_FIX_clamp_below8 : PX_FIX_clamp_unsigned8, t, 32);
}

/*
 * .add, .min and .max with c. All bits of the result are compared, as a signed or an unsigned number of 64
 * bits, by the destination's type; of vset by the first source's. Of sums and differences only the low 32
 * bits count, sign-extended, and so of a saturated shift that is compared as unsigned: one beyond 0x7fffffff
 * counts as more than any unsigned c.
 */
static struct px_ir_operand secondary(const struct video *v, px_word op, struct px_ir_operand t, bool shift)
{
    struct px_irfn *f = v->f;
    const bool set = v->b->inst->opcode->word == PX_W_vset, sign = set ? v->a_signed : v->dst_signed;
    const enum px_result result = op == PX_W_min ? PX_RESULT_minimum : PX_RESULT_maximum;
    if (op == PX_W_add) return binary(f, PX_RESULT_sum, PX_T_U32, low(f, t), v->c);
    struct px_ir_operand c = part(f, v->c, 0, 32, sign);
    if (is_sum(v) || (shift && v->sat && !sign)) t = move(f, PX_FIX_wrap8, t, 32);
    return low(f, binary(f, result, sign ? PX_T_S64 : PX_T_U64, t, c));
}

/* The result in place of a part of c. The chip puts 0 into the upper half, whatever the result. */
static struct px_ir_operand merged(const struct video *v, const char *text, struct px_ir_operand t)
{
    struct px_irfn *f = v->f;
    uint32_t at = selected_at(text);
    if (*text == 'b') return px_lower_fixed(f, PX_FIX_insert_byte4, 4, v->c, low(f, t), at);
    if (!at) return px_lower_fixed(f, PX_FIX_insert_half4, 4, v->c, low(f, t), 0);
    return px_lower_fixed(f, PX_FIX_zext_half4, 4, v->c, none, 0);
}

static struct px_ir_operand scalar(const struct video *v)
{
    const struct px_match *match = &v->b->match;
    const char *text = selector(v->b, 0);
    bool shift = px_match_slot(match, PX_W_mode);
    px_word op2 = px_match_slot(match, PX_W_op2);
    struct px_ir_operand s[2] = {scalar_source(v, 1, v->a, v->a_signed, false),
                                 scalar_source(v, 2, v->b2, v->b_signed, false)};
    struct px_ir_operand t = compute(v, s, 2);
    if (v->sat) t = saturated(v, t, selected_bits(text), shift, op2);
    if (op2) return secondary(v, op2, t, shift);
    return *text ? merged(v, text, t) : low(v->f, t);
}

/* ---- SIMD ---- */

/* Part i of a source: the selector's digits, the last one for part 0, count through a and then b. */
static struct px_ir_operand simd_source(const struct video *v, unsigned operand, uint32_t i, uint32_t n,
                                        bool sign)
{
    const char *text = selector(v->b, operand);
    uint32_t at = *text ? (uint32_t)(text[n - i] - '0') : i + (operand == 2 ? n : 0);
    return part(v->f, at < n ? v->a : v->b2, at % n * (32 / n), 32 / n, sign);
}

/* Part i; .add sums the parts with c, as they are. */
static struct px_ir_operand simd_part(const struct video *v, uint32_t i, uint32_t n, struct px_ir_operand d,
                                      bool sum)
{
    struct px_irfn *f = v->f;
    uint32_t bits = 32 / n;
    struct px_ir_operand s[2] = {simd_source(v, 1, i, n, v->a_signed), simd_source(v, 2, i, n, v->b_signed)};
    struct px_ir_operand t = compute(v, s, 2);
    if (sum) return binary(f, PX_RESULT_sum, PX_T_U32, d, low(f, t));
    if (v->sat) t = move(f, v->dst_signed ? PX_FIX_clamp_signed8 : PX_FIX_clamp_unsigned8, t, bits);
    return px_lower_fixed(f, n == 2 ? PX_FIX_insert_half4 : PX_FIX_insert_byte4, 4, d, low(f, t), i * bits);
}

static struct px_ir_operand simd(const struct video *v, uint32_t n)
{
    const char *mask = selector(v->b, 0);
    bool sum = px_bound_has(v->b, PX_W_add);
    struct px_ir_operand d = v->c;
    for (uint32_t i = 0; i < n; i++)
        if (!*mask || strchr(mask, (int)('0' + i))) d = simd_part(v, i, n, d, sum);
    return d;
}

/* ---- one instruction ---- */

void px_lower_video(struct px_irfn *f, const struct px_bound *b, unsigned handler)
{
    enum { SCALAR = 1, HALVES = 2 }; /* classes of selectors of sources (px_selector_fits) */
    struct video v = {.f = f,
                      .b = b,
                      .statement = (px_irop)(PX_IR_STATEMENT | handler),
                      .dst_signed = is_signed(b, 0),
                      .a_signed = is_signed(b, 1),
                      .b_signed = is_signed(b, 2),
                      .sat = px_bound_has(b, PX_W_sat)};
    v.a = row(f, b, 1);
    v.b2 = row(f, b, 2);
    if (b->inst->nopds > 3) v.c = row(f, b, 3);
    int64_t class = px_match_opd(&b->match, 1)->step;
    struct px_ir_operand d = class != SCALAR                      ? simd(&v, class == HALVES ? 2 : 4)
                             : b->inst->opcode->word == PX_W_vmad ? product(&v)
                                                                  : scalar(&v);
    px_lower_assign(f, b, b->inst->opds, b->match.type[0], low(f, d));
}
