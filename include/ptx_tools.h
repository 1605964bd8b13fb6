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
