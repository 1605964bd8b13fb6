/*
 * record.h - decoded code: what the engine runs instead of PTX.
 *
 * A function is decoded once for a gang width into two arrays of 64-byte
 * records with the same numbering: `conv` for the moments when every live lane
 * of a frame stands at one pc (handlers may write whole rows), `div` for all
 * others (handlers blend by a mask row). `div` is packed until lanes part in the
 * function (code/emit/pack.h). A record names its operands by byte
 * offset from the frame base, so one compare-free add reaches any of them:
 *
 *     0            the mask row: 0 or ~0 for each lane, of the entry that runs
 *     scratch      rows that one handler may use for itself
 *     uniform      struct px_uniform: ctaid, ntid, ... of this CTA
 *     params       the kernel's parameters (kernels only)
 *     rows         one row of lanes for each live register, temporaries, .param variables
 *     pool         constants of the function
 *
 * A "scalar" operand is an offset into uniform, params or pool, read once per record;
 * a "row" operand is read lane by lane. Both have the same handler signature,
 * only the loop differs; that is what a shape is.
 */
#ifndef PX_GANG_RECORD_H
#define PX_GANG_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ptx.h"

/* The handlers see no more of the module than these names, so that they are not compiled anew with the
 * checker. */
struct px_arena;
struct px_counted;
struct px_inst;
struct px_lfunc;
struct px_symbol;
struct px_linked;
struct px_tally;
struct px_region;
struct px_gang;
struct px_insn;

/* Runs one record for all lanes of the gang; the result tells exec.c what to do next. */
typedef int px_handler_function(struct px_gang *g, const struct px_insn *in);
typedef px_handler_function *px_handler;

enum px_step {
    PX_STEP_SKIP3 = -3, /* fused: the next three records are done, too */
    PX_STEP_SKIP2 = -2,
    PX_STEP_SKIP = -1,
    PX_STEP_NEXT = 0, /* go on with the next record */
    PX_STEP_JUMP,     /* all lanes go to in->target */
    PX_STEP_SPLIT,    /* lanes of g->taken go to in->target, the others to the next record */
    PX_STEP_JOIN,     /* others may wait here: let the scheduler look */
    PX_STEP_EXIT,     /* the active lanes of in->m end */
    PX_STEP_RET,      /* lanes of in->m return to their caller */
    PX_STEP_CALL,     /* call; in->aux is its site */
    PX_STEP_SWITCH,   /* brx.idx: index row in->a, table in->aux */
    PX_STEP_BARRIER,  /* bar.*: arrive, perhaps wait */
    PX_STEP_SYNC,     /* a .sync operation whose warp is not complete */
    PX_STEP_MEET, /* an instruction that whole groups of in->group lanes execute together: some are elsewhere
                   */
    PX_STEP_GROW, /* alloca: the lanes' local memory is too small */
    PX_STEP_CLUSTER, /* barrier.cluster.wait: some lanes are to wait */
    PX_STEP_POLL,    /* a wait at mbarriers: some lanes are not done */
    PX_STEP_PRIOR,   /* griddepcontrol.wait: the grid before is not complete, or was not */
    PX_STEP_TRIGGER, /* griddepcontrol.launch_dependents: the grid's last block has executed it, or ended */
    PX_STEP_ARRIVED, /* an atomic operation has changed the grid's workspace */
    PX_STEP_YIELD,   /* nanosleep: let others run */
    PX_STEP_SHUFFLE, /* random schedule: lanes may part here */
    PX_STEP_WIDEN,   /* nothing was done: it cannot be done while the gang runs narrowed (vm/run/forks.h) */
    PX_STEP_ROWS,    /* nothing was done: what the record takes for granted does not hold; see px_lane_term */
    PX_STEP_TRAP     /* the trap of the CTA is set */
};

enum { PX_LANES_MAX = 256 };

/* Places at the start of every frame; the first is the mask row. The scratch rows hold nothing between
 * records. */
enum {
    PX_SCRATCH_D = PX_LANES_MAX * 4,
    PX_SCRATCH_E = PX_SCRATCH_D + PX_LANES_MAX * 16,
    PX_SCRATCH_C = PX_SCRATCH_E + PX_LANES_MAX * 4,
    PX_FRAME_HEAD = PX_SCRATCH_C + PX_LANES_MAX * 4
};

/* A union's names say what the operations keep there; its first name is the usual one. Places are offsets in
 * the frame. */
struct px_insn {
    px_handler fn;
    union {
        uint64_t imm;
        const void *aux;
        px_handler inner; /* of PX_FIX_blend */
    };
    uint32_t d; /* first destination */
    union {
        uint32_t e;        /* second destination, or second element of a vector in memory */
        uint32_t metadata; /* mma, wgmma: row that says which elements of A are there; 0: all */
        uint32_t stacks;   /* alloca: row of the lanes' stack pointers */
        uint32_t source6;  /* fused statements */
    };
    uint32_t a, b, c; /* sources */
    uint32_t m;       /* mask row; 0 is the mask of the running entry */
    union {
        uint32_t target; /* branches: a pc; while decoding a block (PX_INSN_BLOCK) */
        uint32_t survey; /* loads and stores of surveyed rows, forget: place of the row's px_survey */
        uint32_t facts;  /* questions about a term: place of its px_lane_facts */
    };
    uint32_t src; /* index into px_fcode.src */
    uint32_t ord; /* source instructions finished once this record is done, in text of the code */
    union {
        uint8_t bytes;    /* of an access to memory, which is aligned to them; of an element of d */
        uint8_t group;    /* lanes that execute it together (PX_STEP_MEET) */
        uint8_t opaque;   /* istypep: enum px_opaque_kind */
        bool one_count;   /* barriers: the number of threads is a scalar */
        bool one_address; /* branches back to a load: its address is a scalar */
    };
    uint8_t space;  /* enum px_space */
    uint8_t extent; /* which of px_gang.seg */
    uint8_t flags;  /* enum px_insn_flag */
    union {
        uint32_t source4; /* place */
        uint32_t carry;   /* sums with carry: row of carries, read and written */
        uint32_t offset;  /* loads and stores of surveyed rows, offset_row: place of what is added to row a */
        uint32_t members; /* shfl, vote, ...: place of the member mask */
        uint32_t handles; /* textures, surfaces: PX_TEX_SCALAR_A, PX_TEX_SCALAR_B */
        uint32_t fork;    /* branches inside loops: px_fcode.forks from 1 on; 0: none */
    };
    union {
        uint32_t source5;  /* fused statements: place */
        uint32_t wait;     /* mbarrier.*_wait: PX_WAIT_; cp.async.wait: PX_ASYNC_ALL */
        uint32_t once;     /* loads of one element: PX_LOAD_ONCE */
        uint32_t half;     /* atomic operations on halves: which one */
        uint32_t policy;   /* createpolicy: its priorities */
        uint32_t distance; /* cp.async: added to the addresses that are read, sign-extended */
    };
};
_Static_assert(sizeof(struct px_insn) == 64, "one record is one cache line");

enum px_insn_flag {
    PX_INSN_SCALAR_A = 1, /* a is a scalar */
    PX_INSN_NEGATE = 2,   /* the predicate in a counts inverted */
    PX_INSN_PAIR = 4,     /* blend: the inner handler writes e too */
    PX_INSN_CARRY = 8,    /* blend: the inner handler writes the carry row too */
    PX_INSN_ALONE = 16,   /* mbarrier wait: its loop does nothing else; branch: see emit/ctl.c */
    PX_INSN_FTZ = 32,     /* atom.add.f32, .f64 on global memory: flushes f32 subnormals, has its own NaNs */
    PX_INSN_ROWS = 64,    /* a load or store: local memory at one place in all lanes is a row */
    PX_INSN_BLOCK = 128   /* while decoding: target is a block */
};

enum { PX_LOAD_ONCE = 1 }; /* px_insn.once: once a block, and blocks take long */

/* Bytes of shared memory that the system of an sm_90 chip takes of every CTA, and uses. */
enum { PX_SMEM_RESERVED = 1024, PX_SMEM_RESERVED_USED = 288 };

/* Values that are the same for all lanes of a frame. One lies in every frame; decode names its fields as
 * scalars. */
struct px_uniform {
    uint32_t ntid[4], ctaid[4], nctaid[4];
    uint64_t gridid;
    uint64_t local_base; /* first byte of this frame's .local variables in each lane's local memory */
    uint64_t shared_window, const_window, param_window; /* what cvta adds */
    /* Of a cluster of several blocks: where the block's shared memory begins, in .shared and as a generic
     * address; where the block is. */
    uint64_t shared_first, shared_place;
    uint32_t clusterid[4], nclusterid[4], cluster_ctaid[4], cluster_nctaid[4];
    uint32_t cluster_rank, cluster_size;
    uint32_t explicit_cluster; /* a predicate; of one block, too */
    uint32_t nwarpid, smid, nsmid;
    uint32_t dynamic_smem, total_smem, aggr_smem;
    uint32_t workspace[2]; /* address of the grid's, upper half first */
    uint32_t pad[3];
};
_Static_assert(sizeof(struct px_uniform) % 16 == 0, "rows and params behind it stay aligned");

/*
 * What the addresses in a row look like, found once for all loads and stores from it in convergent code.
 * `kind` says whether lanes are `step` bytes apart: all of them (PX_SURVEY_LINE), those of each 16
 * (PX_SURVEY_GROUPS), or not; PX_SURVEY_LOCAL: like generic addresses of one place in the local memory of
 * each lane.
 */
enum { PX_SURVEY_GROUP = 16 };
enum px_survey_kind { PX_SURVEY_NONE, PX_SURVEY_SCATTER, PX_SURVEY_GROUPS, PX_SURVEY_LINE, PX_SURVEY_LOCAL };
struct px_survey {
    uint32_t kind; /* PX_SURVEY_NONE: the row has changed */
    uint32_t low;  /* low bits that are set in some address */
    uint64_t least, spread, step;
    uint64_t down; /* from each group of 16 lanes to the next, when there are 16 of them; 0: it differs */
    uint64_t last, stride; /* place of the last access of a line, and how far it was from the one before */
};

/* The least and greatest of some addresses, and the low bits that are set in any. */
struct px_span {
    uint64_t least, most, low;
};

/*
 * A register that convergent code keeps as a scalar: its value, or what is to be added to the row of its
 * base. In divergent code it is a row like all others.
 */
struct px_kept {
    uint32_t slot, row;         /* offsets in the frame */
    uint32_t base;              /* row to which it is added; 0: none */
    uint32_t first_pc, last_pc; /* where it matters */
    uint8_t elem;
    bool made; /* convergent code makes the row, too */
};

/*
 * Part of a value that depends on the lane's place in its block and on nothing else that changes while a grid
 * runs: a thread index, a sum or difference of two terms, a multiple by a constant, a parameter or a size of
 * the block or grid. Registers of convergent code that are a term plus a scalar (code/ir/terms.c) keep the
 * scalar alone. Rows of terms are 64 bits wide, modulo 2^64, and serve narrower registers, too.
 */
enum px_term_op { PX_TERM_TID_X, PX_TERM_TID_Y, PX_TERM_TID_Z, PX_TERM_ADD, PX_TERM_SUB, PX_TERM_SCALE };
struct px_lane_term {
    uint8_t op;
    uint8_t elem;   /* SCALE: bytes of the factor, */
    bool sign;      /* and whether its sign is extended */
    uint32_t a, b;  /* terms by number, PX_TERM_ZERO; b of SCALE: place of the factor in the frame */
    uint32_t row;   /* offset in the frame */
    uint32_t facts; /* of struct px_lane_facts there */
};
#define PX_TERM_ZERO 0xffffffffu

/* Of a term's row, as signed numbers. */
struct px_lane_facts {
    int64_t least, most;
    struct px_survey survey;
};

/* A parameter as 4-byte words, each a row; the last one may hold less. */
struct px_words {
    uint32_t bytes, first; /* the rows are px_fcode.word_rows[first] and on */
};
static inline uint32_t px_words_n(const struct px_words *w)
{
    return (w->bytes + 3) / 4;
}

/* One call site: where arguments come from and results go. */
struct px_call_site {
    const struct px_lfunc *callee; /* NULL for an indirect call */
    uint32_t args;                 /* the first in px_fcode.passed; the results are behind them */
    uint16_t nargs, nrets;
};

struct px_table {
    uint32_t n;
    uint32_t *targets;
}; /* brx.idx */

/* Where a record comes from. */
struct px_origin {
    const struct px_inst *inst; /* of the text; NULL: of none */
};

/*
 * A branch whose two ways meet at once: the lanes that do not branch run `other`, those that do `taken`, and
 * both go on at join. A way is straight: records [first, end) of so many instructions of the text; 0 of them:
 * no way at all.
 *
 * Ways that only compute may have records of their own for the lanes of a px_loop that have moved aside, with
 * one more behind the last that stops. Those of one way are masked by the row of the branch's predicate,
 * which nothing in the ways writes, those of the other by the mask row.
 */
struct px_way {
    uint32_t first, end, insts;
    uint32_t code; /* where these are in px_fcode.div */
};
struct px_fork {
    uint32_t at; /* pc of the branch */
    struct px_way other, taken;
    uint32_t join;
    bool inside;   /* the ways have records of their own */
    bool by_taken; /* the mask row is for the lanes that branch; else for the others */
};

/*
 * An innermost loop, records [head, end), in which nothing depends on which lane it is. Its own records, of
 * the same numbering from 0 on, with one more behind the last that leaves, are for lanes that have moved into
 * a frame where nobody else's values lie: they write whole rows. Branches of forks name theirs
 * (px_insn.fork).
 */
struct px_loop_row {
    uint32_t at; /* offset in the frame */
    uint8_t elem;
    bool written;               /* else it is only read */
    uint32_t first_pc, last_pc; /* where what it holds matters */
};
struct px_loop {
    uint32_t head, end, nrows;
    bool whole;               /* they do write whole rows */
    bool masked;              /* some of them look at the mask row all the same */
    struct px_loop_row *rows; /* those of registers that it names */
    uint32_t code;            /* where its own records are in px_fcode.div */
};

/* Records of a loop's own, or of a way's inside one: those that they are made of, in px_fcode.div. One that
 * stops stands behind them. */
struct px_aside {
    uint32_t from, n;
};

/* Records in little memory, each as the difference to another one (code/emit/pack.h). */
struct px_packed {
    const uint16_t *marks;
    const uint32_t *words;
};

/* A variable in local memory, for messages. */
struct px_local_at {
    const struct px_symbol *symbol;
    uint32_t at; /* behind the frame's first byte */
};

enum { PX_REFERS_TEXTURE = 1, PX_REFERS_SURFACE = 2 };

struct px_fcode {
    const struct px_lfunc *func;
    struct px_insn *conv; /* n, each a cache line of its own, */
    void *records;        /* in this block of px_records_bytes(n) bytes of the program's allocator */
    /* Also n, and those that stand aside; made when lanes part here for the first time, NULL before. */
    _Atomic(struct px_insn *) div;
    uint32_t n, ndiv;
    uint32_t naside;
    struct px_aside *aside;
    struct px_packed packed, beside; /* div; those that stand aside, but for what stops */
    struct px_origin *src;
    uint32_t width;                 /* lanes of a row */
    uint32_t uniform, params, pool; /* offsets in the frame; params 0 when not a kernel */
    uint32_t param_bytes;
    uint32_t pool_bytes;
    const uint8_t *pool_image;
    uint32_t rows;  /* offset of the first row */
    uint32_t nrows; /* those of registers, and of what is spread, which follow one another; not of kernels, */
    uint8_t *row_elems;         /* and bytes of each for a lane */
    uint32_t surveys, nsurveys; /* offset of the first struct px_survey */
    uint32_t nkept;
    struct px_kept *kept; /* registers that convergent code keeps as scalars */
    uint32_t nterms;
    struct px_lane_term *terms;  /* those of a term come before it */
    uint32_t zero_from, zero_to; /* rows that may be read before they are written */
    uint32_t frame_bytes;
    uint32_t local_bytes; /* .local variables of one activation, a lane, */
    uint32_t local_align; /* and where these may begin; 0: anywhere */
    uint32_t nlocals;
    struct px_local_at *locals;
    uint32_t nforks, nloops, nregions;
    struct px_region *regions;   /* by pc (gang/region.h) */
    struct px_fork *forks;       /* by pc */
    struct px_loop *loops;       /* by pc */
    struct px_call_site formals; /* no call: the function's own parameters and results */
    struct px_call_site *sites;  /* its calls */
    struct px_words *passed;     /* of all of these */
    const uint32_t *word_rows;   /* offsets in the frame */
    uint32_t home_fp;            /* floating-point mode that calls and returns expect */
    uint8_t references;          /* PX_REFERS_: opaque variables of the program that its text names */
    /* Instructions of the text by px_insn.ord - 1, and where their counters begin (gang/tally.h); NULL:
     * nobody counts. */
    const struct px_counted *counted;
    uint32_t ncounted, tally_at;
};

/* A block may begin anywhere: records begin at its first cache line. */
static inline size_t px_records_bytes(size_t n)
{
    return n ? (n + 1) * sizeof(struct px_insn) : 0;
}
static inline struct px_insn *px_records_in(void *block)
{
    return (struct px_insn *)(((uintptr_t)block + sizeof(struct px_insn) - 1) &
                              ~(uintptr_t)(sizeof(struct px_insn) - 1));
}

struct px_code {
    struct px_fcode *entry;
    struct px_fcode **funcs; /* by px_lfunc.id; NULL when not reached */
    const struct px_linked *linked;
    const struct px_level *level;
    uint32_t width, threads;
    bool clustered;            /* for clusters of several blocks */
    bool cooperates;           /* it asks for the grid's workspace */
    uint8_t references;        /* of all its functions */
    struct px_tally **tallies; /* by worker, each NULL until that one runs it; NULL: nobody counts */
    uint32_t ntallies;         /* counters of all its functions */
    void *machine;             /* code of regions, */
    size_t machine_bytes;      /* in pages of their own; NULL: there is none, */
    bool machine_refused;      /* because the host has no memory that can be run */
    uint32_t nregions;         /* of all its functions */
    struct px_code *next;      /* in the program's cache */
};

/* ---- handlers, one set of functions per SIMD level ---- */

/* Versions of a fixed handler besides unmasked and masked: for one value that all lanes share; for an address
 * row that has been surveyed. */
enum { PX_ALONE = 2, PX_SURVEYED = 3 };
enum { PX_SHAPES = 8 }; /* bit i: source i is a scalar */

/*
 * fn[masked][shape]; NULL where the shape is not instantiated, and masked where the row is not [hot]: then
 * PX_FIX_blend runs the unmasked one. f32_result: the result is a float that C arithmetic made; f32_sources:
 * bit i says that source i is read as a float, not as bits. `elem` bytes lie in d for each lane; with `pair`
 * the handler writes e, with `carry` it reads and writes that row.
 */
struct px_handler_set {
    const char *name; /* "add_u32": operation and types of the statement */
    px_handler fn[2][PX_SHAPES];
    px_handler alone; /* the same for scalars, with a scalar as its result; NULL with `carry` */
    bool f32_result, pair, carry;
    bool swaps; /* the first two sources may change places */
    uint8_t f32_sources, elem;
};

/* Handlers that are not made from the table. */
enum px_fixed {
#define PX_FIXED(name, plain, masked, alone, surveyed) PX_FIX_##name,
#include "gang/fixed.def"
    PX_FIX_COUNT
};

/*
 * Statements in one loop, each of which but the first reads what the one before it computes, and nobody else
 * does. `shape`: which of its `sources` are scalars; `at`: which is what the one before computes. The other
 * sources of all, in order, lie in the record's a, b, c, source4, source5, source6. `masked` writes under the
 * record's mask row; NULL: there is none. What a longer one begins with is in the list, too.
 */
enum { PX_FUSED_MOST = 4 };
struct px_fused {
    px_handler fn, masked;
    uint16_t op[PX_FUSED_MOST]; /* as px_level.sets has them */
    uint8_t shape[PX_FUSED_MOST], at[PX_FUSED_MOST], sources[PX_FUSED_MOST];
    uint8_t n;
};

struct px_atom_row_set;

/* Local memory as a row of addresses names it: the offset of lane i is ((address + add) & mask) - less -
 * i * step, at most `room`, no bit of it in `low`; words of one lane are `width` words apart. */
struct px_local_shape {
    uint64_t add, mask, less, step, room;
    uint32_t low, width;
};
struct px_level {
    const char *name;
    bool locks; /* accesses of 16 bytes take locks where the device has them (gang/wide.h) */
    const struct px_fused *fused;      /* up to one without fn */
    const struct px_handler_set *sets; /* by px_match_handler */
    const uint32_t *nsets;
    px_handler fixed[PX_FIX_COUNT][4]; /* [masked], [PX_ALONE], [PX_SURVEYED]; NULL where there is none */
    /* Bits of a mask row, and back. n is a multiple of 32. */
    void (*to_bits)(const uint32_t *row, uint32_t n, uint64_t *bits);
    void (*to_row)(const uint64_t *bits, uint32_t n, uint32_t *row);
    /* Is row a (less row b, when there is one) the same where the mask row m is set? Then *value is that. */
    bool (*is_uniform)(const void *a, const uint64_t *b, const uint32_t *m, uint32_t n, uint32_t elem,
                       uint64_t *value);
    /* Those elements of a row whose bits are set, side by side; `to` may be `from`. n is a multiple of 32. */
    void (*pack)(void *to, const void *from, const uint64_t *bits, uint32_t n, uint32_t elem);
    /* What the row of addresses a looks like. n is a multiple of 32; tiles: look for them, too. */
    void (*survey)(struct px_survey *survey, const uint64_t *a, uint32_t n, bool tiles);
    /* Of the row of addresses a, where the mask row m is set, at lane `first` too; m NULL: of all. n is a
     * multiple of 32. */
    struct px_span (*span)(const uint64_t *a, const uint32_t *m, uint32_t first, uint32_t n);
    /* Is each of n addresses as far behind the one before as the second is behind the first? */
    bool (*is_line)(const uint64_t *a, uint32_t n);
    /* Where lanes' places lie from the gang's local memory on, in bytes. False: one that the mask row m sets
     * is not aligned there. home: which lane each is, NULL: the same. n is a multiple of 32. */
    bool (*local_places)(uint32_t *at, const uint64_t *a, const uint32_t *m, const uint8_t *home, uint32_t n,
                         const struct px_local_shape *s);
    const struct px_atom_row_set *atoms; /* ops/atom_ops.h */
};

extern const struct px_level px_level_portable, px_level_avx2,
    px_level_avx512;                                     /* those that the host can have */
const struct px_level *px_level_best(void);              /* the best one that this machine runs */
const struct px_level *px_level_named(const char *name); /* NULL when unknown or not runnable here */

#endif
