/*
 * table.c - the names of the device runtime, and its ties to the scheduler.
 *
 * Each function of builtins.def exists under one or two names; both rows point
 * to the same code, which asks cdp_is_second where the generations differ.
 */
#include "cdp/mistakes.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct px_builtin first[] = {
#define CDP_CALL(stem, prototype, ret, args, function) {"cuda" #stem, function, ret, args, true},
#define CDP_FIRST(name, prototype, ret, args, function) {#name, function, ret, args, true},
#define CDP_SYSTEM(name, prototype, ret, args, function) {#name, function, ret, args, false},
#include "cdp/builtins.def"
#undef CDP_CALL
#undef CDP_FIRST
#undef CDP_SYSTEM
};

static const struct px_builtin second[] = {
#define CDP_CALL(stem, prototype, ret, args, function) {"__cudaCDP2" #stem, function, ret, args, true},
#define CDP_FIRST(name, prototype, ret, args, function)
#define CDP_SYSTEM(name, prototype, ret, args, function)
#include "cdp/builtins.def"
#undef CDP_CALL
#undef CDP_FIRST
#undef CDP_SYSTEM
};

enum { FIRST = sizeof first / sizeof *first, SECOND = sizeof second / sizeof *second };

/* The prototypes of the two lists, in their order. */
static const char *const prototypes[] = {
#define CDP_CALL(stem, prototype, ret, args, function) prototype,
#define CDP_FIRST CDP_CALL
#define CDP_SYSTEM CDP_CALL
#include "cdp/builtins.def"
#undef CDP_FIRST
#undef CDP_SYSTEM
#define CDP_FIRST(name, prototype, ret, args, function)
#define CDP_SYSTEM(name, prototype, ret, args, function)
#include "cdp/builtins.def"
#undef CDP_CALL
#undef CDP_FIRST
#undef CDP_SYSTEM
};
_Static_assert(sizeof prototypes / sizeof *prototypes == FIRST + SECOND, "one prototype a builtin");

/* Asked once for each extern function of a program. */
static const struct px_builtin *find(const char *name)
{
    for (int i = 0; i < FIRST; i++)
        if (!strcmp(first[i].name, name)) return &first[i];
    for (int i = 0; i < SECOND; i++)
        if (!strcmp(second[i].name, name)) return &second[i];
    return NULL;
}

bool px_cdp_describe(const char *name, struct px_lint_runtime *out)
{
    const struct px_builtin *builtin = find(name);
    if (!builtin) return false;
    const bool in_first = builtin >= first && builtin < first + FIRST;
    out->prototype = prototypes[in_first ? builtin - first : FIRST + (builtin - second)];
    out->gives_buffer = builtin->fn == cdp_get_parameter_buffer || builtin->fn == cdp_get_parameter_buffer_v2;
    return true;
}

bool cdp_is_second(const struct px_call *call)
{
    return call->callee->builtin >= second && call->callee->builtin < second + SECOND;
}

/* ---- arguments and answers ---- */

uint32_t cdp_arg32(const struct px_call *call, unsigned offset)
{
    uint32_t value;
    memcpy(&value, call->args + offset, sizeof value);
    return value;
}

uint64_t cdp_arg64(const struct px_call *call, unsigned offset)
{
    uint64_t value;
    memcpy(&value, call->args + offset, sizeof value);
    return value;
}

void cdp_return64(struct px_call *call, uint64_t value)
{
    memcpy(call->ret, &value, sizeof value);
}

enum px_ext cdp_answer_only(struct px_call *call, int error)
{
    memcpy(call->ret, &error, sizeof error);
    return PX_EXT_DONE;
}

enum px_ext cdp_answer(struct px_call *call, int error)
{
    if (error) *call->last_error = error;
    return cdp_answer_only(call, error);
}

enum px_ext cdp_trap(struct px_call *call, int error, uint64_t address, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(call->trap->text, sizeof call->trap->text, format, args);
    va_end(args);
    call->trap->error = error;
    call->trap->address = address;
    return PX_EXT_TRAP;
}

/* ---- state ---- */

struct cdp_device *cdp_of_device(struct ptx_device *device)
{
    struct cdp_device *cd = device->cdp;
    if (cd) return cd;
    device->cdp = cd = px_zalloc(&device->alloc, sizeof *cd);
    if (!cd) return NULL;
    cd->next_handle = 0x10000;
    cd->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return cd;
}

struct cdp_grid *cdp_of_grid(struct px_grid *grid)
{
    if (!grid->cdp) grid->cdp = px_zalloc(&grid->device->alloc, sizeof(struct cdp_grid));
    return grid->cdp;
}

static void free_records(struct ptx_device *device, struct cdp_buffer *b)
{
    for (struct cdp_buffer *next; b; b = next) {
        next = b->next;
        px_free(&device->alloc, b, sizeof *b);
    }
}

static void destroy(struct ptx_device *device)
{
    struct cdp_device *cd = device->cdp;
    if (!cd) return;
    for (int i = 0; i < CDP_BUCKETS; i++) free_records(device, cd->buffers[i]);
    free_records(device, cd->spare_buffers);
    for (struct cdp_item *item = cd->spare, *next; item; item = next) {
        next = item->next;
        px_free(&device->alloc, item, sizeof *item);
    }
    if (cd->c_locale) freelocale(cd->c_locale);
    px_free(&device->alloc, cd, sizeof *cd);
    device->cdp = NULL;
}

/* Takes the run's buffers out of a list. */
static void drop_buffers(struct ptx_device *device, const struct px_run *run, struct cdp_buffer **at)
{
    for (struct cdp_buffer *b; (b = *at);) {
        if (b->run != run) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        if (atomic_load(&run->stop) == PX_STOP_NONE) cdp_mistake_unused(device, b->va);
        cdp_buffer_release(device, b->va);
        cdp_buffer_free(device, b);
    }
}

/* A launch is over: buffers that it did not launch go with it. */
static void launch_over(struct ptx_device *device, struct px_run *run)
{
    struct cdp_device *cd = device->cdp;
    for (int i = 0; run->buffers && i < CDP_BUCKETS; i++) drop_buffers(device, run, &cd->buffers[i]);
    run->buffers = 0;
}

const struct px_runtime *px_cdp_runtime(void)
{
    static const struct px_runtime runtime = {.find = find,
                                              .drained = cdp_drained,
                                              .completed = cdp_completed,
                                              .discard = cdp_discard,
                                              .stalled = cdp_stalled,
                                              .launch_over = launch_over,
                                              .destroy = destroy};
    return &runtime;
}
