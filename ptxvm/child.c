/* child.c - see child.h. */
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fail.h"

enum { HANG_SECONDS = 300 };

static _Noreturn void begin(int (*body)(const void *user), const void *user, FILE *output)
{
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(output), STDERR_FILENO);
    alarm(HANG_SECONDS);
    exit(body(user));
}

int child_run(int (*body)(const void *user), const void *user, char **output)
{
    FILE *file = tmpfile();
    pid_t child;
    int status = -1;
    if (!file) fail(EXIT_USAGE, "no temporary file: %s", strerror(errno));
    fflush(stdout);
    child = fork();
    if (child < 0) fail(EXIT_STOPPED, "no process: %s", strerror(errno));
    if (child == 0) begin(body, user, file);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    *output = must_alloc((unsigned long)size + 1);
    rewind(file);
    (*output)[fread(*output, 1, (size_t)size, file)] = '\0';
    fclose(file);
    return status;
}
