/*
 * test_one_access.c - an aligned access of up to 16 bytes is one access (docs/engine.md): a block writes
 * units whose elements are all alike, over and over, and other blocks, on other workers, never see two that
 * differ. For every form, by every way that the engine takes to memory, on every SIMD level.
 */
#include "api/fixture.h"
#include "api/levels.h"
#include "bench/text.h"
#include <stdio.h>
#include <string.h>

/* What is loaded and stored: n elements of so many bits, in registers of `wide`. */
struct form {
    const char *type;
    unsigned n, bits, wide;
};

static const struct form forms[] = {
    {"b64", 1, 64, 64},    {"f64", 1, 64, 64},    {"b128", 1, 128, 128}, {"v2.b8", 2, 8, 16},
    {"v4.u8", 4, 8, 16},   {"v8.b8", 8, 8, 16},   {"v2.b16", 2, 16, 16}, {"v4.u16", 4, 16, 16},
    {"v8.b16", 8, 16, 16}, {"v2.b32", 2, 32, 32}, {"v2.f32", 2, 32, 32}, {"v4.b32", 4, 32, 32},
    {"v4.f32", 4, 32, 32}, {"v2.u64", 2, 64, 64}, {"v2.f64", 2, 64, 64}, {"v2.u8", 2, 8, 32},
    {"v4.u8", 4, 8, 32},   {"v2.s8", 2, 8, 16},   {"v4.s8", 4, 8, 32},   {"v4.s8", 4, 8, 64},
    {"v8.s8", 8, 8, 32},   {"v2.u16", 2, 16, 32}, {"v4.s16", 4, 16, 32}, {"v8.u16", 8, 16, 64},
    {"v2.s32", 2, 32, 64}, {"v4.u32", 4, 32, 64}, {"v8.b32", 8, 32, 32}, {"v4.b64", 4, 64, 64},
};

/* Where thread %t's unit is, as the number %a of units from the first on; a part of the threads; what else
 * there is to the access. */
struct way {
    const char *name, *place, *guard;
    enum { PLAIN, GENERIC, TWO_LOOPS, SHARED_TOO, BY_COPY, BY_EXCHANGE } how;
};

static const struct way ways[] = {
    {"a line", "mov.u32 %a, %t;", "", PLAIN},
    {"lines of 16", "shr.u32 %a, %t, 4; mad.lo.u32 %a, %a, 16, %t;", "", PLAIN},
    {"gaps", "mul.lo.u32 %a, %t, 3;", "", PLAIN},
    {"one for 16", "shr.u32 %a, %t, 4;", "", PLAIN},
    {"one for all", "mov.u32 %a, 5;", "", PLAIN},
    {"no order", "mul.lo.u32 %a, %t, 73; and.b32 %a, %a, 255;", "", PLAIN},
    {"a tile", "and.b32 %a, %t, 15; shl.b32 %a, %a, 4; shr.u32 %b, %t, 4; add.u32 %a, %a, %b;", "", PLAIN},
    {"a line, some lanes", "mov.u32 %a, %t;", "@%on ", PLAIN},
    {"no order, some lanes", "mul.lo.u32 %a, %t, 73; and.b32 %a, %a, 255;", "@%on ", PLAIN},
    {"one for all, some lanes", "mov.u32 %a, 5;", "@%on ", PLAIN},
    {"generic", "mov.u32 %a, %t;", "", GENERIC},
    {"lanes apart", "mov.u32 %a, %t;", "", TWO_LOOPS},
    {"lanes apart, no order", "mul.lo.u32 %a, %t, 73; and.b32 %a, %a, 255;", "", TWO_LOOPS},
    {"shared memory, too", "mov.u32 %a, %t;", "", SHARED_TOO},
    {"cp.async", "mov.u32 %a, %t;", "", BY_COPY},
    {"atom.exch", "mov.u32 %a, %t;", "", BY_EXCHANGE},
};

static const struct {
    const char *load, *store;
} orders[] = {{"", ""},
              {".weak", ".weak"},
              {".relaxed.gpu", ".relaxed.sys"},
              {".volatile", ".volatile"},
              {".acquire.gpu", ".release.gpu"}};

/* ---- a kernel ---- */

static unsigned bytes_of(const struct form *f)
{
    return f->n * f->bits / 8;
}

/* The letter of registers of so many bits. */
static char letter(unsigned bits)
{
    return bits == 16 ? 'h' : bits == 32 ? 'r' : bits == 64 ? 'd' : 'q';
}

/* {%r0, %r1, ...}, or %r0 alone, from number `first` on. */
static void put_registers(struct text *t, const struct form *f, unsigned first)
{
    put(t, "%s", f->n > 1 ? "{" : "");
    for (unsigned k = 0; k < f->n; k++) put(t, "%s%%%c%u", k ? ", " : "", letter(f->wide), first + k);
    put(t, "%s", f->n > 1 ? "}" : "");
}

/* All elements are of %i. */
static void put_value(struct text *t, const struct form *f)
{
    put(t, " mov.b64 %%d20, {%%i, %%i};\n");
    for (unsigned k = 0; k < f->n; k++) switch (f->wide) {
        case 16: put(t, " cvt.u16.u32 %%h%u, %%i;\n", k); break;
        case 32: put(t, " mov.b32 %%r%u, %%i;\n", k); break;
        case 64: put(t, " mov.b64 %%d%u, %%d20;\n", k); break;
        default: put(t, " mov.b128 %%q%u, {%%d20, %%d20};\n", k); break;
        }
}

/* %bad is 1 if what was loaded (from number 8 on) is not alike within 16 bytes; %x is the first 16 bits of
 * it. */
static void put_check(struct text *t, const struct form *f)
{
    const unsigned part = bytes_of(f) > 16 ? 128 / f->bits : f->n;
    const char c = f->wide == 128 ? 'd' : letter(f->wide);
    put(t, " mov.u32 %%bad, 0;\n");
    if (f->wide == 128) put(t, " mov.b128 {%%d8, %%d9}, %%q8;\n");
    for (unsigned k = 0; k < (f->wide == 128 ? 2 : f->n); k++) {
        if (f->bits >= 64)
            put(t, " mov.b64 {%%r20, %%r21}, %%d%u; setp.ne.b32 %%p, %%r20, %%r21; @%%p mov.u32 %%bad, 1;\n",
                8 + k);
        if (f->wide == 128 ? k : k % part)
            put(t, " setp.ne.b%u %%p, %%%c%u, %%%c%u; @%%p mov.u32 %%bad, 1;\n",
                f->wide == 128 ? 64 : f->wide, c, 8 + k, c, f->wide == 128 ? 8 : 8 + k / part * part);
    }
    put(t, " cvt.u16.u%u %%x, %%%c8;\n", f->wide == 128 ? 64 : f->wide, c);
}

static void put_load(struct text *t, const struct form *f, const struct way *w, const char *order)
{
    if (w->how == BY_COPY) {
        put(t, " cp.async.ca.shared.global [%%s], [%%p0], %u; cp.async.wait_all;\n ld.shared.%s ",
            bytes_of(f), f->type);
        put_registers(t, f, 8);
        put(t, ", [%%s];\n");
        return;
    }
    put(t, " %sld%s%s.%s ", w->guard, order, w->how == PLAIN || w->how == TWO_LOOPS ? ".global" : "",
        f->type);
    put_registers(t, f, 8);
    put(t, ", [%%p0];\n");
}

static void put_store(struct text *t, const struct form *f, const struct way *w, const char *order)
{
    if (w->how == BY_EXCHANGE) {
        put(t, " atom.global.exch.b128 %%q9, [%%p0], %%q0;\n");
        return;
    }
    put(t, " %sst%s%s.%s [%%p0], ", w->guard, order, w->how == PLAIN || w->how == TWO_LOOPS ? ".global" : "",
        f->type);
    put_registers(t, f, 0);
    put(t, ";\n");
}

/*
 * The first block stores until all threads of the others have loaded %n times. Behind the units, from 32 KiB
 * on, lie the number of threads that are done, of units that were torn, and of changes that were seen.
 */
static void put_loop(struct text *t, const struct form *f, const struct way *w, unsigned order, char label)
{
    put(t, " @%%first bra STORE%c;\nLOAD%c:\n", label, label);
    put_load(t, f, w, orders[order].load);
    put_check(t, f);
    put(t,
        " setp.ne.u32 %%p, %%bad, 0; @%%p red.global.add.u32 [%%o+4], 1;\n"
        " setp.ne.u16 %%p, %%x, %%last; mov.u16 %%last, %%x; @%%p red.global.add.u32 [%%o+8], 1;\n"
        " add.u32 %%i, %%i, 1; setp.lt.u32 %%p, %%i, %%n; @%%p bra LOAD%c;\n"
        " red.release.gpu.global.add.u32 [%%o], 1; bra DONE;\nSTORE%c:\n",
        label, label);
    put_value(t, f);
    put_store(t, f, w, orders[order].store);
    put(t,
        " add.u32 %%i, %%i, 1; ld.acquire.gpu.global.u32 %%b, [%%o]; setp.lt.u32 %%p, %%b, %%all;\n"
        " @%%p bra STORE%c;\n bra DONE;\n",
        label);
}

static struct text kernel_of(const struct form *f, const struct way *w, unsigned order)
{
    struct text t = {0};
    put(&t,
        ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n, "
        ".param .u32 all)\n"
        "{ .shared .align 16 .b8 sh[8192];\n .reg .pred %%p, %%on, %%first, %%odd; .reg .b16 %%h<16>, %%x, "
        "%%last;\n"
        " .reg .b32 %%r<24>, %%t, %%a, %%b, %%i, %%n, %%all, %%bad, %%s;\n .reg .b64 %%d<24>, %%p0, %%o, "
        "%%g;\n"
        " .reg .b128 %%q<10>;\n ld.param.u64 %%o, [p]; ld.param.u32 %%n, [n]; ld.param.u32 %%all, [all];\n"
        " mov.u32 %%t, %%tid.x; mov.u32 %%a, %%ctaid.x; setp.eq.u32 %%first, %%a, 0;\n"
        " and.b32 %%a, %%t, 3; setp.ne.u32 %%on, %%a, 2; and.b32 %%a, %%t, 1; setp.ne.u32 %%odd, %%a, 0;\n");
    put(&t, " %s\n mul.wide.u32 %%g, %%a, %u; add.u64 %%p0, %%o, %%g; add.u64 %%o, %%o, 32768;\n", w->place,
        bytes_of(f));
    put(&t, " mov.u32 %%s, sh; mad.lo.u32 %%s, %%t, %u, %%s; mov.u32 %%i, 0; mov.u16 %%last, 0;\n",
        bytes_of(f));
    if (w->how == SHARED_TOO)
        put(&t, " cvt.u64.u32 %%g, %%s; cvta.shared.u64 %%g, %%g; setp.lt.u32 %%p, %%t, 40; selp.b64 %%p0, "
                "%%g, %%p0, %%p;\n");
    if (w->how == TWO_LOOPS) put(&t, " @%%odd bra ODD;\n");
    put_loop(&t, f, w, order, 'A');
    if (w->how == TWO_LOOPS) {
        put(&t, "ODD:\n");
        put_loop(&t, f, w, order, 'B');
    }
    put(&t, "DONE:\n ret; }\n");
    return t;
}

/* ---- running it ---- */

enum { THREADS = 256, UNITS = 32768, TURNS = 64 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EACH = 5 }; /* of the kernels, so many apart */
#else
enum { EACH = 1 };
#endif

static uint32_t changes, kernels;

struct setting {
    const char *level, *engine;
    unsigned workers, order;
    uint64_t seed; /* of a random schedule; 0: the usual one */
};

static void expect_whole(const struct form *f, const struct way *w, const struct setting *s)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .arch = "sm_100",
                                      .workers = s->workers,
                                      .memory_bytes = 1 << 20,
                                      .engine = s->engine,
                                      .timeout_ms = 60000,
                                      .schedule = s->seed ? PTX_SCHEDULE_RANDOM : PTX_SCHEDULE_USUAL,
                                      .schedule_seed = s->seed};
    struct text t = kernel_of(f, w, s->order);
    struct {
        ptx_address p;
        uint32_t n, all;
    } params = {.n = TURNS};
    uint32_t blocks = s->workers < 4 ? 4 : s->workers;
    put(&t, "%c", 0);
    open_program(&config, t.at);
    device->level = px_level_named(s->level);
    params.p = buffer(UNITS + 12);
    params.all = (blocks - 1) * THREADS;
    const ptx_launch_config launch = launch_shape(blocks, THREADS, &params, sizeof params);
    assert_int_equal(ptx_kernel_launch(kernel_named("k"), &launch, NULL), PTX_OK);
    const uint32_t torn = word_at(params.p + UNITS + 4);
    changes += word_at(params.p + UNITS + 8);
    kernels++;
    if (torn)
        fail_msg("%s in registers of %u bits, %s, ld%s st%s, %s, engine '%s', %u workers: %u torn", f->type,
                 f->wide, w->name, orders[s->order].load, orders[s->order].store, s->level, s->engine,
                 s->workers, torn);
    close_program(NULL);
    free(t.at);
}

/* cp.async copies 4, 8 or 16 bytes; only .b128 is exchanged; 32 bytes are of global memory. */
static bool is_there(const struct form *f, const struct way *w)
{
    const unsigned bytes = bytes_of(f);
    if (w->how == BY_COPY) return bytes == 4 || bytes == 8 || bytes == 16;
    if (w->how == BY_EXCHANGE) return f->bits == 128;
    return w->how != SHARED_TOO || bytes <= 16;
}

/* Every form in every way; the engine's options, orders, numbers of workers and schedules take turns. */
static void expect_all(const char *level, unsigned turn)
{
    static const char *const engines[] = {"",
                                          "plain",
                                          "no-affine",
                                          "no-tiles",
                                          "no-convergent",
                                          "no-uniform",
                                          "no-wide",
                                          "no-terms,no-narrow",
                                          "no-fusion,no-shapes",
                                          "no-segments,no-forks"};
    static const unsigned workers[] = {2, 3, 4, 8, 16};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++, turn += 7) {
            const struct setting s = {.level = level,
                                      .engine = turn % 3 ? "" : engines[turn % 10],
                                      .workers = workers[turn / 2 % 5],
                                      .order = turn % 5,
                                      .seed = turn % 4 ? 0 : turn};
            if (is_there(&forms[i], &ways[k]) && turn / 7 % EACH == 0) expect_whole(&forms[i], &ways[k], &s);
        }
}

TEST(test_whole)
{
    for (unsigned i = 0; i < LEVELS; i++)
        if (px_level_named(level_names[i])) expect_all(level_names[i], i);
    assert_in_range(changes, kernels, UINT32_MAX); /* somebody was writing meanwhile */
}

/* Locks do what a processor without AVX cannot. */
TEST(test_locks)
{
    unsigned turn = 0;
    if (!px_level_named("portable")) skip();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++, turn++) {
            const struct setting s = {.level = "portable",
                                      .engine = "no-wide",
                                      .workers = 2 + turn % 3,
                                      .order = turn % 5,
                                      .seed = turn % 4 ? 0 : turn};
            if (bytes_of(&forms[i]) >= 16 && is_there(&forms[i], &ways[k]) && turn % EACH == 0)
                expect_whole(&forms[i], &ways[k], &s);
        }
}

int main(void)
{
    return run_suite();
}
