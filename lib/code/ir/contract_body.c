/* contract_body.c - the instructions of a body as a list, and its blocks, as the contraction sees them. */
#include "match/registers.h"
#include "code/ir/contract.h"
#include "check/ends.h"

struct walk {
    struct px_body *d;
    struct px_ends ends;
    bool fine;
};

/* That of another item, where one has the same match. */
static const struct px_kind *kind_of(struct px_body *d, const struct px_match *match)
{
    uint32_t hash = px_form_number(match->form);
    for (unsigned i = 0; i < px_form_slots(match->form); i++) hash = hash * 31 + match->value[i];
    const struct px_kind **last = &d->kinds[(hash * 0x9e3779b1u >> 16) % PX_MATCHED];
    if (*last && !memcmp(&(*last)->match, match, sizeof *match)) return *last;
    struct px_kind *kind = PX_NEW(d->arena, struct px_kind);
    kind->match = *match;
    px_contract_facts(kind);
    return *last = kind;
}

static bool bind(struct px_body *d, struct px_term *item, const struct px_inst *inst)
{
    struct px_match match;
    item->inst = inst;
    if (!px_match_next(d->f->coder->matched, inst, &match)) return false;
    item->kind = kind_of(d, &match);
    return true;
}

struct px_term px_contract_make(struct px_body *d, const struct px_term *like, const px_word words[5],
                                const struct px_operand *operands, uint8_t n)
{
    struct px_term item = *like;
    bind(d, &item, px_make_inst(d->f, d->f->coder->found, like->inst, words, operands, n));
    return item;
}

static void add_inst(void *user, const struct px_inst *inst)
{
    struct walk *w = user;
    struct px_term item = {0};
    w->fine &= bind(w->d, &item, inst);
    px_vec_push(w->d->arena, &w->d->items, item);
}

/* ---- registers ---- */

static void add_name(void *user, const struct px_operand *o, bool is_def)
{
    struct px_body *d = user;
    const struct px_named named = {o->symbol->index, o->has_selector};
    (void)is_def;
    px_vec_push(d->arena, &d->names.of, named);
}

static uint8_t traits_of(const struct px_term *item)
{
    return (uint8_t)((item->inst->guard ? PX_TRAIT_GUARD : 0) | (item->kind->effect ? PX_TRAIT_EFFECT : 0));
}

void px_contract_name(struct px_body *d)
{
    enum { USUAL = 4 }; /* registers of an instruction */
    struct px_body_names *names = &d->names;
    const uint32_t n = d->items.n;
    px_arena_drop(d->arena, names->of.at);
    px_arena_drop(d->arena, names->first);
    px_arena_drop(d->arena, names->traits);
    names->first = px_arena_alloc(d->arena, (2 * (size_t)n + 1) * sizeof *names->first);
    names->traits = px_arena_alloc(d->arena, n);
    px_vec_reserve(d->arena, &names->of, USUAL * n);
    for (uint32_t i = 0; i < n; i++) {
        const struct px_term *item = &d->items.at[i];
        names->traits[i] = traits_of(item);
        for (unsigned writes = 0; writes < 2; writes++) {
            names->first[2 * (size_t)i + writes] = names->of.n;
            px_visit_registers(item->inst, &item->kind->match, writes, add_name, d);
        }
    }
    names->first[2 * (size_t)n] = names->of.n;
    px_vec_trim(d->arena, &names->of);
    px_contract_constants(d);
}

/* ---- the body ---- */

static bool is_end(const struct px_term *item)
{
    return px_op_flags(item->kind->op) & PX_OPF_ends;
}

static void fold(struct walk *w)
{
    struct px_body *d = w->d;
    const uint32_t n = w->ends.labels.n;
    uint32_t *places = PX_NEW_N(d->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) places[i] = w->ends.labels.at[i].item;
    d->ntext = d->items.n;
    px_contract_name(d);
    px_contract_fold(d, places, n);
    for (uint32_t i = 0; d->folded && i < n; i++) w->ends.labels.at[i].item = d->folded[places[i]];
}

static bool is_float(const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++) {
        const enum px_type type = px_type_of_word(inst->mods[i].name->word);
        if (type && px_type_info(type)->klass == PX_TC_FLOAT) return true;
    }
    return false;
}

bool px_contract_concerns(const struct px_block *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const struct px_stmt *stmt = body->list[i];
        if (stmt->kind == PX_S_BLOCK && px_contract_concerns(&stmt->u.block)) return true;
        if (stmt->kind != PX_S_INST) continue;
        switch (px_opcode_result(stmt->u.inst.opcode->word)) {
        case PX_RESULT_product:
        case PX_RESULT_quotient:
        case PX_RESULT_full_quotient:
        case PX_RESULT_reciprocal:
        case PX_RESULT_exponential:
        case PX_RESULT_negation:
        case PX_RESULT_magnitude:
        case PX_RESULT_minimum:
        case PX_RESULT_maximum:
            if (is_float(&stmt->u.inst)) return true;
            break;
        default: break;
        }
    }
    return false;
}

bool px_contract_body(struct px_body *d, struct px_irfn *f, bool contracts)
{
    *d = (struct px_body){.f = f, .arena = f->coder->pass, .fn = f->fn, .contracts = contracts};
    struct walk w = {.d = d, .ends.arena = f->coder->pass, .fine = true};
    px_vec_reserve(d->arena, &d->items, f->fn->func->body->n);
    px_ends_body(&w.ends, f->fn->func->body, add_inst, &w);
    if (!w.fine || !d->items.n) return false;
    fold(&w);
    px_ends_begin(&w.ends, d->items.n);
    for (uint32_t i = 0; i < d->items.n; i++)
        if (is_end(&d->items.at[i])) px_ends_add(&w.ends, d->items.at[i].inst, i, true);
    if (w.ends.astray) return false;
    px_flow_graph(&d->graph, d->arena, &w.ends.code);
    for (uint32_t i = 0; i < d->items.n; i++) d->items.at[i].block = d->graph.node_of[i];
    return true;
}
