/*
 * mistakes.c - parameter buffers of launches by kernels: what is stored where, and what becomes of them.
 *
 * Of each byte of a buffer the store that wrote it last is remembered. When the buffer is launched, the
 * stores are held against the kernel's parameter list.
 */
#include "cdp/found.h"
#include "lint/lint.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { TRACKED_MOST = 65536, NEAR = 64, FOUND_MOST = 2000 };

/* ---- findings ---- */

struct cdp_origin cdp_origin_of(const struct px_call *call)
{
    struct cdp_origin o = {.inst = px_call_inst(call),
                           .func = px_call_caller(call),
                           .what = call->callee->name,
                           .kernel = call->grid->kernel->name,
                           .grid = call->grid->id};
    px_call_place(call, o.cta, o.thread);
    return o;
}

static const char *keep(struct px_mistakes *m, const char *text)
{
    return px_arena_text(&m->arena, text, strlen(text));
}

static void fill_place(struct px_mistakes *m, const struct cdp_origin *o, ptx_check_side *side)
{
    struct px_source source = o->func->module->source; /* its line table is complete: nothing is built here */
    char text[600] = "";
    const struct px_place at = o->inst ? px_source_place(&source, o->inst->pos) : (struct px_place){0};
    if (o->inst) px_print_inst(o->inst, text, sizeof text);
    side->instruction = keep(m, text);
    *text = 0;
    if (o->inst) px_place_source(o->func, o->inst, text, sizeof text);
    side->source = keep(m, text);
    side->function = keep(m, o->func->name);
    side->file = keep(m, source.file);
    side->line = at.line;
    side->column = at.column;
}

static ptx_check_side side_of(struct px_mistakes *m, const struct cdp_origin *o)
{
    ptx_check_side side = {.grid = o->grid, .kernel = keep(m, o->kernel)};
    side.access = o->at ? keep(m, o->what) : px_arena_printf(&m->arena, "call of %s", o->what);
    memcpy(side.cta, o->cta, sizeof side.cta);
    memcpy(side.thread, o->thread, sizeof side.thread);
    if (!o->at) {
        fill_place(m, o, &side);
        return side;
    }
    side.function = keep(m, o->at->function);
    side.instruction = keep(m, o->at->instruction);
    side.file = keep(m, o->at->file);
    side.source = keep(m, o->at->source);
    side.line = o->at->line;
    side.column = o->at->column;
    return side;
}

static const void *place_key(const struct cdp_origin *o)
{
    return o->at ? (const void *)o->at : o->inst;
}

static void add_found(struct px_mistakes *m, const struct cdp_saying *s, const struct cdp_origin *first,
                      const struct cdp_origin *second, const char *message)
{
    jmp_buf failure;
    m->arena.on_failure = &failure;
    m->lost |= setjmp(failure) != 0;
    if (m->lost) return;
    struct cdp_found *f = PX_NEW(&m->arena, struct cdp_found);
    f->key = place_key(first);
    f->is = (ptx_check_finding){.struct_size = sizeof f->is,
                                .kind = PTX_FOUND_LAUNCH,
                                .severity = s->warning ? PTX_WARNING : PTX_ERROR,
                                .code = s->code,
                                .message = keep(m, message),
                                .help = s->help,
                                .nsides = second ? 2 : 1,
                                .count = 1,
                                .variable = "",
                                .memory = "",
                                .made = "",
                                .freed = "",
                                .caller = ""};
    f->is.side[0] = side_of(m, first);
    if (second) f->is.side[1] = side_of(m, second);
    *(m->last ? &m->last->next : &m->found) = f;
    m->last = f;
    m->nfound++;
}

void cdp_found(struct px_mistakes *m, const struct cdp_saying *s, const struct cdp_origin *first,
               const struct cdp_origin *second, const char *format, ...)
{
    char message[500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct cdp_found *f = m->found;
    const bool many = m->nfound >= FOUND_MOST; /* then one more of a place is like the first one there */
    while (f && (f->key != place_key(first) ||
                 strcmp(many ? f->is.code : f->is.message, many ? s->code : message) != 0))
        f = f->next;
    if (f)
        f->is.count++;
    else if (!many)
        add_found(m, s, first, second, message);
}

/* ---- the object ---- */

struct px_mistakes *px_mistakes_new(const ptx_allocator *alloc, const struct px_mistakes_next *next)
{
    struct px_mistakes *m = px_zalloc(alloc, sizeof *m);
    if (!m) return NULL;
    m->alloc = *alloc;
    m->next = *next;
    px_arena_init(&m->arena, &m->alloc, NULL);
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

static void free_watched(struct px_mistakes *m, struct cdp_watched *w)
{
    px_free(&m->alloc, w->stores, w->tracked * sizeof *w->stores);
    px_free(&m->alloc, w, sizeof *w);
}

void px_mistakes_free(struct px_mistakes *m)
{
    if (!m) return;
    for (size_t i = 0; i < CDP_WATCHED_BUCKETS; i++)
        for (struct cdp_watched *w = m->watched[i], *next; w; w = next) {
            next = w->next;
            free_watched(m, w);
        }
    cdp_results_free(m);
    px_arena_free(&m->arena);
    pthread_mutex_destroy(&m->lock);
    const ptx_allocator alloc = m->alloc;
    px_free(&alloc, m, sizeof *m);
}

static struct cdp_watched **watched_at(struct px_mistakes *m, uint64_t va)
{
    struct cdp_watched **at = &m->watched[va / 16 % CDP_WATCHED_BUCKETS];
    while (*at && (*at)->va != va) at = &(*at)->next;
    return at;
}

/* Of a buffer that is still allocated, if it is watched. */
static void unwatch(struct px_mistakes *m, uint64_t va)
{
    struct cdp_watched **at = watched_at(m, va), *w = *at;
    if (!w) return;
    *at = w->next;
    free_watched(m, w);
}

void px_mistakes_forget(struct px_mistakes *m)
{
    pthread_mutex_lock(&m->lock);
    cdp_results_free(m);
    for (size_t i = 0; i < CDP_GHOSTS; i++)
        if (m->ghosts[i]) unwatch(m, m->ghosts[i]);
    for (struct cdp_found *f = m->found; f; f = f->next) f->key = NULL;
    pthread_mutex_unlock(&m->lock);
}

ptx_status px_mistakes_tell(struct px_mistakes *m, ptx_check_fn tell, void *user)
{
    for (int warnings = 0; warnings < 2; warnings++)
        for (const struct cdp_found *f = m->found; f; f = f->next)
            if ((f->is.severity == PTX_WARNING) == warnings) tell(user, &f->is);
    return m->lost ? PTX_ERROR_OUT_OF_MEMORY : PTX_OK;
}

/* ---- buffers ---- */

static void check_alignment(struct px_mistakes *m, const struct cdp_watched *w, uint64_t alignment)
{
    static const struct cdp_saying says = {
        "buffer-alignment", "cudaGetParameterBuffer takes a power of two, at least the largest of the list",
        false};
    if (alignment && !(alignment & (alignment - 1))) return;
    cdp_found(m, &says, &w->got, NULL, "alignment %" PRIu64 " is no power of two", alignment);
}

void cdp_mistake_buffer(const struct px_call *call, uint64_t va, const struct cdp_buffer *what,
                        uint64_t alignment)
{
    struct px_mistakes *m = call->grid->device->mistakes;
    if (!m || !va) return;
    pthread_mutex_lock(&m->lock);
    struct cdp_watched *w = px_zalloc(&m->alloc, sizeof *w);
    if (w) {
        w->va = va;
        w->size = what->size;
        w->kernel = what->kernel;
        w->alignment = alignment;
        w->got = cdp_origin_of(call);
        w->tracked = what->size < TRACKED_MOST ? (uint32_t)what->size : TRACKED_MOST;
        w->stores = px_zalloc(&m->alloc, w->tracked * sizeof *w->stores + !w->tracked);
        if (!w->stores) w->tracked = 0;
        struct cdp_watched **at = &m->watched[va / 16 % CDP_WATCHED_BUCKETS];
        w->next = *at;
        *at = w;
        if (!what->kernel) check_alignment(m, w, alignment);
    }
    m->lost |= !w;
    pthread_mutex_unlock(&m->lock);
}

static void drop(struct px_mistakes *m, struct ptx_device *device, uint64_t va)
{
    unwatch(m, va);
    px_heap_release(&device->buffers, va);
}

void cdp_buffer_release(struct ptx_device *device, uint64_t va)
{
    struct px_mistakes *m = device->mistakes;
    if (!m) {
        px_heap_release(&device->buffers, va);
        return;
    }
    pthread_mutex_lock(&m->lock);
    uint64_t *ghost = &m->ghosts[m->nghosts++ % CDP_GHOSTS];
    if (*ghost) drop(m, device, *ghost);
    *ghost = va;
    pthread_mutex_unlock(&m->lock);
}

void cdp_mistake_unused(struct ptx_device *device, uint64_t va)
{
    static const struct cdp_saying says = {"buffer-never-launched",
                                           "each buffer is launched once, or its launch is refused", false};
    struct px_mistakes *m = device->mistakes;
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    const struct cdp_watched *w = *watched_at(m, va);
    if (w && !w->launched && !w->tried)
        cdp_found(m, &says, &w->got, NULL, "the parameter buffer%s%s was never launched",
                  w->kernel ? " for " : "", w->kernel ? w->kernel->name : "");
    pthread_mutex_unlock(&m->lock);
}

void cdp_mistake_no_buffer(const struct px_call *call, uint64_t va)
{
    static const struct cdp_saying again = {"buffer-launched-twice", "each launch takes a buffer of its own",
                                            false},
                                   none = {"no-buffer", "it is what cudaGetParameterBuffer gave, unchanged",
                                           false};
    struct px_mistakes *m = call->grid->device->mistakes;
    if (!m || !va) return;
    const struct cdp_origin here = cdp_origin_of(call);
    pthread_mutex_lock(&m->lock);
    struct cdp_watched *w = *watched_at(m, va);
    if (w && w->launched)
        cdp_found(m, &again, &here, &w->used, "the parameter buffer was launched already");
    else if (w)
        w->tried = true;
    else
        cdp_found(m, &none, &here, NULL, "0x%" PRIx64 " is no parameter buffer", va);
    pthread_mutex_unlock(&m->lock);
}

/* ---- stores ---- */

/* Parameter that holds a byte; NULL: padding, or behind the last. */
static const struct px_symbol *param_at(const struct px_function *fn, uint64_t byte)
{
    for (uint32_t i = 0; i < fn->func->nparams; i++)
        if (byte >= fn->params[i]->offset && byte < fn->params[i]->offset + fn->params[i]->size)
            return fn->params[i];
    return NULL;
}

static const char *name_of(const struct px_symbol *s)
{
    return s->name ? s->name->text : "_";
}

static void remember(struct px_mistakes *m, struct cdp_watched *w, const struct cdp_origin *here,
                     uint32_t from, uint32_t bytes)
{
    static const struct cdp_saying part = {"param-stored-twice", "a parameter is stored once, as a whole",
                                           true};
    for (uint32_t i = from; i < from + bytes && i < w->tracked; i++) {
        const struct cdp_store *old = &w->stores[i];
        if (!old->bytes || (old->from == from && old->bytes == bytes)) continue;
        cdp_found(m, &part, here, NULL,
                  "bytes %u to %u of a parameter buffer are stored over a part of bytes %u to %u, which were "
                  "stored before",
                  from, from + bytes - 1, old->from, old->from + old->bytes - 1u);
        break;
    }
    for (uint32_t i = from; i < from + bytes && i < w->tracked; i++)
        w->stores[i] = (struct cdp_store){(uint16_t)from, (uint16_t)bytes};
}

/* What a store is about to do to a buffer that begins at w->va. */
static void store(struct px_mistakes *m, struct cdp_watched *w, const struct cdp_origin *here,
                  const ptx_trace_lane *lane)
{
    static const struct cdp_saying
        past = {"stored-past-list", "stores end where the kernel's parameter list ends", false},
        odd = {"param-alignment", "each parameter lies at a multiple of its alignment (PTX ISA, .param)",
               false},
        late = {"stored-after-launch", "the launch takes a copy of the buffer: store before it", false};
    const uint64_t from = lane->address - w->va, end = from + lane->bytes;
    const bool vector = strstr(here->at->instruction, ".v2") || strstr(here->at->instruction, ".v4");
    if (w->launched) {
        cdp_found(m, &late, here, &w->used, "a parameter buffer is stored into after its launch");
        return;
    }
    if (end > w->size) {
        cdp_found(m, &past, here, &w->got,
                  "%u bytes are stored at byte %" PRIu64 " of a parameter buffer of %" PRIu64 " bytes",
                  lane->bytes, from, w->size);
        return;
    }
    if (!vector && lane->bytes && lane->bytes <= 8 && from % lane->bytes) {
        const struct px_symbol *p = w->kernel ? param_at(w->kernel->fn, from) : NULL;
        cdp_found(m, &odd, here, &w->got, "%u bytes are stored at byte %" PRIu64 "%s%s%s", lane->bytes, from,
                  p ? ": parameter '" : ", which is no multiple of that", p ? name_of(p) : "",
                  p ? "' lies elsewhere" : "");
    }
    remember(m, w, here, (uint32_t)from, lane->bytes);
}

/* The buffer that an address lies in, or a little behind. */
static struct cdp_watched *buffer_near(struct px_mistakes *m, const struct ptx_device *device, uint64_t va)
{
    struct px_extent extent;
    for (uint64_t back = 0; back <= NEAR && va - back >= device->buffers.base; back += 8)
        if (px_heap_extent(&device->buffers, va - back, &extent)) return *watched_at(m, extent.lo);
    return NULL;
}

static struct cdp_origin origin_of_lane(const struct px_grid *grid, const ptx_trace_access *a,
                                        const ptx_trace_lane *lane, const char *what)
{
    struct cdp_origin o = {.at = a->at, .what = what, .kernel = a->at->kernel, .grid = a->grid};
    memcpy(o.cta, a->cta, sizeof o.cta);
    o.thread[0] = lane->thread % grid->block.x;
    o.thread[1] = lane->thread / grid->block.x % grid->block.y;
    o.thread[2] = lane->thread / grid->block.x / grid->block.y;
    return o;
}

static void look(struct px_mistakes *m, const struct px_cta *cta, const ptx_trace_access *a)
{
    const struct ptx_device *device = cta->grid->device;
    const struct px_heap *heap = &device->buffers;
    char what[60];
    for (unsigned i = 0; i < a->nlanes; i++) {
        const ptx_trace_lane *lane = &a->lanes[i];
        const bool in_heap = lane->address - heap->base < heap->bytes;
        struct cdp_watched *w =
            in_heap && a->how & PTX_TRACE_WRITE ? buffer_near(m, device, lane->address) : NULL;
        if (in_heap && !w) continue;
        snprintf(what, sizeof what, "%s of %u bytes", a->how & PTX_TRACE_WRITE ? "write" : "read",
                 lane->bytes);
        const struct cdp_origin here = origin_of_lane(cta->grid, a, lane, what);
        if (w)
            store(m, w, &here, lane);
        else
            cdp_result(m, cta, a, lane, &here);
    }
}

void px_mistakes_access(void *user, const ptx_trace_access *a)
{
    struct px_mistakes *m = user;
    if (a->reached == PTX_COUNT_GLOBAL) {
        pthread_mutex_lock(&m->lock);
        look(m, px_trace_cta(a), a);
        pthread_mutex_unlock(&m->lock);
    }
    if (m->next.trace) m->next.trace(m->next.user, a);
}

void px_mistakes_event(void *user, const ptx_trace_event *event)
{
    const struct px_mistakes *m = user;
    if (m->next.event) m->next.event(m->next.user, event);
}

int px_mistakes_memory(void *user, const ptx_trace_memory *event)
{
    const struct px_mistakes *m = user;
    return m->next.memory ? m->next.memory(m->next.user, event) : 0;
}

/* ---- launches ---- */

static uint32_t stored_bytes(const struct cdp_watched *w, const struct px_symbol *p)
{
    uint32_t n = 0;
    for (uint64_t i = p->offset; i < p->offset + p->size && i < w->tracked; i++) n += w->stores[i].bytes > 0;
    return n;
}

static void check_param(struct px_mistakes *m, const struct cdp_watched *w, const struct cdp_origin *here,
                        const struct px_lfunc *kernel, const struct px_symbol *p)
{
    static const struct cdp_saying never = {"param-never-stored", "each parameter of the list is stored",
                                            false},
                                   some = {"param-stored-in-part", "a parameter is stored as a whole", false};
    const uint64_t from = p->offset, last = from + p->size - 1;
    const bool plain = p->u.var->ndims == 0; /* a structure has padding */
    const char *type = px_type_info((enum px_type)p->type)->name;
    if (p->offset + p->size > w->tracked || !p->size) return;
    const uint32_t n = stored_bytes(w, p);
    if (!n)
        cdp_found(m, &never, here, &w->got,
                  "parameter '%s' of %s (.%s, bytes %" PRIu64 " to %" PRIu64 ") was never stored", name_of(p),
                  kernel->name, type, from, last);
    else if (n < p->size && plain)
        cdp_found(m, &some, here, &w->got,
                  "parameter '%s' of %s (.%s, bytes %" PRIu64 " to %" PRIu64 "): only %u bytes were stored",
                  name_of(p), kernel->name, type, from, last, n);
}

/* Stores that are no parameter's: in padding, or behind the list. */
static void check_outside(struct px_mistakes *m, const struct cdp_watched *w, const struct cdp_origin *here,
                          const struct px_lfunc *kernel)
{
    static const struct cdp_saying past = {"stored-past-list",
                                           "stores end where the kernel's parameter list ends", false},
                                   gap = {"param-alignment",
                                          "each parameter lies at a multiple of its alignment (PTX ISA, "
                                          ".param)",
                                          true};
    for (uint32_t i = 0; i < w->tracked; i++) {
        const struct cdp_store *s = &w->stores[i];
        if (!s->bytes || s->from != i) continue;
        const uint32_t end = i + s->bytes;
        if (end > kernel->fn->param_bytes)
            cdp_found(m, &past, here, &w->got,
                      "bytes %u to %u were stored; the parameters of %s end at byte %" PRIu64, i, end - 1,
                      kernel->name, kernel->fn->param_bytes);
        else if (!param_at(kernel->fn, i) && s->bytes <= 8)
            cdp_found(m, &gap, here, &w->got,
                      "bytes %u to %u were stored; no parameter of %s begins in byte %u", i, end - 1,
                      kernel->name, i);
    }
}

static uint32_t largest_alignment(const struct px_function *fn)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < fn->func->nparams; i++)
        if (fn->params[i]->align > most) most = fn->params[i]->align;
    return most;
}

static void check_size(struct px_mistakes *m, const struct cdp_watched *w, const struct cdp_origin *here,
                       const struct px_lfunc *kernel)
{
    static const struct cdp_saying
        size = {"buffer-size", "cudaGetParameterBuffer takes the bytes of the kernel's parameter list",
                false},
        align = {"buffer-alignment", "cudaGetParameterBuffer takes the largest alignment of the list", false};
    const uint64_t need = kernel->fn->param_bytes, most = largest_alignment(kernel->fn);
    if (w->kernel) return;
    if (w->size != need && w->size != (need + most - 1) / most * most)
        cdp_found(m, &size, here, &w->got,
                  "the buffer was got for %" PRIu64 " bytes; the parameters of %s are %" PRIu64, w->size,
                  kernel->name, need);
    if (w->alignment < most)
        cdp_found(m, &align, here, &w->got,
                  "the buffer was got with alignment %" PRIu64 "; the parameters of %s need %" PRIu64,
                  w->alignment, kernel->name, most);
}

static const char *shared_variable(const struct px_grid *grid, uint64_t offset)
{
    const struct px_linked *l = &grid->program->linked;
    for (uint32_t i = 0; i < l->nvars; i++) {
        const struct px_lvar *v = &l->vars[i];
        if (v->space == PX_SPACE_SHARED && v->symbol->name && offset >= v->address &&
            offset < v->address + v->size)
            return v->symbol->name->text;
    }
    return NULL;
}

/* Parameters that are addresses of memory which a child cannot reach. */
static void check_pointers(struct px_mistakes *m, const struct px_call *call, const struct cdp_origin *here,
                           const struct px_lfunc *kernel, const uint8_t *params)
{
    static const struct cdp_saying shared = {"shared-pointer",
                                             "a child reaches global memory alone: copy it there", false},
                                   local = {"local-pointer",
                                            "a child reaches global memory alone: copy it there", false};
    for (uint32_t i = 0; i < kernel->fn->func->nparams; i++) {
        const struct px_symbol *p = kernel->fn->params[i];
        uint64_t va;
        if (p->size != sizeof va || p->u.var->ndims) continue;
        memcpy(&va, params + p->offset, sizeof va);
        const enum px_window window = px_window_of(va);
        const char *name = window == PX_WIN_SHARED ? shared_variable(call->grid, va & UINT32_MAX) : NULL;
        if (window == PX_WIN_SHARED)
            cdp_found(m, &shared, here, NULL,
                      "parameter '%s' of %s is the address of byte %" PRIu64
                      " of the shared memory of a block of %s%s%s%s",
                      name_of(p), kernel->name, va & UINT32_MAX, call->grid->kernel->name, name ? " ('" : "",
                      name ? name : "", name ? "')" : "");
        else if (window == PX_WIN_LOCAL)
            cdp_found(m, &local, here, NULL,
                      "parameter '%s' of %s is the address of byte %" PRIu64
                      " of the local memory of a thread of %s",
                      name_of(p), kernel->name, (uint64_t)(va & (PX_LOCAL_MAX - 1)),
                      call->grid->kernel->name);
    }
}

static void check_stores(struct px_mistakes *m, const struct cdp_watched *w, const struct cdp_origin *here,
                         const struct px_lfunc *kernel)
{
    check_size(m, w, here, kernel);
    if (w->size < kernel->fn->param_bytes) return;
    for (uint32_t i = 0; i < kernel->fn->func->nparams; i++)
        check_param(m, w, here, kernel, kernel->fn->params[i]);
    check_outside(m, w, here, kernel);
}

void cdp_mistake_launch(const struct px_call *call, uint64_t va, const struct cdp_buffer *what,
                        const struct px_lfunc *made_for)
{
    static const struct cdp_saying other = {
        "buffer-of-another-kernel", "a buffer of cudaGetParameterBufferV2 is for the kernel given there",
        false};
    struct ptx_device *device = call->grid->device;
    struct px_mistakes *m = device->mistakes;
    if (!m || !va) return;
    const struct cdp_origin here = cdp_origin_of(call);
    pthread_mutex_lock(&m->lock);
    struct cdp_watched *w = *watched_at(m, va);
    if (w && made_for && made_for != what->kernel)
        cdp_found(m, &other, &here, &w->got, "the parameter buffer is for %s, and %s is launched with it",
                  made_for->name, what->kernel->name);
    if (w) {
        check_stores(m, w, &here, what->kernel);
        if (w->size >= what->kernel->fn->param_bytes)
            check_pointers(m, call, &here, what->kernel, px_heap_host(&device->buffers, va));
        w->tried = w->size < what->kernel->fn->param_bytes; /* it is refused */
        w->launched = !w->tried;
        w->used = here;
    }
    pthread_mutex_unlock(&m->lock);
}

void cdp_mistake_prototype(const struct px_call *call)
{
    static const struct cdp_saying says = {"runtime-prototype",
                                           "declare it as the runtime has it; ptxas --lint shows how", false};
    struct px_mistakes *m = call->grid->device->mistakes;
    struct px_lint_runtime runtime;
    if (!m || !call->callee->fn || !px_cdp_describe(call->callee->name, &runtime) ||
        px_lint_agrees(call->callee->fn, runtime.prototype))
        return;
    const struct cdp_origin here = cdp_origin_of(call);
    pthread_mutex_lock(&m->lock);
    cdp_found(m, &says, &here, NULL, "%s is declared otherwise than the runtime has it", call->callee->name);
    pthread_mutex_unlock(&m->lock);
}
