/*
 * nvml.c - libnvidia-ml.so.1: what tools and frameworks ask about devices before they use one.
 *
 * Everything is asked of the driver interface beside this library, so both tell of the same devices. Every
 * name that NVIDIA's library exports is a row of nvml.def; what has no meaning for a virtual device (power,
 * temperature, links, events) answers NVML_ERROR_NOT_SUPPORTED, and is told once by name where people look
 * (PTXVM_LOG, PTXVM_REPORT).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "cuda/driver/api.h"
#include "cuda/nvml/abi.h"

#define ML_PUBLIC __attribute__((visibility("default")))
#define ML_ANSWER(to, ...) (*(to) = (__VA_ARGS__), NVML_SUCCESS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static unsigned users;
static double used_before, asked_before; /* seconds of the processors, and of the clock */

/* ---- the driver ---- */

static nvmlReturn_t of_driver(CUresult result)
{
    switch (result) {
    case CUDA_SUCCESS: return NVML_SUCCESS;
    case CUDA_ERROR_NOT_INITIALIZED: return NVML_ERROR_DRIVER_NOT_LOADED;
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_DEVICE: return NVML_ERROR_INVALID_ARGUMENT;
    case CUDA_ERROR_NOT_SUPPORTED: return NVML_ERROR_NOT_SUPPORTED;
    default: return NVML_ERROR_UNKNOWN;
    }
}

static bool is_started(void)
{
    pthread_mutex_lock(&lock);
    const bool started = users > 0;
    pthread_mutex_unlock(&lock);
    return started;
}

static int device_count(void)
{
    int count = 0;
    return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

/* The number of a device; false: the handle is none. */
static bool ordinal_of(nvmlDevice_t device, int *ordinal)
{
    *ordinal = (int)(uintptr_t)device - 1;
    return device && *ordinal < device_count();
}

static nvmlReturn_t unsupported(const char *name)
{
    static const CUuuid id = PX_CU_TOOLS_ID;
    const void *table;
    if (cuGetExportTable(&table, &id) == CUDA_SUCCESS) ((const struct px_cu_tools *)table)->unsupported(name);
    return NVML_ERROR_NOT_SUPPORTED;
}

/* ---- answers ---- */

static nvmlReturn_t ml_text(char *to, unsigned length, const char *text)
{
    if (!to) return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(text) >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(to, text);
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_cuda_version(int *version)
{
    return version ? of_driver(cuDriverGetVersion(version)) : NVML_ERROR_INVALID_ARGUMENT;
}

static nvmlReturn_t ml_process_name(unsigned pid, char *name, unsigned length)
{
    char path[64], text[4096];
    if (!name || !length) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    const ssize_t got = readlink(path, text, sizeof text - 1);
    if (got < 0) return NVML_ERROR_NOT_FOUND;
    text[got] = 0;
    return ml_text(name, length, text);
}

static nvmlReturn_t ml_count(unsigned *count)
{
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = (unsigned)device_count();
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_by_index(unsigned index, nvmlDevice_t *device)
{
    if (!device || index >= (unsigned)device_count()) return NVML_ERROR_INVALID_ARGUMENT;
    *device = (nvmlDevice_t)((uintptr_t)index + 1);
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_uuid(int ordinal, char *uuid, unsigned length)
{
    CUuuid id;
    char text[64] = "GPU-";
    size_t used = 4;
    const nvmlReturn_t result = of_driver(cuDeviceGetUuid(&id, ordinal));
    if (result != NVML_SUCCESS) return result;
    for (unsigned i = 0; i < 16; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%02x",
                             i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)id.bytes[i]);
    return ml_text(uuid, length, text);
}

static nvmlReturn_t ml_by_uuid(const char *uuid, nvmlDevice_t *device)
{
    char own[64];
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < device_count(); i++)
        if (ml_uuid(i, own, sizeof own) == NVML_SUCCESS && strcmp(own, uuid) == 0)
            return ml_by_index((unsigned)i, device);
    return NVML_ERROR_NOT_FOUND;
}

static nvmlReturn_t ml_by_bus(const char *id, nvmlDevice_t *device)
{
    CUdevice ordinal;
    if (!id || !device) return NVML_ERROR_INVALID_ARGUMENT;
    if (cuDeviceGetByPCIBusId(&ordinal, id) != CUDA_SUCCESS) return NVML_ERROR_NOT_FOUND;
    return ml_by_index((unsigned)ordinal, device);
}

static nvmlReturn_t ml_name(int ordinal, char *name, unsigned length)
{
    char text[256];
    const nvmlReturn_t result = of_driver(cuDeviceGetName(text, sizeof text, ordinal));
    return result == NVML_SUCCESS ? ml_text(name, length, text) : result;
}

static int attribute(int ordinal, int which)
{
    int value = 0;
    return cuDeviceGetAttribute(&value, (CUdevice_attribute)which, ordinal) == CUDA_SUCCESS ? value : 0;
}

static nvmlReturn_t ml_value(int ordinal, int which, unsigned unit, unsigned *value)
{
    *value = (unsigned)attribute(ordinal, which) / unit;
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_pci(int ordinal, nvmlPciInfo_t *pci)
{
    *pci = (nvmlPciInfo_t){.domain = (unsigned)attribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                           .bus = (unsigned)attribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                           .device = (unsigned)attribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)};
    snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
    snprintf(pci->bus_id_legacy, sizeof pci->bus_id_legacy, "%04X:%02X:%02X.0", pci->domain & 0xffff,
             pci->bus & 0xff, pci->device & 0xff);
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_pci_old(int ordinal, nvmlPciInfo_v1_t *old)
{
    nvmlPciInfo_t pci;
    ml_pci(ordinal, &pci);
    *old = (nvmlPciInfo_v1_t){.domain = pci.domain, .bus = pci.bus, .device = pci.device};
    memcpy(old->bus_id, pci.bus_id_legacy, sizeof old->bus_id);
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_capability(int ordinal, int *major, int *minor)
{
    *major = attribute(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute(ordinal, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return NVML_SUCCESS;
}

/* NVML_DEVICE_ARCH_: Turing 6, Ampere 7, Ada 8, Hopper 9, Blackwell 10. */
static nvmlReturn_t ml_architecture(int ordinal, unsigned *architecture)
{
    int major, minor;
    ml_capability(ordinal, &major, &minor);
    *architecture = major >= 10  ? 10
                    : major == 9 ? 9
                    : major == 8 ? (minor == 9 ? 8 : 7)
                    : major == 7 ? 6
                                 : 0;
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_cores(int ordinal, unsigned *cores)
{
    int major, minor;
    ml_capability(ordinal, &major, &minor);
    const unsigned each = major == 7 || (major == 8 && minor == 0) ? 64 : 128;
    *cores = each * (unsigned)attribute(ordinal, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return NVML_SUCCESS;
}

/* Clock 2 is the memory's, the others are the multiprocessors'. */
static nvmlReturn_t ml_clock(int ordinal, unsigned type, unsigned *megahertz)
{
    if (type > 3) return NVML_ERROR_INVALID_ARGUMENT;
    return ml_value(ordinal, type == 2 ? ML_MEMORY_CLOCK_RATE : CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000,
                    megahertz);
}

/* Of the primary context where it is in use; nobody else's memory is known. */
static nvmlReturn_t ml_memory(int ordinal, nvmlMemory_t *memory)
{
    size_t total = 0, left;
    unsigned flags;
    int active = 0;
    CUcontext context = NULL;
    nvmlReturn_t result = of_driver(cuDeviceTotalMem_v2(&total, ordinal));
    if (result != NVML_SUCCESS) return result;
    left = total;
    if (cuDevicePrimaryCtxGetState(ordinal, &flags, &active) == CUDA_SUCCESS && active &&
        cuDevicePrimaryCtxRetain(&context, ordinal) == CUDA_SUCCESS) {
        if (cuCtxPushCurrent_v2(context) == CUDA_SUCCESS) {
            size_t all;
            if (cuMemGetInfo_v2(&left, &all) != CUDA_SUCCESS) left = total;
            cuCtxPopCurrent_v2(&context);
        }
        cuDevicePrimaryCtxRelease_v2(ordinal);
    }
    *memory = (nvmlMemory_t){total, left, total - left};
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_memory_v2(int ordinal, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t plain;
    const nvmlReturn_t result = ml_memory(ordinal, &plain);
    if (result == NVML_SUCCESS)
        *memory = (nvmlMemory_v2_t){memory->version, plain.total, 0, plain.free, plain.used};
    return result;
}

/* The device is this process's processors: their share that was used since somebody asked last. */
static nvmlReturn_t ml_utilization(nvmlUtilization_t *rates)
{
    struct rusage usage;
    struct timespec time;
    getrusage(RUSAGE_SELF, &usage);
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double used = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    const double now = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
    pthread_mutex_lock(&lock);
    const double span = (now - asked_before) * (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double share = span > 0 ? (used - used_before) / span : 0;
    used_before = used;
    asked_before = now;
    pthread_mutex_unlock(&lock);
    rates->gpu = rates->memory = share > 1 ? 100 : (unsigned)(share * 100);
    return NVML_SUCCESS;
}

/* This process, where it uses the device. */
static nvmlReturn_t ml_processes(int ordinal, unsigned *count, nvmlProcessInfo_t *processes)
{
    nvmlMemory_t memory;
    const unsigned room = *count;
    unsigned flags;
    int active = 0;
    cuDevicePrimaryCtxGetState(ordinal, &flags, &active);
    *count = active ? 1 : 0;
    if (!active) return NVML_SUCCESS;
    if (!room || !processes) return NVML_ERROR_INSUFFICIENT_SIZE;
    ml_memory(ordinal, &memory);
    *processes = (nvmlProcessInfo_t){(unsigned)getpid(), memory.used, ~0u, ~0u};
    return NVML_SUCCESS;
}

static nvmlReturn_t ml_processes_old(int ordinal, unsigned *count, nvmlProcessInfo_v1_t *processes)
{
    nvmlProcessInfo_t one;
    const nvmlReturn_t result = ml_processes(ordinal, count, processes ? &one : NULL);
    if (result == NVML_SUCCESS && *count) *processes = (nvmlProcessInfo_v1_t){one.pid, one.used};
    return result;
}

/* 0: works. 6: does not. */
static nvmlReturn_t ml_peer(int ordinal, nvmlDevice_t other, int index, int *status)
{
    int peer, can = 0;
    if (!ordinal_of(other, &peer) || index < 0 || index > 4) return NVML_ERROR_INVALID_ARGUMENT;
    if (index == 2)
        can = 0; /* NVLink */
    else
        cuDeviceCanAccessPeer(&can, ordinal, peer);
    *status = can ? 0 : 6;
    return NVML_SUCCESS;
}

/* ---- beginning and end ---- */

ML_PUBLIC nvmlReturn_t nvmlInitWithFlags(unsigned flags);
ML_PUBLIC nvmlReturn_t nvmlInit_v2(void);
ML_PUBLIC nvmlReturn_t nvmlInit(void);
ML_PUBLIC nvmlReturn_t nvmlShutdown(void);
ML_PUBLIC const char *nvmlErrorString(nvmlReturn_t result);

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    if (cuInit(0) != CUDA_SUCCESS) return NVML_ERROR_DRIVER_NOT_LOADED;
    pthread_mutex_lock(&lock);
    users++;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlInit(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
    pthread_mutex_lock(&lock);
    const bool started = users > 0;
    users -= started;
    pthread_mutex_unlock(&lock);
    return started ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    static const struct {
        nvmlReturn_t number;
        const char *text;
    } words[] = {{NVML_SUCCESS, "Success"},
                 {NVML_ERROR_UNINITIALIZED, "Uninitialized"},
                 {NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
                 {NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
                 {NVML_ERROR_NOT_FOUND, "Not Found"},
                 {NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
                 {NVML_ERROR_DRIVER_NOT_LOADED, "Driver Not Loaded"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].number == result) return words[i].text;
    return "Unknown Error";
}

/* ---- the rows of nvml.def ---- */

#define ML(name, params, ...)                                                                                \
    ML_PUBLIC nvmlReturn_t name params;                                                                      \
    nvmlReturn_t name params                                                                                 \
    {                                                                                                        \
        return is_started() ? (__VA_ARGS__) : NVML_ERROR_UNINITIALIZED;                                      \
    }
#define DEVICE(name, params, to, ...)                                                                        \
    ML_PUBLIC nvmlReturn_t name params;                                                                      \
    nvmlReturn_t name params                                                                                 \
    {                                                                                                        \
        int ordinal;                                                                                         \
        if (!is_started()) return NVML_ERROR_UNINITIALIZED;                                                  \
        if (!ordinal_of(device, &ordinal) || !(to)) return NVML_ERROR_INVALID_ARGUMENT;                      \
        return __VA_ARGS__;                                                                                  \
    }
#define NONE(name)                                                                                           \
    ML_PUBLIC nvmlReturn_t name(void);                                                                       \
    nvmlReturn_t name(void)                                                                                  \
    {                                                                                                        \
        return is_started() ? unsupported(#name) : NVML_ERROR_UNINITIALIZED;                                 \
    }
#include "cuda/nvml/nvml.def"
