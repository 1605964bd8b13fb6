/* hot_show.c - what --hot has added up, as tables, JSON, and stacks for flame graphs; a page is hot_html.c.
 */
#include "hot_data.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fail.h"
#include "json.h"
#include "ptx_info.h"

enum { LINES_SHOWN = 20 };

typedef unsigned long long number;

double hot_ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0.0;
}

uint64_t hot_global_bytes(const struct sums *s)
{
    return s->bytes[PTX_COUNT_GLOBAL] + s->bytes[PTX_COUNT_GENERIC];
}

/* ---- occupancy ---- */

enum { MOST_REGISTERS = 255 };

/* Blocks that fit by registers: a warp gets them by 256, a multiprocessor runs a multiple of 4 warps. */
static unsigned fit_registers(ptx_device *device, unsigned threads, unsigned registers)
{
    enum { REGISTERS_PER_MULTIPROCESSOR = 82, UNIT = 256, PARTS = 4 };
    int all = 0;
    ptx_device_attribute(device, REGISTERS_PER_MULTIPROCESSOR, &all);
    const unsigned warps = (threads + HOT_WARP - 1) / HOT_WARP;
    const unsigned a_warp = (registers * HOT_WARP + UNIT - 1) / UNIT * UNIT;
    return a_warp && warps ? (unsigned)all / a_warp / PARTS * PARTS / warps : 0;
}

static bool find_module_kernel(const struct modules *modules, const char *name, ptx_kernel_info *info,
                               ptx_usage *usage)
{
    for (unsigned m = 0; m < modules->n; m++)
        for (size_t i = 0; i < ptx_module_kernel_count(modules->at[m]); i++)
            if (ptx_module_kernel(modules->at[m], i, info) == PTX_OK && strcmp(info->name, name) == 0)
                return ptx_module_kernel_usage(modules->at[m], i, usage) == PTX_OK;
    return false;
}

/* PTX's registers are virtual: a compiler needs as many as are live at once, and may use all up to .maxnreg,
 * or to what .minnctapersm leaves. --registers says how many it used. */
static void bound_registers(struct occupancy *o, ptx_device *device, const struct modules *modules,
                            const char *name, const struct options *options)
{
    ptx_kernel_info info = {.struct_size = sizeof info};
    ptx_usage usage = {.struct_size = sizeof usage};
    const bool known = find_module_kernel(modules, name, &info, &usage);
    const unsigned most = known && info.max_registers ? info.max_registers : MOST_REGISTERS;
    const unsigned live = known && usage.live_registers ? usage.live_registers : 1;
    o->registers[0] = options->registers ? options->registers : live < most ? live : most;
    o->registers[1] = options->registers ? options->registers : most;
    const unsigned easy = fit_registers(device, o->threads, o->registers[0]);
    unsigned hard = fit_registers(device, o->threads, o->registers[1]);
    if (known && !options->registers && hard < info.min_blocks) hard = info.min_blocks;
    if (easy < o->most) {
        o->most = easy;
        o->limit = "registers";
    }
    if (hard < o->least) o->least = hard;
    if (o->least > o->most) o->least = o->most;
}

/* As the command line launches the kernel; of others with the same block. */
static struct occupancy occupancy_of(ptx_device *device, ptx_program *program, const struct modules *modules,
                                     const char *name, const struct options *options)
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
    ptx_occupancy_blocks(kernel, o.threads, options->shared_bytes, &o.most);
    ptx_occupancy_blocks(kernel, 1, options->shared_bytes, &alone);
    ptx_device_attribute(device, MOST_BLOCKS, &most);
    if (alone > o.most)
        o.limit = "threads";
    else if (o.most < (unsigned)most)
        o.limit = "shared memory";
    o.least = o.most;
    bound_registers(&o, device, modules, name, options);
    return o;
}

/* ---- kernels ---- */

static uint64_t all_warps(const struct line *lines, unsigned n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++) sum += lines[i].sums.warps;
    return sum ? sum : 1;
}

static struct hot_kernel *kernels_of(const struct line *lines, unsigned nlines, unsigned *n)
{
    struct hot_kernel *list = must_alloc((nlines + 1) * sizeof *list);
    const uint64_t all = all_warps(lines, nlines);
    *n = 0;
    for (unsigned i = 0; i < nlines; i++) {
        if (!*n || strcmp(list[*n - 1].name, lines[i].kernel) != 0)
            list[(*n)++] = (struct hot_kernel){.name = lines[i].kernel, .lines = &lines[i]};
        struct hot_kernel *k = &list[*n - 1];
        hot_add(&k->sums, &lines[i].sums);
        k->n++;
        k->percent = 100 * hot_ratio(k->sums.warps, all);
    }
    return list;
}

/* ---- the text of a line ---- */

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

static char *piece(const char *text, size_t size)
{
    while (size && (*text == ' ' || *text == '\t')) text++, size--;
    char *copy = must_copy(text, size);
    for (char *c = copy; *c; c++)
        if (*c == '\t') *c = ' ';
    return copy;
}

/* Of the PTX from the module, of a source from the file, where it is found. */
char *hot_text(const struct modules *modules, const char *file, unsigned wanted)
{
    char line[400], *found = NULL;
    const char *text;
    size_t size;
    for (unsigned i = 0; i < modules->n; i++)
        if (strcmp(ptx_module_file_name(modules->at[i]), file) == 0 &&
            ptx_module_source_line(modules->at[i], wanted, &text, &size) == PTX_OK)
            return piece(text, size);
    FILE *source = open_source(modules, file);
    for (unsigned i = 1; source && !found && fgets(line, sizeof line, source);) {
        if (i == wanted) found = piece(line, strcspn(line, "\r\n"));
        if (strchr(line, '\n')) i++; /* else a part of a long line */
    }
    if (source) fclose(source);
    return found;
}

/* ---- tables ---- */

static void print_occupancy(const struct occupancy *o)
{
    char blocks[40];
    snprintf(blocks, sizeof blocks, o->least == o->most ? "%u" : "%u to %u", o->least, o->most);
    printf("  occupancy    %s blocks of %u threads on a multiprocessor, limited by %s", blocks, o->threads,
           o->limit);
    if (o->registers[0] == o->registers[1])
        printf("; %u registers a thread\n", o->registers[0]);
    else
        printf("; %u to %u registers a thread\n", o->registers[0], o->registers[1]);
}

static void print_kernel(const struct hot_kernel *k)
{
    const struct sums *s = &k->sums;
    printf("\n%s: %.1f%% of the instructions\n", k->name, k->percent);
    printf("  executed     %llu thread-instructions, %llu warp-instructions, %.1f of 32 lanes active, %llu "
           "branches divided\n",
           (number)s->threads, (number)s->warps, hot_ratio(s->threads, s->warps), (number)s->divided);
    if (s->requests)
        printf("  global       %llu requests, %llu sectors of 32 bytes (ideal %llu), %llu bytes\n",
               (number)s->requests, (number)s->sectors, (number)s->sectors_ideal,
               (number)hot_global_bytes(s));
    if (s->accesses)
        printf("  shared       %llu accesses, %llu wavefronts, %llu of them for bank conflicts, %llu bytes\n",
               (number)s->accesses, (number)s->wavefronts, (number)(s->wavefronts - s->wavefronts_ideal),
               (number)s->bytes[PTX_COUNT_SHARED]);
    if (s->bytes[PTX_COUNT_LOCAL] || s->bytes[PTX_COUNT_CONST])
        printf("  other        %llu bytes of local memory, %llu of constants\n",
               (number)s->bytes[PTX_COUNT_LOCAL], (number)s->bytes[PTX_COUNT_CONST]);
    if (s->atomics)
        printf("  atomics      %llu lanes, %llu at an address of another lane\n", (number)s->atomics,
               (number)s->collisions);
    if (s->flops || s->tensor_flops)
        printf("  operations   %llu of floating point, %llu by tensor cores, %.2f a byte of global memory\n",
               (number)s->flops, (number)s->tensor_flops,
               hot_ratio(s->flops + s->tensor_flops, hot_global_bytes(s)));
    if (k->occupancy.threads > 1) print_occupancy(&k->occupancy);
}

static void print_line(const struct modules *modules, const struct line *l, uint64_t all)
{
    enum { MOST = 60 };
    const struct sums *s = &l->sums;
    const char *slash = strrchr(l->file, '/');
    char sectors[48] = "", banks[48] = "", atomics[48] = "";
    if (s->requests)
        snprintf(sectors, sizeof sectors, "%llu (%llu)", (number)s->sectors, (number)s->sectors_ideal);
    if (s->accesses)
        snprintf(banks, sizeof banks, "%llu (%llu)", (number)s->wavefronts, (number)s->wavefronts_ideal);
    if (s->atomics)
        snprintf(atomics, sizeof atomics, "%llu (%llu)", (number)s->atomics, (number)s->collisions);
    printf("%6.1f %14llu %6.1f %9llu %12llu %20s %20s %16s  %s:%u", 100 * hot_ratio(s->warps, all),
           (number)s->warps, hot_ratio(s->threads, s->warps), (number)s->divided,
           (number)(s->flops + s->tensor_flops), sectors, banks, atomics, slash ? slash + 1 : l->file,
           l->number);
    char *text = hot_text(modules, l->file, l->number);
    if (text) printf("  %.*s", MOST, text);
    free(text);
    putchar('\n');
}

static void print_all(const struct hot_kernel *kernels, unsigned n, const struct modules *modules)
{
    const unsigned lines = n ? (unsigned)(kernels[n - 1].lines + kernels[n - 1].n - kernels[0].lines) : 0;
    const uint64_t all = n ? all_warps(kernels[0].lines, lines) : 1;
    for (const struct hot_kernel *k = kernels; k < kernels + n; k++) {
        print_kernel(k);
        printf("%6s %14s %6s %9s %12s %20s %20s %16s  %s\n", "%", "warp-instr.", "lanes", "divided", "FLOPs",
               "sectors (ideal)", "wavefronts (ideal)", "atomics (same)", "line");
        for (unsigned i = 0; i < k->n && i < LINES_SHOWN; i++) print_line(modules, &k->lines[i], all);
        if (k->n > LINES_SHOWN) printf("       ... and %u more lines\n", k->n - LINES_SHOWN);
    }
}

/* ---- JSON ---- */

static json_t *sums_object(const struct sums *s, double percent)
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
    json_t *object =
        json_pack("{s:f,s:f,s:f,s:o}", "percent", percent, "lanes", hot_ratio(s->threads, s->warps),
                  "intensity", hot_ratio(s->flops + s->tensor_flops, hot_global_bytes(s)), "bytes", bytes);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].name, json_integer((json_int_t)numbers[i].value));
    return object;
}

static json_t *kernel_object(const struct hot_kernel *k, uint64_t all)
{
    const struct occupancy *o = &k->occupancy;
    json_t *object = sums_object(&k->sums, k->percent), *lines = json_array();
    for (unsigned i = 0; i < k->n; i++) {
        const struct line *l = &k->lines[i];
        json_t *line = sums_object(&l->sums, 100 * hot_ratio(l->sums.warps, all));
        json_object_set_new(line, "file", json_text(l->file));
        json_object_set_new(line, "line", json_integer(l->number));
        json_array_append_new(lines, line);
    }
    json_object_set_new(object, "kernel", json_text(k->name));
    json_object_set_new(object, "occupancy",
                        json_pack("{s:i,s:i,s:i,s:i,s:s,s:[i,i]}", "blocks", (int)o->most, "least_blocks",
                                  (int)o->least, "threads", (int)o->threads, "shared_bytes", o->shared,
                                  "limit", o->limit, "registers", (int)o->registers[0],
                                  (int)o->registers[1]));
    json_object_set_new(object, "lines", lines);
    return object;
}

static void write_json(const struct hot_kernel *kernels, unsigned n, uint64_t all, FILE *file)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < n; i++) json_array_append_new(list, kernel_object(&kernels[i], all));
    json_dumpf(list, file, JSON_INDENT(1));
    fputc('\n', file);
    json_decref(list);
}

/* ---- stacks for flame graphs ---- */

/* "kernel;function;file:line;opcode N": blanks and semicolons would be other frames. */
static void print_frame(FILE *file, const char *frame)
{
    for (; *frame; frame++) fputc(*frame == ';' || *frame == ' ' ? '_' : *frame, file);
}

static void write_stack(void *user, const ptx_count *c)
{
    FILE *file = user;
    const bool source = c->source_line != 0;
    const char *name = source ? c->source : c->file, *slash = strrchr(name, '/');
    print_frame(file, c->kernel);
    if (strcmp(c->function, c->kernel) != 0) {
        fputc(';', file);
        print_frame(file, c->function);
    }
    fputc(';', file);
    print_frame(file, slash ? slash + 1 : name);
    fprintf(file, ":%u;", source ? c->source_line : c->line);
    print_frame(file, c->opcode);
    fprintf(file, " %llu\n", (number)c->warps);
}

/* ---- all of it ---- */

static void write_file(const struct hot_kernel *kernels, unsigned n, uint64_t all, ptx_device *device,
                       const struct modules *modules, const struct options *options)
{
    FILE *file = fopen(options->hot_file, "we");
    if (!file) fail(EXIT_USAGE, "--hot: '%s' cannot be written", options->hot_file);
    switch (options->hot_form) {
    case HOT_JSON: write_json(kernels, n, all, file); break;
    case HOT_HTML: hot_html(file, kernels, n, device, modules); break;
    case HOT_FOLDED: ptx_device_counts(device, PTX_COUNT_BY_INSTRUCTION, write_stack, file); break;
    }
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) fail(EXIT_USAGE, "--hot: '%s' cannot be written", options->hot_file);
}

void hot_report(struct hot *hot, ptx_device *device, ptx_program *program, const struct modules *modules,
                const struct options *options)
{
    unsigned nlines, n;
    const struct line *lines = hot_lines(hot, device, &nlines);
    struct hot_kernel *kernels = kernels_of(lines, nlines, &n);
    for (unsigned i = 0; i < n; i++)
        kernels[i].occupancy = occupancy_of(device, program, modules, kernels[i].name, options);
    if (options->hot_file)
        write_file(kernels, n, all_warps(lines, nlines), device, modules, options);
    else
        print_all(kernels, n, modules);
    free(kernels);
}
