// What is told of managed variables, managed memory and other memory; the host uses the managed kinds itself.
#include "driver.h"

static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                           ".visible .global .attribute(.managed) .align 4 .u32 seen = 10;\n"
                           ".visible .global .attribute(.managed) .align 8 .b8 many[64];\n"
                           ".visible .global .align 4 .u32 plain = 20;\n"
                           ".visible .entry bump()\n{\n.reg .u32 %r<3>;\n"
                           "ld.global.u32 %r1, [seen]; add.u32 %r1, %r1, 1; st.global.u32 [seen], %r1; "
                           "st.global.u32 [many+60], %r1;\n"
                           "ret;\n}\n";

static void tell(const char *what, CUdeviceptr at, CUdeviceptr base)
{
    unsigned v;
    unsigned long long wide;
    CUdeviceptr p;
    CUresult e;
    void *h;
    size_t size;
    int number;
    printf("%s\n", what);
    v = 77;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at);
    printf(" memory type %d %u\n", e, v);
    v = 0;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_IS_MANAGED, at);
    printf(" is managed %d %u\n", e, v & 255);
    h = NULL;
    e = cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_HOST_POINTER, at);
    printf(" host pointer %d %s\n", e, !h ? "none" : (size_t)h == at ? "the same" : "another");
    p = 0;
    e = cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at);
    printf(" device pointer %d %s\n", e, !p ? "none" : p == at ? "the same" : "another");
    number = 77;
    e = cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at);
    printf(" ordinal %d %d\n", e, number);
    p = 0;
    e = cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at);
    printf(" start %d %d\n", e, p == base);
    size = 0;
    e = cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at);
    printf(" size %d %d\n", e, (int)size);
    v = 0;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_MAPPED, at);
    printf(" mapped %d %u\n", e, v & 255);
    wide = 77;
    e = cuPointerGetAttribute(&wide, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, at);
    printf(" handles %d %d\n", e, (int)wide);
    v = 0;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, at);
    printf(" ipc %d %u\n", e, v & 255);
    v = 77;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at);
    printf(" access %d %u\n", e, v);
    v = 0;
    e = cuPointerGetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at);
    printf(" sync memops %d %u\n", e, v & 255);
    h = (void *)8;
    e = cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, at);
    printf(" pool %d %d\n", e, h != NULL);
    h = NULL;
    e = cuPointerGetAttribute(&h, CU_POINTER_ATTRIBUTE_CONTEXT, at);
    printf(" context %d %d\n", e, h != NULL);
    p = 0;
    e = cuMemGetAddressRange_v2(&p, &size, at);
    printf(" range %d %d %d\n", e, p == base, e ? 0 : (int)size);
    p = 0;
    e = cuMemHostGetDevicePointer_v2(&p, (void *)(size_t)at, 0);
    printf(" for the device %d %d\n", e, p == at);
    v = 77;
    e = cuMemHostGetFlags(&v, (void *)(size_t)at);
    printf(" flags %d %u\n", e, v);
    CUmemLocation location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    e = cuMemAdvise_v2(at, 4, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, location);
    printf(" advise %d\n", e);
    number = 77;
    e = cuMemRangeGetAttribute(&number, 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, at, 4);
    printf(" preferred %d %d\n", e, number);
    e = cuMemPrefetchAsync_v2(at, 4, location, 0, NULL);
    printf(" prefetch %d\n", e);
    e = cuStreamAttachMemAsync(CU_STREAM_PER_THREAD, at, 0, CU_MEM_ATTACH_GLOBAL);
    printf(" attach %d\n", e);
    cuCtxSynchronize();
}

int main(void)
{
    CUmodule module;
    CUlibrary library;
    CUdeviceptr seen, many, plain, managed, device, stream, again;
    size_t size;
    void *pinned;
    static unsigned mine[2048];
    start();
    DO(cuModuleLoadData(&module, text));
    DO(cuModuleGetGlobal_v2(&seen, &size, module, "seen"));
    printf("size %d\n", (int)size);
    DO(cuModuleGetGlobal_v2(&many, &size, module, "many"));
    DO(cuModuleGetGlobal_v2(&plain, &size, module, "plain"));
    DO(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    DO(cuMemAlloc_v2(&device, 4096));
    DO(cuMemAllocAsync(&stream, 4096, NULL));
    DO(cuMemHostAlloc(&pinned, 4096, 0));
    DO(cuMemHostRegister_v2(mine, sizeof mine, 0));
    DO(cuCtxSynchronize());
    tell("a managed variable", seen, seen);
    tell("the middle of another", many + 60, many);
    tell("a variable", plain, plain);
    tell("managed memory", managed + 8, managed);
    tell("device memory", device + 8, device);
    tell("memory in stream order", stream + 8, stream);
    tell("pinned memory", (CUdeviceptr)(size_t)pinned + 8, (CUdeviceptr)(size_t)pinned);
    tell("registered memory", (CUdeviceptr)(size_t)mine + 8, (CUdeviceptr)(size_t)mine);
    volatile unsigned *host = (unsigned *)(size_t)seen;
    printf("%u\n", *host);
    *host = 30;
    DO(cuLaunchKernel(get(module, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DO(cuCtxSynchronize());
    printf("%u %u\n", *host, *(volatile unsigned *)(size_t)(many + 60));
    SAY(cuMemFree_v2(seen));
    SAY(cuMemFreeHost((void *)(size_t)seen));
    DO(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    SAY(cuLibraryGetManaged(&again, &size, library, "seen"));
    printf("%u %d\n", *(volatile unsigned *)(size_t)again, (int)size);
    tell("a library's managed variable", again, again);
    SAY(cuLibraryGetManaged(&again, &size, library, "plain"));
    SAY(cuLibraryGetGlobal(&again, &size, library, "seen"));
    SAY(cuModuleUnload(module));
    SAY(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_IS_MANAGED, seen));
    return 0;
}
