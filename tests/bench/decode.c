/*
 * decode.c - what decoding a kernel costs, from checked to runnable, by the shape of its text: processor time
 * an instruction, bytes an instruction that stay and at the peak; and what stays once lanes have parted in
 * all of its functions. Nothing is run: px_code_get is what the first launch calls. Arguments: numbers of
 * instructions, and words of the names of shapes.
 */
#include <stdint.h>
#include <string.h>

#include "need.h"
#include "text.h"
#include "vm/device/device.h"

enum { THREADS = 32, LABEL_RUN = 1000 };

/* ---- text ---- */

/* One instruction. */
#define I(t, ...) (put((t), __VA_ARGS__), (t)->made++)

static bool more(const struct text *t)
{
    return t->made < t->insts;
}

/* The same numbers in every run. */
static unsigned draw(unsigned i, unsigned below)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return (unsigned)((x ^ x >> 29) % below);
}

static void open_kernel(struct text *t, unsigned words)
{
    put(t,
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<%u>;\n"
        ".reg .f32 %%f<40>;\n.reg .b64 %%d<40>;\n",
        words > 40 ? words : 40);
    I(t, "ld.param.u64 %%d1, [out];\n");
    I(t, "mov.u32 %%r0, %%tid.x;\n");
    I(t, "mul.wide.u32 %%d2, %%r0, 4;\n");
    I(t, "add.u64 %%d2, %%d1, %%d2;\n");
    I(t, "ld.param.u32 %%r1, [n];\n");
    I(t, "setp.lt.u32 %%p1, %%r0, %%r1;\n");
    for (unsigned i = 0; i < 30; i++) I(t, "ld.global.u32 %%r%u, [%%d2+%u];\n", i + 2, 4 * i);
    for (unsigned i = 0; i < 30; i++) I(t, "cvt.rn.f32.u32 %%f%u, %%r%u;\n", i, i + 2);
}

static void close_kernel(struct text *t)
{
    I(t, "st.global.u32 [%%d2], %%r2;\n");
    I(t, "st.global.f32 [%%d2], %%f2;\n");
    I(t, "ret;\n");
    put(t, "}\n");
}

/* ---- shapes ---- */

static void additions(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++)
        I(t, "add.u32 %%r%u, %%r%u, %%r%u;\n", 2 + i % 30, 2 + (i + 29) % 30, 2 + (i + 18) % 30);
    close_kernel(t);
}

static void one_each(struct text *t)
{
    open_kernel(t, t->insts + 40);
    for (unsigned i = 32; more(t); i++) I(t, "add.u32 %%r%u, %%r%u, %%r%u;\n", i, i - 1, i - 12);
    close_kernel(t);
}

static void constants(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) I(t, "xor.b32 %%r2, %%r3, %u;\n", i * 2654435761u);
    close_kernel(t);
}

static void products_and_sums(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        I(t, "mul.f32 %%f30, %%f%u, %%f%u;\n", i % 30, (i + 7) % 30);
        I(t, "add.f32 %%f%u, %%f30, %%f%u;\n", i % 29, (i + 11) % 30);
    }
    close_kernel(t);
}

/* The same in blocks of four, with registers that cross them. */
static void products_in_blocks(struct text *t)
{
    const unsigned registers = t->insts / 8 + 1;
    open_kernel(t, 0);
    put(t, ".reg .f32 %%g<%u>;\n", registers);
    for (unsigned i = 0; more(t); i++) {
        I(t, "mul.f32 %%g%u, %%f%u, %%f%u;\n", draw(i, registers), i % 30, (i + 7) % 30);
        I(t, "add.f32 %%f%u, %%g%u, %%f%u;\n", i % 29, draw(i + 9, registers), (i + 11) % 30);
        I(t, "setp.lt.f32 %%p2, %%f%u, %%f3;\n", i % 29);
        I(t, "@%%p2 bra L%u;\n", i);
        put(t, "L%u:\n", i);
    }
    close_kernel(t);
}

/* Loads and stores in turn of so many bytes. */
static void transfers(struct text *t, unsigned bytes, const char *type, const char *const value[2])
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        const unsigned reg = 5 + i % 25, at = i * bytes % 8192;
        I(t, "ld.global%s %s%u%s, [%%d1+%u];\n", type, value[0], reg, value[1], at);
        I(t, "st.global%s [%%d1+%u], %s%u%s;\n", type, at, value[0], reg, value[1]);
    }
    close_kernel(t);
}

static void loads_and_stores(struct text *t)
{
    transfers(t, 4, ".u32", (const char *[2]){"%r", ""});
}

static void loads_by_number(struct text *t)
{
    open_kernel(t, t->insts + 40);
    for (unsigned i = 32; more(t); i += 1) {
        I(t, "mul.wide.u32 %%d3, %%r%u, 4;\n", i - 1);
        I(t, "add.u64 %%d4, %%d1, %%d3;\n");
        I(t, "ld.global.u32 %%r%u, [%%d4];\n", i);
    }
    close_kernel(t);
}

static void vectors(struct text *t)
{
    transfers(t, 16, ".v4.u32", (const char *[2]){"{%r2, %r3, %r4, %r", "}"});
}

static void vector_registers(struct text *t)
{
    open_kernel(t, 0);
    put(t, ".reg .v4 .b32 %%v<%u>;\n", t->insts / 3 + 2);
    for (unsigned i = 0; more(t); i++) {
        I(t, "mov.v4.b32 %%v%u, {%%r2, %%r3, %%r4, %%r%u};\n", i, 5 + i % 20);
        I(t, "add.u32 %%r%u, %%v%u.x, %%v%u.w;\n", 2 + i % 20, i, i);
        I(t, "mov.u32 %%v%u.y, %%r%u;\n", i, 2 + i % 20);
    }
    close_kernel(t);
}

static void guards(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        I(t, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", 2 + i % 6, 2 + i % 30, 2 + (i + 5) % 30);
        for (unsigned k = 0; k < 3; k++)
            I(t, "@%s%%p%u add.u32 %%r%u, %%r%u, %%r%u;\n", k & 1 ? "!" : "", 2 + (i + k) % 6,
              2 + (i + k) % 30, 2 + (i + 9) % 30, 2 + (i + 3) % 30);
        I(t, "@%%p2 st.global.u32 [%%d2+%u], %%r%u;\n", i * 4 % 4096, 2 + i % 30);
    }
    close_kernel(t);
}

/* A label before each instruction, and every second one a branch to any of the next thousand. */
static void branches_ahead(struct text *t)
{
    unsigned i = 0;
    open_kernel(t, 0);
    for (; more(t); i++) {
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r%u, %%r4;\n", 2 + i % 30, 2 + (i + 1) % 30);
        I(t, "@%%p1 bra L%u;\n", i + 1 + draw(i, LABEL_RUN));
    }
    for (unsigned end = i + LABEL_RUN; i <= end; i++) put(t, "L%u:\n", i);
    close_kernel(t);
}

/* To any label of all. */
static void branches_anywhere(struct text *t)
{
    const unsigned labels = (t->insts - t->made) / 2;
    unsigned i = 0;
    open_kernel(t, 0);
    for (; i < labels; i++) {
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r%u, %%r4;\n", 2 + i % 30, 2 + (i + 1) % 30);
        I(t, "@%%p1 bra L%u;\n", draw(i, labels));
    }
    close_kernel(t);
}

static void diamonds(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        I(t, "setp.lt.u32 %%p2, %%r%u, %%r%u;\n", 2 + i % 30, 2 + (i + 5) % 30);
        I(t, "@%%p2 bra A%u;\n", i);
        I(t, "add.u32 %%r%u, %%r3, 1;\n", 2 + i % 30);
        I(t, "bra B%u;\n", i);
        put(t, "A%u:\n", i);
        I(t, "add.u32 %%r%u, %%r3, 2;\n", 2 + i % 30);
        put(t, "B%u:\n", i);
    }
    close_kernel(t);
}

static void loops_inside(struct text *t)
{
    unsigned i = 0;
    open_kernel(t, 0);
    for (; t->made < t->insts / 2; i++) {
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r3, %%r4;\n", 2 + i % 30);
    }
    while (i-- > 0) I(t, "@%%p1 bra L%u;\n", i);
    close_kernel(t);
}

static void loops_beside(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r3, %%r4;\n", 2 + i % 30);
        I(t, "setp.lt.u32 %%p2, %%r%u, %%r5;\n", 2 + i % 30);
        I(t, "@%%p2 bra L%u;\n", i);
    }
    close_kernel(t);
}

/* Half of the instructions define a register each, the other half reads them. */
static void all_alive(struct text *t)
{
    const unsigned n = t->insts / 2;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) I(t, "add.u32 %%r%u, %%r2, %%r%u;\n", 32 + i, 3 + i % 29);
    for (unsigned i = 0; i < n; i++) I(t, "xor.b32 %%r2, %%r2, %%r%u;\n", 32 + i);
    close_kernel(t);
}

/* The same over blocks of three instructions. */
static void alive_over_blocks(struct text *t)
{
    const unsigned n = t->insts / 4;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) {
        I(t, "add.u32 %%r%u, %%r2, %%r%u;\n", 32 + i, 3 + i % 29);
        I(t, "setp.eq.u32 %%p2, %%r%u, 2;\n", 32 + i);
        I(t, "@%%p2 bra E;\n");
    }
    put(t, "E:\n");
    for (unsigned i = 0; i < n; i++) I(t, "xor.b32 %%r2, %%r2, %%r%u;\n", 32 + i);
    close_kernel(t);
}

static void calls(struct text *t)
{
    put(t, ".func (.param .u32 d) f(.param .u32 a, .param .u64 b)\n{\n.reg .b32 %%r<3>;\nld.param.u32 %%r1, "
           "[a];\n"
           "mad.lo.u32 %%r1, %%r1, 5, 3;\nst.param.u32 [d], %%r1;\nret;\n}\n");
    open_kernel(t, 0);
    while (more(t)) {
        put(t, "{\n.param .u32 a;\n.param .u64 b;\n.param .u32 d;\n");
        I(t, "st.param.u32 [a], %%r2;\n");
        I(t, "st.param.u64 [b], %%d2;\n");
        I(t, "call (d), f, (a, b);\n");
        I(t, "ld.param.u32 %%r2, [d];\n");
        put(t, "}\n");
    }
    close_kernel(t);
}

static void functions(struct text *t)
{
    const unsigned n = t->insts / 8;
    put(t, ".func (.reg .b32 d) f0(.reg .b32 a)\n{\nadd.u32 d, a, 1;\nret;\n}\n");
    for (unsigned i = 1; i < n; i++) {
        put(t, ".func (.reg .b32 d) f%u(.reg .b32 a)\n{\n.reg .b32 r;\n", i);
        I(t, "mul.lo.u32 r, a, %u;\n", i);
        for (unsigned k = 0; k < 4; k++) I(t, "add.u32 r, r, a;\n");
        I(t, "call (r), f%u, (r);\n", i - 1);
        I(t, "mov.u32 d, r;\n");
        I(t, "ret;\n");
        put(t, "}\n");
    }
    open_kernel(t, 0);
    I(t, "call (%%r2), f%u, (%%r3);\n", n - 1);
    close_kernel(t);
}

static void matrices(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++)
        I(t,
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%f0, %%f1, %%f2, %%f3}, {%%r2, %%r3, %%r4, "
          "%%r%u}, "
          "{%%r6, %%r7}, {%%f0, %%f1, %%f2, %%f3};\n",
          8 + i % 20);
    close_kernel(t);
}

static void shuffles(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++)
        I(t, "shfl.sync.bfly.b32 %%r%u, %%r%u, %u, 31, -1;\n", 2 + i % 30, 2 + (i + 1) % 30, 1 + i % 31);
    close_kernel(t);
}

static void atomics(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        I(t, "atom.global.add.u32 %%r%u, [%%d2+%u], %%r%u;\n", 2 + i % 30, i * 4 % 4096, 2 + (i + 9) % 30);
        I(t, "red.global.max.u32 [%%d2+%u], %%r%u;\n", i * 4 % 4096, 2 + i % 30);
        I(t, "atom.global.cas.b32 %%r%u, [%%d2], %%r3, %%r4;\n", 2 + i % 30);
    }
    close_kernel(t);
}

static void barriers(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) I(t, "bar.sync %u;\n", i % 16);
    close_kernel(t);
}

/* A variable for each value, as nvcc -G writes it, as far as there is local memory for them. */
static void locals(struct text *t)
{
    enum { MOST = 200000 };
    open_kernel(t, 0);
    for (unsigned i = 0; i < t->insts / 2 && i < MOST; i++) put(t, ".local .b32 x%u;\n", i);
    for (unsigned i = 0; more(t); i++) {
        I(t, "st.local.u32 [x%u], %%r%u;\n", i % MOST, 2 + i % 30);
        I(t, "ld.local.u32 %%r%u, [x%u];\n", 2 + (i + 1) % 30, i % MOST);
    }
    close_kernel(t);
}

/* Exponentials of values that are never the same, each with a reciprocal. */
static void exponentials(struct text *t)
{
    open_kernel(t, 0);
    for (unsigned i = 0; more(t); i++) {
        I(t, "add.ftz.f32 %%f30, %%f%u, %%f%u;\n", i % 29, (i + 7) % 29);
        I(t, "ex2.approx.ftz.f32 %%f%u, %%f30;\n", i % 29);
        if (i % 8 == 0) I(t, "rcp.approx.ftz.f32 %%f%u, %%f%u;\n", i % 29, i % 29);
    }
    close_kernel(t);
}

/* Blocks that follow one another from the end of the text to its beginning. */
static void blocks_backward(struct text *t)
{
    unsigned i = 0;
    open_kernel(t, 0);
    const unsigned n = (t->insts - t->made) / 2;
    I(t, "bra L%u;\n", n - 1);
    for (; i < n; i++) {
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r%u, %%r4;\n", 2 + i % 30, 2 + (i + 1) % 30);
        if (i)
            I(t, "bra L%u;\n", i - 1);
        else
            I(t, "bra END;\n");
    }
    put(t, "END:\n");
    close_kernel(t);
}

/* A table of four each. */
static void tables(struct text *t)
{
    unsigned i = 0;
    open_kernel(t, 0);
    for (; more(t); i++) {
        put(t, "T%u: .branchtargets L%u, L%u, L%u, L%u;\n", i, i, i + 1, i + 2, i + 3);
        I(t, "and.b32 %%r2, %%r3, 3;\n");
        I(t, "brx.idx %%r2, T%u;\n", i);
        put(t, "L%u:\n", i);
    }
    for (unsigned k = 0; k < 4; k++) put(t, "L%u:\n", i + k);
    close_kernel(t);
}

/* One table of all labels, through which one in a thousand goes. */
static void one_table(struct text *t)
{
    unsigned n = 0, i = 0;
    open_kernel(t, 0);
    const unsigned before = t->made;
    for (; t->made < t->insts; n++) t->made += 1 + (n % LABEL_RUN == 0);
    t->made = before;
    put(t, "T: .branchtargets L0");
    for (unsigned k = 1; k < n; k++) put(t, ", L%u", k);
    put(t, ";\n");
    for (; i < n; i++) {
        if (i % LABEL_RUN == 0) I(t, "brx.idx %%r2, T;\n");
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r%u, %%r3, %%r4;\n", 2 + i % 30);
    }
    close_kernel(t);
}

/* Groups as a compiler writes them: a register for each value, short blocks, loops of two levels. */
static void compiled(struct text *t)
{
    const unsigned n = t->insts / 12 + 1;
    open_kernel(t, 0);
    put(t, ".reg .b32 a<%u>, b<%u>, c<%u>, e<%u>;\n.reg .pred p<%u>, q<%u>;\n", n, n, n, n, n, n);
    for (unsigned i = 0; more(t); i++) {
        put(t, "O%u:\n", i);
        I(t, "add.u32 a%u, %%r2, %u;\n", i, i);
        I(t, "mul.lo.u32 c%u, a%u, %%r3;\n", i, i);
        I(t, "mad.lo.u32 b%u, c%u, a%u, %%r2;\n", i, i, i);
        put(t, "I%u:\n", i);
        I(t, "setp.lt.u32 p%u, b%u, 7;\n", i, i);
        I(t, "@p%u bra A%u;\n", i, i);
        I(t, "xor.b32 %%r3, %%r3, b%u;\n", i);
        I(t, "shl.b32 e%u, a%u, 3;\n", i, i);
        I(t, "add.u32 %%r3, %%r3, e%u;\n", i);
        put(t, "A%u:\n", i);
        I(t, "add.u32 %%r2, %%r2, a%u;\n", i);
        I(t, "setp.ne.u32 q%u, a%u, a%u;\n", i, i, i);
        I(t, "@q%u bra I%u;\n", i, i);
        I(t, "@q%u bra O%u;\n", i, i);
    }
    close_kernel(t);
}

/* Both ways of a branch write a register, which is read where they meet, and again at the end. */
static void results_of_branches(struct text *t)
{
    const unsigned n = t->insts / 7;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) {
        I(t, "setp.lt.u32 %%p2, %%r%u, %%r%u;\n", 2 + i % 30, 2 + (i + 5) % 30);
        I(t, "@%%p2 bra A%u;\n", i);
        I(t, "add.u32 %%r%u, %%r3, 1;\n", 32 + i);
        I(t, "bra B%u;\n", i);
        put(t, "A%u:\n", i);
        I(t, "add.u32 %%r%u, %%r3, 2;\n", 32 + i);
        put(t, "B%u:\n", i);
        I(t, "add.u32 %%r4, %%r4, %%r%u;\n", 32 + i);
    }
    for (unsigned i = 0; i < n; i++) I(t, "xor.b32 %%r2, %%r2, %%r%u;\n", 32 + i);
    close_kernel(t);
}

/* Loops inside loops, each with a counter of its own. */
static void counters_inside(struct text *t)
{
    const unsigned n = t->insts / 5;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) {
        I(t, "mov.u32 %%r%u, 0;\n", 32 + i);
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r4, %%r4, %%r%u;\n", 32 + i);
    }
    for (unsigned i = n; i-- > 0;) {
        I(t, "add.u32 %%r%u, %%r%u, 1;\n", 32 + i, 32 + i);
        I(t, "setp.lt.u32 %%p2, %%r%u, %%r1;\n", 32 + i);
        I(t, "@%%p2 bra L%u;\n", i);
    }
    close_kernel(t);
}

/* Loops with two entries, inside each other. */
static void irreducible(struct text *t)
{
    const unsigned n = t->insts / 6;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) {
        I(t, "mov.u32 %%r%u, 0;\n", 32 + i);
        I(t, "@%%p1 bra M%u;\n", i);
        put(t, "L%u:\n", i);
        I(t, "add.u32 %%r4, %%r4, %%r%u;\n", 32 + i);
        put(t, "M%u:\n", i);
        I(t, "add.u32 %%r3, %%r4, %%r%u;\n", 32 + i);
    }
    for (unsigned i = n; i-- > 0;) {
        I(t, "add.u32 %%r%u, %%r%u, 1;\n", 32 + i, 32 + i);
        I(t, "@%%p1 bra L%u;\n", i);
    }
    close_kernel(t);
}

/* A state machine: a loop around a table of all its cases, which keep values in registers of their own. */
static void cases_in_loop(struct text *t)
{
    const unsigned n = t->insts / 5;
    open_kernel(t, n + 40);
    put(t, "T: .branchtargets C0");
    for (unsigned i = 1; i < n; i++) put(t, ", C%u", i);
    put(t, ";\nAGAIN:\n");
    I(t, "brx.idx %%r2, T;\n");
    for (unsigned i = 0; i < n; i++) {
        put(t, "C%u:\n", i);
        I(t, "add.u32 %%r%u, %%r%u, 1;\n", 32 + i, 32 + draw(i, n));
        I(t, "mad.lo.u32 %%r2, %%r%u, %%r3, %%r4;\n", 32 + i);
        I(t, "setp.lt.u32 %%p2, %%r2, %%r1;\n");
        I(t, "@%%p2 bra AGAIN;\n");
        I(t, "ret;\n");
    }
    close_kernel(t);
}

/* Branches inside branches, which meet again one after the other. */
static void branches_inside(struct text *t)
{
    const unsigned n = t->insts / 4;
    open_kernel(t, n + 40);
    for (unsigned i = 0; i < n; i++) {
        I(t, "add.u32 %%r%u, %%r3, %%r4;\n", 32 + i);
        I(t, "setp.lt.u32 %%p2, %%r%u, %%r1;\n", 32 + i);
        I(t, "@%%p2 bra E%u;\n", i);
    }
    for (unsigned i = n; i-- > 0;) {
        put(t, "E%u:\n", i);
        I(t, "add.u32 %%r2, %%r2, %%r%u;\n", 32 + i);
    }
    close_kernel(t);
}

/* Small functions that the kernel calls, each once. */
static void many_functions(struct text *t)
{
    const unsigned n = t->insts / 8;
    for (unsigned i = 0; i < n; i++) {
        put(t, ".func (.reg .b32 d) f%u(.reg .b32 a)\n{\n.reg .pred p;\n", i);
        I(t, "mul.lo.u32 d, a, %u;\n", i);
        I(t, "setp.lt.u32 p, d, a;\n");
        I(t, "@p bra E;\n");
        I(t, "add.u32 d, d, 1;\n");
        put(t, "E:\n");
        I(t, "add.u32 d, d, a;\n");
        I(t, "ret;\n");
        put(t, "}\n");
    }
    open_kernel(t, 0);
    for (unsigned i = 0; i < n; i++) I(t, "call (%%r%u), f%u, (%%r3);\n", 2 + i % 30, i);
    close_kernel(t);
}

static const struct shape {
    const char *name;
    void (*write)(struct text *t);
} shapes[] = {{"additions, 32 registers", additions},
              {"additions, a register each", one_each},
              {"a constant each", constants},
              {"products and sums", products_and_sums},
              {"products and sums over blocks", products_in_blocks},
              {"exponentials", exponentials},
              {"loads and stores", loads_and_stores},
              {"loads by number, a register each", loads_by_number},
              {"loads and stores of v4", vectors},
              {"vector registers, one each", vector_registers},
              {"guards", guards},
              {"branches ahead", branches_ahead},
              {"branches anywhere", branches_anywhere},
              {"blocks from the last to the first", blocks_backward},
              {"diamonds", diamonds},
              {"loops inside loops", loops_inside},
              {"loops side by side", loops_beside},
              {"all registers alive, one block", all_alive},
              {"all registers alive, many blocks", alive_over_blocks},
              {"calls of one function", calls},
              {"a chain of functions", functions},
              {"mma", matrices},
              {"shuffles", shuffles},
              {"atomics", atomics},
              {"barriers", barriers},
              {".local variables", locals},
              {"a table of branches each", tables},
              {"one table of all labels", one_table},
              {"results of branches, all alive", results_of_branches},
              {"counters of loops inside loops", counters_inside},
              {"loops with two entries", irreducible},
              {"cases of a loop", cases_in_loop},
              {"branches inside branches", branches_inside},
              {"many functions", many_functions},
              {"as compiled", compiled}};

/* ---- measuring ---- */

/* Bytes that the device has of its allocator, and the most that they were. */
struct held {
    size_t now, most;
};

static void *take(void *user, void *block, size_t old_size, size_t size)
{
    struct held *held = user;
    void *wider = NULL;
    if (size)
        wider = realloc(block, size);
    else
        free(block);
    if (size && !wider) return NULL;
    held->now += size - (block ? old_size : 0);
    if (held->now > held->most) held->most = held->now;
    return wider;
}

static const struct px_lfunc *kernel_of(const ptx_program *program)
{
    for (uint32_t i = 0; i < program->linked.nfuncs; i++)
        if (program->linked.funcs[i].is_entry) return &program->linked.funcs[i];
    return NULL;
}

/* Of the divergent versions of all functions. */
static double bytes_parted(const ptx_program *program, const struct px_code *code)
{
    double bytes = 0;
    for (uint32_t i = 0; i < program->linked.nfuncs; i++)
        if (code->funcs[i]) bytes += (double)code->funcs[i]->ndiv * sizeof(struct px_insn);
    return bytes;
}

/* False: it could not be decoded. */
static bool measure(const struct shape *shape, unsigned insts)
{
    struct text t = {.insts = insts};
    struct held held = {0};
    const ptx_device_config config = {.workers = 1, .allocator = {take, &held}};
    ptx_device *device;
    ptx_module *module;
    ptx_program *program;
    struct px_refusal why = {0};
    put(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    shape->write(&t);
    need(ptx_device_create(&config, &device), "device");
    need(ptx_module_create(NULL, t.at, t.n, &module), shape->name);
    const ptx_module *modules[] = {module};
    need(ptx_program_create(device, modules, 1, NULL, &program), "program");
    free(t.at);
    const size_t before = held.most = held.now;
    const double start = cpu_now();
    const struct px_code *code = px_code_get(program, kernel_of(program), THREADS, false, &why);
    const double seconds = cpu_now() - start, n = t.made;
    if (code)
        printf("%-34s %9u %7.2f %7.0f %7.0f %7.0f\n", shape->name, t.made, seconds / n * 1e6,
               (double)(held.now - before) / n, (double)(held.most - before) / n,
               ((double)(held.now - before) + bytes_parted(program, code)) / n);
    else
        printf("%-34s %9u   %s\n", shape->name, t.made, why.text ? why.text : "no memory");
    fflush(stdout);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
    return code != NULL;
}

static bool is_wanted(const char *name, char **words)
{
    bool any = false, wanted = false;
    for (; *words; words++) {
        if (strtoul(*words, NULL, 10)) continue;
        any = true;
        wanted |= strstr(name, *words) != NULL;
    }
    return wanted || !any;
}

static bool measure_all(unsigned insts, char **words)
{
    bool fine = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (is_wanted(shapes[i].name, words)) fine &= measure(&shapes[i], insts);
    return fine;
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = {1000, 100000, 1000000};
    bool fine = true, given = false;
    printf("\nDecoding, processor time: us an instruction, bytes an instruction kept, at the peak, and kept "
           "once "
           "lanes have parted\n");
    for (int i = 1; i < argc; i++) {
        const unsigned insts = (unsigned)strtoul(argv[i], NULL, 10);
        if (!insts) continue;
        given = true;
        fine &= measure_all(insts, argv + 1);
    }
    for (size_t i = 0; !given && i < sizeof sizes / sizeof *sizes; i++)
        fine &= measure_all(sizes[i], argv + 1);
    return !fine;
}
