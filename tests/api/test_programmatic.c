/*
 * test_programmatic.c - launches that overlap with the one before (griddepcontrol), priorities and refusals
 * of single launches. A first kernel that polls a flag which only the second one sets ends only if they
 * overlap; what is expected else is what the PTX manual says of griddepcontrol.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "suite.h"

/* Words of the buffer. */
enum { FLAG, RESULT, SEEN, TICKET, TICKETS, WORDS = 64, MANY = 16, BLOCKS = 300, ANSWER = 42 };

#define HEAD " .reg .u64 %p, %q; .reg .u32 %x, %y, %n; .reg .pred %t; ld.param.u64 %p, [p];\n"

static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* lets the next one begin, polls the flag, then writes the answer into every block's word */
    ".visible .entry first(.param .u64 p) {\n" HEAD " griddepcontrol.launch_dependents;\n"
    "$poll: ld.acquire.gpu.u32 %x, [%p]; setp.eq.u32 %t, %x, 0; @%t bra $poll;\n"
    " mov.u32 %x, %ctaid.x; mad.wide.u32 %q, %x, 4, %p; st.global.u32 [%q+64], 42; ret; }\n"
    /* sets the flag, waits, reads the word of the first one's block 1 */
    ".visible .entry second(.param .u64 p) {\n" HEAD " st.release.gpu.u32 [%p], 1; griddepcontrol.wait;\n"
    " ld.global.u32 %x, [%p+68]; st.global.u32 [%p+4], %x; ret; }\n"
    /* half of a warp waits, half goes on to a barrier of the block */
    ".visible .entry split(.param .u64 p) {\n" HEAD " mov.u32 %y, %tid.x; setp.gt.u32 %t, %y, 15;\n"
    " st.release.gpu.u32 [%p], 1; @%t griddepcontrol.wait; bar.sync 0;\n"
    " ld.global.u32 %x, [%p+68]; st.global.u32 [%p+4], %x; ret; }\n"
    /* sets the flag and ends */
    ".visible .entry flag(.param .u64 p) {\n" HEAD " st.release.gpu.u32 [%p], 1; ret; }\n"
    /* lets the next one begin, waits, writes what it finds */
    ".visible .entry middle(.param .u64 p) {\n" HEAD
    " griddepcontrol.launch_dependents; griddepcontrol.wait; ld.global.u32 %x, [%p+68]; st.global.u32 "
    "[%p+8], %x; ret; }\n"
    /* sets the flag, waits, adds what the two before it have written */
    ".visible .entry third(.param .u64 p) {\n" HEAD " st.release.gpu.u32 [%p], 1; griddepcontrol.wait;\n"
    " ld.global.u32 %x, [%p+68]; ld.global.u32 %y, [%p+8]; add.u32 %x, %x, %y; st.global.u32 [%p+4], %x; "
    "ret; }\n"
    /* odd blocks let the next one begin at once, even ones by ending; each thread counts itself late */
    ".visible .entry many(.param .u64 p) {\n" HEAD
    " mov.u32 %x, %ctaid.x; and.b32 %x, %x, 1; setp.ne.u32 %t, %x, 0;\n"
    " @%t griddepcontrol.launch_dependents; mov.u32 %n, 3000;\n"
    "$l: sub.u32 %n, %n, 1; setp.ne.u32 %t, %n, 0; @%t bra $l;\n"
    " red.global.add.u32 [%p+64], 1; ret; }\n"
    /* block 0 lets nobody begin, and looks at the flag late */
    ".visible .entry holds(.param .u64 p) {\n" HEAD " mov.u32 %x, %ctaid.x; setp.ne.u32 %t, %x, 0;\n"
    " @%t griddepcontrol.launch_dependents; @%t ret; mov.u32 %n, 200000;\n"
    "$l: sub.u32 %n, %n, 1; setp.ne.u32 %t, %n, 0; @%t bra $l;\n"
    " ld.acquire.gpu.u32 %y, [%p]; st.global.u32 [%p+8], %y; ret; }\n"
    ".visible .entry counted(.param .u64 p) {\n" HEAD " st.release.gpu.u32 [%p], 1; griddepcontrol.wait;\n"
    " ld.global.u32 %x, [%p+64]; st.global.u32 [%p+4], %x; ret; }\n"
    /* the same as first, but writes to no memory */
    ".visible .entry faulty(.param .u64 p) {\n" HEAD " griddepcontrol.launch_dependents;\n"
    "$poll: ld.acquire.gpu.u32 %x, [%p]; setp.eq.u32 %t, %x, 0; @%t bra $poll;\n"
    " mov.u64 %q, 16; st.global.u32 [%q], %x; ret; }\n"
    /* sets the flag, then writes to no memory */
    ".visible .entry bad(.param .u64 p) {\n" HEAD
    " st.release.gpu.u32 [%p], 1; mov.u64 %q, 16; st.global.u32 [%q], 1; ret; }\n"
    /* takes a number */
    ".visible .entry ticket(.param .u64 p, .param .u32 at) {\n" HEAD " ld.param.u32 %y, [at];\n"
    " atom.global.add.u32 %x, [%p+12], 1; mad.wide.u32 %q, %y, 4, %p; st.global.u32 [%q+16], %x; ret; }\n";

static ptx_stream stream;
static ptx_address words;

static void begin(const ptx_device_config *as)
{
    ptx_device_config config = *as;
    config.struct_size = sizeof config;
    config.memory_bytes = 1 << 24;
    open_program(&config, text);
    assert_int_equal(ptx_stream_create(device, NULL, &stream), PTX_OK);
    words = buffer(WORDS * 4);
}

static void clear(void)
{
    assert_int_equal(ptx_memory_fill(device, words, 0, WORDS * 4), PTX_OK);
}

static uint32_t word(unsigned i)
{
    return word_at(words + 4 * i);
}

static ptx_launch_config shape(unsigned blocks, unsigned threads, unsigned flags)
{
    ptx_launch_config c = launch_shape(blocks, threads, &words, sizeof words);
    c.flags = flags;
    return c;
}

static ptx_launch submit(const char *name, unsigned blocks, unsigned flags)
{
    const ptx_launch_config c = shape(blocks, 64, flags);
    ptx_launch launch;
    assert_int_equal(ptx_kernel_submit(kernel_named(name), &c, stream, &launch), PTX_OK);
    return launch;
}

static void wait_ok(void)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    const ptx_status status = ptx_stream_wait(device, stream, &fault);
    if (status != PTX_OK && fault.message) print_message("%s\n%s\n", fault.message, fault.state);
    assert_int_equal(status, PTX_OK);
}

/* The devices that every test is run on. */
static const ptx_device_config devices[] = {{.workers = 1, .timeout_ms = 60000},
                                            {.workers = 2, .timeout_ms = 60000},
                                            {.workers = 3, .timeout_ms = 60000},
                                            {.workers = 1, .deterministic = 1, .timeout_ms = 60000}};

static void on_each(void (*test)(void))
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        begin(&devices[i]);
        clear();
        test();
        close_program(NULL);
    }
}

#define TEST_ON_EACH(name)                                                                                   \
    static void name##_on_one(void);                                                                         \
    TEST(name)                                                                                               \
    {                                                                                                        \
        on_each(name##_on_one);                                                                              \
    }                                                                                                        \
    static void name##_on_one(void)

/* ---- what overlaps ---- */

static void first_and(const char *second)
{
    submit("first", 4, 0);
    submit(second, 3, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(RESULT), ANSWER);
}

TEST_ON_EACH(overlap)
{
    first_and("second");
}

TEST_ON_EACH(no_overlap_without_the_attribute)
{
    ptx_launch_config c = shape(4, 64, 0);
    ptx_fault fault = {.struct_size = sizeof fault};
    c.max_steps = 100000;
    assert_int_equal(ptx_kernel_submit(kernel_named("first"), &c, stream, NULL), PTX_OK);
    submit("second", 3, 0);
    assert_int_equal(ptx_stream_wait(device, stream, &fault), PTX_ERROR_LIMIT);
    assert_string_equal(fault.kernel, "first");
    assert_int_equal(word(RESULT), 0); /* the second came after */
    assert_int_equal(word(FLAG), 1);
}

TEST_ON_EACH(some_lanes_wait)
{
    first_and("split");
}

/* The third begins while both others run, and waits for both. */
TEST_ON_EACH(chain)
{
    submit("first", 4, 0);
    submit("middle", 2, PTX_LAUNCH_PROGRAMMATIC);
    submit("third", 1, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(SEEN), ANSWER);
    assert_int_equal(word(RESULT), 2 * ANSWER);
}

/* The second ends long before the first: who comes after the second comes after both. */
TEST_ON_EACH(order_of_what_follows)
{
    uint32_t got = 0;
    const ptx_copy copy = {.struct_size = sizeof copy,
                           .to = {.host = &got},
                           .from = {.address = words + 4 * MANY + 4},
                           .width = 4};
    submit("first", 4, 0);
    const ptx_launch second = submit("flag", 1, PTX_LAUNCH_PROGRAMMATIC);
    assert_int_equal(ptx_stream_copy(device, &copy, stream), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, second, NULL), PTX_OK);
    assert_int_equal(word(MANY + 1), ANSWER); /* the first is done */
    wait_ok();
    assert_int_equal(got, ANSWER);
}

TEST_ON_EACH(wait_sees_all)
{
    submit("many", BLOCKS, 0);
    submit("counted", 1, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(RESULT), BLOCKS * 64);
}

/* One block that lets nobody begin keeps the second back until it ends. */
TEST_ON_EACH(every_block_counts)
{
    submit("holds", 5, 0);
    submit("second", 1, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(SEEN), 0);
    assert_int_equal(word(FLAG), 1);
}

/* Behind a copy, an event or nothing the attribute changes nothing; by itself neither do the instructions. */
TEST_ON_EACH(nothing_to_overlap_with)
{
    const ptx_fill fill = {
        .struct_size = sizeof fill, .to = words + 68, .width = 1, .value = 7, .element = 4};
    const ptx_launch_config c = shape(2, 32, 0);
    submit("second", 1, PTX_LAUNCH_PROGRAMMATIC);
    assert_int_equal(ptx_stream_fill(device, &fill, stream), PTX_OK);
    submit("second", 2, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(RESULT), 7);
    assert_int_equal(ptx_kernel_launch(kernel_named("middle"), &c, NULL), PTX_OK);
    assert_int_equal(word(SEEN), 7);
}

TEST_ON_EACH(graphs)
{
    ptx_graph graph;
    ptx_instance instance;
    ptx_node nodes[2];
    const ptx_launch_config a = shape(4, 64, 0), b = shape(3, 64, PTX_LAUNCH_PROGRAMMATIC);
    const ptx_node_config first = {
        .struct_size = sizeof first, .kind = PTX_NODE_KERNEL, .kernel = kernel_named("first"), .launch = &a};
    const ptx_node_config second = {.struct_size = sizeof second,
                                    .kind = PTX_NODE_KERNEL,
                                    .kernel = kernel_named("second"),
                                    .launch = &b};
    for (int captured = 0; captured < 2; captured++) {
        if (captured) {
            assert_int_equal(ptx_capture_begin(device, stream), PTX_OK);
            assert_int_equal(ptx_kernel_submit(first.kernel, &a, stream, NULL), PTX_OK);
            assert_int_equal(ptx_kernel_submit(second.kernel, &b, stream, NULL), PTX_OK);
            assert_int_equal(ptx_capture_end(device, stream, &graph), PTX_OK);
        } else {
            assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
            assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &first, &nodes[0]), PTX_OK);
            assert_int_equal(ptx_graph_add(device, graph, nodes, 1, &second, &nodes[1]), PTX_OK);
        }
        assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
        for (int i = 0; i < 3; i++) {
            clear();
            assert_int_equal(ptx_instance_launch(device, instance, stream), PTX_OK);
            wait_ok();
            assert_int_equal(word(RESULT), ANSWER);
        }
        assert_int_equal(ptx_instance_destroy(device, instance), PTX_OK);
        assert_int_equal(ptx_graph_destroy(device, graph), PTX_OK);
    }
}

/* More than the queue holds, each overlapping with the one before. */
TEST_ON_EACH(long_chains)
{
    for (int i = 0; i < 3000; i++) submit("middle", 1, PTX_LAUNCH_PROGRAMMATIC);
    wait_ok();
    assert_int_equal(word(SEEN), 0);
}

/* ---- what fails ---- */

TEST_ON_EACH(fault_before)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    submit("faulty", 2, 0);
    const ptx_launch second = submit("second", 1, PTX_LAUNCH_PROGRAMMATIC);
    assert_int_equal(ptx_stream_wait(device, stream, &fault), PTX_ERROR_FAULT);
    assert_string_equal(fault.kernel, "faulty");
    assert_int_equal(ptx_launch_query(device, second), PTX_OK);
    assert_int_equal(word(FLAG), 1);
}

TEST_ON_EACH(fault_behind)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    submit("first", 4, 0);
    submit("bad", 1, PTX_LAUNCH_PROGRAMMATIC);
    const ptx_launch third = submit("middle", 1, PTX_LAUNCH_PROGRAMMATIC);
    assert_int_equal(ptx_stream_wait(device, stream, &fault), PTX_ERROR_FAULT);
    assert_string_equal(fault.kernel, "bad");
    assert_int_equal(word(MANY), ANSWER); /* the first was not stopped */
    assert_int_equal(ptx_launch_query(device, third), PTX_OK);
    assert_int_equal(word(SEEN), ANSWER);
}

TEST(sticky_fault)
{
    for (unsigned workers = 1; workers < 3; workers++) {
        begin(&(ptx_device_config){.workers = workers, .sticky = 1, .timeout_ms = 60000});
        clear();
        submit("faulty", 2, 0);
        const ptx_launch second = submit("second", 1, PTX_LAUNCH_PROGRAMMATIC);
        assert_int_equal(ptx_stream_wait(device, stream, NULL), PTX_ERROR_FAULT);
        assert_int_not_equal(ptx_launch_query(device, second), PTX_OK);
        close_program(NULL);
    }
}

/* One that waits can be cancelled, and its report says what it waits for. */
TEST_ON_EACH(cancel)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    submit("first", 2, 0);
    const ptx_launch second = submit("middle", 1, PTX_LAUNCH_PROGRAMMATIC);
    for (int i = 0; i < 20; i++) assert_int_equal(ptx_launch_query(device, second), PTX_ERROR_NOT_READY);
    assert_int_equal(ptx_launch_cancel(device, second), PTX_OK);
    for (int i = 0; i < 20; i++) assert_int_equal(ptx_launch_query(device, second), PTX_ERROR_NOT_READY);
    assert_int_equal(ptx_memory_write(device, words, &(uint32_t){1}, 4), PTX_OK); /* the first may end */
    assert_int_equal(ptx_launch_wait(device, second, &fault), PTX_ERROR_INTERRUPTED);
    assert_int_equal(word(MANY + 1), ANSWER);
    assert_int_equal(word(SEEN), 0);
    wait_ok();
}

/* A device that goes while both are under way. */
TEST_ON_EACH(destroy)
{
    submit("first", 2, 0);
    submit("middle", 3, PTX_LAUNCH_PROGRAMMATIC);
    submit("middle", 3, PTX_LAUNCH_PROGRAMMATIC);
    (void)ptx_stream_query(device, stream);
}

/* ---- single launches ---- */

/* Of what is there at once the highest priority goes first, the launch's before the stream's. */
TEST(priority)
{
    ptx_stream high;
    struct {
        ptx_address p;
        uint32_t at;
    } params;
    for (int own = 0; own < 2; own++) {
        begin(&(ptx_device_config){.workers = 1, .deterministic = 1});
        clear();
        params.p = words;
        assert_int_equal(
            ptx_stream_create(
                device, &(ptx_stream_config){sizeof(ptx_stream_config), PTX_STREAM_NONBLOCKING, -5}, &high),
            PTX_OK);
        ptx_launch_config c = shape(1, 1, own ? PTX_LAUNCH_PRIORITY : 0);
        c.params = &params;
        c.param_bytes = sizeof params;
        params.at = 0;
        c.priority = 0;
        assert_int_equal(ptx_kernel_submit(kernel_named("ticket"), &c, high, NULL), PTX_OK);
        params.at = 1;
        c.priority = -3;
        assert_int_equal(ptx_kernel_submit(kernel_named("ticket"), &c, stream, NULL), PTX_OK);
        assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
        assert_int_equal(word(TICKETS), own);
        assert_int_equal(word(TICKETS + 1), !own);
        close_program(NULL);
    }
}

TEST(refusals)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    begin(&devices[1]);
    ptx_launch_config c = shape(1000000, 1024, 0);
    c.cooperative = 1;
    c.refused = &fault;
    assert_int_equal(ptx_kernel_submit(kernel_named("second"), &c, stream, NULL), PTX_ERROR_LAUNCH);
    assert_int_equal(fault.cuda_error, 720);
    assert_string_equal(fault.name, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    assert_string_equal(fault.kernel, "second");
    ptx_fault same = {.struct_size = sizeof same};
    assert_int_equal(ptx_kernel_launch(kernel_named("second"), &c, &same), PTX_ERROR_LAUNCH);
    assert_int_equal(same.cuda_error, 720);
    c.refused = NULL;
    assert_int_equal(ptx_kernel_submit(kernel_named("second"), &c, stream, NULL), PTX_ERROR_LAUNCH);
    fault.struct_size = 1; /* no ptx_fault is so short */
    c.refused = &fault;
    assert_int_equal(ptx_kernel_submit(kernel_named("second"), &c, stream, NULL), PTX_ERROR_INVALID_ARGUMENT);
    c = shape(1, 1, 4);
    assert_int_equal(ptx_kernel_submit(kernel_named("second"), &c, stream, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_launch(kernel_named("second"), &c, NULL), PTX_ERROR_INVALID_ARGUMENT);
    c = shape(2, 1, 0);
    c.cluster[0] = c.cluster[1] = c.cluster[2] = 1;
    assert_int_equal(ptx_kernel_launch(kernel_named("second"), &c, NULL), PTX_OK);
    close_program(NULL);
}

int main(void)
{
    return run_suite();
}
