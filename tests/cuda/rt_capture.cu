// Capture: a stream's work as a graph, with a fork and a join, queried, and what breaks it.
#include "say.h"

__global__ void add(int *p, int k) { p[threadIdx.x] += k; }
__global__ void mul(int *p, int k) { p[threadIdx.x] *= k; }

static int calls;
static void CUDART_CB count(void *) { calls++; }

int main()
{
    int *p, *q, host[64];
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g = nullptr;
    cudaGraphExec_t x;
    cudaStreamCaptureStatus status;
    RT(cudaMalloc(&p, 128));
    RT(cudaMalloc(&q, 128));
    RT(cudaMemset(p, 0, 128));
    RT(cudaMemset(q, 0, 128));
    RT(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    RT(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    RT(cudaEventCreate(&fork));
    RT(cudaEventCreate(&join));
    auto work_and_join = [&] { // behind the fork
        add<<<1, 32, 0, b>>>(q, 4);
        mul<<<1, 32, 0, a>>>(p, 2);
        RT(cudaEventRecord(join, b));
        RT(cudaStreamWaitEvent(a, join, 0));
        RT(cudaLaunchHostFunc(a, count, nullptr));
        RT(cudaMemcpyAsync(host, p, 128, cudaMemcpyDeviceToHost, a));
        RT(cudaMemcpyAsync(host + 32, q, 128, cudaMemcpyDeviceToHost, a));
    };
    RT(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    RT(cudaStreamIsCapturing(a, &status));
    printf("capturing %d\n", status);
    add<<<1, 32, 0, a>>>(p, 3);
    RT(cudaEventRecord(fork, a));
    RT(cudaStreamWaitEvent(b, fork, 0));
    RT(cudaStreamIsCapturing(b, &status));
    printf("the other %d\n", status);
    work_and_join();
    SAY(cudaStreamEndCapture(b, &g));
    SAY(cudaStreamEndCapture(a, &g));
    size_t nodes = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &nodes));
    printf("nodes %zu\n", nodes);
    cudaGetLastError();
    RT(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    add<<<1, 32, 0, a>>>(p, 3);
    RT(cudaEventRecord(fork, a));
    RT(cudaStreamWaitEvent(b, fork, 0));
    work_and_join();
    RT(cudaStreamEndCapture(a, &g));
    RT(cudaGraphGetNodes(g, nullptr, &nodes));
    printf("nodes %zu\n", nodes);
    RT(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 4; i++)
        RT(cudaGraphLaunch(x, b));
    RT(cudaStreamSynchronize(b));
    printf("%d %d, calls %d\n", host[5], host[37], calls);
    RT(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    add<<<1, 32, 0, a>>>(p, 3);
    SAY(cudaStreamSynchronize(a));
    SAY(cudaStreamEndCapture(a, &g));
    SAY(cudaGetLastError());
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamQuery(a));
    return 0;
}
