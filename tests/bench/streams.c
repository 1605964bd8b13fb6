/*
 * streams.c - what submitted work costs: a launch that is waited for, queued launches of an empty kernel and
 * the memory they take, copies beside memcpy, two devices of a process beside two processes. Part of make
 * bench.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ptx_memory.h"
#include "ptx_stream.h"

enum { WAITED = 20000, QUEUED = 10000000, COPY = 256 << 20, ROUNDS = 5 };

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry empty() { ret; }\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void must(ptx_status status, const char *what)
{
    if (status == PTX_OK) return;
    fprintf(stderr, "%s: %s\n", what, ptx_status_name(status));
    exit(1);
}

static ptx_kernel *load(ptx_device *device, const char *source, const char *name)
{
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    must(ptx_module_create(NULL, source, strlen(source), &module), "module");
    must(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program), "program");
    ptx_module_destroy(module);
    must(ptx_program_kernel(program, name, &kernel), "kernel");
    return kernel;
}

static const ptx_launch_config one = {.struct_size = sizeof one, .grid = {1}, .block = {1}};

static void waited(ptx_device *device, ptx_kernel *kernel, long count)
{
    double t = now();
    for (long i = 0; i < count; i++) must(ptx_kernel_launch(kernel, &one, NULL), "launch");
    printf("launch and wait, idle device     %8.0f ns\n", (now() - t) / (double)count * 1e9);
    t = now();
    for (long i = 0; i < count; i++) {
        must(ptx_kernel_submit(kernel, &one, 0, NULL), "submit");
        must(ptx_stream_wait(device, 0, NULL), "wait");
    }
    printf("submit, then wait for the stream %8.0f ns\n", (now() - t) / (double)count * 1e9);
}

static void queued(ptx_device *device, ptx_kernel *kernel, long count)
{
    for (long i = 0; i < count / 100; i++) must(ptx_kernel_submit(kernel, &one, 0, NULL), "submit");
    must(ptx_stream_wait(device, 0, NULL), "wait");
    const long before = peak_kib();
    const double t = now();
    for (long i = 0; i < count; i++) must(ptx_kernel_submit(kernel, &one, 0, NULL), "submit");
    must(ptx_stream_wait(device, 0, NULL), "wait");
    printf("queued launch, one of %ld  %8.0f ns, %ld KiB more at the peak\n", count,
           (now() - t) / (double)count * 1e9, peak_kib() - before);
}

static void copies(ptx_device *device, size_t bytes)
{
    char *from = malloc(bytes), *to = malloc(bytes);
    ptx_address va;
    double best[2] = {1e9, 1e9};
    if (!from || !to) exit(1);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    must(ptx_memory_alloc(device, bytes, &va), "memory");
    must(ptx_memory_fill(device, va, 3, bytes), "fill");
    const ptx_copy copy = {
        .struct_size = sizeof copy, .to = {.address = va}, .from = {.host = from}, .width = bytes};
    for (int i = 0; i < ROUNDS; i++) {
        double t = now();
        memcpy(to, from, bytes);
        if (now() - t < best[0]) best[0] = now() - t;
        t = now();
        must(ptx_stream_copy(device, &copy, 0), "copy");
        must(ptx_stream_wait(device, 0, NULL), "wait");
        if (now() - t < best[1]) best[1] = now() - t;
    }
    printf("copy in a stream                 %8.2f GB/s, memcpy %.2f GB/s\n", (double)bytes / best[1] * 1e-9,
           (double)bytes / best[0] * 1e-9);
    free(from);
    free(to);
}

/* ---- two devices ---- */

enum { STEPS = 400, PARTS = 64 };

static const char work_text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry work() { .reg .u32 %i, %x; .reg .pred %p; mov.u32 %i, 0;\n"
                                " mov.u32 %x, %tid.x; L: mad.lo.u32 %x, %x, 3, %i; add.u32 %i, %i, 1;\n"
                                " setp.lt.u32 %p, %i, 2000; @%p bra L; ret; }\n";

/* Launches on a device of its own with `workers` threads; the time without making it. */
static double work(unsigned workers, int steps)
{
    const ptx_device_config config = {
        .struct_size = sizeof config, .memory_bytes = 1 << 26, .workers = workers};
    const ptx_launch_config shape = {.struct_size = sizeof shape, .grid = {PARTS}, .block = {256}};
    ptx_device *device;
    must(ptx_device_create(&config, &device), "device");
    ptx_kernel *kernel = load(device, work_text, "work");
    must(ptx_kernel_launch(kernel, &shape, NULL), "launch");
    const double t = now();
    for (int i = 0; i < steps; i++) must(ptx_kernel_launch(kernel, &shape, NULL), "launch");
    const double took = now() - t;
    ptx_device_destroy(device);
    return took;
}

struct share {
    unsigned workers;
    int steps;
    double took;
};

static void *work_share(void *user)
{
    struct share *share = user;
    share->took = work(share->workers, share->steps);
    return NULL;
}

static double longer(double a, double b)
{
    return a > b ? a : b;
}

static double in_two_threads(struct share share)
{
    struct share two[2] = {share, share};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, work_share, &two[i]) != 0) exit(1);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    return longer(two[0].took, two[1].took);
}

static double in_two_processes(struct share share)
{
    int from[2];
    double took;
    if (pipe(from) != 0) exit(1);
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) exit(1);
    work_share(&share);
    if (!child) _exit(write(from[1], &share.took, sizeof share.took) != sizeof share.took);
    if (read(from[0], &took, sizeof took) != sizeof took) exit(1);
    waitpid(child, NULL, 0);
    close(from[0]);
    close(from[1]);
    return longer(took, share.took);
}

static void two_devices(int steps)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const struct share share = {cpus > 1 ? (unsigned)cpus / 2 : 1, steps, 0};
    const double processes = in_two_processes(share), alone = work(share.workers, steps);
    const double threads = in_two_threads(share);
    printf("two devices, %u workers each  %8.2f times one in one process, %.2f in two processes\n",
           share.workers, 2 * alone / threads, 2 * alone / processes);
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    const ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 1 << 30};
    ptx_device *device;
    two_devices(quick ? STEPS / 20 : STEPS);
    must(ptx_device_create(&config, &device), "device");
    ptx_kernel *kernel = load(device, text, "empty");
    waited(device, kernel, quick ? WAITED / 20 : WAITED);
    queued(device, kernel, quick ? QUEUED / 200 : QUEUED);
    copies(device, quick ? COPY / 16 : COPY);
    ptx_device_destroy(device);
    return 0;
}
