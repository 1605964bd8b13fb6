/* exec.h - ptxvm --exec: a CUDA program with the libraries of the virtual device in the place of NVIDIA's. */
#ifndef PTXVM_EXEC_H
#define PTXVM_EXEC_H

#include "options.h"

/* Runs the program; its exit code. Does not come back when nothing is to be told afterwards. */
int program_run(const struct options *options);
/* The folder of the libraries, to be freed; gives up when there is none. */
char *program_libraries(void);

#endif
