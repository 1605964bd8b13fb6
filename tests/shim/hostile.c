/*
 * hostile.c - what must not crash, hang or leak: every function with nothing in its arguments (before cuInit,
 * after it, with and without a context), handles that are none or are freed, threads that destroy what others
 * use, a child after fork.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

/* ---- nothing in the arguments ---- */

typedef CUresult (*anything)(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t,
                             size_t, size_t);

struct entry {
    const char *name;
    void (*function)(void);
};

#define CU(name, since, symbol, parameters) {#symbol, (void (*)(void))symbol},
#define VIA(name, since, symbol, parameters, call) CU(name, since, symbol, parameters)
#define NO(name, since, symbol)
static const struct entry entries[] = {
#include "cuda/driver/cuda.def"
};

/* What ends the process's state would end the test. */
static int is_spared(const char *name)
{
    return strstr(name, "PrimaryCtxRe") || strstr(name, "cuCtxDestroy") || strstr(name, "cuCtxDetach") ||
           strstr(name, "cuCtxPopCurrent") || strstr(name, "cuCtxSetCurrent") || strcmp(name, "cuInit") == 0;
}

static void call_all(const char *when)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (is_spared(entries[i].name)) continue;
        if (getenv("HOSTILE_VERBOSE")) fprintf(stderr, "%s %s\n", when, entries[i].name);
        ((anything)entries[i].function)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}

/* ---- handles ---- */

static void freed_handles(void)
{
    CUmodule m, m2;
    CUfunction f;
    CUstream s;
    CUevent e;
    CUgraph g;
    CUgraphExec x;
    CUgraphNode n;
    size_t count = 1;
    MUST(cuModuleLoadData(&m, kernels));
    MUST(cuModuleGetFunction(&f, m, "count"));
    MUST(cuModuleUnload(m));
    CHECK(cuModuleUnload(m) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuModuleGetFunction(&f, m, "count") == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuModuleLoadData(&m2, kernels));
    CHECK(m2 != m); /* the old handle does not become good again */
    MUST(cuModuleUnload(m2));
    MUST(cuStreamCreate(&s, 0));
    MUST(cuStreamDestroy(s));
    CHECK(cuStreamSynchronize(s) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuStreamDestroy(s) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuEventCreate(&e, 0));
    CHECK(cuStreamSynchronize((CUstream)e) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuEventDestroy(e));
    CHECK(cuEventRecord(e, NULL) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuGraphCreate(&g, 0));
    MUST(cuGraphAddEmptyNode(&n, g, NULL, 0));
    MUST(cuGraphInstantiate(&x, g, 0));
    MUST(cuGraphDestroy(g));
    CHECK(cuGraphGetNodes(g, NULL, &count) != CUDA_SUCCESS);
    CHECK(cuGraphDestroyNode(n) != CUDA_SUCCESS);
    MUST(cuGraphLaunch(x, NULL));
    MUST(cuGraphExecDestroy(x));
    CHECK(cuGraphLaunch(x, NULL) != CUDA_SUCCESS);
    for (size_t i = 0; i < 64; i++) { /* numbers that were never handles */
        const size_t wild = (size_t)1 << i;
        CHECK(cuLaunchKernel((CUfunction)wild, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) != CUDA_SUCCESS);
        CHECK(cuModuleUnload((CUmodule)wild) != CUDA_SUCCESS);
        CHECK(cuCtxPushCurrent((CUcontext)wild) != CUDA_SUCCESS);
        if (wild > 2) CHECK(cuStreamSynchronize((CUstream)wild) != CUDA_SUCCESS);
        CHECK(cuMemFree(wild) != CUDA_SUCCESS);
        CHECK(cuArrayDestroy((CUarray)wild) != CUDA_SUCCESS);
        CHECK(cuMipmappedArrayDestroy((CUmipmappedArray)wild) != CUDA_SUCCESS);
        CHECK(cuTexObjectDestroy(wild) != CUDA_SUCCESS);
        CHECK(cuSurfObjectDestroy(wild) != CUDA_SUCCESS);
        CHECK(cuTexRefSetFlags((CUtexref)wild, 0) != CUDA_SUCCESS);
        CHECK(cuSurfRefSetArray((CUsurfref)wild, NULL, 0) != CUDA_SUCCESS);
    }
}

/* ---- descriptions of noise ---- */

static void noise(void *to, size_t size)
{
    static uint64_t state = 88172645463325252u;
    for (unsigned char *at = to; size; size--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *at++ = (unsigned char)state;
    }
}

/* Some fields are made right, so that others are reached. */
static void noisy_textures(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR good = {64, 64, 6, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED};
    CUmipmappedArray m, other;
    CUarray a, level;
    CUdeviceptr p;
    MUST(cuMipmappedArrayCreate(&m, &good, 5));
    MUST(cuMemAlloc(&p, 1 << 16));
    for (unsigned i = 0; i < 20000; i++) {
        CUDA_ARRAY3D_DESCRIPTOR d;
        CUDA_RESOURCE_DESC r;
        CUDA_TEXTURE_DESC t;
        CUDA_RESOURCE_VIEW_DESC v;
        CUtexObject object;
        unsigned bits;
        noise(&d, sizeof d);
        noise(&r, sizeof r);
        noise(&t, sizeof t);
        noise(&v, sizeof v);
        noise(&bits, sizeof bits);
        if (bits & 1) r.flags = 0;
        if (bits & 2) r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, r.res.mipmap.hMipmappedArray = m;
        if (bits & 4) v.width = v.height = 64, v.depth = 6, v.format %= 0x19;
        if (bits & 8) v.firstMipmapLevel %= 8, v.lastMipmapLevel %= 8, v.firstLayer %= 8, v.lastLayer %= 8;
        if (bits & 16) r.res.linear.devPtr = p, r.res.linear.format = CU_AD_FORMAT_FLOAT;
        if (bits & 32)
            for (int k = 0; k < 3; k++) t.addressMode[k] &= 3;
        if (bits & 64) t.filterMode &= 1, t.mipmapFilterMode &= 1, r.resType &= 3;
        if (cuTexObjectCreate(&object, &r, &t, bits & 128 ? &v : NULL) == CUDA_SUCCESS)
            MUST(cuTexObjectDestroy(object));
        d.Width &= bits & 256 ? 63 : ~(size_t)0;
        d.Height &= 63, d.Depth &= 15;
        if (bits & 512) d.Format = CU_AD_FORMAT_HALF, d.NumChannels = 1 + (bits >> 16) % 4, d.Flags &= 15;
        if (cuArray3DCreate(&a, &d) == CUDA_SUCCESS) MUST(cuArrayDestroy(a));
        if (cuMipmappedArrayCreate(&other, &d, bits >> 20) != CUDA_SUCCESS) continue;
        cuMipmappedArrayGetLevel(&level, other, bits % 9);
        MUST(cuMipmappedArrayDestroy(other));
    }
    MUST(cuMemFree(p));
    MUST(cuMipmappedArrayDestroy(m));
}

/* What a context had goes with it, and its handles are none any more. */
static void context_ends(void)
{
    CUcontext c = begin();
    CUmodule m;
    CUstream s;
    CUdeviceptr p;
    CUfunction f;
    MUST(cuModuleLoadData(&m, kernels));
    MUST(cuModuleGetFunction(&f, m, "count"));
    MUST(cuStreamCreate(&s, 0));
    MUST(cuMemAlloc(&p, 64));
    for (int i = 0; i < 1000; i++) MUST(cuLaunchKernel(f, 8, 1, 1, 64, 1, 1, 0, s, NULL, NULL));
    MUST(cuCtxDestroy(c));
    CHECK(cuCtxDestroy(c) != CUDA_SUCCESS);
    c = begin();
    CHECK(cuStreamSynchronize(s) != CUDA_SUCCESS);
    CHECK(cuModuleUnload(m) != CUDA_SUCCESS);
    CHECK(cuMemFree(p) != CUDA_SUCCESS);
    MUST(cuCtxDestroy(c));
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 150 };
static CUcontext shared;
static _Atomic(CUmodule) current;
static _Atomic(CUstream) stream;
static _Atomic(CUarray) image;

static CUarray new_image(void)
{
    const CUDA_ARRAY_DESCRIPTOR d = {16, 16, CU_AD_FORMAT_FLOAT, 1};
    CUarray a;
    MUST(cuArrayCreate(&a, &d));
    return a;
}

/* A texture and a surface of an array that may go at any moment. */
static void use_image(CUarray a)
{
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    const CUDA_TEXTURE_DESC t = {.filterMode = CU_TR_FILTER_MODE_LINEAR};
    CUDA_RESOURCE_DESC told;
    CUtexObject texture;
    CUsurfObject surface;
    if (cuTexObjectCreate(&texture, &r, &t, NULL) == CUDA_SUCCESS) {
        MUST(cuTexObjectGetResourceDesc(&told, texture));
        MUST(cuTexObjectDestroy(texture));
    }
    if (cuSurfObjectCreate(&surface, &r) == CUDA_SUCCESS) MUST(cuSurfObjectDestroy(surface));
}
static atomic_int done;

static void *use(void *unused)
{
    (void)unused;
    MUST(cuCtxSetCurrent(shared));
    while (!atomic_load(&done)) {
        CUfunction f;
        CUdeviceptr p;
        CUevent e;
        if (cuModuleGetFunction(&f, atomic_load(&current), "count") == CUDA_SUCCESS)
            cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, atomic_load(&stream), NULL, NULL);
        MUST(cuMemAlloc(&p, 256));
        MUST(cuEventCreate(&e, 0));
        cuEventRecord(e, atomic_load(&stream));
        use_image(atomic_load(&image));
        MUST(cuMemFree(p));
        MUST(cuEventDestroy(e));
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    CUmodule m;
    CUstream s;
    shared = begin();
    MUST(cuModuleLoadData(&m, kernels));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    atomic_store(&current, m);
    atomic_store(&stream, s);
    atomic_store(&image, new_image());
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread[i], NULL, use, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        CUmodule next;
        CUstream other;
        MUST(cuModuleLoadData(&next, kernels));
        MUST(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
        m = atomic_exchange(&current, next);
        s = atomic_exchange(&stream, other);
        MUST(cuModuleUnload(m));
        MUST(cuStreamDestroy(s));
        MUST(cuArrayDestroy(atomic_exchange(&image, new_image())));
    }
    atomic_store(&done, 1);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    MUST(cuCtxSynchronize());
    MUST(cuCtxDestroy(shared));
}

/* ---- fork ---- */

static void forks(void)
{
    CUcontext c = begin();
    CUdeviceptr p;
    int status;
    MUST(cuMemAlloc(&p, 64));
    const pid_t child = fork();
    if (!child) {
        CUdeviceptr q;
        const int fine = cuMemAlloc(&q, 64) == CUDA_ERROR_NOT_INITIALIZED &&
                         cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                         cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                         cuMemFree(p) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(fine ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    MUST(cuMemFree(p));
    MUST(cuCtxDestroy(c));
}

/* ---- more contexts than there are ranges of addresses ---- */

static void many_contexts(void)
{
    enum { MANY = 80 };
    CUcontext list[MANY];
    CUdeviceptr p;
    int made = 0, served = 0;
    CUdevice d;
    MUST(cuDeviceGet(&d, 0));
    while (made < MANY && cuCtxCreate_v2(&list[made], 0, d) == CUDA_SUCCESS) {
        const CUresult result = cuMemAlloc(&p, 64);
        CHECK(result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY);
        served += result == CUDA_SUCCESS;
        made++;
    }
    CHECK(served >= 16);
    while (made) MUST(cuCtxDestroy(list[--made]));
}

int main(void)
{
    call_all("before");
    CHECK(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
    MUST(cuInit(0));
    call_all("without a context");
    CUcontext c = begin();
    call_all("with a context");
    freed_handles();
    noisy_textures();
    MUST(cuCtxDestroy(c));
    context_ends();
    threads();
    forks();
    many_contexts();
    puts("fine");
    return 0;
}
