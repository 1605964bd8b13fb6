/* quirks.c - what ptxas takes more laxly or more strictly than the notation of rows says: the `quirk` lines
 * of the table. */
#include "isa/table.h"

static bool has(const px_word *words, unsigned n, px_word word)
{
    for (unsigned i = 0; i < n; i++)
        if (words[i] == word) return true;
    return false;
}

bool px_quirk_holds(enum px_quirk quirk, px_word opcode, const px_word *words, unsigned n,
                    const struct px_opd *opd)
{
    for (unsigned i = px_isa_quirk_first[quirk]; i < px_isa_quirk_first[quirk + 1]; i++) {
        const struct px_isa_quirk *q = &px_isa_quirks[i];
        bool holds = q->opcode == opcode && (!px_isa_names[q->operand] || (opd && opd->name == q->operand));
        for (unsigned k = 0; holds && k < PX_QUIRK_WORDS; k++)
            holds = (!q->with[k] || has(words, n, q->with[k])) &&
                    (!q->without[k] || !has(words, n, q->without[k]));
        if (holds) return true;
    }
    return false;
}

bool px_opcode_quirk(px_word opcode, enum px_quirk quirk)
{
    for (unsigned i = px_isa_quirk_first[quirk]; i < px_isa_quirk_first[quirk + 1]; i++)
        if (px_isa_quirks[i].opcode == opcode) return true;
    return false;
}

bool px_match_quirk(const struct px_match *match, enum px_quirk quirk, const struct px_opd *opd)
{
    return px_quirk_holds(quirk, match->form->opcode, match->value, match->form->nslots, opd);
}
