/*
 * wgmma.c - the record of wgmma.mma_async (matrix.h): one warpgroup after the other.
 *
 * The product is computed at once: NVIDIA's assembler waits before registers that a product still writes are
 * used, so no program can see when it ended (tests/hw/wgmma). Shared memory is read at once, too: what a
 * program overwrites before its wait is a race on the chip.
 */
#include "ops/matrix.h"
#include "isa/isa.h"
#include "mem/mem.h"
#include "ops/mem.h"
#include "ops/row.h"
#include "ops/trace.h"

enum { LINES = 256 /* that are reported at once */ };

struct shared {
    struct px_gang *g;
    uint32_t lane;
    struct px_seg seg;
    const char *why;
    const struct px_insn *in;
    const ptx_trace_place *told; /* NULL: nobody hears of what is read */
    uint32_t n;
    ptx_trace_lane lanes[LINES];
};

static void report(struct shared *m)
{
    if (m->told) px_trace_product(m->g, m->in, m->told, m->lanes, m->n);
    m->n = 0;
}

static void note(struct shared *m, uint32_t at)
{
    if (m->n == LINES) report(m);
    m->lanes[m->n++] = (ptx_trace_lane){at, m->g->first + m->lane, 16};
}

/* Kernel memory: a word is never torn. */
PX_RACY static bool fetch(void *memory, uint32_t at, void *to)
{
    struct shared *m = memory;
    if (m->seg.len < 16 || at - m->seg.lo > m->seg.len - 16) {
        struct px_place_of p = px_gang_find(m->g, PX_SPACE_SHARED, m->lane, at, 16);
        m->why = p.why;
        if (!p.host) return false;
        m->seg = p.seg;
    }
    const uint64_t *from = (const uint64_t *)(const void *)(m->seg.host + (at - m->seg.lo));
    const uint64_t words[2] = {__atomic_load_n(from, __ATOMIC_RELAXED),
                               __atomic_load_n(from + 1, __ATOMIC_RELAXED)};
    memcpy(to, words, sizeof words);
    if (m->told) note(m, at);
    return true;
}

/* Lanes of the group's warps that are here; false: a warp has none, for good. */
static bool warps_of(const struct px_gang *g, uint32_t group, uint32_t here[4])
{
    bool all = true;
    for (uint32_t w = 0; w < 4; w++) {
        uint32_t at = group * 4 + w;
        here[w] = at < g->n / PX_WARP ? px_lanes_warp(&g->active, at) : 0;
        all &= here[w] != 0;
    }
    return all;
}

static int incomplete(struct px_gang *g, const struct px_insn *in, uint32_t group, const uint32_t here[4])
{
    uint32_t some = 0, none = 0;
    for (uint32_t w = 4; w-- > 0;)
        if (here[w])
            some = w;
        else
            none = w;
    return px_gang_trap(
        g, in, group * PX_WARPGROUP + some * PX_WARP + (uint32_t)__builtin_ctz(here[some]),
        PX_CUDA_ILLEGAL_INSTRUCTION, 0,
        "a warpgroup is four warps; of warp %u of this one all threads have exited or never were", none);
}

static int run_group(struct px_gang *g, const struct px_insn *in, uint32_t group)
{
    const struct px_matrix_wgmma *m = in->aux;
    const uint32_t first = group * PX_WARPGROUP;
    uint32_t here[4], at;
    if (!warps_of(g, group, here)) return incomplete(g, in, group, here);
    /* The chip takes descriptors from the first lane of the first warp, and adds when any lane of it says so.
     */
    struct shared memory;
    memory.g = g;
    memory.in = in;
    memory.lane = first + (uint32_t)__builtin_ctz(here[0]);
    memory.seg = (struct px_seg){0};
    memory.why = "";
    memory.told = m->at;
    memory.n = 0;
    struct px_wgmma_group w = {.e = PX_ROW(g, uint32_t, in->metadata) + first};
    const uint32_t n = m->form.regs, *d = m->row, *a = d + n, *c = m->row + in->d;
    for (uint32_t lane = 0; lane < PX_WARP; lane++)
        w.add |= here[0] >> lane & 1 && PX_ROW(g, uint32_t, in->c)[first + lane];
    w.desc_b = PX_ROW(g, uint64_t, in->b)[memory.lane];
    if (m->form.w.a_memory) w.desc_a = PX_ROW(g, uint64_t, in->a)[memory.lane];
    for (uint32_t r = 0; r < 4 && !m->form.w.a_memory; r++) w.a[r] = PX_ROW(g, uint32_t, a[r]) + first;
    for (uint32_t r = 0; r < n; r++) {
        w.c[r] = PX_ROW(g, uint32_t, c[r]) + first;
        w.d[r] = PX_ROW(g, uint32_t, d[r]) + first;
    }
    const bool ok = px_wgmma_run(&m->form, m->product, &w, fetch, &memory, &at);
    report(&memory);
    if (ok) return PX_STEP_NEXT;
    return px_gang_trap(g, in, memory.lane, PX_CUDA_ILLEGAL_ADDRESS, at, "a descriptor leads to 0x%x: %s", at,
                        memory.why);
}

int px_matrix_wgmma(struct px_gang *g, const struct px_insn *in)
{
    if (!px_gang_met(g, PX_WARPGROUP)) return PX_STEP_MEET;
    for (uint32_t group = 0; group * PX_WARPGROUP < g->n; group++) {
        uint32_t any = 0, here[4];
        warps_of(g, group, here);
        for (uint32_t w = 0; w < 4; w++) any |= here[w];
        int step = any ? run_group(g, in, group) : PX_STEP_NEXT;
        if (step != PX_STEP_NEXT) return step;
    }
    return PX_STEP_NEXT;
}
