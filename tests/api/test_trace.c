/*
 * test_trace.c - accesses to memory, as they are told (ptx_trace.h): of each instruction of a kernel exactly
 * those that PTX says, whatever the engine, the workers and the schedule; and as many bytes as are counted.
 */
#include "api/fixture.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_check.h"
#include "ptx_trace.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* ---- what was told ---- */

struct one {
    unsigned line, cta, thread, how, space, bytes;
    ptx_address address;
};

enum { MOST = 1 << 16 };
static struct one told[MOST];
static unsigned ntold;
static bool wrong_words;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(void *user, const ptx_trace_access *a)
{
    pthread_mutex_lock(&lock);
    wrong_words |= user != &lock || strcmp(a->at->kernel, "k") != 0 || strcmp(a->at->file, "test.ptx") != 0 ||
                   !*a->at->instruction || !a->at->column || a->struct_size != sizeof *a || !a->nlanes;
    for (unsigned i = 0; i < a->nlanes && ntold < MOST; i++) {
        const ptx_trace_lane *l = &a->lanes[i];
        wrong_words |= i && l->thread <= l[-1].thread;
        told[ntold++] =
            (struct one){a->at->line, a->cta[0], l->thread, a->how, (unsigned)a->space, l->bytes, l->address};
    }
    pthread_mutex_unlock(&lock);
}

static void load_traced(const char *text, unsigned workers, const char *engine, ptx_schedule schedule)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = workers,
                                      .memory_bytes = 1 << 22,
                                      .engine = engine,
                                      .counts = 1,
                                      .schedule = schedule,
                                      .schedule_seed = 7,
                                      .trace = note,
                                      .trace_user = &lock};
    ntold = 0;
    wrong_words = false;
    open_program(&config, text);
}

static ptx_address launch(unsigned grid, unsigned block, ptx_status want)
{
    const ptx_address at = buffer(1 << 20);
    const ptx_launch_config config = launch_shape(grid, block, &at, sizeof at);
    assert_int_equal(ptx_kernel_launch(kernel_named("k"), &config, NULL), want);
    assert_false(wrong_words);
    assert_in_range(ntold, 1, MOST - 1);
    return at;
}

/* ---- what is expected: of a line, by thread ---- */

struct rule {
    unsigned line, how, space, bytes;
    unsigned least, end;          /* threads of the block, */
    unsigned modulo, rest;        /* of which every modulo-th, when it is not 0 */
    uint64_t base, by_thread;     /* the address, */
    bool in_buffer;               /* from the buffer on */
    uint64_t by_cta, times, step; /* also; how often, and how far apart */
};

static bool has_thread(const struct rule *r, unsigned thread)
{
    return thread >= r->least && thread < r->end && (!r->modulo || thread % r->modulo == r->rest);
}

static bool is_said(const struct rule *r, const struct one *t, ptx_address at)
{
    if (t->line != r->line || t->how != r->how || t->space != r->space || t->bytes != r->bytes) return false;
    if (!has_thread(r, t->thread)) return false;
    const uint64_t first = r->base + r->by_thread * t->thread + r->by_cta * t->cta + (r->in_buffer ? at : 0);
    for (uint64_t i = 0; i < r->times; i++)
        if (t->address == first + i * r->step) return true;
    return false;
}

static uint64_t count_of(const struct rule *r, unsigned block)
{
    uint64_t n = 0;
    for (unsigned thread = 0; thread < block; thread++) n += has_thread(r, thread) * r->times;
    return n;
}

/* Every access is said by a rule, and of each rule there are as many as it says, no two alike. */
static void check_rules(const struct rule *rules, unsigned n, ptx_address at, unsigned grid, unsigned block)
{
    uint64_t found[32] = {0};
    assert_in_range(n, 1, 32);
    for (unsigned i = 0; i < ntold; i++) {
        unsigned r = 0;
        while (r < n && !is_said(&rules[r], &told[i], at)) r++;
        if (r == n)
            fail_msg("line %u: block %u, thread %u: %u bytes at 0x%llx (buffer 0x%llx), how %u, space %u",
                     told[i].line, told[i].cta, told[i].thread, told[i].bytes,
                     (unsigned long long)told[i].address, (unsigned long long)at, told[i].how, told[i].space);
        found[r]++;
    }
    for (unsigned r = 0; r < n; r++)
        if (found[r] != count_of(&rules[r], block) * grid)
            fail_msg("line %u (rule %u): %llu accesses", rules[r].line, r, (unsigned long long)found[r]);
}

static const char *const engines[] = {NULL,       "plain",      "no-forks", "no-convergent",
                                      "no-terms", "no-uniform", "no-affine"};
enum { ENGINES = sizeof engines / sizeof *engines };

/* Bytes of ptx_counts.h, of all kernels. */
struct bytes {
    uint64_t read[PTX_COUNT_SPACES], written[PTX_COUNT_SPACES];
};

static void add(void *user, const ptx_count *c)
{
    struct bytes *b = user;
    for (unsigned s = 0; s < PTX_COUNT_SPACES; s++) b->read[s] += c->read[s], b->written[s] += c->written[s];
}

/* Of plain loads, stores and atomics as many bytes are told as are counted. */
static void check_bytes(void)
{
    struct bytes counted = {{0}, {0}}, sum = {{0}, {0}};
    assert_int_equal(ptx_device_counts(device, PTX_COUNT_BY_KERNEL, add, &counted), PTX_OK);
    for (unsigned i = 0; i < ntold; i++) {
        const struct one *t = &told[i];
        if (t->how & PTX_TRACE_READ) sum.read[t->space] += t->bytes;
        if (t->how & PTX_TRACE_WRITE) sum.written[t->space] += t->bytes;
    }
    for (unsigned s = 0; s < PTX_COUNT_SPACES; s++) {
        assert_int_equal(sum.written[s], counted.written[s]);
        if (s != PTX_COUNT_PARAM) assert_int_equal(sum.read[s], counted.read[s]);
    }
}

/* ---- loads, stores, atomics ---- */

static const char plain[] =
    HEAD ".shared .align 16 .b8 s[4096];\n.const .u16 c[128];\n" /* 4, 5 */
         ".visible .entry k(.param .u64 p)\n{\n"                 /* 6, 7 */
         " .reg .pred %q, %n; .reg .u64 %a, %o, %v, %w; .reg .u32 %t, %x, %y, %z, %k, %b; .reg .u16 %h;\n"
         " .local .u32 l[4];\n" /* 9 */
         " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.wide.u32 %a, %b, 4096, %a;\n"
         " mul.wide.u32 %o, %t, 16; add.u64 %w, %a, %o; setp.lt.u32 %q, %t, 10; and.b32 %k, %t, 3;\n"
         " setp.eq.u32 %n, %k, 3; cvt.u32.u64 %z, %o;\n"                        /* 12 */
         " ld.global.v4.u32 {%x, %y, _, _}, [%w];\n"                            /* 13 */
         " @%q st.global.v2.u32 [%w+8], {%x, %y};\n"                            /* 14 */
         " @!%q ld.global.u8 %h, [%w+3];\n"                                     /* 15 */
         " st.shared.u16 [s+2], %h;\n"                                          /* 16 */
         " ld.const.u16 %h, [c+6];\n"                                           /* 17 */
         " st.local.u32 [l+4], %x;\n"                                           /* 18 */
         " ld.u64 %v, [%w];\n"                                                  /* 19 */
         " atom.global.add.u32 %x, [%a], 1;\n"                                  /* 20 */
         " @%n red.global.add.u64 [%w+8], %v;\n"                                /* 21 */
         " ld.volatile.global.u32 %x, [%a+12];\n"                               /* 22 */
         " @%n bra E;\n"                                                        /* 23 */
         " st.relaxed.gpu.global.u32 [%w+4], %x;\n"                             /* 24 */
         "E: mov.u32 %k, 0; and.b32 %z, %t, 7;\n"                               /* 25 */
         "L: st.global.u32 [%w], %k;\n"                                         /* 26 */
         " add.u64 %w, %w, 16384; add.u32 %k, %k, 1; setp.le.u32 %n, %k, %z;\n" /* 27 */
         " @%n bra L;\n"                                                        /* 28 */
         " red.global.add.u32 [%a+4], 1;\n"                                     /* 29 */
         " ret;\n}\n";

enum { M = PTX_TRACE_MBARRIER };
enum { R = PTX_TRACE_READ, W = PTX_TRACE_WRITE, S = PTX_TRACE_ATOMIC, A = PTX_TRACE_ASYNC };
enum { GLOBAL = PTX_COUNT_GLOBAL, SHARED = PTX_COUNT_SHARED };
#define IN_BUFFER .in_buffer = true, .by_cta = 4096
#define ONCE .times = 1

TEST(test_plain)
{
    static const struct rule rules[] = {
        {13, R, GLOBAL, 16, 0, 77, .by_thread = 16, IN_BUFFER, ONCE},
        {14, W, GLOBAL, 8, 0, 10, .base = 8, .by_thread = 16, IN_BUFFER, ONCE},
        {15, R, GLOBAL, 1, 10, 77, .base = 3, .by_thread = 16, IN_BUFFER, ONCE},
        {16, W, SHARED, 2, 0, 77, .base = 2, ONCE},
        {17, R, PTX_COUNT_CONST, 2, 0, 77, .base = 6, ONCE},
        {18, W, PTX_COUNT_LOCAL, 4, 0, 77, .base = 4, ONCE},
        {19, R, PTX_COUNT_GENERIC, 8, 0, 77, .by_thread = 16, IN_BUFFER, ONCE},
        {20, R | W | S, GLOBAL, 4, 0, 77, IN_BUFFER, ONCE},
        {21, R | W | S, GLOBAL, 8, 0, 77, 4, 3, .base = 8, .by_thread = 16, IN_BUFFER, ONCE},
        {22, R | S, GLOBAL, 4, 0, 77, .base = 12, IN_BUFFER, ONCE},
        {24, W | S, GLOBAL, 4, 0, 77, 4, 0, .base = 4, .by_thread = 16, IN_BUFFER, ONCE},
        {24, W | S, GLOBAL, 4, 0, 77, 4, 1, .base = 4, .by_thread = 16, IN_BUFFER, ONCE},
        {24, W | S, GLOBAL, 4, 0, 77, 4, 2, .base = 4, .by_thread = 16, IN_BUFFER, ONCE},
        {26, W, GLOBAL, 4, 0, 77, 8, 0, .by_thread = 16, IN_BUFFER, .times = 1, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 1, .by_thread = 16, IN_BUFFER, .times = 2, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 2, .by_thread = 16, IN_BUFFER, .times = 3, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 3, .by_thread = 16, IN_BUFFER, .times = 4, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 4, .by_thread = 16, IN_BUFFER, .times = 5, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 5, .by_thread = 16, IN_BUFFER, .times = 6, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 6, .by_thread = 16, IN_BUFFER, .times = 7, .step = 16384},
        {26, W, GLOBAL, 4, 0, 77, 8, 7, .by_thread = 16, IN_BUFFER, .times = 8, .step = 16384},
        {29, R | W | S, GLOBAL, 4, 0, 77, .base = 4, IN_BUFFER, ONCE},
    };
    for (unsigned i = 0; i < ENGINES; i++)
        for (unsigned way = 0; way < 3; way++) {
            load_traced(plain, way ? 4 : 1, engines[i], way == 2 ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL);
            const ptx_address at = launch(3, 77, PTX_OK);
            check_rules(rules, sizeof rules / sizeof *rules, at, 3, 77);
            check_bytes();
            close_program(NULL);
        }
}

/* ---- what is not one element a thread ---- */

static const char others[] = HEAD
    ".shared .align 16 .b8 s[8192];\n.shared .align 8 .u64 m;\n" /* 4, 5 */
    ".visible .entry k(.param .u64 p)\n{\n"                      /* 6, 7 */
    " .reg .u64 %a, %o, %w; .reg .u32 %t, %x, %y, %z, %b; .reg .pred %q; .reg .f32 %f<8>;\n"
    " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.wide.u32 %a, %b, 4096, %a;\n"
    " mul.wide.u32 %o, %t, 16; add.u64 %w, %a, %o; mov.u32 %z, s; cvt.u32.u64 %y, %o; add.u32 %z, %z, %y;\n"
    " setp.eq.u32 %q, %t, 0;\n"                                   /* 11 */
    " @%q mbarrier.init.shared.b64 [m], 64;\n"                    /* 12 */
    " cp.async.cg.shared.global [%z], [%w+16], 16, 8;\n"          /* 13 */
    " cp.async.wait_all;\n bar.sync 0;\n"                         /* 14, 15 */
    " ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%x, %y}, [%z];\n" /* 16 */
    " mov.u32 %b, 24;\n"                                          /* 17 */
    " wmma.load.c.sync.aligned.m16n16k16.global.row.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%a], %b;\n"
    " wmma.store.d.sync.aligned.m16n16k16.global.col.f32 [%a], {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};\n"
    " ret;\n}\n";

TEST(test_others)
{
    static const struct rule rules[] = {
        {12, R | W | S | M, SHARED, 8, 0, 1, .base = 8192, ONCE},
        {13, R | A, GLOBAL, 8, 0, 64, .base = 16, .by_thread = 16, IN_BUFFER, ONCE},
        {13, W | A, SHARED, 16, 0, 64, .by_thread = 16, ONCE},
        {16, R, SHARED, 16, 0, 16, .by_thread = 16, ONCE},
        {16, R, SHARED, 16, 32, 48, .by_thread = 16, ONCE},
        {18, R, GLOBAL, 64, 0, 16, .by_thread = 96, IN_BUFFER, ONCE},
        {18, R, GLOBAL, 64, 32, 48, .base = (uint64_t)-32 * 96, .by_thread = 96, IN_BUFFER, ONCE},
        {19, W, GLOBAL, 64, 0, 16, .by_thread = 64, IN_BUFFER, ONCE},
        {19, W, GLOBAL, 64, 32, 48, .base = (uint64_t)-32 * 64, .by_thread = 64, IN_BUFFER, ONCE},
    };
    for (unsigned i = 0; i < ENGINES; i++) {
        load_traced(others, 2, engines[i], PTX_SCHEDULE_USUAL);
        const ptx_address at = launch(2, 64, PTX_OK);
        check_rules(rules, sizeof rules / sizeof *rules, at, 2, 64);
        close_program(NULL);
    }
}

/* A loop with one store, in line 8, that thread i goes round rounds(i) times. */
static void check_leaving(const char *text, unsigned (*rounds)(unsigned thread))
{
    for (unsigned i = 0; i < ENGINES; i++) {
        unsigned times[256] = {0};
        load_traced(text, 1, engines[i], PTX_SCHEDULE_USUAL);
        const ptx_address at = launch(1, 256, PTX_OK);
        for (unsigned k = 0; k < ntold; k++) {
            assert_int_equal(told[k].line, 8);
            assert_in_range(told[k].thread, 0, 255);
            assert_int_equal(told[k].address, at + 4 * told[k].thread);
            times[told[k].thread]++;
        }
        for (unsigned k = 0; k < 256; k++) assert_int_equal(times[k], rounds(k));
        close_program(NULL);
    }
}

static unsigned one_by_one(unsigned thread)
{
    return thread + 1;
}

static unsigned by_eighths(unsigned thread)
{
    return thread % 8 * 9 + 5;
}

/* Thread i goes round i + 1 times: few lanes are left. */
TEST(test_leaving)
{
    check_leaving(HEAD
                  ".visible .entry k(.param .u64 p)\n{\n .reg .u64 %a, %w; .reg .u32 %t, %k; .reg .pred %q;\n"
                  " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %w, %t, 4, %a; mov.u32 %k, 0;\n"
                  "L: st.global.u32 [%w], %k;\n" /* 8 */
                  " add.u32 %k, %k, 1; setp.le.u32 %q, %k, %t;\n"
                  " @%q bra L;\n ret;\n}\n",
                  one_by_one);
}

/* Every eighth thread leaves together with the others of its kind, after which the rest goes round some more
 * times: an engine that nobody listens to moves the lanes that are left to where they stand side by side. */
TEST(test_leaving_gaps)
{
    check_leaving(
        HEAD ".visible .entry k(.param .u64 p)\n{\n .reg .u64 %a, %w; .reg .u32 %t, %k, %n; .reg .pred %q;\n"
             " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %w, %t, 4, %a; mov.u32 %k, 0;"
             " and.b32 %n, %t, 7; mad.lo.u32 %n, %n, 9, 5;\n"
             "L: st.global.u32 [%w], %k;\n" /* 8 */
             " add.u32 %k, %k, 1; setp.lt.u32 %q, %k, %n;\n"
             " @%q bra L;\n ret;\n}\n",
        by_eighths);
}

/* Instructions that the engine does in one record when nobody listens are told one by one. */
TEST(test_fused)
{
    static const char text[] = HEAD
        ".visible .entry k(.param .u64 p)\n{\n .reg .u64 %a, %w, %o; .reg .u32 %t, %x; .reg .f32 %f<4>;\n"
        " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %w, %a, %o;\n"
        " mov.f32 %f2, 0f3F800000;\n"                                              /* 8 */
        " ld.global.f32 %f0, [%w];\n"                                              /* 9 */
        " ld.global.f32 %f1, [%w+4096];\n"                                         /* 10 */
        " fma.rn.f32 %f2, %f0, %f1, %f2;\n"                                        /* 11 */
        " st.global.f32 [%w+8192], %f2;\n"                                         /* 12 */
        " ld.global.u32 %x, [%w];\n"                                               /* 13 */
        " xor.b32 %x, %x, %t; and.b32 %x, %x, 63;\n"                               /* 14 */
        " mul.wide.u32 %o, %t, 4; add.u64 %w, %a, %o; ld.global.u32 %x, [%w+8];\n" /* 15 */
        " red.global.add.u32 [%a+16], %x;\n"                                       /* 16 */
        " ret;\n}\n";
    static const struct rule rules[] = {
        {9, R, GLOBAL, 4, 0, 128, .by_thread = 4, .in_buffer = true, ONCE},
        {10, R, GLOBAL, 4, 0, 128, .base = 4096, .by_thread = 4, .in_buffer = true, ONCE},
        {12, W, GLOBAL, 4, 0, 128, .base = 8192, .by_thread = 4, .in_buffer = true, ONCE},
        {13, R, GLOBAL, 4, 0, 128, .by_thread = 4, .in_buffer = true, ONCE},
        {15, R, GLOBAL, 4, 0, 128, .base = 8, .by_thread = 4, .in_buffer = true, ONCE},
        {16, R | W | S, GLOBAL, 4, 0, 128, .base = 16, .in_buffer = true, ONCE},
    };
    for (unsigned i = 0; i < ENGINES; i++) {
        load_traced(text, 2, engines[i], PTX_SCHEDULE_USUAL);
        const ptx_address at = launch(2, 128, PTX_OK);
        check_rules(rules, sizeof rules / sizeof *rules, at, 2, 128);
        check_bytes();
        close_program(NULL);
    }
}

/* ---- what orders accesses ---- */

struct event {
    ptx_trace_kind kind;
    unsigned line, count, cta, nthreads;
    uint64_t number;
    ptx_trace_order order;
    ptx_trace_scope scope;
    unsigned threads[256];
};
enum { EVENTS = 1 << 13 };
static struct event events[EVENTS];
static unsigned nevents;

static void note_event(void *user, const ptx_trace_event *e)
{
    pthread_mutex_lock(&lock);
    wrong_words |= user != &lock || e->struct_size != sizeof *e || (e->at && strcmp(e->at->kernel, "k") != 0);
    if (nevents < EVENTS) {
        struct event *to = &events[nevents++];
        *to = (struct event){
            e->kind, e->at ? e->at->line : 0, e->count, e->cta[0], e->nthreads, e->number, e->order, e->scope,
            {0}};
        if (e->threads) memcpy(to->threads, e->threads, e->nthreads * sizeof *e->threads);
    }
    pthread_mutex_unlock(&lock);
}

/* Threads of the block, a bit each, in events [0, end) of this kind and line; none is there twice. */
static uint64_t threads_of(ptx_trace_kind kind, unsigned line, unsigned cta, unsigned end)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < end; i++) {
        const struct event *e = &events[i];
        if (e->kind != kind || e->line != line || e->cta != cta) continue;
        for (unsigned k = 0; k < e->nthreads; k++) {
            assert_false(bits >> e->threads[k] & 1);
            bits |= 1ull << e->threads[k];
        }
    }
    return bits;
}

static unsigned first_of(ptx_trace_kind kind, unsigned line, unsigned cta)
{
    unsigned i = 0;
    while (i < nevents && (events[i].kind != kind || events[i].line != line || events[i].cta != cta)) i++;
    assert_in_range(i, 0, nevents - 1);
    return i;
}

/* Nobody leaves before all that are expected have arrived. */
static void check_meeting(ptx_trace_kind arrive, ptx_trace_kind leave, unsigned line, unsigned cta,
                          uint64_t here, uint64_t leaving)
{
    assert_int_equal(threads_of(arrive, line, cta, first_of(leave, line, cta)) & here, here);
    assert_int_equal(threads_of(arrive, line, cta, nevents), here);
    assert_int_equal(threads_of(leave, line, cta, nevents), leaving);
}

static void check_fence(unsigned line, unsigned cta, ptx_trace_order order, ptx_trace_scope scope)
{
    const struct event *e = &events[first_of(PTX_TRACE_FENCE, line, cta)];
    assert_int_equal(threads_of(PTX_TRACE_FENCE, line, cta, nevents), ~0ull);
    assert_int_equal(e->order, order);
    assert_int_equal(e->scope, scope);
}

static const char ordering[] = HEAD
    ".shared .align 16 .b8 s[4096];\n.shared .align 8 .u64 m;\n" /* 4, 5 */
    ".visible .entry k(.param .u64 p)\n{\n"                      /* 6, 7 */
    " .reg .pred %q, %w; .reg .u64 %a, %o; .reg .u32 %t, %x, %y;\n"
    " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;\n"
    " mov.u32 %x, s; cvt.u32.u64 %y, %o; add.u32 %x, %x, %y; setp.eq.u32 %q, %t, 0; setp.lt.u32 %w, %t, 32;\n"
    " @%q mbarrier.init.shared.b64 [m], 64;\n"        /* 11 */
    " barrier.sync 0;\n"                              /* 12 */
    " @%w bra A;\n"                                   /* 13 */
    " barrier.arrive 1, 64;\n"                        /* 14 */
    " bra B;\n"                                       /* 15 */
    "A: barrier.sync 1, 64;\n"                        /* 16 */
    "B: bar.warp.sync 0xffffffff;\n"                  /* 17 */
    " fence.acq_rel.gpu;\n"                           /* 18 */
    " membar.cta;\n"                                  /* 19 */
    " cp.async.ca.shared.global [%x], [%a], 4;\n"     /* 20 */
    " cp.async.commit_group;\n"                       /* 21 */
    " cp.async.wait_group 3;\n"                       /* 22 */
    " cp.async.wait_all;\n"                           /* 23 */
    " ld.acquire.gpu.global.u32 %y, [%a];\n"          /* 24 */
    " st.volatile.global.u32 [%a], %y;\n"             /* 25 */
    " atom.acq_rel.cta.global.add.u32 %y, [%a], 1;\n" /* 26 */
    " red.global.add.u32 [%a], 1;\n"                  /* 27 */
    " ret;\n}\n";

static void check_ordering(unsigned cta)
{
    check_meeting(PTX_TRACE_BARRIER_ARRIVE, PTX_TRACE_BARRIER_LEAVE, 12, cta, ~0ull, ~0ull);
    const unsigned gone = first_of(PTX_TRACE_WARP_LEAVE, 17, cta);
    const uint64_t warp = (uint64_t)UINT32_MAX << events[gone].threads[0] / 32 * 32;
    assert_int_equal(threads_of(PTX_TRACE_WARP_ARRIVE, 17, cta, gone) & warp, warp);
    assert_int_equal(threads_of(PTX_TRACE_WARP_LEAVE, 17, cta, nevents), ~0ull);
    const unsigned left = first_of(PTX_TRACE_BARRIER_LEAVE, 16, cta);
    assert_int_equal(threads_of(PTX_TRACE_BARRIER_ARRIVE, 14, cta, left), ~0ull << 32);
    assert_int_equal(threads_of(PTX_TRACE_BARRIER_LEAVE, 16, cta, nevents), UINT32_MAX);
    const struct event *arrival = &events[first_of(PTX_TRACE_BARRIER_ARRIVE, 14, cta)];
    assert_int_equal(arrival->number, 1);
    assert_int_equal(arrival->count, 64);
    assert_int_equal(events[first_of(PTX_TRACE_WARP_LEAVE, 17, cta)].number, UINT32_MAX);
    check_fence(18, cta, PTX_TRACE_ACQ_REL, PTX_TRACE_GPU);
    check_fence(19, cta, PTX_TRACE_SC, PTX_TRACE_CTA);
    assert_int_equal(threads_of(PTX_TRACE_COMMIT, 21, cta, nevents), ~0ull);
    assert_int_equal(events[first_of(PTX_TRACE_WAIT, 22, cta)].number, 3);
    assert_int_equal(events[first_of(PTX_TRACE_WAIT, 22, cta)].count, 0);
    assert_int_equal(events[first_of(PTX_TRACE_WAIT, 23, cta)].count, 1);
    assert_int_equal(events[first_of(PTX_TRACE_BLOCK_BEGIN, 0, cta)].nthreads, 64);
    const unsigned end = first_of(PTX_TRACE_BLOCK_END, 0, cta);
    for (unsigned i = end + 1; i < nevents; i++)
        assert_true(events[i].cta != cta || events[i].kind == PTX_TRACE_GRID_END);
}

TEST(test_ordering)
{
    for (unsigned i = 0; i < ENGINES; i++)
        for (unsigned way = 0; way < 4; way++) {
            ptx_device_config config = {.struct_size = sizeof config,
                                        .workers = way & 1 ? 4 : 1,
                                        .memory_bytes = 1 << 22,
                                        .engine = engines[i],
                                        .schedule = way & 2 ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL,
                                        .schedule_seed = i,
                                        .trace_event = note_event,
                                        .trace_user = &lock};
            wrong_words = false;
            nevents = 0;
            open_program(&config, ordering);
            const ptx_address at = buffer(4096);
            const ptx_launch_config shape = launch_shape(2, 64, &at, sizeof at);
            assert_int_equal(ptx_kernel_launch(kernel_named("k"), &shape, NULL), PTX_OK);
            assert_false(wrong_words);
            assert_int_equal(events[0].kind, PTX_TRACE_GRID_BEGIN);
            assert_int_equal(events[nevents - 1].kind, PTX_TRACE_GRID_END);
            check_ordering(0);
            check_ordering(1);
            close_program(NULL);
        }
}

/* The library's own checks take both functions: they pass on what they hear, to the caller's trace_user. */
TEST(test_checked)
{
    static const unsigned checks[] = {PTX_CHECK_LAUNCH, PTX_CHECK_RACE, PTX_CHECK_ALL};
    for (unsigned i = 0; i < sizeof checks / sizeof *checks; i++) {
        ptx_device_config config = {.struct_size = sizeof config,
                                    .memory_bytes = 1 << 22,
                                    .check = checks[i],
                                    .trace = note,
                                    .trace_event = note_event,
                                    .trace_user = &lock};
        wrong_words = false;
        nevents = ntold = 0;
        open_program(&config, ordering);
        const ptx_address at = buffer(4096);
        const ptx_launch_config shape = launch_shape(2, 64, &at, sizeof at);
        assert_int_equal(ptx_kernel_launch(kernel_named("k"), &shape, NULL), PTX_OK);
        assert_false(wrong_words);
        assert_true(ntold > 0);
        check_ordering(0);
        check_ordering(1);
        close_program(NULL);
    }
}

/* Order and scope of accesses; what a store is about to do, and to what. */
static unsigned strong_seen;
static void note_strong(void *user, const ptx_trace_access *a)
{
    static const struct {
        unsigned line;
        ptx_trace_order order;
        ptx_trace_scope scope;
    } rules[] = {{20, PTX_TRACE_WEAK, PTX_TRACE_THREAD},
                 {24, PTX_TRACE_ACQUIRE, PTX_TRACE_GPU},
                 {25, PTX_TRACE_RELAXED, PTX_TRACE_SYS},
                 {26, PTX_TRACE_ACQ_REL, PTX_TRACE_CTA},
                 {27, PTX_TRACE_RELAXED, PTX_TRACE_GPU}};
    uint64_t value = 0, memory = 0;
    (void)user;
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].line != a->at->line) continue;
        wrong_words |= rules[i].order != a->order || rules[i].scope != a->scope;
        strong_seen |= 1u << i;
    }
    if (a->at->line == 25)
        wrong_words |= !ptx_trace_stored(a, a->nlanes - 1, &value, &memory) || value != memory ||
                       value != 1000 + a->lanes[a->nlanes - 1].thread;
    else if (a->at->line != 8)
        wrong_words |= ptx_trace_stored(a, 0, &value, &memory) != 0;
}

TEST(test_strong)
{
    for (unsigned i = 0; i < ENGINES; i++) {
        const ptx_device_config config = {.struct_size = sizeof config,
                                          .workers = 1,
                                          .memory_bytes = 1 << 22,
                                          .engine = engines[i],
                                          .trace = note_strong};
        uint32_t words[64];
        for (unsigned k = 0; k < 64; k++) words[k] = 1000 + k;
        wrong_words = false;
        strong_seen = 0;
        open_program(&config, ordering);
        const ptx_address at = buffer(sizeof words);
        assert_int_equal(ptx_memory_write(device, at, words, sizeof words), PTX_OK);
        const ptx_launch_config shape = launch_shape(1, 64, &at, sizeof at);
        assert_int_equal(ptx_kernel_launch(kernel_named("k"), &shape, NULL), PTX_OK);
        assert_int_equal(strong_seen, 31);
        assert_false(wrong_words);
        close_program(NULL);
    }
}

/* An access that faults is told, too. */
TEST(test_fault)
{
    static const char text[] = HEAD ".visible .entry k(.param .u64 p)\n{\n .reg .u64 %a;\n" /* 4 to 6 */
                                    " .reg .u32 %r; mov.u64 %a, 16;\n"                      /* 7 */
                                    " ld.global.u32 %r, [%a];\n ret;\n}\n";                 /* 8 */
    static const struct rule rule = {8, R, GLOBAL, 4, 0, 1, .base = 16, ONCE};
    load_traced(text, 1, NULL, PTX_SCHEDULE_USUAL);
    check_rules(&rule, 1, launch(1, 1, PTX_ERROR_FAULT), 1, 1);
    close_program(NULL);
}

int main(void)
{
    return run_suite();
}
