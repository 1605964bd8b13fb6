/* order.c - the canonical order of an instruction's modifiers, for the printer. */
#include "match/match.h"

/* Index of `word` among the modifiers not taken yet; nmods when it is not there. */
static unsigned find(const struct px_inst *inst, px_word word, const bool *taken)
{
    unsigned i = 0;
    while (i < inst->nmods && (taken[i] || inst->mods[i].name->word != word)) i++;
    return i;
}

bool px_modifier_order(const struct px_inst *inst, uint8_t out[])
{
    struct px_match match;
    px_word words[PX_MAX_SLOTS];
    bool taken[UINT8_MAX + 1] = {false};
    if (!px_match_inst(inst, &match)) return false;
    size_t n = px_form_canonical(&match, words);
    unsigned done = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned at = find(inst, words[i], taken);
        if (at == inst->nmods) continue; /* a literal that the form supplies by itself */
        taken[at] = true;
        out[done++] = (uint8_t)at;
    }
    for (unsigned i = 0; i < inst->nmods; i++) /* a modifier written twice stays at the end */
        if (!taken[i]) out[done++] = (uint8_t)i;
    return true;
}
