/* expect.h - comparing what a kernel wrote with what it should have written. */
#ifndef PTXVM_EXPECT_H
#define PTXVM_EXPECT_H

#include "args.h"

/* Checks every --expect; prints on standard error what differs. True when all hold. */
bool expectations_hold(const struct arguments *arguments, const struct kernel *kernel,
                       const struct options *options);

/* How far an element may be off; all 0: its bits are right, or it is a NaN where one is wanted. */
struct tolerance {
    double atol, rtol;
    uint64_t ulp;
};

/* Whether `count` elements from `from` on are those of `want`, which has the same type and shape. False: it
 * is told, with the first that differ; `what` says what was wanted. */
bool array_holds(const char *name, const struct array *got, const struct array *want, size_t from,
                 size_t count, const struct tolerance *allowed, const char *what);

#endif
