/*
 * test_textures.c - arrays, objects and references of ptx_texture.h: what they are, who keeps what, and what
 * is refused. Texels are whole numbers in distinct places, so that each result says where it was read; what
 * the unit makes of them is test_texrules' and tests/hw/texture's.
 */
#include "api/fixture.h"
#include <stdio.h>
#include <string.h>
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "ptx_texture.h"
#include "suite.h"

#define HEAD ".version 8.1\n.target sm_90\n.address_size 64\n"
#define INDEPENDENT ".version 8.1\n.target sm_90, texmode_independent\n.address_size 64\n"

/* out[tid] = the first channel at texel tid of a 2D texture's row 1 */
#define FETCH(name, decl, base)                                                                              \
    ".visible .entry " name "(.param .u64 out, " decl ")\n{\n"                                               \
    ".reg .b64 %rd<4>; .reg .b32 %r<8>;\nmov.u32 %r0, %tid.x; mov.u32 %r1, 1;\n"                             \
    "ld.param.u64 %rd0, [out]; mad.wide.u32 %rd0, %r0, 4, %rd0;\n" base                                      \
    "st.global.u32 [%rd0], %r2; ret;\n}\n"

enum { WIDTH = 8, HEIGHT = 4, TEXELS = WIDTH * HEIGHT };

static ptx_address out;
static ptx_fault fault;

/* ---- what the tests share ---- */

static void load(const char *text)
{
    ptx_module *module;
    const ptx_status status = ptx_module_create(NULL, text, strlen(text), &module);
    if (status != PTX_OK) {
        ptx_diagnostic d = {sizeof d};
        ptx_module_diagnostic(module, 0, &d);
        fail_msg("line %u: %s", d.line, d.message);
    }
    const ptx_module *list[] = {module};
    assert_int_equal(ptx_program_create(device, list, 1, NULL, &program), PTX_OK);
    ptx_module_destroy(module);
}

static ptx_status launch(const char *name, uint64_t second, uint64_t third)
{
    ptx_kernel *kernel;
    const uint64_t params[3] = {out, second, third};
    assert_int_equal(ptx_program_kernel(program, name, &kernel), PTX_OK);
    const ptx_launch_config config = {.struct_size = sizeof config,
                                      .grid = {1},
                                      .block = {WIDTH},
                                      .params = params,
                                      .param_bytes = sizeof params};
    fault = (ptx_fault){.struct_size = sizeof fault};
    return ptx_kernel_launch(kernel, &config, &fault);
}

static void expect_out(const uint32_t *want)
{
    uint32_t got[WIDTH];
    assert_int_equal(ptx_memory_read(device, got, out, sizeof got), PTX_OK);
    for (int i = 0; i < WIDTH; i++) assert_int_equal(got[i], want[i]);
}

static void expect_fault(ptx_status status, int error, const char *says)
{
    assert_int_equal(status, PTX_ERROR_FAULT);
    assert_int_equal(fault.cuda_error, error);
    if (!strstr(fault.message, says)) fail_msg("'%s' lacks '%s'", fault.message, says);
}

static void expect_refused(ptx_status status, const char *says)
{
    assert_int_equal(status, PTX_ERROR_INVALID_ARGUMENT);
    if (!strstr(ptx_device_message(device), says))
        fail_msg("'%s' lacks '%s'", ptx_device_message(device), says);
}

static ptx_array make_array(uint32_t first)
{
    const ptx_array_config config = {.struct_size = sizeof config,
                                     .width = WIDTH,
                                     .height = HEIGHT,
                                     .format = PTX_FORMAT_U32,
                                     .channels = 1,
                                     .flags = PTX_ARRAY_SURFACE};
    uint32_t data[TEXELS];
    ptx_array array;
    for (uint32_t i = 0; i < TEXELS; i++) data[i] = first + i;
    assert_int_equal(ptx_array_create(device, &config, &array), PTX_OK);
    const ptx_array_copy copy = {.struct_size = sizeof copy,
                                 .to = {.array = array},
                                 .from = {.place = {.host = data}},
                                 .width = 4 * WIDTH,
                                 .height = HEIGHT};
    assert_int_equal(ptx_array_copy_now(device, &copy), PTX_OK);
    return array;
}

static const ptx_sampler_config integers = {.struct_size = sizeof integers, .integers = 1};

static ptx_texture_config of_array(ptx_array array)
{
    return (ptx_texture_config){
        .struct_size = sizeof(ptx_texture_config), .array = array, .sampler = &integers};
}

static ptx_texture make_texture(ptx_array array)
{
    const ptx_texture_config config = of_array(array);
    ptx_texture texture;
    assert_int_equal(ptx_texture_create(device, &config, &texture), PTX_OK);
    return texture;
}

/* Row 1 of an array that begins with `first`. */
static void expect_row(uint32_t first)
{
    uint32_t want[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) want[i] = first + WIDTH + i;
    expect_out(want);
}

static int open_device(void **state)
{
    const ptx_device_config config = {.struct_size = sizeof config, .workers = 2, .memory_bytes = 64 << 20};
    (void)state;
    assert_int_equal(ptx_device_create(&config, &device), PTX_OK);
    assert_int_equal(ptx_memory_alloc(device, 4096, &out), PTX_OK);
    return 0;
}

/* ---- arrays ---- */

#define CASE(name) TEST_WITHIN(name, open_device, close_device)

CASE(arrays_are_copied_in_parts)
{
    const ptx_array array = make_array(100);
    uint32_t got[4] = {0};
    ptx_address memory;
    ptx_stream stream;
    assert_int_equal(ptx_memory_alloc(device, 64, &memory), PTX_OK);
    assert_int_equal(ptx_stream_create(device, NULL, &stream), PTX_OK);
    /* two texels of two rows go to device memory in stream order, and from there to the host */
    const ptx_array_copy part = {.struct_size = sizeof part,
                                 .to = {.place = {.address = memory, .pitch = 8}},
                                 .from = {.array = array, .x = 12, .y = 2},
                                 .width = 8,
                                 .height = 2};
    assert_int_equal(ptx_stream_copy_array(device, &part, stream), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, stream, NULL), PTX_OK);
    assert_int_equal(ptx_memory_read(device, got, memory, sizeof got), PTX_OK);
    assert_int_equal(got[0], 100 + 2 * WIDTH + 3);
    assert_int_equal(got[1], 100 + 2 * WIDTH + 4);
    assert_int_equal(got[2], 100 + 3 * WIDTH + 3);
    assert_int_equal(got[3], 100 + 3 * WIDTH + 4);
    ptx_array_copy past = part;
    past.from.x = 28;
    expect_refused(ptx_array_copy_now(device, &past), "the array that is read does not have what is copied");
    past = part, past.from.y = UINT64_MAX;
    expect_refused(ptx_array_copy_now(device, &past), "that is read");
    past = part, past.from.z = 1;
    expect_refused(ptx_array_copy_now(device, &past), "that is read");
    past = part, past.to = past.from, past.to.array ^= 1;
    expect_refused(ptx_array_copy_now(device, &past), "the array that is written");
}

CASE(levels_are_arrays)
{
    const ptx_array_config config = {.struct_size = sizeof config,
                                     .width = 12,
                                     .height = 5,
                                     .depth = 3,
                                     .format = PTX_FORMAT_F16,
                                     .channels = 2,
                                     .flags = PTX_ARRAY_LAYERED,
                                     .levels = 99};
    ptx_array_config told = {.struct_size = sizeof told};
    ptx_array array, level, again;
    assert_int_equal(ptx_array_create(device, &config, &array), PTX_OK);
    assert_int_equal(ptx_array_config_get(device, array, &told), PTX_OK);
    assert_int_equal(told.levels, 4); /* 12 6 3 1 */
    assert_int_equal(ptx_array_level(device, array, 2, &level), PTX_OK);
    assert_int_equal(ptx_array_level(device, array, 2, &again), PTX_OK);
    assert_true(level == again && level != array);
    assert_int_equal(ptx_array_config_get(device, level, &told), PTX_OK);
    assert_int_equal(told.width, 3);
    assert_int_equal(told.height, 1);
    assert_int_equal(told.depth, 3); /* layers stay */
    assert_int_equal(told.levels, 1);
    assert_int_equal(ptx_array_level(device, array, 4, &level), PTX_ERROR_NOT_FOUND);
    expect_refused(ptx_array_destroy(device, again), "a level is destroyed with its array");
    assert_int_equal(ptx_array_destroy(device, array), PTX_OK);
    expect_refused(ptx_array_config_get(device, again, &told), "no array of this number");
    expect_refused(ptx_array_destroy(device, array), "no array of this number");
}

CASE(a_graph_outlives_its_array)
{
    const ptx_array array = make_array(7);
    uint32_t got[WIDTH] = {0};
    ptx_stream stream;
    ptx_graph graph;
    ptx_instance instance;
    assert_int_equal(ptx_stream_create(device, NULL, &stream), PTX_OK);
    const ptx_array_copy copy = {.struct_size = sizeof copy,
                                 .to = {.place = {.host = got}},
                                 .from = {.array = array},
                                 .width = sizeof got};
    assert_int_equal(ptx_capture_begin(device, stream), PTX_OK);
    assert_int_equal(ptx_stream_copy_array(device, &copy, stream), PTX_OK);
    assert_int_equal(ptx_capture_end(device, stream, &graph), PTX_OK);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, stream), PTX_OK);
    assert_int_equal(ptx_stream_wait(device, stream, NULL), PTX_OK);
    assert_int_equal(got[3], 10);
    assert_int_equal(ptx_array_destroy(device, array), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, stream), PTX_OK);
    fault = (ptx_fault){.struct_size = sizeof fault};
    expect_fault(ptx_stream_wait(device, stream, &fault), 700,
                 "does not have what is copied, or was destroyed");
}

CASE(graphs_have_nodes_that_copy_arrays)
{
    const ptx_array a = make_array(7), b = make_array(500);
    uint32_t got[WIDTH] = {0};
    ptx_graph graph;
    ptx_node up, down;
    ptx_instance instance;
    ptx_node_info told = {.struct_size = sizeof told};
    const ptx_array_copy over = {.struct_size = sizeof over,
                                 .to = {.array = b, .y = 1},
                                 .from = {.array = a, .y = 2},
                                 .width = sizeof got};
    ptx_array_copy back = {.struct_size = sizeof back,
                           .to = {.place = {.host = got}},
                           .from = {.array = b, .y = 1},
                           .width = sizeof got};
    ptx_node_config config = {.struct_size = sizeof config, .kind = PTX_NODE_COPY, .array_copy = &over};
    assert_int_equal(ptx_graph_create(device, &graph), PTX_OK);
    assert_int_equal(ptx_graph_add(device, graph, NULL, 0, &config, &up), PTX_OK);
    config.array_copy = &back;
    assert_int_equal(ptx_graph_add(device, graph, &up, 1, &config, &down), PTX_OK);
    assert_int_equal(ptx_node_info_get(device, up, &told), PTX_OK);
    assert_int_equal(told.kind, PTX_NODE_COPY);
    assert_true(told.array_copy.to.array == b && told.array_copy.from.array == a);
    assert_true(told.array_copy.to.y == 1 && told.array_copy.from.y == 2);
    assert_true(told.array_copy.to.place.device == device && told.array_copy.width == sizeof got);
    assert_int_equal(ptx_node_info_get(device, down, &told), PTX_OK);
    assert_true(told.array_copy.to.array == 0 && told.array_copy.to.place.host == got);
    assert_int_equal(ptx_graph_instantiate(device, graph, &instance), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, PTX_STREAM_DEFAULT), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    for (uint32_t i = 0; i < WIDTH; i++) assert_int_equal(got[i], 7 + 2 * WIDTH + i);
    back.from.y = 0;
    assert_int_equal(ptx_instance_set(device, instance, down, &config), PTX_OK);
    assert_int_equal(ptx_instance_launch(device, instance, PTX_STREAM_DEFAULT), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    for (uint32_t i = 0; i < WIDTH; i++) assert_int_equal(got[i], 500 + i);
    back.from.y = HEIGHT;
    expect_refused(ptx_node_set(device, down, &config), "the array that is read");
    config.array_copy = NULL;
    assert_int_equal(ptx_node_set(device, down, &config), PTX_ERROR_INVALID_ARGUMENT);
}

CASE(arrays_of_two_devices)
{
    ptx_device *first = device;
    const ptx_array there = make_array(40);
    void *second = NULL;
    uint32_t got[WIDTH] = {0};
    open_device(&second); /* the other one, which is asked */
    const ptx_array here = make_array(0);
    const ptx_array_copy over = {.struct_size = sizeof over,
                                 .to = {.array = here},
                                 .from = {.array = there, .y = 1, .place = {.device = first}},
                                 .width = sizeof got};
    const ptx_array_copy back = {.struct_size = sizeof back,
                                 .to = {.place = {.host = got}},
                                 .from = {.array = here},
                                 .width = sizeof got};
    assert_int_equal(ptx_stream_copy_array(device, &over, PTX_STREAM_DEFAULT), PTX_OK);
    assert_int_equal(ptx_stream_copy_array(device, &back, PTX_STREAM_DEFAULT), PTX_OK);
    assert_int_equal(ptx_device_wait(device, NULL), PTX_OK);
    for (uint32_t i = 0; i < WIDTH; i++) assert_int_equal(got[i], 40 + WIDTH + i);
    ptx_device_destroy(device);
    device = first;
}

/* ---- objects ---- */

#define OBJECT                                                                                               \
    FETCH("k", ".param .u64 tex",                                                                            \
          "ld.param.u64 %rd1, [tex]; tex.2d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [%rd1, {%r0,%r1}];\n")
#define LANES                                                                                                \
    FETCH("lanes", ".param .u64 a, .param .u64 b",                                                           \
          ".reg .pred %p; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; setp.gt.u32 %p, %r0, 2;\n"         \
          "selp.b64 %rd1, %rd2, %rd1, %p; tex.2d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [%rd1, {%r0,%r1}];\n")

CASE(lanes_have_textures_of_their_own)
{
    load(HEAD OBJECT LANES);
    const ptx_texture a = make_texture(make_array(100)), b = make_texture(make_array(1000));
    assert_int_equal(launch("k", a, 0), PTX_OK);
    expect_row(100);
    assert_int_equal(launch("lanes", a, b), PTX_OK);
    uint32_t want[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) want[i] = (i > 2 ? 1000 : 100) + WIDTH + i;
    expect_out(want);
    assert_int_equal(ptx_texture_destroy(device, b), PTX_OK);
    expect_fault(launch("lanes", a, b), 700, "or of one that was destroyed");
    assert_int_equal(fault.thread[0], 3);
    /* the place is used again, by another number */
    const ptx_texture c = make_texture(make_array(5));
    assert_true(c != b);
    expect_fault(launch("k", b, 0), 700, "or of one that was destroyed");
}

CASE(memory_that_was_freed_is_not_read)
{
    uint32_t data[TEXELS];
    ptx_address memory;
    uint64_t pitch;
    ptx_texture texture;
    load(HEAD OBJECT);
    for (uint32_t i = 0; i < TEXELS; i++) data[i] = 40 + i;
    assert_int_equal(ptx_memory_alloc_pitch(device, 4 * WIDTH, HEIGHT, 0, &memory, &pitch), PTX_OK);
    const ptx_copy copy = {.struct_size = sizeof copy,
                           .to = {.address = memory, .pitch = pitch},
                           .from = {.host = data, .pitch = 4 * WIDTH},
                           .width = 4 * WIDTH,
                           .height = HEIGHT};
    assert_int_equal(ptx_memory_copy(device, &copy), PTX_OK);
    ptx_texture_config config = {.struct_size = sizeof config,
                                 .address = memory,
                                 .width = WIDTH,
                                 .height = HEIGHT,
                                 .pitch = pitch,
                                 .format = PTX_FORMAT_U32,
                                 .channels = 1,
                                 .sampler = &integers};
    assert_int_equal(ptx_texture_create(device, &config, &texture), PTX_OK);
    assert_int_equal(launch("k", texture, 0), PTX_OK);
    expect_row(40);
    assert_int_equal(ptx_memory_free(device, memory), PTX_OK);
    expect_fault(launch("k", texture, 0), 700, "whose memory was freed");
    expect_refused(ptx_texture_create(device, &config, &texture), "does not lie inside one allocation");
    config.pitch = 33;
    expect_refused(ptx_texture_create(device, &config, &texture), "multiple of 32 bytes");
    config.channels = 3;
    expect_refused(ptx_texture_create(device, &config, &texture), "1, 2 or 4 channels");
}

CASE(a_part_is_read_as_another_format)
{
    const ptx_array_config layered = {.struct_size = sizeof layered,
                                      .width = WIDTH,
                                      .height = 2,
                                      .depth = 3,
                                      .format = PTX_FORMAT_U16,
                                      .channels = 2,
                                      .flags = PTX_ARRAY_LAYERED};
    uint32_t data[WIDTH * 2 * 3];
    ptx_array array;
    ptx_texture texture;
    ptx_texture_config told = {.struct_size = sizeof told};
    load(HEAD OBJECT);
    for (uint32_t i = 0; i < WIDTH * 2 * 3; i++) data[i] = 0x10000 * i + i;
    assert_int_equal(ptx_array_create(device, &layered, &array), PTX_OK);
    const ptx_array_copy copy = {.struct_size = sizeof copy,
                                 .to = {.array = array},
                                 .from = {.place = {.host = data}},
                                 .width = 4 * WIDTH,
                                 .height = 2,
                                 .depth = 3};
    assert_int_equal(ptx_array_copy_now(device, &copy), PTX_OK);
    ptx_texture_config part = of_array(array);
    part.part = 1, part.format = PTX_FORMAT_U32, part.channels = 1, part.first_layer = part.last_layer = 2;
    assert_int_equal(ptx_texture_create(device, &part, &texture), PTX_OK);
    assert_int_equal(launch("k", texture, 0), PTX_OK); /* a 2D instruction reads the first layer */
    expect_out(data + WIDTH * 2 * 2 + WIDTH);
    assert_int_equal(ptx_texture_config_get(device, texture, &told, NULL), PTX_OK);
    assert_int_equal(told.last_layer, 2);
    assert_true(told.array == array);
    part.last_layer = 3;
    expect_refused(ptx_texture_create(device, &part, &texture), "the layers of the part");
    part.format = PTX_FORMAT_U8;
    expect_refused(ptx_texture_create(device, &part, &texture), "texels of another size");
}

CASE(surfaces_write_what_textures_read)
{
    load(HEAD OBJECT ".visible .entry store(.param .u64 out, .param .u64 surf)\n{\n"
                     ".reg .b64 %rd; .reg .b32 %r<4>;\nld.param.u64 %rd, [surf]; mov.u32 %r0, %tid.x;\n"
                     "shl.b32 %r1, %r0, 2; mul.lo.u32 %r2, %r0, %r0; mov.u32 %r3, 1;\n"
                     "sust.b.2d.b32.trap [%rd, {%r1,%r3}], %r2; ret;\n}\n");
    const ptx_array array = make_array(0);
    const ptx_texture texture = make_texture(array);
    ptx_surface surface;
    ptx_array told;
    uint32_t want[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) want[i] = i * i;
    assert_int_equal(ptx_surface_create(device, array, &surface), PTX_OK);
    assert_int_equal(ptx_surface_array(device, surface, &told), PTX_OK);
    assert_true(told == array);
    assert_int_equal(launch("store", surface, 0), PTX_OK);
    assert_int_equal(launch("k", texture, 0), PTX_OK);
    expect_out(want);
    expect_fault(launch("store", texture, 0), 700, "is the handle of a texture");
    expect_refused(ptx_texture_destroy(device, surface), "no object of this kind");
    assert_int_equal(ptx_surface_destroy(device, surface), PTX_OK);
    expect_fault(launch("store", surface, 0), 700, "no handle of a surface");
    /* an opaque variable or object is no memory */
    expect_refused(ptx_memory_write(device, texture, want, 4), "");
}

/* ---- references ---- */

#define TABLE                                                                                                \
    ".global .texref table[3];\n.global .surfref s;\n"                                                       \
    ".global .texref set = { filter_mode = linear, addr_mode_0 = mirror, addr_mode_1 = clamp_to_border, "    \
    "normalized_coords = 1 };\n" FETCH("k", ".param .u64 which",                                             \
                                       "ld.param.u64 %rd1, [which]; mov.u64 %rd2, table;\n"                  \
                                       "mad.lo.u64 %rd1, %rd1, 8, %rd2;\n"                                   \
                                       "tex.2d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [%rd1, {%r0,%r1}];\n")          \
        FETCH("q", ".param .u64 which", "txq.width.b32 %r2, table[1];\n")

CASE(references_are_bound_one_by_one)
{
    ptx_reference_info table = {.struct_size = sizeof table}, s = {.struct_size = sizeof s},
                       set = {.struct_size = sizeof set};
    ptx_sampler_config initial = {.struct_size = sizeof initial};
    load(HEAD TABLE);
    assert_int_equal(ptx_program_reference(program, "table", &table, NULL), PTX_OK);
    assert_int_equal(ptx_program_reference(program, "s", &s, NULL), PTX_OK);
    assert_int_equal(ptx_program_reference(program, "set", &set, &initial), PTX_OK);
    assert_int_equal(ptx_program_reference(program, "k", &set, NULL), PTX_ERROR_NOT_FOUND);
    assert_int_equal(table.kind, PTX_REFERENCE_TEXTURE);
    assert_int_equal(table.count, 3);
    assert_int_equal(s.kind, PTX_REFERENCE_SURFACE);
    assert_int_equal(s.count, 1);
    assert_int_equal(initial.filter, PTX_FILTER_LINEAR);
    assert_int_equal(initial.address[0], PTX_ADDRESS_MIRROR);
    assert_int_equal(initial.address[1], PTX_ADDRESS_BORDER);
    assert_int_equal(initial.normalized, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const ptx_texture_config config = of_array(make_array(1000 * i));
        assert_int_equal(ptx_reference_bind_texture(device, table.reference + 8 * i, &config), PTX_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(launch("k", i, 0), PTX_OK);
        expect_row(1000 * i);
    }
    const uint32_t width[WIDTH] = {8, 8, 8, 8, 8, 8, 8, 8};
    assert_int_equal(launch("q", 0, 0), PTX_OK);
    expect_out(width);
    expect_fault(launch("k", 2, 0), 719, "'table' is a variable to which nothing is bound");
    expect_fault(launch("k", 5, 0), 700, "no handle of a texture");
    assert_int_equal(ptx_reference_unbind(device, table.reference + 8), PTX_OK);
    expect_fault(launch("k", 1, 0), 719, "nothing is bound");
    expect_refused(ptx_reference_bind_surface(device, table.reference, make_array(1)),
                   "no variable of this kind");
    ptx_texture_config config = of_array(make_array(1));
    expect_refused(ptx_reference_bind_texture(device, s.reference, &config), "no variable of this kind");
    expect_refused(ptx_reference_bind_texture(device, make_texture(make_array(1)), &config),
                   "no variable of this kind");
    expect_refused(ptx_texture_destroy(device, table.reference), "no object of this kind");
    ptx_program_destroy(program);
    expect_refused(ptx_reference_bind_texture(device, table.reference, &config), "its program was destroyed");
}

CASE(samplers_are_apart_in_independent_mode)
{
    ptx_sampler sampler;
    load(INDEPENDENT
         ".global .samplerref wrap = { addr_mode_0 = wrap, addr_mode_1 = wrap, filter_mode = nearest "
         "};\n" FETCH(
             "var", ".param .u64 tex",
             ".reg .f32 %f<3>; ld.param.u64 %rd1, [tex]; cvt.rn.f32.u32 %f0, %r0; fma.rn.f32 %f0, %f0, "
             "0f3E000000, 0f40820000;\n"
             "mov.f32 %f1, 0f3EC00000; tex.2d.v4.u32.f32 {%r2,%r3,%r4,%r5}, [%rd1, wrap, {%f0,%f1}];\n")
             FETCH("param", ".param .texref tex, .param .samplerref smp",
                   ".reg .f32 %f<3>; cvt.rn.f32.u32 %f0, %r0; fma.rn.f32 %f0, %f0, 0f3E000000, 0f3F880000;\n"
                   "mov.f32 %f1, 0f3EC00000; tex.2d.v4.u32.f32 {%r2,%r3,%r4,%r5}, [tex, smp, {%f0,%f1}];\n"));
    ptx_sampler_config normalised = integers, clamp = {.struct_size = sizeof clamp, .normalized = 1};
    normalised.normalized = 1;
    ptx_texture_config config = of_array(make_array(0));
    ptx_texture texture;
    config.sampler = &normalised;
    assert_int_equal(ptx_texture_create(device, &config, &texture), PTX_OK);
    assert_int_equal(launch("var", texture, 0),
                     PTX_OK); /* coordinates 4 widths and half a texel to the right */
    expect_row(0);
    for (int i = 0; i < 3; i++) clamp.address[i] = PTX_ADDRESS_CLAMP;
    assert_int_equal(ptx_sampler_create(device, &clamp, &sampler), PTX_OK);
    assert_int_equal(launch("param", texture, sampler), PTX_OK);
    uint32_t last[WIDTH];
    for (int i = 0; i < WIDTH; i++) last[i] = WIDTH + WIDTH - 1;
    expect_out(last);
    expect_fault(launch("param", sampler, sampler), 700, "is the handle of a sampler");
    assert_int_equal(ptx_sampler_destroy(device, sampler), PTX_OK);
    expect_fault(launch("param", texture, sampler), 700, "no handle of a sampler");
}

/* ---- child grids ---- */

#define PARENT                                                                                               \
    ".extern .func (.param .b64 r) cudaGetParameterBuffer(.param .b64 a, .param .b64 b);\n"                  \
    ".extern .func (.param .b32 r) cudaLaunchDevice(.param .b64 k, .param .b64 p, .param .align 4 .b8 "      \
    "g[12], "                                                                                                \
    ".param .align 4 .b8 b[12], .param .b32 s, .param .b64 t);\n"                                            \
    ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n"                                               \
    ".visible .entry parent(.param .u64 out, .param .u64 tex, .param .u64 kernel)\n{\n"                      \
    ".reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .pred %p;\n"                                                    \
    "mov.u32 %r0, %tid.x; setp.ne.u32 %p, %r0, 0; @%p ret;\n"                                                \
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [tex]; ld.param.u64 %rd2, [kernel];\n"                     \
    "setp.eq.u64 %p, %rd2, 0; mov.u64 %rd3, object; mov.u64 %rd4, scoped; selp.b64 %rd3, %rd3, %rd4, %p;\n"  \
    "setp.eq.u64 %p, %rd2, 2; mov.u64 %rd4, stored; selp.b64 %rd2, %rd4, %rd3, %p;\n"                        \
    "{ .param .b64 a, b, r; st.param.b64 [a], 8; st.param.b64 [b], 16; call (r), cudaGetParameterBuffer, "   \
    "(a, b); "                                                                                               \
    "ld.param.b64 %rd3, [r]; }\n"                                                                            \
    "st.u64 [%rd3], %rd0; st.u64 [%rd3+8], %rd1;\n"                                                          \
    "{ .param .b64 k, q, t; .param .align 4 .b8 g[12], b[12]; .param .b32 s, r;\n"                           \
    "st.param.b64 [k], %rd2; st.param.b64 [q], %rd3; st.param.b32 [g], 1; st.param.b32 [g+4], 1; "           \
    "st.param.b32 [g+8], 1; st.param.b32 [b], 8; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;\n"            \
    "st.param.b32 [s], 0; st.param.b64 [t], 0; call (r), cudaLaunchDevice, (k, q, g, b, s, t); "             \
    "ld.param.b32 %r1, [r]; }\n"                                                                             \
    "{ .param .b32 r; call (r), cudaDeviceSynchronize, (); }\n"                                              \
    "setp.ne.u32 %p, %r1, 0; @%p st.global.u32 [%rd0], %r1; @%p ret;\n"                                      \
    "mov.u32 %r2, 7; mov.u32 %r3, 0; ld.global.u32 %r1, [%rd0+28]; st.global.u32 [%rd0], %r1; ret;\n}\n"

CASE(children_take_objects_and_no_references)
{
    uint32_t got[WIDTH];
    load(".version 7.0\n.target sm_70\n.address_size 64\n.global .texref t;\n.global .surfref s;\n" FETCH(
        "object", ".param .u64 tex",
        "ld.param.u64 %rd1, [tex]; tex.2d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [%rd1, {%r0,%r1}];\n")
             FETCH("scoped", ".param .u64 tex", "tex.2d.v4.u32.s32 {%r2,%r3,%r4,%r5}, [t, {%r0,%r1}];\n")
                 FETCH("stored", ".param .u64 tex", "suld.b.2d.b32.trap %r2, [s, {%r0,%r1}];\n") PARENT);
    const ptx_texture texture = make_texture(make_array(300));
    assert_int_equal(launch("parent", texture, 0), PTX_OK);
    assert_int_equal(ptx_memory_read(device, got, out, sizeof got), PTX_OK);
    assert_int_equal(got[7], 300 + WIDTH + 7); /* what the child wrote, */
    assert_int_equal(got[0], 300 + WIDTH + 7); /* and what the parent saw of it */
    assert_int_equal(launch("parent", texture, 1), PTX_OK);
    assert_int_equal(ptx_memory_read(device, got, out, sizeof got), PTX_OK);
    assert_int_equal(got[0], 66); /* cudaErrorLaunchFileScopedTex */
    assert_int_equal(launch("parent", texture, 2), PTX_OK);
    assert_int_equal(ptx_memory_read(device, got, out, sizeof got), PTX_OK);
    assert_int_equal(got[0], 67); /* cudaErrorLaunchFileScopedSurf */
}

/* ---- what a launch has to bring along ---- */

CASE(kernels_tell_what_their_handles_are)
{
    static const char text[] =
        ".version 8.1\n.target sm_90, texmode_independent\n.address_size 64\n"
        ".visible .entry k(.param .u64 t, .param .u64 s, .param .u64 w, .param .u64 q, .param .u64 p)\n{\n"
        ".reg .b64 %a<5>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b16 %h<2>;\n"
        "ld.param.u64 %a0, [t]; ld.param.u64 %a1, [s]; ld.param.u64 %a2, [w]; ld.param.u64 %a3, [q];\n"
        "ld.param.u64 %a4, [p]; mov.u32 %r0, 0; mov.f32 %f0, 0f00000000; mov.b16 %h0, 0; mov.b16 %h1, 1;\n"
        "tex.a2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%a0, %a1, {%r0,%f0,%f0,%f0}];\n"
        "sust.b.3d.v2.b16.zero [%a2, {%r0,%r0,%r0,%r0}], {%h0,%h1};\n"
        "txq.width.b32 %r1, [%a3]; st.u32 [%a4], %r1; ret;\n}\n";
    static const struct {
        const char *object, *geometry, *element;
        unsigned channels;
    } told[] = {{"texture", "a2d", "f32", 4},
                {"sampler", "", "", 0},
                {"surface", "3d", "b16", 2},
                {"texture", "", "", 0},
                {"", "", "u32", 0}};
    enum { PARAMS = sizeof told / sizeof *told };
    ptx_param_member list[PARAMS];
    ptx_kernel_needs needs = {
        .struct_size = sizeof needs, .member_size = sizeof *list, .members = list, .member_room = PARAMS};
    ptx_module *module;
    assert_int_equal(ptx_module_create(NULL, text, sizeof text - 1, &module), PTX_OK);
    assert_int_equal(ptx_module_kernel_needs(module, 0, &needs), PTX_OK);
    assert_int_equal(needs.member_count, PARAMS);
    for (size_t i = 0; i < PARAMS; i++) {
        const size_t p = list[i].param;
        assert_string_equal(list[i].object, told[p].object);
        assert_string_equal(list[i].geometry, told[p].geometry);
        assert_string_equal(list[i].element, told[p].element);
        assert_int_equal(list[i].channels, told[p].channels);
    }
    ptx_module_destroy(module);
}

int main(void)
{
    return run_suite();
}
