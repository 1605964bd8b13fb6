/*
 * networks.c - how fast the kernels of networks.cu run, which are of the kind that neural networks are made
 * of, and those of programs.cu, which are divergent and irregular; and whether they run right.
 *
 *   bench_networks [--check] [WORD...]     those whose name holds a WORD; --check: once each, without times
 *
 * For each: Gti/s of processor time with one worker, the best of five launches, and how fast that is beside
 * plain C that computes the same (gcc -O3 -march=native, *_plain.c, run in turn with it). Every
 * launch's result is held against the plain C's: integers, copies and sums of integers exactly, others within
 * what the approximate units and the order of sums allow. Exit code 1 when one is wrong.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "need.h"
#include "networks.h"
#include "ptxvm.h"

enum { LAUNCHES = 5, WORDS = 1 << 20 };

struct params {
    ptx_address a, b, index, out;
    int32_t rows, cols;
};

static float a[WORDS], b[WORDS];
static int32_t index_of[WORDS];
static uint32_t expected[WORDS], found[WORDS];

static uint32_t draw(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

static void fill(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        a[i] = (float)(int32_t)draw(i) * 0x1p-31f;
        b[i] = (float)(int32_t)draw(i + WORDS) * 0x1p-31f;
        index_of[i] = (int32_t)(draw(i + 2 * WORDS) >> 1);
    }
}

static ptx_address upload(ptx_device *device, const void *data)
{
    ptx_address at;
    need(ptx_memory_alloc(device, sizeof a, &at), "memory");
    need(ptx_memory_write(device, at, data, sizeof a), "memory");
    return at;
}

/* ---- results ---- */

static float number(uint32_t word)
{
    float x;
    memcpy(&x, &word, 4);
    return x;
}

static int is_right(const struct network *n, uint32_t got, uint32_t want)
{
    if (n->tolerance == 0) return got == want;
    return fabsf(number(got) - number(want)) <= n->tolerance * (1 + fabsf(number(want)));
}

static int check(const struct network *n)
{
    for (size_t i = 0; i < n->words; i++) {
        if (is_right(n, found[i], expected[i])) continue;
        fprintf(stderr, "%s: word %zu is 0x%08x (%g), not 0x%08x (%g)\n", n->name, i, found[i],
                number(found[i]), expected[i], number(expected[i]));
        return 0;
    }
    return 1;
}

/* ---- running ---- */

static double plain(const struct network *n)
{
    const double start = cpu_now();
    n->plain(a, b, index_of, expected, n->rows, n->cols);
    return cpu_now() - start;
}

static uint64_t executed(const ptx_device *device)
{
    ptx_progress progress = {.struct_size = sizeof progress};
    ptx_device_progress(device, &progress);
    return progress.thread_instructions_ever;
}

/* True: every result was right. */
static int measure(ptx_device *device, ptx_program *program, const struct network *n, struct params *params,
                   int launches)
{
    ptx_kernel *kernel;
    double vm = 1e9, c = 1e9;
    uint64_t before = 0, after = 0;
    params->rows = n->rows;
    params->cols = n->cols;
    need(ptx_program_kernel(program, n->name, &kernel), n->name);
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {n->blocks},
                                      .block = {256},
                                      .params = params,
                                      .param_bytes = sizeof *params};
    for (int i = 0; i < launches; i++) {
        const double own = plain(n);
        memset(found, 0, sizeof found);
        need(ptx_memory_write(device, params->out, found, sizeof found), "memory");
        before = executed(device);
        const double start = cpu_now();
        need(ptx_kernel_launch(kernel, &config, NULL), n->name);
        const double seconds = cpu_now() - start;
        after = executed(device);
        need(ptx_memory_read(device, found, params->out, sizeof found), "memory");
        if (!check(n)) return 0;
        if (seconds < vm) vm = seconds;
        if (own < c) c = own;
    }
    if (launches > 1)
        printf("%-20s %8.2f %8.2f %10.2f\n", n->name, (double)(after - before) / vm / 1e9, c / vm, vm * 1e3);
    return 1;
}

static int is_wanted(const char *name, char **words, int n)
{
    for (int i = 0; i < n; i++)
        if (strstr(name, words[i])) return 1;
    return n == 0;
}

/* The kernels of one text, of which those are run whose names hold a word. */
struct suite {
    const char *title, *file;
    const struct network *kernels;
};

struct tally {
    int right, wrong;
};

static void run_suite(ptx_device *device, const struct suite *suite, struct params params, char **words,
                      int nwords, int once, struct tally *tally)
{
    ptx_module *module;
    ptx_program *program;
    char *text = text_beside(__FILE__, suite->file);
    need(ptx_module_create(NULL, text, strlen(text), &module), suite->file);
    need(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program), suite->file);
    if (!once) printf("\n%s (one worker)\n%-20s %8s %8s %10s\n", suite->title, "", "Gti/s", "x C", "ms");
    for (const struct network *n = suite->kernels; n->name; n++) {
        if (!is_wanted(n->name, words, nwords)) continue;
        const int good = measure(device, program, n, &params, once ? 1 : LAUNCHES);
        if (once || !good) printf("%s %s\n", good ? "right" : "WRONG", n->name);
        *(good ? &tally->right : &tally->wrong) += 1;
    }
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct suite suites[] = {{"kernels of neural networks", "networks.ptx", networks},
                                          {"divergent and irregular programs", "programs.ptx", programs}};
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 1};
    const int once = argc > 1 && strcmp(argv[1], "--check") == 0;
    ptx_device *device;
    struct tally tally = {0, 0};
    fill();
    need(ptx_device_create(&config, &device), "device");
    const struct params params = {
        upload(device, a), upload(device, b), upload(device, index_of), upload(device, a), 0, 0};
    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        run_suite(device, &suites[i], params, argv + 1 + once, argc - 1 - once, once, &tally);
    ptx_device_destroy(device);
    return tally.wrong || !tally.right;
}
