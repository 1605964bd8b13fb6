/*
 * fault.c - why a launch stopped, in words.
 *
 * Workers record a trap as plain data; here, after the launch, it becomes the
 * strings of ptx_fault. They live in an arena of the device until its next
 * launch. Nothing here runs while a kernel runs.
 */
#include "vm/device.h"
#include "front/print.h"
#include "link/link.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STATE_LINES = 200, INLINE_DEPTH = 16 };

const char *px_cuda_error_name(int error)
{
    switch (error) {
#define PX_CUDA_ERROR(number, runtime, driver, text)                                                         \
    case number:                                                                                             \
        return *driver ? driver : runtime;
#include "vm/cuda_errors.def"
#undef PX_CUDA_ERROR
    default:
        return "";
    }
}

/* ---- .loc ---- */

struct place_search {
    const struct px_inst *inst;
    const struct px_loc *last;  /* before inst */
    const struct px_loc *match; /* with the file, line and column of `of`, inlined itself */
    const struct px_loc *of;
    bool found;
};

static bool same_place(const struct px_loc *l, const struct px_loc *of)
{
    return l != of && l->inlined_line && l->file == of->inlined_file && l->line == of->inlined_line &&
           l->column == of->inlined_column;
}

static void search_locs(const struct px_block *block, struct place_search *s)
{
    for (uint32_t i = 0; i < block->n && !s->found; i++) {
        const struct px_stmt *st = block->list[i];
        if (st->kind == PX_S_BLOCK) search_locs(&st->u.block, s);
        if (st->kind == PX_S_LOC && !st->u.loc.intermediate && !s->of) s->last = &st->u.loc;
        if (st->kind == PX_S_LOC && !st->u.loc.intermediate && s->of && same_place(&st->u.loc, s->of)) {
            s->match = &st->u.loc;
            s->found = true;
        }
        if (st->kind == PX_S_INST && &st->u.inst == s->inst) s->found = true;
    }
}

static const char *file_name(const struct ptx_module *module, uint32_t index)
{
    for (uint32_t i = 0; i < module->tree.nitems; i++) {
        const struct px_item *item = &module->tree.items[i];
        if (item->kind == PX_I_FILE && item->u.file->index == index) return item->u.file->name;
    }
    return "?";
}

/* "x.cu:12 (inlined at y.cu:40)"; "" when there is no .loc before the instruction. */
static const char *source_text(struct px_arena *arena, const struct px_trap *trap)
{
    struct place_search s = {.inst = trap->inst};
    const struct px_block *body = trap->fn->func->body;
    if (!body) return "";
    search_locs(body, &s);
    const struct px_loc *at = s.last;
    if (!at || !s.found) return "";
    const char *text = px_arena_printf(arena, "%s:%u", file_name(trap->module, at->file), at->line);
    for (int depth = 0; at && at->inlined_line && depth < INLINE_DEPTH; depth++) {
        text = px_arena_printf(arena, "%s (inlined at %s:%u)", text,
                               file_name(trap->module, at->inlined_file), at->inlined_line);
        struct place_search outer = {.of = at};
        search_locs(body, &outer);
        at = outer.match;
    }
    return text;
}

/* ---- the rest of a fault ---- */

static const char *chain_text(struct px_arena *arena, const struct px_grid *grid)
{
    const char *text = "";
    for (; grid; grid = grid->parent)
        text = px_arena_printf(arena, "%s%s <- ", text, grid->kernel ? grid->kernel->name : "copy");
    return px_arena_printf(arena, "%shost", text);
}

/* Addresses of windows tell whose memory it is. */
static const char *window_text(struct px_arena *arena, uint64_t va)
{
    static const char *const names[] = {
        NULL,  "shared memory of a block", "local memory of a thread", "constant memory", "kernel parameters",
        "code"};
    const unsigned window = px_window_of(va);
    if (window == PX_WIN_NONE || window >= sizeof names / sizeof *names) return NULL;
    const uint64_t mask = window == PX_WIN_LOCAL ? 0xfffff : 0xffffffffu;
    return px_arena_printf(arena, "byte %" PRIu64 " of %s", va & mask, names[window]);
}

static const char *allocation_text(struct ptx_device *device, struct px_arena *arena, uint64_t va)
{
    char buf[200];
    const char *window = window_text(arena, va);
    if (window) return window;
    px_mem_describe(&device->mem, va, buf, sizeof buf);
    return px_arena_text(arena, buf, strlen(buf));
}

static void fill_instruction(struct px_arena *arena, const struct px_trap *trap, ptx_fault *fault)
{
    char buf[400];
    if (!trap->inst) return;
    px_print_inst(trap->inst, buf, sizeof buf);
    fault->instruction = px_arena_text(arena, buf, strlen(buf));
    fault->file = px_arena_text(arena, trap->module->source.file, strlen(trap->module->source.file));
    fault->line = px_link_line(trap->module, trap->inst->pos);
    fault->source = source_text(arena, trap);
}

static void fill_from_trap(struct ptx_device *device, ptx_fault *fault)
{
    struct px_arena *arena = &device->report.arena;
    const struct px_trap *trap = &device->sched.trap;
    fault->cuda_error = trap->error;
    fault->name = px_cuda_error_name(trap->error);
    fault->message = px_arena_text(arena, trap->text, strlen(trap->text));
    fill_instruction(arena, trap, fault);
    if (trap->grid) {
        const char *kernel = trap->grid->kernel ? trap->grid->kernel->name : "copy";
        fault->kernel = px_arena_text(arena, kernel, strlen(kernel));
        fault->launched_by = chain_text(arena, trap->grid);
    }
    memcpy(fault->cta, trap->cta, sizeof fault->cta);
    memcpy(fault->thread, trap->thread, sizeof fault->thread);
    fault->address = trap->address;
    const bool memory = trap->error == PX_CUDA_ILLEGAL_ADDRESS || trap->error == PX_CUDA_MISALIGNED_ADDRESS ||
                        trap->error == PX_CUDA_INVALID_ADDRESS_SPACE;
    if (memory) fault->allocation = allocation_text(device, arena, trap->address);
}

/* ---- stops without a trap ---- */

struct state {
    struct px_arena *arena;
    PX_VEC(char) text;
    uint32_t lines;
};

static void add_line(void *user, const char *line)
{
    struct state *s = user;
    if (s->lines++ >= STATE_LINES) return;
    for (; *line; line++) px_vec_push(s->arena, &s->text, *line);
    px_vec_push(s->arena, &s->text, '\n');
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
    case PX_STOP_DEADLOCK:
        return "deadlock: every thread that is left waits, and nothing will wake it";
    case PX_STOP_STEPS:
        return "the limit of instructions was reached";
    case PX_STOP_TIMEOUT:
        return "the time limit was reached";
    case PX_STOP_INTERRUPT:
        return "interrupted";
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
    default:
        return "the host has no memory left for the launch";
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

void px_report_fault(struct ptx_device *device, enum px_stop stop, ptx_fault *fault)
{
    jmp_buf failure;
    char buf[200];
    px_report_free(device);
    px_device_say(device, "%s",
                  stop == PX_STOP_FAULT ? device->sched.trap.text : stop_text(device, stop, buf, sizeof buf));
    if (!fault) return;
    *fault = (ptx_fault){.name = "",
                         .message = "",
                         .instruction = "",
                         .file = "",
                         .source = "",
                         .kernel = "",
                         .launched_by = "",
                         .allocation = "",
                         .state = ""};
    px_arena_init(&device->report.arena, &device->alloc, &failure);
    device->report.used = true;
    if (setjmp(failure)) return; /* out of memory: what was filled in stands */
    if (stop == PX_STOP_FAULT)
        fill_from_trap(device, fault);
    else
        fill_from_stop(device, stop, fault);
    fault->state = state_text(device, &device->report.arena);
}
