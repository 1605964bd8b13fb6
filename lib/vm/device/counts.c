/*
 * counts.c - what was counted (tally.c), told as rows: by kernel, opcode, line or instruction.
 *
 * Rows of instructions are collected from the counters of all decoded kernels and workers; those of programs
 * that went were collected before they did. What does not matter to the question is blanked, and then rows
 * that are alike are added up.
 */
#include "gang/place.h"
#include "vm/device/device.h"
#include "vm/run/tally.h"
#include <stdlib.h>

struct row {
    ptx_count c;
    px_pos pos;
};

/* Rows of a program that is no more. */
struct px_gone {
    struct px_gone *next;
    struct px_arena arena;
    const struct row *rows;
    uint32_t n;
};

struct rows {
    struct px_arena *arena;
    PX_VEC(struct row) list;
};

/* ---- from counters to rows ---- */

/* The sums of all workers; `sum` goes on from instruction to instruction. */
static void add_up(struct px_tally *sum, const struct px_code *code, uint32_t at, uint32_t workers)
{
    sum->lanes = sum->divided = sum->waits = 0;
    for (uint32_t w = 0; w < workers; w++) {
        const struct px_tally *t = code->tallies[w] ? &code->tallies[w][at] : NULL;
        if (!t) continue;
        sum->threads += t->threads;
        sum->warps += t->warps;
        sum->lanes += t->lanes;
        sum->divided += t->divided;
        sum->waits += t->waits;
    }
}

static struct row row_of(const struct px_code *code, const struct px_fcode *f, const struct px_counted *what,
                         const struct px_tally *sum)
{
    struct px_source source = f->func->module->source; /* its line table is complete: nothing is built here */
    struct row r = {.c = {.struct_size = sizeof r.c,
                          .kernel = code->entry->func->name,
                          .function = f->func->name,
                          .opcode = what->opcode,
                          .file = source.file,
                          .line = px_source_place(&source, what->pos).line,
                          .source = what->loc ? px_place_file(f->func->module, what->loc->file) : "",
                          .source_line = what->loc ? what->loc->line : 0,
                          .threads = sum->threads,
                          .warps = sum->warps,
                          .divided = sum->divided,
                          .waits = sum->waits},
                    .pos = what->pos};
    const uint64_t lanes = what->guarded ? sum->lanes : sum->threads;
    r.c.read[px_count_space((enum px_space)what->space[0])] += lanes * what->bytes[0];
    r.c.written[px_count_space((enum px_space)what->space[1])] += lanes * what->bytes[1];
    return r;
}

static void collect_function(struct rows *rows, const struct px_code *code, const struct px_fcode *f,
                             uint32_t workers)
{
    struct px_tally sum = {0};
    for (uint32_t i = 0; i < f->ncounted; i++) {
        add_up(&sum, code, f->tally_at + i, workers);
        if (!sum.threads && !sum.waits) continue;
        px_vec_push(rows->arena, &rows->list, row_of(code, f, &f->counted[i], &sum));
    }
}

static void collect(struct rows *rows, const struct ptx_program *program)
{
    for (const struct px_code *code = program->code; code; code = code->next)
        for (uint32_t i = 0; code->tallies && i < program->linked.nfuncs; i++)
            if (code->funcs[i]) collect_function(rows, code, code->funcs[i], program->device->config.workers);
}

/* ---- adding up what is alike ---- */

static void blank(struct row *r, ptx_count_by by)
{
    ptx_count *c = &r->c;
    if (by == PTX_COUNT_BY_INSTRUCTION) return;
    r->pos = 0;
    c->function = "";
    if (by != PTX_COUNT_BY_OPCODE) c->opcode = "";
    if (by == PTX_COUNT_BY_LINE && c->source_line) c->file = c->source, c->line = c->source_line;
    if (by != PTX_COUNT_BY_LINE) c->file = "", c->line = 0;
    c->source = "";
    c->source_line = 0;
}

static int before(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_place(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    int order = strcmp(a->c.kernel, b->c.kernel);
    if (!order) order = strcmp(a->c.file, b->c.file);
    if (!order) order = before(a->c.line, b->c.line);
    if (!order) order = before(a->pos, b->pos);
    if (!order) order = strcmp(a->c.function, b->c.function);
    return order ? order : strcmp(a->c.opcode, b->c.opcode);
}

static int by_number(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    int order = strcmp(a->c.kernel, b->c.kernel);
    if (!order) order = before(b->c.threads, a->c.threads);
    return order ? order : strcmp(a->c.opcode, b->c.opcode);
}

static void add(ptx_count *to, const ptx_count *more)
{
    to->threads += more->threads;
    to->warps += more->warps;
    to->divided += more->divided;
    to->waits += more->waits;
    for (int i = 0; i < PTX_COUNT_SPACES; i++) {
        to->read[i] += more->read[i];
        to->written[i] += more->written[i];
    }
}

static void merge(struct rows *rows, ptx_count_by by)
{
    struct row *list = rows->list.at;
    uint32_t n = 0;
    if (!rows->list.n) return;
    for (uint32_t i = 0; i < rows->list.n; i++) blank(&list[i], by);
    qsort(list, rows->list.n, sizeof *list, by_place);
    for (uint32_t i = 1; i < rows->list.n; i++)
        if (by_place(&list[n], &list[i]))
            list[++n] = list[i];
        else
            add(&list[n].c, &list[i].c);
    rows->list.n = n + 1;
    if (by == PTX_COUNT_BY_OPCODE) qsort(list, rows->list.n, sizeof *list, by_number);
}

static const char *copy(struct px_arena *arena, const char *text)
{
    return px_arena_text(arena, text, strlen(text));
}

/* Texts of the rows that stay when their program goes. */
static void own_texts(struct rows *rows)
{
    for (uint32_t i = 0; i < rows->list.n; i++) {
        ptx_count *c = &rows->list.at[i].c;
        c->kernel = copy(rows->arena, c->kernel);
        c->function = copy(rows->arena, c->function);
        c->opcode = copy(rows->arena, c->opcode);
        c->file = copy(rows->arena, c->file);
        c->source = copy(rows->arena, c->source);
    }
}

/* ---- what the host asks ---- */

ptx_status px_tally_tell(struct ptx_device *device, ptx_count_by by, ptx_count_fn tell, void *user)
{
    jmp_buf no_memory;
    struct px_arena arena;
    struct rows rows = {.arena = &arena};
    px_arena_init(&arena, &device->alloc, &no_memory);
    pthread_mutex_lock(&device->lock); /* programs come and go meanwhile, and with them the texts */
    const bool failed = setjmp(no_memory) || device->counts_lost;
    if (!failed) {
        for (const struct ptx_program *p = device->programs; p; p = p->next) collect(&rows, p);
        for (const struct px_gone *gone = device->gone; gone; gone = gone->next)
            for (uint32_t i = 0; i < gone->n; i++) px_vec_push(&arena, &rows.list, gone->rows[i]);
        own_texts(&rows);
    }
    pthread_mutex_unlock(&device->lock);
    if (!failed) {
        merge(&rows, by);
        for (uint32_t i = 0; i < rows.list.n; i++) tell(user, &rows.list.at[i].c);
    }
    px_arena_free(&arena);
    return failed ? PTX_ERROR_OUT_OF_MEMORY : PTX_OK;
}

ptx_status px_tally_clear(struct ptx_device *device)
{
    pthread_mutex_lock(&device->lock);
    px_tally_forget(device);
    for (const struct ptx_program *p = device->programs; p; p = p->next)
        for (const struct px_code *code = p->code; code; code = code->next)
            for (uint32_t w = 0; code->tallies && w < device->config.workers; w++)
                if (code->tallies[w]) memset(code->tallies[w], 0, code->ntallies * sizeof **code->tallies);
    pthread_mutex_unlock(&device->lock);
    return PTX_OK;
}

/* ---- programs that go ---- */

static void keep(struct px_gone *gone, const struct ptx_program *program)
{
    struct rows rows = {.arena = &gone->arena};
    collect(&rows, program);
    own_texts(&rows);
    gone->rows = rows.list.at;
    gone->n = rows.list.n;
}

static void free_gone(const ptx_allocator *alloc, struct px_gone *gone)
{
    px_arena_free(&gone->arena);
    px_free(alloc, gone, sizeof *gone);
}

static void lose(struct ptx_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->counts_lost = true;
    pthread_mutex_unlock(&device->lock);
}

void px_tally_gone(struct ptx_program *program)
{
    struct ptx_device *device = program->device;
    jmp_buf no_memory;
    if (!device->config.counts || !program->code) return;
    struct px_gone *gone = px_zalloc(&device->alloc, sizeof *gone);
    if (!gone) {
        lose(device);
        return;
    }
    px_arena_init(&gone->arena, &device->alloc, &no_memory);
    if (setjmp(no_memory)) {
        lose(device);
        free_gone(&device->alloc, gone);
        return;
    }
    keep(gone, program);
    pthread_mutex_lock(&device->lock);
    gone->next = device->gone;
    device->gone = gone;
    pthread_mutex_unlock(&device->lock);
}

void px_tally_forget(struct ptx_device *device)
{
    for (struct px_gone *gone = device->gone, *next; gone; gone = next) {
        next = gone->next;
        free_gone(&device->alloc, gone);
    }
    device->gone = NULL;
    device->counts_lost = false;
}
