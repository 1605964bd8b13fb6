/*
 * scalar.c - the statements of the instruction table as plain functions of one
 * thread's values.
 *
 * gen/handlers.inc has one line for each statement and combination of types;
 * the engine makes loops over rows of it, here each becomes one function. What
 * a statement calls (the headers of lib/ops) belongs to its text. Nothing here knows
 * masks, rows or modes: alu.c sets the rounding before the call.
 */
#include "machine.h"
#include "ops/lane.h"

typedef uint8_t V_u8;
typedef int8_t V_s8;
typedef uint16_t V_u16;
typedef int16_t V_s16;
typedef uint32_t V_u32, V_none;
typedef bool V_pred;
typedef int32_t V_s32;
typedef uint64_t V_u64;
typedef int64_t V_s64;
typedef float V_f32;
typedef double V_f64;

#define FUNCTION(name, TD, TE, TA, TB, TC, ...)                                                              \
    static void one_##name(const union ref_lane in[3], union ref_lane *to, union ref_lane *also,             \
                           uint32_t *carry)                                                                  \
    {                                                                                                        \
        const V_##TA a = in[0].TA;                                                                           \
        const V_##TB b = in[1].TB;                                                                           \
        const V_##TC c = in[2].TC;                                                                           \
        V_##TD d;                                                                                            \
        V_##TE e = 0;                                                                                        \
        uint32_t cc = *carry;                                                                                \
        (void)a, (void)b, (void)c;                                                                           \
        __VA_ARGS__                                                                                          \
        to->TD = d;                                                                                          \
        also->TE = e;                                                                                        \
        *carry = cc;                                                                                         \
    }
#define PX_ALU(name, nd, ns, TD, TE, TA, TB, TC, shapes, ...) FUNCTION(name, TD, TE, TA, TB, TC, __VA_ARGS__)
#define PX_ALU_CC PX_ALU
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* statements of the table may say __int128 */
#include "gen/handlers.inc"
#pragma GCC diagnostic pop
#undef PX_ALU

#define IS_FLOAT(T) _Generic((V_##T){0}, float : true, default : false)

static const struct ref_scalar scalars[] = {
#define PX_ALU(name, nd, ns, TD, TE, TA, TB, TC, shapes, ...) {one_##name, nd, ns, IS_FLOAT(TD)},
#include "gen/handlers.inc"
};

const struct ref_scalar *ref_scalar_of(int handler)
{
    return &scalars[handler];
}

ref_bits ref_widen(ref_bits v, enum px_type type)
{
    union ref_lane from = {.bits = v}, to = {.bits = 0};
    switch (type) {
    case PX_T_U8: to.f64 = from.u8; break;
    case PX_T_S8: to.f64 = from.s8; break;
    case PX_T_U16: to.f64 = from.u16; break;
    case PX_T_S16: to.f64 = from.s16; break;
    case PX_T_U32: to.f64 = from.u32; break;
    case PX_T_S32: to.f64 = from.s32; break;
    case PX_T_U64: to.f64 = px_sticky_u64(from.u64); break;
    case PX_T_S64: to.f64 = px_sticky_s64(from.s64); break;
    case PX_T_F16: to.f32 = px_f32_of_f16(from.u16); break;
    case PX_T_BF16: to.f32 = px_f32_of_bf16(from.u16); break;
    default: return v; /* f32 and f64 stay */
    }
    return to.bits;
}
