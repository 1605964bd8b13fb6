/*
 * programs.h - random straight programs of multiplications and sums, the same on every machine.
 *
 * Program i is one kernel p<i>(in, out) for 32 threads: registers are loaded, a dozen instructions run, what
 * is left is stored. The number alone decides everything, so a recording is one hash a program. Products have
 * several readers, registers are written again, signs, copies, flushing, saturation, guards, constants,
 * divisions and blocks are mixed in, each in some of the programs.
 */
#ifndef FMAD_PROGRAMS_H
#define FMAD_PROGRAMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_FOLDING = 10200, /* from here on with more of what ptxas simplifies, and with NaNs */
    PROGRAMS = 15000,
    PER_MODULE = 300,
    MODULES = PROGRAMS / PER_MODULE,
    LANES = 32,
    INPUTS = 6,
    REGS = 26
};

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t draw(Random *r, uint32_t n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((r->state >> 33) % n);
}

typedef struct Kind {
    const char *type, *load, *reg, *prefix;
    unsigned bytes, fraction, bias;
} Kind;
static const Kind kinds[] = {
    {"f32", "f32", "f32", "f", 4, 23, 127},  {"f64", "f64", "f64", "d", 8, 52, 1023},
    {"f16", "b16", "b16", "h", 2, 10, 15},   {"bf16", "b16", "b16", "h", 2, 7, 127},
    {"f16x2", "b32", "b32", "r", 4, 10, 15}, {"bf16x2", "b32", "b32", "r", 4, 7, 127}};

/* Half of the programs are f32. */
static const Kind *kind_of(unsigned i)
{
    static const unsigned char which[] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 1};
    return &kinds[which[i % sizeof which]];
}

/* What a program may hold beside mul, add and sub. */
enum {
    SIGNS = 1,
    NAMED = 2,
    FLUSH = 4,
    DIVISIONS = 8,
    CONSTANTS = 16,
    GUARDS = 32,
    BLOCKS = 64,
    AGAIN = 128,
    SATURATE = 256
};

static unsigned features_of(Random *r, const Kind *k)
{
    unsigned features = 0, f32 = k == &kinds[0], half = k == &kinds[2] || k == &kinds[4];
    for (unsigned bit = 0; bit < 9; bit++)
        if (draw(r, 4) == 0) features |= 1u << bit;
    if (!f32) features &= ~(unsigned)DIVISIONS;
    if (!f32 && k != &kinds[1]) features &= ~(unsigned)CONSTANTS;
    if (!f32 && !half) features &= ~(unsigned)(FLUSH | SATURATE);
    return features;
}

typedef struct Program {
    Random random;
    const Kind *kind;
    unsigned features, regs, reads[REGS], labels,
        inside; /* inside: an arm, where no new register may begin */
    int folding;
    char *at;
} Program;

static unsigned source(Program *p)
{
    unsigned back = p->regs < 6 ? p->regs : 6;
    unsigned reg =
        draw(&p->random, 10) < 7 ? p->regs - 1 - draw(&p->random, back) : draw(&p->random, p->regs);
    p->reads[reg]++;
    return reg;
}

static void operand(Program *p)
{
    static const uint32_t numbers[] = {0x3f000000, 0x40400000, 0x3f800000, 0xbf800000,
                                       0xc0200000, 0x3eaaaaab, 0x40000000, 0x3dcccccd};
    if (p->features & CONSTANTS && draw(&p->random, 5) == 0) {
        uint32_t bits = numbers[draw(&p->random, 8)];
        if (p->kind == &kinds[0])
            p->at += sprintf(p->at, ", 0f%08X", bits);
        else
            p->at += sprintf(p->at, ", 0d%08X00000000",
                             (bits & 0x80000000u) | (((bits & 0x7fffffffu) >> 3) + (896u << 20)));
    } else {
        p->at += sprintf(p->at, ", %%%s%u", p->kind->prefix, source(p));
    }
}

/* NAME{.ftz}{.sat}.type d, and its n operands; the first is a register. */
static void instruction(Program *p, const char *name, unsigned n, int modifiers)
{
    unsigned flush = p->features & FLUSH && modifiers > 0 && draw(&p->random, 3);
    unsigned sat = p->features & SATURATE && modifiers > 1 && draw(&p->random, 6) == 0;
    unsigned guard = p->features & GUARDS && draw(&p->random, 4) == 0;
    unsigned again =
        (p->features & AGAIN && draw(&p->random, 3) == 0) || guard || p->inside || p->regs == REGS;
    unsigned d = again ? draw(&p->random, p->regs) : p->regs;
    if (guard) p->at += sprintf(p->at, "@%%%s ", draw(&p->random, 2) ? "odd" : "low");
    p->at += sprintf(p->at, "%s%s%s.%s %%%s%u, %%%s%u", name, flush ? ".ftz" : "", sat ? ".sat" : "",
                     p->kind->type, p->kind->prefix, d, p->kind->prefix, source(p));
    for (unsigned i = 1; i < n; i++) operand(p);
    p->at += sprintf(p->at, ";\n");
    if (!again) p->reads[p->regs++] = 0;
    if (again) p->reads[d] = 0;
}

static void block_end(Program *p)
{
    unsigned label = p->labels++;
    switch (draw(&p->random, 4)) {
    case 0:
        p->at += sprintf(p->at, "@%%odd bra L%u;\n", label);
        p->inside = 1;
        instruction(p, "add", 2, 0);
        p->inside = 0;
        p->at += sprintf(p->at, "bar.warp.sync 0x%x;\nL%u:\n", 0x55555555, label);
        break;
    case 1: p->at += sprintf(p->at, "bar.sync 0;\n"); break;
    case 2: p->at += sprintf(p->at, "membar.cta;\n"); break;
    default: p->at += sprintf(p->at, "@%%low st.global.u8 [%%out+16000], %%t;\n");
    }
}

/* NAME.type d, a and a once more or a constant 1. */
static void twice(Program *p, const char *name, const char *one)
{
    unsigned again = p->inside || p->regs == REGS || draw(&p->random, 4) == 0;
    unsigned d = again ? draw(&p->random, p->regs) : p->regs, a = source(p);
    p->at +=
        sprintf(p->at, "%s.%s %%%s%u, %%%s%u, ", name, p->kind->type, p->kind->prefix, d, p->kind->prefix, a);
    p->at += one ? sprintf(p->at, "%s;\n", one) : sprintf(p->at, "%%%s%u;\n", p->kind->prefix, a);
    if (!again) p->regs++;
    p->reads[d] = 0;
}

/* What ptxas makes a move, or simplifies together with a neighbour. */
static void folded(Program *p)
{
    const char *one = p->kind == &kinds[0] ? "0f3F800000" : "0d3FF0000000000000";
    unsigned f32 = p->kind == &kinds[0], which = draw(&p->random, f32 ? 10 : p->kind == &kinds[1] ? 4 : 3);
    if (which < 2)
        instruction(p, "neg", 1, 0);
    else if (which == 2)
        twice(p, draw(&p->random, 2) ? "min" : "max", NULL);
    else if (which == 3)
        twice(p, "mul", one);
    else if (which == 4)
        twice(p, draw(&p->random, 2) ? "div.full" : "div.approx", one);
    else if (which < 7)
        instruction(p, "rcp.approx.ftz", 1, 0);
    else if (which == 7)
        instruction(p, "ex2.approx.ftz", 1, 0);
    else
        instruction(p, "div.approx.ftz", 2, 0);
}

static void one(Program *p)
{
    if (p->folding && draw(&p->random, 3) == 0) {
        folded(p);
        return;
    }
    unsigned f = p->features, which = draw(&p->random, 16);
    int f32_or_half = p->kind->bytes < 8 && p->kind->fraction != 7;
    if (f & BLOCKS && draw(&p->random, 8) == 0) block_end(p);
    if (which < 6)
        instruction(p, "mul", 2, f32_or_half ? 1 + (draw(&p->random, 8) == 0) : 0);
    else if (which < 9)
        instruction(p, "add", 2, f32_or_half ? 2 : 0);
    else if (which < 11)
        instruction(p, "sub", 2, f32_or_half ? 2 : 0);
    else if (which == 11 && f & SIGNS)
        instruction(p, "neg", 1, f32_or_half && draw(&p->random, 2));
    else if (which == 12 && f & SIGNS)
        instruction(p, "abs", 1, 0);
    else if (which == 13 && f & NAMED)
        instruction(p, "mul.rn", 2, f32_or_half);
    else if (which == 14 && f & NAMED)
        instruction(p, "add.rn", 2, f32_or_half);
    else if (which == 15 && f & NAMED)
        instruction(p, "fma.rn", 3, f32_or_half);
    else if (which == 11 && f & DIVISIONS)
        instruction(p, "div.full", 2, 1);
    else if (which == 12 && f & DIVISIONS)
        instruction(p, "div.approx", 2, 1);
    else if (which == 13 && f & DIVISIONS)
        instruction(p, "rcp.approx", 1, 1);
    else
        instruction(p, draw(&p->random, 2) ? "mul" : "add", 2, f32_or_half);
}

/* Writes the kernel; returns its end. *outputs gets how many values a thread stores. */
static char *program_text(char *at, unsigned i, unsigned *outputs)
{
    Program p = {.random = {i * 7919u + 12345u},
                 .kind = kind_of(i),
                 .regs = INPUTS,
                 .at = at,
                 .folding = i >= FIRST_FOLDING};
    draw(&p.random, 2);
    p.features = features_of(&p.random, p.kind);
    unsigned n = 4 + draw(&p.random, 13), bytes = p.kind->bytes;
    p.at += sprintf(p.at,
                    ".visible .entry p%u(.param .u64 in, .param .u64 out)\n{\n.reg .%s %%%s<%d>; .reg .b64 "
                    "%%in, %%out, %%at; "
                    ".reg .b32 %%t; .reg .pred %%odd, %%low;\n",
                    i, p.kind->reg, p.kind->prefix, REGS);
    p.at += sprintf(p.at,
                    "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; setp.lt.u32 "
                    "%%low, %%t, 11;\n"
                    "mul.wide.u32 %%at, %%t, %u; add.u64 %%in, %%in, %%at; add.u64 %%out, %%out, %%at; "
                    "and.b32 %%t, %%t, 1; "
                    "setp.ne.u32 %%odd, %%t, 0;\n",
                    bytes);
    for (unsigned k = 0; k < INPUTS; k++)
        p.at += sprintf(p.at, "ld.volatile.global.%s %%%s%u, [%%in+%u];\n", p.kind->load, p.kind->prefix, k,
                        k * LANES * bytes);
    while (n--) one(&p);
    *outputs = 0;
    for (unsigned k = 0; k < p.regs; k++)
        if ((k >= INPUTS && (!p.reads[k] || draw(&p.random, 8) == 0)) || p.reads[k] == 0)
            p.at += sprintf(p.at, "st.volatile.global.%s [%%out+%u], %%%s%u;\n", p.kind->load,
                            (*outputs)++ * LANES * bytes, p.kind->prefix, k);
    p.at += sprintf(p.at, "ret;\n}\n");
    return p.at;
}

static const char head[] = ".version 8.8\n.target sm_90\n.address_size 64\n";
enum { MODULE_BYTES = PER_MODULE * 4000 };

static inline void module_text(char *text, unsigned module)
{
    unsigned outputs;
    text += sprintf(text, "%s", head);
    for (unsigned k = 0; k < PER_MODULE; k++) text = program_text(text, module * PER_MODULE + k, &outputs);
}

/* The inputs of a program, as its kernel reads them: magnitudes from 1/2 to 2, a few others in the last
 * lanes. */
static inline size_t program_inputs(unsigned char *to, unsigned i)
{
    const Kind *k = kind_of(i);
    Random r = {i * 104729u + 7u};
    unsigned width = k->bytes * 8, halves = k->bytes == 4 && k->fraction < 23 ? 2 : 1,
             bytes = k->bytes / halves;
    for (unsigned v = 0; v < INPUTS * LANES * halves; v++) {
        uint64_t exponent = k->bias - 1 + draw(&r, 2),
                 bits = (uint64_t)draw(&r, 1u << 30) << 31 ^ draw(&r, 1u << 30);
        if (v / halves % LANES >= 29)
            exponent = draw(&r, 2 * k->bias + 1 + (i >= FIRST_FOLDING && k == &kinds[0]));
        bits = (bits & ((1ull << k->fraction) - 1)) | exponent << k->fraction |
               (uint64_t)draw(&r, 2) << (width / halves - 1);
        memcpy(to + v * bytes, &bits, bytes);
    }
    return (size_t)INPUTS * LANES * k->bytes;
}

/* What is kept of the results: their hash, apart for the lanes with ordinary inputs and those with any. */
typedef struct Hashes {
    uint32_t ordinary, wild;
} Hashes;

static inline Hashes program_hashes(const unsigned char *out, unsigned i, unsigned outputs)
{
    uint32_t sum[2] = {2166136261u, 2166136261u};
    unsigned bytes = kind_of(i)->bytes;
    for (unsigned v = 0; v < outputs * LANES; v++)
        for (unsigned b = 0; b < bytes; b++) {
            uint32_t *s = &sum[v % LANES >= 29];
            *s = (*s ^ out[v * bytes + b]) * 16777619u;
        }
    return (Hashes){sum[0], sum[1]};
}

#endif
