/*
 * uses.c - a module as a whole program: is all defined, and does every kernel's shared memory fit?
 *
 * While bodies are checked, every function, external variable and shared
 * variable that a function names is noted once in a row. Afterwards each kernel's
 * shared memory is the sum over the functions that it reaches. Only
 * PTX_COMPILE_WHOLE asks: a module that is linked later may leave names open.
 */
#include <string.h>
#include "check/checker.h"

enum { SHARED_MAX = 0xC000 };

/* Functions that ptxas supplies by itself. */
static bool is_supplied(const struct px_name *name)
{
    static const char *const supplied[] = {"vprintf",
                                           "malloc",
                                           "free",
                                           "__assertfail",
                                           "cudaGraphSetConditional",
                                           "cudaGraphLaunch",
                                           "cudaGraphKernelNodeSetEnabled",
                                           "cudaGraphKernelNodeSetGridDim",
                                           "cudaGraphKernelNodeSetParam",
                                           "cudaGraphKernelNodeUpdatesApply"};
    for (size_t i = 0; i < sizeof supplied / sizeof *supplied; i++)
        if (strcmp(name->text, supplied[i]) == 0) return true;
    return false;
}

/* cudaDeviceSynchronize, cudaLaunchDevice, cudaGetParameterBuffer and the like */
static bool is_of_runtime(const struct px_name *name)
{
    return strncmp(name->text, "cuda", 4) == 0 && name->text[4] >= 'A' && name->text[4] <= 'Z';
}

static bool is_function(const struct px_symbol *symbol)
{
    return symbol->kind == PX_SYM_FUNC || symbol->kind == PX_SYM_ENTRY;
}

bool px_lacks_body(const struct px_symbol *symbol)
{
    return !symbol->defined && !symbol->alias_of && symbol->linkage != PX_L_EXTERN &&
           !is_supplied(symbol->name);
}

void px_note_use(struct px_checker *checker, struct px_symbol *symbol)
{
    uint32_t n = checker->uses.n;
    struct px_use use = {checker->function, symbol, false};
    bool shared = symbol->kind == PX_SYM_VAR && symbol->space == PX_SPACE_SHARED && symbol->level == 0;
    if (checker->module->compilation != PTX_COMPILE_WHOLE || !(shared || is_function(symbol))) return;
    if (n && checker->uses.at[n - 1].symbol == symbol && checker->uses.at[n - 1].by == checker->function)
        return;
    px_vec_push(&checker->module->arena, &checker->uses, use);
}

void px_check_withdrawn(struct px_checker *checker, const struct px_symbol *symbol, px_pos pos)
{
    const struct px_name *name = symbol->name;
    if (checker->module->target.sm < 90 || symbol->kind != PX_SYM_FUNC || symbol->defined) return;
    if (strcmp(name->text, "cudaDeviceSynchronize") == 0)
        px_complain(checker, CALL_WITHDRAWN, pos, name->len, name->text);
}

void px_note_address(struct px_checker *checker, struct px_symbol *function)
{
    struct px_use *last = checker->uses.n ? &checker->uses.at[checker->uses.n - 1] : NULL;
    const struct px_use use = {checker->function, function, true};
    px_note_reachable(checker, function);
    if (last && last->symbol == function && last->by == checker->function) last->taken = true;
    if (!function->defined) px_vec_push(&checker->module->arena, &checker->addresses, use);
}

/* ---- shared memory ---- */

static void add_variable(uint64_t *bytes, const struct px_symbol *symbol)
{
    uint64_t align = symbol->align ? symbol->align : 1;
    if (symbol->space == PX_SPACE_SHARED) *bytes = (*bytes + align - 1) / align * align + symbol->size;
}

struct reach {
    struct px_checker *checker;
    uint32_t *first; /* by function symbol: its first use, plus 1 */
    const struct px_symbol **todo;
    uint32_t ntodo;
    uint32_t *seen, mark; /* by symbol: the last kernel that reached it */
};

static void reach(struct reach *r, const struct px_symbol *symbol)
{
    if (r->seen[symbol->index] == r->mark) return;
    r->seen[symbol->index] = r->mark;
    r->todo[r->ntodo++] = symbol;
}

/* Uses of one function lie together. */
static void reach_uses(struct reach *r, const struct px_symbol *function)
{
    const struct px_checker *checker = r->checker;
    uint32_t i = r->first[function->index];
    for (; i && i <= checker->uses.n && checker->uses.at[i - 1].by == function->u.func; i++)
        reach(r, checker->uses.at[i - 1].symbol);
}

static uint64_t shared_bytes(struct reach *r, const struct px_symbol *kernel)
{
    uint64_t bytes = 0;
    r->mark++;
    reach(r, kernel);
    while (r->ntodo) {
        const struct px_symbol *symbol = r->todo[--r->ntodo];
        if (!is_function(symbol)) {
            add_variable(&bytes, symbol);
            continue;
        }
        const struct px_function *function = symbol->u.func;
        for (uint32_t i = 0; i < function->vars.n; i++) add_variable(&bytes, function->vars.at[i]);
        reach_uses(r, symbol);
    }
    return bytes;
}

/* All shared variables together: when they fit, each kernel's do. */
static bool all_fit(const struct ptx_module *module)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->symbols.n; i++)
        if (module->symbols.at[i]->kind == PX_SYM_VAR) add_variable(&bytes, module->symbols.at[i]);
    for (uint32_t i = 0; i < module->functions.n; i++)
        for (uint32_t j = 0; j < module->functions.at[i]->vars.n; j++)
            add_variable(&bytes, module->functions.at[i]->vars.at[j]);
    return bytes <= SHARED_MAX;
}

static void check_shared(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    struct reach r = {.checker = checker};
    if (all_fit(module)) return;
    r.first = PX_NEW_N(&module->arena, uint32_t, module->symbols.n);
    r.seen = PX_NEW_N(&module->arena, uint32_t, module->symbols.n);
    r.todo = PX_NEW_N(&module->arena, const struct px_symbol *, module->symbols.n);
    for (uint32_t i = checker->uses.n; i; i--) r.first[checker->uses.at[i - 1].by->symbol->index] = i;
    for (uint32_t i = module->functions.n; i; i--) { /* the last kernel first, as ptxas does */
        const struct px_function *function = module->functions.at[i - 1];
        uint64_t bytes = function->func->is_entry ? shared_bytes(&r, function->symbol) : 0;
        if (bytes > SHARED_MAX)
            px_complain_at(checker, PX_NO_PLACE, SHARED_BYTES, function->func->pos, function->func->name->len,
                           function->func->name->text, (unsigned long long)bytes, (unsigned)SHARED_MAX);
    }
}

/* ---- names ---- */

static void check_variables(struct px_checker *checker)
{
    struct ptx_module *module = checker->module;
    for (uint32_t i = 0; i < module->symbols.n && !checker->stopped; i++) {
        const struct px_symbol *symbol = module->symbols.at[i];
        if (symbol->kind != PX_SYM_VAR || symbol->linkage != PX_L_EXTERN) continue;
        if (px_find_earlier(checker, symbol->name)) continue; /* told there, or defined */
        if (symbol->size)
            px_complain_at(checker, PX_NO_PLACE, EXTERN_IGNORED, symbol->pos, symbol->name->len,
                           symbol->name->text);
        else if (symbol->space != PX_SPACE_SHARED && symbol->u.var->bank < 0)
            px_complain_at(checker, PX_NO_PLACE, EXTERN_VARIABLE, symbol->pos, symbol->name->len,
                           symbol->name->text);
    }
}

static bool is_elsewhere(const struct px_symbol *symbol)
{
    return is_function(symbol) && symbol->linkage == PX_L_EXTERN && !symbol->defined && !symbol->alias_of;
}

static void complain_address(struct px_checker *checker, const struct px_symbol *symbol)
{
    px_complain_at(checker, PX_NO_PLACE, FOREIGN_ADDRESS, symbol->pos, symbol->name->len, symbol->name->text);
}

static void complain_unresolved(struct px_checker *checker, const struct px_symbol *symbol)
{
    const uint32_t before = checker->diags->list.n;
    px_complain_at(checker, PX_NO_PLACE, UNRESOLVED, symbol->pos, symbol->name->len, symbol->name->text);
    if (before < checker->diags->list.n)
        px_diag_note(checker->diags, &checker->diags->list.at[before], "with -c names of other modules %s",
                     is_of_runtime(symbol->name) ? "and of the device runtime stay open" : "stay open");
}

static void check_functions(struct px_checker *checker)
{
    for (uint32_t i = 0; i < checker->uses.n && !checker->stopped; i++) {
        const struct px_symbol *symbol = checker->uses.at[i].symbol;
        if (!is_elsewhere(symbol)) continue;
        if (checker->uses.at[i].taken)
            complain_address(checker, symbol);
        else if (!is_supplied(symbol->name))
            complain_unresolved(checker, symbol);
    }
}

/* What ptxas supplies has no address; in a whole program, nor has what is elsewhere. Bodies come before
 * initialisers. */
static void check_addresses(struct px_checker *checker)
{
    const bool whole = checker->module->compilation == PTX_COMPILE_WHOLE;
    for (int initialisers = 0; initialisers < 2; initialisers++)
        for (uint32_t i = 0; i < checker->addresses.n && !checker->stopped; i++) {
            const struct px_use *use = &checker->addresses.at[i];
            if ((use->by == NULL) == (initialisers == 1) && is_elsewhere(use->symbol) &&
                (whole || is_supplied(use->symbol->name)))
                complain_address(checker, use->symbol);
        }
}

void px_check_uses(struct px_checker *checker)
{
    const bool whole = checker->module->compilation == PTX_COMPILE_WHOLE;
    if (checker->module->compilation == PTX_COMPILE_ANY) return;
    if (whole) check_variables(checker);
    if (whole && !checker->stopped) check_functions(checker);
    if (!checker->stopped) check_addresses(checker);
    if (whole && !checker->stopped) check_shared(checker);
}
