/* code.h - from a checked kernel to the records that the engine runs (docs/ir.md). */
#ifndef PX_CODE_CODE_H
#define PX_CODE_CODE_H

#include "gang/record.h"
#include "ptxvm.h"

/* Why a kernel cannot be decoded; text NULL: there is no memory. Texts live as long as the program. */
struct px_refusal {
    const char *text;            /* "x.ptx:8:5: 'vadd...' cannot be run by this VM (kernel k)" */
    const struct px_lfunc *func; /* of inst */
    const struct px_inst *inst;  /* NULL: the function as a whole */
};

/* Who wants to hear of all instructions that cannot be run. The gap lives until it returns. */
struct px_listener {
    void (*tell)(void *user, const ptx_gap *gap);
    void *user;
    uint64_t instructions; /* of the text, looked at so far */
};

/*
 * Tells of what cannot be run in all functions of the program; kernels in which nothing was found are decoded
 * to see that nothing else is in the way. Memory is given back. False: there is none.
 */
bool px_code_gaps(const struct px_linked *linked, uint32_t program, const struct px_level *level,
                  ptx_fmad fmad, const struct ptx_allocator *alloc, struct px_listener *listener);

/* How the host wants it. */
struct px_code_wishes {
    bool approx_exact;            /* ptx_device_config.approx_exact */
    bool ub_chip;                 /* ptx_device_config.ub is PTX_UB_CHIP */
    bool clustered;               /* for launches with clusters of several blocks */
    ptx_fmad fmad;                /* of the program */
    uint32_t engine;              /* enum px_engine: optimisations that are on */
    uint32_t counters;            /* workers that count what they execute (gang/tally.h); 0: nobody does */
    bool shuffles;                /* lanes may part at any access to memory (random schedule) */
    bool traces;                  /* somebody hears of accesses to memory (ops/trace.h), */
    bool events;                  /* and of what orders them */
    bool verifies;                /* the IR is held against its invariants after each pass */
    const struct px_dump *dump;   /* who wants to see the IR (dump.h); NULL: nobody does */
    struct px_listener *listener; /* who hears of instructions that cannot be run; NULL: nobody does */
};

/*
 * Decodes `kernel` for CTAs of `threads` threads; `program` is the owner number of its windows.
 * Memory comes from the arena. An instruction that cannot be run becomes a trap that says so, where it is
 * reached. NULL with *why set when the kernel as a whole cannot be run.
 */
struct px_code *px_decode(const struct px_linked *linked, const struct px_lfunc *kernel, uint32_t threads,
                          uint32_t program, const struct px_level *level, const struct px_code_wishes *wishes,
                          struct px_arena *arena, struct px_refusal *why);

/*
 * Decodes all kernels for CTAs of `threads` threads, so that the wishes' dump hears of them, and keeps
 * nothing. `refused` is called for each kernel that cannot be run. False: there is no memory.
 */
bool px_code_show(const struct px_linked *linked, uint32_t program, const struct px_level *level,
                  const struct px_code_wishes *wishes, uint32_t threads, const struct ptx_allocator *alloc,
                  void (*refused)(void *user, const char *why), void *user);

/* Gives back the pages in which the code of its regions lies. */
void px_regions_free(const struct px_code *code);

/* The divergent version of a function, which the caller puts there and frees: ndiv records; NULL: there is no
 * memory. */
struct px_insn *px_div_make(const struct px_fcode *code, const struct ptx_allocator *alloc);

#endif
