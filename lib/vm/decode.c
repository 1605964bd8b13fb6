/*
 * decode.c - from a checked kernel to the code of a gang width.
 *
 * A kernel is decoded together with every function that it may call (all whose
 * address is taken, when it calls by address). First each is analysed, which
 * gives the bytes of rows a lane; then the width is chosen, so that the widest
 * frame of rows stays near 32 KB; then records are made. Results are cached in
 * the program by kernel and number of threads.
 */
#include "vm/decode.h"
#include "vm/device.h"
#include "vm/op_fpmode.h"
#include <stdarg.h>
#include <stdio.h>

enum { PX_ROWS_BYTES = 40 * 1024 }; /* of rows that a gang should not exceed */

void px_dec_fail(struct px_fn_dec *d, const struct px_inst *inst, const char *format, ...)
{
    char text[256], line[200] = "instruction";
    unsigned number = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (inst) {
        const struct px_source *source = &d->module->source;
        number = 1;
        for (px_pos i = 0; i < inst->pos && i < source->size; i++) number += source->text[i] == '\n';
        px_print_inst(inst, line, sizeof line);
    }
    d->dec->error = px_arena_printf(d->dec->arena, "%s: line %u: '%s' %s", d->func->name, number, line, text);
    longjmp(d->dec->give_up, 1);
}

/* ---- modifiers ---- */

enum px_type px_dec_type(const struct px_dinst *item, unsigned index)
{
    for (unsigned i = 0; i < item->inst->nmods; i++) {
        enum px_type t = px_type_of_word(item->inst->mods[i].name->word);
        if (t != PX_T_NONE && index-- == 0) return t;
    }
    return PX_T_B32;
}

enum px_space px_dec_space(const struct px_dinst *item)
{
    for (unsigned i = 0; i < item->inst->nmods; i++) {
        enum px_space s = px_space_of_word(item->inst->mods[i].name->word);
        if (s != PX_SPACE_NONE) return s;
    }
    return PX_SPACE_NONE;
}

bool px_dec_has(const struct px_dinst *item, px_word word)
{
    for (unsigned i = 0; i < item->inst->nmods; i++)
        if (item->inst->mods[i].name->word == word) return true;
    return false;
}

/* ---- functions ---- */

static void analyse(struct px_fn_dec *d)
{
    struct px_fcode *code = d->code;
    code->uniform = PX_FRAME_HEAD;
    code->params = code->uniform + (uint32_t)sizeof(struct px_uniform);
    code->param_bytes = d->func->is_entry ? (uint32_t)d->fn->param_bytes : 0;
    code->rows = (code->params + code->param_bytes + 63) & ~63u;
    if (!d->func->is_entry) code->params = 0;
    px_dec_flatten(d);
    px_dec_blocks(d);
    px_dec_order(d);
    px_dec_registers(d);
    px_dec_variables(d);
    px_dec_scalars(d);
    px_dec_dirty(d);
    px_dec_liveness(d);
    px_dec_rows(d);
}

struct px_fn_dec *px_dec_function(struct px_dec *dec, const struct px_lfunc *func)
{
    struct px_fn_dec *d = dec->fns[func->id];
    if (d) return d;
    d = PX_NEW(dec->arena, struct px_fn_dec);
    d->dec = dec;
    d->func = func;
    d->fn = func->fn;
    d->module = func->module;
    d->code = PX_NEW(dec->arena, struct px_fcode);
    d->code->func = func;
    d->code->home_fp = PX_FP_HOME;
    dec->fns[func->id] = d;
    px_vec_push(dec->arena, &dec->queue, d);
    return d;
}

/* Functions that the body may reach: those it names, and through an address any. */
static void follow_calls(struct px_fn_dec *d)
{
    bool indirect = false;
    for (uint32_t i = 0; i < d->items.n; i++) {
        const struct px_dinst *item = &d->items.at[i];
        if (item->op != PX_OP_call) continue;
        const struct px_operand *o = &item->inst->opds[item->inst->opds[0].kind == PX_O_LIST];
        const struct px_symbol *s = o->kind == PX_O_NAME ? o->symbol : NULL;
        if (s && s->kind == PX_SYM_FUNC && s->alias_of) s = s->alias_of;
        const struct px_lfunc *f =
            s && s->kind == PX_SYM_FUNC ? px_link_func(d->dec->linked, d->module, s) : NULL;
        if (f && f->kind == PX_LF_CODE) px_dec_function(d->dec, f);
        if (!f) indirect = true;
    }
    for (uint32_t i = 0; indirect && i < d->dec->linked->nfuncs; i++) {
        const struct px_lfunc *f = &d->dec->linked->funcs[i];
        if (f->kind == PX_LF_CODE && !f->is_entry) px_dec_function(d->dec, f);
    }
}

/* The width that keeps the largest frame's rows near PX_ROWS_BYTES, no wider than the CTA. */
static uint32_t choose_width(const struct px_dec *dec)
{
    uint32_t lane_bytes = 1, width = PX_LANES_MAX;
    for (uint32_t i = 0; i < dec->queue.n; i++)
        if (dec->queue.at[i]->row_bytes > lane_bytes) lane_bytes = dec->queue.at[i]->row_bytes;
    while (width > 64 && width * lane_bytes > PX_ROWS_BYTES) width /= 2;
    while (width > 32 && width / 2 >= dec->threads) width /= 2;
    return width;
}

/* Rows were bytes a lane; now they become offsets in the frame. */
static void place_rows(struct px_fn_dec *d)
{
    uint32_t width = d->dec->width, base = d->code->rows;
    for (uint32_t i = 0; i < d->nvregs; i++)
        if (d->vregs[i].row != PX_NONE32) d->vregs[i].row = base + d->vregs[i].row * width;
    for (uint32_t i = 0; i < d->pvars.n; i++)
        if (!d->pvars.at[i].local && d->pvars.at[i].row != PX_NONE32)
            d->pvars.at[i].row = base + d->pvars.at[i].row * width;
    d->code->zero_from = base;
    d->code->zero_to = base + d->zero_to * width;
    d->frame_bytes = base + d->row_bytes * width;
    d->code->width = width;
    d->code->local_bytes = (uint32_t)((d->local_bytes + 15) & ~15ull);
}

static struct px_code *assemble(struct px_dec *dec)
{
    struct px_code *code = PX_NEW(dec->arena, struct px_code);
    for (uint32_t i = 0; i < dec->queue.n; i++) {
        analyse(dec->queue.at[i]);
        follow_calls(dec->queue.at[i]);
    }
    dec->width = choose_width(dec);
    code->funcs = PX_NEW_N(dec->arena, struct px_fcode *, dec->linked->nfuncs + 1);
    for (uint32_t i = 0; i < dec->queue.n; i++) {
        struct px_fn_dec *d = dec->queue.at[i];
        place_rows(d);
        px_dec_formals(d);
        px_dec_emit_all(d);
        code->funcs[d->func->id] = d->code;
    }
    code->entry = dec->queue.at[0]->code;
    code->linked = dec->linked;
    code->level = dec->level;
    code->width = dec->width;
    code->threads = dec->threads;
    code->local_bytes = code->entry->local_bytes;
    return code;
}

struct px_code *px_decode(const struct px_linked *linked, const struct px_lfunc *kernel, uint32_t threads,
                          uint32_t program, const struct px_level *level, bool approx_exact,
                          struct px_arena *arena, const char **error)
{
    struct px_dec *dec = PX_NEW(arena, struct px_dec);
    dec->arena = arena;
    dec->linked = linked;
    dec->level = level;
    dec->kernel = kernel;
    dec->threads = threads;
    dec->program = program;
    dec->approx_exact = approx_exact;
    dec->fns = PX_NEW_N(arena, struct px_fn_dec *, linked->nfuncs + 1);
    if (setjmp(dec->give_up)) {
        *error = dec->error;
        return NULL;
    }
    px_dec_function(dec, kernel);
    return assemble(dec);
}

/* ---- the cache of a program ---- */

static struct px_code *find_code(struct ptx_program *program, const struct px_lfunc *kernel, uint32_t threads)
{
    for (struct px_code *c = program->code; c; c = c->next)
        if (c->entry->func == kernel && c->threads == threads) return c;
    return NULL;
}

static struct px_code *decode_locked(struct ptx_program *program, const struct px_lfunc *kernel,
                                     uint32_t threads, const char **error)
{
    jmp_buf no_memory;
    struct px_code *code = find_code(program, kernel, threads);
    if (code) return code;
    program->code_arena.on_failure = &no_memory;
    *error = NULL;
    if (setjmp(no_memory)) return NULL;
    const struct ptx_device *device = program->device;
    code = px_decode(&program->linked, kernel, threads, program->number, device->level,
                     device->config.approx_exact != 0, &program->code_arena, error);
    if (!code) return NULL;
    code->next = program->code;
    program->code = code;
    return code;
}

const struct px_code *px_code_get(struct ptx_program *program, const struct px_lfunc *kernel,
                                  uint32_t threads, const char **error)
{
    pthread_mutex_lock(&program->code_lock);
    const struct px_code *code = decode_locked(program, kernel, threads, error);
    pthread_mutex_unlock(&program->code_lock);
    return code;
}
