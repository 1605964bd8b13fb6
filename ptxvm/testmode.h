/* testmode.h - ptxvm --test: files that say themselves how to run them and what must come out. */
#ifndef PTXVM_TESTMODE_H
#define PTXVM_TESTMODE_H

#include "options.h"

/* Runs every test of the files and folders of `options`; other words of argv are added to each run. The exit
 * code. */
int tests_run(const struct options *options, int argc, char **argv);

#endif
