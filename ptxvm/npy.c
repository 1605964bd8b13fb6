/* npy.c - numpy's .npy files, format 1.0 to 3.0, in C order; written little-endian.
 *
 * The header is a Python dictionary literal; the three keys are looked for by name, which accepts everything
 * that numpy writes. Format: numpy.lib.format in numpy's reference. */
#include "array.h"

#include <stdlib.h>
#include <string.h>
#include "fail.h"

static const char magic[] = "\x93NUMPY";

/* The header text of a file positioned at its start. */
static char *header_text(FILE *file, const char *file_name)
{
    unsigned char head[12];
    size_t length;
    char *text;
    if (fread(head, 1, 10, file) != 10 || memcmp(head, magic, 6) != 0 || head[6] < 1 || head[6] > 3)
        fail(EXIT_USAGE, "%s is no .npy file", file_name);
    length = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1) {
        if (fread(head + 10, 1, 2, file) != 2) fail(EXIT_USAGE, "%s: the header is cut short", file_name);
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (length > 1 << 20) fail(EXIT_USAGE, "%s: the header is larger than a megabyte", file_name);
    text = must_alloc(length + 1);
    if (fread(text, 1, length, file) != length) fail(EXIT_USAGE, "%s: the header is cut short", file_name);
    return text;
}

/* What follows "'key':" in the header. */
static const char *header_value(const char *header, const char *key, const char *file_name)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    if (!at) fail(EXIT_USAGE, "%s: the header lacks %s", file_name, key);
    return at + 1 + strspn(at + 1, " ");
}

static const struct element_type *header_type(const char *header, const char *file_name, bool *big_endian)
{
    const char *value = header_value(header, "'descr'", file_name);
    char dtype[8] = "";
    const struct element_type *type;
    if (sscanf(value, "'%7[^']'", dtype) != 1 || !(type = element_type_of_numpy(dtype)))
        fail(EXIT_USAGE, "%s: elements of dtype %.20s cannot be used", file_name, value);
    *big_endian = dtype[0] == '>';
    return type;
}

static void swap_bytes(struct array *array)
{
    const unsigned size = array->type->size;
    for (size_t i = 0; i < array->count; i++) {
        unsigned char *element = array_at(array, i);
        for (unsigned k = 0; k < size / 2; k++) {
            const unsigned char byte = element[k];
            element[k] = element[size - 1 - k];
            element[size - 1 - k] = byte;
        }
    }
}

static void header_shape(const char *header, const char *file_name, struct array *array)
{
    const char *at = header_value(header, "'shape'", file_name);
    array->dimensions = 0;
    if (strncmp(header_value(header, "'fortran_order'", file_name), "False", 5) != 0)
        fail(EXIT_USAGE, "%s is in Fortran order; save numpy.ascontiguousarray(a)", file_name);
    for (at += strcspn(at, "(") + 1; *at && *at != ')'; at += strspn(at, ", ")) {
        char *end;
        const size_t extent = strtoull(at, &end, 10);
        if (end == at || array->dimensions == MAX_DIMENSIONS)
            fail(EXIT_USAGE, "%s: the shape is not understood", file_name);
        array->shape[array->dimensions++] = extent;
        at = end;
    }
}

/* A type of bits only takes any type of its size. */
static bool types_agree(const struct element_type *wanted, const struct element_type *found)
{
    return wanted->size == found->size &&
           (wanted->kind == found->kind || wanted->kind == KIND_BITS || found->numpy[1] == 'V');
}

void npy_read(struct array *array, FILE *file, const char *file_name)
{
    struct array found = {0};
    bool big_endian;
    char *header = header_text(file, file_name);
    found.type = header_type(header, file_name, &big_endian);
    header_shape(header, file_name, &found);
    free(header);
    if (array->type && !types_agree(array->type, found.type))
        fail(EXIT_USAGE, "%s holds %s, the array is %s", file_name, found.type->name, array->type->name);
    array_allocate(&found);
    if (fread(found.data, found.type->size, found.count, file) != found.count)
        fail(EXIT_USAGE, "%s is cut short", file_name);
    if (big_endian) swap_bytes(&found);
    if (!array->data) {
        if (array->type) found.type = array->type;
        *array = found;
        return;
    }
    if (array->count != found.count)
        fail(EXIT_USAGE, "%s has %zu elements, the array has %zu", file_name, found.count, array->count);
    memcpy(array->data, found.data, array_bytes(array));
    array_free(&found);
}

void npy_write(const struct array *array, FILE *file)
{
    char header[256], padded[320];
    int at = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                      array->type->numpy);
    for (unsigned i = 0; i < array->dimensions; i++)
        at += snprintf(header + at, sizeof header - (size_t)at, i ? " %zu," : "%zu,", array->shape[i]);
    if (array->dimensions > 1) at--; /* only a tuple of one needs its comma */
    snprintf(header + at, sizeof header - (size_t)at, "), }");
    /* Magic, version, length and header together are a multiple of 64 bytes, and end in a newline. */
    const size_t total = (10 + strlen(header) + 1 + 63) / 64 * 64, length = total - 10;
    snprintf(padded, sizeof padded, "%-*s\n", (int)length - 1, header);
    fwrite(magic, 1, 6, file);
    fputc(1, file);
    fputc(0, file);
    fputc((int)(length & 255), file);
    fputc((int)(length >> 8), file);
    fwrite(padded, 1, length, file);
    fwrite(array->data, 1, array_bytes(array), file);
}
