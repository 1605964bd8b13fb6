/* contract_body.c - the instructions of a body as a list, and its blocks, as the contraction sees them. */
#include "code/contract.h"

struct label {
    const struct px_stmt *stmt;
    uint32_t item; /* the first behind it */
};

struct walk {
    struct px_body *d;
    PX_VEC(struct label) labels; /* in text order */
    bool fine;
};

static bool bind(struct px_term *item, const struct px_inst *inst)
{
    item->inst = inst;
    item->opcode = inst->opcode->word;
    if (!px_match_inst(inst, &item->match)) return false;
    item->handler = px_match_handler(&item->match) >= 0;
    item->op = px_match_op(&item->match);
    return true;
}

struct px_term px_contract_make(struct px_body *d, const struct px_term *like, const px_word words[5],
                                const struct px_operand *operands, uint8_t n)
{
    struct px_term item = *like;
    bind(&item, px_make_inst(d->arena, like->inst, words, operands, n));
    return item;
}

static void add_inst(struct walk *w, const struct px_inst *inst)
{
    struct px_term item = {0};
    w->fine &= bind(&item, inst);
    px_vec_push(w->d->arena, &w->d->items, item);
}

static void add_block(struct walk *w, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *s = block->list[i];
        struct label label = {s, w->d->items.n};
        if (s->kind == PX_S_BLOCK) add_block(w, &s->u.block);
        if (s->kind == PX_S_INST) add_inst(w, &s->u.inst);
        if (s->kind == PX_S_LABEL) px_vec_push(w->d->arena, &w->labels, label);
    }
}

/* The item that a label stands before. */
static uint32_t item_of(struct walk *w, const struct px_symbol *symbol)
{
    if (symbol && symbol->kind == PX_SYM_LABEL)
        for (uint32_t lo = 0, hi = w->labels.n; lo < hi;) {
            uint32_t mid = (lo + hi) / 2;
            const struct label *l = &w->labels.at[mid];
            if (l->stmt == symbol->u.stmt) return l->item;
            if (l->stmt->pos < symbol->u.stmt->pos)
                lo = mid + 1;
            else
                hi = mid;
        }
    w->fine = false;
    return 0;
}

static uint32_t add_table(struct walk *w, struct px_flow_code *code, const struct px_operand *o)
{
    const struct px_stmt *s = o->symbol ? o->symbol->u.stmt : NULL;
    if (!s || s->kind != PX_S_TARGETS) return w->fine = false, PX_FLOW_NONE;
    uint32_t *targets = PX_NEW_N(w->d->arena, uint32_t, s->u.targets.n + 1);
    struct px_flow_table table = {targets, s->u.targets.n};
    for (uint32_t i = 0; i < table.n; i++) targets[i] = item_of(w, s->u.targets.list[i].symbol);
    px_vec_push(w->d->arena, &code->tables, table);
    return code->tables.n - 1;
}

static void add_end(struct walk *w, struct px_flow_code *code, uint32_t i)
{
    const struct px_term *item = &w->d->items.at[i];
    struct px_flow_end end = {i, PX_FLOW_NONE, PX_FLOW_NONE, item->inst->guard != NULL, false};
    switch (item->op) {
    case PX_OP_bra: end.target = item_of(w, item->inst->opds[0].symbol); break;
    case PX_OP_brx: end.table = add_table(w, code, &item->inst->opds[1]); break;
    case PX_OP_ret:
    case PX_OP_exit:
    case PX_OP_trap: end.leaves = true; break;
    default: return;
    }
    px_vec_push(w->d->arena, &code->ends, end);
}

static void fold(struct walk *w)
{
    struct px_body *d = w->d;
    uint32_t *places = PX_NEW_N(d->arena, uint32_t, w->labels.n + 1);
    for (uint32_t i = 0; i < w->labels.n; i++) places[i] = w->labels.at[i].item;
    d->ntext = d->items.n;
    px_contract_constants(d);
    px_contract_fold(d, places, w->labels.n);
    for (uint32_t i = 0; d->folded && i < w->labels.n; i++) w->labels.at[i].item = d->folded[places[i]];
}

bool px_contract_body(struct px_body *d, struct px_irfn *f, bool contracts)
{
    *d = (struct px_body){.f = f, .arena = f->coder->scratch, .fn = f->fn, .contracts = contracts};
    struct walk w = {.d = d, .fine = true};
    struct px_flow_code code = {0};
    add_block(&w, f->fn->func->body);
    if (!w.fine || !d->items.n) return false;
    fold(&w);
    code.n = d->items.n;
    for (uint32_t i = 0; w.fine && i < d->items.n; i++) add_end(&w, &code, i);
    if (!w.fine) return false;
    px_flow_graph(&d->graph, d->arena, &code);
    for (uint32_t i = 0; i < d->items.n; i++) d->items.at[i].block = d->graph.node_of[i];
    return true;
}
