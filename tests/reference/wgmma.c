/*
 * wgmma.c - wgmma.mma_async (PTX ISA 9.7.15), done at once when all 128 threads of a warpgroup have come.
 *
 * Element by element as mma: memory is read where the descriptors lead, registers of A and the accumulators
 * lie, warp by warp, as those of mma with 16 rows.
 */
#include "matrix.h"
#include <string.h>

enum { WARPS = 4, ROWS = 64, COLUMNS_MAX = 256, REGISTERS = 128, ADDRESS_BITS = 0x3ffff };

/* ---- factors in shared memory ---- */

struct descriptor {
    uint64_t start, leading, stride, base;
    unsigned width; /* of the swizzle; 0: none */
};

static struct descriptor decode(uint64_t v)
{
    static const unsigned widths[4] = {0, 128, 64, 32};
    return (struct descriptor){(v & 0x3fff) * 16, (v >> 16 & 0x3fff) * 16, (v >> 32 & 0x3fff) * 16,
                               v >> 49 & 7, widths[v >> 62 & 3]};
}

/* Address of the 16 bytes with k on in row i (memory goes along k), `k` counting pieces. */
static uint64_t along(const struct descriptor *d, unsigned i, unsigned piece)
{
    if (!d->width) return i % 8 * 16 + i / 8 * d->stride + piece * d->leading;
    const unsigned each = d->width / 16;
    return i % 8 * d->width + i / 8 * d->stride + piece % each * 16 + piece / each * d->leading;
}

/* The same of eight rows from 8 * i on, for one k. */
static uint64_t across(const struct descriptor *d, unsigned i, unsigned k)
{
    if (!d->width) return i * d->stride + k % 8 * 16 + k / 8 * d->leading;
    const unsigned each = d->width / 16;
    return i % each * 16 + i / each * d->leading + k % 8 * d->width + k / 8 * d->stride;
}

static uint64_t swizzled(const struct descriptor *d, uint64_t address)
{
    const uint64_t with = (address / 128 - d->base) & (d->width / 16 - 1);
    return d->width ? address ^ with * 16 : address;
}

/* Element k of row i. */
static uint64_t fetch(struct ref_thread *t, const struct descriptor *d, bool is_across, unsigned bits,
                      unsigned i, unsigned k)
{
    enum px_space space = PX_SPACE_SHARED;
    const unsigned bit = k * bits, in_piece = is_across ? i % 8 * bits : bit % 128;
    const uint64_t at = d->start + (is_across ? across(d, i / 8, k) : along(d, i, bit / 128));
    const uint8_t *piece = ref_place(t, &space, swizzled(d, at) & ADDRESS_BITS, 16, false);
    uint32_t v = 0;
    memcpy(&v, piece + in_piece / 8, bits < 8 ? 1 : bits / 8);
    return bits < 8 ? v >> in_piece % 8 & ((1u << bits) - 1) : v;
}

/* ---- the product ---- */

struct factors {
    uint32_t a[ROWS][REF_K_MAX], b[COLUMNS_MAX][REF_K_MAX];
};

static uint64_t in_registers(const struct ref_thread *group, const struct ref_operand *o, unsigned warp,
                             struct ref_spot s, unsigned bits)
{
    const uint64_t word = ref_matrix_register(group + warp * REF_WARP, o, s.lane, s.reg);
    return bits >= 32 ? word : word >> s.shift & ((1u << bits) - 1);
}

static void read_factors(struct ref_thread *group, const struct ref_inst *in, struct factors *f)
{
    const struct ref_matrix *x = in->matrix;
    const unsigned bits = ref_element_bits(x->a), kept = x->sparse ? x->k / 2 : x->k;
    const struct descriptor b = decode((uint64_t)ref_get(group, &in->o[2]));
    const struct descriptor a = decode(x->a_memory ? (uint64_t)ref_get(group, &in->o[1]) : 0);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned k = 0; k < kept; k++)
            f->a[i][k] = (uint32_t)(x->a_memory ? fetch(group, &a, x->a_across, bits, i, k)
                                                : in_registers(group, &in->o[1], i / 16,
                                                               ref_factor_spot(x, false, i % 16, k), bits));
    for (unsigned j = 0; j < x->n; j++)
        for (unsigned k = 0; k < x->k; k++) f->b[j][k] = (uint32_t)fetch(group, &b, x->b_across, bits, j, k);
}

/* d is read where any lane of the first warp says so; else it counts as zero. */
static bool adds(const struct ref_thread *group, const struct ref_inst *in)
{
    bool any = false;
    for (unsigned lane = 0; lane < REF_WARP; lane++) any |= ref_get(&group[lane], &in->o[4]) != 0;
    return any;
}

static void multiply_warp(struct ref_thread *group, const struct ref_inst *in, unsigned warp, bool add,
                          const struct factors *f)
{
    const struct ref_matrix *x = in->matrix;
    const unsigned bits = ref_element_bits(x->d);
    struct ref_thread *lanes = group + warp * REF_WARP;
    static const struct ref_row_and_column zero;
    uint64_t d[REF_WARP][REGISTERS] = {{0}};
    for (unsigned i = 0; i < 16; i++)
        for (unsigned j = 0; j < x->n; j++) {
            struct ref_row_and_column v = zero;
            const struct ref_spot at = ref_accumulator_spot(x, bits, i, j);
            for (unsigned t = 0; t < (x->sparse ? x->k / 2 : x->k); t++) {
                v.a[t] = f->a[warp * 16 + i][t];
                v.b[t] = f->b[j][x->sparse ? ref_kept_column(x, lanes, &in->o[3], i, t) : t];
            }
            if (add) v.c = in_registers(group, &in->o[0], warp, at, bits);
            d[at.lane][at.reg] |= ref_element(x, &v) << at.shift;
        }
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned r = 0; r < in->o[0].n; r++) ref_put(&lanes[lane], &in->o[0].list[r], d[lane][r]);
}

void ref_wgmma_run(struct ref_thread *group, const struct ref_inst *in)
{
    struct factors f;
    const bool add = adds(group, in);
    read_factors(group, in, &f);
    for (unsigned warp = 0; warp < WARPS; warp++) multiply_warp(group, in, warp, add, &f);
}

/* ---- binding ---- */

static bool is_negative(const struct ref_context *x, const struct ref_inst *in, unsigned operand)
{
    const struct ref_operand o = ref_resolve(x, in->inst, &in->inst->opds[operand], PX_T_S32);
    return (uint32_t)o.value >> 31;
}
static bool is_set(const struct ref_context *x, const struct ref_inst *in, unsigned operand)
{
    return ref_resolve(x, in->inst, &in->inst->opds[operand], PX_T_S32).value != 0;
}

/* d, a, b, [metadata, selector,] scale-d, [sign of a, of b, [major of a,] [of b]]; `o` keeps d, a, b, the
 * metadata and scale-d. */
void ref_bind_wgmma(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    const char *types[4] = {0};
    struct ref_matrix *m = PX_NEW(&x->m->arena, struct ref_matrix);
    ref_matrix_words(in, m, types);
    m->m = 16, m->group = true, m->sparse = ref_has(in, PX_W_sp);
    m->d = m->c = types[0], m->a = types[1], m->b = types[2];
    m->a_memory = o[1].kind != PX_O_VEC;
    const unsigned scale = m->sparse ? 5 : 3, more = in->n - scale - 1;
    in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_B32);
    in->o[1] = ref_resolve(x, in->inst, &o[1], m->a_memory ? PX_T_U64 : PX_T_B32);
    in->o[2] = ref_resolve(x, in->inst, &o[2], PX_T_U64);
    if (m->sparse) in->o[3] = ref_resolve(x, in->inst, &o[3], PX_T_B32);
    if (m->sparse) m->selector = is_set(x, in, 4);
    in->o[4] = ref_resolve(x, in->inst, &o[scale], PX_T_PRED);
    if (more >= 2) m->a_minus = is_negative(x, in, scale + 1), m->b_minus = is_negative(x, in, scale + 2);
    if (more == 4) m->a_across = is_set(x, in, scale + 3);
    if (more >= 3) m->b_across = is_set(x, in, in->n - 1);
    in->matrix = m;
    ref_bind_group(in);
}
