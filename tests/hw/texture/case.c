/* case.c - texels and operands of a case (case.h). */
#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { U8, U16, U32, S8, S16, S32, F16, F32 };
enum { K1D, K2D, K3D, KA1D, KA2D, KCUBE, KACUBE };

/* ---- words of a line ---- */

static const char *const kinds[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", NULL};
static const char *const formats[] = {"u8", "u16", "u32", "s8", "s16", "s32", "f16", "f32", NULL};
static const char *const modes[] = {"wrap", "clamp", "mirror", "border", NULL};
static const char *const filters[] = {"point", "linear", NULL};
static const char *const ops[] = {"tex",    "level",  "grad",         "gather",  "int",           "intlevel",
                                  "offset", "halves", "gatheroffset", "compare", "gathercompare", NULL};
static const char *const contents[] = {"random", "wide", "wild", "ramp", "units", "levels", NULL};

static bool word_of(const char *const *words, const char *value, int *out)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], value)) return *out = i, true;
    return false;
}

static bool numbers(const char *value, const char *separator, float *out, int most)
{
    char copy[128], *rest = copy;
    snprintf(copy, sizeof copy, "%s", value);
    for (int i = 0; i < most; i++) {
        char *one = strtok_r(i ? NULL : copy, separator, &rest), *end;
        if (!one) return i > 0;
        out[i] = strtof(one, &end);
        if (*end) return false;
    }
    return true;
}

static bool address_of(struct tex_case *c, const char *value)
{
    char copy[64], *rest = copy;
    snprintf(copy, sizeof copy, "%s", value);
    for (int i = 0; i < 3; i++) {
        char *one = strtok_r(i ? NULL : copy, ",", &rest);
        if (!one)
            c->address[i] = c->address[i - 1];
        else if (!word_of(modes, one, &c->address[i]))
            return false;
    }
    return true;
}

/* One KEY=VALUE. */
static bool take(struct tex_case *c, const char *key, const char *value)
{
    float f[4] = {1, 1, 1, 1};
    if (!strcmp(key, "kind")) return word_of(kinds, value, &c->kind);
    if (!strcmp(key, "format")) return word_of(formats, value, &c->format);
    if (!strcmp(key, "op")) return word_of(ops, value, &c->op);
    if (!strcmp(key, "texels")) return word_of(contents, value, &c->content);
    if (!strcmp(key, "address")) return address_of(c, value);
    if (!strcmp(key, "filter")) return word_of(filters, value, &c->filter);
    if (!strcmp(key, "mip")) return word_of(filters, value, &c->mip);
    if (!strcmp(key, "border")) return numbers(value, ",", c->border, 4);
    if (!strcmp(key, "size")) {
        bool ok = numbers(value, "x", f, 3);
        c->width = (int)f[0], c->height = (int)f[1], c->depth = (int)f[2];
        return ok;
    }
    if (!numbers(value, ",", f, 1)) return false;
    if (!strcmp(key, "bias")) return c->bias = f[0], true;
    if (!strcmp(key, "min")) return c->min_level = f[0], true;
    if (!strcmp(key, "max")) return c->max_level = f[0], true;
    int n = (int)f[0];
    if (!strcmp(key, "channels")) return c->channels = n, true;
    if (!strcmp(key, "layers")) return c->layers = n, true;
    if (!strcmp(key, "levels")) return c->levels = n, true;
    if (!strcmp(key, "linear")) return c->linear = n, true;
    if (!strcmp(key, "pitched")) return c->pitched = n, true;
    if (!strcmp(key, "normalized")) return c->normalized = n, true;
    if (!strcmp(key, "read")) return c->read_normalized = n, true;
    if (!strcmp(key, "srgb")) return c->srgb = n, true;
    if (!strcmp(key, "seamless")) return c->seamless = n, true;
    if (!strcmp(key, "trilinear")) return c->trilinear = n, true;
    if (!strcmp(key, "anisotropy")) return c->anisotropy = n, true;
    if (!strcmp(key, "component")) return c->component = n, true;
    if (!strcmp(key, "near")) return c->near = n, true;
    if (!strcmp(key, "far")) return c->far = n, true;
    if (!strcmp(key, "tiny")) return c->tiny = n, true;
    if (!strcmp(key, "seed")) return true;
    return false;
}

uint64_t case_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9E3779B97F4A7C15u + b * 0xD1B54A32D192ED03u + 0x8CB92BA72F3D8DD7u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

bool case_parse(struct tex_case *c, const char *line)
{
    memset(c, 0, sizeof *c);
    snprintf(c->line, sizeof c->line, "%s", line);
    c->line[strcspn(c->line, "\n")] = '\0';
    c->width = c->height = c->depth = c->layers = c->levels = c->channels = c->anisotropy = 1;
    c->max_level = 16;
    char copy[CASE_LINE], *rest = copy;
    snprintf(copy, sizeof copy, "%s", c->line);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals) return false;
        *equals = '\0';
        if (!take(c, word, equals + 1)) return false;
    }
    if (c->kind == KCUBE) c->layers = 6;
    if (c->kind == KACUBE) c->layers *= 6;
    for (const char *p = c->line; *p; p++) c->seed = case_mix(c->seed, (unsigned char)*p);
    return true;
}

/* ---- texels ---- */

int case_extent(int extent, int level)
{
    return extent >> level ? extent >> level : 1;
}

static int texel_bytes(const struct tex_case *c)
{
    static const int size[] = {1, 2, 4, 1, 2, 4, 2, 4};
    return size[c->format];
}

static int planes(const struct tex_case *c, int level)
{
    return c->kind == K3D ? case_extent(c->depth, level) : c->layers;
}

size_t case_level_bytes(const struct tex_case *c, int level)
{
    return (size_t)case_extent(c->width, level) * (size_t)case_extent(c->height, level) *
           (size_t)planes(c, level) * (size_t)(texel_bytes(c) * c->channels);
}

static uint32_t bits_of(float f)
{
    uint32_t w;
    memcpy(&w, &f, 4);
    return w;
}

/* Floats: near one another; 40 binades; any bits. */
static uint32_t float_texel(const struct tex_case *c, uint64_t h)
{
    uint32_t sign = (uint32_t)(h >> 63) << 31, fraction = (uint32_t)h & 0x7FFFFF;
    uint32_t pick = (uint32_t)(h >> 24) & 0xFFFF;
    if (c->content == TEXELS_WILD) {
        if (pick % 16 == 0) return sign | (pick & 16 ? 0x7F800000 : 0x7F800000 | fraction);
        if (pick % 16 == 1) return sign | (pick & 16 ? 0 : fraction);
        return (uint32_t)(h >> 16);
    }
    uint32_t exponent = c->content == TEXELS_WIDE ? 107 + pick % 40 : 124 + pick % 6;
    if (pick % 8 == 7) fraction = 0;
    if (pick % 32 == 6) return 0;
    return sign | exponent << 23 | fraction;
}

static uint32_t half_texel(const struct tex_case *c, uint64_t h)
{
    uint32_t sign = (uint32_t)(h >> 63) << 15, fraction = (uint32_t)h & 0x3FF;
    uint32_t pick = (uint32_t)(h >> 24) & 0xFFFF;
    if (c->content == TEXELS_WILD) return (uint32_t)(h >> 16) & 0xFFFF;
    uint32_t exponent = c->content == TEXELS_WIDE ? pick % 31 : 12 + pick % 6;
    return pick % 32 == 6 ? 0 : sign | exponent << 10 | fraction;
}

static uint32_t one_texel(const struct tex_case *c, int level, int x, int y, int z, int channel)
{
    const float ramp[4] = {(float)x, (float)y, (float)z, (float)level};
    uint64_t place = (uint64_t)level << 60 | (uint64_t)z << 44 | (uint64_t)y << 24 | (uint64_t)x << 4;
    uint64_t h = case_mix(c->seed, place | (uint64_t)channel);
    switch (c->content) {
    case TEXELS_RAMP: return bits_of(ramp[channel]);
    case TEXELS_UNITS: return bits_of(z % 2 == 0 && (x & 1) + 2 * (y & 1) == channel ? 1 : 0);
    case TEXELS_LEVELS: return bits_of((float)level);
    default: break;
    }
    if (c->format == F32) return float_texel(c, h);
    if (c->format == F16) return half_texel(c, h);
    if ((h >> 40) % 16 == 0) return h & 1 << 20 ? 0xFFFFFFFF : 0;
    if ((h >> 40) % 16 == 1) return h & 1 << 20 ? 0x80808080 : 0x7F7F7F7F;
    return (uint32_t)h;
}

void case_texels(const struct tex_case *c, int level, uint8_t *bytes)
{
    int size = texel_bytes(c), width = case_extent(c->width, level), height = case_extent(c->height, level);
    for (int z = 0; z < planes(c, level); z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int channel = 0; channel < c->channels; channel++) {
                    uint32_t v = one_texel(c, level, x, y, z, channel);
                    memcpy(bytes, &v, (size_t)size);
                    bytes += size;
                }
}

/* ---- operands ---- */

static const uint32_t specials[] = {0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000,
                                    0x7F800001, 0x7FFFFFFF, 1,          0x80000001, 0x00800000, 0x80800000,
                                    0x4B000000, 0xCB000000, 0x4B800000, 0x4E800000, 0xCE800000, 0x4F000000,
                                    0xCF000000, 0x5F000000, 0xDF000000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000,
                                    0xBF800000, 0x3F000000, 0x3F7FFFFF, 0x3F800001};

static float random_unit(uint64_t h)
{
    return (float)(h >> 40) * 0x1p-24f;
}

static uint32_t special(uint64_t h)
{
    if (h & 1) return (uint32_t)(h >> 8);
    return specials[(h >> 8) % (sizeof specials / sizeof *specials)];
}

static float ulps(float f, int n)
{
    uint32_t w = bits_of(f) + (uint32_t)n;
    memcpy(&f, &w, 4);
    return f;
}

/* A coordinate along an axis of n texels. */
static uint32_t coordinate(const struct tex_case *c, uint64_t h, int n)
{
    float scale = c->normalized ? 1 : (float)n;
    uint64_t pick = h % 32, g = case_mix(h, 1);
    if (c->near && pick < 16) pick += 8;
    if (pick == 0) return special(g);
    if (pick < 12) return bits_of((random_unit(g) * 3.5f - 1.25f) * scale);
    if (pick < 20) return bits_of(random_unit(g) * scale);
    float texels = (float)(int)(g % (uint64_t)(n * 512 * 2)) / 512.0f - (pick < 22 ? (float)n / 2 : 0);
    if (c->near) texels = fabsf(texels);
    return bits_of(ulps(c->normalized ? texels / (float)n : texels, (int)(g >> 40) % 5 - 2));
}

/* A direction into a cube: of any length, on the faces' edges, corners and diagonals, special. */
static void direction(const struct tex_case *c, uint64_t h, uint32_t coord[3])
{
    static const float grid[] = {-1, -0.5f, 0, 0.5f, 1};
    uint64_t pick = h % 32;
    float scale = ldexpf(1, (int)(h >> 8) % 32 - 16);
    for (int i = 0; i < 3; i++) {
        uint64_t g = case_mix(h, (uint64_t)i + 1);
        float v = random_unit(g) * 2 - 1;
        if (pick < 4) v = grid[g % 5];
        if (pick >= 4 && pick < 8) v = ulps(grid[g % 5], (int)(g >> 40) % 5 - 2);
        if (pick >= 8 && pick < 14 && i == (int)(h >> 20) % 3) v *= 0x1p-6f;
        coord[i] = bits_of(pick & 1 ? v * scale : v);
        if (!c->near && pick == 31) coord[i] = special(g);
    }
    if (pick >= 14 && pick < 18)
        coord[(h >> 20) % 3] = coord[(h >> 22) % 3] ^ (uint32_t)((h >> 30) & 1) << 31;
}

static uint32_t level_of_detail(const struct tex_case *c, uint64_t h)
{
    uint64_t pick = h % 16, g = case_mix(h, 2);
    if (!c->near && pick == 0) return special(g);
    if (pick < 6)
        return bits_of(
            ulps((float)(int)(g % (uint64_t)((c->levels + 2) * 512)) / 512.0f - 1, (int)(g >> 40) % 5 - 2));
    return bits_of(random_unit(g) * (float)(c->levels + 2) - 1);
}

static uint32_t gradient(const struct tex_case *c, uint64_t h, int n)
{
    uint64_t pick = h % 32, g = case_mix(h, 3);
    float sign = g & 1 ? -1 : 1, scale = c->normalized ? 1 / (float)n : 1;
    if (!c->near && pick == 0) return special(g);
    if (pick == 1 || pick == 2) return 0;
    if (pick < 8) return bits_of(sign * scale * (float)(1 << (g >> 8) % 8));
    return bits_of(sign * scale * exp2f(random_unit(g) * 12 - 3));
}

static uint32_t offset(const struct tex_case *c, uint64_t h)
{
    if (!c->far) return (uint32_t)(h % 16) - 8;
    return h & 1 << 20 ? (uint32_t)(h % 96) - 48 : (uint32_t)(h >> 24);
}

static void tiny_direction(uint64_t h, uint32_t coord[3])
{
    for (int i = 0; i < 3; i++) {
        uint64_t g = case_mix(h, (uint64_t)i);
        uint32_t sign = (uint32_t)(g >> 63) << 31, exponent = (uint32_t)(g >> 8) % 4;
        coord[i] = sign | (g % 8 == 0 ? 0 : exponent << 23 | ((uint32_t)(g >> 32) & 0x7FFFFF));
    }
}

/* A reference value, often one that texels of the case have. */
static uint32_t reference(const struct tex_case *c, uint64_t h)
{
    uint64_t pick = h % 16, g = h >> 8;
    if (pick == 0) return special(g);
    float most = c->content == TEXELS_RAMP ? (float)c->width : 1;
    if (pick < 6) return bits_of(random_unit(h) * most);
    if (c->content == TEXELS_RAMP) return bits_of((float)(g % (uint64_t)c->width));
    return c->format == F32 ? one_texel(c, 0, (int)(g % (uint64_t)c->width), 0, 0, 0)
                            : bits_of((float)(g % 256) / 255);
}

void case_operands(const struct tex_case *c, uint32_t index, struct tex_operands *o)
{
    const int extent[3] = {c->width, c->height, c->depth};
    uint64_t h = case_mix(c->seed, 0x100000000u + index);
    memset(o, 0, sizeof *o);
    for (int i = 0; i < 3; i++) {
        uint64_t g = case_mix(h, 16 + (uint64_t)i);
        o->coord[i] = coordinate(c, g, extent[i]);
        if (c->op == OP_INT || c->op == OP_INT_LEVEL)
            o->coord[i] = g % 16 == 0
                              ? special(g >> 5)
                              : (uint32_t)((g >> 8) % (uint64_t)(extent[i] * 2)) - (uint32_t)extent[i] / 2;
        o->dx[i] = gradient(c, case_mix(h, 32 + (uint64_t)i), extent[i]);
        o->dy[i] = gradient(c, case_mix(h, 48 + (uint64_t)i), extent[i]);
        o->offset[i] = offset(c, case_mix(h, 64 + (uint64_t)i));
    }
    if (c->kind == KCUBE || c->kind == KACUBE) direction(c, case_mix(h, 5), o->coord);
    if (c->tiny) tiny_direction(case_mix(h, 9), o->coord);
    uint64_t g = case_mix(h, 6);
    int count = c->kind == KACUBE ? c->layers / 6 : c->layers;
    o->layer = !c->near && g % 16 == 0 ? special(g >> 5) : (uint32_t)((g >> 8) % (uint64_t)(count + 1));
    o->compare = reference(c, case_mix(h, 10));
    o->level = level_of_detail(c, case_mix(h, 7));
    if (c->op == OP_INT_LEVEL) o->level = (uint32_t)(case_mix(h, 8) % (uint64_t)(c->levels + 3)) - 1;
}

uint64_t case_hash(uint32_t index, const uint32_t words[4])
{
    uint64_t h = case_mix(index, (uint64_t)words[0] << 32 | words[1]);
    return case_mix(h, (uint64_t)words[2] << 32 | words[3]);
}
