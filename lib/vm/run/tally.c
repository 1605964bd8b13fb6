/*
 * tally.c - counting while gangs run: see gang/tally.h.
 */
#include "vm/run/tally.h"
#include "vm/device/device.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

static struct px_tally *counter(const struct px_gang *g, uint32_t index)
{
    return &g->worker->tally[g->running->code->tally_at + index];
}

/* Warps are bits at the last lane that they have in a word. Where lanes are as in the gang, these are: */
#define WHOLE_WARPS 0x8000000080000000u
static const struct px_warp_ends whole = {{{WHOLE_WARPS, WHOLE_WARPS, WHOLE_WARPS, WHOLE_WARPS}},
                                          {{0}},
                                          {{0}},
                                          {0, 32, 64, 96, 128, 160, 192, 224, 256}};

typedef uint64_t words __attribute__((vector_size(8 * PX_MASK_WORDS), aligned(8), may_alias));
_Static_assert(PX_MASK_WORDS == 4, "the shuffle in warps_of has so many words");

static const struct px_warp_ends *ends_of(const struct px_gang *g)
{
    return g->narrow ? &g->worker->narrow.ends : &whole;
}

/*
 * The warps of which a lane is in a set. The lanes of a warp stand side by side, so adding ones to all but
 * the last of them carries into that one's bit when any is set. A warp has 32 lanes, so it goes on in the
 * next word at most.
 */
static inline __attribute__((always_inline)) void warps_of(const struct px_warp_ends *ends, words *set)
{
    const words last = *(const words *)&ends->last, goes = *(const words *)&ends->goes, in = *set;
    const words warps = (((in & ~last) + ~last) | in) & last;
    const words top = (warps & goes) >> 63, zero = {0};
    const words cut = __builtin_shuffle(top, zero, (words){4, 0, 1, 2});
    *set = (warps & ~goes) | (*(const words *)&ends->again & -cut);
}

static uint32_t count_bits(uint64_t x)
{
    return (uint32_t)(px_lanes_bytes(x) * 0x0101010101010101u >> 56);
}

static inline __attribute__((always_inline)) void add_bits(words *sums, const words *set)
{
    const words x = *set;
    const words n = {(uint64_t)__builtin_popcountll(x[0]), (uint64_t)__builtin_popcountll(x[1]),
                     (uint64_t)__builtin_popcountll(x[2]), (uint64_t)__builtin_popcountll(x[3])};
    *sums += n;
}

static inline __attribute__((always_inline)) uint32_t number(const words *warps)
{
    words n = {0};
    add_bits(&n, warps);
    return (uint32_t)(n[0] + n[1] + n[2] + n[3]);
}

/* Of how many warps lanes are in a set, and how many have lanes in it and out of it. */
struct warps {
    uint64_t in, both;
};

/* Lanes of `all` that are in n sets, one after the other. */
static inline __attribute__((always_inline)) void
count_warps(const struct px_warp_ends *ends, const struct px_lanes *all, const struct px_lanes *sets,
            uint32_t n, struct warps *warps, void (*add)(words *sums, const words *set))
{
    const words lanes = *(const words *)all;
    words some = {0}, divided = {0};
    for (uint32_t i = 0; i < n; i++) {
        words in = lanes & *(const words *)&sets[i], out = lanes & ~in;
        warps_of(ends, &in);
        warps_of(ends, &out);
        const words both = in & out;
        add(&some, &in);
        add(&divided, &both);
    }
    warps->in = some[0] + some[1] + some[2] + some[3];
    warps->both = divided[0] + divided[1] + divided[2] + divided[3];
}

/* Of each turn of a loop of a few instructions, hence for processors that count bits, and add words, by an
 * instruction; best the bits of four words. */
#ifdef __x86_64__
static __attribute__((target("avx2,popcnt"))) void count_warps_avx2(const struct px_warp_ends *ends,
                                                                    const struct px_lanes *all,
                                                                    const struct px_lanes *sets, uint32_t n,
                                                                    struct warps *warps)
{
    count_warps(ends, all, sets, n, warps, add_bits);
}

#define COUNTS_VECTORS __attribute__((target("avx512vl,avx512vpopcntdq")))
static inline COUNTS_VECTORS void add_bits_avx512(words *sums, const words *set)
{
    *sums += (words)_mm256_popcnt_epi64((__m256i)*set);
}
static COUNTS_VECTORS void count_warps_avx512(const struct px_warp_ends *ends, const struct px_lanes *all,
                                              const struct px_lanes *sets, uint32_t n, struct warps *warps)
{
    count_warps(ends, all, sets, n, warps, add_bits_avx512);
}
#endif

static __attribute__((noinline)) void count_warps_anywhere(const struct px_warp_ends *ends,
                                                           const struct px_lanes *all,
                                                           const struct px_lanes *sets, uint32_t n,
                                                           struct warps *warps)
{
    count_warps(ends, all, sets, n, warps, add_bits);
}

static struct warps warps_divided(const struct px_gang *g, const struct px_lanes *all,
                                  const struct px_lanes *sets, uint32_t n)
{
    struct warps warps;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq")) {
        count_warps_avx512(ends_of(g), all, sets, n, &warps);
        return warps;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) {
        count_warps_avx2(ends_of(g), all, sets, n, &warps);
        return warps;
    }
#endif
    count_warps_anywhere(ends_of(g), all, sets, n, &warps);
    return warps;
}

static uint32_t warps_among(const struct px_gang *g, const struct px_lanes *lanes)
{
    return warps_divided(g, lanes, lanes, 1).in;
}

static void add(struct px_gang *g, uint32_t from, uint32_t n, uint64_t threads, uint64_t warps)
{
    struct px_tally *first = counter(g, from), *behind = first + n;
    first->threads += threads;
    first->warps += warps;
    behind->threads -= threads;
    behind->warps -= warps;
}

static uint32_t active_warps(const struct px_gang *g)
{
    return g->full && !g->narrow ? g->nactive / 32 : warps_among(g, &g->active);
}

void px_tally_range(struct px_gang *g, uint32_t from, uint32_t to)
{
    add(g, from, to - from, g->nactive, active_warps(g));
}

void px_tally_block(struct px_gang *g, const struct px_region_block *block, const struct px_lanes *lanes,
                    uint64_t times)
{
    add(g, block->before, block->insts, px_lanes_count(lanes) * times, warps_among(g, lanes) * times);
}

void px_tally_counted(struct px_gang *g, const struct px_region_block *block,
                      const struct px_region_count *count)
{
    add(g, block->before, block->insts, count->threads, count->warps);
    if (block->divides) counter(g, block->before + block->insts - 1)->divided += count->ways - count->warps;
}

static void add_laps(struct px_gang *g, struct px_laps *laps, uint64_t warps)
{
    for (uint32_t i = 0; i < laps->n; i++) {
        const struct px_lap *lap = &laps->done[i];
        add(g, lap->from, lap->to - lap->from, (uint64_t)g->nactive * lap->times, warps * lap->times);
    }
    laps->n = laps->last = 0;
    laps->done[0] = (struct px_lap){0}; /* which equals none that has run */
}

/* The lap that ends here is another than the last. */
void px_tally_new_lap(struct px_gang *g, struct px_laps *laps)
{
    if (laps->from == laps->to) return;
    for (uint32_t i = 0; i < laps->n; i++) {
        struct px_lap *lap = &laps->done[i];
        if (lap->from != laps->from || lap->to != laps->to) continue;
        lap->times++;
        laps->last = i;
        return;
    }
    if (laps->n == PX_LAPS_MOST) add_laps(g, laps, active_warps(g));
    laps->last = laps->n;
    laps->done[laps->n++] = (struct px_lap){laps->from, laps->to, 1};
}

static uint32_t ord_before(const struct px_gang *g, uint32_t pc)
{
    return px_fcode_div(g->running->code)[pc - 1].ord;
}

void px_tally_turns(struct px_gang *g, struct px_laps *laps)
{
    const struct warps n = warps_divided(g, &g->active, laps->taken, laps->nwaiting);
    laps->turns += laps->nwaiting;
    laps->warps += n.in;
    laps->divided += n.both;
    laps->nwaiting = 0;
}

/* A warp goes one way, or both: those of the other way are all but those of this one, and the divided ones.
 * The laps have taken all lanes through everything up to where the ways meet. */
static void finish_fork(struct px_gang *g, struct px_laps *laps, uint64_t all)
{
    const struct px_fork *fork = laps->fork;
    px_tally_turns(g, laps);
    const uint64_t threads = laps->turns * g->nactive, warps = laps->turns * all;
    const uint32_t at = px_fcode_div(g->running->code)[fork->at].ord;
    add(g, at, laps->join - at, -threads, -warps);
    if (fork->other.insts)
        add(g, ord_before(g, fork->other.first), fork->other.insts, threads - laps->threads,
            warps - laps->warps + laps->divided);
    if (fork->taken.insts)
        add(g, ord_before(g, fork->taken.first), fork->taken.insts, laps->threads, laps->warps);
    counter(g, at - 1)->divided += laps->divided;
    laps->turns = laps->threads = laps->warps = laps->divided = 0;
    laps->fork = NULL;
}

void px_tally_other_fork(struct px_gang *g, struct px_laps *laps, const struct px_fork *fork)
{
    if (laps->fork) finish_fork(g, laps, active_warps(g));
    laps->fork = fork;
    laps->join = ord_before(g, fork->join);
}

void px_tally_lapped(struct px_gang *g, struct px_laps *laps)
{
    px_tally_new_lap(g, laps);
    if (!laps->n && !laps->fork) return;
    const uint64_t warps = active_warps(g);
    add_laps(g, laps, warps);
    if (laps->fork) finish_fork(g, laps, warps);
    laps->from = laps->to = 0;
}

void px_tally_divided(struct px_gang *g, uint32_t ord)
{
    counter(g, ord - 1)->divided += warps_divided(g, &g->active, &g->taken, 1).both;
}

void px_tally_ways(struct px_gang *g, uint32_t ord, const struct px_lanes *ways, uint32_t n)
{
    const struct px_warp_ends *ends = ends_of(g);
    words once = {0}, more = {0};
    for (uint32_t i = 0; i < n; i++) {
        words warps = *(const words *)&ways[i];
        warps_of(ends, &warps);
        more |= once & warps;
        once |= warps;
    }
    counter(g, ord - 1)->divided += number(&more);
}

void px_tally_put_aside(struct px_gang *g, uint32_t ord, const struct px_lanes *lanes)
{
    counter(g, ord - 1)->waits += warps_among(g, lanes);
}

void px_tally_aside(struct px_gang *g)
{
    g->worker->narrow.ends = whole;
}

/* Lanes [from, to), some: those of one warp. */
static void add_ends(struct px_warp_ends *ends, uint32_t from, uint32_t to)
{
    if (from / 64 != (to - 1) / 64) {
        px_lanes_set(&ends->last, from | 63);
        px_lanes_set(&ends->goes, from | 63);
        px_lanes_set(&ends->again, to - 1);
    }
    px_lanes_set(&ends->last, to - 1);
}

void px_tally_packed(struct px_gang *g, const struct px_lanes *lanes)
{
    struct px_warp_ends *ends = &g->worker->narrow.ends;
    uint32_t before[PX_MASK_WORDS + 1] = {0}, from = 0;
    for (uint32_t w = 0; w < PX_MASK_WORDS; w++) before[w + 1] = before[w] + count_bits(lanes->w[w]);
    ends->last = ends->again = ends->goes = (struct px_lanes){{0}};
    for (uint32_t warp = 1; warp <= PX_LANES_MAX / 32; warp++) {
        const uint32_t lane = ends->first[warp], w = lane / 64;
        uint32_t to = before[w];
        if (lane % 64) to += count_bits(lanes->w[w] & ((1ull << lane % 64) - 1));
        if (to > from) add_ends(ends, from, to);
        ends->first[warp] = (uint16_t)to;
        from = to;
    }
}

bool px_tally_find(struct px_worker *worker, const struct px_code *code)
{
    struct px_tally **own = &code->tallies[worker->index];
    if (!*own) *own = px_zalloc(px_device_allocator(worker->device), code->ntallies * sizeof **own);
    worker->tally = *own;
    return *own;
}
