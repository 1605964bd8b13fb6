/*
 * ir.h - a function between its checked text and its records.
 *
 * Lowering turns each checked instruction into a few flat ones: an operation, a
 * list of operands of which the first are written, a guard, and where they come
 * from. Passes then work on the list one after the other (code.c has their
 * order); the last one, emission, is the only one that knows handlers.
 *
 * A register is one component of a .reg of the text, a word of a .param variable, or a
 * temporary. Temporaries live within the instructions made of one instruction
 * of the text, own their rows, and may therefore be written for all lanes even
 * in divergent code; all others are written under the mask. docs/ir.md has the
 * invariants and what was weighed.
 */
#ifndef PX_CODE_IR_IR_H
#define PX_CODE_IR_IR_H

#include "base/vec.h"
#include "isa/isa.h"
#include "gang/record.h"

#define PX_NONE32 0xffffffffu

/*
 * The operation of an instruction: a statement of the table, by number, a
 * move between rows (enum px_fixed), an operation that the table names (enum
 * px_op), or one of the engine's own.
 */
typedef uint16_t px_irop;
enum {
    PX_IR_STATEMENT = 0,
    PX_IR_FIXED = 0x4000,
    PX_IR_TABLE = 0x8000,
    PX_IR_OWN = 0xc000,
    PX_IR_KIND = 0xc000 /* the bits that say which */
};

enum px_ir_own {
    PX_IR_NOTHING = PX_IR_OWN, /* counts as an instruction of the text; no record */
    PX_IR_COPY,                /* d <- a, elements resized; `fact` 1: the sign is extended */
    PX_IR_CANON,               /* d <- a, every NaN made the chip's */
    PX_IR_JUMP,                /* to target */
    PX_IR_BRANCH,              /* to target where the predicate a holds; `fact` 1: where it does not */
    PX_IR_END,                 /* the end of the body: returns */
    PX_IR_ARGUMENTS,           /* the caller has written the words d... */
    PX_IR_SREG,                /* d <- a special register of the lane, `fact` says which */
    PX_IR_UNIT,                /* an approximate unit, `fact` says which */
    PX_IR_ACQUIRE,
    PX_IR_RELEASE /* the fence of a load or store */
};

enum px_ir_kind {
    PX_IR_NONE,    /* sink: nothing is written, or nothing given */
    PX_IR_REG,     /* a row: registers of the function, by number */
    PX_IR_UNIFORM, /* a scalar: a field of struct px_uniform, by offset */
    PX_IR_PARAM,   /* a scalar: the kernel's parameters, by offset */
    PX_IR_IMM,     /* a constant */
    PX_IR_ADDRESS  /* base + offset in a state space; `base` is the kind of its base, REG, UNIFORM, PARAM or
                      IMM */
};

struct px_ir_opd {
    uint8_t kind; /* enum px_ir_kind */
    uint8_t elem; /* bytes of an element as the operation takes it; of an address: as it accesses memory */
    uint8_t type; /* enum px_type it is read or written as; of an address: enum px_space */
    uint8_t base; /* ADDRESS: enum px_ir_kind of the base; a source that is a register: enum px_ir_reading */
    uint32_t
        at; /* register, or offset of the scalar, of an address: that of its base; IMM: in px_irfn.values */
};

/* The same with its value, as lowering makes it and emission takes it. */
struct px_ir_operand {
    union {
        struct px_ir_opd is;
        struct {
            uint8_t kind, elem, type, base;
            uint32_t at; /* IMM: nothing */
        };
    };
    uint64_t value; /* IMM: the constant (16-byte elements: zero above); ADDRESS: the offset, or with an
                       IMM base the place */
};

/* What the NaNs of a source matter. */
enum px_ir_reading {
    PX_IR_BITS,   /* it looks at the bits */
    PX_IR_NUMBER, /* one NaN is as good as another */
    PX_IR_COPIED  /* the bits go on to the result */
};

/* What else is true of an atomic operation. */
enum {
    PX_IR_ATOM_WAITS = 1, /* a reduction may happen later */
    PX_IR_ATOM_NOFTZ = 2  /* a sum of f32 keeps subnormal numbers */
};
enum {
    PX_IR_INST_FIRST = 1,   /* the first one made of an instruction of the text */
    PX_IR_INST_NEGATED = 2, /* runs where the guard does not hold */
    PX_IR_INST_NUMBER = 4,  /* every NaN of the f32 result is the chip's, or stands for it */
    PX_IR_INST_HOST = 8,    /* it may be the host's: canon.c sees to it */
    PX_IR_INST_COPIES = 16, /* the result is one of the first two sources, bit for bit (selp, slct) */
    PX_IR_INST_STRONG = 32, /* ld, st: strong in the sense of the memory model */
    PX_IR_INST_LOOSE = 64,  /* a float product or sum that names no rounding: it may become part of an fma */
    PX_IR_INST_SPLITS =
        128 /* ptxas ends a block of its own before it: products and sums do not meet across it */
};

/* Together with the next instruction that makes a record it is one (fusion.c): in convergent code, in a loop
 * that runs aside, in the way of a fork there. */
enum { PX_IR_FUSE_TOGETHER = 1, PX_IR_FUSE_LOOP = 2, PX_IR_FUSE_WAY = 4 };

/* Floating-point mode that an instruction asks for, besides the numbers of px_match_fp_mode. */
enum { PX_IR_FP_ANY = 0xff, PX_IR_FP_HOME = 0xfe, PX_IR_FP_NEAREST = 0xfd /* rounding only */ };

struct px_ir_inst {
    px_irop op;
    uint16_t fact;        /* a small fact of the operation */
    uint16_t ndst, nopds; /* operands; the first ndst are written */
    uint8_t flags;        /* PX_IR_INST_ */
    uint8_t fp;           /* PX_IR_FP_, or a mode */
    uint8_t fuse;         /* PX_IR_FUSE_ */
    uint8_t shapes;  /* of a statement: what px_ir_shape_of says of each version, 4 bits each (shape.c) */
    uint32_t first;  /* its operands, in px_irfn.opds */
    uint32_t guard;  /* predicate register; PX_NONE32 */
    uint32_t origin; /* in px_irfn.origins */
    union {
        uint32_t target; /* a label: of branches */
        uint32_t values; /* of all others: where the values of its addresses are, in px_irfn.values */
    };
    uint32_t aux; /* index of a side table (sites, switches), or another fact; atom, red: PX_IR_ATOM */
};

/* Positions of an instruction in the order of the code, where live ranges begin and end: sources are read at
 * +0, or as late as +2, results are written at +1. */
enum { PX_IR_STEP = 4 };

/* What convergent code holds of a register (values.c); in divergent code all are rows. */
enum px_ir_keep {
    PX_IR_ROW,
    PX_IR_SCALAR, /* one value for all lanes */
    PX_IR_OFFSET, /* what is to be added to the row of its base */
    PX_IR_LANES   /* what is to be added to the row of its term (px_lane_term) */
};

struct px_ir_reg {
    uint8_t elem;         /* bytes of an element */
    uint8_t type;         /* enum px_type; PX_T_NONE for words of parameters */
    uint8_t keep;         /* enum px_ir_keep */
    bool temp : 1;        /* see above */
    bool lazy : 1;        /* every NaN in it stands for the chip's (canon.c) */
    bool branches : 1;    /* a predicate that branches alone read (terms.c) */
    bool spread : 1;      /* PX_IR_LANES: convergent code makes its row, too, where it is written */
    uint32_t row;         /* bytes a lane, then offset in the frame; PX_NONE32: none */
    uint32_t slot;        /* of a kept register: which, then offset in the frame */
    uint32_t base;        /* PX_IR_OFFSET: the register whose row it is added to; itself: its own row */
    uint32_t term;        /* PX_IR_LANES: the number of its term */
    uint32_t survey;      /* of its row: number from 1 on; 0: none */
    uint32_t first, last; /* of a kept register: where it is live, as positions in the layout (rows.c) */
};

/* A table of the text, with what the first brx.idx through it makes of it. */
struct px_ir_switch {
    const struct px_stmt *text;
    uint32_t n, *targets; /* labels, then instructions; none: no branch goes through it */
    struct px_table *table;
};

static inline px_irop px_ir_kind_of(px_irop op)
{
    return op & PX_IR_KIND;
}
static inline bool px_ir_is(const struct px_ir_inst *in, px_op op)
{
    return in->op == (PX_IR_TABLE | op);
}

#endif
