/*
 * stacks.c - kernels whose stack size nobody can tell before they run: those that reach recursion.
 *
 * For code to be debugged ptxas says so of each kernel. While bodies are checked, calls and functions whose
 * address is taken are noted. A call through a pointer may lead to every function whose address is taken
 * anywhere in the module and that has the prototype, so prototypes are nodes of the graph of calls, too, and
 * so are tables of functions. The text counts, whether it is reached or not.
 */
#include <stdlib.h>
#include <string.h>
#include "check/checker.h"
#include "flow/graph.h"

static bool is_wanted(const struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    return module->compilation == PTX_COMPILE_WHOLE &&
           (module->stacks == PTX_STACKS_DEFAULT ? module->target_debug : module->stacks == PTX_STACKS_WARN);
}

/* What ptxas tells prototypes apart by: widths, floats from the rest, elements of arrays. */
static const char *add_formals(struct px_arena *arena, const char *text, const struct px_var *vars,
                               unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct px_type_info *type = px_type_info((enum px_type)vars[i].type);
        const char kind = type->klass == PX_TC_FLOAT && type->bits >= 32 ? 'f' : 'b';
        text = px_arena_printf(arena, "%s%c%u", text, kind, type->bits);
        if (vars[i].ndims)
            text = px_arena_printf(arena, "%s[%llu]", text, (unsigned long long)px_var_elements(&vars[i]));
    }
    return text;
}

static const char *signature_of(struct px_checker *checker, const struct px_var *rets, unsigned nrets,
                                const struct px_var *params, unsigned nparams)
{
    struct px_arena *arena = &checker->module->arena;
    return add_formals(arena, px_arena_printf(arena, "%s:", add_formals(arena, "", rets, nrets)), params,
                       nparams);
}

static void note(struct px_checker *checker, const struct px_symbol *by, const struct px_symbol *callee,
                 const char *through)
{
    const struct px_call call = {by, callee, through};
    const uint32_t n = checker->calls.n;
    if (!n || memcmp(&checker->calls.at[n - 1], &call, sizeof call) != 0)
        px_vec_push(&checker->module->arena, &checker->calls, call);
}

void px_note_call(struct px_checker *checker, const struct px_symbol *callee)
{
    if (is_wanted(checker)) note(checker, checker->function->symbol, callee, NULL);
}

void px_note_call_through(struct px_checker *checker, const struct px_proto *proto)
{
    if (is_wanted(checker))
        note(checker, checker->function->symbol, NULL,
             signature_of(checker, proto->rets, proto->nrets, proto->params, proto->nparams));
}

void px_note_call_table(struct px_checker *checker, struct px_call_table *table)
{
    if (!is_wanted(checker)) return;
    if (!table->name) {
        table->name = px_arena_printf(&checker->module->arena, "table %u", checker->calls.n);
        for (uint32_t i = 0; i < table->n; i++) note(checker, NULL, table->functions[i], table->name);
    }
    note(checker, checker->function->symbol, NULL, table->name);
}

void px_note_reachable(struct px_checker *checker, const struct px_symbol *function)
{
    const struct px_func *func = function->u.func->func;
    if (is_wanted(checker))
        note(checker, NULL, function,
             signature_of(checker, func->rets, func->nrets, func->params, func->nparams));
}

/* ---- the graph: symbols, then prototypes and tables ---- */

static int by_way(const void *a, const void *b)
{
    const struct px_call *x = a, *y = b;
    if (!x->through || !y->through) return (x->through != NULL) - (y->through != NULL);
    return strcmp(x->through, y->through);
}

/* From callee to caller, for that is the way in which recursion spreads. */
static struct px_flow_pair *edges_of(struct px_checker *checker, uint32_t *nodes, uint32_t *n)
{
    const struct ptx_module *module = checker->module;
    struct px_call *calls = checker->calls.at;
    struct px_flow_pair *edges =
        PX_NEW_N(&checker->module->arena, struct px_flow_pair, checker->calls.n + module->symbols.n + 1);
    *nodes = module->symbols.n;
    *n = 0;
    qsort(calls, checker->calls.n, sizeof *calls, by_way);
    for (uint32_t i = 0; i < checker->calls.n; i++) {
        if (calls[i].through && (!i || by_way(&calls[i - 1], &calls[i]))) ++*nodes;
        edges[(*n)++] = (struct px_flow_pair){calls[i].callee ? calls[i].callee->index : *nodes - 1,
                                              calls[i].by ? calls[i].by->index : *nodes - 1};
    }
    for (uint32_t i = 0; i < module->symbols.n; i++)
        if (module->symbols.at[i]->alias_of)
            edges[(*n)++] = (struct px_flow_pair){module->symbols.at[i]->alias_of->index, i};
    return edges;
}

/* How many calls lead from a node into recursion: leaves are taken away until there are none. */
static uint32_t *calls_into_recursion(struct px_checker *checker)
{
    struct px_arena *arena = &checker->module->arena;
    uint32_t nodes, n, nleaves = 0;
    const struct px_flow_pair *edges = edges_of(checker, &nodes, &n);
    const struct px_flow_lists callers = px_flow_lists(arena, nodes, edges, n);
    uint32_t *left = PX_NEW_N(arena, uint32_t, nodes + 1), *leaves = PX_NEW_N(arena, uint32_t, nodes + 1);
    for (uint32_t i = 0; i < n; i++) left[edges[i].to]++;
    for (uint32_t i = 0; i < nodes; i++)
        if (!left[i]) leaves[nleaves++] = i;
    while (nleaves) {
        const uint32_t leaf = leaves[--nleaves];
        for (uint32_t i = callers.first[leaf]; i < callers.first[leaf + 1]; i++)
            if (!--left[callers.to[i]]) leaves[nleaves++] = callers.to[i];
    }
    return left;
}

void px_check_stacks(struct px_checker *checker)
{
    const struct ptx_module *module = checker->module;
    if (!is_wanted(checker) || !checker->calls.n) return;
    const uint32_t *left = calls_into_recursion(checker);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct px_function *function = module->functions.at[i];
        const struct px_name *name = function->func->name;
        if (function->func->is_entry && left[function->symbol->index])
            px_complain_at(checker, PX_NO_PLACE, STACK_UNKNOWN, function->func->pos, name->len, name->text);
    }
}
