/*
 * call.c - calls: of functions in PTX, of builtins and native functions, by
 * name and by address.
 *
 * A call of PTX code pushes a frame for the lanes that call together; their
 * arguments are copied row by row into the callee's frame, results come back
 * masked when lanes return. An extern function is called once a lane with its
 * arguments gathered from the rows; a lane that it parks waits alone, the others
 * go on. In a call by address the lanes that share a target go together.
 */
#include "vm/run/exec.h"
#include "vm/run/extern.h"
#include "ops/mem.h"
#include "ops/private.h"
#include "vm/device/device.h"
#include "vm/device/traced.h"
#include "vm/run/kept.h"
#include "vm/run/tally.h"
#include "gang/fpmode.h"

/* ---- arguments and results of PTX functions: words, row by row ---- */

static uint32_t *word_row(const struct px_frame *f, const struct px_words *w, uint32_t k)
{
    return (uint32_t *)(void *)(f->base + f->code->word_rows[w->first + k]);
}

static const struct px_words *args_of(const struct px_frame *f, const struct px_call_site *site)
{
    return f->code->passed + site->args;
}

static const struct px_words *rets_of(const struct px_frame *f, const struct px_call_site *site)
{
    return args_of(f, site) + site->nargs;
}

static uint32_t fewer(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void pass_arguments(const struct px_gang *g, const struct px_frame *caller, struct px_frame *f,
                           const struct px_call_site *site)
{
    const struct px_call_site *formals = &f->code->formals;
    const struct px_words *from = args_of(caller, site), *to = args_of(f, formals);
    for (const struct px_words *end = to + fewer(site->nargs, formals->nargs); to < end; from++, to++)
        for (uint32_t k = 0; k < px_words_n(to); k++)
            if (k < px_words_n(from))
                memcpy(word_row(f, to, k), word_row(caller, from, k), (size_t)g->n * 4);
            else
                memset(word_row(f, to, k), 0, (size_t)g->n * 4);
}

void px_call_results(struct px_gang *g, struct px_frame *f, const struct px_lanes *lanes)
{
    const struct px_call_site *site = f->site, *formals = &f->code->formals;
    const struct px_words *from = rets_of(f, formals), *to = rets_of(f->parent, site);
    uint32_t lane;
    const bool whole = px_lanes_count(lanes) == g->n;
    for (const struct px_words *end = from + fewer(site->nrets, formals->nrets); from < end; from++, to++)
        for (uint32_t k = 0; k < fewer(px_words_n(from), px_words_n(to)); k++) {
            const uint32_t *a = word_row(f, from, k);
            uint32_t *d = word_row(f->parent, to, k);
            if (whole)
                memcpy(d, a, (size_t)g->n * 4);
            else
                PX_FOR_LANES(lane, *lanes) d[lane] = a[lane];
        }
}

/* ---- one lane's words ---- */

static void read_words(const struct px_frame *f, const struct px_words *w, uint32_t lane, uint8_t *out,
                       uint32_t bytes)
{
    uint32_t k = 0, n = px_words_n(w);
    for (; k < n && k * 4 + 4 <= bytes; k++) memcpy(out + k * 4, word_row(f, w, k) + lane, 4);
    if (k < n && k * 4 < bytes) memcpy(out + k * 4, word_row(f, w, k) + lane, bytes - k * 4);
}

static void write_words(const struct px_frame *f, const struct px_words *w, uint32_t lane, const uint8_t *in)
{
    for (uint32_t k = 0; k < px_words_n(w); k++) {
        uint32_t word = 0, left = w->bytes - k * 4;
        memcpy(&word, in + k * 4, left < 4 ? left : 4);
        word_row(f, w, k)[lane] = word;
    }
}

/* ---- calls of PTX code ---- */

/* The lanes of the running entry that are not in `lanes` leave it and go on at `pc`. */
static void split_rest(struct px_gang *g, struct px_entry *e, struct px_lanes lanes, uint32_t pc, bool again)
{
    struct px_lanes rest = px_lanes_minus(e->mask, lanes);
    if (!px_lanes_empty(&rest)) px_entry_go(&g->entries, rest, e->frame, pc, again);
}

static int enter_code(struct px_gang *g, struct px_entry *e, const struct px_insn *in,
                      const struct px_fcode *code, uint32_t next)
{
    struct px_frame *f = px_frame_push(g, e->frame, code);
    if (!f)
        return px_gang_trap(g, in, px_lanes_first(&e->mask), PX_CUDA_HARDWARE_STACK_ERROR, 0,
                            "call stack exhausted at depth %u", e->frame->depth + 1);
    f->live = e->mask;
    f->ret_pc = next;
    f->site = in->aux;
    pass_arguments(g, e->frame, f, f->site);
    px_entry_go(&g->entries, e->mask, f, 0, false);
    return PX_STEP_JUMP;
}

/* ---- extern functions ---- */

enum { PX_EXT_BYTES = 4608 }; /* most bytes of arguments; kernels' own limit is near */

static void gather_arguments(const struct px_frame *f, const struct px_call_site *site,
                             const struct px_lfunc *callee, uint32_t lane, uint8_t *out, uint32_t size)
{
    const struct px_function *fn = callee->fn;
    memset(out, 0, size);
    for (uint32_t i = 0; i < site->nargs; i++) {
        const struct px_words *a = &args_of(f, site)[i];
        bool declared = fn && i < fn->func->nparams;
        uint64_t at = declared ? fn->params[i]->offset : 0;
        uint32_t bytes = declared ? (uint32_t)fn->params[i]->size : a->bytes;
        if (at + bytes <= size) read_words(f, a, lane, out + at, fewer(bytes, a->bytes));
    }
}

static uint32_t argument_bytes(const struct px_lfunc *callee)
{
    uint64_t n = callee->fn ? callee->fn->param_bytes : 0;
    if (callee->kind == PX_FUNCTION_BUILTIN && callee->builtin->arg_bytes > n) n = callee->builtin->arg_bytes;
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static enum px_ext call_lane(struct px_gang *g, const struct px_insn *in, const struct px_lfunc *callee,
                             struct px_frame *f, uint32_t lane)
{
    const struct px_call_site *site = in->aux;
    _Alignas(16) uint8_t args[PX_EXT_BYTES], ret[256];
    struct px_ext_state *state = &g->ext[lane];
    gather_arguments(f, site, callee, lane, args, argument_bytes(callee));
    const struct px_words *to = rets_of(f, site);
    if (site->nrets) memset(ret, 0, fewer(sizeof ret, (to->bytes + 15) & ~15u));
    g->cta->errors = true;
    struct px_call call = {.worker = g->worker,
                           .cta = g->cta,
                           .grid = g->cta->grid,
                           .callee = callee,
                           .at = in,
                           .thread = g->first + lane,
                           .args = args,
                           .ret = ret,
                           .state = state->state,
                           .trap = &g->cta->trap,
                           .last_error = &g->cta->last_error[g->first + lane]};
    enum px_ext r = callee->kind == PX_FUNCTION_BUILTIN ? callee->builtin->fn(&call) : px_host_call(&call);
    state->state = r == PX_EXT_PARK ? call.state : 0;
    if (r == PX_EXT_DONE && site->nrets) write_words(f, to, lane, ret);
    return r;
}

enum { PX_LOOK_LANES = 8 }; /* lanes that call between two looks at the clock */

/* Has the launch to stop before the n-th lane calls? A call can take long. */
static bool must_stop(const struct px_gang *g, uint32_t n)
{
    if (n % PX_LOOK_LANES == 0) return px_sched_due(g->cta->grid->run);
    return atomic_load_explicit(g->worker->stop, memory_order_relaxed) != PX_STOP_NONE;
}

/*
 * Calls for each lane of the entry; false when one trapped, else `parked` are the lanes to be asked again. A
 * failed assertion ends the launch, but the lanes that fail with it still write their lines, as on a chip.
 */
static bool call_lanes(struct px_gang *g, const struct px_entry *e, const struct px_insn *in,
                       const struct px_lfunc *callee, struct px_lanes *parked)
{
    struct px_trap *trap = &g->cta->trap, first;
    uint32_t lane, at = 0, n = 0;
    first.error = 0;
    PX_FOR_LANES(lane, e->mask)
    {
        enum px_ext r = PX_EXT_PARK; /* a lane that does not call any more stays where it is */
        if (!must_stop(g, n++)) r = call_lane(g, in, callee, e->frame, lane);
        if (r == PX_EXT_PARK) px_lanes_set(parked, lane);
        if (r != PX_EXT_TRAP) continue;
        if (!first.error) first = *trap, at = lane;
        if (trap->error != PX_CUDA_ASSERT) goto out;
    }
out:
    if (first.error) px_gang_trap(g, in, at, first.error, first.address, "%s", first.text);
    return !first.error;
}

/* Lanes that are parked stay at the call, the others go to `next`: on in the running entry, when all that
 * there are called and none is parked. */
static int enter_extern(struct px_gang *g, struct px_entry *e, const struct px_insn *in,
                        const struct px_lfunc *callee, uint32_t next, bool together)
{
    struct px_lanes parked = {{0}};
    uint32_t first = px_lanes_first(&e->mask);
    if (!g->ext) g->ext = px_zalloc(g->cta->alloc, g->width * sizeof *g->ext);
    if (!g->ext || argument_bytes(callee) > PX_EXT_BYTES)
        return px_gang_trap(g, in, first, PX_CUDA_OUT_OF_MEMORY, 0, "no room for the arguments of %s",
                            callee->name);
    atomic_store_explicit(&g->cta->grid->run->called, true, memory_order_relaxed);
    px_fp_set(g->worker, PX_FP_HOME);
    px_private_flush(g->worker);
    const bool fine = call_lanes(g, e, in, callee, &parked);
    if (callee->kind == PX_FUNCTION_HOST) px_fp_load(PX_FP_HOME); /* it may have left another */
    if (!fine) return PX_STEP_TRAP;
    px_fp_set(g->worker, e->frame->code->home_fp);
    if (px_lanes_empty(&parked)) {
        if (together) return PX_STEP_NEXT;
        px_entry_go(&g->entries, e->mask, e->frame, next, false);
        return PX_STEP_JUMP;
    }
    if (!e->frame->rows) px_kept_part(g, next, e->mask);
    e->frame->rows = true;
    split_rest(g, e, parked, next, false);
    e->pc = next - 1;
    px_tally_wait(g, in->ord, &e->mask);
    px_entry_wait(&g->entries, PX_ENTRY_PARK, 0);
    return PX_STEP_JUMP;
}

static int enter_function(struct px_gang *g, struct px_entry *e, const struct px_insn *in,
                          const struct px_lfunc *callee, uint32_t next, bool together)
{
    const struct px_fcode *code = g->cta->code->funcs[callee->id];
    switch (callee->kind) {
    case PX_FUNCTION_BUILTIN:
    case PX_FUNCTION_HOST: return enter_extern(g, e, in, callee, next, together);
    case PX_FUNCTION_CODE:
        if (code) return enter_code(g, e, in, code, next);
        break;
    }
    return px_gang_trap(g, in, px_lanes_first(&e->mask), PX_CUDA_INVALID_PC, 0,
                        "call of %s, which has no code here", callee->name);
}

/* ---- by address ---- */

/* Narrows the entry to the lanes that call what its first lane calls; the function there, NULL when there is
 * none. */
static const struct px_lfunc *narrow(struct px_gang *g, struct px_entry *e, const struct px_insn *in,
                                     uint32_t pc)
{
    bool scalar = in->flags & PX_INSN_SCALAR_A;
    const uint64_t *target = PX_ROW(g, uint64_t, in->a);
    uint32_t lane, first = px_lanes_first(&e->mask);
    uint64_t va = target[scalar ? 0 : first];
    struct px_lanes same = {{0}};
    PX_FOR_LANES(lane, e->mask) if (scalar || target[lane] == va) px_lanes_set(&same, lane);
    split_rest(g, e, same, pc, true);
    const struct px_lfunc *f = px_grid_function(g->cta->grid, va);
    if (f && !f->is_entry) return f;
    px_gang_trap(g, in, first, PX_CUDA_INVALID_PC, va, "indirect call of 0x%llx, which is no function",
                 (unsigned long long)va);
    return NULL;
}

int px_call_enter(struct px_gang *g, struct px_entry *e, const struct px_insn *in, uint32_t next)
{
    const struct px_call_site *site = in->aux;
    struct px_lanes lanes = px_gang_lanes(g, in);
    if (px_lanes_empty(&lanes)) return PX_STEP_NEXT;
    g->resume = false;
    const bool together = site->callee && px_lanes_equal(&lanes, &e->mask);
    split_rest(g, e, lanes, next, false);
    const struct px_lfunc *callee = site->callee;
    if (!callee) callee = narrow(g, e, in, next - 1);
    if (!callee) return PX_STEP_TRAP;
    return enter_function(g, e, in, callee, next, together);
}

/* ---- what extern functions may do (extern.h) ---- */

static struct px_gang *gang_of(const struct px_call *call)
{
    return &call->cta->gangs[call->thread / call->cta->code->width];
}

static bool copy(struct px_call *call, uint8_t *host, uint64_t va, uint64_t size, bool write)
{
    struct px_gang *g = gang_of(call);
    const enum px_window window = px_window_of(va);
    if (write && (window == PX_WIN_CONST || window == PX_WIN_PARAM)) return false;
    while (size) {
        uint64_t part = px_window_of(va) == PX_WIN_LOCAL ? 1 : size; /* local memory is interleaved */
        struct px_place_of p = px_gang_find(g, PX_SPACE_NONE, call->thread - g->first, va, part);
        if (!p.host) return false;
        if (write)
            memcpy(p.host, host, part);
        else
            memcpy(host, p.host, part);
        va += part, host += part, size -= part;
    }
    return true;
}

bool px_call_read(struct px_call *call, void *to, uint64_t va, uint64_t size)
{
    return copy(call, to, va, size, false);
}

bool px_call_write(struct px_call *call, uint64_t va, const void *from, uint64_t size)
{
    const bool ok = copy(call, (uint8_t *)(uintptr_t)from, va, size, true);
    if (ok) px_traced_call(call, va, size);
    return ok;
}

bool px_call_string(struct px_call *call, uint64_t va, char *buf, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (!px_call_read(call, buf + i, va + i, 1)) return false;
        if (!buf[i]) return true;
    }
    if (n) buf[n - 1] = 0;
    return true;
}

void px_call_place(const struct px_call *call, uint32_t cta[3], uint32_t thread[3])
{
    const struct px_gang *g = gang_of(call);
    for (int i = 0; i < 3; i++) {
        cta[i] = call->cta->ctaid[i];
        thread[i] = g->tid[i][call->thread - g->first];
    }
}

const struct px_lfunc *px_call_caller(const struct px_call *call)
{
    return gang_of(call)->running->code->func;
}

const struct px_inst *px_call_inst(const struct px_call *call)
{
    return gang_of(call)->running->code->src[call->at->src].inst;
}
