/*
 * test_streams_oom.c - every allocation of submitted work fails once: a status, no crash, no leak, and what
 * was submitted before still runs.
 */
#include "api/fixture.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry add_one(.param .u64 p) { .reg .u64 %a; .reg .u32 %x;\n"
                           " ld.param.u64 %a, [p]; atom.global.add.u32 %x, [%a], 1; ret; }\n";

static atomic_long until_failure, live;

static void *failing(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size && atomic_fetch_sub(&until_failure, 1) == 1) return NULL;
    void *result = size ? realloc(ptr, size) : (free(ptr), NULL);
    atomic_fetch_add(&live, (result && !ptr) - (!size && ptr));
    return result;
}

static void nothing(void *user)
{
    (void)user;
}

static ptx_kernel *kernel;
static ptx_address p;

/* Runs on to the end whatever fails, as careless programs do. Returns how many calls failed for want of
 * memory. */
static unsigned careless(void)
{
    const ptx_launch_config launch = {
        .struct_size = sizeof launch, .grid = {1}, .block = {1}, .params = &p, .param_bytes = sizeof p};
    const ptx_fill fill = {.to = p + 4, .width = 4};
    const ptx_node_config node_config = {.kind = PTX_NODE_KERNEL, .kernel = kernel, .launch = &launch};
    ptx_graph bodies[2] = {0}, branching = 0, inner = 0;
    uint64_t condition = 0;
    ptx_node_config branch_config = {
        .struct_size = sizeof branch_config, .kind = PTX_NODE_BRANCH, .nbodies = 2, .bodies = bodies};
    ptx_node_config child_config = {.kind = PTX_NODE_CHILD};
    ptx_stream s = 0, t = 0;
    ptx_event e = 0;
    ptx_launch number = 0;
    ptx_graph graph = 0, captured = 0, copy = 0;
    ptx_node a = 0, b = 0;
    ptx_instance instance = 0;
    ptx_address more = 0, range = 0;
    ptx_pool pool = 0;
    ptx_physical physical = 0;
    unsigned failed = 0;
    const ptx_value value = {.op = PTX_VALUE_WRITE, .bytes = 4, .address = p + 8, .value = 1};
    const ptx_node_config values_config = {
        .struct_size = sizeof values_config, .kind = PTX_NODE_VALUES, .values = &value, .nvalues = 1};
#define TRY(call) failed += (call) == PTX_ERROR_OUT_OF_MEMORY
    TRY(ptx_stream_create(device, NULL, &s));
    TRY(ptx_stream_create(device, NULL, &t));
    TRY(ptx_event_create(device, 0, &e));
    TRY(ptx_kernel_submit(kernel, &launch, s, NULL));
    TRY(ptx_kernel_submit(kernel, &launch, t, &number));
    TRY(ptx_event_record(device, e, s));
    TRY(ptx_stream_wait_event(device, t, e));
    TRY(ptx_stream_fill(device, &fill, t));
    TRY(ptx_stream_host(device, 0, nothing, NULL));
    TRY(ptx_stream_values(device, &value, 1, t));
    TRY(ptx_stream_alloc(device, 100, s, &more));
    TRY(ptx_stream_free(device, more, s));
    TRY(ptx_pool_create(device, 0, &pool));
    TRY(ptx_pool_alloc(device, pool, 100, s, &more));
    TRY(ptx_pool_destroy(device, pool));
    TRY(ptx_range_reserve(device, 3 * PTX_MAP_GRAIN, 0, &range));
    TRY(ptx_physical_create(device, PTX_MAP_GRAIN, &physical));
    TRY(ptx_range_map(device, range, PTX_MAP_GRAIN, physical, 0));
    TRY(ptx_range_map(device, range + PTX_MAP_GRAIN, PTX_MAP_GRAIN, physical, 0));
    TRY(ptx_range_map(device, range + 2 * PTX_MAP_GRAIN, PTX_MAP_GRAIN, physical, 0));
    TRY(ptx_range_access(device, range, 3 * PTX_MAP_GRAIN, PTX_ACCESS_READ_WRITE));
    TRY(ptx_range_unmap(device, range + PTX_MAP_GRAIN, PTX_MAP_GRAIN));
    TRY(ptx_physical_release(device, physical));
    TRY(ptx_graph_create(device, &graph));
    TRY(ptx_graph_add(device, graph, NULL, 0, &node_config, &a));
    TRY(ptx_graph_add(device, graph, &a, 1, &node_config, &b));
    TRY(ptx_graph_clone(device, graph, &copy));
    TRY(ptx_graph_instantiate(device, graph, &instance));
    TRY(ptx_instance_launch(device, instance, s));
    TRY(ptx_instance_launch(device, instance, t));
    if (s > 2 && ptx_capture_begin(device, s) == PTX_OK) {
        TRY(ptx_kernel_submit(kernel, &launch, s, NULL));
        TRY(ptx_event_record(device, e, s));
        TRY(ptx_stream_wait_event(device, t, e));
        TRY(ptx_kernel_submit(kernel, &launch, t, NULL));
        TRY(ptx_stream_alloc(device, 100, t, &more));
        TRY(ptx_stream_free(device, more, t));
        TRY(ptx_event_record(device, e, t));
        TRY(ptx_stream_wait_event(device, s, e));
        TRY(ptx_capture_end(device, s, &captured));
    }
    TRY(ptx_graph_create(device, &branching));
    TRY(ptx_condition_create(device, branching, 1, 1, &condition));
    branch_config.condition = condition;
    TRY(ptx_graph_add(device, branching, NULL, 0, &branch_config, &a));
    TRY(ptx_graph_add(device, bodies[0], NULL, 0, &node_config, &b));
    TRY(ptx_graph_add(device, branching, &a, 1, &values_config, &b));
    child_config.child = graph;
    TRY(ptx_graph_add(device, branching, &b, 1, &child_config, &b));
    TRY(ptx_node_graph(device, b, 0, &inner));
    TRY(ptx_graph_instantiate(device, branching, &instance));
    TRY(ptx_instance_launch(device, instance, s));
    if (s > 2 && ptx_capture_begin_to(device, s, branching, &a, 1) == PTX_OK) {
        ptx_capture_info info = {sizeof info};
        TRY(ptx_kernel_submit(kernel, &launch, s, NULL));
        TRY(ptx_capture_info_get(device, s, &info, NULL, NULL));
        TRY(ptx_capture_after(device, s, &a, 1, 1));
        TRY(ptx_capture_end(device, s, &captured));
    }
    TRY(ptx_stream_wait(device, PTX_STREAM_PER_THREAD, NULL));
    TRY(ptx_device_wait(device, NULL));
    return failed;
}

TEST(every_allocation_fails_once)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .allocator = {.realloc = failing},
                                      .workers = 2,
                                      .memory_bytes = 4 << 20,
                                      .timeout_ms = 60000};
    unsigned points = 0;
    for (long n = 1;; n++) {
        uint32_t count;
        atomic_store(&until_failure, -1);
        open_program(&config, text);
        kernel = kernel_named("add_one");
        p = buffer(64);
        atomic_store(&until_failure, n);
        careless();
        const bool reached = atomic_exchange(&until_failure, -1) <= 0;
        assert_int_equal(ptx_memory_read(device, &count, p, 4), PTX_OK);
        if (!reached)
            assert_int_equal(count, 9); /* two launches, two graphs of two kernels, a body, a child of two */
        assert_in_range(count, 0, 11);  /* what could not be captured ran */
        ptx_device_destroy(device);
        assert_int_equal(atomic_load(&live), 0);
        if (!reached) break;
        points++;
    }
    assert_true(points > 30);
}

int main(void)
{
    return run_suite();
}
