/*
 * local.c - loads and stores of local memory whose lanes name different places (arrays that are indexed).
 *
 * Local memory is interleaved by words: word k of lane i is word k * width + i. Nobody else reaches it, so
 * an access may be made element by element, and an element of 8 or 16 bytes word by word. One pass turns
 * addresses into offsets and looks whether all are fine; a loop for each kind of element follows.
 */
#include "isa/isa.h"
#include "mem/mem.h"
#include "ops/local.h"
#include "ops/row.h"

struct offsets {
    uint32_t at[PX_LANES_MAX]; /* of the lane's element in its local memory */
};

/* The lanes of an access one after the other; without looking for them where all n of the gang are there. */
#define EACH_LANE(...)                                                                                       \
    if (n) {                                                                                                 \
        _Pragma("GCC unroll 4") for (lane = 0; lane < n; lane++) __VA_ARGS__;                                \
    } else {                                                                                                 \
        PX_FOR_LANES(lane, *lanes) __VA_ARGS__;                                                              \
    }

static uint32_t whole(const struct px_gang *g, const struct px_insn *in)
{
    return g->full && !in->m ? g->n : 0;
}

static bool find_offsets(const struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                         uint32_t size, struct offsets *o)
{
    const bool generic = in->space == PX_SPACE_NONE, scalar = in->flags & PX_INSN_SCALAR_A;
    const uint64_t top = g->running->local_top, imm = in->imm, *a = PX_ROW(g, uint64_t, in->a);
    const uint64_t step = generic ? px_local_base(0, 1) - px_local_base(0, 0) : 0;
    const uint64_t less = generic ? px_local_base(g->cta->slot, g->first) : 0;
    const uint64_t narrow = generic ? UINT64_MAX : UINT32_MAX;
    const uint32_t n = scalar ? 0 : whole(g, in);
    uint64_t all = 0, most = 0;
    uint32_t lane;
    if ((!generic && in->space != PX_SPACE_LOCAL) || top < size) return false;
    if (generic && px_window_of(px_address(g, in, px_lanes_first(lanes))) != PX_WIN_LOCAL) return false;
    EACH_LANE({
        const uint64_t offset = ((a[scalar ? 0 : lane] + imm) & narrow) - less - lane * step;
        most = offset > most ? offset : most;
        all |= offset;
        o->at[lane] = (uint32_t)offset;
    })
    return most <= top - size && !(all & (in->bytes - 1u));
}

/* Where byte `offset` of a lane's local memory lies. */
static inline uint8_t *place(uint8_t *local, uint32_t width, uint32_t lane, uint32_t offset)
{
    return local + ((size_t)(offset >> 2) * width + lane) * 4 + (offset & 3);
}

#define LOAD(TD, TS)                                                                                         \
    {                                                                                                        \
        EACH_LANE(((TD *)(void *)row)[lane] =                                                                \
                      (TD)(*(const TS *)(const void *)place(local, width, lane, at[lane] + skip)))           \
    }

#define LOAD_WIDE(U, S)                                                                                      \
    switch (f.wide) {                                                                                        \
    case 2:                                                                                                  \
        if (f.sign)                                                                                          \
            LOAD(int16_t, S)                                                                                 \
        else                                                                                                 \
            LOAD(uint16_t, U)                                                                                \
        break;                                                                                               \
    case 4:                                                                                                  \
        if (f.sign)                                                                                          \
            LOAD(int32_t, S)                                                                                 \
        else                                                                                                 \
            LOAD(uint32_t, U)                                                                                \
        break;                                                                                               \
    default:                                                                                                 \
        if (f.sign)                                                                                          \
            LOAD(int64_t, S)                                                                                 \
        else                                                                                                 \
            LOAD(uint64_t, U)                                                                                \
        break;                                                                                               \
    }

/* Words `skip` and on of 8 or 16 bytes: each is one of the row's. */
static void load_words(uint8_t *row, uint8_t *local, uint32_t width, const struct px_lanes *lanes,
                       const uint32_t *at, uint32_t skip, uint32_t words)
{
    uint32_t lane;
    PX_FOR_LANES(lane, *lanes)
    {
        const uint32_t *p = (const uint32_t *)(const void *)place(local, width, lane, at[lane] + skip);
        uint32_t *d = (uint32_t *)(void *)row + (size_t)lane * words;
        for (uint32_t w = 0; w < words; w++) d[w] = p[(size_t)w * width];
    }
}

static void load_element(struct px_gang *g, const struct px_lanes *lanes, uint32_t n, uint8_t *row,
                         const uint32_t *at, uint32_t skip, struct px_form f)
{
    uint8_t *local = g->local;
    const uint32_t width = g->width;
    uint32_t lane;
    switch (f.unit / f.parts) {
    case 1: LOAD_WIDE(uint8_t, int8_t) break;
    case 2: LOAD_WIDE(uint16_t, int16_t) break;
    case 4: LOAD_WIDE(uint32_t, int32_t) break;
    case 8: load_words(row, local, width, lanes, at, skip, 2); break;
    default: load_words(row, local, width, lanes, at, skip, 4); break;
    }
}

bool px_local_load(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                   const uint32_t to[4], struct px_form f)
{
    struct offsets o;
    if (!find_offsets(g, in, lanes, f.unit, &o)) return false;
    for (uint32_t k = 0; k < f.parts; k++)
        load_element(g, lanes, whole(g, in), g->frame + to[k], o.at, k * (f.unit / f.parts), f);
    return true;
}

/* Rows of elements are as wide as `wide` says, of which the lowest bytes are stored. */
#define STORE(TD, TS)                                                                                        \
    {                                                                                                        \
        EACH_LANE(*(TD *)(void *)place(local, width, lane, at[lane] + skip) =                                \
                      (TD)((const TS *)(const void *)row)[lane])                                             \
    }

#define STORE_WIDE(T)                                                                                        \
    if (f.wide == 2)                                                                                         \
        STORE(T, uint16_t)                                                                                   \
    else if (f.wide == 4)                                                                                    \
        STORE(T, uint32_t)                                                                                   \
    else                                                                                                     \
        STORE(T, uint64_t)                                                                                   \
    break

static void store_words(const uint8_t *row, uint8_t *local, uint32_t width, const struct px_lanes *lanes,
                        const uint32_t *at, uint32_t skip, uint32_t words)
{
    uint32_t lane;
    PX_FOR_LANES(lane, *lanes)
    {
        uint32_t *p = (uint32_t *)(void *)place(local, width, lane, at[lane] + skip);
        const uint32_t *b = (const uint32_t *)(const void *)row + (size_t)lane * words;
        for (uint32_t w = 0; w < words; w++) p[(size_t)w * width] = b[w];
    }
}

static void store_element(struct px_gang *g, const struct px_lanes *lanes, uint32_t n, const uint8_t *row,
                          const uint32_t *at, uint32_t skip, struct px_form f)
{
    uint8_t *local = g->local;
    const uint32_t width = g->width;
    uint32_t lane;
    switch (f.unit / f.parts) {
    case 1: STORE_WIDE(uint8_t);
    case 2: STORE_WIDE(uint16_t);
    case 4: STORE_WIDE(uint32_t);
    case 8: store_words(row, local, width, lanes, at, skip, 2); break;
    default: store_words(row, local, width, lanes, at, skip, 4); break;
    }
}

bool px_local_store(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                    const uint32_t from[4], struct px_form f)
{
    struct offsets o;
    if (!find_offsets(g, in, lanes, f.unit, &o)) return false;
    for (uint32_t k = 0; k < f.parts; k++)
        store_element(g, lanes, whole(g, in), g->frame + from[k], o.at, k * (f.unit / f.parts), f);
    return true;
}
