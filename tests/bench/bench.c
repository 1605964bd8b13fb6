/* bench.c - how fast the workloads run, and whether they run right.
 *
 *   bench [--dir DIR] [--table FILE]       a table: Gti/s (10^9 PTX thread-instructions a second) of each
 * workload with one worker, beside plain C; speed-ups with all; whether the results are right; latencies
 *   bench --check N,N [--dir
 * DIR] [--table FILE]   each workload with so many workers: right, the same bits with all
 *   bench --counts N [--dir DIR] [--table FILE]   what it costs each workload that instructions are counted
 *
 * DIR holds kernels.ptx, debug.ptx and the table, workloads.tsv when no other FILE is named. PTXAS is the
 * assembler whose start is timed. Only the public interface of the library is used. Exit code 1 when a result
 * is wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "control.h"
#include "ptx_run.h"
#include "ptxvm.h"
#include "reference.h"

extern char **environ;

enum { MOST_WORKERS = 8, MOST_OUTPUTS = 4 };

/* Kernels as optimised, and some of them as a debug build makes them. */
static const char *const sources[] = {"kernels.ptx", "debug.ptx"};
enum { SOURCES = sizeof sources / sizeof *sources };

struct bench {
    const char *dir, *table, *engine;
    ptx_module *modules[SOURCES];
    struct bench_workload *list;
    size_t n;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of processor time that this process has used, all threads together. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Seconds of a launch: of processor time, and by the clock. */
struct cost {
    double cpu, clock;
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(2);
}

static void need(ptx_status status, const char *what, const ptx_device *device)
{
    if (status == PTX_OK) return;
    const char *message = device ? ptx_device_message(device) : "";
    die(what, *message ? message : ptx_status_name(status));
}

static char *read_text(const char *dir, const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    char *text = malloc(1 << 20);
    if (!file || !text) die(path, strerror(errno));
    *size = fread(text, 1, (1 << 20) - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}

/* ---- one workload on one device ---- */

struct run {
    ptx_device *device;
    ptx_program *program;
    ptx_kernel *kernel;
    ptx_address buffers[BENCH_MAX_ARGS];
    unsigned char params[256];
    size_t param_bytes;
    struct bench_workload *workload;
};

static size_t arg_bytes(const struct bench_arg *arg)
{
    return arg->count * bench_element_size(arg->type);
}

/* Buffers as the table describes them, and the parameter buffer: pointers of 8 bytes, scalars of 4. */
static void upload(struct run *run)
{
    size_t at = 0;
    for (int i = 0; i < run->workload->nargs; i++) {
        const struct bench_arg *arg = &run->workload->args[i];
        const int is_scalar = arg->role == BENCH_SCALAR;
        const size_t size = is_scalar ? 4 : 8;
        at = (at + size - 1) / size * size;
        if (!is_scalar) {
            need(ptx_memory_alloc(run->device, arg_bytes(arg), &run->buffers[i]), "memory", run->device);
            need(ptx_memory_write(run->device, run->buffers[i], arg->data, arg_bytes(arg)), "memory",
                 run->device);
        }
        memcpy(run->params + at, is_scalar ? arg->data : (const void *)&run->buffers[i], size);
        at += size;
    }
    run->param_bytes = at;
}

static void run_open_on(struct run *run, const struct bench *bench, struct bench_workload *workload,
                        ptx_device_config config)
{
    config.struct_size = sizeof config;
    config.engine = bench->engine;
    memset(run, 0, sizeof *run);
    run->workload = workload;
    need(ptx_device_create(&config, &run->device), "device", NULL);
    need(ptx_program_create(run->device, (const ptx_module *const *)bench->modules, SOURCES, NULL,
                            &run->program),
         "program", run->device);
    need(ptx_program_kernel(run->program, workload->kernel, &run->kernel), workload->kernel, run->device);
    upload(run);
}

static void run_open(struct run *run, const struct bench *bench, struct bench_workload *workload,
                     unsigned workers)
{
    run_open_on(run, bench, workload, (ptx_device_config){.workers = workers});
}

static void run_close(struct run *run)
{
    ptx_program_destroy(run->program);
    ptx_device_destroy(run->device);
}

/* Outputs that accumulate (histogram) are cleared first. */
static struct cost launch(struct run *run)
{
    const struct bench_workload *w = run->workload;
    ptx_launch_config config = {.params = run->params, .param_bytes = run->param_bytes};
    ptx_fault fault = {sizeof fault};
    memcpy(config.grid, w->grid, sizeof config.grid);
    memcpy(config.block, w->block, sizeof config.block);
    for (int i = 0; i < w->nargs; i++)
        if (w->args[i].role == BENCH_OUT)
            need(ptx_memory_fill(run->device, run->buffers[i], 0, arg_bytes(&w->args[i])), "memory",
                 run->device);
    const double cpu = cpu_seconds(), start = now();
    const ptx_status status = ptx_kernel_launch(run->kernel, &config, &fault);
    const struct cost cost = {cpu_seconds() - cpu, now() - start};
    if (status == PTX_ERROR_FAULT) die(w->kernel, fault.message);
    need(status, w->kernel, run->device);
    return cost;
}

/* What the outputs are worth. */
struct verdict {
    int wrong, on_chip; /* outputs that are wrong; whether all have the bits an H200 computed */
    uint64_t hashes[MOST_OUTPUTS];
};

static void judge_output(const struct bench_workload *w, const struct bench_arg *arg, const void *actual,
                         struct verdict *verdict)
{
    struct bench_mismatch m;
    if (bench_hash(actual, bench_words(arg)) != arg->chip_hash) verdict->on_chip = 0;
    if (bench_compare(arg, actual, &m)) return;
    verdict->wrong++;
    fprintf(stderr, "%s: %zu elements are wrong; the first, %zu, is %.17g, expected %.17g +- %.3g\n",
            w->kernel, m.count, m.first, m.actual, m.expected, m.tolerance);
}

static struct verdict judge(struct run *run)
{
    struct verdict verdict = {.on_chip = 1};
    int output = 0;
    for (int i = 0; i < run->workload->nargs; i++) {
        const struct bench_arg *arg = &run->workload->args[i];
        if (arg->role != BENCH_OUT) continue;
        void *actual = malloc(arg_bytes(arg));
        if (!actual) die(run->workload->kernel, "no memory");
        need(ptx_memory_read(run->device, actual, run->buffers[i], arg_bytes(arg)), "memory", run->device);
        verdict.hashes[output++] = bench_hash(actual, bench_words(arg));
        judge_output(run->workload, arg, actual, &verdict);
        free(actual);
    }
    return verdict;
}

static void prepare(struct bench_workload *workload)
{
    if (bench_fill(workload) || bench_reference(workload)) die(workload->kernel, strerror(errno));
}

/* ---- what counting costs ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Launches of two devices with one worker take turns; the load of the machine is the same for both. */
static void counting_costs(const struct bench *bench, struct bench_workload *workload, int n)
{
    struct run plain, counting;
    double *ratio = malloc((size_t)n * sizeof *ratio);
    if (!ratio) die(workload->kernel, "no memory");
    prepare(workload);
    run_open_on(&plain, bench, workload, (ptx_device_config){.workers = 1});
    run_open_on(&counting, bench, workload, (ptx_device_config){.workers = 1, .counts = 1});
    launch(&plain);
    launch(&counting);
    for (int i = 0; i < n; i++) {
        const double without = launch(&plain).cpu;
        ratio[i] = launch(&counting).cpu / without;
    }
    qsort(ratio, (size_t)n, sizeof *ratio, by_size);
    printf("%-20s %+6.1f %%\n", workload->kernel, (ratio[n / 2] - 1) * 100);
    fflush(stdout);
    run_close(&plain);
    run_close(&counting);
    bench_empty(workload);
    free(ratio);
}

static void counting_table(const struct bench *bench, const char *launches)
{
    const int n = atoi(launches);
    if (n < 1) die("--counts", "a number of launches from 1 on is expected");
    printf("processor time with counts beside that without: medians of %d launches that take turns\n", n);
    for (size_t i = 0; i < bench->n; i++) counting_costs(bench, &bench->list[i], n);
}

/* ---- right or wrong ---- */

/* 1 if wrong. */
static int check_workload(const struct bench *bench, struct bench_workload *workload, const unsigned *workers,
                          int n)
{
    struct verdict first = {0};
    int bad = 0;
    prepare(workload);
    for (int i = 0; i < n; i++) {
        struct run run;
        run_open(&run, bench, workload, workers[i]);
        launch(&run);
        const struct verdict verdict = judge(&run);
        if (i == 0) first = verdict;
        const int same = memcmp(first.hashes, verdict.hashes, sizeof first.hashes) == 0;
        printf("%s %s, %u workers%s%s\n", verdict.wrong || !same ? "WRONG" : "right", workload->kernel,
               workers[i], verdict.on_chip ? ", bits as on an H200" : "",
               same ? "" : ": other bits than with the first count");
        fflush(stdout);
        bad |= verdict.wrong || !same;
        run_close(&run);
    }
    bench_empty(workload);
    return bad;
}

static int check(const struct bench *bench, const char *counts)
{
    unsigned workers[MOST_WORKERS];
    int n = 0, bad = 0;
    for (const char *at = counts; *at && n < MOST_WORKERS; at += strspn(at, ",")) {
        char *end;
        workers[n++] = (unsigned)strtoul(at, &end, 10);
        if (end == at) die("--check", "wants N,N,...");
        at = end;
    }
    for (size_t i = 0; i < bench->n; i++) bad |= check_workload(bench, &bench->list[i], workers, n);
    return bad;
}

/* ---- speed ---- */

enum { LAUNCHES = 7 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

static void clear_outputs(const struct bench_workload *w)
{
    for (int i = 0; i < w->nargs; i++)
        if (w->args[i].role == BENCH_OUT) memset(w->args[i].data, 0, arg_bytes(&w->args[i]));
}

static struct cost control_cost(const struct bench_workload *w, unsigned threads)
{
    clear_outputs(w);
    const double cpu = cpu_seconds(), clock = now();
    if (control_run(w, threads)) die(w->kernel, "the plain C control does not know it");
    return (struct cost){cpu_seconds() - cpu, now() - clock};
}

/* Medians of several launches: the engine's and the plain C control's take turns, so that whatever else the
 * machine does meets both. */
struct speeds {
    struct cost engine[2], control[2]; /* with one thread, with all */
};

static double median_of(const struct cost *costs, int n, bool cpu)
{
    double values[LAUNCHES];
    for (int i = 0; i < n; i++) values[i] = cpu ? costs[i].cpu : costs[i].clock;
    return median(values, n);
}

static struct speeds speeds_of(struct run runs[2], const struct bench_workload *w, unsigned cpus)
{
    struct cost engine[2][LAUNCHES], control[2][LAUNCHES];
    struct speeds s;
    for (int i = 0; i < LAUNCHES; i++)
        for (int all = 0; all < 2; all++) {
            engine[all][i] = launch(&runs[all]);
            control[all][i] = control_cost(w, all ? cpus : 1);
        }
    for (int all = 0; all < 2; all++) {
        s.engine[all] =
            (struct cost){median_of(engine[all], LAUNCHES, true), median_of(engine[all], LAUNCHES, false)};
        s.control[all] =
            (struct cost){median_of(control[all], LAUNCHES, true), median_of(control[all], LAUNCHES, false)};
    }
    return s;
}

/* Did the control compute what is expected? */
static int control_is_right(const struct bench_workload *w)
{
    struct bench_mismatch m;
    for (int i = 0; i < w->nargs; i++)
        if (w->args[i].role == BENCH_OUT && !bench_compare(&w->args[i], w->args[i].data, &m)) return 0;
    return 1;
}

static uint64_t instructions(const struct run *run)
{
    ptx_progress progress = {sizeof progress};
    ptx_device_progress(run->device, &progress);
    return progress.thread_instructions;
}

/* 1 if wrong. */
static int measure(const struct bench *bench, struct bench_workload *w)
{
    const unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    struct run runs[2];
    prepare(w);
    for (int all = 0; all < 2; all++) {
        run_open(&runs[all], bench, w, all ? cpus : 1);
        launch(&runs[all]); /* which decodes */
    }
    const double insts = (double)instructions(&runs[0]);
    const struct speeds s = speeds_of(runs, w, cpus);
    struct verdict verdict = judge(&runs[0]);
    verdict.wrong += judge(&runs[1]).wrong + !control_is_right(w);
    for (int all = 0; all < 2; all++) run_close(&runs[all]);
    printf("%-14s %8.2f %8.2f %8.2f %8.2f   %s\n", w->kernel, insts / s.engine[0].cpu / 1e9,
           s.control[0].cpu / s.engine[0].cpu, s.engine[0].clock / s.engine[1].clock,
           s.control[0].clock / s.control[1].clock,
           verdict.wrong     ? "WRONG"
           : verdict.on_chip ? "right, bits as on an H200"
                             : "right within bounds");
    fflush(stdout);
    bench_empty(w);
    return verdict.wrong != 0;
}

/* ---- memory of the host ---- */

/* Host pointers as device pointers, as ptx_run has them, beside device memory; one worker. 1 if wrong. */
static int measure_on_host(const struct bench *bench, struct bench_workload *w)
{
    struct run runs[2];
    struct cost costs[2][LAUNCHES];
    double rates[2];
    int wrong = 0;
    prepare(w);
    for (int host = 0; host < 2; host++) {
        run_open_on(&runs[host], bench, w, (ptx_device_config){.workers = 1, .host_memory = host});
        launch(&runs[host]); /* which decodes */
    }
    for (int i = 0; i < LAUNCHES; i++)
        for (int host = 0; host < 2; host++) costs[host][i] = launch(&runs[host]);
    for (int host = 0; host < 2; host++) {
        rates[host] = (double)instructions(&runs[host]) / median_of(costs[host], LAUNCHES, true) / 1e9;
        wrong |= judge(&runs[host]).wrong;
        run_close(&runs[host]);
    }
    printf("%-27s %8.2f Gti/s   on device memory %.2f   %s\n", "ptx_run: histogram", rates[1], rates[0],
           wrong ? "WRONG" : "right");
    bench_empty(w);
    return wrong;
}

/* Reductions are what needs to know whose memory it is. */
static int on_host(const struct bench *bench)
{
    int bad = 0;
    for (size_t i = 0; i < bench->n; i++)
        if (strcmp(bench->list[i].kernel, "histogram") == 0) bad |= measure_on_host(bench, &bench->list[i]);
    return bad;
}

/* ---- latency ---- */

static const char small_kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 p, .param .u32 n)\n{\n"
    "    .reg .pred %p;\n    .reg .b32 %r<6>;\n    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [p];\n    ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n    setp.ge.s32 %p, %r5, %r1;\n    @%p bra done;\n"
    "    mul.wide.s32 %rd2, %r5, 4;\n    add.s64 %rd3, %rd1, %rd2;\n"
    "    ld.global.u32 %r2, [%rd3];\n    add.s32 %r2, %r2, 1;\n    st.global.u32 [%rd3], %r2;\ndone:\n    "
    "ret;\n}\n";

/* Seconds of one ptx_run of `text` on 32 integers. */
static double time_run(const char *text)
{
    uint32_t data[32] = {0};
    void *args[] = {data, (void *)(uintptr_t)32};
    const double start = now();
    ptx_run(text, 2, args, 32, 1, 1, 1, 1, 1, 0);
    const double seconds = now() - start;
    if (ptx_run_status(NULL, 0) != 0 || data[31] != 1) die("ptx_run", "wrong result");
    return seconds;
}

static void run_latency(void)
{
    double best = 1;
    const double first = time_run(small_kernel);
    for (int i = 0; i < 1000; i++) {
        const double seconds = time_run(small_kernel);
        if (seconds < best) best = seconds;
    }
    printf("first ptx_run of a process  %8.1f us   (goal: under 2000)\n", first * 1e6);
    printf("warm ptx_run                %8.1f us   (goal: under 20)\n", best * 1e6);
}

/* A file of 50 lines: the small kernel with more additions. */
static void write_fifty_lines(const char *path)
{
    FILE *file = fopen(path, "wb");
    const char *body = strstr(small_kernel, "    st.global.u32");
    if (!file) die(path, strerror(errno));
    fwrite(small_kernel, 1, (size_t)(body - small_kernel), file);
    for (int i = 0; i < 50 - 23; i++) fputs("    add.s32 %r2, %r2, %r3;\n", file);
    fputs(body, file);
    fclose(file);
}

static double time_process(const char *program, const char *path)
{
    char *argv[] = {(char *)program, (char *)path, NULL};
    pid_t child;
    int status = -1;
    const double start = now();
    if (posix_spawn(&child, program, NULL, NULL, argv, environ) != 0) die(program, strerror(errno));
    waitpid(child, &status, 0);
    if (status != 0) die(program, "does not accept the file of 50 lines");
    return now() - start;
}

static void assembler_latency(const char *program)
{
    char path[] = "/tmp/bench-XXXXXX";
    const int descriptor = mkstemp(path);
    double best = 1;
    if (descriptor < 0) die(path, strerror(errno));
    close(descriptor);
    write_fifty_lines(path);
    for (int i = 0; i < 50; i++) {
        const double seconds = time_process(program, path);
        if (seconds < best) best = seconds;
    }
    unlink(path);
    printf("ptxas on 50 lines           %8.2f ms   (goal: under 5, process start included)\n", best * 1e3);
}

/* ---- all ---- */

static int table(const struct bench *bench)
{
    const char *assembler = getenv("PTXAS");
    int bad = 0;
    printf("%-14s %8s %8s %8s %8s   medians of %d; Gti/s: 10^9 PTX thread-instructions a second of processor "
           "time\n",
           "workload", "Gti/s", "x C", "all", "all, C", LAUNCHES);
    for (size_t i = 0; i < bench->n; i++) bad |= measure(bench, &bench->list[i]);
    putchar('\n');
    if (assembler) assembler_latency(assembler);
    run_latency();
    return bad | on_host(bench);
}

static void bench_open(struct bench *bench)
{
    char path[512];
    for (int i = 0; i < SOURCES; i++) {
        const ptx_module_options options = {.file_name = sources[i]};
        size_t size;
        char *text = read_text(bench->dir, sources[i], &size);
        need(ptx_module_create(&options, text, size, &bench->modules[i]), sources[i], NULL);
        free(text);
    }
    snprintf(path, sizeof path, "%s/%s", bench->dir, bench->table);
    if (bench_load(path, &bench->list, &bench->n)) die(path, strerror(errno));
}

static const char help[] =
    "usage: bench [--dir DIR] [--table FILE] [--check N,N,... | --counts N]\n"
    "\n"
    "Runs the workloads of DIR (tests/bench) that FILE (workloads.tsv) lists, compares each result with a "
    "plain C\n"
    "program and with the bits of an H200, and prints 10^9 PTX thread-instructions a second of one worker, "
    "how "
    "fast that\n"
    "is beside the same kernel as plain C loops (x C), and how much faster a launch is with a worker for "
    "every "
    "CPU (all)\n"
    "and the plain C with as many threads (all, C); then the latency of a first and of a warm ptx_run, the "
    "speed "
    "of\n"
    "reductions on host pointers, and "
    "of $PTXAS on 50 lines.\n"
    "\n"
    "  --dir DIR     where kernels.ptx, debug.ptx and the table are\n"
    "  --table FILE  another table of DIR, such as workloads-small.tsv\n"
    "  --engine WORDS  optimisations to do without (docs/engine.md)\n"
    "  --check N,N   only right or WRONG for every workload, with N workers each; 1 when one is wrong\n"
    "  --counts N    only what counting costs every workload, by N launches with and N without, one worker\n"
    "  --help        this text\n";

int main(int argc, char **argv)
{
    struct bench bench = {.dir = "tests/bench", .table = "workloads.tsv"};
    const char *workers = NULL, *launches = NULL;
    int bad = 0;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--help") == 0) return fputs(help, stdout) < 0;
        if (i + 1 == argc) die(argv[i], "a value is expected");
        if (strcmp(argv[i], "--dir") == 0)
            bench.dir = argv[i + 1];
        else if (strcmp(argv[i], "--table") == 0)
            bench.table = argv[i + 1];
        else if (strcmp(argv[i], "--engine") == 0)
            bench.engine = argv[i + 1];
        else if (strcmp(argv[i], "--check") == 0)
            workers = argv[i + 1];
        else if (strcmp(argv[i], "--counts") == 0)
            launches = argv[i + 1];
        else
            die(argv[i], "unknown option");
    }
    bench_open(&bench);
    if (launches)
        counting_table(&bench, launches);
    else
        bad = workers ? check(&bench, workers) : table(&bench);
    bench_free(bench.list, bench.n);
    for (int i = 0; i < SOURCES; i++) ptx_module_destroy(bench.modules[i]);
    return bad;
}
