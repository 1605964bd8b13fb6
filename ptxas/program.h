/* program.h - questions about checked modules: entries, what they use, and whether they fit together. */
#ifndef PTXAS_PROGRAM_H
#define PTXAS_PROGRAM_H

#include <stdbool.h>
#include "messages.h"

bool program_has_entry(const ptx_module *module, const char *name);

/* The -v report: what is known of each entry function. */
void program_report(const ptx_module *module, const char *arch);

/* Links modules; prints what two of them define. Names defined nowhere are no error here. */
bool program_links(const struct input *inputs, size_t n);

#endif
