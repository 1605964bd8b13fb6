/*
 * local.c - loads and stores of local memory whose lanes name different places (arrays that are indexed).
 *
 * Local memory is interleaved by words: word k of lane i is word k * width + i. Nobody else reaches it, so
 * an access may be made element by element, and an element of 8 or 16 bytes word by word. One pass turns
 * addresses into places and looks whether all are fine; a loop for each kind of element follows.
 */
#include "isa/isa.h"
#include "mem/mem.h"
#include "ops/local.h"
#include "ops/row.h"

struct places {
    uint32_t at[PX_LANES_MAX]; /* of the lane's unit: bytes from the gang's local memory */
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

/* (While a loop runs narrowed lanes are elsewhere; generic addresses name the lane, too, and are not for here
 * then.) */
static bool find_places(const struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                        uint32_t size, struct places *p)
{
    const bool generic = in->space == PX_SPACE_NONE, scalar = in->flags & PX_INSN_SCALAR_A;
    const uint64_t top = g->running->local_top, *a = PX_ROW(g, uint64_t, in->a);
    const uint32_t n = g->n & ~31u;
    uint64_t all[PX_LANES_MAX];
    struct px_local_shape s = {
        .add = in->imm, .mask = UINT32_MAX, .room = top - size, .low = in->bytes - 1u, .width = g->width};
    if (generic ? g->narrow : in->space != PX_SPACE_LOCAL) return false;
    if (top < size || in->bytes < (size < 4 ? size : 4)) return false;
    if (generic) {
        if (px_window_of(px_address(g, in, px_lanes_first(lanes))) != PX_WIN_LOCAL) return false;
        s.mask = UINT64_MAX;
        s.less = px_local_base(g->cta->local_owner, g->first);
        s.step = px_local_base(0, 1) - px_local_base(0, 0);
    }
    for (uint32_t i = 0; scalar && i < n; i++) all[i] = *a;
    return g->level->local_places(p->at, scalar ? all : a, PX_ROW(g, uint32_t, in->m),
                                  g->narrow ? g->worker->narrow.lane : NULL, n, &s);
}

/* Where byte `skip` of a unit lies, as a place of the gang's local memory to which that of the unit is added:
 * units are aligned, so that what is left of a word is in it. */
static uint8_t *local_from(const struct px_gang *g, uint32_t skip)
{
    return g->local + (size_t)(skip >> 2) * g->width * 4 + (skip & 3);
}

#define LOAD(TD, TS)                                                                                         \
    {                                                                                                        \
        EACH_LANE(((TD *)(void *)row)[lane] = (TD)(*(const TS *)(const void *)(local + at[lane])))           \
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

/* Elements of 8 or 16 bytes, word by word. */
static void load_words(uint8_t *row, uint8_t *local, uint32_t width, const struct px_lanes *lanes,
                       const uint32_t *at, uint32_t words)
{
    uint32_t lane;
    PX_FOR_LANES(lane, *lanes)
    {
        const uint32_t *p = (const uint32_t *)(const void *)(local + at[lane]);
        uint32_t *d = (uint32_t *)(void *)row + (size_t)lane * words;
        for (uint32_t w = 0; w < words; w++) d[w] = p[(size_t)w * width];
    }
}

static void load_element(struct px_gang *g, const struct px_lanes *lanes, uint32_t n, uint8_t *row,
                         const uint32_t *at, uint32_t skip, struct px_form f)
{
    uint8_t *local = local_from(g, skip);
    const uint32_t width = g->width;
    uint32_t lane;
    switch (f.unit / f.parts) {
    case 1: LOAD_WIDE(uint8_t, int8_t) break;
    case 2: LOAD_WIDE(uint16_t, int16_t) break;
    case 4: LOAD_WIDE(uint32_t, int32_t) break;
    case 8: load_words(row, local, width, lanes, at, 2); break;
    default: load_words(row, local, width, lanes, at, 4); break;
    }
}

bool px_local_load(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                   const uint32_t to[4], struct px_form f)
{
    struct places p;
    if (!find_places(g, in, lanes, f.unit, &p)) return false;
    for (uint32_t k = 0; k < f.parts; k++)
        load_element(g, lanes, whole(g, in), g->frame + to[k], p.at, k * (f.unit / f.parts), f);
    return true;
}

/* Rows of elements are as wide as `wide` says, of which the lowest bytes are stored. */
#define STORE(TD, TS)                                                                                        \
    {                                                                                                        \
        EACH_LANE(*(TD *)(void *)(local + at[lane]) = (TD)((const TS *)(const void *)row)[lane])             \
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
                        const uint32_t *at, uint32_t words)
{
    uint32_t lane;
    PX_FOR_LANES(lane, *lanes)
    {
        uint32_t *p = (uint32_t *)(void *)(local + at[lane]);
        const uint32_t *b = (const uint32_t *)(const void *)row + (size_t)lane * words;
        for (uint32_t w = 0; w < words; w++) p[(size_t)w * width] = b[w];
    }
}

static void store_element(struct px_gang *g, const struct px_lanes *lanes, uint32_t n, const uint8_t *row,
                          const uint32_t *at, uint32_t skip, struct px_form f)
{
    uint8_t *local = local_from(g, skip);
    const uint32_t width = g->width;
    uint32_t lane;
    switch (f.unit / f.parts) {
    case 1: STORE_WIDE(uint8_t);
    case 2: STORE_WIDE(uint16_t);
    case 4: STORE_WIDE(uint32_t);
    case 8: store_words(row, local, width, lanes, at, 2); break;
    default: store_words(row, local, width, lanes, at, 4); break;
    }
}

bool px_local_store(struct px_gang *g, const struct px_insn *in, const struct px_lanes *lanes,
                    const uint32_t from[4], struct px_form f)
{
    struct places p;
    if (!find_places(g, in, lanes, f.unit, &p)) return false;
    for (uint32_t k = 0; k < f.parts; k++)
        store_element(g, lanes, whole(g, in), g->frame + from[k], p.at, k * (f.unit / f.parts), f);
    return true;
}
