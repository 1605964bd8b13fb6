/*
 * pack.h - divergent records in little memory until they are needed.
 *
 * Most of them are like the convergent record of the same pc but for a word or two, those of loops like the
 * divergent one. So of each a mark is kept, whose bit i says that the i-th of its 16 words is another one,
 * and those words: some 10 bytes instead of 64. Nobody else knows what either record means.
 */
#ifndef PX_CODE_EMIT_PACK_H
#define PX_CODE_EMIT_PACK_H

#include "base/vec.h"
#include "gang/record.h"

struct px_packer {
    struct px_arena *arena;
    PX_VEC(uint16_t) marks;
    PX_VEC(uint32_t) words;
    PX_VEC(uint32_t) near; /* where the words of each 32nd record begin */
    PX_VEC(struct px_aside) aside;
};

/* For about n records. */
void px_pack_begin(struct px_packer *p, struct px_arena *arena, uint32_t n);
/* The next divergent record, and the convergent one of its pc, which stays as it is until px_pack_finish. */
void px_pack_add(struct px_packer *p, const struct px_insn *conv, const struct px_insn *div);
/* `place` tells records what was not known when they were packed: both of each pc. Words that are the same in
 * both stay so. */
void px_pack_finish(struct px_packer *p, struct px_insn *conv, uint32_t n,
                    void (*place)(const void *user, struct px_insn *record), const void *user);
/* Divergent records [pc, pc + n). */
void px_pack_read(const struct px_packer *p, const struct px_insn *conv, uint32_t pc, uint32_t n,
                  struct px_insn *to);
/* Behind all of these: n records of lanes that stand aside, made of those from pc on. */
void px_pack_aside(struct px_packer *p, const struct px_insn *conv, uint32_t pc, uint32_t n,
                   const struct px_insn *code);
/* They are the code's now, from which px_div_make (code.h) makes them again. */
void px_pack_keep(struct px_packer *p, struct px_arena *keep, struct px_fcode *code);

#endif
