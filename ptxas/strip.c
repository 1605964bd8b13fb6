/* strip.c - --strip: what does not run goes.
 *
 * Comments, line markers and debug data are left out, and names that only a function knows are replaced: %ra,
 * %rb, ... for registers (members of a range keep their numbers: %ra0), $La for labels, va for variables, pa
 * for parameters. Letters follow one another without digits, so no new name is a member of a new range. Names
 * at module scope are what others link and launch by; they stay, and no new name is one of them. */
#include "strip.h"

#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "format.h"
#include "messages.h"

struct names {
    const struct document *document;
    char **fresh;          /* by symbol, owned; NULL: it keeps its name */
    struct strings global; /* names at module scope, sorted; owned */
    bool *keeps_labels;    /* by part, owned: a function with a range of labels */
};

static char *name_of(const struct document *document, uint32_t token)
{
    const ptx_token *t = &document->tokens[token];
    return must_copy(document->text + t->offset, t->length);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_global(struct names *names)
{
    const struct document *document = names->document;
    names->global.at = must_grow(NULL, document->nsymbols * sizeof *names->global.at);
    for (size_t i = 0; i < document->nsymbols; i++) {
        const ptx_symbol *symbol = &document->symbols[i];
        if (symbol->function == PTX_NOTHING && symbol->token != PTX_NOTHING)
            names->global.at[names->global.n++] = name_of(document, symbol->token);
    }
    qsort(names->global.at, names->global.n, sizeof *names->global.at, by_text);
}

static bool is_global(const struct names *names, const char *name)
{
    return names->global.n &&
           bsearch(&name, names->global.at, names->global.n, sizeof *names->global.at, by_text);
}

/* .branchtargets L<4> names L0 to L3 by their spelling. */
static void find_label_ranges(struct names *names)
{
    const struct document *document = names->document;
    names->keeps_labels = must_grow(NULL, document->nparts + 1);
    memset(names->keeps_labels, 0, document->nparts + 1);
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        bool range = false;
        uint32_t function = part->parent;
        if (part->kind != PTX_PART_TABLE) continue;
        for (uint32_t t = part->first; t <= part->last; t++) range |= document_is(document, t, "<");
        while (function != PTX_NOTHING && document->parts[function].kind != PTX_PART_FUNCTION)
            function = document->parts[function].parent;
        if (range && function != PTX_NOTHING) names->keeps_labels[function] = true;
    }
}

static const char *prefix_of(const ptx_symbol *symbol)
{
    if (symbol->kind == PTX_SYMBOL_REGISTER) return symbol->function == PTX_NOTHING ? "%g" : "%r";
    if (symbol->function == PTX_NOTHING) return NULL;
    switch (symbol->kind) {
    case PTX_SYMBOL_VARIABLE: return "v";
    case PTX_SYMBOL_PARAMETER: return "p";
    case PTX_SYMBOL_LABEL:
    case PTX_SYMBOL_TABLE: return "$L";
    default: return NULL;
    }
}

/* a, b, ..., z, aa, ab, ... */
static char *numbered(const char *prefix, unsigned long number)
{
    char letters[16], *name;
    size_t n = 0;
    struct text text = {0};
    for (number++; number; number /= 26) letters[n++] = (char)('a' + --number % 26);
    text_put(&text, prefix);
    while (n) text_add(&text, &letters[--n], 1);
    name = must_copy(text.at, text.n);
    text_free(&text);
    return name;
}

/* Numbers start again in every function; symbols come in the order of their first use, so a function's lie
 * together. */
static void choose(struct names *names)
{
    const struct document *document = names->document;
    unsigned long next[PTX_SYMBOL_TABLE + 1] = {0}, global = 0;
    uint32_t function = PTX_NOTHING;
    names->fresh = must_grow(NULL, document->nsymbols * sizeof *names->fresh);
    for (size_t i = 0; i < document->nsymbols; i++) {
        const ptx_symbol *symbol = &document->symbols[i];
        const char *prefix = prefix_of(symbol);
        const bool label = symbol->kind == PTX_SYMBOL_LABEL || symbol->kind == PTX_SYMBOL_TABLE;
        names->fresh[i] = NULL;
        if (!prefix || symbol->token == PTX_NOTHING) continue;
        if (symbol->function != PTX_NOTHING && names->keeps_labels[symbol->function] && label) continue;
        if (symbol->function != PTX_NOTHING && symbol->function != function) {
            memset(next, 0, sizeof next);
            function = symbol->function;
        }
        unsigned long *number =
            symbol->function == PTX_NOTHING ? &global : &next[label ? PTX_SYMBOL_LABEL : symbol->kind];
        do {
            free(names->fresh[i]);
            names->fresh[i] = numbered(prefix, (*number)++);
        } while (is_global(names, names->fresh[i]));
    }
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->document->nsymbols; i++) free(names->fresh[i]);
    for (size_t i = 0; i < names->global.n; i++) free(names->global.at[i]);
    free(names->fresh);
    free(names->global.at);
    free(names->keeps_labels);
}

/* A member of a range keeps what follows the range's name: its number. */
static void put_name(const struct names *names, uint32_t token, uint32_t symbol, struct text *out)
{
    const struct document *document = names->document;
    const ptx_token *t = &document->tokens[token];
    const ptx_symbol *s = &document->symbols[symbol];
    const size_t base = document->tokens[s->token].length;
    text_put(out, names->fresh[symbol]);
    if (s->is_range && t->length > base) text_add(out, document->text + t->offset + base, t->length - base);
}

/* Of ".target sm_90, debug", which asks for debug data: the comma and the word. */
static bool is_debug(const struct document *document, const ptx_part *part, uint32_t token)
{
    if (part->kind != PTX_PART_HEADER || token > part->last) return false;
    return document_is(document, token, "debug") ||
           (document_is(document, token, ",") && document_is(document, token + 1, "debug"));
}

/* The tokens that stay, with a blank where there was something between them: mul.wide is a name, mul .wide is
 * none. */
static void put_tokens(const struct names *names, struct text *out)
{
    const struct document *document = names->document;
    const ptx_part *begun = NULL;
    size_t part = 0, use = 0, end = 0;
    for (uint32_t i = 0; i < document->ntokens; i++) {
        const ptx_token *token = &document->tokens[i];
        while (part < document->nparts && document->parts[part].first < i) part++;
        const bool begins = part < document->nparts && document->parts[part].first == i;
        if (begins) begun = &document->parts[part];
        if (begins && begun->kind == PTX_PART_DEBUG) {
            i = begun->last;
            continue;
        }
        if (document_is_comment(document, i)) continue;
        if (begun && is_debug(document, begun, i)) continue;
        while (use < document->nuses && document->uses[use].token < i) use++;
        if (token->offset != end) text_put(out, " ");
        end = token->offset + token->length;
        if (use < document->nuses && document->uses[use].token == i &&
            names->fresh[document->uses[use].symbol])
            put_name(names, i, document->uses[use].symbol, out);
        else
            text_add(out, document->text + token->offset, token->length);
    }
}

bool strip_document(const struct document *document, struct text *out, const struct options *options)
{
    struct names names = {.document = document};
    struct text bare = {0};
    struct document stripped;
    find_global(&names);
    find_label_ranges(&names);
    choose(&names);
    put_tokens(&names, &bare);
    names_free(&names);
    bool fine = document_open(&stripped, document->name, bare.at ? bare.at : "", bare.n, options);
    text_free(&bare);
    if (!fine) return false;
    fine = !document_refused(&stripped, options) && format_checked(&stripped, out, options);
    if (fine && diff_documents(document, &stripped, NULL) != DIFF_SAME) {
        message_plain(PTX_FATAL, "%s: cannot be stripped without changing it", document->name);
        fine = false;
    }
    document_close(&stripped);
    return fine;
}
