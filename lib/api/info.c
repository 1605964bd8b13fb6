/*
 * api/info.c - the public functions of ptx_info.h.
 *
 * Numbers are those of CUDA's driver API. The list of device attributes was
 * recorded on an H100 (driver of CUDA 13); what depends on the architecture or
 * on the machine is worked out here.
 */
#include <limits.h>
#include "base/sized.h"
#include "vm/device/device.h"
#include "vm/sched/clustering.h"
#include "ptx_info.h"

enum { FIRST_VARIABLE = PX_FIRST(ptx_variable_info, is_const), REGISTERS = 32, UNIT = 128 };

/* ---- devices ---- */

struct attribute {
    short number;
    int value;
};

static const struct attribute recorded[] = {
    /* clang-format off */
        {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
        {9, 65536}, {10, 32}, {11, 2147483647}, {12, 65536}, {13, 1980000}, {14, 512}, {15, 1}, {17, 0},
        {18, 0}, {19, 1}, {20, 0}, {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384},
        {26, 16384}, {27, 32768}, {28, 32768}, {29, 2048}, {30, 512}, {31, 1}, {32, 1}, {35, 0},
        {36, 2619000}, {37, 5120}, {38, 52428800}, {40, 3}, {41, 1}, {42, 32768}, {43, 2048}, {44, 1},
        {45, 32768}, {46, 32768}, {47, 8192}, {48, 8192}, {49, 32768}, {51, 32}, {52, 32768}, {53, 32768},
        {54, 2046}, {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384}, {60, 16384},
        {61, 32768}, {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768}, {68, 2046},
        {69, 268435456}, {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {77, 32768},
        {78, 1}, {79, 1}, {80, 1}, {82, 65536}, {83, 1}, {84, 0}, {85, 0}, {86, 0}, {87, 2}, {88, 0},
        {89, 1}, {90, 1}, {91, 1}, {92, 0}, {93, 0}, {94, 0}, {95, 1}, {96, 1}, {98, 0}, {99, 1}, {100, 0},
        {101, 0}, {102, 1}, {103, 1}, {104, 0}, {105, 0}, {107, 1}, {108, 32768000}, {109, 134217728},
        {110, 1}, {111, 1024}, {112, 1}, {113, 1}, {114, 1}, {115, 1}, {116, 1}, {117, 1}, {118, 100},
        {119, 9}, {120, 1}, {121, 1}, {122, 1}, {123, 1}, {124, 1}, {125, 1}, {126, 4}, {127, 1}, {128, 1},
        {129, 1}, {130, 0}, {131, -1}, {132, 0}, {133, 0}, {134, 0}, {135, 0}, {136, 0}, {137, 0}, {138, 0},
        {141, 1}, {142, 1}, {143, 0}, {144, 1}, {145, 1}, {146, 0}, {147, 0},
    /* clang-format on */
};

/* False: no such attribute. */
static bool device_attribute(const ptx_device *device, int number, int *value)
{
    const struct px_arch *a = &device->arch;
    switch (number) {
    case 16: *value = a->sm_count; return true;
    case 39: *value = a->threads_per_sm; return true;
    case 75: *value = a->sm / 10; return true;
    case 76: *value = a->sm % 10; return true;
    case 81: *value = (int)a->shared_per_sm; return true;
    case 97: *value = (int)a->shared_per_cta; return true;
    case 106: *value = a->ctas_per_sm; return true;
    case 33: /* PCI bus, device, domain */
    case 34:
    case 50:
    case 139: /* its vendor's numbers */
    case 140: *value = 0; return true;
    case 41: /* one address space */
    case 83: /* managed memory */
    case 89: *value = device->mem.unified || device->mem.host_mode; return true;
    default: break;
    }
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        if (recorded[i].number == number) return *value = recorded[i].value, true;
    return false;
}

PTX_API ptx_status ptx_device_attribute(ptx_device *device, int number, int *value)
{
    if (!device || !value) return PTX_ERROR_INVALID_ARGUMENT;
    return device_attribute(device, number, value) ? PTX_OK : PTX_ERROR_NOT_FOUND;
}

/* ---- kernels ---- */

static unsigned most_threads(const uint32_t limit[3])
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) n *= limit[i] ? limit[i] : 1;
    return limit[0] && n < 1024 ? (unsigned)n : 1024;
}

/* Without asking for more a block has 48 KB, static memory included. */
static int most_dynamic(const ptx_kernel *kernel)
{
    const int room = (48 << 10) - (int)kernel->func->static_shared;
    return kernel->dynamic_set ? kernel->dynamic_bytes : room > 0 ? room : 0;
}

static const struct px_directive *directive_of(const ptx_kernel *kernel, px_word word)
{
    const struct px_func *func = kernel->func->fn->func;
    for (unsigned i = 0; i < func->ndirs; i++)
        if (func->dirs[i].word == word) return &func->dirs[i];
    return NULL;
}

/* In a dimension, by .reqnctapercluster; 0: it asks for none. */
static int required_cluster(const ptx_kernel *kernel, unsigned dimension)
{
    const struct px_directive *d = directive_of(kernel, PX_W_reqnctapercluster);
    if (!d) return 0;
    return dimension < d->n ? (int)d->value[dimension] : 1;
}

enum { FIRST_CLUSTER = 11 /* attribute: blocks of a cluster in x, then y and z */ };

static int cluster_in(const ptx_kernel *kernel, unsigned dimension)
{
    const int required = required_cluster(kernel, dimension);
    return required ? required : (int)kernel->cluster[dimension];
}

PTX_API ptx_status ptx_kernel_attribute(ptx_kernel *kernel, int number, int *value)
{
    ptx_kernel_info info;
    if (!kernel || !value) return PTX_ERROR_INVALID_ARGUMENT;
    px_kernel_info(kernel, &info);
    switch (number) {
    case 0: *value = (int)most_threads(kernel->func->fn->maxntid); break; /* .reqntid is not told here */
    case 1: *value = (int)kernel->func->static_shared; break;
    case 2: *value = (int)kernel->program->linked.const_bytes; break;
    case 3: *value = (int)info.local_bytes; break;
    case 4: *value = REGISTERS; break;
    case 5: *value = kernel->func->module->target.sm; break;
    case 6: *value = kernel->program->device->arch.sm; break;
    case 7: *value = 0; break;
    case 8: *value = most_dynamic(kernel); break;
    case 9: *value = kernel->carveout_set ? kernel->carveout : -1; break;
    case 10: *value = directive_of(kernel, PX_W_explicitcluster) != NULL; break;
    case 11:
    case 12:
    case 13: *value = cluster_in(kernel, (unsigned)number - FIRST_CLUSTER); break;
    case 14: *value = kernel->open; break;
    case 15: *value = kernel->cluster_policy; break;
    default: return PTX_ERROR_NOT_FOUND;
    }
    return PTX_OK;
}

/* What values an attribute may have; false: it cannot be set. */
static bool range_of(const ptx_kernel *kernel, int number, int *least, int *most)
{
    const int room = (int)kernel->program->device->arch.shared_per_cta - (int)kernel->func->static_shared;
    *least = 0;
    switch (number) {
    case 8: *most = room; return true;
    case 9: *least = -1, *most = 100; return true;
    case 11:
    case 12:
    case 13:
        *least = required_cluster(kernel, (unsigned)number - FIRST_CLUSTER);
        *most = *least ? *least : INT_MAX;
        return true;
    case 14: *least = INT_MIN, *most = INT_MAX; return true;
    case 15: *most = 2; return true;
    default: return false;
    }
}

PTX_API ptx_status ptx_kernel_attribute_set(ptx_kernel *kernel, int number, int value)
{
    int least, most;
    if (!kernel || !range_of(kernel, number, &least, &most)) return PTX_ERROR_INVALID_ARGUMENT;
    if (value < least || value > most) return PTX_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&kernel->program->device->lock);
    switch (number) {
    case 8: kernel->dynamic_set = true, kernel->dynamic_bytes = value; break;
    case 9: kernel->carveout_set = true, kernel->carveout = value; break;
    case 11:
    case 12:
    case 13:
        if (!required_cluster(kernel, 0)) kernel->cluster[number - FIRST_CLUSTER] = (unsigned)value;
        break;
    case 14: kernel->open = value; break;
    default: kernel->cluster_policy = value; break;
    }
    pthread_mutex_unlock(&kernel->program->device->lock);
    return PTX_OK;
}

/* ---- occupancy ---- */

static unsigned blocks_of(const ptx_kernel *kernel, unsigned threads, uint64_t shared)
{
    const ptx_device *device = kernel->program->device;
    if (!threads || threads > 1024) return 0;
    if (kernel->func->static_shared + shared > device->arch.shared_per_cta) return 0;
    return px_occupancy(device, threads, kernel->func->static_shared + (uint32_t)shared);
}

PTX_API ptx_status ptx_occupancy_blocks(ptx_kernel *kernel, unsigned threads, uint64_t shared_bytes,
                                        unsigned *blocks)
{
    if (!kernel || !blocks || !threads || shared_bytes > UINT32_MAX) return PTX_ERROR_INVALID_ARGUMENT;
    *blocks = blocks_of(kernel, threads, shared_bytes);
    return PTX_OK;
}

/* Of blocks in clusters a multiprocessor holds no more, as an H100 tells. */
enum { CLUSTERED_MOST = 8, PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

PTX_API ptx_status ptx_occupancy_clusters(ptx_kernel *kernel, const ptx_launch_config *config,
                                          unsigned *clusters, unsigned *largest)
{
    struct px_clustering c;
    if (!kernel || !config || !clusters || !largest) return PTX_ERROR_INVALID_ARGUMENT;
    if (px_clustering_for(kernel, config, &c)) return PTX_ERROR_LAUNCH;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= config->block[i] ? config->block[i] : 1;
    const bool fits = threads <= 1024;
    const unsigned each = fits ? blocks_of(kernel, (unsigned)threads, config->shared_bytes) : 0,
                   held = each < CLUSTERED_MOST ? each : CLUSTERED_MOST;
    const uint32_t blocks = c.shape.x * c.shape.y * c.shape.z;
    *clusters = c.is_explicit ? held * kernel->program->device->arch.sm_count / blocks : 0;
    *largest = !each ? 0 : kernel->open ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
    return PTX_OK;
}

PTX_API ptx_status ptx_occupancy_shape(ptx_kernel *kernel, uint64_t shared_bytes, unsigned most,
                                       unsigned *grid, unsigned *block)
{
    if (!kernel || !grid || !block || shared_bytes > UINT32_MAX) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_function *fn = kernel->func->fn;
    const unsigned own = most_threads(fn->reqntid[0] ? fn->reqntid : fn->maxntid),
                   limit = most && most < own ? most : own;
    unsigned best = 0;
    *grid = *block = 0;
    for (unsigned warps = (limit + 31) / 32; warps; warps--) {
        const unsigned threads = warps * 32 < limit ? warps * 32 : limit;
        const unsigned n = blocks_of(kernel, threads, shared_bytes);
        if (n * threads <= best) continue;
        best = n * threads;
        *block = threads;
        *grid = n * kernel->program->device->arch.sm_count;
    }
    return PTX_OK;
}

PTX_API ptx_status ptx_occupancy_shared(ptx_kernel *kernel, unsigned blocks, unsigned threads,
                                        uint64_t *bytes)
{
    if (!kernel || !bytes || !blocks) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_arch *a = &kernel->program->device->arch;
    if (blocks > blocks_of(kernel, threads, 0)) return PTX_ERROR_INVALID_ARGUMENT;
    uint64_t each = a->shared_per_sm / blocks / UNIT *
                    UNIT; /* as the chip answers: the system's kilobyte is not taken off */
    if (each > a->shared_per_cta) each = a->shared_per_cta;
    *bytes = each - kernel->func->static_shared;
    return PTX_OK;
}

/* ---- programs ---- */

PTX_API ptx_status ptx_program_kernel_at(ptx_program *program, size_t index, ptx_kernel **kernel)
{
    if (!program || !kernel) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_linked *l = &program->linked;
    for (uint32_t i = 0; i < l->nfuncs; i++) {
        if (!l->funcs[i].is_entry || l->funcs[i].kind != PX_FUNCTION_CODE) continue;
        if (!index--) return px_program_kernel_of(program, &l->funcs[i], kernel);
    }
    return PTX_ERROR_NOT_FOUND;
}

PTX_API ptx_status ptx_program_variable_at(ptx_program *program, size_t index, ptx_variable_info *info)
{
    if (!program || !px_can_give(info, FIRST_VARIABLE)) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_linked *l = &program->linked;
    for (uint32_t i = 0; i < l->nvars; i++) {
        const struct px_lvar *v = &l->vars[i];
        if (v->fn || (v->space != PX_SPACE_GLOBAL && v->space != PX_SPACE_CONST) || index--) continue;
        const bool is_const = v->space == PX_SPACE_CONST;
        const ptx_variable_info told = {.name = v->symbol->name->text,
                                        .address = v->address + (is_const ? l->const_base : 0),
                                        .size = v->size,
                                        .is_const = is_const,
                                        .is_managed = px_link_managed(v->symbol)};
        px_give(info, &told, sizeof told, FIRST_VARIABLE);
        return PTX_OK;
    }
    return PTX_ERROR_NOT_FOUND;
}
