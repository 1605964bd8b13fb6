/* atom.h - atom and red: one handler for each operation and type. */
#ifndef PX_OPS_ATOM_H
#define PX_OPS_ATOM_H

#include "isa/isa.h"
#include "gang/gang.h"

/* The handler for `op` (a word: add, cas, ...) on `type`; NULL when there is none. Shared memory needs no
 * locks. *half is the record's: which operation on halves it is. */
px_handler px_atom_handler(px_word op, enum px_type type, bool shared, uint32_t *half);
/*
 * The handler that may let the operation of `locked` wait (private.h); NULL when it cannot. For relaxed
 * operations of no wider scope than .gpu whose result nobody reads; the record's extent is one of
 * PX_SLOT_PRIVATE.
 */
px_handler px_atom_private(px_handler locked);

#endif
