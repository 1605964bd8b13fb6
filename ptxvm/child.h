/* child.h - a run as a process of its own, so that a crash, a hang or an exit is just a verdict. */
#ifndef PTXVM_CHILD_H
#define PTXVM_CHILD_H

/* Calls `body` in a child process, which ends with what it returns. The wait status; the text that it printed
 * on standard output and standard error in *output, owned by the caller. */
int child_run(int (*body)(const void *user), const void *user, char **output);

#endif
