/*
 * lower/tex.c - textures and surfaces (PTX ISA 9.7.9, 9.7.10), istypep.
 *
 * Operands of tex and tld4: two or four words, then the texture, the sampler, the array index, the sample,
 * coordinates, the level or the gradients, offsets; struct px_tex_words (as `aux`)
 * says which of these there are. Of suld, sust, sured: the elements (of suld they come first, as results),
 * the surface, the array index, coordinates.
 */
#include "code/lower/lower.h"
#include "gen/isa_ops.h"
#include "ops/texture.h"
#include "tex/opaque.h"

enum { OPERANDS_MAX = 32 };

/* Operands while they are collected. */
struct list {
    struct px_irfn *f;
    const struct px_bound *b;
    struct px_ir_operand at[OPERANDS_MAX];
    uint32_t n;
};

static void add(struct list *l, struct px_ir_operand o)
{
    l->at[l->n++] = o;
}

static uint32_t aux_of(const struct px_tex_words *w)
{
    uint32_t aux;
    memcpy(&aux, w, sizeof aux);
    return aux;
}

static px_irop op_of(px_op op)
{
    return (px_irop)(PX_IR_TABLE | op);
}

static enum px_image_kind kind_of(const struct px_match *m)
{
    switch (px_match_slot(m, PX_W_geom)) {
    case PX_W_1d: return PX_IMAGE_1D;
    case PX_W_2d: return PX_IMAGE_2D;
    case PX_W_3d: return PX_IMAGE_3D;
    case PX_W_a1d: return PX_IMAGE_A1D;
    case PX_W_a2d: return PX_IMAGE_A2D;
    case PX_W_cube: return PX_IMAGE_CUBE;
    case PX_W_acube: return PX_IMAGE_ACUBE;
    case PX_W_2dms: return PX_IMAGE_2DMS;
    default: return PX_IMAGE_A2DMS;
    }
}

/* The elements of a vector operand: those in braces, of a vector register, or the one. */
static uint32_t elements_of(struct px_irfn *f, const struct px_operand *o, const struct px_operand **list)
{
    *list = o;
    if (o->kind == PX_O_VEC) return *list = o->u.list, o->n;
    const uint32_t n = px_lower_is_register(o) ? px_lower_components(f, o) : 1;
    if (n > 1) *list = px_lower_component_list(f, o, n);
    return n;
}

static void add_word(struct list *l, const struct px_operand *o, enum px_type type)
{
    add(l, px_lower_row(l->f, px_lower_src(l->f, l->b, o, type)));
}

/* The first n elements. */
static void add_words(struct list *l, const struct px_operand *o, uint32_t n, enum px_type type)
{
    const struct px_operand *list;
    if (elements_of(l->f, o, &list) < n)
        px_code_fail(l->f, l->b->inst, "has fewer elements than its geometry");
    for (uint32_t i = 0; i < n; i++) add_word(l, &list[i], type);
}

static void add_handle(struct list *l, const struct px_operand *o)
{
    add(l, px_lower_src(l->f, l->b, o, PX_T_U64));
}

/* [a, c] or [a, sampler, c], or a name without brackets: the handles. */
static const struct px_operand *base_of(const struct px_operand *o)
{
    return o->kind == PX_O_ADDR ? o->u.list : o;
}

static void add_coordinates(struct list *l, const struct px_operand *o, enum px_image_kind kind,
                            enum px_type type)
{
    const struct px_operand *list;
    uint32_t n = px_tex_coordinates(kind), before = px_tex_layered(kind) + px_tex_multisample(kind);
    if (elements_of(l->f, o, &list) < n + before)
        px_code_fail(l->f, l->b->inst, "has fewer coordinates than its geometry");
    for (uint32_t i = 0; i < n + before; i++) add_word(l, &list[i], i < before ? PX_T_U32 : type);
}

/* ---- tex, tld4 ---- */

/* Four words, or two pairs of halves, that are given to the destinations once they are written. */
static void add_results(struct list *l, const struct px_operand *d, bool halves)
{
    const struct px_operand *list;
    const uint32_t n = elements_of(l->f, d, &list);
    if (n != 4 && !(halves && n == 2) && d->kind != PX_O_SINK)
        px_code_fail(l->f, l->b->inst, "has a number of results that cannot be run");
    for (uint32_t i = 0; i < (halves ? 2u : 4u); i++)
        add(l, (halves && n == 4) || d->kind == PX_O_SINK ? px_lower_temp(l->f, 4, PX_T_B32)
                                                          : px_lower_dst(l->f, l->b, &list[i], PX_T_B32));
}

static void give_results(struct list *l, const struct px_operand *d, bool halves)
{
    static const struct px_ir_operand none;
    const struct px_operand *list;
    const uint32_t n = elements_of(l->f, d, &list);
    for (uint32_t i = 0; d->kind != PX_O_SINK && i < n; i++) {
        if (!halves || n == 2)
            px_lower_done(l->f, l->b, &list[i], l->at[i]);
        else if (list[i].kind != PX_O_SINK)
            px_lower_assign(l->f, l->b, &list[i], PX_T_B16,
                            px_lower_fixed(l->f, PX_FIX_half_of4, 2, l->at[i / 2], none, i % 2 * 16));
    }
}

/* What stands behind the brackets: levels or gradients, offsets. The value to compare with is for textures of
 * depth; no others look at it, and there are none. */
static void add_rest(struct list *l, struct px_tex_words *w)
{
    const struct px_inst *inst = l->b->inst;
    const uint32_t n = px_tex_coordinates((enum px_image_kind)w->kind);
    unsigned i = 2;
    if (w->lod == PX_TEX_LOD_LEVEL) add_word(l, &inst->opds[i++], w->integer ? PX_T_S32 : PX_T_F32);
    for (unsigned k = 0; w->lod == PX_TEX_LOD_GRAD && k < 2; k++) add_words(l, &inst->opds[i++], n, PX_T_F32);
    if (i < inst->nopds && l->b->match.type[i] != PX_T_F32) {
        const bool cube =
            w->kind == PX_IMAGE_CUBE || w->kind == PX_IMAGE_ACUBE; /* has none: nothing to add */
        w->offsets = !cube;
        if (!cube) add_words(l, &inst->opds[i], n, PX_T_S32);
    }
}

static void sample(struct px_irfn *f, const struct px_bound *b, px_op op, struct px_tex_words w)
{
    const struct px_operand *d = &b->inst->opds[0], *p = NULL, *a = &b->inst->opds[1];
    struct list l = {.f = f, .b = b};
    if (d->kind == PX_O_PAIR) {
        p = &d->u.list[1];
        d = &d->u.list[0];
    }
    add_results(&l, d, w.halves);
    const uint32_t results = l.n;
    w.kind = (uint32_t)kind_of(&b->match);
    w.sampler = a->n == 3;
    add_handle(&l, &a->u.list[0]);
    if (w.sampler) add_handle(&l, &a->u.list[1]);
    add_coordinates(&l, &a->u.list[a->n - 1], (enum px_image_kind)w.kind, w.integer ? PX_T_S32 : PX_T_F32);
    add_rest(&l, &w);
    px_lower_guarded(f, b, op_of(op), l.at, results, l.n)->aux = aux_of(&w);
    give_results(&l, d, w.halves);
    /* PTX ISA 9.7.9.3: p is false where texels are not resident; all are. */
    if (p)
        px_lower_assign(
            f, b, p, PX_T_PRED,
            (struct px_ir_operand){.kind = PX_IR_IMM, .elem = 4, .type = PX_T_PRED, .value = 0xffffffffu});
}

void px_lower_tex(struct px_irfn *f, const struct px_bound *b)
{
    const struct px_match *m = &b->match;
    const px_word dtype = px_match_slot(m, PX_W_dtype);
    sample(f, b, PX_OP_tex,
           (struct px_tex_words){.integer = px_match_slot(m, PX_W_ctype) == PX_W_s32,
                                 .halves = dtype == PX_W_f16 || dtype == PX_W_f16x2,
                                 .lod = px_match_has(m, PX_W_level)  ? PX_TEX_LOD_LEVEL
                                        : px_match_has(m, PX_W_grad) ? PX_TEX_LOD_GRAD
                                                                     : PX_TEX_LOD_BASE});
}

void px_lower_tld4(struct px_irfn *f, const struct px_bound *b)
{
    const px_word comp = px_match_slot(&b->match, PX_W_comp);
    const uint32_t channel = comp == PX_W_r ? 0 : comp == PX_W_g ? 1 : comp == PX_W_b ? 2 : 3;
    sample(f, b, PX_OP_tld4, (struct px_tex_words){.gather = 1, .channel = channel & 3});
}

/* ---- surfaces ---- */

static struct px_tex_words surface_words(const struct px_bound *b)
{
    const px_word clamp = px_match_slot(&b->match, PX_W_clamp);
    return (struct px_tex_words){.kind = (uint32_t)kind_of(&b->match),
                                 .formatted = px_match_has(&b->match, PX_W_p),
                                 .clamp = clamp == PX_W_clamp  ? PX_SURF_CLAMP
                                          : clamp == PX_W_zero ? PX_SURF_ZERO
                                                               : PX_SURF_TRAP};
}

/* An element as the type names it, in a row of its least width. */
static enum px_type element_type(const struct px_bound *b, unsigned operand, struct px_tex_words *w)
{
    const enum px_type type = b->match.type[operand];
    const uint32_t bits = px_type_info(type)->bits;
    w->bytes = (bits / 8) & 15;
    return bits == 8 ? PX_T_B8 : bits == 16 ? PX_T_B16 : bits == 32 ? PX_T_B32 : PX_T_B64;
}

static void add_surface(struct list *l, const struct px_operand *a, const struct px_tex_words *w)
{
    add_handle(l, base_of(a));
    add_coordinates(l, &a->u.list[a->n - 1], (enum px_image_kind)w->kind, PX_T_S32);
}

void px_lower_suld(struct px_irfn *f, const struct px_bound *b)
{
    struct px_tex_words w = surface_words(b);
    struct list l = {.f = f, .b = b};
    const struct px_operand *list;
    const uint32_t n = elements_of(f, &b->inst->opds[0], &list);
    const enum px_type type = element_type(b, 0, &w);
    w.load = 1;
    for (uint32_t i = 0; i < n; i++) add(&l, px_lower_dst(f, b, &list[i], type));
    add_surface(&l, &b->inst->opds[1], &w);
    px_lower_guarded(f, b, op_of(PX_OP_suld), l.at, n, l.n)->aux = aux_of(&w);
    for (uint32_t i = 0; i < n; i++) px_lower_done(f, b, &list[i], l.at[i]);
}

static void store(struct px_irfn *f, const struct px_bound *b, px_op op, struct px_tex_words w)
{
    struct list l = {.f = f, .b = b};
    const struct px_operand *list;
    const uint32_t n = elements_of(f, &b->inst->opds[1], &list);
    const enum px_type type = element_type(b, 1, &w);
    for (uint32_t i = 0; i < n; i++) add_word(&l, &list[i], type);
    add_surface(&l, &b->inst->opds[0], &w);
    struct px_ir_inst *in = px_lower_guarded(f, b, op_of(op), l.at, 0, l.n);
    in->aux = aux_of(&w);
    in->fact = (uint16_t)n;
}

void px_lower_sust(struct px_irfn *f, const struct px_bound *b)
{
    store(f, b, PX_OP_sust, surface_words(b));
}

void px_lower_sured(struct px_irfn *f, const struct px_bound *b)
{
    const px_word op = px_match_slot(&b->match, PX_W_op);
    struct px_tex_words w = surface_words(b);
    w.reduce = 1;
    w.op = op == PX_W_add   ? PX_SURF_ADD
           : op == PX_W_min ? PX_SURF_MIN
           : op == PX_W_max ? PX_SURF_MAX
           : op == PX_W_and ? PX_SURF_AND
                            : PX_SURF_OR;
    w.sign = px_type_info(b->match.type[1])->klass == PX_TC_SIGNED;
    store(f, b, PX_OP_sured, w);
}

/* ---- queries ---- */

static const struct {
    px_word word;
    uint8_t query;
} queries[] = {{PX_W_width, PX_TEX_QUERY_WIDTH},
               {PX_W_height, PX_TEX_QUERY_HEIGHT},
               {PX_W_depth, PX_TEX_QUERY_DEPTH},
               {PX_W_channel_data_type, PX_TEX_QUERY_CHANNEL_DATA_TYPE},
               {PX_W_channel_order, PX_TEX_QUERY_CHANNEL_ORDER},
               {PX_W_normalized_coords, PX_TEX_QUERY_NORMALIZED_COORDS},
               {PX_W_force_unnormalized_coords, PX_TEX_QUERY_FORCE_UNNORMALIZED_COORDS},
               {PX_W_filter_mode, PX_TEX_QUERY_FILTER_MODE},
               {PX_W_addr_mode_0, PX_TEX_QUERY_ADDR_MODE_0},
               {PX_W_addr_mode_1, PX_TEX_QUERY_ADDR_MODE_1},
               {PX_W_addr_mode_2, PX_TEX_QUERY_ADDR_MODE_2},
               {PX_W_array_size, PX_TEX_QUERY_ARRAY_SIZE},
               {PX_W_num_mipmap_levels, PX_TEX_QUERY_NUM_MIPMAP_LEVELS},
               {PX_W_num_samples, PX_TEX_QUERY_NUM_SAMPLES},
               {PX_W_memory_layout, PX_TEX_QUERY_MEMORY_LAYOUT}};

static bool asks_sampler(enum px_tex_query query)
{
    return query >= PX_TEX_QUERY_FORCE_UNNORMALIZED_COORDS && query <= PX_TEX_QUERY_ADDR_MODE_2;
}

static void ask(struct px_irfn *f, const struct px_bound *b, px_op op)
{
    const struct px_operand *o = b->inst->opds;
    const px_word word = px_match_slot(&b->match, PX_W_query);
    struct list l = {.f = f, .b = b};
    enum px_tex_query query = PX_TEX_QUERY_WIDTH;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (queries[i].word == word) query = (enum px_tex_query)queries[i].query;
    add(&l, px_lower_dst(f, b, &o[0], PX_T_B32));
    add_handle(&l, base_of(&o[1]));
    if (b->inst->nopds > 2) add_word(&l, &o[2], PX_T_S32);
    struct px_ir_inst *in = px_lower_guarded(f, b, op_of(op), l.at, 1, l.n);
    in->aux = query;
    in->fact = op == PX_OP_suq       ? PX_OPAQUE_SURFACE
               : asks_sampler(query) ? PX_OPAQUE_SAMPLER
                                     : PX_OPAQUE_TEXTURE;
    px_lower_done(f, b, &o[0], l.at[0]);
}

void px_lower_txq(struct px_irfn *f, const struct px_bound *b)
{
    ask(f, b, PX_OP_txq);
}

void px_lower_suq(struct px_irfn *f, const struct px_bound *b)
{
    ask(f, b, PX_OP_suq);
}

void px_lower_istypep(struct px_irfn *f, const struct px_bound *b)
{
    const px_word type = px_match_slot(&b->match, PX_W_type);
    px_lower_question(f, b, PX_OP_istypep,
                      type == PX_W_texref    ? PX_OPAQUE_TEXTURE
                      : type == PX_W_surfref ? PX_OPAQUE_SURFACE
                                             : PX_OPAQUE_SAMPLER);
}
