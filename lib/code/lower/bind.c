/*
 * lower/bind.c - an instruction of the text with the form that it has, and what lowering asks of the two.
 *
 * Both are found once for all that have a form, its modifiers and a number of operands in common: most
 * instructions are like one of the last few dozen.
 */
#include "code/lower/lower.h"
#include <string.h>

enum { BINDINGS = 64 };

struct px_bindings {
    struct binding {
        px_word words[PX_MAX_SLOTS];
        uint16_t form; /* 0: empty */
        uint8_t n, nopds;
        struct px_match match;
        struct px_traits traits;
    } at[BINDINGS];
};

struct px_bindings *px_bindings_make(struct px_arena *arena)
{
    return PX_NEW(arena, struct px_bindings);
}

static uint32_t slot_of(const struct px_inst *inst)
{
    uint32_t hash = inst->form + inst->nopds;
    for (unsigned i = 0; i < inst->nmods; i++) hash = hash * 31 + inst->mods[i].name->word;
    return (hash * 0x9e3779b1u >> 16) % BINDINGS;
}

static bool is_like(const struct binding *at, const struct px_inst *inst)
{
    if (at->form != inst->form || at->n != inst->nmods || at->nopds != inst->nopds ||
        at->match.pair != px_inst_pair_written(inst))
        return false;
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].name->word != at->words[i]) return false;
    return true;
}

/* What ptxas takes from its library, and what has a guard and does more than write registers, ends a block to
 * it. */
static uint8_t splits(const struct px_match *match, int handler)
{
    if (px_match_in(match, PX_SET_routine, NULL) || px_match_in(match, PX_SET_ends_block, NULL))
        return PX_TRAIT_SPLITS | PX_TRAIT_SPLITS_GUARDED;
    const bool more = handler >= 0 ? px_match_has(match, PX_W_cc)
                                   : !(px_op_flags(px_match_op(match)) &
                                       (PX_OPERATION_plain | PX_OPERATION_pure | PX_OPERATION_unit));
    return more ? PX_TRAIT_SPLITS_GUARDED : 0;
}

static void know(const struct px_irfn *f, struct px_bound *b)
{
    const struct px_match *match = &b->match;
    struct px_traits *traits = &b->traits;
    *traits = (struct px_traits){.handler = px_match_handler(match)};
    for (unsigned i = 0; i < px_form_slots(match->form); i++)
        if (match->value[i]) traits->words |= px_trait_word(match->value[i]);
    for (unsigned i = 0; i < b->inst->nopds && i < PX_MAX_OPDS; i++)
        if (px_match_opd(match, i)->flags & PX_OPERAND_RESULT) traits->results |= (uint16_t)(1u << i);
    traits->is = splits(match, traits->handler);
    if (px_form_executable(match->form)) traits->is |= PX_TRAIT_RUNS;
    if (px_form_is_video(match->form)) traits->is |= PX_TRAIT_VIDEO;
    if (traits->handler >= 0) px_lower_know_statement(f, b);
}

static void keep(struct binding *at, const struct px_bound *b)
{
    const struct px_inst *inst = b->inst;
    *at = (struct binding){.form = inst->form,
                           .n = inst->nmods,
                           .nopds = (uint8_t)inst->nopds,
                           .match = b->match,
                           .traits = b->traits};
    for (unsigned i = 0; i < inst->nmods; i++) at->words[i] = inst->mods[i].name->word;
}

bool px_lower_bind(const struct px_irfn *f, struct px_bound *b)
{
    struct binding *at = &f->coder->bindings->at[slot_of(b->inst)];
    if (is_like(at, b->inst)) {
        b->match = at->match;
        b->traits = at->traits;
        return true;
    }
    if (!px_match_inst(b->inst, &b->match)) return false;
    know(f, b);
    if (b->inst->nmods <= PX_MAX_SLOTS && !px_inst_is_ambiguous(b->inst)) keep(at, b);
    return true;
}
