/* fft.c - cuFFT: transforms of small integers in f32, forth and back, against the numbers themselves. */
#include <cuda_runtime.h>
#include <cufft.h>
#include <float.h>
#include "verdict.h"

enum { N = 256 };

static void try_plan(const char *name, int (*plan)(cufftHandle *))
{
    cufftHandle handle;
    float before[2 * N], after[2 * N];
    void *d = NULL;
    double most = 0;
    for (unsigned i = 0; i < 2 * N; i++) before[i] = (float)small(i);
    cudaMalloc(&d, sizeof before);
    cudaMemcpy(d, before, sizeof before, cudaMemcpyHostToDevice);
    int status = plan(&handle);
    if (!status) status = cufftExecC2C(handle, d, d, CUFFT_FORWARD);
    if (!status) status = cufftExecC2C(handle, d, d, CUFFT_INVERSE);
    cudaMemcpy(after, d, sizeof after, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 2 * N; i++) most = fmax(most, fabs(after[i] / N - before[i]));
    say(name, status, most, 8 * FLT_EPSILON * 8 * 8);
}

static int plan_1d(cufftHandle *handle)
{
    return cufftPlan1d(handle, N, CUFFT_C2C, 1);
}

static int plan_2d(cufftHandle *handle)
{
    return cufftPlan2d(handle, 16, N / 16, CUFFT_C2C);
}

static int plan_3d(cufftHandle *handle)
{
    return cufftPlan3d(handle, 4, 4, N / 16, CUFFT_C2C);
}

int main(void)
{
    try_plan("cufftPlan1d", plan_1d);
    try_plan("cufftPlan2d", plan_2d);
    try_plan("cufftPlan3d", plan_3d);
    return 0;
}
