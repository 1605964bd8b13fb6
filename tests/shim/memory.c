/* memory.c - allocation of every kind, copies, sets, what is known of an address. */
#include "program.h"

enum { N = 1024 };

static void device_memory(void)
{
    CUdeviceptr p, base;
    size_t size, room, total;
    unsigned char bytes[N];
    say("no bytes", cuMemAlloc(&p, 0));
    say("too many", cuMemAlloc(&p, (size_t)1 << 50));
    say("NULL", cuMemAlloc(NULL, 4));
    MUST(cuMemAlloc(&p, N));
    printf("aligned: %d\n", p % 256 == 0);
    say("range", cuMemGetAddressRange(&base, &size, p + 100));
    printf("%d %zu\n", base == p, size);
    say("no range", cuMemGetAddressRange(&base, &size, 12345));
    MUST(cuMemGetInfo(&room, &total));
    printf("room: %d\n", room > 0 && room <= total);
    for (int i = 0; i < N; i++) bytes[i] = (unsigned char)i;
    say("up", cuMemcpyHtoD(p, bytes, N));
    say("too long", cuMemcpyHtoD(p, bytes, (size_t)1 << 42));
    say("nothing", cuMemcpyHtoD(p, bytes, 0));
    say("to NULL", cuMemcpyHtoD(0, bytes, 4));
    memset(bytes, 0, sizeof bytes);
    say("down", cuMemcpyDtoH(bytes, p, N));
    printf("%d %d\n", bytes[1], bytes[N - 1]);
    say("across", cuMemcpyDtoD(p + 512, p, 256));
    say("any", cuMemcpy((CUdeviceptr)(size_t)bytes, p + 512, 256));
    printf("%d\n", bytes[77]);
    say("free inside", cuMemFree(p + 16));
    say("free", cuMemFree(p));
    say("free NULL", cuMemFree(0));
    say("free twice", cuMemFree(p));
}

static void sets(void)
{
    CUdeviceptr p;
    unsigned words[64];
    MUST(cuMemAlloc(&p, sizeof words));
    say("bytes", cuMemsetD8(p, 0x11, sizeof words));
    say("halves", cuMemsetD16(p + 32, 0x2222, 16));
    say("words", cuMemsetD32(p + 64, 0x33333333, 8));
    say("odd halves", cuMemsetD16(p + 1, 1, 1));
    say("odd words", cuMemsetD32(p + 2, 1, 1));
    say("rows", cuMemsetD2D32(p + 128, 32, 0x44, 2, 3));
    say("pitch too small", cuMemsetD2D32(p + 128, 4, 0x44, 2, 3));
    say("none", cuMemsetD8(p, 1, 0));
    MUST(cuMemcpyDtoH(words, p, sizeof words));
    for (int i = 0; i < 64; i += 2) printf("%x%c", words[i], i % 16 == 14 ? '\n' : ' ');
    MUST(cuMemFree(p));
}

static void shapes(void)
{
    CUdeviceptr p;
    size_t pitch;
    unsigned char from[6][8], to[6][8];
    MUST(cuMemAllocPitch(&p, &pitch, 8, 6, 4));
    printf("pitch %zu\n", pitch);
    CUdeviceptr none;
    size_t no_pitch;
    say("element of 3", cuMemAllocPitch(&none, &no_pitch, 8, 6, 3));
    for (int i = 0; i < 48; i++) from[i / 8][i % 8] = (unsigned char)i;
    memset(to, 0, sizeof to);
    CUDA_MEMCPY2D c = {IN_HOST(src, from, 8), IN_DEVICE(dst, p, pitch), .WidthInBytes = 8, .Height = 6};
    say("up", cuMemcpy2D(&c));
    CUDA_MEMCPY2D d = {IN_DEVICE(src, p, pitch), AT(src, 2, 1), IN_HOST(dst, to, 8), AT(dst, 1, 2),
                       .WidthInBytes = 4,        .Height = 3};
    say("down a part", cuMemcpy2D(&d));
    for (int i = 0; i < 48; i++) printf("%d%c", to[i / 8][i % 8], i % 8 == 7 ? '\n' : ' ');
    d.dstPitch = 3;
    say("pitch too small", cuMemcpy2D(&d));
    d.dstPitch = 8;
    d.srcMemoryType = (CUmemorytype)9;
    say("memory of type 9", cuMemcpy2D(&d));
    say("NULL", cuMemcpy2D(NULL));
    CUDA_MEMCPY3D e = {IN_DEVICE(src, p, pitch), .srcHeight = 3, IN_HOST(dst, to, 4), .dstHeight = 2,
                       .WidthInBytes = 4,        .Height = 2,    .Depth = 2};
    memset(to, 0, sizeof to);
    say("two slices", cuMemcpy3D(&e));
    for (int i = 0; i < 16; i++) printf("%d%c", (&to[0][0])[i], i % 8 == 7 ? '\n' : ' ');
    MUST(cuMemFree(p));
}

static void host_memory(void)
{
    void *host;
    CUdeviceptr p;
    unsigned flags;
    static char own[8192];
    say("pinned", cuMemHostAlloc(&host, N, CU_MEMHOSTALLOC_DEVICEMAP));
    say("address", cuMemHostGetDevicePointer(&p, host, 0));
    printf("one address: %d\n", p == (CUdeviceptr)(size_t)host);
    MUST(cuMemHostGetFlags(&flags, host));
    printf("flags %u\n", flags);
    MUST(cuMemsetD8(p, 9, N));
    MUST(cuCtxSynchronize());
    printf("%d\n", ((char *)host)[N - 1]);
    say("free as device memory", cuMemFree(p));
    say("free", cuMemFreeHost(host));
    say("free twice", cuMemFreeHost(host));
    say("free NULL", cuMemFreeHost(NULL));
    say("no bytes", cuMemHostAlloc(&host, 0, 0));
    say("flags 256", cuMemHostAlloc(&host, 4, 256));
    say("register", cuMemHostRegister(own, sizeof own, 0));
    say("register twice", cuMemHostRegister(own, sizeof own, 0));
    MUST(cuMemHostGetDevicePointer(&p, own, 0));
    MUST(cuMemsetD8(p, 5, sizeof own));
    MUST(cuCtxSynchronize());
    printf("%d\n", own[8191]);
    say("unregister", cuMemHostUnregister(own));
    say("unregister twice", cuMemHostUnregister(own));
    say("address of plain memory", cuMemHostGetDevicePointer(&p, own, 0));
}

static void managed(void)
{
    CUdeviceptr p;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    say("managed", cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    *(int *)(size_t)p = 17;
    MUST(cuMemsetD32(p + 4, 18, 1));
    MUST(cuCtxSynchronize());
    printf("%d %d\n", *(int *)(size_t)p, ((int *)(size_t)p)[1]);
    say("flags 0", cuMemAllocManaged(&p, 4096, 0));
    say("no bytes", cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
    say("prefetch", cuMemPrefetchAsync(p, 4096, device, 0, NULL));
    say("advise", cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    say("advice 99", cuMemAdvise(p, 4096, (CUmem_advise)99, device));
    MUST(cuCtxSynchronize());
    say("free", cuMemFree(p));
}

static void pointers(void)
{
    CUdeviceptr p, q;
    void *host;
    int own = 0, ordinal;
    unsigned type;
    _Bool is_managed = 0;
    MUST(cuMemAlloc(&p, N));
    MUST(cuMemHostAlloc(&host, N, 0));
    MUST(cuMemAllocManaged(&q, N, CU_MEM_ATTACH_GLOBAL));
    MUST(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p + 5));
    printf("device %u\n", type);
    MUST(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)host));
    printf("host %u\n", type);
    MUST(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, q));
    printf("managed %d\n", is_managed);
    MUST(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    printf("managed %d\n", is_managed);
    MUST(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
    printf("ordinal %d\n", ordinal);
    CUdeviceptr start, device;
    size_t size;
    MUST(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 100));
    MUST(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 100));
    printf("range %d %zu\n", start == p, size);
    MUST(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p + 3));
    printf("pointer %d\n", device == p + 3);
    say("host pointer of device memory",
        cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
    say("plain memory",
        cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)&own));
    say("attribute 99", cuPointerGetAttribute(&type, (CUpointer_attribute)99, p));
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
    device = 1;
    type = 77;
    void *data[] = {&type, &device};
    say("several of plain memory", cuPointerGetAttributes(2, wanted, data, (CUdeviceptr)(size_t)&own));
    printf("%u %d\n", type, device == 0);
    say("several", cuPointerGetAttributes(2, wanted, data, p));
    printf("%u %d\n", type, device == p);
    MUST(cuMemFree(p));
    MUST(cuMemFree(q));
    MUST(cuMemFreeHost(host));
}

static void pools(void)
{
    CUmemoryPool pool, current, made;
    CUdeviceptr p;
    cuuint64_t value = 0;
    int flag = 0;
    MUST(cuDeviceGetDefaultMemPool(&pool, 0));
    MUST(cuDeviceGetMemPool(&current, 0));
    printf("default is current: %d\n", pool == current);
    MUST(cuMemAllocAsync(&p, 1000, NULL));
    MUST(cuMemsetD8(p, 3, 1000));
    char byte;
    MUST(cuMemcpyDtoH(&byte, p + 999, 1));
    printf("%d\n", byte);
    MUST(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    printf("used: %d\n", value >= 1000);
    say("free", cuMemFreeAsync(p, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    printf("used: %d\n", (int)value);
    MUST(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    printf("threshold %d\n", (int)value);
    MUST(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    printf("opportunistic %d\n", flag);
    say("used cannot be set", cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &value));
    say("destroy the default", cuMemPoolDestroy(pool));
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    MUST(cuMemPoolCreate(&made, &props));
    MUST(cuMemAllocFromPoolAsync(&p, 5000, made, NULL));
    MUST(cuMemFreeAsync(p, NULL));
    MUST(cuCtxSynchronize());
    say("trim", cuMemPoolTrimTo(made, 0));
    say("destroy", cuMemPoolDestroy(made));
}

/* Memory that the host sees is set when the call returns (CUDA driver API, API synchronization behavior). */
static void sets_that_wait(void)
{
    enum { SIZE = 4 << 20 };
    static unsigned char own[SIZE];
    CUdeviceptr managed;
    void *pinned;
    MUST(cuMemHostAlloc(&pinned, SIZE, CU_MEMHOSTALLOC_DEVICEMAP));
    MUST(cuMemAllocManaged(&managed, SIZE, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemHostRegister(own, SIZE, CU_MEMHOSTREGISTER_DEVICEMAP));
    unsigned char *const all[] = {pinned, (unsigned char *)(size_t)managed, own};
    for (int i = 0; i < 3; i++) {
        MUST(cuMemsetD8((size_t)all[i], 0x5a, SIZE));
        CHECK(all[i][SIZE - 1] == 0x5a);
        MUST(cuMemsetD2D32((size_t)all[i], 2048, 0x01020304, 512, SIZE / 2048));
        CHECK(all[i][SIZE - 1] == 1);
    }
    MUST(cuMemHostUnregister(own));
    MUST(cuMemFree(managed));
    MUST(cuMemFreeHost(pinned));
}

/* A thread without a current context frees what a context that lives holds. */
static void free_without_context(CUcontext context)
{
    CUcontext popped;
    CUdeviceptr p, managed;
    void *host;
    static char own[4096];
    MUST(cuMemAlloc(&p, 256));
    MUST(cuMemAllocManaged(&managed, 256, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemHostAlloc(&host, 256, 0));
    MUST(cuMemHostRegister(own, sizeof own, 0));
    while (cuCtxPopCurrent(&popped) == CUDA_SUCCESS) {
    }
    MUST(cuMemFree(p));
    MUST(cuMemFree(managed));
    MUST(cuMemFreeHost(host));
    MUST(cuMemHostUnregister(own));
    MUST(cuCtxSetCurrent(context));
    CHECK(cuMemFree(p) == CUDA_ERROR_INVALID_VALUE); /* they are gone */
    CHECK(cuMemHostUnregister(own) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

int main(void)
{
    CUcontext c = begin();
    device_memory();
    sets();
    shapes();
    host_memory();
    managed();
    pointers();
    pools();
    sets_that_wait();
    free_without_context(c);
    return end(c);
}
