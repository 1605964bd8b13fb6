/* api/launches.c - the public functions of ptx_launches.h: check the arguments, call inward. */
#include "base/sized.h"
#include "cdp/mistakes.h"
#include "launches/launches.h"
#include <stdio.h>
#include <string.h>

enum { FIRST_TOTALS = PX_FIRST(ptx_launch_totals, depth) };

/* With PTX_OK the scheduler's lock is held. */
static ptx_status begin(ptx_device *device)
{
    if (!px_device_usable(device) || !device->launches) return PTX_ERROR_INVALID_ARGUMENT;
    px_sched_lock(&device->sched);
    if (!device->tasks.pending) return PTX_OK;
    px_sched_unlock(&device->sched);
    return PTX_ERROR_NOT_READY;
}

PTX_API ptx_status ptx_device_launches_clear(ptx_device *device)
{
    const ptx_status status = begin(device);
    if (status != PTX_OK) return status;
    if (device->mistakes) px_mistakes_forget(device->mistakes);
    px_launches_clear(device->launches);
    px_sched_unlock(&device->sched);
    return PTX_OK;
}

PTX_API ptx_status ptx_device_launches_totals(ptx_device *device, ptx_launch_totals *totals)
{
    if (!px_can_give(totals, FIRST_TOTALS)) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = begin(device);
    if (status != PTX_OK) return status;
    const ptx_launch_totals told = px_launch_totals(device->launches);
    px_sched_unlock(&device->sched);
    px_give(totals, &told, sizeof told, FIRST_TOTALS);
    return PTX_OK;
}

/* ---- one by one ---- */

static const ptx_launch_param *params_of(struct px_arena *arena, const struct px_launch *r)
{
    const uint32_t n = r->params ? r->kernel->nparams : 0;
    ptx_launch_param *params = PX_NEW_N(arena, ptx_launch_param, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct px_launched_param *p = &r->kernel->params[i];
        const struct px_launched_pointer *to = r->pointers ? &r->pointers[i] : NULL;
        params[i] = (ptx_launch_param){.struct_size = sizeof params[i],
                                       .name = p->name,
                                       .type = p->type,
                                       .size = p->size,
                                       .count = p->count,
                                       .bytes = r->params + p->offset,
                                       .text = px_launch_value(arena, r, i),
                                       .block = to ? to->block : 0,
                                       .block_bytes = to ? to->bytes : 0,
                                       .variable = to && to->variable ? to->variable : ""};
    }
    return params;
}

static void fill_call(const struct px_launch *r, ptx_launch_record *told)
{
    const struct px_launch_place *p = r->place;
    told->call = p ? p->call : "";
    told->function = p ? p->function : "";
    told->file = p ? p->file : "";
    told->source = p ? p->source : "";
    told->line = p ? p->line : 0;
    told->column = p ? p->column : 0;
    memcpy(told->cta, r->cta, sizeof told->cta);
    memcpy(told->thread, r->thread, sizeof told->thread);
}

static void tell_one(struct px_arena *arena, const struct px_launch *r, ptx_launch_fn tell, void *user)
{
    ptx_launch_record told = {.struct_size = sizeof told,
                              .number = r->number,
                              .parent = r->parent ? r->parent->number : PTX_LAUNCHED_BY_HOST,
                              .grid = r->grid,
                              .kernel = r->kernel ? r->kernel->name : "",
                              .shape = {r->shape.x, r->shape.y, r->shape.z},
                              .block = {r->block.x, r->block.y, r->block.z},
                              .shared_bytes = r->shared,
                              .depth = r->depth,
                              .params = params_of(arena, r),
                              .param_count = r->params ? r->kernel->nparams : 0,
                              .stream = px_launch_stream(arena, r),
                              .api = r->api ? r->api : "",
                              .graph = r->graph,
                              .begun = r->begun,
                              .ended = r->ended,
                              .begin_ns = r->begin_ns,
                              .end_ns = r->end_ns,
                              .blocks = px_launch_blocks(r),
                              .instructions = atomic_load(&r->instructions),
                              .cuda_error = r->error,
                              .reason = r->error ? r->reason : ""};
    fill_call(r, &told);
    tell(user, &told);
}

static ptx_status tell_all(const struct px_launches *l, const ptx_allocator *alloc, ptx_launch_fn tell,
                           void *user)
{
    struct px_arena arena;
    jmp_buf failure;
    px_arena_init(&arena, alloc, &failure);
    if (setjmp(failure)) {
        px_arena_free(&arena);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    for (const struct px_launch *r = l->first; r; r = r->next) {
        tell_one(&arena, r, tell, user);
        px_arena_clear(&arena);
    }
    px_arena_free(&arena);
    return PTX_OK;
}

PTX_API ptx_status ptx_device_launches(ptx_device *device, ptx_launch_fn tell, void *user)
{
    if (!tell) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = begin(device);
    if (status != PTX_OK) return status;
    status = tell_all(device->launches, &device->alloc, tell, user);
    px_sched_unlock(&device->sched);
    return status;
}

/* ---- as a whole ---- */

static ptx_status write_all(const struct px_launches *l, const ptx_allocator *alloc, ptx_launches_form form,
                            struct px_out *out)
{
    static void (*const forms[])(struct px_arena * arena, const struct px_launches *l, struct px_out *out) = {
        px_launches_text, px_launches_json, px_launches_svg, px_launches_dot, px_launches_timeline};
    struct px_arena arena;
    jmp_buf failure;
    px_arena_init(&arena, alloc, &failure);
    const bool failed = setjmp(failure) != 0;
    if (!failed) forms[form](&arena, l, out);
    px_arena_free(&arena);
    if (failed) return PTX_ERROR_OUT_OF_MEMORY;
    px_out_flush(out);
    return out->stopped ? PTX_ERROR_INTERRUPTED : PTX_OK;
}

PTX_API ptx_status ptx_device_launches_write(ptx_device *device, ptx_launches_form form, ptx_write_fn write,
                                             void *user)
{
    struct px_out out = {.write = write, .user = user};
    if (!write || (unsigned)form > PTX_LAUNCHES_TIMELINE) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = begin(device);
    if (status != PTX_OK) return status;
    status = write_all(device->launches, &device->alloc, form, &out);
    px_sched_unlock(&device->sched);
    return status;
}

static ptx_status expect(const struct px_launches *l, const ptx_allocator *alloc, const char *pattern,
                         char *why, size_t why_bytes)
{
    struct px_arena arena;
    jmp_buf failure;
    const char *text;
    px_arena_init(&arena, alloc, &failure);
    if (setjmp(failure)) {
        px_arena_free(&arena);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    const ptx_status status = px_launches_expect(&arena, l, pattern, &text);
    if (why && why_bytes) snprintf(why, why_bytes, "%s", text);
    px_arena_free(&arena);
    return status;
}

PTX_API ptx_status ptx_device_expect_launch(ptx_device *device, const char *pattern, char *why,
                                            size_t why_bytes)
{
    if (why && why_bytes) *why = 0;
    if (!pattern) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = begin(device);
    if (status != PTX_OK) return status;
    status = expect(device->launches, &device->alloc, pattern, why, why_bytes);
    px_sched_unlock(&device->sched);
    return status;
}
