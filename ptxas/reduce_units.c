/* reduce_units.c - what --reduce may take away, pass by pass: from whole functions down to operands.
 *
 * Every unit makes the text shorter, so that passes repeated as long as one succeeds come to an end. A text
 * that cannot be read to its end has no parts; its lines are tried instead. */
#include <stdlib.h>
#include <string.h>
#include "reduce.h"

static struct unit *add(struct units *units, uint32_t offset, uint32_t length)
{
    if (units->n == units->room)
        units->at = must_grow(units->at, (units->room = 2 * units->n + 64) * sizeof *units->at);
    units->at[units->n] = (struct unit){.edits = {{.offset = offset, .length = length}}};
    return &units->at[units->n++];
}

static struct unit *add_tokens(struct units *units, const struct document *document, uint32_t first,
                               uint32_t last)
{
    const ptx_token *tokens = document->tokens;
    return add(units, tokens[first].offset, tokens[last].offset + tokens[last].length - tokens[first].offset);
}

/* ---- lines and comments ---- */

static void add_lines(const struct document *document, struct units *units)
{
    for (uint32_t at = 0; at < document->size;) {
        const char *newline = memchr(document->text + at, '\n', document->size - at);
        const uint32_t end = newline ? (uint32_t)(newline - document->text) + 1 : (uint32_t)document->size;
        add(units, at, end - at);
        at = end;
    }
}

static void add_comments(const struct document *document, struct units *units)
{
    for (uint32_t i = 0; i < document->ntokens; i++)
        if (document_is_comment(document, i)) add_tokens(units, document, i, i);
}

/* ---- parts ---- */

static void add_items(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->parent == PTX_NOTHING && part->kind != PTX_PART_HEADER)
            add_tokens(units, document, part->first, part->last);
    }
}

static void add_bodies(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind != PTX_PART_FUNCTION || part->close <= part->open + 1 || part->open == PTX_NOTHING)
            continue;
        add_tokens(units, document, part->open + 1, part->close - 1);
    }
}

static void add_statements(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++)
        if (document->parts[i].parent != PTX_NOTHING)
            add_tokens(units, document, document->parts[i].first, document->parts[i].last);
}

/* Braces alone: what is inside stays. */
static void add_braces(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind != PTX_PART_BLOCK) continue;
        struct unit *unit = add_tokens(units, document, part->open, part->open);
        unit->edits[1] = (struct edit){.offset = document->tokens[part->close].offset, .length = 1};
    }
}

/* ---- inside functions' heads and declarations ---- */

/* The parameters between two brackets, each with a comma. */
static void add_parameters(const struct document *document, uint32_t open, uint32_t close,
                           struct units *units)
{
    uint32_t first = open + 1;
    for (uint32_t i = first; i <= close; i++) {
        const bool comma = document_is(document, i, ",");
        if (!comma && i < close) continue;
        if (comma)
            add_tokens(units, document, first, i);
        else if (first > open + 1)
            add_tokens(units, document, first - 1, i - 1);
        else if (i > first)
            add_tokens(units, document, first, i - 1);
        first = i + 1;
    }
}

static void add_head(const struct document *document, const ptx_part *part, struct units *units)
{
    const uint32_t end = part->open == PTX_NOTHING ? part->last : part->open;
    uint32_t i = part->name + 1;
    if (document_is(document, i, "(")) {
        uint32_t close = i;
        while (close < end && !document_is(document, close, ")")) close++;
        add_parameters(document, i, close, units);
        i = close + 1;
    }
    while (i < end) { /* directives: a word and what follows it */
        uint32_t next = i + 1;
        while (next < end && document->tokens[next].kind != PTX_TOKEN_WORD) next++;
        if (document->tokens[i].kind == PTX_TOKEN_WORD) add_tokens(units, document, i, next - 1);
        i = next;
    }
}

/* The initial value of a variable. */
static void add_initial(const struct document *document, const ptx_part *part, struct units *units)
{
    for (uint32_t i = part->first; i < part->last; i++)
        if (document_is(document, i, "=")) {
            add_tokens(units, document, i, part->last - 1);
            return;
        }
}

static void add_heads(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind == PTX_PART_FUNCTION) add_head(document, part, units);
        if (part->kind == PTX_PART_VARIABLE) add_initial(document, part, units);
    }
}

/* ---- ranges ---- */

static unsigned long number_at(const struct document *document, size_t offset, size_t length)
{
    unsigned long number = 0;
    for (size_t i = 0; i < length && i < 9; i++) {
        const char c = document->text[offset + i];
        if (c < '0' || c > '9') return 0;
        number = number * 10 + (unsigned long)(c - '0');
    }
    return number;
}

/* A range that is larger than its largest member in use: %r<100> becomes %r<3>. */
static void add_ranges(const struct document *document, struct units *units)
{
    unsigned long *needed = must_grow(NULL, document->nsymbols * sizeof *needed);
    for (size_t i = 0; i < document->nsymbols; i++) needed[i] = 1;
    for (size_t i = 0; i < document->nuses; i++) {
        const ptx_use *use = &document->uses[i];
        const ptx_symbol *symbol = &document->symbols[use->symbol];
        if (!symbol->is_range || symbol->token == PTX_NOTHING || symbol->token == use->token) continue;
        const ptx_token *t = &document->tokens[use->token];
        const size_t base = document->tokens[symbol->token].length;
        if (t->length <= base) continue;
        const unsigned long number = number_at(document, t->offset + base, t->length - base) + 1;
        if (number > needed[use->symbol]) needed[use->symbol] = number;
    }
    for (size_t i = 0; i < document->nuses; i++) {
        const ptx_use *use = &document->uses[i];
        const ptx_symbol *symbol = &document->symbols[use->symbol];
        if (!symbol->is_range || symbol->token != use->token || !document_is(document, use->token + 1, "<"))
            continue;
        const ptx_token *size = &document->tokens[use->token + 2];
        if (number_at(document, size->offset, size->length) <= needed[use->symbol]) continue;
        add(units, size->offset, size->length)->edits[0].number = needed[use->symbol];
    }
    free(needed);
}

/* ---- instructions ---- */

static void add_guards(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind == PTX_PART_INSTRUCTION && part->name > part->first)
            add_tokens(units, document, part->first, part->name - 1);
    }
}

static void add_modifiers(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind != PTX_PART_INSTRUCTION) continue;
        for (uint32_t t = part->name + 1; t < part->last; t++)
            if (document->tokens[t].kind == PTX_TOKEN_WORD) add_tokens(units, document, t, t);
    }
}

/* Where the operands of an instruction begin: behind the opcode and its modifiers. */
static uint32_t first_operand(const struct document *document, const ptx_part *part)
{
    uint32_t t = part->name + 1;
    while (t < part->last && document->tokens[t].kind == PTX_TOKEN_WORD) t++;
    return t;
}

/* "+ 4" of an address goes; registers and numbers become 0. */
static void add_operands(const struct document *document, struct units *units)
{
    for (size_t i = 0; i < document->nparts; i++) {
        const ptx_part *part = &document->parts[i];
        if (part->kind != PTX_PART_INSTRUCTION) continue;
        for (uint32_t t = first_operand(document, part); t < part->last; t++) {
            const ptx_token *token = &document->tokens[t];
            if (document_is(document, t, "+") && t + 1 < part->last) {
                add_tokens(units, document, t, t + 1);
                t++;
            } else if (token->length > 1 &&
                       (token->kind == PTX_TOKEN_NUMBER || token->kind == PTX_TOKEN_NAME)) {
                const bool selected = document->tokens[t + 1].kind == PTX_TOKEN_WORD;
                add_tokens(units, document, t, t + selected)->edits[0].text = "0";
                t += selected;
            }
        }
    }
}

static const struct pass {
    const char *what;
    void (*add)(const struct document *, struct units *);
} passes[] = {{"comments", add_comments}, {"functions and variables", add_items},
              {"bodies", add_bodies},     {"statements", add_statements},
              {"braces", add_braces},     {"heads", add_heads},
              {"guards", add_guards},     {"modifiers", add_modifiers},
              {"operands", add_operands}, {"sizes of ranges", add_ranges}};

bool reduce_units(unsigned pass, const struct document *document, struct units *units, const char **what)
{
    units->n = 0;
    if (!ptx_syntax_complete(document->syntax)) {
        *what = "lines";
        if (pass == 0) add_lines(document, units);
        return pass == 0;
    }
    if (pass >= sizeof passes / sizeof *passes) return false;
    *what = passes[pass].what;
    passes[pass].add(document, units);
    return true;
}
