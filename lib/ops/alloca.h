/*
 * alloca.h - alloca (PTX ISA 9.7.9.30): each lane takes local memory behind what it has.
 *
 * Record: d = row of addresses in local memory, stacks = row of the lanes' stack pointers, read and written,
 * b = row of bytes, imm = alignment. A lane's stack grows upwards from the frame's variables; frames of
 * functions that it calls lie behind the highest stack of the gang.
 */
#ifndef PX_OPS_ALLOCA_H
#define PX_OPS_ALLOCA_H

#include "gang/gang.h"

int px_alloca(struct px_gang *g,
              const struct px_insn *in); /* PX_STEP_GROW: not done, local memory is too small */
/* Bytes of local memory that it needs, and a lane that needs them. */
uint64_t px_alloca_need(const struct px_gang *g, const struct px_insn *in, uint32_t *lane);

#endif
