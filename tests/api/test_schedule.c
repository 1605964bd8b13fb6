/*
 * test_schedule.c - random schedules (ptx_device_config.schedule): programs that count on an order that
 * nothing promises give other results under other seeds, and the same under the same; those that do not are
 * right under every one. tests/random runs its programs under random schedules, too.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

enum { SEEDS = 24, WORDS = 4096 };
typedef uint32_t result[WORDS];

/* What kernel k of the text makes of a buffer of zeros; seed 0: the usual schedule. */
static void run(const char *text, unsigned grid, unsigned block, uint64_t seed, unsigned workers,
                result words)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = workers,
                                      .memory_bytes = 1 << 22,
                                      .timeout_ms = 60000,
                                      .schedule = seed ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL,
                                      .schedule_seed = seed};
    open_program(&config, text);
    const ptx_address at = buffer(sizeof(result));
    const ptx_launch_config launch = launch_shape(grid, block, &at, sizeof at);
    assert_int_equal(ptx_kernel_launch(kernel_named("k"), &launch, NULL), PTX_OK);
    assert_int_equal(ptx_memory_read(device, words, at, sizeof(result)), PTX_OK);
    close_program(NULL);
}

/* How many of the seeds give another result than the usual schedule; each gives its own a second time. */
static unsigned seeds_that_differ(const char *text, unsigned grid, unsigned block)
{
    static result usual, first, again;
    unsigned differ = 0;
    run(text, grid, block, 0, 1, usual);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(text, grid, block, seed, 1, first);
        run(text, grid, block, seed, 1, again);
        assert_memory_equal(first, again, sizeof first);
        differ += memcmp(usual, first, sizeof usual) != 0;
    }
    return differ;
}

/* Nobody may differ, with several workers neither. */
static void expect_same(const char *text, unsigned grid, unsigned block)
{
    static result usual, found;
    run(text, grid, block, 0, 1, usual);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(text, grid, block, seed, seed % 3 ? 1 : 4, found);
        assert_memory_equal(usual, found, sizeof usual);
    }
}

/* ---- who comes first ---- */

/* Word 1 + i is the number that thread i drew. */
static const char tickets[] =
    HEAD ".visible .entry k(.param .u64 p) { .reg .u64 %a, %b; .reg .u32 %t, %n, %b0, %c;\n"
         " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x;\n"
         " mad.lo.u32 %t, %c, %n, %t; mul.wide.u32 %b, %t, 4; add.u64 %b, %b, %a;\n"
         " atom.global.add.u32 %n, [%a], 1; st.global.u32 [%b+4], %n; ret; }\n";

static void expect_each_once(const result words, unsigned n)
{
    static bool seen[WORDS];
    memset(seen, 0, sizeof seen);
    assert_int_equal(words[0], n);
    for (unsigned i = 1; i <= n; i++) {
        assert_in_range(words[i], 0, n - 1);
        assert_false(seen[words[i]]);
        seen[words[i]] = true;
    }
}

/* Were numbers drawn in another order than that of their threads? */
static bool is_shuffled(const result words, unsigned n)
{
    for (unsigned i = 1; i < n; i++)
        if (words[1 + i] < words[i]) return true;
    return false;
}

/* Lanes of a warp, warps of a block, and blocks come in other orders. */
TEST(test_orders)
{
    static result words;
    unsigned lanes = 0, warps = 0, blocks = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(tickets, 1, 32, seed, 1, words);
        expect_each_once(words, 32);
        lanes += is_shuffled(words, 32);
        run(tickets, 1, 1024, seed, 1, words);
        expect_each_once(words, 1024);
        for (unsigned w = 1; w < 32; w++) warps += words[1 + 32 * w] < words[1 + 32 * (w - 1)];
        run(tickets, 64, 1, seed, 1, words);
        expect_each_once(words, 64);
        blocks += is_shuffled(words, 64);
    }
    assert_in_range(lanes, SEEDS / 8, SEEDS);
    assert_in_range(warps, SEEDS, 31 * SEEDS);
    assert_in_range(blocks, SEEDS - 2, SEEDS);
    assert_in_range(seeds_that_differ(tickets, 8, 96), SEEDS - 2, SEEDS);
}

/* ---- what a program forgets ---- */

/* Thread i reads what thread n - 1 - i, or i ^ 1, has stored: `sync` stands between. */
#define EXCHANGE(partner, sync)                                                                              \
    HEAD ".shared .u32 s[1024];\n.visible .entry k(.param .u64 p) { .reg .u64 %a, %b; .reg .u32 %t, %o, "    \
         "%x, %n;\n"                                                                                         \
         " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mul.wide.u32 %b, %t, 4;\n"         \
         " add.u64 %a, %a, %b; mov.u32 %x, s; shl.b32 %o, %t, 2; add.u32 %o, %x, %o; add.u32 %t, %t, 1;\n"   \
         " st.shared.u32 [%o], %t;\n" sync " sub.u32 %t, %t, 1;\n" partner                                   \
         " shl.b32 %o, %t, 2; add.u32 %o, %x, %o; ld.shared.u32 %n, [%o]; st.global.u32 [%a], %n; ret; }\n"
#define ACROSS " sub.u32 %n, %n, 1; sub.u32 %t, %n, %t;\n"
#define NEIGHBOUR " xor.b32 %t, %t, 1;\n"

TEST(test_missing_barrier)
{
    assert_in_range(seeds_that_differ(EXCHANGE(ACROSS, ""), 1, 256), SEEDS / 4, SEEDS);
    expect_same(EXCHANGE(ACROSS, " bar.sync 0;\n"), 1, 256);
    expect_same(EXCHANGE(ACROSS, " bar.sync 0;\n"), 1, 1024);
}

TEST(test_missing_syncwarp)
{
    assert_in_range(seeds_that_differ(EXCHANGE(NEIGHBOUR, ""), 1, 64), SEEDS / 4, SEEDS);
    expect_same(EXCHANGE(NEIGHBOUR, " bar.warp.sync 0xffffffff;\n"), 1, 64);
}

/* The sum of a block by word 0, added up without an atomic operation: what several threads read before one of
 * them writes is lost. */
static const char lost[] =
    HEAD ".visible .entry k(.param .u64 p) { .reg .u64 %a; .reg .u32 %n, %c;\n"
         " ld.param.u64 %a, [p]; mov.u32 %c, %ctaid.x;\n"
         " ld.global.u32 %n, [%a]; add.u32 %n, %n, 1; st.global.u32 [%a], %n; ret; }\n";

TEST(test_lost_updates)
{
    static result words;
    run(lost, 64, 1, 0, 1, words);
    assert_int_equal(words[0], 64); /* blocks in order hide it */
    assert_in_range(seeds_that_differ(lost, 64, 1), SEEDS / 2, SEEDS);
}

/* cp.async without a wait: the copy's time is drawn, too. */
#define COPY(wait)                                                                                           \
    HEAD ".shared .align 16 .u32 s[1024];\n.visible .entry k(.param .u64 p) { .reg .u64 %a, %b; .reg .u32 "  \
         "%t, %o;\n"                                                                                         \
         " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b;\n"          \
         " add.u32 %o, %t, 1; st.global.u32 [%a], %o; shl.b32 %t, %t, 2; mov.u32 %o, s; add.u32 %o, %o, "    \
         "%t;\n"                                                                                             \
         " cp.async.ca.shared.global [%o], [%a], 4;\n" wait " ld.shared.u32 %t, [%o];\n"                     \
         " st.global.u32 [%a+4096], %t; ret; }\n"

TEST(test_missing_wait)
{
    assert_in_range(seeds_that_differ(COPY(""), 1, 64), 1, SEEDS);
    expect_same(COPY(" cp.async.wait_all;\n"), 1, 64);
}

/* ---- what waits for others gets on ---- */

/* Block 0 waits for a flag that the last block sets; within each block a lane of the warp holds a lock. */
static const char spin[] =
    HEAD ".shared .u32 lock, sum;\n.visible .entry k(.param .u64 p) { .reg .u64 %a, %d;\n"
         " .reg .u32 %c, %n, %o, %t; .reg .pred %q;\n"
         " ld.param.u64 %a, [p]; mov.u32 %c, %ctaid.x; mov.u32 %n, %nctaid.x; sub.u32 %n, %n, 1;\n"
         " setp.eq.u32 %q, %c, %n; @!%q bra W; st.release.gpu.global.u32 [%a], 1;\n"
         "W: setp.ne.u32 %q, %c, 0; @%q bra L;\n"
         "S: ld.acquire.gpu.global.u32 %o, [%a]; setp.eq.u32 %q, %o, 0; @%q bra S;\n"
         "L: atom.shared.cas.b32 %o, [lock], 0, 1; setp.ne.u32 %q, %o, 0; @%q bra L;\n"
         " fence.acq_rel.cta; ld.shared.u32 %t, [sum]; add.u32 %t, %t, 1; st.shared.u32 [sum], %t; "
         "fence.acq_rel.cta;\n"
         " st.shared.u32 [lock], 0;\n bar.sync 0;\n"
         " ld.shared.u32 %t, [sum]; mul.wide.u32 %d, %c, 4; add.u64 %a, %a, %d; st.global.u32 [%a+4], %t; "
         "ret; }\n";

TEST(test_progress)
{
    expect_same(spin, 12, 96);
}

int main(void)
{
    return run_suite();
}
