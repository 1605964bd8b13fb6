// Contexts: made, pushed, popped, looked at; each its own memory; the primary one; what is answered with
// none.
#include "driver.h"

int main(void)
{
    CUcontext a, b, c, primary;
    CUdevice device;
    CUdeviceptr p;
    unsigned flags, version;
    int active;
    SAY(cuCtxGetCurrent(&c));
    SAY(cuInit(1));
    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    SAY(cuDeviceGet(&device, 50));
    SAY(cuMemAlloc_v2(&p, 4));
    DO(cuCtxGetCurrent(&c));
    printf("none %d\n", c == NULL);
    DO(cuCtxCreate_v2(&a, CU_CTX_SCHED_SPIN, device));
    DO(cuCtxCreate_v2(&b, CU_CTX_MAP_HOST, device));
    DO(cuCtxGetCurrent(&c));
    printf("second %d\n", c == b);
    DO(cuCtxPopCurrent_v2(&c));
    printf("popped %d\n", c == b);
    DO(cuCtxGetCurrent(&c));
    printf("first %d\n", c == a);
    DO(cuCtxGetFlags(&flags));
    printf("flags %u\n", flags & CU_CTX_SCHED_MASK);
    DO(cuCtxGetApiVersion(a, &version));
    printf("version %u\n", version);
    DO(cuMemAlloc_v2(&p, 64));
    DO(cuCtxPushCurrent_v2(b));
    DO(cuMemsetD8_v2(p, 1, 64));
    DO(cuCtxSynchronize());
    DO(cuDevicePrimaryCtxGetState(device, &flags, &active));
    printf("primary %d\n", active);
    DO(cuDevicePrimaryCtxRetain(&primary, device));
    DO(cuDevicePrimaryCtxGetState(device, &flags, &active));
    printf("primary %d\n", active);
    DO(cuCtxSetCurrent(primary));
    DO(cuCtxGetDevice(&device));
    printf("device %d\n", device);
    SAY(cuCtxDestroy_v2(b));
    SAY(cuCtxDestroy_v2(a));
    SAY(cuDevicePrimaryCtxRelease_v2(device));
    SAY(cuDevicePrimaryCtxRelease_v2(device));
    SAY(cuMemAlloc_v2(&p, 4));
    SAY(cuCtxSetCurrent(NULL));
    SAY(cuCtxPopCurrent_v2(&c));
    SAY(cuCtxSynchronize());
    return 0;
}
