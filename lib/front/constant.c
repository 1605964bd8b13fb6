/*
 * constant.c - constant arithmetic (PTX ISA 4.5.2 to 4.5.6).
 *
 * Integers are 64 bits wide and wrap. An operator between floats works on doubles
 * and is defined for + - * / and comparisons only; other operators ask for integers, and between a float
 * and an integer there is a type mismatch (so ptxas, although the manual would
 * convert). Two integers give an unsigned result when one of them is.
 */
#include "front/constant.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "front/ast.h"

bool px_const_is_float(const struct px_const *c)
{
    return c->kind == PX_CONST_F32 || c->kind == PX_CONST_F64;
}

double px_const_double(const struct px_const *c)
{
    double d;
    float f;
    uint32_t low = (uint32_t)c->bits;
    switch (c->kind) {
    case PX_CONST_S64: return (double)(int64_t)c->bits;
    case PX_CONST_U64: return (double)c->bits;
    case PX_CONST_F32: memcpy(&f, &low, sizeof f); return f;
    default: memcpy(&d, &c->bits, sizeof d); return d;
    }
}

static void set_double(struct px_const *out, double d)
{
    out->kind = PX_CONST_F64;
    memcpy(&out->bits, &d, sizeof d);
}

static void set_int(struct px_const *out, uint64_t bits, bool is_unsigned)
{
    out->kind = is_unsigned ? PX_CONST_U64 : PX_CONST_S64;
    out->bits = bits;
}

enum px_const_fault px_const_unary(int op, const struct px_const *a, struct px_const *out)
{
    struct px_const x = *a;
    if (op == '+' || (op == PX_EOP_INTEGER && !px_const_is_float(&x))) {
        *out = x;
        return PX_CONST_OK;
    }
    if (px_const_is_float(&x)) {
        if (op != '-') return PX_CONST_INTEGER;
        x.bits ^= x.kind == PX_CONST_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
        *out = x;
        return PX_CONST_OK;
    }
    switch (op) {
    case '-': set_int(out, -x.bits, x.kind == PX_CONST_U64); break;
    case '~': set_int(out, ~x.bits, true); break;
    default: set_int(out, !x.bits, false); break;
    }
    return PX_CONST_OK;
}

static enum px_const_fault binary_double(int op, double a, double b, struct px_const *out)
{
    switch (op) {
    case '+': set_double(out, a + b); break;
    case '-': set_double(out, a - b); break;
    case '*': set_double(out, a * b); break;
    case '/':
        if (b == 0) return PX_CONST_DIVISION;
        set_double(out, a / b);
        break;
    case '<': set_int(out, a < b, false); break;
    case '>': set_int(out, a > b, false); break;
    case PX_EOP_LE: set_int(out, a <= b, false); break;
    case PX_EOP_GE: set_int(out, a >= b, false); break;
    case PX_EOP_EQ: set_int(out, a == b, false); break;
    case PX_EOP_NE: set_int(out, a != b, false); break;
    default: return PX_CONST_INTEGER;
    }
    return PX_CONST_OK;
}

/* Signed division whose one overflow, INT64_MIN / -1, wraps instead of trapping. */
static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    if (is_unsigned) return remainder ? a % b : a / b;
    if ((int64_t)b == -1) return remainder ? 0 : -a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(int op, const struct px_const *a, uint64_t count)
{
    bool is_signed = a->kind == PX_CONST_S64;
    if (count > 63) return op == PX_EOP_SHR && is_signed && a->bits >> 63 ? UINT64_MAX : 0;
    if (op == PX_EOP_SHL) return a->bits << count;
    return is_signed ? (uint64_t)((int64_t)a->bits >> count) : a->bits >> count;
}

static bool less(uint64_t a, uint64_t b, bool is_unsigned)
{
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

/* Comparisons and logical operators, whose result is a signed 0 or 1. */
static uint64_t truth(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    switch (op) {
    case '<': return less(a, b, is_unsigned);
    case '>': return less(b, a, is_unsigned);
    case PX_EOP_LE: return !less(b, a, is_unsigned);
    case PX_EOP_GE: return !less(a, b, is_unsigned);
    case PX_EOP_EQ: return a == b;
    case PX_EOP_NE: return a != b;
    case PX_EOP_LAND: return a && b;
    default: return a || b;
    }
}

enum px_const_fault px_const_binary(int op, const struct px_const *x, const struct px_const *y,
                                    struct px_const *out)
{
    if (px_const_is_float(x) != px_const_is_float(y)) return PX_CONST_MISMATCH;
    if (px_const_is_float(x)) return binary_double(op, px_const_double(x), px_const_double(y), out);
    uint64_t a = x->bits, b = y->bits;
    bool is_unsigned = x->kind == PX_CONST_U64 || y->kind == PX_CONST_U64;
    if ((op == '/' || op == '%') && !b) return PX_CONST_DIVISION;
    switch (op) {
    case '+': set_int(out, a + b, is_unsigned); break;
    case '-': set_int(out, a - b, is_unsigned); break;
    case '*': set_int(out, a * b, is_unsigned); break;
    case '/':
    case '%': set_int(out, divide(a, b, is_unsigned, op == '%'), is_unsigned); break;
    case '&': set_int(out, a & b, is_unsigned); break;
    case '|': set_int(out, a | b, is_unsigned); break;
    case '^': set_int(out, a ^ b, is_unsigned); break;
    case PX_EOP_SHL:
    case PX_EOP_SHR: set_int(out, shift(op, x, b), x->kind == PX_CONST_U64); break;
    default: set_int(out, truth(op, a, b, is_unsigned), false); break;
    }
    return PX_CONST_OK;
}

enum { FLOAT_TEXT_MAX = 1100 }; /* digits beyond about 770 cannot change the nearest double */

double px_const_parse_float(const char *s, size_t n)
{
    char text[FLOAT_TEXT_MAX + 1];
    if (n > FLOAT_TEXT_MAX) n = FLOAT_TEXT_MAX;
    memcpy(text, s, n);
    text[n] = 0;
    char *point = strchr(text, '.');
    if (point) *point = localeconv()->decimal_point[0];
    return strtod(text, NULL);
}
