/*
 * opaque.c - initial values of texture, sampler and surface references.
 *
 * PTX ISA 5.3: { field = value, ... }, any order; which fields exist depends on
 * the type and on the texturing mode. Values are numbers or one of the words of
 * the filter and addressing modes; ptxas does not mind which goes where.
 */
#include "check/checker.h"

enum { TEX = 1, SAMPLER = 2, SURF = 4 };

static unsigned field_types(px_word field)
{
    switch (field) {
    case PX_W_width:
    case PX_W_height:
    case PX_W_depth:
    case PX_W_channel_data_type:
    case PX_W_channel_order:
    case PX_W_array_size: return TEX | SURF;
    case PX_W_normalized_coords:
    case PX_W_num_mipmap_levels:
    case PX_W_num_samples: return TEX;
    case PX_W_filter_mode:
    case PX_W_addr_mode_0:
    case PX_W_addr_mode_1:
    case PX_W_addr_mode_2: return TEX | SAMPLER;
    case PX_W_force_unnormalized_coords: return SAMPLER;
    case PX_W_memory_layout: return SURF;
    default: return 0;
    }
}

static bool is_mode(px_word word)
{
    switch (word) {
    case PX_W_nearest:
    case PX_W_linear:
    case PX_W_wrap:
    case PX_W_mirror:
    case PX_W_clamp_ogl:
    case PX_W_clamp_to_edge:
    case PX_W_clamp_to_border: return true;
    default: return false;
    }
}

static unsigned type_bit(const struct px_var *var)
{
    return var->type == PX_T_TEXREF ? TEX : var->type == PX_T_SAMPLERREF ? SAMPLER : SURF;
}

static void check_field_version(struct px_checker *checker, const struct px_name *field, px_pos pos)
{
    if (field->word == PX_W_channel_data_type)
        px_requires(checker, PX_NEED_channel_data_type, pos, field->len);
    if (field->word == PX_W_channel_order) px_requires(checker, PX_NEED_channel_order, pos, field->len);
    if (field->word == PX_W_force_unnormalized_coords)
        px_requires(checker, PX_NEED_unnormalized, pos, field->len);
}

void px_check_field_value(struct px_checker *checker, const struct px_expr *value)
{
    if (value->kind != PX_E_NAME)
        px_evaluate(checker, value);
    else if (!is_mode(value->u.name->word))
        px_complain(checker, INIT_ENUM, value->pos, value->u.name->len, value->u.name->text);
}

static void check_field(struct px_checker *checker, const struct px_var *var, const struct px_expr *field)
{
    const struct px_name *name;
    if (field->kind != PX_E_FIELD) {
        px_complain(checker, INIT_FIELDS, field->pos, 1);
        checker->stopped = true; /* ptxas goes on with a field that was never written */
        return;
    }
    name = field->u.a->u.name;
    if (!(field_types(name->word) & type_bit(var))) {
        px_complain(checker, INIT_FIELD, field->pos, name->len, name->text);
        return;
    }
    check_field_version(checker, name, field->pos);
    px_check_field_value(checker, field->u.b);
}

/* One object, or a list of objects for each dimension; a flat list serves an array, too. */
void px_check_opaque_init(struct px_checker *checker, const struct px_var *var, const struct px_expr *init)
{
    if (init->kind != PX_E_LIST) {
        px_complain(checker, INIT_MISMATCH, init->pos, 1);
        return;
    }
    for (uint32_t i = 0; i < init->n && !checker->stopped; i++) {
        const struct px_expr *element = init->u.list[i];
        if (element->kind == PX_E_LIST && var->ndims && init == var->init)
            px_check_opaque_init(checker, var, element);
        else
            check_field(checker, var, element);
    }
}
