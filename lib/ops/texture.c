/*
 * texture.c - from handles to images and on to the texture unit (tex/texture.h).
 *
 * A handle is one for all lanes, or a row; then lanes with the same one go to the unit together. Whatever a
 * handle is, only what the device's table knows is ever looked at. Where the chip gives zeros for what makes
 * no sense (an image of another shape, nothing bound), the launch stops with a reason.
 */
#include "ops/texture.h"
#include "gang/grid.h"
#include "tex/opaque.h"

uint32_t px_tex_coordinates(enum px_image_kind kind)
{
    static const uint8_t n[PX_IMAGE_KINDS] = {
        [PX_IMAGE_1D] = 1,    [PX_IMAGE_2D] = 2,   [PX_IMAGE_3D] = 3,
        [PX_IMAGE_A1D] = 1,   [PX_IMAGE_A2D] = 2,  [PX_IMAGE_CUBE] = 3,
        [PX_IMAGE_ACUBE] = 3, [PX_IMAGE_2DMS] = 2, [PX_IMAGE_A2DMS] = 2};
    return n[kind];
}

bool px_tex_layered(enum px_image_kind kind)
{
    return kind == PX_IMAGE_A1D || kind == PX_IMAGE_A2D || kind == PX_IMAGE_ACUBE || kind == PX_IMAGE_A2DMS;
}

bool px_tex_multisample(enum px_image_kind kind)
{
    return kind == PX_IMAGE_2DMS || kind == PX_IMAGE_A2DMS;
}

static const char *name_of(enum px_image_kind kind)
{
    static const char *const names[PX_IMAGE_KINDS] = {[PX_IMAGE_1D] = "1D",
                                                      [PX_IMAGE_2D] = "2D",
                                                      [PX_IMAGE_3D] = "3D",
                                                      [PX_IMAGE_A1D] = "layered 1D",
                                                      [PX_IMAGE_A2D] = "layered 2D",
                                                      [PX_IMAGE_CUBE] = "a cube",
                                                      [PX_IMAGE_ACUBE] = "an array of cubes",
                                                      [PX_IMAGE_2DMS] = "2D of several samples",
                                                      [PX_IMAGE_A2DMS] = "layered 2D of several samples"};
    return names[kind];
}

/* ---- handles ---- */

/* What the handle stands for; NULL: the trap is set. */
static const struct px_opaque_bound *resolve(struct px_gang *g, const struct px_insn *in, uint32_t lane,
                                             uint64_t handle, enum px_opaque_kind kind)
{
    const struct px_grid *grid = g->cta->grid;
    const char *why;
    bool empty;
    const struct px_opaque_bound *bound = px_opaque_find(grid->textures, handle, kind, &why, &empty);
    if (bound && !bound->gone && bound->has_image &&
        px_mem_host(grid->mem, bound->address, bound->bytes) != bound->image.data) {
        bound = NULL;
        why = "is the handle of a texture whose memory was freed";
    }
    if (bound) return bound;
    const struct px_opaque_place *p = px_opaque_at(grid->textures, handle);
    if (p && p->variable)
        px_gang_trap(g, in, lane, empty ? PX_CUDA_LAUNCH_FAILED : PX_CUDA_ILLEGAL_ADDRESS, 0, "'%s' %s",
                     p->name, why);
    else
        px_gang_trap(g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, 0, "0x%llx %s", (unsigned long long)handle, why);
    return NULL;
}

static uint64_t texture_at(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    return PX_ROW(g, uint64_t, in->a)[in->handles & PX_TEX_SCALAR_A ? 0 : lane];
}

/* 0 without a sampler: b is the mask row's place then. */
static uint64_t sampler_at(const struct px_gang *g, const struct px_insn *in, uint32_t lane)
{
    return in->b ? PX_ROW(g, uint64_t, in->b)[in->handles & PX_TEX_SCALAR_B ? 0 : lane] : 0;
}

/* Lanes that go together: a mask row, the first of them, their handles. */
struct group {
    const uint32_t *mask;
    uint32_t first;
    uint64_t handle, sampler;
};

typedef int group_fn(struct px_gang *g, const struct px_insn *in, const struct group *group);

static int one_group(struct px_gang *g, const struct px_insn *in, struct px_lanes *left, group_fn *fn)
{
    uint32_t mask[PX_LANES_MAX] = {0}, lane;
    struct px_lanes same = {{0}};
    struct group group = {.mask = mask, .first = px_lanes_first(left)};
    group.handle = texture_at(g, in, group.first);
    group.sampler = sampler_at(g, in, group.first);
    PX_FOR_LANES(lane, *left)
    {
        if (texture_at(g, in, lane) != group.handle || sampler_at(g, in, lane) != group.sampler) continue;
        px_lanes_set(&same, lane);
        mask[lane] = ~0u;
    }
    *left = px_lanes_minus(*left, same);
    return fn(g, in, &group);
}

/* Calls fn for the lanes of the record, by texture and sampler. */
static int each_group(struct px_gang *g, const struct px_insn *in, group_fn *fn)
{
    struct px_lanes left = px_gang_lanes(g, in);
    if (px_lanes_empty(&left)) return PX_STEP_NEXT;
    if (in->handles == (PX_TEX_SCALAR_A | PX_TEX_SCALAR_B)) {
        const struct group all = {PX_ROW(g, uint32_t, in->m), px_lanes_first(&left), texture_at(g, in, 0),
                                  sampler_at(g, in, 0)};
        return fn(g, in, &all);
    }
    int step = PX_STEP_NEXT;
    while (step == PX_STEP_NEXT && !px_lanes_empty(&left)) step = one_group(g, in, &left, fn);
    return step;
}

/* ---- shapes ---- */

/*
 * Images that an instruction of another shape takes, as an H100 does (tests/hw/texrules): the first layer of
 * layers, cubes of either kind, linear memory as layered.
 */
static bool fits(enum px_image_kind kind, const struct px_image *image)
{
    const enum px_image_kind own = (enum px_image_kind)image->kind;
    switch (kind) {
    case PX_IMAGE_1D: return own == PX_IMAGE_1D || own == PX_IMAGE_A1D;
    case PX_IMAGE_2D: return own == PX_IMAGE_2D || own == PX_IMAGE_A2D;
    case PX_IMAGE_A1D: return own == PX_IMAGE_A1D || (own == PX_IMAGE_1D && image->linear);
    case PX_IMAGE_CUBE:
    case PX_IMAGE_ACUBE: return own == PX_IMAGE_CUBE || own == PX_IMAGE_ACUBE;
    default: return own == kind;
    }
}

static int wrong_shape(struct px_gang *g, const struct px_insn *in, uint32_t lane, enum px_image_kind kind,
                       const struct px_image *image, const char *what)
{
    return px_gang_trap(g, in, lane, PX_CUDA_LAUNCH_FAILED, 0, "the %s is %s, the instruction's is %s", what,
                        name_of((enum px_image_kind)image->kind), name_of(kind));
}

/* The first layer, or cube, of layers. A layer of 1D stays one: integers reach it, which do not reach a 1D
 * array. */
static const struct px_image *first_layer(const struct px_image *image, enum px_image_kind kind,
                                          struct px_image *copy)
{
    const bool layered = px_tex_layered((enum px_image_kind)image->kind);
    if (image->kind == kind || kind == PX_IMAGE_1D || px_tex_layered(kind) || !layered) return image;
    *copy = *image;
    copy->kind = (uint8_t)kind;
    copy->layers = kind == PX_IMAGE_CUBE ? 6 : 1;
    return copy;
}

/* ---- tex, tld4 ---- */

static const uint32_t *row_or_null(const struct px_gang *g, uint32_t at)
{
    return at ? PX_ROW(g, const uint32_t, at) : NULL;
}

static struct px_tex_request request_of(const struct px_gang *g, const struct px_tex_sampling *t,
                                        const uint32_t *mask)
{
    struct px_tex_request r = {.mask = mask,
                               .integer = t->words.integer,
                               .lod = t->words.lod,
                               .layer = row_or_null(g, t->layer),
                               .sample = row_or_null(g, t->sample),
                               .level = row_or_null(g, t->level),
                               .gather = t->words.gather,
                               .halves = t->words.halves};
    for (int i = 0; i < 3; i++) {
        r.coord[i] = row_or_null(g, t->coord[i]);
        r.dx[i] = row_or_null(g, t->dx[i]);
        r.dy[i] = row_or_null(g, t->dy[i]);
        r.offset[i] = row_or_null(g, t->offset[i]);
    }
    return r;
}

/* In independent mode coordinates are normalised when texture and sampler say so; how integers are read is
 * the texture's. */
static struct px_sampler combine(const struct px_sampler *texture, const struct px_sampler *sampler)
{
    struct px_sampler s = *sampler;
    s.normalized = texture->normalized && sampler->normalized;
    s.read_normalized = texture->read_normalized;
    s.srgb = texture->srgb;
    return s;
}

static void ask_unit(struct px_gang *g, const struct px_tex_sampling *t, const struct px_image *image,
                     const struct px_sampler *sampler, const uint32_t *mask)
{
    struct px_tex_request r = request_of(g, t, mask);
    if (image->linear) r.layer = NULL; /* whatever the index */
    uint32_t apart[4][PX_LANES_MAX], *d[4] = {NULL};
    for (uint32_t i = 0; i < t->nd; i++) d[i] = t->apart ? apart[i] : PX_ROW(g, uint32_t, t->d[i]);
    if (t->words.gather)
        t->unit->gather(image, sampler, &r, t->words.channel, d, g->n);
    else
        t->unit->sample(image, sampler, &r, d, g->n);
    for (uint32_t i = 0; t->apart && i < t->nd; i++)
        for (uint32_t lane = 0; lane < g->n; lane++)
            if (mask[lane]) PX_ROW(g, uint32_t, t->d[i])[lane] = apart[i][lane];
}

static int sample_group(struct px_gang *g, const struct px_insn *in, const struct group *group)
{
    const struct px_tex_sampling *t = in->aux;
    const enum px_image_kind kind = (enum px_image_kind)t->words.kind;
    const struct px_opaque_bound *b = resolve(g, in, group->first, group->handle, PX_OPAQUE_TEXTURE), *s = b;
    struct px_image copy;
    struct px_sampler both;
    if (b && t->words.sampler) s = resolve(g, in, group->first, group->sampler, PX_OPAQUE_SAMPLER);
    if (!s) return PX_STEP_TRAP;
    if (!fits(kind, &b->image)) return wrong_shape(g, in, group->first, kind, &b->image, "texture");
    if (kind == PX_IMAGE_1D && t->words.integer && b->image.kind == PX_IMAGE_1D && !b->image.linear)
        return px_gang_trap(
            g, in, group->first, PX_CUDA_LAUNCH_FAILED, 0,
            "of a 1D array integer coordinates give nothing but zeros on a chip: bind linear memory, or "
            "use .f32 coordinates");
    if (s != b) both = combine(&b->sampler, &s->sampler);
    ask_unit(g, t, first_layer(&b->image, kind, &copy), s == b ? &b->sampler : &both, group->mask);
    return PX_STEP_NEXT;
}

int px_texture_sample(struct px_gang *g, const struct px_insn *in)
{
    return each_group(g, in, sample_group);
}

/* ---- surfaces ---- */

/* Layers of a cube are its faces (cudaSurfaceObject: surfCubemap reads layer 6 * cube + face). */
static bool surface_fits(enum px_image_kind kind, const struct px_image *image)
{
    const enum px_image_kind own = (enum px_image_kind)image->kind;
    if (kind == PX_IMAGE_A2D) return own == kind || own == PX_IMAGE_CUBE || own == PX_IMAGE_ACUBE;
    return own == kind;
}

/* The first lane whose x does not lie at a multiple of the access; n: none. */
static uint32_t misaligned(const uint32_t *mask, const uint32_t *x, uint32_t bytes, uint32_t n)
{
    for (uint32_t lane = 0; lane < n; lane++)
        if (mask[lane] && x[lane] & (bytes - 1)) return lane;
    return n;
}

static bool format_is_signed(uint32_t format)
{
    return format == PX_IMAGE_S8 || format == PX_IMAGE_S16 || format == PX_IMAGE_S32;
}

static uint32_t move(struct px_gang *g, const struct px_tex_surface *s, const struct px_image *image,
                     const struct px_surf_request *r)
{
    uint64_t apart[4][PX_LANES_MAX];
    void *row[4] = {NULL};
    const bool direct = !s->words.load || !s->apart;
    for (uint32_t i = 0; i < s->nvalues; i++) row[i] = direct ? g->frame + s->value[i] : (uint8_t *)apart[i];
    if (s->words.reduce) {
        const bool sign = s->words.formatted ? format_is_signed(image->format) : s->words.sign;
        return px_surf_reduce(image, r, (enum px_surf_op)s->words.op, sign, row[0], g->n);
    }
    if (!s->words.load) return s->unit->store(image, r, (const void *const *)row, g->n);
    const uint32_t outside = s->unit->load(image, r, row, g->n);
    for (uint32_t i = 0; !direct && outside == g->n && i < s->nvalues; i++)
        for (uint32_t lane = 0; lane < g->n; lane++)
            if (r->mask[lane])
                memcpy(g->frame + s->value[i] + lane * s->row, (uint8_t *)apart[i] + lane * s->row, s->row);
    return outside;
}

static int outside_surface(struct px_gang *g, const struct px_insn *in, const struct px_tex_surface *s,
                           const struct px_image *image, uint32_t lane)
{
    const struct px_image_level *l = &image->level[0];
    int at[4] = {0};
    for (int i = 0; i < 3; i++)
        if (s->coord[i]) at[i] = (int)PX_ROW(g, uint32_t, s->coord[i])[lane];
    if (s->layer) at[3] = (int)PX_ROW(g, uint32_t, s->layer)[lane];
    return px_gang_trap(
        g, in, lane, PX_CUDA_ILLEGAL_ADDRESS, 0,
        "x %d%s, y %d, z %d, layer %d is not in the surface of %u x %u x %u texels of %u bytes in %u layers",
        at[0], s->words.formatted ? "" : " (bytes)", at[1], at[2], at[3], l->width, l->height, l->depth,
        px_image_texel(image), image->layers);
}

static int surface_group(struct px_gang *g, const struct px_insn *in, const struct group *group)
{
    const struct px_tex_surface *s = in->aux;
    const enum px_image_kind kind = (enum px_image_kind)s->words.kind;
    const struct px_opaque_bound *b = resolve(g, in, group->first, group->handle, PX_OPAQUE_SURFACE);
    if (!b) return PX_STEP_TRAP;
    if (!surface_fits(kind, &b->image)) return wrong_shape(g, in, group->first, kind, &b->image, "surface");
    struct px_surf_request r = {.mask = group->mask,
                                .layer = row_or_null(g, s->layer),
                                .clamp = s->words.clamp,
                                .formatted = s->words.formatted,
                                .elements = (uint8_t)s->nvalues,
                                .size = s->words.bytes,
                                .row = (uint8_t)s->row};
    for (int i = 0; i < 3; i++) r.coord[i] = row_or_null(g, s->coord[i]);
    const uint32_t bytes = (uint32_t)r.elements * r.size;
    const uint32_t off = r.formatted ? g->n : misaligned(r.mask, r.coord[0], bytes, g->n);
    if (off < g->n)
        return px_gang_trap(g, in, off, PX_CUDA_MISALIGNED_ADDRESS, 0, "x %d is no multiple of %u bytes",
                            (int)r.coord[0][off], bytes);
    if (r.formatted && s->words.reduce && px_image_texel(&b->image) != r.size)
        return px_gang_trap(g, in, group->first, PX_CUDA_LAUNCH_FAILED, 0,
                            "a reduction of %u bytes on a surface whose texels have %u", r.size,
                            px_image_texel(&b->image));
    const uint32_t lane = move(g, s, &b->image, &r);
    return lane < g->n ? outside_surface(g, in, s, &b->image, lane) : PX_STEP_NEXT;
}

int px_texture_surface(struct px_gang *g, const struct px_insn *in)
{
    return each_group(g, in, surface_group);
}

/* ---- queries ---- */

static int query_group(struct px_gang *g, const struct px_insn *in, const struct group *group)
{
    const struct px_tex_question *q = in->aux;
    const struct px_opaque_bound *b =
        resolve(g, in, group->first, group->handle, (enum px_opaque_kind)q->kind);
    if (!b) return PX_STEP_TRAP;
    const uint32_t *level = row_or_null(g, q->level);
    uint32_t *d = PX_ROW(g, uint32_t, in->d);
    const uint32_t answer = level ? 0 : px_tex_answer(&b->image, &b->sampler, q->query, 0);
    for (uint32_t lane = 0; lane < g->n; lane++)
        if (group->mask[lane])
            d[lane] = level ? px_tex_answer(&b->image, &b->sampler, q->query, level[lane]) : answer;
    return PX_STEP_NEXT;
}

int px_texture_query(struct px_gang *g, const struct px_insn *in)
{
    return each_group(g, in, query_group);
}

int px_texture_istypep(struct px_gang *g, const struct px_insn *in)
{
    const struct px_lanes lanes = px_gang_lanes(g, in);
    uint32_t lane;
    PX_FOR_LANES(lane, lanes)
    {
        const struct px_opaque_place *p =
            px_opaque_at(g->cta->grid->textures, PX_ROW(g, uint64_t, in->a)[lane]);
        PX_ROW(g, uint32_t, in->d)[lane] = p && p->variable && p->kind == in->opaque ? ~0u : 0;
    }
    return PX_STEP_NEXT;
}
