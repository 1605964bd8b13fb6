/* sets.c - an instruction as it is written, and the sets of the table that it is in. */
#include "match/match.h"

bool px_inst_quirk(const struct px_inst *inst, enum px_quirk quirk)
{
    if (!px_opcode_quirk(inst->opcode->word, quirk)) return false;
    px_word words[PX_MAX_SLOTS];
    unsigned n = inst->nmods < PX_MAX_SLOTS ? inst->nmods : PX_MAX_SLOTS;
    for (unsigned i = 0; i < n; i++) words[i] = inst->mods[i].name->word;
    return px_quirk_holds(quirk, inst->opcode->word, words, n, NULL);
}

bool px_inst_in(const struct px_inst *inst, enum px_set set)
{
    return px_inst_quirk(inst, (enum px_quirk)set);
}

bool px_operand_in(const struct px_inst *inst, unsigned i, enum px_set set)
{
    struct px_match match;
    return px_opcode_in(inst->opcode->word, set) && px_match_inst(inst, &match) &&
           px_match_in(&match, set, px_match_opd(&match, i));
}

const struct px_operand *px_operand_of(const struct px_inst *inst, enum px_set set)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        if (px_operand_in(inst, i, set)) return &inst->opds[i];
    return NULL;
}
