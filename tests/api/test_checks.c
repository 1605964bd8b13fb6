/*
 * test_checks.c - what the checks of memory, initialisation and leaks find of what the host does: every way
 * to allocate and free, copies, addresses that rest, poison; and the events that they are made of
 * (ptx_trace.h).
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stdio.h>
#include "ptx_check.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "ptx_stream.h"
#include "ptx_trace.h"
#include "suite.h"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry load(.param .u64 from, .param .u64 to)\n{\n"
                           "  .reg .b32 %v;\n  .reg .b64 %f, %t;\n"
                           "  ld.param.u64 %f, [from];\n  ld.param.u64 %t, [to];\n"
                           "  ld.global.u32 %v, [%f];\n  st.global.u32 [%t], %v;\n  ret;\n}\n";

/* ---- what is found ---- */

struct told {
    char codes[400]; /* each with a blank behind it */
    ptx_check_finding last;
    char memory[200];
};

static void hear(void *user, const ptx_check_finding *f)
{
    struct told *t = user;
    strcat(t->codes, f->code);
    strcat(t->codes, " ");
    t->last = *f;
    snprintf(t->memory, sizeof t->memory, "%s", f->memory);
}

static struct told findings(void)
{
    struct told t = {.codes = ""};
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(ptx_device_findings(device, hear, &t), PTX_OK);
    return t;
}

static void open_checked(unsigned check, unsigned unified)
{
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = 2,
                                      .memory_bytes = 1 << 20,
                                      .unified = unified,
                                      .timeout_ms = 60000,
                                      .check = check};
    open_program(&config, text);
}

static void load(ptx_address from, ptx_address to, ptx_stream stream)
{
    const ptx_address params[] = {from, to};
    ptx_launch_config shape = launch_shape(1, 1, params, sizeof params);
    assert_int_equal(ptx_kernel_submit(kernel_named("load"), &shape, stream, NULL), PTX_OK);
}

/* ---- freed memory ---- */

TEST(test_freed)
{
    open_checked(PTX_CHECK_MEMORY, 0);
    const ptx_address a = buffer(64), b = buffer(64);
    assert_int_equal(ptx_memory_free(device, a), PTX_OK);
    const ptx_address c = buffer(64);
    assert_true(a != c); /* it rests */
    load(a + 8, b, PTX_STREAM_LEGACY);
    struct told t = findings();
    assert_string_equal(t.codes, "memory-freed ");
    assert_true(strncmp(t.memory, "byte 8 of 64 bytes of device memory at 0x", 41) == 0);
    assert_int_equal(t.last.nsides, 1);
    assert_int_equal(word_at(b), 0);
    close_program(NULL);
}

/* Addresses run out, and are given out again. */
TEST(test_rest_ends)
{
    open_checked(PTX_CHECK_MEMORY, 0);
    for (int i = 0; i < 100; i++) {
        const ptx_address a = buffer(300000);
        assert_int_equal(word_at(a), 0);
        assert_int_equal(ptx_memory_free(device, a), PTX_OK);
    }
    const ptx_address a = buffer(300000), b = buffer(300000);
    assert_true(a + 300000 <= b || b + 300000 <= a);
    assert_string_equal(findings().codes, "");
    close_program(NULL);
}

TEST(test_bad_frees)
{
    open_checked(PTX_CHECK_MEMORY, 0);
    const ptx_address a = buffer(64), b = buffer(64);
    assert_int_equal(ptx_memory_free(device, a + 4), PTX_ERROR_INVALID_ARGUMENT);
    assert_string_equal(findings().codes, "memory-bad-free ");
    assert_int_equal(ptx_memory_free(device, b), PTX_OK);
    assert_int_equal(ptx_memory_free(device, b), PTX_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(findings().codes, "memory-freed-twice "));
    assert_int_equal(ptx_memory_free(device, 0), PTX_OK);
    ptx_check_free_refused(device, a + 8);
    assert_int_equal(findings().last.nsides, 0);
    close_program(NULL);
}

TEST(test_stream_order)
{
    ptx_address a, b = 0;
    open_checked(PTX_CHECK_MEMORY | PTX_CHECK_LEAK, 0);
    assert_int_equal(ptx_stream_alloc(device, 64, PTX_STREAM_LEGACY, &a), PTX_OK);
    assert_int_equal(ptx_stream_alloc(device, 64, PTX_STREAM_LEGACY, &b), PTX_OK);
    load(a, b, PTX_STREAM_LEGACY);
    assert_int_equal(ptx_stream_free(device, a, PTX_STREAM_LEGACY), PTX_OK);
    load(a, b, PTX_STREAM_LEGACY);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(ptx_stream_free(device, a, PTX_STREAM_LEGACY), PTX_ERROR_INVALID_ARGUMENT);
    const struct told t = findings();
    assert_non_null(strstr(t.codes, "memory-freed "));
    assert_non_null(strstr(t.codes, "memory-freed-twice "));
    assert_non_null(strstr(t.codes, "leak-memory "));
    close_program(NULL);
}

/* ---- streams ---- */

static struct told two_streams(bool event, bool wait)
{
    const ptx_stream_config config = {.struct_size = sizeof config, .flags = PTX_STREAM_NONBLOCKING};
    ptx_stream s, t;
    ptx_event e;
    open_checked(PTX_CHECK_RACE, 0);
    assert_int_equal(ptx_stream_create(device, &config, &s), PTX_OK);
    assert_int_equal(ptx_stream_create(device, &config, &t), PTX_OK);
    assert_int_equal(ptx_event_create(device, PTX_EVENT_NO_TIMING, &e), PTX_OK);
    const ptx_address a = buffer(64), b = buffer(64);
    load(a, b, s);
    assert_int_equal(ptx_event_record(device, e, s), PTX_OK);
    if (event) assert_int_equal(ptx_stream_wait_event(device, t, e), PTX_OK);
    if (wait) assert_int_equal(ptx_stream_wait(device, s, NULL), PTX_OK);
    load(b, a, t);
    const struct told told = findings();
    close_program(NULL);
    return told;
}

/* Whether the first grid has ended when the second begins is luck; what orders them is not. */
TEST(test_streams)
{
    assert_string_equal(two_streams(false, false).codes, "race-read-write race-write-read ");
    assert_string_equal(two_streams(true, false).codes, "");
    assert_string_equal(two_streams(false, true).codes, "");
}

TEST(test_early)
{
    const ptx_stream_config config = {.struct_size = sizeof config, .flags = PTX_STREAM_NONBLOCKING};
    ptx_stream s, t;
    ptx_address a;
    open_checked(PTX_CHECK_MEMORY | PTX_CHECK_RACE, 0);
    const ptx_address b = buffer(64);
    assert_int_equal(ptx_stream_create(device, &config, &s), PTX_OK);
    assert_int_equal(ptx_stream_create(device, &config, &t), PTX_OK);
    assert_int_equal(ptx_stream_alloc(device, 64, s, &a), PTX_OK);
    load(a, b, s);
    assert_string_equal(findings().codes, "");
    assert_int_equal(ptx_stream_alloc(device, 64, s, &a), PTX_OK);
    load(a, b, t);
    assert_string_equal(findings().codes, "memory-early ");
    close_program(NULL);
}

/* ---- leaks ---- */

TEST(test_leaks)
{
    void *host;
    ptx_address managed;
    open_checked(PTX_CHECK_LEAK, 7);
    assert_string_equal(findings().codes, "");
    const ptx_address a = buffer(64);
    for (int i = 0; i < 3; i++) buffer(100);
    assert_int_equal(ptx_host_alloc(device, 64, &host, NULL), PTX_OK);
    assert_int_equal(ptx_managed_alloc(device, 64, &managed), PTX_OK);
    struct told t = findings();
    assert_true(strlen(t.codes) >= 3 * strlen("leak-memory "));
    ptx_memory_free(device, a);
    ptx_host_free(device, host);
    ptx_memory_free(device, managed);
    t = findings();
    assert_string_equal(t.codes, "leak-memory ");
    assert_int_equal(t.last.count, 3);
    assert_non_null(strstr(t.last.message, "300 bytes in 3 allocations of device memory"));
    close_program(NULL);
}

/* Right programs end without freeing what they have: whoever wants to hear of that asks for it. */
TEST(test_leaks_apart)
{
    unsigned all, both;
    assert_int_equal(ptx_check_parse("all", &all), PTX_OK);
    assert_int_equal(ptx_check_parse("all,leak", &both), PTX_OK);
    assert_int_equal(both, all | PTX_CHECK_LEAK);
    assert_int_not_equal(both, all);
    open_checked(all, 0);
    buffer(64);
    assert_string_equal(findings().codes, "");
    close_program(NULL);
}

/* ---- what was written ---- */

TEST(test_unwritten)
{
    uint32_t word = 1;
    open_checked(PTX_CHECK_INIT, 0);
    const ptx_address a = buffer(64), b = buffer(64), c = buffer(64);
    assert_int_equal(ptx_memory_write(device, a, &word, 4), PTX_OK);
    load(a, b, PTX_STREAM_LEGACY);
    assert_string_equal(findings().codes, "");
    assert_int_equal(ptx_memory_read(device, &word, b, 4), PTX_OK);
    assert_string_equal(findings().codes, "");
    load(a + 4, b, PTX_STREAM_LEGACY);
    struct told t = findings();
    assert_string_equal(t.codes, "init-global ");
    assert_int_equal(t.last.address, a + 4);
    assert_int_equal(t.last.severity, PTX_ERROR);
    /* a copy carries what was not written */
    const ptx_copy copy = {
        .struct_size = sizeof copy, .to = {.address = c}, .from = {.address = a}, .width = 8};
    assert_int_equal(ptx_stream_copy(device, &copy, PTX_STREAM_LEGACY), PTX_OK);
    load(c, b, PTX_STREAM_LEGACY);
    assert_int_equal(findings().last.count, 1);
    load(c + 4, b, PTX_STREAM_LEGACY);
    assert_int_equal(findings().last.count, 2);
    assert_int_equal(ptx_memory_fill(device, c, 0, 64), PTX_OK);
    load(c + 4, b, PTX_STREAM_LEGACY);
    assert_int_equal(findings().last.count, 2);
    close_program(NULL);
}

TEST(test_host_reads)
{
    uint32_t words[4];
    open_checked(PTX_CHECK_INIT, 0);
    const ptx_address a = buffer(64);
    assert_int_equal(ptx_memory_read(device, words, a, 16), PTX_OK);
    struct told t = findings();
    assert_string_equal(t.codes, "init-host ");
    assert_int_equal(t.last.severity, PTX_ERROR);
    close_program(NULL);
    open_checked(PTX_CHECK_INIT, 0);
    const ptx_address b = buffer(64);
    assert_int_equal(ptx_memory_fill(device, b + 4, 1, 4), PTX_OK);
    assert_int_equal(ptx_memory_read(device, words, b, 16), PTX_OK);
    t = findings();
    assert_string_equal(t.codes, "init-host ");
    assert_int_equal(t.last.severity, PTX_WARNING);
    assert_int_equal(t.last.address, b);
    close_program(NULL);
}

TEST(test_poison)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .workers = 1, .memory_bytes = 1 << 20, .poison = 256 + 0xa5};
    open_program(&config, text);
    const ptx_address a = buffer(64);
    assert_int_equal(word_at(a + 60), 0xa5a5a5a5);
    close_program(NULL);
}

/* ---- the events ---- */

struct heard {
    unsigned n[PTX_TRACE_HOST_WAITED + 1];
    ptx_address address[PTX_TRACE_HOST_WAITED + 1];
    int answer;
};

static int note(void *user, const ptx_trace_memory *e)
{
    struct heard *h = user;
    h->n[e->kind]++;
    h->address[e->kind] = e->address;
    return h->answer;
}

TEST(test_events)
{
    static struct heard h;
    h = (struct heard){.answer = 1};
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .workers = 1,
                                      .memory_bytes = 1 << 20,
                                      .trace_memory = note,
                                      .trace_user = &h};
    open_program(&config, text);
    const ptx_address a = buffer(64), b = buffer(64);
    assert_int_equal(h.n[PTX_TRACE_ALLOC], 2);
    assert_int_equal(h.address[PTX_TRACE_ALLOC], b);
    load(a + 64, b, PTX_STREAM_LEGACY);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_int_equal(h.n[PTX_TRACE_FAULT], 1);
    assert_int_equal(h.address[PTX_TRACE_FAULT], a + 64);
    h.answer = 0;
    load(a + 64, b, PTX_STREAM_LEGACY);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_ERROR_FAULT);
    assert_int_equal(word_at(b), 0);
    assert_int_equal(h.n[PTX_TRACE_HOST_READ], 1);
    assert_int_equal(ptx_memory_free(device, a), PTX_OK);
    assert_int_equal(ptx_memory_free(device, a), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(h.n[PTX_TRACE_FREE], 1);
    assert_int_equal(h.n[PTX_TRACE_BAD_FREE], 1);
    assert_int_equal(h.address[PTX_TRACE_BAD_FREE], a);
    close_program(NULL);
}

int main(void)
{
    return run_suite();
}
