/*
 * tma_matmul.c - samples/tma_matmul.ptx through the driver interface: tma_matmul [PTX]
 *
 * Factors are whole numbers whose sums a float holds exactly, so the host's sums are what must come out.
 */
#include <stdint.h>
#include "program.h"

enum { ROWS = 192, INNER = 320, COLUMNS = 128, TILE = 64, THREADS = 160 };

static uint16_t a[ROWS * INNER], b[INNER * COLUMNS];
static int whole_a[ROWS * INNER], whole_b[INNER * COLUMNS];
static float c[ROWS * COLUMNS];

/* A half of a whole number from -7 to 7. */
static uint16_t half_of(int n)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
    return (uint16_t)(n < 0 ? 0x8000 | halves[-n] : halves[n]);
}

static void fill(int *whole, uint16_t *half, unsigned n, unsigned factor)
{
    for (unsigned i = 0; i < n; i++) {
        whole[i] = (int)(i * factor / 7 % 15) - 7;
        half[i] = half_of(whole[i]);
    }
}

static CUdeviceptr upload(const void *from, size_t bytes)
{
    CUdeviceptr to;
    MUST(cuMemAlloc(&to, bytes));
    MUST(cuMemcpyHtoD(to, from, bytes));
    return to;
}

/* Boxes of 64x64 halves, swizzled by 128 bytes. */
static CUtensorMap map_of(CUdeviceptr matrix, unsigned rows, unsigned columns)
{
    enum { HALVES = 6, BY_128 = 3 };
    const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * 2};
    const cuuint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
    CUtensorMap map;
    MUST(cuTensorMapEncodeTiled(&map, (CUtensorMapDataType)HALVES, 2, (void *)(uintptr_t)matrix, dims,
                                strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                (CUtensorMapSwizzle)BY_128, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

static void compare(void)
{
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            int sum = 0;
            for (int k = 0; k < INNER; k++) sum += whole_a[row * INNER + k] * whole_b[k * COLUMNS + column];
            CHECK(c[row * COLUMNS + column] == (float)sum);
        }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "samples/tma_matmul.ptx";
    CUcontext context = begin();
    CUmodule module;
    CUfunction f;
    int inner = INNER, columns = COLUMNS;
    fill(whole_a, a, ROWS * INNER, 11);
    fill(whole_b, b, INNER * COLUMNS, 13);
    const CUdeviceptr at = upload(a, sizeof a), bt = upload(b, sizeof b), ct = upload(c, sizeof c);
    CUtensorMap am = map_of(at, ROWS, INNER), bm = map_of(bt, INNER, COLUMNS);
    void *args[] = {&am, &bm, (void *)&ct, &inner, &columns};
    MUST(cuModuleLoad(&module, path));
    MUST(cuModuleGetFunction(&f, module, "tma_matmul"));
    MUST(cuLaunchKernel(f, COLUMNS / TILE, ROWS / TILE, 1, THREADS, 1, 1, 0, NULL, args, NULL));
    MUST(cuMemcpyDtoH(c, ct, sizeof c));
    compare();
    MUST(cuCtxDestroy(context));
    puts("fine");
    return 0;
}
