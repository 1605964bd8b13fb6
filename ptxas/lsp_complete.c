/* lsp_complete.c - completion: what may stand at the cursor, by the statement in front of it.
 *
 * A statement that is being written is no legal PTX, so the text is looked at, not the syntax: back to the
 * end of the statement before, then a guard, an opcode and the modifiers so far. */
#include <ctype.h>
#include <string.h>
#include "lsp_file.h"

/* The statement up to the cursor, without its guard and label. */
struct typed {
    const char *at;
    size_t n;
};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static void skip_blanks(struct typed *typed)
{
    while (typed->n && isspace((unsigned char)*typed->at)) {
        typed->at++;
        typed->n--;
    }
}

static void skip_guard(struct typed *typed)
{
    if (!typed->n || *typed->at != '@') return;
    while (typed->n && (in_name(*typed->at) || *typed->at == '@' || *typed->at == '!')) {
        typed->at++;
        typed->n--;
    }
    skip_blanks(typed);
}

/* Comments before the statement do no harm when they end a line. */
static struct typed statement(const struct lsp_file *file, uint32_t offset)
{
    const char *text = file->text.at, *end = text + offset, *at = end;
    while (at > text && !strchr(";{}\n", at[-1])) {
        if (at[-1] == ':' && !(at - 1 > text && at[-2] == ':') && !(at < end && *at == ':'))
            break; /* a label, not :: */
        at--;
    }
    struct typed typed = {at, (size_t)(end - at)};
    skip_blanks(&typed);
    skip_guard(&typed);
    return typed;
}

struct items {
    const struct lsp_file *file;
    json_t *list;
    const char *begun; /* what the name must begin with */
    size_t n;
    uint32_t from, to; /* of what is replaced */
    int kind;
};

static int add_item(void *user, const char *name)
{
    struct items *items = user;
    if (strncmp(name, items->begun, items->n) != 0) return 0;
    json_t *edit =
        json_pack("{s:o,s:s}", "range", lsp_range(items->file, items->from, items->to), "newText", name);
    json_array_append_new(items->list,
                          json_pack("{s:s,s:i,s:o}", "label", name, "kind", items->kind, "textEdit", edit));
    return 0;
}

json_t *lsp_completion(const struct lsp_file *file, uint32_t offset, const struct options *options)
{
    enum { KEYWORD = 14, MEMBER = 20 };
    const struct typed typed = statement(file, offset);
    struct items items = {.file = file, .list = json_array(), .to = offset};
    const char *dot = NULL, *name;
    for (size_t i = 0; i < typed.n; i++) {
        if (typed.at[i] == '.') dot = typed.at + i;
        if (!in_name(typed.at[i]) && !strchr(".:", typed.at[i]))
            return items.list; /* behind the operands' blank */
    }
    items.begun = dot ? dot + 1 : typed.at;
    items.n = (size_t)(typed.at + typed.n - items.begun);
    items.from = offset - (uint32_t)items.n;
    items.kind = dot ? MEMBER : KEYWORD;
    if (dot && dot > typed.at)
        ptx_next_modifiers(options->profile, typed.at, (size_t)(dot - typed.at), add_item, &items);
    for (size_t i = 0; !dot && items.n && (name = ptx_known_opcode(options->profile, i)); i++)
        add_item(&items, name);
    return items.list;
}
