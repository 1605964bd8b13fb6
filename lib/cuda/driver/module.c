/*
 * module.c - CUmodule and CUfunction: an image linked for a context, and its kernels.
 */
#include "cuda/driver/module.h"
#include "cuda/driver/texture.h"
#include <stdlib.h>
#include <string.h>

/* ---- modules ---- */

static void destroy_module(void *object)
{
    struct px_cu_module *m = object;
    ptx_program_destroy(m->program);
    px_cu_image_give(m->image);
    pthread_mutex_destroy(&m->lock);
}

/* The message of a device belongs to one thread at a time. */
static CUresult make_program(struct px_cu_context *context, ptx_device *vm, struct px_cu_module *module,
                             struct px_cu_jit *jit)
{
    const ptx_program_options options = {.struct_size = sizeof options};
    pthread_mutex_lock(&context->lock);
    const ptx_status status = ptx_program_create(vm, (const ptx_module *const *)module->image->texts,
                                                 module->image->count, &options, &module->program);
    if (status != PTX_OK && status != PTX_ERROR_FAULT)
        px_cu_jit_say(jit, "ptxas fatal   : %s", ptx_device_message(vm));
    pthread_mutex_unlock(&context->lock);
    return px_cu_result(context, status, NULL);
}

CUresult px_cu_module_make(struct px_cu_context *context, struct px_cu_image *image, struct px_cu_jit *jit,
                           struct px_cu_module **module)
{
    ptx_device *vm;
    PX_CU_TRY(px_cu_vm(context, &vm));
    struct px_cu_module *m = px_cu_new(PX_CU_MODULE, sizeof *m, context, destroy_module);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&m->lock, NULL);
    m->image = px_cu_image_again(image);
    /* An empty image (a program of which nothing is left) has nothing in it, and is none to the library. */
    const CUresult result = image->count ? make_program(context, vm, m, jit) : CUDA_SUCCESS;
    if (result == CUDA_SUCCESS)
        *module = m;
    else
        px_cu_drop(px_cu_handle(m), PX_CU_MODULE);
    return result;
}

static CUresult load(CUmodule *module, const void *data, size_t room, struct px_cu_jit *jit)
{
    struct px_cu_module *m;
    struct px_cu_image *image;
    PX_CU_CURRENT(c);
    if (!module || !data) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = px_cu_image_load(data, room, px_cu_device_arch(c->device), jit, &image);
    if (result == CUDA_SUCCESS) {
        result = px_cu_module_make(c, image, jit, &m);
        px_cu_image_give(image);
    }
    px_cu_jit_end(jit);
    px_cu_flush(c);
    if (result == CUDA_SUCCESS) *module = px_cu_handle(m);
    return result;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                            void **values)
{
    struct px_cu_jit jit;
    PX_CU_TRY(px_cu_ready());
    PX_CU_TRY(px_cu_jit_read(&jit, count, options, values));
    return load(module, image, SIZE_MAX, &jit);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    struct px_cu_jit jit;
    char *data;
    size_t size;
    PX_CU_TRY(px_cu_ready());
    if (!module || !path) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_jit_read(&jit, 0, NULL, NULL));
    PX_CU_TRY(px_cu_file_read(path, &data, &size));
    const CUresult result = load(module, data, size, &jit);
    free(data);
    return result;
}

CUresult cuModuleUnload(CUmodule module)
{
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    if (m->library) return CUDA_ERROR_NOT_PERMITTED; /* it is its library's */
    px_cu_module_end(m);
    return CUDA_SUCCESS;
}

void px_cu_module_end(struct px_cu_module *m)
{
    px_cu_references_end(m);
    pthread_mutex_lock(&m->lock);
    struct px_cu_function *f = m->functions;
    m->functions = NULL;
    pthread_mutex_unlock(&m->lock);
    PX_CU_DROP_LIST(px_cu_function, f, (void)0)
    px_cu_drop(px_cu_handle(m), PX_CU_MODULE);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    PX_CU_TRY(px_cu_ready());
    return PX_CU_ANSWER(mode, px_cu_settings()->eager ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING);
}

/* ---- functions ---- */

static void destroy_function(void *object)
{
    struct px_cu_function *f = object;
    free(f->name);
    free(f->params);
    free(f->old_params);
    px_cu_give(f->module);
}

/* Which text of the image has the kernel, as which. */
static bool find_kernel(const struct px_cu_image *image, const char *name, size_t *text, size_t *kernel)
{
    for (*text = 0; *text < image->count; ++*text)
        for (*kernel = 0; *kernel < ptx_module_kernel_count(image->texts[*text]); ++*kernel) {
            ptx_kernel_info info = {sizeof info};
            if (ptx_module_kernel(image->texts[*text], *kernel, &info) == PTX_OK &&
                strcmp(info.name, name) == 0)
                return true;
        }
    return false;
}

static CUresult read_params(struct px_cu_function *f)
{
    size_t text, kernel;
    ptx_kernel_info info = {sizeof info};
    if (ptx_kernel_info_get(f->kernel, &info) != PTX_OK) return CUDA_ERROR_UNKNOWN;
    f->param_bytes = info.param_bytes;
    f->param_count = info.param_count;
    f->params = calloc(f->param_count + 1, sizeof *f->params);
    if (!f->params) return CUDA_ERROR_OUT_OF_MEMORY;
    if (!find_kernel(f->module->image, f->name, &text, &kernel)) return CUDA_ERROR_NOT_FOUND;
    for (size_t i = 0; i < f->param_count; i++) {
        ptx_param_info p = {sizeof p};
        if (ptx_module_kernel_param(f->module->image->texts[text], kernel, i, &p) != PTX_OK)
            return CUDA_ERROR_UNKNOWN;
        f->params[i] = (struct px_cu_param){p.offset, p.size};
    }
    return CUDA_SUCCESS;
}

/* The module's lock is held. */
static CUresult make_function(struct px_cu_module *m, const char *name, struct px_cu_function **function)
{
    ptx_kernel *kernel;
    const ptx_status status =
        m->program ? ptx_program_kernel(m->program, name, &kernel) : PTX_ERROR_NOT_FOUND;
    if (status != PTX_OK) return px_cu_result(m->head.context, status, NULL);
    struct px_cu_function *f = px_cu_new(PX_CU_FUNCTION, sizeof *f, m->head.context, destroy_function);
    if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
    f->module = px_cu_again(m);
    f->kernel = kernel;
    f->name = strdup(name);
    const CUresult result = f->name ? read_params(f) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        px_cu_drop(px_cu_handle(f), PX_CU_FUNCTION);
        return result;
    }
    f->next = m->functions;
    m->functions = *function = f;
    return CUDA_SUCCESS;
}

CUresult px_cu_module_function(struct px_cu_module *m, const char *name, CUfunction *function)
{
    pthread_mutex_lock(&m->lock);
    struct px_cu_function *f = m->functions;
    while (f && strcmp(f->name, name) != 0) f = f->next;
    const CUresult result = f ? CUDA_SUCCESS : make_function(m, name, &f);
    if (result == CUDA_SUCCESS) *function = px_cu_handle(f);
    pthread_mutex_unlock(&m->lock);
    return result;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    if (!function || !name) return CUDA_ERROR_INVALID_VALUE;
    return px_cu_module_function(m, name, function);
}

static size_t count_kernels(const struct px_cu_module *m)
{
    ptx_kernel *kernel;
    size_t n = 0;
    while (m->program && ptx_program_kernel_at(m->program, n, &kernel) == PTX_OK) n++;
    return n;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    return PX_CU_ANSWER(count, (unsigned)count_kernels(m));
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
    ptx_kernel *kernel;
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    if (!functions) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && m->program; i++) {
        ptx_kernel_info info = {sizeof info};
        if (ptx_program_kernel_at(m->program, i, &kernel) != PTX_OK) break;
        if (ptx_kernel_info_get(kernel, &info) != PTX_OK) return CUDA_ERROR_UNKNOWN;
        PX_CU_TRY(px_cu_module_function(m, info.name, &functions[i]));
    }
    return CUDA_SUCCESS;
}

CUresult px_cu_module_global(struct px_cu_module *m, const char *name, CUdeviceptr *address, size_t *size)
{
    ptx_address at;
    uint64_t bytes;
    const ptx_status status =
        m->program ? ptx_program_variable(m->program, name, &at, &bytes) : PTX_ERROR_NOT_FOUND;
    if (status != PTX_OK) return px_cu_result(m->head.context, status, NULL);
    if (address) *address = at;
    if (size) *size = bytes;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module, const char *name)
{
    PX_CU_TAKE(px_cu_module, m, PX_CU_MODULE, module, CUDA_ERROR_INVALID_HANDLE);
    return name ? px_cu_module_global(m, name, address, size) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return PX_CU_ANSWER(module, px_cu_handle(f->module));
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return PX_CU_ANSWER(name, f->name);
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!offset || index >= f->param_count) return CUDA_ERROR_INVALID_VALUE;
    *offset = f->params[index].offset;
    if (size) *size = f->params[index].size;
    return CUDA_SUCCESS;
}

/* Functions are ready as soon as there is a module. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return PX_CU_ANSWER(state, CU_FUNCTION_LOADING_STATE_LOADED);
}

CUresult cuFuncLoad(CUfunction function)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    return px_cu_function_of(function, &f);
}

/* ---- attributes ---- */

CUresult px_cu_function_value(struct px_cu_function *f, int attribute, int *value)
{
    return ptx_kernel_attribute(f->kernel, attribute, value) == PTX_OK ? CUDA_SUCCESS
                                                                       : CUDA_ERROR_INVALID_VALUE;
}

CUresult px_cu_function_set(struct px_cu_function *f, int attribute, int value)
{
    return px_cu_result(f->head.context, ptx_kernel_attribute_set(f->kernel, attribute, value), NULL);
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return value ? px_cu_function_value(f, (int)attribute, value) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return px_cu_function_set(f, (int)attribute, value);
}

/* Hints about caches and banks: there are none to set. */
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    return (unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE
                                                                        : CUDA_SUCCESS;
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                              size_t shared, unsigned flags)
{
    unsigned n;
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!blocks || threads <= 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(
        px_cu_result(f->head.context, ptx_occupancy_blocks(f->kernel, (unsigned)threads, shared, &n), NULL));
    *blocks = (int)n;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

/* ---- clusters ---- */

static CUresult ask_of_clusters(CUfunction function, const CUlaunchConfig *config, unsigned *clusters,
                                unsigned *largest)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
    if (!config->gridDimX || !config->gridDimY || !config->gridDimZ || !config->blockDimX ||
        !config->blockDimY || !config->blockDimZ)
        return CUDA_ERROR_INVALID_VALUE;
    ptx_launch_config l = {.struct_size = sizeof l,
                           .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                           .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                           .shared_bytes = config->sharedMemBytes};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttributeValue *v = &config->attrs[i].value;
        if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
        if (!v->clusterDim.x || !v->clusterDim.y || !v->clusterDim.z) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        l.cluster[0] = v->clusterDim.x, l.cluster[1] = v->clusterDim.y, l.cluster[2] = v->clusterDim.z;
    }
    const ptx_status status = ptx_occupancy_clusters(f->kernel, &l, clusters, largest);
    return status == PTX_ERROR_LAUNCH ? CUDA_ERROR_INVALID_CLUSTER_SIZE
                                      : px_cu_result(f->head.context, status, NULL);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
    unsigned clusters, largest;
    if (!size) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(ask_of_clusters(function, config, &clusters, &largest));
    *size = (int)largest;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    unsigned n, largest;
    if (!clusters) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(ask_of_clusters(function, config, &n, &largest));
    *clusters = (int)n;
    return CUDA_SUCCESS;
}

/* With a function that tells the shared memory of a block size, sizes are tried from the largest down. */
static CUresult try_shapes(struct px_cu_function *f, CUoccupancyB2DSize shared_of, unsigned most, int *grid,
                           int *block)
{
    int limit = 0, sms = 0, dynamic = 0;
    unsigned best = 0;
    PX_CU_TRY(px_cu_function_value(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &limit));
    PX_CU_TRY(px_cu_device_value(f->head.context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &sms));
    PX_CU_TRY(px_cu_function_value(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &dynamic));
    if (most && most < (unsigned)limit) limit = (int)most;
    for (int threads = limit; threads > 0; threads = threads % 32 ? threads - threads % 32 : threads - 32) {
        unsigned n;
        const size_t shared = shared_of(threads);
        if (shared > (size_t)dynamic) continue; /* more than it may be launched with */
        if (ptx_occupancy_blocks(f->kernel, (unsigned)threads, shared, &n) != PTX_OK) continue;
        if (n * (unsigned)threads <= best) continue;
        best = n * (unsigned)threads;
        *block = threads;
        *grid = (int)n * sms;
    }
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int most,
                                                   unsigned flags)
{
    unsigned g, b;
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!grid || !block || most < 0 || flags > 1) return CUDA_ERROR_INVALID_VALUE;
    *grid = *block = 0;
    if (shared_of) return try_shapes(f, shared_of, (unsigned)most, grid, block);
    PX_CU_TRY(
        px_cu_result(f->head.context, ptx_occupancy_shape(f->kernel, shared, (unsigned)most, &g, &b), NULL));
    *grid = (int)g;
    *block = (int)b;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int most)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, most, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
    uint64_t room;
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_function_of(function, &f));
    if (!bytes || blocks <= 0 || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(px_cu_result(
        f->head.context, ptx_occupancy_shared(f->kernel, (unsigned)blocks, (unsigned)threads, &room), NULL));
    int most;
    PX_CU_TRY(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
    *bytes = room < (uint64_t)most ? room : (uint64_t)most; /* what it may be launched with */
    return CUDA_SUCCESS;
}
