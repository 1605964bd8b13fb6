/*
 * abi.h - NVML's types and numbers, as far as they are answered here.
 */
#ifndef PX_CUDA_NVML_ABI_H
#define PX_CUDA_NVML_ABI_H

typedef int nvmlReturn_t;
typedef struct nvmlDevice_st *nvmlDevice_t; /* the device's number + 1 */

enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_UNINITIALIZED = 1,
    NVML_ERROR_INVALID_ARGUMENT = 2,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NOT_FOUND = 6,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_DRIVER_NOT_LOADED = 9,
    NVML_ERROR_UNKNOWN = 999
};

/* Attributes of devices that the driver interface has by number. */
enum { ML_COMPUTE_MODE = 20, ML_MEMORY_CLOCK_RATE = 36, ML_MEMORY_BUS_WIDTH = 37 };

typedef struct {
    unsigned long long total, free, used; /* bytes */
} nvmlMemory_t;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
    unsigned gpu, memory; /* per cent */
} nvmlUtilization_t;

typedef struct {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} nvmlPciInfo_t;

/* Before release 3 of NVML. */
typedef struct {
    char bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id, reserved[4];
} nvmlPciInfo_v1_t;

typedef struct {
    unsigned pid;
    unsigned long long used; /* bytes */
    unsigned instance, compute_instance;
} nvmlProcessInfo_t;

typedef struct {
    unsigned pid;
    unsigned long long used;
} nvmlProcessInfo_v1_t;

#endif
