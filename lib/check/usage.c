/*
 * usage.c - what the code of a kernel needs: live registers and barriers.
 *
 * The body is flattened into instructions and what each reads and writes;
 * lib/flow finds which registers are live behind every block and how many, and a
 * walk through each block the most that are live at one instruction. Code that
 * nothing leads to counts like any other. Everything is allocated from one arena
 * that dies with the question.
 */
#include "check/usage.h"
#include "check/ends.h"
#include "match/match.h"
#include "match/registers.h"
#include "flow/live.h"

/* Registers are counted in units (of 32 bits, or predicates): a class holds those of 2^k units. */
enum { MOST_BARRIERS = 16, SIZES = 6, CLASSES = 2 * SIZES };

struct named {
    uint32_t reg : 30, whole : 1, is_result : 1;
}; /* whole: no part of it stays */
struct item {
    const struct px_inst *inst;
    uint32_t first;
}; /* what it names: reads, then results */

struct usage {
    struct px_arena *arena;
    const struct px_function *function;
    PX_VEC(struct item) items; /* one more at the end */
    PX_VEC(struct named) named;
    struct px_ends ends;
    struct px_flow_graph graph;
    struct px_flow_live live;
    uint8_t *classes; /* by register */
    bool *alive;      /* by register: here, during the last walk */
    bool *idle;       /* by register: written here and never read */
    unsigned now[2];  /* units that are live at this place; predicates */
    ptx_usage *result;
};

/* ---- instructions ---- */

struct visitor {
    struct usage *u;
    bool guarded;
};

static void add_register(void *user, const struct px_operand *operand, bool is_result)
{
    const struct visitor *v = user;
    struct named named = {operand->symbol->index, !operand->has_selector && !v->guarded, is_result};
    px_vec_push(v->u->arena, &v->u->named, named);
}

static void add_inst(void *user, const struct px_inst *inst)
{
    struct usage *u = user;
    struct px_match match;
    struct visitor v = {u, inst->guard != NULL};
    const struct item item = {inst, u->named.n};
    px_vec_push(u->arena, &u->items, item);
    if (!px_match_inst(inst, &match)) return;
    px_visit_registers(inst, &match, false, add_register, &v);
    px_visit_registers(inst, &match, true, add_register, &v);
}

static bool ends_block(const struct px_inst *inst)
{
    const struct px_match match = {.form = px_form_at(inst->form)};
    return match.form && px_op_flags(px_match_op(&match)) & PX_OPERATION_ends;
}

static void build_graph(struct usage *u)
{
    const struct item last = {NULL, u->named.n};
    px_ends_begin(&u->ends, u->items.n);
    for (uint32_t i = 0; i < u->items.n; i++)
        if (ends_block(u->items.at[i].inst)) px_ends_add(&u->ends, u->items.at[i].inst, i, false);
    px_vec_push(u->arena, &u->items, last);
    px_flow_graph(&u->graph, u->arena, &u->ends.code);
}

/* ---- liveness ---- */

static uint8_t class_of(const struct px_reg *reg)
{
    const unsigned words = (px_type_info((enum px_type)reg->type)->bits + 31u) / 32,
                   n = reg->vec ? reg->vec : 1;
    const bool predicate = reg->type == PX_T_PRED;
    return (uint8_t)((predicate ? SIZES : 0) + __builtin_ctz(predicate ? n : n * words));
}

static void tell_block(struct usage *u, uint32_t block)
{
    const struct px_flow_block *b = &u->graph.blocks[block];
    for (uint32_t i = u->items.at[b->first].first; i < u->items.at[b->first + b->n].first; i++) {
        const struct named named = u->named.at[i];
        px_flow_live_name(&u->live, block, named.reg);
        if (!named.is_result)
            px_flow_live_read(&u->live, block, named.reg);
        else if (named.whole)
            px_flow_live_write(&u->live, block, named.reg);
    }
}

static void solve(struct usage *u)
{
    const uint32_t nregs = u->function->regs.n;
    uint32_t *order = PX_NEW_N(u->arena, uint32_t, u->graph.n);
    u->classes = PX_NEW_N(u->arena, uint8_t, nregs + 1);
    for (uint32_t i = 0; i < u->graph.n; i++) order[i] = i;
    for (uint32_t i = 0; i < nregs; i++) u->classes[i] = class_of(&u->function->regs.at[i]);
    px_flow_live_begin(&u->live, u->arena, &u->graph, order, u->graph.n, nregs);
    px_flow_live_count(&u->live, u->classes, CLASSES);
    for (uint32_t k = 0; k < u->graph.nblocks; k++) tell_block(u, k);
    px_flow_live(&u->live);
}

/* ---- counting ---- */

static void set_live(struct usage *u, uint32_t reg, bool live)
{
    const unsigned predicate = u->classes[reg] / SIZES, units = 1u << u->classes[reg] % SIZES;
    if (u->alive[reg] == live) return;
    u->now[predicate] = live ? u->now[predicate] + units : u->now[predicate] - units;
    u->alive[reg] = live;
}

static void keep_most(struct usage *u)
{
    if (u->now[0] > u->result->live_registers) u->result->live_registers = u->now[0];
    if (u->now[1] > u->result->live_predicates) u->result->live_predicates = u->now[1];
}

/* From the end to the beginning. A result needs its register even when nobody reads it. */
static void count_item(struct usage *u, const struct item *item)
{
    const struct named *first = u->named.at + item->first, *end = u->named.at + item[1].first, *read = first;
    while (read != end && !read->is_result) read++;
    for (const struct named *n = read; n != end; n++) {
        u->idle[n->reg] = !u->alive[n->reg];
        set_live(u, n->reg, true);
    }
    keep_most(u);
    for (const struct named *n = read; n != end; n++)
        if (n->whole || u->idle[n->reg]) set_live(u, n->reg, false);
    for (const struct named *n = first; n != read; n++) set_live(u, n->reg, true);
    keep_most(u);
}

/* `place`: of the first register that the block names; moved on to that of the next block. */
static void count_block(struct usage *u, uint32_t block, uint32_t *place)
{
    const struct px_flow_block *b = &u->graph.blocks[block];
    u->now[0] = u->now[1] = 0;
    for (unsigned c = 0; c < CLASSES; c++)
        u->now[c / SIZES] += u->live.counts[(size_t)block * CLASSES + c] << c % SIZES;
    for (; *place < u->live.places.n && u->live.places.at[*place].node == block; ++*place)
        u->alive[u->live.places.at[*place].reg] = u->live.places.at[*place].uses & PX_FLOW_BEHIND;
    keep_most(u);
    for (uint32_t i = b->n; i-- > 0;) count_item(u, &u->items.at[b->first + i]);
}

static void count_live(struct usage *u)
{
    uint32_t place = 0;
    u->alive = PX_NEW_N(u->arena, bool, u->function->regs.n + 1);
    u->idle = PX_NEW_N(u->arena, bool, u->function->regs.n + 1);
    for (uint32_t k = 0; k < u->graph.nblocks; k++) count_block(u, k, &place);
}

/* ---- barriers and calls ---- */

/* The operand that chooses the barrier: the first that is read; NULL for what meets no numbered barrier. */
static const struct px_operand *barrier_of(const struct px_inst *inst)
{
    struct px_match match;
    if (!px_opcode_quirk(inst->opcode->word, PX_Q_numbered_barrier) || !px_match_inst(inst, &match))
        return NULL;
    if (!px_match_quirk(&match, PX_Q_numbered_barrier, NULL)) return NULL;
    for (unsigned i = 0; i < inst->nopds; i++)
        if (!px_is_result(inst, &match, i)) return &inst->opds[i];
    return NULL;
}

static void count_barriers(struct usage *u)
{
    for (uint32_t i = 0; i < u->graph.ninsts; i++) {
        const struct px_inst *inst = u->items.at[i].inst;
        const struct px_operand *barrier = barrier_of(inst);
        unsigned n = !barrier ? 0 : MOST_BARRIERS;
        if (barrier && barrier->kind == PX_O_INT && barrier->u.i < MOST_BARRIERS)
            n = (unsigned)barrier->u.i + 1;
        if (n > u->result->barriers) u->result->barriers = n;
        u->result->has_calls |= inst->opcode->word == PX_W_call;
    }
}

void px_usage(struct px_arena *arena, const struct px_function *function, ptx_usage *result)
{
    struct usage u = {.arena = arena, .function = function, .result = result, .ends.arena = arena};
    *result = (ptx_usage){0};
    px_ends_body(&u.ends, function->func->body, add_inst, &u);
    build_graph(&u);
    solve(&u);
    count_live(&u);
    count_barriers(&u);
}
