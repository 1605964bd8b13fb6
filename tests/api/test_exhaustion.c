/*
 * test_exhaustion.c - every allocation fails once: no crash, no leak, a status
 * each time, and the same work succeeds when the allocator does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ptxvm.h"
#include "suite.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* workers allocate too */
static long until_failure, live;

static void *counting(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    pthread_mutex_lock(&lock);
    const bool fails = size && --until_failure == 0;
    void *result = NULL;
    if (!size)
        free(ptr);
    else if (!fails)
        result = realloc(ptr, size);
    live += (result && !ptr) - (!size && ptr);
    pthread_mutex_unlock(&lock);
    return result;
}

static const char *text;
static size_t text_size;
static char told[200]; /* of the last launch that failed */

/* A failure without a word helps nobody. */
static ptx_status with_message(ptx_status status, const char *message)
{
    if (status != PTX_OK && !*message) fail_msg("%s, without a message", ptx_status_name(status));
    return status;
}

/* A launch of `kernel` from beginning to end; the first status that is not fine. */
static ptx_status whole(const char *name, unsigned workers, uint32_t *result)
{
    const ptx_allocator allocator = {.realloc = counting};
    const ptx_module_options options = {.allocator = allocator};
    char error[200] = "";
    const ptx_device_config config = {
        .allocator = allocator, .workers = workers, .error = error, .error_bytes = sizeof error};
    ptx_device *device = NULL;
    ptx_module *module = NULL;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address out;
    ptx_fault fault = {sizeof fault};
    ptx_status status = ptx_module_create(&options, text, text_size, &module);
    if (status == PTX_OK) status = with_message(ptx_device_create(&config, &device), error);
    if (status == PTX_OK)
        status =
            with_message(ptx_program_create(device, (const ptx_module *const[]){module}, 1, NULL, &program),
                         ptx_device_message(device));
    if (status == PTX_OK) status = ptx_program_kernel(program, name, &kernel);
    if (status == PTX_OK) status = ptx_memory_alloc(device, 4096, &out);
    const ptx_launch_config launch = {
        sizeof launch, {4, 1, 1}, {64, 1, 1}, 0, (uint64_t[]){out, out + 256}, 16};
    if (status == PTX_OK) {
        status = with_message(ptx_kernel_launch(kernel, &launch, &fault), ptx_device_message(device));
        snprintf(told, sizeof told, "%s", ptx_device_message(device));
    }
    if (status == PTX_OK) status = ptx_memory_read(device, result, out, 4);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
    return status;
}

static bool is_expected(ptx_status status)
{
    /* In a kernel the device runtime answers with a code or a fault. */
    return status == PTX_OK || status == PTX_ERROR_OUT_OF_MEMORY || status == PTX_ERROR_FAULT;
}

/* How many failures were told with these words. */
static long fail_each(const char *name, unsigned workers, uint32_t expected, const char *words)
{
    uint32_t result = 0;
    long failures = 0, so = 0;
    until_failure = 0;
    assert_int_equal(whole(name, workers, &result), PTX_OK);
    assert_int_equal(result, expected);
    assert_int_equal(live, 0);
    const long total = -until_failure;
    for (long n = 1; n <= total; n++) {
        until_failure = n;
        told[0] = 0;
        const ptx_status status = whole(name, workers, &result);
        so += status == PTX_ERROR_FAULT && strstr(told, words) != NULL;
        failures += status != PTX_OK;
        if (!is_expected(status)) fail_msg("allocation %ld of %ld: %s", n, total, ptx_status_name(status));
        if (live) fail_msg("allocation %ld of %ld: %ld blocks are not freed", n, total, live);
    }
    assert_true(failures > 0);
    until_failure = 0;
    assert_int_equal(whole(name, workers, &result), PTX_OK);
    return so;
}

TEST(every_allocation_of_a_launch)
{
    fail_each("wait_for_children", 1, 640, "");
}

TEST(every_allocation_with_two_workers)
{
    fail_each("wait_for_children", 2, 640, "");
}

/* Lanes part where the function of their kernel is entered by half of them, and go on in a loop whose turns
 * differ: what runs them is made then. The sum of 0 to 63, each twice and once more if odd. */
TEST(every_allocation_where_lanes_part)
{
    const char *const before = text;
    const size_t size_before = text_size;
    text = ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".func (.reg .b32 d) once_more(.reg .b32 a)\n{\n.reg .pred p;\nand.b32 d, a, 2;\n"
           "setp.eq.u32 p, d, 0;\nmov.u32 d, a;\n@p ret;\nmov.u32 d, a;\nret;\n}\n"
           ".entry parts(.param .u64 out, .param .u64 other)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n"
           ".reg .b64 %d;\nld.param.u64 %d, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\n"
           "mov.u32 %r2, 0;\nand.b32 %r3, %r0, 1;\nsetp.ne.u32 %p0, %r3, 0;\n"
           "@!%p0 bra TURN;\ncall (%r1), once_more, (%r0);\n"
           "TURN:\nsetp.ge.u32 %p1, %r2, %r0;\n@%p1 bra OUT;\nadd.u32 %r1, %r1, 2;\n"
           "add.u32 %r2, %r2, 1;\nbra TURN;\nOUT:\nred.global.add.u32 [%d], %r1;\nret;\n}\n";
    text_size = strlen(text);
    /* of each of four blocks */
    const uint32_t sum = 4 * (63 * 64 / 2 * 2 + 32 * 32);
    assert_true(fail_each("parts", 1, sum, "no memory for the code of lanes that part") >= 2);
    assert_true(fail_each("parts", 2, sum, "no memory for the code of lanes that part") >= 2);
    text = before;
    text_size = size_before;
}

int main(void)
{
    FILE *file = fopen("tests/api/ptx/first.ptx", "rb");
    char *const first = malloc(1 << 20);
    text = first;
    text_size = file ? fread(first, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    if (!text_size) {
        fprintf(stderr, "tests/api/ptx/first.ptx cannot be read; run from the top of the source tree\n");
        return 1;
    }
    int failed = run_suite();
    free(first);
    return failed;
}
