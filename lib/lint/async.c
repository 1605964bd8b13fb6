/*
 * async.c - asynchronous work of a kernel that no path waits for.
 *
 * Copies and matrix products that are collected in groups are finished only behind a wait for their group,
 * and a wait knows only groups that a commit has closed. So from each of them there must be a way to a commit
 * and from there to a wait, or a way to something that waits without groups. Both are questions of what can
 * be reached, asked backwards, block by block. A function may leave the waiting to its caller, and a call may
 * wait, so functions are not judged, and calls count as waits.
 */
#include "lint/flow.h"
#include "lint/words.h"

enum step { NOTHING, WORK, COMMIT, WAIT, WAIT_ALL };

struct family {
    const char *commit, *wait;
    enum step (*step)(const struct px_inst *inst);
};

static enum step group_step(const struct px_inst *inst)
{
    if (px_lint_has_word(inst, PX_W_commit_group)) return COMMIT;
    if (px_lint_has_word(inst, PX_W_wait_group)) return WAIT;
    return NOTHING;
}

static enum step copy_step(const struct px_inst *inst)
{
    if (!px_inst_in(inst, PX_SET_group_copy)) return NOTHING;
    if (px_lint_has_word(inst, PX_W_wait_all) || px_lint_word_at(inst, 1, PX_W_mbarrier)) return WAIT_ALL;
    return inst->nopds > 1 ? WORK : group_step(inst);
}

static enum step bulk_step(const struct px_inst *inst)
{
    if (!px_inst_in(inst, PX_SET_bulk_copy)) return NOTHING;
    return px_lint_has_word(inst, PX_W_bulk_group) ? WORK : group_step(inst);
}

static enum step product_step(const struct px_inst *inst)
{
    if (!px_inst_in(inst, PX_SET_product)) return NOTHING;
    return px_lint_word_at(inst, 0, PX_W_mma_async) ? WORK : group_step(inst);
}

static const struct family families[] = {
    {"cp.async.commit_group", "cp.async.wait_group or cp.async.wait_all", copy_step},
    {"cp.async.bulk.commit_group", "cp.async.bulk.wait_group", bulk_step},
    {"wgmma.commit_group", "wgmma.wait_group", product_step},
};

/* What can be reached from a place on. */
struct ahead {
    bool wait;  /* a wait, for groups or for all */
    bool fine;  /* a commit and from there a wait, or a wait for all */
    bool group; /* a commit */
};

struct search {
    const struct px_lint_flow *flow;
    const struct family *family;
    struct ahead *at; /* by node: from its beginning on */
};

static void pass(const struct search *s, uint32_t item, struct ahead *ahead)
{
    const struct px_lint_item *at = &s->flow->items[item];
    const enum step step = px_lint_flags(at) & PX_OPERATION_calls ? WAIT_ALL : s->family->step(at->inst);
    if (step == COMMIT) ahead->fine |= ahead->wait;
    if (step == COMMIT) ahead->group = true;
    if (step == WAIT || step == WAIT_ALL) ahead->wait = true;
    if (step == WAIT_ALL) ahead->fine = true;
}

static struct ahead behind(const struct search *s, uint32_t node)
{
    const struct px_flow_lists *succ = &s->flow->graph.succ;
    struct ahead ahead = {false, false, false};
    for (uint32_t i = succ->first[node]; i < succ->first[node + 1]; i++) {
        const struct ahead *next = &s->at[succ->to[i]];
        ahead.wait |= next->wait;
        ahead.fine |= next->fine;
        ahead.group |= next->group;
    }
    return ahead;
}

/* From the last block to the first, again until nothing changes: each pass carries facts past one back edge.
 */
static void solve(const struct search *s)
{
    const struct px_lint_flow *flow = s->flow;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t k = flow->order.n; k-- > 0;) {
            const uint32_t node = flow->order.nodes[k];
            if (node >= flow->graph.nblocks) continue;
            const struct px_flow_block *block = &flow->graph.blocks[node];
            struct ahead ahead = behind(s, node), *old = &s->at[node];
            for (uint32_t i = block->first + block->n; i-- > block->first;) pass(s, i, &ahead);
            changed |= ahead.wait != old->wait || ahead.fine != old->fine || ahead.group != old->group;
            *old = ahead;
        }
    }
}

static void complain(const struct search *s, uint32_t item, const struct ahead *ahead)
{
    const struct px_inst *inst = s->flow->items[item].inst;
    struct px_diag *diag =
        px_lint_say(s->flow, LINT_NOT_WAITED, inst->pos, inst->opcode->len, inst->opcode->text);
    if (ahead->wait && !ahead->group)
        px_diag_note(&s->flow->module->diags, diag,
                     "no way leads from here to %s, and a wait is for closed groups", s->family->commit);
    else if (ahead->group)
        px_diag_note(&s->flow->module->diags, diag, "no way leads from here over %s to %s", s->family->commit,
                     s->family->wait);
    else
        px_diag_note(&s->flow->module->diags, diag, "no way leads from here to %s", s->family->wait);
}

/* Told once for each family and function. */
static void judge(const struct search *s)
{
    const struct px_lint_flow *flow = s->flow;
    for (uint32_t node = 0; node < flow->graph.nblocks; node++) {
        const struct px_flow_block *block = &flow->graph.blocks[node];
        struct ahead ahead = behind(s, node);
        if (!flow->reached[node]) continue;
        for (uint32_t i = block->first + block->n; i-- > block->first;) {
            if (s->family->step(flow->items[i].inst) == WORK && !ahead.fine) {
                complain(s, i, &ahead);
                return;
            }
            pass(s, i, &ahead);
        }
    }
}

static bool has_work(const struct px_lint_flow *flow, const struct family *family)
{
    for (uint32_t i = 0; i < flow->nitems; i++)
        if (family->step(flow->items[i].inst) == WORK) return true;
    return false;
}

void px_lint_async(struct px_lint_flow *flow)
{
    if (!flow->function->func->is_entry) return;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        if (!has_work(flow, &families[f])) continue;
        struct search s = {flow, &families[f], PX_NEW_N(flow->arena, struct ahead, flow->graph.n)};
        solve(&s);
        judge(&s);
    }
}
