/*
 * sreg.c - special registers that are not scalars of the CTA.
 *
 * %clock counts host nanoseconds doubled: monotonic, and near the rate of a
 * real SM's clock, so that programs that spin for a number of cycles take
 * about as long as on the chip. %globaltimer is the host's real time clock.
 * On a deterministic device they count what was executed: %clock the instructions
 * of the CTA and the readings of it, %globaltimer 2^40 for each grid before and
 * the warp-instructions of the worker.
 */
#include "ops/sreg.h"
#include <time.h>

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t lane_value(const struct px_gang *g, uint64_t what, uint32_t lane)
{
    uint32_t bit = 1u << (lane & 31);
    switch (what) {
    case PX_LV_TID_X:
    case PX_LV_TID_Y:
    case PX_LV_TID_Z: return g->tid[what - PX_LV_TID_X][lane];
    case PX_LV_LANEID: return lane & 31;
    case PX_LV_WARPID: return (g->first + lane) / 32;
    case PX_LV_MASK_EQ: return bit;
    case PX_LV_MASK_LE: return bit | (bit - 1);
    case PX_LV_MASK_LT: return bit - 1;
    case PX_LV_MASK_GE: return ~(bit - 1);
    default: return ~(bit | (bit - 1)); /* PX_LV_MASK_GT */
    }
}

/* Values that change with time, the same for all lanes. */
static uint64_t time_value(struct px_gang *g, uint64_t what)
{
    struct px_cta *cta = g->cta;
    const bool timer = what >= PX_LV_TIMER, high = what == PX_LV_CLOCK_HI || what == PX_LV_TIMER_HI;
    uint64_t now;
    if (cta->counted)
        now = timer ? (cta->grid->id << 40) + g->worker->warp_instructions : ++cta->clock;
    else
        now = timer ? nanoseconds(CLOCK_REALTIME) : nanoseconds(CLOCK_MONOTONIC) * 2;
    return high ? now >> 32 : now;
}

static void put(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t v)
{
    switch (in->bytes) {
    case 2: PX_ROW(g, uint16_t, in->d)[lane] = (uint16_t)v; break;
    case 4: PX_ROW(g, uint32_t, in->d)[lane] = (uint32_t)v; break;
    default: PX_ROW(g, uint64_t, in->d)[lane] = v; break;
    }
}

/* The row is a temporary, so that all lanes may be written. */
int px_sreg_read(struct px_gang *g, const struct px_insn *in)
{
    if (in->imm <= PX_LV_TID_Z && in->bytes == 4) {
        memcpy(PX_ROW(g, uint32_t, in->d), g->tid[in->imm], g->n * 4);
        return PX_STEP_NEXT;
    }
    bool timed = in->imm >= PX_LV_CLOCK;
    uint64_t now = timed ? time_value(g, in->imm) : 0;
    for (uint32_t lane = 0; lane < g->n; lane++) put(g, in, lane, timed ? now : lane_value(g, in->imm, lane));
    return PX_STEP_NEXT;
}

int px_nanosleep(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_YIELD; /* sleeping is only a hint: let others run */
}
