/*
 * ends.c - finds labels and tables by their place in the text.
 *
 * A table is listed when the first branch names it.
 */
#include "check/ends.h"

void px_ends_body(struct px_ends *ends, const struct px_block *body,
                  void (*add)(void *user, const struct px_inst *inst), void *user)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const struct px_stmt *stmt = body->list[i];
        const struct px_label_at label = {stmt->pos, ends->n};
        if (stmt->kind == PX_S_LABEL) px_vec_push(ends->arena, &ends->labels, label);
        if (stmt->kind == PX_S_TARGETS) px_vec_push(ends->arena, &ends->tables, stmt);
        if (stmt->kind == PX_S_BLOCK) px_ends_body(ends, &stmt->u.block, add, user);
        if (stmt->kind != PX_S_INST) continue;
        add(user, &stmt->u.inst);
        ends->n++;
    }
}

void px_ends_begin(struct px_ends *ends, uint32_t n)
{
    const struct px_flow_table none = {NULL, 0};
    ends->code.n = n;
    for (uint32_t i = 0; i < ends->tables.n; i++) px_vec_push(ends->arena, &ends->code.tables, none);
}

/* PX_FLOW_NONE: it is no label of this body. Labels are numbered block by block, so mostly in text order. */
static uint32_t item_of_label(const struct px_ends *ends, const struct px_symbol *symbol)
{
    uint32_t low = 0, high = ends->labels.n;
    if (!symbol || symbol->kind != PX_SYM_LABEL) return PX_FLOW_NONE;
    if (symbol->index < high && ends->labels.at[symbol->index].pos == symbol->pos)
        return ends->labels.at[symbol->index].item;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        const struct px_label_at *label = &ends->labels.at[middle];
        if (label->pos == symbol->pos) return label->item;
        if (label->pos < symbol->pos)
            low = middle + 1;
        else
            high = middle;
    }
    return PX_FLOW_NONE;
}

static uint32_t number_of_table(const struct px_ends *ends, const struct px_stmt *table)
{
    uint32_t low = 0, high = ends->tables.n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (ends->tables.at[middle]->pos < table->pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t target_of(struct px_ends *ends, const struct px_inst *inst, const struct px_symbol *symbol)
{
    const uint32_t item = item_of_label(ends, symbol);
    if (item == PX_FLOW_NONE && !ends->astray) ends->astray = inst;
    return item;
}

static uint64_t count_targets(const struct px_ends *ends, const struct px_stmt *table)
{
    uint64_t n = table->u.targets.n;
    for (uint32_t i = 0; ends->any_label && i < table->u.targets.n; i++)
        if (!table->u.targets.list[i].symbol) n += ends->labels.n;
    return n;
}

static void list_table(struct px_ends *ends, const struct px_inst *inst, const struct px_stmt *stmt,
                       uint32_t number)
{
    const uint64_t most = count_targets(ends, stmt);
    ends->too_many |= ends->any_label && px_flow_too_many(ends->listed += most, ends->code.n);
    if (ends->too_many) return;
    uint32_t *targets = PX_NEW_N(ends->arena, uint32_t, most + 1), n = 0;
    for (uint32_t i = 0; i < stmt->u.targets.n; i++) {
        const uint32_t item = target_of(ends, inst, stmt->u.targets.list[i].symbol);
        if (item != PX_FLOW_NONE || !ends->any_label)
            targets[n++] = item != PX_FLOW_NONE ? item : ends->code.n;
        for (uint32_t l = 0; item == PX_FLOW_NONE && ends->any_label && l < ends->labels.n; l++)
            targets[n++] = ends->labels.at[l].item;
    }
    ends->code.tables.at[number] = (struct px_flow_table){targets, n};
}

void px_ends_add(struct px_ends *ends, const struct px_inst *inst, uint32_t item, bool leaves)
{
    const bool jumps = px_opcode_in(inst->opcode->word, PX_SET_jump),
               switches = px_opcode_in(inst->opcode->word, PX_SET_switch), branches = jumps || switches;
    const struct px_symbol *table = switches && inst->nopds > 1 ? inst->opds[1].symbol : NULL;
    struct px_flow_end end = {item, PX_FLOW_NONE, PX_FLOW_NONE, inst->guard != NULL, leaves && !branches};
    if (jumps && inst->nopds) end.target = target_of(ends, inst, inst->opds[0].symbol);
    if (table && table->kind == PX_SYM_BRANCH_TARGETS) {
        end.table = number_of_table(ends, table->u.stmt);
        if (!ends->code.tables.at[end.table].targets) list_table(ends, inst, table->u.stmt, end.table);
    }
    px_vec_push(ends->arena, &ends->code.ends, end);
}
