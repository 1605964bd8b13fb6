/* verify_own.h - what the files of the verifier share. */
#ifndef PX_CODE_IR_VERIFY_OWN_H
#define PX_CODE_IR_VERIFY_OWN_H

#include "code/ir/text.h"

struct px_verify {
    const struct px_irfn *f;
    struct px_arena *arena;
    const char *why; /* the first thing that is wrong */
    bool broken;     /* an instruction cannot even be printed */
};

/* `in` may be NULL: no instruction is to blame. */
void px_verify_wrong(struct px_verify *v, const struct px_ir_inst *in, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void px_verify_rows(struct px_verify *v);
void px_verify_forks(struct px_verify *v);
void px_verify_loops(struct px_verify *v);
void px_verify_fused(struct px_verify *v);

#endif
