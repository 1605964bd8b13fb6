/*
 * lower/async.c - copies that rows describe (`copy shared[d] <- global[a], size`), cp.async's groups,
 * mbarrier.
 *
 * Waits may sleep, so their operands are registers and never temporaries: lanes
 * that wake read them again.
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "ops/async.h"
#include "ops/mbarrier.h"

static const struct px_ir_operand none;

static px_irop op_of(px_op op)
{
    return (px_irop)(PX_IR_TABLE | op);
}

/* ---- copies ---- */

/* The instruction's operand that the form's operand i is; NULL: not written. */
static const struct px_operand *written(const struct px_bound *b, unsigned i)
{
    const int at = px_match_written(&b->match, i);
    return at < 0 ? NULL : &b->inst->opds[at];
}

/* How many bytes are read: all, as many as an operand says, or none where a predicate holds. */
static struct px_ir_operand bytes_read(struct px_irfn *f, const struct px_bound *b,
                                       const struct px_copy_rule *copy, uint32_t size)
{
    const struct px_ir_operand all = {.kind = PX_IR_IMM, .elem = 4, .type = PX_T_U32, .value = size};
    const struct px_operand *read = written(b, copy->read), *unless = written(b, copy->unless);
    if (read) return px_lower_row(f, px_lower_src(f, b, read, PX_T_U32));
    if (!unless) return px_lower_row(f, all);
    return px_lower_fixed(f, PX_FIX_mask_andnot, 4, px_lower_row(f, all),
                          px_lower_row(f, px_lower_src(f, b, unless, PX_T_PRED)), 0);
}

void px_lower_copy(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_copy_rule *copy = px_form_copy(b->match.form);
    struct px_ir_operand opds[3];
    uint64_t size;
    uint32_t offset;
    if (!px_lower_value(f, written(b, copy->size), PX_T_U32, &size))
        px_code_fail(f, b->inst, "has a size that is no constant");
    opds[0] = px_lower_address(f, b, written(b, copy->to), (enum px_space)copy->to_space, (uint32_t)size);
    opds[1] = px_lower_address(f, b, written(b, copy->from), (enum px_space)copy->from_space, (uint32_t)size);
    opds[1] = px_lower_address_row(f, opds[1], &offset);
    opds[2] = bytes_read(f, b, copy, (uint32_t)size);
    px_lower_guarded(f, b, op_of(PX_OP_copy), opds, 0, 3)->aux = offset;
}

void px_lower_cp_async_wait(struct px_irfn *f, const struct px_bound *b)
{
    uint64_t n = 0;
    const bool all = !b->inst->nopds;
    if (!all && !px_lower_value(f, &b->inst->opds[0], PX_T_U32, &n))
        px_code_fail(f, b->inst, "has a number of groups that is no constant");
    struct px_ir_inst *in = px_lower_guarded(f, b, op_of(PX_OP_cp_async_wait), &none, 0, 0);
    in->fact = all ? PX_ASYNC_ALL : 0;
    in->aux = (uint32_t)n;
}

/* ---- mbarrier ---- */

/* The same value in a register that is still there when lanes wake; scalars are. */
static struct px_ir_operand lasting(struct px_irfn *f, struct px_ir_operand s)
{
    if (s.kind != PX_IR_REG || !f->regs.at[s.at].temp) return s;
    struct px_ir_operand opds[2] = {s, s};
    opds[0].at = px_lower_register(f, s.elem, (enum px_type)s.type);
    px_lower_inst(f, PX_IR_COPY, opds, 1, 2);
    return opds[0];
}

static struct px_ir_operand lasting_address(struct px_irfn *f, struct px_ir_operand a)
{
    const struct px_ir_operand base = {.kind = a.base, .elem = 8, .type = PX_T_U64, .at = a.at};
    if (a.base == PX_IR_REG) a.at = lasting(f, base).at;
    return a;
}

void px_lower_mbarrier_wait(struct px_irfn *f, const struct px_bound *bound)
{
    const struct px_operand *o = bound->inst->opds;
    const uint32_t around = px_lower_around(f, bound);
    const bool parity = px_bound_has(bound, PX_W_parity);
    struct px_bound b = *bound;
    b.guard = PX_NONE32;
    struct px_ir_operand opds[3];
    opds[1] = lasting_address(f, px_lower_address(f, &b, &o[1], px_lower_space(&b, 1), 8));
    opds[2] = lasting(f, px_lower_src(f, &b, &o[2], parity ? PX_T_U32 : PX_T_U64));
    opds[0] = px_lower_dst(f, &b, &o[0], PX_T_PRED);
    px_lower_inst(f, op_of(PX_OP_mbarrier_wait), opds, 1, 3)->fact =
        (uint16_t)((parity ? 0 : PX_WAIT_STATE) | (px_bound_has(&b, PX_W_try_wait) ? PX_WAIT_TRY : 0));
    px_lower_done(f, &b, &o[0], opds[0]);
    px_lower_around_end(f, around);
}
