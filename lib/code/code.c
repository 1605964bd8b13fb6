/*
 * code.c - from a checked kernel to the code of a gang width: the passes, in their order.
 *
 * A kernel is made together with every function that it may call (all whose
 * address is taken, when it calls by address). First each is lowered and
 * analysed, which gives the bytes of rows a lane; then the width is chosen, so
 * that the widest frame of rows stays near 40 KB; then records are made. Results
 * are cached in the program by kernel and number of threads.
 */
#include "code/ir/fn.h"
#include "front/print.h"
#include "code/code.h"
#include "code/dump.h"
#include "code/ir/text.h"
#include "code/ir/verify.h"
#include "code/region/region.h"
#include "gang/fpmode.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PX_ROWS_BYTES = 40 * 1024 }; /* of rows that a gang should not exceed */

/* "function f of kernel k", or "kernel k". */
static const char *whose(const struct px_irfn *f)
{
    const struct px_coder *coder = f->coder;
    if (f->func == coder->kernel) return px_arena_printf(coder->keep, "kernel %s", f->func->name);
    return px_arena_printf(coder->keep, "function %s of kernel %s", f->func->name, coder->kernel->name);
}

static void tell(struct px_irfn *f, const struct px_inst *inst, const char *why)
{
    char line[600];
    struct px_listener *l = f->coder->listener;
    struct px_source source = f->module->source;
    const struct px_place place = px_source_place(&source, inst->pos);
    px_print_inst(inst, line, sizeof line);
    l->tell(l->user, &(ptx_gap){.function = f->func->name,
                                .file = source.file,
                                .line = place.line,
                                .column = place.column,
                                .instruction = line,
                                .why = why});
    f->coder->told = true;
}

/* ---- what cannot be run ---- */

static const struct px_refused *find_refused(const struct px_coder *coder, const struct px_inst *inst)
{
    for (uint32_t i = 0; coder->refused && i < coder->refused->list.n; i++)
        if (coder->refused->list.at[i].inst == inst) return &coder->refused->list.at[i];
    return NULL;
}

const char *px_code_refused(const struct px_irfn *f, const struct px_inst *inst)
{
    const struct px_refused *refused = find_refused(f->coder, inst);
    return refused ? refused->text : NULL;
}

/* The kernel is decoded anew, with a trap for `inst`. False: there stands one already, so that is no help. */
static bool refuse_inst(struct px_coder *coder, const struct px_inst *inst, const char *text)
{
    struct px_refusals *r = coder->refused;
    char line[100];
    if (!r || find_refused(coder, inst)) return false;
    px_print_inst(inst, line, sizeof line);
    const struct px_refused refused = {inst, px_arena_printf(r->arena, "'%s' %s", line, text)};
    px_vec_push(r->arena, &r->list, refused);
    r->again = true;
    return true;
}

/* "x.ptx:8:5: 'vadd...' cannot be run (kernel k)", or without an instruction "x.ptx: ..." */
static const char *refusal_text(struct px_irfn *f, const struct px_inst *inst, const char *text)
{
    struct px_source source = f->module->source; /* its line table is complete: nothing is built here */
    struct px_arena *keep = f->coder->keep;
    char line[200];
    if (!inst) return px_arena_printf(keep, "%s: %s (%s)", source.file, text, whose(f));
    const struct px_place place = px_source_place(&source, inst->pos);
    px_print_inst(inst, line, sizeof line);
    return px_arena_printf(keep, "%s:%u:%u: '%s' %s (%s)", source.file, place.line, place.column, line, text,
                           whose(f));
}

void px_code_fail(struct px_irfn *f, const struct px_inst *inst, const char *format, ...)
{
    struct px_coder *coder = f->coder;
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (inst && coder->listener) tell(f, inst, text);
    const bool again = inst && refuse_inst(coder, coder->next ? f->text : inst, text);
    if (inst && coder->next && (again || coder->listener)) longjmp(*coder->next, 1);
    if (!again) coder->why = (struct px_refusal){refusal_text(f, inst, text), f->func, inst};
    longjmp(coder->give_up, 1);
}

void px_code_no_memory(struct px_irfn *f)
{
    longjmp(*f->coder->keep->on_failure, 1);
}

static void free_records(const ptx_allocator *alloc, struct px_fcode *code)
{
    px_free(alloc, code->records, px_records_bytes(code->n));
}

static void free_functions(const struct px_linked *linked, struct px_fcode **codes,
                           const ptx_allocator *alloc)
{
    for (uint32_t i = 0; i < linked->nfuncs; i++)
        if (codes[i]) free_records(alloc, codes[i]);
}

/* What is no part of the arena. */
static void free_code(const struct px_linked *linked, const struct px_code *code, const ptx_allocator *alloc)
{
    free_functions(linked, code->funcs, alloc);
    px_regions_free(code);
}

/* ---- functions ---- */

struct px_irfn *px_code_function(struct px_coder *coder, const struct px_lfunc *func)
{
    struct px_irfn *f = coder->fns[func->id];
    if (f) return f;
    f = PX_NEW(coder->scratch, struct px_irfn);
    f->coder = coder;
    f->func = func;
    f->fn = func->fn;
    f->module = func->module;
    f->code = PX_NEW(coder->keep, struct px_fcode);
    f->code->func = func;
    f->code->home_fp = PX_FP_HOME;
    coder->fns[func->id] = f;
    coder->codes[func->id] = f->code;
    px_vec_push(coder->scratch, &coder->queue, f);
    return f;
}

/* Where the parts of a frame begin that do not depend on the width. */
static void place_head(struct px_irfn *f)
{
    struct px_fcode *code = f->code;
    code->uniform = PX_FRAME_HEAD;
    code->params = code->uniform + (uint32_t)sizeof(struct px_uniform);
    code->param_bytes = f->func->is_entry ? (uint32_t)f->fn->param_bytes : 0;
    code->surveys = (code->params + code->param_bytes + 63) & ~63u;
    if (!f->func->is_entry) code->params = 0;
}

static const struct pass {
    void (*run)(struct px_irfn *f);
    size_t lies;           /* where in px_coder the arena is that the IR lies in behind it */
    uint32_t needs, gives; /* enum px_ir_fact */
    uint32_t engine;       /* 0: always */
} passes[] = {
#define ALWAYS 0
#define PASS(name, function, lies, needs, gives, engine)                                                     \
    {function, offsetof(struct px_coder, lies), needs, gives, engine},
#include "code/passes.def"
#undef PASS
#undef ALWAYS
};

/* `facts`: those that were given before. */
static void check_needs(struct px_irfn *f, unsigned pass, uint32_t facts)
{
    if (f->coder->wishes.verifies && passes[pass].needs & ~facts)
        px_code_fail(f, NULL, "the pass '%s' needs facts that none before it gives", px_pass_name(pass));
}

static void verify(struct px_irfn *f, unsigned pass, uint32_t facts)
{
    const char *why = px_ir_verify(f, facts, f->coder->pass);
    if (why) px_code_fail(f, NULL, "the IR is wrong after the pass '%s': %s", px_pass_name(pass), why);
}

static struct px_arena *arena_of(const struct px_coder *coder, size_t lies)
{
    return *(struct px_arena *const *)((const char *)coder + lies);
}

/* The IR goes from one arena to another; what it has too much goes with the first. */
static void settle(struct px_irfn *f, struct px_arena *to, struct px_arena *from)
{
    px_vec_move(to, from, &f->insts);
    px_vec_move(to, from, &f->opds);
    px_vec_move(to, from, &f->values);
    px_vec_move(to, from, &f->regs);
    px_vec_move(to, from, &f->origins);
    px_vec_move(to, from, &f->labels);
    px_vec_move(to, from, &f->params);
    px_arena_clear(from);
}

/* What the pass has put another in place of goes; the IR moves where the row of the pass says. */
static void leave_pass(struct px_irfn *f, unsigned i)
{
    const size_t lay = passes[i ? i - 1 : i].lies;
    struct px_arena *before = arena_of(f->coder, lay);
    px_arena_drop(before, f->replaced);
    f->replaced = NULL;
    if (passes[i].lies != lay) settle(f, arena_of(f->coder, passes[i].lies), before);
}

static void analyse(struct px_irfn *f)
{
    struct px_coder *coder = f->coder;
    uint32_t facts = 0;
    place_head(f);
    for (unsigned i = 0; i < PX_PASS_records; i++) {
        const struct pass *pass = &passes[i];
        if (!pass->engine || pass->engine & coder->wishes.engine) {
            check_needs(f, i, facts);
            pass->run(f);
            facts |= pass->gives;
        }
        if (coder->refused && coder->refused->again) return;
        leave_pass(f, i);
        if (i == PX_PASS_lower && coder->wishes.dump) px_ir_name(f);
        px_dump_after(f, (enum px_pass_number)i);
        if (coder->wishes.verifies) verify(f, i, facts);
        px_arena_clear(coder->pass);
    }
}

/* The width that keeps the largest frame's rows near PX_ROWS_BYTES, no wider than the CTA; groups of lanes
 * that meet fit. */
static uint32_t choose_width(const struct px_coder *coder)
{
    const uint32_t least = coder->least_width > 64 ? coder->least_width : 64;
    uint32_t lane_bytes = 1, width = PX_LANES_MAX;
    for (uint32_t i = 0; i < coder->queue.n; i++)
        if (coder->queue.at[i]->live_bytes > lane_bytes) lane_bytes = coder->queue.at[i]->live_bytes;
    while (width > least && width * lane_bytes > PX_ROWS_BYTES) width /= 2;
    while (width > 32 && width / 2 >= coder->threads) width /= 2;
    return width;
}

/* All functions, which are found on the way. */
static void analyse_all(struct px_coder *coder)
{
    for (uint32_t i = 0; i < coder->queue.n; i++) {
        coder->queue.at[i]->before = px_arena_mark(coder->scratch);
        analyse(coder->queue.at[i]);
    }
    if (coder->refused && coder->refused->again) longjmp(coder->give_up, 1);
}

/* Emission looks at where control comes from alone. */
static void forget_ways(const struct px_coder *coder, struct px_flow_graph *graph)
{
    px_arena_drop(coder->scratch, graph->succ.first);
    px_arena_drop(coder->scratch, graph->succ.to);
    graph->succ = (struct px_flow_lists){0};
}

/* The last one first: then the IR of each goes when its records are made. */
static void emit_all(struct px_coder *coder, struct px_code *code)
{
    for (uint32_t i = coder->queue.n; i-- > 0;) {
        struct px_irfn *f = coder->queue.at[i];
        const struct px_arena_mark before = f->before;
        forget_ways(coder, &f->graph);
        px_emit(f);
        px_dump_after(f, PX_PASS_records);
        px_dump_after(f, PX_PASS_regions);
        px_arena_clear(coder->pass);
        code->references |= f->code->references;
        px_arena_rewind(coder->scratch, &before);
    }
}

static struct px_code *assemble(struct px_coder *coder)
{
    struct px_code *code = PX_NEW(coder->keep, struct px_code);
    analyse_all(coder);
    coder->width = choose_width(coder);
    emit_all(coder, code);
    code->funcs = coder->codes;
    code->entry = coder->codes[coder->kernel->id];
    code->linked = coder->linked;
    code->level = coder->level;
    code->width = coder->width;
    code->threads = coder->threads;
    code->clustered = coder->wishes.clustered;
    code->cooperates = coder->cooperates;
    code->ntallies = coder->ntallies;
    if (coder->wishes.counters)
        code->tallies = PX_NEW_N(coder->keep, struct px_tally *, coder->wishes.counters);
    px_regions_place(coder, code); /* last: what follows cannot fail */
    return code;
}

static void make_lists(struct px_coder *coder, struct px_arena *keep)
{
    const uint32_t n = coder->linked->nfuncs + 1;
    coder->codes = PX_NEW_N(keep, struct px_fcode *, n);
    coder->fns = PX_NEW_N(coder->scratch, struct px_irfn *, n);
    coder->queue.n = coder->queue.cap = 0;
    coder->queue.at = NULL;
    coder->bindings = px_bindings_make(coder->scratch);
    px_vec_reserve(coder->scratch, &coder->queue, n); /* it does not grow among what is rewound */
}

/* Both arenas unwind to the caller's place when memory ends; the scratch one is freed there, too. */
static struct px_code *make(struct px_coder *coder)
{
    if (setjmp(coder->give_up)) return NULL;
    make_lists(coder, coder->keep);
    px_code_function(coder, coder->kernel);
    return assemble(coder);
}

/* NULL: refused->again, or not at all. */
static struct px_code *decode_once(const struct px_coder *like, struct px_refusal *why)
{
    struct px_arena *arena = like->keep;
    jmp_buf no_memory, *outer = arena->on_failure;
    struct px_arena scratch, draft, pass;
    struct px_code *volatile code = NULL;
    struct px_coder coder = *like;
    coder.scratch = &scratch, coder.draft = &draft, coder.pass = &pass;
    px_arena_init(&scratch, &arena->alloc, &no_memory);
    px_arena_init(&draft, &arena->alloc, &no_memory);
    px_arena_init(&pass, &arena->alloc, &no_memory);
    arena->on_failure = &no_memory;
    bool failed = setjmp(no_memory);
    if (!failed) code = make(&coder);
    *why = coder.why;
    if (!code && coder.codes) free_functions(like->linked, coder.codes, &arena->alloc);
    px_arena_free(&pass);
    px_arena_free(&draft);
    px_arena_free(&scratch);
    arena->on_failure = outer;
    if (failed) longjmp(*outer, 1);
    return code;
}

/* Until traps stand for all that cannot be run. Who wants to see the IR sees the last turn alone. */
static struct px_code *decode_until(struct px_coder *coder, struct px_refusal *why)
{
    const struct px_arena_mark before = px_arena_mark(coder->keep);
    const struct px_dump *dump = coder->wishes.dump;
    struct px_code *code;
    coder->wishes.dump = NULL;
    do {
        px_arena_rewind(coder->keep, &before);
        coder->refused->again = false;
        code = decode_once(coder, why);
    } while (!code && coder->refused->again);
    if (!code || !dump) return code;
    free_code(coder->linked, code, &coder->keep->alloc);
    px_arena_rewind(coder->keep, &before);
    coder->wishes.dump = dump;
    return decode_once(coder, why);
}

struct px_code *px_decode(const struct px_linked *linked, const struct px_lfunc *kernel, uint32_t threads,
                          uint32_t program, const struct px_level *level, const struct px_code_wishes *wishes,
                          struct px_arena *arena, struct px_refusal *why)
{
    jmp_buf no_memory, *outer = arena->on_failure;
    struct px_arena found;
    struct px_refusals refused = {.arena = &found};
    struct px_code *volatile code = NULL;
    struct px_coder coder = {.keep = arena,
                             .linked = linked,
                             .level = level,
                             .kernel = kernel,
                             .threads = threads,
                             .program = program,
                             .wishes = *wishes,
                             .listener = wishes->listener,
                             .refused = &refused};
    px_arena_init(&found, &arena->alloc, &no_memory);
    arena->on_failure = &no_memory;
    const bool failed = setjmp(no_memory);
    if (!failed) code = decode_until(&coder, why);
    px_arena_free(&found);
    arena->on_failure = outer;
    if (failed) longjmp(*outer, 1);
    return code;
}

/* ---- what cannot be run, of a program ---- */

static bool is_text(const struct px_lfunc *func)
{
    return func->kind == PX_FUNCTION_CODE && func->fn && func->fn->func->body;
}

static void tell_of(struct px_coder *coder, const struct px_lfunc *func, const char *why)
{
    struct px_listener *l = coder->listener;
    l->tell(
        l->user,
        &(ptx_gap){.function = func->name, .file = func->module->source.file, .instruction = "", .why = why});
    coder->told = true;
}

/* Goes on behind what cannot be run; what is no instruction's fault ends the function. */
static void lower_all(struct px_coder *coder, const struct px_lfunc *func)
{
    jmp_buf next;
    coder->kernel = func;
    // cppcheck-suppress autoVariables ; reset below
    coder->next = &next;
    make_lists(coder, coder->scratch);
    place_head(px_code_function(coder, func));
    if (setjmp(coder->give_up))
        tell_of(coder, func, coder->why.text);
    else if (!setjmp(next))
        px_lower(coder->fns[func->id]);
    coder->next = NULL;
    coder->listener->instructions += coder->fns[func->id]->text_insts;
}

/* False: there is no memory. */
static bool look_through(struct px_coder *coder, const struct px_lfunc *func)
{
    jmp_buf no_memory;
    struct px_arena scratch;
    px_arena_init(&scratch, &coder->keep->alloc, &no_memory);
    coder->keep->on_failure = &no_memory;
    // cppcheck-suppress autoVariables ; reset below
    coder->scratch = coder->draft = coder->pass = &scratch;
    const bool ok = !setjmp(no_memory);
    if (ok) lower_all(coder, func);
    px_arena_free(&scratch);
    coder->scratch = coder->draft = coder->pass = NULL;
    coder->words.n = coder->words.cap = 0;
    return ok;
}

/* What only the later passes find: the kernel as a launch would decode it. */
static void try_kernel(struct px_coder *coder, const struct px_lfunc *func)
{
    struct px_refusal why = {0};
    const struct px_code_wishes wishes = {
        .fmad = coder->wishes.fmad, .engine = PX_ENGINE_ALL, .listener = coder->listener};
    struct px_code *code =
        px_decode(coder->linked, func, 32, coder->program, coder->level, &wishes, coder->keep, &why);
    if (!code && why.text) tell_of(coder, func, why.text);
    if (code) free_code(coder->linked, code, &coder->keep->alloc);
}

bool px_code_gaps(const struct px_linked *linked, uint32_t program, const struct px_level *level,
                  ptx_fmad fmad, const struct ptx_allocator *alloc, struct px_listener *listener)
{
    jmp_buf no_memory;
    struct px_arena keep;
    struct px_coder coder = {.keep = &keep,
                             .linked = linked,
                             .level = level,
                             .threads = 32,
                             .program = program,
                             .wishes.fmad = fmad,
                             .listener = listener};
    px_arena_init(&keep, alloc, &no_memory);
    volatile bool ok = true;
    for (uint32_t i = 0; ok && i < linked->nfuncs; i++)
        if (is_text(&linked->funcs[i])) ok = look_through(&coder, &linked->funcs[i]);
    keep.on_failure = &no_memory;
    if (setjmp(no_memory))
        ok = false;
    else
        for (uint32_t i = 0; ok && !coder.told && i < linked->nfuncs; i++)
            if (is_text(&linked->funcs[i]) && linked->funcs[i].is_entry)
                try_kernel(&coder, &linked->funcs[i]);
    px_arena_free(&keep);
    return ok;
}

/* ---- what the IR looks like ---- */

static void show_kernel(struct px_arena *keep, const struct px_coder *like, const struct px_lfunc *func,
                        const char **why)
{
    struct px_refusal refusal = {0};
    struct px_code *code = px_decode(like->linked, func, like->threads, like->program, like->level,
                                     &like->wishes, keep, &refusal);
    *why = code ? NULL : refusal.text;
    if (code) free_code(like->linked, code, &keep->alloc);
}

bool px_code_show(const struct px_linked *linked, uint32_t program, const struct px_level *level,
                  const struct px_code_wishes *wishes, uint32_t threads, const struct ptx_allocator *alloc,
                  void (*refused)(void *user, const char *why), void *user)
{
    jmp_buf no_memory;
    struct px_arena keep;
    const struct px_coder like = {
        .linked = linked, .level = level, .threads = threads, .program = program, .wishes = *wishes};
    px_arena_init(&keep, alloc, &no_memory);
    const bool ok = !setjmp(no_memory);
    for (uint32_t i = 0; ok && i < linked->nfuncs; i++) {
        const char *why = NULL;
        if (!is_text(&linked->funcs[i]) || !linked->funcs[i].is_entry) continue;
        show_kernel(&keep, &like, &linked->funcs[i], &why);
        if (why) refused(user, why);
    }
    px_arena_free(&keep);
    return ok;
}
