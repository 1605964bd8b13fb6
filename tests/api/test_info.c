/*
 * test_info.c - attributes, occupancy and enumeration against what an H100 answered, and events for tools.
 *
 * The recorded rows are of two kernels: one without shared memory, and one with
 * 4096 bytes of it and at most 256 threads; neither uses registers to speak of.
 */
#include "api/fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptx_info.h"
#include "ptx_memory.h"
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "ptx_watch.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static void load(const char *text)
{
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 2, .memory_bytes = 1 << 20};
    open_program(&config, text);
}

static const char two[] = HEAD ".global .u32 counter;\n.const .u16 table[3] = {1, 2, 3};\n"
                               ".visible .entry k0() { ret; }\n"
                               ".visible .entry k1() .maxntid 256 { .shared .u32 t[1024]; .reg .u32 %x;\n"
                               " ld.shared.u32 %x, [t]; ret; }\n";

/* ---- occupancy ---- */

/* Bytes of dynamic shared memory; for a kernel and threads of a block, how many blocks with so much of it a
 * multiprocessor holds. */
enum { SIZES = 18 };
static const unsigned sizes[SIZES] = {0,     1,     100,   1000,  1024,   4096,   8192,   10000,  16384,
                                      20000, 32768, 49152, 65536, 100000, 116736, 200000, 228352, 232448};
static const struct held {
    unsigned kernel, threads, blocks[SIZES];
} held[] = {
    /* clang-format off */
    {0, 32, {32, 32, 32, 32, 32, 32, 25, 20, 13, 11, 6, 4, 3, 2, 1, 1, 1, 1}},
    {0, 96, {21, 21, 21, 21, 21, 21, 21, 20, 13, 11, 6, 4, 3, 2, 1, 1, 1, 1}},
    {0, 256, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 4, 3, 2, 1, 1, 1, 1}},
    {0, 320, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 4, 3, 2, 1, 1, 1, 1}},
    {0, 1024, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1}},
    {1, 32, {32, 32, 32, 32, 32, 25, 17, 15, 10, 9, 6, 4, 3, 2, 1, 1, 1, 0}},
    {1, 96, {21, 21, 21, 21, 21, 21, 17, 15, 10, 9, 6, 4, 3, 2, 1, 1, 1, 0}},
    {1, 256, {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6, 4, 3, 2, 1, 1, 1, 0}},
    {1, 320, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 4, 3, 2, 1, 1, 1, 0}},
    {1, 1024, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 0}},
    /* clang-format on */
};

/* kernel, threads, blocks of a multiprocessor: dynamic shared memory of each, CUDA's error */
static const unsigned shared_left[][5] = {
    /* clang-format off */
    {0, 32, 1, 232448, 0}, {0, 32, 2, 116736, 0}, {0, 32, 4, 58368, 0}, {0, 32, 8, 29184, 0},
    {0, 32, 16, 14592, 0}, {0, 256, 1, 232448, 0}, {0, 256, 2, 116736, 0}, {0, 256, 4, 58368, 0},
    {0, 256, 8, 29184, 0}, {0, 256, 16, 0, 1}, {0, 1024, 1, 232448, 0}, {0, 1024, 2, 116736, 0},
    {0, 1024, 4, 0, 1}, {0, 1024, 8, 0, 1}, {0, 1024, 16, 0, 1}, {1, 32, 1, 228352, 0},
    {1, 32, 2, 112640, 0}, {1, 32, 4, 54272, 0}, {1, 32, 8, 25088, 0}, {1, 32, 16, 10496, 0},
    {1, 256, 1, 228352, 0}, {1, 256, 2, 112640, 0}, {1, 256, 4, 54272, 0}, {1, 256, 8, 25088, 0},
    {1, 256, 16, 0, 1}, {1, 1024, 1, 228352, 0}, {1, 1024, 2, 112640, 0}, {1, 1024, 4, 0, 1},
    {1, 1024, 8, 0, 1}, {1, 1024, 16, 0, 1},
    /* clang-format on */
};

/* kernel, dynamic shared memory: grid and block */
static const unsigned best[][4] = {
    /* clang-format off */
    {0, 0, 264, 1024}, {0, 1, 264, 1024}, {0, 100, 264, 1024}, {0, 1000, 264, 1024}, {0, 1024, 264, 1024},
    {0, 4096, 264, 1024}, {0, 8192, 264, 1024}, {0, 10000, 264, 1024}, {0, 16384, 264, 1024},
    {0, 20000, 264, 1024}, {0, 32768, 264, 1024}, {0, 49152, 264, 1024}, {0, 65536, 264, 1024},
    {0, 100000, 264, 1024}, {0, 116736, 132, 1024}, {0, 200000, 132, 1024}, {0, 228352, 132, 1024},
    {0, 232448, 132, 1024}, {1, 0, 1056, 256}, {1, 1, 1056, 256}, {1, 100, 1056, 256},
    {1, 1000, 1056, 256}, {1, 1024, 1056, 256}, {1, 4096, 1056, 256}, {1, 8192, 1056, 256},
    {1, 10000, 1056, 256}, {1, 16384, 1056, 256}, {1, 20000, 1056, 256}, {1, 32768, 792, 256},
    {1, 49152, 528, 256}, {1, 65536, 396, 256}, {1, 100000, 264, 256}, {1, 116736, 132, 256},
    {1, 200000, 132, 256}, {1, 228352, 132, 256}, {1, 232448, 0, 0},
    /* clang-format on */
};

TEST(occupancy_is_the_chips)
{
    load(two);
    ptx_kernel *const kernels[2] = {kernel_named("k0"), kernel_named("k1")};
    unsigned n, block;
    uint64_t bytes;
    for (const struct held *h = held; h < held + sizeof held / sizeof *held; h++)
        for (size_t i = 0; i < SIZES; i++) {
            assert_int_equal(ptx_occupancy_blocks(kernels[h->kernel], h->threads, sizes[i], &n), PTX_OK);
            if (n != h->blocks[i])
                fail_msg("kernel %u, %u threads, %u bytes: %u blocks, the chip holds %u", h->kernel,
                         h->threads, sizes[i], n, h->blocks[i]);
        }
    for (size_t i = 0; i < sizeof shared_left / sizeof *shared_left; i++) {
        const unsigned *r = shared_left[i];
        const ptx_status status = ptx_occupancy_shared(kernels[r[0]], r[2], r[1], &bytes);
        assert_int_equal(status, r[4] ? PTX_ERROR_INVALID_ARGUMENT : PTX_OK);
        if (status == PTX_OK && bytes != r[3])
            fail_msg("row %zu: %u bytes, not %u", i, (unsigned)bytes, r[3]);
    }
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        assert_int_equal(ptx_occupancy_shape(kernels[best[i][0]], best[i][1], 0, &n, &block), PTX_OK);
        if (n != best[i][2] || block != best[i][3]) fail_msg("row %zu: %u blocks of %u", i, n, block);
    }
    assert_int_equal(ptx_occupancy_blocks(kernels[0], 0, 0, &n), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_occupancy_blocks(NULL, 32, 0, &n), PTX_ERROR_INVALID_ARGUMENT);
    ptx_device_destroy(device);
}

/* ---- attributes and lists ---- */

TEST(attributes_are_the_chips)
{
    load(two);
    /* as an H100 80GB HBM3 answered */
    static const int of_device[][2] = {{1, 1024}, {5, 2147483647}, {8, 49152},     {10, 32},   {12, 65536},
                                       {16, 132}, {21, 131072},    {38, 52428800}, {39, 2048}, {75, 9},
                                       {76, 0},   {81, 233472},    {82, 65536},    {95, 1},    {97, 232448},
                                       {106, 32}, {111, 1024}};
    int value;
    for (size_t i = 0; i < sizeof of_device / sizeof *of_device; i++) {
        assert_int_equal(ptx_device_attribute(device, of_device[i][0], &value), PTX_OK);
        assert_int_equal(value, of_device[i][1]);
    }
    assert_int_equal(ptx_device_attribute(device, 0, &value), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_device_attribute(device, 100000, &value), PTX_ERROR_NOT_FOUND);
    static const int of_kernel[][3] = {{0, 0, 1024}, {0, 1, 0},    {0, 8, 49152}, {0, 9, -1},
                                       {1, 0, 256},  {1, 1, 4096}, {1, 8, 45056}, {1, 6, 90}};
    ptx_kernel *const kernels[2] = {kernel_named("k0"), kernel_named("k1")};
    for (size_t i = 0; i < sizeof of_kernel / sizeof *of_kernel; i++) {
        assert_int_equal(ptx_kernel_attribute(kernels[of_kernel[i][0]], of_kernel[i][1], &value), PTX_OK);
        assert_int_equal(value, of_kernel[i][2]);
    }
    assert_int_equal(ptx_kernel_attribute_set(kernels[1], 8, 228352), PTX_OK);
    assert_int_equal(ptx_kernel_attribute(kernels[1], 8, &value), PTX_OK);
    assert_int_equal(value, 228352);
    assert_int_equal(ptx_kernel_attribute_set(kernels[1], 8, 228353), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_kernel_attribute_set(kernels[1], 0, 5), PTX_ERROR_INVALID_ARGUMENT);
    ptx_device_destroy(device);
}

TEST(programs_tell_what_they_hold)
{
    load(two);
    ptx_kernel *k;
    ptx_kernel_info info = {.struct_size = sizeof info};
    ptx_variable_info v = {.struct_size = sizeof v};
    ptx_address address;
    bool seen[4] = {0};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ptx_program_kernel_at(program, i, &k), PTX_OK);
        assert_int_equal(ptx_kernel_info_get(k, &info), PTX_OK);
        seen[strcmp(info.name, "k0") != 0] = true;
        assert_int_equal(ptx_program_variable_at(program, i, &v), PTX_OK);
        seen[2 + (strcmp(v.name, "counter") != 0)] = true;
        assert_int_equal(v.is_const, !strcmp(v.name, "table"));
        assert_int_equal(v.size, v.is_const ? 6 : 4);
        assert_int_equal(ptx_program_variable(program, v.name, &address, NULL), PTX_OK);
        assert_int_equal(v.address, address);
    }
    for (int i = 0; i < 4; i++) assert_true(seen[i]);
    assert_int_equal(ptx_program_kernel_at(program, 2, &k), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_variable_at(program, 2, &v), PTX_ERROR_NOT_FOUND);
    ptx_device_destroy(device);
}

/* ---- events for tools ---- */

static char heard[4096];

static void hear(void *user, const ptx_watch_event *e)
{
    static const char *const names[] = {"?", "begin", "end", "copy", "wait", "refused", "leak"};
    char line[300];
    int n = snprintf(line, sizeof line, "%s", names[e->kind]);
    (void)user;
    if (e->kind <= PTX_WATCH_GRID_END)
        n += snprintf(line + n, sizeof line - (size_t)n, " %s<%s %ux%u depth %u params %zu", e->kernel,
                      e->parent_kernel, e->shape[0], e->block[0], e->depth, e->param_bytes);
    if (e->kind == PTX_WATCH_COPY || e->kind == PTX_WATCH_LEAK)
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", (unsigned)e->bytes);
    if (e->kind == PTX_WATCH_REFUSED)
        snprintf(line + n, sizeof line - (size_t)n, " %s in %s: %s (%d)", e->kernel, e->parent_kernel,
                 e->reason, e->cuda_error);
    strncat(heard, line, sizeof heard - strlen(heard) - 2);
    strcat(heard, "\n");
}

static const char parent[] = HEAD
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 k, .param .b64 p, .param .align 4 .b8 g[12],"
    " .param .align 4 .b8 b[12], .param .b32 s, .param .b64 st);\n"
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 n);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".visible .entry child(.param .u64 a, .param .u64 b) { ret; }\n"
    ".visible .entry leaf() { ret; }\n"
    ".func launch(.reg .u64 %k, .reg .u64 %buffer) {\n"
    " .param .b64 k; .param .b64 p; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;"
    " .param .b64 st; .param .b32 e; st.param.b64 [k], %k; st.param.b64 [p], %buffer; st.param.b32 [g], 3;"
    " st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 32; st.param.b32 [b+4], 1;"
    " st.param.b32 [b+8], 1; st.param.b32 [s], 0; st.param.b64 [st], 0;"
    " call.uni (e), cudaLaunchDevice, (k, p, g, b, s, st); ret; }\n"
    ".visible .entry parent() { .reg .u64 %k, %b, %n; mov.u64 %k, leaf; mov.u64 %b, 0; call launch, (%k, "
    "%b);\n"
    " { .param .b64 a; .param .b64 n; .param .b64 r; st.param.b64 [a], 64; st.param.b64 [n], 8;"
    " call.uni (r), cudaGetParameterBuffer, (a, n); ld.param.b64 %b, [r]; }\n"
    " mov.u64 %k, child; call launch, (%k, %b); mov.u64 %k, 16; call launch, (%k, %b);\n"
    " { .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call.uni (r), malloc, (n); } ret; }\n";

TEST(launches_are_told)
{
    load(parent);
    ptx_address va;
    const ptx_launch_config config = {.struct_size = sizeof config, .grid = {1}, .block = {1}};
    *heard = 0;
    assert_int_equal(ptx_memory_alloc(device, 64, &va), PTX_OK);
    assert_int_equal(ptx_device_watch(device, hear, NULL), PTX_OK);
    assert_int_equal(ptx_memory_fill(device, va, 0, 64), PTX_OK);
    assert_int_equal(ptx_kernel_submit(kernel_named("parent"), &config, 0, NULL), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_non_null(strstr(heard, "copy 64\n"));
    assert_non_null(strstr(heard, "begin parent< 1x1 depth 0 params 0\n"));
    const char *begin = strstr(heard, "begin leaf<parent 3x32 depth 1 params 0\n"),
               *end = strstr(heard, "end leaf<parent 3x32 depth 1 params 0\n");
    assert_non_null(begin);
    assert_true(end > begin);
    assert_true(strstr(heard, "end parent< 1x1 depth 0 params 0\n") > end);
    assert_non_null(
        strstr(heard, "refused child in parent: buffer of 8 bytes for 16 bytes of parameters (1)\n"));
    assert_non_null(strstr(heard, "refused  in parent: not a kernel (1)\n"));
    assert_non_null(strstr(heard, "wait\n"));
    assert_null(strstr(heard, "leak"));
    ptx_device_destroy(device);
    assert_non_null(strstr(heard, "leak 40\n"));
}

/* Everything that the device could be asked from the function that watches it is a status. */
struct intruder {
    ptx_address p;
    ptx_kernel *kernel;
    unsigned refused, called;
};

static void intrude(void *user, const ptx_watch_event *e)
{
    struct intruder *in = user;
    const ptx_launch_config config = {.struct_size = sizeof config, .grid = {1}, .block = {1}};
    const ptx_fill fill = {.to = in->p, .width = 4};
    ptx_address a;
    ptx_stream s;
    ptx_event event;
    ptx_graph graph;
    int value;
    uint32_t word = 0;
    (void)e;
    in->called++;
#define REFUSED(call) in->refused += (call) == PTX_ERROR_INVALID_ARGUMENT
    REFUSED(ptx_memory_alloc(device, 4, &a));
    REFUSED(ptx_memory_free(device, in->p));
    REFUSED(ptx_memory_read(device, &word, in->p, 4));
    REFUSED(ptx_memory_write(device, in->p, &word, 4));
    REFUSED(ptx_kernel_launch(in->kernel, &config, NULL));
    REFUSED(ptx_kernel_submit(in->kernel, &config, 0, NULL));
    REFUSED(ptx_stream_create(device, NULL, &s));
    REFUSED(ptx_stream_wait(device, 0, NULL));
    REFUSED(ptx_stream_query(device, 0));
    REFUSED(ptx_device_wait(device, NULL));
    REFUSED(ptx_device_watch(device, NULL, NULL));
    REFUSED(ptx_event_create(device, 0, &event));
    REFUSED(ptx_graph_create(device, &graph));
    REFUSED(ptx_stream_fill(device, &fill, 0));
    REFUSED(ptx_stream_alloc(device, 4, 0, &a));
    REFUSED(ptx_memory_set(device, &fill));
    enum { CALLS = 16 };
    ptx_device_destroy(device);
    assert_int_equal(ptx_device_attribute(device, 75, &value), PTX_OK);
    if (in->refused != CALLS * in->called) in->refused = UINT32_MAX / 2;
}

TEST(watchers_are_kept_out)
{
    load(parent);
    struct intruder in = {.kernel = kernel_named("parent")};
    const ptx_launch_config config = {.struct_size = sizeof config, .grid = {1}, .block = {1}};
    assert_int_equal(ptx_memory_alloc(device, 64, &in.p), PTX_OK);
    assert_int_equal(ptx_device_watch(device, intrude, &in), PTX_OK);
    assert_int_equal(ptx_memory_fill(device, in.p, 0, 64), PTX_OK);
    assert_int_equal(ptx_kernel_launch(in.kernel, &config, NULL), PTX_OK);
    assert_int_equal(ptx_kernel_submit(in.kernel, &config, 0, NULL), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    assert_in_range(in.called, 10, 1000);
    assert_int_equal(in.refused, 16 * in.called);
    assert_int_equal(ptx_device_watch(device, NULL, NULL), PTX_OK);
    ptx_device_destroy(device);
}

/* ---- what kernels need ---- */

/* Many more names than registers: labels, and variables of the module. */
TEST(needs_of_a_kernel_of_many_names)
{
    enum { LABELS = 3000, VARIABLES = 500, LINE = 64 };
    const size_t room = LABELS * LINE + VARIABLES * 2 * LINE + 1000;
    char *text = malloc(room);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, room, HEAD);
    for (int i = 0; i < VARIABLES; i++) n += (size_t)snprintf(text + n, room - n, ".shared .b32 s%d;\n", i);
    n += (size_t)snprintf(text + n, room - n,
                          ".visible .entry k(.param .u64 p) { .reg .pred %%p; .reg .u32 %%x;\n"
                          " .reg .u64 %%a; ld.param.u64 %%a, [p]; ld.global.u32 %%x, [%%a];\n");
    for (int i = 0; i < VARIABLES; i++) n += (size_t)snprintf(text + n, room - n, " mov.u32 %%x, s%d;\n", i);
    for (int i = 0; i < LABELS; i++)
        n += (size_t)snprintf(text + n, room - n, " @%%p bra A%d;\nA%d:\n", i, i);
    snprintf(text + n, room - n, " ret; }\n");
    ptx_module *module;
    ptx_param_member members[2];
    ptx_kernel_needs needs = {
        .struct_size = sizeof needs, .member_size = sizeof *members, .members = members, .member_room = 2};
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    assert_int_equal(ptx_module_kernel_needs(module, 0, &needs), PTX_OK);
    assert_int_equal(needs.member_count, 1);
    assert_string_equal(members[0].type, "u64");
    ptx_module_destroy(module);
    free(text);
}

int main(void)
{
    return run_suite();
}
