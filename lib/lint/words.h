/* words.h - questions about the modifiers of an instruction, asked by several rules. */
#ifndef PX_LINT_WORDS_H
#define PX_LINT_WORDS_H

#include "match/match.h"

static inline bool px_lint_has_word(const struct px_inst *inst, px_word word)
{
    for (unsigned i = 0; i < inst->nmods; i++)
        if (inst->mods[i].name->word == word) return true;
    return false;
}

/* Is the i-th modifier this word? */
static inline bool px_lint_word_at(const struct px_inst *inst, unsigned i, px_word word)
{
    return i < inst->nmods && inst->mods[i].name->word == word;
}

/* Must all threads of a warp execute it together? */
static inline bool px_lint_is_aligned(const struct px_inst *inst)
{
    return px_lint_has_word(inst, PX_W_aligned) || px_inst_in(inst, PX_SET_aligned);
}

/* Is the i-th operand the address of an mbarrier object? */
static inline bool px_lint_is_mbarrier(const struct px_inst *inst, unsigned i)
{
    return inst->opds[i].kind == PX_O_ADDR && inst->opds[i].n && px_operand_in(inst, i, PX_SET_mbarrier);
}

#endif
