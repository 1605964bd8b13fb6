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

static char *text;
static size_t text_size;

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
    if (status == PTX_OK)
        status = with_message(ptx_kernel_launch(kernel, &launch, &fault), ptx_device_message(device));
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

static void fail_each(const char *name, unsigned workers, uint32_t expected)
{
    uint32_t result = 0;
    long failures = 0;
    until_failure = 0;
    assert_int_equal(whole(name, workers, &result), PTX_OK);
    assert_int_equal(result, expected);
    assert_int_equal(live, 0);
    const long total = -until_failure;
    for (long n = 1; n <= total; n++) {
        until_failure = n;
        const ptx_status status = whole(name, workers, &result);
        failures += status != PTX_OK;
        if (!is_expected(status)) fail_msg("allocation %ld of %ld: %s", n, total, ptx_status_name(status));
        if (live) fail_msg("allocation %ld of %ld: %ld blocks are not freed", n, total, live);
    }
    assert_true(failures > 0);
    until_failure = 0;
    assert_int_equal(whole(name, workers, &result), PTX_OK);
}

TEST(every_allocation_of_a_launch)
{
    fail_each("wait_for_children", 1, 640);
}

TEST(every_allocation_with_two_workers)
{
    fail_each("wait_for_children", 2, 640);
}

int main(void)
{
    FILE *file = fopen("tests/api/ptx/first.ptx", "rb");
    text = malloc(1 << 20);
    text_size = file ? fread(text, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    if (!text_size) {
        fprintf(stderr, "tests/api/ptx/first.ptx cannot be read; run from the top of the source tree\n");
        return 1;
    }
    int failed = run_suite();
    free(text);
    return failed;
}
