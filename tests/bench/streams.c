/*
 * streams.c - what submitted work costs: a launch that is waited for, queued launches of an empty kernel and
 * the memory they take, copies beside memcpy. Part of make bench.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
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

static ptx_kernel *load(ptx_device *device)
{
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    must(ptx_module_create(NULL, text, strlen(text), &module), "module");
    must(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program), "program");
    ptx_module_destroy(module);
    must(ptx_program_kernel(program, "empty", &kernel), "kernel");
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

int main(int argc, char **argv)
{
    const int quick = argc > 1 && !strcmp(argv[1], "--quick");
    const ptx_device_config config = {.struct_size = sizeof config, .memory_bytes = 1 << 30};
    ptx_device *device;
    must(ptx_device_create(&config, &device), "device");
    ptx_kernel *kernel = load(device);
    waited(device, kernel, quick ? WAITED / 20 : WAITED);
    queued(device, kernel, quick ? QUEUED / 200 : QUEUED);
    copies(device, quick ? COPY / 16 : COPY);
    ptx_device_destroy(device);
    return 0;
}
