/*
 * test_races.c - what threads see of each other's objects: programs that come and go while others read at
 * their addresses, and memory that is moved for other processes while kernels and copies use it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include "api/fixture.h"
#include "api/strict.h"
#include "ptx_memory.h"
#include "suite.h"

enum { READERS = 2, AHEAD = 4, VARIABLES = 100 };
#define SHARED ((size_t)24 << 20)

/* A constant whose bytes tell whether it is complete, and enough besides that loading takes its time. */
static char text[32768];

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".const .align 8 .b8 c[64] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
                           ".visible .entry add(.param .u64 p) {\n"
                           " .reg .u64 %a; .reg .u32 %x; ld.param.u64 %a, [p]; ld.global.u32 %x, [%a];\n"
                           " add.u32 %x, %x, 1; st.global.u32 [%a], %x; ret; }\n";

static void write_text(void)
{
    size_t n = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int i = 0; i < VARIABLES; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              ".global .b32 g%d[100] = {%d};\n.func f%d() { ret; }\n", i, i, i);
}

static int set_up(void **state)
{
    (void)state;
    write_text();
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .allocator = {.realloc = strict_realloc},
                                      .workers = 2,
                                      .memory_bytes = 64 << 20,
                                      .timeout_ms = 60000};
    open_program(&config, text);
    return 0;
}

static int tear_down(void **state)
{
    close_device(state);
    strict_check();
    return 0;
}

#define CASE(name) TEST_WITHIN(name, set_up, tear_down)

static atomic_bool stop;

/* ---- programs ---- */

static atomic_uint newest; /* programs made so far */
static ptx_address first;  /* of the constant in the first */
static atomic_uint torn;

/* Constants of the programs that are there now, and of those that are next. */
static void *read_constants(void *user)
{
    (void)user;
    static const uint8_t whole[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    while (!atomic_load(&stop)) {
        const unsigned now = atomic_load(&newest);
        for (unsigned k = now > 2 ? now - 2 : 0; k < now + AHEAD; k++) {
            uint8_t bytes[8];
            const ptx_status s = ptx_memory_read(device, bytes, first + ((uint64_t)k << 32), sizeof bytes);
            if (s != PTX_OK && s != PTX_ERROR_INVALID_ARGUMENT) atomic_fetch_add(&torn, 1);
            if (s == PTX_OK && memcmp(bytes, whole, sizeof bytes) != 0) atomic_fetch_add(&torn, 1);
        }
    }
    return NULL;
}

CASE(a_program_is_seen_when_it_is_complete_and_until_it_goes)
{
    pthread_t readers[READERS];
    uint64_t size;
    ptx_module *module;
    assert_int_equal(ptx_program_variable(program, "c", &first, &size), PTX_OK);
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    atomic_store(&stop, false);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_constants, NULL), 0);
    for (unsigned i = 0; i < 300; i++) {
        ptx_program *p;
        assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &p), PTX_OK);
        atomic_fetch_add(&newest, 1);
        if (i % 8 != 0) ptx_program_destroy(p);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
    ptx_module_destroy(module);
    assert_int_equal(atomic_load(&torn), 0);
}

static void *free_what_is_next(void *user)
{
    const ptx_address *at = user;
    while (!atomic_load(&stop))
        if (ptx_memory_free(device, *at) == PTX_OK) atomic_fetch_add(&torn, 1);
    return NULL;
}

/* Where variables of the next program will stand is known: the lowest place that is free. */
CASE(the_memory_of_variables_cannot_be_freed)
{
    pthread_t thread;
    ptx_address at;
    uint64_t size;
    ptx_module *module;
    ptx_program *p;
    assert_int_equal(ptx_module_create(NULL, text, strlen(text), &module), PTX_OK);
    assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &p), PTX_OK);
    assert_int_equal(ptx_program_variable(p, "g0", &at, &size), PTX_OK);
    ptx_program_destroy(p);
    atomic_store(&stop, false);
    atomic_store(&torn, 0);
    assert_int_equal(pthread_create(&thread, NULL, free_what_is_next, &at), 0);
    for (unsigned i = 0; i < 200; i++) {
        ptx_address again;
        assert_int_equal(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &p), PTX_OK);
        assert_int_equal(ptx_program_variable(p, "g0", &again, &size), PTX_OK);
        assert_int_equal(again, at);
        assert_int_equal(ptx_memory_free(device, at), PTX_ERROR_INVALID_ARGUMENT);
        assert_int_equal(ptx_stream_free(device, at, 0), PTX_ERROR_INVALID_ARGUMENT);
        ptx_program_destroy(p);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    ptx_module_destroy(module);
    assert_int_equal(atomic_load(&torn), 0);
}

/* ---- memory for other processes ---- */

static unsigned long launched, written;
static ptx_address words; /* one that a kernel counts in, one that the host does */

static void *count_by_kernels(void *user)
{
    (void)user;
    ptx_kernel *kernel = kernel_named("add");
    const ptx_launch_config l = launch_shape(1, 1, &words, sizeof words);
    while (!atomic_load(&stop)) {
        if (ptx_kernel_launch(kernel, &l, NULL) != PTX_OK) abort();
        launched++;
    }
    return NULL;
}

static void *count_by_copies(void *user)
{
    (void)user;
    uint32_t n[2] = {0, 0}; /* of a size that is no word's, by both ways */
    while (!atomic_load(&stop)) {
        n[0]++;
        const ptx_copy copy = {
            .struct_size = sizeof copy, .to = {.address = words + 8}, .from = {.host = n}, .width = sizeof n};
        const ptx_status s =
            n[0] % 2 ? ptx_memory_write(device, words + 8, n, sizeof n) : ptx_memory_copy(device, &copy);
        uint32_t now[2];
        if (s != PTX_OK || ptx_memory_read(device, now, words + 8, sizeof now) != PTX_OK || now[0] != n[0])
            abort(); /* what was just written is not there */
        written++;
    }
    return NULL;
}

CASE(sharing_loses_no_write)
{
    pthread_t threads[2];
    int file;
    uint64_t offset;
    uint8_t *fill = malloc(SHARED);
    assert_non_null(fill);
    memset(fill, 1, SHARED);
    memset(fill, 0, 16);
    for (int round = 0; round < 3; round++) {
        launched = written = 0;
        words = buffer(SHARED);
        assert_int_equal(ptx_memory_write(device, words, fill, SHARED), PTX_OK);
        atomic_store(&stop, false);
        assert_int_equal(pthread_create(&threads[0], NULL, count_by_kernels, NULL), 0);
        assert_int_equal(pthread_create(&threads[1], NULL, count_by_copies, NULL), 0);
        const ptx_status s = ptx_memory_share(device, words, &file, &offset);
        atomic_store(&stop, true);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        if (s == PTX_ERROR_UNSUPPORTED) skip(); /* no files in memory */
        assert_int_equal(s, PTX_OK);
        assert_int_equal(word_at(words), launched);
        assert_int_equal(word_at(words + 8), written);
        assert_int_equal(ptx_memory_free(device, words), PTX_OK);
    }
    free(fill);
}

int main(void)
{
    return run_suite();
}
