// What needs no context: memory by pages, pools and addresses; used by contexts that come later.
#include "driver.h"
#include <sys/wait.h>
#include <unistd.h>

static CUmemAllocationProp properties(void)
{
    CUmemAllocationProp p;
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

static int active(void)
{
    unsigned flags;
    int is = 77;
    DO(cuDevicePrimaryCtxGetState(0, &flags, &is));
    return is;
}

static void current(void)
{
    CUcontext c = (CUcontext)8;
    printf("current %d", cuCtxGetCurrent(&c));
    printf(" %d, active %d\n", c != NULL, active());
}

static size_t grain;
static CUdeviceptr at;
static CUmemGenericAllocationHandle memory, other;

/* Everything that is not of a context. */
static void pages(void)
{
    CUmemAllocationProp p = properties(), told;
    CUmemAccessDesc access;
    CUmemGenericAllocationHandle again;
    CUmemLocation location;
    CUdeviceptr base = 0;
    size_t size = 0;
    int fd = -1, number = 77;
    unsigned long long flags = 77;
    unsigned char byte = 0;
    unsigned type = 77;
    void *pointer = NULL;
    DO(cuMemGetAllocationGranularity(&grain, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    SAY(cuMemCreate(&memory, grain, &p, 0));
    SAY(cuMemCreate(&other, 2 * grain, &p, 0));
    SAY(cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    SAY(cuMemImportFromShareableHandle(&again, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    SAY(cuMemRelease(again));
    close(fd);
    SAY(cuMemGetAllocationPropertiesFromHandle(&told, memory));
    printf("%d %d %d\n", (int)told.type, (int)told.location.type, told.location.id);
    SAY(cuMemAddressReserve(&at, 4 * grain, 0, 0, 0));
    SAY(cuMemMap(at, grain, 0, memory, 0));
    SAY(cuMemMap(at + grain, 2 * grain, 0, other, 0));
    memset(&access, 0, sizeof access);
    location = access.location = p.location;
    SAY(cuMemGetAccess(&flags, &location, at));
    printf("flags %d\n", (int)flags);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    SAY(cuMemSetAccess(at, 3 * grain, &access, 1));
    SAY(cuMemGetAccess(&flags, &location, at));
    printf("flags %d\n", (int)flags);
    SAY(cuMemRetainAllocationHandle(&again, (void *)(size_t)(at + 5)));
    printf("the same %d\n", again == memory);
    SAY(cuMemRelease(again));
    SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    SAY(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
    SAY(cuPointerGetAttribute(&pointer, CU_POINTER_ATTRIBUTE_CONTEXT, at));
    printf("type %u, device %d, context %d\n", type, number, pointer != NULL);
    SAY(cuMemGetAddressRange_v2(&base, &size, at + 7));
    SAY(cuMemsetD8_v2(at, 1, 16));
    SAY(cuMemcpyDtoH_v2(&byte, at, 1));
    current();
}

static void use(const char *who, CUdeviceptr p)
{
    CUmodule module;
    unsigned k = 3, host[32] = {0};
    void *params[] = {&p, &k};
    DO(cuModuleLoadData(&module, module_text));
    printf("%s: %d", who, cuLaunchKernel(get(module, "fill"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    printf(" %d", cuCtxSynchronize());
    printf(" %d %u\n", cuMemcpyDtoH_v2(host, p, sizeof host), host[31]);
    fflush(stdout);
}

static void later(void)
{
    CUcontext own, primary;
    CUdeviceptr base = 0, more;
    size_t size = 0;
    pages();
    DO(cuCtxCreate_v2(&own, 0, 0));
    current();
    use("a context of its own", at);
    use("the end of the first", at + grain - 64);
    SAY(cuMemGetAddressRange_v2(&base, &size, at + 7));
    printf("%d %zu\n", base == at, size / grain);
    DO(cuDevicePrimaryCtxRetain(&primary, 0));
    DO(cuCtxSetCurrent(primary));
    use("the primary one", at + grain);
    SAY(cuMemAddressReserve(&more, grain, 0, 0, 0));
    SAY(cuMemUnmap(at, grain));
    SAY(cuMemMap(more, grain, 0, memory, 0));
    CUmemAccessDesc access;
    memset(&access, 0, sizeof access);
    access.location = properties().location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    SAY(cuMemSetAccess(more, grain, &access, 1));
    unsigned host = 0;
    SAY(cuMemcpyDtoH_v2(&host, more + 4, 4));
    printf("kept %u\n", host);
    DO(cuCtxDestroy_v2(own));
    use("when that is gone", more);
    SAY(cuDevicePrimaryCtxRelease(0));
    DO(cuCtxSetCurrent(NULL));
    SAY(cuMemUnmap(more, grain));
    SAY(cuMemUnmap(at + grain, 2 * grain));
    SAY(cuMemAddressFree(more, grain));
    SAY(cuMemAddressFree(at, 4 * grain));
    SAY(cuMemRelease(memory));
    SAY(cuMemRelease(memory));
    SAY(cuMemRelease(other));
    current();
}

static void pools(void)
{
    CUmemoryPool pool, standard = NULL, now = NULL;
    CUmemPoolProps props;
    CUmemAccessDesc access;
    CUmemAccess_flags flags = (CUmemAccess_flags)77;
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    CUdeviceptr p = 0;
    CUcontext own;
    cuuint64_t threshold = 1 << 20, value = 77;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = location;
    SAY(cuDeviceGetDefaultMemPool(&standard, 0));
    SAY(cuMemPoolCreate(&pool, &props));
    SAY(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    SAY(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    SAY(cuMemPoolGetAccess(&flags, pool, &location));
    printf("flags %d\n", (int)flags);
    access.location = location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    SAY(cuMemPoolSetAccess(pool, &access, 1));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    SAY(cuMemPoolSetAccess(pool, &access, 1));
    SAY(cuDeviceSetMemPool(0, pool));
    SAY(cuDeviceGetMemPool(&now, 0));
    printf("set %d\n", now == pool);
    SAY(cuMemPoolTrimTo(pool, 0));
    SAY(cuMemAllocFromPoolAsync(&p, 4, pool, NULL));
    SAY(cuMemAllocAsync(&p, 4, NULL));
    DO(cuCtxCreate_v2(&own, 0, 0));
    SAY(cuMemAllocFromPoolAsync(&p, 128, pool, NULL));
    use("a pool made before", p);
    SAY(cuMemPoolDestroy(pool));
    SAY(cuMemFreeAsync(p, NULL));
    SAY(cuCtxSynchronize());
}

static void alone(const char *name, void (*fn)(void))
{
    printf("-- %s\n", name);
    fflush(stdout);
    const pid_t child = fork();
    int status = 0;
    if (!child) {
        DO(cuInit(0));
        fn();
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
}

int main(void)
{
    alone("pages", later);
    alone("pools", pools);
    return 0;
}
