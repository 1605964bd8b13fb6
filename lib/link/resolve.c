/*
 * resolve.c - names across modules, and what undefined functions are.
 *
 * A symbol with linkage reaches across modules by its name: one strong
 * definition, or the first weak one, or the largest .common; every other
 * declaration of the name is bound to it. A symbol without linkage is its
 * module's own. Functions that stay undefined are asked for as a builtin, then
 * as a host function; they are an error only where something refers to them.
 */
#include "link/link.h"
#include <string.h>

/* ---- global names ---- */

static uint32_t hash_text(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static struct px_global *find_global(struct px_link *link, const char *name)
{
    struct px_link_maps *maps = link->out->maps;
    struct px_global *g = maps->buckets[hash_text(name) & maps->bucket_mask];
    while (g && strcmp(g->name, name) != 0) g = g->next;
    return g;
}

static void add_global(struct px_link *link, const char *name, bool is_func, uint32_t index)
{
    struct px_link_maps *maps = link->out->maps;
    struct px_global **bucket = &maps->buckets[hash_text(name) & maps->bucket_mask];
    struct px_global *g = PX_NEW(link->arena, struct px_global);
    *g = (struct px_global){name, is_func, index, *bucket};
    *bucket = g;
}

static _Noreturn void fail_twice(struct px_link *link, const char *name, const struct ptx_module *first,
                                 const struct ptx_module *second)
{
    px_link_fail(link, "'%s' is defined in %s and again in %s", name, first->source.file,
                 second->source.file);
}

static struct px_global *same_kind(struct px_link *link, const struct px_symbol *s, bool is_func,
                                   const struct ptx_module *module)
{
    struct px_global *g = find_global(link, s->name->text);
    if (g && g->is_func != is_func)
        px_link_fail(link, "'%s' is a function in one module and a variable in another (%s)", s->name->text,
                     module->source.file);
    return g;
}

/* ---- functions ---- */

static bool has_body(const struct px_symbol *s)
{
    return s->u.func->func->body != NULL;
}

static uint32_t new_func(struct px_link *link, const struct ptx_module *module, const struct px_symbol *s)
{
    uint32_t id = link->funcs.n;
    struct px_lfunc f = {.kind = has_body(s) ? PX_LF_CODE : PX_LF_UNDEFINED,
                         .is_entry = s->kind == PX_SYM_ENTRY,
                         .id = id,
                         .name = s->name->text,
                         .fn = s->u.func,
                         .module = module};
    struct px_link_func i = {.weak = s->linkage == PX_L_WEAK,
                             .local = s->linkage == PX_L_NONE && has_body(s)};
    px_vec_push(link->arena, &link->funcs, f);
    px_vec_push(link->arena, &link->ifuncs, i);
    return id;
}

/* Another module says the same name: which definition counts? */
static void merge_func(struct px_link *link, uint32_t id, const struct ptx_module *module,
                       const struct px_symbol *s)
{
    struct px_lfunc *f = &link->funcs.at[id];
    struct px_link_func *i = &link->ifuncs.at[id];
    const bool weak = s->linkage == PX_L_WEAK;
    if (!has_body(s)) return;
    if (f->kind == PX_LF_CODE && !i->weak && !weak) fail_twice(link, f->name, f->module, module);
    if (f->kind == PX_LF_CODE && (weak || !i->weak)) return;
    f->kind = PX_LF_CODE;
    f->fn = s->u.func;
    f->module = module;
    i->weak = weak;
}

static void resolve_func(struct px_link *link, const struct ptx_module *module, const struct px_symbol *s)
{
    const bool local = s->linkage == PX_L_NONE && has_body(s);
    struct px_global *g = local ? NULL : same_kind(link, s, true, module);
    uint32_t id = g ? g->index : new_func(link, module, s);
    if (g)
        merge_func(link, id, module, s);
    else if (!local)
        add_global(link, s->name->text, true, id);
    px_link_bind(link->out->maps, s, id);
}

/* ---- variables ---- */

static bool is_linked_space(unsigned space)
{
    return space == PX_SPACE_GLOBAL || space == PX_SPACE_CONST || space == PX_SPACE_SHARED;
}

static uint32_t new_var(struct px_link *link, const struct ptx_module *module, const struct px_symbol *s,
                        const struct px_function *fn)
{
    const bool is_extern = s->linkage == PX_L_EXTERN;
    struct px_lvar v = {.symbol = s, .module = module, .fn = fn, .space = s->space, .size = s->size};
    struct px_link_var i = {.weak = s->linkage == PX_L_WEAK,
                            .local = s->linkage == PX_L_NONE,
                            .common = s->linkage == PX_L_COMMON,
                            .defined = !is_extern,
                            .dynamic = is_extern && s->space == PX_SPACE_SHARED && !s->size,
                            .align = s->align ? s->align : 1};
    if (px_type_info((enum px_type)s->type)->klass == PX_TC_OPAQUE && !v.size) v.size = i.align = 8;
    px_vec_push(link->arena, &link->vars, v);
    px_vec_push(link->arena, &link->ivars, i);
    return link->vars.n - 1;
}

static void merge_var(struct px_link *link, uint32_t id, const struct ptx_module *module,
                      const struct px_symbol *s)
{
    struct px_lvar *v = &link->vars.at[id];
    struct px_link_var *i = &link->ivars.at[id];
    const bool weak = s->linkage == PX_L_WEAK, common = s->linkage == PX_L_COMMON;
    if (v->space != s->space)
        px_link_fail(link, "'%s' is in different state spaces in %s and %s", s->name->text,
                     v->module->source.file, module->source.file);
    if (s->align > i->align) i->align = s->align;
    if (s->linkage == PX_L_EXTERN) return;
    if (i->defined && !i->weak && !i->common && !weak && !common)
        fail_twice(link, s->name->text, v->module, module);
    if (common && i->common && s->size > v->size) v->size = s->size;
    if (i->defined && (weak || common || (!i->weak && !i->common))) return;
    v->symbol = s;
    v->module = module;
    v->size = s->size > v->size || !i->common ? s->size : v->size;
    i->defined = true;
    i->dynamic = false;
    i->weak = weak;
    i->common = common;
}

static void resolve_var(struct px_link *link, const struct ptx_module *module, const struct px_symbol *s)
{
    if (!is_linked_space(s->space)) return;
    const bool local = s->linkage == PX_L_NONE;
    struct px_global *g = local ? NULL : same_kind(link, s, false, module);
    uint32_t id = g ? g->index : new_var(link, module, s, NULL);
    if (g)
        merge_var(link, id, module, s);
    else if (!local)
        add_global(link, s->name->text, false, id);
    px_link_bind(link->out->maps, s, id);
}

static void resolve_inner_vars(struct px_link *link, const struct px_lfunc *f)
{
    for (uint32_t i = 0; i < f->fn->vars.n; i++) {
        const struct px_symbol *s = f->fn->vars.at[i];
        if (s->kind == PX_SYM_VAR && is_linked_space(s->space))
            px_link_bind(link->out->maps, s, new_var(link, f->module, s, f->fn));
    }
}

/* ---- all of it ---- */

static void resolve_module(struct px_link *link, const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (s->alias_of) continue;
        if (s->kind == PX_SYM_FUNC || s->kind == PX_SYM_ENTRY) resolve_func(link, module, s);
        if (s->kind == PX_SYM_VAR) resolve_var(link, module, s);
    }
}

static void copy_definition(struct px_lfunc *to, const struct px_lfunc *from)
{
    to->kind = from->kind;
    to->fn = from->fn;
    to->module = from->module;
}

/* An alias is another name of a function of its module, for other modules too. */
static void resolve_aliases(struct px_link *link, const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (!s->alias_of) continue;
        uint32_t id = px_link_index(link->out->maps, s->alias_of);
        if (id == UINT32_MAX) px_link_fail(link, "alias '%s' names no function", s->name->text);
        px_link_bind(link->out->maps, s, id);
        struct px_global *g = find_global(link, s->name->text);
        if (!g)
            add_global(link, s->name->text, true, id);
        else if (g->is_func && link->funcs.at[g->index].kind == PX_LF_UNDEFINED)
            copy_definition(&link->funcs.at[g->index], &link->funcs.at[id]);
    }
}

void px_link_resolve(struct px_link *link)
{
    for (uint32_t m = 0; m < link->out->nmodules; m++) resolve_module(link, link->out->modules[m]);
    for (uint32_t m = 0; m < link->out->nmodules; m++) resolve_aliases(link, link->out->modules[m]);
    for (uint32_t i = 0; i < link->funcs.n; i++) {
        struct px_lfunc *f = &link->funcs.at[i];
        const struct px_builtin *b = link->ifuncs.at[i].local ? NULL
                                     : link->builtins         ? link->builtins(f->name)
                                                              : NULL;
        if (b && (f->kind == PX_LF_UNDEFINED || b->over_definitions)) {
            f->kind = PX_LF_BUILTIN;
            f->builtin = b;
        }
        if (f->kind == PX_LF_CODE) resolve_inner_vars(link, f);
    }
}

/* A builtin is called with the declaration's layout, so the two must agree. */
static void check_builtin(struct px_link *link, const struct px_lfunc *f)
{
    const struct px_builtin *b = f->builtin;
    if (f->fn->param_bytes != b->arg_bytes || (f->fn->ret_bytes && f->fn->ret_bytes != b->ret_bytes))
        px_link_fail(
            link,
            "'%s' is declared in %s with %u bytes of parameters and %u of results; the device runtime's "
            "has %u and %u",
            f->name, f->module->source.file, (unsigned)f->fn->param_bytes, (unsigned)f->fn->ret_bytes,
            b->arg_bytes, b->ret_bytes);
}

static void find_host(struct px_link *link, struct px_lfunc *f, const struct px_link_func *i)
{
    if (link->options->resolve && !f->is_entry)
        f->host = link->options->resolve(link->options->resolve_user, f->name);
    if (!f->host)
        px_link_fail(link, "undefined %s '%s', used in '%s' (%s:%u)", f->is_entry ? "kernel" : "function",
                     f->name, i->user->symbol->name->text, i->user_module->source.file,
                     px_link_line(i->user_module, i->used_at));
    f->kind = PX_LF_HOST;
}

void px_link_check_externs(struct px_link *link)
{
    for (uint32_t i = 0; i < link->funcs.n; i++) {
        struct px_lfunc *f = &link->funcs.at[i];
        if (!link->ifuncs.at[i].user) continue;
        if (f->kind == PX_LF_BUILTIN) check_builtin(link, f);
        if (f->kind == PX_LF_UNDEFINED) find_host(link, f, &link->ifuncs.at[i]);
    }
}
