/*
 * inst.c - one instruction against the instruction table.
 *
 * The modifiers are dealt to the slots of each form of the opcode, then the
 * conditions of the row, the number and types of the operands and at last the
 * PTX version and target are held against the module. The first form that takes
 * all of it becomes inst->form (memo.c remembers it for the next instruction of
 * this shape); when none does, the attempt that got furthest says what is wrong
 * (inst_why.c).
 */
#include "match/inst.h"
#include "match/memo.h"
#include "match/note.h"
#include <string.h>

enum { MAX_WORDS = PX_MAX_SLOTS + 1 };

/* Words of the modifiers (0 for what is no word of PTX); false when one is no modifier, or there are too
 * many. */
static bool words_of(const struct px_inst *inst, px_word *words, unsigned *n)
{
    bool known = inst->nmods <= MAX_WORDS;
    *n = inst->nmods < MAX_WORDS ? inst->nmods : MAX_WORDS;
    for (unsigned i = 0; i < *n; i++) {
        words[i] = inst->mods[i].name->word;
        known &= px_word_is_modifier(words[i]);
    }
    return known;
}

bool px_inst_pair_written(const struct px_inst *inst)
{
    return inst->nopds && inst->opds[0].kind == PX_O_PAIR;
}

bool px_inst_pair_unused(const struct px_operand *operand)
{
    return operand->kind == PX_O_PAIR && operand->u.list[0].kind == PX_O_NAME &&
           operand->u.list[1].kind == PX_O_SINK;
}

/* What follows need not know that `d|_` was written where d alone belongs. */
static void drop_unused(struct px_inst *inst)
{
    const struct px_form *form = px_form_at(inst->form);
    if (form && px_inst_pair_written(inst) && !(px_form_opd(form, 0)->flags & PX_OPERAND_PAIR))
        inst->opds[0] = inst->opds[0].u.list[0];
}

/* Which operands are written, for conditions: bit i operand i of the form; from bit 16 on the part behind a
 * bar. */
static uint32_t written(const struct px_match *match)
{
    uint32_t bits = match->operands;
    int partner = px_form_opds(match->form, NULL) ? px_form_opd(match->form, 0)->partner : -1;
    if (partner >= 0 && match->pair) bits |= 1u << (16 + partner);
    return bits;
}

static bool target_in(uint64_t set, struct px_target target)
{
    for (size_t i = 0; px_target_name(i); i++) {
        struct px_target t = px_target_at(i);
        if (t.sm == target.sm && t.suffix == target.suffix) return set >> i & 1;
    }
    return false;
}

static struct px_module_level level_of(const struct ptx_module *module)
{
    return (struct px_module_level){module->tree.version ? module->tree.version : PTX_ISA_VERSION,
                                    module->target.sm, module->texmode_independent};
}

bool px_since_met(const struct ptx_module *module, const struct px_since *since)
{
    if (module->tree.version && module->tree.version < since->min_ptx) return false;
    return since->targets ? target_in(px_since_targets(since), module->target)
                          : module->target.sm >= since->min_sm;
}

static bool lacks(const struct ptx_module *module, struct px_fit *fit, const char *feature, uint16_t min_ptx,
                  uint16_t min_sm)
{
    fit->feature = feature;
    fit->since = (struct px_since){min_ptx, min_sm, 0, 0};
    return !px_since_met(module, &fit->since);
}

static bool is_register(const struct px_operand *o)
{
    return o->symbol && o->symbol->kind == PX_SYM_REG;
}

/* A texture with coordinates: its sampler and its mode ask for something, too. */
static bool lacks_for_texture(const struct ptx_module *module, struct px_fit *fit, const struct px_operand *o,
                              bool sampler, const char *name)
{
    bool held = is_register(&o->u.list[0]) || (sampler && is_register(&o->u.list[1]));
    if (module->texmode_independent)
        return held && lacks(module, fit, "indirect texture access with texmode_independent", 43, 30);
    return (sampler && (lacks(module, fit, "offset operand", 10, 30) || lacks(module, fit, name, 43, 30))) ||
           (is_register(&o->u.list[0]) && lacks(module, fit, "indirect texture access", 31, 20));
}

/* A texture or surface named by a register has a requirement of its own. */
static bool check_handles(const struct ptx_module *module, struct px_fit *fit, const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++) {
        const struct px_operand *o = &inst->opds[i];
        const struct px_opd *opd = px_match_opd(&fit->match, i);
        if (opd->kind != PX_OK_TEXADDR || o->kind != PX_O_ADDR) continue;
        bool sampled = opd->flags & PX_OPERAND_SAMPLER;
        if (sampled && lacks_for_texture(module, fit, o, o->n == opd->nparts + 2u, inst->opcode->text))
            return false;
        if (!sampled && is_register(&o->u.list[0]) &&
            lacks(module, fit, opd->nparts ? "indirect texture access" : "indirect surface access", 31, 20))
            return false;
    }
    fit->feature = NULL;
    return true;
}

/* The first requirement that the module does not meet: the form's, its modifiers', its conditional ones. */
static bool check_since(const struct ptx_module *module, const struct px_inst *inst, struct px_fit *fit,
                        uint32_t operands)
{
    struct px_since since = px_form_since(fit->match.form);
    fit->modifier = 0;
    fit->since = since;
    if (!px_since_met(module, &since)) return false;
    for (unsigned i = 0; i < px_form_slots(fit->match.form); i++) {
        if (!fit->match.value[i]) continue;
        since = px_match_value_since(&fit->match, i);
        fit->modifier = fit->match.value[i];
        fit->since = since;
        if (!px_since_met(module, &since)) return false;
    }
    fit->modifier = 0;
    if (!check_handles(module, fit, inst)) return false;
    for (unsigned i = 0; px_match_need(&fit->match, operands, level_of(module), &i, &since);) {
        fit->since = since;
        if (!px_since_met(module, &since)) return false;
    }
    return true;
}

/* Conditions, operands and requirements, with one choice of optional operands. */
static void attempt_operands(const struct ptx_module *module, const struct px_inst *inst, struct px_fit *fit)
{
    fit->stage = PX_FIT_WHERE;
    uint32_t operands = written(&fit->match);
    if (!px_match_types(&fit->match) ||
        !px_match_where(&fit->match, operands, level_of(module), &fit->message))
        return;
    fit->stage = PX_FIT_OPERANDS;
    if (!px_inst_operands(module, &fit->match, inst, &fit->fault)) return;
    fit->stage = check_since(module, inst, fit, operands) ? PX_FIT_DONE : PX_FIT_SINCE;
}

void px_inst_attempt(const struct ptx_module *module, const struct px_form *form, const struct px_inst *inst,
                     const px_word *words, unsigned n, struct px_fit *fit)
{
    struct px_fit next;
    memset(fit, 0, sizeof *fit);
    fit->match.form = form;
    fit->match.pair = px_inst_pair_written(inst);
    fit->stage = PX_FIT_WORDS;
    if (!px_match_deal(&fit->match, words, n) || !px_match_types(&fit->match)) return;
    fit->stage = PX_FIT_COUNT;
    for (unsigned nth = 0; fit->stage < PX_FIT_SINCE; nth++) {
        next = *fit;
        if (!px_match_choose(&next.match, inst->nopds, nth)) break;
        attempt_operands(module, inst, &next);
        if (nth == 0 || next.stage > fit->stage) *fit = next;
    }
}

static bool guard_fits(struct ptx_module *module, const struct px_inst *inst)
{
    const struct px_operand *guard = inst->guard;
    if (!guard || guard->kind != PX_O_NAME) return true;
    const struct px_symbol *s = guard->symbol;
    const struct px_sreg *special = s ? NULL : px_sreg_of_word(guard->u.name->word);
    if (s ? s->kind == PX_SYM_REG && s->type == PX_T_PRED : !special || special->type == PX_T_PRED)
        return true;
    struct px_diag *diag = px_diag_add(&module->diags, PX_D_PREDICATE, inst->pos, inst->opcode->len);
    diag->pos = guard->pos;
    diag->length = guard->length;
    const char *given = px_note_given(module, guard);
    if (given) px_diag_note(&module->diags, diag, "a guard must be .pred; %s", given);
    px_note_relate(module, diag, guard);
    return false;
}

/* Did `a` get further than `b`? Of two that fail at operands the one whose fault shows later. */
static bool further(const struct px_fit *a, const struct px_fit *b)
{
    if (a->stage != b->stage || a->stage != PX_FIT_OPERANDS) return a->stage > b->stage;
    unsigned x = px_fault_phase(a->fault.kind), y = px_fault_phase(b->fault.kind);
    if (x != y) return x > y;
    if (a->fault.argument != b->fault.argument) return a->fault.argument > b->fault.argument;
    return b->fault.kind == PX_FAULT_VECTOR && a->fault.kind != PX_FAULT_VECTOR;
}

/* .const[3] was withdrawn with PTX 2.2. */
static void check_banks(struct ptx_module *module, const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].bank && module->tree.version >= 22) {
            px_diag_add(&module->diags, PX_D_WITHDRAWN, inst->pos, inst->opcode->len,
                        "explicit constant banks", 2u, 2u);
            return;
        }
}

/* The modifier that a message quotes, with its dot or without; NULL: none. */
static const struct px_modifier *quoted(const struct px_inst *inst, const char *message)
{
    for (unsigned i = 0; i < inst->nmods; i++) {
        const struct px_name *name = inst->mods[i].name;
        for (const char *at = strstr(message, name->text); at; at = strstr(at + 1, name->text)) {
            const char *from = at > message && at[-1] == '.' ? at - 1 : at;
            if (from > message && from[-1] == '\'' && at[name->len] == '\'' &&
                (from < at || name != inst->opcode))
                return &inst->mods[i];
        }
    }
    return NULL;
}

/* Moves the caret to the modifier or operand at fault; the line that ptxas names stays that of the opcode. */
static void point(const struct px_inst *inst, const struct px_fit *best, struct px_diag *diag)
{
    const struct px_modifier *modifier = quoted(inst, diag->message);
    const struct px_operand *operand = best->stage == PX_FIT_OPERANDS ? best->fault.operand : NULL;
    if (modifier) {
        diag->pos = modifier->pos;
        diag->length = modifier->name->len + 1;
    } else if (operand && operand->pos > inst->pos && operand->pos < inst->end &&
               !strstr(diag->message, "requires")) {
        diag->pos = operand->pos;
        diag->length = operand->length;
    }
}

static void explain(const struct px_why *why, const struct px_fit *best)
{
    struct px_diags *diags = &why->module->diags;
    uint32_t before = diags->list.n;
    px_inst_explain(why, best);
    for (uint32_t i = before; i < diags->list.n; i++)
        if (diags->list.at[i].pos == why->inst->pos) point(why->inst, best, &diags->list.at[i]);
    if (diags->list.n > before) px_inst_note(why, best);
}

/* The forms after the frozen version come last (grammar/isa_x_unverified.tbl). */
unsigned px_inst_forms(const struct ptx_module *module, px_word opcode, uint16_t *first)
{
    unsigned n = px_forms_of(opcode, first);
    while (module->profile == PTX_PROFILE_13_0 && n &&
           px_form_since(px_form_at((uint16_t)(*first + n - 1))).min_ptx > PTX_ISA_VERSION)
        n--;
    return n;
}

/* The form that takes the instruction; 0 when none does, which is then explained. */
static uint16_t search(struct ptx_module *module, const struct px_inst *inst)
{
    px_word words[MAX_WORDS];
    struct px_fit fit, best = {.stage = PX_FIT_WORDS};
    struct px_why why = {module, inst, words, 0};
    uint16_t first;
    bool known = words_of(inst, words, &why.nwords);
    unsigned n = px_inst_forms(module, inst->opcode->word, &first);
    for (unsigned i = 0; known && i < n; i++) {
        px_inst_attempt(module, px_form_at((uint16_t)(first + i)), inst, words, why.nwords, &fit);
        if (!best.match.form || further(&fit, &best)) best = fit;
        if (fit.stage == PX_FIT_DONE) return px_form_number(fit.match.form);
    }
    explain(&why, &best);
    return 0;
}

/* Modifiers that follow the opcode and one another without a blank. */
static unsigned joined(const struct px_inst *inst)
{
    px_pos at = inst->pos + inst->opcode->len;
    for (unsigned i = 0; i < inst->nmods; i++) {
        if (inst->mods[i].pos != at) return i;
        at += inst->mods[i].name->len + 1;
    }
    return inst->nmods;
}

/* An instruction's name is one token to ptxas: `mul .lo.s32` has a mul and a .lo that it does not know. */
static bool torn(struct ptx_module *module, const struct px_inst *inst)
{
    px_word words[MAX_WORDS];
    struct px_why why = {module, inst, words, 0};
    unsigned whole = joined(inst);
    if (whole == inst->nmods || !words_of(inst, words, &why.nwords) ||
        px_inst_name_words(inst->opcode->word, words, why.nwords) <= whole)
        return false;
    why.nwords = whole;
    px_why_torn(&why, inst->mods[whole].name->word);
    return true;
}

void px_check_inst(struct ptx_module *module, struct px_memo *memo, struct px_inst *inst)
{
    struct px_memo_key key;
    if (torn(module, inst)) return;
    px_memo_key(memo, inst, &key);
    inst->form = px_memo_find(memo, &key);
    if (!inst->form) {
        inst->form = search(module, inst);
        if (inst->form) px_memo_add(memo, &key, inst->form);
    }
    drop_unused(inst);
    check_banks(module, inst);
    guard_fits(module, inst);
}

/* More than one choice of its optional operands may be written: only they tell which. */
static bool is_ambiguous(const struct px_form *form, unsigned nopds)
{
    unsigned min;
    return px_form_opds(form, &min) > min + 1 && nopds > min;
}

bool px_match_inst(const struct px_inst *inst, struct px_match *match)
{
    px_word words[MAX_WORDS];
    unsigned n;
    struct px_fault fault;
    uint8_t message;
    memset(match, 0, sizeof *match);
    match->form = px_form_at(inst->form);
    match->pair = px_inst_pair_written(inst);
    if (!match->form || !words_of(inst, words, &n) || !px_match_deal(match, words, n)) return false;
    bool ambiguous = is_ambiguous(match->form, inst->nopds);
    struct px_module_level newest = {PX_NEWEST_PTX, 999, false};
    for (unsigned nth = 0; px_match_choose(match, inst->nopds, nth); nth++)
        if (px_match_types(match) &&
            (!ambiguous || (px_match_where(match, written(match), newest, &message) &&
                            px_inst_operands(NULL, match, inst, &fault))))
            return true;
    return false;
}

bool px_inst_is_ambiguous(const struct px_inst *inst)
{
    return is_ambiguous(px_form_at(inst->form), inst->nopds);
}
