/* child.h - cases in processes of their own, since an error ends the context; for the recorders. */
#ifndef HW_COMMON_CHILD_H
#define HW_COMMON_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
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

/* Cases by number. `run` writes a line to stdout; `hangs` writes the line of one that was not over after so
 * many seconds, which is not asked again. */
struct cases {
    unsigned n, times, seconds;
    void (*run)(unsigned i);
    void (*hangs)(unsigned i);
};

/* False: it ran for ever. */
static inline bool answers(const struct cases *c, unsigned i)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        c->run(i);
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (ends(child, c->seconds, &status)) return true;
    c->hangs(i);
    return false;
}

/* main of a recorder that is given [PART PARTS] alone. */
static inline int record_cases(int argc, char **argv, const struct cases *c)
{
    unsigned part, parts;
    if (!share_of(argc, argv, 1, &part, &parts)) return fprintf(stderr, "usage: record [PART PARTS]\n"), 2;
    for (unsigned i = part; i < c->n; i += parts)
        for (unsigned n = 0; n < c->times && answers(c, i); n++) {
        }
    return 0;
}

#endif
