/* array.c - CUDA arrays: formats, limits, levels; who uses one, and when its memory goes. */
#include "vm/device/texture.h"
#include "vm/device/device.h"
#include <string.h>

/* ---- formats and limits ---- */

bool px_array_format(ptx_format format, uint8_t *out)
{
    static const struct {
        ptx_format format;
        uint8_t image;
    } formats[] = {{PTX_FORMAT_U8, PX_IMAGE_U8},   {PTX_FORMAT_U16, PX_IMAGE_U16},
                   {PTX_FORMAT_U32, PX_IMAGE_U32}, {PTX_FORMAT_S8, PX_IMAGE_S8},
                   {PTX_FORMAT_S16, PX_IMAGE_S16}, {PTX_FORMAT_S32, PX_IMAGE_S32},
                   {PTX_FORMAT_F16, PX_IMAGE_F16}, {PTX_FORMAT_F32, PX_IMAGE_F32}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) {
            *out = formats[i].image;
            return true;
        }
    return false;
}

bool px_array_channels(unsigned n)
{
    return n == 1 || n == 2 || n == 4;
}

/* What an H100 takes (attributes 21 to 29, 42, 43, 45, 46, 52 to 54, 69 to 77 of ptx_device_attribute). */
static const struct limit {
    uint32_t width, height, depth, layers;
    const char *text;
} limits[PX_IMAGE_KINDS] = {
    [PX_IMAGE_1D] = {131072, 1, 1, 1, "1D arrays have 1 to 131072 texels"},
    [PX_IMAGE_2D] = {131072, 65536, 1, 1, "2D arrays have 1 to 131072 x 65536 texels"},
    [PX_IMAGE_3D] = {16384, 16384, 16384, 1,
                     "3D arrays have 1 to 16384 x 16384 x 16384 texels, or 8192 x 8192 x 32768"},
    [PX_IMAGE_A1D] = {32768, 1, 1, 2048, "layered 1D arrays have 1 to 32768 texels in 1 to 2048 layers"},
    [PX_IMAGE_A2D] = {32768, 32768, 1, 2048,
                      "layered 2D arrays have 1 to 32768 x 32768 texels in 1 to 2048 layers"},
    [PX_IMAGE_CUBE] = {32768, 32768, 1, 6, "cubes have a width, the same height, of 1 to 32768, and depth 6"},
    [PX_IMAGE_ACUBE] = {32768, 32768, 1, 2046,
                        "arrays of cubes have a width, the same height, of 1 to 32768, and 6 to 2046 faces, "
                        "6 each"},
    [PX_IMAGE_2DMS] = {32768, 32768, 1, 16, "2D arrays of several samples have 1 to 32768 x 32768 texels"},
    [PX_IMAGE_A2DMS] = {32768, 32768, 1, 2048 * 16,
                        "layered 2D arrays of several samples have 1 to 32768 x 32768 texels in 1 to 2048 "
                        "layers"}};

enum { MIPMAPPED_MAX = 32768, GATHER_MAX = 32768 };
enum { SLIM_MAX = 8192, DEEP_MAX = 32768 }; /* 3D arrays may be deeper when they are not as wide */

static enum px_image_kind kind_of(const ptx_array_config *c)
{
    const bool layered = c->flags & PTX_ARRAY_LAYERED;
    if (c->flags & PTX_ARRAY_CUBE) return layered ? PX_IMAGE_ACUBE : PX_IMAGE_CUBE;
    if (c->samples > 1) return layered ? PX_IMAGE_A2DMS : PX_IMAGE_2DMS;
    if (layered) return c->height ? PX_IMAGE_A2D : PX_IMAGE_A1D;
    return c->depth ? PX_IMAGE_3D : c->height ? PX_IMAGE_2D : PX_IMAGE_1D;
}

static unsigned most_levels(const ptx_array_config *c, enum px_image_kind kind)
{
    uint64_t most = c->width > c->height ? c->width : c->height;
    unsigned n = 1;
    if (kind == PX_IMAGE_3D && c->depth > most) most = c->depth;
    for (; most > 1 && n < PX_IMAGE_LEVELS; most /= 2) n++;
    return n;
}

/* NULL, or what is wrong with the array. */
static const char *fault_of(const ptx_array_config *c, enum px_image_kind kind)
{
    const struct limit *l = &limits[kind];
    const bool layered = kind != PX_IMAGE_1D && kind != PX_IMAGE_2D && kind != PX_IMAGE_3D;
    const uint64_t height = c->height ? c->height : 1, depth = c->depth ? c->depth : 1;
    const bool several = kind == PX_IMAGE_2DMS || kind == PX_IMAGE_A2DMS;
    if (c->flags > 0xff) return "an array has flags that are not known";
    if (!px_array_channels(c->channels)) return "an array has 1, 2 or 4 channels";
    const bool deep = kind == PX_IMAGE_3D && c->width <= SLIM_MAX && height <= SLIM_MAX && depth <= DEEP_MAX;
    if (!c->width || c->width > l->width || height > l->height || (!layered && !deep && depth > l->depth))
        return l->text;
    if (layered && kind != PX_IMAGE_2DMS && (!c->depth || c->depth > (several ? 2048 : l->layers)))
        return l->text;
    if (kind == PX_IMAGE_CUBE && (c->depth != 6 || c->height != c->width)) return l->text;
    if (kind == PX_IMAGE_ACUBE && (c->depth % 6 || c->height != c->width)) return l->text;
    if (several && (c->samples > 16 || c->samples & (c->samples - 1) || c->levels > 1 || !c->height))
        return "an array has 2, 4, 8 or 16 samples a texel, two dimensions, and one level then";
    if (c->flags & PTX_ARRAY_GATHER && (kind != PX_IMAGE_2D || c->width > GATHER_MAX || height > GATHER_MAX))
        return "arrays for gathers are 2D, of at most 32768 x 32768 texels";
    if (c->levels > 1 && (c->width > MIPMAPPED_MAX || height > MIPMAPPED_MAX))
        return "arrays with levels have at most 32768 texels in a dimension";
    return NULL;
}

/* PTX ISA 5.3.1: channel_data_type and channel_order are OpenCL's numbers. */
void px_array_name_channels(struct px_image *image, bool normalised)
{
    static const uint32_t integer[] = {
        [PX_IMAGE_U8] = 0x10da,  [PX_IMAGE_U16] = 0x10db, [PX_IMAGE_U32] = 0x10dc, [PX_IMAGE_S8] = 0x10d7,
        [PX_IMAGE_S16] = 0x10d8, [PX_IMAGE_S32] = 0x10d9, [PX_IMAGE_F16] = 0x10dd, [PX_IMAGE_F32] = 0x10de};
    const uint8_t f = image->format;
    image->channel_type = integer[f];
    if (normalised && (f == PX_IMAGE_U8 || f == PX_IMAGE_U16))
        image->channel_type = f == PX_IMAGE_U8 ? 0x10d2 : 0x10d3;
    if (normalised && (f == PX_IMAGE_S8 || f == PX_IMAGE_S16))
        image->channel_type = f == PX_IMAGE_S8 ? 0x10d0 : 0x10d1;
    image->channel_order = image->channels == 1 ? 0x10b0 : image->channels == 2 ? 0x10b2 : 0x10b5;
}

/* ---- arrays ---- */

/* The last word of texels may be read whole (tex/texture.h). */
static uint64_t storage_bytes(const struct px_image *image)
{
    return image->bytes + 8;
}

ptx_status px_array_create(struct ptx_device *device, const ptx_array_config *config, ptx_array *number)
{
    struct px_image image = {0};
    ptx_array_config c = *config;
    const enum px_image_kind kind = kind_of(&c);
    if (!px_array_format(c.format, &image.format))
        return px_device_refuse(device, "the format of an array is none of PTX_FORMAT_U8 to PTX_FORMAT_F32");
    const char *why = fault_of(&c, kind);
    if (why) return px_device_refuse(device, why);
    if (c.levels > most_levels(&c, kind)) c.levels = most_levels(&c, kind);
    if (!c.levels) c.levels = 1;
    if (!c.samples) c.samples = 1;
    image.kind = (uint8_t)kind;
    image.channels = (uint8_t)c.channels;
    image.levels = (uint8_t)c.levels;
    image.samples = (uint8_t)c.samples;
    image.layers = (uint32_t)c.depth * (kind == PX_IMAGE_A2DMS ? c.samples : 1);
    if (!px_image_layout(&image, (uint32_t)c.width, (uint32_t)c.height, (uint32_t)c.depth)) {
        px_device_say(device, "the array is larger than 8 GiB");
        return PTX_ERROR_OUT_OF_MEMORY;
    }
    struct px_array *array = px_zalloc(&device->alloc, sizeof *array);
    uint8_t *data = array ? px_zalloc(&device->alloc, storage_bytes(&image)) : NULL;
    px_textures_lock(&device->textures);
    const uint64_t made =
        data ? px_handle_add(&device->textures.numbers, &device->alloc, PX_HANDLE_ARRAY, array) : 0;
    if (made) {
        image.data = data;
        px_array_name_channels(&image, false);
        *array =
            (struct px_array){.image = image, .config = c, .number = made, .next = device->textures.arrays};
        device->textures.arrays = array;
        *number = made;
    }
    px_textures_unlock(&device->textures);
    if (made) return PTX_OK;
    px_free(&device->alloc, data, storage_bytes(&image));
    px_free(&device->alloc, array, sizeof *array);
    return px_device_no_memory(device);
}

static struct px_array *owner_of(struct px_array *array)
{
    return array->of ? array->of : array;
}

static void free_array(struct ptx_device *device, struct px_array *a)
{
    for (unsigned i = 0; a->levels && i < a->image.levels; i++)
        px_free(&device->alloc, a->levels[i], sizeof **a->levels);
    px_free(&device->alloc, a->levels, a->image.levels * sizeof *a->levels);
    px_free(&device->alloc, a->image.data, storage_bytes(&a->image));
    px_free(&device->alloc, a, sizeof *a);
}

struct px_array *px_array_at(struct ptx_device *device, ptx_array number)
{
    return px_handle_get(&device->textures.numbers, PX_HANDLE_ARRAY, number);
}

static ptx_status no_array(struct ptx_device *device)
{
    return px_device_refuse(device, "there is no array of this number (was it destroyed?)");
}

ptx_status px_array_destroy(struct ptx_device *device, ptx_array number)
{
    px_textures_lock(&device->textures);
    struct px_textures *t = &device->textures;
    struct px_array *a = px_array_at(device, number);
    const bool ok = a && !a->of;
    if (ok) {
        atomic_store(&a->gone, true);
        for (unsigned i = 0; a->levels && i < a->image.levels; i++)
            if (a->levels[i]) px_handle_drop(&t->numbers, PX_HANDLE_ARRAY, a->levels[i]->number);
        px_handle_drop(&t->numbers, PX_HANDLE_ARRAY, number);
        a->number = 0;
        atomic_store(&t->any_dead, true);
    }
    px_textures_unlock(&device->textures);
    if (ok) px_textures_reap(device);
    if (ok) return PTX_OK;
    return a ? px_device_refuse(device, "a level is destroyed with its array") : no_array(device);
}

ptx_status px_array_config(struct ptx_device *device, ptx_array number, ptx_array_config *config)
{
    px_textures_lock(&device->textures);
    const struct px_array *a = px_array_at(device, number);
    if (a) *config = a->config;
    px_textures_unlock(&device->textures);
    return a ? PTX_OK : no_array(device);
}

/* One level as an image of its own, over the same texels. */
static struct px_image level_image(const struct px_image *image, unsigned level)
{
    struct px_image one = *image;
    one.levels = 1;
    one.level[0] = image->level[level];
    memset(one.level + 1, 0, sizeof one.level - sizeof *one.level);
    return one;
}

static struct px_array *make_level(struct ptx_device *device, struct px_array *a, unsigned level)
{
    struct px_array *l = px_zalloc(&device->alloc, sizeof *l);
    if (!l) return NULL;
    const struct px_image_level *size = &a->image.level[level];
    *l = (struct px_array){.image = level_image(&a->image, level), .config = a->config, .of = a};
    l->config.levels = 1;
    l->config.width = size->width;
    if (a->config.height) l->config.height = size->height;
    if (a->image.kind == PX_IMAGE_3D) l->config.depth = size->depth;
    l->number = px_handle_add(&device->textures.numbers, &device->alloc, PX_HANDLE_ARRAY, l);
    if (l->number) return l;
    px_free(&device->alloc, l, sizeof *l);
    return NULL;
}

/* The lock is held. */
static ptx_status find_level(struct ptx_device *device, struct px_array *a, unsigned level, ptx_array *out)
{
    if (level >= a->image.levels) return PTX_ERROR_NOT_FOUND;
    if (a->image.levels == 1) return *out = a->number, PTX_OK;
    if (!a->levels) a->levels = px_zalloc(&device->alloc, a->image.levels * sizeof *a->levels);
    if (a->levels && !a->levels[level]) a->levels[level] = make_level(device, a, level);
    if (!a->levels || !a->levels[level]) return PTX_ERROR_OUT_OF_MEMORY;
    *out = a->levels[level]->number;
    return PTX_OK;
}

ptx_status px_array_level(struct ptx_device *device, ptx_array number, unsigned level, ptx_array *out)
{
    px_textures_lock(&device->textures);
    struct px_array *a = px_array_at(device, number);
    const ptx_status status = a ? find_level(device, a, level, out) : PTX_ERROR_INVALID_ARGUMENT;
    px_textures_unlock(&device->textures);
    if (!a) return no_array(device);
    if (status == PTX_ERROR_NOT_FOUND) px_device_say(device, "the array has no level %u", level);
    return status == PTX_ERROR_OUT_OF_MEMORY ? px_device_no_memory(device) : status;
}

const struct px_image *px_array_hold(struct ptx_device *device, ptx_array number, struct px_array **array)
{
    px_textures_lock(&device->textures);
    struct px_array *a = px_array_at(device, number);
    if (a) owner_of(a)->uses++;
    px_textures_unlock(&device->textures);
    *array = a;
    return a ? &a->image : NULL;
}

void px_array_release(struct ptx_device *device, struct px_array *array)
{
    if (!array) return;
    px_textures_lock(&device->textures);
    struct px_array *owner = owner_of(array);
    owner->uses--;
    if (!owner->number) atomic_store(&device->textures.any_dead, true);
    px_textures_unlock(&device->textures);
}

void px_arrays_reap(struct ptx_device *device, bool all)
{
    struct px_array *gone = NULL;
    px_textures_lock(&device->textures);
    for (struct px_array **at = &device->textures.arrays, *a; (a = *at);) {
        if (!all && (a->number || a->uses)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        a->next = gone;
        gone = a;
    }
    px_textures_unlock(&device->textures);
    for (struct px_array *next; gone; gone = next) {
        next = gone->next;
        free_array(device, gone);
    }
}
