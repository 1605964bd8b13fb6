/*
 * parts.c - which tokens belong to which statement.
 *
 * The tree knows where each statement begins, and of most where it ends; a part reaches to the token before
 * the next one, or before the brace that closes its parent. Only declarations need a look back, for .align
 * and .attribute may stand before the space where the tree has their start. A statement with a syntax error
 * belongs to the part in front of it; where such an error ended the text there are no parts at all.
 */
#include <string.h>
#include "syntax/syntax.h"

/* Where parts are being added: siblings inside `parent`. */
struct place {
    struct ptx_syntax *syntax;
    uint32_t parent, function;
    uint32_t last; /* the sibling added last; PTX_NOTHING: none yet */
};

static ptx_part *part_at(const struct place *place, uint32_t i)
{
    return &place->syntax->parts.at[i];
}

/* The sibling before ends in front of the token. */
static void end_last(const struct place *place, uint32_t token)
{
    if (place->last != PTX_NOTHING)
        part_at(place, place->last)->last = px_syntax_before(place->syntax, token);
}

static uint32_t add(struct place *place, ptx_part_kind kind, uint32_t first)
{
    struct ptx_syntax *syntax = place->syntax;
    const ptx_part part = {.kind = kind,
                           .parent = place->parent,
                           .first = first,
                           .last = first,
                           .open = PTX_NOTHING,
                           .close = PTX_NOTHING,
                           .name = PTX_NOTHING};
    end_last(place, first);
    px_vec_push(&syntax->arena, &syntax->parts, part);
    return place->last = syntax->parts.n - 1;
}

static uint32_t add_at(struct place *place, ptx_part_kind kind, px_pos pos)
{
    return add(place, kind, px_syntax_at(place->syntax, pos));
}

/* ---- declarations ---- */

/* The first token of ".align N" or ".attribute(...)" that ends before `token`, else `token`. */
static uint32_t prefix_before(const struct ptx_syntax *syntax, uint32_t token)
{
    uint32_t at = px_syntax_before(syntax, token);
    if (at == PTX_NOTHING) return token;
    if (px_syntax_is(syntax, at, ")")) {
        for (unsigned depth = 0; at != PTX_NOTHING; at = px_syntax_before(syntax, at)) {
            depth += px_syntax_is(syntax, at, ")");
            depth -= px_syntax_is(syntax, at, "(");
            if (!depth) break;
        }
        at = at == PTX_NOTHING ? at : px_syntax_before(syntax, at);
        return px_syntax_is(syntax, at, ".attribute") ? at : token;
    }
    if (syntax->tokens.at[at].kind != PTX_TOKEN_NUMBER) return token;
    at = px_syntax_before(syntax, at);
    return px_syntax_is(syntax, at, ".align") ? at : token;
}

/* Several declarators of one declaration are one part. */
static void add_var(struct place *place, const struct px_var *var)
{
    struct ptx_syntax *syntax = place->syntax;
    uint32_t first = px_syntax_at(syntax, var->start), before;
    while ((before = prefix_before(syntax, first)) != first) first = before;
    if (place->last == PTX_NOTHING || part_at(place, place->last)->first != first)
        add(place, PTX_PART_VARIABLE, first);
    if (!var->name) return;
    ptx_part *part = part_at(place, place->last);
    if (part->name == PTX_NOTHING) part->name = px_syntax_at(syntax, var->pos);
    px_names_var(syntax, var, var->space == PX_SPACE_REG ? PTX_SYMBOL_REGISTER : PTX_SYMBOL_VARIABLE,
                 place->last, place->function);
}

/* ---- debug data ---- */

static void add_section(struct place *place, const struct px_item *item)
{
    struct ptx_syntax *syntax = place->syntax;
    const struct px_section *section = item->u.section;
    const uint32_t i = add_at(place, PTX_PART_DEBUG, item->pos);
    struct place inner = {syntax, i, place->function, PTX_NOTHING};
    uint32_t open = part_at(place, i)->first;
    while (!px_syntax_is(syntax, open, "{")) open = px_syntax_after(syntax, open);
    uint32_t close = open;
    for (uint32_t k = 0; k < section->n; k++) add_at(&inner, PTX_PART_DEBUG_LINE, section->lines[k].pos);
    while (!px_syntax_is(syntax, close, "}")) close = px_syntax_after(syntax, close);
    end_last(&inner, close);
    part_at(place, i)->open = open;
    part_at(place, i)->close = close;
}

/* .code_block { .ir_name: "..." .sourceFileName: 1 .source_begin ... .source_end } */
static void add_code_block(struct place *place, const struct px_code_block *block)
{
    struct ptx_syntax *syntax = place->syntax;
    const uint32_t i = add_at(place, PTX_PART_DEBUG_LINE, block->pos);
    struct place inner = {syntax, i, place->function, PTX_NOTHING};
    uint32_t at = px_syntax_after(syntax, part_at(place, i)->first);
    part_at(place, i)->open = at;
    for (at = px_syntax_after(syntax, at); !px_syntax_is(syntax, at, "}"); at = px_syntax_after(syntax, at))
        if (syntax->tokens.at[at].kind == PTX_TOKEN_WORD || syntax->tokens.at[at].kind == PTX_TOKEN_FOREIGN)
            add(&inner, PTX_PART_DEBUG_LINE, at);
    end_last(&inner, at);
    part_at(place, i)->close = at;
}

static void add_source(struct place *place, const struct px_item *item)
{
    struct ptx_syntax *syntax = place->syntax;
    const uint32_t i = add_at(place, PTX_PART_DEBUG, item->pos);
    struct place inner = {syntax, i, place->function, PTX_NOTHING};
    part_at(place, i)->open = px_syntax_after(syntax, part_at(place, i)->first);
    for (uint32_t k = 0; k < item->u.source->n; k++) add_code_block(&inner, &item->u.source->blocks[k]);
    const uint32_t close = px_syntax_after(syntax, part_at(place, inner.last)->close);
    end_last(&inner, close);
    part_at(place, i)->close = close;
}

/* ---- statements ---- */

static void add_block(const struct place *place, uint32_t part, const struct px_block *block);
static void add_func(struct place *place, const struct px_func *func);

/* The tree takes the guard's name for the place of an instruction, and forgets a backslash. */
static void add_inst(struct place *place, const struct px_stmt *stmt)
{
    struct ptx_syntax *syntax = place->syntax;
    uint32_t first = px_syntax_at(syntax, stmt->pos);
    if (stmt->u.inst.guard)
        while (!px_syntax_is(syntax, first, "@")) first = px_syntax_before(syntax, first);
    else if (px_syntax_is(syntax, px_syntax_before(syntax, first), "\\"))
        first = px_syntax_before(syntax, first);
    const uint32_t i = add(place, PTX_PART_INSTRUCTION, first);
    part_at(place, i)->name = px_syntax_at(syntax, stmt->u.inst.pos);
    part_at(place, i)->form = stmt->u.inst.form;
    px_names_inst(syntax, &stmt->u.inst);
}

static void add_label(struct place *place, const struct px_stmt *stmt, ptx_part_kind kind)
{
    const uint32_t i = add_at(place, kind, stmt->pos);
    part_at(place, i)->name = part_at(place, i)->first;
    if (stmt->kind == PX_S_PROTO)
        px_names_proto(place->syntax, stmt->u.proto, i, place->function);
    else
        px_names_label(place->syntax, stmt, i, place->function);
    if (kind == PTX_PART_TABLE && stmt->kind != PX_S_PROTO) px_names_targets(place->syntax, stmt);
}

static void add_stmt(struct place *place, const struct px_stmt *stmt)
{
    switch (stmt->kind) {
    case PX_S_INST: add_inst(place, stmt); break;
    case PX_S_LABEL: add_label(place, stmt, PTX_PART_LABEL); break;
    case PX_S_VAR:
    case PX_S_NOTHING: add_var(place, stmt->u.var); break;
    case PX_S_BLOCK: add_block(place, add_at(place, PTX_PART_BLOCK, stmt->pos), &stmt->u.block); break;
    case PX_S_LOC: add_at(place, PTX_PART_DEBUG, stmt->pos); break;
    case PX_S_PRAGMA: add_at(place, PTX_PART_PRAGMA, stmt->pos); break;
    case PX_S_TARGETS:
    case PX_S_CALLTARGETS:
    case PX_S_PROTO: add_label(place, stmt, PTX_PART_TABLE); break;
    case PX_S_FUNC: add_func(place, stmt->u.func); break;
    case PX_S_TARGET: add_at(place, PTX_PART_HEADER, stmt->pos); break;
    default: break;
    }
}

/* A brace that is missing is taken to be the last token of the block. */
static void add_block(const struct place *place, uint32_t part, const struct px_block *block)
{
    const struct ptx_syntax *syntax = place->syntax;
    struct place inner = {place->syntax, part, place->function, PTX_NOTHING};
    for (uint32_t i = 0; i < block->n; i++) add_stmt(&inner, block->list[i]);
    const uint32_t found = px_syntax_at(syntax, block->end);
    const uint32_t end = found == PTX_NOTHING ? syntax->tokens.n : found;
    const bool is_brace = px_syntax_is(syntax, found, "}");
    end_last(&inner, end);
    part_at(place, part)->open = px_syntax_at(syntax, block->pos);
    part_at(place, part)->close = is_brace ? end : px_syntax_before(syntax, end);
}

static void add_func(struct place *place, const struct px_func *func)
{
    const uint32_t i = add_at(place, PTX_PART_FUNCTION, func->start);
    struct place inner = {place->syntax, place->parent, i, PTX_NOTHING};
    part_at(place, i)->name = px_syntax_at(place->syntax, func->pos);
    if (func->body) part_at(place, i)->open = px_syntax_at(place->syntax, func->body->pos);
    px_names_func(place->syntax, func, i);
    if (func->body) add_block(&inner, i, func->body);
}

/* ---- module scope ---- */

static void add_header(struct place *place, uint32_t end)
{
    const struct ptx_syntax *syntax = place->syntax;
    for (uint32_t at = px_syntax_at(syntax, 0); at != PTX_NOTHING && at < end;
         at = px_syntax_after(syntax, at))
        if (syntax->tokens.at[at].kind == PTX_TOKEN_WORD) add(place, PTX_PART_HEADER, at);
}

static void add_item(struct place *place, const struct px_item *item)
{
    switch (item->kind) {
    case PX_I_VAR:
    case PX_I_NOTHING: add_var(place, item->u.var); break;
    case PX_I_FUNC: add_func(place, item->u.func); break;
    case PX_I_SECTION: add_section(place, item); break;
    case PX_I_SOURCE: add_source(place, item); break;
    case PX_I_FILE:
    case PX_I_DWARF: add_at(place, PTX_PART_DEBUG, item->pos); break;
    case PX_I_PRAGMA: add_at(place, PTX_PART_PRAGMA, item->pos); break;
    case PX_I_ALIAS:
        add_at(place, PTX_PART_ALIAS, item->pos);
        part_at(place, place->last)->name = px_syntax_at(place->syntax, item->u.alias->pos);
        px_names_alias(place->syntax, item->u.alias);
        break;
    default: break;
    }
}

/* The header lines end where the first word stands that is none of theirs. */
static uint32_t header_end(const struct ptx_syntax *syntax)
{
    uint32_t at = px_syntax_at(syntax, 0);
    for (; at != PTX_NOTHING; at = px_syntax_after(syntax, at)) {
        const ptx_token *token = &syntax->tokens.at[at];
        const char *text = syntax->module->source.text + token->offset;
        if (token->kind == PTX_TOKEN_FOREIGN) return at;
        if (token->kind == PTX_TOKEN_WORD && strncmp(text, ".version", 8) != 0 &&
            !px_syntax_is(syntax, at, ".target") && !px_syntax_is(syntax, at, ".address_size"))
            return at;
    }
    return PTX_NOTHING;
}

void px_syntax_parts(struct ptx_syntax *syntax)
{
    const struct px_tree *tree = &syntax->module->tree;
    struct place place = {syntax, PTX_NOTHING, PTX_NOTHING, PTX_NOTHING};
    if (!tree->ended) return;
    add_header(&place, header_end(syntax));
    for (uint32_t i = 0; i < tree->nitems; i++) add_item(&place, &tree->items[i]);
    end_last(&place, syntax->tokens.n);
    px_names_sort(syntax);
}

void px_syntax_build(struct ptx_syntax *syntax)
{
    px_syntax_tokens(syntax);
    px_syntax_parts(syntax);
}
