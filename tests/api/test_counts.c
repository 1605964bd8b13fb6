/*
 * test_counts.c - what was executed (ptx_counts.h): kernels whose numbers can be counted by hand.
 *
 * tests/random compares the executions of random programs with those of the reference interpreter, thread by
 * thread; here are the numbers that it has none of (warps, divided branches, waits, bytes), and the
 * interface.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "ptx_counts.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

static void load_counted(const char *text, unsigned workers, const char *engine)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = workers,
                                      .memory_bytes = 1 << 22,
                                      .engine = engine,
                                      .counts = 1};
    open_program(&config, text);
}

static void launch(const char *name, unsigned grid, unsigned block)
{
    const ptx_address at = buffer(1 << 20);
    const ptx_launch_config config = launch_shape(grid, block, &at, sizeof at);
    assert_int_equal(ptx_kernel_launch(kernel_named(name), &config, NULL), PTX_OK);
    assert_int_equal(ptx_memory_free(device, at), PTX_OK);
}

/* ---- what was counted, as it is told ---- */

enum { MOST = 64 };
static ptx_count rows[MOST];
static char words[MOST][4][64];
static unsigned nrows;

static const char *keep(unsigned which, const char *text)
{
    snprintf(words[nrows][which], sizeof words[nrows][which], "%s", text);
    return words[nrows][which];
}

static void note(void *user, const ptx_count *c)
{
    (void)user;
    assert_in_range(nrows, 0, MOST - 1);
    rows[nrows] = *c;
    rows[nrows].kernel = keep(0, c->kernel);
    rows[nrows].opcode = keep(1, c->opcode);
    rows[nrows].file = keep(2, c->file);
    rows[nrows].function = keep(3, c->function);
    nrows++;
}

static void ask(ptx_count_by by)
{
    nrows = 0;
    assert_int_equal(ptx_device_counts(device, by, note, NULL), PTX_OK);
}

static const ptx_count *opcode(const char *name)
{
    ask(PTX_COUNT_BY_OPCODE);
    for (unsigned i = 0; i < nrows; i++)
        if (strcmp(rows[i].opcode, name) == 0) return &rows[i];
    fail_msg("nothing was counted of %s", name);
    return NULL;
}

static const ptx_count *line(unsigned number)
{
    ask(PTX_COUNT_BY_LINE);
    for (unsigned i = 0; i < nrows; i++)
        if (rows[i].line == number) return &rows[i];
    fail_msg("nothing was counted of line %u", number);
    return NULL;
}

static void expect(const ptx_count *c, uint64_t threads, uint64_t warps, uint64_t divided)
{
    assert_int_equal(c->threads, threads);
    assert_int_equal(c->warps, warps);
    assert_int_equal(c->divided, divided);
}

/* Every engine: the same numbers. */
static const char *const engines[] = {NULL,        "plain",     "no-forks", "no-narrow", "no-convergent",
                                      "no-fusion", "no-regions"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* ---- branches ---- */

/*
 * Lane i of a warp goes round the loop i % 8 + 1 times: warps run it 8 times and are divided at the first 7
 * of its ends. Lanes 0 to 4 of the block take the other way at the branch before.
 */
static const char branches[] = HEAD ".visible .entry k(.param .u64 p)\n{\n" /* 4, 5 */
                                    " .reg .pred %q, %r; .reg .u32 %t, %n, %s;\n"
                                    " mov.u32 %t, %tid.x;\n"    /* 7 */
                                    " setp.lt.u32 %q, %t, 5;\n" /* 8 */
                                    " @%q bra A;\n"             /* 9 */
                                    " add.u32 %s, %t, 1;\n"     /* 10 */
                                    " bra B;\n"                 /* 11 */
                                    "A: add.u32 %s, %t, 7;\n"   /* 12 */
                                    " xor.b32 %s, %s, 7;\n"     /* 13 */
                                    "B: and.b32 %n, %t, 7;\n"   /* 14 */
                                    "L: sub.u32 %s, %s, %n;\n"  /* 15 */
                                    " sub.u32 %n, %n, 1;\n"     /* 16 */
                                    " setp.ge.s32 %r, %n, 0;\n" /* 17 */
                                    " @%r bra L;\n"             /* 18 */
                                    " ret;\n}\n";               /* 19 */

static void check_branches(unsigned blocks)
{
    const uint64_t b = blocks;
    expect(line(7), 96 * b, 3 * b, 0);
    expect(line(9), 96 * b, 3 * b, b);
    expect(line(10), 91 * b, 3 * b, 0);
    expect(line(11), 91 * b, 3 * b, 0);
    expect(line(12), 5 * b, b, 0);
    expect(line(13), 5 * b, b, 0);
    expect(line(14), 96 * b, 3 * b, 0);
    expect(line(15), 12 * 36 * b, 3 * 8 * b, 0);
    expect(line(16), 12 * 36 * b, 3 * 8 * b, 0);
    expect(line(18), 12 * 36 * b, 3 * 8 * b, 3 * 7 * b);
    const uint64_t threads = 96 * 5 + 91 * 2 + 5 * 2 + 12 * 36 * 4;
    ask(PTX_COUNT_BY_KERNEL);
    assert_int_equal(nrows, 1);
    assert_string_equal(rows[0].kernel, "k");
    assert_int_equal(rows[0].threads, threads * b);
    assert_int_equal(rows[0].divided, (1 + 3 * 7) * b);
    ptx_progress progress = {.struct_size = sizeof progress};
    ptx_device_progress(device, &progress);
    assert_int_equal(progress.thread_instructions, threads * b);
}

TEST(test_branches)
{
    for (unsigned i = 0; i < ENGINES; i++)
        for (unsigned workers = 1; workers <= 8; workers *= 2) {
            load_counted(branches, workers, engines[i]);
            launch("k", 100, 96);
            check_branches(100);
            close_program(NULL);
        }
}

/* Collatz' numbers, and how many of them are above 100: lanes part twice in each turn, and leave one by one.
 */
static const char turns[] = HEAD ".visible .entry k(.param .u64 p)\n{\n" /* 4, 5 */
                                 " .reg .pred %q, %r; .reg .u32 %v, %b, %s, %k;\n"
                                 " mov.u32 %v, %tid.x; mov.u32 %s, 0; mov.u32 %k, 0; add.u32 %v, %v, 1;\n"
                                 "L: and.b32 %b, %v, 1; setp.eq.u32 %q, %b, 0;\n" /* 8 */
                                 " @%q bra E;\n"                                  /* 9 */
                                 " mad.lo.u32 %v, %v, 3, 1;\n"                    /* 10 */
                                 " bra J;\n"                                      /* 11 */
                                 "E: shr.u32 %v, %v, 1;\n"                        /* 12 */
                                 "J: setp.le.u32 %q, %v, 100;\n"                  /* 13 */
                                 " @%q bra K;\n"                                  /* 14 */
                                 " add.u32 %s, %s, 1;\n"                          /* 15 */
                                 "K: add.u32 %k, %k, 1;\n"                        /* 16 */
                                 " setp.ne.u32 %r, %v, 1;\n"                      /* 17 */
                                 " @%r bra L;\n"                                  /* 18 */
                                 " ret;\n}\n";

struct times {
    uint64_t threads, warps, divided;
};

/* Lanes of a warp execute an instruction, and branch there in two ways. */
static void run_warp(struct times *t, unsigned lanes, unsigned ways)
{
    t->threads += lanes;
    t->warps += lanes > 0;
    t->divided += ways > 1;
}

/* What a warp with these values executes on lines 8 to 18, turn by turn. */
static void run_turns(struct times t[20], unsigned v[32])
{
    for (unsigned inside = 32; inside;) {
        unsigned all = 0, even = 0, low = 0, stay = 0;
        for (unsigned i = 0; i < 32; i++) {
            if (!v[i]) continue; /* it has left */
            all++;
            even += v[i] % 2 == 0;
            v[i] = v[i] % 2 ? 3 * v[i] + 1 : v[i] / 2;
            low += v[i] <= 100;
            stay += v[i] != 1;
            if (v[i] == 1) v[i] = 0;
        }
        for (unsigned at = 8; at <= 18; at++)
            if (at == 10 || at == 11)
                run_warp(&t[at], all - even, 1);
            else if (at == 12)
                run_warp(&t[at], even, 1);
            else if (at == 15)
                run_warp(&t[at], all - low, 1);
            else
                run_warp(&t[at], all,
                         at == 9    ? (even > 0) + (even < all)
                         : at == 14 ? (low > 0) + (low < all)
                         : at == 18 ? (stay > 0) + (stay < all)
                                    : 1);
        inside = stay;
    }
}

TEST(test_turns)
{
    struct times t[20] = {{0}};
    for (unsigned first = 1; first <= 256; first += 32) {
        unsigned v[32];
        for (unsigned i = 0; i < 32; i++) v[i] = first + i;
        run_turns(t, v);
    }
    for (unsigned i = 0; i < ENGINES; i++) {
        load_counted(turns, 2, engines[i]);
        launch("k", 3, 256);
        for (unsigned at = 9; at <= 18; at++)
            expect(line(at), 3 * t[at].threads, 3 * t[at].warps, 3 * t[at].divided);
        expect(line(8), 2 * 3 * t[8].threads, 2 * 3 * t[8].warps, 0);
        close_program(NULL);
    }
}

/* Opcodes: the most executed one first; "bra" is one, wherever it stands. */
TEST(test_opcodes)
{
    load_counted(branches, 1, NULL);
    launch("k", 1, 96);
    expect(opcode("bra"), 96 + 91 + 12 * 36, 3 + 3 + 3 * 8, 1 + 3 * 7);
    expect(opcode("sub.u32"), 2 * 12 * 36, 2 * 3 * 8, 0);
    assert_string_equal(rows[0].opcode, "sub.u32");
    for (unsigned i = 1; i < nrows; i++) assert_true(rows[i - 1].threads >= rows[i].threads);
    ask(PTX_COUNT_BY_INSTRUCTION);
    assert_int_equal(nrows, 13);
    for (unsigned i = 0; i < nrows; i++) {
        assert_int_equal(rows[i].line, 7 + i);
        assert_string_equal(rows[i].file, "test.ptx");
        assert_string_equal(rows[i].function, "k");
    }
    close_program(NULL);
}

/* ---- memory ---- */

static const char memory[] =
    HEAD ".shared .align 16 .b8 s[4096];\n.const .u16 c[4] = {1, 2, 3, 4};\n"
         ".visible .entry k(.param .u64 p)\n{\n"
         " .reg .pred %q, %n; .reg .u64 %a, %o, %g, %v; .reg .u32 %t, %x, %y, %z, %w; .reg .u16 %h;\n"
         " .local .u32 l[2];\n"
         " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 16; add.u64 %a, %a, %o;\n"
         " setp.lt.u32 %q, %t, 10; setp.eq.u32 %n, %t, 3; cvt.u32.u64 %w, %o;\n"
         " ld.global.v4.u32 {%x, %y, %z, %t}, [%a];\n"     /* 16 bytes */
         " @%q st.global.v2.u32 [%a], {%x, %y};\n"         /* 8, of 10 threads */
         " @!%q ld.global.u8 %h, [%a+3];\n"                /* 1, of the others */
         " st.shared.u16 [s], %h; ld.const.u16 %h, [c];\n" /* 2, 2 */
         " st.local.u32 [l], %x; ld.local.u32 %x, [l];\n"  /* 4, 4 */
         " ld.u64 %v, [%a];\n"                             /* 8 generic */
         " atom.global.add.u32 %x, [%a], 1;\n"             /* 4 read, 4 written */
         " @%n red.global.add.u64 [%a+8], %v;\n"           /* 8 and 8, of one thread */
         " @%q bra E;\n"
         " cp.async.ca.shared.global [s], [%a], 8; cp.async.wait_all;\n" /* 8 from global to shared */
         "E: ret;\n}\n";

static void check_memory(uint64_t n)
{
    ask(PTX_COUNT_BY_KERNEL);
    const ptx_count *c = &rows[0];
    assert_int_equal(c->read[PTX_COUNT_GLOBAL], 16 * n + (n - 10) + 4 * n + 8 + 8 * (n - 10));
    assert_int_equal(c->written[PTX_COUNT_GLOBAL], 8 * 10 + 4 * n + 8);
    assert_int_equal(c->read[PTX_COUNT_SHARED], 0);
    assert_int_equal(c->written[PTX_COUNT_SHARED], 2 * n + 8 * (n - 10));
    assert_int_equal(c->read[PTX_COUNT_CONST], 2 * n);
    assert_int_equal(c->written[PTX_COUNT_CONST], 0);
    assert_int_equal(c->read[PTX_COUNT_LOCAL], 4 * n);
    assert_int_equal(c->written[PTX_COUNT_LOCAL], 4 * n);
    assert_int_equal(c->read[PTX_COUNT_GENERIC], 8 * n);
    assert_int_equal(c->read[PTX_COUNT_PARAM], 8 * n);
    expect(opcode("st.global.v2.u32"), n, (n + 31) / 32, 0); /* threads come to it, whatever its guard */
    assert_int_equal(opcode("red.global.add.u64")->written[PTX_COUNT_GLOBAL], 8);
}

TEST(test_memory)
{
    for (unsigned i = 0; i < ENGINES; i++) {
        load_counted(memory, 2, engines[i]);
        launch("k", 1, 77);
        check_memory(77);
        close_program(NULL);
    }
}

/* ---- functions, tables, waits ---- */

/* Lanes 0 to 3 of each four go to targets 0, 1, 1 and return: every warp goes more ways than one. */
static const char tables[] =
    HEAD ".func (.reg .u32 %d) twice(.reg .u32 %a)\n{\n add.u32 %d, %a, %a;\n ret;\n}\n" /* 4 to 8 */
         ".visible .entry k(.param .u64 p)\n{\n .reg .u32 %t, %i; .reg .pred %q;\n"      /* 9 to 11 */
         " mov.u32 %t, %tid.x;\n and.b32 %i, %t, 3;\n setp.eq.u32 %q, %i, 3;\n"          /* 12 to 14 */
         " @%q ret;\n"                                                                   /* 15 */
         " min.u32 %i, %i, 1;\n"                                                         /* 16 */
         "T: .branchtargets X, Y;\n"
         " brx.idx %i, T;\n"            /* 18 */
         "X: call (%t), twice, (%t);\n" /* 19 */
         "Y: bar.sync 0;\n"             /* 20 */
         " @%q trap;\n"                 /* 21 */
         " ret;\n}\n";                  /* 22 */

TEST(test_tables)
{
    load_counted(tables, 1, NULL);
    launch("k", 1, 512);
    expect(line(15), 512, 16, 16);
    expect(line(18), 384, 16, 16);
    expect(line(19), 128, 16, 0);
    expect(line(6), 128, 16, 0); /* of the function that it calls */
    expect(line(21), 384, line(22)->warps, 0);
    assert_int_equal(line(20)->threads, 384);
    assert_in_range(line(20)->waits, 8, 32); /* of two gangs of 256 threads one waits for the other */
    ask(PTX_COUNT_BY_INSTRUCTION);
    assert_string_equal(rows[0].function, "twice");
    assert_string_equal(rows[0].kernel, "k");
    close_program(NULL);
}

static const char waits[] = HEAD ".visible .entry k(.param .u64 p) { bar.sync 0; bar.sync 0; ret; }\n";

/* All threads of a gang come at once, so they complete the barrier of a block of one gang, and 512 threads
 * are two of them: eight warps wait, each time. */
TEST(test_waits)
{
    load_counted(waits, 1, NULL);
    launch("k", 3, 256);
    assert_int_equal(opcode("bar.sync")->waits, 0);
    expect(opcode("bar.sync"), 2 * 3 * 256, 2 * 3 * 8, 0);
    launch("k", 3, 512);
    assert_int_equal(opcode("bar.sync")->waits, 2 * 3 * 8);
    close_program(NULL);
}

/* ---- lines of the source ---- */

static const char source[] = HEAD ".visible .entry k(.param .u64 p)\n{\n .reg .u32 %a;\n"
                                  ".loc 1 10 1\n mov.u32 %a, 1;\n add.u32 %a, %a, 1;\n"
                                  ".loc 1 12 1\n add.u32 %a, %a, 2;\n"
                                  ".loc 1 10 9\n ret;\n}\n.file 1 \"a.cu\"\n";

TEST(test_source)
{
    load_counted(source, 1, NULL);
    launch("k", 1, 40);
    ask(PTX_COUNT_BY_LINE);
    assert_int_equal(nrows, 2);
    assert_string_equal(rows[0].file, "a.cu");
    expect(line(10), 120, 6, 0);
    expect(line(12), 40, 2, 0);
    close_program(NULL);
}

/* ---- the interface ---- */

TEST(test_interface)
{
    const ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 1 << 22};
    open_program(&config, waits);
    launch("k", 1, 32);
    assert_int_equal(ptx_device_counts(device, PTX_COUNT_BY_KERNEL, note, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_counts_clear(device), PTX_ERROR_INVALID_ARGUMENT);
    close_program(NULL);
    load_counted(waits, 1, NULL);
    ask(PTX_COUNT_BY_INSTRUCTION);
    assert_int_equal(nrows, 0);
    launch("k", 1, 32);
    launch("k", 1, 64);
    expect(opcode("ret"), 96, 3, 0); /* one kernel, whatever its blocks */
    assert_int_equal(ptx_device_counts(NULL, PTX_COUNT_BY_KERNEL, note, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_counts(device, PTX_COUNT_BY_KERNEL, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_counts(device, (ptx_count_by)4, note, NULL), PTX_ERROR_INVALID_ARGUMENT);
    ptx_program_destroy(program);
    program = NULL;
    expect(opcode("ret"), 96, 3, 0); /* what it executed is still known */
    assert_string_equal(rows[0].kernel, "k");
    assert_int_equal(ptx_device_counts_clear(device), PTX_OK);
    ask(PTX_COUNT_BY_KERNEL);
    assert_int_equal(nrows, 0);
    close_program(NULL);
}

int main(void)
{
    return run_suite();
}
