/*
 * library.c - CUlibrary and CUkernel: images that belong to no context.
 *
 * What is given is read when it is first used (at once with CUDA_MODULE_LOADING=EAGER, or when the caller
 * wants the compiler's log), and linked for a context when a kernel or variable of it is first used there.
 */
#include <stdlib.h>
#include <string.h>
#include "cuda/driver/module.h"
#include "cuda/driver/fatbin.h"

struct px_cu_library {
    struct px_cu_object head;
    pthread_mutex_t lock; /* of what follows */
    const void *data;     /* of a fat binary that is not read yet */
    size_t room;
    char *own; /* `data`, when it is a copy */
    struct px_cu_jit jit;
    struct px_cu_image *images[PX_CU_DEVICES];
    CUresult refused[PX_CU_DEVICES]; /* what its image answers that cannot be read; told once */
    CUmodule *modules; /* one a context where it is used; those that are gone are found by their handle */
    CUcontext *contexts;
    size_t count;
    struct px_cu_kernel *kernels;
};

struct px_cu_kernel {
    struct px_cu_object head;
    struct px_cu_library *library; /* taken */
    struct px_cu_kernel *next;
    char *name;
    CUcontext context;   /* where it was used last, guarded by the library's lock */
    CUfunction function; /* as what */
};

static void destroy_library(void *object)
{
    struct px_cu_library *l = object;
    for (size_t i = 0; i < PX_CU_DEVICES; i++) px_cu_image_give(l->images[i]);
    free(l->own);
    free(l->modules);
    free(l->contexts);
    pthread_mutex_destroy(&l->lock);
}

/* The device whose image is asked for where no context says which. */
static struct px_cu_device *some_device(void)
{
    CUcontext handle = NULL;
    cuCtxGetCurrent(&handle);
    PX_CU_HOLD(px_cu_context, c) = px_cu_take(handle, PX_CU_CONTEXT);
    return c ? c->device : px_cu_device(0);
}

/* The lock is held. */
static CUresult image_for(struct px_cu_library *l, struct px_cu_device *device, struct px_cu_image **image)
{
    struct px_cu_image **own = &l->images[device->ordinal];
    CUresult *refused = &l->refused[device->ordinal];
    if (!*own && *refused == CUDA_SUCCESS) {
        const CUresult result = px_cu_image_load(l->data, l->room, px_cu_device_arch(device), &l->jit, own);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) return result; /* it may be read another time */
        *refused = result;
    }
    *image = *own;
    return *refused;
}

/* The lock is held. */
static CUresult add_module(struct px_cu_library *l, struct px_cu_context *context,
                           struct px_cu_module *module)
{
    CUmodule *modules = realloc(l->modules, (l->count + 1) * sizeof *modules);
    if (modules) l->modules = modules;
    CUcontext *contexts = realloc(l->contexts, (l->count + 1) * sizeof *contexts);
    if (contexts) l->contexts = contexts;
    if (!modules || !contexts) return CUDA_ERROR_OUT_OF_MEMORY;
    modules[l->count] = px_cu_handle(module);
    contexts[l->count++] = px_cu_handle(context);
    return CUDA_SUCCESS;
}

/* The library in a context; the module is taken. The lock is held. */
static CUresult module_in(struct px_cu_library *l, struct px_cu_context *context,
                          struct px_cu_module **module)
{
    struct px_cu_image *image;
    struct px_cu_module *made;
    const CUcontext handle = px_cu_handle(context);
    for (size_t i = 0; i < l->count; i++)
        if (l->contexts[i] == handle && (*module = px_cu_take(l->modules[i], PX_CU_MODULE)))
            return CUDA_SUCCESS;
    PX_CU_TRY(image_for(l, context->device, &image));
    PX_CU_TRY(px_cu_module_make(context, image, &l->jit, &made));
    made->library = true;
    const CUresult added = add_module(l, context, made);
    if (added == CUDA_SUCCESS)
        *module = px_cu_again(made);
    else
        px_cu_drop(px_cu_handle(made), PX_CU_MODULE);
    return added;
}

static CUresult module_now(struct px_cu_library *l, struct px_cu_module **module)
{
    PX_CU_CURRENT(c);
    pthread_mutex_lock(&l->lock);
    const CUresult result = module_in(l, c, module);
    pthread_mutex_unlock(&l->lock);
    return result;
}

/* ---- loading ---- */

/* Bytes of what the loader is given that have to be copied, since the program may free them. What a wrapper
 * points to is a part of the program and stays. */
static size_t copied_size(const void *data)
{
    const char *text = data;
    uint32_t magic = 0;
    uint64_t size;
    uint16_t head;
    for (size_t i = 0; i < sizeof magic && text[i]; i++) memcpy(&magic, text, i + 1);
    if (magic == PX_FATBIN_WRAPPER_MAGIC) return 0;
    if (memcmp(&magic, "\177ELF", 4) == 0) return px_cu_image_elf(data, SIZE_MAX);
    if (magic != PX_FATBIN_MAGIC) return strlen(text) + 1;
    memcpy(&head, text + 6, sizeof head);
    memcpy(&size, text + 8, sizeof size);
    return size > SIZE_MAX - head ? 0 : head + size;
}

/* Whether it can be read later: nobody waits for logs. */
static bool is_later(const struct px_cu_jit *jit)
{
    return !px_cu_settings()->eager && !jit->info && !jit->error;
}

static CUresult prepare(struct px_cu_library *l, const void *data, size_t room, bool preserved)
{
    struct px_cu_image *image;
    l->data = data;
    l->room = room;
    if (!is_later(&l->jit)) {
        const CUresult result = image_for(l, some_device(), &image);
        const bool asked = l->jit.info || l->jit.error;
        if (result != CUDA_SUCCESS && (asked || result == CUDA_ERROR_OUT_OF_MEMORY)) return result;
        if (px_cu_settings()->devices == 1) return CUDA_SUCCESS; /* it will not be read again */
    }
    const size_t size = room != SIZE_MAX ? room : preserved ? 0 : copied_size(data);
    if (!size) return CUDA_SUCCESS;
    l->own = malloc(size + 1);
    if (!l->own) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(l->own, data, size);
    l->own[size] = 0;
    l->data = l->own;
    return CUDA_SUCCESS;
}

static CUresult load(CUlibrary *library, const void *data, size_t room, const struct px_cu_jit *jit,
                     bool preserved)
{
    struct px_cu_library *l = px_cu_new(PX_CU_LIBRARY, sizeof *l, NULL, destroy_library);
    if (!l) return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_init(&l->lock, NULL);
    l->jit = *jit;
    const CUresult result = prepare(l, data, room, preserved);
    px_cu_jit_end(&l->jit);
    l->jit = (struct px_cu_jit){.fmad = jit->fmad}; /* buffers and options are the caller's again */
    if (result == CUDA_SUCCESS)
        *library = px_cu_handle(l);
    else
        px_cu_drop(px_cu_handle(l), PX_CU_LIBRARY);
    return result;
}

/* CUlibraryOption: only CU_LIBRARY_BINARY_IS_PRESERVED says something here. */
static CUresult read_options(const CUlibraryOption *options, void **values, unsigned count, bool *preserved)
{
    *preserved = false;
    if (count && !options) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
        if (options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
            return px_cu_unsupported("CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE");
        *preserved = !values || values[i];
    }
    return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
                           unsigned jit_count, CUlibraryOption *options, void **values, unsigned count)
{
    struct px_cu_jit jit;
    bool preserved;
    PX_CU_TRY(px_cu_ready());
    if (!library || !code) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(read_options(options, values, count, &preserved));
    PX_CU_TRY(px_cu_jit_read(&jit, jit_count, jit_options, jit_values));
    return load(library, code, SIZE_MAX, &jit, preserved);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options,
                               void **jit_values, unsigned jit_count, CUlibraryOption *options, void **values,
                               unsigned count)
{
    struct px_cu_jit jit;
    bool preserved;
    char *data;
    size_t size;
    PX_CU_TRY(px_cu_ready());
    if (!library || !path) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(read_options(options, values, count, &preserved));
    PX_CU_TRY(px_cu_jit_read(&jit, jit_count, jit_options, jit_values));
    PX_CU_TRY(px_cu_file_read(path, &data, &size));
    const CUresult result = load(library, data, size, &jit, false);
    free(data);
    return result;
}

CUresult cuLibraryUnload(CUlibrary library)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < l->count; i++) {
        struct px_cu_module *m = px_cu_take(l->modules[i], PX_CU_MODULE);
        if (m) px_cu_module_end(m);
        px_cu_give(m);
    }
    l->count = 0;
    struct px_cu_kernel *k = l->kernels;
    l->kernels = NULL;
    pthread_mutex_unlock(&l->lock);
    PX_CU_DROP_LIST(px_cu_kernel, k, (void)0)
    px_cu_drop(library, PX_CU_LIBRARY);
    return CUDA_SUCCESS;
}

/* ---- what is in a library ---- */

/* The i-th kernel of the image; false: there are fewer. */
static bool kernel_at(const struct px_cu_image *image, size_t index, ptx_kernel_info *info)
{
    for (size_t i = 0; i < image->count; i++) {
        const size_t n = ptx_module_kernel_count(image->texts[i]);
        if (index < n) return ptx_module_kernel(image->texts[i], index, info) == PTX_OK;
        index -= n;
    }
    return false;
}

static void destroy_kernel(void *object)
{
    struct px_cu_kernel *k = object;
    free(k->name);
    px_cu_give(k->library);
}

/* The lock is held. */
static CUresult kernel_of(struct px_cu_library *l, const char *name, CUkernel *kernel)
{
    struct px_cu_image *image;
    struct px_cu_kernel *k = l->kernels;
    ptx_kernel_info info = {sizeof info};
    size_t index = 0;
    while (k && strcmp(k->name, name) != 0) k = k->next;
    if (!k) {
        PX_CU_TRY(image_for(l, some_device(), &image));
        while (kernel_at(image, index, &info) && strcmp(info.name, name) != 0) index++;
        if (!kernel_at(image, index, &info)) return CUDA_ERROR_NOT_FOUND;
        k = px_cu_new(PX_CU_KERNEL, sizeof *k, NULL, destroy_kernel);
        if (!k) return CUDA_ERROR_OUT_OF_MEMORY;
        k->library = px_cu_again(l);
        k->name = strdup(name);
        if (!k->name) {
            px_cu_drop(px_cu_handle(k), PX_CU_KERNEL);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        k->next = l->kernels;
        l->kernels = k;
    }
    *kernel = px_cu_handle(k);
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    if (!kernel || !name) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&l->lock);
    const CUresult result = kernel_of(l, name, kernel);
    pthread_mutex_unlock(&l->lock);
    return result;
}

static CUresult enumerate(struct px_cu_library *l, CUkernel *kernels, unsigned *count)
{
    struct px_cu_image *image;
    ptx_kernel_info info = {sizeof info};
    unsigned n = 0;
    PX_CU_TRY(image_for(l, some_device(), &image));
    for (; kernel_at(image, n, &info); n++) {
        if (kernels && n < *count) PX_CU_TRY(kernel_of(l, info.name, &kernels[n]));
        info = (ptx_kernel_info){sizeof info};
    }
    if (!kernels) *count = n;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&l->lock);
    const CUresult result = enumerate(l, NULL, count);
    pthread_mutex_unlock(&l->lock);
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_OUT_OF_MEMORY) return result;
    *count = 0; /* an image that cannot be read has none; who asks for a kernel is told */
    return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    if (!kernels || !count) return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&l->lock);
    const CUresult result = enumerate(l, kernels, &count);
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_HOLD(px_cu_module, m) = NULL;
    if (!module) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(module_now(l, &m));
    *module = px_cu_handle(m);
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_HOLD(px_cu_module, m) = NULL;
    if (!name || (!address && !size)) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(module_now(l, &m));
    return px_cu_module_global(m, name, address, size);
}

/* A managed variable has one address on both sides, as all memory here has. */
/* No device here has CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, so no function is one. */
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *name)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    return function && name ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *size, CUlibrary library, const char *name)
{
    PX_CU_TAKE(px_cu_library, l, PX_CU_LIBRARY, library, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_HOLD(px_cu_module, m) = NULL;
    ptx_variable_info info = {sizeof info};
    if (!name || (!address && !size)) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(module_now(l, &m));
    for (size_t i = 0; m->program && ptx_program_variable_at(m->program, i, &info) == PTX_OK; i++) {
        if (!info.is_managed || strcmp(info.name, name) != 0) continue;
        if (address) *address = info.address;
        if (size) *size = info.size;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- kernels ---- */

/* The kernel in a context. */
static CUresult function_in(struct px_cu_kernel *k, struct px_cu_context *context,
                            struct px_cu_function **function)
{
    struct px_cu_library *l = k->library;
    PX_CU_HOLD(px_cu_module, m) = NULL;
    const CUcontext handle = px_cu_handle(context);
    pthread_mutex_lock(&l->lock);
    *function = k->context == handle ? px_cu_take(k->function, PX_CU_FUNCTION) : NULL;
    CUresult result = CUDA_SUCCESS;
    if (!*function) {
        result = module_in(l, context, &m);
        if (result == CUDA_SUCCESS) result = px_cu_module_function(m, k->name, &k->function);
        if (result == CUDA_SUCCESS) {
            k->context = handle;
            *function = px_cu_take(k->function, PX_CU_FUNCTION);
            if (!*function) result = CUDA_ERROR_INVALID_HANDLE;
        }
    }
    pthread_mutex_unlock(&l->lock);
    return result;
}

CUresult px_cu_function_of(const void *handle, struct px_cu_function **function)
{
    PX_CU_TRY(px_cu_ready());
    if (px_cu_kind_of(handle) != PX_CU_KERNEL) {
        *function = px_cu_take(handle, PX_CU_FUNCTION);
        return *function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    }
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, handle, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_CURRENT(c);
    return function_in(k, c, function);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, kernel, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_HOLD(px_cu_function, f) = NULL;
    if (function) PX_CU_TRY(px_cu_function_of(kernel, &f));
    return PX_CU_ANSWER(function, px_cu_handle(f));
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, kernel, CUDA_ERROR_INVALID_HANDLE);
    return PX_CU_ANSWER(library, px_cu_handle(k->library));
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, kernel, CUDA_ERROR_INVALID_HANDLE);
    return PX_CU_ANSWER(name, k->name);
}

/* The kernel on a device: in the context that is in use there. */
static CUresult function_on(CUkernel kernel, CUdevice device, struct px_cu_function **function)
{
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, kernel, CUDA_ERROR_INVALID_HANDLE);
    PX_CU_HOLD(px_cu_context, c) = NULL;
    PX_CU_TRY(px_cu_context_on(device, &c));
    return function_in(k, c, function);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
    return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_ready());
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    PX_CU_TRY(function_on(kernel, device, &f));
    return px_cu_function_value(f, (int)attribute, value);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
    PX_CU_HOLD(px_cu_function, f) = NULL;
    PX_CU_TRY(px_cu_ready());
    PX_CU_TRY(function_on(kernel, device, &f));
    return px_cu_function_set(f, (int)attribute, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
    PX_CU_TAKE(px_cu_kernel, k, PX_CU_KERNEL, kernel, CUDA_ERROR_INVALID_HANDLE);
    if (!px_cu_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return (unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
