/*
 * launches.c - a back end's test of device-side launch: which kernels a kernel launched, with which shapes
 * and arguments, and why a launch was refused. The argument is the PTX to be tested (launches.ptx).
 */
#include <ptx_watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (condition) break;                                                                                \
        fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                                      \
        exit(1);                                                                                             \
    } while (0)

/* What the test keeps of an event: strings and parameters of one live only until the callback returns. */
struct seen {
    ptx_watch_kind kind;
    char kernel[32], parent[32], reason[80];
    unsigned blocks, threads, depth;
    int error;
    struct arguments {
        ptx_address data;
        unsigned n;
    } arguments;
};

struct log {
    struct seen events[16];
    unsigned count;
};

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

/* One call at a time, from the thread in which it happens. */
static void watch(void *user, const ptx_watch_event *e)
{
    struct log *log = user;
    struct seen *s = &log->events[log->count];
    if (log->count == sizeof log->events / sizeof *log->events) return;
    if (e->kind != PTX_WATCH_GRID_BEGIN && e->kind != PTX_WATCH_GRID_END && e->kind != PTX_WATCH_REFUSED)
        return;
    log->count++;
    s->kind = e->kind;
    copy_text(s->kernel, sizeof s->kernel, e->kernel);
    copy_text(s->parent, sizeof s->parent, e->parent_kernel);
    copy_text(s->reason, sizeof s->reason, e->reason);
    s->blocks = e->shape[0];
    s->threads = e->block[0];
    s->depth = e->depth;
    s->error = e->cuda_error;
    if (e->param_bytes >= 12) memcpy(&s->arguments, e->params, 12); /* .u64 data, .u32 n */
}

static void launch(ptx_program *program, const char *name, ptx_address data, unsigned n)
{
    ptx_kernel *kernel;
    ptx_fault fault = {sizeof fault};
    struct arguments arguments = {data, n};
    ptx_launch_config config = {.grid = {1}, .block = {1}, .params = &arguments, .param_bytes = 12};
    config.struct_size = sizeof config;
    CHECK(ptx_program_kernel(program, name, &kernel) == PTX_OK);
    CHECK(ptx_kernel_launch(kernel, &config, &fault) == PTX_OK);
}

/* start launches fill<<<4, 64>>>(data, 200), which begins after its parent and ends before it. */
static void test_launch(ptx_device *device, ptx_program *program, struct log *log)
{
    unsigned numbers[200];
    ptx_address data;
    const struct seen *child = NULL;
    CHECK(ptx_memory_alloc(device, sizeof numbers, &data) == PTX_OK);
    log->count = 0;
    launch(program, "start", data, 200);
    CHECK(log->count == 4);
    CHECK(log->events[0].kind == PTX_WATCH_GRID_BEGIN && !strcmp(log->events[0].kernel, "start"));
    child = &log->events[1];
    CHECK(child->kind == PTX_WATCH_GRID_BEGIN && !strcmp(child->kernel, "fill"));
    CHECK(!strcmp(child->parent, "start") && child->depth == 1);
    CHECK(child->blocks == 4 && child->threads == 64);
    CHECK(child->arguments.data == data && child->arguments.n == 200);
    CHECK(log->events[2].kind == PTX_WATCH_GRID_END && !strcmp(log->events[2].kernel, "fill"));
    CHECK(log->events[3].kind == PTX_WATCH_GRID_END && !strcmp(log->events[3].kernel, "start"));

    CHECK(ptx_memory_read(device, numbers, data, sizeof numbers) == PTX_OK);
    for (unsigned i = 0; i < 200; i++) CHECK(numbers[i] == 200 - i);
}

/* A launch that the device refuses is only an error code in the kernel; the event says what is wrong with it.
 */
static void test_refused(ptx_device *device, ptx_program *program, struct log *log)
{
    ptx_address data;
    CHECK(ptx_memory_alloc(device, 800, &data) == PTX_OK);
    log->count = 0;
    launch(program, "start_short", data, 200);
    CHECK(log->count == 3);
    CHECK(log->events[1].kind == PTX_WATCH_REFUSED);
    CHECK(!strcmp(log->events[1].kernel, "fill") && !strcmp(log->events[1].parent, "start_short"));
    CHECK(!strcmp(log->events[1].reason, "buffer of 8 bytes for 12 bytes of parameters"));
    CHECK(log->events[1].error == 1); /* cudaErrorInvalidValue */
    printf("refused: %s\n", log->events[1].reason);
}

static char *read_file(const char *path, size_t *size)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    CHECK(file);
    *size = fread(text, 1, sizeof text, file);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    static struct log log;
    size_t size;
    CHECK(argc == 2);
    const char *text = read_file(argv[1], &size);
    ptx_module *module;
    ptx_device *device;
    ptx_program *program;
    ptx_device_config config = {.deterministic = 1}; /* grids begin and end in the same order in every run */
    config.struct_size = sizeof config;
    CHECK(ptx_module_create(NULL, text, size, &module) == PTX_OK);
    CHECK(ptx_device_create(&config, &device) == PTX_OK);
    CHECK(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program) == PTX_OK);
    CHECK(ptx_device_watch(device, watch, &log) == PTX_OK);
    test_launch(device, program, &log);
    test_refused(device, program, &log);
    ptx_device_destroy(device);
    ptx_module_destroy(module);
    puts("all as expected");
    return 0;
}
