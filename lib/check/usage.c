/*
 * usage.c - what the code of a kernel needs: live registers and barriers.
 *
 * Instructions in text order make basic blocks; a backward data-flow analysis
 * finds the registers live at the borders of blocks, and a walk through every
 * block the most that are live at one instruction. Only registers that some
 * block reads before it writes them can cross a border, so only these get a bit
 * in the sets; in compiled code they are few. A table of branch targets is an
 * empty block behind those that branch through it, so that many branches through
 * one large table cost no more than both. Everything is allocated from one arena
 * that dies with the question.
 */
#include "check/usage.h"
#include <string.h>
#include "check/registers.h"

enum { NO_BIT = UINT32_MAX, MOST_BARRIERS = 16 };

struct block {
    uint32_t first, n;        /* items */
    uint32_t next;            /* block that control falls into; NO_BIT: none */
    uint32_t *targets, ntargets;
    uint64_t *reads, *writes, *in; /* sets: read before written, written, live at the start */
};

struct register_state {
    uint32_t bit;   /* in the sets; NO_BIT: never crosses a border */
    uint32_t block; /* in which it was last written wholly: a value of usage.now */
    bool live;      /* here, during the last walk */
    bool idle;      /* written here and never read */
};

struct usage {
    struct px_arena *arena;
    const struct px_function *function;
    PX_VEC(const struct px_inst *) items;
    PX_VEC(struct px_label_at { const struct px_stmt *stmt; uint32_t item; }) labels;
    PX_VEC(const struct px_stmt *) tables; /* .branchtargets: the last blocks */
    uint32_t *block_of;       /* by item; one more at the end */
    struct block *blocks;
    uint32_t ncode, nblocks; /* blocks of code and the end; with tables */
    uint32_t nbits, words;   /* words of a set of nbits */
    struct register_state *registers;
    struct block *block;      /* being walked */
    uint32_t now;             /* a number for it in this walk */
    uint64_t *out;            /* set: live behind a block */
    unsigned live, live_predicates; /* at this place */
    ptx_usage *result;
};

/* ---- instructions, labels, blocks ---- */

static void flatten(struct usage *u, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *stmt = block->list[i];
        struct px_label_at label = {stmt, u->items.n};
        if (stmt->kind == PX_S_INST) px_vec_push(u->arena, &u->items, &stmt->u.inst);
        if (stmt->kind == PX_S_LABEL) px_vec_push(u->arena, &u->labels, label);
        if (stmt->kind == PX_S_TARGETS) px_vec_push(u->arena, &u->tables, stmt);
        if (stmt->kind == PX_S_BLOCK) flatten(u, &stmt->u.block);
    }
}

/* Labels stand in text order. */
static uint32_t item_of_label(const struct usage *u, const struct px_symbol *symbol)
{
    uint32_t low = 0, high = u->labels.n;
    if (!symbol || symbol->kind != PX_SYM_LABEL) return u->items.n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (u->labels.at[middle].stmt->pos < symbol->u.stmt->pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low < u->labels.n ? u->labels.at[low].item : u->items.n;
}

static bool ends_block(const struct px_inst *inst)
{
    const px_word word = inst->opcode->word;
    return word == PX_W_bra || word == PX_W_brx || word == PX_W_ret || word == PX_W_exit || word == PX_W_trap;
}

/* Tables stand in text order, too. */
static uint32_t block_of_table(const struct usage *u, const struct px_stmt *table)
{
    uint32_t low = 0, high = u->tables.n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (u->tables.at[middle]->pos < table->pos)
            low = middle + 1;
        else
            high = middle;
    }
    return u->ncode + low;
}

/* Where a branch goes: a label, or its table. False: nowhere. */
static bool branch_target(const struct usage *u, const struct px_inst *inst, uint32_t *target)
{
    const px_word word = inst->opcode->word;
    const struct px_symbol *table = word == PX_W_brx && inst->nopds > 1 ? inst->opds[1].symbol : NULL;
    if (word == PX_W_bra && inst->nopds)
        return *target = u->block_of[item_of_label(u, inst->opds[0].symbol)], true;
    if (table && table->kind == PX_SYM_BRANCH_TARGETS)
        return *target = block_of_table(u, table->u.stmt), true;
    return false;
}

static void find_blocks(struct usage *u)
{
    const uint32_t n = u->items.n;
    bool *leader = PX_NEW_N(u->arena, bool, n + 2);
    for (uint32_t i = 0; i < u->labels.n; i++) leader[u->labels.at[i].item] = true;
    for (uint32_t i = 0; i < n; i++)
        if (ends_block(u->items.at[i])) leader[i + 1] = true;
    leader[0] = true;
    u->block_of = PX_NEW_N(u->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i <= n; i++) u->block_of[i] = (u->nblocks += leader[i] || i == n) - 1;
    u->ncode = u->nblocks;
    u->nblocks += u->tables.n;
    u->blocks = PX_NEW_N(u->arena, struct block, u->nblocks);
    for (uint32_t i = 0; i < n; i++) {
        struct block *block = &u->blocks[u->block_of[i]];
        if (!block->n++) block->first = i;
    }
}

static void find_edges(struct usage *u)
{
    for (uint32_t k = 0; k + 1 < u->ncode; k++) {
        struct block *block = &u->blocks[k];
        const struct px_inst *last = u->items.at[block->first + block->n - 1];
        block->next = !ends_block(last) || last->guard ? k + 1 : NO_BIT;
        block->targets = PX_NEW(u->arena, uint32_t);
        block->ntargets = branch_target(u, last, block->targets);
    }
    u->blocks[u->ncode - 1].next = NO_BIT;
    for (uint32_t t = 0; t < u->tables.n; t++) {
        const struct px_stmt *table = u->tables.at[t];
        struct block *block = &u->blocks[u->ncode + t];
        *block = (struct block){.next = NO_BIT, .ntargets = table->u.targets.n};
        block->targets = PX_NEW_N(u->arena, uint32_t, block->ntargets + 1);
        for (uint32_t i = 0; i < block->ntargets; i++)
            block->targets[i] = u->block_of[item_of_label(u, table->u.targets.list[i].symbol)];
    }
}

/* ---- the registers of an instruction ---- */

typedef void visit_fn(struct usage *u, uint32_t reg, bool whole);

struct visitor { struct usage *u; visit_fn *fn; bool guarded; };

static void visit_register(void *user, const struct px_operand *operand, bool is_result)
{
    const struct visitor *v = user;
    (void)is_result;
    v->fn(v->u, operand->symbol->index, !operand->has_selector && !v->guarded);
}

/* Calls `fn` for every register that is written (results), or read; whole: no part of it stays. */
static void visit(struct usage *u, const struct px_inst *inst, bool results, visit_fn *fn)
{
    struct px_match match;
    struct visitor v = {u, fn, inst->guard != NULL};
    if (px_match_inst(inst, &match)) px_visit_registers(inst, &match, results, visit_register, &v);
}

/* ---- sets ---- */

static void assign_bit(struct usage *u, uint32_t reg, bool whole)
{
    struct register_state *state = &u->registers[reg];
    (void)whole;
    if (state->block != u->now && state->bit == NO_BIT) state->bit = u->nbits++;
}

static void note_write(struct usage *u, uint32_t reg, bool whole)
{
    if (whole) u->registers[reg].block = u->now;
}

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= (uint64_t)1 << bit % 64;
}

static void add_read(struct usage *u, uint32_t reg, bool whole)
{
    const struct register_state *state = &u->registers[reg];
    (void)whole;
    if (state->block != u->now) set_bit(u->block->reads, state->bit);
}

static void add_write(struct usage *u, uint32_t reg, bool whole)
{
    const struct register_state *state = &u->registers[reg];
    note_write(u, reg, whole);
    if (whole && state->bit != NO_BIT) set_bit(u->block->writes, state->bit);
}

/* Shows every instruction to `read` and then to `write`, block by block; u->now is a number of its own for
 * each. */
static void each_instruction(struct usage *u, visit_fn *read, visit_fn *write)
{
    for (uint32_t k = 0; k < u->nblocks; k++) {
        u->block = &u->blocks[k];
        u->now++;
        for (uint32_t i = 0; i < u->block->n; i++) {
            const struct px_inst *inst = u->items.at[u->block->first + i];
            visit(u, inst, false, read);
            visit(u, inst, true, write);
        }
    }
}

static void make_sets(struct usage *u)
{
    each_instruction(u, assign_bit, note_write);
    u->words = (u->nbits + 63) / 64;
    uint64_t *sets = PX_NEW_N(u->arena, uint64_t, (size_t)u->nblocks * u->words * 3 + u->words);
    for (uint32_t k = 0; k < u->nblocks; k++) {
        u->blocks[k].reads = sets + (size_t)k * u->words * 3;
        u->blocks[k].writes = u->blocks[k].reads + u->words;
        u->blocks[k].in = u->blocks[k].writes + u->words;
    }
    u->out = sets + (size_t)u->nblocks * u->words * 3;
    each_instruction(u, add_read, add_write);
}

static void add_set(uint64_t *to, const uint64_t *from, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++) to[w] |= from[w];
}

/* What is live behind the block, in u->out. */
static void gather_out(struct usage *u, const struct block *block)
{
    memset(u->out, 0, u->words * sizeof *u->out);
    if (block->next != NO_BIT) add_set(u->out, u->blocks[block->next].in, u->words);
    for (uint32_t i = 0; i < block->ntargets; i++) add_set(u->out, u->blocks[block->targets[i]].in, u->words);
}

static void solve(struct usage *u)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = u->nblocks; k-- > 0;) {
            struct block *block = &u->blocks[k];
            gather_out(u, block);
            for (uint32_t w = 0; w < u->words; w++) {
                const uint64_t in = block->reads[w] | (u->out[w] & ~block->writes[w]);
                changed |= in != block->in[w];
                block->in[w] = in;
            }
        }
    }
}

/* ---- counting ---- */

static void count(struct usage *u, uint32_t reg, bool up)
{
    const struct px_reg *r = &u->function->regs.at[reg];
    const unsigned bits = px_type_info((enum px_type)r->type)->bits, n = r->vec ? r->vec : 1;
    unsigned *counter = r->type == PX_T_PRED ? &u->live_predicates : &u->live;
    const unsigned units = r->type == PX_T_PRED ? n : n * ((bits + 31) / 32);
    *counter = up ? *counter + units : *counter - units;
}

static void set_live(struct usage *u, uint32_t reg, bool live)
{
    if (u->registers[reg].live != live) count(u, reg, live);
    u->registers[reg].live = live;
}

static void keep_most(struct usage *u)
{
    if (u->live > u->result->live_registers) u->result->live_registers = u->live;
    if (u->live_predicates > u->result->live_predicates) u->result->live_predicates = u->live_predicates;
}

/* A result needs its register even when nobody reads it. */
static void open_result(struct usage *u, uint32_t reg, bool whole)
{
    (void)whole;
    u->registers[reg].idle = !u->registers[reg].live;
    set_live(u, reg, true);
}

static void close_result(struct usage *u, uint32_t reg, bool whole)
{
    if (whole || u->registers[reg].idle) set_live(u, reg, false);
}

static void open_read(struct usage *u, uint32_t reg, bool whole)
{
    (void)whole;
    set_live(u, reg, true);
}

/* From the registers live behind one place to those live behind another: most stay. */
static void move_live(struct usage *u, const uint64_t *from, const uint64_t *to, const uint32_t *reg_of_bit)
{
    for (uint32_t w = 0; w < u->words; w++)
        for (uint64_t left = from[w] ^ to[w]; left; left &= left - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            set_live(u, reg_of_bit[w * 64 + bit], to[w] >> bit & 1);
        }
}

/* `before`: what is live now. It ends with what is live at the start of the block. */
static void count_block(struct usage *u, const struct block *block, const uint64_t *before,
                        const uint32_t *reg_of_bit)
{
    gather_out(u, block);
    move_live(u, before, u->out, reg_of_bit);
    keep_most(u);
    for (uint32_t i = block->n; i-- > 0;) {
        const struct px_inst *inst = u->items.at[block->first + i];
        visit(u, inst, true, open_result);
        keep_most(u);
        visit(u, inst, true, close_result);
        visit(u, inst, false, open_read);
        keep_most(u);
    }
}

static void count_live(struct usage *u)
{
    uint32_t *reg_of_bit = PX_NEW_N(u->arena, uint32_t, u->nbits + 1);
    for (uint32_t i = 0; i < u->function->regs.n; i++)
        if (u->registers[i].bit != NO_BIT) reg_of_bit[u->registers[i].bit] = i;
    const uint64_t *before = PX_NEW_N(u->arena, uint64_t, u->words + 1);
    for (uint32_t k = 0; k < u->nblocks; k++) {
        count_block(u, &u->blocks[k], before, reg_of_bit);
        before = u->blocks[k].in;
    }
}

/* ---- barriers and calls ---- */

/* The operand that chooses the barrier: the first that is read; NULL for what meets no numbered barrier. */
static const struct px_operand *barrier_of(const struct px_inst *inst)
{
    struct px_match match;
    const px_word opcode = inst->opcode->word;
    if ((opcode != PX_W_bar && opcode != PX_W_barrier) || !px_match_inst(inst, &match)) return NULL;
    if (px_match_has(&match, PX_W_warp) || px_match_has(&match, PX_W_cluster)) return NULL;
    for (unsigned i = 0; i < inst->nopds; i++)
        if (!px_is_result(inst, &match, i)) return &inst->opds[i];
    return NULL;
}

static void count_barriers(struct usage *u)
{
    for (uint32_t i = 0; i < u->items.n; i++) {
        const struct px_inst *inst = u->items.at[i];
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
    struct usage u = {.arena = arena, .function = function, .result = result};
    *result = (ptx_usage){0};
    u.registers = PX_NEW_N(arena, struct register_state, function->regs.n + 1);
    for (uint32_t i = 0; i < function->regs.n; i++) u.registers[i].bit = NO_BIT;
    flatten(&u, function->func->body);
    find_blocks(&u);
    find_edges(&u);
    make_sets(&u);
    solve(&u);
    count_live(&u);
    count_barriers(&u);
}
