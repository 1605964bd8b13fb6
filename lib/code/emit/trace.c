/* trace.c - records that report accesses to memory, and what orders them (ops/trace.h). */
#include "code/emit/emit.h"
#include "front/print.h"
#include "gang/place.h"
#include "gang/tally.h"
#include "link/link.h"
#include "lint/bases.h"
#include "match/match.h"
#include "ops/trace.h"
#include <stdlib.h>
#include <string.h>

/* ---- the place ---- */

static const char *kept(struct px_irfn *f, const char *text)
{
    return px_arena_text(f->coder->keep, text, strlen(text));
}

static const struct px_inst *inst_of(const struct px_emitter *e)
{
    return e->f->origins.at[e->in->origin].inst;
}

static void fill_place(struct px_irfn *f, const struct px_inst *inst, ptx_trace_place *at)
{
    struct px_source source = f->func->module->source; /* its line table is complete: nothing is built here */
    char text[600];
    *at = (ptx_trace_place){.kernel = f->coder->kernel->name,
                            .function = f->func->name,
                            .instruction = "",
                            .file = source.file,
                            .source = ""};
    if (!inst) return;
    const struct px_place place = px_source_place(&source, inst->pos);
    at->line = place.line;
    at->column = place.column;
    px_print_inst(inst, text, sizeof text);
    at->instruction = kept(f, text);
    px_place_source(f->func, inst, text, sizeof text);
    at->source = kept(f, text);
}

/* One for all records of an instruction. */
static const ptx_trace_place *place_of(struct px_emitter *e)
{
    const struct px_inst *inst = inst_of(e);
    if (!e->place || e->place_of != inst) {
        ptx_trace_place *at = PX_NEW(e->f->coder->keep, ptx_trace_place);
        fill_place(e->f, inst, at);
        e->place = at;
        e->place_of = inst;
    }
    return e->place;
}

/* ---- order and scope ---- */

struct ordering {
    ptx_trace_order order;
    ptx_trace_scope scope;
};

static bool has(const struct px_inst *inst, const char *word)
{
    for (uint32_t i = 0; i < inst->nmods; i++)
        if (strcmp(inst->mods[i].name->text, word) == 0) return true;
    return false;
}

static const struct {
    const char *word;
    ptx_trace_order order;
} orders[] = {{"relaxed", PTX_TRACE_RELAXED},
              {"volatile", PTX_TRACE_RELAXED},
              {"mmio", PTX_TRACE_RELAXED},
              {"acquire", PTX_TRACE_ACQUIRE},
              {"release", PTX_TRACE_RELEASE},
              {"acq_rel", PTX_TRACE_ACQ_REL},
              {"sc", PTX_TRACE_SC}};
static const struct {
    const char *word;
    ptx_trace_scope scope;
} scopes[] = {{"cta", PTX_TRACE_CTA}, {"cluster", PTX_TRACE_CLUSTER}, {"gpu", PTX_TRACE_GPU},
              {"gl", PTX_TRACE_GPU},  {"sys", PTX_TRACE_SYS},         {"volatile", PTX_TRACE_SYS},
              {"mmio", PTX_TRACE_SYS}};

/* As the instruction's words say; where they are silent as `usual` says. */
static struct ordering ordering_of(const struct px_inst *inst, struct ordering usual)
{
    struct ordering o = usual;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (has(inst, orders[i].word)) o.order = orders[i].order;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (has(inst, scopes[i].word)) o.scope = scopes[i].scope;
    return o;
}

static bool is_opcode(const struct px_inst *inst, const char *opcode)
{
    return inst && strcmp(inst->opcode->text, opcode) == 0;
}

static bool is_mbarrier(const struct px_inst *inst)
{
    return inst && (is_opcode(inst, "mbarrier") || has(inst, "mbarrier"));
}

/* What an operation on an mbarrier orders unless it says otherwise: arrivals release, waits acquire. */
static struct ordering usual_of(const struct px_inst *inst, unsigned how)
{
    if (!is_mbarrier(inst)) return (struct ordering){PTX_TRACE_RELAXED, PTX_TRACE_GPU};
    if (!(how & PTX_TRACE_WRITE)) return (struct ordering){PTX_TRACE_ACQUIRE, PTX_TRACE_CTA};
    const bool arrives = has(inst, "arrive") || has(inst, "arrive_drop");
    return (struct ordering){arrives ? PTX_TRACE_RELEASE : PTX_TRACE_RELAXED, PTX_TRACE_CTA};
}

/* ---- the variable that an address is computed from ---- */

struct base {
    const struct px_inst *inst;
    const struct px_symbol *symbol;
};
struct px_emit_bases {
    struct px_arena *arena;
    PX_VEC(struct base) list; /* by instruction */
};

static void add_base(void *user, const struct px_inst *inst, unsigned operand, const struct px_symbol *symbol)
{
    struct px_emit_bases *b = user;
    (void)operand;
    px_vec_push(b->arena, &b->list, ((struct base){inst, symbol}));
}

static int by_inst(const void *a, const void *b)
{
    const struct base *x = a, *y = b;
    return (x->inst > y->inst) - (x->inst < y->inst);
}

static const struct px_emit_bases *bases_of(struct px_emitter *e)
{
    struct px_irfn *f = e->f;
    if (e->bases) return e->bases;
    e->bases = PX_NEW(f->coder->scratch, struct px_emit_bases);
    e->bases->arena = f->coder->scratch;
    px_lint_bases((struct ptx_module *)(uintptr_t)f->func->module, f->func->fn, f->coder->scratch, add_base,
                  e->bases);
    if (e->bases->list.n) qsort(e->bases->list.at, e->bases->list.n, sizeof *e->bases->list.at, by_inst);
    return e->bases;
}

static struct px_traced_base base_of(struct px_emitter *e, const struct px_inst *inst, ptx_count_space space)
{
    const struct px_emit_bases *b = bases_of(e);
    const struct base key = {inst, NULL};
    const struct base *at = b->list.n ? bsearch(&key, b->list.at, b->list.n, sizeof key, by_inst) : NULL;
    while (at && at > b->list.at && at[-1].inst == inst) at--;
    for (; at && at < b->list.at + b->list.n && at->inst == inst; at++) {
        const struct px_lvar *v = px_link_var(e->f->coder->linked, at->symbol);
        if (!v || !v->size) continue;
        const ptx_count_space of = px_count_space((enum px_space)v->space);
        if (of != PTX_COUNT_SHARED && of != PTX_COUNT_GLOBAL) continue;
        if (space == of || space == PTX_COUNT_GENERIC)
            return (struct px_traced_base){v->address, v->size, kept(e->f, at->symbol->name->text), of};
    }
    return (struct px_traced_base){0};
}

/* ---- accesses ---- */

void px_emit_trace_as(struct px_emitter *e, const struct px_ir_operand *address, const struct px_traced *told,
                      const struct px_ir_operand *sizes)
{
    if (!e->f->coder->wishes.traces) return;
    struct px_traced *t = px_emit_node(e, sizeof *t);
    struct px_insn r = px_emit_access(e, address, 0);
    const struct px_inst *inst = inst_of(e);
    *t = *told;
    t->at = place_of(e);
    t->offset = r.imm;
    t->space = px_count_space((enum px_space)address->type);
    if (inst) t->base = base_of(e, inst, t->space);
    if (is_mbarrier(inst)) t->how |= PTX_TRACE_MBARRIER;
    if (is_mbarrier(inst) && is_opcode(inst, "cp")) t->how |= PTX_TRACE_ASYNC;
    if (inst && t->how & PTX_TRACE_ATOMIC) {
        const struct ordering o = ordering_of(inst, usual_of(inst, t->how));
        t->order = o.order;
        t->scope = o.scope;
    }
    r.aux = px_emit_kept(e, t, sizeof *t);
    r.m = told->masked ? told->masked : e->guard;
    uint32_t *const rows[] = {&r.c, &r.d, &r.e, &r.source4};
    for (uint32_t i = 0; i < told->parts; i++) *rows[i] = px_emit_row(e, &sizes[i]);
    if (told->parts) {
        r.b = 0;
    } else if (sizes && told->lines && px_emit_is_scalar(sizes)) {
        r.flags |= PX_INSN_NEGATE;
        r.b = px_emit_place(e, sizes);
    } else if (sizes) {
        r.b = px_emit_row(e, sizes);
    }
    px_emit_record(e, px_trace_access, r);
}

void px_emit_trace(struct px_emitter *e, const struct px_ir_operand *address, unsigned how, uint32_t bytes)
{
    px_emit_trace_as(e, address, &(struct px_traced){.how = how, .bytes = bytes}, NULL);
}

void px_emit_trace_store(struct px_emitter *e, const struct px_ir_operand *address, unsigned how,
                         const struct px_ir_operand *values, uint32_t n)
{
    struct px_traced t = {.how = how, .bytes = address->elem * n};
    bool alike = n <= 4 && t.bytes <= 16;
    for (uint32_t i = 0; i < n; i++) alike &= values[i].elem == values[0].elem;
    if (alike) t.parts = (uint8_t)n, t.stored = values[0].elem;
    px_emit_trace_as(e, address, &t, alike ? values : NULL);
}

void px_emit_trace_matrix(struct px_emitter *e, const struct px_ir_operand *address,
                          const struct px_traced *told, const struct px_ir_operand *values, uint32_t n)
{
    struct px_traced t = *told;
    const struct px_inst *inst = inst_of(e);
    const bool halves = inst && has(inst, "b16") && n <= 4;
    if (halves) {
        t.parts = (uint8_t)n;
        t.stored = 4;
        t.fragment = has(inst, "trans") ? PX_FRAGMENT_COLUMNS : PX_FRAGMENT_ROWS;
    }
    px_emit_trace_as(e, address, &t, halves ? values : NULL);
}

/* ---- what orders accesses ---- */

/* Records of barriers and waits are never guarded: branches lead round them. */
void px_emit_trace_event(struct px_emitter *e, ptx_trace_kind kind, const struct px_ir_operand *number,
                         const struct px_ir_operand *count)
{
    if (!e->f->coder->wishes.events) return;
    struct px_ordered *t = px_emit_node(e, sizeof *t);
    struct px_insn r = {0};
    *t = (struct px_ordered){.is = {.kind = kind, .at = place_of(e)},
                             .by_warp = kind == PTX_TRACE_WARP_ARRIVE || kind == PTX_TRACE_WARP_LEAVE};
    r.aux = px_emit_kept(e, t, sizeof *t);
    if (number) r.a = px_emit_place(e, number);
    if (number && px_emit_is_scalar(number)) r.flags |= PX_INSN_SCALAR_A;
    if (count) r.b = px_emit_place(e, count);
    if (count) r.one_count = px_emit_is_scalar(count);
    px_emit_record(e, px_trace_event, r);
}

void px_emit_trace_fence(struct px_emitter *e, uint64_t groups)
{
    const struct px_inst *inst = inst_of(e);
    if (!inst) return;
    if (is_opcode(inst, "wgmma") && !has(inst, "commit_group") && !has(inst, "wait_group")) return;
    if (is_opcode(inst, "wgmma"))
        px_emit_trace_order(e, has(inst, "wait_group") ? PTX_TRACE_PRODUCT_WAIT : PTX_TRACE_PRODUCT_COMMIT,
                            groups, 0);
    else if (has(inst, "proxy") && has(inst, "async"))
        px_emit_trace_order(e, PTX_TRACE_PROXY_FENCE, 0, 0);
    else
        px_emit_trace_order(e, PTX_TRACE_FENCE, 0, 0);
}

const ptx_trace_place *px_emit_trace_place(struct px_emitter *e)
{
    return e->f->coder->wishes.traces ? place_of(e) : NULL;
}

void px_emit_trace_order(struct px_emitter *e, ptx_trace_kind kind, uint64_t number, unsigned count)
{
    if (!e->f->coder->wishes.events) return;
    const struct px_inst *inst = inst_of(e);
    struct px_ordered *t = px_emit_node(e, sizeof *t);
    *t = (struct px_ordered){.is = {.kind = kind, .at = place_of(e), .number = number, .count = count}};
    if (kind == PTX_TRACE_FENCE && inst && !has(inst, "proxy")) {
        const ptx_trace_order usual = is_opcode(inst, "membar") ? PTX_TRACE_SC : PTX_TRACE_ACQ_REL;
        const struct ordering o = ordering_of(inst, (struct ordering){usual, PTX_TRACE_CTA});
        t->is.order = o.order;
        t->is.scope = o.scope;
    }
    px_emit_record(e, px_trace_event, (struct px_insn){.aux = px_emit_kept(e, t, sizeof *t), .m = e->guard});
}
