/*
 * x86.h - the encoder: instructions of x86-64 and AVX-512 as bytes.
 *
 * It knows how instructions are written, and nothing of what they are for. Vector instructions are those of
 * x86.def; their width follows from the lanes of a group: 16 lanes have 32 bits each in a register of 64
 * bytes, 8 lanes have 64 bits there, or 32 in half of it.
 */
#ifndef PX_CODE_REGION_X86_H
#define PX_CODE_REGION_X86_H

#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

enum px_x86_insn {
#define X86(name, form, map, prefix, w, opcode, wide, elem, imm) PX_X86_##name,
#include "code/region/x86.def"
#undef X86
    PX_X86_COUNT
};

/* Operands in the order of Intel's manuals, the result first. */
enum px_x86_form {
    PX_X86_VVM, /* register, register, register or memory */
    PX_X86_VM,  /* register, register or memory */
    PX_X86_MV,  /* register or memory, register */
    PX_X86_FMA, /* like VVM, but the first is a source, too */
    PX_X86_KVM, /* mask register, register, register or memory */
    PX_X86_KKK, /* mask registers */
    PX_X86_KK
};

struct px_x86_info {
    const char *name;
    uint8_t form, map, prefix, w, opcode;
    uint8_t elem; /* bytes of an element of memory that may be broadcast; 0: it may not */
    bool wide;    /* lanes of 64 bits stand on one of its sides */
    bool imm;
};
extern const struct px_x86_info px_x86_infos[PX_X86_COUNT];

enum px_x86_gpr {
    PX_RAX,
    PX_RCX,
    PX_RDX,
    PX_RBX,
    PX_RSP,
    PX_RBP,
    PX_RSI,
    PX_RDI,
    PX_R8,
    PX_R9,
    PX_R10,
    PX_R11
};

/* A register, or memory at a general register and a distance. */
struct px_x86_rm {
    bool memory, broadcast;
    uint8_t reg;
    int32_t at;
};
static inline struct px_x86_rm px_x86_reg(unsigned reg)
{
    return (struct px_x86_rm){.reg = (uint8_t)reg};
}
static inline struct px_x86_rm px_x86_mem(unsigned base, int32_t at)
{
    return (struct px_x86_rm){.memory = true, .reg = (uint8_t)base, .at = at};
}
static inline struct px_x86_rm px_x86_all(unsigned base, int32_t at) /* one element for all lanes */
{
    return (struct px_x86_rm){.memory = true, .broadcast = true, .reg = (uint8_t)base, .at = at};
}

struct px_x86 {
    struct px_arena *arena;
    PX_VEC(uint8_t) bytes;
};

/* A vector instruction for groups of so many lanes; `mask` 0: all of them; imm: where it has one. Operands
 * that its form does not have are 0. */
struct px_x86_vector {
    enum px_x86_insn insn;
    unsigned lanes, d, v, mask, imm;
    bool zero; /* lanes outside the mask become 0 */
    struct px_x86_rm m;
};
void px_x86_vector(struct px_x86 *x, const struct px_x86_vector *v);
/* kandw and its like; kunpckbw, kortest: by the lanes of a group. */
void px_x86_mask(struct px_x86 *x, enum px_x86_insn insn, unsigned d, unsigned a, unsigned b);
void px_x86_mask_test(struct px_x86 *x, unsigned lanes, unsigned a, unsigned b);
void px_x86_mask_move(struct px_x86 *x, unsigned d, unsigned a);
void px_x86_mask_load(struct px_x86 *x, unsigned lanes, unsigned d, unsigned base, int32_t at);
void px_x86_mask_store(struct px_x86 *x, unsigned lanes, unsigned a, unsigned base, int32_t at);
void px_x86_mask_read(struct px_x86 *x, unsigned lanes, unsigned gpr, unsigned a);

/* General registers, 64 bits wide. */
void px_x86_load(struct px_x86 *x, unsigned d, unsigned base, int32_t at);
void px_x86_store(struct px_x86 *x, unsigned a, unsigned base, int32_t at);
void px_x86_store_word(struct px_x86 *x, uint32_t value, unsigned base, int32_t at); /* 32 bits */
enum px_x86_alu {
    PX_X86_ADD = 0x01,
    PX_X86_OR = 0x09,
    PX_X86_SUB = 0x29,
    PX_X86_CMP = 0x39,
    PX_X86_MOV = 0x89
};
void px_x86_alu(struct px_x86 *x, enum px_x86_alu op, unsigned d, unsigned a); /* d op= a */
void px_x86_alu_to(struct px_x86 *x, enum px_x86_alu op, unsigned base, int32_t at,
                   unsigned a); /* memory op= a */
void px_x86_alu_const(struct px_x86 *x, enum px_x86_alu op, unsigned d, int32_t value);
/* Are so many bytes, at most 8, of memory zero? */
void px_x86_is_zero(struct px_x86 *x, unsigned bytes, unsigned base, int32_t at);
void px_x86_shift_left(struct px_x86 *x, unsigned d, unsigned n);
void px_x86_popcount(struct px_x86 *x, unsigned d, unsigned a);
/* Memory counts one more where register a, as 32 bits, is not zero. */
void px_x86_count_some(struct px_x86 *x, unsigned a, unsigned base, int32_t at);
void px_x86_push(struct px_x86 *x, unsigned reg);
void px_x86_pop(struct px_x86 *x, unsigned reg);
void px_x86_return(struct px_x86 *x); /* with upper halves of vectors zeroed */

/* Jumps: what is returned is the place behind one, whose target px_x86_land fills in. */
enum px_x86_if {
    PX_X86_BELOW = 2,
    PX_X86_ZERO = 4,
    PX_X86_NOT_ZERO = 5,
    PX_X86_NOT_ABOVE = 6,
    PX_X86_ALWAYS = 16
};
uint32_t px_x86_jump(struct px_x86 *x, enum px_x86_if when);
void px_x86_land(struct px_x86 *x, uint32_t jump, uint32_t target);

#endif
