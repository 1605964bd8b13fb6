/* outline.c - a module as what --diff compares.
 *
 * The module is printed in canonical form and read again, so that the order of modifiers, the spelling of
 * constants and lists of declarators make no difference. Of that form each statement is a line; debug data
 * and declarations of registers are none (a register's type is part of the key wherever it is named). The
 * places shown are those of the original: its statements come in the same order. */
#include "outline.h"

#include <stdlib.h>
#include <string.h>

/* Statements of the original, and how far they were used up. */
struct origin {
    const struct document *document;
    size_t part;
    unsigned line; /* of byte `at` */
    uint32_t at;
};

static bool is_statement(const ptx_part *part)
{
    switch (part->kind) {
    case PTX_PART_FUNCTION:
    case PTX_PART_INSTRUCTION:
    case PTX_PART_LABEL:
    case PTX_PART_BLOCK:
    case PTX_PART_TABLE:
    case PTX_PART_PRAGMA:
    case PTX_PART_ALIAS: return true;
    default: return false;
    }
}

/* Where the next statement of a kind stands in the original; 0 when the two do not go together. */
static unsigned next_line(struct origin *origin, ptx_part_kind kind)
{
    const struct document *document = origin->document;
    while (origin->part < document->nparts && !is_statement(&document->parts[origin->part])) origin->part++;
    if (origin->part == document->nparts || document->parts[origin->part].kind != kind) return 0;
    const uint32_t to = document->tokens[document->parts[origin->part++].first].offset;
    for (; origin->at < to; origin->at++) origin->line += document->text[origin->at] == '\n';
    return origin->line;
}

/* ---- local names ---- */

/* Numbers for the spellings of each local symbol: hash table by symbol and spelling. */
struct spelling {
    uint32_t symbol, token, number;
};

struct spellings {
    const struct document *document;
    struct spelling *at; /* owned; number 0: free */
    size_t room, n;
};

static struct spelling *find(const struct spellings *table, uint32_t symbol, uint32_t token)
{
    const struct document *document = table->document;
    const ptx_token *t = &document->tokens[token];
    uint64_t hash = symbol;
    for (uint32_t i = 0; i < t->length; i++)
        hash = hash * 0x100000001B3 ^ (unsigned char)document->text[t->offset + i];
    for (size_t i = hash;; i++) {
        struct spelling *slot = &table->at[i & (table->room - 1)];
        if (!slot->number) return slot;
        const ptx_token *other = &document->tokens[slot->token];
        if (slot->symbol == symbol && other->length == t->length &&
            !memcmp(document->text + other->offset, document->text + t->offset, t->length))
            return slot;
    }
}

static uint32_t number_of(struct spellings *table, uint32_t symbol, uint32_t token, uint32_t *last)
{
    if (2 * table->n >= table->room) {
        const struct spellings old = *table;
        table->room = old.room ? 2 * old.room : 256;
        table->at = must_grow(NULL, table->room * sizeof *table->at);
        memset(table->at, 0, table->room * sizeof *table->at);
        for (size_t i = 0; i < old.room; i++)
            if (old.at[i].number) *find(table, old.at[i].symbol, old.at[i].token) = old.at[i];
        free(old.at);
    }
    struct spelling *slot = find(table, symbol, token);
    if (!slot->number) {
        *slot = (struct spelling){symbol, token, ++*last};
        table->n++;
    }
    return slot->number;
}

/* ---- lines ---- */

struct maker {
    struct outline *outline;
    struct spellings spellings;
    struct origin origin;
    size_t use; /* next of the canonical document's */
};

/* Parameters of kernels are what arguments are called by. */
static bool is_local(const struct document *document, const ptx_symbol *symbol)
{
    if (symbol->kind == PTX_SYMBOL_REGISTER) return true;
    if (symbol->function == PTX_NOTHING) return false;
    return symbol->kind != PTX_SYMBOL_PARAMETER ||
           !document_is_kernel(document, &document->parts[symbol->function]);
}

/* The use at a token, if it names something local; NULL otherwise. Tokens are asked for in their order. */
static const ptx_use *local_use(struct maker *maker, uint32_t token)
{
    const struct document *document = &maker->outline->canonical;
    while (maker->use < document->nuses && document->uses[maker->use].token < token) maker->use++;
    if (maker->use == document->nuses || document->uses[maker->use].token != token) return NULL;
    const ptx_use *use = &document->uses[maker->use];
    return is_local(document, &document->symbols[use->symbol]) ? use : NULL;
}

static void add_name(struct outline *outline, uint32_t number)
{
    if (outline->nnames == outline->name_room)
        outline->names = must_grow(outline->names,
                                   (outline->name_room = 2 * outline->nnames + 64) * sizeof *outline->names);
    outline->names[outline->nnames++] = number;
}

/* The key of a token: itself, or of a local name what it is. */
static void put_key(struct maker *maker, uint32_t token, struct text *key)
{
    static const char *const kinds[] = {"%", "var", "param", "", "", "label", "table"};
    struct outline *outline = maker->outline;
    const struct document *document = &outline->canonical;
    const ptx_use *use = local_use(maker, token);
    if (!use) {
        text_add(key, document->text + document->tokens[token].offset, document->tokens[token].length);
    } else {
        const ptx_symbol *symbol = &document->symbols[use->symbol];
        text_print(key, "<%s.%s>", kinds[symbol->kind], symbol->type);
        add_name(outline, number_of(&maker->spellings, use->symbol, token, &outline->last_name));
    }
    text_put(key, " ");
}

/* Tokens as they stand in the canonical text; newlines become blanks. */
static void put_shown(struct outline *outline, uint32_t first, uint32_t last)
{
    const struct document *document = &outline->canonical;
    const char *at = document->text + document->tokens[first].offset;
    const char *end = document->text + document->tokens[last].offset + document->tokens[last].length;
    for (bool blank = false; at < end; at++) {
        const bool is_blank = *at == ' ' || *at == '\n';
        if (!is_blank || !blank) text_add(&outline->texts, is_blank ? " " : at, 1);
        blank = is_blank;
    }
}

/* Of ".target sm_90, debug": the comma and the word, which ask for debug data. */
static bool is_debug(const struct document *document, uint32_t first, uint32_t token)
{
    return document_is(document, first, ".target") &&
           (document_is(document, token, "debug") || document_is(document, token + 1, "debug"));
}

static void add_line(struct maker *maker, uint32_t first, uint32_t last, unsigned depth, unsigned number)
{
    struct outline *outline = maker->outline;
    struct text key = {0};
    if (outline->nlines == outline->line_room)
        outline->lines = must_grow(outline->lines,
                                   (outline->line_room = 2 * outline->nlines + 64) * sizeof *outline->lines);
    struct outline_line *line = &outline->lines[outline->nlines++];
    *line = (struct outline_line){.number = number, .depth = depth};
    line->first = (uint32_t)outline->nnames;
    line->text = outline->texts.n;
    put_shown(outline, first, last);
    line->text_length = outline->texts.n - line->text;
    for (uint32_t i = first; i <= last; i++)
        if (!is_debug(&outline->canonical, first, i)) put_key(maker, i, &key);
    line->key = outline->texts.n;
    line->key_length = key.n;
    line->names = (uint32_t)outline->nnames - line->first;
    text_add(&outline->texts, key.at, key.n);
    text_free(&key);
    outline->entities[outline->nentities - 1].lines++;
}

/* ---- entities ---- */

static void add_entity(struct outline *outline, char kind, uint32_t name)
{
    const struct document *document = &outline->canonical;
    if (outline->nentities == outline->entity_room)
        outline->entities =
            must_grow(outline->entities,
                      (outline->entity_room = 2 * outline->nentities + 64) * sizeof *outline->entities);
    struct outline_entity *entity = &outline->entities[outline->nentities++];
    *entity = (struct outline_entity){.kind = kind, .first = outline->nlines, .name = ""};
    if (name == PTX_NOTHING) return;
    entity->name = document->text + document->tokens[name].offset;
    entity->length = document->tokens[name].length;
}

static bool declares_registers(const struct document *document, const ptx_part *part)
{
    for (uint32_t i = part->first; i <= part->last; i++)
        if (document_is(document, i, ".reg")) return true;
    return false;
}

/* Statements inside part `i`; returns the first part behind them. */
static size_t add_body(struct maker *maker, size_t i, unsigned depth)
{
    struct outline *outline = maker->outline;
    const struct document *document = &outline->canonical;
    const uint32_t close = document->parts[i].close;
    for (i++; i < document->nparts && document->parts[i].first < close;) {
        const ptx_part *part = &document->parts[i];
        const bool skip = part->kind == PTX_PART_DEBUG ||
                          (part->kind == PTX_PART_VARIABLE && declares_registers(document, part));
        const unsigned line = is_statement(part) ? next_line(&maker->origin, part->kind) : 0;
        if (part->kind == PTX_PART_BLOCK) {
            add_line(maker, part->open, part->open, depth, line);
            i = add_body(maker, i, depth + 1);
            add_line(maker, part->close, part->close, depth, 0);
            continue;
        }
        if (!skip)
            add_line(maker, part->first, part->last, part->kind == PTX_PART_LABEL ? depth - 1 : depth, line);
        i++;
    }
    return i;
}

static size_t add_function(struct maker *maker, size_t i)
{
    const ptx_part *part = &maker->outline->canonical.parts[i];
    const unsigned line = next_line(&maker->origin, PTX_PART_FUNCTION);
    const bool defined = part->open != PTX_NOTHING;
    add_entity(maker->outline, defined ? 'f' : 'd', part->name);
    add_line(maker, part->first, defined ? part->open - 1 : part->last, 0, line);
    return defined ? add_body(maker, i, 1) : i + 1;
}

/* One entity for all header lines and pragmas, whose order counts; then the rest. */
static void add_parts(struct maker *maker)
{
    struct outline *outline = maker->outline;
    const struct document *document = &outline->canonical;
    add_entity(outline, 'h', PTX_NOTHING);
    for (size_t i = 0; i < document->nparts;) {
        const ptx_part *part = &document->parts[i];
        if (part->kind == PTX_PART_FUNCTION) {
            i = add_function(maker, i);
            continue;
        }
        const unsigned line = is_statement(part) ? next_line(&maker->origin, part->kind) : 0;
        if (part->kind == PTX_PART_VARIABLE && !declares_registers(document, part))
            add_entity(outline, 'v', part->name);
        else if (part->kind == PTX_PART_PRAGMA || part->kind == PTX_PART_ALIAS)
            add_entity(outline, part->kind == PTX_PART_PRAGMA ? 'p' : 'a', part->name);
        if (part->kind != PTX_PART_DEBUG && part->kind != PTX_PART_DEBUG_LINE &&
            !(part->kind == PTX_PART_VARIABLE && declares_registers(document, part)))
            add_line(maker, part->first, part->last, 0, line);
        i++;
    }
}

bool outline_make(struct outline *outline, const struct document *document)
{
    struct text canonical = {0};
    struct options options = {.profile = PTX_PROFILE_ALL};
    *outline = (struct outline){.document = document};
    bool fine = ptx_module_print(document->module, text_write, &canonical) == PTX_OK;
    fine = fine && document_open(&outline->canonical, document->name, canonical.at, canonical.n, &options);
    text_free(&canonical);
    if (!fine) return false;
    struct maker maker = {.outline = outline, .origin = {.document = document, .line = 1}};
    maker.spellings.document = &outline->canonical;
    add_parts(&maker);
    free(maker.spellings.at);
    return true;
}

void outline_free(struct outline *outline)
{
    document_close(&outline->canonical);
    text_free(&outline->texts);
    free(outline->lines);
    free(outline->entities);
    free(outline->names);
}
