/* streams.c - streams, events, host functions, order. */
#include "program.h"

static CUmodule module;
static CUfunction axpy, store;

static void handles(void)
{
    CUstream s;
    CUevent e, f;
    unsigned flags;
    int priority;
    CUcontext c, current;
    float ms;
    say("flags 9", cuStreamCreate(&s, 9));
    say("NULL", cuStreamCreate(NULL, 0));
    MUST(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -2));
    MUST(cuStreamGetFlags(s, &flags));
    MUST(cuStreamGetPriority(s, &priority));
    printf("%u %d\n", flags, priority);
    MUST(cuStreamGetCtx(s, &c));
    MUST(cuCtxGetCurrent(&current));
    printf("its context: %d\n", c == current);
    say("query", cuStreamQuery(s));
    say("event flags 99", cuEventCreate(&e, 99));
    MUST(cuEventCreate(&e, CU_EVENT_DEFAULT));
    MUST(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
    say("query unrecorded", cuEventQuery(e));
    say("wait unrecorded", cuEventSynchronize(e));
    say("elapsed unrecorded", cuEventElapsedTime(&ms, e, e));
    MUST(cuEventRecord(e, s));
    MUST(cuEventRecord(f, s));
    MUST(cuStreamSynchronize(s));
    say("query recorded", cuEventQuery(e));
    say("elapsed", cuEventElapsedTime(&ms, e, e));
    printf("%d\n", ms == 0);
    say("elapsed without timing", cuEventElapsedTime(&ms, e, f));
    say("destroy event", cuEventDestroy(e));
    say("destroy stream", cuStreamDestroy(s));
    say("destroy NULL", cuStreamDestroy(NULL));
}

struct order {
    int n;
    char text[64];
};
static struct order order;
static char letters[] = "ABCD";

static void note(void *user)
{
    order.text[order.n++] = *(const char *)user;
}

static void back(CUstream s, CUresult status, void *user)
{
    (void)s;
    order.text[order.n++] = status == CUDA_SUCCESS ? *(const char *)user : '!';
}

static void in_order(void)
{
    CUstream a, b;
    CUevent e;
    CUdeviceptr x, y;
    void *host;
    unsigned n = 4096, scale = 1;
    MUST(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
    MUST(cuMemAlloc(&x, n * 4));
    MUST(cuMemAlloc(&y, n * 4));
    MUST(cuMemHostAlloc(&host, n * 4, 0));
    unsigned *words = host;
    for (unsigned i = 0; i < n; i++) words[i] = i;
    void *params[] = {&y, &x, &scale, &n};
    MUST(cuMemcpyHtoDAsync(x, host, n * 4, a));
    MUST(cuMemsetD32Async(y, 100, n, a));
    for (scale = 1; scale <= 10; scale++)
        MUST(cuLaunchKernel(axpy, n / 128, 1, 1, 128, 1, 1, 0, a, params, NULL));
    MUST(cuLaunchHostFunc(a, note, &letters[0]));
    MUST(cuEventRecord(e, a));
    MUST(cuStreamWaitEvent(b, e, 0));
    MUST(cuLaunchHostFunc(b, note, &letters[1]));
    MUST(cuStreamAddCallback(b, back, &letters[2], 0));
    MUST(cuMemcpyDtoHAsync(host, y, n * 4, b));
    MUST(cuLaunchHostFunc(b, note, &letters[3]));
    MUST(cuStreamSynchronize(b));
    printf("%s: %u %u\n", order.text, words[1], words[n - 1]);
    say("no function", cuLaunchHostFunc(a, NULL, NULL));
    unsigned local[4] = {1, 2, 3, 4}; /* what is not pinned may be changed at once */
    MUST(cuMemcpyHtoDAsync(x, local, sizeof local, a));
    memset(local, 0, sizeof local);
    MUST(cuMemcpyDtoHAsync(local, x, sizeof local, a));
    MUST(cuStreamSynchronize(a));
    printf("%u %u\n", local[0], local[3]);
    MUST(cuStreamDestroy(a));
    MUST(cuStreamDestroy(b));
    MUST(cuEventDestroy(e));
}

static void defaults(void)
{
    CUdeviceptr p;
    unsigned value, got;
    void *params[] = {&p, &value};
    MUST(cuMemAlloc(&p, 4));
    value = 1;
    MUST(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_LEGACY, params, NULL));
    value = 2;
    MUST(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, params, NULL));
    MUST(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    MUST(cuMemcpyDtoH(&got, p, 4));
    printf("%u\n", got);
    say("query 0", cuStreamQuery(NULL));
}

/* What functions that streams call may not ask the driver; OpenACC's library of gcc frees later what it may
 * not free in one. */
static CUdeviceptr owned;
static CUstream busy, idle;
static CUevent never;

static void asks(void *user)
{
    (void)user;
    size_t size;
    CUdeviceptr base;
    CUcontext current;
    int count;
    say("range", cuMemGetAddressRange(&base, &size, owned));
    say("free", cuMemFree(owned));
    say("current", cuCtxGetCurrent(&current));
    say("count", cuDeviceGetCount(&count));
    say("query", cuStreamQuery(busy));
    say("idle stream", cuStreamQuery(idle));
    say("event", cuEventQuery(never));
}

static void asks_called(CUstream s, CUresult status, void *user)
{
    (void)s, (void)status;
    asks(user);
}

/* What a chip's driver waits in for ever, or may. */
static void waits(void *user)
{
    (void)user;
    say("wait", cuStreamSynchronize(busy));
    say("context", cuCtxSynchronize());
}

static void called(int wait)
{
    MUST(cuStreamCreate(&busy, 0));
    MUST(cuStreamCreate(&idle, 0));
    MUST(cuEventCreate(&never, 0));
    MUST(cuMemAlloc(&owned, 64));
    if (!wait) MUST(cuStreamAddCallback(busy, asks_called, NULL, 0));
    MUST(cuLaunchHostFunc(busy, wait ? waits : asks, NULL));
    MUST(cuStreamSynchronize(busy));
    say("free", cuMemFree(owned));
    MUST(cuEventDestroy(never));
    MUST(cuStreamDestroy(idle));
    MUST(cuStreamDestroy(busy));
}

int main(int argc, char **argv)
{
    CUcontext c = begin();
    if (argc > 1) {
        called(argv[1][0] == '2');
        return end(c);
    }
    MUST(cuModuleLoadData(&module, kernels));
    MUST(cuModuleGetFunction(&axpy, module, "axpy"));
    MUST(cuModuleGetFunction(&store, module, "store"));
    handles();
    in_order();
    defaults();
    return end(c);
}
