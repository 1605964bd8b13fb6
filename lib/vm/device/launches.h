/*
 * launches.h - records of launches: every grid of a kernel that began to run, and every launch by a kernel
 * that was refused (docs/launches.md).
 *
 * A record is made when its grid becomes known to the scheduler, and is filled while the grid lives. All
 * memory comes from one arena with a limit; beyond it launches are counted and not kept. Names and places are
 * copied, once a kernel and once a call, so that records outlive programs. All of it is guarded by the
 * scheduler's lock, but for the counts of instructions.
 */
#ifndef PX_VM_DEVICE_LAUNCHES_H
#define PX_VM_DEVICE_LAUNCHES_H

#include "base/arena.h"
#include "gang/grid.h"
#include "link/program.h"

/* A parameter of a kernel, or one element of its buffer. */
struct px_launched_param {
    const char *name, *type; /* "u64" */
    uint8_t klass;           /* enum px_type_class of the type */
    uint32_t offset, size, count;
};

struct px_launched_kernel {
    struct px_launched_kernel *next;
    const struct px_lfunc *func; /* NULL: its program is gone */
    const char *name;
    uint32_t nparams;
    const struct px_launched_param *params;
};

/* A call that launches. */
struct px_launch_place {
    struct px_launch_place *next;
    const struct px_inst *inst; /* NULL: its program is gone */
    const struct px_lfunc *func;
    const char *call;      /* "cudaLaunchDeviceV2" */
    const char *function;  /* that it stands in */
    const char *file;      /* of the PTX, */
    uint32_t line, column; /* and where in it */
    const char *source;    /* "x.cu:12 (inlined at y.cu:40)" by .loc; "" */
};

/* What a parameter of 8 bytes leads to, where it is an address. */
struct px_launched_pointer {
    const char *variable;  /* of the program, that the block is; NULL */
    uint64_t block, bytes; /* the allocation; 0 bytes: none */
};

struct px_launch {
    struct px_launch *next, *parent;         /* in order of launch; NULL: the host launched it */
    uint64_t number;                         /* from 0, in that order */
    uint64_t grid;                           /* %gridid; 0 of a refused launch */
    const struct px_launched_kernel *kernel; /* NULL: what was to be launched is none */
    struct px_shape shape, block;
    uint32_t shared, depth;
    const uint8_t *params;                      /* NULL: of a refused launch */
    const struct px_launched_pointer *pointers; /* by parameter; NULL */
    const struct px_launch_place *place;        /* NULL: the host's */
    uint32_t cta[3], thread[3];                 /* that launched it */
    uint64_t stream;                            /* handle or number */
    const char *api;                            /* the host's function; NULL */
    uint64_t graph;                             /* number of the instance that it is of; 0 */
    uint64_t children;                          /* grids that it launched */
    uint64_t begun, ended;                      /* places in the order of all begins and ends; 0: not yet */
    uint64_t begin_ns, end_ns;                  /* since the first */
    atomic_uint_fast64_t instructions;          /* thread-instructions */
    int error;                                  /* refused: what the call answers; else 0 */
    const char *reason;
};

struct px_launches {
    struct px_arena arena;
    uint64_t most; /* bytes of the arena */
    struct px_launch *first, *last;
    uint64_t n, lost; /* records; launches that none could be made of */
    uint64_t moments; /* begins and ends */
    uint64_t start_ns;
    const char *apis[16]; /* names of the host's functions */
    struct px_launched_kernel *kernels[64];
    struct px_launch_place *places[64];
};

struct px_call;
struct ptx_device;
struct ptx_program;

/* Records are kept from now on, in so many bytes. False: no memory. */
bool px_launches_init(struct ptx_device *device, uint64_t most);
void px_launches_free(struct ptx_device *device);
/* Forgets all records. Nothing runs. */
void px_launches_clear(struct px_launches *launches);

/* ---- the scheduler's lock is held; nothing happens on a device that keeps none ---- */

/* A grid has become known. */
void px_launches_adopt(struct px_grid *grid);
/* A kernel launched it: the call, and its stream. */
void px_launches_from(struct px_grid *grid, const struct px_call *call, uint64_t stream);
/* It may run now, or it has ended. */
void px_launches_moment(struct px_grid *grid, bool end);

/* ---- no lock is held ---- */

/* What a kernel wanted to launch, as far as it is known. */
struct px_launch_wish {
    const struct px_lfunc *kernel;
    struct px_shape shape, block;
    uint32_t shared;
    uint64_t stream;
};
void px_launches_refused(const struct px_call *call, const struct px_launch_wish *wish, int error,
                         const char *reason);
/* Its names and places are about to go. */
void px_launches_forget(struct ptx_program *program);

#endif
