/*
 * test_texrules.c - rules of textures and surfaces against a chip: test_texrules [CASE]
 *
 * tests/hw/golden/texrules.tsv was recorded by tests/hw/texrules/record.c: a line for each case of cases.txt.
 * What can be made, results and errors are the same here; the lists below name where the VM is stricter than
 * the chip or laxer, and what the chip's driver does not load at all (queries).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hw/texrules/case.h"
#include "ptx_texture.h"
#include "suite.h"

/* The chip answers with zeros, old texels or another object's; here the launch stops, saying this. */
static const struct strict {
    const char *name; /* a * at the end stands for anything */
    int fault;
    const char *says;
} strict[] = {{"kind_1d_by_1d", 719, "nothing but zeros on a chip"},
              {"kind_*", 719, "the instruction's is"},
              {"tex_0x0", 700, "is no handle of a texture"},
              {"tex_0x1", 700, "is no handle of a texture"},
              {"suld_0x0", 700, "is no handle of a surface"},
              {"suld_0x1", 700, "is no handle of a surface"},
              {"tex_destroyed", 700, "is no handle of a texture, or of one that was destroyed"},
              {"suld_destroyed", 700, "is no handle of a surface, or of one that was destroyed"},
              {"tex_gone", 700, "an array that was destroyed"},
              {"suld_gone", 700, "an array that was destroyed"},
              {"tex_surface", 700, "is the handle of a surface"},
              {"suld_texture", 700, "is the handle of a texture"},
              {"ref_unbound", 719, "'tr' is a variable to which nothing is bound"},
              {"surf_unbound", 719, "'sr' is a variable to which nothing is bound"}};

/* The driver makes textures of nothing, and of more memory than there is; here that is refused. It refuses
 * memory that does not begin at a multiple of 512 bytes, of which 16 are enough here. */
static const char *const refused[] = {"create_linear_memory_0", "create_linear_memory_past",
                                      "create_linear_memory_big"};
static const char *const taken[] = {"create_linear_memory_offset16", "create_pitch_offset"};

static const char *only;
static unsigned failures;

#define DIFFERS(...) (failures++, print_error(__VA_ARGS__), print_error("\n"))

static bool listed(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

/* ---- the recording ---- */

struct golden {
    char where[16];
    int code;
    uint32_t result[CASE_RESULTS];
};

static FILE *open_beside(const char *name)
{
    char path[512];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*s/../hw/%s", (int)(slash - __FILE__), __FILE__, name);
    return fopen(path, "r");
}

static bool golden_of(const char *name, struct golden *g)
{
    char line[256];
    const size_t n = strlen(name);
    FILE *f = open_beside("golden/texrules.tsv");
    bool found = false;
    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f))
        if (!strncmp(line, name, n) && line[n] == '\t') {
            *g = (struct golden){.code = 0};
            found = sscanf(line + n, "%15s %d %x %x %x %x", g->where, &g->code, &g->result[0], &g->result[1],
                           &g->result[2], &g->result[3]) >= 2;
        }
    fclose(f);
    return found;
}

/* ---- the same here ---- */

struct world {
    ptx_device *device;
    ptx_program *program;
    ptx_array array, level0;
    ptx_texture_config texture;
    ptx_sampler_config sampler;
    ptx_texture tex;
    ptx_surface surf;
    struct golden told;
    ptx_fault fault;
};

static ptx_format format_of(const Case *c)
{
    static const struct {
        const char *name;
        ptx_format format;
    } all[] = {{"u8", PTX_FORMAT_U8},   {"u16", PTX_FORMAT_U16}, {"u32", PTX_FORMAT_U32},
               {"s8", PTX_FORMAT_S8},   {"s16", PTX_FORMAT_S16}, {"s32", PTX_FORMAT_S32},
               {"f16", PTX_FORMAT_F16}, {"f32", PTX_FORMAT_F32}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, c->format)) return all[i].format;
    return (ptx_format)0;
}

/* False: the case ends here. */
static bool came(struct world *w, const char *where, ptx_status status)
{
    if (status == PTX_OK) return true;
    strcpy(w->told.where, where);
    w->told.code = status == PTX_ERROR_INVALID_ARGUMENT ? 1 : -(int)status;
    assert_int_not_equal(*ptx_device_message(w->device), 0);
    return false;
}

static void fill_level(const Case *c, struct world *w, ptx_array array, unsigned level)
{
    ptx_array_config d = {.struct_size = sizeof d};
    assert_int_equal(ptx_array_config_get(w->device, array, &d), PTX_OK);
    const size_t h = d.height ? d.height : 1, n = d.depth ? d.depth : 1, texels = d.width * h * n;
    if (texels > 1 << 20) return;
    uint8_t *data = malloc(texels * case_size(c) + 4);
    case_fill(c, level, texels, data);
    const ptx_array_copy copy = {.struct_size = sizeof copy,
                                 .to = {.array = array},
                                 .from = {.place = {.host = data}},
                                 .width = d.width * case_size(c),
                                 .height = h,
                                 .depth = n};
    assert_int_equal(ptx_array_copy_now(w->device, &copy), PTX_OK);
    free(data);
}

static bool make_array(const Case *c, struct world *w)
{
    ptx_array_config d = {.struct_size = sizeof d,
                          .width = c->width,
                          .height = c->height,
                          .depth = c->depth,
                          .format = format_of(c),
                          .channels = c->channels,
                          .levels = c->levels};
    if (c->kind[0] == 'a') d.flags |= PTX_ARRAY_LAYERED;
    if (strstr(c->kind, "cube")) d.flags |= PTX_ARRAY_CUBE;
    if (case_flag(c, 's')) d.flags |= PTX_ARRAY_SURFACE;
    if (case_flag(c, 'g')) d.flags |= PTX_ARRAY_GATHER;
    if (!came(w, "array", ptx_array_create(w->device, &d, &w->array))) return false;
    for (unsigned i = 0; i < c->levels; i++) {
        ptx_array level;
        if (ptx_array_level(w->device, w->array, i, &level) != PTX_OK) break;
        if (!i) w->level0 = level;
        fill_level(c, w, level, i);
    }
    w->texture.array = w->array;
    return true;
}

static void make_memory(const Case *c, struct world *w)
{
    const bool pitched = !strcmp(c->kind, "pitch");
    const size_t row = c->width * case_size(c), h = c->height ? c->height : 1;
    size_t pitch = pitched ? (row + 511) / 512 * 512 : row, bytes = pitch * h;
    uint8_t *data = calloc(bytes + 512, 1);
    ptx_address memory;
    if (case_flag(c, 't')) pitch = row;
    if (bytes < 1 << 20)
        for (size_t y = 0; y < h; y++) case_fill(c, 0, c->width, data + y * pitch);
    const size_t kept = bytes < 64 << 20 ? bytes : 0;
    assert_int_equal(ptx_memory_alloc(w->device, kept ? kept + (case_flag(c, 'o') ? 16 : 0) : 1, &memory),
                     PTX_OK);
    if (kept) assert_int_equal(ptx_memory_write(w->device, memory, data, kept), PTX_OK);
    free(data);
    const size_t more = case_flag(c, 'p') ? 64u << 20 : 0;
    w->texture.address = memory + (case_flag(c, 'o') ? 16 : 0);
    w->texture.width = c->width + (pitched ? 0 : more / case_size(c));
    w->texture.height = pitched ? h + more / pitch : 0;
    w->texture.pitch = pitch;
    w->texture.format = format_of(c);
    w->texture.channels = c->channels;
}

static ptx_sampler_config sampler_of(const Case *c)
{
    ptx_sampler_config s = {.struct_size = sizeof s, .max_level = 20};
    const char *aniso = strstr(c->texture, "aniso");
    for (int i = 0; i < 3; i++)
        s.address[i] = case_is(c->texture, "wrap")     ? PTX_ADDRESS_WRAP
                       : case_is(c->texture, "mirror") ? PTX_ADDRESS_MIRROR
                       : case_is(c->texture, "border") ? PTX_ADDRESS_BORDER
                                                       : PTX_ADDRESS_CLAMP;
    s.filter = case_is(c->texture, "linear") ? PTX_FILTER_LINEAR : PTX_FILTER_POINT;
    s.normalized = case_is(c->texture, "norm");
    s.integers = case_is(c->texture, "int");
    s.srgb = case_is(c->texture, "srgb");
    if (aniso) s.anisotropy = (unsigned)atoi(aniso + 5);
    return s;
}

static void bind(struct world *w)
{
    ptx_reference_info tr = {.struct_size = sizeof tr}, sr = {.struct_size = sizeof sr};
    assert_int_equal(ptx_program_reference(w->program, "tr", &tr, NULL), PTX_OK);
    assert_int_equal(ptx_program_reference(w->program, "sr", &sr, NULL), PTX_OK);
    assert_int_equal(tr.kind, PTX_REFERENCE_TEXTURE);
    assert_int_equal(sr.kind, PTX_REFERENCE_SURFACE);
    assert_int_equal(ptx_reference_bind_texture(w->device, tr.reference, &w->texture), PTX_OK);
    assert_int_equal(ptx_reference_bind_surface(w->device, sr.reference, w->array), PTX_OK);
}

static void launch(struct world *w, uint64_t tex, uint64_t surf)
{
    ptx_kernel *kernel;
    struct {
        ptx_address out;
        uint64_t tex, surf;
    } params = {.tex = tex, .surf = surf};
    assert_int_equal(ptx_memory_alloc(w->device, sizeof w->told.result, &params.out), PTX_OK);
    assert_int_equal(ptx_program_kernel(w->program, "k", &kernel), PTX_OK);
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {1},
                                      .block = {1},
                                      .params = &params,
                                      .param_bytes = sizeof params};
    w->fault = (ptx_fault){.struct_size = sizeof w->fault};
    const ptx_status status = ptx_kernel_launch(kernel, &config, &w->fault);
    strcpy(w->told.where, status == PTX_OK ? "fine" : "launch");
    w->told.code = status == PTX_OK ? 0 : status == PTX_ERROR_FAULT ? w->fault.cuda_error : -(int)status;
    assert_int_equal(ptx_memory_read(w->device, w->told.result, params.out, sizeof w->told.result), PTX_OK);
}

static void load(const Case *c, struct world *w)
{
    ptx_module *module;
    const ptx_status status = ptx_module_create(NULL, c->ptx, strlen(c->ptx), &module);
    if (status != PTX_OK) {
        ptx_diagnostic d = {sizeof d};
        ptx_module_diagnostic(module, 0, &d);
        fail_msg("%s: %s", c->name, d.message);
    }
    const ptx_module *list[] = {module};
    assert_int_equal(ptx_program_create(w->device, list, 1, NULL, &w->program), PTX_OK);
    ptx_module_destroy(module);
}

static void run(const Case *c, struct world *w)
{
    if (!strcmp(c->kind, "linear") || !strcmp(c->kind, "pitch"))
        make_memory(c, w);
    else if (!make_array(c, w))
        return;
    w->sampler = sampler_of(c);
    w->texture.struct_size = sizeof w->texture;
    w->texture.sampler = &w->sampler;
    if (*c->texture && !came(w, "texture", ptx_texture_create(w->device, &w->texture, &w->tex))) return;
    if ((case_flag(c, 's') || case_flag(c, 'S')) &&
        !came(w, "surface",
              ptx_surface_create(w->device, case_flag(c, 'M') ? w->array : w->level0, &w->surf)))
        return;
    if (!strcmp(c->handle, "create")) {
        ptx_array level;
        ptx_array_config d = {.struct_size = sizeof d};
        strcpy(w->told.where, "fine");
        while (c->levels > 1 && ptx_array_level(w->device, w->array, w->told.result[0], &level) == PTX_OK)
            w->told.result[0]++;
        if (c->levels > 1)
            assert_int_equal(ptx_array_level(w->device, w->array, w->told.result[0] - 1, &level), PTX_OK);
        if (c->levels > 1) assert_int_equal(ptx_array_config_get(w->device, level, &d), PTX_OK);
        w->told.result[1] = (uint32_t)d.width, w->told.result[2] = (uint32_t)d.height;
        return;
    }
    load(c, w);
    uint64_t tex = w->tex, surf = w->surf;
    if (!strcmp(c->handle, "reference")) bind(w);
    if (!strcmp(c->handle, "destroyed")) {
        assert_int_equal(ptx_texture_destroy(w->device, w->tex), PTX_OK);
        assert_int_equal(ptx_surface_destroy(w->device, w->surf), PTX_OK);
        assert_int_equal(ptx_texture_destroy(w->device, w->tex), PTX_ERROR_INVALID_ARGUMENT);
    }
    if (!strcmp(c->handle, "gone")) assert_int_equal(ptx_array_destroy(w->device, w->array), PTX_OK);
    if (!strncmp(c->handle, "0x", 2)) tex = surf = strtoull(c->handle, NULL, 16);
    if (!strcmp(c->handle, "surface")) tex = w->surf;
    if (!strcmp(c->handle, "texture")) surf = w->tex;
    launch(w, tex, surf);
}

/* ---- comparing ---- */

static const struct strict *strict_for(const char *name)
{
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++) {
        const size_t n = strcspn(strict[i].name, "*");
        if (!strncmp(strict[i].name, name, n) && (strict[i].name[n] == '*' || !name[n])) return &strict[i];
    }
    return NULL;
}

static bool nothing_but_zeros(const struct golden *g)
{
    return !(g->result[0] | g->result[1] | g->result[2] | g->result[3]);
}

static void compare(const Case *c, const struct golden *want, const struct world *w)
{
    const struct strict *s = strict_for(c->name);
    const struct golden *got = &w->told;
    if (s && (strcmp(s->name, "kind_*") || nothing_but_zeros(want))) {
        if (got->code != s->fault || !strstr(w->fault.message, s->says))
            DIFFERS("%s: %s %d, not '%s'", c->name, got->where, got->code, s->says);
        return;
    }
    if (listed(refused, sizeof refused / sizeof *refused, c->name)) {
        if (strcmp(got->where, "texture")) DIFFERS("%s: %s", c->name, got->where);
        return;
    }
    if (listed(taken, sizeof taken / sizeof *taken, c->name)) {
        if (strcmp(got->where, "fine")) DIFFERS("%s: %s", c->name, got->where);
        return;
    }
    if (strcmp(want->where, got->where) || want->code != got->code)
        DIFFERS("%s: %s %d, the chip %s %d (%s)", c->name, got->where, got->code, want->where, want->code,
                got->code > 1 ? w->fault.message : ptx_device_message(w->device));
    else if (!strcmp(want->where, "fine") && memcmp(want->result, got->result, sizeof got->result))
        DIFFERS("%s: %x %x %x %x, the chip %x %x %x %x", c->name, got->result[0], got->result[1],
                got->result[2], got->result[3], want->result[0], want->result[1], want->result[2],
                want->result[3]);
}

TEST(as_the_chip)
{
    static Case c;
    FILE *f = open_beside("texrules/cases.txt");
    unsigned n = 0;
    assert_non_null(f);
    while (case_next(f, &c)) {
        struct golden want;
        struct world w = {0};
        const ptx_device_config config = {
            .struct_size = sizeof config, .memory_bytes = 1 << 30, .workers = 1};
        if (only && strcmp(only, c.name)) continue;
        if (!golden_of(c.name, &want)) {
            DIFFERS("%s: not recorded", c.name);
            continue;
        }
        /* what the driver does not load, and kernels that it leaves out */
        if (!strcmp(want.where, "load") || !strcmp(want.where, "broken")) continue;
        assert_int_equal(ptx_device_create(&config, &w.device), PTX_OK);
        run(&c, &w);
        compare(&c, &want, &w);
        ptx_device_destroy(w.device);
        n++;
    }
    fclose(f);
    if (!only) assert_true(n > 450);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) only = argv[1];
    return run_suite();
}
