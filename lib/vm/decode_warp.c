/*
 * decode_warp.c - shfl, vote, match, redux, elect, activemask, bar.warp.sync.
 *
 * One record each (op_warp.h). A guarded one is branched around, because its
 * lanes may have to wait.
 */
#include "vm/decode.h"
#include "vm/op_warp.h"

static void set_scalar(struct px_insn *in, uint32_t *field, struct px_src s, int flag)
{
    *field = s.at;
    if (s.scalar) in->flags |= (uint8_t)flag;
}

static void set_member(struct px_fn_dec *d, struct px_insn *in, const struct px_operand *o)
{
    if (!o)
        in->imm |= PX_SYNC_ACTIVE;
    else
        set_scalar(in, &in->x[0], px_dec_src(d, o, PX_T_B32), PX_SYNC_SCALAR_M);
}

/* Emits the record and moves its results where they belong. */
static void finish(struct px_fn_dec *d, const struct px_dinst *item, struct px_insn in, enum px_type type)
{
    const struct px_operand *o = item->inst->opds, *od = o, *oe = NULL;
    bool none = in.imm == PX_WARPSYNC, predicate = type == PX_T_PRED;
    if (!none && o->kind == PX_O_PAIR) {
        od = &o->u.list[0];
        oe = &o->u.list[1];
    }
    if (!none && !predicate && od->kind != PX_O_SINK) in.d = px_dec_dst(d, od, type);
    if (predicate) in.e = px_dec_dst(d, od, PX_T_PRED);
    if (oe && oe->kind != PX_O_SINK) in.e = px_dec_dst(d, oe, PX_T_PRED);
    px_dec_other(d, px_warp_sync, in);
    if (none) return;
    px_dec_dst_done(d, od, type, predicate ? in.e : in.d);
    if (oe) px_dec_dst_done(d, oe, PX_T_PRED, in.e);
}

static void shuffle(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    struct px_insn in = {.size = 4};
    in.imm = px_dec_has(item, PX_W_up)     ? PX_SHFL_UP
             : px_dec_has(item, PX_W_down) ? PX_SHFL_DOWN
             : px_dec_has(item, PX_W_bfly) ? PX_SHFL_BFLY
                                           : PX_SHFL_IDX;
    in.a = px_dec_row(d, &o[1], PX_T_B32);
    set_scalar(&in, &in.b, px_dec_src(d, &o[2], PX_T_U32), PX_SYNC_SCALAR_B);
    set_scalar(&in, &in.c, px_dec_src(d, &o[3], PX_T_U32), PX_SYNC_SCALAR_C);
    set_member(d, &in, item->inst->nopds > 4 ? &o[4] : NULL);
    finish(d, item, in, PX_T_B32);
}

static void vote(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    struct px_insn in = {.size = 4};
    bool ballot = px_dec_has(item, PX_W_ballot);
    in.imm = ballot                       ? PX_VOTE_BALLOT
             : px_dec_has(item, PX_W_all) ? PX_VOTE_ALL
             : px_dec_has(item, PX_W_any) ? PX_VOTE_ANY
                                          : PX_VOTE_UNI;
    in.a = px_dec_row(d, &o[1], PX_T_PRED);
    set_member(d, &in, item->inst->nopds > 2 ? &o[2] : NULL);
    finish(d, item, in, ballot ? PX_T_B32 : PX_T_PRED);
}

static void match(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    enum px_type type = px_dec_type(item, 0);
    struct px_insn in = {.size = (uint8_t)px_dec_elem(type)};
    in.imm = px_dec_has(item, PX_W_all) ? PX_MATCH_ALL : PX_MATCH_ANY;
    in.a = px_dec_row(d, &o[1], type);
    set_member(d, &in, &o[2]);
    finish(d, item, in, PX_T_B32);
}

static enum px_sync_op redux_op(const struct px_dinst *item, enum px_type type)
{
    bool sign = px_type_info(type)->klass == PX_TC_SIGNED, number = type == PX_T_F32;
    if (px_dec_has(item, PX_W_add)) return PX_REDUX_ADD;
    if (px_dec_has(item, PX_W_min)) return number ? PX_REDUX_FMIN : sign ? PX_REDUX_SMIN : PX_REDUX_UMIN;
    if (px_dec_has(item, PX_W_max)) return number ? PX_REDUX_FMAX : sign ? PX_REDUX_SMAX : PX_REDUX_UMAX;
    if (px_dec_has(item, PX_W_and)) return PX_REDUX_AND;
    return px_dec_has(item, PX_W_or) ? PX_REDUX_OR : PX_REDUX_XOR;
}

static void reduce(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    enum px_type type = px_dec_type(item, 0);
    struct px_insn in = {.size = 4, .imm = redux_op(item, type)};
    if (px_dec_has(item, PX_W_abs)) in.imm |= PX_SYNC_ABS;
    if (px_dec_has(item, PX_W_NaN)) in.imm |= PX_SYNC_NAN;
    in.a = px_dec_row(d, &o[1], type);
    set_member(d, &in, &o[2]);
    finish(d, item, in, type);
}

static void elect(struct px_fn_dec *d, const struct px_dinst *item)
{
    struct px_insn in = {.imm = PX_ELECT};
    set_member(d, &in, &item->inst->opds[1]);
    finish(d, item, in, PX_T_B32);
}

static void meet(struct px_fn_dec *d, const struct px_dinst *item)
{
    struct px_insn in = {.imm = PX_WARPSYNC};
    set_member(d, &in, &item->inst->opds[0]);
    finish(d, item, in, PX_T_B32);
}

static void active(struct px_fn_dec *d, const struct px_dinst *item)
{
    uint32_t row = px_dec_dst(d, &item->inst->opds[0], PX_T_B32);
    px_dec_other(d, px_warp_activemask, (struct px_insn){.d = row});
    px_dec_dst_done(d, &item->inst->opds[0], PX_T_B32, row);
}

bool px_dec_warp(struct px_fn_dec *d, const struct px_dinst *item)
{
    void (*make)(struct px_fn_dec *, const struct px_dinst *);
    switch (item->op) {
    case PX_OP_shfl:
        make = shuffle;
        break;
    case PX_OP_vote:
        make = vote;
        break;
    case PX_OP_match:
        make = match;
        break;
    case PX_OP_redux:
        make = reduce;
        break;
    case PX_OP_elect:
        make = elect;
        break;
    case PX_OP_bar_warp:
        make = meet;
        break;
    case PX_OP_activemask:
        make = active;
        break;
    default:
        return false;
    }
    uint32_t around = px_dec_guard_begin(d, item);
    make(d, item);
    px_dec_guard_end(d, around);
    return true;
}
