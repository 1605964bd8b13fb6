/*
 * machine.h - what the files of the reference share.
 *
 * A machine runs one launch. Every thread is a little machine with a stack of
 * frames, each with registers and a pc; nothing is done for several threads at
 * once. An instruction of the checked tree is bound to its form once
 * (code.c): operands become registers, constants or places, and `run` is the
 * function that does it for one thread. A thread that must wait leaves what it
 * came with in its own fields; whoever completes the meeting writes the
 * results into the registers of all and makes them ready.
 */
#ifndef REF_MACHINE_H
#define REF_MACHINE_H

#include <setjmp.h>
#include <stdio.h>
#include "base/vec.h"
#include "match/match.h"
#include "check/check.h"
#include "link/program.h"
#include "reference.h"

__extension__ typedef unsigned __int128 ref_bits; /* the bits of any value, the rest 0 */

enum { REF_WARP = 32, REF_BARRIERS = 16, REF_OPERANDS = 10, REF_THREADS_MAX = 1024 };

/* ---- code ---- */

enum ref_kind {
    REF_SINK,  /* nothing: `_` */
    REF_REG,   /* register `reg` of the frame, `width` bits; read with `value` added */
    REF_CONST, /* value */
    REF_SREG,  /* special register `reg`, component `value` */
    REF_FRAME, /* address in local memory of a variable of the frame: offset `value`, `size` bytes */
    REF_LIST   /* `n` operands: braces, or a pair d|p */
};

struct ref_operand {
    uint8_t kind;   /* enum ref_kind */
    uint8_t type;   /* enum px_type: as what it is read or written */
    uint16_t bits;  /* of that type */
    uint16_t width; /* REG */
    bool negated;   /* !p */
    uint32_t reg, n;
    uint32_t size;
    int64_t offset; /* of addresses */
    ref_bits value;
    struct ref_operand *list;
};

struct ref_thread;
struct ref_inst;
struct ref_issue;

enum ref_step { REF_NEXT, REF_WAIT /* waits, yields or has exited */ };

typedef enum ref_step ref_run_fn(struct ref_thread *t, const struct ref_inst *in);

struct ref_inst {
    ref_run_fn *run;
    const struct px_inst *inst;
    struct px_match match;
    px_word opcode;
    px_op op;
    int handler; /* number of the statement; -1 */
    int mode;    /* rounding and FTZ that it asks for; -1 */
    bool guarded;
    bool named; /* a warp operation with a member mask, the last of `o` */
    struct ref_operand guard;
    unsigned n;
    struct ref_operand o[REF_OPERANDS];
    enum px_space space;
    enum px_type type; /* of the value, where one slot names it */
    unsigned what;     /* an operation among several, by the family's own numbers */
    const struct ref_target *call;
    const struct ref_matrix *matrix;     /* of mma, wmma, wgmma */
    uint32_t target, ntargets, *targets; /* branches: numbers of instructions */
};

/* A call: [(results),] callee [, (arguments)]. Operands are variables of the frame, registers or constants.
 */
struct ref_target {
    const struct px_lfunc *callee; /* NULL: by the address in `address` */
    struct ref_operand address, *args, *rets;
    uint32_t nargs, nrets;
};

/* A .local or .param variable of a function. */
struct ref_variable {
    const struct px_symbol *symbol;
    uint32_t offset, size;
};

struct ref_code {
    const struct px_lfunc *func;
    struct ref_inst *insts;
    uint32_t n, nregs;
    uint32_t *reg_base; /* by px_function.regs: first of its components */
    PX_VEC(struct ref_variable) vars;
    uint32_t local_bytes;
    struct ref_operand *params, *rets; /* formals: registers or variables */
};

/* ---- running ---- */

struct ref_frame {
    struct ref_frame *parent;
    const struct ref_code *code;
    const struct ref_target *call; /* that made it; in the parent's frame */
    uint32_t pc, local_base, depth;
    uint32_t under; /* where the parent's stack ended */
    uint32_t carry;
    ref_bits regs[];
};

enum ref_state { REF_READY, REF_BARRIER, REF_MEETING, REF_EXITED };

struct ref_thread {
    struct ref_machine *machine;
    struct ref_cta *cta;
    struct ref_frame *frame;
    uint32_t tid[3], index; /* index: in the CTA; index % 32 is the lane */
    uint8_t *local;
    uint32_t local_top, local_room;
    uint32_t slot; /* in machine->ready */
    uint8_t state; /* enum ref_state */
    /* what a waiting thread came with */
    const struct ref_inst *at;
    uint32_t number, count; /* BARRIER */
    uint32_t member;        /* MEETING: member mask; 0: with whoever can come */
    uint64_t a;
    uint32_t b, c;
    struct ref_issue *issued; /* async.c: what has not happened yet, in order */
    uint32_t groups;          /* of cp.async that it has committed */
};

struct ref_barrier {
    uint32_t arrived, expected;
}; /* warps that are complete; threads, 0: all */

struct ref_cta {
    struct ref_machine *machine;
    uint32_t number, id[3];
    uint8_t *shared;
    uint32_t nthreads, nwarps, nlive;
    uint32_t in_state[4];                      /* threads, by enum ref_state */
    uint32_t live[REF_THREADS_MAX / REF_WARP]; /* lanes of each warp that have not exited */
    struct ref_barrier barrier[REF_BARRIERS];
    struct ref_thread *threads;
};

struct ref_machine {
    const struct ref_launch *launch;
    jmp_buf failure;
    char *message;
    size_t message_size;
    struct px_arena arena;
    struct ptx_module *module;
    struct px_linked linked;
    bool is_linked;
    const struct px_lfunc *kernel;
    struct ref_code **code; /* by px_lfunc.id; NULL until it is called */
    uint8_t *global, *constant, *params;
    uint64_t global_base;
    uint32_t shared_bytes;
    uint64_t ncta, cta_first, cta_stride, cta_begun; /* the order of CTAs */
    struct ref_cta **ctas;                           /* resident ones; NULL: free */
    uint32_t nresident, nslots;
    struct ref_thread **ready;
    uint32_t nready;
    uint64_t random, steps, max_steps;
    struct ref_thread *running; /* for messages */
};

/* ---- run.c ---- */

/* Ends the launch with a message; at an instruction of the running thread the place is added. */
_Noreturn void ref_fail(struct ref_machine *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void ref_unsupported(struct ref_machine *m, const struct px_inst *inst, const char *why);
unsigned ref_line(const struct ref_machine *m, const struct px_inst *inst);
uint64_t ref_chance(struct ref_machine *m);
void ref_make_ready(struct ref_thread *t);                 /* a thread that waited goes on */
void ref_stop(struct ref_thread *t, enum ref_state state); /* the running thread waits, or has exited */

/* ---- code.c: the code of a function, made at its first call ---- */
const struct ref_code *ref_code_of(struct ref_machine *m, const struct px_lfunc *func);

/* ---- operands.c ---- */
struct ref_context {
    struct ref_machine *m;
    struct ref_code *code;
    const struct px_function *fn;
};
struct ref_operand ref_resolve(const struct ref_context *x, const struct px_inst *inst,
                               const struct px_operand *o, enum px_type type);
struct ref_operand ref_resolve_address(const struct ref_context *x, const struct px_inst *inst,
                                       const struct px_operand *o, enum px_space *space);
const struct ref_variable *ref_variable_of(const struct ref_code *code, const struct px_symbol *symbol);
struct ref_operand ref_register(const struct ref_code *code, const struct px_function *fn, uint32_t index,
                                uint32_t component, enum px_type type);
/* All of it: of a vector register the list of its components. */
struct ref_operand ref_register_whole(const struct ref_context *x, uint32_t index, enum px_type type);
/* The value as its type sees it: that many low bits, the rest 0; a predicate is 0 or 1. */
ref_bits ref_get(const struct ref_thread *t, const struct ref_operand *o);
/* A result of the operand's type: a wider register gets it extended by the type's sign, a sink nothing. */
void ref_put(struct ref_thread *t, const struct ref_operand *o, ref_bits v);

/* ---- families: each binds the instructions that it knows; false for others ---- */
bool ref_bind_alu(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_video(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_move(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_memory(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_atomic(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_control(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_barrier(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_async(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_warp(const struct ref_context *x, struct ref_inst *in);
bool ref_bind_matrix(const struct ref_context *x, struct ref_inst *in);
static inline bool ref_has(const struct ref_inst *in, px_word word)
{
    return px_match_has(&in->match, word);
}

/* ---- memory.c ---- */
enum ref_window { REF_WIN_SHARED = 0x11, REF_WIN_LOCAL, REF_WIN_CONST, REF_WIN_PARAM, REF_WIN_FUNC };
uint64_t ref_window_base(const struct ref_thread *t,
                         enum px_space space); /* generic minus state space address */
/* The bytes at an address of a state space (NONE: generic), with the space found in *space; a fault ends the
 * launch. */
uint8_t *ref_place(struct ref_thread *t, enum px_space *space, uint64_t address, uint64_t size, bool write);
uint64_t ref_address(struct ref_thread *t, const struct ref_operand *o, uint64_t align);

/* ---- control.c ---- */
void ref_enter(struct ref_thread *t, const struct ref_code *code, const struct ref_target *call);
enum ref_step ref_run_ret(struct ref_thread *t, const struct ref_inst *in);

/* ---- barrier.c, warp.c: a lane has exited or begun to wait; who may go on now? ---- */
void ref_barrier_exited(struct ref_cta *cta, uint32_t warp);
void ref_warp_settle(struct ref_cta *cta, uint32_t warp);

/* ---- warp.c, matrix.c, wgmma.c: an instruction for which all lanes of a warp, or of four, meet ---- */
void ref_bind_meeting(struct ref_inst *in);
void ref_bind_group(struct ref_inst *in);
void ref_matrix_run(struct ref_thread *warp, uint32_t lanes, const struct ref_inst *in);
void ref_wgmma_run(struct ref_thread *group, const struct ref_inst *in);

/* ---- sregs.c ---- */
bool ref_sreg_known(uint32_t id);
uint64_t ref_sreg(const struct ref_thread *t, uint32_t id, uint32_t component);

/* ---- scalar.c: the statements of the instruction table, one thread's values at a time ---- */
union ref_lane {
    uint8_t u8;
    int8_t s8;
    uint16_t u16;
    int16_t s16;
    uint32_t u32;
    int32_t s32;
    uint64_t u64;
    int64_t s64;
    float f32;
    double f64;
    bool pred;
    uint32_t none;
    ref_bits bits;
};
struct ref_scalar {
    void (*fn)(const union ref_lane in[3], union ref_lane *d, union ref_lane *e, uint32_t *carry);
    uint8_t nd, ns;
    bool f32; /* gives a float, whose NaN is the chip's */
};
const struct ref_scalar *ref_scalar_of(int handler);

/* What a [wide] row's source is by the time its statement sees it. */
ref_bits ref_widen(ref_bits v, enum px_type type);

/* approx.c: the approximate units; NULL when the operation is none. */
typedef uint64_t ref_approx_fn(uint64_t a, uint64_t b);
ref_approx_fn *ref_approx_of(px_op op, bool ftz);

/* fpmode.c */
uint64_t ref_fp_enter(void); /* the caller's mode; round to nearest without FTZ from now on */
void ref_fp_leave(uint64_t caller);
void ref_fp_set(int mode); /* the numbers of px_match_fp_mode; 0: as above */

#endif
