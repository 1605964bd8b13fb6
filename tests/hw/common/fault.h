/* fault.h - a kernel that uses an instruction wrongly, or nearly so. */
#ifndef HW_COMMON_FAULT_H
#define HW_COMMON_FAULT_H

#include <stdio.h>

enum { FAULT_BYTES = 8192 /* that the kernel may write */ };

typedef struct Fault {
    const char *name, *code;
} Fault;

#endif
