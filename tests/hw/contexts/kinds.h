// Every kind of memory, of the current context: what recorders of contexts and of devices share.
#pragma once
#include "../../cuda/driver.h"
#include <stdbool.h>
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

/* Calls `fn` with each number below `count` in a process of its own: a fault ends only that. */
static void each_alone(int count, void (*fn)(int number))
{
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        int status = 0;
        if (!child) {
            DO(cuInit(0));
            fn(i);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) printf("case %d: signal %d\n", i, WTERMSIG(status));
        fflush(stdout);
    }
}
