/*
 * test_branches.c - graphs that choose what they run, nodes that are switched off, graphs inside of nodes,
 * and captures into graphs that there are. What is expected is what include/ptx_graph.h promises.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

/* Adds to a word; takes one off a word and makes the rest the condition. */
static const char text[] =
    ".version 8.4\n.target sm_80\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
    ".visible .entry add(.param .u64 p, .param .u64 v) {\n"
    " .reg .u64 %a, %w; .reg .u32 %x, %y; ld.param.u64 %a, [p]; ld.param.u64 %w, [v]; cvt.u32.u64 %y, %w;\n"
    " ld.global.u32 %x, [%a]; add.u32 %x, %x, %y; st.global.u32 [%a], %x; ret; }\n"
    ".visible .entry down(.param .u64 p, .param .u64 h) {\n"
    " .reg .u64 %a, %h; .reg .u32 %x; ld.param.u64 %a, [p]; ld.param.u64 %h, [h];\n"
    " ld.global.u32 %x, [%a]; sub.u32 %x, %x, 1; st.global.u32 [%a], %x;\n"
    " { .param .b64 a; .param .b32 b; st.param.b64 [a], %h; st.param.b32 [b], %x;\n"
    " call cudaGraphSetConditional, (a, b); }\n ret; }\n";

static ptx_address p;

static void open_with(ptx_device_config config)
{
    config.struct_size = sizeof config;
    config.memory_bytes = 16 << 20;
    config.timeout_ms = 60000;
    open_program(&config, text);
    p = buffer(64);
}

static ptx_node kernel(ptx_graph graph, ptx_node after, const char *name, uint64_t at, uint64_t argument)
{
    ptx_kernel *k;
    ptx_node node;
    const uint64_t params[2] = {at, argument};
    assert_int_equal(ptx_program_kernel(program, name, &k), PTX_OK);
    const ptx_launch_config launch = {.struct_size = sizeof launch,
                                      .grid = {1},
                                      .block = {1},
                                      .params = params,
                                      .param_bytes = sizeof params};
    const ptx_node_config config = {
        .struct_size = sizeof config, .kind = PTX_NODE_KERNEL, .kernel = k, .launch = &launch};
    assert_int_equal(ptx_graph_add(device, graph, &after, after != 0, &config, &node), PTX_OK);
    return node;
}

static ptx_node branch(ptx_graph graph, ptx_node after, uint64_t condition, ptx_branch_kind kind, unsigned n,
                       ptx_graph *bodies)
{
    ptx_node node;
    const ptx_node_config config = {.struct_size = sizeof config,
                                    .kind = PTX_NODE_BRANCH,
                                    .condition = condition,
                                    .branch = kind,
                                    .nbodies = n,
                                    .bodies = bodies};
    assert_int_equal(ptx_graph_add(device, graph, &after, after != 0, &config, &node), PTX_OK);
    return node;
}

static void set(ptx_address at, uint32_t value)
{
    assert_int_equal(ptx_memory_write(device, at, &value, 4), PTX_OK);
}

static uint32_t word(ptx_address at)
{
    uint32_t value;
    assert_int_equal(ptx_memory_read(device, &value, at, 4), PTX_OK);
    return value;
}

static void run(ptx_instance instance)
{
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
}

static const ptx_device_config kinds[] = {{.workers = 1}, {.workers = 3}, {.deterministic = 1}};

/* A loop in a loop: the inner one runs 3 times in each of 4 turns, and 100 are added behind both. */
TEST(loops)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ptx_graph graph, outer, inner;
        uint64_t a, b;
        ptx_instance instance;
        ptx_node node;
        open_with(kinds[i]);
        assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
        assert_int_equal(ptx_condition_create(device, graph, 1, 1, &a), PTX_OK);
        assert_int_equal(ptx_condition_create(device, graph, 1, 0, &b), PTX_OK);
        node = branch(graph, 0, a, PTX_BRANCH_WHILE, 1, &outer);
        kernel(graph, node, "add", p + 8, 100);
        node = kernel(outer, 0, "add", p + 4, 3); /* turns of the inner */
        node = branch(outer, node, b, PTX_BRANCH_WHILE, 1, &inner);
        node = kernel(outer, node, "down", p, a);
        kernel(outer, node, "add", b, 1); /* the condition is memory: it was 0 */
        kernel(inner, kernel(inner, 0, "add", p + 8, 1), "down", p + 4, b);
        assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
        assert_int_equal(ptx_graph_destroy(device, outer), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
        for (uint32_t n = 1; n <= 2; n++) {
            set(p, 4);
            run(instance);
            assert_int_equal(word(p), 0);
            assert_int_equal(word(p + 8), n * 112);
        }
        ptx_device_destroy(device);
    }
}

TEST(bad_loops)
{
    ptx_graph graph, body;
    uint64_t a;
    ptx_instance instance;
    ptx_stream s;
    ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_BRANCH, .bodies = &body};
    ptx_node node;
    open_with(kinds[1]);
    assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
    assert_int_equal(ptx_condition_create(device, graph, 1, 1, &a), PTX_OK);
    config.nbodies = 1;
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &node), PTX_ERROR_INVALID_ARGUMENT);
    config.condition = p; /* memory, and no condition */
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &node), PTX_ERROR_INVALID_ARGUMENT);
    config.condition = a;
    config.branch = PTX_BRANCH_WHILE;
    config.nbodies = 2;
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &node), PTX_ERROR_INVALID_ARGUMENT);
    branch(graph, 0, a, PTX_BRANCH_WHILE, 1, &body); /* nothing in it, for ever */
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_ERROR_DEADLOCK);
    kernel(body, 0, "add", p, 1); /* it runs for ever now: until it is interrupted */
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    assert_int_equal(ptx_stream_create(device, NULL, &s), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, s), PTX_OK);
    assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
    ptx_device_interrupt(device);
    assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_ERROR_INTERRUPTED);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, s), PTX_OK);
    ptx_device_destroy(device);
}

int main(void)
{
    return run_suite();
}
