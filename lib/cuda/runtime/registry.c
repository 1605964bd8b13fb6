/*
 * registry.c - which host function is which kernel, and which host variable which variable of the device.
 *
 * Host code registers a fat binary, then its kernels and variables by the addresses of their host shadows,
 * before main and whenever a library is opened. Nothing is loaded then: an image becomes a library of the
 * driver when something in it is used first, and keeps why it could not, so that every use says the same. A
 * shadow that several images register (an inline function's) belongs to the one that came last.
 */
#include "cuda/runtime/registry.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

/* A fat binary; its handle in host code is its address. */
struct image {
    const void *wrapper;
    struct managed *managed;
    pthread_mutex_t lock; /* of what follows */
    bool tried;
    CUlibrary library;
    cudaError_t failure; /* of loading it */
};

struct managed {
    struct managed *next;
    void **host; /* where host code finds its address */
    const char *name;
};

/* A kernel or a variable. Names are host code's. */
struct entry {
    struct entry *next; /* of its bucket */
    const void *shadow;
    const char *name;
    struct image *image;
    bool variable, managed;
    struct px_rt_reference reference; /* its name is NULL: it is none */
    _Atomic(CUkernel) kernel;         /* once it was asked for */
    _Atomic(CUfunction) function;     /* of the context that asked last */
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct entry *buckets[BUCKETS]; /* guarded by lock */

static struct entry **bucket_of(const void *shadow)
{
    return &buckets[((uintptr_t)shadow >> 4 ^ (uintptr_t)shadow >> 16) % BUCKETS];
}

static struct entry *find(const void *shadow, bool variable)
{
    pthread_rwlock_rdlock(&lock);
    struct entry *entry = *bucket_of(shadow);
    while (entry && (entry->shadow != shadow || entry->variable != variable)) entry = entry->next;
    pthread_rwlock_unlock(&lock);
    return entry;
}

/* ---- what host code calls before main ---- */

static void add(void **handle, const void *shadow, const char *name, bool variable, bool managed)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (!entry) return; /* its use is an invalid function or symbol then */
    entry->shadow = shadow;
    entry->name = name;
    entry->image = (struct image *)handle;
    entry->variable = variable;
    entry->managed = managed;
    pthread_rwlock_wrlock(&lock);
    struct entry **bucket = bucket_of(shadow);
    entry->next = *bucket;
    *bucket = entry;
    pthread_rwlock_unlock(&lock);
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct image *image = calloc(1, sizeof *image);
    if (!image) return NULL;
    image->wrapper = wrapper;
    pthread_mutex_init(&image->lock, NULL);
    px_rt_image(wrapper);
    return (void **)image;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct image *image = (struct image *)handle;
    if (!image) return;
    pthread_rwlock_wrlock(&lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct entry **at = &buckets[i]; *at;) {
            struct entry *entry = *at;
            if (entry->image != image) {
                at = &entry->next;
                continue;
            }
            *at = entry->next;
            free(entry);
        }
    pthread_rwlock_unlock(&lock);
    if (image->library) cuLibraryUnload(image->library);
    for (struct managed *m = image->managed, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    pthread_mutex_destroy(&image->lock);
    free(image);
}

void __cudaRegisterFunction(void **handle, const char *shadow, char *device_name, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)device_name, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    if (handle) add(handle, shadow, name, false, false);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int external,
                       size_t size, int constant, int global)
{
    (void)device_name, (void)external, (void)size, (void)constant, (void)global;
    if (handle) add(handle, shadow, name, true, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device_name, const char *name, int external,
                              size_t size, int constant, int global)
{
    (void)device_name, (void)external, (void)size, (void)constant, (void)global;
    struct image *image = (struct image *)handle;
    struct managed *managed = image ? malloc(sizeof *managed) : NULL;
    if (!managed) return;
    *managed = (struct managed){image->managed, host, name};
    image->managed = managed;
    add(handle, host, name, true, true);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
    px_rt_unsupported(__func__);
}

#if RT_RELEASE == 11
static void add_reference(void **handle, const void *host, struct px_rt_reference reference)
{
    if (!handle) return;
    add(handle, host, reference.name, true, false);
    struct entry *entry = find(host, true);
    if (entry && entry->image == (struct image *)handle) entry->reference = reference;
}

void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int shape,
                           int normalized, int external)
{
    (void)device, (void)shape, (void)external;
    add_reference(handle, host, (struct px_rt_reference){.name = name, .normalized = normalized != 0});
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int shape,
                           int external)
{
    (void)device, (void)shape, (void)external;
    add_reference(handle, host, (struct px_rt_reference){.name = name, .surface = true});
}
#else
void __cudaRegisterUnifiedTable(void *table)
{
    (void)table;
    px_rt_unsupported(__func__);
}
#endif

/* ---- loading ---- */

static cudaError_t load(struct image *image, CUlibrary *library)
{
    pthread_mutex_lock(&image->lock);
    if (!image->tried) {
        image->failure =
            (cudaError_t)cuLibraryLoadData(&image->library, image->wrapper, NULL, NULL, 0, NULL, NULL, 0);
        image->tried = true;
    }
    const cudaError_t failure = image->failure;
    *library = image->library;
    pthread_mutex_unlock(&image->lock);
    return failure;
}

/* Host code that uses managed variables asks for them here before it reads one. */
char __cudaInitModule(void **handle)
{
    struct image *image = (struct image *)handle;
    CUlibrary library;
    if (!image || !image->managed) return 1;
    if (px_rt_end(px_rt_ready()) != cudaSuccess || px_rt_end(load(image, &library)) != cudaSuccess) return 0;
    for (const struct managed *m = image->managed; m; m = m->next) {
        CUdeviceptr pointer;
        size_t bytes;
        if (px_rt_end((cudaError_t)cuLibraryGetManaged(&pointer, &bytes, library, m->name)) != cudaSuccess)
            return 0;
        if (*m->host == (void *)pointer) continue;
        *m->host = (void *)pointer;
        add(handle, (void *)pointer, m->name, true, true); /* host code's name for the variable is *host */
    }
    return 1;
}

/* ---- looking up ---- */

const char *px_rt_shadow(const void *shadow)
{
    const struct entry *entry = find(shadow, false);
    const char *name;
    if (!entry) entry = find(shadow, true);
    if (entry) return entry->name;
    return cuKernelGetName(&name, (CUkernel)shadow) == CUDA_SUCCESS ? name : NULL;
}

cudaError_t px_rt_kernel(const void *function, CUkernel *kernel)
{
    CUlibrary library;
    const char *name;
    if (!kernel) return cudaErrorInvalidValue;
    struct entry *entry = find(function, false);
    if (!entry) { /* perhaps one already */
        *kernel = (CUkernel)function;
        if (cuKernelGetName(&name, *kernel) == CUDA_SUCCESS) return cudaSuccess;
        return RT_RELEASE >= 13 && function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
    }
    *kernel = entry->kernel;
    if (*kernel) return cudaSuccess;
    *kernel = (CUkernel)function; /* what fails now is told when it is launched */
    RT_TRY(load(entry->image, &library));
    const cudaError_t error = (cudaError_t)cuLibraryGetKernel(kernel, library, entry->name);
    if (error == cudaErrorSymbolNotFound) return cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess) entry->kernel = *kernel;
    return error;
}

cudaError_t px_rt_function(const void *function, CUfunction *result)
{
    CUkernel kernel;
    if (!result) return cudaErrorInvalidValue;
    RT_TRY(px_rt_kernel(function, &kernel));
    RT_TRY(cuKernelGetFunction(result, kernel));
    struct entry *entry = find(function, false);
    if (entry) entry->function = *result;
    return cudaSuccess;
}

void *px_rt_host_function(CUfunction function)
{
    const void *found = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < BUCKETS && !found; i++)
        for (struct entry *entry = buckets[i]; entry && !found; entry = entry->next)
            if (entry->function == function) found = entry->shadow;
    pthread_rwlock_unlock(&lock);
    return found ? (void *)found : (void *)function;
}

cudaError_t px_rt_symbol(const void *symbol, CUdeviceptr *pointer, size_t *bytes)
{
    CUlibrary library;
    CUdeviceptr address;
    size_t size;
    if (!pointer && !bytes) return cudaErrorInvalidValue;
    const struct entry *entry = find(symbol, true);
    if (!entry || entry->reference.name) return cudaErrorInvalidSymbol;
    RT_TRY(load(entry->image, &library));
    const cudaError_t error =
        (cudaError_t)(entry->managed ? cuLibraryGetManaged(&address, &size, library, entry->name)
                                     : cuLibraryGetGlobal(&address, &size, library, entry->name));
    if (error == cudaErrorSymbolNotFound) return cudaErrorInvalidSymbol;
    if (error == cudaSuccess && pointer) *pointer = address;
    if (error == cudaSuccess && bytes) *bytes = size;
    return error;
}

cudaError_t px_rt_reference(const void *host, bool surface, struct px_rt_reference **reference,
                            CUmodule *module)
{
    CUlibrary library;
    struct entry *entry = find(host, true);
    if (!entry || !entry->reference.name || entry->reference.surface != surface)
        return surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
    RT_TRY(load(entry->image, &library));
    *reference = &entry->reference;
    return (cudaError_t)cuLibraryGetModule(module, library);
}

cudaError_t px_rt_symbol_range(const void **symbol, size_t offset, size_t bytes)
{
    CUdeviceptr address;
    size_t size;
    RT_TRY(px_rt_symbol(*symbol, &address, &size));
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    *symbol = (const void *)(address + offset);
    return cudaSuccess;
}
