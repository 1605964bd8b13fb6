/*
 * prop.c - cudaGetDeviceProperties of every release, from attributes by the table prop.def.
 */
#include <string.h>
#include "cuda/runtime/rt.h"

/* Where an attribute belongs. */
struct field {
    uint16_t offset;
    uint8_t size;  /* 4 or 8 bytes an element */
    uint8_t of[3]; /* attributes of the elements; 0: none */
};

#define ELEMENT_SIZE(type) (sizeof(type) == 8 ? 8 : 4)
#define PROP(type, name, count, ...) {offsetof(PROP_NOW, name), ELEMENT_SIZE(type), {__VA_ARGS__}},

#define PROP_RELEASE 11
#define PROP_NOW struct cudaDeviceProp11
static const struct field fields11[] = {
#include "cuda/runtime/prop.def"
};
#undef PROP_RELEASE
#undef PROP_NOW
#define PROP_RELEASE 12
#define PROP_NOW struct cudaDeviceProp12
static const struct field fields12[] = {
#include "cuda/runtime/prop.def"
};
#undef PROP_RELEASE
#undef PROP_NOW
#define PROP_RELEASE 13
#define PROP_NOW struct cudaDeviceProp13
static const struct field fields13[] = {
#include "cuda/runtime/prop.def"
};

/* What is no attribute stands first in all releases, alike. */
struct head {
    char name[256], uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem;
};
_Static_assert(offsetof(struct cudaDeviceProp13, totalGlobalMem) == offsetof(struct head, totalGlobalMem),
               "the head of cudaDeviceProp");

/* An attribute that the driver does not know is 0. */
static cudaError_t fill(void *prop, size_t size, const struct field *fields, size_t count, int device)
{
    struct head *head = prop;
    RT_TRY(px_rt_device(device));
    if (!prop) return cudaErrorInvalidValue;
    memset(prop, 0, size);
    RT_TRY(cuDeviceGetName(head->name, sizeof head->name, device));
    RT_TRY(cuDeviceTotalMem_v2(&head->totalGlobalMem, device));
    cuDeviceGetUuid_v2((CUuuid *)head->uuid, device);
    for (size_t i = 0; i < count; i++) {
        char *at = (char *)prop + fields[i].offset;
        for (unsigned k = 0; k < sizeof fields->of && fields[i].of[k]; k++, at += fields[i].size) {
            int value = 0;
            if (cuDeviceGetAttribute(&value, fields[i].of[k], device) != 0) value = 0;
            const size_t wide = (size_t)value;
            memcpy(at, fields[i].size == sizeof wide ? (const void *)&wide : &value, fields[i].size);
        }
    }
    return cudaSuccess;
}

#define FILL(release)                                                                                        \
    cudaError_t px_rt_prop##release(struct cudaDeviceProp##release *prop, int device)                        \
    {                                                                                                        \
        return fill(prop, sizeof *prop, fields##release, sizeof fields##release / sizeof *fields##release,   \
                    device);                                                                                 \
    }
FILL(11)
FILL(12)
FILL(13)

/* The device that has most of what is asked for: at least this compute capability, memory, processors. */
cudaError_t px_rt_device_like(int *device, const struct PX_RT_PROP *wanted)
{
    int count, best = -1;
    if (!device || !wanted) return cudaErrorInvalidValue;
    RT_TRY(px_rt_device_count(&count));
    for (int i = 0; i < count; i++) {
        int major = 0, minor = 0, processors = 0;
        size_t memory = 0;
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, i);
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, i);
        cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, i);
        cuDeviceTotalMem_v2(&memory, i);
        const int score = (major > wanted->major || (major == wanted->major && minor >= wanted->minor)) +
                          (memory >= wanted->totalGlobalMem) + (processors >= wanted->multiProcessorCount);
        if (score <= best) continue;
        best = score;
        *device = i;
    }
    return cudaSuccess;
}
