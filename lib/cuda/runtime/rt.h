/*
 * rt.h - what the files of libcudart.so share.
 *
 * The runtime keeps little: which host function and variable is which kernel and variable (registry.c), and
 * for each thread its device, its last error and the configurations of launches that are being made
 * (thread.c). All else it asks of the driver, so that a program may use both. Every public function is a row
 * of runtime.def; what needs more than an expression is declared here. Statuses are cudaError_t, whose
 * numbers are the driver's.
 *
 * The folder is compiled once for each release of CUDA whose library it stands for: RT_RELEASE is 11, 12 or
 * 13.
 */
#ifndef PX_CUDA_RUNTIME_RT_H
#define PX_CUDA_RUNTIME_RT_H

#include <stdbool.h>
#include "cuda/runtime/abi.h"

#define RT_PUBLIC __attribute__((visibility("default")))

#define PX_RT_PASTE_(a, b) a##b
#define PX_RT_PASTE(a, b) PX_RT_PASTE_(a, b)
#define PX_RT_PROP PX_RT_PASTE(cudaDeviceProp, RT_RELEASE)

/* Returns from the function with what a call answers, unless that is success. */
#define RT_TRY(call)                                                                                         \
    do {                                                                                                     \
        const cudaError_t error_ = (cudaError_t)(call);                                                      \
        if (error_ != cudaSuccess) return error_;                                                            \
    } while (0)

/* ---- the thread and its context (thread.c) ---- */

/* The driver is initialised. */
cudaError_t px_rt_init(void);
/* ... and the thread has a context: its current one, or the primary one of its device. */
cudaError_t px_rt_ready(void);
/* Keeps an error as the thread's last one, and returns it. */
cudaError_t px_rt_end(cudaError_t error);
/* Tells the report of a call from `from` that answered an error. `kernel`: what it was to launch, or NULL. */
void px_rt_failed(const char *function, cudaError_t error, const char *arguments, const char *kernel,
                  const void *from);
/* cudaErrorNotSupported, told once by name where people look (PTXVM_LOG). */
cudaError_t px_rt_unsupported(const char *name);
/* An image that may be loaded, told before the driver is initialised: PTXVM_ARCH=auto chooses by it. */
void px_rt_image(const void *data);
CUcontext px_rt_context(void);
/* The primary context of a device, made when it is not there yet. */
cudaError_t px_rt_primary(int device, CUcontext *context);

cudaError_t px_rt_device(int device); /* success: there is one of this number */
cudaError_t px_rt_device_count(int *count);
cudaError_t px_rt_device_get(int *device);
cudaError_t px_rt_device_set(int device, bool make_context);
cudaError_t px_rt_device_init(int device, unsigned device_flags, unsigned flags);
cudaError_t px_rt_device_choose_from(const int *devices, int count);
cudaError_t px_rt_device_reset(void);
cudaError_t px_rt_flags_set(unsigned flags);
cudaError_t px_rt_flags_get(unsigned *flags);
cudaError_t px_rt_peer_enable(int peer, unsigned flags);
cudaError_t px_rt_peer_disable(int peer);
CUmemLocation px_rt_location(int device); /* cudaCpuDeviceId (-1): the host */
cudaError_t px_rt_version(int *version);
uint64_t px_rt_entry_flags(uint64_t flags, CUstream own);
cudaError_t px_rt_entry(const char *symbol, void **fn, int version, uint64_t flags, void *found);

/* ---- properties (prop.c) ---- */

cudaError_t px_rt_prop11(struct cudaDeviceProp11 *prop, int device);
cudaError_t px_rt_prop12(struct cudaDeviceProp12 *prop, int device);
cudaError_t px_rt_prop13(struct cudaDeviceProp13 *prop, int device);
cudaError_t px_rt_device_like(int *device, const struct PX_RT_PROP *wanted);

/* ---- what host code registers (registry.c) ---- */

/* The kernel of a host function, loaded; a cudaKernel_t stands for itself. cudaErrorInvalidDeviceFunction (in
 * release 13 cudaErrorInvalidResourceHandle for what is neither), or why its module cannot be loaded. */
cudaError_t px_rt_kernel(const void *function, CUkernel *kernel);
/* The same in the current context. */
cudaError_t px_rt_function(const void *function, CUfunction *result);
/* The host function whose kernel this is in the current context; the handle itself when there is none. */
void *px_rt_host_function(CUfunction function);
/* Address and size (each may be NULL) of a variable in the current context; cudaErrorInvalidSymbol. */
cudaError_t px_rt_symbol(const void *symbol, CUdeviceptr *pointer, size_t *bytes);
/* *symbol becomes the device address of `bytes` bytes from `offset` on; an error when they are not all its.
 */
cudaError_t px_rt_symbol_range(const void **symbol, size_t offset, size_t bytes);

/* A texture or surface reference that host code registered. Its texture's offset is guarded by texture.c. */
struct px_rt_reference {
    const char *name;
    bool surface, normalized; /* integers are read as floats of 0 or -1 to 1 */
    size_t offset;            /* of the linear memory that was bound last */
};
/* What a shadow of a kernel or a variable stands for; NULL: it is none. */
const char *px_rt_shadow(const void *shadow);
/* With its module in the current context; NULL is not stored. cudaErrorInvalidTexture, or ...Surface. */
cudaError_t px_rt_reference(const void *host, bool surface, struct px_rt_reference **reference,
                            CUmodule *module);

/* ---- launches and kernels (launch.c) ---- */

/* What the launch is called in the driver's list of launches, until it is called with NULL (thread.c). */
void px_rt_calling(const char *function);
/* cudaGetExportTable, as somebody at `caller` calls it. */
cudaError_t px_rt_table(const void **table, const CUuuid *id, const void *caller);

cudaError_t px_rt_config_pop(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t px_rt_launch(CUfunction function, dim3 grid, dim3 block, void **args, size_t shared,
                         CUstream stream);
cudaError_t px_rt_launch_by_name(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                 CUstream stream);
cudaError_t px_rt_launch_cooperative(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                     CUstream stream);
cudaError_t px_rt_launch_config(const struct cudaLaunchConfig *config, const void *function, void **args,
                                CUstream own);
cudaError_t px_rt_function_attributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t px_rt_function_set(const void *function, int attribute, int value);
cudaError_t px_rt_function_cache(const void *function, int config);
cudaError_t px_rt_function_banks(const void *function, int config);
cudaError_t px_rt_function_name(const char **name, const void *function);
cudaError_t px_rt_function_param(const void *function, size_t index, size_t *offset, size_t *size);
cudaError_t px_rt_occupancy(int *blocks, const void *function, int threads, size_t shared, unsigned flags);
cudaError_t px_rt_occupancy_shared(size_t *bytes, const void *function, int blocks, int threads);
cudaError_t px_rt_occupancy_clusters(int *clusters, const void *function,
                                     const struct cudaLaunchConfig *config);
cudaError_t px_rt_occupancy_cluster_size(int *size, const void *function,
                                         const struct cudaLaunchConfig *config);

/* ---- memory (memory.c) ---- */

cudaError_t px_rt_malloc(void **pointer, size_t bytes);
cudaError_t px_rt_free(void *pointer); /* NULL: only makes a context, and tells whether it is lost */
cudaError_t px_rt_malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t height);
cudaError_t px_rt_malloc_3d(struct cudaPitchedPtr *pointer, struct cudaExtent extent);
cudaError_t px_rt_malloc_async(void **pointer, size_t bytes, CUmemoryPool pool, CUstream stream);
cudaError_t px_rt_host_alloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t px_rt_managed_alloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t px_rt_pointer(struct cudaPointerAttributes *attributes, const void *pointer);
/* `to` and onwards; `stream` is a default stream, which is waited for, unless `async`. */
cudaError_t px_rt_set(void *to, int value, size_t bytes, CUstream stream, bool async);
cudaError_t px_rt_set_2d(void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream,
                         bool async);
cudaError_t px_rt_set_3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent, CUstream stream,
                         bool async);

/* ---- copies (copy.c) ---- */

cudaError_t px_rt_copy(void *to, const void *from, size_t bytes, int kind, CUstream own);
cudaError_t px_rt_copy_async(void *to, const void *from, size_t bytes, int kind, CUstream stream);
cudaError_t px_rt_copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                 CUstream stream, bool async);
cudaError_t px_rt_copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                   CUstream stream, bool async);
cudaError_t px_rt_copy_peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
                            CUstream stream, bool async);
cudaError_t px_rt_copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                          size_t height, int kind, CUstream stream, bool async);
cudaError_t px_rt_copy_3d(const struct cudaMemcpy3DParms *copy, CUstream stream, bool async);
cudaError_t px_rt_copy_3d_peer(const struct cudaMemcpy3DPeerParms *copy, CUstream stream, bool async);
cudaError_t px_rt_copy_to_array(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, int kind, CUstream stream, bool async);
cudaError_t px_rt_copy_from_array(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                                  size_t height, int kind, CUstream stream, bool async);
cudaError_t px_rt_copy_arrays(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t x, size_t y,
                              size_t width, size_t height, int kind, CUstream stream);
/* Bytes in a line, which goes on in the next row of an array. */
cudaError_t px_rt_copy_line_to_array(CUarray to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                     CUstream stream, bool async);
cudaError_t px_rt_copy_line_from_array(void *to, CUarray from, size_t x, size_t y, size_t bytes, int kind,
                                       CUstream stream, bool async);
cudaError_t px_rt_copy_line_of_arrays(CUarray to, size_t to_x, size_t to_y, CUarray from, size_t x, size_t y,
                                      size_t bytes, int kind, CUstream stream);
/* Between the two descriptions of a copy. */
cudaError_t px_rt_copy_to_driver(const struct cudaMemcpy3DParms *copy, CUDA_MEMCPY3D *driver);
void px_rt_copy_to_runtime(const CUDA_MEMCPY3D *driver, struct cudaMemcpy3DParms *copy);
/* The description of a copy of one row. */
#define px_rt_copy_row(to, from, bytes, copy_kind)                                                           \
    (struct cudaMemcpy3DParms)                                                                               \
    {                                                                                                        \
        .srcPtr = {(void *)(from), (bytes), (bytes), 1}, .dstPtr = {(void *)(to), (bytes), (bytes), 1},      \
        .extent = {(bytes), 1, 1}, .kind = (copy_kind)                                                       \
    }

/* ---- arrays, textures and surfaces (array.c) ---- */

cudaError_t px_rt_array_create(CUarray *array, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags);
cudaError_t px_rt_mipmap_create(CUmipmappedArray *array, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned levels, unsigned flags);
/* Each of the three may be NULL. */
cudaError_t px_rt_array_info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned *flags,
                             CUarray array);
cudaError_t px_rt_array_element(CUarray array, size_t *bytes);
cudaError_t px_rt_texture_create(unsigned long long *object, const struct cudaResourceDesc *resource,
                                 const struct cudaTextureDesc *texture, const void *view, bool newer);
cudaError_t px_rt_texture_resource(struct cudaResourceDesc *resource, unsigned long long object);
cudaError_t px_rt_texture_desc(struct cudaTextureDesc *texture, unsigned long long object, bool newer);
/* The driver's words for channels, and for how a texture of them is read (CU_TRSF_...). */
cudaError_t px_rt_channels(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                           unsigned *channels);
unsigned px_rt_sampling_flags(const struct cudaChannelFormatDesc *desc, bool elements, bool normalized,
                              bool srgb, bool no_trilinear);
cudaError_t px_rt_surface_create(unsigned long long *object, const struct cudaResourceDesc *resource);
cudaError_t px_rt_surface_resource(struct cudaResourceDesc *resource, unsigned long long object);
cudaError_t px_rt_texture_width(size_t *width, const struct cudaChannelFormatDesc *desc, int device);

/* ---- texture and surface references, of release 11 (texture.c) ---- */

cudaError_t px_rt_bind_linear(size_t *offset, const struct textureReference *texture, const void *pointer,
                              const struct cudaChannelFormatDesc *desc, size_t size);
cudaError_t px_rt_bind_rows(size_t *offset, const struct textureReference *texture, const void *pointer,
                            const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            size_t pitch);
cudaError_t px_rt_bind_array(const struct textureReference *texture, CUarray array);
cudaError_t px_rt_bind_mipmap(const struct textureReference *texture, CUmipmappedArray array);
cudaError_t px_rt_bind_surface(const void *surface, CUarray array);
cudaError_t px_rt_unbind(const struct textureReference *texture);
/* cudaErrorInvalidTextureBinding: nothing is bound. */
cudaError_t px_rt_texture_offset(size_t *offset, const struct textureReference *texture);
cudaError_t px_rt_reference_of(const void **told, const void *symbol, bool surface);

/* ---- graphs (graph.c); `exec` NULL: the node itself, else in an instance ---- */

cudaError_t px_rt_graph_add(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, const void *edges,
                            size_t count, struct cudaGraphNodeParams *params);
cudaError_t px_rt_graph_set(CUgraphExec exec, CUgraphNode node, struct cudaGraphNodeParams *params);
cudaError_t px_rt_graph_add_kernel(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                   const struct cudaKernelNodeParams *params);
cudaError_t px_rt_graph_get_kernel(CUgraphNode node, struct cudaKernelNodeParams *params);
cudaError_t px_rt_graph_set_kernel(CUgraphExec exec, CUgraphNode node,
                                   const struct cudaKernelNodeParams *params);
cudaError_t px_rt_graph_add_copy(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                 const struct cudaMemcpy3DParms *copy);
cudaError_t px_rt_graph_get_copy(CUgraphNode node, struct cudaMemcpy3DParms *copy);
cudaError_t px_rt_graph_set_copy(CUgraphExec exec, CUgraphNode node, const struct cudaMemcpy3DParms *copy);

#endif
