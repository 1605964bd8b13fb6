/*
 * inputs.h - operand values for the recorded arithmetic forms.
 *
 * An operand names a set ("f32", "sh", "bit"): a register class, a list of special
 * values (its head, the "core", is what cross products use) and a rule for random
 * values. Everything follows from the operand names of a form by integer arithmetic
 * alone, so the recorder and the replay see the same inputs on any machine. A change
 * here means recording again.
 */
#ifndef HW_ALU_INPUTS_H
#define HW_ALU_INPUTS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { IN_MAX = 4, SET_MAX = 300, CORE = 24, BLOCKS = 8 };

typedef enum Reg { REG_PRED, REG_B8, REG_B16, REG_B32, REG_B64, REG_CELL } Reg;

typedef enum Kind {
    KIND_INT,
    KIND_FLOAT,
    KIND_FLOAT2,
    KIND_LIST,
    KIND_EDGE,
    KIND_LANE,
    KIND_SEGMENT,
    KIND_FEW,
    KIND_SIGNS
} Kind;

typedef struct Set {
    char name[8];
    Reg reg;
    Kind kind;
    unsigned bits;        /* of one element */
    unsigned mantissa;    /* floats: stored fraction bits */
    unsigned count, core; /* special values; the first `core` of them go into cross products */
    uint64_t value[SET_MAX];
} Set;

typedef struct Sets {
    Set set[32];
    unsigned count;
} Sets;

/* ---- random numbers: splitmix64 ---- */

static uint64_t mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rng_next(uint64_t *state)
{
    return mix64(*state += 0x9e3779b97f4a7c15u);
}

static uint64_t hash_text(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u;
    while (*s) h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
    return h;
}

/* ---- special values: the core first, 24 at most ---- */

static const uint16_t f16_values[] = {
    0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x7c00,
    0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfdff, 0x7fff, 0x3c01, 0x3bff, 0x4200, 0x3800, 0xb555, 0xffff, 0x7d00,
    0xfc01, 0x0002, 0x0200, 0x0401, 0x0801, 0x1400, 0x1000, 0x2e66, 0x3555, 0x3a00, 0x3e00, 0xbe00, 0x4000,
    0x4100, 0xc100, 0x4300, 0xc300, 0x57f0, 0x57f8, 0x5800, 0xd800, 0xd804, 0x5bf8, 0x5bfc, 0x5c00, 0x77ff,
    0x7800, 0xf800, 0x7a00, 0x6400, 0x6401, 0x63ff, 0x4248, 0x7bfe, 0x0003, 0x07ff, 0x5f00, 0x5f40, 0x5f41,
    0x5f80, 0x1c00, 0x1800, 0x1a00, 0x7b00, 0x7b80, 0x7b81, 0x0100, 0x0080, 0x0180};

static const uint16_t bf16_values[] = {
    0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x7f7f, 0xff7f, 0x7f80,
    0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xffbf, 0x7fff, 0x3f81, 0x3f7f, 0x4040, 0x3f00, 0xbeab, 0xffff, 0x7fa0,
    0xff81, 0x0002, 0x0040, 0x0081, 0x0100, 0x3dcd, 0x3eab, 0x3fc0, 0xbfc0, 0x4000, 0x4020, 0xc020, 0x4060,
    0xc060, 0x42fe, 0x42ff, 0x4300, 0xc300, 0xc301, 0x437f, 0x4380, 0x46ff, 0x4700, 0xc700, 0x477f, 0x4780,
    0x4eff, 0x4f00, 0xcf00, 0xcf01, 0x4f7f, 0x4f80, 0x5eff, 0x5f00, 0xdf00, 0xdf01, 0x5f7f, 0x5f80, 0x3880,
    0x387f, 0x3300, 0x3380, 0x3340, 0x477e, 0x4049, 0x7eff, 0x7f00, 0x3a80, 0x1f80, 0x6080};

static const uint32_t f32_values[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xffbfffff, 0x7fffffff, 0x3f800001, 0x3f7fffff, 0x40400000, 0x33800000, 0xbeaaaaab,
    /* the rest is for one-operand forms: NaNs, denormals, halves, integer and narrow-float borders */
    0xffffffff, 0xff800001, 0x7fa00000, 0xffc00000, 0x7fe01000, 0x7f801fff, 0x7f802000, 0x00000002,
    0x00400000, 0x00400001, 0x00800001, 0x01000000, 0x00ffffff, 0x3f000000, 0xbf000000, 0x3effffff,
    0x3f000001, 0xbf000001, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x40600000, 0xc0600000,
    0x3dcccccd, 0x40490fdb, 0x3fffffff, 0x3f801000, 0x3f803000, 0x3f802fff, 0x3f801001, 0x3f800fff,
    0x3f808000, 0x3f818000, 0x3f807fff, 0x3f808001, 0x7f7f8000, 0x7f7f7fff, 0xff7f8000, 0x7f7fefff,
    0x7f7ff000, 0x7fbfffff, 0x0000ffff, 0x00008000, 0x00018000, 0x00010000, 0x007f8000, 0x007fc000,
    0x007f7fff, 0x33000000, 0x33000001, 0x32ffffff, 0x33c00000, 0x33bfffff, 0x387fc000, 0x387fe000,
    0x387fdfff, 0x38800000, 0x387fffff, 0x38801000, 0x477fe000, 0x477fefff, 0x477ff000, 0xc77ff000,
    0x47800000, 0x3b000000, 0x3a800000, 0x3a800001, 0x3ac00000, 0x3b400000, 0x3c000000, 0x3c700000,
    0x43e00000, 0x43e80000, 0x43e80001, 0x43f00000, 0xc3e80001, 0x47600000, 0x47680000, 0x47700000,
    0x47700001, 0x37800000, 0x37000000, 0x37000001, 0x37400000, 0x38200000, 0x38600000, 0x42fe0000,
    0x42ff0000, 0x42ff0001, 0x43000000, 0xc3000000, 0xc3008000, 0xc3008001, 0xc3010000, 0x437f0000,
    0x437f7fff, 0x437f8000, 0x43800000, 0x46fffe00, 0x46ffff00, 0x47000000, 0xc7000000, 0xc7000080,
    0xc7000100, 0x477fff00, 0x477fff80, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff,
    0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0xdf000001, 0x5f7fffff, 0x5f800000, 0x4b000000,
    0x4b000001, 0x4affffff, 0x4a800001, 0xca800001, 0x4b7fffff, 0x4b800000, 0x7e800000, 0x7f000000,
    0x00200000, 0x5d5e0b6b};

/* NaNs of f64 that can be told apart, quiet and signalling, of both signs; and a few numbers. */
static const uint64_t nan64_values[] = {
    0x7ff8000000001001, 0x7ff8000000002002, 0xfff8000000003003, 0xfff8000000004004,
    0x7ff0000000005005, 0x7ff4000000006006, 0xfff0000000007007, 0xfff7000000008008,
    0x7fffffffffffffff, 0xfff8000000000000, 0x3ff0000000000000, 0x8000000000000000,
    0x0000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc008000000000000};

static const uint64_t f64_values[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x0000000000000001,
    0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
    0xfff8123456789abc, 0x7ff0000000000001, 0xfff7ffffffffffff, 0x7fffffffffffffff, 0x3ff0000000000001,
    0x3fefffffffffffff, 0x4008000000000000, 0x3ca0000000000000, 0xbfd5555555555555,
    /* NaNs, borders of f32, of its denormals and of the integers */
    0xffffffffffffffff, 0xfff0000000000001, 0x7ff4000000000000, 0xfff8000000000000, 0x7ff0000020000000,
    0x7ff000001fffffff, 0x7ff8000010000000, 0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000,
    0xc7effffff0000000, 0x47f0000000000000, 0x3810000000000000, 0x380fffffffffffff, 0x380fffffe0000000,
    0x380fffffd0000000, 0x380fffffefffffff, 0x380ffffff0000000, 0x36a0000000000000, 0x3690000000000000,
    0x3690000000000001, 0x368fffffffffffff, 0x36a8000000000000, 0x36b8000000000000, 0x3ff0000010000000,
    0x3ff0000030000000, 0x3ff0000010000001, 0x3ff000000fffffff, 0x0008000000000000, 0x0010000000000001,
    0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000100000,
    0xc1e0000000200000, 0x41efffffffe00000, 0x41effffffff00000, 0x41f0000000000000, 0x43dfffffffffffff,
    0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x43efffffffffffff, 0x43f0000000000000,
    0x4330000000000000, 0x4330000000000001, 0x432fffffffffffff, 0x4320000000000001, 0xc320000000000001,
    0x4340000000000001, 0x3fdfffffffffffff, 0x3fe0000000000001, 0x3ff0020000000000, 0x3ff0020000000001,
    0x3ff0060000000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3ff0100000000000, 0x3ff0100000000001,
    0x3ff0300000000000, 0x3e60000000000000, 0x3e60000000000001, 0x3e78000000000000, 0x47efefffffffffff,
    0x47eff00000000000, 0x3f0ff80000000000, 0x3f0ffc0000000000, 0x3f0ffe0000000000, 0x7fe0000000000000,
    0x7fd0000000000000, 0x0020000000000000, 0x3690000000000002};

static const uint64_t int_values[] = {/* cut to the width; for 32 and 64 bits the borders follow */
                                      0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x100,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x5555555555555555,
                                      0xaaaaaaaaaaaaaaaa,
                                      0xffffffffffffffff,
                                      0xfffffffffffffffe,
                                      0xffffffffffff8000,
                                      0xffffffffffffff80,
                                      0x123456789abcdef1};

static const uint64_t int_more[] = {4,
                                    5,
                                    9,
                                    10,
                                    15,
                                    16,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    100,
                                    127,
                                    129,
                                    254,
                                    257,
                                    1000,
                                    4096,
                                    0x7ffe,
                                    0x8001,
                                    0xfffe,
                                    0x3c00,
                                    0x0f0f0f0f0f0f0f0f,
                                    0x00ff00ff00ff00ff,
                                    0x8080808080808080,
                                    0x7f7f7f7f7f7f7f7f,
                                    0x8000800080008000,
                                    0x7fff7fff7fff7fff,
                                    0xfffffffffffffff6,
                                    0xffffffffffffff00,
                                    0xffffffffffffff7f,
                                    0xffffffffffff7fff,
                                    0xffffffffffff0000,
                                    0x10000,
                                    0x10001,
                                    0x7fffff,
                                    0x800000,
                                    0xffffff,
                                    0x1000000,
                                    0x1000001,
                                    0x1000003,
                                    0x7fffffff,
                                    0x80000000,
                                    0x80000001,
                                    0xffffffff,
                                    0x100000000,
                                    0xffffffff7fffffff,
                                    0xffffffff80000000,
                                    0x7fffff80,
                                    0x7fffffbf,
                                    0x7fffffc0,
                                    0xffffff7f,
                                    0xffffff80,
                                    0xffffff81,
                                    0x20000000000000,
                                    0x20000000000001,
                                    0x20000000000003,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0x8000000000000001,
                                    0x7ffffffffffffdff,
                                    0x7ffffffffffffe00,
                                    0xfffffffffffffbff,
                                    0xfffffffffffffc00,
                                    0x7fffffbfffffffff,
                                    0x7fffffc000000000,
                                    0xffffff7fffffffff,
                                    0xffffff8000000000,
                                    0x8000004000000000,
                                    0x8000008000000000,
                                    0x0101010101010101,
                                    65503,
                                    65504,
                                    65519,
                                    65520,
                                    65535,
                                    2047,
                                    2049,
                                    2051,
                                    0x1ff,
                                    0x101,
                                    0x103};

static const uint64_t shift_values[] = {0,  1,  2,  7,  8,  15, 16,  17,  24,  30,  31,         32,
                                        33, 48, 62, 63, 64, 65, 127, 128, 255, 256, 0x80000000, 0xffffffff};

static const uint64_t field_values[] = {0,  1,  4,  8,  12,  16,  20,  24,  31,  32,  33,         40,
                                        48, 63, 64, 65, 100, 128, 200, 255, 256, 257, 0x80000001, 0xffffffff};

static const uint64_t signs_values[] = {/* of words and of their parts */
                                        0,          1,          2,          0xffffffff, 0xfffffffe,
                                        0x7fffffff, 0x80000000, 0x80000001, 0x7ffffffe, 0x12345678,
                                        0x9abcdef0, 0xff,       0x80,       0x7f,       0xffff,
                                        0x8000,     0x7fff,     0xffff8000, 0xffffff80, 0x80008000,
                                        0x80808080, 0x7fff7fff, 0xc7095a72, 0x14be1a4d};

static const uint64_t small_values[] = {/* offsets of fns and the like */
                                        0,  1,  0xffffffff, 2,          0xfffffffe, 3,          0xfffffffd,
                                        4,  8,  0xfffffff8, 16,         17,         0xfffffff0, 31,
                                        32, 33, 0xffffffe0, 0x7fffffff, 0x80000000};

static void set_value(Set *s, uint64_t v)
{
    if (s->bits < 64) v &= ((uint64_t)1 << s->bits) - 1;
    for (unsigned i = 0; i < s->count; i++)
        if (s->value[i] == v) return;
    if (s->count < SET_MAX) s->value[s->count++] = v;
}

static Set *set_new(Sets *all, const char *name, Reg reg, Kind kind, unsigned bits, unsigned mantissa)
{
    Set *s = &all->set[all->count++];
    strncpy(s->name, name, sizeof s->name - 1);
    s->reg = reg, s->kind = kind, s->bits = bits, s->mantissa = mantissa;
    return s;
}

static void set_core(Set *s)
{
    s->core = s->count < CORE ? s->count : CORE;
}

#define SET_LIST(s, list)                                                                                    \
    for (unsigned i_ = 0; i_ < sizeof(list) / sizeof *(list); i_++) set_value(s, (list)[i_])

static void set_int(Sets *all, const char *name, Reg reg, unsigned bits)
{
    Set *s = set_new(all, name, reg, KIND_INT, bits, 0);
    uint64_t top = (uint64_t)1 << (bits - 1);
    set_value(s, 0), set_value(s, 1), set_value(s, top), set_value(s, top - 1), set_value(s, ~(uint64_t)0);
    SET_LIST(s, int_values);
    set_core(s);
    SET_LIST(s, int_more);
    if (bits == 8)
        for (unsigned i = 0; i < 256; i++) set_value(s, i);
}

/* Pairs of 16-bit elements: the low ones in order, the high ones in another. */
static void set_pair(Sets *all, const char *name, const Set *half, Kind kind)
{
    Set *s = set_new(all, name, REG_B32, kind, 32, half->mantissa);
    for (unsigned i = 0; i < half->count; i++)
        set_value(s, half->value[i] | half->value[(i * 7 + 5) % half->core] << 16);
    set_core(s);
}

/*
 * Values 2^e (1 +- 2^-k) for two exponents (as stored), both signs: their products and quotients lie within a
 * few roundings of a power of two, where it shows whether a result counts as subnormal before or after
 * rounding.
 */
static void set_edge(Sets *all, const char *name, Reg reg, unsigned bits, unsigned mantissa,
                     unsigned exponent)
{
    Set *s = set_new(all, name, reg, KIND_EDGE, bits, mantissa);
    uint64_t one = (uint64_t)1 << mantissa, e = (uint64_t)exponent << mantissa;
    for (unsigned k = mantissa; k > mantissa / 2 - 2; k--) {
        set_value(s, e | (one >> k)), set_value(s, (e - one) | (one - (one >> k)));
        set_value(s, e | (one - (one >> k)));
    }
    set_value(s, e), set_value(s, e - one);
    for (unsigned i = 0, n = s->count; i < n; i += 3) set_value(s, s->value[i] | (uint64_t)1 << (bits - 1));
    s->core = s->count < 48 ? s->count : 48;
}

/* The finite f32 values widened, for the borders that conversions meet. */
static void set_widened(Set *s)
{
    for (unsigned i = 0; i < sizeof f32_values / sizeof *f32_values; i++) {
        float f;
        memcpy(&f, &f32_values[i], 4);
        double d = f;
        uint64_t bits;
        memcpy(&bits, &d, 8);
        if ((f32_values[i] & 0x7f800000) != 0x7f800000) set_value(s, bits);
    }
}

static void inputs_init(Sets *all)
{
    memset(all, 0, sizeof *all);
    Set *s = set_new(all, "f16", REG_B16, KIND_FLOAT, 16, 10);
    SET_LIST(s, f16_values);
    set_core(s);
    set_pair(all, "f16x2", s, KIND_FLOAT2);
    s = set_new(all, "bf16", REG_B16, KIND_FLOAT, 16, 7);
    SET_LIST(s, bf16_values);
    set_core(s);
    set_pair(all, "bf16x2", s, KIND_FLOAT2);
    s = set_new(all, "f32", REG_B32, KIND_FLOAT, 32, 23);
    SET_LIST(s, f32_values);
    set_core(s);
    s = set_new(all, "f64", REG_B64, KIND_FLOAT, 64, 52);
    SET_LIST(s, f64_values);
    set_core(s);
    set_widened(s);
    set_int(all, "u8", REG_B8, 8);
    set_int(all, "u16", REG_B16, 16);
    set_pair(all, "u16x2", &all->set[all->count - 1], KIND_INT);
    set_int(all, "u32", REG_B32, 32);
    set_int(all, "u64", REG_B64, 64);
    s = set_new(all, "sh", REG_B32, KIND_LIST, 32, 0);
    SET_LIST(s, shift_values);
    set_core(s);
    s = set_new(all, "field", REG_B32, KIND_LIST, 32, 0);
    SET_LIST(s, field_values);
    set_core(s);
    s = set_new(all, "small", REG_B32, KIND_LIST, 32, 0);
    SET_LIST(s, small_values);
    set_core(s);
    s = set_new(all, "bit", REG_PRED, KIND_INT, 1, 0);
    set_value(s, 0), set_value(s, 1);
    set_core(s);
    set_edge(all, "one", REG_B32, 32, 23, 127);  /* about 1 */
    set_edge(all, "tiny", REG_B32, 32, 23, 64);  /* product of two about 2^-126 */
    set_edge(all, "micro", REG_B32, 32, 23, 51); /* product of two about 2^-152 */
    set_edge(all, "tiny16", REG_B16, 16, 10, 8); /* product of two about 2^-14 */
    s = set_new(all, "signs", REG_B32, KIND_SIGNS, 32, 0);
    SET_LIST(s, signs_values);
    set_core(s);
    set_new(all, "lane", REG_B32, KIND_LANE, 32, 0);
    set_new(all, "seg", REG_B32, KIND_SEGMENT, 32, 0);
    set_new(all, "few", REG_B32, KIND_FEW, 32, 0);
    set_new(all, "few64", REG_B64, KIND_FEW, 64, 0);
    set_new(all, "fewbit", REG_PRED, KIND_FEW, 1, 0);
    s = set_new(all, "nan64", REG_B64, KIND_LIST, 64, 0);
    SET_LIST(s, nan64_values);
    set_core(s);
}

static const Set *inputs_find(const Sets *all, const char *name, size_t length)
{
    for (unsigned i = 0; i < all->count; i++)
        if (strlen(all->set[i].name) == length && !memcmp(all->set[i].name, name, length))
            return &all->set[i];
    return NULL;
}

/* ---- random values ---- */

static uint64_t random_int(uint64_t *state, unsigned bits)
{
    uint64_t r = rng_next(state), how = rng_next(state),
             mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : ~(uint64_t)0;
    unsigned width = (how >> 8) % bits + 1;
    uint64_t small = r & (width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0);
    switch (how & 3) {
    case 0: return small & mask;
    case 1: return (0 - small) & mask;
    default: return r & mask;
    }
}

/* Near `base` in exponent, often with few fraction bits set, so that sums and products tie and cancel. */
static uint64_t random_near(uint64_t *state, const Set *s, unsigned element, uint64_t base)
{
    uint64_t r = rng_next(state), how = rng_next(state);
    unsigned m = s->mantissa, e_bits = element - 1 - m;
    uint64_t e_mask = ((uint64_t)1 << e_bits) - 1, fraction = r & (((uint64_t)1 << m) - 1);
    uint64_t e = (base + (how >> 32) % (2 * m + 6) - m - 3) & e_mask;
    unsigned cut = (how >> 16) % (m + 1);
    if (how & 1) fraction = fraction >> cut << cut;
    if (how & 2) fraction = ~fraction & (((uint64_t)1 << m) - 1);
    return (how >> 2 & 1) << (element - 1) | e << m | fraction;
}

static uint64_t random_float(uint64_t *state, const Set *s, unsigned element, uint64_t base, unsigned how)
{
    uint64_t mask = element < 64 ? ((uint64_t)1 << element) - 1 : ~(uint64_t)0, r = rng_next(state);
    switch (how & 7) {
    case 0: return r & mask;
    case 1: return s->kind == KIND_FLOAT && (r & 3) ? s->value[(r >> 8) % s->count] : r & mask;
    default: return random_near(state, s, element, base);
    }
}

/* Lane-dependent operands: `warp` seeds what all 32 lanes share. */
static uint64_t random_lane(uint64_t *state, const Set *s, uint64_t warp)
{
    uint64_t r = rng_next(state), w = mix64(warp * 0x9e3779b97f4a7c15u + s->bits);
    switch (s->kind) {
    case KIND_LANE: return w & 3 ? r % 40 : r & 0xffffffff;
    case KIND_SEGMENT: {
        static const uint16_t segment[8] = {0x1f, 0, 0x181f, 0x1c1f, 0x1e03, 0x1000, 0x0f10, 0x1f1f};
        return w & 4 ? segment[w >> 8 & 7] : w & 8 ? segment[r >> 8 & 7] : r & 0xffffe0ffu;
    }
    default:
        r = w & 1 ? w >> 1 : w & 6 ? r % 3 + (w >> 9) : r;
        return s->bits == 1 ? r >> 3 & 1 : s->bits == 32 ? r & 0xffffffff : r;
    }
}

static uint64_t random_value(uint64_t *state, const Set *s, uint64_t warp, uint64_t base, unsigned how)
{
    switch (s->kind) {
    case KIND_INT:
    case KIND_SIGNS: return random_int(state, s->bits);
    case KIND_FLOAT: return random_float(state, s, s->bits, base, how);
    case KIND_FLOAT2:
        return random_float(state, s, 16, base, how) | random_float(state, s, 16, base >> 7, how >> 4) << 16;
    case KIND_EDGE: {
        uint64_t r = rng_next(state), v = s->value[(r >> 8) % s->count];
        return r & 1 ? v : r & 2 ? v ^ (r >> 32 & 7) : v ^ (r >> 32 & (((uint64_t)1 << s->mantissa / 2) - 1));
    }
    case KIND_LIST: {
        uint64_t r = rng_next(state);
        return r & 3 ? (r >> 8) % 72 : (r & 4) ? s->value[(r >> 8) % s->count] : r >> 32;
    }
    default: return random_lane(state, s, warp);
    }
}

/* For a*b+c: often the negated rounded product, so that the exact remainder decides. */
static void cancel_product(uint64_t *v, unsigned bits)
{
    if (bits == 32) {
        uint32_t a = (uint32_t)v[0], b = (uint32_t)v[1], c;
        float fa, fb, fc;
        memcpy(&fa, &a, 4), memcpy(&fb, &b, 4);
        fc = -(fa * fb);
        memcpy(&c, &fc, 4);
        if ((c & 0x7f800000) != 0x7f800000 && (c & 0x7f800000)) v[2] = c;
    } else if (bits == 64) {
        double a, b, c;
        uint64_t r;
        memcpy(&a, &v[0], 8), memcpy(&b, &v[1], 8);
        c = -(a * b);
        memcpy(&r, &c, 8);
        if ((r & 0x7ff0000000000000) != 0x7ff0000000000000 && (r & 0x7ff0000000000000)) v[2] = r;
    }
}

/*
 * Which of several NaNs of f64 gives its payload to a result depends on the order in which ptxas puts the
 * operands; so random vectors have one at most: the others lose the top bit of their exponent.
 */
static void single_nan(const Set *const *set, unsigned n, uint64_t *v)
{
    unsigned nans = 0;
    for (unsigned k = 0; k < n; k++)
        if (set[k]->bits == 64 && set[k]->kind == KIND_FLOAT && v[k] << 1 > 0xffe0000000000000u && nans++)
            v[k] ^= 0x4000000000000000u;
}

/* ---- the vectors of a form ---- */

static int inputs_by_lane(const Set *const *set, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (set[i]->count == 0) return 1;
    return 0;
}

/* How many special vectors: all of one operand, the cross product of two, a sample of more; whole warps. */
static unsigned inputs_special_count(const Set *const *set, unsigned n)
{
    unsigned count = n == 1 ? set[0]->count : n == 2 ? set[0]->core * set[1]->core : 768;
    if (set[0]->kind == KIND_SIGNS) count = 192;
    if (inputs_by_lane(set, n)) count = 512;
    return (count + 31) / 32 * 32;
}

static unsigned inputs_random_count(const Set *const *set, unsigned n)
{
    return n == 1 && !inputs_by_lane(set, n) ? 65536 : 8192;
}

static void inputs_random(const Set *const *set, unsigned n, uint64_t seed, unsigned count,
                          uint64_t (*in)[IN_MAX])
{
    uint64_t state = seed;
    for (unsigned i = 0; i < count; i++) {
        uint64_t base = rng_next(&state);
        memset(in[i], 0, sizeof in[i]);
        for (unsigned k = 0; k < n; k++)
            in[i][k] = random_value(&state, set[k], seed + i / 32, base >> 16, (unsigned)(base >> (4 * k)));
        if (n == 3 && set[0] == set[2] && set[0]->kind == KIND_FLOAT && (base >> 60) < 4)
            cancel_product(in[i], set[0]->bits);
        single_nan(set, n, in[i]);
        if (n == 1 && set[0]->bits == 16) in[i][0] = i & 0xffff;
        if (n == 1 && set[0]->kind == KIND_FLOAT2) in[i][0] = (i & 0xffff) | (i * 40503u & 0xffff) << 16;
    }
}

static void inputs_special(const Set *const *set, unsigned n, uint64_t seed, unsigned count,
                           uint64_t (*in)[IN_MAX])
{
    uint64_t state = ~seed;
    if (inputs_by_lane(set, n)) {
        inputs_random(set, n, ~seed, count, in);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        memset(in[i], 0, sizeof in[i]);
        if (n == 1)
            in[i][0] = set[0]->value[i % set[0]->count];
        else if (n == 2) {
            in[i][0] = set[0]->value[i / set[1]->core % set[0]->core];
            in[i][1] = set[1]->value[i % set[1]->core];
        } else
            for (unsigned k = 0; k < n; k++) in[i][k] = set[k]->value[rng_next(&state) % set[k]->core];
    }
}

#endif
