/*
 * survey.c - what each module does with its names, before they are merged.
 *
 * Every operand of every body, and every initialiser, is walked once. A
 * function named as the target of a call is called; one named anywhere else
 * has its address taken, but for the lists of .calltargets, which only tell
 * what an address may be. nvlink hears of an undefined function only where
 * something names it, so merging has to know that first.
 */
#include "link/link.h"

struct walk {
    struct px_link *link;
    struct px_use *uses;          /* of the module */
    const struct px_function *fn; /* NULL for an initialiser at module scope */
    struct px_use *owner;         /* of fn */
    px_pos pos;
};

/* Is it a symbol of the module's scope, which has a number there? */
static bool is_module_scope(const struct px_symbol *s)
{
    return s->level == 0 && (s->kind == PX_SYM_VAR || s->kind == PX_SYM_FUNC || s->kind == PX_SYM_ENTRY);
}

static void count_use(struct walk *w, struct px_use *use, bool call)
{
    if (!use->called && !use->taken) {
        use->at = w->pos;
        use->user = w->fn;
    }
    if (!call && !use->taken) {
        use->taken_at = w->pos;
        use->taker = w->fn;
    }
    use->called |= call;
    use->taken |= !call;
}

static void use_symbol(struct walk *w, const struct px_symbol *s, bool call)
{
    const bool followed = (s->kind == PX_SYM_VAR && s->space == PX_SPACE_SHARED) || call;
    if (is_module_scope(s)) count_use(w, &w->uses[s->index], call);
    if (!followed || !w->owner) return;
    const struct px_ref ref = {s, w->pos, call};
    px_vec_push(w->link->arena, &w->owner->refs, ref);
}

static void use_name(void *user, const struct px_expr *name)
{
    if (name->symbol) use_symbol(user, name->symbol, false);
}

static bool has_children(const struct px_operand *o)
{
    return o->kind == PX_O_VEC || o->kind == PX_O_ADDR || o->kind == PX_O_LIST || o->kind == PX_O_PAIR ||
           o->kind == PX_O_INDEX;
}

static void walk_operand(struct walk *w, const struct px_operand *o, bool call)
{
    if (o->kind == PX_O_EXPR) px_expr_names(o->u.expr, use_name, w);
    if (o->symbol) use_symbol(w, o->symbol, call);
    if (has_children(o))
        for (uint32_t i = 0; i < o->n; i++) walk_operand(w, &o->u.list[i], false);
}

static bool is_function(const struct px_symbol *s)
{
    return s->kind == PX_SYM_FUNC || s->kind == PX_SYM_ENTRY;
}

static void walk_call(struct walk *w, const struct px_inst *inst)
{
    bool named = false;
    for (uint32_t i = 0; i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        const bool target = o->kind == PX_O_NAME && o->symbol && !named && is_function(o->symbol);
        walk_operand(w, o, target);
        named |= target;
    }
    w->owner->calls_indirectly |= !named;
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
        case PX_S_VAR: px_expr_names(s->u.var->init, use_name, w); break;
        default: break;
        }
    }
}

static void survey_module(struct walk *w, const struct ptx_module *module)
{
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct px_function *fn = module->functions.at[i];
        if (!fn->func->body) continue;
        w->fn = fn;
        w->owner = &w->uses[fn->symbol->index];
        walk_block(w, fn->func->body);
    }
    w->fn = NULL;
    w->owner = NULL;
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct px_symbol *s = module->symbols.at[i];
        if (s->kind != PX_SYM_VAR || !s->u.var) continue;
        w->pos = s->pos;
        px_expr_names(s->u.var->init, use_name, w);
    }
}

void px_link_survey(struct px_link *link)
{
    const struct px_linked *out = link->out;
    link->uses = PX_NEW_N(link->arena, struct px_use *, out->nmodules);
    for (uint32_t m = 0; m < out->nmodules; m++) {
        const struct ptx_module *module = out->modules[m];
        struct walk w = {.link = link, .uses = PX_NEW_N(link->arena, struct px_use, module->symbols.n + 1)};
        link->uses[m] = w.uses;
        survey_module(&w, module);
    }
}
