/*
 * test_nan.c - programs in which floats and integers that look like NaNs share registers.
 *
 * A random program runs on every SIMD level and is modelled here, lane by lane, in plain C: registers are
 * words, the result of f32 arithmetic that is a NaN is 0x7fffffff, nothing else changes a bit. Its statements
 * move words that are NaNs of many kinds through mov, selp, slct, guards, branches, loops, calls, packing,
 * shuffles and memory, and compute with them now and then. At the end all registers must hold the model's
 * bits.
 *
 *   test_nan [PROGRAMS [SEED]]
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"
#include "unit/expand.h"
#include "vm/device/device.h"

enum { LANES = 64, REGS = 10, WORDS_REGS = 7, PREDS = 3, DEPTH = 3, WORDS = REGS * LANES };

static unsigned programs = 1000;
static uint64_t seed = 1;

/* ---- what is generated ---- */

/*
 * Registers 0 to 3 are %r, .b32; 4 to 6 are %f, .f32; then there is one %r and two %f. Those from WORDS_REGS
 * on get nothing but results of arithmetic, constants that are no NaN, and copies of each other.
 */
struct program {
    struct expand_text text; /* of the body */
    uint64_t random;
    uint32_t r[REGS][LANES];
    uint32_t cell[LANES]; /* one word of memory a lane */
    bool p[PREDS][LANES];
    bool on[LANES]; /* lanes that run the statement */
    unsigned labels, depth;
};

static unsigned any(struct program *g, unsigned n)
{
    g->random += 0x9e3779b97f4a7c15u;
    uint64_t z = (g->random ^ (g->random >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z >> 33) % n);
}

static uint32_t any_word(struct program *g)
{
    static const uint32_t words[] = {0xffffffff, 0x7fc00001, 0xffc00000, 0x7fffffff, 0x7f800001,
                                     0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0,
                                     0x80000000, 5,          0x40490fdb, 0x7f7fffff};
    return words[any(g, sizeof words / sizeof *words)];
}

static const char *name(unsigned reg)
{
    static const char *const names[REGS] = {"%r0", "%r1", "%r2", "%r3", "%f0",
                                            "%f1", "%f2", "%r4", "%f3", "%f4"};
    return names[reg];
}

static unsigned word_reg(struct program *g)
{
    return any(g, 4);
}

/* One that integer instructions may read. */
static unsigned word_source(struct program *g)
{
    unsigned r = any(g, 5);
    return r < 4 ? r : WORDS_REGS;
}

/* A register for words of any kind, or also one for numbers alone. */
static unsigned result_reg(struct program *g, bool number)
{
    return any(g, number ? REGS : WORDS_REGS);
}

/* ---- the model ---- */

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return x != x ? 0x7fffffff : u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

static bool is_nan(uint32_t u)
{
    return (u & 0x7fffffff) > 0x7f800000;
}

static uint32_t flushed(uint32_t u)
{
    return u & 0x7f800000 ? u : u & 0x80000000;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    if (is_nan(a) || is_nan(b)) return !is_nan(a) ? a : !is_nan(b) ? b : 0x7fffffff;
    if (float_of(a) == float_of(b)) return a | b; /* -0 is the smaller zero */
    return float_of(a) < float_of(b) ? a : b;
}

typedef uint32_t operation(uint32_t a, uint32_t b, uint32_t c);
static uint32_t op_add(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, bits_of(float_of(a) + float_of(b));
}
static uint32_t op_sub(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, bits_of(float_of(a) - float_of(b));
}
static uint32_t op_mul(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, bits_of(float_of(a) * float_of(b));
}
static uint32_t op_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return bits_of(fmaf(float_of(a), float_of(b), float_of(c)));
}
static uint32_t op_min(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, smaller(a, b);
}
static uint32_t op_neg(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)b, (void)c, is_nan(a) ? 0x7fffffff : a ^ 0x80000000;
}
static uint32_t op_abs(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)b, (void)c, is_nan(a) ? 0x7fffffff : a & 0x7fffffff;
}
static uint32_t op_sqrt(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)b, (void)c, bits_of(sqrtf(float_of(a)));
}
static uint32_t op_copysign(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, (a & 0x80000000) | (b & 0x7fffffff);
}
static uint32_t op_addftz(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, flushed(bits_of(float_of(flushed(a)) + float_of(flushed(b))));
}
static uint32_t op_iadd(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, a + b;
}
static uint32_t op_isub(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, a - b;
}
static uint32_t op_xor(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, a ^ b;
}
static uint32_t op_not(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)b, (void)c, ~a;
}
static uint32_t op_smax(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)c, (int32_t)a > (int32_t)b ? a : b;
}
static uint32_t op_slct(uint32_t a, uint32_t b, uint32_t c)
{
    return (int32_t)c >= 0 ? a : b;
}
static uint32_t op_fslct(uint32_t a, uint32_t b, uint32_t c)
{
    return float_of(c) >= 0 ? a : b;
}
static uint32_t op_mov(uint32_t a, uint32_t b, uint32_t c)
{
    return (void)b, (void)c, a;
}

/* number: the operands may be .f32 registers. */
static const struct {
    const char *text;
    unsigned n;
    operation *run;
    bool number;
} operations[] = {{"add.rn.f32", 2, op_add, true},        {"sub.rn.f32", 2, op_sub, true},
                  {"mul.rn.f32", 2, op_mul, true},        {"fma.rn.f32", 3, op_fma, true},
                  {"min.f32", 2, op_min, true},           {"neg.f32", 1, op_neg, true},
                  {"abs.f32", 1, op_abs, true},           {"sqrt.rn.f32", 1, op_sqrt, true},
                  {"copysign.f32", 2, op_copysign, true}, {"add.rn.ftz.f32", 2, op_addftz, true},
                  {"add.u32", 2, op_iadd, false},         {"sub.s32", 2, op_isub, false},
                  {"xor.b32", 2, op_xor, false},          {"not.b32", 1, op_not, false},
                  {"max.s32", 2, op_smax, false},         {"slct.b32.s32", 3, op_slct, false},
                  {"slct.f32.s32", 3, op_slct, true},     {"slct.f32.f32", 3, op_fslct, true},
                  {"mov.f32", 1, op_mov, true},           {"mov.b32", 1, op_mov, true},
                  {"mov.f32", 1, op_mov, true},           {"mov.b32", 1, op_mov, true}};

/* ---- statements: each is written and carried out at once ---- */

static void line(struct program *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct program *g, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    expand_put(&g->text, "    %s\n", text);
}

/* Writes a guard in one case of three; `on` is where the statement takes effect. */
static void guard(struct program *g, char text[8], bool on[LANES])
{
    memcpy(on, g->on, LANES);
    text[0] = 0;
    if (any(g, 3)) return;
    unsigned p = any(g, PREDS), negated = any(g, 2);
    snprintf(text, 8, "@%s%%p%u ", negated ? "!" : "", p);
    for (int i = 0; i < LANES; i++) on[i] = on[i] && g->p[p][i] != negated;
}

static void operate(struct program *g)
{
    unsigned k = any(g, sizeof operations / sizeof *operations), d, s[3], n = operations[k].n;
    char guarded[8], sources[64] = "";
    bool on[LANES];
    guard(g, guarded, on);
    operation *run = operations[k].run;
    bool floats = operations[k].number, copies = run == op_mov || run == op_slct || run == op_fslct,
         numbers = any(g, 3) == 0;
    for (unsigned i = 0; i < 3; i++) {
        s[i] = numbers && (floats || strstr(operations[k].text, ".b32")) && i < 2 ? WORDS_REGS + any(g, 3)
               : floats                                                           ? any(g, REGS)
                                                                                  : word_source(g);
        if (run == op_slct && i == 2) s[i] = word_source(g);
        if (i < n) snprintf(sources + strlen(sources), sizeof sources - strlen(sources), ", %s", name(s[i]));
    }
    bool kept = s[0] >= WORDS_REGS && (n == 1 || s[1] >= WORDS_REGS);
    d = !floats ? word_reg(g) : result_reg(g, run != op_copysign && (!copies || kept));
    line(g, "%s%s %s%s;", guarded, operations[k].text, name(d), sources);
    for (int i = 0; i < LANES; i++)
        if (on[i]) g->r[d][i] = run(g->r[s[0]][i], g->r[s[1]][i], g->r[s[2]][i]);
}

static void constant(struct program *g)
{
    char guarded[8];
    bool on[LANES];
    uint32_t word = any_word(g);
    unsigned d = result_reg(g, !is_nan(word));
    guard(g, guarded, on);
    line(g, name(d)[1] == 'r' && any(g, 2) ? "%smov.b32 %s, 0x%08x;" : "%smov.f32 %s, 0f%08x;", guarded,
         name(d), word);
    for (int i = 0; i < LANES; i++)
        if (on[i]) g->r[d][i] = word;
}

static void choose(struct program *g)
{
    unsigned a = any(g, REGS), b = any(g, REGS), p = any(g, PREDS);
    uint32_t word = any_word(g);
    bool literal = any(g, 2), number = a >= WORDS_REGS && (literal ? !is_nan(word) : b >= WORDS_REGS);
    unsigned d = result_reg(g, number);
    if (literal)
        line(g, "selp.f32 %s, %s, 0f%08x, %%p%u;", name(d), name(a), word, p);
    else
        line(g, "selp.%s %s, %s, %s, %%p%u;", any(g, 2) ? "b32" : "f32", name(d), name(a), name(b), p);
    for (int i = 0; i < LANES; i++)
        if (g->on[i]) g->r[d][i] = g->p[p][i] ? g->r[a][i] : literal ? word : g->r[b][i];
}

static void compare(struct program *g)
{
    unsigned p = any(g, PREDS), number = any(g, 2), a = any(g, REGS), b = any(g, REGS);
    line(g, "setp.%s %%p%u, %s, %s;", number ? "lt.f32" : "eq.b32", p, name(a), name(b));
    for (int i = 0; i < LANES; i++)
        if (g->on[i])
            g->p[p][i] = number ? float_of(g->r[a][i]) < float_of(g->r[b][i]) : g->r[a][i] == g->r[b][i];
}

static void remember(struct program *g)
{
    char guarded[8];
    bool on[LANES];
    unsigned what = any(g, 3), b = any(g, REGS),
             a = what == 2   ? word_reg(g)
                 : what == 1 ? result_reg(g, false)
                             : b;
    guard(g, guarded, on);
    if (what == 0) line(g, "%sst.global.b32 [%%cell], %s;", guarded, name(a));
    if (what == 1) line(g, "%sld.global.f32 %s, [%%cell];", guarded, name(a));
    if (what == 2) line(g, "%satom.global.exch.b32 %s, [%%cell], %s;", guarded, name(a), name(b));
    for (int i = 0; i < LANES; i++) {
        uint32_t old = g->cell[i];
        if (on[i] && what != 1) g->cell[i] = g->r[b][i];
        if (on[i] && what != 0) g->r[a][i] = old;
    }
}

static void pack(struct program *g)
{
    unsigned a = any(g, REGS), b = any(g, REGS), d = result_reg(g, false),
             e = (d + 1 + any(g, WORDS_REGS - 1)) % WORDS_REGS;
    line(g, "mov.b64 %%l, {%s, %s};", name(a), name(b));
    line(g, "mov.b64 {%s, %s}, %%l;", name(d), name(e));
    for (int i = 0; i < LANES; i++) {
        uint32_t x = g->r[a][i], y = g->r[b][i];
        if (!g->on[i]) continue;
        g->r[d][i] = x;
        g->r[e][i] = y;
    }
}

/* Functions: the sum of two as floats when the first is the smaller integer, else the second's bits; in
 * registers and in .param space. */
static const char functions[] =
    ".func (.reg .b32 y) either(.reg .b32 a, .reg .b32 b)\n{\n    .reg .pred p;\n    setp.lt.s32 p, a, b;\n  "
    "  mov.b32 y, b;\n"
    "    @p add.rn.f32 y, a, b;\n    ret;\n}\n"
    ".func (.reg .f32 y) sum(.reg .f32 a, .reg .f32 b)\n{\n    add.rn.f32 y, a, b;\n    ret;\n}\n"
    ".func (.param .b32 z) other(.param .b32 x, .param .b32 y)\n{\n    .reg .b32 a, b, c;\n    .reg .pred "
    "p;\n"
    "    ld.param.b32 a, [x];\n    ld.param.b32 b, [y];\n    setp.lt.s32 p, a, b;\n    add.rn.f32 c, a, b;\n "
    "   @!p bra WORD;\n"
    "    st.param.f32 [z], c;\n    ret;\nWORD:\n    st.param.b32 [z], b;\n    ret;\n}\n";

static void call(struct program *g)
{
    unsigned d = word_reg(g), a = any(g, REGS), b = any(g, REGS);
    if (any(g, 2))
        line(g, "call (%s), either, (%s, %s);", name(d), name(a), name(b));
    else
        line(g,
             "{ .param .b32 x, y, z; st.param.b32 [x], %s; st.param.b32 [y], %s; call (z), other, (x, y); "
             "ld.param.b32 %s, [z]; }",
             name(a), name(b), name(d));
    for (int i = 0; i < LANES; i++) {
        uint32_t x = g->r[a][i], y = g->r[b][i];
        if (g->on[i]) g->r[d][i] = (int32_t)x < (int32_t)y ? bits_of(float_of(x) + float_of(y)) : y;
    }
}

static void add_by_call(struct program *g)
{
    unsigned d = 4 + any(g, 3), a = 4 + any(g, 3), b = WORDS_REGS + 1 + any(g, 2);
    line(g, "call (%s), sum, (%s, %s);", name(d), name(a), name(b));
    for (int i = 0; i < LANES; i++)
        if (g->on[i]) g->r[d][i] = op_add(g->r[a][i], g->r[b][i], 0);
}

/* Only where all lanes are: at the top. */
static void shuffle(struct program *g)
{
    unsigned d = word_reg(g), a = any(g, REGS);
    uint32_t old[LANES];
    line(g, "shfl.sync.bfly.b32 %s, %s, 1, 31, -1;", name(d), name(a));
    memcpy(old, g->r[a], sizeof old);
    for (int i = 0; i < LANES; i++) g->r[d][i] = old[i ^ 1];
}

static void block(struct program *g);

static void branch(struct program *g)
{
    unsigned p = any(g, PREDS), label = g->labels++;
    bool before[LANES], holds[LANES];
    memcpy(before, g->on, LANES);
    for (int i = 0; i < LANES; i++) holds[i] = g->p[p][i];
    line(g, "@!%%p%u bra ELSE%u;", p, label);
    for (int i = 0; i < LANES; i++) g->on[i] = before[i] && holds[i];
    block(g);
    line(g, "bra END%u;\nELSE%u:", label, label);
    for (int i = 0; i < LANES; i++) g->on[i] = before[i] && !holds[i];
    block(g);
    expand_put(&g->text, "END%u:\n", label);
    memcpy(g->on, before, LANES);
}

/* A loop whose body is one text, run as often as the lane says: bits of its number. */
static void loop(struct program *g)
{
    unsigned label = g->labels++, depth = g->depth;
    bool before[LANES];
    memcpy(before, g->on, LANES);
    line(g, "and.b32 %%n%u, %%t, 3;\nLOOP%u:", depth, label);
    const uint64_t random = g->random;
    const size_t start = g->text.n;
    const unsigned labels = g->labels;
    for (unsigned turn = 0; turn < 4; turn++) { /* the same statements, written once */
        g->random = random;
        g->text.n = start;
        g->labels = labels;
        for (int i = 0; i < LANES; i++) g->on[i] = before[i] && (unsigned)(i & 3) >= turn;
        block(g);
    }
    line(g, "sub.s32 %%n%u, %%n%u, 1;", depth, depth);
    line(g, "setp.ge.s32 %%more, %%n%u, 0;\n    @%%more bra LOOP%u;", depth, label);
    memcpy(g->on, before, LANES);
}

static void statement(struct program *g)
{
    static void (*const simple[])(struct program *) = {operate,  operate,  operate, operate, operate,
                                                       constant, constant, choose,  choose,  compare,
                                                       compare,  remember, pack,    call,    add_by_call};
    unsigned k = any(g, 21);
    if (k < 15)
        simple[k](g);
    else if (g->depth == 1 && k < 17)
        shuffle(g);
    else if (g->depth < DEPTH && k < 19)
        branch(g);
    else if (g->depth < DEPTH)
        loop(g);
    else
        operate(g);
}

static void block(struct program *g)
{
    g->depth++;
    for (unsigned n = g->depth == 1 ? 14 : 1 + any(g, 5); n-- > 0;) statement(g);
    g->depth--;
}

/* ---- a whole program ---- */

static size_t write_program(struct program *g, uint32_t in[REGS][LANES], char *text, size_t size)
{
    struct expand_text head = {.n = 0};
    expand_put(&head,
               ".version 8.0\n.target sm_80, debug\n.address_size 64\n.section .debug_abbrev { .b8 0 }\n%s",
               functions);
    expand_put(
        &head,
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{\n    .reg .b32 %%r<5>, "
        "%%t, %%n<8>;\n"
        "    .reg .f32 %%f<5>;\n    .reg .pred %%p<%u>, %%more;\n    .reg .b64 %%in, %%out, %%cell, %%l;\n",
        PREDS);
    expand_put(&head, "    mov.u32 %%t, %%tid.x;\n    mul.wide.u32 %%l, %%t, 4;\n    ld.param.u64 %%in, "
                      "[in];\n    add.s64 %%in, %%in, %%l;\n"
                      "    ld.param.u64 %%out, [out];\n    add.s64 %%out, %%out, %%l;\n    ld.param.u64 "
                      "%%cell, [cells];\n    add.s64 %%cell, %%cell, %%l;\n");
    for (unsigned r = 0; r < REGS; r++) {
        memset(g->r[r], 0, sizeof g->r[r]);
        if (any(g, 3) || r >= WORDS_REGS) {
            expand_put(&head, "    mov.b32 %s, 0;\n", name(r));
            continue;
        }
        expand_put(&head, "    ld.global.b32 %s, [%%in+%u];\n", name(r), r * LANES * 4);
        memcpy(g->r[r], in[r], sizeof g->r[r]);
    }
    memset(g->on, true, LANES);
    block(g);
    for (unsigned r = 0; r < REGS; r++) line(g, "st.global.b32 [%%out+%u], %s;", r * LANES * 4, name(r));
    return (size_t)snprintf(text, size, "%s%s    ret;\n}\n", head.at, g->text.at);
}

static void fail_with(const char *text, const char *why)
{
    puts(text);
    fail_msg("%s", why);
}

static void run(ptx_device *device, const char *text, size_t size, const ptx_address at[3],
                uint32_t out[REGS][LANES])
{
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    const ptx_launch_config launch = {sizeof launch, {1, 1, 1}, {LANES, 1, 1}, 0, at, 3 * sizeof *at};
    if (ptx_module_create(NULL, text, size, &module) != PTX_OK) fail_with(text, "refused");
    assert_int_equal(ptx_program_create(device, (const ptx_module *[]){module}, 1, NULL, &program), PTX_OK);
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    assert_int_equal(ptx_memory_fill(device, at[2], 0, LANES * 4), PTX_OK);
    if (ptx_kernel_launch(kernel, &launch, NULL) != PTX_OK) fail_with(text, ptx_device_message(device));
    assert_int_equal(ptx_memory_read(device, out, at[1], WORDS * 4), PTX_OK);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
}

static void make_input(struct program *g, uint32_t in[REGS][LANES])
{
    for (unsigned i = 0; i < WORDS; i++)
        in[i / LANES][i % LANES] = any(g, 4) ? any_word(g) : any(g, UINT32_MAX);
}

static void check(const struct program *g, const char *level, unsigned number, const char *text,
                  uint32_t out[REGS][LANES])
{
    for (unsigned r = 0; r < REGS; r++)
        for (unsigned i = 0; i < LANES; i++)
            if (out[r][i] != g->r[r][i]) {
                puts(text);
                fail_msg("program %u on %s: %s of lane %u is %08x, must be %08x", number, level, name(r), i,
                         out[r][i], g->r[r][i]);
            }
}

TEST(words_keep_their_bits)
{
    static const char *const levels[] = {"portable", "avx2", "avx512"};
    static char text[65536];
    static uint32_t in[REGS][LANES], out[REGS][LANES];
    const ptx_device_config config = {.workers = 1};
    ptx_device *device;
    ptx_address at[3];
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(ptx_memory_alloc(device, WORDS * 4, &at[i]), PTX_OK);
    for (unsigned n = 0; n < programs; n++) {
        struct program g = {.random = seed * 1000003 + n};
        make_input(&g, in);
        size_t size = write_program(&g, in, text, sizeof text);
        if (g.text.n + 1 >= sizeof g.text.at) continue; /* cut off */
        assert_int_equal(ptx_memory_write(device, at[0], in, sizeof in), PTX_OK);
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            if (!px_level_named(levels[k])) continue;
            device->level = px_level_named(levels[k]);
            run(device, text, size, at, out);
            check(&g, levels[k], n, text, out);
        }
    }
    ptx_device_destroy(device);
}

int main(int argc, char **argv)
{
    if (argc > 1) programs = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2) seed = strtoull(argv[2], NULL, 10);
    return run_suite();
}
