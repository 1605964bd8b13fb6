/*
 * handlers_fixed.c - the handlers of one SIMD level that no row of the instruction table makes.
 *
 * Moves, masks, branches and memory (gang/fixed.def), and what makes the level of
 * them: px_level_<level>. The table's statements are in files of their own that
 * isagen writes (gen/handlers_*.c). All of these are compiled once a level
 * (-DPX_LEVEL=portable|avx2|avx512 and the matching machine flags). All levels
 * give the same bits: nothing here may depend on the vector width.
 */
#include "gang/gang.h"
#include "ops/mem.h"
#include "ops/lane.h"
#include "ops/row.h"
#include "ops/access.h"
#include "ops/atom_ops.h"
#include "ops/warp_rows.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- mask rows and lane sets ---- */

static uint32_t bits_of_warp(const uint32_t *row)
{
#if defined(__AVX512F__)
    __m512i lo = _mm512_loadu_si512(row), hi = _mm512_loadu_si512(row + 16);
    return _mm512_test_epi32_mask(lo, lo) | (uint32_t)_mm512_test_epi32_mask(hi, hi) << 16;
#else
    uint32_t word = 0;
#if defined(__AVX2__)
    for (int k = 0; k < 4; k++)
        word |= (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)row + k * 8)) << k * 8;
#elif defined(__SSE2__)
    for (int k = 0; k < 8; k++)
        word |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)row + k * 4)) << k * 4;
#else
    for (int k = 0; k < 32; k++) word |= (row[k] & 1) << k;
#endif
    return word;
#endif
}

/* Words are written whole: who reads them at once would wait for two halves. */
static void to_bits(const uint32_t *row, uint32_t n, uint64_t *bits)
{
    uint32_t w = 0;
    for (; w < n / 64; w++, row += 64) bits[w] = bits_of_warp(row) | (uint64_t)bits_of_warp(row + 32) << 32;
    if (n % 64) bits[w++] = bits_of_warp(row);
    for (; w < PX_LANES_MAX / 64; w++) bits[w] = 0;
}

static void to_row(const uint64_t *bits, uint32_t n, uint32_t *row)
{
    const uint32_t *words = (const uint32_t *)bits;
    for (uint32_t w = 0; w < n / 32; w++, row += 32) {
        uint32_t word = words[w];
#if defined(__AVX512F__)
        _mm512_storeu_si512(row, _mm512_maskz_set1_epi32((__mmask16)word, -1));
        _mm512_storeu_si512(row + 16, _mm512_maskz_set1_epi32((__mmask16)(word >> 16), -1));
#elif defined(__SSE2__)
        const __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
        for (int k = 0; k < 8; k++, word >>= 4) {
            __m128i v = _mm_and_si128(_mm_set1_epi32((int)word), bit);
            _mm_storeu_si128((__m128i *)(void *)(row + k * 4), _mm_cmpeq_epi32(v, bit));
        }
#else
        for (uint32_t k = 0; k < 32; k++) row[k] = 0u - (word >> k & 1);
#endif
    }
}

#define PX_GATHER(from, to)                                                                                  \
    for (uint32_t w = 0; w * 64 < n; w++)                                                                    \
        for (uint64_t left = bits[w]; left; left &= left - 1)                                                \
    *(to)++ = (from)[w * 64 + (uint32_t)__builtin_ctzll(left)]

/* Upwards, so nothing is overwritten before it has moved. */
static void pack(void *to, const void *from, const uint64_t *bits, uint32_t n, uint32_t elem)
{
#if defined(__AVX512F__)
    if (elem == 4) {
        uint32_t *d = to;
        for (uint32_t i = 0; i < n; i += 16) {
            const __mmask16 m = (__mmask16)(bits[i / 64] >> i % 64);
            _mm512_storeu_si512(
                d, _mm512_maskz_compress_epi32(m, _mm512_loadu_si512((const uint32_t *)from + i)));
            d += __builtin_popcount(m);
        }
        return;
    }
    if (elem == 8) {
        uint64_t *d = to;
        for (uint32_t i = 0; i < n; i += 8) {
            const __mmask8 m = (__mmask8)(bits[i / 64] >> i % 64);
            _mm512_storeu_si512(
                d, _mm512_maskz_compress_epi64(m, _mm512_loadu_si512((const uint64_t *)from + i)));
            d += __builtin_popcount(m);
        }
        return;
    }
#endif
    if (elem == 2) {
        const uint16_t *a = from;
        uint16_t *d = to;
        PX_GATHER(a, d);
    } else if (elem == 4) {
        const uint32_t *a = from;
        uint32_t *d = to;
        PX_GATHER(a, d);
    } else if (elem == 8) {
        const uint64_t *a = from;
        uint64_t *d = to;
        PX_GATHER(a, d);
    } else {
        const px_b128 *a = from;
        px_b128 *d = to;
        PX_GATHER(a, d);
    }
}

PX_INLINE int branch_on(struct px_gang *g, const struct px_insn *in, bool negate)
{
    const uint32_t *row = PX_ROW(g, uint32_t, in->a), n = g->n;
    uint64_t some = 0, differ = 0;
    uint32_t w = 0;
    for (; w * 64 < n; w++, row += 64) { /* word by word: who reads them together would wait for all */
        uint64_t p = bits_of_warp(row);
        if (w * 64 + 32 < n) p |= (uint64_t)bits_of_warp(row + 32) << 32;
        const uint64_t active = g->active.w[w], t = active & (negate ? ~p : p);
        g->taken.w[w] = t;
        some |= t;
        differ |= t ^ active;
    }
    if (!some) return PX_STEP_NEXT;
    if (!differ) return PX_STEP_JUMP;
    for (; w < PX_MASK_WORDS; w++) g->taken.w[w] = 0;
    return PX_STEP_SPLIT;
}

static int f0_branch(struct px_gang *g, const struct px_insn *in)
{
    return branch_on(g, in, false);
}
static int f0_branch_not(struct px_gang *g, const struct px_insn *in)
{
    return branch_on(g, in, true);
}

static int f2_branch(struct px_gang *g, const struct px_insn *in)
{
    return *PX_ROW(g, uint32_t, in->a) ? PX_STEP_JUMP : PX_STEP_NEXT;
}
static int f2_branch_not(struct px_gang *g, const struct px_insn *in)
{
    return *PX_ROW(g, uint32_t, in->a) ? PX_STEP_NEXT : PX_STEP_JUMP;
}

/* ---- moves between rows ---- */

#define PX_ROW_LOOP(TD, expression)                                                                          \
    TD *d_ = PX_ROW(g, TD, in->d);                                                                           \
    const uint32_t n = g->n & ~31u;                                                                          \
    if (masked) {                                                                                            \
        const uint32_t *m_ = PX_ROW(g, uint32_t, in->m);                                                     \
        PX_LOOP                                                                                              \
        {                                                                                                    \
            d_[i] = m_[i] ? (TD)(expression) : d_[i];                                                        \
        }                                                                                                    \
    } else {                                                                                                 \
        PX_LOOP                                                                                              \
        {                                                                                                    \
            d_[i] = (TD)(expression);                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    return PX_STEP_NEXT

#define PX_TWICE(name)                                                                                       \
    static int f0_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        return all_##name(g, in, false);                                                                     \
    }                                                                                                        \
    static int f1_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        return all_##name(g, in, true);                                                                      \
    }

#define PX_BROADCAST(name, T)                                                                                \
    PX_INLINE int all_##name(struct px_gang *g, const struct px_insn *in, bool masked)                       \
    {                                                                                                        \
        const T a = *PX_ROW(g, T, in->a);                                                                    \
        PX_ROW_LOOP(T, a);                                                                                   \
    }                                                                                                        \
    PX_TWICE(name)

#define PX_CONVERT(name, TD, TA)                                                                             \
    PX_INLINE int all_##name(struct px_gang *g, const struct px_insn *in, bool masked)                       \
    {                                                                                                        \
        const TA *a = PX_ROW(g, TA, in->a);                                                                  \
        PX_ROW_LOOP(TD, a[i]);                                                                               \
    }                                                                                                        \
    static int f2_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        *PX_ROW(g, TD, in->d) = (TD)*PX_ROW(g, TA, in->a);                                                   \
        return PX_STEP_NEXT;                                                                                 \
    }                                                                                                        \
    PX_TWICE(name)

#define PX_MOVE(name, TD, TA, TB, expression)                                                                \
    PX_INLINE TD one_##name(const TA a, const TB b, const uint64_t imm)                                      \
    {                                                                                                        \
        (void)a, (void)b, (void)imm;                                                                         \
        return (TD)(expression);                                                                             \
    }                                                                                                        \
    PX_INLINE int all_##name(struct px_gang *g, const struct px_insn *in, bool masked)                       \
    {                                                                                                        \
        const TA *pa = PX_ROW(g, TA, in->a);                                                                 \
        const TB *pb = PX_ROW(g, TB, in->b);                                                                 \
        const uint64_t imm = in->imm;                                                                        \
        PX_ROW_LOOP(TD, one_##name(pa[i], pb[i], imm));                                                      \
    }                                                                                                        \
    static int f2_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        *PX_ROW(g, TD, in->d) = one_##name(*PX_ROW(g, TA, in->a), *PX_ROW(g, TB, in->b), in->imm);           \
        return PX_STEP_NEXT;                                                                                 \
    }                                                                                                        \
    PX_TWICE(name)

/* `x` is the fourth source, a row of 32-bit integers. */
#define PX_MOVE4(name, T, TC, expression)                                                                    \
    PX_INLINE int all_##name(struct px_gang *g, const struct px_insn *in, bool masked)                       \
    {                                                                                                        \
        const T *pa = PX_ROW(g, T, in->a), *pb = PX_ROW(g, T, in->b);                                        \
        const TC *pc = PX_ROW(g, TC, in->c);                                                                 \
        const uint32_t *px = PX_ROW(g, uint32_t, in->source4);                                               \
        const uint64_t imm = in->imm;                                                                        \
        (void)px, (void)imm;                                                                                 \
        PX_ROW_LOOP(T, expression);                                                                          \
    }                                                                                                        \
    static int f2_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        const T *pa = PX_ROW(g, T, in->a), *pb = PX_ROW(g, T, in->b);                                        \
        const TC *pc = PX_ROW(g, TC, in->c);                                                                 \
        const uint32_t *px = PX_ROW(g, uint32_t, in->source4), i = 0;                                        \
        const uint64_t imm = in->imm;                                                                        \
        (void)px, (void)imm;                                                                                 \
        *PX_ROW(g, T, in->d) = (expression);                                                                 \
        return PX_STEP_NEXT;                                                                                 \
    }                                                                                                        \
    PX_TWICE(name)

/* ---- memory (ops/access.h) ---- */

#define PX_LOAD(name, unit, parts, wide, sign)                                                               \
    static __attribute__((noinline)) int local_##name(struct px_gang *g, const struct px_insn *in,           \
                                                      uint8_t *words)                                        \
    {                                                                                                        \
        return load_local(g, in, words, (struct px_form){unit, parts, wide, sign});                          \
    }                                                                                                        \
    static PX_RACY int f1_##name(struct px_gang *g, const struct px_insn *in)                                \
    {                                                                                                        \
        return load_masked(g, in, (struct px_form){unit, parts, wide, sign}, local_##name);                  \
    }                                                                                                        \
    static PX_RACY int f2_##name(struct px_gang *g, const struct px_insn *in)                                \
    {                                                                                                        \
        return load_alone(g, in, PX_FIX_##name, (struct px_form){unit, parts, wide, sign});                  \
    }                                                                                                        \
    PX_KNOWN(load_known, name, (struct px_form){unit, parts, wide, sign})

#define PX_STORE(name, unit, parts, wide)                                                                    \
    static __attribute__((noinline)) int local_##name(struct px_gang *g, const struct px_insn *in,           \
                                                      uint8_t *words)                                        \
    {                                                                                                        \
        return store_local(g, in, words, (struct px_form){unit, parts, wide, false});                        \
    }                                                                                                        \
    static PX_RACY int f0_##name(struct px_gang *g, const struct px_insn *in)                                \
    {                                                                                                        \
        return store_masked(g, in, (struct px_form){unit, parts, wide, false}, local_##name);                \
    }                                                                                                        \
    PX_KNOWN(store_known, name, (struct px_form){unit, parts, wide, false})

/* Where a survey knows the lanes' places; else apart from that. */
#define PX_KNOWN(access, name, ...)                                                                          \
    static __attribute__((noinline)) int unknown_##name(struct px_gang *g, const struct px_insn *in)         \
    {                                                                                                        \
        return access_unknown(g, in, PX_FIX_##name, __VA_ARGS__, local_##name);                              \
    }                                                                                                        \
    static PX_RACY int f3_##name(struct px_gang *g, const struct px_insn *in)                                \
    {                                                                                                        \
        return access(g, in, __VA_ARGS__, unknown_##name);                                                   \
    }

#define PX_OTHER(name)
#define PX_OTHER_ALONE(name)
#include "gang/fixed.def"

/* ---- two loads and the fma of what they find ---- */

PX_INLINE bool is_easy(const struct px_survey *s, uint32_t size)
{
    return s->kind >= PX_SURVEY_GROUPS && (s->step == size || !s->step);
}

/* One pass over groups; x and y are what the loads find for lane i of group j. */
#define PX_FMA_GROUPS(T, fma, x, y)                                                                          \
    for (uint32_t j = 0; j < n; j += PX_SURVEY_GROUP) {                                                      \
        const T *p = (const T *)place_at(base[0], a[0][j]), *q = (const T *)place_at(base[1], a[1][j]);      \
        const T u = *p, v = *q;                                                                              \
        (void)u, (void)v;                                                                                    \
        PX_GROUP_LOOP d[j + i] = crossed ? fma(y, x, c[j + i]) : fma(x, y, c[j + i]);                        \
    }

/* The record stands in for the first load, which aux keeps; behind it are the second and the fma. */
#define PX_LDLDFMA(name, T, fma)                                                                             \
    PX_INLINE PX_RACY int all_##name(struct px_gang *g, const struct px_insn *in, const bool crossed)        \
    {                                                                                                        \
        const struct px_insn *first = in->aux, *second = in + 1, *sum = in + 2;                              \
        const struct px_survey *s[2];                                                                        \
        uint8_t *base[2] = {surveyed(g, first, &s[0], sizeof(T)), surveyed(g, second, &s[1], sizeof(T))};    \
        if (!base[0] || !base[1] || !is_easy(s[0], sizeof(T)) || !is_easy(s[1], sizeof(T)))                  \
            return first->fn(g, first);                                                                      \
        const uint64_t *a[2] = {PX_ROW(g, uint64_t, first->a), PX_ROW(g, uint64_t, second->a)};              \
        const T *c = PX_ROW(g, T, sum->c);                                                                   \
        T *d = PX_ROW(g, T, sum->d);                                                                         \
        const uint32_t n = g->n & ~31u;                                                                      \
        if (s[0]->step && s[1]->step) {                                                                      \
            PX_FMA_GROUPS(T, fma, p[i], q[i])                                                                \
        } else if (s[0]->step) {                                                                             \
            PX_FMA_GROUPS(T, fma, p[i], v)                                                                   \
        } else if (s[1]->step) {                                                                             \
            PX_FMA_GROUPS(T, fma, u, q[i])                                                                   \
        } else {                                                                                             \
            PX_FMA_GROUPS(T, fma, u, v)                                                                      \
        }                                                                                                    \
        return PX_STEP_SKIP2;                                                                                \
    }                                                                                                        \
    static int f0_##name(struct px_gang *g, const struct px_insn *in)                                        \
    {                                                                                                        \
        return in[2].b == ((const struct px_insn *)in->aux)->d ? all_##name(g, in, true)                     \
                                                               : all_##name(g, in, false);                   \
    }
PX_LDLDFMA(ldldfma_f32, float, __builtin_fmaf)
PX_LDLDFMA(ldldfma_f64, double, __builtin_fma)

/* ---- a row whose NaNs become the chip's as it is stored ---- */

/* The record makes them so in place, unless the store behind it, after which nobody reads the row, is of
 * neighbours. */
static PX_RACY int f0_canon_st(struct px_gang *g, const struct px_insn *in)
{
    const struct px_insn *store = in + 1;
    const struct px_survey *s;
    uint8_t *base = surveyed(g, store, &s, 4);
    if (!base || s->kind != PX_SURVEY_LINE || s->step != 4) return f0_canon_f32(g, in);
    const uint32_t *b = PX_ROW(g, uint32_t, store->b), n = g->n & ~31u;
    uint32_t *p = (uint32_t *)(void *)place_at(base, PX_ROW(g, uint64_t, store->a)[0]);
    PX_LOOP p[i] = one_canon_f32(b[i], 0, 0);
    return PX_STEP_SKIP;
}

/* ---- a load from a scalar plus the elements that a row numbers ---- */

/* Neighbours in memory, or one place: then a survey and vectors are faster. Only a guess. */
#define PX_LOOKS_REGULAR(a) ((a)[1] - (a)[0] <= 1u && (a)[2] - (a)[1] == (a)[1] - (a)[0])

/* The record stands for the load; in->c records before it lies the product that makes offsets of the numbers,
 * by handler in->b, and is not run but here. */
#define PX_NUMBERED(name, T, I, load)                                                                        \
    static __attribute__((noinline)) int surveyed_##name(struct px_gang *g, const struct px_insn *in)        \
    {                                                                                                        \
        g->level->sets[in->b].fn[0][2](g, in - in->c);                                                       \
        PX_ROW(g, struct px_survey, in->survey)->kind = PX_SURVEY_NONE;                                      \
        return f3_##load(g, in);                                                                             \
    }                                                                                                        \
    static PX_RACY int f0_##name(struct px_gang *g, const struct px_insn *in)                                \
    {                                                                                                        \
        const I *a = PX_ROW(g, I, (in - in->c)->a);                                                          \
        const uint64_t add = *PX_ROW(g, uint64_t, in->offset) + in->imm;                                     \
        const uint32_t n = g->n & ~31u, *number = (const uint32_t *)a;                                       \
        I least = a[0], most = a[0];                                                                         \
        if (!g->full || add & (in->bytes - 1u) || PX_LOOKS_REGULAR(number)) return surveyed_##name(g, in);   \
        PX_LOOP                                                                                              \
        {                                                                                                    \
            least = a[i] < least ? a[i] : least;                                                             \
            most = a[i] > most ? a[i] : most;                                                                \
        }                                                                                                    \
        const uint64_t from = (uint64_t)least * sizeof(T), to = (uint64_t)most * sizeof(T);                  \
        const struct px_survey s = {.least = from, .spread = to - from};                                     \
        const uint8_t *base = known_places(&s, &g->seg[in->extent], add, sizeof(T));                         \
        if (!base) return surveyed_##name(g, in);                                                            \
        T *d = PX_ROW(g, T, in->d);                                                                          \
        PX_EACH_LANE d[i] = (T)get_unit((const T *)(const void *)base + a[i], sizeof(T));                    \
        return PX_STEP_NEXT;                                                                                 \
    }
PX_NUMBERED(gather_s32_4, uint32_t, int32_t, ld_u32_4)
PX_NUMBERED(gather_u32_4, uint32_t, uint32_t, ld_u32_4)
PX_NUMBERED(gather_s32_8, uint64_t, int32_t, ld_u64_8)
PX_NUMBERED(gather_u32_8, uint64_t, uint32_t, ld_u64_8)

/* ---- statements that have no masked form ---- */

static void keep_active(struct px_gang *g, const struct px_insn *in, uint32_t to, uint32_t from, size_t elem)
{
    const struct px_insn copy = {.d = to, .a = from, .m = in->m};
    if (elem == 2)
        f1_copy2(g, &copy);
    else if (elem == 4)
        f1_copy4(g, &copy);
    else if (elem == 8)
        f1_copy8(g, &copy);
    else
        f1_copy16(g, &copy);
}

/* The masked form of statements that are not [hot]: unmasked into scratch rows, then the active lanes are
 * copied. */
static int f0_blend(struct px_gang *g, const struct px_insn *in)
{
    const bool carry = in->flags & PX_INSN_CARRY;
    struct px_insn out = *in;
    out.d = PX_SCRATCH_D;
    out.e = PX_SCRATCH_E;
    if (carry) {
        out.carry = PX_SCRATCH_C;
        f0_copy4(g, &(struct px_insn){.d = PX_SCRATCH_C, .a = in->carry});
    }
    in->inner(g, &out);
    keep_active(g, in, in->d, PX_SCRATCH_D, in->bytes);
    if (in->flags & PX_INSN_PAIR) keep_active(g, in, in->e, PX_SCRATCH_E, 4);
    if (carry) keep_active(g, in, in->carry, PX_SCRATCH_C, 4);
    return PX_STEP_NEXT;
}

/* ---- values that all lanes share ---- */

#define PX_IS_UNIFORM(T, less)                                                                               \
    {                                                                                                        \
        const T *x = a, first = (T)(x[lane] - (T)(less ? b[lane] : 0));                                      \
        T differ = 0;                                                                                        \
        for (uint32_t i = 0; i < n; i++)                                                                     \
            differ |= (T)((T)(x[i] - (T)(less ? b[i] : 0)) ^ first) & (T)(int64_t)(int32_t)m[i];             \
        *value = first;                                                                                      \
        return !differ;                                                                                      \
    }

static bool is_uniform(const void *a, const uint64_t *b, const uint32_t *m, uint32_t n, uint32_t elem,
                       uint64_t *value)
{
    uint32_t lane = 0;
    while (lane < n - 1 && !m[lane]) lane++;
    if (elem == 2) PX_IS_UNIFORM(uint16_t, false)
    if (elem == 4 && b) PX_IS_UNIFORM(uint32_t, true)
    if (elem == 4) PX_IS_UNIFORM(uint32_t, false)
    if (b) PX_IS_UNIFORM(uint64_t, true)
    PX_IS_UNIFORM(uint64_t, false)
}

/* ---- the tables of this level ---- */

extern const struct px_handler_set PX_AT_LEVEL(sets)[]; /* gen/handlers_table.c */
extern const uint32_t PX_AT_LEVEL(nsets);
extern const struct px_fused PX_AT_LEVEL(fused)[]; /* gen/handlers_table.c */

#define PX_STRING_(x) #x
#define PX_STRING(x) PX_STRING_(x)

const struct px_level PX_AT_LEVEL(level) = {
    .name = PX_STRING(PX_LEVEL),
#if !defined(__AVX__)
    .locks = true,
#endif
    .sets = PX_AT_LEVEL(sets),
    .fused = PX_AT_LEVEL(fused),
    .nsets = &PX_AT_LEVEL(nsets),
    .fixed =
        {
#define PX_f2(name) f2_##name
#define PX_f3(name) f3_##name
#define PX_none(name) NULL
#define PX_FIXED(name, plain, masked, alone, surveyed)                                                       \
    [PX_FIX_##name] = {plain##_##name, masked##_##name, PX_##alone(name), PX_##surveyed(name)},
#include "gang/fixed.def"
        },
    .to_bits = to_bits,
    .to_row = to_row,
    .is_uniform = is_uniform,
    .pack = pack,
    .survey = take_survey,
    .span = span,
    .is_line = is_line,
    .local_places = local_places,
    .atoms = PX_AT_LEVEL(atom_rows),
};
