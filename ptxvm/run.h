/* run.h - one command line, from files to exit code. */
#ifndef PTXVM_RUN_H
#define PTXVM_RUN_H

#include "options.h"

/* The exit code. Gives up (exits) on errors before the launch. */
int run(const struct options *options);

#endif
