/*
 * main.c - the reference as a command: runs a kernel of a file and compares
 * what it leaves, with the options of ptxvm that stand in tests/exec.
 *
 *   reference [options] FILE.ptx
 *     -k NAME  -g X,Y,Z  -b X,Y,Z  -s BYTES           kernel, grid, block, dynamic shared memory
 *     -a [NAME=]TYPE[N]=zeros|iota|NUMBER             a buffer for a parameter
 *     -a [NAME=]NUMBER                                a value
 *     --expect NAME=V,V,V[,...]|all:V                 what a buffer must hold
 *     --seed N  --max-steps N                         order of threads; limit of thread instructions
 *
 * Exit code 0: fine; 1: an expectation failed; 2: usage; 3: the launch ended with the message that is
 * printed.
 */
#include "reference.h"
#include <ptx.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS = 32, PARAM_BYTES = 4096, GAP = 256, EXPECTED = 1, USAGE = 2, ENDED = 3 };
static const uint64_t first_address = 0x7f0000000000u;

struct type {
    char kind;
    unsigned bytes;
}; /* u, s, f */

struct arg {
    const char *name, *spec; /* as given; name NULL: by position */
    bool is_buffer;
    struct type type;
    uint64_t n, at; /* elements; offset in the buffer of the launch */
    const char *init;
    char param[128];
};

struct command {
    const char *file, *kernel;
    uint32_t grid[3], block[3], shared;
    uint64_t seed, max_steps;
    struct arg args[ARGS];
    unsigned nargs, nexpect;
    const char *expect[ARGS];
    uint8_t params[PARAM_BYTES], *buffer;
    size_t param_bytes, buffer_bytes;
};

static _Noreturn void fail(int code, const char *what, const char *why)
{
    fprintf(stderr, "reference: %s%s%s\n", what, why ? ": " : "", why ? why : "");
    exit(code);
}

/* ---- values ---- */

static struct type type_of(const char *s)
{
    struct type t = {*s == 'b' ? 'u' : *s, (unsigned)atoi(s + 1) / 8};
    if (!strchr("usf", t.kind) || (t.bytes != 1 && t.bytes != 2 && t.bytes != 4 && t.bytes != 8) ||
        (t.kind == 'f' && t.bytes < 4))
        fail(USAGE, s, "no type that is known here");
    return t;
}

static uint64_t value_of(struct type t, const char *s)
{
    union {
        double d;
        float f;
        uint64_t u;
    } v = {.u = 0};
    if (t.kind != 'f')
        v.u = *s == '-' ? (uint64_t)strtoll(s, NULL, 0) : strtoull(s, NULL, 0);
    else if (t.bytes == 8)
        v.d = strtod(s, NULL);
    else
        v.f = strtof(s, NULL);
    return v.u;
}

/* NUMBER is of the parameter's type, unless it says which it has. */
static uint64_t given(struct type t, const char *s)
{
    const char *colon = strchr(s, ':');
    return colon ? value_of(type_of(s), colon + 1) : value_of(t, s);
}

static uint64_t element(const struct command *c, const struct arg *a, uint64_t i)
{
    uint64_t v = 0;
    memcpy(&v, c->buffer + a->at + i * a->type.bytes, a->type.bytes);
    return v;
}

/* The number as an element of the type. */
static uint64_t number_of(struct type t, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return value_of(t, text);
}

static void fill(struct command *c, const struct arg *a)
{
    const bool iota = !strcmp(a->init, "iota");
    for (uint64_t i = 0; i < a->n; i++) {
        const uint64_t v = !strcmp(a->init, "zeros") ? 0
                           : iota                    ? number_of(a->type, i)
                                                     : value_of(a->type, a->init);
        memcpy(c->buffer + a->at + i * a->type.bytes, &v, a->type.bytes);
    }
}

/* ---- options ---- */

static void dimensions(const char *s, uint32_t d[3])
{
    if (sscanf(s, "%u,%u,%u", &d[0], &d[1], &d[2]) < 1) fail(USAGE, s, "no dimensions");
}

/* [NAME=]TYPE[N][=INIT], [NAME=]TYPE:NUMBER or [NAME=]NUMBER */
static void add_arg(struct command *c, char *s)
{
    struct arg *a = &c->args[c->nargs++];
    if (c->nargs == ARGS) fail(USAGE, s, "too many arguments");
    char *bracket = strchr(s, '['), *equal = strchr(s, '=');
    if (equal && (!bracket || equal < bracket)) {
        *equal = 0;
        a->name = s;
        s = equal + 1;
        bracket = strchr(s, '[');
    }
    a->spec = s;
    a->is_buffer = bracket != NULL;
    if (!bracket) return;
    a->type = type_of(s);
    a->n = strtoull(bracket + 1, NULL, 0);
    equal = strchr(bracket, '=');
    a->init = equal ? equal + 1 : "zeros";
}

static void option(struct command *c, const char *name, char *value)
{
    if (!strcmp(name, "-k"))
        c->kernel = value;
    else if (!strcmp(name, "-g"))
        dimensions(value, c->grid);
    else if (!strcmp(name, "-b"))
        dimensions(value, c->block);
    else if (!strcmp(name, "-s"))
        c->shared = (uint32_t)strtoul(value, NULL, 0);
    else if (!strcmp(name, "-a"))
        add_arg(c, value);
    else if (!strcmp(name, "--seed"))
        c->seed = strtoull(value, NULL, 0);
    else if (!strcmp(name, "--max-steps"))
        c->max_steps = strtoull(value, NULL, 0);
    else if (strcmp(name, "--expect") != 0 || c->nexpect == ARGS)
        fail(USAGE, name, "no option of this command");
    else
        c->expect[c->nexpect++] = value;
}

static void options(struct command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (*argv[i] != '-') {
            c->file = argv[i];
            continue;
        }
        if (i + 1 == argc) fail(USAGE, argv[i], "needs a value");
        option(c, argv[i], argv[i + 1]);
        i++;
    }
    if (!c->file) fail(USAGE, "no file", NULL);
}

static char *read_file(const char *name, size_t *size)
{
    FILE *f = fopen(name, "rb");
    char *text = NULL;
    size_t room = 0;
    for (*size = 0; f && !feof(f); *size += fread(text + *size, 1, room - *size, f))
        if (!(text = realloc(text, room = room * 2 + 4096))) fail(ENDED, "out of memory", NULL);
    if (!f) fail(USAGE, name, "cannot be opened");
    fclose(f);
    return text;
}

/* ---- parameters ---- */

/* The kernel's parameter `index`; false past the last one. */
static bool parameter(const struct command *c, const ptx_module *module, size_t index, ptx_param_info *param)
{
    ptx_kernel_info info = {sizeof info};
    for (size_t k = 0; ptx_module_kernel(module, k, &info) == PTX_OK; k++)
        if (!c->kernel || !strcmp(c->kernel, info.name))
            return ptx_module_kernel_param(module, k, index, param) == PTX_OK;
    fail(USAGE, "no such kernel", c->kernel);
}

/* By its number or whole name, the end of it after an underscore, or its place among those without a name. */
static struct arg *arg_for(struct command *c, const char *name, size_t index, unsigned *next)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", index);
    for (unsigned i = 0; i < c->nargs; i++) {
        if (c->args[i].name && !strcmp(c->args[i].name, number)) return &c->args[i];
        size_t n = strlen(name), m = c->args[i].name ? strlen(c->args[i].name) : 0;
        if (m && m <= n && !strcmp(name + n - m, c->args[i].name) && (m == n || name[n - m - 1] == '_'))
            return &c->args[i];
    }
    while (*next < c->nargs && c->args[*next].name) ++*next;
    return *next < c->nargs ? &c->args[(*next)++] : NULL;
}

static void place_buffers(struct command *c)
{
    for (unsigned i = 0; i < c->nargs; i++) {
        struct arg *a = &c->args[i];
        if (!a->is_buffer) continue;
        a->at = c->buffer_bytes ? (c->buffer_bytes + 2 * GAP - 1) / GAP * GAP : 0;
        c->buffer_bytes = a->at + a->n * a->type.bytes;
    }
    c->buffer = calloc(1, c->buffer_bytes + 1);
    if (!c->buffer) fail(ENDED, "out of memory", NULL);
    for (unsigned i = 0; i < c->nargs; i++)
        if (c->args[i].is_buffer) fill(c, &c->args[i]);
}

static void make_params(struct command *c, const char *text, size_t size)
{
    ptx_module *module = NULL;
    ptx_param_info p = {sizeof p};
    unsigned next = 0;
    if (ptx_module_create(NULL, text, size, &module) != PTX_OK) {
        ptx_module_destroy(module); /* the run says why */
        return;
    }
    for (size_t i = 0; parameter(c, module, i, &p); i++) {
        struct arg *a = arg_for(c, p.name, i, &next);
        if (!a || p.offset + p.size > PARAM_BYTES) fail(USAGE, p.name, "no value for this parameter");
        if (c->buffer_bytes && !i && !a->is_buffer)
            fail(USAGE, p.name, "the first parameter must be a buffer here");
        snprintf(a->param, sizeof a->param, "%s", p.name);
        const struct type t = {*p.type == 'f' ? 'f' : 'u', (unsigned)p.size};
        uint64_t v = a->is_buffer ? first_address + a->at : given(t, a->spec);
        memcpy(c->params + p.offset, &v, p.size < 8 ? p.size : 8);
        c->param_bytes = p.offset + p.size;
    }
    ptx_module_destroy(module);
}

/* ---- expectations ---- */

static const struct arg *buffer_named(const struct command *c, const char *s, size_t n)
{
    for (unsigned i = 0; i < c->nargs; i++) {
        const struct arg *a = &c->args[i];
        const char *p = a->param;
        size_t m = strlen(p);
        if (a->is_buffer && m >= n && !strncmp(p + m - n, s, n)) return a;
    }
    fail(USAGE, s, "no buffer of that name");
}

static bool holds(const struct command *c, const char *expect)
{
    const char *what = strchr(expect, '=');
    if (!what) fail(USAGE, expect, "NAME=VALUES is wanted");
    const struct arg *a = buffer_named(c, expect, (size_t)(what++ - expect));
    const bool all = !strncmp(what, "all:", 4), iota = !strcmp(what, "iota");
    what += all ? 4 : 0;
    for (uint64_t i = 0; i < a->n && strncmp(what, "...", 3) != 0; i++) {
        const uint64_t mask = ~0ull >> (64 - 8 * a->type.bytes), got = element(c, a, i);
        const uint64_t want = iota ? number_of(a->type, i) : value_of(a->type, what);
        if (got != (want & mask)) {
            printf("%s[%llu] is 0x%llx, expected %.24s\n", a->param, (unsigned long long)i,
                   (unsigned long long)got, what);
            return false;
        }
        if (!all && !iota) what += strcspn(what, ",");
        what += *what == ',';
    }
    return true;
}

static void tell(const struct command *c)
{
    for (unsigned i = 0; i < c->nargs; i++) {
        const struct arg *a = &c->args[i];
        if (!a->is_buffer) continue;
        printf("%s:", a->param);
        for (uint64_t k = 0; k < a->n && k < 8; k++) printf(" 0x%llx", (unsigned long long)element(c, a, k));
        printf("%s\n", a->n > 8 ? " ..." : "");
    }
}

int main(int argc, char **argv)
{
    static struct command c = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    char message[1024];
    size_t size;
    options(&c, argc, argv);
    char *text = read_file(c.file, &size);
    place_buffers(&c);
    make_params(&c, text, size);
    struct ref_launch launch = {.kernel = c.kernel,
                                .dynamic_smem = c.shared,
                                .seed = c.seed,
                                .max_steps = c.max_steps,
                                .buffer = c.buffer_bytes ? c.buffer : NULL,
                                .buffer_bytes = c.buffer_bytes,
                                .buffer_address = first_address,
                                .params = c.params,
                                .param_bytes = c.param_bytes};
    memcpy(launch.grid, c.grid, sizeof c.grid);
    memcpy(launch.block, c.block, sizeof c.block);
    int code = 0;
    if (ref_run(text, size, &launch, message, sizeof message)) {
        printf("%s\n", message);
        code = ENDED;
    } else {
        tell(&c);
    }
    for (unsigned i = 0; !code && i < c.nexpect; i++)
        if (!holds(&c, c.expect[i])) code = EXPECTED;
    free(text);
    free(c.buffer);
    return code;
}
