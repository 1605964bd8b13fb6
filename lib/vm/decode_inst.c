/*
 * decode_inst.c - records, block by block.
 *
 * Every step appends one record to both versions of the code, so that a pc
 * means the same in both. The convergent record is unmasked where the handler
 * allows it; the divergent one blends by the mask row of the entry, or by the
 * instruction's guard. What has a statement in the table goes to decode_alu.c, the
 * rest to decode_mem.c, decode_move.c, decode_warp.c and decode_ctl.c.
 */
#include "vm/decode.h"
#include "vm/op_fpmode.h"

/* ---- the two versions ---- */

struct px_insn *px_dec_emit(struct px_fn_dec *d, px_handler conv, px_handler div, const struct px_insn *in)
{
    struct px_insn a = *in, b = *in;
    a.fn = conv;
    b.fn = div;
    a.src = b.src = d->src.n - 1;
    a.ord = b.ord = d->ord;
    px_vec_push(d->dec->arena, &d->conv, a);
    px_vec_push(d->dec->arena, &d->div, b);
    return &d->conv.at[d->conv.n - 1];
}

static int nothing(struct px_gang *g, const struct px_insn *in)
{
    (void)g, (void)in;
    return PX_STEP_NEXT;
}

static int set_fp_mode(struct px_gang *g, const struct px_insn *in)
{
    px_fp_set(g->worker, (uint32_t)in->imm);
    return PX_STEP_NEXT;
}

void px_dec_guarded(struct px_fn_dec *d, const px_handler fn[2], struct px_insn in)
{
    in.m = d->guard;
    px_dec_emit(d, fn[d->guard != 0], fn[1], &in);
    if (d->guard) d->conv.at[d->conv.n - 1].m = d->conv_guard;
}

void px_dec_fixed(struct px_fn_dec *d, enum px_fixed fix, struct px_insn in)
{
    px_dec_guarded(d, d->dec->level->fixed[fix], in);
}

void px_dec_temp_fixed(struct px_fn_dec *d, enum px_fixed fix, struct px_insn in)
{
    px_handler fn = d->dec->level->fixed[fix][0];
    px_dec_emit(d, fn, fn, &in);
}

void px_dec_other(struct px_fn_dec *d, px_handler fn, struct px_insn in)
{
    px_dec_emit(d, fn, fn, &in);
}

void px_dec_fp(struct px_fn_dec *d, uint32_t mode)
{
    if (d->fp == mode) return;
    d->fp = mode;
    px_dec_other(d, set_fp_mode, (struct px_insn){.imm = mode});
}

/* ---- guards ---- */

/*
 * The guard as a mask row. Divergent code needs it joined with the entry's mask, and so does memory in both
 * versions; convergent arithmetic may use the predicate itself, since lanes that do not live do not matter.
 */
void px_dec_guard(struct px_fn_dec *d, const struct px_dinst *item, bool memory)
{
    const struct px_operand *p = item->inst->guard;
    d->guard = d->conv_guard = 0;
    if (!p) return;
    uint32_t row = px_dec_as_row(d, px_dec_vreg_src(d, px_dec_vreg(d, p, 0), 4), 4), temp = px_dec_temp(d, 4);
    bool negated = item->inst->guard_negated, direct = !negated && !memory;
    px_handler fn = d->dec->level->fixed[negated ? PX_FIX_mask_andnot : PX_FIX_mask_and][0];
    px_dec_emit(d, direct ? nothing : fn, fn, &(struct px_insn){.d = temp, .a = 0, .b = row});
    d->guard = temp;
    d->conv_guard = direct ? row : temp;
}

/* ---- results ---- */

void px_dec_assign(struct px_fn_dec *d, const struct px_operand *o, enum px_type type, struct px_src s)
{
    static const uint8_t fix[2][17] = {
        {[2] = PX_FIX_copy2, [4] = PX_FIX_copy4, [8] = PX_FIX_copy8, [16] = PX_FIX_copy16},
        {[2] = PX_FIX_broadcast2,
         [4] = PX_FIX_broadcast4,
         [8] = PX_FIX_broadcast8,
         [16] = PX_FIX_broadcast16}};
    uint32_t row = px_dec_dst(d, o, type);
    px_dec_fixed(d, fix[s.scalar][px_dec_elem(type)], (struct px_insn){.d = row, .a = s.at});
    px_dec_dst_done(d, o, type, row);
}

/* ---- one instruction ---- */

static void meaning(struct px_fn_dec *d, const struct px_dinst *item)
{
    if (px_dec_is_scalar(d, item->inst->nopds ? item->inst->opds : &(struct px_operand){0}) &&
        (item->op == PX_OP_ld || item->op == PX_OP_cvta || item->op == PX_OP_cvta_to ||
         item->op == PX_OP_mov))
        return;
    px_dec_canonical_sources(d, item, 0);
    if (px_dec_control(d, item)) return;
    if (px_dec_warp(d, item)) return;
    if (px_dec_memory(d, item) || px_dec_move(d, item)) return;
    px_dec_fail(d, item->inst, "cannot be run by this VM yet");
}

/* Whoever waits, leaves, calls, or adds floats by itself does so in the home mode. */
static bool keeps_mode(enum px_op op)
{
    switch (op) {
    case PX_OP_mov:
    case PX_OP_pack:
    case PX_OP_unpack:
    case PX_OP_ld:
    case PX_OP_st:
    case PX_OP_cvta:
    case PX_OP_cvta_to:
    case PX_OP_isspacep:
    case PX_OP_bfi:
    case PX_OP_lop3:
    case PX_OP_lop3_bool:
        return true;
    default:
        return false;
    }
}

/* Elements that ptxas lets pass in braces though nothing is meant by them. */
static void refuse_elements(struct px_fn_dec *d, const struct px_inst *inst)
{
    for (unsigned i = 0; i < inst->nopds; i++)
        for (uint16_t k = 0; inst->opds[i].kind == PX_O_VEC && k < inst->opds[i].n; k++) {
            const struct px_operand *o = &inst->opds[i].u.list[k];
            if (o->kind == PX_O_NAME && o->symbol && o->symbol->kind != PX_SYM_REG)
                px_dec_fail(d, inst, "has a variable where a register should stand");
            if (o->kind == PX_O_SINK && i > 0 && inst->opcode->word == PX_W_mov)
                px_dec_fail(d, inst, "has a sink among its sources");
        }
}

static void instruction(struct px_fn_dec *d, const struct px_dinst *item)
{
    refuse_elements(d, item->inst);
    struct px_origin origin = {item->inst, item->loc};
    px_vec_push(d->dec->arena, &d->src, origin);
    d->item = item;
    d->ord++;
    d->guard = d->conv_guard = 0;
    for (uint32_t i = 0; i < d->temps.n; i++) d->temps.at[i].used = false;
    if (item->handler >= 0) {
        px_dec_arithmetic(d, item);
    } else if (!px_dec_approx(d, item)) {
        if (!keeps_mode(item->op)) px_dec_fp(d, d->code->home_fp);
        meaning(d, item);
    }
}

/* ---- blocks ---- */

/* Goes on to the block that follows in the text. */
static void fall_through(struct px_fn_dec *d, const struct px_block_info *b, uint32_t next)
{
    if (b->succ[0] == PX_NONE32) return;
    if (b->succ[0] != next)
        px_dec_jump(d, b->succ[0]);
    else if (d->blocks[next].preds > 1)
        px_dec_join(d);
}

static void emit_block(struct px_fn_dec *d, uint32_t index)
{
    struct px_block_info *b = &d->blocks[d->layout[index]];
    uint32_t next = index + 1 < d->nlayout ? d->layout[index + 1] : PX_NONE32;
    b->pc = d->conv.n;
    d->fp = d->code->home_fp;
    for (uint32_t i = b->first; i < b->first + b->n; i++) instruction(d, &d->items.at[i]);
    px_dec_fp(d, d->code->home_fp); /* a block that does not end in a branch */
    if (d->layout[index] == d->nblocks - 1) px_dec_end(d);
    fall_through(d, b, next);
}

/* Branch targets were blocks; tagged constants were places in the pool. */
static uint32_t place(const struct px_fn_dec *d, uint32_t offset)
{
    return offset & PX_POOL_TAG && offset != PX_NONE32 ? d->code->pool + (offset & ~PX_POOL_TAG) : offset;
}

static void fix_up(struct px_fn_dec *d, struct px_insn *code, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct px_insn *in = &code[i];
        if (in->flags & PX_IF_BLOCK) {
            in->target = d->blocks[in->target].pc;
            in->flags &= (uint8_t)~PX_IF_BLOCK;
        }
        in->a = place(d, in->a);
        in->b = place(d, in->b);
        in->c = place(d, in->c);
        in->x[0] = place(d, in->x[0]);
    }
}

static void fix_sites(struct px_fn_dec *d)
{
    for (uint32_t i = 0; i < d->sites.n; i++) {
        struct px_call_site *s = d->sites.at[i];
        for (uint32_t k = 0; k < s->nargs; k++) s->args[k].at = place(d, s->args[k].at);
    }
    for (uint32_t i = 0; i < d->tables.n; i++)
        for (uint32_t k = 0; k < d->tables.at[i]->n; k++)
            d->tables.at[i]->targets[k] = d->blocks[d->tables.at[i]->targets[k]].pc;
}

void px_dec_emit_all(struct px_fn_dec *d)
{
    struct px_fcode *code = d->code;
    struct px_origin none = {d->items.n ? d->items.at[0].inst : NULL, 0};
    px_vec_push(d->dec->arena, &d->src, none);
    for (uint32_t i = 0; i < d->nlayout; i++) emit_block(d, i);
    code->pool = (d->frame_bytes + 15) & ~15u;
    code->pool_bytes = d->pool.n * 8;
    code->pool_image = (const uint8_t *)d->pool.at;
    code->frame_bytes = code->pool + code->pool_bytes + 64;
    fix_up(d, d->conv.at, d->conv.n);
    fix_up(d, d->div.at, d->div.n);
    fix_sites(d);
    code->conv = d->conv.at;
    code->div = d->div.at;
    code->n = d->conv.n;
    code->src = d->src.at;
}
