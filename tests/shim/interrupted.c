/*
 * interrupted.c - a signal that comes while the driver starts, as soon as it listens for signals: it ends the
 * process as it does later. This program stands between the driver and sigaction(2), to send the signal just
 * then. Says "fine".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

static volatile bool armed;

__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *action,
                                                     struct sigaction *old)
{
    typedef int call(int, const struct sigaction *, struct sigaction *);
    call *next;
    *(void **)&next = dlsym(RTLD_NEXT, "sigaction");
    const int result = next(number, action, old);
    if (armed && action && number == SIGHUP) {
        armed = false;
        raise(number);
        usleep(300000); /* whoever waits for the signal hears of it now */
    }
    return result;
}

int main(void)
{
    int status;
    const pid_t child = fork();
    if (!child) {
        signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, and stays so */
        setenv("PTXVM_REPORT", "/dev/null", 1);
        armed = true;
        cuInit(0);
        _exit(armed ? 3 : 4);
    }
    if (waitpid(child, &status, 0) != child) return 1;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGHUP) {
        if (WIFSIGNALED(status))
            fprintf(stderr, "the driver ended by signal %d\n", WTERMSIG(status));
        else
            fprintf(stderr, "the driver went on: exit code %d\n", WEXITSTATUS(status));
        return 1;
    }
    puts("fine");
    return 0;
}
