/*
 * test_runtime.c - the device runtime, by kernels that nvcc made from
 * ptx/runtime.cu. Expected codes and orders are what an H200 answered (the
 * project's notes on the device runtime, section 11), the guide's rules, and
 * arithmetic; each test runs with 1, 2 and 8 workers.
 */
#include "api/fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"

struct text {
    char *at;
    size_t size;
};
static struct text second, first; /* PTX of the two generations */
static char output[4096];
static size_t output_size;

static int keep_output(void *user, const char *text, size_t size)
{
    (void)user;
    if (output_size + size < sizeof output) {
        memcpy(output + output_size, text, size);
        output_size += size;
        output[output_size] = 0;
    }
    return 0;
}

static void open_with(const struct text *text, unsigned workers)
{
    const ptx_device_config config = {.workers = workers, .output = keep_output, .timeout_ms = 60000};
    ptx_module *module;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_module_create(NULL, text->at, text->size, &module), PTX_OK);
    const ptx_module *modules[] = {module};
    if (ptx_program_create(device, modules, 1, NULL, &program) != PTX_OK)
        fail_msg("%s", ptx_device_message(device));
    ptx_module_destroy(module);
    output_size = 0;
    output[0] = 0;
}

static void get(void *to, ptx_address from, size_t size)
{
    assert_int_equal(ptx_memory_read(device, to, from, size), PTX_OK);
}

static ptx_status try(const char *name, unsigned grid, unsigned block, const void *params, size_t bytes,
                      ptx_fault *fault)
{
    ptx_kernel *kernel;
    const ptx_launch_config config = {sizeof config, {grid, 1, 1}, {block, 1, 1}, 0, params, bytes};
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    return ptx_kernel_launch(kernel, &config, fault);
}

static void run(const char *name, unsigned grid, unsigned block, const void *params, size_t bytes)
{
    ptx_fault fault = {sizeof fault};
    ptx_status status = try(name, grid, block, params, bytes, &fault);
    if (status == PTX_ERROR_FAULT || status == PTX_ERROR_DEADLOCK || status == PTX_ERROR_LIMIT)
        fail_msg("%s: %s: %s (%s:%u)\n%s", name, fault.name, fault.message, fault.file, fault.line,
                 fault.state);
    if (status != PTX_OK) fail_msg("%s: %s: %s", name, ptx_status_name(status), ptx_device_message(device));
}

/* The launch ends with a fault of this error. */
static void expect_fault(const char *name, unsigned grid, unsigned block, const void *params, size_t bytes,
                         ptx_fault *fault, int error)
{
    assert_int_equal(try(name, grid, block, params, bytes, fault), PTX_ERROR_FAULT);
    assert_int_equal(fault->cuda_error, error);
}

/* Runs a kernel that takes one pointer, and reads what it wrote there. */
static void run_into(const char *name, unsigned block, void *result, size_t size)
{
    ptx_address va = buffer(size);
    run(name, 1, block, &va, sizeof va);
    get(result, va, size);
}

/* The kernel writes these bytes. */
static void expect(const char *name, unsigned block, const void *expected, size_t size)
{
    char result[128];
    assert_in_range(size, 1, sizeof result);
    run_into(name, block, result, size);
    assert_memory_equal(result, expected, size);
}

static const unsigned worker_counts[] = {1, 2, 8};
#define FOR_WORKERS_OF(text)                                                                                 \
    for (size_t w_ = 0; w_ < 3 && (open_with(&(text), worker_counts[w_]), 1); w_++, close_device(NULL))
#define FOR_WORKERS FOR_WORKERS_OF(second)

static void read_variable(const char *name, void *to, size_t size)
{
    ptx_address va;
    uint64_t bytes;
    assert_int_equal(ptx_program_variable(program, name, &va, &bytes), PTX_OK);
    assert_int_equal(bytes, size);
    get(to, va, size);
}

/* ---- order ---- */

static int position(const int *order, int n, int what)
{
    for (int i = 0; i < n; i++)
        if (order[i] == what) return i;
    fail_msg("%d did not happen", what);
    return -1;
}

TEST(children_before_tails)
{
    FOR_WORKERS
    {
        int order[64], events;
        run("launch_order", 1, 1, NULL, 0);
        read_variable("order", order, sizeof order);
        read_variable("events", &events, sizeof events);
        assert_int_equal(events, 6);
        assert_true(position(order, 6, 10) < position(order, 6, 11));
        assert_int_equal(order[4], 30);
        assert_int_equal(order[5], 31);
        position(order, 6, 20);
        position(order, 6, 1);
    }
}

TEST(tails_of_a_tail_before_the_next)
{
    static const int expected[] = {10, 40, 41, 50, 51};
    FOR_WORKERS
    {
        int order[64];
        run("tails_of_tails", 1, 1, NULL, 0);
        read_variable("order", order, sizeof order);
        assert_memory_equal(order, expected, sizeof expected);
    }
}

/* ---- nesting ---- */

struct nest {
    ptx_address deepest, errors;
    int limit;
};

TEST(nesting_to_the_limit)
{
    FOR_WORKERS
    {
        int deepest = 0, error = 0;
        struct nest p = {buffer(4), buffer(4), 64};
        run("nest", 1, 1, &p, sizeof p);
        get(&deepest, p.deepest, 4);
        get(&error, p.errors, 4);
        assert_int_equal(deepest, 64);
        assert_int_equal(error, 0);
        p.limit = 70;
        run("nest", 1, 1, &p, sizeof p);
        get(&deepest, p.deepest, 4);
        get(&error, p.errors, 4);
        assert_int_equal(deepest, 64);
        assert_int_equal(error, 65);
    }
}

TEST(trees_of_launches)
{
    FOR_WORKERS
    {
        struct {
            ptx_address sum;
            int width, depth;
        } p = {buffer(8), 3, 2};
        uint64_t sum;
        ptx_progress progress = {sizeof progress};
        run("tree", 1, 1, &p, sizeof p);
        get(&sum, p.sum, 8);
        /* 3 blocks; 3*32... : level 2 has 3 threads, each launches 3 blocks of 32 threads, each of those the
         * same */
        assert_int_equal(sum, 3ull * (3 * 32) * (3 * 32));
        ptx_device_progress(device, &progress);
        assert_int_equal(progress.grids_total, 1 + 1 + 3 + 3 * 3 * 32);
        assert_int_equal(progress.grids_done, progress.grids_total);
        assert_int_equal(progress.ctas_done, progress.ctas_total);
        assert_int_equal(progress.max_depth, 3);
    }
}

TEST(more_launches_than_may_be_pending)
{
    FOR_WORKERS
    {
        struct {
            ptx_address sum;
            int n;
        } p = {buffer(8), 5000};
        uint64_t sum;
        run("flood", 1, 1, &p, sizeof p);
        get(&sum, p.sum, 8);
        assert_int_equal(sum, 5000);
        run("flood_wide", 20, 256, &p, sizeof p.sum);
        get(&sum, p.sum, 8);
        assert_int_equal(sum, 5000 + 20 * 256 * 64);
    }
}

TEST(parameters_arrive)
{
    static const long long expected[] = {-6, -7, -8, -9, -10, -11, 1, 2, 543, 321, 7654, 1};
    FOR_WORKERS expect("give", 1, expected, sizeof expected);
}

/* ---- errors ---- */

TEST(shapes_that_cannot_be)
{
    static const int expected[] = {9, 9, 9, 9, 0, 0, 9, 9, 0};
    FOR_WORKERS expect("bad_shapes", 1, expected, sizeof expected);
}

TEST(the_last_error_is_the_threads)
{
    static const int expected[] = {0, 9, 0, 0};
    FOR_WORKERS expect("error_of_thread", 4, expected, sizeof expected);
}

TEST(slots_run_out)
{
    FOR_WORKERS
    {
        struct {
            ptx_address result;
            int n;
        } p = {buffer(8), 3000};
        int result[2];
        run("many_tails", 1, 1, &p, sizeof p);
        get(result, p.result, sizeof result);
        assert_int_equal(result[0], 2046);
        assert_int_equal(result[1], 69);
        p.n = 5000;
        run("many_events", 1, 1, &p, sizeof p);
        get(result, p.result, sizeof result);
        assert_int_equal(result[0], 4096);
        assert_int_equal(result[1], 2);
        run("many_events", 1, 1, &p, sizeof p); /* they went with their grid */
        get(result, p.result, sizeof result);
        assert_int_equal(result[0], 4096);
    }
}

TEST(streams_and_events)
{
    static const int expected[] = {0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0};
    FOR_WORKERS
    {
        int error[11], data[2];
        run_into("streams_and_events", 1, error, sizeof error);
        assert_memory_equal(error, expected, sizeof expected);
        run_into("event_orders_streams", 1, data, sizeof data);
        assert_int_equal(data[0], 77);
        assert_int_equal(data[1], 77);
    }
}

/* ---- memory ---- */

TEST(copies_and_fills)
{
    static const int expected[] = {1, 1, 21, 0, 1, 0, 0, 0};
    FOR_WORKERS
    {
        int from[24], to[24], error[8];
        for (int i = 0; i < 24; i++) from[i] = i + 100;
        struct {
            ptx_address to, from, error;
        } p = {buffer(96), buffer(96), buffer(32)};
        ptx_memory_write(device, p.from, from, sizeof from);
        run("copies", 1, 1, &p, sizeof p);
        get(to, p.to, sizeof to);
        get(error, p.error, sizeof error);
        assert_memory_equal(error, expected, sizeof expected);
        for (int i = 0; i < 16; i++) assert_int_equal(to[i], i >= 4 && i < 10 ? 0x7f7f7f7f : i + 100);
        assert_int_equal(to[16], 0);
        ptx_memory_fill(device, p.to, 0, sizeof to);
        run("copy_2d", 1, 1, &p, 16);
        get(to, p.to, sizeof to);
        for (int i = 0; i < 24; i++)
            assert_int_equal(to[i], i % 4 < 2 && i < 12 ? 100 + i / 4 * 8 + i % 4 : 0);
    }
}

TEST(a_bad_copy_is_a_fault)
{
    FOR_WORKERS
    {
        ptx_fault fault = {sizeof fault};
        ptx_address va = buffer(64);
        expect_fault("bad_copy", 1, 1, &va, sizeof va, &fault, 700);
        assert_string_equal(fault.launched_by, "copy <- bad_copy <- host");
    }
}

TEST(heap_by_calls)
{
    static const int expected[] = {1, 2, 1, 0, 1, 0, 0};
    FOR_WORKERS expect("heap_calls", 1, expected, sizeof expected);
}

TEST(heap_by_threads)
{
    FOR_WORKERS
    {
        struct {
            ptx_address sums;
            int n;
        } p = {buffer(8 * 64 * 4), 40};
        uint32_t sums[8 * 64];
        run("lists", 8, 64, &p, sizeof p);
        get(sums, p.sums, sizeof sums);
        for (unsigned i = 0; i < 8 * 64; i++) assert_int_equal(sums[i], 40 * 39 / 2 * (i % 64 + 1));
    }
}

TEST(heap_faults)
{
    FOR_WORKERS
    {
        ptx_fault fault = {sizeof fault};
        int index = 20;
        ptx_address va = buffer(4);
        expect_fault("free_twice", 1, 1, &va, sizeof va, &fault, 719);
        ptx_memory_write(device, va, &index, 4);
        expect_fault("past_heap_block", 1, 1, &va, sizeof va, &fault, 700);
        index = 19;
        ptx_memory_write(device, va, &index, 4);
        run("past_heap_block", 1, 1, &va, sizeof va);
    }
}

/* ---- queries, output ---- */

TEST(answers)
{
    static const long long expected[29] = {1, 0,    1024, 0,    9, 101,      0, 6000,    0,   1,
                                           0, 0,    0,    1024, 0, 8650752,  0, 8388608, 215, 12345,
                                           0, 2048, 0,    64,   0, 11796480, 1, 1,       'u'};
    FOR_WORKERS
    {
        long long out[29];
        run_into("queries", 1, out, sizeof out);
        for (int i = 0; i < 29; i++)
            if (out[i] != expected[i]) fail_msg("answer %d is %lld, not %lld", i, out[i], expected[i]);
    }
}

TEST(printf_formats)
{
    static const int expected[] = {0, 2, 7, 6, 6, 2};
    FOR_WORKERS
    {
        int result[6];
        run_into("prints", 1, result, sizeof result);
        assert_string_equal(output, "plain\n"
                                    "-5 text\n"
                                    "a    42|42   |00042 ff 123456789abcdef end\n"
                                    "1.500000 1.235e+04 0.5 % 4000000000 -1234567890123 -2\n"
                                    "     7|3.14|+8|0xff| 9\n"
                                    "0x1234 (null)\n");
        assert_memory_equal(result, expected, sizeof expected);
    }
}

TEST(assertions)
{
    FOR_WORKERS
    {
        ptx_fault fault = {sizeof fault};
        int data[4] = {0, 0, 1, 1};
        ptx_address va = buffer(16);
        ptx_memory_write(device, va, data, 16);
        expect_fault("asserts", 1, 4, &va, sizeof va, &fault, 710);
        assert_string_equal(fault.name, "CUDA_ERROR_ASSERT");
        assert_int_equal(fault.thread[0], 2);
        assert_non_null(
            strstr(output, ": block: [0,0,0], thread: [2,0,0] Assertion `data[threadIdx.x] == 0` failed.\n"));
        assert_non_null(
            strstr(output, ": block: [0,0,0], thread: [3,0,0] Assertion `data[threadIdx.x] == 0` failed.\n"));
        assert_null(strstr(output, "thread: [1,0,0]"));
        assert_non_null(strstr(output, "runtime.cu:"));
        ptx_memory_fill(device, va, 0, 16);
        run("asserts", 1, 4, &va, sizeof va);
    }
}

/* ---- faults of children ---- */

TEST(faults_of_children)
{
    FOR_WORKERS
    {
        ptx_fault fault = {sizeof fault};
        ptx_address va = buffer(4);
        expect_fault("child_stores_null", 1, 1, &va, sizeof va, &fault, 700);
        assert_int_equal(fault.address, 0);
        assert_string_equal(fault.launched_by, "_Z10store_nullPi <- child_stores_null <- host");
        assert_string_equal(fault.kernel, "_Z10store_nullPi");
        assert_non_null(strstr(fault.source, "runtime.cu:"));
        expect_fault("child_follows_shared", 1, 1, NULL, 0, &fault, 700);
        /* The parent's block has ended, so its window may be that of the child's block by now. */
        assert_non_null(strstr(fault.allocation, "byte 0 of "));
        assert_non_null(strstr(fault.allocation, "block's shared memory"));
        run("tails_of_tails", 1, 1, NULL, 0); /* the device works on */
    }
}

TEST(a_fault_two_levels_down)
{
    FOR_WORKERS
    {
        ptx_fault fault = {sizeof fault};
        expect_fault("child_of_child_traps", 1, 1, NULL, 0, &fault, 700);
        const char *chain = strstr(fault.launched_by, "child_stores_null <- child_of_child_traps <- host");
        assert_non_null(chain);
    }
}

/* ---- the first generation ---- */

TEST(blocks_wait_for_their_children)
{
    FOR_WORKERS_OF(first)
    {
        int cells[4], seen[4 * 64];
        struct {
            ptx_address cells, seen;
        } p = {buffer(sizeof cells), buffer(sizeof seen)};
        run("wait_for_children", 4, 64, &p, sizeof p);
        get(cells, p.cells, sizeof cells);
        get(seen, p.seen, sizeof seen);
        for (int i = 0; i < 4; i++) assert_int_equal(cells[i], 64 * (0 + 1 + 2 + 3 + 4));
        for (int i = 0; i < 4 * 64; i++) assert_int_equal(seen[i], 640);
    }
}

TEST(only_the_lane_that_waits_waits)
{
    FOR_WORKERS_OF(first)
    {
        int result[32];
        struct {
            ptx_address flag, result;
        } p = {buffer(4), buffer(sizeof result)};
        run("others_run_on", 1, 32, &p, sizeof p);
        get(result, p.result, sizeof result);
        for (int i = 0; i < 32; i++) assert_int_equal(result[i], i ? 7 : 0);
    }
}

TEST(depths_of_the_first_generation)
{
    static const int expected[] = {0, 0, 68, 68};
    FOR_WORKERS_OF(first)
    {
        struct {
            ptx_address error;
            int last;
        } p = {buffer(16), 3};
        int error[4], deepest[2], streams[3];
        run("sync_depth", 1, 1, &p, sizeof p);
        get(error, p.error, sizeof error);
        assert_memory_equal(error, expected, sizeof expected);
        run_into("depth_limit", 1, deepest, sizeof deepest);
        assert_int_equal(deepest[0], 24);
        assert_int_equal(deepest[1], 65);
        run_into("second_generation_streams", 1, streams, sizeof streams);
        assert_int_equal(streams[0], 1);
        assert_int_equal(streams[1], 1);
        assert_int_equal(streams[2], 0);
    }
}

TEST(null_stream_of_a_block)
{
    FOR_WORKERS_OF(first)
    {
        int flag = 0;
        ptx_address va = buffer(4);
        run("null_stream_is_the_blocks", 2, 1, &va, sizeof va);
        get(&flag, va, 4);
        assert_int_equal(flag, 1);
    }
}

TEST(crowds_and_trees)
{
    FOR_WORKERS_OF(first)
    {
        int sum, tree[2];
        ptx_address va = buffer(4);
        run("crowd", 40, 32, &va, sizeof va); /* 25600 launches, 2048 at a time */
        get(&sum, va, 4);
        assert_int_equal(sum, 40 * 32 * (20 + 1000));
        run_into("wide_tree", 1, tree, sizeof tree);
        assert_int_equal(tree[0], 3 * 4 * 3 * 4 * 3 * 4);
        assert_int_equal(tree[1], tree[0]);
    }
}

static bool read_text(const char *path, struct text *text)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read; run from the top of the source tree\n", path);
        return false;
    }
    text->at = malloc(1 << 20);
    text->size = fread(text->at, 1, 1 << 20, file);
    fclose(file);
    return text->size > 0 && text->size < 1 << 20;
}

int main(void)
{
    if (!read_text("tests/api/ptx/runtime.ptx", &second) || !read_text("tests/api/ptx/first.ptx", &first))
        return 1;
    int failed = run_suite();
    free(second.at);
    free(first.at);
    return failed;
}
