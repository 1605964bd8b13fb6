/*
 * memo.h - forms found before, by the shape of the instruction.
 *
 * Large modules repeat a few hundred shapes: the same opcode, modifiers and
 * kinds and types of operands. The form of a shape that fitted is remembered,
 * so that the search through the table is made once for each.
 */
#ifndef PX_MATCH_MEMO_H
#define PX_MATCH_MEMO_H

#include "front/module.h"

struct px_memo_entry;

struct px_memo {
    struct px_arena *arena;
    struct px_memo_entry *slots; /* open addressing; a power of two */
    uint32_t n, mask;
    uint8_t *valued; /* by opcode: do constants matter by value? see memo.c */
};

enum { PX_MEMO_KEY_MAX = 48 };

/* Everything that decides which form an instruction fits; n 0: too long to remember. */
struct px_memo_key {
    uint64_t hash;
    unsigned n;
    uint64_t words[PX_MEMO_KEY_MAX];
};

void px_memo_init(struct px_memo *memo, struct px_arena *arena);
/* The operands carry their symbols already. */
void px_memo_key(struct px_memo *memo, const struct px_inst *inst, struct px_memo_key *key);
uint16_t px_memo_find(const struct px_memo *memo,
                      const struct px_memo_key *key); /* number of the form; 0: not known */
void px_memo_add(struct px_memo *memo, const struct px_memo_key *key, uint16_t form);

#endif
