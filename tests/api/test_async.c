/*
 * test_async.c - mbarriers, cp.async and what surrounds them, against a chip: test_async [CASE]
 *
 * tests/hw/golden/async.tsv was recorded by tests/hw/async/record.c: a line for each case of cases.txt;
 * clusters.tsv has those of clusters.txt, bulk.tsv those of bulk.txt that were recorded so far. Every case
 * gives the same results or the same error here, whenever asynchronous copies happen; the lists below name
 * where the VM is stricter than the chip, and cases that look without having waited.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "api/replay.h"
#include "hw/async/kernel.h"
#include "ptx_info.h"
#include "ptxvm.h"
#include "suite.h"

enum { LINE_MAX_ = 1 << 17, NON_PORTABLE_CLUSTERS = 14 };

/* The chip lets these pass, or fails later; here they fail, saying this. */
static const struct strict {
    const char *name, *says;
} strict[] = {{"init_1048576", "mbarrier for 1048576 arrivals: 1 to 1048575 are possible"},
              {"init_0xffffffff", "mbarrier for 4294967295 arrivals"},
              {"misaligned_init", "not aligned to 8 bytes"},
              {"never_init_zero_test", "never initialised"},
              {"never_init_try", "never initialised"},
              {"never_init_tx", "never initialised"},
              {"copy_arrive_never_init", "never initialised"},
              {"mbarrier_never_init", "never initialised"},
              {"st_async_bar_never_init", "never initialised"},
              {"load_wrong_size_8", "8 bytes, which is no multiple of 16"},
              {"load_wrong_size_24", "24 bytes, which is no multiple of 16"},
              {"load_wrong_to_outside", "outside the block's shared memory"},
              {"load_wrong_bar_outside", "outside the block's shared memory"},
              {"load_wrong_bar_never", "never initialised"},
              {"load_wrong_many", "outside the block's shared memory"},
              {"copy_wrong_size_8", "8 bytes, which is no multiple of 16"},
              {"copy_wrong_from_outside", "outside the block's shared memory"}};

/* These look at memory though nothing has waited for the copy: with late copies it has not happened. */
static const char *const hasty[] = {"copy_arrive_last",  "load_more",         "load_cta_register",
                                    "copy_peer_own_bar", "peer_load_own_bar", "multicast_1",
                                    "multicast_2",       "multicast_3",       "st_async_more"};

/* Two copies race here: what the chip gave is one of several outcomes. */
static const char *const racing[] = {"copy_overlap"};

static const char *only;
static unsigned failures;

#define DIFFERS(...) (failures++, print_error(__VA_ARGS__), print_error("\n"))

/* The recorded line of a case behind its name; NULL: there is none. */
static char *golden_line(const char *file, const char *name)
{
    static char line[LINE_MAX_];
    const size_t n = strlen(name);
    FILE *f = replay_open(file);
    assert_non_null(f);
    char *found = NULL;
    while (!found && fgets(line, sizeof line, f))
        if (!strncmp(line, name, n) && line[n] == '\t') found = line + n + 1;
    fclose(f);
    return found;
}

struct outcome {
    int error; /* as cuLaunchKernel and cuCtxSynchronize tell it */
    char message[300];
    uint64_t word[THREADS_MAX * RESULTS];
};

static void launch(ptx_device *device, ptx_program *program, const Case *c, struct outcome *o)
{
    static uint8_t input[IN_BYTES];
    ptx_kernel *kernel;
    ptx_fault fault = {.struct_size = sizeof fault, .message = ""};
    struct {
        ptx_address out, in;
    } params;
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {c->blocks},
                                      .block = {c->threads},
                                      .cluster = {c->cluster, c->cluster ? 1 : 0, c->cluster ? 1 : 0},
                                      .params = &params,
                                      .param_bytes = sizeof params};
    for (unsigned i = 0; i < THREADS_MAX * RESULTS; i++) o->word[i] = OUT_SENTINEL;
    fill_input(input);
    assert_int_equal(ptx_program_kernel(program, "k", &kernel), PTX_OK);
    assert_int_equal(ptx_kernel_attribute_set(kernel, NON_PORTABLE_CLUSTERS, 1), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, sizeof o->word, &params.out), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, IN_BYTES, &params.in), PTX_OK);
    assert_int_equal(ptx_memory_write(device, params.out, o->word, sizeof o->word), PTX_OK);
    assert_int_equal(ptx_memory_write(device, params.in, input, IN_BYTES), PTX_OK);
    const ptx_status status = ptx_kernel_launch(kernel, &config, &fault);
    o->error = status == PTX_OK ? 0 : status == PTX_ERROR_FAULT ? fault.cuda_error : -(int)status;
    snprintf(o->message, sizeof o->message, "%s", status == PTX_OK ? "" : fault.message);
    assert_int_equal(ptx_memory_read(device, o->word, params.out, sizeof o->word), PTX_OK);
}

/* False: it does not load, which is told. */
static bool run(const Case *c, ptx_async async, uint64_t seed, struct outcome *o)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .async = async, .async_seed = seed, .timeout_ms = 20000};
    ptx_device *device;
    ptx_module *module = NULL;
    ptx_program *program = NULL;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    if (ptx_module_create(NULL, c->text, strlen(c->text), &module) != PTX_OK)
        DIFFERS("%s: no module", c->name);
    else if (ptx_program_create(device, (const ptx_module *[]){module}, 1, NULL, &program) != PTX_OK)
        DIFFERS("%s: %s", c->name, ptx_device_message(device));
    else
        launch(device, program, c, o);
    const bool ran = program;
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    ptx_device_destroy(device);
    return ran;
}

static const struct strict *is_strict(const char *name)
{
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++)
        if (!strcmp(strict[i].name, name)) return &strict[i];
    return NULL;
}

static bool is_among(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}
#define IS_AMONG(list, name) is_among(list, sizeof(list) / sizeof *(list), name)

static void compare(const Case *c, char *golden, const struct outcome *o, const char *how)
{
    const struct strict *s = is_strict(c->name);
    int error = (int)strtol(golden, &golden, 10);
    if (s && (o->error == 0 || !strstr(o->message, s->says)))
        DIFFERS("%s %s: %d %s, expected: %s", c->name, how, o->error, o->message, s->says);
    if (s) return;
    if (o->error != error) {
        DIFFERS("%s %s: %d (%s), on the chip %d", c->name, how, o->error, o->message, error);
        return;
    }
    if (IS_AMONG(racing, c->name)) return;
    for (unsigned t = 0; !error && t < c->threads * c->blocks; t++)
        for (unsigned i = 0; i < c->results; i++) {
            uint64_t want = strtoull(golden, &golden, 16), got = o->word[t * RESULTS + i];
            if (got != want)
                DIFFERS("%s %s: thread %u result %u is %llx, on the chip %llx", c->name, how, t, i,
                        (unsigned long long)got, (unsigned long long)want);
        }
}

/* At least so many cases; `whole`: each of them was recorded. */
static void replay(const char *cases, const char *golden_file, unsigned least, bool whole)
{
    static Case c;
    static struct outcome o;
    char held[600] = "", how[40];
    unsigned n = 0;
    FILE *f = replay_open(cases);
    assert_non_null(f);
    while (case_next(f, &c, held)) {
        if (only && strcmp(only, c.name)) continue;
        char *golden = golden_line(golden_file, c.name);
        if (!golden && whole) DIFFERS("%s: no recording", c.name);
        if (!golden) continue;
        for (int k = 0; k < 6; k++) {
            const ptx_async async = k == 0 ? PTX_ASYNC_EARLY : k == 1 ? PTX_ASYNC_LATE : PTX_ASYNC_RANDOM;
            if (k && IS_AMONG(hasty, c.name)) continue;
            snprintf(how, sizeof how, "%s %d", k == 0 ? "early" : k == 1 ? "late" : "random", k);
            if (!run(&c, async, (uint64_t)k, &o)) break;
            compare(&c, golden, &o, how);
        }
        n++;
    }
    fclose(f);
    assert_true(only || n >= least);
    assert_int_equal(failures, 0);
}

TEST(test_cases)
{
    replay("../async/cases.txt", "async.tsv", 190, true);
}

TEST(test_clusters)
{
    replay("../async/clusters.txt", "clusters.tsv", 160, true);
}

TEST(test_bulk)
{
    replay("../async/bulk.txt", "bulk.tsv", 93, false);
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    return run_suite();
}
