// Events: recorded, asked, waited for, timed; flags; what is answered where an event was never recorded.
#include "say.h"

__global__ void spin(int *p, int n)
{
    int x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1664525 + i;
    *p = x;
}

int main()
{
    cudaEvent_t a, b, c, d;
    cudaStream_t s;
    float ms = -1;
    int *p, x;
    RT(cudaMalloc(&p, 4));
    RT(cudaStreamCreate(&s));
    RT(cudaEventCreate(&a));
    RT(cudaEventCreateWithFlags(&b, cudaEventBlockingSync));
    RT(cudaEventCreateWithFlags(&c, cudaEventDisableTiming));
    RT(cudaEventCreate(&d));
    SAY(cudaEventQuery(a));
    SAY(cudaEventSynchronize(a));
    SAY(cudaEventElapsedTime(&ms, a, b));
    RT(cudaEventRecord(a, s));
    spin<<<1, 1, 0, s>>>(p, 100000);
    RT(cudaEventRecord(b, s));
    RT(cudaEventRecordWithFlags(c, s, cudaEventRecordDefault));
    RT(cudaEventSynchronize(b));
    RT(cudaEventElapsedTime(&ms, a, b));
    printf("took time %d\n", ms > 0);
    RT(cudaEventElapsedTime(&ms, b, b));
    printf("itself %d\n", ms == 0);
    SAY(cudaEventElapsedTime(&ms, a, d));
    RT(cudaEventSynchronize(c));
    SAY(cudaEventElapsedTime(&ms, a, c));
    SAY(cudaEventQuery(c));
    RT(cudaMemcpy(&x, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", x);
    SAY(cudaEventCreateWithFlags(&d, 0x100));
    SAY(cudaEventDestroy(a));
    SAY(cudaEventRecord(nullptr, s));
    SAY(cudaGetLastError());
    return 0;
}
