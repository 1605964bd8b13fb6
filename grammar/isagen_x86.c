/*
 * isagen_x86.c - machine forms: `[x86 vpaddd d,a,b]` in front of a statement.
 *
 * A machine form is what one to four instructions of AVX-512 make of the same operands (lib/code/region has
 * the encoder, x86.def the instructions). It belongs to the handler: `$slot` and `$t(slot)` stand in it as in
 * the statement, and a text function without an entry for the words means that this handler has none. Steps
 * are separated by `;`. Operands are d, a, b, c of the statement, t and u for what lies between, `=NUMBER` a
 * constant, `#NUMBER` the byte that ends the instruction; d{c}: lanes where the predicate c holds. Only the
 * last step writes d: a source may lie in the same register.
 */
#include "isagen.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, OPERANDS = 4 };

static const struct {
    const char *name, *form;
} insns[] = {
#define X86(name, form, map, prefix, w, opcode, wide, elem, imm) {#name, #form},
#include "../lib/code/region/x86.def"
#undef X86
};

struct step {
    int insn, nopds;
    char opd[OPERANDS]; /* d a b c t u, '=' */
    char mask;          /* a b c, 0: none */
    unsigned long imm;
};

struct column {
    int n;
    struct step step[STEPS];
    unsigned long long constant;
};

static int insn_find(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
        if (strlen(insns[i].name) == n && !strncmp(insns[i].name, s, n)) return (int)i;
    return -1;
}

static bool is_operand(const struct ig_handler *h, char c)
{
    return c == 'd' || c == 't' || c == 'u' || (c >= 'a' && c < 'a' + h->ns);
}

/* One operand; returns its end. */
static const char *read_operand(const struct ig_handler *h, struct column *col, struct step *step,
                                const char *s)
{
    char *end;
    if (*s == '#') {
        step->imm = strtoul(s + 1, &end, 0);
        return end;
    }
    if (step->nopds == OPERANDS) ig_error(h->at, "more than %d operands in a machine form", OPERANDS);
    step->opd[step->nopds++] = *s;
    if (*s == '=') {
        col->constant = strtoull(s + 1, &end, 0);
        return end;
    }
    if (!is_operand(h, *s)) ig_error(h->at, "the machine form names '%c', which is no operand", *s);
    if (s[1] != '{') return s + 1;
    step->mask = s[2];
    if (!is_operand(h, s[2]) || s[3] != '}') ig_error(h->at, "a predicate and } are expected behind {");
    return s + 4;
}

static const char *read_step(const struct ig_handler *h, struct column *col, const char *s)
{
    const size_t n = strcspn(s, " ;");
    if (col->n == STEPS) ig_error(h->at, "more than %d steps in a machine form", STEPS);
    struct step *step = &col->step[col->n++];
    step->insn = insn_find(s, n);
    if (step->insn < 0) ig_error(h->at, "x86.def has no instruction '%.*s'", (int)n, s);
    s += n + strspn(s + n, " ");
    while (*s && *s != ';') {
        s = read_operand(h, col, step, s);
        s += strspn(s, " ");
        if (*s && *s != ',' && *s != ';') ig_error(h->at, "a comma is expected before '%s'", s);
        if (*s == ',') s++;
        s += strspn(s, " ");
    }
    return *s ? s + 1 + strspn(s + 1, " ") : s;
}

static struct column read_column(const struct ig_handler *h)
{
    struct column col = {0};
    for (const char *s = h->x86; *s;) s = read_step(h, &col, s);
    for (int i = 0; i < col.n; i++)
        if ((col.step[i].opd[0] == 'd') != (i == col.n - 1))
            ig_error(h->at, "the last step of a machine form writes d, and no other does");
    return col;
}

static const char *operand_name(char c)
{
    switch (c) {
    case 0: return "NONE";
    case '=': return "CONSTANT";
    default: return ig_format("%c", c - 'a' + 'A');
    }
}

static void emit_step(FILE *out, const struct step *step)
{
    fprintf(out, "{PX_X86_%s, {", insns[step->insn].name);
    for (int i = 0; i < step->nopds; i++)
        fprintf(out, "%sPX_FORM_%s", i ? ", " : "", operand_name(step->opd[i]));
    fprintf(out, "}, PX_FORM_%s, %lu}", operand_name(step->mask), step->imm);
}

void ig_emit_x86(FILE *out)
{
    fputs("/* Made by isagen: machine forms, by number of the handler. */\n", out);
    for (int i = 0; i < ig_nhandlers; i++) {
        const struct ig_handler *h = ig_handler(i);
        if (!h->x86) continue;
        const struct column col = read_column(h);
        fprintf(out, "{%d, %d, {", i, col.n);
        for (int k = 0; k < col.n; k++) {
            fputs(k ? ", " : "", out);
            emit_step(out, &col.step[k]);
        }
        fprintf(out, "}, 0x%llxu, \"%s\"}, /* %s */\n", col.constant, h->x86, h->name);
    }
}
