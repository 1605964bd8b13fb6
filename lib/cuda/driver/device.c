/*
 * device.c - devices: how many, and what they say of themselves.
 *
 * Questions are answered by a virtual device that runs nothing and has little memory; contexts have their
 * own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/driver.h"
#include "cuda/driver/image.h"

static struct px_cu_device devices[PX_CU_DEVICES];

struct px_cu_device *px_cu_device(CUdevice ordinal)
{
    return ordinal >= 0 && (unsigned)ordinal < px_cu_settings()->devices ? &devices[ordinal] : NULL;
}

/* The device of a number in `name`; returns from the function when there is none. */
#define DEVICE(name, ordinal)                                                                                \
    PX_CU_TRY(px_cu_ready());                                                                                \
    struct px_cu_device *name = px_cu_device(ordinal);                                                       \
    if (!name) return CUDA_ERROR_INVALID_DEVICE

const char *px_cu_device_arch(const struct px_cu_device *device)
{
    const struct px_cu_settings *s = px_cu_settings();
    return s->arch_auto ? px_cu_image_arch() : s->arch[s->ordinal[device->ordinal]];
}

/* The device's lock is held. */
static CUresult make_info(struct px_cu_device *device)
{
    char error[200] = "";
    const ptx_device_config config = {.struct_size = sizeof config,
                                      .arch = px_cu_device_arch(device),
                                      .workers = 1,
                                      .memory_bytes = 1 << 20,
                                      .heap_bytes = 1 << 16,
                                      .error = error,
                                      .error_bytes = sizeof error};
    if (device->info) return CUDA_SUCCESS;
    const ptx_status status = ptx_device_create(&config, &device->info);
    if (status == PTX_OK) return CUDA_SUCCESS;
    px_cu_say("no device can be made: %s", error);
    return status == PTX_ERROR_OUT_OF_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_DEVICE;
}

/* What this driver has not, whatever the chip had: interchange with other machines, clusters,
 * tensor maps. -1: the chip's answer stands. */
static int own_value(int attribute)
{
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: return 1;
    case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES: return CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: return 0;
    default: return -1;
    }
}

CUresult px_cu_devices_start(void)
{
    const struct px_cu_settings *s = px_cu_settings();
    for (unsigned i = 0; i < PX_CU_DEVICES; i++) {
        devices[i].ordinal = (int)i;
        pthread_mutex_init(&devices[i].lock, NULL);
    }
    /* An architecture that there is not is told at once; the usual one is not looked at before it is used. */
    for (unsigned i = 0; i < s->devices && s->arch_given; i++)
        if (make_info(&devices[i]) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult px_cu_device_value(struct px_cu_device *device, int attribute, int *value)
{
    pthread_mutex_lock(&device->lock);
    const CUresult made = make_info(device);
    pthread_mutex_unlock(&device->lock);
    if (made != CUDA_SUCCESS) return made;
    const int own = own_value(attribute);
    if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
        *value = device->ordinal + 1;
    else if (own >= 0)
        *value = own;
    else if (ptx_device_attribute(device->info, attribute, value) != PTX_OK)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    PX_CU_TRY(px_cu_ready());
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (!px_cu_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    PX_CU_TRY(px_cu_ready());
    return PX_CU_ANSWER(count, (int)px_cu_settings()->devices);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    DEVICE(d, device);
    if (!name || size <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)size, "ptxvm %s", px_cu_device_arch(d));
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    DEVICE(d, device);
    (void)d;
    return PX_CU_ANSWER(bytes, px_cu_settings()->memory);
}

CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device)
{
    size_t all;
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(cuDeviceTotalMem_v2(&all, device));
    *bytes = all > UINT32_MAX ? UINT32_MAX : (unsigned)all;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    DEVICE(d, device);
    return value ? px_cu_device_value(d, (int)attribute, value) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    DEVICE(d, device);
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_device_value(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major));
    return px_cu_device_value(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor);
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device)
{
    DEVICE(d, device);
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    *p = (CUdevprop){0};
    const struct {
        int attribute, *to;
    } wanted[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &p->maxThreadsPerBlock},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &p->maxThreadsDim[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, &p->maxThreadsDim[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, &p->maxThreadsDim[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &p->maxGridSize[0]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 1, &p->maxGridSize[1]},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + 2, &p->maxGridSize[2]},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &p->sharedMemPerBlock},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &p->totalConstantMemory},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, &p->SIMDWidth},
        {CU_DEVICE_ATTRIBUTE_MAX_PITCH, &p->memPitch},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, &p->regsPerBlock},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &p->clockRate},
        {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &p->textureAlign},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        PX_CU_TRY(px_cu_device_value(d, wanted[i].attribute, wanted[i].to));
    return CUDA_SUCCESS;
}

/* "ptxvm", the architecture, and which of the machine's devices it is. */
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    DEVICE(d, device);
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, "ptxvm", 5);
    uuid->bytes[6] = (char)atoi(px_cu_device_arch(d) + 3);
    uuid->bytes[15] = (char)px_cu_settings()->ordinal[d->ordinal];
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device)
{
    DEVICE(d, device);
    if (!text || size <= 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned)d->ordinal + 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text)
{
    unsigned domain = 0, bus, slot, function = 0;
    PX_CU_TRY(px_cu_ready());
    if (!device || !text) return CUDA_ERROR_INVALID_VALUE;
    const bool read = sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3 ||
                      ((domain = 0), sscanf(text, "%x:%x.%x", &bus, &slot, &function)) >= 2;
    if (!read) return CUDA_ERROR_INVALID_VALUE;
    if (domain || slot || function || !px_cu_device((int)bus - 1)) return CUDA_ERROR_INVALID_DEVICE;
    *device = (int)bus - 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    PX_CU_TRY(px_cu_ready());
    if (!can) return CUDA_ERROR_INVALID_VALUE;
    if (!px_cu_device(device) || !px_cu_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
    *can = device != peer;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to)
{
    PX_CU_TRY(px_cu_ready());
    if (!value || attribute < CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ||
        attribute > CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED)
        return CUDA_ERROR_INVALID_VALUE;
    if (!px_cu_device(from) || !px_cu_device(to) || from == to) return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ||
             attribute == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *supported, CUexecAffinityType type, CUdevice device)
{
    DEVICE(d, device);
    (void)d;
    (void)type;
    return PX_CU_ANSWER(supported, 0);
}

/* ---- what only other systems, or other machines, have ---- */

/* Devices have such names where Windows draws with them; elsewhere they are zero. */
CUresult cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device)
{
    PX_CU_TRY(px_cu_ready());
    if (!luid || !mask) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_device(device) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_DEVICE;
}

/* What a link does by itself: all that fits a word, or nothing. */
static CUresult tell_atomics(unsigned *capabilities, const CUatomicOperation *operations, unsigned count,
                             bool native)
{
    const unsigned all = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED |
                         CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 |
                         CU_ATOMIC_CAPABILITY_SCALAR_64;
    if (!capabilities || !operations || !count) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)operations[i] > CU_ATOMIC_OPERATION_FLOAT_MAX) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) capabilities[i] = native ? all : 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const CUatomicOperation *operations,
                                           unsigned count, CUdevice device)
{
    int native;
    PX_CU_TRY(px_cu_ready());
    struct px_cu_device *d = px_cu_device(device);
    if (!d) return CUDA_ERROR_INVALID_DEVICE;
    PX_CU_TRY(px_cu_device_value(d, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, &native));
    return tell_atomics(capabilities, operations, count, native != 0);
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const CUatomicOperation *operations,
                                          unsigned count, CUdevice from, CUdevice to)
{
    int native;
    PX_CU_TRY(cuDeviceGetP2PAttribute(&native, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, from, to));
    return tell_atomics(capabilities, operations, count, native != 0);
}

/* Nobody writes from outside, so nothing is on its way. */
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope)
{
    PX_CU_CURRENT(c);
    const bool known = scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER ||
                       scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES;
    return target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX && known ? CUDA_SUCCESS
                                                                                 : CUDA_ERROR_INVALID_VALUE;
}

/* What is told of a device's memory budget, which no system but Windows has: kept, and never called. */
CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback fn, void *user,
                                           CUasyncCallbackHandle *handle)
{
    (void)user;
    PX_CU_TRY(px_cu_ready());
    if (!px_cu_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (!fn || !handle) return CUDA_ERROR_INVALID_VALUE;
    struct px_cu_object *o = px_cu_new(PX_CU_NOTIFICATION, sizeof *o, NULL, NULL);
    if (!o) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = px_cu_handle(o);
    return CUDA_SUCCESS;
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle)
{
    PX_CU_TRY(px_cu_ready());
    if (!px_cu_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return px_cu_drop(handle, PX_CU_NOTIFICATION) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
