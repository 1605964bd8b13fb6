/*
 * fuse.c - the records of instructions that one handler does together (ir/fusion.c has found them).
 *
 * The fused record takes the place of the first and steps over the others. Of two loads and the fma that
 * multiplies what they find the first load runs, and the records behind it follow, where not all lanes are
 * plainly there; of a gather it is the product and the sum that are left out, and made only where the load
 * needs them. In divergent code nothing changes.
 */
#include "code/emit/emit.h"
#include "code/ir/fusion.h"

enum { GROUP_MOST = PX_FUSED_MOST };

/* What the passes say of each version. */
static const uint8_t marks[PX_IR_VERSIONS] = {
    [PX_IR_CONVERGENT] = PX_IR_FUSE_TOGETHER, [PX_IR_LOOP] = PX_IR_FUSE_LOOP, [PX_IR_WAY] = PX_IR_FUSE_WAY};

/* What is fused, in order; nothing else there makes a record. */
static uint32_t group_of(const struct px_emitter *e, const struct px_ir_inst *first,
                         const struct px_ir_inst *group[GROUP_MOST])
{
    uint32_t n = 0;
    for (const struct px_ir_inst *in = first; in < e->in; in++)
        if (in->fuse & marks[e->version]) group[n++] = in;
    group[n++] = e->in;
    return n;
}

/* The n records from `head` on, of these statements, become one, which is the first. */
static void fuse_chain(const struct px_emitter *e, const struct px_ir_inst *const *group, uint32_t n,
                       struct px_insn *head)
{
    const struct px_irfn *f = e->f;
    const bool masked = e->masked;
    uint32_t *const places[] = {&head->a, &head->b, &head->c, &head->source4, &head->source5, &head->source6};
    struct px_ir_chain chain = {.n = 0};
    uint32_t to = 0;
    for (uint32_t k = 0; k < n; k++)
        px_ir_chain_add(f, &chain, group[k], k ? px_ir_opds(f, group[k - 1])->at : PX_NONE32, e->version);
    const struct px_fused *row = px_ir_chain_row(f->coder->level, &chain);
    if (!row || (masked && !row->masked)) return;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t from[3] = {head[k].a, head[k].b, head[k].c};
        for (uint32_t i = 0; i < row->sources[k]; i++)
            if (!k || i != row->at[k]) *places[to++] = from[i];
    }
    head->fn = masked ? row->masked : row->fn;
    head->m = head[n - 1].m;
    head->d = head[n - 1].d;
    head->ord = head[n - 1].ord;
}

/* d = a * b + c where both factors were loaded for this. */
static void fuse_loads(struct px_emitter *e, enum px_fixed handler)
{
    struct px_insn *first = &e->f->code->conv[e->n - 3];
    struct px_insn *kept = px_arena_alloc(e->f->coder->keep, sizeof *kept);
    *kept = *first;
    px_vec_push(e->f->coder->pass, &e->replaced, kept);
    first->fn = e->f->coder->level->fixed[handler][0];
    first->aux = kept;
}

/* The load does the product, of which `number` is the statement, and the sum where it has to. */
static void fuse_gather(struct px_emitter *e, enum px_fixed handler, px_irop number)
{
    struct px_insn *load = &e->f->code->conv[e->n - 1];
    load->fn = e->f->coder->level->fixed[handler][0];
    load->b = number;
    load->c = 3;
    load[-3].fn = load[-2].fn = px_emit_no_record;
}

static void fuse_others(struct px_emitter *e, const struct px_ir_inst *const *group, uint32_t n)
{
    const struct px_irfn *f = e->f;
    const struct px_ir_inst *access = px_ir_loads(group[0]) ? group[0] : group[n - 1];
    const uint32_t bytes = px_ir_opds(f, access)[access->ndst].elem;
    const enum px_fixed handler =
        px_ir_fused_fixed(n == 3 ? group[0] : NULL, group[n - 2], group[n - 1], bytes);
    if (n == 2)
        f->code->conv[e->n - 2].fn = f->coder->level->fixed[handler][0];
    else if (access == group[0])
        fuse_loads(e, handler);
    else
        fuse_gather(e, handler, group[0]->op);
}

static bool are_statements(const struct px_ir_inst *const *group, uint32_t n)
{
    uint32_t k = 0;
    while (k < n && px_ir_kind_of(group[k]->op) == PX_IR_STATEMENT) k++;
    return k == n;
}

void px_fuse(struct px_emitter *e, bool made)
{
    const struct px_ir_inst *group[GROUP_MOST];
    struct px_emit_group *g = &e->groups[e->version];
    const bool goes_on = e->in->fuse & marks[e->version];
    if (goes_on && !g->first) *g = (struct px_emit_group){e->in, px_emit_next(e) - 1};
    if (goes_on || !g->first || !made) return;
    const uint32_t n = group_of(e, g->first, group);
    g->first = NULL;
    if (are_statements(group, n))
        fuse_chain(e, group, n, px_emit_at(e, g->pc));
    else
        fuse_others(e, group, n);
    if (px_emit_together(e) && !px_ir_loads(e->in)) px_vec_push(e->f->coder->pass, &e->fused, g->pc);
}
