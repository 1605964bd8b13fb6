/* table.c - reads workloads.tsv and makes the data it describes.
 *
 * A line is: kernel, grid, block, arguments, apart by tabs; the arguments are apart by spaces:
 * ROLE:TYPE[COUNT] or TYPE=NUMBER. Element i of an input buffer of floats (either width) is ((i*2654435761u)
 * >> 8 & 0xffff) / 65536.0f + 0.5f, of integers i*2654435761u; so all inputs of one type start alike. The
 * sparse matrix has 16 entries a row, in columns (row*7 + k*131) % rows. */
#include "reference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ENTRIES = 16, LINE_BYTES = 1024 };

/* ---- parsing ---- */

static int parse_shape(const char *text, unsigned shape[3])
{
    shape[0] = shape[1] = shape[2] = 1;
    return sscanf(text, "%u,%u,%u", &shape[0], &shape[1], &shape[2]) >= 1 ? 0 : -1;
}

/* 'f' for "f32" and so on, or 0. */
static char parse_type(const char *text)
{
    static const char names[4][4] = {"f32", "f64", "i32", "u32"};
    static const char types[4] = {'f', 'd', 'i', 'u'};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) return types[i];
    return 0;
}

static int parse_role(const char *text, enum bench_role *role)
{
    static const char names[4][8] = {"in", "csr_ptr", "csr_col", "out"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, names[i]) == 0) {
            *role = (enum bench_role)i;
            return 0;
        }
    }
    return -1;
}

/* All scalars of the table are 4 bytes wide. */
static int parse_scalar(const char *number, struct bench_arg *arg)
{
    const float f = strtof(number, NULL);
    const int32_t i = (int32_t)strtol(number, NULL, 0);
    arg->role = BENCH_SCALAR;
    arg->count = 1;
    arg->data = malloc(4);
    if (!arg->data) return -1;
    memcpy(arg->data, arg->type == 'f' ? (const void *)&f : (const void *)&i, 4);
    return 0;
}

static int parse_arg(const char *text, struct bench_arg *arg)
{
    char role[8], type[4], number[32];
    if (sscanf(text, "%3[fiu0-9]=%31s", type, number) == 2 && (arg->type = parse_type(type)) != 0)
        return parse_scalar(number, arg);
    if (sscanf(text, "%7[a-z_]:%3[fiu0-9][%zu]", role, type, &arg->count) == 3 &&
        (arg->type = parse_type(type)) != 0 && parse_role(role, &arg->role) == 0)
        return 0;
    errno = EINVAL;
    return -1;
}

static int parse_line(char *line, struct bench_workload *w)
{
    char grid[32], block[32];
    int args_at = 0;
    memset(w, 0, sizeof *w);
    sscanf(line, "%31s\t%31s\t%31s\t%n", w->kernel, grid, block, &args_at);
    if (args_at == 0 || parse_shape(grid, w->grid) || parse_shape(block, w->block)) {
        errno = EINVAL;
        return -1;
    }
    for (char *rest = line + args_at, *word; (word = strtok_r(rest, " \n", &rest)) != NULL;) {
        if (w->nargs == BENCH_MAX_ARGS) {
            errno = EINVAL;
            return -1;
        }
        if (parse_arg(word, &w->args[w->nargs++])) return -1;
    }
    return 0;
}

static int append_line(char *line, struct bench_workload **list, size_t *n)
{
    struct bench_workload *longer = realloc(*list, (*n + 1) * sizeof **list);
    if (!longer) return -1;
    *list = longer;
    return parse_line(line, &longer[(*n)++]);
}

int bench_load(const char *tsv_path, struct bench_workload **list, size_t *n)
{
    char line[LINE_BYTES];
    int failed = 0;
    FILE *table = fopen(tsv_path, "r");
    *list = NULL;
    *n = 0;
    if (!table) return -1;
    while (!failed && fgets(line, sizeof line, table))
        if (line[0] != '#' && line[0] != '\n') failed = append_line(line, list, n);
    fclose(table);
    if (failed) {
        const int error = errno;
        bench_free(*list, *n);
        errno = error;
    }
    return failed;
}

void bench_free(struct bench_workload *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bench_empty(&list[i]);
        for (int a = 0; a < list[i].nargs; a++) free(list[i].args[a].data);
    }
    free(list);
}

/* ---- data ---- */

size_t bench_element_size(char type)
{
    return type == 'd' ? 8 : 4;
}

static float random_float(uint32_t i)
{
    return (float)((i * 2654435761u) >> 8 & 0xffff) / 65536.0f + 0.5f;
}

static uint32_t integer_at(enum bench_role role, uint32_t i, uint32_t rows)
{
    switch (role) {
    case BENCH_CSR_PTR: return i * ROW_ENTRIES;
    case BENCH_CSR_COL: return (i / ROW_ENTRIES * 7 + i % ROW_ENTRIES * 131) % rows;
    default: return i * 2654435761u;
    }
}

static void fill_buffer(struct bench_arg *arg)
{
    const uint32_t count = (uint32_t)arg->count, rows = count / ROW_ENTRIES;
    float *f = arg->data;
    double *d = arg->data;
    uint32_t *u = arg->data;
    if (arg->role == BENCH_OUT)
        memset(arg->data, 0, arg->count * bench_element_size(arg->type));
    else if (arg->type == 'f')
        for (uint32_t i = 0; i < count; i++) f[i] = random_float(i);
    else if (arg->type == 'd')
        for (uint32_t i = 0; i < count; i++) d[i] = (double)random_float(i);
    else
        for (uint32_t i = 0; i < count; i++) u[i] = integer_at(arg->role, i, rows);
}

int bench_fill(struct bench_workload *w)
{
    bench_empty(w);
    for (int a = 0; a < w->nargs; a++) {
        struct bench_arg *arg = &w->args[a];
        if (arg->role == BENCH_SCALAR) continue;
        arg->data = malloc(arg->count * bench_element_size(arg->type));
        if (!arg->data) return -1;
        fill_buffer(arg);
    }
    return 0;
}

void bench_empty(struct bench_workload *w)
{
    for (int a = 0; a < w->nargs; a++) {
        struct bench_arg *arg = &w->args[a];
        if (arg->role == BENCH_SCALAR) continue;
        free(arg->data);
        free(arg->expected);
        free(arg->tolerance);
        arg->data = arg->expected = NULL;
        arg->tolerance = NULL;
    }
}
