/*
 * failed.h - calls of a program that answered an error, for PTXVM_REPORT.
 */
#ifndef PX_CUDA_DRIVER_FAILED_H
#define PX_CUDA_DRIVER_FAILED_H

#include <stdio.h>
#include "cuda/driver/api.h"

/* Counts a failed call by function, error and place; texts are copied. What px_cu_failed_asked takes; NULL:
 * nothing is reported. */
void *px_cu_failed(const struct px_cu_failure *failure);
/* The program asked for the error: the next thing that the thread did was to clear it. */
void px_cu_failed_asked(void *failed);
/* Words on why the call that this thread is in will fail. */
void px_cu_failed_why(const char *words);
/* The member "api_errors" of the report; json writes a text of `size` bytes. */
void px_cu_failed_write(FILE *to, void (*json)(FILE *to, const char *text, size_t size));

/* Somebody wants a table of the driver that is none of ours (names.c). */
void px_cu_table_refused(const void *caller);
/* Whether a report is written (log.c). */
bool px_cu_reporting(void);
/* ... with what it says from now on, for the process may end itself by a failure. */
void px_cu_report(void);
CUresult px_cu_unsupported(const char *name);

/* Who called: the function that an address of host code is in, of the callers of the one at `from`, which is
 * neither ours nor the stub of `kernel`; and its file. False: the call came from a library of ours. */
bool px_cu_caller(const void *from, const char *kernel, char *function, char *file, size_t room);

#endif
