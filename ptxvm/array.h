/* array.h - arrays of elements with a shape, and where they come from and go to. */
#ifndef PTXVM_ARRAY_H
#define PTXVM_ARRAY_H

#include <stdio.h>
#include "element.h"

enum { MAX_DIMENSIONS = 8 };

struct array {
    const struct element_type *type; /* NULL: no array */
    unsigned dimensions;             /* 0 means one element */
    size_t shape[MAX_DIMENSIONS];    /* the last varies fastest */
    size_t count;                    /* elements: the product of the shape */
    unsigned char *data;             /* owned */
    bool unset;                      /* device memory that nobody writes before the run */
};

size_t array_bytes(const struct array *array);
static inline unsigned char *array_at(const struct array *array, size_t i)
{
    return array->data + i * array->type->size;
}

/* Allocates zeroed data for type and shape; gives up when the size is absurd. */
void array_allocate(struct array *array);
void array_free(struct array *array);
struct array array_copy(const struct array *array);

/* "f32[100,75]" into *text. */
void array_describe(const struct array *array, char *text, size_t size);

/*
 * Fills an array by a word: zeros, iota (0, 1, 2, ...), random (floats in [0,1), integers of all bits;
 * element i of a seed is always the same), a number, or a file. False with no change when `init` is none of
 * these; a file that cannot be used gives up with the reason.
 */
bool array_fill(struct array *array, const char *init, uint64_t seed);

/* Reads numbers apart by commas, blanks or line ends into the array; the number read, or -1 at a word that is
 * none. */
long array_parse(struct array *array, const char *text);

/* ---- files: the ending of the name tells the format ---- */

enum file_format { FORMAT_NONE, FORMAT_NPY, FORMAT_BIN, FORMAT_CSV, FORMAT_PNG };
enum file_format file_format_of(const char *name);

/*
 * Reads a .npy, .bin, .csv or .png file (u8[H,W], or with 3 or 4 channels). An array with a type must get
 * that type, and one with data the same number of elements; otherwise type (from a .npy) and shape come from
 * the file. Gives up with the reason on failure.
 */
void array_read(struct array *array, const char *file_name);
/* Writes .npy, .bin, .csv or .png; gives up with the reason on failure. */
void array_write(const struct array *array, const char *file_name);

/* npy.c, png.c; `file_name` is for messages. */
void npy_read(struct array *array, FILE *file, const char *file_name);
void npy_write(const struct array *array, FILE *file);
void png_read(struct array *array, FILE *file, const char *file_name);
void png_write(const struct array *array, FILE *file, const char *file_name);

/* The whole of a file, NUL-terminated; NULL with errno set. "-" is standard input. */
char *file_text(const char *file_name, size_t *size);

#endif
