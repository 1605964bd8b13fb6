/* check.h - --check: what a run does wrong although it works. */
#ifndef PTXVM_CHECK_H
#define PTXVM_CHECK_H

#include <jansson.h>
#include "report.h"

/* PTX_CHECK_ of the words of --check; gives up on others. */
unsigned check_words(const char *words);

/* Before the run: --check-suppress. */
void check_prepare(ptx_device *device, const struct options *options);

/* The findings of a run on standard error, and how many there are; the exit code, which is `code` when
 * nothing is wrong. */
int check_report(ptx_device *device, int code, const struct modules *modules,
                 const struct arguments *arguments, const struct options *options);

/* The same for --json: findings go into `list`. */
int check_json(ptx_device *device, int code, const struct options *options, json_t *list);

#endif
