/*
 * ptx.y - the grammar of a PTX module: structure only.
 *
 * An instruction is a guard, an opcode, dotted words and operands; which of
 * them belong together is the business of lib/check and the instruction table.
 * Lists are pushed on the parser's scratch stacks (front/parser.h), so semantic
 * values stay small; `n` counts the elements of a list. Names never stand inside
 * a constant expression: a name may only carry "+ constant".
 */
%code requires {
    #include "front/parser.h"
}
%code {
    #define YYMALLOC(size) px_arena_alloc(&parser->scratch, (size))
    #define YYFREE(p) ((void)(p))
    #define YYMAXDEPTH 10000 /* deeper nesting is refused ("memory exhausted"), as by ptxas; px_token counts
    #blocks */
    #define FAIL() do { px_parser_error(parser, "syntax error"); YYERROR; } while (0)
    #define RECOVER() do { if (!px_parser_recover(parser)) YYABORT; yyclearin; yyerrok; } while (0)
    #undef yylex
    #define yylex px_token
    static void yyerror(struct px_parser *parser, const char *message) { px_parser_error(parser, message); }
}
%define api.pure full
%define api.value.type {struct px_sem}
%define api.token.prefix {T_}
%define api.prefix {px_yy}
%parse-param {struct px_parser *parser}
%lex-param {struct px_parser *parser}
%expect 0

%token END 0
%token PLAIN /* statements that quick.c read */
%token IDENT INT F32 F64 STRING WORD STRAY WARPSZ
%token TYPE OTHERTYPE VEC SPACE CONSTSPACE REG WEAK EXTERN VISIBLE COMMON
%token VERSION TARGET ADDRESS_SIZE ENTRY FUNC ALIGN PTR ATTRIBUTE FILEDIR LOC SECTION PRAGMA ALIAS DWARF
%token BRANCHTARGETS CALLTARGETS CALLPROTOTYPE
%token PERF0 PERF1 PERF3 PERFLIST NORETURN ABI LOCAL_MAXNREG LOC_IR SOURCE_SECTION SOURCE
%token SHL SHR LE GE EQ NE LAND LOR

%right '?' ':'
%left LOR
%left LAND
%left '|'
%left '^'
%left '&'
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%

module: header items ;

header: version target_directives address_size
      | target_directive                           { px_parse_missing_version(parser); YYABORT; }
      ;
version: VERSION                                   { px_parse_version(parser, &$1); } ;
target_directives: target_directive | target_directives target_directive ;
target_directive: TARGET words                     { px_parse_target(parser, &$2); } ;
words: IDENT                                       { px_push_word(parser, &$1); $$.n = 1; }
     | words ',' IDENT                             { px_push_word(parser, &$3); $$.n = $1.n + 1; }
     ;
int: INT
   | WARPSZ                                        { $$ = $1; $$.kind = PX_CONST_S64; $$.u.i = 32; }
   ;
address_size: %empty
            | ADDRESS_SIZE int                     { px_parse_address_size(parser, &$1, &$2); }
            ;

/* ---- module scope ---- */

items: %empty | items item ;
item: variable ';'
    | function
    | FILEDIR int STRING                           { px_parse_file(parser, &$1, &$2, &$3, NULL, NULL); }
    | FILEDIR int STRING ',' int                   { px_parse_file(parser, &$1, &$2, &$3, &$5, NULL); }
    | FILEDIR int STRING ',' int ',' int           { px_parse_file(parser, &$1, &$2, &$3, &$5, &$7); }
    | SECTION WORD '{' section_lines '}'           { px_parse_section(parser, &$1, &$2, &$4); }
    | SOURCE_SECTION '{' code_blocks '}'           { px_parse_source_section(parser, &$1, $3.n); }
    | pragma                                       { px_parse_module_pragma(parser, &$1); }
    | ALIAS IDENT ',' IDENT ';'                    { px_parse_alias(parser, &$1, &$2, &$4); }
    | DWARF                                        { if (!px_parse_dwarf(parser, &$1)) FAIL(); }
    | error                                        { RECOVER(); }
    ;
pragma: PRAGMA strings ';'                         { px_parse_pragma(parser, &$$, &$1, &$2); } ;
strings: STRING                                    { px_push_string(parser, &$1); $$.n = 1; }
       | strings ',' STRING                        { px_push_string(parser, &$3); $$.n = $1.n + 1; }
       ;

code_blocks: code_block                            { $$.n = 1; }
           | code_blocks code_block                { $$.n = $1.n + 1; }
           ;
code_block: WORD '{' WORD ':' STRING WORD ':' INT SOURCE '}'
             {
                 struct px_sem keys[] = {$3, $6};
                 if (!px_push_code_block(parser, &$1, keys, &$5, &$8, &$9))
                     FAIL();
             }
          ;
section_lines: %empty                              { $$.n = 0; }
             | section_lines IDENT ':'             { px_section_label(parser, &$2); $$.n = $1.n + 1; }
             | section_lines TYPE section_values   { px_section_data(parser, &$2, &$3); $$.n = $1.n + 1; }
             ;
section_values: section_numbers
              | section_label                      { px_push_expr(parser, &$1); $$.n = 1; }
              ;
section_numbers: section_number                    { px_push_expr(parser, &$1); $$.n = 1; }
               | section_numbers ',' section_number { px_push_expr(parser, &$3); $$.n = $1.n + 1; }
               ;
section_number: INT                                { px_init_const(parser, &$$, &$1); }
              | '-' INT
             { px_parse_unary(parser, &$2, &$1, '-', &$2); px_init_const(parser, &$$, &$2); }
              ;
section_label: section_name                        { px_init_name(parser, &$$, &$1, NULL); }
             | section_name '+' INT                { px_init_name(parser, &$$, &$1, &$3); }
             | IDENT '-' IDENT                     { px_section_difference(parser, &$$, &$1, &$3); }
             ;
section_name: IDENT
            | WORD                                 { px_section_reference(parser, &$$, &$1); }
            ;

/* ---- variables ---- */

variable: linkage_or_none decl_words type declarators
        | linkage_or_none decl_words type          { px_decl_nothing(parser); }
        ;
linkage_or_none: %empty                            { px_decl_start(parser, NULL); }
               | linkage                           { px_decl_start(parser, &$1); }
               | COMMON                            { px_decl_start(parser, &$1); }
               ;
linkage: EXTERN | VISIBLE | WEAK ;
space: SPACE                                       { px_decl_space(parser, &$1); }
     | CONSTSPACE                                  { px_decl_space(parser, &$1); }
     | REG                                         { px_decl_space(parser, &$1); }
     ;
decl_words: %empty /* in any order */
          | decl_words space
          | decl_words ALIGN int                   { px_decl_align(parser, &$3); }
          | decl_words ATTRIBUTE '(' attributes ')'
          ;
attributes: attribute                              { $$.n = 1; }
          | attributes ',' attribute               { $$.n = $1.n + 1; }
          ;
attribute: WORD { if (!px_decl_attribute(parser, &$1, NULL, NULL)) FAIL(); }
         | WORD '(' int ',' int ')'                { if (!px_decl_attribute(parser, &$1, &$3, &$5)) FAIL(); }
         ;
type: decl_type                                    { px_decl_type(parser, NULL, &$1); }
    | VEC decl_type                                { px_decl_type(parser, &$1, &$2); }
    ;
decl_type: TYPE | OTHERTYPE ;
declarators: declarator | declarators ',' declarator ;
declarator: IDENT dims                             { px_decl_var(parser, &$1, &$2, NULL, NULL); }
          | IDENT dims '=' init                    { px_decl_var(parser, &$1, &$2, NULL, &$4); }
          | IDENT '<' int '>'                      { px_decl_var(parser, &$1, NULL, &$3, NULL); }
          ;
dims: %empty                                       { $$.n = 0; }
    | some_dims
    ;
some_dims: '[' ']'                                 { px_push_dim(parser, NULL); $$.n = 1; }
         | '[' dim ']'                             { $$.n = 1; }
         | some_dims '[' dim ']'                   { $$.n = $1.n + 1; }
         ;
dim: int                                           { px_push_dim(parser, &$1); }
   ;

init: constant                                     { px_init_const(parser, &$$, &$1); }
    | init_name
    | int '(' init_name ')'                        { px_init_mask(parser, &$$, &$1, &$3); }
    | int '(' constant ')'
             { px_init_const(parser, &$3, &$3); px_init_mask(parser, &$$, &$1, &$3); }
    | '{' '}' { $$ = px_sem_span(&$1, &$2); px_init_list(parser, &$$, 0); }
    | '{' inits '}' { $$ = px_sem_span(&$1, &$3); px_init_list(parser, &$$, $2.n); }
    ;
init_name: IDENT                                   { px_init_name(parser, &$$, &$1, NULL); }
         | IDENT '+' constant                      { px_init_name(parser, &$$, &$1, &$3); }
         | IDENT '(' IDENT ')' { if (!px_init_generic(parser, &$$, &$1, &$3, NULL)) FAIL(); }
         | IDENT '(' IDENT ')' '+' constant { if (!px_init_generic(parser, &$$, &$1, &$3, &$6)) FAIL(); }
         ;
inits: field                                       { px_push_expr(parser, &$1); $$.n = 1; }
     | inits ',' field                             { px_push_expr(parser, &$3); $$.n = $1.n + 1; }
     ;
field: init
     | IDENT '=' field_value                       { px_init_field(parser, &$$, &$1, &$3); }
     ;
field_value: constant                              { px_init_const(parser, &$$, &$1); }
           | IDENT                                 { px_init_name(parser, &$$, &$1, NULL); }
           ;

/* ---- functions ---- */

function: entry ';'                                { px_func_declare(parser, &$2); }
        | entry entry_directives '{'
             { px_func_directives(parser, &$2); px_func_body(parser); px_parse_open_block(parser, &$3); }
          statements '}'                           { if (!px_func_define(parser, &$6)) YYABORT; }
        | func_head { px_func_directives(parser, &$1); px_func_declare(parser, &$1); }
        | func_head ';' { px_func_directives(parser, &$1); px_func_declare(parser, &$2); }
        | func_head body_directive '{'
             {
                 $1.n += $2.n;
                 px_func_directives(parser, &$1);
                 px_func_body(parser);
                 px_parse_open_block(parser, &$3);
             }
          statements '}'                           { if (!px_func_define(parser, &$6)) YYABORT; }
        ;
func_head: func func_directives                    { $$ = parser->token; $$.n = $2.n; } ;
body_directive: %empty                             { $$.n = 0; }
              | LOCAL_MAXNREG int
             { px_push_dim(parser, &$2); px_push_directive(parser, &$1, 1); $$.n = 1; }
              ;
entry: function_linkage ENTRY IDENT params         { px_func_head(parser, &$1, &$2, NULL, &$3, &$4); } ;
func: function_linkage FUNC fn_attributes returns IDENT params
                                                   { px_func_head(parser, &$1, &$2, &$4, &$5, &$6); } ;
function_linkage: %empty                           { px_func_start(parser); $$.len = 0; }
                | linkage                          { px_func_start(parser); $$ = $1; }
                ;
fn_attributes: %empty
             | ATTRIBUTE '(' fn_attribute ')'
             ;
fn_attribute: WORD                                 { parser->token = $1; FAIL(); }
            | WORD '(' int ',' int ')'             { if (!px_decl_attribute(parser, &$1, &$3, &$5)) FAIL(); }
            ;
returns: %empty                                    { $$.n = 0; }
       | '(' ')'                                   { $$.n = 0; }
       | '(' param_list ')'                        { $$.n = $2.n; }
       ;
params: %empty                                     { $$.n = 0; $$.kind = 0; }
      | '(' ')'                                    { $$.n = 0; $$.kind = 1; }
      | '(' param_list ')'                         { $$.n = $2.n; $$.kind = 1; }
      ;
param_list: param                                  { $$.n = 1; }
          | param_list ',' param                   { $$.n = $1.n + 1; }
          ;
param: param_start decl_words type ptr param_name param_dims
                                                   { px_decl_param(parser, &$5, &$6); } ;
param_dims: %empty                                 { $$.n = 0; }
          | '[' ']'                                { px_push_dim(parser, NULL); $$.n = 1; }
          | '[' dim ']'                            { $$.n = 1; }
          ;
param_start: %empty                                { px_decl_start(parser, NULL); } ;
param_name: IDENT | '_'                            { $$ = $1; $$.u.name = NULL; } ;
ptr: %empty | ptr_to ptr_align                      { px_decl_ptr_align(parser, &$2); } ;
ptr_to: PTR                                        { px_decl_ptr(parser, NULL); }
      | PTR SPACE                                  { if (!px_decl_ptr(parser, &$2)) FAIL(); }
      | PTR CONSTSPACE                             { px_decl_ptr(parser, &$2); }
      | PTR decl_type                              { if (!px_decl_ptr_type(parser, &$1, &$2)) FAIL(); }
      ;
ptr_align: %empty                                  { $$.n = 0; }
         | ALIGN int                               { $$ = $2; $$.n = 1; }
         ;
entry_directives: %empty                           { $$.n = 0; }
                | entry_directives PERF0           { px_push_directive(parser, &$2, 0); $$.n = $1.n + 1; }
                | entry_directives PERF1 int
             { px_push_dim(parser, &$3); px_push_directive(parser, &$2, 1); $$.n = $1.n + 1; }
                | entry_directives PERF3 ints      { px_push_directive(parser, &$2, $3.n); $$.n = $1.n + 1; }
                | entry_directives LOCAL_MAXNREG int
             { px_push_dim(parser, &$3); px_push_directive(parser, &$2, 1); $$.n = $1.n + 1; }
                | entry_directives PERFLIST values
            { px_push_list_directive(parser, &$2, $3.n); $$.n = $1.n + 1; }
                | entry_directives pragma          { px_push_pragma_directive(parser, &$2); $$.n = $1.n + 1; }
                ;
values: value                                      { $$.n = 1; }
      | values ',' value                           { $$.n = $1.n + 1; }
      ;
value: STRING                                      { px_push_value(parser, &$1, NULL); }
     | int                                         { px_push_value(parser, NULL, &$1); }
     ;
ints: int                                          { px_push_dim(parser, &$1); $$.n = 1; }
    | int ',' int { px_push_dim(parser, &$1); px_push_dim(parser, &$3); $$.n = 2; }
    | int ',' int ',' int
             { px_push_dim(parser, &$1); px_push_dim(parser, &$3); px_push_dim(parser, &$5); $$.n = 3; }
    ;
func_directives: %empty                            { $$.n = 0; }
               | NORETURN                          { px_push_directive(parser, &$1, 0); $$.n = 1; }
               | func_directives ABI int
             { px_push_dim(parser, &$3); px_push_directive(parser, &$2, 1); $$.n = $1.n + 1; }
               | func_directives PERFLIST values
            { px_push_list_directive(parser, &$2, $3.n); $$.n = $1.n + 1; }
               ;

/* ---- bodies ---- */

statements: %empty | statements statement ;
statement: local_variable ';'                      { parser->at_statement = true; }
         | instruction
         | PLAIN
         | IDENT ':'                               { px_parse_label(parser, &$1); }
         | IDENT ':' BRANCHTARGETS targets ';'     { px_parse_targets(parser, PX_S_TARGETS, &$1, &$4); }
         | IDENT ':' CALLTARGETS targets ';'       { px_parse_targets(parser, PX_S_CALLTARGETS, &$1, &$4); }
         | IDENT ':' CALLPROTOTYPE returns '_' params func_directives ';'
                                                   { px_parse_proto(parser, &$1, &$4, &$6, &$7); }
         | '{'                                     { px_parse_open_block(parser, &$1); }
           statements '}'                          { px_parse_block(parser, &$4); }
         | pragma                                  { px_parse_pragma_stmt(parser, &$1); }
         | LOC int int int                         { px_parse_loc(parser, &$1, &$2, &$3, &$4); }
         | LOC int int int ',' IDENT section_name inline_offset ',' IDENT int int int
             {
                 px_parse_loc(parser, &$1, &$2, &$3, &$4);
                 if (!px_parse_loc_inlined(parser, &$6, &$7, &$8, &$10, &$11))
                     FAIL();
                 px_parse_loc_place(parser, &$12, &$13);
             }
         | LOC_IR int int int                      { px_parse_loc_intermediate(parser, &$1, &$2, &$3, &$4); }
         | func_head ';' { px_func_directives(parser, &$1); px_func_declare(parser, &$2); }
         | TARGET words                            { px_parse_target_stmt(parser, &$1, &$2); }
         | error                                   { RECOVER(); }
         ;
inline_offset: %empty                              { $$.u.i = 0; }
             | '+' int                             { $$ = $2; }
             ;
local_variable: local_start decl_words type declarators
              | local_start decl_words type        { px_decl_nothing(parser); }
              ;
local_start: %empty                                { px_decl_start(parser, NULL); } ;
targets: target                                    { $$.n = 1; }
       | targets ',' target                        { $$.n = $1.n + 1; }
       ;
target_name: IDENT                                 { px_push_name(parser, &$1); } ;
target: target_name
      | target_name '<' int '>'                    { px_operand_offset(parser, &$3); }
      ;

instruction: IDENT modifiers operands ';'          { px_parse_inst(parser, NULL, &$1, &$2, &$3, &$4); }
           | guard IDENT modifiers operands ';'    { px_parse_inst(parser, &$1, &$2, &$3, &$4, &$5); }
           | '\\' escaped modifiers operands ';'    { px_parse_inst(parser, NULL, &$2, &$3, &$4, &$5); }
           | guard '\\' escaped modifiers operands ';' { px_parse_inst(parser, &$1, &$3, &$4, &$5, &$6); }
           ;
escaped: IDENT /* ptxas takes a backslash before every instruction but a call; no manual says what for */
             {
                 if (px_is_call(&$1)) {
                     parser->token = $1;
                     FAIL();
                 }
                 $$ = $1;
             }
       ;
guard: '@' IDENT                                   { $$ = $2; $$.paren = false; }
     | '@' '!' IDENT                               { $$ = $3; $$.paren = true; }
     ;
modifiers: %empty                                  { $$.n = 0; }
         | modifiers modifier                      { px_push_modifier(parser, &$2); $$.n = $1.n + 1; }
         ;
modifier: WORD | TYPE | OTHERTYPE | VEC | SPACE | CONSTSPACE | WEAK | ALIAS ;

operands: %empty                                   { $$.n = 0; }
        | first                                    { $$.n = 1; }
        | first ',' others                         { $$.n = $3.n + 1; }
        ;
others: operand                                    { $$.n = 1; }
      | others ',' operand                         { $$.n = $1.n + 1; }
      ;
first: operand
     | '_'                                         { px_push_sink(parser, &$1); }
     | pair_side '|' pair_side { $$ = px_sem_span(&$1, &$3); px_operand_group(parser, PX_O_PAIR, 2, &$$); }
     ;
pair_side: IDENT                                   { px_push_name(parser, &$1); }
         | '_'                                     { px_push_sink(parser, &$1); }
         | vector
         ;
operand: constant                                  { px_push_const(parser, &$1); }
       | IDENT                                     { px_push_name(parser, &$1); }
       | IDENT selector { px_push_name(parser, &$1); px_operand_select(parser, &$2); }
       | IDENT '+' constant { px_push_name(parser, &$1); px_operand_offset(parser, &$3); }
       | '-' IDENT { px_push_name(parser, &$2); px_operand_sign(parser, &$1); }
       | '-' IDENT selector
             { px_push_name(parser, &$2); px_operand_select(parser, &$3); px_operand_sign(parser, &$1); }
       | '!' IDENT { px_push_name(parser, &$2); px_operand_sign(parser, &$1); }
       | IDENT '[' index ']'
             { $$ = px_sem_span(&$1, &$4); px_operand_index(parser, &$1, &$$); }
       | vector
       | address
       | address WORD                              { if (!px_operand_suffix(parser, &$2)) FAIL(); }
       | list
       ;
selector: WORD | TYPE ; /* .b32 is also bytes 3 and 2 */
index: IDENT                                       { px_push_name(parser, &$1); }
     | IDENT '+' constant { px_push_name(parser, &$1); px_operand_offset(parser, &$3); }
     | constant                                    { px_push_const(parser, &$1); }
     ;
vector: '{' elements '}'
             { $$ = px_sem_span(&$1, &$3); px_operand_group(parser, PX_O_VEC, $2.n, &$$); } ;
elements: element                                  { $$.n = 1; }
        | elements ',' element                     { $$.n = $1.n + 1; }
        ;
element: IDENT                                     { px_push_name(parser, &$1); }
       | IDENT selector { px_push_name(parser, &$1); px_operand_select(parser, &$2); }
       | '_'                                       { px_push_sink(parser, &$1); }
       | constant                                  { px_push_const(parser, &$1); }
       ;
address: '[' place ']'
             { $$ = px_sem_span(&$1, &$3); px_operand_group(parser, PX_O_ADDR, $2.n, &$$); } ;
place: constant                                    { px_push_const(parser, &$1); $$.n = 1; }
     | IDENT                                       { px_push_name(parser, &$1); $$.n = 1; }
     | IDENT '+' constant { px_push_name(parser, &$1); px_operand_offset(parser, &$3); $$.n = 1; }
     | tuple
     ;
tuple: IDENT ','                                   { px_push_name(parser, &$1); }
       tuple_tail                                  { $$.n = $4.n + 1; }
     ;
tuple_tail: tuple_part                             { $$.n = 1; }
          | tuple_tail ',' tuple_part              { $$.n = $1.n + 1; }
          ;
tuple_part: element | vector ;
list: '(' ')'
             { $$ = px_sem_span(&$1, &$2); px_operand_group(parser, PX_O_LIST, 0, &$$); }
    | '(' name_argument ')'
             { $$ = px_sem_span(&$1, &$3); px_operand_group(parser, PX_O_LIST, 1, &$$); }
    | '(' argument ',' arguments ')'
             { $$ = px_sem_span(&$1, &$5); px_operand_group(parser, PX_O_LIST, $4.n + 1, &$$); }
    ;
name_argument: IDENT                               { px_push_name(parser, &$1); }
             | '_'                                 { px_push_sink(parser, &$1); }
             ;
argument: name_argument
        | constant                                 { px_push_const(parser, &$1); }
        ;
arguments: argument                                { $$.n = 1; }
         | arguments ',' argument                  { $$.n = $1.n + 1; }
         ;

/* ---- constant expressions (PTX ISA 4.5) ---- */

/* 0f........ stands alone or in parentheses; no operator goes before or after it. */
constant: expr | F32 ;
expr: int | F64
    | '(' constant ')'                             { $$ = px_sem_span(&$1, &$3); px_parse_paren(&$$, &$2); }
    | '(' TYPE ')' expr %prec UNARY                { if (!px_parse_cast(parser, &$$, &$2, &$4)) FAIL(); }
    | '+' expr %prec UNARY                         { px_parse_unary(parser, &$$, &$1, '+', &$2); }
    | '-' expr %prec UNARY                         { px_parse_unary(parser, &$$, &$1, '-', &$2); }
    | '!' expr %prec UNARY                         { px_parse_unary(parser, &$$, &$1, '!', &$2); }
    | '~' expr %prec UNARY                         { px_parse_unary(parser, &$$, &$1, '~', &$2); }
    | expr '+' expr                                { px_parse_binary(parser, &$$, &$1, '+', &$3); }
    | expr '-' expr                                { px_parse_binary(parser, &$$, &$1, '-', &$3); }
    | expr '*' expr                                { px_parse_binary(parser, &$$, &$1, '*', &$3); }
    | expr '/' expr                                { px_parse_binary(parser, &$$, &$1, '/', &$3); }
    | expr '%' expr                                { px_parse_binary(parser, &$$, &$1, '%', &$3); }
    | expr '&' expr                                { px_parse_binary(parser, &$$, &$1, '&', &$3); }
    | expr '|' expr                                { px_parse_binary(parser, &$$, &$1, '|', &$3); }
    | expr '^' expr                                { px_parse_binary(parser, &$$, &$1, '^', &$3); }
    | expr '<' expr                                { px_parse_binary(parser, &$$, &$1, '<', &$3); }
    | expr '>' expr                                { px_parse_binary(parser, &$$, &$1, '>', &$3); }
    | expr SHL expr                                { px_parse_binary(parser, &$$, &$1, PX_EOP_SHL, &$3); }
    | expr SHR expr                                { px_parse_binary(parser, &$$, &$1, PX_EOP_SHR, &$3); }
    | expr LE expr                                 { px_parse_binary(parser, &$$, &$1, PX_EOP_LE, &$3); }
    | expr GE expr                                 { px_parse_binary(parser, &$$, &$1, PX_EOP_GE, &$3); }
    | expr EQ expr                                 { px_parse_binary(parser, &$$, &$1, PX_EOP_EQ, &$3); }
    | expr NE expr                                 { px_parse_binary(parser, &$$, &$1, PX_EOP_NE, &$3); }
    | expr LAND expr                               { px_parse_binary(parser, &$$, &$1, PX_EOP_LAND, &$3); }
    | expr LOR expr                                { px_parse_binary(parser, &$$, &$1, PX_EOP_LOR, &$3); }
    | expr '?' constant ':' expr                      { px_parse_ternary(parser, &$$, &$1, &$3, &$5); }
    ;
