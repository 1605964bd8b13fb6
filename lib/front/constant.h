/*
 * constant.h - arithmetic on constants (PTX ISA 4.5): 64-bit integers and doubles.
 *
 * The parser folds constant expressions as it reads them; one that has an
 * error (a division by zero, a float where an integer must stand) is kept as a
 * tree, and the checker reports it in its turn.
 */
#ifndef PX_FRONT_CONSTANT_H
#define PX_FRONT_CONSTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum px_const_kind {
    PX_CONST_S64,
    PX_CONST_U64,
    PX_CONST_F32, /* a literal 0f........ that no operator has touched; the bits of the single */
    PX_CONST_F64, /* the bits of the double */
    PX_CONST_TREE /* [parser] not folded: it has an error */
};

struct px_const {
    uint8_t kind;
    uint64_t bits;
};

enum px_const_fault {
    PX_CONST_OK,
    PX_CONST_DIVISION,
    PX_CONST_MISMATCH, /* a float and an integer */
    PX_CONST_INTEGER   /* a float where the operator asks for integers */
};

/* `op` as in struct px_expr. */
enum px_const_fault px_const_unary(int op, const struct px_const *a, struct px_const *out);
enum px_const_fault px_const_binary(int op, const struct px_const *a, const struct px_const *b,
                                    struct px_const *out);

bool px_const_is_float(const struct px_const *c);
double px_const_double(const struct px_const *c); /* the value, whatever its kind */
/* Decimal text (digits, one point, exponent) to the nearest double, in any locale; n bytes. */
double px_const_parse_float(const char *s, size_t n);

#endif
