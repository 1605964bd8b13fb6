/* texture.h - arguments that are textures and surfaces: "texture2d:image.png,linear,wrap,normalized". */
#ifndef PTXVM_TEXTURE_H
#define PTXVM_TEXTURE_H

#include "array.h"
#include "ptx_texture.h"

/* What a word says, and what was made of it. */
struct texture {
    bool surface;
    ptx_array_config config;
    ptx_sampler_config sampler;
    ptx_array array;
    uint64_t handle;
};

/* True when `spec` is such a word: *texture is filled, and *array with the texels. Gives up with the reason.
 */
bool texture_parse(struct texture *texture, struct array *array, const char *spec, uint64_t seed);

/* Makes the array, its texels and the object; or binds `reference`, when it is not 0. Gives up with the
 * reason. */
void texture_make(struct texture *texture, const struct array *array, ptx_device *device, const char *name,
                  ptx_reference reference);
/* The texels, as they are now. */
void texture_read(const struct texture *texture, struct array *array, ptx_device *device, const char *name);

#endif
