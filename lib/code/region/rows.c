/* rows.c - what is loaded when a pass begins, and stored where its lanes have left. */
#include "code/region/maker.h"

/* ---- a pass ---- */

void px_maker_load_register(struct px_maker *m, unsigned number)
{
    const struct px_ir_reg *r = px_plan_reg(m->p, number);
    for (unsigned g = 0; g < px_maker_groups_of(m, number); g++) {
        const unsigned d = m->home[number][g], to = px_maker_is_predicate(m, number) ? PX_MAKER_SCRATCH_A : d;
        if (px_maker_is_same(m, number))
            px_maker_broadcast(m, r->elem, to, px_x86_mem(PX_RDI, (int32_t)r->slot), 0);
        else
            px_maker_emit(m, (struct px_x86_vector){.insn = px_maker_is_wide(m, number) ? PX_X86_vmovdqa64
                                                                                        : PX_X86_vmovdqa32,
                                                    .d = to,
                                                    .m = px_maker_row_of(m, number, g)});
        if (px_maker_is_predicate(m, number))
            px_maker_emit(m, (struct px_x86_vector){.insn = PX_X86_vptestmd,
                                                    .d = d,
                                                    .v = PX_MAKER_SCRATCH_A,
                                                    .m = px_x86_reg(PX_MAKER_SCRATCH_A)});
    }
}

/* The value of a group, in a vector register. */
static unsigned value_register(struct px_maker *m, unsigned number, unsigned group)
{
    const unsigned r = px_maker_home_of(m, number, group);
    if (!px_maker_is_predicate(m, number)) return r;
    px_maker_emit(
        m, (struct px_x86_vector){.insn = PX_X86_vpmovm2d, .d = PX_MAKER_SCRATCH_A, .m = px_x86_reg(r)});
    return PX_MAKER_SCRATCH_A;
}

static void store_row(struct px_maker *m, unsigned number, unsigned group, unsigned mask)
{
    const bool wide = px_maker_is_wide(m, number);
    px_maker_emit(m, (struct px_x86_vector){.insn = wide ? PX_X86_vmovdqu64_store : PX_X86_vmovdqu32_store,
                                            .d = value_register(m, number, group),
                                            .m = px_maker_row_of(m, number, group),
                                            .mask = mask});
}

static unsigned same_at(const struct px_maker *m, unsigned number)
{
    unsigned at = 0;
    for (unsigned r = 0; r < number; r++) at += px_maker_is_same(m, r);
    return at;
}

void px_maker_store_same(struct px_maker *m, const px_plan_set *live)
{
    uint32_t number;
    const px_plan_set set = px_lanes_and(px_lanes_and(*live, m->p->same), m->p->written);
    PX_FOR_LANES(number, set)
    {
        const unsigned from = value_register(m, number, 0);
        struct px_x86_rm to = px_x86_mem(PX_RSI, PX_CALL_AT(same) + (int32_t)same_at(m, number) * 64);
        px_maker_emit(m, (struct px_x86_vector){.insn = px_maker_is_wide(m, number) ? PX_X86_vmovdqu64_store
                                                                                    : PX_X86_vmovdqu32_store,
                                                .d = from,
                                                .m = to});
    }
}

/* The mask register of the pass's lanes at the sites of a set (bit 0: at the head), bit by bit. */
static void lanes_of(struct px_maker *m, uint32_t sites, unsigned group)
{
    const uint32_t all = (2u << m->p->nsites) - 1, rest = m->region->rest ? 1u << m->region->rest : 0;
    const bool others = rest & sites; /* those who are not at the other sites */
    const int32_t at = px_maker_lanes_at(m, group);
    bool first = true;
    if (others) {
        px_x86_mask_load(m->x, m->p->lanes, PX_MAKER_MASK, PX_R9, PX_CALL_AT(in) + at);
        first = false;
        sites = all & ~sites;
    }
    for (unsigned s = 0; s <= m->p->nsites; s++) {
        if (!(sites >> s & 1)) continue;
        px_x86_mask_load(m->x, m->p->lanes, first ? PX_MAKER_MASK : 0, PX_R9, PX_CALL_AT(out[s]) + at);
        if (!first)
            px_x86_mask(m->x, others ? PX_X86_kandnw : PX_X86_korw, PX_MAKER_MASK, others ? 0 : PX_MAKER_MASK,
                        others ? PX_MAKER_MASK : 0);
        first = false;
    }
}

/* At which sites, and at the head, is the register live? */
static uint32_t sites_of(const struct px_maker *m, unsigned number)
{
    uint32_t sites = px_plan_has(&m->p->block[0].live, number);
    for (unsigned s = 0; s < m->p->nsites; s++)
        sites |= (uint32_t)px_plan_has(&m->p->site[s].live, number) << (s + 1);
    return sites;
}

void px_maker_store_parted(struct px_maker *m)
{
    uint32_t number, done[PX_REGION_SITES + 1], n = 0;
    PX_FOR_LANES(number, m->p->written)
    {
        const uint32_t sites = sites_of(m, number);
        unsigned i = 0;
        while (i < n && done[i] != sites) i++;
        if (i < n || !sites || n > PX_REGION_SITES) {
            if (i == n && sites) m->failed = true;
            continue;
        }
        done[n++] = sites;
        for (unsigned g = 0; g < m->groups; g++) {
            lanes_of(m, sites, g);
            for (unsigned r = number; r < m->p->nregs; r++)
                if (px_plan_has(&m->p->written, r) && sites_of(m, r) == sites)
                    store_row(m, r, g, PX_MAKER_MASK);
        }
    }
}

void px_maker_store_together(struct px_maker *m, const px_plan_set *live)
{
    uint32_t number;
    const px_plan_set set = px_lanes_and(*live, m->p->written);
    px_maker_store_same(m, live);
    for (unsigned g = 0; g < m->groups; g++) {
        px_x86_mask_load(m->x, m->p->lanes, PX_MAKER_MASK, PX_R9, PX_CALL_AT(in) + px_maker_lanes_at(m, g));
        PX_FOR_LANES(number, set) store_row(m, number, g, PX_MAKER_MASK);
    }
}
