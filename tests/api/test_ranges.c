/*
 * test_ranges.c - reserve and map, pools, and memory of graphs. What is expected is what include/ptx_memory.h
 * and include/ptx_graph.h promise.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "api/pages.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

static ptx_device *device;
static ptx_kernel *kernel;

static void make(unsigned unified, uint64_t bytes)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = 2,
                                      .memory_bytes = bytes,
                                      .timeout_ms = 60000,
                                      .unified = unified};
    kernel = open_adder(&config, &device);
}

static int set_up(void **state)
{
    (void)state;
    make(0, 64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ptx_device_destroy(device);
    return 0;
}

static ptx_launch_config launch_of(const struct adder *a)
{
    return (ptx_launch_config){
        .struct_size = sizeof(ptx_launch_config), .grid = {1}, .block = {1}, .params = a, .param_bytes = 12};
}

/* Adds n to the word at p by a kernel. */
static ptx_status add(ptx_address p, uint32_t n)
{
    const struct adder a = {p, n};
    const ptx_launch_config launch = launch_of(&a);
    return ptx_kernel_launch(kernel, &launch, NULL);
}

static uint32_t word_at(ptx_address p)
{
    uint32_t word;
    OK(ptx_memory_read(device, &word, p, 4));
    return word;
}

static uint64_t room(void)
{
    uint64_t free;
    OK(ptx_memory_room(device, NULL, &free));
    return free;
}

/* ---- reserve and map ---- */

#define CASE(name) TEST_WITHIN(name, set_up, tear_down)

CASE(memory_is_where_it_is_mapped)
{
    ptx_address a, b;
    ptx_physical one;
    const uint64_t before = room();
    OK(ptx_range_reserve(device, 4 * G, 0, &a));
    OK(ptx_range_reserve(device, 2 * G, 16 * G, &b));
    assert_int_equal(a % G, 0);
    assert_int_equal(b % (16 * G), 0);
    assert_int_equal(room(), before);
    OK(ptx_physical_create(device, 2 * G, &one));
    assert_int_equal(room(), before - 2 * G);
    assert_int_equal(add(a, 1), PTX_ERROR_FAULT); /* only reserved */
    OK(ptx_range_map(device, a, 2 * G, one, 0));
    assert_int_equal(add(a, 1), PTX_ERROR_FAULT); /* no access */
    OK(ptx_range_access(device, a, 2 * G, PTX_ACCESS_READ_WRITE));
    OK(add(a, 5));
    assert_int_equal(word_at(a), 5);
    assert_int_equal(add(a + 2 * G, 1), PTX_ERROR_FAULT);
    /* The second half of it at another address, too: the same bytes. */
    OK(ptx_range_map(device, b, G, one, G));
    OK(ptx_range_access(device, b, G, PTX_ACCESS_READ_WRITE));
    OK(add(b + 8, 7));
    OK(add(a + G + 8, 1));
    assert_int_equal(word_at(b + 8), 8);
    /* It stays as long as it is mapped, and its bytes with it. */
    OK(ptx_physical_release(device, one));
    OK(ptx_range_unmap(device, a, 2 * G));
    assert_int_equal(add(a, 1), PTX_ERROR_FAULT);
    assert_int_equal(word_at(b + 8), 8);
    assert_int_equal(room(), before - 2 * G);
    OK(ptx_range_unmap(device, b, G));
    assert_int_equal(room(), before);
    OK(ptx_range_release(device, a, 4 * G));
    OK(ptx_range_release(device, b, 2 * G));
    /* Memory that is given out again is zero. */
    OK(ptx_physical_create(device, 2 * G, &one));
    OK(ptx_range_reserve(device, 2 * G, 0, &a));
    OK(ptx_range_map(device, a, 2 * G, one, 0));
    OK(ptx_range_access(device, a, 2 * G, PTX_ACCESS_READ_WRITE));
    assert_int_equal(word_at(a), 0);
    assert_int_equal(word_at(a + G + 8), 0);
}

/* A growing array: copies go across mappings side by side, and holes are found. */
CASE(neighbours_are_one_block)
{
    static uint8_t data[3 << 21];
    ptx_address a;
    ptx_physical p[4];
    ptx_memory_info info = {sizeof info};
    OK(ptx_range_reserve(device, 4 * G, 0, &a));
    for (unsigned i = 0; i < 4; i++) OK(ptx_physical_create(device, G, &p[i]));
    for (unsigned i = 0; i < 4; i += 2) { /* 0 and 2, then what is between */
        OK(ptx_range_map(device, a + i * G, G, p[i], 0));
        OK(ptx_range_access(device, a + i * G, G, PTX_ACCESS_READ_WRITE));
    }
    memset(data, 3, sizeof data);
    INVALID(ptx_memory_write(device, a, data, 3 * G));
    OK(ptx_range_map(device, a + G, G, p[1], 0));
    OK(ptx_range_access(device, a, 3 * G, PTX_ACCESS_READ_WRITE));
    OK(ptx_memory_write(device, a, data, 3 * G));
    OK(ptx_memory_info_get(device, a + 2 * G + 5, &info));
    assert_int_equal(info.kind, PTX_MEMORY_MAPPED);
    assert_int_equal(info.base, a);
    assert_int_equal(info.size, 3 * G);
    OK(ptx_range_access(device, a + G, G, PTX_ACCESS_NONE));
    INVALID(ptx_memory_write(device, a, data, 3 * G));
    OK(ptx_memory_write(device, a, data, G));
    OK(ptx_memory_write(device, a + 2 * G, data, G));
    OK(ptx_range_access(device, a + G, G, PTX_ACCESS_READ_WRITE));
    assert_int_equal(word_at(a + G), 0x03030303);
    OK(ptx_range_unmap(device, a, 3 * G));
    assert_int_equal(add(a + 2 * G, 1), PTX_ERROR_FAULT);
}

CASE(ranges_refuse)
{
    ptx_address a;
    ptx_physical p;
    INVALID(ptx_range_reserve(NULL, G, 0, &a));
    INVALID(ptx_range_reserve(device, G, 0, NULL));
    INVALID(ptx_range_reserve(device, 0, 0, &a));
    INVALID(ptx_range_reserve(device, G + 1, 0, &a));
    INVALID(ptx_range_reserve(device, G, 3 * G, &a));
    assert_int_equal(ptx_range_reserve(device, UINT64_MAX / G * G, 0, &a), PTX_ERROR_OUT_OF_MEMORY);
    assert_int_equal(ptx_range_reserve(device, G, 1ull << 63, &a), PTX_ERROR_OUT_OF_MEMORY);
    INVALID(ptx_physical_create(device, 0, &p));
    INVALID(ptx_physical_create(device, 100, &p));
    INVALID(ptx_physical_create(device, G, NULL));
    assert_int_equal(ptx_physical_create(device, 1 << 30, &p), PTX_ERROR_OUT_OF_MEMORY);
    INVALID(ptx_physical_release(device, 0));
    INVALID(ptx_physical_release(device, 12345));
    OK(ptx_range_reserve(device, 4 * G, 0, &a));
    OK(ptx_physical_create(device, 2 * G, &p));
    INVALID(ptx_range_map(NULL, a, G, p, 0));
    INVALID(ptx_range_map(device, a, 0, p, 0));
    INVALID(ptx_range_map(device, a + 4096, G, p, 0));
    INVALID(ptx_range_map(device, a, 3 * G, p, 0));
    INVALID(ptx_range_map(device, a, G, p, 2 * G));
    INVALID(ptx_range_map(device, a + 4 * G, G, p, 0));
    INVALID(ptx_range_map(device, a + 3 * G, 2 * G, p, 0));
    INVALID(ptx_range_map(device, a, G, p + 1, 0));
    INVALID(ptx_range_map(device, 0, G, p, 0));
    OK(ptx_range_map(device, a + G, G, p, 0));
    INVALID(ptx_range_map(device, a, 2 * G, p, 0)); /* in part mapped already */
    INVALID(ptx_range_access(device, a, 2 * G, PTX_ACCESS_READ_WRITE));
    INVALID(ptx_range_access(device, a + G, G, (ptx_access)7));
    assert_int_equal(ptx_range_access(device, a + G, G, PTX_ACCESS_READ), PTX_ERROR_UNSUPPORTED);
    INVALID(ptx_range_unmap(device, a, 4 * G));
    INVALID(ptx_range_unmap(device, a, G));
    INVALID(ptx_range_release(device, a, 4 * G)); /* something is mapped there */
    OK(ptx_range_access(device, a + G, G, PTX_ACCESS_READ_WRITE));
    INVALID(ptx_memory_free(device, a + G));
    INVALID(ptx_stream_free(device, a + G, 0));
    OK(ptx_range_unmap(device, a + G, G));
    INVALID(ptx_range_release(device, a, 2 * G));
    INVALID(ptx_range_release(device, a + G, 3 * G));
    OK(ptx_range_release(device, a, 4 * G));
    INVALID(ptx_range_release(device, a, 4 * G));
    INVALID(ptx_range_map(device, a, G, p, 0));
    OK(ptx_physical_release(device, p));
    INVALID(ptx_physical_release(device, p));
}

/* Physical memory and allocations share what the device has. */
CASE(all_memory_is_counted)
{
    ptx_address a;
    ptx_physical p, q;
    OK(ptx_physical_create(device, 40 << 20, &p));
    assert_int_equal(ptx_memory_alloc(device, 40 << 20, &a), PTX_ERROR_OUT_OF_MEMORY);
    assert_int_equal(ptx_physical_create(device, 40 << 20, &q), PTX_ERROR_OUT_OF_MEMORY);
    OK(ptx_memory_alloc(device, 16 << 20, &a));
    OK(ptx_physical_release(device, p));
    OK(ptx_physical_create(device, 40 << 20, &q));
}

CASE(ranges_of_unified_devices)
{
    ptx_address a;
    ptx_physical p;
#ifdef __SANITIZE_THREAD__
    skip(); /* it ends the process that maps memory where its own tables are */
#endif
    ptx_device_destroy(device);
    make(7, 64 << 20);
    OK(ptx_range_reserve(device, 2 * G, 0, &a));
    OK(ptx_physical_create(device, 2 * G, &p));
    OK(ptx_range_map(device, a, 2 * G, p, 0));
    OK(ptx_range_access(device, a, 2 * G, PTX_ACCESS_READ_WRITE));
    OK(add(a + 64, 9));
    uint32_t word;
    memcpy(&word, (const void *)(uintptr_t)(a + 64), 4); /* one address on both sides */
    assert_int_equal(word, 9);
    INVALID(ptx_host_register(device, (void *)(uintptr_t)a, 4096));
}

/* ---- pools ---- */

#define MB (1ull << 20)

static ptx_pool_info info_of(ptx_pool pool)
{
    ptx_pool_info info = {sizeof info};
    OK(ptx_pool_info_get(device, pool, &info));
    return info;
}

CASE(pools_count)
{
    ptx_pool pool;
    ptx_address a, b;
    OK(ptx_pool_create(device, 0, &pool));
    OK(ptx_pool_alloc(device, pool, 3 * MB, 0, &a));
    OK(ptx_pool_alloc(device, pool, MB, 0, &b));
    OK(add(b, 4));
    assert_int_equal(info_of(pool).used, 4 * MB);
    assert_int_equal(info_of(pool).reserved, 32 * MB);
    assert_int_equal(info_of(PTX_POOL_DEFAULT).used, 0);
    const uint64_t before = room();
    OK(ptx_stream_free(device, a, 0));
    OK(ptx_memory_free(device, b));
    OK(ptx_pool_threshold_set(device, pool, 32 * MB));
    OK(ptx_device_wait(device, NULL));
    assert_int_equal(info_of(pool).used, 0);
    assert_int_equal(info_of(pool).reserved, 32 * MB); /* the threshold keeps it */
    assert_int_equal(info_of(pool).used_high, 4 * MB);
    assert_int_equal(room(), before);
    OK(ptx_pool_alloc(device, pool, MB, 0, &a));
    OK(ptx_pool_trim(device, pool, 0));
    assert_int_equal(info_of(pool).reserved, 32 * MB); /* a step is in use */
    OK(ptx_stream_free(device, a, 0));
    OK(ptx_device_wait(device, NULL));
    OK(ptx_pool_trim(device, pool, 0));
    assert_int_equal(info_of(pool).reserved, 0);
    assert_int_equal(info_of(pool).reserved_high, 32 * MB);
    assert_int_equal(room(), before + 32 * MB);
    OK(ptx_pool_high_reset(device, pool));
    assert_int_equal(info_of(pool).reserved_high, 0);
    assert_int_equal(info_of(pool).used_high, 0);
}

CASE(pools_fall_to_their_threshold)
{
    ptx_address a;
    OK(ptx_stream_alloc(device, MB, 0, &a));
    OK(ptx_stream_free(device, a, 0));
    OK(ptx_stream_wait(device, 0, NULL));
    assert_int_equal(info_of(PTX_POOL_DEFAULT).reserved, 0);
    assert_int_equal(info_of(PTX_POOL_DEFAULT).used_high, MB);
}

CASE(pools_refuse)
{
    ptx_pool pool;
    ptx_address a, b;
    ptx_pool_info info = {sizeof info};
    INVALID(ptx_pool_create(NULL, 0, &pool));
    INVALID(ptx_pool_create(device, 0, NULL));
    INVALID(ptx_pool_destroy(device, PTX_POOL_DEFAULT));
    OK(ptx_pool_create(device, 2 * MB, &pool));
    INVALID(ptx_pool_alloc(device, pool, 0, 0, &a));
    INVALID(ptx_pool_alloc(device, pool, MB, 999, &a));
    INVALID(ptx_pool_alloc(device, pool + 1, MB, 0, &a));
    INVALID(ptx_pool_info_get(device, pool, NULL));
    OK(ptx_pool_alloc(device, pool, MB, 0, &a));
    assert_int_equal(ptx_pool_alloc(device, pool, MB + 1, 0, &b), PTX_ERROR_OUT_OF_MEMORY);
    ptx_memory_info memory = {sizeof memory};
    OK(ptx_memory_info_get(device, a + 100, &memory));
    assert_int_equal(memory.pool, pool);
    INVALID(ptx_pool_alloc(device, PTX_POOL_GRAPHS, MB, 0, &b)); /* it only counts */
    OK(ptx_pool_destroy(device, pool));                          /* its memory stays */
    OK(add(a, 3));
    assert_int_equal(word_at(a), 3);
    INVALID(ptx_pool_info_get(device, pool, &info));
    INVALID(ptx_pool_alloc(device, pool, 1, 0, &b));
    INVALID(ptx_pool_trim(device, pool, 0));
    INVALID(ptx_pool_destroy(device, pool));
    OK(ptx_stream_free(device, a, 0));
    OK(ptx_device_wait(device, NULL));
}

/* ---- memory of graphs ---- */

/* alloc, add 2 twice, copy out, free: the memory is zero at the start of each launch. */
CASE(graphs_allocate)
{
    ptx_graph graph;
    ptx_node alloc, first, second, out, freed;
    ptx_instance instance;
    ptx_address a = 0;
    uint32_t result = 0;
    OK(ptx_graph_create(device, &graph));
    const ptx_node_config make_it = {
        .struct_size = sizeof make_it, .kind = PTX_NODE_ALLOC, .bytes = 4096, .allocated = &a};
    OK(ptx_graph_add(device, graph, NULL, 0, &make_it, &alloc));
    assert_int_not_equal(a, 0);
    assert_int_equal(add(a, 1), PTX_ERROR_FAULT); /* none before its node */
    const struct adder arguments = {a, 2};
    const ptx_launch_config launch = launch_of(&arguments);
    const ptx_node_config run = {
        .struct_size = sizeof run, .kind = PTX_NODE_KERNEL, .kernel = kernel, .launch = &launch};
    OK(ptx_graph_add(device, graph, &alloc, 1, &run, &first));
    OK(ptx_graph_add(device, graph, &first, 1, &run, &second));
    const ptx_copy copy = {.struct_size = sizeof copy, .to.host = &result, .from.address = a, .width = 4};
    const ptx_node_config read = {.struct_size = sizeof read, .kind = PTX_NODE_COPY, .copy = &copy};
    OK(ptx_graph_add(device, graph, &second, 1, &read, &out));
    const ptx_node_config free_it = {.struct_size = sizeof free_it, .kind = PTX_NODE_FREE, .address = a};
    OK(ptx_graph_add(device, graph, &out, 1, &free_it, &freed));
    ptx_node_kind kind;
    OK(ptx_node_kind_get(device, alloc, &kind));
    assert_int_equal(kind, PTX_NODE_ALLOC);
    OK(ptx_node_kind_get(device, freed, &kind));
    assert_int_equal(kind, PTX_NODE_FREE);
    OK(ptx_graph_instantiate(device, graph, &instance));
    for (int i = 0; i < 3; i++) {
        result = 0;
        OK(ptx_instance_launch(device, instance, 0));
        OK(ptx_stream_wait(device, 0, NULL));
        assert_int_equal(result, 4);
        assert_int_equal(add(a, 1), PTX_ERROR_FAULT); /* none behind its end */
    }
    ptx_graph other;
    INVALID(ptx_node_set(device, alloc, &make_it));
    assert_int_equal(ptx_graph_clone(device, graph, &other), PTX_ERROR_UNSUPPORTED);
    OK(ptx_graph_create(device, &other));
    const ptx_node_config child = {.struct_size = sizeof child, .kind = PTX_NODE_CHILD, .child = graph};
    assert_int_equal(ptx_graph_add(device, other, NULL, 0, &child, &first), PTX_ERROR_UNSUPPORTED);
    /* The address is the graph's as long as the graph or an instance is. */
    const uint64_t before = room();
    OK(ptx_graph_destroy(device, graph));
    assert_int_equal(room(), before);
    OK(ptx_instance_destroy(device, instance));
    assert_int_equal(room(), before + 4096);
    INVALID(ptx_memory_free(device, a));
}

CASE(captured_allocations)
{
    ptx_stream s;
    ptx_address a, plain;
    ptx_graph graph;
    ptx_instance instance;
    uint32_t result = 0;
    OK(ptx_stream_create(device, NULL, &s));
    OK(ptx_memory_alloc(device, 64, &plain));
    OK(ptx_capture_begin(device, s));
    OK(ptx_stream_alloc(device, 256, s, &a));
    const struct adder arguments = {a, 6};
    const ptx_launch_config launch = launch_of(&arguments);
    const ptx_copy copy = {.struct_size = sizeof copy, .to.host = &result, .from.address = a, .width = 4};
    OK(ptx_kernel_submit(kernel, &launch, s, NULL));
    OK(ptx_stream_copy(device, &copy, s));
    INVALID(ptx_stream_free(device, plain, s)); /* not the graph's */
    OK(ptx_stream_free(device, a, s));
    OK(ptx_capture_end(device, s, &graph));
    OK(ptx_graph_instantiate(device, graph, &instance));
    for (int i = 0; i < 2; i++) {
        result = 0;
        OK(ptx_instance_launch(device, instance, s));
        OK(ptx_stream_wait(device, s, NULL));
        assert_int_equal(result, 6);
    }
}

/* What a graph does not free is for the stream to free, and a second launch before that is told. */
CASE(memory_that_outlives_a_launch)
{
    ptx_stream s;
    ptx_address a;
    ptx_graph graph;
    ptx_instance instance;
    ptx_fault fault = {sizeof fault};
    OK(ptx_stream_create(device, NULL, &s));
    OK(ptx_capture_begin(device, s));
    OK(ptx_stream_alloc(device, 256, s, &a));
    OK(ptx_capture_end(device, s, &graph));
    OK(ptx_graph_instantiate(device, graph, &instance));
    OK(ptx_instance_launch(device, instance, s));
    OK(ptx_stream_wait(device, s, NULL));
    OK(add(a, 8));
    OK(ptx_instance_launch(device, instance, s));
    assert_int_equal(ptx_stream_wait(device, s, &fault), PTX_ERROR_FAULT);
    assert_non_null(strstr(fault.message, "has not freed"));
    assert_int_equal(word_at(a), 8);
    OK(ptx_stream_free(device, a, s));
    OK(ptx_instance_launch(device, instance, s));
    OK(ptx_stream_wait(device, s, NULL));
    assert_int_equal(word_at(a), 0);
    /* In use when the last that owns it goes: it is then like memory of ptx_stream_alloc. */
    OK(add(a, 1));
    OK(ptx_graph_destroy(device, graph));
    OK(ptx_instance_destroy(device, instance));
    assert_int_equal(word_at(a), 1);
    assert_int_equal(info_of(PTX_POOL_DEFAULT).used, 256);
    OK(ptx_memory_free(device, a));
    assert_int_equal(info_of(PTX_POOL_DEFAULT).used, 0);
}

int main(void)
{
    return run_suite();
}
