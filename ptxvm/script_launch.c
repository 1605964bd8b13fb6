/* script_launch.c - launches of a run file: parameters from arguments, streams, and how they end. */
#include "script.h"

#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "gen/run_parser.h"
#include "ptx_info.h"

enum { NON_PORTABLE_CLUSTERS = 14 /* the driver's number: clusters of 16 blocks, too */ };

/* ---- parameters ---- */

/* The address of a buffer or variable, or of its element; the handle of a texture or surface. */
static uint64_t address_of(struct script *s, const struct node *operand)
{
    size_t from, count;
    const struct buffer *b = script_buffer(s, operand);
    if (b->texture) return b->texture->handle;
    script_extent(s, operand, &b->after, &from, &count);
    return b->address + from * b->after.type->size;
}

static bool is_data(const struct node *node)
{
    return node->kind == N_NAME && node->symbol->kind != SYMBOL_NUMBER;
}

static const struct element_type *param_type(const ptx_param_info *info)
{
    return element_type_find(info->type, strlen(info->type));
}

/* A member of a structure at or behind `offset`: where the next may begin. */
static size_t bind_member(struct script *s, const struct node *m, unsigned char *to, size_t offset,
                          size_t size)
{
    const bool zeros = m->kind == N_MEMBER && m->size == 5 && memcmp(s->text + m->at, "zeros", 5) == 0;
    if (zeros) {
        const size_t n = script_whole(s, m->kid[0], 1, size, "a number of bytes");
        if (n > size - offset) script_fail(s, m, "", "the members need more than its %zu bytes", size);
        memset(to + offset, 0, n);
        return offset + n;
    }
    const struct element_type *type =
        m->kind == N_MEMBER ? element_type_find(s->text + m->at, m->size) : NULL;
    if (m->kind == N_MEMBER && !type)
        script_fail(s, m, "a member is TYPE NUMBER, a buffer, or 'zeros BYTES'", "'%.*s' is no type",
                    (int)m->size, s->text + m->at);
    const size_t width = type ? type->size : 8, at = (offset + width - 1) / width * width;
    if (at + width > size) script_fail(s, m, "", "the members need more than its %zu bytes", size);
    if (type) {
        script_store_node(s, m->kid[0], type, to + at);
    } else {
        const uint64_t address = address_of(s, m->kind == N_ADDRESS ? m->kid[0] : m);
        memcpy(to + at, &address, sizeof address);
    }
    return at + width;
}

static void bind_members(struct script *s, const struct node *list, const ptx_param_info *info,
                         unsigned char *to)
{
    size_t offset = 0;
    for (const struct node *m = list->kid[0]; m; m = m->next)
        offset = bind_member(s, m, to, offset, info->size);
    if ((offset + 7) / 8 * 8 < info->size)
        script_fail(s, list, "'zeros BYTES' fills what nothing needs to be said of",
                    "the members need %zu bytes, %s has %zu", offset, info->name, info->size);
}

static void bind(struct script *s, const struct node *value, const ptx_param_info *info, unsigned char *to)
{
    const struct element_type *type = param_type(info);
    if (value->kind == N_MEMBERS) {
        bind_members(s, value, info, to);
        return;
    }
    if (value->kind == N_ADDRESS || is_data(value)) {
        const uint64_t address = address_of(s, value->kind == N_ADDRESS ? value->kid[0] : value);
        if (info->size != sizeof address)
            script_fail(s, value, "", "%s has %zu bytes, which is no pointer", info->name, info->size);
        memcpy(to, &address, sizeof address);
        return;
    }
    if (info->count != 1 || !type)
        script_fail(s, value, "give its members: {f32 1.5, a, zeros 8}", "%s is .%s[%zu]", info->name,
                    info->type, info->count);
    script_store_node(s, value, type, to);
}

static void bind_all(struct script *s, const struct node *launch, unsigned char *params)
{
    unsigned at = 0;
    for (const struct node *a = launch->kid[1]; a; a = a->next) {
        const ptx_param_info info = kernel_param(launch->kernel, (size_t)launch->params[at++]);
        bind(s, a->kind == N_NAMED ? a->kid[0] : a, &info, params + info.offset);
    }
}

/* ---- the launch ---- */

static void dims(struct script *s, const struct node *list, unsigned *to)
{
    unsigned n = 0;
    for (const struct node *d = list; d; d = d->next) {
        if (n == 3) script_fail(s, d, "", "a shape has three dimensions");
        to[n++] = (unsigned)script_whole(s, d, 0, UINT32_MAX, "a dimension");
    }
    while (n < 3) to[n++] = 1;
}

/* A fault that was wanted, or none that was. */
static void judge(struct script *s, const struct node *wanted, ptx_launch launch)
{
    ptx_fault fault = {.struct_size = sizeof fault};
    const ptx_status status = ptx_launch_wait(s->device, launch, &fault);
    const int code = (int)script_whole(s, wanted->kid[0], 1, 1000, "an error of CUDA");
    if (status == PTX_ERROR_FAULT && fault.cuda_error == code) return;
    char *message = status == PTX_OK
                        ? must_print("the kernel ended well, and fault %d is expected", code)
                        : must_print("%s (%d): %s; fault %d is expected", fault.name ? fault.name : "",
                                     fault.cuda_error, fault.message ? fault.message : "", code);
    script_show(s, wanted, "error", message);
    free(message);
    s->code = EXIT_EXPECTATION;
}

static const char *launch_name(struct script *s, const struct node *node)
{
    return must_print("%s:%u", s->file, script_line(s, node)); /* lives as long as the device */
}

static ptx_launch_config config_of(struct script *s, const struct node *node, const struct node **faults)
{
    const struct node *shape = node->kid[0];
    ptx_launch_config config = {.struct_size = sizeof config, .api = launch_name(s, node)};
    dims(s, shape->kid[0]->kid[0], config.grid);
    dims(s, shape->kid[1]->kid[0], config.block);
    if (shape->kid[2])
        config.shared_bytes =
            (unsigned)script_whole(s, shape->kid[2], 0, UINT32_MAX, "dynamic shared memory");
    for (const struct node *o = node->kid[2]; o; o = o->next) {
        if (o->kind == N_COOPERATIVE) config.cooperative = 1;
        if (o->kind == N_CLUSTER) dims(s, o->kid[0], config.cluster);
        if (o->kind == N_FAULTS) *faults = o;
    }
    return config;
}

static void refuse(struct script *s, const struct node *node, ptx_status status, const ptx_fault *fault)
{
    s->outcome =
        (struct outcome){.status = status, .fault = *fault, .message = ptx_device_message(s->device)};
    const char *why = fault->message && *fault->message ? fault->message : s->outcome.message;
    script_show(s, node, "error", *why ? why : ptx_status_name(status));
    if (status == PTX_ERROR_UNSUPPORTED) report_refusal(&s->outcome, s->modules);
    exit(machine_exit_code(status, fault));
}

void script_launch(struct script *s, const struct node *node)
{
    const struct node *faults = NULL, *stream = node->kid[0]->kid[3];
    ptx_fault fault = {.struct_size = sizeof fault};
    ptx_launch launch;
    ptx_kernel *kernel;
    ptx_launch_config config = config_of(s, node, &faults);
    unsigned char *params = must_alloc(node->kernel->info.param_bytes + 16);
    bind_all(s, node, params);
    config.params = params;
    config.param_bytes = node->kernel->info.param_bytes;
    config.refused = &fault;
    s->now = node;
    ptx_status status =
        ptx_program_module_kernel(s->program, node->kernel->number, node->kernel->info.name, &kernel);
    if (status != PTX_OK) fail(EXIT_ASSEMBLY, "%s: %s", node->kernel->info.name, ptx_status_name(status));
    ptx_kernel_attribute_set(kernel, NON_PORTABLE_CLUSTERS, 1);
    if (faults) script_settle(s);
    status =
        ptx_kernel_submit(kernel, &config, stream ? stream->symbol->stream : PTX_STREAM_DEFAULT, &launch);
    free(params);
    if (status != PTX_OK) refuse(s, node, status, &fault);
    s->launches++;
    if (faults)
        judge(s, faults, launch);
    else
        s->pending = true;
    ptx_launch_release(s->device, launch);
}
