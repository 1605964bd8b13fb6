/*
 * expand.h - every combination that the instruction table has: words, choice of operands, and what it
 * requires.
 *
 * A combination is a legal filling of a form's slots together with a choice of its optional operands. Its key
 * is the words in canonical order and the shape of the operands, "relaxed.gpu.global.u32 r,a": r a register,
 * p a predicate, P a pair of them, i a constant, a an address, {4} a vector, t{2} a tuple with a vector of
 * coordinates. Forms may share a key; the targets of a key are those of any of them.
 */
#ifndef PX_TEST_EXPAND_H
#define PX_TEST_EXPAND_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "isa/isa.h"

/* ptxas 13.0 knows PTX up to 9.0; what came later was never held against it. */
static const unsigned expand_oracle = 90;

typedef void expand_visit(void *context, const struct px_match *match, uint32_t operands);

/* The levels at which forms are expanded: today's, and those of forms that were withdrawn. */
static const struct px_module_level expand_levels[] = {
    {90, 100, false}, {63, 60, false}, {31, 20, false}, {13, 13, false}};

static bool expand_allowed(const struct px_match *match, uint32_t operands)
{
    uint8_t message;
    for (size_t l = 0; l < sizeof expand_levels / sizeof *expand_levels; l++)
        if (px_match_where(match, operands, expand_levels[l], &message)) return true;
    return false;
}

/* Every choice of optional operands for the words of a match. */
static void expand_operands(struct px_match *match, expand_visit *visit, void *context)
{
    unsigned min, max = px_form_opds(match->form, &min);
    const struct px_opd *first = max ? px_form_opd(match->form, 0) : NULL;
    bool pair = first && first->partner >= 0, optional = pair && first->flags & PX_OPERAND_PAIR_OPTIONAL;
    for (unsigned n = min; n <= max; n++)
        for (unsigned nth = 0; px_match_choose(match, n, nth); nth++)
            for (unsigned with = pair && !optional; with <= (unsigned)pair; with++) {
                uint32_t operands = match->operands | (with ? 1u << (16 + first->partner) : 0);
                match->pair = with;
                if (px_match_types(match) && expand_allowed(match, operands)) visit(context, match, operands);
            }
}

static void expand_slots(struct px_match *match, unsigned slot, expand_visit *visit, void *context)
{
    px_word name;
    bool optional;
    if (!px_form_slot(match->form, slot, &name, &optional)) {
        expand_operands(match, visit, context);
        return;
    }
    match->value[slot] = 0;
    if (optional) expand_slots(match, slot + 1, visit, context);
    for (unsigned i = 0; (match->value[slot] = px_form_word(match->form, slot, i)); i++)
        expand_slots(match, slot + 1, visit, context);
}

/* All combinations of an opcode; false when it has none. */
__attribute__((unused)) static bool expand_opcode(const char *opcode, expand_visit *visit, void *context)
{
    uint16_t first;
    unsigned n = px_forms_of(px_word_find(opcode, strlen(opcode)), &first);
    for (unsigned i = 0; i < n; i++) {
        struct px_match match = {.form = px_form_at((uint16_t)(first + i))};
        if (px_form_since(match.form).min_ptx <= expand_oracle) expand_slots(&match, 0, visit, context);
    }
    return n > 0;
}

/* ---- text ---- */

struct expand_text {
    char at[6144];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void expand_put(struct expand_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at + t->n, sizeof t->at - t->n, format, args);
    va_end(args);
    t->n += n > 0 ? (size_t)n : 0;
    t->n = t->n < sizeof t->at ? t->n : sizeof t->at - 1;
}

static void expand_words(const struct px_match *match, struct expand_text *out)
{
    px_word words[PX_MAX_SLOTS];
    size_t n = px_form_canonical(match, words);
    for (size_t i = 0; i < n; i++) expand_put(out, ".%s", px_word_text(words[i]));
}

/* ---- the shape of the operands ---- */

static void expand_opd_shape(const struct px_match *match, const struct px_opd *opd, struct expand_text *out)
{
    static const char letters[] = {
        [PX_OK_REG] = 'r',    [PX_OK_PRED] = 'p', [PX_OK_ADDR] = 'a', [PX_OK_IMM] = 'i',
        [PX_OK_LABEL] = 'l',  [PX_OK_FUNC] = 'f', [PX_OK_LIST] = 'x', [PX_OK_TEXADDR] = 't',
        [PX_OK_TENSOR] = 't', [PX_OK_OTHER] = '_'};
    enum px_type type;
    unsigned count;
    px_match_opd_type(match, opd, &type, &count);
    bool bracket = opd->kind == PX_OK_TEXADDR || opd->kind == PX_OK_TENSOR;
    bool plain = opd->kind == PX_OK_REG || opd->kind == PX_OK_VEC;
    if (plain && count)
        expand_put(out, "{%u}", count);
    else
        expand_put(out, "%c", opd->partner >= 0 && match->pair ? 'P' : plain ? 'r' : letters[opd->kind]);
    for (unsigned i = 0; bracket && i < opd->nparts; i++)
        expand_opd_shape(match, px_form_part(match->form, (unsigned)opd->part_first + i), out);
}

/* The key of a combination. */
__attribute__((unused)) static void expand_key(const struct px_match *match, struct expand_text *out)
{
    unsigned n = (unsigned)__builtin_popcount(match->operands);
    expand_words(match, out);
    for (unsigned i = 0; i < n; i++) {
        expand_put(out, i ? "," : " ");
        expand_opd_shape(match, px_match_opd(match, i), out);
    }
}

/* ---- requirements ---- */

static const size_t expand_max_targets = 64;

static uint64_t expand_since_targets(const struct px_since *since)
{
    uint64_t mask = px_since_targets(since);
    for (size_t i = 0; !since->targets && i < expand_max_targets && px_target_name(i); i++)
        mask |= (uint64_t)(px_target_at(i).sm >= since->min_sm) << i;
    for (size_t i = 0; i < expand_max_targets && px_target_name(i); i++)
        if (px_target_min_ptx(i) > expand_oracle) mask &= ~((uint64_t)1 << i);
    return mask;
}

struct expand_need {
    unsigned version;
    uint64_t targets;
};

static void expand_and(struct expand_need *need, const struct px_since *since)
{
    if (since->min_ptx > need->version) need->version = since->min_ptx;
    need->targets &= expand_since_targets(since);
}

/* What the form, its words and its conditions ask for together. */
__attribute__((unused)) static struct expand_need expand_need_of(const struct px_match *match,
                                                                 uint32_t operands)
{
    struct expand_need need = {0, UINT64_MAX};
    struct px_since since = px_form_since(match->form);
    expand_and(&need, &since);
    for (unsigned i = 0; i < px_form_slots(match->form); i++) {
        since = px_match_value_since(match, i);
        if (match->value[i]) expand_and(&need, &since);
    }
    for (unsigned i = 0; px_match_need(match, operands, expand_levels[0], &i, &since);)
        expand_and(&need, &since);
    return need;
}

#endif
