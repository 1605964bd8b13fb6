/*
 * match.c - binds the modifiers of an instruction to the slots of a form.
 *
 * Modifiers may stand in any order; among slots that accept the same word the
 * leftmost empty one takes it. A mandatory slot that stays empty may still be
 * filled from an optional one to its left that holds an acceptable word (the
 * optional one was greedy).
 */
#include "isa/table.h"
#include "isa/where.h"
#include <string.h>

px_op px_match_op(const struct px_match *match)
{
    return match->form->op;
}

unsigned px_selector_component(px_word word)
{
    switch (word) {
    case PX_W_x:
    case PX_W_r: return 0;
    case PX_W_y:
    case PX_W_g: return 1;
    case PX_W_z:
    case PX_W_b: return 2;
    case PX_W_w:
    case PX_W_a: return 3;
    default: return 4;
    }
}

static int slot_named(const struct px_form *form, px_word name)
{
    for (unsigned i = 0; i < form->nslots; i++)
        if (px_isa_slots[form->first_slot + i].name == name) return (int)i;
    return -1;
}

px_word px_match_slot(const struct px_match *match, px_word slot)
{
    int i = slot_named(match->form, slot);
    return i < 0 ? 0 : match->value[i];
}

bool px_match_has(const struct px_match *match, px_word word)
{
    for (unsigned i = 0; i < match->form->nslots; i++)
        if (match->value[i] == word) return true;
    return false;
}

/* ---- dealing ---- */

/* Modifiers of other instructions that ptxas does not notice on this one. */
static bool overlooked(const struct px_match *match, px_word word)
{
    return px_isa_overlooked[word] & match->form->overlooks;
}

static bool deal_one(struct px_match *match, px_word word)
{
    for (unsigned i = 0; i < match->form->nslots; i++)
        if (!match->value[i] && px_form_accepts(match->form, i, word)) {
            match->value[i] = word;
            return true;
        }
    return (px_isa_word_flags[word] & PX_WORD_REPEATED && px_match_has(match, word)) ||
           overlooked(match, word);
}

/* Fills mandatory slot i from an optional slot that took a word which fits here. */
static bool shift_into(struct px_match *match, unsigned i)
{
    const struct px_isa_slot *slots = &px_isa_slots[match->form->first_slot];
    for (unsigned k = match->form->nslots; k-- > 0;)
        if (slots[k].optional && match->value[k] && px_form_accepts(match->form, i, match->value[k])) {
            match->value[i] = match->value[k];
            match->value[k] = 0;
            return true;
        }
    return false;
}

/* Kinds of words whose order counts: types, state spaces (cp.async.shared.global), matrix layouts. 0: any
 * order. */
static unsigned ordered_kind(px_word word)
{
    if (px_type_of_word(word)) return 1;
    if (word == PX_W_row || word == PX_W_col) return 2;
    return px_space_of_word(word) ? 3 : 0;
}

/* An overlooked type that may stand before others, too. */
static bool passed_over(const struct px_match *match, px_word word)
{
    uint8_t klass = px_type_info(px_type_of_word(word))->klass;
    return (klass == PX_TC_PRED || klass == PX_TC_OPAQUE) && overlooked(match, word) &&
           !px_match_has(match, word);
}

/* Were the words of each ordered kind written in the order of the slots that hold them? */
static bool order_kept(const struct px_match *match, const px_word *words, unsigned n)
{
    unsigned next[4] = {0};
    for (unsigned i = 0; i < match->form->nslots; i++) {
        unsigned kind = ordered_kind(match->value[i]), k = next[kind];
        if (!kind) continue;
        while (k < n && (ordered_kind(words[k]) != kind || passed_over(match, words[k]))) k++;
        if (k == n || words[k] != match->value[i]) return false;
        next[kind] = k + 1;
    }
    return true;
}

/* The name of the instruction comes first: mul.wide.u32, never mul.u32.wide. */
static bool name_first(const struct px_match *match, const px_word *words, unsigned n)
{
    unsigned k = 0;
    for (unsigned i = 0; i < match->form->nfixed; i++)
        if (match->value[i] && (k == n || words[k++] != match->value[i])) return false;
    return true;
}

bool px_match_deal(struct px_match *match, const px_word *words, unsigned n)
{
    const struct px_form *form = match->form;
    memset(match->value, 0, sizeof match->value);
    match->operands = (uint16_t)((1u << form->nopds) - 1);
    for (unsigned i = 0; i < n; i++)
        if (!deal_one(match, words[i])) return false;
    for (unsigned i = 0; i < form->nslots; i++)
        if (!match->value[i] && !px_isa_slots[form->first_slot + i].optional && !shift_into(match, i))
            return false;
    return name_first(match, words, n) && order_kept(match, words, n);
}

bool px_match_deal_types(struct px_match *match, const px_word *words, unsigned n)
{
    const struct px_form *form = match->form;
    memset(match->value, 0, sizeof match->value);
    match->operands = (uint16_t)((1u << form->nopds) - 1);
    for (unsigned i = 0; i < n; i++)
        if (!deal_one(match, words[i]) && px_type_of_word(words[i])) return false;
    for (unsigned i = 0; i < form->nslots; i++) {
        bool wanted = !px_isa_slots[form->first_slot + i].optional &&
                      (i < form->nfixed || px_type_of_word(px_form_word(form, i, 0)));
        if (wanted && !match->value[i] && !shift_into(match, i)) return false;
    }
    return name_first(match, words, n) && order_kept(match, words, n);
}

bool px_match_continues(struct px_match *match, const px_word *words, unsigned n, px_word next)
{
    const struct px_form *form = match->form;
    px_word all[PX_MAX_SLOTS + 1];
    memset(match->value, 0, sizeof match->value);
    if (n >= PX_MAX_SLOTS) return false;
    for (unsigned i = 0; i < n; i++) {
        all[i] = words[i];
        if (!deal_one(match, words[i])) return false;
    }
    for (unsigned i = 0; i < form->nfixed; i++) /* the name comes first */
        if (!match->value[i] && !px_isa_slots[form->first_slot + i].optional &&
            !px_form_accepts(form, i, next))
            return false;
    all[n] = next;
    for (unsigned i = 0; i < form->nslots; i++)
        if (!match->value[i] && px_form_accepts(form, i, next)) {
            match->value[i] = next;
            return name_first(match, all, n + 1) && order_kept(match, all, n + 1);
        }
    return false;
}

size_t px_form_canonical(const struct px_match *match, px_word out[PX_MAX_SLOTS])
{
    size_t n = 0;
    for (unsigned i = 0; i < match->form->nslots; i++)
        if (match->value[i]) out[n++] = match->value[i];
    return n;
}

/* ---- types and operands ---- */

static unsigned vector_length(px_word word)
{
    switch (word) {
    case PX_W_v2: return 2;
    case PX_W_v4: return 4;
    case PX_W_v8: return 8;
    default: return 1;
    }
}

/* The elements that a type function gives for the words in its argument slots; NULL when it is not defined
 * there. */
static const uint8_t *apply(const struct px_match *match, const struct px_opd *opd)
{
    const struct px_isa_fn *fn = &px_isa_fns[opd->tindex];
    for (unsigned i = 0; i < fn->n; i++) {
        const struct px_isa_entry *e = &px_isa_entries[fn->first + i];
        unsigned k = 0;
        for (; k < fn->nargs; k++) {
            px_word word = match->value[opd->args[k]];
            if (e->key[k] && e->key[k] != word && (e->key[k] != 0xffff || word)) break;
        }
        if (k == fn->nargs) return px_isa_elems + e->elems;
    }
    return NULL;
}

/* Element list of an operand's type; NULL when it has none. *last is the word that stands for `$`. */
static const uint8_t *elements(const struct px_match *match, const struct px_opd *opd, px_word *last)
{
    *last = 0;
    if (opd->tkind == 1) return px_isa_elems + opd->tindex;
    if (opd->tkind != 3) return NULL;
    *last = match->value[opd->args[px_isa_fns[opd->tindex].nargs - 1]];
    return apply(match, opd);
}

/* The number after `n` in a shape: 128 of m64n128k16. */
static unsigned shape_n(px_word word)
{
    const char *s = px_word_text(word);
    unsigned n = 0;
    while (*s && *s++ != 'n')
        ;
    for (; *s >= '0' && *s <= '9'; s++) n = n * 10 + (unsigned)(*s - '0');
    return n;
}

bool px_match_opd_type(const struct px_match *match, const struct px_opd *opd, enum px_type *type,
                       unsigned *count)
{
    px_word last;
    const uint8_t *e = elements(match, opd, &last);
    if (opd->tkind == 2) {
        *type = px_type_of_word(match->value[opd->tslot]);
        *count = 0;
    } else if (e) {
        *type = e[3] ? e[3] : px_type_of_word(last);
        *count = !e[0] ? shape_n(last) / e[1] : e[1] ? e[0] : 0;
    } else {
        *type = PX_T_NONE;
        *count = 0;
        return opd->tkind == 0;
    }
    if (opd->by_vec && match->vec > 1) *count = match->vec;
    return *type != PX_T_NONE;
}

enum px_type px_match_elem(const struct px_match *match, const struct px_opd *opd, unsigned i)
{
    px_word last;
    const uint8_t *e = elements(match, opd, &last);
    if (!e) return px_type_of_word(match->value[opd->tslot]);
    unsigned m = i < e[2] ? i : e[2] - 1u;
    return e[3 + m] ? e[3 + m] : px_type_of_word(last);
}

static unsigned popcount(unsigned mask)
{
    return (unsigned)__builtin_popcount(mask);
}

bool px_match_choose(struct px_match *match, unsigned n, unsigned nth)
{
    const struct px_form *form = match->form;
    unsigned all = (1u << form->nopds) - 1, fixed = 0;
    if (n < form->min_opds || n > form->nopds) return false;
    for (unsigned i = 0; i < form->nopds; i++)
        fixed |= !(px_form_opd(form, i)->flags & PX_OPERAND_OPTIONAL) << i;
    for (unsigned mask = fixed; mask <= all; mask++)
        if ((mask & fixed) == fixed && popcount(mask) == n && !nth--) {
            match->operands = (uint16_t)mask;
            return true;
        }
    return false;
}

/* Number of the form's operand that operand i of the instruction is. */
static unsigned form_operand(const struct px_match *match, unsigned i)
{
    unsigned mask = match->operands;
    while (i--) mask &= mask - 1;
    return mask ? (unsigned)__builtin_ctz(mask) : 0;
}

const struct px_opd *px_match_opd(const struct px_match *match, unsigned i)
{
    return px_form_opd(match->form, form_operand(match, i));
}

int px_match_written(const struct px_match *match, unsigned i)
{
    if (i >= 16 || !(match->operands >> i & 1)) return -1;
    return popcount(match->operands & ((1u << i) - 1));
}

bool px_match_types(struct px_match *match)
{
    const struct px_form *form = match->form;
    unsigned k = 0;
    match->vec = 1;
    for (unsigned i = 0; i < form->nslots; i++)
        if (vector_length(match->value[i]) > 1) match->vec = (uint8_t)vector_length(match->value[i]);
    for (unsigned i = 0; i < form->nopds; i++) {
        enum px_type type;
        unsigned count;
        if (!px_match_opd_type(match, px_form_opd(form, i), &type, &count)) return false;
        if (!(match->operands >> i & 1)) continue;
        match->type[k] = (uint8_t)type;
        match->count[k++] = (uint8_t)count;
    }
    return true;
}

enum px_space px_match_space(const struct px_match *match, const struct px_opd *opd)
{
    return opd->space < 0 ? PX_SPACE_NONE : px_space_of_word(match->value[opd->space]);
}

/* ---- handlers and the floating-point mode ---- */

static unsigned choice(const struct px_match *match, unsigned slot)
{
    const struct px_isa_slot *s = &px_isa_slots[match->form->first_slot + slot];
    for (uint16_t i = 0; i < s->n; i++)
        if (px_isa_values[s->first + i].word == match->value[slot]) return i + 1u;
    return 0;
}

int px_match_handler(const struct px_match *match)
{
    const struct px_form *form = match->form;
    unsigned at = 0, size = 1;
    if (form->handler_first < 0) return -1;
    for (unsigned i = 0; i < form->nspec; i++) {
        unsigned n = px_isa_slots[form->first_slot + form->spec[i]].n + 1u;
        at = at * n + choice(match, form->spec[i]);
        size *= n;
    }
    if (form->flags & PX_FORM_PAIR && !match->pair) at += size;
    uint16_t handler = px_isa_handlers[form->handler_first + (int)at];
    return handler == UINT16_MAX ? -1 : handler;
}

static bool all_f64(const struct px_match *match)
{
    bool found = false;
    for (unsigned i = 0; i < popcount(match->operands); i++)
        if (px_type_info(match->type[i])->klass == PX_TC_FLOAT) {
            found = true;
            if (match->type[i] != PX_T_F64) return false;
        }
    return found;
}

int px_match_fp_mode(const struct px_match *match)
{
    int mode = 0;
    if (match->form->flags & PX_FORM_HOME) return 0;
    if (!(match->form->flags & PX_FORM_MODE)) return -1;
    for (unsigned i = 0; i < match->form->nslots; i++) switch (match->value[i]) {
        case PX_W_rz: mode |= 1; break;
        case PX_W_rm: mode |= 2; break;
        case PX_W_rp: mode |= 3; break;
        case PX_W_ftz: mode |= all_f64(match) ? 0 : 4; break;
        default: break;
        }
    return mode;
}

/* ---- conditions and requirements ---- */

static unsigned type_bits(unsigned word)
{
    return px_type_info(px_type_of_word((px_word)word))->bits;
}

static unsigned type_class(unsigned word)
{
    return px_type_info(px_type_of_word((px_word)word))->klass;
}

static unsigned word_length(unsigned word)
{
    return vector_length((px_word)word);
}

static struct px_where_env where_env(const struct px_match *match, uint32_t operands,
                                     struct px_module_level level)
{
    return (struct px_where_env){match->value,      px_isa_lists, operands,   level.ptx,  level.sm,
                                 level.independent, type_bits,    type_class, word_length};
}

bool px_match_where(const struct px_match *match, uint32_t operands, struct px_module_level level,
                    uint8_t *message)
{
    struct px_where_env env = where_env(match, operands, level);
    const struct px_isa_clause *c = &px_isa_clauses[match->form->first_clause];
    for (const struct px_isa_clause *end = c + match->form->nclauses; c < end; c++)
        if (!c->kind && !px_where_eval(&env, px_isa_code + c->first, c->length)) {
            *message = c->message;
            return false;
        }
    return true;
}

bool px_match_need(const struct px_match *match, uint32_t operands, struct px_module_level level, unsigned *i,
                   struct px_since *since)
{
    struct px_where_env env = where_env(match, operands, level);
    while (*i < match->form->nclauses) {
        const struct px_isa_clause *c = &px_isa_clauses[match->form->first_clause + (*i)++];
        if (c->kind && px_where_eval(&env, px_isa_code + c->first, c->length)) {
            *since = px_isa_sinces[c->since];
            return true;
        }
    }
    return false;
}

struct px_since px_form_since(const struct px_form *form)
{
    return px_isa_sinces[form->since];
}

struct px_since px_match_value_since(const struct px_match *match, unsigned slot)
{
    const struct px_isa_slot *s = &px_isa_slots[match->form->first_slot + slot];
    unsigned i = choice(match, slot);
    return px_isa_sinces[i ? px_isa_values[s->first + i - 1].since : 0];
}

bool px_word_since(px_word word, struct px_since *since)
{
    const struct px_isa_value *v = px_isa_features;
    while (v->word && v->word != word) v++;
    *since = px_isa_sinces[v->since];
    return v->word != 0;
}

const char *px_since_feature(const struct px_since *since)
{
    return since->feature ? px_isa_names + since->feature : NULL;
}

uint64_t px_since_targets(const struct px_since *since)
{
    return since->targets ? px_isa_target_sets[since->targets] : 0;
}
