// Streams and events of the driver interface: order, host functions, threads' capture mode, time.
#include "driver.h"

static int calls;
static void call(void *p)
{
    calls = calls * 10 + *(int *)p;
}

int main(void)
{
    CUmodule module;
    CUdeviceptr p;
    CUstream s, t;
    CUevent e, f;
    unsigned k = 2, host[64], flags;
    int one = 1, two = 2, priority;
    float ms;
    start();
    DO(cuModuleLoadData(&module, module_text));
    DO(cuMemAlloc_v2(&p, sizeof host));
    DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DO(cuStreamCreateWithPriority(&t, CU_STREAM_DEFAULT, -1));
    DO(cuEventCreate(&e, CU_EVENT_DEFAULT));
    DO(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
    DO(cuStreamGetFlags(s, &flags));
    DO(cuStreamGetPriority(t, &priority));
    printf("flags %u priority %d\n", flags, priority);
    void *params[] = {&p, &k};
    CUfunction fill = get(module, "fill");
    DO(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL)); /* loaded before anything waits */
    DO(cuCtxSynchronize());
    DO(cuLaunchKernel(fill, 2, 1, 1, 32, 1, 1, 0, s, params, NULL));
    DO(cuLaunchHostFunc(s, call, &one));
    DO(cuStreamSynchronize(s));
    DO(cuLaunchHostFunc(t, call, &two));
    DO(cuStreamSynchronize(t));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u, calls %d\n", host[63], calls);
    DO(cuEventRecord(e, s));
    DO(cuStreamWaitEvent(t, e, 0));
    DO(cuEventRecord(f, t));
    DO(cuEventSynchronize(f));
    SAY(cuEventQuery(e));
    DO(cuEventElapsedTime(&ms, e, e));
    printf("%g\n", ms);
    SAY(cuEventElapsedTime(&ms, e, f));
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    DO(cuThreadExchangeStreamCaptureMode(&mode));
    printf("mode %d\n", mode);
    CUcontext owner, current;
    DO(cuStreamGetCtx(s, &owner));
    DO(cuCtxGetCurrent(&current));
    printf("owner %d\n", owner == current);
    SAY(cuStreamCreate(&s, 77));
    SAY(cuStreamQuery(t));
    SAY(cuStreamDestroy_v2(t));
    SAY(cuEventDestroy_v2(e));
    SAY(cuLaunchHostFunc(NULL, NULL, NULL));
    return 0;
}
