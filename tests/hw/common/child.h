/* child.h - cases in processes of their own, since an error ends the context; for the recorders. */
#ifndef HW_COMMON_CHILD_H
#define HW_COMMON_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* [PART PARTS] behind `before` arguments: every PARTS-th case from PART on. Without them, all. False:
 * neither. */
static inline bool share_of(int argc, char **argv, int before, unsigned *part, unsigned *parts)
{
    const bool told = argc == before + 2;
    *part = told ? (unsigned)atoi(argv[before]) : 0;
    *parts = told ? (unsigned)atoi(argv[before + 1]) : 1;
    return told || argc == before;
}

/* Waits for the child's end and its status. False: it was not over after so many seconds, and is killed. */
static inline bool ends(pid_t child, unsigned seconds, int *status)
{
    for (unsigned left = seconds * 50; left; left--, usleep(20000))
        if (waitpid(child, status, WNOHANG)) return true;
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return false;
}

#endif
