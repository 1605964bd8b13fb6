/*
 * decode.h - what the files of the decoder share (decode*.c, liveness.c).
 *
 * Decoding a function goes through these steps:
 *   decode_cfg.c   the body as a flat list of instructions; blocks; their order
 *   liveness.c     scalars by definition; which registers live where; rows
 *   decode.c       the width of the gang, once all functions of a kernel are known
 *   decode_inst.c and decode_*.c   records, block by block
 *
 * A virtual register (vreg) is one component of a .reg. Row offsets are kept in
 * bytes a lane until the width is known.
 */
#ifndef PX_VM_DECODE_H
#define PX_VM_DECODE_H

#include <setjmp.h>
#include "base/vec.h"
#include "check/check.h"
#include "front/print.h"
#include "link/program.h"
#include "vm/gang.h"

#define PX_NONE32 0xffffffffu
#define PX_POOL_TAG 0x80000000u

/* One instruction of the flat body. */
struct px_dinst {
    const struct px_inst *inst;
    struct px_match match;
    px_word opcode;
    enum px_op op;   /* what to do when there is no handler */
    uint32_t loc;    /* px_trap.loc */
    uint32_t block;
    int16_t handler; /* px_match_handler; -1: a meaning function */
    bool ends;       /* leaves the block */
};

struct px_label { const struct px_stmt *stmt; uint32_t item; /* the first behind it */ };

struct px_block_info {
    uint32_t first, n;        /* items, in text order */
    uint32_t succ[2];         /* blocks: [0] fall through, [1] branch; PX_NONE32 */
    const uint32_t *more;     /* further targets (brx.idx) */
    uint32_t nmore;
    uint32_t preds;           /* how many edges come in */
    uint32_t order;           /* place in the layout; PX_NONE32: unreachable */
    uint32_t from, to;        /* positions of its first and last item in the layout */
    uint32_t pc;
    uint64_t *live_in, *live_out; /* bits by px_vreg.global */
};

struct px_vreg {
    uint8_t elem;      /* bytes of an element */
    uint8_t type;      /* enum px_type */
    bool dirty;        /* may hold a NaN that the chip would have made canonical */
    bool many;         /* more than one definition, or a guarded one */
    uint32_t scalar;   /* offset of the scalar that it always equals; PX_NONE32 */
    uint32_t defs;
    uint32_t global;   /* number among registers that live across blocks; PX_NONE32 */
    uint32_t block;    /* where it occurs, as long as that is one block */
    uint32_t first, last; /* positions in the layout; first > last: never */
    uint32_t row;      /* offset of its row a lane, then in the frame; PX_NONE32 */
    bool zeroed;       /* may be read before it is written */
};

/* A .param variable, a formal parameter or a .local variable of the function. */
struct px_pvar {
    const struct px_symbol *symbol;
    uint32_t bytes, row;     /* row: of the first word; in local memory: offset among the frame's variables */
    uint32_t first, last;
    bool formal, local;      /* local: .local, or a parameter whose address is taken */
};

/* A row for the duration of one instruction. */
struct px_temp { uint32_t row; uint8_t elem; bool used; };

struct px_fn_dec {
    struct px_dec *dec;
    const struct px_lfunc *func;
    const struct px_function *fn;
    const struct ptx_module *module;
    struct px_fcode *code;
    PX_VEC(struct px_dinst) items;
    struct px_block_info *blocks;
    uint32_t nblocks;
    uint32_t *layout;        /* blocks in the order of their code */
    uint32_t nlayout;
    PX_VEC(struct px_label) labels; /* in text order */
    uint32_t *reg_base;      /* by register index: first vreg */
    struct px_vreg *vregs;
    uint32_t nvregs, nglobals;
    PX_VEC(struct px_pvar) pvars;
    PX_VEC(uint64_t) pool;   /* constants */
    uint32_t row_bytes;      /* of all rows, a lane */
    uint32_t zero_from, zero_to; /* a lane; rows in between may be read first */
    uint64_t local_bytes;
    /* while records are made */
    PX_VEC(struct px_insn) conv;
    PX_VEC(struct px_insn) div;
    PX_VEC(struct px_origin) src;
    PX_VEC(struct px_temp) temps;
    PX_VEC(struct px_call_site *) sites;
    PX_VEC(struct px_table *) tables; /* targets are blocks until the end */
    uint32_t frame_bytes;
    uint32_t ord;
    uint32_t guard;          /* mask row of the instruction's guard; 0 without */
    uint32_t conv_guard;     /* the same for conv records; 0: unmasked */
    uint32_t fp, carry;      /* mode in force; row of the carry flag, 0 until needed */
    uint32_t slots;          /* memory records so far */
    const struct px_dinst *item;
};

struct px_dec {
    struct px_arena *arena;
    const struct px_linked *linked;
    const struct px_level *level;
    const struct px_lfunc *kernel;
    struct px_fn_dec **fns;   /* by px_lfunc.id */
    PX_VEC(struct px_fn_dec *) queue;
    uint32_t width, threads;
    uint32_t program;         /* owner number of its windows */
    bool approx_exact;        /* ptx_device_config.approx_exact */
    const char *error;
    jmp_buf give_up;          /* px_dec_fail comes here */
};

/* Ends decoding with a message that names the instruction and its line. */
_Noreturn void px_dec_fail(struct px_fn_dec *d, const struct px_inst *inst, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* decode.c */
/* The decoded (or to be decoded) form of a function with code. */
struct px_fn_dec *px_dec_function(struct px_dec *dec, const struct px_lfunc *func);

/* decode_cfg.c */
void px_dec_flatten(struct px_fn_dec *d);
void px_dec_blocks(struct px_fn_dec *d);
void px_dec_order(struct px_fn_dec *d);

/* liveness.c */
typedef void px_dec_visitor(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user);
/* Calls `visit` for every register that the instruction reads or writes, reads first. */
void px_dec_visit(struct px_fn_dec *d, const struct px_dinst *item, px_dec_visitor *visit, void *user);
uint32_t px_dec_vreg(struct px_fn_dec *d, const struct px_operand *o, uint32_t component);
uint32_t px_dec_components(struct px_fn_dec *d, const struct px_operand *o);
void px_dec_registers(struct px_fn_dec *d);
void px_dec_scalars(struct px_fn_dec *d);
void px_dec_dirty(struct px_fn_dec *d);
void px_dec_liveness(struct px_fn_dec *d);
void px_dec_rows(struct px_fn_dec *d);
struct px_pvar *px_dec_pvar(struct px_fn_dec *d, const struct px_symbol *symbol);

/* decode_opnd.c: operands */
struct px_src { uint32_t at; bool scalar; };
uint32_t px_dec_elem(enum px_type type);               /* bytes of an element of a row */
uint32_t px_dec_constant(struct px_fn_dec *d, uint64_t value, const uint64_t *high);
uint32_t px_dec_temp(struct px_fn_dec *d, uint32_t elem);
/* The operand as `elem` bytes, row or scalar; as a row. `type` decides how literals are read. */
struct px_src px_dec_src(struct px_fn_dec *d, const struct px_operand *o, enum px_type type);
uint32_t px_dec_row(struct px_fn_dec *d, const struct px_operand *o, enum px_type type);
uint32_t px_dec_as_row(struct px_fn_dec *d, struct px_src s, uint32_t elem);
/* The constant that the operand is; false when it is none. */
bool px_dec_value(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, uint64_t *value);
/* A vreg as a source of `elem` bytes. */
struct px_src px_dec_vreg_src(struct px_fn_dec *d, uint32_t vreg, uint32_t elem);
/* Where to write a result of `type`, and what is to be done after it was written. */
uint32_t px_dec_dst(struct px_fn_dec *d, const struct px_operand *o, enum px_type type);
void px_dec_dst_done(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, uint32_t row);
/* An address operand: base (row or scalar, u64) and offset. */
struct px_src px_dec_address(struct px_fn_dec *d, const struct px_operand *o, enum px_space space, int64_t *offset);
/* Special registers: of an operand (NULL: it is none); its offset when it is uniform; its value when it is fixed. */
const struct px_sreg *px_dec_sreg(const struct px_operand *o, uint32_t *component);
uint32_t px_dec_uniform(const struct px_fn_dec *d, const struct px_operand *o, uint32_t *bytes);
bool px_dec_fixed_sreg(uint32_t id, uint64_t *value);
uint64_t px_dec_generic(struct px_fn_dec *d, const struct px_symbol *symbol, uint64_t value);
bool px_dec_symbol_address(struct px_fn_dec *d, const struct px_symbol *symbol, uint64_t *value, bool *local);

/* decode_alu.c: instructions with a statement */
void px_dec_arithmetic(struct px_fn_dec *d, const struct px_dinst *item);
/* NaNs of the sources from the `first` on become the chip's, where the instruction looks at their bits. */
void px_dec_canonical_sources(struct px_fn_dec *d, const struct px_dinst *item, unsigned first);
void px_dec_canonical(struct px_fn_dec *d, const struct px_operand *o);
bool px_dec_is_scalar(struct px_fn_dec *d, const struct px_operand *o); /* its definition leaves no record */

/* decode_inst.c: records */
struct px_insn *px_dec_emit(struct px_fn_dec *d, px_handler conv, px_handler div, const struct px_insn *in);
/* A handler pair [unmasked, masked] under the guard of the instruction. */
void px_dec_guarded(struct px_fn_dec *d, const px_handler fn[2], struct px_insn in);
/* A record of a fixed handler under the instruction's guard; an unguarded one that writes a temporary. */
void px_dec_fixed(struct px_fn_dec *d, enum px_fixed fix, struct px_insn in);
void px_dec_temp_fixed(struct px_fn_dec *d, enum px_fixed fix, struct px_insn in);
void px_dec_other(struct px_fn_dec *d, px_handler fn, struct px_insn in); /* same handler in both versions */
void px_dec_fp(struct px_fn_dec *d, uint32_t mode);
void px_dec_emit_all(struct px_fn_dec *d);

/* The guard of the instruction as a mask row; `memory`: convergent code needs it joined with the entry's mask too. */
void px_dec_guard(struct px_fn_dec *d, const struct px_dinst *item, bool memory);
/* A source into a row that is a destination: broadcast, copy or resize, under the guard. */
void px_dec_assign(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, struct px_src s);

/* decode_ctl.c */
bool px_dec_control(struct px_fn_dec *d, const struct px_dinst *item); /* false: none of these */
uint32_t px_dec_guard_begin(struct px_fn_dec *d, const struct px_dinst *item);
void px_dec_guard_end(struct px_fn_dec *d, uint32_t branch);
void px_dec_jump(struct px_fn_dec *d, uint32_t block);
void px_dec_join(struct px_fn_dec *d);
void px_dec_end(struct px_fn_dec *d);

/* decode_mem.c, decode_move.c, decode_warp.c, decode_call.c: false: none of these */
bool px_dec_memory(struct px_fn_dec *d, const struct px_dinst *item);
bool px_dec_move(struct px_fn_dec *d, const struct px_dinst *item);
bool px_dec_warp(struct px_fn_dec *d, const struct px_dinst *item);
void px_dec_call(struct px_fn_dec *d, const struct px_dinst *item);

/* decode_approx.c: false: no approximate instruction. */
bool px_dec_approx(struct px_fn_dec *d, const struct px_dinst *item);
void px_dec_variables(struct px_fn_dec *d); /* parameters and .local variables get their places */
void px_dec_formals(struct px_fn_dec *d);   /* rows are known: px_fcode.args and rets */

/* The first type, or space, among the modifiers. */
enum px_type px_dec_type(const struct px_dinst *item, unsigned index);
enum px_space px_dec_space(const struct px_dinst *item);
bool px_dec_has(const struct px_dinst *item, px_word word);

#endif
