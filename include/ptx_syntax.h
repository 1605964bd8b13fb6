/*
 * ptx_syntax.h - the text of a PTX module as tokens, parts and names: for formatters, editors and reducers.
 *
 * ptx.h answers whether a module is legal; this header answers what stands where in its text, legal or not. A
 * ptx_syntax is made of a module and holds four tables: tokens (comments among them), parts (header lines,
 * declarations, functions, statements, blocks), symbols, and the uses of symbols. They are arrays in text
 * order, which refer to one another by index. The second half of the header asks the table of instructions.
 *
 * Like ptx_tools.h it is not installed, and may change with every version. The rules at the top of ptx.h hold
 * here, too, but for the sizes of structs. A ptx_syntax never changes, so any number of threads may read
 * it.
 */
#ifndef PTX_SYNTAX_H
#define PTX_SYNTAX_H

#include "ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ptx_syntax ptx_syntax;

/* No token, part or symbol. */
#define PTX_NOTHING UINT32_MAX

typedef enum ptx_token_kind {
    PTX_TOKEN_NAME = 0, /* an identifier: opcode, register, label, function; also `_` */
    PTX_TOKEN_WORD = 1, /* with a dot: directive, type, modifier, selector; .version takes its number along */
    PTX_TOKEN_NUMBER = 2,    /* also WARP_SZ */
    PTX_TOKEN_STRING = 3,    /* with its quotes */
    PTX_TOKEN_MARK = 4,      /* punctuation and operators */
    PTX_TOKEN_FOREIGN = 5,   /* .source_begin ... .source_end: a text in another language; an @@DWARF line */
    PTX_TOKEN_COMMENT = 6,   /* one // comment without its newline, or one / * comment */
    PTX_TOKEN_LINE_MARK = 7, /* # 12 "file", without its newline */
    PTX_TOKEN_FAULTY = 8     /* nothing of PTX: a stray character, a comment that does not end */
} ptx_token_kind;

typedef struct ptx_token {
    uint32_t offset, length; /* bytes */
    ptx_token_kind kind;
} ptx_token;

typedef enum ptx_part_kind {
    PTX_PART_HEADER = 0,      /* .version, .target or .address_size */
    PTX_PART_VARIABLE = 1,    /* a declaration, of registers too */
    PTX_PART_FUNCTION = 2,    /* a kernel or function, with its body if it has one */
    PTX_PART_INSTRUCTION = 3, /* with its guard */
    PTX_PART_LABEL = 4,
    PTX_PART_BLOCK = 5,      /* { ... } among statements */
    PTX_PART_TABLE = 6,      /* .branchtargets, .calltargets, .callprototype, with the label before it */
    PTX_PART_PRAGMA = 7,     /* .pragma */
    PTX_PART_ALIAS = 8,      /* .alias */
    PTX_PART_DEBUG = 9,      /* .loc, .file, .section, a source section, an @@DWARF line */
    PTX_PART_DEBUG_LINE = 10 /* one line inside such a section */
} ptx_part_kind;

/*
 * A part is the tokens `first` to `last`. Parts of one parent follow one another, and what lies inside a part
 * comes after it and before its next sibling. Comments between two parts belong to neither; comments between
 * two tokens of a part are inside it.
 */
typedef struct ptx_part {
    ptx_part_kind kind;
    uint32_t parent;      /* part; PTX_NOTHING at module scope */
    uint32_t first, last; /* tokens, none of them a comment */
    uint32_t open, close; /* tokens: its braces around other parts; PTX_NOTHING without */
    uint32_t name;        /* token: what a function, label, table or alias is called, the first name of a
                             declaration, the opcode of an instruction; PTX_NOTHING without */
    unsigned form;        /* instructions: a number for ptx_form_info; 0 when no form fits */
} ptx_part;

typedef enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER = 0, /* of a range name<N>, one symbol stands for all members */
    PTX_SYMBOL_VARIABLE = 1,
    PTX_SYMBOL_PARAMETER = 2, /* of a function: parameters and return values */
    PTX_SYMBOL_FUNCTION = 3,
    PTX_SYMBOL_KERNEL = 4,
    PTX_SYMBOL_LABEL = 5,
    PTX_SYMBOL_TABLE = 6 /* .branchtargets, .calltargets, .callprototype */
} ptx_symbol_kind;

typedef struct ptx_symbol {
    ptx_symbol_kind kind;
    uint32_t part;     /* that declares it: PTX_PART_FUNCTION of parameters, too */
    uint32_t token;    /* its name there */
    uint32_t function; /* the part that it is local to; PTX_NOTHING at module scope */
    const char *type;  /* of an element: "u32"; "" without */
    int is_range;      /* name<N> */
} ptx_symbol;

/* Where a symbol is named, its declaration included. */
typedef struct ptx_use {
    uint32_t token, symbol;
} ptx_use;

/*
 * Makes the tables of a module, legal or not; not of one that was only checked (check_only):
 * PTX_ERROR_INVALID_ARGUMENT. The caller owns `*syntax`; the module may be destroyed before it.
 */
PTX_API ptx_status ptx_syntax_create(const ptx_module *module, ptx_syntax **syntax);
/* NULL is allowed. */
PTX_API void ptx_syntax_destroy(ptx_syntax *syntax);

/* The module's text, which the offsets count in. */
PTX_API const char *ptx_syntax_text(const ptx_syntax *syntax, size_t *size);
/* Was it read without a syntax error? After one there are tokens, and parts only of a module that was made
 * with `recover`. */
PTX_API int ptx_syntax_complete(const ptx_syntax *syntax);

/* The tables; they live as long as `syntax`. Each returns the number of entries. Uses are in the order of
 * their tokens. */
PTX_API size_t ptx_syntax_tokens(const ptx_syntax *syntax, const ptx_token **tokens);
PTX_API size_t ptx_syntax_parts(const ptx_syntax *syntax, const ptx_part **parts);
PTX_API size_t ptx_syntax_symbols(const ptx_syntax *syntax, const ptx_symbol **symbols);
PTX_API size_t ptx_syntax_uses(const ptx_syntax *syntax, const ptx_use **uses);

/* ---- the table of instructions --------------------------------------- */

/* One row of the table (docs/isa-table.md has the notation of `syntax`). Strings live for ever. */
typedef struct ptx_form_info {
    const char *syntax;  /* "add.type d, a, b" */
    const char *section; /* of the PTX manual: "9.7.1 Integer arithmetic" */
    unsigned version;    /* first PTX version: 10 is 1.0 */
    const char *target;  /* first target, "sm_90", or the only ones, "sm_100a sm_103a"; "" for all */
    int executed;        /* the VM runs it */
} ptx_form_info;

/* The i-th form of an opcode as a number for ptx_form_info; 0 past the end. Any thread. */
PTX_API unsigned ptx_opcode_form(ptx_profile profile, const char *opcode, size_t length, size_t i);
PTX_API ptx_status ptx_form_about(unsigned form, ptx_form_info *info);
/* The i-th opcode, NULL past the end. Any thread. */
PTX_API const char *ptx_known_opcode(ptx_profile profile, size_t i);

/* Called with a name; returns 0 to go on. */
typedef int (*ptx_name_fn)(void *user, const char *name);

/* What a place of a form takes: "type" gives u16, u32, ...; `slot` counts from 0. The place's name, NULL past
 * the end; `name` may be NULL. */
PTX_API const char *ptx_form_words(unsigned form, unsigned slot, ptx_name_fn name, void *user);

/*
 * The modifiers that may come next after an opcode and the modifiers written so far ("ld.global"), each once,
 * without its dot. PTX_ERROR_NOT_FOUND when no form begins so.
 */
PTX_API ptx_status ptx_next_modifiers(ptx_profile profile, const char *instruction, size_t length,
                                      ptx_name_fn name, void *user);

/* Type and first version of a special register, written with its percent sign; 0 when it is none. */
PTX_API int ptx_special_register(const char *name, size_t length, const char **type, unsigned *components,
                                 unsigned *version);

#ifdef __cplusplus
}
#endif
#endif
