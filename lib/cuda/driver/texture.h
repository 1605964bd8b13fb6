/*
 * texture.h - what a texture is made of, as CUDA and as the library says it.
 */
#ifndef PX_CUDA_DRIVER_TEXTURE_H
#define PX_CUDA_DRIVER_TEXTURE_H

#include "cuda/driver/driver.h"

struct px_cu_module;

/*
 * For the library: a resource, how it is sampled, and the part of it (`view` may be NULL) that is seen, in a
 * context. config->sampler becomes `sampler`.
 */
CUresult px_cu_texture_describe(const struct px_cu_context *context, const CUDA_RESOURCE_DESC *resource,
                                const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view,
                                ptx_texture_config *config, ptx_sampler_config *sampler);

/* References (texref.c): those of a module are no longer any. */
void px_cu_references_end(struct px_cu_module *module);
/* As programs from before CUDA 3.2 give addresses. */
CUresult px_cu_old_texref_set(unsigned *offset, CUtexref reference, CUdeviceptr_v1 address, unsigned size);
CUresult px_cu_old_texref_set_2d(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR_v1 *descriptor,
                                 CUdeviceptr_v1 address, unsigned pitch);
CUresult px_cu_old_texref_address(CUdeviceptr_v1 *address, CUtexref reference);

#endif
