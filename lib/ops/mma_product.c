/*
 * mma_product.c - products of small matrices, one SIMD level; compiled once for each (see the Makefile).
 *
 * Factors are unpacked into blocks of BLOCK rows with the element number outside, [k][row], so that a vector
 * holds the same k of neighbouring rows of y, and one element of x meets all of them. A floating-point
 * element is its value in f32, which every format fits, and its exponent. Of these the largest sum E is
 * found; then each product, which f32 holds exactly, is scaled by 2^(25-E) and cut by the conversion to
 * int32. Sums of 8 cannot overflow; 16 and c can, so the sign comes from their quarters. What this leaves out
 * is marked and done by px_mma_dot: infinities, NaNs, results that are subnormal or overflow, and E so far
 * out that f32 could not hold the products.
 */
#include <math.h>
#include "ops/mma.h"
#include "ops/mma_number.h"
#if defined __AVX2__
#include <immintrin.h>
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 16, FLOAT_K_MAX = 64, WORDS_MAX = 64, INT_K_MAX = 128 };

/* Between these a product is normal in f32, or so small beside 2^E that nothing of it is kept. */
enum { E_LEAST = -100, E_MOST = 125 };

/* Lanes of a vector; a block is one or more of them. */
#if defined __AVX512F__
enum { LANES = 16 };
#elif defined __AVX2__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t ints __attribute__((vector_size(LANES * 4)));

union vector {
    floats f;
    ints i;
};

INLINE ints ints_of(floats f)
{
    return ((union vector){.f = f}).i;
}
INLINE floats floats_of(ints i)
{
    return ((union vector){.i = i}).f;
}
INLINE ints load_i(const int32_t *p)
{
    ints v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE floats load_f(const float *p)
{
    floats v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE void store_i(int32_t *p, ints v)
{
    memcpy(p, &v, sizeof v);
}
INLINE ints chosen(ints mask, ints yes, ints no)
{
    return (mask & yes) | (~mask & no);
}

#if defined __AVX512F__
#define PICK(name, is) (ints) _mm512_##name##_epi32((__m512i)a, (__m512i)b)
#elif defined __AVX2__
#define PICK(name, is) (ints) _mm256_##name##_epi32((__m256i)a, (__m256i)b)
#else
#define PICK(name, is) chosen(a is b, a, b)
#endif
INLINE ints larger(ints a, ints b)
{
    return PICK(max, >);
}
INLINE ints smaller(ints a, ints b)
{
    return PICK(min, <);
}
/* f, cut toward zero. */
INLINE ints cut(floats f)
{
    return __builtin_convertvector(f, ints);
}
INLINE bool any(ints v)
{
#if defined __AVX512F__
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)v) != 0;
#elif defined __AVX2__
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

/* ---- unpacking ---- */

/* Rows of one factor as numbers; odd: the row has an infinity or a NaN. */
struct block {
    float value[FLOAT_K_MAX][BLOCK] __attribute__((aligned(64)));
    int32_t exponent[FLOAT_K_MAX][BLOCK] __attribute__((aligned(64)));
    int32_t odd[BLOCK] __attribute__((aligned(64)));
};

/* Words of rows [first, first + n) of a packed factor with the rows side by side; the rest of the block is
 * zeros. */
INLINE void gather(const void *rows, uint32_t words, uint32_t first, uint32_t n, uint32_t (*to)[BLOCK])
{
    const uint32_t *from = (const uint32_t *)rows + (size_t)first * words;
    if (n < BLOCK) memset(to, 0, words * sizeof *to);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t q = 0; q < words; q++) to[q][r] = from[r * words + q];
}

/* Numbers of f32's exponent range, from their bits. */
INLINE void wide(ints bits, floats *value, ints *exponent, ints *odd)
{
    ints e = bits >> 23 & 255;
    *odd |= e == 255;
    *exponent = chosen((bits & INT32_MAX) != 0, larger(e, (ints){0} + 1) - 127, (ints){0} + PX_MMA_NOTHING);
    *value = floats_of(bits);
}
/* f16. */
INLINE void narrow(ints bits, floats *value, ints *exponent, ints *odd)
{
    ints e = bits >> 10 & 31, m = bits & 0x7fff, sign = (bits & 0x8000) << 16;
    floats small = __builtin_convertvector(m, floats) * 0x1p-24f;
    *odd |= e == 31;
    *exponent = chosen(m != 0, larger(e, (ints){0} + 1) - 15, (ints){0} + PX_MMA_NOTHING);
    *value = floats_of(chosen(e > 0, (m << 13) + (112 << 23), ints_of(small)) | sign);
}
/* e4m3: as f16 each number is normal; `least` is the least exponent there is. */
INLINE void byte(ints bits, int32_t least, floats *value, ints *exponent, ints *odd)
{
    ints m = bits & 0x7f, sign = (bits & 0x80) << 24;
    floats small = __builtin_convertvector(m, floats) * 0x1p-9f;
    ints number = chosen(m > 7, (m << 20) + (120 << 23), ints_of(small));
    *odd |= m == 0x7f;
    *exponent = chosen(m != 0, larger((number >> 23) - 127, (ints){0} + least), (ints){0} + PX_MMA_NOTHING);
    *value = floats_of(number | sign);
}

/* Bits of element i of each word, as f16, e4m3 or f32 has them. */
INLINE ints bits_of(enum px_mma_type type, ints words, uint32_t i)
{
    switch (type) {
    case PX_MMA_F16: return words >> (int)(16 * i) & 0xffff;
    case PX_MMA_BF16: return i ? words & -0x10000 : words << 16;
    case PX_MMA_TF32: return words & -0x2000;
    case PX_MMA_E5M2: return (words >> (int)(8 * i) & 0xff) << 8;
    default: return words >> (int)(8 * i) & 0xff;
    }
}

INLINE void unpack_as(enum px_mma_type type, uint32_t (*w)[BLOCK], uint32_t words, int32_t least,
                      struct block *to)
{
    const uint32_t per = 32 / px_mma_bits(type);
    for (uint32_t l = 0; l < BLOCK; l += LANES) {
        ints odd = {0};
        for (uint32_t q = 0; q < words; q++)
            for (uint32_t i = 0; i < per; i++) {
                floats value;
                ints exponent, bits = bits_of(type, load_i((const int32_t *)&w[q][l]), i);
                if (type == PX_MMA_BF16 || type == PX_MMA_TF32)
                    wide(bits, &value, &exponent, &odd);
                else if (type == PX_MMA_E4M3)
                    byte(bits, least, &value, &exponent, &odd);
                else
                    narrow(bits, &value, &exponent, &odd);
                memcpy(&to->value[q * per + i][l], &value, sizeof value);
                store_i(&to->exponent[q * per + i][l], exponent);
            }
        store_i(&to->odd[l], odd);
    }
}

static void unpack(const struct px_mma *op, const void *rows, enum px_mma_type type, uint32_t k,
                   uint32_t first, uint32_t n, struct block *to)
{
    const int32_t least = op->flags & PX_MMA_NATIVE ? PX_MMA_E4M3_LEAST : INT32_MIN;
    uint32_t words = px_mma_words(type, k), w[WORDS_MAX][BLOCK] __attribute__((aligned(64)));
    gather(rows, words, first, n, w);
    switch (type) {
    case PX_MMA_F16: unpack_as(PX_MMA_F16, w, words, least, to); break;
    case PX_MMA_BF16: unpack_as(PX_MMA_BF16, w, words, least, to); break;
    case PX_MMA_TF32: unpack_as(PX_MMA_TF32, w, words, least, to); break;
    case PX_MMA_E5M2: unpack_as(PX_MMA_E5M2, w, words, least, to); break;
    default: unpack_as(PX_MMA_E4M3, w, words, least, to); break;
    }
}

/* ---- a step ---- */

/* An accumulator: value, exponent, and lanes that px_mma_dot has to do. */
struct accumulator {
    floats value;
    ints exponent, odd;
};

INLINE struct accumulator from_bits(ints bits, bool half)
{
    struct accumulator a = {.odd = {0}};
    if (half)
        narrow(bits, &a.value, &a.exponent, &a.odd);
    else
        wide(bits, &a.value, &a.exponent, &a.odd);
    return a;
}

/* magnitude * 2^(exponent - kept) toward zero; out: lanes that are subnormal or overflow. */
INLINE ints to_f32(ints magnitude, ints exponent, int32_t kept, ints *out)
{
    ints high = magnitude < 0, m = chosen(high, magnitude >> 1 & INT32_MAX, magnitude);
    m &= ~(m >> 24); /* no more than half a unit stays behind the 24 bits: to nearest is toward zero now */
    ints bits = ints_of(__builtin_convertvector(m, floats)), none = magnitude == 0;
    ints e = (bits >> 23) + exponent - kept - high;
    *out |= ~none & ((e < 1) | (e > 254));
    return ~none & (e << 23 | (bits & 0x7fffff & (int32_t)px_mma_mask(kept)));
}

/* The same to nearest even in f16; subnormals too. */
INLINE ints to_f16(ints magnitude, ints exponent, int32_t kept)
{
    ints large = (magnitude >> 24) != 0, cut_off = (magnitude & 255) != 0;
    ints m = chosen(large, (magnitude >> 8 & 0xffffff) | (cut_off & 1), magnitude), none = magnitude == 0;
    ints e = exponent - kept - (large & -8) + 127; /* at least 2^-60 */
    floats f = __builtin_convertvector(m, floats) * floats_of(~none & e << 23);
#if defined __AVX512F__
    return (ints)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)f, _MM_FROUND_TO_NEAREST_INT));
#elif defined __AVX2__
    return (ints)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)f, _MM_FROUND_TO_NEAREST_INT));
#else
    ints bits;
    for (uint32_t i = 0; i < LANES; i++) bits[i] = (int32_t)px_mma_f16_of_f32((uint32_t)ints_of(f)[i]);
    return bits;
#endif
}

/*
 * What a step sums: n products of elements kx[] of row `row` of x and ky[] of rows y, lanes from `at` on. No
 * kx, ky: the elements in order.
 */
struct span {
    const struct block *x, *y;
    uint32_t row, at, n;
    const uint8_t *kx, *ky;
    int32_t kept, least; /* bits behind the largest exponent; the least of these */
};

/* Bits of the result, in the format of d. */
INLINE ints step(const struct span *s, struct accumulator c, bool half, ints *odd)
{
    ints e = c.exponent, sum[2] = {{0}, {0}};
    _Pragma("GCC unroll 16") for (uint32_t k = 0; k < s->n; k++)
    {
        uint32_t kx = s->kx ? s->kx[k] : k, ky = s->ky ? s->ky[k] : k;
        e = larger(e, s->x->exponent[kx][s->row] + load_i(&s->y->exponent[ky][s->at]));
    }
    ints near = smaller(larger(e, (ints){0} + s->least), (ints){0} + E_MOST);
    floats scale = floats_of((s->kept + 127 - near) << 23);
    _Pragma("GCC unroll 16") for (uint32_t k = 0; k < s->n; k++)
    {
        uint32_t kx = s->kx ? s->kx[k] : k, ky = s->ky ? s->ky[k] : k;
        sum[k >> 3 & 1] += cut(s->x->value[kx][s->row] * load_f(&s->y->value[ky][s->at]) * scale);
    }
    ints add = cut(c.value * scale), whole = sum[0] + sum[1] + add;
    ints quarter = (sum[0] >> 2) + (sum[1] >> 2) + (add >> 2);
    ints far = (quarter > 1 << 28) | (quarter < -(1 << 28)), negative = chosen(far, quarter, whole) < 0;
    ints magnitude = (whole ^ negative) - negative;
    *odd |= c.odd | (half ? (ints){0} : (e != near) & (e > PX_MMA_NOTHING / 2));
    if (!half) return to_f32(magnitude, near, s->kept, odd) | (negative & INT32_MIN);
    ints bits = to_f16(magnitude, near, s->kept);
    return chosen(bits == 0, (ints){0}, bits | (negative & 0x8000));
}

/* ---- floating point ---- */

/* Of any number of products. */
static __attribute__((noinline, noclone)) ints any_step(const struct span *s, ints c, bool half, ints *odd)
{
    return step(s, from_bits(c, half), half, odd);
}

/* The order of k when there are several steps: as it is, and the two halves of PX_MMA_HALVES. */
static const uint8_t in_order[FLOAT_K_MAX] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const uint8_t in_halves[2][FLOAT_K_MAX / 2] = {
    {0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 20, 21, 24, 25, 28, 29},
    {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23, 26, 27, 30, 31}};

/* c + d to nearest. */
INLINE ints sum_of(ints c, ints d, bool half)
{
    if (!half) return ints_of(floats_of(c) + floats_of(d));
    floats sum; /* in f32, where that rounding is innocuous */
    ints bits;
    for (uint32_t i = 0; i < LANES; i++)
        sum[i] = px_mma_f32_of_f16((uint32_t)c[i]) + px_mma_f32_of_f16((uint32_t)d[i]);
    for (uint32_t i = 0; i < LANES; i++) bits[i] = (int32_t)px_mma_f16_of_f32((uint32_t)ints_of(sum)[i]);
    return chosen(((c & 0x7fff) == 0) & (d == 0), c & d, bits);
}

/* Several steps, each on top of the last. */
static __attribute__((noinline, noclone)) ints stepwise(const struct px_mma *op, struct span *s, ints c,
                                                        const uint8_t *ky, bool half, ints *odd)
{
    bool halves = op->flags & PX_MMA_HALVES;
    ints d = halves ? (ints){0} : c;
    uint8_t at[FLOAT_K_MAX];
    s->n = halves ? op->k / 2u : op->step;
    for (uint32_t done = 0; done < op->k; done += s->n) {
        s->kx = halves ? in_halves[done != 0] : in_order + done, s->ky = s->kx;
        for (uint32_t k = 0; ky && k < s->n; k++) at[k] = ky[s->kx[k]];
        if (ky) s->ky = at;
        d = any_step(s, d, half, odd);
    }
    *odd |= from_bits(c, half).odd | from_bits(d, half).odd;
    return halves ? sum_of(c, d, half) : d;
}

/* LANES elements of a row of d. */
INLINE ints elements(const struct px_mma *op, struct span *s, ints c, const uint8_t *ky, bool half, ints *odd)
{
    if (op->step || op->flags & PX_MMA_HALVES) return stepwise(op, s, c, ky, half, odd);
    s->kx = NULL, s->ky = ky, s->n = op->k;
    if (op->kept || ky || (op->k != 16 && op->k != 8)) return any_step(s, c, half, odd);
    struct accumulator acc = from_bits(c, half);
    struct span known = {
        .x = s->x, .y = s->y, .row = s->row, .at = s->at, .kept = PX_MMA_KEPT, .least = s->least};
    if (op->k == 8) return known.n = 8, step(&known, acc, half, odd);
    return known.n = 16, step(&known, acc, half, odd);
}

/* n (at most BLOCK) neighbouring elements of c or d, widened to 32 bits. */
INLINE void take(const void *from, size_t at, uint32_t n, bool half, int32_t *to)
{
    if (half)
        for (uint32_t i = 0; i < n; i++) to[i] = ((const uint16_t *)from)[at + i];
    else
        memcpy(to, (const uint32_t *)from + at, n * 4);
}
INLINE void give(void *to, size_t at, uint32_t n, bool half, const int32_t *from)
{
    if (half)
        for (uint32_t i = 0; i < n; i++) ((uint16_t *)to)[at + i] = (uint16_t)from[i];
    else
        memcpy((uint32_t *)to + at, from, n * 4);
}

/* Elements [col, col + n) of row `row` of d. x holds the row as its row r, y the columns from its row 0 on.
 */
INLINE void row_of(const struct px_mma *op, const struct px_mma_data *data, struct span *s, uint32_t row,
                   uint32_t col, uint32_t n, bool half)
{
    int32_t c[BLOCK] __attribute__((aligned(64))) = {0}, d[BLOCK] __attribute__((aligned(64)));
    int32_t odd[BLOCK] __attribute__((aligned(64)));
    size_t at = (size_t)row * op->cols + col;
    bool some = false;
    take(data->c, at, n, half, c);
    for (uint32_t l = 0; l < BLOCK; l += LANES) {
        ints bad = load_i(&s->y->odd[l]) | s->x->odd[s->row];
        s->at = l;
        store_i(&d[l], elements(op, s, load_i(&c[l]), data->at ? data->at + row * op->k : NULL, half, &bad));
        store_i(&odd[l], bad);
        some |= any(bad);
    }
    if (__builtin_expect(some, 0))
        for (uint32_t i = 0; i < n; i++)
            if (odd[i]) d[i] = (int32_t)px_mma_dot(op, data, row, col + i);
    give(data->d, at, n, half, d);
}

INLINE void blocks_of(const struct px_mma *op, const struct px_mma_data *data, bool half)
{
    struct block x, y;
    for (uint32_t row = 0; row < op->rows; row += BLOCK) {
        uint32_t rows = op->rows - row < BLOCK ? op->rows - row : BLOCK;
        unpack(op, data->x, (enum px_mma_type)op->x, op->k, row, rows, &x);
        for (uint32_t col = 0; col < op->cols; col += BLOCK) {
            uint32_t cols = op->cols - col < BLOCK ? op->cols - col : BLOCK;
            unpack(op, data->y, (enum px_mma_type)op->y, op->ky, col, cols, &y);
            for (uint32_t r = 0; r < rows; r++) {
                struct span s = {.x = &x,
                                 .y = &y,
                                 .row = r,
                                 .kept = px_mma_kept(op),
                                 .least = half && px_mma_least(op) > E_LEAST ? px_mma_least(op) : E_LEAST};
                row_of(op, data, &s, row + r, col, cols, half);
            }
        }
    }
}

static void product_f32(const struct px_mma *op, const struct px_mma_data *data)
{
    blocks_of(op, data, false);
}
static void product_f16(const struct px_mma *op, const struct px_mma_data *data)
{
    blocks_of(op, data, true);
}

/* ---- f64 ---- */

/* fma(a, b, c) with a NaN of b before one of c before one of a; x is PTX's b. */
INLINE double chained(double x, double y, double c)
{
    double r = fma(x, y, c);
    if (__builtin_expect(r == r, 1)) return r;
    double nan = x != x ? x : c != c ? c : y != y ? y : r;
    uint64_t bits;
    memcpy(&bits, &nan, 8);
    bits = x != x || c != c || y != y ? bits | 1ull << 51 : 0xfff8000000000000u;
    memcpy(&r, &bits, 8);
    return r;
}

/* Chains side by side are independent, so the compiler puts them into a vector. */
enum { CHAINS = 8 };

static void product_f64(const struct px_mma *op, const struct px_mma_data *data)
{
    const double *x = data->x, *y = data->y, *c = data->c;
    double *d = data->d, columns[PX_MMA_STEP_MAX][CHAINS];
    for (uint32_t col = 0; col < op->cols; col += CHAINS) {
        for (uint32_t j = 0; j < CHAINS; j++)
            for (uint32_t k = 0; k < op->k; k++) columns[k][j] = y[(col + j) * op->k + k];
        for (uint32_t i = 0; i < op->rows; i++) {
            double sum[CHAINS];
            bool nan = false;
            const size_t at = (size_t)i * op->cols + col;
            memcpy(sum, c + at, sizeof sum);
            for (uint32_t k = 0; k < op->k; k++)
                for (uint32_t j = 0; j < CHAINS; j++) sum[j] = fma(x[i * op->k + k], columns[k][j], sum[j]);
            for (uint32_t j = 0; j < CHAINS; j++) nan |= sum[j] != sum[j];
            for (uint32_t j = 0; nan && j < CHAINS; j++) {
                sum[j] = c[at + j];
                for (uint32_t k = 0; k < op->k; k++)
                    sum[j] = chained(x[i * op->k + k], columns[k][j], sum[j]);
            }
            memcpy(d + at, sum, sizeof sum);
        }
    }
}

/* ---- integers ---- */

/* Rows of a factor as integers, [k][row]. */
static void unpack_integers(const void *rows, enum px_mma_type type, uint32_t k, uint32_t first, uint32_t n,
                            int32_t (*to)[BLOCK])
{
    uint32_t bits = px_mma_bits(type), words = px_mma_words(type, k), per = 32 / bits, left = 32 - bits;
    bool sign = type == PX_MMA_S8 || type == PX_MMA_S4;
    uint32_t w[INT_K_MAX / 4][BLOCK] __attribute__((aligned(64)));
    gather(rows, words, first, n, w);
    for (uint32_t q = 0; q < words; q++)
        for (uint32_t i = 0; i < per; i++)
            for (uint32_t r = 0; r < BLOCK; r++) {
                uint32_t v = w[q][r] << (left - bits * i);
                to[q * per + i][r] = sign ? (int32_t)v >> left : (int32_t)(v >> left);
            }
}

static int32_t clamped(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

static void product_int(const struct px_mma *op, const struct px_mma_data *data)
{
    int32_t x[INT_K_MAX][BLOCK], y[INT_K_MAX][BLOCK] __attribute__((aligned(64)));
    for (uint32_t row = 0; row < op->rows; row += BLOCK) {
        uint32_t rows = op->rows - row < BLOCK ? op->rows - row : BLOCK;
        unpack_integers(data->x, (enum px_mma_type)op->x, op->k, row, rows, x);
        for (uint32_t col = 0; col < op->cols; col += BLOCK) {
            uint32_t cols = op->cols - col < BLOCK ? op->cols - col : BLOCK;
            unpack_integers(data->y, (enum px_mma_type)op->y, op->ky, col, cols, y);
            for (uint32_t r = 0; r < rows; r++) {
                const uint8_t *ky = data->at ? data->at + (row + r) * op->k : NULL;
                const int32_t *c = (const int32_t *)data->c + (size_t)(row + r) * op->cols + col;
                int32_t *d = (int32_t *)data->d + (size_t)(row + r) * op->cols + col;
                ints sum[BLOCK / LANES] = {{0}};
                for (uint32_t k = 0; k < op->k; k++)
                    for (uint32_t l = 0; l < BLOCK / LANES; l++)
                        sum[l] += x[k][r] * load_i(&y[ky ? ky[k] : k][l * LANES]);
                for (uint32_t i = 0; i < cols; i++) {
                    int32_t s = sum[i / LANES][i % LANES];
                    d[i] = op->flags & PX_MMA_SATURATE ? clamped((int64_t)c[i] + s)
                                                       : (int32_t)((uint32_t)c[i] + (uint32_t)s);
                }
            }
        }
    }
}

static void product_bits(const struct px_mma *op, const struct px_mma_data *data)
{
    uint32_t words = op->k / 32;
    const uint32_t *x = data->x, *y = data->y, *c = data->c;
    uint32_t *d = data->d;
    for (uint32_t i = 0; i < op->rows; i++)
        for (uint32_t j = 0; j < op->cols; j++) {
            uint32_t sum = c[i * op->cols + j];
            for (uint32_t w = 0; w < words; w++) {
                uint32_t a = x[i * words + w], b = y[j * words + w];
                sum += (uint32_t)__builtin_popcount(op->flags & PX_MMA_XOR ? a ^ b : a & b);
            }
            d[i * op->cols + j] = sum;
        }
}

px_mma_function PASTE(px_mma_product_, PX_LEVEL);

void PASTE(px_mma_product_, PX_LEVEL)(const struct px_mma *op, const struct px_mma_data *data)
{
    if (op->x == PX_MMA_F64)
        product_f64(op, data);
    else if (op->x == PX_MMA_B1)
        product_bits(op, data);
    else if (op->d == PX_MMA_S32)
        product_int(op, data);
    else if (op->d == PX_MMA_F16)
        product_f16(op, data);
    else
        product_f32(op, data);
}
