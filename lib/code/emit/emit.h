/*
 * emit.h - what the files of the emission share: from the IR to records.
 *
 * Each instruction is emitted for each version of the code, by the same functions: for convergent code, where
 * all lanes of a frame are together and registers may be kept as scalars; then for divergent code, where
 * lanes may differ, every register is a row, and writes are masked; in a loop that runs aside for lanes that
 * nobody else's values stand beside, which write whole rows; and in the way of a fork there. A pc means the
 * same place in all versions, so whichever has fewer records for an instruction gets some that do nothing.
 * Emission alone knows handlers.
 */
#ifndef PX_CODE_EMIT_EMIT_H
#define PX_CODE_EMIT_EMIT_H

#include "code/emit/pack.h"
#include "code/ir/shape.h"
#include "ptx_trace.h"

#define PX_POOL_TAG 0x80000000u /* of offsets in the pool, until it is known where it lies */

/* A row for the duration of one instruction. Those of instructions in which lanes may sleep while others go
 * on are apart, and written by the lanes that run only. */
struct px_temp {
    uint32_t row;
    uint8_t elem;
    bool used, held;
};

/* The records of what runs aside, until it ends. */
struct px_emit_aside {
    bool open;
    uint32_t from; /* the pc of the first */
    PX_VEC(struct px_insn) code;
};

/* What one handler does together (fuse.c): the first instruction, NULL: none, and the pc of its record. */
struct px_emit_group {
    const struct px_ir_inst *first;
    uint32_t pc;
};

/* What records of one instruction point to. */
struct px_emit_node {
    const void *kept;
    size_t size;
};

/* Memory in which that is filled in: for one after the other. */
struct px_draft {
    void *at;
    size_t size;
    bool used;
};

struct px_emitter {
    struct px_irfn *f;
    enum px_ir_version version; /* that is emitted, */
    bool masked;                /* and what it writes is masked without a guard, too */
    uint32_t n, cap;            /* convergent records so far; room in px_fcode.conv */
    PX_VEC(struct px_insn) div; /* divergent ones that are not packed yet: */
    uint32_t packed;            /* so many are */
    struct px_packer pack;
    struct px_emit_aside loop, way;
    uint32_t loop_end, way_end;   /* places behind the loop's last block, the way's last instruction, */
    uint32_t way_place, way_mask; /* the way's first one; its mask row, 0: the entry's */
    uint32_t next_aside, nbeside; /* loops that have begun; records of what has ended, and what stops it */
    const bool *is_base;          /* px_ir_bases; NULL where nothing runs aside */
    struct px_emit_group groups[PX_IR_VERSIONS];
    PX_VEC(struct px_emit_node) nodes; /* what the instruction's records point to */
    PX_VEC(struct px_draft) drafts;
    PX_VEC(struct px_temp) temps;
    PX_VEC(struct px_insn *) replaced; /* records that fused ones stand in for */
    PX_VEC(uint32_t) fused;            /* convergent records that do the work of some behind them: pcs */
    uint32_t loop_until;               /* blocks up to this place in the order are of a loop */
    PX_VEC(uint64_t) pool;             /* constants, 8 bytes each; those of 16 begin at even places */
    uint32_t *hash, hash_size;         /* of the pool: places + 1 */
    uint32_t *pc_of;                   /* by node */
    uint32_t frame_bytes;              /* rows are placed; further ones go here */
    uint32_t ord;                      /* instructions of the text so far */
    uint32_t lanes_counted;            /* ord of the instruction whose lanes were counted last */
    uint32_t fp;                       /* mode in force */
    uint32_t slots;                    /* memory records so far */
    bool *read;                        /* by register: is it ever read? NULL until asked */
    uint32_t
        *pc_at; /* by place of an instruction in the layout: its first record; one more behind the last */
    uint32_t placed; /* instructions so far */
    const struct px_ir_inst *in;
    struct {
        const struct px_ir_inst *branch, *load;
    } asks; /* the last branch that was asked for the load of a loop that does nothing else (ctl.c) */
    struct px_emit_bases
        *bases; /* of trace.c: variables that addresses are computed from; NULL until asked */
    const struct ptx_trace_place *place;   /* of trace.c: what it reported last, */
    const struct px_inst *place_of;        /* and of which instruction */
    PX_VEC(struct px_ir_operand) operands; /* of the instruction */
    bool held;                             /* lanes may sleep in it */
    uint32_t guard;                        /* mask row of the instruction's guard; 0 without */
};

/* Are all lanes of the frame together in the version that is emitted? */
static inline bool px_emit_together(const struct px_emitter *e)
{
    return e->version == PX_IR_CONVERGENT;
}
/* Do its handlers look at a mask row? */
static inline bool px_emit_is_masked(const struct px_emitter *e)
{
    return e->masked || e->guard;
}

/* An operand as an offset in the frame; scalars and rows alike. */
uint32_t px_emit_other_place(struct px_emitter *e, const struct px_ir_operand *o);
static inline uint32_t px_emit_place(struct px_emitter *e, const struct px_ir_operand *o)
{
    const uint32_t row = o->kind == PX_IR_REG ? e->f->regs.at[o->at].row : PX_NONE32;
    return row != PX_NONE32 ? row : px_emit_other_place(e, o);
}
static inline bool px_emit_is_scalar(const struct px_ir_operand *o)
{
    return o->kind == PX_IR_UNIFORM || o->kind == PX_IR_PARAM || o->kind == PX_IR_IMM;
}
/* What this version keeps of the operand: PX_IR_ROW unless it is a register that convergent code keeps. */
static inline enum px_ir_keep px_emit_keep(const struct px_emitter *e, const struct px_ir_operand *o)
{
    const uint32_t reg = px_emit_together(e) ? px_ir_register(&o->is) : PX_NONE32;
    return reg == PX_NONE32 ? PX_IR_ROW : (enum px_ir_keep)e->f->regs.at[reg].keep;
}
/* The operand where it is a scalar, for whatever reason; else PX_NONE32. */
uint32_t px_emit_scalar(struct px_emitter *e, const struct px_ir_operand *o);
/* The same of an instruction that is done for scalars alone: of PX_IR_LANES the scalar, too. */
uint32_t px_emit_alone(struct px_emitter *e, const struct px_ir_operand *o);
/* The record that makes row `d` of a register that is something plus a scalar. */
struct px_insn px_emit_sum(const struct px_emitter *e, uint32_t reg, uint32_t d);
/* The same as a row: scalars are spread into a temporary. */
uint32_t px_emit_row(struct px_emitter *e, const struct px_ir_operand *o);
/* Where the survey of the register's row lies in the frame; the register has one. */
uint32_t px_emit_survey(const struct px_emitter *e, uint32_t reg);
uint32_t px_emit_temp(struct px_emitter *e, uint32_t elem);
uint32_t px_emit_constant(struct px_emitter *e, uint64_t value, const uint64_t *high);

/* Appends a record to the version that is emitted; to all, between instructions: `div` to those that are not
 * convergent. */
void px_emit_record_of(struct px_emitter *e, px_handler fn, const struct px_insn *in);
static inline void px_emit_record(struct px_emitter *e, px_handler fn, struct px_insn in)
{
    px_emit_record_of(e, fn, &in);
}
void px_emit_in_all(struct px_emitter *e, px_handler conv, px_handler div, struct px_insn in);
/* Room for so many convergent records. */
void px_emit_room(struct px_emitter *e, uint32_t cap);
/* A convergent record like this one, whatever version is emitted. */
struct px_insn *px_emit_convergent(struct px_emitter *e, const struct px_insn *in);
/* The record of the version that is emitted at this pc, which has not been packed. */
struct px_insn *px_emit_at(const struct px_emitter *e, uint32_t pc);
/* The pc of the next one. */
uint32_t px_emit_next(const struct px_emitter *e);
/* What a record points to beside itself is filled in at `node`, zeroed; `kept` is its copy that stays, and
 * ends the node. Both versions share one where theirs are equal: operands of the convergent version may
 * lie in rows of their own. */
void *px_emit_node(struct px_emitter *e, size_t size);
const void *px_emit_kept(struct px_emitter *e, const void *node, size_t size);
/* A handler pair [unmasked, masked] under the guard. */
void px_emit_guarded(struct px_emitter *e, const px_handler fn[2], struct px_insn in);
/* A move: under the guard, or into a row that owns itself. */
void px_emit_fixed(struct px_emitter *e, enum px_fixed fix, struct px_insn in);
void px_emit_own(struct px_emitter *e, enum px_fixed fix, struct px_insn in);

/* The guard of the instruction as a mask row; `memory`: joined with the entry's mask in any case. */
void px_emit_guard(struct px_emitter *e, bool memory);
/* Does the instruction write only temporaries, and under no guard: then for all lanes. */
bool px_emit_is_own(const struct px_emitter *e);

typedef void px_emission(struct px_emitter *e, const struct px_ir_inst *in, const struct px_ir_operand *o);
enum px_fixed px_emit_broadcast(uint32_t elem);
/* The handler of a record that does nothing: a place in the other version. */
int px_emit_no_record(struct px_gang *g, const struct px_insn *in);
px_emission px_emit_step, px_emit_statement, px_emit_copy, px_emit_canon, px_emit_move, px_emit_unit,
    px_emit_sreg, px_emit_operands;
px_emission px_emit_acquire, px_emit_release, px_emit_jump, px_emit_branch, px_emit_nothing;
#define PX_EMISSION(number, name, function) px_emission px_emit_##function;
#include "gen/emissions.inc"
#undef PX_EMISSION
/* A record that accesses memory at this address; `align` goes to its size. */
struct px_insn px_emit_access(struct px_emitter *e, const struct px_ir_operand *address, uint32_t align);
/*
 * trace.c: where somebody hears of accesses, a record before the one that makes it; else nothing.
 * px_emit_guard has been called. `how`: PTX_TRACE_.
 */
struct px_traced;
static inline bool px_emit_traces(const struct px_emitter *e)
{
    return e->f->coder->wishes.traces;
}
void px_emit_trace(struct px_emitter *e, const struct px_ir_operand *address, unsigned how, uint32_t bytes);
void px_emit_trace_store(struct px_emitter *e, const struct px_ir_operand *address, unsigned how,
                         const struct px_ir_operand *values, uint32_t n);
/* Of stmatrix: n matrices. */
void px_emit_trace_matrix(struct px_emitter *e, const struct px_ir_operand *address,
                          const struct px_traced *told, const struct px_ir_operand *values, uint32_t n);
/* The same of `told`, but for what px_emit_trace fills in; `sizes`: bytes of each lane, or a row's lines are
 * that far apart (in elements), or what is stored, or NULL. */
void px_emit_trace_as(struct px_emitter *e, const struct px_ir_operand *address, const struct px_traced *told,
                      const struct px_ir_operand *sizes);
/* Where somebody hears of what orders accesses, a record that reports it: with operands that are uint32_t,
 * of which there may be none (NULL), or with constants. */
void px_emit_trace_event(struct px_emitter *e, ptx_trace_kind kind, const struct px_ir_operand *number,
                         const struct px_ir_operand *count);
void px_emit_trace_order(struct px_emitter *e, ptx_trace_kind kind, uint64_t number, unsigned count);
/* A fence, or what orders wgmma; `groups` of that may be left. */
void px_emit_trace_fence(struct px_emitter *e, uint64_t groups);
/* Where the instruction stands, for a record that reports by itself; NULL: nobody hears of accesses. */
const ptx_trace_place *px_emit_trace_place(struct px_emitter *e);
/* fuse.c: the record of the version that was just made, where it ends what one handler does; `made`: there is
 * one. */
void px_fuse(struct px_emitter *e, bool made);
/* counted.c: a record that counts the lanes of an access under a guard; the list of what is counted. */
void px_counted_lanes(struct px_emitter *e, const struct px_ir_inst *in);
void px_counted_keep(struct px_emitter *e);
void px_emit_to(struct px_emitter *e, uint32_t node); /* a jump to a block */
bool px_emit_goes(const struct px_insn *r);           /* is it a jump, or such a look? */
bool px_emit_joins(const struct px_insn *r);          /* is it such a look? */
bool px_emit_targets(const struct px_insn *r);        /* does it name a pc, branches by rows apart? */
void px_emit_shuffle(struct px_emitter *e);           /* random schedule: lanes may part */
void px_emit_join(struct px_emitter *e);              /* lanes that fall through stop to look for others */
void px_emit_enter(struct px_emitter *e);             /* the same, before a loop that may be a region; */
void px_emit_enters_not(struct px_insn *r);           /* it is none: in convergent code nobody stops there */

#endif
