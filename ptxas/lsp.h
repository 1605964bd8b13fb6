/* lsp.h - --lsp: a language server for editors. */
#ifndef PTXAS_LSP_H
#define PTXAS_LSP_H

#include "options.h"

/* Serves standard input until `exit` or its end. The exit code: 0 after an orderly shutdown, else 1. */
int lsp_run(const struct options *options);

#endif
