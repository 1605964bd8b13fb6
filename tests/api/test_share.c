/*
 * test_share.c - memory that two devices see through descriptors of files, as two processes would. What is
 * expected is what include/ptx_memory.h promises.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "api/pages.h"
#include "ptx_memory.h"
#include "suite.h"

static ptx_device *here, *there;
static ptx_kernel *kernels[2];

static ptx_device *make(ptx_kernel **kernel)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .workers = 2, .memory_bytes = 64 << 20, .timeout_ms = 60000};
    ptx_device *device;
    *kernel = open_adder(&config, &device);
    return device;
}

static int set_up(void **state)
{
    (void)state;
    here = make(&kernels[0]);
    there = make(&kernels[1]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ptx_device_destroy(here);
    ptx_device_destroy(there);
    return 0;
}

#define CASE(name) TEST_WITHIN(name, set_up, tear_down)

/* Adds n to the word at p by a kernel. */
static ptx_status add(ptx_device *device, ptx_address p, uint32_t n)
{
    const struct adder a = {p, n};
    const ptx_launch_config launch = {
        .struct_size = sizeof launch, .grid = {1}, .block = {1}, .params = &a, .param_bytes = 12};
    return ptx_kernel_launch(kernels[device == there], &launch, NULL);
}

static uint32_t word_at(ptx_device *device, ptx_address p)
{
    uint32_t word;
    OK(ptx_memory_read(device, &word, p, 4));
    return word;
}

/* An allocation is seen with its own bounds, and so are those that lie in the same pages. */
CASE(allocations_are_opened)
{
    ptx_address a, b, c, x, y;
    int file, other;
    uint64_t at, then, again;
    ptx_memory_info info = {.struct_size = sizeof info};
    OK(ptx_memory_alloc(here, 1000, &a));
    OK(ptx_memory_alloc(here, 1000, &b));
    OK(ptx_memory_alloc(here, 3 << 20, &c));
    OK(add(here, a, 1));
    OK(add(here, b, 2));
    OK(add(here, c + (3 << 20) - 4, 3));
    OK(ptx_memory_share(here, b, &file, &at));
    OK(ptx_memory_share(here, c, &other, &then));
    assert_int_equal(file, other);
    OK(ptx_memory_open(there, file, at, 1000, &x));
    OK(ptx_memory_open(there, file, then, 3 << 20, &y));
    assert_int_equal(word_at(there, x), 2);
    assert_int_equal(word_at(there, y + (3 << 20) - 4), 3);
    OK(add(there, x, 40));
    OK(add(there, y, 50));
    assert_int_equal(word_at(here, b), 42);
    assert_int_equal(word_at(here, c), 50);
    assert_int_equal(word_at(here, a), 1);
    assert_int_equal(add(there, x + 1000, 1), PTX_ERROR_FAULT);
    assert_int_equal(add(there, x - 4, 1), PTX_ERROR_FAULT);
    OK(ptx_memory_info_get(there, x + 100, &info));
    assert_int_equal(info.kind, PTX_MEMORY_OPENED);
    assert_int_equal(info.base, x);
    assert_int_equal(info.size, 1000);
    /* What is shared later joins it; what is shared already stays where it is. */
    OK(ptx_memory_share(here, a, &file, &again));
    OK(ptx_memory_share(here, b, &file, &again));
    assert_int_equal(again, at);
    OK(add(here, b, 1));
    assert_int_equal(word_at(there, x), 43);
    /* It ends for each by itself. */
    INVALID(ptx_memory_free(there, x));
    OK(ptx_memory_close(there, x));
    INVALID(ptx_memory_close(there, x));
    assert_int_equal(add(there, x, 1), PTX_ERROR_FAULT);
    assert_int_equal(word_at(here, b), 43);
    OK(ptx_memory_free(here, c));
    OK(ptx_memory_alloc(here, 3 << 20, &c));
    assert_int_equal(word_at(here, c), 0);
    OK(add(here, c, 9));
    OK(ptx_memory_close(there, y));
}

/* Kernels that add to it until `over`. */
struct adding {
    ptx_address at;
    unsigned long launches;
    ptx_status failed; /* of the launch that did not add; PTX_OK: all did */
    atomic_bool over;
};

static void *keep_adding(void *data)
{
    struct adding *a = data;
    while (!atomic_load(&a->over) && (a->failed = add(here, a->at, 1)) == PTX_OK) a->launches++;
    return NULL;
}

/* The pages move to a file; what kernels write meanwhile is there afterwards. */
CASE(sharing_loses_no_writes)
{
    enum { ROUNDS = 3, BYTES = 16 << 20 };
    for (int round = 0; round < ROUNDS; round++) {
        struct adding a = {0};
        pthread_t thread;
        int file;
        uint64_t at;
        OK(ptx_memory_alloc(here, BYTES, &a.at));
        assert_int_equal(word_at(here, a.at), 0);
        assert_int_equal(pthread_create(&thread, NULL, keep_adding, &a), 0);
        usleep(5000);
        OK(ptx_memory_share(here, a.at, &file, &at));
        usleep(5000);
        atomic_store(&a.over, true);
        pthread_join(thread, NULL);
        OK(a.failed);
        assert_true(a.launches > 0);
        assert_int_equal(word_at(here, a.at), a.launches);
        OK(ptx_memory_free(here, a.at));
    }
}

CASE(what_cannot_be_opened)
{
    ptx_address a, x;
    ptx_physical p;
    int file, pipes[2];
    uint64_t at;
    void *host;
    OK(ptx_memory_alloc(here, 4096, &a));
    OK(ptx_host_alloc(here, 4096, &host, &x));
    INVALID(ptx_memory_share(here, x, &file, &at));
    INVALID(ptx_memory_share(here, a + 16, &file, &at));
    INVALID(ptx_memory_share(here, a, NULL, &at));
    INVALID(ptx_memory_share(NULL, a, &file, &at));
    OK(ptx_memory_share(here, a, &file, &at));
    assert_int_equal(pipe(pipes), 0);
    INVALID(ptx_memory_open(there, pipes[0], 0, 4096, &x));
    INVALID(ptx_memory_open(there, -1, 0, 4096, &x));
    INVALID(ptx_memory_open(there, file, at, 0, &x));
    INVALID(ptx_memory_open(there, file, (uint64_t)1 << 40, 4096, &x));
    INVALID(ptx_memory_open(there, file, at, UINT64_MAX, &x));
    INVALID(ptx_memory_open(there, file, at, 4096, NULL));
    INVALID(ptx_memory_close(there, a));
    INVALID(ptx_physical_import(there, pipes[0], &p, NULL));
    INVALID(ptx_physical_import(there, -1, &p, NULL));
    close(pipes[0]);
    close(pipes[1]);
    assert_int_not_equal(ftruncate(file, 0), 0); /* nobody can take the pages from who has them mapped */
}

CASE(physical_memory_is_imported)
{
    ptx_address a, b;
    ptx_physical mine, theirs, plain;
    uint64_t size, before, after;
    int file;
    OK(ptx_physical_create(here, G, &plain));
    INVALID(ptx_physical_file(here, plain, &file));
    INVALID(ptx_physical_create_shared(here, G / 2, &mine));
    OK(ptx_physical_create_shared(here, 2 * G, &mine));
    OK(ptx_physical_file(here, mine, &file));
    OK(ptx_memory_room(there, NULL, &before));
    OK(ptx_physical_import(there, file, &theirs, &size));
    OK(ptx_memory_room(there, NULL, &after));
    assert_int_equal(size, 2 * G);
    assert_int_equal(after, before); /* it is the other's memory */
    close(file);
    OK(ptx_range_reserve(here, 2 * G, 0, &a));
    OK(ptx_range_reserve(there, 2 * G, 0, &b));
    OK(ptx_range_map(here, a, 2 * G, mine, 0));
    OK(ptx_range_map(there, b, G, theirs, G));
    OK(ptx_range_access(here, a, 2 * G, PTX_ACCESS_READ_WRITE));
    OK(ptx_range_access(there, b, G, PTX_ACCESS_READ_WRITE));
    OK(add(here, a + G + 8, 5));
    OK(add(there, b + 8, 6));
    assert_int_equal(word_at(here, a + G + 8), 11);
    OK(ptx_physical_release(here, mine));
    OK(ptx_range_unmap(here, a, 2 * G));
    assert_int_equal(word_at(there, b + 8), 11); /* it stays for who has it */
    OK(ptx_physical_release(there, theirs));
    OK(ptx_range_unmap(there, b, G));
}

int main(void)
{
    return run_suite();
}
