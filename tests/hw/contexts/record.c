// Two contexts on one device: whose memory a kernel of the one sees of the other's, kind by kind, and what
// the host's copies do.
#include "../../cuda/driver.h"
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".visible .global .attribute(.managed) .align 4 .u32 seen;\n"
                           ".visible .global .align 4 .u32 plain;\n"
                           ".visible .entry bump(.param .u64 at)\n{\n.reg .u64 %d; .reg .u32 %r<3>;\n"
                           "ld.param.u64 %d, [at]; atom.global.add.u32 %r1, [%d], 1; ret;\n}\n";

static CUcontext first, second;
static CUmodule module;

enum {
    DEVICE,
    PINNED,
    PORTABLE,
    REGISTERED,
    REGISTERED_PORTABLE,
    MANAGED,
    MANAGED_HOST,
    STANDARD_POOL,
    OWN_POOL,
    MAPPED,
    MANAGED_VARIABLE,
    VARIABLE,
    KINDS
};
static const char *const names[] = {"device",
                                    "pinned",
                                    "portable",
                                    "registered",
                                    "registered, portable",
                                    "managed",
                                    "managed, of the host",
                                    "the standard pool",
                                    "a pool of its own",
                                    "mapped",
                                    "a managed variable",
                                    "a variable"};

static CUdeviceptr mapped(void)
{
    CUmemAllocationProp p;
    CUmemAccessDesc access;
    CUmemGenericAllocationHandle memory;
    CUdeviceptr at;
    size_t grain;
    memset(&p, 0, sizeof p);
    memset(&access, 0, sizeof access);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = p.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DO(cuMemGetAllocationGranularity(&grain, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DO(cuMemCreate(&memory, grain, &p, 0));
    DO(cuMemAddressReserve(&at, grain, 0, 0, 0));
    DO(cuMemMap(at, grain, 0, memory, 0));
    DO(cuMemSetAccess(at, grain, &access, 1));
    return at;
}

static CUdeviceptr of_pool(void)
{
    CUmemoryPool pool;
    CUmemPoolProps props;
    CUdeviceptr at;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DO(cuMemPoolCreate(&pool, &props));
    DO(cuMemAllocFromPoolAsync(&at, 4096, pool, NULL));
    return at;
}

/* Memory of the current context. */
static CUdeviceptr make(int kind)
{
    static unsigned mine[4096] __attribute__((aligned(4096)));
    CUdeviceptr at = 0;
    void *host = NULL;
    size_t size;
    switch (kind) {
    case DEVICE: DO(cuMemAlloc_v2(&at, 4096)); break;
    case PINNED: DO(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_DEVICEMAP)); break;
    case PORTABLE: DO(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_PORTABLE)); break;
    case REGISTERED:
        host = mine;
        DO(cuMemHostRegister_v2(mine, sizeof mine, 0));
        break;
    case REGISTERED_PORTABLE:
        host = mine;
        DO(cuMemHostRegister_v2(mine, sizeof mine, CU_MEMHOSTREGISTER_PORTABLE));
        break;
    case MANAGED: DO(cuMemAllocManaged(&at, 4096, CU_MEM_ATTACH_GLOBAL)); break;
    case MANAGED_HOST: DO(cuMemAllocManaged(&at, 4096, CU_MEM_ATTACH_HOST)); break;
    case STANDARD_POOL: DO(cuMemAllocAsync(&at, 4096, NULL)); break;
    case OWN_POOL: at = of_pool(); break;
    case MAPPED: at = mapped(); break;
    case MANAGED_VARIABLE: DO(cuModuleGetGlobal_v2(&at, &size, module, "seen")); break;
    case VARIABLE: DO(cuModuleGetGlobal_v2(&at, &size, module, "plain")); break;
    }
    return host ? (CUdeviceptr)(size_t)host : at;
}

static void alone(int kind, int how, CUdevice device)
{
    CUmodule own;
    CUdeviceptr at, copy = 0;
    unsigned three = 3, host = 0;
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

int main(void)
{
    for (int i = 0; i <= KINDS * 3; i++) {
        const pid_t child = fork();
        int status = 0;
        CUdevice device;
        if (!child) {
            DO(cuInit(0));
            DO(cuDeviceGet(&device, 0));
            if (i == KINDS * 3)
                peers(device);
            else
                alone(i % KINDS, i / KINDS, device);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("case %d: signal %d\n", i, WTERMSIG(status));
        fflush(stdout);
    }
    return 0;
}
