/* script_data.c - buffers, variables, textures of a run file: made, set, copied, printed, expected, written.
 *
 * Each is a buffer of args.h, so that faults and checks know its name. Whatever reads or sets one waits for
 * all that runs, so a run file sees what a program would see behind a synchronisation. */
#include "script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "expect.h"
#include "fail.h"
#include "gen/run_parser.h"

/* ---- elements ---- */

struct buffer *script_buffer(struct script *s, const struct node *operand)
{
    return &s->arguments.buffers[operand->symbol->buffer];
}

void script_extent(struct script *s, const struct node *operand, const struct array *array, size_t *from,
                   size_t *count)
{
    *from = 0;
    *count = array->count;
    if (operand->kind != N_ELEMENT && operand->kind != N_RANGE) return;
    const size_t last = array->count ? array->count - 1 : 0;
    *from = script_whole(s, operand->kid[0], 0, last, "an index");
    *count = 1;
    if (operand->kind == N_RANGE)
        *count = script_whole(s, operand->kid[1], *from, last, "the last index") - *from + 1;
}

struct buffer *script_read(struct script *s, const struct node *operand)
{
    struct buffer *b = script_buffer(s, operand);
    const size_t size = array_bytes(&b->after);
    script_settle(s);
    s->now = operand;
    if (b->texture)
        texture_read(b->texture, &b->after, s->device, b->name);
    else if (size && ptx_memory_read(s->device, b->after.data, b->address, size) != PTX_OK)
        fail(EXIT_STOPPED, "%s cannot be read back from the device", b->name);
    return b;
}

/* ---- values ---- */

static bool is_word(const struct script *s, const struct node *node, const char *word)
{
    return node->size == strlen(word) && memcmp(s->text + node->at, word, node->size) == 0;
}

static const struct symbol *data_of(const struct node *node)
{
    const struct symbol *symbol = node->kind == N_NAME || node->kind == N_RANGE ? node->symbol : NULL;
    return symbol && symbol->kind != SYMBOL_NUMBER ? symbol : NULL;
}

/* The elements of another array, which are as many. */
static void take_array(struct script *s, struct array *array, size_t from, size_t count,
                       const struct node *operand)
{
    size_t first, n;
    const struct array *other = &script_read(s, operand)->after;
    script_extent(s, operand, other, &first, &n);
    if (n != count && n != 1)
        script_fail(s, operand, "name a range: NAME[FIRST..LAST]", "%zu elements for %zu", n, count);
    for (size_t i = 0; i < count; i++)
        if (other->type == array->type)
            memcpy(array_at(array, from + i), array_at(other, first + (n == 1 ? 0 : i)), array->type->size);
        else
            script_store(s, operand, script_load(other->type, array_at(other, first + (n == 1 ? 0 : i))),
                         array->type, array_at(array, from + i));
}

/* A file, or zeros, iota, random, unset: array_fill knows them. */
static void take_word(struct script *s, struct array *array, size_t from, size_t count,
                      const struct node *value)
{
    struct array part = {.type = array->type, .dimensions = 1, .shape = {count}};
    char *word = value->kind == N_TOKEN ? script_path(s, value) : must_copy(s->text + value->at, value->size);
    const uint64_t seed = value->kid[0] ? script_whole(s, value->kid[0], 0, INT64_MAX, "a seed") : 0;
    if (from == 0 && count == array->count) {
        part.dimensions = array->dimensions;
        memcpy(part.shape, array->shape, sizeof part.shape);
    }
    array_allocate(&part);
    s->now = value;
    if (!array_fill(&part, word, s->options->seed + seed + s->arguments.n))
        script_fail(s, value, "files end in .npy, .bin, .csv or .png", "'%s' is no file of data", word);
    memcpy(array_at(array, from), part.data, array_bytes(&part));
    array->unset = part.unset;
    array_free(&part);
    free(word);
}

static bool is_filling(const struct script *s, const struct node *value)
{
    return (value->kind == N_NAME || value->kind == N_CALL) && !value->symbol &&
           (is_word(s, value, "zeros") || is_word(s, value, "iota") || is_word(s, value, "random") ||
            is_word(s, value, "unset"));
}

bool script_fill(struct script *s, struct array *array, size_t from, size_t *count, const struct node *values)
{
    size_t n = 0;
    bool open = false;
    if (!values->next && (values->kind == N_TOKEN || is_filling(s, values))) {
        take_word(s, array, from, *count, values);
        return false;
    }
    if (!values->next && data_of(values)) {
        take_array(s, array, from, *count, values);
        return false;
    }
    for (const struct node *v = values; v; v = v->next, n++) {
        if (v->kind == N_REST && !v->next) {
            open = true;
            break;
        }
        if (v->kind == N_REST || v->kind == N_TOKEN)
            script_fail(s, v, "a text stands alone, ... at the end", "this is no number");
        if (n == *count) script_fail(s, v, "", "more values than the %zu elements", *count);
        script_store_node(s, v, array->type, array_at(array, from + n));
    }
    for (size_t i = 1; i < *count && n == 1 && !open; i++) /* one number is all of them */
        memcpy(array_at(array, from + i), array_at(array, from), array->type->size);
    if (n != 1 && n != *count && !open)
        script_fail(s, values, "a last ... leaves the rest open; one number means all",
                    "%zu values for %zu elements", n, *count);
    if (open) *count = n;
    return open;
}

/* ---- making ---- */

static struct buffer *add_buffer(struct script *s, const struct node *node, const struct array *array)
{
    struct arguments *all = &s->arguments;
    all->buffers = must_grow(all->buffers, (all->n + 1) * sizeof *all->buffers);
    struct buffer *b = &all->buffers[all->n];
    *b = (struct buffer){
        .name = must_copy(node->symbol->name, strlen(node->symbol->name)), .before = *array, .param = all->n};
    b->after = array_copy(array);
    node->symbol->buffer = all->n++;
    node->symbol->there = true;
    return b;
}

/* Type and shape; without a shape a file gives it. */
static struct array declared(struct script *s, const struct node *type, const struct node *values)
{
    struct array array = {0};
    if (type) array.type = element_type_find(s->text + type->at, type->size);
    const bool open = !type || type->kid[1];
    for (const struct node *e = type ? type->kid[0] : NULL; e; e = e->next) {
        if (array.dimensions == MAX_DIMENSIONS)
            script_fail(s, e, "", "more than %d dimensions", MAX_DIMENSIONS);
        array.shape[array.dimensions++] = script_whole(s, e, 0, INT64_MAX, "an extent");
    }
    if (open && (!values || values->kind != N_TOKEN))
        script_fail(s, type, "'buffer a f32[] = \"a.csv\"' takes the shape of a file",
                    "without a shape there must be a file");
    if (!open) {
        array_allocate(&array);
        return array;
    }
    char *name = script_path(s, values);
    s->now = values;
    if (file_format_of(name) == FORMAT_NONE)
        script_fail(s, values, "files end in .npy, .bin, .csv or .png", "'%s' is no file of data", name);
    array_read(&array, name);
    free(name);
    return array;
}

static void make_buffer(struct script *s, const struct node *node)
{
    struct array array = declared(s, node->kid[0], node->kid[1]);
    const bool read = !node->kid[0] || node->kid[0]->kid[1];
    size_t count = array.count;
    if (node->kid[1] && !read) script_fill(s, &array, 0, &count, node->kid[1]);
    struct buffer *b = add_buffer(s, node, &array);
    const size_t size = array_bytes(&array);
    s->now = node;
    ptx_status status = ptx_memory_alloc(s->device, size ? size : 1, &b->address);
    if (status == PTX_OK && size && !array.unset)
        status = ptx_memory_write(s->device, b->address, array.data, size);
    if (status != PTX_OK)
        fail(EXIT_STOPPED, "no device memory for the %zu bytes of %s: %s", size, b->name,
             ptx_status_name(status));
}

static void store(struct script *s, const struct buffer *b, size_t from, size_t count)
{
    const size_t width = b->after.type->size;
    if (b->texture) fail(EXIT_USAGE, "texels are set when a texture or surface is made");
    if (count && ptx_memory_write(s->device, b->address + from * width, array_at(&b->after, from),
                                  count * width) != PTX_OK)
        fail(EXIT_STOPPED, "%s cannot be written", b->name);
}

static void make_variable(struct script *s, const struct node *node)
{
    ptx_address address;
    uint64_t size;
    struct array array = declared(s, node->kid[0], node->kid[1]);
    if (!variable_find(s->program, s->modules, node->symbol->name, &address, &size))
        script_fail(s, node, "names are those of the PTX; FILE:NAME, in quotes, is the own one of a file",
                    "there is no .global or .const variable called '%s'", node->symbol->name);
    if (array_bytes(&array) != size)
        script_fail(s, node, "", "'%s' has %llu bytes, this type has %zu", node->symbol->name,
                    (unsigned long long)size, array_bytes(&array));
    struct buffer *b = add_buffer(s, node, &array);
    size_t count = array.count;
    b->address = address;
    if (!node->kid[1]) return;
    const bool open = script_fill(s, &b->after, 0, &count, node->kid[1]);
    s->now = node;
    store(s, b, 0, open ? count : b->after.count);
}

/* "texture2d:in.png,linear": the file is beside the run file. */
static char *image_words(struct script *s, const struct node *node)
{
    char *words = script_text(s, node), *colon = strchr(words, ':');
    const size_t size = colon ? strcspn(colon + 1, ",") : 0;
    char *file = must_copy(colon ? colon + 1 : "", size);
    const bool beside = file_format_of(file) != FORMAT_NONE && !strchr(file, '[') && *file != '/';
    free(file);
    if (!beside) return words;
    const char *slash = strrchr(s->file, '/');
    char *placed = must_print("%.*s%.*s%s", (int)(colon + 1 - words), words,
                              slash ? (int)(slash + 1 - s->file) : 0, s->file, colon + 1);
    free(words);
    return placed;
}

static void make_image(struct script *s, const struct node *node)
{
    struct array array = {0};
    struct texture texture;
    ptx_reference_info info = {.struct_size = sizeof info};
    char *spec = image_words(s, node->kid[0]);
    s->now = node->kid[0];
    if (!texture_parse(&texture, &array, spec, s->options->seed + s->arguments.n) ||
        texture.surface != (node->kid[1]->token == T_SURFACE))
        script_fail(s, node->kid[0],
                    "as -a of ptxvm has it: \"texture2d:in.png,linear,wrap\", \"surface2d:u8[64,64,4]\"",
                    "'%s' is no %s", spec, node->kid[1]->token == T_SURFACE ? "surface" : "texture");
    free(spec);
    /* A name of the program's own .texref or .surfref is that reference. */
    const bool reference = ptx_program_reference(s->program, node->symbol->name, &info, NULL) == PTX_OK;
    struct buffer *b = add_buffer(s, node, &array);
    b->texture = must_alloc(sizeof texture);
    *b->texture = texture;
    texture_make(b->texture, &b->before, s->device, b->name, reference ? info.reference : 0);
}

/* ---- the statements ---- */

static void set(struct script *s, const struct node *node)
{
    size_t from, count;
    struct buffer *b = script_read(s, node->kid[0]);
    script_extent(s, node->kid[0], &b->after, &from, &count);
    script_fill(s, &b->after, from, &count, node->kid[1]);
    s->now = node->kid[0];
    store(s, b, from, count);
}

static void copy(struct script *s, const struct node *node)
{
    size_t from, count;
    struct buffer *to = script_read(s, node->kid[1]);
    script_extent(s, node->kid[1], &to->after, &from, &count);
    take_array(s, &to->after, from, count, node->kid[0]);
    s->now = node->kid[1];
    store(s, to, from, count);
}

static void print_number(struct number n)
{
    char text[40];
    if (n.real)
        element_print(element_type_find("f64", 3), &n.value, text);
    else
        snprintf(text, sizeof text, "%lld", (long long)n.whole);
    printf("%s", text);
}

/* The elements that an operand means, as an array of one dimension, or all of it. Not to be freed. */
static struct array view(struct script *s, const struct node *operand)
{
    size_t from, count;
    struct array part = script_read(s, operand)->after;
    script_extent(s, operand, &part, &from, &count);
    if (operand->kind == N_NAME) return part;
    part.data += from * part.type->size;
    part.count = part.shape[0] = count;
    part.dimensions = 1;
    return part;
}

static void print(struct script *s, const struct node *node)
{
    bool line = false;
    for (const struct node *i = node->kid[0]; i; i = i->next) {
        if (i->kind == N_TOKEN) {
            printf("%s%.*s", line ? " " : "", (int)i->size - 2, s->text + i->at + 1);
        } else if (data_of(i)) {
            const struct array part = view(s, i);
            if (line) putchar('\n');
            report_array(i->symbol->name, &part, part.count);
            line = false;
            continue;
        } else {
            const struct number n = script_number(s, i);
            if (line) putchar(' ');
            print_number(n);
        }
        line = true;
    }
    if (line) putchar('\n');
}

static void write_file(struct script *s, const struct node *node)
{
    const struct array part = view(s, node->kid[0]);
    char *name = script_text(s, node->kid[1]);
    s->now = node->kid[1];
    if (file_format_of(name) == FORMAT_NONE)
        script_fail(s, node->kid[1], "files end in .npy, .bin, .csv or .png", "'%s' says no format", name);
    array_write(&part, name);
    free(name);
}

static struct tolerance tolerance_of(struct script *s, const struct node *list)
{
    struct tolerance t = {s->options->atol, s->options->rtol, s->options->ulp};
    for (; list; list = list->next) {
        const double value = script_number(s, list->kid[0]).value;
        if (!(value >= 0)) script_fail(s, list->kid[0], "", "a tolerance is not negative");
        if (list->token == T_ATOL) t.atol = value;
        if (list->token == T_RTOL) t.rtol = value;
        if (list->token == T_ULP) t.ulp = (uint64_t)value;
    }
    return t;
}

static void expect(struct script *s, const struct node *node)
{
    size_t from, count;
    const struct node *operand = node->kid[0];
    const struct array got = array_copy(&script_read(s, operand)->after);
    struct array want = array_copy(&got);
    script_extent(s, operand, &got, &from, &count);
    const struct tolerance allowed = tolerance_of(s, node->kid[2]);
    script_fill(s, &want, from, &count, node->kid[1]);
    char *place = must_print("%s:%u", s->file, script_line(s, node));
    if (!array_holds(operand->symbol->name, &got, &want, from, count, &allowed, place)) {
        script_show(s, operand, "error", "the expectation does not hold");
        s->code = EXIT_EXPECTATION;
    }
    free(place);
    free(got.data);
    array_free(&want);
}

void script_data(struct script *s, const struct node *node)
{
    switch (node->kind) {
    case N_BUFFER: make_buffer(s, node); break;
    case N_VARIABLE: make_variable(s, node); break;
    case N_IMAGE: make_image(s, node); break;
    case N_SET: set(s, node); break;
    case N_COPY: copy(s, node); break;
    case N_PRINT: print(s, node); break;
    case N_WRITE: write_file(s, node); break;
    default: expect(s, node); break;
    }
}
