/*
 * launch.h - what launches and kernel nodes of graphs have in common.
 */
#ifndef PX_CUDA_DRIVER_LAUNCH_H
#define PX_CUDA_DRIVER_LAUNCH_H

#include "cuda/driver/module.h"

/* The parameters of a launch, laid out. */
struct px_cu_args {
    unsigned char *bytes, *large;
    _Alignas(16) unsigned char small[4096];
};

/* Those that `params` or `extra` (as cuLaunchKernel has them) give. */
CUresult px_cu_params(const struct px_cu_function *function, void **params, void **extra,
                      struct px_cu_args *args);
void px_cu_args_clean(struct px_cu_args *args);
/* Whether the shape can be launched, as far as it is not the library that knows. */
CUresult px_cu_shape(struct px_cu_function *function, const ptx_launch_config *launch);
/* One attribute of a launch. */
CUresult px_cu_launch_attribute(ptx_launch_config *launch, CUlaunchAttributeID id,
                                const CUlaunchAttributeValue *value);
CUresult px_cu_submit(struct px_cu_function *function, ptx_launch_config *launch, void **params, void **extra,
                      CUstream stream);

/* The runtime's function that launches in this thread from now on; NULL: none. Lists of launches have it. */
void px_cu_calling(const char *function);

#endif
