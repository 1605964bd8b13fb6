/* script.c - the tree of a run file, and messages that show a place in it. */
#include "script.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "../ptxas/excerpt.h"
#include "fail.h"
#include "gen/run_parser.h"

/* ---- nodes ---- */

static struct node *new_node(struct script *s, enum node_kind kind, unsigned at, unsigned size)
{
    struct node *node = must_alloc(sizeof *node);
    *node = (struct node){.kind = kind, .at = at, .size = size};
    s->nodes = must_grow(s->nodes, (s->n_nodes + 1) * sizeof *s->nodes);
    s->nodes[s->n_nodes++] = node;
    return node;
}

int script_token(struct script *s, struct node **value, int token, const char *from, const char *to)
{
    *value = new_node(s, N_TOKEN, (unsigned)(from - s->text), (unsigned)(to - from));
    (*value)->token = token;
    s->depth += token == '(' || token == '[' || token == T_SHAPE;
    if (s->depth && (token == ')' || token == ']' || token == T_SHAPE_END)) s->depth--;
    s->cursor = to;
    return s->last = token;
}

bool script_line_goes_on(const struct script *s)
{
    return s->depth || s->last == ',' || s->last == T_NEWLINE || !s->last;
}

struct node *script_node(struct script *s, enum node_kind kind, const struct node *at,
                         struct node *const kids[4])
{
    struct node *node = new_node(s, kind, at->at, at->size);
    node->token = at->token;
    memcpy(node->kid, kids, sizeof node->kid);
    return node;
}

struct node *script_append(struct node *list, struct node *more)
{
    if (!list || !more) return list ? list : more;
    struct node *last = list->last ? list->last : list;
    while (last->next) last = last->next;
    last->next = more;
    list->last = more;
    return list;
}

char *script_text(const struct script *s, const struct node *node)
{
    const unsigned quote = s->text[node->at] == '"';
    return must_copy(s->text + node->at + quote, node->size - 2 * quote);
}

char *script_path(const struct script *s, const struct node *node)
{
    const char *slash = strrchr(s->file, '/');
    char *name = script_text(s, node);
    char *path = must_print("%.*s%s", slash && *name != '/' ? (int)(slash + 1 - s->file) : 0, s->file, name);
    free(name);
    return path;
}

/* ---- messages ---- */

unsigned script_line(const struct script *s, const struct node *at)
{
    unsigned line = 1;
    for (unsigned i = 0; i < at->at; i++) line += s->text[i] == '\n';
    return line;
}

void script_show(const struct script *s, const struct node *at, const char *severity, const char *message)
{
    const char *place = s->text + at->at, *begin = place;
    while (begin > s->text && begin[-1] != '\n') begin--;
    const unsigned line = script_line(s, at), column = (unsigned)(place - begin) + 1;
    const struct excerpt_margins margins = excerpt_margins(line);
    fflush(stdout);
    fprintf(stderr, "%s:%u:%u: %s: %s\n", s->file, line, column, severity, message);
    excerpt_print(stderr, margins.line, margins.caret, begin, strcspn(begin, "\n"), column, at->size);
}

static void show_remedy(const char *remedy)
{
    if (remedy && *remedy) fprintf(stderr, "        help: %s\n", remedy);
}

void script_fail(struct script *s, const struct node *at, const char *remedy, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    script_show(s, at, "error", message);
    show_remedy(remedy);
    exit(EXIT_USAGE);
}

void script_syntax_error(struct script *s, const char *message)
{
    const struct node *at = s->nodes[s->n_nodes - 1];
    static const char prefix[] = "syntax error, ";
    if (strncmp(message, prefix, sizeof prefix - 1) == 0) message += sizeof prefix - 1;
    script_fail(s, at, "docs/run-files.md has every statement with an example", "%s", message);
}

/* How many letters differ between two words, at least; used to find the word that was meant. */
static unsigned distance(const char *a, size_t n, const char *b)
{
    unsigned row[32];
    const size_t m = strlen(b);
    if (n > 30 || m > 30) return 99;
    for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned before = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const unsigned above = row[j], change = before + (a[i - 1] != b[j - 1]);
            const unsigned step = (above < row[j - 1] ? above : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
            before = above;
        }
    }
    return row[m];
}

void script_unknown_statement(struct script *s, const struct node *word)
{
    static const char *const words[] = {
#define WORD(text, token) text,
#define STATEMENTS_ONLY
#include "script_words.def"
    };
    const char *nearest = NULL;
    char help[200] = "a statement begins with ";
    unsigned least = 3;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const unsigned away = distance(s->text + word->at, word->size, words[i]);
        if (away < least) nearest = words[i];
        if (away < least) least = away;
        snprintf(help + strlen(help), sizeof help - strlen(help), "%s%s", i ? ", " : "", words[i]);
    }
    if (nearest) snprintf(help, sizeof help, "did you mean '%s'?", nearest);
    script_fail(s, word, help, "'%.*s' begins no statement", (int)word->size, s->text + word->at);
}
