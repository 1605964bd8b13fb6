/* explore.h - --explore: one run under many schedules. */
#ifndef PTXVM_EXPLORE_H
#define PTXVM_EXPLORE_H

#include "options.h"

/* Runs what `options` says as usual and under options->explore random schedules; the exit code. argv is for
 * the command that repeats a run. */
int explore(const struct options *options, int argc, char **argv);

#endif
