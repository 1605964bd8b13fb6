/*
 * gen.h - what the files of the generator share (gen_*.c).
 *
 *   gen.c        random_program: the module, its functions, its kernel, and what a body may be made of
 *   gen_form.c   any instruction of the table that only computes, with operands by their types
 *   gen_memory.c loads, stores and atomics on memory that nobody else uses
 *   gen_flow.c   branches, loops, tables, early ends
 *   gen_call.c   functions and their calls
 *   gen_warp.c   operations of a warp, barriers, exchange between threads, reductions
 *   gen_index.c  places, bounds and loops made of thread indices
 *   gen_alike.c  what the engine has to tell from what looks like it
 *   gen_cancel.c sums of thread indices in which terms cancel
 *   gen_machine.c  stack memory, policies, hints, clocks; conversions of numbers that all threads share
 *   gen_loop.c   loops as compilers make them
 *   gen_idiom.c  other idioms of compilers
 *   gen_exact.c  sums and products that never round, in programs that are run with contraction
 *   gen_struct.c functions with structures, vectors and pointers as parameters
 *   gen_matrix.c any matrix instruction of the table, on a warp's or a CTA's own memory
 *
 * What every program keeps to, so that its result is one and the same on any schedule: a thread touches its
 * own slots of memory; what threads say to each other goes through barriers, `.sync` operations and sums
 * whose order does not matter; the lanes that take part in a `.sync` operation are computed by a ballot where
 * they part; a barrier of the CTA stands where the condition of every branch and loop around it is the same
 * for all threads.
 */
#ifndef RANDOM_GEN_H
#define RANDOM_GEN_H

#include "isa/isa.h"
#include "random/tree.h"

/* ---- chance ---- */

uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t n); /* 0 .. n-1; 0 for n = 0 */

/* ---- options and the program ---- */

enum random_feature {
    RANDOM_MEMORY = 1,
    RANDOM_FLOW = 2,
    RANDOM_CALLS = 4,
    RANDOM_WARP = 8,
    RANDOM_BARRIERS = 16,
    RANDOM_ATOMICS = 32,
    RANDOM_EXITS = 64,
    RANDOM_NANS = 128,
    RANDOM_CARRY = 256,
    RANDOM_LOCKS = 512,
    RANDOM_ASYNC = 1024,
    RANDOM_MATRICES = 2048,
    RANDOM_INDICES = 4096,
    RANDOM_IDIOMS = 8192,
    RANDOM_DEFAULT = 511 + 1024 + 2048 + 4096 + 8192 /* all but locks */
};

struct random_options {
    uint32_t size;     /* statements of the kernel, about */
    uint32_t features; /* enum random_feature; without any of them: instructions that compute */
    uint32_t safe;     /* enum random_safe: what is left out although it is legal */
};
enum random_safe { RANDOM_NO_SREG_GUARD = 1 };

struct random_program {
    struct tree *tree;
    uint32_t grid[3], block[3], threads; /* threads of all CTAs */
    size_t buffer_bytes;
    bool
        contracts; /* floats are small whole numbers: with contraction, too, the result is one and the same */
    bool spins;    /* how often some lines are executed is the schedule's business */
};

/* The program of a seed. The caller ends it with tree_free(program.tree). */
struct random_program random_program(uint64_t seed, const struct random_options *options);

/* The buffer before the launch; a pure function of the seed. */
void random_fill(uint64_t seed, uint8_t *buffer, size_t bytes);
/* The parameters: the buffer's address, another number, PARAM_BYTES of any words, and the structure `args`: a
 * length at 0, the buffer's address at 8, 24 and 56, a factor and a small number at 16, numbers of 64 bits
 * from 32 on, the high halves of some of which are zero. */
enum { RANDOM_ARGS_AT = 16 + 64, RANDOM_PARAM_BYTES = RANDOM_ARGS_AT + 64 };
void random_params(uint64_t seed, uint64_t address, uint8_t params[RANDOM_PARAM_BYTES]);

/* ---- places in memory ---- */

/*
 * The buffer: cells that all threads reduce into; for each thread one byte, then ROWS_4 words, then ROWS_16
 * vectors of 16 bytes, each laid out thread by thread, so that the threads of a warp touch consecutive
 * places; then the slots; then the planes of gen_index.c: one that is only read, and INDEX_PLANES that are
 * written, a statement each.
 */
enum {
    BUF_CELLS = 256, /* bytes; 8 a cell */
    ROWS_4 = 4,
    ROWS_16 = 2,
    SLOT_SCRATCH = 256, /* of a thread's slot: what it reads and writes on the way */
    SLOT_BYTES = 768,   /* then what it says at the end */
    SHARED_SLOT = 64,   /* a thread's own bytes of shared memory */
    LOCAL_BYTES = 128,
    PARAM_BYTES = 64,
    ARGS_BYTES = 64,
    TABLE_BYTES = 256, /* of the .const and the .global table */
    INDEX_PLANES = 12,
    INDEX_REGISTERS = 64,
    INDEX_INPUT = 64,  /* bytes a thread */
    INDEX_OUTPUT = 16, /* of each plane */
    THREADS_MAX = 300
};

/* ---- the state of generation ---- */

/* What is known at a point of a body. */
struct scope {
    const char *mask; /* register with the lanes of the warp that come here; NULL: they may come in parts */
    bool full;        /* they are all 32 */
    bool uniform;     /* all threads of the CTA that have not ended come here together */
    unsigned depth;   /* of blocks */
    unsigned loops;   /* of loops */
};

struct function {
    char name[12];
    bool registers;     /* formal parameters are .reg, otherwise .param */
    bool warp, uniform; /* needs a mask; needs all threads */
    bool full;          /* needs all lanes of a warp */
    bool recursive;
    unsigned bodies; /* of functions that one call of it runs, at most */
};

enum { FUNCTIONS_MAX = 6, MASKS_MAX = 64 };

enum { POOLS = 22 };

struct gen {
    uint64_t rng;
    struct random_options options;
    unsigned bodies; /* of functions that what is being written runs in a thread, at most */
    struct tree *tree;
    struct node *at; /* where lines go */
    struct scope *scope;
    struct function functions[FUNCTIONS_MAX];
    unsigned nfunctions;           /* callable from here */
    const struct function *inside; /* NULL: the kernel */
    unsigned labels, masks, counters, calls;
    unsigned cta_threads, ctas, block[2];
    size_t planes_at;      /* of the buffer: the planes of gen_index.c */
    unsigned planes;       /* of those to write, taken so far */
    unsigned words, wides; /* registers of the statement of gen_index.c, taken so far */
    bool lean;             /* few registers */
    bool ended;            /* some threads of the kernel have */
    bool spins;            /* threads ask again and again */
    bool exact;            /* floats are small whole numbers */
    bool only_uniform;     /* operands of the instruction being written are the same for all threads */
    enum px_type like;     /* only registers of this type: elements of one vector; PX_T_NONE: any */
    unsigned scoped;       /* blocks around with registers of their own */
    bool chaining;         /* temporaries may be written, and read where they have been */
    uint8_t pool[POOLS];   /* how many registers of each pool the function has */
    uint32_t defined[POOLS], fresh[POOLS]; /* of temporaries: bits; by the instruction being written */
    char mask_names[MASKS_MAX][8];
};

uint32_t gen_below(struct gen *g, uint32_t n);
bool gen_chance(struct gen *g, uint32_t percent);
bool gen_feature(const struct gen *g, enum random_feature feature);
__attribute__((format(printf, 2, 3))) void gen_line(struct gen *g, const char *format, ...);
/* A line that may go without its neighbours. */
__attribute__((format(printf, 2, 3))) void gen_alone(struct gen *g, const char *format, ...);
/* A node inside the current one becomes the current one, until gen_close gets what gen_open gave. */
struct node *gen_open(struct gen *g, bool opens);
void gen_close(struct gen *g, struct node *before);

/* gen.c: some statements; the scope's depth, mask and so on say which may come. */
void gen_body(struct gen *g, struct scope *scope, unsigned statements);
void gen_addresses(struct gen *g);
const char *gen_mask_name(struct gen *g); /* a register for a mask, used nowhere else in the function */

/* gen_operand.c */
struct operand {
    char text[48];
};
enum px_type gen_widened(struct gen *g, enum px_type type,
                         uint32_t flags);   /* of the register for an operand: perhaps wider */
enum px_type gen_type_of(const char *name); /* of the register whose name begins here */
struct operand gen_register(struct gen *g, enum px_type type, uint32_t flags, bool write);
struct operand gen_constant(struct gen *g, enum px_type type);
struct operand gen_predicate(struct gen *g, bool write);
struct operand gen_source(struct gen *g, enum px_type type); /* a register, seldom a constant */
void gen_pools(struct gen *g);        /* how many registers of each kind a function gets */
const char *gen_guard(struct gen *g); /* "@%p1 ", "@!%p0 ", often "" */
void gen_declare_registers(struct gen *g);
void gen_declare_temporaries(struct gen *g);
void gen_declare_scoped(struct gen *g); /* and gives them values */
void gen_load_registers(struct gen *g, const char *slot);
void gen_store_registers(struct gen *g, const char *slot, unsigned percent);

/* gen_form.c */
/* The instruction without its guard; `address` stands for operands in brackets. False when it cannot be
 * written. */
bool gen_form_text(struct gen *g, const struct px_match *match, px_word opcode, const char *address,
                   char *text, size_t size);
int64_t gen_in_range(struct gen *g, const struct px_opd *opd); /* a constant that the operand takes */
/* A random filling of a form of the opcode that runs on sm_90a with PTX 9.0. */
bool gen_fill(struct gen *g, uint16_t form, struct px_match *match);
void gen_compute(struct gen *g); /* one instruction */
void gen_chain(struct gen *g);   /* some that hand values on by temporaries */
void gen_carry(struct gen *g);
void gen_floats(struct gen *g);
void gen_uniform(struct gen *g); /* a new value for a register that is the same for all threads */
void gen_pattern(struct gen *g); /* integers that look like NaNs, where floats are too */

/* gen_memory.c */
void gen_memory(struct gen *g);
void gen_memory_if(struct gen *g, const char *guard);
void gen_atomic(struct gen *g);
void gen_async(struct gen *g);

/* gen_flow.c */
void gen_flow(struct gen *g);
void gen_leave(struct gen *g); /* some threads end, or return */

/* gen_call.c */
void gen_functions(struct gen *g);
void gen_call(struct gen *g);

/* gen_warp.c */
void gen_warp(struct gen *g);
void gen_barrier(struct gen *g);
void gen_lock(struct gen *g);

/* gen_index.c */
size_t gen_input_bytes(uint32_t threads);
size_t gen_plane_bytes(uint32_t threads);
bool gen_index(struct gen *g); /* false: there is no room for another one, or this is no kernel */

/* What others make of it, too: registers of the statement's own block, which gen_declare_indices opens; %ix,
 * the thread's number in the grid; places of the input plane and of an output plane of the statement's own.
 */
void gen_declare_indices(struct gen *g);
struct operand gen_word(struct gen *g);
struct operand gen_wide(struct gen *g);
void gen_own_of_grid(struct gen *g);
uint32_t gen_threads_of(const struct gen *g);
uint64_t gen_input_at(const struct gen *g);
uint64_t gen_take_output(struct gen *g);
struct operand gen_place(struct gen *g, const char *index, uint64_t at, uint32_t size, char sign);

/* gen_loop.c, gen_idiom.c, gen_struct.c: false: there is no room for another one, or this is no kernel */
bool gen_loop(struct gen *g);
bool gen_idiom(struct gen *g);
void gen_structs(struct gen *g); /* the functions, before the kernel */
bool gen_struct_call(struct gen *g);

/* gen_alike.c */
bool gen_alike(struct gen *g); /* false: this is no kernel */

/* gen_cancel.c */
bool gen_cancel(struct gen *g); /* false: this is no kernel */

/* gen_machine.c */
void gen_machine(struct gen *g);

/* gen_exact.c */
void gen_exact(struct gen *g);

/* gen_matrix.c */
void gen_matrix(struct gen *g); /* where all 32 lanes of a warp come */

#endif
