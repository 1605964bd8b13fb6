// Two devices: whose memory a kernel of the one sees of the other's, kind by kind, with what was enabled
// before; what the host's copies do, and what is told of an address.
#include "../contexts/kinds.h"

enum { NOTHING, PEER, PEER_BACK, ACCESS, ACCESS_BEFORE, ACCESS_BACK, READ_ONLY, LATER, COPIES, TOLD, WAYS };
static const char *const ways[] = {"nothing",     "peer access",          "peer access, taken back",
                                   "access",      "access, before it",    "access, taken back",
                                   "read access", "peer access, then it", "copies",
                                   "what is told"};

/* The pool of the memory, or none. */
static CUmemoryPool pool_of(CUdeviceptr at)
{
    CUmemoryPool pool = NULL;
    cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, at);
    return pool;
}

static CUmemAccessDesc access_of(CUdevice device, CUmemAccess_flags flags)
{
    CUmemAccessDesc d;
    memset(&d, 0, sizeof d);
    d.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    d.location.id = device;
    d.flags = flags;
    return d;
}

static void allow(int kind, CUdeviceptr at, CUdevice device, CUmemAccess_flags flags)
{
    const CUmemAccessDesc d = access_of(device, flags);
    if (kind == MAPPED)
        printf(" %d", cuMemSetAccess(at, 2 << 20, &d, 1));
    else
        printf(" %d", cuMemPoolSetAccess(pool_of(at), &d, 1));
}

/* A kernel of the second device adds to the memory, after which the first one's context reads it. */
static void use(CUmodule own, CUdeviceptr at, unsigned expected)
{
    void *params[] = {&at};
    unsigned host = 0;
    printf(" %d", cuLaunchKernel(get(own, "bump"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    const CUresult e = cuCtxSynchronize();
    printf(" %d", e);
    if (e) return;
    DO(cuCtxSetCurrent(first));
    printf(" %d", cuMemcpyDtoH_v2(&host, at, 4));
    printf(host == expected ? " seen" : " %u", host);
    DO(cuCtxSetCurrent(second));
}

static void copies(CUdeviceptr at, CUdeviceptr copy)
{
    unsigned host = 0;
    printf(" %d", cuMemcpyDtoH_v2(&host, at, 4));
    printf(" %u", host);
    printf(" %d", cuMemcpy(copy, at, 4));
    printf(" %d", cuMemcpyDtoD_v2(copy, at, 4));
    printf(" %d", cuMemcpyDtoDAsync_v2(at, copy, 4, NULL));
    printf(" %d", cuMemcpyPeer(copy, second, at, first, 4));
    printf(" %d", cuMemsetD32_v2(at, 9, 1));
    printf(" %d", cuCtxSynchronize());
    host = 0;
    printf(" %d %u", cuMemcpyDtoH_v2(&host, copy, 4), host);
}

static void told(CUdeviceptr at)
{
    CUcontext of = NULL;
    unsigned type = 77, flags = 77, host_flags = 77;
    int ordinal = 77, managed = 0;
    CUdeviceptr device = 0;
    printf(" %d", cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, at));
    printf(" %s", of == first ? "first" : of == second ? "second" : of ? "another" : "none");
    printf(" %d", cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
    printf(" %u", type);
    printf(" %d", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
    printf(" %d", ordinal);
    printf(" %d", cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at));
    printf(" %s", device == at ? "same" : device ? "another" : "0");
    printf(" %d", cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at));
    printf(" %u", flags);
    printf(" %d", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at));
    printf(" %d", managed & 1);
    device = 0;
    printf(" %d", cuMemHostGetDevicePointer_v2(&device, (void *)(size_t)at, 0));
    printf(" %s", device == at ? "same" : device ? "another" : "0");
    printf(" %d", cuMemHostGetFlags(&host_flags, (void *)(size_t)at));
    printf(" %u", host_flags);
}

/* What was allowed before its kernel runs; after `make` unless that is named otherwise. */
static void prepare(int kind, int way, CUdeviceptr at, CUdevice device)
{
    const bool again = way == ACCESS_BACK;
    if (way == PEER || way == PEER_BACK) printf(" %d", cuCtxEnablePeerAccess(first, 0));
    if (way == PEER_BACK) printf(" %d", cuCtxDisablePeerAccess(first));
    if (way == ACCESS || again) allow(kind, at, device, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    if (again) allow(kind, at, device, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    if (way == READ_ONLY) allow(kind, at, device, CU_MEM_ACCESS_FLAGS_PROT_READ);
}

static bool has_access(int kind)
{
    return kind == STANDARD_POOL || kind == OWN_POOL || kind == MAPPED;
}

static void alone(int number)
{
    const int kind = number % KINDS, way = number / KINDS;
    const unsigned three = 3;
    CUdevice one, other;
    CUmodule own;
    CUdeviceptr at, copy = 0;
    if (way >= ACCESS && way <= READ_ONLY && !has_access(kind)) return;
    if (way == ACCESS_BEFORE && kind != STANDARD_POOL) return;
    printf("%s, %s:", names[kind], ways[way]);
    DO(cuDeviceGet(&one, 0));
    DO(cuDeviceGet(&other, 1));
    DO(cuDevicePrimaryCtxRetain(&second, other));
    DO(cuCtxSetCurrent(second));
    DO(cuModuleLoadData(&own, text));
    DO(cuMemAlloc_v2(&copy, 4));
    DO(cuDevicePrimaryCtxRetain(&first, one));
    if (way == LATER) printf(" %d", cuCtxEnablePeerAccess(first, 0));
    DO(cuCtxSetCurrent(first));
    DO(cuModuleLoadData(&module, text));
    if (way == ACCESS_BEFORE) {
        CUmemoryPool pool;
        const CUmemAccessDesc d = access_of(other, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        DO(cuDeviceGetDefaultMemPool(&pool, one));
        printf(" %d", cuMemPoolSetAccess(pool, &d, 1));
    }
    at = make(kind);
    DO(cuMemcpyHtoD_v2(at, &three, 4));
    DO(cuCtxSynchronize());
    DO(cuCtxSetCurrent(second));
    prepare(kind, way, at, other);
    if (way == COPIES)
        copies(at, copy);
    else if (way == TOLD)
        told(at);
    else
        use(own, at, 4);
    printf("\n");
}

/* Unlike others: a launch is under way on the one device while the other adds to the same word of the host.
 */
static void both(int number)
{
    enum { ROUNDS = 1000 };
    CUcontext of[2];
    CUfunction bump[2];
    CUmodule own;
    CUdeviceptr at = 0;
    void *params[] = {&at};
    void *host;
    (void)number;
    for (int i = 0; i < 2; i++) {
        DO(cuDevicePrimaryCtxRetain(&of[i], i));
        DO(cuCtxSetCurrent(of[i]));
        DO(cuModuleLoadData(&own, text));
        bump[i] = get(own, "bump");
    }
    DO(cuMemHostAlloc(&host, 4096, CU_MEMHOSTALLOC_PORTABLE));
    *(unsigned *)host = 0;
    at = (CUdeviceptr)(size_t)host;
    for (int i = 0; i < ROUNDS; i++) {
        DO(cuCtxSetCurrent(of[i & 1]));
        DO(cuLaunchKernel(bump[i & 1], 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    }
    for (int i = 0; i < 2; i++) {
        DO(cuCtxSetCurrent(of[i]));
        DO(cuCtxSynchronize());
    }
    printf("both devices at once, without an atomic of the system: at most %d: %s\n", ROUNDS,
           *(unsigned *)host && *(unsigned *)host <= ROUNDS ? "yes" : "no");
}

int main(void)
{
    each_alone(KINDS * WAYS, alone);
    each_alone(1, both);
    return 0;
}
