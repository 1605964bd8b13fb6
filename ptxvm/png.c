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
#include <string.h>
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

/* ---- reading ---- */

/* Grey as u8[H,W], all else with 3 or 4 channels. */
static bool read_image(png_structp png, png_infop info, FILE *file, struct array *array)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, file);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY_ALPHA) png_set_gray_to_rgb(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const size_t channels = png_get_channels(png, info);
    array->dimensions = channels > 1 ? 3 : 2;
    array->shape[0] = png_get_image_height(png, info);
    array->shape[1] = png_get_image_width(png, info);
    array->shape[2] = channels;
    array_allocate(array);
    png_bytep *rows = must_alloc(array->shape[0] * sizeof *rows);
    for (size_t y = 0; y < array->shape[0]; y++) rows[y] = array->data + y * array->shape[1] * channels;
    png_read_image(png, rows);
    free(rows);
    return true;
}

void png_read(struct array *array, FILE *file, const char *file_name)
{
    struct array found = {.type = element_type_of(KIND_UNSIGNED, 1)};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    const bool ok = info && read_image(png, info, file, &found);
    png_destroy_read_struct(&png, &info, NULL);
    if (!ok) fail(EXIT_USAGE, "%s is no image that can be read", file_name);
    if (array->type && array->type->size != 1)
        fail(EXIT_USAGE, "%s holds u8, the array is %s", file_name, array->type->name);
    if (!array->data) {
        if (array->type) found.type = array->type;
        *array = found;
        return;
    }
    if (array->count != found.count)
        fail(EXIT_USAGE, "%s has %zu elements, the array has %zu", file_name, found.count, array->count);
    memcpy(array->data, found.data, found.count);
    array_free(&found);
}
