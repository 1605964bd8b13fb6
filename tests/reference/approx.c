/*
 * approx.c - the approximate instructions by the one-value functions of
 * lib/approx/approx.h, whose bits are held by recordings of all inputs.
 */
#include "machine.h"
#include "approx/approx.h"
#include "gen/isa_ops.h"

#define UNIT32(name)                                                                                         \
    static uint64_t name##_plain(uint64_t a, uint64_t b)                                                     \
    {                                                                                                        \
        (void)b;                                                                                             \
        return px_approx_##name##_f32((uint32_t)a, false);                                                   \
    }                                                                                                        \
    static uint64_t name##_ftz(uint64_t a, uint64_t b)                                                       \
    {                                                                                                        \
        (void)b;                                                                                             \
        return px_approx_##name##_f32((uint32_t)a, true);                                                    \
    }
UNIT32(rcp)
UNIT32(rsqrt)
UNIT32(sqrt)
UNIT32(ex2)
UNIT32(lg2)
UNIT32(sin)
UNIT32(cos)
UNIT32(tanh)

#define DIVISION(name)                                                                                       \
    static uint64_t name##_plain(uint64_t a, uint64_t b)                                                     \
    {                                                                                                        \
        return px_approx_##name##_f32((uint32_t)a, (uint32_t)b, false);                                      \
    }                                                                                                        \
    static uint64_t name##_ftz(uint64_t a, uint64_t b)                                                       \
    {                                                                                                        \
        return px_approx_##name##_f32((uint32_t)a, (uint32_t)b, true);                                       \
    }
DIVISION(div)
DIVISION(divfull)

#define UNIT16(name)                                                                                         \
    static uint64_t name(uint64_t a, uint64_t b)                                                             \
    {                                                                                                        \
        (void)b;                                                                                             \
        return px_approx_##name((uint16_t)a);                                                                \
    }                                                                                                        \
    static uint64_t name##x2(uint64_t a, uint64_t b)                                                         \
    {                                                                                                        \
        return name(a & 0xffff, b) | name(a >> 16 & 0xffff, b) << 16;                                        \
    }
UNIT16(ex2_f16)
UNIT16(ex2_bf16)
UNIT16(tanh_f16)
UNIT16(tanh_bf16)

static uint64_t rcp64_ftz(uint64_t a, uint64_t b)
{
    (void)b;
    return px_approx_rcp_ftz_f64(a);
}
static uint64_t rsqrt64_plain(uint64_t a, uint64_t b)
{
    (void)b;
    return px_approx_rsqrt_f64(a, false);
}
static uint64_t rsqrt64_ftz(uint64_t a, uint64_t b)
{
    (void)b;
    return px_approx_rsqrt_f64(a, true);
}

/* Operations of the table: plain, with .ftz. Those before PTX 1.4 (named _ftz) always flush. */
#define F32(name)                                                                                            \
    {PX_OP_##name##_f32, name##_plain, name##_ftz},                                                          \
    {                                                                                                        \
        PX_OP_##name##_ftz_f32, name##_ftz, name##_ftz                                                       \
    }
/* One number and two; none of them flushes otherwise. */
#define BOTH16(op, name)                                                                                     \
    {PX_OP_##op, name, name},                                                                                \
    {                                                                                                        \
        PX_OP_##op##x2, name##x2, name##x2                                                                   \
    }
static const struct {
    px_op op;
    ref_approx_fn *plain, *ftz;
} operations[] = {
    F32(rcp),
    F32(rsqrt),
    F32(sqrt),
    F32(ex2),
    F32(lg2),
    F32(sin),
    F32(cos),
    F32(div),
    {PX_OP_divfull_f32, divfull_plain, divfull_ftz},
    {PX_OP_tanh_f32, tanh_plain, tanh_ftz},
    {PX_OP_rcp_ftz_f64, rcp64_ftz, rcp64_ftz},
    {PX_OP_rsqrt_f64, rsqrt64_plain, rsqrt64_ftz},
    BOTH16(ex2_f16, ex2_f16),
    BOTH16(ex2_ftz_bf16, ex2_bf16),
    BOTH16(tanh_f16, tanh_f16),
    BOTH16(tanh_bf16, tanh_bf16),
};

ref_approx_fn *ref_approx_of(px_op op, bool ftz)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op) return ftz ? operations[i].ftz : operations[i].plain;
    return NULL;
}
