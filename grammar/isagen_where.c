/*
 * isagen_where.c - compiles the condition column.
 *
 *   clauses = clause { ";" clause }       clause = ["need"] expr [":" since] ["!" message]
 *   expr    = or [("implies" | "iff") or]     or = and { "or" and }      and = not { "and" not }
 *   not     = "not" not | sum [("=" | "!=" | "<" | "<=" | ">" | ">=") sum]
 *   sum     = product { "+" product }     product = atom { "*" atom }
 *   atom    = number | "(" expr ")" | "(" slot {"," slot} ")" "in" tuple {"," tuple}
 *           | slot [("=" | "!=") word | ["not"] "in" word {"," word}]
 *           | ("bits" | "len" | "signed" | "unsigned" | "float") "(" slot ")" | "ptx" | "sm"
 *           | operand | condition name
 */
#include "isagen.h"
#include "../lib/isa/where.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct ig_form *form;
    const char *s;
    int depth;
};

static void expr(struct parser *p);

static void code(uint16_t c)
{
    if (ig.ncode == IG_POOL) ig_error((struct ig_place){"isa.tbl", 0}, "the conditions are too long");
    ig.code[ig.ncode++] = c;
}

static void blanks(struct parser *p)
{
    while (isblank((unsigned char)*p->s)) p->s++;
}

static size_t peek(struct parser *p)
{
    blanks(p);
    size_t n = 0;
    while (isalnum((unsigned char)p->s[n]) || p->s[n] == '_' || (p->s[n] == ':' && p->s[n + 1] == ':' && ++n))
        n++;
    return n;
}

static bool take_word(struct parser *p, const char *word)
{
    size_t n = peek(p);
    if (n != strlen(word) || strncmp(p->s, word, n)) return false;
    p->s += n;
    return true;
}

static bool take(struct parser *p, const char *token)
{
    blanks(p);
    if (strncmp(p->s, token, strlen(token))) return false;
    p->s += strlen(token);
    return true;
}

static int slot(struct parser *p, const char *s, size_t n)
{
    int i = ig_slot_find(p->form, s, n);
    if (i < 0) ig_error(p->form->at, "'%.*s' is no slot of this row", (int)n, s);
    return i;
}

/* A value word; `none` is the empty slot. A word that no table knows is a slip. */
static int value(struct parser *p)
{
    size_t n = peek(p);
    const char *s = p->s;
    p->s += n;
    if (n == 4 && !strncmp(s, "none", 4)) return 0;
    int word = ig_word_find(s, n);
    if (!word) ig_error(p->form->at, "'%.*s' is the value of no slot", (int)n, s);
    return word;
}

static void push_list(int word)
{
    if (ig.nlists == IG_POOL) ig_error((struct ig_place){"isa.tbl", 0}, "the lists are too long");
    ig.lists[ig.nlists++] = (uint16_t)word;
}

/* "a,b,SET" into the pool of lists; returns its index. */
static int list(struct parser *p)
{
    int at = ig.nlists, n = 0;
    push_list(0);
    do {
        size_t len = peek(p);
        const struct ig_set *set = ig_set_find(p->s, len);
        if (!set) {
            push_list(value(p));
            n++;
            continue;
        }
        p->s += len;
        for (int i = 0; i < set->n; i++, n++) push_list(set->values[i].word);
    } while (take(p, ","));
    ig.lists[at] = (uint16_t)n;
    return at;
}

static bool tuple(struct parser *p)
{
    const char *start = p->s;
    int slots[IG_SLOTS], k = 0;
    do {
        size_t n = peek(p);
        slots[k] = n ? ig_slot_find(p->form, p->s, n) : -1;
        p->s += n;
    } while (slots[k] >= 0 && ++k < IG_SLOTS && take(p, ","));
    if (k < 2 || !take(p, ")")) {
        p->s = start;
        return false;
    }
    bool negated = take_word(p, "not");
    if (!take_word(p, "in")) ig_error(p->form->at, "'in' is expected after a tuple of slots");
    int at = ig.nlists, n = 0;
    push_list(0);
    do {
        for (int i = 0; i < k; i++) {
            if (i && !take(p, ".")) ig_error(p->form->at, "a tuple of %d words is expected", k);
            push_list(value(p));
        }
        n++;
    } while (take(p, ","));
    ig.lists[at] = (uint16_t)n;
    code(PX_WH_TUPLE);
    code((uint16_t)at);
    code((uint16_t)k);
    for (int i = 0; i < k; i++) code((uint16_t)slots[i]);
    if (negated) code(PX_WH_NOT);
    return true;
}

static bool function(struct parser *p, const char *s, size_t n)
{
    static const struct {
        const char *name;
        int op, klass;
    } functions[] = {{"bits", PX_WH_BITS, 0},    {"len", PX_WH_LEN, 0},     {"unsigned", PX_WH_CLASS, 3},
                     {"signed", PX_WH_CLASS, 4}, {"float", PX_WH_CLASS, 5}, {"untyped", PX_WH_CLASS, 2}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) != n || strncmp(functions[i].name, s, n)) continue;
        size_t len = peek(p);
        code((uint16_t)functions[i].op);
        code((uint16_t)slot(p, p->s, len));
        p->s += len;
        if (!take(p, ")")) ig_error(p->form->at, "')' is expected");
        if (functions[i].klass) {
            code(PX_WH_NUMBER);
            code((uint16_t)functions[i].klass);
            code(PX_WH_EQ);
        }
        return true;
    }
    return false;
}

static bool operand(struct parser *p, const char *s, size_t n)
{
    const struct ig_form *form = p->form;
    for (int i = 0; i < form->nopds + form->nparts; i++) {
        const struct ig_opd *o = i < form->nopds ? &form->opds[i] : &form->parts[i - form->nopds];
        if (strncmp(o->name, s, n) || o->name[n]) continue;
        code(PX_WH_OPERAND);
        code((uint16_t)(i < form->nopds ? i : 16 + i - form->nopds));
        return true;
    }
    return false;
}

static bool named_condition(struct parser *p, const char *s, size_t n)
{
    for (int i = 0; i < ig.nconds; i++) {
        if (strncmp(ig.conds[i].name, s, n) || ig.conds[i].name[n]) continue;
        struct parser inner = {p->form, ig.conds[i].text, p->depth + 1};
        if (inner.depth > 8) ig_error(p->form->at, "condition %s refers to itself", ig.conds[i].name);
        expr(&inner);
        blanks(&inner);
        if (*inner.s) ig_error(p->form->at, "in condition %s: '%s'", ig.conds[i].name, inner.s);
        return true;
    }
    return false;
}

static void slot_test(struct parser *p, int i)
{
    bool negated = take(p, "!=");
    if (negated || (strncmp(p->s, "==", 2) && take(p, "="))) {
        code(PX_WH_IS);
        code((uint16_t)i);
        code((uint16_t)value(p));
    } else {
        const char *before = p->s;
        negated = take_word(p, "not");
        if (take_word(p, "in")) {
            int at = list(p);
            code(PX_WH_IN);
            code((uint16_t)i);
            code((uint16_t)at);
        } else {
            p->s = before;
            negated = false;
            code(PX_WH_HAS);
            code((uint16_t)i);
        }
    }
    if (negated) code(PX_WH_NOT);
}

static void number(struct parser *p)
{
    char *end;
    unsigned long v = strtoul(p->s, &end, 10);
    if (*end == '.') /* a PTX version */
        v = v * 10 + strtoul(end + 1, &end, 10);
    p->s = end;
    code(PX_WH_NUMBER);
    code((uint16_t)v);
}

static void atom(struct parser *p)
{
    if (take(p, "(")) {
        if (tuple(p)) return;
        expr(p);
        if (!take(p, ")")) ig_error(p->form->at, "')' is expected at '%s'", p->s);
        return;
    }
    size_t n = peek(p);
    const char *s = p->s;
    int i = n ? ig_slot_find(p->form, s, n) : -1;
    if (i < 0 && isdigit((unsigned char)*s)) {
        number(p);
        return;
    }
    p->s += n;
    if (n && take(p, "(") && function(p, s, n)) return;
    if (i >= 0) {
        slot_test(p, i);
    } else if (n == 11 && !strncmp(s, "independent", n)) {
        code(PX_WH_INDEPENDENT);
    } else if ((n == 3 && !strncmp(s, "ptx", 3)) || (n == 2 && !strncmp(s, "sm", 2))) {
        code(n == 3 ? PX_WH_PTX : PX_WH_SM);
    } else if (!n || (!operand(p, s, n) && !named_condition(p, s, n))) {
        ig_error(p->form->at, "a slot, operand or condition is expected at '%s'", s);
    }
}

/* Parts of one level, joined from the left. `takes` knows a sign from a word. */
static void joined(struct parser *p, void (*part)(struct parser *),
                   bool (*takes)(struct parser *, const char *), const char *token, uint16_t op)
{
    part(p);
    while (takes(p, token)) {
        part(p);
        code(op);
    }
}

static void product(struct parser *p)
{
    joined(p, atom, take, "*", PX_WH_MUL);
}

static void sum(struct parser *p)
{
    joined(p, product, take, "+", PX_WH_ADD);
}

static void not_expr(struct parser *p)
{
    static const struct {
        const char *token;
        uint16_t op;
        bool negate;
    } compares[] = {{"<=", PX_WH_LE, false}, {">=", PX_WH_LT, true}, {"!=", PX_WH_NE, false},
                    {"<", PX_WH_LT, false},  {">", PX_WH_LE, true},  {"=", PX_WH_EQ, false}};
    if (take_word(p, "not")) {
        not_expr(p);
        code(PX_WH_NOT);
        return;
    }
    sum(p);
    for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
        if (take(p, compares[i].token)) {
            sum(p);
            code(compares[i].op);
            if (compares[i].negate) code(PX_WH_NOT);
            return;
        }
}

static void and_expr(struct parser *p)
{
    joined(p, not_expr, take_word, "and", PX_WH_AND);
}

static void or_expr(struct parser *p)
{
    joined(p, and_expr, take_word, "or", PX_WH_OR);
}

static void expr(struct parser *p)
{
    or_expr(p);
    bool implies = take_word(p, "implies");
    if (!implies && !take_word(p, "iff")) return;
    or_expr(p);
    code(implies ? PX_WH_IMPLIES : PX_WH_IFF);
}

/* The names after `!` become enum px_where_message; the checker has a text for each. */
static const char *message(const char *s, size_t n)
{
    for (int i = 0; i < ig.nmessages; i++)
        if (!strncmp(ig.messages[i], s, n) && !ig.messages[i][n]) return ig.messages[i];
    if (ig.nmessages == 128) ig_error((struct ig_place){"isa.tbl", 0}, "more than 128 messages");
    return ig.messages[ig.nmessages++] = ig_text(s, n);
}

static void clause(struct parser *p)
{
    struct ig_form *form = p->form;
    if (form->nclauses == (int)(sizeof form->clauses / sizeof *form->clauses))
        ig_error(form->at, "too many conditions");
    struct ig_clause *c = &form->clauses[form->nclauses++];
    c->first = ig.ncode;
    c->kind = take_word(p, "need");
    expr(p);
    c->len = ig.ncode - c->first;
    if (c->kind) {
        if (!take(p, ":")) ig_error(form->at, "':' and a requirement are expected at '%s'", p->s);
        size_t n = strcspn(p->s, ";!");
        c->since = ig_since_index(ig_since_parse(form->at, ig_text(p->s, n)));
        p->s += n;
    }
    if (take(p, "!")) {
        size_t n = peek(p);
        c->message = message(p->s, n);
        p->s += n;
    }
}

void ig_parse_clauses(struct ig_form *form, const char *s)
{
    struct parser p = {form, s, 0};
    blanks(&p);
    while (*p.s) {
        clause(&p);
        if (!take(&p, ";") && (blanks(&p), *p.s)) ig_error(form->at, "';' is expected at '%s'", p.s);
        blanks(&p);
    }
}

/* ---- evaluation while expanding ---- */

static unsigned bits_of(unsigned word)
{
    return word && word <= (unsigned)ig.ntypes ? (unsigned)ig.types[word - 1].bits : 0;
}

static unsigned class_of(unsigned word)
{
    static const char *const names[] = {"", "pred", "bits", "unsigned", "signed", "float", "opaque"};
    for (unsigned i = 1; word && word <= (unsigned)ig.ntypes && i < 7; i++)
        if (!strcmp(ig.types[word - 1].klass, names[i])) return i;
    return 0;
}

static unsigned length_of(unsigned word)
{
    const char *s = word ? ig.words.text[word - 1] : "";
    return s[0] == 'v' ? (unsigned)atoi(s + 1) : 1;
}

static bool hold_with(const struct ig_form *form, const uint16_t *value, unsigned operands, unsigned ptx,
                      unsigned sm)
{
    struct px_where_env env = {value, ig.lists, operands, ptx, sm, false, bits_of, class_of, length_of};
    for (int i = 0; i < form->nclauses; i++) {
        const struct ig_clause *c = &form->clauses[i];
        if (!c->kind && !px_where_eval(&env, ig.code + c->first, (unsigned)c->len)) return false;
    }
    return true;
}

/* With all optional operands, or with none; by the newest version, or the oldest: some forms went out of use.
 */
bool ig_clauses_hold(const struct ig_form *form, const uint16_t *value)
{
    return hold_with(form, value, ~0u, 90, 100) || hold_with(form, value, ~0u, 10, 10) ||
           hold_with(form, value, 0, 90, 100);
}
