/*
 * isa.h - what the generated instruction table says, and how to ask it.
 *
 * grammar/isa.tbl and grammar/names.tbl are the only places where instructions,
 * modifiers, types, state spaces and special registers are listed. isagen turns
 * them into build/gen/isa_words.h (the words and sets that C names), isa_ops.h (operations, PX_OP_) and
 * isa_tables.c (the arrays behind the functions below). Nothing else in the
 * project compares strings of the language.
 *
 * An instruction is matched, not parsed: its dotted modifiers are dealt to the
 * slots of a form (order is free except among slots that accept the same word,
 * which fill from left to right), then its operands are held against the
 * form's operand specifications. docs/isa-table.md defines the notation.
 */
#ifndef PX_ISA_H
#define PX_ISA_H

#include "ptx.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/isa_words.h" /* enum px_word_id { PX_W_NONE, PX_W_add, ... } */

typedef uint16_t px_word;     /* number of a spelling; 0: not a word of PTX */
unsigned px_word_count(void); /* words are 1 to this number */

px_word px_word_find(const char *s, size_t n); /* perfect hash; without the leading dot */
const char *px_word_text(px_word word);        /* "" for 0 */

/* ---- types (PTX ISA 5.2) ---- */

enum px_type {
    PX_T_NONE,
    PX_T_PRED,
    PX_T_B8,
    PX_T_B16,
    PX_T_B32,
    PX_T_B64,
    PX_T_B128,
    PX_T_U8,
    PX_T_U16,
    PX_T_U32,
    PX_T_U64,
    PX_T_S8,
    PX_T_S16,
    PX_T_S32,
    PX_T_S64,
    PX_T_F16,
    PX_T_F16X2,
    PX_T_F32,
    PX_T_F64,
    PX_T_TEXREF,
    PX_T_SAMPLERREF,
    PX_T_SURFREF,
    /* types that exist in instructions only */
    PX_T_BF16,
    PX_T_BF16X2,
    PX_T_TF32,
    PX_T_U16X2,
    PX_T_S16X2,
    PX_T_F32X2,
    PX_T_OTHER, /* first of the small formats; names.tbl numbers the rest from here */
    PX_T_LAST = 63
};

enum px_type_class {
    PX_TC_NONE,
    PX_TC_PRED,
    PX_TC_BITS,
    PX_TC_UNSIGNED,
    PX_TC_SIGNED,
    PX_TC_FLOAT,
    PX_TC_OPAQUE
};

struct px_type_info {
    const char *name; /* "u32" */
    px_word word;
    uint16_t bits;   /* storage bits; pred 1, opaque 64 */
    uint8_t klass;   /* enum px_type_class */
    uint8_t reg;     /* enum px_type of the register that holds it */
    bool declarable; /* may stand in a declaration */
};

const struct px_type_info *px_type_info(enum px_type type);

/* Of the classes .u and .s. */
static inline bool px_type_is_integer(const struct px_type_info *type)
{
    return type->klass == PX_TC_UNSIGNED || type->klass == PX_TC_SIGNED;
}

enum px_type px_type_of_word(px_word word); /* PX_T_NONE when the word is no type */

/* ---- state spaces (PTX ISA 5.1) ---- */

enum px_space {
    PX_SPACE_NONE, /* generic address, or not given */
    PX_SPACE_REG,
    PX_SPACE_SREG,
    PX_SPACE_CONST,
    PX_SPACE_GLOBAL,
    PX_SPACE_LOCAL,
    PX_SPACE_PARAM,
    PX_SPACE_SHARED,
    PX_SPACE_TEX,
    PX_SPACE_CLUSTER /* of the engine: shared memory of any block of a cluster of several */
};
/* "shared::cta" and "shared::cluster" are PX_SPACE_SHARED; "param::entry", "param::func" PX_SPACE_PARAM. */
enum px_space px_space_of_word(px_word word);

/* ---- special registers (PTX ISA 10) ---- */

/* Among what a special register differs, for certain as far as it goes. */
enum px_differs {
    PX_DIFFERS_nowhere, /* the same in a block, or nobody knows */
    PX_DIFFERS_threads, /* the threads of a block */
    PX_DIFFERS_lanes    /* and the lanes of a warp */
};

struct px_sreg {
    px_word word;       /* "%tid" without the percent sign */
    uint8_t type;       /* enum px_type of one component */
    uint8_t components; /* 1, or 4 for .x .y .z .w */
    uint16_t min_ptx;   /* 10 for 1.0 */
    uint16_t min_sm;
    uint16_t op;       /* enum px_sreg_id of gen/isa_sregs.h: what the VM reads */
    px_word directive; /* that a kernel must have to read it; 0: none */
    uint8_t differs;   /* enum px_differs */
};
/* The kind of a modifier; what messages call a kind where an instruction has two of it, and where it may have
 * none (NULL: the word itself). */
enum px_word_kind px_word_kind(px_word word);
const char *px_kind_twice(enum px_word_kind kind);
const char *px_kind_illegal(enum px_word_kind kind);
const struct px_sreg *px_sreg_of_word(px_word word); /* NULL when the word is none */

/* ---- directives, pragmas, and what else came with a version (PTX ISA 11, 12) ---- */

/* Where a directive stands and what follows it; lib/front has a token for each. */
enum px_directive_shape {
    PX_DS_NONE,
    PX_DS_ONE,
    PX_DS_THREE, /* of kernels: no number, one, up to three */
    PX_DS_LIST,  /* of kernels and functions: strings and numbers */
    PX_DS_NORETURN,
    PX_DS_ABI,
    PX_DS_MAXNREG,
    PX_DS_PLACE, /* a statement: file, line, column */
    PX_DS_SOURCE /* at module scope: texts in an intermediate language */
};
enum {
    PX_PRAGMA_NUMBER = 1,
    PX_PRAGMA_KERNEL = 2,
    PX_PRAGMA_BODY = 4,
    PX_PRAGMA_PROGRAM = 8
}; /* of pragmas: see names.tbl */

struct px_construct {
    char text[48]; /* what messages call it; of a pragma the word that its string begins with */
    px_word word;  /* of a directive */
    uint16_t min_ptx, min_sm;
    uint8_t kind;  /* enum px_directive_shape; PX_PRAGMA_ flags */
    bool positive; /* no value is 0 */
};
const struct px_construct *px_directive_of_word(px_word word);      /* NULL when the word is none */
unsigned px_directive_number(const struct px_construct *directive); /* 0, 1, ... */
const struct px_construct *px_pragma_find(const char *s, size_t n,
                                          ptx_profile profile); /* NULL when there is none */
const struct px_construct *px_need_at(unsigned need);           /* enum px_need of gen/isa_words.h */
int px_language_find(const char *s);       /* code of a name of .language, in any case of letters; -1 */
unsigned px_language_last(void);           /* the highest code */
bool px_intermediate_known(const char *s); /* a language of a source section */

/* ---- targets and versions ---- */

unsigned px_word_version(px_word word); /* the first PTX version in which it means something; 0: any */

struct px_target {
    uint16_t sm;
    char suffix;
}; /* sm_100a: 100, 'a'; suffix 0 for none */

/* The targets of names.tbl in their order: name, number and first version; NULL, {0, 0} and 0 past the end.
 */
const char *px_target_name(size_t index);
struct px_target px_target_at(size_t index);
unsigned px_target_min_ptx(size_t index);
int px_target_find(const char *s, size_t n); /* index of "sm_90a"; -1 */
unsigned px_version_at(size_t index);        /* 10, 11, ...; 0 past the end */

/* The same of one profile: targets that -arch takes and versions; both in their order, NULL and 0 past the
 * end. */
const char *px_profile_arch(ptx_profile profile, size_t index);
unsigned px_profile_version(ptx_profile profile, size_t index);

struct px_since {
    uint16_t min_ptx; /* 0: no requirement */
    uint16_t min_sm;
    uint16_t targets; /* index of an explicit target list of isa_tables.c; 0: every target >= min_sm */
    uint32_t feature; /* what messages call it (px_since_feature); 0: nothing special */
};

/* ---- forms ---- */

enum { PX_MAX_SLOTS = 18, PX_MAX_OPDS = 12 };

/* How an operand of a form is written. */
enum px_opd_kind {
    PX_OK_REG,  /* register, or constant where imm is set */
    PX_OK_PRED, /* predicate, may be negated where neg is set */
    PX_OK_ADDR, /* [address] */
    PX_OK_VEC,  /* { ... } of `count` elements, or of the count a slot gives */
    PX_OK_IMM,  /* constant only */
    PX_OK_LABEL,
    PX_OK_FUNC,
    PX_OK_LIST,    /* branch target; call target; ( ... ) */
    PX_OK_TEXADDR, /* [a, {c}] and [a, b, {c}] */
    PX_OK_TENSOR,  /* [map, {c}] */
    PX_OK_OTHER    /* settled by the form's check function */
};

enum {
    PX_OPERAND_RESULT = 1,    /* written */
    PX_OPERAND_CONSTANT = 2,  /* a constant may stand here, where the type takes one */
    PX_OPERAND_NOT = 4,       /* !p */
    PX_OPERAND_MINUS = 8,     /* -a */
    PX_OPERAND_SINK = 16,     /* _ */
    PX_OPERAND_WIDER = 32,    /* the register may be wider than the type */
    PX_OPERAND_EXACT = 64,    /* the register must have exactly the width of its type, 8 bits included */
    PX_OPERAND_SPECIAL = 128, /* a special register may stand here */
    PX_OPERAND_NAME = 256,    /* a variable's or function's name stands for its address */
    PX_OPERAND_OPTIONAL = 512,
    PX_OPERAND_PAIR = 1024, /* d|p */
    PX_OPERAND_PAIR_OPTIONAL = 2048,
    PX_OPERAND_UNIFIED = 4096,
    PX_OPERAND_SELECTOR = 8192,  /* .b0 .h1 of video instructions */
    PX_OPERAND_RANGE = 16384,    /* constants are held against lo, hi, step */
    PX_OPERAND_32_OR_64 = 32768, /* a 32- or 64-bit register */
    PX_OPERAND_SAMPLER = 65536,  /* a bracketed tuple may name a sampler after the texture */
    PX_OPERAND_UNTYPED =
        262144, /* any register of the width, a predicate for 32 bits; of constants only those of .f32 */
    PX_OPERAND_LOOSE = 131072 /* one register will do for a vector, and a vector for one register */
};

/* One operand of a form as the table has it. */
struct px_opd {
    uint8_t kind;      /* enum px_opd_kind */
    int8_t space;      /* slot that holds the state space; -1 none */
    int8_t partner;    /* part after the bar; -1 none */
    int8_t part_first; /* bracketed tuples: first further part */
    uint8_t nparts;
    uint8_t tkind;   /* type: 0 none, 1 fixed, 2 slot, 3 function */
    bool by_vec;     /* as many elements as .v2/.v4/.v8 says */
    uint8_t tslot;   /* kind 2 */
    uint8_t args[4]; /* kind 3: slots */
    uint16_t tindex; /* kind 1: elements; kind 3: function */
    uint32_t flags;  /* PX_OPERAND_ */
    int32_t step;    /* of constants; -1: a power of two */
    int64_t lo, hi;
    uint32_t name; /* in px_isa_names */
};

struct px_form; /* gen/isa_tables.c; fields are read through the functions below */

/*
 * An instruction bound to a form. `value[i]` is the word in slot i, 0 when the
 * slot is empty (an optional one). `type[i]` is the type that operand i must
 * have after the form's type rules (wide(T), by vector, ...).
 */
struct px_match {
    const struct px_form *form;
    px_word value[PX_MAX_SLOTS];
    uint8_t type[PX_MAX_OPDS];  /* of a vector operand: of its first element */
    uint8_t count[PX_MAX_OPDS]; /* elements that operand i must have in braces; 0 for a scalar */
    uint8_t vec;                /* vector length by .v2/.v4/.v8; 1 without */
    bool pair;                  /* the optional second destination is written (d|p) */
    uint16_t operands;          /* bit i: operand i of the form is written (an optional one may not be) */
};

/*
 * What a row with the meaning `copy SPACE[to] <- SPACE[from], size, ...` copies. The members are numbers of
 * the form's operands (px_match_written), PX_COPY_NONE where the row names none: `read` says how many bytes
 * are read, zeros are written for the others; where the predicate `unless` holds, none are.
 */
enum { PX_COPY_NONE = 255 };
struct px_copy_rule {
    uint8_t to_space, from_space; /* enum px_space */
    uint8_t to, from, size, read, unless;
};
const struct px_copy_rule *px_form_copy(const struct px_form *form); /* NULL: the form's meaning is no copy */

/* Number of the operation that a row names `@name`: PX_OP_name of gen/isa_ops.h, or of isa_handler_ops.h. */
typedef uint16_t px_op;
enum { PX_OP_NONE };
px_op px_match_op(const struct px_match *match); /* what to execute */
extern const uint32_t px_isa_op_flags[];         /* by px_op */
static inline unsigned px_op_flags(px_op op)     /* PX_OPERATION_ */
{
    return px_isa_op_flags[op];
}
/* Do these flags say a plain load, a plain store: one access, and nothing between lanes? */
enum { PX_OPERATION_ACCESS = PX_OPERATION_reads | PX_OPERATION_writes | PX_OPERATION_straight };
static inline bool px_op_loads(unsigned flags)
{
    return (flags & PX_OPERATION_ACCESS) == (PX_OPERATION_reads | PX_OPERATION_straight);
}
static inline bool px_op_stores(unsigned flags)
{
    return (flags & PX_OPERATION_ACCESS) == (PX_OPERATION_writes | PX_OPERATION_straight);
}
px_word px_match_slot(const struct px_match *match,
                      px_word slot); /* word in the slot named `slot` (PX_W_type ...), 0 if none */
bool px_match_has(const struct px_match *match, px_word word); /* is this very word among the modifiers */

/* Forms of an opcode: consecutive numbers from *first; returns how many. Number 0 is no form. */
unsigned px_forms_of(px_word opcode, uint16_t *first);
const struct px_form *px_form_at(uint16_t number);
uint16_t px_form_number(const struct px_form *form);
const char *px_form_syntax(const struct px_form *form);  /* "add.type d, a, b" */
const char *px_form_section(const struct px_form *form); /* "9.7.1 Integer arithmetic" */

/* Operands of a form: at least min, at most n; and the parts inside brackets or after a bar. */
unsigned px_form_opds(const struct px_form *form, unsigned *min);
const struct px_opd *px_form_opd(const struct px_form *form, unsigned i);
const struct px_opd *px_form_part(const struct px_form *form, unsigned i);

/* Slots in canonical order. */
unsigned px_form_slots(const struct px_form *form);
unsigned px_form_fixed(const struct px_form *form); /* the first slots, whose words are part of the name */
bool px_form_slot(const struct px_form *form, unsigned i, px_word *name, bool *optional);
px_word px_form_word(const struct px_form *form, unsigned slot,
                     unsigned i); /* i-th word that a slot takes; 0 past the end */
bool px_form_accepts(const struct px_form *form, unsigned slot, px_word word);
bool px_forms_accept(uint16_t first, unsigned n, px_word word); /* any slot of the n forms from `first` on */

/*
 * Deals n modifier words to the slots of match->form: false when a word finds no
 * slot or a mandatory slot stays empty. px_match_types then fills vec and, for
 * the operands chosen, type and count; false when the words have no types together (wide of a 64-bit type).
 */
bool px_match_deal(struct px_match *match, const px_word *words, unsigned n);
bool px_match_types(struct px_match *match);
/* The same for the types and the name alone: other words that find no slot are left out, other slots may stay
 * empty. */
bool px_match_deal_types(struct px_match *match, const px_word *words, unsigned n);

/*
 * May the n words be the first of an instruction of the form that goes on with `next`? Sets match->value,
 * which has empty slots.
 */
bool px_match_continues(struct px_match *match, const px_word *words, unsigned n, px_word next);

/*
 * n operands are written: which of the form's? Sets match->operands to the
 * nth possibility (0: the first n); false when there is no such.
 */
bool px_match_choose(struct px_match *match, unsigned n, unsigned nth);
/* The form's operand that the instruction's operand i is. */
const struct px_opd *px_match_opd(const struct px_match *match, unsigned i);

/* The instruction's operand that is number i of the form's; -1 when it is not written. */
int px_match_written(const struct px_match *match, unsigned i);

/* Type and number of elements of one operand or part (count 0: a scalar); false when it has none. */
bool px_match_opd_type(const struct px_match *match, const struct px_opd *opd, enum px_type *type,
                       unsigned *count);
/* Type of element i of a vector operand. */
enum px_type px_match_elem(const struct px_match *match, const struct px_opd *opd, unsigned i);
enum px_space px_match_space(const struct px_match *match, const struct px_opd *opd);

/* The module's PTX version (major*10+minor) and SM, where a condition asks for them. */
enum { PX_NEWEST_PTX = 999 };
struct px_module_level {
    unsigned ptx, sm;
    bool independent; /* texmode_independent */
};

/*
 * Conditions of the row. `operands`: bit i is set when operand i is written, bit
 * 16+j when part j is. px_match_where is false at the first condition that does
 * not hold and names it (enum px_where_message). px_match_need steps through the
 * requirements that apply; start with *i = 0.
 */
bool px_match_where(const struct px_match *match, uint32_t operands, struct px_module_level level,
                    uint8_t *message);
bool px_match_need(const struct px_match *match, uint32_t operands, struct px_module_level level, unsigned *i,
                   struct px_since *since);

/*
 * Does ptxas treat an instruction with these modifiers, or this operand of it, as the quirk says (`quirk`
 * lines of the table)? Of a quirk that names an operand `opd` must be that one; else it may be NULL.
 */
bool px_quirk_holds(enum px_quirk quirk, px_word opcode, const px_word *words, unsigned n,
                    const struct px_opd *opd);
bool px_opcode_quirk(px_word opcode, enum px_quirk quirk); /* with some modifiers; what costs least to ask */
bool px_match_quirk(const struct px_match *match, enum px_quirk quirk, const struct px_opd *opd);

/* The same for `set` lines, and the `result` line that names the instruction. */
bool px_opcode_in(px_word opcode, enum px_set set);
bool px_match_in(const struct px_match *match, enum px_set set, const struct px_opd *opd);
enum px_result px_match_result(const struct px_match *match);
/* Of the first of the opcode's forms that have any; PX_RESULT_NONE: none has. */
enum px_result px_opcode_result(px_word opcode);

/* What the form itself, and the word in slot i, require. */
struct px_since px_form_since(const struct px_form *form);
struct px_since px_match_value_since(const struct px_match *match, unsigned slot);
bool px_word_since(
    px_word word, struct px_since *since); /* what the modifier requires on any instruction; false: nothing */
uint64_t px_since_targets(const struct px_since *since);    /* bit i: target i; 0 when it names none */
const char *px_since_feature(const struct px_since *since); /* NULL when it has no name */

/*
 * What messages call an instruction with these modifiers ("cp.async.bulk"), cut to fit. False when the opcode
 * is no instruction without a further word that is missing.
 */
bool px_inst_name(px_word opcode, const px_word *words, unsigned n, char *buf, size_t size);
/* How many of the n modifiers belong to the instruction's name, which is one token to ptxas: 1 of mul.lo.s32.
 */
unsigned px_inst_name_words(px_word opcode, const px_word *words, unsigned n);

/* Is the word the second or a later one of some name of the opcode (the `wide` of mul.wide). */
bool px_word_of_name(px_word opcode, px_word word);

/* Is the word a selector of class 1 .sel, 2 .sel2, 3 .sel4, 4 .mask2, 5 .mask4 (PX_OPERAND_SELECTOR operands:
 * opd->step). */
bool px_selector_fits(px_word word, int klass);

/* The component that .x .y .z .w or .r .g .b .a names, from 0; 4: the word names none. */
unsigned px_selector_component(px_word word);

/* May a constant stand for this type. */
bool px_type_takes_constant(enum px_type type);

/* The modifiers in the manual's order, for printing; returns how many. */
size_t px_form_canonical(const struct px_match *match, px_word out[PX_MAX_SLOTS]);

/* Is the word a modifier of any form; is it an opcode. */
bool px_word_is_modifier(px_word word);
bool px_word_is_opcode(px_word word);
bool px_word_says_instruction(px_word opcode); /* "Instruction 'x' requires", not "Feature 'x' requires" */

/* Can the VM execute this form? When not, assembling succeeds and loading a kernel that uses it fails. */
bool px_form_executable(const struct px_form *form);
bool px_form_compares(const struct px_form *form); /* [compare]: its statement gives a predicate */
bool px_form_widens(
    const struct px_form *form); /* [wide]: its statement takes halves as f32, integers as f64 */

bool px_form_is_video(const struct px_form *form); /* [video]: its statement computes one part, over s64 */

/*
 * Index of the generated handler set (px_level.sets) for this match, from the
 * form's meaning expression and the values of its specialising slots; -1 when
 * the form has a meaning function instead (see px_match_op).
 */
int px_match_handler(const struct px_match *match);

/* What the row says of the statement that a handler runs; of rows that share a handler, the one whose name it
 * bears. */
enum { PX_STATEMENT_WORDS = 8 };
struct px_statement {
    px_word opcode;
    uint8_t result;                    /* enum px_result */
    uint8_t types[4];                  /* enum px_type of the operands, results first; PX_T_NONE */
    px_word words[PX_STATEMENT_WORDS]; /* modifiers that tell it from other statements of the row; 0 */
};
const struct px_statement *px_statement(unsigned handler);
bool px_statement_has(const struct px_statement *statement, px_word word);
/* The handler of the first statement with this result, these types of its result and first source, .sat, .ftz
 * and .cc where `like` has them; -1: there is none. */
int px_statement_find(enum px_result result, enum px_type to, enum px_type from,
                      const struct px_statement *like);

/*
 * What a floating-point instruction asks of the mode: -1 when it does not care;
 * else bits 0-1 the rounding (0 rn, 1 rz, 2 rm, 3 rp) and bit 2 .ftz.
 */
int px_match_fp_mode(const struct px_match *match);

#endif
