// A stream that waits for a value which another writes: what is behind it stands, the other goes on.
#include "driver.h"

static int calls;
static void call(void *p)
{
    calls = calls * 10 + *(int *)p;
}

int main(void)
{
    CUmodule module;
    CUdeviceptr p, flag;
    CUstream s, t;
    unsigned k = 2, host[64];
    int one = 1, two = 2;
    start();
    DO(cuModuleLoadData(&module, module_text));
    DO(cuMemAlloc_v2(&p, sizeof host));
    DO(cuMemAlloc_v2(&flag, 16));
    DO(cuMemsetD32_v2(flag, 0, 4));
    DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DO(cuStreamCreateWithPriority(&t, CU_STREAM_DEFAULT, -1));
    void *params[] = {&p, &k};
    CUfunction fill = get(module, "fill");
    DO(cuLaunchKernel(fill, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL)); /* loaded before anything waits */
    DO(cuCtxSynchronize());
    DO(cuStreamWaitValue32_v2(s, flag, 5, CU_STREAM_WAIT_VALUE_GEQ));
    DO(cuLaunchKernel(fill, 2, 1, 1, 32, 1, 1, 0, s, params, NULL));
    DO(cuLaunchHostFunc(s, call, &two));
    SAY(cuStreamQuery(s));
    DO(cuLaunchHostFunc(t, call, &one));
    DO(cuStreamSynchronize(t));
    DO(cuStreamWriteValue32_v2(t, flag, 6, 0));
    DO(cuStreamSynchronize(s));
    DO(cuMemcpyDtoH_v2(host, p, sizeof host));
    printf("%u, calls %d\n", host[63], calls);
    return 0;
}
