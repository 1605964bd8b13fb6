/*
 * draft.h - the nearest legal instruction to one that is refused.
 *
 * A draft changes at most one modifier and as few operands as will do, and counts only when the checker takes
 * it in this module. Operands that must change become registers that are declared here, where there are any
 * of the type.
 */
#ifndef PX_MATCH_DRAFT_H
#define PX_MATCH_DRAFT_H

#include "match/inst.h"

enum { PX_DRAFT_WORDS = PX_MAX_SLOTS + 1, PX_DRAFT_OPDS = 32 };

struct px_draft {
    const struct px_form *form;
    px_word words[PX_DRAFT_WORDS];
    unsigned nwords, cost;
    int changed;         /* the modifier that is new or another; -1: none */
    struct px_inst inst; /* its operands lie in opds; opcode and guard are the original's */
    struct px_operand opds[PX_DRAFT_OPDS];
    bool tried[PX_DRAFT_OPDS]; /* operands that were changed already */
    const char *needs;         /* "%b16 being a .b16 register": what the module must declare, NULL: nothing */
};

/* Looks for the cheapest draft; false: there is none near. `near` (may be 0) is a word that was probably
 * meant. */
bool px_draft_find(const struct px_why *why, px_word near, struct px_draft *best);
/* As PTX, in the module's arena. */
const char *px_draft_text(const struct px_why *why, const struct px_draft *draft);
/* The words that may stand in place of the changed one, as ".a .b .c"; NULL: it alone, or too many to tell.
 */
const char *px_draft_choices(const struct px_why *why, const struct px_draft *draft);

/* draft_opds.c: another operand where the fault is; false: nothing can be thought of. `operand` NULL: one is
 * missing. */
bool px_draft_operand(const struct px_why *why, struct px_draft *draft, const struct px_match *match,
                      const struct px_fault *fault);

#endif
