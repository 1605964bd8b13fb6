/*
 * test_starve.c - every allocation may fail, and nearly every request of an arena is one.
 *
 * Arenas take memory in large chunks, so that few points of the library would ever see an allocation fail.
 * Here they are compiled with chunks of 64 bytes. Each stage of a program's life is run with ever larger
 * budgets until it needs no more: it must say that memory ran out, do no harm, and give every byte back.
 */
#define PX_ARENA_CHUNKS CHUNK_MIN = 64, CHUNK_MAX = 64
#include "base/arena.c"

#include <stdbool.h>
#include <stdlib.h>
#include <pthread.h>
#include "ptxvm.h"
#include "suite.h"

/* ---- an allocator with a budget, for several threads ---- */

static struct {
    pthread_mutex_t lock;
    long left; /* allocations that succeed */
    long bytes, failures;
} budget = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *starving_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    pthread_mutex_lock(&budget.lock);
    const bool fails = size && budget.left <= 0;
    void *result = NULL;
    if (size) budget.left--;
    budget.failures += fails;
    if (!fails) budget.bytes += (long)size - (long)old_size;
    if (!fails && size) result = realloc(ptr, size);
    if (!size) free(ptr);
    pthread_mutex_unlock(&budget.lock);
    return result;
}

static const ptx_allocator starving = {.realloc = starving_realloc};

static void feed(long allocations)
{
    budget.left = allocations;
    budget.failures = 0;
}

static void feed_enough(void)
{
    feed(1L << 40);
}

/* ---- the stages ---- */

enum { OUT_OF_MEMORY = 2, STACK_ERROR = 714 }; /* of cudaError */

struct given {
    char *text;
    size_t size;
    ptx_module_options options;
    ptx_module *modules[2];
    size_t nmodules;
    unsigned workers;
    const char *kernel;
    size_t param_bytes;
};

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static ptx_status create(struct given *given)
{
    ptx_module *module = NULL;
    const ptx_status status = ptx_module_create(&given->options, given->text, given->size, &module);
    assert_true(status == PTX_ERROR_OUT_OF_MEMORY ? !module : module != NULL);
    ptx_module_destroy(module);
    return status;
}

static ptx_status use(struct given *given)
{
    ptx_usage usage = {sizeof usage};
    ptx_status status = PTX_OK;
    for (size_t i = 0; status == PTX_OK && i < ptx_module_kernel_count(given->modules[0]); i++)
        status = ptx_module_kernel_usage(given->modules[0], i, &usage);
    return status;
}

static ptx_status run(struct given *given, long allocations, bool launches)
{
    const ptx_device_config config = {.allocator = starving, .workers = given->workers};
    ptx_device *device = NULL;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address out;
    ptx_fault fault = {sizeof fault};
    if (launches)
        feed_enough();
    else
        feed(allocations);
    ptx_status status = ptx_device_create(&config, &device);
    if (status == PTX_OK) {
        status = ptx_program_create(device, (const ptx_module *const *)given->modules, given->nmodules, NULL,
                                    &program);
        assert_int_equal(status != PTX_OK, *ptx_device_message(device) != 0);
    }
    if (status == PTX_OK) status = ptx_program_kernel(program, given->kernel, &kernel);
    if (status == PTX_OK) status = ptx_memory_alloc(device, 4096, &out);
    if (status == PTX_OK && launches) {
        feed(allocations);
        const ptx_launch_config launch = {
            sizeof launch, {2, 1, 1}, {32, 1, 1}, 0, (uint64_t[]){out, out + 2048}, given->param_bytes};
        status = ptx_kernel_launch(kernel, &launch, &fault);
        assert_int_equal(status != PTX_OK, *ptx_device_message(device) != 0);
        /* A lane that gets no memory for a call traps: the call stack is exhausted, or there is no memory. */
        if (status == PTX_ERROR_FAULT &&
            (fault.cuda_error == STACK_ERROR || fault.cuda_error == OUT_OF_MEMORY))
            status = PTX_ERROR_OUT_OF_MEMORY;
    }
    ptx_device_destroy(device);
    return status;
}

/* ---- all budgets ---- */

enum { MOST = 200000 };

/* Until a run needs no more than its budget; every shorter one must end with `starved`. Returns how long it
 * took. */
#define STARVE(given, wanted, starved_ok, call)                                                              \
    do {                                                                                                     \
        long n;                                                                                              \
        for (n = 0; n < MOST; n++) {                                                                         \
            feed(n);                                                                                         \
            const long before = budget.bytes;                                                                \
            const ptx_status status = (call);                                                                \
            if (budget.bytes != before)                                                                      \
                fail_msg("budget %ld: %ld bytes are not freed", n, budget.bytes - before);                   \
            if (budget.failures == 0) {                                                                      \
                assert_int_equal(status, (wanted));                                                          \
                break;                                                                                       \
            }                                                                                                \
            if (!(starved_ok)) fail_msg("budget %ld: %s", n, ptx_status_name(status));                       \
        }                                                                                                    \
        assert_in_range(n, 1, MOST - 1);                                                                     \
        print_message("# %s: %ld points of failure\n", #call, n);                                            \
    } while (0)

#define STARVED (status == PTX_ERROR_OUT_OF_MEMORY)

static void starve_text(const char *path, ptx_module_options options, ptx_status wanted)
{
    struct given given = {.options = options};
    given.options.allocator = starving;
    given.text = read_file(path, &given.size);
    STARVE(&given, wanted, STARVED, create(&given));
    free(given.text);
}

TEST(test_create)
{
    starve_text("samples/reduce.ptx", (ptx_module_options){0}, PTX_OK);
    starve_text("samples/parent_child.ptx", (ptx_module_options){.check_only = 1}, PTX_OK);
    starve_text("samples/parent_child.ptx", (ptx_module_options){.lint = 1}, PTX_OK);
    starve_text("tests/asm/lint_barriers.ptx", (ptx_module_options){.lint = PTX_LINT_ALL}, PTX_OK);
    starve_text("tests/asm/lint_places.ptx", (ptx_module_options){.lint = PTX_LINT_ON}, PTX_OK);
    starve_text("tests/asm/lint_aligned.ptx", (ptx_module_options){.lint = PTX_LINT_ON}, PTX_OK);
    starve_text("tests/asm/init_fine.ptx", (ptx_module_options){0}, PTX_OK);
    starve_text("tests/asm/decl_rules.ptx", (ptx_module_options){0}, PTX_ERROR_ASSEMBLY);
    starve_text("tests/cli/notes.ptx", (ptx_module_options){.arch = "sm_80"}, PTX_ERROR_ASSEMBLY);
}

static ptx_module *module_of(const char *path)
{
    const ptx_module_options options = {.allocator = starving};
    ptx_module *module;
    size_t size;
    char *text = read_file(path, &size);
    feed_enough();
    assert_int_equal(ptx_module_create(&options, text, size, &module), PTX_OK);
    free(text);
    return module;
}

struct bytes {
    char at[1 << 16];
    size_t n;
};

static int collect(void *user, const char *text, size_t size)
{
    struct bytes *bytes = user;
    assert_true(bytes->n + size <= sizeof bytes->at);
    memcpy(bytes->at + bytes->n, text, size);
    bytes->n += size;
    return 0;
}

/* What needs no memory: printing, and writing objects. */
TEST(test_print_and_write)
{
    ptx_module *module = module_of("samples/reduce.ptx");
    struct bytes bytes = {.n = 0};
    feed(0);
    assert_int_equal(ptx_module_print(module, collect, &bytes), PTX_OK);
    bytes.n = 0;
    assert_int_equal(ptx_object_write((const ptx_module *const[]){module}, 1, collect, &bytes), PTX_OK);
    assert_int_equal(budget.failures, 0);
    struct given given = {.text = bytes.at, .size = bytes.n, .options = {.allocator = starving}};
    assert_int_equal(ptx_object_module_count(bytes.at, bytes.n), 1);
    STARVE(&given, PTX_OK, STARVED, create(&given));
    bytes.at[bytes.n / 2] ^= 1; /* damaged */
    STARVE(&given, PTX_ERROR_ASSEMBLY, STARVED, create(&given));
    ptx_module_destroy(module);
}

TEST(test_usage)
{
    struct given given = {.modules = {module_of("samples/reduce.ptx")}};
    STARVE(&given, PTX_OK, STARVED, use(&given));
    ptx_module_destroy(given.modules[0]);
}

/* A device and a program of two modules. */
TEST(test_link)
{
    struct given given = {.modules = {module_of("samples/parent_child.ptx"), module_of("samples/reduce.ptx")},
                          .nmodules = 2,
                          .workers = 1,
                          .kernel = "parent"};
    STARVE(&given, PTX_OK, STARVED, run(&given, n, false));
    ptx_module_destroy(given.modules[0]);
    ptx_module_destroy(given.modules[1]);
}

/* Decoding and a grid. */
static void starve_launch(unsigned workers)
{
    struct given given = {.modules = {module_of("samples/parent_child.ptx")},
                          .nmodules = 1,
                          .workers = workers,
                          .kernel = "child",
                          .param_bytes = 8};
    STARVE(&given, PTX_OK, STARVED, run(&given, n, true));
    given.kernel = "parent";
    given.param_bytes = 16;
    /* This parent's device runtime answers with a code, which the kernel passes on. */
    STARVE(&given, PTX_OK, STARVED || status == PTX_OK, run(&given, n, true));
    ptx_module_destroy(given.modules[0]);
}

TEST(test_launch)
{
    starve_launch(1);
}

TEST(test_launch_with_workers)
{
    starve_launch(3);
}

int main(void)
{
    return run_suite();
}
