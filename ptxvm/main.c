/* main.c - ptxvm: runs PTX kernels without a GPU. The command line is options.c, a run run.c, --test
 * testmode.c, --exec exec.c, --explore explore.c, --devices devices.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "devices.h"
#include "exec.h"
#include "explore.h"
#include "fail.h"
#include "run.h"
#include "script.h"
#include "testmode.h"

int main(int argc, char **argv)
{
    struct options options;
    if (argc == 2 && strcmp(argv[1], "--devices") == 0) {
        char *folder = program_libraries();
        const int listed = devices_print(folder);
        free(folder);
        return fflush(stdout) != 0 ? EXIT_USAGE : listed;
    }
    const bool script = argc > 1 && strcmp(argv[1], "run") == 0;
    options_parse(&options, argc - script, argv + script);
    int code = script            ? script_run_file(&options)
               : options.program ? program_run(&options)
               : options.test    ? tests_run(&options, argc, argv)
               : options.explore ? explore(&options, argc, argv)
                                 : run(&options);
    options_free(&options);
    if (fflush(stdout) != 0 && code == EXIT_FINE) fail(EXIT_USAGE, "standard output cannot be written");
    return code;
}
