/*
 * extern.h - what a builtin or host function sees of the lane that calls it.
 *
 * The VM calls an extern function once per active lane, with that lane's
 * arguments laid out as its .param list is (PTX ISA 5.1.6, 7.1). A function may
 * answer PARK: the lane waits, the rest of the CTA goes on, and the call is made
 * again with `state` kept until it answers DONE. Memory is reached through the
 * accessors, which know every window and are bounds-checked.
 */
#ifndef PX_VM_RUN_EXTERN_H
#define PX_VM_RUN_EXTERN_H

#include "link/program.h"
#include "gang/cta.h"

struct px_call {
    struct px_worker *worker;
    struct px_cta *cta;
    struct px_grid *grid;
    const struct px_lfunc *callee;
    const struct px_insn *at; /* the call */
    uint32_t thread;          /* linear in the CTA: x + y*ntid.x + z*ntid.x*ntid.y */
    const uint8_t *args;      /* callee->builtin->arg_bytes, or fn->param_bytes for a host function */
    uint8_t *ret;             /* zeroed */
    uint64_t state;           /* 0 on the first call; kept across PARK */
    struct px_trap *trap;     /* fill error and text before answering PX_EXT_TRAP */
    int *last_error;          /* the thread's cudaGetLastError value */
};

/* Copy between the host and any generic address the lane may use. False: out of bounds, or written where
 * kernels only read (constants, parameters); no trap is set. */
bool px_call_read(struct px_call *call, void *to, uint64_t va, uint64_t size);
bool px_call_write(struct px_call *call, uint64_t va, const void *from, uint64_t size);
/* NUL-terminated string at va, at most n-1 bytes; false when it leaves its allocation. */
bool px_call_string(struct px_call *call, uint64_t va, char *buf, size_t n);

/* ctaid and tid of the calling lane. */
void px_call_place(const struct px_call *call, uint32_t cta[3], uint32_t thread[3]);
/* The instruction that calls (NULL: unknown), and the function that it stands in. */
const struct px_inst *px_call_inst(const struct px_call *call);
const struct px_lfunc *px_call_caller(const struct px_call *call);

/* host.c: calls a native function by the signature of callee->fn, through libffi. */
enum px_ext px_host_call(struct px_call *call);

#endif
