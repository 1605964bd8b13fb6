/*
 * test_streams.c - submitted work: streams, events, launches, copies, host
 * functions, memory in stream order, and many threads on one device. What is
 * expected is what include/ptx_stream.h and include/ptx_memory.h promise.
 */
#include "api/fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ptx_memory.h"
#include "ptx_stream.h"
#include "suite.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* x = 2 * x + add, after `spins` rounds */
    ".visible .entry step(.param .u64 p, .param .u32 add, .param .u32 spins) {\n"
    " .reg .u64 %a; .reg .u32 %x, %y, %n; .reg .pred %q;\n"
    " ld.param.u64 %a, [p]; ld.param.u32 %y, [add]; ld.param.u32 %n, [spins];\n"
    "L: setp.eq.u32 %q, %n, 0; @%q bra E; sub.u32 %n, %n, 1; bra L;\n"
    "E: ld.volatile.global.u32 %x, [%a]; mad.lo.u32 %x, %x, 2, %y; st.volatile.global.u32 [%a], %x; ret; }\n"
    /* until the word is not zero */
    ".visible .entry wait_for(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x; .reg .pred %q; ld.param.u64 %a, [p];\n"
    "L: ld.volatile.global.u32 %x, [%a]; setp.eq.u32 %q, %x, 0; @%q bra L; ret; }\n"
    ".visible .entry fault() { .reg .u64 %a; .reg .u32 %x; mov.u64 %a, 8; ld.global.u32 %x, [%a];\n"
    " st.global.u32 [%a], %x; ret; }\n"
    ".visible .entry add_one(.param .u64 p) { .reg .u64 %a; .reg .u32 %x; ld.param.u64 %a, [p];\n"
    " atom.global.add.u32 %x, [%a], 1; ret; }\n"
    /* a barrier for more threads than there are */
    ".visible .entry half(.param .u64 p) { bar.sync 0, 128; ret; }\n"
    ".visible .entry empty() { ret; }\n";

static void open_with(ptx_device_config config)
{
    config.struct_size = sizeof config;
    if (!config.memory_bytes) config.memory_bytes = 64 << 20;
    if (!config.timeout_ms) config.timeout_ms = 60000;
    open_program(&config, text);
}

struct step {
    ptx_address p;
    uint32_t add, spins;
};

static ptx_launch_config shape(unsigned grid, const void *params, size_t bytes)
{
    return launch_shape(grid, 1, params, bytes);
}

static void submit_step(ptx_stream stream, ptx_address p, uint32_t add, uint32_t spins)
{
    const struct step s = {p, add, spins};
    const ptx_launch_config config = shape(1, &s, sizeof s);
    assert_int_equal(ptx_kernel_submit(kernel_named("step"), &config, stream, NULL), PTX_OK);
}

static ptx_launch submit(const char *name, ptx_address p, ptx_stream stream)
{
    const ptx_launch_config config = shape(1, &p, sizeof p);
    ptx_launch launch;
    assert_int_equal(ptx_kernel_submit(kernel_named(name), &config, stream, &launch), PTX_OK);
    return launch;
}

static ptx_stream new_stream(unsigned flags)
{
    const ptx_stream_config config = {sizeof config, flags, 0};
    ptx_stream stream;
    assert_int_equal(ptx_stream_create(device, &config, &stream), PTX_OK);
    return stream;
}

static void set_word(ptx_address va, uint32_t word)
{
    assert_int_equal(ptx_memory_write(device, va, &word, 4), PTX_OK);
}

static const unsigned worker_counts[] = {1, 2, 8};

/* ---- order ---- */

/* x -> 2x+1, 2x, 2x+1, ... gives bits in the order in which the steps ran. */
TEST(a_stream_keeps_its_order)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        const ptx_address p = buffer(4);
        const ptx_stream s = new_stream(0);
        uint32_t expected = 0;
        for (uint32_t k = 0; k < 31; k++) {
            submit_step(s, p, k % 3 == 0, (31 - k) * 50);
            expected = 2 * expected + (k % 3 == 0);
        }
        assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_OK);
        assert_int_equal(word_at(p), expected);
        assert_int_equal(ptx_stream_query(device, s), PTX_OK);
        close_device(NULL);
    }
}

TEST(deterministic_devices_run_what_is_asked_for)
{
    open_with((ptx_device_config){.deterministic = 1});
    const ptx_address p = buffer(4);
    const ptx_stream s = new_stream(0);
    ptx_status status;
    submit_step(s, p, 1, 10);
    while ((status = ptx_stream_query(device, s)) == PTX_ERROR_NOT_READY) {
    }
    assert_int_equal(status, PTX_OK);
    assert_int_equal(word_at(p), 1);
    close_device(NULL);
}

/* Work that waits for what is submitted later, and for what the host does later, gets on all the same. */
TEST(deterministic_devices_do_not_hang)
{
    open_with((ptx_device_config){.deterministic = 1});
    const ptx_address flag = buffer(4);
    const ptx_stream a = new_stream(PTX_STREAM_NONBLOCKING), b = new_stream(PTX_STREAM_NONBLOCKING);
    submit("wait_for", flag, a);
    submit_step(b, flag, 1, 0);
    assert_int_equal(ptx_stream_wait(device, a, NULL), PTX_OK);
    set_word(flag, 0);
    submit("wait_for", flag, a);
    for (int i = 0; i < 10; i++) assert_int_equal(ptx_stream_query(device, a), PTX_ERROR_NOT_READY);
    set_word(flag, 1);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    for (int i = 0; i < 3000; i++) submit_step(a, flag, 1, 0); /* more than are kept waiting */
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    submit("wait_for", buffer(4), a); /* and what never ends goes with the device */
    assert_int_equal(ptx_stream_query(device, a), PTX_ERROR_NOT_READY);
    close_device(NULL);
}

/* What runs in one stream can wait for what runs in another. */
TEST(streams_run_at_the_same_time)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        const ptx_address flag = buffer(4);
        const ptx_stream a = new_stream(PTX_STREAM_NONBLOCKING), b = new_stream(PTX_STREAM_NONBLOCKING);
        const ptx_launch spins = submit("wait_for", flag, a);
        assert_int_equal(ptx_stream_query(device, a), PTX_ERROR_NOT_READY);
        assert_int_equal(ptx_launch_query(device, spins), PTX_ERROR_NOT_READY);
        submit_step(b, flag, 1, 0);
        assert_int_equal(ptx_launch_wait(device, spins, NULL), PTX_OK);
        assert_int_equal(ptx_launch_query(device, spins), PTX_OK);
        assert_int_equal(ptx_launch_release(device, spins), PTX_OK);
        assert_int_equal(ptx_launch_release(device, spins), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_stream_wait(device, b, NULL), PTX_OK);
        close_device(NULL);
    }
}

TEST(events_order_streams)
{
    open_with((ptx_device_config){.workers = 4});
    const ptx_address p = buffer(8);
    const ptx_stream a = new_stream(PTX_STREAM_NONBLOCKING), b = new_stream(PTX_STREAM_NONBLOCKING);
    ptx_event e, untimed;
    double ms;
    assert_int_equal(ptx_event_create(device, 0, &e), PTX_OK);
    assert_int_equal(ptx_event_create(device, PTX_EVENT_NO_TIMING, &untimed), PTX_OK);
    assert_int_equal(ptx_event_query(device, e), PTX_OK); /* never recorded */
    assert_int_equal(ptx_event_elapsed(device, e, e, &ms), PTX_ERROR_INVALID_ARGUMENT);
    for (int round = 0; round < 20; round++) {
        set_word(p, 3);
        submit_step(a, p, 1, 2000); /* 7 */
        assert_int_equal(ptx_event_record(device, e, a), PTX_OK);
        assert_int_equal(ptx_stream_wait_event(device, b, e), PTX_OK);
        submit_step(b, p, 0, 0); /* 14, not 6 and 13 */
        assert_int_equal(ptx_stream_wait(device, b, NULL), PTX_OK);
        assert_int_equal(word_at(p), 14);
    }
    ptx_event end;
    assert_int_equal(ptx_event_create(device, 0, &end), PTX_OK);
    const ptx_launch spins = submit("wait_for", p + 4, a);
    assert_int_equal(ptx_event_record(device, end, a), PTX_OK);
    assert_int_equal(ptx_event_query(device, end), PTX_ERROR_NOT_READY);
    assert_int_equal(ptx_event_elapsed(device, e, end, &ms), PTX_ERROR_NOT_READY);
    usleep(20000);
    set_word(p + 4, 1);
    assert_int_equal(ptx_event_wait(device, end), PTX_OK);
    assert_int_equal(ptx_event_elapsed(device, e, end, &ms), PTX_OK);
    assert_true(ms >= 20 && ms < 60000);
    assert_int_equal(ptx_event_elapsed(device, e, untimed, &ms), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_launch_release(device, spins), PTX_OK);
    assert_int_equal(ptx_event_destroy(device, e), PTX_OK);
    assert_int_equal(ptx_event_destroy(device, e), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_event_record(device, e, a), PTX_ERROR_INVALID_ARGUMENT);
    close_device(NULL);
}

TEST(the_legacy_stream_waits_and_is_waited_for)
{
    open_with((ptx_device_config){.workers = 4});
    const ptx_address p = buffer(12);
    const ptx_stream blocking = new_stream(0), other = new_stream(PTX_STREAM_NONBLOCKING);
    const ptx_launch spins = submit("wait_for", p, blocking);
    submit_step(PTX_STREAM_DEFAULT, p + 4, 5, 0);
    submit_step(blocking, p + 4, 1, 0);
    submit_step(other, p + 8, 9, 0);
    assert_int_equal(ptx_stream_wait(device, other, NULL), PTX_OK); /* it waits for neither */
    assert_int_equal(word_at(p + 8), 9);
    assert_int_equal(ptx_stream_query(device, PTX_STREAM_LEGACY), PTX_ERROR_NOT_READY);
    assert_int_equal(word_at(p + 4), 0);
    set_word(p, 1);
    assert_int_equal(ptx_stream_wait(device, PTX_STREAM_DEFAULT, NULL), PTX_OK);
    assert_int_equal(word_at(p + 4), 11); /* 5, then 2 * 5 + 1 */
    assert_int_equal(ptx_launch_release(device, spins), PTX_OK);
    close_device(NULL);
}

static void *use_own_stream(void *argument)
{
    const ptx_address p = *(ptx_address *)argument;
    ptx_stream_config config = {sizeof config, 7, 7};
    for (uint32_t i = 0; i < 200; i++) submit_step(PTX_STREAM_PER_THREAD, p, 1, 0);
    assert_int_equal(ptx_stream_wait(device, PTX_STREAM_PER_THREAD, NULL), PTX_OK);
    assert_int_equal(ptx_stream_config_get(device, PTX_STREAM_PER_THREAD, &config), PTX_OK);
    assert_int_equal(config.flags, 0);
    const struct step s = {p, 1, 5};
    const ptx_launch_config direct = shape(1, &s, sizeof s);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &direct, NULL), PTX_OK);
    return NULL;
}

TEST(threads_share_a_device)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        ptx_address p[8];
        pthread_t threads[8];
        for (int k = 0; k < 8; k++) {
            p[k] = buffer(4);
            assert_int_equal(pthread_create(&threads[k], NULL, use_own_stream, &p[k]), 0);
        }
        for (int k = 0; k < 8; k++) pthread_join(threads[k], NULL);
        for (int k = 0; k < 8; k++) assert_int_equal(word_at(p[k]), UINT32_MAX); /* all ones after 32 steps */
        close_device(NULL);
    }
}

/* ---- copies and host functions ---- */

TEST(copies_and_sets_are_in_order)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_stream s = new_stream(0);
    const ptx_address p = buffer(64), q = buffer(64);
    uint32_t in[4] = {1, 2, 3, 4}, out[8] = {0};
    const ptx_copy up = {.struct_size = sizeof up, .to = {.address = p}, .from = {.host = in}, .width = 16};
    const ptx_copy over = {.to = {.address = q + 16}, .from = {.address = p}, .width = 16};
    const ptx_copy down = {.to = {.host = out}, .from = {.address = q}, .width = 32};
    const ptx_fill fill = {.to = q, .width = 4, .value = 0x01020304, .element = 4};
    assert_int_equal(ptx_stream_copy(device, &up, s), PTX_OK);
    submit_step(s, p, 7, 100);
    assert_int_equal(ptx_stream_copy(device, &over, s), PTX_OK);
    assert_int_equal(ptx_stream_fill(device, &fill, s), PTX_OK);
    assert_int_equal(ptx_stream_copy(device, &down, s), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_OK);
    const uint32_t expected[8] = {0x01020304, 0x01020304, 0x01020304, 0x01020304, 9, 2, 3, 4};
    assert_memory_equal(out, expected, sizeof out);
    close_device(NULL);
}

TEST(shapes_of_copies)
{
    open_with((ptx_device_config){.workers = 1});
    uint8_t in[60], out[60] = {0}, expected[60] = {0};
    uint64_t pitch;
    ptx_address p;
    for (int i = 0; i < 60; i++) in[i] = (uint8_t)(i + 1);
    assert_int_equal(ptx_memory_alloc_pitch(device, 5, 3, 4, &p, &pitch), PTX_OK);
    assert_int_equal(pitch % 512, 0);
    const ptx_copy up = {.to = {.address = p, .pitch = pitch, .slice = 3 * pitch},
                         .from = {.host = in},
                         .width = 5,
                         .height = 3,
                         .depth = 4};
    assert_int_equal(ptx_memory_copy(device, &up), PTX_OK);
    uint8_t byte;
    assert_int_equal(ptx_memory_read(device, &byte, p + 2 * 3 * pitch + 1 * pitch + 4, 1), PTX_OK);
    assert_int_equal(byte, in[2 * 15 + 1 * 5 + 4]);
    /* the inner 3 x 2 of slices 1 and 2 */
    const ptx_copy down = {.to = {.host = out, .pitch = 5, .slice = 15},
                           .from = {.address = p + 3 * pitch + 1, .pitch = pitch, .slice = 3 * pitch},
                           .width = 3,
                           .height = 2,
                           .depth = 2};
    assert_int_equal(ptx_memory_copy(device, &down), PTX_OK);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 3; x++) expected[15 * z + 5 * y + x] = in[15 * (z + 1) + 5 * y + x + 1];
    assert_memory_equal(out, expected, sizeof out);
    ptx_copy bad = up;
    bad.to.pitch = 4; /* rows overlap */
    assert_int_equal(ptx_memory_copy(device, &bad), PTX_ERROR_INVALID_ARGUMENT);
    bad = up;
    bad.depth = 5; /* a slice too many */
    assert_int_equal(ptx_memory_copy(device, &bad), PTX_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(ptx_device_message(device), "not inside one allocation"));
    bad = up;
    bad.to.slice = UINT64_MAX / 2;
    assert_int_equal(ptx_stream_copy(device, &bad, 0), PTX_ERROR_INVALID_ARGUMENT);
    const ptx_fill odd = {.to = p, .width = 1, .element = 3},
                   unaligned = {.to = p + 1, .width = 1, .element = 4},
                   wide = {.to = p, .width = UINT64_MAX / 2, .element = 4};
    assert_int_equal(ptx_memory_set(device, &odd), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_set(device, &unaligned), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_set(device, &wide), PTX_ERROR_INVALID_ARGUMENT);
    close_device(NULL);
}

static ptx_stream other_stream;

static void note(void *user)
{
    uint32_t *at = user;
    at[1 + at[0]++] = word_at(*(ptx_address *)(void *)(at + 16));
    /* It may submit, and must not wait. */
    submit_step(other_stream, *(ptx_address *)(void *)(at + 18), 1, 0);
    assert_int_equal(ptx_stream_wait(device, other_stream, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_ERROR_INVALID_ARGUMENT);
}

TEST(host_functions_are_called_in_order)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        _Alignas(8) uint32_t seen[20] = {0};
        const ptx_address p = buffer(4), q = buffer(4);
        const ptx_stream s = new_stream(0);
        other_stream = new_stream(PTX_STREAM_NONBLOCKING);
        memcpy(seen + 16, &p, 8);
        memcpy(seen + 18, &q, 8);
        for (uint32_t k = 0; k < 3; k++) {
            submit_step(s, p, 1, 500);
            assert_int_equal(ptx_stream_host(device, s, note, seen), PTX_OK);
        }
        assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
        const uint32_t expected[4] = {3, 1, 3, 7};
        assert_memory_equal(seen, expected, sizeof expected);
        assert_int_equal(word_at(q), 7);
        close_device(NULL);
    }
}

/* ---- failures ---- */

TEST(faults_are_told_once_and_end_nothing_else)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address p = buffer(4);
    const ptx_stream s = new_stream(0), other = new_stream(0);
    const ptx_launch_config none = shape(1, NULL, 0);
    ptx_fault fault = {.struct_size = sizeof fault};
    assert_int_equal(ptx_kernel_submit(kernel_named("fault"), &none, s, NULL), PTX_OK);
    submit_step(s, p, 1, 0);
    submit_step(other, p, 0, 0);
    assert_int_equal(ptx_stream_wait(device, other, NULL), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, s, &fault), PTX_ERROR_FAULT);
    assert_int_equal(fault.cuda_error, 700);
    assert_string_equal(fault.kernel, "fault");
    assert_int_equal(fault.address, 8);
    assert_int_not_equal(word_at(p), 0);
    assert_int_equal(ptx_stream_wait(device, s, &fault), PTX_OK);
    ptx_launch launch;
    assert_int_equal(ptx_kernel_submit(kernel_named("fault"), &none, s, &launch), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, launch, &fault), PTX_ERROR_FAULT);
    assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_OK); /* it was told by the launch */
    assert_int_equal(ptx_launch_wait(device, launch, &fault), PTX_ERROR_FAULT);
    close_device(NULL);
}

TEST(a_sticky_fault_marks_the_device)
{
    open_with((ptx_device_config){.workers = 2, .sticky = 1});
    const ptx_address p = buffer(4);
    const ptx_stream s = new_stream(PTX_STREAM_NONBLOCKING), other = new_stream(PTX_STREAM_NONBLOCKING);
    const ptx_launch_config none = shape(1, NULL, 0);
    ptx_address more;
    submit("wait_for", p, other); /* would never end */
    assert_int_equal(ptx_kernel_submit(kernel_named("fault"), &none, s, NULL), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_stream_wait(device, other, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_stream_query(device, s), PTX_ERROR_FAULT);
    assert_int_equal(ptx_kernel_launch(kernel_named("empty"), &none, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), &none, s, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_memory_alloc(device, 4, &more), PTX_ERROR_FAULT);
    assert_int_equal(ptx_memory_fill(device, p, 0, 4), PTX_ERROR_FAULT);
    assert_int_equal(ptx_device_query(device), PTX_ERROR_FAULT);
    close_device(NULL);
}

/* A limit or a deadlock marks it as well: what waits for the stream that it happened in does not run. */
static void mark_by(const char *kernel, uint64_t max_steps, ptx_status status)
{
    open_with((ptx_device_config){.workers = 2, .sticky = 1});
    const ptx_address flag = buffer(4), p = buffer(4);
    const ptx_stream s = new_stream(PTX_STREAM_NONBLOCKING), other = new_stream(PTX_STREAM_NONBLOCKING);
    ptx_launch_config config = shape(1, &flag, sizeof flag);
    ptx_event event;
    uint32_t word = 9;
    config.max_steps = max_steps;
    config.block[0] = 64;
    assert_int_equal(ptx_event_create(device, 0, &event), PTX_OK);
    assert_int_equal(ptx_kernel_submit(kernel_named(kernel), &config, s, NULL), PTX_OK);
    assert_int_equal(ptx_event_record(device, event, s), PTX_OK);
    assert_int_equal(ptx_stream_wait_event(device, other, event), PTX_OK);
    const ptx_copy behind = {
        .struct_size = sizeof behind, .to = {.host = &word}, .from = {.address = p}, .width = sizeof word};
    (void)ptx_stream_copy(device, &behind, other); /* the device may be marked by now */
    assert_int_equal(ptx_stream_wait(device, other, NULL), status);
    assert_int_equal(ptx_stream_wait(device, s, NULL), status);
    assert_int_equal(word, 9);
    assert_int_equal(ptx_event_query(device, event), status);
    assert_int_equal(ptx_memory_fill(device, p, 0, 4), status);
    assert_int_equal(ptx_device_query(device), status);
    close_device(NULL);
}

TEST(a_sticky_limit_or_deadlock_marks_the_device)
{
    mark_by("wait_for", 100000, PTX_ERROR_LIMIT);
    mark_by("half", 0, PTX_ERROR_DEADLOCK);
}

TEST(limits_and_cancelling_are_a_launchs_own)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address flag = buffer(4), p = buffer(4);
    const ptx_stream a = new_stream(PTX_STREAM_NONBLOCKING), b = new_stream(PTX_STREAM_NONBLOCKING);
    ptx_launch_config config = shape(1, &flag, sizeof flag);
    ptx_launch limited, timed;
    const ptx_launch spins = submit("wait_for", flag, a), behind = submit("wait_for", flag, a);
    config.max_steps = 100000;
    assert_int_equal(ptx_kernel_submit(kernel_named("wait_for"), &config, b, &limited), PTX_OK);
    config.max_steps = 0;
    config.timeout_ms = 20;
    assert_int_equal(ptx_kernel_submit(kernel_named("wait_for"), &config, b, &timed), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, limited, NULL), PTX_ERROR_LIMIT);
    assert_int_equal(ptx_launch_wait(device, timed, NULL), PTX_ERROR_LIMIT);
    assert_int_equal(ptx_launch_query(device, spins), PTX_ERROR_NOT_READY);
    assert_int_equal(ptx_launch_cancel(device, behind), PTX_OK); /* it has not begun */
    assert_int_equal(ptx_launch_query(device, behind), PTX_ERROR_NOT_READY);
    assert_int_equal(ptx_launch_cancel(device, spins), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, spins, NULL), PTX_ERROR_INTERRUPTED);
    assert_int_equal(ptx_launch_wait(device, behind, NULL), PTX_ERROR_INTERRUPTED);
    submit_step(a, p, 3, 0);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK); /* all of it was told already */
    assert_int_equal(word_at(p), 3);
    close_device(NULL);
}

TEST(interrupts_stop_all_that_is_submitted)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address flag = buffer(4);
    ptx_launch launches[20];
    for (int i = 0; i < 20; i++) launches[i] = submit("wait_for", flag, i % 2 ? new_stream(1) : 0);
    ptx_device_interrupt(device);
    for (int i = 0; i < 20; i++)
        assert_int_equal(ptx_launch_wait(device, launches[i], NULL), PTX_ERROR_INTERRUPTED);
    const ptx_launch_config none = shape(1, NULL, 0);
    assert_int_equal(ptx_kernel_launch(kernel_named("empty"), &none, NULL), PTX_OK);
    close_device(NULL);
}

TEST(devices_go_with_work_in_flight)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        const ptx_address flag = buffer(4);
        ptx_event e;
        assert_int_equal(ptx_event_create(device, 0, &e), PTX_OK);
        for (int k = 0; k < 50; k++) {
            const ptx_stream s = new_stream(k % 2);
            submit("wait_for", flag, s);
            submit_step(s, flag, 0, 0);
            assert_int_equal(ptx_event_record(device, e, s), PTX_OK);
            assert_int_equal(ptx_stream_wait_event(device, 0, e), PTX_OK);
            if (k % 3 == 0) assert_int_equal(ptx_stream_destroy(device, s), PTX_OK);
            if (k % 5 == 0) ptx_program_destroy(NULL);
        }
        close_device(NULL);
    }
}

TEST(programs_go_with_their_last_launch)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address flag = buffer(4);
    const ptx_launch spins = submit("wait_for", flag, 0), after = submit("add_one", flag, 0);
    ptx_program_destroy(program);
    set_word(flag, 5);
    assert_int_equal(ptx_launch_wait(device, spins, NULL), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, after, NULL), PTX_OK);
    assert_int_equal(word_at(flag), 6);
    close_device(NULL);
}

TEST(streams_can_go_while_they_are_used)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address flag = buffer(4), p = buffer(4);
    const ptx_stream s = new_stream(0);
    submit("wait_for", flag, s);
    submit_step(s, p, 1, 0);
    assert_int_equal(ptx_stream_destroy(device, s), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_query(device, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_destroy(device, PTX_STREAM_DEFAULT), PTX_ERROR_INVALID_ARGUMENT);
    set_word(flag, 1);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(word_at(p), 1);
    close_device(NULL);
}

TEST(many_launches_go_through_the_queue)
{
    for (int i = 0; i < 3; i++) {
        open_with((ptx_device_config){.workers = worker_counts[i]});
        const ptx_address p = buffer(4);
        const ptx_launch_config config = shape(2, &p, sizeof p);
        ptx_kernel *k = kernel_named("add_one");
        ptx_stream streams[3] = {0, new_stream(0), new_stream(1)};
        for (int n = 0; n < 6000; n++)
            assert_int_equal(ptx_kernel_submit(k, &config, streams[n % 3], NULL), PTX_OK);
        assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
        assert_int_equal(word_at(p), 12000);
        assert_int_equal(ptx_device_query(device), PTX_OK);
        close_device(NULL);
    }
}

/* ---- memory ---- */

TEST(memory_in_stream_order)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address flag = buffer(4);
    uint64_t total, before, room;
    ptx_address a;
    ptx_memory_info info = {.struct_size = sizeof info};
    assert_int_equal(ptx_memory_room(device, &total, &before), PTX_OK);
    assert_int_equal(total, 64 << 20);
    assert_int_equal(ptx_stream_alloc(device, 1 << 20, 0, &a), PTX_OK);
    assert_int_equal(ptx_memory_room(device, NULL, &room), PTX_OK);
    assert_int_equal(room, before - (32 << 20)); /* a step of the pool */
    submit_step(0, a, 1, 0);
    submit("wait_for", flag, 0);
    assert_int_equal(ptx_stream_free(device, a, 0), PTX_OK);
    assert_int_equal(ptx_memory_info_get(device, a + 5, &info), PTX_OK);
    assert_int_equal(info.kind, PTX_MEMORY_STREAM);
    assert_int_equal(info.base, a);
    assert_int_equal(info.size, 1 << 20);
    set_word(flag, 1);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    assert_int_equal(ptx_memory_info_get(device, a, &info), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_stream_free(device, a, 0), PTX_ERROR_INVALID_ARGUMENT);
    close_device(NULL);
}

TEST(pinned_memory_is_seen_on_both_sides)
{
    open_with((ptx_device_config){.workers = 1});
    void *host;
    ptx_address p, managed;
    ptx_memory_info info = {.struct_size = sizeof info};
    uint32_t own;
    assert_int_equal(ptx_host_alloc(device, 64, &host, &p), PTX_OK);
    *(uint32_t *)host = 20;
    submit_step(0, p, 2, 0);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    assert_int_equal(*(uint32_t *)host, 42);
    assert_int_equal(ptx_memory_info_get(device, p + 4, &info), PTX_OK);
    assert_int_equal(info.kind, PTX_MEMORY_PINNED);
    assert_ptr_equal(info.host, (char *)host + 4);
    assert_int_equal(ptx_managed_alloc(device, 4, &managed), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_host_register(device, &own, 4), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_host_free(device, &own), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_host_free(device, host), PTX_OK);
    assert_int_equal(ptx_host_free(device, host), PTX_ERROR_INVALID_ARGUMENT);
    close_device(NULL);
}

TEST(unified_devices_share_addresses_with_the_host)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it ends the process that maps memory where its own tables are */
#endif
    ptx_device *probe;
    const ptx_device_config first = {.struct_size = sizeof first, .memory_bytes = 1 << 20, .unified = 3};
    if (ptx_device_create(&first, &probe) == PTX_ERROR_UNSUPPORTED) skip(); /* a sanitizer's, perhaps */
    open_with((ptx_device_config){.workers = 1, .unified = 4});
    uint32_t own[2] = {4, 0};
    ptx_address p, theirs;
    int able;
    void *host;
    assert_int_equal(ptx_managed_alloc(device, 4, &p), PTX_OK);
    uint32_t *managed = (uint32_t *)(uintptr_t)p;
    *managed = 1;
    submit_step(0, p, 1, 0);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    assert_int_equal(*managed, 3);
    assert_int_equal(ptx_managed_prefetch(device, p, 4, 0), PTX_OK);
    assert_int_equal(ptx_managed_prefetch(device, p, 5, 0), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_managed_advise(device, p, 4, 1), PTX_OK);
    assert_int_equal(ptx_managed_advise(device, p, 4, 77), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_host_alloc(device, 4, &host, &p), PTX_OK);
    assert_int_equal(p, (uintptr_t)host);

    const ptx_address mine = (uintptr_t)own;
    const struct step s = {mine, 1, 0}, beyond = {mine + 4, 1, 0};
    const ptx_launch_config config = shape(1, &s, sizeof s), outside = shape(1, &beyond, sizeof beyond);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &config, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_host_register(device, own, 4), PTX_OK);
    assert_int_equal(ptx_host_register(device, own, 8), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &config, NULL), PTX_OK);
    assert_int_equal(own[0], 9);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &outside, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_memory_free(device, mine), PTX_ERROR_INVALID_ARGUMENT);
    const ptx_address later = buffer(4); /* allocation goes on beside registered memory */
    assert_true(later >> 40 == p >> 40);
    assert_int_equal(ptx_host_unregister(device, own), PTX_OK);
    assert_int_equal(ptx_host_unregister(device, own), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &config, NULL), PTX_ERROR_FAULT);

    assert_int_equal(ptx_memory_alloc(probe, 4, &theirs), PTX_OK);
    const struct step t = {theirs, 8, 0};
    const ptx_launch_config far = shape(1, &t, sizeof t);
    assert_int_equal(ptx_peer_query(device, probe, &able), PTX_OK);
    assert_int_equal(able, 1);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &far, NULL), PTX_ERROR_FAULT);
    assert_int_equal(ptx_peer_enable(device, probe), PTX_OK);
    assert_int_equal(ptx_peer_enable(device, probe), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &far, NULL), PTX_OK);
    uint32_t word;
    assert_int_equal(ptx_memory_read(probe, &word, theirs, 4), PTX_OK);
    assert_int_equal(word, 8);
    const ptx_copy between = {
        .to = {.address = later}, .from = {.device = probe, .address = theirs}, .width = 4};
    assert_int_equal(ptx_stream_copy(device, &between, 0), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    assert_int_equal(word_at(later), 8);
    assert_int_equal(ptx_peer_disable(device, probe), PTX_OK);
    assert_int_equal(ptx_peer_disable(device, probe), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &far, NULL), PTX_ERROR_FAULT);
    ptx_device_destroy(probe);
    close_device(NULL);
}

/* Does a kernel of the device that is open reach the word? */
static bool reaches(ptx_address at)
{
    const bool told = ptx_memory_reach(device, at) == PTX_OK;
    const struct step s = {at, 1, 0};
    const ptx_launch_config config = shape(1, &s, sizeof s);
    const ptx_status status = ptx_kernel_launch(kernel_named("step"), &config, NULL);
    assert_int_equal(status, told ? PTX_OK : PTX_ERROR_FAULT);
    return told;
}

/* Which of the words does it reach? A bit for each. */
static unsigned reached(const ptx_address *at, unsigned n)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < n; i++) bits |= (unsigned)reaches(at[i]) << i;
    return bits;
}

/* A word of each kind of memory of a device: device, pinned, managed, in stream order, of a pool, mapped
 * twice side by side. */
enum { DEVICE = 1, PINNED = 2, MANAGED = 4, ORDERED = 8, POOL = 16, MAPPED = 32, BESIDE = 64, WORDS = 7 };

static void make_words(ptx_device *peer, ptx_pool *pool, ptx_address *at)
{
    ptx_physical physical;
    void *host;
    assert_int_equal(ptx_memory_alloc(peer, 4, &at[0]), PTX_OK);
    assert_int_equal(ptx_host_alloc(peer, 4, &host, &at[1]), PTX_OK);
    assert_int_equal(ptx_managed_alloc(peer, 4, &at[2]), PTX_OK);
    assert_int_equal(ptx_stream_alloc(peer, 4, 0, &at[3]), PTX_OK);
    assert_int_equal(ptx_pool_create(peer, 0, pool), PTX_OK);
    assert_int_equal(ptx_pool_alloc(peer, *pool, 4, 0, &at[4]), PTX_OK);
    assert_int_equal(ptx_range_reserve(peer, 2 * PTX_MAP_GRAIN, 0, &at[5]), PTX_OK);
    at[6] = at[5] + PTX_MAP_GRAIN;
    for (int i = 5; i < 7; i++) {
        assert_int_equal(ptx_physical_create(peer, PTX_MAP_GRAIN, &physical), PTX_OK);
        assert_int_equal(ptx_range_map(peer, at[i], PTX_MAP_GRAIN, physical, 0), PTX_OK);
    }
}

TEST(peers_see_what_is_opened_for_them)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* as above */
#endif
    enum { MINE = 31, ANOTHER = 30 };
    ptx_device *peer;
    const ptx_device_config first = {.struct_size = sizeof first, .memory_bytes = 64 << 20, .unified = 3};
    if (ptx_device_create(&first, &peer) == PTX_ERROR_UNSUPPORTED) skip(); /* a sanitizer's, perhaps */
    open_with((ptx_device_config){.workers = 1, .unified = 4, .group = MINE});
    ptx_address at[WORDS], more;
    ptx_pool pool;
    make_words(peer, &pool, at);
    assert_int_equal(ptx_range_open(peer, at[5], PTX_MAP_GRAIN, MINE, 1), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_range_access(peer, at[5], 2 * PTX_MAP_GRAIN, PTX_ACCESS_READ_WRITE), PTX_OK);
    assert_int_equal(reached(at, WORDS), 0);

    static const unsigned seen[] = {[PTX_SEE_HOST] = PINNED | MANAGED,
                                    [PTX_SEE_DEVICE] = DEVICE,
                                    [PTX_SEE_HOST | PTX_SEE_DEVICE] = DEVICE | PINNED | MANAGED,
                                    [PTX_SEE_ORDERED] = ORDERED | POOL | MAPPED | BESIDE,
                                    [PTX_SEE_DEVICE | PTX_SEE_ORDERED | PTX_SEE_HOST] = (1 << WORDS) - 1};
    for (unsigned what = 1; what < 8; what++) {
        assert_int_equal(ptx_peer_see(device, peer, what), PTX_OK);
        if (seen[what]) assert_int_equal(reached(at, WORDS), seen[what]);
    }
    assert_int_equal(ptx_peer_see(device, peer, 16), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_peer_see(device, device, PTX_SEE_ALL), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_peer_enable(device, peer), PTX_OK);
    assert_int_equal(ptx_peer_enable(device, peer), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(reached(at, WORDS), (1 << WORDS) - 1);

    assert_int_equal(ptx_peer_see(device, peer, PTX_SEE_HOST), PTX_OK);
    assert_int_equal(ptx_pool_open(peer, pool, ANOTHER, 1), PTX_OK);
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED);
    assert_int_equal(ptx_pool_open(peer, pool, MINE, 1), PTX_OK);
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED | POOL);
    assert_int_equal(ptx_pool_alloc(peer, pool, 4, 0, &more), PTX_OK);
    assert_true(reaches(more));
    assert_int_equal(ptx_pool_open(peer, pool, MINE, 0), PTX_OK);
    assert_false(reaches(more));
    assert_int_equal(ptx_range_open(peer, at[5], PTX_MAP_GRAIN, MINE, 1), PTX_OK); /* with its neighbour */
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED | MAPPED | BESIDE);
    assert_int_equal(ptx_range_access(peer, at[5], PTX_MAP_GRAIN, PTX_ACCESS_NONE), PTX_OK);
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED);
    assert_int_equal(ptx_range_access(peer, at[5], PTX_MAP_GRAIN, PTX_ACCESS_READ_WRITE), PTX_OK);
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED | MAPPED | BESIDE);
    assert_int_equal(ptx_range_open(peer, at[6], PTX_MAP_GRAIN, MINE, 1), PTX_OK);
    assert_int_equal(ptx_range_open(peer, at[6], PTX_MAP_GRAIN, MINE, 0), PTX_OK); /* the other one is open */
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED | MAPPED | BESIDE);
    assert_int_equal(ptx_range_open(peer, at[5], PTX_MAP_GRAIN, MINE, 0), PTX_OK);
    assert_int_equal(reached(at, WORDS), PINNED | MANAGED);
    assert_int_equal(ptx_pool_open(peer, pool, 32, 1), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_range_open(peer, at[5], 1, MINE, 1), PTX_ERROR_INVALID_ARGUMENT);

    assert_int_equal(ptx_peer_see(device, peer, 0), PTX_OK);
    assert_int_equal(reached(at, WORDS), 0);
    ptx_device_destroy(peer);
    close_device(NULL);
}

TEST(what_another_device_has_is_told)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* as above */
#endif
    ptx_device *peer;
    const ptx_device_config first = {.struct_size = sizeof first, .memory_bytes = 1 << 20, .unified = 3};
    if (ptx_device_create(&first, &peer) == PTX_ERROR_UNSUPPORTED) skip(); /* a sanitizer's, perhaps */
    open_with((ptx_device_config){.workers = 1, .unified = 4});
    ptx_fault told = {sizeof told};
    ptx_address theirs;
    assert_int_equal(ptx_memory_alloc(peer, 4, &theirs), PTX_OK);
    assert_int_equal(ptx_peer_see(device, peer, PTX_SEE_HOST), PTX_OK);
    const struct step s = {theirs, 1, 0};
    const ptx_launch_config config = shape(1, &s, sizeof s);
    assert_int_equal(ptx_kernel_launch(kernel_named("step"), &config, &told), PTX_ERROR_FAULT);
    assert_non_null(strstr(told.allocation, "byte 0 of a 4-byte allocation"));
    assert_non_null(strstr(told.allocation, "of another device, which this one may not use"));
    assert_int_equal(ptx_peer_see(device, peer, 0), PTX_OK);
    ptx_device_destroy(peer);
    close_device(NULL);
}

/* ---- memory that comes and goes while kernels run ---- */

static atomic_bool churn_on;

static void *churn(void *unused)
{
    (void)unused;
    while (atomic_load(&churn_on)) {
        ptx_address at[40];
        for (int i = 0; i < 40; i++) at[i] = buffer(64 + (unsigned)i * 300);
        for (int i = 0; i < 40; i++) assert_int_equal(ptx_memory_free(device, at[(i * 7) % 40]), PTX_OK);
    }
    return NULL;
}

TEST(allocation_goes_on_while_kernels_run)
{
    open_with((ptx_device_config){.workers = 2});
    const ptx_address p = buffer(4);
    const ptx_launch_config config = shape(8, &p, sizeof p);
    pthread_t thread;
    atomic_store(&churn_on, true);
    assert_int_equal(pthread_create(&thread, NULL, churn, NULL), 0);
    for (int i = 0; i < 500; i++)
        assert_int_equal(ptx_kernel_submit(kernel_named("add_one"), &config, 0, NULL), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, 0, NULL), PTX_OK);
    atomic_store(&churn_on, false);
    pthread_join(thread, NULL);
    assert_int_equal(word_at(p), 4000);
    close_device(NULL);
}

/* ---- bad arguments ---- */

TEST(nothing_is_a_status)
{
    open_with((ptx_device_config){.workers = 1});
    const ptx_launch_config none = shape(1, NULL, 0);
    ptx_launch_config cooperative = shape(1000000, NULL, 0), cluster = none;
    ptx_launch launch;
    ptx_event e;
    cooperative.cooperative = 1;
    cluster.cluster[0] = 2;
    assert_int_equal(ptx_stream_create(NULL, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_create(device, &(ptx_stream_config){.flags = 8}, &e),
                     PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_wait(NULL, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_wait(device, 12345, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_event_create(device, 99, &e), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_event_create(device, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_event_wait(device, UINT64_MAX), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_submit(NULL, &none, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), NULL, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), &none, 77, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_submit(kernel_named("step"), &none, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), &cooperative, 0, NULL), PTX_ERROR_LAUNCH);
    ptx_fault told = {sizeof told};
    assert_int_equal(ptx_kernel_launch(kernel_named("empty"), &cooperative, &told), PTX_ERROR_LAUNCH);
    assert_int_equal(told.cuda_error, 720);
    assert_string_equal(told.name, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), &cluster, 0, NULL), PTX_ERROR_LAUNCH);
    assert_int_equal(ptx_launch_wait(device, 1, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_event_create(device, 0, &e), PTX_OK);
    assert_int_equal(ptx_launch_wait(device, e, NULL), PTX_ERROR_INVALID_ARGUMENT); /* of another kind */
    assert_int_equal(ptx_stream_query(device, e), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_host(device, 0, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_copy(device, NULL, 0), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_copy(NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_host_alloc(device, 0, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_peer_enable(device, device), PTX_ERROR_UNSUPPORTED);
    assert_int_equal(ptx_kernel_submit(kernel_named("empty"), &none, 0, &launch), PTX_OK);
    close_device(NULL);
}

int main(void)
{
    return run_suite();
}
