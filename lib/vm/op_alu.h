/*
 * op_alu.h - from a line of gen/handlers.inc to functions (handlers.c only).
 *
 *   PX_ALU(name, nd, ns, TD, TE, TA, TB, TC, shapes, { statement })
 *
 * makes alu_<name>_<shape>(g, in, masked) for every shape of the list `shapes`
 * ("rr_rs": both sources rows; the second one a scalar). The statement sees one
 * lane: values a, b, c, results d, e; with PX_ALU_CC also the carry flag cc,
 * whose row is x[0]. E_<type> is what lies in a row, GET and PUT turn it into
 * the lane's value and back: predicates are rows of 0 or ~0, 8-bit registers
 * are kept in 16 bits.
 */
#ifndef PX_VM_OP_ALU_H
#define PX_VM_OP_ALU_H

#include "vm/op_hot.h"
#include "vm/op_row.h"

typedef uint16_t E_u8, E_s8;
typedef uint16_t E_u16;
typedef int16_t E_s16;
typedef uint32_t E_u32, E_pred, E_none;
typedef int32_t E_s32;
typedef uint64_t E_u64;
typedef int64_t E_s64;
typedef float E_f32;
typedef double E_f64;
typedef px_b128 E_u128;

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
typedef px_b128 V_u128;

#define PX_GET_u8(x) (uint8_t)(x)
#define PX_GET_s8(x) (int8_t)(x)
#define PX_GET_u16(x) (x)
#define PX_GET_s16(x) (x)
#define PX_GET_u32(x) (x)
#define PX_GET_none(x) (x)
#define PX_GET_pred(x) ((x) != 0)
#define PX_GET_s32(x) (x)
#define PX_GET_u64(x) (x)
#define PX_GET_s64(x) (x)
#define PX_GET_f32(x) (x)
#define PX_GET_f64(x) (x)
#define PX_GET_u128(x) (x)

#define PX_PUT_u8(x) (uint16_t)(x)
#define PX_PUT_s8(x) (uint16_t)(int16_t)(x)
#define PX_PUT_u16(x) (x)
#define PX_PUT_s16(x) (x)
#define PX_PUT_u32(x) (x)
#define PX_PUT_pred(x) (0u - (uint32_t)(x))
#define PX_PUT_s32(x) (x)
#define PX_PUT_u64(x) (x)
#define PX_PUT_s64(x) (x)
#define PX_PUT_f32(x) (x)
#define PX_PUT_f64(x) (x)
#define PX_PUT_u128(x) (x)

#define PX_IS_FLOAT(T) _Generic((V_##T){0}, float: 1, default: 0)

/* letters of a shape */
#define PX_L1_none s
#define PX_L2_none s
#define PX_L3_none s
#define PX_L1_r r
#define PX_L2_r s
#define PX_L3_r s
#define PX_L1_s s
#define PX_L2_s s
#define PX_L3_s s
#define PX_L1_rr r
#define PX_L2_rr r
#define PX_L3_rr s
#define PX_L1_rs r
#define PX_L2_rs s
#define PX_L3_rs s
#define PX_L1_sr s
#define PX_L2_sr r
#define PX_L3_sr s
#define PX_L1_ss s
#define PX_L2_ss s
#define PX_L3_ss s
#define PX_L1_rrr r
#define PX_L2_rrr r
#define PX_L3_rrr r
#define PX_L1_rrs r
#define PX_L2_rrs r
#define PX_L3_rrs s
#define PX_L1_rsr r
#define PX_L2_rsr s
#define PX_L3_rsr r
#define PX_L1_srr s
#define PX_L2_srr r
#define PX_L3_srr r
#define PX_L1_rss r
#define PX_L2_rss s
#define PX_L3_rss s
#define PX_L1_srs s
#define PX_L2_srs r
#define PX_L3_srs s
#define PX_L1_ssr s
#define PX_L2_ssr s
#define PX_L3_ssr r

/* index in px_handler_set.fn[]: bit i says that source i is a scalar */
enum {
    PX_SHAPE_none = 0, PX_SHAPE_r = 0, PX_SHAPE_s = 1, PX_SHAPE_rr = 0, PX_SHAPE_sr = 1, PX_SHAPE_rs = 2,
    PX_SHAPE_ss = 3, PX_SHAPE_rrr = 0, PX_SHAPE_srr = 1, PX_SHAPE_rsr = 2, PX_SHAPE_ssr = 3, PX_SHAPE_rrs = 4,
    PX_SHAPE_srs = 5, PX_SHAPE_rss = 6
};

/* X(shape, ...) for each shape of a list */
#define PX_EACH_none(X, ...) X(none, __VA_ARGS__)
#define PX_EACH_r(X, ...) X(r, __VA_ARGS__)
#define PX_EACH_r_s(X, ...) X(r, __VA_ARGS__) X(s, __VA_ARGS__)
#define PX_EACH_rr(X, ...) X(rr, __VA_ARGS__)
#define PX_EACH_rr_rs(X, ...) X(rr, __VA_ARGS__) X(rs, __VA_ARGS__)
#define PX_EACH_rr_rs_sr(X, ...) X(rr, __VA_ARGS__) X(rs, __VA_ARGS__) X(sr, __VA_ARGS__)
#define PX_EACH_rrr(X, ...) X(rrr, __VA_ARGS__)
#define PX_EACH_rrr_rrs(X, ...) X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__)
#define PX_EACH_rrr_rsr(X, ...) X(rrr, __VA_ARGS__) X(rsr, __VA_ARGS__)
#define PX_EACH_rrr_rss(X, ...) X(rrr, __VA_ARGS__) X(rss, __VA_ARGS__)
#define PX_EACH_rrr_rrs_rsr(X, ...) X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(rsr, __VA_ARGS__)
#define PX_EACH_rrr_rsr_rrs(X, ...) X(rrr, __VA_ARGS__) X(rsr, __VA_ARGS__) X(rrs, __VA_ARGS__)
#define PX_EACH_rrr_rrs_rsr_rss(X, ...)                                                                     \
    X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(rsr, __VA_ARGS__) X(rss, __VA_ARGS__)
#define PX_EACH_rrr_rsr_rrs_rss(X, ...)                                                                     \
    X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(rsr, __VA_ARGS__) X(rss, __VA_ARGS__)
#define PX_EACH_rrr_srr(X, ...) X(rrr, __VA_ARGS__) X(srr, __VA_ARGS__)
#define PX_EACH_rrr_rrs_srr(X, ...) X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(srr, __VA_ARGS__)
#define PX_EACH_rrr_rsr_srr(X, ...) X(rrr, __VA_ARGS__) X(rsr, __VA_ARGS__) X(srr, __VA_ARGS__)
#define PX_EACH_rrr_rsr_srr_ssr(X, ...)                                                                     \
    X(rrr, __VA_ARGS__) X(rsr, __VA_ARGS__) X(srr, __VA_ARGS__) X(ssr, __VA_ARGS__)
#define PX_EACH_rrr_rrs_rsr_srr(X, ...)                                                                     \
    X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(rsr, __VA_ARGS__) X(srr, __VA_ARGS__)
#define PX_EACH_rrr_rrs_rsr_rss_srr(X, ...)                                                                 \
    X(rrr, __VA_ARGS__) X(rrs, __VA_ARGS__) X(rsr, __VA_ARGS__) X(rss, __VA_ARGS__) X(srr, __VA_ARGS__)

#define PX_OPEN_r(T, p, offset) const E_##T *p = PX_ROW(g, E_##T, offset);
#define PX_OPEN_s(T, p, offset) const E_##T p = *PX_ROW(g, E_##T, offset);
#define PX_READ_r(p) p[i]
#define PX_READ_s(p) p
#define PX_OPEN(letter, T, p, offset) PX_PASTE(PX_OPEN_, letter)(T, p, offset)
#define PX_READ(letter, p) PX_PASTE(PX_READ_, letter)(p)

#define PX_OUT_E_1(T)
#define PX_OUT_E_2(T) E_##T *pe = PX_ROW(g, E_##T, in->e);
#define PX_SET_E_1(T)
#define PX_SET_E_2(T) pe[i] = PX_PUT_##T(e);
#define PX_BLEND_E_1(T)
#define PX_BLEND_E_2(T) pe[i] = m_[i] ? PX_PUT_##T(e) : pe[i];

#define PX_CARRY_IN_0
#define PX_CARRY_IN_1 uint32_t cc = pcc[i];
#define PX_CARRY_SET_0
#define PX_CARRY_SET_1 pcc[i] = cc;
#define PX_CARRY_BLEND_0
#define PX_CARRY_BLEND_1 pcc[i] = m_[i] ? cc : pcc[i];

#define PX_LANE(shape, nd, TD, TE, TA, TB, TC, carry, ...)                                                  \
    const V_##TA a = PX_GET_##TA(PX_READ(PX_L1_##shape, pa));                                               \
    const V_##TB b = PX_GET_##TB(PX_READ(PX_L2_##shape, pb));                                               \
    const V_##TC c = PX_GET_##TC(PX_READ(PX_L3_##shape, pc));                                               \
    V_##TD d;                                                                                               \
    V_##TE e;                                                                                               \
    PX_CARRY_IN_##carry                                                                                     \
    (void)a, (void)b, (void)c, (void)&e;                                                                    \
    __VA_ARGS__

#define PX_ALU_FUNCTION(shape, name, carry, nd, TD, TE, TA, TB, TC, ...)                                    \
    PX_INLINE int alu_##name##_##shape(struct px_gang *g, const struct px_insn *in, bool masked)            \
    {                                                                                                       \
        PX_OPEN(PX_L1_##shape, TA, pa, in->a)                                                               \
        PX_OPEN(PX_L2_##shape, TB, pb, in->b)                                                               \
        PX_OPEN(PX_L3_##shape, TC, pc, in->c)                                                               \
        E_##TD *pd = PX_ROW(g, E_##TD, in->d);                                                              \
        PX_OUT_E_##nd(TE)                                                                                   \
        uint32_t *pcc = PX_ROW(g, uint32_t, in->x[0]);                                                      \
        const uint32_t n = g->n & ~31u;                                                                     \
        (void)pa, (void)pb, (void)pc, (void)pcc;                                                            \
        if (masked) {                                                                                       \
            const uint32_t *m_ = PX_ROW(g, uint32_t, in->m);                                                 \
            PX_LOOP {                                                                                       \
                PX_LANE(shape, nd, TD, TE, TA, TB, TC, carry, __VA_ARGS__)                                  \
                pd[i] = m_[i] ? PX_PUT_##TD(d) : pd[i];                                                      \
                PX_BLEND_E_##nd(TE)                                                                         \
                PX_CARRY_BLEND_##carry                                                                      \
            }                                                                                               \
        } else {                                                                                            \
            PX_LOOP {                                                                                       \
                PX_LANE(shape, nd, TD, TE, TA, TB, TC, carry, __VA_ARGS__)                                  \
                pd[i] = PX_PUT_##TD(d);                                                                     \
                PX_SET_E_##nd(TE)                                                                           \
                PX_CARRY_SET_##carry                                                                        \
            }                                                                                               \
        }                                                                                                   \
        return PX_STEP_NEXT;                                                                                \
    }                                                                                                       \
    static int f0_##name##_##shape(struct px_gang *g, const struct px_insn *in)                             \
    {                                                                                                       \
        return alu_##name##_##shape(g, in, false);                                                          \
    }                                                                                                       \
    PX_PASTE(PX_MASKED_, PX_IS_HOT(name))(shape, name, carry, nd, TD)

#define PX_MASKED_1(shape, name, carry, nd, TD)                                                             \
    static int f1_##name##_##shape(struct px_gang *g, const struct px_insn *in)                             \
    {                                                                                                       \
        return alu_##name##_##shape(g, in, true);                                                           \
    }
#define PX_MASKED_0(shape, name, carry, nd, TD)

#define PX_ALU_ENTRY0(shape, name) [PX_SHAPE_##shape] = f0_##name##_##shape,
#define PX_ALU_ENTRY1(shape, name) PX_PASTE(PX_MASKED_ENTRY_, PX_IS_HOT(name))(shape, name)
#define PX_MASKED_ENTRY_1(shape, name) [PX_SHAPE_##shape] = f1_##name##_##shape,
#define PX_MASKED_ENTRY_0(shape, name) [PX_SHAPE_##shape] = NULL,

#endif
