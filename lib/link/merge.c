/*
 * merge.c - names across modules.
 *
 * A symbol with linkage reaches across modules by its name. The modules are
 * taken in order, and each mention of a name is held against what is known of
 * it, by the rules of nvlink (docs/linking.md): the declarations must agree,
 * a strong definition takes the place of a weak or common one, the first weak
 * one stays, and two strong ones are an error. A symbol without linkage is its
 * module's own. After an error the link goes on, so that all are told at once.
 */
#include "link/link.h"
#include <string.h>

static const char *file_of(struct px_mention mention)
{
    return mention.module->source.file;
}

/* ---- the table of names ---- */

static uint32_t hash_text(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static struct px_global *next_called(struct px_global *g, const char *name, bool local)
{
    while (g && (g->local != local || strcmp(g->name, name) != 0)) g = g->next;
    return g;
}

static struct px_global *find(const struct px_link_maps *maps, const char *name, bool local)
{
    return next_called(maps->buckets[hash_text(name) & maps->mask], name, local);
}

struct px_global *px_link_name(const struct px_link_maps *maps, const char *name, bool is_func, bool local)
{
    struct px_global *g = find(maps, name, local);
    while (g && g->is_func != is_func) g = next_called(g->next, name, local);
    return g;
}

/* Of names that modules have for themselves the first module's is kept, for those who ask by name. */
static void add(struct px_link *link, const char *name, bool is_func, bool local, uint32_t index)
{
    struct px_link_maps *maps = link->out->maps;
    struct px_global **bucket = &maps->buckets[hash_text(name) & maps->mask];
    if (local && px_link_name(maps, name, is_func, true)) return;
    struct px_global *g = PX_NEW(link->arena, struct px_global);
    *g =
        (struct px_global){.name = name, .is_func = is_func, .local = local, .index = index, .next = *bucket};
    *bucket = g;
}

/* ---- functions ---- */

static bool has_body(const struct px_symbol *s)
{
    return s->u.func->func->body != NULL;
}

static enum px_link_state state_of_func(const struct px_symbol *s)
{
    if (!has_body(s)) return PX_LINK_OPEN;
    return s->linkage == PX_L_WEAK ? PX_LINK_WEAK : PX_LINK_STRONG;
}

static bool is_float(unsigned type)
{
    return px_type_info((enum px_type)type)->klass == PX_TC_FLOAT;
}

/* nvlink compares elements and their number; not signs, alignment, and whether a register or memory is named.
 */
static bool same_param(const struct px_var *a, const struct px_var *b)
{
    const unsigned bits_a = px_type_info((enum px_type)a->type)->bits,
                   bits_b = px_type_info((enum px_type)b->type)->bits;
    if (bits_a != bits_b || is_float(a->type) != is_float(b->type) || a->vec != b->vec) return false;
    if (a->ndims != b->ndims) return false;
    for (unsigned i = 0; i < a->ndims; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

static bool same_params(const struct px_var *a, unsigned na, const struct px_var *b, unsigned nb)
{
    if (na != nb) return false;
    for (unsigned i = 0; i < na; i++)
        if (!same_param(&a[i], &b[i])) return false;
    return true;
}

static bool same_prototype(const struct px_symbol *a, const struct px_symbol *b)
{
    const struct px_func *x = a->u.func->func, *y = b->u.func->func;
    return same_params(x->rets, x->nrets, y->rets, y->nrets) &&
           same_params(x->params, x->nparams, y->params, y->nparams);
}

static void new_func(struct px_link *link, struct px_mention here, bool local)
{
    const uint32_t id = link->funcs.n;
    const struct px_symbol *s = here.symbol;
    const struct px_lfunc f = {.kind = has_body(s) ? PX_FUNCTION_CODE : PX_FUNCTION_UNDEFINED,
                               .is_entry = s->kind == PX_SYM_ENTRY,
                               .id = id,
                               .name = s->name->text,
                               .fn = s->u.func,
                               .module = here.module};
    const struct px_link_func i = {
        .state = (uint8_t)state_of_func(s), .local = local, .header = here, .made = here};
    px_vec_push(link->arena, &link->funcs, f);
    px_vec_push(link->arena, &link->ifuncs, i);
    add(link, s->name->text, true, local, id);
    px_link_bind(link->out->maps, s, id);
}

static void define_func(struct px_link *link, uint32_t id, struct px_mention here)
{
    struct px_lfunc *f = &link->funcs.at[id];
    f->kind = PX_FUNCTION_CODE;
    f->fn = here.symbol->u.func;
    f->module = here.module;
    link->ifuncs.at[id].state = (uint8_t)state_of_func(here.symbol);
    link->ifuncs.at[id].made = here;
}

/* Kernels of one name may differ in their parameters, but not two that nobody chooses between. */
static void compare_kernels(struct px_link *link, uint32_t id, struct px_mention here)
{
    const struct px_lfunc *f = &link->funcs.at[id];
    if (link->ifuncs.at[id].state == PX_LINK_WEAK && state_of_func(here.symbol) == PX_LINK_WEAK &&
        f->fn->param_bytes != here.symbol->u.func->param_bytes)
        px_link_say_at(link, LINK_BANK, here, link->ifuncs.at[id].made);
}

/* Another module says the same name: does its header agree, and which definition counts? */
static void merge_func(struct px_link *link, uint32_t id, struct px_mention here)
{
    const struct px_link_func *i = &link->ifuncs.at[id];
    const enum px_link_state state = state_of_func(here.symbol);
    const struct px_mention header = i->header, made = i->made;
    if (link->funcs.at[id].is_entry != (here.symbol->kind == PX_SYM_ENTRY)) {
        px_link_say_at(link, LINK_KERNEL, here, header);
        return;
    }
    if (i->state == PX_LINK_STRONG && state == PX_LINK_STRONG)
        px_link_say_at(link, LINK_TWICE, here, made, file_of(here), file_of(made));
    if (link->funcs.at[id].is_entry)
        compare_kernels(link, id, here);
    else if ((state || here.use->called) && !same_prototype(header.symbol, here.symbol))
        px_link_say_at(link, LINK_PROTOTYPE, here, header, file_of(here), file_of(header));
    if (state > i->state) define_func(link, id, here);
}

static void say_space(struct px_link *link, const struct px_global *g, struct px_mention here)
{
    const struct px_mention first =
        g->is_func ? link->ifuncs.at[g->index].header : link->ivars.at[g->index].header;
    px_link_say_at(link, LINK_SPACE, here, first, file_of(here), file_of(first));
}

/* A function that is only declared, and that nothing in its module names, says nothing: see bind_unused. */
static void resolve_func(struct px_link *link, struct px_mention here)
{
    const struct px_symbol *s = here.symbol;
    const bool local = s->linkage == PX_L_NONE && has_body(s);
    if (!has_body(s) && !here.use->called && !here.use->taken) return;
    struct px_global *g = local ? NULL : find(link->out->maps, s->name->text, false);
    if (!g) {
        new_func(link, here, local);
    } else if (!g->is_func) {
        if (s->kind == PX_SYM_ENTRY) px_link_say_at(link, LINK_KERNEL, here, link->ivars.at[g->index].header);
        say_space(link, g, here);
    } else {
        merge_func(link, g->index, here);
        px_link_bind(link->out->maps, s, g->index);
    }
}

/* ---- variables ---- */

static bool is_linked_space(unsigned space)
{
    return space == PX_SPACE_GLOBAL || space == PX_SPACE_CONST || space == PX_SPACE_SHARED ||
           space == PX_SPACE_TEX;
}

static bool is_opaque(const struct px_symbol *s)
{
    return px_type_info((enum px_type)s->type)->klass == PX_TC_OPAQUE;
}

/* Has no bytes: its address is a handle. `.tex .u32 t` is how PTX before 1.5 declares a .texref; an array in
 * .shared, which ptxas allows, is memory. */
static bool is_handle(const struct px_symbol *s)
{
    return s->space == PX_SPACE_TEX || (is_opaque(s) && s->space == PX_SPACE_GLOBAL);
}

static bool has_value(const struct px_symbol *s)
{
    return s->u.var && s->u.var->init;
}

bool px_link_managed(const struct px_symbol *s)
{
    bool managed = false;
    for (unsigned i = 0; s->u.var && i < s->u.var->nattrs; i++)
        managed |= s->u.var->attrs[i].word == PX_W_managed;
    return managed;
}

static bool is_dynamic(const struct px_symbol *s)
{
    return s->linkage == PX_L_EXTERN && s->space == PX_SPACE_SHARED && !s->size;
}

static enum px_link_state state_of_var(const struct px_symbol *s)
{
    if (s->linkage == PX_L_EXTERN) return PX_LINK_OPEN;
    if (s->linkage == PX_L_WEAK) return PX_LINK_WEAK;
    return s->linkage == PX_L_COMMON && !has_value(s) ? PX_LINK_COMMON : PX_LINK_STRONG;
}

uint32_t px_link_variable(struct px_link *link, struct px_mention here, const struct px_function *fn)
{
    const struct px_symbol *s = here.symbol;
    struct px_lvar v = {.symbol = s,
                        .module = here.module,
                        .fn = fn,
                        .space = is_handle(s) ? PX_SPACE_TEX : s->space,
                        .size = s->size};
    struct px_link_var i = {.state = (uint8_t)state_of_var(s),
                            .dynamic = is_dynamic(s),
                            .header = here,
                            .align = s->align ? s->align : 1};
    if (s->space == PX_SPACE_TEX || (is_opaque(s) && !v.size)) v.size = i.align = 8;
    px_vec_push(link->arena, &link->vars, v);
    px_vec_push(link->arena, &link->ivars, i);
    px_link_bind(link->out->maps, s, link->vars.n - 1);
    return link->vars.n - 1;
}

/* A common variable may grow with others, or find all its bytes in a value; otherwise sizes are equal. */
static void compare_sizes(struct px_link *link, uint32_t id, struct px_mention here)
{
    const struct px_link_var *i = &link->ivars.at[id];
    const struct px_symbol *s = here.symbol, *old = i->header.symbol;
    const uint64_t before = link->vars.at[id].size;
    const bool common = state_of_var(s) == PX_LINK_COMMON, was_common = i->state == PX_LINK_COMMON;
    if (before == s->size || !before || !s->size || (common && was_common)) return;
    if (common && has_value(old)) {
        if (s->size > before) px_link_say_at(link, LINK_COMMON, here, i->header, file_of(here));
    } else if (was_common && has_value(s)) {
        if (before > s->size) px_link_say_at(link, LINK_COMMON, i->header, here, file_of(i->header));
    } else {
        px_link_say_at(link, LINK_SIZE, here, i->header, file_of(here), file_of(i->header));
    }
}

/* The definition that counts from now on. */
static void define_var(struct px_link *link, uint32_t id, struct px_mention here)
{
    struct px_lvar *v = &link->vars.at[id];
    struct px_link_var *i = &link->ivars.at[id];
    i->state = (uint8_t)state_of_var(here.symbol);
    i->dynamic = false;
    i->header = here;
    v->symbol = here.symbol;
    v->module = here.module;
    v->size = here.symbol->size;
}

/* Textures, samplers and surfaces are bound from outside: all that modules declare under a name are one. */
static void merge_opaque(struct px_link *link, uint32_t id, struct px_mention here)
{
    const struct px_mention header = link->ivars.at[id].header;
    if (here.symbol->size > link->vars.at[id].size) link->vars.at[id].size = here.symbol->size;
    if (header.symbol->type != here.symbol->type)
        px_link_say_at(link, LINK_TWICE, here, header, file_of(here), file_of(header));
}

/* May a definition not come after a strong one? Of .common variables nvlink takes those that follow a value.
 */
static bool is_second(const struct px_symbol *first, enum px_link_state state)
{
    return state == PX_LINK_STRONG || (state == PX_LINK_COMMON && !has_value(first));
}

static void merge_var(struct px_link *link, uint32_t id, struct px_mention here)
{
    struct px_link_var *i = &link->ivars.at[id];
    const struct px_symbol *s = here.symbol;
    const struct px_mention header = i->header;
    const enum px_link_state state = state_of_var(s);
    if (is_opaque(s)) {
        merge_opaque(link, id, here);
        return;
    }
    if (px_link_managed(s) != px_link_managed(header.symbol))
        px_link_say_at(link, LINK_MANAGED, here, header, file_of(here), file_of(header));
    compare_sizes(link, id, here);
    if (i->state == PX_LINK_STRONG && is_second(header.symbol, state))
        px_link_say_at(link, LINK_TWICE, here, header, file_of(here), file_of(header));
    if (s->align > i->align) i->align = s->align;
    if (state > i->state ||
        (state == PX_LINK_COMMON && i->state == state && s->size > link->vars.at[id].size))
        define_var(link, id, here);
}

/* A handle, which is bound from outside, is no memory that bytes of another module could lie in. */
static bool is_same_space(const struct px_lvar *v, const struct px_symbol *s)
{
    return is_opaque(s) || (v->space == s->space && !is_opaque(v->symbol));
}

static void resolve_var(struct px_link *link, struct px_mention here)
{
    const struct px_symbol *s = here.symbol;
    if (!is_linked_space(s->space)) return;
    const bool local = s->linkage == PX_L_NONE;
    struct px_global *g = local ? NULL : find(link->out->maps, s->name->text, false);
    if (!g) {
        add(link, s->name->text, false, local, px_link_variable(link, here, NULL));
    } else if (g->is_func || !is_same_space(&link->vars.at[g->index], s)) {
        say_space(link, g, here);
    } else {
        merge_var(link, g->index, here);
        px_link_bind(link->out->maps, s, g->index);
    }
}

/* ---- aliases ---- */

/* An alias is another name of a function of its module, for other modules too; a definition like others. */
static void resolve_alias(struct px_link *link, struct px_mention here, struct px_mention function)
{
    struct px_linked *out = link->out;
    const uint32_t id = px_link_index(out->maps, function.symbol);
    const struct px_global *g = find(out->maps, here.symbol->name->text, false);
    if (id == UINT32_MAX) return; /* its function drew an error */
    px_link_bind(out->maps, here.symbol, id);
    if (!g) {
        add(link, here.symbol->name->text, true, false, id);
    } else if (!g->is_func) {
        say_space(link, g, here);
    } else if (g->index != id) {
        const struct px_link_func *i = &link->ifuncs.at[g->index];
        if (link->funcs.at[g->index].is_entry)
            px_link_say_at(link, LINK_KERNEL, here, i->header);
        else if (i->state == PX_LINK_STRONG)
            px_link_say_at(link, LINK_TWICE, here, i->made, file_of(here), file_of(i->made));
        else if (!same_prototype(i->header.symbol, here.symbol))
            px_link_say_at(link, LINK_PROTOTYPE, here, i->header, file_of(here), file_of(i->header));
        define_func(link, g->index, function);
    }
}

/* ---- all of it ---- */

static bool is_function(const struct px_symbol *s)
{
    return s->kind == PX_SYM_FUNC || s->kind == PX_SYM_ENTRY;
}

static struct px_mention mention(const struct px_link *link, uint32_t m, const struct px_symbol *s)
{
    return (struct px_mention){link->out->modules[m], s, &link->uses[m][s->index]};
}

static void merge_module(struct px_link *link, uint32_t m)
{
    const struct ptx_module *module = link->out->modules[m];
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (is_function(s) && !s->alias_of) resolve_func(link, mention(link, m, s));
        if (s->kind == PX_SYM_VAR) resolve_var(link, mention(link, m, s));
    }
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (is_function(s) && s->alias_of)
            resolve_alias(link, mention(link, m, s), mention(link, m, s->alias_of));
    }
}

/* Declarations that nothing names: another module may define them, as whatever it likes. */
static void bind_unused(struct px_link *link, uint32_t m)
{
    const struct ptx_module *module = link->out->modules[m];
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (!is_function(s) || s->alias_of || px_link_index(link->out->maps, s) != UINT32_MAX) continue;
        const struct px_global *g = find(link->out->maps, s->name->text, false);
        if (!g)
            new_func(link, mention(link, m, s), false);
        else if (g->is_func)
            px_link_bind(link->out->maps, s, g->index);
    }
}

void px_link_merge(struct px_link *link)
{
    for (uint32_t m = 0; m < link->out->nmodules; m++) merge_module(link, m);
    for (uint32_t m = 0; m < link->out->nmodules; m++) bind_unused(link, m);
}
