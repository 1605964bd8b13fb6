/* kernel.h - choosing a kernel by name, and its parameters. */
#ifndef PTXVM_KERNEL_H
#define PTXVM_KERNEL_H

#include "load.h"

struct kernel {
    const ptx_module *module;
    unsigned number; /* of the module in the program */
    size_t index;    /* in the module */
    ptx_kernel_info info;
};

/*
 * The kernel that options ask for: by its name, its C++ name (with or without parameters), or a part that is
 * in one name only; the only one when no name is given. FILE:NAME looks in one file. Gives up when a name
 * fits none or several. False when no name is given and there are several kernels.
 */
bool kernel_choose(struct kernel *kernel, const struct modules *modules, const struct options *options);

ptx_param_info kernel_param(const struct kernel *kernel, size_t index);

/* How a parameter is called when there is no doubt: "param_3" for "saxpy_param_3" of saxpy. Part of its name.
 */
const char *kernel_param_short(const struct kernel *kernel, const char *name);

/* Index of the parameter called `name` (full, the end after an underscore, or an index), or -1. */
long kernel_param_find(const struct kernel *kernel, const char *name);

/* "reduce<int>(int const*, int*, int)" for a mangled name; NULL when it is not mangled. Owned by the caller.
 */
char *kernel_demangle(const char *name);

/* Calls `visit` for every kernel of every module, in order. */
void kernels_each(const struct modules *modules, void (*visit)(void *user, const struct kernel *kernel),
                  void *user);

#endif
