/* verdict.h - what a program of this folder says of each function: one line, "FUNCTION VERDICT DETAIL". */
#ifndef VERDICT_H
#define VERDICT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a device wrote, as FNV-1a, for comparing with what a chip wrote; only with LIBRARY_SUMS. */
static inline void sum(const char *function, const void *data, size_t size)
{
    unsigned long long h = 14695981039346656037u;
    if (!getenv("LIBRARY_SUMS")) return;
    for (size_t i = 0; i < size; i++) h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
    printf("%s sum %016llx\n", function, h);
}

/* How far results lie from what they are compared with: 0 "equal", at most `bound` "bounds", else "wrong".
 * A status that is not 0 is "refused". */
static inline void say(const char *function, int status, double distance, double bound)
{
    if (status)
        printf("%s refused %d\n", function, status);
    else if (distance == 0)
        printf("%s equal\n", function);
    else
        printf("%s %s %.3g of %.3g\n", function, distance <= bound ? "bounds" : "wrong", distance, bound);
    fflush(stdout);
}

/* Numbers -8 to 7, whose small products and sums are exact. */
static inline int small(unsigned i)
{
    return (int)((i * 2654435761u) >> 28) - 8;
}

#endif
