/*
 * ptx_info.h - kernels and devices as CUDA reports them: attributes, occupancy, what a program holds.
 *
 * Attributes have CUDA's numbers (CUdevice_attribute, CUfunction_attribute of the driver API). What follows
 * from the architecture is the device's; everything else is as an H100 answered. Any thread may call.
 */
#ifndef PTX_INFO_H
#define PTX_INFO_H

#include "ptxvm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PTX_ERROR_NOT_FOUND: there is no attribute of this number. */
PTX_API ptx_status ptx_device_attribute(ptx_device *device, int number, int *value);

/* Numbers of CUfunction_attribute: 0 most threads of a block, 1 static shared memory, 2 constants, 3 local
 * memory of a thread, 4 registers (32: those of PTX are not the chip's), 5 the architecture that the PTX is
 * for (80: sm_80), 6 the device's, 7 0, 8 most dynamic shared memory, 9 carve-out, 10 .explicitcluster,
 * 11 to 13 the dimensions of .reqnctapercluster (0: there is none), 14 whether clusters of more than 8 blocks
 * may be launched, 15 how clusters are preferred to be scheduled (nothing follows from it). */
PTX_API ptx_status ptx_kernel_attribute(ptx_kernel *kernel, int number, int *value);
/* 8, 9 and 11 to 15 may be set, within what the device has; 11 to 13 where .reqnctapercluster does not.
 * Launches are held to the device's limit, whatever 8 says.
 */
PTX_API ptx_status ptx_kernel_attribute_set(ptx_kernel *kernel, int number, int value);

/* Blocks of so many threads and bytes of dynamic shared memory that a multiprocessor holds at once (0: none).
 */
PTX_API ptx_status ptx_occupancy_blocks(ptx_kernel *kernel, unsigned threads, uint64_t shared_bytes,
                                        unsigned *blocks);
/*
 * How many of the clusters that the launch or the kernel asks for run at once (0: neither asks), and how many
 * blocks a cluster of this kernel may have. PTX_ERROR_LAUNCH: it could not be launched with such clusters.
 */
PTX_API ptx_status ptx_occupancy_clusters(ptx_kernel *kernel, const ptx_launch_config *config,
                                          unsigned *clusters, unsigned *largest);
/* The largest block, of at most `most` threads (0: any), with which most threads are at work, and how many of
 * them fill the device. Both 0 when no block fits. */
PTX_API ptx_status ptx_occupancy_shape(ptx_kernel *kernel, uint64_t shared_bytes, unsigned most,
                                       unsigned *grid, unsigned *block);
/* Dynamic shared memory that each of `blocks` blocks on a multiprocessor may have; PTX_ERROR_INVALID_ARGUMENT
 * when so many are not held at all. */
PTX_API ptx_status ptx_occupancy_shared(ptx_kernel *kernel, unsigned blocks, unsigned threads,
                                        uint64_t *bytes);

/* The kernels of a program, from 0 on; PTX_ERROR_NOT_FOUND behind the last. ptx_kernel_info_get tells the
 * name. */
PTX_API ptx_status ptx_program_kernel_at(ptx_program *program, size_t index, ptx_kernel **kernel);

typedef struct ptx_variable_info {
    size_t struct_size;
    const char *name; /* lives as long as the program */
    ptx_address address;
    uint64_t size;
    int is_const;
    int is_managed; /* .attribute(.managed): the host is meant to use it at its address, too */
} ptx_variable_info;

/* Module-scope .global and .const variables of a program, likewise. */
PTX_API ptx_status ptx_program_variable_at(ptx_program *program, size_t index, ptx_variable_info *info);

#ifdef __cplusplus
}
#endif
#endif
