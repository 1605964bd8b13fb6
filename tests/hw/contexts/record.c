// Two contexts on one device: whose memory a kernel of the one sees of the other's, kind by kind, and what
// the host's copies do.
#include "kinds.h"

static void alone(int number)
{
    const int kind = number % KINDS, how = number / KINDS;
    CUdevice device;
    CUmodule own;
    CUdeviceptr at, copy = 0;
    unsigned three = 3, host = 0;
    DO(cuDeviceGet(&device, 0));
    DO(cuCtxCreate_v2(&second, 0, device));
    DO(cuModuleLoadData(&own, text));
    DO(cuMemAlloc_v2(&copy, 4));
    DO(cuCtxCreate_v2(&first, 0, device));
    DO(cuModuleLoadData(&module, text));
    at = make(kind);
    DO(cuMemcpyHtoD_v2(at, &three, 4));
    DO(cuCtxSynchronize());
    DO(cuCtxSetCurrent(second));
    printf("%s, %s:", names[kind], how == 0 ? "a kernel" : how == 1 ? "copies" : "after its end");
    void *params[] = {&at};
    if (how == 0) {
        printf(" %d", cuLaunchKernel(get(own, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
        const CUresult e = cuCtxSynchronize();
        printf(" %d", e);
        if (!e) printf(" %d", cuMemcpyDtoH_v2(&host, at, 4)), printf(" %u", host);
    } else if (how == 1) {
        printf(" %d", cuMemcpyDtoH_v2(&host, at, 4));
        printf(" %u", host);
        printf(" %d", cuMemcpy(copy, at, 4));
        printf(" %d", cuMemcpyDtoD_v2(copy, at, 4));
        printf(" %d", cuMemcpyDtoDAsync_v2(at, copy, 4, NULL));
        printf(" %d", cuMemsetD32_v2(at, 9, 1));
        printf(" %d", cuCtxSynchronize());
        CUcontext of = NULL;
        printf(" %d", cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, at));
        printf(" %s", of == first ? "first" : of == second ? "second" : of ? "another" : "none");
    } else {
        printf(" %d", cuCtxDestroy_v2(first));
        unsigned type = 77;
        printf(" %d", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
        printf(" %u", type);
        if (kind == STANDARD_POOL || kind == OWN_POOL || kind == MAPPED) {
            printf(" %d", cuLaunchKernel(get(own, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
            printf(" %d", cuCtxSynchronize());
        }
    }
    printf("\n");
    fflush(stdout);
}

static void peers(CUdevice device)
{
    int can = 77;
    DO(cuCtxCreate_v2(&second, 0, device));
    DO(cuCtxCreate_v2(&first, 0, device));
    SAY(cuDeviceCanAccessPeer(&can, device, device));
    printf("%d\n", can);
    SAY(cuCtxEnablePeerAccess(second, 0));
    SAY(cuCtxDisablePeerAccess(second));
    SAY(cuCtxEnablePeerAccess(first, 0));
    fflush(stdout);
}

static void one(int number)
{
    CUdevice device;
    if (number < KINDS * 3) {
        alone(number);
    } else {
        DO(cuDeviceGet(&device, 0));
        peers(device);
    }
}

int main(void)
{
    each_alone(KINDS * 3 + 1, one);
    return 0;
}
