/*
 * inst.c - one instruction against the instruction table.
 *
 * The modifiers are dealt to the slots of each form of the opcode, then the
 * conditions of the row, the number and types of the operands and at last the
 * PTX version and target are held against the module. The first form that takes
 * all of it becomes inst->form; when none does, the attempt that got furthest
 * says what is wrong (inst_why.c).
 */
#include "check/inst.h"
#include <string.h>

enum { MAX_WORDS = PX_MAX_SLOTS + 1 };

/* Words of the modifiers; one that is no word of PTX, or too many, end the list early with false. */
static bool words_of(const struct px_inst *inst, px_word *words, unsigned *n)
{
    *n = inst->nmods < MAX_WORDS ? inst->nmods : MAX_WORDS;
    for (unsigned i = 0; i < *n; i++) {
        words[i] = inst->mods[i].name->word;
        if (!px_word_is_modifier(words[i]))
            return false;
    }
    return inst->nmods <= MAX_WORDS;
}

bool px_inst_pair_written(const struct px_inst *inst)
{
    return inst->nopds && inst->opds[0].kind == PX_O_PAIR;
}

/* Which operands are written, for conditions: bit i operand i; from bit 16 on the part behind a bar. */
static uint32_t written(const struct px_form *form, const struct px_inst *inst)
{
    uint32_t bits = (1u << inst->nopds) - 1;
    int partner = inst->nopds ? px_form_opd(form, 0)->partner : -1;
    if (partner >= 0 && px_inst_pair_written(inst))
        bits |= 1u << (16 + partner);
    return bits;
}

static bool target_in(uint64_t set, struct px_target target)
{
    for (size_t i = 0; px_target_name(i); i++) {
        struct px_target t = px_target_at(i);
        if (t.sm == target.sm && t.suffix == target.suffix)
            return set >> i & 1;
    }
    return false;
}

static bool satisfied(const struct ptx_module *module, const struct px_since *since)
{
    if (module->tree.version && module->tree.version < since->min_ptx)
        return false;
    return since->targets ? target_in(px_since_targets(since), module->target) : module->target.sm >= since->min_sm;
}

/* The first requirement that the module does not meet: the form's, its modifiers', its conditional ones. */
static bool check_since(const struct ptx_module *module, struct px_fit *fit, uint32_t operands)
{
    struct px_since since = px_form_since(fit->match.form);
    struct px_module_level level = {module->tree.version ? module->tree.version : PX_NEWEST_PTX, module->target.sm};
    fit->modifier = 0;
    fit->since = since;
    if (!satisfied(module, &since))
        return false;
    for (unsigned i = 0; i < px_form_slots(fit->match.form); i++) {
        if (!fit->match.value[i])
            continue;
        since = px_match_value_since(&fit->match, i);
        fit->modifier = fit->match.value[i];
        fit->since = since;
        if (!satisfied(module, &since))
            return false;
    }
    fit->modifier = 0;
    for (unsigned i = 0; px_match_need(&fit->match, operands, level, &i, &since);) {
        fit->since = since;
        if (!satisfied(module, &since))
            return false;
    }
    return true;
}

static void attempt(const struct ptx_module *module, const struct px_form *form, const struct px_inst *inst,
                    const px_word *words, unsigned n, struct px_fit *fit)
{
    struct px_module_level level = {module->tree.version ? module->tree.version : PX_NEWEST_PTX, module->target.sm};
    unsigned min, max = px_form_opds(form, &min);
    memset(fit, 0, sizeof *fit);
    fit->match.form = form;
    fit->stage = PX_FIT_WORDS;
    if (!px_match_deal(&fit->match, words, n) || !px_match_types(&fit->match))
        return;
    fit->match.pair = px_inst_pair_written(inst);
    fit->stage = PX_FIT_WHERE;
    uint32_t operands = written(form, inst);
    if (!px_match_where(&fit->match, operands, level, &fit->message))
        return;
    fit->stage = PX_FIT_COUNT;
    if (inst->nopds < min || inst->nopds > max)
        return;
    fit->stage = PX_FIT_OPERANDS;
    if (!px_inst_operands(&fit->match, inst, &fit->fault))
        return;
    fit->stage = check_since(module, fit, operands) ? PX_FIT_DONE : PX_FIT_SINCE;
}

static bool guard_fits(struct ptx_module *module, const struct px_inst *inst)
{
    const struct px_operand *guard = inst->guard;
    if (!guard || guard->kind != PX_O_NAME)
        return true;
    const struct px_symbol *s = guard->symbol;
    if (!s || (s->kind == PX_SYM_REG && s->type == PX_T_PRED))
        return true;
    px_diag_add(&module->diags, PX_D_PREDICATE, inst->pos, inst->opcode->len);
    return false;
}

void px_check_inst(struct ptx_module *module, struct px_function *function, struct px_inst *inst)
{
    px_word words[MAX_WORDS];
    struct px_fit fit, best = {.stage = PX_FIT_WORDS};
    struct px_why why = {module, inst, words, 0};
    uint16_t first;
    (void)function;
    inst->form = 0;
    bool known = words_of(inst, words, &why.nwords);
    unsigned n = px_forms_of(inst->opcode->word, &first);
    for (unsigned i = 0; known && i < n; i++) {
        attempt(module, px_form_at((uint16_t)(first + i)), inst, words, why.nwords, &fit);
        if (fit.stage > best.stage || !best.match.form)
            best = fit;
        if (fit.stage == PX_FIT_DONE)
            break;
    }
    if (best.stage == PX_FIT_DONE)
        inst->form = px_form_number(best.match.form);
    else
        px_inst_explain(&why, &best);
    guard_fits(module, inst);
}

bool px_match_inst(const struct px_inst *inst, struct px_match *match)
{
    px_word words[MAX_WORDS];
    unsigned n;
    memset(match, 0, sizeof *match);
    match->form = px_form_at(inst->form);
    match->pair = px_inst_pair_written(inst);
    return match->form && words_of(inst, words, &n) && px_match_deal(match, words, n) && px_match_types(match);
}
