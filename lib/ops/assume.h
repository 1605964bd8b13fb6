/*
 * assume.h - records of convergent code that work with a scalar and a term (px_lane_term) where PX would work
 * with rows. They take something for granted, look whether it holds, and answer PX_STEP_ROWS where it does
 * not: then the divergent version does the instruction, row by row.
 */
#ifndef PX_OPS_ASSUME_H
#define PX_OPS_ASSUME_H

#include "gang/record.h"

enum px_assume_cmp { PX_ASSUME_LT, PX_ASSUME_LE, PX_ASSUME_GT, PX_ASSUME_GE, PX_ASSUME_EQ, PX_ASSUME_NE };
enum { PX_ASSUME_SIGNED = 8, PX_ASSUME_WIDE = 16 }; /* else unsigned; else 32 bits */

/* Does the sum of the word at a and the term whose facts are at `facts` fit into 32 bits, signed or not, in
 * all lanes: so that extending the sum is extending the word? */
int px_assume_fits_s32(struct px_gang *g, const struct px_insn *in);
int px_assume_fits_u32(struct px_gang *g, const struct px_insn *in);

/* The predicate at d: the sum of a and the term is to the scalar b as imm says (px_assume_cmp and flags), in
 * all lanes or in none. */
int px_assume_compare(struct px_gang *g, const struct px_insn *in);

#endif
