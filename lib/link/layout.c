/*
 * layout.c - offsets of .global, .const, .shared and opaque variables.
 *
 * A .shared variable has one offset, the same in every kernel, because the
 * functions that use it are decoded once. So that a kernel pays only for what
 * it can reach, variables are placed in turn at the lowest offset that is free
 * in all kernels that reach them. Dynamic shared memory begins behind the
 * static bytes; kernels that share a function using it share that beginning.
 */
#include "link/link.h"
#include <string.h>

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
        uint64_t *top = v->space == PX_SPACE_GLOBAL ? &out->global_bytes
                        : v->space == PX_SPACE_TEX  ? &out->opaque_bytes
                                                    : &out->const_bytes;
        if (v->space == PX_SPACE_SHARED) continue;
        v->address = align_up(*top, link->ivars.at[i].align);
        *top = end_of(v->address, v->size);
    }
    if (out->const_bytes > CONST_MAX)
        px_link_say(link, LINK_CONST, NULL, PX_NO_PLACE, 0, none, (unsigned long long)out->const_bytes,
                    (unsigned)CONST_MAX);
}

/* ---- shared memory ---- */

/* What is placed: who reaches it, and where each kernel's bytes end. */
struct layout {
    struct px_reach reach;
    uint64_t *top;   /* of each kernel: where its static bytes end so far */
    uint64_t *bytes; /* of each kernel: static bytes without the gaps that it leaves to others */
};

static uint64_t highest_top(const struct layout *l, uint32_t var)
{
    uint64_t top = 0;
    for (uint32_t k = 0; k < l->reach.of_var[var].n; k++)
        if (l->top[l->reach.of_var[var].at[k]] > top) top = l->top[l->reach.of_var[var].at[k]];
    return top;
}

static void raise_tops(struct layout *l, uint32_t var, uint64_t top)
{
    for (uint32_t k = 0; k < l->reach.of_var[var].n; k++) l->top[l->reach.of_var[var].at[k]] = top;
}

static void count_bytes(struct layout *l, uint32_t var, uint64_t size, uint64_t align)
{
    for (uint32_t k = 0; k < l->reach.of_var[var].n; k++) {
        uint64_t *bytes = &l->bytes[l->reach.of_var[var].at[k]];
        *bytes = end_of(align_up(*bytes, align), size);
    }
}

static void place_static(struct px_link *link, struct layout *l)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        struct px_lvar *v = &link->vars.at[i];
        if (v->space != PX_SPACE_SHARED || link->ivars.at[i].dynamic) continue;
        v->address = align_up(highest_top(l, i), link->ivars.at[i].align);
        raise_tops(l, i, end_of(v->address, v->size));
        count_bytes(l, i, v->size, link->ivars.at[i].align);
    }
}

/* Raises the beginnings of dynamic memory until kernels that share one agree. */
static void place_dynamic(struct px_link *link, struct layout *l)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < link->vars.n; i++) {
            struct px_lvar *v = &link->vars.at[i];
            if (!link->ivars.at[i].dynamic || !l->reach.of_var[i].n) continue;
            uint64_t align = link->ivars.at[i].align < 16 ? 16 : link->ivars.at[i].align;
            uint64_t top = align_up(highest_top(l, i), align);
            if (top != v->address) again = true;
            v->address = top;
            raise_tops(l, i, top);
        }
    }
}

/* Kernels were told by index; from now on by id, for whoever asks later. */
static void tell_reach(struct px_link *link, struct layout *l)
{
    for (uint32_t i = 0; i < link->vars.n; i++) {
        for (uint32_t k = 0; k < l->reach.of_var[i].n; k++)
            l->reach.of_var[i].at[k] = l->reach.kernels[l->reach.of_var[i].at[k]];
        link->vars.at[i].kernels = l->reach.of_var[i].at;
        link->vars.at[i].nkernels = l->reach.of_var[i].n;
    }
}

static void check_shared(struct px_link *link, const struct layout *l)
{
    for (uint32_t k = 0; k < l->reach.nkernels; k++) {
        const struct px_mention kernel = link->ifuncs.at[l->reach.kernels[k]].made;
        if (l->bytes[k] > SHARED_MAX)
            px_link_say_at(link, LINK_SHARED, kernel, none, (unsigned long long)l->bytes[k],
                           (unsigned)SHARED_MAX);
    }
}

void px_link_layout(struct px_link *link)
{
    struct layout l = {0};
    place_images(link);
    px_link_reach(link, &l.reach);
    l.top = PX_NEW_N(link->arena, uint64_t, l.reach.nkernels + 1);
    l.bytes = PX_NEW_N(link->arena, uint64_t, l.reach.nkernels + 1);
    place_static(link, &l);
    place_dynamic(link, &l);
    check_shared(link, &l);
    for (uint32_t k = 0; k < l.reach.nkernels; k++) {
        struct px_lfunc *kernel = &link->funcs.at[l.reach.kernels[k]];
        if (l.top[k] > link->out->shared_max) link->out->shared_max = l.top[k];
        kernel->static_shared = l.top[k] > UINT32_MAX ? UINT32_MAX : (uint32_t)l.top[k];
    }
    tell_reach(link, &l);
}
