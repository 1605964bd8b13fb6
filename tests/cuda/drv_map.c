// Memory mapped by hand: an address range reserved, handles made, mapped, opened for the device, used, taken
// apart.
#include "driver.h"

int main(void)
{
    CUmemAllocationProp prop;
    CUmemGenericAllocationHandle a, b;
    CUmemAccessDesc access;
    CUdeviceptr p;
    CUmodule module;
    size_t unit;
    unsigned k = 2, host[4];
    start();
    memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    DO(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    printf("unit %zu\n", unit);
    DO(cuMemAddressReserve(&p, 4 * unit, 0, 0, 0));
    DO(cuMemCreate(&a, unit, &prop, 0));
    DO(cuMemCreate(&b, unit, &prop, 0));
    DO(cuMemMap(p, unit, 0, a, 0));
    DO(cuMemMap(p + unit, unit, 0, b, 0));
    memset(&access, 0, sizeof access);
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DO(cuMemSetAccess(p, 2 * unit, &access, 1));
    DO(cuModuleLoadData(&module, module_text));
    CUdeviceptr edge = p + unit - 64;
    void *params[] = {&edge, &k};
    DO(cuLaunchKernel(get(module, "fill"), 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
    DO(cuMemcpyDtoH_v2(host, p + unit - 8, 16));
    printf("%u %u %u %u\n", host[0], host[1], host[2], host[3]);
    SAY(cuMemCreate(&b, 1000, &prop, 0));
    DO(cuMemUnmap(p, 2 * unit));
    DO(cuMemRelease(a));
    SAY(cuMemAddressFree(p, 4 * unit));
    return 0;
}
