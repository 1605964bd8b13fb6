/*
 * run.re - the lexer of run files (docs/run-files.md): the next token of a text that ends in NUL.
 *
 * A line's end ends a statement, except inside parentheses, brackets and <<< >>>, and behind a comma. Every
 * token makes a node, which knows its place.
 */
#include <string.h>
#include "ptxvm/script.h"
#include "gen/run_parser.h"

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = p;
    re2c:define:YYMARKER = marker;
    re2c:yyfill:enable = 0;

    dig   = [0-9];
    hex   = [0-9a-fA-F];
    name  = [a-zA-Z_$] [a-zA-Z0-9_$]*;
    exp   = [eE] [+-]? dig+;
*/

/* The keyword that a name is, or T_NAME. */
static int word(const char *at, size_t size)
{
    static const struct {
        const char *text;
        int token;
    } words[] = {
#define WORD(name, token) {name, T_##token},
#include "ptxvm/script_words.def"
#undef WORD
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == size && memcmp(words[i].text, at, size) == 0) return words[i].token;
    return T_NAME;
}

int script_lex(struct node **value, struct script *s)
{
    const unsigned char *p = (const unsigned char *)s->cursor, *start, *marker;
    for (;;) {
        start = p;
#define TOKEN(token) return script_token(s, value, (token), (const char *)start, (const char *)p)
        /*!re2c
            [ \t\r]+              { continue; }
            "\n"                  { if (script_line_goes_on(s)) continue; TOKEN(T_NEWLINE); }
            "#" [^\n\x00]*        { continue; }
            "//" [^\n\x00]*       { continue; }
            name                  { TOKEN(word((const char *)start, (size_t)(p - start))); }
            "0" [xX] hex+         { TOKEN(T_NUMBER); }
            "0" [fF] hex{8}       { TOKEN(T_NUMBER); }
            "0" [dD] hex{16}      { TOKEN(T_NUMBER); }
            dig+ / ".."           { TOKEN(T_NUMBER); }
            dig+ ("." dig+)? exp? { TOKEN(T_NUMBER); }
            ["] [^"\n\x00]* ["]   { TOKEN(T_STRING); }
            ["]                   { TOKEN(T_OPEN_STRING); }
            "<<<"                 { TOKEN(T_SHAPE); }
            ">>>"                 { TOKEN(T_SHAPE_END); }
            "..."                 { TOKEN(T_REST); }
            ".."                  { TOKEN(T_TO); }
            "<="                  { TOKEN(T_LE); }
            ">="                  { TOKEN(T_GE); }
            "=="                  { TOKEN(T_EQ); }
            "!="                  { TOKEN(T_NE); }
            "&&"                  { TOKEN(T_AND); }
            "||"                  { TOKEN(T_OR); }
            [-+*/%()[\]{}<>=!,;&] { TOKEN(*start); }
            [\x00]                { p = start; TOKEN(s->last == T_NEWLINE || !s->last ? 0 : T_NEWLINE); }
            *                     { TOKEN(T_STRAY); }
        */
    }
}
