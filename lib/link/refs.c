/*
 * refs.c - who calls whom, and who uses which variable.
 *
 * Every operand of every body, and every initialiser, is walked once. A
 * function named as the target of a call is called; one named anywhere else
 * has its address taken, and any indirect call may reach it. The lists feed
 * the layout of shared memory and the errors about undefined names.
 */
#include "link/link.h"

struct walk {
    struct px_link *link;
    const struct ptx_module *module;
    const struct px_function *fn; /* NULL for an initialiser at module scope */
    uint32_t id;                  /* of the function */
    px_pos pos;
    uint32_t *seen_func, *seen_var; /* id + 1 of the last function that named it */
};

static void use_func(struct walk *w, uint32_t target, bool call)
{
    struct px_link_func *i = &w->link->ifuncs.at[target];
    if (!i->user && w->fn) {
        i->user = w->fn;
        i->user_module = w->module;
        i->used_at = w->pos;
    }
    if (!call) {
        i->address_taken = true;
        return;
    }
    if (w->seen_func[target] == w->id + 1) return;
    w->seen_func[target] = w->id + 1;
    px_vec_push(w->link->arena, &w->link->ifuncs.at[w->id].calls, target);
}

static void use_var(struct walk *w, uint32_t target)
{
    const struct px_link_var *i = &w->link->ivars.at[target];
    const struct px_lvar *v = &w->link->vars.at[target];
    if (!i->defined && !i->dynamic)
        px_link_fail(w->link, "undefined variable '%s', used in %s:%u", v->symbol->name->text,
                     w->module->source.file, px_link_line(w->module, w->pos));
    if (v->space != PX_SPACE_SHARED || !w->fn || w->seen_var[target] == w->id + 1) return;
    w->seen_var[target] = w->id + 1;
    px_vec_push(w->link->arena, &w->link->ifuncs.at[w->id].shared, target);
}

static void use_symbol(struct walk *w, const struct px_symbol *s, bool call)
{
    uint32_t i = px_link_index(w->link->out->maps, s);
    if (i == UINT32_MAX) return;
    if (s->kind == PX_SYM_VAR)
        use_var(w, i);
    else
        use_func(w, i, call);
}

static void walk_expr(struct walk *w, const struct px_expr *e)
{
    if (!e) return;
    switch (e->kind) {
    case PX_E_NAME:
    case PX_E_GENERIC:
        if (e->symbol) use_symbol(w, e->symbol, false);
        break;
    case PX_E_LIST:
        for (uint32_t i = 0; i < e->n; i++) walk_expr(w, e->u.list[i]);
        break;
    case PX_E_MASK:
    case PX_E_UNARY:
    case PX_E_CAST: walk_expr(w, e->u.a); break;
    case PX_E_TERNARY: walk_expr(w, e->u.c); /* fall through */
    case PX_E_BINARY:
        walk_expr(w, e->u.a);
        walk_expr(w, e->u.b);
        break;
    default: break;
    }
}

static bool has_children(const struct px_operand *o)
{
    return o->kind == PX_O_VEC || o->kind == PX_O_ADDR || o->kind == PX_O_LIST || o->kind == PX_O_PAIR ||
           o->kind == PX_O_INDEX;
}

static void walk_operand(struct walk *w, const struct px_operand *o, bool call)
{
    if (o->kind == PX_O_EXPR) walk_expr(w, o->u.expr);
    if (o->symbol) use_symbol(w, o->symbol, call);
    if (has_children(o))
        for (uint32_t i = 0; i < o->n; i++) walk_operand(w, &o->u.list[i], false);
}

static void walk_call(struct walk *w, const struct px_inst *inst)
{
    bool named = false;
    for (uint32_t i = 0; i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        const bool target = o->kind == PX_O_NAME && o->symbol && !named &&
                            (o->symbol->kind == PX_SYM_FUNC || o->symbol->kind == PX_SYM_ENTRY);
        walk_operand(w, o, target);
        named |= target;
    }
    if (!named) w->link->ifuncs.at[w->id].calls_indirectly = true;
}

static void walk_inst(struct walk *w, const struct px_inst *inst)
{
    w->pos = inst->pos;
    if (inst->opcode->word == PX_W_call) {
        walk_call(w, inst);
        return;
    }
    for (uint32_t i = 0; i < inst->nopds; i++) walk_operand(w, &inst->opds[i], false);
}

static void walk_block(struct walk *w, const struct px_block *block)
{
    for (uint32_t i = 0; i < block->n; i++) {
        const struct px_stmt *s = block->list[i];
        w->pos = s->pos;
        switch (s->kind) {
        case PX_S_INST: walk_inst(w, &s->u.inst); break;
        case PX_S_BLOCK: walk_block(w, &s->u.block); break;
        case PX_S_CALLTARGETS:
            for (uint32_t k = 0; k < s->u.targets.n; k++) walk_operand(w, &s->u.targets.list[k], false);
            break;
        case PX_S_VAR: walk_expr(w, s->u.var->init); break;
        default: break;
        }
    }
}

static void walk_initialisers(struct walk *w)
{
    struct px_link *link = w->link;
    for (uint32_t i = 0; i < link->vars.n; i++) {
        const struct px_lvar *v = &link->vars.at[i];
        if (v->fn || !v->symbol->u.var) continue;
        w->module = v->module;
        w->pos = v->symbol->pos;
        walk_expr(w, v->symbol->u.var->init);
    }
}

void px_link_references(struct px_link *link)
{
    struct walk w = {.link = link};
    w.seen_func = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    w.seen_var = PX_NEW_N(link->arena, uint32_t, link->vars.n + 1);
    for (uint32_t i = 0; i < link->funcs.n; i++) {
        const struct px_lfunc *f = &link->funcs.at[i];
        if (f->kind != PX_LF_CODE) continue;
        w.module = f->module;
        w.fn = f->fn;
        w.id = i;
        walk_block(&w, f->fn->func->body);
    }
    w.fn = NULL;
    walk_initialisers(&w);
}
