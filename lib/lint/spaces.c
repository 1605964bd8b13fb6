/*
 * spaces.c - addresses whose state space is known.
 *
 * An address is followed from where its space is certain (cvta, the name of a
 * variable) through moves, sums and selections. Three things are told of: a generic
 * access that could name the space; an address inside .shared, .local or .const
 * that is used as a generic one without cvta; and a pointer to a thread's or a
 * block's own memory among the arguments of a child kernel. Values only ever lose
 * what is known of them, so the work is linear in the uses.
 */
#include "match/match.h"
#include "lint/values.h"

enum what {
    NOT_YET,   /* no write was looked at */
    INSIDE,    /* an address in `space` itself */
    GENERIC,   /* a generic address that lies in `space` */
    ARGUMENTS, /* the argument buffer of a child kernel */
    ANYTHING
};

struct value {
    uint8_t what, space; /* enum what, enum px_space */
    uint32_t from;       /* the item where this is certain */
};

struct spaces {
    const struct px_lint_flow *flow;
    const struct px_lint_values *values;
    struct value *of;        /* by node */
    uint32_t *queue, nqueue; /* items to look at again */
    bool *queued;
    bool *buffers;               /* by variable of the function: holds an argument buffer after a call */
    uint32_t *accesses, *access; /* by item: generic accesses through what it makes, the first of them */
};

static const struct value anything = {ANYTHING, 0, 0};

static struct value join(struct value a, struct value b)
{
    if (a.what == NOT_YET) return b;
    if (b.what == NOT_YET || (a.what == b.what && a.space == b.space)) return a;
    return anything;
}

/* ---- what an instruction makes ---- */

static enum px_space space_word(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (px_space_of_word(inst->mods[i].name->word)) return px_space_of_word(inst->mods[i].name->word);
    return PX_SPACE_NONE;
}

/* Addresses in .global are generic addresses too. */
static struct value inside(enum px_space space, uint32_t item)
{
    return (struct value){space == PX_SPACE_GLOBAL ? GENERIC : INSIDE, (uint8_t)space, item};
}

/* What the i-th operand of an item holds; constants are anything. */
static struct value operand_value(const struct spaces *s, uint32_t i, unsigned operand)
{
    const struct px_lint_item *item = &s->flow->items[i];
    const struct px_operand *o = &item->inst->opds[operand];
    if (o->kind == PX_O_NAME && o->symbol &&
        (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM))
        return inside((enum px_space)o->symbol->space, i);
    for (uint32_t r = item->first; r < item[1].first; r++)
        if (s->flow->refs[r].operand == o && !s->flow->refs[r].is_def) return s->of[s->values->source[r]];
    return anything;
}

/* An address plus something that is none. */
static struct value sum(struct value a, struct value b)
{
    if (a.what == NOT_YET || b.what == NOT_YET) return (struct value){0};
    if (a.what == ANYTHING) return b;
    return b.what == ANYTHING ? a : anything;
}

static struct value arithmetic(const struct spaces *s, uint32_t i)
{
    switch ((enum px_result)s->flow->items[i].result) {
    case PX_RESULT_sum: return sum(operand_value(s, i, 1), operand_value(s, i, 2));
    case PX_RESULT_difference:
        return operand_value(s, i, 2).what == ANYTHING ? operand_value(s, i, 1) : anything;
    case PX_RESULT_product_sum: return operand_value(s, i, 3);
    case PX_RESULT_choice: return join(operand_value(s, i, 1), operand_value(s, i, 2));
    default: return anything;
    }
}

/* ld.param of what a call left. */
static struct value loaded(const struct spaces *s, uint32_t i)
{
    const struct px_inst *inst = s->flow->items[i].inst;
    const struct px_operand *address =
        inst->nopds > 1 && inst->opds[1].kind == PX_O_ADDR ? &inst->opds[1].u.list[0] : NULL;
    const struct px_symbol *symbol = address && address->kind == PX_O_NAME ? address->symbol : NULL;
    const bool given = symbol && symbol->kind == PX_SYM_VAR && symbol->level > 0 && s->buffers[symbol->index];
    return given ? (struct value){ARGUMENTS, 0, i} : anything;
}

static bool gives_buffer(const struct spaces *s, uint32_t i)
{
    const struct px_lint_item *item = &s->flow->items[i];
    const struct px_symbol *callee =
        px_lint_flags(item) & PX_OPERATION_calls ? px_lint_callee(item->inst) : NULL;
    struct px_lint_runtime runtime;
    return callee && s->flow->wanted->find(callee->name->text, &runtime) && runtime.gives_buffer;
}

static struct value result(const struct spaces *s, uint32_t i)
{
    const struct px_lint_item *item = &s->flow->items[i];
    if (px_op_loads(px_lint_flags(item))) return loaded(s, i);
    if (px_lint_flags(item) & PX_OPERATION_calls)
        return gives_buffer(s, i) ? (struct value){ARGUMENTS, 0, i} : anything;
    switch ((enum px_result)item->result) {
    case PX_RESULT_copy: return px_lint_flags(item) & PX_OPERATION_plain ? operand_value(s, i, 1) : anything;
    case PX_RESULT_generic: return (struct value){GENERIC, (uint8_t)space_word(item->inst), i};
    case PX_RESULT_window: return inside(space_word(item->inst), i);
    default: return arithmetic(s, i);
    }
}

/* ---- to the fixed point ---- */

static void set(struct spaces *s, uint32_t node, struct value value)
{
    const struct px_lint_flow *flow = s->flow;
    const struct value joined = join(s->of[node], value);
    if (joined.what == s->of[node].what && joined.space == s->of[node].space) return;
    s->of[node] = joined;
    for (uint32_t i = s->values->readers.first[node]; i < s->values->readers.first[node + 1]; i++) {
        const uint32_t item = flow->refs[s->values->readers.to[i]].item;
        if (!s->queued[item]) s->queue[s->nqueue++] = item;
        s->queued[item] = true;
    }
    if (node < flow->nrefs && s->values->last[node]) set(s, px_lint_node(flow, flow->refs[node].reg), joined);
}

static void look_at(struct spaces *s, uint32_t i)
{
    const struct px_lint_item *item = &s->flow->items[i];
    uint32_t results = 0;
    for (uint32_t r = item->first; r < item[1].first; r++) results += s->flow->refs[r].is_def;
    const struct value value = results == 1 ? result(s, i) : anything;
    for (uint32_t r = item->first; r < item[1].first; r++) {
        if (!s->flow->refs[r].is_def) continue;
        set(s, r, value);
        if (s->values->source[r] != PX_FLOW_NONE) set(s, r, s->of[s->values->source[r]]);
    }
}

static void note_buffers(struct spaces *s)
{
    for (uint32_t i = 0; i < s->flow->nitems; i++) {
        if (!gives_buffer(s, i) || s->flow->items[i].inst->opds[0].kind != PX_O_LIST) continue;
        const struct px_operand *results = &s->flow->items[i].inst->opds[0];
        const struct px_symbol *symbol = results->n ? results->u.list[0].symbol : NULL;
        if (symbol && symbol->kind == PX_SYM_VAR && symbol->level > 0) s->buffers[symbol->index] = true;
    }
}

static void solve(struct spaces *s)
{
    const struct px_lint_flow *flow = s->flow;
    const struct px_function *function = flow->function;
    for (unsigned i = 0; i < function->func->nparams; i++)
        if (function->params[i]->kind == PX_SYM_REG)
            set(s, px_lint_node(flow, flow->reg_base[function->params[i]->index]), anything);
    for (uint32_t i = 0; i < flow->nitems; i++) look_at(s, i);
    while (s->nqueue) {
        const uint32_t item = s->queue[--s->nqueue];
        s->queued[item] = false;
        look_at(s, item);
    }
}

/* ---- what is told ---- */

static const char *space_name(enum px_space space)
{
    static const char *const names[] = {
        [PX_SPACE_CONST] = "const", [PX_SPACE_GLOBAL] = "global", [PX_SPACE_LOCAL] = "local",
        [PX_SPACE_PARAM] = "param", [PX_SPACE_SHARED] = "shared", [PX_SPACE_TEX] = "tex",
    };
    return names[space] ? names[space] : "";
}

static void say_inside(const struct spaces *s, const struct px_operand *base, struct value value)
{
    const char *space = space_name((enum px_space)value.space);
    struct px_diag *diag = px_lint_say(s->flow, LINT_NOT_GENERIC, base->pos, base->length, space);
    px_diag_note(&s->flow->module->diags, diag,
                 "it is made on line %u; write .%s behind the opcode, or convert it with cvta.%s",
                 px_lint_item_line(s->flow, value.from), space, space);
    px_lint_relate(s->flow, diag, value.from, "the address is made here");
}

/* A bracketed operand whose instruction could name a space and does not. */
static void generic_access(struct spaces *s, uint32_t i, const struct px_operand *base)
{
    const struct px_lint_item *item = &s->flow->items[i];
    for (uint32_t r = item->first; r < item[1].first; r++) {
        if (s->flow->refs[r].operand != base || s->flow->refs[r].is_def) continue;
        const struct value value = s->of[s->values->source[r]];
        if (value.what == INSIDE) say_inside(s, base, value);
        if (value.what == GENERIC && !s->accesses[value.from]++) s->access[value.from] = r;
    }
}

static void check_accesses(struct spaces *s, uint32_t i)
{
    const struct px_inst *inst = s->flow->items[i].inst;
    struct px_match match;
    bool matched = false;
    for (unsigned k = 0; k < inst->nopds; k++) {
        if (inst->opds[k].kind != PX_O_ADDR) continue;
        if (!matched && !px_match_inst(inst, &match)) return;
        matched = true;
        const struct px_opd *opd = px_match_opd(&match, k);
        if (opd->kind == PX_OK_ADDR && opd->space >= 0 && !match.value[opd->space])
            generic_access(s, i, &inst->opds[k].u.list[0]);
    }
}

/* One warning for each place that makes an address, at the first access. */
static void say_accesses(const struct spaces *s)
{
    for (uint32_t i = 0; i < s->flow->nitems; i++) {
        if (!s->accesses[i]) continue;
        const struct px_lint_ref *ref = &s->flow->refs[s->access[i]];
        const struct value value = s->of[s->values->source[s->access[i]]];
        const char *space = space_name((enum px_space)value.space);
        struct px_diag *diag =
            px_lint_say(s->flow, LINT_GENERIC, ref->operand->pos, ref->operand->length, space);
        if (s->accesses[i] == 1)
            px_diag_note(&s->flow->module->diags, diag, "the address is made on line %u",
                         px_lint_item_line(s->flow, i));
        else
            px_diag_note(&s->flow->module->diags, diag,
                         "the address is made on line %u; so are those of %u more accesses",
                         px_lint_item_line(s->flow, i), s->accesses[i] - 1);
        px_lint_relate(s->flow, diag, i, "the address is made here");
    }
}

static bool is_own(struct value value)
{
    return (value.what == INSIDE || value.what == GENERIC) &&
           (value.space == PX_SPACE_SHARED || value.space == PX_SPACE_LOCAL);
}

/* A store into an argument buffer. */
static void check_arguments(const struct spaces *s, uint32_t i)
{
    const struct px_lint_item *item = &s->flow->items[i];
    const struct px_operand *base = item->inst->nopds ? item->inst->opds[0].u.list : NULL;
    bool into = false;
    if (!px_op_stores(px_lint_flags(item))) return;
    for (uint32_t r = item->first; r < item[1].first; r++)
        into |= s->flow->refs[r].operand == base && s->of[s->values->source[r]].what == ARGUMENTS;
    for (uint32_t r = item->first; into && r < item[1].first; r++) {
        const struct px_operand *operand = s->flow->refs[r].operand;
        const struct value value = s->of[s->values->source[r]];
        if (operand == base || !is_own(value)) continue;
        struct px_diag *diag = px_lint_say(s->flow, LINT_CHILD_POINTER, operand->pos, operand->length,
                                           space_name((enum px_space)value.space));
        px_diag_note(&s->flow->module->diags, diag, "the pointer is made on line %u",
                     px_lint_item_line(s->flow, value.from));
        px_lint_relate(s->flow, diag, value.from, "the pointer is made here");
    }
}

void px_lint_spaces(struct px_lint_flow *flow, const struct px_lint_values *values)
{
    struct spaces s = {.flow = flow, .values = values};
    s.of = PX_NEW_N(flow->arena, struct value, values->nnodes + 1);
    s.queue = PX_NEW_N(flow->arena, uint32_t, flow->nitems);
    s.queued = PX_NEW_N(flow->arena, bool, flow->nitems);
    s.buffers = PX_NEW_N(flow->arena, bool, flow->function->vars.n + 1);
    s.accesses = PX_NEW_N(flow->arena, uint32_t, flow->nitems);
    s.access = PX_NEW_N(flow->arena, uint32_t, flow->nitems);
    note_buffers(&s);
    solve(&s);
    for (uint32_t i = 0; i < flow->nitems; i++) {
        if (!flow->reached[flow->graph.node_of[i]]) continue;
        check_accesses(&s, i);
        check_arguments(&s, i);
    }
    say_accesses(&s);
}
