/*
 * api/link.c - the public functions of ptxvm.h about links: check the
 * arguments, call inward.
 */
#include "base/sized.h"
#include "cdp/cdp.h"
#include "link/program.h"

/* The sizes of the first versions. */
enum {
    FIRST_OPTIONS = PX_FIRST(ptx_program_options, fmad),
    FIRST_DIAGNOSTIC = PX_FIRST(ptx_link_diagnostic, first_length)
};

struct ptx_link {
    struct px_linked linked;
    ptx_allocator alloc;
};

static ptx_status check_modules(const ptx_module *const *modules, size_t count)
{
    if (!modules || !count || count > UINT32_MAX) return PTX_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!modules[i]) return PTX_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (modules[i]->diags.errors || modules[i]->check_only) return PTX_ERROR_ASSEMBLY;
    return PTX_OK;
}

ptx_status ptx_link_create(const ptx_module *const *modules, size_t count, const ptx_program_options *options,
                           ptx_link **out)
{
    ptx_program_options own;
    if (!out) return PTX_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    if (!px_take(&own, sizeof own, FIRST_OPTIONS, options)) return PTX_ERROR_INVALID_ARGUMENT;
    ptx_status status = check_modules(modules, count);
    if (status != PTX_OK) return status;
    const ptx_allocator alloc = modules[0]->alloc;
    struct ptx_link *link = px_zalloc(&alloc, sizeof *link);
    if (!link) return PTX_ERROR_OUT_OF_MEMORY;
    link->alloc = alloc;
    status = px_link(&link->linked, &alloc, (ptx_module *const *)(uintptr_t)modules, (uint32_t)count,
                     px_cdp_runtime()->find, &own);
    if (status == PTX_OK || status == PTX_ERROR_LINK) {
        for (uint32_t i = 0; i < link->linked.nmodules; i++) px_module_retain(link->linked.modules[i]);
        *out = link;
    } else {
        px_link_free(&link->linked);
        px_free(&alloc, link, sizeof *link);
    }
    return status;
}

void ptx_link_destroy(ptx_link *link)
{
    if (!link) return;
    const ptx_allocator alloc = link->alloc;
    for (uint32_t i = 0; i < link->linked.nmodules; i++) px_module_release(link->linked.modules[i]);
    px_link_free(&link->linked);
    px_free(&alloc, link, sizeof *link);
}

size_t ptx_link_diagnostic_count(const ptx_link *link)
{
    return link ? link->linked.diags.list.n : 0;
}

static struct px_place line_of(const struct ptx_module *module, px_pos pos)
{
    struct px_source source = module->source; /* its line table is complete: nothing is built here */
    return px_source_place(&source, pos);
}

static void tell_place(ptx_link_diagnostic *told, const struct ptx_module *module, const struct px_diag *diag)
{
    if (!module) return;
    told->module = module;
    told->file = module->source.file;
    if (!px_diag_has_place(diag)) return;
    const struct px_place at = line_of(module, diag->pos);
    told->line = at.line;
    told->column = at.column;
    told->length = diag->length ? diag->length : 1;
}

static void tell_first(ptx_link_diagnostic *told, const struct px_link_place *place)
{
    if (!place->first_module) return;
    const struct px_place at = line_of(place->first_module, place->first);
    told->first_module = place->first_module;
    told->first_file = place->first_module->source.file;
    told->first_line = at.line;
    told->first_column = at.column;
    told->first_length = place->first_length;
}

ptx_status ptx_link_diagnostic_get(const ptx_link *link, size_t index, ptx_link_diagnostic *out)
{
    if (!link || !px_can_give(out, FIRST_DIAGNOSTIC) || index >= link->linked.diags.list.n)
        return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_diag *diag = &link->linked.diags.list.at[index];
    ptx_link_diagnostic told = {.severity = diag->severity,
                                .code = px_diag_code(diag->id),
                                .message = diag->message,
                                .note = diag->note};
    tell_place(&told, link->linked.places.at[index].module, diag);
    tell_first(&told, &link->linked.places.at[index]);
    px_give(out, &told, sizeof told, FIRST_DIAGNOSTIC);
    return PTX_OK;
}
