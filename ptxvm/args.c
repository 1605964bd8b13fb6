/* args.c - from -a words to a parameter buffer and device buffers.
 *
 * First every word is given its parameter, then each parameter is filled: with a number typed by the
 * parameter, with the address of a new buffer, or, for a structure, member by member. Device addresses are
 * only known after arguments_upload; until then a buffer remembers where its address belongs. */
#include "args.h"

#include <stdlib.h>
#include <string.h>
#include "fail.h"

/* Where the value of a parameter, or of a member of one, goes. */
struct place {
    struct arguments *arguments;
    const struct options *options;
    const char *name; /* for messages, and of the buffer */
    size_t param;
    size_t offset; /* in the parameter buffer */
};

/* ---- buffers ---- */

static struct buffer *add_buffer(const struct place *place, const struct array *array)
{
    struct arguments *all = place->arguments;
    all->buffers = must_grow(all->buffers, (all->n + 1) * sizeof *all->buffers);
    all->buffers[all->n++] = (struct buffer){.name = must_copy(place->name, strlen(place->name)),
                                             .param = place->param,
                                             .offset = place->offset,
                                             .before = *array};
    return &all->buffers[all->n - 1];
}

/* "TYPE[N,M]" at the start of `spec`; the rest of it, or NULL when it starts otherwise. */
static const char *parse_type_and_shape(const char *spec, struct array *array)
{
    const size_t word = strcspn(spec, "[=:");
    const char *at = spec + word + 1;
    array->type = element_type_find(spec, word);
    if (!array->type || spec[word] != '[') return NULL;
    if (*at == ']') return at + 1;
    for (;; at++) {
        char *end;
        const size_t extent = strtoull(at, &end, 0);
        if (end == at || *at == '-' || array->dimensions == MAX_DIMENSIONS)
            fail(EXIT_USAGE, "-a %s: the shape is not N, or N,M,...", spec);
        array->shape[array->dimensions++] = extent;
        at = end;
        if (*at == ']') return at + 1;
        if (*at != ',') fail(EXIT_USAGE, "-a %s: the shape lacks its ]", spec);
    }
}

bool arguments_array(struct array *array, const char *spec, uint64_t seed)
{
    const char *rest = parse_type_and_shape(spec, array);
    if (!rest) {
        array->type = NULL;
        if (file_format_of(spec) != FORMAT_NPY && file_format_of(spec) != FORMAT_PNG) return false;
        array_read(array, spec);
        return true;
    }
    if (*rest && *rest != '=') fail(EXIT_USAGE, "-a %s: after the shape comes =INIT", spec);
    if (array->dimensions == 0) {
        if (*rest != '=' || file_format_of(rest + 1) == FORMAT_NONE)
            fail(EXIT_USAGE, "-a %s: without a shape it takes =FILE", spec);
        array_read(array, rest + 1);
        return true;
    }
    array_allocate(array);
    if (*rest == '=' && !array_fill(array, rest + 1, seed))
        fail(EXIT_USAGE,
             "-a %s: '%s' is none of zeros, iota, random, unset, a number, FILE.npy, FILE.bin, FILE.csv",
             spec, rest + 1);
    return true;
}

/* A texture or surface, of which the parameter gets the handle. */
static bool bind_texture(const struct place *place, const char *spec, size_t size)
{
    struct array array = {0};
    struct texture texture;
    if (!texture_parse(&texture, &array, spec, place->options->seed + place->offset)) return false;
    if (size != 8)
        fail(EXIT_USAGE, "%s has %zu bytes, which is no handle; -a %s needs one", place->name, size, spec);
    struct buffer *buffer = add_buffer(place, &array);
    buffer->texture = must_alloc(sizeof texture);
    *buffer->texture = texture;
    return true;
}

/* True when the word was a buffer, which is then made. */
static bool bind_buffer(const struct place *place, const char *spec, size_t size)
{
    struct array array = {0};
    if (bind_texture(place, spec, size)) return true;
    if (!arguments_array(&array, spec, place->options->seed + place->offset)) return false;
    if (size != 8)
        fail(EXIT_USAGE, "%s has %zu bytes, which is no pointer; -a %s needs one", place->name, size, spec);
    add_buffer(place, &array);
    return true;
}

/* ---- numbers ---- */

/* "TYPE:" at the start of `spec`, moved past; else NULL. */
static const struct element_type *explicit_type(const char **spec)
{
    const size_t word = strcspn(*spec, ":");
    const struct element_type *type = (*spec)[word] ? element_type_find(*spec, word) : NULL;
    if (type) *spec += word + 1;
    return type;
}

static void bind_number(const struct place *place, const struct element_type *type, const char *spec)
{
    char *end = NULL;
    if (!element_parse(type, spec, &end, place->arguments->params + place->offset) || *end)
        fail(EXIT_USAGE, "-a for %s: '%s' is no %s", place->name, spec, type->name);
}

/* A scalar parameter. A float given for an integer parameter is refused; bits take either. */
static void bind_scalar(const struct place *place, const ptx_param_info *info, const char *spec)
{
    const char *number = spec;
    const struct element_type *typed = explicit_type(&number);
    const struct element_type *type = typed ? typed : element_type_find(info->type, strlen(info->type));
    if (bind_buffer(place, spec, info->size)) return;
    if (!type) fail(EXIT_USAGE, "%s is a .%s, which no number can be given for", place->name, info->type);
    if (type->size != info->size)
        fail(EXIT_USAGE, "-a %s: %s has %zu bytes, a %s has %u", spec, place->name, info->size, type->name,
             type->size);
    bind_number(place, type, number);
}

/* ---- structures ---- */

static size_t align_up(size_t offset, size_t align)
{
    return (offset + align - 1) / align * align;
}

/* "zeros:N": N bytes of which nothing needs to be said. */
static bool parse_zeros(const char *spec, size_t *bytes)
{
    static const char word[] = "zeros:";
    char *end;
    if (strncmp(spec, word, sizeof word - 1) != 0) return false;
    spec += sizeof word - 1;
    *bytes = strtoull(spec, &end, 10);
    return *spec >= '0' && *spec <= '9' && !*end;
}

/* One member at or after `offset` of the structure: where the next may start. Raises *align to the member's.
 */
static size_t bind_member(const struct place *place, const char *spec, size_t offset, size_t size,
                          size_t *align)
{
    const char *number = spec;
    size_t zeros;
    if (parse_zeros(spec, &zeros)) {
        if (zeros > size - offset)
            fail(EXIT_USAGE, "-a for %s: the members need more than its %zu bytes", place->name, size);
        return offset + zeros;
    }
    const struct element_type *type = explicit_type(&number);
    const size_t width = type ? type->size : 8, at = align_up(offset, width);
    struct place member = *place;
    member.offset += at;
    if (at + width > size)
        fail(EXIT_USAGE, "-a for %s: the members need more than its %zu bytes", place->name, size);
    if (width > *align) *align = width;
    if (type)
        bind_number(&member, type, number);
    else if (!bind_buffer(&member, spec, 8))
        fail(EXIT_USAGE, "-a for %s: member '%s' is none of TYPE:NUMBER, TYPE[N]=INIT, zeros:BYTES",
             place->name, spec);
    return at + width;
}

/* "{SPEC;SPEC}", laid out as C does. */
static void bind_members(const struct place *place, const ptx_param_info *info, const char *spec)
{
    char *list = must_copy(spec + 1, strlen(spec + 1));
    size_t offset = 0, align = 1;
    unsigned index = 0;
    if (!*list || list[strlen(list) - 1] != '}') fail(EXIT_USAGE, "-a %s lacks its }", spec);
    list[strlen(list) - 1] = '\0';
    char *rest = list;
    for (char *word; (word = strtok_r(rest, ";", &rest)) != NULL; index++) {
        char *name = must_print("%s.%u", place->name, index);
        struct place member = *place;
        member.name = name;
        offset = bind_member(&member, word, offset, info->size, &align);
        free(name);
    }
    free(list);
    if (align_up(offset, align) != info->size)
        fail(EXIT_USAGE, "-a for %s: the members need %zu bytes, it has %zu", place->name,
             align_up(offset, align), info->size);
}

/* An array parameter (".b8 p[24]", as a structure is declared): members, the bytes of a file, or all
 * elements. */
static void bind_array(const struct place *place, const ptx_param_info *info, const char *spec)
{
    struct array view = {.type = element_type_find(info->type, strlen(info->type)), .count = info->count};
    if (*spec == '{') {
        bind_members(place, info, spec);
        return;
    }
    if (!view.type) fail(EXIT_USAGE, "%s is a .%s, which no value can be given for", place->name, info->type);
    view.data = must_alloc(info->size);
    if (file_format_of(spec) != FORMAT_NONE) {
        array_read(&view, spec);
    } else {
        const long n = array_parse(&view, spec);
        if (n < 0 || (size_t)n != info->count)
            fail(EXIT_USAGE, "%s is .%s[%zu]: give {SPEC;...}, FILE.bin, or all %zu numbers, not '%s'",
                 place->name, info->type, info->count, info->count, spec);
    }
    memcpy(place->arguments->params + place->offset, view.data, info->size);
    array_free(&view);
}

/* ---- giving words their parameters ---- */

/* Splits "NAME=SPEC"; NULL when the word has no name. `*spec` is set to the rest. Owned by the caller. */
static char *word_name(const char *word, const char **spec)
{
    const size_t length = strcspn(word, "=[{");
    *spec = word;
    if (word[length] != '=') return NULL;
    *spec = word + length + 1;
    return must_copy(word, length);
}

static void place_word(const char **specs, size_t n, size_t index, const char *spec, const char *word)
{
    if (index >= n) fail(EXIT_USAGE, "-a %s: there are only %zu parameters", word, n);
    if (specs[index]) fail(EXIT_USAGE, "-a %s: parameter %zu is given twice", word, index);
    specs[index] = spec;
}

/* One spec for each parameter; unnamed words take the parameters in order that no name has claimed. */
static const char **assign_words(const struct kernel *kernel, const struct words *words)
{
    const size_t n = kernel->info.param_count;
    const char **specs = must_alloc((n + 1) * sizeof *specs);
    for (unsigned w = 0; w < words->n; w++) {
        const char *spec;
        char *name = word_name(words->at[w], &spec);
        const long index = name ? kernel_param_find(kernel, name) : -1;
        if (name && index < 0)
            fail(EXIT_USAGE, "-a %s: %s has no parameter '%s'", words->at[w], kernel->info.name, name);
        if (name) place_word(specs, n, (size_t)index, spec, words->at[w]);
        free(name);
    }
    size_t next = 0;
    for (unsigned w = 0; w < words->n; w++) {
        const char *spec;
        char *name = word_name(words->at[w], &spec);
        while (next < n && specs[next]) next++;
        if (!name) place_word(specs, n, next, spec, words->at[w]);
        free(name);
    }
    return specs;
}

void arguments_make(struct arguments *arguments, const struct kernel *kernel, const struct options *options)
{
    const char **specs = assign_words(kernel, &options->arguments);
    *arguments = (struct arguments){.param_bytes = kernel->info.param_bytes};
    arguments->params = must_alloc(arguments->param_bytes + 16);
    for (size_t i = 0; i < kernel->info.param_count; i++) {
        const ptx_param_info info = kernel_param(kernel, i);
        const struct place place = {arguments, options, kernel_param_short(kernel, info.name), i,
                                    info.offset};
        if (!specs[i])
            fail(EXIT_USAGE, "no argument for parameter %zu, .%s %s; ptxvm --list shows all", i, info.type,
                 info.name);
        if (info.count == 1 && *specs[i] != '{')
            bind_scalar(&place, &info, specs[i]);
        else
            bind_array(&place, &info, specs[i]);
    }
    free(specs);
}

/* ---- the device ---- */

void arguments_upload(struct arguments *arguments, ptx_device *device)
{
    for (unsigned i = 0; i < arguments->n; i++) {
        struct buffer *buffer = &arguments->buffers[i];
        const size_t size = array_bytes(&buffer->before);
        if (buffer->texture) {
            texture_make(buffer->texture, &buffer->before, device, buffer->name, 0);
            memcpy(arguments->params + buffer->offset, &buffer->texture->handle,
                   sizeof buffer->texture->handle);
            continue;
        }
        ptx_status status = ptx_memory_alloc(device, size ? size : 1, &buffer->address);
        if (status == PTX_OK && size && !buffer->before.unset)
            status = ptx_memory_write(device, buffer->address, buffer->before.data, size);
        if (status != PTX_OK)
            fail(EXIT_STOPPED, "no device memory for the %zu bytes of %s: %s", size, buffer->name,
                 ptx_status_name(status));
        memcpy(arguments->params + buffer->offset, &buffer->address, sizeof buffer->address);
    }
}

void arguments_release(const struct arguments *arguments, ptx_device *device)
{
    for (unsigned i = 0; i < arguments->n; i++)
        if (!arguments->buffers[i].texture) ptx_memory_free(device, arguments->buffers[i].address);
}

/* TYPE:NUMBER as an array of one, or a buffer spec. */
static struct array parse_value(const char *name, const char *spec, uint64_t seed)
{
    struct array array = {0};
    char *end = NULL;
    if (arguments_array(&array, spec, seed)) return array;
    const char *number = spec;
    array.type = explicit_type(&number);
    if (!array.type) fail(EXIT_USAGE, "--set %s: '%s' is neither TYPE:NUMBER nor TYPE[N]=INIT", name, spec);
    array_allocate(&array);
    if (!element_parse(array.type, number, &end, array.data) || *end)
        fail(EXIT_USAGE, "--set %s: '%s' is no %s", name, number, array.type->name);
    return array;
}

bool variable_find(ptx_program *program, const struct modules *modules, const char *name,
                   ptx_address *address, uint64_t *size)
{
    const char *own = name;
    const long module = modules_find(modules, name, &own);
    if (module < 0) return ptx_program_variable(program, name, address, size) == PTX_OK;
    return ptx_program_module_variable(program, (size_t)module, own, address, size) == PTX_OK;
}

/* A .texref or .surfref of the program is bound to an image. */
static bool set_reference(ptx_device *device, ptx_program *program, const char *name, const char *spec,
                          uint64_t seed)
{
    ptx_reference_info info = {.struct_size = sizeof info};
    struct array array = {0};
    struct texture texture;
    if (ptx_program_reference(program, name, &info, NULL) != PTX_OK) return false;
    if (!texture_parse(&texture, &array, spec, seed))
        fail(EXIT_USAGE, "--set %s: '%s' is no texture2d:FILE or the like", name, spec);
    texture_make(&texture, &array, device, name, info.reference);
    array_free(&array);
    return true;
}

static void set_variable(ptx_device *device, ptx_program *program, const struct modules *modules,
                         const char *word, uint64_t seed)
{
    const char *equals = strchr(word, '=');
    char *name = must_copy(word, (size_t)(equals - word));
    ptx_address address;
    uint64_t size;
    if (set_reference(device, program, name, equals + 1, seed)) {
        free(name);
        return;
    }
    if (!variable_find(program, modules, name, &address, &size))
        fail(EXIT_USAGE, "--set: there is no .global or .const variable called '%s'", name);
    struct array array = parse_value(name, equals + 1, seed);
    if (array_bytes(&array) != size)
        fail(EXIT_USAGE, "--set %s: it has %llu bytes, '%s' has %zu", name, (unsigned long long)size,
             equals + 1, array_bytes(&array));
    if (ptx_memory_write(device, address, array.data, size) != PTX_OK)
        fail(EXIT_STOPPED, "--set %s: it cannot be written", name);
    array_free(&array);
    free(name);
}

void variables_set(ptx_device *device, ptx_program *program, const struct modules *modules,
                   const struct options *options)
{
    for (unsigned i = 0; i < options->sets.n; i++)
        set_variable(device, program, modules, options->sets.at[i], options->seed);
}

void arguments_download(struct arguments *arguments, ptx_device *device)
{
    for (unsigned i = 0; i < arguments->n; i++) {
        struct buffer *buffer = &arguments->buffers[i];
        const size_t size = array_bytes(&buffer->before);
        buffer->after = buffer->before;
        array_allocate(&buffer->after);
        if (buffer->texture)
            texture_read(buffer->texture, &buffer->after, device, buffer->name);
        else if (size && ptx_memory_read(device, buffer->after.data, buffer->address, size) != PTX_OK)
            fail(EXIT_STOPPED, "%s cannot be read back from the device", buffer->name);
    }
}

void arguments_free(struct arguments *arguments)
{
    for (unsigned i = 0; i < arguments->n; i++) {
        free(arguments->buffers[i].name);
        array_free(&arguments->buffers[i].before);
        array_free(&arguments->buffers[i].after);
        free(arguments->buffers[i].texture);
    }
    free(arguments->buffers);
    free(arguments->params);
}

bool buffer_changed(const struct buffer *buffer)
{
    return memcmp(buffer->before.data, buffer->after.data, array_bytes(&buffer->before)) != 0;
}

struct buffer *arguments_find(const struct arguments *arguments, const struct kernel *kernel,
                              const char *name, size_t length)
{
    char *wanted = must_copy(name, length);
    struct buffer *found = NULL;
    const long param = kernel_param_find(kernel, wanted);
    for (unsigned i = 0; i < arguments->n && !found; i++) {
        struct buffer *buffer = &arguments->buffers[i];
        if (strcmp(buffer->name, wanted) == 0 || (param >= 0 && buffer->param == (size_t)param))
            found = buffer;
    }
    if (!found) {
        for (unsigned i = 0; i < arguments->n; i++)
            fprintf(stderr, "%s%s", i ? ", " : "buffers: ", arguments->buffers[i].name);
        if (arguments->n) fputc('\n', stderr);
        fail(EXIT_USAGE, "%s has no buffer called '%s'", kernel->info.name, wanted);
    }
    free(wanted);
    return found;
}
