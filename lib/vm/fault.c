/*
 * fault.c - why a launch stopped, in words.
 *
 * Workers record a trap as plain data; here, after the launch, it becomes the
 * strings of ptx_fault. They live in an arena of the device until its next
 * launch. Nothing here runs while a kernel runs.
 */
#include "vm/device.h"
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

static void fill_address(struct ptx_device *device, ptx_fault *fault)
{
    const struct px_trap *trap = &device->sched.trap;
    char buf[300];
    fault->address = trap->address;
    if (trap->error != PX_CUDA_ILLEGAL_ADDRESS && trap->error != PX_CUDA_MISALIGNED_ADDRESS &&
        trap->error != PX_CUDA_INVALID_ADDRESS_SPACE)
        return;
    px_address_text(device, trap, buf, sizeof buf);
    fault->allocation = copy(&device->report.arena, buf);
}

static void fill_from_trap(struct ptx_device *device, ptx_fault *fault)
{
    struct px_arena *arena = &device->report.arena;
    const struct px_trap *trap = &device->sched.trap;
    char calls[1200];
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
    fill_address(device, fault);
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

static const char *state_text(struct ptx_device *device, struct px_arena *arena)
{
    struct state s = {.arena = arena};
    px_sched_report(&device->sched, add_line, &s);
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

static void fill_from_stop(struct ptx_device *device, enum px_stop stop, ptx_fault *fault)
{
    char buf[200];
    const bool timeout = stop == PX_STOP_STEPS || stop == PX_STOP_TIMEOUT;
    const bool memory = stop == PX_STOP_MEMORY || stop == PX_STOP_HOST;
    const char *text = stop_text(device, stop, buf, sizeof buf);
    fault->cuda_error = timeout ? PX_CUDA_LAUNCH_TIMEOUT : memory ? PX_CUDA_OUT_OF_MEMORY : 0;
    fault->name = fault->cuda_error ? px_cuda_error_name(fault->cuda_error) : "";
    fault->message = px_arena_text(&device->report.arena, text, strlen(text));
    if (device->sched.root && device->sched.root->kernel) {
        const char *kernel = device->sched.root->kernel->name;
        fault->kernel = px_arena_text(&device->report.arena, kernel, strlen(kernel));
    }
}

void px_report_free(struct ptx_device *device)
{
    if (device->report.used) px_arena_free(&device->report.arena);
    device->report.used = false;
}

/* Empty strings rather than NULL everywhere, and an arena for others. False: nobody wants it. */
static bool begin_report(struct ptx_device *device, jmp_buf *failure, ptx_fault *fault)
{
    px_report_free(device);
    if (!fault) return false;
    *fault = (ptx_fault){.name = "",
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
    px_arena_init(&device->report.arena, &device->alloc, failure);
    device->report.used = true;
    return true;
}

void px_report_fault(struct ptx_device *device, enum px_stop stop, ptx_fault *fault)
{
    jmp_buf failure;
    char buf[200];
    px_device_say(device, "%s",
                  stop == PX_STOP_FAULT ? device->sched.trap.text : stop_text(device, stop, buf, sizeof buf));
    if (!begin_report(device, &failure, fault)) return;
    if (setjmp(failure)) return; /* out of memory: what was filled in stands */
    if (stop == PX_STOP_FAULT)
        fill_from_trap(device, fault);
    else
        fill_from_stop(device, stop, fault);
    fault->state = state_text(device, &device->report.arena);
}

void px_report_refusal(struct ptx_device *device, const struct px_lfunc *kernel, const struct px_refusal *why,
                       ptx_fault *fault)
{
    jmp_buf failure;
    px_device_say(device, "%s", why->text ? why->text : "out of memory");
    if (!begin_report(device, &failure, fault)) return;
    fault->message = why->text ? why->text : "out of memory";
    if (setjmp(failure)) return;
    fault->kernel = copy(&device->report.arena, kernel->name);
    if (why->func) fill_instruction(&device->report.arena, why->func, why->inst, fault);
}
