/*
 * launches.h - the list of a device's launches (vm/device/launches.h) as a tree, texts and pictures.
 *
 * Everything here reads records of a device on which nothing runs, with the scheduler's lock held, and
 * allocates from one arena that lives for a call.
 */
#ifndef PX_LAUNCHES_LAUNCHES_H
#define PX_LAUNCHES_LAUNCHES_H

#include "ptx_launches.h"
#include "vm/device/device.h"

/* ---- out.c: pieces of text to the embedder ---- */

struct px_out {
    ptx_write_fn write;
    void *user;
    bool stopped; /* write has asked for it */
    size_t n;
    char text[4096];
};

void px_out_text(struct px_out *out, const char *text);
void px_out(struct px_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void px_out_flush(struct px_out *out);

/* ---- words.c: what records say, in words of the arena ---- */

/* "child" of "_Z5childPi" and "_ZN2ns5childEv": a C++ name without namespaces and types; others as they are.
 * "(no kernel)" where what was to be launched is none. */
const char *px_launch_kernel_name(struct px_arena *arena, const struct px_launch *r);
/* "n" of "kernel_n". */
const char *px_launch_param_name(const struct px_launch *r, uint32_t param);
/* The value of a parameter: "7", "table+16", "0x100000000000+512". */
const char *px_launch_value(struct px_arena *arena, const struct px_launch *r, uint32_t param);
/* An integer, or an offset in an allocation. False: it is neither. */
bool px_launch_number(const struct px_launch *r, uint32_t param, int64_t *number);
/* A floating-point number; false: it is none. */
bool px_launch_real(const struct px_launch *r, uint32_t param, double *number);
/* "NULL", "tail", "stream 7"; "" for what has none. */
const char *px_launch_stream(struct px_arena *arena, const struct px_launch *r);
/* "<<<4,32>>>"; dimensions beyond x as 4x2x1. */
const char *px_launch_shape(struct px_arena *arena, const struct px_launch *r);
/* "f.ptx:96 (x.cu:12), block 0, thread 3"; "" for a launch of the host. */
const char *px_launch_place_text(struct px_arena *arena, const struct px_launch *r);
uint64_t px_launch_blocks(const struct px_launch *r);

/* ---- tree.c ---- */

/* Launches of a node with the smallest and the largest value of a parameter. */
struct px_launch_span {
    const struct px_launch *least, *most;
};

/* Launches that are told as one: of one parent, from one place, of one kernel and shape. */
struct px_launch_node {
    struct px_launch_node *parent, *next, *children, *last; /* next: sibling */
    struct px_launch_node *same;                            /* in a bucket of the table while it is made */
    const struct px_launch *first, *latest;
    uint64_t count;
    uint64_t chain; /* so many nodes, each the only child of the one before it; 1: no chain */
    uint64_t blocks, instructions, ns;
    uint64_t begun, ended;        /* the first, and the last */
    struct px_launch_span *spans; /* by parameter; NULL: a refused launch */
};

/* The host's node: its children are what the host launched. */
struct px_launch_node *px_launch_tree(struct px_arena *arena, const struct px_launches *launches);
/* "n=7, p=0x100000000000+0..+480". */
const char *px_launch_node_params(struct px_arena *arena, const struct px_launch_node *node);
/* "12 x child<<<4,32>>>(n=7)", "parent<<<1,1>>>(n=24..0) x 25" */
const char *px_launch_node_title(struct px_arena *arena, const struct px_launch_node *node);
/* "4 blocks, 704 instructions, 0.020 ms" */
const char *px_launch_node_numbers(struct px_arena *arena, const struct px_launch_node *node);
/* Where it was launched, and the stream. */
const char *px_launch_node_from(struct px_arena *arena, const struct px_launch_node *node);

struct ptx_launch_totals px_launch_totals(const struct px_launches *launches);

/* ---- forms ---- */

void px_launches_text(struct px_arena *arena, const struct px_launches *launches, struct px_out *out);
void px_launches_json(struct px_arena *arena, const struct px_launches *launches, struct px_out *out);
void px_launches_svg(struct px_arena *arena, const struct px_launches *launches, struct px_out *out);
void px_launches_dot(struct px_arena *arena, const struct px_launches *launches, struct px_out *out);
void px_launches_timeline(struct px_arena *arena, const struct px_launches *launches, struct px_out *out);

/* ---- expect.c ---- */

ptx_status px_launches_expect(struct px_arena *arena, const struct px_launches *launches, const char *pattern,
                              const char **why);

#endif
