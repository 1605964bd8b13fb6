// A whole grid in step: heat in a rod and a reduction, with grid.sync() between the steps.
#include "say.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void heat(double *a, double *b, int n, int steps, double *total)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int k = 0; k < steps; k++) {
        if (i > 0 && i < n - 1)
            b[i] = __dadd_rn(a[i], __dmul_rn(0.25, a[i - 1] - 2 * a[i] + a[i + 1]));
        grid.sync();
        double *x = a;
        a = b;
        b = x;
    }
    for (int half = n / 2; half; half /= 2) {
        if (i < half)
            a[i] += a[i + half];
        grid.sync();
    }
    if (i == 0)
        *total = a[0] + grid.num_blocks() * 1000;
}

int main()
{
    int n = 512, steps = 50;
    double *a, *b, *total, host[512];
    RT(cudaMalloc(&a, sizeof host));
    RT(cudaMalloc(&b, sizeof host));
    RT(cudaMalloc(&total, 8));
    for (int i = 0; i < n; i++)
        host[i] = i % 50;
    RT(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    RT(cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice));
    void *args[] = {&a, &b, &n, &steps, &total};
    RT(cudaLaunchCooperativeKernel(heat, dim3(8), dim3(64), args, 0, 0));
    double t;
    RT(cudaMemcpy(&t, total, 8, cudaMemcpyDeviceToHost));
    RT(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    printf("%a\n", t);
    for (int i = 256; i < 512; i += 17)
        printf("%a ", host[i]);
    printf("\n");
    return 0;
}
