/*
 * launches.c - records of launches.
 */
#include "vm/device/launches.h"
#include "front/print.h"
#include "gang/gang.h"
#include "vm/device/device.h"
#include "vm/queue/stream.h"
#include "vm/sched/sched_list.h"
#include "vm/run/extern.h"
#include <string.h>

/* ---- the list ---- */

bool px_launches_init(struct ptx_device *device, uint64_t most)
{
    struct px_launches *l = px_zalloc(&device->alloc, sizeof *l);
    if (!l) return false;
    px_arena_init(&l->arena, &device->alloc, NULL);
    l->most = most;
    device->launches = l;
    return true;
}

void px_launches_free(struct ptx_device *device)
{
    struct px_launches *l = device->launches;
    if (!l) return;
    px_arena_free(&l->arena);
    px_free(&device->alloc, l, sizeof *l);
    device->launches = NULL;
}

void px_launches_clear(struct px_launches *l)
{
    const ptx_allocator alloc = l->arena.alloc;
    px_arena_free(&l->arena);
    px_arena_init(&l->arena, &alloc, NULL);
    l->first = l->last = NULL;
    l->n = l->lost = l->moments = l->start_ns = 0;
    memset(l->apis, 0, sizeof l->apis);
    memset(l->kernels, 0, sizeof l->kernels);
    memset(l->places, 0, sizeof l->places);
}

static uint64_t moment(struct px_launches *l)
{
    const uint64_t now = px_now_ns();
    if (!l->start_ns) l->start_ns = now;
    return now - l->start_ns;
}

/* ---- names and places ---- */

static const char *keep(struct px_launches *l, const char *text)
{
    return px_arena_text(&l->arena, text, strlen(text));
}

static size_t bucket_of(const void *p)
{
    return (uintptr_t)p / 64 % 64;
}

static const struct px_launched_param *params_of(struct px_launches *l, const struct px_function *fn)
{
    const uint32_t n = fn->func->nparams;
    struct px_launched_param *params = PX_NEW_N(&l->arena, struct px_launched_param, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct px_symbol *s = fn->params[i];
        const struct px_type_info *type = px_type_info((enum px_type)s->type);
        params[i] = (struct px_launched_param){.name = keep(l, s->name ? s->name->text : "_"),
                                               .type = type->name,
                                               .klass = type->klass,
                                               .offset = (uint32_t)s->offset,
                                               .size = (uint32_t)s->size,
                                               .count = 1};
        if (type->bits >= 8) params[i].count = params[i].size / (type->bits / 8u);
    }
    return params;
}

static const struct px_launched_kernel *kernel_of(struct px_launches *l, const struct px_lfunc *func)
{
    struct px_launched_kernel **bucket = &l->kernels[bucket_of(func)], *k = *bucket;
    while (k && k->func != func) k = k->next;
    if (k) return k;
    k = PX_NEW(&l->arena, struct px_launched_kernel);
    k->name = keep(l, func->name);
    k->nparams = func->fn->func->nparams;
    k->params = params_of(l, func->fn);
    k->func = func;
    k->next = *bucket;
    return *bucket = k;
}

static struct px_launch_place *new_place(struct px_launches *l, const struct px_call *call,
                                         const struct px_inst *inst)
{
    struct px_launch_place *p = PX_NEW(&l->arena, struct px_launch_place);
    const struct px_lfunc *func = px_call_caller(call);
    struct px_source source = func->module->source; /* its line table is complete: nothing is built here */
    char text[600] = "";
    const struct px_place at = inst ? px_source_place(&source, inst->pos) : (struct px_place){0};
    if (inst) px_place_source(func, inst, text, sizeof text);
    *p = (struct px_launch_place){.inst = inst,
                                  .func = func,
                                  .call = keep(l, call->callee->name),
                                  .function = keep(l, func->name),
                                  .file = keep(l, source.file),
                                  .line = at.line,
                                  .column = at.column,
                                  .source = keep(l, text)};
    return p;
}

static const struct px_launch_place *place_of(struct px_launches *l, const struct px_call *call)
{
    const struct px_inst *inst = px_call_inst(call);
    const struct px_lfunc *func = px_call_caller(call);
    struct px_launch_place **bucket = &l->places[bucket_of(inst)], *p = *bucket;
    while (p && (p->inst != inst || p->func != func)) p = p->next;
    if (p) return p;
    p = new_place(l, call, inst);
    p->next = *bucket;
    return *bucket = p;
}

static bool is_of(const struct px_lfunc *func, const struct ptx_program *program)
{
    const struct px_linked *linked = &program->linked;
    return func >= linked->funcs && func < linked->funcs + linked->nfuncs;
}

void px_launches_forget(struct ptx_program *program)
{
    struct px_launches *l = program->device->launches;
    if (!l) return;
    px_sched_lock(&program->device->sched);
    for (size_t i = 0; i < 64; i++) {
        for (struct px_launched_kernel *k = l->kernels[i]; k; k = k->next)
            if (k->func && is_of(k->func, program)) k->func = NULL;
        for (struct px_launch_place *p = l->places[i]; p; p = p->next)
            if (p->func && is_of(p->func, program)) p->func = NULL, p->inst = NULL;
    }
    px_sched_unlock(&program->device->sched);
}

/* ---- records ---- */

static const char *variable_at(struct px_launches *l, const struct px_linked *linked, uint64_t address)
{
    for (uint32_t i = 0; i < linked->nvars; i++) {
        const struct px_lvar *v = &linked->vars[i];
        if (v->space == PX_SPACE_GLOBAL && v->size && v->address == address && v->symbol->name)
            return keep(l, v->symbol->name->text);
    }
    return NULL;
}

static const struct px_launched_pointer *pointers_of(struct px_launches *l, const struct px_grid *grid,
                                                     const struct px_launched_kernel *kernel)
{
    struct px_launched_pointer *all = NULL;
    for (uint32_t i = 0; i < kernel->nparams; i++) {
        const struct px_launched_param *p = &kernel->params[i];
        struct px_extent extent;
        uint64_t value;
        if (p->size != sizeof value || p->count != 1) continue;
        memcpy(&value, grid->params + p->offset, sizeof value);
        if (!value || !px_mem_extent(grid->mem, value, &extent)) continue;
        if (!all) all = PX_NEW_N(&l->arena, struct px_launched_pointer, kernel->nparams);
        all[i] = (struct px_launched_pointer){variable_at(l, &grid->program->linked, extent.lo), extent.lo,
                                              extent.len};
    }
    return all;
}

/* Room for another; the arena's failures come back here, once. NULL: there is none. */
static struct px_launch *append(struct px_launches *l)
{
    struct px_launch *r = PX_NEW(&l->arena, struct px_launch);
    r->number = l->n++;
    atomic_init(&r->instructions, 0);
    if (l->last)
        l->last->next = r;
    else
        l->first = r;
    return l->last = r;
}

static bool full(struct px_launches *l)
{
    if (l->arena.total < l->most) return false;
    l->lost++;
    return true;
}

static const char *api_of(struct px_launches *l, const char *name)
{
    const size_t most = sizeof l->apis / sizeof *l->apis;
    size_t i = 0;
    if (!name) return NULL;
    while (i < most && l->apis[i] && strcmp(l->apis[i], name) != 0) i++;
    if (i == most) return keep(l, name);
    if (!l->apis[i]) l->apis[i] = keep(l, name);
    return l->apis[i];
}

static void fill_host(struct px_launches *l, struct px_launch *r, const struct px_grid *grid)
{
    const struct px_task *task = grid->run->user;
    r->api = api_of(l, grid->api);
    r->graph = grid->graph;
    if (task && task->stream) r->stream = task->stream->number;
}

void px_launches_adopt(struct px_grid *grid)
{
    struct px_launches *l = grid->device->launches;
    jmp_buf failure;
    if (!l || grid->native || full(l)) return;
    l->arena.on_failure = &failure;
    if (setjmp(failure)) {
        l->lost++;
        return;
    }
    const struct px_launched_kernel *kernel = kernel_of(l, grid->kernel);
    uint8_t *params = px_arena_alloc(&l->arena, grid->param_bytes + 1);
    memcpy(params, grid->params, grid->param_bytes);
    const struct px_launched_pointer *pointers = pointers_of(l, grid, kernel);
    struct px_launch *r = append(l);
    r->parent = grid->parent ? grid->parent->launch : NULL;
    if (r->parent) r->parent->children++;
    r->grid = grid->id;
    r->kernel = kernel;
    r->shape = grid->grid;
    r->block = grid->block;
    r->shared = grid->dynamic_shared;
    r->depth = grid->depth;
    r->params = params;
    r->pointers = pointers;
    if (!grid->parent) fill_host(l, r, grid);
    grid->launch = r;
}

static void put_from(struct px_launches *l, struct px_launch *r, const struct px_call *call)
{
    r->place = place_of(l, call);
    px_call_place(call, r->cta, r->thread);
}

void px_launches_from(struct px_grid *grid, const struct px_call *call, uint64_t stream)
{
    struct px_launches *l = grid->device->launches;
    jmp_buf failure;
    if (!grid->launch) return;
    grid->launch->stream = stream;
    l->arena.on_failure = &failure;
    if (!setjmp(failure)) put_from(l, grid->launch, call);
}

void px_launches_moment(struct px_grid *grid, bool end)
{
    struct px_launches *l = grid->device->launches;
    struct px_launch *r = grid->launch;
    if (!r) return;
    *(end ? &r->ended : &r->begun) = ++l->moments;
    *(end ? &r->end_ns : &r->begin_ns) = moment(l);
}

static void add_refused(struct px_launches *l, const struct px_call *call, const struct px_launch_wish *wish,
                        int error, const char *reason)
{
    jmp_buf failure;
    l->arena.on_failure = &failure;
    if (full(l)) return;
    if (setjmp(failure)) {
        l->lost++;
        return;
    }
    const char *kept = keep(l, reason);
    const struct px_launched_kernel *kernel = wish->kernel ? kernel_of(l, wish->kernel) : NULL;
    const struct px_launch_place *place = place_of(l, call);
    struct px_launch *r = append(l);
    r->parent = call->grid->launch;
    r->kernel = kernel;
    r->shape = wish->shape;
    r->block = wish->block;
    r->shared = wish->shared;
    r->stream = wish->stream;
    r->depth = call->grid->depth + 1;
    r->error = error;
    r->reason = kept;
    r->place = place;
    px_call_place(call, r->cta, r->thread);
}

void px_launches_refused(const struct px_call *call, const struct px_launch_wish *wish, int error,
                         const char *reason)
{
    struct ptx_device *device = call->grid->device;
    if (!device->launches) return;
    px_sched_lock(&device->sched);
    add_refused(device->launches, call, wish, error, reason);
    px_sched_unlock(&device->sched);
}
