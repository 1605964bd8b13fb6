/*
 * access.c - lists of access rights with a mistake in them: the call is refused, and nothing of it is done.
 * Run with PTXVM_DEVICES=2. Says "fine".
 */
#include "program.h"

static CUmemAccessDesc right(int device, CUmemAccess_flags flags)
{
    return (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
}

static CUmemAccess_flags of_pool(CUmemoryPool pool, int device)
{
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    MUST(cuMemPoolGetAccess(&flags, pool, &location));
    return flags;
}

static void pools(void)
{
    CUmemoryPool pool;
    CUmemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
    MUST(cuMemPoolCreate(&pool, &props));
    const CUmemAccessDesc wrong[] = {right(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                                     right(7, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)},
                          own[] = {wrong[0], right(0, CU_MEM_ACCESS_FLAGS_PROT_NONE)};
    CHECK(cuMemPoolSetAccess(pool, wrong, 2) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(of_pool(pool, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    CHECK(cuMemPoolSetAccess(pool, own, 2) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(of_pool(pool, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    MUST(cuMemPoolSetAccess(pool, wrong, 1));
    CHECK(of_pool(pool, 1) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    MUST(cuMemPoolDestroy(pool));
}

static unsigned long long of_range(CUdeviceptr at, int device)
{
    unsigned long long flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    MUST(cuMemGetAccess(&flags, &location, at));
    return flags;
}

static void ranges(void)
{
    enum { GRAIN = 2 << 20 };
    CUdeviceptr at;
    CUmemGenericAllocationHandle memory;
    CUmemAllocationProp props;
    memset(&props, 0, sizeof props);
    props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
    MUST(cuMemAddressReserve(&at, GRAIN, 0, 0, 0));
    MUST(cuMemCreate(&memory, GRAIN, &props, 0));
    MUST(cuMemMap(at, GRAIN, 0, memory, 0));
    const CUmemAccessDesc wrong[] = {right(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                                     right(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                                     right(7, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)};
    CHECK(cuMemSetAccess(at, GRAIN, wrong, 3) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(of_range(at, 0) == CU_MEM_ACCESS_FLAGS_PROT_NONE &&
          of_range(at, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    MUST(cuMemSetAccess(at, GRAIN, wrong, 2));
    CHECK(of_range(at, 0) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CHECK(of_range(at, 1) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    MUST(cuMemUnmap(at, GRAIN));
    MUST(cuMemRelease(memory));
    MUST(cuMemAddressFree(at, GRAIN));
}

int main(void)
{
    const CUcontext context = begin();
    pools();
    ranges();
    (void)context;
    puts("fine");
    return 0;
}
