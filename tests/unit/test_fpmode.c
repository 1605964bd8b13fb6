/*
 * test_fpmode.c - no instruction computes in the floating-point mode of the one before it.
 *
 * Every form of the instruction table that has a float among its operands, only registers as operands, and a
 * meaning, becomes a kernel. It runs the instruction alone, at the start of a block (where the mode is the
 * home mode), and behind each of several predecessors that leave another mode in force. On the same inputs,
 * rich in subnormal numbers and in numbers that have to be rounded, the bits must be the same.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "isa/table.h"
#include "ptxvm.h"
#include "suite.h"
#include "unit/expand.h"

static const char *const predecessors[] = {"",           "add.rn.f32",     "add.rz.f32",     "add.rm.f32",
                                           "add.rp.f32", "add.rn.ftz.f32", "add.rz.ftz.f32", "add.rp.ftz.f32",
                                           "fma.rm.f32"};
static const char *const targets[] = {"9.0\n.target sm_90a", "9.0\n.target sm_100a"};

enum {
    LANES = 128,
    VARIANTS = sizeof predecessors / sizeof *predecessors,
    SLOT = 16,
    SOURCES = 4,
    IN_BYTES = LANES * SLOT * SOURCES,
    OUT_BYTES = LANES * SLOT * VARIANTS
};

struct test {
    ptx_device *device;
    ptx_address in, out;
    const char *opcode;
    unsigned ran, not_run, differ;
};

/* ---- inputs ---- */

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = (*state ^ (*state >> 30)) * 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 27);
}

/* The low 16, 32 or 64 bits are a number of the format of that size: tiny, near one, a border, or anything.
 */
static uint64_t value(uint64_t *state)
{
    /* clang-format off */
    static const uint64_t border[] = {
        0, 1, 0x3c00, 0x3f80, 0x0400, 0x03ff, 0x7fffff, 0x00800000, 0x3f800000, 0x7f800000, 0x7fc00000,
        0x477fefff, 0x33000001, 0x7f7fffff, 0x8000000000000001, 0x7ff0000000000000, 0x3ff0000000000000};
    /* clang-format on */
    uint64_t r = next_random(state), v = next_random(state);
    switch (r % 5) {
    case 0: return v & 0x800f0000007f03ff;                        /* subnormal in f64 and f16, and as f32 */
    case 1: return (v & 0x0000000000000fff) | 0x0000000000001000; /* f32 subnormal */
    case 2: return (v & 0x800fffff807fffff) | 0x3fe000003f000000;
    case 3: return border[(r >> 8) % (sizeof border / sizeof *border)] ^ (r >> 63) << 31;
    default: return v;
    }
}

static void make_inputs(struct test *t)
{
    static uint64_t word[IN_BYTES / 8];
    uint64_t state = 9;
    for (size_t i = 0; i < IN_BYTES / 8; i++) word[i] = value(&state);
    assert_int_equal(ptx_memory_write(t->device, t->in, word, IN_BYTES), PTX_OK);
}

/* ---- the kernel of a form ---- */

struct kernel {
    struct expand_text loads, code, stores;
    unsigned sources, results;
};

static const char *register_type(const struct px_match *match, const struct px_opd *opd)
{
    enum px_type type = PX_T_PRED;
    unsigned count = 0;
    if (opd->kind != PX_OK_PRED) px_match_opd_type(match, opd, &type, &count);
    const struct px_type_info *t = px_type_info(type);
    return px_type_info(opd->flags & PX_OPERAND_EXACT && t->declarable ? type : (enum px_type)t->reg)->name;
}

static void put_source(struct kernel *k, const char *type)
{
    unsigned n = k->sources++;
    expand_put(&k->code, "%%s%u", n);
    expand_put(&k->loads, "    .reg .%s %%s%u;\n", type, n);
    if (!strcmp(type, "pred"))
        expand_put(&k->loads, "    ld.global.b32 %%w, [%%in+%u];\n    setp.ne.s32 %%s%u, %%w, 0;\n", n * SLOT,
                   n);
    else
        expand_put(&k->loads, "    ld.global.b%s %%s%u, [%%in+%u];\n", type + strcspn(type, "0123456789"), n,
                   n * SLOT);
}

static void put_result(struct kernel *k, const char *type)
{
    unsigned n = k->results++;
    expand_put(&k->code, n ? "|%%d%u" : "%%d%u", n);
    expand_put(&k->loads, "    .reg .%s %%d%u;\n", type, n);
    if (!strcmp(type, "pred"))
        expand_put(&k->stores, "    selp.b32 %%w, 1, 0, %%d%u;\n    st.global.b32 [%%out+%u], %%w;\n", n,
                   n * 8);
    else
        expand_put(&k->stores, "    st.global.b%s [%%out+%u], %%d%u;\n", type + strcspn(type, "0123456789"),
                   n * 8, n);
}

static void put_instruction(struct kernel *k, const char *opcode, const struct px_match *match)
{
    expand_put(&k->code, "%s", opcode);
    expand_words(match, &k->code);
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(match->operands); i++) {
        const struct px_opd *opd = px_match_opd(match, i);
        expand_put(&k->code, i ? ", " : " ");
        if (opd->flags & PX_OPERAND_RESULT)
            put_result(k, register_type(match, opd));
        else
            put_source(k, register_type(match, opd));
        if (opd->partner >= 0 && match->pair) put_result(k, "pred");
    }
}

static size_t write_kernel(const struct kernel *k, const char *target, char *text, size_t size)
{
    size_t n = (size_t)snprintf(
        text, size,
        ".version %s\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
        "    .reg .b64 %%in, %%out, %%l;\n    .reg .b32 %%w, %%t;\n    .reg .f32 %%f, %%g;\n"
        "    mov.u32 %%t, %%tid.x;\n    mul.wide.u32 %%l, %%t, %u;\n"
        "    ld.param.u64 %%in, [in];\n    ld.param.u64 %%out, [out];\n    add.s64 %%out, %%out, %%l;\n"
        "    mul.wide.u32 %%l, %%t, %u;\n    add.s64 %%in, %%in, %%l;\n"
        "    ld.global.f32 %%f, [%%in];\n",
        target, SLOT, SLOT * SOURCES);
    n += (size_t)snprintf(text + n, size - n, "%s", k->loads.at);
    for (unsigned v = 0; v < VARIANTS; v++) {
        n += (size_t)snprintf(text + n, size - n, "    bra L%u;\nL%u:\n", v, v);
        if (*predecessors[v])
            n += (size_t)snprintf(text + n, size - n, "    %s %%g, %%f, %%f%s;\n", predecessors[v],
                                  *predecessors[v] == 'f' ? ", %f" : "");
        n += (size_t)snprintf(text + n, size - n, "    %s;\n%s    add.s64 %%out, %%out, %u;\n", k->code.at,
                              k->stores.at, LANES * SLOT);
    }
    return n + (size_t)snprintf(text + n, size - n, "    ret;\n}\n");
}

/* ---- running it ---- */

/* 1: it ran, 0: it cannot be run. */
static int run_text(struct test *t, const char *text, size_t size)
{
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    ptx_kernel *kernel;
    const uint64_t params[2] = {t->in, t->out};
    const ptx_launch_config launch = {sizeof launch, {1, 1, 1}, {LANES, 1, 1}, 0, params, sizeof params};
    ptx_status status = ptx_module_create(NULL, text, size, &module);
    if (status == PTX_OK)
        status = ptx_program_create(t->device, (const ptx_module *[]){module}, 1, NULL, &program);
    if (status == PTX_OK) status = ptx_program_kernel(program, "k", &kernel);
    if (status == PTX_OK) status = ptx_memory_fill(t->device, t->out, 0, OUT_BYTES);
    if (status == PTX_OK) status = ptx_kernel_launch(kernel, &launch, NULL);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    return status == PTX_OK;
}

static void compare(struct test *t, const struct kernel *k)
{
    static uint8_t out[OUT_BYTES];
    assert_int_equal(ptx_memory_read(t->device, out, t->out, OUT_BYTES), PTX_OK);
    for (unsigned v = 1; v < VARIANTS; v++) {
        if (!memcmp(out, out + v * LANES * SLOT, LANES * SLOT)) continue;
        print_message("'%s' differs behind '%s'\n", k->code.at, predecessors[v]);
        t->differ++;
        return;
    }
}

static bool tells(const struct px_match *match)
{
    bool found = false;
    for (unsigned i = 0; i < (unsigned)__builtin_popcount(match->operands); i++) {
        const struct px_opd *opd = px_match_opd(match, i);
        enum px_type type = PX_T_PRED;
        unsigned count = 0;
        if (opd->kind != PX_OK_PRED && opd->kind != PX_OK_REG && opd->kind != PX_OK_VEC) return false;
        if (opd->kind != PX_OK_PRED) px_match_opd_type(match, opd, &type, &count);
        if (count || (i == 0 && !(opd->flags & PX_OPERAND_RESULT))) return false;
        found = found || px_type_info(type)->klass == PX_TC_FLOAT;
    }
    return found;
}

static void visit(void *context, const struct px_match *match, uint32_t operands)
{
    static char text[16384];
    struct test *t = context;
    struct kernel k = {.sources = 0};
    int ran = 0;
    (void)operands;
    if (!px_form_executable(match->form) || !tells(match)) return;
    put_instruction(&k, t->opcode, match);
    for (size_t i = 0; !ran && i < sizeof targets / sizeof *targets; i++)
        ran = run_text(t, text, write_kernel(&k, targets[i], text, sizeof text));
    t->ran += (unsigned)ran;
    t->not_run += !ran;
    if (ran) compare(t, &k);
}

TEST(no_form_depends_on_its_predecessor)
{
    const ptx_device_config config = {.workers = 1};
    struct test t = {0};
    assert_int_equal(ptx_device_create(&config, &t.device), PTX_OK);
    assert_int_equal(ptx_memory_alloc(t.device, IN_BYTES, &t.in), PTX_OK);
    assert_int_equal(ptx_memory_alloc(t.device, OUT_BYTES, &t.out), PTX_OK);
    make_inputs(&t);
    for (unsigned word = 1; word <= px_word_count(); word++) {
        uint16_t first;
        t.opcode = px_word_text((px_word)word);
        if (px_forms_of((px_word)word, &first)) expand_opcode(t.opcode, visit, &t);
    }
    print_message("%u forms, %u more that do not run on these targets\n", t.ran, t.not_run);
    ptx_device_destroy(t.device);
    assert_int_equal(t.differ, 0);
    assert_true(t.ran > 1000);
}

int main(void)
{
    return run_suite();
}
