/*
 * decoded.c - the decoded kernels of a program, one for each number of threads that was launched, with and
 * without clusters.
 *
 * What is found here lives as long as the program. The list only grows, at its head, under the program's
 * code_lock, so whoever looks for what is there already needs no lock. So it is for the divergent versions of
 * functions, which workers make where lanes part first.
 */
#include "code/code.h"
#include "vm/device/device.h"
#include <pthread.h>

static struct px_code *find_code(struct ptx_program *program, const struct px_lfunc *kernel, uint32_t threads,
                                 bool clustered)
{
    for (struct px_code *c = atomic_load_explicit(&program->code, memory_order_acquire); c; c = c->next)
        if (c->entry->func == kernel && c->threads == threads && c->clustered == clustered) return c;
    return NULL;
}

struct px_code_wishes px_program_wishes(const struct ptx_program *program)
{
    const struct ptx_device *device = program->device;
    return (struct px_code_wishes){.approx_exact = device->config.approx_exact != 0,
                                   .ub_chip = device->config.ub == PTX_UB_CHIP,
                                   .fmad = program->fmad,
                                   .engine = device->engine,
                                   .counters = device->config.counts ? device->config.workers : 0,
                                   .shuffles = device->config.schedule == PTX_SCHEDULE_RANDOM,
                                   .traces = device->config.trace != NULL,
                                   .events = device->hears_events,
                                   .verifies = device->engine & PX_ENGINE_VERIFY,
                                   .dump = device->dump.write ? &device->dump : NULL};
}

static struct px_code *decode_locked(struct ptx_program *program, const struct px_lfunc *kernel,
                                     uint32_t threads, bool clustered, struct px_refusal *why)
{
    jmp_buf no_memory;
    struct px_code *code = find_code(program, kernel, threads, clustered);
    if (code) return code;
    program->code_arena.on_failure = &no_memory;
    *why = (struct px_refusal){0};
    if (setjmp(no_memory)) return NULL;
    struct px_code_wishes wishes = px_program_wishes(program);
    wishes.clustered = clustered;
    code = px_decode(&program->linked, kernel, threads, program->number, program->device->level, &wishes,
                     &program->code_arena, why);
    if (!code) return NULL;
    atomic_fetch_add(&program->device->sched.regions_made, code->nregions);
    atomic_fetch_add(&program->device->sched.regions_refused, code->machine_refused);
    code->next = atomic_load_explicit(&program->code, memory_order_relaxed);
    atomic_store_explicit(&program->code, code, memory_order_release);
    return code;
}

const struct px_code *px_code_get(struct ptx_program *program, const struct px_lfunc *kernel,
                                  uint32_t threads, bool clustered, struct px_refusal *why)
{
    const struct px_code *code = find_code(program, kernel, threads, clustered);
    if (code) return code;
    pthread_mutex_lock(&program->code_lock);
    code = decode_locked(program, kernel, threads, clustered, why);
    pthread_mutex_unlock(&program->code_lock);
    return code;
}

const struct px_insn *px_code_div(const struct px_grid *grid, const struct px_fcode *code)
{
    struct ptx_program *program = grid->program;
    struct px_fcode *f = grid->code->funcs[code->func->id];
    pthread_mutex_lock(&program->div_lock);
    struct px_insn *div = atomic_load_explicit(&f->div, memory_order_relaxed);
    if (!div) {
        div = px_div_make(f, &program->device->alloc);
        atomic_store_explicit(&f->div, div, memory_order_release);
    }
    pthread_mutex_unlock(&program->div_lock);
    return div;
}
