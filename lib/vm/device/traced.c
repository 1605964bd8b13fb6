/* traced.c - see traced.h. */
#include "vm/device/traced.h"
#include <string.h>
#include "front/print.h"
#include "gang/gang.h"
#include "gang/place.h"
#include "gang/tally.h"
#include "ops/trace.h"
#include "vm/device/device.h"
#include "vm/run/extern.h"

static int tell(struct ptx_device *device, ptx_trace_memory *e)
{
    e->struct_size = sizeof *e;
    return device->config.trace_memory(device->config.trace_user, e);
}

void px_traced_memory(struct ptx_device *device, ptx_trace_memory_kind kind, ptx_trace_owner owner,
                      uint64_t address, uint64_t bytes)
{
    ptx_trace_memory e = {.kind = kind, .owner = owner, .address = address, .bytes = bytes};
    if (device->config.trace_memory) tell(device, &e);
}

void px_traced_copy(struct ptx_device *device, ptx_trace_memory_kind kind, uint64_t address, uint64_t from,
                    uint64_t bytes)
{
    ptx_trace_memory e = {.kind = kind, .address = address, .from = from, .bytes = bytes};
    if (device->config.trace_memory && bytes) tell(device, &e);
}

void px_traced_work(struct ptx_device *device, ptx_trace_memory_kind kind, uint64_t work, uint64_t before,
                    bool overlaps)
{
    ptx_trace_memory e = {.kind = kind, .address = work, .from = before, .bytes = overlaps};
    tell(device, &e);
}

void px_traced_pool(struct ptx_device *device, uint64_t address, uint64_t bytes, uint64_t work)
{
    ptx_trace_memory e = {
        .kind = PTX_TRACE_ALLOC, .owner = PTX_TRACE_STREAM, .address = address, .bytes = bytes, .work = work};
    if (device->config.trace_memory) tell(device, &e);
}

/* ---- what kernels do ---- */

struct words {
    char instruction[600], source[600];
    ptx_trace_place at;
};

static void fill_place(struct words *w, const char *kernel, const struct px_lfunc *func,
                       const struct px_inst *inst)
{
    struct px_source text = func->module->source; /* its line table is complete: nothing is built here */
    const struct px_place place = inst ? px_source_place(&text, inst->pos) : (struct px_place){0};
    w->instruction[0] = 0;
    w->source[0] = 0;
    if (inst) px_print_inst(inst, w->instruction, sizeof w->instruction);
    if (inst) px_place_source(func, inst, w->source, sizeof w->source);
    w->at = (ptx_trace_place){.kernel = kernel,
                              .function = func->name,
                              .instruction = w->instruction,
                              .file = text.file,
                              .source = w->source,
                              .line = place.line,
                              .column = place.column};
}

void px_traced_heap(struct px_call *call, ptx_trace_memory_kind kind, uint64_t address, uint64_t bytes)
{
    struct ptx_device *device = call->grid->device;
    struct words w;
    if (!device->config.trace_memory) return;
    ptx_trace_memory e = {.kind = kind,
                          .owner = PTX_TRACE_HEAP,
                          .address = address,
                          .bytes = bytes,
                          .at = &w.at,
                          .grid = call->grid->id};
    fill_place(&w, call->grid->kernel->name, px_call_caller(call), px_call_inst(call));
    px_call_place(call, e.cta, e.thread);
    tell(device, &e);
}

void px_traced_call(const struct px_call *call, uint64_t va, uint64_t bytes)
{
    struct ptx_device *device = call->grid->device;
    if (!device->config.trace_memory) return;
    ptx_trace_memory e = {.kind = PTX_TRACE_CALL_WRITE, .bytes = bytes, .grid = call->grid->id};
    e.space = px_trace_reached(call->cta, call->thread, &va);
    e.address = va;
    px_call_place(call, e.cta, e.thread);
    tell(device, &e);
}

/* By its opcode; what is neither a load nor a store does both. */
static unsigned how_of(const struct px_inst *inst)
{
    const char *opcode = inst ? inst->opcode->text : "";
    if (strncmp(opcode, "ld", 2) == 0) return PTX_TRACE_READ;
    return strncmp(opcode, "st", 2) == 0 ? PTX_TRACE_WRITE : PTX_TRACE_READ | PTX_TRACE_WRITE;
}

bool px_traced_fault(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size)
{
    const struct px_trap *trap = &g->cta->trap;
    const struct px_grid *grid = g->cta->grid;
    struct words w;
    (void)lane;
    ptx_trace_memory e = {.kind = PTX_TRACE_FAULT,
                          .address = trap->address,
                          .bytes = size,
                          .at = &w.at,
                          .grid = grid->id,
                          .space = px_count_space((enum px_space)in->space),
                          .how = how_of(trap->inst),
                          .error = trap->error,
                          .message = trap->text};
    fill_place(&w, grid->kernel->name, trap->func, trap->inst);
    memcpy(e.cta, trap->cta, sizeof e.cta);
    memcpy(e.thread, trap->thread, sizeof e.thread);
    return tell(grid->device, &e) != 0;
}

/* ---- what memory holds before it is written ---- */

void px_poison(const struct ptx_device *device, uint64_t address, uint64_t bytes)
{
    void *host = device->config.poison ? px_mem_host(&device->mem, address, bytes) : NULL;
    if (host) memset(host, device->config.poison & 255, bytes);
}
