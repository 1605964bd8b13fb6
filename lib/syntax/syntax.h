/*
 * syntax.h - the tables behind a ptx_syntax (ptx_syntax.h), and the files that fill them.
 *
 * tokens.c reads the text once more with the parser's own lexer and keeps what the parser has no use for:
 * comments and line markers. parts.c walks the tree and says which tokens belong to which statement, and
 * names.c which symbol the checker found behind each name. Nothing is decided here again.
 */
#ifndef PX_SYNTAX_SYNTAX_H
#define PX_SYNTAX_SYNTAX_H

#include "front/module.h"
#include "ptx_syntax.h"

struct ptx_syntax {
    struct px_arena arena;     /* of the tables; the text is the module's */
    struct ptx_module *module; /* a reference */
    PX_VEC(ptx_token) tokens;
    PX_VEC(ptx_part) parts;
    PX_VEC(ptx_symbol) symbols;
    PX_VEC(ptx_use) uses;
    struct px_symbol_slot { /* hash table while the tables are filled: what the tree knows a symbol by */
        const void *key;
        uint32_t symbol;
    } * slots;
    uint32_t nslots; /* a power of two; at most half are taken */
};

/* All of it; unwinds through syntax->arena when memory runs out. */
void px_syntax_build(struct ptx_syntax *syntax);

void px_syntax_tokens(struct ptx_syntax *syntax);
void px_syntax_parts(struct ptx_syntax *syntax);

/* Tokens that are no comments: the first at or behind a place of the text, and the one before a token.
 * PTX_NOTHING when there is none. */
uint32_t px_syntax_at(const struct ptx_syntax *syntax, px_pos pos);
uint32_t px_syntax_before(const struct ptx_syntax *syntax, uint32_t token);
uint32_t px_syntax_after(const struct ptx_syntax *syntax, uint32_t token);
bool px_syntax_is(const struct ptx_syntax *syntax, uint32_t token, const char *text);

/* names.c: what a part declares and names; `function` is the part that locals belong to. */
void px_names_var(struct ptx_syntax *syntax, const struct px_var *var, ptx_symbol_kind kind, uint32_t part,
                  uint32_t function);
void px_names_func(struct ptx_syntax *syntax, const struct px_func *func, uint32_t part);
void px_names_label(struct ptx_syntax *syntax, const struct px_stmt *stmt, uint32_t part, uint32_t function);
void px_names_proto(struct ptx_syntax *syntax, const struct px_proto *proto, uint32_t part,
                    uint32_t function);
void px_names_inst(struct ptx_syntax *syntax, const struct px_inst *inst);
void px_names_targets(struct ptx_syntax *syntax, const struct px_stmt *stmt);
void px_names_alias(struct ptx_syntax *syntax, const struct px_alias *alias);
void px_names_sort(struct ptx_syntax *syntax);

#endif
