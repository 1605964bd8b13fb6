/* explore.c - see explore.h.
 *
 * Each run is a process of its own. A seed is worth telling when its run ends otherwise than the usual one,
 * or prints something else: buffers have a line with a hash, so that other results are another text. */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "child.h"
#include "fail.h"
#include "run.h"

static int run_once(const void *user)
{
    return run(user);
}

/* As a shell tells it. */
static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The command without --explore and --schedule. */
static void print_command(int argc, char **argv, uint64_t seed)
{
    fputs("  repeat with", stderr);
    for (int i = 0; i < argc; i++) {
        const bool ours = strncmp(argv[i], "--explore", 9) == 0 || strncmp(argv[i], "--schedule", 10) == 0;
        if (ours && !strchr(argv[i], '=')) i++;
        if (!ours) fprintf(stderr, strpbrk(argv[i], " []<>()*;&|$'\"") ? " '%s'" : " %s", argv[i]);
    }
    fprintf(stderr, " --schedule random:%llu --threads 1\n", (unsigned long long)seed);
}

/* One seed; 0, or the exit code of all. */
static int try_seed(struct options *options, int usual, const char *text, int argc, char **argv)
{
    char *output;
    const int code = code_of(child_run(run_once, options, &output));
    const bool same = code == usual && strcmp(output, text) == 0;
    if (!same) {
        fprintf(stderr, "ptxvm: explore: seed %llu ", (unsigned long long)options->schedule_seed);
        if (code != usual)
            fprintf(stderr, "ends with exit code %d, the usual schedule with %d\n", code, usual);
        else
            fputs("has other results than the usual schedule\n", stderr);
        fputs(output, stderr);
        print_command(argc, argv, options->schedule_seed);
    }
    free(output);
    return same ? EXIT_FINE : code != EXIT_FINE ? code : EXIT_EXPECTATION;
}

int explore(const struct options *options, int argc, char **argv)
{
    struct options own = *options;
    char *text;
    if (options->json) fail(EXIT_USAGE, "--explore does not go with --json");
    if (options->counts) fail(EXIT_USAGE, "--explore does not go with --counts");
    if (options->hot) fail(EXIT_USAGE, "--explore does not go with --hot");
    if (options->launches) fail(EXIT_USAGE, "--explore does not go with --launches");
    own.threads = 1;
    const int usual = code_of(child_run(run_once, &own, &text));
    int code = usual;
    fputs(text, usual == EXIT_FINE ? stdout : stderr);
    own.schedule = PTX_SCHEDULE_RANDOM;
    for (uint64_t i = 0; code == usual && usual == EXIT_FINE && i < options->explore; i++) {
        own.schedule_seed = (options->explore_seed + i) & UINT32_MAX;
        code = try_seed(&own, usual, text, argc, argv);
    }
    if (usual == EXIT_FINE && code == EXIT_FINE && !options->quiet)
        fprintf(stderr, "ptxvm: explore: %llu schedules, the same results\n",
                (unsigned long long)options->explore);
    free(text);
    return code;
}
