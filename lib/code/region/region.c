/*
 * region.c - see region.h: which loops become regions, and where their code lies.
 *
 * Code is made in the coder and copied, when all functions of a kernel have theirs, into pages of its own,
 * which are writable until then and can be run from then on, never both.
 */
#include "code/region/region.h"
#include <string.h>
#include "code/ir/forks.h"
#include "code/region/make.h"
#include "code/ir/text.h"
#ifdef __x86_64__
#include <sys/mman.h>
#include <unistd.h>
#endif

/* ---- finding them ---- */

/* Of a function: some loops, and one more for so many instructions. */
enum { MOST = 4, INSTS_A_LOOP = 128 };

bool px_regions_wanted(const struct px_coder *coder)
{
    const struct px_code_wishes *w = &coder->wishes;
    return w->engine & PX_ENGINE_regions && !w->traces && !w->shuffles &&
           !strcmp(coder->level->name, "avx512");
}

static void tell_sites(const struct px_emitter *e, const struct px_plan *p, struct px_region *r)
{
    r->nsites = p->nsites;
    for (uint32_t s = 0; s < p->nsites; s++) {
        struct px_region_site *site = &r->site[s];
        *site = (struct px_region_site){.pc = e->pc_of[p->site[s].node], .block = p->site[s].block};
        for (uint32_t b = 0; b <= site->block; b++)
            if (p->block[b].all) site->insts += p->block[b].insts;
    }
}

static void tell_same(const struct px_plan *p, struct px_region *r)
{
    for (uint32_t k = 0; k < p->nregs; k++) {
        const struct px_ir_reg *reg = &p->f->regs.at[p->reg[k]];
        if (!px_plan_has(&p->same, k)) continue;
        r->same[r->nsame++] = (struct px_region_same){.slot = reg->slot,
                                                      .row = reg->row,
                                                      .elem = reg->elem,
                                                      .in = px_plan_has(&p->block[0].live, k),
                                                      .written = px_plan_has(&p->written, k)};
    }
}

static void tell_blocks(const struct px_emitter *e, const struct px_plan *p, struct px_region *r)
{
    r->nblocks = p->nblocks;
    for (uint32_t b = 0; b < p->nblocks; b++) {
        const struct px_plan_block *is = &p->block[b];
        const uint32_t pc = e->pc_of[is->node];
        r->block[b] =
            (struct px_region_block){.before = pc ? e->f->code->conv[pc - 1].ord : 0,
                                     .insts = is->insts,
                                     .all = is->all,
                                     .divides = is->last && is->last->op == PX_IR_BRANCH && !is->together};
        if (is->all) r->insts += is->insts;
    }
}

static bool make_region(struct px_emitter *e, uint32_t place, struct px_plan_index *index,
                        const uint32_t *end_of, struct px_region *r)
{
    const struct px_irfn *f = e->f;
    struct px_plan plan;
    struct px_coder *coder = f->coder;
    struct px_x86 x = {.arena = coder->draft};
    *r = (struct px_region){0};
    bool made = px_plan_loop(&plan, index, place);
    if (made) {
        const uint32_t last = f->loops.order[place + plan.nblocks - 1];
        r->head = e->pc_of[plan.block[0].node];
        r->end = end_of[last];
        r->fp = plan.fp;
        r->parts = plan.parts;
        r->rows = plan.rows;
        r->forgets = plan.forgets;
        r->counts = coder->wishes.counters && plan.parts;
        tell_sites(e, &plan, r);
        tell_same(&plan, r);
        tell_blocks(e, &plan, r);
        x.bytes.at = coder->machine.at, x.bytes.n = coder->machine.n, x.bytes.cap = coder->machine.cap;
        r->at = x.bytes.n;
        made = px_region_make(&plan, &x, r, r->counts);
        coder->machine.at = x.bytes.at, coder->machine.n = x.bytes.n, coder->machine.cap = x.bytes.cap;
        r->bytes = x.bytes.n - r->at;
    }
    px_plan_end(&plan);
    return made;
}

/* Convergent code does not stop before the loop. */
static void enters_not(struct px_emitter *e, uint32_t place)
{
    const uint32_t pc = e->pc_of[e->f->loops.order[place]];
    if (pc) px_emit_enters_not(&e->f->code->conv[pc - 1]);
}

/* What a loop needs for itself ends with it. */
static bool try_loop(struct px_emitter *e, uint32_t place, struct px_plan_index *index,
                     const uint32_t *end_of, struct px_region *r)
{
    struct px_arena *pass = e->f->coder->pass;
    const struct px_arena_mark before = px_arena_mark(pass);
    const bool made = make_region(e, place, index, end_of, r);
    px_arena_rewind(pass, &before);
    return made;
}

void px_regions_make(struct px_emitter *e, const uint32_t *end_of)
{
    struct px_irfn *f = e->f;
    PX_VEC(struct px_region) regions = {0};
    struct px_plan_index index = {0};
    if (!px_regions_wanted(f->coder)) return;
    const uint32_t most = MOST + f->insts.n / INSTS_A_LOOP;
    for (uint32_t p = 0; p < f->loops.n; p++) {
        if (f->loops.order[p] >= f->graph.nblocks || !px_ir_loop_blocks(f, p)) continue;
        if (!index.f) px_plan_begin(&index, f);
        struct px_region r;
        if (regions.n < most && try_loop(e, p, &index, end_of, &r))
            px_vec_push(f->coder->pass, &regions, r);
        else
            enters_not(e, p);
    }
    f->code->nregions = regions.n;
    f->code->regions = PX_NEW_N(f->coder->keep, struct px_region, regions.n);
    if (regions.n) memcpy(f->code->regions, regions.at, regions.n * sizeof *regions.at);
}

/* ---- where their code lies ---- */

#ifdef __x86_64__
static void *place(const uint8_t *bytes, size_t n, size_t *size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *size = (n + page - 1) & ~(page - 1);
    void *at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    memcpy(at, bytes, n);
    if (mprotect(at, *size, PROT_READ | PROT_EXEC) == 0) return at;
    munmap(at, *size);
    return NULL;
}
static void give_back(void *at, size_t size)
{
    munmap(at, size);
}
#else
static void *place(const uint8_t *bytes, size_t n, size_t *size)
{
    (void)bytes, (void)n, (void)size;
    return NULL;
}
static void give_back(void *at, size_t size)
{
    (void)at, (void)size;
}
#endif

static void point(struct px_fcode *f, struct px_code *code)
{
    if (!code->machine) f->nregions = 0;
    for (uint32_t i = 0; i < f->nregions; i++) {
        const uint8_t *at = (const uint8_t *)code->machine + f->regions[i].at;
        memcpy(&f->regions[i].run, &at, sizeof at);
    }
    code->nregions += f->nregions;
}

void px_regions_place(struct px_coder *coder, struct px_code *code)
{
    code->machine_refused = coder->machine.n;
    if (coder->machine.n) code->machine = place(coder->machine.at, coder->machine.n, &code->machine_bytes);
    code->machine_refused &= !code->machine;
    for (uint32_t i = 0; i < coder->linked->nfuncs; i++)
        if (coder->codes[i]) point(coder->codes[i], code);
}

void px_regions_free(const struct px_code *code)
{
    if (code->machine) give_back(code->machine, code->machine_bytes);
}

/* ---- as text ---- */

static void print_region(struct px_ir_text *t, const struct px_irfn *f, const struct px_region *r)
{
    px_ir_text_add(t, "region %u..%u lanes %u%s%s bytes %u\n", r->head, r->end - 1, r->lanes,
                   r->parts ? " parts" : "", r->rows ? " rows" : "", r->bytes);
    for (uint32_t s = 0; s < r->nsites; s++)
        px_ir_text_add(t, "  leaves to %u%s\n", r->site[s].pc, r->rest == s + 1 ? " rest" : "");
    for (uint32_t i = 0; i < r->bytes; i++)
        px_ir_text_add(t, "%s%02x%s", i % 32 ? " " : "  ", f->coder->machine.at[r->at + i],
                       i % 32 == 31 || i + 1 == r->bytes ? "\n" : "");
}

void px_regions_print(struct px_ir_text *t, const struct px_irfn *f)
{
    px_ir_text_add(t, "%s %s after regions\n", f->func->is_entry ? "kernel" : "function", f->func->name);
    for (uint32_t i = 0; i < f->code->nregions; i++) print_region(t, f, &f->code->regions[i]);
}
