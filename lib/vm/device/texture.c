/* texture.c - objects in the table of handles, and when what is no longer used is freed. */
#include "vm/device/texture.h"
#include "vm/device/device.h"
#include <string.h>

static ptx_status no_array(struct ptx_device *device)
{
    return px_device_refuse(device, "there is no array of this number (was it destroyed?)");
}

/* ---- objects ---- */

static struct px_opaque_object *object_of(const struct px_opaque_bound *bound)
{
    return (struct px_opaque_object *)(uintptr_t)bound; /* its first member */
}

/* Out of the table. The lock is held. */
void px_opaque_bury(struct ptx_device *device, const struct px_opaque_bound *bound)
{
    if (!bound) return;
    struct px_opaque_object *o = object_of(bound);
    o->next = device->textures.dead;
    device->textures.dead = o;
    atomic_store(&device->textures.any_dead, true);
}

/* Into the table: a new place, or that of a variable. Takes the object. The lock is not held. */
static ptx_status put(struct ptx_device *device, struct px_opaque_object *o, enum px_opaque_kind kind,
                      uint64_t variable, uint64_t *made)
{
    struct px_opaques *table = &device->textures.table;
    struct px_opaque_place *p = NULL;
    uint64_t handle = 0;
    px_textures_lock(&device->textures);
    if (variable) {
        p = px_opaque_at(table, variable);
        if (p && p->variable && p->kind == kind)
            px_opaque_bury(device, atomic_exchange(&p->bound, &o->bound));
        else
            p = NULL;
    } else {
        handle = px_opaque_add(table, kind, &o->bound);
    }
    const bool ok = variable ? p != NULL : handle != 0;
    if (handle) *made = handle;
    if (!ok) px_opaque_bury(device, &o->bound);
    px_textures_unlock(&device->textures);
    px_textures_reap(device);
    if (ok) return PTX_OK;
    return variable ? px_device_refuse(device,
                                       "the handle is no variable of this kind, or its program was destroyed")
                    : px_device_no_memory(device);
}

enum { LINEAR_WIDTH_MAX = 1 << 28, MEMORY_ALIGN = 16 };
enum { PITCHED_WIDTH_MAX = 131072, PITCHED_HEIGHT_MAX = 65000, SURFACE_1D_MAX = 32768 };

static const char *sampler_of(const ptx_sampler_config *c, struct px_sampler *s)
{
    for (int i = 0; i < 3; i++) {
        if ((unsigned)c->address[i] > PTX_ADDRESS_BORDER)
            return "an address mode is none of wrap, clamp, mirror, border";
        s->address[i] = (uint8_t)c->address[i];
    }
    if ((unsigned)c->filter > PTX_FILTER_LINEAR || (unsigned)c->mip_filter > PTX_FILTER_LINEAR)
        return "a filter mode is neither point nor linear";
    s->filter = (uint8_t)c->filter;
    s->mip_filter = (uint8_t)c->mip_filter;
    s->normalized = c->normalized != 0;
    s->read_normalized = !c->integers;
    s->srgb = c->srgb != 0;
    s->seamless = c->seamless != 0;
    s->anisotropy = (uint8_t)(c->anisotropy > 16 ? 16 : c->anisotropy ? c->anisotropy : 1);
    s->bias = c->bias;
    s->min_level = c->min_level;
    s->max_level = c->max_level;
    memcpy(s->border, c->border, sizeof s->border);
    return NULL;
}

/* The levels and layers of an array that a texture is to see, as another format. */
static const char *take_part(const ptx_texture_config *c, struct px_image *image)
{
    const unsigned texel = px_image_texel(image);
    const bool exact = c->part == PTX_PART_EXACT;
    const unsigned last = exact || c->first_level || c->last_level ? c->last_level : image->levels - 1u;
    const bool all = !exact && !c->first_layer && !c->last_layer;
    if (!px_array_format(c->format, &image->format) || !px_array_channels(c->channels))
        return "a part of an array has one of the formats, and 1, 2 or 4 channels";
    image->channels = (uint8_t)c->channels;
    if (px_image_texel(image) != texel)
        return "the format of a part has texels of another size than the array";
    if (c->first_level > last || last >= image->levels)
        return "the array does not have the levels of the part";
    if (!all && (c->first_layer > c->last_layer || c->last_layer >= image->layers))
        return "the array does not have the layers of the part";
    if (!all && image->kind == PX_IMAGE_ACUBE && (c->first_layer % 6 || c->last_layer % 6 != 5))
        return "a part of an array of cubes begins and ends with a cube";
    for (unsigned i = 0; i <= last - c->first_level; i++) {
        image->level[i] = image->level[i + c->first_level];
        image->level[i].offset += c->first_layer * image->level[i].slice;
    }
    image->levels = (uint8_t)(last - c->first_level + 1);
    if (!all) image->layers = c->last_layer - c->first_layer + 1;
    return NULL;
}

/* The lock is held. */
static const char *from_array(struct ptx_device *device, const ptx_texture_config *c,
                              struct px_opaque_object *o)
{
    struct px_array *a = px_array_at(device, c->array);
    if (!a) return "there is no array of this number (was it destroyed?)";
    o->bound.image = a->image;
    const char *why = c->part ? take_part(c, &o->bound.image) : NULL;
    if (why) return why;
    o->array = (a->of ? a->of : a);
    o->bound.gone = &o->array->gone;
    o->array->uses++;
    return NULL;
}

static const char *from_memory(struct ptx_device *device, const ptx_texture_config *c,
                               struct px_opaque_object *o)
{
    struct px_image *image = &o->bound.image;
    uint8_t format;
    if (!px_array_format(c->format, &format) || !px_array_channels(c->channels))
        return "a texture of memory has one of the formats, and 1, 2 or 4 channels";
    if (c->part) return "only a texture of an array has a part";
    if (c->address % MEMORY_ALIGN) return "a texture of memory begins at a multiple of 16 bytes";
    if (!c->width || c->width > (c->height ? PITCHED_WIDTH_MAX : LINEAR_WIDTH_MAX) ||
        c->height > PITCHED_HEIGHT_MAX)
        return c->height ? "a texture of pitched memory has 1 to 131072 x 65000 texels"
                         : "a texture of linear memory has 1 to 268435456 texels";
    if (c->pitch > UINT32_MAX ||
        !px_image_linear(image, (enum px_image_format)format, c->channels, (uint32_t)c->width,
                         (uint32_t)c->height, (uint32_t)c->pitch))
        return "the pitch of a texture is a multiple of 32 bytes, and no row is longer";
    o->bound.address = c->address;
    o->bound.bytes = c->height ? (c->height - 1) * c->pitch + c->width * px_image_texel(image)
                               : c->width * px_image_texel(image);
    image->data = px_mem_host(&device->mem, c->address, o->bound.bytes);
    return image->data && px_window_of(c->address) == PX_WIN_NONE
               ? NULL
               : "the texture does not lie inside one allocation";
}

static void drop_object(struct ptx_device *device, struct px_opaque_object *o)
{
    if (o->array) {
        px_textures_lock(&device->textures);
        o->array->uses--;
        px_textures_unlock(&device->textures);
    }
    px_free(&device->alloc, o, sizeof *o);
}

static ptx_status make(struct ptx_device *device, const ptx_texture_config *config,
                       const ptx_sampler_config *sampler, enum px_opaque_kind kind, uint64_t variable,
                       uint64_t *made)
{
    struct px_opaque_object *o = px_zalloc(&device->alloc, sizeof *o);
    const char *why = NULL;
    if (!o) return px_device_no_memory(device);
    if (sampler) {
        o->sampler = *sampler;
        o->bound.has_sampler = true;
        why = sampler_of(sampler, &o->bound.sampler);
    }
    if (config && !why) {
        o->config = *config;
        o->config.sampler = NULL;
        o->bound.has_image = true;
        px_textures_lock(&device->textures);
        why = config->array ? from_array(device, config, o) : from_memory(device, config, o);
        px_textures_unlock(&device->textures);
        if (!why) px_array_name_channels(&o->bound.image, sampler && o->bound.sampler.read_normalized);
    }
    if (!why && kind == PX_OPAQUE_SURFACE && o->bound.image.levels > 1)
        why = "a surface is one level of an array (ptx_array_level)";
    if (!why && kind == PX_OPAQUE_SURFACE && o->bound.image.kind == PX_IMAGE_1D &&
        o->bound.image.level[0].width > SURFACE_1D_MAX)
        why = "a 1D surface has at most 32768 texels";
    if (!why && kind == PX_OPAQUE_SURFACE && o->bound.image.samples > 1)
        why = "an array of several samples is no surface";
    if (!why) return put(device, o, kind, variable, made);
    drop_object(device, o);
    return px_device_refuse(device, why);
}

ptx_status px_texture_make(struct ptx_device *device, const ptx_texture_config *config,
                           const ptx_sampler_config *sampler, uint64_t variable, uint64_t *made)
{
    return make(device, config, sampler, PX_OPAQUE_TEXTURE, variable, made);
}

ptx_status px_sampler_make(struct ptx_device *device, const ptx_sampler_config *sampler, uint64_t variable,
                           uint64_t *made)
{
    return make(device, NULL, sampler, PX_OPAQUE_SAMPLER, variable, made);
}

ptx_status px_surface_make(struct ptx_device *device, ptx_array array, uint64_t variable, uint64_t *made)
{
    const ptx_texture_config config = {.array = array};
    if (!array) return no_array(device);
    return make(device, &config, NULL, PX_OPAQUE_SURFACE, variable, made);
}

static ptx_status no_object(struct ptx_device *device)
{
    return px_device_refuse(device, "there is no object of this kind and handle (was it destroyed?)");
}

ptx_status px_opaque_destroy(struct ptx_device *device, uint64_t handle, enum px_opaque_kind kind)
{
    px_textures_lock(&device->textures);
    const struct px_opaque_place *p = px_opaque_at(&device->textures.table, handle);
    const bool ok = p && p->kind == kind && !p->variable;
    if (ok) px_opaque_bury(device, px_opaque_drop(&device->textures.table, handle));
    px_textures_unlock(&device->textures);
    if (!ok) return no_object(device);
    px_textures_reap(device);
    return PTX_OK;
}

ptx_status px_opaque_unbind(struct ptx_device *device, uint64_t handle)
{
    px_textures_lock(&device->textures);
    struct px_opaque_place *p = px_opaque_at(&device->textures.table, handle);
    const bool ok = p && p->variable;
    if (ok) px_opaque_bury(device, atomic_exchange(&p->bound, NULL));
    px_textures_unlock(&device->textures);
    if (!ok) return px_device_refuse(device, "the handle is no variable of a program");
    px_textures_reap(device);
    return PTX_OK;
}

ptx_status px_opaque_config(struct ptx_device *device, uint64_t handle, enum px_opaque_kind kind,
                            ptx_texture_config *config, ptx_sampler_config *sampler)
{
    px_textures_lock(&device->textures);
    const struct px_opaque_place *p = px_opaque_at(&device->textures.table, handle);
    const struct px_opaque_bound *bound = p && p->kind == kind ? p->bound : NULL;
    if (bound) {
        *config = object_of(bound)->config;
        *sampler = object_of(bound)->sampler;
    }
    px_textures_unlock(&device->textures);
    return bound ? PTX_OK : no_object(device);
}

/* ---- the end ---- */

void px_textures_init(struct ptx_device *device)
{
    pthread_mutex_init(&device->textures.lock, NULL);
    px_opaques_init(&device->textures.table, &device->alloc);
}

static void free_objects(struct ptx_device *device, struct px_opaque_object *o)
{
    for (struct px_opaque_object *next; o; o = next) {
        next = o->next;
        drop_object(device, o);
    }
}

/* What is in the table no longer cannot be found by what begins from now on; so it is enough that nothing
 * runs. */
void px_textures_reap(struct ptx_device *device)
{
    struct px_textures *t = &device->textures;
    if (!atomic_load_explicit(&t->any_dead, memory_order_relaxed)) return;
    px_textures_lock(&device->textures);
    struct px_opaque_object *dead = t->dead;
    t->dead = NULL;
    atomic_store(&t->any_dead, false);
    px_textures_unlock(&device->textures);
    px_sched_lock(&device->sched);
    const bool idle = !device->tasks.pending && !device->sched.nactive;
    px_sched_unlock(&device->sched);
    if (idle) {
        free_objects(device, dead);
        px_arrays_reap(device, false);
        return;
    }
    px_textures_lock(&device->textures);
    for (struct px_opaque_object *next; dead; dead = next) {
        next = dead->next;
        px_opaque_bury(device, &dead->bound);
    }
    atomic_store(&t->any_dead, true);
    px_textures_unlock(&device->textures);
}

void px_textures_free(struct ptx_device *device)
{
    struct px_textures *t = &device->textures;
    for (uint32_t i = 0; i < t->table.n; i++) px_opaque_bury(device, px_opaque_taken(&t->table, i));
    free_objects(device, t->dead);
    px_arrays_reap(device, true);
    px_opaques_free(&t->table);
    px_handles_free(&t->numbers, &device->alloc);
    pthread_mutex_destroy(&t->lock);
}
