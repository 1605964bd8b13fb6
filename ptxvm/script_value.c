/* script_value.c - numbers of run files: 64-bit whole numbers, and doubles where one side is. */
#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "gen/run_parser.h"

static struct number of_whole(int64_t whole)
{
    return (struct number){.whole = whole, .value = (double)whole};
}

static struct number of_real(double value)
{
    return (struct number){.real = true, .value = value};
}

/* ---- elements ---- */

static int64_t load_whole(const struct element_type *type, const void *from)
{
    uint64_t bits = 0;
    memcpy(&bits, from, type->size);
    const unsigned unused = 64 - 8 * type->size;
    return type->kind == KIND_SIGNED ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

struct number script_load(const struct element_type *type, const void *from)
{
    return type->kind == KIND_FLOAT ? of_real(element_double(type, from)) : of_whole(load_whole(type, from));
}

static bool fits(const struct element_type *type, int64_t whole)
{
    if (type->size == 8) return true;
    const int64_t range = (int64_t)1 << 8 * type->size;
    return type->kind == KIND_SIGNED ? whole >= -range / 2 && whole < range / 2
                                     : whole >= -range / 2 && whole < range;
}

void script_store(struct script *s, const struct node *at, struct number number,
                  const struct element_type *type, void *to)
{
    if (number.real && type->kind == KIND_BITS && type->size >= 4) {
        element_set_double(element_type_of(KIND_FLOAT, type->size), number.value, to);
        return;
    }
    if (type->kind == KIND_FLOAT) {
        element_set_double(type, number.value, to);
        return;
    }
    if (number.real && number.value != floor(number.value))
        script_fail(s, at, "whole(x) cuts a number to a whole one", "%g is no %s", number.value, type->name);
    const int64_t whole = number.real ? (int64_t)number.value : number.whole;
    if (!fits(type, whole))
        script_fail(s, at, "", "%lld does not fit into a %s", (long long)whole, type->name);
    memcpy(to, &whole, type->size);
}

/* A literal is read as the type that it is for, so that it is rounded once. */
static bool store_literal(struct script *s, const struct node *node, const struct element_type *type,
                          void *to)
{
    const bool negative = node->kind == N_NEGATE;
    const struct node *literal = negative ? node->kid[0] : node;
    if (literal->kind != N_NUMBER || type->kind == KIND_BITS) return false;
    char *text = must_print("%s%.*s", negative ? "-" : "", (int)literal->size, s->text + literal->at), *end;
    const bool read = element_parse(type, text, &end, to) && !*end;
    free(text);
    return read;
}

void script_store_node(struct script *s, const struct node *node, const struct element_type *type, void *to)
{
    if (!store_literal(s, node, type, to)) script_store(s, node, script_number(s, node), type, to);
}

/* ---- expressions ---- */

/* By the rules for elements of a float: also 0f3F800000, 1e-5. */
static struct number of_token(struct script *s, const struct node *node)
{
    char *text = script_text(s, node), *end;
    double value = 0;
    float single = 0;
    struct number result;
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool bits = text[0] == '0' && strchr("fFdD", text[1]) && text[1];
    if (bits && (text[1] | 32) == 'f') {
        element_parse(element_type_find("f32", 3), text, &end, &single);
        result = of_real(single);
    } else if (bits || strpbrk(text, hex ? "." : ".eE")) {
        element_parse(element_type_find("f64", 3), text, &end, &value);
        result = of_real(value);
    } else {
        result = of_whole((int64_t)strtoull(text, NULL, hex ? 16 : 10));
    }
    free(text);
    return result;
}

static struct number of_operand(struct script *s, const struct node *node)
{
    if (node->symbol->kind == SYMBOL_NUMBER) return node->symbol->number;
    size_t from, count;
    const struct buffer *buffer = script_read(s, node);
    script_extent(s, node, &buffer->after, &from, &count);
    if (count != 1)
        script_fail(s, node, "name an element: NAME[0]", "an array of %zu elements is no number", count);
    return script_load(buffer->after.type, array_at(&buffer->after, from));
}

static struct number divide(struct script *s, const struct node *node, struct number a, struct number b)
{
    const bool rest = node->token == '%';
    if (a.real || b.real) return of_real(rest ? fmod(a.value, b.value) : a.value / b.value);
    if (!b.whole) script_fail(s, node, "", "a division by zero");
    if (b.whole == -1) return of_whole(rest ? 0 : (int64_t)(0 - (uint64_t)a.whole));
    return of_whole(rest ? a.whole % b.whole : a.whole / b.whole);
}

static int compare(struct number a, struct number b)
{
    if (a.real || b.real) return a.value < b.value ? -1 : a.value > b.value;
    return a.whole < b.whole ? -1 : a.whole > b.whole;
}

static bool is_true(struct number a)
{
    return a.real ? a.value != 0 : a.whole != 0;
}

static struct number of_binary(struct script *s, const struct node *node)
{
    const struct number a = script_number(s, node->kid[0]);
    if (node->token == T_AND && !is_true(a)) return of_whole(0);
    if (node->token == T_OR && is_true(a)) return of_whole(1);
    const struct number b = script_number(s, node->kid[1]);
    const bool real = a.real || b.real, nan = real && (isnan(a.value) || isnan(b.value));
    const uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    switch (node->token) {
    case '+': return real ? of_real(a.value + b.value) : of_whole((int64_t)(x + y));
    case '-': return real ? of_real(a.value - b.value) : of_whole((int64_t)(x - y));
    case '*': return real ? of_real(a.value * b.value) : of_whole((int64_t)(x * y));
    case '/':
    case '%': return divide(s, node, a, b);
    case '<': return of_whole(!nan && compare(a, b) < 0);
    case '>': return of_whole(!nan && compare(a, b) > 0);
    case T_LE: return of_whole(!nan && compare(a, b) <= 0);
    case T_GE: return of_whole(!nan && compare(a, b) >= 0);
    case T_EQ: return of_whole(!nan && compare(a, b) == 0);
    case T_NE: return of_whole(nan || compare(a, b) != 0);
    default: return of_whole(is_true(b)); /* && and || */
    }
}

static struct number of_call(struct script *s, const struct node *node)
{
    const struct number a = script_number(s, node->kid[0]);
    const struct node *second = node->kid[0]->next;
    const struct number b = second ? script_number(s, second) : a;
    char *name = script_text(s, node);
    const bool pair = strcmp(name, "min") == 0 || strcmp(name, "max") == 0, least = name[1] == 'i';
    const bool absolute = strcmp(name, "abs") == 0, root = strcmp(name, "sqrt") == 0,
               whole = strcmp(name, "whole") == 0;
    free(name);
    if (!(pair || absolute || root || whole) || (second != NULL) != pair || (second && second->next))
        script_fail(s, node, "there are abs(x), min(a, b), max(a, b), sqrt(x), whole(x)",
                    "no function of this name and number of arguments");
    if (pair) return (compare(a, b) < 0) == least ? a : b;
    if (root) return of_real(sqrt(a.value));
    if (whole) return a.real ? of_whole((int64_t)a.value) : a;
    return a.real ? of_real(fabs(a.value))
                  : of_whole(a.whole < 0 ? (int64_t)(0 - (uint64_t)a.whole) : a.whole);
}

struct number script_number(struct script *s, const struct node *node)
{
    switch (node->kind) {
    case N_NUMBER: return of_token(s, node);
    case N_NAME:
    case N_ELEMENT:
    case N_RANGE: return of_operand(s, node);
    case N_CALL: return of_call(s, node);
    case N_NOT: return of_whole(!is_true(script_number(s, node->kid[0])));
    case N_NEGATE: {
        const struct number a = script_number(s, node->kid[0]);
        return a.real ? of_real(-a.value) : of_whole((int64_t)(0 - (uint64_t)a.whole));
    }
    case N_BINARY: return of_binary(s, node);
    default: script_fail(s, node, "", "this is no number");
    }
}

uint64_t script_whole(struct script *s, const struct node *node, uint64_t least, uint64_t most,
                      const char *what)
{
    const struct number n = script_number(s, node);
    const int64_t whole = n.real ? (int64_t)n.value : n.whole;
    if ((n.real && n.value != floor(n.value)) || whole < 0 || (uint64_t)whole < least ||
        (uint64_t)whole > most)
        script_fail(s, node, "", "%s is a whole number from %llu to %llu, not %g", what,
                    (unsigned long long)least, (unsigned long long)most, n.value);
    return (uint64_t)whole;
}
