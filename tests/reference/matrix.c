/*
 * matrix.c - mma, dense and sparse, and wmma.mma (PTX ISA 9.7.14): registers of a warp.
 *
 * All 32 lanes of a warp meet at the instruction, and it is done element by element: the registers in which
 * an element lies are looked up by the manual's figures, of wmma by what a chip was found to do
 * (docs/fidelity.md).
 */
#include "matrix.h"
#include "gen/isa_ops.h"
#include <string.h>

enum { TYPES = 4, COLUMNS = 8 };

/* ---- elements in registers ---- */

uint64_t ref_matrix_register(const struct ref_thread *warp, const struct ref_operand *o, unsigned lane,
                             unsigned reg)
{
    return (uint64_t)ref_get(&warp[lane], o->kind == REF_LIST ? &o->list[reg] : o);
}

struct ref_spot ref_factor_spot(const struct ref_matrix *x, bool is_b, unsigned i, unsigned k)
{
    const unsigned bits = ref_element_bits(is_b ? x->b : x->a), per = bits > 32 ? 1 : 32 / bits;
    const bool left = is_b == ref_turned(x);
    const unsigned rows = is_b ? x->n : x->m, depth = x->sparse && !is_b ? x->k / 2 : x->k;
    const unsigned chunk = k / (4 * per), chunks = depth / (4 * per);
    struct ref_spot s = {.lane = i % 8 * 4 + k / per % 4, .shift = bits >= 32 ? 0 : k % per * bits};
    s.reg = left && rows > 8 ? (i / 16 * chunks + chunk) * 2 + i / 8 % 2 : i / 8 * chunks + chunk;
    return s;
}

struct ref_spot ref_accumulator_spot(const struct ref_matrix *x, unsigned bits, unsigned i, unsigned j)
{
    const unsigned row = ref_turned(x) ? j : i, column = ref_turned(x) ? i : j;
    const unsigned element = (row / 16 + column / 8) * 4 + row / 8 % 2 * 2 + column % 2;
    return (struct ref_spot){.lane = row % 8 * 4 + column % 8 / 2,
                             .reg = bits == 16 ? element / 2 : element,
                             .shift = bits == 16 ? element % 2 * 16 : 0};
}

static uint64_t element_at(const struct ref_thread *warp, const struct ref_operand *o, struct ref_spot s,
                           unsigned bits)
{
    const uint64_t word = ref_matrix_register(warp, o, s.lane, s.reg);
    return bits >= 32 ? word : word >> s.shift & ((1u << bits) - 1);
}

/*
 * Sparse: which column of A's k the t-th kept element of row i stands for. Metadata are a nibble for four
 * columns of which two are kept, of 4-bit numbers for eight in pairs, of tf32 for two of which one is; the
 * manual's figures say in which lane and where in its word the nibble lies.
 */
unsigned ref_kept_column(const struct ref_matrix *x, const struct ref_thread *warp,
                         const struct ref_operand *e, unsigned i, unsigned t)
{
    const unsigned bits = ref_element_bits(x->a),
                   per = bits == 32  ? 1
                         : bits == 4 ? 4
                                     : 2,
                   groups = x->k / 2 / per;
    const unsigned group = t / per, lower = i / 8 % 2;
    unsigned lane, place;
    if (groups == 4)
        lane = x->selector, place = lower * 4 + group;
    else if (groups == 16)
        lane = lower + group / 8 * 2, place = group % 8;
    else if (bits <= 8)
        lane = x->selector * 2 + lower, place = group;
    else
        lane = x->selector * 2 + group / 4, place = lower * 4 + group % 4;
    const unsigned nibble = (unsigned)(ref_matrix_register(warp, e, i % 8 * 4 + lane, 0) >> place * 4) & 15;
    if (per == 1) return group * 2 + (nibble >> 1 & 1);
    if (per == 2) return group * 4 + (nibble >> t % 2 * 2 & 3);
    return group * 8 + (nibble >> t / 2 % 2 * 2 & 3) * 2 + t % 2;
}

/* The factors of one element. */
static void collect(const struct ref_thread *warp, const struct ref_inst *in, unsigned i, unsigned j,
                    struct ref_row_and_column *v)
{
    const struct ref_matrix *x = in->matrix;
    const unsigned a_bits = ref_element_bits(x->a), b_bits = ref_element_bits(x->b);
    for (unsigned t = 0; t < (x->sparse ? x->k / 2 : x->k); t++) {
        const unsigned k = x->sparse ? ref_kept_column(x, warp, &in->o[4], i, t) : t;
        v->a[t] = element_at(warp, &in->o[1], ref_factor_spot(x, false, i, t), a_bits);
        v->b[t] = element_at(warp, &in->o[2], ref_factor_spot(x, true, j, k), b_bits);
    }
}

/* ---- m8n8k4 of f16: four products, each of eight lanes ---- */

/* Half k of a row (column) `i` of a factor; `across`: a lane holds four rows of one k. */
static uint64_t quad_factor(const struct ref_thread *warp, const struct ref_operand *o, unsigned quad,
                            bool across, unsigned i, unsigned k)
{
    const unsigned lane = quad * 4 + i / 4 * 16 + (across ? k : i % 4), at = across ? i % 4 : k;
    return ref_matrix_register(warp, o, lane, at / 2) >> at % 2 * 16 & 0xffff;
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
            uint64_t c = ref_matrix_register(warp, &in->o[3], from, c_half ? at / 2 : at);
            if (c_half) c = c >> at % 2 * 16 & 0xffff;
            for (unsigned k = 0; k < 4; k++) {
                a[k] = quad_factor(warp, &in->o[1], quad, x->a_col, row, k);
                b[k] = quad_factor(warp, &in->o[2], quad, x->b_row, column, k);
            }
            d[lane][e] = ref_quad_element(x, a, b, c);
        }
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned r = 0; r < in->o[0].n; r++)
            ref_put(&warp[lane], &in->o[0].list[r],
                    in->o[0].n == 4 ? d[lane][2 * r] | d[lane][2 * r + 1] << 16 : d[lane][r]);
}

static void product(struct ref_thread *warp, const struct ref_inst *in)
{
    const struct ref_matrix *x = in->matrix;
    const unsigned c_bits = ref_element_bits(x->c), d_bits = ref_element_bits(x->d);
    uint64_t d[REF_WARP][COLUMNS] = {{0}};
    for (unsigned i = 0; i < x->m; i++)
        for (unsigned j = 0; j < x->n; j++) {
            const struct ref_spot to = ref_accumulator_spot(x, d_bits, i, j);
            struct ref_row_and_column v;
            collect(warp, in, i, j, &v);
            v.c = element_at(warp, &in->o[3], ref_accumulator_spot(x, c_bits, i, j), c_bits);
            d[to.lane][to.reg] |= ref_element(x, &v) << to.shift;
        }
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned r = 0; r < in->o[0].n; r++) ref_put(&warp[lane], &in->o[0].list[r], d[lane][r]);
}

void ref_matrix_run(struct ref_thread *warp, uint32_t lanes, const struct ref_inst *in)
{
    if (lanes != 0xffffffffu)
        ref_fail(warp->machine, "fault 715: lanes are missing from a matrix instruction");
    if (in->op != PX_OP_mma)
        ref_tile_run(warp, in);
    else if (in->matrix->quads)
        quad_product(warp, in);
    else
        product(warp, in);
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

unsigned ref_matrix_words(const struct ref_inst *in, struct ref_matrix *m, const char *types[4])
{
    const char *layouts[2] = {"row", "col"};
    unsigned n = 0, nlayouts = 0;
    for (unsigned i = 0; i < in->inst->nmods; i++) {
        const char *word = in->inst->mods[i].name->text;
        if (is_element_type(word) && n < TYPES) types[n++] = word;
        if ((!strcmp(word, "row") || !strcmp(word, "col")) && nlayouts < 2) layouts[nlayouts++] = word;
        sscanf(word, "m%un%uk%u", &m->m, &m->n, &m->k);
    }
    m->a_col = !strcmp(layouts[0], "col"), m->b_row = !strcmp(layouts[1], "row");
    m->saturate = ref_has(in, PX_W_satfinite), m->xor = ref_has(in, PX_W_xor);
    return n;
}

/* Of how many the selector picks: lanes, or pairs of them; 1: all lanes have metadata. */
static unsigned selectors_of(const struct ref_matrix *x)
{
    const unsigned bits = ref_element_bits(x->a), groups = x->k / 2 / (bits == 32 ? 1 : bits == 4 ? 4 : 2);
    return 16 / groups;
}

/* wmma of f16 names the types of d and c only. */
static void bind_product(const struct ref_context *x, struct ref_inst *in)
{
    const char *types[TYPES] = {0};
    struct ref_matrix *m = PX_NEW(&x->m->arena, struct ref_matrix);
    const bool named = ref_matrix_words(in, m, types) == TYPES;
    m->wmma = in->opcode == PX_W_wmma;
    m->d = types[0], m->c = types[named ? 3 : 1];
    m->a = named ? types[1] : "f16", m->b = named ? types[2] : "f16";
    m->sparse = in->n > 4, m->quads = m->k == 4 && !strcmp(m->a, "f16");
    if (m->sparse) {
        if (in->inst->opds[5].kind != PX_O_INT) ref_unsupported(x->m, in->inst, "with such a selector");
        in->o[4] = ref_resolve(x, in->inst, &in->inst->opds[4], PX_T_B32);
        m->selector = (unsigned)in->inst->opds[5].u.i;
        if (m->selector >= selectors_of(m)) ref_unsupported(x->m, in->inst, "with such a selector");
    }
    for (unsigned i = 0; i < 4; i++)
        in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], !strcmp(m->a, "f64") ? PX_T_B64 : PX_T_B32);
    m->mode = ref_has(in, PX_W_rz) ? 1 : ref_has(in, PX_W_rm) ? 2 : ref_has(in, PX_W_rp) ? 3 : 0;
    in->matrix = m;
}

bool ref_bind_matrix(const struct ref_context *x, struct ref_inst *in)
{
    switch (in->op) {
    case PX_OP_mma: bind_product(x, in); break;
    case PX_OP_wgmma: ref_bind_wgmma(x, in); return true;
    default:
        if (!ref_bind_tile(x, in)) return false;
    }
    ref_bind_meeting(in);
    return true;
}
