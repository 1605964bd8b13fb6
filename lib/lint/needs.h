/*
 * needs.h - what a launch of a kernel has to bring along, as far as its text tells.
 *
 * Which bytes of its parameters it reads and as what, which of them are pointers
 * and to what, which variables it reads that nothing has set, whether it uses
 * dynamic shared memory, and over how many dimensions its blocks and grids go.
 */
#ifndef PX_LINT_NEEDS_H
#define PX_LINT_NEEDS_H

#include "lint/lint.h"

enum { PX_ORIGINS_MAX = 63, PX_MEMBERS_MAX = 256 }; /* told of; more are passed over */

/* Where an address may come from: bytes of a kernel parameter, or a variable. */
struct px_root {
    const struct px_symbol *symbol;
    uint64_t offset; /* in the parameter */
    uint8_t type;    /* enum px_type it is loaded as; of a parameter */
    uint8_t element; /* enum px_type of the largest thing accessed through it; PX_T_NONE: unknown */
    uint32_t stride; /* what indices are multiplied by on the way, as far as that is constant; 0 when never */
    bool pointer;    /* converted by cvta, or an address by itself */
    bool read, written;
    bool escapes;     /* itself passed on or stored: what happens there is not known */
    uint8_t object;   /* a handle: PX_T_TEXREF, PX_T_SAMPLERREF or PX_T_SURFREF; else PX_T_NONE */
    uint8_t channels; /* of a surface that is accessed by bytes: elements of a texel */
    px_word geometry; /* of a texture or surface: PX_W_2d ... */
};

struct px_needs {
    struct px_root origins[PX_ORIGINS_MAX];
    uint32_t norigins;
    struct px_root
        plain[PX_MEMBERS_MAX]; /* pieces of parameters that are no addresses, by symbol, offset, type */
    uint32_t nplain;
    bool dynamic_shared;
    bool opaque;           /* calls functions whose text is not here */
    uint8_t dimensions[2]; /* of blocks and of the grid: 1, 2 or 3 */
};

/* Scratch memory comes from `arena`. The kernel's module has no errors, and bodies. */
void px_kernel_needs(struct px_needs *needs, const struct ptx_module *module,
                     const struct px_function *kernel, px_lint_find *runtime, struct px_arena *arena);

#endif
