/*
 * case.h - what the texture recordings ask: images, samplers and coordinates, made from a line of text.
 *
 * A line of cases.txt is words KEY=VALUE (see keys in case.c). The recorder (record.cu) and the check of our
 * own unit (model.c) make the same texels and the same operands from it, by a hash of the line's seed and an
 * index.
 */
#ifndef CASE_H
#define CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CASE_LINE = 512 };
enum { QUICK = 1024, FULL = 1 << 20 }; /* fetches of a case */

enum case_op {
    OP_TEX,
    OP_LEVEL,
    OP_GRAD,
    OP_GATHER,
    OP_INT,
    OP_INT_LEVEL,
    OP_OFFSET,
    OP_HALVES,
    OP_GATHER_OFFSET,
    OP_COMPARE,
    OP_GATHER_COMPARE,
    OP_OPS
};
enum case_content { TEXELS_RANDOM, TEXELS_WIDE, TEXELS_WILD, TEXELS_RAMP, TEXELS_UNITS, TEXELS_LEVELS };

struct tex_case {
    char line[CASE_LINE];       /* without the end of line */
    uint64_t seed;              /* hash of the line */
    int kind, format, channels; /* as lib/tex/texture.h numbers them */
    int width, height, depth, layers, levels;
    bool linear, pitched;
    int address[3], filter, mip;
    bool normalized, read_normalized, srgb, seamless, trilinear;
    int anisotropy;
    float bias, min_level, max_level, border[4];
    int op, content, component;
    bool near; /* operands without far and special ones */
    bool far;  /* offsets of any size */
    bool tiny; /* directions of subnormal and least normal numbers */
};

/* Operands of one fetch, words. */
struct tex_operands {
    uint32_t coord[3], layer, level, dx[3], dy[3], offset[3], compare;
};

/* False: not understood. */
bool case_parse(struct tex_case *c, const char *line);

/* Bytes of a level: its layers or slices, rows, texels, all tight. `bytes` of case_level_bytes. */
size_t case_level_bytes(const struct tex_case *c, int level);
void case_texels(const struct tex_case *c, int level, uint8_t *bytes);

int case_extent(int extent, int level);
void case_operands(const struct tex_case *c, uint32_t index, struct tex_operands *o);

/* Hash of a fetch's four words; the sum over all indices is what is recorded. */
uint64_t case_mix(uint64_t a, uint64_t b);
uint64_t case_hash(uint32_t index, const uint32_t words[4]);

#ifdef __cplusplus
}
#endif
#endif
