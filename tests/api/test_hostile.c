/*
 * test_hostile.c - what no program should do: any call with any number from several threads at once, devices
 * that go with everything in flight, devices of another process. What is promised is a status, nothing
 * leaked, and (sanitizers say) nothing used after it was freed, lost or raced for.
 */
#include "api/fixture.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ptx_graph.h"
#include "ptx_info.h"
#include "ptx_memory.h"
#include "suite.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 p) { .reg .u64 %a; .reg .u32 %x;\n"
    " ld.param.u64 %a, [p]; atom.global.add.u32 %x, [%a], 1; ret; }\n"
    ".visible .entry spin(.param .u64 p) { .reg .u32 %x; .reg .pred %p; mov.u32 %x, 0;\n"
    " L: add.u32 %x, %x, 1; setp.lt.u32 %p, %x, 3000; @%p bra L; ret; }\n"
    ".visible .entry endless(.param .u64 p) { L: bra L; }\n";

static atomic_long live;

static void *counted(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    void *result = size ? realloc(ptr, size) : (free(ptr), NULL);
    atomic_fetch_add(&live, (result && !ptr) - (!size && ptr));
    return result;
}

static ptx_kernel *kernels[3];
static ptx_address p;

static void make(ptx_device_config config)
{
    static const char *const names[] = {"add_one", "spin", "endless"};
    config.struct_size = sizeof config;
    config.allocator.realloc = counted;
    config.memory_bytes = 32 << 20;
    config.timeout_ms = 200;
    open_program(&config, text);
    for (int i = 0; i < 3; i++) kernels[i] = kernel_named(names[i]);
    p = buffer(64);
}

static void nothing(void *user)
{
    (void)user;
}

/* ---- any call with any number ---- */

/* Streams without an order between them copy, fill and compute on the same device memory here: races of the
 * caller, whose bytes may be either's. The thread sanitizer sees them, as it sees into memmove and memset. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:copy_row\nrace:fill_row\n";
}

enum { THREADS = 4, CALLS = 1500, NUMBERS = 64 };

/* Numbers of every kind that any thread was given, used for every purpose. */
static _Atomic uint64_t numbers[NUMBERS];

struct caller {
    uint32_t seed;
    bool waits;
    unsigned statuses[16];
};

static uint32_t draw(struct caller *c, uint32_t n)
{
    c->seed = c->seed * 1664525u + 1013904223u;
    return (c->seed >> 8) % n;
}

static uint64_t any(struct caller *c)
{
    const uint32_t kind = draw(c, 12);
    const uint64_t number = atomic_load(&numbers[draw(c, NUMBERS)]);
    if (kind == 0) return draw(c, 4);
    if (kind == 1) return number ^ 1ull << draw(c, 64);
    return number;
}

static ptx_status one_call(struct caller *c)
{
    const ptx_address address = draw(c, 3) ? p : any(c);
    const ptx_launch_config launch = {.struct_size = sizeof launch,
                                      .grid = {draw(c, 4)},
                                      .block = {draw(c, 40)},
                                      .params = &address,
                                      .param_bytes = sizeof address,
                                      .cooperative = (int)draw(c, 2)};
    ptx_kernel *kernel = kernels[draw(c, 100) ? draw(c, 2) : 2];
    const ptx_copy copy = {.to = {.address = address}, .from = {.address = p}, .width = draw(c, 70)};
    const ptx_fill fill = {.to = address, .width = draw(c, 70), .height = draw(c, 3), .element = draw(c, 6)};
    const ptx_value value = {.op = PTX_VALUE_WRITE, .bytes = 4, .address = fill.to};
    ptx_capture_info info = {sizeof info};
    ptx_graph bodies[2];
    uint64_t made = 0;
    const ptx_node_config node = {.kind = (ptx_node_kind)draw(c, 13),
                                  .kernel = kernel,
                                  .launch = &launch,
                                  .copy = &copy,
                                  .fill = &fill,
                                  .host = nothing,
                                  .event = any(c),
                                  .child = any(c),
                                  .bytes = draw(c, 3) * 100,
                                  .allocated = &made,
                                  .address = any(c),
                                  .values = &value,
                                  .nvalues = draw(c, 2),
                                  .condition = any(c),
                                  .branch = PTX_BRANCH_IF,
                                  .nbodies = draw(c, 3),
                                  .bodies = bodies,
                                  .struct_size = sizeof node};
    uint64_t after[2] = {any(c), any(c)}, got = 0;
    size_t count = 2;
    int flag;
    double ms;
    ptx_status status;
    switch (draw(c, 52)) {
    case 0: status = ptx_stream_create(device, NULL, &got); break;
    case 1: return ptx_stream_destroy(device, any(c));
    case 2: return ptx_stream_query(device, any(c));
    case 3: return c->waits ? ptx_stream_wait(device, any(c), NULL) : PTX_OK;
    case 4: status = ptx_event_create(device, draw(c, 4), &got); break;
    case 5: return ptx_event_destroy(device, any(c));
    case 6: return ptx_event_record(device, any(c), any(c));
    case 7: return ptx_event_query(device, any(c));
    case 8: return c->waits ? ptx_event_wait(device, any(c)) : PTX_OK;
    case 9: return ptx_event_elapsed(device, any(c), any(c), &ms);
    case 10: return ptx_stream_wait_event(device, any(c), any(c));
    case 11:
    case 12: status = ptx_kernel_submit(kernel, &launch, any(c), draw(c, 2) ? &got : NULL); break;
    case 13: return ptx_launch_query(device, any(c));
    case 14: return c->waits ? ptx_launch_wait(device, any(c), NULL) : PTX_OK;
    case 15: return ptx_launch_cancel(device, any(c));
    case 16: return ptx_launch_release(device, any(c));
    case 17: return ptx_stream_host(device, any(c), nothing, NULL);
    case 18: return ptx_stream_copy(device, &copy, any(c));
    case 19: return ptx_stream_fill(device, &fill, any(c));
    case 20: status = ptx_graph_create(device, &got); break;
    case 21: return ptx_graph_destroy(device, any(c));
    case 22: status = ptx_graph_clone(device, any(c), &got); break;
    case 23:
    case 24: status = ptx_graph_add(device, any(c), after, draw(c, 3), &node, &got); break;
    case 25: return ptx_graph_edge_add(device, any(c), any(c));
    case 26: return ptx_graph_edge_remove(device, any(c), any(c));
    case 27: return ptx_graph_nodes(device, any(c), after, &count);
    case 28: return ptx_node_after(device, any(c), after, &count);
    case 29: return ptx_node_set(device, any(c), &node);
    case 30: return ptx_node_destroy(device, any(c));
    case 31: status = ptx_graph_instantiate(device, any(c), &got); break;
    case 32: return ptx_instance_update(device, any(c), any(c));
    case 33: return ptx_instance_launch(device, any(c), any(c));
    case 34: return ptx_instance_destroy(device, any(c));
    case 35: return ptx_capture_begin(device, any(c));
    case 36: status = ptx_capture_end(device, any(c), &got); break;
    case 37: return ptx_capture_query(device, any(c), &flag);
    case 38: status = ptx_pool_create(device, 0, &got); break;
    case 39: return draw(c, 2) ? ptx_pool_destroy(device, any(c)) : ptx_pool_trim(device, any(c), 0);
    case 40: status = ptx_pool_alloc(device, any(c), draw(c, 1000), any(c), &got); break;
    case 41: return ptx_stream_free(device, any(c), any(c));
    case 42: status = ptx_physical_create(device, draw(c, 3) * PTX_MAP_GRAIN, &got); break;
    case 43: return ptx_stream_values(device, &value, 1, any(c));
    case 44: status = ptx_condition_create(device, any(c), 1, draw(c, 2), &got); break;
    case 45: status = ptx_node_graph(device, any(c), draw(c, 2), &got); break;
    case 46: return ptx_instance_enable(device, any(c), any(c), draw(c, 2));
    case 47: return ptx_capture_begin_to(device, any(c), any(c), after, draw(c, 2));
    case 48: return ptx_capture_after(device, any(c), after, draw(c, 2), draw(c, 2));
    case 49: return ptx_instance_set(device, any(c), any(c), &node);
    case 50: return ptx_capture_info_get(device, any(c), &info, after, &count);
    default: return ptx_physical_release(device, any(c));
    }
    if (status == PTX_OK && got) atomic_store(&numbers[draw(c, NUMBERS)], got);
    return status;
}

static void *call_anything(void *user)
{
    struct caller *c = user;
    for (int i = 0; i < CALLS; i++) {
        const ptx_status status = one_call(c);
        c->statuses[(unsigned)status < 15 ? status : 15]++;
    }
    return NULL;
}

/* The device goes with whatever is under way. */
TEST(any_call_with_any_number)
{
    for (uint32_t round = 0; round < 6; round++) {
        struct caller callers[THREADS];
        pthread_t threads[THREADS];
        make((ptx_device_config){.workers = 1 + round % 3, .sticky = round == 5});
        memset(callers, 0, sizeof callers);
        for (int i = 0; i < NUMBERS; i++) atomic_store(&numbers[i], 0);
        for (uint32_t i = 0; i < THREADS; i++) {
            callers[i].seed = round * 100 + i;
            callers[i].waits = i % 2;
            assert_int_equal(pthread_create(&threads[i], NULL, call_anything, &callers[i]), 0);
        }
        unsigned fine = 0, refused = 0;
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            fine += callers[i].statuses[PTX_OK];
            refused += callers[i].statuses[PTX_ERROR_INVALID_ARGUMENT];
            assert_int_equal(callers[i].statuses[15], 0);
        }
        assert_true(refused > 0);
        if (round != 5) assert_true(fine > CALLS / 2);
        ptx_device_destroy(device);
        assert_int_equal(atomic_load(&live), 0);
    }
}

/* ---- single cases ---- */

/* A failure of a stream that is gone is nobody's to hear, whatever else was in it. */
TEST(a_failure_behind_a_destroyed_stream)
{
    const ptx_launch_config launch = {
        .struct_size = sizeof launch, .grid = {1}, .block = {1}, .params = &p, .param_bytes = sizeof p};
    ptx_stream s;
    make((ptx_device_config){.workers = 2});
    assert_int_equal(ptx_stream_create(device, NULL, &s), PTX_OK);
    assert_int_equal(ptx_kernel_submit(kernels[2], &launch, s, NULL), PTX_OK);
    assert_int_equal(ptx_stream_host(device, s, nothing, NULL), PTX_OK);
    assert_int_equal(ptx_stream_destroy(device, s), PTX_OK);
    ptx_device_destroy(device);
    assert_int_equal(atomic_load(&live), 0);
}

/* A process that was forked has none of the device's threads: every call is a status there, and none waits.
 */
TEST(devices_stay_in_their_process)
{
    const ptx_launch_config launch = {
        .struct_size = sizeof launch, .grid = {1}, .block = {1}, .params = &p, .param_bytes = sizeof p};
    make((ptx_device_config){.workers = 2});
    for (int i = 0; i < 100; i++) assert_int_equal(ptx_kernel_submit(kernels[1], &launch, 0, NULL), PTX_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        ptx_stream s;
        ptx_address a;
        bool ok = ptx_stream_create(device, NULL, &s) == PTX_ERROR_INVALID_ARGUMENT;
        ok = ok && ptx_memory_alloc(device, 4, &a) == PTX_ERROR_INVALID_ARGUMENT;
        ok = ok && ptx_kernel_launch(kernels[0], &launch, NULL) == PTX_ERROR_INVALID_ARGUMENT;
        ok = ok && ptx_kernel_submit(kernels[0], &launch, 0, NULL) == PTX_ERROR_INVALID_ARGUMENT;
        ok = ok && ptx_device_wait(device, NULL) == PTX_ERROR_INVALID_ARGUMENT;
        ptx_device_destroy(device);
        _exit(ok ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    ptx_device_destroy(device);
    assert_int_equal(atomic_load(&live), 0);
}

int main(void)
{
    return run_suite();
}
