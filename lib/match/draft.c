/*
 * draft.c - the search for the nearest legal instruction (draft.h).
 *
 * Every form of the opcode is tried with the modifiers as written and with one of them replaced, added or
 * taken away; where the modifiers suit, operands that do not are replaced one after the other. Costs put
 * first what keeps most of the text. The checker itself is the judge, so nothing is proposed that it would
 * refuse.
 */
#include "match/draft.h"
#include "front/print.h"
#include <string.h>

/* A near word is most likely what was meant; an operand is changed sooner than a modifier. */
enum {
    COST_NEAR = 1,
    COST_OPERAND = 4,
    COST_ADD = 5,
    COST_TYPE = 5,
    COST_WORD = 6,
    COST_COUNT = 6,
    COST_DROP = 7,
    COST_OTHER = 8,
    COST_VARIABLE = 9,
    COST_NARROW = 11,
    COST_FAR = 30
};
enum { BASE_OPDS = 16 };

struct search {
    const struct px_why *why;
    px_word near;
    struct px_draft *best;
};

static bool names_variable(const struct px_operand *o)
{
    const struct px_operand *base = o->kind == PX_O_ADDR ? &o->u.list[0] : o;
    return base->kind == PX_O_NAME && base->symbol && base->symbol->kind != PX_SYM_REG;
}

/* memcpy, to which a list of nothing may have no place either. */
static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
}

/* ---- operands ---- */

/* One operand more, as the form has it there, or one less. */
static bool change_count(const struct px_why *why, struct px_draft *draft, const struct px_match *dealt)
{
    struct px_match match = *dealt;
    unsigned min, max = px_form_opds(draft->form, &min);
    draft->cost += COST_COUNT;
    if (draft->inst.nopds > max) {
        draft->inst.nopds--;
        return true;
    }
    if (draft->inst.nopds >= min || draft->inst.nopds + 1 >= PX_DRAFT_OPDS) return false;
    const unsigned at = draft->inst.nopds;
    if (!px_match_choose(&match, min, 0) || !px_match_types(&match)) return false;
    const struct px_fault missing = {PX_FAULT_NONE, at, NULL, px_match_opd(&match, at)};
    if (!px_draft_operand(why, draft, &match, &missing)) return false;
    draft->tried[at] = true;
    draft->inst.nopds++;
    return true;
}

/* A faulty operand gets two chances: one that keeps what it can, and a fresh one. */
static bool change_operand(const struct px_why *why, struct px_draft *draft, const struct px_fit *fit,
                           unsigned *again)
{
    const unsigned at = fit->fault.argument;
    if (at >= draft->inst.nopds || *again >> at & 1) return false;
    if (draft->tried[at]) *again |= 1u << at;
    draft->cost += names_variable(&draft->opds[at]) && !draft->tried[at] ? COST_VARIABLE : COST_OPERAND;
    if (!px_draft_operand(why, draft, &fit->match, &fit->fault)) return false;
    draft->tried[at] = true;
    return true;
}

/* Changes operands until the form takes them all. */
static bool repair(const struct search *s, struct px_draft *draft)
{
    struct px_fit fit;
    unsigned again = 0;
    while (draft->cost < s->best->cost) {
        px_inst_attempt(s->why->module, draft->form, &draft->inst, draft->words, draft->nwords, &fit);
        if (fit.stage == PX_FIT_DONE) return true;
        if (fit.stage == PX_FIT_COUNT
                ? !change_count(s->why, draft, &fit.match)
                : fit.stage != PX_FIT_OPERANDS || !change_operand(s->why, draft, &fit, &again))
            return false;
    }
    return false;
}

/* ---- modifiers ---- */

static void try(const struct search *s, const struct px_form *form, const px_word *words, unsigned n,
                unsigned cost, int changed)
{
    struct px_match match = {.form = form};
    struct px_draft draft = {
        .form = form, .nwords = n, .cost = cost, .changed = changed, .inst = *s->why->inst};
    if (cost >= s->best->cost || !px_match_deal(&match, words, n)) return;
    copy(draft.words, words, n * sizeof *words);
    copy(draft.opds, s->why->inst->opds, s->why->inst->nopds * sizeof *draft.opds);
    draft.inst.opds = draft.opds;
    if (!repair(s, &draft)) return;
    *s->best = draft;
    s->best->inst.opds = s->best->opds;
}

/* The nth word that may stand in any slot of the form; 0 past the end. */
static px_word word_of(const struct px_form *form, unsigned *slot, unsigned *i)
{
    while (*slot < px_form_slots(form)) {
        const px_word word = px_form_word(form, *slot, (*i)++);
        if (word) return word;
        ++*slot;
        *i = 0;
    }
    return 0;
}

/* Less memory than was asked for: two vectors are likelier than one of smaller elements. */
static bool is_narrower(const struct search *s, px_word old, px_word word)
{
    bool vector = false;
    for (unsigned i = 0; i < s->why->nwords; i++) {
        const px_word given = s->why->words[i];
        vector |= given == PX_W_v2 || given == PX_W_v4 || given == PX_W_v8;
    }
    return vector && px_type_info(px_type_of_word(word))->bits < px_type_info(px_type_of_word(old))->bits;
}

/* A word instead of another: one of the same kind is more likely. */
static unsigned cost_of(const struct search *s, const struct px_form *form, px_word old, px_word word)
{
    if (word == s->near) return COST_NEAR;
    if (px_type_of_word(old) && px_type_of_word(word))
        return is_narrower(s, old, word) ? COST_NARROW : COST_TYPE;
    for (unsigned slot = 0; slot < px_form_slots(form); slot++)
        if (px_form_accepts(form, slot, old) && px_form_accepts(form, slot, word)) return COST_WORD;
    return px_space_of_word(old) && px_space_of_word(word) ? COST_WORD : COST_OTHER;
}

/* One modifier more, in every place; and one instead of each. */
static void try_word(const struct search *s, const struct px_form *form, px_word word)
{
    const unsigned n = s->why->nwords;
    px_word words[PX_DRAFT_WORDS];
    copy(words, s->why->words, n * sizeof *words);
    for (unsigned i = 0; i < n; i++) {
        const px_word old = words[i];
        words[i] = word;
        if (old != word) try(s, form, words, n, cost_of(s, form, old, word), (int)i);
        words[i] = old;
    }
    for (unsigned at = 0; at <= n && n + 1 < PX_DRAFT_WORDS; at++) {
        copy(words, s->why->words, at * sizeof *words);
        words[at] = word;
        copy(words + at + 1, s->why->words + at, (n - at) * sizeof *words);
        try(s, form, words, n + 1, COST_ADD, (int)at);
    }
}

static void try_without(const struct search *s, const struct px_form *form)
{
    const unsigned n = s->why->nwords;
    px_word words[PX_DRAFT_WORDS];
    for (unsigned drop = 0; drop < n; drop++) {
        copy(words, s->why->words, drop * sizeof *words);
        copy(words + drop, s->why->words + drop + 1, (n - drop - 1) * sizeof *words);
        try(s, form, words, n - 1, COST_DROP, -1);
    }
}

bool px_draft_find(const struct px_why *why, px_word near, struct px_draft *best)
{
    const struct search s = {why, near, best};
    uint16_t first;
    const unsigned forms = px_inst_forms(why->module, why->inst->opcode->word, &first);
    best->cost = COST_FAR;
    if (why->nwords >= PX_DRAFT_WORDS || why->inst->nopds > BASE_OPDS) return false;
    for (unsigned i = 0; i < forms; i++)
        try(&s, px_form_at((uint16_t)(first + i)), why->words, why->nwords, 0, -1);
    for (unsigned i = 0; i < forms; i++) {
        const struct px_form *form = px_form_at((uint16_t)(first + i));
        unsigned slot = 0, k = 0;
        for (px_word word = word_of(form, &slot, &k); word; word = word_of(form, &slot, &k))
            try_word(&s, form, word);
        try_without(&s, form);
    }
    return best->cost < COST_FAR;
}

/* ---- what is said ---- */

/* The modifiers in the manual's order, where that is the same instruction. */
static void into_order(const struct px_why *why, const struct px_draft *draft, px_word *words)
{
    struct px_fit fit;
    struct px_match match = {.form = draft->form};
    px_word ordered[PX_MAX_SLOTS];
    copy(words, draft->words, draft->nwords * sizeof *words);
    if (!px_match_deal(&match, words, draft->nwords) || px_form_canonical(&match, ordered) != draft->nwords)
        return;
    px_inst_attempt(why->module, draft->form, &draft->inst, ordered, draft->nwords, &fit);
    if (fit.stage == PX_FIT_DONE) copy(words, ordered, draft->nwords * sizeof *words);
}

const char *px_draft_text(const struct px_why *why, const struct px_draft *draft)
{
    struct px_modifier mods[PX_DRAFT_WORDS] = {0};
    struct px_inst inst = draft->inst;
    px_word words[PX_DRAFT_WORDS];
    char text[400];
    if (draft->changed < 0)
        copy(words, draft->words, draft->nwords * sizeof *words);
    else
        into_order(why, draft, words);
    for (unsigned i = 0; i < draft->nwords; i++) {
        const char *word = px_word_text(words[i]);
        mods[i].name = px_names_intern(&why->module->names, word, strlen(word));
    }
    inst.mods = mods;
    inst.nmods = (uint8_t)draft->nwords;
    px_print_inst(&inst, text, sizeof text);
    const size_t n = strlen(text);
    return n && text[n - 1] == ';' ? px_arena_printf(&why->module->arena, "%.*s", (int)n - 1, text) : NULL;
}

const char *px_draft_choices(const struct px_why *why, const struct px_draft *draft)
{
    enum { MOST = 16 };
    struct px_arena *arena = &why->module->arena;
    px_word words[PX_DRAFT_WORDS], slot_word = draft->changed < 0 ? 0 : draft->words[draft->changed];
    const char *text = "";
    unsigned n = 0, slot = 0;
    while (slot_word && slot < px_form_slots(draft->form) && !px_form_accepts(draft->form, slot, slot_word))
        slot++;
    if (!slot_word || slot == px_form_slots(draft->form)) return NULL;
    copy(words, draft->words, draft->nwords * sizeof *words);
    for (unsigned i = 0; px_form_word(draft->form, slot, i); i++) {
        struct px_fit fit;
        words[draft->changed] = px_form_word(draft->form, slot, i);
        px_inst_attempt(why->module, draft->form, &draft->inst, words, draft->nwords, &fit);
        if (fit.stage != PX_FIT_DONE || words[draft->changed] == slot_word) continue;
        text = px_arena_printf(arena, "%s%s.%s", text, n++ ? " " : "", px_word_text(words[draft->changed]));
    }
    return n && n <= MOST ? text : NULL;
}
