/*
 * grid.h - a launched grid, its CTAs and its children.
 *
 * A grid is created by the host or by a device-side launch, waits in a queue,
 * hands out CTA numbers to workers in chunks, and is complete when
 * every CTA has ended and every child is complete. Only then does its parent
 * hear of it. A grid never waits on a host stack.
 */
#ifndef PX_GANG_GRID_H
#define PX_GANG_GRID_H

#include <stdatomic.h>
#include "gang/trap.h"
#include "mem/mem.h"

struct px_code;
struct px_launch;
struct px_lfunc;
struct px_opaques;
struct px_run;
struct ptx_device;

struct px_shape {
    uint32_t x, y, z;
};

struct px_grid;
/* Work that the VM does by itself in stream order (a copy): called once, by any worker. False: trap is set,
 * or the launch stops. */
typedef bool (*px_native_fn)(struct px_grid *grid, struct px_trap *trap);

/* Bytes between what different processors write all the time: they fetch lines of 64 bytes, in pairs. */
enum { PX_APART = 128 };

/* What cooperative groups find where %envreg1 and %envreg2 lead: the workspace's size, the barrier word. */
enum { PX_WORKSPACE_BYTES = 16, PX_WORKSPACE_ALIGN = 64 };

struct px_grid {
    _Alignas(16) struct ptx_device *device;
    struct px_run *run;       /* the host launch that it belongs to; vm/sched/sched.h */
    const struct px_mem *mem; /* the device's */
    const struct px_opaques *textures;
    struct ptx_program *program;
    uint8_t *const_image; /* the program's constant memory, */
    uint64_t const_bytes;
    uint32_t owner; /* and whose windows its const and func addresses lie in */
    const struct px_lfunc *kernel;
    const struct px_code *code; /* decoded for this grid's gang width */
    struct px_shape grid, block;
    struct px_shape cluster; /* blocks of a cluster */
    uint32_t cluster_blocks; /* how many: 1 without clusters */
    bool explicit_cluster;   /* the launch or a directive asks for clusters, of one block perhaps */
    uint32_t dynamic_shared; /* bytes */
    uint32_t shared_bytes;   /* static + dynamic */
    uint8_t *params;         /* behind the grid, of one allocation with it */
    uint32_t param_bytes;
    uint64_t id;                      /* %gridid, unique in the device */
    uint32_t depth;                   /* 0 for a host launch */
    uint64_t ctas;                    /* total */
    uint64_t units;                   /* what is handed out: clusters, or CTAs where there are none */
    uint32_t resident;                /* units of this shape that the device holds at once (occupancy) */
    uint64_t unit_first, unit_stride; /* numbers are handed out in this order; stride 0: from 0 on */
    atomic_bool prior;                /* of a root: the grid before it in its stream is not complete */
    struct px_grid *parent;           /* NULL for a host launch */
    struct px_grid *next;             /* in a queue; owned by the queue's lock */
    uint64_t workspace;               /* of a cooperative grid, a device address; 0: it is none */
    atomic_uint barrier_seen; /* the workspace's barrier word when those who wait there were last woken */
    atomic_uint comers, comers_seen; /* threads that came there by cudaCGSynchronize; likewise */
    void *cdp;                       /* lib/cdp's launch state of this grid; NULL until it launches */
    struct px_launch *launch;        /* its record (vm/device/launches.h); NULL: none is kept */
    const char *api;                 /* of a host launch: ptx_launch_config.api, */
    uint64_t graph;                  /* and the number of the instance that it is of; 0 */
    /* what follows belongs to sched.c and is guarded by the scheduler's lock */
    px_native_fn native;           /* NULL for a kernel; otherwise `params` are its operands and ctas is 1 */
    uint64_t launcher;             /* number of the parent's CTA that launched it, */
    uint64_t launcher_unit;        /* and of the unit that it is of */
    uint64_t unfinished;           /* itself, plus children that delay its completion */
    bool counts;                   /* delays the parent's completion */
    bool begun, ended;             /* as told to who watches */
    uint64_t copy_to, copy_bytes;  /* of a native that copies; 0 bytes: it does not */
    void *item;                    /* lib/cdp's place of this grid in its stream */
    struct px_grid *older, *newer; /* all grids of the launch */
    /* What is written for every chunk lies apart from what every CTA reads. */
    char apart[PX_APART];
    uint64_t next_unit;              /* next number to hand out; under the scheduler's lock */
    atomic_uint_fast64_t units_left; /* not yet ended */
    atomic_uint_fast64_t untold;     /* of a root: CTAs that have neither ended nor let dependents begin */
};

#endif
