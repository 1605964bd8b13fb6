/*
 * make.c - the machine code of a loop.
 *
 *     for each pass of `groups` groups of 8 or 16 lanes, some of which are inside
 *         load what is live at the head
 *         head: no fuel: the lanes that are here stay, else one turn less
 *             blocks in the order of the layout, for the lanes that come to each
 *         while any lane goes back to the head
 *         store what is live where lanes have left
 *
 * Registers: rdi the frame, rsi the px_region_call, r10 constants, rdx and r11 the frame and 4 or 8 bytes for
 * each lane before the pass, r9 the call and a bit for each, rcx fuel, r8 passes left, rax rcx scratch.
 * Vector registers 0 to 27 hold values, the others what an instruction needs meanwhile; mask registers 1 to 6
 * hold lanes and predicates, 7 what an instruction needs.
 *
 * Where lanes part, a mask for each group says who runs a block; a branch makes two of it, which are joined
 * where their ways meet. Values are written under it where the old one matters for lanes that are elsewhere:
 * at other blocks, or outside, when it is live where they left.
 */
#include "code/region/make.h"
#include "code/region/maker.h"

static void jump_to_end(struct px_maker *m)
{
    if (m->nends == PX_MAKER_JUMPS)
        m->failed = true;
    else
        m->to_end[m->nends++] = px_x86_jump(m->x, PX_X86_ALWAYS);
}

/* Fuel is spent: the lanes at the head stay there. */
static void spent(struct px_maker *m, uint32_t jump, const uint8_t head[PX_MAKER_GROUPS])
{
    px_x86_land(m->x, jump, m->x->bytes.n);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_RCX, 1); /* the turn that did not begin */
    if (m->p->parts) {
        for (unsigned g = 0; g < m->groups; g++)
            px_x86_mask_store(m->x, m->p->lanes, head[g], PX_R9,
                              PX_CALL_AT(out[0]) + px_maker_lanes_at(m, g));
        px_maker_store_same(m, &m->p->block[0].live);
    } else {
        px_maker_store_together(m, &m->p->block[0].live);
    }
    jump_to_end(m);
}

static void leave(struct px_maker *m, const struct px_maker_leave *l)
{
    px_x86_land(m->x, l->jump, m->x->bytes.n);
    if (m->p->parts) {
        for (unsigned g = 0; g < m->groups; g++)
            px_x86_mask_store(m->x, m->p->lanes, l->mask[g], PX_R9,
                              PX_CALL_AT(out[l->site + 1]) + px_maker_lanes_at(m, g));
    } else {
        px_x86_store_word(m->x, l->site + 1, PX_RSI, PX_CALL_AT(site));
        px_maker_store_together(m, &m->p->site[l->site].live);
    }
    jump_to_end(m);
}

/* Goes back to the head while any lane does. */
static void close_loop(struct px_maker *m, uint32_t head, const uint8_t at_head[PX_MAKER_GROUPS])
{
    if (!m->waits[PX_PLAN_HEAD]) m->failed = true;
    if (!m->p->parts || m->failed) {
        px_x86_land(m->x, px_x86_jump(m->x, PX_X86_ALWAYS), head);
        return;
    }
    const uint8_t *back = m->wait[PX_PLAN_HEAD];
    for (unsigned g = 0; g < m->groups; g++) {
        for (unsigned h = g + 1; h < m->groups; h++)
            if (back[h] == at_head[g]) m->failed = true;
        px_x86_mask_move(m->x, at_head[g], back[g]);
    }
    unsigned any = at_head[0];
    for (unsigned g = 1; g < m->groups; g++, any = PX_MAKER_MASK)
        px_x86_mask(m->x, PX_X86_korw, PX_MAKER_MASK, any, at_head[g]);
    px_x86_mask_test(m->x, m->p->lanes, any, any);
    px_x86_land(m->x, px_x86_jump(m->x, PX_X86_NOT_ZERO), head);
    jump_to_end(m);
}

/* Registers that are held all the time: what is live at the beginning of a block, or where lanes leave. */
static px_plan_set held_registers(const struct px_plan *p)
{
    px_plan_set held = p->block[0].live;
    for (uint32_t b = 0; b < p->nblocks; b++) held = px_lanes_or(held, p->block[b].live);
    for (uint32_t s = 0; s < p->nsites; s++)
        held = px_lanes_or(held, px_lanes_and(p->site[s].live, p->written));
    px_plan_set named = {{0}};
    for (uint32_t r = 0; r < p->nregs; r++) px_lanes_set(&named, r);
    return px_lanes_and(held, named);
}

static void hoist(struct px_maker *m)
{
    for (uint32_t i = 0; i < m->nconstants; i++) {
        struct px_maker_constant *c = &m->constant[i];
        if (c->home == PX_MAKER_NONE) continue;
        px_maker_broadcast(m, c->elem, c->home, px_maker_place_of(m, c), 0);
    }
}

static uint32_t begin(struct px_maker *m)
{
    px_x86_alu(m->x, PX_X86_MOV, PX_R10, PX_RDX);
    px_x86_load(m->x, PX_R8, PX_RSI, PX_CALL_AT(passes));
    px_x86_alu(m->x, PX_X86_MOV, PX_RDX, PX_RDI);
    px_x86_alu(m->x, PX_X86_MOV, PX_R11, PX_RDI);
    px_x86_alu(m->x, PX_X86_MOV, PX_R9, PX_RSI);
    hoist(m);
    if (m->weight != PX_MAKER_NONE)
        px_maker_emit(m,
                      (struct px_x86_vector){
                          .insn = PX_X86_vpxord, .d = m->weight, .v = m->weight, .m = px_x86_reg(m->weight)});
    return m->x->bytes.n;
}

/* The turns of the pass: all of them, and the most. */
static void count_turns(struct px_maker *m)
{
    px_x86_load(m->x, PX_RAX, PX_RSI, PX_CALL_AT(fuel));
    px_x86_alu(m->x, PX_X86_SUB, PX_RAX, PX_RCX);
    px_x86_alu_to(m->x, PX_X86_ADD, PX_RSI, PX_CALL_AT(sum), PX_RAX);
    px_x86_load(m->x, PX_RCX, PX_RSI, PX_CALL_AT(turns));
    px_x86_alu(m->x, PX_X86_CMP, PX_RAX, PX_RCX);
    const uint32_t less = px_x86_jump(m->x, PX_X86_NOT_ABOVE);
    px_x86_store(m->x, PX_RAX, PX_RSI, PX_CALL_AT(turns));
    px_x86_land(m->x, less, m->x->bytes.n);
}

static void end(struct px_maker *m, uint32_t pass, uint32_t skip)
{
    const int32_t lanes = (int32_t)(m->groups * m->p->lanes);
    for (uint32_t i = 0; i < m->nends; i++) px_x86_land(m->x, m->to_end[i], m->x->bytes.n);
    if (m->p->parts) px_maker_store_parted(m);
    count_turns(m);
    px_x86_land(m->x, skip, m->x->bytes.n);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_RDX, lanes * 4);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_R11, lanes * 8);
    px_x86_alu_const(m->x, PX_X86_ADD, PX_R9, lanes / 8);
    px_x86_alu_const(m->x, PX_X86_SUB, PX_R8, 1);
    px_x86_land(m->x, px_x86_jump(m->x, PX_X86_NOT_ZERO), pass);
    if (m->weight != PX_MAKER_NONE)
        px_maker_emit(m, (struct px_x86_vector){.insn = PX_X86_vmovdqu32_store,
                                                .d = m->weight,
                                                .m = px_x86_mem(PX_RSI, PX_CALL_AT(weight))});
    px_x86_return(m->x);
}

static void blocks(struct px_maker *m)
{
    for (unsigned b = 0; b < m->p->nblocks && !m->failed; b++) {
        if (b) {
            if (!m->waits[b]) continue; /* nobody comes here */
            memcpy(m->cur, m->wait[b], sizeof m->cur);
            m->waits[b] = false;
        }
        px_maker_block(m, b);
    }
}

static void make(struct px_maker *m)
{
    m->held = held_registers(m->p);
    uint8_t at_head[PX_MAKER_GROUPS];
    uint32_t number;
    PX_FOR_LANES(number, m->held) px_maker_hold(m, number);
    if (m->p->parts && !m->counted) m->weight = px_maker_take_vector(m);
    if (m->p->parts)
        for (unsigned g = 0; g < m->groups; g++) m->cur[g] = px_maker_take_mask(m);
    if (m->failed) return;
    memcpy(at_head, m->cur, sizeof at_head);
    const uint32_t pass = begin(m);
    px_x86_is_zero(m->x, m->groups * m->p->lanes / 8, PX_R9, PX_CALL_AT(in));
    const uint32_t skip = px_x86_jump(m->x, PX_X86_ZERO);
    px_x86_load(m->x, PX_RCX, PX_RSI, PX_CALL_AT(fuel));
    PX_FOR_LANES(number, m->p->block[0].live) if (number < m->p->nregs) px_maker_load_register(m, number);
    for (unsigned g = 0; g < m->groups && m->p->parts; g++)
        px_x86_mask_load(m->x, m->p->lanes, m->cur[g], PX_R9, PX_CALL_AT(in) + px_maker_lanes_at(m, g));
    const uint32_t head = m->x->bytes.n;
    px_x86_alu_const(m->x, PX_X86_SUB, PX_RCX, 1);
    const uint32_t empty = px_x86_jump(m->x, PX_X86_BELOW);
    blocks(m);
    if (m->failed) return;
    close_loop(m, head, at_head);
    spent(m, empty, at_head);
    for (uint32_t i = 0; i < m->nleaves; i++) leave(m, &m->leave[i]);
    end(m, pass, skip);
}

/* ---- how many groups, which constants stay ---- */

static void begin_try(struct px_maker *m, unsigned groups)
{
    m->groups = groups;
    m->failed = false;
    m->free = (1u << PX_MAKER_VALUES) - 1;
    m->free_masks = 0x7e;
    m->least = PX_MAKER_VALUES;
    m->weight = PX_MAKER_NONE;
    m->nleaves = m->nends = 0;
    memset(m->home, PX_MAKER_NONE, sizeof m->home);
    memset(m->cur, PX_MAKER_NONE, sizeof m->cur);
    memset(m->waits, 0, sizeof m->waits);
}

/* With what is left of registers, those constants that are named most often are held all the time. */
static void choose_constants(struct px_maker *m, uint32_t room)
{
    for (; room; room--) {
        struct px_maker_constant *best = NULL;
        for (uint32_t i = 0; i < m->nconstants; i++) {
            struct px_maker_constant *c = &m->constant[i];
            if (c->home == PX_MAKER_NONE && c->uses && (!best || c->uses > best->uses)) best = c;
        }
        if (!best) break;
        best->home = px_maker_take_vector(m);
        best->uses = 0;
    }
}

/* Once to see how many registers it takes, and once more with constants in the others. */
static bool try_groups(struct px_maker *m, unsigned groups)
{
    const uint32_t from = m->x->bytes.n;
    m->nconstants = 0;
    begin_try(m, groups);
    make(m);
    const uint32_t room = m->least;
    if (!m->failed && (!room || !m->nconstants)) return true;
    m->x->bytes.n = from;
    if (m->failed) return false;
    begin_try(m, groups);
    choose_constants(m, room);
    make(m);
    if (m->failed) m->x->bytes.n = from;
    return !m->failed;
}

/* The site whose lanes are found by who is nowhere else: the first by which lanes leave one by one. */
static uint32_t rest_site(const struct px_plan *p)
{
    for (uint32_t s = 0; s < p->nsites && p->parts; s++)
        if (!p->site[s].together) return s + 1;
    return 0;
}

static void keep_constants(const struct px_maker *m)
{
    uint64_t *values = PX_NEW_N(m->p->f->coder->keep, uint64_t, m->nconstants + 1);
    for (uint32_t i = 0; i < m->nconstants; i++) values[i] = m->constant[i].value;
    m->region->constants = values;
}

bool px_region_make(const struct px_plan *p, struct px_x86 *x, struct px_region *region, bool counted)
{
    struct px_maker *m = PX_NEW(p->pass, struct px_maker);
    const unsigned width = p->f->coder->width;
    unsigned groups = PX_MAKER_GROUPS;
    uint32_t most = 1;
    for (uint32_t b = 0; b < p->nblocks; b++)
        if (p->block[b].n > most) most = p->block[b].n;
    *m = (struct px_maker){.p = p, .x = x, .region = region, .counted = counted && p->parts};
    m->dies = PX_NEW_N(p->pass, px_plan_set, most);
    region->rest = rest_site(p);
    while (groups * p->lanes > width || (p->parts && groups * p->lanes > PX_WARP)) groups /= 2;
    while (groups && !try_groups(m, groups)) groups = m->counted ? 0 : groups / 2;
    if (!groups) return false;
    region->lanes = groups * p->lanes;
    keep_constants(m);
    return true;
}
