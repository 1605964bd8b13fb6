/*
 * matrix.c - mma, dense and sparse, ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14).
 *
 * All 32 lanes of a warp meet at the instruction, and it is done element by element: the registers in which
 * an element lies are looked up by the manual's figures, the arithmetic is exact in double. What a chip does
 * with floating-point sums is no part of the manual: products and c are cut to 25 bits behind the largest
 * exponent, added, and rounded once (docs/fidelity.md).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"

enum { KEPT = 25, K_MAX = 256, TYPES = 4 };

struct ref_matrix {
    unsigned m, n, k;
    const char *d, *a, *b, *c; /* types, as written */
    bool saturate, xor, sparse, quads;
    bool a_col, b_row; /* layouts of m8n8k4 */
    unsigned selector;
    int mode; /* rounding of f64 */
};

/* ---- elements in registers ---- */

static unsigned bits_of(const char *type)
{
    if (!strcmp(type, "e4m3") || !strcmp(type, "e5m2")) return 8;
    if (!strcmp(type, "bf16")) return 16;
    if (!strcmp(type, "tf32")) return 32;
    return (unsigned)atoi(type + 1);
}

/* Register `reg` of list `o` in lane `lane`. */
static uint64_t read_register(const struct ref_thread *warp, const struct ref_operand *o, unsigned lane,
                              unsigned reg)
{
    return (uint64_t)ref_get(&warp[lane], o->kind == REF_LIST ? &o->list[reg] : o);
}

/* Element k of row i of A, or of column i of B, in a matrix of `rows` rows (columns). */
static uint64_t factor(const struct ref_thread *warp, const struct ref_operand *o, const char *type,
                       unsigned rows, unsigned i, unsigned k)
{
    unsigned bits = bits_of(type), per = bits > 32 ? 1 : 32 / bits, chunk = k / (4 * per);
    unsigned lane = i % 8 * 4 + k / per % 4, reg = rows == 16 ? chunk * 2 + i / 8 : chunk;
    uint64_t word = read_register(warp, o, lane, reg);
    return bits >= 32 ? word : word >> k % per * bits & ((1u << bits) - 1);
}

static unsigned accumulator_lane(unsigned i, unsigned j)
{
    return i % 8 * 4 + j / 2;
}
static unsigned accumulator_register(bool half, unsigned i, unsigned j)
{
    return half ? i / 8 : i / 8 * 2 + j % 2;
}

/* ---- numbers ---- */

static double float_of(uint64_t bits, int width, int fraction)
{
    int top = (1 << width) - 1, bias = top / 2, e = (int)(bits >> fraction) & top;
    uint64_t m = bits & ((1ull << fraction) - 1);
    double sign = bits >> (width + fraction) & 1 ? -1 : 1;
    if (e == top) return m ? NAN : sign * INFINITY;
    return sign * (e ? ldexp((double)(m | 1ull << fraction), e - bias - fraction)
                     : ldexp((double)m, 1 - bias - fraction));
}

static double number_of(const char *type, uint64_t bits)
{
    if (!strcmp(type, "f16")) return float_of(bits, 5, 10);
    if (!strcmp(type, "bf16")) return float_of(bits, 8, 7);
    if (!strcmp(type, "tf32")) return float_of(bits >> 13 << 13, 8, 23);
    if (!strcmp(type, "e5m2")) return float_of(bits, 5, 2);
    if (!strcmp(type, "f32")) return float_of(bits, 8, 23);
    if ((bits & 0x7f) == 0x7f) return NAN; /* e4m3: the highest exponent has numbers */
    return (bits & 0x80 ? -1 : 1) * (bits & 0x78 ? ldexp((double)((bits & 7) | 8), (int)(bits >> 3 & 15) - 10)
                                                 : ldexp((double)(bits & 7), -9));
}

/* Exponent of a number as an element of the type: subnormal ones have the least normal one, but fp8 becomes
 * f16 first. */
static int exponent_of(const char *type, double x)
{
    int least = !strcmp(type, "f16") || bits_of(type) == 8 ? -14 : -126, e = ilogb(x);
    return e < least ? least : e;
}

static uint64_t f32_toward_zero(double x)
{
    float f = (float)x;
    uint32_t bits;
    if (isfinite(x) && fabs((double)f) > fabs(x)) f = nextafterf(f, 0.0f);
    if (fabs(x) >= 0x1p128) f = x < 0 ? -INFINITY : INFINITY;
    memcpy(&bits, &f, 4);
    return x != x ? 0x7fffffff : f == 0 ? 0 : bits;
}

static uint64_t f16_to_nearest(double x)
{
    if (x != x) return 0x7fff;
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    if (x == 0) return 0;
    if (fabs(x) >= 65520) return sign | 0x7c00;
    int e = ilogb(x) < -14 ? -14 : ilogb(x);
    uint64_t m = (uint64_t)rint(ldexp(fabs(x), 10 - e));
    return m ? sign | (((uint64_t)(e + 14) << 10) + m) : 0;
}

static float f32_of(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float f;
    memcpy(&f, &word, 4);
    return f;
}

static uint64_t bits_of_f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f != f ? 0x7fffffff : bits;
}

/* One step of a tensor core. */
static double step(const double *a, const double *b, const int *e, unsigned n, double c, int ec)
{
    int top = INT32_MIN;
    double sum = 0, special = 0;
    for (unsigned i = 0; i < n; i++) {
        double p = a[i] * b[i];
        if (!isfinite(p))
            special += p;
        else if (p != 0 && e[i] > top)
            top = e[i];
    }
    if (!isfinite(c)) special += c;
    if (special != 0) return special;
    if (c != 0 && ec > top) top = ec;
    for (unsigned i = 0; i < n; i++) sum += trunc(ldexp(a[i] * b[i], KEPT - top));
    return top == INT32_MIN ? 0 : ldexp(sum + trunc(ldexp(c, KEPT - top)), top - KEPT);
}

/* ---- one element of the product ---- */

struct row_and_column {
    uint64_t a[K_MAX], b[K_MAX], c;
};

static uint64_t float_element(const struct ref_matrix *x, const struct row_and_column *v)
{
    bool half = !strcmp(x->d, "f16"), bytes = bits_of(x->a) == 8;
    double a[K_MAX], b[K_MAX], c = number_of(x->c, v->c), r = bytes ? 0 : c;
    int e[K_MAX];
    for (unsigned pass = 0; pass < (bytes ? 2u : 1u); pass++) {
        unsigned n = 0;
        for (unsigned k = 0; k < x->k; k++) {
            if (bytes && k / 2 % 2 != pass) continue;
            a[n] = number_of(x->a, v->a[k]), b[n] = number_of(x->b, v->b[k]);
            e[n] = a[n] != 0 && b[n] != 0 && isfinite(a[n]) && isfinite(b[n])
                       ? exponent_of(x->a, a[n]) + exponent_of(x->b, b[n])
                       : 0;
            n++;
        }
        r = step(a, b, e, n, r, r != 0 && isfinite(r) ? exponent_of(x->d, r) : 0);
        r = half ? number_of("f16", f16_to_nearest(r)) : number_of("f32", f32_toward_zero(r));
    }
    if (!bytes) return half ? f16_to_nearest(r) : f32_toward_zero(r);
    if (half) return c == 0 && r == 0 ? v->c & 0x8000 & (signbit(r) ? 0x8000 : 0) : f16_to_nearest(c + r);
    float sum = (float)c + (float)r;
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    return sum != sum ? 0x7fffffff : bits;
}

static int64_t integer_of(const char *type, uint64_t v)
{
    unsigned bits = bits_of(type);
    return type[0] == 's' && v >> (bits - 1) ? (int64_t)v - (1ll << bits) : (int64_t)v;
}

static uint64_t integer_element(const struct ref_matrix *x, const struct row_and_column *v)
{
    int64_t sum = (int32_t)v->c;
    for (unsigned k = 0; k < x->k; k++)
        sum += !strcmp(x->a, "b1") ? (int64_t)(x->xor ? v->a[k] ^ v->b[k] : v->a[k] & v->b[k])
                                   : integer_of(x->a, v->a[k]) * integer_of(x->b, v->b[k]);
    if (x->saturate) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

/* A chain in the order of k; of NaNs that of b comes before that of the sum so far and of a. */
static uint64_t double_element(const struct ref_matrix *x, const struct row_and_column *v)
{
    uint64_t sum = v->c;
    for (unsigned k = 0; k < x->k; k++) {
        double a, b, c, r;
        memcpy(&a, &v->a[k], 8), memcpy(&b, &v->b[k], 8), memcpy(&c, &sum, 8);
        ref_fp_set(x->mode);
        r = fma(a, b, c);
        ref_fp_set(0);
        memcpy(&sum, &r, 8);
        if (r != r) sum = 0xfff8000000000000u;
        const double nan = b != b ? b : c != c ? c : a;
        if (nan != nan) memcpy(&sum, &nan, 8), sum |= 1ull << 51;
    }
    return sum;
}

static uint64_t element(const struct ref_matrix *x, const struct row_and_column *v)
{
    if (!strcmp(x->a, "f64")) return double_element(x, v);
    return !strcmp(x->d, "s32") ? integer_element(x, v) : float_element(x, v);
}

/*
 * Sparse: which column of A's k the t-th kept element of row i stands for. Metadata are a nibble for four
 * columns of which two are kept, of 4-bit numbers for eight in pairs, of tf32 for two of which one is; the
 * manual's figures say in which lane and where in its word the nibble lies.
 */
static unsigned kept_column(const struct ref_thread *warp, const struct ref_inst *in, unsigned i, unsigned t)
{
    const struct ref_matrix *x = in->matrix;
    const unsigned bits = bits_of(x->a), per = bits == 32 ? 1 : bits == 4 ? 4 : 2, groups = x->k / 2 / per;
    const unsigned group = t / per, lower = i / 8;
    unsigned lane, place;
    if (groups == 4)
        lane = x->selector, place = lower * 4 + group;
    else if (groups == 16)
        lane = lower + group / 8 * 2, place = group % 8;
    else if (bits <= 8)
        lane = x->selector * 2 + lower, place = group;
    else
        lane = x->selector * 2 + group / 4, place = lower * 4 + group % 4;
    const unsigned nibble = (unsigned)(read_register(warp, &in->o[4], i % 8 * 4 + lane, 0) >> place * 4) & 15;
    if (per == 1) return group * 2 + (nibble >> 1 & 1);
    if (per == 2) return group * 4 + (nibble >> t % 2 * 2 & 3);
    return group * 8 + (nibble >> t / 2 % 2 * 2 & 3) * 2 + t % 2;
}

/* The factors of one element: of a sparse product those that are kept, k / 2 of them. */
static void collect(const struct ref_thread *warp, const struct ref_inst *in, unsigned i, unsigned j,
                    struct row_and_column *v)
{
    const struct ref_matrix *x = in->matrix;
    for (unsigned t = 0; t < (x->sparse ? x->k / 2 : x->k); t++) {
        v->a[t] = factor(warp, &in->o[1], x->a, x->m, i, t);
        v->b[t] = factor(warp, &in->o[2], x->b, 8, j, x->sparse ? kept_column(warp, in, i, t) : t);
    }
}

/* ---- m8n8k4 of f16: four products, each of eight lanes ---- */

/* The scalar units' arithmetic (docs/fidelity.md). */
static uint64_t quad_element(const struct ref_matrix *x, const uint64_t *a, const uint64_t *b, uint64_t c)
{
    float p[4], q[4], sum = 0;
    const float c32 = !strcmp(x->c, "f16") ? (float)number_of("f16", c) : f32_of(c);
    for (unsigned k = 0; k < 4; k++)
        p[k] = (float)number_of("f16", a[k]), q[k] = (float)number_of("f16", b[k]);
    if (!strcmp(x->d, "f16")) {
        const float r = (c32 + fmaf(p[1], q[1], p[0] * q[0])) + fmaf(p[3], q[3], p[2] * q[2]);
        const uint64_t half = f16_to_nearest((double)r);
        return half ? half : signbit(r) ? 0x8000 : 0;
    }
    for (unsigned k = 0; k < 4; k++) sum = fmaf(p[k], q[k], sum);
    return bits_of_f32(sum + c32);
}

/* Half k of a row (column) `i` of a factor; `across`: a lane holds four rows of one k. */
static uint64_t quad_factor(const struct ref_thread *warp, const struct ref_operand *o, unsigned quad,
                            bool across, unsigned i, unsigned k)
{
    const unsigned lane = quad * 4 + i / 4 * 16 + (across ? k : i % 4), at = across ? i % 4 : k;
    return read_register(warp, o, lane, at / 2) >> at % 2 * 16 & 0xffff;
}

static void quad_product(struct ref_thread *warp, const struct ref_inst *in)
{
    const struct ref_matrix *x = in->matrix;
    uint64_t d[REF_WARP][8];
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned e = 0; e < 8; e++) {
            const unsigned quad = lane % 16 / 4, half = lane / 16 * 4;
            const bool c_half = !strcmp(x->c, "f16"), d_half = !strcmp(x->d, "f16");
            uint64_t a[4], b[4];
            /* f16 and f32 accumulators lie in different places; both are read by their own. */
            const unsigned row = d_half ? lane % 4 + half : (lane & 1) + (e & 2) + half;
            const unsigned column = d_half ? e : (e & 4) + (lane & 2) + (e & 1);
            const unsigned from = c_half ? quad * 4 + row / 4 * 16 + row % 4
                                         : quad * 4 + row / 4 * 16 + (row & 1) + (column & 2);
            const unsigned at = c_half ? column : (column & 4) + (row & 2) + (column & 1);
            uint64_t c = read_register(warp, &in->o[3], from, c_half ? at / 2 : at);
            if (c_half) c = c >> at % 2 * 16 & 0xffff;
            for (unsigned k = 0; k < 4; k++) {
                a[k] = quad_factor(warp, &in->o[1], quad, x->a_col, row, k);
                b[k] = quad_factor(warp, &in->o[2], quad, x->b_row, column, k);
            }
            d[lane][e] = quad_element(x, a, b, c);
        }
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned r = 0; r < in->o[0].n; r++)
            ref_put(&warp[lane], &in->o[0].list[r],
                    in->o[0].n == 4 ? d[lane][2 * r] | d[lane][2 * r + 1] << 16 : d[lane][r]);
}

static void product(struct ref_thread *warp, const struct ref_inst *in)
{
    struct ref_matrix kept = *in->matrix;
    const struct ref_matrix *x = &kept;
    if (x->quads) {
        quad_product(warp, in);
        return;
    }
    if (x->sparse) kept.k /= 2;
    static const unsigned columns = 8;
    bool half = !strcmp(x->d, "f16");
    uint64_t d[16][8];
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < columns; j++) {
            struct row_and_column v;
            collect(warp, in, i, j, &v);
            v.c = read_register(warp, &in->o[3], accumulator_lane(i, j), accumulator_register(half, i, j));
            if (half) v.c = v.c >> j % 2 * 16 & 0xffff;
            d[i][j] = element(x, &v);
        }
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < columns; j += half ? 2 : 1)
            ref_put(&warp[accumulator_lane(i, j)], &in->o[0].list[accumulator_register(half, i, j)],
                    half ? d[i][j] | d[i][j + 1] << 16 : d[i][j]);
}

/* ---- moves ---- */

/* Halfword (i, j) of an 8x8 matrix lies in lane i*4 + j/2, transposed in lane j*4 + i/2. */
static void load(struct ref_thread *warp, const struct ref_inst *in)
{
    const bool trans = ref_has(in, PX_W_trans);
    uint8_t *rows[REF_WARP];
    for (unsigned lane = 0; lane < REF_WARP; lane++) {
        enum px_space space = in->space;
        rows[lane] = ref_place(&warp[lane], &space, ref_address(&warp[lane], &in->o[1], 16), 16, false);
    }
    for (unsigned r = 0; r < in->o[0].n; r++)
        for (unsigned lane = 0; lane < REF_WARP; lane++) {
            uint32_t word = 0;
            for (unsigned h = 0; h < 2; h++) {
                unsigned i = trans ? lane % 4 * 2 + h : lane / 4, j = trans ? lane / 4 : lane % 4 * 2 + h;
                uint16_t v;
                memcpy(&v, rows[r * 8 + i] + j * 2, 2);
                word |= (uint32_t)v << h * 16;
            }
            ref_put(&warp[lane], &in->o[0].list[r], word);
        }
}

static void store(struct ref_thread *warp, const struct ref_inst *in)
{
    const bool trans = ref_has(in, PX_W_trans);
    for (unsigned r = 0; r < in->o[1].n; r++)
        for (unsigned i = 0; i < 8; i++) {
            struct ref_thread *t = &warp[r * 8 + i];
            enum px_space space = in->space;
            uint8_t *row = ref_place(t, &space, ref_address(t, &in->o[0], 16), 16, true);
            for (unsigned j = 0; j < 8; j++) {
                unsigned lane = trans ? j * 4 + i / 2 : i * 4 + j / 2, h = (trans ? i : j) % 2;
                uint16_t v = (uint16_t)(read_register(warp, &in->o[1], lane, r) >> h * 16);
                memcpy(row + j * 2, &v, 2);
            }
        }
}

static void transpose(struct ref_thread *warp, const struct ref_inst *in)
{
    uint32_t d[REF_WARP] = {0};
    for (unsigned i = 0; i < 8; i++)
        for (unsigned j = 0; j < 8; j++) {
            uint64_t v = ref_get(&warp[i * 4 + j / 2], &in->o[1]) >> j % 2 * 16 & 0xffff;
            d[j * 4 + i / 2] |= (uint32_t)v << i % 2 * 16;
        }
    for (unsigned lane = 0; lane < REF_WARP; lane++) ref_put(&warp[lane], &in->o[0], d[lane]);
}

void ref_matrix_run(struct ref_thread *warp, uint32_t lanes, const struct ref_inst *in)
{
    if (lanes != 0xffffffffu)
        ref_fail(warp->machine, "fault 715: lanes are missing from a matrix instruction");
    switch (in->op) {
    case PX_OP_mma: product(warp, in); break;
    case PX_OP_ldmatrix: load(warp, in); break;
    case PX_OP_stmatrix: store(warp, in); break;
    default: transpose(warp, in); break;
    }
}

/* ---- binding ---- */

static bool is_element_type(const char *s)
{
    static const char *const names[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "f32", "f64",
                                        "s8",  "u8",   "s4",   "u4",   "b1",   "s32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], s)) return true;
    return false;
}

static bool bind_product(const struct ref_context *x, struct ref_inst *in)
{
    const char *types[TYPES] = {0}, *layouts[2] = {"row", "col"};
    unsigned n = 0, nlayouts = 0;
    struct ref_matrix *m = PX_NEW(&x->m->arena, struct ref_matrix);
    for (unsigned i = 0; i < in->inst->nmods; i++) {
        const char *word = in->inst->mods[i].name->text;
        if (is_element_type(word) && n < TYPES) types[n++] = word;
        if ((!strcmp(word, "row") || !strcmp(word, "col")) && nlayouts < 2) layouts[nlayouts++] = word;
        sscanf(word, "m%un%uk%u", &m->m, &m->n, &m->k);
    }
    if (n != TYPES || in->opcode != PX_W_mma) return false;
    m->sparse = in->n > 4, m->quads = m->k == 4 && !strcmp(types[1], "f16");
    m->a_col = !strcmp(layouts[0], "col"), m->b_row = !strcmp(layouts[1], "row");
    if (m->sparse) {
        if (in->inst->opds[5].kind != PX_O_INT) return false;
        in->o[4] = ref_resolve(x, in->inst, &in->inst->opds[4], PX_T_B32);
        m->selector = (unsigned)in->inst->opds[5].u.i & 3;
    }
    m->d = types[0], m->a = types[1], m->b = types[2], m->c = types[3];
    m->saturate = ref_has(in, PX_W_satfinite), m->xor = ref_has(in, PX_W_xor);
    for (unsigned i = 0; i < 4; i++)
        in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], !strcmp(m->a, "f64") ? PX_T_B64 : PX_T_B32);
    m->mode = ref_has(in, PX_W_rz) ? 1 : ref_has(in, PX_W_rm) ? 2 : ref_has(in, PX_W_rp) ? 3 : 0;
    in->matrix = m;
    return true;
}

bool ref_bind_matrix(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    switch (in->op) {
    case PX_OP_mma:
        if (!bind_product(x, in)) return false;
        break;
    case PX_OP_ldmatrix:
        in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_B32);
        in->o[1] = ref_resolve_address(x, in->inst, &o[1], &in->space);
        break;
    case PX_OP_stmatrix:
        in->o[0] = ref_resolve_address(x, in->inst, &o[0], &in->space);
        in->o[1] = ref_resolve(x, in->inst, &o[1], PX_T_B32);
        break;
    case PX_OP_movmatrix:
        in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_B32);
        in->o[1] = ref_resolve(x, in->inst, &o[1], PX_T_B32);
        break;
    default: return false;
    }
    ref_bind_meeting(in);
    return true;
}
