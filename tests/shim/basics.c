/* basics.c - before cuInit, errors and their names, devices, the stack of contexts, limits. */
#include "program.h"

static void errors(void)
{
    static const int numbers[] = {0,   1,   2,   3,   4,   100, 101, 200, 201, 209, 218, 222,
                                  304, 400, 500, 600, 700, 719, 720, 801, 900, 999, 5555};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *name = "-", *text = "-";
        const CUresult a = cuGetErrorName((CUresult)numbers[i], &name);
        const CUresult b = cuGetErrorString((CUresult)numbers[i], &text);
        printf("%d: %d %d %s, %s\n", numbers[i], (int)a, (int)b, name ? name : "NULL", text ? text : "NULL");
    }
}

static void devices(void)
{
    CUdevice d;
    int n, major, minor;
    char name[4];
    size_t bytes;
    say("cuDeviceGet(-1)", cuDeviceGet(&d, -1));
    say("cuDeviceGet(1000)", cuDeviceGet(&d, 1000));
    say("cuDeviceGet(NULL)", cuDeviceGet(NULL, 0));
    MUST(cuDeviceGet(&d, 0));
    MUST(cuDeviceGetCount(&n));
    printf("devices: %d\n", n > 0);
    MUST(cuDeviceComputeCapability(&major, &minor, d));
    printf("capability %d.%d\n", major, minor);
    say("short name", cuDeviceGetName(name, sizeof name, d));
    printf("cut: %zu\n", strlen(name));
    say("total", cuDeviceTotalMem(&bytes, d));
    say("attribute 99999", cuDeviceGetAttribute(&n, (CUdevice_attribute)99999, d));
    say("attribute 0", cuDeviceGetAttribute(&n, (CUdevice_attribute)0, d));
    say("attribute of 77", cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 77));
    say("warp", cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
    printf("%d\n", n);
    say("peer of itself", cuDeviceCanAccessPeer(&n, d, d));
    printf("%d\n", n);
}

static void contexts(void)
{
    CUcontext a, b, c;
    CUdevice d;
    unsigned flags, version;
    int active;
    say("current of none", cuCtxGetCurrent(&c));
    printf("%d\n", c == NULL);
    say("device of none", cuCtxGetDevice(&d));
    say("synchronize none", cuCtxSynchronize());
    say("pop none", cuCtxPopCurrent(&c));
    say("push NULL", cuCtxPushCurrent(NULL));
    say("set NULL", cuCtxSetCurrent(NULL));
    say("bad flags", cuCtxCreate(&a, NULL, 0x10000, 0));
    say("bad device", cuCtxCreate(&a, NULL, 0, 99));
    MUST(cuCtxCreate(&a, NULL, CU_CTX_SCHED_BLOCKING_SYNC, 0));
    MUST(cuCtxCreate(&b, NULL, 0, 0));
    MUST(cuCtxGetCurrent(&c));
    printf("top is b: %d\n", c == b);
    MUST(cuCtxPopCurrent(&c));
    MUST(cuCtxGetCurrent(&c));
    printf("top is a: %d\n", c == a);
    MUST(cuCtxGetFlags(&flags));
    printf("flags: %u\n", flags & 7);
    say("version", cuCtxGetApiVersion(a, &version));
    say("version of NULL", cuCtxGetApiVersion(NULL, &version));
    MUST(cuCtxPushCurrent(b));
    MUST(cuCtxDestroy(b));
    say("current after destroy", cuCtxGetCurrent(&c));
    printf("%d\n", c == a);
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary: %d\n", active);
    say("release", cuDevicePrimaryCtxRelease(0));
    MUST(cuDevicePrimaryCtxRetain(&b, 0));
    MUST(cuDevicePrimaryCtxRetain(&c, 0));
    printf("one primary: %d\n", b == c);
    MUST(cuDevicePrimaryCtxGetState(0, &flags, &active));
    printf("primary: %d\n", active);
    say("destroy primary", cuCtxDestroy(b));
    MUST(cuCtxSetCurrent(b));
    say("release", cuDevicePrimaryCtxRelease(0));
    say("synchronize", cuCtxSynchronize());
    say("release", cuDevicePrimaryCtxRelease(0));
    say("synchronize", cuCtxSynchronize());
    MUST(cuCtxSetCurrent(a));
    say("destroy", cuCtxDestroy(a));
}

static void limits(void)
{
    CUcontext a;
    size_t value = 0;
    CUfunc_cache cache;
    int least, greatest;
    MUST(cuCtxCreate(&a, NULL, 0, 0));
    MUST(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    printf("stack %zu\n", value);
    MUST(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    printf("heap %zu\n", value);
    MUST(cuCtxGetLimit(&value, CU_LIMIT_PRINTF_FIFO_SIZE));
    printf("printf %zu\n", value);
    say("sync depth", cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    MUST(cuCtxGetLimit(&value, CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT));
    printf("pending %zu\n", value);
    say("set sync depth", cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, 4));
    say("set heap", cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 32 << 20));
    MUST(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
    printf("heap %zu\n", value);
    say("limit 77", cuCtxGetLimit(&value, (CUlimit)77));
    say("NULL limit", cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    MUST(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    MUST(cuCtxGetCacheConfig(&cache));
    printf("cache %d\n", (int)cache);
    say("cache 9", cuCtxSetCacheConfig((CUfunc_cache)9));
    MUST(cuCtxGetStreamPriorityRange(&least, &greatest));
    printf("priorities %d %d\n", least, greatest);
    MUST(cuCtxDestroy(a));
}

int main(void)
{
    CUdevice d;
    CUcontext c;
    say("before cuInit", cuDeviceGet(&d, 0));
    say("before cuInit", cuCtxGetCurrent(&c));
    say("cuInit(1)", cuInit(1));
    say("cuInit(0)", cuInit(0));
    say("cuInit(0)", cuInit(0));
    errors();
    devices();
    contexts();
    limits();
    return 0;
}
