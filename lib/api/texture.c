/* api/texture.c - the public functions of ptx_texture.h: check the arguments, call inward. */
#include "base/sized.h"
#include "vm/device/device.h"
#include "vm/queue/work.h"
#include "api/take.h"

enum {
    FIRST_ARRAY = PX_FIRST(ptx_array_config, samples),
    FIRST_SAMPLER = PX_FIRST(ptx_sampler_config, border),
    FIRST_TEXTURE = PX_FIRST(ptx_texture_config, sampler),
    FIRST_REFERENCE = PX_FIRST(ptx_reference_info, reference)
};

/* ---- arrays ---- */

PTX_API ptx_status ptx_array_create(ptx_device *device, const ptx_array_config *config, ptx_array *array)
{
    ptx_array_config own;
    if (!device || !config || !array) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_take(&own, sizeof own, FIRST_ARRAY, config))
        return px_version_refused(device, "ptx_array_create: a struct");
    const ptx_status status = px_device_state(device);
    return status == PTX_OK ? px_array_create(device, &own, array) : status;
}

PTX_API ptx_status ptx_array_destroy(ptx_device *device, ptx_array array)
{
    return device ? px_array_destroy(device, array) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_array_config_get(ptx_device *device, ptx_array array, ptx_array_config *config)
{
    ptx_array_config told;
    if (!device || !px_can_give(config, FIRST_ARRAY)) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_array_config(device, array, &told);
    if (status == PTX_OK) px_give(config, &told, sizeof told, FIRST_ARRAY);
    return status;
}

PTX_API ptx_status ptx_array_level(ptx_device *device, ptx_array array, unsigned level, ptx_array *out)
{
    return device && out ? px_array_level(device, array, level, out) : PTX_ERROR_INVALID_ARGUMENT;
}

static ptx_status take_copy(ptx_device *device, const ptx_array_copy *copy, struct px_copy *c)
{
    if (!device || !copy) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_device_state(device);
    return status == PTX_OK ? px_take_array_copy(device, copy, c) : status;
}

PTX_API ptx_status ptx_array_copy_now(ptx_device *device, const ptx_array_copy *copy)
{
    struct px_copy c;
    const ptx_status status = take_copy(device, copy, &c);
    return status == PTX_OK ? px_copy_now(device, &c) : status;
}

PTX_API ptx_status ptx_stream_copy_array(ptx_device *device, const ptx_array_copy *copy, ptx_stream stream)
{
    struct px_work op = {.kind = PX_WORK_COPY};
    const ptx_status status = take_copy(device, copy, &op.copy);
    return status == PTX_OK ? px_work_submit(device, &op, stream, NULL) : status;
}

/* ---- samplers, textures, surfaces ---- */

/* NULL stands for all zeros. */
static ptx_status take_sampler(ptx_device *device, const ptx_sampler_config *sampler, ptx_sampler_config *own)
{
    if (px_take(own, sizeof *own, FIRST_SAMPLER, sampler)) return px_device_state(device);
    return px_version_refused(device, "ptx_sampler_config: a struct");
}

/* variable 0: a new sampler, whose handle goes to *made. */
static ptx_status bind_sampler(ptx_device *device, const ptx_sampler_config *config, uint64_t variable,
                               uint64_t *made)
{
    ptx_sampler_config own;
    if (!device || !config) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = take_sampler(device, config, &own);
    return status == PTX_OK ? px_sampler_make(device, &own, variable, made) : status;
}

PTX_API ptx_status ptx_sampler_create(ptx_device *device, const ptx_sampler_config *config,
                                      ptx_sampler *sampler)
{
    return sampler ? bind_sampler(device, config, 0, sampler) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_sampler_destroy(ptx_device *device, ptx_sampler sampler)
{
    return device ? px_opaque_destroy(device, sampler, PX_OPAQUE_SAMPLER) : PTX_ERROR_INVALID_ARGUMENT;
}

/* The same of a texture. */
static ptx_status bind_texture(ptx_device *device, const ptx_texture_config *config, uint64_t variable,
                               uint64_t *made)
{
    ptx_texture_config own;
    ptx_sampler_config sampler;
    if (!device || !config) return PTX_ERROR_INVALID_ARGUMENT;
    if (!px_take(&own, sizeof own, FIRST_TEXTURE, config))
        return px_version_refused(device, "ptx_texture_config: a struct");
    const ptx_status status = take_sampler(device, own.sampler, &sampler);
    return status == PTX_OK ? px_texture_make(device, &own, &sampler, variable, made) : status;
}

PTX_API ptx_status ptx_texture_create(ptx_device *device, const ptx_texture_config *config,
                                      ptx_texture *texture)
{
    return texture ? bind_texture(device, config, 0, texture) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_texture_destroy(ptx_device *device, ptx_texture texture)
{
    return device ? px_opaque_destroy(device, texture, PX_OPAQUE_TEXTURE) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_texture_config_get(ptx_device *device, ptx_texture texture, ptx_texture_config *config,
                                          ptx_sampler_config *sampler)
{
    ptx_texture_config told;
    ptx_sampler_config sampled;
    if (!device || !px_can_give(config, FIRST_TEXTURE) || (sampler && !px_can_give(sampler, FIRST_SAMPLER)))
        return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_opaque_config(device, texture, PX_OPAQUE_TEXTURE, &told, &sampled);
    if (status != PTX_OK) return status;
    px_give(config, &told, sizeof told, FIRST_TEXTURE);
    if (sampler) px_give(sampler, &sampled, sizeof sampled, FIRST_SAMPLER);
    return PTX_OK;
}

PTX_API ptx_status ptx_surface_create(ptx_device *device, ptx_array array, ptx_surface *surface)
{
    if (!device || !surface) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_device_state(device);
    return status == PTX_OK ? px_surface_make(device, array, 0, surface) : status;
}

PTX_API ptx_status ptx_surface_destroy(ptx_device *device, ptx_surface surface)
{
    return device ? px_opaque_destroy(device, surface, PX_OPAQUE_SURFACE) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_surface_array(ptx_device *device, ptx_surface surface, ptx_array *array)
{
    ptx_texture_config told;
    ptx_sampler_config sampled;
    if (!device || !array) return PTX_ERROR_INVALID_ARGUMENT;
    const ptx_status status = px_opaque_config(device, surface, PX_OPAQUE_SURFACE, &told, &sampled);
    if (status == PTX_OK) *array = told.array;
    return status;
}

/* ---- references ---- */

static ptx_reference_kind kind_of(const struct px_lvar *v)
{
    return v->symbol->type == PX_T_SAMPLERREF ? PTX_REFERENCE_SAMPLER
           : v->symbol->type == PX_T_SURFREF  ? PTX_REFERENCE_SURFACE
                                              : PTX_REFERENCE_TEXTURE;
}

PTX_API ptx_status ptx_program_reference(ptx_program *program, const char *name, ptx_reference_info *info,
                                         ptx_sampler_config *sampler)
{
    if (!program || !name || !px_can_give(info, FIRST_REFERENCE) ||
        (sampler && !px_can_give(sampler, FIRST_SAMPLER)))
        return PTX_ERROR_INVALID_ARGUMENT;
    const struct px_lvar *v = px_link_opaque_named(&program->linked, name);
    if (!v) {
        px_device_say(program->device, "the program has no texture, sampler or surface '%s' at module scope",
                      name);
        return PTX_ERROR_NOT_FOUND;
    }
    const ptx_reference_info told = {
        .kind = kind_of(v), .count = (unsigned)(v->size / 8), .reference = v->address};
    const ptx_sampler_config initial = px_opaque_initial(v, 0);
    px_give(info, &told, sizeof told, FIRST_REFERENCE);
    if (sampler) px_give(sampler, &initial, sizeof initial, FIRST_SAMPLER);
    return PTX_OK;
}

PTX_API ptx_status ptx_reference_bind_texture(ptx_device *device, ptx_reference reference,
                                              const ptx_texture_config *config)
{
    return reference ? bind_texture(device, config, reference, NULL) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_reference_bind_sampler(ptx_device *device, ptx_reference reference,
                                              const ptx_sampler_config *config)
{
    return reference ? bind_sampler(device, config, reference, NULL) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_reference_bind_surface(ptx_device *device, ptx_reference reference, ptx_array array)
{
    return device && reference ? px_surface_make(device, array, reference, NULL) : PTX_ERROR_INVALID_ARGUMENT;
}

PTX_API ptx_status ptx_reference_unbind(ptx_device *device, ptx_reference reference)
{
    return device ? px_opaque_unbind(device, reference) : PTX_ERROR_INVALID_ARGUMENT;
}
