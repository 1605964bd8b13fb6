/*
 * test_launches.c - the list of launches (ptx_launches.h): what it keeps and how long, its limit, the order
 * of begins and ends. The forms and patterns have tests of their own (tests/cli/launches.test).
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "ptx_check.h"
#include "ptx_launches.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* `parent` launches `child` from each of its threads, into the stream that it is told; data + 4 * thread. */
#define TEXT(does, then)                                                                                     \
    HEAD ".extern .func (.param .b64 b) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 "  \
         "g[12],\n"                                                                                          \
         " .param .align 4 .b8 c[12], .param .b32 s);\n"                                                     \
         ".extern .func (.param .b32 e) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);\n"           \
         ".visible .global .u32 total;\n"                                                                    \
         ".visible .entry child(.param .u64 p, .param .u16 n) { " does " ret; }\n"                           \
         ".visible .entry parent(.param .u64 data, .param .u64 stream, .param .u32 threads) {\n"             \
         " .reg .b32 %t, %n; .reg .b64 %k, %b, %d, %s, %o; .reg .pred %p;\n"                                 \
         " .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 c[12]; .param .b32 s; .param .b64 " \
         "b;\n"                                                                                              \
         " .param .b64 t; .param .b32 e;\n"                                                                  \
         " ld.param.u64 %d, [data]; ld.param.u64 %s, [stream]; ld.param.u32 %n, [threads];\n"                \
         " mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %d, %d, %o;\n"                                \
         " mov.u64 %k, child; st.param.b64 [k], %k;\n"                                                       \
         " st.param.b32 [g+0], 1; st.param.b32 [g+4], 2; st.param.b32 [g+8], 3;\n"                           \
         " st.param.b32 [c+0], %n; st.param.b32 [c+4], 1; st.param.b32 [c+8], 1; st.param.b32 [s], 16;\n"    \
         " call (b), __cudaCDP2GetParameterBufferV2, (k, g, c, s);\n"                                        \
         " ld.param.b64 %b, [b];\n"                                                                          \
         " st.param.b64 [b], %b;\n"                                                                          \
         " setp.ne.u64 %p, %b, 0; @%p st.u64 [%b], %d; @%p st.u16 [%b+8], %t;\n"                             \
         " st.param.b64 [t], %s;\n"                                                                          \
         " call (e), __cudaCDP2LaunchDeviceV2, (b, t);\n " then "\n"                                         \
         " ret; }\n"                                                                                         \
         ".visible .entry wild() { .reg .u32 %t; .reg .u64 %a; mov.u64 %a, 16; ld.global.u32 %t, [%a]; "     \
         "ret; }\n"
static const char text[] = TEXT("", "");
static const char reads_at_once[] =
    TEXT(".reg .u64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d], 1;", "ld.global.u32 %t, [%d];");

struct parent_params {
    ptx_address data;
    uint64_t stream;
    uint32_t threads;
};

static void open_listed(uint64_t bytes)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .workers = 2, .memory_bytes = 1 << 22, .launches = bytes};
    open_program(&config, text);
}

static void launch_parent(unsigned threads, struct parent_params p)
{
    ptx_launch_config config = launch_shape(1, threads, &p, 20);
    config.api = "the test";
    assert_int_equal(ptx_kernel_launch(kernel_named("parent"), &config, NULL), PTX_OK);
}

/* ---- what is told ---- */

enum { MOST = 16 };
static ptx_launch_record records[MOST];
static char words[MOST][4][80];
static ptx_launch_param params[MOST][3];
static char values[MOST][3][40];
static unsigned nrecords;

static void note(void *user, const ptx_launch_record *r)
{
    (void)user;
    assert_in_range(nrecords, 0, MOST - 1);
    const char *const kept[4] = {r->kernel, r->stream, r->api, r->reason};
    for (int i = 0; i < 4; i++) snprintf(words[nrecords][i], 80, "%s", kept[i]);
    for (size_t i = 0; i < r->param_count; i++) {
        params[nrecords][i] = r->params[i];
        snprintf(values[nrecords][i], 40, "%s", r->params[i].text);
    }
    records[nrecords++] = *r;
}

static void list(void)
{
    nrecords = 0;
    assert_int_equal(ptx_device_launches(device, note, NULL), PTX_OK);
}

static ptx_launch_totals totals(void)
{
    ptx_launch_totals t = {.struct_size = sizeof t};
    assert_int_equal(ptx_device_launches_totals(device, &t), PTX_OK);
    return t;
}

/* ---- tests ---- */

static void test_record(void **state)
{
    (void)state;
    open_listed(1 << 20);
    const ptx_address data = buffer(64);
    char value[40];
    launch_parent(2, (struct parent_params){data, 4, 7});
    list();
    assert_int_equal(nrecords, 3);
    const ptx_launch_record *host = &records[0], *child = &records[2];
    assert_true(host->parent == PTX_LAUNCHED_BY_HOST);
    assert_string_equal(words[0][0], "parent");
    assert_string_equal(words[0][2], "the test");
    assert_int_equal(host->depth, 0);
    assert_int_equal(host->blocks, 1);
    assert_int_equal(host->begun, 1);
    assert_int_equal(host->ended, 6);
    assert_true(host->end_ns >= child->end_ns && child->end_ns >= child->begin_ns);
    assert_int_equal(child->parent, 0);
    assert_string_equal(words[2][0], "child");
    assert_string_equal(words[2][1], "fire and forget");
    assert_int_equal(child->shape[0] * 100 + child->shape[1] * 10 + child->shape[2], 123);
    assert_int_equal(child->block[0], 7);
    assert_int_equal(child->shared_bytes, 16);
    assert_int_equal(child->blocks, 6);
    assert_int_equal(child->instructions, 6 * 7);
    assert_int_equal(child->thread[0], 1);
    assert_int_equal(child->param_count, 2);
    snprintf(value, sizeof value, "0x%llx+4", (unsigned long long)data);
    assert_string_equal(values[2][0], value);
    assert_int_equal(params[2][0].block, data);
    assert_int_equal(params[2][0].block_bytes, 64);
    assert_string_equal(values[2][1], "1");
    assert_int_equal(params[2][1].size, 2);
}

/* Records keep names, places and addresses of what is gone. */
static void test_outlives(void **state)
{
    (void)state;
    open_listed(1 << 20);
    const ptx_address data = buffer(64);
    launch_parent(1, (struct parent_params){data, 0, 1});
    ptx_program_destroy(program);
    program = NULL;
    assert_int_equal(ptx_memory_free(device, data), PTX_OK);
    char why[200];
    const char *pattern = "1 x child<<<1x2x3,1,16,NULL>>>(p=+0, n=0) from parent";
    assert_int_equal(ptx_device_expect_launch(device, pattern, why, sizeof why), PTX_OK);
}

/* The same address may hold another program's kernel then. */
static void test_names_of_programs(void **state)
{
    (void)state;
    static const char other[] = HEAD ".visible .entry other() { ret; }\n";
    const ptx_module_options options = {.file_name = "other.ptx"};
    open_listed(1 << 20);
    launch_parent(1, (struct parent_params){0, 0, 1});
    ptx_program_destroy(program);
    for (int i = 0; i < 8; i++) {
        ptx_module *module;
        assert_int_equal(ptx_module_create(&options, other, strlen(other), &module), PTX_OK);
        assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program),
                         PTX_OK);
        ptx_module_destroy(module);
        const ptx_launch_config config = launch_shape(1, 1, NULL, 0);
        assert_int_equal(ptx_kernel_launch(kernel_named("other"), &config, NULL), PTX_OK);
        ptx_program_destroy(program);
    }
    program = NULL;
    assert_int_equal(ptx_device_expect_launch(device, "8 x other from host", NULL, 0), PTX_OK);
    assert_int_equal(ptx_device_expect_launch(device, "1 x parent from host", NULL, 0), PTX_OK);
}

static void test_refused(void **state)
{
    (void)state;
    open_listed(1 << 20);
    launch_parent(1, (struct parent_params){0, 0, 2000});
    list();
    assert_int_equal(nrecords, 3); /* the buffer is refused, and so is its launch */
    assert_int_equal(records[1].cuda_error, 9);
    assert_int_equal(records[1].parent, 0);
    assert_int_equal(records[1].block[0], 2000);
    assert_int_equal(records[1].begun, 0);
    assert_int_equal(records[2].cuda_error, 1);
    assert_string_equal(words[2][0], "");
    assert_true(strstr(words[2][3], "no parameter buffer") != NULL);
    const ptx_launch_totals t = totals();
    assert_int_equal(t.grids, 1);
    assert_int_equal(t.by_kernels, 0);
    assert_int_equal(t.refused, 2);
    assert_int_equal(t.depth, 0);
}

/* Beyond the limit launches are counted; all of them run. */
static void test_limit(void **state)
{
    (void)state;
    open_listed(1 << 16);
    for (int i = 0; i < 1000; i++) launch_parent(1, (struct parent_params){0, 0, 1});
    const ptx_launch_totals t = totals();
    assert_in_range(t.grids, 1, 1999);
    assert_int_equal(t.grids + t.lost, 2000);
    char why[400];
    assert_int_equal(ptx_device_expect_launch(device, "1000 x child", why, sizeof why), PTX_ERROR_NOT_FOUND);
    assert_true(strstr(why, "had no room in the list") != NULL);
    assert_int_equal(ptx_device_launches_clear(device), PTX_OK);
    assert_int_equal(totals().lost, 0);
    launch_parent(1, (struct parent_params){0, 0, 1});
    assert_int_equal(ptx_device_expect_launch(device, "child", NULL, 0), PTX_OK);
}

static void count(void *user, const ptx_check_finding *finding)
{
    *(uint64_t *)user += finding->count;
}

/* The check of launches counts on, and touches nothing of launches that were cleared or a program that is
 * gone (a sanitizer would see that). */
static void test_forgotten(void **state)
{
    (void)state;
    const ptx_device_config config = {
        .struct_size = sizeof config, .memory_bytes = 1 << 22, .check = PTX_CHECK_LAUNCH};
    ptx_address data;
    ptx_program *first;
    uint64_t found[3] = {0};
    open_program(&config, reads_at_once);
    first = program;
    assert_int_equal(ptx_memory_alloc(device, 4, &data), PTX_OK);
    launch_parent(1, (struct parent_params){data, 0, 1});
    assert_int_equal(ptx_device_findings(device, count, &found[0]), PTX_OK);
    assert_int_equal(ptx_device_launches_clear(device), PTX_OK);
    launch_parent(1, (struct parent_params){data, 0, 1});
    assert_int_equal(ptx_device_findings(device, count, &found[1]), PTX_OK);
    load_program(reads_at_once);
    ptx_program_destroy(first);
    launch_parent(1, (struct parent_params){data, 0, 1});
    assert_int_equal(ptx_device_findings(device, count, &found[2]), PTX_OK);
    assert_true(found[0] > 0);
    assert_int_equal(found[1], 2 * found[0]);
    assert_int_equal(found[2], 3 * found[0]);
}

/* What was running when a launch stopped has an end, too. */
static void test_stopped(void **state)
{
    (void)state;
    open_listed(1 << 20);
    const ptx_launch_config config = launch_shape(1, 1, NULL, 0);
    assert_int_equal(ptx_kernel_launch(kernel_named("wild"), &config, NULL), PTX_ERROR_FAULT);
    list();
    assert_int_equal(nrecords, 1);
    assert_int_equal(records[0].begun, 1);
    assert_int_equal(records[0].ended, 2);
}

static int stop(void *user, const char *piece, size_t size)
{
    (void)piece, (void)size;
    ++*(int *)user;
    return 1;
}

static void test_arguments(void **state)
{
    (void)state;
    ptx_launch_totals t = {.struct_size = 4};
    int calls = 0;
    open_usual(text);
    assert_int_equal(ptx_device_launches(device, note, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_launches_clear(device), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_expect_launch(device, "child", NULL, 0), PTX_ERROR_INVALID_ARGUMENT);
    close_program(NULL);
    open_listed(1 << 20);
    launch_parent(1, (struct parent_params){0, 0, 1});
    assert_int_equal(ptx_device_launches(device, NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_launches_totals(device, &t), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_expect_launch(device, NULL, NULL, 0), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_expect_launch(device, "", NULL, 0), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_launches_write(device, PTX_LAUNCHES_JSON, stop, &calls),
                     PTX_ERROR_INTERRUPTED);
    assert_int_equal(calls, 1);
    assert_int_equal(
        ptx_device_launches_write(device, (ptx_launches_form)(PTX_LAUNCHES_TIMELINE + 1), stop, &calls),
        PTX_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_record, close_program),
        cmocka_unit_test_teardown(test_outlives, close_device),
        cmocka_unit_test_teardown(test_names_of_programs, close_device),
        cmocka_unit_test_teardown(test_refused, close_program),
        cmocka_unit_test_teardown(test_limit, close_program),
        cmocka_unit_test_teardown(test_forgotten, close_program),
        cmocka_unit_test_teardown(test_stopped, close_program),
        cmocka_unit_test_teardown(test_arguments, close_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
