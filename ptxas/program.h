/* program.h - questions about checked modules: entries, and what they use. */
#ifndef PTXAS_PROGRAM_H
#define PTXAS_PROGRAM_H

#include <stdbool.h>
#include "messages.h"

bool program_has_entry(const ptx_module *module, const char *name);

/* The -v report: what is known of each entry function. */
void program_report(const ptx_module *module, const char *arch);

#endif
