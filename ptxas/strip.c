/* strip.c - --strip: what does not run goes.
 *
 * Comments, line markers and debug data are left out, and names that only a function knows are replaced: %ra,
 * %rb, ... for registers (members of a range keep their numbers: %ra0), $La for labels, va for variables, pa
 * for parameters. Letters follow one another without digits, so no new name is a member of a new range. Names
 * by which others link, launch and pass arguments stay (all at module scope, and the parameters of kernels),
 * and no new name is one of them. */
#include "strip.h"

#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "format.h"
#include "messages.h"

struct names {
    const struct document *document;
    char **fresh;        /* by symbol, owned; NULL: it keeps its name */
    struct strings kept; /* names that stay, sorted; owned */
    bool *keeps_labels;  /* by part, owned: a function with a range of labels */
};

/* ---- what stays ---- */

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

static bool is_label(const ptx_symbol *symbol)
{
    return symbol->kind == PTX_SYMBOL_LABEL || symbol->kind == PTX_SYMBOL_TABLE;
}

/* NULL: it is known outside its function. */
static const char *prefix_of(const struct names *names, const ptx_symbol *symbol)
{
    const uint32_t function = symbol->function;
    if (symbol->token == PTX_NOTHING) return NULL;
    if (symbol->kind == PTX_SYMBOL_REGISTER) return function == PTX_NOTHING ? "%g" : "%r";
    if (function == PTX_NOTHING) return NULL;
    if (is_label(symbol)) return names->keeps_labels[function] ? NULL : "$L";
    if (symbol->kind == PTX_SYMBOL_PARAMETER)
        return document_is_kernel(names->document, &names->document->parts[function]) ? NULL : "p";
    return symbol->kind == PTX_SYMBOL_VARIABLE ? "v" : NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_kept(struct names *names)
{
    const struct document *document = names->document;
    names->kept.at = must_grow(NULL, document->nsymbols * sizeof *names->kept.at);
    for (size_t i = 0; i < document->nsymbols; i++) {
        const ptx_symbol *symbol = &document->symbols[i];
        if (symbol->token == PTX_NOTHING || prefix_of(names, symbol)) continue;
        const ptx_token *t = &document->tokens[symbol->token];
        names->kept.at[names->kept.n++] = must_copy(document->text + t->offset, t->length);
    }
    qsort(names->kept.at, names->kept.n, sizeof *names->kept.at, by_text);
}

static bool is_kept(const struct names *names, const char *name)
{
    return names->kept.n && bsearch(&name, names->kept.at, names->kept.n, sizeof *names->kept.at, by_text);
}

/* ---- new names ---- */

/* a, b, ..., z, aa, ab, ... */
static char *numbered(const char *prefix, unsigned long number)
{
    char letters[16];
    size_t n = 0;
    struct text text = {0};
    for (number++; number; number /= 26) letters[n++] = (char)('a' + --number % 26);
    text_put(&text, prefix);
    while (n) text_add(&text, &letters[--n], 1);
    text_add(&text, "", 1);
    return text.at;
}

/* Numbers start again in every function; symbols come in the order of their first use, so a function's lie
 * together. */
static void choose(struct names *names)
{
    const struct document *document = names->document;
    unsigned long next[PTX_SYMBOL_TABLE + 1] = {0}, module = 0;
    uint32_t function = PTX_NOTHING;
    names->fresh = must_grow(NULL, document->nsymbols * sizeof *names->fresh);
    for (size_t i = 0; i < document->nsymbols; i++) {
        const ptx_symbol *symbol = &document->symbols[i];
        const char *prefix = prefix_of(names, symbol);
        names->fresh[i] = NULL;
        if (!prefix) continue;
        if (symbol->function != PTX_NOTHING && symbol->function != function) {
            memset(next, 0, sizeof next);
            function = symbol->function;
        }
        unsigned long *number = symbol->function == PTX_NOTHING ? &module
                                : is_label(symbol)              ? &next[PTX_SYMBOL_LABEL]
                                                                : &next[symbol->kind];
        do {
            free(names->fresh[i]);
            names->fresh[i] = numbered(prefix, (*number)++);
        } while (is_kept(names, names->fresh[i]));
    }
}

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->document->nsymbols; i++) free(names->fresh[i]);
    for (size_t i = 0; i < names->kept.n; i++) free(names->kept.at[i]);
    free(names->fresh);
    free(names->kept.at);
    free(names->keeps_labels);
}

/* ---- the text ---- */

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
    find_label_ranges(&names);
    find_kept(&names);
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
