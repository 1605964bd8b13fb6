/*
 * pack.h - records that are not run yet in little memory.
 *
 * A record of the divergent version is like the convergent one of the same pc but for a word or two, one that
 * lanes run aside like the divergent one. So of each a mark is kept, whose bit i says that the i-th of its 16
 * words is another one, and those words: some 10 bytes instead of 64. Nobody here knows what a record means.
 */
#ifndef PX_CODE_EMIT_PACK_H
#define PX_CODE_EMIT_PACK_H

#include "base/vec.h"
#include "gang/record.h"

struct px_packing {
    PX_VEC(uint16_t) marks;
    PX_VEC(uint32_t) words;
};

struct px_packer {
    struct px_arena *arena;
    struct px_packing div, beside; /* those that run aside */
    PX_VEC(uint32_t) near;         /* of div: where the words of each 32nd record begin */
    PX_VEC(struct px_aside) aside;
    PX_VEC(struct px_insn) read; /* divergent records, until the next are read */
};

/* For about n records. */
void px_pack_begin(struct px_packer *p, struct px_arena *arena, uint32_t n);
/* The next divergent record, and the convergent one of its pc, which stays as it is until px_pack_finish. */
void px_pack_add(struct px_packer *p, const struct px_insn *conv, const struct px_insn *div);
/* The records that run aside at the pcs from `from` on; so many divergent ones have been added. */
void px_pack_aside(struct px_packer *p, const struct px_insn *conv, uint32_t from, const struct px_insn *code,
                   uint32_t n);
/* Tells records what was not known when they were packed. Words that are the same in two of a pc stay so.
 * First those that run aside, then the convergent and the divergent ones. */
typedef void px_pack_place(const void *user, struct px_insn *record);
void px_pack_finish_aside(struct px_packer *p, const struct px_insn *conv, px_pack_place *place,
                          const void *user);
void px_pack_finish(struct px_packer *p, struct px_insn *conv, uint32_t n, px_pack_place *place,
                    const void *user);
/* They are the code's now, from which px_div_make (code.h) makes them again. */
void px_pack_keep(struct px_packer *p, struct px_arena *keep, struct px_fcode *code);

#endif
