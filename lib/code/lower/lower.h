/* lower.h - what the files of the lowering share (lower*.c). */
#ifndef PX_CODE_LOWER_LOWER_H
#define PX_CODE_LOWER_LOWER_H

#include "match/match.h"
#include "check/check.h"
#include "code/ir/fn.h"

/* What lowering asks of a match, whatever the operands are. */
enum {
    PX_TRAIT_RUNS = 1,          /* the form can be run */
    PX_TRAIT_VIDEO = 2,         /* its statement computes one part */
    PX_TRAIT_SPLITS = 4,        /* ptxas ends a block there; */
    PX_TRAIT_SPLITS_GUARDED = 8 /* where it has a guard */
};
struct px_traits {
    uint64_t words;   /* which modifiers there may be (px_trait_word) */
    int32_t handler;  /* the statement's number; -1: none */
    uint16_t results; /* bit i: operand i is written */
    uint8_t is;       /* PX_TRAIT_ */
    /* of a statement: */
    uint8_t flags;                /* PX_IR_INST_ */
    uint8_t fp;                   /* the mode that it asks for */
    uint8_t reading[PX_MAX_OPDS]; /* enum px_ir_reading of a source that is a register */
};

static inline uint64_t px_trait_word(px_word word)
{
    return (uint64_t)1 << word % 64;
}

/* One checked instruction bound to its form. */
struct px_bound {
    const struct px_inst *inst;
    struct px_match match;
    struct px_traits traits;
    uint32_t guard; /* predicate register; PX_NONE32 */
    bool negated;
};

/* bind.c: finds the form of b->inst, and what is known of the match. False: it has none. */
bool px_lower_bind(const struct px_irfn *f, struct px_bound *b);
/* alu.c: what is known of a statement. */
void px_lower_know_statement(const struct px_irfn *f, struct px_bound *b);

/* Is the word among the modifiers? */
static inline bool px_bound_has(const struct px_bound *b, px_word word)
{
    return b->traits.words & px_trait_word(word) && px_match_has(&b->match, word);
}

/* counted.c: what is counted of the instruction of the origin that was just added. */
void px_counted_note(struct px_irfn *f, const struct px_bound *b);
void px_counted_refused(struct px_irfn *f, const struct px_inst *inst); /* touches nothing */

/* Makes IR of an operation that the table names `@name`. One for each name, or px_lower_operands: a row whose
 * function is missing does not link. */
typedef void px_lowering(struct px_irfn *f, const struct px_bound *b);
void px_lower_operands(struct px_irfn *f, const struct px_bound *b);
#define PX_LOWERING(number, name) px_lowering px_lower_##name;
#include "gen/lowerings.inc"
#undef PX_LOWERING

/* ---- instructions that the text does not have (lower/make.c) ---- */

/* An instruction of `words` (opcode first, 0 left out) and n operands at the place of `like`, of a form that
 * fits; a register of the text's kind, before registers are numbered. */
struct px_inst *px_make_inst(struct px_irfn *f, const struct px_inst *like, const px_word words[5],
                             const struct px_operand *operands, uint8_t n);
/* The same instruction, with operands of its own. */
struct px_inst *px_copy_inst(struct px_arena *arena, const struct px_inst *inst);
struct px_operand px_make_register(struct px_irfn *f, const struct px_inst *like, enum px_type type);

/* ---- instructions ---- */

/* Appends an instruction with its operands, results first. Valid until the next one. */
struct px_ir_inst *px_lower_inst(struct px_irfn *f, px_irop op, const struct px_ir_operand *opds,
                                 uint32_t ndst, uint32_t nopds);
/* Appends the statement with this result of operands of one type; n operands, the first of which is it. */
void px_lower_result(struct px_irfn *f, enum px_result result, enum px_type type,
                     const struct px_ir_operand *opds, uint32_t n);
/* One more operand, which is no address, of the instruction that was appended last: the caller counts them.
 */
void px_lower_add(struct px_irfn *f, struct px_ir_operand o);
/* The same as px_lower_inst under the guard of b. */
struct px_ir_inst *px_lower_guarded(struct px_irfn *f, const struct px_bound *b, px_irop op,
                                    const struct px_ir_operand *opds, uint32_t ndst, uint32_t nopds);
uint32_t px_lower_label(struct px_irfn *f);             /* a new one, placed nowhere */
void px_lower_place(struct px_irfn *f, uint32_t label); /* here */

/* The label that an operand names. */
/* A trap that says why the instruction cannot be run, where it is reached. */
void px_lower_refusal(struct px_irfn *f, const struct px_bound *b, const char *why);
uint32_t px_lower_target(struct px_irfn *f, const struct px_bound *b, const struct px_symbol *symbol);

/* Branches around what follows when the guard does not hold: for what may wait, leave or call. */
uint32_t px_lower_around(struct px_irfn *f, const struct px_bound *b); /* PX_NONE32: no guard */
void px_lower_around_end(struct px_irfn *f, uint32_t label);

/* ---- operands (lower/opnd.c) ---- */

uint32_t px_lower_elem(enum px_type type); /* bytes of an element of a row */
struct px_ir_operand px_lower_temp(struct px_irfn *f, uint32_t elem, enum px_type type);
uint32_t px_lower_register(struct px_irfn *f, uint32_t elem,
                           enum px_type type); /* no temporary: its row is masked */
uint32_t px_lower_components(const struct px_irfn *f, const struct px_operand *o);
uint32_t px_lower_reg(const struct px_irfn *f, const struct px_operand *o, uint32_t component);
bool px_lower_is_register(const struct px_operand *o);
/* A texture, sampler or surface: a source is its handle. */
bool px_lower_is_opaque(const struct px_symbol *symbol);

/* A source as elements of `type`: a register, a scalar or a constant; other widths go through a temporary. */
struct px_ir_operand px_lower_src(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  enum px_type type);
/* Any operand as another width; sign: extended. */
struct px_ir_operand px_lower_resize(struct px_irfn *f, struct px_ir_operand s, uint32_t elem, bool sign);
/* A constant or scalar in a row. */
struct px_ir_operand px_lower_row(struct px_irfn *f, struct px_ir_operand s);
/* A move of gang/fixed.def into a temporary; b may be none. */
struct px_ir_operand px_lower_fixed(struct px_irfn *f, enum px_fixed fix, uint32_t elem,
                                    struct px_ir_operand a, struct px_ir_operand b, uint32_t imm);
/* `%r+5` as a source: ptxas adds. s is the register. */
struct px_ir_operand px_lower_sum(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  struct px_ir_operand s);
/* Where a result of `type` goes, and what is to be done after it was written. */
struct px_ir_operand px_lower_dst(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                  enum px_type type);
void px_lower_done(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                   struct px_ir_operand d);
/* A source into a destination of the text, under the guard. */
void px_lower_assign(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                     enum px_type type, struct px_ir_operand s);
/* An address operand; `bytes` of memory are accessed at once. */
struct px_ir_operand px_lower_address(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                      enum px_space space, uint32_t bytes);

/* isspacep, istypep: the predicate that is operand 0 says of the address that is operand 1 what `fact` asks.
 */
void px_lower_question(struct px_irfn *f, const struct px_bound *b, px_op op, uint16_t fact);
/* The address in a row, but for *offset, which is to be added. */
struct px_ir_operand px_lower_address_row(struct px_irfn *f, struct px_ir_operand address, uint32_t *offset);
/* All of it in a row. */
struct px_ir_operand px_lower_whole_address(struct px_irfn *f, struct px_ir_operand address);

/* ---- constants (lower/const.c) ---- */

/* The constant that the operand is when read as `type`; false when it is none. */
bool px_lower_value(struct px_irfn *f, const struct px_operand *o, enum px_type type, uint64_t *value);
/* Address of a symbol in its state space; *local: it counts from the frame's local variables. False: it has
 * none. */
bool px_lower_symbol(struct px_irfn *f, const struct px_symbol *symbol, uint64_t *value, bool *local);
/* Is that a place behind where the block's shared memory begins, which differs between blocks of a cluster?
 */
bool px_lower_is_ranked(const struct px_irfn *f, const struct px_symbol *symbol);

/* ---- special registers (lower/sreg.c) ---- */

const struct px_sreg *px_lower_sreg(const struct px_operand *o, uint32_t *component); /* NULL: it is none */
struct px_ir_operand px_lower_sreg_src(struct px_irfn *f, const struct px_bound *b,
                                       const struct px_operand *o, uint32_t elem);

/* ---- parameters (lower/param.c) ---- */

struct px_param *px_lower_param(const struct px_irfn *f,
                                const struct px_symbol *symbol); /* NULL: none of this function */
void px_lower_params(struct px_irfn *f);                         /* places of all of them */
void px_lower_taken(struct px_irfn *f,
                    const struct px_inst *inst); /* parameters whose address it takes go to local memory */
void px_lower_stack(struct px_irfn *f);    /* lower/stack.c: free local memory begins behind the variables */
void px_lower_prologue(struct px_irfn *f); /* what the caller passed becomes the formal parameters */
void px_lower_return(struct px_irfn *f, px_irop op);
/* ld.param, st.param of a variable whose words are rows. */
void px_lower_param_access(struct px_irfn *f, const struct px_bound *b, const struct px_param *v, bool store);

/* Elements of a vector operand, or the one operand. */
struct px_parts {
    enum px_type type;
    uint32_t bytes, n;              /* of one element; elements */
    const struct px_operand *value; /* n operands */
    bool sign;
};
struct px_ir_operand px_lower_stored(struct px_irfn *f, const struct px_bound *b, const struct px_operand *o,
                                     const struct px_parts *p);
/* The first n components of a vector register or special register, as operands. */
const struct px_operand *px_lower_component_list(struct px_irfn *f, const struct px_operand *o, uint32_t n);
struct px_parts px_lower_parts(struct px_irfn *f, const struct px_bound *b, unsigned operand);
/* Bytes of the register that a loaded or stored operand is; of others as many as hold `bytes`. */
uint32_t px_lower_reg_bytes(const struct px_irfn *f, const struct px_operand *o, uint32_t bytes);

/* Statements of the table. */
void px_lower_statement(struct px_irfn *f, const struct px_bound *b, unsigned handler);
void px_lower_video(struct px_irfn *f, const struct px_bound *b, unsigned handler); /* of [video] rows */

/* The space of the address that the instruction's operand i is. */
enum px_space px_lower_space(const struct px_bound *b, unsigned i);

#endif
