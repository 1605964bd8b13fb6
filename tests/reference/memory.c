/*
 * memory.c - state spaces, generic addresses, loads and stores.
 *
 * Every access is checked against exactly the bytes that are there: the buffer
 * of the launch, one .global variable, the block's shared memory, the thread's
 * local memory up to its stack's top, the constants, the kernel's parameters.
 * The windows of generic addresses are this file's own; programs cannot know
 * where they lie.
 */
#include "machine.h"
#include "gen/isa_ops.h"
#include <string.h>

/* ---- windows: | kind 8 bits | CTA 16 | thread 16 | offset 24, of shared memory 40 | ---- */

enum { KIND_SHIFT = 56, CTA_SHIFT = 40, THREAD_SHIFT = 24, RANK_SHIFT = 24, RANKS = 16 };

static uint64_t window(enum ref_window kind)
{
    return (uint64_t)kind << KIND_SHIFT;
}

static uint64_t cta_bits(const struct ref_thread *t)
{
    return (uint64_t)(t->cta->number & 0xffff) << CTA_SHIFT;
}

uint64_t ref_window_base(const struct ref_thread *t, enum px_space space)
{
    switch (space) {
    case PX_SPACE_SHARED: return window(REF_WIN_SHARED) | cta_bits(t);
    case PX_SPACE_LOCAL: return window(REF_WIN_LOCAL) | cta_bits(t) | (uint64_t)t->index << THREAD_SHIFT;
    case PX_SPACE_CONST: return window(REF_WIN_CONST);
    case PX_SPACE_PARAM: return window(REF_WIN_PARAM);
    default: return 0; /* .global */
    }
}

static enum px_space space_of(uint64_t address)
{
    switch (address >> KIND_SHIFT) {
    case REF_WIN_SHARED: return PX_SPACE_SHARED;
    case REF_WIN_LOCAL: return PX_SPACE_LOCAL;
    case REF_WIN_CONST: return PX_SPACE_CONST;
    case REF_WIN_PARAM: return PX_SPACE_PARAM;
    default: return PX_SPACE_GLOBAL;
    }
}

/* ---- places ---- */

static uint8_t *within(uint8_t *bytes, uint64_t first, uint64_t length, uint64_t address, uint64_t size)
{
    uint64_t at = address - first;
    return at <= length && size <= length - at ? bytes + at : NULL;
}

static uint8_t *global_place(struct ref_machine *m, uint64_t address, uint64_t size)
{
    const struct ref_launch *l = m->launch;
    uint8_t *p = l->buffer ? within(l->buffer, l->buffer_address, l->buffer_bytes, address, size) : NULL;
    for (uint32_t i = 0; !p && i < m->linked.nvars; i++) {
        const struct px_lvar *v = &m->linked.vars[i];
        if (v->space != PX_SPACE_GLOBAL) continue;
        p = within(m->global + (v->address - m->global_base), v->address, v->size, address, size);
    }
    return p;
}

static uint8_t *space_place(struct ref_thread *t, enum px_space space, uint64_t a, uint64_t size)
{
    struct ref_machine *m = t->machine;
    switch (space) {
    case PX_SPACE_GLOBAL: return global_place(m, a, size);
    case PX_SPACE_SHARED: return within(t->cta->shared, 0, m->shared_bytes, a, size);
    case PX_SPACE_LOCAL: return within(t->local, 0, t->local_top, a, size);
    case PX_SPACE_CONST: return within(m->constant, 0, m->linked.const_bytes, a, size);
    case PX_SPACE_PARAM: return within(m->params, 0, m->launch->param_bytes, a, size);
    default: return NULL;
    }
}

uint8_t *ref_place(struct ref_thread *t, enum px_space *space, uint64_t address, uint64_t size, bool write)
{
    uint64_t a = address;
    bool generic =
        *space == PX_SPACE_NONE || (*space == PX_SPACE_GLOBAL && space_of(address) == PX_SPACE_CONST);
    if (generic) *space = space_of(address); /* ld.global takes a generic address of constant memory, too */
    if (generic)
        a -= ref_window_base(t, *space);
    else if (*space != PX_SPACE_GLOBAL)
        a = (uint32_t)a; /* all others have 32 bits: what is above them is dropped */
    if (*space == PX_SPACE_SHARED && !generic && a >> RANK_SHIFT)
        ref_fail(t->machine, "fault 715: address 0x%llx is of another block of a cluster",
                 (unsigned long long)address);
    uint8_t *p = space_place(t, *space, a, size);
    if (!p)
        ref_fail(t->machine, "fault 700: access of %llu bytes at 0x%llx: illegal address",
                 (unsigned long long)size, (unsigned long long)address);
    if (write && (*space == PX_SPACE_CONST || *space == PX_SPACE_PARAM))
        ref_fail(t->machine, "fault 700: write to 0x%llx, which is read only", (unsigned long long)address);
    return p;
}

uint64_t ref_address(struct ref_thread *t, const struct ref_operand *o, uint64_t align)
{
    uint64_t a = (uint64_t)ref_get(t, o) + (uint64_t)o->offset;
    if (a & (align - 1))
        ref_fail(t->machine, "fault 716: address 0x%llx is not aligned to %llu bytes", (unsigned long long)a,
                 (unsigned long long)align);
    return a;
}

/* ---- loads and stores ---- */

/* The registers of an access: the value itself or the elements of its vector. */
static const struct ref_operand *elements(const struct ref_operand *o, uint32_t *n)
{
    *n = o->kind == REF_LIST ? o->n : 1;
    return o->kind == REF_LIST ? o->list : o;
}

static enum ref_step load(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t n, bytes = in->o[0].bits / 8u;
    const struct ref_operand *to = elements(&in->o[0], &n);
    enum px_space space = in->space;
    const uint8_t *p =
        ref_place(t, &space, ref_address(t, &in->o[1], (uint64_t)bytes * n), (uint64_t)bytes * n, false);
    for (uint32_t i = 0; i < n; i++) {
        ref_bits v = 0;
        memcpy(&v, p + i * bytes, bytes);
        ref_put(t, &to[i], v);
    }
    return REF_NEXT;
}

static enum ref_step store(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t n, bytes = in->o[1].bits / 8u;
    const struct ref_operand *from = elements(&in->o[1], &n);
    enum px_space space = in->space;
    uint8_t *p =
        ref_place(t, &space, ref_address(t, &in->o[0], (uint64_t)bytes * n), (uint64_t)bytes * n, true);
    for (uint32_t i = 0; i < n; i++) {
        ref_bits v = ref_get(t, &from[i]);
        memcpy(p + i * bytes, &v, bytes);
    }
    return REF_NEXT;
}

/* ---- addresses ---- */

static enum ref_step to_generic(struct ref_thread *t, const struct ref_inst *in)
{
    ref_put(t, &in->o[0], ref_get(t, &in->o[1]) + ref_window_base(t, in->space));
    return REF_NEXT;
}

static enum ref_step from_generic(struct ref_thread *t, const struct ref_inst *in)
{
    ref_put(t, &in->o[0], ref_get(t, &in->o[1]) - ref_window_base(t, in->space));
    return REF_NEXT;
}

static enum ref_step is_space(struct ref_thread *t, const struct ref_inst *in)
{
    uint64_t a = (uint64_t)ref_get(t, &in->o[1]);
    ref_put(t, &in->o[0], a >> KIND_SHIFT != REF_WIN_FUNC && space_of(a) == in->space);
    return REF_NEXT;
}

bool ref_bind_memory(const struct ref_context *x, struct ref_inst *in)
{
    const struct px_operand *o = in->inst->opds;
    bool is_load = in->op == PX_OP_ld;
    switch (in->op) {
    case PX_OP_ld:
    case PX_OP_st:
        in->run = is_load ? load : store;
        in->o[!is_load] = ref_resolve(x, in->inst, &o[!is_load], in->type);
        in->o[is_load] = ref_resolve_address(x, in->inst, &o[is_load], &in->space);
        return true;
    case PX_OP_cvta:
    case PX_OP_cvta_to:
        in->run = in->op == PX_OP_cvta ? to_generic : from_generic;
        in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_U64);
        in->o[1] = ref_resolve(x, in->inst, &o[1], PX_T_U64);
        return true;
    case PX_OP_isspacep:
        in->run = is_space;
        in->o[0] = ref_resolve(x, in->inst, &o[0], PX_T_PRED);
        in->o[1] = ref_resolve(x, in->inst, &o[1], PX_T_U64);
        return true;
    default: return false;
    }
}
