/*
 * contract.h - products and sums that become one fma, as ptxas makes them.
 *
 * ptxas contracts `mul` and `add` or `sub` that name no rounding (--fmad=true),
 * which changes the last bit. The VM does the same on the program as written, as
 * soon as it is lowered: fold.c does what ptxas simplifies before, contract.c decides,
 * contract_apply.c rewrites. docs/fidelity.md lists the rules.
 */
#ifndef PX_CODE_IR_CONTRACT_H
#define PX_CODE_IR_CONTRACT_H

#include "code/ir/facts.h"
#include "flow/live.h"

/* The function as ptxas sees it: instructions of the text, of which those under a guard are no branches. */
struct px_body {
    struct px_irfn *f;
    struct px_arena *arena; /* the pass's */
    bool contracts;         /* else ptxas keeps multiplications by 1 */
    bool *guarded;          /* by instruction: it runs under a guard, of its own or by a branch around it */
    bool *targets;          /* by instruction: a branch leads there */
    struct px_flow_graph graph;
    uint8_t *defs;       /* by register: times it is written, 2 for more; under a guard 2 */
    uint32_t *constants; /* by register: in px_irfn.values, the constant that it always holds; PX_NONE32 */
};

/* contract_body.c: does ptxas contract here? Only what it simplifies all the same, if not. False: nothing. */
bool px_contract_asked(const struct px_irfn *f, bool *contracts);
/* contract_body.c: all but the graph. */
void px_contract_body(struct px_body *d, struct px_irfn *f, bool contracts);
void px_contract_graph(struct px_body *d);

static inline const struct px_ir_inst *px_body_inst(const struct px_body *d, uint32_t i)
{
    return &d->f->insts.at[i];
}

/* The registers that an instruction reads, the guard among them: number k of px_ir_nreads; PX_NONE32. */
static inline uint32_t px_ir_nreads(const struct px_ir_inst *in)
{
    return in->nopds - in->ndst + 1u;
}
static inline uint32_t px_ir_read_reg(const struct px_irfn *f, const struct px_ir_inst *in, uint32_t k)
{
    return k ? px_ir_register(&px_ir_opds(f, in)[in->ndst + k - 1]) : in->guard;
}

/* What becomes of an instruction. */
struct px_contracted {
    uint32_t product; /* a sum: whose product it takes in, which makes it an fma; PX_NONE32: it stays */
    bool second;      /* the product was the second operand of the sum */
    bool minus;       /* the product reached the sum negated (by neg; sub is on top of this) */
    bool gone;        /* a product that every reader took in: nothing is left of it */
};

/* What an instruction means to the analysis. */
enum px_role {
    PX_ROLE_OTHER,
    PX_ROLE_PRODUCT, /* mul without rounding, div.full, div.approx: their last multiplication */
    PX_ROLE_SCALED,  /* rcp.approx: ends in a multiplication by a power of two, which may be taken in without
                        effect */
    PX_ROLE_SUM,     /* add, sub without rounding */
    PX_ROLE_COPY,    /* gives its source: mov, cvt to the same type, mul by 1 */
    PX_ROLE_NEGATION
};

/* contract_role.c: `source` is the operand that copies and negations give. */
enum px_role px_contract_role(const struct px_body *d, uint32_t i, unsigned *source);
bool px_contract_by_constant(const struct px_body *d, uint32_t i); /* a product */
bool px_contract_divides(const struct px_ir_inst *in);             /* by the approximate unit */
bool px_contract_is_one(const struct px_body *d, const struct px_ir_opd *o, enum px_type type);
static inline enum px_type px_contract_type(const struct px_body *d, const struct px_ir_inst *in)
{
    return in->ndst ? (enum px_type)px_ir_opds(d->f, in)->type : PX_T_NONE;
}

/* contract.c: can block k only be reached by falling into it from the one before? */
bool px_contract_goes_on(const struct px_body *d, uint32_t k);

/* contract_live.c: instructions whose results nobody reads, and registers that live at the end of a block,
 * asked of ascending blocks that no other goes on from, about registers that it, or those it goes on from,
 * wrote. */
struct px_contract_live {
    struct px_flow_live flow;
    const bool *dead;
    uint32_t next; /* of flow.places */
    uint32_t *at;  /* by register: the last block asked at whose end it lives, + 1 */
};
void px_contract_liveness(struct px_body *d, struct px_contract_live *live);
/* From now on it is asked of this block. */
void px_contract_behind(struct px_contract_live *live, uint32_t block);
static inline bool px_contract_lives(const struct px_contract_live *live, uint32_t block, uint32_t reg)
{
    return live->at[reg] == block + 1;
}

/* contract_apply.c: rewrites the list as `what` says, by instruction. */
void px_contract_apply(struct px_body *d, const struct px_contracted *what);

#endif
