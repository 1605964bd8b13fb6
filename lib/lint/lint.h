/*
 * lint.h - warnings beyond what an assembler says: suspicious code in a module without errors.
 *
 * Every warning is a row of base/diag_lint.def; docs/lint.md tells what each promises. The device runtime's
 * prototypes come from a table that this layer does not know, so the caller passes a function that looks
 * there.
 */
#ifndef PX_LINT_LINT_H
#define PX_LINT_LINT_H

#include "front/module.h"

/*
 * What the device runtime says of one of its functions. The prototype is a letter for the result, then one
 * for each parameter: '-' nothing, 'w' 4 bytes, 'd' 8 bytes, '3' 12 bytes by value (dim3), 'E' 24 bytes
 * (cudaExtent), 'P' 32 bytes (cudaPitchedPtr).
 */
struct px_lint_runtime {
    const char *prototype;
    bool gives_buffer; /* its result is the buffer of a child kernel's arguments */
};

/* Is the function declared as the device runtime has it? */
struct px_function;
bool px_lint_agrees(const struct px_function *function, const char *prototype);

/* False: the device runtime has no such function. */
typedef bool px_lint_find(const char *name, struct px_lint_runtime *out);

struct px_lint_wanted {
    px_lint_find *find;
    bool all; /* also the rules that are often wrong: docs/lint.md names them */
};

/*
 * Appends the warnings about a checked module without errors to module->diags, in text order. What it needs
 * on the way comes from the module's allocator and is given back, also when memory ends: then it unwinds as
 * the module's arena does.
 */
void px_lint(struct ptx_module *module, const struct px_lint_wanted *wanted);

#endif
