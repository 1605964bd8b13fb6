/*
 * kernels_matrix.c - how fast whole kernels of tensor-core kind run: the samples tensor_matmul and
 * flash_attention.
 *
 * Prints G multiply-adds a second of processor time on one worker, the best of five launches. The kernels are
 * the samples' own; what they must compute is judged by the samples' tests.
 */
#include "need.h"

#define SAMPLES "../../samples/"

enum { LAUNCHES = 5, BYTES = 4 << 20 };

struct params {
    ptx_address in[3], out;
    int32_t a;
    float b;
};

/* Buffers of zeros, but for a pattern of small numbers that suits float as well as half. */
static ptx_address buffer(ptx_device *device)
{
    static uint32_t words[BYTES / 4];
    ptx_address p;
    for (size_t i = 0; i < BYTES / 4; i++) words[i] = 0x38003800u + (uint32_t)(i * 2654435761u >> 28);
    need(ptx_memory_alloc(device, BYTES, &p), "memory");
    need(ptx_memory_write(device, p, words, BYTES), "memory");
    return p;
}

static void measure(const char *name, const char *file, const void *params, size_t bytes, unsigned x,
                    unsigned y, double macs, ptx_device *device)
{
    char *text = text_beside(__FILE__, file);
    ptx_module *module;
    ptx_program *program;
    ptx_kernel *kernel;
    double best = 1e9;
    need(ptx_module_create(NULL, text, strlen(text), &module), file);
    need(ptx_program_create(device, (const ptx_module *const *)&module, 1, NULL, &program), file);
    need(ptx_program_kernel(program, name, &kernel), name);
    const ptx_launch_config launch = {
        .struct_size = sizeof launch, .grid = {x, y}, .block = {128}, .params = params, .param_bytes = bytes};
    for (int i = 0; i < LAUNCHES; i++) {
        const double start = cpu_now();
        need(ptx_kernel_launch(kernel, &launch, NULL), name);
        if (cpu_now() - start < best) best = cpu_now() - start;
    }
    printf("%-60s %6.2f\n", name, macs / best / 1e9);
    ptx_program_destroy(program);
    ptx_module_destroy(module);
    free(text);
}

int main(void)
{
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 1};
    ptx_device *device;
    need(ptx_device_create(&config, &device), "device");
    struct {
        ptx_address a, b, c;
        int32_t inner, columns;
    } product = {buffer(device), buffer(device), buffer(device), 256, 256};
    const struct params attention = {
        {buffer(device), buffer(device), buffer(device)}, buffer(device), 512, 0.18f};
    printf("\nkernels of mma                                               G multiply-adds a second of "
           "processor time\n");
    measure("tensor_matmul", SAMPLES "tensor_matmul.ptx", &product, sizeof product, 8, 8, 256.0 * 256 * 256,
            device);
    measure("flash_attention", SAMPLES "flash_attention.ptx", &attention, sizeof attention, 8, 2,
            2.0 * 2 * 512 * 512 * 64, device);
    ptx_device_destroy(device);
    return 0;
}
