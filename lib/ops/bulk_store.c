/*
 * bulk_store.c - st.async and red.async in clusters (PTX ISA 9.7.9.12, 9.7.13.8): registers that go to shared
 * memory of the cluster as bulk copies do, and complete at an mbarrier there.
 */
#include "ops/bulk.h"

static void store(const struct px_bulk *b, uint8_t *shared)
{
    memcpy(shared, b->value, b->bytes);
}

static void reduce(const struct px_bulk *b, uint8_t *shared)
{
    px_bulk_reduce(&b->reduction, shared, b->value, b->bytes, true);
}

/* [a], so many elements, [mbar] */
static bool fill_store(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const struct px_operands *o = px_operands(l->g, l->in);
    const enum px_type type = px_type_of_word(px_match_slot(l->match, PX_W_type));
    const uint32_t element = px_type_info(type)->bits / 8, n = o->n - 2;
    b->move = store;
    b->bytes = element * n;
    if (!px_match_has(l->match, PX_W_mbarrier__complete_tx__bytes) || !n || b->bytes > sizeof b->value) {
        px_gang_trap(l->g, l->in, l->lane, PX_CUDA_ILLEGAL_INSTRUCTION, 0, "%s without an mbarrier", l->what);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        memcpy(b->value + i * element, PX_ROW(l->g, uint8_t, o->row[1 + i]) + (size_t)l->lane * element,
               element);
    return px_bulk_in_cluster(l) && px_bulk_shared(l, 0, true, b->bytes, b) &&
           px_bulk_barrier(l, 1 + n, true, b);
}

static bool fill_reduce(const struct px_bulk_lane *l, struct px_bulk *b)
{
    const px_word op = px_match_slot(l->match, PX_W_op);
    const enum px_type type = px_type_of_word(px_match_slot(l->match, PX_W_type));
    return fill_store(l, b) && (b->move = reduce, px_bulk_reduction(l->g, op, type, false, &b->reduction));
}

PX_NAMED_HANDLER_OF(async_store)
{
    return px_bulk_issue(g, in, "asynchronous store", fill_store);
}

PX_NAMED_HANDLER_OF(async_reduce)
{
    return px_bulk_issue(g, in, "asynchronous reduction", fill_reduce);
}
