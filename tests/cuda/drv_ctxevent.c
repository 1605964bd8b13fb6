// Events of a whole context: all work of its streams before, all after.
#include "driver.h"

int main(void)
{
    CUdevice device;
    CUcontext primary = start(), other;
    CUstream a, b, far;
    CUevent event, foreign;
    CUmodule module;
    CUdeviceptr p;
    unsigned k = 3, host[64];
    float ms;
    DO(cuCtxGetDevice(&device));
    DO(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    DO(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    DO(cuEventCreate(&event, CU_EVENT_DEFAULT));
    DO(cuMemAlloc_v2(&p, 256));
    DO(cuModuleLoadData(&module, module_text));
    void *params[] = {&p, &k};
    SAY(cuCtxRecordEvent(primary, NULL));
    SAY(cuCtxRecordEvent(NULL, event));
    SAY(cuCtxWaitEvent(primary, NULL));
    SAY(cuCtxWaitEvent(NULL, event));
    DO(cuLaunchKernel(get(module, "fill"), 2, 1, 1, 32, 1, 1, 0, a, params, NULL));
    SAY(cuCtxRecordEvent(primary, event));
    SAY(cuEventSynchronize(event));
    SAY(cuEventQuery(event));
    SAY(cuStreamQuery(a));
    SAY(cuCtxWaitEvent(primary, event));
    DO(cuMemcpyDtoHAsync_v2(host, p, 256, b));
    DO(cuStreamSynchronize(b));
    printf("%u %u\n", host[1], host[63]);
    SAY(cuEventElapsedTime_v2(&ms, event, event));
    DO(cuStreamBeginCapture_v2(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    SAY(cuCtxRecordEvent(primary, event));
    SAY(cuCtxWaitEvent(primary, event));
    CUgraph graph = NULL;
    SAY(cuStreamEndCapture(a, &graph));
    printf("graph %d\n", graph != NULL);
    DO(cuCtxCreate_v2(&other, 0, device));
    DO(cuEventCreate(&foreign, CU_EVENT_DISABLE_TIMING));
    DO(cuStreamCreate(&far, CU_STREAM_NON_BLOCKING));
    SAY(cuCtxRecordEvent(primary, foreign));
    SAY(cuCtxRecordEvent(other, event));
    SAY(cuCtxRecordEvent(other, foreign));
    SAY(cuCtxWaitEvent(other, event));
    SAY(cuCtxWaitEvent(primary, foreign));
    DO(cuCtxSynchronize());
    DO(cuCtxDestroy_v2(other));
    return 0;
}
