/* sets.c - sets of instructions: the `quirk`, `set` and `result` lines of the table, and statements by what
 * these lines say of them. */
#include "isa/table.h"

static bool has(const px_word *words, unsigned n, px_word word)
{
    for (unsigned i = 0; i < n; i++)
        if (words[i] == word) return true;
    return false;
}

static bool names(const struct px_isa_set *q, px_word opcode, const px_word *words, unsigned n)
{
    bool holds = q->opcode == opcode;
    for (unsigned k = 0; holds && k < PX_QUIRK_WORDS; k++)
        holds =
            (!q->with[k] || has(words, n, q->with[k])) && (!q->without[k] || !has(words, n, q->without[k]));
    return holds;
}

bool px_opcode_quirk(px_word opcode, enum px_quirk quirk)
{
    return px_isa_set_bits[opcode][quirk / 64] >> quirk % 64 & 1;
}

bool px_quirk_holds(enum px_quirk quirk, px_word opcode, const px_word *words, unsigned n,
                    const struct px_opd *opd)
{
    if (!px_opcode_quirk(opcode, quirk)) return false;
    for (unsigned i = px_isa_set_first[opcode]; px_isa_sets[i].opcode == opcode; i++) {
        const struct px_isa_set *q = &px_isa_sets[i];
        if (q->number != quirk) continue;
        if ((!px_isa_names[q->operand] || (opd && opd->name == q->operand)) && names(q, opcode, words, n))
            return true;
    }
    return false;
}

bool px_match_quirk(const struct px_match *match, enum px_quirk quirk, const struct px_opd *opd)
{
    return px_quirk_holds(quirk, match->form->opcode, match->value, match->form->nslots, opd);
}

bool px_opcode_in(px_word opcode, enum px_set set)
{
    return px_opcode_quirk(opcode, (enum px_quirk)set);
}

bool px_match_in(const struct px_match *match, enum px_set set, const struct px_opd *opd)
{
    return px_match_quirk(match, (enum px_quirk)set, opd);
}

enum px_result px_opcode_result(px_word opcode)
{
    const unsigned first = px_isa_result_first[opcode];
    return first ? (enum px_result)px_isa_results[first].number : PX_RESULT_NONE;
}

enum px_result px_match_result(const struct px_match *match)
{
    const px_word opcode = match->form->opcode;
    const unsigned first = px_isa_result_first[opcode];
    for (unsigned i = first; i && px_isa_results[i].opcode == opcode; i++)
        if (names(&px_isa_results[i], opcode, match->value, match->form->nslots))
            return (enum px_result)px_isa_results[i].number;
    return PX_RESULT_NONE;
}

/* ---- statements ---- */

const struct px_statement *px_statement(unsigned handler)
{
    return &px_isa_statements[handler];
}

bool px_statement_has(const struct px_statement *statement, px_word word)
{
    return has(statement->words, PX_STATEMENT_WORDS, word);
}

static bool same_word(const struct px_statement *a, const struct px_statement *b, px_word word)
{
    return px_statement_has(a, word) == (b && px_statement_has(b, word));
}

int px_statement_find(enum px_result result, enum px_type to, enum px_type from,
                      const struct px_statement *like)
{
    for (int i = 0; i < px_isa_nstatements; i++) {
        const struct px_statement *s = &px_isa_statements[i];
        if (s->result == result && s->types[0] == to && s->types[1] == from && same_word(s, like, PX_W_sat) &&
            same_word(s, like, PX_W_ftz) && same_word(s, like, PX_W_cc))
            return i;
    }
    return -1;
}
