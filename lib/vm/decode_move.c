/*
 * decode_move.c - mov in all its meanings, packing and unpacking, and the few
 * arithmetic instructions with more sources than a handler takes.
 */
#include "vm/decode.h"
#include "vm/op_move.h"

static enum px_type elem_type(uint32_t bits)
{
    return bits == 8    ? PX_T_B8
           : bits == 16 ? PX_T_B16
           : bits == 32 ? PX_T_B32
           : bits == 64 ? PX_T_B64
                        : PX_T_B128;
}

static void move(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *o = item->inst->opds;
    enum px_type type = item->match.type[0];
    px_dec_guard(d, item, false);
    struct px_src s = px_dec_src(d, &o[1], type);
    px_dec_assign(d, &o[0], type, s);
}

/* d = { a, b, ... }: the elements are joined in a temporary, lowest first. */
static void pack(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *v = &item->inst->opds[1];
    enum px_type type = item->match.type[0];
    uint32_t elem = px_dec_elem(type), bits = px_type_info(type)->bits / v->n, sum = px_dec_temp(d, elem);
    uint32_t part = elem_type(bits) == PX_T_B8 ? 2 : bits / 8;
    px_dec_guard(d, item, false);
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t row = px_dec_row(d, &v->u.list[i], elem_type(bits));
        px_dec_other(d, px_move_pack,
                     (struct px_insn){.d = sum,
                                      .a = row,
                                      .imm = i * bits,
                                      .size = (uint8_t)elem,
                                      .flags = (uint8_t)part,
                                      .x = {bits, 0}});
    }
    px_dec_assign(d, &item->inst->opds[0], type, (struct px_src){sum, false});
}

/* The elements go to temporaries first: the source may be among the destinations. */
static void unpack(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *v = &item->inst->opds[0];
    enum px_type type = elem_type(px_type_info(item->match.type[1])->bits);
    uint32_t elem = px_dec_elem(type), bits = px_type_info(type)->bits / v->n, out[4] = {0};
    enum px_type part = elem_type(bits);
    px_dec_guard(d, item, false);
    uint32_t row = px_dec_row(d, &item->inst->opds[1], type);
    for (uint32_t i = 0; i < v->n; i++) {
        if (v->u.list[i].kind == PX_O_SINK) continue;
        out[i] = px_dec_temp(d, px_dec_elem(part));
        px_dec_other(d, px_move_unpack,
                     (struct px_insn){.d = out[i],
                                      .a = row,
                                      .imm = i * bits,
                                      .size = (uint8_t)elem,
                                      .flags = (uint8_t)px_dec_elem(part),
                                      .x = {bits, 0}});
    }
    for (uint32_t i = 0; i < v->n; i++)
        if (out[i]) px_dec_assign(d, &v->u.list[i], part, (struct px_src){out[i], false});
}

/* Four sources: the handler reads the rows named in a, b, c and x[0]. */
static void four(struct px_fn_dec *d, const struct px_dinst *item, px_handler fn, enum px_type type,
                 const enum px_type t[4])
{
    const struct px_inst *inst = item->inst;
    uint32_t row[4] = {0};
    px_dec_guard(d, item, false);
    for (uint32_t i = 0; i + 1 < inst->nopds && i < 4; i++) row[i] = px_dec_row(d, &inst->opds[i + 1], t[i]);
    uint32_t out = px_dec_temp(d, px_dec_elem(type));
    px_dec_other(d, fn,
                 (struct px_insn){.d = out,
                                  .a = row[0],
                                  .b = row[1],
                                  .c = row[2],
                                  .x = {row[3], 0},
                                  .size = (uint8_t)px_dec_elem(type)});
    px_dec_assign(d, &inst->opds[0], type, (struct px_src){out, false});
}

static void lop3(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_inst *inst = item->inst;
    const struct px_operand *od = &inst->opds[0], *op = NULL;
    uint64_t lut = 0;
    bool with_predicate = item->op == PX_OP_lop3_bool;
    if (od->kind == PX_O_PAIR) {
        op = &od->u.list[1];
        od = &od->u.list[0];
    }
    px_dec_guard(d, item, false);
    if (!px_dec_value(d, &inst->opds[4], PX_T_B32, &lut))
        px_dec_fail(d, inst, "needs a constant look-up table");
    struct px_insn in = {.imm = lut};
    in.a = px_dec_row(d, &inst->opds[1], PX_T_B32);
    in.b = px_dec_row(d, &inst->opds[2], PX_T_B32);
    in.c = px_dec_row(d, &inst->opds[3], PX_T_B32);
    in.d = px_dec_temp(d, 4);
    if (with_predicate) {
        in.x[0] = px_dec_row(d, &inst->opds[5], PX_T_PRED);
        in.e = px_dec_temp(d, 4);
        in.flags = px_dec_has(item, PX_W_and) ? 1 : 2;
    }
    px_dec_other(d, px_move_lop3, in);
    if (od->kind != PX_O_SINK) px_dec_assign(d, od, PX_T_B32, (struct px_src){in.d, false});
    if (op && op->kind != PX_O_SINK) px_dec_assign(d, op, PX_T_PRED, (struct px_src){in.e, false});
}

static int constant_policy(struct px_gang *g, const struct px_insn *in)
{
    uint64_t *d = PX_ROW(g, uint64_t, in->d);
    for (uint32_t i = 0; i < g->n; i++) d[i] = 0;
    return PX_STEP_NEXT;
}

/* Cache policies are opaque and have no effect here. */
static void policy(struct px_fn_dec *d, const struct px_dinst *item)
{
    px_dec_guard(d, item, false);
    uint32_t row = px_dec_temp(d, 8);
    px_dec_other(d, constant_policy, (struct px_insn){.d = row});
    px_dec_assign(d, &item->inst->opds[0], PX_T_B64, (struct px_src){row, false});
}

bool px_dec_move(struct px_fn_dec *d, const struct px_dinst *item)
{
    enum px_type t = item->match.type[0];
    switch (item->op) {
    case PX_OP_mov:
        move(d, item);
        return true;
    case PX_OP_pack:
        pack(d, item);
        return true;
    case PX_OP_unpack:
        unpack(d, item);
        return true;
    case PX_OP_bfi:
        four(d, item, px_move_bfi, t, (enum px_type[4]){t, t, PX_T_U32, PX_T_U32});
        return true;
    case PX_OP_lop3:
    case PX_OP_lop3_bool:
        lop3(d, item);
        return true;
    case PX_OP_createpolicy:
        policy(d, item);
        return true;
    default:
        return false;
    }
}
