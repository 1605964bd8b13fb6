/*
 * video.c - video instructions, one thread at a time (PTX ISA 9.7.18).
 *
 * The statement of the row computes one part over s64; what selectors, masks, .sat and the rest mean around
 * it is written here a second time, in the order of the manual's pseudo code, with what a chip was recorded
 * to do otherwise.
 */
#include "machine.h"
#include <string.h>

static const char *selector(const struct ref_inst *in, unsigned i)
{
    const struct px_opd *opd = px_match_opd(&in->match, i);
    px_word word = in->inst->opds[i].selector;
    return word && px_selector_fits(word, opd->step) ? px_word_text(word) : "";
}

static bool is_signed(const struct ref_inst *in, unsigned i)
{
    return px_type_info(in->match.type[i])->klass == PX_TC_SIGNED;
}

static bool has_minus(const struct ref_inst *in, unsigned i)
{
    return in->inst->opds[i].kind == PX_O_NAME && in->inst->opds[i].minus;
}

static int64_t extended(uint64_t v, unsigned bits, bool sign)
{
    v &= (1ull << bits) - 1;
    return sign && v >> (bits - 1) ? (int64_t)(v - (1ull << bits)) : (int64_t)v;
}

static int64_t clamped(int64_t v, unsigned bits, bool sign)
{
    int64_t most = (1ll << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
    return v < least ? least : v > most ? most : v;
}

static int64_t computed(const struct ref_inst *in, int64_t a, int64_t b, int64_t c)
{
    union ref_lane from[3] = {{.s64 = a}, {.s64 = b}, {.s64 = c}}, d, e;
    uint32_t carry = 0;
    ref_scalar_of(in->handler)->fn(from, &d, &e, &carry);
    return d.s64;
}

/* The statement's result belongs in the part of c that the mask of bits says. */
static uint32_t replaced(uint32_t c, int64_t t, unsigned at, unsigned bits)
{
    uint32_t mask = (uint32_t)((1ull << bits) - 1) << at;
    return (c & ~mask) | ((uint32_t)((uint64_t)t << at) & mask);
}

/* ---- scalar ---- */

static int64_t scalar_source(const struct ref_inst *in, unsigned i, uint32_t v, bool sign)
{
    const char *text = selector(in, i);
    unsigned bits = !*text ? 32 : *text == 'b' ? 8 : 16;
    return extended(*text ? v >> (bits * (unsigned)(text[1] - '0')) : v, bits, sign);
}

static uint32_t multiplied(const struct ref_inst *in, const uint32_t v[3])
{
    int64_t s[2];
    bool minus = has_minus(in, 1) != has_minus(in, 2);
    bool sign = is_signed(in, 1) || is_signed(in, 2) || minus || has_minus(in, 3);
    for (unsigned i = 0; i < 2; i++) {
        bool whole = !*selector(in, 1 + i);
        s[i] = scalar_source(in, 1 + i, v[i], is_signed(in, 1 + i) || (sign && whole));
    }
    int64_t c = (int32_t)v[2], t = computed(in, minus ? -s[0] : s[0], s[1], has_minus(in, 3) ? -c : c);
    if (!ref_has(in, PX_W_sat)) return (uint32_t)t;
    if (!sign && px_match_slot(&in->match, PX_W_scale) && t < 0) return 0xffffffff;
    return (uint32_t)clamped(t, 32, sign);
}

static int64_t saturated(const struct ref_inst *in, int64_t t, unsigned bits, bool shift, bool second)
{
    bool sign = is_signed(in, 0);
    if (bits < 32 && t < 0) return (1ll << (bits - sign)) - 1; /* compared as unsigned */
    if (shift && bits == 32) t = extended((uint64_t)t, 34, true);
    if (bits == 32 && !shift && !sign && (second || is_signed(in, 1) != is_signed(in, 2)))
        return t < 0 ? 0 : t;
    return clamped(t, bits, sign);
}

static uint32_t secondary(const struct ref_inst *in, px_word op, int64_t t, uint32_t with, bool shift)
{
    if (op == PX_W_add) return (uint32_t)t + with;
    const px_word word = in->opcode;
    const bool sign = is_signed(in, word == PX_W_vset ? 1 : 0);
    const int64_t c = sign ? (int32_t)with : (int64_t)with;
    if (word == PX_W_vadd || word == PX_W_vsub) t = (int32_t)t;
    if (shift && ref_has(in, PX_W_sat) && !sign) t = (int32_t)t;
    const bool below = sign ? t < c : (uint64_t)t < (uint64_t)c;
    return (uint32_t)(below == (op == PX_W_min) ? t : c);
}

static uint32_t scalar(const struct ref_inst *in, const uint32_t v[3])
{
    const char *to = selector(in, 0);
    unsigned bits = !*to ? 32 : *to == 'b' ? 8 : 16;
    bool shift = px_match_slot(&in->match, PX_W_mode);
    px_word op2 = px_match_slot(&in->match, PX_W_op2);
    int64_t t = computed(in, scalar_source(in, 1, v[0], is_signed(in, 1)),
                         scalar_source(in, 2, v[1], is_signed(in, 2)), 0);
    if (ref_has(in, PX_W_sat)) t = saturated(in, t, bits, shift, op2);
    if (op2) return secondary(in, op2, t, v[2], shift);
    if (!*to) return (uint32_t)t;
    return replaced(v[2], strcmp(to, "h1") ? t : 0, bits * (unsigned)(to[1] - '0'), bits);
}

/* ---- SIMD ---- */

static int64_t simd_source(const struct ref_inst *in, unsigned operand, unsigned i, unsigned n, uint64_t both)
{
    const char *text = selector(in, operand);
    unsigned at = *text ? (unsigned)(text[n - i] - '0') : i + (operand == 2) * n;
    return extended(both >> (32 / n * at), 32 / n, is_signed(in, operand));
}

static uint32_t simd(const struct ref_inst *in, unsigned n, const uint32_t v[3])
{
    const char *mask = selector(in, 0);
    uint64_t both = v[0] | (uint64_t)v[1] << 32;
    uint32_t d = v[2];
    for (unsigned i = 0; i < n; i++) {
        int64_t t = computed(in, simd_source(in, 1, i, n, both), simd_source(in, 2, i, n, both), 0);
        if (*mask && !strchr(mask, (int)('0' + i))) continue;
        if (ref_has(in, PX_W_sat)) t = clamped(t, 32 / n, is_signed(in, 0));
        d = ref_has(in, PX_W_add) ? d + (uint32_t)t : replaced(d, t, 32 / n * i, 32 / n);
    }
    return d;
}

static enum ref_step run_video(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t v[3] = {0};
    for (unsigned i = 1; i < in->n; i++) v[i - 1] = (uint32_t)ref_get(t, &in->o[i]);
    unsigned parts =
        1u << (px_match_opd(&in->match, 1)->step - 1); /* classes of selectors: 1 .sel, 2 .sel2, 3 .sel4 */
    ref_put(t, &in->o[0],
            parts > 1                 ? simd(in, parts, v)
            : in->opcode == PX_W_vmad ? multiplied(in, v)
                                      : scalar(in, v));
    return REF_NEXT;
}

bool ref_bind_video(const struct ref_context *x, struct ref_inst *in)
{
    if (in->handler < 0 || !px_form_is_video(in->match.form)) return false;
    in->run = run_video;
    for (unsigned i = 0; i < in->n; i++) {
        struct px_operand o = in->inst->opds[i];
        if (o.kind == PX_O_NAME) o.minus = false;
        in->o[i] = ref_resolve(x, in->inst, &o, in->match.type[i]);
    }
    return true;
}
