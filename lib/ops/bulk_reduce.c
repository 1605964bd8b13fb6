/*
 * bulk_reduce.c - reductions of bulk copies: element by element what red does with one, in ascending order of
 * addresses (PTX ISA 9.7.9.25.4.2).
 *
 * Each element is one atomic operation on global memory; shared memory belongs to one worker.
 */
#include "gen/isa_words.h"
#include "ops/atom_ops.h"
#include "ops/bulk.h"

/* Of the halves in the order of PX_ATOM_HALVES. */
#define HALF_ROW(op, kind, T, ...) {PX_W_##op, PX_T_##kind, 0, sizeof(T)},
static const struct row {
    px_word op;
    enum px_type type;
    uint8_t rows, bytes;
} halves[] = {PX_ATOM_HALVES(HALF_ROW)},
  rows[] = {{PX_W_add, PX_T_U32, PX_ROWS_add32, 4},  {PX_W_add, PX_T_S32, PX_ROWS_add32, 4},
            {PX_W_add, PX_T_U64, PX_ROWS_add64, 8},  {PX_W_add, PX_T_S64, PX_ROWS_add64, 8},
            {PX_W_add, PX_T_F32, PX_ROWS_addf32, 4}, {PX_W_add, PX_T_F64, PX_ROWS_addf64, 8},
            {PX_W_and, PX_T_B32, PX_ROWS_and32, 4},  {PX_W_and, PX_T_B64, PX_ROWS_and64, 8},
            {PX_W_or, PX_T_B32, PX_ROWS_or32, 4},    {PX_W_or, PX_T_B64, PX_ROWS_or64, 8},
            {PX_W_xor, PX_T_B32, PX_ROWS_xor32, 4},  {PX_W_xor, PX_T_B64, PX_ROWS_xor64, 8},
            {PX_W_inc, PX_T_U32, PX_ROWS_inc32, 4},  {PX_W_dec, PX_T_U32, PX_ROWS_dec32, 4},
            {PX_W_min, PX_T_U32, PX_ROWS_minu32, 4}, {PX_W_min, PX_T_S32, PX_ROWS_mins32, 4},
            {PX_W_min, PX_T_U64, PX_ROWS_minu64, 8}, {PX_W_min, PX_T_S64, PX_ROWS_mins64, 8},
            {PX_W_max, PX_T_U32, PX_ROWS_maxu32, 4}, {PX_W_max, PX_T_S32, PX_ROWS_maxs32, 4},
            {PX_W_max, PX_T_U64, PX_ROWS_maxu64, 8}, {PX_W_max, PX_T_S64, PX_ROWS_maxs64, 8}};

static const struct row *find(const struct row *list, size_t n, px_word op, enum px_type type)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].op == op && list[i].type == type) return &list[i];
    return NULL;
}

bool px_bulk_reduction(const struct px_gang *g, px_word op, enum px_type type, bool global,
                       struct px_reduction *r)
{
    const struct row *half = find(halves, sizeof halves / sizeof *halves, op, type);
    const struct row *row = half ? half : find(rows, sizeof rows / sizeof *rows, op, type);
    if (!row) return false;
    const uint32_t number = half ? PX_ROWS_half + (uint32_t)(half - halves) : row->rows;
    *r = (struct px_reduction){&g->level->atoms[number], row->bytes, global};
    return true;
}

#define REPLACE(T)                                                                                           \
    do {                                                                                                     \
        T old = __atomic_load_n((T *)(void *)to, __ATOMIC_RELAXED), now;                                     \
        do {                                                                                                 \
            now = old;                                                                                       \
            r->rows->chain(&now, from, NULL, NULL, 1, r->ftz);                                               \
        } while (!__atomic_compare_exchange_n((T *)(void *)to, &old, now, true, __ATOMIC_SEQ_CST,            \
                                              __ATOMIC_RELAXED));                                            \
    } while (0)

static PX_RACY void reduce_one(const struct px_reduction *r, uint8_t *to, const uint8_t *from)
{
    if (r->bytes == 2)
        REPLACE(uint16_t);
    else if (r->bytes == 4)
        REPLACE(uint32_t);
    else
        REPLACE(uint64_t);
}

void px_bulk_reduce(const struct px_reduction *r, uint8_t *to, const uint8_t *from, uint32_t bytes,
                    bool shared)
{
    for (uint32_t i = 0; i < bytes; i += r->bytes)
        if (shared)
            r->rows->chain(to + i, from + i, NULL, NULL, 1, r->ftz);
        else
            reduce_one(r, to + i, from + i);
}
