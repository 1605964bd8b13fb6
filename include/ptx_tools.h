/*
 * ptx_tools.h - what ptxas and ptxvm ask of the library beside ptx.h and ptxvm.h.
 *
 * It is not installed: lists for --help, and what NVIDIA's layout of messages needs. It may change with every
 * version.
 */
#ifndef PTX_TOOLS_H
#define PTX_TOOLS_H

#include "ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Where NVIDIA's tool says that diagnostic `index` is: it names the line its parser has reached, and follows
 * line markers (# 12 "file"). The line, 0 when it names none; *file is always set.
 */
PTX_API unsigned ptx_module_told_line(const ptx_module *module, size_t index, const char **file);

/* What the line markers (# 12 "file") before line `line` call it: its number, and its file; itself
 * without any. */
PTX_API unsigned ptx_module_marked_line(const ptx_module *module, unsigned line, const char **file);

/* Another place in the module that a diagnostic is about; line and column from 1, length in bytes. */
typedef struct ptx_related {
    const char *message; /* "'%r1' is declared here" */
    unsigned line, column, length;
} ptx_related;

/* The i-th of a diagnostic; PTX_ERROR_NOT_FOUND past the last. Any thread. */
PTX_API ptx_status ptx_module_related(const ptx_module *module, size_t diagnostic, size_t i,
                                      ptx_related *related);

/* An edit that would mend what a diagnostic is about: `text` in place of `length` bytes, on one line. */
typedef struct ptx_fix {
    const char *title; /* "insert ';'" */
    const char *text;
    size_t offset, length; /* bytes of the module's text */
    unsigned line, column; /* the same place */
    int certain;           /* the text can have meant nothing else */
} ptx_fix;
PTX_API ptx_status ptx_module_fix(const ptx_module *module, size_t diagnostic, size_t i, ptx_fix *fix);

/*
 * Where the source of a diagnostic's instruction is, by the .loc before it: for i = 0 the place itself, then
 * the calls that were inlined there. *function (may be NULL) is the function's name in the module.
 */
typedef struct ptx_origin {
    const char *file;
    unsigned line, column;
} ptx_origin;
PTX_API ptx_status ptx_module_origin(const ptx_module *module, size_t diagnostic, size_t i,
                                     ptx_origin *origin, const char **function);

/*
 * What the checker knows in a profile: the i-th architecture to check for ("sm_90") and PTX version (90),
 * NULL or 0 past the end. Any thread.
 */
PTX_API const char *ptx_known_arch(ptx_profile profile, size_t index);
PTX_API unsigned ptx_known_version(ptx_profile profile, size_t index);

/*
 * The i-th diagnostic code there is, in the order of their subjects, NULL past the end; *message (may be
 * NULL) is its text, with printf's conversions where arguments stand. Any thread.
 */
PTX_API const char *ptx_known_code(size_t index, const char **message);

/*
 * A module that draws the diagnostic `code` and nothing else, or with `right` the same module put right; NULL
 * when there is none. `*options` (may be NULL) are the options of ptxas that go with both, often "". Any
 * thread.
 */
PTX_API const char *ptx_explain_example(const char *code, int right, const char **options);

#ifdef __cplusplus
}
#endif
#endif
