/*
 * ast.h - a module as parsed: structure only, nothing decided.
 *
 * The parser builds this tree from tokens; names are interned, numbers are
 * values, and every node keeps the byte offset of its first token. lib/check
 * then fills the fields marked [check]. Nodes live in the module's arena and
 * are never freed singly. The tree is compact (an instruction with three
 * operands is about 130 bytes), because large modules have a million lines.
 */
#ifndef PX_FRONT_AST_H
#define PX_FRONT_AST_H

#include <stdbool.h>
#include "base/name.h"
#include "base/source.h"
#include "isa/isa.h"

struct px_symbol; /* check/scope.h */
struct px_stmt;

/* ---- constant expressions (PTX ISA 4.5, 4.6) ---- */

enum px_expr_kind {
    PX_E_INT,     /* u.i, is_unsigned tells .u64 from .s64 */
    PX_E_F32,     /* 0f3F800000: bits in u.i */
    PX_E_F64,     /* 0d... bits in u.i, or decimal: bits of the double */
    PX_E_NAME,    /* a symbol's address, WARP_SZ */
    PX_E_GENERIC, /* generic(name) */
    PX_E_MASK,    /* 0xFF(expr): byte selector of an initialiser: mask, a is the expression */
    PX_E_UNARY,   /* op a */
    PX_E_BINARY,  /* a op b */
    PX_E_TERNARY, /* a ? b : c */
    PX_E_CAST,    /* (.s64)a, (.u64)a */
    PX_E_LIST,    /* { ... } of an initialiser: list, n */
    PX_E_FIELD    /* name = value in an opaque initialiser: a is the PX_E_NAME, b the value */
};

struct px_expr {
    uint8_t kind; /* enum px_expr_kind */
    uint8_t op;   /* UNARY '-' '!' '~' '+', PX_EOP_INTEGER; BINARY: '+' '-' '*' '/' '%' '&' '|' '^' '<' '>' or
                     the codes below */
    bool is_unsigned;
    px_pos pos;
    uint32_t n;
    union {
        uint64_t i;
        struct px_name *name;
        struct px_expr **list;
        struct {
            struct px_expr *a, *b, *c;
        };
    } u;
    union {
        struct px_symbol *symbol; /* [check] for NAME and GENERIC */
        uint64_t mask;            /* MASK */
    };
};
enum {
    PX_EOP_SHL = 1,
    PX_EOP_SHR,
    PX_EOP_LE,
    PX_EOP_GE,
    PX_EOP_EQ,
    PX_EOP_NE,
    PX_EOP_LAND,
    PX_EOP_LOR,
    PX_EOP_INTEGER /* unary: the operand, which must be an integer (of ?: and casts) */
};

/* Visits each PX_E_NAME and PX_E_GENERIC of an expression (NULL: none); what stands in a PX_E_FIELD is no
 * name. expr.c */
void px_expr_names(const struct px_expr *expr, void (*visit)(void *user, const struct px_expr *name),
                   void *user);

/* ---- operands ---- */

enum px_operand_kind {
    PX_O_NAME, /* register, special register, variable, label, function; u.name */
    PX_O_INT,  /* constant integer expression already folded by the parser: u.i */
    PX_O_F32,  /* 0f...: bits in u.i */
    PX_O_F64,  /* 0d... or decimal floating literal: bits of the double in u.i */
    PX_O_EXPR, /* [parser] u.expr: a constant expression with an error; a number once it is checked */
    PX_O_SINK, /* _ */
    PX_O_VEC,  /* { a, b, ... }: list of n */
    PX_O_ADDR, /* [ ... ]: list of n parts; usually one: NAME/INT with `offset`; [a, {c}] has two */
    PX_O_LIST, /* ( a, b ): call parameters */
    PX_O_PAIR, /* a|b: list of 2 */
    PX_O_INDEX /* gv[4]: list of 2, base and index */
};

struct px_operand {
    uint8_t kind;          /* enum px_operand_kind */
    bool negated : 1;      /* !p */
    bool minus : 1;        /* -r (a register or name; minus on a literal is folded) */
    bool unified : 1;      /* [a].unified */
    bool has_offset : 1;   /* name+imm was written, even when imm is 0; in .branchtargets name<N> */
    bool has_selector : 1; /* a dotted word follows the name; `selector` is 0 when it is no PTX word */
    bool is_unsigned : 1;  /* INT: .u64 by the rules of PTX ISA 4.5, else .s64 */
    bool bad_offset : 1;   /* the offset was no integer: an error that the checker reports */
    bool paren : 1;        /* [parser] a constant in parentheses */
    uint16_t n;            /* children */
    px_word selector; /* .x .y .z .w .r .g .b .a of vectors and special registers; .b0 .h1 ... of video; 0:
                         none */
    px_pos pos;
    uint32_t length; /* bytes of the token(s), for diagnostics */
    union {
        struct px_name *name;
        uint64_t i;
        struct px_expr *expr;
        struct px_operand *list;
    } u;
    union {
        int64_t offset;                     /* name+imm, in addresses and in plain operands */
        const struct px_expr *wrong_offset; /* with bad_offset, until the checker has reported it */
    };
    struct px_symbol
        *symbol; /* [check] what the name denotes; NULL for special registers (their word tells) */
};

/* ---- instructions and statements ---- */

struct px_modifier {      /* .name or .a::b::c */
    struct px_name *name; /* whole spelling without the first dot */
    px_pos pos;
    uint16_t bank; /* .const[3]: 4; else 0 */
};

struct px_inst {
    struct px_name *opcode; /* "add"; all dotted words are modifiers */
    px_pos pos;             /* of the opcode */
    px_pos end;             /* of the semicolon */
    uint8_t nmods, nopds;
    bool guard_negated;
    uint16_t form; /* [check] number of the matching form, 0 none */
    struct px_modifier *mods;
    struct px_operand *opds;
    struct px_operand *guard; /* NULL, or the predicate of @p */
};

struct px_loc { /* .loc file line column [, function_name label[+imm], inlined_at file line column] */
    uint32_t file, line, column;
    struct px_name *function; /* label in .debug_str; NULL */
    int64_t function_offset;
    uint32_t inlined_file, inlined_line, inlined_column; /* 0 without inlined_at */
    bool intermediate;                                   /* .loc_intermediate */
};

struct px_block {
    struct px_stmt **list;
    uint32_t n;
    px_pos pos, end; /* of the braces */
};

struct px_proto;
struct px_var;

struct px_target_list {
    struct px_name **names;
    px_pos *poses;
    uint32_t n;
}; /* words of .target */

enum px_stmt_kind {
    PX_S_INST,
    PX_S_LABEL,
    PX_S_VAR,
    PX_S_BLOCK,
    PX_S_LOC,
    PX_S_PRAGMA,
    PX_S_TARGETS,
    PX_S_CALLTARGETS,
    PX_S_PROTO,
    PX_S_FUNC,
    PX_S_TARGET,
    PX_S_NOTHING /* a declaration without a name: .reg .b32; */
};

struct px_stmt {
    uint8_t kind;
    px_pos pos;
    union {
        struct px_inst inst;
        struct px_name *label;
        struct px_var *var; /* one variable; a list declaration gives several statements */
        struct px_block block;
        struct px_loc loc;
        struct px_pragma *pragma;
        struct {
            struct px_name *label;
            struct px_operand *list;
            uint32_t n;
        } targets;                    /* .branchtargets, .calltargets */
        struct px_proto *proto;       /* label: .callprototype */
        struct px_func *func;         /* a declaration inside a body */
        struct px_target_list target; /* .target inside a body */
    } u;
};
/* Statements are allocated to the size of their kind, not of the union. */

/* ---- declarations ---- */

enum px_linkage { PX_L_NONE, PX_L_EXTERN, PX_L_VISIBLE, PX_L_WEAK, PX_L_COMMON };

struct px_attribute {
    px_word word;
    px_pos pos;
    uint64_t value[2];
    uint8_t n;
}; /* .attribute(.managed), (.unified(a,b)) */

struct px_var {
    struct px_name *name; /* NULL for an unnamed prototype parameter ("_") */
    px_pos pos;           /* of the name */
    px_pos start;         /* of the first token of the declaration */
    px_pos told;          /* of a parameter: of the last token read, where ptxas tells of some faults */
    uint8_t space;        /* enum px_space */
    uint8_t type;         /* enum px_type; one of instructions only is refused by the checker */
    uint8_t vec;          /* 1, 2, 4; other values are kept for the checker to refuse */
    uint8_t linkage;      /* enum px_linkage */
    bool has_align, has_ptr, ptr_has_align, has_range, many_spaces;
    uint8_t ptr_space; /* .ptr .global ...; PX_SPACE_NONE without */
    uint8_t ptr_type;  /* .ptr .texref ...; PX_T_NONE without */
    int16_t bank;      /* .const[3]; -1 without */
    uint16_t ndims;    /* array dimensions */
    bool unsized;      /* first dimension is [] */
    uint8_t nattrs;
    uint64_t align, ptr_align;
    uint64_t *dims; /* sizes; 0 for an empty [] */
    uint64_t range; /* name<N>: N; 0 without */
    struct px_name *type_name;
    struct px_expr *init; /* NULL without initialiser */
    struct px_attribute *attrs;
    struct px_symbol *symbol; /* [check] */
};

enum px_dir_kind { PX_DIR_PERF, PX_DIR_PRAGMA };

struct px_value {
    const char *text;
    uint64_t number;
}; /* text NULL: a number */

/* A directive between a function's header and body: .maxntid 16,16,4  .noreturn  .abi_preserve 3  .pragma
 * "..." */
struct px_directive {
    px_word word;
    struct px_name *name;
    px_pos pos;
    px_pos told; /* where ptxas has read it: the token behind it where that decides */
    uint64_t value[3];
    uint8_t n;
    struct px_pragma *pragma;
    struct px_value *list; /* of .language: nlist strings and numbers */
    uint32_t nlist;
};

struct px_pragma {
    px_pos pos;
    uint32_t n;
    const char **strings;
};

struct px_func {
    struct px_name *name;
    px_pos pos, start, end;
    bool is_entry;
    uint8_t linkage;
    bool params_given; /* "()" was written */
    uint16_t nrets, nparams, ndirs, nattrs;
    struct px_var *rets, *params;
    struct px_directive *dirs;
    struct px_attribute *attrs;
    struct px_block *body;    /* NULL: declaration only */
    bool cut;                 /* a syntax error ended the body */
    struct px_symbol *symbol; /* [check] */
};

struct px_proto { /* label: .callprototype (ret) _ (params) .noreturn; */
    struct px_name *label;
    px_pos pos;
    uint16_t nrets, nparams, ndirs;
    struct px_var *rets, *params;
    struct px_directive *dirs;
};

struct px_file {
    px_pos pos, told;
    uint64_t index;
    const char *name;
    uint64_t time, size;
    bool has_time, has_size;
};

struct px_section_line {
    struct px_name *label;
    px_word type;
    struct px_expr **values;
    uint32_t n;
    px_pos pos;
};
struct px_section {
    px_pos pos;
    struct px_name *name;
    struct px_section_line *lines;
    uint32_t n;
};

struct px_code_block {
    px_pos pos;
    const char *name;
    uint64_t file;
    const char *text;
    px_pos file_pos;
};
struct px_source_section {
    px_pos pos;
    struct px_code_block *blocks;
    uint32_t n;
}; /* .nv_intermediate_source_section */

struct px_alias {
    px_pos pos;
    struct px_name *alias, *target;
    px_pos target_pos;
};

enum px_item_kind {
    PX_I_VAR,
    PX_I_FUNC,
    PX_I_FILE,
    PX_I_SECTION,
    PX_I_PRAGMA,
    PX_I_ALIAS,
    PX_I_DWARF,
    PX_I_SOURCE,
    PX_I_NOTHING /* a declaration without a name */
};

struct px_item {
    uint8_t kind;
    px_pos pos;
    union {
        struct px_var *var;
        struct px_func *func;
        struct px_file *file;
        struct px_section *section;
        struct px_source_section *source;
        struct px_pragma *pragma;
        struct px_alias *alias;
        const char *dwarf; /* an @@DWARF line of PTX before 2.0, as written */
    } u;
};

struct px_tree {
    struct px_source *source;
    unsigned version; /* .version major*10+minor; 0 when missing */
    px_pos version_pos;
    const char *version_text; /* "8.3", as written */
    unsigned address_size;    /* 32 or 64; 0 when not given */
    px_pos address_size_pos;
    struct px_target_list target; /* of all .target lines of the header */
    struct px_item *items;        /* in text order; the header lines are not among them */
    uint32_t nitems;
    bool has_banks; /* an instruction names a constant bank: ld.const[3] */
    bool complete;  /* no syntax error; else what could be read is here */
    bool ended;     /* read to the end of the text, errors or not */
};

#endif
