/* tex/levels.h - the texture unit's functions for each SIMD level (tex/rows.c). */
#ifndef PX_TEX_LEVELS_H
#define PX_TEX_LEVELS_H

#include "tex/texture.h"

struct px_level;

extern const struct px_tex_rows px_tex_rows_portable, px_tex_rows_avx2, px_tex_rows_avx512;

/* level.c: those of a level. */
const struct px_tex_rows *px_level_tex(const struct px_level *level);

#endif
