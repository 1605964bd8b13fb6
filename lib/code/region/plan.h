/*
 * plan.h - an innermost loop that may become a region: what it names, what lives where, who shares what.
 *
 * Registers of the loop have numbers of their own. One is *same* when all lanes inside share its value: it is
 * in one vector register, every lane of which holds it, and computed once.
 */
#ifndef PX_CODE_REGION_PLAN_H
#define PX_CODE_REGION_PLAN_H

#include "code/emit/emit.h"
#include "code/region/form.h"
#include "gang/region.h"

/* A set of registers of the loop. */
typedef struct px_lanes px_plan_set;
enum { PX_PLAN_REGS = 192 };

/* Where an edge leads: a block of the loop by number, its head again, or a site. */
enum { PX_PLAN_HEAD = PX_REGION_BLOCKS, PX_PLAN_SITE = PX_REGION_BLOCKS + 1, PX_PLAN_NOWHERE = 255 };

struct px_plan_block {
    uint32_t node;
    uint32_t first, n;             /* instructions */
    uint32_t insts;                /* of the text */
    const struct px_ir_inst *last; /* the branch or jump at its end; NULL: it falls */
    uint8_t taken, falls;          /* where its edges lead */
    bool all;                      /* all lanes inside run it */
    bool together;                 /* its branch is taken by all lanes or none, and is a jump */
    px_plan_set live;              /* at its beginning */
    px_plan_set behind;            /* and at its end */
};

struct px_plan {
    const struct px_irfn *f;
    struct px_arena *pass;
    uint32_t nregs;
    uint32_t reg[PX_PLAN_REGS]; /* by number: of the function */
    uint16_t *number;           /* by register of the function, from 1 on; 0: the loop does not name it */
    px_plan_set predicates, same, written;
    uint32_t nblocks;
    struct px_plan_block block[PX_REGION_BLOCKS];
    uint32_t nsites;
    struct {
        uint32_t node, block;
        bool together;
        px_plan_set live;
    } site[PX_REGION_SITES];
    px_plan_set leaving; /* live at some site that lanes may leave by in different turns */
    bool parts;
    bool rows;
    bool forgets;
    unsigned lanes; /* of a group: 16, or 8 where registers of 64 bits are held for each */
    uint32_t fp;
};

static inline bool px_plan_has(const px_plan_set *set, unsigned number)
{
    return px_lanes_has(set, number);
}
static inline void px_plan_drop(px_plan_set *set, unsigned number)
{
    set->w[number >> 6] &= ~(1ull << (number & 63));
}
static inline const struct px_ir_reg *px_plan_reg(const struct px_plan *p, unsigned number)
{
    return &p->f->regs.at[p->reg[number]];
}
/* The number of a register operand. */
static inline unsigned px_plan_number(const struct px_plan *p, const struct px_ir_opd *o)
{
    return p->number[o->at] - 1u;
}

/* A register in a block that names it. */
struct px_plan_place {
    uint32_t node;
    uint32_t older;    /* the place of the register in a block before, plus 1; 0: none */
    bool reads, kills; /* before it is written; it is written whole */
};

/* What is asked of all loops of a function. */
struct px_plan_index {
    const struct px_irfn *f;
    PX_VEC(struct px_plan_place) places;
    uint32_t *newest;                    /* by register: its last place, plus 1 */
    uint16_t *number;                    /* px_plan.number; zeros between loops */
    uint32_t *placed;                    /* px_ir_placed */
    uint32_t now, *seen, *killed, *todo; /* by node: the search that came there; nodes to be looked at */
    uint32_t steps;                      /* of searches that are left */
};
void px_plan_begin(struct px_plan_index *index, const struct px_irfn *f);

/* The loop whose head is at this place of the order. False: it cannot be a region. */
bool px_plan_loop(struct px_plan *p, struct px_plan_index *index, uint32_t place);
void px_plan_end(struct px_plan *p);

/* What an instruction reads and writes of the loop's registers. A write under a guard reads the old value. */
void px_plan_uses(const struct px_plan *p, const struct px_ir_inst *in, px_plan_set *reads,
                  px_plan_set *writes);

#endif
