// Memory and events of another process: the parent makes them and has the handles sent to a child, which
// opens them, waits, works on the memory and answers.
#include "driver.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 18 };

static int to_child[2], to_parent[2];

struct sent {
    CUipcMemHandle memory, second;
    CUipcEventHandle ready, back;
};

static void get_all(int fd, void *data, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = read(fd, (char *)data + got, size - got);
        if (n <= 0) {
            printf("the other process is gone\n");
            exit(4);
        }
        got += (size_t)n;
    }
}

static void put_all(int fd, const void *data, size_t size)
{
    if (write(fd, data, size) != (ssize_t)size) exit(5);
}

/* Lets the parent go on when all that was printed here is out. */
static void turn(int to, int from)
{
    char c = 'x';
    fflush(stdout);
    put_all(to, &c, 1);
    get_all(from, &c, 1);
}

static void fill(CUdeviceptr p, unsigned k, CUstream stream)
{
    CUmodule module;
    DO(cuModuleLoadData(&module, module_text));
    void *params[] = {&p, &k};
    DO(cuLaunchKernel(get(module, "fill"), N / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL));
}

static int child(void)
{
    struct sent sent;
    CUdeviceptr p = 0, q = 0, base = 0, second = 0;
    CUevent ready, back;
    CUstream stream;
    size_t size = 0;
    unsigned *host = malloc(N * sizeof *host), sum = 0, type = 0;
    float ms;
    close(to_child[1]);
    close(to_parent[0]);
    get_all(to_child[0], &sent, sizeof sent);
    start();
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    SAY(cuIpcOpenMemHandle_v2(&p, sent.memory, 0));
    SAY(cuIpcOpenMemHandle_v2(&p, sent.memory, 7));
    SAY(cuIpcOpenMemHandle_v2(NULL, sent.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    SAY(cuIpcOpenMemHandle_v2(&p, sent.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    SAY(cuIpcOpenMemHandle_v2(&q, sent.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    printf("same address %d\n", p == q);
    SAY(cuIpcOpenMemHandle_v2(&second, sent.second, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    SAY(cuIpcOpenEventHandle(&ready, sent.ready));
    SAY(cuIpcOpenEventHandle(&back, sent.back));
    DO(cuMemGetAddressRange_v2(&base, &size, p + 100));
    printf("base %d, size %zu\n", base == p, size);
    DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    printf("type %u\n", type);
    SAY(cuStreamWaitEvent(stream, ready, 0));
    DO(cuMemcpyDtoHAsync_v2(host, p, N * sizeof *host, stream));
    DO(cuStreamSynchronize(stream));
    SAY(cuEventQuery(ready));
    for (int i = 0; i < N; i++) sum += host[i];
    printf("sum %u\n", sum);
    SAY(cuEventElapsedTime_v2(&ms, ready, ready));
    fill(p, 5, stream);
    DO(cuMemsetD32Async(second, 42, 16, stream));
    SAY(cuEventRecord(back, stream));
    turn(to_parent[1], to_child[0]);
    SAY(cuIpcGetMemHandle(&sent.memory, p));
    SAY(cuMemFree_v2(p));
    DO(cuStreamSynchronize(stream));
    SAY(cuIpcCloseMemHandle(p));
    SAY(cuIpcCloseMemHandle(p + 64));
    if (q != p) SAY(cuIpcCloseMemHandle(q));
    SAY(cuIpcCloseMemHandle(second));
    SAY(cuMemcpyDtoH_v2(host, second, 4));
    SAY(cuIpcCloseMemHandle(second));
    memset(&sent.memory, 1, sizeof sent.memory);
    SAY(cuIpcOpenMemHandle_v2(&p, sent.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    memset(&sent.ready, 1, sizeof sent.ready);
    CUevent wrong;
    SAY(cuIpcOpenEventHandle(&wrong, sent.ready));
    SAY(cuEventDestroy_v2(back));
    SAY(cuEventDestroy_v2(ready));
    free(host);
    fflush(stdout);
    return 0;
}

static void refused(CUdeviceptr p)
{
    CUipcMemHandle memory;
    CUipcEventHandle handle;
    CUevent event;
    CUdeviceptr m, own = 0;
    void *host;
    DO(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    SAY(cuIpcGetEventHandle(&handle, event));
    SAY(cuIpcGetEventHandle(NULL, event));
    SAY(cuIpcGetEventHandle(&handle, NULL));
    SAY(cuEventCreate(&event, CU_EVENT_INTERPROCESS));
    DO(cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL));
    DO(cuMemHostAlloc(&host, 4096, 0));
    SAY(cuIpcGetMemHandle(&memory, m));
    SAY(cuIpcGetMemHandle(&memory, (CUdeviceptr)(size_t)host));
    SAY(cuIpcGetMemHandle(&memory, 64));
    SAY(cuIpcGetMemHandle(NULL, p));
    SAY(cuIpcGetMemHandle(&memory, p));
    SAY(cuIpcOpenMemHandle_v2(&own, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    SAY(cuIpcCloseMemHandle(p));
}

int main(void)
{
    struct sent sent, again;
    CUdeviceptr p, second;
    CUevent ready, back;
    CUstream stream;
    unsigned host[64], sum = 0;
    char c;
    int status;
    if (pipe(to_child) || pipe(to_parent)) return 6;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) return child();
    close(to_child[0]);
    close(to_parent[1]);
    start();
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    DO(cuMemAlloc_v2(&p, N * sizeof(unsigned)));
    DO(cuMemAlloc_v2(&second, (size_t)4 << 20));
    refused(p);
    SAY(cuEventCreate(&ready, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    DO(cuEventCreate(&back, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS | CU_EVENT_BLOCKING_SYNC));
    DO(cuMemsetD32_v2(second, 9, 64));
    SAY(cuIpcGetMemHandle(&sent.memory, p));
    SAY(cuIpcGetMemHandle(&again.memory, p));
    printf("same handle %d\n", memcmp(&sent.memory, &again.memory, sizeof again.memory) == 0);
    SAY(cuIpcGetMemHandle(&sent.second, second));
    SAY(cuIpcGetEventHandle(&sent.ready, ready));
    SAY(cuIpcGetEventHandle(&sent.back, back));
    fill(p, 1, stream);
    SAY(cuEventRecord(ready, stream));
    fflush(stdout);
    put_all(to_child[1], &sent, sizeof sent);
    get_all(to_parent[0], &c, 1); /* the child has recorded */
    SAY(cuStreamWaitEvent(stream, back, 0));
    DO(cuMemcpyDtoHAsync_v2(host, second, sizeof host, stream));
    DO(cuStreamSynchronize(stream));
    printf("%u %u\n", host[15], host[16]);
    SAY(cuEventSynchronize(back));
    SAY(cuEventQuery(back));
    DO(cuMemcpyDtoH_v2(host, p + 4 * 1000, sizeof host));
    for (int i = 0; i < 64; i++) sum += host[i];
    printf("sum %u\n", sum);
    fflush(stdout);
    put_all(to_child[1], &c, 1);
    waitpid(pid, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    DO(cuMemcpyDtoH_v2(host, p, 64));
    printf("still %u\n", host[3]);
    SAY(cuMemFree_v2(p));
    SAY(cuEventDestroy_v2(ready));
    return 0;
}
