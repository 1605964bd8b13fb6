/*
 * maker.h - what the files that make the code of a loop share (make.c says what the code is).
 */
#ifndef PX_CODE_REGION_MAKER_H
#define PX_CODE_REGION_MAKER_H

#include <stddef.h>
#include <string.h>
#include "code/region/plan.h"

enum {
    PX_MAKER_VALUES = 28, /* vector registers */
    PX_MAKER_SCRATCH_T = 28,
    PX_MAKER_SCRATCH_U,
    PX_MAKER_SCRATCH_A,
    PX_MAKER_SCRATCH_B,
    PX_MAKER_MASK = 7, /* scratch */
    PX_MAKER_GROUPS = 4,
    PX_MAKER_NONE = 0xff,
    PX_MAKER_CONSTANTS = 96,
    PX_MAKER_JUMPS = 32
};

#define PX_CALL_AT(field) ((int32_t)offsetof(struct px_region_call, field))

/* A scalar that is no register: of the parameters, of the block, or a constant. */
struct px_maker_constant {
    uint8_t kind, elem, home;
    uint32_t at, uses;
    uint64_t value;
};

struct px_maker_leave {
    uint32_t jump, site;
    uint8_t mask[PX_MAKER_GROUPS];
};

struct px_maker {
    const struct px_plan *p;
    struct px_x86 *x;
    struct px_region *region;
    unsigned groups;
    bool counted, failed;
    uint32_t free, free_masks, least; /* registers that are free; the fewest that ever were */
    uint8_t home[PX_PLAN_REGS][PX_MAKER_GROUPS];
    uint8_t weight;                                  /* px_region_call.weight; PX_MAKER_NONE */
    uint8_t cur[PX_MAKER_GROUPS];                    /* who runs the block; PX_MAKER_NONE: all */
    uint8_t wait[PX_PLAN_HEAD + 1][PX_MAKER_GROUPS]; /* who waits at a block; */
    bool waits[PX_PLAN_HEAD + 1];                    /* somebody does */
    struct px_maker_constant constant[PX_MAKER_CONSTANTS];
    uint32_t nconstants, hoisted;
    struct px_maker_leave leave[PX_MAKER_JUMPS];
    uint32_t nleaves;
    uint32_t to_end[PX_MAKER_JUMPS], nends; /* jumps to where a pass is over */
    px_plan_set held;                       /* registers that keep their places in the whole loop */
    px_plan_set *dies;                      /* by instruction of the block */
};

/* An operand of a machine form. */
struct px_maker_source {
    const struct px_ir_opd *o; /* NULL: a scratch register, */
    unsigned scratch;
    struct px_maker_constant *c; /* or a constant of the form */
};

static inline bool px_maker_is_predicate(const struct px_maker *m, unsigned number)
{
    return px_plan_has(&m->p->predicates, number);
}

static inline bool px_maker_is_same(const struct px_maker *m, unsigned number)
{
    return px_plan_has(&m->p->same, number);
}

static inline unsigned px_maker_groups_of(const struct px_maker *m, unsigned number)
{
    return px_maker_is_same(m, number) ? 1 : m->groups;
}

static inline uint8_t px_maker_home_of(const struct px_maker *m, unsigned number, unsigned group)
{
    return m->home[number][px_maker_is_same(m, number) ? 0 : group];
}

static inline bool px_maker_is_wide(const struct px_maker *m, unsigned number)
{
    return px_plan_reg(m->p, number)->elem == 8;
}

static inline int32_t px_maker_lanes_at(const struct px_maker *m, unsigned group)
{
    return (int32_t)(group * m->p->lanes / 8);
}

/* ---- registers.c ---- */

uint8_t px_maker_take_vector(struct px_maker *m);
uint8_t px_maker_take_mask(struct px_maker *m);
void px_maker_hold(struct px_maker *m, unsigned number);
void px_maker_let_go(struct px_maker *m, unsigned number);
void px_maker_emit(struct px_maker *m, struct px_x86_vector v);
void px_maker_move(struct px_maker *m, bool wide, unsigned d, unsigned a, unsigned mask);
/* Where a register's row begins for a group of this pass. */
struct px_x86_rm px_maker_row_of(const struct px_maker *m, unsigned number, unsigned group);
struct px_maker_constant *px_maker_constant_of(struct px_maker *m, const struct px_ir_opd *o);
struct px_maker_constant *px_maker_number_of(struct px_maker *m, uint64_t value, unsigned elem);
struct px_x86_rm px_maker_place_of(const struct px_maker *m, const struct px_maker_constant *c);
void px_maker_broadcast(struct px_maker *m, unsigned elem, unsigned d, struct px_x86_rm from, unsigned mask);
/* In memory, where the instruction takes it so. */
struct px_x86_rm px_maker_constant_operand(struct px_maker *m, struct px_maker_constant *c,
                                           enum px_x86_insn insn, unsigned scratch);
unsigned px_maker_source_register(struct px_maker *m, const struct px_maker_source *s, unsigned group,
                                  unsigned scratch);
struct px_x86_rm px_maker_source_operand(struct px_maker *m, const struct px_maker_source *s, unsigned group,
                                         enum px_x86_insn insn, unsigned scratch);
bool px_maker_is_constant(const struct px_maker_source *s);

/* ---- statements.c ---- */

void px_maker_statement(struct px_maker *m, const struct px_ir_inst *in, unsigned d);
void px_maker_copy(struct px_maker *m, const struct px_ir_inst *in, unsigned d);
/* Every NaN becomes the chip's. */
void px_maker_canon(struct px_maker *m, const struct px_ir_inst *in, unsigned d);

/* ---- edges.c ---- */

void px_maker_block(struct px_maker *m, unsigned number);

/* ---- rows.c ---- */

void px_maker_load_register(struct px_maker *m, unsigned number);
/* What lanes share goes to the call, for the frame's slot. */
void px_maker_store_same(struct px_maker *m, const px_plan_set *live);
/* What the loop has written, for those lanes where it matters: by sites where it does. */
void px_maker_store_parted(struct px_maker *m);
void px_maker_store_together(struct px_maker *m, const px_plan_set *live);

#endif
