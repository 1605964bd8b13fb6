/* machine.h - the device of a run: made as the options say, with what listens to it. */
#ifndef PTXVM_MACHINE_H
#define PTXVM_MACHINE_H

#include <stdio.h>
#include "notice.h"
#include "report.h"

/* --host-lib */
struct libraries {
    void **at;
    unsigned n;
};

void libraries_open(struct libraries *libraries, const struct words *names);
void libraries_close(struct libraries *libraries);

/* Where the text of the kernels goes, and whether there was any. */
struct output {
    FILE *file;
    FILE *kept; /* gets it, too; NULL: nobody asks */
    bool any;
    struct trace *trace; /* NULL */
    struct hot *hot;     /* the same */
    struct notices notices;
};

/* Both give up with the reason. */
ptx_device *machine_device(const struct options *options, struct output *output);
ptx_program *machine_program(ptx_device *device, const struct modules *modules, struct libraries *libraries,
                             ptx_fmad fmad);

/* An instruction that this VM cannot run is no fault of the program. */
int machine_exit_code(ptx_status status, const ptx_fault *fault);
/* Why a launch did not end well, on standard error. */
void machine_tell_failure(const struct outcome *outcome, const struct modules *modules,
                          const struct arguments *arguments);

#endif
