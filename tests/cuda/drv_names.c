// Entry points by name: versions, thread streams, what is not there; error names; the device's own words.
#include "driver.h"

static void ask(const char *name, int version, cuuint64_t flags)
{
    void *entry = NULL;
    CUdriverProcAddressQueryResult found = (CUdriverProcAddressQueryResult)9;
    CUresult r = cuGetProcAddress_v2(name, &entry, version, flags, &found);
    printf("%s %d %d: %s %d %d\n", name, version, (int)flags, error_name(r), entry != NULL, found);
}

int main(void)
{
    static const int errors[] = {0,   1,   2,   3,   4,   100, 101, 200, 201, 218, 220,
                                 222, 301, 400, 500, 600, 700, 701, 719, 801, 999, 7777};
    const char *name, *text;
    int version, value;
    for (int i = 0; i < (int)(sizeof errors / sizeof *errors); i++) {
        name = text = "-";
        CUresult a = cuGetErrorName((CUresult)errors[i], &name),
                 b = cuGetErrorString((CUresult)errors[i], &text);
        printf("%d %d %s %d %s\n", errors[i], a, name ? name : "none", b, text ? text : "none");
    }
    ask("cuMemAlloc", 12000, 0);
    ask("cuMemAlloc", 3000, 0);
    ask("cuMemAlloc", 1000, 0);
    ask("cuCtxCreate", 13000, 0);
    ask("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    ask("cuLaunchKernelEx", 11000, 0);
    ask("cuNothing", 12000, 0);
    ask("cuGetProcAddress", 12000, 0);
    DO(cuInit(0));
    DO(cuDriverGetVersion(&version));
    printf("%d\n", version / 1000);
    static const CUdevice_attribute attributes[] = {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                                    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
                                                    CU_DEVICE_ATTRIBUTE_WARP_SIZE,
                                                    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
                                                    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
                                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                                    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                                    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY,
                                                    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
                                                    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                                                    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                                    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED};
    for (int i = 0; i < (int)(sizeof attributes / sizeof *attributes); i++) {
        DO(cuDeviceGetAttribute(&value, attributes[i], 0));
        printf("%d=%d ", attributes[i], value);
    }
    printf("\n");
    SAY(cuDeviceGetAttribute(&value, (CUdevice_attribute)9999, 0));
    return 0;
}
