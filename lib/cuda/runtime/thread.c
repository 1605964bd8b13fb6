/*
 * thread.c - a thread's device, context and last error.
 *
 * A thread that has no context gets the primary one of its device with its first call that needs one, as in
 * CUDA's runtime; one that the program made current with the driver's functions is used as it is. Primary
 * contexts are retained once a process.
 */
#include <pthread.h>
#include <string.h>
#include "cuda/runtime/errors.h"
#include "cuda/runtime/rt.h"

enum { DEVICES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary[DEVICES];  /* guarded by lock; NULL: not retained */
static int valid[DEVICES], n_valid; /* cudaSetValidDevices; guarded by lock */

static _Thread_local struct {
    int device;
    bool chosen; /* by cudaSetDevice */
    cudaError_t last;
    void *failed; /* the thread's last call, for the report; NULL: it did not fail, or was a launch */
} self;

/* What the driver has for us beside its public functions; NULL: it is another one. */
static const struct px_cu_tools *tools(void)
{
    static const CUuuid id = PX_CU_TOOLS_ID;
    static _Atomic(const struct px_cu_tools *) found;
    const void *table = found;
    if (!table && cuGetExportTable(&table, &id) == CUDA_SUCCESS) found = table;
    return table;
}

cudaError_t px_rt_unsupported(const char *name)
{
    const struct px_cu_tools *t = tools();
    if (t) t->unsupported(name);
    return cudaErrorNotSupported;
}

void px_rt_image(const void *data)
{
    const struct px_cu_tools *t = tools();
    if (t) t->image(data);
}

cudaError_t px_rt_table(const void **table, const CUuuid *id, const void *caller)
{
    const struct px_cu_tools *t = tools();
    if (!t || !table || !id) return (cudaError_t)cuGetExportTable(table, id);
    *table = NULL;
    t->asked(caller);
    return cudaErrorSymbolNotFound;
}

void px_rt_calling(const char *function)
{
    const struct px_cu_tools *t = tools();
    if (t) t->calling(function);
}

cudaError_t px_rt_init(void)
{
    return (cudaError_t)cuInit(0);
}

cudaError_t px_rt_device_count(int *count)
{
    if (!count) return cudaErrorInvalidValue;
    *count = 0;
    RT_TRY(px_rt_init());
    RT_TRY(cuDeviceGetCount(count));
    return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t px_rt_device(int device)
{
    int count;
    RT_TRY(px_rt_device_count(&count));
    return device >= 0 && device < count && device < DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t px_rt_primary(int device, CUcontext *context)
{
    RT_TRY(px_rt_device(device));
    pthread_mutex_lock(&lock);
    cudaError_t error = cudaSuccess;
    if (!primary[device]) error = (cudaError_t)cuDevicePrimaryCtxRetain(&primary[device], device);
    *context = primary[device];
    pthread_mutex_unlock(&lock);
    return error;
}

/* The device of a thread that has chosen none: the first, or the first of cudaSetValidDevices. */
static int preferred(void)
{
    if (self.chosen) return self.device;
    pthread_mutex_lock(&lock);
    const int device = n_valid ? valid[0] : 0;
    pthread_mutex_unlock(&lock);
    return device;
}

static cudaError_t enter(int device)
{
    CUcontext context;
    RT_TRY(px_rt_primary(device, &context));
    return (cudaError_t)cuCtxSetCurrent(context);
}

cudaError_t px_rt_ready(void)
{
    CUcontext context = NULL;
    if (cuCtxGetCurrent(&context) == 0 && context) return cudaSuccess;
    return enter(preferred());
}

CUcontext px_rt_context(void)
{
    CUcontext context = NULL;
    cuCtxGetCurrent(&context);
    return context;
}

/* The device of a primary context, also of one that is lost, or -1. */
static int device_of(CUcontext context)
{
    int device = DEVICES - 1;
    pthread_mutex_lock(&lock);
    while (device >= 0 && primary[device] != context) device--;
    pthread_mutex_unlock(&lock);
    return device;
}

cudaError_t px_rt_device_get(int *device)
{
    CUcontext context = NULL;
    if (!device) return cudaErrorInvalidValue;
    RT_TRY(px_rt_init());
    if (cuCtxGetCurrent(&context) != 0 || !context) {
        *device = preferred();
        return cudaSuccess;
    }
    *device = device_of(context);
    return *device >= 0 ? cudaSuccess : (cudaError_t)cuCtxGetDevice(device);
}

cudaError_t px_rt_device_set(int device, bool make_context)
{
    RT_TRY(px_rt_device(device));
    self.device = device;
    self.chosen = true;
    return make_context ? enter(device) : (cudaError_t)cuCtxSetCurrent(NULL);
}

cudaError_t px_rt_device_init(int device, unsigned device_flags, unsigned flags)
{
    enum { FLAGS_ARE_VALID = 1 }; /* cudaInitDeviceFlagsAreValid */
    CUcontext context;
    RT_TRY(px_rt_device(device));
    if (flags & ~FLAGS_ARE_VALID) return cudaErrorInvalidValue;
    if (flags & FLAGS_ARE_VALID) RT_TRY(cuDevicePrimaryCtxSetFlags_v2(device, device_flags));
    return px_rt_primary(device, &context);
}

cudaError_t px_rt_device_choose_from(const int *devices, int count)
{
    if (count < 0 || count > DEVICES || (count && !devices)) return cudaErrorInvalidValue;
    for (int i = 0; i < count; i++) RT_TRY(px_rt_device(devices[i]));
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) valid[i] = devices[i];
    n_valid = count;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t px_rt_device_reset(void)
{
    int device;
    RT_TRY(px_rt_device_get(&device));
    cuCtxSetCurrent(NULL);
    pthread_mutex_lock(&lock);
    primary[device] = NULL;
    const cudaError_t error = (cudaError_t)cuDevicePrimaryCtxReset_v2(device);
    pthread_mutex_unlock(&lock);
    self.device = device;
    self.chosen = true;
    return error;
}

/* cudaDeviceScheduleAuto and so on are the driver's flags of a context; cudaDeviceMapHost is always on. */
enum { MAP_HOST = 8, FLAGS = 0x9f };

cudaError_t px_rt_flags_set(unsigned flags)
{
    int device;
    if (flags & ~(unsigned)FLAGS) return cudaErrorInvalidValue;
    RT_TRY(px_rt_device_get(&device));
    return (cudaError_t)cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

cudaError_t px_rt_flags_get(unsigned *flags)
{
    int device, active;
    if (!flags) return cudaErrorInvalidValue;
    RT_TRY(px_rt_device_get(&device));
    RT_TRY(cuDevicePrimaryCtxGetState(device, flags, &active));
    *flags |= MAP_HOST;
    return cudaSuccess;
}

cudaError_t px_rt_peer_enable(int peer, unsigned flags)
{
    CUcontext context;
    RT_TRY(px_rt_primary(peer, &context));
    return (cudaError_t)cuCtxEnablePeerAccess(context, flags);
}

cudaError_t px_rt_peer_disable(int peer)
{
    CUcontext context;
    RT_TRY(px_rt_primary(peer, &context));
    return (cudaError_t)cuCtxDisablePeerAccess(context);
}

CUmemLocation px_rt_location(int device)
{
    return (CUmemLocation){device < 0 ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
                           device < 0 ? 0 : device};
}

cudaError_t px_rt_version(int *version)
{
    static const int versions[] = {11080, 12080, 13000};
    if (!version) return cudaErrorInvalidValue;
    *version = versions[RT_RELEASE - 11];
    return cudaSuccess;
}

/* 0 means: as the program was compiled. */
uint64_t px_rt_entry_flags(uint64_t flags, CUstream own)
{
    return flags ? flags : own ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : CU_GET_PROC_ADDRESS_DEFAULT;
}

cudaError_t px_rt_entry(const char *symbol, void **fn, int version, uint64_t flags, void *found)
{
    if (!symbol || !fn) return cudaErrorInvalidValue;
    const cudaError_t error = (cudaError_t)cuGetProcAddress_v2(symbol, fn, version, flags, found);
    return error == cudaErrorSymbolNotFound && found ? cudaSuccess : error; /* *found says why */
}

/* ---- errors ---- */

cudaError_t px_rt_end(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady) self.last = error; /* as measured on an H100 */
    self.failed = NULL;
    return error;
}

/* A launch says what it answers to nobody: who asks for the error behind it wants to know it. Of another call
 * that was answered already, and the program clears what it asked for. */
static bool is_launch(const char *function)
{
    return strncmp(function, "cudaLaunch", 10) == 0 || strncmp(function, "__cuda", 6) == 0;
}

void px_rt_failed(const char *function, cudaError_t error, const char *arguments, const char *kernel,
                  const void *from)
{
    const struct px_cu_tools *t = tools();
    if (!t) return;
    void *failed = t->failed(&(struct px_cu_failure){.function = function,
                                                     .code = error,
                                                     .name = cudaGetErrorName(error),
                                                     .arguments = arguments,
                                                     .kernel = kernel,
                                                     .from = from});
    self.failed = is_launch(function) ? NULL : failed;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t last = self.last;
    self.last = cudaSuccess;
    if (self.failed) tools()->failed_asked(self.failed);
    self.failed = NULL;
    return last;
}

cudaError_t cudaPeekAtLastError(void)
{
    return self.last;
}

static const struct error {
    cudaError_t number;
    const char *name, *text;
} errors[] = {
#define ERROR(number, name, text) {number, #name, text},
#include "cuda/runtime/errors.def"
#undef ERROR
};

static const struct error *error_find(cudaError_t number)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == number) return &errors[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t number)
{
    const struct error *error = error_find(number);
    return error ? error->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t number)
{
    const struct error *error = error_find(number);
    return error ? error->text : "unrecognized error code";
}
