// Memory and events of another process through the runtime: the handles travel through a pipe.
#include "say.h"
#include <sys/wait.h>
#include <unistd.h>

struct sent {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t ready, back;
};

__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * 2 + i;
}

static int child(int from)
{
    sent s;
    int *p;
    cudaEvent_t ready, back;
    cudaStream_t stream;
    if (read(from, &s, sizeof s) != (ssize_t)sizeof s) return 4;
    RT(cudaStreamCreate(&stream));
    SAY(cudaIpcOpenMemHandle((void **)&p, s.memory, 0));
    RT(cudaIpcOpenMemHandle((void **)&p, s.memory, cudaIpcMemLazyEnablePeerAccess));
    RT(cudaIpcOpenEventHandle(&ready, s.ready));
    RT(cudaIpcOpenEventHandle(&back, s.back));
    RT(cudaStreamWaitEvent(stream, ready, 0));
    twice<<<16, 256, 0, stream>>>(p, 4096);
    RT(cudaEventRecord(back, stream));
    RT(cudaStreamSynchronize(stream));
    cudaPointerAttributes at;
    RT(cudaPointerGetAttributes(&at, p));
    printf("type %d on %d\n", (int)at.type, at.device);
    SAY(cudaFree(p));
    SAY(cudaIpcCloseMemHandle(p));
    SAY(cudaIpcCloseMemHandle(p));
    fflush(stdout);
    return 0;
}

int main()
{
    int fds[2], *p, *q, host[4096], status;
    sent s;
    cudaEvent_t ready, back, plain;
    if (pipe(fds)) return 6;
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[1]);
        return child(fds[0]);
    }
    RT(cudaMalloc(&p, sizeof host));
    RT(cudaMallocHost(&q, sizeof host));
    for (int i = 0; i < 4096; i++) host[i] = i;
    RT(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    SAY(cudaEventCreateWithFlags(&ready, cudaEventInterprocess));
    RT(cudaEventCreateWithFlags(&ready, cudaEventInterprocess | cudaEventDisableTiming));
    RT(cudaEventCreateWithFlags(&back, cudaEventInterprocess | cudaEventDisableTiming));
    RT(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    SAY(cudaIpcGetMemHandle(&s.memory, q));
    SAY(cudaIpcGetEventHandle(&s.ready, plain));
    RT(cudaIpcGetMemHandle(&s.memory, p));
    RT(cudaIpcGetEventHandle(&s.ready, ready));
    RT(cudaIpcGetEventHandle(&s.back, back));
    twice<<<16, 256>>>(p, 4096);
    RT(cudaEventRecord(ready, 0));
    fflush(stdout);
    if (write(fds[1], &s, sizeof s) != (ssize_t)sizeof s) return 5;
    waitpid(pid, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    RT(cudaEventSynchronize(back));
    RT(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < 4096; i++) sum += host[i];
    printf("%d %d %lld\n", host[1], host[4095], sum);
    SAY(cudaFree(p));
    return 0;
}
