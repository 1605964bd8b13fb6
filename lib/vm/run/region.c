/* region.c - see region.h: what is to be done around the code of a region, which knows rows and slots alone.
 */
#include "vm/run/region.h"
#include "gang/fpmode.h"
#include "vm/run/tally.h"

const struct px_region *px_region_at(const struct px_fcode *code, uint32_t pc)
{
    for (uint32_t i = 0; i < code->nregions && code->regions[i].head <= pc; i++)
        if (code->regions[i].head == pc) return &code->regions[i];
    return NULL;
}

bool px_region_fits(struct px_gang *g, const struct px_region *r, bool together)
{
    if (!together && g->merge_pc < r->end) return false;
    for (uint32_t i = 0; i < r->nsame && !together; i++) {
        const struct px_region_same *same = &r->same[i];
        uint64_t value = 0;
        if (!same->in) continue;
        if (!g->level->is_uniform(g->frame + same->row, NULL, PX_ROW(g, uint32_t, 0), g->n, same->elem,
                                  &value))
            return false;
        memcpy(g->frame + same->slot, &value, sizeof value);
    }
    return true;
}

/* ---- counts ---- */

/* All lanes did `full` turns, the last of which ended at the site (NULL: at the end). */
static void count_together(struct px_gang *g, const struct px_region *r, const struct px_lanes *lanes,
                           uint64_t turns, const struct px_region_site *site)
{
    const uint64_t n = px_lanes_count(lanes), insts = turns * r->insts - (site ? r->insts - site->insts : 0);
    g->worker->thread_instructions += insts * n;
    g->worker->warp_instructions += insts * ((n + 31) / 32);
    g->cta->clock += insts;
    if (!g->worker->tally) return;
    for (uint32_t b = 0; b < r->nblocks; b++)
        px_tally_block(g, &r->block[b], lanes, turns - (site && b > site->block));
}

static uint64_t all_weight(const struct px_region_call *call)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 16; i++) sum += call->weight[i];
    return sum;
}

/* Each lane was taken to do whole turns: in the last one it did less. */
static uint64_t less(const struct px_region *r, const struct px_region_left *left)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < r->nsites; s++)
        n += (uint64_t)(r->insts - r->site[s].insts) * px_lanes_count(&left->site[s]);
    return n;
}

static void count_parted(struct px_gang *g, const struct px_region *r, const struct px_region_call *call,
                         const struct px_region_left *left)
{
    uint64_t threads = 0;
    if (r->counts)
        for (uint32_t b = 0; b < r->nblocks; b++) {
            threads += call->count[b].threads * r->block[b].insts;
            px_tally_counted(g, &r->block[b], &call->count[b]);
        }
    else
        threads = all_weight(call) - less(r, left);
    g->worker->thread_instructions += threads;
    g->worker->warp_instructions += (call->sum * r->insts * r->lanes + 31) / 32;
    g->cta->clock += call->turns * r->insts;
}

/* ---- running it ---- */

static void find_left(const struct px_region *r, const struct px_region_call *call,
                      struct px_region_left *left)
{
    struct px_lanes rest = px_lanes_minus(call->in, call->out[0]);
    left->head = call->out[0];
    for (uint32_t s = 0; s < r->nsites; s++) {
        left->site[s] = call->out[s + 1];
        if (s + 1 != r->rest) rest = px_lanes_minus(rest, left->site[s]);
    }
    if (r->rest) left->site[r->rest - 1] = rest;
}

static void keep_same(struct px_gang *g, const struct px_region *r, const struct px_region_call *call)
{
    for (uint32_t i = 0; i < r->nsame; i++)
        if (r->same[i].written) memcpy(g->frame + r->same[i].slot, call->same[i], r->same[i].elem);
}

uint64_t px_region_run(struct px_gang *g, const struct px_region *r, const struct px_lanes *lanes,
                       uint64_t fuel, struct px_region_left *left)
{
    struct px_region_call call;
    memset(&call, 0, offsetof(struct px_region_call, same));
    for (uint32_t i = 0; i < r->nsame; i++) /* what the code does not write stays */
        if (r->same[i].written) memcpy(call.same[i], g->frame + r->same[i].slot, 8);
    call.fuel = fuel;
    call.in = *lanes;
    call.passes = (g->n + r->lanes - 1) / r->lanes;
    px_fp_set(g->worker, r->fp);
    r->run(g->frame, &call, r->constants);
    px_fp_set(g->worker, PX_FP_HOME);
    keep_same(g, r, &call);
    memset(left, 0, sizeof *left);
    left->together = !r->parts;
    if (r->parts) {
        find_left(r, &call, left);
        count_parted(g, r, &call, left);
        return call.turns;
    }
    const struct px_region_site *site = call.site ? &r->site[call.site - 1] : NULL;
    *(site ? &left->site[call.site - 1] : &left->head) = *lanes;
    left->pc = site ? site->pc : r->head;
    count_together(g, r, lanes, call.turns, site);
    return call.turns;
}
