/* opaque.c - the texture, sampler and surface variables of a program (PTX ISA 5.3). */
#include "vm/device/texture.h"
#include "vm/device/device.h"

/* ---- initialisers ---- */

static ptx_address_mode address_mode(const struct px_expr *value)
{
    const px_word word = value->kind == PX_E_NAME ? value->u.name->word : PX_W_NONE;
    const uint64_t number = value->kind == PX_E_INT ? value->u.i : 3;
    if (word == PX_W_wrap || (!word && number == 0)) return PTX_ADDRESS_WRAP;
    if (word == PX_W_mirror || (!word && number == 1)) return PTX_ADDRESS_MIRROR;
    if (word == PX_W_clamp_to_border || (!word && number == 4)) return PTX_ADDRESS_BORDER;
    return PTX_ADDRESS_CLAMP; /* clamp_ogl, clamp_to_edge */
}

static bool is_set(const struct px_expr *value)
{
    return value->kind == PX_E_NAME ? value->u.name->word == PX_W_linear
                                    : value->kind == PX_E_INT && value->u.i;
}

static void read_field(const struct px_expr *field, ptx_sampler_config *c)
{
    const struct px_expr *value = field->u.b;
    switch (field->u.a->u.name->word) {
    case PX_W_filter_mode: c->filter = is_set(value) ? PTX_FILTER_LINEAR : PTX_FILTER_POINT; break;
    case PX_W_addr_mode_0: c->address[0] = address_mode(value); break;
    case PX_W_addr_mode_1: c->address[1] = address_mode(value); break;
    case PX_W_addr_mode_2: c->address[2] = address_mode(value); break;
    case PX_W_normalized_coords: c->normalized = is_set(value); break;
    case PX_W_force_unnormalized_coords: c->normalized = !is_set(value); break;
    default: break; /* about the image, for compilers */
    }
}

/* The fields for element `element`: of its own list, or where there is one list alone of that. */
static void read_fields(const struct px_expr *list, uint32_t *element, ptx_sampler_config *c)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct px_expr *e = list->u.list[i];
        if (e->kind == PX_E_FIELD)
            read_field(e, c);
        else if (e->kind == PX_E_LIST && (*element)-- == 0)
            read_fields(e, element, c);
    }
}

ptx_sampler_config px_opaque_initial(const struct px_lvar *variable, uint32_t element)
{
    ptx_sampler_config c = {.struct_size = sizeof c};
    const struct px_var *var = variable->symbol->u.var;
    if (variable->symbol->type == PX_T_SAMPLERREF) c.normalized = 1;
    if (var && var->init && var->init->kind == PX_E_LIST) read_fields(var->init, &element, &c);
    return c;
}

/* ---- variables ---- */

static enum px_opaque_kind kind_of_type(enum px_type type)
{
    return type == PX_T_SAMPLERREF ? PX_OPAQUE_SAMPLER
           : type == PX_T_SURFREF  ? PX_OPAQUE_SURFACE
                                   : PX_OPAQUE_TEXTURE;
}

bool px_opaque_variables(struct ptx_program *program)
{
    struct px_textures *t = &program->device->textures;
    const struct px_linked *l = &program->linked;
    if (!l->opaque_bytes) return true;
    px_textures_lock(&program->device->textures);
    program->opaque_base = px_opaque_reserve(&t->table, (uint32_t)(l->opaque_bytes / 8));
    px_textures_unlock(&program->device->textures);
    return program->opaque_base != 0;
}

bool px_opaque_variables_begin(struct ptx_program *program)
{
    struct px_textures *t = &program->device->textures;
    for (uint32_t i = 0; i < program->linked.nvars; i++) {
        const struct px_lvar *v = &program->linked.vars[i];
        if (v->space != PX_SPACE_TEX) continue;
        const enum px_opaque_kind kind = kind_of_type((enum px_type)v->symbol->type);
        for (uint32_t k = 0; k < v->size / 8; k++) {
            const uint64_t handle = v->address + 8 * k;
            struct px_opaque_place *p = px_opaque_at(&t->table, handle);
            p->kind = (uint8_t)kind;
            p->name = v->symbol->name->text;
            const ptx_sampler_config initial = px_opaque_initial(v, k);
            if (kind == PX_OPAQUE_SAMPLER &&
                px_sampler_make(program->device, &initial, handle, NULL) != PTX_OK)
                return false;
        }
    }
    return true;
}

void px_opaque_variables_free(struct ptx_program *program)
{
    struct px_textures *t = &program->device->textures;
    px_textures_lock(&program->device->textures);
    for (uint64_t k = 0; program->opaque_base && k < program->linked.opaque_bytes; k += 8)
        px_opaque_bury(program->device, px_opaque_drop(&t->table, program->opaque_base + k));
    px_textures_unlock(&program->device->textures);
}
