/* array.c - making and filling arrays, and the plain file formats (.bin, .csv).
 *
 * An array is its bytes as the device holds them, plus type and shape. Everything here works on host memory;
 * run.c copies to and from the device. */
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"

/* ---- making ---- */

size_t array_bytes(const struct array *array)
{
    return array->count * array->type->size;
}

void array_allocate(struct array *array)
{
    size_t bytes = array->type->size;
    array->count = 1;
    for (unsigned i = 0; i < array->dimensions; i++) {
        if (__builtin_mul_overflow(bytes, array->shape[i], &bytes))
            fail(EXIT_USAGE, "an array of this shape has more than 2^64 bytes");
        array->count *= array->shape[i];
    }
    array->data = must_alloc(bytes);
}

void array_free(struct array *array)
{
    free(array->data);
    array->data = NULL;
}

struct array array_copy(const struct array *array)
{
    struct array copy = *array;
    array_allocate(&copy);
    memcpy(copy.data, array->data, array_bytes(array));
    return copy;
}

void array_describe(const struct array *array, char *text, size_t size)
{
    int at = snprintf(text, size, "%s[", array->type->name);
    for (unsigned i = 0; i < array->dimensions && (size_t)at < size; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%zu", i ? "," : "", array->shape[i]);
    if ((size_t)at < size) snprintf(text + at, size - (size_t)at, "]");
}

/* ---- filling ---- */

/* splitmix64's output function: element i of a seed without the elements before it. */
static uint64_t random_bits(uint64_t seed, uint64_t i)
{
    uint64_t x = (seed + i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* As many random bits as the type has mantissa, so that rounding never gives 1. */
static double random_unit(const struct element_type *type, uint64_t bits)
{
    const unsigned precision = type->size == 8 ? 53 : type->size == 4 ? 24 : type->name[0] == 'b' ? 8 : 11;
    return (double)(bits >> (64 - precision)) / (double)((uint64_t)1 << precision);
}

static void fill_random(struct array *array, uint64_t seed)
{
    for (size_t i = 0; i < array->count; i++) {
        const uint64_t bits = random_bits(seed * 0x2545f4914f6cdd1du, i);
        if (array->type->kind == KIND_FLOAT)
            element_set_double(array->type, random_unit(array->type, bits), array_at(array, i));
        else
            element_set_index(array->type, bits, array_at(array, i));
    }
}

static bool fill_number(struct array *array, const char *number)
{
    unsigned char element[8] = {0};
    char *end = NULL;
    if (!element_parse(array->type, number, &end, element) || *end) return false;
    for (size_t i = 0; i < array->count; i++) memcpy(array_at(array, i), element, array->type->size);
    return true;
}

bool array_fill(struct array *array, const char *init, uint64_t seed)
{
    array->unset = strcmp(init, "unset") == 0;
    if (array->unset || strcmp(init, "zeros") == 0) {
        memset(array->data, 0, array_bytes(array));
    } else if (strcmp(init, "iota") == 0) {
        for (size_t i = 0; i < array->count; i++) element_set_index(array->type, i, array_at(array, i));
    } else if (strcmp(init, "random") == 0) {
        fill_random(array, seed);
    } else if (file_format_of(init) != FORMAT_NONE) {
        array_read(array, init);
    } else {
        return fill_number(array, init);
    }
    return true;
}

/* ---- text ---- */

static const char blanks[] = ", \t\r\n";

long array_parse(struct array *array, const char *text)
{
    size_t n = 0;
    unsigned char ignored[8] = {0};
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks), n++) {
        char *end = NULL;
        if (!element_parse(array->type, text, &end, n < array->count ? array_at(array, n) : ignored))
            return -1;
        if (*end && !strchr(blanks, *end)) return -1;
        text = end;
    }
    return (long)n;
}

/* How many words a comma-separated text has, and how many lines that are not empty. */
static void csv_shape(const char *text, size_t *words, size_t *lines)
{
    *words = *lines = 0;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const size_t before = *words;
        for (size_t i = 0; i < length;) {
            i += strspn(text + i, ", \t\r");
            const size_t word = strcspn(text + i, blanks);
            if (i < length && word) ++*words;
            i += word;
        }
        *lines += *words > before;
        text += length + (text[length] == '\n');
    }
}

static void need_count(const struct array *array, size_t count, const char *file_name)
{
    if (array->count != count)
        fail(EXIT_USAGE, "%s has %zu elements, the array has %zu", file_name, count, array->count);
}

static void csv_read(struct array *array, const char *text, const char *file_name)
{
    size_t words, lines;
    csv_shape(text, &words, &lines);
    if (!array->type) fail(EXIT_USAGE, "%s: a .csv file needs a type: f32[...]=%s", file_name, file_name);
    if (array->data) {
        need_count(array, words, file_name);
    } else {
        const bool table = lines > 1 && words % lines == 0 && words > lines;
        array->dimensions = table ? 2 : 1;
        array->shape[0] = table ? lines : words;
        array->shape[1] = table ? words / lines : 0;
        array_allocate(array);
    }
    if (array_parse(array, text) != (long)words)
        fail(EXIT_USAGE, "%s holds something that is no %s", file_name, array->type->name);
}

static void bin_read(struct array *array, const char *bytes, size_t size, const char *file_name)
{
    if (!array->type) array->type = element_type_find("b8", 2);
    if (size % array->type->size)
        fail(EXIT_USAGE, "%s has %zu bytes, no whole number of %s", file_name, size, array->type->name);
    if (array->data) {
        need_count(array, size / array->type->size, file_name);
    } else {
        array->dimensions = 1;
        array->shape[0] = size / array->type->size;
        array_allocate(array);
    }
    memcpy(array->data, bytes, size);
}

static void csv_write(const struct array *array, FILE *file)
{
    const size_t columns = array->dimensions ? array->shape[array->dimensions - 1] : 1;
    char text[40];
    for (size_t i = 0; i < array->count; i++) {
        element_print(array->type, array_at(array, i), text);
        fprintf(file, "%s%c", text, (i + 1) % columns ? ',' : '\n');
    }
}

/* ---- files ---- */

enum file_format file_format_of(const char *name)
{
    static const char endings[][5] = {"", ".npy", ".bin", ".csv", ".png"};
    const char *dot = strrchr(name, '.');
    for (int i = FORMAT_NPY; dot && i <= FORMAT_PNG; i++)
        if (strcmp(dot, endings[i]) == 0) return (enum file_format)i;
    return FORMAT_NONE;
}

char *file_text(const char *file_name, size_t *size)
{
    FILE *file = strcmp(file_name, "-") == 0 ? stdin : fopen(file_name, "rb");
    size_t room = 1 << 16, got;
    char *text;
    if (!file) return NULL;
    text = must_alloc(room);
    errno = 0;
    for (*size = 0; (got = fread(text + *size, 1, room - *size - 1, file)) > 0;) {
        *size += got;
        if (room - *size < 2) text = must_grow(text, room *= 2);
    }
    text[*size] = '\0';
    const int error = ferror(file) ? (errno ? errno : EIO) : 0;
    if (file != stdin) fclose(file);
    if (!error) return text;
    free(text);
    errno = error;
    return NULL;
}

void array_read(struct array *array, const char *file_name)
{
    const enum file_format format = file_format_of(file_name);
    size_t size;
    if (format == FORMAT_NPY || format == FORMAT_PNG) {
        FILE *file = fopen(file_name, "rb");
        if (!file) fail(EXIT_USAGE, "%s: %s", file_name, strerror(errno));
        (format == FORMAT_NPY ? npy_read : png_read)(array, file, file_name);
        fclose(file);
        return;
    }
    char *text = file_text(file_name, &size);
    if (!text) fail(EXIT_USAGE, "%s: %s", file_name, strerror(errno));
    if (format == FORMAT_CSV)
        csv_read(array, text, file_name);
    else
        bin_read(array, text, size, file_name);
    free(text);
}

void array_write(const struct array *array, const char *file_name)
{
    FILE *file = fopen(file_name, "wb");
    bool failed;
    if (!file) fail(EXIT_USAGE, "%s: %s", file_name, strerror(errno));
    switch (file_format_of(file_name)) {
    case FORMAT_NPY: npy_write(array, file); break;
    case FORMAT_CSV: csv_write(array, file); break;
    case FORMAT_PNG: png_write(array, file, file_name); break;
    case FORMAT_BIN: fwrite(array->data, 1, array_bytes(array), file); break;
    case FORMAT_NONE: break; /* options.c has refused it */
    }
    failed = ferror(file) != 0;
    if (fclose(file) || failed) fail(EXIT_USAGE, "%s: cannot write: %s", file_name, strerror(errno));
}
