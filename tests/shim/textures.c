/*
 * textures.c - texture and surface objects and references through the driver interface.
 *
 * What is expected follows from exact arithmetic: point fetches, integers, filters whose weights are
 * multiples of 1/256 over texels that make the result exact, uniform faces and levels (CUDA's programming
 * guide, "Texture Fetching"; PTX ISA 9.7.10). Errors are those that an H100 answered (tests/hw/texrules) or
 * the manual's.
 */
#include <math.h>
#include "program.h"

enum { N = 64 };
typedef float words[N][4];

/* A thread reads where its four coordinates say and stores the four values. */
#define HEAD(name)                                                                                           \
    ".visible .entry " name "(.param .u64 out, .param .u64 at, .param .u64 tex)\n"                           \
    "{ .reg .u64 o, a, t, k; .reg .u32 i; .reg .s32 l; .reg .f32 x, y, z, w, r, g, b, q; .reg .b32 v;\n"     \
    " ld.param.u64 o, [out]; ld.param.u64 a, [at]; ld.param.u64 t, [tex]; mov.u32 i, %tid.x;\n"              \
    " mul.wide.u32 k, i, 16; add.u64 a, a, k; add.u64 o, o, k; ld.global.v4.f32 {x,y,z,w}, [a];\n"           \
    " cvt.rzi.s32.f32 l, w;\n"
#define TAIL " st.global.v4.f32 [o], {r,g,b,q}; ret; }\n"
#define READ(name, instruction) HEAD(name) " " instruction ";\n" TAIL

#pragma GCC diagnostic ignored "-Woverlength-strings" /* one module */
static const char readers[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".global .texref tr;\n.global .surfref sr;\n.visible .global .u32 plain;\n" READ(
        "fetch", "cvt.rzi.s32.f32 l, x; tex.1d.v4.f32.s32 {r,g,b,q}, [t, {l}]")
        READ("t1d", "tex.1d.v4.f32.f32 {r,g,b,q}, [t, {x}]") READ("t2d",
                                                                  "tex.2d.v4.f32.f32 {r,g,b,q}, [t, {x,y}]")
            READ("t3d", "tex.3d.v4.f32.f32 {r,g,b,q}, [t, {x,y,z,z}]")
                READ("a1d", "tex.a1d.v4.f32.f32 {r,g,b,q}, [t, {l,x}]")
                    READ("a2d", "tex.a2d.v4.f32.f32 {r,g,b,q}, [t, {l,x,y,y}]") READ(
                        "cube", "tex.cube.v4.f32.f32 {r,g,b,q}, [t, {x,y,z,z}]")
                        READ("acube", "tex.acube.v4.f32.f32 {r,g,b,q}, [t, {l,x,y,z}]") READ(
                            "level", "tex.level.2d.v4.f32.f32 {r,g,b,q}, [t, {x,y}], w")
                            READ("gather", "tld4.r.2d.v4.f32.f32 {r,g,b,q}, [t, {x,y}]") READ(
                                "ref1d", "cvt.rzi.s32.f32 l, x; tex.1d.v4.f32.s32 {r,g,b,q}, [tr, {l}]")
                                READ("ref2d", "tex.2d.v4.f32.f32 {r,g,b,q}, [tr, {x,y}]") HEAD(
                                    "surface") /* texel (x, y) of 4 bytes: read, and written 1000 larger */
    " .reg .s32 c, d; cvt.rzi.s32.f32 c, x; shl.b32 c, c, 2; cvt.rzi.s32.f32 d, y;\n"
    " suld.b.2d.b32.trap v, [t, {c,d}]; mov.b32 r, v; add.u32 v, v, 1000;\n"
    " sust.b.2d.b32.trap [t, {c,d}], v; mov.f32 g, r; mov.f32 b, r; mov.f32 q, r;\n" TAIL HEAD(
        "refsurface") " .reg .s32 c, d; cvt.rzi.s32.f32 c, x; shl.b32 c, c, 2; cvt.rzi.s32.f32 d, y;\n"
                      " suld.b.2d.b32.trap v, [sr, {c,d}]; mov.b32 r, v; mov.f32 g, r; mov.f32 b, r; mov.f32 "
                      "q, r;\n" TAIL;

static CUmodule module;
static CUdeviceptr at, out;

/* Runs a reader at n places; the values. */
static void read_at(const char *name, unsigned long long object, float (*places)[4], unsigned n,
                    float (*values)[4])
{
    CUfunction f;
    void *args[] = {&out, &at, &object};
    MUST(cuModuleGetFunction(&f, module, name));
    MUST(cuMemcpyHtoD(at, places, sizeof(float[4]) * n));
    MUST(cuLaunchKernel(f, 1, 1, 1, n, 1, 1, 0, NULL, args, NULL));
    MUST(cuMemcpyDtoH(values, out, sizeof(float[4]) * n));
}

static CUarray make(size_t w, size_t h, size_t d, CUarray_format format, unsigned channels, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = {w, h, d, format, channels, flags};
    CUarray array;
    MUST(cuArray3DCreate(&array, &descriptor));
    return array;
}

static void put(CUarray to, const void *from, size_t row, size_t height, size_t depth)
{
    const CUDA_MEMCPY3D c = {IN_HOST(src, from, row), .srcHeight = height, IN_ARRAY(dst, to),
                             .WidthInBytes = row,     .Height = height,    .Depth = depth};
    MUST(cuMemcpy3D(&c));
}

static CUDA_TEXTURE_DESC sampling(CUaddress_mode address, CUfilter_mode filter, unsigned flags)
{
    return (CUDA_TEXTURE_DESC){.addressMode = {address, address, address},
                               .filterMode = filter,
                               .flags = flags,
                               .maxMipmapLevelClamp = 10};
}

static CUtexObject texture(CUarray array, CUaddress_mode address, CUfilter_mode filter, unsigned flags)
{
    CUtexObject object;
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
    const CUDA_TEXTURE_DESC t = sampling(address, filter, flags);
    MUST(cuTexObjectCreate(&object, &r, &t, NULL));
    return object;
}

#define CLAMP CU_TR_ADDRESS_MODE_CLAMP
#define POINT CU_TR_FILTER_MODE_POINT
#define LINEAR CU_TR_FILTER_MODE_LINEAR
#define NORMALIZED CU_TRSF_NORMALIZED_COORDINATES
#define INTEGER CU_TRSF_READ_AS_INTEGER

/* ---- arrays of every shape ---- */

/* A line of 256 i: between the middles of two texels the value is 256 times the place, exactly. */
static void lines(void)
{
    float texels[16];
    words places, values;
    CUarray a = make(16, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    for (int i = 0; i < 16; i++) texels[i] = 256.0f * i;
    put(a, texels, sizeof texels, 1, 1);
    const CUtexObject linear = texture(a, CLAMP, LINEAR, 0), point = texture(a, CLAMP, POINT, 0);
    for (int i = 0; i < N; i++) places[i][0] = 0.5f + i * 55 / 256.0f;
    read_at("t1d", linear, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == 55 * i);
    read_at("t1d", point, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == 256 * floorf(places[i][0]));
    MUST(cuTexObjectDestroy(linear));
    MUST(cuTexObjectDestroy(point));
    MUST(cuArrayDestroy(a));
}

static void planes(void)
{
    float texels[8][16];
    words places, values;
    CUarray a = make(16, 8, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_TEXTURE_GATHER);
    for (int i = 0; i < 128; i++) texels[i / 16][i % 16] = 256.0f * (i % 16) + 65536.0f * (i / 16);
    put(a, texels, sizeof *texels, 8, 1);
    const CUtexObject linear = texture(a, CLAMP, LINEAR, 0), point = texture(a, CLAMP, POINT, 0);
    for (int i = 0; i < N; i++) {
        places[i][0] = 0.5f + i * 50 / 256.0f;
        places[i][1] = 0.5f + i * 17 / 256.0f;
    }
    read_at("t2d", linear, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == 50 * i + 256 * 17 * i);
    for (int i = 0; i < N; i++) {
        places[i][0] = i % 15 + 1;
        places[i][1] = i / 15 + 1;
    }
    read_at("gather", point, places, N, values); /* from the lower left, counter-clockwise */
    for (int i = 0; i < N; i++) {
        const int x = i % 15, y = i / 15;
        CHECK(values[i][0] == texels[y + 1][x] && values[i][1] == texels[y + 1][x + 1]);
        CHECK(values[i][2] == texels[y][x + 1] && values[i][3] == texels[y][x]);
    }
    MUST(cuTexObjectDestroy(linear));
    MUST(cuTexObjectDestroy(point));
    MUST(cuArrayDestroy(a));
}

static void volumes(void)
{
    float texels[4][4][4];
    words places, values;
    CUarray a = make(4, 4, 4, CU_AD_FORMAT_FLOAT, 1, 0);
    for (int i = 0; i < 64; i++)
        texels[i / 16][i / 4 % 4][i % 4] = (float)((i % 4) + 16 * (i / 4 % 4) + 256 * (i / 16)) * 16;
    put(a, texels, sizeof **texels, 4, 4);
    const CUtexObject linear = texture(a, CLAMP, LINEAR, 0);
    for (int i = 0; i < N; i++) /* sixteenths */
        for (int k = 0; k < 3; k++) places[i][k] = 0.5f + (float)((i * (5 + k) + k) % 49) / 16;
    read_at("t3d", linear, places, N, values);
    for (int i = 0; i < N; i++) {
        const float *p = places[i];
        CHECK(values[i][0] == 16 * ((p[0] - 0.5f) + 16 * (p[1] - 0.5f) + 256 * (p[2] - 0.5f)));
    }
    MUST(cuTexObjectDestroy(linear));
    MUST(cuArrayDestroy(a));
}

static void layers(void)
{
    float texels[3][4][8];
    words places, values;
    CUarray a = make(8, 4, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    CUarray b = make(8, 0, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED);
    for (int i = 0; i < 96; i++) texels[i / 32][i / 8 % 4][i % 8] = (float)i;
    put(a, texels, sizeof **texels, 4, 3);
    put(b, texels, sizeof **texels, 1, 3);
    const CUtexObject flat = texture(a, CLAMP, POINT, 0), line = texture(b, CLAMP, POINT, 0);
    for (int i = 0; i < N; i++) {
        places[i][0] = i % 8 + 0.5f;
        places[i][1] = i / 8 % 4 + 0.5f;
        places[i][3] = (float)(i % 5); /* layers are clamped */
    }
    read_at("a2d", flat, places, N, values);
    for (int i = 0; i < N; i++) {
        const int l = i % 5 > 2 ? 2 : i % 5;
        CHECK(values[i][0] == texels[l][i / 8 % 4][i % 8]);
    }
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    const CUDA_TEXTURE_DESC how = sampling(CLAMP, POINT, 0);
    CUDA_RESOURCE_VIEW_DESC view = {.width = 8, .height = 4, .depth = 3, .firstLayer = 0, .lastLayer = 0};
    CUtexObject first;
    MUST(cuTexObjectCreate(&first, &r, &how, &view)); /* the first layer alone */
    read_at("a2d", first, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == texels[0][i / 8 % 4][i % 8]);
    MUST(cuTexObjectDestroy(first));
    view.firstLayer = view.lastLayer = 3;
    CHECK(cuTexObjectCreate(&first, &r, &how, &view) == CUDA_ERROR_INVALID_VALUE);
    read_at("a1d", line, places, N, values);
    for (int i = 0; i < N; i++) {
        const int l = i % 5 > 2 ? 2 : i % 5;
        CHECK(values[i][0] == 8 * l + i % 8);
    }
    MUST(cuTexObjectDestroy(flat));
    MUST(cuTexObjectDestroy(line));
    MUST(cuArrayDestroy(a));
    MUST(cuArrayDestroy(b));
}

/* Faces in the order +x -x +y -y +z -z, each of one value. */
static void cubes(void)
{
    static float ways[12][4] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
                                {3, 1, -2}, {-3, 2, 1}, {1, 5, -4}, {2, -7, 3}, {-1, -1, 2}, {1, 1, -2}};
    float texels[12][4][4];
    words places = {{0}}, values;
    CUarray a = make(4, 4, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP);
    CUarray b = make(4, 4, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED);
    for (int i = 0; i < 192; i++) texels[i / 16][i / 4 % 4][i % 4] = (float)(i / 16);
    put(a, texels, sizeof **texels, 4, 6);
    put(b, texels, sizeof **texels, 4, 12);
    const CUtexObject one = texture(a, CLAMP, POINT, 0), two = texture(b, CLAMP, POINT, 0);
    read_at("cube", one, ways, 12, values);
    for (int i = 0; i < 12; i++) CHECK(values[i][0] == i % 6);
    memcpy(places, ways, sizeof ways);
    for (int i = 0; i < 12; i++) places[i][3] = i < 6;
    read_at("acube", two, places, 12, values);
    for (int i = 0; i < 12; i++) CHECK(values[i][0] == (i < 6 ? 6 : 0) + i % 6);
    MUST(cuTexObjectDestroy(one));
    MUST(cuTexObjectDestroy(two));
    MUST(cuArrayDestroy(a));
    MUST(cuArrayDestroy(b));
}

/* Level k is 64 k everywhere; a part is seen alone. */
static void levels(void)
{
    static float texels[8][16];
    words places = {{0}}, values;
    CUmipmappedArray m;
    CUarray level;
    CUtexObject all, part;
    CUDA_RESOURCE_VIEW_DESC told;
    const CUDA_ARRAY3D_DESCRIPTOR d = {16, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    MUST(cuMipmappedArrayCreate(&m, &d, 4));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 128; i++) texels[i / 16][i % 16] = 64.0f * k;
        MUST(cuMipmappedArrayGetLevel(&level, m, k));
        put(level, texels, sizeof(float) * (16 >> k), 8 >> k, 1);
    }
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                  .res.mipmap.hMipmappedArray = m};
    CUDA_TEXTURE_DESC t = sampling(CLAMP, POINT, NORMALIZED);
    t.mipmapFilterMode = LINEAR;
    MUST(cuTexObjectCreate(&all, &r, &t, NULL));
    for (int i = 0; i < N; i++) {
        places[i][0] = places[i][1] = 0.5f;
        places[i][3] = i / 16.0f; /* 0 to nearly 4 */
    }
    read_at("level", all, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == (i < 48 ? 4 * i : 192));
    CUDA_RESOURCE_VIEW_DESC view = {.width = 16, .height = 8, .firstMipmapLevel = 1, .lastMipmapLevel = 2};
    MUST(cuTexObjectCreate(&part, &r, &t, &view));
    read_at("level", part, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == 64 + (i < 16 ? 4 * i : 64));
    MUST(cuTexObjectGetResourceViewDesc(&told, part));
    CHECK(told.firstMipmapLevel == 1 && told.lastMipmapLevel == 2 && told.width == 16);
    CHECK(cuTexObjectGetResourceViewDesc(&told, all) == CUDA_ERROR_INVALID_VALUE); /* it has none */
    MUST(cuTexObjectDestroy(part));
    view.firstMipmapLevel = view.lastMipmapLevel = 0; /* the first alone */
    MUST(cuTexObjectCreate(&part, &r, &t, &view));
    read_at("level", part, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == 0);
    MUST(cuTexObjectDestroy(part));
    view.lastMipmapLevel = 4;
    CHECK(cuTexObjectCreate(&part, &r, &t, &view) == CUDA_ERROR_INVALID_VALUE);
    view.lastMipmapLevel = 3;
    view.width = 8;
    CHECK(cuTexObjectCreate(&part, &r, &t, &view) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexObjectDestroy(all));
    MUST(cuMipmappedArrayDestroy(m));
}

/* ---- memory, formats, modes ---- */

static void memory(void)
{
    int texels[8][128] = {{0}};
    words places, values;
    CUdeviceptr p;
    CUtexObject line, rows;
    CUDA_RESOURCE_DESC told;
    MUST(cuMemAlloc(&p, sizeof texels));
    CHECK(p % 512 == 0);
    for (int i = 0; i < 1024; i++) texels[i / 128][i % 128] = 7 * i;
    MUST(cuMemcpyHtoD(p, texels, sizeof texels));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR,
                            .res.linear = {p, CU_AD_FORMAT_SIGNED_INT32, 2, sizeof texels}};
    const CUDA_TEXTURE_DESC t = sampling(CLAMP, POINT, INTEGER);
    MUST(cuTexObjectCreate(&line, &r, &t, NULL));
    for (int i = 0; i < N; i++) places[i][0] = (float)(i * 8); /* 512 texels of 2 */
    places[N - 1][0] = 512;                                    /* beyond: 0 */
    read_at("fetch", line, places, N, values);
    for (int i = 0; i < N; i++) {
        int got[2];
        memcpy(got, values[i], sizeof got);
        CHECK(got[0] == (i < N - 1 ? 7 * 16 * i : 0) && got[1] == (i < N - 1 ? 7 * (16 * i + 1) : 0));
    }
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                             .res.pitch2D = {p, CU_AD_FORMAT_SIGNED_INT32, 1, 100, 8, 512}};
    MUST(cuTexObjectCreate(&rows, &r, &t, NULL));
    MUST(cuTexObjectGetResourceDesc(&told, rows));
    CHECK(told.resType == CU_RESOURCE_TYPE_PITCH2D && told.res.pitch2D.devPtr == p);
    CHECK(told.res.pitch2D.width == 100 && told.res.pitch2D.height == 8 &&
          told.res.pitch2D.pitchInBytes == 512);
    for (int i = 0; i < N; i++) {
        places[i][0] = (float)(i * 2) + 0.5f; /* clamped at 99 */
        places[i][1] = (float)(i % 8) + 0.5f;
    }
    read_at("t2d", rows, places, N, values);
    for (int i = 0; i < N; i++) {
        int got;
        memcpy(&got, values[i], sizeof got);
        CHECK(got == texels[i % 8][i * 2 < 100 ? i * 2 : 99]);
    }
    CUtexObject none;
    r.res.pitch2D.pitchInBytes = 508; /* recorded */
    CHECK(cuTexObjectCreate(&none, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE);
    r.res.pitch2D.pitchInBytes = 512;
    r.res.pitch2D.devPtr = p + 16;
    CHECK(cuTexObjectCreate(&none, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE);
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
                             .res.linear = {p + 16, CU_AD_FORMAT_SIGNED_INT32, 1, 64}};
    CHECK(cuTexObjectCreate(&none, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE);
    r.res.linear.devPtr = 512; /* nobody's memory */
    CHECK(cuTexObjectCreate(&none, &r, &t, NULL) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexObjectDestroy(line));
    MUST(cuTexObjectDestroy(rows));
    MUST(cuMemFree(p));
}

/* Integers as floats of 0 or -1 to 1; texels outside; the same bytes as another format. */
static void formats(void)
{
    static const signed char bytes[8] = {0, 127, -127, -128, 0, 0, 0, 0};
    static const unsigned char colours[8] = {255, 0, 255, 0, 0, 255, 255, 255};
    words places = {{0}}, values;
    CUarray a = make(8, 0, 0, CU_AD_FORMAT_SIGNED_INT8, 1, 0);
    CUarray b = make(2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 2, 0);
    CUtexObject view;
    CUDA_TEXTURE_DESC told;
    MUST(cuMemcpyHtoA(a, 0, bytes, sizeof bytes));
    put(b, colours, 4, 2, 1);
    CUtexObject t = texture(a, CLAMP, POINT, 0);
    for (int i = 0; i < 4; i++) places[i][0] = i + 0.5f;
    read_at("t1d", t, places, 4, values);
    CHECK(values[0][0] == 0 && values[1][0] == 1 && values[2][0] == -1 && values[3][0] == -1);
    MUST(cuTexObjectDestroy(t));
    t = texture(b, CLAMP, POINT, 0);
    for (int i = 0; i < 4; i++) {
        places[i][0] = i % 2 + 0.5f;
        places[i][1] = i / 2 + 0.5f;
    }
    read_at("t2d", t, places, 4, values);
    for (int i = 0; i < 8; i++) CHECK(values[i / 2][i % 2] == (colours[i] ? 1 : 0));
    MUST(cuTexObjectDestroy(t));
    const CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = b};
    CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_BORDER, POINT, INTEGER);
    CUDA_RESOURCE_VIEW_DESC as = {.format = CU_RES_VIEW_FORMAT_UINT_1X16, .width = 2, .height = 2};
    how.borderColor[0] = 0.25f;
    how.maxAnisotropy = 4;
    how.mipmapLevelBias = -1.5f;
    MUST(cuTexObjectCreate(&view, &r, &how, &as));
    read_at("t2d", view, places, 4, values);
    for (int i = 0; i < 4; i++) {
        unsigned got;
        memcpy(&got, values[i], sizeof got);
        CHECK(got == (unsigned)(colours[2 * i] | colours[2 * i + 1] << 8));
    }
    MUST(cuTexObjectGetTextureDesc(&told, view));
    CHECK(memcmp(&told, &how, sizeof told) == 0);
    CUtexObject none;
    as.format = CU_RES_VIEW_FORMAT_UINT_1X32; /* texels of another size */
    CHECK(cuTexObjectCreate(&none, &r, &how, &as) == CUDA_ERROR_INVALID_VALUE);
    as.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC1;
    CHECK(cuTexObjectCreate(&none, &r, &how, &as) == CUDA_ERROR_NOT_SUPPORTED);
    as.format = CU_RES_VIEW_FORMAT_NONE;
    as.lastLayer = 1; /* there are none */
    CHECK(cuTexObjectCreate(&none, &r, &how, &as) == CUDA_ERROR_INVALID_VALUE);
    how.flags = 0;
    how.addressMode[0] = (CUaddress_mode)4;
    CHECK(cuTexObjectCreate(&none, &r, &how, NULL) == CUDA_ERROR_INVALID_VALUE);
    how.addressMode[0] = CLAMP;
    how.filterMode = (CUfilter_mode)2;
    CHECK(cuTexObjectCreate(&none, &r, &how, NULL) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexObjectDestroy(view));
    MUST(cuArrayDestroy(a));
    MUST(cuArrayDestroy(b));
}

/* Where texel `i` is read of 8, as the guide says. */
static int wrapped(int i, CUaddress_mode mode)
{
    switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP: return (i % 8 + 8) % 8;
    case CU_TR_ADDRESS_MODE_MIRROR: i = (i % 16 + 16) % 16; return i < 8 ? i : 15 - i;
    case CU_TR_ADDRESS_MODE_CLAMP: return i < 0 ? 0 : i > 7 ? 7 : i;
    default: return i < 0 || i > 7 ? -1 : i;
    }
}

static void outside(void)
{
    float texels[8];
    words places, values;
    CUarray a = make(8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    for (int i = 0; i < 8; i++) texels[i] = 10.0f + (float)i;
    MUST(cuMemcpyHtoA(a, 0, texels, sizeof texels));
    for (int i = 0; i < N; i++) places[i][0] = (float)(i - N / 2) / 8 + 1 / 16.0f;
    for (int mode = CU_TR_ADDRESS_MODE_WRAP; mode <= CU_TR_ADDRESS_MODE_BORDER; mode++) {
        const CUtexObject t = texture(a, (CUaddress_mode)mode, POINT, NORMALIZED);
        read_at("t1d", t, places, N, values);
        for (int i = 0; i < N; i++) {
            const int k = wrapped(i - N / 2, (CUaddress_mode)mode);
            CHECK(values[i][0] == (k < 0 ? 0 : texels[k]));
        }
        MUST(cuTexObjectDestroy(t));
    }
    MUST(cuArrayDestroy(a));
}

/* ---- surfaces ---- */

static void surfaces(void)
{
    unsigned texels[8][8], back[8][8];
    words places, values;
    CUarray a = make(8, 8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUsurfObject s;
    CUDA_RESOURCE_DESC told, r = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    for (int i = 0; i < 64; i++) texels[i / 8][i % 8] = (unsigned)(i * i);
    put(a, texels, sizeof *texels, 8, 1);
    MUST(cuSurfObjectCreate(&s, &r));
    MUST(cuSurfObjectGetResourceDesc(&told, s));
    CHECK(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == a);
    for (int i = 0; i < N; i++) {
        places[i][0] = (float)(i % 8);
        places[i][1] = (float)(i / 8);
    }
    read_at("surface", s, places, N, values);
    const CUDA_MEMCPY2D c = {IN_ARRAY(src, a), IN_HOST(dst, back, sizeof *back), .WidthInBytes = sizeof *back,
                             .Height = 8};
    MUST(cuMemcpy2D(&c));
    for (int i = 0; i < N; i++) {
        unsigned got;
        memcpy(&got, values[i], sizeof got);
        CHECK(got == texels[i / 8][i % 8] && back[i / 8][i % 8] == got + 1000);
    }
    const CUtexObject t = texture(a, CLAMP, POINT, INTEGER); /* what was stored, by a texture */
    read_at("t2d", t, places, N, values);
    for (int i = 0; i < N; i++) CHECK(memcmp(values[i], &back[i / 8][i % 8], sizeof(unsigned)) == 0);
    CUsurfObject none;
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    CHECK(cuSurfObjectCreate(&none, &r) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexObjectDestroy(t));
    CHECK(cuTexObjectDestroy(s) == CUDA_ERROR_INVALID_VALUE); /* another kind */
    MUST(cuSurfObjectDestroy(s));
    CHECK(cuSurfObjectDestroy(s) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexObjectDestroy(t) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexObjectGetTextureDesc(&(CUDA_TEXTURE_DESC){0}, t) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuArrayDestroy(a));
    r = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    CHECK(cuSurfObjectCreate(&none, &r) == CUDA_ERROR_INVALID_HANDLE);
}

/* ---- references ---- */

static void fields(CUtexref t)
{
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUarray_format format;
    int n;
    unsigned flags;
    float f, g, colour[4] = {1, 2, 3, 4}, told[4];
    MUST(cuTexRefSetAddressMode(t, 1, CU_TR_ADDRESS_MODE_MIRROR));
    MUST(cuTexRefGetAddressMode(&mode, t, 1));
    CHECK(mode == CU_TR_ADDRESS_MODE_MIRROR);
    CHECK(cuTexRefSetAddressMode(t, 3, CU_TR_ADDRESS_MODE_WRAP) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefGetAddressMode(&mode, t, -1) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexRefSetFilterMode(t, LINEAR));
    MUST(cuTexRefGetFilterMode(&filter, t));
    CHECK(filter == LINEAR);
    MUST(cuTexRefSetMipmapFilterMode(t, LINEAR));
    MUST(cuTexRefGetMipmapFilterMode(&filter, t));
    CHECK(filter == LINEAR);
    MUST(cuTexRefSetMipmapLevelBias(t, 0.5f));
    MUST(cuTexRefGetMipmapLevelBias(&f, t));
    CHECK(f == 0.5f);
    MUST(cuTexRefSetMipmapLevelClamp(t, 1, 3));
    MUST(cuTexRefGetMipmapLevelClamp(&f, &g, t));
    CHECK(f == 1 && g == 3);
    MUST(cuTexRefSetMaxAnisotropy(t, 8));
    MUST(cuTexRefGetMaxAnisotropy(&n, t));
    CHECK(n == 8);
    MUST(cuTexRefSetBorderColor(t, colour));
    MUST(cuTexRefGetBorderColor(told, t));
    CHECK(memcmp(colour, told, sizeof told) == 0);
    MUST(cuTexRefSetFlags(t, NORMALIZED));
    MUST(cuTexRefGetFlags(&flags, t));
    CHECK(flags == NORMALIZED);
    MUST(cuTexRefSetFormat(t, CU_AD_FORMAT_HALF, 2));
    MUST(cuTexRefGetFormat(&format, &n, t));
    CHECK(format == CU_AD_FORMAT_HALF && n == 2);
    CHECK(cuTexRefSetFormat(t, CU_AD_FORMAT_HALF, 3) == CUDA_ERROR_INVALID_VALUE);
}

static void references(void)
{
    float texels[4][8];
    words places = {{0}}, values;
    CUarray a = make(8, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST), told;
    CUmodule m;
    CUtexref t, again, own;
    CUsurfref s;
    CUdeviceptr p, where;
    CUfunction f;
    size_t offset;
    MUST(cuModuleGetTexRef(&t, module, "tr"));
    MUST(cuModuleGetTexRef(&again, module, "tr"));
    CHECK(t == again);
    CHECK(cuModuleGetTexRef(&again, module, "sr") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetTexRef(&again, module, "plain") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetSurfRef(&s, module, "tr") == CUDA_ERROR_NOT_FOUND);
    CHECK(cuTexRefGetArray(&told, t) == CUDA_ERROR_INVALID_VALUE); /* nothing is bound */
    CHECK(cuTexRefDestroy(t) == CUDA_ERROR_INVALID_VALUE);         /* it is a module's */
    for (int i = 0; i < 32; i++) texels[i / 8][i % 8] = 256.0f * i;
    put(a, texels, sizeof *texels, 4, 1);
    MUST(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_CLAMP));
    MUST(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
    MUST(cuTexRefGetArray(&told, t));
    CHECK(told == a);
    for (int i = 0; i < N; i++) {
        places[i][0] = 1 + (i % 32) * 25 / 256.0f;
        places[i][1] = i / 32 + 0.5f;
    }
    read_at("ref2d", 0, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == texels[i / 32][(int)places[i][0]]);
    MUST(cuTexRefSetFilterMode(t, LINEAR)); /* is seen by what is bound */
    read_at("ref2d", 0, places, N, values);
    for (int i = 0; i < N; i++)
        CHECK(values[i][0] == 256 * (places[i][0] - 0.5f) + 2048.0f * (float)(i / 32));
    MUST(cuModuleGetSurfRef(&s, module, "sr"));
    MUST(cuSurfRefSetArray(s, a, 0));
    MUST(cuSurfRefGetArray(&told, s));
    CHECK(told == a);
    read_at("refsurface", 0, places, N, values);
    for (int i = 0; i < N; i++) CHECK(values[i][0] == texels[i / 32][(int)places[i][0]]);
    MUST(cuMemAlloc(&p, 4096)); /* linear memory, not from its beginning on */
    MUST(cuMemcpyHtoD(p + 512, texels, sizeof texels));
    MUST(cuTexRefSetFormat(t, CU_AD_FORMAT_FLOAT, 1));
    MUST(cuTexRefSetFilterMode(t, POINT));
    CHECK(cuTexRefSetAddress(NULL, t, p + 528, 64) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexRefSetAddress(&offset, t, p + 528, 64));
    MUST(cuTexRefGetAddress(&where, t));
    CHECK(offset == 16 && where == p + 512);
    CHECK(cuTexRefGetArray(&told, t) == CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 16; i++) places[i][0] = (float)(i + (int)offset / 4);
    read_at("ref1d", 0, places, 16, values);
    for (int i = 0; i < 16; i++) CHECK(values[i][0] == 256 * (i + 4));
    const CUDA_ARRAY_DESCRIPTOR d = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    MUST(cuTexRefSetAddress2D(t, &d, p + 512, 32));
    CHECK(cuTexRefSetAddress2D(t, &d, p + 520, 32) == CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 32; i++) {
        places[i][0] = i % 8 + 0.5f;
        places[i][1] = i / 8 + 0.5f;
    }
    read_at("ref2d", 0, places, 32, values);
    for (int i = 0; i < 32; i++) CHECK(values[i][0] == 256 * i);
    MUST(cuModuleGetFunction(&f, module, "ref2d"));
    MUST(cuParamSetTexRef(f, CU_PARAM_TR_DEFAULT, t));
    CHECK(cuParamSetTexRef(f, 0, t) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuTexRefCreate(&own));
    fields(own);
    MUST(cuTexRefDestroy(own));
    CHECK(cuTexRefDestroy(own) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cuTexRefSetFlags(own, 0) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuModuleLoadData(&m, readers));
    MUST(cuModuleGetTexRef(&again, m, "tr"));
    MUST(cuModuleUnload(m));
    CHECK(cuTexRefSetArray(again, a, CU_TRSA_OVERRIDE_FORMAT) == CUDA_ERROR_INVALID_VALUE);
    MUST(cuMemFree(p));
    MUST(cuArrayDestroy(a));
    CHECK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT) == CUDA_ERROR_INVALID_HANDLE);
    MUST(cuTexRefSetFlags(t, 0)); /* what it was bound to is gone */
    CHECK(cuTexRefGetAddress(&where, t) == CUDA_ERROR_INVALID_VALUE);
}

/* ---- what is destroyed ---- */

/* A launch that was made goes on with its texture, and with the array, whose end waits. */
static void destroyed_early(void)
{
    const float texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    words places = {{0}}, values;
    CUfunction f;
    for (int i = 0; i < 8; i++) places[i][0] = i + 0.5f;
    MUST(cuModuleGetFunction(&f, module, "t1d"));
    for (int round = 0; round < 200; round++) {
        CUarray a = make(8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
        MUST(cuMemcpyHtoA(a, 0, texels, sizeof texels));
        MUST(cuMemcpyHtoD(at, places, sizeof places));
        CUtexObject t = texture(a, CLAMP, POINT, 0);
        void *args[] = {&out, &at, &t};
        for (int i = 0; i < 20; i++) MUST(cuLaunchKernel(f, 1, 1, 1, 8, 1, 1, 0, NULL, args, NULL));
        MUST(cuTexObjectDestroy(t));
        CHECK(cuTexObjectDestroy(t) == CUDA_ERROR_INVALID_VALUE);
        MUST(cuArrayDestroy(a));
    }
    MUST(cuMemcpyDtoH(values, out, sizeof values));
    for (int i = 0; i < 8; i++) CHECK(values[i][0] == texels[i]);
}

/* Nothing is under way, so the handle is none any more. */
static void faults(void)
{
    CUarray a = make(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    CUtexObject t = texture(a, CLAMP, POINT, 0);
    CUfunction f;
    void *args[] = {&out, &at, &t};
    MUST(cuTexObjectDestroy(t));
    MUST(cuModuleGetFunction(&f, module, "t2d"));
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cuArrayDestroy(a) == CUDA_SUCCESS || cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cuArray3DCreate(&a, &(CUDA_ARRAY3D_DESCRIPTOR){8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0}) ==
          CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main(void)
{
    CUcontext c = begin();
    MUST(cuModuleLoadData(&module, readers));
    MUST(cuMemAlloc(&at, sizeof(words)));
    MUST(cuMemAlloc(&out, sizeof(words)));
    lines();
    planes();
    volumes();
    layers();
    cubes();
    levels();
    memory();
    formats();
    outside();
    surfaces();
    references();
    destroyed_early();
    faults();
    MUST(cuCtxDestroy(c));
    puts("fine");
    return 0;
}
