/*
 * layout.c - offsets of .global, .const and .shared variables.
 *
 * A .shared variable has one offset, the same in every kernel, because the
 * functions that use it are decoded once. So that a kernel pays only for what
 * it can reach, variables are placed in turn at the lowest offset that is free
 * in all kernels that reach them. Dynamic shared memory begins behind the
 * static bytes; kernels that share a function using it share that beginning.
 */
#include "link/link.h"
#include <string.h>

struct reach {
    uint32_t *kernels; /* ids of the kernels */
    uint32_t nkernels;
    uint64_t *top;             /* of each kernel: where its static bytes end so far */
    uint64_t *bytes;           /* of each kernel: static bytes without the gaps that it leaves to others */
    PX_VEC(uint32_t) * of_var; /* by variable: which kernels (index in `kernels`) reach it */
};

/* As nvlink has them (docs/linking.md): bytes of a program, and of what a kernel reaches. */
enum { CONST_MAX = 0x10000, SHARED_MAX = 0xc000 };

static const struct px_mention none;

static uint64_t align_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

/* The end of `size` bytes that begin at `at`; past all memory rather than around it. */
static uint64_t end_of(uint64_t at, uint64_t size)
{
    const uint64_t most = UINT64_C(1) << 62;
    return at > most || size > most ? most : at + size;
}

static void place_images(struct px_link *link)
{
    struct px_linked *out = link->out;
    for (uint32_t i = 0; i < link->vars.n; i++) {
        struct px_lvar *v = &link->vars.at[i];
        uint64_t *top = v->space == PX_SPACE_GLOBAL ? &out->global_bytes : &out->const_bytes;
        if (v->space == PX_SPACE_SHARED) continue;
        v->address = align_up(*top, link->ivars.at[i].align);
        *top = end_of(v->address, v->size);
    }
    if (out->const_bytes > CONST_MAX)
        px_link_say(link, LINK_CONST, NULL, PX_NO_PLACE, 0, none, (unsigned long long)out->const_bytes,
                    (unsigned)CONST_MAX);
}

/* ---- which kernels reach what ---- */

struct search {
    struct px_link *link;
    const uint32_t *taken; /* functions that a call by address may reach */
    uint32_t ntaken;
    bool *seen;
    uint32_t *stack, n;
};

static void visit(struct search *s, uint32_t func)
{
    if (s->seen[func]) return;
    s->seen[func] = true;
    s->stack[s->n++] = func;
}

static void visit_callees(struct search *s, uint32_t func)
{
    const struct px_link_func *i = &s->link->ifuncs.at[func];
    for (uint32_t k = 0; k < i->calls.n; k++) visit(s, i->calls.at[k]);
    if (!i->calls_indirectly) return;
    for (uint32_t k = 0; k < s->ntaken; k++) visit(s, s->taken[k]);
}

static void reach_from(struct px_link *link, struct reach *r, uint32_t kernel, struct search *s)
{
    uint32_t done = 0;
    s->n = 0;
    visit(s, r->kernels[kernel]);
    for (; done < s->n; done++) {
        const struct px_link_func *i = &link->ifuncs.at[s->stack[done]];
        for (uint32_t k = 0; k < i->shared.n; k++) {
            uint32_t var = i->shared.at[k], n = r->of_var[var].n;
            if (!n || r->of_var[var].at[n - 1] != kernel) px_vec_push(link->arena, &r->of_var[var], kernel);
        }
        visit_callees(s, s->stack[done]);
    }
    for (uint32_t k = 0; k < s->n; k++) s->seen[s->stack[k]] = false;
}

static void find_taken(struct search *s)
{
    const struct px_link *link = s->link;
    uint32_t *taken = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t f = 0; f < link->funcs.n; f++)
        if (link->funcs.at[f].taken && !link->funcs.at[f].is_entry) taken[s->ntaken++] = f;
    s->taken = taken;
}

static void find_reach(struct px_link *link, struct reach *r)
{
    struct search s = {.link = link};
    find_taken(&s);
    r->kernels = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t i = 0; i < link->funcs.n; i++)
        if (link->funcs.at[i].is_entry && link->funcs.at[i].kind == PX_LF_CODE) r->kernels[r->nkernels++] = i;
    r->top = PX_NEW_N(link->arena, uint64_t, r->nkernels + 1);
    r->bytes = PX_NEW_N(link->arena, uint64_t, r->nkernels + 1);
    r->of_var = px_arena_zalloc(link->arena, (link->vars.n + 1) * sizeof *r->of_var);
    s.seen = PX_NEW_N(link->arena, bool, link->funcs.n + 1);
    s.stack = PX_NEW_N(link->arena, uint32_t, link->funcs.n + 1);
    for (uint32_t k = 0; k < r->nkernels; k++) reach_from(link, r, k, &s);
}

/* ---- offsets ---- */

static uint64_t highest_top(const struct reach *r, uint32_t var)
{
    uint64_t top = 0;
    for (uint32_t k = 0; k < r->of_var[var].n; k++)
        if (r->top[r->of_var[var].at[k]] > top) top = r->top[r->of_var[var].at[k]];
    return top;
}

static void raise_tops(struct reach *r, uint32_t var, uint64_t top)
{
    for (uint32_t k = 0; k < r->of_var[var].n; k++) r->top[r->of_var[var].at[k]] = top;
}

static void count_bytes(struct reach *r, uint32_t var, uint64_t size, uint64_t align)
{
    for (uint32_t k = 0; k < r->of_var[var].n; k++) {
        uint64_t *bytes = &r->bytes[r->of_var[var].at[k]];
        *bytes = end_of(align_up(*bytes, align), size);
    }
}

static void place_static(struct px_link *link, struct reach *r)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        struct px_lvar *v = &link->vars.at[i];
        if (v->space != PX_SPACE_SHARED || link->ivars.at[i].dynamic) continue;
        v->address = align_up(highest_top(r, i), link->ivars.at[i].align);
        raise_tops(r, i, end_of(v->address, v->size));
        count_bytes(r, i, v->size, link->ivars.at[i].align);
    }
}

/* Raises the beginnings of dynamic memory until kernels that share one agree. */
static void place_dynamic(struct px_link *link, struct reach *r)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < link->vars.n; i++) {
            struct px_lvar *v = &link->vars.at[i];
            if (!link->ivars.at[i].dynamic || !r->of_var[i].n) continue;
            uint64_t align = link->ivars.at[i].align < 16 ? 16 : link->ivars.at[i].align;
            uint64_t top = align_up(highest_top(r, i), align);
            if (top != v->address) again = true;
            v->address = top;
            raise_tops(r, i, top);
        }
    }
}

/* Kernels were told by index; from now on by id, for whoever asks later. */
static void tell_reach(struct px_link *link, struct reach *r)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        for (uint32_t k = 0; k < r->of_var[i].n; k++) r->of_var[i].at[k] = r->kernels[r->of_var[i].at[k]];
        link->vars.at[i].kernels = r->of_var[i].at;
        link->vars.at[i].nkernels = r->of_var[i].n;
    }
}

static void check_shared(struct px_link *link, const struct reach *r)
{
    for (uint32_t k = 0; k < r->nkernels; k++) {
        const struct px_mention kernel = link->ifuncs.at[r->kernels[k]].made;
        if (r->bytes[k] > SHARED_MAX)
            px_link_say_at(link, LINK_SHARED, kernel, none, (unsigned long long)r->bytes[k],
                           (unsigned)SHARED_MAX);
    }
}

void px_link_layout(struct px_link *link)
{
    struct reach r = {0};
    place_images(link);
    find_reach(link, &r);
    place_static(link, &r);
    place_dynamic(link, &r);
    check_shared(link, &r);
    for (uint32_t k = 0; k < r.nkernels; k++) {
        if (r.top[k] > link->out->shared_max) link->out->shared_max = r.top[k];
        link->funcs.at[r.kernels[k]].static_shared = r.top[k] > UINT32_MAX ? UINT32_MAX : (uint32_t)r.top[k];
    }
    tell_reach(link, &r);
}
