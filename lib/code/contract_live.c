/*
 * contract_live.c - which registers live at the end of each block, and what is computed for nobody.
 *
 * ptxas removes dead code before it contracts, so a reader that is dead itself
 * does not count: the sets are those of the faint-variable analysis, in which an
 * instruction without a live result reads nothing. Only registers that occur in
 * several blocks have a bit; inside a block a mark for each register will do.
 */
#include "match/registers.h"
#include "code/contract.h"

struct live {
    struct px_body *d;
    uint32_t *number, n; /* by register: its bit; how many */
    uint32_t *block;     /* by register: where it occurs, while that is one block */
    uint64_t **in, **out;
    bool *mark, *dead;           /* by register, by item */
    uint32_t *touched, ntouched; /* registers whose mark may be set in this block */
    uint32_t *round, now;        /* by register: the walk that touched it; this one */
    uint32_t *numbered;          /* by bit: the register */
    const struct px_term *item;
    bool wanted;
};

static void give_number(struct live *l, uint32_t reg)
{
    if (l->number[reg] != PX_NONE32) return;
    l->numbered[l->n] = reg;
    l->number[reg] = l->n++;
}

static void note_block(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    uint32_t reg = o->symbol->index;
    (void)is_def;
    if (l->block[reg] == PX_NONE32) l->block[reg] = l->item->block;
    if (l->block[reg] != l->item->block) give_number(l, reg);
}

/* A register that a block may read before it writes it lives around a loop of that block: it gets a bit, too.
 */
static void note_loop(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    uint32_t reg = o->symbol->index;
    if (is_def && !l->item->inst->guard) l->mark[reg] = true;
    if (!l->mark[reg]) give_number(l, reg);
}

static void number_registers(struct live *l)
{
    struct px_body *d = l->d;
    for (uint32_t i = 0; i < px_body_registers(d); i++) l->number[i] = l->block[i] = PX_NONE32;
    for (int loop = 0; loop < 2; loop++)
        for (uint32_t i = 0; i < d->items.n; i++) {
            l->item = &d->items.at[i];
            for (int defs = 0; defs < 2; defs++)
                px_visit_registers(l->item->inst, &l->item->match, defs, loop ? note_loop : note_block, l);
        }
    memset(l->mark, 0, px_body_registers(d));
}

static void set_mark(struct live *l, uint32_t reg)
{
    if (l->round[reg] != l->now) l->touched[l->ntouched++] = reg;
    l->round[reg] = l->now;
    l->mark[reg] = true;
}

static void ask(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def) l->wanted |= l->mark[o->symbol->index];
}

/* A component of a vector leaves the others alive. */
static void end_life(void *user, const struct px_operand *o, bool is_def)
{
    struct live *l = user;
    if (is_def && !l->item->inst->guard && !o->has_selector) l->mark[o->symbol->index] = false;
}

static void begin_life(void *user, const struct px_operand *o, bool is_def)
{
    if (!is_def) set_mark(user, o->symbol->index);
}

static void step_back(struct live *l, uint32_t index)
{
    const struct px_term *item = l->item = &l->d->items.at[index];
    l->wanted = !px_contract_pure(item) && item->op != PX_OP_ld;
    if (!l->wanted) px_visit_registers(item->inst, &item->match, true, ask, l);
    l->dead[index] = !l->wanted;
    if (!l->wanted) return;
    px_visit_registers(item->inst, &item->match, true, end_life, l);
    px_visit_registers(item->inst, &item->match, false, begin_life, l);
}

static void add_set(struct live *l, uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i < (l->n + 63) / 64; i++) to[i] |= from[i];
}

static void leave_marks(struct live *l, const uint64_t *out)
{
    for (uint32_t i = 0; i < l->ntouched; i++) l->mark[l->touched[i]] = false;
    l->ntouched = 0;
    l->now++;
    for (uint32_t i = 0; i < (l->n + 63) / 64; i++)
        for (uint64_t bits = out[i]; bits; bits &= bits - 1)
            set_mark(l, l->numbered[i * 64 + (uint32_t)__builtin_ctzll(bits)]);
}

/* One block from its end to its beginning; true when more lives at its beginning than was known. */
static bool walk_block(struct live *l, uint32_t k)
{
    const struct px_flow_graph *g = &l->d->graph;
    const struct px_flow_block *b = &g->blocks[k];
    bool changed = false;
    for (uint32_t i = g->succ.first[k]; i < g->succ.first[k + 1]; i++)
        add_set(l, l->out[k], l->in[g->succ.to[i]]);
    leave_marks(l, l->out[k]);
    for (uint32_t i = b->n; i-- > 0;) step_back(l, b->first + i);
    for (uint32_t i = 0; i < l->ntouched; i++) {
        uint32_t n = l->number[l->touched[i]];
        if (!l->mark[l->touched[i]] || n == PX_NONE32) continue;
        changed |= !(l->in[k][n / 64] >> n % 64 & 1);
        l->in[k][n / 64] |= 1ull << n % 64;
    }
    return changed;
}

/* Results of a function in registers live where it returns, which no instruction shows. */
static void keep_results(struct live *l)
{
    const struct px_function *fn = l->d->fn;
    for (uint32_t i = 0; i < fn->func->nrets; i++)
        if (fn->rets[i]->kind == PX_SYM_REG) give_number(l, fn->rets[i]->index);
}

static void seed_results(struct live *l)
{
    const struct px_function *fn = l->d->fn;
    for (uint32_t i = 0; i < fn->func->nrets; i++) {
        if (fn->rets[i]->kind != PX_SYM_REG) continue;
        uint32_t n = l->number[fn->rets[i]->index];
        for (uint32_t k = 0; k < l->d->graph.n; k++) l->out[k][n / 64] |= 1ull << n % 64;
    }
}

void px_contract_liveness(struct px_body *d, struct px_contract_live *live)
{
    struct px_arena *arena = d->arena;
    uint32_t n = px_body_registers(d) + 1;
    struct live l = {.d = d,
                     .number = PX_NEW_N(arena, uint32_t, n),
                     .block = PX_NEW_N(arena, uint32_t, n),
                     .mark = PX_NEW_N(arena, bool, n),
                     .dead = PX_NEW_N(arena, bool, d->items.n + 1),
                     .touched = PX_NEW_N(arena, uint32_t, n),
                     .round = PX_NEW_N(arena, uint32_t, n),
                     .numbered = PX_NEW_N(arena, uint32_t, n),
                     .in = PX_NEW_N(arena, uint64_t *, d->graph.n),
                     .out = PX_NEW_N(arena, uint64_t *, d->graph.n)};
    number_registers(&l);
    keep_results(&l);
    for (uint32_t k = 0; k < d->graph.n; k++) {
        l.in[k] = PX_NEW_N(arena, uint64_t, l.n / 64 + 1);
        l.out[k] = PX_NEW_N(arena, uint64_t, l.n / 64 + 1);
    }
    seed_results(&l);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = d->graph.n; k-- > 0;) changed |= walk_block(&l, k);
    }
    *live = (struct px_contract_live){l.number, l.out, l.dead};
}
