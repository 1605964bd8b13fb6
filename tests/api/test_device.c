/*
 * test_device.c - the public interface of devices, programs and launches:
 * statuses, linking, variables, faults, limits, host functions. What is
 * expected is what include/ptxvm.h promises.
 */
#include "api/device.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ptxvm.h"
#include "suite.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

static void open_with(const ptx_device_config *config)
{
    assert_int_equal(ptx_device_create(config, &device), PTX_OK);
}

static void open_device(unsigned workers)
{
    const ptx_device_config config = {.workers = workers, .timeout_ms = 60000};
    open_with(&config);
}

static ptx_module *module_of(const char *text)
{
    const ptx_module_options options = {.file_name = "test.ptx"};
    ptx_module *module;
    ptx_diagnostic d = {.struct_size = sizeof d, .message = "?"};
    if (ptx_module_create(&options, text, strlen(text), &module) == PTX_OK) return module;
    ptx_module_diagnostic(module, 0, &d);
    fail_msg("line %u: %s", d.line, d.message);
    return NULL;
}

static ptx_status link_texts(const char *const *texts, size_t n, const ptx_program_options *options,
                             ptx_program **program)
{
    ptx_module *modules[4] = {0};
    for (size_t i = 0; i < n; i++) modules[i] = module_of(texts[i]);
    ptx_status status =
        ptx_program_create(device, (const ptx_module *const *)(void *)modules, n, options, program);
    for (size_t i = 0; i < n; i++) ptx_module_destroy(modules[i]); /* the program keeps what it needs */
    return status;
}

static ptx_program *load_with(const char *text, const ptx_program_options *options)
{
    ptx_program *program;
    if (link_texts(&text, 1, options, &program) != PTX_OK) fail_msg("%s", ptx_device_message(device));
    return program;
}

static ptx_program *load(const char *text)
{
    return load_with(text, NULL);
}

static ptx_status launch(ptx_program *program, const char *name, unsigned grid, unsigned block,
                         const void *params, size_t bytes, ptx_fault *fault)
{
    ptx_kernel *kernel;
    const ptx_launch_config config = {sizeof config, {grid, 1, 1}, {block, 1, 1}, 0, params, bytes};
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    return ptx_kernel_launch(kernel, &config, fault);
}

/* ---- what failures say ---- */

static ptx_status failed_device(const ptx_device_config *wanted, char *error, size_t size)
{
    ptx_device *made = NULL;
    ptx_device_config config = *wanted;
    config.error = error;
    config.error_bytes = size;
    const ptx_status status = ptx_device_create(&config, &made);
    ptx_device_destroy(made);
    return status;
}

TEST(a_device_that_cannot_be_made_says_why)
{
    char error[200] = "unchanged";
    const ptx_device_config arch = {.arch = "sm_1000"}, memory = {.memory_bytes = UINT64_MAX - 5},
                            heap = {.heap_bytes = UINT64_MAX - 5}, much = {.memory_bytes = 1ull << 50},
                            fine = {.memory_bytes = 1 << 20};
    assert_int_equal(failed_device(&arch, error, sizeof error), PTX_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error, "sm_1000"));
    assert_int_equal(failed_device(&memory, error, sizeof error), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(failed_device(&heap, error, sizeof error), PTX_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(error, "larger than all addresses"));
    assert_int_equal(failed_device(&much, error, sizeof error), PTX_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error, "--memory"));
    assert_non_null(strstr(error, "memory_bytes"));
    char little[8] = "";
    assert_int_equal(failed_device(&much, little, sizeof little), PTX_ERROR_OUT_OF_MEMORY);
    assert_int_equal(strlen(little), sizeof little - 1);
    assert_int_equal(failed_device(&fine, error, sizeof error), PTX_OK);
}

TEST(what_cannot_be_run_has_a_place)
{
    ptx_fault fault = {sizeof fault};
    open_device(1);
    ptx_program *program =
        load(".version 8.7\n.target sm_100a\n.address_size 64\n"
             ".func f() {\n  .reg .b32 %p;\n  mov.u32 %p, 0;\n"
             "  tcgen05.dealloc.cta_group::1.sync.aligned.b32\n    %p,  32    ;\n  ret;\n}\n"
             ".visible .entry k() {\n  call f;\n  ret;\n}\n");
    assert_int_equal(launch(program, "k", 1, 1, NULL, 0, &fault), PTX_ERROR_FAULT);
    assert_int_equal(fault.cuda_error, 801);
    assert_string_equal(fault.name, "CUDA_ERROR_NOT_SUPPORTED");
    assert_string_equal(fault.file, "test.ptx");
    assert_int_equal(fault.line, 7);
    assert_int_equal(fault.column, 3);
    assert_int_equal(fault.last_line, 8);
    assert_int_equal(fault.last_column, 16);
    assert_string_equal(fault.function, "f");
    assert_string_equal(fault.kernel, "k");
    assert_string_equal(fault.message, ptx_device_message(device));
    assert_non_null(
        strstr(fault.message, "'tcgen05.dealloc.cta_group::1.sync.aligned.b32 %p, 32;' cannot be run"));
    assert_non_null(strstr(fault.calls, "called from k at test.ptx:12"));
    ptx_device_destroy(device);
}

/* ---- arguments ---- */

TEST(wrong_arguments_are_statuses)
{
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address va;
    const ptx_device_config bad = {.arch = "sm_1"};
    assert_int_equal(ptx_device_create(NULL, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_create(&bad, &device), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_device_create(NULL, &device), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, 0, &va), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_alloc(NULL, 8, &va), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_alloc(device, 1ull << 50, &va), PTX_ERROR_OUT_OF_MEMORY);
    assert_int_equal(ptx_program_create(device, NULL, 1, NULL, &program), PTX_ERROR_INVALID_ARGUMENT);
    program = load(HEAD ".visible .entry k(.param .u64 a) { ret; }");
    assert_int_equal(ptx_program_kernel(program, "q", &kernel), PTX_ERROR_NOT_FOUND);
    assert_int_equal(ptx_program_kernel(program, NULL, &kernel), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(launch(program, "k", 1, 1, NULL, 0, NULL), PTX_ERROR_INVALID_ARGUMENT);
    uint64_t value = 0;
    assert_int_equal(launch(program, "k", 1, 1, &value, 4, NULL), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(launch(program, "k", 1, 1, &value, 8, NULL), PTX_OK);
    ptx_device_destroy(device);
    ptx_device_destroy(NULL);
}

TEST(memory_is_bounded)
{
    char bytes[64] = {0}, back[64];
    open_device(1);
    ptx_address va = buffer(64);
    for (int i = 0; i < 64; i++) bytes[i] = (char)i;
    assert_int_equal(ptx_memory_write(device, va, bytes, 64), PTX_OK);
    assert_int_equal(ptx_memory_write(device, va + 1, bytes, 64), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_read(device, back, va - 1, 1), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_read(device, back, va, 64), PTX_OK);
    assert_memory_equal(bytes, back, 64);
    assert_int_equal(ptx_memory_fill(device, va + 32, 0x11, 32), PTX_OK);
    assert_int_equal(word_at(va + 60), 0x11111111);
    assert_int_equal(ptx_memory_fill(device, va + 32, 0x11, 33), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_free(device, va + 4), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_free(device, va), PTX_OK);
    assert_int_equal(ptx_memory_free(device, va), PTX_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ptx_memory_free(device, 0), PTX_OK);
    ptx_device_destroy(device);
}

/* ---- linking ---- */

TEST(a_missing_function_is_named)
{
    ptx_program *program;
    static const char *const text = HEAD ".extern .func missing();\n"
                                         ".visible .entry k() {\n  call missing, ();\n  ret;\n}";
    open_device(1);
    assert_int_equal(link_texts(&text, 1, NULL, &program), PTX_ERROR_LINK);
    assert_string_equal(
        ptx_device_message(device),
        "test.ptx:6: Undefined reference to 'missing' in 'test.ptx', used in 'k' (declared at test.ptx:4)");
    static const char *const unused = HEAD ".extern .func missing();\n.visible .entry k() { ret; }";
    assert_int_equal(link_texts(&unused, 1, NULL, &program), PTX_OK);
    static const char *const variable =
        HEAD ".extern .global .u32 missing;\n.visible .entry k() {\n .reg .u32 %r;\n"
             " ld.global.u32 %r, [missing];\n ret; }";
    assert_int_equal(link_texts(&variable, 1, NULL, &program), PTX_ERROR_LINK);
    assert_string_equal(
        ptx_device_message(device),
        "test.ptx:7: Undefined reference to 'missing' in 'test.ptx', used in 'k' (declared at test.ptx:4)");
    static const char *const wrong = HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f);\n"
                                          ".visible .entry k() {\n .param .b32 r; .param .b64 f;\n"
                                          " call (r), vprintf, (f);\n ret; }";
    assert_int_equal(link_texts(&wrong, 1, NULL, &program), PTX_ERROR_LINK);
    assert_non_null(strstr(ptx_device_message(device), "'vprintf' is declared with 8 bytes of parameters"));
    ptx_device_destroy(device);
}

TEST(modules_resolve_each_other)
{
    static const char *const texts[] = {
        HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n.extern .global .u32 counter;\n"
             ".visible .entry k(.param .u64 out) {\n .reg .b64 %o; .reg .b32 %r<3>;\n .param .b32 x; .param "
             ".b32 y;\n"
             " ld.param.u64 %o, [out];\n ld.global.u32 %r1, [counter];\n st.param.b32 [x], %r1;\n"
             " call (y), twice, (x);\n ld.param.b32 %r2, [y];\n st.global.u32 [%o], %r2;\n"
             " st.global.u32 [counter], %r2;\n ret; }",
        HEAD ".visible .global .u32 counter = 21;\n"
             ".visible .func (.param .b32 r) twice(.param .b32 x) {\n .reg .b32 %r<2>;\n"
             " ld.param.b32 %r1, [x];\n add.u32 %r1, %r1, %r1;\n st.param.b32 [r], %r1;\n ret; }",
        HEAD ".weak .func (.param .b32 r) twice(.param .b32 x) {\n .reg .b32 %r<2>;\n mov.u32 %r1, 1;\n"
             " st.param.b32 [r], %r1;\n ret; }"};
    ptx_program *program;
    uint64_t size;
    open_device(1);
    for (int order = 0; order < 2; order++) { /* the weak definition loses wherever it stands */
        const char *const given[] = {texts[0], texts[1 + order], texts[2 - order]};
        assert_int_equal(link_texts(given, 3, NULL, &program), PTX_OK);
        ptx_address out = buffer(4), counter;
        assert_int_equal(launch(program, "k", 1, 1, &out, 8, NULL), PTX_OK);
        assert_int_equal(word_at(out), 42);
        assert_int_equal(ptx_program_variable(program, "counter", &counter, &size), PTX_OK);
        assert_int_equal(size, 4);
        assert_int_equal(word_at(counter), 42);
        assert_int_equal(ptx_memory_free(device, counter), PTX_ERROR_INVALID_ARGUMENT);
    }
    const char *const twice[] = {texts[0], texts[1], texts[1]};
    assert_int_equal(link_texts(twice, 3, NULL, &program), PTX_ERROR_LINK);
    assert_non_null(strstr(ptx_device_message(device), ": Multiple definition of "));
    ptx_device_destroy(device);
}

/* ---- variables ---- */

TEST(initial_values)
{
    ptx_address va;
    uint64_t size, words[2];
    uint8_t bytes[8];
    open_device(1);
    ptx_program *program =
        load(HEAD ".visible .const .u32 table[4] = {10, 20, 30};\n.visible .global .f32 pi = 0f40490FDB;\n"
                  ".visible .global .s16 m[2][2] = {{1, -2}, {3}};\n"
                  ".visible .global .u64 pointers[2] = {generic(table), pi};\n"
                  ".visible .global .u8 piece[2] = {0xFF(pi), 0xFF00(pi)};\n.visible .entry k() { ret; }");
    assert_int_equal(ptx_program_variable(program, "table", &va, &size), PTX_OK);
    assert_int_equal(size, 16);
    assert_int_equal(word_at(va + 8), 30);
    assert_int_equal(word_at(va + 12), 0);
    const ptx_address table = va;
    assert_int_equal(ptx_memory_read(device, bytes, va + 13, 4), PTX_ERROR_INVALID_ARGUMENT);
    ptx_program_variable(program, "m", &va, &size);
    assert_int_equal(ptx_memory_read(device, bytes, va, 8), PTX_OK);
    assert_memory_equal(bytes, ((const uint8_t[]){1, 0, 0xfe, 0xff, 3, 0, 0, 0}), 8);
    ptx_program_variable(program, "pi", &va, &size);
    assert_int_equal(word_at(va), 0x40490fdb);
    const ptx_address pi = va;
    ptx_program_variable(program, "pointers", &va, &size);
    ptx_memory_read(device, words, va, 16);
    assert_int_equal(words[0], table);
    assert_int_equal(words[1], pi);
    ptx_program_variable(program, "piece", &va, &size);
    ptx_memory_read(device, bytes, va, 2);
    assert_int_equal(bytes[0], pi & 0xff);
    assert_int_equal(bytes[1], pi >> 8 & 0xff);
    assert_int_equal(ptx_program_variable(program, "none", &va, &size), PTX_ERROR_NOT_FOUND);
    ptx_device_destroy(device);
}

#define SHARED_KERNELS                                                                                       \
    HEAD ".shared .align 4 .b8 big[1000];\n.shared .align 4 .b8 small[8];\n.extern .shared .align 16 .b8 "   \
         "dyn[];\n"                                                                                          \
         ".func use_small() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n st.shared.u32 [small], %r;\n ret; }\n"      \
         ".visible .entry a() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n st.shared.u32 [big], %r;\n call "         \
         "use_small, ();\n ret; }\n"                                                                         \
         ".visible .entry b() {\n call use_small, ();\n ret; }\n"                                            \
         ".visible .entry c() { ret; }\n"                                                                    \
         ".visible .entry d() {\n .reg .b32 %r;\n .shared .b32 own;\n mov.u32 %r, 1;\n st.shared.u32 "       \
         "[own], %r;\n ret; }\n"                                                                             \
         ".visible .entry e() {\n .reg .b32 %r;\n mov.u32 %r, 1;\n st.shared.u32 [dyn], %r;\n ret; }"

static size_t static_shared(ptx_program *program, const char *name)
{
    ptx_kernel *kernel;
    ptx_kernel_info info = {sizeof info};
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    assert_int_equal(ptx_kernel_info_get(kernel, &info), PTX_OK);
    return info.static_shared_bytes;
}

TEST(kernels_pay_for_shared_memory_they_reach)
{
    open_device(1);
    ptx_program *program = load(SHARED_KERNELS);
    assert_int_equal(static_shared(program, "a"), 1008);
    assert_in_range(static_shared(program, "b"), 8, 1008);
    assert_int_equal(static_shared(program, "c"), 0);
    assert_int_equal(static_shared(program, "d"), 4);
    assert_int_equal(static_shared(program, "e"), 0);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) assert_int_equal(launch(program, names[i], 3, 64, NULL, 0, NULL), PTX_OK);
    ptx_fault fault = {sizeof fault};
    assert_int_equal(launch(program, "e", 1, 1, NULL, 0, &fault),
                     PTX_ERROR_FAULT); /* no dynamic bytes were asked for */
    assert_int_equal(fault.cuda_error, 700);
    ptx_device_destroy(device);
}

/* ---- shapes, faults, limits ---- */

TEST(shapes_out_of_bounds)
{
    ptx_kernel *kernel;
    open_device(1);
    ptx_program *program =
        load(HEAD ".visible .entry k() { ret; }\n.visible .entry r() .reqntid 32, 2 { ret; }");
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    static const struct {
        ptx_launch_config config;
        ptx_status status;
    } cases[] = {
        {{0, {1, 1, 1}, {1024, 1, 1}, 0, NULL, 0}, PTX_OK},
        {{0, {1, 0, 0}, {1, 0, 0}, 0, NULL, 0}, PTX_OK},
        {{0, {3, 2, 2}, {8, 8, 16}, 0, NULL, 0}, PTX_OK},
        {{0, {1, 1, 1}, {1025, 1, 1}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 1, 1}, {32, 33, 1}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 1, 1}, {1, 1, 65}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {0, 1, 1}, {1, 1, 1}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 1, 1}, {0, 1, 1}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 65536, 1}, {1, 1, 1}, 0, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 1, 1}, {1, 1, 1}, 227 * 1024, NULL, 0}, PTX_OK},
        {{0, {1, 1, 1}, {1, 1, 1}, 227 * 1024 + 1, NULL, 0}, PTX_ERROR_LAUNCH},
        {{0, {1, 1, 1}, {1, 1, 1}, 0xffffffff, NULL, 0}, PTX_ERROR_LAUNCH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(ptx_kernel_launch(kernel, &cases[i].config, NULL), cases[i].status);
    assert_int_equal(ptx_program_kernel(program, "r", &kernel), PTX_OK);
    const ptx_launch_config right = {sizeof right, {1, 1, 1}, {32, 2, 1}, 0, NULL, 0},
                            wrong = {0, {1, 1, 1}, {64, 1, 1}, 0, NULL, 0};
    assert_int_equal(ptx_kernel_launch(kernel, &right, NULL), PTX_OK);
    assert_int_equal(ptx_kernel_launch(kernel, &wrong, NULL), PTX_ERROR_LAUNCH);
    assert_non_null(strstr(ptx_device_message(device), ".reqntid"));
    ptx_device_destroy(device);
}

#define STORE                                                                                                \
    HEAD ".file 1 \"x.cu\"\n.file 2 \"y.cuh\"\n.visible .entry k(.param .u64 p) {\n .reg .b64 %a;\n .reg "   \
         ".b32 %r;\n"                                                                                        \
         " .loc 1 12 3\n ld.param.u64 %a, [p];\n .loc 1 13 5\n .loc 2 7 1, function_name $L__s, inlined_at " \
         "1 13 5\n mov.u32 %r, %ctaid.x;\n"                                                                  \
         " st.global.u32 [%a+4096], %r;\n ret;\n}\n.section .debug_str { $L__s: .b8 102, 0 }"

TEST(a_fault_says_everything)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        ptx_fault f = {sizeof f};
        char expected[200];
        open_device(workers);
        ptx_program *program = load(STORE);
        ptx_address va = buffer(4096);
        assert_int_equal(launch(program, "k", 1, 1, &va, 8, &f), PTX_ERROR_FAULT);
        assert_int_equal(f.cuda_error, 700);
        assert_string_equal(f.name, "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_string_equal(f.file, "test.ptx");
        assert_int_equal(f.line, 14);
        assert_non_null(strstr(f.instruction, "st.global.u32"));
        assert_string_equal(f.source, "y.cuh:7 (inlined at x.cu:13)");
        assert_string_equal(f.kernel, "k");
        assert_string_equal(f.launched_by, "k <- host");
        assert_int_equal(f.address, va + 4096);
        snprintf(expected, sizeof expected, "0 bytes past the end of a 4096-byte allocation at 0x%llx",
                 (unsigned long long)va);
        assert_string_equal(f.allocation, expected);
        assert_true(f.message[0] != 0);
        ptx_device_destroy(device);
    }
}

#define LOOPS                                                                                                \
    HEAD ".visible .entry forever() {\n$L:\n bra.uni $L;\n}\n"                                               \
         ".visible .entry stuck() {\n .reg .pred %p;\n .reg .b32 %r;\n mov.u32 %r, %tid.x;\n"                \
         " setp.lt.u32 %p, %r, 32;\n@%p bar.sync 0, 64;\n@!%p bar.sync 1, 64;\n ret;\n}\n"                   \
         ".visible .entry fine() { ret; }"

TEST(deadlock_and_limits)
{
    for (unsigned workers = 1; workers <= 8; workers *= 2) {
        ptx_fault f = {sizeof f};
        const ptx_device_config steps = {.workers = workers, .max_steps = 100000};
        const ptx_device_config time = {.workers = workers, .timeout_ms = 30};
        open_with(&steps);
        ptx_program *program = load(LOOPS);
        assert_int_equal(launch(program, "stuck", 2, 64, NULL, 0, &f), PTX_ERROR_DEADLOCK);
        assert_non_null(strstr(f.state, "threads 0-31"));
        assert_non_null(strstr(f.state, "threads 32-63"));
        assert_non_null(strstr(f.message, "deadlock"));
        assert_int_equal(launch(program, "forever", 5, 64, NULL, 0, &f), PTX_ERROR_LIMIT);
        assert_int_equal(f.cuda_error, 702);
        assert_non_null(strstr(f.state, "forever"));
        assert_int_equal(launch(program, "fine", 1000, 64, NULL, 0, &f), PTX_OK);
        ptx_device_destroy(device);
        open_with(&time);
        assert_int_equal(launch(load(LOOPS), "forever", 5, 64, NULL, 0, &f), PTX_ERROR_LIMIT);
        ptx_device_destroy(device);
    }
}

static void *interrupt(void *unused)
{
    (void)unused;
    usleep(30000);
    ptx_device_interrupt(device);
    return NULL;
}

TEST(interrupt_from_another_thread)
{
    ptx_fault f = {sizeof f};
    pthread_t thread;
    open_device(2);
    ptx_program *program = load(LOOPS);
    pthread_create(&thread, NULL, interrupt, NULL);
    assert_int_equal(launch(program, "forever", 40, 64, NULL, 0, &f), PTX_ERROR_INTERRUPTED);
    pthread_join(thread, NULL);
    assert_non_null(strstr(f.state, "block (0,0,0)"));
    assert_int_equal(launch(program, "fine", 1, 64, NULL, 0, &f), PTX_OK);
    ptx_device_destroy(device);
}

/* ---- host functions ---- */

struct small {
    int32_t a, b;
};
struct large {
    int64_t v[5];
};

static int32_t native_mix(int32_t a, double b, uint8_t c, float d, int64_t e, struct small s)
{
    return (int32_t)(a + b * 2 + c + d * 4 + (double)e + s.a * 10 + s.b * 100);
}

static struct large native_spread(int64_t first)
{
    struct large l;
    for (int i = 0; i < 5; i++) l.v[i] = first * (i + 1);
    return l;
}

static ptx_host_fn resolve(void *user, const char *name)
{
    (void)user;
    if (!strcmp(name, "native_mix")) return (ptx_host_fn)(void (*)(void))native_mix;
    if (!strcmp(name, "native_spread")) return (ptx_host_fn)(void (*)(void))native_spread;
    return NULL;
}

#define HOST                                                                                                 \
    HEAD ".extern .func (.param .s32 r) native_mix(.param .s32 a, .param .f64 b, .param .u8 c, .param .f32 " \
         "d, "                                                                                               \
         ".param .s64 e, .param .align 4 .b8 s[8]);\n"                                                       \
         ".extern .func (.param .align 8 .b8 r[40]) native_spread(.param .s64 first);\n"                     \
         ".visible .entry k(.param .u64 out) {\n .reg .b64 %o, %x, %e; .reg .b32 %t, %r; .reg .f64 %d; "     \
         ".reg .f32 %f;\n"                                                                                   \
         " .param .s32 r; .param .s32 a; .param .f64 b; .param .u8 c; .param .f32 d; .param .s64 e; .param " \
         ".align 4 .b8 s[8];\n"                                                                              \
         " .param .align 8 .b8 big[40];\n"                                                                   \
         " ld.param.u64 %o, [out];\n mov.u32 %t, %tid.x;\n mul.wide.u32 %x, %t, 8;\n add.u64 %o, %o, %x;\n"  \
         " st.param.s32 [a], %t;\n mov.f64 %d, 0d3FF8000000000000;\n st.param.f64 [b], %d;\n"                \
         " mov.u32 %r, 200;\n st.param.u8 [c], %r;\n mov.f32 %f, 0f3F000000;\n st.param.f32 [d], %f;\n"      \
         " mov.u64 %e, -7;\n st.param.s64 [e], %e;\n st.param.u32 [s], %t;\n mov.u32 %r, 3;\n st.param.u32 " \
         "[s+4], %r;\n"                                                                                      \
         " call (r), native_mix, (a, b, c, d, e, s);\n ld.param.s32 %r, [r];\n st.global.u32 [%o], %r;\n"    \
         " call (big), native_spread, (e);\n ld.param.u64 %x, [big+32];\n cvt.u32.u64 %r, %x;\n"             \
         " st.global.u32 [%o+4], %r;\n ret; }"

TEST(host_functions_by_signature)
{
    const ptx_program_options options = {.resolve = resolve};
    int32_t out[64];
    open_device(2);
    ptx_program *program = load_with(HOST, &options);
    ptx_address va = buffer(sizeof out);
    assert_int_equal(launch(program, "k", 1, 32, &va, 8, NULL), PTX_OK);
    ptx_memory_read(device, out, va, sizeof out);
    for (int t = 0; t < 32; t++) {
        assert_int_equal(out[2 * t], t + 3 + 200 + 2 - 7 + t * 10 + 300);
        assert_int_equal(out[2 * t + 1], -35);
    }
    ptx_device_destroy(device);
}

struct mixed {
    float f;
    int32_t i;
    double d;
};
struct pair {
    float a, b;
};

static float untyped(float x, double y, struct pair p, struct mixed m)
{
    return (float)(x + y * 10 + p.a * 100 + p.b * 1000 + m.f * 1e4f + m.i * 1e5 + m.d * 1e6);
}

static ptx_host_fn resolve_untyped(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "untyped") ? NULL : (ptx_host_fn)(void (*)(void))untyped;
}

/* As nvcc writes it: floats are .b32, structures .b8 arrays. */
#define UNTYPED                                                                                              \
    HEAD ".extern .func (.param .b32 r) untyped(.param .b32 x, .param .b64 y, .param .align 4 .b8 p[8], "    \
         ".param .align 8 .b8 m[16]);\n"                                                                     \
         ".visible .entry k(.param .u64 out) {\n .reg .b64 %o; .reg .f32 %f; .reg .f64 %d; .reg .b32 %r;\n"  \
         " ld.param.u64 %o, [out];\n {\n .param .b32 x;\n .param .b64 y;\n .param .align 4 .b8 p[8];\n"      \
         " .param .align 8 .b8 m[16];\n .param .b32 r;\n st.param.f32 [x+0], 0f3F800000;\n"                  \
         " st.param.f64 [y+0], 0d4000000000000000;\n st.param.f32 [p+0], 0f40400000;\n st.param.f32 [p+4], " \
         "0f40800000;\n"                                                                                     \
         " st.param.f32 [m+0], 0f40A00000;\n st.param.b32 [m+4], 6;\n st.param.f64 [m+8], "                  \
         "0d401C000000000000;\n"                                                                             \
         " call.uni (r), untyped, (x, y, p, m);\n ld.param.f32 %f, [r+0];\n }\n st.global.f32 [%o], %f;\n "  \
         "ret; }"

TEST(floats_without_a_type_are_found)
{
    const ptx_program_options options = {.resolve = resolve_untyped};
    float result;
    open_device(1);
    ptx_program *program = load_with(UNTYPED, &options);
    ptx_address va = buffer(4);
    assert_int_equal(launch(program, "k", 1, 1, &va, 8, NULL), PTX_OK);
    ptx_memory_read(device, &result, va, 4);
    assert_int_equal((int)result, 7654321);
    ptx_device_destroy(device);
}

/* ---- several devices and programs ---- */

TEST(programs_come_and_go)
{
    open_device(2);
    ptx_address out = buffer(4);
    for (int i = 0; i < 50; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 HEAD ".visible .global .u32 v = %d;\n.visible .entry k(.param .u64 o) {\n"
                      " .reg .b64 %%o; .reg .b32 %%r;\n ld.param.u64 %%o, [o];\n ld.global.u32 %%r, [v];\n"
                      " st.global.u32 [%%o], %%r;\n ret; }",
                 i * 3);
        ptx_program *program = load(text);
        assert_int_equal(launch(program, "k", 1, 32, &out, 8, NULL), PTX_OK);
        assert_int_equal(word_at(out), i * 3);
        ptx_program_destroy(program);
    }
    ptx_device_destroy(device);
}

/* ---- the same kernel again ---- */

/* Thread i writes i at i * stride: offsets that stay from block to block must not stay from launch to launch.
 */
TEST(offsets_follow_the_parameters)
{
    enum { THREADS = 32 };
    struct {
        ptx_address out;
        uint32_t stride;
    } params;
    open_device(1);
    ptx_program *program = load(HEAD ".visible .entry k(.param .u64 out, .param .u32 stride)\n{\n"
                                     " .reg .u32 %t, %s; .reg .u64 %a, %o, %e;\n"
                                     " ld.param.u64 %a, [out];\n ld.param.u32 %s, [stride];\n"
                                     " mov.u32 %t, %tid.x;\n mul.wide.u32 %o, %t, %s;\n"
                                     " add.u64 %e, %a, %o;\n st.global.u32 [%e], %t;\n ret;\n}\n");
    params.out = buffer(THREADS * 16);
    for (params.stride = 4; params.stride <= 16; params.stride *= 2) {
        assert_int_equal(launch(program, "k", 2, THREADS, &params, 12, NULL), PTX_OK);
        for (uint32_t i = 0; i < THREADS; i++)
            assert_int_equal(word_at(params.out + (uint64_t)i * params.stride), i);
    }
    ptx_device_destroy(device);
}

/* ---- programs that come while others look ---- */

/* Constants of programs lie a step apart; the readers guess where those of the next ones will be. */
struct looking {
    ptx_address first;
    uint64_t step;
    atomic_uint made;
    atomic_bool over;
    unsigned wrong[2];
};

static void *look_ahead(void *data)
{
    struct looking *l = data;
    static atomic_uint readers;
    const unsigned own = atomic_fetch_add(&readers, 1) % 2;
    while (!atomic_load(&l->over))
        for (unsigned k = atomic_load(&l->made), end = k + 3; k < end; k++) {
            uint32_t words[2] = {0};
            const ptx_status status = ptx_memory_read(device, words, l->first + k * l->step, sizeof words);
            if (status == PTX_OK)
                l->wrong[own] += words[0] != 7 || words[1] != 9;
            else
                l->wrong[own] += status != PTX_ERROR_INVALID_ARGUMENT;
        }
    return NULL;
}

static ptx_address constants_of(ptx_program *program)
{
    ptx_address at;
    uint64_t size;
    assert_int_equal(ptx_program_variable(program, "c", &at, &size), PTX_OK);
    return at;
}

/* A program is seen when it is whole, or not at all; and nobody reads one that goes. */
TEST(programs_are_seen_whole)
{
    enum { PROGRAMS = 40, GLOBALS = 60 };
    static char text[GLOBALS * 80 + 400];
    struct looking l = {0};
    ptx_program *programs[2];
    pthread_t threads[2];
    open_device(1);
    int n = snprintf(text, sizeof text,
                     HEAD ".const .align 4 .b32 c[10000] = {7, 9};\n.visible .entry k() { ret; }\n");
    for (int i = 0; i < GLOBALS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ".global .b32 g%d[100] = {1,2,3};\n.func f%d() { ret; }\n", i, i);
    for (int i = 0; i < 2; i++) programs[i] = load(text);
    l.first = constants_of(programs[0]);
    l.step = constants_of(programs[1]) - l.first;
    atomic_store(&l.made, 2);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, look_ahead, &l), 0);
    for (int i = 0; i < PROGRAMS; i++) {
        ptx_program *program = load(text);
        assert_int_equal(constants_of(program), l.first + atomic_load(&l.made) * l.step);
        atomic_fetch_add(&l.made, 1);
        if (i % 2) ptx_program_destroy(program);
    }
    atomic_store(&l.over, true);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert_int_equal(l.wrong[0] + l.wrong[1], 0);
    ptx_device_destroy(device);
}

int main(void)
{
    return run_suite();
}
