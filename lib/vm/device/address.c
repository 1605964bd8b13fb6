/*
 * address.c - which memory the address of a fault means, in words.
 *
 * A state space address is an offset, which says little by itself: the words
 * tell the space and its size, the nearest variable there, and the offset as
 * the program counts it. Global addresses are told by their allocation.
 */
#include "gang/cluster.h"
#include "vm/device/device.h"
#include "gang/gang.h"
#include <inttypes.h>
#include <stdio.h>

/* A space, or what a thread sees of it, and the address in it. */
struct region {
    const char *name; /* "shared memory" */
    uint64_t offset, size;
    bool known;          /* the size */
    const char *nearest; /* variable; NULL: none. It has bytes [from, to). */
    uint64_t from, to;
};

/* Programs compute offsets in 32 bits or 64; a small negative one looks huge. */
static int64_t signed_offset(uint64_t offset)
{
    return offset >> 32 == 0 ? (int64_t)(int32_t)(uint32_t)offset : (int64_t)offset;
}

static uint64_t distance(const struct region *r, uint64_t from, uint64_t to)
{
    if (signed_offset(r->offset) < 0) return from;
    if (r->offset < from) return from - r->offset;
    return r->offset < to ? 0 : r->offset - to + 1;
}

static void consider(struct region *r, const struct px_symbol *symbol, uint64_t from, uint64_t size)
{
    if (!symbol->name) return;
    if (r->nearest && distance(r, r->from, r->to) <= distance(r, from, from + size)) return;
    r->nearest = symbol->name->text;
    r->from = from;
    r->to = from + size;
}

/* ---- the spaces ---- */

static bool reaches(const struct px_lvar *v, const struct px_grid *grid)
{
    for (uint32_t i = 0; i < v->nkernels; i++)
        if (v->kernels[i] == grid->kernel->id) return true;
    return v->space == PX_SPACE_CONST;
}

static void consider_variables(struct region *r, const struct px_grid *grid, enum px_space space)
{
    const struct px_linked *l = &grid->program->linked;
    for (uint32_t i = 0; i < l->nvars; i++) {
        const struct px_lvar *v = &l->vars[i];
        if (v->space != space || !reaches(v, grid)) continue;
        /* Dynamic shared memory has no size of its own: it is what is left. */
        const bool dynamic = space == PX_SPACE_SHARED && !v->size && v->address <= r->size;
        consider(r, v->symbol, v->address, dynamic ? r->size - v->address : v->size);
    }
}

static struct region shared_region(const struct px_trap *trap, uint64_t offset)
{
    const bool clustered = trap->grid->cluster_blocks > 1;
    struct region r = {.name = clustered ? "the shared memory of a block of the cluster"
                                         : "the block's shared memory",
                       .offset = clustered ? offset & ((1u << PX_RANK_SHIFT) - 1) : offset,
                       .known = true,
                       .size = trap->grid->shared_bytes};
    consider_variables(&r, trap->grid, PX_SPACE_SHARED);
    return r;
}

static struct region local_region(const struct px_trap *trap, uint64_t offset)
{
    const struct px_fcode *code = trap->grid->code->funcs[trap->func->id];
    struct region r = {
        .name = "the thread's local memory", .offset = offset, .known = true, .size = trap->local_to};
    for (uint32_t i = 0; code && i < code->nlocals; i++)
        consider(&r, code->locals[i].symbol, trap->local_from + code->locals[i].at,
                 code->locals[i].symbol->size);
    return r;
}

static struct region const_region(const struct px_trap *trap, uint64_t offset)
{
    struct region r = {.name = "constant memory",
                       .offset = offset,
                       .known = true,
                       .size = trap->grid->program->linked.const_bytes};
    consider_variables(&r, trap->grid, PX_SPACE_CONST);
    return r;
}

static struct region param_region(const struct px_trap *trap, uint64_t offset)
{
    struct region r = {
        .name = "the kernel's parameters", .offset = offset, .known = true, .size = trap->grid->param_bytes};
    const struct px_function *fn = trap->grid->kernel->fn;
    for (uint32_t i = 0; i < fn->func->nparams; i++)
        consider(&r, fn->params[i], fn->params[i]->offset, fn->params[i]->size);
    return r;
}

/* A generic address tells whose memory it means; of another's nothing is known but the offset. */
static bool foreign(const struct px_trap *trap, struct region *r)
{
    const uint64_t va = trap->address;
    const enum px_window window = px_window_of(va);
    if (window == PX_WIN_SHARED && (va >> 32 & 0x1ffffff) != trap->slot)
        *r = (struct region){.name = "another block's shared memory", .offset = va & UINT32_MAX};
    else if (window == PX_WIN_LOCAL && va >> 20 != px_local_base(trap->local_owner, trap->linear) >> 20)
        *r = (struct region){.name = "another thread's local memory", .offset = va & (PX_LOCAL_MAX - 1)};
    else
        return false;
    return true;
}

/* False for a global address, or one of a function. */
static bool region_of(const struct px_trap *trap, struct region *r)
{
    const uint64_t va = trap->address;
    const enum px_window window = px_window_of(va);
    if (!trap->grid || !trap->func || !trap->grid->kernel) return false;
    if (foreign(trap, r)) return true;
    if (trap->space == PX_SPACE_SHARED || window == PX_WIN_SHARED)
        *r = shared_region(trap, window == PX_WIN_SHARED ? va & UINT32_MAX : va);
    else if (trap->space == PX_SPACE_LOCAL || window == PX_WIN_LOCAL)
        *r = local_region(trap, window == PX_WIN_LOCAL ? va & (PX_LOCAL_MAX - 1) : va);
    else if (trap->space == PX_SPACE_CONST || window == PX_WIN_CONST)
        *r = const_region(trap, window == PX_WIN_CONST ? va & UINT32_MAX : va);
    else if (trap->space == PX_SPACE_PARAM || window == PX_WIN_PARAM)
        *r = param_region(trap, window == PX_WIN_PARAM ? va & UINT32_MAX : va);
    else
        return false;
    return true;
}

/* ---- words ---- */

static void describe_region(const struct region *r, char *buf, size_t size)
{
    int n = snprintf(buf, size, "byte %" PRId64 " of %s", signed_offset(r->offset), r->name);
    if (!r->known) return;
    n += snprintf(buf + n, size - (size_t)n, ", which has %" PRIu64 " bytes", r->size);
    if ((size_t)n >= size || !r->nearest) return;
    if (r->to > r->from)
        snprintf(buf + n, size - (size_t)n, "; '%s' is bytes %" PRIu64 " to %" PRIu64, r->nearest, r->from,
                 r->to - 1);
    else
        snprintf(buf + n, size - (size_t)n, "; '%s' would begin at byte %" PRIu64, r->nearest, r->from);
}

static const char *global_name(const struct px_trap *trap, uint64_t address)
{
    const struct px_linked *l = trap->grid && trap->grid->program ? &trap->grid->program->linked : NULL;
    for (uint32_t i = 0; l && address && i < l->nvars; i++)
        if (l->vars[i].space == PX_SPACE_GLOBAL && l->vars[i].size && l->vars[i].address == address)
            return l->vars[i].symbol->name->text;
    return NULL;
}

void px_address_text(const struct ptx_device *device, const struct px_trap *trap, char *buf, size_t size)
{
    struct region r;
    *buf = 0;
    if (region_of(trap, &r)) {
        describe_region(&r, buf, size);
        return;
    }
    if (px_window_of(trap->address) != PX_WIN_NONE) {
        snprintf(buf, size, "%s",
                 px_window_of(trap->address) == PX_WIN_FUNC ? "code"
                 : px_window_of(trap->address) == PX_WIN_OPAQUE
                     ? "a texture, sampler or surface, which is no memory"
                     : "beyond every memory");
        return;
    }
    const uint64_t near = px_mem_describe(&device->mem, trap->address, buf, size);
    const char *name = global_name(trap, near);
    const size_t n = strlen(buf);
    if (name) snprintf(buf + n, size - n, ": the variable '%s'", name);
}

/* ---- of an access ---- */

void px_variable_text(const struct px_grid *grid, bool shared, uint64_t address, char *buf, size_t size)
{
    const struct px_linked *l = grid->program ? &grid->program->linked : NULL;
    const enum px_space space = shared ? PX_SPACE_SHARED : PX_SPACE_GLOBAL;
    *buf = 0;
    for (uint32_t i = 0; l && i < l->nvars; i++) {
        const struct px_lvar *v = &l->vars[i];
        const bool dynamic = shared && !v->size && address < grid->shared_bytes;
        if (v->space != space || (shared && !reaches(v, grid)) || address < v->address ||
            (!dynamic && address - v->address >= v->size))
            continue;
        snprintf(buf, size, "'%s' + %" PRIu64, v->symbol->name->text, address - v->address);
        return;
    }
}
