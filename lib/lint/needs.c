/*
 * needs.c - follows parameters and variables to the addresses made of them.
 *
 * Every register has a set of origins (a bit each) that its value may be an
 * address of. Sets only grow, along instructions that keep an address an address
 * (moves, sums, conversions, calls), whatever the order of control, until nothing
 * changes; a second walk then looks at the accesses. Functions that the kernel can
 * reach, by a call or by their address, are walked like the kernel itself.
 */
#include "match/match.h"
#include "lint/needs.h"
#include "lint/flow.h"

typedef uint64_t origins; /* bit i: needs->origins[i] */

/* What a value may be made of: addresses that it is, and that it is a copy of; and a constant that is in all
 * its terms. */
struct value {
    origins set, copy;
    uint32_t scale;
};

enum { SCALE_MAX = 4096 }; /* of one factor */

struct node {
    const struct px_symbol *symbol;
    struct value value;
};

struct walk {
    struct px_needs *needs;
    const struct ptx_module *module;
    const struct px_function *kernel, *function; /* function: that is walked now */
    struct px_arena *arena;
    struct node *nodes; /* open addressing; at most half of them are used, of mask + 1 */
    uint32_t mask, used;
    px_lint_find *runtime;
    bool changed;
    int looking; /* 0: sets grow; 1: accesses of one origin are noted; 2: those of several, too */
    PX_VEC(const struct px_function *) reached;
};

/* ---- nodes ---- */

enum { NODES_FIRST = 128 };

static struct node *place_of(const struct walk *w, const struct px_symbol *symbol)
{
    uint32_t i = (uint32_t)((uint64_t)(uintptr_t)symbol * 0x9e3779b97f4a7c15u >> 32) & w->mask;
    while (w->nodes[i].symbol && w->nodes[i].symbol != symbol) i = (i + 1) & w->mask;
    return &w->nodes[i];
}

static void resize(struct walk *w, uint32_t size)
{
    const struct node *had = w->nodes;
    const uint32_t n = had ? w->mask + 1 : 0;
    w->nodes = PX_NEW_N(w->arena, struct node, size);
    w->mask = size - 1;
    for (uint32_t i = 0; i < n; i++)
        if (had[i].symbol) *place_of(w, had[i].symbol) = had[i];
}

static struct node *node_of(struct walk *w, const struct px_symbol *symbol)
{
    struct node *node = place_of(w, symbol);
    if (node->symbol) return node;
    if (++w->used > w->mask / 2) {
        resize(w, 2 * (w->mask + 1));
        node = place_of(w, symbol);
    }
    node->symbol = symbol;
    return node;
}

static struct value either(struct value a, struct value b)
{
    return (struct value){a.set | b.set, a.copy | b.copy, a.scale > b.scale ? a.scale : b.scale};
}

static void join(struct walk *w, const struct px_symbol *symbol, struct value value)
{
    struct node *n = node_of(w, symbol);
    const struct value joined = either(n->value, value);
    w->changed |=
        joined.set != n->value.set || joined.copy != n->value.copy || joined.scale != n->value.scale;
    n->value = joined;
}

static bool is_memory(const struct px_symbol *symbol)
{
    return symbol->kind == PX_SYM_VAR &&
           (symbol->space == PX_SPACE_GLOBAL || symbol->space == PX_SPACE_CONST);
}

/* Of `list`, made when it is new; NULL when there is no room. */
static struct px_root *find(struct px_root *list, uint32_t *n, uint32_t most, struct px_root wanted)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i].symbol == wanted.symbol && list[i].offset == wanted.offset) return &list[i];
    if (*n == most) return NULL;
    list[*n] = wanted;
    return &list[(*n)++];
}

static struct value origin(struct walk *w, struct px_root wanted)
{
    struct px_needs *needs = w->needs;
    const struct px_root *o = find(needs->origins, &needs->norigins, PX_ORIGINS_MAX, wanted);
    const origins bit = o ? (origins)1 << (o - needs->origins) : 0;
    return (struct value){.set = bit, .copy = bit};
}

static struct value variable(struct walk *w, const struct px_symbol *symbol)
{
    return origin(w, (struct px_root){.symbol = symbol, .pointer = true});
}

/* Only 64-bit integers can be addresses. */
static struct value parameter(struct walk *w, const struct px_symbol *symbol, uint64_t offset,
                              enum px_type type)
{
    const struct px_root piece = {.symbol = symbol, .offset = offset, .type = (uint8_t)type};
    if (px_type_info(type)->bits == 64 && px_type_info(type)->klass != PX_TC_FLOAT) return origin(w, piece);
    find(w->needs->plain, &w->needs->nplain, PX_MEMBERS_MAX, piece);
    return (struct value){0};
}

/* ---- operands ---- */

static enum px_type type_of(const struct px_inst *inst)
{
    enum px_type type = PX_T_NONE;
    for (unsigned i = 0; i < inst->nmods; i++) {
        const enum px_type t = px_type_of_word(inst->mods[i].name->word);
        if (t != PX_T_NONE) type = t;
    }
    return type;
}

static enum px_space space_of(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (px_space_of_word(inst->mods[i].name->word)) return px_space_of_word(inst->mods[i].name->word);
    return PX_SPACE_NONE;
}

/* A function whose address is taken may be called, or launched. */
static void reach(struct walk *w, const struct px_symbol *symbol)
{
    if (symbol->alias_of) symbol = symbol->alias_of;
    for (uint32_t i = 0; i < w->reached.n; i++)
        if (w->reached.at[i]->symbol == symbol) return;
    for (uint32_t i = 0; i < w->module->functions.n; i++) {
        const struct px_function *f = w->module->functions.at[i];
        if (f->symbol != symbol || !f->func->body) continue;
        px_vec_push(w->arena, &w->reached, f);
        w->changed = true;
        return;
    }
}

static void note_symbol(struct walk *w, const struct px_symbol *symbol)
{
    if (symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY) reach(w, symbol);
    if (symbol->kind == PX_SYM_VAR && symbol->space == PX_SPACE_SHARED && !symbol->size)
        w->needs->dynamic_shared = true;
}

/* %tid.y tells of blocks with two dimensions, %ctaid.y of grids. */
static void note_special(struct walk *w, const struct px_operand *o)
{
    const struct px_sreg *sreg = px_sreg_of_word(o->u.name->word);
    const uint8_t dimension = o->selector == PX_W_z ? 3 : o->selector == PX_W_y ? 2 : 1;
    if (!sreg || (sreg->word != PX_W_tid && sreg->word != PX_W_ctaid)) return;
    uint8_t *most = &w->needs->dimensions[sreg->word == PX_W_ctaid];
    if (dimension > *most) *most = dimension;
}

/* What an operand, or its members, may be made of. */
static struct value value_of(struct walk *w, const struct px_operand *o)
{
    struct value value = {0};
    if (o->kind == PX_O_NAME && !o->symbol) note_special(w, o);
    if (o->kind == PX_O_NAME && o->symbol) {
        note_symbol(w, o->symbol);
        return is_memory(o->symbol) ? variable(w, o->symbol) : node_of(w, o->symbol)->value;
    }
    if (o->kind == PX_O_VEC || o->kind == PX_O_ADDR || o->kind == PX_O_LIST || o->kind == PX_O_PAIR ||
        o->kind == PX_O_INDEX)
        for (uint32_t i = 0; i < o->n; i++) value = either(value, value_of(w, &o->u.list[i]));
    return value;
}

static void give(struct walk *w, const struct px_operand *o, struct value value)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind != PX_SYM_FUNC) join(w, o->symbol, value);
    if (o->kind == PX_O_VEC || o->kind == PX_O_LIST || o->kind == PX_O_PAIR)
        for (uint32_t i = 0; i < o->n; i++) give(w, &o->u.list[i], value);
}

/* ---- what is told of origins ---- */

enum told { TOLD_READ = 1, TOLD_WRITTEN = 2, TOLD_ESCAPES = 4, TOLD_POINTER = 8 };

/* The element of a buffer is the largest thing read or written there; of equal ones a float tells most. */
static bool is_larger(enum px_type a, enum px_type b)
{
    if (b == PX_T_NONE || px_type_info(a)->bits > 64) return b == PX_T_NONE && px_type_info(a)->bits <= 64;
    if (px_type_info(a)->bits != px_type_info(b)->bits) return px_type_info(a)->bits > px_type_info(b)->bits;
    return px_type_info(a)->klass == PX_TC_FLOAT && px_type_info(b)->klass != PX_TC_FLOAT;
}

static void tell(struct walk *w, origins set, unsigned what, enum px_type element)
{
    /* Of several candidates those that are known to be pointers; an index may have come into the sum. */
    origins known = 0;
    for (uint32_t i = 0; i < w->needs->norigins; i++)
        if (set >> i & 1 && w->needs->origins[i].pointer) known |= (origins)1 << i;
    if (known) set = known;
    if (w->looking == 1 && set & (set - 1)) return;
    for (uint32_t i = 0; i < w->needs->norigins; i++) {
        struct px_root *use = &w->needs->origins[i];
        if (!(set >> i & 1)) continue;
        use->read |= (what & TOLD_READ) != 0;
        use->written |= (what & TOLD_WRITTEN) != 0;
        use->escapes |= (what & TOLD_ESCAPES) != 0;
        use->pointer |= (what & TOLD_POINTER) != 0;
        if (element != PX_T_NONE && is_larger(element, (enum px_type)use->element))
            use->element = (uint8_t)element;
    }
}

/* ---- instructions ---- */

/* The variable in the brackets of an access to .param; NULL when an address is computed. */
static const struct px_operand *param_place(const struct px_inst *inst, unsigned operand)
{
    const struct px_operand *o = operand < inst->nopds ? &inst->opds[operand] : NULL;
    if (!o || o->kind != PX_O_ADDR || !o->n || o->u.list[0].kind != PX_O_NAME) return NULL;
    const struct px_symbol *s = o->u.list[0].symbol;
    return s && s->space == PX_SPACE_PARAM && s->kind != PX_SYM_REG ? &o->u.list[0] : NULL;
}

/* ld.param: of the kernel's own parameters each piece is an origin. */
static void load_param(struct walk *w, const struct px_inst *inst, const struct px_operand *place)
{
    const enum px_type type = type_of(inst);
    const struct px_operand *to = &inst->opds[0];
    const uint32_t bytes = px_type_info(type)->bits / 8u, n = to->kind == PX_O_VEC ? to->n : 1;
    if (w->function != w->kernel || !place->symbol->is_entry_param) {
        give(w, to, node_of(w, place->symbol)->value);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        give(w, to->kind == PX_O_VEC ? &to->u.list[i] : to,
             parameter(w, place->symbol, (uint64_t)place->offset + i * bytes, type));
}

static void load(struct walk *w, const struct px_inst *inst)
{
    const struct px_operand *place = param_place(inst, 1);
    const enum px_space space = space_of(inst);
    if (place && (space == PX_SPACE_PARAM || space == PX_SPACE_NONE)) {
        load_param(w, inst, place);
        return;
    }
    const struct value address = value_of(w, &inst->opds[1]);
    if (w->looking) tell(w, address.set, TOLD_READ | TOLD_POINTER, type_of(inst));
}

static void store(struct walk *w, const struct px_inst *inst)
{
    const struct px_operand *place = param_place(inst, 0);
    const struct value value = value_of(w, &inst->opds[1]);
    if (place) {
        join(w, place->symbol, value);
        return;
    }
    const struct value address = value_of(w, &inst->opds[0]);
    if (!w->looking) return;
    tell(w, address.set, TOLD_WRITTEN | TOLD_POINTER, type_of(inst));
    tell(w, value.copy, TOLD_ESCAPES, PX_T_NONE);
}

static const struct px_function *function_of(const struct walk *w, const struct px_symbol *symbol)
{
    if (symbol && symbol->alias_of) symbol = symbol->alias_of;
    for (uint32_t i = 0; symbol && i < w->reached.n; i++)
        if (w->reached.at[i]->symbol == symbol) return w->reached.at[i];
    return NULL;
}

/* call [(results),] name, (arguments) [, targets]; what goes to unknown functions escapes. */
static void call(struct walk *w, const struct px_inst *inst)
{
    const bool results = inst->opds[0].kind == PX_O_LIST;
    const struct px_symbol *symbol = px_lint_callee(inst);
    const unsigned at = 1u + results;
    if (symbol) reach(w, symbol);
    const struct px_function *f = function_of(w, symbol);
    const struct px_operand *given =
        at < inst->nopds && inst->opds[at].kind == PX_O_LIST ? &inst->opds[at] : NULL;
    if (!f) {
        struct px_lint_runtime known;
        w->needs->opaque |= !symbol || !w->runtime(symbol->name->text, &known);
        if (w->looking && given) tell(w, value_of(w, given).copy, TOLD_ESCAPES, PX_T_NONE);
        return;
    }
    for (uint32_t i = 0; given && i < given->n && i < f->func->nparams; i++)
        join(w, f->params[i], value_of(w, &given->u.list[i]));
    for (uint32_t i = 0; results && i < inst->opds[0].n && i < f->func->nrets; i++)
        give(w, &inst->opds[0].u.list[i], node_of(w, f->rets[i])->value);
}

/* The constant that an operand is; 0 when it is none. */
static uint32_t constant(const struct px_inst *inst, unsigned operand)
{
    const struct px_operand *o = &inst->opds[operand];
    return o->kind == PX_O_INT && o->u.i < SCALE_MAX ? (uint32_t)o->u.i : 0;
}

/* A product with a constant is no address, but the stride of one if it is added to it. */
static struct value product(struct walk *w, const struct px_inst *inst, uint32_t by)
{
    enum { COMPONENTS = 4 }; /* an index times 3 times 4 is one of colours; times 64 it is one of rows */
    const uint32_t before = value_of(w, &inst->opds[1]).scale;
    return (struct value){.scale = by * (before && before <= COMPONENTS ? before : 1)};
}

static struct value sum(struct walk *w, struct value a, struct value b)
{
    for (uint32_t i = 0; i < w->needs->norigins; i++) {
        struct px_root *o = &w->needs->origins[i];
        if (a.set >> i & 1 && b.scale > o->stride) o->stride = b.scale;
        if (b.set >> i & 1 && a.scale > o->stride) o->stride = a.scale;
    }
    struct value value = either(a, b);
    value.copy = 0;
    return value;
}

/* What of the sources stays an address in the result. */
static struct value derived(struct walk *w, const struct px_inst *inst, enum px_result result)
{
    const struct value none = {0};
    const unsigned n = inst->nopds;
    if (result == PX_RESULT_generic || result == PX_RESULT_window) {
        const struct value value = value_of(w, &inst->opds[n - 1]);
        if (w->looking && !(value.set & (value.set - 1))) tell(w, value.set, TOLD_POINTER, PX_T_NONE);
        return value;
    }
    if (n < 2) return none;
    const struct value a = value_of(w, &inst->opds[1]);
    switch (result) {
    case PX_RESULT_copy:
    case PX_RESULT_exchanged: return a;
    case PX_RESULT_conversion: return (struct value){.scale = a.scale};
    case PX_RESULT_difference: return (struct value){.set = a.set, .scale = a.scale};
    case PX_RESULT_product: return n > 2 ? product(w, inst, constant(inst, 2)) : none;
    case PX_RESULT_left_shift:
        return n > 2 && constant(inst, 2) < 12 ? product(w, inst, 1u << constant(inst, 2)) : none;
    case PX_RESULT_product_sum:
        return n > 3 ? sum(w, value_of(w, &inst->opds[3]), product(w, inst, constant(inst, 2))) : none;
    case PX_RESULT_sum:
    case PX_RESULT_intersection:
    case PX_RESULT_union:
    case PX_RESULT_minimum:
    case PX_RESULT_maximum: return n > 2 ? sum(w, a, value_of(w, &inst->opds[2])) : none;
    case PX_RESULT_choice: return n > 2 ? either(a, value_of(w, &inst->opds[2])) : none;
    default: return none;
    }
}

/* The values in `set` are handles of such objects. */
static void tell_object(struct walk *w, origins set, enum px_type object, const struct px_match *m)
{
    if (set & (set - 1)) return;
    for (uint32_t i = 0; i < w->needs->norigins; i++) {
        struct px_root *use = &w->needs->origins[i];
        if (!(set >> i & 1)) continue;
        use->object = (uint8_t)object;
        if (object == PX_T_SAMPLERREF || !px_match_slot(m, PX_W_geom)) continue;
        const enum px_type element =
            px_type_of_word(px_match_slot(m, object == PX_T_TEXREF ? PX_W_dtype : PX_W_type));
        use->geometry = px_match_slot(m, PX_W_geom);
        use->element = (uint8_t)element;
        use->channels = m->vec;
    }
}

/* [texture, {coordinates}], [texture, sampler, {coordinates}], [surface, {pixel}], of queries [object]. */
static bool is_object(const struct px_match *m, const struct px_operand *o, unsigned i)
{
    return o->kind == PX_O_ADDR && o->n && px_type_info((enum px_type)m->type[i])->klass == PX_TC_OPAQUE;
}

static void objects(struct walk *w, const struct px_inst *inst, const struct px_match *m)
{
    for (unsigned i = 0; w->looking && i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        if (!is_object(m, o, i)) continue;
        tell_object(w, value_of(w, &o->u.list[0]).set, (enum px_type)m->type[i], m);
        if (px_match_opd(m, i)->flags & PX_OPERAND_SAMPLER && o->n > 2)
            tell_object(w, value_of(w, &o->u.list[1]).set, PX_T_SAMPLERREF, m);
    }
}

/* Every other instruction with an address may read and write there. */
static void other(struct walk *w, const struct px_inst *inst, const struct px_match *m)
{
    const struct value value = derived(w, inst, px_match_result(m));
    for (unsigned i = 0; i < inst->nopds; i++) {
        const struct value address = value_of(w, &inst->opds[i]);
        if (w->looking && inst->opds[i].kind == PX_O_ADDR && !is_object(m, &inst->opds[i], i))
            tell(w, address.set, TOLD_READ | TOLD_WRITTEN | TOLD_POINTER, type_of(inst));
    }
    if (inst->nopds) give(w, &inst->opds[0], value);
}

static void instruction(struct walk *w, const struct px_inst *inst)
{
    struct px_match match;
    if (!px_match_inst(inst, &match)) return;
    if (px_op_flags(px_match_op(&match)) & PX_OPERATION_calls)
        call(w, inst);
    else if (px_match_in(&match, PX_SET_load, NULL) && inst->nopds > 1)
        load(w, inst);
    else if (px_match_in(&match, PX_SET_store, NULL) && inst->nopds > 1)
        store(w, inst);
    else if (!px_match_in(&match, PX_SET_no_access, NULL))
        objects(w, inst, &match), other(w, inst, &match);
}

static void block(struct walk *w, const struct px_block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->list[i]->kind == PX_S_BLOCK) block(w, &b->list[i]->u.block);
        if (b->list[i]->kind == PX_S_INST) instruction(w, &b->list[i]->u.inst);
    }
}

static void all_bodies(struct walk *w)
{
    for (uint32_t i = 0; i < w->reached.n; i++) {
        w->function = w->reached.at[i];
        block(w, w->function->func->body);
    }
}

void px_kernel_needs(struct px_needs *needs, const struct ptx_module *module,
                     const struct px_function *kernel, px_lint_find *runtime, struct px_arena *arena)
{
    struct walk w = {.needs = needs, .module = module, .kernel = kernel, .runtime = runtime, .arena = arena};
    *needs = (struct px_needs){.dimensions = {1, 1}};
    resize(&w, NODES_FIRST);
    reach(&w, kernel->symbol);
    do {
        w.changed = false;
        all_bodies(&w);
    } while (w.changed);
    for (w.looking = 1; w.looking <= 2; w.looking++) all_bodies(&w);
}
