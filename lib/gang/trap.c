/*
 * trap.c - a gang stops: the trap is written down as plain data.
 *
 * Words for people are made of it after the launch (vm/device/fault.c).
 */
#include "front/ast.h"
#include "gang/gang.h"
#include "gang/place.h"
#include <stdarg.h>
#include <stdio.h>

const char *px_cuda_error_name(int error)
{
    switch (error) {
#define PX_CUDA_ERROR(number, runtime, driver, text)                                                         \
    case number:                                                                                             \
        return *driver ? driver : runtime;
#include "gang/cuda_errors.def"
#undef PX_CUDA_ERROR
    default: return "";
    }
}

static void place_of(const struct px_gang *g, uint32_t lane, struct px_trap *trap)
{
    const struct px_cta *cta = g->cta;
    for (int i = 0; i < 3; i++) {
        trap->cta[i] = cta->ctaid[i];
        trap->thread[i] = g->tid[i][lane];
    }
    trap->grid = cta->grid;
    trap->slot = cta->slot;
    trap->local_owner = cta->local_owner;
    trap->linear = g->first + lane;
}

int px_gang_trap(struct px_gang *g, const struct px_insn *in, uint32_t lane, int error, uint64_t address,
                 const char *format, ...)
{
    struct px_trap *trap = &g->cta->trap;
    const struct px_fcode *code = g->running->code;
    trap->error = error;
    trap->address = address;
    trap->func = code->func;
    trap->inst = in ? code->src[in->src].inst : NULL;
    trap->depth = px_place_calls(g->running, trap->calls);
    trap->space = in ? in->space : PX_SPACE_NONE;
    trap->local_to = g->running->local_top;
    trap->local_from = trap->local_to - code->local_bytes;
    place_of(g, lane, trap);
    va_list list;
    va_start(list, format);
    vsnprintf(trap->text, sizeof trap->text, format, list);
    va_end(list);
    return PX_STEP_TRAP;
}
