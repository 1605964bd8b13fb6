/*
 * program.c - linked modules loaded on a device.
 *
 * Loading gives the variables their memory: .global in device memory, each
 * variable with bounds of its own, .const in an image that the const window
 * shows. Kernels are decoded when they are first launched.
 */
#include "link/program.h"
#include "vm/device/device.h"
#include "vm/run/tally.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { GLOBAL_ALIGN = 4096 };

static bool all_checked(ptx_device *device, const ptx_module *const *modules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ptx_module *module = modules[i];
        if (!module->diags.errors && !module->check_only) continue;
        px_device_say(device, "%s %s", module->source.file,
                      module->diags.errors ? "has errors" : "was only checked");
        return false;
    }
    return true;
}

/* What those who ask for an address are told of variables; the host uses managed ones at their address. */
static void tag_globals(struct ptx_program *program)
{
    struct px_mem *mem = &program->device->mem;
    for (uint32_t i = 0; i < program->linked.nvars; i++) {
        const struct px_lvar *v = &program->linked.vars[i];
        if (v->space != PX_SPACE_GLOBAL || !v->size) continue;
        const bool managed = mem->unified && px_link_managed(v->symbol);
        px_mem_tag(mem, v->address, managed ? PX_MEM_MANAGED : PX_MEM_DEVICE, PX_MEM_VARIABLE);
    }
}

/* Variables get bounds of their own; a variable without bytes has none. */
static bool carve_globals(struct ptx_program *program)
{
    const struct px_linked *l = &program->linked;
    struct px_extent *blocks = px_alloc(&program->device->alloc, l->nvars * sizeof *blocks);
    if (!blocks) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->nvars; i++)
        if (l->vars[i].space == PX_SPACE_GLOBAL && l->vars[i].size)
            blocks[n++] = (struct px_extent){l->vars[i].address, l->vars[i].size};
    pthread_mutex_lock(&program->device->mem_lock);
    bool ok = px_mem_carve(&program->device->mem, program->global_base, blocks, n);
    if (ok) tag_globals(program);
    pthread_mutex_unlock(&program->device->mem_lock);
    px_free(&program->device->alloc, blocks, l->nvars * sizeof *blocks);
    return ok;
}

static ptx_status make_images(struct ptx_program *program)
{
    struct px_linked *l = &program->linked;
    struct px_mem *mem = &program->device->mem;
    if (l->global_bytes &&
        !px_device_alloc(program->device, l->global_bytes, GLOBAL_ALIGN, &program->global_base)) {
        px_device_say(program->device,
                      "no device memory for the %" PRIu64 " bytes of .global variables; ask for more "
                      "(--memory, ptx_device_config.memory_bytes)",
                      l->global_bytes);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    program->const_image = px_zalloc(&program->device->alloc, l->const_bytes);
    if (!program->const_image) {
        px_device_say(program->device, "no memory for the %" PRIu64 " bytes of .const variables",
                      l->const_bytes);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    if (!px_opaque_variables(program)) {
        px_device_say(program->device, "no memory for the texture and surface variables");
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    px_link_place(l, program->global_base, px_window_base(PX_WIN_CONST, program->number),
                  px_window_base(PX_WIN_FUNC, program->number), program->opaque_base);
    uint8_t *global_image = l->global_bytes ? px_mem_host(mem, program->global_base, l->global_bytes) : NULL;
    px_gate_enter(&program->device->copies);
    const struct px_lvar *bad = px_link_initialise(l, global_image, program->const_image);
    px_gate_leave(&program->device->copies);
    if (bad) {
        struct px_source source = bad->module->source; /* its line table is complete: nothing is built here */
        px_device_say(program->device, "%s:%u: the initialiser of '%s' cannot be worked out", source.file,
                      px_source_place(&source, bad->symbol->u.var->pos).line, bad->symbol->name->text);
        return PTX_ERROR_UNSUPPORTED;
    }
    if (px_opaque_variables_begin(program) && (!l->global_bytes || carve_globals(program))) return PTX_OK;
    return px_device_no_memory(program->device);
}

static void describe(char *to, size_t room, const char *before, const struct ptx_module *module, px_pos pos,
                     const char *after)
{
    struct px_source source = module->source; /* its line table is complete: nothing is built here */
    snprintf(to, room, "%s%s:%u%s", before, source.file, px_source_place(&source, pos).line, after);
}

/* "b.ptx:4: Multiple definition ... (first at a.ptx:3), and 2 more": the first of what is wrong. */
static void say_link_failure(struct ptx_device *device, const struct px_linked *l)
{
    if (!l->diags.list.n) {
        px_device_say(device, "out of memory");
        return;
    }
    const struct px_diag *d = &l->diags.list.at[0];
    const struct px_link_place *place = &l->places.at[0];
    char where[300] = "", first[300] = "", more[40] = "";
    if (place->module && px_diag_has_place(d)) describe(where, sizeof where, "", place->module, d->pos, ": ");
    if (place->first_module)
        describe(first, sizeof first, " (declared at ", place->first_module, place->first, ")");
    if (l->diags.list.n > 1) snprintf(more, sizeof more, ", and %u more", l->diags.list.n - 1);
    px_device_say(device, "%s%s%s%s%s%s", where, d->message, d->note ? ", " : "", d->note ? d->note : "",
                  first, more);
}

static ptx_status fill_program(struct ptx_program *program, const ptx_module *const *modules, size_t count,
                               const ptx_program_options *options)
{
    struct ptx_device *device = program->device;
    const char *error = NULL;
    ptx_status status = px_link(&program->linked, &device->alloc, (ptx_module *const *)(uintptr_t)modules,
                                (uint32_t)count, device->runtime ? device->runtime->find : NULL, options);
    if (status != PTX_OK) {
        say_link_failure(device, &program->linked);
        return status;
    }
    for (size_t i = 0; i < count; i++) px_module_retain(program->linked.modules[i]);
    program->retained = true;
    status = make_images(program);
    if (status == PTX_OK && !px_host_prepare(program, &error)) {
        px_device_say(device, "%s", error ? error : "out of memory");
        status = error ? PTX_ERROR_UNSUPPORTED : PTX_ERROR_OUT_OF_MEMORY;
    }
    return status;
}

/* Old PTX has 32-bit addresses and variables where the VM has none. */
static bool all_runnable(ptx_device *device, const ptx_module *const *modules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (modules[i]->unrunnable) {
            px_device_say(device, "%s %s, which this VM cannot run", modules[i]->source.file,
                          modules[i]->unrunnable);
            return false;
        }
    return true;
}

/* It is complete: its windows mean something from now on. */
static void show_program(struct ptx_program *program)
{
    struct ptx_device *device = program->device;
    pthread_mutex_lock(&device->lock);
    program->next = device->programs;
    device->programs = program;
    pthread_mutex_unlock(&device->lock);
}

/* One that never was complete is in no list. */
static void unlink_program(struct ptx_program *program)
{
    struct ptx_device *device = program->device;
    pthread_mutex_lock(&device->lock);
    struct ptx_program **at = &device->programs;
    while (*at && *at != program) at = &(*at)->next;
    if (*at) *at = program->next;
    pthread_mutex_unlock(&device->lock);
}

ptx_status px_program_create(ptx_device *device, const ptx_module *const *modules, size_t count,
                             const ptx_program_options *options, ptx_program **out)
{
    px_device_say(device, "%s", "");
    px_device_reap(device);
    if (!all_checked(device, modules, count)) return PTX_ERROR_ASSEMBLY;
    if (!all_runnable(device, modules, count)) return PTX_ERROR_UNSUPPORTED;
    struct ptx_program *program = px_zalloc(&device->alloc, sizeof *program);
    if (!program) return px_device_no_memory(device);
    program->device = device;
    program->fmad = options ? options->fmad : PTX_FMAD_DEFAULT;
    atomic_init(&program->refs, 1);
    pthread_mutex_lock(&device->lock);
    program->number = ++device->next_program;
    pthread_mutex_unlock(&device->lock);
    pthread_mutex_init(&program->code_lock, NULL);
    pthread_mutex_init(&program->div_lock, NULL);
    px_arena_init(&program->code_arena, &device->alloc, NULL);
    ptx_status status = fill_program(program, modules, count, options);
    if (status == PTX_OK)
        show_program(*out = program);
    else
        px_program_destroy(program);
    return status;
}

void px_program_release(ptx_program *program)
{
    if (!program || atomic_fetch_sub(&program->refs, 1) != 1) return;
    struct ptx_device *device = program->device; /* the caller may hold locks: it is freed later */
    program->dead = atomic_load(&device->dead);
    while (!atomic_compare_exchange_weak(&device->dead, &program->dead, program)) {
    }
}

void px_device_reap(ptx_device *device)
{
    px_textures_reap(device);
    if (!atomic_load_explicit(&device->dead, memory_order_relaxed)) return;
    for (struct ptx_program *p = atomic_exchange(&device->dead, NULL), *next; p; p = next) {
        next = p->dead;
        px_program_free(p);
    }
}

void px_program_destroy(ptx_program *program)
{
    if (!program) return;
    struct ptx_device *device = program->device;
    px_program_release(program);
    px_device_reap(device);
}

static void free_kernels(struct ptx_program *program)
{
    for (struct ptx_kernel *k = program->kernels, *next; k; k = next) {
        next = k->next;
        px_free(&program->device->alloc, k, sizeof *k);
    }
}

static void free_code(ptx_program *program, const ptx_allocator *alloc)
{
    for (const struct px_code *code = program->code; code; code = code->next)
        for (uint32_t i = 0; i < program->linked.nfuncs; i++) {
            const struct px_fcode *f = code->funcs[i];
            if (!f) continue;
            px_free(alloc, f->records, px_records_bytes(f->n));
            px_free(alloc, f->div, f->ndiv * sizeof *f->div);
        }
    for (const struct px_code *code = program->code; code; code = code->next) px_regions_free(code);
    for (const struct px_code *code = program->code; code; code = code->next)
        for (uint32_t i = 0; code->tallies && i < program->device->config.workers; i++)
            px_free(alloc, code->tallies[i], code->ntallies * sizeof **code->tallies);
}

void px_program_free(ptx_program *program)
{
    const ptx_allocator alloc = program->device->alloc;
    unlink_program(program);
    px_sched_forget(&program->device->sched);
    px_tally_gone(program);
    px_launches_forget(program);
    if (program->device->mistakes) program->device->mistakes_forget(program->device->mistakes);
    px_notice_forget(program->device);
    free_kernels(program);
    px_host_free(program);
    free_code(program, &alloc);
    px_arena_free(&program->code_arena);
    pthread_mutex_destroy(&program->code_lock);
    pthread_mutex_destroy(&program->div_lock);
    if (program->global_base) px_device_drop(program->device, program->global_base);
    px_opaque_variables_free(program);
    px_free(&alloc, program->const_image, program->linked.const_bytes);
    for (uint32_t i = 0; program->retained && i < program->linked.nmodules; i++)
        px_module_release(program->linked.modules[i]);
    px_link_free(&program->linked);
    px_free(&alloc, program, sizeof *program);
}

/* ---- what a program holds ---- */

ptx_status px_program_kernel_of(ptx_program *program, const struct px_lfunc *func, ptx_kernel **out)
{
    struct ptx_device *device = program->device;
    struct ptx_kernel *made = px_alloc(&device->alloc, sizeof *made);
    pthread_mutex_lock(&device->lock);
    struct ptx_kernel *k = program->kernels;
    while (k && k->func != func) k = k->next;
    if (!k && made) {
        *made = (struct ptx_kernel){.program = program, .func = func, .next = program->kernels};
        k = program->kernels = made;
        made = NULL;
    }
    pthread_mutex_unlock(&device->lock);
    px_free(&device->alloc, made, sizeof *made);
    *out = k;
    return k ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_program_kernel(ptx_program *program, size_t module, const char *name, ptx_kernel **out)
{
    const struct px_linked *l = &program->linked;
    const struct px_lfunc *f = module == PX_ANY_MODULE ? px_link_kernel_named(l, name)
                                                       : px_link_func(l, px_link_symbol(l, module, name));
    if (!f || !f->is_entry || f->kind != PX_FUNCTION_CODE) return PTX_ERROR_NOT_FOUND;
    return px_program_kernel_of(program, f, out);
}

ptx_status px_program_gaps(ptx_program *program, void (*tell)(void *user, const ptx_gap *gap), void *user,
                           uint64_t *instructions)
{
    struct px_listener listener = {.tell = tell, .user = user};
    const bool ok = px_code_gaps(&program->linked, program->number, program->device->level, program->fmad,
                                 &program->device->alloc, &listener);
    if (instructions) *instructions = listener.instructions;
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

static void show_refusal(void *user, const char *why)
{
    const struct px_dump *dump = user;
    (void)dump->write(dump->user, why, strlen(why));
    (void)dump->write(dump->user, "\n", 1);
}

ptx_status px_program_show_ir(ptx_program *program, const char *what, unsigned threads, ptx_write_fn write,
                              void *user)
{
    enum { USUAL = 256 };
    struct ptx_device *device = program->device;
    struct px_dump dump = {.write = write, .user = user};
    struct px_code_wishes wishes = px_program_wishes(program);
    if (!px_device_dump(device, what, &dump)) return PTX_ERROR_INVALID_ARGUMENT;
    wishes.dump = &dump;
    const bool ok = px_code_show(&program->linked, program->number, device->level, &wishes,
                                 threads ? threads : USUAL, &device->alloc, show_refusal, &dump);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_program_variable(ptx_program *program, size_t module, const char *name, ptx_address *address,
                               uint64_t *size)
{
    const struct px_linked *l = &program->linked;
    const struct px_lvar *v = module == PX_ANY_MODULE ? px_link_var_named(l, name)
                                                      : px_link_var(l, px_link_symbol(l, module, name));
    if (!v || (v->space != PX_SPACE_GLOBAL && v->space != PX_SPACE_CONST)) return PTX_ERROR_NOT_FOUND;
    *address = v->address + (v->space == PX_SPACE_CONST ? l->const_base : 0);
    *size = v->size;
    return PTX_OK;
}

void px_kernel_info(const ptx_kernel *kernel, ptx_kernel_info *info)
{
    const struct px_function *fn = kernel->func->fn;
    *info = (ptx_kernel_info){.name = kernel->func->name,
                              .param_count = fn->func->nparams,
                              .param_bytes = fn->param_bytes,
                              .static_shared_bytes = kernel->func->static_shared};
    for (uint32_t i = 0; i < fn->vars.n; i++) {
        const struct px_symbol *s = fn->vars.at[i];
        if (s->space != PX_SPACE_LOCAL) continue;
        info->local_bytes = (info->local_bytes + s->align - 1) / s->align * s->align + s->size;
    }
    memcpy(info->reqntid, fn->reqntid, sizeof info->reqntid);
    memcpy(info->maxntid, fn->maxntid, sizeof info->maxntid);
    info->max_registers = fn->maxnreg;
    info->min_blocks = fn->minnctapersm;
    info->is_shared = fn->symbol->linkage != PX_L_NONE;
}
