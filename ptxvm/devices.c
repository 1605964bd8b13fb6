/* devices.c - ptxvm --devices: what libnvidia-ml.so.1 beside this program tells of the virtual devices. */
#include "devices.h"

#include <dlfcn.h>
#include <stdio.h>
#include "fail.h"

/* NVML's nvmlMemory_t. */
struct memory {
    unsigned long long total, free, used;
};

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fail(EXIT_USAGE, "--devices: %s", dlerror());
    return found;
}

static void print_one(unsigned index)
{
    char name[96] = "", uuid[96] = "";
    struct memory memory = {0};
    unsigned cores = 0;
    int major = 0, minor = 0;
    void *device = NULL;
    int (*by_index)(unsigned, void **), (*text)(void *, char *, unsigned), (*get)(void *, void *);
    int (*capability)(void *, int *, int *);
    *(void **)&by_index = function("nvmlDeviceGetHandleByIndex_v2");
    by_index(index, &device);
    *(void **)&text = function("nvmlDeviceGetName");
    text(device, name, sizeof name);
    *(void **)&text = function("nvmlDeviceGetUUID");
    text(device, uuid, sizeof uuid);
    *(void **)&get = function("nvmlDeviceGetMemoryInfo");
    get(device, &memory);
    *(void **)&get = function("nvmlDeviceGetNumGpuCores");
    get(device, &cores);
    *(void **)&capability = function("nvmlDeviceGetCudaComputeCapability");
    capability(device, &major, &minor);
    printf("%6u  %-16s %2d.%-8d %10llu MiB %8u  %s\n", index, name, major, minor, memory.total >> 20, cores,
           uuid);
}

int devices_print(const char *folder)
{
    char path[4200];
    unsigned count = 0;
    int (*start)(void), (*counted)(unsigned *);
    snprintf(path, sizeof path, "%s/libnvidia-ml.so.1", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(EXIT_USAGE, "--devices: %s", dlerror());
    *(void **)&start = function("nvmlInit_v2");
    *(void **)&counted = function("nvmlDeviceGetCount_v2");
    if (start() != 0 || counted(&count) != 0)
        fail(EXIT_USAGE, "--devices: the virtual devices cannot be had");
    printf("device  name             capability    memory     cores  UUID\n");
    for (unsigned i = 0; i < count; i++) print_one(i);
    return EXIT_FINE;
}
