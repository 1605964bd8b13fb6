/*
 * control.c - branches, calls and the ends of threads.
 *
 * A call makes a frame on the heap; its part of local memory lies behind the
 * caller's. Arguments and results are copied as bytes between registers and
 * .param variables, whichever each side has.
 */
#include "machine.h"
#include "gen/isa_ops.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4096, LOCAL_MAX = 1 << 22, FRAME_ALIGN = 128, FUNC_BYTES = 16, ALLOCA_ALIGN = 8 };

/* ---- branches ---- */

static enum ref_step run_bra(struct ref_thread *t, const struct ref_inst *in)
{
    t->frame->pc = in->target;
    return REF_NEXT;
}

static enum ref_step run_brx(struct ref_thread *t, const struct ref_inst *in)
{
    uint32_t i = (uint32_t)ref_get(t, &in->o[0]);
    if (i >= in->ntargets) ref_fail(t->machine, "fault: brx.idx with index %u of %u", i, in->ntargets);
    t->frame->pc = in->targets[i];
    return REF_NEXT;
}

/* ---- frames ---- */

static void reserve_local(struct ref_thread *t, uint32_t top)
{
    if (top > t->local_room) {
        uint32_t room = top * 2;
        uint8_t *bytes = realloc(t->local, room);
        if (!bytes) ref_fail(t->machine, "out of memory");
        memset(bytes + t->local_room, 0, room - t->local_room);
        t->local = bytes;
        t->local_room = room;
    }
    t->local_top = top;
}

static void push(struct ref_thread *t, const struct ref_code *code)
{
    struct ref_frame *f = calloc(1, sizeof *f + code->nregs * sizeof *f->regs);
    if (!f) ref_fail(t->machine, "out of memory");
    f->parent = t->frame;
    f->code = code;
    f->depth = t->frame ? t->frame->depth + 1 : 0;
    f->under = t->local_top;
    f->local_base = (t->local_top + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
    t->frame = f;
    if (f->depth > DEPTH_MAX || f->local_base + code->local_bytes > LOCAL_MAX)
        ref_fail(t->machine, "fault: call stack exhausted at depth %u", f->depth);
    reserve_local(t, f->local_base + code->local_bytes);
}

static void pop(struct ref_thread *t)
{
    struct ref_frame *f = t->frame;
    t->frame = f->parent;
    t->local_top = f->under;
    free(f);
}

/* ---- the stack ---- */

static enum ref_step run_alloca(struct ref_thread *t, const struct ref_inst *in)
{
    const uint64_t size = (uint64_t)ref_get(t, &in->o[1]);
    const uint64_t align = in->n > 2 ? (uint64_t)ref_get(t, &in->o[2]) : ALLOCA_ALIGN;
    const uint64_t at = (t->local_top + align - 1) / align * align;
    if (size > LOCAL_MAX || at + size > LOCAL_MAX)
        ref_fail(t->machine, "fault 714: alloca of %" PRIu64, size);
    reserve_local(t, (uint32_t)(at + size));
    ref_put(t, &in->o[0], at);
    return REF_NEXT;
}

static enum ref_step run_stacksave(struct ref_thread *t, const struct ref_inst *in)
{
    ref_put(t, &in->o[0], t->local_top);
    return REF_NEXT;
}

static enum ref_step run_stackrestore(struct ref_thread *t, const struct ref_inst *in)
{
    t->local_top = (uint32_t)ref_get(t, &in->o[0]);
    return REF_NEXT;
}

static void bind_stack(const struct ref_context *x, struct ref_inst *in, ref_run_fn *run)
{
    in->run = run;
    for (unsigned i = 0; i < in->n; i++)
        in->o[i] = ref_resolve(x, in->inst, &in->inst->opds[i], i < 2 ? in->match.type[0] : PX_T_U32);
}

/* ---- arguments and results ---- */

/* Where the bytes of an operand of frame `f` lie, and how many there are. */
static uint8_t *bytes_of(struct ref_thread *t, struct ref_frame *f, const struct ref_operand *o,
                         uint32_t *size)
{
    if (o->kind == REF_FRAME) {
        *size = o->size;
        return t->local + f->local_base + (uint32_t)o->value;
    }
    *size = o->kind == REF_REG ? o->width / 8u : (uint32_t)sizeof(ref_bits);
    return o->kind == REF_REG ? (uint8_t *)&f->regs[o->reg] : (uint8_t *)(uintptr_t)&o->value;
}

enum { PARTS_MAX = 64 }; /* bytes of a vector of registers */

/* The elements of a vector register lie side by side, as in memory. */
static void gather(struct ref_thread *t, struct ref_frame *f, const struct ref_operand *o,
                   uint8_t bytes[PARTS_MAX], uint32_t *size, bool store)
{
    uint32_t at = 0, n = 0;
    for (uint32_t i = 0; i < o->n; i++, at += n) {
        uint8_t *element = bytes_of(t, f, &o->list[i], &n);
        if (at + n > PARTS_MAX) ref_fail(t->machine, "the reference has no room for such a vector");
        if (store) memset(element, 0, sizeof(ref_bits));
        memcpy(store ? element : bytes + at, store ? bytes + at : element, n);
    }
    *size = at;
}

static void copy(struct ref_thread *t, struct ref_frame *to, const struct ref_operand *d,
                 struct ref_frame *from, const struct ref_operand *s)
{
    uint8_t parts[PARTS_MAX] = {0};
    uint32_t have, room;
    if (d->kind == REF_SINK || s->kind == REF_SINK) return;
    if (s->kind == REF_LIST) gather(t, from, s, parts, &have, false);
    const uint8_t *in = s->kind == REF_LIST ? parts : bytes_of(t, from, s, &have);
    if (d->kind == REF_LIST) {
        if (in != parts) memcpy(parts, in, have < PARTS_MAX ? have : PARTS_MAX);
        gather(t, to, d, parts, &room, true);
        return;
    }
    uint8_t *out = bytes_of(t, to, d, &room);
    memset(out, 0, room);
    memcpy(out, in, have < room ? have : room);
}

void ref_enter(struct ref_thread *t, const struct ref_code *code, const struct ref_target *call)
{
    struct ref_frame *caller = t->frame;
    push(t, code);
    t->frame->call = call;
    for (uint32_t i = 0; call && i < call->nargs && i < code->func->fn->func->nparams; i++)
        copy(t, t->frame, &code->params[i], caller, &call->args[i]);
}

static const struct px_lfunc *callee_of(struct ref_thread *t, const struct ref_target *call)
{
    if (call->callee) return call->callee;
    uint64_t address = (uint64_t)ref_get(t, &call->address), base = (uint64_t)REF_WIN_FUNC << 56;
    uint64_t i = (address - base) / FUNC_BYTES;
    const struct px_linked *linked = &t->machine->linked;
    if (address < base || (address - base) % FUNC_BYTES || i >= linked->nfuncs || linked->funcs[i].is_entry)
        ref_fail(t->machine, "fault: call of 0x%llx, which is no function", (unsigned long long)address);
    return &linked->funcs[i];
}

static enum ref_step run_call(struct ref_thread *t, const struct ref_inst *in)
{
    ref_enter(t, ref_code_of(t->machine, callee_of(t, in->call)), in->call);
    return REF_NEXT;
}

/* ---- ends ---- */

static enum ref_step run_exit(struct ref_thread *t, const struct ref_inst *in)
{
    (void)in;
    while (t->frame) pop(t);
    t->cta->live[t->index / REF_WARP] &= ~(1u << t->index % REF_WARP);
    t->cta->nlive--;
    ref_stop(t, REF_EXITED);
    ref_barrier_exited(t->cta, t->index / REF_WARP);
    return REF_WAIT;
}

enum ref_step ref_run_ret(struct ref_thread *t, const struct ref_inst *in)
{
    struct ref_frame *f = t->frame, *caller = f->parent;
    if (!caller) return run_exit(t, in);
    for (uint32_t i = 0; f->call && i < f->call->nrets && i < f->code->func->fn->func->nrets; i++)
        copy(t, caller, &f->call->rets[i], f, &f->code->rets[i]);
    pop(t);
    return REF_NEXT;
}

static enum ref_step run_trap(struct ref_thread *t, const struct ref_inst *in)
{
    ref_fail(t->machine, "fault 719: %s instruction", in->op == PX_OP_trap ? "trap" : "brkpt");
}

/* Others may run. */
static enum ref_step run_nanosleep(struct ref_thread *t, const struct ref_inst *in)
{
    (void)t, (void)in;
    return REF_WAIT;
}

/* ---- binding ---- */

static const struct px_symbol *direct_callee(const struct px_operand *o)
{
    const struct px_symbol *s = o->kind == PX_O_NAME ? o->symbol : NULL;
    if (s && s->kind == PX_SYM_FUNC && s->alias_of) s = s->alias_of;
    return s && s->kind == PX_SYM_FUNC ? s : NULL;
}

/* A constant is written as its formal is declared; without one (a call by address) as 64 bits. */
static struct ref_operand actual(const struct ref_context *x, const struct px_inst *inst,
                                 const struct px_operand *o, const struct px_lfunc *callee, uint32_t i)
{
    enum px_type type = PX_T_B64;
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind == PX_SYM_REG)
        type = x->fn->regs.at[o->symbol->index].type;
    else if (callee && i < callee->fn->func->nparams)
        type = callee->fn->params[i]->type;
    return ref_resolve(x, inst, o, type);
}

static struct ref_operand *actuals(const struct ref_context *x, const struct px_inst *inst,
                                   const struct px_operand *list, const struct px_lfunc *callee, uint32_t *n)
{
    *n = list ? list->n : 0;
    struct ref_operand *o = PX_NEW_N(&x->m->arena, struct ref_operand, *n + 1);
    for (uint32_t i = 0; i < *n; i++) o[i] = actual(x, inst, &list->u.list[i], callee, i);
    return o;
}

static void bind_call(const struct ref_context *x, struct ref_inst *in)
{
    struct ref_target *call = PX_NEW(&x->m->arena, struct ref_target);
    const struct px_operand *o = in->inst->opds;
    const bool results = o[0].kind == PX_O_LIST;
    const struct px_operand *callee = &o[results], *args = results + 1u < in->n ? &o[results + 1] : NULL;
    const struct px_symbol *s = direct_callee(callee);
    if (args && args->kind != PX_O_LIST) args = NULL; /* a prototype */
    if (s)
        call->callee = px_link_func(&x->m->linked, s);
    else
        call->address = ref_resolve(x, in->inst, callee, PX_T_U64);
    if (s && !call->callee) ref_unsupported(x->m, in->inst, "of what is not linked");
    call->args = actuals(x, in->inst, args, call->callee, &call->nargs);
    call->rets = actuals(x, in->inst, results ? &o[0] : NULL, NULL, &call->nrets);
    in->call = call;
}

bool ref_bind_control(const struct ref_context *x, struct ref_inst *in)
{
    switch (in->op) {
    case PX_OP_bra: in->run = run_bra; return true; /* code.c knows the labels */
    case PX_OP_brx:
        in->o[0] = ref_resolve(x, in->inst, &in->inst->opds[0], PX_T_U32);
        in->run = run_brx;
        return true;
    case PX_OP_call:
        bind_call(x, in);
        in->run = run_call;
        return true;
    case PX_OP_ret: in->run = ref_run_ret; return true;
    case PX_OP_exit: in->run = run_exit; return true;
    case PX_OP_trap:
    case PX_OP_brkpt: in->run = run_trap; return true;
    case PX_OP_nanosleep: in->run = run_nanosleep; return true;
    case PX_OP_alloca: bind_stack(x, in, run_alloca); return true;
    case PX_OP_stacksave: bind_stack(x, in, run_stacksave); return true;
    case PX_OP_stackrestore: bind_stack(x, in, run_stackrestore); return true;
    default: return false;
    }
}
