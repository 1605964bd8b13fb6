/* load.h - from the files of the command line to checked modules. */
#ifndef PTXVM_LOAD_H
#define PTXVM_LOAD_H

#include "options.h"
#include "ptxvm.h"

struct modules {
    ptx_module **at;
    unsigned n;
};

/* Reads, compiles (.cu) and checks all files; prints every diagnostic, and gives up when one is an error. */
void modules_load(struct modules *modules, const struct options *options);
void modules_free(struct modules *modules);

/*
 * FILE:NAME names what one module has for itself: the number of the module called FILE (all of its name, or
 * the end after a slash), and NAME behind it. -1 when the word does not begin so.
 */
long modules_find(const struct modules *modules, const char *word, const char **name);

/* Prints all that is wrong when a program of these modules cannot be linked, with both places. */
void modules_show_link(const struct modules *modules, const ptx_program_options *wanted);

/* A piece of a module's text, from its first to its last character. Columns count from 1. */
struct stretch {
    unsigned line, column, last_line, last_column;
};

/* Prints the lines of a stretch, underlined; nothing when no module is called `file`. */
void modules_show(const struct modules *modules, const char *file, struct stretch stretch);

/* cuda.c: PTX text made from a CUDA C++ file by nvcc or clang; gives up with the reason. */
char *cuda_compile(const char *file_name, const char *arch, size_t *size);

#endif
