/* expect.h - comparing what a kernel wrote with what it should have written. */
#ifndef PTXVM_EXPECT_H
#define PTXVM_EXPECT_H

#include "args.h"

/* Checks every --expect; prints on standard error what differs. True when all hold. */
bool expectations_hold(const struct arguments *arguments, const struct kernel *kernel,
                       const struct options *options);

#endif
