/* hot.c - see hot.h.
 *
 * Instructions come from the device's counters (ptx_counts.h), memory patterns from the trace: of each access
 * of a warp the 32-byte sectors of global memory that it touches, and the passes that 32 banks of shared
 * memory need for it. Each worker has a table of its own, by place in the PTX; they are added up at the end,
 * and joined with the counters by file and line. */
#include "hot_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"

enum {
    WARP = 32,
    LANES = 256,
    SECTOR = 32,
    BANKS = 32,
    WORD = 4,
    WORKERS = 4096,
    PLACES = 1024,
    LINES_SHOWN = 20
};

/*
 * Where the lanes of an access lay last, from the first one's address on, and what that means for each
 * place of the first one in a sector: patterns repeat, and moving all lanes alike changes nothing else.
 */
struct pattern {
    unsigned nlanes; /* LANES more: all are at one address */
    uint64_t from_first[LANES];
    uint64_t times[SECTOR]; /* that it was met and is not added up yet; 0: `of` is not known */
    struct sums of[SECTOR];
};

struct place {
    const ptx_trace_place *at; /* NULL: free */
    struct pattern *pattern;   /* NULL: none yet */
    struct warp_access access;
    struct sums sums;
};

struct table {
    struct place *places;
    unsigned n, size;
};

struct hot {
    struct table workers[WORKERS];
    struct line *lines;
    unsigned nlines;
};

struct hot *hot_open(const struct options *options)
{
    return options->hot ? must_alloc(sizeof(struct hot)) : NULL;
}

void hot_close(struct hot *hot)
{
    if (!hot) return;
    for (unsigned i = 0; i < WORKERS; i++) {
        for (unsigned k = 0; k < hot->workers[i].size; k++) free(hot->workers[i].places[k].pattern);
        free(hot->workers[i].places);
    }
    for (unsigned i = 0; i < hot->nlines; i++) {
        free(hot->lines[i].kernel);
        free(hot->lines[i].file);
    }
    free(hot->lines);
    free(hot);
}

void hot_add(struct sums *to, const struct sums *more)
{
    uint64_t *t = (uint64_t *)to;
    const uint64_t *m = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *to / sizeof *t; i++) t[i] += m[i];
}

/* ---- the trace ---- */

static struct place *find(struct table *t, const ptx_trace_place *at)
{
    unsigned i = (unsigned)((uintptr_t)at / 16) & (t->size - 1);
    while (t->places[i].at && t->places[i].at != at) i = (i + 1) & (t->size - 1);
    return &t->places[i];
}

static struct place *place_at(struct table *t, const ptx_trace_place *at)
{
    if (2 * t->n >= t->size) {
        struct table larger = {must_alloc((t->size ? 2ul * t->size : PLACES) * sizeof *t->places), t->n,
                               t->size ? 2 * t->size : PLACES};
        for (unsigned i = 0; i < t->size; i++)
            if (t->places[i].at) *find(&larger, t->places[i].at) = t->places[i];
        free(t->places);
        *t = larger;
    }
    struct place *p = find(t, at);
    if (!p->at) t->n++;
    p->at = at;
    return p;
}

/* Different values of a list, in place; how many. Most lists rise. */
static unsigned distinct(uint64_t *values, unsigned n)
{
    if (!n) return 0;
    uint64_t largest = values[0];
    unsigned found = 1;
    for (unsigned i = 1; i < n; i++) {
        const uint64_t value = values[i];
        unsigned k = value > largest ? found : 0;
        if (value == values[found - 1]) continue;
        while (k < found && values[k] != value) k++;
        if (value > largest) largest = value;
        if (k == found) values[found++] = value;
    }
    return found;
}

/* Are all lanes at one address, or each behind the one before it? They are most accesses. */
static bool is_row(const ptx_trace_lane *lanes, unsigned n, bool *same)
{
    const uint64_t step = n > 1 ? lanes[1].address - lanes[0].address : lanes->bytes;
    *same = step == 0;
    if (step && step != lanes->bytes) return false;
    for (unsigned i = 2; i < n; i++)
        if (lanes[i].address - lanes[i - 1].address != step) return false;
    return true;
}

/* Lanes of one warp, all of as many bytes. */
static void global(struct sums *s, const ptx_trace_lane *lanes, unsigned n)
{
    uint64_t sectors[2 * WARP], addresses[WARP];
    unsigned k = 0;
    bool same;
    s->requests++;
    if (is_row(lanes, n, &same)) {
        const uint64_t bytes = (same ? 1 : n) * (uint64_t)lanes->bytes, from = lanes->address;
        s->sectors += (from + bytes - 1) / SECTOR - from / SECTOR + 1;
        s->sectors_ideal += (bytes + SECTOR - 1) / SECTOR;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        addresses[i] = lanes[i].address;
        sectors[k++] = lanes[i].address / SECTOR;
        sectors[k++] = (lanes[i].address + lanes[i].bytes - 1) / SECTOR;
    }
    s->sectors += distinct(sectors, k);
    s->sectors_ideal += (distinct(addresses, n) * (uint64_t)lanes->bytes + SECTOR - 1) / SECTOR;
}

/* Passes that the banks need for lanes that go together: words of one bank go one after the other. */
static unsigned passes(const ptx_trace_lane *lanes, unsigned n)
{
    uint64_t words[BANKS * 4];
    unsigned of_bank[BANKS] = {0}, k = 0, most = 0;
    bool same;
    if (is_row(lanes, n, &same) && lanes->bytes >= WORD) return 1; /* the group is no wider than the banks */
    for (unsigned i = 0; i < n; i++)
        for (unsigned b = 0; b < lanes[i].bytes && k < BANKS * 4; b += WORD)
            words[k++] = (lanes[i].address + b) / WORD;
    k = distinct(words, k);
    for (unsigned i = 0; i < k; i++)
        if (++of_bank[words[i] % BANKS] > most) most = of_bank[words[i] % BANKS];
    return most;
}

/* Wider accesses than a word go by halves or quarters of the warp. */
static void shared(struct sums *s, const ptx_trace_lane *lanes, unsigned n)
{
    const unsigned group = lanes->bytes <= WORD ? WARP : lanes->bytes <= 8 ? WARP / 2 : WARP / 4;
    s->accesses++;
    for (unsigned i = 0, k; i < n; i += k) {
        for (k = 1; i + k < n && lanes[i + k].thread / group == lanes[i].thread / group;) k++;
        s->wavefronts += passes(lanes + i, k);
        s->wavefronts_ideal++;
    }
}

static void atomics(struct sums *s, const ptx_trace_lane *lanes, unsigned n)
{
    uint64_t addresses[WARP];
    for (unsigned i = 0; i < n; i++) addresses[i] = lanes[i].address;
    s->atomics += n;
    s->collisions += n - distinct(addresses, n);
}

/* Keeps the first warp's addresses of an access. */
static void sample(struct place *p, ptx_count_space reached, const ptx_trace_lane *lanes, unsigned n)
{
    if (p->access.n || (reached != PTX_COUNT_GLOBAL && reached != PTX_COUNT_SHARED)) return;
    p->access.reached = reached;
    p->access.bytes = lanes->bytes;
    while (p->access.n < n && p->access.n < WARP &&
           lanes[p->access.n].thread / WARP == lanes->thread / WARP) {
        p->access.address[p->access.n] = lanes[p->access.n].address;
        p->access.n++;
    }
}

static void add_access(struct sums *s, unsigned how, ptx_count_space reached, const ptx_trace_lane *lanes,
                       unsigned nlanes)
{
    enum { BOTH = PTX_TRACE_READ | PTX_TRACE_WRITE };
    for (unsigned i = 0, n; i < nlanes; i += n) {
        const ptx_trace_lane *l = lanes + i;
        for (n = 1; i + n < nlanes && n < WARP && l[n].thread / WARP == l->thread / WARP;) n++;
        if (reached == PTX_COUNT_GLOBAL) global(s, l, n);
        if (reached == PTX_COUNT_SHARED) shared(s, l, n);
        if ((how & BOTH) == BOTH && !(how & PTX_TRACE_MBARRIER)) atomics(s, l, n);
    }
}

void hot_access(void *user, const ptx_trace_access *a)
{
    struct hot *hot = user;
    struct place *p = place_at(&hot->workers[a->worker % WORKERS], a->at);
    sample(p, a->reached, a->lanes, a->nlanes);
    add_access(&p->sums, a->how, a->reached, a->lanes, a->nlanes);
}

/* ---- whole rows ---- */

typedef uint64_t words __attribute__((vector_size(64), aligned(8), may_alias));

/* Whether lanes lie as a pattern has them. */
static inline __attribute__((always_inline)) bool lie_so(const uint64_t *from_first, const uint64_t *address,
                                                         unsigned n)
{
    const uint64_t first = address[0];
    words differ[2] = {{0}, {0}};
    unsigned i = 0;
    uint64_t rest = 0;
    for (; i + 16 <= n; i += 16) {
        differ[0] |= (*(const words *)&address[i] - first) ^ *(const words *)&from_first[i];
        differ[1] |= (*(const words *)&address[i + 8] - first) ^ *(const words *)&from_first[i + 8];
    }
    differ[0] |= differ[1];
    for (; i < n; i++) rest |= (address[i] - first) ^ from_first[i];
    for (unsigned k = 0; k < 8; k++) rest |= differ[0][k];
    return rest == 0;
}

#ifdef __x86_64__
static __attribute__((target("avx512f"))) bool lie_so_avx512(const uint64_t *from_first,
                                                             const uint64_t *address, unsigned n)
{
    return lie_so(from_first, address, n);
}
#endif

static bool is_like(const struct pattern *p, const ptx_trace_rows *r)
{
    if (r->same || p->nlanes != r->nlanes) return r->same && p->nlanes == r->nlanes + LANES;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) return lie_so_avx512(p->from_first, r->address, r->nlanes);
#endif
    return lie_so(p->from_first, r->address, r->nlanes);
}

/* What was met and counted goes into the sums of its place. */
static void settle(struct place *p)
{
    struct pattern *known = p->pattern;
    for (unsigned turn = 0; known && turn < SECTOR; turn++) {
        uint64_t *of = (uint64_t *)&known->of[turn];
        for (size_t i = 0; i < sizeof(struct sums) / sizeof *of; i++) of[i] *= known->times[turn];
        if (known->times[turn]) hot_add(&p->sums, &known->of[turn]);
        known->times[turn] = 0;
    }
}

static void learn(struct place *p, const ptx_trace_rows *r)
{
    const uint64_t *address = r->address;
    settle(p);
    p->pattern->nlanes = r->nlanes + (r->same ? LANES : 0);
    for (unsigned i = 0; i < r->nlanes && !r->same; i++) p->pattern->from_first[i] = address[i] - address[0];
}

static bool are_all(const ptx_trace_rows *r)
{
    for (unsigned i = 0; i < r->nlanes; i += 64) {
        const unsigned left = r->nlanes - i;
        const uint64_t all = left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;
        if ((r->active[i / 64] & all) != all) return false;
    }
    return true;
}

/* As lanes of their own, which is what hot_access hears. */
static void add_rows(struct place *p, struct sums *s, const ptx_trace_rows *r)
{
    ptx_trace_lane lanes[LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < r->nlanes; i++)
        if (r->active[i / 64] >> i % 64 & 1)
            lanes[n++] = (ptx_trace_lane){r->address[r->same ? 0 : i] + r->offset, i, r->bytes};
    if (n) sample(p, r->reached, lanes, n);
    add_access(s, r->how, r->reached, lanes, n);
}

/* In shared memory a move by whole words only turns the banks. */
static unsigned turn_of(const ptx_trace_rows *r)
{
    const uint64_t first = r->address[0] + r->offset;
    return (unsigned)(r->reached == PTX_COUNT_SHARED ? first % WORD : first % SECTOR);
}

void hot_rows(void *user, const ptx_trace_rows *r)
{
    struct hot *hot = user;
    struct place *p = place_at(&hot->workers[r->worker % WORKERS], r->at);
    if (r->nlanes > LANES || !are_all(r)) {
        add_rows(p, &p->sums, r);
        return;
    }
    if (!p->pattern) p->pattern = must_alloc(sizeof *p->pattern);
    struct pattern *known = p->pattern;
    const unsigned turn = turn_of(r);
    if (!is_like(known, r)) learn(p, r);
    if (known->times[turn]++) return;
    known->of[turn] = (struct sums){0};
    add_rows(p, &known->of[turn], r);
}

/* ---- the counters ---- */

/* Floating-point operations of an instruction by each thread; *tensor: of a matrix product, by each warp. */
static uint64_t flops_of(const char *opcode, bool *tensor)
{
    static const char *const twice[] = {"fma.", "mad."}, *const once[] = {"add.", "sub.",  "mul.",   "div.",
                                                                          "rcp.", "sqrt.", "rsqrt.", "ex2.",
                                                                          "lg2.", "sin.",  "cos.",   "tanh."};
    const char *type = strstr(opcode, ".f16"), *shape = strstr(opcode, ".m");
    unsigned m, n, k;
    *tensor = strstr(opcode, "mma.") && shape && sscanf(shape, ".m%un%uk%u", &m, &n, &k) == 3;
    if (*tensor) return 2ull * m * n * k;
    const uint64_t lanes = strstr(opcode, "16x2") ? 2 : 1;
    if (!type) type = strstr(opcode, ".bf16");
    if (!type) type = strstr(opcode, ".f32");
    if (!type) type = strstr(opcode, ".f64");
    if (!type) return 0;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (strncmp(opcode, twice[i], 4) == 0) return 2 * lanes;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (strncmp(opcode, once[i], strlen(once[i])) == 0) return lanes;
    return 0;
}

static struct line *line_of(struct hot *hot, const char *kernel, const char *file, unsigned number)
{
    for (unsigned i = 0; i < hot->nlines; i++) {
        struct line *l = &hot->lines[i];
        if (l->number == number && strcmp(l->file, file) == 0 && strcmp(l->kernel, kernel) == 0) return l;
    }
    hot->lines = must_grow(hot->lines, (hot->nlines + 1) * sizeof *hot->lines);
    struct line *l = &hot->lines[hot->nlines++];
    *l = (struct line){
        .kernel = must_copy(kernel, strlen(kernel)), .file = must_copy(file, strlen(file)), .number = number};
    return l;
}

static void count(void *user, const ptx_count *c)
{
    bool tensor;
    const uint64_t flops = flops_of(c->opcode, &tensor);
    const bool source = c->source_line != 0;
    struct line *l =
        line_of(user, c->kernel, source ? c->source : c->file, source ? c->source_line : c->line);
    struct sums more = {.threads = c->threads, .warps = c->warps, .divided = c->divided};
    for (int i = 0; i < PTX_COUNT_SPACES; i++) more.bytes[i] = c->read[i] + c->written[i];
    *(tensor ? &more.tensor_flops : &more.flops) = flops * (tensor ? c->warps : c->threads);
    hot_add(&l->sums, &more);
}

/* "x.cu:12 (inlined at ...)": the file and the line; else those of the PTX. */
static void add_place(struct hot *hot, const struct place *p)
{
    const char *source = p->at->source, *end = source + strcspn(source, " "), *colon = end;
    while (colon > source && *colon != ':') colon--;
    char *file = colon > source ? must_copy(source, (unsigned long)(colon - source))
                                : must_copy(p->at->file, strlen(p->at->file));
    const unsigned number = colon > source ? (unsigned)strtoul(colon + 1, NULL, 10) : p->at->line;
    struct line *l = line_of(hot, p->at->kernel, file, number);
    struct warp_access access = p->access;
    access.cost = access.reached == PTX_COUNT_SHARED ? p->sums.wavefronts : p->sums.sectors;
    if (access.n && (!l->access.n || access.cost > l->access.cost)) l->access = access;
    hot_add(&l->sums, &p->sums);
    free(file);
}

static int costlier(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const int by_kernel = strcmp(x->kernel, y->kernel);
    if (x->kernel_warps != y->kernel_warps) return x->kernel_warps < y->kernel_warps ? 1 : -1;
    if (by_kernel) return by_kernel;
    if (x->sums.warps != y->sums.warps) return x->sums.warps < y->sums.warps ? 1 : -1;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->file, y->file);
}

static void collect(struct hot *hot, ptx_device *device)
{
    if (hot->nlines) return;
    const ptx_status status = ptx_device_counts(device, PTX_COUNT_BY_INSTRUCTION, count, hot);
    if (status != PTX_OK) fail(EXIT_STOPPED, "--hot: %s", ptx_status_name(status));
    for (unsigned w = 0; w < WORKERS; w++)
        for (unsigned i = 0; i < hot->workers[w].size; i++)
            if (hot->workers[w].places[i].at) {
                settle(&hot->workers[w].places[i]);
                add_place(hot, &hot->workers[w].places[i]);
            }
    for (unsigned i = 0; i < hot->nlines; i++)
        for (unsigned k = 0; k < hot->nlines; k++)
            if (strcmp(hot->lines[i].kernel, hot->lines[k].kernel) == 0)
                hot->lines[i].kernel_warps += hot->lines[k].sums.warps;
    qsort(hot->lines, hot->nlines, sizeof *hot->lines, costlier);
}

const struct line *hot_lines(struct hot *hot, ptx_device *device, unsigned *n)
{
    collect(hot, device);
    *n = hot->nlines;
    return hot->lines;
}
