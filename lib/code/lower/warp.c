/*
 * lower/warp.c - shfl, vote, match, redux, elect, bar.warp.sync, activemask.
 *
 * All that meet have the same operands, and one emission; fact = what they meet for, its mode and qualifiers
 * (ops/warp.h). Operands: result or none, predicate result or none, value, b and c of shfl or
 * none, member mask or none.
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "ops/warp.h"

static const struct px_ir_operand none;

/* What the kinds fill in; the rest is common. */
struct meeting {
    uint32_t kind;       /* PX_SYNC and qualifiers */
    enum px_type result; /* PRED: the predicate is the result; NONE: there is no result */
    enum px_type value;  /* of the source; NONE: there is none */
    int b, c, member;    /* operands; -1: none */
};

static void meet(struct px_irfn *f, const struct px_bound *bound, struct meeting m)
{
    const struct px_operand *o = bound->inst->opds, *od = o, *oe = NULL;
    uint32_t around = px_lower_around(f, bound);
    struct px_bound b = *bound;
    b.guard = PX_NONE32;
    struct px_ir_operand opds[6] = {none, none, none, none, none, none};
    if (m.result != PX_T_NONE && o->kind == PX_O_PAIR) {
        od = &o->u.list[0];
        oe = &o->u.list[1];
    }
    if (m.value != PX_T_NONE) opds[2] = px_lower_row(f, px_lower_src(f, &b, &o[1], m.value));
    if (m.b >= 0) opds[3] = px_lower_src(f, &b, &o[m.b], PX_T_U32);
    if (m.c >= 0) opds[4] = px_lower_src(f, &b, &o[m.c], PX_T_U32);
    if (m.member >= 0 && m.member < bound->inst->nopds)
        opds[5] = px_lower_src(f, &b, &o[m.member], PX_T_B32);
    else
        m.kind |= PX_SYNC_ACTIVE;
    if (m.result == PX_T_PRED)
        opds[1] = px_lower_dst(f, &b, od, PX_T_PRED);
    else if (m.result != PX_T_NONE && od->kind != PX_O_SINK)
        opds[0] = px_lower_dst(f, &b, od, m.result);
    if (oe && oe->kind != PX_O_SINK) opds[1] = px_lower_dst(f, &b, oe, PX_T_PRED);
    px_lower_inst(f, (px_irop)(PX_IR_TABLE | px_match_op(&b.match)), opds, 2, 6)->fact = (uint16_t)m.kind;
    if (m.result != PX_T_NONE && m.result != PX_T_PRED && od->kind != PX_O_SINK)
        px_lower_done(f, &b, od, opds[0]);
    if (m.result == PX_T_PRED) px_lower_done(f, &b, od, opds[1]);
    if (oe) px_lower_done(f, &b, oe, opds[1]);
    px_lower_around_end(f, around);
}

/* What a mode's word is to the handler. */
struct mode {
    px_word word;
    uint32_t kind;
};

static uint32_t mode_of(const struct px_bound *b, const struct mode modes[4])
{
    const px_word word = px_match_slot(&b->match, PX_W_mode);
    uint32_t i = 0;
    while (i < 3 && modes[i].word != word) i++;
    return modes[i].kind;
}

void px_lower_shfl(struct px_irfn *f, const struct px_bound *b)
{
    static const struct mode modes[] = {
        {PX_W_up, PX_SHFL_UP}, {PX_W_down, PX_SHFL_DOWN}, {PX_W_bfly, PX_SHFL_BFLY}, {PX_W_idx, PX_SHFL_IDX}};
    meet(f, b, (struct meeting){PX_SYNC(PX_MEET_SHFL, mode_of(b, modes)), PX_T_B32, PX_T_B32, 2, 3, 4});
}

void px_lower_vote(struct px_irfn *f, const struct px_bound *b)
{
    static const struct mode modes[] = {{PX_W_all, PX_VOTE_ALL},
                                        {PX_W_any, PX_VOTE_ANY},
                                        {PX_W_uni, PX_VOTE_UNI},
                                        {PX_W_ballot, PX_VOTE_BALLOT}};
    const uint32_t mode = mode_of(b, modes);
    const enum px_type result = mode == PX_VOTE_BALLOT ? PX_T_B32 : PX_T_PRED;
    meet(f, b, (struct meeting){PX_SYNC(PX_MEET_VOTE, mode), result, PX_T_PRED, -1, -1, 2});
}

void px_lower_match(struct px_irfn *f, const struct px_bound *b)
{
    const uint32_t mode = px_bound_has(b, PX_W_all) ? PX_MATCH_ALL : PX_MATCH_ANY;
    meet(f, b, (struct meeting){PX_SYNC(PX_MEET_MATCH, mode), PX_T_B32, b->match.type[1], -1, -1, 2});
}

static uint32_t redux_mode(const struct px_match *m, enum px_type type)
{
    const bool sign = px_type_info(type)->klass == PX_TC_SIGNED;
    if (px_match_has(m, PX_W_add)) return PX_REDUX_ADD;
    if (px_match_has(m, PX_W_min)) return sign ? PX_REDUX_SMIN : PX_REDUX_UMIN;
    if (px_match_has(m, PX_W_max)) return sign ? PX_REDUX_SMAX : PX_REDUX_UMAX;
    if (px_match_has(m, PX_W_and)) return PX_REDUX_AND;
    return px_match_has(m, PX_W_or) ? PX_REDUX_OR : PX_REDUX_XOR;
}

void px_lower_redux(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_match *m = &b->match;
    const enum px_type type = m->type[1];
    uint32_t kind = PX_SYNC(PX_MEET_REDUX, redux_mode(m, type));
    if (type == PX_T_F32)
        kind = PX_SYNC(PX_MEET_REDUX_F32, px_match_has(m, PX_W_min) ? PX_REDUX_FMIN : PX_REDUX_FMAX);
    if (px_match_has(m, PX_W_abs)) kind |= PX_SYNC_ABS;
    if (px_match_has(m, PX_W_NaN)) kind |= PX_SYNC_NAN;
    meet(f, b, (struct meeting){kind, type, type, -1, -1, 2});
}

void px_lower_elect(struct px_irfn *f, const struct px_bound *b)
{
    meet(f, b, (struct meeting){PX_SYNC(PX_MEET_ELECT, 0), PX_T_B32, PX_T_NONE, -1, -1, 1});
}

void px_lower_bar_warp(struct px_irfn *f, const struct px_bound *b)
{
    meet(f, b, (struct meeting){PX_SYNC(PX_MEET_WARPSYNC, 0), PX_T_NONE, PX_T_NONE, -1, -1, 0});
}

void px_lower_activemask(struct px_irfn *f, const struct px_bound *b)
{
    uint32_t around = px_lower_around(f, b);
    struct px_bound free = *b;
    free.guard = PX_NONE32;
    const struct px_ir_operand d = px_lower_dst(f, &free, &b->inst->opds[0], PX_T_B32);
    px_lower_inst(f, PX_IR_TABLE | PX_OP_activemask, &d, 1, 1);
    px_lower_done(f, &free, &b->inst->opds[0], d);
    px_lower_around_end(f, around);
}
