/* texture.h - tex, tld4, surfaces and queries (PTX ISA 9.7.9, 9.7.10): handles to images, and what can be
 * wrong. */
#ifndef PX_OPS_TEXTURE_H
#define PX_OPS_TEXTURE_H

#include "gang/gang.h"
#include "tex/texture.h"

/* What the words of an instruction say. */
struct px_tex_words {
    uint32_t kind : 4;    /* enum px_image_kind */
    uint32_t lod : 2;     /* enum px_tex_lod */
    uint32_t channel : 2; /* of tld4 */
    uint32_t gather : 1, integer : 1, halves : 1;
    uint32_t sampler : 1, offsets : 1;               /* operands that are there */
    uint32_t clamp : 2, formatted : 1;               /* of surfaces: enum px_surf_clamp */
    uint32_t load : 1, reduce : 1, op : 3, sign : 1; /* of surfaces; enum px_surf_op */
    uint32_t bytes : 4;                              /* of an element in memory */
};
_Static_assert(sizeof(struct px_tex_words) == sizeof(uint32_t), "it travels as a fact of an instruction");

/* How many coordinates there are, beside array index and sample; which of these there are. */
uint32_t px_tex_coordinates(enum px_image_kind kind);
bool px_tex_layered(enum px_image_kind kind);
bool px_tex_multisample(enum px_image_kind kind);

/*
 * Records: the texture's or surface's handle in a, that of a sampler in b; handles says which of them (bits 0
 * and 1) are one for all lanes. All else is behind aux; of rows 0 stands for none.
 */
enum { PX_TEX_SCALAR_A = 1, PX_TEX_SCALAR_B = 2 };

/* tex, tld4 */
struct px_tex_sampling {
    struct px_tex_words words;
    const struct px_tex_rows *unit;
    uint32_t d[4], nd;
    bool apart; /* a result lies in a row that is read */
    uint32_t layer, sample, level, coord[3], dx[3], dy[3], offset[3];
};
int px_texture_sample(struct px_gang *g, const struct px_insn *in);

/* suld, sust, sured */
struct px_tex_surface {
    struct px_tex_words words;
    const struct px_tex_rows *unit;
    uint32_t value[4], nvalues, row; /* rows of elements of `row` bytes */
    bool apart;
    uint32_t layer, coord[3];
};
int px_texture_surface(struct px_gang *g, const struct px_insn *in);

/* txq, suq; the answer goes to d */
struct px_tex_question {
    uint8_t kind; /* enum px_opaque_kind */
    enum px_tex_query query;
    uint32_t level; /* row; 0: level 0 */
};
int px_texture_query(struct px_gang *g, const struct px_insn *in);

/* d = predicates: is the handle in row a that of a variable of kind `opaque` (enum px_opaque_kind)? */
int px_texture_istypep(struct px_gang *g, const struct px_insn *in);

#endif
