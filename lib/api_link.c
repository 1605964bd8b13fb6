/*
 * api_link.c - the public functions of ptxvm.h about links: check the
 * arguments, call inward.
 */
#include "cdp/cdp.h"
#include "link/program.h"

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
    if (!out) return PTX_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    ptx_status status = check_modules(modules, count);
    if (status != PTX_OK) return status;
    const ptx_allocator alloc = modules[0]->alloc;
    struct ptx_link *link = px_zalloc(&alloc, sizeof *link);
    if (!link) return PTX_ERROR_OUT_OF_MEMORY;
    link->alloc = alloc;
    status = px_link(&link->linked, &alloc, (ptx_module *const *)(uintptr_t)modules, (uint32_t)count,
                     px_cdp_runtime()->find, options);
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

static ptx_link_place place_of(const struct ptx_module *module, px_pos pos, uint32_t length)
{
    if (!module) return (ptx_link_place){0};
    ptx_link_place place = {.module = module, .file = module->source.file};
    if (pos == PX_NO_PLACE) return place;
    struct px_source source = module->source; /* its line table is complete: nothing is built here */
    const struct px_place at = px_source_place(&source, pos);
    place.line = at.line;
    place.column = at.column;
    place.length = length ? length : 1;
    return place;
}

ptx_status ptx_link_diagnostic_get(const ptx_link *link, size_t index, ptx_link_diagnostic *out)
{
    if (!link || !out || index >= link->linked.diags.list.n) return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_diag *diag = &link->linked.diags.list.at[index];
    const struct px_link_place *place = &link->linked.places.at[index];
    *out = (ptx_link_diagnostic){.severity = diag->severity,
                                 .code = px_diag_code(diag->id),
                                 .message = diag->message,
                                 .note = diag->note,
                                 .at = place_of(place->module, diag->pos, diag->length),
                                 .first = place_of(place->first_module, place->first, place->first_length)};
    return PTX_OK;
}
