/*
 * where.h - conditions of the instruction table, as compiled by isagen.
 *
 * A condition is a program for a small stack machine over the words in the
 * slots of a form. isagen runs it too (to expand handlers), so the evaluator
 * is this header and knows nothing but arrays of numbers.
 */
#ifndef PX_ISA_WHERE_H
#define PX_ISA_WHERE_H

#include <stdbool.h>
#include <stdint.h>

enum px_where_code {
    PX_WH_HAS,     /* slot: not empty */
    PX_WH_IS,      /* slot, word */
    PX_WH_IN,      /* slot, list: {n, word...} */
    PX_WH_TUPLE,   /* list {n, words...}, k, slot * k */
    PX_WH_OPERAND, /* number: an optional operand or partner is written */
    PX_WH_NUMBER,  /* value */
    PX_WH_BITS,    /* slot: bits of the type in it */
    PX_WH_CLASS,   /* slot: class of the type in it */
    PX_WH_LEN,     /* slot: 2 for v2, ..., 1 when empty */
    PX_WH_PTX,
    PX_WH_SM,
    PX_WH_INDEPENDENT,
    PX_WH_NOT,
    PX_WH_AND,
    PX_WH_OR,
    PX_WH_IMPLIES,
    PX_WH_IFF,
    PX_WH_EQ,
    PX_WH_NE,
    PX_WH_LT,
    PX_WH_LE,
    PX_WH_MUL,
    PX_WH_ADD
};

struct px_where_env {
    const uint16_t *value; /* words by slot, 0 when empty */
    const uint16_t *lists;
    uint32_t operands; /* bit i: operand i is written; bit 16+j: part j */
    unsigned ptx, sm;
    bool independent;                /* .target texmode_independent */
    unsigned (*bits)(unsigned word); /* of a type's word; 0 for others */
    unsigned (*klass)(unsigned word);
    unsigned (*length)(unsigned word); /* v4 -> 4 */
};

static inline bool px_where_in(const uint16_t *list, uint16_t word)
{
    for (uint16_t i = 1; i <= list[0]; i++)
        if (list[i] == word) return true;
    return false;
}

static inline bool px_where_tuple(const struct px_where_env *env, const uint16_t *code)
{
    const uint16_t *list = env->lists + code[0], k = code[1];
    for (uint16_t i = 0; i < list[0]; i++) {
        uint16_t j = 0;
        while (j < k && list[1 + i * k + j] == env->value[code[2 + j]]) j++;
        if (j == k) return true;
    }
    return false;
}

static inline unsigned px_where_binary(uint16_t op, unsigned a, unsigned b)
{
    switch (op) {
    case PX_WH_AND: return a && b;
    case PX_WH_OR: return a || b;
    case PX_WH_IMPLIES: return !a || b;
    case PX_WH_IFF: return !a == !b;
    case PX_WH_EQ: return a == b;
    case PX_WH_NE: return a != b;
    case PX_WH_LT: return a < b;
    case PX_WH_LE: return a <= b;
    case PX_WH_MUL: return a * b;
    default: return a + b;
    }
}

/* Pushes the value of a leaf; returns how many code words it took. */
static inline unsigned px_where_leaf(const struct px_where_env *env, const uint16_t *code, unsigned *top)
{
    uint16_t word =
        code[0] <= PX_WH_IN || (code[0] >= PX_WH_BITS && code[0] <= PX_WH_LEN) ? env->value[code[1]] : 0;
    switch (code[0]) {
    case PX_WH_HAS: *top = word != 0; return 2;
    case PX_WH_IS: *top = word == code[2]; return 3;
    case PX_WH_IN: *top = px_where_in(env->lists + code[2], word); return 3;
    case PX_WH_TUPLE: *top = px_where_tuple(env, code + 1); return 3u + code[2];
    case PX_WH_OPERAND: *top = env->operands >> code[1] & 1; return 2;
    case PX_WH_NUMBER: *top = code[1]; return 2;
    case PX_WH_BITS: *top = env->bits(word); return 2;
    case PX_WH_CLASS: *top = env->klass(word); return 2;
    case PX_WH_LEN: *top = word ? env->length(word) : 1; return 2;
    case PX_WH_PTX: *top = env->ptx; return 1;
    case PX_WH_INDEPENDENT: *top = env->independent; return 1;
    default: *top = env->sm; return 1;
    }
}

static inline bool px_where_eval(const struct px_where_env *env, const uint16_t *code, unsigned length)
{
    unsigned stack[24], n = 0;
    for (unsigned i = 0; i < length;) {
        if (code[i] < PX_WH_NOT) {
            i += px_where_leaf(env, code + i, &stack[n++]);
        } else if (code[i] == PX_WH_NOT) {
            stack[n - 1] = !stack[n - 1];
            i++;
        } else {
            n--;
            stack[n - 1] = px_where_binary(code[i++], stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}

#endif
