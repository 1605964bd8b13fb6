/*
 * matrix.c - records of the instructions of matrix.h.
 *
 * Each does one warp after the other. Sources are read before the first result is written, for a row may be
 * both.
 */
#include "ops/matrix.h"
#include "gang/fpmode.h"
#include "isa/isa.h"
#include "mem/mem.h"
#include "ops/mem.h"
#include "ops/operands.h"
#include "ops/row.h"

enum { WARP = PX_WARP, LANE_NONE = PX_LANES_MAX };

/* ---- meeting ---- */

/* False: *step is what the handler returns. Lanes that are missing for good are the fault of the first that
 * is there. */
static bool complete(struct px_gang *g, const struct px_insn *in, int *step)
{
    if (!px_gang_met(g, WARP)) return *step = PX_STEP_MEET, false;
    for (uint32_t w = 0; w < g->n / WARP; w++) {
        uint32_t here = px_lanes_warp(&g->active, w);
        if (!here || here == ~0u) continue;
        uint32_t first = w * WARP + (uint32_t)__builtin_ctz(here), gone = (uint32_t)__builtin_ctz(~here);
        *step = px_gang_trap(
            g, in, first, PX_CUDA_ILLEGAL_INSTRUCTION, 0,
            "%u of the 32 lanes of the warp execute it; lane %u, for one, has exited or never was",
            (uint32_t)__builtin_popcount(here), gone);
        return false;
    }
    return true;
}

/* Only that: the VM's threads have the registers that they name. */
PX_NAMED_HANDLER_OF(setmaxnreg)
{
    int step = PX_STEP_NEXT;
    complete(g, in, &step);
    return step;
}

#define FOR_WARPS(w, g)                                                                                      \
    for (uint32_t w = 0; w < (g)->n / WARP; w++)                                                             \
        if (px_lanes_warp(&(g)->active, w))

/* ---- products ---- */

static void *row_at(const struct px_gang *g, uint32_t offset, uint32_t first, uint32_t elem)
{
    return g->frame + offset + (size_t)first * elem;
}

int px_matrix_mma(struct px_gang *g, const struct px_insn *in)
{
    const struct px_matrix_mma *m = in->aux;
    const struct px_matrix_form *f = m->form;
    const uint32_t *d = m->row, *a = d + f->nd, *b = a + f->na, *c = m->row + in->c;
    const uint32_t elem = f->is.op.x == PX_MMA_F64 ? 8 : 4;
    int step;
    if (!complete(g, in, &step)) return step;
    px_fp_set(g->worker, f->fp);
    FOR_WARPS(w, g)
    {
        struct px_mma_warp warp;
        for (uint32_t r = 0; r < f->na; r++) warp.a[r] = row_at(g, a[r], w * WARP, elem);
        for (uint32_t r = 0; r < f->nb; r++) warp.b[r] = row_at(g, b[r], w * WARP, elem);
        for (uint32_t r = 0; r < f->nc; r++) warp.c[r] = row_at(g, c[r], w * WARP, elem);
        for (uint32_t r = 0; r < f->nd; r++) warp.d[r] = row_at(g, d[r], w * WARP, elem);
        warp.e = row_at(g, in->metadata, w * WARP, 4);
        px_mma_form_run(&f->is, f->product, &warp);
    }
    px_fp_set(g->worker, PX_FP_HOME);
    return PX_STEP_NEXT;
}

/* ---- places ---- */

static uint64_t address_of(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    const struct px_matrix_move *m = in->aux;
    const uint64_t base = PX_ROW(g, uint64_t, in->a)[in->flags & PX_INSN_SCALAR_A ? 0 : lane];
    return px_space_address(in->space, base + m->offset);
}

static int misaligned(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t bytes)
{
    return px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                        "address 0x%llx is not aligned to %u bytes", (unsigned long long)va, bytes);
}

/* The place of `bytes` at va, and its extent. NULL: the trap is set. */
static uint8_t *find(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t bytes,
                     struct px_seg *seg)
{
    struct px_place_of p = px_gang_find(g, in->space, lane, va, bytes);
    if (p.host && p.stride == 4) {
        *seg = p.seg;
        return p.host;
    }
    px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, va, "access of %u bytes at 0x%llx: %s", bytes,
                 (unsigned long long)va, p.host ? "local memory is no memory of a warp" : p.why);
    return NULL;
}

/* The same; the extent of the last place is looked at first. */
PX_INLINE uint8_t *place(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va,
                         uint32_t bytes, struct px_seg *seg)
{
    if (seg->len >= bytes && va - seg->lo <= seg->len - bytes) return seg->host + (va - seg->lo);
    return find(g, in, lane, va, bytes, seg);
}

/* Kernel memory: one element is never torn. */
PX_RACY static uint32_t get(const uint8_t *from, uint32_t bytes)
{
    return bytes == 4   ? __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_RELAXED)
           : bytes == 2 ? __atomic_load_n((const uint16_t *)(const void *)from, __ATOMIC_RELAXED)
                        : __atomic_load_n(from, __ATOMIC_RELAXED);
}
PX_RACY static void put(uint8_t *to, uint32_t bytes, uint32_t v)
{
    if (bytes == 4)
        __atomic_store_n((uint32_t *)(void *)to, v, __ATOMIC_RELAXED);
    else if (bytes == 2)
        __atomic_store_n((uint16_t *)(void *)to, (uint16_t)v, __ATOMIC_RELAXED);
    else
        __atomic_store_n(to, (uint8_t)v, __ATOMIC_RELAXED);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

enum { ROW_BYTES = 16 };

/*
 * The 16 bytes that each lane of the warp names. The chip looks at all 32 addresses, at those too that .x1
 * and .x2 do not use, and calls a generic address that is not in shared memory an illegal instruction.
 */
static bool rows_of(struct px_gang *g, const struct px_insn *in, uint32_t first, uint8_t *rows[WARP])
{
    struct px_seg seg = {0};
    for (uint32_t l = 0; l < WARP; l++) {
        uint64_t va = px_address(g, in, first + l);
        if (in->space == PX_SPACE_NONE && px_window_of(va) != PX_WIN_SHARED) {
            px_gang_trap(g, in, first + l, PX_CUDA_ILLEGAL_INSTRUCTION, va,
                         "address 0x%llx is not in shared memory", (unsigned long long)va);
            return false;
        }
        if (px_gang_misaligned(g, in->space, first + l, va, ROW_BYTES))
            return misaligned(g, in, first + l, va, ROW_BYTES), false;
        rows[l] = place(g, in, first + l, va, ROW_BYTES, &seg);
        if (!rows[l]) return false;
    }
    return true;
}

/* One register of a warp and the eight rows of its matrix. */
typedef void move_matrix(uint32_t *reg, uint8_t *const *row);

static void load_matrix(uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++) reg[l] = get(row[l / 4] + l % 4 * 4, 4);
}

static void load_turned(uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++)
        reg[l] = get(row[l % 4 * 2] + l / 4 * 2, 2) | get(row[l % 4 * 2 + 1] + l / 4 * 2, 2) << 16;
}

static void store_matrix(uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++) put(row[l / 4] + l % 4 * 4, 4, reg[l]);
}

static void store_turned(uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++) {
        put(row[l % 4 * 2] + l / 4 * 2, 2, reg[l]);
        put(row[l % 4 * 2 + 1] + l / 4 * 2, 2, reg[l] >> 16);
    }
}

/* Element i of a row of bytes, or of 16 numbers of 4 or 6 bits with padding behind them: those of 4 bits come
 * to stand two bits up, or (.s8.s4) with their sign. */
static uint32_t byte_of(const uint8_t *row, const struct px_match *m, uint32_t i)
{
    if (px_match_has(m, PX_W_b6x16_p32)) {
        const uint32_t at = 6 * i, low = get(row + at / 8, 1), high = get(row + at / 8 + 1, 1);
        return (low | high << 8) >> at % 8 & 0x3f;
    }
    const uint32_t nibble = get(row + i / 2, 1) >> i % 2 * 4 & 15;
    if (px_match_has(m, PX_W_b4x16_p64)) return nibble << 2;
    return px_match_has(m, PX_W_s4) ? ((nibble ^ 8) - 8) & 0xff : get(row + i, 1);
}

/* m8n16: four neighbours of a row each. m16n16, turned: of a column of 16 rows, and of the column eight
 * behind it. */
static void load_bytes(const struct px_match *m, uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++) {
        reg[l] = 0;
        for (uint32_t i = 0; i < 4; i++) reg[l] |= byte_of(row[l / 4], m, l % 4 * 4 + i) << 8 * i;
    }
}
static void load_columns(const struct px_match *m, uint32_t *reg, uint8_t *const *row, uint32_t behind)
{
    for (uint32_t l = 0; l < WARP; l++) {
        reg[l] = 0;
        for (uint32_t i = 0; i < 4; i++) reg[l] |= byte_of(row[l % 4 * 4 + i], m, l / 4 + behind) << 8 * i;
    }
}
/* m16n8, turned: a lane has two neighbours of a row, and of the row eight below; columns lie in memory. */
static void store_columns(uint32_t *reg, uint8_t *const *row)
{
    for (uint32_t l = 0; l < WARP; l++)
        for (uint32_t i = 0; i < 4; i++)
            put(row[l % 4 * 2 + (i & 1)] + l / 4 + (i >> 1) * 8, 1, reg[l] >> 8 * i & 0xff);
}

static void load_row_of_bytes(const struct px_match *m, uint32_t *reg, uint8_t *const *rows, uint32_t r)
{
    if (px_match_has(m, PX_W_m16n16))
        load_columns(m, reg, rows + r / 2 * 16, r % 2 * 8);
    else
        load_bytes(m, reg, rows + 8 * r);
}

static int move_matrices(struct px_gang *g, const struct px_insn *in, move_matrix *plain, move_matrix *turned)
{
    const struct px_operands *o = px_operands(g, in);
    move_matrix *move = px_match_has(o->match, PX_W_trans) ? turned : plain;
    uint8_t *rows[WARP];
    int step;
    if (!complete(g, in, &step)) return step;
    FOR_WARPS(w, g)
    {
        if (!rows_of(g, in, w * WARP, rows)) return PX_STEP_TRAP;
        for (uint32_t r = 0; r < o->n; r++) {
            uint32_t *reg = row_at(g, o->row[r], w * WARP, 4);
            if (px_match_has(o->match, PX_W_m8n16) || px_match_has(o->match, PX_W_m16n16))
                load_row_of_bytes(o->match, reg, rows, r);
            else
                move(reg, rows + 8 * r);
        }
    }
    return PX_STEP_NEXT;
}

PX_NAMED_HANDLER_OF(ldmatrix)
{
    return move_matrices(g, in, load_matrix, load_turned);
}

PX_NAMED_HANDLER_OF(stmatrix)
{
    const bool bytes = px_match_has(px_operands(g, in)->match, PX_W_m16n8);
    return move_matrices(g, in, store_matrix, bytes ? store_columns : store_turned);
}

PX_NAMED_HANDLER_OF(movmatrix)
{
    const struct px_operands *o = px_operands(g, in);
    int step;
    if (!complete(g, in, &step)) return step;
    FOR_WARPS(w, g)
    {
        uint16_t matrix[8][8];
        uint32_t *d = row_at(g, o->row[0], w * WARP, 4);
        memcpy(matrix, row_at(g, o->row[1], w * WARP, 4), sizeof matrix);
        for (uint32_t l = 0; l < WARP; l++)
            d[l] = matrix[l % 4 * 2][l / 4] | (uint32_t)matrix[l % 4 * 2 + 1][l / 4] << 16;
    }
    return PX_STEP_NEXT;
}

/* ---- wmma.load, wmma.store ---- */

/* One lane's view of a matrix in memory: element (i, j) of a factor or accumulator at `bits` each. */
struct view {
    struct px_gang *g;
    const struct px_insn *in;
    struct px_seg *seg;
    uint64_t base;
    uint32_t lane, between, bits;
    bool across; /* neighbours in j are `between` elements apart, not in i */
};

PX_INLINE uint8_t *element_at(const struct view *v, uint32_t i, uint32_t j, uint32_t bits)
{
    uint64_t n = v->across ? (uint64_t)j * v->between + i : (uint64_t)i * v->between + j;
    const uint64_t va = px_space_address(v->in->space, v->base + n * v->bits / 8);
    return place(v->g, v->in, v->lane, va, bits / 8, v->seg);
}

/* A register's word of a factor: neighbours in k from (i, k) on. */
static bool load_word(const struct view *v, uint32_t i, uint32_t k, uint32_t *word)
{
    uint32_t each = v->across && v->bits < 32 ? v->bits : 32;
    *word = 0;
    for (uint32_t at = 0; at < 32; at += each, k++) {
        const uint8_t *from = element_at(v, i, k, each);
        if (!from) return false;
        *word |= get(from, each / 8) << at;
    }
    return true;
}

static bool load_factor(const struct px_matrix_move *m, const struct view *v)
{
    const struct px_mma_form *f = &m->form->is;
    const struct px_mma_factor *factor = (m->what == 'a') == f->a_is_x ? &f->x : &f->y;
    const uint32_t per = v->bits >= 32 ? 1 : 32 / v->bits, lane = v->lane % WARP,
                   elem = v->bits == 64 ? 8 : 4;
    const uint32_t shift = (uint32_t)__builtin_ctz(factor->words); /* a power of two in all forms of wmma */
    for (uint32_t r = 0; r < factor->regs; r++) {
        uint32_t at = factor->base[r] + (lane / 4 << shift) + lane % 4;
        uint32_t i = at >> shift, k = (at & (factor->words - 1u)) * per;
        uint8_t *d = row_at(v->g, m->row[r], v->lane, elem);
        if (v->bits == 64) {
            const uint8_t *from = element_at(v, i, k, 64);
            if (!from) return false;
            memcpy(d, from, 8);
        } else if (!load_word(v, i, k, (uint32_t *)(void *)d)) {
            return false;
        }
    }
    for (uint32_t r = factor->regs; r < m->regs; r++)
        memcpy(row_at(v->g, m->row[r], v->lane, elem), row_at(v->g, m->row[r % factor->regs], v->lane, elem),
               elem);
    return true;
}

/* Where element q of the lane's accumulator lies: row and column of the matrix. */
static void accumulator_place(const struct px_mma_form *f, uint32_t lane, uint32_t q, uint32_t *row,
                              uint32_t *col)
{
    uint32_t at = f->acc.base[q] + lane / 4 * f->acc.group + lane % 4 * f->acc.thread;
    uint32_t shift = (uint32_t)__builtin_ctz(f->op.cols), i = at >> shift, j = at & (f->op.cols - 1u);
    *row = f->a_is_x ? i : j, *col = f->a_is_x ? j : i;
}

static bool move_accumulator(const struct px_matrix_move *m, const struct view *v, bool store)
{
    const struct px_mma_form *f = &m->form->is;
    for (uint32_t q = 0; q < f->acc.elements; q++) {
        uint32_t row, col, reg = v->bits == 16 ? q >> 1 : q, elem = v->bits == 64 ? 8 : 4;
        accumulator_place(f, v->lane % WARP, q, &row, &col);
        uint8_t *memory = element_at(v, row, col, v->bits), *lane = row_at(v->g, m->row[reg], v->lane, elem);
        if (!memory) return false;
        if (v->bits == 16) lane += (q & 1) * 2;
        if (v->bits == 64)
            memcpy(store ? memory : lane, store ? lane : memory, 8);
        else if (store)
            put(memory, v->bits / 8, get(lane, v->bits / 8));
        else
            put(lane, v->bits / 8, get(memory, v->bits / 8));
    }
    return true;
}

int px_matrix_wmma(struct px_gang *g, const struct px_insn *in)
{
    const struct px_matrix_move *m = in->aux;
    const bool factor = m->what == 'a' || m->what == 'b';
    const struct px_mma_form *f = &m->form->is;
    const uint32_t type = factor ? m->what == 'a' ? f->a : f->b : f->d;
    struct px_seg seg = {0};
    int step;
    if (!complete(g, in, &step)) return step;
    uint32_t lane;
    PX_FOR_LANES(lane, g->active)
    {
        struct view v = {.g = g, .in = in, .seg = &seg, .lane = lane, .base = address_of(g, in, lane)};
        v.between = m->between ? m->between : px_element(g, in->b, m->stride_scalar, lane);
        v.bits = px_mma_bits((enum px_mma_type)type);
        v.across = m->what == 'b' ? !m->col : m->col; /* of B, i counts columns and j rows */
        if (px_gang_misaligned(g, in->space, lane, v.base, m->unit))
            return misaligned(g, in, lane, v.base, m->unit);
        if (v.between * (uint64_t)v.bits % 64)
            return px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, v.base,
                                "the stride of %u elements is no multiple of 8 bytes", v.between);
        if (!(factor ? load_factor(m, &v) : move_accumulator(m, &v, m->what == 'd'))) return PX_STEP_TRAP;
    }
    return PX_STEP_NEXT;
}
