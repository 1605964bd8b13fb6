/*
 * lower/operands.c - operations that are one function, their handler (`handler` on their `op` line).
 *
 * Their operands become what the handler finds (ops/operands.h): every value a row, every vector as many as
 * it has elements, and one address, or `several` that are rows themselves. `aux` is the match, as one of
 * px_irfn.matches; `fact` what a trace tells of the access (PTX_TRACE_), 0 when there is none.
 */
#include "code/lower/lower.h"
#include "ops/trace.h"

enum { OPERANDS_MAX = 128, ROW_OF_MATRIX = 16 };

struct operands {
    struct px_ir_operand list[OPERANDS_MAX];
    uint32_t n, ndst;
};

/* The operands in braces, or the one. */
static uint32_t elements_of(const struct px_operand *o, const struct px_operand **list)
{
    *list = o->kind == PX_O_VEC ? o->u.list : o;
    return o->kind == PX_O_VEC ? o->n : 1;
}

/* There are few, and the last one is often the next. */
static uint32_t match_of(struct px_irfn *f, const struct px_match *match)
{
    for (uint32_t i = f->matches.n; i-- > 0;)
        if (!memcmp(f->matches.at[i], match, sizeof *match)) return i;
    struct px_match *kept = PX_NEW(f->coder->keep, struct px_match);
    *kept = *match;
    px_vec_push(f->coder->scratch, &f->matches, kept);
    return f->matches.n - 1;
}

/* How many bytes lie at the address that is operand i: of an mbarrier, of a row of a matrix, of the type that
 * the row gives to the address, or of the value beside it. */
static uint32_t bytes_at(struct px_irfn *f, const struct px_bound *b, unsigned i)
{
    const struct px_opd *spec = px_match_opd(&b->match, i);
    enum px_type type;
    unsigned count;
    if (px_match_in(&b->match, PX_SET_mbarrier, spec)) return 8;
    if (px_op_flags(px_match_op(&b->match)) & PX_OPERATION_fragment) return ROW_OF_MATRIX;
    if (px_match_opd_type(&b->match, spec, &type, &count) && type != PX_T_NONE)
        return px_type_info(type)->bits / 8 * (count ? count : 1);
    if (b->inst->nopds < 2) return 0;
    const struct px_parts value = px_lower_parts(f, b, i ? i - 1 : 1);
    return value.bytes * value.n;
}

static unsigned told_of(const struct px_bound *b, unsigned i)
{
    const unsigned flags = px_op_flags(px_match_op(&b->match));
    if (px_match_in(&b->match, PX_SET_mbarrier, px_match_opd(&b->match, i))) return PX_TRACE_ATOMIC;
    return (flags & PX_OPERATION_reads ? PTX_TRACE_READ : 0) |
           (flags & PX_OPERATION_writes ? PTX_TRACE_WRITE : 0);
}

static void add(struct px_irfn *f, const struct px_bound *b, struct operands *to, struct px_ir_operand o)
{
    if (to->n == OPERANDS_MAX) px_code_fail(f, b->inst, "has more than %d registers", OPERANDS_MAX);
    to->list[to->n++] = o;
}

static bool is_result(const struct px_bound *b, unsigned i)
{
    return px_match_opd(&b->match, i)->flags & PX_OPERAND_RESULT;
}

/* Where the elements of a result go; those that are not named (`_`), to rows that nobody reads. */
static void add_results(struct px_irfn *f, const struct px_bound *b, struct operands *to, unsigned i)
{
    const struct px_operand *list;
    const uint32_t n = elements_of(&b->inst->opds[i], &list);
    for (uint32_t k = 0; k < n; k++)
        add(f, b, to, px_lower_dst(f, b, &list[k], px_match_elem(&b->match, px_match_opd(&b->match, i), k)));
}

static void add_sources(struct px_irfn *f, const struct px_bound *b, struct operands *to, unsigned i)
{
    const struct px_operand *list;
    const uint32_t n = elements_of(&b->inst->opds[i], &list);
    for (uint32_t k = 0; k < n; k++) {
        const enum px_type type = px_match_elem(&b->match, px_match_opd(&b->match, i), k);
        add(f, b, to, px_lower_row(f, px_lower_src(f, b, &list[k], type)));
    }
}

/* One of several addresses, and the coordinates that stand in its brackets. */
static void add_place(struct px_irfn *f, const struct px_bound *b, struct operands *to, unsigned i)
{
    const struct px_operand *o = &b->inst->opds[i], *list;
    add(f, b, to, px_lower_whole_address(f, px_lower_address(f, b, o, px_lower_space(b, i), 1)));
    if (px_match_opd(&b->match, i)->kind != PX_OK_TENSOR) return;
    const uint32_t n = elements_of(&o->u.list[1], &list);
    for (uint32_t k = 0; k < n; k++) add(f, b, to, px_lower_row(f, px_lower_src(f, b, &list[k], PX_T_S32)));
}

static void results_done(struct px_irfn *f, const struct px_bound *b, const struct operands *from)
{
    const struct px_ir_operand *d = from->list;
    for (unsigned i = 0; i < b->inst->nopds; i++) {
        const struct px_operand *list;
        const uint32_t n = elements_of(&b->inst->opds[i], &list);
        for (uint32_t k = 0; is_result(b, i) && k < n; k++) px_lower_done(f, b, &list[k], *d++);
    }
}

void px_lower_operands(struct px_irfn *f, const struct px_bound *bound)
{
    struct px_bound b = *bound;
    struct operands o;
    const px_op op = px_match_op(&b.match);
    uint32_t around = PX_NONE32;
    uint16_t told = 0;
    o.n = 0;
    if (px_op_flags(op) & PX_OPERATION_waits) {
        around = px_lower_around(f, bound);
        b.guard = PX_NONE32;
    }
    for (unsigned i = 0; i < b.inst->nopds; i++)
        if (is_result(&b, i)) add_results(f, &b, &o, i);
    o.ndst = o.n;
    for (unsigned i = 0; i < b.inst->nopds; i++) {
        const enum px_opd_kind kind = (enum px_opd_kind)px_match_opd(&b.match, i)->kind;
        if (px_op_flags(op) & PX_OPERATION_several && (kind == PX_OK_ADDR || kind == PX_OK_TENSOR)) {
            add_place(f, &b, &o, i);
        } else if (kind == PX_OK_ADDR) {
            told = (uint16_t)told_of(&b, i);
            add(f, &b, &o,
                px_lower_address(f, &b, &b.inst->opds[i], px_lower_space(&b, i), bytes_at(f, &b, i)));
        } else if (!is_result(&b, i) && kind != PX_OK_OTHER) {
            add_sources(f, &b, &o, i);
        }
    }
    struct px_ir_inst *in = px_lower_guarded(f, &b, (px_irop)(PX_IR_TABLE | op), o.list, o.ndst, o.n);
    in->fact = told;
    in->aux = match_of(f, &b.match);
    results_done(f, &b, &o);
    px_lower_around_end(f, around);
}
