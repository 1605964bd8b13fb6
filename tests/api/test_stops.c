/*
 * test_stops.c - launches that are stopped at every place they can be.
 *
 * Ten small kernels, among them children, tails, barriers, printf, waiting
 * blocks, copies, the heap and locks, run with every limit of instructions from
 * 1 on, with interrupts at random moments and with time-outs. What is promised
 * is a status and a message, and that a launch after it runs; that nothing is
 * used after it was freed, lost or raced for is what sanitizers say.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "ptxvm.h"
#include "suite.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define SECOND                                                                                               \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 "       \
    "grid[12], "                                                                                             \
    ".param .align 4 .b8 block[12], .param .b32 s);\n"                                                       \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n"
#define LAUNCH(stream)                                                                                       \
    "{ .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;"   \
    " .param .b64 st; .param .b32 e; mov.u64 %d1, child; st.param.b64 [k], %d1; st.param.b32 [g], 2;"        \
    " st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 32; st.param.b32 [b+4], 1;"            \
    " st.param.b32 [b+8], 1; st.param.b32 [s], 0;"                                                           \
    " call.uni (r), __cudaCDP2GetParameterBufferV2, (k, g, b, s); ld.param.b64 %d1, [r];"                    \
    " st.param.b64 [r], %d1; st.param.b64 [st], " stream ";"                                                 \
    " call.uni (e), __cudaCDP2LaunchDeviceV2, (r, st); }\n"
#define CHILD                                                                                                \
    ".visible .entry child() { .reg .b32 %r<2>; .reg .pred %p; mov.u32 %r0, 0;"                              \
    " L: add.u32 %r0, %r0, 1; setp.lt.u32 %p, %r0, 20; @%p bra L; ret; }\n"
#define ENTRY                                                                                                \
    ".visible .entry k(.param .u64 buf) { .reg .b32 %r<8>; .reg .pred %p; .reg .b64 %d<8>; .local .b32 "     \
    "args[2];"                                                                                               \
    " ld.param.u64 %d0, [buf]; mov.u32 %r0, %tid.x;\n"

static const char *const kernels[] = {
    /* a loop */
    HEAD ENTRY " mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 200; @%p bra L; ret; }",
    /* children in the NULL stream */
    HEAD SECOND CHILD ENTRY LAUNCH("0") " ret; }",
    /* children on their own, and a tail */
    HEAD SECOND CHILD ENTRY " setp.ne.u32 %p, %r0, 0; @%p bra E;" LAUNCH("4") LAUNCH("3") " E: ret; }",
    /* barriers */
    HEAD ENTRY
    " mov.u32 %r1, 0; L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 30; @%p bra L; ret; }",
    /* printf */
    HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 text[4] = {37, 117, 10, 0};\n" ENTRY
         " st.local.u32 [args], %r0; mov.u64 %d1, args; cvta.local.u64 %d1, %d1; mov.u64 %d2, text;"
         " { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d2; st.param.b64 [a], %d1;"
         " call.uni (r), vprintf, (f, a); } ret; }",
    /* blocks that wait for their children */
    HEAD
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 k, .param .b64 p, .param .align 4 .b8 g[12],"
    " .param .align 4 .b8 b[12], .param .b32 s, .param .b64 st);\n"
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n" CHILD ENTRY
    "{ .param .b64 k; .param .b64 p; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s;"
    " .param .b64 st; .param .b32 e; mov.u64 %d1, child; st.param.b64 [k], %d1; st.param.b64 [p], 0;"
    " st.param.b32 [g], 2; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 32;"
    " st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0; st.param.b64 [st], 0;"
    " call.uni (e), cudaLaunchDevice, (k, p, g, b, s, st); }"
    "{ .param .b32 e; call.uni (e), cudaDeviceSynchronize; } ret; }",
    /* recursion */
    HEAD ".func f(.reg .u32 %n);\n.func f(.reg .u32 %n) { .reg .u32 %m; .reg .pred %p; setp.eq.u32 %p, %n, 0;"
         " @%p ret; sub.u32 %m, %n, 1; call f, (%m); call f, (%m); ret; }\n" ENTRY
         " mov.u32 %r1, 5; call f, (%r1); ret; }",
    /* fills in stream order */
    HEAD
    ".extern .func (.param .b32 r) __cudaCDP2Memset2DAsync(.param .b64 p, .param .b64 pitch, .param .b32 v,"
    " .param .b64 w, .param .b64 h, .param .b64 s);\n" ENTRY
    "{ .param .b64 p; .param .b64 q; .param .b32 v; .param .b64 w; .param .b64 h; .param .b64 s; .param .b32 "
    "e;"
    " st.param.b64 [p], %d0; st.param.b64 [q], 8; st.param.b32 [v], 0; st.param.b64 [w], 8;"
    " st.param.b64 [h], 100; st.param.b64 [s], 0; call.uni (e), __cudaCDP2Memset2DAsync, (p, q, v, w, h, s); "
    "}"
    " ret; }",
    /* the heap */
    HEAD
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" ENTRY
    " mov.u32 %r1, 0; L: { .param .b64 n; .param .b64 p; st.param.b64 [n], 40; call.uni (p), malloc, (n);"
    " ld.param.b64 %d1, [p]; } st.u8 [%d1], 1; { .param .b64 p; st.param.b64 [p], %d1; call.uni free, (p); }"
    " add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 5; @%p bra L; ret; }",
    /* a lock */
    HEAD ENTRY " setp.gt.u32 %p, %r0, 2; @%p bra E; L: atom.cas.b32 %r1, [%d0+1024], 0, 1; setp.ne.u32 %p, "
               "%r1, 0; @%p bra L;"
               " ld.volatile.u32 %r2, [%d0+1028]; add.u32 %r2, %r2, 1; st.volatile.u32 [%d0+1028], %r2;"
               " atom.exch.b32 %r1, [%d0+1024], 0; E: ret; }",
};
enum { KERNELS = sizeof kernels / sizeof *kernels, GRID = 3, BLOCK = 40, BUFFER = 2048 };

static int swallow(void *user, const char *text, size_t size)
{
    (void)text;
    atomic_fetch_add((atomic_size_t *)user, size);
    return 0;
}

static atomic_size_t printed;

struct target {
    ptx_device *device;
    ptx_kernel *kernel;
    ptx_address buffer;
};

static void set_up(struct target *t, const char *text, ptx_device_config config)
{
    const ptx_module_options options = {.file_name = "test.ptx"};
    ptx_module *module;
    ptx_program *program;
    config.memory_bytes = 1 << 20;
    config.output = swallow;
    config.output_user = &printed;
    assert_int_equal(ptx_module_create(&options, text, strlen(text), &module), PTX_OK);
    assert_int_equal(ptx_device_create(&config, &t->device), PTX_OK);
    if (ptx_program_create(t->device, (const ptx_module *const *)&module, 1, NULL, &program) != PTX_OK)
        fail_msg("%s", ptx_device_message(t->device));
    ptx_module_destroy(module);
    assert_int_equal(ptx_program_kernel(program, "k", &t->kernel), PTX_OK);
    assert_int_equal(ptx_memory_alloc(t->device, BUFFER, &t->buffer), PTX_OK);
}

static ptx_status launch(const struct target *t, ptx_fault *fault)
{
    const ptx_launch_config config = {sizeof config, {GRID, 1, 1},    {BLOCK, 1, 1}, 0,
                                      &t->buffer,    sizeof t->buffer};
    assert_int_equal(ptx_memory_fill(t->device, t->buffer, 0, BUFFER),
                     PTX_OK); /* a stopped holder keeps its lock */
    return ptx_kernel_launch(t->kernel, &config, fault);
}

/* ---- instructions ---- */

/* True when the limit was not reached; anything else is a limit that is told as such. */
static bool runs_within(const char *text, unsigned workers, uint64_t max_steps)
{
    struct target t;
    ptx_fault fault = {sizeof fault};
    set_up(&t, text, (ptx_device_config){.workers = workers, .max_steps = max_steps});
    const ptx_status status = launch(&t, &fault);
    if (status != PTX_OK) {
        assert_int_equal(status, PTX_ERROR_LIMIT);
        assert_non_null(strstr(fault.message, "limit of instructions"));
        assert_string_equal(fault.kernel, "k");
        assert_true(strlen(fault.state) > 0);
    }
    ptx_device_destroy(t.device);
    return status == PTX_OK;
}

/* From the first limit that is enough on, every larger one is. More workers only spend more on waiting. */
static void sweep(unsigned workers, unsigned first, unsigned step)
{
    for (size_t k = 0; k < KERNELS; k++) {
        unsigned enough = 0;
        for (unsigned n = 1; n < 30000 && (!enough || n < enough + enough / 4);
             n += n < 100 ? first : step + n / 64) {
            const bool fine = runs_within(kernels[k], workers, n);
            if (fine && !enough) enough = n;
            if (!fine && enough && workers == 1)
                fail_msg("kernel %zu: %u steps are enough, %u are not", k, enough, n);
        }
        if (!enough && workers == 1) fail_msg("kernel %zu does not end within 30000 steps", k);
    }
}

TEST(any_limit_of_instructions_one_worker)
{
    sweep(1, 1, 3);
}

TEST(any_limit_of_instructions_two_workers)
{
    sweep(2, 7, 290);
}

TEST(any_limit_of_instructions_eight_workers)
{
    sweep(8, 11, 530);
}

/* ---- interrupts and time-outs ---- */

struct timer {
    ptx_device *device;
    atomic_bool over;
    uint32_t seed;
};

static void *interrupt_now_and_then(void *argument)
{
    struct timer *t = argument;
    while (!atomic_load(&t->over)) {
        t->seed = t->seed * 1664525u + 1013904223u;
        const struct timespec pause = {.tv_nsec = 1000 + (long)(t->seed >> 8) % 200000};
        nanosleep(&pause, NULL);
        ptx_device_interrupt(t->device);
    }
    return NULL;
}

/* Returns how many launches were interrupted. */
static unsigned interrupted(const char *text, unsigned workers, int launches)
{
    struct target t;
    ptx_fault fault = {sizeof fault};
    pthread_t thread;
    unsigned n = 0;
    set_up(&t, text, (ptx_device_config){.workers = workers});
    struct timer timer = {.device = t.device, .seed = workers};
    assert_int_equal(pthread_create(&thread, NULL, interrupt_now_and_then, &timer), 0);
    for (int i = 0; i < launches; i++) {
        const ptx_status status = launch(&t, &fault);
        assert_true(status == PTX_OK || status == PTX_ERROR_INTERRUPTED);
        n += status != PTX_OK;
    }
    atomic_store(&timer.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(launch(&t, &fault), PTX_OK);
    ptx_device_destroy(t.device);
    return n;
}

TEST(interrupts_at_any_moment)
{
    unsigned n = 0;
    for (size_t k = 0; k < KERNELS; k++)
        for (unsigned workers = 1; workers <= 8; workers = workers == 1 ? 2 : workers * 4)
            n += interrupted(kernels[k], workers, 40);
    assert_true(n > 0);
}

TEST(an_endless_kernel_meets_its_time_out)
{
    static const char *const endless[] = {
        HEAD ENTRY " L: bra L; }",
        HEAD ENTRY " L: bar.sync 0; bra L; }",
        HEAD SECOND CHILD ENTRY " L:" LAUNCH("4") " bra L; }",
        HEAD SECOND CHILD ENTRY LAUNCH("0") " L: bra L; }",
    };
    for (size_t k = 0; k < sizeof endless / sizeof *endless; k++)
        for (unsigned workers = 1; workers <= 8; workers *= 2)
            for (unsigned ms = 1; ms <= 16; ms *= 4) {
                struct target t;
                ptx_fault fault = {sizeof fault};
                set_up(&t, endless[k], (ptx_device_config){.workers = workers, .timeout_ms = ms});
                assert_int_equal(launch(&t, &fault), PTX_ERROR_LIMIT);
                assert_string_equal(fault.message, "the time limit was reached");
                assert_int_equal(launch(&t, NULL), PTX_ERROR_LIMIT);
                ptx_device_destroy(t.device);
            }
}

/* ---- output and the host's memory ---- */

TEST(output_ends_at_its_limit)
{
    for (unsigned workers = 1; workers <= 8; workers *= 2)
        for (unsigned bytes = 1; bytes < 400;
             bytes += 7) { /* a launch prints 3 * (10 * 2 + 30 * 3) = 330 bytes */
            struct target t;
            ptx_fault fault = {sizeof fault};
            set_up(&t, kernels[4], (ptx_device_config){.workers = workers, .max_output = bytes});
            for (int i = 0; i < 2; i++) { /* each launch has the whole of it */
                atomic_store(&printed, 0);
                const ptx_status status = launch(&t, &fault);
                assert_int_equal(status, bytes < 330 ? PTX_ERROR_LIMIT : PTX_OK);
                assert_true(atomic_load(&printed) <= bytes);
                if (status != PTX_OK) assert_non_null(strstr(fault.message, "(max_output)"));
            }
            ptx_device_destroy(t.device);
        }
}

int main(void)
{
    return run_suite();
}
