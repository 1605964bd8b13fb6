/*
 * queries.c - what a kernel may ask of the device and of its own errors.
 *
 * Values are those of device-runtime.md, section 11, where an H200 was asked,
 * and follow from the device's configuration elsewhere. An attribute that is
 * not listed is an error, as an unknown one is on the chip.
 */
#include "cdp/state.h"
#include "vm/queue/branch.h"
#include <string.h>

/* Where most results go: an int or a size_t at a generic address. */
static int put32(struct px_call *call, uint64_t to, uint32_t value)
{
    return to && px_call_write(call, to, &value, sizeof value) ? PX_CUDA_OK : PX_CUDA_INVALID_VALUE;
}

/* ---- errors ---- */

enum px_ext cdp_get_last_error(struct px_call *call)
{
    const int error = *call->last_error;
    *call->last_error = 0;
    return cdp_answer_only(call, error);
}

enum px_ext cdp_peek_last_error(struct px_call *call)
{
    return cdp_answer_only(call, *call->last_error);
}

static const char *error_name(uint32_t error, const char **text)
{
    *text = "unrecognized error code";
    switch (error) {
#define PX_CUDA_ERROR(number, runtime, driver, words)                                                        \
    case number:                                                                                             \
        *text = words;                                                                                       \
        return runtime;
#include "gang/cuda_errors.def"
#undef PX_CUDA_ERROR
    default: return *text;
    }
}

/* The device's copy of a constant text; made once and kept. 0 when there is no room. The lock is held. */
static uint64_t device_text(struct ptx_device *device, const char *text)
{
    struct cdp_device *cd = cdp_of_device(device);
    const uint64_t size = strlen(text) + 1;
    if (!cd) return 0;
    uint32_t i = 0;
    while (i < 2 * CDP_ERRORS && cd->strings[i].text && cd->strings[i].text != text) i++;
    if (i == 2 * CDP_ERRORS) return 0;
    if (cd->strings[i].text) return cd->strings[i].va;
    const uint64_t va = px_heap_alloc(&device->buffers, size, 16);
    if (!va) return 0;
    memcpy(px_mem_host(&device->mem, va, size), text, size);
    cd->strings[i].text = text;
    return cd->strings[i].va = va;
}

static enum px_ext give_text(struct px_call *call, const char *text)
{
    struct ptx_device *device = call->grid->device;
    px_sched_lock(&device->sched);
    const uint64_t va = device_text(device, text);
    px_sched_unlock(&device->sched);
    if (!va) return cdp_trap(call, PX_CUDA_OUT_OF_MEMORY, 0, "no device memory for the text of an error");
    cdp_return64(call, va);
    return PX_EXT_DONE;
}

enum px_ext cdp_get_error_string(struct px_call *call)
{
    const char *text;
    error_name(cdp_arg32(call, 0), &text);
    return give_text(call, text);
}

enum px_ext cdp_get_error_name(struct px_call *call)
{
    const char *text;
    return give_text(call, error_name(cdp_arg32(call, 0), &text));
}

/* ---- the device ---- */

enum px_ext cdp_get_device_count(struct px_call *call)
{
    return cdp_answer_only(call, put32(call, cdp_arg64(call, 0), 1));
}

enum px_ext cdp_get_device(struct px_call *call)
{
    return cdp_answer(call, put32(call, cdp_arg64(call, 0), 0));
}

enum px_ext cdp_device_get_cache_config(struct px_call *call)
{
    return cdp_answer(call, put32(call, cdp_arg64(call, 0), 0)); /* no preference */
}

enum px_ext cdp_device_get_shared_config(struct px_call *call)
{
    return cdp_answer(call, put32(call, cdp_arg64(call, 0), 1)); /* banks of four bytes */
}

enum px_ext cdp_runtime_get_version(struct px_call *call)
{
    return cdp_answer(call, put32(call, cdp_arg64(call, 0), 6000));
}

/* cudaDeviceAttr by number; -1 for one that is not known. */
static int64_t attribute(const struct px_arch *a, uint32_t number)
{
    switch (number) {
    case 1:
    case 2:
    case 3: return 1024;      /* threads of a block; its x and y */
    case 4: return 64;        /* its z */
    case 5: return INT32_MAX; /* x of a grid */
    case 6:
    case 7: return UINT16_MAX;
    case 8: return 48 << 10;   /* shared memory of a block without opting in */
    case 9: return 64 << 10;   /* constant memory */
    case 10: return 32;        /* warp */
    case 11: return INT32_MAX; /* pitch */
    case 12:
    case 82: return 64 << 10; /* registers of a block, of a multiprocessor */
    case 16: return a->sm_count;
    case 19:
    case 31:
    case 41: return 1; /* maps host memory; concurrent kernels; one address space */
    case 39: return a->threads_per_sm;
    case 75: return a->sm / 10;
    case 76: return a->sm % 10;
    case 81: return a->shared_per_sm;
    case 97: return a->shared_per_cta;
    case 106: return a->ctas_per_sm;
    default: return -1;
    }
}

enum px_ext cdp_device_get_attribute(struct px_call *call)
{
    const int64_t value = attribute(&call->grid->device->arch, cdp_arg32(call, 8));
    if (cdp_arg32(call, 12)) return cdp_answer(call, CDP_INVALID_DEVICE);
    if (value < 0) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    return cdp_answer(call, put32(call, cdp_arg64(call, 0), (uint32_t)value));
}

static int64_t limit(const struct px_call *call, uint32_t number)
{
    const struct ptx_device *device = call->grid->device;
    switch (number) {
    case 0: return 1024;    /* stack of a thread */
    case 1: return 8650752; /* printf's buffer */
    case 2: return (int64_t)device->heap.bytes;
    case 3: return cdp_is_second(call) ? -1 : CDP_SYNC_DEPTH;
    case 4: return device->config.pending_launches;
    case 5: return 64;       /* L2 fetch granularity */
    case 6: return 11796480; /* persisting L2 */
    default: return -1;
    }
}

enum px_ext cdp_device_get_limit(struct px_call *call)
{
    const int64_t value = limit(call, cdp_arg32(call, 8));
    const uint64_t to = cdp_arg64(call, 0), size = (uint64_t)value;
    if (value < 0) return cdp_answer_only(call, CDP_UNSUPPORTED_LIMIT);
    const bool ok = to && px_call_write(call, to, &size, sizeof size);
    return cdp_answer_only(call, ok ? PX_CUDA_OK : PX_CUDA_INVALID_VALUE);
}

/* ---- conditions of graphs ---- */

/* What is none is nothing to set; on the chip that is undefined. */
enum px_ext cdp_graph_set_conditional(struct px_call *call)
{
    struct ptx_device *device = call->grid->device;
    const uint64_t va = cdp_arg64(call, 0);
    const uint32_t value = cdp_arg32(call, 8);
    px_sched_lock(&device->sched);
    const bool known = px_condition_find(device, va) != NULL;
    px_sched_unlock(&device->sched);
    if (known && px_call_write(call, va, &value, sizeof value)) return PX_EXT_DONE;
    return cdp_trap(call, PX_CUDA_LAUNCH_FAILED, va,
                    "cudaGraphSetConditional: not a condition of a graph of this device");
}

/* ---- kernels ---- */

struct attributes { /* cudaFuncAttributes, as the device runtime fills it */
    uint64_t shared, constant, local;
    uint32_t threads, registers, ptx_version, binary_version;
};

static uint32_t most_threads(const struct px_function *fn)
{
    uint64_t n = 1;
    const uint32_t *limit_of = fn->reqntid[0] ? fn->reqntid : fn->maxntid;
    for (int i = 0; i < 3; i++) n *= limit_of[i] ? limit_of[i] : 1;
    return limit_of[0] && n < 1024 ? (uint32_t)n : 1024;
}

static const struct px_lfunc *kernel_at(const struct px_call *call, uint64_t va)
{
    struct ptx_program *program;
    const struct px_lfunc *f = px_any_function(call->grid, va, &program);
    return f && f->is_entry && f->kind == PX_FUNCTION_CODE ? f : NULL;
}

enum px_ext cdp_func_get_attributes(struct px_call *call)
{
    const uint64_t to = cdp_arg64(call, 0);
    const struct px_lfunc *f = kernel_at(call, cdp_arg64(call, 8));
    if (!to || !f) return cdp_answer(call, PX_CUDA_INVALID_VALUE);
    const ptx_kernel kernel = {.func = f};
    ptx_kernel_info info;
    px_kernel_info(&kernel, &info);
    const struct attributes a = {.shared = f->static_shared,
                                 .local = info.local_bytes,
                                 .threads = most_threads(f->fn),
                                 .registers = 32, /* PTX registers are not the chip's: a plausible number */
                                 .ptx_version = f->module->tree.version,
                                 .binary_version = call->grid->device->arch.sm};
    return cdp_answer(call, px_call_write(call, to, &a, 40) ? PX_CUDA_OK : PX_CUDA_INVALID_VALUE);
}

enum px_ext cdp_occupancy(struct px_call *call)
{
    const struct px_lfunc *f = kernel_at(call, cdp_arg64(call, 8));
    const uint32_t threads = cdp_arg32(call, 16);
    const uint64_t shared = cdp_arg64(call, 24);
    if (!f || !threads || threads > 1024 || shared > UINT32_MAX / 2)
        return cdp_answer_only(call, PX_CUDA_INVALID_VALUE);
    const uint32_t n = px_occupancy(call->grid->device, threads, f->static_shared + (uint32_t)shared);
    return cdp_answer_only(call, put32(call, cdp_arg64(call, 0), n));
}
