/*
 * scope.h - which symbol a name denotes.
 *
 * A name points at its innermost symbol (px_name.bound); the symbol remembers
 * what the name denoted outside (outer). A level is a list of the symbols bound
 * in it, so leaving it undoes exactly those. name<N> binds one range symbol;
 * its members become symbols when they are first used, in the level of the
 * range, however deep the use stands.
 */
#ifndef PX_CHECK_SCOPE_H
#define PX_CHECK_SCOPE_H

#include "front/module.h"

struct px_scope {
    struct px_arena *arena;
    struct px_arena *bodies; /* of registers that are members of a function's ranges */
    struct px_names *names;
    PX_VEC(struct px_symbol *) levels; /* the last symbol bound in each open level */
    struct px_name *bases[8];          /* names that stood before a number lately; see scope.c */
    unsigned nested_ranges;            /* ranges bound now in level 2 and deeper */
};

void px_scope_init(struct px_scope *scope, struct px_arena *arena, struct px_names *names);
void px_scope_enter(struct px_scope *scope);
void px_scope_leave(struct px_scope *scope);
static inline unsigned px_scope_level(const struct px_scope *scope)
{
    return scope->levels.n - 1;
}

/* Makes `symbol` what its name denotes in the innermost level. */
void px_scope_bind(struct px_scope *scope, struct px_symbol *symbol);
/* The same in the module's level, whatever is open; and the symbol bound there, NULL if none. */
void px_scope_bind_module(struct px_scope *scope, struct px_symbol *symbol);
/* base of a name that ends in a number, as %r of %r7; NULL: no such base was ever written */
struct px_name *px_scope_base(struct px_scope *scope, const struct px_name *name);
struct px_symbol *px_scope_module(const struct px_name *name);
/* The symbol that `name` has in the innermost level, be it a member of a range; NULL if none. */
struct px_symbol *px_scope_here(struct px_scope *scope, struct px_name *name);

/* What base<range> would collide with in the innermost level (among its latest symbols); NULL if nothing. */
struct px_symbol *px_scope_clash(struct px_scope *scope, struct px_name *base, uint64_t range);

/*
 * What `name` denotes, NULL when nothing. `made` is set when a member of a
 * range became a symbol just now; its maker (decl.c) completes it.
 */
struct px_symbol *px_scope_find(struct px_scope *scope, struct px_name *name, bool *made);

#endif
