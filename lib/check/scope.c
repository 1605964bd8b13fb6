/*
 * scope.c - binding and finding names; see scope.h for the structure.
 *
 * The invariant: for every name, the chain bound, outer, outer... has strictly
 * falling levels, except that a range and a plain symbol of one level may share
 * a name (r and r<4> are different things).
 */
#include "check/scope.h"
#include <string.h>

void px_scope_init(struct px_scope *scope, struct px_arena *arena, struct px_names *names)
{
    *scope = (struct px_scope){.arena = arena, .bodies = arena, .names = names};
    px_scope_enter(scope);
}

void px_scope_enter(struct px_scope *scope)
{
    px_vec_push(scope->arena, &scope->levels, NULL);
}

void px_scope_leave(struct px_scope *scope)
{
    for (struct px_symbol *symbol = scope->levels.at[--scope->levels.n]; symbol; symbol = symbol->sibling) {
        symbol->name->bound = symbol->outer;
        scope->nested_ranges -= symbol->kind == PX_SYM_RANGE && symbol->level > 1;
    }
}

static void bind_at(struct px_scope *scope, struct px_symbol *symbol, unsigned level)
{
    symbol->level = (uint16_t)level;
    symbol->outer = symbol->name->bound;
    symbol->name->bound = symbol;
    symbol->sibling = scope->levels.at[level];
    scope->levels.at[level] = symbol;
    scope->nested_ranges += symbol->kind == PX_SYM_RANGE && level > 1;
}

void px_scope_bind(struct px_scope *scope, struct px_symbol *symbol)
{
    bind_at(scope, symbol, px_scope_level(scope));
}

void px_scope_bind_module(struct px_scope *scope, struct px_symbol *symbol)
{
    void **link = &symbol->name->bound;
    struct px_symbol *inner = NULL;
    for (struct px_symbol *s = *link; s && s->level > 0; s = s->outer) inner = s;
    if (!inner) {
        bind_at(scope, symbol, 0);
        return;
    }
    symbol->outer = inner->outer;
    inner->outer = symbol;
    symbol->sibling = scope->levels.at[0];
    scope->levels.at[0] = symbol;
}

struct px_symbol *px_scope_module(const struct px_name *name)
{
    for (struct px_symbol *s = name->bound; s; s = s->outer)
        if (s->level == 0 && s->kind != PX_SYM_RANGE) return s;
    return NULL;
}

static struct px_symbol *skip_ranges(struct px_symbol *symbol)
{
    while (symbol && symbol->kind == PX_SYM_RANGE) symbol = symbol->outer;
    return symbol;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The name that is the first `n` bytes of `text`; a few are kept, because registers have few bases. */
static struct px_name *base_of(struct px_scope *scope, const char *text, uint32_t n)
{
    struct px_name **kept = &scope->bases[((unsigned char)text[n - 1] + n) % 8];
    if (!*kept || (*kept)->len != n || memcmp((*kept)->text, text, n) != 0)
        *kept = px_names_find(scope->names, text, n);
    return *kept;
}

/*
 * Splits name into base and number (at most nine digits; %r01 is %r1, as for
 * ptxas); NULL when there is no such base among the names.
 */
static struct px_name *split(struct px_scope *scope, const struct px_name *name, uint64_t *number)
{
    uint32_t at = name->len;
    while (at > 1 && is_digit(name->text[at - 1])) at--;
    uint32_t digits = name->len - at;
    if (!digits || digits > 9) return NULL;
    *number = 0;
    for (uint32_t i = at; i < name->len; i++) *number = *number * 10 + (uint64_t)(name->text[i] - '0');
    return base_of(scope, name->text, at);
}

struct px_name *px_scope_base(struct px_scope *scope, const struct px_name *name)
{
    uint64_t number;
    return split(scope, name, &number);
}

/* The innermost range that has `name` as a member. */
static struct px_symbol *range_of(struct px_scope *scope, const struct px_name *name)
{
    uint64_t number = 0;
    struct px_name *base = split(scope, name, &number);
    for (struct px_symbol *s = base ? base->bound : NULL; s; s = s->outer)
        if (s->kind == PX_SYM_RANGE && number < s->u.var->range && !(s->u.var->range >> 63)) return s;
    return NULL;
}

static struct px_symbol *make_member(struct px_scope *scope, struct px_name *name, struct px_symbol *range)
{
    bool local = range->level > 0 && range->space == PX_SPACE_REG;
    struct px_symbol *member = px_arena_node(local ? scope->bodies : scope->arena, sizeof *member);
    *member = *range;
    member->name = name;
    member->kind = range->space == PX_SPACE_REG ? PX_SYM_REG : PX_SYM_VAR;
    bind_at(scope, member, range->level);
    return member;
}

/* %r007 is %r7 */
static struct px_name *without_zeros(struct px_scope *scope, struct px_name *name)
{
    uint32_t at = name->len, first;
    while (at > 1 && is_digit(name->text[at - 1])) at--;
    for (first = at; first + 1 < name->len && name->text[first] == '0';) first++;
    if (first == at) return name;
    const char *plain = px_arena_printf(scope->arena, "%.*s%s", (int)at, name->text, name->text + first);
    return px_names_intern(scope->names, plain, name->len - (first - at));
}

struct px_symbol *px_scope_find(struct px_scope *scope, struct px_name *name, bool *made)
{
    struct px_symbol *symbol = skip_ranges(name->bound);
    *made = false;
    if (symbol && symbol->level > 0 && !scope->nested_ranges) return symbol;
    struct px_symbol *range = range_of(scope, name);
    if (!range || (symbol && symbol->level >= range->level)) return symbol;
    struct px_name *plain = without_zeros(scope, name);
    if (plain != name) return px_scope_find(scope, plain, made);
    *made = true;
    return make_member(scope, name, range);
}

struct px_symbol *px_scope_here(struct px_scope *scope, struct px_name *name)
{
    struct px_symbol *symbol = skip_ranges(name->bound);
    unsigned level = px_scope_level(scope);
    if (symbol && symbol->level == level) return symbol;
    symbol = range_of(scope, name);
    return symbol && symbol->level == level ? symbol : NULL;
}

/* Is `name` spelt as a member of base<range>? ptxas does not mind an older name for member 0. */
static bool is_member(struct px_scope *scope, const struct px_name *name, const struct px_name *base,
                      uint64_t range)
{
    uint64_t number = 0;
    return split(scope, name, &number) == base && number > 0 && number < range;
}

struct px_symbol *px_scope_clash(struct px_scope *scope, struct px_name *base, uint64_t range)
{
    enum { LOOK_BACK = 256 }; /* keeps a file of a million ranges linear */
    unsigned looked = 0;
    for (struct px_symbol *s = scope->levels.at[px_scope_level(scope)]; s && looked < LOOK_BACK;
         s = s->sibling) {
        looked++;
        if (s->kind == PX_SYM_RANGE ? s->name == base : is_member(scope, s->name, base, range)) return s;
    }
    return NULL;
}
