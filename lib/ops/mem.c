/*
 * mem.c - addresses: from what a lane says to a host place, and the slow
 * paths of loads and stores.
 *
 * handlers_fixed.c serves the common case: every lane inside one segment that the
 * gang already knows. It falls back to here, where the segment of the first
 * lane is looked up and the handler tried again; if that was not the reason,
 * the lanes are done one by one, which finds mixed windows, local memory and
 * faults. A word-interleaved place (local memory) has its k-th 4-byte word
 * `stride` bytes behind the one before.
 */
#include "isa/isa.h"
#include "gang/cluster.h"
#include "ops/local.h"
#include "ops/mem.h"
#include "ops/private.h"

static struct px_place_of flat(uint8_t *host, uint64_t lo, uint64_t len, uint64_t va, uint64_t size,
                               const char *why)
{
    uint64_t off = va - lo;
    struct px_place_of p = {.stride = 4, .seg = {lo, len, host}, .why = why};
    if (off <= len && size <= len - off) p.host = host + off;
    return p;
}

/* Past an allocation, where a chip goes on; nothing is learnt, so each lane comes here again. */
static struct px_place_of past_end(struct px_gang *g, uint64_t va)
{
    const struct px_mem *mem = g->cta->grid->mem;
    px_private_flush(g->worker);
    return (struct px_place_of){
        .stride = 4, .past = true, .host = (uint8_t *)(uintptr_t)(va + (uint64_t)mem->delta)};
}

static struct px_place_of in_global(struct px_gang *g, uint64_t va, uint64_t size)
{
    const struct px_mem *mem = g->cta->grid->mem;
    struct px_extent x = {mem->lo, mem->len};
    const bool inside = mem->host_mode || px_mem_extent(mem, va, &x);
    if (mem->open && !(inside && size <= x.len - (va - x.lo)) && px_mem_is_past(mem, va, size))
        return past_end(g, va);
    if (!inside) return (struct px_place_of){.why = "address is in no allocation"};
    if (mem->host_mode && va - x.lo < x.len)
        px_private_between(g->worker, va, size, &x);
    else
        px_private_touch(g->worker, x.lo, x.len);
    const char *why = !mem->host_mode ? "it runs past the end of its allocation"
                      : va < x.lo     ? "it is a null pointer, or near it"
                                      : "no memory of the host has this address";
    return flat((uint8_t *)(uintptr_t)(x.lo + (uint64_t)mem->delta), x.lo, x.len, va, size, why);
}

static struct px_place_of in_local(struct px_gang *g, uint32_t lane, uint64_t offset, uint64_t size)
{
    struct px_place_of p = {.stride = g->width * 4, .why = "address is outside the thread's local memory"};
    uint64_t top = g->running->local_top;
    if (offset > top || size > top - offset) return p;
    p.host = g->local + ((offset >> 2) * g->width + lane) * 4 + (offset & 3);
    return p;
}

/* A block of the cluster, by what an address says; `own`: the instruction reaches the block's own memory
 * alone.
 */
static struct px_cta *block_of(const struct px_cta *cta, uint64_t rank, bool own, struct px_place_of *wrong)
{
    const struct px_cluster *cluster = cta->cluster;
    *wrong = (struct px_place_of){.error = PX_CUDA_LAUNCH_FAILED};
    if (own && rank != cta->rank) {
        wrong->error = PX_CUDA_ILLEGAL_INSTRUCTION;
        wrong->why =
            "it is another block's shared memory, which .shared::cluster and generic addresses reach";
    } else if (rank >= cluster->n) {
        wrong->error = rank < PX_CLUSTER_MOST ? PX_CUDA_LAUNCH_FAILED : PX_CUDA_ILLEGAL_INSTRUCTION;
        wrong->why = "its cluster has no such block";
    } else if (cluster->over >> rank & 1) {
        wrong->why = "it is of a block of the cluster that has ended";
    } else {
        return cluster->cta[rank];
    }
    return NULL;
}

/* An address of shared memory, in the window that begins at `window`: of a cluster's block by its rank. */
static struct px_place_of in_shared(const struct px_cta *cta, uint64_t window, uint64_t va, uint64_t size,
                                    bool own)
{
    if (cta->cluster) {
        struct px_place_of wrong;
        const uint64_t rank = (va - window) >> PX_RANK_SHIFT;
        cta = block_of(cta, rank, own, &wrong);
        if (!cta) return wrong;
        window += rank << PX_RANK_SHIFT;
    }
    return flat(cta->shared, window, cta->shared_bytes, va, size,
                "address is outside the block's shared memory");
}

static struct px_place_of in_window(struct px_gang *g, uint32_t lane, uint64_t va, uint64_t size)
{
    const struct px_cta *cta = g->cta;
    uint64_t owner = va >> 32 & 0x1ffffff;
    switch (px_window_of(va)) {
    case PX_WIN_NONE: return in_global(g, va, size);
    case PX_WIN_SHARED:
        if (owner != cta->slot)
            return (struct px_place_of){.why = "address lies in another block's shared memory"};
        return in_shared(cta, cta->uniform.shared_window, va, size, false);
    case PX_WIN_LOCAL:
        if ((va >> 30 & 0x7ffffff) != cta->local_owner || (va >> 20 & 1023) != g->first + lane)
            return (struct px_place_of){.why = "address lies in another thread's local memory"};
        return in_local(g, lane, va & 0xfffff, size);
    case PX_WIN_PARAM:
        return flat(cta->grid->params, cta->uniform.param_window, cta->grid->param_bytes, va, size,
                    "address is outside the kernel's parameters");
    case PX_WIN_CONST:
        return flat(cta->grid->const_image, px_window_base(PX_WIN_CONST, cta->grid->owner),
                    cta->grid->const_bytes, va, size, "address is outside the constant memory");
    default: return (struct px_place_of){.why = "address is that of a function"};
    }
}

struct px_place_of px_gang_find(struct px_gang *g, uint8_t space, uint32_t lane, uint64_t va, uint64_t size)
{
    const struct px_cta *cta = g->cta;
    va = px_space_address(space, va);
    switch (space) {
    case PX_SPACE_SHARED:
    case PX_SPACE_CLUSTER: return in_shared(cta, 0, va, size, space == PX_SPACE_SHARED);
    case PX_SPACE_LOCAL: return in_local(g, lane, va, size);
    case PX_SPACE_PARAM:
        return flat(cta->grid->params, 0, cta->grid->param_bytes, va, size,
                    "address is outside the kernel's parameters");
    case PX_SPACE_CONST:
        return flat(cta->grid->const_image, 0, cta->grid->const_bytes, va, size,
                    "address is outside the constant memory");
    case PX_SPACE_GLOBAL: /* a constant variable has an address in global memory, too */
        return px_window_of(va) == PX_WIN_CONST ? in_window(g, lane, va, size) : in_global(g, va, size);
    default: return in_window(g, lane, va, size);
    }
}

/* The block of a cluster whose shared memory the address names (mapa); 0: the block's own, or none. */
static uint32_t other_rank(const struct px_gang *g, uint8_t space, uint64_t va, uint64_t size)
{
    const uint64_t offset = va & 0xffffff;
    const bool generic = px_window_of(va) == PX_WIN_SHARED && offset + size <= g->cta->shared_bytes;
    return !g->cta->cluster && (space == PX_SPACE_SHARED || generic) ? va >> PX_RANK_SHIFT & 0xff : 0;
}

/* The chip calls what it finds in no cluster an illegal instruction, however far beyond any cluster it is. */
static void trap_rank(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va, uint32_t size,
                      uint32_t rank, const char *why)
{
    if (rank < PX_CLUSTER_MOST)
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, va,
                     "access of %u bytes at 0x%llx: it is of block %u of a cluster, which has one block",
                     size, (unsigned long long)va, rank);
    else
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_INSTRUCTION, va, "access of %u bytes at 0x%llx: %s", size,
                     (unsigned long long)va, why);
}

bool px_gang_misaligned(struct px_gang *g, uint8_t space, uint32_t lane, uint64_t va, uint32_t size)
{
    const uint64_t off = va & (size - 1u);
    return off &&
           (px_gang_find(g, space, lane, va, size).host || px_gang_find(g, space, lane, va - off, size).host);
}

const char *px_may_go_on(const struct px_gang *g, uint8_t space, uint64_t va, uint64_t size)
{
    const bool global = space == PX_SPACE_GLOBAL || (space == PX_SPACE_NONE && !px_window_of(va));
    return global && px_mem_is_past(g->cta->grid->mem, va, size) ? " (--ub=chip goes on, as a chip does)"
                                                                 : "";
}

/* A check may let the kernel go on: then the access reads zeros, and what it writes goes nowhere. */
static void goes_on(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size,
                    struct px_place_of *p)
{
    struct px_worker *w = g->worker;
    if (!w->faulty || !w->faulty(g, in, lane, size)) return;
    g->cta->trap = (struct px_trap){0};
    memset(w->nowhere, 0, sizeof w->nowhere);
    uint8_t *host = w->nowhere + (-(uintptr_t)w->nowhere & 31);
    *p = (struct px_place_of){.host = host, .stride = 4, .seg = g->seg[in->extent]};
}

struct px_place_of px_gang_resolve(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size)
{
    uint64_t va = px_address(g, in, lane);
    struct px_place_of p = px_gang_find(g, in->space, lane, va, size);
    if (px_gang_misaligned(g, in->space, lane, va, in->bytes)) {
        px_gang_trap(g, in, lane, PX_CUDA_MISALIGNED_ADDRESS, va, "address 0x%llx is not aligned to %u bytes",
                     (unsigned long long)va, in->bytes);
        p.host = NULL;
    } else if (!p.host && other_rank(g, in->space, va, size)) {
        trap_rank(g, in, lane, va, size, other_rank(g, in->space, va, size), p.why);
    } else if (!p.host) {
        px_gang_trap(g, in, lane, p.error ? p.error : PX_CUDA_ILLEGAL_ADDRESS, va,
                     "access of %u bytes at 0x%llx: %s%s", size, (unsigned long long)va, p.why,
                     px_may_go_on(g, in->space, va, size));
    }
    if (!p.host) goes_on(g, in, lane, size, &p);
    return p;
}

void px_lane_get(void *to, const uint8_t *from, uint32_t size, uint32_t stride, uint64_t va)
{
    uint8_t *out = to;
    uint32_t at = (uint32_t)(va & 3);
    from -= at;
    for (uint32_t i = 0; i < size; i++, at++) out[i] = from[(at >> 2) * (size_t)stride + (at & 3)];
}

void px_lane_put(uint8_t *to, const void *from, uint32_t size, uint32_t stride, uint64_t va)
{
    const uint8_t *bytes = from;
    uint32_t at = (uint32_t)(va & 3);
    to -= at;
    for (uint32_t i = 0; i < size; i++, at++) to[(at >> 2) * (size_t)stride + (at & 3)] = bytes[i];
}

bool px_learn_segment(struct px_gang *g, const struct px_insn *in, uint64_t va, uint32_t size)
{
    struct px_place_of p = px_gang_find(g, in->space, px_lanes_first(&g->active), va, size);
    struct px_seg *seg = &g->seg[in->extent];
    if (!p.host || !p.seg.len || (seg->lo == p.seg.lo && seg->len == p.seg.len && seg->host == p.seg.host))
        return false;
    *seg = p.seg;
    return true;
}

/* Looks the first lane's segment up; true when that is news, so that the fast path may work now. */
static bool learn_segment(struct px_gang *g, const struct px_insn *in, struct px_lanes lanes, uint32_t size)
{
    return px_learn_segment(g, in, px_address(g, in, px_lanes_first(&lanes)), size);
}

/* One unit, whole where that is possible: races must not tear it. */
static __attribute__((no_sanitize("thread"))) void
get_unit(struct px_wide *locks, void *v, const struct px_place_of *p, uint32_t size, uint64_t va)
{
    if (p->stride != 4) {
        px_lane_get(v, p->host, size, p->stride, va);
        return;
    }
    switch (size) {
    case 1: *(uint8_t *)v = __atomic_load_n(p->host, __ATOMIC_RELAXED); break;
    case 2: *(uint16_t *)v = __atomic_load_n((uint16_t *)(void *)p->host, __ATOMIC_RELAXED); break;
    case 4: *(uint32_t *)v = __atomic_load_n((uint32_t *)(void *)p->host, __ATOMIC_RELAXED); break;
    case 8: *(uint64_t *)v = __atomic_load_n((uint64_t *)(void *)p->host, __ATOMIC_RELAXED); break;
    default: *(px_quad *)v = px_wide_get(locks, p->host); break;
    }
}

static __attribute__((no_sanitize("thread"))) void
put_unit(struct px_wide *locks, const struct px_place_of *p, const void *v, uint32_t size, uint64_t va)
{
    if (p->stride != 4) {
        px_lane_put(p->host, v, size, p->stride, va);
        return;
    }
    switch (size) {
    case 1: __atomic_store_n(p->host, *(const uint8_t *)v, __ATOMIC_RELAXED); break;
    case 2: __atomic_store_n((uint16_t *)(void *)p->host, *(const uint16_t *)v, __ATOMIC_RELAXED); break;
    case 4: __atomic_store_n((uint32_t *)(void *)p->host, *(const uint32_t *)v, __ATOMIC_RELAXED); break;
    case 8: __atomic_store_n((uint64_t *)(void *)p->host, *(const uint64_t *)v, __ATOMIC_RELAXED); break;
    default: px_wide_put(locks, p->host, *(const px_quad *)v); break;
    }
}

static void extend(uint8_t *v, uint32_t size, uint32_t wide, bool sign)
{
    if (wide > size) memset(v + size, sign && v[size - 1] & 0x80 ? 0xff : 0, wide - size);
}

/* ---- local memory at one place in all lanes: rows of words ---- */

uint8_t *px_local_rows(const struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va,
                       uint32_t size)
{
    const uint64_t base = px_local_base(g->cta->local_owner, g->first + lane), top = g->running->local_top;
    const uint64_t offset = in->space == PX_SPACE_LOCAL ? (uint32_t)va : va - base;
    if (offset > top || size > top - offset || offset & (in->bytes - 1u)) return NULL;
    return g->local + (offset >> 2) * g->width * 4 + (offset & 3);
}

/* ---- addresses of 32 bits that wrap ---- */

/* Does an address of an active lane need more? */
static bool is_beyond(const struct px_gang *g, const struct px_insn *in, struct px_lanes lanes)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t all = 0;
    uint32_t lane;
    if (!px_space_is_narrow(in->space) || in->space == PX_SPACE_LOCAL) return false;
    if (in->flags & PX_INSN_SCALAR_A) return (a[0] + in->imm) >> 32;
    PX_FOR_LANES(lane, lanes) all |= a[lane] + in->imm;
    return all >> 32;
}

/* The handler again, with the addresses written out, so that its fast path serves them, too. */
static int within(struct px_gang *g, const struct px_insn *in)
{
    const uint64_t *a = PX_ROW(g, uint64_t, in->a);
    uint64_t *wrapped = PX_ROW(g, uint64_t, PX_SCRATCH_E);
    const uint32_t n = in->flags & PX_INSN_SCALAR_A ? 1 : g->n;
    struct px_insn plain = *in;
    for (uint32_t i = 0; i < n; i++) wrapped[i] = (uint32_t)(a[i] + in->imm);
    plain.a = PX_SCRATCH_E;
    plain.imm = 0;
    return plain.fn(g, &plain);
}
_Static_assert(PX_FRAME_HEAD - PX_SCRATCH_E >= PX_LANES_MAX * 8, "two scratch rows hold addresses");

/* ---- lane by lane ---- */

int px_load_slow(struct px_gang *g, const struct px_insn *in, struct px_form f)
{
    const uint32_t to[4] = {in->d, in->e, in->b, in->c}, size = f.unit / f.parts;
    struct px_lanes lanes = px_gang_lanes(g, in);
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    if (is_beyond(g, in, lanes)) return within(g, in);
    if (px_local_load(g, in, &lanes, to, f)) return PX_STEP_NEXT;
    if (learn_segment(g, in, lanes, f.unit)) return in->fn(g, in);
    if (g->narrow) return PX_STEP_WIDEN;
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        _Alignas(16) uint8_t v[16], element[16];
        struct px_place_of p = px_gang_resolve(g, in, lane, f.unit);
        if (!p.host) return PX_STEP_TRAP;
        get_unit(g->cta->locks, v, &p, f.unit, px_address(g, in, lane));
        for (uint32_t k = 0; k < f.parts; k++) {
            memcpy(element, v + k * size, size);
            extend(element, size, f.wide, f.sign);
            memcpy(g->frame + to[k] + (size_t)lane * f.wide, element, f.wide);
        }
    }
    return PX_STEP_NEXT;
}

int px_store_slow(struct px_gang *g, const struct px_insn *in, struct px_form f)
{
    const uint32_t from[4] = {in->b, in->c, in->d, in->e}, size = f.unit / f.parts;
    struct px_lanes lanes = px_gang_lanes(g, in);
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    if (is_beyond(g, in, lanes)) return within(g, in);
    if (px_local_store(g, in, &lanes, from, f)) return PX_STEP_NEXT;
    if (learn_segment(g, in, lanes, f.unit)) return in->fn(g, in);
    if (g->narrow) return PX_STEP_WIDEN;
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        _Alignas(16) uint8_t v[16];
        struct px_place_of p = px_gang_resolve(g, in, lane, f.unit);
        if (!p.host) return PX_STEP_TRAP;
        for (uint32_t k = 0; k < f.parts; k++)
            memcpy(v + k * size, g->frame + from[k] + (size_t)lane * f.wide, size);
        px_tell_past(g, in, lane, f.unit, &p);
        put_unit(g->cta->locks, &p, v, f.unit, px_address(g, in, lane));
    }
    return PX_STEP_NEXT;
}
