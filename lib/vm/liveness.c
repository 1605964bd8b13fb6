/*
 * liveness.c - which registers live where, and the rows that they get.
 *
 * PTX has as many registers as a compiler likes; rows are few, so that a gang's
 * rows stay in the first-level cache. Live ranges are intervals over the
 * positions of the layout, from a data-flow analysis over the registers that
 * cross block borders; a linear scan hands out rows. Rows of different element
 * sizes are never shared (op_row.h relies on it), and sharing is sound under
 * divergence because every write to a shared row is masked by the lanes for
 * which the range is live. Registers that always equal one constant, kernel
 * parameter or uniform special register get no row at all: they are scalars.
 */
#include "vm/decode.h"
#include <stdlib.h>
#include "check/registers.h"

/* ---- registers ---- */

uint32_t px_dec_components(struct px_fn_dec *d, const struct px_operand *o)
{
    return o->selector ? 1 : d->fn->regs.at[o->symbol->index].vec;
}

static uint32_t component_of(px_word selector)
{
    switch (selector) {
    case PX_W_y:
    case PX_W_g:
        return 1;
    case PX_W_z:
    case PX_W_b:
        return 2;
    case PX_W_w:
    case PX_W_a:
        return 3;
    default:
        return 0;
    }
}

uint32_t px_dec_vreg(struct px_fn_dec *d, const struct px_operand *o, uint32_t component)
{
    uint32_t base = d->reg_base[o->symbol->index];
    return base +
           (d->fn->regs.at[o->symbol->index].vec > 1 && o->selector ? component_of(o->selector) : component);
}

void px_dec_registers(struct px_fn_dec *d)
{
    uint32_t n = 0;
    d->reg_base = PX_NEW_N(d->dec->arena, uint32_t, d->fn->regs.n + 1);
    for (uint32_t i = 0; i < d->fn->regs.n; i++) {
        d->reg_base[i] = n;
        n += d->fn->regs.at[i].vec ? d->fn->regs.at[i].vec : 1;
    }
    d->nvregs = n;
    d->vregs = PX_NEW_N(d->dec->arena, struct px_vreg, n + 1);
    for (uint32_t i = 0; i < d->fn->regs.n; i++)
        for (uint32_t k = d->reg_base[i]; k < (i + 1 < d->fn->regs.n ? d->reg_base[i + 1] : n); k++) {
            enum px_type type = d->fn->regs.at[i].type;
            d->vregs[k] = (struct px_vreg){.elem = (uint8_t)px_dec_elem(type),
                                           .type = (uint8_t)type,
                                           .scalar = PX_NONE32,
                                           .global = PX_NONE32,
                                           .block = PX_NONE32,
                                           .first = PX_NONE32,
                                           .row = PX_NONE32};
        }
}

/* ---- which registers an instruction names ---- */

struct visit {
    struct px_fn_dec *d;
    px_dec_visitor *fn;
    void *user;
};

static void visit_register(void *user, const struct px_operand *o, bool is_def)
{
    const struct visit *v = user;
    for (uint32_t i = 0, n = px_dec_components(v->d, o); i < n; i++)
        v->fn(v->d, px_dec_vreg(v->d, o, i), is_def, v->user);
}

void px_dec_visit(struct px_fn_dec *d, const struct px_dinst *item, px_dec_visitor *fn, void *user)
{
    struct visit v = {d, fn, user};
    for (int defs = 0; defs < 2; defs++) px_visit_registers(item->inst, &item->match, defs, visit_register, &v);
}

/* The i-th formal parameter, results first, when it is a register; else NULL. */
static struct px_vreg *formal_register(struct px_fn_dec *d, uint32_t i)
{
    const struct px_symbol *s =
        i < d->fn->func->nrets ? d->fn->rets[i] : d->fn->params[i - d->fn->func->nrets];
    return s->kind == PX_SYM_REG ? &d->vregs[d->reg_base[s->index]] : NULL;
}

static uint32_t formal_count(const struct px_fn_dec *d)
{
    return d->fn->func->nrets + (uint32_t)d->fn->func->nparams;
}

/* ---- scalars ---- */

static void count_def(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    const struct px_dinst *item = user;
    if (!is_def) return;
    d->vregs[vreg].defs++;
    if (item->inst->guard) d->vregs[vreg].many = true;
}

/* Offset of the uniform special register `id` in the frame; PX_NONE32 when it differs from lane to lane. */
static uint32_t uniform_sreg(const struct px_fn_dec *d, const struct px_sreg *sreg, uint32_t component)
{
    size_t at = 0;
    switch (sreg->op) {
    case PX_SR_ntid:
        at = offsetof(struct px_uniform, ntid) + component * 4;
        break;
    case PX_SR_ctaid:
        at = offsetof(struct px_uniform, ctaid) + component * 4;
        break;
    case PX_SR_nctaid:
        at = offsetof(struct px_uniform, nctaid) + component * 4;
        break;
    case PX_SR_gridid:
        at = offsetof(struct px_uniform, gridid);
        break;
    case PX_SR_nwarpid:
        at = offsetof(struct px_uniform, nwarpid);
        break;
    case PX_SR_smid:
        at = offsetof(struct px_uniform, smid);
        break;
    case PX_SR_nsmid:
        at = offsetof(struct px_uniform, nsmid);
        break;
    case PX_SR_dynamic_smem_size:
        at = offsetof(struct px_uniform, dynamic_smem);
        break;
    case PX_SR_aggr_smem_size:
    case PX_SR_total_smem_size:
        at = offsetof(struct px_uniform, total_smem);
        break;
    default:
        return PX_NONE32;
    }
    return d->code->uniform + (uint32_t)at;
}

/* Special register of an operand, with its component; NULL when the operand is something else. */
const struct px_sreg *px_dec_sreg(const struct px_operand *o, uint32_t *component)
{
    if (o->kind != PX_O_NAME || o->symbol) return NULL;
    *component = component_of(o->selector);
    return px_sreg_of_word(o->u.name->word);
}

uint32_t px_dec_uniform(const struct px_fn_dec *d, const struct px_operand *o, uint32_t *bytes)
{
    uint32_t component;
    const struct px_sreg *sreg = px_dec_sreg(o, &component);
    if (!sreg) return PX_NONE32;
    *bytes = sreg->op == PX_SR_gridid ? 8 : 4;
    return uniform_sreg(d, sreg, component);
}

/* The scalar that `mov d, a` makes of d; PX_NONE32 when a is no scalar. */
static uint32_t scalar_of_mov(struct px_fn_dec *d, const struct px_dinst *item)
{
    const struct px_operand *a = &item->inst->opds[1];
    enum px_type type = item->match.type[1];
    uint32_t bytes = 0, at;
    uint64_t value;
    if (a->negated || a->minus) return PX_NONE32;
    if (a->kind == PX_O_NAME && a->symbol && a->symbol->kind == PX_SYM_REG)
        return px_dec_components(d, a) == 1 ? d->vregs[px_dec_vreg(d, a, 0)].scalar : PX_NONE32;
    at = px_dec_uniform(d, a, &bytes);
    if (at != PX_NONE32) return bytes >= px_dec_elem(type) ? at : PX_NONE32;
    return px_dec_value(d, a, type, &value) ? px_dec_constant(d, value, NULL) : PX_NONE32;
}

/* ld.param of a kernel parameter at a constant place is that parameter. */
static uint32_t scalar_of_param(struct px_fn_dec *d, const struct px_dinst *item, const struct px_vreg *v)
{
    const struct px_operand *a = &item->inst->opds[1];
    if (px_dec_space(item) != PX_SPACE_PARAM || a->kind != PX_O_ADDR || a->n != 1) return PX_NONE32;
    const struct px_operand *base = &a->u.list[0];
    if (base->kind != PX_O_NAME || !base->symbol || base->symbol->kind != PX_SYM_PARAM) return PX_NONE32;
    if (!base->symbol->is_entry_param) return PX_NONE32;
    const struct px_type_info *t = px_type_info(px_dec_type(item, 0));
    int64_t at = (int64_t)base->symbol->offset + base->offset;
    if (t->bits != v->elem * 8u || at < 0 || (uint64_t)at + v->elem > d->fn->param_bytes || at % v->elem)
        return PX_NONE32;
    return d->code->params + (uint32_t)at;
}

static uint32_t scalar_of(struct px_fn_dec *d, const struct px_dinst *item, const struct px_vreg *v)
{
    const struct px_inst *inst = item->inst;
    if (inst->nopds != 2 || inst->opds[0].kind != PX_O_NAME) return PX_NONE32;
    if (item->op == PX_OP_mov) return scalar_of_mov(d, item);
    if (item->op == PX_OP_ld) return scalar_of_param(d, item, v);
    /* Global addresses are generic addresses. */
    if ((item->op == PX_OP_cvta || item->op == PX_OP_cvta_to) && px_dec_space(item) == PX_SPACE_GLOBAL &&
        v->elem == 8)
        return scalar_of_mov(d, item);
    return PX_NONE32;
}

void px_dec_scalars(struct px_fn_dec *d)
{
    for (uint32_t i = 0; i < d->items.n; i++) px_dec_visit(d, &d->items.at[i], count_def, &d->items.at[i]);
    for (uint32_t i = 0; i < formal_count(d); i++)
        if (formal_register(d, i))
            formal_register(d, i)->many = true; /* the caller defines or reads it, too */
    for (int pass = 0; pass < 2; pass++)        /* the second one sees what a later block defines */
        for (uint32_t i = 0; i < d->items.n; i++) {
            const struct px_dinst *item = &d->items.at[i];
            const struct px_operand *o = item->inst->opds;
            if (!item->inst->nopds || o->kind != PX_O_NAME || !o->symbol || o->symbol->kind != PX_SYM_REG)
                continue;
            if (px_dec_components(d, o) != 1 || !px_is_result(item->inst, &item->match, 0)) continue;
            struct px_vreg *v = &d->vregs[px_dec_vreg(d, o, 0)];
            if (v->defs == 1 && !v->many && v->type != PX_T_PRED && v->elem <= 8 && v->scalar == PX_NONE32)
                v->scalar = scalar_of(d, item, v);
        }
}

/* ---- NaNs that may not be canonical ---- */

struct dirt {
    bool source, clean, changed;
    const struct px_dinst *item;
};

static void dirty_source(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    struct dirt *s = user;
    const struct px_vreg *v = &d->vregs[vreg];
    if (is_def || v->elem != 4 || v->type == PX_T_PRED) return;
    if (v->dirty)
        s->source = true;
    else
        s->clean = true;
}

static void dirty_result(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    struct dirt *s = user;
    if (!is_def || d->vregs[vreg].dirty || d->vregs[vreg].elem != 4 || d->vregs[vreg].type == PX_T_PRED)
        return;
    d->vregs[vreg].dirty = s->changed = true;
}

static bool copies(const struct px_dinst *item)
{
    return item->op == PX_OP_mov || item->opcode == PX_W_selp || item->opcode == PX_W_slct;
}

/*
 * f32 arithmetic gives the host's NaN; the chip's is 0x7fffffff. Registers that may hold one are found here,
 * and made canonical where their bits are looked at. Statements on bits (abs, neg, the approximate units)
 * give the chip's NaN themselves. A copy is dirty only when all that it may copy is: a NaN that came from
 * memory keeps its bits.
 */
void px_dec_dirty(struct px_fn_dec *d)
{
    struct dirt s = {.changed = true};
    while (s.changed) {
        s.changed = false;
        for (uint32_t i = 0; i < d->items.n; i++) {
            const struct px_dinst *item = &d->items.at[i];
            s.source = s.clean = false;
            bool makes = item->handler >= 0 && d->dec->level->sets[item->handler].f32_result;
            if (copies(item)) px_dec_visit(d, item, dirty_source, &s);
            if (makes || (s.source && !s.clean)) px_dec_visit(d, item, dirty_result, &s);
        }
    }
}

/* ---- liveness ---- */

/* `zeroed` is also the mark "read in its block before any definition" until rows are made. */
static void note_place(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    const struct px_dinst *item = user;
    struct px_vreg *v = &d->vregs[vreg];
    if (v->scalar != PX_NONE32) return;
    if (v->block == PX_NONE32) {
        v->block = item->block;
        if (!is_def || item->inst->guard) v->zeroed = true;
    } else if (v->block != item->block && v->global == PX_NONE32) {
        v->global = d->nglobals++;
    }
    if (v->zeroed && v->global == PX_NONE32) v->global = d->nglobals++;
}

struct sets {
    uint64_t *use, *def;
    uint32_t words;
};
struct gather {
    struct sets *sets;
    const struct px_dinst *item;
};

static void note_use_def(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    struct gather *g = user;
    uint32_t k = d->vregs[vreg].global;
    if (k == PX_NONE32) return;
    uint64_t bit = 1ull << (k & 63);
    if (!is_def) {
        if (!(g->sets->def[k >> 6] & bit)) g->sets->use[k >> 6] |= bit;
    } else if (!g->item->inst->guard) {
        g->sets->def[k >> 6] |= bit;
    }
}

/* live_in = use | (live_out & ~def); true when it grew. */
static bool flow(struct px_fn_dec *d, struct px_block_info *b, const struct sets *s)
{
    bool grew = false;
    for (uint32_t e = 0; e < 2 + b->nmore; e++) {
        uint32_t to = e < 2 ? b->succ[e] : b->more[e - 2];
        if (to == PX_NONE32) continue;
        for (uint32_t w = 0; w < s->words; w++) b->live_out[w] |= d->blocks[to].live_in[w];
    }
    for (uint32_t w = 0; w < s->words; w++) {
        uint64_t in = s->use[w] | (b->live_out[w] & ~s->def[w]);
        if (in & ~b->live_in[w]) grew = true;
        b->live_in[w] |= in;
    }
    return grew;
}

static struct sets *block_sets(struct px_fn_dec *d, uint32_t words)
{
    struct sets *all = PX_NEW_N(d->dec->arena, struct sets, d->nblocks);
    for (uint32_t i = 0; i < d->nlayout; i++) {
        struct px_block_info *b = &d->blocks[d->layout[i]];
        struct sets *s = &all[d->layout[i]];
        uint64_t *mem = PX_NEW_N(d->dec->arena, uint64_t, (size_t)words * 4 + 1);
        *s = (struct sets){mem, mem + words, words};
        b->live_in = mem + 2 * (size_t)words;
        b->live_out = mem + 3 * (size_t)words;
        for (uint32_t k = b->first; k < b->first + b->n; k++) {
            struct gather g = {s, &d->items.at[k]};
            px_dec_visit(d, g.item, note_use_def, &g);
        }
    }
    return all;
}

/* Results in registers are read wherever the function returns. */
static void keep_results(struct px_fn_dec *d)
{
    for (uint32_t r = 0; r < d->fn->func->nrets; r++) {
        const struct px_vreg *v = formal_register(d, r);
        if (!v) continue;
        uint32_t k = v->global;
        for (uint32_t i = 0; i < d->nblocks && k != PX_NONE32; i++) {
            struct px_block_info *b = &d->blocks[i];
            bool returns = i == d->nblocks - 1 || (b->n && d->items.at[b->first + b->n - 1].op == PX_OP_ret);
            if (returns && b->live_out) b->live_out[k >> 6] |= 1ull << (k & 63);
        }
    }
}

/* Parameters in registers live across blocks: the caller writes them before the first and reads them after
 * the last. */
static void note_formals(struct px_fn_dec *d)
{
    for (uint32_t i = 0; i < formal_count(d); i++) {
        struct px_vreg *v = formal_register(d, i);
        if (!v) continue;
        if (v->global == PX_NONE32) v->global = d->nglobals++;
        if (v->first == PX_NONE32) v->first = 0; /* has a row even when nothing names it */
    }
}

static void extend(struct px_vreg *v, uint32_t position)
{
    if (v->first == PX_NONE32 || position < v->first) v->first = position;
    if (position > v->last) v->last = position;
}

/* Position of item k of a block: reads at 2k, writes at 2k+1. */
struct occurrence {
    uint32_t position;
    bool early;
};

static void note_position(struct px_fn_dec *d, uint32_t vreg, bool is_def, void *user)
{
    const struct occurrence *o = user;
    if (d->vregs[vreg].scalar != PX_NONE32) return;
    /* Results of more than one record may be written before the last source is read. */
    extend(&d->vregs[vreg], is_def ? o->position + 1 : o->early ? o->position + 2 : o->position);
}

static void pvar_positions(struct px_fn_dec *d, const struct px_operand *o, uint32_t position)
{
    if (o->kind == PX_O_NAME && o->symbol && o->symbol->space == PX_SPACE_PARAM &&
        (o->symbol->kind == PX_SYM_VAR || o->symbol->kind == PX_SYM_PARAM)) {
        struct px_pvar *p = px_dec_pvar(d, o->symbol);
        if (p && position < p->first) p->first = position;
        if (p && position > p->last) p->last = position;
    }
    if (o->kind >= PX_O_VEC && o->kind <= PX_O_INDEX)
        for (uint32_t i = 0; i < o->n; i++) pvar_positions(d, &o->u.list[i], position);
}

static void block_positions(struct px_fn_dec *d, struct px_block_info *b, uint32_t *position)
{
    b->from = *position;
    for (uint32_t k = b->first; k < b->first + b->n; k++, *position += 4) {
        struct px_dinst *item = &d->items.at[k];
        struct occurrence o = {*position, item->handler < 0};
        px_dec_visit(d, item, note_position, &o);
        for (uint32_t i = 0; i < item->inst->nopds; i++) pvar_positions(d, &item->inst->opds[i], *position);
    }
    b->to = *position;
}

void px_dec_liveness(struct px_fn_dec *d)
{
    for (uint32_t i = 0; i < d->items.n; i++) px_dec_visit(d, &d->items.at[i], note_place, &d->items.at[i]);
    note_formals(d);
    uint32_t words = (d->nglobals + 63) / 64, position = 0;
    struct sets *all = block_sets(d, words);
    keep_results(d);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t i = d->nlayout; i-- > 0;)
            if (flow(d, &d->blocks[d->layout[i]], &all[d->layout[i]])) grew = true;
    }
    for (uint32_t i = 0; i < d->nlayout; i++) block_positions(d, &d->blocks[d->layout[i]], &position);
    for (uint32_t v = 0; v < d->nvregs; v++) {
        struct px_vreg *r = &d->vregs[v];
        uint32_t k = r->global;
        r->zeroed = false;
        if (k == PX_NONE32 || r->first == PX_NONE32) continue;
        for (uint32_t i = 0; i < d->nlayout; i++) {
            const struct px_block_info *b = &d->blocks[d->layout[i]];
            if (b->live_in[k >> 6] >> (k & 63) & 1) extend(r, b->from);
            if (b->live_out[k >> 6] >> (k & 63) & 1) extend(r, b->to);
        }
        r->zeroed = d->blocks[0].live_in[k >> 6] >> (k & 63) & 1;
    }
}

/* ---- rows ---- */

/* A live range that wants `bytes` a lane: a register, or the words of a .param variable. */
struct range {
    uint32_t first, last, bytes, *row;
};

static int by_first(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

struct free_row {
    uint32_t bytes, row, until;
};

struct scan {
    struct px_fn_dec *d;
    PX_VEC(struct free_row) rows;
};

#define WORDS 0x80000000u /* words of a .param variable are no registers: a size class of their own */

/* A row of this size whose last range has ended, else a new one. */
static uint32_t take_row(struct scan *s, const struct range *r)
{
    for (uint32_t i = s->rows.n; i-- > 0;) {
        struct free_row *f = &s->rows.at[i];
        if (f->bytes != r->bytes || f->until >= r->first) continue;
        f->until = r->last;
        return f->row;
    }
    struct free_row f = {r->bytes, s->d->row_bytes, r->last};
    s->d->row_bytes += r->bytes & ~WORDS;
    px_vec_push(s->d->dec->arena, &s->rows, f);
    return f.row;
}

/* Rows that must be zero at entry come first and are never shared with anything that precedes them. */
static void zeroed_rows(struct px_fn_dec *d, struct scan *s)
{
    static const uint8_t sizes[] = {16, 8, 4, 2};
    for (int k = 0; k < 4; k++)
        for (uint32_t v = 0; v < d->nvregs; v++) {
            struct px_vreg *r = &d->vregs[v];
            if (!r->zeroed || r->first == PX_NONE32 || r->elem != sizes[k]) continue;
            r->row = d->row_bytes;
            d->row_bytes += r->elem;
            struct free_row f = {r->elem, r->row, r->last};
            px_vec_push(d->dec->arena, &s->rows, f);
        }
    d->zero_to = d->row_bytes;
}

/* Formal parameters keep their rows for the whole activation; others are ranges. */
static uint32_t variable_ranges(struct px_fn_dec *d, struct range *ranges, uint32_t n)
{
    for (uint32_t i = 0; i < d->pvars.n; i++) {
        struct px_pvar *p = &d->pvars.at[i];
        uint32_t bytes = (p->bytes + 3) & ~3u;
        if (p->local || !bytes) continue;
        if (p->formal) {
            p->row = d->row_bytes;
            d->row_bytes += bytes;
        } else if (p->first != PX_NONE32) {
            ranges[n++] = (struct range){p->first, p->last, bytes | WORDS, &p->row};
        }
    }
    return n;
}

void px_dec_rows(struct px_fn_dec *d)
{
    struct scan s = {.d = d};
    uint32_t n = 0;
    zeroed_rows(d, &s);
    struct range *ranges = PX_NEW_N(d->dec->arena, struct range, (size_t)d->nvregs + d->pvars.n + 1);
    for (uint32_t v = 0; v < d->nvregs; v++) {
        struct px_vreg *r = &d->vregs[v];
        if (r->zeroed || r->first == PX_NONE32) continue;
        ranges[n++] = (struct range){r->first, r->last, r->elem, &r->row};
    }
    n = variable_ranges(d, ranges, n);
    qsort(ranges, n, sizeof *ranges, by_first);
    for (uint32_t i = 0; i < n; i++) *ranges[i].row = take_row(&s, &ranges[i]);
}

struct px_pvar *px_dec_pvar(struct px_fn_dec *d, const struct px_symbol *symbol)
{
    for (uint32_t i = 0; i < d->pvars.n; i++)
        if (d->pvars.at[i].symbol == symbol) return &d->pvars.at[i];
    return NULL;
}
