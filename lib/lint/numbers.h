/*
 * numbers.h - which numbers and addresses registers hold, as far as constants tell.
 *
 * What is known of a value are its low bits: all 64 of a constant, four of one that is a multiple of 16. An
 * address is a variable and a number of bytes behind its beginning. Nothing is known of what comes from
 * memory, calls and special registers.
 */
#ifndef PX_LINT_NUMBERS_H
#define PX_LINT_NUMBERS_H

#include "lint/values.h"

enum { PX_LINT_EXACT = 64 };

struct px_lint_number {
    const struct px_symbol *symbol; /* the variable or parameter that this is an address in; NULL: none */
    uint64_t value;                 /* of an address: bytes behind the beginning of the variable */
    uint8_t bits;                   /* how many low bits of value hold; 64: all */
    bool seen;                      /* false: no write was looked at; then nothing else is set */
};

struct px_lint_numbers {
    const struct px_lint_flow *flow;
    const struct px_lint_values *values;
    struct px_lint_number *of; /* by node of values */
};

/* Fills `numbers`; `values` stays in use. Time is linear in the uses of registers. */
void px_lint_numbers(struct px_lint_numbers *numbers, const struct px_lint_flow *flow,
                     const struct px_lint_values *values);

/* What an operand of an item holds, without brackets: a register, constant or name, and what is added to it.
 */
struct px_lint_number px_lint_number_of(const struct px_lint_numbers *numbers, uint32_t item,
                                        const struct px_operand *operand);

/* A constant and no address. */
static inline bool px_lint_is_constant(struct px_lint_number number)
{
    return number.seen && !number.symbol && number.bits == PX_LINT_EXACT;
}

#endif
