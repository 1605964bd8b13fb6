/*
 * run.y - the grammar of run files (docs/run-files.md): structure only.
 *
 * A tree of nodes is made (ptxvm/script.h); what names mean is the business of ptxvm/script_check.c. A list
 * is the first of its nodes, linked by `next`; script_append keeps it in order.
 */
%code requires {
    #include "ptxvm/script.h"
}
%code {
    #undef yylex
    #define yylex script_lex
    #define NODE(kind, at, ...) script_node(script, kind, at, (struct node *[4]){__VA_ARGS__})
    static void yyerror(struct script *script, const char *message) { script_syntax_error(script, message); }
}
%define api.pure full
%define api.value.type {struct node *}
%define api.token.prefix {T_}
%define api.prefix {script_yy}
%define parse.error detailed
%parse-param {struct script *script}
%lex-param {struct script *script}
%expect 0

%token END 0 "the end of the file"
%token NEWLINE "the end of the line" NAME "a name" NUMBER "a number" STRING "a text in quotes"
%token MODULE "module" BUFFER "buffer" VARIABLE "variable" TEXTURE "texture" SURFACE "surface" STREAM "stream"
%token LET "let" SET "set" COPY "copy" LAUNCH "launch" WAIT "wait" ORDER "order" PRINT "print" WRITE "write"
%token EXPECT "expect" FOR "for" WHILE "while" IF "if" ELSE "else" IN "in" STEP "step" INTO "to" AFTER "after"
%token COOPERATIVE "cooperative" CLUSTER "cluster" FAULTS "faults" OUTPUT "output" NO "no" DEPTH "depth"
%token ATOL "atol" RTOL "rtol" ULP "ulp"
%token SHAPE "<<<" SHAPE_END ">>>" REST "..." TO ".." LE "<=" GE ">=" EQ "==" NE "!=" AND "&&" OR "||"
%token OPEN_STRING "a text without its closing quote" STRAY "a character that means nothing here"

%left OR
%left AND
%left EQ NE '<' '>' LE GE
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%

file: statements                        { script->body = $1; } ;

statements: %empty                      { $$ = NULL; }
    | statements end                    { $$ = $1; }
    | statements statement end          { $$ = script_append($1, $2); }
    | statements block_statement        { $$ = script_append($1, $2); }
    ;
end: NEWLINE | ';' ;
block: '{' statements '}'               { $$ = NODE(N_BLOCK, $1, $2); }
    | '{' statements statement '}'      { $$ = NODE(N_BLOCK, $1, script_append($2, $3)); }
    ;

statement:
      MODULE strings                    { $$ = NODE(N_MODULE, $1, $2); }
    | BUFFER NAME type values_opt       { $$ = NODE(N_BUFFER, $2, $3, $4); }
    | BUFFER NAME '=' STRING            { $$ = NODE(N_BUFFER, $2, NULL, $4); }
    | VARIABLE variable_name type values_opt { $$ = NODE(N_VARIABLE, $2, $3, $4); }
    | TEXTURE variable_name '=' STRING  { $$ = NODE(N_IMAGE, $2, $4, $1); }
    | SURFACE variable_name '=' STRING  { $$ = NODE(N_IMAGE, $2, $4, $1); }
    | STREAM names                      { $$ = NODE(N_STREAM, $1, $2); }
    | LET NAME '=' expr                 { $$ = NODE(N_LET, $2, $4); }
    | SET operand '=' values            { $$ = NODE(N_SET, $1, $2, $4); }
    | COPY operand INTO operand         { $$ = NODE(N_COPY, $1, $2, $4); }
    | LAUNCH kernel SHAPE shape SHAPE_END '(' arguments_opt ')' launch_options
                                        { $$ = NODE(N_LAUNCH, $2, $4, $7, $9); }
    | WAIT                              { $$ = NODE(N_WAIT, $1, NULL); }
    | WAIT NAME                         { $$ = NODE(N_WAIT, $1, $2); }
    | ORDER NAME AFTER NAME             { $$ = NODE(N_ORDER, $1, $2, $4); }
    | PRINT print_items                 { $$ = NODE(N_PRINT, $1, $2); }
    | WRITE operand INTO STRING         { $$ = NODE(N_WRITE, $1, $2, $4); }
    | EXPECT operand '=' values tolerances { $$ = NODE(N_EXPECT, $1, $2, $4, $5); }
    | EXPECT expr                       { $$ = NODE(N_EXPECT_TRUE, $1, $2); }
    | EXPECT LAUNCH STRING              { $$ = NODE(N_EXPECT_LAUNCH, $1, $3, NULL); }
    | EXPECT NO LAUNCH STRING           { $$ = NODE(N_EXPECT_LAUNCH, $1, $4, $2); }
    | EXPECT DEPTH NUMBER               { $$ = NODE(N_EXPECT_LAUNCH, $1, $3, $2); }
    | EXPECT OUTPUT STRING              { $$ = NODE(N_EXPECT_OUTPUT, $1, $3); }
    | NAME                              { script_unknown_statement(script, $1); YYABORT; }
    ;
block_statement:
      FOR NAME IN bounds block          { $$ = NODE(N_FOR, $2, $4, $5); }
    | WHILE expr block                  { $$ = NODE(N_WHILE, $1, $2, $3); }
    | IF expr block                     { $$ = NODE(N_IF, $1, $2, $3); }
    | IF expr block ELSE block          { $$ = NODE(N_IF, $1, $2, $3, $5); }
    | IF expr block ELSE else_if        { $$ = NODE(N_IF, $1, $2, $3, $5); }
    ;
else_if: IF expr block                  { $$ = NODE(N_IF, $1, $2, $3); }
    | IF expr block ELSE block          { $$ = NODE(N_IF, $1, $2, $3, $5); }
    | IF expr block ELSE else_if        { $$ = NODE(N_IF, $1, $2, $3, $5); }
    ;
bounds: expr TO expr step               { $$ = script_append(script_append($1, $3), $4); } ;
step: %empty                            { $$ = NULL; }
    | STEP expr                         { $$ = $2; }
    ;

strings: STRING | strings STRING        { $$ = script_append($1, $2); } ;
names: NAME | names ',' NAME            { $$ = script_append($1, $3); } ;
variable_name: NAME | STRING ;
kernel: NAME | STRING ;
type: NAME                              { $$ = NODE(N_TYPE, $1, NULL, NULL); }
    | NAME '[' ']'                      { $$ = NODE(N_TYPE, $1, NULL, $2); }
    | NAME '[' exprs ']'                { $$ = NODE(N_TYPE, $1, $3, NULL); }
    ;
values_opt: %empty                      { $$ = NULL; }
    | '=' values                        { $$ = $2; }
    ;
values: value | values ',' value        { $$ = script_append($1, $3); } ;
value: expr
    | STRING
    | REST                              { $$ = NODE(N_REST, $1, NULL); }
    ;
tolerances: %empty                      { $$ = NULL; }
    | tolerances tolerance expr         { $$ = script_append($1, NODE(N_TOLERANCE, $2, $3)); }
    ;
tolerance: ATOL | RTOL | ULP ;

shape: dims ',' dims                    { $$ = NODE(N_SHAPE, $1, $1, $3); }
    | dims ',' dims ',' expr            { $$ = NODE(N_SHAPE, $1, $1, $3, $5); }
    | dims ',' dims ',' expr ',' NAME   { $$ = NODE(N_SHAPE, $1, $1, $3, $5, $7); }
    ;
dims: expr                              { $$ = NODE(N_DIMS, $1, $1); }
    | '(' expr ',' exprs ')'            { $$ = NODE(N_DIMS, $2, script_append($2, $4)); }
    ;
arguments_opt: %empty                   { $$ = NULL; }
    | arguments
    ;
arguments: argument | arguments ',' argument { $$ = script_append($1, $3); } ;
argument: plain_argument
    | word '=' plain_argument           { $$ = NODE(N_NAMED, $1, $3); }
    | STRING '=' plain_argument         { $$ = NODE(N_NAMED, $1, $3); }
    | NUMBER '=' plain_argument         { $$ = NODE(N_NAMED, $1, $3); }
    ;
/* A parameter may be called as a word of this language. */
word: NAME | MODULE | BUFFER | VARIABLE | TEXTURE | SURFACE | STREAM | LET | SET | COPY | LAUNCH | WAIT
    | ORDER | PRINT | WRITE | EXPECT | FOR | WHILE | IF | ELSE | IN | STEP | INTO | AFTER | COOPERATIVE
    | CLUSTER | FAULTS | OUTPUT | NO | DEPTH | ATOL | RTOL | ULP
    ;
plain_argument: expr
    | '&' operand                       { $$ = NODE(N_ADDRESS, $2, $2); }
    | '{' members '}'                   { $$ = NODE(N_MEMBERS, $1, $2); }
    ;
members: member | members ',' member    { $$ = script_append($1, $3); } ;
member: NAME                            { $$ = NODE(N_NAME, $1, NULL); }
    | '&' operand                       { $$ = NODE(N_ADDRESS, $2, $2); }
    | NAME member_number                { $$ = NODE(N_MEMBER, $1, $2); }
    ;
member_number: NUMBER                   { $$ = NODE(N_NUMBER, $1, NULL); }
    | '-' NUMBER                        { $$ = NODE(N_NEGATE, $1, NODE(N_NUMBER, $2, NULL)); }
    | '(' expr ')'                      { $$ = $2; }
    ;
launch_options: %empty                  { $$ = NULL; }
    | launch_options COOPERATIVE        { $$ = script_append($1, NODE(N_COOPERATIVE, $2, NULL)); }
    | launch_options CLUSTER '(' exprs ')' { $$ = script_append($1, NODE(N_CLUSTER, $2, $4)); }
    | launch_options FAULTS literal     { $$ = script_append($1, NODE(N_FAULTS, $2, $3)); }
    ;
literal: NUMBER                         { $$ = NODE(N_NUMBER, $1, NULL); } ;
print_items: print_item | print_items ',' print_item { $$ = script_append($1, $3); } ;
print_item: expr | STRING ;

operand: NAME                           { $$ = NODE(N_NAME, $1, NULL); }
    | NAME '[' expr ']'                 { $$ = NODE(N_ELEMENT, $1, $3); }
    | NAME '[' expr TO expr ']'         { $$ = NODE(N_RANGE, $1, $3, $5); }
    ;
exprs: expr | exprs ',' expr            { $$ = script_append($1, $3); } ;
expr: NUMBER                            { $$ = NODE(N_NUMBER, $1, NULL); }
    | operand
    | NAME '(' exprs ')'                { $$ = NODE(N_CALL, $1, $3); }
    | '(' expr ')'                      { $$ = $2; }
    | '-' expr %prec UNARY              { $$ = NODE(N_NEGATE, $1, $2); }
    | '!' expr %prec UNARY              { $$ = NODE(N_NOT, $1, $2); }
    | expr '+' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '-' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '*' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '/' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '%' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '<' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr '>' expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr LE expr                      { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr GE expr                      { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr EQ expr                      { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr NE expr                      { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr AND expr                     { $$ = NODE(N_BINARY, $2, $1, $3); }
    | expr OR expr                      { $$ = NODE(N_BINARY, $2, $1, $3); }
    ;
