/*
 * fault.c - why a launch stopped, in words.
 *
 * Workers record a trap as plain data; here, when the run is over, it becomes
 * the strings of ptx_fault, which live in the arena of a report.
 */
#include "vm/device/device.h"
#include "vm/device/report.h"
#include "front/print.h"
#include "gang/place.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STATE_LINES = 200 };

/* ---- a fault ---- */

static const char *chain_text(struct px_arena *arena, const struct px_grid *grid)
{
    const char *text = "";
    for (; grid; grid = grid->parent)
        text = px_arena_printf(arena, "%s%s <- ", text, grid->kernel ? grid->kernel->name : "copy");
    return px_arena_printf(arena, "%shost", text);
}

static const char *copy(struct px_arena *arena, const char *text)
{
    return px_arena_text(arena, text, strlen(text));
}

/* Where `inst` of `func` stands. */
static void fill_instruction(struct px_arena *arena, const struct px_lfunc *func, const struct px_inst *inst,
                             ptx_fault *fault)
{
    char buf[600];
    struct px_source source = func->module->source; /* its line table is complete: nothing is built here */
    fault->function = copy(arena, func->name);
    if (!inst) return;
    px_print_inst(inst, buf, sizeof buf);
    fault->instruction = copy(arena, buf);
    fault->file = copy(arena, source.file);
    const struct px_place from = px_source_place(&source, inst->pos),
                          to = px_source_place(&source, inst->end);
    fault->line = from.line;
    fault->column = from.column;
    fault->last_line = to.line;
    fault->last_column = to.column;
    px_place_source(func, inst, buf, sizeof buf);
    fault->source = copy(arena, buf);
}

static bool is_about_an_address(const struct px_trap *trap)
{
    return trap->error == PX_CUDA_ILLEGAL_ADDRESS || trap->error == PX_CUDA_MISALIGNED_ADDRESS ||
           trap->error == PX_CUDA_INVALID_ADDRESS_SPACE ||
           (trap->error == PX_CUDA_ILLEGAL_INSTRUCTION && trap->address);
}

static void fill_from_trap(struct ptx_device *device, const struct px_trap *trap, struct px_arena *arena,
                           ptx_fault *fault)
{
    char calls[1200], place[300];
    fault->cuda_error = trap->error;
    fault->name = px_cuda_error_name(trap->error);
    fault->message = copy(arena, trap->text);
    memcpy(fault->cta, trap->cta, sizeof fault->cta);
    memcpy(fault->thread, trap->thread, sizeof fault->thread);
    if (trap->grid) {
        fault->kernel = copy(arena, trap->grid->kernel ? trap->grid->kernel->name : "copy");
        fault->launched_by = chain_text(arena, trap->grid);
    }
    if (trap->func) {
        fill_instruction(arena, trap->func, trap->inst, fault);
        px_place_chain(trap->calls, trap->depth, calls, sizeof calls);
        fault->calls = copy(arena, calls);
    }
    fault->address = trap->address;
    if (is_about_an_address(trap)) {
        px_address_text(device, trap, place, sizeof place);
        fault->allocation = copy(arena, place);
    }
}

/* ---- stops without a trap ---- */

struct state {
    struct px_arena *arena;
    PX_VEC(char) text;
    uint32_t lines;
};

/* NULL asks whether another line is wanted; one that is not is only counted. */
static bool add_line(void *user, const char *line)
{
    struct state *s = user;
    if (!line && s->lines < STATE_LINES) return true;
    if (s->lines++ >= STATE_LINES) return false;
    for (; *line; line++) px_vec_push(s->arena, &s->text, *line);
    px_vec_push(s->arena, &s->text, '\n');
    return true;
}

static const char *state_text(struct px_run *run, struct px_arena *arena)
{
    struct state s = {.arena = arena};
    px_run_report(run, add_line, &s);
    if (s.lines > STATE_LINES) {
        uint32_t more = s.lines - STATE_LINES;
        s.lines = 0;
        add_line(&s, px_arena_printf(arena, "... and %u more lines", more));
    }
    px_vec_push(arena, &s.text, 0);
    return s.text.at;
}

static const char *stop_text(const struct ptx_device *device, enum px_stop stop, char *buf, size_t size)
{
    switch (stop) {
    case PX_STOP_DEADLOCK: return "deadlock: every thread that is left waits, and nothing will wake it";
    case PX_STOP_STEPS: return "the limit of instructions was reached";
    case PX_STOP_TIMEOUT: return "the time limit was reached";
    case PX_STOP_INTERRUPT: return "interrupted";
    case PX_STOP_LOST: return "stopped, because another launch of the device has faulted";
    case PX_STOP_OUTPUT:
        snprintf(buf, size, "the limit of printed text was reached: %" PRIu64 " bytes (max_output)",
                 device->config.max_output);
        return buf;
    case PX_STOP_HOST:
        snprintf(buf, size,
                 "the limit of host memory was reached: %" PRIu64
                 " bytes for frames, local and shared memory, waiting blocks, pending launches (max_host)",
                 device->config.max_host);
        return buf;
    default: return "the host has no memory left for the launch";
    }
}

static void fill_from_stop(struct ptx_device *device, const struct px_run *run, enum px_stop stop,
                           struct px_arena *arena, ptx_fault *fault)
{
    char buf[200];
    const bool timeout = stop == PX_STOP_STEPS || stop == PX_STOP_TIMEOUT;
    const bool memory = stop == PX_STOP_MEMORY || stop == PX_STOP_HOST;
    const char *text = stop_text(device, stop, buf, sizeof buf);
    fault->cuda_error = timeout ? PX_CUDA_LAUNCH_TIMEOUT : memory ? PX_CUDA_OUT_OF_MEMORY : 0;
    fault->name = fault->cuda_error ? px_cuda_error_name(fault->cuda_error) : "";
    fault->message = copy(arena, text);
    if (run->root->kernel) fault->kernel = copy(arena, run->root->kernel->name);
}

ptx_fault px_fault_empty(int error)
{
    return (ptx_fault){.cuda_error = error,
                       .name = error ? px_cuda_error_name(error) : "",
                       .message = "",
                       .instruction = "",
                       .file = "",
                       .source = "",
                       .kernel = "",
                       .function = "",
                       .calls = "",
                       .launched_by = "",
                       .allocation = "",
                       .state = ""};
}

/* NULL: no memory. */
static struct px_report *new_report(struct ptx_device *device)
{
    struct px_report *r = px_zalloc(&device->alloc, sizeof *r);
    if (!r) return NULL;
    atomic_init(&r->refs, 1);
    r->fault = px_fault_empty(0);
    px_arena_init(&r->arena, &device->alloc, NULL);
    return r;
}

static void fill_stop(struct ptx_device *device, struct px_run *run, enum px_stop stop, struct px_report *r)
{
    jmp_buf failure;
    r->arena.on_failure = &failure;
    if (setjmp(failure)) return; /* out of memory: what was filled in stands */
    if (stop == PX_STOP_FAULT)
        fill_from_trap(device, &run->trap, &r->arena, &r->fault);
    else
        fill_from_stop(device, run, stop, &r->arena, &r->fault);
    r->fault.state = state_text(run, &r->arena);
}

struct px_report *px_report_stop(struct ptx_device *device, struct px_run *run, enum px_stop stop, bool quiet)
{
    char buf[200];
    px_device_say(device, "%s",
                  stop == PX_STOP_FAULT ? run->trap.text : stop_text(device, stop, buf, sizeof buf));
    struct px_report *r = quiet ? NULL : new_report(device);
    if (r) fill_stop(device, run, stop, r);
    return r;
}

static void fill_refusal(const struct px_lfunc *kernel, const struct px_refusal *why, struct px_report *r)
{
    jmp_buf failure;
    r->arena.on_failure = &failure;
    r->fault.message = "out of memory";
    if (setjmp(failure)) return;
    if (why->text) r->fault.message = copy(&r->arena, why->text);
    r->fault.kernel = copy(&r->arena, kernel->name);
    if (why->func) fill_instruction(&r->arena, why->func, why->inst, &r->fault);
}

struct px_report *px_report_refusal(struct ptx_device *device, const struct px_lfunc *kernel,
                                    const struct px_refusal *why, bool quiet)
{
    px_device_say(device, "%s", why->text ? why->text : "out of memory");
    struct px_report *r = quiet ? NULL : new_report(device);
    if (r) fill_refusal(kernel, why, r);
    return r;
}

struct px_report *px_report_words(struct ptx_device *device, const char *words)
{
    px_device_say(device, "%s", words);
    struct px_report *r = new_report(device);
    if (r) r->fault.message = words;
    return r;
}

void px_report_release(struct ptx_device *device, struct px_report *r)
{
    if (!r || atomic_fetch_sub(&r->refs, 1) != 1) return;
    px_arena_free(&r->arena);
    px_free(&device->alloc, r, sizeof *r);
}

/* ---- who was told ---- */

void px_report_forget(struct ptx_device *device, bool all)
{
    struct px_told *gone = NULL;
    if (!atomic_load(&device->any_told)) return;
    pthread_mutex_lock(&device->lock);
    for (struct px_told **at = &device->told, *t; (t = *at);) {
        if (!all && !pthread_equal(t->thread, pthread_self())) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        t->next = gone;
        gone = t;
    }
    atomic_store(&device->any_told, device->told != NULL);
    pthread_mutex_unlock(&device->lock);
    for (struct px_told *next; gone; gone = next) {
        next = gone->next;
        px_report_release(device, gone->report);
        px_free(&device->alloc, gone, sizeof *gone);
    }
}

void px_report_tell(struct ptx_device *device, struct px_report *r, ptx_status status, int error,
                    ptx_fault *fault)
{
    px_report_forget(device, false);
    if (fault && status != PTX_OK) *fault = px_fault_empty(error);
    struct px_told *told = r && fault ? px_alloc(&device->alloc, sizeof *told) : NULL;
    if (!told) return;
    atomic_fetch_add(&r->refs, 1);
    pthread_mutex_lock(&device->lock);
    *told = (struct px_told){device->told, pthread_self(), r};
    device->told = told;
    atomic_store(&device->any_told, true);
    pthread_mutex_unlock(&device->lock);
    *fault = r->fault;
}
