/*
 * isagen_statement.c - every name in a statement must be something.
 *
 * An operand, a result, the carry flag, a local of the statement, a word of C, or what lib/ops/lane.h
 * declares: isagen reads that header as the preprocessor leaves it, with its macros. A slip is told with the
 * line of the row, before any file that is made of it is compiled.
 */
#include "isagen.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../lib/isa/hash.h"

enum { CHAINS = 4096, LOCALS = 16 };

/* ---- what the header has ---- */

static struct known {
    const char *name;
    struct known *next;
    bool called; /* a parenthesis follows somewhere */
} * known[CHAINS];

static struct known *find(const char *s, size_t n)
{
    struct known *k = known[px_word_hash(s, n, 0) % CHAINS];
    while (k && (strncmp(k->name, s, n) || k->name[n])) k = k->next;
    return k;
}

static void note(const char *s, size_t n, bool called)
{
    struct known *k = find(s, n), **chain = &known[px_word_hash(s, n, 0) % CHAINS];
    if (!k) {
        k = ig_alloc(sizeof *k);
        *k = (struct known){.name = ig_text(s, n), .next = *chain};
        *chain = k;
    }
    k->called |= called;
}

/* ---- tokens ---- */

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    return n;
}

/* The next name at s or behind it, numbers skipped; NULL: there is none. */
static const char *next_name(const char *s, size_t *n)
{
    for (; *s; s += *n ? *n : 1) {
        *n = name_length(s);
        if (*n && !isdigit((unsigned char)*s)) return s;
    }
    return NULL;
}

static char after(const char *s, size_t n)
{
    return s[n + strspn(s + n, " ")];
}

void ig_read_helpers(const char *file)
{
    char line[65536];
    size_t n;
    FILE *f = fopen(file, "r");
    if (!f) ig_error((struct ig_place){file, 0}, "%s", strerror(errno));
    while (fgets(line, sizeof line, f))
        for (const char *s = line; (s = next_name(s, &n)); s += n) note(s, n, after(s, n) == '(');
    fclose(f);
}

/* ---- a statement ---- */

static bool is_one_of(const char *const *list, const char *s, size_t n)
{
    for (; *list; list++)
        if (strlen(*list) == n && !strncmp(*list, s, n)) return true;
    return false;
}

static bool is_type(const char *s, size_t n)
{
    static const char *const types[] = {"float",   "double",   "bool",     "int",      "unsigned", "long",
                                        "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t",   "int16_t",
                                        "int32_t", "int64_t",  "__int128", NULL};
    return is_one_of(types, s, n);
}

static bool is_word_of_c(const char *s, size_t n)
{
    static const char *const words[] = {"if",     "else",   "for",  "while", "const",
                                        "return", "sizeof", "true", "false", NULL};
    return is_one_of(words, s, n) || is_type(s, n);
}

static bool is_operand(const struct ig_handler *h, const char *s, size_t n)
{
    if (n == 2) return h->cc && !strncmp(s, "cc", 2);
    return n == 1 && (*s == 'd' || (*s == 'e' && h->e) || (*s >= 'a' && *s < 'a' + h->ns));
}

/* A number in capitals (INT32_MAX, PX_RZ), or a function where it is called. */
static bool is_known(const char *s, size_t n)
{
    const struct known *k = find(s, n);
    if (after(s, n) == '(') return !strncmp(s, "__builtin_", 10) || (k && k->called);
    for (size_t i = 0; i < n; i++)
        if (islower((unsigned char)s[i])) return false;
    return k;
}

/* Is a local declared here: a value follows, and a type or a comma stands before? */
static bool declares(const char *start, const char *s, size_t n, bool behind_type)
{
    const char *value = s + n + strspn(s + n, " ");
    while (s > start && s[-1] == ' ') s--;
    return value[0] == '=' && value[1] != '=' && (behind_type || (s > start && s[-1] == ','));
}

void ig_check_statement(const struct ig_handler *h)
{
    const char *locals[LOCALS];
    size_t n;
    int nlocals = 0;
    bool behind_type = false;
    for (const char *s = h->statement; (s = next_name(s, &n)); s += n) {
        bool local = false;
        for (int i = 0; i < nlocals; i++) local |= strlen(locals[i]) == n && !strncmp(locals[i], s, n);
        if (!local && !is_word_of_c(s, n) && declares(h->statement, s, n, behind_type)) {
            if (nlocals == LOCALS) ig_error(h->at, "more than %d locals in a statement", LOCALS);
            locals[nlocals++] = ig_text(s, n);
        } else if (!local && !is_word_of_c(s, n) && !is_operand(h, s, n) && !is_known(s, n)) {
            ig_error(h->at, "the statement names '%.*s', which is no operand%s", (int)n, s,
                     after(s, n) == '(' ? " and no function of lib/ops/lane.h" : "");
        }
        behind_type = is_type(s, n);
    }
}
