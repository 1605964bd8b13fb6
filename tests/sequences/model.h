/*
 * model.h - what a sequence of calls must lead to.
 *
 * The model knows every object that a thread has made, which value each word of memory must have once what
 * was submitted is done, and who knows of what: a clock a stream, an event, an instance and the host. An
 * operation on a word is only submitted where the one before it is known to come first, so the value follows
 * from the order of the calls; the kernels do not commute. What is known is never more than what is promised,
 * so a call may be answered in more than one way (a query before a wait), and in one way only after the wait.
 */
#ifndef SEQUENCES_MODEL_H
#define SEQUENCES_MODEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ptx_graph.h"
#include "ptx_memory.h"
#include "ptxvm.h"

enum {
    STREAMS = 8, /* places; 0: the legacy one, 1: the thread's own */
    EVENTS = 6,
    CELLS = 24,
    GRAPHS = 6,
    NODES = 24,
    INSTANCES = 5,
    PROGRAMS = 3,
    POOLS = 2,
    CAPTURES = 2,
    BODIES = 2,
    BODY_NODES = 3,
    GATED_MOST = 150 /* operations behind a gate: fewer than the device lets wait */
};

/* How much of each stream is known to come before. */
struct clock {
    uint32_t at[STREAMS];
};

/* A word that operations work on, of device memory or the host's. */
struct cell {
    bool live, host, pooled, shared;
    bool kept; /* a graph works on it: it stays */
    ptx_address at;
    uint32_t *word;  /* the host's */
    uint32_t value;  /* when all that was submitted is done */
    uint32_t stream; /* of its last operation, */
    uint32_t seq;    /* and its number there; 0: none */
    int pool;        /* of memory in stream order: place; -1: the default one */
};

struct stream {
    bool live, nonblocking;
    ptx_stream number;
    uint32_t seq; /* operations submitted */
    struct clock knows;
    bool gated;     /* what it was given since waits for the gate */
    bool failed;    /* a failure that nobody has heard of */
    int capture;    /* place; -1: it is not captured */
    uint64_t front; /* nodes of the capture's graph that are known to come before its next one */
};

struct event {
    bool live, recorded;
    ptx_event number;
    struct clock knows;
    uint32_t stream, seq; /* the record */
    int capture;          /* it was last recorded in one: its identity; 0: it was not */
    uint64_t front;
};

enum kind {
    OP_STEP,  /* a = 2 a + add, by a kernel */
    OP_CALL,  /* a = 2 a + add, by a function whose address a kernel loads */
    OP_CONST, /* a = 2 a + add + the constant of its program, which counts it */
    OP_MIX,   /* a = 3 b + a, by a kernel */
    OP_COPY,  /* a = b */
    OP_FILL,  /* a = add */
    OP_WRITE, /* a = add, by a value in stream order */
    OP_HOST,  /* a = 2 a + add, by a host function */
    OP_EMPTY,
    OP_CHILD, /* the operations of another graph */
    OP_ALLOC, /* memory: zero, stepped, mixed into a, freed (four nodes) */
    OP_BRANCH
};

struct graph_ops;

struct op {
    enum kind kind;
    int a, b; /* cells; -1: none */
    uint32_t add;
    int program;
    uint32_t constant;       /* of the program, which may be gone */
    unsigned *counted;       /* of the program: its operations */
    ptx_kernel *kernel;      /* of that kind */
    struct graph_ops *child; /* owned: of a CHILD */
    ptx_branch_kind branch;
    uint32_t condition; /* its value at each launch */
    ptx_address condition_at;
    unsigned nbodies, nbody[BODIES];
    uint64_t touched; /* cells that it works on */
};

struct node {
    struct op op;
    struct op *body[BODIES]; /* owned: of a BRANCH, BODY_NODES each */
    ptx_node number, last;   /* last: what others come after; of an ALLOC the node that frees */
    uint64_t before;         /* all nodes that come before it */
    bool off;
};

/* Nodes in an order in which each comes behind what it comes after. */
struct graph_ops {
    unsigned n;
    struct node at[NODES];
    bool single; /* with memory or conditions: not to be cloned */
};

struct graph {
    bool live, captured;
    bool used; /* with memory or conditions: an instance has them */
    ptx_graph number;
    uint32_t shape; /* graphs with the same number have the same nodes and edges */
    struct graph_ops ops;
};

struct instance {
    bool live;
    bool named; /* nodes[] are those that it was made of */
    ptx_instance number;
    uint32_t shape;
    struct graph_ops ops;
    ptx_node nodes[NODES];
    struct clock launched;
};

struct capture {
    bool live, broken, given;
    int id, origin; /* origin: stream */
    int graph;      /* place, when it was given */
    uint64_t nodes; /* that were captured */
    struct graph_ops ops;
};

/* What a kernel of a program counts is counted here, too; shared by all that refer to it. */
struct program {
    bool live;
    ptx_program *program;
    ptx_kernel *kernels[6]; /* step, call, constant, mix; count, fault */
    uint32_t constant;
    unsigned *counted;
    ptx_address counter;
};

struct pool {
    bool live;
    ptx_pool number;
};

/* One thread's part of the world. */
struct model {
    ptx_device *device, *other; /* other: where shared memory is opened */
    uint64_t random;
    unsigned thread;
    bool alone; /* no other thread uses the device */
    struct clock host;
    struct stream streams[STREAMS];
    struct event events[EVENTS];
    struct cell cells[CELLS];
    struct graph graphs[GRAPHS];
    struct instance instances[INSTANCES];
    struct capture captures[CAPTURES];
    struct program programs[PROGRAMS];
    struct pool pools[POOLS];
    unsigned *counters[64];
    unsigned ncounters;
    uint32_t *gate; /* the host's address of a word; streams wait until it is `opened` */
    ptx_address gate_at;
    uint32_t opened;
    unsigned behind_gate, captures_begun;
    uint32_t shapes;
    ptx_event joiner; /* orders one stream after another */
    uint64_t calls;
    bool trace, failed;
    char why[400];
    char line[400]; /* the call that is being made */
};

/* clocks */
void clock_join(struct clock *to, const struct clock *from);

/* What follows is a step of the sequence: one or more calls. `pick` are random words that choose objects; a
 * step that cannot be made now makes no call. */
enum { PICKS = 4 };
void step_run(struct model *m, unsigned what, const uint32_t pick[PICKS]);
unsigned step_kinds(void);

bool model_begin(struct model *m, ptx_device *device, ptx_device *other, bool alone);
/* Opens gates, waits, compares all that is left, and destroys it. */
void model_end(struct model *m);

/* A call was made and answered `status`, which is given back; `allowed`: a bit for each status that it may
 * be. */
ptx_status answered(struct model *m, ptx_status status, unsigned allowed);
/* What the call is, before it is made. */
void call(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wrong(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define BIT(status) (1u << (status))
#define OK BIT(PTX_OK)
#define INVALID BIT(PTX_ERROR_INVALID_ARGUMENT)
#define NOT_READY BIT(PTX_ERROR_NOT_READY)
#define CAPTURED BIT(PTX_ERROR_CAPTURE)
/* A call of the library in words, and what it may answer. */
#define CALL(m, allowed, expression, ...) (call((m), __VA_ARGS__), answered((m), (expression), (allowed)))

/* ops.c: operations in streams, nodes and bodies */
bool op_draw(struct model *m, const uint32_t pick[PICKS], struct op *op);
ptx_status op_submit(struct model *m, const struct op *op, ptx_stream stream);
/* The configuration of a node; what it points to is `room`'s. */
struct op_room {
    struct {
        ptx_address p, q;
        uint32_t add, spins;
    } params;
    ptx_launch_config launch;
    ptx_copy copy;
    ptx_fill fill;
    ptx_value value;
};
ptx_node_config op_config(struct model *m, const struct op *op, struct op_room *room);
/* What it makes of the values. */
void op_apply(struct model *m, const struct op *op);
void node_apply(struct model *m, const struct node *node);
uint64_t op_cells(const struct op *op);
const char *op_name(enum kind kind);

/* graphs.c */
void ops_copy(struct graph_ops *to, const struct graph_ops *from);
void ops_free(struct graph_ops *ops);
uint64_t ops_touched(const struct graph_ops *ops);
unsigned ops_tasks(const struct graph_ops *ops);
void ops_apply(struct model *m, const struct graph_ops *ops);
/* Nodes of `ops` that work on a cell of the mask. */
uint64_t ops_last(const struct graph_ops *ops, uint64_t cells);
void graph_step(struct model *m, unsigned what, const uint32_t pick[PICKS]);
enum { GRAPH_STEPS = 15 };
void capture_step(struct model *m, unsigned what, const uint32_t pick[PICKS]);
enum { CAPTURE_STEPS = 4 };
struct graph_ops *capture_ops(struct model *m, int capture);
/* The stream or event leaves; with the first stream the capture is over. */
void capture_leave(struct model *m, struct stream *s);
/* The stream is given a node instead, when it is captured. */
bool capture_op(struct model *m, struct stream *s, const struct op *op);
void break_capture(struct model *m, int capture);

/* steps.c */
uint32_t draw(struct model *m, uint32_t n);
struct stream *stream_of(struct model *m, uint32_t pick); /* one that lives */
int cell_of(struct model *m, uint32_t pick, bool device); /* -1: there is none */
/* The stream knows of all that was done to the cells, or is made to know. False: it cannot. */
bool order_after(struct model *m, struct stream *s, uint64_t cells);
/* The stream is given an operation on the cells. */
void submitted(struct model *m, struct stream *s, uint64_t cells);
void open_gates(struct model *m);
void heard_all(struct model *m);

#endif
