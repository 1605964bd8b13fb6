/* script_check.c - what the names of a run file mean, found before anything runs.
 *
 * A name means what the statements before it made of it. A kernel is found as -k finds it, and each argument
 * of its launch gets its parameter here, so that a misspelt name does not end a long run. */
#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "gen/run_parser.h"

/* ---- names ---- */

static bool is_called(const struct script *s, const struct symbol *symbol, const struct node *name)
{
    const unsigned quote = s->text[name->at] == '"';
    const size_t size = name->size - 2 * quote;
    return strlen(symbol->name) == size && memcmp(symbol->name, s->text + name->at + quote, size) == 0;
}

static struct symbol *find(const struct script *s, const struct node *name)
{
    for (struct symbol *x = s->symbols; x; x = x->next)
        if (is_called(s, x, name)) return x;
    return NULL;
}

static struct symbol *add(struct script *s, enum symbol_kind kind, const struct node *made, char *name)
{
    struct symbol *symbol = must_alloc(sizeof *symbol);
    *symbol = (struct symbol){.next = s->symbols, .kind = kind, .name = name, .made = made};
    return s->symbols = symbol;
}

static void make(struct script *s, struct node *name, enum symbol_kind kind)
{
    const struct symbol *known = find(s, name);
    if (known && kind == SYMBOL_NUMBER && known->kind == SYMBOL_NUMBER) {
        name->symbol = find(s, name);
        return;
    }
    if (known && known->made)
        script_fail(s, name, "", "'%s' was made in line %u", known->name, script_line(s, known->made));
    if (known) script_fail(s, name, "", "'%s' has a meaning of its own", known->name);
    name->symbol = add(s, kind, name, script_text(s, name));
}

static void mean(struct script *s, struct node *name, const char *remedy)
{
    name->symbol = find(s, name);
    if (!name->symbol)
        script_fail(s, name, remedy, "nothing is called '%.*s' here", (int)name->size, s->text + name->at);
}

static const char *const kinds[] = {"a number", "a buffer", "a variable", "a texture or surface", "a stream"};

static void mean_kind(struct script *s, struct node *name, enum symbol_kind kind, const char *remedy)
{
    mean(s, name, remedy);
    if (name->symbol->kind != kind)
        script_fail(s, name, remedy, "'%s' is %s, not %s", name->symbol->name, kinds[name->symbol->kind],
                    kinds[kind]);
}

/* ---- operands and numbers ---- */

static void check_all(struct script *s, struct node *list);

static bool is_data(const struct symbol *symbol)
{
    return symbol->kind == SYMBOL_BUFFER || symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_IMAGE;
}

static void check_operand(struct script *s, struct node *node)
{
    mean(s, node, "'buffer NAME TYPE[N]' makes a buffer, 'variable NAME TYPE' names one of the program");
    if (!is_data(node->symbol))
        script_fail(s, node, "", "'%s' is %s, which has no elements", node->symbol->name,
                    kinds[node->symbol->kind]);
    check_all(s, node->kid[0]);
    check_all(s, node->kid[1]);
}

static void check_number(struct script *s, struct node *node)
{
    switch (node->kind) {
    case N_NAME:
        mean(s, node, "'let NAME = NUMBER' makes a number");
        if (node->symbol->kind == SYMBOL_STREAM)
            script_fail(s, node, "", "'%s' is a stream, not a number", node->symbol->name);
        break;
    case N_ELEMENT:
    case N_RANGE: check_operand(s, node); break;
    default: check_all(s, node->kid[0]); check_all(s, node->kid[1]);
    }
}

static void check_all(struct script *s, struct node *list)
{
    for (; list; list = list->next) check_number(s, list);
}

/* zeros, iota, random, unset; the number of a seed may follow in parentheses. */
static bool is_filling(const struct script *s, const struct node *node)
{
    static const char *const words[] = {"zeros", "iota", "random", "unset"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((node->kind == N_NAME || node->kind == N_CALL) && strlen(words[i]) == node->size &&
            memcmp(words[i], s->text + node->at, node->size) == 0)
            return true;
    return false;
}

static void check_values(struct script *s, struct node *values)
{
    for (struct node *v = values; v; v = v->next) {
        if (v->kind == N_TOKEN || v->kind == N_REST) continue;
        if (v == values && !v->next && is_filling(s, v)) {
            check_all(s, v->kid[0]);
            continue;
        }
        check_number(s, v);
    }
}

/* ---- launches ---- */

/* Where fail points while functions for the command line look for a kernel. */
static void find_kernel(struct script *s, struct node *launch)
{
    struct options wanted = *s->options;
    char *name = script_text(s, launch);
    wanted.kernel = name;
    launch->kernel = must_alloc(sizeof *launch->kernel);
    s->now = launch;
    s->remedy = "a kernel is called as in the PTX or in C++; C++ names stand in quotes";
    kernel_choose(launch->kernel, s->modules, &wanted);
    s->remedy = NULL;
    free(name);
}

static void check_argument(struct script *s, struct node *argument)
{
    struct node *value = argument->kind == N_NAMED ? argument->kid[0] : argument;
    if (value->kind == N_ADDRESS) {
        check_operand(s, value->kid[0]);
    } else if (value->kind == N_MEMBERS) {
        for (struct node *m = value->kid[0]; m; m = m->next) {
            if (m->kind == N_NAME) check_operand(s, m);
            if (m->kind == N_ADDRESS) check_operand(s, m->kid[0]);
            if (m->kind == N_MEMBER) check_number(s, m->kid[0]);
        }
    } else {
        check_number(s, value);
    }
}

static unsigned count(const struct node *list)
{
    unsigned n = 0;
    for (; list; list = list->next) n++;
    return n;
}

static void claim(struct script *s, struct node *launch, const struct node *argument, unsigned at, long param,
                  bool *taken)
{
    const struct kernel *k = launch->kernel;
    if (param < 0 || (size_t)param >= k->info.param_count) {
        char *help = must_print("%s has %zu parameter%s; ptxvm --list shows them", k->info.name,
                                k->info.param_count, k->info.param_count == 1 ? "" : "s");
        script_fail(s, argument, help, "there is no such parameter");
    }
    if (taken[param]) script_fail(s, argument, "", "parameter %ld is given twice", param);
    taken[param] = true;
    launch->params[at] = param;
}

/* Arguments with a name first; the others take what is left, in order. */
static void give_parameters(struct script *s, struct node *launch)
{
    const struct kernel *k = launch->kernel;
    bool *taken = must_alloc(k->info.param_count + 1);
    unsigned at = 0;
    size_t next = 0;
    launch->params = must_alloc((count(launch->kid[1]) + 1) * sizeof *launch->params);
    for (const struct node *a = launch->kid[1]; a; a = a->next, at++) {
        if (a->kind != N_NAMED) continue;
        char *name = script_text(s, a);
        claim(s, launch, a, at, kernel_param_find(k, name), taken);
        free(name);
    }
    at = 0;
    for (const struct node *a = launch->kid[1]; a; a = a->next, at++) {
        if (a->kind == N_NAMED) continue;
        while (next < k->info.param_count && taken[next]) next++;
        claim(s, launch, a, at, (long)next, taken);
    }
    for (size_t i = 0; i < k->info.param_count; i++) {
        if (taken[i]) continue;
        const ptx_param_info info = kernel_param(k, i);
        script_fail(s, launch, "ptxvm --list FILE.ptx shows all parameters", "no argument for .%s %s",
                    info.type, info.name);
    }
    free(taken);
}

static void check_launch(struct script *s, struct node *launch)
{
    struct node *shape = launch->kid[0];
    check_all(s, shape->kid[0]->kid[0]);
    check_all(s, shape->kid[1]->kid[0]);
    check_all(s, shape->kid[2]);
    if (shape->kid[3]) mean_kind(s, shape->kid[3], SYMBOL_STREAM, "'stream NAME' makes a stream");
    for (struct node *a = launch->kid[1]; a; a = a->next) check_argument(s, a);
    for (struct node *o = launch->kid[2]; o; o = o->next) check_all(s, o->kid[0]);
    find_kernel(s, launch);
    give_parameters(s, launch);
}

/* ---- statements ---- */

static void check_statements(struct script *s, struct node *list, unsigned depth);
static void check_one(struct script *s, struct node *node, unsigned depth);

static void check_made(struct script *s, struct node *node)
{
    const enum symbol_kind kind = node->kind == N_BUFFER     ? SYMBOL_BUFFER
                                  : node->kind == N_VARIABLE ? SYMBOL_VARIABLE
                                                             : SYMBOL_IMAGE;
    struct node *type = kind == SYMBOL_IMAGE ? NULL : node->kid[0];
    if (type && !element_type_find(s->text + type->at, type->size))
        script_fail(s, type, "types are u8 to u64, s8 to s64, f16, bf16, f32, f64, b8 to b64",
                    "'%.*s' is no type", (int)type->size, s->text + type->at);
    if (type) check_all(s, type->kid[0]);
    if (kind != SYMBOL_IMAGE) check_values(s, node->kid[1]);
    make(s, node, kind);
}

static void check_loop(struct script *s, struct node *node, unsigned depth)
{
    if (node->kind == N_FOR) {
        check_all(s, node->kid[0]);
        make(s, node, SYMBOL_NUMBER);
    } else {
        check_number(s, node->kid[0]);
    }
    check_statements(s, node->kid[1]->kid[0], depth + 1);
    struct node *other = node->kid[2];
    if (other && other->kind == N_IF) check_one(s, other, depth);
    if (other && other->kind == N_BLOCK) check_statements(s, other->kid[0], depth + 1);
}

static void check_one(struct script *s, struct node *node, unsigned depth)
{
    static const char outside[] = "what has a name is made outside of loops and conditions";
    switch (node->kind) {
    case N_MODULE: break;
    case N_BUFFER:
    case N_VARIABLE:
    case N_IMAGE:
        if (depth) script_fail(s, node, outside, "nothing is made in a block");
        check_made(s, node);
        break;
    case N_STREAM:
        if (depth) script_fail(s, node, outside, "nothing is made in a block");
        for (struct node *n = node->kid[0]; n; n = n->next) make(s, n, SYMBOL_STREAM);
        break;
    case N_LET:
        check_number(s, node->kid[0]);
        make(s, node, SYMBOL_NUMBER);
        break;
    case N_SET:
    case N_EXPECT:
        check_operand(s, node->kid[0]);
        check_values(s, node->kid[1]);
        for (struct node *t = node->kid[2]; t; t = t->next) check_all(s, t->kid[0]);
        break;
    case N_COPY:
        check_operand(s, node->kid[0]);
        check_operand(s, node->kid[1]);
        break;
    case N_WRITE: check_operand(s, node->kid[0]); break;
    case N_LAUNCH: check_launch(s, node); break;
    case N_WAIT:
        if (node->kid[0]) mean_kind(s, node->kid[0], SYMBOL_STREAM, "'stream NAME' makes a stream");
        break;
    case N_ORDER:
        mean_kind(s, node->kid[0], SYMBOL_STREAM, "'stream NAME' makes a stream");
        mean_kind(s, node->kid[1], SYMBOL_STREAM, "'stream NAME' makes a stream");
        break;
    case N_PRINT:
        for (struct node *i = node->kid[0]; i; i = i->next)
            if (i->kind != N_TOKEN) check_number(s, i);
        break;
    case N_EXPECT_TRUE: check_number(s, node->kid[0]); break;
    case N_EXPECT_LAUNCH: s->asks_launches = true; break;
    case N_EXPECT_OUTPUT: s->asks_output = true; break;
    default: check_loop(s, node, depth); break;
    }
}

static void check_statements(struct script *s, struct node *list, unsigned depth)
{
    for (; list; list = list->next) check_one(s, list, depth);
}

void script_files(struct script *s, struct words *files)
{
    for (const struct node *n = s->body; n; n = n->next) {
        if (n->kind != N_MODULE) continue;
        for (const struct node *file = n->kid[0]; file; file = file->next)
            words_add(files, script_path(s, file));
    }
}

void script_check(struct script *s)
{
    static const char *const names[] = {"inf", "nan"};
    for (size_t i = 0; i < 2; i++) {
        struct symbol *known = add(s, SYMBOL_NUMBER, NULL, must_copy(names[i], 3));
        known->number = (struct number){.real = true, .value = i ? (double)NAN : (double)INFINITY};
    }
    check_statements(s, s->body, 0);
}
