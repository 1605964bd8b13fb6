/* element.h - the element types of arrays: u8..u64 s8..s64 f16 bf16 f32 f64 b8..b64 (i8..i64 mean s8..s64).
 */
#ifndef PTXVM_ELEMENT_H
#define PTXVM_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element_kind { KIND_UNSIGNED, KIND_SIGNED, KIND_BITS, KIND_FLOAT };

struct element_type {
    const char *name; /* "f32" */
    enum element_kind kind;
    unsigned size;     /* bytes */
    const char *numpy; /* dtype in a .npy header: "<f4" */
    int texel;         /* ptx_format of texels; -1: there are none of this type */
};

/* The type called by the first `length` bytes of `name`; NULL when there is none. */
const struct element_type *element_type_find(const char *name, size_t length);
/* The type with a numpy dtype such as "<f4"; NULL when there is none. */
const struct element_type *element_type_of_numpy(const char *dtype);
/* The type by kind and size; NULL when there is none. */
const struct element_type *element_type_of(enum element_kind kind, unsigned size);

/*
 * Reads one number at `text` and stores it at `to`. `*end` is set past it. False when there is no number, or
 * when it does not fit. Integers: decimal, 0x, negative; floats also inf, nan, 0x1p3, 0f3F800000, 0d...
 */
bool element_parse(const struct element_type *type, const char *text, char **end, void *to);

/* Stores a small whole number (iota, zeros) or a double, rounded to nearest even; integers wrap. */
void element_set_index(const struct element_type *type, uint64_t i, void *to);
void element_set_double(const struct element_type *type, double value, void *to);

double element_double(const struct element_type *type, const void *from);

/* The shortest text that reads back as the same value. `text` holds at least 40 bytes. */
void element_print(const struct element_type *type, const void *from, char *text);

/* Distance in units of the last place of two floats of a type; UINT64_MAX when one is NaN. */
uint64_t element_ulps(const struct element_type *type, const void *a, const void *b);

/* a < b, for values that are not NaN. */
bool element_less(const struct element_type *type, const void *a, const void *b);
bool element_is_nan(const struct element_type *type, const void *from);

#endif
