/*
 * gen.c - the program of a seed: its shape, its module, and what a body is made of. gen.h says what every
 * program keeps to.
 */
#include "random/gen.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t n)
{
    return n ? (uint32_t)((random_next(state) >> 32) * n >> 32) : 0;
}

uint32_t gen_below(struct gen *g, uint32_t n)
{
    return random_below(&g->rng, n);
}

bool gen_chance(struct gen *g, uint32_t percent)
{
    return gen_below(g, 100) < percent;
}

bool gen_feature(const struct gen *g, enum random_feature feature)
{
    return g->options.features & feature;
}

/* ---- writing ---- */

void gen_line(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tree_line(g->tree, g->at, format, args);
    va_end(args);
}

void gen_alone(struct gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tree_line(g->tree, tree_node(g->tree, g->at), format, args);
    va_end(args);
}

struct node *gen_open(struct gen *g, bool opens)
{
    struct node *before = g->at;
    g->at = tree_node(g->tree, before);
    g->at->opens = opens;
    return before;
}

void gen_close(struct gen *g, struct node *before)
{
    g->at = before;
}

const char *gen_mask_name(struct gen *g)
{
    return g->masks < MASKS_MAX ? g->mask_names[g->masks++] : NULL;
}

/* ---- bodies ---- */

static void simple(struct gen *g)
{
    struct node *before = gen_open(g, false);
    switch (gen_below(g, 12)) {
    case 0:
    case 1: gen_feature(g, RANDOM_MEMORY) ? gen_memory(g) : gen_compute(g); break;
    case 2: gen_feature(g, RANDOM_MEMORY) ? gen_memory(g) : gen_chain(g); break;
    case 3:
    case 4: gen_chain(g); break;
    case 5: gen_feature(g, RANDOM_CARRY) ? gen_carry(g) : gen_compute(g); break;
    case 6:
        if (g->exact || !gen_feature(g, RANDOM_NANS))
            gen_compute(g);
        else
            gen_chance(g, 50) ? gen_pattern(g) : gen_floats(g);
        break;
    case 7:
        gen_feature(g, RANDOM_ATOMICS) && gen_feature(g, RANDOM_MEMORY) ? gen_atomic(g) : gen_compute(g);
        break;
    case 9: gen_feature(g, RANDOM_ASYNC) && gen_chance(g, 25) ? gen_async(g) : gen_compute(g); break;
    case 8: g->scope->uniform ? gen_uniform(g) : gen_compute(g); break;
    default: gen_compute(g); break;
    }
    gen_close(g, before);
}

/* Registers that live for some statements only: their rows are given away and taken again. */
static void scoped(struct gen *g)
{
    struct scope inner = *g->scope;
    struct node *before = gen_open(g, false);
    inner.depth++;
    gen_line(g, "{");
    gen_declare_scoped(g);
    g->scoped++;
    gen_body(g, &inner, 2 + gen_below(g, 4));
    g->scoped--;
    gen_line(g, "}");
    gen_close(g, before);
}

/* A statement of a feature that is asked for, k percent up; false: none of them. */
static bool featured(struct gen *g, unsigned k)
{
    static const struct {
        unsigned below;
        enum random_feature feature;
        void (*generate)(struct gen *g);
    } all[] = {{16, RANDOM_FLOW, gen_flow},   {22, RANDOM_CALLS, gen_call},
               {32, RANDOM_WARP, gen_warp},   {37, RANDOM_BARRIERS, gen_barrier},
               {38, RANDOM_EXITS, gen_leave}, {39, RANDOM_LOCKS, gen_lock}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (k < all[i].below && gen_feature(g, all[i].feature)) return all[i].generate(g), true;
    return false;
}

/* What compilers make of loops, of calls, of the rest. */
static bool idiom(struct gen *g)
{
    const unsigned k = gen_below(g, 10);
    if (g->lean || k < 4) return gen_loop(g);
    return k < 6 && gen_feature(g, RANDOM_CALLS) ? gen_struct_call(g) : gen_idiom(g);
}

static void statement(struct gen *g)
{
    unsigned k = gen_below(g, 100);
    if (gen_feature(g, RANDOM_INDICES) && gen_chance(g, g->lean ? 40 : 13) && gen_index(g)) return;
    if (gen_feature(g, RANDOM_INDICES) && !g->lean && gen_chance(g, 10) && gen_alike(g)) return;
    if (gen_feature(g, RANDOM_INDICES) && gen_chance(g, 7) && gen_cancel(g)) return;
    if (gen_feature(g, RANDOM_IDIOMS) && gen_chance(g, 14) && idiom(g)) return;
    if (gen_feature(g, RANDOM_IDIOMS) && !g->lean && gen_chance(g, 6)) {
        gen_machine(g);
        return;
    }
    if (g->exact && gen_chance(g, 25))
        gen_exact(g);
    else if (g->scope->full && gen_feature(g, RANDOM_MATRICES) && gen_chance(g, 8))
        gen_matrix(g);
    else if (featured(g, k))
        return;
    else if (k < 50 && g->scope->depth < 3 && !g->lean)
        scoped(g);
    else
        simple(g);
}

void gen_body(struct gen *g, struct scope *scope, unsigned statements)
{
    struct scope *outer = g->scope;
    g->scope = scope;
    while (statements--) statement(g);
    g->scope = outer;
}

/* ---- the kernel ---- */

/* Addresses of the thread's own memory, from %slot and %tidl. */
void gen_addresses(struct gen *g)
{
    gen_line(g, "  .reg .b64 %%shs, %%shg, %%lcg, %%ctg, %%gtg, %%shr, %%shrg, %%shx, %%sc, %%scg, %%cells;  "
                ".reg .b32 %%lane;");
    gen_line(g, "  .reg .f32 %%zf0;  .reg .f64 %%zg<3>;");
    gen_line(g,
             "  mov.u64 %%zd0, own;  mad.wide.u32 %%shs, %%tidl, %u, %%zd0;  cvta.shared.u64 %%shg, %%shs;",
             SHARED_SLOT);
    gen_line(g,
             "  mov.u64 %%zd0, rows;  mad.wide.u32 %%shr, %%tidl, 4, %%zd0;  cvta.shared.u64 %%shrg, %%shr;");
    gen_line(g, "  mov.u64 %%zd0, xch;  mad.wide.u32 %%shx, %%tidl, 4, %%zd0;");
    gen_line(g, "  mov.u64 %%sc, scell;  cvta.shared.u64 %%scg, %%sc;  mov.u64 %%zd0, loc;  cvta.local.u64 "
                "%%lcg, %%zd0;");
    gen_line(g, "  mov.u64 %%zd0, ctab;  cvta.const.u64 %%ctg, %%zd0;  mov.u64 %%zd0, gtab;  cvta.global.u64 "
                "%%gtg, %%zd0;");
    gen_line(g, "  ld.global.b64 %%cells, [cellp];  and.b32 %%lane, %%tidl, 31;");
}

static void kernel_prologue(struct gen *g, unsigned n)
{
    unsigned bytes1 = (n + 15) / 16 * 16;
    gen_line(g, "  .reg .b64 %%slot, %%row1, %%row4, %%row16, %%py;  .reg .b32 %%tidl, %%gid, %%px;  .reg "
                ".f32 %%pz;");
    gen_line(g, "  .local .align 16 .b8 loc[%u];", LOCAL_BYTES);
    gen_line(g, "  ld.param.u64 %%slot, [buf];  mov.b64 %%py, %%slot;  st.global.b64 [cellp], %%slot;");
    gen_line(g, "  mov.u32 %%tidl, %%tid.y;  mov.u32 %%z0, %%ntid.x;  mov.u32 %%z1, %%tid.x;  mad.lo.u32 "
                "%%tidl, %%tidl, %%z0, %%z1;");
    gen_line(g, "  mov.u32 %%gid, %%ctaid.y;  mov.u32 %%z0, %%nctaid.x;  mov.u32 %%z1, %%ctaid.x;  "
                "mad.lo.u32 %%gid, %%gid, %%z0, %%z1;");
    gen_line(
        g, "  mad.lo.u32 %%gid, %%gid, %u, %%tidl;  cvt.u64.u32 %%row1, %%gid;  add.u64 %%slot, %%slot, %u;",
        g->cta_threads, BUF_CELLS);
    gen_line(g,
             "  add.u64 %%row1, %%row1, %%slot;  add.u64 %%slot, %%slot, %u;  mad.wide.u32 %%row4, %%gid, 4, "
             "%%slot;",
             bytes1);
    gen_line(g, "  add.u64 %%slot, %%slot, %u;  mad.wide.u32 %%row16, %%gid, 16, %%slot;",
             bytes1 * 4 * ROWS_4);
    gen_line(g, "  add.u64 %%slot, %%slot, %u;  mad.wide.u32 %%slot, %%gid, %u, %%slot;",
             bytes1 * 16 * ROWS_16, SLOT_BYTES);
    gen_addresses(g);
    gen_line(g, "  mov.b64 %%cells, %%py;  mov.u32 %%px, 1;");
    gen_load_registers(g, "%slot");
    /* The lanes of this warp: 32, or what is left for the last one. */
    gen_line(g,
             "  and.b32 %%z0, %%tidl, -32;  sub.u32 %%z0, %u, %%z0;  shl.b32 %%m0, 1, %%z0;  sub.u32 %%m0, "
             "%%m0, 1;",
             g->cta_threads);
    /* Shared and local memory hold nothing until somebody writes. */
    gen_alone(g, "  mov.u32 %%z0, 0;  st.shared.b32 [%%shx], 0;  st.shared.b32 [%%shr], %%gid;");
    for (unsigned i = 0; i < SHARED_SLOT; i += 8)
        gen_alone(g, "  st.shared.b64 [%%shs+%u], %%w%u;", i, i / 8 % g->pool[4]);
    for (unsigned i = 0; i < LOCAL_BYTES; i += 8)
        gen_alone(g, "  st.local.b64 [loc+%u], %%w%u;", i, i / 8 % g->pool[4]);
    gen_line(g, "  setp.ne.u32 %%zp0, %%tidl, 0;  @%%zp0 bra BEGIN;  mov.u64 %%zd0, flag;  st.shared.b32 "
                "[%%zd0], 0;");
    for (unsigned i = 0; i < 32; i++) gen_alone(g, "  st.shared.b64 [%%sc+%u], 0;", 8 * i);
    gen_line(g, "BEGIN:\n  bar.sync 0;");
}

static void kernel(struct gen *g, const struct random_program *p)
{
    struct scope scope = {.mask = "%m0", .full = g->cta_threads % 32 == 0, .uniform = true};
    gen_pools(g);
    g->masks = 1;
    g->inside = NULL;
    gen_line(
        g,
        ".visible .entry k(.param .u64 buf, .param .u64 more, .param .align 16 .b8 par[%u], .param .align 8 "
        ".b8 args[%u])\n{",
        PARAM_BYTES, ARGS_BYTES);
    gen_declare_registers(g);
    kernel_prologue(g, p->threads);
    gen_body(g, &scope, g->options.size / 2 + gen_below(g, g->options.size + 1));
    if (gen_feature(g, RANDOM_ATOMICS)) gen_line(g, "  bar.sync 0;");
    gen_store_registers(g, "%slot", 30 + gen_below(g, 60));
    for (unsigned i = 0; i < 32 && gen_feature(g, RANDOM_ATOMICS); i += 3)
        gen_alone(g, "  ld.shared.b64 %%zd0, [%%sc+%u];  st.global.b64 [%%slot+%u], %%zd0;", 8 * i,
                  SLOT_BYTES - 8 - 8 * (i / 3));
    gen_line(g, "  ret;\n}");
}

/* ---- the module ---- */

static void tables(struct gen *g)
{
    static const char *const names[] = {".const .align 16 .b32 ctab", ".global .align 16 .b32 gtab"};
    for (unsigned t = 0; t < 2; t++) {
        char line[TABLE_BYTES / 4 * 12 + 64];
        int at = snprintf(line, sizeof line, "%s[%u] = {", names[t], TABLE_BYTES / 4);
        for (unsigned i = 0; i < TABLE_BYTES / 4; i++) {
            struct operand v = gen_constant(g, PX_T_U32);
            at += snprintf(line + at, sizeof line - (size_t)at, "%s%s", i ? ", " : "", v.text);
        }
        gen_line(g, "%s};", line);
    }
}

static void shape(struct gen *g, struct random_program *p)
{
    static const unsigned sizes[] = {1,   2,   7,   31,  32,  33,  64,  96, 100,
                                     128, 160, 300, 256, 257, 300, 128, 256};
    p->grid[0] = 1 + gen_below(g, 3);
    p->grid[1] = p->grid[2] = p->block[1] = p->block[2] = 1;
    p->block[0] = gen_chance(g, 70) ? sizes[gen_below(g, 17)] : 1 + gen_below(g, THREADS_MAX);
    if (gen_chance(g, 25)) {
        p->block[0] = 1 + gen_below(g, 20);
        p->block[1] = 1 + gen_below(g, 15);
    } else if (gen_chance(g, 30)) { /* as people write them */
        static const uint8_t plain[][2] = {{16, 16}, {16, 16}, {8, 8}, {32, 8},
                                           {8, 32},  {16, 16}, {4, 4}, {64, 2}};
        const unsigned k = gen_below(g, 8);
        p->block[0] = plain[k][0];
        p->block[1] = plain[k][1];
    }
    if (gen_chance(g, 10)) {
        p->grid[0] = 1;
        p->grid[1] = 2;
    }
    /* Tiles are for gangs of 256 lanes, which only kernels with few registers have. */
    if (p->block[0] == 16 && p->block[1] == 16 && gen_chance(g, 75)) g->lean = true;
    if (g->lean) g->options.features &= RANDOM_INDICES | RANDOM_IDIOMS;
    g->cta_threads = p->block[0] * p->block[1] * p->block[2];
    g->block[0] = p->block[0];
    g->block[1] = p->block[1];
    if (g->cta_threads <= 128 && gen_chance(g, 15)) p->grid[0] = 4 + gen_below(g, 3), p->grid[1] = 1;
    g->ctas = p->grid[0] * p->grid[1];
    p->threads = g->cta_threads * g->ctas;
    size_t bytes1 = (p->threads + 15) / 16 * 16;
    g->planes_at = BUF_CELLS + bytes1 * (1 + 4 * ROWS_4 + 16 * ROWS_16) + (size_t)p->threads * SLOT_BYTES;
    p->buffer_bytes = g->planes_at + gen_input_bytes(p->threads) + INDEX_PLANES * gen_plane_bytes(p->threads);
}

enum { CONTRACTED = 8 }; /* every so many programs are run with contraction, too */

struct random_program random_program(uint64_t seed, const struct random_options *options)
{
    struct random_program p = {.tree = tree_new()};
    struct gen *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->rng = seed;
    g->rng = random_next(&g->rng); /* neighbours have nothing in common */
    g->options = *options;
    g->tree = p.tree;
    g->at = tree_node(p.tree, NULL);
    for (unsigned i = 0; i < MASKS_MAX; i++) snprintf(g->mask_names[i], sizeof g->mask_names[i], "%%m%u", i);
    g->exact = gen_feature(g, RANDOM_IDIOMS) && seed % CONTRACTED == 3;
    p.contracts = g->exact;
    shape(g, &p);
    gen_line(g, "// seed %llu, size %u, features %u: grid %u,%u,%u block %u,%u,%u, a buffer of %zu bytes",
             (unsigned long long)seed, options->size, options->features, p.grid[0], p.grid[1], p.grid[2],
             p.block[0], p.block[1], p.block[2], p.buffer_bytes);
    /* for debugging, as nothing is simplified then: the reference does what is written */
    if (g->exact)
        gen_line(g, ".version 9.0\n.target sm_90a\n.address_size 64");
    else
        gen_line(g,
                 ".version 9.0\n.target sm_90a, debug\n.address_size 64\n.section .debug_abbrev { .b8 0 }");
    tables(g);
    gen_line(g,
             ".global .align 8 .b64 cellp;  .global .align 4 .b32 flags[16];  .shared .align 8 .b32 flag;");
    gen_line(g,
             ".shared .align 16 .b8 own[%u];\n.shared .align 16 .b8 rows[%u];\n.shared .align 16 .b8 "
             "xch[%u];\n.shared .align 16 .b8 scell[256];\n.shared .align 16 .b8 plane[%u];",
             g->cta_threads * SHARED_SLOT, g->cta_threads * 4, g->cta_threads * 4 + 128,
             g->cta_threads * 4 + 128);
    gen_functions(g);
    if (gen_feature(g, RANDOM_IDIOMS) && gen_feature(g, RANDOM_CALLS)) gen_structs(g);
    kernel(g, &p);
    p.spins = g->spins;
    free(g);
    return p;
}

/* ---- input ---- */

static uint32_t input_word(uint64_t *state)
{
    static const uint32_t special[] = {0,          0xffffffff, 0x7fc00001, 0xffc00000, 0x7f800001, 0x7f800000,
                                       0x3f800000, 0x80000000, 0x7fffffff, 1,          0x00400000, 0xfff80000,
                                       0x3ff00000, 0x7e007c00, 0x4f800000, 0xc1200000};
    uint64_t v = random_next(state);
    if (v >> 62 == 0) return special[v & 15];
    if (v >> 62 == 1) return (uint32_t)v & 63;
    if (v >> 62 == 2) return (uint32_t)(0x38000000 + (v & 0x8fffffff)); /* mostly floats of ordinary size */
    return (uint32_t)v;
}

void random_fill(uint64_t seed, uint8_t *buffer, size_t bytes)
{
    uint64_t state = seed ^ 0x5bd1e995;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t v =
            i < BUF_CELLS ? 0 : input_word(&state); /* cells begin with 0, which all sums can go on from */
        memcpy(buffer + i, &v, 4);
    }
}

static void fill_args(uint64_t *state, uint64_t address, uint8_t args[ARGS_BYTES])
{
    static const uint32_t most[] = {1, 2, 40, 300, 1200, 5000, 5000, 5000};
    const uint64_t length = random_below(state, most[random_below(state, 8)]);
    const uint32_t small = random_below(state, 16), factor = input_word(state);
    memcpy(args, &length, 8);
    memcpy(args + 8, &address, 8);
    memcpy(args + 16, &factor, 4);
    memcpy(args + 20, &small, 4);
    memcpy(args + 24, &address, 8);
    for (unsigned i = 32; i < ARGS_BYTES; i += 8) {
        uint64_t v = (uint64_t)input_word(state) << 32 | input_word(state);
        if (random_below(state, 2)) v = (uint32_t)v;
        memcpy(args + i, &v, 8);
    }
    memcpy(args + ARGS_BYTES - 8, &address, 8);
}

void random_params(uint64_t seed, uint64_t address, uint8_t params[RANDOM_PARAM_BYTES])
{
    random_fill(seed + 1, params, RANDOM_PARAM_BYTES);
    memcpy(params, &address, 8);
    uint64_t state = seed + 2;
    for (unsigned i = 16; i < RANDOM_ARGS_AT; i += 4) {
        uint32_t v = input_word(&state);
        memcpy(params + i, &v, 4);
    }
    fill_args(&state, address, params + RANDOM_ARGS_AT);
}
