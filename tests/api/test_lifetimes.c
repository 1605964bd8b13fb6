/*
 * test_lifetimes.c - objects that are destroyed while others still refer to them, in every legal order: the
 * allocator watches what becomes of their memory.
 */
#include "api/fixture.h"
#include "api/strict.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry store(.param .u64 p, .param .u32 v) {\n"
                           " .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a, [p]; ld.param.u32 %v, [v];\n"
                           " st.global.u32 [%a], %v; ret; }\n";

static ptx_stream stream, other;
static ptx_graph graph;
static ptx_event event;

static int set_up(void **state)
{
    (void)state;
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .allocator = {.realloc = strict_realloc},
                                      .workers = 2,
                                      .memory_bytes = 1 << 20,
                                      .timeout_ms = 60000};
    open_program(&config, text);
    assert_int_equal(ptx_stream_create(device, NULL, &stream), PTX_OK);
    assert_int_equal(ptx_stream_create(device, NULL, &other), PTX_OK);
    assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
    assert_int_equal(ptx_event_create(device, 0, &event), PTX_OK);
    return 0;
}

static int tear_down(void **state)
{
    close_device(state);
    strict_check();
    return 0;
}

#define CASE(name) TEST_WITHIN(name, set_up, tear_down)

static void nothing(void *user)
{
    (void)user;
}

static ptx_node add(ptx_graph to, const ptx_node *after, const ptx_node_config *config)
{
    ptx_node node;
    assert_int_equal(ptx_graph_add(device, to, after, after != NULL, config, &node), PTX_OK);
    return node;
}

static const ptx_node_config host_node = {
    .struct_size = sizeof host_node, .kind = PTX_NODE_HOST, .host = nothing};

static ptx_node add_child(ptx_graph to, ptx_graph *child)
{
    ptx_graph inner;
    assert_int_equal(ptx_graph_create(device, &inner), PTX_OK);
    const ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_CHILD, .child = inner};
    const ptx_node node = add(to, NULL, &config);
    assert_int_equal(ptx_graph_destroy(device, inner), PTX_OK);
    assert_int_equal(ptx_node_graph(device, node, 0, child), PTX_OK);
    return node;
}

/* ---- captures ---- */

CASE(an_event_of_a_capture_outlives_its_graph)
{
    ptx_graph out;
    assert_int_equal(ptx_capture_begin_to(device, stream, graph, NULL, 0), PTX_OK);
    assert_int_equal(ptx_stream_host(device, stream, nothing, NULL), PTX_OK);
    assert_int_equal(ptx_event_record(device, event, stream), PTX_OK);
    assert_int_equal(ptx_capture_end(device, stream, &out), PTX_OK);
    assert_int_equal(out, graph);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    assert_int_equal(ptx_event_destroy(device, event), PTX_OK);
}

CASE(an_event_of_an_abandoned_capture_changes_no_later_one)
{
    ptx_graph out;
    assert_int_equal(ptx_capture_begin_to(device, stream, graph, NULL, 0), PTX_OK);
    assert_int_equal(ptx_event_record(device, event, stream), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, stream), PTX_OK);
    assert_int_equal(ptx_capture_begin_to(device, other, graph, NULL, 0), PTX_OK);
    assert_int_equal(ptx_event_destroy(device, event), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_ERROR_INVALID_ARGUMENT); /* it is captured into */
    assert_int_equal(ptx_capture_end(device, other, &out), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
}

CASE(a_graph_stays_while_a_child_is_captured_into)
{
    ptx_graph child, out, empty;
    const ptx_node node = add_child(graph, &child);
    assert_int_equal(ptx_graph_create(device, &empty), PTX_OK);
    const ptx_node_config again = {.struct_size = sizeof again, .kind = PTX_NODE_CHILD, .child = empty};
    assert_int_equal(ptx_capture_begin_to(device, stream, child, NULL, 0), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_node_destroy(device, node), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_node_set(device, node, &again), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_stream_host(device, stream, nothing, NULL), PTX_OK);
    assert_int_equal(ptx_capture_end(device, stream, &out), PTX_OK);
    assert_int_equal(out, child);
    assert_int_equal(ptx_node_set(device, node, &again), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
}

CASE(a_graph_stays_while_a_body_is_captured_into)
{
    ptx_graph body, out;
    uint64_t condition;
    assert_int_equal(ptx_condition_create(device, graph, 1, 0, &condition), PTX_OK);
    const ptx_node_config branch = {.struct_size = sizeof branch,
                                    .kind = PTX_NODE_BRANCH,
                                    .condition = condition,
                                    .branch = PTX_BRANCH_IF,
                                    .nbodies = 1,
                                    .bodies = &body};
    const ptx_node node = add(graph, NULL, &branch);
    assert_int_equal(ptx_capture_begin_to(device, stream, body, NULL, 0), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_node_destroy(device, node), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_capture_end(device, stream, &out), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
}

/* The graph of a capture goes with it, and what another stream is captured into goes with the graph. */
CASE(a_capture_that_loses_its_graph_is_broken)
{
    ptx_graph child, out;
    ptx_capture_info info = {.struct_size = sizeof info};
    size_t count = 0;
    assert_int_equal(ptx_capture_begin(device, stream), PTX_OK);
    assert_int_equal(ptx_capture_info_get(device, stream, &info, NULL, NULL), PTX_OK);
    add_child(info.graph, &child);
    assert_int_equal(ptx_capture_begin_to(device, other, child, NULL, 0), PTX_OK);
    assert_int_equal(ptx_stream_host(device, other, nothing, NULL), PTX_OK);
    assert_int_equal(ptx_event_record(device, event, other), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, stream), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, info.graph), PTX_ERROR_INVALID_ARGUMENT); /* it is gone */
    assert_int_equal(ptx_capture_info_get(device, other, &info, NULL, &count), PTX_OK);
    assert_true(info.active && info.broken && !info.graph && !count);
    assert_int_equal(ptx_stream_host(device, other, nothing, NULL), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_event_record(device, event, other), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_capture_after(device, other, NULL, 0, 0), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_stream_wait_event(device, other, event), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_capture_end(device, other, &out), PTX_ERROR_CAPTURE);
    assert_int_equal(ptx_stream_host(device, other, nothing, NULL), PTX_OK);
}

CASE(a_child_takes_nothing_that_there_can_be_once_only)
{
    ptx_graph child, bodies, out;
    ptx_address memory;
    uint64_t condition;
    ptx_node node;
    add_child(graph, &child);
    assert_int_equal(ptx_condition_create(device, child, 0, 0, &condition), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_condition_create(device, graph, 0, 0, &condition), PTX_OK);
    const ptx_node_config alloc = {.struct_size = sizeof alloc,
                                   .kind = PTX_NODE_ALLOC,
                                   .bytes = 64,
                                   .allocated = &memory},
                          branch = {.struct_size = sizeof branch,
                                    .kind = PTX_NODE_BRANCH,
                                    .condition = condition,
                                    .nbodies = 1,
                                    .bodies = &bodies};
    assert_int_equal(ptx_graph_add(device, child, NULL, 0, &alloc, &node), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_graph_add(device, child, NULL, 0, &branch, &node), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_capture_begin_to(device, stream, child, NULL, 0), PTX_OK);
    assert_int_equal(ptx_stream_alloc(device, 64, stream, &memory), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_capture_end(device, stream, &out), PTX_OK);
}

/* ---- instances ---- */

CASE(an_update_brings_the_conditions_too)
{
    const ptx_address place = buffer(64);
    const ptx_value write = {PTX_VALUE_WRITE, 4, place, 1};
    const ptx_node_config values = {
        .struct_size = sizeof values, .kind = PTX_NODE_VALUES, .values = &write, .nvalues = 1};
    const uint32_t mine[4] = {1, 2, 3, 4};
    uint32_t now[4];
    ptx_graph with;
    ptx_instance instance;
    uint64_t condition;
    const ptx_node first = add(graph, NULL, &values);
    add(graph, &first, &host_node);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    /* A condition that each launch sets to 77, and a host function: steps of the same kinds. */
    assert_int_equal(ptx_graph_create(device, &with), PTX_OK);
    assert_int_equal(ptx_condition_create(device, with, 77, 1, &condition), PTX_OK);
    add(with, NULL, &host_node);
    assert_int_equal(ptx_instance_update(device, instance, with), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, with), PTX_OK);
    const ptx_address others = buffer(sizeof mine);
    assert_int_not_equal(others, condition); /* the instance has it */
    assert_int_equal(ptx_memory_write(device, others, mine, sizeof mine), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, 0), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(ptx_memory_read(device, now, others, sizeof now), PTX_OK);
    assert_memory_equal(now, mine, sizeof mine);
    assert_int_equal(word_at(condition), 77);
    assert_int_equal(word_at(place), 0);
    assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
}

/* What the stream is given from here on begins when the word at the address is 1. */
static void hold(ptx_stream s, ptx_address gate)
{
    const ptx_value v = {PTX_VALUE_WAIT_EQ, 4, gate, 1};
    assert_int_equal(ptx_stream_values(device, &v, 1, s), PTX_OK);
}

static void let_go(ptx_address gate)
{
    const uint32_t one = 1;
    assert_int_equal(ptx_memory_write(device, gate, &one, sizeof one), PTX_OK);
}

/* Memory of the graph's own, a kernel that stores `value` there, and its end. */
static void add_memory_nodes(ptx_graph to, uint32_t value)
{
    ptx_address memory;
    const ptx_node_config alloc = {
        .struct_size = sizeof alloc, .kind = PTX_NODE_ALLOC, .bytes = 64, .allocated = &memory};
    const ptx_node first = add(to, NULL, &alloc);
    const struct {
        ptx_address p;
        uint32_t v;
    } params = {memory, value};
    const ptx_launch_config launch = launch_shape(1, 1, &params, sizeof params);
    const ptx_node_config store = {.struct_size = sizeof store,
                                   .kind = PTX_NODE_KERNEL,
                                   .kernel = kernel_named("store"),
                                   .launch = &launch};
    const ptx_node second = add(to, &first, &store);
    const ptx_node_config release = {.struct_size = sizeof release, .kind = PTX_NODE_FREE, .address = memory};
    add(to, &second, &release);
}

/* The memory of an ALLOC node is given to a kernel of the same launch, behind a gate; meanwhile `meanwhile`
 * does away with what the launch was made of. */
static void launch_and(void (*meanwhile)(ptx_instance instance))
{
    const ptx_address gate = buffer(4);
    ptx_instance instance;
    add_memory_nodes(graph, 5);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    hold(stream, gate);
    assert_int_equal(ptx_instance_launch(device, instance, stream), PTX_OK);
    meanwhile(instance);
    const ptx_address mine = buffer(64); /* where the graph's memory was, if it went */
    let_go(gate);
    assert_int_equal(ptx_stream_wait(device, stream, NULL), PTX_OK);
    assert_int_equal(word_at(mine), 0);
}

static void destroy_all(ptx_instance instance)
{
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
}

CASE(a_launch_keeps_its_memory_when_the_instance_goes)
{
    launch_and(destroy_all);
}

/* Another graph of the same kinds of nodes, with memory of its own. */
static void update_by_another(ptx_instance instance)
{
    ptx_graph like;
    assert_int_equal(ptx_graph_create(device, &like), PTX_OK);
    add_memory_nodes(like, 6);
    assert_int_equal(ptx_instance_update(device, instance, like), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    assert_int_equal(ptx_graph_destroy(device, like), PTX_OK);
}

CASE(a_launch_keeps_its_memory_when_the_instance_is_updated)
{
    launch_and(update_by_another);
}

int main(void)
{
    return run_suite();
}
