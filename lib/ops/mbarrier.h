/*
 * mbarrier.h - mbarriers: the word that one is in shared memory, and the records that change and read it.
 *
 * The layout is the chip's, as far as it shows (docs/async.md; PTX ISA 9.7.13.15).
 */
#ifndef PX_OPS_MBARRIER_H
#define PX_OPS_MBARRIER_H

#include "gang/gang.h"

enum { PX_MBAR_MAX = (1 << 20) - 1 }; /* arrivals of a phase, bytes expected or completed */
#define PX_MBAR_BROKEN (1ull << 42)   /* an asynchronous arrival was refused */

/* What lies in the fields. */
struct px_mbar {
    uint32_t pending, expected; /* arrivals of this phase that are missing; of each phase */
    int32_t bytes;              /* completed minus expected */
    uint32_t phase;             /* its parity */
};

static inline uint64_t px_mbar_pack(struct px_mbar b)
{
    uint64_t pending = (0u - b.pending) & PX_MBAR_MAX, expected = (0u - b.expected) & PX_MBAR_MAX;
    return (uint64_t)b.phase << 63 | pending << 43 | (uint64_t)(b.bytes & 0x1fffff) << 21 | expected << 1;
}

static inline struct px_mbar px_mbar_unpack(uint64_t word)
{
    return (struct px_mbar){.pending = (uint32_t)(0u - (word >> 43)) & PX_MBAR_MAX,
                            .expected = (uint32_t)(0u - (word >> 1)) & PX_MBAR_MAX,
                            .bytes = (int32_t)((uint32_t)(word >> 21) << 11) >> 11,
                            .phase = (uint32_t)(word >> 63)};
}

/*
 * test_wait and try_wait. a = address, b = states (wait & PX_WAIT_STATE) or parities, d = predicates; nothing
 * is a temporary. When lanes are to sleep: PX_STEP_POLL, and vm/run/poll.c asks lane by lane.
 */
enum { PX_WAIT_STATE = 1, PX_WAIT_TRY = 2, PX_WAIT_SCALAR = 4 /* b is one */ };
int px_mbarrier_wait(struct px_gang *g, const struct px_insn *in);
/* Is what the lane waits for over? Its barrier's place goes to *at. */
bool px_mbarrier_over(const struct px_gang *g, const struct px_insn *in, uint32_t lane, uint32_t *at);

/* `n` arrivals at the barrier at this place in shared memory, for a copy; a refusal breaks the barrier. */
void px_mbarrier_arrived(struct px_cta *cta, uint32_t at, uint32_t n);
/* The same of bytes that are complete. */
void px_mbarrier_completed(struct px_cta *cta, uint32_t at, uint32_t bytes);
/* A place in a block's shared memory. */
struct px_mbar_place {
    struct px_cta *cta; /* of the lane's cluster */
    uint32_t at;
};
/* The mbarrier at this address; false: the trap is set. `init`: it may be none yet. */
bool px_mbarrier_at(struct px_gang *g, const struct px_insn *in, uint32_t lane, uint8_t space, uint64_t va,
                    bool init, struct px_mbar_place *to);
/* The same at the record's address. */
bool px_mbarrier_place(struct px_gang *g, const struct px_insn *in, uint32_t lane, bool init,
                       struct px_mbar_place *to);
/* The same of an mbarrier that has to be the block's own. */
bool px_mbarrier_own(struct px_gang *g, const struct px_insn *in, uint32_t lane, bool init, uint32_t *at);
/* "phase 1: 2 of 3 arrivals and 64 bytes missing" */
void px_mbarrier_text(uint64_t word, char *buf, size_t size);

#endif
