/*
 * ptx.re - the lexer: the next token of a text that ends in NUL.
 *
 * Tokens are spans of the text; nothing is copied. Identifiers and dotted
 * words are interned, and a dotted word's kind comes from the table of PTX
 * words (px_parser_word), so opcodes, modifiers and types are names, never
 * keywords of the grammar. Longest match decides as ptxas does: 089 is 0 and
 * 89, 1%0 is 1 and the identifier %0, 0f takes exactly eight digits.
 */
#include "front/parser.h"

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = p;
    re2c:define:YYMARKER = marker;
    re2c:yyfill:enable = 0;
    re2c:eof = -1;

    dig    = [0-9];
    hex    = [0-9a-fA-F];
    word   = [a-zA-Z0-9_];
    follow = [a-zA-Z0-9_$];
    ident  = [a-zA-Z] follow* | [_$%] follow+;
    exp    = [eE] [+-]? dig+;
    part   = "::" word+;
    float  = dig+ "." dig* exp? | "." dig+ exp? | dig+ exp;
    blank  = [ \t];
*/

int px_lex(struct px_sem *sem, struct px_parser *parser)
{
    const unsigned char *p = (const unsigned char *)parser->cursor, *start, *marker;
    for (;;) {
        start = p;
        /*!re2c
            [ \t\r\n\f]+          { continue; }
            "//" [^\n\x00]*       { continue; }
            "/" "*"               { p = px_lex_comment(parser, p); if (p) continue;
                                    return px_lex_open_comment(parser, sem, start); }
            "#" blank* "line"? blank* dig+ blank+ ["] [^"\n\x00]* ["] (blank+ dig+)* [ \t\r]* "\n"
                                  { px_lex_marker(parser, start, p); continue; }

            "WARP_SZ"             { return px_lex_plain(parser, sem, start, p, T_WARPSZ); }
            ident                 { return px_lex_ident(parser, sem, start, p); }
            ".sp::" dig+ ":" dig+ { return px_lex_word(parser, sem, start, p); }
            "." [a-zA-Z_] word* part* { return px_lex_word(parser, sem, start, p); }
            "." dig+ [a-zA-Z_] word* part* { return px_lex_digit_word(parser, sem, start, p); }
            ".const[" dig+ "]"    { return px_lex_bank(parser, sem, start, p); }
            ".version" [ \t\r\f]+ dig+ "." dig+ { return px_lex_version(parser, sem, start, p); }

            "0" [0-7]* "U"?       { return px_lex_int(parser, sem, start, p, 8); }
            [1-9] dig* "U"?       { return px_lex_int(parser, sem, start, p, 10); }
            "0" [xX] hex+ "U"?    { return px_lex_int(parser, sem, start, p, 16); }
            "0" [bB] [01]+ "U"?   { return px_lex_int(parser, sem, start, p, 2); }
            "0" [fF] hex{8}       { return px_lex_bits(parser, sem, start, p, T_F32); }
            "0" [dD] hex{16}      { return px_lex_bits(parser, sem, start, p, T_F64); }
            float                 { return px_lex_float(parser, sem, start, p); }
            ["] [^"\x00]* ["]     { return px_lex_string(parser, sem, start, p); }

            "<<"                  { return px_lex_plain(parser, sem, start, p, T_SHL); }
            ">>"                  { return px_lex_plain(parser, sem, start, p, T_SHR); }
            "<="                  { return px_lex_plain(parser, sem, start, p, T_LE); }
            ">="                  { return px_lex_plain(parser, sem, start, p, T_GE); }
            "=="                  { return px_lex_plain(parser, sem, start, p, T_EQ); }
            "!="                  { return px_lex_plain(parser, sem, start, p, T_NE); }
            "&&"                  { return px_lex_plain(parser, sem, start, p, T_LAND); }
            "||"                  { return px_lex_plain(parser, sem, start, p, T_LOR); }
            [-_{}[\]()<>,;:=+*/%&|^!~?@\\] { return px_lex_plain(parser, sem, start, p, *start); }
            "@@DWARF" [^\n\x00]*  { return px_lex_plain(parser, sem, start, p, T_DWARF); }

            [\x00]                { return px_lex_end(parser, sem, start); }
            *                     { return px_lex_plain(parser, sem, start, p, T_STRAY); }
        */
    }
}
