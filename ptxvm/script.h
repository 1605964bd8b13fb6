/* script.h - run files (docs/run-files.md): the tree, what its names mean, and how it runs.
 *
 * grammar/run.re and run.y make the tree, script_check.c gives every name its meaning before anything runs,
 * script_run.c runs the statements, script_value.c works out numbers. */
#ifndef PTXVM_SCRIPT_H
#define PTXVM_SCRIPT_H

#include "machine.h"
#include "ptx_stream.h"

/* Statements first. A node's text is the token that it was made at. */
enum node_kind {
    N_TOKEN,
    N_BLOCK,         /* statements */
    N_MODULE,        /* files */
    N_BUFFER,        /* its name; type or NULL, values or NULL */
    N_VARIABLE,      /* the same */
    N_IMAGE,         /* its name; what, and the keyword */
    N_STREAM,        /* names */
    N_LET,           /* its name; a number */
    N_SET,           /* operand, values */
    N_COPY,          /* from, to */
    N_LAUNCH,        /* its kernel; shape, arguments, options */
    N_WAIT,          /* a stream, or NULL */
    N_ORDER,         /* a stream, the other */
    N_PRINT,         /* items */
    N_WRITE,         /* operand, file */
    N_EXPECT,        /* operand, values, tolerances */
    N_EXPECT_TRUE,   /* a number */
    N_EXPECT_LAUNCH, /* pattern or depth; "no", "depth" or NULL */
    N_EXPECT_OUTPUT, /* text */
    N_FOR,           /* its variable; from, to and step; block */
    N_WHILE,         /* a number; block */
    N_IF,            /* a number; block; the other or NULL */
    N_TYPE,          /* element type; extents, or "[" for an open shape */
    N_SHAPE,         /* grid, block, shared bytes, stream */
    N_DIMS,          /* numbers */
    N_NAMED,         /* a parameter's name; its argument */
    N_ADDRESS,       /* operand */
    N_MEMBERS,       /* of a structure */
    N_MEMBER,        /* its type; a number */
    N_TOLERANCE,     /* a number */
    N_COOPERATIVE,
    N_CLUSTER, /* numbers */
    N_FAULTS,  /* a number */
    N_REST,    /* "..." */
    N_NUMBER,
    N_NAME,
    N_ELEMENT, /* an index */
    N_RANGE,   /* the first and the last */
    N_CALL,    /* numbers */
    N_NEGATE,
    N_NOT,
    N_BINARY
};

/* A number as run files know it. */
struct number {
    bool real;
    int64_t whole;
    double value; /* of both */
};

enum symbol_kind { SYMBOL_NUMBER, SYMBOL_BUFFER, SYMBOL_VARIABLE, SYMBOL_IMAGE, SYMBOL_STREAM };

/* What a name means. */
struct symbol {
    struct symbol *next;
    enum symbol_kind kind;
    char *name; /* owned */
    const struct node *made;
    struct number number;
    unsigned buffer; /* of the script's arguments: buffers, variables and images that have been made */
    bool there;      /* it has been made */
    ptx_stream stream;
};

struct node {
    enum node_kind kind;
    int token;
    unsigned at, size; /* in the text */
    struct node *kid[4], *next, *last;
    struct symbol *symbol; /* of a name */
    struct kernel *kernel; /* of a launch; owned */
    long *params;          /* of a launch: the parameter of each argument; owned */
};

struct script {
    const char *file, *text;
    size_t size;
    const char *cursor; /* of the lexer */
    int last;           /* token; 0: none yet */
    unsigned depth;     /* of brackets */
    struct node *body;
    struct node **nodes; /* all, owned */
    unsigned n_nodes;
    struct symbol *symbols;
    bool asks_launches, asks_output, has_modules;
    /* while it runs */
    const struct node *now; /* the statement or expression: where fail points */
    const char *remedy;     /* for the next message */
    ptx_device *device;
    ptx_program *program;
    struct modules *modules;
    const struct options *options;
    struct arguments arguments; /* of no launch: the buffers, for faults and checks */
    struct output output;
    char *printed; /* by kernels */
    size_t printed_size;
    bool pending; /* something may be running */
    int code;     /* exit code: 0, or of an expectation that failed */
    struct outcome outcome;
    unsigned launches;
};

/* ---- the tree (script.c) ---- */

int script_token(struct script *s, struct node **value, int token, const char *from, const char *to);
bool script_line_goes_on(const struct script *s);
int script_lex(struct node **value, struct script *s);
struct node *script_node(struct script *s, enum node_kind kind, const struct node *at,
                         struct node *const kids[4]);
struct node *script_append(struct node *list, struct node *more);
void script_syntax_error(struct script *s, const char *message);
void script_unknown_statement(struct script *s, const struct node *word);

/* Gives up: the message, the place with a caret, and what to do. */
void script_fail(struct script *s, const struct node *at, const char *remedy, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
/* "x.run:12" and the lines that show a node; to standard error. */
void script_show(const struct script *s, const struct node *at, const char *severity, const char *message);
unsigned script_line(const struct script *s, const struct node *at);
/* A node's token; of a text what is inside the quotes. Owned by the caller. */
char *script_text(const struct script *s, const struct node *node);
/* A file that a text names: beside the run file. Owned by the caller. */
char *script_path(const struct script *s, const struct node *node);
int script_yyparse(struct script *s);

/* ---- meaning (script_check.c) ---- */

/* The names of modules, in order. */
void script_files(struct script *s, struct words *files);
/* Gives every name its meaning, and every launch its kernel; gives up with the first that has none. */
void script_check(struct script *s);

/* ---- numbers (script_value.c) ---- */

struct number script_number(struct script *s, const struct node *node);
/* A whole number from `least` to `most`; `what` is for the message. */
uint64_t script_whole(struct script *s, const struct node *node, uint64_t least, uint64_t most,
                      const char *what);
/* Stores a number as an element, as C converts it; whole numbers must fit. */
void script_store(struct script *s, const struct node *at, struct number number,
                  const struct element_type *type, void *to);
/* The same of an expression. */
void script_store_node(struct script *s, const struct node *node, const struct element_type *type, void *to);
struct number script_load(const struct element_type *type, const void *from);

/* ---- data (script_data.c) ---- */

/* Waits for all that was submitted; a fault ends the run. */
void script_settle(struct script *s);
struct buffer *script_buffer(struct script *s, const struct node *operand);
/* Its elements as they are now, in `after`. */
struct buffer *script_read(struct script *s, const struct node *operand);
/* Which elements an operand means. */
void script_extent(struct script *s, const struct node *operand, const struct array *array, size_t *from,
                   size_t *count);
/* `count` elements from `from` on of an array by a list of values; true when the list ended with "...", and
 * then *count is how many it had. */
bool script_fill(struct script *s, struct array *array, size_t from, size_t *count,
                 const struct node *values);
void script_data(struct script *s, const struct node *statement);

/* ---- running (script_run.c) ---- */

/* `text` of `file`; with `module` it is the one PTX file. The exit code. */
int script_run(const char *file, const char *text, const char *module, const struct options *options);
/* A run file from the command line. */
int script_run_file(const struct options *options);
void script_launch(struct script *s, const struct node *statement);

#endif
