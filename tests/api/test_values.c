/*
 * test_values.c - streams that wait for values in memory and write them. What is expected is what
 * include/ptx_stream.h promises.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "ptx_memory.h"
#include "ptx_stream.h"
#include "suite.h"

/* Kernels that set a word, and that set one and wait until another is set. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry set(.param .u64 p, .param .u32 v) {\n"
    " .reg .u64 %a; .reg .u32 %x; ld.param.u64 %a, [p]; ld.param.u32 %x, [v]; st.volatile.global.u32 [%a], "
    "%x;\n"
    " ret; }\n"
    ".visible .entry ask(.param .u64 p, .param .u32 v) {\n"
    " .reg .u64 %a; .reg .u32 %x; .reg .pred %q; ld.param.u64 %a, [p]; ld.param.u32 %x, [v];\n"
    " st.volatile.global.u32 [%a], %x;\n"
    "L: ld.volatile.global.u32 %x, [%a+4]; setp.eq.u32 %q, %x, 0; @%q bra L; ret; }\n";

static ptx_address p;
static ptx_stream s, t;

static void open_with(ptx_device_config config)
{
    config.struct_size = sizeof config;
    config.memory_bytes = 16 << 20;
    open_program(&config, text);
    p = buffer(64);
    assert_int_equal(ptx_stream_create(device, NULL, &s), PTX_OK);
    assert_int_equal(ptx_stream_create(device, NULL, &t), PTX_OK);
}

static ptx_status launch(const char *name, ptx_address at, uint32_t v, ptx_stream stream)
{
    ptx_kernel *kernel;
    const struct {
        ptx_address at;
        uint32_t v;
    } params = {at, v};
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    const ptx_launch_config config = {
        .struct_size = sizeof config, .grid = {1}, .block = {1}, .params = &params, .param_bytes = 12};
    return ptx_kernel_submit(kernel, &config, stream, NULL);
}

static ptx_status op(ptx_value_op what, ptx_address at, uint64_t value, ptx_stream stream)
{
    const ptx_value v = {.op = what, .bytes = 4, .address = at, .value = value};
    return ptx_stream_values(device, &v, 1, stream);
}

static uint32_t word(ptx_address at)
{
    uint32_t value;
    assert_int_equal(ptx_memory_read(device, &value, at, 4), PTX_OK);
    return value;
}

/* (An end for kernels whose write is lost when memory fails.) */
static const ptx_device_config kinds[] = {{.workers = 1, .timeout_ms = 20000},
                                          {.workers = 3, .timeout_ms = 20000},
                                          {.deterministic = 1, .timeout_ms = 20000}};

/* A kernel in one stream lets the other go on; what it waits for itself is written there, while it runs. */
TEST(kernels_and_streams_talk)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        open_with(kinds[i]);
        assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 5, s), PTX_OK);
        assert_int_equal(op(PTX_VALUE_WRITE, p + 4, 1, s), PTX_OK);
        assert_int_equal(launch("set", p + 8, 9, s), PTX_OK);
        assert_int_equal(ptx_stream_query(device, s), PTX_ERROR_NOT_READY);
        assert_int_equal(ptx_device_settle(device), PTX_ERROR_NOT_READY);
        assert_int_equal(word(p + 8), 0);
        assert_int_equal(launch("ask", p, 5, t), PTX_OK);
        assert_int_equal(ptx_stream_wait(device, t, NULL), PTX_OK);
        assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_OK);
        assert_int_equal(word(p + 8), 9);
        assert_int_equal(ptx_device_settle(device), PTX_OK);
        ptx_device_destroy(device);
    }
}

/* A word that the device may write meanwhile. */
static uint32_t seen(const uint32_t *at)
{
    return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

/* Nobody tells the device that the host has written: it finds out, also when nobody waits for it. */
TEST(the_host_writes)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ptx_device_config config = kinds[i];
        uint32_t *host;
        void *memory;
        ptx_address at;
#ifndef __SANITIZE_THREAD__ /* which ends the process that maps memory where its own tables are */
        config.unified = 7;
#endif
        open_with(config);
        assert_int_equal(ptx_host_alloc(device, 64, &memory, &at), PTX_OK);
        host = memory;
        assert_int_equal(op(PTX_VALUE_WAIT_GEQ, at, 3, s), PTX_OK);
        assert_int_equal(op(PTX_VALUE_WRITE, at + 4, 8, s), PTX_OK);
        assert_int_equal(seen(&host[1]), 0);
        __atomic_store_n(&host[0], 3, __ATOMIC_RELEASE);
        for (int tries = 0; seen(&host[1]) != 8 && tries < 5000; tries++) {
            if (config.deterministic) ptx_stream_query(device, s); /* it runs when it is asked */
            usleep(1000);
        }
        assert_int_equal(seen(&host[1]), 8);
        ptx_device_destroy(device);
    }
}

static double seconds(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* A quarter of a second of waiting costs little of the processor. */
TEST(waiting_is_no_work)
{
    open_with(kinds[1]);
    assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 1, s), PTX_OK);
    const double before = seconds();
    usleep(250000);
    assert_true(seconds() - before < 0.15);
    ptx_device_destroy(device);
}

/* waits_end frees memory that a device waits at: a race of the caller, whose wait ends with a fault. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:^clear$\n";
}

TEST(waits_end)
{
    ptx_fault fault = {sizeof fault};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ptx_device_config config = kinds[i];
        open_with(config); /* with the device */
        assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 1, s), PTX_OK);
        assert_int_equal(launch("set", p, 1, s), PTX_OK);
        assert_int_equal(ptx_stream_destroy(device, s), PTX_OK);
        ptx_device_destroy(device);
        open_with(config); /* when it is told to */
        assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 1, s), PTX_OK);
        ptx_device_interrupt(device);
        assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_ERROR_INTERRUPTED);
        ptx_device_destroy(device);
        config.timeout_ms = 20; /* in time */
        open_with(config);
        assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 1, s), PTX_OK);
        assert_int_equal(ptx_stream_wait(device, s, &fault), PTX_ERROR_LIMIT);
        assert_non_null(strstr(fault.message, "value"));
        ptx_device_destroy(device);
        config.timeout_ms = 0; /* when its memory goes */
        open_with(config);
        assert_int_equal(op(PTX_VALUE_WAIT_EQ, p, 1, s), PTX_OK);
        assert_int_equal(ptx_memory_free(device, p), PTX_OK);
        assert_int_equal(ptx_stream_wait(device, s, &fault), PTX_ERROR_FAULT);
        assert_non_null(strstr(fault.message, "freed"));
        ptx_device_destroy(device);
    }
}

TEST(bad_arguments)
{
    ptx_value v = {.op = PTX_VALUE_WRITE, .bytes = 4};
    open_with(kinds[0]);
    v.address = p;
    assert_int_equal(ptx_stream_values(NULL, &v, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_values(device, NULL, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_values(device, &v, 0, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_stream_values(device, &v, 1, 12345), PTX_ERROR_INVALID_ARGUMENT);
    v.address = p + 2;
    assert_int_equal(ptx_stream_values(device, &v, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    v.address = p + 64;
    assert_int_equal(ptx_stream_values(device, &v, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    v.address = p;
    v.bytes = 2;
    assert_int_equal(ptx_stream_values(device, &v, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    v.bytes = 4;
    v.op = (ptx_value_op)9;
    assert_int_equal(ptx_stream_values(device, &v, 1, s), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_settle(NULL), PTX_ERROR_INVALID_ARGUMENT);
    ptx_device_destroy(device);
}

int main(void)
{
    return run_suite();
}
