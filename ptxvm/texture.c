/*
 * texture.c - arguments that are textures and surfaces.
 *
 * The texels are an array like any other, read from a file or filled by a word; its dimensions are those of
 * the shape, layers first, and one more for channels where there are several. Three channels become four.
 */
#include "args.h"

#include <stdlib.h>
#include <string.h>
#include "fail.h"

/* ---- words ---- */

static const struct shape {
    const char *name;
    unsigned dimensions; /* of texels without channels */
    unsigned flags;
} shapes[] = {{"1d", 1, 0},
              {"2d", 2, 0},
              {"3d", 3, 0},
              {"1darray", 2, PTX_ARRAY_LAYERED},
              {"2darray", 3, PTX_ARRAY_LAYERED},
              {"cube", 3, PTX_ARRAY_CUBE},
              {"cubearray", 3, PTX_ARRAY_CUBE | PTX_ARRAY_LAYERED}};

/* "texture2d:" or "surface2d:" at the start; what follows, or NULL. */
static const char *parse_shape(struct texture *t, const char *spec, const struct shape **shape)
{
    static const char texture[] = "texture", surface[] = "surface";
    t->surface = strncmp(spec, surface, sizeof surface - 1) == 0;
    if (!t->surface && strncmp(spec, texture, sizeof texture - 1) != 0) return NULL;
    spec += sizeof texture - 1;
    const size_t length = strcspn(spec, ":");
    for (size_t i = 0; spec[length] && i < sizeof shapes / sizeof *shapes; i++)
        if (strlen(shapes[i].name) == length && strncmp(shapes[i].name, spec, length) == 0) {
            *shape = &shapes[i];
            return spec + length + 1;
        }
    return NULL;
}

static void all_addresses(ptx_sampler_config *s, ptx_address_mode mode)
{
    for (int i = 0; i < 3; i++) s->address[i] = mode;
}

static void sampler_word(struct texture *t, const char *word, const char *spec)
{
    ptx_sampler_config *s = &t->sampler;
    if (t->surface) fail(EXIT_USAGE, "-a %s: a surface takes no '%s'", spec, word);
    if (strcmp(word, "point") == 0)
        s->filter = PTX_FILTER_POINT;
    else if (strcmp(word, "linear") == 0)
        s->filter = s->mip_filter = PTX_FILTER_LINEAR;
    else if (strcmp(word, "wrap") == 0)
        all_addresses(s, PTX_ADDRESS_WRAP);
    else if (strcmp(word, "clamp") == 0)
        all_addresses(s, PTX_ADDRESS_CLAMP);
    else if (strcmp(word, "mirror") == 0)
        all_addresses(s, PTX_ADDRESS_MIRROR);
    else if (strcmp(word, "border") == 0)
        all_addresses(s, PTX_ADDRESS_BORDER);
    else if (strcmp(word, "normalized") == 0)
        s->normalized = 1;
    else if (strcmp(word, "integers") == 0)
        s->integers = 1;
    else if (strcmp(word, "srgb") == 0)
        s->srgb = 1;
    else
        fail(EXIT_USAGE,
             "-a %s: '%s' is none of point, linear, wrap, clamp, mirror, border, normalized, integers, srgb",
             spec, word);
}

/* ---- texels ---- */

static ptx_format format_of(const struct element_type *type, const char *spec)
{
    if (type->texel >= 0) return (ptx_format)type->texel;
    fail(EXIT_USAGE, "-a %s: texels are u8 u16 u32 s8 s16 s32 f16 or f32, not %s", spec, type->name);
}

/* Three channels become four: the last is the largest of integers, and 1. */
static void add_alpha(struct array *array)
{
    struct array wide = *array;
    const size_t size = array->type->size, texels = array->count / 3;
    unsigned char full[8];
    memset(full, 0xff, sizeof full);
    if (array->type->kind == KIND_SIGNED) full[size - 1] = 0x7f;
    if (array->type->kind == KIND_FLOAT) element_set_double(array->type, 1, full);
    wide.shape[wide.dimensions - 1] = 4;
    array_allocate(&wide);
    for (size_t i = 0; i < texels; i++) {
        memcpy(wide.data + i * 4 * size, array->data + i * 3 * size, 3 * size);
        memcpy(wide.data + (i * 4 + 3) * size, full, size);
    }
    array_free(array);
    *array = wide;
}

static void take_shape(struct texture *t, struct array *array, const struct shape *shape, const char *spec)
{
    const unsigned n = shape->dimensions;
    const bool channels = array->dimensions == n + 1;
    if (array->dimensions != n && !channels)
        fail(EXIT_USAGE, "-a %s: it takes %u dimensions, or %u with channels, not %u", spec, n, n + 1,
             array->dimensions);
    if (channels && array->shape[n] == 3) add_alpha(array);
    const size_t *s = array->shape;
    const bool flat = n == 1 || (n == 2 && shape->flags & PTX_ARRAY_LAYERED);
    t->config = (ptx_array_config){.struct_size = sizeof t->config,
                                   .width = s[n - 1],
                                   .height = flat ? 0 : s[n - 2],
                                   .depth = n == 3 || (flat && n == 2) ? s[0] : 0,
                                   .format = format_of(array->type, spec),
                                   .channels = channels ? (unsigned)s[n] : 1,
                                   .flags = shape->flags | (t->surface ? PTX_ARRAY_SURFACE : 0)};
}

bool texture_parse(struct texture *t, struct array *array, const char *spec, uint64_t seed)
{
    const struct shape *shape;
    *t = (struct texture){.sampler = {.struct_size = sizeof t->sampler, .max_level = 99}};
    all_addresses(&t->sampler, PTX_ADDRESS_CLAMP);
    const char *rest = parse_shape(t, spec, &shape);
    if (!rest) return false;
    /* the commas of a shape stand in brackets */
    const char *close = strchr(rest, ']');
    const size_t skip = close && strcspn(rest, "[") < strcspn(rest, ",") ? (size_t)(close - rest) : 0;
    char *texels = must_copy(rest, strlen(rest)), *words = strchr(texels + skip, ',');
    if (words) *words++ = '\0';
    if (!arguments_array(array, texels, seed))
        fail(EXIT_USAGE, "-a %s: '%s' is neither FILE.png, FILE.npy nor TYPE[N,M]=INIT", spec, texels);
    take_shape(t, array, shape, spec);
    for (char *word; words && (word = strsep(&words, ",")) != NULL;) sampler_word(t, word, spec);
    free(texels);
    return true;
}

/* ---- the device ---- */

static void must(ptx_status status, ptx_device *device, const char *name)
{
    if (status != PTX_OK)
        fail(status == PTX_ERROR_OUT_OF_MEMORY ? EXIT_STOPPED : EXIT_USAGE, "%s: %s", name,
             ptx_device_message(device));
}

/* Rows of texels, as an array has them. */
static ptx_array_copy whole(const struct texture *t, const struct array *array)
{
    const ptx_array_config *c = &t->config;
    const uint64_t height = c->height ? c->height : 1, depth = c->depth ? c->depth : 1;
    return (ptx_array_copy){.struct_size = sizeof(ptx_array_copy),
                            .width = array_bytes(array) / height / depth,
                            .height = height,
                            .depth = depth};
}

void texture_make(struct texture *t, const struct array *array, ptx_device *device, const char *name,
                  ptx_reference reference)
{
    ptx_array_copy copy = whole(t, array);
    must(ptx_array_create(device, &t->config, &t->array), device, name);
    copy.to.array = t->array;
    copy.from.place.host = array->data;
    must(ptx_array_copy_now(device, &copy), device, name);
    const ptx_texture_config config = {
        .struct_size = sizeof config, .array = t->array, .sampler = &t->sampler};
    if (reference)
        must(t->surface ? ptx_reference_bind_surface(device, reference, t->array)
                        : ptx_reference_bind_texture(device, reference, &config),
             device, name);
    else
        must(t->surface ? ptx_surface_create(device, t->array, &t->handle)
                        : ptx_texture_create(device, &config, &t->handle),
             device, name);
}

void texture_read(const struct texture *t, struct array *array, ptx_device *device, const char *name)
{
    ptx_array_copy copy = whole(t, array);
    copy.from.array = t->array;
    copy.to.place.host = array->data;
    must(ptx_array_copy_now(device, &copy), device, name);
}
