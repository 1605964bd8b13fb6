/*
 * bulk.h - bulk copies (PTX ISA 9.7.9.25.4, 9.7.9.27): pending ones, and what makes them happen
 * (docs/async.md).
 *
 * Each lane's copy is one struct px_bulk in its gang's list, in order of issue. One side of it is shared
 * memory: that of one block, or the same place in several (`blocks`). It completes by bytes at an mbarrier,
 * or as part of the lane's bulk group.
 */
#ifndef PX_OPS_BULK_H
#define PX_OPS_BULK_H

#include "gang/gang.h"
#include "isa/isa.h"
#include "ops/mbarrier.h"
#include "ops/operands.h"

struct px_atom_row_set;

/* How the elements of a reduction are combined with memory's. */
struct px_reduction {
    const struct px_atom_row_set *rows; /* NULL: none, a copy */
    uint32_t bytes;                     /* of an element */
    bool ftz;
};

struct px_bulk {
    struct px_bulk *next;
    /* Moves the bytes; `shared` is the side in shared memory. */
    void (*move)(const struct px_bulk *b, uint8_t *shared);
    struct px_mbar_place shared, bar;
    uint8_t *other;    /* of a flat copy: the other side */
    uint32_t bytes;    /* in shared memory, and complete at `bar` */
    uint32_t lane;     /* of the gang */
    uint32_t group;    /* number of the lane's bulk group, from 0 on */
    uint16_t blocks;   /* .multicast::cluster: ranks; 0: of none, `shared` alone */
    uint16_t mask;     /* .cp_mask: bytes of each 16 that are written */
    uint8_t left;      /* PTX_ASYNC_RANDOM: asynchronous instructions until it happens by itself */
    bool grouped;      /* else it completes at `bar` */
    bool reads_shared; /* else it writes it */
    uint8_t value[16]; /* of st.async, red.async */
    struct px_reduction reduction;
    struct px_tensor *tensor; /* of a tensor copy, its own (ops/tensor.h) */
};

/* A lane's copy, while its operands are looked at. */
struct px_bulk_lane {
    struct px_gang *g;
    const struct px_insn *in;
    const struct px_match *match;
    const char *what; /* it is, in words */
    uint32_t lane;
};

static inline uint64_t px_bulk_word(const struct px_bulk_lane *l, uint32_t operand)
{
    return PX_ROW(l->g, uint64_t, px_operands(l->g, l->in)->row[operand])[l->lane];
}
static inline uint32_t px_bulk_size(const struct px_bulk_lane *l, uint32_t operand)
{
    return PX_ROW(l->g, uint32_t, px_operands(l->g, l->in)->row[operand])[l->lane];
}
static inline uint16_t px_bulk_half(const struct px_bulk_lane *l, uint32_t operand)
{
    return PX_ROW(l->g, uint16_t, px_operands(l->g, l->in)->row[operand])[l->lane];
}

/* Fills in a lane's copy by its operands. False: the trap is set. `bytes` 0: there is nothing to do. */
typedef bool px_bulk_fill(const struct px_bulk_lane *l, struct px_bulk *b);
/* Issues the copies of all active lanes. */
int px_bulk_issue(struct px_gang *g, const struct px_insn *in, const char *what, px_bulk_fill *fill);

/* False, with the trap set: the grid was launched without clusters. */
bool px_bulk_in_cluster(const struct px_bulk_lane *l);
/* The sides of a copy; false: the trap is set. `operand`: of the address. */
bool px_bulk_shared(const struct px_bulk_lane *l, uint32_t operand, bool cluster, uint32_t align,
                    struct px_bulk *b);
bool px_bulk_barrier(const struct px_bulk_lane *l, uint32_t operand, bool cluster, struct px_bulk *b);
/* .multicast::cluster: the operand says which blocks, if the instruction has one. */
bool px_bulk_blocks(const struct px_bulk_lane *l, uint32_t operand, struct px_bulk *b);
/* Global memory, or (cluster) the block's own shared memory. */
bool px_bulk_find(const struct px_bulk_lane *l, uint8_t space, uint64_t va, uint64_t bytes, uint32_t align,
                  uint8_t **host);
/* The operation that .op and `type` say. False: there is none. */
bool px_bulk_reduction(const struct px_gang *g, px_word op, enum px_type type, bool global,
                       struct px_reduction *r);
/* Combines n elements with memory's. */
void px_bulk_reduce(const struct px_reduction *r, uint8_t *to, const uint8_t *from, uint32_t bytes,
                    bool shared);
/* Global memory, which other workers may touch meanwhile: whole words of 8 bytes, and rests. */
void px_bulk_get(uint8_t *to, const uint8_t *from, uint64_t bytes);
void px_bulk_put(uint8_t *to, const uint8_t *from, uint64_t bytes);

/* A trace hears of what the lane reads and writes. */
void px_bulk_tell(const struct px_bulk_lane *l, const struct px_cta *cta, ptx_count_space space,
                  uint64_t address, uint64_t bytes, unsigned how);

/* Makes one pending copy happen that completes at this mbarrier. False: there is none. */
bool px_bulk_arrive_one(struct px_cta *cta, uint32_t at);
void px_bulk_finish(struct px_gang *g); /* all of the gang's copies happen */
void px_bulk_tick(struct px_gang *g);   /* see px_async_tick */
void px_bulk_reset(struct px_gang *g);  /* forgets them */

#endif
