/*
 * bodies.c - who calls whom, and who uses which .shared variable, once names
 * are merged.
 *
 * Only definitions that count are looked at: what the body of a weak function
 * that gave way names, nobody needs. Variables of functions become variables of
 * the program here. The lists feed the layout of shared memory and the search
 * for undefined functions.
 */
#include "link/link.h"

static bool is_linked_space(unsigned space)
{
    return space == PX_SPACE_GLOBAL || space == PX_SPACE_CONST || space == PX_SPACE_SHARED;
}

static void add_inner_vars(struct px_link *link, const struct px_lfunc *f)
{
    for (uint32_t i = 0; i < f->fn->vars.n; i++) {
        const struct px_symbol *s = f->fn->vars.at[i];
        if (s->kind == PX_SYM_VAR && is_linked_space(s->space) &&
            px_link_index(link->out->maps, s) == UINT32_MAX)
            px_link_variable(link, (struct px_mention){f->module, s, NULL}, f->fn);
    }
}

/* Numbers of the last function that named each function and each variable, plus one: a name counts once. */
struct seen {
    uint32_t *funcs, *vars;
};

static void add_ref(struct px_link *link, uint32_t id, const struct px_ref *ref, struct seen *seen)
{
    const uint32_t target = px_link_index(link->out->maps, ref->symbol);
    uint32_t *last = ref->call ? seen->funcs : seen->vars;
    if (target == UINT32_MAX || last[target] == id + 1) return;
    last[target] = id + 1;
    if (ref->call)
        px_vec_push(link->arena, &link->ifuncs.at[id].calls, target);
    else
        px_vec_push(link->arena, &link->ifuncs.at[id].shared, target);
}

static void add_refs(struct px_link *link, uint32_t id, struct seen *seen)
{
    const struct px_use *body = link->ifuncs.at[id].made.use;
    link->ifuncs.at[id].calls_indirectly = body->calls_indirectly;
    for (uint32_t i = 0; i < body->refs.n; i++) add_ref(link, id, &body->refs.at[i], seen);
}

/* Whose address is taken, in whatever body or initialiser: any indirect call may reach it. */
static void note_taken(struct px_link *link, const struct ptx_module *module, const struct px_use *uses)
{
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (!uses[i].taken || s->kind == PX_SYM_VAR) continue;
        const uint32_t target = px_link_index(link->out->maps, s);
        if (target != UINT32_MAX) link->funcs.at[target].taken = true;
    }
}

void px_link_bodies(struct px_link *link)
{
    const struct px_linked *out = link->out;
    for (uint32_t m = 0; m < out->nmodules; m++) note_taken(link, out->modules[m], link->uses[m]);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (link->funcs.at[i].kind == PX_FUNCTION_CODE) add_inner_vars(link, &link->funcs.at[i]);
    struct seen seen = {PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1),
                        PX_NEW_N(link->arena, uint32_t, link->vars.n + 1)};
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (link->funcs.at[i].kind == PX_FUNCTION_CODE) add_refs(link, i, &seen);
}
