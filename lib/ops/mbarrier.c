/*
 * mbarrier.c - mbarriers (PTX ISA 9.7.13.15): changes of their words, and reading the phase.
 *
 * A CTA runs on one worker at a time, so plain loads and stores do. Whoever ends
 * a phase wakes the lanes of all gangs that sleep at the barrier; they look for
 * themselves whether that was the phase they waited for.
 */
#include "ops/mbarrier.h"
#include "gang/cluster.h"
#include "ops/private.h"
#include "ops/async.h"
#include "ops/mem.h"
#include "ops/operands.h"
#include <stdio.h>

static uint64_t *word_at(const struct px_cta *cta, uint32_t at)
{
    return (uint64_t *)(void *)(cta->shared + at);
}

static uint64_t *word_of(const struct px_mbar_place *p)
{
    return word_at(p->cta, p->at);
}

void px_mbarrier_text(uint64_t word, char *buf, size_t size)
{
    const struct px_mbar b = px_mbar_unpack(word);
    int n = snprintf(buf, size, "phase %u: %u of %u arrivals", b.phase, b.pending, b.expected);
    if (n < 0 || (size_t)n >= size) return;
    if (b.bytes < 0)
        snprintf(buf + n, size - (size_t)n, " and %d bytes missing", -b.bytes);
    else if (b.bytes)
        snprintf(buf + n, size - (size_t)n, " missing, %d bytes more than expected", b.bytes);
    else
        snprintf(buf + n, size - (size_t)n, " missing");
}

/* ---- which barrier ---- */

bool px_mbarrier_at(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint8_t space, uint64_t va,
                    bool init, struct px_mbar_place *to)
{
    struct px_place_of p = px_gang_find(g, space, lane, va, 8);
    to->cta = p.host && p.stride == 4 ? px_unit_of_shared(g->cta, p.host) : NULL;
    if (p.host && !to->cta) {
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, va,
                     "mbarrier at 0x%llx, which is not in shared memory", (unsigned long long)va);
        return false;
    }
    if (px_gang_misaligned(g, space, lane, va, 8)) {
        px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va,
                     "mbarrier at 0x%llx, which is not aligned to 8 bytes", (unsigned long long)va);
        return false;
    }
    if (!p.host) {
        px_gang_trap(g, in, lane, p.error ? p.error : PX_CUDA_ILLEGAL_ADDRESS, va, "mbarrier at 0x%llx: %s",
                     (unsigned long long)va, p.why);
        return false;
    }
    to->at = (uint32_t)(p.host - to->cta->shared);
    if (init || *word_of(to)) return true;
    px_gang_trap(g, in, lane, PX_CUDA_LAUNCH_FAILED, va, "mbarrier at 0x%llx was never initialised",
                 (unsigned long long)va);
    return false;
}

bool px_mbarrier_place(struct px_gang *g, const struct px_insn *in, uint32_t lane, bool init,
                       struct px_mbar_place *to)
{
    return px_mbarrier_at(g, in, lane, in->space, px_address(g, in, lane), init, to);
}

bool px_mbarrier_own(struct px_gang *g, const struct px_insn *in, uint32_t lane, bool init, uint32_t *at)
{
    struct px_mbar_place p;
    if (!px_mbarrier_place(g, in, lane, init, &p)) return false;
    *at = p.at;
    if (p.cta == g->cta) return true;
    px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, px_address(g, in, lane),
                 "mbarrier at 0x%llx, which is another block's", (unsigned long long)px_address(g, in, lane));
    return false;
}

/* ---- changes ---- */

/* What some lanes do together. */
struct change {
    uint64_t arrivals, drops; /* the latter lessen the arrivals expected from now on */
    int64_t bytes;            /* completed, or less than zero: expected */
};

static void wake(struct px_cta *cta, uint32_t at)
{
    for (uint32_t i = 0; i < cta->ngangs; i++) {
        struct px_gang *g = &cta->gangs[i];
        if (g->entries.asleep.n) px_entries_wake(&g->entries, PX_ENTRY_MBARRIER, at);
    }
}

/* NULL, or why the chip refuses. */
static const char *apply(const struct px_mbar_place *at, const struct change *c)
{
    uint64_t *word = word_of(at);
    struct px_mbar b = px_mbar_unpack(*word);
    const int64_t bytes = b.bytes + c->bytes;
    if (*word & PX_MBAR_BROKEN) return "an asynchronous arrival before was one too many";
    if (c->arrivals > b.pending) return "more arrivals than are missing";
    if (c->drops > b.expected) return "more are dropped than are expected";
    if (c->bytes > PX_MBAR_MAX || c->bytes < -PX_MBAR_MAX || bytes > PX_MBAR_MAX || bytes < -PX_MBAR_MAX - 1)
        return "more than 1048575 bytes";
    b.pending -= (uint32_t)c->arrivals;
    b.expected -= (uint32_t)c->drops;
    b.bytes = (int32_t)bytes;
    const bool over = !b.pending && !b.bytes;
    if (over) {
        b.phase ^= 1;
        b.pending = b.expected;
    }
    *word = px_mbar_pack(b);
    if (over) wake(at->cta, at->at);
    return NULL;
}

void px_mbarrier_arrived(struct px_cta *cta, uint32_t at, uint32_t n)
{
    const struct change c = {.arrivals = n};
    if (apply(&(struct px_mbar_place){cta, at}, &c)) *word_at(cta, at) |= PX_MBAR_BROKEN;
}

void px_mbarrier_completed(struct px_cta *cta, uint32_t at, uint32_t bytes)
{
    const struct change c = {.bytes = bytes};
    if (apply(&(struct px_mbar_place){cta, at}, &c)) *word_at(cta, at) |= PX_MBAR_BROKEN;
}

/* What `lanes` lanes change together whose counts or bytes are `sum`; without a count a lane's is 1. */
typedef struct change changes(uint64_t sum, uint32_t lanes);

/* The lanes of `bits` (of the warp that begins at lane `first`) whose barrier is the first one's. */
static uint32_t same_barrier(const struct px_gang *g, const struct px_insn *in, uint32_t bits, uint32_t first)
{
    uint32_t same = 0;
    const uint64_t va = px_address(g, in, first + (uint32_t)__builtin_ctz(bits));
    for (uint32_t left = bits; left; left &= left - 1)
        if (px_address(g, in, first + (uint32_t)__builtin_ctz(left)) == va) same |= left & -left;
    return same;
}

static bool act(struct px_gang *g, const struct px_insn *in, changes *what, uint32_t first, uint32_t bits)
{
    const struct px_operands *o = px_operands(g, in);
    const uint32_t lane = first + (uint32_t)__builtin_ctz(bits);
    const uint32_t *count = o->n > o->ndst ? PX_ROW(g, uint32_t, o->row[o->ndst]) : NULL;
    uint64_t sum = 0, *d = o->ndst ? PX_ROW(g, uint64_t, o->row[0]) : NULL;
    struct px_mbar_place to;
    if (!px_mbarrier_place(g, in, lane, false, &to)) return false;
    const uint64_t state = *word_of(&to) >> 32 << 32;
    for (uint32_t left = bits; left; left &= left - 1) {
        const uint32_t i = first + (uint32_t)__builtin_ctz(left);
        sum += count ? count[i] : 1;
        if (d) d[i] = state;
    }
    const struct change c = what(sum, (uint32_t)__builtin_popcount(bits));
    const char *why = apply(&to, &c);
    if (!why) return true;
    if (to.cta != g->cta) { /* what arrives from elsewhere is asynchronous */
        *word_of(&to) |= PX_MBAR_BROKEN;
        return true;
    }
    char text[100];
    px_mbarrier_text(*word_of(&to), text, sizeof text);
    px_gang_trap(g, in, lane, PX_CUDA_LAUNCH_FAILED, px_address(g, in, lane),
                 "mbarrier at 0x%x (%s): %s (%llu of %d threads)", to.at, text, why, (unsigned long long)sum,
                 __builtin_popcount(bits));
    return false;
}

PX_NAMED_HANDLER_OF(mbarrier_init)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    const uint32_t *count = PX_ROW(g, uint32_t, px_operands(g, in)->row[0]);
    uint32_t lane, at;
    px_private_flush(g->worker);
    PX_FOR_LANES(lane, lanes)
    {
        const uint32_t n = count[lane];
        if (!px_mbarrier_own(g, in, lane, true, &at)) return PX_STEP_TRAP;
        if (!n || n > PX_MBAR_MAX)
            return px_gang_trap(g, in, lane, PX_CUDA_LAUNCH_FAILED, px_address(g, in, lane),
                                "mbarrier for %u arrivals: 1 to %d are possible", n, PX_MBAR_MAX);
        *word_at(g->cta, at) = px_mbar_pack((struct px_mbar){.pending = n, .expected = n});
    }
    return PX_STEP_NEXT;
}

/* The word stays, as on the chip. */
PX_NAMED_HANDLER_OF(mbarrier_inval)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane, at;
    px_private_flush(g->worker);
    PX_FOR_LANES(lane, lanes) if (!px_mbarrier_own(g, in, lane, true, &at)) return PX_STEP_TRAP;
    return PX_STEP_NEXT;
}

/* Lanes that woke may stand in the running frame: exec.c is to look for them from here on. */
static void look_again(struct px_gang *g)
{
    g->merge_pc = px_entries_next_pc(&g->entries, g->running);
}

/* Lanes of a warp that name one barrier act together. */
static int change(struct px_gang *g, const struct px_insn *in, changes *what)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    px_private_flush(g->worker);
    for (uint32_t w = 0; w < g->width / 32; w++)
        for (uint32_t left = px_lanes_warp(&lanes, w), same; left; left &= ~same) {
            same = same_barrier(g, in, left, w * 32);
            if (!act(g, in, what, w * 32, same)) return PX_STEP_TRAP;
        }
    look_again(g);
    return PX_STEP_NEXT;
}

#define CHANGE(name, ...)                                                                                    \
    static struct change name(uint64_t sum, uint32_t lanes)                                                  \
    {                                                                                                        \
        (void)lanes;                                                                                         \
        return (struct change){__VA_ARGS__};                                                                 \
    }                                                                                                        \
    PX_NAMED_HANDLER_OF(mbarrier_##name)                                                                     \
    {                                                                                                        \
        return change(g, in, name);                                                                          \
    }
CHANGE(arrive, .arrivals = sum)
CHANGE(arrive_expect, .arrivals = lanes, .bytes = -(int64_t)sum)
CHANGE(drop, .arrivals = sum, .drops = sum)
CHANGE(drop_expect, .arrivals = lanes, .drops = lanes, .bytes = -(int64_t)sum)
CHANGE(expect, .bytes = -(int64_t)sum)
CHANGE(complete, .bytes = (int64_t)sum)

/* ---- waits ---- */

bool px_mbarrier_over(const struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t *at)
{
    const uint32_t i = in->wait & PX_WAIT_SCALAR ? 0 : lane;
    const uint8_t *from = g->cta->shared;
    *at = (uint32_t)px_address(g, in, lane) & ((1u << PX_RANK_SHIFT) - 1);
    const uint32_t phase = (uint32_t)(*(const uint64_t *)(const void *)(from + *at) >> 63);
    if (in->wait & PX_WAIT_STATE) return phase != PX_ROW(g, uint64_t, in->b)[i] >> 63;
    return phase != (PX_ROW(g, uint32_t, in->b)[i] & 1);
}

/* A barrier at which asynchronous arrivals are pending is asked again after they have happened. */
static bool over_now(struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    uint32_t at;
    while (!px_mbarrier_over(g, in, lane, &at))
        if (!px_async_arrive_one(g->cta, at)) return false;
    return true;
}

int px_mbarrier_wait(struct px_gang *g, const struct px_insn *in)
{
    uint32_t lane, at, *p = PX_ROW(g, uint32_t, in->d);
    bool sleep = false;
    g->resume = false;
    PX_FOR_LANES(lane, g->active)
    {
        if (!px_mbarrier_own(g, in, lane, false, &at)) return PX_STEP_TRAP;
        if (!over_now(g, in, lane) && !px_lanes_has(&g->expired, lane)) sleep = true;
    }
    if (sleep && (in->wait & PX_WAIT_TRY || in->flags & PX_INSN_ALONE)) return PX_STEP_POLL;
    PX_FOR_LANES(lane, g->active) p[lane] = 0u - (uint32_t)px_mbarrier_over(g, in, lane, &at);
    g->expired = px_lanes_minus(g->expired, g->active);
    look_again(g);
    return PX_STEP_NEXT;
}
