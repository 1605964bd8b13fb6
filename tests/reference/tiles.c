/*
 * tiles.c - matrices between memory and registers: ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store (PTX
 * ISA 9.7.14).
 */
#include "matrix.h"
#include "gen/isa_handler_ops.h"
#include "gen/isa_ops.h"
#include <string.h>

/* ---- of 8x8 halfwords ---- */

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
                uint16_t v = (uint16_t)(ref_matrix_register(warp, &in->o[1], lane, r) >> h * 16);
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

/* ---- wmma ---- */

enum { REGISTERS = 8 };

/* A tile's extent as it is written: a row of A or of an accumulator, a column of B is `i`. */
struct tile {
    const struct ref_matrix *x;
    unsigned rows, columns, bits;
    bool is_factor;
};

static struct tile tile_of(const struct ref_matrix *x)
{
    struct tile t = {.x = x, .bits = ref_element_bits(x->a), .is_factor = x->what == 'a' || x->what == 'b'};
    t.rows = x->what == 'b' ? x->n : x->m;
    t.columns = t.is_factor ? x->k : x->n;
    return t;
}

static struct ref_spot spot_of(const struct tile *t, unsigned i, unsigned j)
{
    return t->is_factor ? ref_factor_spot(t->x, t->x->what == 'b', i, j)
                        : ref_accumulator_spot(t->x, t->bits, i, j);
}

/* The byte of element (i, j), by the lane that has it, and the element's place in it. `across`: neighbours in
 * i lie together. */
static uint8_t *memory_of(struct ref_thread *t, const struct ref_inst *in, const struct tile *tile,
                          unsigned i, unsigned j, unsigned *shift)
{
    const bool store = tile->x->what == 'd', is_b = tile->x->what == 'b', across = tile->x->a_col != is_b;
    const uint64_t stride = in->n > 2 ? (uint64_t)ref_get(t, &in->o[2]) : across ? tile->rows : tile->columns;
    const uint64_t n = across ? j * stride + i : i * stride + j;
    if (stride * tile->bits % 64)
        ref_fail(t->machine, "fault 716: rows are %llu elements apart, no multiple of 8 bytes",
                 (unsigned long long)stride);
    const uint64_t base = ref_address(t, &in->o[!store], tile->bits < 8 ? 4 : tile->bits / 8);
    enum px_space space = in->space;
    *shift = (unsigned)(n * tile->bits % 8);
    return ref_place(t, &space, base + n * tile->bits / 8, tile->bits < 8 ? 1 : tile->bits / 8, store);
}

static void wmma_load(struct ref_thread *warp, const struct ref_inst *in)
{
    const struct tile tile = tile_of(in->matrix);
    uint64_t regs[REF_WARP][REGISTERS] = {{0}};
    unsigned most = 0;
    for (unsigned i = 0; i < tile.rows; i++)
        for (unsigned j = 0; j < tile.columns; j++) {
            const struct ref_spot s = spot_of(&tile, i, j);
            unsigned shift;
            uint64_t v = 0;
            const uint8_t *from = memory_of(&warp[s.lane], in, &tile, i, j, &shift);
            memcpy(&v, from, tile.bits < 8 ? 1 : tile.bits / 8);
            if (tile.bits < 8) v = v >> shift & ((1u << tile.bits) - 1);
            regs[s.lane][s.reg] |= v << s.shift;
            if (s.reg > most) most = s.reg;
        }
    /* A fragment of f16 has eight registers, whatever the shape: they repeat. */
    for (unsigned lane = 0; lane < REF_WARP; lane++)
        for (unsigned r = 0; r < (in->o[0].kind == REF_LIST ? in->o[0].n : 1); r++)
            ref_put(&warp[lane], in->o[0].kind == REF_LIST ? &in->o[0].list[r] : &in->o[0],
                    regs[lane][r % (most + 1)]);
}

static void wmma_store(struct ref_thread *warp, const struct ref_inst *in)
{
    const struct tile tile = tile_of(in->matrix);
    for (unsigned i = 0; i < tile.rows; i++)
        for (unsigned j = 0; j < tile.columns; j++) {
            const struct ref_spot s = spot_of(&tile, i, j);
            const uint64_t v = ref_matrix_register(warp, &in->o[1], s.lane, s.reg) >> s.shift;
            unsigned shift;
            memcpy(memory_of(&warp[s.lane], in, &tile, i, j, &shift), &v, tile.bits / 8);
        }
}

void ref_tile_run(struct ref_thread *warp, const struct ref_inst *in)
{
    switch (in->op) {
    case PX_OP_ldmatrix: load(warp, in); break;
    case PX_OP_stmatrix: store(warp, in); break;
    case PX_OP_wmma_load: wmma_load(warp, in); break;
    case PX_OP_wmma_store: wmma_store(warp, in); break;
    default: transpose(warp, in); break;
    }
}

/* ---- binding ---- */

static void bind_wmma(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    const bool store = in->op == PX_OP_wmma_store;
    const char *types[4] = {0};
    struct ref_matrix *m = PX_NEW(&x->m->arena, struct ref_matrix);
    ref_matrix_words(in, m, types);
    m->a = m->b = types[0];
    m->what = store ? 'd' : ref_has(in, PX_W_a) ? 'a' : ref_has(in, PX_W_b) ? 'b' : 'c';
    in->o[store] = ref_resolve(x, in->inst, &o[store], !strcmp(m->a, "f64") ? PX_T_B64 : PX_T_B32);
    in->o[!store] = ref_resolve_address(x, in->inst, &o[!store], &in->space);
    if (in->n > 2) in->o[2] = ref_resolve(x, in->inst, &o[2], PX_T_U32);
    in->matrix = m;
}

bool ref_bind_tile(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    if (in->type == PX_T_B8 || ref_has(in, PX_W_b8)) return false; /* matrices of bytes came later */
    switch (in->op) {
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
    case PX_OP_wmma_load:
    case PX_OP_wmma_store: bind_wmma(x, in); break;
    default: return false;
    }
    return true;
}
