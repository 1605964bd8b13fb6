/*
 * link.c - several modules as one program: the steps, and the lookups after.
 *
 * The steps are: see what each module names, merge the names, list who calls and
 * uses what, give every undefined name a meaning, lay out memory. Everything lives in
 * one arena; running out of memory unwinds to px_link. Errors are gathered: a
 * step goes on after one, and memory is laid out only when there is none.
 */
#include "link/link.h"
#include "check/scope.h"
#include <string.h>

/* ---- diagnostics ---- */

struct px_diag *px_link_places(struct px_link *link, struct px_diag *diag, const struct ptx_module *module,
                               struct px_mention first)
{
    struct px_link_place place = {.module = module, .first_module = first.module};
    if (first.module) {
        place.first = first.symbol->pos;
        place.first_length = first.symbol->name->len;
    }
    px_vec_push(link->arena, &link->out->places, place);
    return diag;
}

/* ---- what each symbol became ---- */

static uint32_t hash_pointer(const void *p)
{
    uint64_t h = (uint64_t)(uintptr_t)p * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32);
}

void px_link_bind(struct px_link_maps *maps, const struct px_symbol *symbol, uint32_t index)
{
    uint32_t i = hash_pointer(symbol) & maps->mask;
    while (maps->keys[i] && maps->keys[i] != symbol) i = (i + 1) & maps->mask;
    maps->keys[i] = symbol;
    maps->values[i] = index;
}

uint32_t px_link_index(const struct px_link_maps *maps, const struct px_symbol *symbol)
{
    uint32_t i = hash_pointer(symbol) & maps->mask;
    for (; maps->keys[i]; i = (i + 1) & maps->mask)
        if (maps->keys[i] == symbol) return maps->values[i];
    return UINT32_MAX;
}

static bool is_function(const struct px_symbol *symbol)
{
    return symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY;
}

const struct px_lfunc *px_link_func(const struct px_linked *linked, const struct px_symbol *symbol)
{
    const uint32_t i = symbol && is_function(symbol) ? px_link_index(linked->maps, symbol) : UINT32_MAX;
    return i == UINT32_MAX ? NULL : &linked->funcs[i];
}

const struct px_lvar *px_link_var(const struct px_linked *linked, const struct px_symbol *symbol)
{
    const bool is_var = symbol && symbol->kind == PX_SYM_VAR;
    const uint32_t i = is_var ? px_link_index(linked->maps, symbol) : UINT32_MAX;
    return i == UINT32_MAX ? NULL : &linked->vars[i];
}

const struct px_symbol *px_link_symbol(const struct px_linked *linked, size_t module, const char *name)
{
    if (module >= linked->nmodules) return NULL;
    const struct px_name *known = px_names_find(&linked->modules[module]->names, name, strlen(name));
    return known ? px_scope_module(known) : NULL;
}

const struct px_lfunc *px_link_kernel_named(const struct px_linked *linked, const char *name)
{
    const struct px_global *g = px_link_name(linked->maps, name, true, false);
    if (!g || !linked->funcs[g->index].is_entry) g = px_link_name(linked->maps, name, true, true);
    const struct px_lfunc *f = g ? &linked->funcs[g->index] : NULL;
    return f && f->is_entry && f->kind == PX_FUNCTION_CODE ? f : NULL;
}

static const struct px_lvar *var_named(const struct px_linked *linked, const char *name)
{
    const struct px_global *g = px_link_name(linked->maps, name, false, false);
    if (!g) g = px_link_name(linked->maps, name, false, true);
    return g ? &linked->vars[g->index] : NULL;
}

const struct px_lvar *px_link_opaque_named(const struct px_linked *linked, const char *name)
{
    const struct px_lvar *v = var_named(linked, name);
    return v && v->space == PX_SPACE_TEX ? v : NULL;
}

const struct px_lvar *px_link_var_named(const struct px_linked *linked, const char *name)
{
    const struct px_lvar *v = var_named(linked, name);
    return v && (v->space == PX_SPACE_GLOBAL || v->space == PX_SPACE_CONST) ? v : NULL;
}

/* ---- the steps ---- */

/* A power of two of at least twice the symbols. */
static uint32_t table_size(const struct px_linked *linked)
{
    size_t n = 16;
    for (uint32_t m = 0; m < linked->nmodules; m++) {
        const struct ptx_module *module = linked->modules[m];
        n += module->symbols.n;
        for (uint32_t f = 0; f < module->functions.n; f++) n += module->functions.at[f]->vars.n;
    }
    uint32_t size = 64;
    while (size < 2 * n) size *= 2;
    return size;
}

static void make_maps(struct px_link *link)
{
    struct px_link_maps *maps = link->out->maps = PX_NEW(link->arena, struct px_link_maps);
    uint32_t size = table_size(link->out);
    maps->keys = PX_NEW_N(link->arena, const struct px_symbol *, size);
    maps->values = PX_NEW_N(link->arena, uint32_t, size);
    maps->mask = size - 1;
    maps->buckets = PX_NEW_N(link->arena, struct px_global *, size);
}

/* A module's symbols are one set, so it cannot be two parts of a program. */
static void check_given_twice(struct px_link *link)
{
    const struct px_linked *out = link->out;
    uint32_t size = 16;
    while (size < 2 * (uint64_t)out->nmodules) size *= 2;
    const struct ptx_module **seen = PX_NEW_N(link->arena, const struct ptx_module *, size);
    for (uint32_t m = 0; m < out->nmodules; m++) {
        const struct ptx_module *module = out->modules[m];
        uint32_t i = hash_pointer(module) & (size - 1);
        while (seen[i] && seen[i] != module) i = (i + 1) & (size - 1);
        if (seen[i])
            px_link_say(link, LINK_GIVEN, module, PX_NO_PLACE, 0, (struct px_mention){0},
                        module->source.file);
        seen[i] = module;
    }
}

static void run_steps(struct px_link *link, ptx_module *const *modules)
{
    struct px_linked *out = link->out;
    out->modules = PX_NEW_N(link->arena, struct ptx_module *, out->nmodules);
    memcpy(out->modules, modules, out->nmodules * sizeof *modules);
    check_given_twice(link);
    if (out->diags.errors) return;
    make_maps(link);
    px_link_survey(link);
    px_link_merge(link);
    px_link_bodies(link);
    px_link_externs(link);
    if (!out->diags.errors) px_link_layout(link);
    out->funcs = link->funcs.at;
    out->nfuncs = link->funcs.n;
    out->vars = link->vars.at;
    out->nvars = link->vars.n;
}

ptx_status px_link(struct px_linked *linked, const ptx_allocator *alloc, ptx_module *const *modules,
                   uint32_t n, px_builtin_find builtins, const ptx_program_options *options)
{
    static const ptx_program_options none;
    *linked = (struct px_linked){.nmodules = n};
    struct px_link link = {
        .out = linked, .arena = &linked->arena, .builtins = builtins, .options = options ? options : &none};
    px_arena_init(&linked->arena, alloc, &link.failure);
    linked->diags.arena = &linked->arena;
    ptx_status status = PTX_ERROR_OUT_OF_MEMORY;
    if (!setjmp(link.failure)) {
        run_steps(&link, modules);
        status = linked->diags.errors ? PTX_ERROR_LINK : PTX_OK;
    }
    linked->arena.on_failure = NULL;
    return status;
}

void px_link_place(struct px_linked *linked, ptx_address global_base, ptx_address const_base,
                   ptx_address func_base, uint64_t opaque_base)
{
    linked->global_base = global_base;
    linked->const_base = const_base;
    for (uint32_t i = 0; i < linked->nvars; i++)
        if (linked->vars[i].space == PX_SPACE_GLOBAL)
            linked->vars[i].address += global_base;
        else if (linked->vars[i].space == PX_SPACE_TEX)
            linked->vars[i].address += opaque_base;
    for (uint32_t i = 0; i < linked->nfuncs; i++) linked->funcs[i].address = func_base + 16 * (uint64_t)i;
}

void px_link_free(struct px_linked *linked)
{
    px_arena_free(&linked->arena);
}
