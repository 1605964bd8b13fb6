/*
 * atom_ops.h - what atomic operations compute: of the old value `o` and the operands `b` and `c` in bits.
 *
 * atom.c performs them on memory lane by lane; atom_rows.c on rows, once a SIMD level. `ftz`: subnormal f32
 * operands and results are flushed, as memory does.
 */
#ifndef PX_OPS_ATOM_OPS_H
#define PX_OPS_ATOM_OPS_H

#include "ops/half.h"
#include "ops/row.h"

static inline uint32_t px_atom_flush(uint32_t x, bool ftz)
{
    return ftz && !(x & 0x7f800000u) ? x & 0x80000000u : x;
}

static inline uint32_t px_atom_add_f32(uint32_t o, uint32_t b, bool ftz)
{
    float x, y;
    o = px_atom_flush(o, ftz), b = px_atom_flush(b, ftz);
    memcpy(&x, &o, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&o, &x, 4);
    return x != x ? 0x7fffffffu : px_atom_flush(o, ftz);
}

/*
 * With a NaN global memory (ftz) gives the operand's bits if that is the NaN, else memory's, and does not
 * quiet it; shared memory computes on the multiprocessor, which prefers memory's and quiets it. Seen on an
 * H200.
 */
static inline uint64_t px_atom_add_f64(uint64_t o, uint64_t b, bool ftz)
{
    double x, y;
    memcpy(&x, &o, 8);
    memcpy(&y, &b, 8);
    if (x != x || y != y) return !ftz ? px_quiet64(x != x ? o : b) : y != y ? b : o;
    x += y;
    memcpy(&o, &x, 8);
    return o;
}

#define OP_ADD(T) (T)(o + b)
#define OP_EXCH(T) b
#define OP_AND(T) (T)(o & b)
#define OP_OR(T) (T)(o | b)
#define OP_XOR(T) (T)(o ^ b)
#define OP_MIN(T) (o < b ? o : b)
#define OP_MAX(T) (o > b ? o : b)
#define OP_INC(T) (o >= b ? 0 : o + 1)
#define OP_DEC(T) (o == 0 || o > b ? b : o - 1)
#define OP_CAS(T) (o == b ? c : o)
#define OP_ADDF32(T) px_atom_add_f32(o, b, ftz)
#define OP_ADDF64(T) px_atom_add_f64(o, b, ftz)

/* Operations of halves: word, type, element, the operation, its vector (ops/vector.h). */
#define PX_ATOM_HALVES(X)                                                                                    \
    X(add, F16, uint16_t, px_add_f16(o, b, 0, 0), px_v_add_f16(o, b, 0, 0))                                  \
    X(add, BF16, uint16_t, px_add_bf16(o, b), px_v_add_bf16(o, b))                                           \
    X(min, F16, uint16_t, px_min_f16(o, b, 0, 0, 0), px_v_min_f16(o, b, 0, 0, 0))                            \
    X(max, F16, uint16_t, px_max_f16(o, b, 0, 0, 0), px_v_max_f16(o, b, 0, 0, 0))                            \
    X(min, BF16, uint16_t, px_min_bf16(o, b, 0, 0, 0), px_v_min_bf16(o, b, 0, 0, 0))                         \
    X(max, BF16, uint16_t, px_max_bf16(o, b, 0, 0, 0), px_v_max_bf16(o, b, 0, 0, 0))
#define PX_ATOM_PAIRS(X)                                                                                     \
    X(add, F16X2, uint32_t, px_add_f16x2(o, b, 0, 0), px_v_add_f16x2(o, b, 0, 0))                            \
    X(add, BF16X2, uint32_t, px_add_bf16x2(o, b), px_v_add_bf16x2(o, b))                                     \
    X(min, F16X2, uint32_t, px_min_f16x2(o, b, 0, 0, 0), px_v_min_f16x2(o, b, 0, 0, 0))                      \
    X(max, F16X2, uint32_t, px_max_f16x2(o, b, 0, 0, 0), px_v_max_f16x2(o, b, 0, 0, 0))                      \
    X(min, BF16X2, uint32_t, px_min_bf16x2(o, b, 0, 0, 0), px_v_min_bf16x2(o, b, 0, 0, 0))                   \
    X(max, BF16X2, uint32_t, px_max_bf16x2(o, b, 0, 0, 0), px_v_max_bf16x2(o, b, 0, 0, 0))

/* name, element type, operation, the host's locked form */
#define PX_ATOM_SUMS(X)                                                                                      \
    X(add32, uint32_t, OP_ADD, LOCKED_ADD)                                                                   \
    X(add64, uint64_t, OP_ADD, LOCKED_ADD)
#define PX_ATOM_WHOLE(X)                                                                                     \
    X(exch32, uint32_t, OP_EXCH, LOCKED_EXCH)                                                                \
    X(exch64, uint64_t, OP_EXCH, LOCKED_EXCH)                                                                \
    X(and32, uint32_t, OP_AND, LOCKED_AND)                                                                   \
    X(and64, uint64_t, OP_AND, LOCKED_AND)                                                                   \
    X(or32, uint32_t, OP_OR, LOCKED_OR)                                                                      \
    X(or64, uint64_t, OP_OR, LOCKED_OR)                                                                      \
    X(xor32, uint32_t, OP_XOR, LOCKED_XOR)                                                                   \
    X(xor64, uint64_t, OP_XOR, LOCKED_XOR)                                                                   \
    X(cas16, uint16_t, OP_CAS, LOCKED_CAS)                                                                   \
    X(cas32, uint32_t, OP_CAS, LOCKED_CAS)                                                                   \
    X(cas64, uint64_t, OP_CAS, LOCKED_CAS)                                                                   \
    X(minu32, uint32_t, OP_MIN, LOCKED)                                                                      \
    X(mins32, int32_t, OP_MIN, LOCKED)                                                                       \
    X(minu64, uint64_t, OP_MIN, LOCKED)                                                                      \
    X(mins64, int64_t, OP_MIN, LOCKED)                                                                       \
    X(maxu32, uint32_t, OP_MAX, LOCKED)                                                                      \
    X(maxs32, int32_t, OP_MAX, LOCKED)                                                                       \
    X(maxu64, uint64_t, OP_MAX, LOCKED)                                                                      \
    X(maxs64, int64_t, OP_MAX, LOCKED)                                                                       \
    X(inc32, uint32_t, OP_INC, LOCKED)                                                                       \
    X(dec32, uint32_t, OP_DEC, LOCKED)
#define PX_ATOM_FLOATS(X)                                                                                    \
    X(addf32, uint32_t, OP_ADDF32, LOCKED)                                                                   \
    X(addf64, uint64_t, OP_ADDF64, LOCKED)

/* By number: those of halves follow in the order of their lists. */
enum px_atom_rows_op {
#define PX_ATOM_NUMBER(name, ...) PX_ROWS_##name,
    PX_ATOM_SUMS(PX_ATOM_NUMBER) PX_ATOM_WHOLE(PX_ATOM_NUMBER) PX_ATOM_FLOATS(PX_ATOM_NUMBER) PX_ROWS_half,
    PX_ROWS_pair = PX_ROWS_half + 6,
    PX_ROWS_COUNT = PX_ROWS_pair + 6
};

/*
 * One operation on rows of n lanes; c, and d where the old values go, may be NULL; d may be b or c.
 * line: the words lie side by side from p on. chain: all lanes' is the word at p, one after the other.
 */
typedef void px_atom_rows(void *p, const void *b, const void *c, void *d, uint32_t n, bool ftz);
struct px_atom_row_set {
    px_atom_rows *line, *chain;
};
extern const struct px_atom_row_set px_atom_rows_portable[], px_atom_rows_avx2[], px_atom_rows_avx512[];

#endif
