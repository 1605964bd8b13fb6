/* found.c - places and findings: one for each pair of places, and their words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "san/state.h"

/* ---- places ---- */

static bool same_place(const ptx_trace_place *a, const ptx_trace_place *b)
{
    return a->line == b->line && a->column == b->column && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->function, b->function) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->instruction, b->instruction) == 0;
}

static const char *put(char **to, const char *text)
{
    const char *at = *to;
    const size_t n = strlen(text) + 1;
    memcpy(*to, text, n);
    *to += n;
    return at;
}

static bool copy_place(struct px_san *san, const ptx_trace_place *at, struct px_san_place *p)
{
    p->text_bytes = strlen(at->kernel) + strlen(at->function) + strlen(at->instruction) + strlen(at->file) +
                    strlen(at->source) + 5;
    char *to = p->text = px_alloc(san->clocks.alloc, p->text_bytes);
    if (!to) return san->clocks.lost = true, false;
    p->is = *at;
    p->is.kernel = put(&to, at->kernel);
    p->is.function = put(&to, at->function);
    p->is.instruction = put(&to, at->instruction);
    p->is.file = put(&to, at->file);
    p->is.source = put(&to, at->source);
    return true;
}

static uint32_t add_place(struct px_san *san, const ptx_trace_place *at)
{
    for (uint32_t i = 0; i < san->nplaces; i++)
        if (same_place(&san->place[i].is, at)) return i;
    struct px_san_place fresh = {0};
    if (!px_san_room(san, &san->place, san->nplaces, &san->places_cap, sizeof fresh)) return 0;
    if (!copy_place(san, at, &fresh)) return 0;
    san->place[san->nplaces] = fresh;
    return san->nplaces++;
}

/* Keys are forgotten when nothing is under way: the engine may use an address again afterwards. */
uint32_t px_san_place_of(struct px_san *san, const ptx_trace_place *at)
{
    struct px_place_key *key = &san->key[((uintptr_t)at >> 4) * 0x9e3779b1u >> 8 & (PX_PLACE_KEYS - 1)];
    if (key->at != at || !key->place) *key = (struct px_place_key){at, add_place(san, at) + 1};
    return key->place - 1;
}

/* ---- findings ---- */

void px_found_add(struct px_san *san, const struct px_found *found)
{
    const uint32_t hash = found->place[0] * 31u + found->place[1] * 7u + (uint32_t)found->kind;
    struct px_found **to = &san->found[hash % PX_FOUND_BUCKETS], *f = *to;
    while (f && (f->kind != found->kind || memcmp(f->place, found->place, sizeof f->place) != 0 ||
                 f->shared != found->shared))
        f = f->next;
    if (!f) {
        if (!(f = px_alloc(san->clocks.alloc, sizeof *f))) {
            san->clocks.lost = true;
            return;
        }
        *f = *found;
        f->next = *to;
        *to = f;
        san->nfound++;
        return;
    }
    const uint64_t count = f->count + 1;
    if (f->mild && !found->mild) {
        struct px_found *next = f->next;
        *f = *found; /* the worse one is the example */
        f->next = next;
    }
    f->count = count;
}

void px_found_free(struct px_san *san)
{
    const ptx_allocator *a = san->clocks.alloc;
    for (uint32_t i = 0; i < PX_FOUND_BUCKETS; i++)
        for (struct px_found *f = san->found[i], *next; f; f = next) {
            next = f->next;
            px_free(a, f, sizeof *f);
        }
    for (uint32_t i = 0; i < san->nplaces; i++) px_free(a, san->place[i].text, san->place[i].text_bytes);
    px_free(a, san->place, san->places_cap * sizeof *san->place);
    px_free(a, san->text, san->text_bytes);
}

/* ---- words ---- */

static const char *kind_code(ptx_check_kind kind)
{
    static const char *const codes[] = {
        [PTX_FOUND_WRITE_WRITE] = "race-write-write", [PTX_FOUND_READ_WRITE] = "race-read-write",
        [PTX_FOUND_WRITE_READ] = "race-write-read",   [PTX_FOUND_UNWRITTEN] = "init-shared",
        [PTX_FOUND_BARRIERS] = "sync-barriers",       [PTX_FOUND_MISSING] = "sync-missing"};
    return codes[kind];
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

static void say_race(const struct px_found *f, char *buf, size_t size)
{
    static const char *const who[] = {[PX_APART_SELF] = "a thread and its own copy",
                                      [PX_APART_WARP] = "threads of one warp",
                                      [PX_APART_BLOCK] = "threads of one block",
                                      [PX_APART_GRID] = "threads of two blocks",
                                      [PX_APART_GRIDS] = "threads of two grids"};
    static const char *const what[] = {[PTX_FOUND_WRITE_WRITE] = "two writes",
                                       [PTX_FOUND_READ_WRITE] = "a read and a write",
                                       [PTX_FOUND_WRITE_READ] = "a write and a read"};
    char where[60];
    snprintf(where, sizeof where, f->shared ? "byte 0x%" PRIx64 " of shared memory" : "0x%" PRIx64,
             f->address);
    snprintf(buf, size, "race at %s: %s by %s, and nothing orders them%s", where, what[f->kind],
             who[f->apart], f->mild ? "; both wrote the same value" : "");
}

static void say_message(const struct px_found *f, char *buf, size_t size)
{
    switch (f->kind) {
    case PTX_FOUND_UNWRITTEN:
        snprintf(buf, size, "byte 0x%" PRIx64 " of shared memory is read, and nobody of the block wrote it%s",
                 f->address, f->mild ? "; other bytes of the read were written" : "");
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
    if (f->async)
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
        snprintf(buf, size, "both grids run at once: wait for the one of %s before %s", a, b);
}

static void say_help(const struct px_san *san, const struct px_found *f, char *buf, size_t size)
{
    switch (f->kind) {
    case PTX_FOUND_UNWRITTEN:
        snprintf(buf, size,
                 f->mild ? "harmless where it is padding" : "shared memory begins with any values on a chip");
        break;
    case PTX_FOUND_BARRIERS:
    case PTX_FOUND_MISSING:
        snprintf(buf, size,
                 "all threads of a warp reach an aligned barrier by one instruction: move it out of "
                 "the branch");
        break;
    default: help_race(san, f, buf, size);
    }
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
    char message[TEXT], help[TEXT], access[2][ACCESS];
};

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
    side->thread[0] = t % shape[0];
    side->thread[1] = t / shape[0] % shape[1];
    side->thread[2] = t / shape[0] / shape[1];
    memcpy(side->cta, f->block[i].cta, sizeof side->cta);
}

static void tell_one(const struct px_san *san, const struct px_found *f, struct words *w, ptx_check_fn tell,
                     void *user)
{
    ptx_check_finding finding = {.struct_size = sizeof finding,
                                 .kind = f->kind,
                                 .severity = f->mild ? PTX_WARNING : PTX_ERROR,
                                 .code = kind_code(f->kind),
                                 .message = w->message,
                                 .help = w->help,
                                 .nsides =
                                     f->kind == PTX_FOUND_UNWRITTEN || f->kind == PTX_FOUND_MISSING ? 1 : 2,
                                 .shared = f->shared,
                                 .address = f->address,
                                 .count = f->count};
    say_message(f, w->message, TEXT);
    say_help(san, f, w->help, TEXT);
    for (int i = 0; i < 2; i++) fill_side(san, f, i, w, &finding.side[i]);
    tell(user, &finding);
}

ptx_status px_san_tell(struct px_san *san, ptx_check_fn tell, void *user)
{
    const ptx_allocator *a = san->clocks.alloc;
    const uint32_t n = san->nfound;
    const size_t bytes = n * sizeof(struct words);
    struct px_found **list = px_alloc(a, (n + 1) * sizeof *list);
    px_free(a, san->text, san->text_bytes);
    san->text = px_alloc(a, bytes + 1);
    san->text_bytes = san->text ? bytes + 1 : 0;
    if (!list || !san->text) {
        px_free(a, list, (n + 1) * sizeof *list);
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    uint32_t k = 0;
    for (uint32_t i = 0; i < PX_FOUND_BUCKETS; i++)
        for (struct px_found *f = san->found[i]; f; f = f->next) list[k++] = f;
    qsort(list, n, sizeof *list, worse);
    struct words *words = (struct words *)(void *)san->text;
    for (uint32_t i = 0; i < n; i++) tell_one(san, list[i], &words[i], tell, user);
    px_free(a, list, (n + 1) * sizeof *list);
    return san->clocks.lost ? PTX_ERROR_OUT_OF_MEMORY : PTX_OK;
}
