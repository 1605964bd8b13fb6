/* logs.c - the driver's log, and what is asked about things that this system has not. */
#include "program.h"

static int heard, level, whole = 1;

static void hear(void *user, CUlogLevel how, char *message, size_t length)
{
    ++*(int *)user;
    level = (int)how;
    whole &= strlen(message) == length && length != 0;
}

/* A call that the driver has something to say about: the text is no PTX. */
static void fail(void)
{
    CUmodule module;
    if (cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n.address_size 64\nnonsense;\n") ==
        CUDA_SUCCESS)
        printf("loaded\n");
}

static void kept(void)
{
    CUlogsCallbackHandle handle;
    CUlogIterator start, at;
    char text[25600], small[8];
    size_t size = sizeof text;
    MUST(cuLogsCurrent(&start, 0));
    at = start;
    MUST(cuLogsDumpToMemory(&at, text, &size, 0));
    printf("empty %zu\n", size);
    MUST(cuLogsRegisterCallback(hear, &heard, &handle));
    fail();
    printf("heard %d, level %d, whole %d\n", heard != 0, level, whole);
    const int before = heard;
    MUST(cuLogsUnregisterCallback(handle));
    fail();
    printf("no more %d\n", heard == before);
    size = sizeof small;
    say("no room", cuLogsDumpToMemory(&start, small, &size, 0));
    printf("size %zu\n", size);
    size = sizeof text;
    at = start;
    MUST(cuLogsDumpToMemory(&at, text, &size, 0));
    int lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    printf("lines %d, ends %d\n", lines > 1, strlen(text) == size && text[size - 1] == '\n');
    size = sizeof text;
    MUST(cuLogsDumpToMemory(&at, text, &size, 0));
    printf("then %zu\n", size);
}

/* More than are kept: a line says so. */
static void many(void)
{
    CUlogIterator at;
    char text[25600];
    size_t size = sizeof text, lines = 0;
    MUST(cuLogsCurrent(&at, 0));
    for (int i = 0; i < 300; i++) fail();
    MUST(cuLogsDumpToMemory(&at, text, &size, 0));
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    printf("fewer %d\n", lines < 300);
    say("no such folder", cuLogsDumpToFile(NULL, "/nonexistent/folder/log", 0));
}

static void refused(void)
{
    CUlogIterator at;
    say("flags", cuLogsCurrent(&at, 1));
}

static void nobody(void)
{
    CUlogsCallbackHandle handle;
    say("nobody", cuLogsRegisterCallback(NULL, NULL, &handle));
}

static void absent(void)
{
    char luid[8];
    unsigned mask = 9, caps[1];
    CUatomicOperation add = CU_ATOMIC_OPERATION_INTEGER_ADD, none = (CUatomicOperation)77;
    say("luid", cuDeviceGetLuid(luid, &mask, 0));
    say("luid of none", cuDeviceGetLuid(luid, &mask, 99));
    printf("untouched %d\n", mask == 9);
    say("atomics", cuDeviceGetHostAtomicCapabilities(caps, &add, 1, 0));
    say("atomics", cuDeviceGetHostAtomicCapabilities(caps, &none, 1, 0));
    say("atomics", cuDeviceGetHostAtomicCapabilities(caps, &add, 0, 0));
    say("with itself", cuDeviceGetP2PAtomicCapabilities(caps, &add, 1, 0, 0));
}

static void pools(void)
{
    CUmemoryPool pool, other;
    CUmemLocation place = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                  none_such = {.type = CU_MEM_LOCATION_TYPE_NONE};
    MUST(cuMemGetDefaultMemPool(&pool, &place, CU_MEM_ALLOCATION_TYPE_PINNED));
    MUST(cuDeviceGetDefaultMemPool(&other, 0));
    printf("one pool %d\n", pool == other);
    say("nowhere", cuMemGetMemPool(&pool, &none_such, CU_MEM_ALLOCATION_TYPE_PINNED));
    say("of no type", cuMemGetMemPool(&pool, &place, CU_MEM_ALLOCATION_TYPE_INVALID));
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = place};
    MUST(cuMemPoolCreate(&pool, &props));
    MUST(cuMemSetMemPool(&place, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
    MUST(cuMemGetMemPool(&other, &place, CU_MEM_ALLOCATION_TYPE_PINNED));
    printf("set %d\n", pool == other);
    props.maxSize = (size_t)64 << 20;
    MUST(cuMemPoolCreate(&other, &props));
    CUdeviceptr q;
    cuuint64_t used = 0, held = 0;
    say("beyond its limit", cuMemAllocFromPoolAsync(&q, (size_t)65 << 20, other, NULL));
    MUST(cuMemAllocFromPoolAsync(&q, 1 << 20, other, NULL));
    MUST(cuMemPoolGetAttribute(other, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    MUST(cuMemPoolGetAttribute(other, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &held));
    CUmemoryPool from = NULL;
    MUST(cuPointerGetAttribute(&from, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, q));
    printf("used %d, held %d, from it %d\n", used >= 1 << 20, held >= used, from == other);
    MUST(cuMemFreeAsync(q, NULL));
    MUST(cuStreamSynchronize(NULL));
    MUST(cuMemPoolGetAttribute(other, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    MUST(cuMemPoolGetAttribute(other, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &held));
    printf("used %d, most %d\n", (int)used, held >= 1 << 20);
    MUST(cuMemPoolDestroy(other));
    MUST(cuMemPoolDestroy(pool));
}

/* One part, by its number, or all. */
int main(int argc, char **argv)
{
    static void (*const parts[])(void) = {kept, many, refused, absent, pools, nobody};
    CUcontext c = begin();
    for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++)
        if (argc < 2 || atoi(argv[1]) == i) parts[i]();
    MUST(cuCtxDestroy(c));
    return 0;
}
