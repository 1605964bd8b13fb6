/* words.h - questions about the modifiers of an instruction, asked by several rules. */
#ifndef PX_LINT_WORDS_H
#define PX_LINT_WORDS_H

#include "front/ast.h"

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

/* Is the i-th operand the address of an mbarrier object? Copies have theirs behind the other addresses. */
static inline bool px_lint_is_mbarrier(const struct px_inst *inst, unsigned i)
{
    if (inst->opds[i].kind != PX_O_ADDR || !inst->opds[i].n) return false;
    if (inst->opcode->word == PX_W_mbarrier) return true;
    if (inst->opcode->word != PX_W_cp) return false;
    return px_lint_word_at(inst, 1, PX_W_mbarrier) ||
           (i > 1 && px_lint_has_word(inst, PX_W_mbarrier__complete_tx__bytes));
}

#endif
