/* list.h - what there is to run, and what a kernel reads that nobody gives it. */
#ifndef PTXVM_LIST_H
#define PTXVM_LIST_H

#include "kernel.h"

/* Prints all kernels with their parameters and a command that runs each. */
void kernels_list(const struct modules *modules, const struct options *options);

/* Warns of variables that the kernel reads and nothing has set, --set neither. */
void kernel_warn_unset(const struct kernel *kernel, const struct options *options);

#endif
