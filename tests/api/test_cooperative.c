/*
 * test_cooperative.c - cooperative launches beside each other, in streams and graphs. The kernel is what
 * cooperative groups make of a grid-wide barrier; what is expected follows from its rounds.
 */
#include <stdlib.h>
#include "api/fixture.h"
#include "hw/cooperative/kernel.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

/* Each round a block, which has one thread, takes its neighbour's word and one more. */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry around(.param .u64 p, .param .u32 rounds) {\n"
    " .reg .pred %q, %again; .reg .u64 %a, %b, %w; .reg .u32 %n, %me, %next, %x, %hi, %lo, %nb, %old, %now;\n"
    " ld.param.u64 %a, [p]; ld.param.u32 %n, [rounds];\n"
    " mov.u32 %hi, %envreg1; mov.u32 %lo, %envreg2; mov.b64 %w, {%lo, %hi};\n"
    " mov.u32 %me, %ctaid.x; mov.u32 %nb, %nctaid.x; add.u32 %next, %me, 1; rem.u32 %next, %next, %nb;\n"
    " mad.wide.u32 %b, %next, 4, %a; mad.wide.u32 %a, %me, 4, %a;\n"
    " sub.u32 %nb, 0x80000001, %nb; setp.eq.u32 %q, %me, 0; selp.u32 %nb, %nb, 1, %q;\n"
    "$round: ld.global.u32 %x, [%b];\n"
    " atom.add.release.gpu.u32 %old, [%w+4], %nb;\n"
    "$a: ld.acquire.gpu.u32 %now, [%w+4]; xor.b32 %now, %now, %old; setp.gt.s32 %again, %now, -1;\n"
    " @%again bra $a;\n"
    " add.u32 %x, %x, 1; st.global.u32 [%a], %x;\n"
    " atom.add.release.gpu.u32 %old, [%w+4], %nb;\n"
    "$b: ld.acquire.gpu.u32 %now, [%w+4]; xor.b32 %now, %now, %old; setp.gt.s32 %again, %now, -1;\n"
    " @%again bra $b;\n"
    " sub.u32 %n, %n, 1; setp.ne.u32 %q, %n, 0; @%q bra $round; ret; }\n"
    ".visible .entry asks(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x, %y; ld.param.u64 %a, [p]; mov.u32 %x, %envreg1; mov.u32 %y, %envreg2;\n"
    " or.b32 %x, %x, %y; st.global.u32 [%a], %x; ret; }\n";

enum { BLOCKS = 300, ROUNDS = 40 };

static ptx_kernel *around, *asks;

struct params {
    ptx_address p;
    uint32_t rounds;
};

static ptx_launch_config shape(const struct params *params, unsigned blocks, int cooperative)
{
    ptx_launch_config c = launch_shape(blocks, 1, params, sizeof *params);
    c.cooperative = cooperative;
    return c;
}

static int set_up(void **state)
{
    (void)state;
    open_usual(text);
    around = kernel_named("around");
    asks = kernel_named("asks");
    return 0;
}

static ptx_address zeros(void)
{
    static const uint32_t none[BLOCKS];
    ptx_address p;
    assert_int_equal(ptx_memory_alloc(device, sizeof none, &p), PTX_OK);
    assert_int_equal(ptx_memory_write(device, p, none, sizeof none), PTX_OK);
    return p;
}

static void assert_all(ptx_address p, uint32_t want)
{
    uint32_t got[BLOCKS];
    assert_int_equal(ptx_memory_read(device, got, p, sizeof got), PTX_OK);
    for (unsigned i = 0; i < BLOCKS; i++) assert_int_equal(got[i], want);
}

#define CASE(name) TEST_WITHIN(name, set_up, close_program)

/* Two that each need all their blocks at once, and wait for each other's workers. */
CASE(two_streams)
{
    struct params params[2] = {{zeros(), ROUNDS}, {zeros(), ROUNDS}};
    ptx_stream stream[2];
    for (int i = 0; i < 2; i++) {
        const ptx_launch_config c = shape(&params[i], BLOCKS, 1);
        assert_int_equal(ptx_stream_create(device, NULL, &stream[i]), PTX_OK);
        assert_int_equal(ptx_kernel_submit(around, &c, stream[i], NULL), PTX_OK);
        assert_int_equal(ptx_kernel_submit(around, &c, stream[i], NULL), PTX_OK);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ptx_stream_wait(device, stream[i], NULL), PTX_OK);
        assert_all(params[i].p, 2 * ROUNDS);
        assert_int_equal(ptx_stream_destroy(device, stream[i]), PTX_OK);
    }
}

CASE(in_a_graph)
{
    struct params params = {zeros(), ROUNDS};
    const ptx_launch_config c = shape(&params, BLOCKS, 1);
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_KERNEL, .kernel = around, .launch = &c};
    ptx_graph graph;
    ptx_node node;
    ptx_instance instance;
    assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &node), PTX_OK);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    assert_all(params.p, 3 * ROUNDS);
    assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
}

/* The workspace is there in a cooperative launch, in no other. */
CASE(only_when_asked_for)
{
    struct params params = {zeros(), 0};
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        const ptx_launch_config c = shape(&params, 1, cooperative);
        uint32_t word;
        assert_int_equal(ptx_kernel_launch(asks, &c, NULL), PTX_OK);
        assert_int_equal(ptx_memory_read(device, &word, params.p, 4), PTX_OK);
        assert_int_equal(word != 0, cooperative);
    }
}

/* The recorded words behind `name`, in its line number `nth`; how many there are. */
static unsigned recorded(const char *name, unsigned nth, uint32_t words[32])
{
    char path[512], line[1024];
    const char *slash = strrchr(__FILE__, '/');
    unsigned n = 0;
    snprintf(path, sizeof path, "%.*s/../hw/golden/cooperative.tsv", (int)(slash - __FILE__), __FILE__);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || line[length] != '\t' || nth--) continue;
        for (char *at = line + length; *at == '\t' && n < 32;)
            words[n++] = (uint32_t)strtoul(at + 1, &at, 16);
        break;
    }
    fclose(f);
    return n;
}

/* What an H100 answered. */
CASE(as_recorded)
{
    const struct params params = {zeros(), 0};
    uint32_t want[32], got[32];
    ptx_module *module;
    ptx_program *chip;
    ptx_kernel *kernel;
    char name[40];
    const char *words = cooperative_text();
    assert_int_equal(ptx_module_create(NULL, words, strlen(words), &module), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &chip), PTX_OK);
    ptx_module_destroy(module);
    assert_int_equal(ptx_program_kernel(chip, "env", &kernel), PTX_OK);
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        const ptx_launch_config c = shape(&params, 1, cooperative);
        assert_int_equal(ptx_kernel_launch(kernel, &c, NULL), PTX_OK);
        assert_int_equal(ptx_memory_read(device, got, params.p, sizeof got), PTX_OK);
        assert_int_equal(recorded("env_cooperative_place", 0, want), 2);
        assert_int_equal((got[1] | got[2]) != 0, cooperative ? want[0] : 0);
        assert_int_equal(got[2] & 0xf, want[1]);
        got[1] = got[2] = 0;
        assert_int_equal(recorded(cooperative ? "env_cooperative" : "env", 0, want), 32);
        assert_memory_equal(got, want, sizeof got);
    }
    assert_int_equal(ptx_program_kernel(chip, "words", &kernel), PTX_OK);
    for (unsigned blocks = 1; blocks <= 64; blocks *= 8) {
        const ptx_launch_config c = shape(&params, blocks, 1);
        assert_int_equal(ptx_kernel_launch(kernel, &c, NULL), PTX_OK);
        assert_int_equal(ptx_memory_read(device, got, params.p, sizeof got), PTX_OK);
        snprintf(name, sizeof name, "words_%u", blocks);
        assert_int_equal(recorded(name, 0, want), 6);
        assert_memory_equal(got, want, 6 * sizeof *got);
    }
    ptx_program_destroy(chip);
}

int main(void)
{
    return run_suite();
}
