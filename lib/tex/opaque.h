/*
 * opaque.h - numbers that stand for textures, samplers and surfaces, and the table behind them.
 *
 * A handle is an address in a window of its own: above the generation of its place, below eight times the
 * number of the place, so that elements of an array of opaque variables lie 8 bytes apart. Objects that the
 * host makes and the opaque variables of programs are places alike; a variable's place is empty until
 * something is bound.
 *
 * Any thread looks up, without a lock; one at a time changes the table. What was looked up may be used while
 * the launch that did so is under way: whoever takes it out frees it once no launch is
 * (lib/vm/device/texture.c).
 */
#ifndef PX_TEX_OPAQUE_H
#define PX_TEX_OPAQUE_H

#include <stdatomic.h>
#include "tex/texture.h"

struct ptx_allocator;

enum px_opaque_kind { PX_OPAQUE_NONE, PX_OPAQUE_TEXTURE, PX_OPAQUE_SAMPLER, PX_OPAQUE_SURFACE };

/* What a handle stands for; never changed once it is in the table. */
struct px_opaque_bound {
    struct px_image image; /* of a sampler: nothing */
    struct px_sampler sampler;
    bool has_image, has_sampler;
    const atomic_bool *gone; /* its array was destroyed; NULL: device memory at `address` */
    uint64_t address, bytes;
};

struct px_opaque_place {
    atomic_uint_fast64_t handle;                   /* 0: free */
    _Atomic(const struct px_opaque_bound *) bound; /* NULL: nothing is bound */
    uint32_t next_free;                            /* number of the next free place + 1 */
    uint8_t kind;                                  /* enum px_opaque_kind */
    bool variable;                                 /* of a program; else an object */
    const char *name;                              /* of the variable; the program's */
};

enum {
    PX_OPAQUE_CHUNKS = 19,
    PX_OPAQUE_FIRST = 64 /* places of the first chunk; each has twice those before it */
};

struct px_opaques {
    const struct ptx_allocator *alloc;
    _Atomic(struct px_opaque_place *) chunk[PX_OPAQUE_CHUNKS];
    atomic_uint n; /* places that were ever used */
    uint32_t free; /* number of a free one + 1 */
    uint32_t generation;
};

void px_opaques_init(struct px_opaques *t, const struct ptx_allocator *alloc);
void px_opaques_free(struct px_opaques *t);

/* A place for an object; 0: no memory. */
uint64_t px_opaque_add(struct px_opaques *t, enum px_opaque_kind kind, const struct px_opaque_bound *bound);
/* Empty places for variables, `count` in a row; the handle of the first, 0: no memory. */
uint64_t px_opaque_reserve(struct px_opaques *t, uint32_t count);
/* The place of a handle; NULL: there is none, or it was given back. */
struct px_opaque_place *px_opaque_at(const struct px_opaques *t, uint64_t handle);
/* The handle is no longer valid; what was bound, for the caller to free. */
const struct px_opaque_bound *px_opaque_drop(struct px_opaques *t, uint64_t handle);

/* Whatever is at a place, for the caller to free: at the end. */
const struct px_opaque_bound *px_opaque_taken(struct px_opaques *t, uint32_t place);

/* What an instruction may use as a texture, a sampler (a texture has one, too) or a surface. NULL, with the
 * reason: "is no handle of a texture", ...; *empty: a variable to which nothing is bound. */
const struct px_opaque_bound *px_opaque_find(const struct px_opaques *t, uint64_t handle,
                                             enum px_opaque_kind kind, const char **why, bool *empty);

#endif
