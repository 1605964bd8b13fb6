/*
 * inst.h - how far an instruction fits a form; shared by inst*.c.
 *
 * An instruction is held against every form of its opcode. The attempt that
 * gets furthest is the one whose fault is reported.
 */
#ifndef PX_MATCH_INST_H
#define PX_MATCH_INST_H

#include "match/match.h"

/* How far an attempt got. */
enum px_fit_stage { PX_FIT_WORDS, PX_FIT_COUNT, PX_FIT_WHERE, PX_FIT_OPERANDS, PX_FIT_SINCE, PX_FIT_DONE };

enum px_fault_kind {
    PX_FAULT_NONE,
    PX_FAULT_MISMATCH,
    PX_FAULT_RESULT,
    PX_FAULT_SINK,
    PX_FAULT_MINUS,
    PX_FAULT_NOT,
    PX_FAULT_VECTOR,
    PX_FAULT_MUST_REGISTER,
    PX_FAULT_PAIR,
    PX_FAULT_PAIR_NEEDED,
    PX_FAULT_SREG,
    PX_FAULT_SREG_WRITE,
    PX_FAULT_SIZE,
    PX_FAULT_ILLEGAL_SIZE,
    PX_FAULT_RESULT_VECTOR,
    PX_FAULT_WIDTHS,
    PX_FAULT_CLASSES,
    PX_FAULT_SINKS,
    PX_FAULT_PREDICATE,
    PX_FAULT_LABEL,
    PX_FAULT_TABLE,
    PX_FAULT_ADDRESS_TYPE,
    PX_FAULT_ADDRESS_IMM,
    PX_FAULT_ADDRESS_SPACE,
    PX_FAULT_UNIFIED,
    PX_FAULT_RANGE,
    PX_FAULT_MULTIPLE,
    PX_FAULT_POWER,
    PX_FAULT_ILLEGAL,
    PX_FAULT_TEX,
    PX_FAULT_SAMPLER,
    PX_FAULT_SELECTOR,
    PX_FAULT_SELECTOR_VIDEO,
    PX_FAULT_SINK_NEEDED,
    PX_FAULT_MINUS_LABEL,
    PX_FAULT_VECTOR_NEEDED,
    PX_FAULT_HANDLE,
    PX_FAULT_GEOMETRY,
    PX_FAULT_INDEX,
    PX_FAULT_ADDRESS_WIDTH,
    PX_FAULT_EXPRESSION,
    PX_FAULT_SINK_SOURCE,
    PX_FAULT_SCALE,
    PX_FAULT_ALIGN,
    PX_FAULT_COUNT
};

struct px_fault {
    enum px_fault_kind kind;
    unsigned argument;                /* operand number, from 0 */
    const struct px_operand *operand; /* the offender */
    const struct px_opd *opd;
};

struct px_fit {
    struct px_match match;
    enum px_fit_stage stage;
    struct px_fault fault; /* stage OPERANDS */
    uint8_t message;       /* stage WHERE: enum px_where_message */
    px_word modifier;      /* stage SINCE: the word that needs more; 0: the form itself */
    const char *feature;   /* stage SINCE: what needs more, when it has a name of its own */
    struct px_since since; /* stage SINCE: what is missing */
};

/* inst.c: one form against the operands of `inst` and n modifiers, which need not be its own: how far it
 * gets. */
void px_inst_attempt(const struct ptx_module *module, const struct px_form *form, const struct px_inst *inst,
                     const px_word *words, unsigned n, struct px_fit *fit);

/* inst.c: forms of an opcode that the module's profile has: consecutive numbers from *first. */
unsigned px_inst_forms(const struct ptx_module *module, px_word opcode, uint16_t *first);

/* inst_opds.c: operands against the types of the match; the fault of the earliest phase. `module` may be
 * NULL: not asked. */
bool px_inst_operands(const struct ptx_module *module, const struct px_match *match,
                      const struct px_inst *inst, struct px_fault *fault);
unsigned px_fault_phase(enum px_fault_kind kind); /* 0: reading, 1: types, 2: the rest */
/* inst_vector.c: the type of a vector in braces, or why its elements do not go together. */
enum px_fault_kind px_vector_type(const struct px_operand *operand, enum px_type *type);
bool px_is_video(const struct px_match *match);      /* some operand may have a selector */
bool px_is_simd_video(const struct px_match *match); /* two or four lanes */
bool px_vector_variable(
    const struct px_operand *operand); /* a variable that passes for a register in braces */
double px_operand_value(const struct px_operand *operand); /* of a floating-point constant */
bool px_since_met(const struct ptx_module *module,
                  const struct px_since *since); /* by the module's version and target */
bool px_inst_pair_unused(
    const struct px_operand *operand); /* d|_ : ptxas takes it where no second result is */

/* inst_why.c: the message for an instruction that fits no form. */
struct px_why {
    struct ptx_module *module;
    const struct px_inst *inst;
    const px_word *words;
    unsigned nwords;
};
void px_inst_explain(const struct px_why *why, const struct px_fit *best);
#define px_complain(why, id, ...)                                                                            \
    px_diag_add(&(why)->module->diags, PX_D_##id, (why)->inst->pos, (why)->inst->opcode->len, ##__VA_ARGS__)

/* inst_words.c: the message for modifiers that no form takes; unknown: for a name or a modifier that nothing
 * has. */
px_word px_why_word(const struct px_why *why, enum px_word_kind kind,
                    unsigned nth); /* the nth modifier of a kind, or 0 */
unsigned px_why_count(const struct px_why *why, px_word word);
bool px_why_quirk(const struct px_why *why,
                  enum px_quirk quirk);            /* of the instruction with these modifiers */
const char *px_why_name(const struct px_why *why); /* the instruction as messages call it */
bool px_why_unknown(const struct px_why *why);
void px_why_torn(const struct px_why *why,
                 px_word word);                 /* `word` stands apart from the name it belongs to */
void px_why_rounding(const struct px_why *why); /* a rounding or .approx is missing */
bool px_why_clash(const struct px_why *why);    /* two modifiers that exclude each other */
void px_why_words(const struct px_why *why);

/* inst_note.c: adds to the message just given what would have fitted. */
void px_inst_note(const struct px_why *why, const struct px_fit *best);

#endif
