/*
 * texture.h - arrays, and what the host makes of them or of device memory for kernels to use by a handle.
 *
 * An object lives as long as its place in the table (tex/opaque.h), and then until the device is idle,
 * because instructions that found it use it without a lock. It keeps its array, which may be destroyed before
 * it: the array's memory goes with the last object and copy. Everything here takes the lock of struct
 * px_textures by itself.
 */
#ifndef PX_VM_DEVICE_TEXTURE_H
#define PX_VM_DEVICE_TEXTURE_H

#include <pthread.h>
#include "tex/opaque.h"
#include "vm/device/handle.h"
#include "ptx_texture.h"

struct px_lvar;

struct px_array {
    struct px_image image;
    ptx_array_config config;  /* of a level: its own */
    uint64_t number;          /* 0: destroyed */
    struct px_array *of;      /* the array that it is a level of; NULL: it owns the texels */
    struct px_array **levels; /* image.levels of them, made on demand; NULL */
    atomic_bool gone;         /* destroyed */
    uint32_t uses;            /* objects, and copies under way; of levels: counted in `of` */
    struct px_array *next;    /* of all that own texels */
};

struct px_opaque_object {
    struct px_opaque_bound bound; /* first: what the table has leads here */
    ptx_texture_config config;
    ptx_sampler_config sampler;
    struct px_array *array;        /* used; NULL */
    struct px_opaque_object *next; /* of those to be freed */
};

struct px_textures {
    pthread_mutex_t lock; /* what follows; no other lock is taken with it held but the allocator's */
    struct px_opaques table;
    struct px_handles numbers; /* of arrays */
    struct px_array *arrays;
    struct px_opaque_object *dead; /* out of the table */
    atomic_bool any_dead;          /* something waits for the device to be idle */
};

static inline void px_textures_lock(struct px_textures *t)
{
    pthread_mutex_lock(&t->lock);
}
static inline void px_textures_unlock(struct px_textures *t)
{
    pthread_mutex_unlock(&t->lock);
}

void px_textures_init(struct ptx_device *device);
void px_textures_free(struct ptx_device *device);
/* Frees what is no longer in use, when nothing runs. No lock is held. */
void px_textures_reap(struct ptx_device *device);

/* Statuses come with the device's message. Configurations are complete (base/sized.h). */
ptx_status px_array_create(struct ptx_device *device, const ptx_array_config *config, ptx_array *number);
ptx_status px_array_destroy(struct ptx_device *device, ptx_array number);
ptx_status px_array_config(struct ptx_device *device, ptx_array number, ptx_array_config *config);
ptx_status px_array_level(struct ptx_device *device, ptx_array number, unsigned level, ptx_array *out);

/* For a copy: the image of an array that stays until px_array_release; NULL: there is none. */
const struct px_image *px_array_hold(struct ptx_device *device, ptx_array number, struct px_array **array);
void px_array_release(struct ptx_device *device, struct px_array *array);

/* array.c for texture.c: the lock is held. */
struct px_array *px_array_at(struct ptx_device *device, ptx_array number); /* NULL: there is none */
void px_arrays_reap(struct ptx_device *device,
                    bool all); /* those destroyed that nothing uses; without the lock */
bool px_array_format(ptx_format format, uint8_t *out); /* enum px_image_format; false: there is none */
bool px_array_channels(unsigned n);
/* What queries of the channels' type and order answer; `normalised`: integers come as floats. */
void px_array_name_channels(struct px_image *image, bool normalised);

/* What was in the table is to be freed. The lock is held. */
void px_opaque_bury(struct ptx_device *device, const struct px_opaque_bound *bound);

/* The variable of a handle is bound; 0: a new object is made, and *made becomes its handle if that succeeds.
 */
ptx_status px_texture_make(struct ptx_device *device, const ptx_texture_config *config,
                           const ptx_sampler_config *sampler, uint64_t variable, uint64_t *made);
ptx_status px_sampler_make(struct ptx_device *device, const ptx_sampler_config *sampler, uint64_t variable,
                           uint64_t *made);
ptx_status px_surface_make(struct ptx_device *device, ptx_array array, uint64_t variable, uint64_t *made);
/* Of an object, of this kind. */
ptx_status px_opaque_destroy(struct ptx_device *device, uint64_t handle, enum px_opaque_kind kind);
ptx_status px_opaque_unbind(struct ptx_device *device, uint64_t handle);
/* What an object was made of. */
ptx_status px_opaque_config(struct ptx_device *device, uint64_t handle, enum px_opaque_kind kind,
                            ptx_texture_config *config, ptx_sampler_config *sampler);

/* The opaque variables of a program: places for them; then, when they have addresses, who they are, samplers
 * bound to what their initialisers say. False: no memory. */
bool px_opaque_variables(struct ptx_program *program);
bool px_opaque_variables_begin(struct ptx_program *program);
void px_opaque_variables_free(struct ptx_program *program);
/* What the initialiser of a variable's element says of its sampler. */
ptx_sampler_config px_opaque_initial(const struct px_lvar *variable, uint32_t element);

#endif
