/*
 * externs.c - what the names become that no module defines.
 *
 * A function is asked for as one of the device runtime's, then as a host
 * function. It is an error when neither knows it and something needs it: its
 * address is taken anywhere, or code calls it that a kernel, or a call by
 * address, can come to. An undefined variable is always an error. So nvlink
 * has it (docs/linking.md).
 */
#include "link/link.h"

static const struct px_mention none;

/* ---- the device runtime ---- */

/* A builtin is called with the declaration's layout, so the two must agree. */
static void check_builtin(struct px_link *link, const struct px_lfunc *f)
{
    const struct px_builtin *b = f->builtin;
    const struct px_mention header = link->ifuncs.at[f->id].header;
    if (f->fn->param_bytes == b->arg_bytes && (!f->fn->ret_bytes || f->fn->ret_bytes == b->ret_bytes)) return;
    px_link_say_at(link, LINK_RUNTIME, header, none, (unsigned)f->fn->param_bytes, (unsigned)f->fn->ret_bytes,
                   b->arg_bytes, b->ret_bytes);
}

static void find_builtins(struct px_link *link)
{
    for (uint32_t i = 0; i < link->funcs.n; i++) {
        struct px_lfunc *f = &link->funcs.at[i];
        if (link->ifuncs.at[i].local || !link->builtins) continue;
        const struct px_builtin *b = link->builtins(f->name);
        if (!b || (f->kind != PX_LF_UNDEFINED && !b->over_definitions)) continue;
        f->kind = PX_LF_BUILTIN;
        f->builtin = b;
    }
}

/* ---- functions that are needed ---- */

struct search {
    struct px_link *link;
    bool *seen;
    uint32_t *stack, n;
};

static void visit(struct search *s, uint32_t id)
{
    if (s->seen[id]) return;
    s->seen[id] = true;
    s->stack[s->n++] = id;
}

/* The code that may run: kernels, functions whose address is taken, and what those call. */
static void search_code(struct search *s)
{
    struct px_link *link = s->link;
    s->seen = PX_NEW_N(link->arena, bool, link->funcs.n + 1);
    s->stack = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (link->funcs.at[i].is_entry || link->funcs.at[i].taken) visit(s, i);
    for (uint32_t done = 0; done < s->n; done++) {
        const struct px_link_func *i = &link->ifuncs.at[s->stack[done]];
        for (uint32_t k = 0; k < i->calls.n; k++) visit(s, i->calls.at[k]);
    }
}

/* The place that is told first: in the text of the first module that needs the name. */
struct place {
    const struct ptx_module *module;
    const struct px_function *user;
    px_pos pos;
};

static void say_undefined(struct px_link *link, const struct px_symbol *s, struct px_mention declared,
                          struct place at)
{
    struct px_diag *diag = px_link_say(link, LINK_UNDEFINED, at.module, at.pos, 1, declared, s->name->text,
                                       at.module->source.file);
    if (at.user) px_diag_note(&link->out->diags, diag, "used in '%s'", at.user->symbol->name->text);
}

/* The first call, in a body that may run, of each undefined function. */
static void find_calls(const struct search *s, struct place *places)
{
    const struct px_link *link = s->link;
    for (uint32_t id = 0; id < link->funcs.n; id++) {
        const struct px_lfunc *f = &link->funcs.at[id];
        if (!s->seen[id] || f->kind != PX_LF_CODE) continue;
        const struct px_use *body = link->ifuncs.at[id].made.use;
        for (uint32_t i = 0; i < body->refs.n; i++) {
            const struct px_ref *ref = &body->refs.at[i];
            const uint32_t target = ref->call ? px_link_index(link->out->maps, ref->symbol) : UINT32_MAX;
            if (target == UINT32_MAX || places[target].module) continue;
            places[target] = (struct place){f->module, f->fn, ref->pos};
        }
    }
}

static void find_taken(const struct px_link *link, uint32_t m, struct place *places)
{
    const struct ptx_module *module = link->out->modules[m];
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        const struct px_use *use = &link->uses[m][i];
        if (!use->taken || s->kind == PX_SYM_VAR) continue;
        const uint32_t target = px_link_index(link->out->maps, s);
        if (target == UINT32_MAX || places[target].module) continue;
        places[target] = (struct place){module, use->taker, use->taken_at};
    }
}

static void resolve_function(struct px_link *link, uint32_t id, struct place at)
{
    struct px_lfunc *f = &link->funcs.at[id];
    const ptx_program_options *options = link->options;
    if (f->kind == PX_LF_BUILTIN) check_builtin(link, f);
    if (f->kind != PX_LF_UNDEFINED) return;
    if (options->resolve && !f->is_entry) f->host = options->resolve(options->resolve_user, f->name);
    if (f->host)
        f->kind = PX_LF_HOST;
    else
        say_undefined(link, f->fn->symbol, link->ifuncs.at[id].header, at);
}

static void resolve_functions(struct px_link *link)
{
    struct search s = {.link = link};
    struct place *places = PX_NEW_N(link->arena, struct place, link->funcs.n + 1);
    search_code(&s);
    find_calls(&s, places);
    for (uint32_t m = 0; m < link->out->nmodules; m++) find_taken(link, m, places);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (places[i].module) resolve_function(link, i, places[i]);
}

/* ---- variables ---- */

/* Where the first module names it; the declaration, when nothing there does. */
static struct place place_of(struct px_mention declared)
{
    const struct px_use *use = declared.use;
    struct place at = {declared.module, NULL, declared.symbol->pos};
    if (use->taken) at.user = use->user, at.pos = use->at;
    return at;
}

static void check_variables(struct px_link *link)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        const struct px_link_var *v = &link->ivars.at[i];
        const struct px_symbol *s = v->header.symbol;
        if (v->state != PX_LINK_OPEN || v->dynamic) continue;
        if (px_type_info((enum px_type)s->type)->klass == PX_TC_OPAQUE) continue; /* bound from outside */
        say_undefined(link, s, v->header, place_of(v->header));
    }
}

void px_link_externs(struct px_link *link)
{
    find_builtins(link);
    resolve_functions(link);
    check_variables(link);
}
