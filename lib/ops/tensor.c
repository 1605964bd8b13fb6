/*
 * tensor.c - tensor copies (PTX ISA 9.7.9.27): their operands, and how their bytes move.
 *
 * Everything is by the manual; what it leaves open is in docs/tensor-maps.md.
 */
#include "ops/tensor.h"
#include "base/alloc.h"
#include "ops/bulk.h"
#include "ops/mem.h"
#include "ops/row.h"
#include "ops/trace.h"

enum { LINE = 128, ROW_MOST = 2048, MAP_ALIGN = 64 };

void px_tensor_free(const struct ptx_allocator *alloc, struct px_tensor *t)
{
    if (t) px_free(alloc, t, sizeof *t);
}

/* ---- bytes ---- */

/* Where byte `at` of shared memory lies once it is swizzled: a chunk's number within 128 bytes is changed by
 * the number of the 128 bytes. */
static uint32_t swizzled(const struct px_tensor_map *map, uint32_t at)
{
    const uint32_t line = at / LINE;
    switch (map->swizzle) {
    case PX_SWIZZLE_32: return at ^ (line & 1) << 4;
    case PX_SWIZZLE_64: return at ^ (line & 3) << 4;
    case PX_SWIZZLE_128: return map->atom == PX_ATOM_32 ? at ^ (line & 3) << 5 : at ^ (line & 7) << 4;
    default: return at;
    }
}

enum { CHUNK = 16 };

static void put_row(const struct px_bulk *b, uint8_t *shared, uint32_t at, const uint8_t *row)
{
    const struct px_tensor *t = b->tensor;
    uint8_t *base = shared - b->shared.at;
    for (uint32_t i = 0; i < t->row; i += CHUNK)
        memcpy(base + swizzled(&t->map, b->shared.at + at + i), row + i, CHUNK);
}

static void get_row(const struct px_bulk *b, const uint8_t *shared, uint32_t at, uint8_t *row)
{
    const struct px_tensor *t = b->tensor;
    const uint8_t *base = shared - b->shared.at;
    for (uint32_t i = 0; i < t->row; i += CHUNK)
        memcpy(row + i, base + swizzled(&t->map, b->shared.at + at + i), CHUNK);
}

static uint8_t *place_of(const struct px_tensor *t, const struct px_tensor_row *r)
{
    return (uint8_t *)(uintptr_t)t->host + (r->address - t->first);
}

/* Zeros, or the NaN that fma.oob knows, in each 16 bits. */
static void fill(const struct px_tensor *t, uint8_t *row, uint32_t from, uint32_t to)
{
    static const uint8_t nan[2] = {0xf7, 0x7f};
    const bool nans = t->map.nans && t->element > 1;
    for (uint32_t i = from * t->element; i < to * t->element; i++) row[i] = nans ? nan[i & 1] : 0;
}

/* Subnormal numbers become zeros of their sign. */
static void flush(uint8_t *row, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t x;
        memcpy(&x, row + i, 4);
        if (!(x & 0x7f800000)) x &= 0x80000000;
        memcpy(row + i, &x, 4);
    }
}

static void load(const struct px_bulk *b, uint8_t *shared)
{
    const struct px_tensor *t = b->tensor;
    const bool flushes = t->map.type == PX_TENSOR_F32_FTZ || t->map.type == PX_TENSOR_TF32_FTZ;
    uint8_t row[ROW_MOST];
    struct px_tensor_walk w;
    struct px_tensor_row r;
    for (px_tensor_begin(&w, t); px_tensor_next(&w, &r);) {
        fill(t, row, 0, r.from);
        if (r.from < r.to)
            px_bulk_get(row + r.from * t->element, place_of(t, &r), (r.to - r.from) * t->element);
        fill(t, row, r.to, t->row / t->element);
        if (flushes) flush(row + r.from * t->element, (r.to - r.from) * t->element);
        put_row(b, shared, r.at, row);
    }
}

/* What lies outside is not written. */
static void store(const struct px_bulk *b, uint8_t *shared)
{
    const struct px_tensor *t = b->tensor;
    uint8_t row[ROW_MOST];
    struct px_tensor_walk w;
    struct px_tensor_row r;
    for (px_tensor_begin(&w, t); px_tensor_next(&w, &r);) {
        if (r.from == r.to) continue;
        get_row(b, shared, r.at, row);
        const uint8_t *from = row + r.from * t->element;
        const uint32_t bytes = (r.to - r.from) * t->element;
        if (b->reduction.rows)
            px_bulk_reduce(&b->reduction, place_of(t, &r), from, bytes, false);
        else
            px_bulk_put(place_of(t, &r), from, bytes);
    }
}

/* ---- operands ---- */

static bool refuse(const struct px_bulk_lane *l, uint64_t va, const char *why)
{
    px_gang_trap(l->g, l->in, l->lane, PX_CUDA_ILLEGAL_INSTRUCTION, va, "tensor map at 0x%llx: %s",
                 (unsigned long long)va, why);
    return false;
}

/* Dimensions that the instruction says. */
static uint32_t rank_of(const struct px_match *match)
{
    static const px_word dims[] = {PX_W_1d, PX_W_2d, PX_W_3d, PX_W_4d, PX_W_5d};
    for (uint32_t i = 0; i < PX_TENSOR_RANK; i++)
        if (px_match_has(match, dims[i])) return i + 1;
    return 0;
}

static enum px_tensor_shape shape_of(const struct px_match *match)
{
    if (px_match_has(match, PX_W_tile__gather4) || px_match_has(match, PX_W_tile__scatter4))
        return PX_SHAPE_ROWS;
    return px_match_has(match, PX_W_im2col) || px_match_has(match, PX_W_im2col_no_offs) ? PX_SHAPE_IM2COL
                                                                                        : PX_SHAPE_TILE;
}

/* Coordinates that stand behind the map. */
static uint32_t coordinates_of(const struct px_match *match)
{
    return shape_of(match) == PX_SHAPE_ROWS ? PX_TENSOR_RANK : rank_of(match);
}

/* Why the map cannot be used by the instruction; NULL: it can. */
static const char *refusal(const struct px_tensor *t, const struct px_match *match)
{
    const struct px_tensor_map *m = &t->map;
    const bool pixels = t->shape == PX_SHAPE_IM2COL;
    if (m->rank != rank_of(match)) return "it has another number of dimensions than the instruction";
    if (m->mode != (pixels ? PX_TENSOR_IM2COL : PX_TENSOR_TILED))
        return pixels ? "it is of no im2col mode" : "it is of an im2col mode";
    if (!t->element) return "its elements are packed, which cannot be run yet";
    if (m->interleave) return "it is interleaved: how that addresses memory is not published";
    if (m->swizzle > PX_SWIZZLE_128 || m->atom > PX_ATOM_32 || (m->atom && m->swizzle != PX_SWIZZLE_128))
        return "its swizzle cannot be run yet";
    if (t->shape == PX_SHAPE_ROWS && m->box[1] != 1) return "its box has more than one row";
    if (!t->row || t->row % CHUNK || t->row > ROW_MOST) return "its rows are no multiple of 16 bytes";
    return NULL;
}

static void measure(struct px_tensor *t)
{
    const struct px_tensor_map *m = &t->map;
    t->element = px_tensor_element((enum px_tensor_type)m->type);
    t->row = t->element * (t->shape == PX_SHAPE_IM2COL ? m->channels : m->box[0]);
    t->rows = t->shape == PX_SHAPE_ROWS ? 4 : t->shape == PX_SHAPE_IM2COL ? m->pixels : 1;
    for (uint32_t i = 1; t->shape == PX_SHAPE_TILE && i < m->rank; i++) {
        const uint32_t step = m->step[i] ? m->step[i] : 1;
        t->rows *= (m->box[i] + step - 1) / step;
    }
}

/* Operand `operand` is the map, the coordinates behind it. */
static bool take_map(const struct px_bulk_lane *l, uint32_t operand, struct px_bulk *b)
{
    const uint64_t va = px_bulk_word(l, operand);
    uint8_t *host, bytes[PX_TENSOR_MAP_BYTES];
    if (!px_bulk_find(l, PX_SPACE_NONE, va, sizeof bytes, MAP_ALIGN, &host)) return false;
    struct px_tensor *t = b->tensor = px_zalloc(l->g->cta->alloc, sizeof *t);
    if (!t)
        return px_gang_trap(l->g, l->in, l->lane, PX_CUDA_OUT_OF_MEMORY, 0,
                            "the host has no memory left for pending copies"),
               false;
    px_bulk_get(bytes, host, sizeof bytes);
    if (!px_tensor_map_unpack(bytes, &t->map)) return refuse(l, va, "nothing of this library made it");
    t->shape = shape_of(l->match);
    for (uint32_t i = 0; i < coordinates_of(l->match); i++)
        t->at[i] = (int32_t)px_bulk_size(l, operand + 1 + i);
    measure(t);
    const char *why = refusal(t, l->match);
    b->bytes = why ? 0 : t->row * t->rows;
    return why ? refuse(l, va, why) : true;
}

/* The part of global memory that the copy reaches, of which all must be one allocation's. */
static bool take_global(const struct px_bulk_lane *l, struct px_bulk *b, unsigned how)
{
    struct px_tensor *t = b->tensor;
    struct px_tensor_walk w;
    struct px_tensor_row r;
    uint64_t lo = UINT64_MAX, hi = 0;
    uint8_t *host;
    for (px_tensor_begin(&w, t); px_tensor_next(&w, &r);) {
        const uint64_t end = r.address + (uint64_t)(r.to - r.from) * t->element;
        if (r.from == r.to) continue;
        if (r.address < lo) lo = r.address;
        if (end > hi) hi = end;
    }
    if (!hi) return true;
    if (!px_bulk_find(l, PX_SPACE_GLOBAL, lo, hi - lo, 1, &host)) return false;
    t->first = lo;
    t->host = host;
    if (!px_operands(l->g, l->in)->told) return true;
    for (px_tensor_begin(&w, t); px_tensor_next(&w, &r);)
        if (r.from < r.to)
            px_bulk_tell(l, l->g->cta, PTX_COUNT_GLOBAL, r.address, (uint64_t)(r.to - r.from) * t->element,
                         how);
    return true;
}

/* A swizzle may reach all of the last 128 bytes. */
static bool take_shared(const struct px_bulk_lane *l, uint32_t operand, bool cluster, struct px_bulk *b)
{
    const uint32_t bytes = b->bytes;
    if (b->tensor->map.swizzle) b->bytes = (bytes + LINE - 1) / LINE * LINE;
    const bool found = px_bulk_shared(l, operand, cluster, LINE, b);
    b->bytes = bytes;
    return found;
}

/* [d], [map, c], [mbar], offsets of im2col, a mask of blocks. */
static bool fill_load(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const bool cluster = px_match_has(l->match, PX_W_shared__cluster);
    uint32_t next = 2 + coordinates_of(l->match);
    b->move = load;
    if (!take_map(l, 1, b) || !take_shared(l, 0, cluster, b) || !px_bulk_barrier(l, next++, cluster, b))
        return false;
    for (uint32_t i = 0; b->tensor->shape == PX_SHAPE_IM2COL && i + 2u < b->tensor->map.rank; i++)
        b->tensor->offset[i] = px_bulk_half(l, next++);
    return take_global(l, b, PTX_TRACE_READ) && px_bulk_blocks(l, next, b);
}

/* [map, c], [a] */
static bool fill_store(const struct px_bulk_lane *l, struct px_bulk *b)
{
    b->grouped = b->reads_shared = true;
    b->move = store;
    return take_map(l, 0, b) && take_shared(l, 1 + coordinates_of(l->match), false, b) &&
           take_global(l, b, PTX_TRACE_WRITE);
}

/* Elements as .op takes them: bits by their size. */
static enum px_type reduced_type(const struct px_tensor *t, px_word op)
{
    static const uint8_t types[] = {
        [PX_TENSOR_U32] = PX_T_U32,     [PX_TENSOR_S32] = PX_T_S32, [PX_TENSOR_U64] = PX_T_U64,
        [PX_TENSOR_S64] = PX_T_S64,     [PX_TENSOR_F16] = PX_T_F16, [PX_TENSOR_F32] = PX_T_F32,
        [PX_TENSOR_F32_FTZ] = PX_T_F32, [PX_TENSOR_F64] = PX_T_F64, [PX_TENSOR_BF16] = PX_T_BF16};
    if (op == PX_W_and || op == PX_W_or || op == PX_W_xor)
        return t->element == 4 ? PX_T_B32 : t->element == 8 ? PX_T_B64 : PX_T_NONE;
    return t->map.type < sizeof types ? (enum px_type)types[t->map.type] : PX_T_NONE;
}

static bool fill_reduce(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const px_word op = px_match_slot(l->match, PX_W_op);
    if (!fill_store(l, b)) return false;
    if (px_bulk_reduction(l->g, op, reduced_type(b->tensor, op), true, &b->reduction)) return true;
    return refuse(l, px_bulk_word(l, 0), "its elements cannot be reduced by this operation");
}

PX_NAMED_HANDLER_OF(tensor_load)
{
    return px_bulk_issue(g, in, "tensor copy", fill_load);
}

PX_NAMED_HANDLER_OF(tensor_store)
{
    return px_bulk_issue(g, in, "tensor copy", fill_store);
}

PX_NAMED_HANDLER_OF(tensor_reduce)
{
    return px_bulk_issue(g, in, "tensor copy", fill_reduce);
}
