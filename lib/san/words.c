/* words.c - findings in words, the worst first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

/* ---- words ---- */

static const char *kind_code(ptx_check_kind kind)
{
    static const char *const codes[] = {[PTX_FOUND_WRITE_WRITE] = "race-write-write",
                                        [PTX_FOUND_READ_WRITE] = "race-read-write",
                                        [PTX_FOUND_WRITE_READ] = "race-write-read",
                                        [PTX_FOUND_UNWRITTEN] = "init-shared",
                                        [PTX_FOUND_BARRIERS] = "sync-barriers",
                                        [PTX_FOUND_MISSING] = "sync-missing",
                                        [PTX_FOUND_OUTSIDE] = "memory-outside",
                                        [PTX_FOUND_FREED] = "memory-freed",
                                        [PTX_FOUND_MISALIGNED] = "memory-misaligned",
                                        [PTX_FOUND_BAD_FREE] = "memory-bad-free",
                                        [PTX_FOUND_FREED_TWICE] = "memory-freed-twice",
                                        [PTX_FOUND_LEAK] = "leak-memory",
                                        [PTX_FOUND_HOST_READ] = "init-host",
                                        [PTX_FOUND_EARLY] = "memory-early",
                                        [PTX_FOUND_PROXY] = "race-proxy",
                                        [PTX_FOUND_BESIDE] = "memory-beside"};
    return codes[kind];
}

/* Of a finding: reads of global and local memory have other codes than those of shared memory. */
static const char *code_of(const struct px_found *f)
{
    if (f->kind != PTX_FOUND_UNWRITTEN || f->shared) return kind_code(f->kind);
    return f->global ? "init-global" : "init-local";
}

static void say_access(const struct px_side *s, char *buf, size_t size)
{
    static const char *const orders[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
    static const char *const scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"};
    const bool reads = s->how & PTX_TRACE_READ, writes = s->how & PTX_TRACE_WRITE;
    const char *what = reads && writes ? "atomic operation" : writes ? "write" : "read";
    char order[40] = "";
    if (!s->how) {
        snprintf(buf, size, "barrier");
        return;
    }
    if (s->how & PTX_TRACE_ATOMIC)
        snprintf(order, sizeof order, " (.%s%s)", orders[s->order], scopes[s->scope]);
    snprintf(buf, size, "%s%s%s of %u byte%s", s->how & PTX_TRACE_ASYNC ? "asynchronous " : "", what, order,
             s->bytes,
             s->bytes == 1           ? ""
             : s->bytes == UINT8_MAX ? "s or more"
                                     : "s");
}

/* "x.cu:12", or "line 12". */
static void say_place(const struct px_san *san, uint32_t place, char *buf, size_t size)
{
    const ptx_trace_place *at = &san->place[place].is;
    const size_t n = strcspn(at->source, " ");
    if (n)
        snprintf(buf, size, "%.*s", (int)n, at->source);
    else
        snprintf(buf, size, "line %u", at->line);
}

static void say_address(const struct px_found *f, char *buf, size_t size)
{
    const char *format = f->shared   ? "byte 0x%" PRIx64 " of shared memory"
                         : f->global ? "0x%" PRIx64
                                     : "byte 0x%" PRIx64 " of local memory";
    snprintf(buf, size, format, f->address);
}

static void say_race(const struct px_found *f, char *buf, size_t size)
{
    static const char *const who[] = {[PX_APART_SELF] = "a thread and its own copy",
                                      [PX_APART_WARP] = "threads of one warp",
                                      [PX_APART_BLOCK] = "threads of one block",
                                      [PX_APART_GRID] = "threads of two blocks",
                                      [PX_APART_GRIDS] = "threads of two grids"};
    static const char *const what[] = {[PTX_FOUND_WRITE_WRITE] = "two writes",
                                       [PTX_FOUND_READ_WRITE] = "a read and a write",
                                       [PTX_FOUND_WRITE_READ] = "a write and a read",
                                       [PTX_FOUND_PROXY] = "a write and what wgmma reads"};
    static const char *const mild[] = {[PX_MILD_VALUES] = "; both wrote the same value",
                                       [PX_MILD_UNREAD] = "; nobody reads what they wrote",
                                       [PX_MILD_RELAXED] = " but relaxed accesses"};
    char where[60];
    say_address(f, where, sizeof where);
    snprintf(buf, size, "race at %s: %s by %s, and %s%s", where, what[f->kind], who[f->apart],
             f->kind == PTX_FOUND_PROXY ? "no proxy fence stands between" : "nothing orders them",
             f->mild ? mild[f->why] : "");
}

static const char *owner_words(ptx_trace_owner owner)
{
    static const char *const words[] = {
        [PTX_TRACE_DEVICE] = "device memory",    [PTX_TRACE_PINNED] = "pinned memory",
        [PTX_TRACE_MANAGED] = "managed memory",  [PTX_TRACE_STREAM] = "memory in stream order",
        [PTX_TRACE_GRAPH] = "memory of a graph", [PTX_TRACE_HEAP] = "the device heap"};
    return words[owner];
}

static void say_message(const struct px_found *f, char *buf, size_t size)
{
    char where[60];
    switch (f->kind) {
    case PTX_FOUND_UNWRITTEN:
        say_address(f, where, sizeof where);
        snprintf(buf, size, "%s is read, and nobody%s wrote it%s", where, f->shared ? " of the block" : "",
                 f->mild ? "; other bytes of the read were written" : "");
        break;
    case PTX_FOUND_HOST_READ:
        snprintf(buf, size, "the host gets %" PRIu64 " bytes that nobody wrote, the first at 0x%" PRIx64,
                 f->bytes, f->address);
        break;
    case PTX_FOUND_OUTSIDE:
    case PTX_FOUND_MISALIGNED: snprintf(buf, size, "%s", f->text); break;
    case PTX_FOUND_FREED:
        snprintf(buf, size, "access of %u bytes at 0x%" PRIx64 ": the memory there was freed",
                 f->side[0].bytes, f->address);
        break;
    case PTX_FOUND_BESIDE:
        say_address(f, where, sizeof where);
        snprintf(buf, size,
                 "access of %u bytes at %s: that is outside '%s', which the address is computed from",
                 f->side[0].bytes, where, f->text);
        break;
    case PTX_FOUND_EARLY:
        snprintf(buf, size,
                 "memory in stream order at 0x%" PRIx64
                 " is used, and nothing orders that behind its allocation",
                 f->address);
        break;
    case PTX_FOUND_FREED_TWICE:
        snprintf(buf, size, "0x%" PRIx64 " is freed, and was freed before", f->address);
        break;
    case PTX_FOUND_BAD_FREE:
        snprintf(buf, size, "0x%" PRIx64 " is freed, and no allocation begins there", f->address);
        break;
    case PTX_FOUND_LEAK:
        snprintf(buf, size, "%" PRIu64 " byte%s in %" PRIu64 " allocation%s of %s never freed", f->size,
                 f->size == 1 ? "" : "s", f->count, f->count == 1 ? "" : "s", owner_words(f->owner));
        break;
    case PTX_FOUND_BARRIERS: snprintf(buf, size, "threads of one warp stand at two barriers"); break;
    case PTX_FOUND_MISSING:
        snprintf(buf, size, "part of a warp comes to the barrier; thread %u of the block %s", f->thread[1],
                 f->mild ? "has ended before" : "does not");
        break;
    default: say_race(f, buf, size);
    }
}

/* Both are strong. */
static void say_scopes(const struct px_found *f, char *buf, size_t size)
{
    if (f->side[0].bytes != f->side[1].bytes)
        snprintf(buf, size,
                 "both are strong, but of %u and %u bytes: only accesses of the same bytes are ordered",
                 f->side[0].bytes, f->side[1].bytes);
    else
        snprintf(buf, size, "both are strong, but a scope of .cta does not reach another block: .gpu does");
}

static void help_race(const struct px_san *san, const struct px_found *f, char *buf, size_t size)
{
    char a[200], b[200];
    say_place(san, f->place[0], a, sizeof a);
    say_place(san, f->place[1], b, sizeof b);
    const bool same = f->place[0] == f->place[1];
    if (f->kind == PTX_FOUND_PROXY)
        snprintf(buf, size,
                 "a fence.proxy.async by who wrote at %s and a barrier behind it, before %s, make it visible",
                 a, b);
    else if ((f->side[0].how | f->side[1].how) & PTX_TRACE_PRODUCT)
        snprintf(buf, size,
                 "a wait for the product (wgmma.wait_group) and a barrier behind it, between %s and %s, "
                 "order them",
                 a, b);
    else if (f->async)
        snprintf(buf, size,
                 f->apart == PX_APART_SELF
                     ? "a wait for the copy (cp.async.wait_group, wait_all) between %s and %s orders them"
                     : "a wait for the copy by its thread and a barrier behind it, between %s and %s, "
                       "order them",
                 a, b);
    else if (f->scopes)
        say_scopes(f, buf, size);
    else if (f->apart == PX_APART_WARP && same)
        snprintf(buf, size, "lanes of %s reach one address: an atomic operation, or an address for each", a);
    else if (f->apart == PX_APART_WARP)
        snprintf(buf, size, "a __syncwarp() (bar.warp.sync) between %s and %s orders them", a, b);
    else if (f->apart == PX_APART_BLOCK && same)
        snprintf(buf, size,
                 "threads of %s reach one address: an atomic operation, or a __syncthreads() between", a);
    else if (f->apart == PX_APART_BLOCK)
        snprintf(buf, size, "a __syncthreads() (bar.sync) between %s and %s orders them", a, b);
    else if (f->apart == PX_APART_GRID)
        snprintf(
            buf, size,
            "blocks of a grid run in any order: a release of scope .gpu behind %s that an acquire before %s "
            "reads, or another launch, orders them",
            a, b);
    else
        snprintf(buf, size,
                 "nothing orders the grids: an event or a wait between the one of %s and that of %s does", a,
                 b);
}

static void say_help(const struct px_san *san, const struct px_found *f, char *buf, size_t size)
{
    switch (f->kind) {
    case PTX_FOUND_UNWRITTEN:
        snprintf(buf, size,
                 f->mild ? "harmless where it is padding" : "memory begins with any values on a chip");
        break;
    case PTX_FOUND_HOST_READ:
        snprintf(buf, size,
                 f->mild ? "harmless where the host does not look at these bytes"
                         : "memory begins with any values on a chip");
        break;
    case PTX_FOUND_OUTSIDE:
    case PTX_FOUND_MISALIGNED:
    case PTX_FOUND_FREED:
        snprintf(buf, size, "a chip may fault here; the access read zeros and wrote nothing");
        break;
    case PTX_FOUND_EARLY:
        snprintf(buf, size, "another stream uses it once it has waited for an event behind the allocation");
        break;
    case PTX_FOUND_BESIDE:
    case PTX_FOUND_LEAK:
    case PTX_FOUND_FREED_TWICE:
    case PTX_FOUND_BAD_FREE: *buf = 0; break;
    case PTX_FOUND_BARRIERS:
    case PTX_FOUND_MISSING:
        snprintf(buf, size,
                 "all threads of a warp reach an aligned barrier by one instruction: move it out of "
                 "the branch");
        break;
    default: help_race(san, f, buf, size);
    }
}

/* ---- about the allocation ---- */

enum { NEAR_NULL = 1 << 20 };

static void say_maker(const struct px_san *san, const struct px_maker *m, char *buf, size_t size)
{
    char at[200];
    *buf = 0;
    if (!m->place) {
        px_stack_text(san, m->stack, buf, size);
        return;
    }
    say_place(san, m->place - 1, at, sizeof at);
    snprintf(buf, size, "%s, kernel %s", at, san->place[m->place - 1].is.kernel);
}

static void say_memory(const struct px_found *f, char *buf, size_t size)
{
    const uint64_t past = f->address - f->base - f->size;
    *buf = 0;
    if (f->kind == PTX_FOUND_OUTSIDE && f->global && f->address < NEAR_NULL)
        snprintf(buf, size, f->address ? "near the null pointer" : "a null pointer");
    if (!f->size || f->kind == PTX_FOUND_LEAK) return;
    if (f->address - f->base < f->size)
        snprintf(buf, size, "byte %" PRIu64 " of %" PRIu64 " bytes of %s at 0x%" PRIx64, f->address - f->base,
                 f->size, owner_words(f->owner), f->base);
    else if (f->address < f->base)
        snprintf(buf, size, "%" PRIu64 " bytes before %" PRIu64 " bytes of %s at 0x%" PRIx64,
                 f->base - f->address, f->size, owner_words(f->owner), f->base);
    else
        snprintf(buf, size, "%" PRIu64 " bytes past the end of %" PRIu64 " bytes of %s at 0x%" PRIx64, past,
                 f->size, owner_words(f->owner), f->base);
}

/* ---- telling ---- */

static int worse(const void *a, const void *b)
{
    const struct px_found *x = *(const struct px_found *const *)a, *y = *(const struct px_found *const *)b;
    if (x->mild != y->mild) return x->mild - y->mild;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    if (x->place[0] != y->place[0]) return x->place[0] < y->place[0] ? -1 : 1;
    if (x->place[1] != y->place[1]) return x->place[1] < y->place[1] ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

enum { TEXT = 1000, ACCESS = 100 };
struct words {
    char message[TEXT], help[TEXT], access[2][ACCESS], memory[200], made[TEXT], freed[TEXT], caller[TEXT];
};

static unsigned sides_of(const struct px_found *f)
{
    if (f->place[0] == (uint32_t)PX_NO_PLACE) return 0;
    return f->kind >= PTX_FOUND_WRITE_WRITE && (f->kind <= PTX_FOUND_WRITE_READ ||
                                                f->kind == PTX_FOUND_BARRIERS || f->kind == PTX_FOUND_PROXY)
               ? 2
               : 1;
}

static void fill_side(const struct px_san *san, const struct px_found *f, int i, struct words *w,
                      ptx_check_side *side)
{
    const ptx_trace_place *at = &san->place[f->place[i]].is;
    say_access(&f->side[i], w->access[i], ACCESS);
    *side = (ptx_check_side){.access = w->access[i],
                             .kernel = at->kernel,
                             .function = at->function,
                             .instruction = at->instruction,
                             .file = at->file,
                             .source = at->source,
                             .line = at->line,
                             .column = at->column,
                             .grid = f->block[i].grid};
    const uint32_t *shape = f->block[i].shape, t = f->thread[i];
    if (shape[0]) {
        side->thread[0] = t % shape[0];
        side->thread[1] = t / shape[0] % shape[1];
        side->thread[2] = t / shape[0] / shape[1];
    } else {
        memcpy(side->thread, f->place_in, sizeof side->thread);
    }
    memcpy(side->cta, f->block[i].cta, sizeof side->cta);
}

static const ptx_check_side no_side = {
    .access = "", .kernel = "", .function = "", .instruction = "", .file = "", .source = ""};

static void tell_one(const struct px_san *san, const struct px_found *f, struct words *w, ptx_check_fn tell,
                     void *user)
{
    ptx_check_finding finding = {.struct_size = sizeof finding,
                                 .kind = f->kind,
                                 .severity = f->mild ? PTX_WARNING : PTX_ERROR,
                                 .code = code_of(f),
                                 .message = w->message,
                                 .help = w->help,
                                 .nsides = sides_of(f),
                                 .shared = f->shared,
                                 .address = f->address,
                                 .count = f->count,
                                 .variable = f->where,
                                 .memory = w->memory,
                                 .made = w->made,
                                 .freed = w->freed,
                                 .caller = w->caller};
    say_message(f, w->message, TEXT);
    say_help(san, f, w->help, TEXT);
    say_memory(f, w->memory, sizeof w->memory);
    say_maker(san, &f->made, w->made, TEXT);
    say_maker(san, &f->freed, w->freed, TEXT);
    say_maker(san, &f->here, w->caller, TEXT);
    for (unsigned i = 0; i < 2; i++)
        if (i < finding.nsides)
            fill_side(san, f, (int)i, w, &finding.side[i]);
        else
            finding.side[i] = no_side;
    tell(user, &finding);
}

/* Findings that last, and what leaks now; *n of them. */
static struct px_found **listed(struct px_san *san, struct px_found *leaks, uint32_t nleaks)
{
    struct px_found **list = px_alloc(san->clocks.alloc, (san->nfound + nleaks + 1) * sizeof *list);
    uint32_t k = 0;
    for (uint32_t i = 0; list && i < PX_FOUND_BUCKETS; i++)
        for (struct px_found *f = san->found[i]; f; f = f->next) list[k++] = f;
    for (uint32_t i = 0; list && i < nleaks; i++) list[k++] = &leaks[i];
    if (list) qsort(list, k, sizeof *list, worse);
    return list;
}

static ptx_status tell_all(struct px_san *san, struct px_found *leaks, uint32_t nleaks, ptx_check_fn tell,
                           void *user)
{
    const ptx_allocator *a = san->clocks.alloc;
    const uint32_t n = san->nfound + nleaks;
    struct px_found **list = listed(san, leaks, nleaks);
    px_free(a, san->text, san->text_bytes);
    san->text_bytes = n * sizeof(struct words) + 1;
    san->text = px_alloc(a, san->text_bytes);
    if (!san->text) san->text_bytes = 0;
    struct words *words = (struct words *)(void *)san->text;
    for (uint32_t i = 0; list && words && i < n; i++) tell_one(san, list[i], &words[i], tell, user);
    const bool ok = list && words && !san->clocks.lost;
    px_free(a, list, (n + 1) * sizeof *list);
    return ok ? PTX_OK : PTX_ERROR_OUT_OF_MEMORY;
}

ptx_status px_san_tell(struct px_san *san, ptx_check_fn tell, void *user)
{
    uint32_t nleaks;
    struct px_found *leaks = px_leaks(san, &nleaks);
    const ptx_status status = tell_all(san, leaks, nleaks, tell, user);
    px_free(san->clocks.alloc, leaks, san->memory.n * sizeof *leaks);
    return status;
}
