/* counts.c - see counts.h. Rows come from the library as they are to stand. */
#include "counts.h"
#include <stdlib.h>

#include <stdio.h>
#include <string.h>
#include "fail.h"
#include "json.h"
#include "ptx_counts.h"

static const char *const spaces[PTX_COUNT_SPACES] = {"generic", "global", "shared",
                                                     "local",   "const",  "param"};

static void ask(ptx_device *device, ptx_count_by by, ptx_count_fn tell, void *user)
{
    const ptx_status status = ptx_device_counts(device, by, tell, user);
    if (status != PTX_OK) fail(EXIT_STOPPED, "--counts: %s", ptx_status_name(status));
}

static uint64_t total(const uint64_t bytes[PTX_COUNT_SPACES])
{
    uint64_t sum = 0;
    for (int i = 0; i < PTX_COUNT_SPACES; i++) sum += bytes[i];
    return sum;
}

/* ---- text ---- */

struct table {
    char *kernel; /* of the last row */
};

static void headline(struct table *table, const ptx_count *c, const char *what)
{
    if (table->kernel && strcmp(table->kernel, c->kernel) == 0) return;
    free(table->kernel);
    table->kernel = must_copy(c->kernel, strlen(c->kernel));
    printf("\n%s by %s\n%16s %14s %10s %10s %14s %14s\n", c->kernel, what, "threads", "warps", "divided",
           "waits", "bytes read", "written");
}

static void numbers(const ptx_count *c)
{
    printf("%16llu %14llu %10llu %10llu %14llu %14llu  ", (unsigned long long)c->threads,
           (unsigned long long)c->warps, (unsigned long long)c->divided, (unsigned long long)c->waits,
           (unsigned long long)total(c->read), (unsigned long long)total(c->written));
}

static void print_opcode(void *user, const ptx_count *c)
{
    headline(user, c, "opcode");
    numbers(c);
    printf("%s\n", c->opcode);
}

static void print_line(void *user, const ptx_count *c)
{
    headline(user, c, "line");
    numbers(c);
    printf("%s:%u\n", c->file, c->line);
}

static void print_kernel(void *user, const ptx_count *c)
{
    (void)user;
    printf("\n%s: %llu thread-instructions, %llu warp-instructions, %llu divided branches, %llu waits\n",
           c->kernel, (unsigned long long)c->threads, (unsigned long long)c->warps,
           (unsigned long long)c->divided, (unsigned long long)c->waits);
    for (int i = 0; i < PTX_COUNT_SPACES; i++)
        if (c->read[i] || c->written[i])
            printf("  %-8s %llu bytes read, %llu written\n", spaces[i], (unsigned long long)c->read[i],
                   (unsigned long long)c->written[i]);
}

void counts_print(ptx_device *device, const struct options *options)
{
    struct table opcodes = {NULL}, lines = {NULL};
    ask(device, PTX_COUNT_BY_KERNEL, print_kernel, NULL);
    ask(device, PTX_COUNT_BY_OPCODE, print_opcode, &opcodes);
    if (options->counts_lines) ask(device, PTX_COUNT_BY_LINE, print_line, &lines);
    free(opcodes.kernel);
    free(lines.kernel);
}

/* ---- JSON ---- */

static json_t *bytes_object(const uint64_t bytes[PTX_COUNT_SPACES])
{
    json_t *object = json_object();
    for (int i = 0; i < PTX_COUNT_SPACES; i++)
        if (bytes[i]) json_object_set_new(object, spaces[i], json_integer((json_int_t)bytes[i]));
    return object;
}

static json_t *row_object(const ptx_count *c)
{
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:I}", "threads", (json_int_t)c->threads, "warps", (json_int_t)c->warps,
                  "divided", (json_int_t)c->divided, "waits", (json_int_t)c->waits);
    json_object_set_new(object, "read", bytes_object(c->read));
    json_object_set_new(object, "written", bytes_object(c->written));
    if (*c->opcode) json_object_set_new(object, "opcode", json_text(c->opcode));
    if (*c->function) json_object_set_new(object, "function", json_text(c->function));
    if (c->line) {
        json_object_set_new(object, "file", json_text(c->file));
        json_object_set_new(object, "line", json_integer(c->line));
    }
    if (c->source_line) {
        json_object_set_new(object, "source", json_text(c->source));
        json_object_set_new(object, "source_line", json_integer(c->source_line));
    }
    return object;
}

static json_t *kernel_named(json_t *kernels, const char *name)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel) if (strcmp(json_string_value(json_object_get(kernel, "kernel")),
                                                      name) == 0) return kernel;
    return NULL;
}

static void add_kernel(void *user, const ptx_count *c)
{
    json_t *kernel = row_object(c);
    json_object_set_new(kernel, "kernel", json_text(c->kernel));
    json_array_append_new(user, kernel);
}

struct list {
    json_t *kernels;
    const char *name;
};

static void add_row(void *user, const ptx_count *c)
{
    const struct list *list = user;
    json_t *kernel = kernel_named(list->kernels, c->kernel), *rows = json_object_get(kernel, list->name);
    if (!rows) json_object_set_new(kernel, list->name, rows = json_array());
    json_array_append_new(rows, row_object(c));
}

json_t *counts_json(ptx_device *device)
{
    json_t *kernels = json_array();
    ask(device, PTX_COUNT_BY_KERNEL, add_kernel, kernels);
    ask(device, PTX_COUNT_BY_OPCODE, add_row, &(struct list){kernels, "opcodes"});
    ask(device, PTX_COUNT_BY_LINE, add_row, &(struct list){kernels, "lines"});
    ask(device, PTX_COUNT_BY_INSTRUCTION, add_row, &(struct list){kernels, "instructions"});
    return kernels;
}

void counts_write(ptx_device *device, const char *file)
{
    json_t *kernels = counts_json(device);
    if (json_dump_file(kernels, file, JSON_INDENT(1)) != 0)
        fail(EXIT_USAGE, "--counts: '%s' cannot be written", file);
    json_decref(kernels);
}
