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

/* Two mappings of one range: what others see must be open to the own device in both. */
static void parts(void)
{
    enum { GRAIN = 2 << 20 };
    CUdeviceptr at;
    CUmemGenericAllocationHandle memory[2];
    CUmemAllocationProp props;
    memset(&props, 0, sizeof props);
    props.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
    const CUmemAccessDesc own = right(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                          closed = right(0, CU_MEM_ACCESS_FLAGS_PROT_NONE),
                          other = right(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), both[] = {other, own},
                          none[] = {closed, right(1, CU_MEM_ACCESS_FLAGS_PROT_NONE)};
    MUST(cuMemAddressReserve(&at, 2 * GRAIN, 0, 0, 0));
    for (int i = 0; i < 2; i++) {
        MUST(cuMemCreate(&memory[i], GRAIN, &props, 0));
        MUST(cuMemMap(at + i * GRAIN, GRAIN, 0, memory[i], 0));
    }
    for (int open = 0; open < 2; open++) {
        MUST(cuMemSetAccess(at + open * GRAIN, GRAIN, &own, 1));
        CHECK(cuMemSetAccess(at, 2 * GRAIN, &other, 1) == CUDA_ERROR_NOT_SUPPORTED);
        for (int i = 0; i < 2; i++) CHECK(of_range(at + i * GRAIN, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
        MUST(cuMemSetAccess(at, 2 * GRAIN, both, 2));
        for (int i = 0; i < 4; i++)
            CHECK(of_range(at + i / 2 * GRAIN, i % 2) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        CHECK(cuMemSetAccess(at + GRAIN, GRAIN, &closed, 1) == CUDA_ERROR_NOT_SUPPORTED);
        CHECK(of_range(at + GRAIN, 0) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        MUST(cuMemSetAccess(at, 2 * GRAIN, none, 2));
        for (int i = 0; i < 4; i++)
            CHECK(of_range(at + i / 2 * GRAIN, i % 2) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    }
    for (int i = 0; i < 2; i++) {
        MUST(cuMemUnmap(at + i * GRAIN, GRAIN));
        MUST(cuMemRelease(memory[i]));
    }
    MUST(cuMemAddressFree(at, 2 * GRAIN));
}

int main(void)
{
    const CUcontext context = begin();
    pools();
    ranges();
    parts();
    (void)context;
    puts("fine");
    return 0;
}
