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
        if (!b || (f->kind != PX_FUNCTION_UNDEFINED && !b->over_definitions)) continue;
        f->kind = PX_FUNCTION_BUILTIN;
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

static bool is_kernel(const struct px_lfunc *f)
{
    return f->is_entry && f->kind == PX_FUNCTION_CODE;
}

/* The code that may run: kernels, functions whose address is taken, and what those call. */
static void search_code(struct search *s)
{
    struct px_link *link = s->link;
    s->seen = PX_NEW_N(link->arena, bool, link->funcs.n + 1);
    s->stack = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (is_kernel(&link->funcs.at[i]) || link->funcs.at[i].taken) visit(s, i);
    for (uint32_t done = 0; done < s->n; done++) {
        const struct px_link_func *i = &link->ifuncs.at[s->stack[done]];
        for (uint32_t k = 0; k < i->calls.n; k++) visit(s, i->calls.at[k]);
    }
}

struct place {
    const struct ptx_module *module;
    const struct px_function *user;
    px_pos pos;
};

/* Where the first module names it; the declaration, when nothing there does. */
static struct place place_of(struct px_mention declared)
{
    const struct px_use *use = declared.use;
    struct place at = {declared.module, NULL, declared.symbol->pos};
    if (use->called || use->taken) {
        at.user = use->user;
        at.pos = use->at;
    }
    return at;
}

static void say_undefined(struct px_link *link, struct px_mention declared)
{
    const struct px_symbol *s = declared.symbol;
    const struct place at = place_of(declared);
    const bool elsewhere = at.pos != s->pos;
    struct px_diag *diag = px_link_say(link, LINK_UNDEFINED, at.module, at.pos, elsewhere ? 1 : s->name->len,
                                       elsewhere ? declared : none, s->name->text, at.module->source.file);
    if (at.user) px_diag_note(&link->out->diags, diag, "used in '%s'", at.user->symbol->name->text);
}

static void resolve_function(struct px_link *link, struct px_lfunc *f)
{
    const ptx_program_options *options = link->options;
    const struct px_mention header = link->ifuncs.at[f->id].header;
    if (f->kind == PX_FUNCTION_BUILTIN) check_builtin(link, f);
    if (f->kind != PX_FUNCTION_UNDEFINED) return;
    if (options->resolve && !f->is_entry) f->host = options->resolve(options->resolve_user, f->name);
    if (f->host)
        f->kind = PX_FUNCTION_HOST;
    else
        say_undefined(link, header);
}

static void resolve_functions(struct px_link *link)
{
    struct search s = {.link = link};
    search_code(&s);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (s.seen[i]) resolve_function(link, &link->funcs.at[i]);
}

/* ---- variables ---- */

static void check_variables(struct px_link *link)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        const struct px_link_var *v = &link->ivars.at[i];
        const struct px_symbol *s = v->header.symbol;
        if (v->state != PX_LINK_OPEN || v->dynamic) continue;
        if (px_type_info((enum px_type)s->type)->klass == PX_TC_OPAQUE) continue; /* bound from outside */
        say_undefined(link, v->header);
    }
}

void px_link_externs(struct px_link *link)
{
    find_builtins(link);
    resolve_functions(link);
    check_variables(link);
}
