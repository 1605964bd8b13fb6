/* hot.c - see hot.h.
 *
 * Instructions come from the device's counters (ptx_counts.h), memory patterns from the trace: of each access
 * of a warp the 32-byte sectors of global memory that it touches, and the passes that 32 banks of shared
 * memory need for it. Each worker has a table of its own, by place in the PTX; they are added up at the end,
 * and joined with the counters by file and line. */
#include "hot.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fail.h"
#include "json.h"
#include "ptx_counts.h"
#include "ptx_info.h"

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

/* ---- what is added up ---- */

struct sums {
    uint64_t threads, warps, divided;                /* executed: by thread, by warp; branches that divided */
    uint64_t requests, sectors, sectors_ideal;       /* of global memory, by warp */
    uint64_t accesses, wavefronts, wavefronts_ideal; /* of shared memory, by warp */
    uint64_t atomics, collisions;     /* lanes; those whose address another lane of the warp has */
    uint64_t bytes[PTX_COUNT_SPACES]; /* read and written */
    uint64_t flops, tensor_flops;
};

struct line {
    char *kernel, *file; /* file: of the source by .loc, or the PTX */
    unsigned number;
    uint64_t kernel_warps; /* of all lines of the kernel */
    struct sums sums;
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

static void add(struct sums *to, const struct sums *more)
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
        if (known->times[turn]) add(&p->sums, &known->of[turn]);
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
static void add_rows(struct sums *s, const ptx_trace_rows *r)
{
    ptx_trace_lane lanes[LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < r->nlanes; i++)
        if (r->active[i / 64] >> i % 64 & 1)
            lanes[n++] = (ptx_trace_lane){r->address[r->same ? 0 : i] + r->offset, i, r->bytes};
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
        add_rows(&p->sums, r);
        return;
    }
    if (!p->pattern) p->pattern = must_alloc(sizeof *p->pattern);
    struct pattern *known = p->pattern;
    const unsigned turn = turn_of(r);
    if (!is_like(known, r)) learn(p, r);
    if (known->times[turn]++) return;
    known->of[turn] = (struct sums){0};
    add_rows(&known->of[turn], r);
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
    add(&l->sums, &more);
}

/* "x.cu:12 (inlined at ...)": the file and the line; else those of the PTX. */
static void add_place(struct hot *hot, const struct place *p)
{
    const char *source = p->at->source, *end = source + strcspn(source, " "), *colon = end;
    while (colon > source && *colon != ':') colon--;
    char *file = colon > source ? must_copy(source, (unsigned long)(colon - source))
                                : must_copy(p->at->file, strlen(p->at->file));
    const unsigned number = colon > source ? (unsigned)strtoul(colon + 1, NULL, 10) : p->at->line;
    add(&line_of(hot, p->at->kernel, file, number)->sums, &p->sums);
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

/* Fills the lines: those of a kernel stand together, the costliest first. */
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

/* A kernel's lines are [from, to); their sums. */
static unsigned kernel_end(const struct hot *hot, unsigned from, struct sums *all)
{
    unsigned to = from;
    *all = (struct sums){0};
    for (; to < hot->nlines && strcmp(hot->lines[to].kernel, hot->lines[from].kernel) == 0; to++)
        add(all, &hot->lines[to].sums);
    return to;
}

static uint64_t all_warps(const struct hot *hot)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < hot->nlines; i++) sum += hot->lines[i].sums.warps;
    return sum ? sum : 1;
}

/* ---- occupancy ---- */

struct occupancy {
    unsigned blocks, threads; /* of a multiprocessor; of a block */
    int shared;               /* bytes of a block, static and dynamic */
    const char *limit;        /* what allows no more */
};

/* As the command line launches the kernel; of others with the same block. */
static struct occupancy occupancy_of(ptx_device *device, ptx_program *program, const char *name,
                                     const struct options *options)
{
    enum { STATIC_SHARED = 1, MOST_BLOCKS = 106 }; /* CUfunction_attribute, CUdevice_attribute */
    struct occupancy o = {.threads = options->block[0] * options->block[1] * options->block[2],
                          .limit = "blocks"};
    ptx_kernel *kernel;
    unsigned alone = 0;
    int most = 0;
    if (ptx_program_kernel(program, name, &kernel) != PTX_OK) return o;
    ptx_kernel_attribute(kernel, STATIC_SHARED, &o.shared);
    o.shared += (int)options->shared_bytes;
    ptx_occupancy_blocks(kernel, o.threads, options->shared_bytes, &o.blocks);
    ptx_occupancy_blocks(kernel, 1, options->shared_bytes, &alone);
    ptx_device_attribute(device, MOST_BLOCKS, &most);
    if (alone > o.blocks)
        o.limit = "threads";
    else if (o.blocks < (unsigned)most)
        o.limit = "shared memory";
    return o;
}

/* ---- text ---- */

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0.0;
}

static uint64_t global_bytes(const struct sums *s)
{
    return s->bytes[PTX_COUNT_GLOBAL] + s->bytes[PTX_COUNT_GENERIC];
}

typedef unsigned long long number;

static void print_kernel(const char *name, const struct sums *s, uint64_t all, const struct occupancy *o)
{
    printf("\n%s: %.1f%% of the instructions\n", name, 100 * ratio(s->warps, all));
    printf("  executed     %llu thread-instructions, %llu warp-instructions, %.1f of 32 lanes active, %llu "
           "branches divided\n",
           (number)s->threads, (number)s->warps, ratio(s->threads, s->warps), (number)s->divided);
    if (s->requests)
        printf("  global       %llu requests, %llu sectors of 32 bytes (ideal %llu), %llu bytes\n",
               (number)s->requests, (number)s->sectors, (number)s->sectors_ideal, (number)global_bytes(s));
    if (s->accesses)
        printf("  shared       %llu accesses, %llu wavefronts, %llu of them for bank conflicts, %llu bytes\n",
               (number)s->accesses, (number)s->wavefronts, (number)(s->wavefronts - s->wavefronts_ideal),
               (number)s->bytes[PTX_COUNT_SHARED]);
    if (s->atomics)
        printf("  atomics      %llu lanes, %llu at an address of another lane\n", (number)s->atomics,
               (number)s->collisions);
    if (s->flops || s->tensor_flops)
        printf("  operations   %llu of floating point, %llu by tensor cores, %.2f a byte of global memory\n",
               (number)s->flops, (number)s->tensor_flops, ratio(s->flops + s->tensor_flops, global_bytes(s)));
    if (o->threads > 1)
        printf("  occupancy    %u blocks of %u threads on a multiprocessor, limited by %s (registers are "
               "PTX's, and not counted)\n",
               o->blocks, o->threads, o->limit);
}

/* At most so many characters of a text, tabs as blanks. */
static void print_piece(const char *text, size_t size)
{
    enum { MOST = 60 };
    while (size && (*text == ' ' || *text == '\t')) text++, size--;
    printf("  ");
    for (size_t i = 0; i < size && i < MOST; i++) putchar(text[i] == '\t' ? ' ' : text[i]);
}

/* A module may name a device or a pipe, which has no end. NULL: it is no file. */
static FILE *open_regular(const char *file)
{
    struct stat is;
    return stat(file, &is) == 0 && S_ISREG(is.st_mode) ? fopen(file, "re") : NULL;
}

/* The file of a source, as .loc has it or beside a module; NULL: it is not there. */
static FILE *open_source(const struct modules *modules, const char *file)
{
    FILE *found = open_regular(file);
    for (unsigned i = 0; !found && i < modules->n; i++) {
        const char *module = ptx_module_file_name(modules->at[i]), *slash = strrchr(module, '/');
        char *beside = must_print("%.*s%s", slash ? (int)(slash + 1 - module) : 0, module, file);
        found = open_regular(beside);
        free(beside);
    }
    return found;
}

/* The text of a line: of the PTX from the module, of a source from the file, where it is found. */
static void print_text(const struct modules *modules, const char *file, unsigned wanted)
{
    char line[200];
    const char *text;
    size_t size;
    for (unsigned i = 0; i < modules->n; i++) {
        if (strcmp(ptx_module_file_name(modules->at[i]), file) != 0) continue;
        if (ptx_module_source_line(modules->at[i], wanted, &text, &size) != PTX_OK) continue;
        print_piece(text, size);
        return;
    }
    FILE *source = open_source(modules, file);
    for (unsigned i = 1; source && fgets(line, sizeof line, source);) {
        if (i == wanted) {
            print_piece(line, strcspn(line, "\r\n"));
            break;
        }
        if (strchr(line, '\n')) i++; /* else a part of a long line */
    }
    if (source) fclose(source);
}

static void print_line(const struct modules *modules, const struct line *l, uint64_t all)
{
    const struct sums *s = &l->sums;
    const char *slash = strrchr(l->file, '/');
    char sectors[48] = "", banks[48] = "";
    if (s->requests)
        snprintf(sectors, sizeof sectors, "%llu (%llu)", (number)s->sectors, (number)s->sectors_ideal);
    if (s->accesses)
        snprintf(banks, sizeof banks, "%llu (%llu)", (number)s->wavefronts, (number)s->wavefronts_ideal);
    printf("%6.1f %14llu %6.1f %9llu %20s %20s  %s:%u", 100 * ratio(s->warps, all), (number)s->warps,
           ratio(s->threads, s->warps), (number)s->divided, sectors, banks, slash ? slash + 1 : l->file,
           l->number);
    print_text(modules, l->file, l->number);
    putchar('\n');
}

static void print_all(struct hot *hot, ptx_device *device, ptx_program *program,
                      const struct modules *modules, const struct options *options)
{
    const uint64_t all = all_warps(hot);
    struct sums sums;
    for (unsigned from = 0, to; from < hot->nlines; from = to) {
        to = kernel_end(hot, from, &sums);
        const struct occupancy o = occupancy_of(device, program, hot->lines[from].kernel, options);
        print_kernel(hot->lines[from].kernel, &sums, all, &o);
        printf("%6s %14s %6s %9s %20s %20s  %s\n", "%", "warp-instr.", "lanes", "divided", "sectors (ideal)",
               "wavefronts (ideal)", "line");
        for (unsigned i = from; i < to && i < from + LINES_SHOWN; i++)
            print_line(modules, &hot->lines[i], all);
        if (to - from > LINES_SHOWN) printf("       ... and %u more lines\n", to - from - LINES_SHOWN);
    }
}

/* ---- JSON ---- */

static json_t *sums_object(const struct sums *s, uint64_t all)
{
    static const char *const spaces[] = {"generic", "global", "shared", "local", "const", "param"};
    json_t *bytes = json_object();
    for (int i = 0; i < PTX_COUNT_SPACES; i++)
        if (s->bytes[i]) json_object_set_new(bytes, spaces[i], json_integer((json_int_t)s->bytes[i]));
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"threads", s->threads},
                   {"warps", s->warps},
                   {"divided", s->divided},
                   {"requests", s->requests},
                   {"sectors", s->sectors},
                   {"sectors_ideal", s->sectors_ideal},
                   {"shared_accesses", s->accesses},
                   {"wavefronts", s->wavefronts},
                   {"wavefronts_ideal", s->wavefronts_ideal},
                   {"atomics", s->atomics},
                   {"collisions", s->collisions},
                   {"flops", s->flops},
                   {"tensor_flops", s->tensor_flops}};
    json_t *object = json_pack("{s:f,s:f,s:o}", "percent", 100 * ratio(s->warps, all), "lanes",
                               ratio(s->threads, s->warps), "bytes", bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].name, json_integer((json_int_t)numbers[i].value));
    return object;
}

static json_t *kernel_object(struct hot *hot, unsigned from, unsigned to, const struct sums *sums,
                             const struct occupancy *o)
{
    const uint64_t all = all_warps(hot);
    json_t *object = sums_object(sums, all), *lines = json_array();
    for (unsigned i = from; i < to; i++) {
        json_t *line = sums_object(&hot->lines[i].sums, all);
        json_object_set_new(line, "file", json_text(hot->lines[i].file));
        json_object_set_new(line, "line", json_integer(hot->lines[i].number));
        json_array_append_new(lines, line);
    }
    json_object_set_new(object, "kernel", json_text(hot->lines[from].kernel));
    json_object_set_new(object, "occupancy",
                        json_pack("{s:i,s:i,s:i,s:s}", "blocks", (int)o->blocks, "threads", (int)o->threads,
                                  "shared_bytes", o->shared, "limit", o->limit));
    json_object_set_new(object, "lines", lines);
    return object;
}

static json_t *hot_json(struct hot *hot, ptx_device *device, ptx_program *program,
                        const struct options *options)
{
    json_t *kernels = json_array();
    struct sums sums;
    collect(hot, device);
    for (unsigned from = 0, to; from < hot->nlines; from = to) {
        to = kernel_end(hot, from, &sums);
        const struct occupancy o = occupancy_of(device, program, hot->lines[from].kernel, options);
        json_array_append_new(kernels, kernel_object(hot, from, to, &sums, &o));
    }
    return kernels;
}

void hot_report(struct hot *hot, ptx_device *device, ptx_program *program, const struct modules *modules,
                const struct options *options)
{
    if (!options->hot_file) {
        collect(hot, device);
        print_all(hot, device, program, modules, options);
        return;
    }
    json_t *kernels = hot_json(hot, device, program, options);
    if (json_dump_file(kernels, options->hot_file, JSON_INDENT(1)) != 0)
        fail(EXIT_USAGE, "--hot: '%s' cannot be written", options->hot_file);
    json_decref(kernels);
}
