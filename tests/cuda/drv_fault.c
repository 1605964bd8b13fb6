// A fault ends its context: every later call answers it, also when it is destroyed and another is made.
#include "driver.h"

int main(void)
{
    CUmodule module, again;
    CUdeviceptr p, q;
    CUcontext a, b;
    CUdevice device;
    unsigned host[32];
    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    DO(cuCtxCreate_v2(&a, 0, device));
    DO(cuModuleLoadData(&module, module_text));
    DO(cuMemAlloc_v2(&p, 128));
    DO(cuLaunchKernel(get(module, "wild"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuCtxSynchronize());
    SAY(cuMemAlloc_v2(&q, 4));
    SAY(cuMemcpyDtoH_v2(host, p, 4));
    SAY(cuModuleLoadData(&again, module_text));
    SAY(cuStreamQuery(NULL));
    SAY(cuCtxDestroy_v2(a));
    SAY(cuCtxCreate_v2(&b, 0, device));
    SAY(cuDevicePrimaryCtxRetain(&b, device));
    return 0;
}
