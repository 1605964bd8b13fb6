/*
 * async.c - cp.async and mbarrier (docs/async.md; PTX ISA 9.7.9.25, 9.7.13.15).
 *
 * What a thread has issued is a list in order. It happens when a wait of the thread needs it or somebody
 * polls the mbarrier that an arrival in it would reach; before that by chance. A wait that is not over is
 * false: the program asks again. Lanes of a warp arrive one by one, so states are not compared with the
 * engine's.
 */
#include "machine.h"
#include "gen/isa_handler_ops.h"
#include "gen/isa_ops.h"
#include <string.h>

enum { MOST = (1 << 20) - 1 };

struct ref_issue {
    struct ref_issue *next;
    uint64_t *barrier; /* an arrival there; NULL: a copy */
    uint8_t *to;
    const uint8_t *from;
    uint32_t size, n, group;
};

/* ---- mbarriers: pending and expected are kept as 2^20 minus what they are ---- */

static uint32_t field(uint64_t word, unsigned at)
{
    return (1u << 20) - (uint32_t)(word >> at & MOST);
}

static void change(struct ref_thread *t, uint64_t *word, uint32_t arrivals, uint32_t drops, int64_t bytes)
{
    uint64_t tx = (*word >> 21 & 0x1fffff) + (uint64_t)bytes;
    if (!*word) ref_fail(t->machine, "fault 719: mbarrier was never initialised");
    if (arrivals && (!(*word >> 43 & MOST) || arrivals > field(*word, 43)))
        ref_fail(t->machine, "fault 719: more arrivals than are missing");
    if (bytes > MOST || bytes < -MOST) ref_fail(t->machine, "fault 719: more than 1048575 bytes");
    const uint64_t phase = *word & 1ull << 63;
    uint64_t pending = (*word >> 43 & MOST) + arrivals, expected = (*word >> 1 & MOST) + drops;
    const bool whole = !(pending & MOST), even = !(tx & 0x1fffff);
    *word = (phase ^ (uint64_t)(whole && even) << 63) |
            (whole && even ? expected & MOST : pending & MOST) << 43 | (tx & 0x1fffff) << 21 |
            (expected & MOST) << 1;
}

/* ---- what was issued happens ---- */

static void happen(struct ref_thread *t, struct ref_issue **link)
{
    struct ref_issue *i = *link;
    *link = i->next;
    if (i->barrier) {
        change(t, i->barrier, 1, 0, 0);
        return;
    }
    memset(i->to, 0, i->size);
    if (i->n) memcpy(i->to, i->from, i->n);
}

/* Copies of groups below `end`, and arrivals that no copy is left before. */
static void finish(struct ref_thread *t, uint32_t end)
{
    struct ref_issue **link = &t->issued;
    bool left = false;
    while (*link) {
        const bool due = (*link)->barrier ? !left : (*link)->group < end;
        left |= !due && !(*link)->barrier;
        if (due)
            happen(t, link);
        else
            link = &(*link)->next;
    }
}

/* Arrivals at the barrier, and all that their threads issued before them. */
static void finish_for(struct ref_cta *cta, const uint64_t *barrier)
{
    for (uint32_t i = 0; i < cta->nthreads; i++) {
        struct ref_thread *t = &cta->threads[i];
        uint32_t n = 0, last = 0;
        for (struct ref_issue *k = t->issued; k; k = k->next)
            if (n++, k->barrier == barrier) last = n;
        while (last--) happen(t, &t->issued);
    }
}

/* ---- instructions ---- */

static struct ref_issue *issue(struct ref_thread *t)
{
    struct ref_issue **link = &t->issued, *i = PX_NEW(&t->machine->arena, struct ref_issue);
    while (*link) link = &(*link)->next;
    i->group = t->groups;
    return *link = i;
}

static uint64_t *barrier_at(struct ref_thread *t, const struct ref_inst *in, unsigned k)
{
    enum px_space space = in->space;
    uint64_t *word = (uint64_t *)(void *)ref_place(t, &space, ref_address(t, &in->o[k], 8), 8, true);
    if (space != PX_SPACE_SHARED) ref_fail(t->machine, "fault 715: mbarrier that is not in shared memory");
    return word;
}

static enum ref_step run_copy(struct ref_thread *t, const struct ref_inst *in)
{
    enum px_space to = PX_SPACE_SHARED, from = PX_SPACE_GLOBAL;
    const uint32_t size = (uint32_t)ref_get(t, &in->o[2]);
    uint32_t n = in->what == 1 ? (uint32_t)ref_get(t, &in->o[3]) : size;
    if (in->what == 2 && ref_get(t, &in->o[3])) n = 0;
    if (n > size) ref_fail(t->machine, "fault 716: cp.async reads %u bytes to write %u", n, size);
    struct ref_issue *i = issue(t);
    i->size = size;
    i->n = n;
    i->to = ref_place(t, &to, ref_address(t, &in->o[0], size), size, true);
    if (n) i->from = ref_place(t, &from, ref_address(t, &in->o[1], size), n, false);
    if (ref_chance(t->machine) & 1) finish(t, UINT32_MAX);
    return REF_NEXT;
}

static enum ref_step run_commit(struct ref_thread *t, const struct ref_inst *in)
{
    (void)in;
    t->groups++;
    return REF_NEXT;
}

/* Programs make no bulk copies: their groups are empty, and complete. */
static enum ref_step run_bulk_group(struct ref_thread *t, const struct ref_inst *in)
{
    (void)t, (void)in;
    return REF_NEXT;
}

static enum ref_step run_wait(struct ref_thread *t, const struct ref_inst *in)
{
    const uint32_t n = in->n ? (uint32_t)ref_get(t, &in->o[0]) : 0;
    finish(t, !in->n ? UINT32_MAX : t->groups > n ? t->groups - n : 0);
    return REF_NEXT;
}

static enum ref_step run_copy_arrive(struct ref_thread *t, const struct ref_inst *in)
{
    uint64_t *word = barrier_at(t, in, 0);
    if (!*word) ref_fail(t->machine, "fault 719: mbarrier was never initialised");
    if (!ref_has(in, PX_W_noinc)) *word -= 1ull << 43;
    issue(t)->barrier = word;
    finish(t, 0);
    return REF_NEXT;
}

enum what { INIT, INVAL, ARRIVE, DROP, EXPECT, COMPLETE, ARRIVE_EXPECT, DROP_EXPECT };

static enum ref_step run_mbarrier(struct ref_thread *t, const struct ref_inst *in)
{
    uint64_t *word = barrier_at(t, in, 1);
    const uint32_t b = in->n > 2 ? (uint32_t)ref_get(t, &in->o[2]) : 1;
    const uint64_t state = *word >> 32 << 32;
    switch (in->what) {
    case INIT:
        if (!b || b > MOST) ref_fail(t->machine, "fault 719: mbarrier for %u arrivals", b);
        *word = (uint64_t)(MOST + 1 - b) << 43 | (uint64_t)(MOST + 1 - b) << 1;
        return REF_NEXT;
    case INVAL: return REF_NEXT;
    case ARRIVE: change(t, word, b, 0, 0); break;
    case DROP: change(t, word, b, b, 0); break;
    case EXPECT: change(t, word, 0, 0, -(int64_t)b); break;
    case COMPLETE: change(t, word, 0, 0, b); break;
    case ARRIVE_EXPECT: change(t, word, 1, 0, -(int64_t)b); break;
    default: change(t, word, 1, 1, -(int64_t)b); break;
    }
    ref_put(t, &in->o[0], state);
    return REF_NEXT;
}

/* what: by a state; otherwise by parity. */
static enum ref_step run_ask(struct ref_thread *t, const struct ref_inst *in)
{
    const uint64_t *word = barrier_at(t, in, 1), b = (uint64_t)ref_get(t, &in->o[2]);
    const uint64_t before = in->what ? b >> 63 : b & 1;
    if (!*word) ref_fail(t->machine, "fault 719: mbarrier was never initialised");
    if (*word >> 63 == before) finish_for(t->cta, word);
    ref_put(t, &in->o[0], *word >> 63 != before);
    return REF_NEXT;
}

/* ---- binding ---- */

static void bind_copy(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    enum px_space space;
    in->run = run_copy;
    in->o[0] = ref_resolve_address(x, in->inst, &o[0], &space);
    in->o[1] = ref_resolve_address(x, in->inst, &o[1], &space);
    in->o[2] = ref_resolve(x, in->inst, &o[2], PX_T_U32);
    in->what = 0;
    for (unsigned i = 3; i < in->inst->nopds && !in->what; i++) {
        const enum px_type type = in->match.type[i];
        in->what = type == PX_T_U32 ? 1 : type == PX_T_PRED ? 2 : 0;
        if (in->what) in->o[3] = ref_resolve(x, in->inst, &o[i], type);
    }
}

/* By the words: the names of the operations say the same. */
static enum what what_of(const struct ref_inst *in)
{
    const bool bytes = ref_has(in, PX_W_expect_tx);
    if (ref_has(in, PX_W_init)) return INIT;
    if (ref_has(in, PX_W_inval)) return INVAL;
    if (ref_has(in, PX_W_complete_tx)) return COMPLETE;
    if (ref_has(in, PX_W_arrive_drop)) return bytes ? DROP_EXPECT : DROP;
    if (ref_has(in, PX_W_arrive)) return bytes ? ARRIVE_EXPECT : ARRIVE;
    return EXPECT;
}

/* o[0] state, o[1] address, o[2] count or bytes. */
static void bind_mbarrier(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    in->run = run_mbarrier;
    in->what = what_of(in);
    const bool arrives = in->what != INIT && in->what != INVAL && in->what != EXPECT && in->what != COMPLETE;
    const unsigned n = in->inst->nopds;
    in->o[0] = arrives ? ref_resolve(x, in->inst, &o[0], PX_T_U64) : (struct ref_operand){.kind = REF_SINK};
    in->o[1] = ref_resolve_address(x, in->inst, &o[arrives], &in->space);
    in->n = n > arrives + 1u ? 3 : 2;
    if (in->n > 2) in->o[2] = ref_resolve(x, in->inst, &o[arrives + 1], PX_T_U32);
}

bool ref_bind_async(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    switch (in->op) {
    case PX_OP_copy: bind_copy(x, in); return true;
    case PX_OP_cp_async_commit: in->run = run_commit; return true;
    case PX_OP_bulk_commit:
    case PX_OP_bulk_wait: in->run = run_bulk_group; return true;
    case PX_OP_cp_async_wait:
        in->run = run_wait;
        if (in->n) in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_U32);
        return true;
    case PX_OP_cp_async_arrive:
        in->run = run_copy_arrive;
        in->o[0] = ref_resolve_address(x, in->inst, &o[0], &in->space);
        return true;
    case PX_OP_mbarrier_init:
    case PX_OP_mbarrier_inval:
    case PX_OP_mbarrier_arrive:
    case PX_OP_mbarrier_arrive_expect:
    case PX_OP_mbarrier_drop:
    case PX_OP_mbarrier_drop_expect:
    case PX_OP_mbarrier_expect:
    case PX_OP_mbarrier_complete: bind_mbarrier(x, in); return true;
    case PX_OP_mbarrier_wait:
        in->run = run_ask;
        in->what = !ref_has(in, PX_W_parity);
        in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_PRED);
        in->o[1] = ref_resolve_address(x, in->inst, &o[1], &in->space);
        in->o[2] = ref_resolve(x, in->inst, &o[2], in->what ? PX_T_U64 : PX_T_U32);
        return true;
    default: return false;
    }
}
