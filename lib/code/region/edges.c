/* edges.c - blocks of a loop, and how lanes go from one to the next. */
#include "code/region/maker.h"

/* ---- counts ---- */

static void read_lanes(struct px_maker *m, const uint8_t mask[PX_MAKER_GROUPS])
{
    px_x86_mask_read(m->x, m->p->lanes, PX_RAX, mask[0]);
    for (unsigned g = 1; g < m->groups; g++) {
        px_x86_push(m->x, PX_RCX);
        px_x86_mask_read(m->x, m->p->lanes, PX_RCX, mask[g]);
        px_x86_shift_left(m->x, PX_RCX, g * m->p->lanes);
        px_x86_alu(m->x, PX_X86_OR, PX_RAX, PX_RCX);
        px_x86_pop(m->x, PX_RCX);
    }
}

static void count_ways(struct px_maker *m, unsigned block, const uint8_t mask[PX_MAKER_GROUPS])
{
    if (!m->counted) return;
    read_lanes(m, mask);
    px_x86_count_some(m->x, PX_RAX, PX_RSI, PX_CALL_AT(count[block].ways));
}

static void count_block(struct px_maker *m, unsigned block)
{
    const struct px_plan_block *b = &m->p->block[block];
    if (!m->p->parts) return;
    if (m->counted) {
        read_lanes(m, m->cur);
        px_x86_count_some(m->x, PX_RAX, PX_RSI, PX_CALL_AT(count[block].warps));
        px_x86_popcount(m->x, PX_RAX, PX_RAX);
        px_x86_alu_to(m->x, PX_X86_ADD, PX_RSI, PX_CALL_AT(count[block].threads), PX_RAX);
        return;
    }
    const uint32_t insts = block ? b->insts : m->region->insts;
    if (!insts || (block && b->all)) return;
    struct px_maker_constant *c = px_maker_number_of(m, insts, 4);
    for (unsigned g = 0; g < m->groups; g++) {
        const struct px_x86_rm by = px_maker_constant_operand(m, c, PX_X86_vpaddd, PX_MAKER_SCRATCH_A);
        px_maker_emit(m,
                      (struct px_x86_vector){
                          .insn = PX_X86_vpaddd, .d = m->weight, .v = m->weight, .m = by, .mask = m->cur[g]});
    }
}

/* ---- edges ---- */

static void drop_masks(struct px_maker *m, const uint8_t mask[PX_MAKER_GROUPS])
{
    for (unsigned g = 0; g < m->groups; g++) m->free_masks |= 1u << mask[g];
}

/* Lanes leave by a site; those of the site `rest` are found by who is nowhere else. */
static void leave_by(struct px_maker *m, unsigned site, const uint8_t mask[PX_MAKER_GROUPS])
{
    for (unsigned g = 0; g < m->groups && m->region->rest != site + 1; g++) {
        const int32_t at = PX_CALL_AT(out[site + 1]) + px_maker_lanes_at(m, g);
        px_x86_mask_load(m->x, m->p->lanes, PX_MAKER_MASK, PX_R9, at);
        px_x86_mask(m->x, PX_X86_korw, PX_MAKER_MASK, PX_MAKER_MASK, mask[g]);
        px_x86_mask_store(m->x, m->p->lanes, PX_MAKER_MASK, PX_R9, at);
    }
    drop_masks(m, mask);
}

/* Lanes go along an edge. */
static void go(struct px_maker *m, uint8_t edge, const uint8_t mask[PX_MAKER_GROUPS])
{
    if (!m->p->parts) {
        m->waits[edge] = true;
        return;
    }
    if (edge >= PX_PLAN_SITE) {
        leave_by(m, edge - PX_PLAN_SITE, mask);
        return;
    }
    for (unsigned g = 0; g < m->groups; g++) {
        if (m->waits[edge])
            px_x86_mask(m->x, PX_X86_korw, m->wait[edge][g], m->wait[edge][g], mask[g]);
        else
            m->wait[edge][g] = mask[g];
    }
    if (m->waits[edge]) drop_masks(m, mask);
    m->waits[edge] = true;
}

static void leave_together(struct px_maker *m, uint8_t edge, enum px_x86_if when)
{
    if (m->nleaves == PX_MAKER_JUMPS) {
        m->failed = true;
        return;
    }
    struct px_maker_leave *l = &m->leave[m->nleaves++];
    l->jump = px_x86_jump(m->x, when);
    l->site = edge - PX_PLAN_SITE;
    memcpy(l->mask, m->cur, sizeof l->mask);
}

/* All lanes take the branch, or none. */
static void branch_together(struct px_maker *m, const struct px_plan_block *b)
{
    const unsigned k = px_maker_home_of(m, px_plan_number(m->p, px_ir_opds(m->p->f, b->last)), 0);
    const bool negated = b->last->fact;
    px_x86_mask_test(m->x, m->p->lanes, k, k);
    if (b->taken >= PX_PLAN_SITE) {
        leave_together(m, b->taken, negated ? PX_X86_ZERO : PX_X86_NOT_ZERO);
        if (b->falls >= PX_PLAN_SITE)
            leave_together(m, b->falls, PX_X86_ALWAYS);
        else
            go(m, b->falls, m->cur);
        return;
    }
    leave_together(m, b->falls, negated ? PX_X86_NOT_ZERO : PX_X86_ZERO);
    go(m, b->taken, m->cur);
}

/* Lanes for which the predicate holds go one way, the others another. */
static void branch_apart(struct px_maker *m, const struct px_plan_block *b, const px_plan_set *dies)
{
    const unsigned number = px_plan_number(m->p, px_ir_opds(m->p->f, b->last));
    const bool negated = b->last->fact, reuse = px_plan_has(dies, number) && !px_plan_has(&m->held, number) &&
                                                !px_maker_is_same(m, number);
    uint8_t taken[PX_MAKER_GROUPS];
    for (unsigned g = 0; g < m->groups; g++) {
        const unsigned k = px_maker_home_of(m, number, g);
        taken[g] = reuse ? (uint8_t)k : px_maker_take_mask(m);
        px_x86_mask(m->x, negated ? PX_X86_kandnw : PX_X86_kandw, taken[g], k, m->cur[g]);
        px_x86_mask(m->x, PX_X86_kxorw, m->cur[g], m->cur[g], taken[g]);
    }
    if (reuse) m->home[number][0] = PX_MAKER_NONE; /* its registers are those lanes' now */
    const unsigned block = (unsigned)(b - m->p->block);
    count_ways(m, block, taken);
    count_ways(m, block, m->cur);
    go(m, b->taken, taken);
    go(m, b->falls, m->cur);
}

/* ---- blocks ---- */

static void find_deaths(struct px_maker *m, const struct px_plan_block *b)
{
    px_plan_set live = b->behind;
    for (uint32_t i = b->n; i-- > 0;) {
        px_plan_set reads, writes;
        const struct px_ir_inst *in = &m->p->f->insts.at[b->first + i];
        px_plan_uses(m->p, in, &reads, &writes);
        m->dies[i] = px_lanes_minus(px_lanes_or(reads, writes), live);
        if (in->guard == PX_NONE32) live = px_lanes_minus(live, writes);
        live = px_lanes_or(live, reads);
    }
}

static void release(struct px_maker *m, const px_plan_set *set)
{
    uint32_t number;
    const px_plan_set gone = px_lanes_minus(*set, m->held);
    PX_FOR_LANES(number, gone) px_maker_let_go(m, number);
}

/* A result takes the registers of a source that nobody reads again, group by group, so that none is written
 * before it is read. The number of the source; PX_MAKER_NONE: there is none such. */
static uint32_t inherit(struct px_maker *m, unsigned d, const px_plan_set *dies)
{
    uint32_t number;
    const px_plan_set gone = px_lanes_minus(*dies, m->held);
    PX_FOR_LANES(number, gone)
    {
        const bool alike = px_maker_is_predicate(m, number) == px_maker_is_predicate(m, d) &&
                           px_maker_is_same(m, number) == px_maker_is_same(m, d);
        if (!alike || m->home[number][0] == PX_MAKER_NONE) continue;
        memcpy(m->home[d], m->home[number], sizeof m->home[d]);
        return number;
    }
    return PX_MAKER_NONE;
}

static void instruction(struct px_maker *m, const struct px_ir_inst *in, const px_plan_set *dies)
{
    const struct px_ir_opd *o = px_ir_opds(m->p->f, in);
    if (in->op == PX_IR_NOTHING || in->op == PX_IR_JUMP || in->op == PX_IR_BRANCH) return;
    const unsigned d = px_plan_number(m->p, o);
    px_plan_set sources = *dies;
    px_plan_drop(&sources, d);
    const uint32_t heir = m->home[d][0] == PX_MAKER_NONE ? inherit(m, d, &sources) : PX_MAKER_NONE;
    px_maker_hold(m, d);
    if (m->failed) return;
    if (px_ir_kind_of(in->op) == PX_IR_STATEMENT)
        px_maker_statement(m, in, d);
    else if (in->op == PX_IR_COPY)
        px_maker_copy(m, in, d);
    else
        px_maker_canon(m, in, d);
    if (heir != PX_MAKER_NONE) m->home[heir][0] = PX_MAKER_NONE;
    release(m, &sources);
    if (px_plan_has(dies, d) && !px_plan_has(&m->held, d)) px_maker_let_go(m, d);
}

void px_maker_block(struct px_maker *m, unsigned number)
{
    const struct px_plan_block *b = &m->p->block[number];
    find_deaths(m, b);
    count_block(m, number);
    for (uint32_t i = 0; i < b->n && !m->failed; i++)
        instruction(m, &m->p->f->insts.at[b->first + i], &m->dies[i]);
    if (m->failed) return;
    if (!b->last || b->last->op == PX_IR_JUMP) {
        const uint8_t edge = b->last ? b->taken : b->falls;
        if (edge < PX_PLAN_SITE || (m->p->parts && !m->p->site[edge - PX_PLAN_SITE].together))
            go(m, edge, m->cur);
        else
            leave_together(m, edge, PX_X86_ALWAYS);
        return;
    }
    if (b->together)
        branch_together(m, b);
    else
        branch_apart(m, b, &m->dies[b->n - 1]);
    release(m, &m->dies[b->n - 1]);
}
