/*
 * atom_rows.c - atomic operations on rows of lanes, once a SIMD level (see the Makefile).
 *
 * Each operation has two loops: over words side by side, which is a vector of operations, and over one word
 * that all lanes name, which is a chain in the order of lanes. Chains of sums keep partial sums of a vector
 * at a time; those of floats are added one by one, as their order is seen in the bits, and looked at
 * afterwards for what a plain addition does otherwise than memory.
 */
#include "ops/atom_ops.h"
#include "ops/vector.h"

/* d[i] is written behind b[i] and c[i] are read: it may be their row. */
#define PX_ROWS_STEP(T, word, OP)                                                                            \
    const T o = (word), b = pb[i], c = pc[i];                                                                \
    (void)o, (void)c;                                                                                        \
    (word) = (T)(OP(T));

#define PX_ROWS_ARGUMENTS(T)                                                                                 \
    T *word = to;                                                                                            \
    const T *pb = b_, *pc = c_ ? c_ : b_;                                                                    \
    T *d = d_;                                                                                               \
    (void)pc, (void)ftz

#define PX_ROWS_LINE(name, T, OP)                                                                            \
    static void line_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)        \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        if (!d) {                                                                                            \
            PX_LOOP                                                                                          \
            {                                                                                                \
                PX_ROWS_STEP(T, word[i], OP)                                                                 \
            }                                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        PX_LOOP                                                                                              \
        {                                                                                                    \
            PX_ROWS_STEP(T, word[i], OP)                                                                     \
            d[i] = o;                                                                                        \
        }                                                                                                    \
    }

#define PX_ROWS_CHAIN(name, T, OP)                                                                           \
    static void chain_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)       \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        T value = *word;                                                                                     \
        if (!d) {                                                                                            \
            for (uint32_t i = 0; i < n; i++) {                                                               \
                PX_ROWS_STEP(T, value, OP)                                                                   \
            }                                                                                                \
        } else {                                                                                             \
            for (uint32_t i = 0; i < n; i++) {                                                               \
                PX_ROWS_STEP(T, value, OP)                                                                   \
                d[i] = o;                                                                                    \
            }                                                                                                \
        }                                                                                                    \
        *word = value;                                                                                       \
    }

/* ---- whole numbers ---- */

#define PX_ROWS_BOTH(name, T, OP, how) PX_ROWS_LINE(name, T, OP) PX_ROWS_CHAIN(name, T, OP)
PX_ATOM_WHOLE(PX_ROWS_BOTH)

/*
 * The old values of a chain of sums: sums within a vector in steps of 1, 2, 4 ... elements, then of what is
 * before it. What is behind the last whole vector is done one by one.
 */
#define PX_ROWS_SUM(name, T, OP, how) PX_ROWS_LINE(name, T, OP) PX_ROWS_CHAIN(rest_##name, T, OP)
PX_ATOM_SUMS(PX_ROWS_SUM)

#define PX_ROWS_SUMS(name, T, W)                                                                             \
    static void chain_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)       \
    {                                                                                                        \
        typedef T vector __attribute__((vector_size(sizeof(T) * (W)), aligned(sizeof(T)), may_alias));       \
        const uint32_t whole = d_ ? n / (W) * (W) : 0;                                                       \
        const T *pb = b_;                                                                                    \
        T *d = d_, *word = to;                                                                               \
        for (uint32_t i = 0; i < whole; i += (W)) {                                                          \
            const vector b = *(const vector *)(const void *)(pb + i);                                        \
            vector x = b;                                                                                    \
            _Pragma("GCC unroll 8") for (uint32_t s = 1; s < (W); s *= 2)                                    \
            {                                                                                                \
                vector at = {0};                                                                             \
                _Pragma("GCC unroll 16") for (uint32_t k = 0; k < (W); k++) at[k] = k < s ? (W) : k - s;     \
                x += __builtin_shuffle(x, (vector){0}, at);                                                  \
            }                                                                                                \
            const T before = *word;                                                                          \
            *word = before + x[(W)-1];                                                                       \
            *(vector *)(void *)(d + i) = x - b + before;                                                     \
        }                                                                                                    \
        chain_rest_##name(to, pb + whole, c_, d ? d + whole : NULL, n - whole, ftz);                         \
    }
PX_ROWS_SUMS(add32, uint32_t, 16)
PX_ROWS_SUMS(add64, uint64_t, 8)

/* ---- floats ---- */

/* px_atom_add_f32 and px_atom_add_f64 with masks in place of choices: compilers make vectors of that. */
static inline uint32_t flush_row(uint32_t x, bool ftz)
{
    const uint32_t tiny = 0u - (uint32_t)((x & 0x7f800000u) == 0), flushes = ftz ? 0x7fffffffu : 0;
    return x & ~(tiny & flushes);
}
static inline uint32_t add_row_f32(uint32_t o, uint32_t b, bool ftz)
{
    float x, y;
    o = flush_row(o, ftz), b = flush_row(b, ftz);
    memcpy(&x, &o, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&o, &x, 4);
    const uint32_t nan = 0u - (uint32_t)((o & 0x7fffffffu) > 0x7f800000u);
    return (flush_row(o, ftz) & ~nan) | (nan & 0x7fffffffu);
}

static inline uint64_t where_nan(uint64_t x)
{
    return 0ull - (uint64_t)((x & 0x7fffffffffffffffu) > 0x7ff0000000000000u);
}
static inline uint64_t choose(uint64_t where, uint64_t yes, uint64_t no)
{
    return (where & yes) | (~where & no);
}
static inline uint64_t add_row_f64(uint64_t o, uint64_t b, bool ftz)
{
    double x, y;
    uint64_t sum;
    memcpy(&x, &o, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&sum, &x, 8);
    const uint64_t old = where_nan(o), new = where_nan(b), by_memory = 0ull - (uint64_t)ftz;
    const uint64_t takes_new = (by_memory & new) | (~by_memory & ~old), quiet = ~by_memory & 1ull << 51;
    return choose(old | new, choose(takes_new, b, o) | quiet, sum);
}

#define PX_ROWS_ADD_f32(T) add_row_f32(o, b, ftz)
#define PX_ROWS_ADD_f64(T) add_row_f64(o, b, ftz)
PX_ROWS_LINE(addf32, uint32_t, PX_ROWS_ADD_f32)
PX_ROWS_LINE(addf64, uint64_t, PX_ROWS_ADD_f64)
#define PX_ROWS_FLOAT(name, T, OP, how) PX_ROWS_CHAIN(slow_##name, T, OP)
PX_ATOM_FLOATS(PX_ROWS_FLOAT)

static inline bool is_odd_f32(uint32_t x, bool ftz)
{
    const uint32_t magnitude = x & 0x7fffffffu;
    return (magnitude > 0x7f800000u) | (ftz & (magnitude - 1 < 0x7fffff));
}
static inline bool is_odd_f64(uint64_t x, bool ftz)
{
    (void)ftz;
    return (x & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

/* A plain chain is the right one unless a NaN, or with ftz a subnormal number, is among its values. */
#define PX_ROWS_FLOAT_CHAIN(name, T, F, type)                                                                \
    static void chain_##name(void *to, const void *b, const void *c, void *d, uint32_t n, bool ftz)          \
    {                                                                                                        \
        T old[PX_LANES_MAX + 1], odd = 0;                                                                    \
        const T *pb = b;                                                                                     \
        F value;                                                                                             \
        memcpy(&value, to, sizeof(T));                                                                       \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            F x;                                                                                             \
            memcpy(&x, &pb[i], sizeof(T));                                                                   \
            memcpy(&old[i], &value, sizeof(T));                                                              \
            value += x;                                                                                      \
        }                                                                                                    \
        memcpy(&old[n], &value, sizeof(T));                                                                  \
        for (uint32_t i = 0; i < n; i++) odd |= (T)(is_odd_##type(old[i], ftz) | is_odd_##type(pb[i], ftz)); \
        if (odd | is_odd_##type(old[n], ftz)) {                                                              \
            chain_slow_##name(to, b, c, d, n, ftz);                                                          \
            return;                                                                                          \
        }                                                                                                    \
        if (d) memcpy(d, old, n * sizeof(T));                                                                \
        memcpy(to, &old[n], sizeof(T));                                                                      \
    }
PX_ROWS_FLOAT_CHAIN(addf32, uint32_t, float, f32)
PX_ROWS_FLOAT_CHAIN(addf64, uint64_t, double, f64)

/* ---- halves: vectors where the level has them ---- */

#ifdef PX_VECTOR
#define PX_ROWS_HALF(name, T, u, scalar, vector)                                                             \
    static void line_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)        \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        for (uint32_t i = 0; i < n; i += PX_VECTOR) {                                                        \
            const px_v_##u o = px_v_load_##u(word + i), b = px_v_load_##u(pb + i);                           \
            px_v_store_##u(word + i, vector);                                                                \
            if (d) px_v_store_##u(d + i, o);                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    static void chain_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)       \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        px_v_##u o = px_v_all_##u(*word);                                                                    \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            const px_v_##u b = px_v_all_##u(pb[i]);                                                          \
            if (d) d[i] = o[0];                                                                              \
            o = vector;                                                                                      \
        }                                                                                                    \
        *word = o[0];                                                                                        \
    }
#else
#define PX_ROWS_HALF(name, T, u, scalar, vector)                                                             \
    static T one_##name(T o, T b)                                                                            \
    {                                                                                                        \
        return (T)(scalar);                                                                                  \
    }                                                                                                        \
    static void line_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)        \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            const T o = word[i];                                                                             \
            word[i] = one_##name(o, pb[i]);                                                                  \
            if (d) d[i] = o;                                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    static void chain_##name(void *to, const void *b_, const void *c_, void *d_, uint32_t n, bool ftz)       \
    {                                                                                                        \
        PX_ROWS_ARGUMENTS(T);                                                                                \
        for (uint32_t i = 0; i < n; i++) {                                                                   \
            const T o = *word;                                                                               \
            *word = one_##name(o, pb[i]);                                                                    \
            if (d) d[i] = o;                                                                                 \
        }                                                                                                    \
    }
#endif
#define PX_ROWS_HALF16(op, kind, T, scalar, vector) PX_ROWS_HALF(op##_##kind, T, u16, scalar, vector)
#define PX_ROWS_HALF32(op, kind, T, scalar, vector) PX_ROWS_HALF(op##_##kind, T, u32, scalar, vector)
PX_ATOM_HALVES(PX_ROWS_HALF16)
PX_ATOM_PAIRS(PX_ROWS_HALF32)

const struct px_atom_row_set PX_AT_LEVEL(atom_rows)[] = {
#define PX_ROWS_SET(name, ...) [PX_ROWS_##name] = {line_##name, chain_##name},
#define PX_ROWS_HALF_SET(op, kind, ...) {line_##op##_##kind, chain_##op##_##kind},
    PX_ATOM_SUMS(PX_ROWS_SET) PX_ATOM_WHOLE(PX_ROWS_SET)
        PX_ATOM_FLOATS(PX_ROWS_SET)[PX_ROWS_half] = PX_ATOM_HALVES(PX_ROWS_HALF_SET)
            PX_ATOM_PAIRS(PX_ROWS_HALF_SET)};
_Static_assert(sizeof PX_AT_LEVEL(atom_rows) / sizeof *PX_AT_LEVEL(atom_rows) == PX_ROWS_COUNT,
               "one a number");
