/* png.c - arrays as PNG images, through libpng.
 *
 * u8[H,W] is grey, u8[H,W,3] RGB, u8[H,W,4] RGB with alpha. Any other type with two dimensions becomes grey,
 * scaled so that its smallest value is black and its largest white; NaN is black. libpng reports errors by
 * longjmp. */
#include "array.h"

#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include "fail.h"

/* A u8 copy of two-dimensional data, scaled to 0..255. */
static unsigned char *scaled(const struct array *array)
{
    unsigned char *grey = must_alloc(array->count);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < array->count; i++) {
        const double value = element_double(array->type, array_at(array, i));
        if (!isfinite(value)) continue;
        low = fmin(low, value);
        high = fmax(high, value);
    }
    for (size_t i = 0; i < array->count; i++) {
        const double value = element_double(array->type, array_at(array, i));
        const double part = high > low ? (fmin(fmax(value, low), high) - low) / (high - low) : 0;
        grey[i] = isnan(value) ? 0 : (unsigned char)lround(part * 255);
    }
    return grey;
}

/* The PNG colour type of an array, or -1 when it is no image. */
static int colour_type(const struct array *array)
{
    const bool bytes = array->type->size == 1;
    if (array->dimensions == 2) return PNG_COLOR_TYPE_GRAY;
    if (array->dimensions != 3 || !bytes) return -1;
    if (array->shape[2] == 3) return PNG_COLOR_TYPE_RGB;
    return array->shape[2] == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : -1;
}

static bool write_rows(png_structp png, png_infop info, FILE *file, const struct array *array, int colours,
                       const unsigned char *pixels)
{
    const size_t row_bytes = array->shape[1] * (array->dimensions == 3 ? array->shape[2] : 1);
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)array->shape[1], (png_uint_32)array->shape[0], 8, colours,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (size_t y = 0; y < array->shape[0]; y++) png_write_row(png, pixels + y * row_bytes);
    png_write_end(png, NULL);
    return true;
}

void png_write(const struct array *array, FILE *file, const char *file_name)
{
    const int colours = colour_type(array);
    if (colours < 0 || array->shape[0] - 1 >= PNG_UINT_31_MAX || array->shape[1] - 1 >= PNG_UINT_31_MAX)
        fail(EXIT_USAGE, "%s: an image is TYPE[H,W], u8[H,W,3] or u8[H,W,4]", file_name);
    unsigned char *grey = array->type->size == 1 ? NULL : scaled(array);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    const bool written = info && write_rows(png, info, file, array, colours, grey ? grey : array->data);
    png_destroy_write_struct(&png, &info);
    free(grey);
    if (!written) fail(EXIT_USAGE, "%s: the image cannot be written", file_name);
}
