/* lower/ctl.c - branches, ends, barriers, fences. */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include <stdlib.h>

static const struct px_ir_operand none;

/* An operation without operands that runs alone, behind a branch around it. */
static void alone(struct px_irfn *f, const struct px_bound *b, px_op op)
{
    uint32_t around = px_lower_around(f, b);
    px_lower_inst(f, (px_irop)(PX_IR_TABLE | op), NULL, 0, 0);
    px_lower_around_end(f, around);
}

void px_lower_bra(struct px_irfn *f, const struct px_bound *b)
{
    uint32_t target = px_lower_target(f, b, b->inst->opds[0].symbol);
    if (b->guard == PX_NONE32) {
        px_lower_inst(f, PX_IR_JUMP, NULL, 0, 0)->target = target;
        return;
    }
    const struct px_ir_operand guard = {.kind = PX_IR_REG, .elem = 4, .type = PX_T_PRED, .at = b->guard};
    struct px_ir_inst *in = px_lower_inst(f, PX_IR_BRANCH, &guard, 0, 1);
    in->target = target;
    in->fact = b->negated;
}

static int by_place(const void *text, const void *at)
{
    const uint32_t pos = ((const struct px_stmt *)text)->pos,
                   its = ((const struct px_ir_switch *)at)->text->pos;
    return (pos > its) - (pos < its);
}

/* The table's switch: they are in text order. */
static struct px_ir_switch *switch_of(const struct px_irfn *f, const struct px_stmt *text)
{
    return bsearch(text, f->switches.at, f->switches.n, sizeof *f->switches.at, by_place);
}

static void list_targets(struct px_irfn *f, const struct px_bound *b, struct px_ir_switch *s)
{
    uint32_t *targets = PX_NEW_N(f->coder->scratch, uint32_t, s->text->u.targets.n);
    for (uint32_t i = 0; i < s->text->u.targets.n; i++)
        targets[i] = px_lower_target(f, b, s->text->u.targets.list[i].symbol);
    s->n = s->text->u.targets.n;
    s->targets = targets;
}

void px_lower_brx(struct px_irfn *f, const struct px_bound *b)
{
    struct px_ir_switch *s = switch_of(f, b->inst->opds[1].symbol->u.stmt);
    if (!s->targets) list_targets(f, b, s);
    uint32_t around = px_lower_around(f, b);
    const struct px_ir_operand index = px_lower_row(f, px_lower_src(f, b, &b->inst->opds[0], PX_T_U32));
    px_lower_inst(f, PX_IR_TABLE | PX_OP_brx, &index, 0, 1)->aux = (uint32_t)(s - f->switches.at);
    px_lower_around_end(f, around);
}

void px_lower_ret(struct px_irfn *f, const struct px_bound *b)
{
    uint32_t around = px_lower_around(f, b);
    px_lower_return(f, PX_IR_TABLE | PX_OP_ret);
    px_lower_around_end(f, around);
}

#define ALONE(op)                                                                                            \
    void px_lower_##op(struct px_irfn *f, const struct px_bound *b)                                          \
    {                                                                                                        \
        alone(f, b, PX_OP_##op);                                                                             \
    }
ALONE(exit)
ALONE(trap)
ALONE(brkpt)
ALONE(nanosleep)

/* Number 0 of `aux` is the trap of the text. */
void px_lower_refusal(struct px_irfn *f, const struct px_bound *b, const char *why)
{
    px_vec_push(f->coder->scratch, &f->refusals, why);
    const uint32_t around = px_lower_around(f, b);
    px_lower_inst(f, PX_IR_TABLE | PX_OP_trap, NULL, 0, 0)->aux = f->refusals.n;
    px_lower_around_end(f, around);
}

void px_lower_fence(struct px_irfn *f, const struct px_bound *b)
{
    (void)b;
    px_lower_inst(f, PX_IR_TABLE | PX_OP_fence, NULL, 0, 0);
}

/* Nothing that a program can see. */
void px_lower_hint(struct px_irfn *f, const struct px_bound *b)
{
    (void)f, (void)b;
}

/* The fact: does it wait? */
void px_lower_griddepcontrol(struct px_irfn *f, const struct px_bound *b)
{
    uint32_t around = px_lower_around(f, b);
    px_lower_inst(f, (px_irop)(PX_IR_TABLE | PX_OP_griddepcontrol), NULL, 0, 0)->fact =
        px_bound_has(b, PX_W_wait);
    px_lower_around_end(f, around);
}

/* ---- barriers of the CTA ---- */

/* Operands: [result,] number, count or none [, predicate]. */
static void barrier(struct px_irfn *f, const struct px_bound *b, px_op op, enum px_bar_kind kind)
{
    const struct px_inst *inst = b->inst;
    const bool red = kind >= PX_BAR_POPC;
    const enum px_type type = kind == PX_BAR_POPC ? PX_T_U32 : PX_T_PRED;
    const struct px_operand *o = inst->opds + red;
    unsigned n = inst->nopds - red;
    uint32_t around = px_lower_around(f, b), k = 0;
    struct px_bound free = *b;
    struct px_ir_operand opds[4];
    free.guard = PX_NONE32;
    if (red) opds[k++] = px_lower_dst(f, &free, &inst->opds[0], type);
    opds[k++] = px_lower_src(f, &free, &o[0], PX_T_U32);
    opds[k++] = n > (red ? 2u : 1u) ? px_lower_src(f, &free, &o[1], PX_T_U32) : none;
    if (red) opds[k++] = px_lower_row(f, px_lower_src(f, &free, &o[n - 1], PX_T_PRED));
    px_lower_inst(f, (px_irop)(PX_IR_TABLE | op), opds, red, k)->fact = kind;
    if (red) px_lower_done(f, &free, &inst->opds[0], opds[0]);
    px_lower_around_end(f, around);
}

void px_lower_bar_sync(struct px_irfn *f, const struct px_bound *b)
{
    barrier(f, b, PX_OP_bar_sync, PX_BAR_SYNC);
}

/* Of a block that is a cluster by itself: nothing but a fence. */
void px_lower_cluster_arrive(struct px_irfn *f, const struct px_bound *b)
{
    if (f->coder->wishes.clustered)
        alone(f, b, PX_OP_cluster_arrive);
    else
        px_lower_fence(f, b);
}

/* Of a block that is a cluster by itself: its own barrier 0. */
void px_lower_cluster_wait(struct px_irfn *f, const struct px_bound *b)
{
    if (f->coder->wishes.clustered) {
        alone(f, b, PX_OP_cluster_wait);
        return;
    }
    const struct px_ir_operand opds[2] = {{.kind = PX_IR_IMM, .elem = 4, .type = PX_T_U32}, none};
    uint32_t around = px_lower_around(f, b);
    px_lower_inst(f, (px_irop)(PX_IR_TABLE | PX_OP_bar_sync), opds, 0, 2)->fact = PX_BAR_SYNC;
    px_lower_around_end(f, around);
}

void px_lower_bar_arrive(struct px_irfn *f, const struct px_bound *b)
{
    barrier(f, b, PX_OP_bar_arrive, PX_BAR_ARRIVE);
}

void px_lower_bar_red(struct px_irfn *f, const struct px_bound *b)
{
    enum px_bar_kind kind = px_bound_has(b, PX_W_popc)  ? PX_BAR_POPC
                            : px_bound_has(b, PX_W_and) ? PX_BAR_AND
                                                        : PX_BAR_OR;
    barrier(f, b, PX_OP_bar_red, kind);
}
