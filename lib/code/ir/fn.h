/*
 * fn.h - what the files of lib/code share: a kernel and its functions while they become code.
 *
 * code.c runs the passes; each works on one px_irfn:
 *
 *   lower*.c    checked instructions -> IR, by the form that matched
 *   fold.c      what ptxas simplifies,
 *   contract*.c mul and add that become one fma
 *   blocks.c    blocks, edges, their order
 *   uniform.c   registers that equal one scalar are that scalar
 *   values.c    what convergent code keeps as scalars,
 *   terms.c     or as a scalar and a part that depends on the lane's place alone
 *   canon.c     where NaNs are made the chip's
 *   rows.c      liveness, and the rows that registers get
 *   forks.c     short branches whose ways meet at once,
 *   loops.c     and innermost loops that lanes run aside
 *   fusion.c    instructions that one record does together
 *   emit*.c     records
 *
 * The IR lives in a scratch arena that ends with the decoding, what a pass needs
 * for itself in one that ends with the pass; what the records refer to lies in the
 * program's arena (`keep`).
 */
#ifndef PX_CODE_IR_FN_H
#define PX_CODE_IR_FN_H

#include <setjmp.h>
#include "front/module.h"
#include "code/code.h"
#include "code/ir/ir.h"
#include "flow/dominators.h"
#include "flow/loops.h"
#include "link/program.h"
#include "gang/engine.h"
#include "gang/gang.h"
#include "ops/matrix.h"
#include "gang/tally.h"

/* Instructions of the text that cannot be run: traps stand for them (PX_OP_trap, `aux` is their number). */
struct px_refused {
    const struct px_inst *inst;
    const char *text; /* "'vadd...' cannot be run by this VM yet; ..." */
};

struct px_refusals {
    struct px_arena *arena;
    PX_VEC(struct px_refused) list;
    bool again; /* one was found: the kernel is decoded anew */
};

struct px_coder {
    struct px_arena *keep;        /* the program's */
    struct px_arena *scratch;     /* the IR, until the records are made */
    struct px_arena *draft;       /* the same while it grows (passes.def) */
    struct px_arena *pass;        /* what a pass needs for itself: empty when the next one begins */
    struct px_bindings *bindings; /* how instructions were bound (lower/bind.c) */
    const struct px_linked *linked;
    const struct px_level *level;
    const struct px_lfunc *kernel;
    struct px_irfn **fns; /* by px_lfunc.id; NULL: not reached */
    PX_VEC(struct px_irfn *) queue;
    struct px_fcode **codes; /* by px_lfunc.id: of all in the queue */
    uint32_t width, threads;
    uint32_t least_width; /* the widest group of lanes that an instruction needs together */
    uint32_t program;     /* owner number of its windows */
    bool cooperates;      /* see px_code */
    struct px_code_wishes wishes;
    uint32_t ntallies;       /* counters of the functions that have records */
    PX_VEC(uint8_t) machine; /* code of regions, until it is placed */
    struct px_refusal why;   /* text NULL: none */
    jmp_buf give_up;         /* px_code_fail comes here, */
    /* or, while a function is lowered, to the next instruction */
    struct px_listener *listener; /* NULL: nobody hears of it */
    struct px_refusals *refused;  /* NULL: nothing is made but what the listener hears */
    jmp_buf *next;                /* while a function is lowered */
    bool told;
    PX_VEC(struct px_name *) words; /* in instructions that lowering makes of indices: few */
};

/* A .param variable, a formal parameter or a .local variable of the function. */
struct px_param {
    const struct px_symbol *symbol;
    uint32_t bytes;
    uint32_t reg;   /* of its first word; PX_NONE32 in local memory */
    uint32_t local; /* its place among the frame's local variables, or PX_NONE32 */
};

/* A px_lane_term before it has a place in the frame. */
struct px_ir_term {
    struct px_lane_term is;
    struct px_ir_operand factor; /* SCALE: PX_IR_IMM, PX_IR_PARAM or PX_IR_UNIFORM */
};

/* A branch at the end of a block whose ways meet at once, at the block `join` (forks.c). */
struct px_ir_fork {
    uint32_t node, join;
    bool inside; /* of a loop that runs aside: its ways have records of their own there (loops.c) */
};

/* An innermost loop that lanes run aside; its head (loops.c). */
struct px_ir_loop {
    uint32_t node;
    bool masked; /* some of its records look at the mask row */
};

/* A form of matrix instructions: one for each combination of words. */
struct px_ir_matrix {
    struct px_mma_words words;
    const struct px_matrix_form *form; /* the program's */
};

struct px_irfn {
    struct px_coder *coder;
    const struct px_lfunc *func;
    const struct px_function *fn;
    const struct ptx_module *module;
    struct px_fcode *code;
    struct px_arena_mark before; /* of scratch, when its analysis began */

    PX_VEC(struct px_ir_inst) insts;
    struct px_ir_inst *replaced; /* the list before, of a pass that made another: nobody reads it */
    PX_VEC(struct px_ir_opd) opds;
    PX_VEC(uint64_t) values; /* constants, and what is added to the bases of addresses */
    PX_VEC(struct px_ir_reg) regs;
    PX_VEC(struct px_origin) origins;
    PX_VEC(struct px_counted) counted; /* by origin, where executions are counted */
    const struct px_loc *loc;          /* the last .loc of the text so far */
    const struct px_inst *text;        /* the instruction of the text that is lowered */
    PX_VEC(uint32_t) labels;           /* instruction behind it; those of the text come first */
    PX_VEC(px_pos) text_labels;        /* where they stand */
    uint32_t labels_placed;            /* of those of the text */
    uint32_t text_insts;               /* instructions of the text, */
    bool moves_stack;                  /* and one of them allocates or frees local memory */
    PX_VEC(struct px_call_site) sites;
    PX_VEC(struct px_words) passed; /* by calls, and to this function */
    PX_VEC(uint32_t) words;         /* their words: registers */
    PX_VEC(const char *) refusals;  /* what traps say, from number 1 on */
    PX_VEC(struct px_ir_switch) switches;
    PX_VEC(struct px_ir_matrix) matrices;
    PX_VEC(struct px_wgmma_words) wgmmas;
    PX_VEC(const struct px_match *) matches; /* of operations that are one function (lower/operands.c) */
    PX_VEC(struct px_param) params;
    uint32_t *param_of;               /* by index in px_function.vars: in params; PX_NONE32 */
    uint32_t *reg_base;               /* by index in px_function.regs, more_regs behind: first register */
    PX_VEC(struct px_reg) more_regs;  /* that lowering added */
    const struct px_operand *element; /* two of them for the address of name[register]; NULL until needed */
    bool element_framed;              /* that name lies in the frame: a .param of a function, a .local */
    uint32_t carry;                   /* the carry flag's register; PX_NONE32 until needed */
    uint32_t stack;                   /* of alloca: where the lane's free local memory begins; PX_NONE32 */
    uint64_t local_bytes;
    uint32_t local_align;      /* the greatest of its .local variables; 0: none asks for one */
    struct px_ir_names *names; /* of the text form; NULL: nobody wants to see it */
    uint8_t
        fresh; /* PX_IR_INST_ of the first one made of the running instruction of the text; 0: it is made */

    struct px_flow_graph graph;
    struct px_flow_loops loops; /* the order of the code */
    struct px_flow_tree dominators;
    PX_VEC(struct px_ir_term) terms;
    PX_VEC(struct px_ir_fork) forks; /* both in the order of the code */
    PX_VEC(struct px_ir_loop) aside;
    uint32_t nkept, nsurveys;    /* registers that are not PX_IR_ROW; rows of which addresses are surveyed */
    uint32_t row_bytes, zero_to; /* a lane; rows below zero_to may be read before they are written */
    uint32_t live_bytes;         /* of row_bytes those that are no temporaries */
};

/* What cannot be run: an instruction of the text, which becomes a trap when the kernel is decoded anew, or
 * (NULL) the function as a whole, which ends everything. */
_Noreturn void px_code_fail(struct px_irfn *f, const struct px_inst *inst, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Why an instruction of the text cannot be run, as far as it was found; NULL: it can. */
const char *px_code_refused(const struct px_irfn *f, const struct px_inst *inst);

_Noreturn void px_code_no_memory(struct px_irfn *f);

/* lower/bind.c */
struct px_bindings *px_bindings_make(struct px_arena *arena);

struct px_irfn *px_code_function(struct px_coder *coder, const struct px_lfunc *func);

/* A register by its index: of the text, or of those added behind. */
static inline const struct px_reg *px_code_reg(const struct px_irfn *f, uint32_t index)
{
    uint32_t n = f->fn->regs.n;
    return index < n ? &f->fn->regs.at[index] : &f->more_regs.at[index - n];
}

/* The passes, in their order. */
void px_lower(struct px_irfn *f);
void px_ir_fold(struct px_irfn *f);
void px_ir_contract(struct px_irfn *f);
void px_ir_blocks(struct px_irfn *f);
void px_ir_uniform(struct px_irfn *f);
void px_ir_canon(struct px_irfn *f);
void px_ir_values(struct px_irfn *f);
void px_ir_rows(struct px_irfn *f);
void px_ir_forks(struct px_irfn *f);
void px_ir_loops(struct px_irfn *f);
void px_ir_fusion(struct px_irfn *f);
void px_emit(struct px_irfn *f);
/* emit.c: is there a handler of the statement or move for one value? What passes may ask of emission. */
bool px_emit_has_alone(const struct px_irfn *f, px_irop op);

/* ---- reading the IR ---- */

static inline struct px_ir_opd *px_ir_opds(const struct px_irfn *f, const struct px_ir_inst *in)
{
    return f->opds.at + in->first;
}

/* The value of one of the instruction's operands, a constant or an address. */
static inline uint64_t *px_ir_value(const struct px_irfn *f, const struct px_ir_inst *in,
                                    const struct px_ir_opd *o)
{
    uint32_t at = in->values;
    if (o->kind == PX_IR_IMM) return f->values.at + o->at;
    for (const struct px_ir_opd *before = px_ir_opds(f, in); before < o; before++)
        at += before->kind == PX_IR_ADDRESS;
    return f->values.at + at;
}

/* An operand that is no address. */
static inline struct px_ir_operand px_ir_plain(const struct px_irfn *f, const struct px_ir_opd *o)
{
    return (struct px_ir_operand){.is = *o, .value = o->kind == PX_IR_IMM ? f->values.at[o->at] : 0};
}

/* facts.c: is the operand an address that a survey serves? */
bool px_ir_is_served(const struct px_ir_inst *in, const struct px_ir_opd *o);

/* values.c: the register x of d = x + scalar, or of d = x; PX_NONE32 when the instruction is neither. */
uint32_t px_ir_stepped(const struct px_irfn *f, const struct px_ir_inst *in);

/* The register that the operand reads or writes, PX_NONE32 when it is none. */
static inline uint32_t px_ir_register(const struct px_ir_opd *o)
{
    bool is = o->kind == PX_IR_REG || (o->kind == PX_IR_ADDRESS && o->base == PX_IR_REG);
    return is ? o->at : PX_NONE32;
}

/* PX_OPERATION_ of the operation that the table names; 0 of all others. */
static inline unsigned px_ir_flags(px_irop op)
{
    return px_ir_kind_of(op) == PX_IR_TABLE ? px_op_flags((px_op)(op & ~PX_IR_KIND)) : 0;
}

/* Is it a plain load? */
static inline bool px_ir_loads(const struct px_ir_inst *in)
{
    return px_op_loads(px_ir_flags(in->op));
}

/*
 * Does it write results only where the sources have been read? Operations other than moves and statements may
 * write before that: their sources live on.
 */
static inline bool px_ir_in_place(const struct px_ir_inst *in)
{
    const px_irop kind = px_ir_kind_of(in->op);
    return kind == PX_IR_STATEMENT || kind == PX_IR_FIXED || in->op == PX_IR_COPY || in->op == PX_IR_CANON ||
           in->op == PX_IR_UNIT;
}

/* May control go on behind it? Branches that the text names become PX_IR_JUMP and PX_IR_BRANCH. */
static inline bool px_ir_falls(const struct px_ir_inst *last)
{
    return !(px_ir_flags(last->op) & PX_OPERATION_ends) && last->op != PX_IR_JUMP && last->op != PX_IR_END;
}

#endif
