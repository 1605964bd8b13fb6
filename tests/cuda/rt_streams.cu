// Streams: order within one, waits between them, callbacks, priorities, flags, the legacy stream, refusals.
#include "say.h"

__global__ void step(int *p, int k) { *p = *p * 3 + k; }
__global__ void slow(int *p, int n)
{
    int x = *p;
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223;
    *p = x;
}

static int order[8], calls;
static void CUDART_CB host_work(void *arg) { order[calls++] = *(int *)arg; }
static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void *arg) { order[calls++] = *(int *)arg + status; }

int main()
{
    int *p, *q, host[2], least, greatest, priority, ids[] = {10, 20, 30};
    unsigned flags;
    cudaStream_t a, b, c;
    cudaEvent_t e;
    RT(cudaMalloc(&p, 4));
    RT(cudaMalloc(&q, 4));
    RT(cudaMemset(p, 0, 4));
    RT(cudaMemset(q, 0, 4));
    RT(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("priorities %d %d\n", least, greatest);
    RT(cudaStreamCreate(&a));
    RT(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    RT(cudaStreamCreateWithPriority(&c, cudaStreamDefault, -2));
    RT(cudaStreamGetPriority(c, &priority));
    RT(cudaStreamGetFlags(b, &flags));
    printf("priority %d flags %u\n", priority, flags);
    RT(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    for (int i = 1; i <= 9; i++)
        step<<<1, 1, 0, a>>>(p, i);
    RT(cudaLaunchHostFunc(a, host_work, &ids[0]));
    slow<<<1, 1, 0, a>>>(p, 10000);
    RT(cudaEventRecord(e, a));
    RT(cudaStreamWaitEvent(b, e, 0));
    RT(cudaMemcpyAsync(q, p, 4, cudaMemcpyDeviceToDevice, b));
    step<<<1, 1, 0, b>>>(q, 5);
    RT(cudaStreamAddCallback(b, call_back, &ids[1], 0));
    RT(cudaStreamSynchronize(b));
    RT(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
    RT(cudaMemcpy(host + 1, q, 4, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[1]);
    RT(cudaLaunchHostFunc(c, host_work, &ids[2]));
    RT(cudaDeviceSynchronize());
    printf("calls %d: %d %d %d\n", calls, order[0], order[1], order[2]);
    SAY(cudaStreamQuery(a));
    step<<<1, 1, 0, a>>>(p, 1);
    step<<<1, 1>>>(p, 2);
    step<<<1, 1, 0, c>>>(p, 3);
    step<<<1, 1, 0, cudaStreamLegacy>>>(p, 4);
    RT(cudaMemcpy(host + 1, p, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", host[1]);
    step<<<1, 1, 0, cudaStreamPerThread>>>(p, 5);
    RT(cudaStreamSynchronize(cudaStreamPerThread));
    int device = -1;
    SAY(cudaStreamGetDevice(a, &device));
    printf("device %d\n", device);
    SAY(cudaStreamCreateWithFlags(&c, 99));
    SAY(cudaStreamAddCallback(a, call_back, nullptr, 1));
    SAY(cudaStreamWaitEvent(a, e, 0));
    SAY(cudaStreamDestroy(a));
    SAY(cudaStreamDestroy(b));
    SAY(cudaStreamDestroy(nullptr));
    return 0;
}
