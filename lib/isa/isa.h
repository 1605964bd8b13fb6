/*
 * isa.h - what the generated instruction table says, and how to ask it.
 *
 * grammar/isa.tbl and grammar/names.tbl are the only places where instructions,
 * modifiers, types, state spaces and special registers are listed. isagen turns
 * them into build/gen/isa_words.h (enum px_word_id), isa_ops.h (enum px_op) and
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gen/isa_words.h" /* enum px_word_id { PX_W_NONE, PX_W_add, ... } */
#include "gen/isa_ops.h"   /* enum px_op { PX_OP_NONE, ... }: one per meaning function */

typedef uint16_t px_word; /* number of a spelling; 0: not a word of PTX */

px_word px_word_find(const char *s, size_t n); /* perfect hash; without the leading dot */
const char *px_word_text(px_word word);        /* "" for 0 */

/* ---- types (PTX ISA 5.2) ---- */

enum px_type {
    PX_T_NONE,
    PX_T_PRED,
    PX_T_B8, PX_T_B16, PX_T_B32, PX_T_B64, PX_T_B128,
    PX_T_U8, PX_T_U16, PX_T_U32, PX_T_U64,
    PX_T_S8, PX_T_S16, PX_T_S32, PX_T_S64,
    PX_T_F16, PX_T_F16X2, PX_T_F32, PX_T_F64,
    PX_T_TEXREF, PX_T_SAMPLERREF, PX_T_SURFREF,
    /* types that exist in instructions only */
    PX_T_BF16, PX_T_BF16X2, PX_T_TF32, PX_T_U16X2, PX_T_S16X2, PX_T_F32X2,
    PX_T_OTHER, /* first of the small formats; names.tbl numbers the rest from here */
    PX_T_LAST = 63
};

enum px_type_class { PX_TC_NONE, PX_TC_PRED, PX_TC_BITS, PX_TC_UNSIGNED, PX_TC_SIGNED, PX_TC_FLOAT, PX_TC_OPAQUE };

struct px_type_info {
    const char *name;         /* "u32" */
    px_word word;
    uint16_t bits;            /* storage bits; pred 1, opaque 64 */
    uint8_t klass;            /* enum px_type_class */
    uint8_t reg;              /* enum px_type of the register that holds it */
    bool declarable;          /* may stand in a declaration */
};

const struct px_type_info *px_type_info(enum px_type type);
enum px_type px_type_of_word(px_word word); /* PX_T_NONE when the word is no type */

/* ---- state spaces (PTX ISA 5.1) ---- */

enum px_space {
    PX_SPACE_NONE, /* generic address, or not given */
    PX_SPACE_REG, PX_SPACE_SREG, PX_SPACE_CONST, PX_SPACE_GLOBAL, PX_SPACE_LOCAL,
    PX_SPACE_PARAM, PX_SPACE_SHARED, PX_SPACE_TEX
};
/* "shared::cta" and "shared::cluster" are PX_SPACE_SHARED; "param::entry", "param::func" PX_SPACE_PARAM. */
enum px_space px_space_of_word(px_word word);

/* ---- special registers (PTX ISA 10) ---- */

struct px_sreg {
    px_word word;        /* "%tid" without the percent sign */
    uint8_t type;        /* enum px_type of one component */
    uint8_t components;  /* 1, or 4 for .x .y .z .w */
    uint16_t min_ptx;    /* 10 for 1.0 */
    uint16_t min_sm;
    uint16_t op;         /* enum px_sreg_id of gen/isa_words.h: what the VM reads */
};
const struct px_sreg *px_sreg_of_word(px_word word); /* NULL when the word is none */

/* ---- targets and versions ---- */

struct px_target { uint16_t sm; char suffix; }; /* sm_100a: 100, 'a'; suffix 0 for none */

/* The targets of names.tbl in their order: name, number and first version; NULL, {0, 0} and 0 past the end. */
const char *px_target_name(size_t index);
struct px_target px_target_at(size_t index);
unsigned px_target_min_ptx(size_t index);
int px_target_find(const char *s, size_t n); /* index of "sm_90a"; -1 */
unsigned px_version_at(size_t index);        /* 10, 11, ... 90; 0 past the end */

struct px_since {
    uint16_t min_ptx;      /* 0: no requirement */
    uint16_t min_sm;
    uint16_t targets;      /* index of an explicit target list of isa_tables.c; 0: every target >= min_sm */
};

/* ---- forms ---- */

enum { PX_MAX_SLOTS = 16, PX_MAX_OPDS = 12 };

/* How an operand of a form is written. */
enum px_opd_kind {
    PX_OK_REG,      /* register, or constant where imm is set */
    PX_OK_PRED,     /* predicate, may be negated where neg is set */
    PX_OK_ADDR,     /* [address] */
    PX_OK_VEC,      /* { ... } of `count` elements, or of the count a slot gives */
    PX_OK_IMM,      /* constant only */
    PX_OK_LABEL, PX_OK_FUNC, PX_OK_LIST, /* branch target; call target; ( ... ) */
    PX_OK_TEXADDR,  /* [a, {c}] and [a, b, {c}] */
    PX_OK_TENSOR,   /* [map, {c}] */
    PX_OK_OTHER     /* settled by the form's check function */
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
    uint8_t type[PX_MAX_OPDS];
    uint8_t vec; /* vector length by .v2/.v4/.v8; 1 without */
};

enum px_op px_match_op(const struct px_match *match);               /* what to execute */
px_word px_match_slot(const struct px_match *match, px_word slot);  /* word in the slot named `slot` (PX_W_type ...), 0 if none */
bool px_match_has(const struct px_match *match, px_word word);      /* is this very word among the modifiers */
enum px_type px_match_type(const struct px_match *match, px_word slot); /* the slot's word as a type */

/* Can the VM execute this form? When not, assembling succeeds and loading a kernel that uses it fails. */
bool px_form_executable(const struct px_form *form);

/*
 * Index of the generated handler set (gen/handlers.h) for this match, from the
 * form's meaning expression and the values of its specialising slots; -1 when
 * the form has a meaning function instead (see px_match_op).
 */
int px_match_handler(const struct px_match *match);

/*
 * What a floating-point instruction asks of the mode: -1 when it does not care;
 * else bits 0-1 the rounding (0 rn, 1 rz, 2 rm, 3 rp) and bit 2 .ftz.
 */
int px_match_fp_mode(const struct px_match *match);

#endif
