/*
 * tiles.h - the inputs of a tile: registers of 32 lanes, made from the form and the tile's number alone.
 *
 * Every element of an operand is drawn on its own, so nothing here knows how a matrix lies in registers. A
 * tile has a profile: near exponents, wide ones, mostly zeros, few values that cancel, infinities and NaNs,
 * subnormals, overflow, zeros of both signs, plain bits.
 */
#ifndef HW_MATRIX_TILES_H
#define HW_MATRIX_TILES_H

#include "forms.h"

enum { PROFILES = 12 };

typedef struct Draw {
    uint64_t state;
} Draw;

static uint64_t draw(Draw *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
static unsigned below(Draw *r, unsigned n)
{
    return (unsigned)((draw(r) >> 32) * n >> 32);
}
static int between(Draw *r, int lo, int hi)
{
    return lo + (int)below(r, (unsigned)(hi - lo + 1));
}

/* How the elements of one operand of one tile are drawn. */
typedef struct Source {
    int ebits, mbits, bias, top; /* top: the largest exponent field of finite numbers */
    int center, spread;          /* of the exponent field */
    unsigned zeros, specials,
        few;          /* percent of zeros, of specials; bits of the significand that may be set, 0: all */
    unsigned palette; /* 0, or so many values */
    uint64_t value[4];
    int signs; /* zeros of both signs and ones only */
} Source;

static Source source_of(Elem e)
{
    Source s = {0};
    switch (e) {
    case E_F16: s.ebits = 5, s.mbits = 10; break;
    case E_BF16: s.ebits = 8, s.mbits = 7; break;
    case E_E4M3: s.ebits = 4, s.mbits = 3; break;
    case E_E5M2: s.ebits = 5, s.mbits = 2; break;
    case E_F64: s.ebits = 11, s.mbits = 52; break;
    default:
        s.ebits = 8, s.mbits = 23;
        break; /* tf32 is a register of 32 bits: the chip ignores the low ones, or not */
    }
    s.bias = (1 << (s.ebits - 1)) - 1;
    s.top = (1 << s.ebits) - (e == E_E4M3 ? 1 : 2);
    return s;
}

/* A number from 48 random bits. */
static uint64_t number_of(Draw *r, const Source *s, uint64_t u)
{
    int e = s->center - s->spread + (int)((u >> 1 & 0xfff) * (unsigned)(2 * s->spread + 1) >> 12);
    uint64_t sign = u & 1, all = (1ull << s->mbits) - 1, m = (s->mbits > 30 ? draw(r) : u >> 17) & all;
    if (s->few) m &= ~0ull << (s->mbits > (int)s->few ? s->mbits - (int)s->few : 0);
    if (!(u >> 13 & 15)) m = all;
    if (e < 0) e = 0;
    if (e > s->top) e = s->top;
    if (s->top == 15 && s->ebits == 4 && e == 15 && m == 7) m = 6; /* e4m3's only NaN */
    return sign << (s->ebits + s->mbits) | (uint64_t)e << s->mbits | m;
}

static uint64_t draw_special(Draw *r, const Source *s)
{
    uint64_t sign = (draw(r) & 1) << (s->ebits + s->mbits), top = ((1ull << s->ebits) - 1) << s->mbits,
             m = (1ull << s->mbits) - 1;
    switch (below(r, 5)) {
    case 0: return sign | top;
    case 1: return sign | top | (draw(r) & m);
    case 2: return sign | (draw(r) & m);
    case 3: return sign | 1;
    default: return sign;
    }
}

static uint64_t draw_float(Draw *r, const Source *s)
{
    uint64_t u = draw(r), sign = (u >> 63) << (s->ebits + s->mbits);
    unsigned percent = (unsigned)((u >> 56 & 127) * 100 >> 7), other = (unsigned)((u >> 49 & 127) * 100 >> 7);
    if (s->signs) return sign | (u & 3 ? 0 : (uint64_t)s->bias << s->mbits);
    if (percent < s->zeros) return sign;
    if (other < s->specials) return draw_special(r, s);
    if (s->palette) return s->value[u % s->palette] ^ sign;
    return number_of(r, s, u);
}

static void profile(Draw *r, Source *s, unsigned p, int where)
{
    s->center = s->bias + where, s->spread = 2;
    switch (p) {
    case 0: break;
    case 1: s->spread = 8; break;
    case 2: s->center = s->top / 2, s->spread = s->top / 2 + 1; break;
    case 3: s->zeros = 80, s->spread = 8; break;
    case 4: s->palette = 2, s->spread = 6; break;
    case 5: s->specials = 3, s->spread = 4; break;
    case 6: s->center = 0, s->spread = 3; break;
    case 7: s->center = s->top, s->spread = 3; break;
    case 8: s->few = 3, s->spread = 12, s->zeros = 50; break;
    case 9: s->spread = 1; break;
    case 10: s->signs = 1; break;
    default: break;
    }
    for (unsigned i = 0; i < 4; i++)
        s->value[i] = number_of(r, s, draw(r)) & ((1ull << (s->ebits + s->mbits)) - 1);
}

static uint64_t draw_int(Draw *r, unsigned bits, unsigned p)
{
    uint64_t v = draw(r), all = (1ull << bits) - 1;
    if (p == 0) return v & all;
    if (p == 1) return (v & 1 ? all >> 1 : all ^ all >> 1) & all;
    if (p == 2) return v & 3 ? 0 : v >> 8 & all;
    return (bits == 32 ? (v & 1 ? 0x7fffffff - (v >> 8 & 0xffff) : 0x80000000 + (v >> 8 & 0xffff)) : v >> 3) &
           all;
}

/* One operand's registers, [register][lane]; 64 bits are kept for each. */
static void draw_operand(Draw *r, Elem e, unsigned regs, const Source *s, unsigned p, uint64_t (*to)[32])
{
    unsigned bits = elem_bits[e], wide = e == E_F64 ? 64 : 32;
    for (unsigned i = 0; i < regs; i++)
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t v = 0;
            for (unsigned at = 0; at < wide; at += bits) {
                uint64_t x = e >= E_S8 ? draw_int(r, bits, p & 3)
                             : p == 11 ? draw(r) & (bits == 64 ? ~0ull : (1ull << bits) - 1)
                                       : draw_float(r, s);
                v |= x << at;
            }
            to[i][lane] = v;
        }
}

/* Metadata: nibbles of two different places in order, or, each fourth time, any; tf32 has but two. */
static void draw_meta(Draw *r, const Form *f, unsigned number, uint64_t *to)
{
    static const unsigned char ordered[6] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    for (unsigned lane = 0; lane < 32; lane++) {
        to[lane] = draw(r) & 0xffffffff;
        if (f->a != E_TF32 && number % 4 == 3) continue;
        to[lane] = 0;
        for (unsigned q = 0; q < 32; q += 4)
            to[lane] |= (uint64_t)(f->a == E_TF32 ? (draw(r) & 1 ? 0x4 : 0xe) : ordered[below(r, 6)]) << q;
    }
}

/* All registers of tile `number`: a, b, c, metadata. */
static void draw_tile(const Form *f, unsigned number, uint64_t (*regs)[32])
{
    Draw r = {number * 0x2545f4914f6cdd1dull + 77};
    for (const char *c = f->name; *c; c++) r.state = (r.state ^ (unsigned char)*c) * 0x100000001b3ull;
    unsigned p = number % PROFILES;
    Source a = source_of(f->a), b = source_of(f->b), c = source_of(f->c);
    int wa = between(&r, -a.bias / 4, a.bias / 4), wb = between(&r, -b.bias / 4, b.bias / 4);
    profile(&r, &a, p, wa), profile(&r, &b, p, wb);
    profile(&r, &c, p, wa + wb + between(&r, -30, 30));
    if ((p == 6 || p == 7) && draw(&r) & 1) a.center = a.bias, a.spread = 4;
    if (p == 6 && f->c == E_F32 && draw(&r) & 1) c.center = between(&r, 100, 127), c.spread = 20;
    draw_operand(&r, f->a, f->na, &a, p, regs);
    draw_operand(&r, f->b, f->nb, &b, p, regs + f->na);
    draw_operand(&r, f->c, f->nc, &c, p, regs + f->na + f->nb);
    if (f->ne) draw_meta(&r, f, number, regs[f->na + f->nb + f->nc]);
}

/* The tile as the kernel reads it; the number of bytes. */
static inline size_t unit_tile(const Form *f, unsigned number, void *to)
{
    uint64_t regs[REGS_MAX][32];
    unsigned n = form_in(f), bytes = f->wide ? 8 : 4;
    draw_tile(f, number, regs);
    for (unsigned i = 0; i < n; i++)
        for (unsigned lane = 0; lane < 32; lane++)
            memcpy((char *)to + (i * 32 + lane) * bytes, &regs[i][lane], bytes);
    return (size_t)n * 32 * bytes;
}

#endif
