/*
 * decode_approx.c - approximate instructions with correctly rounded results.
 *
 * A device made with approx_exact wants the mathematics instead of the chip's
 * interpolation tables. The generated handlers compute what the chip does; here
 * decode puts a record in their place that calls a px_exact_ function
 * (approx_exact.c) for each lane. Speed does not matter here, so one lane loop
 * per operand width serves all units.
 */
#include "vm/decode.h"
#include "vm/approx.h"
#include "vm/gang.h"
#include "vm/op_fpmode.h"

/* One unit of the chip at one type; the signature of `fn` follows from the type and the number of sources. */
struct unit {
    px_word opcode;
    uint8_t type; /* enum px_type */
    px_handler lanes;
    union {
        uint32_t (*f32)(uint32_t, bool);
        uint32_t (*div)(uint32_t, uint32_t, bool);
        uint64_t (*f64)(uint64_t, bool);
        uint16_t (*half)(uint16_t);
    } fn;
};

#define PX_EXACT_LANES(name, T, result)                                                                     \
    static int name(struct px_gang *g, const struct px_insn *in)                                            \
    {                                                                                                       \
        const struct unit *u = in->aux;                                                                     \
        const T *a = PX_ROW(g, T, in->a), *b = PX_ROW(g, T, in->b);                                         \
        T *d = PX_ROW(g, T, in->d);                                                                         \
        const struct px_lanes lanes = px_gang_lanes(g, in);                                                 \
        const bool ftz = in->size;                                                                          \
        uint32_t i;                                                                                         \
        (void)b, (void)ftz;                                                                                 \
        px_fp_load(PX_FP_RN);                                                                               \
        PX_FOR_LANES(i, lanes) d[i] = (T)(result);                                                          \
        px_fp_load(g->worker->fp_mode);                                                                     \
        return PX_STEP_NEXT;                                                                                \
    }
PX_EXACT_LANES(lanes_f32, uint32_t, u->fn.f32(a[i], ftz))
PX_EXACT_LANES(lanes_div, uint32_t, u->fn.div(a[i], b[i], ftz))
PX_EXACT_LANES(lanes_f64, uint64_t, u->fn.f64(a[i], ftz))
PX_EXACT_LANES(lanes_half, uint16_t, u->fn.half(a[i]))
PX_EXACT_LANES(lanes_halves, uint32_t,
               u->fn.half((uint16_t)a[i]) | (uint32_t)u->fn.half((uint16_t)(a[i] >> 16)) << 16)

/* rcp.approx.f64 exists with .ftz only. */
static uint64_t rcp_f64(uint64_t x, bool ftz)
{
    (void)ftz;
    return px_exact_rcp_ftz_f64(x);
}

#define F32(op) {PX_W_##op, PX_T_F32, lanes_f32, {.f32 = px_exact_##op##_f32}}
#define HALF(op, t, T) {PX_W_##op, PX_T_##T, lanes_half, {.half = px_exact_##op##_##t}}, \
                       {PX_W_##op, PX_T_##T##X2, lanes_halves, {.half = px_exact_##op##_##t}}
static const struct unit units[] = {
    F32(rcp), F32(rsqrt), F32(sqrt), F32(ex2), F32(lg2), F32(sin), F32(cos), F32(tanh),
    {PX_W_div, PX_T_F32, lanes_div, {.div = px_exact_div_f32}},
    {PX_W_rcp, PX_T_F64, lanes_f64, {.f64 = rcp_f64}},
    {PX_W_rsqrt, PX_T_F64, lanes_f64, {.f64 = px_exact_rsqrt_f64}},
    HALF(ex2, f16, F16), HALF(ex2, bf16, BF16), HALF(tanh, f16, F16), HALF(tanh, bf16, BF16),
};

static const struct unit *unit_of(const struct px_dinst *item)
{
    enum px_type type = px_dec_type(item, 0);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].opcode == item->opcode && units[i].type == type) return &units[i];
    return NULL;
}

/* Before PTX 1.4 the approximate instructions had no modifier, and flushed (PTX ISA 9.7.3). */
static bool is_old(const struct px_dinst *item)
{
    static const px_word rounding[] = {PX_W_rn, PX_W_rz, PX_W_rm, PX_W_rp};
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding; i++)
        if (px_dec_has(item, rounding[i])) return false;
    return !px_dec_has(item, PX_W_approx) && !px_dec_has(item, PX_W_full);
}

bool px_dec_exact(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct unit *u = d->dec->approx_exact ? unit_of(item) : NULL;
    bool old = u && is_old(item);
    if (!u || (!old && !px_dec_has(item, PX_W_approx) && !px_dec_has(item, PX_W_full))) return false;
    const struct px_operand *o = item->inst->opds;
    enum px_type type = u->type;
    px_dec_guard(d, item, true);
    struct px_insn in = {.aux = u, .m = d->guard, .size = old || px_dec_has(item, PX_W_ftz)};
    in.a = px_dec_row(d, &o[1], type);
    if (u->lanes == lanes_div) in.b = px_dec_row(d, &o[2], type);
    in.d = px_dec_dst(d, &o[0], type);
    px_dec_other(d, u->lanes, in);
    px_dec_dst_done(d, &o[0], type, in.d);
    return true;
}
