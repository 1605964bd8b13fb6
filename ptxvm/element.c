/* element.c - reading, printing and comparing single elements of every type.
 *
 * One table names the types. A value is held as its bytes in little-endian order, as a device holds it; the
 * small floats (f16, bf16) go through double, which holds both exactly, and are rounded once, to nearest
 * even. */
#include "element.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_texture.h"

static const struct element_type types[] = {
    {"u8", KIND_UNSIGNED, 1, "|u1", PTX_FORMAT_U8},
    {"u16", KIND_UNSIGNED, 2, "<u2", PTX_FORMAT_U16},
    {"u32", KIND_UNSIGNED, 4, "<u4", PTX_FORMAT_U32},
    {"u64", KIND_UNSIGNED, 8, "<u8", -1},
    {"s8", KIND_SIGNED, 1, "|i1", PTX_FORMAT_S8},
    {"s16", KIND_SIGNED, 2, "<i2", PTX_FORMAT_S16},
    {"s32", KIND_SIGNED, 4, "<i4", PTX_FORMAT_S32},
    {"s64", KIND_SIGNED, 8, "<i8", -1},
    {"f16", KIND_FLOAT, 2, "<f2", PTX_FORMAT_F16},
    {"bf16", KIND_FLOAT, 2, "<V2", -1},
    {"f32", KIND_FLOAT, 4, "<f4", PTX_FORMAT_F32},
    {"f64", KIND_FLOAT, 8, "<f8", -1},
    {"b8", KIND_BITS, 1, "|u1", -1},
    {"b16", KIND_BITS, 2, "<u2", -1},
    {"b32", KIND_BITS, 4, "<u4", -1},
    {"b64", KIND_BITS, 8, "<u8", -1},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

/* ---- finding types ---- */

const struct element_type *element_type_find(const char *name, size_t length)
{
    char spelling[8];
    if (length == 0 || length >= sizeof spelling) return NULL;
    memcpy(spelling, name, length);
    spelling[length] = '\0';
    if (spelling[0] == 'i') spelling[0] = 's';
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, spelling) == 0) return &types[i];
    return NULL;
}

/* numpy also writes booleans ("|b1") and spells one-byte types with '<'; '>' and '=' only tell the byte
 * order. */
const struct element_type *element_type_of_numpy(const char *dtype)
{
    if (strcmp(dtype, "|b1") == 0) return element_type_find("u8", 2);
    if (strcmp(dtype + 1, "V2") == 0) return element_type_find("bf16", 4);
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].numpy + 1, dtype + 1) == 0) return &types[i];
    return NULL;
}

const struct element_type *element_type_of(enum element_kind kind, unsigned size)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (types[i].kind == kind && types[i].size == size) return &types[i];
    return NULL;
}

/* ---- half formats ---- */

struct small_float {
    int exponent_bits, mantissa_bits;
};

static struct small_float small_float_of(const struct element_type *type)
{
    return type->name[0] == 'b' ? (struct small_float){8, 7} : (struct small_float){5, 10};
}

static uint16_t small_from_double(struct small_float format, double value)
{
    const int bias = (1 << (format.exponent_bits - 1)) - 1, lowest = 1 - bias;
    const unsigned infinity = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    int exponent;
    if (isnan(value)) return 0x7fff;
    if (isinf(value)) return (uint16_t)(sign | infinity);
    if (value == 0) return (uint16_t)sign;
    frexp(value, &exponent);
    exponent = exponent - 1 < lowest ? lowest : exponent - 1;
    /* In units of the last place; nearbyint rounds to nearest even. A carry moves into the exponent by
     * itself. */
    const double units = nearbyint(ldexp(fabs(value), format.mantissa_bits - exponent));
    const double bits = ldexp(exponent - lowest, format.mantissa_bits) + units;
    return (uint16_t)(sign | (bits >= infinity ? infinity : (unsigned)bits));
}

static double small_to_double(struct small_float format, uint16_t bits)
{
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const int exponent = bits >> format.mantissa_bits & ((1 << format.exponent_bits) - 1);
    const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
    double value;
    if (exponent == (1 << format.exponent_bits) - 1)
        value = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, 1 - bias - format.mantissa_bits);
    else
        value = ldexp(mantissa + (1 << format.mantissa_bits), exponent - bias - format.mantissa_bits);
    return bits & 0x8000 ? -value : value;
}

/* ---- storing ---- */

static uint64_t bits_of(const struct element_type *type, const void *from)
{
    uint64_t bits = 0;
    memcpy(&bits, from, type->size);
    return bits;
}

void element_set_double(const struct element_type *type, double value, void *to)
{
    const float single = (float)value;
    const uint64_t whole = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    uint16_t half;
    if (type->kind != KIND_FLOAT) {
        memcpy(to, &whole, type->size);
    } else if (type->size == 8) {
        memcpy(to, &value, 8);
    } else if (type->size == 4) {
        memcpy(to, &single, 4);
    } else {
        half = small_from_double(small_float_of(type), value);
        memcpy(to, &half, 2);
    }
}

void element_set_index(const struct element_type *type, uint64_t i, void *to)
{
    if (type->kind == KIND_FLOAT)
        element_set_double(type, (double)i, to);
    else
        memcpy(to, &i, type->size);
}

/* ---- parsing ---- */

/*
 * Does an element hold the 64-bit value that strtoull or strtoll gave? Unsigned types take negative numbers
 * too: compilers declare the int parameters of C as .u32.
 */
static bool fits(const struct element_type *type, uint64_t bits, bool negative)
{
    const unsigned width = type->size * 8;
    if (width == 64)
        return type->kind != KIND_SIGNED || negative || bits <= INT64_MAX || type->kind == KIND_BITS;
    if (negative) return (int64_t)bits >= -((int64_t)1 << (width - 1));
    return bits < (uint64_t)1 << (type->kind == KIND_SIGNED ? width - 1 : width);
}

/* Bit fields and unsigned types take a full-width hexadecimal pattern; so do signed ones, as C programmers
 * expect. */
static bool parse_integer(const struct element_type *type, const char *text, char **end, void *to)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const bool negative = *text == '-', hexadecimal = digits[0] == '0' && (digits[1] | 32) == 'x';
    const struct element_type *range =
        hexadecimal && !negative ? element_type_of(KIND_BITS, type->size) : type;
    uint64_t bits;
    if (*digits < '0' || *digits > '9') return false;
    errno = 0;
    bits = negative ? (uint64_t)strtoll(text, end, hexadecimal ? 16 : 10)
                    : strtoull(text, end, hexadecimal ? 16 : 10);
    if (errno || !fits(range, bits, negative)) return false;
    memcpy(to, &bits, type->size);
    return true;
}

/* PTX's own spelling of exact floats: 0f and 8 digits, 0d and 16. */
static bool parse_exact_float(const char *text, char **end, double *value)
{
    const bool single = text[1] == 'f' || text[1] == 'F';
    const size_t digits = single ? 8 : 16;
    const uint64_t bits = strtoull(text + 2, end, 16);
    const uint32_t low = (uint32_t)bits;
    float narrow;
    if (*end != text + 2 + digits) return false;
    memcpy(value, &bits, 8);
    memcpy(&narrow, &low, 4);
    if (single) *value = (double)narrow;
    return true;
}

static bool parse_float(const struct element_type *type, const char *text, char **end, void *to)
{
    double value;
    float single;
    if (text[0] == '0' && text[1] && strchr("fFdD", text[1])) {
        if (!parse_exact_float(text, end, &value)) return false;
    } else if (type->size == 4) { /* by way of double it could be rounded twice */
        single = strtof(text, end);
        memcpy(to, &single, 4);
        return *end != text;
    } else {
        value = strtod(text, end);
        if (*end == text) return false;
    }
    element_set_double(type, value, to);
    return true;
}

/* An untyped bit field also takes a float ("2.5" for a .b32), because some compilers declare floats so. */
static bool looks_like_float(const char *text)
{
    const size_t length = strcspn(text, ", \t\n;");
    if (text[0] == '0' && (text[1] | 32) == 'x') return false;
    if (text[0] == '0' && text[1] && strchr("fFdD", text[1])) return true;
    for (size_t i = 0; i < length; i++)
        if (strchr(".eEnN", text[i])) return true;
    return false;
}

bool element_parse(const struct element_type *type, const char *text, char **end, void *to)
{
    const struct element_type *as_float = type->size > 1 ? element_type_of(KIND_FLOAT, type->size) : NULL;
    if (type->kind == KIND_FLOAT) return parse_float(type, text, end, to);
    if (type->kind == KIND_BITS && as_float && looks_like_float(text))
        return parse_float(as_float, text, end, to);
    return parse_integer(type, text, end, to);
}

/* ---- reading and printing ---- */

static int64_t signed_value(const struct element_type *type, const void *from)
{
    const unsigned unused = 64 - type->size * 8;
    return (int64_t)(bits_of(type, from) << unused) >> unused;
}

double element_double(const struct element_type *type, const void *from)
{
    const uint64_t bits = bits_of(type, from);
    const uint32_t low = (uint32_t)bits;
    double wide;
    float single;
    if (type->kind == KIND_SIGNED) return (double)signed_value(type, from);
    if (type->kind != KIND_FLOAT) return (double)bits;
    if (type->size == 2) return small_to_double(small_float_of(type), (uint16_t)bits);
    memcpy(&single, &low, 4);
    memcpy(&wide, &bits, 8);
    return type->size == 4 ? (double)single : wide;
}

/* Significant digits, the first of them worth 10^exponent: plain from 1e-5 to below 1e16, else 1.2345e+16. */
static void print_digits(char *text, const char *digits, int exponent)
{
    const int n = (int)strlen(digits);
    if (exponent < -5 || exponent >= 16) {
        snprintf(text, 40, "%c%s%se%c%02d", *digits, n > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+',
                 abs(exponent));
    } else if (exponent < 0) {
        snprintf(text, 40, "0.%.*s%s", -exponent - 1, "0000", digits);
    } else if (n <= exponent + 1) {
        snprintf(text, 40, "%s%.*s", digits, exponent + 1 - n, "0000000000000000");
    } else {
        snprintf(text, 40, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    }
}

/* The fewest digits that read back as the same value: "%e" gives them, and where the point belongs. */
static void print_float(const struct element_type *type, const void *from, char *text)
{
    const double value = element_double(type, from);
    char scientific[40], digits[24];
    uint64_t back = 0;
    char *end;
    if (!isfinite(value)) {
        strcpy(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    for (int precision = 0; precision <= 16; precision++) {
        snprintf(scientific, sizeof scientific, "%.*e", precision, value);
        if (parse_float(type, scientific, &end, &back) && memcmp(&back, from, type->size) == 0) break;
    }
    char *out = digits;
    for (const char *at = scientific; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9') *out++ = *at;
    while (out - digits > 1 && out[-1] == '0') out--;
    *out = '\0';
    if (signbit(value)) *text++ = '-';
    print_digits(text, digits, atoi(strchr(scientific, 'e') + 1));
}

void element_print(const struct element_type *type, const void *from, char *text)
{
    switch (type->kind) {
    case KIND_FLOAT: print_float(type, from, text); break;
    case KIND_SIGNED: snprintf(text, 40, "%" PRId64, signed_value(type, from)); break;
    case KIND_UNSIGNED: snprintf(text, 40, "%" PRIu64, bits_of(type, from)); break;
    case KIND_BITS: snprintf(text, 40, "0x%0*" PRIx64, (int)type->size * 2, bits_of(type, from)); break;
    }
}

/* ---- comparing ---- */

bool element_is_nan(const struct element_type *type, const void *from)
{
    return type->kind == KIND_FLOAT && isnan(element_double(type, from));
}

bool element_less(const struct element_type *type, const void *a, const void *b)
{
    if (type->kind == KIND_FLOAT) return element_double(type, a) < element_double(type, b);
    if (type->kind == KIND_SIGNED) return signed_value(type, a) < signed_value(type, b);
    return bits_of(type, a) < bits_of(type, b);
}

/* Floats of one width, as integers in the order of their values: -0 and +0 are both 0. */
static int64_t ordinal(const struct element_type *type, const void *from)
{
    const uint64_t bits = bits_of(type, from), sign = (uint64_t)1 << (type->size * 8 - 1);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

uint64_t element_ulps(const struct element_type *type, const void *a, const void *b)
{
    if (element_is_nan(type, a) || element_is_nan(type, b)) return UINT64_MAX;
    const int64_t x = ordinal(type, a), y = ordinal(type, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}
