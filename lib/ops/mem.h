/* mem.h - where addresses lead, lane by lane, and what the fast paths of loads and stores fall back to. */
#ifndef PX_OPS_MEM_H
#define PX_OPS_MEM_H

#include "gang/gang.h"

/*
 * What a load or store moves for a lane, as one access: a unit of so many bytes (1, 2, 4, 8, 16) that is
 * `parts` elements (1, 2, 4), each of a row of `wide` bytes; loads extend them by their sign or by zeros.
 */
struct px_form {
    uint32_t unit, parts, wide;
    bool sign;
};

/* Where one lane's address leads. Local memory is word-interleaved: its 4-byte words are `stride` bytes
 * apart. */
struct px_place_of {
    uint8_t *host;
    uint32_t stride;
    struct px_seg seg;
    const char *why;
    int error; /* the CUDA error that it is; 0: an illegal address */
    bool past; /* it lies past an allocation, where a chip goes on */
};
/* Finds [va, va+size) of `space` (enum px_space); host is NULL when it is out of bounds, and `why` says so.
 * Sets no trap. */
struct px_place_of px_gang_find(struct px_gang *g, uint8_t space, uint32_t lane, uint64_t va, uint64_t size);
/* Whether that is what is wrong with an access of `size` bytes, a power of two: one whose aligned place is
 * out of bounds, too, is out of bounds. (So a chip says of shared memory and of vectors; else it says the one
 * or the other.) */
bool px_gang_misaligned(struct px_gang *g, uint8_t space, uint32_t lane, uint64_t va, uint32_t size);
/* The same for a memory instruction: a misaligned or wild address sets the trap and gives NULL. */
struct px_place_of px_gang_resolve(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size);

/* A write to the place is told of, when it is past an allocation. */
static inline void px_tell_past(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t size,
                                const struct px_place_of *p)
{
    if (p->past && g->worker->past) g->worker->past(g, in, lane, px_address(g, in, lane), size);
}

/* Words for a fault of an access to [va, va+size) where PTX_UB_CHIP would go on; else "". */
const char *px_may_go_on(const struct px_gang *g, uint8_t space, uint64_t va, uint64_t size);

/* Copies between a lane's place and a flat value. */
void px_lane_get(void *to, const uint8_t *from, uint32_t size, uint32_t stride, uint64_t va);
void px_lane_put(uint8_t *to, const void *from, uint32_t size, uint32_t stride, uint64_t va);

/* The gang remembers the segment of [va, va+size) for this access; true when that is news. */
bool px_learn_segment(struct px_gang *g, const struct px_insn *in, uint64_t va, uint32_t size);

/* The words at va, an address of `lane`, in the local memory of all lanes; NULL when it is none, or
 * misaligned. */
uint8_t *px_local_rows(const struct px_gang *g, const struct px_insn *in, uint32_t lane, uint64_t va,
                       uint32_t size);

/* What the fast paths of handlers_fixed.c fall back to. */
int px_load_slow(struct px_gang *g, const struct px_insn *in, struct px_form f);
int px_store_slow(struct px_gang *g, const struct px_insn *in, struct px_form f);

#endif
