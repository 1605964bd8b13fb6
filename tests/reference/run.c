/*
 * run.c - one launch: the module is checked and linked, blocks begin in an
 * order given by the seed, and a scheduler lets one ready thread after another
 * run for a few instructions, also by the seed.
 *
 * As many blocks are resident as RESIDENT_THREADS allows, at least one; so
 * blocks of a small grid may wait for one another, as on a chip.
 */
#include "machine.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESIDENT_THREADS = 8192,
    RESIDENT_MAX = 256,
    GLOBAL_ALIGN = 1 << 16,
    GRID_MAX = 65535,
    SHARED_MAX = 232448
};

/* ---- messages ---- */

unsigned ref_line(const struct ref_machine *m, const struct px_inst *inst)
{
    unsigned line = 1;
    for (px_pos i = 0; i < inst->pos; i++) line += m->module->source.text[i] == '\n';
    return line;
}

static const struct px_inst *standing_at(const struct ref_thread *t)
{
    const struct ref_frame *f = t->frame;
    return f && f->pc ? f->code->insts[f->pc - 1].inst : NULL;
}

_Noreturn void ref_fail(struct ref_machine *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(m->message, m->message_size, format, args);
    va_end(args);
    const struct ref_thread *t = m->running;
    const struct px_inst *inst = t ? standing_at(t) : NULL;
    if (inst && n >= 0 && (size_t)n < m->message_size)
        snprintf(m->message + n, m->message_size - (size_t)n,
                 " (line %u, block (%u,%u,%u), thread (%u,%u,%u))", ref_line(m, inst), t->cta->id[0],
                 t->cta->id[1], t->cta->id[2], t->tid[0], t->tid[1], t->tid[2]);
    longjmp(m->failure, 1);
}

_Noreturn void ref_unsupported(struct ref_machine *m, const struct px_inst *inst, const char *why)
{
    char name[128];
    int n = snprintf(name, sizeof name, "%s", inst->opcode->text);
    for (unsigned i = 0; i < inst->nmods && n > 0 && (size_t)n < sizeof name; i++)
        n += snprintf(name + n, sizeof name - (size_t)n, ".%s", inst->mods[i].name->text);
    m->running = NULL;
    ref_fail(m, "the reference does not run %s%s%s (line %u)", name, *why ? " " : "", why, ref_line(m, inst));
}

/* ---- chance ---- */

uint64_t ref_chance(struct ref_machine *m)
{
    uint64_t z = m->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- ready threads ---- */

void ref_make_ready(struct ref_thread *t)
{
    struct ref_machine *m = t->machine;
    t->cta->in_state[t->state]--;
    t->cta->in_state[REF_READY]++;
    t->state = REF_READY;
    t->slot = m->nready;
    m->ready[m->nready++] = t;
}

void ref_stop(struct ref_thread *t, enum ref_state state)
{
    struct ref_machine *m = t->machine;
    struct ref_thread *last = m->ready[--m->nready];
    last->slot = t->slot;
    m->ready[t->slot] = last;
    t->cta->in_state[REF_READY]--;
    t->cta->in_state[state]++;
    t->state = (uint8_t)state;
    ref_warp_settle(t->cta, t->index / REF_WARP);
}

/* ---- blocks ---- */

static uint32_t threads_of(const struct ref_launch *l)
{
    return l->block[0] * l->block[1] * l->block[2];
}

static void free_cta(struct ref_cta *cta)
{
    if (!cta) return;
    for (uint32_t i = 0; cta->threads && i < cta->nthreads; i++) {
        for (struct ref_frame *f = cta->threads[i].frame, *next; f; f = next) {
            next = f->parent;
            free(f);
        }
        free(cta->threads[i].local);
    }
    free(cta->threads);
    free(cta->shared);
    free(cta);
}

static void place_cta(struct ref_cta *cta, uint64_t number)
{
    const uint32_t *grid = cta->machine->launch->grid;
    cta->number = (uint32_t)number;
    cta->id[0] = (uint32_t)(number % grid[0]);
    cta->id[1] = (uint32_t)(number / grid[0] % grid[1]);
    cta->id[2] = (uint32_t)(number / grid[0] / grid[1]);
}

static void begin_thread(struct ref_cta *cta, uint32_t i, const struct ref_code *code)
{
    const uint32_t *block = cta->machine->launch->block;
    struct ref_thread *t = &cta->threads[i];
    t->machine = cta->machine;
    t->cta = cta;
    t->index = i;
    t->tid[0] = i % block[0];
    t->tid[1] = i / block[0] % block[1];
    t->tid[2] = i / block[0] / block[1];
    cta->live[i / REF_WARP] |= 1u << i % REF_WARP;
    ref_enter(t, code, NULL);
    ref_make_ready(t);
}

static void begin_cta(struct ref_machine *m, uint32_t slot)
{
    struct ref_cta *cta = m->ctas[slot] = calloc(1, sizeof *cta);
    if (!cta) ref_fail(m, "out of memory");
    cta->machine = m;
    cta->nthreads = cta->nlive = cta->in_state[REF_READY] = threads_of(m->launch);
    cta->nwarps = (cta->nthreads + REF_WARP - 1) / REF_WARP;
    cta->shared = calloc(1, m->shared_bytes + 1u);
    cta->threads = calloc(cta->nwarps * REF_WARP, sizeof *cta->threads);
    if (!cta->shared || !cta->threads) ref_fail(m, "out of memory");
    place_cta(cta, (m->cta_first + m->cta_begun++ * m->cta_stride) % m->ncta);
    m->nresident++;
    for (uint32_t i = 0; i < cta->nthreads; i++) begin_thread(cta, i, ref_code_of(m, m->kernel));
}

/* Blocks that have ended make room for others. */
static void refill(struct ref_machine *m)
{
    for (uint32_t i = 0; i < m->nslots; i++) {
        if (m->ctas[i] && !m->ctas[i]->nlive) {
            free_cta(m->ctas[i]);
            m->ctas[i] = NULL;
            m->nresident--;
        }
        if (!m->ctas[i] && m->cta_begun < m->ncta) begin_cta(m, i);
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Every block once: from a random one on in random steps. */
static void order_ctas(struct ref_machine *m)
{
    const uint32_t *grid = m->launch->grid;
    m->ncta = (uint64_t)grid[0] * grid[1] * grid[2];
    m->cta_first = ref_chance(m) % m->ncta;
    do m->cta_stride = 1 + ref_chance(m) % 65536;
    while (common_divisor(m->cta_stride, m->ncta) != 1);
}

/* ---- running ---- */

static void run_thread(struct ref_machine *m, struct ref_thread *t, uint64_t slice)
{
    m->running = t;
    for (; slice; slice--) {
        struct ref_frame *f = t->frame;
        const struct ref_inst *in = &f->code->insts[f->pc++];
        m->steps++;
        if (m->launch->executed && in->inst)
            m->launch->executed[in->inst->pos]++; /* not the end of the body */
        if (in->guarded && !ref_get(t, &in->guard)) continue;
        if (in->run(t, in) == REF_WAIT) break;
    }
    m->running = NULL;
}

static _Noreturn void report_deadlock(struct ref_machine *m)
{
    char text[256] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < m->nslots && n < 160; i++)
        for (uint32_t k = 0; m->ctas[i] && k < m->ctas[i]->nthreads && n < 160; k++) {
            const struct ref_thread *t = &m->ctas[i]->threads[k];
            if (t->state == REF_EXITED) continue;
            n += (size_t)snprintf(text + n, sizeof text - n, " [block %u thread %u line %u]",
                                  m->ctas[i]->number, k, ref_line(m, t->at->inst));
        }
    ref_fail(m, "deadlock:%s", text);
}

static void run_all(struct ref_machine *m)
{
    static const uint16_t slices[8] = {1, 2, 3, 7, 20, 60, 200, 600};
    for (refill(m); m->nresident; refill(m)) {
        uint32_t before = m->nready;
        if (!before) report_deadlock(m);
        /* until something changes in who is there */
        while (m->nready) {
            uint64_t r = ref_chance(m), slice = slices[r & 7];
            if (m->steps >= m->max_steps) ref_fail(m, "limit: %llu steps", (unsigned long long)m->steps);
            if (slice > m->max_steps - m->steps) slice = m->max_steps - m->steps;
            struct ref_thread *t = m->ready[(r >> 3) % m->nready];
            run_thread(m, t, slice);
            if (!t->cta->nlive) break;
        }
    }
}

/* ---- the launch ---- */

static void load(struct ref_machine *m, const char *text, size_t bytes)
{
    const ptx_module_options options = {.file_name = "reference"};
    ptx_diagnostic d = {.struct_size = sizeof d, .message = "?"};
    ptx_status status = ptx_module_create(&options, text, bytes, &m->module);
    if (status == PTX_OK && !m->module->unrunnable) return;
    if (m->module && m->module->unrunnable)
        ref_fail(m, "the reference does not run what %s", m->module->unrunnable);
    if (m->module) ptx_module_diagnostic(m->module, 0, &d);
    ref_fail(m, "does not assemble: line %u: %s", d.line, d.message);
}

static void link(struct ref_machine *m)
{
    const struct ref_launch *l = m->launch;
    ptx_allocator alloc = px_alloc_or_default(NULL);
    m->is_linked = true;
    if (px_link(&m->linked, &alloc, &m->module, 1, NULL, NULL) != PTX_OK)
        ref_fail(m, "does not link: %s",
                 m->linked.diags.list.n ? m->linked.diags.list.at[0].message : "out of memory");
    m->global_base = (l->buffer_address + l->buffer_bytes) / GLOBAL_ALIGN * GLOBAL_ALIGN + 2 * GLOBAL_ALIGN;
    px_link_place(&m->linked, m->global_base, (uint64_t)REF_WIN_CONST << 56, (uint64_t)REF_WIN_FUNC << 56, 0);
    m->global = calloc(1, m->linked.global_bytes + 1);
    m->constant = calloc(1, m->linked.const_bytes + 1);
    m->params = calloc(1, l->param_bytes + 8);
    if (!m->global || !m->constant || !m->params) ref_fail(m, "out of memory");
    if (px_link_initialise(&m->linked, m->global, m->constant) != PTX_OK)
        ref_fail(m, "an initialiser has no value");
    if (l->param_bytes) memcpy(m->params, l->params, l->param_bytes);
    if (l->buffer && l->param_bytes >= 8) memcpy(m->params, &l->buffer_address, 8);
}

/* It knows no clusters but those of one block. */
static void refuse_clusters(struct ref_machine *m)
{
    const struct px_func *func = m->kernel->fn->func;
    for (unsigned i = 0; i < func->ndirs; i++)
        for (unsigned k = 0; func->dirs[i].word == PX_W_reqnctapercluster && k < func->dirs[i].n; k++)
            if (func->dirs[i].value[k] > 1)
                ref_fail(m, "the reference does not run clusters of several blocks");
}

static void find_kernel(struct ref_machine *m)
{
    const char *name = m->launch->kernel;
    for (uint32_t i = 0; i < m->linked.nfuncs; i++) {
        const struct px_lfunc *f = &m->linked.funcs[i];
        if (!f->is_entry || f->kind != PX_FUNCTION_CODE || (name && strcmp(name, f->name) != 0)) continue;
        if (m->kernel) ref_fail(m, "there is more than one kernel: name one");
        m->kernel = f;
    }
    if (!m->kernel) ref_fail(m, "there is no kernel '%s'", name ? name : "");
    refuse_clusters(m);
}

static void prepare(struct ref_machine *m)
{
    const struct ref_launch *l = m->launch;
    uint32_t threads = threads_of(l);
    uint64_t shared = (uint64_t)m->kernel->static_shared + l->dynamic_smem;
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || l->grid[i] > (i ? GRID_MAX : INT32_MAX) || !l->block[i] ||
            l->block[i] > REF_THREADS_MAX)
            ref_fail(m, "a grid or block that cannot be");
    if (shared > SHARED_MAX)
        ref_fail(m, "%llu bytes of shared memory, at most %d", (unsigned long long)shared, SHARED_MAX);
    if (threads > REF_THREADS_MAX) ref_fail(m, "%u threads a block, at most %d", threads, REF_THREADS_MAX);
    if (m->kernel->fn->param_bytes > l->param_bytes)
        ref_fail(m, "the kernel has %u bytes of parameters, %u are given",
                 (unsigned)m->kernel->fn->param_bytes, (unsigned)l->param_bytes);
    m->shared_bytes = (uint32_t)shared;
    m->code = PX_NEW_N(&m->arena, struct ref_code *, m->linked.nfuncs);
    m->nslots = RESIDENT_THREADS / threads < RESIDENT_MAX ? RESIDENT_THREADS / threads : RESIDENT_MAX;
    m->ctas = PX_NEW_N(&m->arena, struct ref_cta *, m->nslots);
    m->ready = PX_NEW_N(&m->arena, struct ref_thread *, m->nslots * threads);
    order_ctas(m);
}

static void release(struct ref_machine *m)
{
    for (uint32_t i = 0; m->ctas && i < m->nslots; i++) free_cta(m->ctas[i]);
    free(m->global);
    free(m->constant);
    free(m->params);
    if (m->is_linked) px_link_free(&m->linked);
    ptx_module_destroy(m->module);
    px_arena_free(&m->arena);
}

int ref_run(const char *ptx_text, size_t bytes, const struct ref_launch *launch, char *message, size_t size)
{
    struct ref_machine *m = calloc(1, sizeof *m);
    if (size) *message = 0;
    if (!m) return snprintf(message, size, "out of memory"), 1;
    ptx_allocator alloc = px_alloc_or_default(NULL);
    m->launch = launch;
    m->message = message;
    m->message_size = size;
    m->random = launch->seed;
    m->max_steps = launch->max_steps ? launch->max_steps : 1ull << 32;
    px_arena_init(&m->arena, &alloc, &m->failure);
    uint64_t caller = ref_fp_enter();
    volatile int failed = setjmp(m->failure);
    if (!failed) {
        load(m, ptx_text, bytes);
        link(m);
        find_kernel(m);
        prepare(m);
        run_all(m);
    }
    if (failed && size && !*message) snprintf(message, size, "out of memory"); /* the arena says nothing */
    ref_fp_leave(caller);
    release(m);
    free(m);
    return failed;
}
