/*
 * test_regions.c - machine forms of the instruction table against the handlers of their rows.
 *
 *   test_regions [--rounds N] [--write]
 *
 * Each form becomes a region: a loop of one instruction, in which each source is a row or a constant, and
 * which all lanes leave at once, or lane by lane, or whose instruction has a guard. Rows are random, with
 * special values. The row's own handler does the same. --write prints the forms and their bytes instead, for
 * test_disassembly.py.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "code/region/make.h"
#include "code/region/region.h"
#include "gang/fpmode.h"
#include "suite.h"

enum {
    LANES = 256,
    ROW = LANES * 8,
    A = PX_FRAME_HEAD,
    B = A + ROW,
    C = B + ROW,
    D = C + ROW,
    AGAIN = D + ROW, /* lanes that go round again */
    GUARD = AGAIN + ROW,
    FRAME = GUARD + ROW,
    SOURCES = 3
};

/* How lanes go through the loop. */
enum way { TOGETHER, PARTING, GUARDED, UNGUARDED, WAYS };

static const struct px_level *level;
static unsigned rounds = 12;
static bool writes;
static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 11 ^ seed << 17;
}

static uint64_t value(void)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x7f800000,
                                       0xff800000,
                                       0x3f800000,
                                       0xbf800000,
                                       0x00000001,
                                       0x80000001,
                                       0x00400000,
                                       0x007fffff,
                                       0x00800000,
                                       0x7fc00000,
                                       0x7f800001,
                                       0xffc12345,
                                       0x7f7fffff,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0x0000000100000001,
                                       0xffffffffffffffff};
    const uint64_t r = draw();
    if (r % 3) return draw();
    const uint64_t low = special[(r >> 8) % (sizeof special / sizeof *special)];
    return r % 2 ? low : low << 32 | special[(r >> 16) % (sizeof special / sizeof *special)];
}

/* ---- a function of one loop ---- */

struct loop {
    struct px_arena arena;
    jmp_buf no_memory;
    struct px_coder coder;
    struct px_irfn f;
    struct px_fcode code;
    struct px_ir_inst insts[4];
    struct px_ir_opd opds[12];
    struct px_ir_reg regs[SOURCES + 3];
    uint64_t values[SOURCES];
    uint32_t labels[1];
    struct px_flow_block blocks[3];
    uint32_t node_of[4], preds[5], from[3], order[3], place[3], head[3], size[3];
    struct px_plan plan;
    struct px_region region;
    struct px_x86 x86;
    struct px_plan_index index;
};

enum { REG_D = SOURCES, REG_AGAIN, REG_GUARD };

static unsigned elem_of(enum px_type type)
{
    if (type == PX_T_PRED || px_type_info(type)->bits == 32) return 4;
    return px_type_info(type)->bits / 8;
}

static struct px_ir_opd register_operand(const struct loop *l, uint32_t reg)
{
    return (struct px_ir_opd){
        .kind = PX_IR_REG, .elem = l->regs[reg].elem, .type = l->regs[reg].type, .at = reg};
}

static void set_register(struct loop *l, uint32_t reg, enum px_type type, uint32_t row)
{
    l->regs[reg] = (struct px_ir_reg){.elem = (uint8_t)elem_of(type), .type = (uint8_t)type, .row = row};
}

/* Blocks: the loop, what reads its result, the end. */
static void set_graph(struct loop *l)
{
    static const struct px_flow_block blocks[] = {{0, 2}, {2, 1}, {3, 0}};
    memcpy(l->blocks, blocks, sizeof blocks);
    const uint32_t node_of[] = {0, 0, 1, 2}, first[] = {0, 1, 2, 3, 3}, to[] = {0, 0, 1}, size[] = {1, 1, 1};
    memcpy(l->node_of, node_of, sizeof node_of);
    memcpy(l->preds, first, sizeof first);
    memcpy(l->from, to, sizeof to);
    memcpy(l->size, size, sizeof size);
    for (uint32_t i = 0; i < 3; i++) l->order[i] = l->place[i] = i, l->head[i] = PX_FLOW_NONE;
    l->f.graph = (struct px_flow_graph){.ninsts = 3,
                                        .nblocks = 2,
                                        .end = 2,
                                        .n = 3,
                                        .blocks = l->blocks,
                                        .node_of = l->node_of,
                                        .pred = {l->preds, l->from}};
    l->f.loops = (struct px_flow_loops){
        .order = l->order, .n = 3, .place = l->place, .head = l->head, .size = l->size};
}

static const uint32_t rows[SOURCES] = {A, B, C};

/* `shape`: a bit for each source that is a constant; `in_place`: the result is that source, from
 * 1 on; 0: none. */
static bool make(struct loop *l, const struct px_machine_form *form, unsigned shape, enum way way, uint8_t fp,
                 unsigned in_place)
{
    const struct px_statement *s = px_statement(form->handler);
    unsigned n = 0;
    memset(l, 0, sizeof *l);
    px_arena_init(&l->arena, NULL, &l->no_memory);
    l->coder = (struct px_coder){.keep = &l->arena,
                                 .scratch = &l->arena,
                                 .draft = &l->arena,
                                 .pass = &l->arena,
                                 .level = level,
                                 .width = LANES};
    l->f = (struct px_irfn){.coder = &l->coder, .code = &l->code, .carry = PX_NONE32, .stack = PX_NONE32};
    set_register(l, REG_D, (enum px_type)s->types[0], D);
    set_register(l, REG_AGAIN, PX_T_PRED, AGAIN);
    set_register(l, REG_GUARD, PX_T_PRED, GUARD);
    while (n < SOURCES && s->types[n + 1] != PX_T_NONE) {
        set_register(l, n, (enum px_type)s->types[n + 1], rows[n]);
        n++;
    }
    const uint32_t d = in_place ? in_place - 1 : REG_D;
    l->opds[0] = register_operand(l, d);
    for (unsigned i = 0; i < n; i++) {
        l->opds[1 + i] = register_operand(l, i);
        l->values[i] = value();
        if (shape >> i & 1)
            l->opds[1 + i] = (struct px_ir_opd){
                .kind = PX_IR_IMM, .elem = l->regs[i].elem, .type = l->regs[i].type, .at = i};
    }
    l->opds[5] = register_operand(l, REG_AGAIN);
    l->opds[6] = register_operand(l, d);
    l->opds[7] = register_operand(l, d);
    const bool guarded = way == GUARDED || way == UNGUARDED;
    l->insts[0] = (struct px_ir_inst){.op = form->handler,
                                      .ndst = 1,
                                      .nopds = (uint16_t)(1 + n),
                                      .fp = fp,
                                      .flags = PX_IR_INST_FIRST | (way == UNGUARDED ? PX_IR_INST_NEGATED : 0),
                                      .guard = guarded ? REG_GUARD : PX_NONE32};
    l->insts[1] = (struct px_ir_inst){.op = PX_IR_BRANCH,
                                      .nopds = 1,
                                      .first = 5,
                                      .fp = PX_IR_FP_HOME,
                                      .flags = PX_IR_INST_FIRST,
                                      .guard = PX_NONE32};
    l->insts[2] = (struct px_ir_inst){
        .op = PX_IR_COPY, .ndst = 1, .nopds = 2, .first = 6, .fp = PX_IR_FP_ANY, .guard = PX_NONE32};
    if (way == TOGETHER) l->regs[REG_AGAIN].keep = PX_IR_SCALAR, l->regs[REG_AGAIN].slot = AGAIN;
    l->f.insts.at = l->insts, l->f.insts.n = 3;
    l->f.opds.at = l->opds, l->f.opds.n = 8;
    l->f.values.at = l->values, l->f.values.n = SOURCES;
    l->f.regs.at = l->regs, l->f.regs.n = SOURCES + 3;
    l->f.labels.at = l->labels, l->f.labels.n = 1;
    set_graph(l);
    l->x86.arena = &l->arena;
    l->region.insts = 2;
    px_plan_begin(&l->index, &l->f);
    return px_plan_loop(&l->plan, &l->index, 0) && px_region_make(&l->plan, &l->x86, &l->region, false);
}

/* ---- running it ---- */

static uint8_t *frame, *other;

static void fill(const struct loop *l, bool predicates[SOURCES])
{
    for (uint32_t i = A; i < FRAME; i += 8) {
        const uint64_t v = value();
        memcpy(frame + i, &v, 8);
    }
    for (unsigned r = 0; r < SOURCES; r++)
        for (uint32_t i = 0; i < LANES && predicates[r]; i++)
            ((uint32_t *)(void *)(frame + rows[r]))[i] = draw() & 1 ? ~0u : 0;
    for (uint32_t i = 0; i < LANES; i++) {
        ((uint32_t *)(void *)(frame + AGAIN))[i] = l->plan.parts && draw() & 1 ? ~0u : 0;
        ((uint32_t *)(void *)(frame + GUARD))[i] = draw() & 1 ? ~0u : 0;
        if (l->regs[REG_D].type == PX_T_PRED) ((uint32_t *)(void *)(frame + D))[i] = draw() & 1 ? ~0u : 0;
    }
}

/* What the handler makes of the rows in `other`, for lanes of a mask. */
static void apply(const struct loop *l, const struct px_machine_form *form, uint32_t d, unsigned elem,
                  unsigned n, unsigned shape, const struct px_lanes *lanes)
{
    static uint8_t work[FRAME] __attribute__((aligned(64)));
    struct px_gang gang = {.n = LANES, .width = LANES, .level = level, .frame = work};
    memcpy(work, other, FRAME);
    for (unsigned i = 0; i < n; i++)
        for (uint32_t lane = 0; lane < LANES && shape >> i & 1; lane++)
            memcpy(work + rows[i] + lane * l->regs[i].elem, &l->values[i], l->regs[i].elem);
    const struct px_insn in = {.a = A, .b = B, .c = C, .d = D};
    px_handler fn = level->sets[form->handler].fn[0][0];
    fn(&gang, &in);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (px_lanes_has(lanes, lane)) memcpy(other + d + lane * elem, work + D + lane * elem, elem);
}

static bool is_nan(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

static void compare(const struct px_machine_form *form, uint32_t at, unsigned elem, unsigned shape,
                    enum way way)
{
    const struct px_handler_set *set = &level->sets[form->handler];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t is = 0, should = 0;
        memcpy(&is, frame + at + lane * elem, elem);
        memcpy(&should, other + at + lane * elem, elem);
        if (is == should || (set->f32_result && is_nan((uint32_t)is) && is_nan((uint32_t)should))) continue;
        uint64_t a = 0, b = 0;
        memcpy(&a, other + A + lane * elem, elem), memcpy(&b, other + B + lane * elem, elem);
        fail_msg("%s shape %u way %d lane %u: %llx, not %llx (%llx, %llx)", set->name, shape, way, lane,
                 (unsigned long long)is, (unsigned long long)should, (unsigned long long)a,
                 (unsigned long long)b);
    }
}

static void run(struct loop *l, px_region_function *code, const struct px_machine_form *form, unsigned shape,
                enum way way, uint8_t fp, unsigned in_place, unsigned n)
{
    struct px_region_call call = {.fuel = 2, .passes = LANES / l->region.lanes};
    bool predicates[SOURCES];
    const uint32_t d = in_place ? rows[in_place - 1] : D;
    const unsigned elem = l->regs[in_place ? in_place - 1 : REG_D].elem;
    struct px_lanes guard, again;
    for (unsigned i = 0; i < SOURCES; i++) predicates[i] = i < n && l->regs[i].type == PX_T_PRED;
    fill(l, predicates);
    memcpy(other, frame, FRAME);
    for (unsigned w = 0; w < PX_MASK_WORDS; w++) call.in.w[w] = draw() % 4 ? draw() : draw() % 2 ? 0 : ~0ull;
    level->to_bits((const uint32_t *)(const void *)(frame + GUARD), LANES, guard.w);
    level->to_bits((const uint32_t *)(const void *)(frame + AGAIN), LANES, again.w);
    px_fp_load(fp);
    code(frame, &call, l->region.constants);
    struct px_lanes lanes = call.in;
    if (way == GUARDED) lanes = px_lanes_and(lanes, guard);
    if (way == UNGUARDED) lanes = px_lanes_minus(lanes, guard);
    apply(l, form, d, elem, n, shape, &lanes);
    const struct px_lanes inside = px_lanes_and(again, call.in);
    again = px_lanes_and(again, lanes);
    if (l->plan.parts) apply(l, form, d, elem, n, shape, &again);
    px_fp_load(PX_FP_HOME);
    for (uint32_t lane = 0; lane < LANES && way == PARTING && !in_place; lane++) /* dead at the head */
        if (px_lanes_has(&inside, lane)) memcpy(other + d + lane * elem, frame + d + lane * elem, elem);
    compare(form, d, elem, shape, way);
    if (l->plan.parts) assert_memory_equal(&call.out[0], &inside, sizeof inside);
}

/* The code is copied into memory that is run as that of kernels is. */
static void run_rounds(struct loop *l, const struct px_machine_form *form, unsigned shape, enum way way,
                       uint8_t fp, unsigned in_place, unsigned n)
{
    struct px_linked linked = {.nfuncs = 1};
    struct px_fcode *codes[1] = {&l->code};
    struct px_code code = {0};
    l->code.regions = &l->region, l->code.nregions = 1;
    l->coder.linked = &linked, l->coder.codes = codes;
    l->coder.machine.at = l->x86.bytes.at, l->coder.machine.n = l->x86.bytes.n;
    px_regions_place(&l->coder, &code);
    if (!code.machine) skip();
    for (unsigned i = 0; i < rounds; i++) run(l, l->region.run, form, shape, way, fp, in_place, n);
    px_regions_free(&code);
}

static unsigned sources(const struct px_machine_form *form)
{
    const struct px_statement *s = px_statement(form->handler);
    unsigned n = 0;
    while (n < SOURCES && s->types[n + 1] != PX_T_NONE) n++;
    return n;
}

static bool has_predicate(const struct px_machine_form *form, unsigned shape)
{
    const struct px_statement *s = px_statement(form->handler);
    for (unsigned i = 0; i < SOURCES; i++)
        if (shape >> i & 1 && s->types[i + 1] == PX_T_PRED) return true;
    return false;
}

static void print(const struct loop *l, const struct px_machine_form *form)
{
    printf("%s | %s | ", level->sets[form->handler].name, form->text);
    for (uint32_t i = 0; i < l->x86.bytes.n; i++) printf("%02x", l->x86.bytes.at[i]);
    puts("");
}

static unsigned check(const struct px_machine_form *form, unsigned shape, enum way way, uint8_t fp,
                      unsigned in_place)
{
    const struct px_statement *s = px_statement(form->handler);
    struct loop *l = test_malloc(sizeof *l);
    const bool predicate = s->types[0] == PX_T_PRED, guarded = way == GUARDED || way == UNGUARDED;
    const enum px_type source = (enum px_type)s->types[in_place ? in_place : 1];
    const bool alike = source != PX_T_NONE && elem_of((enum px_type)s->types[0]) == elem_of(source) &&
                       predicate == (source == PX_T_PRED);
    unsigned made = 0;
    if (!(in_place && (!alike || shape >> (in_place - 1) & 1)) && !(guarded && predicate) &&
        !has_predicate(form, shape)) {
        if (!make(l, form, shape, way, fp, in_place))
            fail_msg("%s shape %u way %d: no region", level->sets[form->handler].name, shape, way);
        assert_int_equal(l->plan.parts, way != TOGETHER);
        if (writes)
            print(l, form);
        else
            run_rounds(l, form, shape, way, fp, in_place, sources(form));
        px_arena_free(&l->arena);
        made = 1;
    }
    test_free(l);
    return made;
}

static void test_forms(void **state)
{
    unsigned n, made = 0;
    (void)state;
    if (!level) skip();
    const struct px_machine_form *forms = px_machine_forms(&n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned shape = 0; shape < 1u << sources(&forms[i]); shape++)
            for (unsigned way = TOGETHER; way < WAYS; way++)
                for (unsigned k = 0; k < 6; k++) {
                    static const uint8_t modes[] = {PX_FP_RN, PX_FP_FTZ, PX_FP_RZ,
                                                    PX_FP_RN, PX_FP_RN,  PX_FP_FTZ};
                    made += check(&forms[i], shape, (enum way)way, modes[k], k < 4 ? k & 1 : k - 2);
                }
    assert_true(made > n * 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounds") && i + 1 < argc) rounds = (unsigned)atoi(argv[++i]);
        if (!strcmp(argv[i], "--write")) writes = true;
    }
    level = px_level_named("avx512");
    frame = aligned_alloc(64, FRAME);
    other = aligned_alloc(64, FRAME);
    if (writes) {
        unsigned n;
        const struct px_machine_form *forms = px_machine_forms(&n);
        for (unsigned i = 0; i < n && level; i++) check(&forms[i], 0, TOGETHER, PX_FP_RN, false);
        return level ? 0 : 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
