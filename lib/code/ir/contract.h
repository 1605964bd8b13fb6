/*
 * contract.h - products and sums that become one fma, as ptxas makes them.
 *
 * ptxas contracts `mul` and `add` or `sub` that name no rounding (--fmad=true),
 * which changes the last bit. The VM does the same on the program as written,
 * before it is lowered: contract_body.c lists the instructions of the body and its
 * blocks, contract.c decides, contract_apply.c gives what is lowered instead. docs/fidelity.md lists the
 * rules.
 */
#ifndef PX_CODE_IR_CONTRACT_H
#define PX_CODE_IR_CONTRACT_H

#include "match/match.h"
#include "code/lower/lower.h"
#include "flow/live.h"

/* What instructions of one match have in common. */
struct px_kind {
    struct px_match match;
    px_op op;
    enum px_result result : 8;
    bool pure : 1;   /* does nothing but write registers */
    bool effect : 1; /* does more than that, and is no plain load */
    bool splits : 1; /* ptxas ends a block here */
};

/* One instruction of the body. */
struct px_term {
    const struct px_inst *inst;
    const struct px_kind *kind;
    uint32_t block;
    uint8_t part; /* enum px_lower_part */
};

/* A register that an item names. */
struct px_named {
    uint32_t reg : 31, part : 1; /* part: only a component of it */
};

/* What the passes ask of every item again and again, beside the items: a few bytes of each. */
struct px_body_names {
    PX_VEC(struct px_named) of; /* of each item what it reads, then what it writes */
    uint32_t *first;            /* two of each item, and the end: where these begin */
    uint8_t *traits;            /* by item: PX_TRAIT_ */
};
enum {
    PX_TRAIT_GUARD = 1,
    PX_TRAIT_EFFECT = 2 /* px_kind.effect */
};

/* The body as the analysis sees it. */
struct px_body {
    struct px_irfn *f;
    struct px_arena *arena; /* what lowering does not need */
    const struct px_function *fn;
    PX_VEC(struct px_term) items;
    struct px_body_names names;
    const struct px_kind *kinds[PX_MATCHED]; /* the last ones, by a hash */
    struct px_flow_graph graph;
    bool contracts;                      /* else ptxas keeps multiplications by 1 */
    const struct px_operand **constants; /* by register, the literal that it always holds, or NULL */
    uint8_t *defs;                       /* by register: times it is written, 2 for more; under a guard 2 */
    uint32_t ntext;                      /* instructions of the text */
    uint32_t *folded; /* by instruction of the text, and their end: the first item; NULL: as they are */
};

/* Registers of the text and those made since. */
static inline uint32_t px_body_registers(const struct px_body *d)
{
    return d->fn->regs.n + d->f->more_regs.n;
}

static inline bool px_term_has(const struct px_term *item, px_word word)
{
    return px_match_has(&item->kind->match, word);
}

/* The registers that item i reads, and those that it writes: from `at` to before `end`. */
struct px_named_list {
    const struct px_named *at, *end;
};
static inline struct px_named_list px_named_list(const struct px_body *d, size_t k)
{
    const struct px_named *names = d->names.of.at;
    return (struct px_named_list){names + d->names.first[k], names + d->names.first[k + 1]};
}
static inline struct px_named_list px_term_reads(const struct px_body *d, uint32_t i)
{
    return px_named_list(d, 2 * (size_t)i);
}
static inline struct px_named_list px_term_writes(const struct px_body *d, uint32_t i)
{
    return px_named_list(d, 2 * (size_t)i + 1);
}

/* contract_body.c: does it have a floating-point instruction that may be contracted or simplified? Most code
 * for integers, addresses and matrices has none, and is not looked at any further. */
bool px_contract_concerns(const struct px_block *body);

/* contract_body.c: the body, simplified; false when it cannot be lowered anyway. */
bool px_contract_body(struct px_body *d, struct px_irfn *f, bool contracts);

/* contract_body.c: d->names, and what follows from them: d->constants, d->defs. */
void px_contract_name(struct px_body *d);

/* contract_body.c: px_make_inst at the place of `like`. */
struct px_term px_contract_make(struct px_body *d, const struct px_term *like, const px_word words[5],
                                const struct px_operand *operands, uint8_t n);

/* contract_fold.c: rewrites the items before there is a graph. labels: in ascending order, the items that
 * labels stand before; the places of items change as d->folded says. */
void px_contract_fold(struct px_body *d, const uint32_t *labels, uint32_t nlabels);

/* What becomes of an item. */
struct px_contracted {
    uint32_t
        product; /* a sum: the item whose product it takes in, which makes it an fma; PX_NONE32: it stays */
    bool second; /* the product was the second operand of the sum */
    bool minus;  /* the product reached the sum negated (by neg; sub is on top of this) */
    bool gone;   /* a product that every reader took in: nothing is left of it */
};

/* What an item means to the analysis. */
enum px_role {
    PX_ROLE_OTHER,
    PX_ROLE_PRODUCT, /* mul without rounding, div.full, div.approx: their last multiplication */
    PX_ROLE_SCALED,  /* rcp.approx: ends in a multiplication by a power of two, which may be taken in without
                        effect */
    PX_ROLE_SUM,     /* add, sub without rounding */
    PX_ROLE_COPY,    /* gives its source: mov, cvt to the same type, mul by 1 */
    PX_ROLE_NEGATION
};

/* contract_role.c */
enum px_role px_contract_role(struct px_body *d, const struct px_term *item, unsigned *source);
bool px_contract_by_constant(struct px_body *d, const struct px_term *item); /* a product */
bool px_contract_splits(const struct px_term *item);                         /* ptxas ends a block here */
bool px_contract_moves(const struct px_term *item);   /* gives its source: mov of one value to one register */
bool px_contract_divides(const struct px_term *item); /* by the approximate unit */
void px_contract_facts(struct px_kind *kind);         /* what follows from the match */
void px_contract_constants(struct px_body *d);        /* d->constants, d->defs */
bool px_contract_is_one(struct px_body *d, const struct px_operand *o, enum px_type type);
/* A register with one component: its index; else PX_NONE32. */
uint32_t px_contract_register(const struct px_body *d, const struct px_operand *o);

/* contract.c: can block k only be reached by falling into it from the one before? */
bool px_contract_goes_on(const struct px_body *d, uint32_t k);

/* contract_live.c: items whose results nobody reads, and registers that live at the end of a block, asked of
 * ascending blocks that no other goes on from, about registers that it, or those it goes on from, wrote. */
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

/* contract.c: by item; NULL when nothing is contracted. */
struct px_contracted *px_contract_find(struct px_body *d);
/* contract_apply.c: what is lowered instead: items place[i] to place[i + 1] for item i; registers go to
 * f->more_regs. */
struct px_contract_item {
    const struct px_inst *inst;
    enum px_lower_part part;
};
struct px_contract {
    uint32_t *place;
    const struct px_contract_item *items;
    uint32_t next;
};
void px_contract_apply(struct px_body *d, const struct px_contracted *what, struct px_contract *out);

#endif
